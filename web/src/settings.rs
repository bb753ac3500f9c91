//! Everything a visitor can set. [`crate::address`] turns it into an address and back.

use pno::observation::Observation;
use pno::spec::{Experiment, Method};

use crate::experiments::row;
use crate::globe::{Eye, Projection};
use crate::live::{Live, Place};
use crate::nudge::Nudge;
use crate::picture::Palette;
use crate::views::View;

/// Largest number of members the page draws.
pub const MAX_MEMBERS: u32 = 256;
/// Furthest lead time: ten days of hours.
pub const MAX_LEAD: usize = 240;

/// Implements the name table of a small enum.
macro_rules! choices {
    ($(#[$meta:meta])* $type:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
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

choices!(
    /// Colours of fields.
    ColourMap {
        /// What suits the quantity.
        #[default]
        Auto = "auto",
        /// Dark blue to pale pink.
        Batlow = "batlow",
        /// Blue to white to red.
        Vik = "vik",
        /// Dark to pale yellow.
        Lajolla = "lajolla",
    }
);

impl ColourMap {
    /// The table; `None` for what suits the quantity.
    pub fn palette(self) -> Option<Palette> {
        match self {
            Self::Auto => None,
            Self::Batlow => Some(Palette::Sequential),
            Self::Vik => Some(Palette::Diverging),
            Self::Lajolla => Some(Palette::Spread),
        }
    }
}

/// The whole state of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which equation.
    pub experiment: Experiment,
    /// Which kind of model.
    pub method: Method,
    /// The method beside it.
    pub method2: Option<Method>,
    /// Address of a checkpoint that is taken instead of the shipped one.
    pub model: Option<String>,
    /// The same for the other side.
    pub model2: Option<String>,
    /// Which of the cases that come with the page; empty for the first.
    pub case: String,
    /// Seed of the truth's start and of the members' noise.
    pub seed: u64,
    /// How many members to draw.
    pub members: u32,
    /// Steps to forecast where forecasts are stepped on.
    pub steps: u32,
    /// What is shown.
    pub view: View,
    /// The lead time that is shown: steps ahead, from 1.
    pub lead: usize,
    /// Where values are read.
    pub place: Place,
    /// Name of the quantity that is shown; empty for the first.
    pub channel: String,
    /// The member that is shown, from 0.
    pub member: u32,
    /// The quantile that is shown, in per cent.
    pub quantile: u32,
    /// Level of the interval, in per cent.
    pub level: u32,
    /// What is to be exceeded, in the unit that is shown; `None` for a value in the upper third of the scale.
    pub threshold: Option<f64>,
    /// How well the input is known, where a model can be told.
    pub observe: Observation,
    /// Whether members that are the same functions on every grid are drawn on a finer one.
    pub finer: bool,
    /// Bumps on the start.
    pub nudges: Vec<Nudge>,
    /// Grids, and the painted permeability.
    pub live: Live,
    /// Whether lead times pass by.
    pub play: bool,
    /// Where the network runs.
    pub device: DeviceChoice,
    /// Colours of fields.
    pub map: ColourMap,
    /// How a field on a sphere is drawn.
    pub projection: Projection,
    /// What the eye is above.
    pub eye: Eye,
    /// Colours of the page.
    pub theme: Theme,
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(Experiment::Ks)
    }
}

impl Settings {
    /// What an experiment begins with.
    pub fn of(experiment: Experiment) -> Self {
        let start = row(experiment).start;
        Self {
            experiment,
            method: start.method,
            method2: None,
            model: None,
            model2: None,
            case: String::new(),
            seed: 7,
            members: start.members,
            steps: start.lead as u32,
            view: View::default(),
            lead: start.lead,
            place: start.place,
            channel: String::new(),
            member: 0,
            quantile: 90,
            level: 95,
            threshold: None,
            observe: Observation::EXACT,
            finer: false,
            nudges: vec![],
            live: Live::default(),
            play: false,
            device: DeviceChoice::default(),
            map: ColourMap::default(),
            projection: Projection::default(),
            eye: Eye::START,
            theme: Theme::default(),
        }
    }

    /// Goes to another experiment: what belongs to the page stays, what belongs to the experiment begins anew.
    pub fn switch(&mut self, experiment: Experiment) {
        *self = Self {
            seed: self.seed,
            view: self.view,
            quantile: self.quantile,
            level: self.level,
            device: self.device,
            map: self.map,
            projection: self.projection,
            theme: self.theme,
            ..Self::of(experiment)
        };
        self.settle_view();
    }

    /// Leaves a view that needs two sides where there is only one.
    pub fn settle_view(&mut self) {
        if self.view == View::Difference && !self.compares() {
            self.view = View::default();
        }
    }

    /// Goes to another case: the visitor's own changes to the last one are over.
    pub fn new_case(&mut self, seed: u64) {
        let start = Self::of(self.experiment);
        self.seed = seed;
        self.nudges.clear();
        self.live.painting = None;
        self.play = false;
        if row(self.experiment).step.is_some() {
            self.lead = start.lead;
        }
        self.steps = self.lead as u32;
    }

    /// Goes to a lead time, from 1; a forecast that is stepped on goes at least that far.
    pub fn go(&mut self, lead: usize) {
        self.lead = lead.clamp(1, MAX_LEAD);
        self.steps = self.steps.max(self.lead as u32);
    }

    /// Puts everything back that the visitor set for this experiment.
    pub fn reset(&mut self) {
        *self = Self {
            theme: self.theme,
            device: self.device,
            ..Self::of(self.experiment)
        };
    }

    /// Whether the seed decides the case, and not only the members.
    pub fn seed_decides_case(&self) -> bool {
        row(self.experiment).solve.is_some()
    }

    /// Whether two methods stand side by side.
    pub fn compares(&self) -> bool {
        self.method2.is_some() || self.model2.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_experiment_begins_anew_and_keeps_the_page_as_it_is() {
        let mut settings = Settings {
            theme: Theme::Dark,
            seed: 12,
            model: Some("own.pno".to_owned()),
            nudges: vec![Nudge::at(Place::MIDDLE, 1.0)],
            ..Settings::default()
        };
        settings.switch(Experiment::Sswe);
        let wanted = Settings {
            theme: Theme::Dark,
            seed: 12,
            ..Settings::of(Experiment::Sswe)
        };
        assert_eq!(settings, wanted);
    }

    #[test]
    fn a_view_of_two_sides_does_not_outlive_the_second() {
        let mut settings = Settings {
            method2: Some(Method::PnoR),
            view: View::Difference,
            ..Settings::default()
        };
        settings.settle_view();
        assert_eq!(settings.view, View::Difference);
        settings.switch(Experiment::Darcy);
        assert_eq!((settings.method2, settings.view), (None, View::All));
        settings.view = View::Std;
        settings.switch(Experiment::Ks);
        assert_eq!(settings.view, View::Std, "others stay");
    }

    #[test]
    fn going_back_does_not_shorten_a_forecast() {
        let mut settings = Settings::of(Experiment::Sswe);
        settings.go(5);
        settings.go(2);
        assert_eq!((settings.lead, settings.steps), (2, 5));
        settings.go(0);
        assert_eq!(settings.lead, 1);
        settings.go(100_000);
        assert_eq!(settings.lead, MAX_LEAD);
        settings.new_case(3);
        assert_eq!((settings.lead, settings.steps, settings.seed), (1, 1, 3));
    }
}
