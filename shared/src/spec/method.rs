//! The method table: what is random in training, validation and test, and where members come from.
//!
//! | method | trained with | masks in training | in validation | at test | members are | network |
//! |---|---|---|---|---|---|---|
//! | `det` | L2 | one per case | none | none | copies of one output | one head |
//! | `pno-d` | an ensemble loss | one per member | one per member | one per member | passes | one head |
//! | `pno-r` | an ensemble loss | one per case | none | none | mean + spread * white noise | two heads |
//! | `mcd` | L2 | one per member | one per member | one per member | passes | one head |
//! | `laplace` | L2 | one per case | none | none | draws of the last layer's weights | one head |
//! | `ensemble` | L2 | one per case | none | none | networks, each trained from its own seed | several of one head |
//! | `pno-f` | an ensemble loss | none | none | none | passes, each with a random function beside its input | one head |
//! | `perturbed` | L2 | one per case | none | none | passes of perturbed inputs, as uncertain as the input is | one head |
//!
//! The profiles `fixed` and `paper` agree on all of this. They differ in what a forecast of several steps carries on
//! ([`Profile::rollout`]): every member its own field, or the mean of a few, for which the table's last column is
//! [`Procedure::carried`].

use super::{Loss, Method, Profile, Rollout};

/// Which passes share a dropout mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masks {
    /// Nothing is dropped.
    Off,
    /// One mask for each case, shared by its members.
    PerCase,
    /// Every member of every case has its own.
    PerMember,
}

/// What makes one member differ from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// Only the masks: without them all members are alike.
    Passes,
    /// White noise, as wide as the spread head says.
    Normals,
    /// Weights of the last layer, drawn from their posterior.
    LastLayer,
    /// Networks: member `m` is what network `m` says, and there are no more members than networks.
    Networks,
    /// Random functions that the network takes beside its input.
    Functions,
    /// Inputs that may have led to the same observation; where the input is exact, all members are alike.
    Inputs,
}

/// What a method does: one row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Procedure {
    /// Masks while training.
    pub training: Masks,
    /// Masks in validation.
    pub validation: Masks,
    /// Masks when a forecast is made.
    pub test: Masks,
    /// Where members come from.
    pub members: Members,
    /// What it is trained with if nothing else is asked for.
    pub loss: Loss,
    /// What the published forecasts of several steps carried on: masks, and the number of members in the mean (of an
    /// ensemble of networks, all there are).
    pub carried: (Masks, u32),
}

impl Method {
    /// The method's row of the table.
    pub fn procedure(self) -> Procedure {
        use Masks::{Off, PerCase, PerMember};
        let row = |[training, validation, test]: [Masks; 3], members, loss, carried| Procedure {
            training,
            validation,
            test,
            members,
            loss,
            carried,
        };
        let (regular, always) = ([PerCase, Off, Off], [PerMember; 3]);
        match self {
            Self::Det => row(regular, Members::Passes, Loss::L2, (Off, 1)),
            Self::PnoD => row(always, Members::Passes, Loss::Energy, (PerMember, 3)),
            Self::PnoR => row(regular, Members::Normals, Loss::Energy, (Off, 3)),
            Self::Mcd => row(always, Members::Passes, Loss::L2, (Off, 1)),
            Self::Laplace => row(regular, Members::LastLayer, Loss::L2, (Off, 1)),
            Self::Ensemble => row(regular, Members::Networks, Loss::L2, (Off, u32::MAX)),
            Self::PnoF => row([Off; 3], Members::Functions, Loss::EnergyCrps, (Off, 3)),
            Self::Perturbed => row(regular, Members::Inputs, Loss::L2, (Off, 1)),
        }
    }

    /// Whether every member is a pass of its own through the network when it is trained.
    pub fn passes_per_member(self) -> bool {
        let row = self.procedure();
        row.training == Masks::PerMember || row.members == Members::Functions
    }

    /// Whether the network takes a random function beside its input.
    pub fn takes_functions(self) -> bool {
        self.procedure().members == Members::Functions
    }

    /// Whether every member begins with an input of its own.
    pub fn perturbs_inputs(self) -> bool {
        self.procedure().members == Members::Inputs
    }

    /// Whether dropout stays on when a forecast is made.
    pub fn drops_at_inference(self) -> bool {
        self.procedure().test != Masks::Off
    }

