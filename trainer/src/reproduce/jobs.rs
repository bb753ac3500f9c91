//! From tables to jobs: what has to be done, each once, in an order in which it can be done.

use pno::spec::Method;

use super::size::Size;
use super::source::{Data, Evaluation, Source, Training};
use super::table::{Kind, Row, SEEDS, Table};

/// One piece of work.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// A data set.
    Data(Data),
    /// A training.
    Train(Training, u64),
    /// A model that is made of trained ones.
    Derive(Source, u64),
    /// An evaluation.
    Evaluate(Source, Evaluation, u64),
}

impl Job {
    /// Names the job; the same work has the same name in every table.
    pub fn name(&self) -> String {
        match self {
            Self::Data(data) => format!("data {}", data.name()),
            Self::Train(training, seed) => format!("train {}-s{seed}", training.name),
            Self::Derive(source, seed) => format!("make {}-s{seed}", source.name()),
            Self::Evaluate(source, evaluation, seed) => {
                format!("evaluate {}{}-s{seed}", source.name(), evaluation.suffix())
            }
        }
    }

    /// What must be done before.
    pub fn needs(&self) -> Vec<Self> {
        match self {
            Self::Data(_) => vec![],
            Self::Train(training, seed) => {
                let from = training.from.iter();
                let from = from.map(|from| Self::Train((**from).clone(), *seed));
                std::iter::once(Self::Data(training.data))
                    .chain(from)
                    .collect()
            }
            Self::Derive(source, seed) => {
                let seeds = match source {
                    Source::DeepEnsemble { networks, .. } => SEEDS[..*networks].to_vec(),
                    _ => vec![*seed],
                };
                let train = |seed| Self::Train(source.training().clone(), seed);
                seeds.into_iter().map(train).collect()
            }
            Self::Evaluate(source, evaluation, seed) => {
                let model = match source {
                    Source::Trained(training) => Self::Train(training.clone(), *seed),
                    other => Self::Derive(other.clone(), *seed),
                };
                vec![Self::Data(evaluation.data), model]
            }
        }
    }
}

/// What is wanted of all tables.
#[derive(Debug, Clone)]
pub struct Wish {
    /// How large.
    pub size: Size,
    /// Seeds, if not those of the tables.
    pub seeds: Option<Vec<u64>>,
    /// Methods, if not all.
    pub methods: Option<Vec<Method>>,
}

impl Wish {
    /// The seeds of a table.
    pub fn seeds_of(&self, table: &Table) -> Vec<u64> {
        self.seeds.clone().unwrap_or_else(|| table.seeds(self.size))
    }

    /// The seeds of a row: a deep ensemble has all its seeds in one model.
    pub fn seeds_of_row(&self, table: &Table, row: &Row) -> Vec<u64> {
        let seeds = self.seeds_of(table);
        match row.source {
            Source::DeepEnsemble { .. } => seeds[..1].to_vec(),
            _ => seeds,
        }
    }

    /// The rows of a table that are wanted.
    pub fn rows<'a>(&self, table: &'a Table) -> Vec<&'a Row> {
        let wanted = |row: &&Row| {
            let methods = self.methods.as_ref();
            methods.is_none_or(|methods| methods.contains(&row.source.method()))
        };
        table.rows.iter().filter(wanted).collect()
    }

    /// The jobs of some tables, every one once and after all that it needs.
    pub fn jobs(&self, tables: &[Table]) -> Vec<Job> {
        let mut jobs = vec![];
        // Seed by seed: after the first of them every table has numbers.
        let most = tables.iter().map(|table| self.seeds_of(table).len()).max();
        for table in tables {
            if table.kind == Kind::Scaling {
                continue;
            }
            for turn in 0..most.unwrap_or(0) {
                for row in self.rows(table) {
                    if let Some(&seed) = self.seeds_of_row(table, row).get(turn) {
                        let source = row.source.clone();
                        push(&mut jobs, Job::Evaluate(source, row.evaluation, seed));
                    }
                }
            }
        }
        jobs
    }
}

/// Adds a job after what it needs, unless it is there.
fn push(jobs: &mut Vec<Job>, job: Job) {
    let name = job.name();
    if jobs.iter().any(|known| known.name() == name) {
        return;
    }
    for need in job.needs() {
        push(jobs, need);
    }
    jobs.push(job);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::tables;

    fn wish() -> Wish {
        Wish {
            size: Size::Small,
            seeds: Some(vec![1, 12]),
            methods: None,
        }
    }

    fn table(name: &str) -> Table {
        let mut all = tables::all(Size::Small).into_iter();
        all.find(|table| table.name == name).expect("a table")
    }

    #[test]
    fn every_job_comes_once_and_after_what_it_needs() {
        let jobs = wish().jobs(&tables::all(Size::Small));
        for (at, job) in jobs.iter().enumerate() {
            let names: Vec<String> = jobs[..at].iter().map(Job::name).collect();
            assert!(!names.contains(&job.name()), "{} twice", job.name());
            for need in job.needs() {
                assert!(names.contains(&need.name()), "{} before", need.name());
            }
        }
    }

    #[test]
    fn the_deterministic_network_serves_the_laplace_approximation() {
        let jobs = wish().jobs(&[table("ks")]);
        let trained = jobs.iter().filter(|job| matches!(job, Job::Train(..)));
        assert_eq!(trained.count(), 4 * 2, "four networks, two seeds");
        let scored = jobs.iter().filter(|job| matches!(job, Job::Evaluate(..)));
        assert_eq!(scored.count(), 6 * 2);
    }

    #[test]
    fn skill_and_runtime_train_nothing_of_their_own() {
        let of = |names: &[&str]| {
            let tables: Vec<Table> = names.iter().map(|name| table(name)).collect();
            wish().jobs(&tables).len()
        };
        let tables = ["darcy", "ks", "sswe-two-step", "era5", "sswe-one-step"];
        let more = [
            "darcy",
            "ks",
            "sswe-two-step",
            "era5",
            "sswe-one-step",
            "skill",
            "runtime",
        ];
        assert_eq!(of(&tables), of(&more));
    }

    #[test]
    fn methods_and_seeds_can_be_chosen() {
        let wish = Wish {
            seeds: Some(vec![7]),
            methods: Some(vec![Method::Laplace]),
            ..wish()
        };
        let names: Vec<String> = wish.jobs(&[table("darcy")]).iter().map(Job::name).collect();
        assert_eq!(
            names,
            [
                "data darcy",
                "train darcy-fno-det-s7",
                "make darcy-fno-det-laplace-paper-s7",
                "evaluate darcy-fno-det-laplace-paper-s7",
                "make darcy-fno-det-laplace-fixed-s7",
                "evaluate darcy-fno-det-laplace-fixed-s7",
            ]
        );
    }
}
