//! The promises of the typed tree, checked on every node that lowering can meet.

use rhumb_program::Type;

use super::Analysed;
use crate::ctypes::{CType, TypeId};
use crate::hir::{
    BinaryOp, Block, Body, Callee, ExprId, ExprKind, InitPiece, Intrinsic, LocalInit, Stmt,
    StmtKind, Unit, UpdateOp,
};

/// Everything in a unit without errors that breaks a promise of the tree.
pub(super) fn broken_promises(result: &Analysed) -> Vec<String> {
    let mut problems = Vec::new();
    for function in &result.unit.functions {
        let CType::Function(ty) = result.unit.types.get(function.ty) else {
            problems.push(format!("{} has no function type", function.name));
            continue;
        };
        let Some(body) = &function.body else {
            continue;
        };
        let mut checker = Checker {
            unit: &result.unit,
            body,
            seen: vec![false; body.exprs.len()],
            result: ty.result,
            problems: Vec::new(),
        };
        if body.param_count != ty.params.len() {
            checker
                .problems
                .push("the number of parameters".to_string());
        }
        checker.block(&body.block);
        problems.extend(
            checker
                .problems
                .into_iter()
                .map(|problem| format!("{}: {problem}", function.name)),
        );
    }
    for global in &result.unit.globals {
        let complete = result.unit.types.is_complete(global.ty.ty);
        if global.init.is_some() && !complete {
            problems.push(format!("global {} is incomplete", global.name));
        }
    }
    problems
}

struct Checker<'a> {
    unit: &'a Unit,
    body: &'a Body,
    seen: Vec<bool>,
    result: TypeId,
    problems: Vec<String>,
}

