//! Bitwise operators of many operands in one order, whatever order they came in.
//!
//! Right for folds of bits over elements: two of them over the same elements, in any two orders, are the same term, and
//! nobody has to ask a solver.

use rhumb_logic::{Node, Op, Sort, Term, Terms};

/// The bits of two operands combined by "and", "or" or "exclusive or". All three are associative and commutative; twice
/// the same operand is that operand for the first two, and nothing for the third.
pub(super) fn chain(terms: &Terms, op: Op, operands: [Term; 2]) -> Term {
    let mut all: Vec<Term> = Vec::new();
    for operand in operands {
        collect(terms, op, operand, &mut all);
    }
    all.sort_unstable();
    match op {
        Op::BvXor => cancel(&mut all),
        _ => all.dedup(),
    }
    let mut rest = all.into_iter();
    let Some(first) = rest.next() else {
        // Everything was there twice: no bit is left.
        return terms.op(op, [operands[0], operands[0]]);
    };
    rest.fold(first, |sum, operand| terms.op(op, [sum, operand]))
}

/// The operands of a chain of one operator.
fn collect(terms: &Terms, op: Op, term: Term, into: &mut Vec<Term>) {
    let mut todo = vec![term];
    while let Some(term) = todo.pop() {
        let term = stripped(terms, term);
        match terms.node(term) {
            Node::Op(inner, operands) if *inner == op => todo.extend(operands.iter().copied()),
            _ => into.push(term),
        }
    }
}

/// Bits that were taken for an integer and back are the bits, if there are as many.
fn stripped(terms: &Terms, term: Term) -> Term {
    if let Node::Op(Op::IntToBv(width), number) = terms.node(term)
        && let Node::Op(Op::BvToInt | Op::BvToIntSigned, bits) = terms.node(number[0])
        && terms.sort(bits[0]) == Sort::BitVec(*width)
    {
        return bits[0];
    }
    term
}

/// Leaves out pairs of a sorted list.
fn cancel(all: &mut Vec<Term>) {
    let mut kept: Vec<Term> = Vec::new();
    for &term in all.iter() {
        match kept.last() == Some(&term) {
            true => {
                kept.pop();
            }
            false => kept.push(term),
        }
    }
    *all = kept;
}

#[cfg(test)]
mod tests {
    use rhumb_logic::eval::evaluate;
    use rhumb_logic::{Assignment, Int, Value};

    use super::*;

    const OPS: [Op; 3] = [Op::BvAnd, Op::BvOr, Op::BvXor];

    /// The bits of a new number.
    fn operand(terms: &Terms, name: &str) -> (rhumb_logic::Symbol, Term) {
        let symbol = terms.symbol(name, Sort::Int);
        (symbol, terms.op(Op::IntToBv(8), [terms.var(symbol)]))
    }

    /// As an integer and back, as values of variables are.
    fn round(terms: &Terms, bits: Term) -> Term {
        terms.op(Op::IntToBv(8), [terms.op(Op::BvToIntSigned, [bits])])
    }

    #[test]
    fn the_order_of_operands_is_no_matter() {
        let terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| operand(&terms, name).1);
        for op in OPS {
            let one = chain(&terms, op, [round(&terms, chain(&terms, op, [a, b])), c]);
            let other = chain(&terms, op, [round(&terms, chain(&terms, op, [c, b])), a]);
            assert_eq!(one, other);
        }
    }

    #[test]
    fn operators_are_not_mixed_up() {
        let terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| operand(&terms, name).1);
        let one = chain(&terms, Op::BvAnd, [chain(&terms, Op::BvOr, [a, b]), c]);
        let other = chain(&terms, Op::BvAnd, [chain(&terms, Op::BvOr, [a, c]), b]);
        assert_ne!(one, other);
        let narrow = terms.op(
            Op::IntToBv(4),
            [terms.op(Op::BvToInt, [chain(&terms, Op::BvOr, [a, b])])],
        );
        assert_eq!(stripped(&terms, narrow), narrow, "other bits");
    }

    /// Chains have the value of the operators one by one, also where operands are there more than once.
    #[test]
    fn values_are_those_of_the_operators() {
        let terms = Terms::new();
        let operands = ["a", "b", "c"].map(|name| operand(&terms, name));
        let mut state = 7;
        for round_number in 0..200 {
            let mut values = Assignment::default();
            for (symbol, _) in operands {
                let value = (rhumb_random::next(&mut state) >> 40) as i64 % 256;
                values.insert(symbol, Value::Int(Int::from(value)));
            }
            for op in OPS {
                let mut chained = operands[0].1;
                let mut plain = operands[0].1;
                for _ in 0..round_number % 6 {
                    let next = operands[(rhumb_random::next(&mut state) >> 40) as usize % 3].1;
                    chained = chain(&terms, op, [round(&terms, chained), next]);
                    plain = terms.op(op, [plain, next]);
                }
                assert_eq!(
                    evaluate(&terms, chained, &values),
                    evaluate(&terms, plain, &values)
                );
            }
        }
    }
}