    /// How many networks a model has if nothing else is asked for. Five is what Lakshminarayanan et al., "Simple and
    /// scalable predictive uncertainty estimation using deep ensembles", 2017, settle on.
    pub fn networks(self) -> usize {
        match self.procedure().members {
            Members::Networks => 5,
            Members::Passes
            | Members::Normals
            | Members::LastLayer
            | Members::Functions
            | Members::Inputs => 1,
        }
    }

    /// The method that trains its network: the method itself, or `det` for those that are made of trained networks.
    #[must_use]
    pub fn trained_as(self) -> Self {
        match self.procedure().members {
            Members::LastLayer | Members::Networks | Members::Inputs => Self::Det,
            Members::Passes | Members::Normals | Members::Functions => self,
        }
    }

    /// Whether the network has a second head for the spread.
    pub fn has_spread_head(self) -> bool {
        self.procedure().members == Members::Normals
    }

    /// Whether it can be trained with this loss; if not, why, as a sentence.
    pub fn trains_with(self, loss: Loss) -> Result<(), String> {
        let wanted = self.procedure().loss;
        if loss.scores_ensembles() == wanted.scores_ensembles() {
            return Ok(());
        }
        let reason = match self {
            Self::PnoD => "dropout trained with l2 is the method `mcd`",
            Self::PnoR => "its spread would shrink to nothing",
            Self::PnoF => "the network would learn not to look at its noise",
            Self::Mcd => "dropout trained with a score of its members is the method `pno-d`",
            Self::Det | Self::Laplace | Self::Ensemble | Self::Perturbed => {
                "its members are alike in training"
            }
        };
        let known: Vec<&str> = Loss::ALL
            .iter()
            .filter(|l| l.scores_ensembles() == wanted.scores_ensembles())
            .map(|l| l.name())
            .collect();
        let known = known.join(", ");
        Err(format!(
            "method `{self}` cannot be trained with loss `{loss}`: {reason}; it takes: {known}"
        ))
    }
}

impl Loss {
    /// Whether it compares members with each other, and so needs at least two.
    pub fn scores_ensembles(self) -> bool {
        self != Self::L2
    }
}

impl Profile {
    /// What the next step of a forecast begins with, if nothing else is asked for.
    pub fn rollout(self) -> Rollout {
        match self {
            Self::Fixed => Rollout::Member,
            Self::Paper => Rollout::Mean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_the_paper_did() {
        use Masks::{Off, PerCase, PerMember};
        // Section "methods" of the paper: dropout on or off while training, in validation, at test.
        for (method, masks) in [
            (Method::Det, [PerCase, Off, Off]),
            (Method::PnoD, [PerMember, PerMember, PerMember]),
            (Method::PnoR, [PerCase, Off, Off]),
            (Method::Mcd, [PerMember, PerMember, PerMember]),
            (Method::Laplace, [PerCase, Off, Off]),
            // Not of the paper: as `det`, and without any mask.
            (Method::Ensemble, [PerCase, Off, Off]),
            (Method::PnoF, [Off, Off, Off]),
            (Method::Perturbed, [PerCase, Off, Off]),
        ] {
            let row = method.procedure();
            assert_eq!([row.training, row.validation, row.test], masks, "{method}");
            assert_eq!(method.trains_with(row.loss), Ok(()), "{method}");
        }
    }

    #[test]
    fn a_loss_that_does_not_suit_the_method_is_refused_in_one_sentence() {
        let refused = |method: Method, loss| method.trains_with(loss).expect_err("refused");
        assert_eq!(
            refused(Method::Mcd, Loss::Energy),
            "method `mcd` cannot be trained with loss `energy`: dropout trained with a score of its members is the method `pno-d`; it takes: l2"
        );
        assert!(
            refused(Method::PnoD, Loss::L2)
                .ends_with("it takes: energy, crps, energy+crps, kernel")
        );
        assert!(refused(Method::Det, Loss::Crps).contains("alike"));
        assert!(refused(Method::PnoF, Loss::L2).contains("not to look at its noise"));
        for loss in [Loss::Energy, Loss::Crps, Loss::EnergyCrps, Loss::Kernel] {
            assert_eq!(Method::PnoR.trains_with(loss), Ok(()));
            assert_eq!(Method::PnoF.trains_with(loss), Ok(()));
        }
    }
}
