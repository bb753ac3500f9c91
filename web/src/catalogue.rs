//! Which models the page offers: `models/index.json` beside the page.

use pno::spec::{Experiment, Method};
use serde::Deserialize;

use crate::settings::Settings;

/// Folder of the shipped models, from the page.
pub const FOLDER: &str = "models";

/// The list of shipped models.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Catalogue {
    /// In the order in which they are offered.
    pub models: Vec<Entry>,
}

/// One shipped model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Entry {
    /// File name in the folder of models.
    pub file: String,
    /// What it was made for.
    pub experiment: Experiment,
    /// How it makes uncertainty.
    pub method: Method,
    /// What to call it.
    pub title: String,
}

impl Entry {
    /// Address from the page.
    pub fn address(&self) -> String {
        format!("{FOLDER}/{}", self.file)
    }
}

impl Catalogue {
    /// Reads the list; `None` where a server answers with something else.
    pub fn parse(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The models that fit the chosen experiment and method.
    pub fn offers(&self, settings: &Settings) -> Vec<&Entry> {
        self.models
            .iter()
            .filter(|e| e.experiment == settings.experiment && e.method == settings.method)
            .collect()
    }

    /// Address of the checkpoint to load: the visitor's own, else the first that fits, else the usual name.
    pub fn address(&self, settings: &Settings) -> String {
        if let Some(own) = &settings.model {
            return own.clone();
        }
        match self.offers(settings).first() {
            Some(entry) => entry.address(),
            None => format!("{FOLDER}/{}-{}.pno", settings.experiment, settings.method),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"{ "models": [
        { "file": "ks-pno-r.pno", "experiment": "ks", "method": "pno-r", "title": "R", "bytes": 5 },
        { "file": "ks-own.pno", "experiment": "ks", "method": "pno-r", "title": "mine" } ] }"#;

    #[test]
    fn the_first_fitting_model_is_taken_and_the_visitor_goes_first() {
        let catalogue = Catalogue::parse(LIST).expect("a valid list");
        let mut settings = Settings {
            method: Method::PnoR,
            ..Settings::default()
        };
        assert_eq!(catalogue.offers(&settings).len(), 2);
        assert_eq!(catalogue.address(&settings), "models/ks-pno-r.pno");
        settings.model = Some("https://example.org/m.pno".to_owned());
        assert_eq!(catalogue.address(&settings), "https://example.org/m.pno");
    }

    #[test]
    fn without_a_list_the_usual_names_are_tried() {
        assert_eq!(Catalogue::parse("<!doctype html>"), None);
        assert_eq!(
            Catalogue::default().address(&Settings::default()),
            "models/ks-pno-d.pno"
        );
    }
}
