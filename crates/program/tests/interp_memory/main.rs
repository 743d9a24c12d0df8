//! Memory: bounds, lifetimes, provenance, bit-fields, allocation.

#![allow(missing_docs)]

mod pointers;
#[path = "../support/mod.rs"]
mod support;

use rhumb_program::interp::{
    Caveat, Fault, FaultDetail, ObjectRef, Outcome, Run, UnsupportedReason,
};
use rhumb_program::*;
use support::*;

const BOTH: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

fn fault(run: &Run) -> &Fault {
    match &run.outcome {
        Outcome::Undefined(fault) => fault,
        other => panic!("{other:?}"),
    }
}

/// Ends with the value of an `int` variable as status.
fn exit_value(b: &mut Builder, var: VarId) {
    let value = b.read(var);
    b.exit(value);
}

#[test]
fn elements_are_written_and_read() {
    for model in BOTH {
        for kind in ["global", "local", "heap"] {
            for checked in [false, true] {
                let mut b = Builder::new(model);
                let base = base_of(&mut b, kind, 40);
                let x = b.local("x", INT);
                let i = b.local("i", INT);
                let three = b.i32(3);
                b.assign(i, three);
                let index = b.read(i);
                let place = b.element(base, index, 4);
                let value = b.i32(-77);
                if checked {
                    b.store_checked(place, value);
                    b.load_checked(x, place);
                } else {
                    b.store(place, value);
                    b.load(x, place);
                }
                exit_value(&mut b, x);
                let run = b.run();
                assert_eq!(run.outcome, Outcome::Exit(-77));
                assert!(run.is_definite());
            }
        }
    }
}

/// Address of a new object of that kind.
fn base_of(b: &mut Builder, kind: &str, size: u64) -> ExprId {
    match kind {
        "global" => {
            let object = b.global_object("a", size, Vec::new());
            b.addr_of(object)
        }
        "local" => {
            let object = b.local_object("a", size);
            b.step(Action::Enter(object));
            b.addr_of(object)
        }
        _ => {
            let dst = b.local("p", PTR);
            let size = b.size(size.into());
            b.step(Action::Alloc {
                dst,
                size,
                kind: AllocKind::Heap,
            });
            b.read(dst)
        }
    }
}

