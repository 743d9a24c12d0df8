//! The values of terms under an assignment.
//!
//! [`evaluate`] answers once. An [`Evaluator`] is compiled for a fixed list of input symbols and output terms and
//! answers millions of times: register code over the graph of the terms, in numbers of 128 bits that are checked for
//! overflow, without hashing or allocation. When a number doesn't fit, or a term is not of a sort that fits, the
//! evaluation is repeated with exact numbers; nobody sees the difference but the clock.
//!
//! Some terms have no known value: uninterpreted functions, arrays, floating point, a division by zero. That is
//! harmless where the value doesn't matter: a false operand makes a conjunction false whatever the others are.

mod bits;
mod code;
mod compile;
mod exact;
mod regions;
mod run;

use std::sync::Arc;

use dashu_int::UBig;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::num::Int;
use crate::term::{Sort, Symbol, Term, Terms};
use crate::value::{Assignment, Value};

use code::Code;

/// The value of a term; nothing if it is not known. A symbol without a value has the default of its sort.
pub fn evaluate(terms: &Terms, term: Term, assignment: &Assignment) -> Option<Value> {
    evaluate_all(terms, &[term], assignment).pop().flatten()
}

/// The values of several terms at the price of their common graph.
pub fn evaluate_all(terms: &Terms, roots: &[Term], assignment: &Assignment) -> Vec<Option<Value>> {
    let roots: Vec<Term> = roots.iter().map(|&root| terms.expand(root)).collect();
    exact::values(terms, &roots, |symbol| assignment.get(&symbol).cloned())
}

/// The values of all terms below some roots, themselves included. There must be no named relations among them.
pub(crate) fn table(
    terms: &Terms,
    roots: &[Term],
    assignment: &Assignment,
) -> FxHashMap<Term, Option<Value>> {
    exact::table(terms, roots, |symbol| assignment.get(&symbol).cloned())
}

/// An assignment under which the value of each term is computed once, however often it is asked for.
///
/// Right for terms that grow by and by, over the same graph, without named relations.
#[derive(Default)]
pub struct Valuation {
    assignment: Assignment,
    known: FxHashMap<Term, Option<Value>>,
    seen: FxHashSet<Term>,
}

impl Valuation {
    /// Nothing was asked for yet.
    pub fn new(assignment: Assignment) -> Valuation {
        Valuation {
            assignment,
            ..Valuation::default()
        }
    }

    /// The values of symbols.
    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// As [`evaluate`].
    pub fn value(&mut self, terms: &Terms, term: Term) -> Option<Value> {
        let order = terms.postorder_beyond([term], &mut self.seen);
        let assignment = &self.assignment;
        exact::extend(&mut self.known, terms, &order, |symbol| {
            assignment.get(&symbol).cloned()
        });
        self.known.get(&term).cloned().flatten()
    }
}

/// Whether a formula is known to hold.
pub fn holds(terms: &Terms, formula: Term, assignment: &Assignment) -> bool {
    evaluate(terms, formula, assignment) == Some(Value::Bool(true))
}

/// Compiled terms.
///
/// ```
/// use std::sync::Arc;
/// use rhumb_logic::{Sort, Terms, eval::Evaluator};
///
/// let terms = Arc::new(Terms::new());
/// let (x, y) = (terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Int));
/// let even = terms.divides(2, terms.add(terms.var(x), terms.var(y)));
/// let evaluator = Evaluator::new(&terms, &[x, y], &[even]);
/// let mut frame = evaluator.frame();
/// assert_eq!(evaluator.holds(&mut frame, &[3, 5]), Some(true));
/// assert_eq!(evaluator.holds(&mut frame, &[3, 6]), Some(false));
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator {
    terms: Arc<Terms>,
    inputs: Vec<Symbol>,
    outputs: Vec<Term>,
    sorts: Vec<Sort>,
    code: Code,
}

/// The memory that an evaluation works in. It belongs to the evaluator that made it.
#[derive(Clone, Debug)]
pub struct Frame {
    registers: Vec<i128>,
}

