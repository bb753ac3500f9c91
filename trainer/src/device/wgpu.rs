//! Adapters of the system's own graphics API.
//!
//! Only that one is asked: a search through all of them wakes display libraries that complain on machines without a
//! screen.

use burn::tensor::{Device, DeviceKind};
use burn_wgpu::{WgpuBackend, wgpu};

use super::{Candidate, quietly};
use crate::wait::block_on;

#[cfg(target_vendor = "apple")]
const API: (WgpuBackend, wgpu::Backends) = (WgpuBackend::Metal, wgpu::Backends::METAL);
#[cfg(windows)]
const API: (WgpuBackend, wgpu::Backends) = (WgpuBackend::Dx12, wgpu::Backends::DX12);
#[cfg(not(any(windows, target_vendor = "apple")))]
const API: (WgpuBackend, wgpu::Backends) = (WgpuBackend::Vulkan, wgpu::Backends::VULKAN);

/// Every adapter, in the order of the driver.
pub fn candidates() -> Vec<Candidate> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: API.1,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    // Each kind is counted on its own.
    let (mut discrete, mut integrated, mut virtuals) = (0.., 0.., 0..);
    let adapters = block_on(instance.enumerate_adapters(API.1));
    let infos = adapters.iter().map(wgpu::Adapter::get_info);
    infos
        .filter_map(|info| {
            let kind = match info.device_type {
                wgpu::DeviceType::DiscreteGpu => DeviceKind::DiscreteGpu(discrete.next()?),
                wgpu::DeviceType::IntegratedGpu => DeviceKind::IntegratedGpu(integrated.next()?),
                wgpu::DeviceType::VirtualGpu => DeviceKind::VirtualGpu(virtuals.next()?),
                wgpu::DeviceType::Cpu => DeviceKind::Cpu,
                wgpu::DeviceType::Other => return None,
            };
            Some(candidate(kind, info.name))
        })
        .collect()
}

fn candidate(kind: DeviceKind, name: String) -> Candidate {
    let card = kind != DeviceKind::Cpu;
    Candidate {
        card,
        start: Box::new(move || {
            let options = Device::wgpu_options().device_kind(kind).graphics_api(API.0);
            let device = quietly(|| options.init().ok()).flatten()?;
            let label = if card { "wgpu" } else { "wgpu, software" };
            Some((device, format!("{name} ({label})")))
        }),
    }
}
