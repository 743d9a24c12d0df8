//! What each pass is there for, on programs by hand, and how much they do on random ones.

use rhumb_program::graph::CallGraph;
use rhumb_program::passes::inline::Obstacle;
use rhumb_program::passes::{
    EdgeRef, Goals, LocRef, Passed, Role, constants, contract, dead, inline, prune,
};
use rhumb_program::*;

use crate::generate::{self, add_object, add_var};
use crate::properties::numbers;
use crate::sketch::{INT, Sketch};

pub(crate) fn valid(passed: &Passed) -> &Program {
    passed
        .program
        .validate()
        .unwrap_or_else(|invalid| panic!("{invalid}"));
    &passed.program
}

fn actions(program: &Program, function: usize) -> Vec<&Action> {
    let edges = &program.functions[function].cfa.edges;
    edges.iter().map(|edge| &edge.action).collect()
}

pub(crate) fn count(program: &Program, mut which: impl FnMut(&Action) -> bool) -> usize {
    let edges = program.functions.iter().flat_map(|f| &f.cfa.edges);
    edges.filter(|edge| which(&edge.action)).count()
}

fn kinds(program: &Program, function: usize) -> Vec<LocKind> {
    let locations = &program.functions[function].cfa.locations;
    locations.iter().map(|location| location.kind).collect()
}

pub(crate) fn is_call(action: &Action) -> bool {
    matches!(action, Action::Call { .. })
}

/// main calls twice a function that calls another, which has a target and an object.
fn two_levels() -> Program {
    let mut sketch = Sketch::new(&[("main", 0, false), ("middle", 1, true), ("leaf", 2, true)]);
    sketch.body("main", |body| {
        let x = body.local("x");
        let one = body.int(1);
        body.call("middle", Some(x), &[one]);
        let value = body.var(x);
        body.call("middle", Some(x), &[value]);
        body.exits();
    });
    sketch.body("middle", |body| {
        let y = body.local("y");
        let p = body.program.functions[body.id].params[0];
        let (p, two) = (body.var(p), body.int(2));
        body.call("leaf", Some(y), &[p, two]);
        let value = body.var(y);
        body.returns(Some(value));
    });
    let leaf = FuncId::from_raw(2);
    let object = add_object(&mut sketch.program, "o", Scope::Local(leaf));
    sketch.body("leaf", |body| {
        body.step(Action::Enter(object));
        let [a, b] = body.program.functions[body.id].params[..] else {
            unreachable!()
        };
        let (a, b) = (body.var(a), body.var(b));
        let cond = body.binary(BinOp::Lt, a, b);
        let no = body.branch(cond);
        body.returns(Some(a));
        body.at = no;
        let target = body.target();
        body.goto(target);
    });
    sketch.finish()
}

#[test]
fn inlining_copies_each_context() {
    let program = two_levels();
    let inlined = inline::run(&program, 1_000);
    let result = valid(&inlined.passed);
    assert_eq!(inlined.left, []);
    assert_eq!(count(result, is_call), 0);
    assert!(result.functions[1].cfa.edges.is_empty() && result.functions[2].cfa.edges.is_empty());

    let restore = &inlined.passed.restore;
    let targets: Vec<LocRef> = result.functions[0]
        .cfa
        .locations
        .iter_enumerated()
        .filter(|(_, location)| matches!(location.kind, LocKind::Target(_)))
        .map(|(location, _)| LocRef {
            function: result.start,
            location,
        })
        .collect();
    assert_eq!(targets.len(), 2);
    assert_eq!(result.targets[0].location, targets[0].location);
    let contexts: Vec<Vec<EdgeRef>> = targets
        .iter()
        .map(|&target| {
            let origin = restore.location(target).expect("a copy");
            assert_eq!(origin.item.function, FuncId::from_raw(2));
            assert_eq!(origin.item.location, program.targets[0].location);
            restore.contexts().calls(origin.context)
        })
        .collect();
    assert_ne!(contexts[0], contexts[1]);
    assert!(contexts.iter().all(|calls| calls.len() == 2
        && calls[0].function == program.start
        && calls[1].function == FuncId::from_raw(1)));

    // Two copies of each local, and the object ends before the call goes on.
    let origins: Vec<VarId> = result
        .vars
        .indices()
        .filter_map(|var| restore.var(var).item.variable())
        .collect();
    let y = program
        .vars
        .position(|var| &*var.decl.name == "y")
        .expect("y");
    assert_eq!(origins.iter().filter(|&&var| var == y).count(), 3);
    assert_eq!(
        count(result, |action| matches!(action, Action::Leave(_))),
        2
    );
    let silent = result.functions[0].cfa.edges.indices().filter(|&edge| {
        let function = result.start;
        restore.edge(EdgeRef { function, edge }).role == Role::Silent
    });
    assert_eq!(silent.count(), 4, "second parameter and object, twice");
}

