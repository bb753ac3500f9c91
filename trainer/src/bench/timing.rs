//! Time of one call on a device, including everything the device still has to do for it.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use burn::tensor::{Device, Distribution, Tensor};

/// Fewest calls of a measurement.
const CALLS: usize = 3;

/// Median time of one call, from at least [`CALLS`] calls and at least `budget`, after one to warm up.
pub fn median<T>(
    device: &Device,
    budget: Duration,
    mut call: impl FnMut() -> T,
) -> Result<Duration> {
    let mut timed = || -> Result<Duration> {
        let begun = Instant::now();
        let result = call();
        let failed = |e| anyhow!("the device failed: {e:?}");
        device.sync().map_err(failed)?;
        drop(result);
        Ok(begun.elapsed())
    };
    timed()?;
    let (begun, mut times) = (Instant::now(), vec![]);
    while times.len() < CALLS || begun.elapsed() < budget {
        times.push(timed()?);
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// Operations per second of a square matrix product: what the device can reach at all, in f32.
pub fn peak(device: &Device, budget: Duration) -> Result<f64> {
    const SIZE: usize = 1024;
    let matrix = || Tensor::<2>::random([SIZE, SIZE], Distribution::Default, device);
    let (a, b) = (matrix(), matrix());
    let time = median(device, budget, || a.clone().matmul(b.clone()))?;
    Ok(2.0 * (SIZE as f64).powi(3) / time.as_secs_f64())
}
