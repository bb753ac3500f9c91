//! How many members the training loss has.

use pno::spec::{Method, Operator};

use crate::reproduce::size::Size;
use crate::reproduce::source::{Data, Training};
use crate::reproduce::table::{Row, SAMPLES, Table};

/// What the published PNO_D with 50 members was trained with besides; the others have a dropout of 0.2 and batches of 64.
const FIFTY: [&str; 3] = [
    "model.dropout=0.1",
    "model.fourier_dropout=0.1",
    "train.batch=32",
];

/// Number of members on Kuramoto-Sivashinsky.
pub fn table(size: Size) -> Table {
    let numbers: &[usize] = match size {
        Size::Tiny => &[3, 5],
        Size::Small => &[3, 5, 10],
        Size::Paper => &[3, 5, 10, 20, 50],
    };
    let row = |method: Method, label: &str, members: usize| {
        let fno = Training::paper(Data::Ks, Operator::Fno, method);
        let number = format!("train.members={members}");
        let mut sets = vec![number.as_str()];
        if method == Method::PnoD && members == 50 {
            sets.extend(FIFTY);
        }
        let training = match members {
            // The preset's own, which the main table has trained already.
            3 => fno,
            _ => fno.with(&format!("m{members}"), &sets),
        };
        let published = format!("{method}/m{members}");
        Row::trained(&format!("M = {members}"), training, Some(&published)).under(label)
    };
    let methods = [(Method::PnoD, "PNO_D"), (Method::PnoR, "PNO_R")];
    let rows = methods
        .iter()
        .flat_map(|&(method, label)| numbers.iter().map(move |&n| row(method, label, n)))
        .collect();
    Table {
        columns: SAMPLES,
        ..Table::scores(
            "samples",
            "Number M of members in the training loss (Kuramoto-Sivashinsky, FNO)",
            rows,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::recipe::settings;
    use pno::task::Task;

    #[test]
    fn fifty_members_are_trained_as_they_were_published() {
        let table = table(Size::Paper);
        let of = |id: &str| {
            let mut rows = table.rows.iter();
            let row = rows.find(|row| row.published.as_deref() == Some(id));
            let training = row.expect("a row").source.training();
            let found = settings(training, Size::Paper, 1, Some(&Task::ks()), None);
            let found = found.expect("settings");
            let (model, train) = (found.model, found.train);
            (
                train.members,
                model.dropout,
                model.fourier_dropout,
                train.batch,
            )
        };
        assert_eq!(of("pno-d/m50"), (50, 0.1, 0.1, 32));
        assert_eq!(of("pno-d/m20"), (20, 0.2, 0.2, 64));
        assert_eq!(of("pno-r/m50"), (50, 0.1, 0.1, 64));
    }
}
