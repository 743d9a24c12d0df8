//! Terms against the meaning of what was written: normal forms, evaluation, substitution.

mod bits;
#[path = "../common/mod.rs"]
mod common;

use common::{Expr, Random, Scope, Shape, Test, bits};
use dashu_int::UBig;
use rhumb_logic::eval::{Evaluator, evaluate, evaluate_all};
use rhumb_logic::num::ratio;
use rhumb_logic::term::{FunctionInfo, RelationInfo};
use rhumb_logic::{Assignment, Int, Node, Op, Renaming, Sort, Symbol, Term, Value};
use rustc_hash::FxHashMap;

const SHAPES: [Shape; 3] = [
    Shape {
        depth: 4,
        huge: false,
        products: false,
    },
    Shape {
        depth: 3,
        huge: true,
        products: true,
    },
    Shape {
        depth: 6,
        huge: true,
        products: false,
    },
];

/// Random formulas and integer expressions: the term, evaluated and compiled, has the value of what was written; its
/// negation the other one. Each term is rebuilt from its own parts and is the same.
#[test]
fn constructors_keep_the_meaning() {
    let mut random = Random(1);
    let (mut cases, mut holding, mut small) = (0u32, 0u32, 0u32);
    for round in 0..1500 {
        let scope = Scope::new(3, 2);
        let shape = SHAPES[round % SHAPES.len()];
        let test = Test::random(&mut random, &scope, shape);
        let expr = Expr::random(&mut random, &scope, shape);
        let (formula, number) = (test.build(&scope), expr.build(&scope));
        let negation = scope.terms.not(formula);
        assert_eq!(scope.terms.not(negation), formula, "{test:?}");
        assert_in_normal_form(&scope, &[formula, number]);
        let outputs = [formula, negation, number];
        let evaluator = Evaluator::new(&scope.terms, &scope.symbols(), &outputs);
        let mut frame = evaluator.frame();
        for _ in 0..12 {
            let point = scope.point(&mut random, shape.huge);
            let assignment = scope.assignment(&point);
            let inputs: Vec<Value> = scope
                .symbols()
                .iter()
                .map(|symbol| assignment[symbol].clone())
                .collect();
            let truth = test.value(&point);
            let expected = [
                Some(Value::Bool(truth)),
                Some(Value::Bool(!truth)),
                Some(Value::Int(expr.value(&point))),
            ];
            let why = || format!("{test:?}\n{expr:?}\n{point:?}");
            let found = evaluate_all(&scope.terms, &outputs, &assignment);
            assert_eq!(found, expected, "{}", why());
            assert_eq!(evaluator.eval(&mut frame, &inputs), expected, "{}", why());
            let narrow: Option<Vec<i128>> = (point.ints.iter())
                .map(|value| i128::try_from(value).ok())
                .chain(point.bools.iter().map(|&value| Some(i128::from(value))))
                .collect();
            if let Some(narrow) = narrow {
                assert_eq!(evaluator.holds(&mut frame, &narrow), Some(truth));
                if let Some(mut outputs) = evaluator.small(&mut frame, &narrow) {
                    small += 1;
                    assert_eq!(outputs.next(), Some(i128::from(truth)), "{}", why());
                    assert_eq!(outputs.next(), Some(i128::from(!truth)));
                    let number = outputs.next().map(Int::from);
                    assert_eq!(number, Some(expr.value(&point)), "{}", why());
                }
            }
            cases += 1;
            holding += u32::from(truth);
        }
    }
    // True, false, small and huge numbers must all have been met often.
    let often = cases / 4..cases * 3 / 4;
    assert!(often.contains(&holding), "{holding} of {cases} hold");
    assert!(small > cases / 3, "{small} of {cases} on the fast path");
}

