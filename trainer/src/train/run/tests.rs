//! Opening a run folder: new, the same, another.

use super::*;
use crate::data::sources::{Generated, Ks};
use crate::data::{Counts, Size, write};
use pno::spec::{Experiment, Method, Operator, Profile};

fn data(folder: &Path, seed: u64) -> Dataset {
    let generated = Generated {
        counts: Counts([3, 1, 1]),
        seed,
        profile: Profile::Paper,
    };
    let path = folder.join(format!("{seed}.zarr"));
    write(&Ks::new(&generated), &path, false, |_| {}).expect("writes");
    Dataset::open(&path).expect("a data set")
}

fn settings() -> Settings {
    let (experiment, operator) = (Experiment::Ks, Operator::Fno);
    let (method, profile) = (Method::PnoR, Profile::Fixed);
    let preset = Settings::preset(experiment, operator, method, profile, Size::Demo, None);
    let mut settings = preset.expect("a preset");
    let model = &mut settings.model;
    (model.width, model.lifting, model.projection) = (4, 8, 8);
    (model.layers, model.modes) = (1, vec![4, 6]);
    (settings.train.epochs, settings.train.batch) = (1, 2);
    settings
}

#[test]
fn a_folder_is_opened_again_with_the_same_settings_and_refused_with_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let (run, data) = (folder.path().join("run"), data(folder.path(), 1));
    let opened = Run::open(&run, settings(), &data).expect("new");
    assert!(!opened.is_finished() && opened.epochs_done() == 0);
    let (path, model) = opened.train(&data, &Device::flex()).expect("trains");
    assert_eq!(model.header.provenance.epochs, 1);
    let bytes = std::fs::read(&path).expect("a model");

    let again = Run::open(&run, settings(), &data).expect("the same");
    assert!(again.is_finished() && again.epochs_done() == 1);
    again.train(&data, &Device::flex()).expect("nothing to do");
    assert!(std::fs::read(&path).expect("a model") == bytes);

    let mut other = settings();
    other.train.clip = 0.5;
    let refused = Run::open(&run, other, &data).err().expect("another");
    let message = refused.to_string();
    assert!(
        message.contains("train.clip = 1.0, but 0.5 is wanted"),
        "{message}"
    );
}

#[test]
fn a_run_goes_on_with_its_own_data_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let [first, second] = [1, 2].map(|seed| data(folder.path(), seed));
    drop(Run::open(&run, settings(), &first).expect("new"));
    let refused = Run::open(&run, settings(), &second)
        .err()
        .expect("other data");
    assert!(
        refused.to_string().contains("only with its own data"),
        "{refused}"
    );
    let held = Run::open(&run, settings(), &first).expect("its data");
    let refused = Run::open(&run, settings(), &first).err().expect("held");
    assert!(
        refused.to_string().contains("in use by process"),
        "{refused}"
    );
    drop(held);
}

#[test]
fn new_trajectories_are_made_as_those_of_the_data_were_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = data(folder.path(), 1).path().to_owned();
    let about = path.join("zarr.json");
    let text = std::fs::read_to_string(&about).expect("a description");
    let refusal = |key: &str, value: Option<&str>| {
        let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let attributes = json["attributes"].as_object_mut().expect("attributes");
        match value {
            Some(value) => attributes.insert(key.into(), value.into()),
            None => attributes.remove(key),
        };
        std::fs::write(&about, json.to_string()).expect("written");
        let data = Dataset::open(&path).expect("a data set");
        let mut fresh = settings();
        fresh.train.fresh = true;
        check_data(&fresh, &data)
            .err()
            .map(|error| format!("{error:#}"))
    };
    assert_eq!(refusal("seed", Some("7")), None, "the same kind");
    for (key, value, wanted) in [
        ("generator", None, "was imported"),
        (
            "generator",
            Some("ks-1"),
            "attribute `generator` is \"ks-1\", and would be \"ks-etdrk4-2\"",
        ),
        ("profile", Some("fixed"), "attribute `frames`"),
        ("equation", Some("u_t = 0"), "attribute `equation`"),
    ] {
        let message = refusal(key, value).expect(key);
        assert!(message.contains(wanted), "{message}");
        assert!(message.contains("leave out --fresh"), "{message}");
    }
}

#[test]
fn data_are_hashed_once_by_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = data(folder.path(), 1);
    let found = first.fingerprint().expect("a hash");
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let again = Dataset::open(first.path()).expect("a data set");
        let hash = pool.expect("threads").install(|| again.fingerprint());
        assert_eq!(hash.expect("a hash"), found, "{threads} threads");
    }
    // Nothing is read a second time: not for every model that a run keeps, and not for every network of an ensemble.
    std::fs::remove_dir_all(first.path()).expect("removed");
    assert_eq!(first.fingerprint().expect("remembered"), found);
}
