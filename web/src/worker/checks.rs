//! Verification of the current run, in the breaks between its passes: as often as it costs little, and at the end.

use std::rc::Rc;

use pno::spec::Experiment;
use pno::task::{Domain, Task};

use super::case::Opened;
use super::post::reply;
use super::run::{Bench, End};
use super::time::now;
use crate::field::{Lead, Scene};
use crate::message::{Look, Reply};
use crate::truth::STATES;
use crate::verify::{Held, Lie, Reference};

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
    /// What every side is shown beside.
    references: Rc<[Reference]>,
    /// What a climatology must be of; `None` where there is none to come.
    climatology: Option<(Experiment, Task, usize)>,
    /// When a verification may be next, in milliseconds of the worker's clock.
    rests_until: f64,
}

struct Side {
    held: Held,
    /// What was told last: the look, and how many members of how many frames.
    told: Option<(Look, (usize, usize))>,
}

impl Checks {
    /// Nothing yet of a run, whose case was opened.
    pub fn new(run: u32, scene: &Scene, opened: &Opened) -> Self {
        let Opened {
            task, input, scope, ..
        } = opened;
        let weights = match task.domain {
            Domain::Sphere(_) => task.grid().weights(),
            Domain::Flat => vec![],
        };
        // What there is to compare with is shown by lead time.
        let leads = scene.lead != Lead::None;
        Self {
            run,
            lie: Some(Lie::of(scene, weights)),
            references: input
                .as_ref()
                .filter(|_| leads)
                .map(|input| Reference::repeated(task, input).into())
                .unwrap_or_default(),
            climatology: leads.then(|| (scene.experiment, scope.task.clone(), scope.times)),
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
            let mut held = Held::new(lie.clone());
            held.compare(&self.references);
            self.sides.push(Side { held, told: None });
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
        let mut outcome = self.verify(&mut checks, look, end).await;
        if end && outcome.is_ok() {
            // What it is compared with comes last: the forecast does not wait for it.
            outcome = self.compare(&mut checks).await;
        }
        if end && outcome.is_ok() {
            outcome = self.verify(&mut checks, look, end).await;
        }
        self.checks.replace(checks);
        outcome
    }

    /// Solves the states of the climatology, unless they are there already, and shows every side beside them.
    async fn compare(&self, checks: &mut Checks) -> Result<(), End> {
        let Some(of) = checks.climatology.clone() else {
            return Ok(());
        };
        let mut climatology = self.climatology.take();
        climatology.begin(of);
        let mut outcome = Ok(());
        while outcome.is_ok() && climatology.go_on(now) {
            outcome = self.give_way().await;
        }
        if outcome.is_ok() {
            checks.climatology = None;
        }
        if let (Ok(()), Some(states)) = (&outcome, climatology.states()) {
            let last = Reference::climatology(states, STATES);
            let all = checks.references.iter().cloned().chain([last]);
            checks.references = all.collect();
            for side in &mut checks.sides {
                side.held.compare(&checks.references);
                side.told = None;
            }
        }
        self.climatology.replace(climatology);
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
