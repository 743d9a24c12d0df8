//! Transition formulas: what a step, a path or a block of a program does to its variables.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::eval::{Evaluator, evaluate_all};
use crate::term::{Renaming, Sort, Symbol, Term, Terms};
use crate::value::{Assignment, Value};

/// A relation between states before and after: new values for some variables, and a guard.
///
/// State variables are symbols that stand for the value *before*. The relation holds between `x` and `x'` iff some
/// values of `inputs` make the guard true, and every variable of `updates` has the value of its term afterwards while
/// all other variables keep theirs. So the frame costs nothing. Terms of updates and the guard are over the variables
/// before and the inputs.
///
/// All operations are linear in what they add: composing substitutes into the right operand alone, and choosing keeps
/// both operands as they are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transition {
    /// New values, sorted by variable, each variable once. No variable is mapped to itself.
    pub updates: Vec<(Symbol, Term)>,
    /// When the step can be taken.
    pub guard: Term,
    /// Symbols that stand for any value: inputs, and what is not known. Sorted, and used in this transition alone.
    pub inputs: Vec<Symbol>,
}

/// What becomes of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The state afterwards.
    To(Assignment),
    /// The guard doesn't hold.
    Blocked,
    /// The guard or a new value has no known value.
    Unknown,
}

impl Transition {
    /// A transition from its parts, in any order. Where a variable is updated twice, the last one counts.
    pub fn new(
        terms: &Terms,
        updates: impl IntoIterator<Item = (Symbol, Term)>,
        guard: Term,
        inputs: impl IntoIterator<Item = Symbol>,
    ) -> Transition {
        let updates: FxHashMap<Symbol, Term> = updates.into_iter().collect();
        let mut updates: Vec<(Symbol, Term)> = updates
            .into_iter()
            .filter(|&(variable, term)| terms.as_symbol(term) != Some(variable))
            .collect();
        updates.sort_unstable();
        let mut inputs: Vec<Symbol> = inputs.into_iter().collect();
        inputs.sort_unstable();
        inputs.dedup();
        Transition {
            updates,
            guard,
            inputs,
        }
    }

    /// The step that changes nothing and is always possible: the unit of composition.
    pub fn identity(terms: &Terms) -> Transition {
        Transition::assume(terms.bool(true))
    }

    /// The step that is never possible: the unit of choice.
    pub fn zero(terms: &Terms) -> Transition {
        Transition::assume(terms.bool(false))
    }

    /// The step that is possible where the formula holds, and changes nothing.
    pub fn assume(guard: Term) -> Transition {
        Transition {
            updates: Vec::new(),
            guard,
            inputs: Vec::new(),
        }
    }

    /// Variables get new values, all at once.
    pub fn assign(terms: &Terms, updates: impl IntoIterator<Item = (Symbol, Term)>) -> Transition {
        Transition::new(terms, updates, terms.bool(true), [])
    }

    /// Variables get any value.
    pub fn havoc(terms: &Terms, variables: impl IntoIterator<Item = Symbol>) -> Transition {
        let fresh: Vec<(Symbol, Symbol)> = variables
            .into_iter()
            .map(|variable| (variable, terms.fresh_copy(variable)))
            .collect();
        let updates = fresh
            .iter()
            .map(|&(variable, input)| (variable, terms.var(input)));
        let inputs = fresh.iter().map(|&(_, input)| input);
        Transition::new(terms, updates, terms.bool(true), inputs)
    }

    /// The value of a variable afterwards, over the variables before.
    pub fn value_of(&self, terms: &Terms, variable: Symbol) -> Term {
        match self
            .updates
            .binary_search_by_key(&variable, |update| update.0)
        {
            Ok(place) => self.updates[place].1,
            Err(_) => terms.var(variable),
        }
    }

    /// The updates as a substitution: a formula about the state afterwards, renamed by it, is about the state before.
    pub fn substitution(&self) -> Renaming {
        Renaming::new(self.updates.iter().copied().collect())
    }

    /// This step, then the other. Only the other's terms are substituted into; its inputs are renamed where both have the same.
    pub fn compose(&self, terms: &Terms, other: &Transition) -> Transition {
        let other = other.apart_from(terms, self);
        let mut before = self.substitution();
        let guard = terms.and([self.guard, before.apply(terms, other.guard)]);
        let later: Vec<(Symbol, Term)> = other
            .updates
            .iter()
            .map(|&(variable, term)| (variable, before.apply(terms, term)))
            .collect();
        let updates = self.updates.iter().copied().chain(later);
        let inputs = self.inputs.iter().chain(&other.inputs).copied();
        Transition::new(terms, updates, guard, inputs)
    }

