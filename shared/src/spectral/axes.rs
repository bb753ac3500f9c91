//! The truncated transform of one grid as plain matrices, for operations that walk through it on the CPU by themselves.

use super::tables::Matrix;

/// One product of a transform, `out[rows, …] = leftᵀ right[points, …]`, both row-major.
#[derive(Debug, Clone)]
pub struct Step {
    /// `[points, rows]`.
    pub left: Vec<f32>,
    /// What is summed over.
    pub points: usize,
    /// What comes out.
    pub rows: usize,
}

impl Step {
    fn new(points: usize, rows: usize, at: impl Fn(usize, usize) -> f32) -> Self {
        let entry = |i: usize| at(i / rows, i % rows);
        Self {
            left: (0..points * rows).map(entry).collect(),
            points,
            rows,
        }
    }

    fn transposed(&self) -> Self {
        Self::new(self.rows, self.points, |point, row| {
            self.left[row * self.rows + point]
        })
    }
}

/// There and back along one axis, and both transposed, as gradients take them.
///
/// Along an axis that is not the last, what is on the grid lies as `[size, 2, …]` (real and imaginary part of every place)
/// and what is in the spectrum as `[2, kept, …]`: so the output of one axis is the input of the next.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Points on the grid.
    pub size: usize,
    /// Kept frequencies.
    pub kept: usize,
    /// Grid to spectrum.
    pub analysis: Step,
    /// Its transpose.
    pub analysis_back: Step,
    /// Spectrum to grid.
    pub synthesis: Step,
    /// Its transpose.
    pub synthesis_back: Step,
}

impl Axis {
    /// From the matrices of [`super::tables`]; `parts` is 1 for the last axis, whose field is real, and 2 for others.
    pub(super) fn new(parts: usize, there: &Matrix, back: &Matrix) -> Self {
        let (size, kept) = (there.columns / parts, there.rows / 2);
        // Tables have the parts outside, the grid has them inside.
        let outside = |place: usize| place % parts * size + place / parts;
        let analysis = Step::new(there.columns, there.rows, |place, row| {
            there.values[row * there.columns + outside(place)]
        });
        let synthesis = Step::new(back.columns, back.rows, |column, place| {
            back.values[outside(place) * back.columns + column]
        });
        Self {
            size,
            kept,
            analysis_back: analysis.transposed(),
            analysis,
            synthesis_back: synthesis.transposed(),
            synthesis,
        }
    }
}

/// All axes of a grid, in its order.
#[derive(Debug, Clone)]
pub struct Axes {
    /// All but the last.
    pub outer: Vec<Axis>,
    /// The last.
    pub last: Axis,
}

impl Axes {
    /// Places of all axes but the last.
    pub fn lines(&self) -> usize {
        self.outer.iter().map(|axis| axis.size).product()
    }

    /// Kept modes of all axes.
    pub fn modes(&self) -> usize {
        let kept = self.outer.iter().map(|axis| axis.kept);
        self.last.kept * kept.product::<usize>()
    }
}
