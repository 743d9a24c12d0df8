//! Expressions: names, unary operators, casts, and the way to everything else.

use rhumb_program::{Access, Span};

use super::scope::Binding;
use super::{RED_ZONE, STACK_PIECE, Sema};
use crate::ast::{self, ExprKind as AstExpr, InitList, TypeName, UnaryOp as AstUnary};
use crate::ctypes::{CType, QualType, TypeId};
use crate::diagnostic::Diagnostic;
use crate::hir::{ExprId, ExprKind, InitPiece, StaticInit, UnaryOp};
use crate::intern::Symbol;

impl Sema<'_> {
    /// The value of an expression.
    pub(super) fn rvalue(&mut self, id: ast::ExprId) -> ExprId {
        let expr = self.expr(id);
        self.value(expr)
    }

    /// The value of an expression that must be a number or a pointer.
    pub(super) fn scalar(&mut self, id: ast::ExprId, what: &str) -> ExprId {
        let value = self.rvalue(id);
        self.check_scalar(value, what)
    }

    pub(super) fn check_scalar(&mut self, value: ExprId, what: &str) -> ExprId {
        if self.is_error(value) || self.unit.types.is_scalar(self.ty(value)) {
            return value;
        }
        let shown = self.show(self.ty(value));
        let message = format!("{what} must be a number or a pointer, not `{shown}`");
        self.fail(self.span(value), message)
    }

    /// An expression as it stands: a place, a function designator or a value.
    pub(super) fn expr(&mut self, id: ast::ExprId) -> ExprId {
        stacker::maybe_grow(RED_ZONE, STACK_PIECE, || self.expr_inner(id))
    }

    fn expr_inner(&mut self, id: ast::ExprId) -> ExprId {
        let ast = self.ast;
        let ast::Expr { kind, span } = &ast.exprs[id];
        let span = *span;
        match kind {
            AstExpr::Ident(name) => self.name(*name, span),
            AstExpr::Int(literal) => self.int_literal(*literal, span),
            AstExpr::Float(text, suffix) => self.float_literal(*text, *suffix, span),
            AstExpr::Char(value, encoding) => self.char_literal(*value, *encoding, span),
            AstExpr::Str(literal) => self.string_literal(literal, span),
            AstExpr::FunctionName => self.function_name(span),
            AstExpr::Call(callee, args) => self.call(*callee, args, span),
            AstExpr::Index(base, index) => self.index(*base, *index, span),
            AstExpr::Member {
                base,
                name,
                arrow,
                name_span,
            } => self.member(*base, *name, *arrow, *name_span, span),
            AstExpr::IncDec {
                arg,
                increment,
                prefix,
            } => self.inc_dec(*arg, *increment, *prefix, span),
            AstExpr::Unary(op, arg) => self.unary(*op, *arg, span),
            AstExpr::Binary(..) => self.binary_chain(id),
            AstExpr::Cond(cond, then, otherwise) => {
                self.conditional(*cond, *then, *otherwise, span)
            }
            AstExpr::Assign(op, lhs, rhs) => self.assign(*op, *lhs, *rhs, span),
            AstExpr::Comma(first, second) => self.comma(*first, *second, span),
            AstExpr::Cast(ty, arg) => self.cast(ty, *arg, span),
            AstExpr::SizeofExpr(arg) => self.sizeof_expr(*arg, span),
            AstExpr::SizeofType(ty) => self.sizeof_type(ty, span),
            AstExpr::AlignofExpr(arg) => self.alignof_expr(*arg, span),
            AstExpr::AlignofType(ty) => self.alignof_type(ty, false, span),
            AstExpr::PreferredAlignofType(ty) => self.alignof_type(ty, true, span),
            AstExpr::CompoundLiteral(ty, list) => self.compound_literal(ty, list, span),
            AstExpr::StmtExpr(block) => self.statement_expr(*block, span),
            AstExpr::Generic(control, associations) => self.generic(*control, associations, span),
            AstExpr::Offsetof(ty, designators) => self.offset_of(ty, designators, span),
            AstExpr::VaArg(list, ty) => self.va_arg(*list, ty, span),
            AstExpr::TypesCompatible(a, b) => self.types_compatible(a, b, span),
            AstExpr::ChooseExpr(cond, a, b) => self.choose_expr(*cond, *a, *b, span),
            AstExpr::LabelAddr(label) => self.label_address(*label, span),
            AstExpr::Unsupported(what) => self.unsupported(what.clone(), span),
        }
    }

    fn name(&mut self, name: Symbol, span: Span) -> ExprId {
        let Some(entry) = self.unit.scopes.ordinary.get(name) else {
            return self.undeclared(name, span);
        };
        let (kind, ty) = match entry.value {
            Binding::Local(local) => (ExprKind::Local(local), self.unit.body.locals[local].ty.ty),
            Binding::Global(global) => {
                if let Some(what) = &self.unit.global_states[global].unsupported {
                    let what = what.clone();
                    return self.unsupported(what, span);
                }
                (ExprKind::Global(global), self.unit.globals[global].ty.ty)
            }
            Binding::Function(function) => {
                if let Some(what) = self.unit.function_states[function].unsupported {
                    return self.unsupported(what, span);
                }
                let ty = self.unit.functions[function].ty;
                (ExprKind::Function(function), ty)
            }
            Binding::EnumConst(bits, ty) => (ExprKind::Const(bits), ty),
            Binding::Typedef(..) => {
                let message = format!("`{}` is a type, not a value", self.names.name(name));
                return self.fail(span, message);
            }
            Binding::PrototypeParam(ty) => {
                let what = "value of a parameter without a function";
                (ExprKind::Unsupported(what.to_string()), ty)
            }
        };
        self.place(kind, ty, span)
    }

    /// A place, or what stands for it if its type is one that we don't handle.
    pub(super) fn place(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        match self.unit.types.unsupported(ty) {
            Some(name) => {
                let name = self.names.name(name).to_string();
                self.unsupported(name, span)
            }
            None => self.push(kind, ty, span),
        }
    }

    fn undeclared(&mut self, name: Symbol, span: Span) -> ExprId {
        let text = self.names.name(name).clone();
        if super::builtins::is_builtin_name(&text) {
            return self.unsupported(format!("`{text}`"), span);
        }
        let mut diagnostic = Diagnostic::error(span, format!("`{text}` is not declared"));
        diagnostic = match self.similar_name(&text) {
            Some(similar) => diagnostic.with_label(format!("did you mean `{similar}`?")),
            None if is_like_a_macro(&text) => {
                diagnostic.with_label(format!("not found: if it is a macro, say -D {text}=..."))
            }
            None => diagnostic.with_label("not found in this scope"),
        };
        self.diags.push(diagnostic);
        self.error_expr(span)
    }

    fn unary(&mut self, op: AstUnary, arg: ast::ExprId, span: Span) -> ExprId {
        match op {
            AstUnary::AddrOf => {
                let place = self.expr(arg);
                self.address_of(place, span)
            }
            AstUnary::Deref => {
                let pointer = self.rvalue(arg);
                self.deref(pointer, span)
            }
            AstUnary::Not => {
                let arg = self.scalar(arg, "the operand of `!`");
                if self.is_error(arg) {
                    return arg;
                }
                let int = self.unit.types.basic.int;
                self.push(ExprKind::LogNot(arg), int, span)
            }
            AstUnary::Plus => self.arithmetic_unary(None, arg, span),
            AstUnary::Neg => self.arithmetic_unary(Some(UnaryOp::Neg), arg, span),
            AstUnary::BitNot => self.arithmetic_unary(Some(UnaryOp::BitNot), arg, span),
        }
    }

    fn arithmetic_unary(&mut self, op: Option<UnaryOp>, arg: ast::ExprId, span: Span) -> ExprId {
        let arg = self.rvalue(arg);
        if self.is_error(arg) {
            return arg;
        }
        let ty = self.ty(arg);
        let (sign, fits) = match op {
            Some(UnaryOp::BitNot) => ("~", self.unit.types.is_integer(ty)),
            Some(UnaryOp::Neg) => ("-", self.unit.types.is_arithmetic(ty)),
            None => ("+", self.unit.types.is_arithmetic(ty)),
        };
        if !fits {
            let shown = self.show(ty);
            return self.fail(span, format!("`{sign}` can't be applied to `{shown}`"));
        }
        let arg = self.promote(arg);
        let ty = self.ty(arg);
        match op {
            Some(op) => self.push(ExprKind::Unary(op, arg), ty, span),
            None => arg,
        }
    }

    /// `&place`.
    pub(super) fn address_of(&mut self, place: ExprId, span: Span) -> ExprId {
        if self.is_error(place) {
            return place;
        }
        if matches!(self.ctype(place), CType::Function(_)) {
            return self.value(place);
        }
        if !self.is_lvalue(place) {
            return self.fail(span, "`&` needs something that has an address");
        }
        if self.bit_field_place(place).is_some() {
            return self.fail(span, "`&` can't be applied to a bit-field");
        }
        if let Some(local) = self.register_local(place) {
            let name = self.unit.body.locals[local].name.clone();
            return self.fail(
                span,
                format!("the address of register variable `{name}` is asked for"),
            );
        }
        // `&*p` is `p`, evaluated or not.
        if let ExprKind::Deref(pointer) = self.hir(place).kind {
            return pointer;
        }
        let pointee = QualType {
            ty: self.ty(place),
            quals: self.place_quals(place),
        };
        let ty = self.unit.types.pointer_to(pointee);
        self.mark_addr_taken(place);
        self.push(ExprKind::AddrOf(place), ty, span)
    }

    fn register_local(&self, place: ExprId) -> Option<crate::hir::LocalId> {
        match self.hir(place).kind {
            ExprKind::Local(local) => self.unit.body.registers.contains(&local).then_some(local),
            ExprKind::Member { base, .. } => self.register_local(base),
            _ => None,
        }
    }

    /// `*pointer`.
    pub(super) fn deref(&mut self, pointer: ExprId, span: Span) -> ExprId {
        if self.is_error(pointer) {
            return pointer;
        }
        match self.ctype(pointer) {
            CType::Pointer(pointee) => {
                let pointee = pointee.ty;
                self.place(ExprKind::Deref(pointer), pointee, span)
            }
            _ => {
                let shown = self.show(self.ty(pointer));
                self.fail(span, format!("`*` needs a pointer, not `{shown}`"))
            }
        }
    }

    fn comma(&mut self, first: ast::ExprId, second: ast::ExprId, span: Span) -> ExprId {
        let first = self.rvalue(first);
        let second = self.rvalue(second);
        if self.is_error(first) {
            return first;
        }
        if self.is_error(second) {
            return second;
        }
        let ty = self.ty(second);
        self.push(ExprKind::Comma(first, second), ty, span)
    }

    fn cast(&mut self, name: &TypeName, arg: ast::ExprId, span: Span) -> ExprId {
        let mark = self.unit.body.pending_lengths.len();
        let to = self.type_name(name).ty.ty;
        let arg = self.rvalue(arg);
        let value = self.cast_value(arg, to, span);
        self.after_lengths(mark, value)
    }

    fn cast_value(&mut self, arg: ExprId, to: TypeId, span: Span) -> ExprId {
        if self.is_error(arg) {
            return arg;
        }
        let from = self.ty(arg);
        let types = &self.unit.types;
        match (types.get(from), types.get(to)) {
            (_, CType::Error) => self.error_expr(span),
            (_, CType::Void) => self.discard(arg),
            _ if types.unsupported(to).is_some() => {
                // Of no use as a place: only the name counts.
                self.place(ExprKind::Const(0), to, span)
            }
            (CType::Pointer(_), CType::Float(_)) | (CType::Float(_), CType::Pointer(_)) => {
                let (from, to) = (self.show(from), self.show(to));
                self.fail(span, format!("`{from}` can't be cast to `{to}`"))
            }
            _ if types.is_scalar(from) && types.is_scalar(to) => {
                if matches!(types.get(to), CType::Enum(_)) && !types.is_complete(to) {
                    let to = self.show(to);
                    return self.fail(span, format!("cast to incomplete type `{to}`"));
                }
                let value = self.convert(arg, to);
                self.recast(value, arg, to, span)
            }
            // GNU C lets a record be cast to its own type, and a member's value to the union.
            (CType::Record(a), CType::Record(b)) if a == b => arg,
            (_, CType::Record(id)) if types.records[*id].is_union => {
                let layout = types.records[*id].layout.as_ref();
                let fits = layout.is_some_and(|layout| {
                    let mut fields = layout.fields.iter();
                    fields.any(|field| types.compatible(field.ty.ty, from))
                });
                if fits {
                    self.record_of_first_scalar(arg, to, span)
                } else {
                    self.cast_error(from, to, span)
                }
            }
            _ => self.cast_error(from, to, span),
        }
    }

    fn cast_error(&mut self, from: TypeId, to: TypeId, span: Span) -> ExprId {
        let (from, to) = (self.show(from), self.show(to));
        self.fail(span, format!("`{from}` can't be cast to `{to}`"))
    }

    /// A cast that changes nothing must still hide that its operand was a bit-field or an assignable place.
    fn recast(&mut self, value: ExprId, arg: ExprId, to: TypeId, span: Span) -> ExprId {
        if value == arg && self.bit_field(arg).is_some() {
            return self.push(ExprKind::Convert(arg), to, span);
        }
        value
    }

    /// A record whose first bytes are a value, the rest zero.
    pub(super) fn record_of_first_scalar(
        &mut self,
        value: ExprId,
        record: TypeId,
        span: Span,
    ) -> ExprId {
        if self.is_error(value) {
            return value;
        }
        let piece = match self.unit.types.scalar(self.ty(value)) {
            Some(ty) => InitPiece::Scalar {
                offset: 0,
                access: Access::whole(ty),
                value,
            },
            None => InitPiece::Record { offset: 0, value },
        };
        let (place, _) = self.object_in_memory(record, vec![piece], span);
        self.load(place)
    }

    fn compound_literal(&mut self, name: &TypeName, list: &InitList, span: Span) -> ExprId {
        let spec = self.type_name(name);
        let mut ty = spec.ty;
        if self.is_error_type(ty.ty) {
            return self.error_expr(span);
        }
        if self.unit.types.unsupported(ty.ty).is_some() {
            return self.place(ExprKind::Const(0), ty.ty, span);
        }
        if self.unit.types.is_variable(ty.ty) {
            return self.fail(
                span,
                "a compound literal can't have a type of variable size",
            );
        }
        if matches!(self.unit.types.get(ty.ty), CType::Function(_) | CType::Void) {
            let shown = self.show(ty.ty);
            return self.fail(
                span,
                format!("a compound literal can't have type `{shown}`"),
            );
        }
        if !self.in_function() {
            let Some(pieces) = self.static_initializer(&mut ty, InitRef::List(list)) else {
                return self.error_expr(span);
            };
            return match pieces {
                Ok(init) => self.literal_global(ty, init, span),
                Err(what) => self.unsupported(what, span),
            };
        }
        let init = self.local_initializer(&mut ty, InitRef::List(list));
        if !self.unit.types.is_complete(ty.ty) {
            let shown = self.show(ty.ty);
            return self.fail(
                span,
                format!("the compound literal has incomplete type `{shown}`"),
            );
        }
        let local = self.temporary(ty.ty, span);
        self.unit.body.locals[local].ty = ty;
        let kind = ExprKind::CompoundLiteral {
            local,
            init: Box::new(init),
        };
        self.push(kind, ty.ty, span)
    }

    /// A compound literal at file level: an object without a name.
    fn literal_global(&mut self, ty: QualType, init: Vec<StaticInit>, span: Span) -> ExprId {
        let read_only = self.is_read_only(ty);
        let global = self.new_global(std::sync::Arc::from(""), ty, span);
        self.unit.globals[global].init = Some(init);
        self.unit.globals[global].read_only = read_only;
        self.push(ExprKind::Global(global), ty.ty, span)
    }

    pub(super) fn is_error_type(&self, ty: TypeId) -> bool {
        ty == self.unit.types.basic.error
    }
}

/// An initialiser as it stands in the syntax tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum InitRef<'a> {
    Expr(ast::ExprId),
    List(&'a InitList),
    /// An expression that is already analysed.
    Value(ExprId),
}

/// Whether a name is written as those of macros are.
fn is_like_a_macro(name: &str) -> bool {
    name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase())
}
