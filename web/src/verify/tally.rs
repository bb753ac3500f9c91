//! One pass over an ensemble and its truth, frame by frame: all that the figures are made of.
//!
//! At every point truth and members are one pool, sorted once. The place of somebody in it is their rank among the
//! others, and sums from below give everybody's CRPS.

use pno::noise::threefry;

use super::fields::Fields;
use super::leads::Lead;

/// Bits that say who somebody is.
const WHO_BITS: u32 = 9;
/// Points whose distances are summed at once.
const BLOCK: usize = 256;

/// Counts and sums of everybody: number 0 is the truth, the members follow.
#[derive(Debug)]
pub struct Tally {
    pub(super) members: usize,
    /// Weight of each rank `[who, rank]`, M + 1 both.
    pub(super) ranks: Vec<f64>,
    /// What was found in each frame.
    pub(super) leads: Vec<Lead>,
    /// Variance of the members, error of their mean and weight of each point, while there is one frame only.
    pub(super) points: Vec<[f64; 3]>,
    /// Values taken in.
    pub(super) values: u64,
    /// Points left out for a NaN.
    pub(super) skipped: u64,
}

impl Tally {
    /// Nothing yet, for this many members.
    pub fn new(members: usize) -> Self {
        Self {
            members,
            ranks: vec![0.0; (members + 1) * (members + 1)],
            leads: vec![],
            points: vec![],
            values: 0,
            skipped: 0,
        }
    }

    /// Takes in a frame, whose lead time is `at`. `every` point is taken (1: all of them); a long pass can so be cut
    /// into frames, and a quick look into a part of the points.
    ///
    /// # Panics
    /// If the fields have another number of members.
    pub fn push(&mut self, fields: &Fields, frame: usize, at: f64, every: usize) {
        assert_eq!(fields.count(), self.members, "members");
        if !self.leads.is_empty() {
            self.points = vec![];
        }
        let everybody = self.members + 1;
        let mut sums = FrameSums::new(everybody);
        let mut keys: Vec<u64> = vec![];
        let mut pool = vec![0.0; everybody];
        let mut sound = vec![];
        for point in (0..fields.points()).step_by(every.max(1)) {
            if !gather(fields, frame, point, &mut keys) {
                self.skipped += 1;
                continue;
            }
            sound.push(point);
            keys.sort_unstable();
            let weight = fields.weight(point);
            for (rank, key) in keys.iter().enumerate() {
                self.ranks[who(*key) * everybody + rank] += weight;
                pool[rank] = value(*key);
            }
            let (variance, error) = sums.add(&keys, &pool, weight);
            if self.leads.is_empty() {
                self.points.push([variance, error, weight]);
            }
        }
        self.values += sound.len() as u64;
        let energy = energy_scores(fields, frame, &sound);
        self.leads.push(sums.lead(at, &energy));
    }
}

/// The pool of a point as keys: the order of the value, then chance, then who it is. False if there is a NaN.
pub(super) fn gather(fields: &Fields, frame: usize, point: usize, keys: &mut Vec<u64>) -> bool {
    keys.clear();
    for who in 0..=fields.count() {
        let found = fields.value(who, frame, point);
        if found.is_nan() {
            return false;
        }
        // Zero has one sign here.
        let bits = (found + 0.0).to_bits();
        let order = if bits >> 31 == 1 {
            !bits
        } else {
            bits | 1 << 31
        };
        // Equal values are put in an order by chance, the same every time.
        let chance = threefry([point as u32, frame as u32], [who as u32, 0])[0] >> WHO_BITS;
        let low = u64::from(chance << WHO_BITS) | who as u64;
        keys.push(u64::from(order) << 32 | low);
    }
    true
}

pub(super) fn who(key: u64) -> usize {
    (key & ((1 << WHO_BITS) - 1)) as usize
}

pub(super) fn value(key: u64) -> f64 {
    let order = (key >> 32) as u32;
    let bits = if order >> 31 == 1 {
        order & !(1 << 31)
    } else {
        !order
    };
    f64::from(f32::from_bits(bits))
}

