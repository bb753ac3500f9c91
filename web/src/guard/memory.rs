//! How many members fit into the page and its worker.
//!
//! One budget for everything that grows with the members: all sides, in both programs.

use serde::{Deserialize, Serialize};

/// Bytes that the members of all sides may take, in the page and in its worker together.
///
/// Phones end a tab somewhere between one and two gigabytes, and each of the two programs can address four; weights,
/// buffers of a pass (64 MB each) and of a score (32 MB), pictures and the programs themselves need room beside it.
pub const BUDGET_BYTES: usize = 1 << 30;

/// Copies of a value that stay until the next run: in the page as it was drawn and in its sorted place, in the worker for
/// the verification.
const KEPT: usize = 3;

/// Further copies while a frame is being drawn: in the worker its sorted place, and the same anew when members are merged;
/// on the way packed, and in the message before; in the page what is read of that.
const PASSING: usize = 5;

/// The same where a calibration moves all members with every new one, so that all are sent anew, as drawn and sorted: in the
/// worker as the model draws it, moved, cut into its frames, and in its sorted place; on the way and in the page both.
const PASSING_CALIBRATED: usize = 10;

/// One further copy in the worker, whatever the number of frames, where members are stepped on: what each goes on from.
const CARRIED: usize = 1;

/// What there is of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Values in each frame.
    pub values: usize,
    /// Frames that come one after the other; those that come together count as one.
    frames: usize,
    /// Methods side by side.
    sides: usize,
    /// Copies beside those of the frames, while they are drawn and all the time.
    passing: usize,
    carried: usize,
}

impl Size {
    /// Of a forecast that comes at once.
    pub fn at_once(values: usize, sides: usize) -> Self {
        Self {
            values,
            frames: 1,
            sides,
            passing: PASSING,
            carried: 0,
        }
    }

    /// Of a rollout after so many frames.
    pub fn rollout(values: usize, frames: usize, sides: usize) -> Self {
        Self {
            values,
            frames,
            sides,
            passing: PASSING,
            carried: CARRIED,
        }
    }

    /// The same where a calibration spreads the members of a side.
    #[must_use]
    pub fn calibrated(self, is_calibrated: bool) -> Self {
        let passing = if is_calibrated {
            PASSING_CALIBRATED
        } else {
            PASSING
        };
        Self { passing, ..self }
    }

    /// Bytes that a member takes on all sides.
    fn bytes(self) -> usize {
        let kept = KEPT.saturating_mul(self.frames);
        let copies = kept.saturating_add(self.passing + self.carried);
        [self.values, self.sides, size_of::<f32>()]
            .into_iter()
            .fold(copies, usize::saturating_mul)
    }

    /// How many members fit; none where a single one is too large.
    pub fn most_members(self) -> u32 {
        let most = BUDGET_BYTES / self.bytes().max(1);
        u32::try_from(most).unwrap_or(u32::MAX)
    }
}

/// Fewer members than were asked for, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduced {
    /// Members asked for.
    pub asked: u32,
    /// Members of each side that are drawn.
    pub members: u32,
    /// Values of a member in each frame.
    pub values: u64,
    /// Frames that come one after the other.
    pub frames: u32,
    /// Methods side by side.
    pub sides: u8,
}

impl Reduced {
    /// What the visitor reads.
    pub fn sentence(&self) -> String {
        let Self {
            asked,
            members,
            values,
            frames,
            sides,
        } = self;
        let each = if *sides > 1 { " for each method" } else { "" };
        let steps = if *frames > 1 {
            format!(" in each of {frames} steps")
        } else {
            String::new()
        };
        let verb = if *members == 1 {
            "member is"
        } else {
            "members are"
        };
        format!(
            "{members} {verb} drawn{each} instead of {asked}: a member has {values} values{steps}, and all members together may take {} MB here.",
            BUDGET_BYTES >> 20
        )
    }
}

