//! Contracts of functions that call themselves: what is accepted, and what must not be.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rhumb_certify::file::ProofFile;
use rhumb_certify::file::text::{Names, read};
use rhumb_certify::proof::{
    Argument, Contract, Contracts, Formula, Invalid, Point, Proof, Rejected, Variable, check,
};
use rhumb_logic::{Budget, Sort, Term, Terms};
use rhumb_program::passes::{LocRef, VarOrigin, inline};
use rhumb_program::{FuncId, LocId, Program, Scope};
use rustc_hash::FxHashMap;

use crate::second;
use crate::support::lower;

/// A proof by contracts, written by hand. Names: `g` for a global, `f.x` for a local of a function whose calls stay
/// (`main.x` for one of main), `old.g` and `old.f.x` for values at the entry, `f.result`.
struct Agreement {
    program: Program,
    terms: Arc<Terms>,
    names: Names,
    proof: Proof,
    contracts: Contracts,
}

impl Agreement {
    fn new(text: &str) -> Agreement {
        let program = lower(text);
        let passed = inline::run(&program, 1_000_000).passed;
        let terms = Arc::new(Terms::new());
        let mut proof = Proof::invariants(terms.clone());
        let mut contracts = Contracts::default();
        let mut names = Names::default();
        for var in passed.program.vars.indices() {
            let variable = Variable::of(&passed.restore, var);
            let VarOrigin::Variable(original) = variable.var else {
                continue;
            };
            let original = &program.vars[original];
            let name = match original.scope {
                Scope::Global => original.decl.name.to_string(),
                Scope::Local(function) => {
                    format!(
                        "{}.{}",
                        program.functions[function].name, original.decl.name
                    )
                }
            };
            if names.contains_key(&name) && variable.calls.is_empty() {
                // The copy of main in the start function has the name.
                continue;
            }
            let symbol = terms.symbol(&*name, Sort::Int);
            let old = terms.symbol(format!("old.{name}"), Sort::Int);
            names.insert(name.clone(), symbol);
            names.insert(format!("old.{name}"), old);
            proof.declare(symbol, variable.clone());
            contracts.entry.insert(old, variable);
        }
        for function in &program.functions {
            let result = terms.symbol(format!("{}.result", function.name), Sort::Int);
            names.insert(format!("{}.result", function.name), result);
        }
        Agreement {
            program,
            terms,
            names,
            proof,
            contracts,
        }
    }

