//! The road: backwards from what must not happen, in the manner of weakest preconditions.
//!
//! The ways between two cut points are cut into *stretches*, pieces without a branch or a meeting. Each stretch has a flag, "from its
//! beginning something bad can still be reached", and one implication says what that takes: on which side of its branch, under which
//! condition, the flag of the next stretch holds. Where ways meet, a variable that has different values on them gets a new symbol, and
//! each way says that the symbol is its own value. So there are no path conditions, no conditional values, and nothing that has to exclude
//! anything else: the flag of the first stretch can hold exactly if some way leads to something bad. The size is linear in that of the
//! program.

mod expr;
mod formula;
mod memory;
mod region;
mod rules;
mod values;

pub(crate) use formula::{Names, instance, sort};
pub(crate) use region::{Lost, Region, Stretches};
pub(crate) use rules::Rules;
pub(crate) use values::{Stretch, Values};
