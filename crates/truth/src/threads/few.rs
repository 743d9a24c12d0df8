//! Small random programs with few threads that nobody waits for, some of them alike.

use super::crowd::Crowd;
use super::{Expr, Maker, Stmt};

/// Threads that are created.
pub const CREATED: usize = 3;

/// The program that a seed stands for. The first thread creates two or three others.
pub fn generate(seed: u64) -> Crowd {
    let mut maker = Maker(seed);
    let others = 1 + maker.below(2);
    let mut main = Vec::new();
    for _ in 0..2 + maker.below(2) {
        if maker.below(3) == 0 {
            main.push(maker.stmt(1));
        }
        let kind = 1 + maker.below(others);
        main.push(Stmt::Create(kind, Expr::Const(maker.below(2))));
    }
    main.extend(maker.block(1, 3));
    if maker.below(2) == 0 {
        main.push(Stmt::Assume(maker.cond()));
        main.push(Stmt::Assert(maker.cond()));
    }
    let bodies = (0..others).map(|_| maker.block(1, 3));
    let mut kinds: Vec<Vec<Stmt>> = bodies.collect();
    kinds.insert(0, main);
    Crowd { kinds }
}
