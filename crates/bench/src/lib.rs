//! Measuring verifiers: `rhumb bench`.
//!
//! Sets of tasks ([`tasks`]) are given to tools ([`tool`]), ours ([`own`]) and others. Every run is a process of its
//! own, under limits on time and memory ([`process`]). Results are rows of a CSV file ([`results`]) in a folder of
//! their own ([`outdir`]); tables ([`report`]), comparisons ([`compare`]), a page ([`page`]) and fits of growth
//! ([`scaling`]) are made from the rows. [`same`] compares what several runs leave. [`cli`] puts it together.
//!
//! This crate knows Rhumb only as a command that is run. Nothing here prints; text goes to the writers that the caller hands in.
//!
//! Linux only: see [`process`].

pub mod cli;
pub mod compare;
pub mod cores;
mod evidence;
mod interrupt;
pub mod job;
mod opinions;
pub mod outdir;
pub mod overrun;
pub mod own;
pub mod page;
pub mod paper;
pub mod process;
pub mod progress;
mod property;
pub mod report;
pub mod results;
pub mod same;
pub mod scaling;
pub mod session;
pub mod tasks;
mod text_table;
pub mod tool;
pub mod verdict;
