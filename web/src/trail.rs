//! Which changes of the page make an entry in the browser's history, so that Back and Forward lead from place to place.
//!
//! A place is what a person would call one: a problem, a view, a method, a case. Everything else, such as a slider or the
//! point that is looked at, changes the entry of the place one is at.

use pno::spec::{Experiment, Method};

use crate::address;
use crate::settings::Settings;
use crate::views::View;

/// Files of the visitor's own, which no address can hold: a model and an input, by the numbers they got when they came.
pub type Files = [Option<u32>; 2];

/// What makes a place another one.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    experiment: Experiment,
    view: View,
    methods: (Method, Option<Method>),
    models: [Option<String>; 2],
    case: String,
    /// Where the seed decides the case; elsewhere it only draws other members.
    seed: Option<u64>,
    files: Files,
}

impl Place {
    fn of(settings: &Settings, files: Files) -> Self {
        Self {
            experiment: settings.experiment,
            view: settings.view,
            methods: (settings.method, settings.method2),
            models: [settings.model.clone(), settings.model2.clone()],
            case: settings.case.clone(),
            seed: settings.seed_decides_case().then_some(settings.seed),
            files,
        }
    }
}

/// An entry of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its address, without the question mark.
    pub query: String,
    /// Files of the visitor's own that were open.
    pub files: Files,
    place: Place,
}

impl Entry {
    /// The entry of a state of the page.
    pub fn of(settings: &Settings, files: Files) -> Self {
        Self {
            query: address::write(settings),
            files,
            place: Place::of(settings, files),
        }
    }
}

/// What is to be done with the history.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Make an entry after the one that the page is at.
    Push(Entry),
    /// Change the entry that the page is at.
    Replace(Entry),
}

/// Where the page is in the history, and what is to be written there.
#[derive(Debug)]
pub struct Trail {
    at: Entry,
    pending: Option<Entry>,
    /// Whether entries may be made at all.
    grows: bool,
}

impl Trail {
    /// At an entry that is there already. In a page around it the history belongs to that one, and never `grows`.
    pub fn new(at: Entry, grows: bool) -> Self {
        Self {
            at,
            pending: None,
            grows,
        }
    }

    /// The page has changed: what is to be written at once. The change itself is written by [`settle`](Self::settle), so
    /// that a dragged slider writes once. Where the page corrected itself (`own`), it stays at the place it is at.
    pub fn change(&mut self, to: Entry, own: bool) -> Option<Write> {
        let moving = self
            .pending
            .as_ref()
            .is_some_and(|to| to.place != self.at.place);
        if own && !moving {
            // Back would lead to what was corrected, and from there here again.
            self.at.place = to.place.clone();
        }
        let before = self.pending.replace(to);
        // The last change of the place that is left belongs to its entry.
        let last = before.filter(|before| before.place == self.at.place)?;
        let leaves = self.pending.as_ref()?.place != self.at.place;
        if !leaves || last == self.at {
            return None;
        }
        self.at = last.clone();
        Some(Write::Replace(last))
    }

    /// Enough time has passed since the last change: what is to be written. Nothing is written twice.
    pub fn settle(&mut self) -> Option<Write> {
        let to = self.pending.take().filter(|to| *to != self.at)?;
        let moved = to.place != self.at.place;
        self.at = to.clone();
        Some(if moved && self.grows {
            Write::Push(to)
        } else {
            Write::Replace(to)
        })
    }

