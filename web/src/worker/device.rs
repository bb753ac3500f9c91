//! Where to compute: WebGPU on a real GPU, else the CPU.

use burn::tensor::Device;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::post::scope;
use crate::message::{self, DeviceKind};
use crate::settings::DeviceChoice;

/// The GPU as far as it is known. burn allows one initialisation of a device: the result is kept.
#[derive(Default)]
pub enum Gpu {
    /// Nobody has asked yet.
    #[default]
    Unknown,
    /// It works.
    Works(Device, Adapter),
    /// It does not, for this reason.
    Fails(String),
}

/// What the browser tells about its GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    /// Maker and kind, as far as the browser tells.
    pub name: String,
    /// Whether it is a program that plays a GPU.
    pub software: bool,
}

/// A device and what to tell about it.
pub struct Chosen {
    /// Where tensors live.
    pub device: Device,
    /// What the visitor reads.
    pub told: message::Device,
}

impl Chosen {
    /// The CPU, with a reason where one might have expected a GPU.
    pub fn cpu(note: Option<String>) -> Self {
        Self {
            device: Device::flex(),
            told: message::Device {
                kind: DeviceKind::Cpu,
                name: "WebAssembly".to_owned(),
                note,
            },
        }
    }
}

impl Gpu {
    /// Chooses by the visitor's wish. Only a GPU that was asked for and is not there is an error.
    pub async fn choose(&mut self, wish: DeviceChoice) -> Result<Chosen, String> {
        if wish == DeviceChoice::Cpu {
            return Ok(Chosen::cpu(None));
        }
        let adapter = adapter().await;
        if wish == DeviceChoice::Auto {
            match &adapter {
                Err(reason) => {
                    return Ok(Chosen::cpu(Some(format!("{reason}, so the CPU is used."))));
                }
                Ok(adapter) if adapter.software => {
                    let note = "The browser's WebGPU is a program without a GPU behind it, and slower than the CPU directly, so the CPU is used.";
                    return Ok(Chosen::cpu(Some(note.to_owned())));
                }
                Ok(_) => {}
            }
        }
        if let Self::Unknown = self {
            *self = match adapter {
                Ok(adapter) => init(adapter).await,
                Err(reason) => Self::Fails(reason),
            };
        }
        match self {
            Self::Works(device, adapter) => Ok(Chosen {
                device: device.clone(),
                told: message::Device {
                    kind: DeviceKind::WebGpu,
                    name: adapter.name.clone(),
                    note: None,
                },
            }),
            Self::Fails(reason) if wish == DeviceChoice::Auto => {
                Ok(Chosen::cpu(Some(format!("{reason}, so the CPU is used."))))
            }
            Self::Fails(reason) => Err(format!(
                "{reason}, but the address or the menu asks for WebGPU. Choose CPU to go on."
            )),
            Self::Unknown => Err("WebGPU was not initialised.".to_owned()),
        }
    }

    /// Remembers that the GPU does not do what it should.
    pub fn fails(&mut self, reason: String) {
        *self = Self::Fails(reason);
    }
}

async fn init(adapter: Adapter) -> Gpu {
    match Device::wgpu_options().init_async().await {
        Ok(device) => Gpu::Works(device, adapter),
        Err(error) => Gpu::Fails(format!("WebGPU could not be started ({error})")),
    }
}

/// Asks the browser for its GPU. `navigator.gpu` can be there without one, and the reverse.
async fn adapter() -> Result<Adapter, String> {
    let gpu = get(&scope(), "navigator").and_then(|navigator| get(&navigator, "gpu"));
    let gpu = gpu.ok_or("This browser has no WebGPU")?;
    let none = || "This browser has WebGPU but found no GPU".to_owned();
    let ask: Function = get(&gpu, "requestAdapter")
        .and_then(|f| f.dyn_into().ok())
        .ok_or_else(none)?;
    let promise: Promise = ask
        .call0(&gpu)
        .ok()
        .and_then(|p| p.dyn_into().ok())
        .ok_or_else(none)?;
    let adapter = JsFuture::from(promise).await.map_err(|_| none())?;
    if adapter.is_null() || adapter.is_undefined() {
        return Err(none());
    }
    let info = get(&adapter, "info").unwrap_or(JsValue::NULL);
    let text = |key| {
        get(&info, key)
            .and_then(|value| value.as_string())
            .unwrap_or_default()
    };
    let software = [&info, &adapter]
        .iter()
        .any(|place| get(place, "isFallbackAdapter").is_some_and(|value| value.is_truthy()));
    let mut parts = vec![text("vendor"), text("architecture"), text("description")];
    parts.retain(|part| !part.is_empty());
    Ok(Adapter {
        software: software || parts.iter().any(|part| part.contains("swiftshader")),
        name: parts.join(" "),
    })
}

/// A property that is there.
fn get(object: &JsValue, key: &str) -> Option<JsValue> {
    let value = Reflect::get(object, &key.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}
