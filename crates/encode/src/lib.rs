//! From automata to formulas: here, and only here, the program meets logic.
//!
//! [`prepare`] simplifies a program as lowered; [`BlockGraph::build`] cuts the automaton of a function at chosen points and gives a
//! transition formula for each pair of them; [`BlockGraph::decode`] turns a model of such a formula back into a path of the automaton.

mod block;
pub mod calls;
mod cells;
mod cut;
mod decode;
mod display;
mod environment;
mod evaluate;
mod expr;
mod graph;
mod liveness;
mod prepare;
mod ranges;
mod region;
mod unknown;
mod values;

pub use cells::{Addressed, Cell, CellId, Cells, Content};
pub use cut::{CutPolicy, NodeKind};
pub use decode::{DecodeError, DecodedPath, Event};
pub use evaluate::{CompiledBlock, Step};
pub use graph::{BlockEdge, BlockEdgeId, BlockGraph, BlockKind, BlockNode, NodeId, Returned};
pub use liveness::Liveness;
pub use prepare::{MAX_EDGES, Prepared, prepare, prepare_sliced, prepare_with};
pub use unknown::{Cause, Origin, Unknown};
pub use values::{bits_of, int_of, type_range, value_of};
