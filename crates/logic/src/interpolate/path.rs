//! Paths in a solver session: every step asserted behind switches, kept between queries.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::Budget;
use crate::project::Projector;
use crate::session::{Answer, Purpose, Session, SessionOptions, Unknown, Wanted};
use crate::term::{Renaming, Sort, Symbol, Term, Terms};
use crate::transition::Transition;
use crate::value::{Assignment, Value};

use super::core::{PathCore, StepCore, split};
use super::{PathQuery, Run};

/// Queries about paths are counted under this purpose.
pub const PURPOSE: Purpose = Purpose("path");

/// A solver session that holds a path, one level per step.
///
/// Each conjunct of a guard and each update stands behind a switch, a truth value of its own: a query assumes the
/// switches that it wants, and a core names those that it needs. Steps that the next path shares with this one stay
/// asserted. The k-th value of a variable on any path has the same symbol, so that what was translated once stays
/// translated.
pub struct PathSession {
    session: Session,
    steps: Vec<Step>,
    /// The second, third... value of a symbol; the first one is the symbol itself.
    versions: FxHashMap<Symbol, Vec<Symbol>>,
    /// The symbol of each variable's value at the end of the path, if it was updated.
    current: FxHashMap<Symbol, (Symbol, usize)>,
    /// How often each input occurs on the path.
    uses: FxHashMap<Symbol, usize>,
    /// All switches; the path uses the first ones.
    switches: Vec<Term>,
    projector: Option<Projector>,
}

/// A step of the path, asserted.
pub(super) struct Step {
    pub(super) transition: Transition,
    pub(super) guards: Vec<Guard>,
    pub(super) updates: Vec<Update>,
    /// Inputs with the symbols for their values.
    pub(super) inputs: Vec<(Symbol, Symbol)>,
    /// Variables that it mentions, and inputs.
    symbols: Vec<Symbol>,
    /// Number of switches up to here.
    end: usize,
}

/// A conjunct of a guard.
pub(super) struct Guard {
    pub(super) switch: Term,
    pub(super) conjunct: Term,
}

/// An update of a variable.
pub(super) struct Update {
    pub(super) switch: Term,
    pub(super) variable: Symbol,
    pub(super) value: Term,
    /// The symbols for the values before and after.
    pub(super) before: Symbol,
    pub(super) after: Symbol,
}

/// The answer to [`PathSession::check`].
pub(super) enum Checked {
    Feasible(Run),
    /// The assumptions that can't hold together.
    Infeasible(Vec<Term>),
    Unknown(Unknown),
}

impl PathSession {
    /// A session with the empty path.
    pub fn new(terms: Arc<Terms>, options: SessionOptions) -> PathSession {
        let mut session = Session::new(terms, options);
        session.set_purpose(PURPOSE);
        PathSession {
            session,
            steps: Vec::new(),
            versions: FxHashMap::default(),
            current: FxHashMap::default(),
            uses: FxHashMap::default(),
            switches: Vec::new(),
            projector: None,
        }
    }

    /// The store of the terms.
    pub fn terms(&self) -> &Arc<Terms> {
        self.session.terms()
    }

    /// The solver session. Its levels belong to the path: leave them as they are.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// A projector, for strategies that need one; to be put back.
    pub(super) fn take_projector(&mut self) -> Projector {
        let terms = self.session.terms();
        self.projector
            .take()
            .unwrap_or_else(|| Projector::new(terms.clone()))
    }

    /// Keeps a projector for the next time.
    pub(super) fn put_projector(&mut self, projector: Projector) {
        self.projector = Some(projector);
    }

    /// Number of steps that are asserted.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no step is asserted.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Makes the path the one that is asserted; what both have in common at the beginning stays. Returns the length of that.
    pub fn align(&mut self, path: &[&Transition]) -> usize {
        let pairs = self.steps.iter().zip(path);
        let common = pairs
            .take_while(|(step, transition)| step.transition == ***transition)
            .count();
        while self.steps.len() > common {
            self.retract();
        }
        for transition in &path[common..] {
            self.extend(transition);
        }
        common
    }

