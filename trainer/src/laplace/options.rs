//! What can be chosen about a fit: apart from the fit itself, so that settings can be read without a network.

use pno::spec::Profile;
use serde::{Deserialize, Serialize};

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The optimum of the evidence and correct draws, or what was published.
    pub profile: Profile,
    /// Whether members get observation noise; the published ones never do.
    pub noise: bool,
}
