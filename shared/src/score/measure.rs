//! How points and channels count: the norm of a field, and means over it.
//!
//! A field is `[points, channel]`, channels last. With `P` points, weights `w` of mean 1 and extent `E`:
//!
//! - norm: `‖v‖ = √(E / P Σ_points w Σ_channels v²)`: a mean over points, and the **sum** over channels. L2, energy
//!   score and kernel score use it. On a sphere this is the area mean of each channel, summed; on a box with one
//!   channel and extent 1 it is the root mean square.
//! - mean: `1/(P C) Σ_points w Σ_channels s`: a mean over points, and the **mean** over channels. CRPS, NLL, coverage
//!   and interval width, which are made point by point, use it. The extent has no part in it.
//!
//! The extent of a box is the product of the lengths of its axes, each in the first coordinate that the network sees
//! along it. An axis without a coordinate, or with one that stands still, has the length 1; a sphere has the extent 1,
//! whatever coordinates the network sees, because the weights are its areas. It is 1 for all published tasks but ERA5,
//! where time runs over 9/19 of its axis ([`ERA5_EXTENT`]) and norms are therefore 0.688 of a root mean square.
//!
//! This is the only place that says so: losses take their weights and their factor from here (`nn::loss::Norm`).
//!
//! Values at which a field never has one ([`Task::masks_output`](crate::task::Task::masks_output)) have the weight 0, and the
//! others one with mean 1 over all values: they are left out of every score, whatever stands there, and of every loss.
//! Every value that is left counts by its point's weight, whichever channel it is of. So a channel with half as many points
//! as another has half its share of a norm or a mean over both, and a mean over channels is not the mean of the channels'
//! own scores, each of which is over what is left of that channel. With `S` the sum of the weights that are left, before
//! they are scaled, the norm is `√(E C / S Σ w v²)` and the mean `1/S Σ w s`.
//!
//! Where values are left out ([`NanPolicy::Skip`](super::NanPolicy::Skip)) the sums run over the others, and `P C`
//! becomes the sum of their weights.

use crate::task::{Domain, Mask, Task};

/// Extent of the published ERA5 task: its ten output steps are 9/19 of the twenty steps that time is scaled over.
pub const ERA5_EXTENT: f64 = 9.0 / 19.0;

/// Names of an axis that is time.
const TIME: [&str; 6] = [
    "time",
    "t",
    "lead_time",
    "leadtime",
    "step",
    "prediction_timedelta",
];

/// How points and channels count.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    shape: Vec<usize>,
    channels: usize,
    has_time: bool,
    /// Mean 1; repeated along the outer axes. Empty where all points count the same.
    weights: Vec<f64>,
    extent: f64,
    /// Points without a value, by channel; empty where there are none.
    masks: Vec<Option<Mask>>,
    /// Factor of the weights that are left, so that their mean over all values is 1.
    share: f64,
    /// What the points lie on.
    domain: Domain,
}

impl Measure {
    /// Points that all count the same, one channel, extent 1.
    pub fn flat(points: usize) -> Self {
        Self::grid(&[points])
    }

    /// The same on a grid, outermost axis first.
    pub fn grid(shape: &[usize]) -> Self {
        Self {
            shape: shape.to_vec(),
            channels: 1,
            has_time: false,
            weights: vec![],
            extent: 1.0,
            masks: vec![],
            share: 1.0,
            domain: Domain::Flat,
        }
    }

    /// The measure of the published tables: the weights of a task's domain, and the extent of its coordinates.
    ///
    /// `with_extent(1.0)` makes the norms root mean squares again.
    pub fn of(task: &Task) -> Self {
        let mut measure = Self::grid(&task.output_shape()).with_channels(task.outputs.len());
        measure.extent = extent(task);
        measure.domain = task.domain;
        if task.domain != Domain::Flat {
            measure = measure.with_weights(task.grid().weights());
        }
        measure.has_time = lead_times(task).is_some();
        if task.masks_outputs() {
            let masks = task.outputs.iter().map(|field| field.mask.clone());
            measure = measure.with_masks(masks.collect());
        }
        measure
    }

    /// With this many channels, which are the last axis of every array.
    ///
    /// # Panics
    /// If it is zero.
    #[must_use]
    pub fn with_channels(mut self, channels: usize) -> Self {
        assert!(channels > 0, "a field has a channel");
        self.channels = channels;
        self
    }

