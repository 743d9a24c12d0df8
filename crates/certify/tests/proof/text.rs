//! Formulas as text: what is written is read as the same term.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rhumb_certify::file::text::{Names, read, write};
use rhumb_logic::eval::evaluate_all;
use rhumb_logic::{Assignment, Op, Sort, Term, Terms, Value};

/// A formula over two integers and a truth value, by a list of choices.
fn formula(terms: &Terms, names: &Names, choices: &[(u8, u8, u8, i64)]) -> Term {
    let mut ints: Vec<Term> = ["x", "y"]
        .iter()
        .map(|name| terms.var(names[*name]))
        .collect();
    let mut bools: Vec<Term> = vec![terms.var(names["b"])];
    for &(kind, first, second, number) in choices {
        let int = |place: u8| ints[place as usize % ints.len()];
        let truth = |place: u8| bools[place as usize % bools.len()];
        let (a, b, p, q) = (int(first), int(second), truth(first), truth(second));
        let bits = |term: Term| terms.op(Op::IntToBv(12), [term]);
        match kind % 17 {
            0 => ints.push(terms.add(a, terms.scale(number, b))),
            1 => ints.push(terms.mul(a, b)),
            2 => ints.push(terms.div(a, number.unsigned_abs() % 99 + 1)),
            3 => ints.push(terms.modulo(a, number.unsigned_abs() % 99 + 1)),
            4 => ints.push(terms.ite(p, a, b)),
            5 => ints.push(terms.op(Op::IntDiv, [a, b])),
            6 => ints.push(terms.op(Op::BvToInt, [terms.op(Op::BvXor, [bits(a), bits(b)])])),
            7 => ints.push(terms.op(
                Op::BvToIntSigned,
                [terms.op(
                    Op::BvExtract(9, 2),
                    [terms.op(Op::BvMul, [bits(a), bits(b)])],
                )],
            )),
            8 => ints.push(terms.op(Op::Floor, [terms.op(Op::ToReal, [a])])),
            9 => bools.push(terms.le(a, terms.add(b, terms.int(number)))),
            10 => bools.push(terms.eq(a, b)),
            11 => bools.push(terms.congruent(a, number.unsigned_abs() % 50 + 2, 3)),
            12 => bools.push(terms.and([p, q])),
            13 => bools.push(terms.or([p, terms.not(q)])),
            14 => bools.push(terms.iff(p, q)),
            15 => bools.push(terms.op(Op::BvSlt, [bits(a), bits(b)])),
            _ => bools.push(terms.eq(bits(a), terms.bits(12, 77u8.into()))),
        }
    }
    let last = ints[ints.len() - 1];
    terms.and([bools[bools.len() - 1], terms.le(last, ints[0])])
}

fn names(terms: &Terms) -> Names {
    [("x", Sort::Int), ("y", Sort::Int), ("b", Sort::Bool)]
        .into_iter()
        .map(|(name, sort)| (name.to_owned(), terms.symbol(name, sort)))
        .collect()
}

/// Whether a formula's text is read as what it says: the same term, or one with the same value everywhere we look.
/// Constructors simplify, and what is built from text meets them in another order (`(x mod 2) mod 3 = 0` is a
/// congruence that becomes `x mod 2 = 0`), so the term itself may differ.
fn is_read_again(choices: &[(u8, u8, u8, i64)]) -> Result<Exactness, String> {
    let terms = Terms::new();
    let names = names(&terms);
    let formula = formula(&terms, &names, choices);
    let name = |symbol| terms.symbol_info(symbol).name.to_string();
    let text = write(&terms, formula, name).expect("can be written");
    let again = read(&terms, &text, &names).map_err(|error| format!("{text}: {error:?}"))?;
    if again == formula {
        return Ok(Exactness::SameTerm);
    }
    let numbers = [-1_000_003, -4097, -7, -1, 0, 1, 2, 3, 76, 77, 4096, 999_999];
    for (x, y) in numbers.iter().flat_map(|&x| numbers.map(|y| (x, y))) {
        for b in [false, true] {
            let assignment: Assignment = [
                (names["x"], Value::Int(x.into())),
                (names["y"], Value::Int(y.into())),
                (names["b"], Value::Bool(b)),
            ]
            .into_iter()
            .collect();
            let values = evaluate_all(&terms, &[formula, again], &assignment);
            if values[0] != values[1] {
                return Err(format!("{text}: {values:?} for {x}, {y}, {b}"));
            }
        }
    }
    Ok(Exactness::SameMeaning)
}

#[derive(Debug, PartialEq)]
enum Exactness {
    SameTerm,
    SameMeaning,
}

/// A choice that an outer one decides, two levels down: once this became another term when it was read again.
#[test]
fn nested_choices_are_read_as_the_same_term() {
    let kinds = [9, 38, 34, 34, 179, 119, 247, 102, 94, 72, 47, 21];
    let firsts = [0, 56, 0, 0, 0, 0, 157, 0, 0, 63, 158, 185];
    let seconds = [0, 85, 0, 0, 0, 0, 92, 0, 0, 212, 65, 39];
    let choices: Vec<_> = (0..kinds.len())
        .map(|i| (kinds[i], firsts[i], seconds[i], 0))
        .collect();
    assert_eq!(is_read_again(&choices), Ok(Exactness::SameTerm));
}

/// Text that is read as another term is rare.
#[test]
fn text_is_read_as_the_same_term() {
    let config = ProptestConfig::with_cases(3000);
    let [same, other] = [AtomicUsize::new(0), AtomicUsize::new(0)];
    TestRunner::new(config)
        .run(
            &prop::collection::vec(any::<(u8, u8, u8, i64)>(), 0..25),
            |choices| {
                let count = match is_read_again(&choices).map_err(TestCaseError::fail)? {
                    Exactness::SameTerm => &same,
                    Exactness::SameMeaning => &other,
                };
                count.fetch_add(1, Ordering::Relaxed);
                Ok(())
            },
        )
        .unwrap();
    let [same, other] = [same, other].map(AtomicUsize::into_inner);
    assert!(other * 100 <= same, "{other} of {} differ", same + other);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Any words in any order: a term or an error.
    #[test]
    fn noise_does_no_harm(words in prop::collection::vec(
        prop::sample::select(vec![
            "(", ")", "(", ")", "let", "and", "+", "*", "x", "|y|", "b", "7", "(_ bv3 4)", "((_ extract 1 0)", "ite", "=", "bvadd", "-", "/", "1.0",
        ]), 0..40))
    {
        let terms = Terms::new();
        let names = names(&terms);
        let _ = read(&terms, &words.join(" "), &names);
    }
}
