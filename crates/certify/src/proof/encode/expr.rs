//! Expressions as terms.

use rhumb_logic::{Int, Node, Sort, Symbol, Term, Terms};
use rhumb_program::{
    Access, BinOp, ExprId, ExprKind, FuncId, IndexVec, IntType, ObjectId, Program, Scope, Type,
    UnOp, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::arith;
use super::floats::Floats;
use super::number::{Number, Range};
use super::state::SymbolicState;

/// The value of an expression or variable: a formula for `Bool`, a number for everything else.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Truth(Term),
    Number(Number),
}

impl Value {
    /// The value as a term of sort `Int`: 0 or 1 for truth values.
    pub(crate) fn to_int(&self, terms: &Terms) -> Term {
        match self {
            Value::Truth(truth) => Number::from_truth(terms, *truth).term,
            Value::Number(number) => number.term,
        }
    }

    /// The first value if the condition holds, else the other.
    pub(crate) fn choose(terms: &Terms, condition: Term, then: &Value, other: &Value) -> Value {
        match (then, other) {
            (Value::Truth(a), Value::Truth(b)) => Value::Truth(terms.ite(condition, *a, *b)),
            (Value::Number(a), Value::Number(b)) => Value::Number(Number {
                term: terms.ite(condition, a.term, b.term),
                range: a.range.hull(&b.range),
            }),
            // One variable has one type: this doesn't happen.
            _ => then.clone(),
        }
    }
}

/// Makes terms of expressions over a [`SymbolicState`], and collects what is assumed of the symbols that it makes.
pub(crate) struct Encoder<'p> {
    pub(crate) program: &'p Program,
    pub(crate) terms: &'p Terms,
    /// The values that variables have where encoding starts, as far as they were asked for.
    base: FxHashMap<VarId, Value>,
    /// The symbols that stand for them.
    symbols: &'p IndexVec<VarId, Symbol>,
    /// Ranges of the symbols in use, as formulas and as they are.
    assumptions: Vec<Term>,
    ranges: Vec<(Symbol, Range)>,
    /// Addresses of global objects, which stay what they are for the whole run.
    addresses: FxHashMap<ObjectId, Number>,
    /// Addresses of functions, each with its symbol: all different.
    functions: FxHashMap<FuncId, Number>,
    /// Whether all arithmetic rounds to nearest, once somebody asked.
    nearest: Option<bool>,
    /// What may have been set since the function was entered; none where encoding starts at its entry.
    since: Option<&'p FxHashSet<VarId>>,
    /// Symbols that stand for what variables were when the function was entered, as far as they were asked for.
    entered: FxHashSet<Symbol>,
}

