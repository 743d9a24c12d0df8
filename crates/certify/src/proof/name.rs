//! Names of places and variables that outlive a run of the tool.
//!
//! Inlining copies functions, so a location or variable of the inlined program is named by the one that it was copied
//! from and the calls that lead to it: edges of the program as lowered, the outermost call first.

use rhumb_program::VarId;
use rhumb_program::passes::{EdgeRef, LocRef, Placed, Restore, VarOrigin};

/// A location of the program as lowered, in one of its activations.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// The calls that lead to the activation, the outermost first.
    pub calls: Box<[EdgeRef]>,
    /// The location.
    pub location: LocRef,
}

/// A variable of the program as lowered, or a part of an object, in one of its activations.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Variable {
    /// The calls that lead to the activation, the outermost first. None for a global variable.
    pub calls: Box<[EdgeRef]>,
    /// The variable, or the part of an object.
    pub var: VarOrigin,
}

impl Point {
    /// The name of a location of a program that passes made; none if it was not copied from anywhere.
    pub fn of(restore: &Restore, at: LocRef) -> Option<Point> {
        let Placed { item, context } = restore.location(at)?;
        Some(Point {
            calls: restore.contexts().calls(context).into(),
            location: item,
        })
    }
}

impl Variable {
    /// The name of a variable of a program that passes made.
    pub fn of(restore: &Restore, var: VarId) -> Variable {
        let Placed { item, context } = restore.var(var);
        Variable {
            calls: restore.contexts().calls(context).into(),
            var: item,
        }
    }
}
