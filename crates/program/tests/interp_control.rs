//! Control: steps, limits, calls, sinks, inputs.

#![allow(missing_docs)]

mod support;

use rhumb_program::interp::{
    CallSite, FaultDetail, KeyedInputs, ListInputs, Machine, Observer, Outcome, RandomInputs,
    Recorder, RunLimits, UnsupportedReason, View,
};
use rhumb_program::*;
use support::*;

/// `for (i = 0; i < n; i++);` with its overflow check: five edges per round.
fn counting(n: i32) -> (Builder, VarId) {
    let mut b = Builder::new(DataModel::Lp64);
    let i = b.local("i", INT);
    let zero = b.i32(0);
    b.assign(i, zero);
    let head = b.location();
    b.jump(head);
    b.move_to(head);
    let (value, limit, one) = (b.read(i), b.i32(n), b.i32(1));
    let cond = b.binary(BinOp::Lt, value, limit);
    let out = b.branch(cond);
    b.assign_checked(i, BinOp::Add, value, one);
    b.jump(head);
    b.move_to(out);
    b.exit(value);
    (b, i)
}

#[test]
fn steps_are_edges() {
    let (b, _) = counting(10);
    let run = b.run();
    assert_eq!(run.outcome, Outcome::Exit(10));
    // Two before the loop, four in each round, the last condition, and the exit.
    assert_eq!(run.steps, 2 + 10 * 4 + 1 + 1);
}

#[test]
fn a_limit_stops_at_every_edge_exactly() {
    let (b, _) = counting(10);
    let whole = b.run();
    for steps in 0..=whole.steps + 2 {
        let limits = RunLimits {
            steps,
            ..RunLimits::default()
        };
        let run = b.run_with(&mut KeyedInputs::new(), &limits);
        assert_eq!(run.steps, steps.min(whole.steps));
        if steps < whole.steps {
            assert_eq!(run.outcome, Outcome::StepLimit);
            assert_eq!(run.end.edge, None);
        } else {
            assert_eq!(run, whole);
        }
    }
}

#[test]
fn the_counter_of_a_loop_overflows() {
    // for (i = start; i < limit or i <= limit; i += step) with limits that the counter runs past.
    for (start, step, limit, op, rounds) in [
        (i32::MAX - 2, 1, i32::MAX, BinOp::Le, 3),
        (i32::MAX - 2, 2, i32::MAX, BinOp::Lt, 1),
        (i32::MIN + 3, -1, 100, BinOp::Lt, 4),
        (0, 30_000, i32::MAX, BinOp::Lt, 71_583),
        (0, 100_000, i32::MAX, BinOp::Le, 21_475),
    ] {
        let mut b = Builder::new(DataModel::Lp64);
        let (i, n) = (b.local("i", INT), b.local("n", INT));
        let first = b.i32(start);
        b.assign(i, first);
        let head = b.location();
        b.jump(head);
        b.move_to(head);
        let (value, end, by) = (b.read(i), b.i32(limit), b.i32(step));
        let (count, one) = (b.read(n), b.i32(1));
        let cond = b.binary(op, value, end);
        let out = b.branch(cond);
        b.assign_checked(n, BinOp::Add, count, one);
        b.assign_checked(i, BinOp::Add, value, by);
        b.jump(head);
        b.move_to(out);
        b.exit(count);
        let run = b.run();
        let last = i64::from(start) + i64::from(rounds - 1) * i64::from(step);
        let Outcome::Undefined(fault) = &run.outcome else {
            // The limit comes first.
            assert_eq!(run.outcome, Outcome::Exit(rounds));
            assert!(last + i64::from(step) >= i64::from(limit));
            continue;
        };
        assert_eq!(
            fault.detail,
            FaultDetail::Overflow {
                op: ArithOp::Add,
                ty: IntType::INT,
                lhs: u128::from(last as u32),
                rhs_ty: IntType::INT,
                rhs: u128::from(step as u32),
            }
        );
    }
}

