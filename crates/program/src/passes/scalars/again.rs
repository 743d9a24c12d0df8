//! Loads that read once more what was read before, or what was just stored.
//!
//! Right for loops that look at an element and then take it: minimum, maximum, exchange; and for those that hang a new
//! node at the end of a list and go there. Where the element is none that is followed, both have the same value all the
//! same.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::cfa::{Action, Cfa};
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::{EdgeId, ExprId, LocId, ObjectId, VarId};
use crate::model::{Program, Scope};
use crate::types::{Access, Type};

/// Edges that are looked back over.
const MOST_EDGES: usize = 64;

/// The loads of a function's automaton, looked at one by one.
pub struct Again<'p> {
    program: &'p Program,
    cfa: &'p Cfa,
    incoming: IndexVec<LocId, Vec<EdgeId>>,
}

/// What a value is: two expressions with equal keys, at whatever place of a stretch, have the same value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// What a variable has at the start of the stretch.
    First(VarId),
    Const(u128, Type),
    Object(ObjectId),
    Unary(UnOp, usize),
    Binary(BinOp, usize, usize),
    Cast(usize, Type),
    Moved(usize, usize),
}

/// Values along a stretch, by number.
#[derive(Default)]
struct Values {
    /// No number is as large.
    count: usize,
    numbers: FxHashMap<Key, usize>,
    vars: FxHashMap<VarId, usize>,
    /// What was loaded since memory was changed last, or stored then: place and type, the value, and a variable that
    /// has it.
    loaded: Vec<(usize, Access, usize, VarId)>,
}

impl<'p> Again<'p> {
    /// For the program's first function.
    pub fn new(program: &'p Program) -> Again<'p> {
        let cfa = &program.functions[program.start].cfa;
        Again {
            program,
            cfa,
            incoming: cfa.incoming(),
        }
    }

    /// A local variable of the same type that has, whenever a load is executed, the value that it reads. Trusted.
    ///
    /// Each run gets to the load through the edges before it, as long as a location has only one edge that leads there.
    /// Among those is a load of the same place, or a store there, nothing between the two changes memory, and the
    /// variable still has what was read or stored.
    pub fn read_before(&self, load: EdgeId) -> Option<VarId> {
        let Action::Load { dst, ptr, access } = self.cfa.edges[load].action else {
            return None;
        };
        let mut stretch = Vec::new();
        let mut at = self.cfa.edges[load].source;
        while stretch.len() < MOST_EDGES
            && at != self.cfa.entry
            && let &[edge] = &self.incoming[at][..]
        {
            stretch.push(edge);
            at = self.cfa.edges[edge].source;
        }
        let mut values = Values::default();
        for &edge in stretch.iter().rev() {
            self.pass(&mut values, &self.cfa.edges[edge].action);
        }
        let place = self.value(&mut values, ptr);
        let loaded = values.loaded.clone();
        let found = loaded.into_iter().find(|&(from, as_, value, var)| {
            let is_same = from == place && as_ == access;
            let is_plain = matches!(self.program.vars[var].ty, Type::Int(_) | Type::Ptr)
                && matches!(self.program.vars[var].scope, Scope::Local(_))
                && self.program.vars[var].ty == self.program.vars[dst].ty;
            is_same && is_plain && values.of_var(var) == value
        });
        found.map(|(.., var)| var)
    }

    fn pass(&self, values: &mut Values, action: &Action) {
        match *action {
            Action::Skip | Action::Assume { .. } => {}
            Action::Assign { dst, value } => {
                let value = self.value(values, value);
                values.vars.insert(dst, value);
            }
            Action::Input { dst, .. } => {
                let value = values.opaque();
                values.vars.insert(dst, value);
            }
            Action::Load { dst, ptr, access } => {
                let place = self.value(values, ptr);
                let known =
                    (values.loaded.iter()).find(|known| (known.0, known.1) == (place, access));
                let value = known.map(|known| known.2);
                let value = value.unwrap_or_else(|| values.opaque());
                values.vars.insert(dst, value);
                values.loaded.push((place, access, value, dst));
            }
            Action::Store { ptr, value, access } => {
                values.loaded.clear();
                let is_whole = access.bits.is_none() && self.program.exprs.ty(value) == access.ty;
                if let (ExprKind::Var(var), true) = (self.program.exprs[value].kind, is_whole) {
                    let place = self.value(values, ptr);
                    let value = values.of_var(var);
                    values.loaded.push((place, access, value, var));
                }
            }
            // Memory may be another one, and variables, too.
            _ => {
                values.loaded.clear();
                values.vars.clear();
                values.numbers.clear();
            }
        }
    }

    /// The number of an expression's value.
    fn value(&self, values: &mut Values, id: ExprId) -> usize {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        let key = match exprs[id].kind {
            ExprKind::Const(bits) => Key::Const(bits, ty),
            ExprKind::Var(var) => return values.of_var(var),
            ExprKind::AddrOf(object) => Key::Object(object),
            ExprKind::Unary(op, arg) => Key::Unary(op, self.value(values, arg)),
            ExprKind::Binary(op, a, b) => {
                Key::Binary(op, self.value(values, a), self.value(values, b))
            }
            ExprKind::Cast(arg) => Key::Cast(self.value(values, arg), ty),
            ExprKind::PtrAdd(a, b) => Key::Moved(self.value(values, a), self.value(values, b)),
            _ => return values.opaque(),
        };
        values.number(key)
    }
}

impl Values {
    /// The number of a value; a new one, if nobody has asked for it yet.
    fn number(&mut self, key: Key) -> usize {
        let next = self.count;
        let number = *self.numbers.entry(key).or_insert(next);
        self.count += usize::from(number == next);
        number
    }

    /// A value that is not known to be any other.
    fn opaque(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    fn of_var(&mut self, var: VarId) -> usize {
        match self.vars.get(&var) {
            Some(&number) => number,
            None => self.number(Key::First(var)),
        }
    }
}
