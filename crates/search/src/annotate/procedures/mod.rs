//! Lazy annotation, procedure by procedure: section 2.3 of the paper.
//!
//! A label is a *negative summary*: a condition on the state at a place and on the exit of the activation under which
//! that exit doesn't come of it. Each activation has symbols for its exit (`model::Exit`), whose values are guessed when
//! it is entered and held against what is there when it returns; a goal ends it with the flag `aborts` (the paper's f).
//! So what is asked of the rest of the run stands on the path, as the guard of the step that enters the callee: that the
//! exit is none that the labels behind the call exclude. The interpolant before the last step then speaks of the state
//! there and of the exit, which is what a negative summary is made of (figure 5: LearnC).
//!
//! A call edge is two questions: can a goal be reached inside, if the caller is to end that way (`W` of the paper), and
//! can the callee return in a way that the labels behind the call allow. Where the labels at the callee's entry exclude
//! both, the edge is blocked, whoever learned them; otherwise the callee is entered (DecideC), and left where an exit
//! is found. `push` is that the caller's state is kept under other names meanwhile, `pop` that it comes back.
//!
//! Bounds have a part for each cycle of calls and each cycle of blocks; what is left is handed on by value, so they
//! bound the depth of recursion and not the number of calls. Without bounds, labels that justify each other are a proof
//! by contracts (`contracts.rs`): a function requires that no label allows it to abort, and ensures that its exit is
//! none that the labels exclude.
//!
//! Right for programs with functions that call themselves and whose contracts are conjunctions and disjunctions of
//! linear conditions: all others are inlined, as everywhere.

mod contracts;
mod labels;
mod model;
mod path;
mod strengthen;

use std::sync::Arc;

use rhumb_encode::BlockEdgeId;
use rhumb_logic::interpolate::{PathQuery, PathSession, Run};
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Symbol, Term, Terms, Transition};
use rhumb_program::graph::CallGraph;
use rustc_hash::FxHashMap;

use super::question::{Asked, ask};
use super::{FIRST, TRIED, figures};
use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::task::Task;
use labels::{Annotation, Known, Label};
use model::{Procedure, procedures};
use path::{Query, Taken, Wanted};

/// The search.
pub(super) struct Procedures<'t> {
    task: &'t Task<'t>,
    terms: Arc<Terms>,
    procedures: Vec<Procedure>,
    parts: usize,
    annotation: Annotation,
    paths: PathSession,
    session: Session,
    stack: Vec<Query>,
    /// Names for what callers keep, by how deep they are.
    kept: FxHashMap<(usize, Symbol), Symbol>,
    most: u32,
    /// Whether a bound kept a run from going on, here or where a label comes from.
    is_cut: bool,
    backtracks: u64,
    queries: u64,
    entered: u64,
    /// Questions about calls that labels of the callee answered before it was entered for them.
    reused: u64,
}

