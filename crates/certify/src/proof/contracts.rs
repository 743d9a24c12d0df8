//! Proofs about programs with functions that are called, not copied: contracts.
//!
//! A [`Contract`] says of a function what has to hold when it is called (`requires`), what then holds when it returns
//! (`ensures`, a relation between the values at its entry and those at its exit), and which globals it leaves with
//! other values (`modifies`). Inside its body there are invariants like in any proof, which may also name the values at
//! its entry. Each body is checked once: a call in it asserts what the callee requires, forgets whatever the callee may
//! set ([`CallEffects`](rhumb_program::graph::CallEffects), from the program and not from the proof), and assumes what
//! it ensures.
//!
//! **Why that is right, recursion or not.** Of the activations of a run take those that began with what their function
//! requires. Claim: whenever the run is at a point in such an activation, the invariants of the point hold; it is at no
//! target there; what it calls begins with what that requires; when it returns, what it ensures holds. By induction on
//! the number of steps that the run has made: what is asked about a stretch of a body follows from what held where the
//! stretch begins, and from contracts of calls that have returned in between, all of them in fewer steps. The start has
//! nothing to require, and all others are called. Whether anything returns is not claimed: a function that never does
//! may ensure that zero is one.
//!
//! A function without a contract may be called if, as far as the calls say, no target and nothing unsupported is in it
//! or anything that it calls; then it may set what it sets. Otherwise a call of it must not be reached. The same goes
//! for calls through pointers, and for calls with other arguments than the function takes: contracts don't speak of
//! them. Local objects of a function that is called in many activations are many objects; memory is as opaque here as
//! elsewhere.
//!
//! `modifies` is no more than a way to write `ensures`: what it doesn't name, of what the function may set, has the
//! value at the exit that it had at the entry, and that is shown like everything else.

use std::collections::BTreeMap;

use rhumb_logic::{Sort, Symbol, Term, Terms};
use rhumb_program::{
    Action, Callee, ExprKind, FuncId, IndexVec, LocId, Program, Scope, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::argument::{Formula, Invariants, Proof, VALUE_SORT};
use super::body::Body;
use super::encode::{Agreed, Encoder, SymbolicState, Value};
use super::formula::{Vocabulary, closed, known, validated};
use super::name::{Point, Variable};
use super::reject::Invalid;
use super::subject::{Subject, name};

/// What functions that are called ask for and give, and formulas at cut points.
#[derive(Clone, Debug, Default)]
pub struct Contracts {
    /// The contracts. A function of the program as lowered, other than the start.
    pub functions: BTreeMap<FuncId, Contract>,
    /// What holds at points of the start function and of the functions with a contract. A point in a function, or in
    /// what is inlined there, has the calls that lead to it from there.
    pub invariants: Invariants,
    /// Symbols of sort `Int` that stand for what a variable was when the function was entered: a global, or a
    /// parameter. Formulas in bodies of functions with a contract may have them, and what such a function ensures.
    pub entry: BTreeMap<Symbol, Variable>,
}

/// What a function asks for and gives.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// What holds when it is called: formulas over globals and its parameters.
    pub requires: Vec<Term>,
    /// What holds when it returns: formulas over globals, then, and over entry values of globals and of its parameters, and the result.
    pub ensures: Vec<Term>,
    /// The globals that may have another value at its exit than at its entry; none for all that it may set.
    pub modifies: Option<Vec<Variable>>,
    /// The symbol, of sort `Int`, for its result.
    pub result: Option<Symbol>,
}

/// Contracts that make sense for a program.
pub(super) struct Rules<'p> {
    symbols: &'p IndexVec<VarId, Symbol>,
    vocabulary: &'p Vocabulary,
    functions: BTreeMap<FuncId, Rule>,
}

/// The contract of one function.
struct Rule {
    requires: Vec<Formula>,
    ensures: Vec<Formula>,
    result: Option<Symbol>,
    /// What may be set between its entry and its exit.
    set: FxHashSet<VarId>,
}

/// Which variable each name of a proof stands for.
fn variables(subject: &Subject<'_>) -> FxHashMap<Variable, VarId> {
    let vars = subject.program.vars.indices();
    vars.map(|var| (Variable::of(&subject.restore, var), var))
        .collect()
}

