//! What has to be decided, as a graph: machine words with their types, truth values, and the unbounded integers of a proof's formulas.
//!
//! Words stay words here, with C's meaning by their type; how a solver is told is the business of
//! [`theory`](crate::theory). Equal nodes are one node, and operations on constants are done by the interpreter's own
//! arithmetic.

use dashu_int::IBig;
use rhumb_program::interp::eval;
use rhumb_program::{ArithOp, BinOp, IntType, Type, UnOp};
use rustc_hash::FxHashMap;

/// A node, by its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Id(u32);

/// What a node stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sort {
    Bool,
    /// An integer of a machine type.
    Word(IntType),
    /// An integer without bounds.
    Int,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// Any value of the sort, the same wherever it occurs.
    Symbol(u32, Sort),
    Bool(bool),
    Not(Id),
    And(Box<[Id]>),
    Or(Box<[Id]>),
    /// Two values of one sort are the same.
    Same(Id, Id),
    Ite(Id, Id, Id),

    Const(IntType, u128),
    Unary(UnOp, Id),
    /// Arithmetic, bits and shifts; the second operand of a shift may have another type.
    Binary(BinOp, Id, Id),
    /// Less, or less or equal, by the signedness of the operands' type.
    Less {
        or_equal: bool,
        lhs: Id,
        rhs: Id,
    },
    Cast(Id, IntType),
    /// Whether the exact result doesn't fit the type of the left operand.
    Overflows(ArithOp, Id, Id),

    Int(IBig),
    /// The mathematical value of a word.
    Value(Id),
    Sum(Box<[Id]>),
    Product(Id, Id),
    /// As SMT-LIB has it: the remainder is not negative.
    Div(Id, Id),
    Mod(Id, Id),
    AtMost(Id, Id),
    /// The unsigned word of so many bits that is congruent to an integer.
    Reduced(Id, IntType),
}

/// All nodes.
#[derive(Default)]
pub(crate) struct Pool {
    nodes: Vec<(Node, Sort)>,
    ids: FxHashMap<Node, Id>,
    symbols: u32,
    /// Whether the operands of sums and of bitwise operations are put in order, so that the same ones are the same node
    /// in whatever order they were taken.
    pub(crate) is_ordering: bool,
}

/// Operations with more operands than this are left as they are.
const MAX_OPERANDS: usize = 2000;

