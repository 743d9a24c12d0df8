//! Labels that justify each other, as a proof by contracts.
//!
//! Let `A(l)` be what the labels of a place exclude: a relation between the state there and the exit. A function
//! requires `A(entry)` for the exit that aborts, and ensures the negation of `A(entry)` for the exit that there is. At
//! the head of a loop every exit that `A` allows from there is one that it allowed at the entry, and aborting is none
//! of them. That is kept by every step since labels are justified, and where a function returns it says what is ensured.

use rhumb_certify::proof::{Argument, Contract, Contracts, Formula, Invariants, Proof, Variable};
use rhumb_encode::{Content, NodeId};
use rhumb_logic::project::Projector;
use rhumb_logic::{Budget, Renaming, Sort, Symbol, Term, Terms};
use rhumb_program::VarId;
use rustc_hash::FxHashMap;

use super::labels::Annotation;
use super::model::Procedure;
use crate::proof::loop_heads;
use crate::task::Task;

/// The proof that labels without bounds make; none if a formula at the head of a loop was not found within the budget.
pub(super) fn proof(
    task: &Task<'_>,
    procedures: &[Procedure],
    annotation: &Annotation,
    budget: &Budget,
) -> Option<Proof> {
    let restore = &task.prepared.restore_inlined;
    let program = &task.prepared.inlined;
    let mut writer = Writer {
        task,
        annotation,
        symbols: FxHashMap::default(),
        projector: Projector::new(task.terms.clone()),
    };
    let mut contracts = Contracts::default();
    for (place, procedure) in procedures.iter().enumerate() {
        let terms = &*task.terms;
        let old: FxHashMap<VarId, Symbol> = match procedure.function == program.start {
            true => FxHashMap::default(),
            false => procedure
                .given
                .iter()
                .map(|&var| (var, terms.symbol(&*program.vars[var].decl.name, Sort::Int)))
                .collect(),
        };
        writer.heads(place, procedure, &old, &mut contracts.invariants, budget)?;
        if procedure.function == program.start {
            continue;
        }
        let entry = old.iter();
        let entry = entry.map(|(&var, &symbol)| (symbol, Variable::of(restore, var)));
        contracts.entry.extend(entry);
        let entry = procedure.graph.entry;
        let requires = writer.safe(place, procedure, entry);
        let requires = writer.now(procedure, requires);
        let ensures = terms.not(writer.excluded(place, procedure, entry));
        let ensures = writer.then(procedure, &old, ensures);
        let contract = Contract {
            requires: parts(terms, requires),
            ensures: parts(terms, ensures),
            modifies: None,
            result: procedure.exit.result,
        };
        contracts.functions.insert(procedure.function, contract);
    }
    let mut proof = Proof::invariants(task.terms.clone());
    for (&var, &symbol) in &writer.symbols {
        proof.declare(symbol, Variable::of(restore, var));
    }
    proof.argument = Argument::Contracts(contracts);
    Some(proof)
}

fn parts(terms: &Terms, formula: Term) -> Vec<Term> {
    let parts = terms.conjuncts(formula).into_iter();
    parts
        .filter(|&part| terms.as_bool(part) != Some(true))
        .collect()
}

struct Writer<'w, 't> {
    task: &'w Task<'t>,
    annotation: &'w Annotation,
    /// The symbol that stands for each variable in the proof.
    symbols: FxHashMap<VarId, Symbol>,
    projector: Projector,
}

impl Writer<'_, '_> {
    /// The symbol of a variable in the proof.
    fn symbol(&mut self, var: VarId) -> Symbol {
        let (terms, program) = (&self.task.terms, &self.task.prepared.inlined);
        let made = || terms.symbol(&*program.vars[var].decl.name, Sort::Int);
        *self.symbols.entry(var).or_insert_with(made)
    }

    /// What is excluded at a node of the exits by return.
    fn excluded(&self, place: usize, procedure: &Procedure, node: NodeId) -> Term {
        let terms = &*self.task.terms;
        let known = self.annotation.known(terms, place, node, None);
        let returns = [(procedure.exit.aborts, terms.int(0))];
        Renaming::new(returns.into_iter().collect()).apply(terms, known.formula)
    }

    /// That no goal is reached from a node in this activation, or in one that it calls.
    fn safe(&self, place: usize, procedure: &Procedure, node: NodeId) -> Term {
        let terms = &*self.task.terms;
        let known = self.annotation.known(terms, place, node, None);
        let aborts = procedure.exit.abort(terms).into_iter();
        Renaming::new(aborts.collect()).apply(terms, known.formula)
    }

    /// A formula over the state of a graph, over the variables as they are.
    fn now(&mut self, procedure: &Procedure, formula: Term) -> Term {
        let terms = self.task.terms.clone();
        let state = &procedure.graph.state;
        let map = state.vars().iter().filter_map(|&var| {
            let ours = state.symbol(var)?;
            Some((ours, terms.var(self.symbol(var))))
        });
        Renaming::new(map.collect()).apply(&terms, formula)
    }

    /// A formula over the state at the entry and the exit, over entry values and the variables where the function returns.
    fn then(
        &mut self,
        procedure: &Procedure,
        old: &FxHashMap<VarId, Symbol>,
        formula: Term,
    ) -> Term {
        let terms = self.task.terms.clone();
        let mut map = entries(&terms, procedure, old);
        for (&var, &after) in procedure.set.iter().zip(&procedure.exit.set) {
            map.insert(after, terms.var(self.symbol(var)));
        }
        Renaming::new(map).apply(&terms, formula)
    }

    /// What holds at the heads of loops.
    fn heads(
        &mut self,
        place: usize,
        procedure: &Procedure,
        old: &FxHashMap<VarId, Symbol>,
        invariants: &mut Invariants,
        budget: &Budget,
    ) -> Option<()> {
        let terms = self.task.terms.clone();
        let restore = &self.task.prepared.restore_inlined;
        for (node, point) in loop_heads(&procedure.graph, procedure.function, restore) {
            let mut formula = self.safe(place, procedure, node);
            if procedure.function != self.task.prepared.inlined.start {
                let entry = self.excluded(place, procedure, procedure.graph.entry);
                let entry = Renaming::new(entries(&terms, procedure, old)).apply(&terms, entry);
                let here = terms.not(self.excluded(place, procedure, node));
                let exits: Vec<Symbol> = procedure.exit.values().collect();
                let worse = terms.and([here, entry]);
                let worse = self.projector.exact(worse, &exits, budget).ok()?;
                formula = terms.and([formula, terms.not(worse)]);
            }
            let formula = self.now(procedure, formula);
            let formulas = parts(&terms, formula).into_iter().map(Formula::plain);
            invariants.at.insert(point, formulas.collect());
        }
        Some(())
    }
}

/// Entry values for the symbols of the state at the entry.
fn entries(
    terms: &Terms,
    procedure: &Procedure,
    old: &FxHashMap<VarId, Symbol>,
) -> FxHashMap<Symbol, Term> {
    let live = procedure.graph.live(procedure.graph.entry);
    let live = live.filter_map(|cell| match cell.content {
        Content::Variable(var) => Some((cell.symbol, terms.var(*old.get(&var)?))),
        Content::Address(_) => None,
    });
    live.collect()
}
