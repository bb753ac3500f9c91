//! Two baselines that repeat what was seen last: persistence, and persistence of the same hour of the day.

use super::measure::is_time;
use crate::task::{Quantity, Task};

/// Hours of a day.
const DAY: f64 = 24.0;

/// The last input frame, once per output frame; the input itself where there is no time. None where the output is of other
/// quantities than the input.
pub fn persistence(task: &Task, input: &[f32]) -> Option<Vec<f32>> {
    if !same_quantities(task) {
        return None;
    }
    if task.input[0].name != "time" {
        return Some(input.to_vec());
    }
    let frame = input.len() / task.input[0].size;
    Some(input[input.len() - frame..].repeat(task.output[0].size))
}

/// For each output frame the last input frame of the same hour of the day. None where the output is of other quantities than
/// the input, where time is not in hours, and where the input does not have every hour that is wanted.
pub fn same_hour(task: &Task, input: &[f32]) -> Option<Vec<f32>> {
    let (seen, wanted) = (&task.input[0], &task.output[0]);
    let in_hours = [seen, wanted]
        .iter()
        .all(|axis| is_time(&axis.name) && is_hour(&axis.unit));
    if !same_quantities(task) || !in_hours {
        return None;
    }
    let frame = input.len() / seen.size;
    let seen = seen.coordinates();
    let frames = wanted.coordinates().into_iter().map(|time| {
        let is_same = |seen: &f64| {
            let days = (time - seen) / DAY;
            days > -1e-6 && (days - days.round()).abs() < 1e-6
        };
        seen.iter().rposition(is_same)
    });
    let frames: Option<Vec<usize>> = frames.collect();
    let of_frame = |at: usize| &input[at * frame..(at + 1) * frame];
    Some(frames?.into_iter().flat_map(of_frame).copied().collect())
}

fn same_quantities(task: &Task) -> bool {
    let names = |quantities: &[Quantity]| -> Vec<String> {
        quantities.iter().map(|q| q.name.clone()).collect()
    };
    names(&task.inputs) == names(&task.outputs)
}

fn is_hour(unit: &str) -> bool {
    ["h", "hr", "hrs", "hour", "hours"].contains(&unit.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_stays_for_ever() {
        let mut task = Task::ks();
        for axes in [&mut task.input, &mut task.output] {
            (axes[0].size, axes[1].size) = (3, 2);
        }
        let input = [9.0, 9.0, 9.0, 9.0, 1.0, -1.0];
        let wanted = vec![1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
        assert_eq!(persistence(&task, &input), Some(wanted));
        assert_eq!(persistence(&Task::darcy(), &input), None, "of u from a");
        task = Task::sswe();
        assert_eq!(persistence(&task, &input), Some(input.to_vec()));
    }

    /// Ten frames six hours apart up to now, of one point.
    fn days() -> Task {
        Task::era5().on_grid(&[10, 1, 1])
    }

    #[test]
    fn every_hour_is_that_of_the_last_day_that_was_seen() {
        // Frame i is of hour 6 i - 54. In 6 hours it is the hour of 18 hours ago: frame 6; then 7, 8 and now: frame 9.
        let input: Vec<f32> = (0_u8..10).map(f32::from).collect();
        let wanted = [6_u8, 7, 8, 9, 6, 7, 8, 9, 6, 7].map(f32::from).to_vec();
        assert_eq!(same_hour(&days(), &input), Some(wanted));
        // Two points stay together.
        let task = Task::era5().on_grid(&[10, 1, 2]);
        let input: Vec<f32> = (0_u8..20).map(f32::from).collect();
        let found = same_hour(&task, &input).expect("all hours");
        assert_eq!(found[..4], [12.0, 13.0, 14.0, 15.0]);
    }

    #[test]
    fn without_every_hour_or_without_hours_there_is_none() {
        let input = [0.0; 10];
        let mut short = days();
        // Three frames back, 12 hours: the hour 18 hours ago was not seen.
        (short.input[0].size, short.input[0].start) = (3, -12.0);
        assert_eq!(same_hour(&short, &input[..3]), None);
        let mut other = days();
        other.input[0].unit = "days".into();
        assert_eq!(same_hour(&other, &input), None);
        assert_eq!(same_hour(&Task::ks(), &vec![0.0; 20 * 256]), None);
    }
}
