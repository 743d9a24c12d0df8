//! Declarations, at file level and in blocks.

use std::sync::Arc;

use rhumb_program::Span;

use super::Sema;
use super::attribute::Attributes;
use super::expr::InitRef;
use super::jump::Barrier;
use super::linkage::Declared;
use super::scope::Binding;
use super::types::Spec;
use crate::ast::{DeclSpecs, Declaration, Init, InitDeclarator, Storage, TypeSpec};
use crate::ctypes::{CType, QualType};
use crate::diagnostic::Diagnostic;
use crate::hir::{ExprId, GlobalId, Local, LocalId, LocalInit, Stmt, StmtKind};
use crate::intern::Symbol;

/// One declarator with everything that its declaration says about it.
struct Item<'a> {
    name: Symbol,
    ty: QualType,
    /// Alignment that a typedef among its specifiers asks for.
    type_align: Option<u64>,
    attributes: Attributes,
    storage: Option<Storage>,
    init: Option<InitRef<'a>>,
    label: Option<Symbol>,
    span: Span,
}

impl Item<'_> {
    fn declared(&self) -> Declared<'_> {
        Declared {
            name: self.name,
            ty: self.ty,
            storage: self.storage,
            attributes: &self.attributes,
            label: self.label,
            span: self.span,
        }
    }
}

