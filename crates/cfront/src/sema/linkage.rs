//! Names with linkage: their declarations in one unit are merged into one object or function each (C11 6.2.2, 6.9.2).

use std::sync::Arc;

use rhumb_program::Span;

use super::attribute::Attributes;
use super::scope::{Binding, Linked};
use super::{Analyzer, Sema};
use crate::ast::Storage;
use crate::ctypes::{ArrayLen, CType, QualType, TypeId};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::{Function, FunctionId, Global, GlobalId};
use crate::intern::Symbol;

/// What the analysis knows about a global beside its [`Global`].
#[derive(Debug, Default)]
pub(super) struct GlobalState {
    /// Where it is defined with an initialiser.
    pub(super) defined: Option<Span>,
    /// Declared without an initialiser and without `extern`.
    tentative: bool,
    pub(super) internal: bool,
    /// Whether it is a string literal.
    pub(super) string: bool,
    /// Whether it stands for a label.
    pub(super) label: bool,
    /// Why it can't be used.
    pub(super) unsupported: Option<String>,
}

/// What the analysis knows about a function beside its [`Function`].
#[derive(Debug, Default)]
pub(super) struct FunctionState {
    defined: Option<Span>,
    /// Defined by GNU's `extern inline`, which a real definition may follow.
    replaceable: bool,
    /// Defined `inline` and nothing else: other files have definitions of their own.
    pub(super) inline: bool,
    pub(super) internal: bool,
    /// Declared by a call or by gcc alone: a real declaration replaces its type.
    implicit: bool,
    /// The priority with which it runs before `main`, if it does.
    constructor: Option<u32>,
    /// The priority with which it runs after `main`, if it does.
    destructor: Option<u32>,
    /// Why it can't be used.
    pub(super) unsupported: Option<&'static str>,
}

impl FunctionState {
    /// Of a function that the program uses without a declaration.
    pub(super) fn implicit() -> FunctionState {
        FunctionState {
            implicit: true,
            ..FunctionState::default()
        }
    }
}

impl Analyzer {
    /// At the end of the file, what was only declared tentatively is defined.
    pub(super) fn complete_tentative_definitions(&mut self, diags: &mut Diagnostics) {
        for (id, global) in self.globals.iter_mut_enumerated() {
            if !self.global_states[id].tentative || global.init.is_some() {
                continue;
            }
            if let &CType::Array(element, ArrayLen::Incomplete) = self.types.get(global.ty.ty) {
                let message = format!("array `{}` is taken to have one element", global.name);
                diags.push(Diagnostic::warning(global.span, message));
                let array = CType::Array(element, ArrayLen::Known(1));
                global.ty.ty = self.types.intern(array);
            }
            if !self.types.is_complete(global.ty.ty)
                && self.types.unsupported(global.ty.ty).is_none()
            {
                let message = format!("the type of `{}` is never completed", global.name);
                diags.push(Diagnostic::error(global.span, message));
            }
            global.init = Some(Vec::new());
        }
    }

    /// Functions marked as constructors run before `main`: those with a low priority number first, otherwise in the order of the text.
    pub(super) fn constructors(&self) -> Vec<FunctionId> {
        self.by_priority(|state| state.constructor)
    }

    /// Functions marked as destructors run after `main`: in the order that is the reverse of that of constructors.
    pub(super) fn destructors(&self) -> Vec<FunctionId> {
        let mut destructors = self.by_priority(|state| state.destructor);
        destructors.reverse();
        destructors
    }

    /// The functions with a body that have such a priority: by priority, then in the order of the text.
    fn by_priority(&self, priority: impl Fn(&FunctionState) -> Option<u32>) -> Vec<FunctionId> {
        let states = self.function_states.iter_enumerated();
        let mut list: Vec<(u32, u32, FunctionId)> = states
            .filter(|(id, _)| self.functions[*id].body.is_some())
            .filter_map(|(id, state)| Some((priority(state)?, state.defined?.lo, id)))
            .collect();
        list.sort_unstable();
        list.into_iter().map(|(.., id)| id).collect()
    }
}

/// A declaration of a name with linkage.
#[derive(Clone, Copy)]
pub(super) struct Declared<'a> {
    pub(super) name: Symbol,
    pub(super) ty: QualType,
    pub(super) storage: Option<Storage>,
    pub(super) attributes: &'a Attributes,
    /// What the linker calls it.
    pub(super) label: Option<Symbol>,
    pub(super) span: Span,
}

