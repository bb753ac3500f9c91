//! Which build a program is of.
//!
//! A page may be open, or lie in a store, while its files are replaced. Interface and worker each have the identity of
//! their build, put it before everything they say, and decode nothing of another build ([`crate::transport`]).

/// The identity: a hash of the sources, the same in all programs of one build (`web/build.rs`).
pub const BUILD: &str = env!("PNO_BUILD");

/// Length of every identity in bytes.
pub const LENGTH: usize = 16;

const _: () = assert!(BUILD.len() == LENGTH);
