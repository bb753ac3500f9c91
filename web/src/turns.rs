//! Several figures share one worker, which serves one run at a time: whose turn it is.
//!
//! A guest that asks again ends its own run, never another's. A guest out of sight gives way to one in sight, and its
//! run begins anew when it is back.

use std::collections::VecDeque;

/// Runs of one guest: numbers of different guests never meet.
pub const RUNS_BITS: u32 = 20;

/// The guest to whom a run belongs.
pub fn guest_of(run: u32) -> u32 {
    run >> RUNS_BITS
}

/// What the worker is to be told.
#[derive(Debug, Clone, PartialEq)]
pub enum Step<T> {
    /// Begin this request. `again`: the guest before was the same, so what it left in the worker still holds.
    Start {
        /// The request.
        request: T,
        /// Whether the guest before was the same.
        again: bool,
    },
    /// Wait, or go on.
    Pause(bool),
    /// Something about the run that is or was the last.
    Tell(T),
}

struct Guest<T> {
    number: u32,
    hidden: bool,
    /// What waits for its turn.
    wish: Option<(u32, T)>,
    /// What the worker has of it.
    running: Option<(u32, T)>,
}

/// Who waits, and who has the worker.
pub struct Turns<T> {
    /// In the order in which they have asked.
    guests: VecDeque<Guest<T>>,
    current: Option<u32>,
    last: Option<u32>,
    next_number: u32,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self {
            guests: VecDeque::new(),
            current: None,
            last: None,
            next_number: 1,
        }
    }
}

impl<T: Clone> Turns<T> {
    /// Lets somebody in; the number is theirs.
    pub fn enter(&mut self) -> u32 {
        let number = self.next_number;
        // The last bits of a run's number count its guest's runs.
        self.next_number = (number + 1) % (1 << (u32::BITS - RUNS_BITS));
        self.guests.push_back(Guest {
            number,
            hidden: false,
            wish: None,
            running: None,
        });
        number
    }

    /// Whether the worker's last run is or was this guest's.
    pub fn serves(&self, number: u32) -> bool {
        self.last == Some(number)
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        self.guests.is_empty()
    }

    /// A guest asks for a run; what it asked for before is over.
    pub fn ask(&mut self, number: u32, run: u32, request: T) -> Option<Step<T>> {
        let at = self.guests.iter().position(|g| g.number == number)?;
        let mut guest = self.guests.remove(at)?;
        guest.wish = Some((run, request));
        let own = self.current == Some(number);
        if own {
            guest.running = None;
            self.current = None;
            // Its turn is not over: it only changed its mind.
            self.guests.push_front(guest);
        } else {
            self.guests.push_back(guest);
        }
        let step = self.next();
        // What it had asked for before may still be computed, for nobody.
        step.or_else(|| (own && self.current.is_none()).then_some(Step::Pause(true)))
    }

    /// A run has come to its end.
    pub fn ended(&mut self, run: u32) -> Option<Step<T>> {
        let current = self.current?;
        let guest = self.guests.iter_mut().find(|g| g.number == current)?;
        if guest.running.as_ref().is_none_or(|(id, _)| *id != run) {
            return None;
        }
        guest.running = None;
        self.current = None;
        self.next()
    }

    /// A guest goes out of sight or comes back.
    pub fn hide(&mut self, number: u32, hidden: bool) -> Option<Step<T>> {
        let guest = self.guests.iter_mut().find(|g| g.number == number)?;
        if guest.hidden == hidden {
            return None;
        }
        guest.hidden = hidden;
        let current = self.current == Some(number);
        let step = self.next();
        step.or_else(|| current.then_some(Step::Pause(hidden)))
    }

    /// A guest is gone; what is computed for it is of no use.
    pub fn leave(&mut self, number: u32) -> Option<Step<T>> {
        self.guests.retain(|guest| guest.number != number);
        if self.current != Some(number) {
            return None;
        }
        self.current = None;
        self.next().or(Some(Step::Pause(true)))
    }

