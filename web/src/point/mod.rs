//! The ensemble at one point: its distribution, its course over time, and boxes as forecasters draw them.
//!
//! All of it is made of members in rising order, which the page has for every point of every frame: a moved slider or
//! another point costs nothing but a new path.

mod at;
mod boxes;
mod course;
mod distribution;

pub use at::{AtPoint, Line, at_point};
pub use boxes::boxes;
pub use course::{Course, fan};
pub use distribution::{distribution, histogram};

use pno::ensemble::quantiles::sorted_quantile;

/// What is read of a chart that a mask leaves empty.
const NO_VALUE: &str = "There is never a value here.";

/// A quantile of members in rising order; NaN without members, or where one of them is NaN.
fn quantile(sorted: &[f32], q: f64) -> f64 {
    let broken = |value: Option<&f32>| value.is_none_or(|value| value.is_nan());
    // A NaN is sorted to one of the ends.
    if broken(sorted.first()) || broken(sorted.last()) {
        return f64::NAN;
    }
    f64::from(sorted_quantile(sorted, q))
}
