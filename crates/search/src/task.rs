//! What the engines work on.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use rhumb_certify::proof::Checker;
use rhumb_encode::{
    BlockGraph, Cause, CutPolicy, NodeId, NodeKind, Prepared, prepare_sliced, prepare_with,
};
use rhumb_logic::{Budget, Terms};
use rhumb_program::Program;
use rhumb_program::interp::Machine;
use rhumb_program::passes::scalars::Plan;
use rhumb_program::passes::{GhostPart, Goals, VarOrigin};
use rhumb_summary::forward::Invariants;
use rhumb_summary::{Oracle, OracleOptions, Preset};

use crate::claim::Reason;
use crate::distance::Metric;
use crate::induction::Elements;

/// A program after the passes, made when it is asked for: not every engine needs calls inlined.
pub struct LazyPrepared<'p> {
    lowered: &'p Program,
    plan: Plan,
    made: OnceCell<Prepared>,
}

impl Deref for LazyPrepared<'_> {
    type Target = Prepared;

    fn deref(&self) -> &Prepared {
        let goals = Goals::all_targets(self.lowered);
        let make = || prepare_with(self.lowered, &goals, &self.plan);
        self.made.get_or_init(make)
    }
}

/// Its blocks between loop heads, made when they are asked for: not every engine thinks in formulas.
pub struct LazyGraph<'p> {
    prepared: Rc<LazyPrepared<'p>>,
    terms: Arc<Terms>,
    policy: CutPolicy,
    made: OnceCell<BlockGraph>,
}

impl Deref for LazyGraph<'_> {
    type Target = BlockGraph;

    fn deref(&self) -> &BlockGraph {
        let make = || BlockGraph::build(&self.prepared.program, &self.terms, self.policy);
        self.made.get_or_init(make)
    }
}

/// What engines may use, beside what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Means {
    /// Which loop operators, invariants and search aids.
    pub preset: Preset,
    /// By which distance to a goal searches are directed.
    pub metric: Metric,
}

impl From<Preset> for Means {
    fn from(preset: Preset) -> Means {
        Means {
            preset,
            ..Means::default()
        }
    }
}

/// A program with its targets, prepared once for all engines.
pub struct Task<'p> {
    /// The program as lowered: what claims are about.
    pub lowered: &'p Program,
    /// The program after the passes, and the way back.
    pub prepared: Rc<LazyPrepared<'p>>,
    /// The store of all formulas about it.
    pub terms: Arc<Terms>,
    /// Its blocks.
    pub graph: LazyGraph<'p>,
    /// Which of our means the engines use.
    pub preset: Preset,
    /// By which distance to a goal searches are directed.
    pub metric: Metric,
    /// The program, compiled for the interpreter.
    machine: OnceLock<Machine<'p>>,
    /// The judge of proofs about it.
    pub checker: Checker<'p>,
    /// What holds in the program before it was simplified.
    invariants: OnceLock<Invariants>,
    /// The same task with elements of large objects that are followed, if there are any.
    elements: OnceCell<Option<Box<Task<'p>>>>,
    /// The same task without branches that decide nothing, if loops are gone with them.
    sliced: OnceCell<Option<Box<Task<'p>>>>,
    /// The same task with a cut at every location.
    fine: OnceCell<Box<Task<'p>>>,
}

impl<'p> Task<'p> {
    /// Prepares a program: what is asked is whether any of its targets can be reached.
    pub fn new(lowered: &'p Program) -> Task<'p> {
        Task::with_ghosts(lowered, &Plan::default(), CutPolicy::LoopHeads)
    }

    /// The same with elements of large objects that are followed.
    fn with_ghosts(lowered: &'p Program, plan: &Plan, policy: CutPolicy) -> Task<'p> {
        let terms = Arc::new(Terms::new());
        let prepared = Rc::new(LazyPrepared {
            lowered,
            plan: plan.clone(),
            made: OnceCell::new(),
        });
        let graph = LazyGraph {
            prepared: prepared.clone(),
            terms: terms.clone(),
            policy,
            made: OnceCell::new(),
        };
        Task {
            lowered,
            prepared,
            terms,
            graph,
            preset: Preset::default(),
            metric: Metric::default(),
            machine: OnceLock::new(),
            checker: Checker::new(lowered),
            invariants: OnceLock::new(),
            elements: OnceCell::new(),
            sliced: OnceCell::new(),
            fine: OnceCell::new(),
        }
    }

    /// The task in which elements of large objects are followed, if there are any.
    pub fn elements(&self) -> Option<&Task<'p>> {
        let elements = self.elements.get_or_init(|| {
            let plan = self.prepared.plan(self.lowered)?;
            let task = Task::with_ghosts(self.lowered, &plan, CutPolicy::LoopHeads);
            Some(Box::new(task.with_means(self.means())))
        });
        elements.as_deref()
    }

    /// The task without branches that decide nothing about the targets, if loops are gone with them. What is proved
    /// there holds; an error there need not be one.
    pub(crate) fn sliced(&self) -> Option<&Task<'p>> {
        let sliced = self.sliced.get_or_init(|| {
            let goals = Goals::all_targets(self.lowered);
            let prepared = prepare_sliced(self.lowered, &goals)?;
            let task = Task::new(self.lowered).with_means(self.means());
            let _ = task.prepared.made.set(prepared);
            Some(Box::new(task))
        });
        sliced.as_deref()
    }

