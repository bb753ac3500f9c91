//! The spherical harmonic transform and the convolution on it: closed forms, Parseval, rotations, direct sums, gradients.
#![cfg(feature = "nn")]

mod convolution;
mod grids;
mod harmonics;
mod transform;