/// What the documentation of [`Node`] promises, for every node below.
fn assert_in_normal_form(scope: &Scope, roots: &[Term]) {
    let terms = &scope.terms;
    for term in terms.postorder(roots.iter().copied()) {
        let shown = terms.display(term);
        assert_eq!(terms.rebuild(term, |child| child), term, "{shown}");
        match terms.node(term) {
            Node::Not(a) => assert!(
                !matches!(
                    terms.node(*a),
                    Node::Bool(_) | Node::Not(_) | Node::AtMostZero(_)
                ),
                "{shown}"
            ),
            Node::And(args) | Node::Or(args) => {
                assert!(args.len() > 1 && args.is_sorted(), "{shown}");
            }
            Node::Div(_, divisor) | Node::Mod(_, divisor) => assert!(*divisor > Int::ONE),
            Node::AtMostZero(sum) | Node::Zero(sum) => {
                assert!(sum.content().is_one(), "{shown}");
                assert!(sum.parts.is_sorted_by_key(|part| part.0));
                let ordered =
                    matches!(terms.node(term), Node::AtMostZero(_)) || sum.parts[0].1 > Int::ZERO;
                assert!(ordered, "{shown}");
            }
            Node::Divides(divisor, sum) => {
                let range = Int::ZERO..divisor.clone();
                assert!(sum.parts.iter().all(|part| range.contains(&part.1)));
                assert!(range.contains(&sum.constant), "{shown}");
            }
            _ => {}
        }
    }
}

/// Division and remainder by positive numbers and by any number, over all signs.
#[test]
fn division_has_the_meaning_of_smt_lib() {
    let scope = Scope::new(2, 0);
    let terms = &scope.terms;
    let (x, y) = (terms.var(scope.ints[0]), terms.var(scope.ints[1]));
    let general = [
        terms.op(Op::IntDiv, [x, y].as_slice()),
        terms.op(Op::IntMod, [x, y].as_slice()),
    ];
    let evaluator = Evaluator::new(terms, &scope.ints, &general);
    let mut frame = evaluator.frame();
    for a in -25i128..=25 {
        for b in -7i128..=7 {
            let found = evaluator.eval(&mut frame, &[a, b].map(|n| Value::Int(Int::from(n))));
            let expected = if b == 0 {
                [None, None]
            } else {
                [a.div_euclid(b), a.rem_euclid(b)].map(|n| Some(Value::Int(Int::from(n))))
            };
            assert_eq!(found, expected, "{a} by {b}");
            // The exact path, by numbers that are 2^200 times as large.
            let large = [a, b].map(|n| Value::Int(Int::from(n) << 200usize));
            let found = evaluator.eval(&mut frame, &large);
            assert_eq!(found[0], expected[0], "2^200 * {a} by 2^200 * {b}");
            let rest = expected[1].clone().map(|rest| match rest {
                Value::Int(rest) => Value::Int(rest << 200usize),
                other => other,
            });
            assert_eq!(found[1], rest);
            if b > 0 {
                for (term, value) in [
                    (terms.div(x, b), a.div_euclid(b)),
                    (terms.modulo(x, b), a.rem_euclid(b)),
                ] {
                    let at = Assignment::from_iter([(scope.ints[0], Value::Int(Int::from(a)))]);
                    assert_eq!(
                        evaluate(terms, term, &at),
                        Some(Value::Int(Int::from(value)))
                    );
                }
            }
        }
    }
}

/// Atoms over remainders, whose bounds are congruences: every bound, every value.
#[test]
fn bounds_of_remainders_are_exact() {
    let scope = Scope::new(1, 0);
    let terms = &scope.terms;
    let x = terms.var(scope.ints[0]);
    for divisor in 1i64..=6 {
        for factor in [-6i64, -3, -2, -1, 1, 2, 3, 4] {
            let rest = terms.modulo(terms.scale(factor, x), divisor);
            for bound in -2i64..=7 {
                let limit = terms.int(bound);
                let atoms = [
                    terms.le(rest, limit),
                    terms.ge(rest, limit),
                    terms.eq(rest, limit),
                    terms.lt(terms.neg(rest), limit),
                ];
                for value in -13i64..=13 {
                    let at = Assignment::from_iter([(scope.ints[0], Value::Int(Int::from(value)))]);
                    let is = (factor * value).rem_euclid(divisor);
                    let expected = [is <= bound, is >= bound, is == bound, -is < bound];
                    for (atom, expected) in atoms.iter().zip(expected) {
                        assert_eq!(
                            evaluate(terms, *atom, &at),
                            Some(Value::Bool(expected)),
                            "{factor}*{value} mod {divisor} = {is} and {bound}: {}",
                            terms.display(*atom)
                        );
                    }
                }
            }
        }
    }
}

