//! One pass over a case: every column is sorted once, and all that is made point by point or from pairs comes out.
//!
//! The field is cut into pieces of fixed size, which are shared out among threads and put together in their order: the
//! result does not depend on the number of threads. A piece is gone through in blocks that stay in the cache, first for
//! the distances between members, then column by column.

use std::ops::Range;

use super::coverage::covers;
use super::exceedance::Event;
use super::interval_width::interval_width;
use super::measure::Measure;
use super::nan::NanPolicy;
use super::nll::gaussian_nll;
use super::pairs::{BLOCK, PairSquares, fill_weights};
use super::point::{Points, count_above, score_points};
use super::point_map::{self, PointMap};
use super::quantile_score::pinball;
use super::rank_histogram::{rank, tie_bits};
use super::tallies::{PointSums, Tables};
use super::threads::map_in_order;
use crate::ensemble::lanes::{LANES, Lanes, Row};
use crate::ensemble::quantiles::Between;
use crate::noise::Key;

/// Values of a piece of work.
const PIECE: usize = 1 << 14;
/// Pieces whose sums are held at once.
const BATCH: usize = 64;

/// What to do with a case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pass<'a> {
    /// How points count.
    pub measure: &'a Measure,
    /// What a NaN means.
    pub nan: NanPolicy,
    /// Whether distances between members are wanted.
    pub pairs: bool,
    /// What is counted besides, if anything is.
    pub counted: Option<Counted<'a>>,
}

/// What is counted besides the sums.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted<'a> {
    /// Levels of quantile scores.
    pub levels: &'a [f64],
    /// Events.
    pub events: &'a [Event],
    /// Noise of this case that breaks ties of ranks.
    pub key: Key,
}

/// What came out of a piece, or of a step of time.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Sums of each channel.
    pub channels: Vec<PointSums>,
    /// Squared distances between members.
    pub pairs: Option<PairSquares>,
}

struct Piece<'a> {
    lead: usize,
    range: Range<usize>,
    map: Option<&'a mut [PointMap]>,
}

impl Pass<'_> {
    /// Runs over members `[member, points, channel]`, of the measure's size. `visit(lead, part)` hears of every step of
    /// time in turn, `tables` and `map` take in what concerns them.
    pub fn run(
        &self,
        members: &[f32],
        truth: &[f32],
        map: Option<&mut [PointMap]>,
        mut tables: Option<&mut Tables>,
        mut visit: impl FnMut(usize, Part),
    ) {
        let count = members.len() / truth.len();
        let mut pieces = self.pieces(map);
        let mut open: Option<(usize, Part)> = None;
        while !pieces.is_empty() {
            let rest = pieces.split_off(pieces.len().min(BATCH));
            let batch = std::mem::replace(&mut pieces, rest);
            let parts = map_in_order(batch, |piece| {
                let lead = piece.lead;
                let (part, counts) = Worker::new(self, count).work(members, truth, piece);
                (lead, part, counts)
            });
            for (lead, part, counts) in parts {
                if let (Some(tables), Some(counts)) = (tables.as_deref_mut(), counts) {
                    tables.merge(&counts);
                }
                match &mut open {
                    Some((same, sum)) if *same == lead => sum.merge(&part),
                    _ => {
                        if let Some((lead, part)) = open.replace((lead, part)) {
                            visit(lead, part);
                        }
                    }
                }
            }
        }
        if let Some((lead, part)) = open {
            visit(lead, part);
        }
    }

    fn pieces<'m>(&self, mut map: Option<&'m mut [PointMap]>) -> Vec<Piece<'m>> {
        let leads = self.measure.lead_times();
        let size = self.measure.values() / leads;
        let mut pieces = vec![];
        for lead in 0..leads {
            for start in (0..size).step_by(PIECE) {
                let (start, end) = (lead * size + start, lead * size + (start + PIECE).min(size));
                let map = map.take().map(|all| {
                    let (these, rest) = all.split_at_mut(end - start);
                    map = Some(rest);
                    these
                });
                let range = start..end;
                pieces.push(Piece { lead, range, map });
            }
        }
        pieces
    }
}

impl Part {
    fn merge(&mut self, other: &Self) {
        for (sums, others) in self.channels.iter_mut().zip(&other.channels) {
            sums.merge(others);
        }
        if let (Some(pairs), Some(others)) = (&mut self.pairs, &other.pairs) {
            pairs.merge(others);
        }
    }
}

/// The sums of one piece.
struct Worker<'a> {
    pass: &'a Pass<'a>,
    count: usize,
    part: Part,
    tables: Option<Tables>,
}

impl<'a> Worker<'a> {
    fn new(pass: &'a Pass<'a>, count: usize) -> Self {
        Self {
            pass,
            count,
            part: Part {
                channels: vec![PointSums::default(); pass.measure.channels()],
                pairs: pass.pairs.then(|| PairSquares::new(0, count)),
            },
            tables: pass
                .counted
                .map(|counted| Tables::new(count, counted.levels, counted.events)),
        }
    }