    /// With weights of the points, scaled here to mean 1. Weights of the inner axes (of latitude and longitude, say)
    /// are repeated along the outer ones.
    ///
    /// # Panics
    /// If their number does not divide that of the points, or if one is negative or not finite, or all are zero.
    #[must_use]
    pub fn with_weights(mut self, mut weights: Vec<f64>) -> Self {
        let points = self.points();
        assert!(
            !weights.is_empty() && points.is_multiple_of(weights.len()),
            "{} weights do not divide {points} points",
            weights.len()
        );
        if let Some(place) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            panic!("weight {place} is {}, which is no weight", weights[place]);
        }
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        assert!(mean > 0.0, "all weights are zero");
        // A mean of 1 but for rounding is left alone: weights of a quadrature keep their bits.
        if (mean - 1.0).abs() > 1e-12 {
            for weight in &mut weights {
                *weight /= mean;
            }
        }
        self.weights = weights;
        self
    }

    /// Without the points that each channel's mask names. Give weights first.
    ///
    /// # Panics
    /// If there is not one entry per channel, or if no value is left.
    #[must_use]
    pub fn with_masks(mut self, masks: Vec<Option<Mask>>) -> Self {
        assert_eq!(masks.len(), self.channels, "a mask or none per channel");
        (self.masks, self.share) = (masks, 1.0);
        let left: f64 = (0..self.values()).map(|value| self.weight(value)).sum();
        assert!(left > 0.0, "all values are masked");
        self.share = self.values() as f64 / left;
        self
    }

    /// With this extent of the domain, the factor under the root of every norm.
    #[must_use]
    pub fn with_extent(mut self, extent: f64) -> Self {
        self.extent = extent;
        self
    }

    /// With time as the first axis: scores are also given for each of its steps.
    #[must_use]
    pub fn with_time(mut self) -> Self {
        self.has_time = true;
        self
    }

    /// Of several steps of a forecast as one field, the steps outermost: norms and means are over all of them.
    #[must_use]
    pub fn over_steps(mut self, steps: usize) -> Self {
        self.shape.insert(0, steps);
        self.with_time()
    }

    /// What the points lie on: on a sphere the last two axes are latitude and longitude.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// Sizes of the grid, without channels.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Points of the grid.
    pub fn points(&self) -> usize {
        self.shape.iter().product()
    }

    /// Channels at each point.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Numbers of one field: points times channels.
    pub fn values(&self) -> usize {
        self.points() * self.channels
    }

    /// Steps of the first axis if that is time, otherwise 1.
    pub fn lead_times(&self) -> usize {
        match self.shape.first() {
            Some(&steps) if self.has_time => steps,
            _ => 1,
        }
    }

    /// Whether the first axis is time.
    pub fn has_time(&self) -> bool {
        self.has_time
    }

    /// Extent of the domain.
    pub fn extent(&self) -> f64 {
        self.extent
    }

    /// Whether points differ in weight.
    pub fn is_weighted(&self) -> bool {
        !self.weights.is_empty() || self.is_masked()
    }

    /// Whether there are values that are left out.
    pub fn is_masked(&self) -> bool {
        !self.masks.is_empty()
    }

    /// Whether a value is left out, whatever stands there.
    pub fn leaves_out(&self, value: usize) -> bool {
        let mask = match self.masks.len() {
            0 => None,
            channels => self.masks[value % channels].as_ref(),
        };
        mask.is_some_and(|mask| mask.is_masked(value / self.channels))
    }

    /// Weight of a value (of its point), with mean 1; 0 for one that is left out.
    pub fn weight(&self, value: usize) -> f64 {
        if self.leaves_out(value) {
            return 0.0;
        }
        let weight = match self.weights.len() {
            0 => 1.0,
            n => self.weights[value / self.channels % n],
        };
        weight * self.share
    }

    /// Sixteen digits that are the same for the same grid, weights, masks and extent, and for no others.
    pub fn fingerprint(&self) -> String {
        let mut hash = blake3::Hasher::new();
        let mut number = |n: u64| {
            hash.update(&n.to_le_bytes());
        };
        let mut sizes = |sizes: &[usize]| {
            number(sizes.len() as u64);
            for &size in sizes {
                number(size as u64);
            }
        };
        sizes(&self.shape);
        sizes(&[self.channels, self.weights.len(), self.masks.len()]);
        for mask in &self.masks {
            sizes(mask.as_ref().map_or(&[][..], Mask::sizes));
        }
        number(self.extent.to_bits());
        for weight in &self.weights {
            number(weight.to_bits());
        }
        for mask in self.masks.iter().flatten() {
            for point in 0..mask.points() {
                number(u64::from(mask.is_masked(point)));
            }
        }
        hash.finalize().to_hex()[..16].to_owned()
    }

    /// Norm of a field from the weighted sum of its squares and the sum of the weights that took part.
    pub fn norm(&self, squares: f64, weight: f64) -> f64 {
        (self.extent * self.channels as f64 * squares / weight).sqrt()
    }
}

/// Product of the lengths of a task's axes, as the network sees them.
pub(crate) fn extent(task: &Task) -> f64 {
    let along = |axis: usize| {
        let seen = task.coordinates.iter().find(|c| c.axis == axis);
        let length = seen.map_or(1.0, |c| (c.last - c.first).abs());
        if length > 0.0 { length } else { 1.0 }
    };
    match task.domain {
        Domain::Flat => (0..task.output.len()).map(along).product(),
        Domain::Sphere(_) => 1.0,
    }
}