    fn extend(&mut self, transition: &Transition) {
        let terms = self.terms().clone();
        self.session.push();
        let mut inputs = Vec::with_capacity(transition.inputs.len());
        for &input in &transition.inputs {
            let uses = self.uses.entry(input).or_insert(0);
            *uses += 1;
            let version = *uses - 1;
            inputs.push((input, self.version(input, version)));
        }
        let mut renaming = Renaming::new(self.symbols_now(&terms, &inputs));
        let mut end = self.steps.last().map_or(0, |step| step.end);
        let mut switched = |session: &mut PathSession, formula: Term| {
            let switch = session.switch(end);
            end += 1;
            session.session.assert(terms.implies(switch, formula));
            switch
        };
        let mut guards = Vec::new();
        for conjunct in split(&terms, terms.conjuncts(transition.guard)) {
            let formula = renaming.apply(&terms, conjunct);
            let switch = switched(self, formula);
            guards.push(Guard { switch, conjunct });
        }
        let mut updates = Vec::with_capacity(transition.updates.len());
        for &(variable, value) in &transition.updates {
            let (before, count) = self.value_now(variable);
            let after = self.version(variable, count + 1);
            let equation = terms.eq(terms.var(after), renaming.apply(&terms, value));
            let switch = switched(self, equation);
            self.current.insert(variable, (after, count + 1));
            updates.push(Update {
                switch,
                variable,
                value,
                before,
                after,
            });
        }
        let values = transition.updates.iter().map(|update| update.1);
        let mut symbols = terms.symbols(values.chain([transition.guard]));
        symbols.extend(transition.updates.iter().map(|update| update.0));
        self.steps.push(Step {
            transition: transition.clone(),
            guards,
            updates,
            inputs,
            symbols,
            end,
        });
    }

    /// Takes back the last step.
    pub(super) fn retract(&mut self) -> Option<Step> {
        let step = self.steps.pop()?;
        self.session.pop();
        for update in &step.updates {
            if let Some((symbol, count)) = self.current.get_mut(&update.variable) {
                *symbol = update.before;
                *count -= 1;
            }
        }
        for (input, _) in &step.inputs {
            if let Some(uses) = self.uses.get_mut(input) {
                *uses -= 1;
            }
        }
        Some(step)
    }

    /// Does something on a level of its own, above the path: what it asserts and defines is forgotten afterwards.
    pub(super) fn on_own_level<T>(&mut self, work: impl FnOnce(&mut PathSession) -> T) -> T {
        self.session.push();
        let result = work(self);
        self.session.pop();
        result
    }

    /// The symbol of a variable's value at the end of the path, and how often it was updated.
    fn value_now(&self, variable: Symbol) -> (Symbol, usize) {
        self.current
            .get(&variable)
            .copied()
            .unwrap_or((variable, 0))
    }

    fn version(&mut self, symbol: Symbol, count: usize) -> Symbol {
        let Some(place) = count.checked_sub(1) else {
            return symbol;
        };
        let terms = self.session.terms();
        let versions = self.versions.entry(symbol).or_default();
        while versions.len() <= place {
            versions.push(terms.fresh_copy(symbol));
        }
        versions[place]
    }

    fn switch(&mut self, place: usize) -> Term {
        while self.switches.len() <= place {
            let switch = self.session.terms().fresh("switch", Sort::Bool);
            self.switches.push(switch);
        }
        self.switches[place]
    }

    fn symbols_now(&self, terms: &Terms, inputs: &[(Symbol, Symbol)]) -> FxHashMap<Symbol, Term> {
        let variables = self.current.iter().map(|(&old, &(new, _))| (old, new));
        variables
            .chain(inputs.iter().copied())
            .filter(|(old, new)| old != new)
            .map(|(old, new)| (old, terms.var(new)))
            .collect()
    }

    /// The switches of the steps before a cut.
    pub(super) fn switches_before(&self, cut: usize) -> &[Term] {
        let end = match cut.checked_sub(1).and_then(|last| self.steps.get(last)) {
            Some(step) => step.end,
            None => 0,
        };
        &self.switches[..end]
    }

    /// The symbols for the values of variables at a cut, where they are not the variables themselves.
    pub(super) fn symbols_at(&self, cut: usize) -> FxHashMap<Symbol, Symbol> {
        let before = self.steps.iter().take(cut);
        before
            .flat_map(|step| &step.updates)
            .map(|update| (update.variable, update.after))
            .collect()
    }

