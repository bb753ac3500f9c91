//! Products of small matrices that stay in the cache: what the fused operations are made of.
//!
//! Three forms are enough. Where both factors are row-major, the right one is packed once into [`Panels`], two vectors wide, and
//! a register tile of [`ROWS`] rows walks down each panel. Where the left one lies transposed (sums over points, for the
//! gradients of weights), nothing is packed. Where there are only a few columns, they are dot products.

use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};

/// Rows of a register tile: with two vectors each they fill the registers of AVX2, NEON and WebAssembly.
const ROWS: usize = 6;

/// Floats of one vector on this machine.
pub fn lanes() -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            S::F32_LANES
        }
    }
    Arch::new().dispatch(Lanes)
}

/// `n` rounded up to whole vectors.
pub fn padded(n: usize) -> usize {
    n.next_multiple_of(lanes())
}

/// A row-major matrix `[rows, columns]` cut into panels of two vectors (the last one may have one), zeros behind its end.
pub struct Panels {
    rows: usize,
    values: Vec<f32>,
}

impl Panels {
    /// Packs the matrix whose entries `at(row, column)` gives.
    pub fn new(rows: usize, columns: usize, at: impl Fn(usize, usize) -> f32) -> Self {
        let lanes = lanes();
        let mut values = Vec::with_capacity(rows * columns.next_multiple_of(lanes));
        for (first, width) in cuts(columns, lanes) {
            for row in 0..rows {
                let entry = |column| {
                    if column < columns {
                        at(row, column)
                    } else {
                        0.0
                    }
                };
                values.extend((first..first + width).map(entry));
            }
        }
        Self { rows, values }
    }
}

/// First column and width of each panel.
#[inline(always)]
fn cuts(columns: usize, lanes: usize) -> impl Iterator<Item = (usize, usize)> {
    let padded = columns.next_multiple_of(lanes);
    (0..padded)
        .step_by(2 * lanes)
        .map(move |first| (first, (padded - first).min(2 * lanes)))
}

/// `out = left right` for `left` of `[rows, right.rows]` with `left_stride` between its rows. The rows of `out`,
/// `out_stride` (whole vectors) apart, are written to the end of their last vector.
#[inline(always)]
pub fn multiply<S: Simd>(
    simd: S,
    out: (&mut [f32], usize),
    left: (&[f32], usize),
    rows: usize,
    right: &Panels,
) {
    simd.vectorize(Multiply {
        simd,
        out,
        left,
        rows,
        right,
    });
}

/// The product as a type: it is compiled once for each instruction set, not into every place that takes it.
struct Multiply<'a, S> {
    simd: S,
    out: (&'a mut [f32], usize),
    left: (&'a [f32], usize),
    rows: usize,
    right: &'a Panels,
}

impl<S: Simd> NullaryFnOnce for Multiply<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        walk_panels(self.simd, self.out, self.left, self.rows, self.right);
    }
}

#[inline(always)]
fn walk_panels<S: Simd>(
    simd: S,
    (out, out_stride): (&mut [f32], usize),
    (left, left_stride): (&[f32], usize),
    rows: usize,
    right: &Panels,
) {
    let inner = right.rows;
    if inner == 0 || rows == 0 {
        return;
    }
    let (panels, _) = S::as_simd_f32s(&right.values);
    let (values, _) = S::as_mut_simd_f32s(out);
    let stride = out_stride / S::F32_LANES;
    let mut rest = panels;
    let mut column = 0;
    while !rest.is_empty() {
        let vectors = if rest.len() >= 2 * inner { 2 } else { 1 };
        let (panel, after) = rest.split_at(vectors * inner);
        let mut row = 0;
        while row < rows {
            let left = &left[row * left_stride..];
            let out = &mut values[row * stride + column..];
            let count = (rows - row).min(ROWS);
            let sizes = [stride, left_stride, inner];
            if vectors == 2 {
                multiply_rows::<S, 2>(simd, out, left, panel, sizes, count);
            } else {
                multiply_rows::<S, 1>(simd, out, left, panel, sizes, count);
            }
            row += count;
        }
        rest = after;
        column += vectors;
    }
}

#[inline(always)]
fn multiply_rows<S: Simd, const V: usize>(
    simd: S,
    out: &mut [S::f32s],
    left: &[f32],
    panel: &[S::f32s],
    sizes: [usize; 3],
    count: usize,
) {
    match count {
        1 => tile::<S, 1, V>(simd, out, left, panel, sizes),
        2 => tile::<S, 2, V>(simd, out, left, panel, sizes),
        3 => tile::<S, 3, V>(simd, out, left, panel, sizes),
        4 => tile::<S, 4, V>(simd, out, left, panel, sizes),
        5 => tile::<S, 5, V>(simd, out, left, panel, sizes),
        _ => tile::<S, ROWS, V>(simd, out, left, panel, sizes),
    }
}

