//! From terms to code.
//!
//! Every term has one register. Operands of conjunctions, disjunctions and conditionals that are needed by nothing else
//! are computed behind a test ([`super::regions`]), cheap operands first.

use rustc_hash::FxHashMap;

use crate::num::Int;
use crate::term::{Linear, Node, Op, Sort, Symbol, Term, Terms};

use super::code::{Bits, Code, One, Part, Register, Step, Sum, Two};
use super::regions::{Region, Regions};
use super::run::SMALL_WIDTH;

/// Compiles terms without named relations.
pub(super) fn compile(terms: &Terms, inputs: &[Symbol], outputs: &[Term]) -> Code {
    let order = terms.postorder(outputs.iter().copied());
    let mut compiler = Compiler::new(terms, inputs, &order);
    let members = compiler.place(&order, outputs);
    compiler.emit(&members);
    if outputs.iter().any(|output| compiler.operands[output].wide) {
        compiler.code.steps.push(Step::Escape);
    }
    let register = |output| compiler.operands[output].register;
    compiler.code.results = outputs.iter().map(register).collect();
    compiler.code
}

/// What is known about a term during compilation.
#[derive(Clone, Copy)]
struct Operand {
    register: Register,
    /// Whether its register holds the value from the start.
    ready: bool,
    /// Whether it is a constant that is not a small number.
    wide: bool,
    /// Steps to compute it alone, roughly.
    cost: u32,
}

struct Compiler<'t> {
    terms: &'t Terms,
    operands: FxHashMap<Term, Operand>,
    constants: FxHashMap<i128, Register>,
    /// The regions of the operands that can be skipped, by the term and its operand.
    skippable: FxHashMap<(Term, Term), Region>,
    code: Code,
}

/// What is being emitted, innermost last.
enum Open<'m> {
    /// The terms of a region.
    Region(std::slice::Iter<'m, Term>),
    /// A conjunction or disjunction: its operands, how many were emitted, and the steps to patch with its end.
    Junction {
        term: Term,
        args: Vec<Term>,
        next: usize,
        tests: Vec<usize>,
    },
    /// A conditional: which part comes next, and the step to patch.
    Ite { term: Term, stage: Stage },
}

enum Stage {
    Then,
    Other { test: usize },
    End { jump: usize },
}

