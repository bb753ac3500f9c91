//! The corpus of the fuzzer through the page's own readers.

use crate as page;

#[path = "../../fuzz/targets/address.rs"]
mod address;
#[path = "../../fuzz/targets/embed.rs"]
mod embed;
#[path = "../../fuzz/src/memory.rs"]
#[allow(dead_code, reason = "nothing is counted among other tests")]
mod memory;
#[path = "../../fuzz/targets/page_npy.rs"]
mod npy;
#[path = "../../fuzz/src/replay.rs"]
mod replay;

#[test]
fn addresses() {
    replay::replay("address", address::target);
}

#[test]
fn messages_to_a_figure() {
    replay::replay("embed", embed::target);
}

#[test]
fn arrays_that_a_visitor_brings() {
    replay::replay("npy", npy::target);
}
