//! From a device's name to the device, or to one sentence that says what to do.

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "wgpu")]
mod wgpu;

use std::path::Path;

use anyhow::{Result, bail};
use burn::tensor::Device;

use crate::cli::Usage;

/// What can be asked for.
const KNOWN: &str = "auto, cpu, wgpu, wgpu:N, cuda, cuda:N";

/// A kind of GPU, compiled in or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runtime {
    Wgpu,
    Cuda,
}

/// A device that is there and has not been started yet.
struct Candidate {
    /// Whether it is a card; a software renderer is slower than our own CPU path.
    card: bool,
    /// Starts it; `None` if its driver fails.
    start: Box<dyn FnOnce() -> Option<Opened>>,
}

/// A device and a label for people.
type Opened = (Device, String);

/// Opens `auto`, `cpu`, `wgpu`, `wgpu:N`, `cuda` or `cuda:N`; the second value is a label for people.
///
/// `auto` takes the first NVIDIA card, else the first card of any maker, else the CPU, among what is compiled in.
/// A GPU can be started only once per process.
pub fn open(name: &str) -> Result<Opened> {
    let (kind, index) = match name.split_once(':') {
        Some((kind, index)) => (kind, Some(index)),
        None => (name, None),
    };
    let index = match index.map(str::parse::<usize>) {
        None => None,
        Some(Ok(index)) => Some(index),
        Some(Err(_)) => bail!(unknown(name)),
    };
    match (kind, index) {
        ("auto", None) => Ok(automatic()),
        ("cpu", None) => Ok(cpu()),
        ("wgpu", index) => one(Runtime::Wgpu, index),
        ("cuda", index) => one(Runtime::Cuda, index),
        _ => bail!(unknown(name)),
    }
}

/// Opens several devices, `cuda:0,cuda:1`, which are to share the work; the second value is a label for people.
///
/// The CPU is one device with all its cores: `cpu,cpu` is there to see on any machine what several devices do.
pub fn open_all(names: &str) -> Result<(Vec<Device>, String)> {
    let each: Vec<&str> = names.split(',').map(str::trim).collect();
    let kind = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
    for (i, name) in each.iter().enumerate() {
        if kind(name) != kind(each[0]) || each.len() > 1 && *name == "auto" {
            bail!(Usage(format!(
                "devices `{names}` cannot share the work: they must be named one by one and be of one kind, as in cuda:0,cuda:1"
            )));
        }
        if *name != "cpu" && each[..i].contains(name) {
            bail!(Usage(format!(
                "device `{name}` is named twice in `{names}`"
            )));
        }
    }
    let mut devices = vec![];
    let mut labels = vec![];
    for name in &each {
        let (device, label) = open(name)?;
        devices.push(device);
        labels.push(label);
    }
    let label = match labels.as_slice() {
        [one] => one.clone(),
        several => format!("{} devices ({})", several.len(), several.join("; ")),
    };
    Ok((devices, label))
}

fn unknown(name: &str) -> Usage {
    Usage(format!("unknown device `{name}`; known: {KNOWN}"))
}

fn cpu() -> Opened {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    (Device::flex(), format!("CPU, {threads} threads"))
}

fn automatic() -> Opened {
    if !may_have_a_card() {
        return cpu();
    }
    [Runtime::Cuda, Runtime::Wgpu]
        .into_iter()
        .flat_map(|runtime| listed(runtime).unwrap_or_default())
        .filter(|candidate| candidate.card)
        .find_map(|candidate| (candidate.start)())
        .unwrap_or_else(cpu)
}

/// Whether this machine could have a card at all. Where the system tells so for free, no driver is woken in vain: that
/// takes a second, and some complain on standard error when there is no screen.
fn may_have_a_card() -> bool {
    let nodes = ["/dev/dri", "/dev/nvidiactl", "/dev/dxg"];
    !cfg!(target_os = "linux") || nodes.iter().any(|node| Path::new(node).exists())
}

