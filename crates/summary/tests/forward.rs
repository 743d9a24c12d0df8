//! Forward invariants on programs of our own, and against the interpreter.

use std::sync::Arc;

use rhumb_cfront::{Options, compile};
use rhumb_difftest::generate::{self, generate};
use rhumb_logic::eval::evaluate;
use rhumb_logic::{Assignment, Budget, Sort, Symbol, Term, Terms, Value};
use rhumb_program::interp::{Limits, ListInputs, Machine, Observer, View};
use rhumb_program::passes::inline;
use rhumb_program::{EdgeId, LocId, Program, SourceMap, Type, VarId};
use rhumb_summary::forward::Invariants;
use rustc_hash::FxHashMap;

fn program(text: &str) -> Program {
    let compiled = compile(
        SourceMap::new("test.c", Arc::from(text.as_bytes())),
        &Options::default(),
    );
    let program = compiled.program.expect("a valid program");
    inline::run(&program, 100_000).passed.program
}

struct Analysed {
    program: Program,
    invariants: Invariants,
}

impl Analysed {
    fn new(text: &str) -> Analysed {
        let program = program(text);
        let invariants = Invariants::compute(&program, program.start, &Budget::unlimited());
        Analysed {
            program,
            invariants,
        }
    }

    fn var(&self, name: &str) -> VarId {
        let named = |info: &rhumb_program::Var| &*info.decl.name == name;
        // The last one: after inlining that is the copy in the start function.
        let places = self.program.vars.iter_enumerated();
        let found = places.filter(|(_, info)| named(info)).last();
        found.expect("a variable of that name").0
    }

    /// The loop heads of the start function, in the order of the text.
    fn heads(&self) -> Vec<LocId> {
        let cfa = &self.program.functions[self.program.start].cfa;
        let mut heads: Vec<(u32, LocId)> = cfa
            .locations
            .iter_enumerated()
            .filter_map(|(id, location)| Some((location.loop_statement?.lo, id)))
            .collect();
        heads.sort_unstable();
        heads.into_iter().map(|(_, id)| id).collect()
    }

    fn bounds(&self, head: usize, name: &str) -> (Option<i128>, Option<i128>) {
        self.invariants.bounds(self.heads()[head], self.var(name))
    }

    fn text(&self, head: usize) -> Vec<String> {
        let terms = Terms::new();
        let conjuncts = self
            .invariants
            .conjuncts(&terms, self.heads()[head], |var| {
                let name = &self.program.vars[var].decl.name;
                (!name.is_empty()).then(|| terms.fresh(&**name, Sort::Int))
            });
        conjuncts
            .iter()
            .map(|&term| terms.display(term).to_string())
            .collect()
    }
}

#[test]
fn a_counter_has_its_bounds() {
    let analysed = Analysed::new("int main(void) { int i = 0; while (i < 100) i++; return i; }");
    assert_eq!(analysed.bounds(0, "i"), (Some(0), Some(100)));
}

#[test]
fn two_counters_stay_together() {
    let analysed = Analysed::new(
        "int __VERIFIER_nondet_int(void);
         int main(void) { int n = __VERIFIER_nondet_int(); int i = 0, j = 0; while (i < n) { i++; j++; } return j; }",
    );
    let text = analysed.text(0).join("; ");
    assert!(text.contains("i <= j") && text.contains("j <= i"), "{text}");
}

#[test]
fn strides_survive_wrapping() {
    let analysed = Analysed::new(
        "unsigned __VERIFIER_nondet_uint(void);
         int main(void) { unsigned i = 0; while (__VERIFIER_nondet_uint()) i += 4; return 0; }",
    );
    let text = analysed.text(0).join("; ");
    assert!(text.contains("4 | i"), "{text}");
    assert_eq!(analysed.bounds(0, "i"), (Some(0), Some(u32::MAX.into())));
}

#[test]
fn an_exit_by_inequality_bounds_the_counter() {
    let analysed = Analysed::new("int main(void) { int i = 0; while (i != 50) i++; return 0; }");
    assert_eq!(analysed.bounds(0, "i"), (Some(0), Some(50)));
}

/// Checks every state of a run against what is claimed.
struct Checker<'a> {
    program: &'a Program,
    terms: &'a Terms,
    symbols: &'a FxHashMap<VarId, Symbol>,
    claims: &'a [Vec<Term>],
    checked: usize,
    steps: usize,
}

/// A run is followed this far.
const STEPS: usize = 300;

impl Observer for Checker<'_> {
    fn edge(&mut self, edge: EdgeId, view: &View<'_>) {
        self.steps += 1;
        if view.function() != self.program.start || self.steps > STEPS {
            return;
        }
        let at = self.program.functions[self.program.start].cfa.edges[edge].source;
        let mut state = Assignment::default();
        for (&var, &symbol) in self.symbols {
            let value = match (view.value(var), self.program.vars[var].ty) {
                (Some(bits), Type::Int(int)) => int.extend(bits),
                (bits, _) => bits.unwrap_or(0) as i128,
            };
            state.insert(symbol, Value::Int(value.into()));
        }
        for &claim in &self.claims[at.index()] {
            self.checked += 1;
            let holds = evaluate(self.terms, claim, &state) == Some(Value::Bool(true));
            assert!(holds, "{} at {at:?}", self.terms.display(claim));
        }
    }
}

/// No run of a generated program leaves the invariants, and they say something at most locations.
#[test]
fn runs_stay_inside() {
    let (mut checked, mut places, mut telling) = (0, 0, 0);
    for seed in 0..60 {
        let model = rhumb_difftest::model::DataModel::Lp64;
        let generated = generate(seed, &generate::Options::new(model));
        let program = program(&generated.source);
        let invariants = Invariants::compute(&program, program.start, &Budget::unlimited());
        let terms = Terms::new();
        // A local has no value before it is set, and then the interpreter's registers hold anything of its type.
        let symbols: FxHashMap<VarId, Symbol> = program
            .vars
            .iter_enumerated()
            .filter(|(_, info)| matches!(info.ty, Type::Int(_) | Type::Bool))
            .map(|(var, info)| (var, terms.symbol(&*info.decl.name, Sort::Int)))
            .collect();
        let cfa = &program.functions[program.start].cfa;
        let claims: Vec<Vec<Term>> = cfa
            .locations
            .indices()
            .map(|at| {
                let term_of = |var| symbols.get(&var).map(|&symbol| terms.var(symbol));
                invariants.conjuncts(&terms, at, term_of)
            })
            .collect();
        let trivial = claims[cfa.entry.index()].len();
        places += claims.len();
        telling += claims
            .iter()
            .filter(|claims| claims.len() != trivial)
            .count();
        let mut checker = Checker {
            program: &program,
            terms: &terms,
            symbols: &symbols,
            claims: &claims,
            checked: 0,
            steps: 0,
        };
        let mut inputs = ListInputs::new(&program, generated.inputs);
        let limits = Limits {
            steps: 10 * STEPS as u64,
            ..Limits::default()
        };
        Machine::compile(&program).trace(&mut inputs, &limits, &mut checker);
        checked += checker.checked;
    }
    assert!(checked > 100_000, "{checked}");
    assert!(2 * telling > places, "{telling} of {places}");
}