/// Sums over a frame, of everybody.
struct FrameSums {
    weight: f64,
    /// Squared distance from the mean of the others.
    errors: Vec<f64>,
    crps: Vec<f64>,
    /// Variance of the members.
    variance: f64,
}

impl FrameSums {
    fn new(everybody: usize) -> Self {
        Self {
            weight: 0.0,
            errors: vec![0.0; everybody],
            crps: vec![0.0; everybody],
            variance: 0.0,
        }
    }

    /// Takes in a sorted pool; gives the variance of the members and the error of their mean.
    fn add(&mut self, keys: &[u64], pool: &[f64], weight: f64) -> (f64, f64) {
        let everybody = pool.len() as f64;
        let members = everybody - 1.0;
        let middle = pool[pool.len() / 2];
        // Distances from one of them instead of values: the terms stay small.
        let total: f64 = pool.iter().map(|value| value - middle).sum();
        let mut below = 0.0;
        let mut distances = 0.0;
        for (rank, value) in pool.iter().enumerate() {
            let rank = rank as f64;
            distances += (2.0 * rank - members) * (value - middle);
        }
        let (mut truth, mut squares) = (0.0, 0.0);
        for (rank, (key, value)) in keys.iter().zip(pool).enumerate() {
            let (value, rank) = (value - middle, rank as f64);
            // Sum of the distances from all others, by those below and those above.
            let above = total - below - value;
            let own = value * rank - below + above - value * (members - rank);
            below += value;
            let who = who(*key);
            // The fair estimator: the pairs of the others are all pairs but one's own.
            let pairs = (distances - own) / (members * (members - 1.0).max(1.0));
            self.crps[who] += weight * (own / members - pairs);
            let error = value - (total - value) / members;
            self.errors[who] += weight * error * error;
            squares += value * value;
            if who == 0 {
                truth = value;
            }
        }
        let mean = (total - truth) / members;
        let variance = (squares - truth * truth - members * mean * mean) / (members - 1.0).max(1.0);
        let variance = variance.max(0.0);
        self.variance += weight * variance;
        self.weight += weight;
        (variance, mean - truth)
    }

    fn lead(&self, at: f64, energy: &[f64]) -> Lead {
        let mean = |sums: &[f64]| sums.iter().map(|sum| sum / self.weight).collect::<Vec<_>>();
        let members = self.errors.len() as f64 - 1.0;
        let spread = (self.variance / self.weight * (members + 1.0) / members).sqrt();
        Lead::new(at, spread, &mean(&self.errors), &mean(&self.crps), energy)
    }
}

