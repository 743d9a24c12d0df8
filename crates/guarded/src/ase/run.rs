//! A run along transitions, with values for everything that is open.

use rhumb_logic::{Answer, Budget, Int, Session, SessionOptions, Sort, Symbol, Terms, Value};
use std::sync::Arc;

use super::atoms::{sum_term, symbols, term};
use crate::machine::Run;
use crate::syntax::{Assigned, Program};

/// A run that takes these transitions and then violates the property, if there is one.
pub(crate) fn along(program: &Program, path: &[usize], budget: &Budget) -> Option<Run> {
    let terms = Arc::new(Terms::new());
    let (starts, mut values) = symbols(&terms, program.variables.len());
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.assert(term(&terms, &program.start(), &values));
    let mut inputs: Vec<Vec<Symbol>> = Vec::new();
    for &number in path {
        let transition = program.transitions.get(number)?;
        session.assert(term(&terms, &transition.guard, &values));
        let (mut next, mut open) = (values.clone(), Vec::new());
        for (variable, assigned) in &transition.assigned {
            next[*variable] = match assigned {
                Assigned::Value(sum) => sum_term(&terms, sum, &values),
                Assigned::Anything => {
                    let symbol = terms.symbol("input", Sort::Int);
                    open.push(symbol);
                    terms.var(symbol)
                }
            };
        }
        values = next;
        inputs.push(open);
    }
    let property = term(&terms, &program.property, &values);
    session.assert(terms.not(property));
    let Answer::Sat(model) = session.check(budget) else {
        return None;
    };
    let value = |symbol: &Symbol| match model.value(*symbol) {
        Some(Value::Int(value)) => value.clone(),
        _ => Int::ZERO,
    };
    let steps = path.iter().zip(&inputs);
    Some(Run {
        start: starts.iter().map(value).collect(),
        steps: steps
            .map(|(&transition, open)| (transition, open.iter().map(value).collect()))
            .collect(),
    })
}
