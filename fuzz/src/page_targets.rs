//! Targets of the page's crate.

use pno_web as page;

#[path = "../targets/address.rs"]
pub mod address;
#[path = "../targets/embed.rs"]
pub mod embed;
#[path = "../targets/page_npy.rs"]
pub mod npy;
