//! Programs of a size at which anything recursive on the graph, or quadratic in it, would show.

use rhumb_program::graph::CallGraph;
use rhumb_program::passes::{Goals, constants, contract, dead, inline, prune};
use rhumb_program::*;

use crate::generate::add_var;
use crate::sketch::{INT, Sketch};

/// How large.
const SIZE: usize = 20_000;

/// Applies every pass and says how many edges are left.
fn all_passes(program: &Program) -> usize {
    let goals = Goals::all_targets(program);
    let passed = inline::run(program, 1_000_000)
        .passed
        .then(constants::run)
        .then(|program| prune::run(program, &goals))
        .then(dead::run)
        .then(contract::run);
    let program = &passed.program;
    program
        .validate()
        .unwrap_or_else(|invalid| panic!("{invalid}"));
    let edges = program.functions.iter().map(|f| f.cfa.edges.len()).sum();
    assert!(program.to_text().len() > 10 * edges);
    edges
}

/// One loop around many steps, each with a check that leads to a common location.
#[test]
fn a_long_body_with_one_common_sink() {
    let mut sketch = Sketch::new(&[("main", 0, false)]);
    let vars: Vec<VarId> = (0..100)
        .map(|index| {
            add_var(
                &mut sketch.program,
                &format!("g{index}"),
                INT,
                Scope::Global,
            )
        })
        .collect();
    sketch.body("main", |body| {
        let head = body.cfa.add_location(LocKind::Plain);
        body.goto(head);
        body.at = head;
        let ub = body.cfa.add_location(LocKind::Ub(UbKind::SignedOverflow));
        for step in 0..SIZE {
            let (from, to) = (vars[step % vars.len()], vars[(step * 7 + 1) % vars.len()]);
            if step % 10 == 0 {
                body.input(from);
            }
            let (lhs, rhs) = (body.var(from), body.var(to));
            let overflow = body.program.exprs.overflows(ArithOp::Add, lhs, rhs);
            let fine = body.cfa.add_location(LocKind::Plain);
            body.assume(overflow, ub, fine);
            body.at = fine;
            let sum = body.binary(BinOp::Add, lhs, rhs);
            body.assign(to, sum);
            // A diamond with an assignment on one side.
            let zero = body.int(0);
            let cond = body.binary(BinOp::Lt, lhs, zero);
            let no = body.branch(cond);
            body.assign(from, zero);
            body.goto(no);
            body.at = no;
        }
        let value = body.var(vars[0]);
        let five = body.int(5);
        let cond = body.binary(BinOp::Eq, value, five);
        body.fails_if(cond);
        body.goto(head);
    });
    let program = sketch.finish();
    assert!(all_passes(&program) > SIZE);
}

/// A chain of calls, as deep as there are functions.
#[test]
fn a_deep_chain_of_calls() {
    let names: Vec<String> = (0..SIZE / 10).map(|index| format!("f{index}")).collect();
    let functions: Vec<(&str, usize, bool)> = names
        .iter()
        .enumerate()
        .map(|(index, name)| (name.as_str(), usize::from(index > 0), index > 0))
        .collect();
    let mut sketch = Sketch::new(&functions);
    for (index, name) in names.iter().enumerate() {
        sketch.body(name, |body| {
            let x = body.local("x");
            body.input(x);
            let value = body.var(x);
            if let Some(next) = names.get(index + 1) {
                body.call(next, Some(x), &[value]);
            }
            let zero = body.int(0);
            let cond = body.binary(BinOp::Lt, value, zero);
            let no = body.branch(cond);
            let target = body.target();
            body.goto(target);
            body.at = no;
            if index == 0 {
                body.exits();
            } else {
                body.returns(Some(value));
            }
        });
    }
    let program = sketch.finish();
    assert!(!CallGraph::of(&program).is_recursive(program.start));
    assert!(all_passes(&program) > names.len());
}

/// Loops nested as deep as there are locations.
#[test]
fn a_deep_nest_of_loops() {
    let mut sketch = Sketch::new(&[("main", 0, false)]);
    let depth = SIZE / 10;
    sketch.body("main", |body| {
        let x = body.local("x");
        body.input(x);
        let mut heads = Vec::new();
        for _ in 0..depth {
            let head = body.cfa.add_location(LocKind::Plain);
            body.goto(head);
            body.at = head;
            heads.push(head);
        }
        while let Some(head) = heads.pop() {
            let (value, zero) = (body.var(x), body.int(0));
            let cond = body.binary(BinOp::Lt, value, zero);
            let out = body.cfa.add_location(LocKind::Plain);
            body.assume(cond, head, out);
            body.at = out;
            body.input(x);
        }
        let target = body.target();
        body.goto(target);
    });
    let program = sketch.finish();
    assert_eq!(program.functions[0].cfa.loops().heads().len(), depth);
    assert!(all_passes(&program) > depth);
}
