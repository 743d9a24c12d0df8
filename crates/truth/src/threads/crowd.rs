//! Small random programs that create threads without a bound, over small ranges.

use std::fmt::Write;

use super::{Cond, Expr, LOCALS, LOCKS, Maker, SHARED, Stmt, write_block};

/// A program: what the first thread and each kind of other ones do.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// The bodies; the first is the main thread's.
    pub kinds: Vec<Vec<Stmt>>,
}

/// The program that a seed stands for. The first thread creates others in a loop, and these may create others.
pub fn generate(seed: u64) -> Crowd {
    let mut maker = Maker(seed);
    let others = 1 + maker.below(2);
    let mut kinds = Vec::new();
    for kind in 0..=others {
        let mut body = maker.crowd_block(1, 3, others);
        if kind == 0 {
            let mut round = match maker.below(2) {
                0 => Vec::new(),
                _ => maker.crowd_block(1, 2, others),
            };
            for other in 1..=others {
                let argument = maker.masked();
                round.push(Stmt::Create(other, argument));
            }
            let at = maker.below(body.len() as u64 + 1) as usize;
            body.insert(at, Stmt::Loop(round));
        }
        kinds.push(body);
    }
    Crowd { kinds }
}

impl Maker {
    fn masked(&mut self) -> Expr {
        match self.expr(1) {
            sum @ Expr::Sum(..) => Expr::Masked(Box::new(sum)),
            other => other,
        }
    }

    fn crowd_block(&mut self, depth: u32, length: u64, kinds: u64) -> Vec<Stmt> {
        (0..1 + self.below(length))
            .map(|_| self.crowd_stmt(depth, kinds))
            .collect()
    }

    /// Values stay below 4, so that there are few states.
    fn crowd_stmt(&mut self, depth: u32, kinds: u64) -> Stmt {
        match self.below(if depth == 0 { 10 } else { 17 }) {
            0..=2 => Stmt::Write(self.below(SHARED), self.masked()),
            3 | 4 => Stmt::Set(self.below(LOCALS), self.masked()),
            5 => Stmt::Assert(self.crowd_cond()),
            6 => Stmt::Await(Cond {
                expr: Expr::Shared(self.below(SHARED)),
                equal: self.below(2) == 0,
                number: 1,
            }),
            7 | 8 => Stmt::Assume(self.crowd_cond()),
            9 => match self.below(3) {
                0 => Stmt::Create(1 + self.below(kinds), self.masked()),
                _ => Stmt::Set(self.below(LOCALS), Expr::Input),
            },
            10 | 11 => Stmt::If(
                self.crowd_cond(),
                self.crowd_block(depth - 1, 2, kinds),
                self.crowd_block(depth - 1, 2, kinds),
            ),
            12 => Stmt::Loop(self.crowd_block(depth - 1, 2, kinds)),
            13 | 14 => Stmt::Locked(self.below(LOCKS), self.crowd_block(depth - 1, 3, kinds)),
            _ => Stmt::Atomic(vec![
                Stmt::Assume(self.crowd_cond()),
                Stmt::Write(self.below(SHARED), self.masked()),
                Stmt::Set(self.below(LOCALS), self.masked()),
            ]),
        }
    }

    /// Rarely false: a program of which many threads are can do so much that hardly anything else holds of it.
    fn crowd_cond(&mut self) -> Cond {
        Cond {
            expr: self.expr(1),
            equal: self.below(3) == 0,
            number: 1 + self.below(4),
        }
    }
}

impl Crowd {
    /// C text in which one variable of each thread is an object, whose address is taken.
    pub fn source_with_objects(&self) -> String {
        let source = self.source();
        source.replace("l1 = 0;\n", "l1 = 0, *own = &l1;\n  (void)own;\n")
    }

    /// C text.
    pub fn source(&self) -> String {
        let mut text = String::from("#include <pthread.h>\n#include <assert.h>\n");
        text += "extern void __VERIFIER_assume(int);\nextern _Bool __VERIFIER_nondet_bool(void);\n";
        text += "extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n";
        text += "int s0, s1, s2;\n";
        for lock in 0..LOCKS {
            let _ = writeln!(text, "pthread_mutex_t m{lock} = PTHREAD_MUTEX_INITIALIZER;");
        }
        for kind in 1..self.kinds.len() {
            let _ = writeln!(text, "void *t{kind}(void *p);");
        }
        for (kind, body) in self.kinds.iter().enumerate().skip(1) {
            let _ = writeln!(
                text,
                "void *t{kind}(void *p) {{\n  int l0 = (int)(long)p, l1 = 0;"
            );
            write_block(&mut text, body, 1);
            text += "  return 0;\n}\n";
        }
        text += "int main(void) {\n  int l0 = 0, l1 = 0;\n";
        write_block(&mut text, &self.kinds[0], 1);
        // The others may go on.
        text += "  pthread_exit(0);\n}\n";
        text
    }
}
