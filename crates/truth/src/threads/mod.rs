//! Small random programs with threads, as C text and as something that can be [enumerated](enumerate).

pub mod crowd;
pub mod enumerate;
pub mod few;

use std::fmt::Write;

use rhumb_random::next;

/// Shared variables, which are 0 at first; and mutexes.
const SHARED: u64 = 3;
const LOCKS: u64 = 2;

/// Local variables of a thread, which are 0 at first.
const LOCALS: u64 = 2;

/// A program: what each thread does. The first one begins the others, and waits for them before its last assertion.
#[derive(Clone, Debug)]
pub struct Threaded {
    /// The bodies; the first is the main thread's.
    pub threads: Vec<Vec<Stmt>>,
    /// What has to hold at the end.
    pub last: Cond,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Sets a shared variable.
    Write(u64, Expr),
    /// Sets a local variable.
    Set(u64, Expr),
    /// A choice.
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    /// Twice.
    Twice(u64, Vec<Stmt>),
    /// With a mutex.
    Locked(u64, Vec<Stmt>),
    /// Without interruption.
    Atomic(Vec<Stmt>),
    /// An atomic addition to a shared variable.
    Add(u64, u64),
    /// Waits in a loop.
    Await(Cond),
    /// The run counts only if this holds.
    Assume(Cond),
    /// This has to hold.
    Assert(Cond),
    /// Begins a thread of a kind, whose first local variable is this; nobody waits for it.
    Create(u64, Expr),
    /// As often as somebody outside says.
    Loop(Vec<Stmt>),
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A number.
    Const(u64),
    /// A shared variable.
    Shared(u64),
    /// A local variable.
    Local(u64),
    /// 0 or 1, from outside.
    Input,
    /// A sum, from left to right.
    Sum(Box<Expr>, Box<Expr>),
    /// The remainder of a division by 4.
    Masked(Box<Expr>),
}

/// A condition: whether an expression is equal to, or less than, a number.
#[derive(Clone, Debug)]
pub struct Cond {
    /// The expression.
    pub expr: Expr,
    /// Equal, or less.
    pub equal: bool,
    /// The number.
    pub number: u64,
}

struct Maker(u64);

impl Maker {
    fn below(&mut self, count: u64) -> u64 {
        next(&mut self.0) % count
    }

    fn expr(&mut self, depth: u32) -> Expr {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Expr::Const(self.below(3)),
            1 | 2 => Expr::Shared(self.below(SHARED)),
            3 => Expr::Local(self.below(LOCALS)),
            4 => match self.below(3) {
                0 => Expr::Input,
                _ => Expr::Const(1),
            },
            _ => Expr::Sum(
                Box::new(self.expr(depth - 1)),
                Box::new(self.expr(depth - 1)),
            ),
        }
    }

    fn cond(&mut self) -> Cond {
        Cond {
            expr: self.expr(1),
            equal: self.below(2) == 0,
            number: self.below(4),
        }
    }

    fn block(&mut self, depth: u32, length: u64) -> Vec<Stmt> {
        (0..1 + self.below(length))
            .map(|_| self.stmt(depth))
            .collect()
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        match self.below(if depth == 0 { 12 } else { 18 }) {
            0..=4 => Stmt::Write(self.below(SHARED), self.expr(1)),
            5 | 6 => Stmt::Set(self.below(LOCALS), self.expr(1)),
            7 => Stmt::Add(self.below(SHARED), 1 + self.below(2)),
            8 | 9 => Stmt::Assert(self.cond()),
            10 => Stmt::Await(Cond {
                expr: Expr::Shared(self.below(SHARED)),
                equal: self.below(2) == 0,
                number: 1,
            }),
            11 => Stmt::Assume(self.cond()),
            12 | 13 => Stmt::If(
                self.cond(),
                self.block(depth - 1, 2),
                self.block(depth - 1, 2),
            ),
            14 => Stmt::Twice(self.below(1 << 16), self.block(depth - 1, 2)),
            15 | 16 => Stmt::Locked(self.below(LOCKS), self.block(depth - 1, 3)),
            _ => Stmt::Atomic(vec![
                Stmt::Write(self.below(SHARED), self.expr(1)),
                Stmt::Set(self.below(LOCALS), self.expr(1)),
            ]),
        }
    }
}

/// The program that a seed stands for.
pub fn generate(seed: u64) -> Threaded {
    let mut maker = Maker(seed);
    let count = 2 + maker.below(2);
    let threads = (0..count).map(|_| maker.block(2, 4)).collect();
    let last = maker.cond();
    Threaded { threads, last }
}

impl Threaded {
    /// The same without assertions, if it is one that real threads always come to the end of: nothing waits but for a
    /// mutex, and has none while it does.
    pub fn for_machines(&self) -> Option<Threaded> {
        let threads = self.threads.iter();
        let threads: Option<Vec<_>> = threads.map(|body| for_machines(body, false)).collect();
        Some(Threaded {
            threads: threads?,
            last: self.last.clone(),
        })
    }