impl<'t> Procedures<'t> {
    /// A search, if calls are left in the program, and none of its start.
    pub(super) fn new(task: &'t Task<'t>) -> Option<Procedures<'t>> {
        let program = &task.prepared.inlined;
        let calls = CallGraph::of(program);
        let others = program
            .functions
            .indices()
            .filter(|&id| id != program.start);
        let reachable = calls.reachable(program.start);
        if !others.clone().any(|id| reachable[id]) || calls.is_recursive(program.start) {
            return None;
        }
        let terms = task.terms.clone();
        let (procedures, parts) = procedures(program, &terms);
        Some(Procedures {
            task,
            annotation: Annotation::given(&procedures),
            procedures,
            parts,
            paths: PathSession::new(terms.clone(), SessionOptions::default()),
            session: Session::new(terms.clone(), SessionOptions::default()),
            terms,
            stack: Vec::new(),
            kept: FxHashMap::default(),
            most: FIRST,
            is_cut: false,
            backtracks: 0,
            queries: 0,
            entered: 0,
            reused: 0,
        })
    }

    fn begin(&mut self) {
        self.is_cut = false;
        self.stack.clear();
        self.stack.push(Query {
            procedure: 0,
            node: self.procedures[0].graph.entry,
            step: Transition::identity(&self.terms),
            taken: Taken::Start,
            caller: None,
            depth: 0,
            left: vec![self.most; self.parts],
            blocked: Vec::new(),
            entered: Vec::new(),
        });
    }

    /// Whether a run along the path, and then a step if one is given, ends outside of what is excluded.
    fn ask(
        &mut self,
        step: Option<&Transition>,
        post: Term,
        explain: bool,
        budget: &Budget,
    ) -> Asked {
        self.renew();
        let start = &self.procedures[0];
        let pre = start.graph.ranges(start.graph.entry);
        let pre = self.terms.and([pre, start.exit.aborting(&self.terms)]);
        let path: Vec<&Transition> = self
            .stack
            .iter()
            .map(|query| &query.step)
            .chain(step)
            .collect();
        let query = PathQuery {
            pre,
            path: &path,
            post,
            known: &[],
        };
        let (paths, queries) = (&mut self.paths, &mut self.queries);
        let asked = ask(paths, &self.terms, &query, explain, queries, budget);
        asked.unwrap_or_else(|| match budget.is_spent() {
            true => Asked::Unknown(self.stopped()),
            false => Asked::Unknown(Reason::Inconclusive),
        })
    }

    /// Looks at the next edge of the last query, or goes back if there is none.
    fn advance(&mut self, budget: &Budget) -> Result<(), Box<Claim>> {
        let Some(query) = self.stack.last() else {
            return Ok(());
        };
        let (place, node) = (query.procedure, query.node);
        let procedure = &self.procedures[place];
        if procedure.graph.nodes[node].returned.is_some() && query.caller.is_some() {
            return self.leave(budget);
        }
        let outgoing = &procedure.graph.nodes[node].outgoing;
        let Some(&edge) = outgoing.get(query.blocked.len()) else {
            self.conjoin();
            return Ok(());
        };
        let mut after = query.left.clone();
        if let Some(&part) = procedure.counted.get(&edge) {
            if after[part] == 0 {
                let formula = self.terms.bool(true);
                self.block(Label {
                    formula,
                    bounds: vec![(part, 0)],
                });
                return Ok(());
            }
            after[part] -= 1;
        }
        let known = self.annotation.edges.get(&(place, edge));
        let known = known.into_iter().flat_map(|labels| labels.iter().rev());
        let known = known.filter(|label| label.applies(&query.left)).take(TRIED);
        let known: Vec<Label> = known.cloned().collect();
        for label in known {
            match self.ask(None, label.formula, false, budget) {
                Asked::Blocked(_) => {
                    self.block(label);
                    return Ok(());
                }
                Asked::Feasible(_) => {}
                Asked::Unknown(reason) => return Err(Box::new(Claim::Unknown(reason))),
            }
        }
        match self.procedures[place].calls.contains_key(&edge) {
            true => self.call(edge, after, budget),
            false => self.follow(edge, after, budget),
        }
    }

    /// Asks whether a step can end outside of what is known, and if not, for a label that says so: one that doesn't
    /// rest on bounds, if there is one.
    fn blocked(
        &mut self,
        now: (&Transition, &Known),
        always: (&Transition, &Known),
        parts: &[usize],
        budget: &Budget,
    ) -> Result<Result<Run, Label>, Box<Claim>> {
        let mut label = None;
        for (bounded, (step, known)) in [(true, now), (false, always)] {
            match self.ask(Some(step), known.formula, true, budget) {
                Asked::Feasible(run) if bounded => return Ok(Ok(run)),
                Asked::Feasible(_) => {}
                Asked::Blocked(formula) => {
                    let left = self.stack.last().map_or(&[][..], |query| &query.left);
                    let parts = parts.iter().filter(|_| bounded);
                    label = Some(Label {
                        formula: formula.unwrap_or_else(|| self.terms.bool(true)),
                        bounds: parts.map(|&part| (part, left[part])).collect(),
                    });
                }
                Asked::Unknown(reason) => return Err(Box::new(Claim::Unknown(reason))),
            }
            if parts.is_empty() {
                break;
            }
        }
        label.map(Err).ok_or_else(unclear)
    }

    /// Goes along an edge (Decide), or learns why nobody needs to (Learn).
    fn follow(
        &mut self,
        edge: BlockEdgeId,
        after: Vec<u32>,
        budget: &Budget,
    ) -> Result<(), Box<Claim>> {
        let Some(query) = self.stack.last() else {
            return Ok(());
        };
        let (place, caller, depth) = (query.procedure, query.caller, query.depth);
        let block = &self.procedures[place].graph.edges[edge];
        let (step, target) = (block.transition.clone(), block.target);
        let is_goal = self.procedures[place].graph.nodes[target].kind.is_goal();
        let now = self
            .annotation
            .known(&self.terms, place, target, Some(&after));
        let always = self.annotation.known(&self.terms, place, target, None);
        match self.blocked((&step, &now), (&step, &always), &now.parts, budget)? {
            Err(label) => {
                self.annotation.label_edge(place, edge, label.clone());
                self.block(label);
                Ok(())
            }
            Ok(run) => {
                self.stack.push(Query {
                    procedure: place,
                    node: target,
                    step,
                    taken: Taken::Block(edge),
                    caller,
                    depth,
                    left: after,
                    blocked: Vec::new(),
                    entered: Vec::new(),
                });
                match is_goal {
                    true => Err(Box::new(self.reached(&run))),
                    false => Ok(()),
                }
            }
        }
    }

    /// Enters a callee (DecideC), or learns from its labels why nobody needs to (LearnC).
    fn call(
        &mut self,
        edge: BlockEdgeId,
        after: Vec<u32>,
        budget: &Budget,
    ) -> Result<(), Box<Claim>> {
        let Some(query) = self.stack.last() else {
            return Ok(());
        };
        let terms = self.terms.clone();
        let (place, depth, entered) = (query.procedure, query.depth, query.entered.clone());
        let before = query.left.clone();
        let (callee, target) = {
            let own = &self.procedures[place];
            (own.calls[&edge].callee, own.graph.edges[edge].target)
        };
        let entry = self.procedures[callee].graph.entry;
        let mut found = Vec::new();
        for wanted in [Wanted::Abort, Wanted::Return] {
            let views = [Some(&after[..]), None].map(|left| {
                let own = &self.procedures[place];
                let (call, other) = (&own.calls[&edge], &self.procedures[callee]);
                let inside = self.annotation.known(&terms, callee, entry, left);
                let (step, mut known) = match wanted {
                    Wanted::Abort => (
                        call.aborting(&terms, other, inside.formula),
                        Known {
                            formula: terms.not(own.exit.aborting(&terms)),
                            parts: Vec::new(),
                        },
                    ),
                    Wanted::Return => {
                        let block = &own.graph.edges[edge].transition;
                        // What is left behind the call is what was left before it.
                        let left = left.map(|_| &before[..]);
                        (
                            call.returning(&terms, block, other, inside.formula),
                            self.annotation.known(&terms, place, target, left),
                        )
                    }
                };
                known.parts.extend(inside.parts);
                known.parts.sort_unstable();
                known.parts.dedup();
                (step, known)
            });
            let [(now, known), (later, unbounded)] = &views;
            let parts = &known.parts;
            match self.blocked((now, known), (later, unbounded), parts, budget)? {
                Err(label) => {
                    self.reused += u64::from(!entered.contains(&wanted));
                    found.push(label);
                }
                Ok(_) => {
                    self.entered += 1;
                    if let Some(query) = self.stack.last_mut() {
                        query.entered.push(wanted);
                    }
                    let caller = self.stack.len() - 1;
                    let step = self.entering(caller, edge, wanted);
                    self.stack.push(Query {
                        procedure: callee,
                        node: entry,
                        step,
                        taken: Taken::Call(edge, wanted, self.annotation.version),
                        caller: Some(caller),
                        depth: depth + 1,
                        left: after,
                        blocked: Vec::new(),
                        entered: Vec::new(),
                    });
                    return Ok(());
                }
            }
        }
        let label = Label::conjoin(&terms, &found);
        self.annotation.label_edge(place, edge, label.clone());
        self.block(label);
        Ok(())
    }

    /// The last query is where its activation returns: goes on behind the call, if the labels there still allow it.
    fn leave(&mut self, budget: &Budget) -> Result<(), Box<Claim>> {
        let Some(query) = self.stack.last() else {
            return Ok(());
        };
        let known = self
            .annotation
            .known(&self.terms, query.procedure, query.node, None);
        let Some(caller) = query.caller else {
            return Ok(());
        };
        let Taken::Call(edge, _, _) = self.stack[caller + 1].taken else {
            return Err(unclear());
        };
        match self.ask(None, known.formula, false, budget) {
            Asked::Unknown(reason) => return Err(Box::new(Claim::Unknown(reason))),
            Asked::Blocked(_) => {
                self.backtracks += 1;
                self.stack.pop();
                return Ok(());
            }
            Asked::Feasible(_) => {}
        }
        let Some(step) = self.returning(caller, edge) else {
            return Err(unclear());
        };
        let before = &self.stack[caller];
        let procedure = before.procedure;
        self.stack.push(Query {
            procedure,
            node: self.procedures[procedure].graph.edges[edge].target,
            step,
            taken: Taken::Return,
            caller: before.caller,
            depth: before.depth,
            left: before.left.clone(),
            blocked: Vec::new(),
            entered: Vec::new(),
        });
        Ok(())
    }

    fn block(&mut self, label: Label) {
        self.is_cut |= !label.bounds.is_empty();
        if let Some(query) = self.stack.last_mut() {
            query.blocked.push(label);
            query.entered.clear();
        }
    }

    /// All edges are blocked, so the place is.
    fn conjoin(&mut self) {
        if let Some(query) = self.stack.pop() {
            self.backtracks += 1;
            let label = Label::conjoin(&self.terms, &query.blocked);
            self.annotation
                .label_node(query.procedure, query.node, label);
        }
    }

    /// A search is over, and no goal was reached.
    fn conclude(&mut self, budget: &Budget) -> Step {
        let strengthened = strengthen::strengthen(
            &self.procedures,
            &mut self.annotation,
            &mut self.session,
            budget,
        );
        match strengthened {
            Some(true) => {
                let proof = contracts::proof(self.task, &self.procedures, &self.annotation, budget);
                let unfinished = || Claim::Unknown(Reason::Inconclusive);
                Step::Done(proof.map_or_else(unfinished, Claim::Safe))
            }
            Some(false) if self.is_cut => {
                self.most = self.most.saturating_mul(2);
                self.begin();
                Step::Working
            }
            Some(false) => Step::Done(Claim::Unknown(Reason::Inconclusive)),
            None => Step::Done(Claim::Unknown(self.stopped())),
        }
    }

    fn stopped(&self) -> Reason {
        Reason::Stopped(format!("after {}", self.summary()))
    }

    fn summary(&self) -> String {
        format!(
            "{} backtracks, {} labels, {} calls entered, up to {} rounds",
            self.backtracks,
            self.annotation.len(),
            self.entered,
            self.most
        )
    }
}

/// The formulas say too little.
fn unclear() -> Box<Claim> {
    Box::new(Claim::Unknown(Reason::Inconclusive))
}

impl Engine for Procedures<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        if self.stack.is_empty() && self.queries == 0 {
            self.begin();
        }
        if budget.is_spent() {
            return Step::Done(Claim::Unknown(self.stopped()));
        }
        if let Err(claim) = self.advance(budget) {
            return Step::Done(*claim);
        }
        match self.stack.is_empty() {
            true => self.conclude(budget),
            false => Step::Working,
        }
    }

    fn progress(&self) -> Progress {
        let labels = self.annotation.len();
        let mut figures = figures(self.backtracks, labels, self.queries, self.most);
        figures.push(("calls.entered", self.entered as f64));
        figures.push(("calls.reused", self.reused as f64));
        let summary = self.summary();
        Progress { summary, figures }
    }
}
