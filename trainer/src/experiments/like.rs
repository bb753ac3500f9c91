//! The generator of a data set, from what the data set says of itself.

use anyhow::{Context, Result, bail};
use pno::pde::darcy::Law;
use pno::spec::Profile;
use pno::task::Domain;

use super::recipe::DataRecipe;
use super::rows::{Unusual, named, row};
use crate::data::{Dataset, Fresh, Split};

/// More trajectories of the kind of a data set, named by another seed.
///
/// Grid, frames and latitudes are those of the arrays, profile and law are attributes. Whether that is the same generator is
/// checked by all that it says of its data ([`Fresh::new`]).
pub fn fresh(data: &Dataset, seed: u64) -> Result<Fresh> {
    let (experiment, place) = (data.experiment(), data.path().display());
    let Some(generator) = &row(experiment).generator else {
        bail!(
            "--fresh makes new trajectories with the solver of an equation, which there is for {}, but {place} is a data set of {experiment}",
            named(|_| true)
        );
    };
    let attribute = |key: &str| data.attributes().get(key).and_then(|value| value.as_str());
    let Some(profile) = attribute("generator").and(attribute("profile")) else {
        bail!(
            "{place} was imported, so nothing here can make more cases of it: leave out --fresh, or make data with `pno data generate {experiment}`"
        );
    };
    let space = data.space();
    let recipe = DataRecipe {
        // Only the numbers of the trajectories say how many are made.
        shares: [data.split(Split::Train).len(), 0, 0],
        grid: space.iter().map(|axis| axis.size).collect(),
        profile: profile
            .parse::<Profile>()
            .with_context(|| format!("{place}: its attribute `profile`"))?,
        frames: (generator.flags.contains(&"--frames")).then(|| data.frames_per_row()),
        seed,
    };
    let unusual = Unusual {
        law: (Law::ALL.iter().copied()).find(|law| attribute("law") == Some(law.description())),
        latitudes: match data.task().domain {
            Domain::Sphere(latitudes) => Some(latitudes),
            Domain::Flat => None,
        },
    };
    Fresh::new(data, recipe.source(experiment, unusual)?)
}