    /// The browser went to another entry; what was not written yet is lost with the one that it left.
    pub fn travelled(&mut self, to: Entry) {
        self.at = to;
        self.pending = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(change: impl Fn(&mut Settings)) -> Entry {
        let mut settings = Settings::default();
        change(&mut settings);
        Entry::of(&settings, [None; 2])
    }

    fn trail() -> Trail {
        Trail::new(state(|_| ()), true)
    }

    fn go(trail: &mut Trail, to: &Entry) -> Option<Write> {
        assert_eq!(trail.change(to.clone(), false), None);
        trail.settle()
    }

    #[test]
    fn places_make_entries() {
        let places: [fn(&mut Settings); 8] = [
            |s| s.switch(Experiment::Darcy),
            |s| s.view = View::Std,
            |s| s.method = Method::PnoR,
            |s| s.method2 = Some(Method::PnoR),
            |s| s.model = Some("own.pno".to_owned()),
            |s| s.model2 = Some("own.pno".to_owned()),
            |s| s.case = "storm".to_owned(),
            |s| s.seed = 8,
        ];
        for place in places {
            let to = state(place);
            assert_eq!(go(&mut trail(), &to), Some(Write::Push(to)));
        }
        let file = Entry::of(&Settings::default(), [Some(1), None]);
        assert_eq!(go(&mut trail(), &file), Some(Write::Push(file)));
    }

    #[test]
    fn everything_else_changes_the_entry() {
        let changes: [fn(&mut Settings); 8] = [
            |s| s.go(7),
            |s| s.level = 80,
            |s| s.members = 8,
            |s| s.member = 3,
            |s| s.threshold = Some(1.5),
            |s| s.device = crate::settings::DeviceChoice::Cpu,
            |s| s.theme = crate::settings::Theme::Dark,
            |s| s.place = crate::live::Place::MIDDLE,
        ];
        for change in changes {
            let to = state(change);
            assert_eq!(go(&mut trail(), &to), Some(Write::Replace(to)));
        }
    }

    #[test]
    fn another_draw_of_a_given_case_is_no_place() {
        let of = |seed| {
            let settings = Settings {
                seed,
                ..Settings::of(Experiment::Era5)
            };
            Entry::of(&settings, [None; 2])
        };
        let mut trail = Trail::new(of(7), true);
        assert_eq!(go(&mut trail, &of(8)), Some(Write::Replace(of(8))));
    }

    #[test]
    fn the_same_address_is_not_written_again() {
        let mut trail = trail();
        assert_eq!(go(&mut trail, &state(|_| ())), None);
        let there = state(|s| s.view = View::Std);
        assert!(go(&mut trail, &there).is_some());
        assert_eq!(go(&mut trail, &there), None);
        // There and back before anything was written.
        assert_eq!(trail.change(state(|s| s.view = View::Mean), false), None);
        assert_eq!(go(&mut trail, &there), None);
        assert_eq!(trail.settle(), None);
    }

    #[test]
    fn a_slider_that_moved_just_before_stays_with_the_place_that_is_left() {
        let mut trail = trail();
        let slid = state(|s| s.level = 80);
        let left = state(|s| {
            s.level = 80;
            s.view = View::Hit;
        });
        assert_eq!(trail.change(slid.clone(), false), None);
        assert_eq!(
            trail.change(left.clone(), false),
            Some(Write::Replace(slid))
        );
        assert_eq!(trail.settle(), Some(Write::Push(left)));
    }

    #[test]
    fn places_that_are_passed_in_a_hurry_make_one_entry() {
        let mut trail = trail();
        for view in [View::Truth, View::Mean, View::Error] {
            assert_eq!(trail.change(state(|s| s.view = view), false), None);
        }
        let last = state(|s| s.view = View::Error);
        assert_eq!(trail.settle(), Some(Write::Push(last)));
    }

    #[test]
    fn what_the_page_corrects_itself_makes_no_entry() {
        let mut trail = trail();
        let corrected = state(|s| s.switch(Experiment::Sswe));
        assert_eq!(trail.change(corrected.clone(), true), None);
        assert_eq!(trail.settle(), Some(Write::Replace(corrected)));
    }

    #[test]
    fn a_file_of_another_problem_makes_one_entry_before_it_is_corrected() {
        let mut trail = trail();
        let dropped = Entry::of(&Settings::default(), [Some(1), None]);
        assert_eq!(go(&mut trail, &dropped), Some(Write::Push(dropped)));
        let corrected = Entry::of(&Settings::of(Experiment::Sswe), [Some(1), None]);
        assert_eq!(trail.change(corrected.clone(), true), None);
        assert_eq!(trail.settle(), Some(Write::Replace(corrected)));
    }

    #[test]
    fn a_choice_that_is_corrected_at_once_is_still_a_choice() {
        let mut trail = trail();
        let dropped = Entry::of(&Settings::default(), [Some(1), None]);
        let corrected = Entry::of(&Settings::of(Experiment::Sswe), [Some(1), None]);
        assert_eq!(trail.change(dropped, false), None);
        assert_eq!(trail.change(corrected.clone(), true), None);
        assert_eq!(trail.settle(), Some(Write::Push(corrected)));
    }

    #[test]
    fn going_back_writes_nothing_and_goes_on_from_there() {
        let mut trail = trail();
        let std = state(|s| s.view = View::Std);
        go(&mut trail, &std);
        trail.change(
            state(|s| {
                s.view = View::Std;
                s.level = 80;
            }),
            false,
        );
        trail.travelled(state(|_| ()));
        // The settings follow what the browser says.
        assert_eq!(go(&mut trail, &state(|_| ())), None);
        assert_eq!(go(&mut trail, &std), Some(Write::Push(std)));
    }

    #[test]
    fn a_page_inside_another_makes_no_entries() {
        let mut trail = Trail::new(state(|_| ()), false);
        let to = state(|s| s.view = View::Std);
        assert_eq!(go(&mut trail, &to), Some(Write::Replace(to)));
    }
}
