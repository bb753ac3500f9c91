//! The numbers behind a picture, as CSV and as JSON.

use std::fmt::Write;

use crate::field::Scene;

/// What the numbers are.
#[derive(Debug, Clone, PartialEq)]
pub struct Caption {
    /// The view, in words.
    pub title: String,
    /// The quantity.
    pub quantity: String,
    /// Its unit in the file; empty for model units.
    pub unit: String,
    /// The state of the page as an address.
    pub address: String,
}

/// One line per point: both coordinates and the value.
pub fn csv(scene: &Scene, field: &[f32], caption: &Caption) -> String {
    let mut text = format!(
        "{},{},{}\n",
        name(&scene.row.name, "row"),
        name(&scene.column.name, "column"),
        quoted(&caption.quantity)
    );
    for (row, y) in scene.row.coordinates.iter().enumerate() {
        for (column, x) in scene.column.coordinates.iter().enumerate() {
            let value = field[scene.shape.point(row, column)];
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{y},{x},{value}");
        }
    }
    text
}

/// Axes and values `[row][column]`, rows from below, with what they are.
pub fn json(scene: &Scene, field: &[f32], caption: &Caption) -> String {
    let rows: Vec<Vec<Option<f32>>> = (0..scene.shape.rows)
        .map(|row| {
            let value = |column| field[scene.shape.point(row, column)];
            let values = (0..scene.shape.columns).map(value);
            values.map(|v| v.is_finite().then_some(v)).collect()
        })
        .collect();
    let axis = |span: &crate::field::Span| serde_json::json!({ "name": span.name, "unit": span.unit, "coordinates": span.coordinates });
    let all = serde_json::json!({
        "title": caption.title,
        "quantity": caption.quantity,
        "unit": caption.unit,
        "address": caption.address,
        "rows": axis(&scene.row),
        "columns": axis(&scene.column),
        "values": rows,
    });
    all.to_string()
}

fn name(name: &str, otherwise: &str) -> String {
    quoted(if name.is_empty() { otherwise } else { name })
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pno::spec::Experiment;

    #[test]
    fn every_point_stands_beside_its_coordinates() {
        let task = crate::truth::task(Experiment::Darcy, &[2, 2]).expect("published");
        let scene = Scene::new(Experiment::Darcy, &task, 1);
        // [x, y]: x 0.25 has 1 and 2, x 0.75 has 3 and 4.
        let field = [1.0, 2.0, 3.0, f32::NAN];
        let caption = Caption {
            title: "Mean, \"a\"".to_owned(),
            quantity: "u, in m".to_owned(),
            unit: "m".to_owned(),
            address: "?x".to_owned(),
        };
        let wanted = "y,x,\"u, in m\"\n0.25,0.25,1\n0.25,0.75,3\n0.75,0.25,2\n0.75,0.75,NaN\n";
        assert_eq!(csv(&scene, &field, &caption), wanted);
        let read: serde_json::Value =
            serde_json::from_str(&json(&scene, &field, &caption)).expect("JSON");
        assert_eq!(read["values"], serde_json::json!([[1.0, 3.0], [2.0, null]]));
        assert_eq!(read["title"], "Mean, \"a\"");
        assert_eq!(read["rows"]["name"], "y");
    }
}
