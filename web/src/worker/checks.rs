//! Verification of the current run, in the breaks between its passes: as often as it costs little, and at the end.

use pno::task::{Domain, Task};

use super::post::reply;
use super::run::{Bench, End};
use super::time::now;
use crate::field::Scene;
use crate::message::{Look, Reply};
use crate::verify::{Held, Lie};

/// Verifying again may take this part of the time.
const SHARE: f64 = 0.2;
/// After so long a verification lets messages in.
const BREATH_MS: f64 = 15.0;

/// The members of a run, by side.
#[derive(Default)]
pub struct Checks {
    run: u32,
    lie: Option<Lie>,
    sides: Vec<Side>,
    /// When a verification may be next, in milliseconds of the worker's clock.
    rests_until: f64,
}

struct Side {
    held: Held,
    /// What was told last: the look, and how many members of how many frames.
    told: Option<(Look, (usize, usize))>,
}

impl Checks {
    /// Nothing yet of a run.
    pub fn new(run: u32, scene: &Scene, task: &Task) -> Self {
        let weights = match task.domain {
            Domain::Sphere(_) => task.grid().weights(),
            Domain::Flat => vec![],
        };
        Self {
            run,
            lie: Some(Lie::of(scene, weights)),
            ..Self::default()
        }
    }

    /// The run goes on under another number.
    pub fn go_on(&mut self, run: u32) {
        self.run = run;
    }

    /// Takes in members of a side; see [`Held::push`]. Where a calibration moved all members so far, they are `moved`.
    pub fn push(
        &mut self,
        side: usize,
        part: usize,
        truth: &[f32],
        members: &[f32],
        moved: Option<Vec<f32>>,
    ) {
        let Some(lie) = &self.lie else {
            return;
        };
        while self.sides.len() <= side {
            self.sides.push(Side {
                held: Held::new(lie.clone()),
                told: None,
            });
        }
        let held = &mut self.sides[side].held;
        match moved {
            Some(all) => held.replace(part, truth, all),
            None => held.push(part, truth, members),
        }
    }
}

impl Bench {
    /// Tells how good the members are, if somebody looks and there is news. Unless it is the end, it waits until
    /// enough other work was done.
    pub async fn check(&self, end: bool) -> Result<(), End> {
        let run = self.checks.borrow().run;
        let Some(look) = self.inbox.look(run) else {
            return Ok(());
        };
        let mut checks = self.checks.take();
        let outcome = self.verify(&mut checks, look, end).await;
        self.checks.replace(checks);
        outcome
    }

    async fn verify(&self, checks: &mut Checks, look: Look, end: bool) -> Result<(), End> {
        let rests = now() < checks.rests_until;
        for (number, side) in checks.sides.iter_mut().enumerate() {
            let state = side.held.state();
            let other_look = side.told.is_none_or(|(told, _)| told != look);
            let news = other_look || side.told.is_none_or(|(_, told)| told != state);
            if !news || (rests && !other_look && !end) {
                continue;
            }
            let begun = now();
            let mut rested = begun;
            while side.held.step(look.channel as usize) {
                if now() - rested > BREATH_MS {
                    self.give_way().await?;
                    rested = now();
                }
            }
            let report = side
                .held
                .report(number as u8, look.channel as usize, look.threshold);
            if let Some(report) = report {
                reply(&Reply::Verified(look.id, Box::new(report)), &[]);
            }
            side.told = Some((look, state));
            let ended = now();
            checks.rests_until = ended + (ended - begun) / SHARE;
        }
        Ok(())
    }
}
