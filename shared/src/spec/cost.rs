//! What a pass costs: floating-point operations of all matrix products, as the network carries them out.

use super::{BlockSpec, ModelSpec, Operator};

impl ModelSpec {
    /// Operations of one row through the whole network on a grid of `sizes` points, two per multiplication and addition.
    ///
    /// Matrix products alone: transforms, channel mixing, skips, resizing, MLPs. Activations and masks are not counted.
    pub fn flops(&self, sizes: &[usize]) -> u64 {
        let mlp = |points: usize, input: usize, hidden: usize, output: usize| {
            2 * points * hidden * (input + output)
        };
        let points: usize = sizes.iter().product();
        let mut total = mlp(points, self.lifted_channels(), self.lifting, self.width);
        let mut before = sizes.to_vec();
        let (blocks, grids) = (self.blocks(), self.grids(sizes));
        for (block, after) in blocks.iter().zip(&grids) {
            let here: usize = before.iter().product();
            total += match self.operator {
                Operator::Sfno => spherical(block, &before),
                Operator::Fno | Operator::Uno => fourier(block, &before, after),
            };
            total +=
                2 * here * block.inputs * block.outputs + resizing(&before, after, block.outputs);
            if let Some(skip) = block.horizontal {
                let there = &grids[skip.from];
                let points: usize = there.iter().product();
                total += 2 * points * skip.channels * skip.channels;
                total += resizing(there, &before, skip.channels);
            }
            if block.is_residual() {
                let there: usize = after.iter().product();
                total += mlp(there, block.outputs, block.mlp, block.outputs);
                total += resizing(&before, after, block.outputs);
                if block.inputs != block.outputs {
                    total += 2 * here * block.inputs * block.outputs;
                }
            }
            before.clone_from(after);
        }
        let trunk = blocks.last().map_or(self.width, |block| block.outputs);
        let heads = if self.method.has_spread_head() { 2 } else { 1 };
        total += heads * mlp(points, trunk, self.projection, self.out_channels);
        total as u64
    }
}

/// Forward along every axis, mixing, back along every axis. A complex number counts as two real ones.
fn fourier(block: &BlockSpec, from: &[usize], to: &[usize]) -> usize {
    let last = from.len() - 1;
    let kept = |axis: usize| {
        if axis == last {
            block.modes[axis] / 2 + 1
        } else {
            block.modes[axis]
        }
    };
    let modes: usize = (0..=last).map(kept).product();
    // The last axis is real on the side of the grid; on the way in it comes first, on the way out last.
    let one_way = |sizes: &[usize], channels: usize| -> usize {
        (0..=last)
            .map(|axis| {
                let outer: usize = sizes[..axis].iter().product();
                let inner: usize = (axis + 1..=last).map(kept).product();
                let grid = if axis == last {
                    sizes[axis]
                } else {
                    2 * sizes[axis]
                };
                2 * outer * (2 * kept(axis)) * grid * inner * channels
            })
            .sum()
    };
    let mixing = 2 * modes * (2 * block.inputs) * (2 * block.outputs);
    one_way(from, block.inputs) + mixing + one_way(to, block.outputs)
}

/// Longitudes, then latitudes for every order, mixing per degree, and back.
fn spherical(block: &BlockSpec, sizes: &[usize]) -> usize {
    let (degrees, orders) = (block.modes[0], block.modes[1] / 2);
    let one_way = |channels: usize| {
        let longitudes = 2 * sizes[0] * (2 * orders) * sizes[1] * channels;
        let latitudes = 2 * orders * degrees * sizes[0] * 2 * channels;
        longitudes + latitudes
    };
    let mixing = 2 * degrees * orders * (2 * block.inputs) * (2 * block.outputs);
    one_way(block.inputs) + mixing + one_way(block.outputs)
}

/// One matrix per axis whose size changes, last axis first.
fn resizing(from: &[usize], to: &[usize], channels: usize) -> usize {
    (0..from.len())
        .filter(|&axis| from[axis] != to[axis])
        .map(|axis| {
            let outer: usize = from[..axis].iter().product();
            let inner: usize = to[axis + 1..].iter().product();
            2 * outer * from[axis] * to[axis] * inner * channels
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Experiment, Method, Profile};
    use crate::task::Task;

    #[test]
    fn a_small_network_costs_what_counting_by_hand_gives() {
        let spec = ModelSpec {
            in_channels: 3,
            width: 2,
            lifting: 5,
            projection: 7,
            layers: 1,
            modes: vec![3, 4],
            ..ModelSpec::paper_fno(Experiment::Ks, Method::PnoD).expect("an FNO")
        };
        // 6 x 10 points, kept 3 x 3 modes. Products (rows x inner x columns):
        let lifting = 60 * 3 * 5 + 60 * 5 * 2;
        let forward = 6 * (6 * 10 * 2) + (6 * 12 * (3 * 2));
        let mixing = 9 * (4 * 4);
        let inverse = 12 * 6 * (3 * 2) + 6 * (10 * 6 * 2);
        let skip = 60 * 2 * 2;
        let projection = 60 * 2 * 7 + 60 * 7;
        let products = lifting + forward + mixing + inverse + skip + projection;
        assert_eq!(spec.flops(&[6, 10]), 2 * products);
    }

    #[test]
    fn published_networks_cost_what_was_estimated() {
        use {Experiment as E, Operator as O};
        for (experiment, operator, giga) in [
            (E::Ks, O::Fno, 0.1),
            (E::Darcy, O::Fno, 0.2),
            (E::Sswe, O::Sfno, 1.8),
            (E::Era5, O::Fno, 6.0),
        ] {
            let spec = ModelSpec::paper(experiment, operator, Method::PnoD, Profile::Fixed);
            let sizes = Task::published(experiment)
                .expect("published")
                .input_shape();
            let flops = spec.expect("published").flops(&sizes) as f64 / 1e9;
            // Estimates of one digit.
            assert!((flops / giga - 1.0).abs() < 0.5, "{experiment}: {flops}");
        }
    }
}
