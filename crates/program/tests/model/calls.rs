//! Calls: which are inlined, which stay, and what those that stay can do.

use rhumb_program::graph::CallEffects;
use rhumb_program::passes::inline::Obstacle;
use rhumb_program::passes::{constants, inline};
use rhumb_program::*;

use crate::effects::{count, is_call, valid};
use crate::generate::add_var;
use crate::sketch::Sketch;

#[test]
fn inlining_leaves_what_it_must() {
    let mut sketch = Sketch::new(&[
        ("start", 0, false),
        ("main", 0, false),
        ("recursive", 0, false),
        ("allocates", 0, false),
        ("plain", 0, false),
        ("pointed", 0, false),
    ]);
    let pointer = add_var(&mut sketch.program, "pointer", Type::Ptr, Scope::Global);
    let local = Scope::Local(FuncId::from_raw(3));
    let stack = add_var(&mut sketch.program, "stack", Type::Ptr, local);
    sketch.starts_with_main();
    sketch.body("main", |body| {
        body.call("recursive", None, &[]);
        body.call("allocates", None, &[]);
        body.call("plain", None, &[]);
        let value = body.program.exprs.func_addr(FuncId::from_raw(5));
        body.assign(pointer, value);
        let callee = Callee::Pointer(body.var(pointer));
        body.step(Action::Call {
            dst: None,
            callee,
            args: [].into(),
        });
        body.returns(None);
    });
    sketch.body("recursive", |body| {
        body.call("plain", None, &[]);
        body.call("recursive", None, &[]);
        body.returns(None);
    });
    sketch.body("allocates", |body| {
        let size = body.program.exprs.int(IntType::unsigned(64), 8);
        // Nobody knows the first one any more when it returns.
        for _ in 0..2 {
            body.step(Action::Alloc {
                dst: stack,
                size,
                kind: AllocKind::Stack,
            });
        }
        body.returns(None);
    });
    for name in ["plain", "pointed"] {
        sketch.body(name, |body| {
            body.step(Action::Skip);
            body.returns(None);
        });
    }
    let program = sketch.finish();
    let obstacles = |max_edges: usize| -> Vec<Obstacle> {
        let inlined = inline::run(&program, max_edges);
        let result = valid(&inlined.passed);
        for left in &inlined.left {
            let edge = &result.functions[left.edge.function].cfa.edges[left.edge.edge];
            assert!(is_call(&edge.action));
        }
        assert_eq!(count(result, is_call), inlined.left.len());
        inlined.left.iter().map(|left| left.obstacle).collect()
    };
    assert_eq!(
        obstacles(1_000),
        [
            Obstacle::Recursion,
            Obstacle::StackAllocation,
            Obstacle::Pointer,
            Obstacle::Recursion
        ]
    );
    // "plain" is called twice; without a budget both calls stay.
    let tight = obstacles(0);
    assert_eq!(tight.iter().filter(|&&o| o == Obstacle::Budget).count(), 2);

    // Once the pointer is known to be a function, its call is inlined like any other.
    let passed = constants::run(&program);
    let inlined = inline::run(valid(&passed), 1_000);
    assert!(
        inlined
            .left
            .iter()
            .all(|left| left.obstacle != Obstacle::Pointer)
    );
    valid(&inlined.passed);
}

/// What a function allocates on its stack ends where the copy of its body ends, if a variable holds it then.
#[test]
fn objects_on_the_stack_end_with_the_copy() {
    let mut sketch = Sketch::new(&[("start", 0, false), ("main", 0, false), ("f", 0, false)]);
    let local = Scope::Local(FuncId::from_raw(2));
    let stack = add_var(&mut sketch.program, "stack", Type::Ptr, local);
    sketch.starts_with_main();
    sketch.body("main", |body| {
        body.call("f", None, &[]);
        body.call("f", None, &[]);
        body.returns(None);
    });
    sketch.body("f", |body| {
        let size = body.program.exprs.int(IntType::unsigned(64), 8);
        let kind = AllocKind::Stack;
        let dst = stack;
        body.step(Action::Alloc { dst, size, kind });
        body.returns(None);
    });
    let inlined = inline::run(&sketch.finish(), 1_000);
    assert!(inlined.left.is_empty());
    let result = valid(&inlined.passed);
    let is_free = |action: &Action| matches!(action, Action::Free { .. });
    assert_eq!(count(result, is_free), 2);
}