#[test]
fn accesses_outside_are_found() {
    for model in BOTH {
        for kind in ["global", "local", "heap"] {
            for checked in [false, true] {
                for write in [false, true] {
                    for index in [-1, 10, i32::MAX, i32::MIN] {
                        if model == DataModel::Ilp32 && index == i32::MIN {
                            // 4 * 2^31 is 0 in 32 bits, and so in bounds.
                            continue;
                        }
                        let mut b = Builder::new(model);
                        let base = base_of(&mut b, kind, 40);
                        let x = b.local("x", INT);
                        let index_value = b.i32(index);
                        b.assign(x, index_value);
                        let read = b.read(x);
                        let place = b.element(base, read, 4);
                        match (checked, write) {
                            (false, false) => b.load(x, place),
                            (true, false) => b.load_checked(x, place),
                            (false, true) => b.store(place, index_value),
                            (true, true) => b.store_checked(place, index_value),
                        }
                        b.exit_with(0);
                        let run = b.run();
                        let fault = fault(&run);
                        let wanted = if write {
                            UbKind::BadWrite
                        } else {
                            UbKind::BadRead
                        };
                        assert_eq!(fault.kind, wanted);
                        let FaultDetail::OutOfBounds {
                            object_size: 40,
                            offset,
                            access_size: 4,
                            object,
                        } = fault.detail
                        else {
                            panic!("{fault:?}");
                        };
                        if index == -1 {
                            assert_eq!(offset, -4);
                        }
                        if index == 10 {
                            assert_eq!(offset, 40);
                        }
                        assert_eq!(
                            matches!(object, ObjectRef::Declared(_)),
                            kind != "heap",
                            "{object:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn null_and_small_addresses() {
    for offset in [0, 8] {
        let mut b = Builder::new(DataModel::Lp64);
        let x = b.local("x", INT);
        let null = b.null();
        let place = b.at_offset(null, offset);
        b.load(x, place);
        b.exit_with(0);
        let run = b.run();
        assert_eq!(
            fault(&run).detail,
            FaultDetail::NullDereference {
                address: offset as u64
            }
        );
    }
}

#[test]
fn a_local_object_is_dead_outside_its_lifetime() {
    for (enter, leave, read_through_pointer) in [
        (false, false, false),
        (true, true, false),
        (true, true, true),
    ] {
        let mut b = Builder::new(DataModel::Lp64);
        let object = b.local_object("a", 4);
        let p = b.local("p", PTR);
        let x = b.local("x", INT);
        if enter {
            b.step(Action::Enter(object));
        }
        let address = b.addr_of(object);
        b.assign(p, address);
        if leave {
            b.step(Action::Leave(object));
        }
        let place = if read_through_pointer {
            b.read(p)
        } else {
            address
        };
        b.load(x, place);
        b.exit_with(0);
        let run = b.run();
        assert_eq!(fault(&run).detail, FaultDetail::LifetimeEnded(object));
    }
}

#[test]
fn a_second_instance_is_another_object() {
    let mut b = Builder::new(DataModel::Lp64);
    let object = b.local_object("a", 4);
    let p = b.local("p", PTR);
    let x = b.local("x", INT);
    b.step(Action::Enter(object));
    let address = b.addr_of(object);
    b.assign(p, address);
    let one = b.i32(1);
    b.store(address, one);
    b.step(Action::Enter(object));
    // The new instance begins with zeros and is alive.
    b.load(x, address);
    let zero = b.i32(0);
    let value = b.read(x);
    let wrong = b.binary(BinOp::Ne, value, zero);
    b.target_if(wrong);
    // The old one is not, though it lay at the same place.
    let old = b.read(p);
    b.load(x, old);
    b.exit_with(0);
    let run = b.run();
    assert_eq!(fault(&run).detail, FaultDetail::LifetimeEnded(object));
}

#[test]
fn locals_end_with_their_function() {
    let mut b = Builder::new(DataModel::Lp64);
    let f = b.begin_function("f", Some(PTR));
    let object = b.local_object("a", 4);
    b.step(Action::Enter(object));
    let address = b.addr_of(object);
    b.ret(Some(address));
    b.end_function();
    let p = b.local("p", PTR);
    let x = b.local("x", INT);
    b.call(Some(p), Callee::Function(f), &[]);
    // Another call reuses the place.
    b.call(None, Callee::Function(f), &[]);
    let place = b.read(p);
    b.load_checked(x, place);
    b.exit_with(0);
    let run = b.run();
    assert_eq!(fault(&run).detail, FaultDetail::LifetimeEnded(object));
    assert_eq!(fault(&run).kind, UbKind::BadRead);
}

#[test]
fn use_after_free_and_double_free() {
    for again in ["read", "write", "free", "check"] {
        let mut b = Builder::new(DataModel::Ilp32);
        let p = b.local("p", PTR);
        let q = b.local("q", PTR);
        let x = b.local("x", INT);
        let size = b.size(8);
        let kind = AllocKind::Heap;
        b.step(Action::Alloc { dst: p, size, kind });
        let ptr = b.read(p);
        b.step(Action::Free { ptr, kind });
        // Very likely at the same address.
        b.step(Action::Alloc { dst: q, size, kind });
        let one = b.i32(1);
        match again {
            "read" => b.load(x, ptr),
            "write" => b.store_checked(ptr, one),
            "free" => {
                b.step(Action::Free { ptr, kind });
            }
            _ => {
                let ok = b.push(ExprKind::FreeOk(ptr), BOOL);
                b.undefined_unless(ok, UbKind::BadFree);
            }
        }
        b.exit_with(0);
        let run = b.run();
        let (wanted, detail) = match again {
            "read" => (UbKind::BadRead, FaultDetail::UseAfterFree),
            "write" => (UbKind::BadWrite, FaultDetail::UseAfterFree),
            _ => (UbKind::BadFree, FaultDetail::DoubleFree),
        };
        assert_eq!((fault(&run).kind, &fault(&run).detail), (wanted, &detail));
    }
}

#[test]
fn what_may_be_freed() {
    let kind = AllocKind::Heap;
    for what in ["null", "start", "middle", "local", "number"] {
        let mut b = Builder::new(DataModel::Lp64);
        let base = base_of(&mut b, "heap", 8);
        let ptr = match what {
            "null" => b.null(),
            "start" => base,
            "middle" => b.at_offset(base, 4),
            "local" => base_of(&mut b, "local", 4),
            _ => b.constant(PTR, 0x1234_5678),
        };
        let ok = b.push(ExprKind::FreeOk(ptr), BOOL);
        let bad = b.branch(ok);
        b.step(Action::Free { ptr, kind });
        b.exit_with(0);
        b.move_to(bad);
        b.step(Action::Free { ptr, kind });
        b.exit_with(1);
        let run = b.run();
        if matches!(what, "null" | "start") {
            assert_eq!(run.outcome, Outcome::Exit(0));
        } else {
            assert_eq!(fault(&run).kind, UbKind::BadFree, "{what}");
            assert!(matches!(
                fault(&run).detail,
                FaultDetail::InvalidFree { .. }
            ));
        }
    }
}

#[test]
fn read_only_objects() {
    let mut b = Builder::new(DataModel::Lp64);
    let text = b.string("abc");
    let c = b.local("c", U8);
    let address = b.addr_of(text);
    let second = b.at_offset(address, 1);
    b.load(c, second);
    let value = b.read(c);
    let wanted = b.int(IntType::unsigned(8), i128::from(b'b'));
    let wrong = b.binary(BinOp::Ne, value, wanted);
    b.target_if(wrong);
    b.store_checked(address, value);
    b.exit_with(0);
    let run = b.run();
    assert_eq!(fault(&run).kind, UbKind::BadWrite);
    assert_eq!(
        fault(&run).detail,
        FaultDetail::ReadOnly(ObjectRef::Declared(text))
    );
}

#[test]
fn alloca_ends_with_its_function() {
    let mut b = Builder::new(DataModel::Lp64);
    let f = b.begin_function("f", Some(PTR));
    let p = b.local("p", PTR);
    let size = b.size(16);
    let kind = AllocKind::Stack;
    b.step(Action::Alloc { dst: p, size, kind });
    let value = b.read(p);
    b.ret(Some(value));
    b.end_function();
    let q = b.local("q", PTR);
    let x = b.local("x", INT);
    b.call(Some(q), Callee::Function(f), &[]);
    let place = b.read(q);
    b.load(x, place);
    b.exit_with(0);
    assert_eq!(fault(&b.run()).detail, FaultDetail::UseAfterFree);
}

#[test]
fn truth_values_in_memory() {
    for byte in [0, 1, 2] {
        let mut b = Builder::new(DataModel::Lp64);
        let object = b.global_object("flag", 1, Vec::new());
        let flag = b.local("flag", BOOL);
        let address = b.addr_of(object);
        let value = b.int(IntType::unsigned(8), byte);
        b.store(address, value);
        b.load_checked(flag, address);
        let read = b.read(flag);
        b.target_if(read);
        b.exit_with(0);
        let run = b.run();
        match byte {
            0 => assert_eq!(run.outcome, Outcome::Exit(0)),
            1 => assert_eq!(run.outcome, Outcome::Target(TargetId::new(0))),
            _ => assert_eq!(
                fault(&run).detail,
                FaultDetail::TrapRepresentation { byte: 2 }
            ),
        }
    }
}

#[test]
fn bit_fields() {
    // struct { int a : 3; unsigned b : 7; int c : 20; _Bool d : 1; } with fields at bits 0, 3, 10 and 30.
    let mut b = Builder::new(DataModel::Lp64);
    let object = b.global_object("s", 4, Vec::new());
    let base = b.addr_of(object);
    let fields = [
        (INT, 0u32, 3u8, -3i128),
        (Type::Int(IntType::unsigned(32)), 3, 7, 100),
        (INT, 10, 20, -400_000),
        (BOOL, 30, 1, 1),
    ];
    let mut accesses = Vec::new();
    for &(ty, bit, width, value) in &fields {
        let place = b.at_offset(base, i128::from(bit / 8));
        let access = Access {
            ty,
            bits: Some(BitRange {
                offset: (bit % 8) as u8,
                width,
            }),
        };
        let value = match ty {
            Type::Int(int) => b.int(int, value),
            _ => b.bool(value != 0),
        };
        b.step(Action::Store {
            ptr: place,
            value,
            access,
        });
        accesses.push((place, access, value));
    }
    for (place, access, value) in accesses {
        let dst = b.local("field", access.ty);
        b.step(Action::Load {
            dst,
            ptr: place,
            access,
        });
        let read = b.read(dst);
        let wrong = b.binary(BinOp::Ne, read, value);
        b.target_if(wrong);
    }
    let x = b.local("x", INT);
    b.load(x, base);
    exit_value(&mut b, x);
    let expected = 0b101u32 | 100 << 3 | ((-400_000i32 as u32) & 0xfffff) << 10 | 1 << 30;
    assert_eq!(b.run().outcome, Outcome::Exit(expected as i32));
}

#[test]
fn initial_contents() {
    for model in BOTH {
        let mut b = Builder::new(model);
        let pointer_size = u64::from(model.pointer_width() / 8);
        let x = b.global_object("x", 4, Vec::new());
        let f = b.begin_function("f", Some(INT));
        let seven = b.i32(7);
        b.ret(Some(seven));
        b.end_function();
        let (address, function) = (b.addr_of(x), b.func_addr(f));
        let number = b.i32(-5);
        let table = b.global_object(
            "table",
            4 * pointer_size + 4,
            vec![
                Init::Bytes {
                    offset: 0,
                    bytes: Box::from(&b"ab"[..]),
                },
                Init::Scalar {
                    offset: pointer_size,
                    access: Access::whole(PTR),
                    value: address,
                },
                Init::Scalar {
                    offset: 2 * pointer_size,
                    access: Access::whole(PTR),
                    value: function,
                },
                Init::Scalar {
                    offset: 3 * pointer_size,
                    access: Access {
                        ty: INT,
                        bits: Some(BitRange {
                            offset: 4,
                            width: 6,
                        }),
                    },
                    value: number,
                },
                Init::Scalar {
                    offset: 4 * pointer_size,
                    access: Access::whole(INT),
                    value: number,
                },
            ],
        );
        b.program.objects[table].read_only = true;
        let forty = b.i32(40);
        let g = b.global("g", INT, Some(forty));
        let base = b.addr_of(table);
        let (p, q) = (b.local("p", PTR), b.local("q", PTR));
        let place = b.at_offset(base, pointer_size.into());
        b.load(p, place);
        let place = b.at_offset(base, (2 * pointer_size).into());
        b.load(q, place);
        let (rp, rq) = (b.read(p), b.read(q));
        let rg = b.read(g);
        b.store(rp, rg);
        let (y, z, w) = (b.local("y", INT), b.local("z", INT), b.local("w", INT));
        b.load(y, rp);
        b.call(Some(z), Callee::Pointer(rq), &[]);
        let place = b.at_offset(base, (4 * pointer_size).into());
        b.load(w, place);
        let (ry, rz, rw) = (b.read(y), b.read(z), b.read(w));
        let sum = b.binary(BinOp::Add, ry, rz);
        let sum = b.binary(BinOp::Add, sum, rw);
        b.exit(sum);
        let run = b.run();
        assert_eq!(run.outcome, Outcome::Exit(40 + 7 - 5));
        assert!(run.is_definite());
    }
}

#[test]
fn filling_and_input_bytes() {
    let mut b = Builder::new(DataModel::Lp64);
    let object = b.local_object("a", 8);
    b.step(Action::Enter(object));
    let base = b.addr_of(object);
    let (byte, size) = (b.i32(0x101), b.size(8));
    b.step(Action::Fill {
        dst: base,
        byte,
        size,
    });
    let site = b.input_site(None);
    let four = b.size(4);
    b.step(Action::InputBytes {
        ptr: base,
        size: four,
        site,
    });
    let x = b.local("x", I64);
    b.load(x, base);
    let value = b.read(x);
    let wanted = b.int(IntType::signed(64), 0x0101_0101_0000_0302);
    let equal = b.binary(BinOp::Eq, value, wanted);
    b.target_if(equal);
    b.exit_with(0);
    let mut inputs = rhumb_program::interp::KeyedInputs::new();
    inputs.push_bytes(site, &[2, 3], 1);
    let run = b.run_with(&mut inputs, &rhumb_program::interp::RunLimits::default());
    assert_eq!(run.outcome, Outcome::Target(TargetId::new(0)));
}

#[test]
fn sizes_of_zero() {
    // A valid pointer is asked for even then.
    for (kind, ok) in [("global", true), ("null", false)] {
        let mut b = Builder::new(DataModel::Lp64);
        let base = if kind == "global" {
            base_of(&mut b, "global", 4)
        } else {
            b.null()
        };
        let end = b.at_offset(base, if ok { 4 } else { 0 });
        let zero = b.size(0);
        b.step(Action::Copy {
            dst: end,
            src: end,
            size: zero,
        });
        b.exit_with(0);
        let run = b.run();
        assert_eq!(run.outcome == Outcome::Exit(0), ok, "{:?}", run.outcome);
    }
}

#[test]
fn functions_are_no_data() {
    let mut b = Builder::new(DataModel::Lp64);
    let f = b.begin_function("f", None);
    b.ret(None);
    b.end_function();
    let x = b.local("x", INT);
    let address = b.func_addr(f);
    b.load_checked(x, address);
    b.exit_with(0);
    assert_eq!(fault(&b.run()).detail, FaultDetail::FunctionAccess(f));
}

#[test]
fn misaligned_accesses_are_fine() {
    let mut b = Builder::new(DataModel::Lp64);
    let base = base_of(&mut b, "global", 16);
    let place = b.at_offset(base, 3);
    let value = b.i32(0x1234_5678);
    b.store(place, value);
    let x = b.local("x", INT);
    b.load(x, place);
    exit_value(&mut b, x);
    assert_eq!(b.run().outcome, Outcome::Exit(0x1234_5678));
}