#[test]
fn pruning_keeps_what_has_to_return() {
    let mut sketch = Sketch::new(&[
        ("main", 0, false),
        ("returns", 0, true),
        ("fails", 0, false),
        ("useless", 0, false),
        ("unused", 0, false),
    ]);
    let mut done = LocId::from_raw(0);
    sketch.body("main", |body| {
        let x = body.local("x");
        body.call("returns", Some(x), &[]);
        let (value, zero) = (body.var(x), body.int(0));
        let cond = body.binary(BinOp::Eq, value, zero);
        let no = body.branch(cond);
        body.call("fails", None, &[]);
        body.call("useless", None, &[]);
        body.exits();
        body.at = no;
        done = no;
        body.call("useless", None, &[]);
        body.exits();
    });
    sketch.body("returns", |body| {
        let x = body.local("x");
        body.input(x);
        let (value, zero) = (body.var(x), body.int(0));
        let cond = body.binary(BinOp::Lt, value, zero);
        let no = body.branch(cond);
        let abort = body.cfa.add_location(LocKind::End(EndKind::Abort));
        body.goto(abort);
        body.at = no;
        body.returns(Some(value));
    });
    sketch.body("fails", |body| {
        let target = body.target();
        body.goto(target);
    });
    for name in ["useless", "unused"] {
        sketch.body(name, |body| body.returns(None));
    }
    let program = sketch.finish();
    let passed = prune::run(&program, &Goals::all_targets(&program));
    let result = valid(&passed);
    // main: call, branch, call of fails, which ends in the sink like the other side of the branch.
    assert_eq!(actions(result, 0).len(), 4);
    let main = &result.functions[0].cfa;
    let pruned: Vec<EdgeId> = main
        .edges
        .iter_enumerated()
        .filter(|(_, edge)| main.locations[edge.target].kind == LocKind::Pruned)
        .map(|(id, _)| id)
        .collect();
    assert_eq!(pruned.len(), 2);
    assert!(kinds(result, 1).contains(&LocKind::Exit));
    assert_eq!(actions(result, 1).len(), 4, "input, branch, return");
    assert!(!kinds(result, 1).contains(&LocKind::End(EndKind::Abort)));
    assert_eq!(actions(result, 3).len() + actions(result, 4).len(), 0);

    // Without any goal nothing is left but a start that is cut off.
    let nothing = prune::run(&program, &Goals::default());
    assert_eq!(count(valid(&nothing), |_| true), 0);
    assert_eq!(kinds(&nothing.program, 0)[0], LocKind::Pruned);
}

#[test]
fn pruning_keeps_what_is_unsupported_and_asked_for() {
    let mut sketch = Sketch::new(&[("main", 0, false)]);
    sketch.program.unsupported.push(Unsupported {
        what: "asm".into(),
        span: Span::default(),
    });
    let mut targets = Vec::new();
    sketch.body("main", |body| {
        for kind in [
            Some(LocKind::Unsupported(UnsupportedId::from_raw(0))),
            Some(LocKind::Ub(UbKind::BadShift)),
            None,
            None,
        ] {
            let x = body.local("x");
            body.input(x);
            let (value, zero) = (body.var(x), body.int(0));
            let cond = body.binary(BinOp::Eq, value, zero);
            let end = match kind {
                Some(kind) => body.cfa.add_location(kind),
                None => body.target(),
            };
            targets.push(end);
            let go_on = body.cfa.add_location(LocKind::Plain);
            body.assume(cond, end, go_on);
            body.at = go_on;
        }
        body.exits();
    });
    let program = sketch.finish();
    let kept = |goals: Goals| -> Vec<LocKind> {
        let passed = prune::run(&program, &goals);
        let mut kept = kinds(valid(&passed), 0);
        kept.retain(|kind| !matches!(kind, LocKind::Plain | LocKind::Exit | LocKind::Pruned));
        kept
    };
    let unsupported = LocKind::Unsupported(UnsupportedId::from_raw(0));
    let target = |raw: u32| LocKind::Target(TargetId::from_raw(raw));
    assert_eq!(kept(Goals::default()), [unsupported]);
    let second = Goals {
        targets: vec![TargetId::from_raw(1)],
        undefined: Vec::new(),
    };
    assert_eq!(kept(second), [unsupported, target(1)]);
    let shifts = Goals {
        targets: vec![TargetId::from_raw(0)],
        undefined: vec![UbKind::BadShift],
    };
    assert_eq!(
        kept(shifts),
        [unsupported, LocKind::Ub(UbKind::BadShift), target(0)]
    );
}