    /// The task in which every location is a cut point.
    pub(crate) fn everywhere(&self) -> &Task<'p> {
        self.fine.get_or_init(|| {
            let plan = Plan::default();
            let task = Task::with_ghosts(self.lowered, &plan, CutPolicy::Everywhere);
            Box::new(task.with_means(self.means()))
        })
    }

    /// The variables of elements of large objects that are followed.
    pub(crate) fn followed(&self) -> Elements {
        let mut elements = Elements::default();
        for &var in self.graph.state.vars() {
            let (VarOrigin::Ghost(part, _), Some(symbol)) = (
                self.prepared.restore.var(var).item,
                self.graph.state.symbol(var),
            ) else {
                continue;
            };
            match part {
                GhostPart::Index => elements.indices.insert(symbol),
                GhostPart::Cell => elements.cells.insert(symbol),
                GhostPart::FoldFirst | GhostPart::FoldNext | GhostPart::FoldSum => {
                    elements.folds.insert(symbol)
                }
                GhostPart::Hit
                | GhostPart::Pick
                | GhostPart::Taken
                | GhostPart::Met
                | GhostPart::Set => continue,
            };
        }
        elements
    }

    /// The program as lowered, compiled once for tests and for the check of counterexamples.
    pub fn machine(&self) -> &Machine<'p> {
        self.machine.get_or_init(|| Machine::compile(self.lowered))
    }

    /// What the forward analysis knows of the inlined program. It is done once, unless the budget cuts it short.
    pub(crate) fn invariants_of_inlined(&self, budget: &Budget) -> Cow<'_, Invariants> {
        if let Some(known) = self.invariants.get() {
            return Cow::Borrowed(known);
        }
        let program = &self.prepared.inlined;
        let found = Invariants::compute(program, program.start, budget);
        match budget.is_spent() {
            true => Cow::Owned(found),
            false => Cow::Borrowed(self.invariants.get_or_init(|| found)),
        }
    }

    /// The same task for engines with other means.
    pub fn with_preset(self, preset: Preset) -> Task<'p> {
        Task { preset, ..self }
    }

    /// The same task for engines with other means and another order.
    pub fn with_means(self, means: Means) -> Task<'p> {
        Task {
            preset: means.preset,
            metric: means.metric,
            ..self
        }
    }

    /// What its engines may use.
    pub(crate) fn means(&self) -> Means {
        Means {
            preset: self.preset,
            metric: self.metric,
        }
    }

    /// What summaries say about the task, with the means that engines may use.
    pub(crate) fn oracle(&self, budget: &Budget) -> Oracle {
        let options = OracleOptions {
            preset: self.preset,
            ..OracleOptions::default()
        };
        Oracle::new(&self.graph, options, budget)
    }

    /// Why nothing is known about runs that come to a node, if it is a place where formulas can't follow.
    pub(crate) fn unsupported(&self, node: NodeId) -> Option<Reason> {
        let (what, span) = match self.graph.nodes[node].kind {
            NodeKind::Unsupported(id) => {
                let unsupported = &self.lowered.unsupported[id];
                (&*unsupported.what, unsupported.span)
            }
            NodeKind::Call(edge) => (
                "call that can't be inlined",
                self.graph.cfa().edges[edge].span,
            ),
            _ => return None,
        };
        let place = self.place(span);
        Some(Reason::Unsupported(format!("{what}, {place}")))
    }

    /// What is approximated, and where.
    pub fn approximation(&self, cause: Cause, span: rhumb_program::Span) -> String {
        let what = match cause {
            Cause::Model(what) => &*self.prepared.program.approximations[what].what,
            cause => cause.describe(),
        };
        let place = self.place(span);
        let reason = match cause {
            Cause::Memory => self.prepared.why_memory(self.lowered, span),
            _ => None,
        };
        match reason {
            Some(reason) => format!("{what}, {place}: {reason}"),
            None => format!("{what}, {place}"),
        }
    }

    /// Where a part of the source text is, as `file:line`.
    pub fn place(&self, span: rhumb_program::Span) -> String {
        let position = self.lowered.sources.position(span);
        format!("{}:{}", position.file, position.line)
    }
}
