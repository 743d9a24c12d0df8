//! A program of several files, linked as C links: names without linkage and `static` ones belong to their file, a symbol that several files
//! declare is one function or object, and its definition is that of the one file which has it.

use std::mem;

use rhumb_program::Span;
use rustc_hash::FxHashMap;

use super::scope::Linked;
use super::symbols::{Fate, Fates, Symbols};
use super::{Analyzer, first_scopes};
use crate::ctypes::{ArrayLen, CType, FunctionType, QualType, RecordId, TypeId, TypeTable};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::{FunctionId, GlobalId};
use crate::intern::{Interner, Symbol};

/// What a file that has been analysed leaves for the linker.
#[derive(Debug)]
pub(super) struct File {
    /// Its names with linkage.
    linked: FxHashMap<Symbol, Linked>,
    /// What it says about symbols.
    symbols: Symbols,
    /// Whether its definitions stand in for others.
    is_model: bool,
}

/// A symbol as one file has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Export {
    symbol: Symbol,
    linked: Linked,
    is_model: bool,
}

/// Which definition of a symbol counts: the first of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    /// One that stands in for others.
    Model,
    /// Any other.
    Strong,
    /// Weak, or `inline`.
    Weak,
    /// A declaration that says all about the type.
    Declared,
    /// Another declaration.
    Incomplete,
}

impl Analyzer {
    /// The file that is being analysed ends at this offset of the text, and another one begins.
    pub(crate) fn end_file(
        &mut self,
        end: u32,
        is_model: bool,
        names: &mut Interner,
        diags: &mut Diagnostics,
    ) {
        self.complete_tentative_definitions(diags);
        for global in &mut self.globals {
            if global.visible.hi == u32::MAX {
                global.visible.hi = end.max(global.visible.lo);
            }
        }
        self.scopes = first_scopes(&self.types, names);
        let symbols = self.symbols.take();
        self.files.push(File {
            linked: mem::take(&mut self.linked),
            symbols,
            is_model,
        });
    }

    /// Does something with the names of each file as if it were the one that is being analysed.
    pub(super) fn for_each_file(&mut self, mut visit: impl FnMut(&mut Analyzer, bool)) {
        for index in 0..self.files.len() {
            self.swap_file(index);
            let is_model = self.files[index].is_model;
            visit(self, is_model);
            self.swap_file(index);
        }
        visit(self, self.is_model);
    }

    fn swap_file(&mut self, index: usize) {
        let file = &mut self.files[index];
        mem::swap(&mut self.linked, &mut file.linked);
        self.symbols.swap(&mut file.symbols);
    }

    /// The symbols of this file that others can name, in the order of the text.
    pub(super) fn exports(&self, fates: &Fates, is_model: bool) -> Vec<Export> {
        let mut exports: Vec<Export> = Vec::new();
        for (name, linked) in self.in_order() {
            let is_internal = match linked {
                Linked::Function(id) => self.function_states[id].internal,
                Linked::Global(id) => self.global_states[id].internal,
            };
            if is_internal {
                continue;
            }
            exports.push(Export {
                symbol: self.symbols.label(name),
                linked: fates.owner(linked),
                is_model,
            });
        }
        exports
    }

    /// Makes what several files say about a symbol one.
    pub(super) fn join_files(
        &mut self,
        exports: &[Export],
        fates: &mut Fates,
        names: &Interner,
        diags: &mut Diagnostics,
    ) {
        let mut order: Vec<Symbol> = Vec::new();
        let mut by_symbol: FxHashMap<Symbol, Vec<Export>> = FxHashMap::default();
        for &export in exports {
            let list = by_symbol.entry(export.symbol).or_default();
            if list.is_empty() {
                order.push(export.symbol);
            }
            if !list.iter().any(|known| known.linked == export.linked) {
                list.push(export);
            }
        }
        for symbol in order {
            let list = &by_symbol[&symbol];
            if list.len() > 1 {
                self.join_symbol(names.name(symbol), list, fates, diags);
            }
        }
    }

