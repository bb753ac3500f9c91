//! The sources, one file each.

pub(crate) mod arrays;
mod darcy;
mod era5;
mod ks;
mod pdebench;
mod sswe;

pub use arrays::Arrays;
pub use darcy::Darcy;
pub use era5::{Era5, window_task};
pub use ks::Ks;
pub use pdebench::{Choices as PdebenchChoices, Pdebench};
pub use sswe::{Choices as SsweChoices, Sswe};

use pno::spec::Profile;
use serde_json::{Value, json};

use super::split::Counts;

/// What all generated data sets have in common.
#[derive(Debug, Clone)]
pub struct Generated {
    /// Number of cases for each part.
    pub counts: Counts,
    /// Names the samples and the shares.
    pub seed: u64,
    /// As it should be, or as it was published.
    pub profile: Profile,
}

impl Generated {
    /// The attributes they have in common, with those of the source's own.
    fn attributes(&self, own: Value) -> Value {
        let mut all = json!({
            "seed": self.seed,
            "profile": self.profile.name(),
            "split_seed": self.seed,
            "split_rule": "a permutation of the cases by split_seed: first test, then valid, the rest train",
        });
        if let (Some(all), Value::Object(own)) = (all.as_object_mut(), own) {
            all.extend(own);
        }
        all
    }

    /// Everything that decides the values, with what the source adds.
    fn request(&self, generator: &str, own: &Value) -> Value {
        json!({
            "generator": generator,
            "counts": self.counts.0,
            "seed": self.seed,
            "profile": self.profile.name(),
            "own": own,
        })
    }
}
