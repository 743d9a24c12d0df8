//! What a session answers, on formulas with known answers.

use std::sync::Arc;
use std::time::Duration;

use rhumb_logic::session::{Purpose, SolverKind};
use rhumb_logic::term::{FunctionInfo, RelationInfo};
use rhumb_logic::{
    Answer, Budget, Int, Model, Op, Rat, Session, SessionOptions, Sort, Term, Terms, Unknown,
    Value, Wanted,
};

fn session() -> (Arc<Terms>, Session) {
    let terms = Arc::new(Terms::new());
    let session = Session::new(Arc::clone(&terms), SessionOptions::default());
    (terms, session)
}

fn unlimited() -> Budget {
    Budget::time(Duration::from_secs(60))
}

fn model(answer: Answer) -> Model {
    match answer {
        Answer::Sat(model) => model,
        other => panic!("a model was expected, not {other:?}"),
    }
}

fn core(answer: Answer) -> Vec<Term> {
    match answer {
        Answer::Unsat(core) => core,
        other => panic!("a core was expected, not {other:?}"),
    }
}

fn int(model: &Model, terms: &Terms, term: Term) -> Int {
    let symbol = terms.as_symbol(term).expect("a symbol");
    let value = model.value(symbol).expect("a value");
    value.as_int().expect("an integer").clone()
}

#[test]
fn levels_come_and_go() {
    let (t, mut s) = session();
    let x = t.fresh("x", Sort::Int);
    let budget = unlimited();
    assert!(s.check(&budget).is_sat(), "nothing asserted");
    s.assert(t.le(t.int(3), x));
    s.push();
    s.assert(t.le(x, t.int(2)));
    assert_eq!(core(s.check(&budget)), []);
    assert_eq!(s.level(), 1);
    s.pop();
    s.pop();
    assert_eq!(s.level(), 0);
    let found = model(s.check(&budget));
    assert!(int(&found, &t, x) >= Int::from(3));
    s.push();
    s.assert(t.bool(false));
    s.pop();
    s.push();
    s.push();
    s.assert(t.eq(x, t.int(7)));
    assert_eq!(int(&model(s.check(&budget)), &t, x), Int::from(7));
    s.pop();
    s.pop();
    s.push();
    s.assert(t.eq(x, t.int(8)));
    assert_eq!(int(&model(s.check(&budget)), &t, x), Int::from(8));
    assert_eq!(s.assertions().count(), 2);
}

#[test]
fn cores_name_assumptions() {
    let (t, mut s) = session();
    let [x, y] = ["x", "y"].map(|name| t.fresh(name, Sort::Int));
    let b = t.fresh("b", Sort::Bool);
    let budget = unlimited();
    s.assert(t.implies(b, t.le(x, t.int(0))));
    let positive = t.lt(t.int(0), x);
    let other = t.and([t.le(y, t.int(3)), t.le(t.int(3), y)]);
    let mut found = core(s.check_assuming(&[other, positive, b, t.bool(true)], &budget));
    found.sort();
    let mut expected = vec![positive, b];
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(
        int(&model(s.check_assuming(&[other], &budget)), &t, y),
        Int::from(3)
    );
    assert_eq!(
        core(s.check_assuming(&[other, t.bool(false)], &budget)),
        [t.bool(false)]
    );
    // The literal of `positive` was made at level 0; one made on a level that is closed must be defined again.
    s.push();
    let far = t.le(t.int(9), y);
    assert_eq!(core(s.check_assuming(&[far, other], &budget)).len(), 2);
    s.pop();
    assert_eq!(core(s.check_assuming(&[far, other], &budget)).len(), 2);
    let redundant = [t.le(x, t.int(9)), far, t.le(x, t.int(5)), other, positive];
    let mut least = s.minimise_core(&redundant, &budget);
    least.sort();
    let mut expected = vec![far, other];
    expected.sort();
    assert_eq!(least, expected);
    assert_eq!(
        s.entails(t.implies(b, t.not(positive)), &budget),
        Some(true)
    );
    assert_eq!(s.entails(positive, &budget), Some(false));
}

