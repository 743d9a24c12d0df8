//! Proofs by exploration: for programs whose state is a finite set of numbers, but for inputs that are copied, counted
//! up and compared (state machines, protocols, product lines).
//!
//! All runs are executed together, from loop head to loop head. A state has a number for each variable that is
//! followed, or a symbol plus a number, and bounds of the differences of symbols. Where it matters which values a
//! symbol has, the state is taken apart; where two ways meet with the same state, one of them goes on. When no new
//! state comes up at any loop head, all were seen.
//!
//! The proof says only what to look at: a [`View`]. The walk is done by the checker, and no solver is asked. Nothing
//! depends on the view being a good one: what is not followed may be anything, and at a branch that is not looked at
//! both ways are taken.

mod eval;
mod follow;
mod ground;
mod layout;
mod state;
mod walk;
mod zone;

pub(in crate::proof) use eval::{Evaluation, Slots, bits, bounds_of};
pub use ground::{Exploration, Ground};
pub use layout::View;
pub(in crate::proof) use state::{Bounds, KnownState, Open, Value};
pub use walk::{Ending, Walk, Way};
pub(in crate::proof) use walk::{branch, set_globals};
pub(in crate::proof) use zone::{Atom, Zone};
