//! Values that were read from memory, or written to it, and are read again.
//!
//! Right for code that looks at a place several times: `*s != 0 && *s != c`, `p->state == A || p->state == B`. Whoever
//! can't follow the memory knows nothing of what is read there, but two reads have the same value if nothing was
//! written between them. So the second one becomes an assignment, on the edge where it was.
//!
//! A fact says that a place has the value of a variable or a constant. It holds at a location if it does on all ways
//! there; it ends where the variable or one of the address changes, and where anything at all is written, freed or
//! called. Other threads write when they like: programs that have them are left alone.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::cfa::{Action, Cfa};
use crate::expr::{ExprKind, Exprs};
use crate::ids::{EdgeId, ExprId, LocId, VarId};
use crate::model::Program;
use crate::types::{Access, Type};

/// So many places are remembered, the last ones.
const PLACES: usize = 12;

/// Replaces reads of what is known by assignments. Locations, edges and their order stay.
pub fn reuse_reads(program: &mut Program) {
    if program.schedule().is_some() {
        return;
    }
    let mut addresses = Addresses::default();
    for function in program.functions.indices() {
        let cfa = &program.functions[function].cfa;
        for (edge, held) in known_reads(cfa, &program.exprs, &mut addresses) {
            let action = &mut program.functions[function].cfa.edges[edge].action;
            if let Action::Load { dst, access, .. } = *action {
                let value = match held {
                    Held::Variable(var) => program.exprs.var(var, access.ty),
                    Held::Constant(bits) => program.exprs.push(ExprKind::Const(bits), access.ty),
                };
                *action = Action::Assign { dst, value };
            }
        }
    }
}

/// What a place in memory holds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fact {
    address: Address,
    access: Access,
    held: Held,
}

/// A value of the type of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Variable(VarId),
    Constant(u128),
}

/// Loads whose value is known.
fn known_reads(cfa: &Cfa, exprs: &Exprs, addresses: &mut Addresses) -> Vec<(EdgeId, Held)> {
    let is_load = |action: &Action| matches!(action, Action::Load { .. });
    if !cfa.edges.iter().any(|edge| is_load(&edge.action)) {
        return Vec::new();
    }
    // No facts yet where nobody has come by; what was known on one way goes where it isn't on another.
    let mut known: IndexVec<LocId, Option<Vec<Fact>>> =
        cfa.locations.iter().map(|_| None).collect();
    known[cfa.entry] = Some(Vec::new());
    let mut open = vec![cfa.entry];
    while let Some(location) = open.pop() {
        for &edge in cfa.outgoing(location) {
            let edge = &cfa.edges[edge];
            let mut facts = known[location].clone().unwrap_or_default();
            step(&edge.action, exprs, addresses, &mut facts);
            let there = &mut known[edge.target];
            let before = there.as_ref().map(Vec::len);
            let both = there.get_or_insert_with(|| facts.clone());
            both.retain(|fact| facts.contains(fact));
            if Some(both.len()) != before {
                open.push(edge.target);
            }
        }
    }
    let mut reads = Vec::new();
    for (id, edge) in cfa.edges.iter_enumerated() {
        if let Action::Load { ptr, access, .. } = edge.action
            && let Some(facts) = &known[edge.source]
            && let Some(address) = addresses.of(exprs, ptr)
            && let Some(held) = held(facts, address, access)
        {
            reads.push((id, held));
        }
    }
    reads
}

fn held(facts: &[Fact], address: Address, access: Access) -> Option<Held> {
    let mut facts = facts.iter();
    let fact = facts.find(|fact| fact.address == address && fact.access == access)?;
    Some(fact.held)
}

/// What is known behind an action.
fn step(action: &Action, exprs: &Exprs, addresses: &mut Addresses, facts: &mut Vec<Fact>) {
    match *action {
        Action::Skip | Action::Assume { .. } => {}
        Action::Assign { dst, value } => {
            forget(dst, addresses, facts);
            if let ExprKind::Var(source) = exprs[value].kind {
                copy(source, dst, addresses, facts);
            }
        }
        // What is allocated has an address that nothing else has.
        Action::Input { dst, .. } | Action::Alloc { dst, .. } => forget(dst, addresses, facts),
        Action::Load { dst, ptr, access } => {
            let address = addresses.of(exprs, ptr);
            let known = address.and_then(|address| held(facts, address, access));
            if known == Some(Held::Variable(dst)) {
                return;
            }
            forget(dst, addresses, facts);
            match (known, address) {
                // An older variable is as good.
                (Some(Held::Variable(older)), _) => copy(older, dst, addresses, facts),
                (None, Some(address)) if !addresses.mentions(address, dst) => {
                    let held = Held::Variable(dst);
                    remember(address, access, held, facts);
                }
                _ => {}
            }
        }
        Action::Store { ptr, value, access } => {
            facts.clear();
            let held = match exprs[value].kind {
                ExprKind::Var(var) => Some(Held::Variable(var)),
                ExprKind::Const(bits) => Some(Held::Constant(bits)),
                _ => None,
            };
            if let Some((address, held)) = addresses.of(exprs, ptr).zip(held) {
                remember(address, access, held, facts);
            }
        }
        _ => facts.clear(),
    }
}