    fn work(mut self, members: &[f32], truth: &[f32], piece: Piece) -> (Part, Option<Tables>) {
        let Piece { range, mut map, .. } = piece;
        let mut lanes = Lanes::new(self.count);
        let mut weights = [0.0; BLOCK];
        let values = truth.len();
        for start in range.clone().step_by(BLOCK) {
            let block = start..(start + BLOCK).min(range.end);
            if let Some(pairs) = &mut self.part.pairs {
                let truth = &truth[block.clone()];
                let Pass { measure, nan, .. } = *self.pass;
                let weights = fill_weights(measure, nan, start, truth, &mut weights);
                pairs.add(|m| &members[m * values..][block.clone()], truth, weights);
            }
            lanes.for_each(members, values, block, |start, width, rows| {
                let mut row = [0.0; LANES];
                row[..width].copy_from_slice(&truth[start..start + width]);
                let first = start - range.start;
                let map = map.as_deref_mut().map(|map| &mut map[first..first + width]);
                self.take_in(start, &row[..width], rows, &score_points(rows, &row), map);
            });
        }
        (self.part, self.tables)
    }

    fn take_in(
        &mut self,
        start: usize,
        truth: &[f32],
        rows: &[Row],
        points: &Points,
        mut map: Option<&mut [PointMap]>,
    ) {
        let Pass { measure, nan, .. } = *self.pass;
        let channels = measure.channels();
        let weights: [f64; LANES] = std::array::from_fn(|lane| {
            if lane < truth.len() {
                measure.weight(start + lane)
            } else {
                0.0
            }
        });
        for (lane, &y) in truth.iter().enumerate() {
            let value = start + lane;
            if measure.leaves_out(value) {
                continue;
            }
            let sums = &mut self.part.channels[value % channels];
            if nan == NanPolicy::Skip && y.is_nan() {
                sums.skipped += 1;
                continue;
            }
            let (lower, upper) = (points.lower[lane], points.upper[lane]);
            // A column with a NaN has no order, so nothing that depends on it.
            let known = if points.broken[lane] { f64::NAN } else { 1.0 };
            let (error, variance) = (points.error[lane], points.variance[lane]);
            let hit = known * f64::from(u8::from(covers(lower, upper, y)));
            let weight = weights[lane];
            sums.weight += weight;
            sums.error += weight * error;
            sums.squared_error += weight * error * error;
            sums.variance += weight * variance;
            sums.crps += weight * known * points.crps[lane];
            sums.crps_plain += weight * known * points.crps_plain[lane];
            sums.nll += weight * gaussian_nll(error, variance.sqrt(), 0.0);
            sums.hits += weight * hit;
            sums.width += weight * known * interval_width(lower, upper);
            if let Some(map) = map.as_deref_mut() {
                point_map::push(
                    &mut map[lane],
                    error,
                    variance,
                    known * points.crps[lane],
                    hit,
                );
            }
        }
        if let (Some(counted), Some(tables)) = (self.pass.counted, &mut self.tables) {
            let group = Group {
                start,
                truth,
                weights: &weights,
                rows,
                points,
            };
            count(self.pass, &counted, &group, tables);
        }
    }
}

/// Up to sixteen values.
struct Group<'a> {
    start: usize,
    truth: &'a [f32],
    weights: &'a [f64; LANES],
    rows: &'a [Row],
    points: &'a Points,
}

/// Ranks, spread, quantiles and events.
fn count(pass: &Pass, counted: &Counted, group: &Group, tables: &mut Tables) {
    let Group {
        start,
        truth,
        weights,
        rows,
        points,
    } = *group;
    let skip = |lane: usize, y: f32| {
        pass.measure.leaves_out(start + lane) || pass.nan == NanPolicy::Skip && y.is_nan()
    };
    let kept = || {
        let all = truth.iter().copied().enumerate();
        all.filter(|&(lane, y)| !skip(lane, y))
    };
    for (lane, _) in kept() {
        let value = start + lane;
        let weight = weights[lane];
        tables.samples += 1;
        tables.weight += weight;
        if points.broken[lane] {
            tables.ranks[0] = f64::NAN;
            continue;
        }
        let tie = || tie_bits(counted.key, value);
        let rank = rank(points.below[lane], points.equal[lane], tie);
        tables.ranks[rank as usize] += weight;
        tables
            .spread
            .push(points.variance[lane], points.error[lane], weight);
    }
    for (&level, sum) in counted.levels.iter().zip(&mut tables.pinball) {
        let place = Between::new(level, rows.len());
        let (below, above) = (&rows[place.below], &rows[place.above]);
        for (lane, y) in kept() {
            *sum += if points.broken[lane] {
                f64::NAN
            } else {
                weights[lane] * pinball(place.value(below[lane], above[lane]), y, level)
            };
        }
    }
    for (event, table) in counted.events.iter().zip(&mut tables.events) {
        let above = count_above(rows, event.threshold);
        for (lane, y) in kept() {
            let value = start + lane;
            if !event.concerns(value, pass.measure.channels()) {
                continue;
            }
            let weight = if points.broken[lane] {
                f64::NAN
            } else {
                weights[lane]
            };
            table.samples += 1;
            table
                .counts
                .push(above[lane] as usize, y > event.threshold, weight);
        }
    }
}

/// Adds a step of time to the whole.
pub(crate) fn add_squares(sum: &mut Option<PairSquares>, part: Option<PairSquares>) {
    match (sum.as_mut(), part) {
        (Some(sum), Some(part)) => sum.merge(&part),
        (None, part) => *sum = part,
        (Some(_), None) => {}
    }
}