/// The variables that the symbols for values at entries stand for. A variable whose value a contract says to be kept,
/// and that has no such symbol, gets one.
pub(super) fn entry_symbols(
    subject: &Subject<'_>,
    proof: &Proof,
    contracts: &Contracts,
) -> Result<FxHashMap<Symbol, VarId>, Invalid> {
    let terms = &*proof.terms;
    let vars = variables(subject);
    let mut entry = FxHashMap::default();
    for (&symbol, variable) in &contracts.entry {
        let unknown = || Invalid::UnknownVariable(name(terms, symbol));
        let var = *vars.get(variable).ok_or_else(unknown)?;
        if terms.symbol_info(symbol).sort != VALUE_SORT {
            return Err(Invalid::Sort(name(terms, symbol)));
        }
        if proof.variables.contains_key(&symbol) {
            return Err(Invalid::TwoSymbols(name(terms, symbol)));
        }
        entry.insert(symbol, var);
    }
    let named: FxHashSet<VarId> = entry.values().copied().collect();
    let globals = subject.program.vars.iter_enumerated();
    for (var, declared) in globals.filter(|(_, var)| var.scope == Scope::Global) {
        if !named.contains(&var) {
            entry.insert(terms.symbol(&*declared.decl.name, VALUE_SORT), var);
        }
    }
    Ok(entry)
}

