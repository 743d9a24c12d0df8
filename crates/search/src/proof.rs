//! Proofs in the language of certification, from formulas about the simplified program.

use rhumb_certify::proof::{Formula, Point, Proof, Variable};
use rhumb_encode::{NodeId, NodeKind};
use rhumb_logic::{Budget, Sort, Symbol, Term};
use rhumb_program::passes::LocRef;
use rhumb_program::{LocId, VarId};
use rhumb_summary::forward::Invariants;
use rustc_hash::FxHashMap;

use crate::task::Task;

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

    /// The proof, with what holds at the loop heads of the program before it was simplified.
    fn finish(mut self, budget: &Budget) -> Proof {
        self.add_invariants_of_inlined(budget);
        self.proof
    }

    /// A proof without formulas.
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
        for (var, info) in program.vars.iter_enumerated() {
            self.symbols.entry(var).or_insert_with(|| {
                let symbol = terms.symbol(&*info.decl.name, Sort::Int);
                let name = Variable::of(&prepared.restore_inlined, var);
                self.proof.declare(symbol, name);
                symbol
            });
        }
        for &location in cfa.loops().heads() {
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
