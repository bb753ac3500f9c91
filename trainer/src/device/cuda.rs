//! NVIDIA cards.

use burn::tensor::{Device, DeviceType};

use super::{Candidate, quietly};

/// Every card the driver lists.
pub fn candidates() -> Vec<Candidate> {
    let devices = Device::enumerate(DeviceType::Cuda).into_vec();
    devices.into_iter().map(candidate).collect()
}

fn candidate(device: Device) -> Candidate {
    Candidate {
        card: true,
        start: Box::new(|| {
            let identity = quietly(|| device.identity()).flatten()?;
            Some((device, format!("{} (CUDA)", identity.name)))
        }),
    }
}
