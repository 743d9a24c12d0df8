//! Cases of expressions, against the operators themselves.

use std::sync::Arc;

use rhumb_program::interp::eval as exact;
use rhumb_program::{
    BinOp, DataModel, Decl, ExprId, IntType, Program, Scope, SourceMap, Span, Type, Var, VarId,
};

use super::{Eval, KnownState, Range, Slots, Value, covers};

struct Seats;

impl Slots for Seats {
    fn slot(&self, var: VarId) -> Option<usize> {
        Some(var.index())
    }
}

const TYPE: IntType = IntType::signed(4);

/// A program with three variables of four bits, and its expressions of two operators over them and a number.
fn expressions() -> (Program, Vec<ExprId>) {
    let sources = SourceMap::new("", Arc::from(&b""[..]));
    let mut program = Program::empty(DataModel::Lp64, Arc::new(sources));
    let mut leaves = Vec::new();
    for name in ["x", "y", "z"] {
        let span = Span::new(0, 0);
        let decl = Decl {
            name: name.into(),
            span,
            visible: span,
        };
        let var = program.vars.push(Var {
            decl,
            ty: Type::Int(TYPE),
            scope: Scope::Global,
            init: None,
        });
        leaves.push(program.exprs.var(var, Type::Int(TYPE)));
    }
    leaves.push(program.exprs.int(TYPE, 3));
    let inner = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::And, BinOp::Rem];
    let mut found = Vec::new();
    for op in inner {
        for &a in &leaves {
            for &b in &leaves {
                let sum = program.exprs.binary(op, a, b);
                let wide = program.exprs.cast(Type::Int(IntType::signed(6)), sum);
                let narrow = program.exprs.cast(Type::Int(IntType::unsigned(3)), sum);
                found.extend([sum, wide, narrow]);
                for op in [BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne] {
                    found.push(program.exprs.binary(op, sum, leaves[1]));
                    found.push(program.exprs.binary(op, leaves[2], sum));
                }
            }
        }
    }
    (program, found)
}

fn exactly(program: &Program, expr: ExprId, numbers: &[i128]) -> Option<u128> {
    use rhumb_program::ExprKind;
    let exprs = &program.exprs;
    match exprs[expr].kind {
        ExprKind::Const(bits) => Some(bits),
        ExprKind::Var(var) => Some(TYPE.wrap(numbers[var.index()] as u128)),
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (exactly(program, a, numbers)?, exactly(program, b, numbers)?);
            exact::binary(op, exprs.ty(a), x, exprs.ty(b), y).ok()
        }
        ExprKind::Cast(a) => {
            let bits = exactly(program, a, numbers)?;
            exact::cast(exprs.ty(a), exprs.ty(expr), bits).ok()
        }
        _ => None,
    }
}

/// Whether a state has these numbers, and a value then may be that number.
fn admits(state: &KnownState, numbers: &[i128], value: Value, number: i128) -> bool {
    let mut state = state.clone();
    for (slot, &number) in numbers.iter().enumerate() {
        let own = state.get(slot);
        match state.equated(own, Value::Number(number)) {
            Some(next) => state = next,
            None => return false,
        }
    }
    state.equated(value, Value::Number(number)).is_some()
}

#[test]
fn no_run_is_lost_between_the_cases() {
    let (program, expressions) = expressions();
    let eval = Eval {
        program: &program,
        slots: Seats,
    };
    for expr in expressions {
        // x is anything, y in a range without a number, z equal to y but for one.
        let mut state = KnownState::new(3);
        let y = state.symbol(Range::new(-3, 4));
        state.set(1, y);
        let Some(mut state) = state.differing(y, 1) else {
            panic!("there is more than 1");
        };
        let Value::Symbol(symbol, _) = y else {
            panic!("it is a symbol");
        };
        state.set(2, Value::Symbol(symbol, 2));
        let cases = eval.values(state, expr);
        for x in -8..8 {
            for y in (-3..5).filter(|&y| y != 1) {
                let numbers = [x, y, y + 2];
                let Some(bits) = exactly(&program, expr, &numbers) else {
                    continue;
                };
                let number = match program.exprs.ty(expr) {
                    Type::Int(int) => int.extend(bits),
                    _ => bits as i128,
                };
                let mut cases = cases.iter();
                let is_there = cases.any(|(state, value)| admits(state, &numbers, *value, number));
                assert!(is_there, "{:?} {numbers:?} {number}", program.exprs[expr]);
            }
        }
    }
}

#[test]
fn an_order_is_kept_and_compared() {
    let all = vec![Some(Range::new(-8, 7)); 2];
    let mut state = KnownState::new(2);
    let (x, y) = (
        state.symbol(Range::new(-8, 7)),
        state.symbol(Range::new(-8, 7)),
    );
    state.set(0, x);
    state.set(1, y);
    let less = state.below(x, y, 1).expect("x < y can be");
    assert!(less.below(y, x, 0).is_none(), "and then not y <= x");
    let at_most = state.below(x, y, 0).expect("x <= y can be");
    let parted = at_most.parted(x, y).expect("x != y, too");
    assert!(parted.below(y, x, 0).is_none(), "which is x < y");
    let (shape, less) = less.normal(&all);
    let (same, at_most) = at_most.normal(&all);
    assert_eq!(shape, same);
    assert!(covers(&at_most, &less) && !covers(&less, &at_most));
    let (_, free) = state.clone().normal(&all);
    assert_ne!(
        state.normal(&all).0,
        shape,
        "of x and y alone nothing is known"
    );
    assert_eq!(free.len(), 0);
}
