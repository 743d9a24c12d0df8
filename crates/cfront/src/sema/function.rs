//! Function definitions.

use rhumb_program::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Sema;
use super::attribute::Attributes;
use super::body::{BodyState, FunctionContext};
use super::linkage::Declared;
use crate::ast::{
    Declaration, Derived, FunctionDeclarator, FunctionDef, ParamDecl, StmtKind as AstStmt, Storage,
};
use crate::ctypes::{CType, QualType, TypeId};
use crate::diagnostic::Diagnostic;
use crate::hir::{Block, Body, FunctionId, Local, LocalId, Stmt, StmtKind};
use crate::intern::Symbol;

impl Sema<'_> {
    /// A function with its body.
    pub(super) fn function_definition(&mut self, definition: &FunctionDef) {
        let spec = self.specifier_type(&definition.specs, false);
        let mut attributes = self.attributes(&definition.specs.attrs);
        attributes.noreturn |= definition.specs.noreturn;
        let declarator = &definition.declarator;
        let (Some((Derived::Function(function), outer)), Some(name)) =
            (declarator.derived.split_last(), declarator.name)
        else {
            self.error(definition.span, "this is not a function");
            return;
        };
        let result = self.derive(spec.ty, outer, declarator.span);
        let previous = std::mem::take(&mut self.unit.body);
        self.unit.body.block_ends.push(definition.span.hi);
        self.unit.body.function = Some(FunctionContext {
            name: self.names.name(name).clone(),
            result: self.unit.types.basic.error,
            variadic: function.variadic,
            func_name: None,
        });
        self.unit.scopes.open();
        let params = self.definition_params(function, definition);
        let result_type = match self.unit.types.get(result.ty) {
            CType::Error | CType::Function(_) | CType::Array(..) => self.unit.types.basic.error,
            _ => result.ty,
        };
        let ty = self.function_returning(result, function, params, declarator.span);
        let id = if self.is_error_type(ty.ty) {
            None
        } else {
            self.define(definition, name, ty, &attributes)
        };
        if let Some(id) = id {
            if let Some(function) = &mut self.unit.body.function {
                function.result = result_type;
            }
            self.check_result(result_type, declarator.span);
            self.function_body(id, definition);
        }
        self.unit.scopes.close();
        self.unit.body = previous;
    }

    /// Declares the function in the file's scope, although the parameters' scope is open.
    fn define(
        &mut self,
        definition: &FunctionDef,
        name: Symbol,
        ty: QualType,
        attributes: &Attributes,
    ) -> Option<FunctionId> {
        let specs = &definition.specs;
        let span = definition.declarator.span;
        let inner = self.unit.scopes.suspend();
        let storage = match specs.storage {
            Some(Storage::Static) => Some(Storage::Static),
            Some(Storage::Extern) | None => specs.storage,
            Some(Storage::Typedef | Storage::Auto | Storage::Register) => {
                self.error(span, "a function can't have this storage class");
                None
            }
        };
        let id = self.declare_function_type(Declared {
            name,
            ty,
            storage,
            attributes,
            label: None,
            span,
        });
        let gnu_extern_inline =
            specs.inline && attributes.gnu_inline && specs.storage == Some(Storage::Extern);
        let defined = self.define_function(id, name, gnu_extern_inline, span);
        self.unit.function_states[id].inline =
            gnu_extern_inline || (specs.inline && !attributes.gnu_inline && storage.is_none());
        // The definition's own type has the parameters, also where an earlier `()` said less.
        if defined {
            self.unit.functions[id].ty =
                self.unit.types.composite(ty.ty, self.unit.functions[id].ty);
        }
        self.unit.scopes.resume(inner);
        Some(id)
    }

    fn check_result(&mut self, result: TypeId, span: Span) {
        let void = self.unit.types.basic.void;
        if result != void && !self.unit.types.is_complete(result) {
            let shown = self.show(result);
            self.error(
                span,
                format!("the function returns the incomplete type `{shown}`"),
            );
        }
    }

    /// Makes the parameters of a definition; gives their types.
    fn definition_params(
        &mut self,
        function: &FunctionDeclarator,
        definition: &FunctionDef,
    ) -> Vec<TypeId> {
        let knr = !function.kr_names.is_empty();
        let count = if knr {
            function.kr_names.len()
        } else {
            function.params.len()
        };
        // All parameters come first among the locals, before lengths that their types may need.
        for _ in 0..count {
            let error = self.error_type();
            let local = self.temporary(error.ty, Span::default());
            self.unit.body.locals[local].ty = error;
        }
        if knr {
            self.knr_params(function, &definition.kr_params)
        } else {
            let mut types = Vec::with_capacity(count);
            for (index, param) in function.params.iter().enumerate() {
                types.push(self.definition_param(LocalId::from(index), param));
            }
            types
        }
    }

    fn definition_param(&mut self, local: LocalId, param: &ParamDecl) -> TypeId {
        let (ty, type_align) = self.param_type(param);
        let span = param.declarator.span;
        self.set_param(local, param.declarator.name, ty, type_align, span);
        if param.specs.storage == Some(Storage::Register) {
            self.unit.body.registers.insert(local);
        }
        ty.ty
    }

    fn set_param(
        &mut self,
        local: LocalId,
        name: Option<Symbol>,
        ty: QualType,
        type_align: Option<u64>,
        span: Span,
    ) {
        if !self.unit.types.is_complete(ty.ty) && !self.is_error_type(ty.ty) {
            let shown = self.show(ty.ty);
            self.error(span, format!("the parameter has incomplete type `{shown}`"));
        }
        let visible = Span::new(span.hi, self.block_end());
        let text = name.map_or_else(
            || std::sync::Arc::from(""),
            |name| self.names.name(name).clone(),
        );
        self.unit.body.locals[local] = Local {
            name: text,
            ty,
            addr_taken: false,
            align: None,
            type_align,
            span,
            visible,
        };
        let Some(name) = name else {
            return;
        };
        let here = self
            .unit
            .scopes
            .ordinary
            .get_here(name)
            .map(|entry| entry.span);
        if let Some(previous) = here {
            self.redeclared(name, span, previous);
        }
        let binding = super::scope::Binding::Local(local);
        self.unit.scopes.ordinary.declare(name, binding, span);
    }

    /// Parameters in the style of K&R: names first, declarations after them, `int` where there is none. A declaration sees those before
    /// it, so that the length of an array may be a parameter.
    fn knr_params(
        &mut self,
        function: &FunctionDeclarator,
        declarations: &[Declaration],
    ) -> Vec<TypeId> {
        let mut params: FxHashMap<Symbol, LocalId> = FxHashMap::default();
        for (index, &(name, span)) in function.kr_names.iter().enumerate() {
            let entry = params.entry(name).or_insert(LocalId::from(index));
            if *entry != LocalId::from(index) {
                self.redeclared(name, span, function.kr_names[entry.index()].1);
            }
        }
        let declared: FxHashSet<Symbol> = declarations
            .iter()
            .flat_map(|declaration| &declaration.declarators)
            .filter_map(|item| item.declarator.name)
            .collect();
        let int = QualType::plain(self.unit.types.basic.int);
        for (index, &(name, span)) in function.kr_names.iter().enumerate() {
            let local = LocalId::from(index);
            if !declared.contains(&name) && params[&name] == local {
                self.set_param(local, Some(name), int, None, span);
            }
        }
        for declaration in declarations {
            let spec = self.specifier_type(&declaration.specs, declaration.declarators.is_empty());
            let shared = self.attributes(&declaration.specs.attrs);
            for item in &declaration.declarators {
                let Some(name) = item.declarator.name else {
                    continue;
                };
                let (ty, type_align) = self.declared_type(spec, &item.declarator, &shared);
                let ty = self.adjusted(ty);
                let span = item.declarator.span;
                let Some(&local) = params.get(&name) else {
                    let message = format!("`{}` is not a parameter", self.names.name(name));
                    self.error(span, message);
                    continue;
                };
                self.set_param(local, Some(name), ty, type_align, span);
                if declaration.specs.storage == Some(Storage::Register) {
                    self.unit.body.registers.insert(local);
                }
            }
        }
        let locals = self.unit.body.locals.iter().take(function.kr_names.len());
        locals.map(|local| local.ty.ty).collect()
    }

    fn function_body(&mut self, id: FunctionId, definition: &FunctionDef) {
        let ast = self.ast;
        let param_count = match self.unit.types.get(self.unit.functions[id].ty) {
            CType::Function(function) => function.params.len(),
            _ => 0,
        };
        let mut stmts = Vec::new();
        self.flush_lengths(&mut stmts);
        self.unsupported_params(param_count, &mut stmts);
        let body = &ast.stmts[definition.body];
        if let AstStmt::Block(items) = &body.kind {
            self.block_items(items, &mut stmts);
        }
        self.check_labels();
        self.check_jumps();
        let span = body.span;
        let BodyState {
            locals,
            mut exprs,
            labels,
            ..
        } = std::mem::take(&mut self.unit.body);
        exprs.shrink_to_fit();
        self.unit.functions[id].body = Some(Body {
            locals,
            param_count,
            exprs,
            labels,
            block: Block { stmts, span },
            end: Span::new(span.hi.saturating_sub(1).max(span.lo), span.hi),
        });
    }

    /// A parameter of a type that we don't handle makes the function one that we don't handle.
    fn unsupported_params(&mut self, count: usize, out: &mut Vec<Stmt>) {
        for index in 0..count.min(self.unit.body.locals.len()) {
            let local = &self.unit.body.locals[LocalId::from(index)];
            let (ty, span) = (local.ty.ty, local.span);
            if let Some(name) = self.unit.types.unsupported(ty) {
                let what = self.names.name(name).to_string();
                out.push(Stmt {
                    kind: StmtKind::Unsupported(what),
                    span,
                });
            }
        }
    }

    /// Reports labels that are used and not defined.
    fn check_labels(&mut self) {
        let missing: Vec<(Span, String)> = self
            .unit
            .body
            .label_states
            .iter_enumerated()
            .filter(|(_, state)| state.defined.is_none())
            .map(|(id, state)| {
                let name = &self.unit.body.labels[id].name;
                (
                    state.used,
                    format!("label `{name}` is used but not defined"),
                )
            })
            .collect();
        for (span, message) in missing {
            self.diags
                .push(Diagnostic::error(span, message).with_label("no such label"));
        }
    }
}
