//! A picture as a small table: some of its rows and columns, for those who do not see it.

use super::{Kind, number};
use crate::field::{Scene, Span, Unit};

/// Most rows and columns of a table that is read out.
const MOST: usize = 8;

/// Some values of a field, with the words of their places.
#[derive(Debug, Clone, PartialEq)]
pub struct Coarse {
    /// Where the columns are.
    pub columns: Vec<String>,
    /// Where the rows are, from above, and their values.
    pub rows: Vec<(String, Vec<String>)>,
}

/// Evenly spread indices, both ends among them.
fn spread(count: usize) -> Vec<usize> {
    let shown = count.min(MOST);
    (0..shown)
        .map(|k| k * (count - 1) / (shown - 1).max(1))
        .collect()
}

/// The table of a field `[point]`; `upwards` is its upright axis.
pub fn coarse(kind: Kind, unit: &Unit, scene: &Scene, upwards: &Span, field: &[f32]) -> Coarse {
    let shape = scene.shape;
    let columns = spread(shape.columns);
    let mut rows = spread(shape.rows);
    rows.reverse();
    let row = |&row: &usize| {
        let cell = |&column: &usize| {
            let value = field.get(shape.point(row, column)).copied();
            number(kind, unit, value.unwrap_or(f32::NAN))
        };
        (upwards.place(row), columns.iter().map(cell).collect())
    };
    Coarse {
        rows: rows.iter().map(row).collect(),
        columns: columns.iter().map(|&c| scene.column.place(c)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn a_large_picture_becomes_a_small_table_with_its_corners() {
        let task = Task::sswe().on_grid(&[32, 64]);
        let scene = Scene::new(Experiment::Sswe, &task, 1);
        let field: Vec<f32> = (0..32 * 64).map(|i| i as f32).collect();
        let unit = &scene.units[0];
        let table = coarse(Kind::Field, unit, &scene, &scene.row, &field);
        assert_eq!((table.columns.len(), table.rows.len()), (MOST, MOST));
        assert_eq!(table.rows[0].0, "90° N");
        let at = |row, column| {
            let value = field[scene.shape.point(row, column)];
            number(Kind::Field, unit, value)
        };
        assert_eq!(table.rows[0].1[0], at(31, 0));
        assert_eq!(table.rows[7].1[7], at(0, 63));
    }

    #[test]
    fn a_line_and_a_small_picture_are_whole() {
        assert_eq!(spread(1), [0]);
        assert_eq!(spread(3), [0, 1, 2]);
        assert_eq!(spread(9).first(), Some(&0));
        assert_eq!(spread(9).last(), Some(&8));
    }
}
