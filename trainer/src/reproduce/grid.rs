//! The table of two dropout rates: a block per score, a line per weight dropout, a column per Fourier dropout.

use super::build::{Sources, ours, printed, runs};
use super::published::Published;
use super::report::{Block, Cell, Head, Line, Whose};
use super::table::{Better, Row, Table};

/// The rates q.
pub fn heads(table: &Table) -> Vec<Head> {
    let mut heads: Vec<Head> = vec![];
    for row in &table.rows {
        if !heads.iter().any(|head| head.key == row.label) {
            heads.push(Head {
                key: row.label.clone(),
                label: format!("q = {}", row.label),
                latex: format!("$q = {}$", row.label),
                better: Better::Neither,
            });
        }
    }
    heads
}

/// One block per score.
pub fn blocks(table: &Table, sources: &Sources, published: Option<&Published>) -> Vec<Block> {
    let rows = sources.wish.rows(table);
    let measured: Vec<(&Row, Vec<_>)> = rows
        .into_iter()
        .map(|row| (row, runs(table, row, sources)))
        .collect();
    let mut rates: Vec<&str> = vec![];
    for (row, _) in &measured {
        if !rates.contains(&row.group.as_str()) {
            rates.push(&row.group);
        }
    }
    let block = |key: &str, label: &str| {
        let lines = rates.iter().flat_map(|p| {
            let of_rate = || measured.iter().filter(|(row, _)| row.group == *p);
            let line = |whose, runs, cells: Vec<Cell>| Line {
                label: format!("p = {p}"),
                whose,
                runs,
                cells,
                note: None,
            };
            let mine = of_rate().map(|(row, runs)| ours(row, runs, key));
            let wanted = of_rate().map(|(row, _)| sources.wish.seeds_of_row(table, row).len());
            let found = of_rate().map(|(_, runs)| runs.len()).min().unwrap_or(0);
            let counted = [found, wanted.min().unwrap_or(0)];
            let theirs = of_rate().map(|(row, _)| {
                let id = row.published.as_ref().zip(published);
                let found = id.and_then(|(id, published)| published.find(id));
                printed(found.and_then(|row| row.values.get(key)))
            });
            [
                line(Whose::Ours, Some(counted), mine.collect()),
                line(Whose::Paper, None, theirs.collect()),
            ]
        });
        Block {
            title: label.to_owned(),
            lines: lines.collect(),
        }
    };
    let columns = table.columns.iter();
    columns
        .map(|column| block(column.key, column.label))
        .collect()
}
