//! Expressions in a run whose inputs are left open.

use std::cmp::Ordering;
use std::sync::Arc;

use rhumb_logic::{Int, Sort, Symbol, Term, Terms};
use rhumb_program::interp::{KeyedInputs, Others, eval};
use rhumb_program::{
    Action, BinOp, Builtin, Callee, ExprId, ExprKind, IntType, ObjectId, Program, Roots, Scope,
    Type, UnOp, VarId,
};
use rustc_hash::FxHashMap;

use super::memory::{Instance, Kind};
use super::merge::Merging;
use super::questions::Symbols;
use super::state::PathState;
use super::step::Within;
use super::threads::{Note, Touch};
use super::value::{Base, Choice, Pointer, Value, WILD, integer};
use super::{ACCESSES, Gap, Halt};
use crate::proof::encode::arith;
use crate::proof::encode::number::{Number, Range};

/// What executes a program. Nothing in it changes during a run but the list of what is assumed of new symbols.
pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) terms: Arc<Terms>,
    /// The instances of global objects.
    pub(super) globals: FxHashMap<ObjectId, u32>,
    /// Which pointers hold memory.
    pub(super) roots: Roots<'p>,
    /// Whether accesses that are undefined are to be found: then a pointer that belongs to no object is one.
    pub(super) asks_for_accesses: bool,
    /// The inputs, if they are not left open.
    pub(super) given: Option<KeyedInputs>,
    /// Where objects of others lie, if pointers may be given some: where a single run is led.
    pub(super) others: Option<Others>,
    /// Whether something was approximated since somebody looked.
    pub(super) approximated: bool,
    /// What is assumed of symbols that were made since somebody took it from here.
    pub(super) assumed: Vec<Term>,
    /// What was accessed since somebody took it from here; kept in programs with threads.
    pub(super) touched: Option<Vec<Touch>>,
    /// Accesses that are asked about, since somebody looked.
    pub(super) noted: Vec<Note>,
    /// Whether a thread has asked for its number.
    pub(super) asked_for_number: bool,
    /// Whether threads stand for others like them.
    pub(super) is_crowd: bool,
    /// Whether results of floating-point operations are followed; if not, they are anything.
    pub(super) follows_floats: bool,
    /// Whether memory that is lost is asked for.
    pub(super) asks_for_leaks: bool,
    /// How many passages of sites of bytes there were, if each has a number of its own: where runs meet, how often a run
    /// has passed a site is different for each.
    pub(super) passages: Option<u64>,
    /// The access for which runs have to be told apart.
    pub(super) within: Option<Within>,
    /// Whether all questions are about bits: then the ranges of symbols say what is assumed of them.
    pub(super) asks_about_bits: bool,
    /// What is known of symbols whatever the path.
    pub(super) symbols: Symbols,
    /// Symbols that are patterns of IEEE numbers.
    pub(super) patterns: FxHashMap<Term, Number>,
    /// What is known for making one path of two.
    pub(super) merging: Merging<'p>,
}

impl<'p> Machine<'p> {
    /// For a program with one thread, with its inputs left open.
    pub(super) fn new(program: &'p Program, terms: Arc<Terms>) -> Machine<'p> {
        Machine {
            program,
            terms,
            globals: FxHashMap::default(),
            roots: Roots::new(program),
            asks_for_accesses: program.asks_for(&ACCESSES),
            given: None,
            others: None,
            approximated: false,
            assumed: Vec::new(),
            touched: None,
            noted: Vec::new(),
            asked_for_number: false,
            is_crowd: false,
            follows_floats: false,
            asks_about_bits: false,
            asks_for_leaks: asks_for_leaks(program),
            passages: None,
            within: None,
            symbols: Symbols::default(),
            patterns: FxHashMap::default(),
            merging: Merging::new(program),
        }
    }
}

fn asks_for_leaks(program: &Program) -> bool {
    let mut edges = (program.functions.iter()).flat_map(|function| &function.cfa.edges);
    edges.any(|edge| match edge.action {
        Action::Call { callee, .. } => matches!(callee, Callee::Builtin(Builtin::Leaks(_))),
        _ => false,
    })
}

impl Machine<'_> {
    /// Any number of a type.
    pub(super) fn symbol(&mut self, name: &str, ty: Type) -> (Symbol, Number) {
        let symbol = self.terms.symbol(name, Sort::Int);
        let term = self.terms.var(symbol);
        let range = Range::of_type(ty, self.program.data_model);
        if !self.asks_about_bits {
            self.assumed.push(range.holds(&self.terms, term));
        }
        if self.follows_floats || self.asks_about_bits {
            self.symbols.ranges.push((symbol, range.clone()));
        }
        (symbol, Number { term, range })
    }

