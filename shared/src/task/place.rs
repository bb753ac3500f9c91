//! Where on a grid a value is, in words.

use super::{Axis, Task};

impl Task {
    /// The field and the point of a value of the input, `[points, channel]`: `` `u` at time 4, x 12.5 ``.
    pub fn input_place(&self, value: usize) -> String {
        let field = &self.inputs[value % self.inputs.len()];
        let point = point(&self.input, value / self.inputs.len());
        format!("`{}` at {point}", field.name)
    }
}

/// A point of a grid, outermost axis first: names, coordinates and units.
pub fn point(axes: &[Axis], point: usize) -> String {
    let mut rest = point;
    let mut words: Vec<String> = axes
        .iter()
        .rev()
        .map(|axis| {
            let index = rest % axis.size;
            rest /= axis.size;
            let at = axis.start + axis.step * index as f64;
            // As many digits as tell neighbours apart.
            let at = (at * 1e6).round() / 1e6;
            format!("{} {at} {}", axis.name, axis.unit)
                .trim_end()
                .to_owned()
        })
        .collect();
    words.reverse();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_told_by_its_coordinates() {
        let axes = [
            Axis::new("time", 2, 6.0, 6.0, "h"),
            Axis::new("x", 3, 0.0, 0.1, ""),
        ];
        assert_eq!(point(&axes, 0), "time 6 h, x 0");
        assert_eq!(point(&axes, 5), "time 12 h, x 0.2");
        assert_eq!(point(&axes, 4), "time 12 h, x 0.1");
        assert_eq!(Task::ks().input_place(256 + 1), "`u` at time 2, x 0.390625");
    }
}
