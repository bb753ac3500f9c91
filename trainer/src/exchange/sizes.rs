//! Widths, depths and modes, read off the shapes of the tensors.
//!
//! Every size stands in several tensors and most of them decide, so that one wrong tensor is told as wrong and does
//! not make all the others so. What shapes do not tell (orders of a spherical network, scales of a UNO, dropout rates)
//! stays as the published network has it. Nothing is believed here: the tensors are compared with the result afterwards.

use pno::spec::{MAX_LAYERS, MAX_LEVELS, ModelSpec, Operator};

use super::found::Tensors;
use super::names;

/// The operator whose names and ranks the tensors have.
pub fn operator(found: &Tensors<'_>) -> Option<Operator> {
    if found
        .keys()
        .any(|name| name.ends_with("fno_blocks.0.convs.bias"))
    {
        return Some(Operator::Uno);
    }
    let rank = |end: &str| {
        let of = found.iter().find(|(name, _)| name.ends_with(end));
        of.map(|(_, found)| found.shape().len())
    };
    // A bias has layer, channel, axes; a weight in, out, axes of modes, pair.
    let axes = rank("fno_blocks.convs.bias")?.checked_sub(2)?;
    match rank("fno_blocks.convs.weight.0.tensor")?.checked_sub(3)? {
        modes if modes == axes => Some(Operator::Fno),
        1 if axes == 2 => Some(Operator::Sfno),
        _ => None,
    }
}

/// A specification with the sizes of the tensors, which have their plain names.
pub fn read_off(spec: &ModelSpec, found: &Tensors<'_>) -> ModelSpec {
    let shapes = Shapes(found);
    let mut spec = spec.clone();
    shapes.mlp(
        "lifting",
        [&mut spec.in_channels, &mut spec.lifting, &mut spec.width],
    );
    let (head, _) = names::heads(&spec);
    let mut trunk = 0;
    shapes.mlp(
        head,
        [&mut trunk, &mut spec.projection, &mut spec.out_channels],
    );
    if spec.operator == Operator::Uno {
        shapes.levels(&mut spec);
    } else {
        shapes.layers(&mut spec);
    }
    spec
}

struct Shapes<'a, 'b>(&'a Tensors<'b>);

impl Shapes<'_, '_> {
    fn shape(&self, name: &str) -> Option<&[usize]> {
        self.0.get(name).map(super::found::Found::shape)
    }

    fn size(&self, name: &str, axis: usize) -> Option<usize> {
        self.shape(name)?.get(axis).copied()
    }

    /// Sizes of a lifting or projection, where they are told.
    fn mlp(&self, name: &str, [input, hidden, output]: [&mut usize; 3]) {
        let [first, second] = [0, 1].map(|i| format!("{name}.fcs.{i}"));
        let size = |layer: &str, what: &str, axis| self.size(&format!("{layer}.{what}"), axis);
        set(input, [size(&first, "weight", 1)]);
        let hidden_sizes = [
            size(&first, "weight", 0),
            size(&first, "bias", 0),
            size(&second, "weight", 1),
        ];
        set(hidden, hidden_sizes);
        let output_sizes = [size(&second, "bias", 0), size(&second, "weight", 0)];
        set(output, output_sizes);
    }

    fn layers(&self, spec: &mut ModelSpec) {
        let weight = |i: usize| format!("fno_blocks.convs.weight.{i}.tensor");
        let skip = |i: usize| format!("fno_blocks.fno_skips.{i}.weight");
        let is_there = |i: &usize| self.shape(&weight(*i)).is_some();
        let first_gap = (0..MAX_LAYERS).take_while(is_there).count();
        let sizes = [
            self.size("fno_blocks.convs.bias", 0),
            Some(first_gap).filter(|&n| n > 0),
        ];
        set(&mut spec.layers, sizes);
        let layers = 0..spec.layers.min(MAX_LAYERS);
        let widths = layers.clone().flat_map(|i| {
            let of_weight = [0, 1].map(|axis| self.size(&weight(i), axis));
            let of_skip = [0, 1].map(|axis| self.size(&skip(i), axis));
            [of_weight, of_skip].concat()
        });
        let lifted = self.size("lifting.fcs.1.bias", 0);
        set(&mut spec.width, widths.chain([lifted]));
        let kept = layers.map(|i| kept(self.shape(&weight(i))));
        if let Some(kept) = most(kept) {
            modes(&mut spec.modes, kept, spec.operator);
        }
    }

