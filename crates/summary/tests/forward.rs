//! Forward invariants on programs of our own, and against the interpreter.

use std::sync::Arc;

use rhumb_cfront::{Options, compile};
use rhumb_difftest::generate::{self, generate};
use rhumb_logic::eval::Evaluator;
use rhumb_logic::{Budget, Sort, Symbol, Terms};
use rhumb_program::interp::{ListInputs, Machine, Observer, RunLimits, View};
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
        let found = places.rev().find(|(_, info)| named(info));
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

/// Checks states of a run against what is claimed: each location the first few times it is passed.
struct Checker<'a> {
    program: &'a Program,
    invariants: &'a Invariants,
    terms: &'a Arc<Terms>,
    vars: &'a [VarId],
    symbols: &'a [Symbol],
    /// For each location that was passed its claims, compiled, and how often it was passed.
    seen: FxHashMap<LocId, (Evaluator, usize)>,
    checked: usize,
    telling: usize,
}

/// So often a location is looked at.
const VISITS: usize = 4;

impl Observer for Checker<'_> {
    fn edge(&mut self, edge: EdgeId, view: &View<'_>) {
        if view.function() != self.program.start {
            return;
        }
        let at = self.program.functions[self.program.start].cfa.edges[edge].source;
        let (claims, visits) = self.seen.entry(at).or_insert_with(|| {
            let term_of = |var: VarId| {
                let place = self.vars.binary_search(&var).ok()?;
                Some(self.terms.var(self.symbols[place]))
            };
            let claims = self.invariants.conjuncts(self.terms, at, term_of);
            (Evaluator::new(self.terms, self.symbols, &claims), 0)
        });
        *visits += 1;
        if *visits > VISITS {
            return;
        }
        let values: Vec<i128> = self
            .vars
            .iter()
            .map(|&var| match (view.value(var), self.program.vars[var].ty) {
                (Some(bits), Type::Int(int)) => int.extend(bits),
                (bits, _) => bits.unwrap_or(0) as i128,
            })
            .collect();
        let mut frame = claims.frame();
        let holds: Vec<i128> = claims
            .small(&mut frame, &values)
            .expect("small numbers")
            .collect();
        self.checked += 1;
        let narrow = |&var: &VarId| {
            let Type::Int(int) = self.program.vars[var].ty else {
                return false;
            };
            let (low, high) = self.invariants.bounds(at, var);
            low.is_some_and(|low| low > int.extend(int.min_bits()))
                || high.is_some_and(|high| high < int.extend(int.max_bits()))
        };
        // Most variables are locals that are not in use at the moment.
        let known = self.vars.iter().filter(|var| narrow(var)).count();
        self.telling += usize::from(known >= 3);
        assert!(
            holds.iter().all(|&holds| holds == 1),
            "at {at:?}: {holds:?}"
        );
    }
}

/// No run of a generated program leaves the invariants, and they say something at most locations.
#[test]
fn runs_stay_inside() {
    let (mut checked, mut telling) = (0, 0);
    for seed in 0..15 {
        let model = rhumb_difftest::model::DataModel::Lp64;
        let generated = generate(seed, &generate::Options::new(model));
        let program = program(&generated.source);
        let invariants = Invariants::compute(&program, program.start, &Budget::unlimited());
        let terms = Arc::new(Terms::new());
        let vars: Vec<VarId> = program
            .vars
            .iter_enumerated()
            .filter(|(_, info)| matches!(info.ty, Type::Int(int) if int.width <= 64))
            .map(|(var, _)| var)
            .collect();
        let symbols: Vec<Symbol> = vars
            .iter()
            .map(|&var| terms.symbol(&*program.vars[var].decl.name, Sort::Int))
            .collect();
        let mut checker = Checker {
            program: &program,
            invariants: &invariants,
            terms: &terms,
            vars: &vars,
            symbols: &symbols,
            seen: FxHashMap::default(),
            checked: 0,
            telling: 0,
        };
        let mut inputs = ListInputs::new(&program, generated.inputs);
        let limits = RunLimits {
            steps: 2_000,
            ..RunLimits::default()
        };
        Machine::compile(&program).trace(&mut inputs, &limits, &mut checker);
        checked += checker.checked;
        telling += checker.telling;
    }
    assert!(checked > 4_000, "{checked}");
    assert!(2 * telling > checked, "{telling} of {checked}");
}
