//! Questions about floats by intervals: every box of inputs is looked at until the conditions fail in all of them.
//!
//! Right for conditions on few inputs with bounds, where results are bounded because the inputs are (polynomials,
//! filters of a few steps): there a solver for bits has to multiply bit by bit, and intervals are quick. Rounding to
//! nearest is monotone, so the results at the ends of intervals, rounded as any result is, are exact ends of the
//! interval of results: nothing has to be widened.
//!
//! **Invariant: what a node can be for inputs in the box lies in its interval**, where NaN is told apart by a mark of
//! its own. A box is given up only where one of the conditions can't hold in it, and halves of a box make up the box.

mod floats;
mod steps;

use rhumb_logic::{Budget, Rounding, Symbol, Term, Terms, Work};

use super::questions::Symbols;
use floats::{Floats, Precision, arithmetic, compare};
use steps::{Builder, Step};

/// Work that is put into one question.
const LIMIT: Work = Work::secs(2);

/// Boxes between two looks at the budget.
const STRIDE: u64 = 256;

/// Nodes whose evaluation is worth a unit of work.
const NODES_PER_UNIT: u64 = 4;

/// Inputs that may be halved: with more there are too many boxes.
const MAX_INPUTS: usize = 6;

/// What a node can be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Extent {
    /// Which truth values are possible: false, true.
    Truth(bool, bool),
    Float(Floats),
    Anything,
}

/// Conditions as steps over inputs.
#[derive(Default)]
struct Plan {
    steps: Vec<Step>,
    conditions: Vec<usize>,
    inputs: Vec<(Symbol, Precision)>,
}

/// Whether it was found that conditions can't hold together, with the definitions of their symbols.
pub(super) fn is_impossible(
    terms: &Terms,
    conditions: &[Term],
    symbols: &Symbols,
    budget: &Budget,
) -> bool {
    let Some(plan) = Plan::new(terms, conditions, symbols) else {
        return false;
    };
    let budget = budget.within(LIMIT);
    let mut pending = vec![vec![Floats::ALL; plan.inputs.len()]];
    let mut values = Vec::new();
    let mut count = 0;
    while let Some(mut input) = pending.pop() {
        count += 1;
        if count % STRIDE == 0 {
            budget.spend(STRIDE * (1 + plan.steps.len() as u64 / NODES_PER_UNIT));
            if budget.is_spent() {
                return false;
            }
        }
        plan.evaluate(&input, &mut values);
        let fails = |&condition: &usize| matches!(values[condition], Extent::Truth(_, false));
        if plan.conditions.iter().any(fails) {
            continue;
        }
        match plan.halve(&mut input) {
            Some(other) => pending.extend([other, input]),
            None => return false,
        }
    }
    true
}

impl Plan {
    /// None if there are no inputs to halve, or too many.
    fn new(terms: &Terms, conditions: &[Term], symbols: &Symbols) -> Option<Plan> {
        let mut builder = Builder::new(terms, symbols);
        for &condition in conditions {
            let step = builder.step(condition);
            builder.plan.conditions.push(step);
        }
        let plan = builder.plan;
        // Nothing is known of integers here, so conditions without floats say nothing.
        (1..=MAX_INPUTS)
            .contains(&plan.inputs.len())
            .then_some(plan)
    }

    fn evaluate(&self, inputs: &[Floats], values: &mut Vec<Extent>) {
        values.clear();
        for step in &self.steps {
            let extent = self.extent(step, inputs, values);
            values.push(extent);
        }
    }

