//! Our tensors and those of the paper's authors.
//!
//! The authors' models are neuraloperator 0.3.0 with their own lifting and projection; `torch.save(model.state_dict())`
//! gives these names. `h` is a hidden width, `K..` are the kept modes along each axis (`n, .., n/2 + 1`, in ascending
//! signed frequency), `L` the degrees on the sphere, `1..` one 1 for each axis of the grid.
//!
//! | ours | shape | theirs | shape |
//! |---|---|---|---|
//! | `lifting.hidden.weight` | `[in, h]` | `lifting.fcs.0.weight` | `[h, in]` |
//! | `lifting.hidden.bias` | `[h]` | `lifting.fcs.0.bias` | `[h]` |
//! | `lifting.output.weight` | `[h, out]` | `lifting.fcs.1.weight` | `[out, h]` |
//! | `lifting.output.bias` | `[out]` | `lifting.fcs.1.bias` | `[out]` |
//! | `projection.*` | | `projection.*`; with two heads `mu.*` | as the lifting |
//! | `spread.*` | | `sigma.*` | as the lifting |
//!
//! Blocks of an FNO or SFNO, which share one module:
//!
//! | ours | shape | theirs | shape |
//! |---|---|---|---|
//! | `blocks.{i}.spectral.real`, `.imag` | `[modes, in, out]` | `fno_blocks.convs.weight.{i}.tensor` | `[in, out, K.., 2]`, sphere `[in, out, L, 2]` |
//! | `blocks.{i}.spectral.bias`, all `i` | `[out]` | `fno_blocks.convs.bias` | `[layers, out, 1..]` |
//! | `blocks.{i}.skip.weight` | `[in, out]` | `fno_blocks.fno_skips.{i}.weight` | `[out, in, 1..]` |
//!
//! Blocks of a UNO, each a module of one layer; the horizontal skip is named after the block it starts from:
//!
//! | ours | shape | theirs | shape |
//! |---|---|---|---|
//! | `blocks.{i}.spectral.real`, `.imag` | `[modes, in, out]` | `fno_blocks.{i}.convs.weight.0.tensor` | `[in, out, K.., 2]` |
//! | `blocks.{i}.spectral.bias` | `[out]` | `fno_blocks.{i}.convs.bias` | `[1, out, 1..]` |
//! | `blocks.{i}.skip.weight` | `[in, out]` | `fno_blocks.{i}.fno_skips.0.weight` | `[out, in, 1..]` |
//! | `blocks.{i}.horizontal.weight`, from block `j` | `[c, c]` | `horizontal_skips.{j}.weight` | `[c, c, 1..]` |
//!
//! Complex weights are pairs of floats along a last axis (so tensorly-torch saves them); complex64 without that axis is
//! read as well. Trailing ones may be more or fewer than written here: neuraloperator's own lifting is a 1x1 convolution.

use pno::spec::{BlockSpec, ModelSpec, Operator};

/// One tensor of theirs, and which of ours it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Their name.
    pub name: String,
    /// Their shape, as written.
    pub shape: Vec<usize>,
    /// How the values are ordered.
    pub layout: Layout,
    /// Our tensors: positions in [`ModelSpec::tensors`].
    pub ours: Vec<usize>,
}

/// Order of the values of one tensor of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// As ours. Several of ours follow each other.
    Same,
    /// `[out, in]`, where ours is `[in, out]`.
    Transposed,
    /// `[in, out, modes, 2]`, where ours are `[modes, in, out]` twice.
    Complex,
}

impl Entry {
    /// Whether a shape is the one wanted, whatever the number of trailing ones after the second axis.
    pub fn accepts(&self, shape: &[usize]) -> bool {
        shape == self.shape || self.layout != Layout::Complex && core(shape) == core(&self.shape)
    }

    /// Our tensors from their values.
    pub fn unpack(&self, theirs: &[f32]) -> Vec<Vec<f32>> {
        match self.layout {
            Layout::Same => {
                let length = theirs.len() / self.ours.len();
                theirs.chunks_exact(length).map(<[f32]>::to_vec).collect()
            }
            Layout::Transposed => vec![transposed(theirs, self.shape[0], self.shape[1])],
            Layout::Complex => {
                let (channels, modes) = self.complex();
                let part = |p: usize| {
                    let at = |k: usize, io: usize| theirs[(io * modes + k) * 2 + p];
                    (0..modes)
                        .flat_map(|k| (0..channels).map(move |io| at(k, io)))
                        .collect()
                };
                vec![part(0), part(1)]
            }
        }
    }

    /// Their values from our tensors.
    pub fn pack(&self, ours: &[Vec<f32>]) -> Vec<f32> {
        let of = |i: usize| ours[self.ours[i]].as_slice();
        match self.layout {
            Layout::Same => (0..self.ours.len()).flat_map(of).copied().collect(),
            Layout::Transposed => transposed(of(0), self.shape[1], self.shape[0]),
            Layout::Complex => {
                let (channels, modes) = self.complex();
                let pair =
                    |io: usize, k: usize| [of(0)[k * channels + io], of(1)[k * channels + io]];
                (0..channels)
                    .flat_map(|io| (0..modes).flat_map(move |k| pair(io, k)))
                    .collect()
            }
        }
    }