impl Pool {
    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize].0
    }

    pub(crate) fn sort(&self, id: Id) -> Sort {
        self.nodes[id.0 as usize].1
    }

    fn add(&mut self, node: Node, sort: Sort) -> Id {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push((node.clone(), sort));
        self.ids.insert(node, id);
        id
    }

    /// A new symbol.
    pub(crate) fn fresh(&mut self, sort: Sort) -> Id {
        self.symbols += 1;
        self.add(Node::Symbol(self.symbols, sort), sort)
    }

    pub(crate) fn bool(&mut self, value: bool) -> Id {
        self.add(Node::Bool(value), Sort::Bool)
    }

    /// Which truth value a node is, if that is known.
    pub(crate) fn as_bool(&self, id: Id) -> Option<bool> {
        match self.node(id) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn not(&mut self, a: Id) -> Id {
        match *self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => inner,
            _ => self.add(Node::Not(a), Sort::Bool),
        }
    }

    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = Id>) -> Id {
        match self.junction(parts, true) {
            Ok(parts) => self.add(Node::And(parts), Sort::Bool),
            Err(single) => single,
        }
    }

    pub(crate) fn or(&mut self, parts: impl IntoIterator<Item = Id>) -> Id {
        match self.junction(parts, false) {
            Ok(parts) => self.add(Node::Or(parts), Sort::Bool),
            Err(single) => single,
        }
    }

    /// The parts of a conjunction (or disjunction) without those that say nothing; the whole, if at most one is left or one decides.
    fn junction(
        &mut self,
        parts: impl IntoIterator<Item = Id>,
        neutral: bool,
    ) -> Result<Box<[Id]>, Id> {
        let mut kept = Vec::new();
        for part in parts {
            match self.as_bool(part) {
                Some(value) if value == neutral => {}
                Some(value) => return Err(self.bool(value)),
                None => kept.push(part),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        match kept[..] {
            [] => Err(self.bool(neutral)),
            [single] => Err(single),
            _ => Ok(kept.into()),
        }
    }

    pub(crate) fn same(&mut self, a: Id, b: Id) -> Id {
        if a == b {
            return self.bool(true);
        }
        let (a, b) = (a.min(b), a.max(b));
        match (self.node(a), self.node(b)) {
            (Node::Const(_, a), Node::Const(_, b)) => {
                let value = a == b;
                self.bool(value)
            }
            (Node::Int(a), Node::Int(b)) => {
                let value = a == b;
                self.bool(value)
            }
            (&Node::Bool(value), _) => self.negated_unless(value, b),
            (_, &Node::Bool(value)) => self.negated_unless(value, a),
            _ => self.add(Node::Same(a, b), Sort::Bool),
        }
    }

    fn negated_unless(&mut self, keep: bool, a: Id) -> Id {
        match keep {
            true => a,
            false => self.not(a),
        }
    }

    pub(crate) fn ite(&mut self, condition: Id, then: Id, other: Id) -> Id {
        match self.as_bool(condition) {
            Some(true) => then,
            Some(false) => other,
            None if then == other => then,
            None => {
                let sort = self.sort(then);
                self.add(Node::Ite(condition, then, other), sort)
            }
        }
    }

    /// A word, by its bits.
    pub(crate) fn word(&mut self, ty: IntType, bits: u128) -> Id {
        self.add(Node::Const(ty, ty.wrap(bits)), Sort::Word(ty))
    }

    /// The type of a word. Words are made of words, so other sorts don't come here; 1 bit would be a harmless lie.
    pub(crate) fn word_type(&self, id: Id) -> IntType {
        match self.sort(id) {
            Sort::Word(ty) => ty,
            Sort::Bool | Sort::Int => IntType::unsigned(1),
        }
    }

    fn constant(&self, id: Id) -> Option<u128> {
        match self.node(id) {
            Node::Const(_, bits) => Some(*bits),
            _ => None,
        }
    }

    pub(crate) fn unary(&mut self, op: UnOp, a: Id) -> Id {
        let ty = self.word_type(a);
        let folded = self.constant(a);
        match folded.and_then(|bits| eval::unary(op, Type::Int(ty), bits).ok()) {
            Some(bits) => self.word(ty, bits),
            None => self.add(Node::Unary(op, a), Sort::Word(ty)),
        }
    }

    /// An operator whose result is a word.
    pub(crate) fn binary(&mut self, op: BinOp, a: Id, b: Id) -> Id {
        let (ty, second) = (self.word_type(a), self.word_type(b));
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b))
            && let Ok(bits) = eval::binary(op, Type::Int(ty), x, Type::Int(second), y)
        {
            return self.word(ty, bits);
        }
        let is_free = matches!(op, BinOp::Add | BinOp::And | BinOp::Or | BinOp::Xor);
        if self.is_ordering && is_free && ty == second {
            return self.in_order(op, ty, a, b);
        }
        self.add(Node::Binary(op, a, b), Sort::Word(ty))
    }

    /// An operator of which order and brackets don't matter (sums of words wrap): operands by number, a constant last.
    fn in_order(&mut self, op: BinOp, ty: IntType, a: Id, b: Id) -> Id {
        let (mut operands, more) = (self.operands(op, a), self.operands(op, b));
        if operands.len() + more.len() > MAX_OPERANDS {
            return self.add(Node::Binary(op, a, b), Sort::Word(ty));
        }
        operands.extend(more);
        let (constants, mut operands): (Vec<Id>, Vec<Id>) = operands
            .into_iter()
            .partition(|&id| self.constant(id).is_some());
        operands.sort_unstable();
        // Two constants become one.
        let constant = constants.into_iter().reduce(|x, y| self.binary(op, x, y));
        let mut operands = operands.into_iter().chain(constant);
        let first = operands.next().unwrap_or(a);
        operands.fold(first, |before, next| {
            self.add(Node::Binary(op, before, next), Sort::Word(ty))
        })
    }

    /// What a chain of one operator is made of; a chain is to the left.
    fn operands(&self, op: BinOp, mut of: Id) -> Vec<Id> {
        let mut operands = Vec::new();
        while let Node::Binary(other, rest, last) = *self.node(of)
            && other == op
        {
            operands.push(last);
            of = rest;
        }
        operands.push(of);
        operands
    }

    pub(crate) fn less(&mut self, or_equal: bool, a: Id, b: Id) -> Id {
        if a == b {
            return self.bool(or_equal);
        }
        let ty = Type::Int(self.word_type(a));
        let op = match or_equal {
            true => BinOp::Le,
            false => BinOp::Lt,
        };
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b))
            && let Ok(bits) = eval::binary(op, ty, x, ty, y)
        {
            return self.bool(bits != 0);
        }
        let node = Node::Less {
            or_equal,
            lhs: a,
            rhs: b,
        };
        self.add(node, Sort::Bool)
    }

    pub(crate) fn cast(&mut self, a: Id, to: IntType) -> Id {
        let from = self.word_type(a);
        if from == to {
            return a;
        }
        let folded = self.constant(a);
        match folded.and_then(|bits| eval::cast(Type::Int(from), Type::Int(to), bits).ok()) {
            Some(bits) => self.word(to, bits),
            None => self.add(Node::Cast(a, to), Sort::Word(to)),
        }
    }

    pub(crate) fn overflows(&mut self, op: ArithOp, a: Id, b: Id) -> Id {
        let (ty, second) = (Type::Int(self.word_type(a)), Type::Int(self.word_type(b)));
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b))
            && let Ok(value) = eval::overflows(op, ty, x, second, y)
        {
            return self.bool(value);
        }
        self.add(Node::Overflows(op, a, b), Sort::Bool)
    }

    pub(crate) fn int(&mut self, value: IBig) -> Id {
        self.add(Node::Int(value), Sort::Int)
    }

    pub(crate) fn as_int(&self, id: Id) -> Option<&IBig> {
        match self.node(id) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The mathematical value of a word, or 0 and 1 for a truth value.
    pub(crate) fn value(&mut self, a: Id) -> Id {
        match *self.node(a) {
            Node::Const(ty, bits) => self.int(number(ty, bits)),
            _ if self.sort(a) == Sort::Bool => {
                let (one, zero) = (self.int(IBig::ONE), self.int(IBig::ZERO));
                self.ite(a, one, zero)
            }
            _ => self.add(Node::Value(a), Sort::Int),
        }
    }

    pub(crate) fn sum(&mut self, parts: &[Id]) -> Id {
        let mut constant = IBig::ZERO;
        let mut rest = Vec::new();
        for &part in parts {
            match self.as_int(part) {
                Some(value) => constant += value,
                None => rest.push(part),
            }
        }
        if constant != IBig::ZERO || rest.is_empty() {
            rest.push(self.int(constant));
        }
        match rest[..] {
            [single] => single,
            _ => self.add(Node::Sum(rest.into()), Sort::Int),
        }
    }

    pub(crate) fn product(&mut self, a: Id, b: Id) -> Id {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) => {
                let value = x * y;
                self.int(value)
            }
            (Some(x), None) if *x == IBig::ONE => b,
            (None, Some(y)) if *y == IBig::ONE => a,
            // A constant factor stands first.
            (None, Some(_)) => self.add(Node::Product(b, a), Sort::Int),
            _ => self.add(Node::Product(a, b), Sort::Int),
        }
    }

    pub(crate) fn negative(&mut self, a: Id) -> Id {
        let minus = self.int(IBig::NEG_ONE);
        self.product(minus, a)
    }

    pub(crate) fn div(&mut self, a: Id, b: Id) -> Id {
        self.add(Node::Div(a, b), Sort::Int)
    }

    pub(crate) fn modulo(&mut self, a: Id, b: Id) -> Id {
        self.add(Node::Mod(a, b), Sort::Int)
    }

    pub(crate) fn at_most(&mut self, a: Id, b: Id) -> Id {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) => {
                let value = x <= y;
                self.bool(value)
            }
            _ => self.add(Node::AtMost(a, b), Sort::Bool),
        }
    }

    pub(crate) fn reduced(&mut self, a: Id, width: u16) -> Id {
        let ty = IntType::unsigned(width);
        self.add(Node::Reduced(a, ty), Sort::Word(ty))
    }

    /// The nodes that the given ones are made of, each after its parts.
    pub(crate) fn postorder(&self, roots: &[Id]) -> Vec<Id> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut todo: Vec<(Id, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((id, parts_done)) = todo.pop() {
            if parts_done {
                order.push(id);
                continue;
            }
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            todo.push((id, true));
            self.for_each_part(id, |part| todo.push((part, false)));
        }
        order
    }

    pub(crate) fn for_each_part(&self, id: Id, mut visit: impl FnMut(Id)) {
        match *self.node(id) {
            Node::Symbol(..) | Node::Bool(_) | Node::Const(..) | Node::Int(_) => {}
            Node::Not(a)
            | Node::Unary(_, a)
            | Node::Cast(a, _)
            | Node::Value(a)
            | Node::Reduced(a, _) => visit(a),
            Node::Same(a, b)
            | Node::Binary(_, a, b)
            | Node::Less { lhs: a, rhs: b, .. }
            | Node::Overflows(_, a, b)
            | Node::Product(a, b)
            | Node::Div(a, b)
            | Node::Mod(a, b)
            | Node::AtMost(a, b) => {
                visit(a);
                visit(b);
            }
            Node::Ite(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
            Node::And(ref parts) | Node::Or(ref parts) | Node::Sum(ref parts) => {
                parts.iter().copied().for_each(visit);
            }
        }
    }
}

/// The mathematical value of bits.
pub(crate) fn number(ty: IntType, bits: u128) -> IBig {
    match ty.signed {
        true => IBig::from(ty.extend(bits)),
        false => IBig::from(bits),
    }
}
