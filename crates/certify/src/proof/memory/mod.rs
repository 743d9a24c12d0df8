//! Whether a program in which objects are variables may stand for the program in which they are objects.
//!
//! The pass that makes it ([`rhumb_program::passes::scalars`]) is not believed. What is believed is this: if the checks
//! here succeed, every run of the given program that gets to a location has a run of the new one that gets there, with
//! the same values, where
//! - a pointer to a place in an object that has become variables is the object's new address plus the same distance;
//! - the variable of a piece of an object has the value that the piece has in memory, as long as the object lives;
//! - a variable (or piece) points, if at all, to what its set of pointees says, unless nobody reads it before it is set
//!   again; the address of such an object is nowhere else.
//!
//! The checks are local: each edge keeps this, given the sets ([`edges`]), each expression has the same value
//! ([`exprs`]), and the beginning of a run has it ([`tables`]). An edge of the given program is, in the new one, a
//! choice by the value of its pointer ([`edges::Cases`]), and each way must do what the edge does at those places for
//! which it is taken. Loads and stores that are not inside a live object have no successor, so what the new program
//! does there doesn't matter; neither does whether it goes on where the given one ends in undefined behaviour, unless
//! somebody wants to know of that ([`exact`]).
//!
//! One thing stays out of it, as C leaves it out: a number that happens to be the address of an object. Where an object lay that has ended
//! another one may lie,
//! so that its address is compared with no other object's ([`Ended`]).

mod edges;
mod exact;
mod exprs;
mod ghosts;
mod instances;
mod late;
mod tables;

use std::cell::Cell;

use rhumb_program::passes::scalars::{Again, Certain, Distance, Ended, Home};
use rhumb_program::passes::scalars::{HomeId, Pointees, Promoted, Scalars, distance, unread};
use rhumb_program::{
    BinOp, EdgeId, ExprId, ExprKind, FuncId, LocId, ObjectId, Program, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why the new program can't stand for the given one: what was expected, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Objection(String);

type Checked<T = ()> = Result<T, Objection>;

fn object_to<T>(what: impl Into<String>) -> Checked<T> {
    Err(Objection(what.into()))
}

fn require(holds: bool, what: impl FnOnce() -> String) -> Checked {
    match holds {
        true => Ok(()),
        false => Err(Objection(what())),
    }
}

/// Checks a result of the pass.
pub fn check(given: &Program, scalars: &Scalars) -> Checked {
    let checker = Checker::new(given, scalars);
    checker.check_tables()?;
    checker.check_first_values()?;
    checker.check_other_functions()?;
    checker.check_edges()
}

struct Checker<'a> {
    /// The program in which objects are objects.
    old: &'a Program,
    /// The program in which some are variables.
    new: &'a Program,
    scalars: &'a Scalars,
    certain: Certain<'a>,
    again: Again<'a>,
    ended: Ended<'a>,
    /// The location of the given program whose edges are looked at; none for what is before the first.
    at: Cell<Option<LocId>>,
    /// Local pointers whose inputs nobody reads.
    unread: FxHashSet<VarId>,
    declared: FxHashMap<ObjectId, HomeId>,
    allocated: FxHashMap<EdgeId, HomeId>,
}

impl<'a> Checker<'a> {
    fn new(old: &'a Program, scalars: &'a Scalars) -> Checker<'a> {
        let mut declared = FxHashMap::default();
        let mut allocated = FxHashMap::default();
        for (&id, object) in &scalars.objects {
            match object.home {
                Home::Declared(object) => declared.insert(object, id),
                Home::Allocated(edge) => allocated.insert(edge, id),
            };
        }
        Checker {
            old,
            new: &scalars.passed.program,
            scalars,
            certain: Certain::of(old),
            again: Again::new(old),
            ended: Ended::new(old),
            at: Cell::new(None),
            unread: unread(old),
            declared,
            allocated,
        }
    }

    fn start(&self) -> FuncId {
        self.old.start
    }

    /// What the facts say of a variable.
    fn fact(&self, var: VarId) -> &'a Pointees {
        &self.scalars.pointees[var]
    }

    fn object(&self, home: HomeId) -> Checked<&'a Promoted> {
        let object = self.scalars.objects.get(&home);
        object.ok_or_else(|| Objection(format!("there is no object {home:?}")))
    }

    /// What an expression of type `Ptr` of the given program may point to. Recursive on its depth, which the model limits.
    fn pointees(&self, id: ExprId) -> Pointees {
        let exprs = &self.old.exprs;
        match exprs[id].kind {
            ExprKind::Const(0) | ExprKind::FuncAddr(_) => Pointees::default(),
            ExprKind::Var(var) => self.fact(var).clone(),
            ExprKind::AddrOf(object) => match self.declared.get(&object) {
                Some(&home) => Pointees::start_of(home),
                None => Pointees::other(),
            },
            ExprKind::PtrAdd(ptr, bytes) => {
                let by = distance(exprs, self.old.data_model, bytes);
                let width = self.old.data_model.pointer_width();
                self.pointees(ptr).moved(by, width)
            }
            _ => Pointees::other(),
        }
    }

    /// The variable may point to everything that the value may point to.
    fn flows(&self, value: &Pointees, to: VarId, what: &str) -> Checked {
        let is_pointer = self.new.vars[to].ty == Type::Ptr;
        require(!is_pointer || self.fact(to).covers(value), || {
            format!("{what}: {to:?} may point to more than is said")
        })
    }

    /// The size, if it is a constant.
    fn constant(&self, id: ExprId) -> Option<u64> {
        let (_, bits) = self.old.exprs.as_int_const(id)?;
        u64::try_from(bits).ok()
    }

    fn is_pointer(&self, id: ExprId) -> bool {
        self.old.exprs.ty(id) == Type::Ptr
    }
}

/// The two sides of a conjunction or disjunction.
fn sides(program: &Program, id: ExprId, op: BinOp) -> Option<(ExprId, ExprId)> {
    match program.exprs[id].kind {
        ExprKind::Binary(found, a, b) if found == op && program.exprs.ty(a) == Type::Bool => {
            Some((a, b))
        }
        _ => None,
    }
}

/// The parts of a conjunction or disjunction.
fn parts(program: &Program, id: ExprId, op: BinOp) -> Vec<ExprId> {
    match sides(program, id, op) {
        Some((a, b)) => {
            let mut all = parts(program, a, op);
            all.extend(parts(program, b, op));
            all
        }
        None => vec![id],
    }
}

/// The one distance, if it is one.
fn exactly(distance: Distance) -> Option<u64> {
    (distance.stride == 0).then(|| u64::try_from(distance.offset).ok())?
}
