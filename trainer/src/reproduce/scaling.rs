//! How time and memory of an epoch grow with samples, points and members.
//!
//! Every measurement is a short training in a process of its own, so that its peak of memory is its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use pno::pde::darcy::Law;
use pno::spec::{Experiment, Method, Operator, Profile};
use serde::{Deserialize, Serialize};

use super::report::{Block, Cell, Illustration, Line, Report, Whose, number};
use super::results::epochs;
use super::size::Size;
use super::steps;
use crate::data::sources::{Darcy, Generated};
use crate::data::{Counts, Dataset, Split};
use crate::figure::{Chart, Charts, Mark, Series};
use crate::train::run::Run;
use crate::train::settings::{Override, Settings};
use crate::{device, files, interrupt};

/// The same network on every grid: modes that the coarsest carries.
const SETTINGS: [&str; 3] = [
    "model.modes=[8,8]",
    "train.batch=8",
    "train.schedule=constant",
];

/// What is measured in one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Setting {
    samples: usize,
    grid: usize,
    members: usize,
}

/// What a process is asked to do.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    data: PathBuf,
    run: PathBuf,
    answer: PathBuf,
    members: usize,
    epochs: usize,
    device: String,
}

/// What it answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Answer {
    /// Seconds of an epoch, validation included: the quickest but the first.
    seconds: f64,
    /// Largest memory of the process.
    bytes: Option<u64>,
}

/// A quantity that is varied while the others stay.
struct Sweep {
    name: &'static str,
    points: Vec<(f64, Answer)>,
}

struct Range {
    base: Setting,
    samples: &'static [usize],
    grids: &'static [usize],
    members: &'static [usize],
    epochs: usize,
}