    /// C text. For machines shared variables are atomic, nothing comes from outside, and what they are at the end is the status.
    pub fn source(&self, for_machines: bool) -> String {
        let mut text = String::from("#include <pthread.h>\n#include <assert.h>\n");
        text += "extern void __VERIFIER_assume(int);\nextern _Bool __VERIFIER_nondet_bool(void);\n";
        text += "extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n";
        let kind = match for_machines {
            true => "_Bool __VERIFIER_nondet_bool(void) { return 0; }\n_Atomic int",
            false => "int",
        };
        let _ = writeln!(text, "{kind} s0, s1, s2;");
        for lock in 0..LOCKS {
            let _ = writeln!(text, "pthread_mutex_t m{lock} = PTHREAD_MUTEX_INITIALIZER;");
        }
        for (number, thread) in self.threads.iter().enumerate().skip(1) {
            let _ = writeln!(text, "void *t{number}(void *p) {{\n  int l0 = 0, l1 = 0;");
            write_block(&mut text, thread, 1);
            text += "  return 0;\n}\n";
        }
        text += "int main(void) {\n  int l0 = 0, l1 = 0;\n  pthread_t ids[4];\n";
        for number in 1..self.threads.len() {
            let _ = writeln!(text, "  pthread_create(&ids[{number}], 0, t{number}, 0);");
        }
        write_block(&mut text, &self.threads[0], 1);
        for number in 1..self.threads.len() {
            let _ = writeln!(text, "  pthread_join(ids[{number}], 0);");
        }
        if for_machines {
            text += "  return (s0 & 3) | (s1 & 3) << 2 | (s2 & 3) << 4;\n}\n";
        } else {
            let _ = writeln!(text, "  assert({});\n  return 0;\n}}", cond(&self.last));
        }
        text
    }
}

fn for_machines(block: &[Stmt], has_lock: bool) -> Option<Vec<Stmt>> {
    let mut kept = Vec::new();
    for stmt in block {
        kept.push(match stmt {
            Stmt::Assert(_) => continue,
            Stmt::Write(..) | Stmt::Set(..) | Stmt::Add(..) => stmt.clone(),
            Stmt::Await(_) | Stmt::Assume(_) | Stmt::Atomic(_) => return None,
            Stmt::Create(..) | Stmt::Loop(_) => return None,
            Stmt::If(that, yes, no) => Stmt::If(
                that.clone(),
                for_machines(yes, has_lock)?,
                for_machines(no, has_lock)?,
            ),
            Stmt::Twice(name, body) => Stmt::Twice(*name, for_machines(body, has_lock)?),
            Stmt::Locked(..) if has_lock => return None,
            Stmt::Locked(lock, body) => Stmt::Locked(*lock, for_machines(body, true)?),
        });
    }
    Some(kept)
}

fn write_block(text: &mut String, block: &[Stmt], depth: usize) {
    let indent = "  ".repeat(depth);
    for stmt in block {
        let _ = match stmt {
            Stmt::Write(shared, value) => writeln!(text, "{indent}s{shared} = {};", expr(value)),
            Stmt::Set(local, value) => writeln!(text, "{indent}l{local} = {};", expr(value)),
            Stmt::Add(shared, number) => {
                writeln!(text, "{indent}__sync_fetch_and_add(&s{shared}, {number});")
            }
            Stmt::Await(until) => writeln!(text, "{indent}while (!({}))\n{indent}  ;", cond(until)),
            Stmt::Assume(that) => writeln!(text, "{indent}__VERIFIER_assume({});", cond(that)),
            Stmt::Assert(that) => writeln!(text, "{indent}assert({});", cond(that)),
            Stmt::If(that, yes, no) => {
                let _ = writeln!(text, "{indent}if ({}) {{", cond(that));
                write_block(text, yes, depth + 1);
                let _ = writeln!(text, "{indent}}} else {{");
                write_block(text, no, depth + 1);
                writeln!(text, "{indent}}}")
            }
            Stmt::Twice(name, body) => {
                let _ = writeln!(
                    text,
                    "{indent}for (int i{name} = 0; i{name} < 2; i{name}++) {{"
                );
                write_block(text, body, depth + 1);
                writeln!(text, "{indent}}}")
            }
            Stmt::Locked(lock, body) => {
                let _ = writeln!(text, "{indent}pthread_mutex_lock(&m{lock});");
                write_block(text, body, depth);
                writeln!(text, "{indent}pthread_mutex_unlock(&m{lock});")
            }
            Stmt::Atomic(body) => {
                let _ = writeln!(text, "{indent}__VERIFIER_atomic_begin();");
                write_block(text, body, depth);
                writeln!(text, "{indent}__VERIFIER_atomic_end();")
            }
            Stmt::Create(kind, value) => writeln!(
                text,
                "{indent}{{ pthread_t id; pthread_create(&id, 0, t{kind}, (void *)(long){}); }}",
                expr(value)
            ),
            Stmt::Loop(body) => {
                let _ = writeln!(text, "{indent}while (__VERIFIER_nondet_bool()) {{");
                write_block(text, body, depth + 1);
                writeln!(text, "{indent}}}")
            }
        };
    }
}

fn expr(value: &Expr) -> String {
    match value {
        Expr::Const(number) => number.to_string(),
        Expr::Shared(shared) => format!("s{shared}"),
        Expr::Local(local) => format!("l{local}"),
        Expr::Input => "__VERIFIER_nondet_bool()".to_owned(),
        Expr::Sum(a, b) => format!("({} + {})", expr(a), expr(b)),
        Expr::Masked(value) => format!("({} & 3)", expr(value)),
    }
}

fn cond(that: &Cond) -> String {
    let operator = if that.equal { "==" } else { "<" };
    format!("{} {operator} {}", expr(&that.expr), that.number)
}
