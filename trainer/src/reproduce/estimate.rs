//! How long the jobs that are left will take: counted in operations, timed by the jobs that are done.

use std::collections::BTreeMap;

use super::jobs::Job;
use super::place::Place;
use super::recipe::{Recipe, settings, task};
use super::size::Size;
use super::source::{Data, Source, Training};

/// Operations per second until a job has been timed: what two cores reach in training.
const RATE: f64 = 1.5e10;
/// Epochs after which early stopping usually ends a training that may have a thousand.
const USUAL_EPOCHS: usize = 130;

/// Expectations of one working folder.
pub struct Estimate {
    size: Size,
    times: BTreeMap<String, f64>,
}

impl Estimate {
    /// From the times so far.
    pub fn new(place: &Place, size: Size) -> Self {
        let times = place.times();
        Self { size, times }
    }

    /// Seconds that the jobs that are not done will take, and whether that was timed or guessed.
    pub fn seconds(&self, jobs: &[Job], done: &[bool]) -> (f64, bool) {
        let left = jobs.iter().zip(done).filter(|(_, done)| !**done);
        // An empty sum of floats is -0.
        let work: f64 = left.map(|(job, _)| self.work(job)).sum();
        let rate = self.rate(jobs, done);
        ((work + 0.0) / rate.unwrap_or(RATE), rate.is_some())
    }

    /// `, about 3 h left`, as far as that can be told.
    pub fn left(&self, jobs: &[Job], done: &[bool]) -> String {
        let (seconds, timed) = self.seconds(jobs, done);
        let guess = if timed { "" } else { " at a guess" };
        format!(", about {} left{guess}", span(seconds))
    }

    /// Operations per second of the jobs that were timed.
    fn rate(&self, jobs: &[Job], done: &[bool]) -> Option<f64> {
        let timed = jobs.iter().zip(done).filter(|(_, done)| **done);
        let timed = timed.filter_map(|(job, _)| {
            let seconds = self.times.get(&job.name())?;
            Some((self.work(job), *seconds))
        });
        let (work, seconds) = timed.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (seconds > 1.0 && work > 0.0).then_some(work / seconds)
    }

    /// Operations of a job, roughly.
    fn work(&self, job: &Job) -> f64 {
        match job {
            Job::Data(_) => 0.0,
            Job::Train(training, _) => self.training(training).unwrap_or(0.0),
            Job::Derive(source, _) => {
                let cases = self.counts(source.training().data)[0];
                self.passes(source, cases as f64)
            }

            Job::Evaluate(source, evaluation, _) => {
                let cases = self.counts(evaluation.data)[2];
                let method = source.method();
                let many = method.drops_at_inference() || method.takes_functions();
                let members = if many {
                    f64::from(self.size.members())
                } else {
                    1.0
                };
                self.passes(source, members * (evaluation.steps * cases) as f64)
            }
        }
    }

    fn training(&self, training: &Training) -> Option<f64> {
        let task = task(training.data, self.size)?;
        let settings = settings(training, self.size, 1, Some(&task), None).ok()?;
        let cases = self.counts(training.data);
        let flops = settings.model.flops(&task.input_shape()) as f64;
        let train = &settings.train;
        let each = training.method.passes_per_member();
        let passes = if each { train.members } else { 1 };
        let stages = (0..=train.stages.len())
            .map(|stage| train.epochs_of(stage).min(USUAL_EPOCHS) * train.steps_of(stage));
        let epochs: usize = stages.sum();
        // A step back costs two steps forward; validation has none.
        let rows = 3.0 * cases[0] as f64 + cases[1] as f64;
        Some(flops * rows * passes as f64 * epochs as f64)
    }

    /// So many passes through the network of a model.
    fn passes(&self, source: &Source, number: f64) -> f64 {
        let training = source.training();
        let flops = task(training.data, self.size).and_then(|task| {
            let settings = settings(training, self.size, 1, Some(&task), None).ok()?;
            Some(settings.model.flops(&task.input_shape()) as f64)
        });
        flops.unwrap_or(0.0) * number
    }

    /// Cases of a data set; none of one that is not made here.
    fn counts(&self, data: Data) -> [usize; 3] {
        let recipe = Recipe::of(data, self.size).ok().flatten();
        recipe.map_or([0; 3], |recipe| recipe.counts())
    }
}

/// A time for people.
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_short() {
        assert_eq!(span(12.3), "12 s");
        assert_eq!(span(600.0), "10 min");
        assert_eq!(span(9000.0), "2.5 h");
        assert_eq!(span(864_000.0), "10 days");
    }
}