    fn join_symbol(
        &mut self,
        name: &str,
        list: &[Export],
        fates: &mut Fates,
        diags: &mut Diagnostics,
    ) {
        // The first of the best.
        let Some(&owner) = list.iter().min_by_key(|export| self.rank(export)) else {
            return;
        };
        let best = self.rank(&owner);
        for export in list {
            if export.linked == owner.linked || fates.is_settled(export.linked) {
                continue;
            }
            if best <= Rank::Strong && self.rank(export) == best {
                let message = format!("multiple definition of `{name}`");
                let error = Diagnostic::error(self.span_of(export.linked), message)
                    .with_label("defined again here")
                    .with_note(self.span_of(owner.linked), "first defined here");
                diags.push(error);
                continue;
            }
            match (export.linked, owner.linked) {
                (Linked::Function(id), Linked::Function(owner)) => {
                    // A file with an inline definition uses that one, unless a model stands in for it.
                    let is_inline = self.rank(export) == Rank::Weak && !self.functions[id].weak;
                    if !is_inline || best == Rank::Model {
                        self.join_function(id, owner, fates, diags);
                    }
                }
                (Linked::Global(id), Linked::Global(owner)) => {
                    self.join_object(id, owner, fates, diags);
                }
                _ => {
                    let message = format!("`{name}` is a function in one file and an object here");
                    let (function, object) = match export.linked {
                        Linked::Function(_) => (export.linked, owner.linked),
                        Linked::Global(_) => (owner.linked, export.linked),
                    };
                    let error = Diagnostic::error(self.span_of(object), message)
                        .with_note(self.span_of(function), "the function is declared here");
                    diags.push(error);
                }
            }
        }
        if let (Rank::Model, Linked::Function(id)) = (best, owner.linked) {
            self.modelled.push(id);
        }
    }

    fn rank(&self, export: &Export) -> Rank {
        let (is_defined, is_weak, says_all) = match export.linked {
            Linked::Function(id) => {
                let function = &self.functions[id];
                let is_inline = self.function_states[id].inline;
                let has_prototype = matches!(
                    self.types.get(function.ty),
                    CType::Function(ty) if !ty.unspecified
                );
                let is_weak = function.weak || is_inline;
                (function.body.is_some(), is_weak, has_prototype)
            }
            Linked::Global(id) => {
                let global = &self.globals[id];
                let is_complete = self.types.is_complete(global.ty.ty);
                (global.init.is_some(), global.weak, is_complete)
            }
        };
        match (is_defined, is_weak, says_all) {
            (true, _, _) if export.is_model => Rank::Model,
            (true, false, _) => Rank::Strong,
            (true, true, _) => Rank::Weak,
            (false, _, true) => Rank::Declared,
            (false, _, false) => Rank::Incomplete,
        }
    }

    fn span_of(&self, linked: Linked) -> Span {
        match linked {
            Linked::Function(id) => self.functions[id].span,
            Linked::Global(id) => self.globals[id].span,
        }
    }

    fn join_function(
        &mut self,
        id: FunctionId,
        owner: FunctionId,
        fates: &mut Fates,
        diags: &mut Diagnostics,
    ) {
        let (one, other) = (&self.functions[id], &self.functions[owner]);
        let (one_type, other_type) = (QualType::plain(one.ty), QualType::plain(other.ty));
        let fate = if !self.types.is_laid_out_alike(one_type, other_type) {
            self.differs(Linked::Function(id), Linked::Function(owner), diags)
        } else {
            self.same_function(id, owner)
        };
        // All its uses are uses of the other one.
        self.functions[id].body = None;
        fates.functions.insert(id, fate);
    }

