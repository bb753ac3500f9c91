//! The page of pno: what it shows, what it computes, and how its two programs talk.
//!
//! | room | what is there |
//! |---|---|
//! | [`start`], [`build`], [`files`] | what both programs do first, which build they are of, and where its files are |
//! | [`settings`], [`live`], [`address`], [`query`] | everything a visitor can set, and the address that holds it |
//! | [`trail`] | which changes make an entry in the browser's history |
//! | [`experiments`] | what it knows of each experiment: a row and a file each |
//! | [`catalogue`], [`describe`] | which models the page offers, and what a model is in words |
//! | [`cases`], [`when`] | which real cases come with it, and their times |
//! | [`guard`] | whether a device computes what it should, in time, and how many members fit into memory |
//! | [`message`], [`transport`] | what page and worker say to each other, and how it gets across |
//! | [`field`] | where values lie: layout, sizes, axes and units, from a model's task |
//! | [`truth`], [`painting`], [`nudge`] | what really happens, and what a visitor changes of it |
//! | [`ensemble`] | the case, the members and a sorted copy of them |
//! | [`views`], [`scales`], [`picture`] | what is shown of them, on locked scales, as pixels |
//! | [`point`], [`verify`], [`figure`] | the ensemble at a point, how good it is, and both as figures |
//! | [`embed`], [`turns`] | a figure in somebody else's page; several of them on one worker |
//! | [`scale`], [`npy`], [`table`], [`chunks`] | readable numbers; NumPy files; CSV and JSON; sizes of passes |
//! | `ui` | the interface on the main thread: Leptos, no burn (feature `ui`) |
//! | `worker` | device, checkpoint, input, members: burn, no Leptos (feature `worker`) |

pub mod address;
pub mod build;
pub mod cases;
pub mod catalogue;
pub mod chunks;
pub mod coast;
pub mod describe;
pub mod embed;
pub mod ensemble;
pub mod experiments;
pub mod field;
pub mod figure;
pub mod files;
#[cfg(test)]
mod fuzz;
pub mod globe;
pub mod guard;
pub mod live;
pub mod message;
pub mod npy;
pub mod nudge;
pub mod painting;
pub mod picture;
pub mod point;
pub mod query;
pub mod scale;
pub mod scales;
pub mod settings;
pub mod start;
pub mod table;
pub mod ticks;
pub mod trail;
pub mod transport;
pub mod truth;
pub mod turns;
#[cfg(feature = "ui")]
pub mod ui;
pub mod verify;
pub mod views;
pub mod when;
#[cfg(feature = "worker")]
pub mod worker;
