//! `pno reproduce`: the tables and figures of the paper.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pno::spec::Method;

use super::{Usage, command_line, print};
use crate::device;
use crate::reproduce::build::{self, Sources};
use crate::reproduce::engine::{Engine, Failures, is_done};
use crate::reproduce::estimate::{Estimate, span};
use crate::reproduce::jobs::{Job, Wish};
use crate::reproduce::place::Place;
use crate::reproduce::size::Size;
use crate::reproduce::table::{Kind, Table};
use crate::reproduce::{pictures, scaling, tables, write};

const EXAMPLES: &str = "\
Examples:
  pno reproduce --list                            every table, its jobs, and how long they may take
  pno reproduce ks                                data, training, evaluation, table and figures of one experiment
  pno reproduce darcy ks --seeds 1,12,123         two tables, three runs of everything
  pno reproduce ks --methods pno-d,pno-r --dry-run
  pno reproduce all --size paper --device cuda:0  what the paper did
  pno reproduce all --report-only                 writes the tables again from what is there

A job that is done stays done, also for other tables: the weights of DET serve LA, and the table of skills trains nothing.
Ctrl-C stops at once and the same command goes on. A job that fails is told, the others go on, and the table marks the gap.
Results go to OUT/<size>/<table>.md, .tex, .json and figures/; words of your own in OUT/<size>/<table>.notes.md are put in.
ERA5 is not generated: import it into WORK/<size>/data/era5 first.";

/// Make the tables and figures of the paper, with its numbers beside ours.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Names of tables (see --list), or `all`
    #[arg(value_name = "TABLE", required_unless_present = "list")]
    tables: Vec<String>,
    /// Show the tables, their jobs and an estimate of their time
    #[arg(long)]
    list: bool,
    /// Show the jobs and which of them are done; do nothing
    #[arg(long)]
    dry_run: bool,
    /// Write tables and figures from what is there; train and score nothing
    #[arg(long, conflicts_with = "dry_run")]
    report_only: bool,
    /// small (a reduction, hours on two cores) or paper (the published procedure, for a GPU)
    #[arg(long, value_enum, default_value = "small", hide_possible_values = true)]
    size: Size,
    /// Seeds of the runs, if not two (small) or the published nine
    #[arg(long, value_name = "S,S,…", value_delimiter = ',')]
    seeds: Option<Vec<u64>>,
    /// Only these methods: det, pno-d, pno-r, mcd, laplace
    #[arg(long, value_name = "M,M,…", value_delimiter = ',')]
    methods: Option<Vec<Method>>,
    /// Where data, runs and evaluations are kept
    #[arg(long, value_name = "DIR", default_value = "runs/reproduce")]
    work: PathBuf,
    /// Where tables and figures go
    #[arg(long, value_name = "DIR", default_value = "docs/results")]
    out: PathBuf,
    /// auto, cpu, wgpu or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
    /// A measurement of `scaling`, in a process of its own
    #[arg(long, value_name = "FILE", hide = true)]
    measure: Option<PathBuf>,
}

/// Runs `pno reproduce`.
pub fn run(args: &Args) -> Result<()> {
    if let Some(request) = &args.measure {
        return scaling::child(request);
    }
    let wish = Wish {
        size: args.size,
        seeds: args.seeds.clone(),
        methods: args.methods.clone(),
    };
    let place = Place::new(&args.work, args.size);
    if args.list {
        return print(&list(&wish, &place));
    }
    let tables = chosen(args)?;
    let jobs = wish.jobs(&tables);
    if args.dry_run {
        return print(&plan(&wish, &place, &jobs));
    }
    let (device, label) = if args.report_only {
        (None, "a device of an earlier run".to_owned())
    } else {
        let (device, label) = device::open(&args.device)?;
        (Some(device), label)
    };
    let writer = Writer {
        args,
        wish: &wish,
        place: &place,
        label: &label,
    };
    // A table is written as soon as the last of its jobs is over.
    let ends: Vec<Option<usize>> = tables
        .iter()
        .map(|table| last(&wish, table, &jobs))
        .collect();
    let written = |at: Option<usize>, failures: &Failures| -> Result<()> {
        for (table, _) in tables.iter().zip(&ends).filter(|(_, end)| **end == at) {
            writer.write(table, failures)?;
        }
        Ok(())
    };
    let Some(device) = device else {
        for table in &tables {
            writer.write(table, &Failures::new())?;
        }
        return Ok(());
    };
    written(None, &Failures::new())?;
    let engine = Engine {
        place: place.clone(),
        size: args.size,
        device: (device, label.clone()),
    };
    let failures = engine.run(&jobs, |at, failures| written(Some(at), failures))?;
    told(&failures, jobs.len())
}

