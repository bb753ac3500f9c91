//! `pno init`: a model with fresh weights.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use pno::checkpoint::{Checkpoint, Precision, Provenance};
use pno::nn::init;
use pno::spec::{Experiment, Method, ModelSpec, Operator, Profile};
use pno::sphere::Latitudes;
use pno::task::{Axis, Coordinate, Domain, Task};

use super::{Usage, command_line, print};
use crate::data::Size;
use crate::files;
use crate::train::composed::{alone, network_seed};
use crate::train::date;
use crate::train::settings::{Override, Settings, TrainSettings};

const EXAMPLES: &str = "\
Examples:
  pno init ks --operator uno --out uno.pno
  pno init darcy --method pno-r --grid 16x16 --set model.width=8 --set model.modes=[6,6] --out small.pno
  pno init sswe --grid 12x24 --latitudes gauss --out sphere.pno
  pno init ks --grid 64 --set model.modes=[12] --out line.pno       another number of axes: a problem of your own

With as many axes as the experiment has, --grid keeps its extent, quantities and coordinates. With another number it
makes a box from 0 to 1 with axes x0, x1, … that the network sees as coordinates; model.modes must then have as many.";

/// Write a model with fresh, untrained weights: for tests, benchmarks and trying out networks.
///
/// The network is the published one of the experiment, except for what --set changes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Experiment: darcy, ks, sswe or era5
    experiment: Experiment,
    /// fno, uno or sfno; the first that the paper has for the experiment, if left out
    #[arg(long)]
    operator: Option<Operator>,
    /// How uncertainty is made: pno-d, pno-r, det, mcd or laplace
    #[arg(long, default_value = "pno-d")]
    method: Method,
    /// fixed (as it should be) or paper (as it was published); makes a difference for a uno
    #[arg(long, default_value = "fixed")]
    profile: Profile,
    /// Points along each axis, outermost first
    #[arg(long, value_name = "AxB")]
    grid: Option<Sizes>,
    /// Circles of latitude of a sphere: equiangular or gauss
    #[arg(long)]
    latitudes: Option<Latitudes>,
    /// Change the network, for example model.width=8 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<Override>,
    /// Seed of the weights
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file to write
    #[arg(long, value_name = "MODEL.pno")]
    out: PathBuf,
    /// Replace what is there
    #[arg(long)]
    force: bool,
}

/// Sizes of a grid, `20x256`.
#[derive(Debug, Clone)]
struct Sizes(Vec<usize>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = |part: &str| part.trim().parse().ok().filter(|&n: &usize| n > 0);
        let sizes: Option<Vec<usize>> = text.split('x').map(size).collect();
        let form = || format!("`{text}` is not of the form 20x256");
        sizes.map(Self).ok_or_else(form)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    files::refuse_taken_file(&args.out, args.force)?;
    let checkpoint = checkpoint(args)?;
    let bytes = checkpoint.encode(Precision::F32)?;
    files::write(&args.out, &bytes, args.force)?;
    let spec = &checkpoint.header.spec;
    print(&format!(
        "{}: {} {} {}, {} parameters, grid {:?}, untrained",
        args.out.display(),
        spec.experiment,
        spec.operator,
        spec.method,
        spec.parameter_count(),
        checkpoint.header.task.input_shape(),
    ))
}

fn checkpoint(args: &Args) -> Result<Checkpoint> {
    let task = task(args)?;
    task.validate()?;
    let mut spec = published(args)?;
    (spec.in_channels, spec.out_channels) = (task.network_channels(), task.outputs.len());
    let spec = with_overrides(spec, &args.overrides)?;
    spec.fits(&task)
        .context("the network does not fit the grid")?;
    let fresh = |spec: ModelSpec, index| {
        let weights = init::tensors(&spec, network_seed(args.seed, index));
        Checkpoint::new(spec, task.clone(), weights)
    };
    let mut checkpoint = if spec.method == Method::Ensemble {
        let one = alone(&spec);
        let networks: Vec<_> = (0..spec.networks).map(|k| fresh(one.clone(), k)).collect();
        Checkpoint::of_networks(&networks)?
    } else {
        fresh(spec, 0)
    };
    checkpoint.header.provenance = Provenance {
        command: command_line(),
        created: date::today(),
        version: env!("CARGO_PKG_VERSION").into(),
        seed: args.seed,
        note: "fresh weights, untrained".into(),
        ..Provenance::default()
    }
    .tidied();
    Ok(checkpoint)
}

/// The published network, or which operators there are for the experiment.
fn published(args: &Args) -> Result<ModelSpec> {
    let Args {
        experiment,
        method,
        profile,
        ..
    } = *args;
    let paper = |operator: &Operator| ModelSpec::paper(experiment, *operator, method, profile);
    let spec = match &args.operator {
        Some(operator) => paper(operator),
        None => Operator::ALL.iter().find_map(paper),
    };
    let Some(spec) = spec else {
        let known = Operator::ALL.iter().filter(|o| paper(o).is_some());
        let known: Vec<&str> = known.map(|o| o.name()).collect();
        let known = known.join(" and ");
        bail!(Usage(format!(
            "the paper has no such network for `{experiment}`; it has: {known}"
        )));
    };
    Ok(spec)
}

