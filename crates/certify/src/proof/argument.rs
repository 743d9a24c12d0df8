//! Proofs as data.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::{Sort, Symbol, Term, Terms};
use rhumb_program::passes::scalars::Plan;
use rhumb_program::{Promises, TargetId};
use rustc_hash::FxHashMap;

use super::contracts::Contracts;
use super::explicit::Exploration;
use super::name::{Point, Variable};
use super::tabulate::Following;

/// **Invariant: whatever a proof says of the program it says of integers.** A variable, a part of an object, an element
/// or a sum that is followed, a value at an entry and a result all have this sort, of whatever type they are: a truth
/// value is 0 or 1, a pointer its address, a float its bit pattern. So the checker needs no rule for each type, and files
/// have no sorts of variables. Symbols of another sort are refused, where proofs are checked
/// ([`super::Invalid::Sort`]) and where they are written. Bound symbols stand for no part of a program: those have
/// sorts, and files say which.
pub(crate) const VALUE_SORT: Sort = Sort::Int;

/// A proof that a program reaches none of its targets. Nothing in it is trusted.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The store of the formulas.
    pub terms: Arc<Terms>,
    /// The program's variables that formulas speak of: symbols of sort `Int`, each for the mathematical value of a
    /// variable (a truth value is 0 or 1, a pointer its address, a float its bit pattern).
    pub variables: FxHashMap<Symbol, Variable>,
    /// Elements of large objects that are followed: what holds of them holds of all.
    pub ghosts: Box<Plan>,
    /// The reason.
    pub argument: Argument,
}

/// Why no target is reached.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Formulas that hold whenever a run is at their point.
    Invariants(Invariants),
    /// The same in each function that is not copied to where it is called, with what it asks for and gives.
    Contracts(Contracts),
    /// No run passes loop heads more often than that, and none reaches a target.
    Unrolling {
        /// How many times a run can be at a loop head, all heads taken together, while it can still get to a target as
        /// far as the graph says.
        depth: u32,
    },
    /// All states that can be reached, as far as this view tells, are finitely many, and none is at a target. The
    /// checker finds them itself.
    Exploration(Exploration),
    /// No function, in whatever way it is entered, comes to a target, as far as these variables of the program as
    /// lowered tell. The checker explores the functions itself: see [`super::Procedures`].
    Tabulation(Following),
    /// All runs were followed to their ends, with their inputs left open: see [`super::AllRuns`].
    Execution {
        /// Edges that are executed on all paths together, at most.
        steps: u64,
        /// Whether there is any number of threads for each that is created: see [`super::AllSchedules::crowded`].
        crowd: bool,
    },
    /// The same side by side: runs go on as one where they meet. See [`super::Together`].
    Together {
        /// Edges that are executed, at most.
        steps: u64,
    },
    /// All that memory can look like was looked at: see [`super::AllShapes`].
    Shapes {
        /// Edges that are executed on the way, at most.
        steps: u64,
    },
    /// A proof about the program in which bounds are numbers ([`super::with_bounds`]), which the checker makes itself.
    Bounds(Box<Proof>),
    /// A proof about one thread of the program, among others that keep promises ([`rhumb_program::alone`]); that it keeps
    /// them, too, is part of what is proved. The checker makes that program itself.
    Alone(Promises, Box<Proof>),
    /// Proofs for some targets each, and each target is among those of one of them. They are about the program asked
    /// for those targets alone ([`rhumb_program::Program::asking`]): a run that reaches a target reaches none before,
    /// so it is a run of the program asked for that one.
    Parts(Vec<Part>),
}

/// A proof that some targets are not reached.
#[derive(Clone, Debug)]
pub struct Part {
    /// The targets.
    pub targets: Vec<TargetId>,
    /// About the program asked for them.
    pub proof: Proof,
}

/// Formulas at cut points. A point that is not mentioned has no formula, so anything may hold there; a target can't be
/// reached whatever is said. More points than the program has loops may be given.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// What holds at each point: all of these formulas.
    pub at: BTreeMap<Point, Vec<Formula>>,
    /// How to instantiate quantified formulas.
    pub hints: Vec<Hint>,
}

/// A formula over the program's variables: `∃ bound. matrix`, or its negation. The check replaces bound symbols by what
/// hints say and stays free of quantifiers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// The symbols that are quantified; usually none.
    pub bound: Vec<Symbol>,
    /// The formula inside.
    pub matrix: Term,
    /// Whether the whole is negated: "for no value of the bound symbols does the matrix hold".
    pub negated: bool,
}

impl Formula {
    /// A formula without quantifiers.
    pub fn plain(matrix: Term) -> Formula {
        Formula {
            bound: Vec::new(),
            matrix,
            negated: false,
        }
    }

