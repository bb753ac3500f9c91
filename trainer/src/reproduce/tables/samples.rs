//! How many members the training loss has.

use pno::spec::{Method, Operator};

use crate::reproduce::size::Size;
use crate::reproduce::source::{Data, Training};
use crate::reproduce::table::{Row, SAMPLES, Table};

/// Number of members on Kuramoto-Sivashinsky.
pub fn table(size: Size) -> Table {
    let numbers: &[usize] = match size {
        Size::Tiny => &[3, 5],
        Size::Small => &[3, 5, 10],
        Size::Paper => &[3, 5, 10, 20, 50],
    };
    let row = |method: Method, label: &str, members: usize| {
        let fno = Training::paper(Data::Ks, Operator::Fno, method);
        let training = match members {
            // The preset's own, which the main table has trained already.
            3 => fno,
            _ => fno.with(
                &format!("m{members}"),
                &[&format!("train.members={members}")],
            ),
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
