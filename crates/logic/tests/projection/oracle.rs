//! Two independent answers to "which values go with some value of what goes?": enumeration, and the solver's quantifiers.

use std::fmt::Write;
use std::sync::Arc;

use rhumb_logic::eval::Evaluator;
use rhumb_logic::{Linear, Node, Sort, Symbol, Term, Terms};

/// All vectors with entries between two numbers.
pub(crate) fn vectors(length: usize, low: i128, high: i128) -> Vec<Vec<i128>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .into_iter()
            .flat_map(|vector| {
                (low..=high).map(move |entry| {
                    let mut longer = vector.clone();
                    longer.push(entry);
                    longer
                })
            })
            .collect();
    }
    all
}

/// For each vector of values of what stays: whether some values of what goes, integers between two numbers, make the formula true.
pub(crate) fn enumerate(
    terms: &Arc<Terms>,
    formula: Term,
    kept: &[Symbol],
    gone: &[Symbol],
    flag: Symbol,
    points: &[Vec<i128>],
    (low, high): (i128, i128),
) -> Vec<bool> {
    let inputs: Vec<Symbol> = kept.iter().chain(gone).copied().chain([flag]).collect();
    let evaluator = Evaluator::new(terms, &inputs, &[formula]);
    let mut frame = evaluator.frame();
    let unknowns: Vec<Vec<i128>> = vectors(gone.len(), low, high)
        .into_iter()
        .flat_map(|vector| {
            [0, 1].map(|flag| {
                let mut longer = vector.clone();
                longer.push(flag);
                longer
            })
        })
        .collect();
    points
        .iter()
        .map(|point| {
            unknowns.iter().any(|unknown| {
                let values: Vec<i128> = point.iter().chain(unknown).copied().collect();
                evaluator.holds(&mut frame, &values) == Some(true)
            })
        })
        .collect()
}

/// Whether a formula holds at each point.
pub(crate) fn at_points(
    terms: &Arc<Terms>,
    formula: Term,
    kept: &[Symbol],
    points: &[Vec<i128>],
) -> Vec<bool> {
    let evaluator = Evaluator::new(terms, kept, &[formula]);
    let mut frame = evaluator.frame();
    points
        .iter()
        .map(|point| evaluator.holds(&mut frame, point) == Some(true))
        .collect()
}

/// Whether `∃ gone. formula` and `projection` are equivalent; nothing if the solver doesn't know in time.
pub(crate) fn equivalent(
    terms: &Terms,
    formula: Term,
    gone: &[Symbol],
    projection: Term,
) -> Option<bool> {
    let mut text = String::new();
    let all = terms.symbols([formula, projection]);
    for &symbol in all.iter().filter(|symbol| !gone.contains(symbol)) {
        let _ = writeln!(
            text,
            "(declare-const {} {})",
            name(symbol),
            sort(terms, symbol)
        );
    }
    let mut bound = String::new();
    for &symbol in gone {
        let _ = write!(bound, "({} {})", name(symbol), sort(terms, symbol));
    }
    let _ = writeln!(
        text,
        "(assert (not (= (exists ({bound}) {}) {})))",
        smtlib(terms, formula),
        smtlib(terms, projection)
    );
    let solver = z3::Solver::new();
    let mut params = z3::Params::new();
    params.set_u32("rlimit", 1_000_000);
    solver.set_params(&params);
    solver.from_string(text);
    match solver.check() {
        z3::SatResult::Unsat => Some(true),
        z3::SatResult::Sat => Some(false),
        z3::SatResult::Unknown => None,
    }
}

fn name(symbol: Symbol) -> String {
    format!("{symbol:?}").replace(['(', ')'], "_")
}

fn sort(terms: &Terms, symbol: Symbol) -> &'static str {
    match terms.symbol_info(symbol).sort {
        Sort::Bool => "Bool",
        _ => "Int",
    }
}

fn sum(terms: &Terms, sum: &Linear) -> String {
    let mut text = format!("(+ {}", number(&sum.constant.to_string()));
    for (part, coefficient) in &sum.parts {
        let coefficient = number(&coefficient.to_string());
        let _ = write!(text, " (* {coefficient} {})", smtlib(terms, *part));
    }
    text.push(')');
    text
}

fn number(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(rest) => format!("(- {rest})"),
        None => text.to_owned(),
    }
}

/// A term of linear arithmetic in SMT-LIB.
fn smtlib(terms: &Terms, term: Term) -> String {
    let of = |term: &Term| smtlib(terms, *term);
    let all = |args: &[Term]| args.iter().map(of).collect::<Vec<_>>().join(" ");
    match terms.node(term) {
        Node::Bool(value) => value.to_string(),
        Node::Int(value) => number(&value.to_string()),
        Node::Symbol(symbol) => name(*symbol),
        Node::Not(a) => format!("(not {})", of(a)),
        Node::And(args) => format!("(and {})", all(args)),
        Node::Or(args) => format!("(or {})", all(args)),
        Node::Iff(a, b) => format!("(= {} {})", of(a), of(b)),
        Node::Ite(c, a, b) => format!("(ite {} {} {})", of(c), of(a), of(b)),
        Node::Sum(parts) => sum(terms, parts),
        Node::Div(a, by) => format!("(div {} {by})", of(a)),
        Node::Mod(a, by) => format!("(mod {} {by})", of(a)),
        Node::AtMostZero(parts) => format!("(<= {} 0)", sum(terms, parts)),
        Node::Zero(parts) => format!("(= {} 0)", sum(terms, parts)),
        Node::Divides(by, parts) => format!("(= (mod {} {by}) 0)", sum(terms, parts)),
        other => panic!("no linear arithmetic: {other:?}"),
    }
}