#[test]
fn all_kinds_of_values() {
    let (t, mut s) = session();
    let bit = t.fresh("bit", Sort::Bool);
    let word = t.fresh("word", Sort::BitVec(80));
    let real = t.fresh("real", Sort::Real);
    let huge = t.fresh("huge", Sort::Int);
    let power = Int::ONE << 200usize;
    s.assert(t.not(bit));
    s.assert(t.eq(word, t.bits(80, (dashu_int::UBig::ONE << 79usize) + 5u8)));
    let third = Rat::from_parts((-1).into(), 3u8.into());
    s.assert(t.eq(t.op(Op::RealAdd, [real, real]), t.real(third.clone())));
    s.assert(t.eq(t.scale(power.clone(), huge), t.int(&power * &power)));
    let found = model(s.check(&unlimited()));
    let value = |term| found.value(t.as_symbol(term).expect("a symbol")).cloned();
    assert_eq!(value(bit), Some(Value::Bool(false)));
    assert_eq!(
        value(word),
        Some(Value::Bits((dashu_int::UBig::ONE << 79usize) + 5u8))
    );
    assert_eq!(value(real), Some(Value::Real(third / Rat::from(2))));
    assert_eq!(value(huge), Some(Value::Int(power)));
    assert!(found.is_complete());
    let only = [t.as_symbol(huge).expect("a symbol")];
    let found = model(s.check_wanting(&[], &Wanted::Symbols(only.into()), &unlimited()));
    assert_eq!(found.assignment().len(), 1);
}

#[test]
fn relations_are_used_by_name() {
    let (t, mut s) = session();
    let [a, b] = ["a", "b"].map(|name| t.symbol(name, Sort::Int));
    let next = t.relation(RelationInfo {
        name: "next".into(),
        params: [a, b].into(),
        body: t.eq(t.add(t.var(a), t.int(1)), t.var(b)),
    });
    let twice = {
        let [a, m, b] = ["a", "m", "b"].map(|name| t.symbol(name, Sort::Int));
        let [x, y, z] = [a, m, b].map(|symbol| t.var(symbol));
        t.relation(RelationInfo {
            name: "twice".into(),
            params: [a, m, b].into(),
            body: t.and([t.call(next, [x, y]), t.call(next, [y, z])]),
        })
    };
    let [x, y, z] = ["x", "y", "z"].map(|name| t.fresh(name, Sort::Int));
    // Arguments swapped, and a parameter as an argument: all at once, not one after the other.
    s.assert(t.call(twice, [x, y, z]));
    s.assert(t.eq(x, t.int(5)));
    assert_eq!(int(&model(s.check(&unlimited())), &t, z), Int::from(7));
    s.assert(t.call(next, [t.var(b), t.var(a)]));
    s.assert(t.eq(t.var(a), t.int(1)));
    assert_eq!(
        int(&model(s.check(&unlimited())), &t, t.var(b)),
        Int::from(0)
    );
}

#[test]
fn functions_arrays_and_floats() {
    let (t, mut s) = session();
    let f = t.function(FunctionInfo {
        name: "f".into(),
        params: [Sort::Int].into(),
        result: Sort::Int,
    });
    let [x, y] = ["x", "y"].map(|name| t.fresh(name, Sort::Int));
    s.push();
    s.assert(t.eq(x, y));
    s.assert(t.ne(t.apply(f, [x]), t.apply(f, [y])));
    assert!(s.check(&unlimited()).is_unsat());
    s.pop();
    s.push();
    let sort = t.array_sort(Sort::Int, Sort::Int);
    let array = t.fresh("array", sort);
    let stored = t.op(Op::Store, [array, x, t.int(4)]);
    s.assert(t.ne(t.op(Op::Select, [stored, y]), t.op(Op::Select, [array, y])));
    s.assert(t.ne(x, y));
    assert!(s.check(&unlimited()).is_unsat());
    s.pop();
    let Sort::Array(array_sort) = sort else {
        panic!("an array sort")
    };
    let zeros = t.op(Op::ConstArray(array_sort), [t.int(0)]);
    assert_eq!(
        s.entails(t.eq(t.op(Op::Select, [zeros, x]), t.int(0)), &unlimited()),
        Some(true)
    );
    let one = t.op(Op::FpFromBits(8, 24), [t.bits(32, 0x3f80_0000u32.into())]);
    let sum = t.op(Op::FpAdd, [one, one]);
    let back = t.op(Op::FpToSigned(32), [sum]);
    assert_eq!(
        s.entails(t.eq(back, t.bits(32, 2u8.into())), &unlimited()),
        Some(true)
    );
}

#[test]
fn spent_budgets_are_answers() {
    let (t, mut s) = session();
    let x = t.fresh("x", Sort::Int);
    s.assert(t.lt(t.int(0), x));
    let budget = unlimited();
    assert_eq!(
        s.check(&Budget::time(Duration::ZERO)),
        Answer::Unknown(Unknown::Timeout)
    );
    let cancelled = Budget::unlimited();
    cancelled.cancel.cancel();
    assert_eq!(s.check(&cancelled), Answer::Unknown(Unknown::Cancelled));
    s.set_purpose(Purpose("test"));
    assert!(s.check(&budget).is_sat());
    assert_eq!(s.statistics().by_purpose[&Purpose("test")].sat, 1);
    assert_eq!(s.statistics().by_purpose[&Purpose::GENERAL].unknown, 2);
    assert_eq!(s.statistics().total().queries(), 3);
}