fn with_overrides(spec: ModelSpec, overrides: &[Override]) -> Result<ModelSpec> {
    // The numbers of the training play no part here; they only complete the settings.
    let train = TrainSettings::general(spec.method, spec.profile, Size::Paper)?;
    let before = Settings {
        model: spec,
        train,
        laplace: None,
    };
    let after = before.with_overrides(overrides)?;
    if after.train != before.train {
        bail!(Usage(
            "nothing is trained here: --set takes model.* only".into()
        ));
    }
    Ok(after.model)
}

fn task(args: &Args) -> Result<Task> {
    let Some(mut task) = Task::published(args.experiment) else {
        bail!(Usage(
            "arrays have no published task; known: darcy, ks, sswe, era5".into()
        ));
    };
    if let Some(Sizes(sizes)) = &args.grid {
        task = if sizes.len() == task.input.len() {
            task.on_grid(sizes)
        } else {
            own_box(task, sizes)
        };
    }
    match (args.latitudes, &mut task.domain) {
        (None, _) => {}
        (Some(latitudes), Domain::Sphere(placed)) => {
            *placed = latitudes;
            place(&mut task, latitudes);
        }
        (Some(_), Domain::Flat) => bail!(Usage("--latitudes is for a grid on a sphere".into())),
    }
    Ok(task)
}

/// The quantities of an experiment in a box from 0 to 1 along every axis.
fn own_box(task: Task, sizes: &[usize]) -> Task {
    let axis =
        |(i, &size): (usize, &usize)| Axis::new(&format!("x{i}"), size, 0.0, 1.0 / size as f64, "");
    let axes: Vec<Axis> = sizes.iter().enumerate().map(axis).collect();
    Task {
        input: axes.clone(),
        output: axes,
        coordinates: (0..sizes.len()).map(Coordinate::unit).collect(),
        domain: Domain::Flat,
        ..task
    }
}

/// Moves the axis of latitudes to where its circles are, at their mean spacing.
fn place(task: &mut Task, latitudes: Latitudes) {
    for axes in [&mut task.input, &mut task.output] {
        let axis = &mut axes[0];
        let colatitudes = latitudes.colatitudes(axis.size);
        let (first, last) = (colatitudes[0], colatitudes[axis.size - 1]);
        axis.start = 90.0 - first.to_degrees();
        axis.step = -(last - first).to_degrees() / (axis.size.max(2) - 1) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn made(line: &str) -> Result<Checkpoint> {
        let words = format!("init {line} --out model.pno");
        let line = Line::try_parse_from(words.split(' '))?;
        checkpoint(&line.args)
    }

    fn refused(line: &str) -> String {
        format!("{:#}", made(line).expect_err(line))
    }

    #[test]
    fn every_published_network_can_be_written() {
        for line in [
            "darcy",
            "darcy --operator uno",
            "ks --method pno-r",
            "ks --operator uno --profile paper",
            "sswe",
            "era5 --grid 4x8x8",
        ] {
            let model = made(line).expect(line);
            let spec = &model.header.spec;
            assert!(line.starts_with(spec.experiment.name()), "{line}");
            let bytes = model.encode(Precision::F32).expect(line);
            let back = Checkpoint::decode(&bytes).expect(line);
            assert_eq!(back.header.spec, *spec, "{line}");
        }
    }

    #[test]
    fn a_seed_fixes_the_weights() {
        let [a, b, c] = ["1", "1", "2"]
            .map(|seed| made(&format!("ks --seed {seed}")).expect("a model").tensors);
        assert!(a == b && a != c);
    }

    #[test]
    fn another_number_of_axes_is_a_problem_of_ones_own() {
        let model = made("ks --grid 64 --set model.modes=[12]").expect("a line");
        let task = &model.header.task;
        assert_eq!(task.input_shape(), [64]);
        assert_eq!(
            (task.input[0].name.as_str(), task.coordinates.len()),
            ("x0", 1)
        );
        assert_eq!(model.header.spec.in_channels, 2);
        let unset = refused("ks --grid 64");
        assert!(unset.contains("axes"), "{unset}");
    }

    #[test]
    fn a_sphere_has_its_circles_where_they_are() {
        let axis = |line: &str| made(line).expect(line).header.task.input[0].clone();
        let even = axis("sswe --grid 12x24 --latitudes equiangular");
        assert_eq!((even.start, even.size), (90.0, 12));
        assert!((even.step + 180.0 / 11.0).abs() < 1e-9, "{even:?}");
        let gauss = axis("sswe --grid 12x24 --latitudes gauss");
        // The largest zero of the Legendre polynomial of degree 12.
        let north = 0.981_560_634_246_719_f64.asin().to_degrees();
        assert!((gauss.start - north).abs() < 1e-6, "{gauss:?}");
        let south = gauss.coordinates()[11];
        assert!((south + gauss.start).abs() < 1e-9, "{gauss:?}");
        assert!(refused("ks --latitudes gauss").contains("sphere"));
    }

    #[test]
    fn what_cannot_be_is_told() {
        assert!(refused("era5 --operator uno").contains("it has: fno"));
        assert!(refused("ks --set train.batch=3").contains("model.* only"));
        assert!(refused("ks --set model.breadth=3").contains("unknown setting `model.breadth`"));
        assert!(refused("ks --set model.out_channels=2").contains("does not fit"));
        assert!(refused("ks --grid 20*256").contains("20x256"));
        assert!(refused("ks --grid 0x256").contains("20x256"));
    }
}