    fn join_object(
        &mut self,
        id: GlobalId,
        owner: GlobalId,
        fates: &mut Fates,
        diags: &mut Diagnostics,
    ) {
        let (one, other) = (&self.globals[id], &self.globals[owner]);
        let fate = if !self.types.is_laid_out_alike(one.ty, other.ty) {
            self.differs(Linked::Global(id), Linked::Global(owner), diags)
        } else {
            let (addr_taken, external) = (one.addr_taken, one.external);
            let (align, type_align) = (one.align, one.type_align);
            let owner_object = &mut self.globals[owner];
            owner_object.addr_taken |= addr_taken;
            owner_object.external |= external;
            owner_object.align = owner_object.align.max(align);
            owner_object.type_align = owner_object.type_align.max(type_align);
            Fate::Is(owner)
        };
        self.globals[id].init = None;
        fates.globals.insert(id, fate);
    }

    /// Says that two files have different ideas of a symbol. What a use of it means is not defined (C11 6.2.7).
    fn differs<T>(&self, one: Linked, owner: Linked, diags: &mut Diagnostics) -> Fate<T> {
        let name = match one {
            Linked::Function(id) => &self.functions[id].name,
            Linked::Global(id) => &self.globals[id].name,
        };
        let message = format!("`{name}` is declared with another type than in another file");
        let warning = Diagnostic::warning(self.span_of(one), message)
            .with_label("a use of this has no meaning in C")
            .with_note(self.span_of(owner), "the other declaration is here");
        diags.push(warning);
        Fate::Refused(format!(
            "`{name}`, which another file declares with another type"
        ))
    }
}

impl TypeTable {
    /// Whether two types of different files are the same for compiled code: scalars of the same kind and width, records
    /// with the same members at the same places. (C asks for compatible types, 6.2.7; where a pointer points to, and
    /// how members are called, is not looked at here.)
    fn is_laid_out_alike(&self, a: QualType, b: QualType) -> bool {
        if a.quals.is_volatile != b.quals.is_volatile || a.quals.is_atomic != b.quals.is_atomic {
            return false;
        }
        self.are_alike(a.ty, b.ty)
    }

    fn are_alike(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.scalar(a), self.scalar(b)) {
            (Some(a), Some(b)) => return a == b,
            (None, None) => {}
            _ => return false,
        }
        match (self.get(a), self.get(b)) {
            (&CType::Array(a, a_len), &CType::Array(b, b_len)) => {
                let lengths_differ = matches!(
                    (a_len, b_len),
                    (ArrayLen::Known(a), ArrayLen::Known(b)) if a != b
                );
                !lengths_differ && self.is_laid_out_alike(a, b)
            }
            (&CType::Record(a), &CType::Record(b)) => self.are_records_alike(a, b),
            (CType::Function(a), CType::Function(b)) => self.are_functions_alike(a, b),
            _ => false,
        }
    }

    fn are_records_alike(&self, a: RecordId, b: RecordId) -> bool {
        let (a, b) = (&self.records[a], &self.records[b]);
        if a.is_union != b.is_union {
            return false;
        }
        let (Some(one), Some(other)) = (&a.layout, &b.layout) else {
            return a.tag == b.tag && a.unsupported.is_none() && b.unsupported.is_none();
        };
        one.size == other.size
            && one.align == other.align
            && one.fields.len() == other.fields.len()
            && one.fields.iter().zip(&other.fields).all(|(a, b)| {
                a.offset == b.offset && a.bits == b.bits && self.is_laid_out_alike(a.ty, b.ty)
            })
    }

    /// Whether a call that sees one declaration can be a call of a function that has the other. Without a prototype,
    /// lowering looks at each call.
    fn are_functions_alike(&self, a: &FunctionType, b: &FunctionType) -> bool {
        if !self.are_alike(a.result, b.result) {
            return false;
        }
        if a.unspecified || b.unspecified {
            return true;
        }
        a.variadic == b.variadic
            && a.params.len() == b.params.len()
            && a.params
                .iter()
                .zip(&b.params)
                .all(|(&a, &b)| self.are_alike(a, b))
    }
}
