//! Evaluation against the solver: one meaning, two roads.

mod common;

use common::{Random, Scope, Shape, Test};
use dashu_int::UBig;
use rhumb_logic::eval::evaluate;
use rhumb_logic::{
    Answer, Assignment, Budget, Int, Op, Session, SessionOptions, Sort, Symbol, Term, Terms, Value,
};

/// A formula holds in every model that the solver finds for it, and the solver agrees on its value in random states.
fn agree(session: &mut Session, formula: Term, states: &[Assignment]) -> (u32, u32) {
    let terms = session.terms().clone();
    // A model of a product of bit-vectors may be hard to find; a value never is.
    let (some, budget) = (Budget::unlimited().with_units(300_000), Budget::unlimited());
    let (mut models, mut holding) = (0, 0);
    session.push();
    for formula in [formula, terms.not(formula)] {
        if let Answer::Sat(model) = session.check_assuming(&[formula], &some) {
            models += 1;
            let value = evaluate(&terms, formula, model.assignment());
            assert_eq!(value, Some(Value::Bool(true)), "{}", terms.display(formula));
        }
    }
    for state in states {
        let value = evaluate(&terms, formula, state).expect("everything here has a value");
        let mut question: Vec<Term> = (state.iter())
            .map(|(&symbol, value)| equation(&terms, symbol, value))
            .collect();
        question.push(formula);
        let sat = session.is_sat(&question, &budget);
        assert_eq!(
            sat,
            value.as_bool(),
            "{} in {state:?}",
            terms.display(formula)
        );
        holding += u32::from(sat == Some(true));
    }
    session.pop();
    (models, holding)
}

fn equation(terms: &Terms, symbol: Symbol, value: &Value) -> Term {
    let literal = match value {
        Value::Bool(value) => terms.bool(*value),
        Value::Int(value) => terms.int(value.clone()),
        Value::Real(value) => terms.real(value.clone()),
        Value::Bits(value) => match terms.symbol_info(symbol).sort {
            Sort::BitVec(width) => terms.bits(width, value.clone()),
            other => panic!("a bit-vector is not of sort {other:?}"),
        },
    };
    terms.eq(terms.var(symbol), literal)
}

#[test]
fn integer_formulas() {
    let mut random = Random(31);
    let (mut models, mut holding, mut total) = (0, 0, 0);
    for round in 0..12 {
        let scope = Scope::new(3, 2);
        let mut session = Session::new(scope.terms.clone(), SessionOptions::default());
        let shape = Shape {
            depth: 3,
            huge: round % 2 == 0,
            products: false,
        };
        for _ in 0..50 {
            let formula = Test::random(&mut random, &scope, shape).build(&scope);
            let states: Vec<Assignment> = (0..3)
                .map(|_| scope.assignment(&scope.point(&mut random, shape.huge)))
                .collect();
            let (found, true_in) = agree(&mut session, formula, &states);
            models += found;
            holding += true_in;
            total += 3;
        }
    }
    assert!(models > 600, "{models} models");
    assert!(
        (total / 4..total * 3 / 4).contains(&holding),
        "{holding} of {total} hold"
    );
}

/// Euclidean division by anything, and bit-vectors of several widths with the conversions between them and integers.
#[test]
fn operations_of_other_theories() {
    let mut random = Random(32);
    let (mut models, mut formulas_tried) = (0, 0);
    for width in [1u32, 7, 32, 64] {
        let terms = std::sync::Arc::new(Terms::new());
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        let bits: Vec<Symbol> = (0..2)
            .map(|_| terms.symbol("b", Sort::BitVec(width)))
            .collect();
        let ints: Vec<Symbol> = (0..2).map(|_| terms.symbol("n", Sort::Int)).collect();
        let (a, b) = (terms.var(bits[0]), terms.var(bits[1]));
        let (m, n) = (terms.var(ints[0]), terms.var(ints[1]));
        let pair = |op: Op| terms.op(op, [a, b].as_slice());
        let one = |op: Op, of: Term| terms.op(op, [of].as_slice());
        let mut formulas: Vec<Term> = [
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvSdiv,
            Op::BvSrem,
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
        ]
        .map(|op| terms.op(Op::BvUle, [pair(op), a].as_slice()))
        .into();
        formulas.extend([Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle].map(pair));
        formulas.extend([
            terms.le(one(Op::BvToInt, a), one(Op::BvToIntSigned, b)),
            terms.eq(one(Op::IntToBv(width), m), b),
            terms.eq(one(Op::BvNeg, a), one(Op::BvNot, b)),
            terms.op(
                Op::BvSlt,
                [one(Op::BvSignExtend(3), a), one(Op::BvZeroExtend(3), b)].as_slice(),
            ),
            terms.eq(
                one(Op::BvExtract(width - 1, width / 2), pair(Op::BvConcat)),
                one(Op::BvExtract(width - 1, width / 2), b),
            ),
        ]);
        let division = |op: Op| terms.op(op, [m, n].as_slice());
        let defined = terms.ne(n, terms.int(0));
        for op in [Op::IntDiv, Op::IntMod] {
            formulas.push(terms.and([defined, terms.le(division(op), terms.int(1))]));
        }
        for formula in formulas {
            let states: Vec<Assignment> = (0..6)
                .map(|_| {
                    let mut state = Assignment::default();
                    for &symbol in &bits {
                        let value = match random.below(3) {
                            0 => random.below(3) as u64,
                            1 => u64::MAX - random.below(3) as u64,
                            _ => random.next(),
                        };
                        let low = UBig::from(value) % (UBig::ONE << width as usize);
                        state.insert(symbol, Value::Bits(low));
                    }
                    for &symbol in &ints {
                        let value = Int::from(random.between(-9, 9));
                        state.insert(symbol, Value::Int(value));
                    }
                    state
                })
                .collect();
            models += agree(&mut session, formula, &states).0;
            formulas_tried += 1;
        }
    }
    assert!(
        models > formulas_tried,
        "{models} models of {formulas_tried} formulas and their negations"
    );
}
