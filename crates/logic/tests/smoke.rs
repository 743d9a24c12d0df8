//! The solver is linked, it is the one we think it is, and it answers.

use z3::ast::Int;
use z3::{SatResult, Solver};

/// Major, minor and patch of a version text; further numbers are dropped.
fn numbers(version: &str) -> Vec<u32> {
    let dotted = version.split_whitespace().next().unwrap_or_default();
    dotted
        .split('.')
        .take(3)
        .map(|number| {
            number
                .parse()
                .expect("versions are numbers separated by dots")
        })
        .collect()
}

#[test]
fn the_loaded_library_is_the_one_that_the_build_chose() {
    let loaded = rhumb_logic::z3_version();
    println!("Z3 {loaded}");
    assert_eq!(numbers(loaded), numbers(env!("RHUMB_Z3_VERSION")));
    assert!(
        numbers(loaded) >= vec![5, 3, 2],
        "the bindings need Z3 5.3.2, this is {loaded}"
    );
}

#[test]
fn a_satisfiable_formula_has_a_model() {
    let (x, y) = (Int::new_const("x"), Int::new_const("y"));
    let solver = Solver::new();
    solver.assert((&x * 3 + &y * 5).eq(1));
    solver.assert(x.gt(100));
    assert_eq!(solver.check(), SatResult::Sat);

    let model = solver
        .get_model()
        .expect("a satisfiable formula has a model");
    let value = |variable: &Int| -> i64 {
        let value = model
            .eval(variable, true)
            .expect("every variable has a value");
        value.as_i64().expect("these values are small")
    };
    assert_eq!(3 * value(&x) + 5 * value(&y), 1);
    assert!(value(&x) > 100);
}

#[test]
fn an_unsatisfiable_formula_has_none() {
    let (x, y) = (Int::new_const("x"), Int::new_const("y"));
    let solver = Solver::new();
    solver.assert((&x * 4 - &y * 6).eq(1));
    assert_eq!(solver.check(), SatResult::Unsat);
}

/// `z3-sys` is told a version in `.cargo/config.toml` and offers what that version has.
#[test]
fn the_bindings_expect_no_more_than_the_library_has() {
    if let Some(expected) = option_env!("Z3_SYS_Z3_VERSION") {
        assert!(numbers(expected) <= numbers(rhumb_logic::z3_version()));
    }
}

/// Kinds of declarations are numbers that differ between releases: this is what goes wrong when bindings and library do
/// not fit.
#[test]
fn the_bindings_fit_the_library() {
    use z3::DeclKind;
    use z3::ast::Ast;

    let (x, y) = (Int::new_const("x"), Int::new_const("y"));
    assert_eq!(x.decl().kind(), DeclKind::Uninterpreted);
    assert_eq!((&x + &y).decl().kind(), DeclKind::Add);
    assert_eq!(x.le(&y).decl().kind(), DeclKind::Le);
    assert_eq!(x.modulo(&y).decl().kind(), DeclKind::Mod);
}
