//! Function calls.

use rhumb_program::Span;

use super::Sema;
use super::builtins::is_builtin_name;
use super::convert::Context;
use crate::ast::{self, ExprKind as AstExpr};
use crate::ctypes::{CType, TypeId};
use crate::diagnostic::Diagnostic;
use crate::hir::{Callee, ExprId, ExprKind, FunctionId};

/// The parts of a function type that a call needs.
#[derive(Clone, Copy)]
struct Signature {
    /// The function type itself.
    ty: TypeId,
    result: TypeId,
    params: usize,
    variadic: bool,
    unspecified: bool,
}

impl Sema<'_> {
    pub(super) fn call(&mut self, callee: ast::ExprId, args: &[ast::ExprId], span: Span) -> ExprId {
        let callee_expr = &self.ast.exprs[callee];
        if let AstExpr::Ident(name) = callee_expr.kind
            && self.unit.scopes.ordinary.get(name).is_none()
        {
            let text = self.names.name(name).clone();
            if is_builtin_name(&text) || &*text == "alloca" {
                return self.builtin_call(&text, args, span);
            }
            let callee_span = callee_expr.span;
            self.implicit_function(name, callee_span);
        }
        let callee = self.expr(callee);
        if self.is_error(callee) {
            for &arg in args {
                self.rvalue(arg);
            }
            return callee;
        }
        let target = match self.hir(callee).kind {
            ExprKind::Function(function) => Callee::Function(function),
            ExprKind::Deref(pointer) if matches!(self.ctype(callee), CType::Function(_)) => {
                match self.hir(pointer).kind {
                    ExprKind::Function(function) => Callee::Function(function),
                    _ => Callee::Pointer(pointer),
                }
            }
            _ => Callee::Pointer(self.value(callee)),
        };
        let function_type = match target {
            Callee::Function(function) => Some(self.unit.functions[function].ty),
            Callee::Pointer(pointer) => self
                .unit
                .types
                .pointee(self.ty(pointer))
                .map(|pointee| pointee.ty),
        };
        match function_type.and_then(|ty| self.signature(ty)) {
            Some(signature) => {
                let name = self.callee_name(target);
                self.call_with(target, signature, args, &name, span)
            }
            None => {
                let shown = self.show(self.ty(callee));
                let callee_span = self.span(callee);
                self.diags.push(
                    Diagnostic::error(callee_span, format!("`{shown}` is not a function"))
                        .with_label("called here"),
                );
                self.error_expr(span)
            }
        }
    }

    /// A call of a known function, for the builtins.
    pub(super) fn call_function(
        &mut self,
        function: FunctionId,
        args: &[ast::ExprId],
        span: Span,
    ) -> ExprId {
        let ty = self.unit.functions[function].ty;
        match self.signature(ty) {
            Some(signature) => {
                let name = self.unit.functions[function].name.clone();
                self.call_with(Callee::Function(function), signature, args, &name, span)
            }
            None => self.error_expr(span),
        }
    }

    fn signature(&self, ty: TypeId) -> Option<Signature> {
        match self.unit.types.get(ty) {
            CType::Function(function) => Some(Signature {
                ty,
                result: function.result,
                params: function.params.len(),
                variadic: function.variadic,
                unspecified: function.unspecified,
            }),
            _ => None,
        }
    }

    fn callee_name(&self, callee: Callee) -> std::sync::Arc<str> {
        match callee {
            Callee::Function(function) => self.unit.functions[function].name.clone(),
            Callee::Pointer(_) => std::sync::Arc::from(""),
        }
    }

    fn call_with(
        &mut self,
        callee: Callee,
        signature: Signature,
        args: &[ast::ExprId],
        name: &str,
        span: Span,
    ) -> ExprId {
        let mut values = Vec::with_capacity(args.len());
        let mut failed = None;
        for (index, &arg) in args.iter().enumerate() {
            let value = self.rvalue(arg);
            let value = self.argument(value, signature, index);
            if self.is_error(value) {
                failed = failed.or(Some(value));
            }
            values.push(value);
        }
        let too_few = !signature.unspecified && args.len() < signature.params;
        let too_many =
            !signature.unspecified && !signature.variadic && args.len() > signature.params;
        if too_few || too_many {
            return self.wrong_count(callee, signature, args.len(), name, span);
        }
        if let Some(failed) = failed {
            return failed;
        }
        let result = signature.result;
        if !self.unit.types.is_complete(result) && result != self.unit.types.basic.void {
            let shown = self.show(result);
            return self.fail(
                span,
                format!("the call returns the incomplete type `{shown}`"),
            );
        }
        let kind = ExprKind::Call {
            callee,
            args: values,
        };
        self.place(kind, result, span)
    }

    /// Converts one argument.
    fn argument(&mut self, value: ExprId, signature: Signature, index: usize) -> ExprId {
        let span = self.span(value);
        if index < signature.params && !signature.unspecified {
            let param = match self.unit.types.get(signature.ty) {
                CType::Function(function) => function.params[index],
                _ => self.unit.types.basic.error,
            };
            return self.convert_assign(value, param, Context::Argument(index + 1), span);
        }
        if matches!(self.ctype(value), CType::Void) && !self.is_error(value) {
            return self.fail(span, "a `void` expression has no value to pass");
        }
        self.default_promote(value)
    }

    fn wrong_count(
        &mut self,
        callee: Callee,
        signature: Signature,
        given: usize,
        name: &str,
        span: Span,
    ) -> ExprId {
        let few = given < signature.params;
        let problem = if few { "too few" } else { "too many" };
        let of = if name.is_empty() {
            "this function".to_string()
        } else {
            format!("`{name}`")
        };
        let (wanted, s) = (
            signature.params,
            if signature.params == 1 { "" } else { "s" },
        );
        let at_least = if signature.variadic { "at least " } else { "" };
        let mut diagnostic = Diagnostic::error(span, format!("{problem} arguments to {of}"))
            .with_label(format!(
                "it takes {at_least}{wanted} argument{s}, not {given}"
            ));
        if let Callee::Function(function) = callee {
            let declared = self.unit.functions[function].span;
            diagnostic = diagnostic.with_note(declared, "declared here");
        }
        self.diags.push(diagnostic);
        self.error_expr(span)
    }
}
