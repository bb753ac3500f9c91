//! Where to compute: WebGPU on a real GPU, else the CPU.

use burn::tensor::Device;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::post::scope;
use super::time::within;
use crate::guard::patience::{self, PASS_MS};
use crate::message::{self, DeviceKind};
use crate::settings::DeviceChoice;

/// What a visitor reads who left the choice to the page and has no GPU behind WebGPU.
const SOFTWARE: &str = "The browser's WebGPU is a program without a GPU behind it, and slower than the CPU directly, so the CPU is used.";

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
    /// Milliseconds that it may take for a pass; a program on the CPU ends by itself.
    pub pass_ms: Option<i32>,
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
            pass_ms: None,
        }
    }
}

impl Gpu {
    /// Chooses by the visitor's wish. Only a GPU that was asked for and does not work is an error, which says why.
    pub async fn choose(&mut self, wish: DeviceChoice) -> Result<Chosen, String> {
        if wish == DeviceChoice::Cpu {
            return Ok(Chosen::cpu(None));
        }
        let auto = wish == DeviceChoice::Auto;
        if let Self::Unknown = self {
            *self = match adapter_in_time().await {
                // Nobody asked for it: it need not be started.
                Ok(adapter) if auto && adapter.software => {
                    return Ok(Chosen::cpu(Some(SOFTWARE.to_owned())));
                }
                Ok(adapter) => init(adapter).await,
                Err(reason) => Self::Fails(reason),
            };
        }
        match self {
            Self::Works(_, adapter) if auto && adapter.software => {
                Ok(Chosen::cpu(Some(SOFTWARE.to_owned())))
            }
            Self::Works(device, adapter) => Ok(Chosen {
                device: device.clone(),
                told: message::Device {
                    kind: DeviceKind::WebGpu,
                    name: adapter.name.clone(),
                    note: None,
                },
                pass_ms: Some(patience::pass_ms(adapter.software)),
            }),
            Self::Fails(reason) if auto => Ok(Chosen::cpu(Some(instead(reason)))),
            Self::Fails(reason) => Err(reason.clone()),
            Self::Unknown => Err("WebGPU was not initialised".to_owned()),
        }
    }

    /// Remembers that the GPU does not do what it should.
    pub fn fails(&mut self, reason: String) {
        *self = Self::Fails(reason);
    }
}

/// What a visitor reads who left the choice to the page.
fn instead(reason: &str) -> String {
    format!("{reason}, so the CPU is used.")
}

async fn init(adapter: Adapter) -> Gpu {
    match within(PASS_MS, Device::wgpu_options().init_async()).await {
        Some(Ok(device)) => Gpu::Works(device, adapter),
        Some(Err(error)) => Gpu::Fails(format!("WebGPU could not be started ({error})")),
        None => Gpu::Fails(patience::late(PASS_MS)),
    }
}

async fn adapter_in_time() -> Result<Adapter, String> {
    let late = || Err(patience::late(PASS_MS));
    within(PASS_MS, adapter()).await.unwrap_or_else(late)
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
