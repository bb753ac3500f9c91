//! `pno reproduce`: every table and figure of the paper, from data to Markdown, by one command.
//!
//! | file | what is there |
//! |---|---|
//! | [`tables`] | the tables as declarations: rows of models, columns of measures |
//! | [`published`] | the numbers of the paper |
//! | [`source`], [`recipe`] | what is trained and scored, and how much of it a size has |
//! | [`jobs`], [`engine`], [`steps`] | what has to be done, doing it, and each step of it |
//! | [`build`], [`report`], [`write`](mod@write) | numbers in lines and columns, and their formats |
//! | [`pictures`] | figures |
//! | [`scaling`] | growth of time and memory |

pub mod about;
pub mod build;
pub mod engine;
pub mod estimate;
mod grid;
pub mod jobs;
pub mod pictures;
pub mod place;
mod plain;
pub mod published;
pub mod recipe;
pub mod report;
pub mod results;
pub mod scaling;
pub mod size;
pub mod source;
mod steps;
pub mod table;
pub mod tables;
pub mod write;
