//! Names: experiments, methods, operators, profiles, as commands, addresses and files spell them.

/// Implements `Display`, `FromStr` and `ALL` for an enum of names.
macro_rules! names {
    ($(#[$meta:meta])* $type:ident, $kind:literal, $known:literal, { $($(#[$vmeta:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $type { $($(#[$vmeta])* $variant),+ }

        impl $type {
            /// Every value, in the order of the paper.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used in commands, addresses and files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.name()) }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::spec::SpecError;
            fn from_str(s: &str) -> Result<Self, Self::Err> {
                match s {
                    $($name => Ok(Self::$variant),)+
                    _ => Err($crate::spec::SpecError::Unknown { kind: $kind, found: s.to_owned(), known: $known }),
                }
            }
        }
    };
}

pub(crate) use names;

names!(
    /// An experiment of the paper, or a problem of the user's own.
    Experiment, "experiment", "darcy, ks, sswe, era5, arrays, ks-step",
    {
        /// Steady Darcy flow in the unit square.
        Darcy = "darcy",
        /// Kuramoto-Sivashinsky equation on a periodic line.
        Ks = "ks",
        /// Spherical shallow water equations.
        Sswe = "sswe",
        /// 2 m temperature over Europe.
        Era5 = "era5",
        /// Arrays that a user brought: not of the paper.
        Arrays = "arrays",
        /// One step of the Kuramoto-Sivashinsky equation: not of the paper.
        KsStep = "ks-step",
    }
);

names!(
    /// How uncertainty is made.
    Method, "method", "det, pno-d, pno-r, mcd, laplace, ensemble, pno-f, perturbed",
    {
        /// Deterministic network.
        Det = "det",
        /// Energy-score training with dropout that stays on (`PNO_D`).
        PnoD = "pno-d",
        /// Energy-score training with a mean and a spread head (`PNO_R`).
        PnoR = "pno-r",
        /// Monte-Carlo dropout.
        Mcd = "mcd",
        /// Last-layer Laplace approximation.
        Laplace = "laplace",
        /// Deep ensemble: deterministic networks from different seeds (not of the paper).
        Ensemble = "ensemble",
        /// Functional noise: a random function is one more input of the network (not of the paper).
        PnoF = "pno-f",
        /// The classic ensemble: a deterministic network from perturbed inputs (not of the paper).
        Perturbed = "perturbed",
    }
);

names!(
    /// Which network.
    Operator, "operator", "fno, uno, sfno",
    {
        /// Fourier neural operator.
        Fno = "fno",
        /// U-shaped neural operator.
        Uno = "uno",
        /// Spherical Fourier neural operator.
        Sfno = "sfno",
    }
);

names!(
    /// Which of the two documented procedures.
    Profile, "profile", "fixed, paper",
    {
        /// What the method should do (the default).
        Fixed = "fixed",
        /// What the published numbers did, oddities included.
        Paper = "paper",
    }
);

names!(
    /// What a network's last layer gives.
    Output, "output", "field, increment",
    {
        /// The field itself.
        Field = "field",
        /// The change from the input to the output, in units of the standard deviation of such changes.
        Increment = "increment",
    }
);

impl Output {
    /// What specifications from before the key stand for.
    pub(super) fn field() -> Self {
        Self::Field
    }
}

names!(
    /// What training minimises.
    Loss, "loss", "energy, crps, energy+crps, kernel, l2",
    {
        /// Energy score: the whole field as one vector (the paper's).
        Energy = "energy",
        /// Continuous ranked probability score, point by point.
        Crps = "crps",
        /// Energy score plus a weight times the CRPS, which also says where the spread belongs.
        #[serde(rename = "energy+crps")]
        EnergyCrps = "energy+crps",
        /// Score of a Gaussian kernel of the distance between fields.
        Kernel = "kernel",
        /// Norm of the error: for one output without uncertainty.
        L2 = "l2",
    }
);

names!(
    /// What the next step of a forecast begins with.
    Rollout, "rollout", "member, mean",
    {
        /// Every member goes on from its own field.
        Member = "member",
        /// All go on from the mean of a few members, as in the published tables: uncertainty is not carried on.
        Mean = "mean",
    }
);
