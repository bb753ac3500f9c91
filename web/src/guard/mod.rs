//! What keeps a device honest and the page within its means.
//!
//! | room | what is there |
//! |---|---|
//! | [`agreement`] | whether two devices computed the same member |
//! | [`memory`] | how many members fit into the page and its worker |
//! | [`patience`] | how long a device may take for a pass |

pub mod agreement;
pub mod memory;
pub mod patience;