#[test]
fn a_term_of_wrong_sorts_is_refused_and_forgotten() {
    let (t, mut s) = session();
    let x = t.fresh("x", Sort::Int);
    s.push();
    s.assert(t.op(Op::BvUlt, [x, x]));
    let Answer::Unknown(Unknown::Incomplete(reason)) = s.check(&unlimited()) else {
        panic!("no bit-vectors there")
    };
    assert!(!reason.is_empty());
    assert!(matches!(s.check(&unlimited()), Answer::Unknown(_)));
    s.pop();
    s.assert(t.eq(x, t.int(2)));
    assert_eq!(int(&model(s.check(&unlimited())), &t, x), Int::from(2));
}

#[test]
fn every_solver_answers() {
    for solver in [
        SolverKind::Incremental,
        SolverKind::Tactics,
        SolverKind::BitVectors,
    ] {
        let t = Arc::new(Terms::new());
        let options = SessionOptions {
            solver,
            ..SessionOptions::default()
        };
        let mut s = Session::new(Arc::clone(&t), options);
        let x = t.fresh("x", Sort::BitVec(16));
        let square = t.op(Op::BvMul, [x, x]);
        let odd = t.eq(square, t.bits(16, 3u8.into()));
        let nine = t.eq(square, t.bits(16, 9u8.into()));
        s.assert(t.op(Op::BvUlt, [x, t.bits(16, 256u16.into())]));
        assert_eq!(
            core(s.check_assuming(&[odd], &unlimited())),
            [odd],
            "{solver:?}"
        );
        let found = model(s.check_assuming(&[nine], &unlimited()));
        let symbol = t.as_symbol(x).expect("a symbol");
        assert_eq!(
            found.value(symbol),
            Some(&Value::Bits(3u8.into())),
            "{solver:?}"
        );
        s.push();
        s.assert(odd);
        assert!(s.check(&unlimited()).is_unsat());
        s.pop();
        assert!(s.check(&unlimited()).is_sat());
    }
}

#[test]
fn huge_numbers_and_empty_systems() {
    let (t, mut s) = session();
    let [x, y] = ["x", "y"].map(|name| t.fresh(name, Sort::Int));
    let huge = |bits: usize| (Int::ONE << bits) + Int::ONE;
    // Congruences, quotients and bounds with numbers of thousands of bits.
    s.assert(t.congruent(x, huge(3000), huge(2000)));
    s.assert(t.lt(t.int(huge(4000)), x));
    s.assert(t.eq(y, t.div(x, huge(150))));
    let found = model(s.check(&unlimited()));
    let (x, y) = (int(&found, &t, x), int(&found, &t, y));
    assert_eq!(&x % huge(3000), huge(2000));
    assert!(x > huge(4000));
    assert_eq!(y, x / huge(150));
    let (t, mut s) = session();
    assert!(s.check(&unlimited()).is_sat());
    assert!(s.check_assuming(&[], &unlimited()).is_sat());
    assert!(s.minimise_core(&[], &unlimited()).is_empty());
    s.assert(t.and([]));
    assert!(s.check(&unlimited()).is_sat());
    s.assert(t.or([]));
    assert!(s.check(&unlimited()).is_unsat());
    // Coefficients beyond 128 bits that cancel out, an unbounded problem.
    let (t, mut s) = session();
    let [x, y] = ["x", "y"].map(|name| t.fresh(name, Sort::Int));
    let left = t.add(t.scale(huge(200), x), t.scale(-huge(190), y));
    s.assert(t.eq(left, t.int(1)));
    let found = model(s.check(&unlimited()));
    let (x, y) = (int(&found, &t, x), int(&found, &t, y));
    assert_eq!(huge(200) * x - huge(190) * y, Int::ONE);
}

/// Large and deep graphs: neither our stack nor Z3's is the limit, and what is shared is translated once.
#[test]
fn deep_graphs() {
    let (t, mut s) = session();
    let start = t.fresh("p", Sort::Bool);
    let mut formula = start;
    for _ in 0..30_000 {
        let [q, r] = ["q", "r"].map(|name| t.fresh(name, Sort::Bool));
        formula = t.and([t.or([formula, q]), r]);
    }
    s.assert(formula);
    assert!(s.check(&unlimited()).is_sat());
    // As a tree this has more than 2^200 nodes.
    let mut sum = t.fresh("x", Sort::Int);
    for step in 0..200 {
        sum = t.add(t.scale(2, sum), t.modulo(sum, step + 2));
    }
    s.push();
    s.assert(t.eq(sum, t.int(0)));
    assert_ne!(s.is_sat(&[], &unlimited().with_units(1000)), Some(false));
}