impl Sema<'_> {
    /// A new object with static storage.
    pub(super) fn new_global(&mut self, name: Arc<str>, ty: QualType, span: Span) -> GlobalId {
        self.unit.global_states.push(GlobalState::default());
        let read_only = self.is_read_only(ty);
        self.unit.globals.push(Global {
            name,
            ty,
            addr_taken: false,
            read_only,
            align: None,
            type_align: None,
            weak: false,
            thread_local: false,
            external: false,
            init: None,
            span,
            visible: Span::new(span.hi, u32::MAX),
        })
    }

    /// Whether objects of the type can't be written: `const`, or an array of such.
    pub(super) fn is_read_only(&self, ty: QualType) -> bool {
        match self.unit.types.get(ty.ty) {
            CType::Array(element, _) => self.is_read_only(*element),
            _ => ty.quals.is_const,
        }
    }

    pub(super) fn redeclared(&mut self, name: Symbol, span: Span, previous: Span) {
        let message = format!("`{}` is declared again", self.names.name(name));
        self.diags.push(
            Diagnostic::error(span, message)
                .with_label("declared again here")
                .with_note(previous, "first declared here"),
        );
    }

    /// Puts a name with linkage into the innermost scope.
    fn bind_linked(&mut self, name: Symbol, binding: Binding, span: Span) {
        let here = self
            .unit
            .scopes
            .ordinary
            .get_here(name)
            .map(|entry| (entry.value, entry.span));
        let same = match (here, binding) {
            (None, _) => {
                self.unit.scopes.ordinary.declare(name, binding, span);
                return;
            }
            (Some((Binding::Global(a), _)), Binding::Global(b)) => a == b,
            (Some((Binding::Function(a), _)), Binding::Function(b)) => a == b,
            _ => false,
        };
        if !same && let Some((_, previous)) = here {
            self.redeclared(name, span, previous);
        }
    }

    fn conflicting(&mut self, name: Symbol, new: TypeId, old: TypeId, span: Span, previous: Span) {
        let text = self.names.name(name).clone();
        let (new, old) = (self.show(new), self.show(old));
        self.diags.push(
            Diagnostic::error(span, format!("conflicting types for `{text}`"))
                .with_label(format!("declared as `{new}` here"))
                .with_note(previous, format!("and as `{old}` here")),
        );
    }

    /// Checks `static` against what was declared before.
    fn check_linkage(
        &mut self,
        name: Symbol,
        was_internal: bool,
        new: Option<Storage>,
        span: Span,
        previous: Span,
    ) {
        let text = self.names.name(name);
        let message = match (was_internal, new) {
            (false, Some(Storage::Static)) => {
                format!("`{text}` is `static` here and was not before")
            }
            (true, None) => format!("`{text}` was `static` before and is not here"),
            _ => return,
        };
        self.diags.push(
            Diagnostic::error(span, message).with_note(previous, "previous declaration is here"),
        );
    }

    /// Makes a declaration known, to the linker as well. `run` is what is refused if the loader runs it.
    fn bind_declared(&mut self, declared: Declared<'_>, binding: Binding, run: &str) {
        let Declared { name, span, .. } = declared;
        if declared.attributes.is_run_by_loader {
            self.refuse_program(run, span);
        }
        self.note_symbol(name, declared.label, declared.attributes.alias, span);
        self.bind_linked(name, binding, span);
    }

    /// Declares an object with linkage. Its initialiser comes separately.
    pub(super) fn declare_global(&mut self, declared: Declared<'_>, has_init: bool) -> GlobalId {
        let Declared {
            name,
            ty,
            storage,
            attributes,
            span,
            ..
        } = declared;
        let internal = storage == Some(Storage::Static);
        let known = match self.unit.linked.get(&name) {
            Some(&Linked::Global(global)) => Some(global),
            Some(&Linked::Function(function)) => {
                let previous = self.unit.functions[function].span;
                self.redeclared(name, span, previous);
                None
            }
            None => None,
        };
        let global = match known {
            Some(global) => {
                self.merge_global(global, declared);
                global
            }
            None => {
                let text = self.names.name(name).clone();
                let global = self.new_global(text, ty, span);
                self.unit.global_states[global].internal = internal;
                self.unit.globals[global].external = !internal;
                self.unit.linked.insert(name, Linked::Global(global));
                global
            }
        };
        let state = &mut self.unit.global_states[global];
        if storage != Some(Storage::Extern) && !has_init {
            state.tentative = true;
        }
        if let Some(what) = attributes.unsupported {
            state.unsupported = Some(what.to_string());
        }
        let object = &mut self.unit.globals[global];
        object.align = object.align.max(attributes.align);
        object.weak |= attributes.weak;
        object.thread_local |= attributes.thread_local;
        self.bind_declared(
            declared,
            Binding::Global(global),
            "an object that the loader runs",
        );
        global
    }

    fn merge_global(&mut self, global: GlobalId, declared: Declared<'_>) {
        let Declared {
            name,
            ty,
            storage,
            span,
            ..
        } = declared;
        let (old, previous) = (self.unit.globals[global].ty, self.unit.globals[global].span);
        if !self.unit.types.compatible_qualified(old, ty) {
            self.conflicting(name, ty.ty, old.ty, span, previous);
            return;
        }
        let was_internal = self.unit.global_states[global].internal;
        if self.unit.scopes.at_file_level() {
            self.check_linkage(name, was_internal, storage, span, previous);
        }
        let merged = self.unit.types.composite(old.ty, ty.ty);
        let object = &mut self.unit.globals[global];
        object.ty.ty = merged;
        // The place to show is the one that defines it.
        if storage != Some(Storage::Extern) && self.unit.global_states[global].defined.is_none() {
            self.unit.globals[global].span = span;
        }
    }

    /// The function of a name, made with the given type if there is none yet.
    fn find_or_make_function(
        &mut self,
        name: Symbol,
        ty: TypeId,
        span: Span,
    ) -> (FunctionId, bool) {
        match self.unit.linked.get(&name) {
            Some(&Linked::Function(function)) => return (function, false),
            Some(&Linked::Global(global)) => {
                let previous = self.unit.globals[global].span;
                self.redeclared(name, span, previous);
            }
            None => {}
        }
        let text = self.names.name(name).clone();
        let function = self.unit.functions.push(Function::declared(text, ty, span));
        self.unit.function_states.push(FunctionState::default());
        self.unit.linked.insert(name, Linked::Function(function));
        (function, true)
    }

    /// Declares a function.
    pub(super) fn declare_function_type(&mut self, declared: Declared<'_>) -> FunctionId {
        let attributes = declared.attributes;
        let (function, new) =
            self.find_or_make_function(declared.name, declared.ty.ty, declared.span);
        if new {
            let internal = declared.storage == Some(Storage::Static);
            self.unit.function_states[function].internal = internal;
            self.unit.functions[function].external = !internal;
        } else {
            self.merge_function(function, declared);
        }
        let state = &mut self.unit.function_states[function];
        state.implicit = false;
        state.constructor = state.constructor.or(attributes.constructor);
        state.destructor = state.destructor.or(attributes.destructor);
        if attributes.unsupported.is_some() {
            state.unsupported = attributes.unsupported;
        }
        let known = &mut self.unit.functions[function];
        known.noreturn |= attributes.noreturn;
        known.returns_nonnull |= attributes.returns_nonnull;
        known.weak |= attributes.weak;
        known.pure |= attributes.pure;
        let run = "a function in a section that the loader runs";
        self.bind_declared(declared, Binding::Function(function), run);
        function
    }

    fn merge_function(&mut self, function: FunctionId, declared: Declared<'_>) {
        let Declared {
            name,
            ty,
            storage,
            span,
            ..
        } = declared;
        let (old, previous) = (
            self.unit.functions[function].ty,
            self.unit.functions[function].span,
        );
        let state = &mut self.unit.function_states[function];
        if state.implicit {
            state.internal = storage == Some(Storage::Static);
            self.unit.functions[function].external = !state.internal;
            let fits = self.unit.types.compatible(old, ty.ty);
            self.unit.functions[function].ty = ty.ty;
            if !fits && super::library::is_library_name(self.names.name(name)) {
                let message = format!(
                    "`{}` is declared with another type than in the C library",
                    self.names.name(name)
                );
                self.warn(span, message);
            } else if !fits && self.returns_void(ty.ty) {
                // gcc forgives a procedure that was called before it was declared.
                let message = format!(
                    "`{}` was called as a function that returns `int`",
                    self.names.name(name)
                );
                self.warn(span, message);
            } else if !fits {
                self.conflicting(name, ty.ty, old, span, previous);
            }
            return;
        }
        if !self.unit.types.compatible(old, ty.ty) {
            self.conflicting(name, ty.ty, old, span, previous);
            return;
        }
        let was_internal = state.internal;
        // A function without `static` has the linkage it had before.
        if storage == Some(Storage::Static) {
            self.check_linkage(name, was_internal, storage, span, previous);
        }
        self.unit.functions[function].ty = self.unit.types.composite(old, ty.ty);
    }

    fn returns_void(&self, ty: TypeId) -> bool {
        match self.unit.types.get(ty) {
            CType::Function(function) => function.result == self.unit.types.basic.void,
            _ => false,
        }
    }

    /// Notes that a function is being defined; `false` if it was before.
    pub(super) fn define_function(
        &mut self,
        function: FunctionId,
        name: Symbol,
        replaceable: bool,
        span: Span,
    ) -> bool {
        let state = &mut self.unit.function_states[function];
        let before = state.defined.filter(|_| !state.replaceable);
        if let Some(previous) = before {
            let message = format!("`{}` is defined twice", self.names.name(name));
            self.diags.push(
                Diagnostic::error(span, message).with_note(previous, "previous definition is here"),
            );
            return false;
        }
        state.defined = Some(span);
        state.replaceable = replaceable;
        self.unit.functions[function].span = span;
        true
    }
}