impl<'p> Rules<'p> {
    /// The contracts of a proof, if they make sense for the program.
    pub(super) fn new(
        subject: &Subject<'_>,
        proof: &Proof,
        contracts: &Contracts,
        symbols: &'p IndexVec<VarId, Symbol>,
        vocabulary: &'p Vocabulary,
    ) -> Result<Rules<'p>, Invalid> {
        let mut rules = Rules {
            symbols,
            vocabulary,
            functions: BTreeMap::new(),
        };
        let vars = variables(subject);
        for (&function, contract) in &contracts.functions {
            let is_called = subject.calls.entered().contains(&function);
            if !is_called || function == subject.program.start {
                let named = subject.program.functions.get(function);
                let name = named.map_or("?", |function| &*function.name);
                return Err(Invalid::UnknownFunction(name.to_owned()));
            }
            let body = subject.body(function);
            let rule = rules.rule(body, &proof.terms, contract, &vars)?;
            rules.functions.insert(function, rule);
        }
        Ok(rules)
    }

    fn rule(
        &self,
        body: Body<'_>,
        terms: &Terms,
        contract: &Contract,
        vars: &FxHashMap<Variable, VarId>,
    ) -> Result<Rule, Invalid> {
        let program = &body.subject.program;
        let params = &program.functions[body.function].params;
        let is_global = |var: VarId| program.vars[var].scope == Scope::Global;
        let is_given = |var: VarId| is_global(var) || params.contains(&var);
        if let Some(result) = contract.result {
            let vocabulary = self.vocabulary;
            if vocabulary.var(result).is_some() || vocabulary.entry(result).is_some() {
                return Err(Invalid::TwoSymbols(name(terms, result)));
            }
            if terms.symbol_info(result).sort != VALUE_SORT {
                return Err(Invalid::Sort(name(terms, result)));
            }
        }
        let formulas = |given: &[Term], is_known: &dyn Fn(Symbol) -> bool| {
            let formulas = given.iter().map(|&formula| {
                if terms.sort(formula) != Sort::Bool {
                    return Err(Invalid::NotAFormula(terms.display(formula).to_string()));
                }
                let matrix = closed(terms, formula)?;
                known(terms, matrix, is_known)?;
                Ok(Formula::plain(matrix))
            });
            formulas.collect::<Result<Vec<Formula>, Invalid>>()
        };
        let requires = formulas(&contract.requires, &|symbol| {
            self.vocabulary.var(symbol).is_some_and(is_given)
        })?;
        let has_result = program.functions[body.function].result.is_some();
        let mut ensures = formulas(&contract.ensures, &|symbol| {
            self.vocabulary.var(symbol).is_some_and(is_global)
                || self.vocabulary.entry(symbol).is_some_and(is_given)
                || has_result && contract.result == Some(symbol)
        })?;
        let set = set_in(body);
        if let Some(modified) = &contract.modifies {
            let modified = modified.iter().map(|variable| {
                let unknown = || Invalid::UnknownVariable(format!("{variable:?}"));
                vars.get(variable).copied().ok_or_else(unknown)
            });
            let modified = modified.collect::<Result<FxHashSet<VarId>, Invalid>>()?;
            let kept = set.iter().copied();
            let mut kept: Vec<VarId> = kept
                .filter(|&var| is_global(var) && !modified.contains(&var))
                .collect();
            kept.sort_unstable();
            for var in kept {
                let entry = self.vocabulary.entry_symbol(var);
                let Some(entry) = entry else {
                    return Err(Invalid::UnknownVariable(
                        program.vars[var].decl.name.to_string(),
                    ));
                };
                let kept = terms.eq(terms.var(self.symbols[var]), terms.var(entry));
                ensures.push(Formula::plain(kept));
            }
        }
        Ok(Rule {
            requires,
            ensures,
            result: contract.result,
            set,
        })
    }

    /// The functions that have a contract.
    pub(super) fn functions(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.functions.keys().copied()
    }

    /// What a function requires.
    pub(super) fn requires(&self, function: FuncId) -> &[Formula] {
        let rule = self.functions.get(&function);
        rule.map_or(&[], |rule| &rule.requires)
    }

    /// What a function ensures.
    pub(super) fn ensures(&self, function: FuncId) -> &[Formula] {
        let rule = self.functions.get(&function);
        rule.map_or(&[], |rule| &rule.ensures)
    }

    /// What may have been set in a function since it was entered.
    pub(super) fn set_in(&self, function: FuncId) -> Option<&FxHashSet<VarId>> {
        self.functions.get(&function).map(|rule| &rule.set)
    }

    /// The function with a contract that an action calls, if its arguments are what the function takes.
    pub(super) fn callee(&self, program: &Program, action: &Action) -> Option<FuncId> {
        let Action::Call { dst, callee, args } = action else {
            return None;
        };
        let function = match *callee {
            Callee::Function(function) => function,
            Callee::Pointer(pointer) => match program.exprs[pointer].kind {
                ExprKind::FuncAddr(function) => function,
                _ => return None,
            },
            Callee::Builtin(_) => return None,
        };
        self.functions.get(&function)?;
        let types = args.iter().map(|&arg| program.exprs.ty(arg));
        let result = dst.map(|dst| program.vars[dst].ty);
        let fits = !program.functions[function].variadic && program.takes(function, types, result);
        fits.then_some(function)
    }

    /// What a call requires, in the state before it.
    pub(super) fn required(
        &self,
        formula: &Formula,
        action: &Action,
        state: &SymbolicState,
        encoder: &mut Encoder<'_>,
    ) -> Term {
        let mut given = FxHashMap::default();
        self.with_arguments(action, state, encoder, |_, param, value| {
            given.insert(self.symbols[param], value);
        });
        (self.vocabulary).at(formula.matrix, &given, encoder, state)
    }

    /// What a function ensures, where it returns a value in a state.
    pub(super) fn returned(
        &self,
        function: FuncId,
        formula: &Formula,
        value: Option<Term>,
        state: &SymbolicState,
        encoder: &mut Encoder<'_>,
    ) -> Term {
        let result = self.functions.get(&function).and_then(|rule| rule.result);
        let given: FxHashMap<Symbol, Term> = result.zip(value).into_iter().collect();
        (self.vocabulary).at(formula.matrix, &given, encoder, state)
    }

    /// Tells the parameters of what an action calls with the values that they get.
    fn with_arguments(
        &self,
        action: &Action,
        state: &SymbolicState,
        encoder: &mut Encoder<'_>,
        mut tell: impl FnMut(FuncId, VarId, Term),
    ) {
        let program = encoder.program;
        let Action::Call { args, .. } = action else {
            return;
        };
        let Some(function) = self.callee(program, action) else {
            return;
        };
        for (&param, &arg) in program.functions[function].params.iter().zip(args) {
            let value = encoder.value(arg, state).to_int(encoder.terms);
            tell(function, param, value);
        }
    }
}

