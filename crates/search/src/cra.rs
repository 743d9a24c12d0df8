//! Summaries alone: compositional recurrence analysis.
//!
//! If the summary of all paths from the entry to a goal has no model, no goal is reached. The proof: at every loop head, what the forward invariants say, and
//! that the summary from there to a goal doesn't hold, with its counters and intermediate states projected away. Right for programs whose loops the
//! operators describe well enough by themselves; where the summary has a model, nothing is known.

use index_vec::IndexVec;
use rhumb_certify::proof::{Formula, Point, Proof, Variable};
use rhumb_encode::{NodeId, NodeKind};
use rhumb_logic::project::Projector;
use rhumb_logic::session::{Answer, Session, SessionOptions};
use rhumb_logic::{Budget, Sort, Symbol, Term};
use rhumb_program::graph::{Graph, LoopNest};
use rhumb_program::passes::LocRef;
use rhumb_program::{LocId, VarId};
use rhumb_summary::Summaries;
use rhumb_summary::forward::Invariants;
use rustc_hash::FxHashMap;

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::task::Task;

/// The engine `cra`.
pub(crate) struct Cra<'t> {
    task: &'t Task<'t>,
    phase: &'static str,
}

impl<'t> Cra<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Cra<'t> {
        Cra {
            task,
            phase: "invariants",
        }
    }

    /// The conjuncts of the forward invariants at every node, over variables that are live there.
    fn node_invariants(&self, budget: &Budget) -> IndexVec<NodeId, Vec<Term>> {
        let graph = &self.task.graph;
        let program = &self.task.prepared.program;
        let invariants = Invariants::compute(program, program.start, budget);
        let at = |node: &rhumb_encode::BlockNode| {
            invariants.conjuncts(&self.task.terms, node.location, |var| {
                let symbol = graph.state.symbol(var)?;
                node.live
                    .contains(&var)
                    .then(|| self.task.terms.var(symbol))
            })
        };
        graph.nodes.iter().map(at).collect()
    }

    fn decide(&mut self, budget: &Budget) -> Claim {
        let (terms, graph) = (&self.task.terms, &self.task.graph);
        if graph.nodes.is_empty() {
            return Claim::Safe(Proof::invariants(terms.clone()));
        }
        let known = self.node_invariants(budget);
        let assumed = graph.nodes.indices().map(|node| {
            let mut all = known[node].clone();
            all.push(graph.ranges(node));
            terms.and(all)
        });
        self.phase = "summaries";
        let mut summaries = Summaries::new(graph, assumed.collect());
        let whole = summaries.to_goals(graph.entry, budget);
        if budget.is_spent() {
            return Claim::Unknown(Reason::Stopped("in the summaries".to_owned()));
        }
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.assert(whole.guard);
        match session.check(budget) {
            Answer::Sat(_) => return Claim::Unknown(Reason::Inconclusive),
            Answer::Unknown(why) => return Claim::Unknown(Reason::Solver(why)),
            Answer::Unsat(_) => {}
        }
        self.phase = "proof";
        let mut proof = Draft::new(self.task);
        let mut projector = Projector::new(terms.clone());
        for (node, block) in graph.nodes.iter_enumerated() {
            if block.kind != NodeKind::LoopHead {
                continue;
            }
            proof.add_all(block.location, &known[node]);
            let summary = summaries.to_goals(node, budget);
            let reaches = projector
                .exact(summary.guard, &summary.inputs, budget)
                .or_else(|_| projector.rational(summary.guard, &summary.inputs, budget));
            if let Ok(reaches) = reaches {
                proof.add_all(block.location, &[terms.not(reaches)]);
            }
        }
        proof.add_invariants_of_inlined(budget);
        Claim::Safe(proof.proof)
    }
}

impl Engine for Cra<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        Step::Done(self.decide(budget))
    }

    fn progress(&self) -> Progress {
        Progress {
            summary: self.phase.to_owned(),
            figures: Vec::new(),
        }
    }
}

/// A proof under way. Formulas are about the simplified program; its locations and variables have names in the program as lowered.
struct Draft<'t> {
    task: &'t Task<'t>,
    proof: Proof,
    /// Symbols of the variables of the inlined program.
    symbols: FxHashMap<VarId, Symbol>,
}

impl<'t> Draft<'t> {
    fn new(task: &'t Task<'t>) -> Draft<'t> {
        let mut draft = Draft {
            task,
            proof: Proof::invariants(task.terms.clone()),
            symbols: FxHashMap::default(),
        };
        let state = &task.graph.state;
        for &var in state.vars() {
            if let Some(symbol) = state.symbol(var) {
                let inlined = task.prepared.simplified.var(var).item;
                draft.symbols.insert(inlined, symbol);
                let name = Variable::of(&task.prepared.restore, var);
                draft.proof.declare(symbol, name);
            }
        }
        draft
    }

    /// Adds formulas at a location of the simplified program.
    fn add_all(&mut self, location: LocId, formulas: &[Term]) {
        let function = self.task.prepared.program.start;
        let at = LocRef { function, location };
        if let Some(point) = Point::of(&self.task.prepared.restore, at) {
            self.add_at(point, formulas);
        }
    }

    fn add_at(&mut self, point: Point, formulas: &[Term]) {
        for &formula in formulas {
            if self.task.terms.as_bool(formula) != Some(true) {
                self.proof.add(point.clone(), Formula::plain(formula));
            }
        }
    }

    /// What holds at the loop heads of the program before it was simplified: the constants, among others, that simplification put in place of variables.
    fn add_invariants_of_inlined(&mut self, budget: &Budget) {
        let (terms, prepared) = (&self.task.terms, &self.task.prepared);
        let program = &prepared.inlined;
        let function = program.start;
        let invariants = Invariants::compute(program, function, budget);
        let cfa = &program.functions[function].cfa;
        let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        let graph = Graph::new(cfa.locations.len(), edges);
        for (var, info) in program.vars.iter_enumerated() {
            self.symbols.entry(var).or_insert_with(|| {
                let symbol = terms.symbol(&*info.decl.name, Sort::Int);
                let name = Variable::of(&prepared.restore_inlined, var);
                self.proof.declare(symbol, name);
                symbol
            });
        }
        for &location in LoopNest::of(&graph, cfa.entry).heads() {
            let Some(point) = Point::of(&prepared.restore_inlined, LocRef { function, location })
            else {
                continue;
            };
            let formulas = invariants.conjuncts(terms, location, |var| {
                self.symbols.get(&var).map(|&symbol| terms.var(symbol))
            });
            self.add_at(point, &formulas);
        }
    }
}
