//! Proofs in the language of certification, from formulas about the simplified program.

use std::collections::BTreeMap;

use rhumb_certify::proof::{Formula, Point, Proof, Variable};
use rhumb_encode::{BlockGraph, Liveness, NodeId, NodeKind};
use rhumb_logic::{Budget, Sort, Symbol, Term};
use rhumb_program::graph::{Graph, LoopNest};
use rhumb_program::passes::{LocRef, Restore};
use rhumb_program::{Cfa, FuncId, LocId, VarId};
use rhumb_summary::Oracle;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constants;
use crate::task::Task;

/// The heads of the loops of a function, and how proofs about the inlined program name them.
pub(crate) fn loop_heads<'g>(
    graph: &'g BlockGraph,
    function: FuncId,
    restore: &'g Restore,
) -> impl Iterator<Item = (NodeId, Point)> + 'g {
    let nodes = graph.nodes.iter_enumerated();
    let heads = nodes.filter(|(_, block)| block.kind == NodeKind::LoopHead);
    heads.filter_map(move |(node, block)| {
        let location = block.location;
        let point = Point::of(restore, LocRef { function, location })?;
        Some((node, point))
    })
}

/// A proof under way. Formulas are about the simplified program; its locations and variables have names in the program as lowered.
pub(crate) struct Draft<'t> {
    task: &'t Task<'t>,
    proof: Proof,
    /// Symbols of the variables of the inlined program.
    symbols: FxHashMap<VarId, Symbol>,
}

impl<'t> Draft<'t> {
    /// The proof for a program of which simplification left no goal: what simplification rests on is in the invariants.
    pub(crate) fn without_goals(task: &'t Task<'t>, budget: &Budget) -> Proof {
        Draft::new(task).finish(budget)
    }

    /// The proof that has these formulas at loop heads.
    pub(crate) fn at_heads(
        task: &'t Task<'t>,
        budget: &Budget,
        mut formulas: impl FnMut(NodeId) -> Vec<Term>,
    ) -> Proof {
        let mut draft = Draft::new(task);
        for (node, block) in task.graph.nodes.iter_enumerated() {
            if block.kind == NodeKind::LoopHead {
                draft.add_all(block.location, &formulas(node));
            }
        }
        draft.finish(budget)
    }

    /// The proof that by the summaries no goal is in reach: if that holds at the entry, it holds wherever a run gets to.
    pub(crate) fn by_summaries(task: &'t Task<'t>, oracle: &mut Oracle, budget: &Budget) -> Proof {
        let reaches = oracle.proof(budget).clone();
        Draft::at_heads(task, budget, |node| {
            let mut formulas = oracle.known(node).to_vec();
            formulas.push(task.terms.not(reaches[node]));
            formulas
        })
    }

    /// The proof, with what holds at the loop heads of the program before it was simplified.
    fn finish(mut self, budget: &Budget) -> Proof {
        self.add_invariants_of_inlined(budget);
        self.proof
    }

