//! A globe to turn: a field on the sphere as it is seen from far away.
//!
//! | part | what it does |
//! |---|---|
//! | [`Surface`] | lays a field onto a fine grid, once per field |
//! | [`Camera`], [`Spot`] | places to points of the picture and back |
//! | [`draw()`] | the pixels |
//! | [`graticule`], [`seen`] | lines above them |
//! | [`Spin`] | drag, inertia |
//! | [`Eye`], [`Projection`] | what an address holds |

mod camera;
mod draw;
mod eye;
mod lines;
mod spin;
mod surface;

pub use camera::{Camera, Spot};
pub use draw::{RADIUS, draw};
pub use eye::{Eye, Projection};
pub use lines::{Line, graticule, seen};
pub use spin::Spin;
pub use surface::Surface;
