//! Semantic analysis: gives every name, type, conversion and constant of the syntax tree its meaning, as gcc does on x86.
//!
//! One external declaration at a time goes in ([`Analyzer::external`]); out comes the typed tree of the whole unit. A
//! mistake in the program is reported once: expressions that have one get
//! [`CType::Error`](crate::ctypes::CType::Error), which fits everywhere. An expression with something that is valid and
//! that we don't handle has the same type and is an [`hir::ExprKind::Unsupported`]; an operation on it *is* it, so that
//! it surfaces at the statement.

mod arith;
mod assembly;
mod assign;
mod atomics;
mod attribute;
mod attribute_names;
mod body;
mod builtins;
mod call;
mod cond;
mod constant;
mod convert;
mod decl;
mod expr;
mod files;
mod float;
mod function;
mod init;
mod jump;
mod label;
mod layout;
mod library;
mod linkage;
mod literal;
mod member;
mod open;
mod query;
mod record;
mod scope;
mod static_init;
mod stmt;
mod suggest;
mod switch;
mod symbols;
mod types;
mod variadic;

#[cfg(test)]
mod tests;

use index_vec::IndexVec;
use rhumb_program::{DataModel, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use self::body::BodyState;
use self::files::File;
use self::linkage::{FunctionState, GlobalState};
use self::scope::{Binding, Linked, Scopes};
pub use self::suggest::closest;
use self::symbols::Symbols;
use crate::ast::{Ast, ExternalDecl};
use crate::ctypes::{QualType, RecordId, TypeId, TypeTable};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::{self, FunctionId, GlobalId};
use crate::intern::{Interner, Symbol};

/// Free stack below which a recursion moves to a new piece of stack, and the size of that piece.
const RED_ZONE: usize = 128 * 1024;
const STACK_PIECE: usize = 2 * 1024 * 1024;

/// What the analysis of a translation unit knows so far.
#[derive(Debug)]
pub(crate) struct Analyzer {
    types: TypeTable,
    globals: IndexVec<GlobalId, hir::Global>,
    global_states: IndexVec<GlobalId, GlobalState>,
    functions: IndexVec<FunctionId, hir::Function>,
    function_states: IndexVec<FunctionId, FunctionState>,
    scopes: Scopes,
    linked: FxHashMap<Symbol, Linked>,
    /// The files before the one that is being analysed.
    files: Vec<File>,
    /// Whether the definitions of the file that is being analysed stand in for others.
    pub(crate) is_model: bool,
    /// Functions whose definition stands in for another one, or for none.
    modelled: Vec<FunctionId>,
    /// Conversions to pointers to functions: from which type, to which.
    to_functions: FxHashSet<(TypeId, TypeId)>,
    /// String literals by element type and contents.
    strings: FxHashMap<(TypeId, Box<[u8]>), GlobalId>,
    /// Unions whose members' types are all accepted for a parameter.
    transparent_unions: FxHashSet<RecordId>,
    /// Names for the linker.
    symbols: Symbols,
    /// Whether gcc is told to optimise somewhere, so that it may know more about values.
    optimises: bool,
    /// Attributes that were said to be unknown already.
    unknown_attributes: FxHashSet<Symbol>,
    /// The function that is being analysed; between functions a place for the expressions of constants.
    body: BodyState,
}

impl Analyzer {
    /// An analysis that has seen nothing yet but the names that gcc declares by itself.
    pub(crate) fn new(model: DataModel, names: &mut Interner) -> Analyzer {
        let types = TypeTable::new(model);
        Analyzer {
            scopes: first_scopes(&types, names),
            types,
            globals: IndexVec::new(),
            global_states: IndexVec::new(),
            functions: IndexVec::new(),
            function_states: IndexVec::new(),
            linked: FxHashMap::default(),
            files: Vec::new(),
            is_model: false,
            modelled: Vec::new(),
            to_functions: FxHashSet::default(),
            strings: FxHashMap::default(),
            transparent_unions: FxHashSet::default(),
            symbols: Symbols::default(),
            optimises: false,
            unknown_attributes: FxHashSet::default(),
            body: BodyState::default(),
        }
    }

    /// Analyses the next external declaration.
    pub(crate) fn external(
        &mut self,
        decl: &ExternalDecl,
        ast: &Ast,
        names: &mut Interner,
        diags: &mut Diagnostics,
    ) {
        self.body.clear();
        let mut sema = Sema {
            unit: self,
            ast,
            names,
            diags,
            prototype_depth: 0,
        };
        match decl {
            ExternalDecl::Function(function) => sema.function_definition(function),
            ExternalDecl::Declaration(declaration) => sema.file_declaration(declaration),
            ExternalDecl::StaticAssert(assertion) => sema.static_assert(assertion),
            ExternalDecl::Asm(template, span) => sema.file_assembly(*template, *span),
        }
    }

    /// The functions so far.
    pub(crate) fn functions(&self) -> &IndexVec<FunctionId, hir::Function> {
        &self.functions
    }

    /// The typed tree, after what can only be said at the end of the file.
    pub(crate) fn finish(mut self, diags: &mut Diagnostics) -> hir::Unit {
        self.complete_tentative_definitions(diags);
        hir::Unit {
            refusals: self.take_refusals(),
            constructors: self.constructors(),
            destructors: self.destructors(),
            modelled: self.modelled,
            to_functions: self.to_functions,
            types: self.types,
            globals: self.globals,
            functions: self.functions,
        }
    }
}

/// The names that every file begins with.
fn first_scopes(types: &TypeTable, names: &mut Interner) -> Scopes {
    let mut scopes = Scopes::default();
    scopes.ordinary.declare(
        names.intern("__builtin_va_list"),
        Binding::Typedef(QualType::plain(types.basic.va_list), None),
        Span::default(),
    );
    scopes
}

/// The analysis of one external declaration.
struct Sema<'a> {
    unit: &'a mut Analyzer,
    ast: &'a Ast,
    names: &'a mut Interner,
    diags: &'a mut Diagnostics,
    /// How many parameter lists without a body we are in.
    prototype_depth: u32,
}

impl Sema<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diags.push(Diagnostic::error(span, message));
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.diags.push(Diagnostic::warning(span, message));
    }

    /// A type as C text, for a message.
    fn show(&self, ty: TypeId) -> String {
        self.unit.types.display(ty, self.names)
    }
}