    /// A proof without formulas.
    fn new(task: &'t Task<'t>) -> Draft<'t> {
        let mut draft = Draft {
            task,
            proof: Proof {
                ghosts: Box::new(task.prepared.memory.plan.clone()),
                ..Proof::invariants(task.terms.clone())
            },
            symbols: FxHashMap::default(),
        };
        let state = &task.graph.state;
        for &var in state.vars() {
            if let Some(symbol) = state.symbol(var) {
                let inlined = task.prepared.simplified.var(var).item;
                if let Some(inlined) = inlined.variable() {
                    draft.symbols.insert(inlined, symbol);
                }
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
        self.add_behind(at, formulas);
    }

    /// Adds formulas at the heads of loops that were left out behind a branch: nothing that they speak of changes there.
    fn add_behind(&mut self, branch: LocRef, formulas: &[Term]) {
        let prepared = &self.task.prepared;
        let origin = prepared
            .simplified
            .location(branch)
            .map(|at| at.item.location);
        let skipped = prepared.skipped.iter().find(|skip| Some(skip.at) == origin);
        let heads = skipped.map_or(&[][..], |skip| &skip.heads);
        let function = prepared.inlined.start;
        for &location in heads {
            let at = LocRef { function, location };
            if let Some(point) = Point::of(&prepared.restore_inlined, at) {
                self.add_at(point, formulas);
            }
        }
    }

    fn add_at(&mut self, point: Point, formulas: &[Term]) {
        self.proof.cut(point.clone());
        for &formula in formulas {
            if self.task.terms.as_bool(formula) != Some(true) {
                self.proof.add(point.clone(), Formula::plain(formula));
            }
        }
    }

    /// What holds, in the program before it was simplified, at the points of the proof and at the heads of loops that
    /// these leave: the constants, among others, that simplification put in place of variables. Of variables that are
    /// not read any more nothing is said.
    fn add_invariants_of_inlined(&mut self, budget: &Budget) {
        let (terms, prepared) = (&self.task.terms, &self.task.prepared);
        let program = &prepared.inlined;
        let function = program.start;
        let invariants = self.task.invariants_of_inlined(budget);
        let cfa = &program.functions[function].cfa;
        for (var, info) in program.vars.iter_enumerated() {
            self.symbols.entry(var).or_insert_with(|| {
                let symbol = terms.symbol(&*info.decl.name, Sort::Int);
                let name = Variable::of(&prepared.restore_inlined, var);
                self.proof.declare(symbol, name);
                symbol
            });
        }
        let cuts = self.cuts(cfa);
        let live = Liveness::of(program, cfa, |at| cuts.contains_key(&at));
        let floats = constants::of_floats(program, function, budget);
        for (location, point) in cuts {
            let term_of = |var: VarId| {
                let symbol = self.symbols.get(&var)?;
                live.is_live(location, var).then(|| terms.var(*symbol))
            };
            let mut formulas = invariants.conjuncts(terms, location, term_of);
            let known = floats[location].iter();
            formulas.extend(known.filter_map(|&(var, bits)| {
                let term = term_of(var)?;
                Some(terms.eq(term, terms.int(bits)))
            }));
            self.add_at(point, &formulas);
        }
    }

    /// The points of the proof as locations of the inlined program, and the heads of loops without any of them.
    /// Simplification may have left a loop that is entered in several places with other heads than it had; one cut is
    /// enough.
    fn cuts(&self, cfa: &Cfa) -> BTreeMap<LocId, Point> {
        let function = self.task.prepared.inlined.start;
        let point = |location: LocId| {
            let at = LocRef { function, location };
            Point::of(&self.task.prepared.restore_inlined, at)
        };
        let is_given = |point: &Point| {
            let invariants = self.proof.as_invariants();
            invariants.is_some_and(|invariants| invariants.at.contains_key(point))
        };
        let mut cuts: BTreeMap<LocId, Point> = (cfa.locations.indices())
            .filter_map(|location| Some((location, point(location)?)))
            .filter(|(_, point)| is_given(point))
            .collect();
        // A root from which every given point is entered takes the place of the edges to it.
        let root = cfa.locations.next_idx();
        let entries = cuts.keys().copied().chain([cfa.entry]);
        let edges: Vec<(LocId, LocId)> = entries.map(|entry| (root, entry)).collect();
        let inner = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        let inner = inner.filter(|(_, target)| !cuts.contains_key(target));
        let graph = Graph::new(cfa.locations.len() + 1, edges.into_iter().chain(inner));
        for &head in LoopNest::of(&graph, root).heads() {
            if let Some(point) = point(head) {
                cuts.insert(head, point);
            }
        }
        cuts
    }
}

/// The proof that all runs end within a depth, if it is one for the program as lowered. All paths of the simplified
/// program may have been seen and it is none all the same: a loop that simplification took away, since no goal is in
/// reach from it, may be one that doesn't end.
pub(crate) fn unrolling(task: &Task<'_>, depth: u32, budget: &Budget) -> Option<Proof> {
    let proof = Proof {
        ghosts: Box::new(task.prepared.memory.plan.clone()),
        ..Proof::unrolling(depth)
    };
    task.checker.check(&proof, budget).ok()?;
    Some(proof)
}

/// Whether simplification took away a loop of the program that proofs are about.
pub(crate) fn lacks_a_loop(task: &Task<'_>) -> bool {
    let prepared = &task.prepared;
    let nodes = task.graph.nodes.iter().filter_map(|node| {
        let function = prepared.program.start;
        let location = node.location;
        let origin = prepared
            .simplified
            .location(LocRef { function, location })?;
        Some(origin.item.location)
    });
    let nodes: FxHashSet<LocId> = nodes.collect();
    let loops = prepared.inlined.functions[prepared.inlined.start]
        .cfa
        .loops();
    loops.heads().iter().any(|head| !nodes.contains(head))
}

/// What is inductive of a proof that was not accepted: facts about the simplified program may rest on others that
/// simplification knew and nobody has written down, and a proof that doesn't need them is better off without. None when
/// the budget is spent before that is known.
pub(crate) fn inductive(task: &Task<'_>, mut proof: Proof, budget: &Budget) -> Option<Proof> {
    (task.checker.inductive_part(&mut proof, budget)).ok()?;
    (!budget.is_spent()).then_some(proof)
}