/// The job after which a table is complete.
fn last(wish: &Wish, table: &Table, jobs: &[Job]) -> Option<usize> {
    let own: Vec<String> = wish
        .jobs(std::slice::from_ref(table))
        .iter()
        .map(Job::name)
        .collect();
    jobs.iter().rposition(|job| own.contains(&job.name()))
}

/// The end: an error where something failed that should not have.
fn told(failures: &Failures, total: usize) -> Result<()> {
    let faults = failures.values().filter(|failure| !failure.absent);
    let mut reasons: Vec<&str> = faults.clone().map(|failure| failure.why.as_str()).collect();
    reasons.dedup();
    if let Some(first) = reasons.first() {
        bail!(
            "{} of {total} jobs have no result, and the tables mark the gaps; the first: {first}",
            faults.count()
        );
    }
    Ok(())
}

fn chosen(args: &Args) -> Result<Vec<Table>> {
    let all = tables::all(args.size);
    if args.tables.iter().any(|name| name == "all") {
        return Ok(all);
    }
    let mut chosen = vec![];
    for name in &args.tables {
        let Some(table) = all.iter().find(|table| table.name == name) else {
            let known: Vec<&str> = all.iter().map(|table| table.name).collect();
            bail!(Usage(format!(
                "unknown table `{name}`; known: all, {}",
                known.join(", ")
            )));
        };
        chosen.push(table.clone());
    }
    Ok(chosen)
}

/// Every table with its jobs and the time they may take.
fn list(wish: &Wish, place: &Place) -> String {
    let mut out = format!(
        "{:<18}{:>6}{:>6}  {:<12}what\n",
        "table", "jobs", "done", "time left"
    );
    let estimate = Estimate::new(place, wish.size);
    let mut timed = true;
    let mut line = |name: &str, tables: &[Table], title: &str| {
        let jobs = wish.jobs(tables);
        let done = done(wish, place, &jobs);
        let (seconds, known) = estimate.seconds(&jobs, &done);
        timed &= known || seconds == 0.0;
        let finished = done.iter().filter(|done| **done).count();
        let _ = writeln!(
            out,
            "{name:<18}{:>6}{finished:>6}  {:<12}{title}",
            jobs.len(),
            span(seconds)
        );
    };
    let all = tables::all(wish.size);
    for table in &all {
        line(table.name, std::slice::from_ref(table), table.title);
    }
    line("all", &all, "all of them; what tables share is done once");
    let basis = if timed {
        "from the jobs that are done"
    } else {
        "a guess for two cores where nothing has been timed yet"
    };
    let _ = write!(out, "size {}; times are {basis}", wish.size);
    out
}

fn done(wish: &Wish, place: &Place, jobs: &[Job]) -> Vec<bool> {
    let done = jobs
        .iter()
        .map(|job| is_done(place, wish.size, job).unwrap_or(false));
    done.collect()
}

/// The jobs, and which of them are done.
fn plan(wish: &Wish, place: &Place, jobs: &[Job]) -> String {
    let done = done(wish, place, jobs);
    let mut out = String::new();
    for (job, done) in jobs.iter().zip(&done) {
        let _ = writeln!(
            out,
            "{}  {}",
            if *done { "done " } else { "to do" },
            job.name()
        );
    }
    let finished = done.iter().filter(|done| **done).count();
    let left = Estimate::new(place, wish.size).left(jobs, &done);
    let _ = write!(out, "{finished} of {} jobs are done{left}", jobs.len());
    out
}

/// Writes tables.
struct Writer<'a> {
    args: &'a Args,
    wish: &'a Wish,
    place: &'a Place,
    label: &'a str,
}

impl Writer<'_> {
    fn write(&self, table: &Table, failures: &Failures) -> Result<()> {
        let out: &Path = &self.args.out;
        let sources = Sources {
            place: self.place,
            wish: self.wish,
            failures,
            device: self.label,
            command: &command_line(),
        };
        let mut report = build::report(table, &sources, out)?;
        if table.kind == Kind::Scaling {
            let folder = self.args.work.join(self.args.size.name()).join("scaling");
            if self.args.report_only && !scaling::is_measured(self.args.size, &folder) {
                return print("scaling has not been measured: nothing was written");
            }
            scaling::measure(&mut report, self.args.size, &folder, &self.args.device, out)?;
        } else {
            report.figures = pictures::draw(table, &sources, out)?;
        }
        write::write_report(out, &report)?;
        write::write_index(out)?;
        let path = out
            .join(self.args.size.name())
            .join(format!("{}.md", table.name));
        print(&format!("wrote {}", path.display()))
    }
}
