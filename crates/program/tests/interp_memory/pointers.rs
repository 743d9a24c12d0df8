//! Pointers as values: in memory, as integers, compared, subtracted, and wild.

use super::*;

#[test]
fn pointers_keep_their_object_in_memory() {
    for model in BOTH {
        for offset in [0, 8, 3] {
            let mut b = Builder::new(model);
            let cell = b.global_object("cell", 24, Vec::new());
            let other = b.global_object("copy", 24, Vec::new());
            let object = b.global_object("x", 4, Vec::new());
            let p = b.local("p", PTR);
            let x = b.local("x", INT);
            let (cell, other) = (b.addr_of(cell), b.addr_of(other));
            let object = b.addr_of(object);
            let place = b.at_offset(cell, offset);
            b.store(place, object);
            let size = b.size(24);
            b.step(Action::Copy {
                dst: other,
                src: cell,
                size,
            });
            let copied = b.at_offset(other, offset);
            b.load(p, copied);
            let value = b.i32(5);
            b.store(object, value);
            let loaded = b.read(p);
            b.load(x, loaded);
            exit_value(&mut b, x);
            let run = b.run();
            assert_eq!(run.outcome, Outcome::Exit(5));
            assert!(run.is_definite(), "no address was looked at");
        }
    }
}

#[test]
fn overlapping_copies_move_pointers() {
    let mut b = Builder::new(DataModel::Lp64);
    let cell = b.global_object("cell", 32, Vec::new());
    let object = b.global_object("x", 4, Vec::new());
    let p = b.local("p", PTR);
    let x = b.local("x", INT);
    let cell = b.addr_of(cell);
    let object = b.addr_of(object);
    let second = b.at_offset(cell, 8);
    b.store(cell, object);
    let null = b.null();
    b.store(second, null);
    let size = b.size(16);
    b.step(Action::Copy {
        dst: second,
        src: cell,
        size,
    });
    b.load(p, second);
    let loaded = b.read(p);
    b.load(x, loaded);
    let third = b.at_offset(cell, 16);
    b.load(p, third);
    let is_null = b.binary(BinOp::Eq, loaded, null);
    b.target_if(is_null);
    b.exit_with(1);
    let run = b.run();
    assert_eq!(run.outcome, Outcome::Target(TargetId::new(0)));
    assert!(run.is_definite());
}

#[test]
fn bytes_of_a_pointer_are_an_address() {
    // Reading a byte of a pointer is a caveat; overwriting one makes it a number.
    let mut b = Builder::new(DataModel::Lp64);
    let cell = b.global_object("cell", 8, Vec::new());
    let object = b.global_object("x", 4, Vec::new());
    let c = b.local("c", U8);
    let p = b.local("p", PTR);
    let x = b.local("x", INT);
    let cell = b.addr_of(cell);
    let object = b.addr_of(object);
    b.store(cell, object);
    b.load(c, cell);
    let byte = b.read(c);
    b.store(cell, byte);
    b.load(p, cell);
    let loaded = b.read(p);
    b.load(x, loaded);
    b.exit_with(0);
    let run = b.run();
    assert_eq!(
        run.outcome,
        Outcome::Exit(0),
        "it is still the same address"
    );
    assert_eq!(run.caveats.len(), 2);
}

#[test]
fn integers_and_pointers() {
    for model in BOTH {
        let mut b = Builder::new(model);
        let object = b.global_object("a", 8, Vec::new());
        let size_type = b.size_type();
        let n = b.local("n", size_type);
        let p = b.local("p", PTR);
        let x = b.local("x", INT);
        let address = b.addr_of(object);
        let second = b.at_offset(address, 4);
        let value = b.i32(9);
        b.store(second, value);
        let number = b.cast(size_type, address);
        b.assign(n, number);
        let number = b.read(n);
        let four = b.size(4);
        let moved = b.binary(BinOp::Add, number, four);
        let pointer = b.cast(PTR, moved);
        b.assign(p, pointer);
        let pointer = b.read(p);
        b.load(x, pointer);
        exit_value(&mut b, x);
        let run = b.run();
        assert_eq!(run.outcome, Outcome::Exit(9));
        assert!(!run.is_definite());
        assert!(matches!(run.caveats[0], Caveat::Addresses { .. }));
    }
}

#[test]
fn null_as_an_integer_is_no_caveat() {
    let mut b = Builder::new(DataModel::Lp64);
    let null = b.null();
    let p = b.local("p", PTR);
    b.assign(p, null);
    let pointer = b.read(p);
    let number = b.cast(U64, pointer);
    let back = b.cast(PTR, number);
    let equal = b.binary(BinOp::Eq, back, null);
    b.target_if(equal);
    b.exit_with(0);
    let run = b.run();
    assert_eq!(run.outcome, Outcome::Target(TargetId::new(0)));
    assert!(run.is_definite());
}

