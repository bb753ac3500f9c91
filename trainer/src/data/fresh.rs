//! New trajectories like those of a data set, made in memory when they are wanted and never written.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail, ensure};
use pno::task::Task;
use rayon::prelude::*;

use super::cut::Cut;
use super::source::{Field, Maker, Source};
use super::{Dataset, Loaded, Split};

/// What a generator says of every data set by itself: these may differ.
const OWN: [&str; 2] = ["seed", "split_seed"];

/// The generator of a data set, for other trajectories.
pub struct Fresh {
    source: Box<dyn Source>,
    task: Task,
    cut: Cut,
}

impl Fresh {
    /// A generator that says of its trajectories what the data set says of those it has, but for the seed; any other is
    /// refused with the difference.
    pub fn new(data: &Dataset, source: Box<dyn Source>) -> Result<Self> {
        let contents = source.contents();
        let place = data.path().display();
        let Some(wanted) = contents.attributes.as_object() else {
            bail!("a generator says nothing of its trajectories");
        };
        for (key, wanted) in wanted
            .iter()
            .filter(|(key, _)| !OWN.contains(&key.as_str()))
        {
            let found = data.attributes().get(key);
            if found != Some(wanted) {
                let found = found.map_or("nothing".into(), ToString::to_string);
                bail!(
                    "{place}: its cases were not made as this program makes new ones (attribute `{key}` is {found}, and would be {wanted}): leave out --fresh, or make the data again with `pno data generate`"
                );
            }
        }
        let frames = contents.arrays.first().map_or(0, Field::row_len)
            / contents.description.frame_len().max(1);
        ensure!(
            data.describes(&contents.description) && frames == data.frames_per_row(),
            "{place}: its cases are cut otherwise than those of new trajectories: leave out --fresh, or make the data again with `pno data generate`"
        );
        Ok(Self {
            task: data.task_of(Split::Train),
            cut: data.cut(Split::Train),
            source,
        })
    }

    /// Trajectories that are made together at no extra cost: the first of such a group must be a multiple of this.
    pub fn at_once(&self) -> usize {
        self.source.contents().rows_at_once.max(1)
    }

    /// Bytes of a trajectory.
    pub fn bytes(&self) -> usize {
        let arrays = self.source.contents().arrays.iter();
        arrays.map(|field| field.row_len() * size_of::<f32>()).sum()
    }

    /// Some trajectories by number, by all threads of the pool in which this is called; ends early where it is told to stop.
    pub fn made(&self, rows: Range<usize>, stop: &AtomicBool) -> Result<Loaded> {
        let contents = self.source.contents();
        let piece = contents.rows_per_chunk();
        let starts: Vec<usize> = rows.clone().step_by(piece).collect();
        // As many makers as threads, lent out piece by piece.
        let idle: Mutex<Vec<Box<dyn Maker + '_>>> = Mutex::new(vec![]);
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let of_piece = |start: usize| -> Result<Vec<Vec<f32>>> {
            if stop.load(Ordering::Relaxed) {
                bail!("no more trajectories are wanted");
            }
            let lent = lock().pop();
            let mut maker = match lent {
                Some(maker) => maker,
                None => self.source.maker()?,
            };
            let made = maker.rows(start..(start + piece).min(rows.end))?;
            lock().push(maker);
            let mut values = made.iter().flatten();
            ensure!(
                values.all(|value| value.is_finite()),
                "a new trajectory has values that are not finite (number {start} or one of the {piece} from there)"
            );
            Ok(made)
        };
        let pieces = starts.into_par_iter().with_max_len(1).map(of_piece);
        let pieces: Vec<Vec<Vec<f32>>> = pieces.collect::<Result<_>>()?;
        let mut values = vec![vec![]; contents.arrays.len()];
        for piece in pieces {
            for (all, made) in values.iter_mut().zip(piece) {
                all.extend(made);
            }
        }
        let row_lens = contents.arrays.iter().map(Field::row_len).collect();
        Ok(Loaded::of_rows(
            self.task.clone(),
            self.cut.clone(),
            values,
            row_lens,
            rows.len(),
        ))
    }
}
