//! Darcy flow, Kuramoto-Sivashinsky and ERA5 with FNO; Darcy flow and Kuramoto-Sivashinsky with UNO.

use pno::spec::Operator;

use super::{LAPLACE_NOTE, five_methods};
use crate::reproduce::source::{Data, Training};
use crate::reproduce::table::{Picture, Table};

const PICTURES: &[Picture] = &[Picture::Predictions, Picture::Maps];

/// Darcy flow, FNO.
pub fn darcy() -> Table {
    let rows = five_methods(|m| Training::paper(Data::Darcy, Operator::Fno, m), "");
    Table::scores("darcy", "Darcy flow, FNO", rows)
        .with_pictures(PICTURES)
        .with_note(LAPLACE_NOTE)
}

/// Kuramoto-Sivashinsky, FNO.
pub fn ks() -> Table {
    let rows = five_methods(|m| Training::paper(Data::Ks, Operator::Fno, m), "");
    Table::scores("ks", "Kuramoto-Sivashinsky, FNO", rows)
        .with_pictures(PICTURES)
        .with_note(LAPLACE_NOTE)
}

/// Two-metre temperature, FNO.
pub fn era5() -> Table {
    let rows = five_methods(|m| Training::paper(Data::Era5, Operator::Fno, m), "");
    Table::scores("era5", "ERA5 two-metre temperature, FNO", rows)
        .with_pictures(PICTURES)
        .with_note(LAPLACE_NOTE)
}

/// Darcy flow and Kuramoto-Sivashinsky, UNO as published.
pub fn uno() -> Table {
    let of = |data: Data, group: &str| {
        let published = format!("{}/", data.name());
        let rows = five_methods(|m| Training::paper(data, Operator::Uno, m), &published);
        rows.into_iter().map(|row| row.under(group)).collect()
    };
    let rows: [Vec<_>; 2] = [
        of(Data::Darcy, "Darcy flow"),
        of(Data::Ks, "Kuramoto-Sivashinsky"),
    ];
    Table::scores(
        "uno",
        "UNO: Darcy flow and Kuramoto-Sivashinsky",
        rows.concat(),
    )
    .with_note(LAPLACE_NOTE)
    .with_note(
        "The network is the published one (profile `paper`): no activation inside its blocks.",
    )
}
