//! Interpolants from Horn clauses: a relation for each cut of a path, and a clause for each step.
//!
//! What the solver for such clauses (Spacer) finds is a sequence of interpolants. It thinks in cubes of single states
//! and needs no projection of whole steps, so it comes to an end where steps are large blocks with many inputs. Of the
//! path only what its core needs is told, and of a state only what is read later.

use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::session::horn::{Clause, Clauses, Manner, Solution, solve};
use crate::term::{Function, FunctionInfo, Sort, Symbol, Term, Terms};

use super::label::Label;
use super::{Interpolator, PathCore, Refuted};

/// Interpolation by a chain of Horn clauses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chain;

impl Interpolator for Chain {
    fn interpolate(&self, refuted: &mut Refuted<'_>, budget: &Budget) -> Option<Vec<Label>> {
        let terms = refuted.paths.terms().clone();
        let core = refuted.core();
        let read = read(&terms, refuted, &core);
        let mut clauses = Clauses {
            relations: Vec::new(),
            clauses: Vec::new(),
            manner: Manner::Plain,
        };
        for symbols in &read {
            let sort = |&symbol: &Symbol| terms.symbol_info(symbol).sort;
            let params: Vec<Sort> = symbols.iter().map(sort).collect();
            // What has another sort than these is not read back.
            if params
                .iter()
                .any(|sort| !matches!(sort, Sort::Int | Sort::Bool))
            {
                return None;
            }
            let relation = terms.function(FunctionInfo {
                name: "cut".into(),
                params: params.into(),
                result: Sort::Bool,
            });
            clauses.relations.push((relation, symbols.clone()));
        }
        let at = |place: usize, value: &mut dyn FnMut(Symbol) -> Term| {
            let (relation, symbols): &(Function, Vec<Symbol>) = &clauses.relations[place];
            let values: Vec<Term> = symbols.iter().map(|&symbol| value(symbol)).collect();
            terms.apply(*relation, values)
        };
        let here = |place: usize| at(place, &mut |symbol| terms.var(symbol));
        let mut found = vec![Clause {
            body: core.before.clone(),
            head: Some(here(0)),
        }];
        for (place, step) in core.steps.iter().enumerate() {
            let transition = refuted.query().path[place];
            let mut body = vec![here(place)];
            body.extend(&step.guards);
            let head = at(place + 1, &mut |symbol| {
                let is_updated = transition.updates.iter().any(|update| update.0 == symbol);
                match is_updated && !step.updates.contains(&symbol) {
                    true => terms.var(terms.fresh_copy(symbol)),
                    false => transition.value_of(&terms, symbol),
                }
            });
            found.push(Clause {
                body,
                head: Some(head),
            });
        }
        let mut body = vec![here(core.steps.len())];
        body.extend(&core.bad);
        found.push(Clause { body, head: None });
        clauses.clauses = found;
        match solve(&terms, clauses, budget) {
            Solution::Relations(relations) => {
                let labels = relations.into_iter();
                labels
                    .map(|formula| Some(Label::of(&terms, formula?)))
                    .collect()
            }
            Solution::None | Solution::Unknown(_) => None,
        }
    }
}

/// For each cut the variables that are read later, as far as the core says.
fn read(terms: &Terms, refuted: &Refuted<'_>, core: &PathCore) -> Vec<Vec<Symbol>> {
    let mut now: FxHashSet<Symbol> = terms
        .symbols(core.bad.iter().copied())
        .into_iter()
        .collect();
    let mut read = vec![sorted(&now)];
    for (step, transition) in core.steps.iter().zip(refuted.query().path).rev() {
        let mut before = step.guards.clone();
        for &(variable, value) in &transition.updates {
            if now.remove(&variable) && step.updates.contains(&variable) {
                before.push(value);
            }
        }
        let is_input = |symbol: &Symbol| transition.inputs.binary_search(symbol).is_ok();
        now.extend(
            terms
                .symbols(before)
                .into_iter()
                .filter(|symbol| !is_input(symbol)),
        );
        read.push(sorted(&now));
    }
    read.reverse();
    read
}

fn sorted(symbols: &FxHashSet<Symbol>) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = symbols.iter().copied().collect();
    symbols.sort_unstable();
    symbols
}