/// Equal congruences are one term, whichever way they were written.
#[test]
fn a_congruence_and_its_opposite_are_one_term() {
    let scope = Scope::new(2, 0);
    let terms = &scope.terms;
    let mut random = Random(7);
    for _ in 0..500 {
        let expr = Expr::random(&mut random, &scope, SHAPES[0]).build(&scope);
        let divisor = random.between(2, 12);
        let shift = terms.scale(divisor * random.between(-3, 3), terms.var(scope.ints[0]));
        let one = terms.divides(divisor, expr);
        assert_eq!(terms.divides(divisor, terms.neg(expr)), one);
        assert_eq!(terms.divides(divisor, terms.add(expr, shift)), one);
    }
}

#[test]
fn what_equals_one_constant_equals_no_other() {
    let scope = Scope::new(2, 0);
    let terms = &scope.terms;
    let [x, y] = [scope.ints[0], scope.ints[1]].map(|symbol| terms.var(symbol));
    let is = |value: i64| terms.eq(x, terms.int(value));
    assert_eq!(terms.and([is(1), is(2)]), terms.bool(false));
    assert_eq!(
        terms.or([terms.not(is(1)), terms.not(is(2))]),
        terms.bool(true)
    );
    assert_eq!(terms.and([is(1), terms.not(is(2))]), is(1));
    assert_eq!(terms.or([is(2), terms.not(is(1))]), terms.not(is(1)));
    // An outer condition decides an inner one.
    let inner = terms.ite(is(2), terms.int(1000), y);
    assert_eq!(terms.ite(is(1), inner, y), y);
    let inner = terms.ite(is(1), terms.int(1000), y);
    assert_eq!(terms.ite(is(1), inner, y), inner);
    let either = terms.or([is(1), is(2)]);
    assert_eq!(terms.ite(either, y, inner), y);
}

/// Substitution, alone and remembered, against evaluation of what is put in.
#[test]
fn substitution_is_evaluation_of_the_parts() {
    let mut random = Random(2);
    for round in 0..600 {
        let scope = Scope::new(3, 2);
        let terms = &scope.terms;
        let shape = SHAPES[round % SHAPES.len()];
        let into = Test::random(&mut random, &scope, shape).build(&scope);
        let map: FxHashMap<Symbol, Term> = [
            (
                scope.ints[0],
                Expr::random(&mut random, &scope, shape).build(&scope),
            ),
            (
                scope.ints[1],
                Expr::random(&mut random, &scope, shape).build(&scope),
            ),
            (
                scope.bools[0],
                Test::random(&mut random, &scope, shape).build(&scope),
            ),
        ]
        .into_iter()
        .collect();
        let result = terms.substitute(into, &map);
        let mut renaming = Renaming::new(map.clone());
        assert_eq!(renaming.apply(terms, into), result);
        assert_eq!(renaming.apply(terms, into), result);
        for _ in 0..8 {
            let before = scope.assignment(&scope.point(&mut random, shape.huge));
            let mut after = before.clone();
            for (symbol, term) in &map {
                after.insert(*symbol, evaluate(terms, *term, &before).expect("a value"));
            }
            assert_eq!(
                evaluate(terms, result, &before),
                evaluate(terms, into, &after),
                "{} into {}",
                terms.display(into),
                terms.display(result)
            );
        }
    }
}