    fn term(&self, text: &str) -> Term {
        read(&self.terms, text, &self.names).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn function(&self, name: &str) -> FuncId {
        self.program.function_named(name).expect("a function")
    }

    /// Adds a contract.
    fn says(mut self, function: &str, requires: &[&str], ensures: &[&str]) -> Agreement {
        let terms = |texts: &[&str]| texts.iter().map(|text| self.term(text)).collect();
        let contract = Contract {
            requires: terms(requires),
            ensures: terms(ensures),
            modifies: None,
            result: Some(self.names[&format!("{function}.result")]),
        };
        let id = self.function(function);
        self.contracts.functions.insert(id, contract);
        self
    }

    /// Says of a function which globals it modifies.
    fn modifies(mut self, function: &str, globals: &[&str]) -> Agreement {
        let variables = globals.iter().map(|name| {
            let symbol = self.names[*name];
            self.proof.variables[&symbol].clone()
        });
        let variables = variables.collect();
        let id = self.function(function);
        if let Some(contract) = self.contracts.functions.get_mut(&id) {
            contract.modifies = Some(variables);
        }
        self
    }

    /// Adds formulas at the only loop of a function.
    fn at_loop(mut self, function: &str, formulas: &[&str]) -> Agreement {
        let id = self.function(function);
        let cfa = &self.program.functions[id].cfa;
        let loops = cfa.loops();
        let [location] = *loops.heads() else {
            panic!("loops: {:?}", loops.heads());
        };
        let location = LocRef {
            function: id,
            location,
        };
        let formulas = formulas.iter().map(|text| Formula::plain(self.term(text)));
        let formulas = formulas.collect();
        let calls = Box::new([]);
        let point = Point { calls, location };
        self.contracts.invariants.at.insert(point, formulas);
        self
    }

    fn check(&self) -> Result<(), Rejected> {
        let budget = Budget::time(Duration::from_secs(20));
        let proof = Proof {
            argument: Argument::Contracts(self.contracts.clone()),
            ..self.proof.clone()
        };
        let checked = check(&self.program, &proof, &budget);
        second::agrees(&self.program, &proof, &checked);
        // What is written down and read again is the same proof.
        let text = ProofFile::new(&self.program, &proof).and_then(|file| file.to_json());
        let file = ProofFile::from_json(&text.expect("can be written")).expect("can be read");
        let again = file.proof(&self.program).expect("is a proof");
        let again = check(&self.program, &again, &budget);
        assert_eq!(again.is_ok(), checked.is_ok(), "{again:?} {checked:?}");
        checked.map(|_| ())
    }

    fn accepted(&self) {
        if let Err(error) = self.check() {
            panic!("{error}");
        }
    }

    fn fails(&self) -> String {
        match self.check() {
            Err(Rejected::Fails(failure)) => failure.to_string(),
            other => panic!("{other:?}"),
        }
    }

    fn invalid(&self) -> Invalid {
        match self.check() {
            Err(Rejected::Invalid(invalid)) => invalid,
            other => panic!("{other:?}"),
        }
    }
}

/// The sum of the numbers up to n, without more of it than a bound: 0 <= n <= 1000.
const SUM: &str = "int sum(int n) { if (n <= 0) return 0; int rest = sum(n - 1); return rest + n; }\n\
    int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0;\n\
    int s = sum(n); if (s < n) __VERIFIER_error(); }";

#[test]
fn a_contract_says_what_a_recursive_function_does() {
    let proof = Agreement::new(SUM).says(
        "sum",
        &[],
        &["(>= sum.result old.sum.n)", "(>= sum.result 0)"],
    );
    proof.accepted();
    // Less is not enough: for the target, or for itself.
    let weak = Agreement::new(SUM).says("sum", &[], &["(>= sum.result 0)"]);
    assert!(weak.fails().contains("target"), "{}", weak.fails());
    // And what is wrong is wrong, also if the target would follow from it.
    let wrong = Agreement::new(SUM).says("sum", &[], &["(> sum.result old.sum.n)"]);
    assert!(wrong.fails().contains("return"), "{}", wrong.fails());
    let never = Agreement::new(SUM).says("sum", &[], &["false"]);
    assert!(never.fails().contains("return"), "{}", never.fails());
}

#[test]
fn without_a_contract_nothing_is_known_of_a_call() {
    let proof = Agreement::new(SUM);
    assert!(proof.fails().contains("target"));
}

#[test]
fn what_is_required_is_asked_of_every_call() {
    let text = "int f(int n) { if (n < 0) __VERIFIER_error(); if (n == 0) return 0; return f(n - 1); }\n\
        int main() { int n = __VERIFIER_nondet_int(); if (n >= 0) f(n); }";
    Agreement::new(text)
        .says("f", &["(>= f.n 0)"], &[])
        .accepted();
    // Not for the call in main.
    let main = Agreement::new(text).says("f", &["(>= f.n 1)"], &[]).fails();
    assert!(main.contains("the call"), "{main}");
    // Not for the call in the function itself: 0 is below 1 again.
    let own = text.replace("n >= 0) f", "n >= 1) f");
    let own = Agreement::new(&own).says("f", &["(>= f.n 1)"], &[]).fails();
    assert!(own.contains("beginning of the function"), "{own}");
    // A function in which a target lies is not to be called without a contract.
    let none = Agreement::new(text).fails();
    assert!(none.contains("the call"), "{none}");
    // What requires the impossible is never called, which nobody can show here.
    let never = Agreement::new(text).says("f", &["false"], &[]).fails();
    assert!(never.contains("the call"), "{never}");
}

const GLOBALS: &str = "int depth, top; \n\
    void walk(int n) { if (n <= 0) return; depth = depth + 1; if (depth > top) top = depth; walk(n - 1); depth = depth - 1; }\n\
    int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 100) return 0;\n\
    walk(n); if (depth != 0 || top < 0) __VERIFIER_error(); }";

#[test]
fn globals_are_related_to_what_they_were() {
    let proof =
        || Agreement::new(GLOBALS).says("walk", &[], &["(= depth old.depth)", "(>= top old.top)"]);
    proof().accepted();
    // The same, said by what is modified.
    let modified = || Agreement::new(GLOBALS).says("walk", &[], &["(>= top old.top)"]);
    modified().modifies("walk", &["top"]).accepted();
    modified().modifies("walk", &["top", "depth"]).fails();
    // A wrong list is found out: the body changes it.
    let wrong = proof().modifies("walk", &["depth"]).fails();
    assert!(wrong.contains("return"), "{wrong}");
    let wrong = proof().modifies("walk", &[]).fails();
    assert!(wrong.contains("return"), "{wrong}");
}

#[test]
fn what_callees_set_is_not_forgotten_in_a_list() {
    let text = "int g; void a(int n); void b(int n) { g = g + 1; if (n > 0) a(n - 1); }\n\
        void a(int n) { if (n > 0) b(n - 1); }\n\
        int main() { a(__VERIFIER_nondet_int()); if (g != 0) __VERIFIER_error(); }";
    // Neither in the callee's nor in the caller's.
    for (first, second) in [("a", "b"), ("b", "a")] {
        let proof = Agreement::new(text)
            .says(first, &[], &[])
            .modifies(first, &[])
            .says(second, &[], &[]);
        proof.fails();
    }
    let both = Agreement::new(text).says("a", &[], &[]).says("b", &[], &[]);
    let both = both.modifies("a", &[]).modifies("b", &[]);
    assert!(both.fails().contains("return"));
}

#[test]
fn a_result_that_goes_to_a_global_is_not_what_the_function_left_there() {
    let text = "int g; int f(int n) { g = 5; if (n > 0) return f(n - 1); return 7; }\n\
        int main() { g = f(__VERIFIER_nondet_int()); if (g == 7) __VERIFIER_error(); }";
    let proof = Agreement::new(text).says("f", &[], &["(= g 5)", "(= f.result 7)"]);
    assert!(proof.fails().contains("target"));
    let safe = text.replace("g == 7", "g != 7");
    let proof = Agreement::new(&safe).says("f", &[], &["(= g 5)", "(= f.result 7)"]);
    proof.accepted();
}

#[test]
fn functions_that_call_each_other_have_their_contracts_together() {
    let text = "int odd(int n); int even(int n) { if (n == 0) return 1; return odd(n - 1); }\n\
        int odd(int n) { if (n == 0) return 0; return even(n - 1); }\n\
        int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0; \n\
        if (even(n) == n % 2) __VERIFIER_error(); }";
    let even = "(= even.result (- 1 (mod old.even.n 2)))";
    let odd = "(= odd.result (mod old.odd.n 2))";
    let proof = |even: &str, odd: &str| {
        Agreement::new(text)
            .says("even", &["(>= even.n 0)"], &[even])
            .says("odd", &["(>= odd.n 0)"], &[odd])
    };
    proof(even, odd).accepted();
    proof(even, "(= odd.result (- 1 (mod old.odd.n 2)))").fails();
    proof(even, "(<= odd.result 1)").fails();
    // One of them alone rests on nothing.
    Agreement::new(text)
        .says("even", &["(>= even.n 0)"], &[even])
        .fails();
}

#[test]
fn loops_in_bodies_have_invariants_over_entry_values() {
    let text = "int f(int n) { int i = 0, s = 0;\n while (i < n) { s = s + 1; i = i + 1; if (s > 50) s = s + f(0) ; }\n n = 0; return s; }\n\
        int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0;\n\
        if (f(n) < n) __VERIFIER_error(); }";
    let requires = ["(>= f.n 0)", "(<= f.n 1000)"];
    let proof = |formulas: &[&str]| {
        Agreement::new(text)
            .says(
                "f",
                &requires,
                &["(>= f.result old.f.n)", "(>= f.result 0)"],
            )
            .at_loop("f", formulas)
    };
    let all = ["(>= f.s f.i)", "(= f.n old.f.n)", "(<= 0 f.i)"];
    proof(&all).accepted();
    // The parameter is set in the body, so that it still is what it was has to be said.
    assert!(proof(&all[..1]).fails().contains("return"));
    proof(&["(>= f.s f.i)", "(= f.n old.f.n)", "(< f.i 5)"]).fails();
    proof(&["(>= f.s f.i)", "(= f.n (+ 1 old.f.n))"]).fails();
}

#[test]
fn locals_of_callers_keep_their_values() {
    let text = "int f(int n) { int x = n; if (n > 0) f(n - 1); if (x != n) __VERIFIER_error(); return x; }\n\
        int main() { int y = __VERIFIER_nondet_int(); int x = y; f(y); if (x != y) __VERIFIER_error(); }";
    Agreement::new(text).says("f", &[], &[]).accepted();
    let own = "int f(int n) { int x = n; if (n > 0) x = f(n - 1); if (x != n) __VERIFIER_error(); return x; }\n\
        int main() { f(__VERIFIER_nondet_int()); }";
    Agreement::new(own)
        .says("f", &[], &["(= f.result old.f.n)"])
        .fails();
}

#[test]
fn a_call_that_does_not_return_says_nothing_of_other_ways() {
    // What never returns may ensure anything: behind its call nothing happens, and everywhere else it is no excuse.
    let text = "int f(int n) { return f(n); }\n\
        int main() { if (__VERIFIER_nondet_int()) { f(1); __VERIFIER_error(); } }";
    Agreement::new(text).says("f", &[], &["false"]).accepted();
    let other = "int f(int n) { return f(n); }\n\
        int main() { int x = 0; if (__VERIFIER_nondet_int()) { x = f(1); } if (x == 0) __VERIFIER_error(); }";
    Agreement::new(other).says("f", &[], &["false"]).fails();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let ensures = ["(>= sum.result old.sum.n)"];
    // Locals are nobody's business outside; a parameter has no value when the function is left.
    let proof = Agreement::new(SUM).says("sum", &[], &["(>= sum.n 0)"]);
    assert!(matches!(proof.invalid(), Invalid::FreeSymbol(_)));
    let proof = Agreement::new(SUM).says("sum", &["(>= sum.rest 0)"], &[]);
    assert!(matches!(proof.invalid(), Invalid::FreeSymbol(_)));
    let proof = Agreement::new(SUM).says("sum", &["(>= main.n 0)"], &[]);
    assert!(matches!(proof.invalid(), Invalid::FreeSymbol(_)));
    let proof = Agreement::new(SUM).says("sum", &["(>= old.sum.n 0)"], &[]);
    assert!(matches!(proof.invalid(), Invalid::FreeSymbol(_)));
    let proof = Agreement::new(SUM).says("sum", &["(>= sum.result 0)"], &[]);
    assert!(matches!(proof.invalid(), Invalid::FreeSymbol(_)));
    // The start is not called; a function that is inlined is not, either.
    let mut proof = Agreement::new(SUM).says("sum", &[], &ensures);
    let start = proof.program.start;
    proof.contracts.functions.insert(start, Contract::default());
    assert!(matches!(proof.invalid(), Invalid::UnknownFunction(_)));
    let proof = Agreement::new(SUM).says("main", &[], &[]);
    assert!(matches!(proof.invalid(), Invalid::UnknownFunction(_)));
    // What holds at the entry of a function is what it requires, and nothing else.
    let mut proof = Agreement::new(SUM).says("sum", &[], &ensures);
    let function = proof.function("sum");
    let location = proof.program.functions[function].cfa.entry;
    let at = |location: LocId| Point {
        calls: Box::new([]),
        location: LocRef { function, location },
    };
    let unfounded = |proof: &Agreement| vec![Formula::plain(proof.term("(= sum.n 3)"))];
    let formulas = unfounded(&proof);
    (proof.contracts.invariants.at).insert(at(location), formulas);
    assert!(matches!(proof.invalid(), Invalid::UnknownPoint(_)));
    // Formulas in a function that is not checked are not believed.
    let mut proof = Agreement::new(SUM);
    let other = LocId::from_raw(1);
    let formulas = unfounded(&proof);
    (proof.contracts.invariants.at).insert(at(other), formulas);
    assert!(matches!(proof.invalid(), Invalid::UnknownPoint(_)));
    // Elements of objects are followed in the start function alone.
    let mut proof = Agreement::new(SUM).says("sum", &[], &ensures);
    proof.proof.ghosts.indices.push(Vec::new());
    assert!(matches!(proof.invalid(), Invalid::GhostsInContracts));
    // One symbol, one meaning.
    let mut proof = Agreement::new(SUM).says("sum", &[], &ensures);
    let symbol = proof.names["sum.n"];
    let variable = proof.proof.variables[&symbol].clone();
    proof.contracts.entry = BTreeMap::from([(symbol, variable)]);
    let budget = Budget::time(Duration::from_secs(20));
    let whole = Proof {
        argument: Argument::Contracts(proof.contracts.clone()),
        ..proof.proof.clone()
    };
    let checked = check(&proof.program, &whole, &budget);
    assert!(matches!(
        checked,
        Err(Rejected::Invalid(Invalid::TwoSymbols(_)))
    ));
}

#[test]
fn calls_through_pointers_and_with_other_arguments_are_not_contracted() {
    let text = "int f(int n) { if (n > 0) return f(n - 1); return 7; }\n int (*p)(int);\n\
        int main() { p = f; if (__VERIFIER_nondet_int()) p = 0; if (p(3) != 7) __VERIFIER_error(); }";
    let proof = Agreement::new(text).says("f", &[], &["(= f.result 7)"]);
    assert!(proof.fails().contains("target"));
}

/// Every formula of contracts, changed a little: what is still accepted is still true.
#[test]
fn mutated_contracts_are_rejected() {
    let ensures = [
        "(= odd.result (mod old.odd.n 2))",
        "(= even.result (- 1 (mod old.even.n 2)))",
    ];
    let text = "int odd(int n); int even(int n) { if (n == 0) return 1; return odd(n - 1); }\n\
        int odd(int n) { if (n == 0) return 0; return even(n - 1); }\n\
        int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0; \n\
        if (odd(n) != n % 2) __VERIFIER_error(); if (even(n) == n % 2) __VERIFIER_error(); }";
    let mutants: FxHashMap<&str, Vec<&str>> = FxHashMap::from_iter([
        (
            ensures[0],
            vec![
                "(= odd.result (mod (+ 1 old.odd.n) 2))",
                "(= odd.result (mod old.odd.n 3))",
                "(= odd.result 1)",
                "(> odd.result (mod old.odd.n 2))",
                "(>= odd.result 0)",
            ],
        ),
        (
            ensures[1],
            vec![
                "(= even.result (mod old.even.n 2))",
                "(= even.result (- 2 (mod old.even.n 2)))",
                "(< even.result (- 1 (mod old.even.n 2)))",
                "(<= even.result (- 1 (mod old.even.n 2)))",
                "true",
            ],
        ),
    ]);
    let proof = |odd: &str, even: &str| {
        Agreement::new(text)
            .says("odd", &["(>= odd.n 0)"], &[odd])
            .says("even", &["(>= even.n 0)"], &[even])
    };
    proof(ensures[0], ensures[1]).accepted();
    for mutant in &mutants[ensures[0]] {
        proof(mutant, ensures[1]).fails();
    }
    for mutant in &mutants[ensures[1]] {
        proof(ensures[0], mutant).fails();
    }
}