impl Evaluator {
    /// Compiles terms. Symbols that are not among the inputs have the default value of their sort.
    pub fn new(terms: &Arc<Terms>, inputs: &[Symbol], outputs: &[Term]) -> Evaluator {
        let outputs: Vec<Term> = outputs.iter().map(|&term| terms.expand(term)).collect();
        Evaluator {
            terms: terms.clone(),
            inputs: inputs.to_vec(),
            sorts: outputs.iter().map(|&output| terms.sort(output)).collect(),
            code: compile::compile(terms, inputs, &outputs),
            outputs,
        }
    }

    /// The symbols whose values are given.
    pub fn inputs(&self) -> &[Symbol] {
        &self.inputs
    }

    /// Memory to evaluate in.
    pub fn frame(&self) -> Frame {
        Frame {
            registers: self.code.registers.clone(),
        }
    }

    /// The outputs as small numbers, for inputs that are small numbers: truth values as 0 and 1, bit-vectors by their
    /// unsigned value, which must fit their width. Nothing if some number on the way doesn't fit 128 bits or is not
    /// known; then [`Evaluator::eval`] may still have an answer. Missing inputs keep the value of the last time.
    #[inline]
    pub fn small<'f>(
        &'f self,
        frame: &'f mut Frame,
        inputs: &[i128],
    ) -> Option<impl ExactSizeIterator<Item = i128> + 'f> {
        self.run(frame, inputs).then(|| {
            self.code
                .results
                .iter()
                .map(|&register| frame.registers[register as usize])
        })
    }

    /// Whether the first output holds, for inputs that are small numbers. Nothing if that is not known.
    #[inline]
    pub fn holds(&self, frame: &mut Frame, inputs: &[i128]) -> Option<bool> {
        if self.run(frame, inputs) {
            let result = *self.code.results.first()?;
            return Some(frame.registers[result as usize] != 0);
        }
        let values: Vec<Value> = self
            .inputs
            .iter()
            .zip(inputs)
            .map(|(&symbol, &value)| wide(self.terms.symbol_info(symbol).sort, value))
            .collect::<Option<_>>()?;
        self.exact(&values).into_iter().next()??.as_bool()
    }

    /// The outputs for any inputs. Nothing for an output that is not known.
    pub fn eval(&self, frame: &mut Frame, inputs: &[Value]) -> Vec<Option<Value>> {
        let fits =
            self.inputs
                .iter()
                .zip(inputs)
                .enumerate()
                .all(|(place, (_, value))| match narrow(value) {
                    Some(value) => {
                        frame.registers[place] = value;
                        true
                    }
                    None => false,
                });
        if fits && self.code.run(&mut frame.registers).is_ok() {
            let results = self.code.results.iter().zip(&self.sorts);
            return results
                .map(|(&register, &sort)| wide(sort, frame.registers[register as usize]))
                .collect();
        }
        self.exact(inputs)
    }

    #[inline]
    fn run(&self, frame: &mut Frame, inputs: &[i128]) -> bool {
        let count = inputs.len().min(self.inputs.len());
        frame.registers[..count].copy_from_slice(&inputs[..count]);
        self.code.run(&mut frame.registers).is_ok()
    }

    fn exact(&self, inputs: &[Value]) -> Vec<Option<Value>> {
        let assignment: Assignment = self
            .inputs
            .iter()
            .copied()
            .zip(inputs.iter().cloned())
            .collect();
        exact::values(&self.terms, &self.outputs, |symbol| {
            assignment.get(&symbol).cloned()
        })
    }
}

/// A value as a small number.
fn narrow(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(value) => Some(i128::from(*value)),
        Value::Int(value) => i128::try_from(value).ok(),
        Value::Bits(value) => i128::try_from(value).ok(),
        Value::Real(_) => None,
    }
}

/// A small number as a value of that sort.
fn wide(sort: Sort, value: i128) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(value != 0)),
        Sort::Int => Some(Value::Int(Int::from(value))),
        Sort::BitVec(_) => UBig::try_from(value).ok().map(Value::Bits),
        Sort::Real | Sort::Float(..) | Sort::Array(_) => None,
    }
}