#[test]
fn comparisons_of_pointers() {
    // (offset in a, offset in b or None for a itself, ordered, definite)
    for (first, second, op, definite) in [
        (0, Some(0), BinOp::Eq, true),
        (0, Some(4), BinOp::Ne, true),
        (8, Some(0), BinOp::Eq, false),
        (0, Some(0), BinOp::Lt, false),
        (0, None, BinOp::Lt, true),
        (8, None, BinOp::Eq, true),
    ] {
        let mut b = Builder::new(DataModel::Lp64);
        let (a, c) = (
            b.global_object("a", 8, Vec::new()),
            b.global_object("b", 8, Vec::new()),
        );
        let (pa, pb) = (b.addr_of(a), b.addr_of(c));
        let lhs = b.at_offset(pa, first);
        let rhs = match second {
            Some(offset) => b.at_offset(pb, offset),
            None => b.at_offset(pa, 4),
        };
        let cond = b.binary(op, lhs, rhs);
        b.target_if(cond);
        b.exit_with(0);
        let run = b.run();
        assert_eq!(run.is_definite(), definite, "{first} {second:?} {op:?}");
        let holds = matches!(run.outcome, Outcome::Target(_));
        match op {
            BinOp::Eq => assert!(!holds, "distinct objects never share an address"),
            BinOp::Ne => assert!(holds),
            _ if second.is_none() => assert!(holds),
            _ => {}
        }
    }
    // Against null.
    for kind in ["global", "local", "heap"] {
        let mut b = Builder::new(DataModel::Lp64);
        let base = base_of(&mut b, kind, 0);
        let null = b.null();
        let cond = b.binary(BinOp::Ne, base, null);
        b.target_if(cond);
        b.exit_with(0);
        let run = b.run();
        assert!(matches!(run.outcome, Outcome::Target(_)));
        assert!(run.is_definite());
    }
    // What was freed has kept its address, which is not null; but another object may lie there by now.
    for is_null in [true, false] {
        let mut b = Builder::new(DataModel::Lp64);
        let base = base_of(&mut b, "heap", 8);
        let kind = AllocKind::Heap;
        b.step(Action::Free { ptr: base, kind });
        let other = match is_null {
            true => b.null(),
            false => base_of(&mut b, "heap", 8),
        };
        let cond = b.binary(BinOp::Ne, base, other);
        b.target_if(cond);
        b.exit_with(0);
        let run = b.run();
        assert_eq!(run.is_definite(), is_null);
        assert!(!is_null || matches!(run.outcome, Outcome::Target(_)));
    }
}

#[test]
fn differences_of_pointers() {
    for model in BOTH {
        let mut b = Builder::new(model);
        let object = b.global_object("a", 40, Vec::new());
        let base = b.addr_of(object);
        let end = b.at_offset(base, 40);
        let back = b.ptr_diff(base, end, model);
        let x = b.local("x", INT);
        let narrow = b.cast(INT, back);
        b.assign(x, narrow);
        exit_value(&mut b, x);
        let run = b.run();
        assert_eq!(run.outcome, Outcome::Exit(-40));
        assert!(run.is_definite());
    }
}

#[test]
fn approximated_values() {
    let mut b = Builder::new(DataModel::Lp64);
    let what = b.approximation("sin");
    let x = b.local("x", INT);
    b.step(Action::Approximate { dst: Some(x), what });
    exit_value(&mut b, x);
    let run = b.run();
    assert_eq!(run.outcome, Outcome::Exit(0));
    assert_eq!(run.caveats, [Caveat::Approximation(what)]);
}

#[test]
fn wild_pointers() {
    for checked in [false, true] {
        let mut b = Builder::new(DataModel::Lp64);
        let what = b.approximation("getenv");
        let p = b.local("p", PTR);
        let x = b.local("x", INT);
        b.step(Action::Approximate { dst: Some(p), what });
        let place = b.read(p);
        if checked {
            b.load_checked(x, place);
        } else {
            b.load(x, place);
        }
        b.exit_with(0);
        let run = b.run();
        assert_eq!(
            run.outcome,
            Outcome::Unsupported(UnsupportedReason::WildPointer(what))
        );
        assert!(run.is_definite());
    }
    // Not used: no caveat. Compared: one.
    for compared in [false, true] {
        let mut b = Builder::new(DataModel::Lp64);
        let what = b.approximation("getenv");
        let p = b.local("p", PTR);
        b.step(Action::Approximate { dst: Some(p), what });
        if compared {
            let (pointer, null) = (b.read(p), b.null());
            let cond = b.binary(BinOp::Eq, pointer, null);
            b.target_if(cond);
        }
        b.exit_with(0);
        let run = b.run();
        assert_eq!(run.outcome, Outcome::Exit(0));
        assert_eq!(!run.is_definite(), compared);
    }
}