    fn extent(&self, step: &Step, inputs: &[Floats], values: &[Extent]) -> Extent {
        let truth = |index: usize| match values[index] {
            Extent::Truth(no, yes) => (no, yes),
            _ => (true, true),
        };
        let floats = |index: usize| match values[index] {
            Extent::Float(floats) => floats,
            _ => Floats::ALL,
        };
        match *step {
            Step::Truth(value) => Extent::Truth(!value, value),
            Step::Input(index) => Extent::Float(inputs[index]),
            Step::Constant(floats) => Extent::Float(floats),
            Step::Not(a) => {
                let (no, yes) = truth(a);
                Extent::Truth(yes, no)
            }
            Step::And(ref parts) => {
                let no = parts.iter().any(|&part| truth(part).0);
                Extent::Truth(no, parts.iter().all(|&part| truth(part).1))
            }
            Step::Or(ref parts) => {
                let yes = parts.iter().any(|&part| truth(part).1);
                Extent::Truth(parts.iter().all(|&part| truth(part).0), yes)
            }
            Step::Iff(a, b) => {
                let ((no_a, yes_a), (no_b, yes_b)) = (truth(a), truth(b));
                Extent::Truth(
                    no_a && yes_b || yes_a && no_b,
                    no_a && no_b || yes_a && yes_b,
                )
            }
            Step::Choice(condition, then, other) => match (truth(condition), then, other) {
                ((false, _), then, _) => values[then],
                ((_, false), _, other) => values[other],
                (_, then, other) => match (values[then], values[other]) {
                    (Extent::Float(a), Extent::Float(b)) => Extent::Float(a.hull(b)),
                    _ => Extent::Anything,
                },
            },
            Step::Arithmetic(op, precision, a, b) => {
                Extent::Float(arithmetic(op, precision, floats(a), floats(b)))
            }
            Step::Compare(op, a, b) => compare(op, floats(a), floats(b)),
            Step::Root(precision, a) => {
                let a = floats(a);
                let nan = a.nan || !a.is_empty() && a.low < 0.0;
                Extent::Float(match a.is_empty() || a.high < 0.0 {
                    true => Floats {
                        nan,
                        ..Floats::NONE
                    },
                    false => Floats {
                        low: precision.round(a.low.max(0.0).sqrt()),
                        high: precision.round(a.high.sqrt()),
                        nan,
                    },
                })
            }
            Step::Integral(rounding, a) => {
                let round = |value: f64| match rounding {
                    Rounding::NearestEven => value.round_ties_even(),
                    Rounding::NearestAway => value.round(),
                    Rounding::Up => value.ceil(),
                    Rounding::Down => value.floor(),
                    Rounding::TowardsZero => value.trunc(),
                };
                let a = floats(a);
                Extent::Float(Floats {
                    low: round(a.low),
                    high: round(a.high),
                    nan: a.nan,
                })
            }
            Step::Negate(a) => {
                let a = floats(a);
                Extent::Float(Floats {
                    low: -a.high,
                    high: -a.low,
                    nan: a.nan,
                })
            }
            Step::Absolute(a) => {
                let a = floats(a);
                Extent::Float(match a.is_empty() {
                    true => a,
                    false => Floats {
                        low: a.low.max(-a.high).max(0.0),
                        high: a.high.max(-a.low),
                        nan: a.nan,
                    },
                })
            }
            Step::Convert(precision, a) => {
                let a = floats(a);
                Extent::Float(Floats {
                    low: precision.round(a.low),
                    high: precision.round(a.high),
                    nan: a.nan,
                })
            }
            Step::Unknown => Extent::Anything,
        }
    }

    /// Takes one half of a box, and gives the other; none if it is a single point.
    fn halve(&self, inputs: &mut [Floats]) -> Option<Vec<Floats>> {
        // NaN on one side, numbers on the other.
        for index in 0..inputs.len() {
            if inputs[index].nan && !inputs[index].is_empty() {
                let mut other = inputs.to_vec();
                other[index] = Floats {
                    nan: true,
                    ..Floats::NONE
                };
                inputs[index].nan = false;
                return Some(other);
            }
        }
        let size = |floats: &Floats| match floats.is_empty() {
            true => 0.0,
            false => floats.high.min(f64::MAX) - floats.low.max(f64::MIN),
        };
        let widest =
            (0..inputs.len()).max_by(|&a, &b| size(&inputs[a]).total_cmp(&size(&inputs[b])))?;
        let Floats { low, high, .. } = inputs[widest];
        if low >= high {
            return None;
        }
        let (below, above) = self.inputs[widest].1.between(low, high);
        let mut other = inputs.to_vec();
        inputs[widest].high = below;
        other[widest].low = above;
        Some(other)
    }
}

#[cfg(test)]
mod tests;