#[test]
fn constants_go_round_loops_and_decide_checks() {
    let mut sketch = Sketch::new(&[("main", 0, false)]);
    let limit = add_var(&mut sketch.program, "limit", INT, Scope::Global);
    sketch.program.vars[limit].init = Some(sketch.program.exprs.int(IntType::INT, 7));
    let mut head = LocId::from_raw(0);
    sketch.body("main", |body| {
        let (flag, c, x) = (body.local("flag"), body.local("c"), body.local("x"));
        let one = body.int(1);
        body.assign(flag, one);
        head = body.cfa.add_location(LocKind::Plain);
        body.goto(head);
        body.at = head;
        body.input(x);
        // A flag that is 1 in every round is 1; the other side would set it.
        let (flag_value, zero) = (body.var(flag), body.int(0));
        let cond = body.binary(BinOp::Eq, flag_value, zero);
        let go_on = body.branch(cond);
        body.assign(flag, zero);
        body.goto(head);
        body.at = go_on;
        // c = (i8)x + (i8)x can't overflow; c = x + limit can.
        let small = body.var(x);
        let small = body
            .program
            .exprs
            .cast(Type::Int(IntType::signed(8)), small);
        let small = body.program.exprs.cast(INT, small);
        let overflow = body.program.exprs.overflows(ArithOp::Add, small, small);
        let ub = body.cfa.add_location(LocKind::Ub(UbKind::SignedOverflow));
        let fine = body.cfa.add_location(LocKind::Plain);
        body.assume(overflow, ub, fine);
        body.at = fine;
        let (value, seven) = (body.var(x), body.var(limit));
        let overflow = body.program.exprs.overflows(ArithOp::Add, value, seven);
        let fine = body.cfa.add_location(LocKind::Plain);
        body.assume(overflow, ub, fine);
        body.at = fine;
        let sum = body.binary(BinOp::Add, value, seven);
        body.assign(c, sum);
        let (sum, zero) = (body.var(c), body.int(0));
        let cond = body.binary(BinOp::Lt, sum, zero);
        body.fails_if(cond);
        body.goto(head);
    });
    let program = sketch.finish();
    let passed = constants::run(&program);
    let result = valid(&passed);
    let branches = |program: &Program| count(program, |a| matches!(a, Action::Assume { .. })) / 2;
    assert_eq!((branches(&program), branches(result)), (4, 2));
    let text = result.to_text();
    assert!(text.contains("c = x + 7"), "{text}");
    assert!(!text.contains("flag = 0"), "{text}");
    assert!(
        kinds(result, 0).contains(&LocKind::Ub(UbKind::SignedOverflow)),
        "one check is left"
    );
    let heads = result.functions[0].cfa.loops();
    let at = LocRef {
        function: result.start,
        location: heads.heads()[0],
    };
    let origin = passed
        .restore
        .location(at)
        .expect("a location of the program");
    assert_eq!(origin.item.location, head);
}

#[test]
fn bounds_go_from_assignment_to_assignment() {
    let mut sketch = Sketch::new(&[("main", 0, false)]);
    let table = add_object(&mut sketch.program, "table", Scope::Global);
    sketch.program.objects[table].size = 32;
    sketch.body("main", |body| {
        // i = x & 7; p = table + i * 4; check p; check i + 1.
        let (x, i) = (body.local("x"), body.local("i"));
        let p = add_var(body.program, "p", Type::Ptr, Scope::Local(body.id));
        body.input(x);
        let (value, seven, one) = (body.var(x), body.int(7), body.int(1));
        let masked = body.binary(BinOp::And, value, seven);
        body.assign(i, masked);
        let size_type = IntType::unsigned(64);
        let four = body.program.exprs.int(size_type, 4);
        let index = body.var(i);
        let wide = body.program.exprs.cast(Type::Int(size_type), index);
        let bytes = body.binary(BinOp::Mul, wide, four);
        let base = body.program.exprs.addr_of(table);
        let value = body.program.exprs.ptr_add(base, bytes);
        body.assign(p, value);
        let ptr = body.var(p);
        let inside = body.program.exprs.push(
            ExprKind::AccessOk {
                ptr,
                size: four,
                write: true,
            },
            Type::Bool,
        );
        let bad = body.branch(inside);
        let overflow = body.program.exprs.overflows(ArithOp::Add, index, one);
        let fine = body.branch(overflow);
        let ub = body.cfa.add_location(LocKind::Ub(UbKind::SignedOverflow));
        body.goto(ub);
        body.at = bad;
        let ub = body.cfa.add_location(LocKind::Ub(UbKind::BadWrite));
        body.goto(ub);
        body.at = fine;
        body.exits();
    });
    let passed = constants::run(&sketch.finish());
    let branches = count(valid(&passed), |a| matches!(a, Action::Assume { .. }));
    assert_eq!(branches, 0, "{}", passed.program.to_text());
}

