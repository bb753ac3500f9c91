//! Specifications put together from choices, so that most of them make some sense: validate, fit, plan, write and read.

use pno::checkpoint::{Checkpoint, Header, Precision, Provenance};
use pno::ensemble::conformal::Calibration;
use pno::observation::Observation;
use pno::spec::{Experiment, Level, Method, ModelSpec, Operator, Output, Profile};
use pno::sphere::Latitudes;
use pno::task::{Axis, Coordinate, Domain, Mask, Normalisation, Quantity, Task};

use super::plan::plan;

/// Weights of a model that is written as a file.
const MOST_WEIGHTS: usize = 1 << 12;

/// Points of a mask: there may be one for each of many fields.
const MOST_MASKED: usize = 1 << 14;

/// Numbers at which something changes: limits, powers of two, and the largest.
const EDGES: [usize; 24] = [
    255,
    256,
    257,
    510,
    1 << 10,
    1 << 12,
    (1 << 12) + 1,
    (1 << 12) - 1,
    8191,
    8192,
    1 << 14,
    1 << 16,
    1 << 19,
    1 << 20,
    1 << 23,
    1 << 24,
    (1 << 24) + 1,
    1 << 26,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    1 << 63,
    usize::MAX,
];

/// Bytes as choices; when there are no more, every choice is the first.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.byte()) % all.len()]
    }

    /// Small numbers mostly, and edges.
    fn size(&mut self) -> usize {
        match self.byte() {
            edge @ 224.. => EDGES[usize::from(edge - 224) % EDGES.len()],
            wide @ 192.. => usize::from(wide - 191) * 64,
            small => usize::from(small),
        }
    }

    fn sizes(&mut self, count: usize) -> Vec<usize> {
        (0..count).map(|_| self.size()).collect()
    }

    /// Plain numbers mostly, and those that are none.
    fn number(&mut self) -> f64 {
        match self.byte() {
            255 => f64::NAN,
            254 => f64::INFINITY,
            253 => -1.0,
            252 => f64::MIN_POSITIVE,
            251 => 1e300,
            250 => 16.0,
            249 => 0.01,
            plain => f64::from(plain) / 64.0,
        }
    }

    fn text(&mut self) -> String {
        match self.byte() {
            255 => "x".repeat(usize::from(self.byte())),
            254 => "\u{1b}[2J".to_owned(),
            253 => "\u{e4}\u{1f30d}".to_owned(),
            other => char::from(b'a' + other % 26).to_string(),
        }
    }
}

/// Puts a header together; what is valid is planned and, where it is small, written and read.
pub fn target(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let header = header(&mut choices);
    let Header { spec, task, .. } = &header;
    if spec.validate().is_err() {
        return;
    }
    let weights = spec.parameter_count();
    if task.validate().is_err() || spec.fits(task).is_err() {
        if weights <= MOST_WEIGHTS {
            let error = checkpoint(header, 0.5).encode(Precision::F32);
            let sentence = error.expect_err("a task that is refused").to_string();
            assert!(sentence.len() < 1000, "{sentence}");
        }
        return;
    }
    let calibration = header.calibration.as_ref();
    if calibration.is_none_or(|found| found.validate(spec.out_channels).is_ok()) {
        plan(&header);
    }
    if weights > MOST_WEIGHTS {
        return;
    }
    let (precision, value) = (header.precision, choices.number() as f32);
    let checkpoint = checkpoint(header, value);
    let Ok(written) = checkpoint.encode(precision) else {
        return;
    };
    let read = Checkpoint::decode(&written).expect("what was written can be read");
    assert!(read.encode(precision).is_ok_and(|bytes| bytes == written));
    assert_eq!(read.header.spec, checkpoint.header.spec);
    let _ = (read.posterior(), Checkpoint::fingerprint(&written));
}

/// Every weight with the same value; none for a specification that is too large.
fn checkpoint(header: Header, value: f32) -> Checkpoint {
    let tensors = header.spec.stored_tensors();
    let tensors = tensors
        .iter()
        .map(|tensor| vec![value; tensor.len().min(1 << 20)]);
    Checkpoint {
        tensors: tensors.collect(),
        header,
    }
}

fn header(choices: &mut Choices<'_>) -> Header {
    let flags = choices.byte();
    let axes = usize::from(choices.byte() % 4);
    let task = task(choices, axes, flags);
    let spec = spec(choices, axes, flags, &task);
    let calibration = (choices.byte() > 200).then(|| Calibration {
        coverage: choices.number(),
        members: choices.size() as u32,
        cases: choices.size() as u32,
        data: choices.text(),
        channels: choices.size() as u32,
        factors: vec![choices.number() as f32; choices.size() & 0x7ff],
    });
    let provenance = Provenance {
        command: choices.text(),
        note: choices.text(),
        seed: choices.size() as u64,
        settings: vec![(choices.text(), choices.text()); usize::from(choices.byte() % 3)],
        ..Provenance::default()
    };
    Header {
        spec,
        task,
        provenance,
        scores: None,
        calibration,
        precision: choices.of(&[Precision::F32, Precision::F16]),
    }
}