impl Checker<'_> {
    fn require(&mut self, holds: bool, what: &str, id: ExprId) {
        if !holds {
            let expr = &self.body.exprs[id];
            let problem = format!(
                "{what}: {:?} of type {:?} at {:?}",
                expr.kind,
                self.unit.types.get(expr.ty),
                expr.span
            );
            self.problems.push(problem);
        }
    }

    fn ty(&self, id: ExprId) -> TypeId {
        self.body.exprs[id].ty
    }

    fn scalar(&self, id: ExprId) -> Option<Type> {
        self.unit.types.scalar(self.ty(id))
    }

    fn is_unsupported(&self, id: ExprId) -> bool {
        matches!(self.body.exprs[id].kind, ExprKind::Unsupported(_))
    }

    fn is_place(&self, id: ExprId) -> bool {
        matches!(
            self.body.exprs[id].kind,
            ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Deref(_)
                | ExprKind::Member { .. }
                | ExprKind::CompoundLiteral { .. }
        )
    }

    fn block(&mut self, block: &Block) {
        self.stmts(&block.stmts);
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(expr) => self.value(*expr),
            StmtKind::GotoComputed { target, .. } => self.value(*target),
            StmtKind::Declare { local, init } => {
                let ty = self.body.locals[*local].ty.ty;
                if !self.unit.types.is_complete(ty) || self.unit.types.unsupported(ty).is_some() {
                    self.problems.push(format!(
                        "local {} of type {:?}",
                        self.body.locals[*local].name,
                        self.unit.types.get(ty)
                    ));
                }
                self.init(init);
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::Sequence(stmts) => self.stmts(stmts),
            StmtKind::If { arms, otherwise } => {
                for (cond, then) in arms {
                    self.condition(*cond);
                    self.stmt(then);
                }
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.condition(*cond);
                self.stmt(body);
            }
            StmtKind::For(each) => {
                self.stmts(&each.init);
                if let Some(cond) = each.cond {
                    self.condition(cond);
                }
                if let Some(step) = each.step {
                    self.value(step);
                }
                self.stmt(&each.body);
            }
            StmtKind::Switch { value, body } => {
                self.value(*value);
                let width = self
                    .scalar(*value)
                    .and_then(Type::as_int)
                    .map_or(0, |int| int.width);
                self.require(width >= 32, "a switch on a promoted integer", *value);
                self.stmt(body);
            }
            StmtKind::Return(Some(value)) => {
                self.value(*value);
                let fits = self.unit.types.compatible(self.ty(*value), self.result)
                    || self.is_unsupported(*value);
                self.require(fits, "a returned value of the result's type", *value);
            }
            StmtKind::Case { .. }
            | StmtKind::Default
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Unsupported(_) => {}
        }
    }

    fn init(&mut self, init: &LocalInit) {
        match init {
            LocalInit::None => {}
            LocalInit::Variable { size } => self.value(*size),
            LocalInit::Pieces(pieces) => {
                for piece in pieces {
                    match piece {
                        InitPiece::Scalar { access, value, .. } => {
                            self.value(*value);
                            let fits = self.scalar(*value) == Some(access.ty)
                                || self.is_unsupported(*value);
                            self.require(fits, "an initialiser of the access's type", *value);
                        }
                        InitPiece::Record { value, .. } => {
                            self.value(*value);
                            self.require(
                                self.unit.types.as_record(self.ty(*value)).is_some(),
                                "a record",
                                *value,
                            );
                        }
                        InitPiece::Effect(value) => self.value(*value),
                        InitPiece::Bytes { .. } => {}
                    }
                }
            }
        }
    }

    fn condition(&mut self, id: ExprId) {
        self.value(id);
        self.require(
            self.scalar(id).is_some() || self.is_unsupported(id),
            "a scalar condition",
            id,
        );
    }

    fn same(&mut self, a: ExprId, b: ExprId) {
        let fits = self.ty(a) == self.ty(b) || self.is_unsupported(a) || self.is_unsupported(b);
        self.require(fits, "operands of one type", a);
    }

    fn of_type(&mut self, id: ExprId, ty: TypeId, what: &str) {
        self.require(self.ty(id) == ty || self.is_unsupported(id), what, id);
    }

    fn word(&mut self, id: ExprId) {
        let word = self.unit.types.model.pointer_width();
        let fits = matches!(self.scalar(id), Some(Type::Int(int)) if int.width == word);
        self.require(
            fits || self.is_unsupported(id),
            "an integer as wide as a pointer",
            id,
        );
    }

    /// A node used as a value.
    fn value(&mut self, id: ExprId) {
        self.require(!self.is_place(id), "a value, not a place", id);
        self.expr(id);
    }

    /// A node used as a place.
    fn place(&mut self, id: ExprId) {
        self.require(self.is_place(id), "a place, not a value", id);
        self.expr(id);
    }

    fn expr(&mut self, id: ExprId) {
        stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, || self.expr_inner(id));
    }

    fn expr_inner(&mut self, id: ExprId) {
        if std::mem::replace(&mut self.seen[id.index()], true) {
            return;
        }
        let body = self.body;
        let expr = &body.exprs[id];
        let basic = self.unit.types.basic;
        let unsupported = matches!(expr.kind, ExprKind::Unsupported(_));
        self.require(expr.ty != basic.error || unsupported, "a type", id);
        let is_function = matches!(self.unit.types.get(expr.ty), CType::Function(_));
        self.require(!is_function, "no bare function", id);
        match &expr.kind {
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Const(_)
            | ExprKind::Unsupported(_) => {}
            ExprKind::Function(_) => self.require(
                self.scalar(id) == Some(Type::Ptr),
                "a pointer to a function",
                id,
            ),
            ExprKind::Deref(pointer) => {
                self.value(*pointer);
                let pointee = self
                    .unit
                    .types
                    .pointee(self.ty(*pointer))
                    .map(|pointee| pointee.ty);
                self.require(pointee == Some(expr.ty), "what the pointer points to", id);
            }
            ExprKind::Member {
                base,
                record,
                field,
            } => {
                self.expr(*base);
                self.require(
                    self.unit.types.as_record(self.ty(*base)) == Some(*record),
                    "a member of its record",
                    id,
                );
                let layout = self.unit.types.records[*record].layout.as_ref();
                let ty = layout
                    .and_then(|layout| layout.fields.get(*field as usize))
                    .map(|field| field.ty.ty);
                self.require(ty == Some(expr.ty), "the member's type", id);
            }
            ExprKind::CompoundLiteral { init, .. } => self.init(init),
            ExprKind::Load(place) => {
                self.place(*place);
                self.of_type(*place, expr.ty, "the place's type");
                let loadable =
                    self.scalar(id).is_some() || self.unit.types.as_record(expr.ty).is_some();
                self.require(loadable, "a scalar or a record", id);
            }
            ExprKind::Decay(place) | ExprKind::AddrOf(place) => self.place(*place),
            ExprKind::Convert(arg) => {
                self.value(*arg);
                self.require(
                    self.scalar(*arg).is_some() && self.scalar(id).is_some(),
                    "scalars",
                    id,
                );
                let word = self.unit.types.model.pointer_width();
                let fits = match (self.scalar(*arg), self.scalar(id)) {
                    (Some(Type::Ptr), Some(Type::Int(int)))
                    | (Some(Type::Int(int)), Some(Type::Ptr)) => int.width == word,
                    (Some(Type::Ptr), Some(Type::Float(_)))
                    | (Some(Type::Float(_) | Type::Bool), Some(Type::Ptr)) => false,
                    _ => true,
                };
                self.require(fits, "a conversion that the model has", id);
            }
            ExprKind::Discard(arg) => {
                self.value(*arg);
                self.require(expr.ty == basic.void, "void", id);
            }
            ExprKind::Unary(_, arg) => {
                self.value(*arg);
                self.of_type(*arg, expr.ty, "the operand's type");
            }
            ExprKind::Binary(op, lhs, rhs) => {
                self.value(*lhs);
                self.value(*rhs);
                self.of_type(*lhs, expr.ty, "the operand's type");
                if !matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
                    self.same(*lhs, *rhs);
                }
                let fits = matches!(self.scalar(id), Some(Type::Int(_) | Type::Float(_)));
                self.require(fits, "a number", id);
            }
            ExprKind::Compare(_, lhs, rhs) => {
                self.value(*lhs);
                self.value(*rhs);
                self.same(*lhs, *rhs);
                self.require(expr.ty == basic.int, "an int", id);
            }
            ExprKind::LogNot(arg) => self.condition(*arg),
            ExprKind::LogAnd(lhs, rhs) | ExprKind::LogOr(lhs, rhs) => {
                self.condition(*lhs);
                self.condition(*rhs);
                self.require(expr.ty == basic.int, "an int", id);
            }
            ExprKind::Cond(cond, then, otherwise) => {
                self.condition(*cond);
                self.value(*then);
                self.value(*otherwise);
                self.of_type(*then, expr.ty, "the branch's type");
                self.of_type(*otherwise, expr.ty, "the branch's type");
            }
            ExprKind::PtrAdd {
                ptr,
                index,
                element_size,
                ..
            } => {
                self.value(*ptr);
                self.value(*index);
                self.value(*element_size);
                self.of_type(*ptr, expr.ty, "the pointer's type");
                self.word(*index);
                self.of_type(*element_size, basic.size, "size_t");
            }
            ExprKind::PtrDiff {
                lhs,
                rhs,
                element_size,
            } => {
                self.value(*lhs);
                self.value(*rhs);
                self.value(*element_size);
                self.require(expr.ty == basic.ptrdiff, "ptrdiff_t", id);
                self.of_type(*element_size, basic.size, "size_t");
            }
            ExprKind::Assign { place, value } => {
                self.place(*place);
                self.value(*value);
                self.of_type(*place, expr.ty, "the place's type");
                let fits = self.unit.types.compatible(self.ty(*value), expr.ty)
                    || self.is_unsupported(*value);
                self.require(fits, "the value's type", id);
            }
            ExprKind::Update(update) => {
                self.place(update.place);
                self.value(update.rhs);
                self.of_type(update.place, expr.ty, "the place's type");
                match update.op {
                    UpdateOp::Binary(BinaryOp::Shl | BinaryOp::Shr) => {}
                    UpdateOp::Binary(_) => {
                        self.of_type(update.rhs, update.compute, "the type of the operation")
                    }
                    UpdateOp::PtrAdd { element_size, .. } => {
                        self.value(element_size);
                        self.word(update.rhs);
                    }
                }
            }
            ExprKind::Comma(first, second) => {
                self.value(*first);
                self.value(*second);
                self.of_type(*second, expr.ty, "the last type");
            }
            ExprKind::Call { callee, args } => self.call(id, *callee, args),
            ExprKind::StmtExpr { block, result } => {
                self.block(block);
                if let Some(result) = result {
                    self.value(*result);
                    self.of_type(*result, expr.ty, "the result's type");
                }
            }
            ExprKind::Intrinsic(intrinsic, args) => {
                for arg in args {
                    self.value(*arg);
                }
                if let (Intrinsic::CheckedArith(..), [a, b, _]) = (intrinsic, &args[..]) {
                    let integers = [*a, *b]
                        .map(|arg| matches!(self.scalar(arg), Some(Type::Int(_) | Type::Bool)));
                    self.require(integers == [true, true], "integers", id);
                }
            }
        }
    }

    fn call(&mut self, id: ExprId, callee: Callee, args: &[ExprId]) {
        let ty = match callee {
            Callee::Function(function) => Some(self.unit.functions[function].ty),
            Callee::Pointer(pointer) => {
                self.value(pointer);
                self.unit
                    .types
                    .pointee(self.ty(pointer))
                    .map(|pointee| pointee.ty)
            }
        };
        let Some(CType::Function(function)) = ty.map(|ty| self.unit.types.get(ty)) else {
            self.require(false, "a function to call", id);
            return;
        };
        for (index, &arg) in args.iter().enumerate() {
            self.value(arg);
            // A later declaration may have added parameter types to `()`.
            let promised = function
                .params
                .get(index)
                .filter(|_| !function.unspecified && matches!(callee, Callee::Pointer(_)));
            if let Some(&param) = promised {
                let fits =
                    self.unit.types.compatible(self.ty(arg), param) || self.is_unsupported(arg);
                self.require(fits, "an argument of the parameter's type", arg);
            }
        }
    }
}