    /// Any value of a type, as far as it can be said: what the model doesn't say is anything.
    pub(super) fn unknown(&mut self, ty: Type) -> Value {
        self.approximated = true;
        match ty {
            Type::Ptr => Value::Wild,
            Type::Bool => Value::Truth(self.terms.fresh("unknown", Sort::Bool)),
            _ => Value::Number(self.symbol("unknown", ty).1),
        }
    }

    /// The constant that a number is in this run; if that is open, runs have to be told apart by it.
    pub(super) fn constant(&self, state: &PathState, number: &Number) -> Result<Int, Halt> {
        if let Some(value) = number.as_constant(&self.terms) {
            return Ok(value.clone());
        }
        match state.pinned.get(&number.term) {
            Some(value) => Ok(value.clone()),
            None => Err(Halt::Split(number.term)),
        }
    }

    /// As [`Machine::constant`], for sizes and offsets.
    pub(super) fn known(&self, state: &PathState, number: &Number) -> Result<u64, Halt> {
        let value = self.constant(state, number)?;
        u64::try_from(value).map_err(|_| Halt::Gap(Gap("a size that is none")))
    }

    fn read(&self, state: &PathState, var: VarId) -> Result<Value, Gap> {
        let value = match self.program.vars[var].scope {
            Scope::Global => state.globals.get(&var),
            Scope::Local(_) => state.frame().variables.get(&var),
        };
        value.cloned().ok_or(Gap("a variable that was not set"))
    }

    pub(super) fn number(&mut self, state: &PathState, id: ExprId) -> Result<Number, Halt> {
        let value = self.value(state, id)?;
        let ty = self.program.exprs.ty(id);
        Ok(value.number(&self.terms, ty, self.program.data_model)?)
    }

    pub(super) fn truth(&mut self, state: &PathState, id: ExprId) -> Result<Term, Halt> {
        let value = self.value(state, id)?;
        Ok(value.truth(&self.terms)?)
    }

