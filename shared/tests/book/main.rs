//! The worked examples of the book (`docs/extend/`): the pages show parts of these files, and they run here.

#[cfg(feature = "nn")]
mod method;
#[cfg(feature = "nn")]
mod operator;
mod score;