#[test]
fn an_observer_sees_the_values() {
    struct Watch {
        var: VarId,
        seen: Vec<u128>,
    }
    impl Observer for Watch {
        fn edge(&mut self, _: EdgeId, state: &View<'_>) {
            let value = state.value(self.var).unwrap();
            if self.seen.last() != Some(&value) {
                self.seen.push(value);
            }
        }
    }
    let (b, i) = counting(4);
    let machine = Machine::compile(&b.program);
    let mut watch = Watch {
        var: i,
        seen: Vec::new(),
    };
    machine.trace(&mut KeyedInputs::new(), &RunLimits::default(), &mut watch);
    assert_eq!(watch.seen, [0, 1, 2, 3, 4]);
}

#[test]
fn deep_recursion() {
    let mut b = Builder::new(DataModel::Lp64);
    let f = b.begin_function("f", Some(INT));
    let n = b.param("n", INT);
    let object = b.local_object("a", 4);
    let x = b.local("x", INT);
    b.step(Action::Enter(object));
    let (value, zero, one) = (b.read(n), b.i32(0), b.i32(1));
    let address = b.addr_of(object);
    b.store(address, value);
    let cond = b.binary(BinOp::Eq, value, zero);
    let more = b.branch(cond);
    b.ret(Some(zero));
    b.move_to(more);
    let less = b.binary(BinOp::Sub, value, one);
    b.call(Some(x), Callee::Function(f), &[less]);
    // The object of this activation is untouched by the others.
    b.load(n, address);
    let result = b.read(x);
    let sum = b.binary(BinOp::Add, result, one);
    let kept = b.read(n);
    let difference = b.binary(BinOp::Sub, sum, kept);
    let wrong = b.binary(BinOp::Ne, difference, zero);
    b.target_if(wrong);
    b.ret(Some(sum));
    b.end_function();
    let result = b.local("result", INT);
    let million = b.i32(1_000_000);
    b.call(Some(result), Callee::Function(f), &[million]);
    let result = b.read(result);
    b.exit(result);
    assert_eq!(b.run().outcome, Outcome::Exit(1_000_000));

    let limits = RunLimits {
        depth: 1000,
        ..RunLimits::default()
    };
    let run = b.run_with(&mut KeyedInputs::new(), &limits);
    assert_eq!(run.outcome, Outcome::StackLimit);
    assert_eq!(run.calls.len(), 1000);
    assert_eq!(run.end.function, f);

    let limits = RunLimits {
        memory: 1 << 20,
        ..RunLimits::default()
    };
    let run = b.run_with(&mut KeyedInputs::new(), &limits);
    assert_eq!(run.outcome, Outcome::MemoryLimit);
}

#[test]
fn memory_is_limited() {
    for size in [i128::from(u64::MAX), 1 << 40, 2 << 30] {
        let mut b = Builder::new(DataModel::Lp64);
        let p = b.local("p", PTR);
        let size = b.size(size);
        b.step(Action::Alloc {
            dst: p,
            size,
            kind: AllocKind::Heap,
        });
        b.exit_with(0);
        let run = b.run();
        assert_eq!(run.outcome, Outcome::MemoryLimit);
        assert_eq!(run.steps, 1);
    }
    for (local, size) in [(false, u64::MAX), (true, u64::MAX), (true, 1 << 50)] {
        let mut b = Builder::new(DataModel::Lp64);
        if local {
            b.local_object("huge", size);
        } else {
            b.global_object("huge", size, Vec::new());
        }
        b.exit_with(0);
        assert_eq!(b.run().outcome, Outcome::MemoryLimit);
    }
    // A loop that never frees.
    let mut b = Builder::new(DataModel::Ilp32);
    let p = b.local("p", PTR);
    let size = b.size(1000);
    let head = b.location();
    b.jump(head);
    b.move_to(head);
    b.step(Action::Alloc {
        dst: p,
        size,
        kind: AllocKind::Heap,
    });
    b.jump(head);
    let limits = RunLimits {
        memory: 1 << 22,
        ..RunLimits::default()
    };
    let run = b.run_with(&mut KeyedInputs::new(), &limits);
    assert_eq!(run.outcome, Outcome::MemoryLimit);
}

