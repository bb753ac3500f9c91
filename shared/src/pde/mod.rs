//! The truth: numerical solutions of the equations the operators learn, fast enough to run in the page.

pub mod darcy;
pub mod ks;
pub mod sswe;