fn task(choices: &mut Choices<'_>, axes: usize, flags: u8) -> Task {
    let axis = |choices: &mut Choices<'_>| Axis {
        name: choices.text(),
        size: choices.size(),
        start: choices.number(),
        step: choices.number(),
        unit: String::new(),
    };
    let quantity = |choices: &mut Choices<'_>| {
        let (name, mean) = (choices.text(), choices.number());
        let std = choices.number();
        Quantity::new(&name, "", Normalisation { mean, std })
    };
    let mut several = |most: u8, make: &dyn Fn(&mut Choices<'_>) -> Quantity| {
        let count = choices.byte() % most;
        (0..count).map(|_| make(choices)).collect::<Vec<_>>()
    };
    let (inputs, outputs) = (several(18, &quantity), several(18, &quantity));
    let input: Vec<Axis> = (0..axes).map(|_| axis(choices)).collect();
    let same = flags & 1 == 0;
    let output = if same {
        input.clone()
    } else {
        (0..axes).map(|_| axis(choices)).collect()
    };
    let coordinates = (0..choices.byte() % 5).map(|_| Coordinate {
        axis: usize::from(choices.byte() % 4),
        first: choices.number(),
        last: choices.number(),
    });
    let coordinates = coordinates.collect();
    let sphere = Domain::Sphere(choices.of(&[Latitudes::Equiangular, Latitudes::Gauss]));
    let (mut inputs, mut outputs) = (inputs, outputs);
    if flags & 32 != 0 {
        for quantity in &mut outputs {
            quantity.increment = Some(choices.number());
        }
    }
    if flags & 16 != 0 {
        for quantity in inputs.iter_mut().chain(&mut outputs) {
            quantity.mask = mask(choices, &input);
        }
    }
    Task {
        input,
        output,
        inputs,
        outputs,
        coordinates,
        domain: if flags & 2 == 0 { Domain::Flat } else { sphere },
    }
}

/// A mask of the last axes, or of one too many; none of all points, every second, every third, …
fn mask(choices: &mut Choices<'_>, axes: &[Axis]) -> Option<Mask> {
    let count = usize::from(choices.byte()) % (axes.len() + 2);
    let all = axes.iter().map(|axis| axis.size).chain([3]);
    let sizes: Vec<usize> = all
        .skip(axes.len().saturating_sub(count))
        .take(count)
        .collect();
    let every = usize::from(choices.byte());
    let points = sizes
        .iter()
        .try_fold(1, |all: usize, n| all.checked_mul(*n));
    points.filter(|points| *points <= MOST_MASKED)?;
    Mask::new(&sizes, |point| every > 0 && point % every == 0)
}

fn spec(choices: &mut Choices<'_>, axes: usize, flags: u8, task: &Task) -> ModelSpec {
    let sphere = flags & 2 != 0 && flags & 4 == 0;
    let operator = if sphere {
        Operator::Sfno
    } else {
        choices.of(Operator::ALL)
    };
    let uno = operator == Operator::Uno;
    let method = choices.of(Method::ALL);
    // Channels that fit the task, unless the flags say that they need not.
    let fitting = flags & 8 == 0;
    let level = |choices: &mut Choices<'_>| Level {
        width: choices.size(),
        modes: choices.sizes(axes),
        scale: (0..axes).map(|_| choices.number()).collect(),
    };
    ModelSpec {
        experiment: choices.of(Experiment::ALL),
        method,
        operator,
        profile: choices.of(Profile::ALL),
        in_channels: if fitting {
            task.network_channels()
        } else {
            choices.size()
        },
        out_channels: if fitting {
            task.outputs.len()
        } else {
            choices.size()
        },
        width: choices.size(),
        lifting: choices.size(),
        projection: choices.size(),
        layers: if uno { 0 } else { choices.size() },
        modes: if uno { vec![] } else { choices.sizes(axes) },
        levels: if uno {
            (0..choices.byte() % 34).map(|_| level(choices)).collect()
        } else {
            vec![]
        },
        dropout: choices.number() as f32,
        fourier_dropout: choices.number() as f32,
        networks: match method {
            Method::Ensemble => choices.size(),
            _ => 1,
        },
        output: choices.of(Output::ALL),
        mlp: match choices.byte() {
            0..128 => 0,
            _ => choices.size(),
        },
        noise: match method {
            Method::PnoF => (0..choices.byte() % 18)
                .map(|_| choices.number() as f32)
                .collect(),
            _ => vec![],
        },
        observed: match choices.byte() {
            0..192 => None,
            _ => Some(Observation {
                noise: choices.number() as f32,
                every: choices.size(),
            }),
        },
    }
}
