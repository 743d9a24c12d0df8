//! Expressions of the program as terms: exactly what the interpreter computes, as mathematical integers.
//!
//! | file | what |
//! |---|---|
//! | `arith` | sums, products, quotients; reduction to a type's range |
//! | `bits` | masks, shifts, bitwise operators |
//! | `compare` | comparisons, overflow predicates |
//!
//! An operation that may wrap is a case distinction on the few multiples of 2^width that can be in excess, and a
//! remainder only where they are many. What the range of the operands or a passed check excludes is left out. What no
//! integer term expresses becomes an [`Unknown`].

mod arith;
mod bits;
mod compare;

use rhumb_logic::{Sort, Symbol, Term, Terms};
use rhumb_program::graph::CallEffects;
use rhumb_program::interp::eval;
use rhumb_program::{BinOp, Expr, ExprId, ExprKind, LocId, Program, Span, Type, UnOp, VarId};
use rustc_hash::FxHashMap;

use crate::cells::{Addressed, Cells};
use crate::environment::Environment;
use crate::ranges::{Facts, Known, Ranges};
use crate::region::{Region, RegionPlace};
use crate::unknown::{Cause, Origin, Unknown};
use crate::values::Interval;
use crate::values::{carrier, int_of, int_range, power, type_range};

/// Encodes the expressions of one region.
pub(crate) struct Encoder<'a> {
    pub(crate) program: &'a Program,
    pub(crate) terms: &'a Terms,
    pub(crate) region: &'a Region,
    pub(crate) state: &'a mut Cells,
    pub(crate) ranges: &'a mut Ranges,
    /// What calls that are left can set.
    pub(crate) calls: &'a CallEffects,
    /// Whether the region starts where the program does, with the first values of globals.
    pub(crate) from_entry: bool,
    pub(crate) environment: Environment,
    pub(crate) facts: Facts,
    /// What was left open so far, in topological order.
    pub(crate) unknowns: Vec<Unknown>,
    by_origin: FxHashMap<Origin, Term>,
    at: RegionPlace,
    span: Span,
    values: FxHashMap<ExprId, Term>,
    conditions: FxHashMap<ExprId, Term>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(
        program: &'a Program,
        terms: &'a Terms,
        region: &'a Region,
        state: &'a mut Cells,
        ranges: &'a mut Ranges,
        calls: &'a CallEffects,
        from_entry: bool,
    ) -> Encoder<'a> {
        Encoder {
            program,
            terms,
            region,
            state,
            ranges,
            calls,
            from_entry,
            environment: Environment::default(),
            facts: Facts::default(),
            unknowns: Vec::new(),
            by_origin: FxHashMap::default(),
            at: RegionPlace::from_usize(0),
            span: Span::default(),
            values: FxHashMap::default(),
            conditions: FxHashMap::default(),
        }
    }

    /// From now on expressions are evaluated at this place.
    pub(crate) fn go_to(&mut self, place: RegionPlace, span: Span) {
        self.at = place;
        self.span = span;
        self.values.clear();
        self.conditions.clear();
    }

    fn location(&self) -> LocId {
        self.region.locations[self.at]
    }

    pub(crate) fn known(&mut self) -> (&mut Facts, Known<'_>) {
        let known = Known {
            terms: self.terms,
            ranges: self.ranges,
            dominators: &self.region.dominators,
        };
        (&mut self.facts, known)
    }

    /// The range of a term here.
    pub(crate) fn range(&mut self, term: Term) -> Interval {
        let at = self.at;
        let (facts, mut known) = self.known();
        facts.range(&mut known, at, term)
    }

    /// The value of a variable at a place.
    pub(crate) fn var_at(&mut self, place: RegionPlace, var: VarId) -> Term {
        if let Some(value) = self.environment.value(&self.region.dominators, place, var) {
            return value;
        }
        let value = self.first_value(var);
        // The start dominates everything, and nothing before has looked for this variable at it.
        self.environment.define_first(var, value);
        value
    }

    /// The value of a variable at the start of the region.
    fn first_value(&mut self, var: VarId) -> Term {
        let info = &self.program.vars[var];
        if self.from_entry && info.scope == rhumb_program::Scope::Global {
            return match info.init {
                Some(init) => self.value(init),
                None => self.terms.int(0),
            };
        }
        match self.state.symbol(var) {
            Some(symbol) => self.terms.var(symbol),
            // Not live at the start: whatever reads it has set it before, in every run.
            None => self.terms.int(0),
        }
    }

    /// A new open value of a range.
    pub(crate) fn unknown(&mut self, origin: Origin, cause: Cause, range: Interval) -> Term {
        if let Some(&known) = self.by_origin.get(&origin) {
            return known;
        }
        let name = match cause {
            Cause::Input(site) => match &self.program.inputs[site].kind {
                rhumb_program::InputKind::Nondet(name)
                | rhumb_program::InputKind::UndefinedFunction(name)
                | rhumb_program::InputKind::EntryArgument(name)
                | rhumb_program::InputKind::Read(name)
                | rhumb_program::InputKind::Uninitialised(name) => format!("{name}?"),
                rhumb_program::InputKind::MissingReturn => "return?".to_owned(),
                rhumb_program::InputKind::Order => "order?".to_owned(),
                rhumb_program::InputKind::Schedule => "schedule?".to_owned(),
                rhumb_program::InputKind::Others => "others?".to_owned(),
                rhumb_program::InputKind::Remember => "remember?".to_owned(),
                kind @ rhumb_program::InputKind::Outside { .. } => format!("{}?", kind.describe()),
            },
            _ => format!("{}?", cause.describe()),
        };
        let symbol: Symbol = self.terms.symbol(name, Sort::Int);
        self.ranges.declare(symbol, range);
        self.unknowns.push(Unknown {
            symbol,
            origin,
            cause,
            span: self.span,
        });
        let term = self.terms.var(symbol);
        self.by_origin.insert(origin, term);
        term
    }

    /// An open value in place of an expression.
    fn unknown_expr(&mut self, id: ExprId, cause: Cause) -> Term {
        let range = type_range(self.program.exprs.ty(id), self.program.data_model);
        self.unknown(Origin::Expr(self.location(), id), cause, range)
    }

    /// The value of an expression here, a term of sort `Int`.
    pub(crate) fn value(&mut self, id: ExprId) -> Term {
        if let Some(&known) = self.values.get(&id) {
            return known;
        }
        let value = self.encode_value(id);
        let range = type_range(self.program.exprs.ty(id), self.program.data_model);
        self.learn(value, &range);
        self.values.insert(id, value);
        value
    }

    /// From here on the term lies in the range.
    pub(crate) fn learn(&mut self, term: Term, range: &Interval) {
        let at = self.at;
        let (facts, mut known) = self.known();
        facts.learn(&mut known, at, term, range);
    }

    fn encode_value(&mut self, id: ExprId) -> Term {
        let Expr { kind, ty } = self.program.exprs[id].clone();
        if ty == Type::Bool {
            return match kind {
                ExprKind::Const(bits) => self.terms.int(int_of(ty, bits)),
                ExprKind::Var(var) => self.var_at(self.at, var),
                _ => {
                    let condition = self.condition(id);
                    self.truth_value(condition)
                }
            };
        }
        match kind {
            ExprKind::Const(bits) => self.terms.int(int_of(ty, bits)),
            ExprKind::Var(var) => self.var_at(self.at, var),
            ExprKind::AddrOf(object) => self.address(Addressed::Object(object)),
            ExprKind::FuncAddr(function) => self.address(Addressed::Function(function)),
            ExprKind::Unary(op, arg) => self.unary(id, op, ty, arg),
            ExprKind::Binary(op, lhs, rhs) => match ty {
                Type::Int(int) => self.int_binary(op, int, lhs, rhs),
                _ => self.unknown_expr(id, Cause::Float),
            },
            ExprKind::Cast(arg) => self.cast(id, ty, arg),
            ExprKind::PtrAdd(ptr, bytes) => {
                let sum = self.terms.add(self.value(ptr), self.value(bytes));
                self.reduce(sum, carrier(Type::Ptr, self.program.data_model))
            }
            ExprKind::PtrDiff(lhs, rhs) => {
                let difference = self.terms.sub(self.value(lhs), self.value(rhs));
                self.reduce(difference, carrier(ty, self.program.data_model))
            }
            // These are of type `Bool`.
            ExprKind::Overflows(..)
            | ExprKind::CastOverflows(..)
            | ExprKind::AccessOk { .. }
            | ExprKind::FreeOk(_) => self.unknown_expr(id, Cause::Memory),
        }
    }

    /// 1 for true, 0 for false.
    pub(crate) fn truth_value(&mut self, condition: Term) -> Term {
        self.terms
            .ite(condition, self.terms.int(1), self.terms.int(0))
    }

    fn address(&mut self, what: Addressed) -> Term {
        let symbol = self
            .state
            .address_symbol(self.program, self.terms, self.ranges, what);
        self.terms.var(symbol)
    }

    fn unary(&mut self, id: ExprId, op: UnOp, ty: Type, arg: ExprId) -> Term {
        let value = self.value(arg);
        match (op, ty) {
            (UnOp::Neg, Type::Int(int)) => {
                let zero = self.terms.int(0);
                self.checked(rhumb_program::ArithOp::Sub, int, zero, value, |terms| {
                    terms.neg(value)
                })
            }
            (UnOp::BitNot, Type::Int(int)) => {
                // All ones is -1 for a signed type and the greatest value for an unsigned one.
                let ones = if int.signed {
                    rhumb_logic::Int::NEG_ONE
                } else {
                    int_range(int).high
                };
                self.terms.sub(self.terms.int(ones), value)
            }
            (UnOp::Neg, Type::Float(_)) => {
                // The sign is the top bit.
                let half = power(u32::from(carrier(ty, self.program.data_model).width) - 1);
                let positive = self.less(value, self.terms.int(half.clone()));
                let up = self.terms.add(value, self.terms.int(half.clone()));
                let down = self.terms.sub(value, self.terms.int(half));
                self.terms.ite(positive, up, down)
            }
            _ => self.unknown_expr(id, Cause::Float),
        }
    }

    fn cast(&mut self, id: ExprId, to: Type, arg: ExprId) -> Term {
        let from = self.program.exprs.ty(arg);
        match (from, to) {
            (Type::Bool, Type::Float(_)) => {
                // Two values only, both known.
                let bits = |bits| eval::cast(from, to, bits).ok().map(|bits| int_of(to, bits));
                match (bits(1), bits(0)) {
                    (Some(one), Some(zero)) => {
                        let condition = self.condition(arg);
                        self.terms
                            .ite(condition, self.terms.int(one), self.terms.int(zero))
                    }
                    _ => self.unknown_expr(id, Cause::Float),
                }
            }
            (Type::Float(_), _) | (_, Type::Float(_)) => self.unknown_expr(id, Cause::Float),
            _ => {
                let value = self.value(arg);
                self.reduce(value, carrier(to, self.program.data_model))
            }
        }
    }

    /// The truth of an expression of type `Bool` here, a formula.
    pub(crate) fn condition(&mut self, id: ExprId) -> Term {
        if let Some(&known) = self.conditions.get(&id) {
            return known;
        }
        let formula = self.encode_condition(id);
        self.conditions.insert(id, formula);
        formula
    }

    fn encode_condition(&mut self, id: ExprId) -> Term {
        match self.program.exprs[id].kind {
            ExprKind::Const(bits) => self.terms.bool(bits != 0),
            ExprKind::Unary(UnOp::Not, arg) => {
                let inner = self.condition(arg);
                self.terms.not(inner)
            }
            ExprKind::Binary(op, lhs, rhs) => match self.program.exprs.ty(lhs) {
                Type::Bool => self.bool_binary(op, lhs, rhs),
                Type::Float(_) => {
                    let unknown = self.unknown_expr(id, Cause::Float);
                    self.is_true(unknown)
                }
                Type::Int(_) | Type::Ptr => {
                    let (a, b) = (self.value(lhs), self.value(rhs));
                    match op {
                        BinOp::Eq => self.equal(a, b),
                        BinOp::Ne => {
                            let equal = self.equal(a, b);
                            self.terms.not(equal)
                        }
                        BinOp::Lt => self.less(a, b),
                        _ => self.at_most(a, b),
                    }
                }
            },
            ExprKind::Overflows(op, lhs, rhs) => self.overflows(op, lhs, rhs),
            ExprKind::CastOverflows(..) => {
                let unknown = self.unknown_expr(id, Cause::Float);
                self.is_true(unknown)
            }
            ExprKind::AccessOk { ptr, size, .. } => {
                let unknown = self.unknown_expr(id, Cause::Memory);
                let known = self.is_true(unknown);
                // No object begins at null, and what lies behind its end has an address, too.
                let (first, size) = (self.value(ptr), self.value(size));
                let end = self.terms.add(first, size);
                let last = type_range(Type::Ptr, self.program.data_model).high;
                let is_above = self.is_true(first);
                let is_below = self.at_most(end, self.terms.int(last));
                self.terms.and([known, is_above, is_below])
            }
            ExprKind::FreeOk(_) => {
                let unknown = self.unknown_expr(id, Cause::Memory);
                self.is_true(unknown)
            }
            _ => {
                let value = self.value(id);
                self.is_true(value)
            }
        }
    }

    /// Whether a value that is 0 or 1 is 1.
    fn is_true(&mut self, value: Term) -> Term {
        let one = self.terms.int(1);
        self.at_most(one, value)
    }

    fn bool_binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Term {
        let (a, b) = (self.condition(lhs), self.condition(rhs));
        let terms = self.terms;
        match op {
            BinOp::And => terms.and([a, b]),
            BinOp::Or => terms.or([a, b]),
            BinOp::Eq => terms.iff(a, b),
            BinOp::Lt => terms.and([terms.not(a), b]),
            BinOp::Le => terms.implies(a, b),
            // `Xor` and `Ne`; nothing else goes on truth values.
            _ => terms.not(terms.iff(a, b)),
        }
    }
}