/// Relations that name relations: expansion, evaluation and compilation mean the same.
#[test]
fn relations_mean_their_bodies() {
    let mut random = Random(3);
    for _ in 0..300 {
        let scope = Scope::new(3, 1);
        let terms = &scope.terms;
        let mut written = Test::random(&mut random, &scope, SHAPES[0]);
        let mut term = written.build(&scope);
        for _ in 0..4 {
            let params = scope.symbols();
            let relation = terms.relation(RelationInfo {
                name: "r".into(),
                params: params.clone().into(),
                body: term,
            });
            // The relation at a rotated point, beside a test of its own.
            let rotated = [1usize, 2, 0].map(|index| scope.ints[index]);
            let args = rotated.iter().chain(&scope.bools);
            let args: Vec<Term> = args.map(|&symbol| terms.var(symbol)).collect();
            let beside = Test::random(&mut random, &scope, SHAPES[0]);
            term = terms.iff(beside.build(&scope), terms.call(relation, args));
            written = Test::Iff(Box::new(beside), Box::new(rotate(&written)));
        }
        let expanded = terms.expand(term);
        let calls = |term| {
            let mut below = terms.postorder([term]).into_iter();
            below.any(|at| matches!(terms.node(at), Node::Call(..)))
        };
        assert!(!calls(expanded));
        let evaluator = Evaluator::new(terms, &scope.symbols(), &[term]);
        let mut frame = evaluator.frame();
        for _ in 0..10 {
            let point = scope.point(&mut random, false);
            let at = scope.assignment(&point);
            let expected = Some(Value::Bool(written.value(&point)));
            assert_eq!(evaluate(terms, term, &at), expected);
            assert_eq!(evaluate(terms, expanded, &at), expected);
            let inputs: Vec<Value> = scope.symbols().iter().map(|s| at[s].clone()).collect();
            assert_eq!(evaluator.eval(&mut frame, &inputs), [expected]);
        }
    }
}

/// The formula with each integer variable replaced by the next.
fn rotate(test: &Test) -> Test {
    let one = |a: &Test| Box::new(rotate(a));
    let all = |tests: &[Test]| tests.iter().map(rotate).collect();
    let e = rotate_expr;
    match test {
        Test::Const(_) | Test::Var(_) => test.clone(),
        Test::Not(a) => Test::Not(one(a)),
        Test::And(tests) => Test::And(all(tests)),
        Test::Or(tests) => Test::Or(all(tests)),
        Test::Implies(a, b) => Test::Implies(one(a), one(b)),
        Test::Iff(a, b) => Test::Iff(one(a), one(b)),
        Test::Ite(a, b, c) => Test::Ite(one(a), one(b), one(c)),
        Test::Le(a, b) => Test::Le(e(a), e(b)),
        Test::Lt(a, b) => Test::Lt(e(a), e(b)),
        Test::Ge(a, b) => Test::Ge(e(a), e(b)),
        Test::Gt(a, b) => Test::Gt(e(a), e(b)),
        Test::Eq(a, b) => Test::Eq(e(a), e(b)),
        Test::Ne(a, b) => Test::Ne(e(a), e(b)),
        Test::Within(low, a, high) => Test::Within(low.clone(), e(a), high.clone()),
        Test::Divides(divisor, a) => Test::Divides(divisor.clone(), e(a)),
        Test::Congruent(a, divisor, rest) => Test::Congruent(e(a), divisor.clone(), rest.clone()),
    }
}

fn rotate_expr(expr: &Expr) -> Expr {
    let one = |a: &Expr| Box::new(rotate_expr(a));
    match expr {
        Expr::Const(_) => expr.clone(),
        Expr::Var(index) => Expr::Var((index + 1) % 3),
        Expr::Add(a, b) => Expr::Add(one(a), one(b)),
        Expr::Sub(a, b) => Expr::Sub(one(a), one(b)),
        Expr::Scale(factor, a) => Expr::Scale(factor.clone(), one(a)),
        Expr::Mul(a, b) => Expr::Mul(one(a), one(b)),
        Expr::Div(a, divisor) => Expr::Div(one(a), divisor.clone()),
        Expr::Mod(a, divisor) => Expr::Mod(one(a), divisor.clone()),
        Expr::Ite(test, a, b) => Expr::Ite(Box::new(rotate(test)), one(a), one(b)),
    }
}

