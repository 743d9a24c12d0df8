//! How fast the interpreter is: a counting loop, nested loops with arrays, calls, a linked list, bytes and global variables.
//!
//! `cargo bench -p rhumb-program --bench interp [-- PART OF A NAME]`

#![allow(clippy::print_stdout, missing_docs)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use rhumb_program::interp::{KeyedInputs, Machine, RunLimits};
use rhumb_program::*;
use support::*;

/// `for (i = 0; i < n; i++) s = (s + i) % 1000003;` as the front end lowers it.
fn counting_loop(n: i32) -> Builder {
    let mut b = Builder::new(DataModel::Lp64);
    let i = b.local("i", INT);
    let s = b.local("s", INT);
    let zero = b.i32(0);
    b.assign(i, zero);
    b.assign(s, zero);
    let head = b.location();
    b.jump(head);
    b.move_to(head);
    let (ri, rs, limit) = (b.read(i), b.read(s), b.i32(n));
    let cond = b.binary(BinOp::Lt, ri, limit);
    let out = b.branch(cond);
    b.assign_checked(s, BinOp::Add, rs, ri);
    let modulus = b.i32(1_000_003);
    let rest = b.binary(BinOp::Rem, rs, modulus);
    b.assign(s, rest);
    let one = b.i32(1);
    b.assign_checked(i, BinOp::Add, ri, one);
    b.jump(head);
    b.move_to(out);
    b.exit(rs);
    b
}

/// Products of `size` by `size` matrices: `c[i][j] += a[i][k] * b[k][j]`, unsigned.
fn matrix(size: i32, rounds: i32) -> Builder {
    let mut b = Builder::new(DataModel::Lp64);
    let bytes = (size * size * 4) as u64;
    let objects: Vec<ObjectId> = ["a", "b", "c"]
        .iter()
        .map(|name| b.global_object(name, bytes, Vec::new()))
        .collect();
    let vars: Vec<VarId> = ["r", "i", "j", "k"]
        .iter()
        .map(|name| b.local(name, INT))
        .collect();
    let (x, y, z) = (b.local("x", INT), b.local("y", INT), b.local("z", INT));
    let zero = b.i32(0);
    let mut heads = Vec::new();
    for &var in &vars {
        b.assign(var, zero);
        let head = b.location();
        b.jump(head);
        b.move_to(head);
        let value = b.read(var);
        let limit = b.i32(if var == vars[0] { rounds } else { size });
        let cond = b.binary(BinOp::Lt, value, limit);
        let out = b.branch(cond);
        heads.push((var, head, out));
    }
    let place = |b: &mut Builder, object: ObjectId, row: VarId, column: VarId| {
        let base = b.addr_of(object);
        let (row, column) = (b.read(row), b.read(column));
        let line = b.element(base, row, i128::from(size) * 4);
        b.element(line, column, 4)
    };
    let pa = place(&mut b, objects[0], vars[1], vars[3]);
    let pb = place(&mut b, objects[1], vars[3], vars[2]);
    let pc = place(&mut b, objects[2], vars[1], vars[2]);
    b.load_checked(x, pa);
    b.load_checked(y, pb);
    b.load_checked(z, pc);
    let (rx, ry, rz) = (b.read(x), b.read(y), b.read(z));
    b.assign_checked(x, BinOp::Mul, rx, ry);
    b.assign_checked(z, BinOp::Add, rz, rx);
    b.store_checked(pc, rz);
    let one = b.i32(1);
    for (var, head, out) in heads.into_iter().rev() {
        let value = b.read(var);
        b.assign_checked(var, BinOp::Add, value, one);
        b.jump(head);
        b.move_to(out);
    }
    b.exit(zero);
    b
}

/// `fib(n)`, recursively.
fn calls(n: i32) -> Builder {
    let mut b = Builder::new(DataModel::Lp64);
    let fib = b.begin_function("fib", Some(INT));
    let p = b.param("n", INT);
    let (x, y) = (b.local("x", INT), b.local("y", INT));
    let (rp, one, two) = (b.read(p), b.i32(1), b.i32(2));
    let cond = b.binary(BinOp::Lt, rp, two);
    let big = b.branch(cond);
    b.ret(Some(rp));
    b.move_to(big);
    let (rx, ry) = (b.read(x), b.read(y));
    for (var, less) in [(x, one), (y, two)] {
        let overflow = b.overflows(ArithOp::Sub, rp, less);
        b.undefined_if(overflow, UbKind::SignedOverflow);
        let arg = b.binary(BinOp::Sub, rp, less);
        b.call(Some(var), Callee::Function(fib), &[arg]);
    }
    b.assign_checked(x, BinOp::Add, rx, ry);
    b.ret(Some(rx));
    b.end_function();
    let result = b.local("result", INT);
    let arg = b.i32(n);
    b.call(Some(result), Callee::Function(fib), &[arg]);
    let result = b.read(result);
    b.exit(result);
    b
}