/// One device of a runtime: the one asked for, or the first card, or the first that answers.
fn one(runtime: Runtime, index: Option<usize>) -> Result<Opened> {
    let Some(mut candidates) = listed(runtime) else {
        match runtime {
            Runtime::Wgpu => bail!(
                "this pno was built without wgpu: build it with `cargo install --path trainer --features wgpu`, or use --device cpu"
            ),
            Runtime::Cuda => bail!(
                "this pno was built without CUDA: build it with `cargo install --path trainer --features cuda` on a machine with an NVIDIA driver, or use --device cpu"
            ),
        }
    };
    let number = candidates.len();
    if number == 0 {
        match runtime {
            Runtime::Wgpu => bail!(
                "there is no wgpu adapter here: install a Vulkan driver for the GPU (Metal and DX12 come with the system), or use --device cpu"
            ),
            Runtime::Cuda => bail!(
                "there is no CUDA device here: check that `nvidia-smi` lists one (driver installed, container started with GPUs), or use --device cpu"
            ),
        }
    }
    match index {
        // The sort is stable: cards first, each in the order of the driver.
        None => candidates.sort_by_key(|candidate| !candidate.card),
        Some(index) if index < number => candidates = vec![candidates.swap_remove(index)],
        Some(index) => {
            bail!("there is no device {index} here: {runtime:?} has {number}, counted from 0")
        }
    }
    match candidates
        .into_iter()
        .find_map(|candidate| (candidate.start)())
    {
        Some(opened) => Ok(opened),
        None => {
            bail!("the {runtime:?} device does not start: update its driver, or use --device cpu")
        }
    }
}

/// All devices of a runtime; `None` if it is not compiled in.
fn listed(runtime: Runtime) -> Option<Vec<Candidate>> {
    match runtime {
        #[cfg(feature = "wgpu")]
        Runtime::Wgpu => Some(quietly(wgpu::candidates).unwrap_or_default()),
        #[cfg(feature = "cuda")]
        Runtime::Cuda => Some(quietly(cuda::candidates).unwrap_or_default()),
        #[allow(
            unreachable_patterns,
            reason = "with all features every runtime is compiled in"
        )]
        _ => None,
    }
}

/// Runs something that panics where a driver is missing or broken, without the panic's noise.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    use std::panic;
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(panic::AssertUnwindSafe(work));
    panic::set_hook(hook);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str) -> String {
        open(name).expect_err("refused").to_string()
    }

    #[test]
    fn the_cpu_is_always_there() {
        assert!(open("cpu").expect("the CPU").1.starts_with("CPU"));
        assert!(open("auto").is_ok());
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        for name in [
            "", "gpu", "cpu:1", "auto:0", "cuda:x", "wgpu:-1", "cuda:0:1",
        ] {
            let message = refusal(name);
            assert!(
                message.contains(&format!("`{name}`")) && message.contains("cuda:N"),
                "{message}"
            );
        }
    }

    #[test]
    fn several_devices_are_of_one_kind_and_named_once() {
        let (devices, label) = open_all("cpu, cpu").expect("the CPU twice");
        assert_eq!(devices.len(), 2);
        assert!(label.starts_with("2 devices (CPU"), "{label}");
        assert_eq!(open_all("cpu").expect("the CPU").0.len(), 1);
        let refused = |names: &str| open_all(names).expect_err("refused").to_string();
        assert!(refused("cpu,cuda:0").contains("of one kind"));
        assert!(refused("auto,auto").contains("one by one"));
        assert!(refused("cuda:4096,cuda:4096").contains("4096"));
        assert!(refused("cpu,").contains("cpu,"));
    }

    #[test]
    fn a_device_that_is_not_here_says_what_to_do() {
        for name in ["cuda:4096", "wgpu:4096"] {
            let message = refusal(name);
            assert!(
                message.contains("--device cpu") || message.contains("4096"),
                "{message}"
            );
        }
    }
}