    /// Whether some run along the path starts in `pre` and ends in a bad state.
    pub(super) fn check(&mut self, query: &PathQuery<'_>, budget: &Budget) -> Checked {
        let terms = self.terms().clone();
        let mut assumptions = terms.conjuncts(query.pre);
        assumptions.extend(self.switches_before(self.steps.len()));
        assumptions.extend(self.bad(query).into_iter().map(|(_, formula)| formula));
        let variables = self.variables(query);
        let cuts = self.values_at_cuts(&variables);
        let inputs = self.steps.iter().flat_map(|step| &step.inputs);
        let wanted: Vec<Symbol> = (cuts.iter().flatten().copied())
            .chain(inputs.map(|&(_, symbol)| symbol))
            .collect();
        let wanted = Wanted::Symbols(wanted.into());
        match self.session.check_wanting(&assumptions, &wanted, budget) {
            Answer::Unsat(core) => Checked::Infeasible(core),
            Answer::Unknown(reason) => Checked::Unknown(reason),
            Answer::Sat(model) => {
                let value =
                    |symbol: Symbol| -> Option<Value> { model.value_or_default(&terms, symbol) };
                let states = cuts.iter().map(|symbols| {
                    let values = variables.iter().zip(symbols);
                    let values = values.map(|(&name, &symbol)| Some((name, value(symbol)?)));
                    values.flatten().collect::<Assignment>()
                });
                let inputs = self.steps.iter().map(|step| {
                    let values = step.inputs.iter();
                    let values = values.map(|&(name, symbol)| Some((name, value(symbol)?)));
                    values.flatten().collect::<Assignment>()
                });
                Checked::Feasible(Run {
                    states: states.collect(),
                    inputs: inputs.collect(),
                })
            }
        }
    }

    /// The conjuncts of "the state at the end is bad": as they are, and about the values at the end.
    pub(super) fn bad(&self, query: &PathQuery<'_>) -> Vec<(Term, Term)> {
        let terms = self.terms();
        let mut renaming = Renaming::new(self.symbols_now(terms, &[]));
        let conjuncts = split(terms, terms.conjuncts(terms.not(query.post))).into_iter();
        conjuncts
            .map(|conjunct| (conjunct, renaming.apply(terms, conjunct)))
            .collect()
    }

    /// The variables of the path, sorted.
    fn variables(&self, query: &PathQuery<'_>) -> Vec<Symbol> {
        let steps = self.steps.iter().flat_map(|step| &step.symbols).copied();
        let ends = self.terms().symbols([query.pre, query.post]);
        let all: FxHashSet<Symbol> = steps.chain(ends).collect();
        let is_input = |symbol: &Symbol| self.uses.get(symbol).is_some_and(|&uses| uses > 0);
        let mut variables: Vec<Symbol> = all.into_iter().filter(|it| !is_input(it)).collect();
        variables.sort_unstable();
        variables
    }

    /// For each cut the symbols for the values of the variables.
    fn values_at_cuts(&self, variables: &[Symbol]) -> Vec<Vec<Symbol>> {
        let mut now = variables.to_vec();
        let mut cuts = vec![now.clone()];
        for step in &self.steps {
            for update in &step.updates {
                if let Ok(place) = variables.binary_search(&update.variable) {
                    now[place] = update.after;
                }
            }
            cuts.push(now.clone());
        }
        cuts
    }

    /// What a core says about the parts of the path.
    pub(super) fn name_core(&self, query: &PathQuery<'_>, core: &[Term]) -> PathCore {
        let terms = self.terms();
        let mut before = terms.conjuncts(query.pre);
        before.retain(|conjunct| core.contains(conjunct));
        let steps = self.steps.iter().map(|step| {
            let guards = step.guards.iter().filter(|it| core.contains(&it.switch));
            let updates = step.updates.iter().filter(|it| core.contains(&it.switch));
            StepCore {
                guards: guards.map(|guard| guard.conjunct).collect(),
                updates: updates.map(|update| update.variable).collect(),
            }
        });
        let bad = self.bad(query).into_iter();
        let bad = bad.filter(|(_, formula)| core.contains(formula));
        PathCore {
            before,
            steps: steps.collect(),
            bad: bad.map(|(conjunct, _)| conjunct).collect(),
        }
    }
}

impl std::fmt::Debug for PathSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PathSession")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