/// A list of `length` nodes on the heap, built once and summed `rounds` times: `for (p = head; p; p = p->next) s += p->value;`
fn list(length: i32, rounds: i32) -> Builder {
    let mut b = Builder::new(DataModel::Lp64);
    let (i, s, v) = (b.local("i", INT), b.local("s", INT), b.local("v", INT));
    let (p, head) = (b.local("p", PTR), b.global("head", PTR, None));
    let (zero, one, null) = (b.i32(0), b.i32(1), b.null());
    let (ri, rs, rv) = (b.read(i), b.read(s), b.read(v));
    let (rp, rhead) = (b.read(p), b.read(head));
    let next = b.at_offset(rp, 8);
    let loop_to = |b: &mut Builder, limit: i32| {
        b.assign(i, zero);
        let head = b.location();
        b.jump(head);
        b.move_to(head);
        let limit = b.i32(limit);
        let cond = b.binary(BinOp::Lt, ri, limit);
        let out = b.branch(cond);
        (head, out)
    };
    let (again, out) = loop_to(&mut b, length);
    let size = b.size(16);
    b.step(Action::Alloc {
        dst: p,
        size,
        kind: AllocKind::Heap,
    });
    b.store_checked(rp, ri);
    b.store_checked(next, rhead);
    b.assign(head, rp);
    b.assign_checked(i, BinOp::Add, ri, one);
    b.jump(again);
    b.move_to(out);
    let (again, out) = loop_to(&mut b, rounds);
    b.assign(p, rhead);
    b.assign(s, zero);
    let inner = b.location();
    b.jump(inner);
    b.move_to(inner);
    let cond = b.binary(BinOp::Ne, rp, null);
    let end = b.branch(cond);
    b.load_checked(v, rp);
    b.assign_checked(s, BinOp::Add, rs, rv);
    b.load_checked(p, next);
    b.jump(inner);
    b.move_to(end);
    b.assign_checked(i, BinOp::Add, ri, one);
    b.jump(again);
    b.move_to(out);
    b.exit(rs);
    b
}

/// A sieve over a global array of bytes, with global counters.
fn sieve(limit: i32, rounds: i32) -> Builder {
    let mut b = Builder::new(DataModel::Lp64);
    let object = b.global_object("composite", limit as u64, Vec::new());
    let (r, i, j) = (
        b.global("r", INT, None),
        b.global("i", INT, None),
        b.global("j", INT, None),
    );
    let (c, n) = (b.local("c", U8), b.local("n", INT));
    let (ri, rj, rc, rn, rr) = (b.read(i), b.read(j), b.read(c), b.read(n), b.read(r));
    let (zero, one, two) = (b.i32(0), b.i32(1), b.i32(2));
    let base = b.addr_of(object);
    let (at_i, at_j) = (b.element(base, ri, 1), b.element(base, rj, 1));
    let loop_to = |b: &mut Builder, value: ExprId, limit: i32| {
        let head = b.location();
        b.jump(head);
        b.move_to(head);
        let limit = b.i32(limit);
        let cond = b.binary(BinOp::Lt, value, limit);
        let out = b.branch(cond);
        (head, out)
    };
    let (rounds_head, rounds_out) = loop_to(&mut b, rr, rounds);
    b.assign(n, zero);
    let (byte, size) = (b.i32(0), b.size(limit.into()));
    b.step(Action::Fill {
        dst: base,
        byte,
        size,
    });
    b.assign(i, two);
    let (outer_head, outer_out) = loop_to(&mut b, ri, limit);
    b.load_checked(c, at_i);
    let wide = b.cast(INT, rc);
    let cond = b.binary(BinOp::Eq, wide, zero);
    let skip = b.branch(cond);
    b.assign_checked(n, BinOp::Add, rn, one);
    b.assign_checked(j, BinOp::Add, ri, ri);
    let (inner_head, inner_out) = loop_to(&mut b, rj, limit);
    let mark = b.int(IntType::unsigned(8), 1);
    b.store_checked(at_j, mark);
    b.assign_checked(j, BinOp::Add, rj, ri);
    b.jump(inner_head);
    b.move_to(inner_out);
    b.jump(skip);
    b.move_to(skip);
    b.assign_checked(i, BinOp::Add, ri, one);
    b.jump(outer_head);
    b.move_to(outer_out);
    b.assign_checked(r, BinOp::Add, rr, one);
    b.jump(rounds_head);
    b.move_to(rounds_out);
    b.exit(rn);
    b
}

/// Time that this thread has run: on a busy machine the wall clock says little. Falls back to the wall clock.
fn cpu_time(since: Instant) -> Duration {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .map(Duration::from_nanos);
    spent.unwrap_or_else(|| since.elapsed())
}

fn main() {
    let start = Instant::now();
    let programs = [
        ("counting loop", counting_loop(100_000_000)),
        ("matrix", matrix(100, 20)),
        ("calls", calls(35)),
        ("list", list(1000, 20_000)),
        ("sieve", sieve(1_000_000, 10)),
    ];
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let wanted = wanted.unwrap_or_default();
    for (name, builder) in programs {
        if !name.contains(&wanted) {
            continue;
        }
        let machine = Machine::compile(&builder.program);
        let limits = RunLimits {
            steps: u64::MAX,
            ..RunLimits::default()
        };
        let before = cpu_time(start);
        let run = machine.run(&mut KeyedInputs::new(), &limits);
        let time = cpu_time(start) - before;
        println!(
            "{name:15} {:?}, {} steps, {time:.2?}, {:.2} ns per step",
            run.outcome,
            run.steps,
            time.as_nanos() as f64 / run.steps as f64,
        );
    }
}
