//! From specifiers and declarators to types.

use rhumb_program::{DataModel, Span};

use super::Sema;
use super::attribute::Attributes;
use super::scope::Binding;
use crate::ast::{
    ArraySize, BasicType, DeclSpecs, Declarator, Derived, FunctionDeclarator, ParamDecl, TypeName,
    TypeSpec,
};
use crate::ctypes::{ArrayLen, CType, FunctionType, IntKind, QualType, TypeId};
use crate::hir::{ExprId, ExprKind};

/// Types that nest deeper than this are refused, so that walking one needs little stack.
pub(super) const MAX_TYPE_DEPTH: u32 = 400;

/// What specifiers say: a type, and the alignment that a typedef among them asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) ty: QualType,
    pub(super) align: Option<u64>,
}

impl Sema<'_> {
    /// The type that specifiers name. `lone`: no declarator follows.
    pub(super) fn specifier_type(&mut self, specs: &DeclSpecs, lone: bool) -> Spec {
        let mut align = None;
        let ty = match &specs.ty {
            TypeSpec::Basic(basic) => {
                let is_wide = matches!(basic, BasicType::Int(IntKind::Int128 | IntKind::UInt128));
                if is_wide && self.unit.types.model == DataModel::Ilp32 {
                    self.error(specs.span, "there is no `__int128` under ILP32");
                }
                QualType::plain(self.basic_type(*basic))
            }
            TypeSpec::Typedef(name) => {
                let entry = self
                    .unit
                    .scopes
                    .ordinary
                    .get(*name)
                    .map(|entry| entry.value);
                match entry {
                    Some(Binding::Typedef(ty, typedef_align)) => {
                        align = typedef_align;
                        ty
                    }
                    _ => {
                        let message = format!("unknown type `{}`", self.names.name(*name));
                        self.error(specs.span, message);
                        self.error_type()
                    }
                }
            }
            TypeSpec::Record(spec) => QualType::plain(self.record_type(spec, lone)),
            TypeSpec::Enum(spec) => QualType::plain(self.enum_type(spec, lone)),
            TypeSpec::TypeofExpr(expr) => {
                let spec = self.typeof_expr(*expr);
                align = spec.align;
                spec.ty
            }
            TypeSpec::TypeofType(name) => {
                let spec = self.type_name(name);
                align = spec.align;
                spec.ty
            }
            TypeSpec::Auto => {
                self.error(specs.span, "`__auto_type` needs an initializer");
                self.error_type()
            }
            TypeSpec::ImplicitInt => QualType::plain(self.unit.types.basic.int),
            TypeSpec::Unsupported(name) => {
                let name = self.names.intern(name);
                QualType::plain(self.unit.types.intern(CType::Unsupported(name)))
            }
        };
        let ty = self.unit.types.qualify(ty, specs.quals);
        Spec { ty, align }
    }

    pub(super) fn error_type(&self) -> QualType {
        QualType::plain(self.unit.types.basic.error)
    }

    fn basic_type(&mut self, basic: BasicType) -> TypeId {
        let types = &mut self.unit.types;
        match basic {
            BasicType::Void => types.basic.void,
            BasicType::Bool => types.basic.bool,
            BasicType::Int(kind) => types.int(kind),
            BasicType::Float(kind) => types.float(kind),
        }
    }

    /// The type of an operand of `typeof`, with its qualifiers and the alignment that a typedef in it asks for.
    fn typeof_expr(&mut self, expr: crate::ast::ExprId) -> Spec {
        let expr = self.expr(expr);
        if let Some((_, span)) = self.bit_field_place(expr) {
            self.error(span, "`typeof` of a bit-field");
            return Spec {
                ty: self.error_type(),
                align: None,
            };
        }
        let quals = if self.is_place(expr) {
            self.place_quals(expr)
        } else {
            Default::default()
        };
        let ty = QualType::plain(self.type_of(expr));
        if self.unit.types.is_variably_modified(ty.ty) && self.prototype_depth == 0 {
            // Such an operand is evaluated, like a length, where the type stands.
            let operand = self.value(expr);
            let operand = self.discard(operand);
            self.unit.body.pending_lengths.push(operand);
        }
        Spec {
            ty: self.unit.types.qualify(ty, quals),
            align: self.type_align(expr),
        }
    }

    /// The alignment that a typedef asks for in the type of what was declared with it.
    pub(super) fn type_align(&self, expr: ExprId) -> Option<u64> {
        match self.hir(expr).kind {
            ExprKind::Local(local) => self.unit.body.locals[local].type_align,
            ExprKind::Global(global) => self.unit.globals[global].type_align,
            ExprKind::Member { record, field, .. } => {
                let layout = self.unit.types.records[record].layout.as_ref()?;
                layout.fields.get(field as usize)?.type_align
            }
            _ => None,
        }
    }

    /// The type of an expression, for a declaration.
    pub(super) fn type_of(&mut self, expr: ExprId) -> TypeId {
        let ty = self.ty(expr);
        let value_type = self.value_type(expr);
        let unsupported = match &self.hir(expr).kind {
            ExprKind::Unsupported(what) if self.is_error(expr) => what.clone(),
            // gcc has objects of three bits, say; we don't.
            _ if value_type != ty => "`typeof` of a bit-field's value".to_string(),
            _ => return ty,
        };
        let name = self.names.intern(&unsupported);
        self.unit.types.intern(CType::Unsupported(name))
    }

    /// The type that a type name names.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Spec {
        let spec = self.specifier_type(&name.specs, false);
        let attributes = self.attributes(&name.specs.attrs);
        let spec = Spec {
            align: attributes.align.or(spec.align),
            ..spec
        };
        let (ty, align) = self.declared_type(spec, &name.declarator, &attributes);
        Spec { ty, align }
    }

    /// The type of a declarator with its attributes, and the alignment that its type's typedef asks for.
    pub(super) fn declared_type(
        &mut self,
        spec: Spec,
        declarator: &Declarator,
        attributes: &Attributes,
    ) -> (QualType, Option<u64>) {
        let mut base = spec.ty;
        if let Some(mode) = attributes.mode {
            match declarator.derived.last() {
                None => base.ty = self.apply_mode(base.ty, mode),
                // It speaks of the pointer itself, whose width is given.
                Some(Derived::Pointer(_)) => {}
                Some(_) => self.error(declarator.span, "only a number can have a mode"),
            }
        }
        if attributes.vector {
            base.ty = self.vector_type();
        }
        let ty = self.derive(base, &declarator.derived, declarator.span);
        let only_arrays = declarator
            .derived
            .iter()
            .all(|part| matches!(part, Derived::Array(_)));
        (ty, spec.align.filter(|_| only_arrays))
    }

    /// Applies derivations to a base type.
    pub(super) fn derive(&mut self, base: QualType, derived: &[Derived], span: Span) -> QualType {
        let mut ty = base;
        for part in derived {
            ty = match part {
                Derived::Pointer(quals) => QualType {
                    ty: self.unit.types.pointer_to(ty),
                    quals: *quals,
                },
                Derived::Array(size) => self.array_of(ty, size, span),
                Derived::Function(function) => {
                    let params = self.prototype(function);
                    self.function_returning(ty, function, params, span)
                }
            };
            if self.unit.types.depth(ty.ty) > MAX_TYPE_DEPTH {
                self.error(span, "the type nests too deeply");
                return self.error_type();
            }
        }
        ty
    }

    fn array_of(&mut self, element: QualType, size: &ArraySize, span: Span) -> QualType {
        let types = &self.unit.types;
        let problem = match types.get(element.ty) {
            CType::Error => return self.error_type(),
            CType::Function(_) => Some("an array of functions"),
            CType::Void => Some("an array of `void`"),
            _ if types.is_complete(element.ty) => None,
            _ => Some("an array whose elements have an incomplete type"),
        };
        if let Some(problem) = problem {
            self.error(span, format!("this declares {problem}"));
            return self.error_type();
        }
        let len = match size {
            ArraySize::Unspecified => ArrayLen::Incomplete,
            ArraySize::Star if self.prototype_depth > 0 => ArrayLen::Unspecified,
            ArraySize::Star => {
                self.error(span, "`[*]` can only stand in a prototype");
                return self.error_type();
            }
            ArraySize::Expr(expr) => match self.array_length(*expr) {
                Ok(len) => len,
                Err(instead) => return QualType::plain(instead),
            },
        };
        let ty = self.unit.types.intern(CType::Array(element, len));
        if let ArrayLen::Known(count) = len {
            let limit = self.unit.types.model.ptrdiff_type().max_bits();
            let size = self.unit.types.size_of(element.ty).unwrap_or(0);
            if u128::from(size).saturating_mul(u128::from(count)) > limit {
                self.error(span, "the array is too large");
                return self.error_type();
            }
        }
        QualType::plain(ty)
    }

    /// The length of an array, or the type that stands for an array whose length can't be had.
    fn array_length(&mut self, expr: crate::ast::ExprId) -> Result<ArrayLen, TypeId> {
        let error = self.unit.types.basic.error;
        let span = self.ast.exprs[expr].span;
        let value = self.rvalue(expr);
        if self.is_error(value) {
            return Err(self.type_of(value));
        }
        if !self.unit.types.is_integer(self.ty(value)) {
            let shown = self.show(self.ty(value));
            self.error(
                span,
                format!("the length of an array can't have type `{shown}`"),
            );
            return Err(error);
        }
        if let Some(count) = self.fold_integer(value) {
            return match u64::try_from(count) {
                Ok(count) => Ok(ArrayLen::Known(count)),
                Err(_) => {
                    self.error(span, "the length of the array is negative or too large");
                    Err(error)
                }
            };
        }
        if self.prototype_depth > 0 {
            return Ok(ArrayLen::Unspecified);
        }
        if !self.in_function() {
            self.error(
                span,
                "the length of an array at file level must be constant",
            );
            return Err(error);
        }
        let size_type = self.unit.types.basic.size;
        let value = self.convert(value, size_type);
        let local = self.temporary(size_type, span);
        let place = self.push(ExprKind::Local(local), size_type, span);
        let assignment = self.push(ExprKind::Assign { place, value }, size_type, span);
        self.unit.body.pending_lengths.push(assignment);
        Ok(ArrayLen::Variable(local))
    }

    /// A function type with these parameters.
    pub(super) fn function_returning(
        &mut self,
        result: QualType,
        function: &FunctionDeclarator,
        params: Vec<TypeId>,
        span: Span,
    ) -> QualType {
        let problem = match self.unit.types.get(result.ty) {
            CType::Error => return self.error_type(),
            CType::Function(_) => Some("a function"),
            CType::Array(..) => Some("an array"),
            _ => None,
        };
        if let Some(problem) = problem {
            self.error(span, format!("a function can't return {problem}"));
            return self.error_type();
        }
        let ty = CType::Function(FunctionType {
            result: result.ty,
            params,
            variadic: function.variadic,
            unspecified: function.unspecified,
        });
        QualType::plain(self.unit.types.intern(ty))
    }

    /// The parameter types of a declarator without a body.
    fn prototype(&mut self, function: &FunctionDeclarator) -> Vec<TypeId> {
        if function.params.is_empty() {
            return Vec::new();
        }
        self.unit.scopes.open();
        self.prototype_depth += 1;
        let mut params = Vec::with_capacity(function.params.len());
        for param in &function.params {
            let (ty, _) = self.param_type(param);
            params.push(ty.ty);
            if let Some(name) = param.declarator.name {
                let names = &mut self.unit.scopes.ordinary;
                let binding = Binding::PrototypeParam(ty.ty);
                names.declare(name, binding, param.declarator.span);
            }
        }
        self.prototype_depth -= 1;
        self.unit.scopes.close();
        params
    }

    /// The type of a parameter: arrays and functions are pointers to their element or to themselves.
    pub(super) fn param_type(&mut self, param: &ParamDecl) -> (QualType, Option<u64>) {
        let spec = self.specifier_type(&param.specs, false);
        let attributes = self.attributes(&param.specs.attrs);
        let (ty, align) = self.declared_type(spec, &param.declarator, &attributes);
        if matches!(self.unit.types.get(ty.ty), CType::Void) {
            self.error(param.span, "a parameter can't have type `void`");
            return (self.error_type(), None);
        }
        (self.adjusted(ty), attributes.align.or(align))
    }

    /// What a parameter of this type really is.
    pub(super) fn adjusted(&mut self, ty: QualType) -> QualType {
        match self.unit.types.get(ty.ty) {
            &CType::Array(element, _) => QualType::plain(self.unit.types.pointer_to(element)),
            CType::Function(_) => QualType::plain(self.unit.types.pointer_to(ty)),
            _ => ty,
        }
    }
}