    /// The value of an expression. Recursive on its depth, which the model limits.
    pub(super) fn value(&mut self, state: &PathState, id: ExprId) -> Result<Value, Halt> {
        let program = self.program;
        let (exprs, model) = (&program.exprs, program.data_model);
        let ty = exprs.ty(id);
        match exprs[id].kind {
            ExprKind::Const(bits) => Ok(Value::Known(bits)),
            ExprKind::Var(var) => Ok(self.read(state, var)?),
            ExprKind::AddrOf(object) => Ok(self.address_of(state, object)?),
            ExprKind::FuncAddr(function) => {
                Ok(Value::start_of(&self.terms, Base::Function(function)))
            }
            ExprKind::Unary(op, arg) => {
                let value = self.value(state, arg)?;
                self.unary(op, ty, &value)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                if let Some(truth) = self.beyond_objects(state, op, lhs, rhs)? {
                    return Ok(Value::Known(truth.into()));
                }
                let (a, b) = (self.value(state, lhs)?, self.value(state, rhs)?);
                match exprs.ty(lhs) {
                    Type::Ptr => {
                        let (a, b) = (self.settled(state, a)?, self.settled(state, b)?);
                        let (a, b) = self.resolved_together(state, a, b)?;
                        self.compared(state, op, &a, &b)
                    }
                    operand => self.binary(state, op, ty, (operand, &a), (exprs.ty(rhs), &b)),
                }
            }
            ExprKind::Cast(arg) => {
                let value = self.value(state, arg)?;
                let value = self.settled(state, value)?;
                self.cast(exprs.ty(arg), ty, value)
            }
            ExprKind::Overflows(op, lhs, rhs) => {
                let (a, b) = (self.value(state, lhs)?, self.value(state, rhs)?);
                let (ty_a, ty_b) = (exprs.ty(lhs), exprs.ty(rhs));
                if let (&Value::Known(a), &Value::Known(b)) = (&a, &b)
                    && let Ok(overflows) = eval::overflows(op, ty_a, a, ty_b, b)
                {
                    return Ok(Value::Known(overflows.into()));
                }
                let Some(int) = ty_a.as_int() else {
                    return Ok(self.unknown(ty));
                };
                let a = a.number(&self.terms, ty_a, model)?;
                let b = b.number(&self.terms, ty_b, model)?;
                let truth = arith::overflows(&self.terms, op, int, &a, &b);
                Ok(Value::from_truth(&self.terms, truth))
            }
            ExprKind::CastOverflows(to, arg) => match self.value(state, arg)? {
                Value::Known(bits) => eval::cast_overflows(to, exprs.ty(arg), bits)
                    .map(|overflows| Value::Known(overflows.into()))
                    .map_err(|_| Halt::Gap(Gap("a conversion without a value"))),
                value => self.float_overflows(to, exprs.ty(arg), &value),
            },
            ExprKind::PtrAdd(pointer, bytes) => {
                let value = self.value(state, pointer)?;
                let bytes = self.number(state, bytes)?;
                self.moved(&value, &bytes)
            }
            ExprKind::PtrDiff(lhs, rhs) => {
                let (a, b) = (self.value(state, lhs)?, self.value(state, rhs)?);
                let (a, b) = (self.settled(state, a)?, self.settled(state, b)?);
                let (a, b) = self.resolved_together(state, a, b)?;
                let (a, b) = match (&a, &b) {
                    (Value::Pointer(a), Value::Pointer(b)) if a.base == b.base => {
                        (a.offset.clone(), b.offset.clone())
                    }
                    (Value::Pointer(_), _) | (_, Value::Pointer(_)) => {
                        return Err(Halt::Gap(Gap("the distance of two objects")));
                    }
                    _ => (
                        a.number(&self.terms, Type::Ptr, model)?,
                        b.number(&self.terms, Type::Ptr, model)?,
                    ),
                };
                let int = model.ptrdiff_type();
                let distance = arith::binary(&self.terms, BinOp::Sub, int, &a, &b);
                Ok(Value::from_number(&self.terms, distance, ty, model))
            }
            ExprKind::AccessOk { ptr, size, write } => {
                let pointer = self.resolved(state, ptr)?;
                let size = self.number(state, size)?;
                let truth = self.may_access(state, &pointer, &size, write)?;
                Ok(Value::from_truth(&self.terms, truth))
            }
            ExprKind::FreeOk(ptr) => {
                let truth = match self.resolved(state, ptr)? {
                    Value::NULL => self.terms.bool(true),
                    Value::Pointer(pointer) => match self.instance(state, &pointer) {
                        Some(instance) if instance.is_alive && instance.kind == Kind::Heap => {
                            self.terms.eq(pointer.offset.term, self.terms.int(0))
                        }
                        _ => self.terms.bool(false),
                    },
                    Value::Known(_) | Value::Number(_) if self.asks_for_accesses => {
                        self.terms.bool(false)
                    }
                    _ => return Err(Halt::Gap(WILD)),
                };
                Ok(Value::from_truth(&self.terms, truth))
            }
        }
    }

    /// The exact result of an operation, and the type that it fits, where the condition that it doesn't was found to be false.
    pub(super) fn fits(&mut self, state: &PathState, condition: ExprId) -> Option<(Term, IntType)> {
        let exprs = &self.program.exprs;
        let ExprKind::Overflows(op, lhs, rhs) = exprs[condition].kind else {
            return None;
        };
        let op = arith::checked_operator(op)?;
        let ty = exprs.ty(lhs).as_int()?;
        let (a, b) = (self.number(state, lhs).ok()?, self.number(state, rhs).ok()?);
        Some((arith::exact(&self.terms, op, &a, &b).term, ty))
    }

    fn address_of(&self, state: &PathState, object: ObjectId) -> Result<Value, Gap> {
        let instance = match self.program.objects[object].scope {
            Scope::Global => self.globals.get(&object),
            Scope::Local(_) => state.frame().objects.get(&object),
        };
        let &instance = instance.ok_or(Gap("the address of an object that has not begun"))?;
        Ok(Value::start_of(&self.terms, Base::Instance(instance)))
    }

    fn unary(&mut self, op: UnOp, ty: Type, value: &Value) -> Result<Value, Halt> {
        let model = self.program.data_model;
        if let &Value::Known(bits) = value
            && let Ok(bits) = eval::unary(op, ty, bits)
        {
            return Ok(Value::Known(bits));
        }
        match ty {
            Type::Bool => {
                let truth = value.truth(&self.terms)?;
                Ok(Value::from_truth(&self.terms, self.terms.not(truth)))
            }
            Type::Int(int) => {
                let number = value.number(&self.terms, ty, model)?;
                let result = match op {
                    UnOp::Neg => arith::negate(&self.terms, int, &number),
                    UnOp::BitNot | UnOp::Not => arith::complement(&self.terms, int, &number),
                };
                Ok(Value::from_number(&self.terms, result, ty, model))
            }
            Type::Float(float) => self.float_unary(op, float, value),
            Type::Ptr => Ok(self.unknown(ty)),
        }
    }

