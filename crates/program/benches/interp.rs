//! How fast the interpreter is: a counting loop, nested loops with arrays, calls.
//!
//! `cargo bench -p rhumb-program --bench interp`

#![allow(clippy::print_stdout, missing_docs)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use rhumb_program::interp::{KeyedInputs, Limits, Machine};
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

fn main() {
    let programs = [
        ("counting loop", counting_loop(100_000_000)),
        ("matrix", matrix(100, 20)),
        ("calls", calls(35)),
    ];
    for (name, builder) in programs {
        let machine = Machine::compile(&builder.program);
        let limits = Limits {
            steps: u64::MAX,
            ..Limits::default()
        };
        let start = Instant::now();
        let run = machine.run(&mut KeyedInputs::new(), &limits);
        let time = start.elapsed();
        println!(
            "{name:15} {:?}, {} steps, {time:.2?}, {:.2} ns per step",
            run.outcome,
            run.steps,
            time.as_nanos() as f64 / run.steps as f64,
        );
    }
}