/// Times of a task's output, if its first axis is time.
pub(crate) fn lead_times(task: &Task) -> Option<usize> {
    let first = task.output.first();
    first
        .filter(|axis| is_time(&axis.name))
        .map(|axis| axis.size)
}

/// Whether an axis of this name is time.
pub fn is_time(name: &str) -> bool {
    TIME.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_tasks_have_their_published_measure() {
        let era5 = Measure::of(&Task::era5());
        assert!((era5.extent() - ERA5_EXTENT).abs() < 1e-15);
        assert_eq!((era5.channels(), era5.lead_times()), (1, 10));
        assert!((era5.norm(1.0, 1.0) - 0.6882).abs() < 5e-5);
        for flat in [Task::ks(), Task::darcy()] {
            let measure = Measure::of(&flat);
            assert_eq!((measure.extent(), measure.is_weighted()), (1.0, false));
        }
        assert_eq!(Measure::of(&Task::ks()).lead_times(), 20);
        assert_eq!(Measure::of(&Task::darcy()).lead_times(), 1);
        let sswe = Measure::of(&Task::sswe());
        assert_eq!((sswe.channels(), sswe.values()), (3, 128 * 256 * 3));
        assert!(sswe.is_weighted() && !sswe.has_time());
        // The pole's quadrature weight over the mean of 2/128: method page, Clenshaw-Curtis.
        assert!((sswe.weight(2) - 6.2000124e-5 * 64.0).abs() < 1e-9);
        // All three channels of a point weigh the same.
        let equator = 64 * 256 * 3;
        assert_eq!(sswe.weight(equator), sswe.weight(equator + 2));
        assert!(sswe.weight(equator) > 1.5);
    }

    #[test]
    fn an_axis_without_a_length_counts_as_one() {
        let mut still = Task::era5();
        for coordinate in &mut still.coordinates {
            coordinate.last = coordinate.first;
        }
        assert_eq!(extent(&still), 1.0);
        let mut blind = Task::era5();
        blind.coordinates.clear();
        assert_eq!(extent(&blind), 1.0);
        // The first coordinate along an axis says how long it is.
        let mut twice = Task::ks();
        twice.coordinates[0].last = 3.0;
        twice.coordinates.push(crate::task::Coordinate {
            last: 7.0,
            ..twice.coordinates[0]
        });
        assert_eq!(extent(&twice), 3.0);
        let mut sphere = Task::sswe();
        sphere.coordinates = vec![crate::task::Coordinate {
            axis: 0,
            first: 90.0,
            last: -90.0,
        }];
        assert_eq!(extent(&sphere), 1.0);
    }

    #[test]
    fn the_norm_sums_channels_and_averages_points() {
        // The field that is 1 everywhere has the norm √channels on every domain of extent 1.
        for measure in [
            Measure::flat(10).with_channels(3),
            Measure::of(&Task::sswe()),
        ] {
            let weight: f64 = (0..measure.values()).map(|v| measure.weight(v)).sum();
            assert!((weight / measure.values() as f64 - 1.0).abs() < 1e-12);
            assert!((measure.norm(weight, weight) - 3.0_f64.sqrt()).abs() < 1e-12);
        }
    }

    #[test]
    fn a_fingerprint_tells_measures_apart() {
        let line = || Measure::flat(4).with_channels(2);
        let mask = |at: usize| Mask::new(&[4], move |x| x == at);
        let all = [
            line(),
            Measure::grid(&[2, 2]).with_channels(2),
            Measure::flat(8),
            line().with_extent(2.0),
            line().with_weights(vec![1.0, 2.0, 3.0, 4.0]),
            line().with_weights(vec![2.0, 1.0, 3.0, 4.0]),
            line().with_masks(vec![mask(1), None]),
            line().with_masks(vec![None, mask(1)]),
            line().with_masks(vec![None, mask(2)]),
        ];
        for (i, measure) in all.iter().enumerate() {
            let found = measure.fingerprint();
            assert_eq!(found.len(), 16);
            let twin = all.iter().position(|other| other.fingerprint() == found);
            assert_eq!(twin, Some(i));
        }
    }

    #[test]
    fn weights_are_scaled_to_mean_one_and_repeated_along_outer_axes() {
        let measure = Measure::grid(&[2, 3])
            .with_channels(2)
            .with_weights(vec![1.0, 2.0, 3.0]);
        let found: Vec<f64> = (0..12).map(|v| measure.weight(v)).collect();
        assert_eq!(
            found,
            [0.5, 0.5, 1.0, 1.0, 1.5, 1.5, 0.5, 0.5, 1.0, 1.0, 1.5, 1.5]
        );
    }

    #[test]
    #[should_panic(expected = "weight 1 is -1, which is no weight")]
    fn negative_weights_are_refused() {
        let _ = Measure::flat(2).with_weights(vec![1.0, -1.0]);
    }

    #[test]
    #[should_panic(expected = "4 weights do not divide 6 points")]
    fn weights_of_another_grid_are_refused() {
        let _ = Measure::flat(6).with_weights(vec![1.0; 4]);
    }
}