#[test]
fn sessions_share_a_store() {
    let terms = Arc::new(Terms::new());
    let x = terms.fresh("x", Sort::Int);
    let work = |number: i64| {
        let terms = Arc::clone(&terms);
        move || {
            let mut s = Session::new(Arc::clone(&terms), SessionOptions::default());
            s.assert(terms.congruent(x, 7, number));
            for low in 0..50 {
                s.push();
                s.assert(terms.within(low, x, low + 6));
                let found = model(s.check(&unlimited()));
                let value = int(&found, &terms, x);
                assert_eq!((value - Int::from(number)) % Int::from(7), Int::ZERO);
                s.pop();
            }
        }
    };
    let threads: Vec<_> = (0..4)
        .map(|number| std::thread::spawn(work(number)))
        .collect();
    for thread in threads {
        thread.join().expect("every session answers");
    }
}

/// What operations on bit-vectors mean, for all pairs of three bits.
#[test]
fn operations_on_bits() {
    const WIDTH: u32 = 3;
    let signed = |value: u64| {
        if value >= 4 {
            value as i64 - 8
        } else {
            value as i64
        }
    };
    let cut = |value: i64| value.rem_euclid(8) as u64;
    type Meaning = fn(u64, u64, i64, i64) -> i64;
    let operations: [(Op, Meaning); 13] = [
        (Op::BvAdd, |a, b, _, _| (a + b) as i64),
        (Op::BvSub, |a, b, _, _| a as i64 - b as i64),
        (Op::BvMul, |a, b, _, _| (a * b) as i64),
        (Op::BvUdiv, |a, b, _, _| {
            a.checked_div(b).unwrap_or(7) as i64
        }),
        (Op::BvUrem, |a, b, _, _| {
            a.checked_rem(b).unwrap_or(a) as i64
        }),
        (Op::BvSdiv, |_, _, a, b| {
            a.checked_div(b).unwrap_or(if a < 0 { 1 } else { -1 })
        }),
        (Op::BvSrem, |_, _, a, b| a.checked_rem(b).unwrap_or(a)),
        (Op::BvAnd, |a, b, _, _| (a & b) as i64),
        (Op::BvOr, |a, b, _, _| (a | b) as i64),
        (Op::BvXor, |a, b, _, _| (a ^ b) as i64),
        (Op::BvShl, |a, b, _, _| (a << b) as i64),
        (Op::BvLshr, |a, b, _, _| (a >> b) as i64),
        (Op::BvAshr, |_, b, a, _| a >> b),
    ];
    let (t, mut s) = session();
    let mut wrong = Vec::new();
    let word = |value: u64| t.bits(WIDTH, value.into());
    for a in 0..8u64 {
        for b in 0..8u64 {
            let [x, y] = [word(a), word(b)];
            for (op, meaning) in operations {
                let result = word(cut(meaning(a, b, signed(a), signed(b))));
                wrong.push(t.ne(t.op(op, [x, y]), result));
            }
            for (op, holds) in [
                (Op::BvUlt, a < b),
                (Op::BvUle, a <= b),
                (Op::BvSlt, signed(a) < signed(b)),
                (Op::BvSle, signed(a) <= signed(b)),
            ] {
                wrong.push(t.iff(t.op(op, [x, y]), t.bool(!holds)));
            }
            let wide = t.bits(2 * WIDTH, (a << WIDTH | b).into());
            wrong.push(t.ne(t.op(Op::BvConcat, [x, y]), wide));
            wrong.push(t.ne(
                t.op(Op::BvExtract(4, 2), [wide]),
                word((a << 1 | b >> 2) & 7),
            ));
        }
        let x = word(a);
        wrong.push(t.ne(t.op(Op::BvNeg, [x]), word(cut(-(a as i64)))));
        wrong.push(t.ne(t.op(Op::BvNot, [x]), word(!a & 7)));
        wrong.push(t.ne(t.op(Op::BvToInt, [x]), t.int(a)));
        wrong.push(t.ne(t.op(Op::BvToIntSigned, [x]), t.int(signed(a))));
        wrong.push(t.ne(t.op(Op::IntToBv(WIDTH), [t.int(signed(a) - 8)]), x));
        wrong.push(t.ne(t.op(Op::BvZeroExtend(2), [x]), t.bits(5, a.into())));
        let extended = t.bits(5, (signed(a).rem_euclid(32) as u64).into());
        wrong.push(t.ne(t.op(Op::BvSignExtend(2), [x]), extended));
    }
    assert!(wrong.len() > 1000);
    for part in wrong.chunks(64) {
        assert_eq!(
            s.is_sat(&[t.or(part.iter().copied())], &unlimited()),
            Some(false)
        );
    }
}