impl<'p> Encoder<'p> {
    /// An encoder that starts with any values: each variable has its symbol, of sort `Int`.
    pub(crate) fn new(
        program: &'p Program,
        terms: &'p Terms,
        symbols: &'p IndexVec<VarId, Symbol>,
    ) -> Encoder<'p> {
        Encoder {
            program,
            terms,
            base: FxHashMap::default(),
            symbols,
            assumptions: Vec::new(),
            ranges: Vec::new(),
            addresses: FxHashMap::default(),
            functions: FxHashMap::default(),
            nearest: None,
            since: None,
            entered: FxHashSet::default(),
        }
    }

    /// The same, where these variables may have been set since the function was entered.
    pub(crate) fn since(self, since: &'p FxHashSet<VarId>) -> Encoder<'p> {
        Encoder {
            since: Some(since),
            ..self
        }
    }

    /// The value that a variable had when the function was entered, for which this symbol stands, as a term of sort
    /// `Int`: what it still has if nothing sets it.
    pub(crate) fn at_entry(&mut self, symbol: Symbol, var: VarId) -> Term {
        if self.since.is_none_or(|since| !since.contains(&var)) {
            return self.read_int(var, &SymbolicState::default());
        }
        if self.entered.insert(symbol) {
            self.of_symbol(symbol, self.program.vars[var].ty);
        }
        self.terms.var(symbol)
    }

    /// An encoder that starts where the run does: global variables have their first values.
    pub(crate) fn at_start(
        program: &'p Program,
        terms: &'p Terms,
        symbols: &'p IndexVec<VarId, Symbol>,
    ) -> Encoder<'p> {
        let mut encoder = Encoder::new(program, terms, symbols);
        for (id, var) in program.vars.iter_enumerated() {
            if var.scope == Scope::Global {
                let value = encoder.initial(id);
                encoder.base.insert(id, value);
            }
        }
        encoder
    }

    /// What is assumed of the symbols made so far. Only grows.
    pub(crate) fn assumptions(&self) -> &[Term] {
        &self.assumptions
    }

    /// The symbols made so far of sort `Int`, and the ranges that are assumed of them.
    pub(crate) fn ranges(&self) -> &[(Symbol, Range)] {
        &self.ranges
    }

    fn assume(&mut self, symbol: Symbol, range: &Range) {
        let term = self.terms.var(symbol);
        self.assumptions.push(range.holds(self.terms, term));
        self.ranges.push((symbol, range.clone()));
    }

    /// The value of a variable.
    pub(crate) fn read(&mut self, var: VarId, at: &SymbolicState) -> Value {
        match at.value(var) {
            Some(value) => value.clone(),
            None => self.base_value(var),
        }
    }

    /// The value that a variable has where encoding starts.
    pub(super) fn base_value(&mut self, var: VarId) -> Value {
        if let Some(known) = self.base.get(&var) {
            return known.clone();
        }
        let value = self.of_symbol(self.symbols[var], self.program.vars[var].ty);
        self.base.insert(var, value.clone());
        value
    }

    /// Takes floats for the constants that formulas say they are where encoding starts. Only for formulas that
    /// everything assumes that is asked of what is encoded.
    pub(crate) fn assuming(&mut self, formulas: &[Term]) {
        let terms = self.terms;
        let conjuncts = formulas
            .iter()
            .flat_map(|&formula| terms.conjuncts(formula));
        let constants: FxHashMap<Term, Int> = conjuncts
            .filter_map(|part| match terms.node(part) {
                Node::Zero(sum) => match &*sum.parts {
                    [(term, factor)] if *factor == Int::ONE => Some((*term, -&sum.constant)),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        for (&var, value) in &mut self.base {
            if let (Type::Float(_), Value::Number(number)) = (self.program.vars[var].ty, &value)
                && let Some(constant) = constants.get(&number.term)
            {
                *value = Value::Number(Number::constant(terms, constant.clone()));
            }
        }
    }

    /// The value of a variable as a term of sort `Int`.
    pub(crate) fn read_int(&mut self, var: VarId, at: &SymbolicState) -> Term {
        let value = self.read(var, at);
        if let Value::Truth(truth) = value
            && at.value(var).is_none()
        {
            // Not "1 if the symbol is 1, else 0".
            let symbol = self.terms.var(self.symbols[var]);
            if self.terms.ge(symbol, self.terms.int(1)) == truth {
                return symbol;
            }
        }
        value.to_int(self.terms)
    }

    /// The value that a symbol of sort `Int` stands for, which is assumed to be one of the type.
    fn of_symbol(&mut self, symbol: Symbol, ty: Type) -> Value {
        let term = self.terms.var(symbol);
        let range = Range::of_type(ty, self.program.data_model);
        self.assume(symbol, &range);
        match ty {
            Type::Bool => Value::Truth(self.terms.ge(term, self.terms.int(1))),
            _ => Value::Number(Number { term, range }),
        }
    }

    /// Any value of a type.
    pub(super) fn unknown(&mut self, name: &str, ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Truth(self.terms.fresh(name, Sort::Bool)),
            _ => {
                let symbol = self.terms.symbol(name, Sort::Int);
                self.of_symbol(symbol, ty)
            }
        }
    }

    /// What may be read by an access: any value of its type, and of a bit-field any that its bits have.
    pub(super) fn read_by(&mut self, name: &str, access: Access) -> Value {
        let field = match (access.ty, access.bits) {
            (Type::Int(int), Some(bits)) if u16::from(bits.width) < int.width => IntType {
                width: u16::from(bits.width),
                ..int
            },
            _ => return self.unknown(name, access.ty),
        };
        let symbol = self.terms.symbol(name, Sort::Int);
        let range = Range::of_int(field);
        self.assume(symbol, &range);
        let term = self.terms.var(symbol);
        Value::Number(Number { term, range })
    }

    /// The address of something that is alive: any but null.
    pub(super) fn address(&mut self, name: &str) -> Number {
        let symbol = self.terms.symbol(name, Sort::Int);
        let top = Range::of_type(Type::Ptr, self.program.data_model).high;
        let range = Range::new(Int::ONE, top);
        self.assume(symbol, &range);
        Number {
            term: self.terms.var(symbol),
            range,
        }
    }

    /// The value with all bits zero.
    fn zero(&self, ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Truth(self.terms.bool(false)),
            _ => Value::Number(Number::constant(self.terms, Int::ZERO)),
        }
    }

    /// The first value of a global variable.
    fn initial(&mut self, var: VarId) -> Value {
        let var = &self.program.vars[var];
        let Some(init) = var.init else {
            return self.zero(var.ty);
        };
        // It is made of constants and addresses.
        self.value(init, &SymbolicState::default())
    }

    /// The value of an expression. Recursive on its depth, which the model limits.
    pub(crate) fn value(&mut self, id: ExprId, at: &SymbolicState) -> Value {
        match self.program.exprs.ty(id) {
            Type::Bool => Value::Truth(self.truth(id, at)),
            _ => Value::Number(self.number(id, at)),
        }
    }

    fn unknown_truth(&mut self) -> Term {
        self.terms.fresh("unknown", Sort::Bool)
    }

    fn unknown_number(&mut self, ty: Type) -> Number {
        match self.unknown("unknown", ty) {
            Value::Number(number) => number,
            Value::Truth(truth) => Number::from_truth(self.terms, truth),
        }
    }

    /// The integer type whose arithmetic an expression's values have: pointers are addresses.
    fn arithmetic(&self, ty: Type) -> Option<IntType> {
        match ty {
            Type::Int(int) => Some(int),
            Type::Ptr => Some(self.program.data_model.size_type()),
            Type::Bool | Type::Float(_) => None,
        }
    }

    /// The formula of an expression of type `Bool`.
    pub(super) fn truth(&mut self, id: ExprId, at: &SymbolicState) -> Term {
        let terms = self.terms;
        let exprs = &self.program.exprs;
        match exprs[id].kind {
            ExprKind::Const(bits) => terms.bool(bits != 0),
            ExprKind::Var(var) => match self.read(var, at) {
                Value::Truth(truth) => truth,
                Value::Number(number) => terms.ne(number.term, terms.int(0)),
            },
            ExprKind::Unary(_, arg) => {
                let arg = self.truth(arg, at);
                terms.not(arg)
            }
            ExprKind::Binary(op, lhs, rhs) => match exprs.ty(lhs) {
                Type::Bool => {
                    let (a, b) = (self.truth(lhs, at), self.truth(rhs, at));
                    arith::connective(terms, op, a, b)
                }
                Type::Int(_) | Type::Ptr => {
                    let (a, b) = (self.number(lhs, at), self.number(rhs, at));
                    arith::compare(terms, op, a.term, b.term)
                }
                ty @ Type::Float(_) => {
                    let (a, b) = (self.number(lhs, at), self.number(rhs, at));
                    let known = self.floats().compare(terms, op, ty, [&a, &b]);
                    known.map_or_else(|| self.unknown_truth(), |truth| terms.bool(truth))
                }
            },
            ExprKind::CastOverflows(to, arg) => {
                let from = exprs.ty(arg);
                let number = self.number(arg, at);
                let known = self.floats().leaves(terms, to, from, &number);
                known.map_or_else(|| self.unknown_truth(), |truth| terms.bool(truth))
            }
            ExprKind::Overflows(op, lhs, rhs) => match exprs.ty(lhs).as_int() {
                Some(ty) => {
                    let (a, b) = (self.number(lhs, at), self.number(rhs, at));
                    arith::overflows(terms, op, ty, &a, &b)
                }
                None => self.unknown_truth(),
            },
            ExprKind::AddrOf(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::Cast(_)
            | ExprKind::PtrAdd(..)
            | ExprKind::PtrDiff(..)
            | ExprKind::FreeOk(_) => self.unknown_truth(),
            // Which bytes may be accessed is open, but none of them is at null or the last one that has an address: what
            // lies behind the end of an object has one, too.
            ExprKind::AccessOk { ptr, size, .. } => {
                let (first, size) = (self.number(ptr, at), self.number(size, at));
                let end = arith::exact(terms, BinOp::Add, &first, &size);
                let last = Range::of_type(Type::Ptr, self.program.data_model).high;
                let is_above = terms.le(terms.int(1), first.term);
                let is_below = terms.le(end.term, terms.int(last));
                let known = self.unknown_truth();
                terms.and([known, is_above, is_below])
            }
        }
    }

    /// The number of an expression of any other type.
    pub(super) fn number(&mut self, id: ExprId, at: &SymbolicState) -> Number {
        let terms = self.terms;
        let exprs = &self.program.exprs;
        let expr = &exprs[id];
        let ty = expr.ty;
        match (expr.kind, self.arithmetic(ty)) {
            (ExprKind::Const(bits), Some(int)) => arith::constant(terms, int, bits),
            // A float is its bit pattern.
            (ExprKind::Const(bits), None) => Number::constant(terms, Int::from(bits)),
            (ExprKind::Var(var), _) => match self.read(var, at) {
                Value::Number(number) => number,
                Value::Truth(truth) => Number::from_truth(terms, truth),
            },
            (ExprKind::AddrOf(object), _) => self.address_of(object),
            (ExprKind::FuncAddr(function), _) => self.address_of_function(function),
            (ExprKind::Unary(op, arg), Some(int)) => {
                let arg = self.number(arg, at);
                match op {
                    UnOp::Neg => arith::negate(terms, int, &arg),
                    UnOp::BitNot | UnOp::Not => arith::complement(terms, int, &arg),
                }
            }
            (ExprKind::Binary(op, lhs, rhs), Some(int)) => {
                let (a, b) = (self.number(lhs, at), self.number(rhs, at));
                if matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) {
                    let exact = arith::exact(terms, op, &a, &b);
                    return match at.fits(exact.term, int) {
                        true => Number {
                            term: exact.term,
                            range: exact.range.meet(&Range::of_int(int)),
                        },
                        false => exact.wrap(terms, int),
                    };
                }
                arith::binary(terms, op, int, &a, &b)
            }
            (ExprKind::Cast(arg), Some(int)) => match exprs.ty(arg) {
                Type::Bool => {
                    let truth = self.truth(arg, at);
                    Number::from_truth(terms, truth).wrap(terms, int)
                }
                Type::Int(_) | Type::Ptr => self.number(arg, at).wrap(terms, int),
                Type::Float(_) => self.converted(arg, ty, at),
            },
            (ExprKind::Cast(arg), None) => self.converted(arg, ty, at),
            (ExprKind::PtrAdd(pointer, bytes), Some(int)) => {
                let (a, b) = (self.number(pointer, at), self.number(bytes, at));
                arith::binary(terms, BinOp::Add, int, &a, &b)
            }
            (ExprKind::PtrDiff(lhs, rhs), Some(int)) => {
                let (a, b) = (self.number(lhs, at), self.number(rhs, at));
                arith::binary(terms, BinOp::Sub, int, &a, &b)
            }
            (ExprKind::Unary(UnOp::Neg, arg), None) => {
                let arg = self.number(arg, at);
                let known = self.floats().negate(terms, ty, &arg);
                known.unwrap_or_else(|| self.unknown_number(ty))
            }
            (ExprKind::Binary(op, lhs, rhs), None) => {
                let (a, b) = (self.number(lhs, at), self.number(rhs, at));
                let known = self.floats().binary(terms, op, ty, [&a, &b]);
                known.unwrap_or_else(|| self.unknown_number(ty))
            }
            _ => self.unknown_number(ty),
        }
    }

    fn floats(&mut self) -> Floats {
        let program = self.program;
        let nearest = *(self.nearest).get_or_insert_with(|| !program.sets_rounding());
        Floats::new(program.data_model, nearest)
    }

    /// A conversion from or to a floating-point type.
    fn converted(&mut self, arg: ExprId, to: Type, at: &SymbolicState) -> Number {
        let from = self.program.exprs.ty(arg);
        let number = match from {
            Type::Bool => Number::from_truth(self.terms, self.truth(arg, at)),
            _ => self.number(arg, at),
        };
        let known = self.floats().cast(self.terms, from, to, &number);
        known.unwrap_or_else(|| self.unknown_number(to))
    }

    /// The exact result of an operation, and the type that it has to fit, if the condition is that it doesn't.
    pub(super) fn checked(
        &mut self,
        condition: ExprId,
        at: &SymbolicState,
    ) -> Option<(Term, IntType)> {
        let exprs = &self.program.exprs;
        let ExprKind::Overflows(op, lhs, rhs) = exprs[condition].kind else {
            return None;
        };
        let op = arith::checked_operator(op)?;
        let ty = exprs.ty(lhs).as_int()?;
        let (a, b) = (self.number(lhs, at), self.number(rhs, at));
        Some((arith::exact(self.terms, op, &a, &b).term, ty))
    }

    fn address_of(&mut self, object: ObjectId) -> Number {
        if self.program.objects[object].scope != Scope::Global {
            return self.address("address");
        }
        if let Some(known) = self.addresses.get(&object) {
            return known.clone();
        }
        let address = self.address(&self.program.objects[object].decl.name);
        self.addresses.insert(object, address.clone());
        address
    }

    /// The address of a function, which stays what it is for the whole run. No two functions have the same (C11 6.5.9).
    fn address_of_function(&mut self, function: FuncId) -> Number {
        if let Some(known) = self.functions.get(&function) {
            return known.clone();
        }
        let address = self.address("function");
        for other in self.functions.values() {
            let differ = self.terms.ne(address.term, other.term);
            self.assumptions.push(differ);
        }
        self.functions.insert(function, address.clone());
        address
    }
}
