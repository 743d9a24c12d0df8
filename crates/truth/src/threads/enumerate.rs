//! All interleavings of a program with threads, one step at a time: a machine with a stack, and a set of states.

use rustc_hash::FxHashSet;

use super::{Cond, Expr, LOCALS, LOCKS, SHARED, Stmt, Threaded};

/// What a thread does in one step.
#[derive(Clone, Copy, Debug)]
enum Op {
    Push(u64),
    Shared(u64),
    Local(u64),
    Input,
    Add,
    Compare(bool, u64),
    Write(u64),
    Set(u64),
    Increase(u64, u64),
    Lock(u64),
    Unlock(u64),
    Begin,
    End,
    JumpUnless(usize),
    Jump(usize),
    /// The run is left if the top is not 1.
    Assume,
    /// It is an error if the top is not 1.
    Assert,
    /// Until all others have ended.
    Join,
    Mask,
    /// Begins a thread that has not begun.
    Create(u64),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    /// Which code it executes.
    kind: usize,
    at: usize,
    stack: Vec<u64>,
    locals: [u64; LOCALS as usize],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Interleaving {
    shared: [u64; SHARED as usize],
    /// Which thread has a mutex.
    locks: [Option<usize>; LOCKS as usize],
    /// Which one can't be interrupted.
    alone: Option<usize>,
    threads: Vec<Thread>,
}

/// What a program can do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Whether an assertion can fail.
    pub fails: bool,
    /// The shared variables at the end, in all runs that come to an end without an error.
    pub ends: Vec<[u64; SHARED as usize]>,
}

/// Follows all interleavings; none if there are more states than that.
pub fn enumerate(program: &Threaded, most: usize) -> Option<Truth> {
    let mut codes: Vec<Vec<Op>> = program.threads.iter().map(|body| code(body)).collect();
    codes[0].push(Op::Join);
    condition(&mut codes[0], &program.last);
    codes[0].push(Op::Assert);
    let threads = (0..codes.len()).map(|kind| begun(kind, 0)).collect();
    follow(&codes, threads, 0, most)
}

/// Follows all interleavings with at most so many threads that are created on the way; none if there are more states than that.
pub fn enumerate_created(bodies: &[Vec<Stmt>], created: usize, most: usize) -> Option<Truth> {
    let codes: Vec<Vec<Op>> = bodies.iter().map(|body| code(body)).collect();
    follow(&codes, vec![begun(0, 0)], created, most)
}

fn begun(kind: usize, argument: u64) -> Thread {
    let mut locals = [0; LOCALS as usize];
    locals[0] = argument;
    Thread {
        kind,
        at: 0,
        stack: Vec::new(),
        locals,
    }
}

fn follow(codes: &[Vec<Op>], threads: Vec<Thread>, created: usize, most: usize) -> Option<Truth> {
    let most_threads = threads.len() + created;
    let start = Interleaving {
        shared: [0; SHARED as usize],
        locks: [None; LOCKS as usize],
        alone: None,
        threads,
    };
    let mut truth = Truth {
        fails: false,
        ends: Vec::new(),
    };
    let mut seen = FxHashSet::default();
    let mut waiting = vec![start];
    while let Some(state) = waiting.pop() {
        if seen.len() > most {
            return None;
        }
        if !seen.insert(state.clone()) {
            continue;
        }
        for thread in 0..state.threads.len() {
            if state.alone.is_none_or(|alone| alone == thread) {
                step(
                    codes,
                    &state,
                    thread,
                    most_threads,
                    &mut waiting,
                    &mut truth,
                );
            }
        }
    }
    truth.ends.sort_unstable();
    truth.ends.dedup();
    Some(truth)
}