    /// An operator on anything but pointers.
    fn binary(
        &mut self,
        state: &PathState,
        op: BinOp,
        ty: Type,
        (ty_a, a): (Type, &Value),
        (ty_b, b): (Type, &Value),
    ) -> Result<Value, Halt> {
        let model = self.program.data_model;
        if let (&Value::Known(a), &Value::Known(b)) = (a, b) {
            // By zero, say: a check stands before, so no run comes here.
            return eval::binary(op, ty_a, a, ty_b, b)
                .map(Value::Known)
                .map_err(|_| Halt::Gap(Gap("an operation without a value")));
        }
        let terms = self.terms.clone();
        match ty_a {
            Type::Bool => {
                let (a, b) = (a.truth(&terms)?, b.truth(&terms)?);
                let truth = arith::connective(&terms, op, a, b);
                Ok(Value::from_truth(&terms, truth))
            }
            Type::Int(int) => {
                let a = a.number(&terms, ty_a, model)?;
                let b = b.number(&terms, ty_b, model)?;
                if ty == Type::Bool {
                    let truth = arith::compare(&terms, op, a.term, b.term);
                    return Ok(Value::from_truth(&terms, truth));
                }
                let result = match op {
                    BinOp::Add | BinOp::Sub | BinOp::Mul => {
                        let exact = arith::exact(&terms, op, &a, &b);
                        match state.fitting.contains(&(exact.term, int)) {
                            true => Number {
                                term: exact.term,
                                range: exact.range.meet(&Range::of_int(int)),
                            },
                            false => exact.wrap(&terms, int),
                        }
                    }
                    _ => arith::binary(&terms, op, int, &a, &b),
                };
                Ok(Value::from_number(&terms, result, ty, model))
            }
            Type::Float(float) => self.float_binary(op, float, ty, [a, b]),
            Type::Ptr => Ok(self.unknown(ty)),
        }
    }

    fn cast(&mut self, from: Type, to: Type, value: Value) -> Result<Value, Halt> {
        let model = self.program.data_model;
        match (&value, from, to) {
            // An address that belongs to nothing is a number like any other.
            (Value::Known(_) | Value::Number(_), Type::Ptr, Type::Int(_))
            | (Value::Known(_) | Value::Number(_), Type::Int(_), Type::Ptr) => {}
            (&Value::Known(bits), ..) => {
                return eval::cast(from, to, bits)
                    .map(Value::Known)
                    .map_err(|_| Halt::Gap(Gap("a conversion without a value")));
            }
            (_, Type::Float(_), _) | (_, _, Type::Float(_)) => {
                return self.float_cast(from, to, &value);
            }
            _ => {}
        }
        let number = value.number(&self.terms, from, model)?;
        let Some(int) = integer(to, model) else {
            return Ok(self.unknown(to));
        };
        let wrapped = number.wrap(&self.terms, int);
        Ok(Value::from_number(&self.terms, wrapped, to, model))
    }

    /// A pointer moved by a number of bytes.
    fn moved(&mut self, value: &Value, bytes: &Number) -> Result<Value, Halt> {
        let model = self.program.data_model;
        let terms = &self.terms;
        let int = model.size_type();
        let sum = |offset: &Number| arith::binary(terms, BinOp::Add, int, offset, bytes);
        match value {
            Value::Pointer(pointer) => Ok(Value::Pointer(Pointer {
                base: pointer.base,
                offset: sum(&pointer.offset),
            })),
            Value::Choice(choice) => {
                let choice = choice.clone();
                let mut moved = Vec::with_capacity(choice.0.len());
                for (condition, value) in &*choice.0 {
                    moved.push((*condition, self.moved(value, bytes)?));
                }
                Ok(Value::Choice(Choice(moved.into())))
            }
            value => {
                let address = value.number(terms, Type::Ptr, model)?;
                Ok(Value::from_number(terms, sum(&address), Type::Ptr, model))
            }
        }
    }

