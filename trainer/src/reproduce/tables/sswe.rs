//! Spherical shallow water, SFNO: trained with one or with two steps, after one and after ten hours.

use pno::spec::{Method, Operator, Rollout};

use super::{LAPLACE_NOTE, five_methods};
use crate::reproduce::source::{Data, Training};
use crate::reproduce::table::{Picture, Row, Table};

const PICTURES: &[Picture] = &[Picture::Predictions, Picture::Maps];
const NOTE: &str = "`10 h` carries on one mean state as published; `10 h, every member its own` is what a forecast should do and has no published numbers.";

/// One-step training.
pub fn one_step() -> Table {
    let training = |method| Training::paper(Data::Sswe, Operator::Sfno, method);
    table(
        "sswe-one-step",
        "Spherical shallow water, SFNO, one-step training",
        training,
    )
}

/// Two-step training.
pub fn two_step() -> Table {
    let training = |method| Training::paper(Data::Sswe, Operator::Sfno, method).varied("two-step");
    table(
        "sswe-two-step",
        "Spherical shallow water, SFNO, two-step training",
        training,
    )
}

fn table(name: &'static str, title: &'static str, training: impl Fn(Method) -> Training) -> Table {
    let ten = |rollout: Rollout, group: &str, published: bool| -> Vec<Row> {
        let rows = five_methods(&training, "10h/").into_iter();
        let rows = rows.map(|mut row| {
            row.evaluation.steps = 10;
            row.evaluation.rollout = rollout;
            row.published = row.published.filter(|_| published);
            row.under(group)
        });
        rows.collect()
    };
    let one = five_methods(&training, "1h/").into_iter();
    let one: Vec<Row> = one.map(|row| row.under("1 h")).collect();
    let rows = [
        one,
        ten(Rollout::Mean, "10 h", true),
        ten(Rollout::Member, "10 h, every member its own", false),
    ];
    Table::scores(name, title, rows.concat())
        .with_pictures(PICTURES)
        .with_note(LAPLACE_NOTE)
        .with_note(NOTE)
}