/// A name, and the values of what it names with the settings they stand for.
type Varied = (&'static str, Vec<(f64, Setting)>);

impl Range {
    /// One quantity varied, the others as they are.
    fn settings(&self) -> [Varied; 3] {
        let base = self.base;
        let samples = self.samples.iter();
        let samples = samples.map(|&samples| (samples as f64, Setting { samples, ..base }));
        let grids = self.grids.iter();
        let grids = grids.map(|&grid| ((grid * grid) as f64, Setting { grid, ..base }));
        let members = self.members.iter();
        let members = members.map(|&members| (members as f64, Setting { members, ..base }));
        [
            ("samples", samples.collect()),
            ("points", grids.collect()),
            ("members", members.collect()),
        ]
    }
}

impl Setting {
    fn name(self) -> String {
        format!("n{}-g{}-m{}", self.samples, self.grid, self.members)
    }

    fn file(self) -> String {
        format!("{}.json", self.name())
    }
}

fn range(size: Size) -> Range {
    match size {
        Size::Tiny => Range {
            base: Setting {
                samples: 8,
                grid: 16,
                members: 2,
            },
            samples: &[8, 16],
            grids: &[16, 32],
            members: &[2, 4],
            epochs: 2,
        },
        Size::Small | Size::Paper => Range {
            base: Setting {
                samples: 64,
                grid: 32,
                members: 4,
            },
            samples: &[32, 64, 128, 256],
            grids: &[16, 32, 64, 128],
            members: &[2, 4, 8, 16],
            epochs: 4,
        },
    }
}

/// Whether everything has been measured, so that a report costs nothing.
pub fn is_measured(size: Size, folder: &Path) -> bool {
    let range = range(size);
    let all = range.settings();
    all.iter().all(|(_, sweep)| {
        let mut files = sweep.iter().map(|(_, setting)| folder.join(setting.file()));
        files.all(|file| file.exists())
    })
}

/// Measures, and fills in the report.
pub fn measure(
    report: &mut Report,
    size: Size,
    folder: &Path,
    device: &str,
    out: &Path,
) -> Result<()> {
    let range = range(size);
    let base = range.base;
    let begin = Instant::now();
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let one = |setting: Setting| answer(setting, range.epochs, folder, device);
    let sweep = |name, settings: Vec<(f64, Setting)>| -> Result<Sweep> {
        let points = settings
            .into_iter()
            .map(|(value, setting)| Ok((value, one(setting)?)));
        let points = points.collect::<Result<_>>()?;
        Ok(Sweep { name, points })
    };
    let [samples, points, members] = range.settings();
    let sweeps = [
        sweep(samples.0, samples.1)?,
        sweep(points.0, points.1)?,
        sweep(members.0, members.1)?,
    ];
    report.notes.push(format!(
        "Darcy flow, FNO with 8 x 8 modes, PNO_D, batches of 8; where not varied: {} samples, {} points, {} members. Time is that of the quickest epoch but the first, memory the peak of the whole process.",
        base.samples,
        base.grid * base.grid,
        base.members
    ));
    report.notes.extend(sweeps.iter().flat_map(Sweep::fits));
    report.blocks = sweeps.iter().map(Sweep::block).collect();
    let place = out.join(size.name()).join("figures");
    std::fs::create_dir_all(&place)
        .with_context(|| format!("cannot make the folder {}", place.display()))?;
    let charts = Charts {
        title: format!("Epoch time and memory ({size} size)"),
        charts: [Sweep::seconds as fn(&Sweep) -> Chart, Sweep::memory]
            .iter()
            .flat_map(|chart| sweeps.iter().map(chart))
            .collect(),
    };
    charts.write(&place.join("scaling.svg"))?;
    report.figures.push(Illustration {
        file: "figures/scaling.svg".into(),
        caption: "Epoch time and peak memory with straight lines through them".into(),
    });
    device.clone_into(&mut report.about.device);
    report.about.seconds = begin.elapsed().as_secs_f64();
    Ok(())
}

/// One measurement, in a process of its own; those of an interrupted reproduction are kept.
fn answer(setting: Setting, epochs: usize, folder: &Path, device: &str) -> Result<Answer> {
    let Setting {
        samples,
        grid,
        members,
    } = setting;
    let name = setting.name();
    let request = Request {
        data: folder.join(format!("data-n{samples}-g{grid}")),
        run: folder.join(format!("run-{name}")),
        answer: folder.join(setting.file()),
        members,
        epochs,
        device: device.to_owned(),
    };
    if let Ok(bytes) = std::fs::read(&request.answer) {
        return serde_json::from_slice(&bytes)
            .with_context(|| format!("{}: not a measurement", request.answer.display()));
    }
    if !request.data.exists() {
        let generated = Generated {
            counts: Counts([samples, samples.div_ceil(8), 1]),
            seed: 1,
            profile: Profile::Fixed,
        };
        steps::make_data(
            &Darcy::new(&generated, Law::Bumps, Some(grid))?,
            &request.data,
        )?;
    }
    let asked = folder.join(format!("{name}-request.json"));
    files::write_atomic(&asked, &serde_json::to_vec(&request)?)?;
    let status = Command::new(std::env::current_exe().context("the program's own path")?)
        .args(["reproduce", "scaling", "--measure"])
        .arg(&asked)
        .stdout(Stdio::null())
        .status()
        .context("cannot start a process of our own")?;
    if interrupt::requested() {
        bail!(interrupt::Interrupted(format!(
            "measurement {name}; the same command goes on"
        )));
    }
    let bytes = std::fs::read(&request.answer).with_context(|| {
        format!("the measurement {name} ended with {status} and without an answer")
    })?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// What the process of a measurement does.
pub fn child(request: &Path) -> Result<()> {
    let bytes = std::fs::read(request).with_context(|| request.display().to_string())?;
    let request: Request = serde_json::from_slice(&bytes)?;
    let data = Dataset::open(&request.data)?;
    let settings = Settings::preset(
        Experiment::Darcy,
        Operator::Fno,
        Method::PnoD,
        Profile::Fixed,
        crate::data::Size::Demo,
        Some(&data.task_of(Split::Train)),
    )?;
    let more = [
        format!("train.members={}", request.members),
        format!("train.epochs={}", request.epochs),
    ];
    let sets = SETTINGS.iter().map(ToString::to_string).chain(more);
    let overrides: Result<Vec<Override>, String> = sets.map(|set| set.parse()).collect();
    let settings = settings.with_overrides(&overrides.map_err(anyhow::Error::msg)?)?;
    let (device, _) = device::open(&request.device)?;
    if request.run.exists() {
        std::fs::remove_dir_all(&request.run).context("the run of an interrupted measurement")?;
    }
    let begin = Instant::now();
    Run::create(&request.run, settings, &data)?.train(&data, &device)?;
    let mean = begin.elapsed().as_secs_f64() / request.epochs as f64;
    let noted = epochs(&request.run)?;
    let later = noted.iter().skip(1).filter_map(|epoch| epoch.seconds);
    let quickest = later.fold(f64::INFINITY, f64::min);
    let answer = Answer {
        seconds: if quickest.is_finite() { quickest } else { mean },
        bytes: peak(),
    };
    files::write_atomic(&request.answer, &serde_json::to_vec(&answer)?)
}

/// Largest memory of this process so far; known on Linux.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

impl Sweep {
    fn times(&self) -> Vec<(f64, f64)> {
        self.points
            .iter()
            .map(|(x, answer)| (*x, answer.seconds))
            .collect()
    }

    fn megabytes(&self) -> Vec<(f64, f64)> {
        let known = self
            .points
            .iter()
            .filter_map(|(x, answer)| Some((*x, answer.bytes? as f64 / 1e6)));
        known.collect()
    }

    fn block(&self) -> Block {
        let cell = |mean: f64| Cell::Number {
            mean,
            std: None,
            runs: vec![],
        };
        let lines = self.points.iter().map(|(x, answer)| Line {
            label: self.name.to_owned(),
            whose: Whose::Ours,
            runs: None,
            cells: vec![
                Cell::Text(x.to_string()),
                cell(answer.seconds),
                answer
                    .bytes
                    .map_or(Cell::Gap, |bytes| cell(bytes as f64 / 1e6)),
            ],
            note: None,
        });
        Block {
            title: self.name.to_owned(),
            lines: lines.collect(),
        }
    }

    /// How straight the growth is.
    fn fits(&self) -> Vec<String> {
        let words = |what: &str, unit: &str, points: &[(f64, f64)]| {
            let fit = Fit::of(points)?;
            Some(format!(
                "{what} over {}: {} + {} per {} {unit}, R² {:.4}.",
                self.name,
                number(fit.base),
                scientific(fit.slope),
                self.name.trim_end_matches('s'),
                fit.r_squared
            ))
        };
        let all = [
            words("Epoch time", "s", &self.times()),
            words("Peak memory", "MB", &self.megabytes()),
        ];
        all.into_iter().flatten().collect()
    }

    fn seconds(&self) -> Chart {
        self.chart("Time", "s per epoch", self.times())
    }

    fn memory(&self) -> Chart {
        self.chart("Memory", "peak MB", self.megabytes())
    }

    fn chart(&self, what: &str, unit: &str, points: Vec<(f64, f64)>) -> Chart {
        let mut series = vec![];
        let mut hint = String::new();
        if let Some(fit) = Fit::of(&points) {
            let ends = points.first().zip(points.last());
            let line = ends.map(|(a, b)| [a.0, b.0].map(|x| (x, fit.base + fit.slope * x)));
            hint = format!("R² {:.4} of a straight line", fit.r_squared);
            series.push(Series {
                name: "straight line".into(),
                mark: Mark::Dashed,
                colour: "#5b6675",
                points: line.map_or(vec![], |line| line.to_vec()),
            });
        }
        series.push(Series {
            name: "measured".into(),
            mark: Mark::Dots,
            colour: "#1f5a99",
            points,
        });
        Chart {
            title: format!("{what} and {}", self.name),
            hint,
            labels: [self.name.to_owned(), unit.to_owned()],
            series,
            band: None,
            logarithmic: false,
        }
    }
}

fn scientific(value: f64) -> String {
    format!("{value:.3e}")
}

/// A straight line by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Fit {
    base: f64,
    slope: f64,
    r_squared: f64,
}

impl Fit {
    fn of(points: &[(f64, f64)]) -> Option<Self> {
        let n = points.len() as f64;
        if points.len() < 2 {
            return None;
        }
        let (x, y) = points
            .iter()
            .fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
        let sum = |f: fn(f64, f64) -> f64| points.iter().map(|p| f(p.0 - x, p.1 - y)).sum::<f64>();
        let (xx, xy, yy) = (sum(|a, _| a * a), sum(|a, b| a * b), sum(|_, b| b * b));
        let slope = xy / xx;
        Some(Self {
            base: y - slope * x,
            slope,
            r_squared: if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_that_of_least_squares() {
        // numpy.polyfit([1, 2, 4], [3, 4, 9], 1) = [2.07142857, 0.5]; R² = 0.96889401
        let fit = Fit::of(&[(1.0, 3.0), (2.0, 4.0), (4.0, 9.0)]).expect("a line");
        assert!((fit.slope - 2.071_428_571).abs() < 1e-8, "{fit:?}");
        assert!((fit.base - 0.5).abs() < 1e-8, "{fit:?}");
        assert!((fit.r_squared - 0.968_894_009).abs() < 1e-8, "{fit:?}");
        assert_eq!(Fit::of(&[(1.0, 2.0)]), None);
    }

    #[test]
    fn the_peak_of_memory_is_at_least_what_is_held() {
        if cfg!(target_os = "linux") {
            let held = vec![1_u8; 30_000_000];
            let sum: u64 = held.iter().map(|&x| u64::from(x)).sum();
            assert!(peak().expect("known") >= sum);
        }
    }
}