    /// Pairs of channels, and modes, of a spectral weight.
    fn complex(&self) -> (usize, usize) {
        let (channels, rest) = self.shape.split_at(2);
        let modes = &rest[..rest.len() - 1];
        (channels.iter().product(), modes.iter().product())
    }
}

/// A shape without the ones at its end, but with two axes at least where it has them.
fn core(shape: &[usize]) -> &[usize] {
    let ones = shape.iter().rev().take_while(|&&n| n == 1).count();
    let kept = (shape.len() - ones).max(shape.len().min(2));
    &shape[..kept]
}

/// `[rows, columns]` as `[columns, rows]`.
fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    (0..columns)
        .flat_map(|c| (0..rows).map(move |r| values[r * columns + c]))
        .collect()
}

/// Every tensor of theirs for a model.
pub fn entries(spec: &ModelSpec) -> Vec<Entry> {
    let mut list = List {
        names: spec.tensors().into_iter().map(|t| t.name).collect(),
        ones: vec![1; spec.dimensions()],
        entries: vec![],
    };
    let blocks = spec.blocks();
    let (mean, spread) = heads(spec);
    let trunk = blocks.last().map_or(spec.width, |b| b.outputs);
    list.mlp(
        "lifting",
        "lifting",
        [spec.in_channels, spec.lifting, spec.width],
    );
    if spec.operator == Operator::Uno {
        for (i, block) in blocks.iter().enumerate() {
            list.uno_block(i, block, kept(spec, block));
        }
    } else {
        list.blocks(spec, &blocks);
    }
    let head = [trunk, spec.projection, spec.out_channels];
    list.mlp("projection", mean, head);
    if let Some(spread) = spread {
        list.mlp("spread", spread, head);
    }
    list.entries
}

/// Their names of the heads: the only one, or mean and spread.
pub fn heads(spec: &ModelSpec) -> (&'static str, Option<&'static str>) {
    if spec.method.has_spread_head() {
        ("mu", Some("sigma"))
    } else {
        ("projection", None)
    }
}

/// Sizes of the axes of modes of a spectral weight.
fn kept(spec: &ModelSpec, block: &BlockSpec) -> Vec<usize> {
    let mut modes = block.modes.clone();
    if spec.operator == Operator::Sfno {
        modes.truncate(1);
    } else if let Some(last) = modes.last_mut() {
        *last = *last / 2 + 1;
    }
    modes
}

struct List {
    /// Our names, in order.
    names: Vec<String>,
    ones: Vec<usize>,
    entries: Vec<Entry>,
}

impl List {
    fn add(&mut self, name: String, shape: Vec<usize>, layout: Layout, ours: &[String]) {
        let position = |name: &String| self.names.iter().position(|n| n == name);
        self.entries.push(Entry {
            name,
            shape,
            layout,
            ours: ours.iter().filter_map(position).collect(),
        });
    }

    fn mlp(&mut self, ours: &str, theirs: &str, [input, hidden, output]: [usize; 3]) {
        for (i, part, from, to) in [(0, "hidden", input, hidden), (1, "output", hidden, output)] {
            let name = |what: &str| [format!("{ours}.{part}.{what}")];
            let weight = format!("{theirs}.fcs.{i}.weight");
            self.add(weight, vec![to, from], Layout::Transposed, &name("weight"));
            let bias = format!("{theirs}.fcs.{i}.bias");
            self.add(bias, vec![to], Layout::Same, &name("bias"));
        }
    }

    /// The blocks of an FNO or SFNO.
    fn blocks(&mut self, spec: &ModelSpec, blocks: &[BlockSpec]) {
        for (i, block) in blocks.iter().enumerate() {
            let weight = format!("fno_blocks.convs.weight.{i}.tensor");
            self.weight(weight, i, block, kept(spec, block));
        }
        let biases: Vec<String> = (0..blocks.len())
            .map(|i| format!("blocks.{i}.spectral.bias"))
            .collect();
        let shape = [&[blocks.len(), spec.width], self.ones.as_slice()].concat();
        self.add("fno_blocks.convs.bias".into(), shape, Layout::Same, &biases);
        for (i, block) in blocks.iter().enumerate() {
            let skip = format!("fno_blocks.fno_skips.{i}.weight");
            self.skip(
                skip,
                format!("blocks.{i}.skip.weight"),
                block.inputs,
                block.outputs,
            );
        }
    }

