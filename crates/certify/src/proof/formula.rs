//! Formulas of a proof at symbolic states.

use rhumb_logic::{Node, Sort, Symbol, Term, Terms};
use rhumb_program::{IndexVec, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::argument::{Argument, Formula, Invariants, Proof};
use super::encode::{Encoder, SymbolicState};
use super::name::Point;
use super::reject::Invalid;
use super::subject::name;

/// Which variable a symbol stands for.
pub(super) struct Vocabulary {
    vars: FxHashMap<Symbol, VarId>,
    /// The same for values at the entry of a function.
    entry: FxHashMap<Symbol, VarId>,
}

impl Vocabulary {
    pub(super) fn new(symbols: &IndexVec<VarId, Symbol>) -> Vocabulary {
        let vars = symbols
            .iter_enumerated()
            .map(|(var, &symbol)| (symbol, var));
        Vocabulary {
            vars: vars.collect(),
            entry: FxHashMap::default(),
        }
    }

    /// The same, with symbols for values at the entry of a function.
    pub(super) fn with_entry(self, entry: FxHashMap<Symbol, VarId>) -> Vocabulary {
        Vocabulary { entry, ..self }
    }

    /// The variable whose value at the entry of a function a symbol stands for.
    pub(super) fn entry(&self, symbol: Symbol) -> Option<VarId> {
        self.entry.get(&symbol).copied()
    }

    /// A symbol for the value of a variable at the entry of a function.
    pub(super) fn entry_symbol(&self, var: VarId) -> Option<Symbol> {
        let symbols = self.entry.iter().filter(|entry| *entry.1 == var);
        symbols.map(|(&symbol, _)| symbol).min()
    }

    /// Whether a symbol stands for a variable: all that formulas about the start function may have.
    pub(super) fn knows(&self) -> impl Fn(&Point, Symbol) -> bool + '_ {
        |_, symbol| self.var(symbol).is_some()
    }

    pub(super) fn var(&self, symbol: Symbol) -> Option<VarId> {
        self.vars.get(&symbol).copied()
    }

    /// The term with the values of a state in place of variables, and given terms in place of bound symbols.
    pub(super) fn at(
        &self,
        term: Term,
        bound: &FxHashMap<Symbol, Term>,
        encoder: &mut Encoder<'_>,
        state: &SymbolicState,
    ) -> Term {
        let terms = encoder.terms;
        let mut map = bound.clone();
        for symbol in terms.symbols([term]) {
            if let Some(var) = self.var(symbol) {
                let value = || encoder.read_int(var, state);
                map.entry(symbol).or_insert_with(value);
            } else if let Some(var) = self.entry(symbol) {
                let value = || encoder.at_entry(symbol, var);
                map.entry(symbol).or_insert_with(value);
            }
        }
        terms.substitute(term, &map)
    }
}

/// The invariants of a proof with the definitions of named relations in place of their names, if they make sense, and
/// have only symbols that are known where they stand.
pub(super) fn validated(
    proof: &Proof,
    invariants: &Invariants,
    is_known: &dyn Fn(&Point, Symbol) -> bool,
) -> Result<Invariants, Invalid> {
    let terms = &*proof.terms;
    let mut result = Invariants::default();
    for (point, formulas) in &invariants.at {
        let mut checked = Vec::with_capacity(formulas.len());
        for formula in formulas {
            let shown = || terms.display(formula.matrix).to_string();
            if terms.sort(formula.matrix) != Sort::Bool {
                return Err(Invalid::NotAFormula(shown()));
            }
            let matrix = closed(terms, formula.matrix)?;
            known(terms, matrix, |symbol| {
                is_known(point, symbol) || formula.bound.contains(&symbol)
            })?;
            checked.push(Formula {
                matrix,
                ..formula.clone()
            });
        }
        result.at.insert(point.clone(), checked);
    }
    let bound: FxHashSet<Symbol> = invariants
        .at
        .values()
        .flatten()
        .flat_map(|formula| formula.bound.iter().copied())
        .collect();
    for hint in &invariants.hints {
        let mut hint = hint.clone();
        let from = hint.from.clone();
        for value in &mut hint.values {
            *value = closed(terms, *value)?;
            known(terms, *value, |symbol| {
                is_known(&from, symbol) || bound.contains(&symbol)
            })?;
        }
        result.hints.push(hint);
    }
    Ok(result)
}

/// The term without named relations; an error if it has functions that nothing is known of.
pub(super) fn closed(terms: &Terms, term: Term) -> Result<Term, Invalid> {
    let expanded = terms.expand(term);
    let uninterpreted = terms
        .postorder([expanded])
        .into_iter()
        .any(|part| matches!(terms.node(part), Node::Apply(..)));
    match uninterpreted {
        true => Err(Invalid::Uninterpreted(terms.display(term).to_string())),
        false => Ok(expanded),
    }
}

pub(super) fn known(
    terms: &Terms,
    term: Term,
    mut is_known: impl FnMut(Symbol) -> bool,
) -> Result<(), Invalid> {
    let symbols = terms.symbols([term]);
    match symbols.into_iter().find(|&symbol| !is_known(symbol)) {
        Some(symbol) => Err(Invalid::FreeSymbol(name(terms, symbol))),
        None => Ok(()),
    }
}

impl Proof {
    /// The invariants, if it is a proof by invariants.
    pub fn as_invariants(&self) -> Option<&Invariants> {
        match &self.argument {
            Argument::Invariants(invariants) => Some(invariants),
            Argument::Contracts(_)
            | Argument::Unrolling { .. }
            | Argument::Exploration(_)
            | Argument::Tabulation(_)
            | Argument::Execution { .. }
            | Argument::Together { .. }
            | Argument::Shapes { .. }
            | Argument::Bounds(_)
            | Argument::Alone(..)
            | Argument::Parts(_) => None,
        }
    }
}
