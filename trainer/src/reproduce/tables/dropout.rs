//! Weight dropout p against Fourier dropout q.

use pno::spec::{Method, Operator};

use crate::reproduce::size::Size;
use crate::reproduce::source::{Data, Training};
use crate::reproduce::table::{Kind, Picture, Row, Table};

/// The published rates.
pub const RATES: &[&str] = &["0.01", "0.02", "0.05", "0.1", "0.2"];
/// Those of a smaller reproduction.
const FEW: &[&str] = &["0.01", "0.05", "0.2"];
const TWO: &[&str] = &["0.01", "0.2"];

/// The grid; each heading is a rate p, each row below it a rate q.
pub fn grid(size: Size) -> Table {
    let rates = match size {
        Size::Tiny => TWO,
        Size::Small => FEW,
        Size::Paper => RATES,
    };
    let cell = |p: &str, q: &str| {
        let sets = [
            format!("model.dropout={p}"),
            format!("model.fourier_dropout={q}"),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let training = Training::paper(Data::Ks, Operator::Fno, Method::PnoD);
        let training = training.with(&format!("p{p}-q{q}"), &sets);
        Row::trained(q, training, Some(&format!("p{p}/q{q}"))).under(p)
    };
    let rows = rates
        .iter()
        .flat_map(|p| rates.iter().map(move |q| cell(p, q)))
        .collect();
    Table {
        kind: Kind::Grid,
        seeds: Some(&[123_456_789]),
        ..Table::scores(
            "fourier-dropout",
            "Weight dropout p and Fourier dropout q (Kuramoto-Sivashinsky, FNO, PNO_D)",
            rows,
        )
    }
    .with_pictures(&[Picture::Dropout])
    .with_note("One run per cell, as in the paper: differences between neighbours are within the scatter of runs.")
}