    /// `∃ bound. matrix`.
    pub fn exists(bound: Vec<Symbol>, matrix: Term) -> Formula {
        Formula {
            bound,
            matrix,
            negated: false,
        }
    }

    /// `¬ ∃ bound. matrix`.
    pub fn none(bound: Vec<Symbol>, matrix: Term) -> Formula {
        Formula {
            bound,
            matrix,
            negated: true,
        }
    }
}

/// Terms for the bound symbols of a formula, on the way from one point to another. Without a hint the bound symbols of
/// one formula are tried for those of another that has as many, of the same sorts. Several hints for one formula add
/// up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The point where the way begins.
    pub from: Point,
    /// The point where it ends.
    pub to: Point,
    /// For proving which formula of the end; none for all of them, and for targets.
    pub goal: Option<usize>,
    /// Whose bound symbols the terms are for.
    pub instance: Instance,
    /// One term for each bound symbol, over the variables at the beginning and the bound symbols of the other side.
    pub values: Vec<Term>,
}

/// Which formula a hint instantiates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instance {
    /// A negated formula of the beginning, by its place there: it may be assumed of any values.
    Premise(usize),
    /// The formula that is to be proved, which is not negated: it holds if it does for some values.
    Goal,
}

impl Proof {
    /// A proof by invariants, still without any.
    pub fn invariants(terms: Arc<Terms>) -> Proof {
        Proof {
            terms,
            variables: FxHashMap::default(),
            ghosts: Box::default(),
            argument: Argument::Invariants(Invariants::default()),
        }
    }

    /// A proof by unrolling all loops.
    pub fn unrolling(depth: u32) -> Proof {
        Proof {
            terms: Arc::new(Terms::new()),
            variables: FxHashMap::default(),
            ghosts: Box::default(),
            argument: Argument::Unrolling { depth },
        }
    }

    /// A proof by exploring all states.
    pub fn exploration(exploration: Exploration) -> Proof {
        Proof {
            terms: Arc::new(Terms::new()),
            variables: FxHashMap::default(),
            ghosts: Box::default(),
            argument: Argument::Exploration(exploration),
        }
    }

    /// A proof by exploring all functions.
    pub fn tabulation(following: Following) -> Proof {
        Proof {
            argument: Argument::Tabulation(following),
            ..Proof::unrolling(0)
        }
    }

    /// A proof by following all runs.
    pub fn execution(steps: u64) -> Proof {
        Proof {
            argument: Argument::Execution {
                steps,
                crowd: false,
            },
            ..Proof::unrolling(0)
        }
    }

    /// The same with any number of threads for each that is created.
    pub fn crowd(steps: u64) -> Proof {
        Proof {
            argument: Argument::Execution { steps, crowd: true },
            ..Proof::unrolling(0)
        }
    }

    /// A proof by following all runs side by side.
    pub fn together(steps: u64) -> Proof {
        Proof {
            argument: Argument::Together { steps },
            ..Proof::unrolling(0)
        }
    }

    /// A proof by looking at all that memory can look like.
    pub fn shapes(steps: u64) -> Proof {
        Proof {
            argument: Argument::Shapes { steps },
            ..Proof::unrolling(0)
        }
    }

    /// A proof about the program in which bounds are numbers.
    pub fn bounds(inner: Proof) -> Proof {
        Proof {
            argument: Argument::Bounds(Box::new(inner)),
            ..Proof::unrolling(0)
        }
    }

    /// A proof about one thread among others that keep promises.
    pub fn alone(promises: Promises, inner: Proof) -> Proof {
        Proof {
            argument: Argument::Alone(promises, Box::new(inner)),
            ..Proof::unrolling(0)
        }
    }

    /// Proofs for some targets each.
    pub fn parts(parts: Vec<Part>) -> Proof {
        Proof {
            argument: Argument::Parts(parts),
            ..Proof::unrolling(0)
        }
    }

    /// Says which variable a symbol stands for.
    pub fn declare(&mut self, symbol: Symbol, variable: Variable) {
        self.variables.insert(symbol, variable);
    }

    /// Makes a point of a proof by invariants one where executions are cut, also if nothing is said of it.
    pub fn cut(&mut self, point: Point) {
        if let Argument::Invariants(invariants) = &mut self.argument {
            invariants.at.entry(point).or_default();
        }
    }

    /// Adds a formula at a point of a proof by invariants; other proofs have no points.
    pub fn add(&mut self, point: Point, formula: Formula) {
        if let Argument::Invariants(invariants) = &mut self.argument {
            invariants.at.entry(point).or_default().push(formula);
        }
    }

    /// Adds a hint to a proof by invariants.
    pub fn hint(&mut self, hint: Hint) {
        if let Argument::Invariants(invariants) = &mut self.argument {
            invariants.hints.push(hint);
        }
    }
}
