//! Every table of the paper, and ours, as declarations: one small file each.

mod beyond;
mod dropout;
mod fine_tuning;
mod ks_modes;
mod plain;
mod samples;
mod scores;
mod sswe;
mod step;

use pno::spec::{Method, Profile};

use super::size::Size;
use super::source::{Source, Training};
use super::table::{Row, Table};

/// All tables, in the order of the paper, then ours.
pub fn all(size: Size) -> Vec<Table> {
    vec![
        scores::darcy(),
        scores::ks(),
        sswe::two_step(),
        scores::era5(),
        plain::hyper_parameters(),
        scores::uno(),
        dropout::grid(size),
        plain::runtime(),
        fine_tuning::table(),
        samples::table(size),
        plain::skill(),
        sswe::one_step(),
        ks_modes::table(),
        beyond::methods(size),
        step::ks(),
        step::sswe(),
        step::noise(),
        plain::scaling(),
    ]
}

/// Rows of the five methods, with the Laplace approximation both as published and as it should be.
fn five_methods(training: impl Fn(Method) -> Training, published: &str) -> Vec<Row> {
    let id = |name: &str| Some(format!("{published}{name}"));
    let trained = |label: &str, method: Method| {
        Row::trained(label, training(method), id(method.name()).as_deref())
    };
    let laplace = |label: &str, profile, id: Option<String>| {
        let of = training(Method::Det);
        Row::new(label, Source::Laplace { of, profile }, id.as_deref())
    };
    vec![
        trained("DET", Method::Det),
        trained("PNO_D", Method::PnoD),
        trained("PNO_R", Method::PnoR),
        trained("MCD", Method::Mcd),
        laplace("LA", Profile::Paper, id("laplace")),
        laplace("LA, fixed", Profile::Fixed, None),
    ]
}

/// What is to be known of the last row of the five methods.
const LAPLACE_NOTE: &str = "`LA` has the published scales and draws, artefacts of a library; `LA, fixed` is the optimum of the evidence, with observation noise.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::published::Published;
    use crate::reproduce::table::Kind;

    #[test]
    fn every_row_that_names_a_published_one_finds_it_with_its_columns() {
        for size in [Size::Tiny, Size::Small, Size::Paper] {
            for table in all(size) {
                let Some(published) = table.published else {
                    assert!(table.rows.iter().all(|row| row.published.is_none()));
                    continue;
                };
                let published = Published::read(published).expect("published");
                for id in table.rows.iter().filter_map(|row| row.published.as_ref()) {
                    let row = published.find(id);
                    assert!(row.is_some(), "{}: {id}", table.name);
                }
            }
        }
    }

    #[test]
    fn every_published_row_of_scores_is_reproduced_at_paper_size() {
        for table in all(Size::Paper) {
            let of_rows = matches!(table.kind, Kind::Measures | Kind::Grid);
            let Some(name) = table.published.filter(|_| of_rows) else {
                continue;
            };
            for row in Published::read(name).expect("published").row {
                let found = table.rows.iter().filter_map(|row| row.published.as_ref());
                let ours = found.filter(|id| **id == row.id).count();
                assert_eq!(ours, 1, "{name}/{}", row.id);
            }
        }
    }

    #[test]
    fn one_name_is_one_training() {
        for size in [Size::Small, Size::Paper] {
            let mut known: Vec<Training> = vec![];
            for row in all(size).iter().flat_map(|table| &table.rows) {
                let training = row.source.training();
                match known.iter().find(|other| other.name == training.name) {
                    Some(other) => assert_eq!(other, training),
                    None => known.push(training.clone()),
                }
            }
        }
    }
}
