//! Formulas as text: what is written is read as the same term.

use proptest::prelude::*;
use rhumb_certify::file::text::{Dialect, Names, read, write};
use rhumb_logic::{Op, Sort, Term, Terms};

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn text_is_read_as_the_same_term(choices in prop::collection::vec(any::<(u8, u8, u8, i64)>(), 0..25)) {
        let terms = Terms::new();
        let mut names = Names::default();
        for (name, sort) in [("x", Sort::Int), ("y", Sort::Int), ("b", Sort::Bool)] {
            names.insert(name.to_owned(), terms.symbol(name, sort));
        }
        let formula = formula(&terms, &names, &choices);
        let name = |symbol| terms.symbol_info(symbol).name.to_string();
        let text = write(&terms, formula, Dialect::Certificate, name).expect("can be written");
        let again = read(&terms, &text, &names);
        prop_assert_eq!(again, Ok(formula), "{}", text);
    }

    /// Any words in any order: a term or an error.
    #[test]
    fn noise_does_no_harm(words in prop::collection::vec(
        prop::sample::select(vec![
            "(", ")", "(", ")", "let", "and", "+", "*", "x", "|y|", "b", "7", "(_ bv3 4)", "((_ extract 1 0)", "ite", "=", "bvadd", "-", "/", "1.0",
        ]), 0..40))
    {
        let terms = Terms::new();
        let mut names = Names::default();
        for (name, sort) in [("x", Sort::Int), ("y", Sort::Int), ("b", Sort::Bool)] {
            names.insert(name.to_owned(), terms.symbol(name, sort));
        }
        let _ = read(&terms, &words.join(" "), &names);
    }
}