impl<'t> Compiler<'t> {
    /// Gives every term a register.
    fn new(terms: &'t Terms, inputs: &[Symbol], order: &[Term]) -> Compiler<'t> {
        let mut compiler = Compiler {
            terms,
            operands: FxHashMap::default(),
            constants: FxHashMap::default(),
            skippable: FxHashMap::default(),
            code: Code {
                registers: vec![0; inputs.len()],
                ..Code::default()
            },
        };
        let places: FxHashMap<Symbol, usize> = inputs.iter().copied().zip(0..).collect();
        for &term in order {
            let operand = compiler.operand(term, &places);
            compiler.operands.insert(term, operand);
        }
        compiler
    }

    fn operand(&mut self, term: Term, inputs: &FxHashMap<Symbol, usize>) -> Operand {
        let constant = |register: Option<Register>| Operand {
            register: register.unwrap_or_default(),
            ready: true,
            wide: register.is_none(),
            cost: 0,
        };
        match self.terms.node(term) {
            Node::Bool(value) => constant(Some(self.constant(i128::from(*value)))),
            Node::Int(value) => constant(self.small(value)),
            Node::Bits(width, value) => constant(
                i128::try_from(value)
                    .ok()
                    .filter(|_| *width <= SMALL_WIDTH)
                    .map(|value| self.constant(value)),
            ),
            Node::Real(_) => constant(None),
            Node::Symbol(_) if !self.is_small(term) => constant(None),
            Node::Symbol(symbol) => match inputs.get(symbol) {
                Some(&place) => constant(Some(place as Register)),
                None => constant(Some(self.constant(0))),
            },
            _ => {
                let mut cost = 1u32;
                self.terms.for_each_child(term, |child| {
                    cost = cost.saturating_add(self.operands[&child].cost);
                });
                self.code.registers.push(0);
                Operand {
                    register: (self.code.registers.len() - 1) as Register,
                    ready: false,
                    wide: false,
                    cost,
                }
            }
        }
    }

    /// The register of a constant.
    fn constant(&mut self, value: i128) -> Register {
        *self.constants.entry(value).or_insert_with(|| {
            self.code.registers.push(value);
            (self.code.registers.len() - 1) as Register
        })
    }

    /// The register of a constant, if it is a small number.
    fn small(&mut self, value: &Int) -> Option<Register> {
        let value = i128::try_from(value).ok()?;
        Some(self.constant(value))
    }

    /// Whether the values of a term are small numbers, if they are small enough.
    fn is_small(&self, term: Term) -> bool {
        match self.terms.sort(term) {
            Sort::Bool | Sort::Int => true,
            Sort::BitVec(width) => width <= SMALL_WIDTH,
            Sort::Real | Sort::Float(..) | Sort::Array(_) => false,
        }
    }

    /// The operands of a conjunction or disjunction in the order of their evaluation.
    fn cheap_first(&self, args: &[Term]) -> Vec<Term> {
        let mut args = args.to_vec();
        args.sort_by_key(|arg| self.operands[arg].cost);
        args
    }

    /// Finds the region of every term that needs code: the terms of each region, operands first.
    fn place(&mut self, order: &[Term], outputs: &[Term]) -> Vec<Vec<Term>> {
        let mut regions = Regions::new();
        let mut place: FxHashMap<Term, Region> = FxHashMap::default();
        for &output in outputs {
            place.insert(output, Region::ROOT);
        }
        for &term in order.iter().rev() {
            // Parents come first in this order, so the region is final.
            let Some(&region) = place.get(&term) else {
                continue;
            };
            let (always, maybe) = match self.terms.node(term) {
                Node::And(args) | Node::Or(args) => {
                    let mut args = self.cheap_first(args);
                    let rest = args.split_off(1.min(args.len()));
                    (args, rest)
                }
                Node::Ite(condition, then, other) => (vec![*condition], vec![*then, *other]),
                _ => {
                    let mut args = Vec::new();
                    self.terms.for_each_child(term, |child| args.push(child));
                    (args, Vec::new())
                }
            };
            let mut used = |arg: Term, within: Region, regions: &Regions| {
                let place = place.entry(arg).or_insert(within);
                *place = regions.common(*place, within);
            };
            for arg in always {
                used(arg, region, &regions);
            }
            for arg in maybe {
                if !self.operands[&arg].ready {
                    let inner = regions.inside(region);
                    self.skippable.insert((term, arg), inner);
                    used(arg, inner, &regions);
                }
            }
        }
        let mut members = vec![Vec::new(); regions.len()];
        for term in order {
            if let (Some(region), false) = (place.get(term), self.operands[term].ready) {
                members[region.index()].push(*term);
            }
        }
        members
    }

    /// Emits all regions, the inner ones where they are needed.
    fn emit(&mut self, members: &[Vec<Term>]) {
        let mut open = vec![Open::Region(members[Region::ROOT.index()].iter())];
        while let Some(mut top) = open.pop() {
            let inner = match &mut top {
                Open::Region(rest) => match rest.next() {
                    None => continue,
                    Some(&term) => self.begin(term, members),
                },
                Open::Junction {
                    term,
                    args,
                    next,
                    tests,
                } => {
                    let done = args[*next];
                    *next += 1;
                    match args.get(*next) {
                        Some(&arg) => {
                            tests.push(self.code.steps.len());
                            let test = Step::Decide {
                                operand: self.operands[&done].register,
                                value: matches!(self.terms.node(*term), Node::Or(_)),
                                to: self.operands[term].register,
                                end: 0,
                            };
                            self.code.steps.push(test);
                            self.region(*term, arg, members)
                        }
                        None => {
                            self.copy(*term, done);
                            for test in tests {
                                self.patch(*test);
                            }
                            continue;
                        }
                    }
                }
                Open::Ite { term, stage } => match self.branch(*term, stage, members) {
                    Some(inner) => inner,
                    None => continue,
                },
            };
            open.push(top);
            open.extend(inner);
        }
    }

    /// Emits a term of the current region, or opens it if it has inner regions.
    fn begin<'m>(&mut self, term: Term, members: &'m [Vec<Term>]) -> Option<Open<'m>> {
        let empty = |compiler: &Self, arg: Term| match compiler.skippable.get(&(term, arg)) {
            Some(region) => members[region.index()].is_empty(),
            None => true,
        };
        match self.terms.node(term) {
            Node::And(args) | Node::Or(args) => Some(Open::Junction {
                term,
                args: self.cheap_first(args),
                next: 0,
                tests: Vec::new(),
            }),
            &Node::Ite(_, then, other)
                if self.is_small(term) && !(empty(self, then) && empty(self, other)) =>
            {
                Some(Open::Ite {
                    term,
                    stage: Stage::Then,
                })
            }
            _ => {
                self.step(term);
                None
            }
        }
    }

    /// The inner region of an operand, if it has one with anything in it.
    fn region<'m>(&self, term: Term, arg: Term, members: &'m [Vec<Term>]) -> Option<Open<'m>> {
        let region = self.skippable.get(&(term, arg))?;
        Some(Open::Region(members[region.index()].iter()))
    }

    /// The next stage of a conditional: what to emit first, or nothing if it is finished.
    fn branch<'m>(
        &mut self,
        term: Term,
        stage: &mut Stage,
        members: &'m [Vec<Term>],
    ) -> Option<Option<Open<'m>>> {
        let &Node::Ite(condition, then, other) = self.terms.node(term) else {
            return None;
        };
        match *stage {
            Stage::Then => {
                let test = self.code.steps.len();
                let register = self.operands[&condition].register;
                self.code.steps.push(Step::Unless(register, 0));
                *stage = Stage::Other { test };
                Some(self.region(term, then, members))
            }
            Stage::Other { test } => {
                self.copy(term, then);
                let jump = self.code.steps.len();
                self.code.steps.push(Step::Jump(0));
                self.patch(test);
                *stage = Stage::End { jump };
                Some(self.region(term, other, members))
            }
            Stage::End { jump } => {
                self.copy(term, other);
                self.patch(jump);
                None
            }
        }
    }

    /// Lets a jump go to the place reached now.
    fn patch(&mut self, step: usize) {
        let here = self.code.steps.len() as u32;
        match &mut self.code.steps[step] {
            Step::Jump(end) | Step::Unless(_, end) | Step::Decide { end, .. } => *end = here,
            _ => {}
        }
    }

    fn copy(&mut self, to: Term, from: Term) {
        let (to, from) = (self.operands[&to], self.operands[&from]);
        self.code.steps.push(if from.wide {
            Step::Escape
        } else {
            Step::One(One::Copy, to.register, from.register)
        });
    }

    /// Emits the steps that compute a term from operands that are there.
    fn step(&mut self, term: Term) {
        let mut wide = !self.is_small(term);
        self.terms.for_each_child(term, |child| {
            wide |= self.operands[&child].wide || !self.is_small(child);
        });
        let step = if wide {
            None
        } else {
            self.small_step(term, self.operands[&term].register)
        };
        self.code.steps.push(step.unwrap_or(Step::Escape));
    }

    fn small_step(&mut self, term: Term, to: Register) -> Option<Step> {
        let terms = self.terms;
        let at = |compiler: &Self, term: Term| compiler.operands[&term].register;
        Some(match terms.node(term) {
            Node::Not(a) => Step::One(One::Not, to, at(self, *a)),
            Node::Iff(a, b) | Node::Equal(a, b) => {
                Step::Two(Two::Same, to, at(self, *a), at(self, *b))
            }
            Node::Ite(condition, then, other) => {
                Step::Select(to, at(self, *condition), at(self, *then), at(self, *other))
            }
            Node::Product(a, b) => Step::Two(Two::Mul, to, at(self, *a), at(self, *b)),
            Node::Div(a, divisor) => {
                let a = at(self, *a);
                self.by(One::DivPower, Two::Div, to, a, divisor)?
            }
            Node::Mod(a, divisor) => {
                let a = at(self, *a);
                self.by(One::ModPower, Two::Mod, to, a, divisor)?
            }
            Node::Sum(sum) => self.sum(Sum::Value, to, sum)?,
            Node::AtMostZero(sum) => self.sum(Sum::AtMostZero, to, sum)?,
            Node::Zero(sum) => self.sum(Sum::Zero, to, sum)?,
            Node::Divides(divisor, sum) => {
                let value = self.sum(Sum::Value, to, sum)?;
                self.code.steps.push(value);
                self.by(One::PowerDivides, Two::Divides, to, to, divisor)?
            }
            Node::Op(op, args) => self.op(*op, to, args)?,
            // Leaves have no code, conjunctions and disjunctions are emitted with their regions, the rest is unknown here.
            _ => return None,
        })
    }

    /// A division by a constant, by a shift where that is possible.
    fn by(
        &mut self,
        power: impl Fn(u32) -> One,
        any: Two,
        to: Register,
        a: Register,
        divisor: &Int,
    ) -> Option<Step> {
        let small = i128::try_from(divisor).ok()?;
        Some(if small > 0 && small & (small - 1) == 0 {
            Step::One(power(small.trailing_zeros()), to, a)
        } else {
            Step::Two(any, to, a, self.constant(small))
        })
    }

    /// A linear combination. The most frequent kinds are steps with two operands.
    fn sum(&mut self, operation: Sum, to: Register, sum: &Linear) -> Option<Step> {
        let mut parts = Vec::with_capacity(sum.parts.len() + 1);
        for (term, coefficient) in &sum.parts {
            parts.push(Part {
                coefficient: i128::try_from(coefficient).ok()?,
                register: self.operands[term].register,
            });
        }
        let constant = i128::try_from(&sum.constant).ok()?;
        let opposite = constant.checked_neg();
        match (operation, &parts[..], constant, opposite) {
            (Sum::Value, [x], 0, _) => {
                let factor = self.constant(x.coefficient);
                return Some(Step::Two(Two::Mul, to, factor, x.register));
            }
            (Sum::Value, [x], ..) if x.coefficient == 1 => {
                let constant = self.constant(constant);
                return Some(Step::Two(Two::Add, to, x.register, constant));
            }
            (Sum::Value, [x], ..) if x.coefficient == -1 => {
                let constant = self.constant(constant);
                return Some(Step::Two(Two::Sub, to, constant, x.register));
            }
            (Sum::AtMostZero, [x], _, Some(bound)) if x.coefficient == 1 => {
                let bound = self.constant(bound);
                return Some(Step::Two(Two::AtMost, to, x.register, bound));
            }
            (Sum::AtMostZero, [x], ..) if x.coefficient == -1 => {
                let bound = self.constant(constant);
                return Some(Step::Two(Two::AtMost, to, bound, x.register));
            }
            (Sum::Zero, [x], _, Some(value)) if x.coefficient == 1 => {
                let value = self.constant(value);
                return Some(Step::Two(Two::Same, to, x.register, value));
            }
            (_, [x, y], 0, _) => {
                let step = match (operation, x.coefficient, y.coefficient) {
                    (Sum::Value, 1, 1) => Some((Two::Add, x, y)),
                    (Sum::Value, 1, -1) => Some((Two::Sub, x, y)),
                    (Sum::Value, -1, 1) => Some((Two::Sub, y, x)),
                    (Sum::AtMostZero, 1, -1) => Some((Two::AtMost, x, y)),
                    (Sum::AtMostZero, -1, 1) => Some((Two::AtMost, y, x)),
                    (Sum::Zero, 1, -1) => Some((Two::Same, x, y)),
                    _ => None,
                };
                if let Some((two, a, b)) = step {
                    return Some(Step::Two(two, to, a.register, b.register));
                }
            }
            _ => {}
        }
        if constant != 0 {
            parts.push(Part {
                coefficient: 1,
                register: self.constant(constant),
            });
        }
        let start = self.code.parts.len() as u32;
        self.code.parts.append(&mut parts);
        let end = self.code.parts.len() as u32;
        Some(Step::Sum(operation, to, start, end))
    }

    /// An operation on integers or small bit-vectors.
    fn op(&mut self, op: Op, to: Register, args: &[Term]) -> Option<Step> {
        let width_of = |term: Term| match self.terms.sort(term) {
            Sort::BitVec(width) => Some(width),
            _ => None,
        };
        let first = *args.first()?;
        let second = args.get(1).copied().unwrap_or(first);
        let (a, b) = (
            self.operands[&first].register,
            self.operands[&second].register,
        );
        let bits = |operation| Some(Step::Bits(operation, width_of(first)?, to, a, b));
        match op {
            Op::IntDiv => Some(Step::Two(Two::Div, to, a, b)),
            Op::IntMod => Some(Step::Two(Two::Mod, to, a, b)),
            Op::BvToInt | Op::BvZeroExtend(_) => Some(Step::One(One::Copy, to, a)),
            Op::BvToIntSigned => bits(Bits::Signed),
            Op::IntToBv(width) => Some(Step::Bits(Bits::FromInt, width, to, a, b)),
            Op::BvNeg => bits(Bits::Neg),
            Op::BvNot => bits(Bits::Not),
            Op::BvAdd => bits(Bits::Add),
            Op::BvSub => bits(Bits::Sub),
            Op::BvMul => bits(Bits::Mul),
            Op::BvUdiv => bits(Bits::Udiv),
            Op::BvUrem => bits(Bits::Urem),
            Op::BvSdiv => bits(Bits::Sdiv),
            Op::BvSrem => bits(Bits::Srem),
            Op::BvAnd => bits(Bits::And),
            Op::BvOr => bits(Bits::Or),
            Op::BvXor => bits(Bits::Xor),
            Op::BvShl => bits(Bits::Shl),
            Op::BvLshr => bits(Bits::Lshr),
            Op::BvAshr => bits(Bits::Ashr),
            Op::BvUle => Some(Step::Two(Two::AtMost, to, a, b)),
            Op::BvUlt => {
                // a < b unless b <= a.
                self.code.steps.push(Step::Two(Two::AtMost, to, b, a));
                Some(Step::One(One::Not, to, to))
            }
            Op::BvSlt => bits(Bits::Slt),
            Op::BvSle => bits(Bits::Sle),
            Op::BvExtract(high, low) => {
                let width = high.checked_sub(low)?.checked_add(1)?;
                Some(Step::Bits(Bits::Extract(low), width, to, a, b))
            }
            Op::BvSignExtend(by) => {
                let from = width_of(first)?;
                Some(Step::Bits(Bits::SignExtend(from), from + by, to, a, b))
            }
            Op::BvConcat => {
                let behind = width_of(second)?;
                let width = width_of(first)? + behind;
                Some(Step::Bits(Bits::Concat(behind), width, to, a, b))
            }
            _ => None,
        }
    }
}