/// What the start calls is the program itself: neither recursion nor objects on its stack keep its body away from
/// whoever looks at the start only.
#[test]
fn what_the_start_calls_is_inlined() {
    let mut sketch = Sketch::new(&[("start", 0, false), ("main", 0, false)]);
    let local = Scope::Local(FuncId::from_raw(1));
    let stack = add_var(&mut sketch.program, "stack", Type::Ptr, local);
    sketch.starts_with_main();
    sketch.body("main", |body| {
        let size = body.program.exprs.int(IntType::unsigned(64), 8);
        body.step(Action::Alloc {
            dst: stack,
            size,
            kind: AllocKind::Stack,
        });
        body.call("main", None, &[]);
        body.returns(None);
    });
    let program = sketch.finish();
    let inlined = inline::run(&program, 1_000);
    let result = valid(&inlined.passed);
    let start = &result.functions[result.start].cfa;
    let allocates = |edge: &rhumb_program::Edge| matches!(edge.action, Action::Alloc { .. });
    assert!(start.edges.iter().any(allocates));
    // The call inside of the copy is one of the original.
    let calls = start.edges.iter().filter(|edge| is_call(&edge.action));
    assert_eq!(calls.count(), 1);
    assert_eq!(inlined.left.len(), 2, "{:?}", inlined.left);

    // A body that moves costs nothing, however tight the budget.
    let mut sketch = Sketch::new(&[("start", 0, false), ("main", 0, false)]);
    sketch.starts_with_main();
    sketch.body("main", |body| {
        for _ in 0..50 {
            body.step(Action::Skip);
        }
        body.returns(None);
    });
    assert!(inline::run(&sketch.finish(), 0).left.is_empty());
}

/// Which globals a call can set: those that any body sets which it may run.
#[test]
fn calls_have_the_effects_of_all_that_they_run() {
    let mut sketch = Sketch::new(&[
        ("start", 0, false),
        ("outer", 0, false),
        ("inner", 0, false),
        ("pointed", 0, false),
        ("other", 0, false),
    ]);
    let int = Type::Int(IntType::signed(32));
    let names = ["a", "b", "c", "d", "pointer"];
    let vars = names.map(|name| {
        let ty = if name == "pointer" { Type::Ptr } else { int };
        add_var(&mut sketch.program, name, ty, Scope::Global)
    });
    let [a, b, c, d, pointer] = vars;
    sketch.body("start", |body| {
        body.call("outer", None, &[]);
        let value = body.program.exprs.func_addr(FuncId::from_raw(3));
        body.assign(pointer, value);
        let callee = Callee::Pointer(body.var(pointer));
        body.step(Action::Call {
            dst: None,
            callee,
            args: [].into(),
        });
        body.exits();
    });
    for (name, var, next) in [
        ("outer", a, Some("inner")),
        ("inner", b, Some("outer")),
        ("pointed", c, None),
        ("other", d, None),
    ] {
        sketch.body(name, |body| {
            let one = body.program.exprs.int(IntType::signed(32), 1);
            body.assign(var, one);
            if let Some(next) = next {
                body.call(next, None, &[]);
            }
            body.returns(None);
        });
    }
    let program = sketch.finish();
    let effects = CallEffects::of(&program, program.start);
    let edges = &program.functions[program.start].cfa.edges;
    let sets: Vec<&[VarId]> = edges
        .iter()
        .map(|edge| effects.set_by(&program, &edge.action))
        .filter(|set| !set.is_empty())
        .collect();
    assert_eq!(sets, [&[a, b][..], &[c][..]]);
    let only = effects.on(|var| var == b);
    let sets = edges.iter().map(|edge| only.set_by(&program, &edge.action));
    assert_eq!(sets.flatten().copied().collect::<Vec<_>>(), [b]);
}

#[test]
fn a_doubling_chain_of_calls_stops_at_the_budget() {
    let names: Vec<String> = (0..40).map(|index| format!("f{index}")).collect();
    let functions: Vec<(&str, usize, bool)> =
        names.iter().map(|name| (name.as_str(), 0, false)).collect();
    let mut sketch = Sketch::new(&functions);
    for (index, name) in names.iter().enumerate() {
        sketch.body(name, |body| {
            if let Some(next) = names.get(index + 1) {
                body.call(next, None, &[]);
                body.call(next, None, &[]);
            }
            if index == 0 {
                body.exits();
            } else {
                body.returns(None);
            }
        });
    }
    let program = sketch.finish();
    let inlined = inline::run(&program, 5_000);
    let edges = count(valid(&inlined.passed), |_| true);
    assert!((2_500..=5_000).contains(&edges), "{edges}");
    assert!(
        inlined
            .left
            .iter()
            .all(|left| left.obstacle == Obstacle::Budget)
    );
}
