//! `pno`: probabilistic neural operators, networks that map a function to a *distribution over functions*.
//!
//! This crate is the model that the trainer and the page share.
//! It is pure: no files, no network, no clock, no threads of its own, and it builds for `wasm32`.
//!
//! | room | what is there |
//! |---|---|
//! | [`spec`] | experiment, method, architecture: validated, serialisable, parameter count in closed form |
//! | [`task`] | what a model maps to what: grids, units, normalisation |
//! | [`noise`] | masks and normals keyed by (seed, member, layer, position) |
//! | [`observation`] | observed inputs: noise on the values, a value at every n-th point |
//! | [`spectral`] | kept frequencies, truncated transforms and resizing as matrix products |
//! | [`sphere`] | latitudes, quadrature, Legendre functions and the spherical harmonic transform's tables |
//! | `nn` | pointwise MLP, spectral convolution, block, heads: FNO, UNO and SFNO by one code path (feature `nn`) |
//! | [`ensemble`] | streaming moments, quantiles, drawing members in chunks, forecasts of several steps |
//! | [`score`] | energy score, CRPS, NLL, coverage, interval width, L2 |
//! | [`pde`] | the truth: Darcy flow, Kuramoto-Sivashinsky, shallow water on the sphere, quick enough to be live in the page |
//! | [`laplace`] | last-layer Laplace approximation: curvature, evidence, posterior |
//! | [`checkpoint`] | the `.pno` file: diagram, limits, encode, decode, errors |
//! | [`colour`] | colour tables for fields, shared by the page and the figures |
//!
//! The published network for the Kuramoto-Sivashinsky equation has this many real parameters:
//!
//! ```
//! use pno::spec::{Experiment, Method, ModelSpec};
//!
//! let spec = ModelSpec::paper_fno(Experiment::Ks, Method::PnoR).expect("an FNO");
//! assert_eq!(spec.parameter_count(), 234_406);
//! ```
//!
//! The truth can be solved, and an ensemble scored, without a network:
//!
//! ```
//! use pno::pde::ks;
//! use pno::score::score_case;
//!
//! let start = ks::initial_condition(7, 0, ks::CELLS);
//! let frames = ks::Solver::default_plan().trajectory(&start, 3, ks::FRAME_STEP);
//! let (first, last) = (&frames[..ks::CELLS], &frames[2 * ks::CELLS..]);
//! // Two members, both equal to the first frame: persistence.
//! let scores = score_case(&[first, first].concat(), last);
//! assert_eq!(scores.members, 2);
//! assert!((scores.energy_score - scores.l2).abs() < 1e-6);
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod checkpoint;
pub mod colour;
pub mod ensemble;
pub mod laplace;
#[cfg(feature = "nn")]
pub mod nn;
pub mod noise;
pub mod observation;
pub mod pde;
pub mod score;
pub mod spec;
pub mod spectral;
pub mod sphere;
pub mod task;
pub(crate) mod wide;