#[test]
fn freed_memory_is_used_again() {
    let mut b = Builder::new(DataModel::Lp64);
    let (i, p) = (b.local("i", INT), b.local("p", PTR));
    let zero = b.i32(0);
    b.assign(i, zero);
    let head = b.location();
    b.jump(head);
    b.move_to(head);
    let (value, limit, one) = (b.read(i), b.i32(10_000), b.i32(1));
    let cond = b.binary(BinOp::Lt, value, limit);
    let out = b.branch(cond);
    for kind in [AllocKind::Heap, AllocKind::Stack] {
        let size = b.size(100_000);
        b.step(Action::Alloc { dst: p, size, kind });
        let ptr = b.read(p);
        b.step(Action::Free { ptr, kind });
    }
    b.assign_checked(i, BinOp::Add, value, one);
    b.jump(head);
    b.move_to(out);
    b.exit_with(0);
    let limits = RunLimits {
        memory: 1 << 20,
        ..RunLimits::default()
    };
    let run = b.run_with(&mut KeyedInputs::new(), &limits);
    assert_eq!(run.outcome, Outcome::Exit(0));
}

#[test]
fn ends_of_a_run() {
    for (kind, outcome) in [
        (LocKind::End(EndKind::Abort), Outcome::Abort),
        (
            LocKind::End(EndKind::AssumptionFailed),
            Outcome::AssumptionFailed,
        ),
        (LocKind::End(EndKind::Exit), Outcome::Exit(0)),
    ] {
        // Behind an action, behind a condition.
        for conditional in [false, true] {
            let mut b = Builder::new(DataModel::Lp64);
            let sink = b.sink(kind);
            let x = b.local("x", BOOL);
            let yes = b.bool(true);
            b.assign(x, yes);
            if conditional {
                let (cond, on) = (b.read(x), b.location());
                b.branch_to(cond, sink, on);
                b.move_to(on);
                b.exit_with(3);
            } else {
                b.jump(sink);
            }
            let run = b.run();
            assert_eq!(run.outcome, outcome);
            assert_eq!(run.steps, 2);
            assert_eq!(run.end.location, sink);
            assert_eq!(run.end.edge, Some(EdgeId::new(1)));
        }
    }
}

#[test]
fn unsupported_places() {
    let mut b = Builder::new(DataModel::Lp64);
    let id = b.program.unsupported.push(Unsupported {
        what: "setjmp".into(),
        span: Span::default(),
    });
    let sink = b.sink(LocKind::Unsupported(id));
    b.jump(sink);
    let run = b.run();
    let Outcome::Unsupported(reason) = &run.outcome else {
        panic!("{:?}", run.outcome);
    };
    assert_eq!(*reason, UnsupportedReason::Construct(id));
    assert_eq!(reason.describe(&b.program), "setjmp");
}

#[test]
fn a_start_function_that_returns() {
    let mut b = Builder::new(DataModel::Lp64);
    b.program.functions[b.program.start].result = Some(INT);
    let five = b.i32(5);
    b.ret(Some(five));
    assert_eq!(b.run().outcome, Outcome::Exit(5));
}

#[test]
fn calls_pass_values_of_every_kind() {
    let wide = Type::Int(IntType::signed(128));
    let mut b = Builder::new(DataModel::Lp64);
    let f = b.begin_function("f", Some(wide));
    let (p, n, t) = (b.param("p", PTR), b.param("n", wide), b.param("t", BOOL));
    let (pointer, n, t) = (b.read(p), b.read(n), b.read(t));
    let x = b.local("x", INT);
    b.load(x, pointer);
    let x = b.read(x);
    let (x, t) = (b.cast(wide, x), b.cast(wide, t));
    let sum = b.binary(BinOp::Add, x, n);
    let sum = b.binary(BinOp::Add, sum, t);
    b.ret(Some(sum));
    b.end_function();
    let object = b.global_object("o", 4, Vec::new());
    let address = b.addr_of(object);
    let value = b.i32(100);
    b.store(address, value);
    let big = b.int(IntType::signed(128), 1 << 100);
    let yes = b.bool(true);
    let result = b.local("result", wide);
    b.call(Some(result), Callee::Function(f), &[address, big, yes]);
    let wanted = b.int(IntType::signed(128), (1 << 100) + 101);
    let read = b.read(result);
    let equal = b.binary(BinOp::Eq, read, wanted);
    b.target_if(equal);
    b.exit_with(1);
    assert_eq!(b.run().outcome, Outcome::Target(TargetId::new(0)));
}