#[test]
fn dead_assignments_go_and_inputs_stay_in_step() {
    let mut sketch = Sketch::new(&[("main", 0, false), ("read", 0, true)]);
    let (mut shared, mut unused) = (InputSiteId::from_raw(0), InputSiteId::from_raw(0));
    sketch.body("main", |body| {
        let (first, second, third, i) = (
            body.local("a"),
            body.local("b"),
            body.local("c"),
            body.local("i"),
        );
        body.call("read", Some(first), &[]);
        body.call("read", Some(second), &[]);
        unused = body.input(third);
        // A counter that only counts itself.
        let zero = body.int(0);
        body.assign(i, zero);
        let head = body.cfa.add_location(LocKind::Plain);
        body.goto(head);
        body.at = head;
        let (value, one) = (body.var(i), body.int(1));
        let next = body.binary(BinOp::Add, value, one);
        body.assign(i, next);
        let value = body.var(second);
        let cond = body.binary(BinOp::Eq, value, zero);
        body.fails_if(cond);
        body.goto(head);
    });
    sketch.body("read", |body| {
        let x = body.local("x");
        shared = body.input(x);
        let value = body.var(x);
        body.returns(Some(value));
    });
    let program = sketch.finish();
    let passed = inline::run(&program, 1_000).passed.then(dead::run);
    let result = valid(&passed);
    let reads = |site: InputSiteId| {
        count(
            result,
            |action| matches!(*action, Action::Input { site: s, .. } if s == site),
        )
    };
    // The first call's result is dead, but taking it away would give the second call the first call's input.
    assert_eq!(reads(shared), 2);
    assert_eq!(reads(unused), 0);
    let assigned = count(result, |action| matches!(action, Action::Assign { .. }));
    assert_eq!(assigned, 1, "the second call's result only");
}

#[test]
fn contraction_removes_branches_that_make_no_difference() {
    let mut sketch = Sketch::new(&[("main", 0, false)]);
    sketch.body("main", |body| {
        let (x, y) = (body.local("x"), body.local("y"));
        body.input(x);
        let (value, zero) = (body.var(x), body.int(0));
        let cond = body.binary(BinOp::Lt, value, zero);
        let no = body.branch(cond);
        body.assign(y, zero);
        let join = body.cfa.add_location(LocKind::Plain);
        body.goto(join);
        body.at = no;
        body.goto(join);
        body.at = join;
        let target = body.target();
        body.goto(target);
    });
    let program = sketch.finish();
    let passed = Passed::unchanged(&program)
        .then(dead::run)
        .then(contract::run)
        .then(dead::run)
        .then(contract::run);
    let result = valid(&passed);
    let left = &result.functions[0].cfa;
    assert_eq!(left.edges.len(), 1, "{}", result.to_text());
    let at = left.edges[0].target;
    assert!(matches!(left.locations[at].kind, LocKind::Target(_)));
}

/// What passes do to random programs, in numbers.
#[test]
fn passes_do_something() {
    let mut calls_left = 0;
    let mut calls = 0;
    let (mut pruned, mut branches_decided, mut assignments_gone, mut contracted) = (0, 0, 0, 0);
    let edges = |program: &Program| count(program, |_| true);
    for seed in 0..300 {
        let program = generate::program(&numbers(seed, 600));
        let graph = CallGraph::of(&program);
        calls += count(&program, is_call);
        let inlined = inline::run(&program, 100_000);
        for left in &inlined.left {
            let function = &inlined.passed.program.functions[left.edge.function];
            match function.cfa.edges[left.edge.edge].action {
                Action::Call {
                    callee: Callee::Function(callee),
                    ..
                } => assert!(graph.is_recursive(callee), "{:?}", left.obstacle),
                _ => assert_eq!(left.obstacle, Obstacle::Pointer),
            }
        }
        calls_left += count(&inlined.passed.program, is_call);
        let before = &inlined.passed.program;
        let goals = Goals::all_targets(before);
        pruned += edges(before) - edges(&prune::run(before, &goals).program);
        let branches = |program: &Program| count(program, |a| matches!(a, Action::Assume { .. }));
        branches_decided += branches(before) - branches(&constants::run(before).program);
        let sets = |program: &Program| count(program, |action| action.defined_var().is_some());
        assignments_gone += sets(before) - sets(&dead::run(before).program);
        contracted += edges(before) - edges(&contract::run(before).program);
    }
    assert!(
        calls > 500 && calls_left < calls / 2,
        "{calls} {calls_left}"
    );
    assert!(pruned > 3_000, "{pruned}");
    assert!(branches_decided > 500, "{branches_decided}");
    assert!(assignments_gone > 1_000, "{assignments_gone}");
    assert!(contracted > 1_000, "{contracted}");
}