impl Agreed for Rules<'_> {
    fn covers(&self, program: &Program, action: &Action) -> bool {
        self.callee(program, action).is_some()
    }

    fn result(&self, program: &Program, action: &Action) -> Option<Type> {
        let function = self.callee(program, action)?;
        program.functions[function].result
    }

    fn ensured(
        &self,
        action: &Action,
        before: &SymbolicState,
        after: &SymbolicState,
        result: Option<&Value>,
        encoder: &mut Encoder<'_>,
    ) -> Term {
        let (terms, program) = (encoder.terms, encoder.program);
        let function = self.callee(program, action);
        let Some(rule) = function.and_then(|function| self.functions.get(&function)) else {
            return terms.bool(true);
        };
        let mut values: FxHashMap<VarId, Term> = FxHashMap::default();
        self.with_arguments(action, before, encoder, |_, param, value| {
            values.insert(param, value);
        });
        let mut parts = Vec::with_capacity(rule.ensures.len());
        for formula in &rule.ensures {
            let mut given: FxHashMap<Symbol, Term> = FxHashMap::default();
            if let (Some(symbol), Some(result)) = (rule.result, result) {
                given.insert(symbol, result.to_int(terms));
            }
            // Entry values are the callee's: what it is given, and globals before the call.
            for symbol in terms.symbols([formula.matrix]) {
                if let Some(var) = self.vocabulary.entry(symbol) {
                    let value = values.get(&var).copied();
                    let value = value.unwrap_or_else(|| encoder.read_int(var, before));
                    given.insert(symbol, value);
                }
            }
            parts.push((self.vocabulary).at(formula.matrix, &given, encoder, after));
        }
        terms.and(parts)
    }
}

/// What a function may set, itself and in what it calls.
fn set_in(body: Body<'_>) -> FxHashSet<VarId> {
    let (program, calls) = (&body.subject.program, &body.subject.calls);
    let mut set = FxHashSet::default();
    for edge in &body.cfa().edges {
        set.extend(edge.action.defined_var());
        set.extend(calls.set_by(program, &edge.action));
    }
    set
}

/// The formulas at points of a proof by contracts, if they make sense: each speaks of globals, of the locals of its
/// function, and of entry values there.
pub(super) fn validated_points(
    subject: &Subject<'_>,
    proof: &Proof,
    contracts: &Contracts,
    vocabulary: &Vocabulary,
) -> Result<Invariants, Invalid> {
    let program = &subject.program;
    let is_known = |point: &Point, symbol: Symbol| {
        let Some(at) = subject.located(point) else {
            return false;
        };
        let scope = |var: VarId| program.vars[var].scope;
        let is_own = |var: VarId| {
            matches!(scope(var), Scope::Global) || scope(var) == Scope::Local(at.function)
        };
        let is_param = |var: VarId| program.functions[at.function].params.contains(&var);
        vocabulary.var(symbol).is_some_and(is_own)
            || at.function != program.start
                && (vocabulary.entry(symbol))
                    .is_some_and(|var| scope(var) == Scope::Global || is_param(var))
    };
    for point in contracts.invariants.at.keys() {
        let at = subject.located(point);
        let is_checked = at.is_some_and(|at| {
            let has_contract = contracts.functions.contains_key(&at.function);
            // What holds at the entry of a function is what it requires.
            let is_entry = at.location == subject.body(at.function).cfa().entry;
            at.function == program.start || has_contract && !is_entry
        });
        if !is_checked {
            return Err(Invalid::UnknownPoint(subject.describe(point)));
        }
    }
    validated(proof, &contracts.invariants, &is_known)
}

/// Where something is asked of a body that a proof by contracts speaks of, beside targets: its calls of functions with
/// contracts, and its returns.
pub(super) fn asked(body: Body<'_>, rules: &Rules<'_>) -> Vec<LocId> {
    let program = &body.subject.program;
    let edges = body.cfa().edges.iter().filter(|edge| match edge.action {
        Action::Call { .. } => rules.callee(program, &edge.action).is_some(),
        Action::Return { .. } => !body.is_start(),
        _ => false,
    });
    edges.map(|edge| edge.source).collect()
}
