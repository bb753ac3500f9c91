//! The blocks of a network: channels, modes, grids and skips, whichever operator it is.

use serde::{Deserialize, Serialize};

use super::{ModelSpec, Operator, Profile};

/// One block of a UNO.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Channels that it gives.
    pub width: usize,
    /// Modes along each axis, counted as in [`ModelSpec::modes`].
    pub modes: Vec<usize>,
    /// Size of its output grid over that of its input grid, along each axis.
    pub scale: Vec<f64>,
}

/// One block, as every operator has them: `spectral(v) + S v`, with the output of an earlier block beside its input
/// where there is a horizontal skip. A residual block adds `MLP(GELU(spectral(v) + S v))` to its input.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockSpec {
    /// Channels that it takes, those of the horizontal skip included.
    pub inputs: usize,
    /// Channels that it gives.
    pub outputs: usize,
    /// Modes along each axis, counted as in [`ModelSpec::modes`].
    pub modes: Vec<usize>,
    /// Size of its output grid over that of its input grid, along each axis.
    pub scale: Vec<f64>,
    /// The earlier block whose output is its second input, and the channels of that.
    pub horizontal: Option<Horizontal>,
    /// Whether a GELU follows.
    pub activate: bool,
    /// Hidden width of the pointwise MLP of a residual block; 0 where it is none.
    pub mlp: usize,
}

impl BlockSpec {
    /// Whether it is a residual block.
    pub fn is_residual(&self) -> bool {
        self.mlp > 0
    }
}

/// A skip from an earlier block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Horizontal {
    /// Index of the earlier block.
    pub from: usize,
    /// Its channels.
    pub channels: usize,
}

impl ModelSpec {
    /// The blocks, first to last.
    pub fn blocks(&self) -> Vec<BlockSpec> {
        if self.operator != Operator::Uno {
            let block = |i| BlockSpec {
                inputs: self.width,
                outputs: self.width,
                modes: self.modes.clone(),
                scale: vec![1.0; self.modes.len()],
                horizontal: None,
                activate: i + 1 < self.layers || self.mlp > 0,
                mlp: self.mlp,
            };
            return (0..self.layers).map(block).collect();
        }
        let last = self.levels.len().saturating_sub(1);
        let mut before = self.width;
        self.levels
            .iter()
            .enumerate()
            .map(|(i, level)| {
                let horizontal = self.horizontal(i).map(|from| Horizontal {
                    from,
                    channels: self.levels[from].width,
                });
                let inputs = before + horizontal.map_or(0, |skip| skip.channels);
                before = level.width;
                BlockSpec {
                    inputs,
                    outputs: level.width,
                    modes: level.modes.clone(),
                    scale: level.scale.clone(),
                    horizontal,
                    // The published blocks are one-layer networks, and a network has no activation after its last layer.
                    activate: self.profile == Profile::Fixed && i < last || self.mlp > 0,
                    mlp: self.mlp,
                }
            })
            .collect()
    }

    /// Source of the horizontal skip into UNO block `i`.
    ///
    /// `fixed`: the second half mirrors the first. `paper`: the map of a network of four blocks, whatever the depth.
    fn horizontal(&self, i: usize) -> Option<usize> {
        let depth = match self.profile {
            Profile::Fixed => self.levels.len(),
            Profile::Paper => 4,
        };
        (i < depth && 2 * i >= depth && depth - 1 - i < i).then(|| depth - 1 - i)
    }

    /// Sizes of the output grid of every block, for an input grid of `sizes` points. The last is the input grid again
    /// (the published rule rounds the product of all scales, which is the same on the published grids).
    pub fn grids(&self, sizes: &[usize]) -> Vec<Vec<usize>> {
        let blocks = self.blocks();
        let last = blocks.len().saturating_sub(1);
        let scaled =
            |(&n, scale): (&usize, &f64)| ((n as f64 * scale).round_ties_even() as usize).max(1);
        let mut grid = sizes.to_vec();
        blocks
            .iter()
            .enumerate()
            .map(|(i, block)| {
                grid = if i == last {
                    sizes.to_vec()
                } else {
                    grid.iter().zip(&block.scale).map(scaled).collect()
                };
                grid.clone()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Experiment, Method};

    fn uno(experiment: Experiment, profile: Profile) -> ModelSpec {
        ModelSpec::paper(experiment, Operator::Uno, Method::PnoD, profile).expect("a UNO")
    }

    fn inputs(spec: &ModelSpec) -> Vec<usize> {
        spec.blocks().iter().map(|b| b.inputs).collect()
    }

    #[test]
    fn the_published_unos_have_their_channels_and_skips() {
        let darcy = uno(Experiment::Darcy, Profile::Paper);
        assert_eq!(inputs(&darcy), [32, 64, 256, 192, 64]);
        let ks = uno(Experiment::Ks, Profile::Paper);
        assert_eq!(inputs(&ks), [16, 16, 64, 80, 128, 64, 32]);
        for spec in [darcy, ks] {
            assert!(spec.blocks().iter().all(|b| !b.activate));
            let skips: Vec<_> = spec
                .blocks()
                .iter()
                .map(|b| b.horizontal.map(|h| h.from))
                .collect();
            assert_eq!(skips[..4], [None, None, Some(1), Some(0)]);
            assert!(skips[4..].iter().all(Option::is_none));
        }
    }

    #[test]
    fn the_fixed_unos_mirror_their_first_half() {
        let skips = |experiment| -> Vec<_> {
            let blocks = uno(experiment, Profile::Fixed).blocks();
            blocks
                .iter()
                .map(|b| b.horizontal.map(|h| h.from))
                .collect()
        };
        assert_eq!(
            skips(Experiment::Darcy),
            [None, None, None, Some(1), Some(0)]
        );
        let wanted = [None, None, None, None, Some(2), Some(1), Some(0)];
        assert_eq!(skips(Experiment::Ks), wanted);
        // What is joined lies on the same grid, so that nothing has to be resized.
        for (experiment, sizes) in [(Experiment::Darcy, [64, 64]), (Experiment::Ks, [20, 256])] {
            let spec = uno(experiment, Profile::Fixed);
            let grids = spec.grids(&sizes);
            for (i, block) in spec.blocks().iter().enumerate() {
                if let Some(skip) = block.horizontal {
                    assert_eq!(grids[i - 1], grids[skip.from], "{experiment} block {i}");
                }
            }
        }
    }

    #[test]
    fn grids_are_the_published_ones() {
        let sizes = |spec: &ModelSpec, axis: usize, grid: &[usize]| -> Vec<usize> {
            spec.grids(grid).iter().map(|g| g[axis]).collect()
        };
        for profile in [Profile::Paper, Profile::Fixed] {
            let ks = uno(Experiment::Ks, profile);
            assert_eq!(sizes(&ks, 1, &[20, 256]), [192, 128, 64, 64, 128, 192, 256]);
            assert_eq!(sizes(&ks, 0, &[20, 256]), [20; 7]);
            let darcy = uno(Experiment::Darcy, profile);
            assert_eq!(sizes(&darcy, 0, &[64, 64]), [32, 16, 16, 32, 64]);
            assert_eq!(sizes(&darcy, 1, &[128, 128]), [64, 32, 32, 64, 128]);
        }
        // Whatever the rounding on the way, the last grid is that of the input.
        let odd = uno(Experiment::Darcy, Profile::Paper).grids(&[37, 51]);
        assert_eq!(odd.last(), Some(&vec![37, 51]));
    }
}
