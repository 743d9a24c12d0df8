//! The program model: typed and exact.
//!
//! A [`Program`] is a set of functions, each a control-flow automaton ([`Cfa`]) of locations and edges with one
//! [`Action`] each. Width and signedness of every operation are in the model; undefined behaviour is a set of
//! locations; inputs are named by where and how often they are read. The automaton as the front end lowers it is what
//! counts: counterexamples are executed on it and proofs are checked on it.

mod builtin;
mod cfa;
mod checks;
pub mod coverage;
pub mod dialect;
mod dot;
mod expr;
pub mod graph;
mod ids;
pub mod interp;
mod model;
mod outside;
pub mod passes;
mod print;
mod roots;
mod span;
mod types;
mod validate;

pub use builtin::{Builtin, ClassifyFn, Leak, Math2Fn, MathFn, ThreadFault, ThreadOp};
pub use cfa::{
    Action, AllocKind, Callee, Cfa, Choice, Edge, EndKind, LocKind, Location, Mark, UbKind,
};
pub use checks::{
    Checks, Ending, Endless, Fact, FactSide, Measure, MeasuredPlace, Promise, PromiseChoice,
    Promises, SharedNumber, Sum, Term, Unfit, WatchPoint, WatchedPlace, all_together, alone,
    alone_with_choice, watched,
};
pub use dot::DotOptions;
pub use expr::{ArithOp, BinOp, Expr, ExprKind, Exprs, MAX_DEPTH, UnOp};
pub use ids::*;
pub use index_vec::IndexVec;
pub use model::{
    Approximation, Decl, Function, Init, InputKind, InputSite, Object, Part, Program, Scope,
    Target, TargetKind, Unsupported, Var,
};
pub use outside::{External, ExternalEffect, Outside};
pub use print::Printer;
pub use roots::Roots;
pub use span::{Position, SourceMap, Span};
pub use types::{Access, BitRange, DataModel, Enumerators, Field, FloatType, IntType, Shape, Type};
pub use validate::Invalid;
