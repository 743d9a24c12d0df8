//! From places to values, and from one type to another.

use rhumb_program::{Span, Type};

use super::Sema;
use crate::ast::Quals;
use crate::ctypes::{CType, FloatKind, IntKind, QualType, RecordId, TypeId};
use crate::diagnostic::Diagnostic;
use crate::hir::{ExprId, ExprKind};

/// Where a value is converted as if by assignment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Context {
    Assignment,
    Initializer,
    Return,
    /// Number of the argument, from 1.
    Argument(usize),
}

impl Context {
    fn describe(self) -> String {
        match self {
            Context::Assignment => "assignment".to_string(),
            Context::Initializer => "initialization".to_string(),
            Context::Return => "return".to_string(),
            Context::Argument(number) => format!("argument {number}"),
        }
    }
}

impl Sema<'_> {
    /// Whether the node is a place rather than a value.
    pub(super) fn is_place(&self, id: ExprId) -> bool {
        match self.hir(id).kind {
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral { .. } => !self.is_error(id),
            _ => false,
        }
    }

    /// Whether the place is an lvalue: a member of a value is not.
    pub(super) fn is_lvalue(&self, id: ExprId) -> bool {
        match self.hir(id).kind {
            ExprKind::Member { base, .. } => self.is_lvalue(base),
            _ => self.is_place(id),
        }
    }

    /// Qualifiers of what lies in a place.
    pub(super) fn place_quals(&self, place: ExprId) -> Quals {
        match self.hir(place).kind {
            ExprKind::Local(local) | ExprKind::CompoundLiteral { local, .. } => {
                self.unit.body.locals[local].ty.quals
            }
            ExprKind::Global(global) => self.unit.globals[global].ty.quals,
            ExprKind::Deref(pointer) => {
                let pointee = self.unit.types.pointee(self.ty(pointer));
                pointee.map_or_else(Quals::default, |pointee| pointee.quals)
            }
            ExprKind::Member {
                base,
                record,
                field,
            } => {
                let layout = self.unit.types.records[record].layout.as_ref();
                let field = layout.and_then(|layout| layout.fields.get(field as usize));
                let own = field.map_or_else(Quals::default, |field| field.ty.quals);
                own.union(self.place_quals(base))
            }
            _ => Quals::default(),
        }
    }

    /// The value of an expression: places are read, arrays and functions become pointers.
    pub(super) fn value(&mut self, id: ExprId) -> ExprId {
        match self.ctype(id) {
            CType::Array(..) => self.decay(id),
            CType::Function(_) => self.function_pointer(id),
            CType::Void => match self.hir(id).kind {
                // `*p` of a `void *`: no value, but the pointer is evaluated.
                ExprKind::Deref(pointer) => self.discard(pointer),
                _ => id,
            },
            CType::Record(record) => {
                let record = *record;
                if !self.is_place(id) {
                    return id;
                }
                if self.unit.types.records[record].layout.is_none() {
                    return self.incomplete(id);
                }
                self.load(id)
            }
            _ if self.is_place(id) => self.load(id),
            _ => id,
        }
    }

    fn incomplete(&mut self, id: ExprId) -> ExprId {
        let shown = self.show(self.ty(id));
        self.fail(self.span(id), format!("use of incomplete type `{shown}`"))
    }

    /// Pointer to the first element of an array.
    fn decay(&mut self, id: ExprId) -> ExprId {
        let span = self.span(id);
        let &CType::Array(element, _) = self.ctype(id) else {
            return id;
        };
        let element = element.with_quals(self.place_quals(id));
        let ty = self.unit.types.pointer_to(element);
        if let Some(root) = self.value_root(id) {
            return self.decay_in_value(id, root, ty, span);
        }
        self.mark_addr_taken(id);
        self.push(ExprKind::Decay(id), ty, span)
    }

    /// The record-typed value that a member belongs to, if it belongs to none that has a place. The result of a call is
    /// an object of its own.
    fn value_root(&self, id: ExprId) -> Option<ExprId> {
        match self.hir(id).kind {
            ExprKind::Member { base, .. } => self.value_root(base),
            ExprKind::Call { .. } => None,
            _ if self.is_place(id) => None,
            _ => Some(id),
        }
    }

    /// An array in a value (`f().array`): the value gets a place first.
    fn decay_in_value(&mut self, id: ExprId, root: ExprId, ty: TypeId, span: Span) -> ExprId {
        let (kept, _) = self.keep_in_memory(root);
        let place = self.rebase(id, kept);
        self.push(ExprKind::Decay(place), ty, span)
    }

    /// A chain of members with another base.
    fn rebase(&mut self, id: ExprId, new_root: ExprId) -> ExprId {
        let ExprKind::Member {
            base,
            record,
            field,
        } = self.hir(id).kind
        else {
            return new_root;
        };
        let base = self.rebase(base, new_root);
        let (ty, span) = (self.ty(id), self.span(id));
        self.push(
            ExprKind::Member {
                base,
                record,
                field,
            },
            ty,
            span,
        )
    }

    /// A function designator as a pointer.
    fn function_pointer(&mut self, id: ExprId) -> ExprId {
        let ty = self.ty(id);
        match self.hir(id).kind {
            ExprKind::Deref(pointer) => pointer,
            ExprKind::Function(function) => {
                self.unit.functions[function].addr_taken = true;
                let pointer = self.unit.types.pointer_to(QualType::plain(ty));
                self.unit.body.exprs[id].ty = pointer;
                id
            }
            _ => id,
        }
    }

    /// Notes that the address of the object in which a place lies is used.
    pub(super) fn mark_addr_taken(&mut self, place: ExprId) {
        match self.hir(place).kind {
            ExprKind::Local(local) | ExprKind::CompoundLiteral { local, .. } => {
                self.unit.body.locals[local].addr_taken = true;
            }
            ExprKind::Global(global) => self.unit.globals[global].addr_taken = true,
            ExprKind::Member { base, .. } => self.mark_addr_taken(base),
            _ => {}
        }
    }

    /// Evaluates and drops the value.
    pub(super) fn discard(&mut self, id: ExprId) -> ExprId {
        if self.is_error(id) || matches!(self.ctype(id), CType::Void) {
            return id;
        }
        let (void, span) = (self.unit.types.basic.void, self.span(id));
        self.push(ExprKind::Discard(id), void, span)
    }

    /// Converts a scalar value to a scalar type.
    pub(super) fn convert(&mut self, id: ExprId, to: TypeId) -> ExprId {
        let from = self.ty(id);
        if from == to || self.is_error(id) {
            return id;
        }
        let types = &self.unit.types;
        let (Some(source), Some(target)) = (types.scalar(from), types.scalar(to)) else {
            return id;
        };
        let word = types.model.ptrdiff_type();
        let span = self.span(id);
        if let (ExprKind::Const(bits), Type::Int(source)) = (&self.hir(id).kind, source) {
            let extended = source.extend(*bits) as u128;
            match target {
                Type::Int(target) => {
                    let bits = target.wrap(extended);
                    return self.push(ExprKind::Const(bits), to, span);
                }
                Type::Ptr => {
                    let bits = word.mask() & extended;
                    return self.push(ExprKind::Const(bits), to, span);
                }
                Type::Bool | Type::Float(_) => {}
            }
        }
        // Between a pointer and an integer of another width the way leads over an integer as wide as a pointer.
        let step = match (source, target) {
            (Type::Int(int), Type::Ptr) if int.width != word.width => Some(int.signed),
            (Type::Bool, Type::Ptr) => Some(false),
            // gcc extends addresses by their top bit, whatever the integer's sign.
            (Type::Ptr, Type::Int(int)) if int.width != word.width => Some(true),
            _ => None,
        };
        let id = match step {
            Some(signed) => {
                let basic = self.unit.types.basic;
                let ty = if signed { basic.ptrdiff } else { basic.size };
                self.push(ExprKind::Convert(id), ty, span)
            }
            None => id,
        };
        let pointee = self.unit.types.pointee(to);
        let is_function =
            pointee.is_some_and(|to| matches!(self.unit.types.get(to.ty), CType::Function(_)));
        if is_function && !matches!(self.hir(id).kind, ExprKind::Const(_)) {
            self.unit.to_functions.insert((from, to));
        }
        self.push(ExprKind::Convert(id), to, span)
    }

    /// Width, signedness and declared type of the bit-field from which a value comes (also as the result of an assignment to it).
    pub(super) fn bit_field(&self, id: ExprId) -> Option<(u8, TypeId)> {
        match &self.hir(id).kind {
            ExprKind::Load(place) | ExprKind::Assign { place, .. } => self.bit_field_of(*place),
            ExprKind::Update(update) => self.bit_field_of(update.place),
            ExprKind::Comma(_, last) => self.bit_field(*last),
            ExprKind::StmtExpr { result, .. } => self.bit_field((*result)?),
            _ => None,
        }
    }

    fn bit_field_of(&self, place: ExprId) -> Option<(u8, TypeId)> {
        let ExprKind::Member { record, field, .. } = self.hir(place).kind else {
            return None;
        };
        let layout = self.unit.types.records[record].layout.as_ref()?;
        let field = layout.fields.get(field as usize)?;
        field.bits.map(|bits| (bits.width, field.ty.ty))
    }

    /// Whether a place is a bit-field: its width and where it stands in the text.
    pub(super) fn bit_field_place(&self, place: ExprId) -> Option<(u8, Span)> {
        let (width, _) = self.bit_field_of(place)?;
        Some((width, self.span(place)))
    }

    /// The type to which a bit-field's value is promoted.
    fn promoted_bit_field(&mut self, width: u8, ty: TypeId) -> Option<TypeId> {
        let declared = match self.unit.types.scalar(ty)? {
            Type::Int(int) => int,
            _ => return Some(self.unit.types.basic.int),
        };
        if width < 32 {
            Some(self.unit.types.basic.int)
        } else if u16::from(width) == declared.width {
            None
        } else {
            let signed = declared.signed;
            Some(self.unit.types.int(IntKind::Field { width, signed }))
        }
    }

    /// The type that gcc gives to a value: for that of a bit-field which is narrower than its declared type, a type of just that width.
    pub(super) fn value_type(&mut self, id: ExprId) -> TypeId {
        let ty = self.ty(id);
        match (self.bit_field(id), self.unit.types.scalar(ty)) {
            (Some((width, _)), Some(Type::Int(int))) if u16::from(width) < int.width => {
                let signed = int.signed;
                self.unit.types.int(IntKind::Field { width, signed })
            }
            _ => ty,
        }
    }

    /// The promoted type of an integer value.
    pub(super) fn promoted_type(&mut self, id: ExprId) -> TypeId {
        if let Some((width, ty)) = self.bit_field(id)
            && let Some(promoted) = self.promoted_bit_field(width, ty)
        {
            return promoted;
        }
        let ty = self.ty(id);
        match self.unit.types.promoted_kind(ty) {
            Some(kind) => self.unit.types.int(kind),
            None => ty,
        }
    }

    /// Integer promotion; other values stay as they are.
    pub(super) fn promote(&mut self, id: ExprId) -> ExprId {
        let ty = self.promoted_type(id);
        let value = self.convert(id, ty);
        // The value of a bit-field that is declared with its promoted type is one of that type from here on.
        if value == id && self.value_type(id) != ty {
            let span = self.span(id);
            return self.push(ExprKind::Convert(id), ty, span);
        }
        value
    }

    /// The type to which the usual arithmetic conversions bring two arithmetic values.
    pub(super) fn common_type(&mut self, lhs: ExprId, rhs: ExprId) -> TypeId {
        let float = |ctype: &CType| match ctype {
            CType::Float(kind) => Some(*kind),
            _ => None,
        };
        match (float(self.ctype(lhs)), float(self.ctype(rhs))) {
            (Some(a), Some(b)) => self.unit.types.float(a.common(b)),
            (Some(kind), None) | (None, Some(kind)) => self.unit.types.float(kind),
            (None, None) => {
                let (a, b) = (self.promoted_type(lhs), self.promoted_type(rhs));
                match (self.unit.types.get(a), self.unit.types.get(b)) {
                    (&CType::Int(a), &CType::Int(b)) => {
                        let kind = self.unit.types.common_int(a, b);
                        self.unit.types.int(kind)
                    }
                    _ => a,
                }
            }
        }
    }

    /// Default argument promotions.
    pub(super) fn default_promote(&mut self, id: ExprId) -> ExprId {
        match self.ctype(id) {
            CType::Float(FloatKind::Float) => {
                let double = self.unit.types.basic.double;
                self.convert(id, double)
            }
            // A bit-field that is wider than `int` is passed in its declared type.
            _ if self.bit_field(id).is_some_and(|(width, _)| width >= 32) => id,
            _ => self.promote(id),
        }
    }

    /// Whether the expression is a null pointer constant.
    pub(super) fn is_null_constant(&mut self, id: ExprId) -> bool {
        let ty = self.ty(id);
        if let ExprKind::Const(bits) = self.hir(id).kind {
            return bits == 0
                && (self.unit.types.is_integer(ty) || ty == self.unit.types.basic.void_ptr);
        }
        self.unit.types.is_integer(ty)
            && matches!(
                self.hir(id).kind,
                ExprKind::Convert(_)
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Compare(..)
                    | ExprKind::LogNot(_)
            )
            && self.fold_integer(id) == Some(0)
    }

    /// The null pointer of a type.
    pub(super) fn null(&mut self, ty: TypeId, span: Span) -> ExprId {
        self.push(ExprKind::Const(0), ty, span)
    }

    /// Converts a value as if by assignment to an object of the type, with gcc's complaints.
    pub(super) fn convert_assign(
        &mut self,
        id: ExprId,
        to: TypeId,
        context: Context,
        span: Span,
    ) -> ExprId {
        let from = self.ty(id);
        if from == to || self.is_error(id) {
            return id;
        }
        match (self.unit.types.get(from), self.unit.types.get(to)) {
            (_, CType::Error) => self.error_expr(span),
            (_, CType::Unsupported(name)) => {
                let name = self.names.name(*name).to_string();
                self.unsupported(name, span)
            }
            (CType::Void, _) => self.fail(span, "a `void` expression has no value to use"),
            (_, CType::Bool) if self.unit.types.is_scalar(from) => self.convert(id, to),
            (CType::Pointer(source), CType::Pointer(target)) => {
                let (source, target) = (*source, *target);
                if !self.is_null_constant(id) {
                    self.check_pointers(source, target, from, to, context, span);
                }
                self.convert(id, to)
            }
            (CType::Pointer(_), _) if self.unit.types.is_integer(to) => {
                self.warn_mismatch(
                    from,
                    to,
                    context,
                    span,
                    "makes integer from pointer without a cast",
                );
                self.convert(id, to)
            }
            (_, CType::Pointer(_)) if self.unit.types.is_integer(from) => {
                if self.is_null_constant(id) {
                    return self.null(to, span);
                }
                self.warn_mismatch(
                    from,
                    to,
                    context,
                    span,
                    "makes pointer from integer without a cast",
                );
                self.convert(id, to)
            }
            (_, &CType::Record(record)) if self.unit.transparent_unions.contains(&record) => {
                self.transparent_union(id, record, to, context, span)
            }
            _ if self.unit.types.is_arithmetic(from) && self.unit.types.is_arithmetic(to) => {
                self.convert(id, to)
            }
            _ if self.unit.types.compatible(from, to) => id,
            _ => {
                let (from, to) = (self.show(from), self.show(to));
                let what = context.describe();
                self.fail(
                    span,
                    format!("incompatible types in {what}: `{to}` from `{from}`"),
                )
            }
        }
    }

    fn warn_mismatch(
        &mut self,
        from: TypeId,
        to: TypeId,
        context: Context,
        span: Span,
        problem: &str,
    ) {
        let (from, to) = (self.show(from), self.show(to));
        let what = context.describe();
        self.diags.push(
            Diagnostic::warning(span, format!("{what} {problem}"))
                .with_label(format!("`{to}` from `{from}`")),
        );
    }

    fn check_pointers(
        &mut self,
        source: QualType,
        target: QualType,
        from: TypeId,
        to: TypeId,
        context: Context,
        span: Span,
    ) {
        let types = &self.unit.types;
        let is_void = |ty: QualType| matches!(types.get(ty.ty), CType::Void);
        let fits = is_void(source)
            || is_void(target)
            || types.compatible(source.ty, target.ty)
            || self.differ_in_sign(source.ty, target.ty);
        if !fits {
            self.warn_mismatch(from, to, context, span, "from incompatible pointer type");
        } else if !target.quals.covers(source.quals) {
            self.warn_mismatch(from, to, context, span, "discards qualifiers");
        }
    }

    /// Whether two integer types differ in nothing but signedness.
    fn differ_in_sign(&self, a: TypeId, b: TypeId) -> bool {
        match (self.unit.types.get(a), self.unit.types.get(b)) {
            (CType::Int(a), CType::Int(b)) => a.to_unsigned() == b.to_unsigned(),
            (CType::Pointer(a), CType::Pointer(b)) => self.differ_in_sign(a.ty, b.ty),
            _ => false,
        }
    }

    /// An argument for a parameter whose type is a transparent union: the first member that takes it is set.
    fn transparent_union(
        &mut self,
        id: ExprId,
        record: RecordId,
        to: TypeId,
        context: Context,
        span: Span,
    ) -> ExprId {
        let from = self.ty(id);
        let members = match &self.unit.types.records[record].layout {
            Some(layout) => layout.fields.iter().map(|field| field.ty.ty).collect(),
            None => Vec::new(),
        };
        let null = self.is_null_constant(id);
        let chosen = members.into_iter().find(|&member| {
            let types = &self.unit.types;
            let both = (types.pointee(from), types.pointee(member));
            match both {
                (Some(a), Some(b)) => {
                    types.compatible(a.ty, b.ty)
                        || matches!(types.get(a.ty), CType::Void)
                        || matches!(types.get(b.ty), CType::Void)
                }
                (None, Some(_)) => null,
                _ => types.compatible(from, member),
            }
        });
        match chosen {
            Some(member) => {
                let value = self.convert_assign(id, member, context, span);
                self.record_of_first_scalar(value, to, span)
            }
            None => {
                let (from, to) = (self.show(from), self.show(to));
                let what = context.describe();
                self.fail(
                    span,
                    format!("incompatible types in {what}: `{to}` from `{from}`"),
                )
            }
        }
    }
}