/// Everybody's energy score against the others, from the distances of all pairs.
fn energy_scores(fields: &Fields, frame: usize, points: &[usize]) -> Vec<f64> {
    let everybody = fields.count() + 1;
    let mut squares = vec![0.0; everybody * everybody];
    let mut weight = 0.0;
    let mut rows = vec![[0.0_f32; BLOCK]; everybody];
    for block in points.chunks(BLOCK) {
        for (i, &point) in block.iter().enumerate() {
            let part = fields.weight(point);
            weight += part;
            let root = part.sqrt() as f32;
            for (who, row) in rows.iter_mut().enumerate() {
                row[i] = root * fields.value(who, frame, point);
            }
        }
        for a in 0..everybody {
            for b in 0..a {
                let pairs = rows[a][..block.len()].iter().zip(&rows[b]);
                let sum: f32 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
                squares[a * everybody + b] += f64::from(sum);
            }
        }
    }
    let mut own = vec![0.0; everybody];
    let mut all = 0.0;
    for a in 0..everybody {
        for b in 0..a {
            let distance = (squares[a * everybody + b] / weight).sqrt();
            own[a] += distance;
            own[b] += distance;
            all += distance;
        }
    }
    let members = everybody as f64 - 1.0;
    let pairs = members * (members - 1.0).max(1.0);
    own.iter()
        .map(|own| own / members - (all - own) / pairs)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::synthetic::{Kind, Synthetic};
    use pno::score::{Measure, Options, Verification};

    #[test]
    fn keys_have_the_order_of_their_values_and_give_them_back() {
        let values = [-7.5, -0.0, 0.0, 1e-40, 3.25, f32::INFINITY];
        let fields = Fields::new(&values[1..], &values[..1], 1, [0, 1], &[]).expect("sizes fit");
        let mut keys = vec![];
        assert!(gather(&fields, 0, 0, &mut keys));
        keys.sort_unstable();
        let found: Vec<f64> = keys.iter().map(|key| value(*key)).collect();
        assert_eq!(found, values.map(f64::from));
        assert_eq!((who(keys[0]), who(keys[5])), (0, 5));
        let broken = [1.0, f32::NAN];
        let fields = Fields::new(&broken, &[0.0], 1, [0, 1], &[]).expect("sizes fit");
        assert!(!gather(&fields, 0, 0, &mut keys));
    }

    #[test]
    fn numbers_are_those_of_the_scores_that_the_program_gives() {
        let data = Synthetic::new(Kind::TooNarrow, 3, 12, 2, 60);
        let weights: Vec<f64> = (0..60).map(|i| 0.5 + (i % 5) as f64).collect();
        let fields =
            Fields::new(&data.members, &data.truth, 60, [0, 1], &weights).expect("sizes fit");
        let mut tally = Tally::new(12);
        for frame in 0..2 {
            tally.push(&fields, frame, frame as f64, 1);
        }
        let measure = Measure::grid(&[2, 60]).with_weights(weights).with_time();
        let mut program = Verification::new(measure, Options::default());
        program
            .push(&data.members, &data.truth)
            .expect("fields of the grid");
        let (report, _) = program.finish();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-5 * b.abs(), "{a} for {b}");
        for (lead, wanted) in tally.leads.iter().zip(&report.leads) {
            close(lead.error.found, wanted.rmse);
            close(lead.crps.found, wanted.crps);
            close(lead.spread / lead.error.found, wanted.spread_skill);
            close(
                lead.energy_score.found,
                wanted.energy_score.expect("asked for"),
            );
        }
        let total: f64 = tally.ranks[..13].iter().sum();
        for (found, wanted) in tally.ranks.iter().zip(&report.rank_histogram.frequencies) {
            assert!((found / total - wanted).abs() < 1e-12);
        }
    }

    #[test]
    fn a_member_taken_for_the_truth_has_the_scores_it_would_have_as_truth() {
        let data = Synthetic::new(Kind::Calibrated, 5, 6, 1, 40);
        let tally = |members: &[f32], truth: &[f32]| {
            let fields = Fields::new(members, truth, 40, [0, 1], &[]).expect("sizes fit");
            let mut tally = Tally::new(6);
            tally.push(&fields, 0, 0.0, 1);
            tally
        };
        let before = tally(&data.members, &data.truth);
        // Truth and third member change places.
        let (mut members, mut truth) = (data.members.clone(), data.truth.clone());
        members[80..120].swap_with_slice(&mut truth);
        let after = tally(&members, &truth);
        assert_eq!(before.ranks[3 * 7..4 * 7], after.ranks[..7]);
        let range = |t: &Tally| t.leads[0].crps.band;
        let crps = after.leads[0].crps.found;
        assert!(crps >= range(&before)[0] - 1e-9 && crps <= range(&before)[1] + 1e-9);
    }

    #[test]
    fn ties_are_broken_by_chance_and_broken_points_are_left_out() {
        let (members, mut truth) = (vec![0.0; 4 * 3000], vec![0.0; 3000]);
        truth[7] = f32::NAN;
        let fields = Fields::new(&members, &truth, 3000, [0, 1], &[]).expect("sizes fit");
        let mut tally = Tally::new(4);
        tally.push(&fields, 0, 0.0, 1);
        assert_eq!((tally.values, tally.skipped), (2999, 1));
        for count in &tally.ranks[..5] {
            // Five standard deviations of a fifth of 3000.
            assert!((count - 600.0).abs() < 110.0, "{:?}", &tally.ranks[..5]);
        }
    }
}
