//! Fields on another grid: one small matrix per axis.

use burn::tensor::{Device, Tensor, TensorData};

use crate::spec::Profile;
use crate::spectral::{resize, tables::Matrix};

/// Resizes fields `[rows, points, channels]` from one grid to another.
#[derive(Debug, Clone)]
pub struct Resize {
    from: Vec<usize>,
    /// `[1, to, from]` for each axis whose size changes.
    matrices: Vec<Option<Tensor<3>>>,
}

impl Resize {
    /// `None` if the grids are equal. `fixed` keeps all frequencies that both grids carry; `paper` is bicubic with aligned corners.
    pub fn new(from: &[usize], to: &[usize], profile: Profile, device: &Device) -> Option<Self> {
        let matrix = |(&n_in, &n_out): (&usize, &usize)| {
            let Matrix {
                rows,
                columns,
                values,
            } = match profile {
                _ if n_in == n_out => return None,
                Profile::Fixed => resize::fourier(n_in, n_out),
                Profile::Paper => resize::bicubic(n_in, n_out),
            };
            let data = TensorData::new(values, [1, rows, columns]);
            Some(Tensor::from_data(data, device))
        };
        (from != to).then(|| Self {
            from: from.to_vec(),
            matrices: from.iter().zip(to).map(matrix).collect(),
        })
    }

    /// # Shapes
    /// - field: `[rows, points of the first grid, channels]`
    /// - output: `[rows, points of the second grid, channels]`
    pub fn forward(&self, field: Tensor<3>) -> Tensor<3> {
        let [rows, _, channels] = field.dims();
        let (mut field, mut inner) = (field, channels);
        // Last axis first: what is inside has its new size already, what is outside its old one.
        for (axis, matrix) in self.matrices.iter().enumerate().rev() {
            let size = self.from[axis];
            let outer = rows * self.from[..axis].iter().product::<usize>();
            let Some(matrix) = matrix else {
                inner *= size;
                continue;
            };
            field = matrix.clone().matmul(field.reshape([outer, size, inner]));
            inner *= matrix.dims()[1];
        }
        field.reshape([rows, inner / channels, channels])
    }
}