/// The number of members that are drawn of those `asked` for, and what to tell where it is smaller.
pub fn within_budget(asked: u32, size: Size) -> (u32, Option<Reduced>) {
    let members = asked.min(size.most_members());
    let reduced = (members < asked).then_some(Reduced {
        asked,
        members,
        values: size.values as u64,
        frames: size.frames as u32,
        sides: size.sides as u8,
    });
    (members, reduced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::MAX_MEMBERS;
    use pno::task::Task;

    #[test]
    fn every_shipped_size_fits_with_all_members_on_two_sides() {
        for task in [Task::ks(), Task::darcy()] {
            let (members, reduced) =
                within_budget(MAX_MEMBERS, Size::at_once(task.output_values(), 2));
            assert_eq!(
                (members, reduced),
                (MAX_MEMBERS, None),
                "{:?}",
                task.output_shape()
            );
        }
    }

    #[test]
    fn a_second_side_halves_what_fits() {
        let values = 300 * 300;
        let [one, two] = [1, 2].map(|sides| Size::at_once(values, sides));
        assert_eq!((one.most_members(), two.most_members()), (372, 186));
        assert_eq!(within_budget(MAX_MEMBERS, one), (MAX_MEMBERS, None));
        let (members, reduced) = within_budget(MAX_MEMBERS, two);
        assert_eq!(members, 186);
        assert_eq!(
            reduced.expect("fewer").sentence(),
            "186 members are drawn for each method instead of 256: a member has 90000 values, and all members together may take 1024 MB here."
        );
    }

    #[test]
    fn what_is_held_never_passes_the_budget() {
        for values in [1, 5120, 65_536, 90_000, 1 << 20, 1 << 24] {
            for frames in [1, 2, 24, 240] {
                for (sides, calibrated) in [(1, false), (2, false), (1, true), (2, true)] {
                    let size = Size::rollout(values, frames, sides).calibrated(calibrated);
                    let most = size.most_members() as usize;
                    let passing = if calibrated { 10 } else { 5 };
                    let copies = KEPT * frames + passing + CARRIED;
                    let held = |members: usize| 4 * members * values * sides * copies;
                    assert!(held(most) <= BUDGET_BYTES, "{size:?}");
                    assert!(held(most + 1) > BUDGET_BYTES, "and is used");
                }
            }
        }
    }

    #[test]
    fn what_members_go_on_from_counts_once_however_many_frames_there_are() {
        let values = 300 * 300;
        assert_eq!(Size::at_once(values, 1).bytes(), 4 * values * 8);
        for frames in [1, 24] {
            let copies = KEPT * frames + PASSING + 1;
            let size = Size::rollout(values, frames, 1);
            assert_eq!(size.bytes(), 4 * values * copies, "{frames}");
        }
    }

    #[test]
    fn members_that_a_calibration_moves_are_sent_anew_and_count_for_it() {
        let size = Size::at_once(300 * 300, 1);
        let calibrated = size.calibrated(true);
        assert_eq!(calibrated.bytes(), 4 * 300 * 300 * 13);
        assert_eq!((size.most_members(), calibrated.most_members()), (372, 229));
        assert_eq!(size.calibrated(false), size);
    }

    #[test]
    fn hours_that_stay_count() {
        let values = Task::sswe().on_grid(&[32, 64]).output_values();
        let (members, reduced) = within_budget(MAX_MEMBERS, Size::rollout(values, 240, 2));
        assert_eq!(members, 30);
        let told = reduced.expect("fewer").sentence();
        assert!(told.contains("6144 values in each of 240 steps"), "{told}");
    }

    #[test]
    fn sizes_beyond_any_machine_fit_not_at_all() {
        assert_eq!(Size::rollout(usize::MAX / 2, 240, 2).most_members(), 0);
        assert_eq!(Size::at_once(1 << 26, 1).most_members(), 0);
        let large = Size::at_once(1 << 25, 1);
        assert_eq!(within_budget(1, large).0, 1);
        let told = within_budget(8, large).1.expect("fewer").sentence();
        assert!(told.starts_with("1 member is drawn instead of 8"), "{told}");
    }
}