#[test]
fn calls_through_pointers() {
    for what in [
        "good", "variadic", "arity", "type", "result", "null", "offset",
    ] {
        let mut b = Builder::new(DataModel::Lp64);
        let f = b.begin_function("f", Some(INT));
        let n = b.param("n", INT);
        let value = b.read(n);
        b.ret(Some(value));
        b.end_function();
        b.program.functions[f].variadic = what == "variadic";
        let p = b.local("p", PTR);
        let address = match what {
            "null" => b.null(),
            "offset" => {
                let address = b.func_addr(f);
                b.at_offset(address, 1)
            }
            _ => b.func_addr(f),
        };
        b.assign(p, address);
        let pointer = b.read(p);
        let (seven, long) = (b.i32(7), b.int(IntType::signed(64), 7));
        let args: &[ExprId] = match what {
            "variadic" => &[seven, long],
            "arity" => &[seven, seven],
            "type" => &[long],
            _ => &[seven],
        };
        let ty = if what == "result" { I64 } else { INT };
        let result = b.local("result", ty);
        b.call(Some(result), Callee::Pointer(pointer), args);
        let result = b.read(result);
        let result = b.cast(INT, result);
        b.exit(result);
        let run = b.run();
        match what {
            "good" | "variadic" => assert_eq!(run.outcome, Outcome::Exit(7)),
            _ => {
                let Outcome::Undefined(fault) = run.outcome else {
                    panic!("{what}: {:?}", run.outcome);
                };
                assert_eq!(fault.kind, UbKind::BadCall);
                let not_a_function = matches!(fault.detail, FaultDetail::NotAFunction { .. });
                assert_eq!(not_a_function, matches!(what, "null" | "offset"));
            }
        }
    }
}

#[test]
fn the_calls_under_way_are_told() {
    let mut b = Builder::new(DataModel::Lp64);
    let inner = b.begin_function("inner", None);
    let x = b.local("x", INT);
    let null = b.null();
    b.load_checked(x, null);
    b.ret(None);
    b.end_function();
    let outer = b.begin_function("outer", None);
    let second = b.call(None, Callee::Function(inner), &[]);
    b.ret(None);
    b.end_function();
    let address = b.func_addr(outer);
    let first = b.call(None, Callee::Pointer(address), &[]);
    b.exit_with(0);
    let run = b.run();
    assert_eq!(
        run.calls,
        [
            CallSite {
                function: b.program.start,
                edge: first
            },
            CallSite {
                function: outer,
                edge: second
            }
        ]
    );
    assert_eq!(run.end.function, inner);
    assert_eq!(run.steps, 3);
    let Outcome::Undefined(fault) = &run.outcome else {
        panic!("{:?}", run.outcome);
    };
    assert_eq!(fault.describe(&b.program), "invalid read: null pointer");
}

