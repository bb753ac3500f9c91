//! From the states of a run to models that other commands read.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use burn::module::Module;
use burn::tensor::Device;
use pno::checkpoint::{Checkpoint, Header, Precision, Provenance};
use pno::nn::Network;

use super::average::Average;
use super::run::Run;
use super::state::Part;
use super::store;
use crate::data::{Dataset, Split};
use crate::{files, logger};

/// Writes `model.pno` of the best epoch, and `epoch-N.pno` of every epoch that is to be kept. Gives the first.
pub fn models(
    run: &Run,
    data: &Dataset,
    best: usize,
    epochs: usize,
) -> Result<(PathBuf, Checkpoint)> {
    logger::check()?;
    let every = run.settings.train.keep_every;
    for epoch in store::epochs(&run.folder) {
        if every > 0 && epoch % every == 0 {
            let note = format!("weights of epoch {epoch}");
            let path = run.folder.join(format!("epoch-{epoch}.pno"));
            let model = model(run, data, epoch, epoch, note)?;
            files::write_atomic(&path, &model.encode(Precision::F32)?)?;
        }
    }
    let note = format!("weights of epoch {best}, the lowest validation loss");
    let model = model(run, data, best, epochs, note)?;
    let path = run.folder.join(Checkpoint::FILE_NAME);
    files::write_atomic(&path, &model.encode(Precision::F32)?)?;
    Ok((path, model))
}

/// The weights after an epoch, with what is to be known about them. Nothing here depends on when or how often the run
/// was resumed.
fn model(
    run: &Run,
    data: &Dataset,
    epoch: usize,
    epochs: usize,
    note: String,
) -> Result<Checkpoint> {
    let settings = &run.settings;
    let mut state = store::read(&run.folder, epoch)?;
    let weights = std::mem::take(&mut state.parts[Part::Model as usize]);
    let place = || store::path(&run.folder, epoch).display().to_string();
    let record = store::record(weights).with_context(place)?;
    let device = Device::flex();
    let network = Network::init(&settings.model, settings.train.seed, &device);
    let averaged = settings.train.average > 0.0;
    let weights = Weights {
        average: averaged.then(|| Average::new(&network, &device)),
        network,
    };
    let weights = weights.load_record(record);
    let network = weights
        .average
        .map_or(weights.network, |average| average.network);
    let tensors = network.tensors().into_iter();
    let tensors = tensors.map(|tensor| {
        let values = tensor.try_to_vec::<f32>();
        values.map_err(|e| anyhow!("{}: a trained tensor: {e:?}", place()))
    });
    let [train, valid, test] =
        [Split::Train, Split::Valid, Split::Test].map(|s| data.split(s).len());
    Ok(Checkpoint {
        header: Header {
            spec: settings.model.clone(),
            task: data.task_of(Split::Train),
            provenance: Provenance {
                command: run.origin.command.clone(),
                created: run.origin.created.clone(),
                version: env!("CARGO_PKG_VERSION").into(),
                data: format!(
                    "{} {}: {train} train, {valid} valid, {test} test",
                    data.experiment(),
                    short(&data.fingerprint()?),
                ),
                seed: settings.train.seed,
                epochs: epochs as u32,
                settings: settings.pairs()?,
                note,
            }
            .tidied(),
            scores: None,
            calibration: None,
            precision: Precision::F32,
        },
        tensors: tensors.collect::<Result<_>>()?,
    })
}

/// The part of what is trained that is in a record.
#[derive(Module, Debug)]
struct Weights {
    network: Network,
    average: Option<Average>,
}

/// The first characters of a hash: enough for people.
pub fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}