    /// Only where there are as many blocks as in the published network, because scales are not in any shape:
    /// otherwise the missing or extra blocks are named.
    fn levels(&self, spec: &mut ModelSpec) {
        let name = |i: usize, what: &str| format!("fno_blocks.{i}.{what}");
        let is_there = |i: &usize| self.shape(&name(*i, "convs.bias")).is_some();
        if (0..MAX_LEVELS).filter(is_there).count() != spec.levels.len() {
            return;
        }
        for (i, level) in spec.levels.iter_mut().enumerate() {
            let weight = name(i, "convs.weight.0.tensor");
            let widths = [
                self.size(&weight, 1),
                self.size(&name(i, "convs.bias"), 1),
                self.size(&name(i, "fno_skips.0.weight"), 0),
            ];
            set(&mut level.width, widths);
            if let Some(kept) = kept(self.shape(&weight)) {
                modes(&mut level.modes, kept, Operator::Uno);
            }
        }
    }
}

/// The axes of modes of a spectral weight.
fn kept(shape: Option<&[usize]>) -> Option<&[usize]> {
    match shape? {
        [_, _, kept @ .., 2] if !kept.is_empty() => Some(kept),
        _ => None,
    }
}

/// Modes in the paper's counting from the sizes of a weight's axes.
fn modes(modes: &mut Vec<usize>, kept: &[usize], operator: Operator) {
    if operator == Operator::Sfno {
        if let (Some(degrees), &[found]) = (modes.first_mut(), kept) {
            *degrees = found;
        }
        return;
    }
    let Some((&last, others)) = kept.split_last() else {
        return;
    };
    // 2k and 2k + 1 keep the same k + 1 frequencies: the published one stays if it fits, or it is the even one.
    let stays = modes.last().filter(|&&n| n / 2 + 1 == last).copied();
    let last = stays.unwrap_or_else(|| last.saturating_sub(1).saturating_mul(2).max(1));
    *modes = others.iter().copied().chain([last]).collect();
}

fn set(size: &mut usize, told: impl IntoIterator<Item = Option<usize>>) {
    if let Some(told) = most(told) {
        *size = told;
    }
}

/// The value that is told most often; of equals the first.
fn most<T: Copy + Eq>(told: impl IntoIterator<Item = Option<T>>) -> Option<T> {
    let told: Vec<T> = told.into_iter().flatten().collect();
    let votes = |value: &&T| told.iter().filter(|v| v == value).count();
    told.iter().rev().max_by_key(votes).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_decide_and_of_equals_the_first() {
        assert_eq!(most([Some(3), None, Some(4), Some(4)]), Some(4));
        assert_eq!(most([Some(3), Some(4)]), Some(3));
        assert_eq!(most::<usize>([None]), None);
    }

    #[test]
    fn modes_are_counted_as_in_the_paper() {
        let of = |mut published: Vec<usize>, kept: &[usize], operator| {
            modes(&mut published, kept, operator);
            published
        };
        assert_eq!(of(vec![10, 12], &[10, 7], Operator::Fno), [10, 12]);
        assert_eq!(of(vec![10, 13], &[10, 7], Operator::Fno), [10, 13]);
        assert_eq!(of(vec![10, 12], &[4, 21], Operator::Fno), [4, 40]);
        assert_eq!(of(vec![10, 12], &[4, 1], Operator::Fno), [4, 1]);
        assert_eq!(of(vec![32, 32], &[6], Operator::Sfno), [6, 32]);
    }
}