impl Sema<'_> {
    /// A declaration outside of functions.
    pub(super) fn file_declaration(&mut self, declaration: &Declaration) {
        let Some((spec, shared)) = self.declaration_specs(declaration) else {
            return;
        };
        for declarator in &declaration.declarators {
            let Some(item) = self.item(spec, shared, &declaration.specs, declarator) else {
                continue;
            };
            match (item.storage, self.unit.types.get(item.ty.ty)) {
                (Some(Storage::Typedef), _) => self.declare_typedef(&item),
                (_, CType::Function(_)) => self.declare_function_item(&item),
                (Some(Storage::Register), _) if item.label.is_some() => {
                    let global = self.declare_global(item.declared(), false);
                    let what = "a global register variable".to_string();
                    self.unit.global_states[global].unsupported = Some(what);
                }
                (Some(Storage::Auto | Storage::Register), _) => {
                    self.error(item.span, "`auto` and `register` can't stand at file level");
                }
                _ => self.declare_object(&item),
            }
        }
    }

    /// A declaration in a block; what it does goes to `out`.
    pub(super) fn block_declaration(&mut self, declaration: &Declaration, out: &mut Vec<Stmt>) {
        let Some((spec, shared)) = self.declaration_specs(declaration) else {
            return;
        };
        self.flush_lengths(out);
        for declarator in &declaration.declarators {
            let Some(item) = self.item(spec, shared, &declaration.specs, declarator) else {
                continue;
            };
            self.flush_lengths(out);
            match (item.storage, self.unit.types.get(item.ty.ty)) {
                (Some(Storage::Typedef), _) => self.declare_typedef(&item),
                (_, CType::Function(_)) => self.declare_function_item(&item),
                (Some(Storage::Extern), _) => self.declare_block_extern(&item),
                (Some(Storage::Static), _) => self.declare_static_local(&item, out),
                _ => self.declare_local(&item, out),
            }
        }
    }

    /// The type and attributes that all declarators share; `None` if there is nothing more to do.
    fn declaration_specs(&mut self, declaration: &Declaration) -> Option<(Spec, Attributes)> {
        let specs = &declaration.specs;
        if matches!(specs.ty, TypeSpec::Auto) {
            let error = self.error_type();
            let spec = Spec {
                ty: error,
                align: None,
            };
            return Some((spec, Attributes::default()));
        }
        let lone = declaration.declarators.is_empty();
        let spec = self.specifier_type(specs, lone);
        if lone {
            let declares_tag = matches!(specs.ty, TypeSpec::Record(_) | TypeSpec::Enum(_));
            if !declares_tag && !self.is_error_type(spec.ty.ty) {
                self.warn(declaration.span, "this declares nothing");
            }
            return None;
        }
        let mut shared = self.attributes(&specs.attrs);
        shared.align = shared.align.max(self.alignas(&specs.alignas));
        shared.noreturn |= specs.noreturn;
        Some((spec, shared))
    }

    fn item<'a>(
        &mut self,
        spec: Spec,
        shared: Attributes,
        specs: &DeclSpecs,
        declarator: &'a InitDeclarator,
    ) -> Option<Item<'a>> {
        let mut attributes = shared;
        self.add_attributes(&mut attributes, &declarator.attrs);
        let inner = &declarator.declarator;
        let name = inner.name?;
        let mut init = declarator.init.as_ref().map(InitRef::from);
        let (ty, type_align) = if matches!(specs.ty, TypeSpec::Auto) {
            let (ty, value) = self.auto_type(specs, declarator);
            init = value.map(InitRef::Value);
            (ty, None)
        } else {
            self.declared_type(spec, inner, &attributes)
        };
        attributes.thread_local = specs.thread_local;
        // A thread-local object is a static one.
        let storage = match specs.storage {
            None if specs.thread_local && self.in_function() => Some(Storage::Static),
            storage => storage,
        };
        Some(Item {
            name,
            ty,
            type_align,
            attributes,
            storage,
            init,
            label: declarator.label,
            span: inner.span,
        })
    }

    /// `__auto_type x = e`: the type and the value of `e`.
    fn auto_type(
        &mut self,
        specs: &DeclSpecs,
        declarator: &InitDeclarator,
    ) -> (QualType, Option<ExprId>) {
        match (&declarator.init, &declarator.declarator.derived[..]) {
            (Some(Init::Expr(expr)), []) => {
                let value = self.rvalue(*expr);
                if self.bit_field(value).is_some() {
                    self.error(
                        self.span(value),
                        "`__auto_type` with the value of a bit-field",
                    );
                    return (self.error_type(), None);
                }
                let ty = QualType::plain(self.type_of(value));
                (self.unit.types.qualify(ty, specs.quals), Some(value))
            }
            _ => {
                let span = declarator.declarator.span;
                self.error(span, "`__auto_type` needs a plain name and an initializer");
                (self.error_type(), None)
            }
        }
    }

    /// Array lengths of a declared type are evaluated where it stands.
    pub(super) fn flush_lengths(&mut self, out: &mut Vec<Stmt>) {
        if !self.unit.body.pending_lengths.is_empty() {
            self.unit.body.jumps.enter(Barrier::VariableSize);
        }
        for length in std::mem::take(&mut self.unit.body.pending_lengths) {
            let span = self.span(length);
            out.push(Stmt {
                kind: StmtKind::Expr(length),
                span,
            });
        }
    }

    fn declare_typedef(&mut self, item: &Item<'_>) {
        if item.init.is_some() {
            self.error(item.span, "a typedef can't have an initializer");
        }
        // An attribute of the typedef itself may ask for less than the type that it names.
        let align = item.attributes.align.or(item.type_align);
        let here = self.unit.scopes.ordinary.get_here(item.name).copied();
        if let Some(entry) = here {
            let same = match entry.value {
                Binding::Typedef(ty, _) => self.unit.types.compatible_qualified(ty, item.ty),
                _ => false,
            };
            if !same {
                self.redeclared(item.name, item.span, entry.span);
            }
            return;
        }
        if item.attributes.transparent_union
            && let Some(id) = self.unit.types.as_record(item.ty.ty)
            && self.unit.types.records[id].is_union
        {
            self.unit.transparent_unions.insert(id);
        }
        let binding = Binding::Typedef(item.ty, align);
        let names = &mut self.unit.scopes.ordinary;
        names.declare(item.name, binding, item.span);
    }

    fn declare_function_item(&mut self, item: &Item<'_>) {
        if item.init.is_some() {
            self.error(item.span, "a function can't have an initializer");
        }
        self.declare_function_type(item.declared());
    }

    /// An object at file level.
    fn declare_object(&mut self, item: &Item<'_>) {
        // `extern void symbol;` is a name whose address can be taken.
        let is_void = matches!(self.unit.types.get(item.ty.ty), CType::Void);
        if is_void && item.storage != Some(Storage::Extern) {
            self.error(item.span, "a variable can't have type `void`");
            self.declare_broken(item);
            return;
        }
        if self.is_error_type(item.ty.ty) {
            self.declare_broken(item);
            return;
        }
        let global = self.declare_global(item.declared(), item.init.is_some());
        self.note_type_align(global, item);
        if self.unit.types.is_variable(item.ty.ty) {
            self.error(
                item.span,
                "an object at file level can't have variable size",
            );
            return;
        }
        if let Some(init) = item.init {
            let previous = self.unit.global_states[global].defined.replace(item.span);
            if let Some(previous) = previous {
                let message = format!("`{}` is defined twice", self.names.name(item.name));
                self.diags.push(
                    Diagnostic::error(item.span, message)
                        .with_note(previous, "previous definition is here"),
                );
                return;
            }
            self.initialize_global(global, item.span, init);
        }
    }

    fn note_type_align(&mut self, global: GlobalId, item: &Item<'_>) {
        let object = &mut self.unit.globals[global];
        object.type_align = object.type_align.max(item.type_align);
    }

    /// A name whose type had an error: it exists, so that its uses are no further mistakes.
    fn declare_broken(&mut self, item: &Item<'_>) {
        let text = self.names.name(item.name).clone();
        let global = self.new_global(text, item.ty, item.span);
        let names = &mut self.unit.scopes.ordinary;
        names.declare(item.name, Binding::Global(global), item.span);
    }

    fn initialize_global(&mut self, global: GlobalId, span: Span, init: InitRef<'_>) {
        let mut ty = self.unit.globals[global].ty;
        let initialized = self.static_initializer(&mut ty, init);
        self.unit.globals[global].ty = ty;
        match initialized {
            Some(Ok(pieces)) => self.unit.globals[global].init = Some(pieces),
            Some(Err(what)) => {
                self.unit.globals[global].init = Some(Vec::new());
                self.unit.global_states[global].unsupported = Some(what);
            }
            None => self.unit.globals[global].init = Some(Vec::new()),
        }
        let is_unsupported = self.unit.types.unsupported(ty.ty).is_some();
        if !self.unit.types.is_complete(ty.ty) && !is_unsupported && !self.is_error_type(ty.ty) {
            let shown = self.show(ty.ty);
            self.error(span, format!("the variable has incomplete type `{shown}`"));
        }
    }

    fn declare_block_extern(&mut self, item: &Item<'_>) {
        if item.init.is_some() {
            self.error(
                item.span,
                "a block-scope `extern` can't have an initializer",
            );
        }
        if self.is_error_type(item.ty.ty) {
            self.declare_broken(item);
            return;
        }
        self.declare_global(item.declared(), false);
    }

    /// Reports a name that the innermost scope has already.
    fn check_new_name(&mut self, name: Symbol, span: Span) {
        let here = self.unit.scopes.ordinary.get_here(name);
        if let Some(previous) = here.map(|entry| entry.span) {
            self.redeclared(name, span, previous);
        }
    }

    fn declare_static_local(&mut self, item: &Item<'_>, out: &mut Vec<Stmt>) {
        self.check_new_name(item.name, item.span);
        if self.is_error_type(item.ty.ty) {
            self.declare_broken(item);
            return;
        }
        let function = self.unit.body.function.as_ref();
        let prefix = function.map_or("", |function| &function.name);
        let name: Arc<str> = Arc::from(format!("{prefix}.{}", self.names.name(item.name)));
        let global = self.new_global(name, item.ty, item.span);
        let end = self.block_end();
        let object = &mut self.unit.globals[global];
        object.visible = Span::new(item.span.hi, end);
        object.align = item.attributes.align;
        object.thread_local = item.attributes.thread_local;
        object.type_align = item.type_align;
        object.init = Some(Vec::new());
        let names = &mut self.unit.scopes.ordinary;
        names.declare(item.name, Binding::Global(global), item.span);
        if self.unit.types.is_variable(item.ty.ty) {
            self.error(item.span, "a static object can't have variable size");
            return;
        }
        match item.init {
            Some(init) => self.initialize_global(global, item.span, init),
            None => self.check_complete(item.ty, item.span),
        }
        let mut attribute = item.attributes.unsupported.map(str::to_string);
        if item.attributes.is_run_by_loader {
            self.refuse_program("an object that the loader runs", item.span);
        }
        if item.label.is_some() || item.attributes.alias.is_some() {
            attribute = Some("a static local with a name for the linker".to_string());
        }
        let state = &mut self.unit.global_states[global];
        state.unsupported = state.unsupported.take().or(attribute);
        let problem = state.unsupported.clone().or_else(|| {
            let name = self.unit.types.unsupported(item.ty.ty)?;
            Some(self.names.name(name).to_string())
        });
        if let Some(what) = problem {
            out.push(Stmt {
                kind: StmtKind::Unsupported(what),
                span: item.span,
            });
        }
    }

    fn check_complete(&mut self, ty: QualType, span: Span) {
        if !self.unit.types.is_complete(ty.ty) && !self.is_error_type(ty.ty) {
            let shown = self.show(ty.ty);
            let message = match self.unit.types.get(ty.ty) {
                CType::Void => "a variable can't have type `void`".to_string(),
                _ => format!("the variable has incomplete type `{shown}`"),
            };
            self.error(span, message);
        }
    }

    /// A new local with a name, which is in scope from now on.
    pub(super) fn new_local(&mut self, name: Symbol, ty: QualType, span: Span) -> LocalId {
        let text = self.names.name(name).clone();
        let visible = Span::new(span.hi, self.block_end());
        let local = self.unit.body.locals.push(Local {
            name: text,
            ty,
            addr_taken: false,
            align: None,
            type_align: None,
            span,
            visible,
        });
        let names = &mut self.unit.scopes.ordinary;
        names.declare(name, Binding::Local(local), span);
        local
    }

    fn declare_local(&mut self, item: &Item<'_>, out: &mut Vec<Stmt>) {
        self.check_new_name(item.name, item.span);
        let local = self.new_local(item.name, item.ty, item.span);
        self.unit.body.locals[local].align = item.attributes.align;
        self.unit.body.locals[local].type_align = item.type_align;
        if item.storage == Some(Storage::Register) {
            self.unit.body.registers.insert(local);
        }
        let unsupported = self.unit.types.unsupported(item.ty.ty);
        let unsupported = unsupported.map(|name| self.names.name(name).to_string());
        if let Some(what) = unsupported.or(item.attributes.unsupported.map(str::to_string)) {
            out.push(Stmt {
                kind: StmtKind::Unsupported(what),
                span: item.span,
            });
            return;
        }
        let variable = self.unit.types.is_variable(item.ty.ty);
        let init = match item.init {
            Some(_) if variable => {
                self.error(
                    item.span,
                    "an array of variable length can't be initialized",
                );
                LocalInit::None
            }
            Some(init) => {
                let mut ty = item.ty;
                let init = self.local_initializer(&mut ty, init);
                self.unit.body.locals[local].ty = ty;
                init
            }
            None if variable => {
                let size = self.size_expr(item.ty.ty, item.span);
                LocalInit::Variable { size }
            }
            None => LocalInit::None,
        };
        let ty = self.unit.body.locals[local].ty;
        self.check_complete(ty, item.span);
        self.flush_lengths(out);
        out.push(Stmt {
            kind: StmtKind::Declare { local, init },
            span: item.span,
        });
    }
}
