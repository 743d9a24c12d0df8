//! Simple facts that often make given invariants inductive: bounds by constants of the program, parity, and comparisons of two variables.

use std::collections::BTreeSet;

use rhumb_logic::{Int, Term, Terms};
use rhumb_program::{ExprId, Program, Type};

/// Facts are made about that many variables at a place.
pub(super) const MAX_VARIABLES: usize = 10;

/// And that many constants, the smallest ones.
const MAX_CONSTANTS: usize = 12;

/// The constants of a program, those of the least magnitude.
pub(super) fn constants(program: &Program) -> Vec<Int> {
    let mut found: BTreeSet<(u128, i128)> = [(0, 0), (1, 1)].into();
    for index in 0..program.exprs.len() {
        let id = ExprId::from_usize(index);
        if let Some((ty, bits)) = program.exprs.as_int_const(id) {
            let value = ty.extend(bits);
            found.insert((value.unsigned_abs(), value));
        }
    }
    let smallest = found.into_iter().take(MAX_CONSTANTS);
    smallest.map(|(_, value)| Int::from(value)).collect()
}

/// Whether facts are made about variables of the type.
pub(super) fn is_integer(ty: Type) -> bool {
    matches!(ty, Type::Bool | Type::Int(_))
}

/// Facts about these variables.
pub(super) fn facts(terms: &Terms, variables: &[Term], constants: &[Int]) -> Vec<Term> {
    let mut facts = Vec::new();
    for (index, &x) in variables.iter().enumerate() {
        for constant in constants {
            let constant = terms.int(constant.clone());
            facts.push(terms.le(x, constant));
            facts.push(terms.ge(x, constant));
        }
        facts.push(terms.congruent(x, 2, 0));
        facts.push(terms.congruent(x, 2, 1));
        for &y in &variables[index + 1..] {
            facts.push(terms.le(x, y));
            facts.push(terms.ge(x, y));
        }
    }
    facts
}
