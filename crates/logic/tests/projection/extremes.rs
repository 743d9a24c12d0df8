//! Inputs at the edge: nothing to do, nothing possible, no bounds, huge numbers, other theories.

use std::sync::Arc;

use rhumb_logic::project::{Lazy, ProjectionLimits, Projector, Spent, Verdict, model_based};
use rhumb_logic::{Budget, Int, Op, Sort, Terms};

use super::{budget, is_sat};

#[test]
fn empty_systems() {
    let terms = Arc::new(Terms::new());
    let (x, k) = (terms.symbol("x", Sort::Int), terms.symbol("k", Sort::Int));
    let mut projector = Projector::new(terms.clone());
    let (yes, no) = (terms.bool(true), terms.bool(false));
    for formula in [yes, no, terms.ge(terms.var(x), terms.int(0))] {
        assert_eq!(projector.exact(formula, &[k], &budget()), Ok(formula));
        assert_eq!(projector.exact(formula, &[], &budget()), Ok(formula));
        assert_eq!(projector.rational(formula, &[k], &budget()), Ok(formula));
    }
    assert_eq!(
        model_based(&terms, &[], &[k], &Default::default()),
        Some(vec![])
    );
    assert_eq!(model_based(&terms, &[no], &[k], &Default::default()), None);
    let mut accept = |_| Verdict::Rejected(None);
    let answer = projector.lazy(yes, &[k], &budget(), &mut accept);
    assert_eq!(answer, Ok(Lazy::Hopeless(None)));
}

#[test]
fn unsatisfiable_and_unbounded() {
    let terms = Arc::new(Terms::new());
    let (x, k) = (terms.symbol("x", Sort::Int), terms.symbol("k", Sort::Int));
    let (vx, vk) = (terms.var(x), terms.var(k));
    let mut projector = Projector::new(terms.clone());
    // 2k = 2x + 1 by way of a disjunction, so that no normal form sees it.
    let odd = terms.or([
        terms.eq(
            terms.scale(2, vk),
            terms.add(terms.scale(2, vx), terms.int(1)),
        ),
        terms.and([terms.gt(vk, vx), terms.lt(vk, vx)]),
    ]);
    assert_eq!(projector.exact(odd, &[k], &budget()), Ok(terms.bool(false)));
    let above = terms.gt(terms.scale(3, vk), vx);
    assert_eq!(
        projector.exact(above, &[k], &budget()),
        Ok(terms.bool(true))
    );
    let far = terms.and([above, terms.divides(1000, terms.add(vk, vx))]);
    assert_eq!(projector.exact(far, &[k], &budget()), Ok(terms.bool(true)));
    assert_eq!(
        projector.exact(far, &[k, x], &budget()),
        Ok(terms.bool(true))
    );
}

#[test]
fn huge_numbers() {
    let terms = Arc::new(Terms::new());
    let (x, k, m) = (
        terms.symbol("x", Sort::Int),
        terms.symbol("k", Sort::Int),
        terms.symbol("m", Sort::Int),
    );
    let (vx, vk, vm) = (terms.var(x), terms.var(k), terms.var(m));
    let huge = Int::ONE << 300usize;
    let mut projector = Projector::new(terms.clone());
    // x = huge * k + (huge + 1) * m, between bounds, with a congruence.
    let sum = terms.add(
        terms.scale(huge.clone(), vk),
        terms.scale(&huge + Int::ONE, vm),
    );
    let formula = terms.and([
        terms.eq(vx, sum),
        terms.within(0, vm, 5),
        terms.within(-7, vk, huge.clone()),
        terms.divides(&huge - Int::ONE, terms.add(vk, vm)),
    ]);
    let result = projector.exact(formula, &[k, m], &budget());
    if let Ok(result) = result {
        assert_eq!(terms.symbols([result]), [x]);
        assert_eq!(
            is_sat(&mut projector, &[formula, terms.not(result)]),
            Some(false)
        );
    }
    assert!(
        matches!(result, Ok(_) | Err(Spent::Solver(_))),
        "{result:?}"
    );
    // A quotient by a huge number is not enumerated.
    let quotient = terms.div(terms.add(vk, vx), huge.clone());
    let formula = terms.and([terms.eq(quotient, terms.int(3)), terms.within(0, vk, 10)]);
    let result = projector.exact(formula, &[k], &budget());
    let low = terms.int(&huge * Int::from(3) - Int::from(10));
    let high = terms.int(&huge * Int::from(4) - Int::ONE);
    let expected = terms.and([terms.le(low, vx), terms.le(vx, high)]);
    assert_eq!(result, Ok(expected));
}

#[test]
fn budgets_end_it() {
    let terms = Arc::new(Terms::new());
    let (x, k) = (terms.symbol("x", Sort::Int), terms.symbol("k", Sort::Int));
    let (vx, vk) = (terms.var(x), terms.var(k));
    // The squares: infinitely many values, one at a time.
    let formula = terms.and([
        terms.eq(vx, terms.mul(vk, vk)),
        terms.within(0, vk, 1_000_000),
        terms.or([terms.ge(vx, terms.int(0)), terms.le(vx, vk)]),
    ]);
    let limits = ProjectionLimits {
        rounds: 5,
        literals: 100,
    };
    let mut projector = Projector::with_limits(terms.clone(), limits);
    let answer = projector.exact(formula, &[k], &budget());
    assert!(answer.is_err(), "{answer:?}");
    let spent = Budget::time(std::time::Duration::ZERO);
    let formula = terms.or([terms.lt(vx, terms.scale(3, vk)), terms.eq(vk, vx)]);
    let formula = terms.and([
        formula,
        terms.le(terms.scale(2, vk), terms.int(7)),
        terms.ge(vk, terms.int(0)),
    ]);
    let answer = projector.exact(formula, &[k], &spent);
    assert_eq!(answer, Err(Spent::Time));
    assert!(projector.exact(formula, &[k], &budget()).is_ok());
}

#[test]
fn other_theories() {
    let terms = Arc::new(Terms::new());
    let (b, c) = (
        terms.symbol("b", Sort::BitVec(2)),
        terms.symbol("c", Sort::BitVec(2)),
    );
    let (vb, vc) = (terms.var(b), terms.var(c));
    let mut projector = Projector::new(terms.clone());
    // Some b is below c.
    let below = terms.op(Op::BvUlt, [vb, vc]);
    let above_zero = terms.ne(vc, terms.bits(2, 0u8.into()));
    let result = projector
        .exact(below, &[b], &budget())
        .expect("four values");
    for (left, right) in [(result, above_zero), (above_zero, result)] {
        assert_eq!(
            is_sat(&mut projector, &[left, terms.not(right)]),
            Some(false)
        );
    }
    // An array has no value to be replaced by.
    let sort = terms.array_sort(Sort::Int, Sort::Int);
    let a = terms.symbol("a", sort);
    let x = terms.fresh("x", Sort::Int);
    let element = terms.op(Op::Select, [terms.var(a), x]);
    let formula = terms.gt(element, x);
    assert_eq!(
        projector.exact(formula, &[a], &budget()),
        Err(Spent::Uninterpreted)
    );
}