    fn uno_block(&mut self, i: usize, block: &BlockSpec, kept: Vec<usize>) {
        let theirs = |what: &str| format!("fno_blocks.{i}.{what}");
        self.weight(theirs("convs.weight.0.tensor"), i, block, kept);
        let shape = [&[1, block.outputs], self.ones.as_slice()].concat();
        let bias = [format!("blocks.{i}.spectral.bias")];
        self.add(theirs("convs.bias"), shape, Layout::Same, &bias);
        let skip = format!("blocks.{i}.skip.weight");
        self.skip(
            theirs("fno_skips.0.weight"),
            skip,
            block.inputs,
            block.outputs,
        );
        if let Some(horizontal) = block.horizontal {
            let name = format!("horizontal_skips.{}.weight", horizontal.from);
            let ours = format!("blocks.{i}.horizontal.weight");
            self.skip(name, ours, horizontal.channels, horizontal.channels);
        }
    }

    fn weight(&mut self, name: String, i: usize, block: &BlockSpec, kept: Vec<usize>) {
        let shape = [vec![block.inputs, block.outputs], kept, vec![2]].concat();
        let ours = ["real", "imag"].map(|part| format!("blocks.{i}.spectral.{part}"));
        self.add(name, shape, Layout::Complex, &ours);
    }

    fn skip(&mut self, name: String, ours: String, from: usize, to: usize) {
        let shape = [&[to, from], self.ones.as_slice()].concat();
        self.add(name, shape, Layout::Transposed, &[ours]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::{Experiment, Method, Profile, TensorSpec};

    const PUBLISHED: [(Experiment, Operator); 6] = [
        (Experiment::Ks, Operator::Fno),
        (Experiment::Ks, Operator::Uno),
        (Experiment::Darcy, Operator::Fno),
        (Experiment::Darcy, Operator::Uno),
        (Experiment::Era5, Operator::Fno),
        (Experiment::Sswe, Operator::Sfno),
    ];

    #[test]
    fn every_tensor_of_ours_is_in_one_of_theirs() {
        for (experiment, operator) in PUBLISHED {
            for (method, profile) in [
                (Method::PnoR, Profile::Paper),
                (Method::PnoD, Profile::Fixed),
            ] {
                let spec = ModelSpec::paper(experiment, operator, method, profile);
                let spec = spec.expect("published");
                let tensors = spec.tensors();
                let mut used: Vec<usize> = vec![];
                for entry in entries(&spec) {
                    let ours: usize = entry.ours.iter().map(|&i| tensors[i].len()).sum();
                    assert_eq!(entry.shape.iter().product::<usize>(), ours, "{entry:?}");
                    used.extend(entry.ours);
                }
                used.sort_unstable();
                assert_eq!(used, (0..tensors.len()).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn values_go_there_and_come_back() {
        let spec = ModelSpec::paper(Experiment::Ks, Operator::Uno, Method::PnoR, Profile::Paper);
        let spec = spec.expect("published");
        let values = |t: &TensorSpec| (0..t.len()).map(|i| (i + t.name.len()) as f32).collect();
        let ours: Vec<Vec<f32>> = spec.tensors().iter().map(values).collect();
        for entry in entries(&spec) {
            let back = entry.unpack(&entry.pack(&ours));
            let wanted: Vec<_> = entry.ours.iter().map(|&i| ours[i].clone()).collect();
            assert_eq!(back, wanted, "{}", entry.name);
        }
    }

    #[test]
    fn axes_are_where_they_belong() {
        let complex = Entry {
            name: String::new(),
            shape: vec![2, 1, 3, 2],
            layout: Layout::Complex,
            ours: vec![0, 1],
        };
        // in 0: modes (1, -1), (2, -2), (3, -3); in 1: ten times that.
        let theirs = [1., -1., 2., -2., 3., -3., 10., -10., 20., -20., 30., -30.];
        let [real, imag] = complex.unpack(&theirs).try_into().expect("two");
        assert_eq!(real, [1., 10., 2., 20., 3., 30.]);
        assert_eq!(imag, [-1., -10., -2., -20., -3., -30.]);
        let matrix = Entry {
            shape: vec![2, 3],
            layout: Layout::Transposed,
            ours: vec![0],
            ..complex
        };
        assert_eq!(
            matrix.unpack(&[1., 2., 3., 4., 5., 6.]),
            [[1., 4., 2., 5., 3., 6.]]
        );
    }

    #[test]
    fn trailing_ones_are_free_but_nothing_else() {
        let spec = ModelSpec::paper_fno(Experiment::Ks, Method::PnoD).expect("an FNO");
        let entries = entries(&spec);
        let entry = |name: &str| entries.iter().find(|e| e.name == name).expect("an entry");
        let lifting = entry("lifting.fcs.0.weight");
        assert!(lifting.accepts(&[128, 3]) && lifting.accepts(&[128, 3, 1, 1]));
        assert!(!lifting.accepts(&[3, 128]) && !lifting.accepts(&[128]) && !lifting.accepts(&[]));
        let bias = entry("projection.fcs.1.bias");
        assert!(bias.accepts(&[1]) && !bias.accepts(&[2]));
        let weight = entry("fno_blocks.convs.weight.3.tensor");
        assert!(weight.accepts(&[20, 20, 10, 7, 2]) && !weight.accepts(&[20, 20, 10, 7, 2, 1]));
        assert_eq!(entry("fno_blocks.convs.bias").shape, [4, 20, 1, 1]);
    }
}
