//! One channel of an ensemble and its truth, as slices.

/// One channel of an ensemble and of what happened.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    frames: Vec<Frame<'a>>,
    weights: &'a [f64],
    count: usize,
    points: usize,
    channels: usize,
    channel: usize,
}

/// One frame: member `m` begins at `m * stride`.
#[derive(Debug, Clone, Copy)]
struct Frame<'a> {
    members: &'a [f32],
    stride: usize,
    truth: &'a [f32],
}

impl<'a> Fields<'a> {
    /// Most members: numbers of members are kept in nine bits.
    pub const MOST_MEMBERS: usize = 510;

    /// Of members `[member, frame, point, channel]` and truth `[frame, point, channel]`.
    ///
    /// Weights `[point]` say how much a point counts (area on a sphere); none is all the same.
    ///
    /// # Errors
    /// If the sizes do not fit, in a sentence.
    pub fn new(
        members: &'a [f32],
        truth: &'a [f32],
        points: usize,
        channel: [usize; 2],
        weights: &'a [f64],
    ) -> Result<Self, String> {
        Self::of_parts([(members, truth)], points, channel, weights)
    }

    /// Of several such pairs, one after the other in time, all with as many members: hours that came one by one.
    ///
    /// # Errors
    /// If the sizes do not fit, in a sentence.
    pub fn of_parts(
        parts: impl IntoIterator<Item = (&'a [f32], &'a [f32])>,
        points: usize,
        [channel, channels]: [usize; 2],
        weights: &'a [f64],
    ) -> Result<Self, String> {
        let mut fields = Self {
            frames: vec![],
            weights,
            count: 0,
            points,
            channels,
            channel,
        };
        for (members, truth) in parts {
            fields.extend(members, truth)?;
        }
        if fields.frames.is_empty() {
            return Err("there is no frame to verify".to_owned());
        }
        if !weights.is_empty() && weights.len() != points {
            return Err(format!(
                "there are {} weights for {points} points",
                weights.len()
            ));
        }
        Ok(fields)
    }

    fn extend(&mut self, members: &'a [f32], truth: &'a [f32]) -> Result<(), String> {
        let (points, channels, channel) = (self.points, self.channels, self.channel);
        let frame = points * channels;
        if channel >= channels
            || frame == 0
            || truth.is_empty()
            || !truth.len().is_multiple_of(frame)
        {
            return Err(format!(
                "the truth has {} values, which is not a whole number of frames of {points} points with {channels} channels, of which number {channel} is wanted",
                truth.len()
            ));
        }
        let stride = truth.len();
        let count = members.len() / stride;
        if !members.len().is_multiple_of(stride) || !(2..=Self::MOST_MEMBERS).contains(&count) {
            return Err(format!(
                "the members have {} values, but 2 to {} whole fields of {stride} values can be verified",
                members.len(),
                Self::MOST_MEMBERS
            ));
        }
        if !self.frames.is_empty() && count != self.count {
            return Err(format!(
                "a later part has {count} members, but the first has {}",
                self.count
            ));
        }
        self.count = count;
        let frames = truth.chunks_exact(frame).enumerate();
        self.frames.extend(frames.map(|(index, truth)| Frame {
            members: &members[index * frame..],
            stride,
            truth,
        }));
        Ok(())
    }

    /// Which channel, of how many that lie together.
    pub fn channel(&self) -> [usize; 2] {
        [self.channel, self.channels]
    }

    /// How much each point counts; empty where all count the same.
    pub fn weights(&self) -> &'a [f64] {
        self.weights
    }

    /// Members.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Frames.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Points of a frame.
    pub fn points(&self) -> usize {
        self.points
    }

    /// How much a point counts.
    pub fn weight(&self, point: usize) -> f64 {
        self.weights.get(point).copied().unwrap_or(1.0)
    }

    /// The value of somebody at a point of a frame: number 0 is the truth, the members follow.
    pub fn value(&self, who: usize, frame: usize, point: usize) -> f32 {
        let (frame, at) = (&self.frames[frame], point * self.channels + self.channel);
        match who {
            0 => frame.truth[at],
            _ => frame.members[(who - 1) * frame.stride + at],
        }
    }

    /// A frame of somebody, without gaps.
    pub fn frame(&self, who: usize, frame: usize) -> Vec<f32> {
        let value = |point| self.value(who, frame, point);
        (0..self.points).map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_member_frame_point_and_channel() {
        // The value tells its place: 1000 member + 100 frame + 10 point + channel, the truth is number 0.
        let all: Vec<f32> = (0..3 * 2 * 4 * 2_usize)
            .map(|i| (1000 * (i / 16) + 100 * (i / 8 % 2) + 10 * (i / 2 % 4) + i % 2) as f32)
            .collect();
        let (truth, members) = all.split_at(16);
        let fields = Fields::new(members, truth, 4, [1, 2], &[]).expect("sizes fit");
        assert_eq!((fields.count(), fields.frames()), (2, 2));
        assert_eq!(fields.value(2, 1, 3), 2131.0);
        assert_eq!(fields.frame(0, 1), [101.0, 111.0, 121.0, 131.0]);
    }

    #[test]
    fn hours_that_came_one_by_one_are_the_frames_of_one_ensemble() {
        let truth: Vec<f32> = (0..12_u8).map(f32::from).collect();
        let members: Vec<f32> = (0..36_u8).map(|i| 100.0 + f32::from(i)).collect();
        let whole = Fields::new(&members, &truth, 4, [0, 1], &[]).expect("sizes fit");
        // The same, cut into three frames of three members each.
        let hour = |h: usize| -> Vec<f32> {
            let part = |member: &[f32]| member[4 * h..4 * h + 4].to_vec();
            members.chunks(12).flat_map(part).collect()
        };
        let hours = [hour(0), hour(1), hour(2)];
        let parts = hours.iter().zip(truth.chunks(4));
        let parts = parts.map(|(members, truth)| (members.as_slice(), truth));
        let cut = Fields::of_parts(parts, 4, [0, 1], &[]).expect("sizes fit");
        assert_eq!((cut.count(), cut.frames()), (3, 3));
        for who in 0..4 {
            for frame in 0..3 {
                assert_eq!(cut.frame(who, frame), whole.frame(who, frame));
            }
        }
        let short = [(&hours[0][..], &truth[..4]), (&hours[1][..8], &truth[4..8])];
        assert!(Fields::of_parts(short, 4, [0, 1], &[]).is_err());
        assert!(Fields::of_parts([], 4, [0, 1], &[]).is_err());
    }

    #[test]
    fn sizes_that_do_not_fit_get_a_sentence() {
        let error = |members: usize, truth: usize, channel: usize, weights: usize| {
            let (members, truth) = (vec![0.0; members], vec![0.0; truth]);
            let weights = vec![1.0; weights];
            Fields::new(&members, &truth, 4, [channel, 1], &weights)
                .map(|_| ())
                .err()
        };
        assert_eq!(error(16, 8, 0, 4), None);
        for (members, truth, channel, weights) in [
            (16, 7, 0, 0),
            (17, 8, 0, 0),
            (8, 8, 0, 0),
            (16, 8, 1, 0),
            (16, 8, 0, 3),
            (0, 0, 0, 0),
        ] {
            assert!(error(members, truth, channel, weights).is_some());
        }
    }
}