fn remember(address: Address, access: Access, held: Held, facts: &mut Vec<Fact>) {
    // What was written to a bit-field is not what is read there.
    if access.bits.is_some() {
        return;
    }
    if facts.len() == PLACES {
        facts.remove(0);
    }
    facts.push(Fact {
        address,
        access,
        held,
    });
}

/// What is known of a place is known by another address, in which a variable stands for one that it is a copy of:
/// `*p++` reads where `p` was.
fn copy(source: VarId, copy: VarId, addresses: &mut Addresses, facts: &mut Vec<Fact>) {
    for fact in facts.clone() {
        if source != copy && addresses.mentions(fact.address, source) {
            let address = addresses.renamed(fact.address, source, copy);
            remember(address, fact.access, fact.held, facts);
        }
    }
}

/// Forgets what depends on a variable that is set.
fn forget(var: VarId, addresses: &Addresses, facts: &mut Vec<Fact>) {
    facts.retain(|fact| fact.held != Held::Variable(var) && !addresses.mentions(fact.address, var));
}

/// An address as it is computed from variables: equal ones are computed alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Address(ExprId);

/// All addresses, and the expressions that they are made of. The operands of a shape are numbers of shapes.
#[derive(Default)]
struct Addresses {
    by_shape: FxHashMap<(ExprKind, Type), ExprId>,
    shapes: IndexVec<ExprId, (ExprKind, Type)>,
    /// The variables of each, in their order.
    variables: IndexVec<ExprId, Vec<VarId>>,
    numbers: FxHashMap<ExprId, Option<ExprId>>,
}

impl Addresses {
    /// The address that an expression says, unless that depends on which objects are alive.
    fn of(&mut self, exprs: &Exprs, expr: ExprId) -> Option<Address> {
        self.number(exprs, expr).map(Address)
    }

    fn mentions(&self, address: Address, var: VarId) -> bool {
        self.variables[address.0].binary_search(&var).is_ok()
    }

    /// The address with one variable in the place of another.
    fn renamed(&mut self, address: Address, from: VarId, to: VarId) -> Address {
        if !self.mentions(address, from) {
            return address;
        }
        let (kind, ty) = self.shapes[address.0];
        let shape = match kind {
            ExprKind::Var(var) if var == from => Some(ExprKind::Var(to)),
            kind => with_operands(kind, |part| Some(self.renamed(Address(part), from, to).0)),
        };
        shape.map_or(address, |shape| Address(self.shape(shape, ty)))
    }

    fn number(&mut self, exprs: &Exprs, expr: ExprId) -> Option<ExprId> {
        if let Some(&known) = self.numbers.get(&expr) {
            return known;
        }
        let shape = with_operands(exprs[expr].kind, |part| self.number(exprs, part));
        let number = shape.map(|shape| self.shape(shape, exprs.ty(expr)));
        self.numbers.insert(expr, number);
        number
    }

    fn shape(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        if let Some(&known) = self.by_shape.get(&(kind, ty)) {
            return known;
        }
        let mut variables = Vec::new();
        if let ExprKind::Var(var) = kind {
            variables.push(var);
        }
        with_operands(kind, |part| {
            variables.extend_from_slice(&self.variables[part]);
            Some(part)
        });
        variables.sort_unstable();
        variables.dedup();
        self.variables.push(variables);
        let number = self.shapes.push((kind, ty));
        self.by_shape.insert((kind, ty), number);
        number
    }
}

/// An expression with other operands; none if it is one that looks at memory or makes sure of something.
fn with_operands(kind: ExprKind, mut of: impl FnMut(ExprId) -> Option<ExprId>) -> Option<ExprKind> {
    Some(match kind {
        ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => kind,
        ExprKind::Unary(op, arg) => ExprKind::Unary(op, of(arg)?),
        ExprKind::Binary(op, lhs, rhs) => ExprKind::Binary(op, of(lhs)?, of(rhs)?),
        ExprKind::Cast(arg) => ExprKind::Cast(of(arg)?),
        ExprKind::PtrAdd(lhs, rhs) => ExprKind::PtrAdd(of(lhs)?, of(rhs)?),
        ExprKind::PtrDiff(lhs, rhs) => ExprKind::PtrDiff(of(lhs)?, of(rhs)?),
        ExprKind::Overflows(..)
        | ExprKind::CastOverflows(..)
        | ExprKind::AccessOk { .. }
        | ExprKind::FreeOk(_) => return None,
    })
}
