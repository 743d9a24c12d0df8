//! Functions that a call through a pointer doesn't go to.
//!
//! Right for programs with tables of functions, each for records of its own kind, as drivers have them: C leaves it
//! undefined to call a function through a pointer to one of an incompatible type (C11 6.5.2.2). Of all such calls only
//! those are taken for undefined that pass a pointer to one thing where a pointer to another one, of another kind or
//! size, is expected, or expect a result where there is none or the other way round; and only where the program never
//! makes such a pointer by a conversion from something else.

use std::sync::Arc;

use rhumb_program::{BinOp, ExprId, ExprKind, FuncId, Span, Type, UbKind};

use super::UnitLowering;
use super::function::FunctionLowering;
use crate::ctypes::{CType, FunctionType, TypeId, TypeTable};
use crate::hir;

impl FunctionLowering<'_, '_> {
    /// The value of a pointer that a call goes through, when it is known not to be a function of quite another type.
    pub(super) fn without_strangers(
        &mut self,
        ptr: hir::ExprId,
        target: ExprId,
        span: Span,
    ) -> ExprId {
        let Some(to) = self.unit.unit.types.pointee(self.body.exprs[ptr].ty) else {
            return target;
        };
        let strangers = self.unit.strangers(to.ty);
        if strangers.is_empty() {
            return target;
        }
        let target = self.atomic(target, span);
        let is_stranger = self.is_one_of(target, &strangers);
        self.forbid(is_stranger, UbKind::BadCall, span);
        target
    }

    /// Whether a pointer is the address of one of some functions, of which there is one; a tree that is as flat as can be.
    fn is_one_of(&mut self, ptr: ExprId, functions: &[FuncId]) -> ExprId {
        if let [function] = *functions {
            let address = self.node(ExprKind::FuncAddr(function), Type::Ptr);
            return self.node(ExprKind::Binary(BinOp::Eq, ptr, address), Type::Bool);
        }
        let (first, second) = functions.split_at(functions.len() / 2);
        let first = self.is_one_of(ptr, first);
        let second = self.is_one_of(ptr, second);
        self.node(ExprKind::Binary(BinOp::Or, first, second), Type::Bool)
    }
}

impl UnitLowering<'_> {
    /// The functions that a call through a pointer to functions of this type doesn't go to.
    fn strangers(&mut self, ty: TypeId) -> Arc<[FuncId]> {
        if let Some(known) = self.strangers.get(&ty) {
            return known.clone();
        }
        let strangers: Arc<[FuncId]> = match self.unit.types.get(ty) {
            CType::Function(called) if !self.is_made_of_others(called) => {
                let functions = self.unit.functions.iter_enumerated();
                let taken = functions.filter(|(_, function)| function.addr_taken);
                let far = taken.filter(|(_, function)| match self.unit.types.get(function.ty) {
                    CType::Function(own) => {
                        relation(&self.unit.types, own, called) == Relation::Far
                    }
                    _ => false,
                });
                far.filter_map(|(id, _)| self.functions[id]).collect()
            }
            _ => Arc::default(),
        };
        self.strangers.insert(ty, strangers.clone());
        strangers
    }

    /// Whether the program converts something else to pointers to such functions.
    fn is_made_of_others(&self, called: &FunctionType) -> bool {
        let types = &self.unit.types;
        let function = |ty: TypeId| match types.get(types.pointee(ty)?.ty) {
            CType::Function(function) => Some(function),
            _ => None,
        };
        self.unit.to_functions.iter().any(|&(from, to)| {
            function(to).is_some_and(|to| {
                let is_such = matches!(
                    relation(types, to, called),
                    Relation::Alike | Relation::Near
                );
                let is_alike = |from| relation(types, from, to) == Relation::Alike;
                is_such && !function(from).is_some_and(is_alike)
            })
        })
    }
}

/// How types of functions are to each other.
#[derive(PartialEq, Eq)]
enum Relation {
    /// Pointers to the same kinds of things are in the same places.
    Alike,
    /// They may be the same, as far as is known what pointers point to.
    Near,
    /// One has a pointer to something where the other one has a pointer to something of another kind or size, or only one
    /// of them returns something.
    Far,
    /// They have different numbers of parameters, or nobody knows how many.
    Other,
}

fn relation(types: &TypeTable, one: &FunctionType, other: &FunctionType) -> Relation {
    if one.unspecified || other.unspecified || one.params.len() != other.params.len() {
        return Relation::Other;
    }
    let is_void = |ty: TypeId| matches!(types.get(ty), CType::Void);
    let pairs = (one.params.iter().zip(&other.params)).chain([(&one.result, &other.result)]);
    let mut relation = Relation::Alike;
    for (&a, &b) in pairs {
        match (pointee(types, a), pointee(types, b)) {
            _ if is_void(a) != is_void(b) => return Relation::Far,
            (a, b) if a == b => {}
            (Some(_), Some(_)) => return Relation::Far,
            _ => relation = Relation::Near,
        }
    }
    relation
}

/// What a pointer points to. Bytes, and what is not known, may stand for anything else.
#[derive(PartialEq, Eq)]
enum Pointee {
    Record(u64),
    Number(u64),
    Pointer,
}

fn pointee(types: &TypeTable, pointer: TypeId) -> Option<Pointee> {
    let ty = types.pointee(pointer)?.ty;
    let size = types.size_of(ty)?;
    match types.get(ty) {
        CType::Record(_) => Some(Pointee::Record(size)),
        CType::Int(_) | CType::Enum(_) | CType::Float(_) if size > 1 => Some(Pointee::Number(size)),
        CType::Pointer(_) => Some(Pointee::Pointer),
        _ => None,
    }
}