#[test]
fn unguarded_operations_fault_by_themselves() {
    for (op, rhs, kind) in [
        (BinOp::Div, 0, UbKind::DivisionByZero),
        (BinOp::Rem, 0, UbKind::DivisionByZero),
        (BinOp::Shl, 32, UbKind::BadShift),
        (BinOp::Shr, -1, UbKind::BadShift),
    ] {
        for width in [32, 128] {
            for signed in [false, true] {
                let mut b = Builder::new(DataModel::Lp64);
                let ty = IntType { width, signed };
                let shift = matches!(op, BinOp::Shl | BinOp::Shr);
                let rhs_ty = if shift { IntType::INT } else { ty };
                let (x, y) = (b.local("x", Type::Int(ty)), b.local("y", Type::Int(rhs_ty)));
                let one = b.int(ty, 1);
                let wrong = if shift && rhs > 0 {
                    i128::from(width)
                } else {
                    rhs
                };
                let rhs = b.int(rhs_ty, wrong);
                b.assign(x, one);
                b.assign(y, rhs);
                let (rx, ry) = (b.read(x), b.read(y));
                let value = b.binary(op, rx, ry);
                b.assign(x, value);
                b.exit_with(0);
                let run = b.run();
                let Outcome::Undefined(fault) = run.outcome else {
                    panic!("{:?}", run.outcome);
                };
                assert_eq!(fault.kind, kind);
                assert_eq!(run.steps, 3);
            }
        }
    }
}

#[test]
fn inputs_of_all_kinds() {
    let mut b = Builder::new(DataModel::Lp64);
    let kinds = [
        InputKind::Nondet("n".into()),
        InputKind::Uninitialised("u".into()),
        InputKind::EntryArgument("a".into()),
        InputKind::MissingReturn,
        InputKind::UndefinedFunction("f".into()),
    ];
    let mut sum = b.i32(0);
    for (place, kind) in kinds.into_iter().enumerate() {
        let site = b.input_site(Some(INT));
        b.program.inputs[site].kind = kind;
        let x = b.local("x", INT);
        b.step(Action::Input { dst: x, site });
        let value = b.read(x);
        let factor = b.i32(10i32.pow(place as u32));
        let part = b.binary(BinOp::Mul, value, factor);
        sum = b.binary(BinOp::Add, sum, part);
    }
    b.exit(sum);
    let mut list = ListInputs::new(&b.program, [1, 2]);
    let run = b.run_with(&mut list, &RunLimits::default());
    assert_eq!(run.outcome, Outcome::Exit(201));

    let machine = Machine::compile(&b.program);
    for seed in 0..20 {
        let mut recorder = Recorder::new(RandomInputs::new(seed));
        let first = machine.run(&mut recorder, &RunLimits::default());
        let again = machine.run(&mut recorder.into_inputs(), &RunLimits::default());
        assert_eq!(first, again);
    }
}

#[test]
fn inputs_are_reduced_to_their_type() {
    for (ty, given, expected) in [
        (BOOL, 6, 1),
        (Type::Int(IntType::signed(8)), 0x180, 0x80),
        (Type::Int(IntType::unsigned(128)), u128::MAX, u128::MAX),
    ] {
        let mut b = Builder::new(DataModel::Lp64);
        let site = b.input_site(Some(ty));
        let x = b.local("x", ty);
        b.step(Action::Input { dst: x, site });
        let (value, wanted) = (b.read(x), b.constant(ty, expected));
        let equal = b.binary(BinOp::Eq, value, wanted);
        b.target_if(equal);
        b.exit_with(0);
        let mut inputs = KeyedInputs::new();
        inputs.push_value(site, given, 1);
        let run = b.run_with(&mut inputs, &RunLimits::default());
        assert_eq!(run.outcome, Outcome::Target(TargetId::new(0)));
    }
}

#[test]
fn occurrences_of_one_site() {
    let mut b = Builder::new(DataModel::Lp64);
    let site = b.input_site(Some(INT));
    let (x, n) = (b.local("x", INT), b.local("n", INT));
    let head = b.location();
    b.jump(head);
    b.move_to(head);
    b.step(Action::Input { dst: x, site });
    let (value, count) = (b.read(x), b.read(n));
    let (zero, one) = (b.i32(0), b.i32(1));
    let cond = b.binary(BinOp::Ne, value, zero);
    let out = b.branch(cond);
    b.assign_checked(n, BinOp::Add, count, one);
    b.jump(head);
    b.move_to(out);
    b.exit(count);
    let mut inputs = KeyedInputs::new();
    inputs.push_value(site, 1, 100_000);
    let run = b.run_with(&mut inputs, &RunLimits::default());
    assert_eq!(run.outcome, Outcome::Exit(100_000));
}