    /// Begins with the guest in sight that has waited longest, if the worker is free or works for somebody out of sight.
    fn next(&mut self) -> Option<Step<T>> {
        let busy = self.current.and_then(|number| {
            let guest = self.guests.iter().find(|g| g.number == number)?;
            Some(!guest.hidden)
        });
        if busy == Some(true) {
            return None;
        }
        let at = self
            .guests
            .iter()
            .position(|guest| !guest.hidden && guest.wish.is_some())?;
        if let Some(number) = self.current.take()
            && let Some(guest) = self.guests.iter_mut().find(|g| g.number == number)
        {
            let unfinished = guest.running.take();
            guest.wish = guest.wish.take().or(unfinished);
        }
        let guest = self.guests.get_mut(at)?;
        let (run, request) = guest.wish.take()?;
        guest.running = Some((run, request.clone()));
        let again = self.last == Some(guest.number);
        self.current = Some(guest.number);
        self.last = self.current;
        Some(Step::Start { request, again })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(request: &'static str, again: bool) -> Option<Step<&'static str>> {
        Some(Step::Start { request, again })
    }

    fn two() -> (Turns<&'static str>, u32, u32) {
        let mut turns = Turns::default();
        let (a, b) = (turns.enter(), turns.enter());
        (turns, a, b)
    }

    #[test]
    fn a_second_figure_waits_until_the_first_is_done() {
        let (mut turns, a, b) = two();
        assert_eq!(turns.ask(a, 10, "a"), start("a", false));
        assert_eq!(turns.ask(b, 20, "b"), None);
        assert_eq!(turns.ended(20), None, "that run has not begun");
        assert!(turns.serves(a) && !turns.serves(b));
        assert_eq!(turns.ended(10), start("b", false));
        assert_eq!(turns.ended(20), None);
        assert!(turns.serves(b), "also when it is done");
        assert_eq!(turns.ask(b, 21, "b again"), start("b again", true));
    }

    #[test]
    fn a_figure_that_asks_again_ends_its_own_run_only() {
        let (mut turns, a, b) = two();
        turns.ask(a, 10, "a");
        turns.ask(b, 20, "b");
        assert_eq!(turns.ask(a, 11, "a2"), start("a2", true));
        assert_eq!(turns.ended(10), None, "the end of what was given up");
        assert_eq!(turns.ask(b, 21, "b2"), None);
        assert_eq!(turns.ended(11), start("b2", false), "the newest wish");
    }

    #[test]
    fn who_is_out_of_sight_gives_way_and_begins_anew() {
        let (mut turns, a, b) = two();
        turns.ask(a, 10, "a");
        assert_eq!(turns.hide(a, true), Some(Step::Pause(true)));
        assert_eq!(turns.hide(a, true), None, "known already");
        assert_eq!(turns.ask(b, 20, "b"), start("b", false));
        assert_eq!(turns.hide(a, false), None, "b is at work");
        assert_eq!(turns.ended(20), start("a", false));
        assert_eq!(turns.hide(a, true), Some(Step::Pause(true)));
        assert_eq!(turns.hide(a, false), Some(Step::Pause(false)));
    }

    #[test]
    fn a_wish_out_of_sight_waits() {
        let (mut turns, a, b) = two();
        turns.hide(b, true);
        assert_eq!(turns.ask(b, 20, "b"), None);
        turns.ask(a, 10, "a");
        assert_eq!(turns.ended(10), None);
        assert_eq!(turns.hide(b, false), start("b", false));
        turns.hide(b, true);
        let other_wish = turns.ask(b, 21, "b2");
        assert_eq!(other_wish, Some(Step::Pause(true)), "the old run rests");
    }

    #[test]
    fn who_leaves_frees_the_worker() {
        let (mut turns, a, b) = two();
        turns.ask(a, 10, "a");
        turns.ask(b, 20, "b");
        assert_eq!(turns.leave(a), start("b", false));
        assert_eq!(turns.leave(b), Some(Step::Pause(true)));
        assert!(turns.is_empty());
        assert_eq!(turns.ask(b, 21, "b"), None, "nobody asks");
    }

    #[test]
    fn numbers_of_runs_tell_their_guest() {
        let (_, a, b) = two();
        assert_eq!(guest_of((a << RUNS_BITS) + 7), a);
        assert_eq!(guest_of((b << RUNS_BITS) + 1), b);
    }
}
