//! GPS: a search for an error that is guided by summaries of what lies ahead.
//!
//! The paper's algorithm: a test is made from a model of the summary of all ways to an error, and run. If it reaches no error, the paths that it left open go
//! to a frontier. For each of them: either a run along it can go on to an error by the summaries, and there is the next test; or the path is a dead end.
//! Interpolants explain dead ends, label the tree of all paths, and let one path stand for others; a tree without open paths is a proof.
//!
//! | module | |
//! |---|---|
//! | [`config`] | the switches; the engines as a table of them |
//! | [`space`] | what is known of the program, without gas |
//! | [`tree`] | paths, labels and covers |
//! | [`refine`] | dead ends, and their reasons |
//! | [`cover`] | which path stands for which |
//! | [`facts`] | what is known of nodes, for all paths |
//! | [`search`] | the frontier, and a turn for each of its leaves |
//! | [`learn`] | facts and induction in the service of the tree |
//! | [`induction`] | what every block keeps |
//! | [`test`], [`trace`], [`decode`] | concrete runs, what they did, and their inputs |
//! | [`conclude`] | from a tree to a proof |
//! | [`report`] | progress, and what to say when it is no use |

mod blind;
mod conclude;
mod config;
mod cover;
mod decode;
mod engine;
mod facts;
mod induction;
mod learn;
mod measure;
mod raise;
mod refine;
mod report;
mod search;
mod space;
mod test;
mod trace;
mod tree;

pub use measure::TestCost;

use crate::catalog::Entry;
use config::ROWS;
pub(crate) use engine::Gps;
pub(crate) use induction::Inductive;

/// The engine of a row of the table, for the catalog.
pub(crate) const fn entry<const ROW: usize>() -> Entry {
    Entry {
        name: ROWS[ROW].name,
        about: ROWS[ROW].about,
        start: |task| Box::new(Gps::new(task, ROWS[ROW].config.with(task.preset))),
    }
}
