//! The page of pno: what it shows, what it computes, and how its two programs talk.
//!
//! | room | what is there |
//! |---|---|
//! | [`start`] | what both programs do first |
//! | [`settings`], [`live`], [`address`], [`query`] | everything a visitor can set, and the address that holds it |
//! | [`catalogue`], [`describe`] | which models the page offers, and what a model is in words |
//! | [`message`], [`transport`] | what page and worker say to each other, and how it gets across |
//! | [`data`], [`panel`], [`fan`] | the fields of a run, what each panel shows of them, fan charts |
//! | [`painting`], [`flow`], [`weather`] | a painted permeability; what is solved live, and in sentences |
//! | [`picture`] | fields as pixels |
//! | [`scale`], [`npy`], [`chunks`] | readable ranges and numbers; fields as NumPy files; sizes of passes |
//! | `ui` | the interface on the main thread: Leptos, no burn (feature `ui`) |
//! | `worker` | device, checkpoint, input, members: burn, no Leptos (feature `worker`) |

pub mod address;
pub mod catalogue;
pub mod chunks;
pub mod data;
pub mod describe;
pub mod fan;
pub mod flow;
pub mod live;
pub mod message;
pub mod npy;
pub mod painting;
pub mod panel;
pub mod picture;
pub mod query;
pub mod scale;
pub mod settings;
pub mod start;
pub mod transport;
#[cfg(feature = "ui")]
pub mod ui;
pub mod weather;
#[cfg(feature = "worker")]
pub mod worker;
