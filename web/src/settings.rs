//! Everything a visitor can set. [`crate::address`] turns it into an address and back.

use pno::pde::ks;
use pno::spec::{Experiment, Method};
use serde::{Deserialize, Serialize};

use crate::live::Live;

/// Largest number of members the page draws: 20 MB of fields.
pub const MAX_MEMBERS: u32 = 1024;

/// Implements the name table of a small enum.
macro_rules! choices {
    ($(#[$meta:meta])* $type:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
        pub enum $type { $($(#[$vmeta])* $variant),+ }

        impl $type {
            /// Every value, the default first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used in addresses.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The value of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    };
}
pub(crate) use choices;

choices!(
    /// Which panels are shown.
    View {
        /// All six, side by side.
        #[default]
        All = "all",
        /// What really happened.
        Truth = "truth",
        /// Mean of the members.
        Mean = "mean",
        /// Distance of the mean from the truth.
        Error = "error",
        /// Standard deviation of the members.
        Std = "std",
        /// One member.
        Member = "member",
        /// Where the truth lies inside the 95 % interval.
        Coverage = "coverage",
    }
);

choices!(
    /// Where the network runs.
    DeviceChoice {
        /// WebGPU on a real GPU, else the CPU.
        #[default]
        Auto = "auto",
        /// The CPU, always.
        Cpu = "cpu",
        /// WebGPU or an error; a software adapter is taken too.
        WebGpu = "webgpu",
    }
);

choices!(
    /// Colours of the page.
    Theme {
        /// As the system is set.
        #[default]
        Auto = "auto",
        /// Dark on light.
        Light = "light",
        /// Light on dark.
        Dark = "dark",
    }
);

/// The whole state of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which equation.
    pub experiment: Experiment,
    /// Which kind of model.
    pub method: Method,
    /// Seed of the truth's start and of the members' noise.
    pub seed: u64,
    /// How many members to draw.
    pub members: u32,
    /// The member that is shown, from 0.
    pub member: u32,
    /// Which panels are shown.
    pub view: View,
    /// The probe's frame: steps ahead, from 1.
    pub lead: usize,
    /// The probe's cell, from 0.
    pub point: usize,
    /// Where the network runs.
    pub device: DeviceChoice,
    /// Colours of the page.
    pub theme: Theme,
    /// Address of a checkpoint that is taken instead of the shipped one.
    pub model: Option<String>,
    /// What belongs to the experiments that are solved live.
    pub live: Live,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            experiment: Experiment::Ks,
            method: Method::PnoD,
            seed: 7,
            members: 64,
            member: 0,
            view: View::default(),
            lead: ks::WINDOW / 2,
            point: 3 * ks::CELLS / 8,
            device: DeviceChoice::default(),
            theme: Theme::default(),
            model: None,
            live: Live::default(),
        }
    }
}

impl Settings {
    /// The experiment on the screen. A model of one's own is always tried as a forecast, and there is one kind so far.
    pub fn shown(&self) -> Experiment {
        if self.model.is_some() {
            Experiment::Ks
        } else {
            self.experiment
        }
    }

    /// Frame of the probe in the forecast window, from 0.
    pub fn frame(&self) -> usize {
        self.lead.saturating_sub(1).min(ks::WINDOW - 1)
    }

    /// Moves the probe by frames and cells: time stops at its ends, space is periodic.
    pub fn move_probe(&mut self, frames: isize, cells: isize) {
        self.lead = self.lead.saturating_add_signed(frames).clamp(1, ks::WINDOW);
        self.point = (self.point as isize + cells).rem_euclid(ks::CELLS as isize) as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_of_ones_own_is_tried_as_a_forecast() {
        let mut settings = Settings {
            experiment: Experiment::Darcy,
            ..Settings::default()
        };
        assert_eq!(settings.shown(), Experiment::Darcy);
        settings.model = Some("own.pno".to_owned());
        assert_eq!(settings.shown(), Experiment::Ks);
    }

    #[test]
    fn the_probe_stops_in_time_and_goes_round_in_space() {
        let mut settings = Settings {
            lead: 1,
            point: 0,
            ..Settings::default()
        };
        settings.move_probe(-1, -1);
        assert_eq!((settings.lead, settings.point), (1, ks::CELLS - 1));
        settings.move_probe(100, 2);
        assert_eq!((settings.lead, settings.point), (ks::WINDOW, 1));
        assert_eq!(settings.frame(), ks::WINDOW - 1);
    }
}