    /// The object that a pointer belongs to.
    pub(super) fn instance<'s>(
        &self,
        state: &'s PathState,
        pointer: &Pointer,
    ) -> Option<&'s Instance> {
        match pointer.base {
            Base::Instance(number) => state.instances.get(number as usize),
            Base::Function(_) => None,
        }
    }

    /// The formula that some bytes are inside one live object that may be read, or written.
    pub(super) fn may_access(
        &self,
        state: &PathState,
        value: &Value,
        size: &Number,
        write: bool,
    ) -> Result<Term, Gap> {
        let terms = &self.terms;
        let pointer = match value {
            Value::Pointer(pointer) => pointer,
            &Value::NULL => return Ok(terms.bool(false)),
            Value::Known(_) | Value::Number(_) if self.asks_for_accesses => {
                return Ok(terms.bool(false));
            }
            _ => return Err(WILD),
        };
        let Some(instance) = self.instance(state, pointer) else {
            return Ok(terms.bool(false));
        };
        if !instance.is_alive || write && instance.read_only {
            return Ok(terms.bool(false));
        }
        // The offset is unsigned, so a sum that is within the object was none that went round.
        let end = terms.add(pointer.offset.term, size.term);
        Ok(terms.le(end, terms.int(instance.size)))
    }

    /// A comparison of pointers. Where objects lie is open, so only what is the same wherever they lie has an answer.
    fn compared(
        &mut self,
        state: &PathState,
        op: BinOp,
        a: &Value,
        b: &Value,
    ) -> Result<Value, Halt> {
        const OPEN: Halt = Halt::Gap(Gap("a comparison that depends on where objects lie"));
        let terms = &self.terms.clone();
        let model = self.program.data_model;
        let truth = match (a, b) {
            (Value::Pointer(a), Value::Pointer(b)) if a.base == b.base => {
                if !matches!(op, BinOp::Eq | BinOp::Ne) {
                    // Before its object a pointer may have gone round the end of the addresses.
                    for pointer in [a, b] {
                        let offset = self.constant(state, &pointer.offset)?;
                        let size = self.instance(state, pointer).map_or(0, |it| it.size);
                        if offset > Int::from(size) {
                            return Err(OPEN);
                        }
                    }
                }
                arith::compare(terms, op, a.offset.term, b.offset.term)
            }
            (Value::Pointer(_), _) | (_, Value::Pointer(_)) => {
                for value in [a, b] {
                    self.touch_lifetime(state, value);
                }
                let (a_inside, b_inside) = (
                    self.is_inside(state, a, matches!(b, &Value::NULL))?,
                    self.is_inside(state, b, matches!(a, &Value::NULL))?,
                );
                match op {
                    BinOp::Eq | BinOp::Ne if a_inside && b_inside => terms.bool(op == BinOp::Ne),
                    _ => return Err(OPEN),
                }
            }
            _ => {
                let a = a.number(terms, Type::Ptr, model)?;
                let b = b.number(terms, Type::Ptr, model)?;
                arith::compare(terms, op, a.term, b.term)
            }
        };
        Ok(Value::from_truth(terms, truth))
    }

    /// How the address of an object, as a number, compares with a number at which none lies, wherever objects lie.
    fn beyond_objects(
        &mut self,
        state: &PathState,
        op: BinOp,
        lhs: ExprId,
        rhs: ExprId,
    ) -> Result<Option<bool>, Halt> {
        let exprs = &self.program.exprs;
        let (ptr, bits, is_first) = match (exprs[lhs].kind, exprs[rhs].kind) {
            (ExprKind::Cast(ptr), ExprKind::Const(bits)) => (ptr, bits, true),
            (ExprKind::Const(bits), ExprKind::Cast(ptr)) => (ptr, bits, false),
            _ => return Ok(None),
        };
        let Some(int) = exprs.ty(lhs).as_int() else {
            return Ok(None);
        };
        if exprs.ty(ptr) != Type::Ptr {
            return Ok(None);
        }
        let Some(objects) = self.program.data_model.objects_compared(int, bits) else {
            return Ok(None);
        };
        let value = self.pointer(state, ptr)?;
        if !matches!(value, Value::Pointer(_)) || !self.is_inside(state, &value, true)? {
            return Ok(None);
        }
        let is_less = (objects == Ordering::Less) == is_first;
        Ok(match op {
            BinOp::Eq => Some(false),
            BinOp::Ne => Some(true),
            BinOp::Lt | BinOp::Le => Some(is_less),
            _ => None,
        })
    }

    /// Whether an address is one that nothing else can have: null, a function, or within a live object (its end counts if `end_too`).
    fn is_inside(&self, state: &PathState, value: &Value, end_too: bool) -> Result<bool, Halt> {
        let Value::Pointer(pointer) = value else {
            return Ok(*value == Value::NULL);
        };
        let offset = self.constant(state, &pointer.offset)?;
        Ok(match self.instance(state, pointer) {
            None => offset == Int::ZERO,
            Some(instance) => {
                let size = Int::from(instance.size);
                instance.is_alive && (offset < size || end_too && offset == size)
            }
        })
    }
}