/// One register tile: `R` rows of `left` times one panel.
#[inline(always)]
fn tile<S: Simd, const R: usize, const V: usize>(
    simd: S,
    out: &mut [S::f32s],
    left: &[f32],
    panel: &[S::f32s],
    [stride, left_stride, inner]: [usize; 3],
) {
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    let mut rows = [&left[..inner]; R];
    for r in 0..R {
        rows[r] = &left[r * left_stride..][..inner];
    }
    let (panel, _) = pulp::as_arrays::<V, _>(panel);
    let panel = &panel[..inner];
    for p in 0..inner {
        for r in 0..R {
            let factor = simd.splat_f32s(rows[r][p]);
            for v in 0..V {
                sums[r][v] = simd.mul_add_e_f32s(factor, panel[p][v], sums[r][v]);
            }
        }
    }
    for r in 0..R {
        out[r * stride..][..V].copy_from_slice(&sums[r]);
    }
}

/// `out += leftᵀ right` for `left` of `[points, rows]`, given with its number of rows, and `right` of `[points, columns]`,
/// given with the distance between its rows. `out` has `columns` (whole vectors) in each of its rows.
#[inline(always)]
pub fn add_transposed<S: Simd>(
    simd: S,
    out: &mut [f32],
    left: (&[f32], usize),
    right: (&[f32], usize),
    columns: usize,
) {
    simd.vectorize(AddTransposed {
        simd,
        out,
        left,
        right,
        columns,
    });
}

struct AddTransposed<'a, S> {
    simd: S,
    out: &'a mut [f32],
    left: (&'a [f32], usize),
    right: (&'a [f32], usize),
    columns: usize,
}

impl<S: Simd> NullaryFnOnce for AddTransposed<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        walk_columns(self.simd, self.out, self.left, self.right, self.columns);
    }
}

#[inline(always)]
fn walk_columns<S: Simd>(
    simd: S,
    out: &mut [f32],
    (left, rows): (&[f32], usize),
    (right, right_stride): (&[f32], usize),
    columns: usize,
) {
    let points = left.len() / rows.max(1);
    let (right, _) = S::as_simd_f32s(right);
    let (out, _) = S::as_mut_simd_f32s(out);
    let (stride, columns) = (right_stride / S::F32_LANES, columns / S::F32_LANES);
    let mut column = 0;
    while column < columns {
        let vectors = (columns - column).min(2);
        let mut row = 0;
        while row < rows {
            let count = (rows - row).min(ROWS);
            let out = &mut out[row * columns + column..];
            let (left, right) = (&left[row..], &right[column..]);
            let sizes = [rows, stride, columns, points];
            if vectors == 2 {
                transposed_rows::<S, 2>(simd, out, left, right, sizes, count);
            } else {
                transposed_rows::<S, 1>(simd, out, left, right, sizes, count);
            }
            row += count;
        }
        column += vectors;
    }
}

#[inline(always)]
fn transposed_rows<S: Simd, const V: usize>(
    simd: S,
    out: &mut [S::f32s],
    left: &[f32],
    right: &[S::f32s],
    sizes: [usize; 4],
    count: usize,
) {
    match count {
        1 => transposed_tile::<S, 1, V>(simd, out, left, right, sizes),
        2 => transposed_tile::<S, 2, V>(simd, out, left, right, sizes),
        3 => transposed_tile::<S, 3, V>(simd, out, left, right, sizes),
        4 => transposed_tile::<S, 4, V>(simd, out, left, right, sizes),
        5 => transposed_tile::<S, 5, V>(simd, out, left, right, sizes),
        _ => transposed_tile::<S, ROWS, V>(simd, out, left, right, sizes),
    }
}

/// One register tile of the sum over points.
#[inline(always)]
fn transposed_tile<S: Simd, const R: usize, const V: usize>(
    simd: S,
    out: &mut [S::f32s],
    left: &[f32],
    right: &[S::f32s],
    [left_stride, right_stride, out_stride, points]: [usize; 4],
) {
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    for p in 0..points {
        let factors = &left[p * left_stride..][..R];
        let vectors = &right[p * right_stride..][..V];
        for r in 0..R {
            let factor = simd.splat_f32s(factors[r]);
            for v in 0..V {
                sums[r][v] = simd.mul_add_e_f32s(factor, vectors[v], sums[r][v]);
            }
        }
    }
    for r in 0..R {
        let out = &mut out[r * out_stride..][..V];
        for v in 0..V {
            out[v] = simd.add_f32s(out[v], sums[r][v]);
        }
    }
}

/// The sum of products of two rows of whole vectors.
#[inline(always)]
pub fn dot<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let (a, _) = S::as_simd_f32s(a);
    let (b, _) = S::as_simd_f32s(b);
    let mut sums = [simd.splat_f32s(0.0); 4];
    let (fours_a, rest_a) = pulp::as_arrays::<4, _>(a);
    let (fours_b, rest_b) = pulp::as_arrays::<4, _>(b);
    for (a, b) in fours_a.iter().zip(fours_b) {
        for v in 0..4 {
            sums[v] = simd.mul_add_e_f32s(a[v], b[v], sums[v]);
        }
    }
    for (a, b) in rest_a.iter().zip(rest_b) {
        sums[0] = simd.mul_add_e_f32s(*a, *b, sums[0]);
    }
    let halves = simd.add_f32s(
        simd.add_f32s(sums[0], sums[1]),
        simd.add_f32s(sums[2], sums[3]),
    );
    simd.reduce_sum_f32s(halves)
}
