//! Many members, small: a sheet of postage stamps.

use super::{Kind, Knobs, Page, Source, View, pictured};
use crate::field::{Order, Shape};

/// Most stamps of a sheet: more could not be told apart.
const MOST: usize = 25;

pub(super) const PAGE: Page = Page {
    title: |_, _| "Postage stamps".to_owned(),
    caption: "the first members, each a whole field",
    kind: Kind::Field,
    // The numbers behind it are those of the chosen member; the sheet itself is made by `sheet`.
    field: |source| (super::View::Member.page().field)(source),
};

/// Stamps in rows and columns, as one field whose gaps are not numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Sizes of the whole sheet, one channel, rows from below.
    pub shape: Shape,
    /// Its values; not a number between the stamps.
    pub values: Vec<f32>,
    /// Stamps.
    pub count: usize,
    /// Stamps in a row.
    pub across: usize,
}

/// The sheet of a frame's members; `None` before there is one.
pub fn sheet(source: &Source) -> Option<Sheet> {
    let frame = source.members()?;
    let shape = source.case.scene.picture().shape;
    let count = frame.count.min(MOST);
    // As many rows as columns: the sheet has the shape of one picture, and no stamp is stretched.
    let across = (1..=count).find(|n| n * n >= count)?;
    let down = across;
    let gap = (shape.columns / 24).max(1);
    let gap_rows = (shape.rows / 16).max(1);
    let columns = across * (shape.columns + gap) - gap;
    let rows = down * (shape.rows + gap_rows) - gap_rows;
    let mut values = vec![f32::NAN; rows * columns];
    for member in 0..count {
        let knobs = Knobs {
            member,
            ..source.knobs
        };
        let field = pictured(View::Member, &Source { knobs, ..*source })?;
        let left = member % across * (shape.columns + gap);
        // The first stamp is at the top left.
        let bottom = (down - 1 - member / across) * (shape.rows + gap_rows);
        for row in 0..shape.rows {
            for column in 0..shape.columns {
                let value = field[shape.point(row, column)];
                values[(bottom + row) * columns + left + column] = value;
            }
        }
    }
    Some(Sheet {
        shape: Shape {
            frames: 1,
            rows,
            columns,
            channels: 1,
            order: Order::Upwards,
        },
        values,
        count,
        across,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::Case;
    use crate::ensemble::tests::of_members;
    use crate::field::Scene;
    use pno::spec::Experiment;
    use pno::task::Task;

    #[test]
    fn every_stamp_is_a_member_and_the_gaps_are_empty() {
        let scene = Scene::new(Experiment::Darcy, &Task::darcy().on_grid(&[2, 2]), 1);
        let case = Case::from_fields(scene, vec![]).expect("empty");
        // Member m is 10 m + point, points [x, y].
        let members = (0..3).flat_map(|m| (0..4).map(move |p| (10 * m + p) as f32));
        let ensemble = of_members(members.collect(), 4);
        let source = Source {
            case: &case,
            ensemble: Some(&ensemble),
            other: None,
            frame: 0,
            channel: 0,
            knobs: Knobs {
                member: 0,
                quantile: 0.5,
                level: 0.9,
                threshold: 0.0,
            },
        };
        let sheet = sheet(&source).expect("members");
        assert_eq!((sheet.count, sheet.across), (3, 2));
        assert_eq!((sheet.shape.rows, sheet.shape.columns), (5, 5));
        let at = |row: usize, column: usize| sheet.values[row * 5 + column];
        assert_eq!(
            (at(4, 0), at(3, 1)),
            (1.0, 2.0),
            "x to the right, y upwards, the first at the top"
        );
        assert_eq!((at(3, 3), at(0, 0)), (10.0, 20.0));
        assert!(at(3, 2).is_nan() && at(2, 0).is_nan(), "gaps");
        assert!(at(0, 3).is_nan(), "no fourth member");
    }
}