fn step(
    codes: &[Vec<Op>],
    state: &Interleaving,
    number: usize,
    most_threads: usize,
    waiting: &mut Vec<Interleaving>,
    truth: &mut Truth,
) {
    let Some(&op) = codes[state.threads[number].kind].get(state.threads[number].at) else {
        return;
    };
    let mut next = state.clone();
    let Interleaving {
        shared,
        locks,
        alone,
        threads,
    } = &mut next;
    let others_are_done = (threads.iter().skip(1)).all(|other| other.at == codes[other.kind].len());
    let thread = &mut threads[number];
    thread.at += 1;
    let mut pop = || thread.stack.pop().unwrap_or(0);
    match op {
        Op::Push(value) => thread.stack.push(value),
        Op::Shared(index) => thread.stack.push(shared[index as usize]),
        Op::Local(index) => thread.stack.push(thread.locals[index as usize]),
        Op::Input => {
            let mut other = state.clone();
            other.threads[number].at += 1;
            other.threads[number].stack.push(1);
            waiting.push(other);
            thread.stack.push(0);
        }
        Op::Add => {
            let sum = pop() + pop();
            thread.stack.push(sum);
        }
        Op::Compare(equal, with) => {
            let value = pop();
            let holds = if equal { value == with } else { value < with };
            thread.stack.push(holds.into());
        }
        Op::Write(index) => shared[index as usize] = pop(),
        Op::Set(index) => {
            let value = pop();
            thread.locals[index as usize] = value;
        }
        Op::Increase(index, by) => shared[index as usize] += by,
        Op::Lock(lock) => {
            let lock = &mut locks[lock as usize];
            if lock.is_some() {
                return;
            }
            *lock = Some(number);
        }
        Op::Unlock(lock) => locks[lock as usize] = None,
        Op::Begin => *alone = Some(number),
        Op::End => *alone = None,
        Op::JumpUnless(to) => {
            if pop() == 0 {
                thread.at = to;
            }
        }
        Op::Jump(to) => thread.at = to,
        Op::Assume => {
            if pop() == 0 {
                return;
            }
        }
        Op::Assert => {
            if pop() == 0 {
                truth.fails = true;
                return;
            }
        }
        Op::Join => {
            if !others_are_done {
                return;
            }
            truth.ends.push(*shared);
        }
        Op::Mask => {
            let value = pop();
            thread.stack.push(value & 3);
        }
        Op::Create(kind) => {
            let argument = pop();
            if threads.len() == most_threads {
                return;
            }
            threads.push(begun(kind as usize, argument));
        }
    }
    waiting.push(next);
}

fn code(block: &[Stmt]) -> Vec<Op> {
    let mut ops = Vec::new();
    statements(&mut ops, block);
    ops
}

fn statements(ops: &mut Vec<Op>, block: &[Stmt]) {
    for stmt in block {
        match stmt {
            Stmt::Write(shared, value) => {
                expression(ops, value);
                ops.push(Op::Write(*shared));
            }
            Stmt::Set(local, value) => {
                expression(ops, value);
                ops.push(Op::Set(*local));
            }
            Stmt::Add(shared, number) => ops.push(Op::Increase(*shared, *number)),
            Stmt::Await(until) => {
                let begin = ops.len();
                condition(ops, until);
                ops.push(Op::JumpUnless(begin));
            }
            Stmt::Assume(that) => {
                condition(ops, that);
                ops.push(Op::Assume);
            }
            Stmt::Assert(that) => {
                condition(ops, that);
                ops.push(Op::Assert);
            }
            Stmt::If(that, yes, no) => {
                condition(ops, that);
                let branch = ops.len();
                ops.push(Op::Jump(0));
                statements(ops, yes);
                let leave = ops.len();
                ops.push(Op::Jump(0));
                ops[branch] = Op::JumpUnless(ops.len());
                statements(ops, no);
                ops[leave] = Op::Jump(ops.len());
            }
            Stmt::Twice(_, body) => {
                statements(ops, body);
                statements(ops, body);
            }
            Stmt::Locked(lock, body) => {
                ops.push(Op::Lock(*lock));
                statements(ops, body);
                ops.push(Op::Unlock(*lock));
            }
            Stmt::Atomic(body) => {
                ops.push(Op::Begin);
                statements(ops, body);
                ops.push(Op::End);
            }
            Stmt::Create(kind, value) => {
                expression(ops, value);
                ops.push(Op::Create(*kind));
            }
            Stmt::Loop(body) => {
                let begin = ops.len();
                ops.push(Op::Input);
                let branch = ops.len();
                ops.push(Op::Jump(0));
                statements(ops, body);
                ops.push(Op::Jump(begin));
                ops[branch] = Op::JumpUnless(ops.len());
            }
        }
    }
}

fn expression(ops: &mut Vec<Op>, value: &Expr) {
    match value {
        Expr::Const(number) => ops.push(Op::Push(*number)),
        Expr::Shared(index) => ops.push(Op::Shared(*index)),
        Expr::Local(index) => ops.push(Op::Local(*index)),
        Expr::Input => ops.push(Op::Input),
        Expr::Sum(a, b) => {
            expression(ops, a);
            expression(ops, b);
            ops.push(Op::Add);
        }
        Expr::Masked(value) => {
            expression(ops, value);
            ops.push(Op::Mask);
        }
    }
}

fn condition(ops: &mut Vec<Op>, that: &Cond) {
    expression(ops, &that.expr);
    ops.push(Op::Compare(that.equal, that.number));
}