/// Reals, and what has no known value.
#[test]
fn reals_are_exact_and_unknown_values_stay_unknown() {
    let scope = Scope::new(1, 1);
    let terms = &scope.terms;
    let third = terms.real(ratio(Int::ONE, Int::from(3)));
    let x = terms.var(scope.ints[0]);
    let real = terms.op(Op::ToReal, [x].as_slice());
    let product = terms.op(Op::RealMul, [third, real].as_slice());
    let floor = terms.op(Op::Floor, [product].as_slice());
    let function = terms.function(FunctionInfo {
        name: "f".into(),
        params: [Sort::Int].into(),
        result: Sort::Int,
    });
    let unknown = terms.apply(function, [x].as_slice());
    let positive = terms.gt(unknown, terms.int(0));
    let never = terms.le(x, terms.int(-100));
    let masked = terms.ite(never, unknown, x);
    let huge = terms.int(Int::ONE << 500usize);
    let outputs = [
        floor,
        positive,
        terms.and([positive, never]),
        masked,
        terms.eq(product, terms.real(ratio(Int::from(-7), Int::from(3)))),
        huge,
    ];
    let evaluator = Evaluator::new(terms, &scope.symbols(), &outputs);
    let mut frame = evaluator.frame();
    let int = |value: Int| Some(Value::Int(value));
    for value in -9i64..=9 {
        let inputs = [Value::Int(Int::from(value)), Value::Bool(false)];
        let expected = [
            int(Int::from(value.div_euclid(3))),
            None,
            Some(Value::Bool(false)),
            int(Int::from(value)),
            Some(Value::Bool(value == -7)),
            int(Int::ONE << 500usize),
        ];
        assert_eq!(evaluator.eval(&mut frame, &inputs), expected);
        let at = Assignment::from_iter([(scope.ints[0], inputs[0].clone())]);
        assert_eq!(evaluate_all(terms, &outputs, &at), expected);
    }
    assert_eq!(
        evaluate(terms, huge, &Assignment::default()),
        int(Int::ONE << 500usize)
    );
}

/// A chain of n shared steps has a tree of size 2^n: traversals and code stay linear in n.
#[test]
fn shared_graphs_cost_what_they_share() {
    for n in [10usize, 1_000, 20_000] {
        let scope = Scope::new(1, 1);
        let terms = &scope.terms;
        let (start, flag) = (terms.var(scope.ints[0]), terms.var(scope.bools[0]));
        let mut chain = start;
        for step in 0..n {
            let next = terms.modulo(terms.add(chain, terms.int(1)), 1_000_003 + step % 2);
            chain = terms.ite(flag, terms.add(next, chain), terms.sub(chain, next));
        }
        assert!(terms.size(chain) <= 8 * n + 8, "{}", terms.size(chain));
        assert_eq!(terms.symbols([chain]), scope.symbols());
        let mut map = FxHashMap::default();
        map.insert(scope.ints[0], terms.int(1));
        map.insert(scope.bools[0], terms.bool(false));
        let folded = terms.substitute(chain, &map);
        let evaluator = Evaluator::new(terms, &scope.symbols(), &[chain]);
        let at = Assignment::from_iter([(scope.ints[0], Value::Int(Int::ONE))]);
        let value = evaluate(terms, chain, &at);
        assert_eq!(value.as_ref().and_then(Value::as_int), terms.as_int(folded));
        let inputs = [Value::Int(Int::ONE), Value::Bool(false)];
        assert_eq!(evaluator.eval(&mut evaluator.frame(), &inputs), [value]);
        let formula = terms.expand(terms.le(chain, terms.int(0)));
        assert!(!terms.display(formula).to_string().is_empty());
    }
}

/// Alternating conjunctions and disjunctions over shared atoms, nested deeper than any stack would bear.
#[test]
fn deep_formulas_are_compiled_without_recursion() {
    let scope = Scope::new(2, 0);
    let terms = &scope.terms;
    let (x, y) = (terms.var(scope.ints[0]), terms.var(scope.ints[1]));
    let mut formula = terms.le(x, y);
    let mut shared = terms.add(x, y);
    for level in 0..50_000i64 {
        shared = terms.ite(formula, terms.add(shared, terms.int(1)), shared);
        let atom = terms.le(shared, terms.int(level % 977));
        formula = if level % 2 == 0 {
            terms.and([terms.not(formula), atom])
        } else {
            terms.or([formula, atom])
        };
    }
    let evaluator = Evaluator::new(terms, &scope.ints, &[formula, shared]);
    let mut frame = evaluator.frame();
    for (a, b) in [(0i128, 0i128), (5, -5), (-1000, 3), (1 << 100, 1)] {
        let at = Assignment::from_iter(
            (scope.ints.iter().copied()).zip([a, b].map(|value| Value::Int(Int::from(value)))),
        );
        let expected = evaluate_all(terms, &[formula, shared], &at);
        let inputs = [a, b].map(|value| Value::Int(Int::from(value)));
        assert_eq!(evaluator.eval(&mut frame, &inputs), expected);
    }
}