    /// One step after the other.
    pub fn sequence<'a>(
        terms: &Terms,
        steps: impl IntoIterator<Item = &'a Transition>,
    ) -> Transition {
        steps
            .into_iter()
            .fold(Transition::identity(terms), |path, step| {
                path.compose(terms, step)
            })
    }

    /// This step or the other.
    ///
    /// Which of the two is taken is a truth value, and guard and updates are conditionals on it. If the guards exclude
    /// each other because a conjunct of one is the negation of a conjunct of the other (as the two sides of a branch
    /// do), the truth value is that conjunct, so the choice stays deterministic; else it is a new input. A variable
    /// that both leave alone stays without update. So the size is linear, evaluation needs no solver, and there is at
    /// most one more input; new symbols for the values after the choice, with equations in the guard, would lose the
    /// latter two.
    pub fn choice(&self, terms: &Terms, other: &Transition) -> Transition {
        match (terms.as_bool(self.guard), terms.as_bool(other.guard)) {
            (Some(false), _) => return other.clone(),
            (_, Some(false)) => return self.clone(),
            _ if self == other => return self.clone(),
            _ => {}
        }
        // Inputs that both use are shared: only one of the two steps is taken, so each has them for itself.
        let mut inputs: Vec<Symbol> = self.inputs.iter().chain(&other.inputs).copied().collect();
        let first = match self.excludes(terms, other) {
            Some(condition) => condition,
            None => {
                let choice = terms.symbol("choice", Sort::Bool);
                inputs.push(choice);
                terms.var(choice)
            }
        };
        let guard = terms.ite(first, self.guard, other.guard);
        let variables = self.updates.iter().chain(&other.updates);
        let updates: Vec<(Symbol, Term)> = variables
            .map(|&(variable, _)| {
                let (one, two) = (
                    self.value_of(terms, variable),
                    other.value_of(terms, variable),
                );
                (variable, terms.ite(first, one, two))
            })
            .collect();
        Transition::new(terms, updates, guard, inputs)
    }

    /// A conjunct of the guard whose negation is a conjunct of the other's. It must not mention inputs: two steps may
    /// share the names of theirs, but what one knows about an input says nothing about the other's.
    fn excludes(&self, terms: &Terms, other: &Transition) -> Option<Term> {
        let theirs: FxHashSet<Term> = terms.conjuncts(other.guard).into_iter().collect();
        let mut ours = terms.conjuncts(self.guard).into_iter();
        ours.find(|&conjunct| {
            theirs.contains(&terms.not(conjunct)) && {
                let symbols = terms.symbols([conjunct]);
                let is_input = |symbol: &Symbol| {
                    self.inputs.binary_search(symbol).is_ok()
                        || other.inputs.binary_search(symbol).is_ok()
                };
                !symbols.iter().any(is_input)
            }
        })
    }

    /// Both at once: the pairs of states that both relate.
    pub fn meet(&self, terms: &Terms, other: &Transition) -> Transition {
        let other = other.apart_from(terms, self);
        let variables = self.updates.iter().chain(&other.updates);
        let mut agree: Vec<Term> = variables
            .map(|&(variable, _)| {
                let one = self.value_of(terms, variable);
                terms.eq(one, other.value_of(terms, variable))
            })
            .collect();
        agree.extend([self.guard, other.guard]);
        let inputs = self.inputs.iter().chain(&other.inputs).copied();
        Transition::new(
            terms,
            self.updates.iter().copied(),
            terms.and(agree),
            inputs,
        )
    }

    /// The step from states that satisfy a formula only.
    pub fn restrict(&self, terms: &Terms, formula: Term) -> Transition {
        Transition {
            guard: terms.and([formula, self.guard]),
            ..self.clone()
        }
    }

    /// The step to states that satisfy a formula only.
    pub fn restrict_after(&self, terms: &Terms, formula: Term) -> Transition {
        Transition {
            guard: self.before(terms, formula),
            ..self.clone()
        }
    }

    /// The step as a relation between the values of the other variables: the old values of these are inputs from now
    /// on, and their new ones are nobody's business.
    pub fn forget(&self, terms: &Terms, variables: &[Symbol]) -> Transition {
        let fresh: Vec<(Symbol, Symbol)> = variables
            .iter()
            .map(|&variable| (variable, terms.fresh_copy(variable)))
            .collect();
        let map = fresh.iter().map(|&(old, new)| (old, terms.var(new)));
        let mut renaming = Renaming::new(map.collect());
        let guard = renaming.apply(terms, self.guard);
        let kept = (self.updates.iter()).filter(|(variable, _)| !variables.contains(variable));
        let updates: Vec<(Symbol, Term)> = kept
            .map(|&(variable, term)| (variable, renaming.apply(terms, term)))
            .collect();
        let inputs = self.inputs.iter().copied();
        let inputs = inputs.chain(fresh.iter().map(|&(_, new)| new));
        Transition::new(terms, updates, guard, inputs).without_idle_inputs(terms)
    }

    /// The same step without inputs that it doesn't use. The other operations don't look for them: that would cost a traversal each time.
    pub fn without_idle_inputs(mut self, terms: &Terms) -> Transition {
        let roots = self.updates.iter().map(|update| update.1);
        let used = terms.symbols(roots.chain([self.guard]));
        self.inputs
            .retain(|input| used.binary_search(input).is_ok());
        self
    }

    /// States from which the step can lead to a state that satisfies the formula, for the values that the inputs stand
    /// for: the guard, and the formula about the new values.
    pub fn before(&self, terms: &Terms, formula: Term) -> Term {
        let after = self.substitution().apply(terms, formula);
        terms.and([self.guard, after])
    }

    /// The same step with fresh inputs, which are returned in the order of the old ones.
    pub fn rename_apart(&self, terms: &Terms) -> (Transition, Vec<Symbol>) {
        let fresh: Vec<Symbol> = (self.inputs.iter())
            .map(|&input| terms.fresh_copy(input))
            .collect();
        let pairs = self.inputs.iter().copied().zip(fresh.iter().copied());
        (self.rename_inputs(terms, pairs), fresh)
    }

    /// The same step with other inputs in place of some. Neither the state nor another input of the step may use the new symbols.
    pub fn rename_inputs(
        &self,
        terms: &Terms,
        pairs: impl IntoIterator<Item = (Symbol, Symbol)>,
    ) -> Transition {
        let pairs: FxHashMap<Symbol, Symbol> = pairs.into_iter().collect();
        if pairs.is_empty() {
            return self.clone();
        }
        let map = pairs.iter().map(|(&old, &new)| (old, terms.var(new)));
        let mut renaming = Renaming::new(map.collect());
        let updates: Vec<(Symbol, Term)> = (self.updates.iter())
            .map(|&(variable, term)| (variable, renaming.apply(terms, term)))
            .collect();
        let inputs = self.inputs.iter();
        let inputs = inputs.map(|input| pairs.get(input).copied().unwrap_or(*input));
        Transition::new(terms, updates, renaming.apply(terms, self.guard), inputs)
    }

    /// The same step with fresh inputs in place of those that the other has, too.
    fn apart_from(&self, terms: &Terms, other: &Transition) -> Transition {
        let shared = (self.inputs.iter()).filter(|input| other.inputs.binary_search(input).is_ok());
        let pairs: Vec<(Symbol, Symbol)> = shared
            .map(|&input| (input, terms.fresh_copy(input)))
            .collect();
        self.rename_inputs(terms, pairs)
    }

    /// The relation as a formula over the variables, the symbols given for their values afterwards, and the inputs. Of
    /// other variables it says nothing.
    pub fn to_formula(
        &self,
        terms: &Terms,
        after: impl IntoIterator<Item = (Symbol, Symbol)>,
    ) -> Term {
        let values = after.into_iter().map(|(variable, after)| {
            let value = self.value_of(terms, variable);
            terms.eq(terms.var(after), value)
        });
        terms.and(values.chain([self.guard]))
    }

    /// The state afterwards, for these values of variables and inputs. Missing ones have the default of their sort.
    pub fn apply(&self, terms: &Terms, state: &Assignment, inputs: &Assignment) -> Outcome {
        let mut before = state.clone();
        for input in &self.inputs {
            match inputs.get(input) {
                Some(value) => before.insert(*input, value.clone()),
                None => before.remove(input),
            };
        }
        let roots = self.updates.iter().map(|update| update.1);
        let roots: Vec<Term> = [self.guard].into_iter().chain(roots).collect();
        let mut values = evaluate_all(terms, &roots, &before).into_iter();
        match values.next().flatten() {
            Some(Value::Bool(true)) => {}
            Some(_) => return Outcome::Blocked,
            None => return Outcome::Unknown,
        }
        let mut after = state.clone();
        for ((variable, _), value) in self.updates.iter().zip(values) {
            let Some(value) = value else {
                return Outcome::Unknown;
            };
            after.insert(*variable, value);
        }
        Outcome::To(after)
    }

    /// The step compiled. The evaluator takes the values of the given variables and then of [`Transition::inputs`]; it
    /// gives the guard and then the new values of the variables, in the same order.
    pub fn compile(&self, terms: &Arc<Terms>, variables: &[Symbol]) -> Evaluator {
        let inputs: Vec<Symbol> = variables.iter().chain(&self.inputs).copied().collect();
        let values = variables.iter();
        let values = values.map(|&variable| self.value_of(terms, variable));
        let outputs: Vec<Term> = [self.guard].into_iter().chain(values).collect();
        Evaluator::new(terms, &inputs, &outputs)
    }
}
