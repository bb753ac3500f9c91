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
    /// Which file it is: another one has another version.
    #[serde(default)]
    pub version: Option<String>,
    /// Its size.
    #[serde(default)]
    pub bytes: Option<u64>,
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

    /// The models of an experiment.
    pub fn of(&self, experiment: Experiment) -> impl Iterator<Item = &Entry> {
        let fits = move |entry: &&Entry| entry.experiment == experiment;
        self.models.iter().filter(fits)
    }

    /// The models that fit the chosen experiment and method.
    pub fn offers(&self, settings: &Settings) -> Vec<&Entry> {
        let fits = |entry: &&Entry| entry.method == settings.method;
        self.of(settings.experiment).filter(fits).collect()
    }

    /// Methods that have a model of an experiment, in the order of the paper.
    pub fn methods(&self, experiment: Experiment) -> Vec<Method> {
        let has = |method: &Method| self.of(experiment).any(|entry| entry.method == *method);
        Method::ALL.iter().copied().filter(has).collect()
    }

    /// Address of the checkpoint to load: the visitor's own, else the first that fits; `None` where none is shipped.
    pub fn address(&self, settings: &Settings) -> Option<String> {
        let own = settings.model.clone();
        own.or_else(|| self.shipped(settings.experiment, settings.method))
    }

    /// Address of the other side's checkpoint.
    pub fn address2(&self, settings: &Settings) -> Option<String> {
        let own = settings.model2.clone();
        own.or_else(|| self.shipped(settings.experiment, settings.method2?))
    }

    /// The shipped model at an address.
    pub fn entry(&self, address: &str) -> Option<&Entry> {
        self.models.iter().find(|entry| entry.address() == address)
    }

    fn shipped(&self, experiment: Experiment, method: Method) -> Option<String> {
        let fits = |entry: &&Entry| entry.method == method;
        self.of(experiment).find(fits).map(Entry::address)
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
        assert_eq!(catalogue.methods(Experiment::Ks), [Method::PnoR]);
        let address = |settings: &Settings| catalogue.address(settings);
        assert_eq!(address(&settings).as_deref(), Some("models/ks-pno-r.pno"));
        settings.model = Some("https://example.org/m.pno".to_owned());
        assert_eq!(
            address(&settings).as_deref(),
            Some("https://example.org/m.pno")
        );
        assert_eq!(catalogue.address2(&settings), None);
        settings.method2 = Some(Method::PnoR);
        assert_eq!(
            catalogue.address2(&settings).as_deref(),
            Some("models/ks-pno-r.pno")
        );
    }

    #[test]
    fn without_a_list_there_is_no_model() {
        assert_eq!(Catalogue::parse("<!doctype html>"), None);
        assert_eq!(Catalogue::default().address(&Settings::default()), None);
        let list = Catalogue::parse(LIST).expect("a valid list");
        assert_eq!(list.address(&Settings::of(Experiment::Darcy)), None);
    }
}
