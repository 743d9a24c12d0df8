//! What the linker sees. Asm labels, aliases and pragmas give functions and objects other names than those of the text;
//! declarations that turn out to be of one symbol are made one here, when the whole text is known.

use std::sync::Arc;

use rhumb_program::Span;
use rustc_hash::FxHashMap;

use super::scope::Linked;
use super::{Analyzer, Sema};
use crate::ast;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::hir::{Callee, ConstValue, Expr, ExprKind, FunctionId, GlobalId, Refusal, StaticInit};
use crate::intern::{Interner, Symbol};
use crate::lex::UnitPragma;

/// What was said about symbols so far.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    /// What the linker calls a name of the text.
    labels: FxHashMap<Symbol, Symbol>,
    /// Names that stand for another symbol.
    aliases: FxHashMap<Symbol, (Symbol, Span)>,
    /// Names that a pragma makes weak.
    weak: Vec<Symbol>,
    /// Templates of assembly at file level.
    assembly: Vec<(String, Span)>,
    /// What makes the whole program one that we don't handle.
    refusals: Vec<Refusal>,
}

impl Symbols {
    /// What a file has said, and a beginning for the next one. What makes the whole program one that we don't handle stays.
    pub(super) fn take(&mut self) -> Symbols {
        let refusals = std::mem::take(&mut self.refusals);
        let next = Symbols {
            refusals,
            ..Symbols::default()
        };
        std::mem::replace(self, next)
    }

    /// Changes places with what another file has said.
    pub(super) fn swap(&mut self, other: &mut Symbols) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.refusals, &mut other.refusals);
    }

    /// What the linker calls a name of the text.
    pub(super) fn label(&self, name: Symbol) -> Symbol {
        self.labels.get(&name).copied().unwrap_or(name)
    }
}

/// What becomes of the uses of a function or an object.
#[derive(Clone, Debug)]
pub(super) enum Fate<T> {
    /// They are uses of this one.
    Is(T),
    /// They are refused.
    Refused(String),
}

/// The fates of all functions and objects whose uses don't stay as they are.
#[derive(Debug, Default)]
pub(super) struct Fates {
    pub(super) functions: FxHashMap<FunctionId, Fate<FunctionId>>,
    pub(super) globals: FxHashMap<GlobalId, Fate<GlobalId>>,
}

/// A function or an object that is defined nowhere here is known by what the linker calls it, unless that only marks a
/// version of the library's.
fn rename(name: &mut Arc<str>, label: &Arc<str>) {
    let is_version = label.starts_with("__") && label.contains(&**name);
    if !is_version {
        *name = label.clone();
    }
}

impl Sema<'_> {
    /// Assembly at file level.
    pub(super) fn file_assembly(&mut self, template: Option<ast::ExprId>, span: Span) {
        let text = match template.map(|template| &self.ast.exprs[template].kind) {
            Some(ast::ExprKind::Str(literal)) => literal.text(),
            _ => String::new(),
        };
        self.unit.symbols.assembly.push((text, span));
    }

    /// A declaration with a name for the linker, or as another name of a symbol.
    pub(super) fn note_symbol(
        &mut self,
        name: Symbol,
        label: Option<Symbol>,
        alias: Option<Symbol>,
        span: Span,
    ) {
        if let Some(label) = label {
            self.unit.symbols.labels.insert(name, label);
        }
        if let Some(target) = alias {
            self.unit.symbols.aliases.insert(name, (target, span));
        }
    }

    /// Something that the loader runs, which is not a function with an attribute that says so.
    pub(super) fn refuse_program(&mut self, what: &str, span: Span) {
        let what = what.to_owned();
        self.unit.symbols.refusals.push(Refusal { what, span });
    }
}

impl Analyzer {
    /// A pragma that concerns the whole program.
    pub(crate) fn pragma(&mut self, pragma: UnitPragma, span: Span, names: &mut Interner) {
        match pragma {
            UnitPragma::Weak { name, target } => {
                let name = names.intern(&name);
                self.symbols.weak.push(name);
                if let Some(target) = target {
                    let target = names.intern(&target);
                    self.symbols.aliases.insert(name, (target, span));
                }
            }
            UnitPragma::Rename { old, new } => {
                let (old, new) = (names.intern(&old), names.intern(&new));
                self.symbols.labels.entry(old).or_insert(new);
            }
            UnitPragma::Compile { attribute, options } => {
                self.compile_options(attribute, &options, span);
            }
        }
    }

    fn compile_options(&mut self, attribute: &str, options: &[String], span: Span) {
        use super::attribute_names::{OptionEffect, optimize_effect, target_effect};
        for option in options {
            let effect = match attribute {
                "optimize" => optimize_effect(option),
                _ => target_effect(option),
            };
            self.optimises |= effect == OptionEffect::Optimises;
            if effect == OptionEffect::Meaning {
                let what = format!("`#pragma GCC {attribute}` with `{option}`");
                self.symbols.refusals.push(Refusal { what, span });
            }
        }
    }

    /// Makes declarations of one symbol one. Everything that the text declares is known by now.
    pub(crate) fn link(&mut self, names: &mut Interner, diags: &mut Diagnostics) {
        self.complete_tentative_definitions(diags);
        let mut fates = Fates::default();
        let mut assembly = Vec::new();
        self.for_each_file(|unit, _| {
            assembly.append(&mut unit.symbols.assembly);
            unit.set_weak();
            unit.find_aliases(&mut fates, names, diags);
        });
        self.refuse_assembly(&assembly);
        let has_several_files = !self.files.is_empty();
        let mut exports = Vec::new();
        self.for_each_file(|unit, is_model| {
            unit.look_at_assembly(&assembly, &mut fates, names);
            if has_several_files {
                exports.extend(unit.exports(&fates, is_model));
            }
        });
        if has_several_files {
            self.join_files(&exports, &mut fates, names, diags);
            fates.settle();
        }
        self.find_linker_symbols(&mut fates);
        for (id, state) in self.function_states.iter_enumerated() {
            if let Some(what) = state.unsupported {
                let fate = Fate::Refused(what.to_owned());
                fates.functions.insert(id, fate);
            }
        }
        if !fates.functions.is_empty() || !fates.globals.is_empty() {
            self.apply(&fates);
        }
    }

    fn set_weak(&mut self) {
        for name in std::mem::take(&mut self.symbols.weak) {
            match self.linked.get(&name) {
                Some(&Linked::Function(id)) => self.functions[id].weak = true,
                Some(&Linked::Global(id)) => self.globals[id].weak = true,
                None => {}
            }
        }
    }

    /// What makes the whole program one that we don't handle.
    pub(super) fn take_refusals(&mut self) -> Vec<Refusal> {
        std::mem::take(&mut self.symbols.refusals)
    }

    fn is_defined(&self, linked: Linked) -> bool {
        match linked {
            Linked::Function(id) => self.functions[id].body.is_some(),
            Linked::Global(id) => self.globals[id].init.is_some(),
        }
    }

    /// The names with linkage in the order of the text, so that nothing depends on the order of a table.
    pub(super) fn in_order(&self) -> Vec<(Symbol, Linked)> {
        let linked = self.linked.iter();
        let mut declared: Vec<(Symbol, Linked)> =
            linked.map(|(&name, &linked)| (name, linked)).collect();
        declared.sort_unstable_by_key(|&(_, linked)| match linked {
            Linked::Function(id) => (0, id.index()),
            Linked::Global(id) => (1, id.index()),
        });
        declared
    }

    fn find_aliases(&mut self, fates: &mut Fates, names: &Interner, diags: &mut Diagnostics) {
        let symbols = std::mem::take(&mut self.symbols);
        let declared = self.in_order();
        // Who stands for a symbol: its definition, or else the first declaration under that name.
        let label = |name: Symbol| symbols.label(name);
        let mut owners: FxHashMap<Symbol, Linked> = FxHashMap::default();
        for wants_definition in [true, false] {
            for &(name, linked) in &declared {
                let is_alias = symbols.aliases.contains_key(&name);
                if !is_alias && self.is_defined(linked) == wants_definition {
                    owners.entry(label(name)).or_insert(linked);
                }
            }
        }
        for &(name, linked) in &declared {
            let alias = symbols.aliases.get(&name).copied();
            if alias.is_none() && (self.is_defined(linked) || !owners.contains_key(&label(name))) {
                continue;
            }
            let mut target = alias.map_or(label(name), |(target, _)| target);
            // Aliases of aliases; in a circle they end nowhere.
            for _ in 0..symbols.aliases.len() {
                match symbols.aliases.get(&target) {
                    Some(&(next, _)) if !owners.contains_key(&target) => target = next,
                    _ => break,
                }
            }
            let shown = names.name(name);
            if let Some((_, span)) = alias
                && self.is_defined(linked)
            {
                let message = format!("`{shown}` is defined and an alias");
                diags.push(Diagnostic::error(span, message));
                continue;
            }
            let owner = owners.get(&target).copied();
            let absent = || format!("`{shown}`, an alias of `{}`", names.name(target));
            match (linked, owner) {
                (Linked::Function(id), Some(Linked::Function(owner))) => {
                    if id != owner {
                        fates.functions.insert(id, self.same_function(id, owner));
                    } else if target != name {
                        rename(&mut self.functions[id].name, names.name(target));
                    }
                }
                (Linked::Global(id), Some(Linked::Global(owner))) => {
                    if id != owner {
                        fates.globals.insert(id, self.same_object(id, owner));
                    } else if target != name {
                        rename(&mut self.globals[id].name, names.name(target));
                    }
                }
                (Linked::Function(id), _) => {
                    fates.functions.insert(id, Fate::Refused(absent()));
                }
                (Linked::Global(id), _) => {
                    fates.globals.insert(id, Fate::Refused(absent()));
                }
            }
        }
        self.symbols = symbols;
    }

    pub(super) fn same_function(&mut self, id: FunctionId, owner: FunctionId) -> Fate<FunctionId> {
        let (one, other) = (&self.functions[id], &self.functions[owner]);
        // Behind a call of one of them gcc has no code.
        if one.noreturn && !other.noreturn {
            return Fate::Refused(format!("`{}`, an alias that doesn't return", one.name));
        }
        let (addr_taken, external) = (one.addr_taken, one.external);
        self.functions[owner].addr_taken |= addr_taken;
        self.functions[owner].external |= external;
        Fate::Is(owner)
    }

    fn same_object(&mut self, id: GlobalId, owner: GlobalId) -> Fate<GlobalId> {
        let (one, other) = (&self.globals[id], &self.globals[owner]);
        if !self.types.compatible(one.ty.ty, other.ty.ty) {
            return Fate::Refused(format!("`{}`, an alias of another type", one.name));
        }
        let (addr_taken, external) = (one.addr_taken, one.external);
        self.globals[owner].addr_taken |= addr_taken;
        self.globals[owner].external |= external;
        Fate::Is(owner)
    }

    /// Assembly at file level may make the loader run something.
    fn refuse_assembly(&mut self, assembly: &[(String, Span)]) {
        for (text, span) in assembly {
            let is_plain = words(text).all(|word| {
                let makes_names = matches!(
                    word,
                    ".macro" | ".irp" | ".irpc" | ".rept" | ".include" | ".incbin" | ".altmacro"
                );
                !makes_names && !super::attribute_names::is_run_section(word)
            });
            if !is_plain {
                let (what, span) = ("assembly at file level".to_owned(), *span);
                self.symbols.refusals.push(Refusal { what, span });
            }
        }
    }

    /// It may define what is declared.
    fn look_at_assembly(
        &mut self,
        assembly: &[(String, Span)],
        fates: &mut Fates,
        names: &mut Interner,
    ) {
        for word in assembly.iter().flat_map(|(text, _)| words(text)) {
            let name = names.intern(word);
            let what = || format!("`{word}`, which assembly at file level names");
            match self.linked.get(&name) {
                Some(&linked) if self.is_defined(linked) => {}
                Some(&Linked::Function(id)) => {
                    fates.functions.insert(id, Fate::Refused(what()));
                }
                Some(&Linked::Global(id)) => {
                    fates.globals.insert(id, Fate::Refused(what()));
                }
                None => {}
            }
        }
    }

    /// Symbols that only the linker can give an address: where sections and the program begin and end.
    fn find_linker_symbols(&mut self, fates: &mut Fates) {
        for (id, global) in self.globals.iter_enumerated() {
            let is_linkers = global.init.is_none()
                && (global.name.starts_with("__start_")
                    || global.name.starts_with("__stop_")
                    || matches!(
                        &*global.name,
                        "end"
                            | "_end"
                            | "edata"
                            | "_edata"
                            | "etext"
                            | "_etext"
                            | "__bss_start"
                            | "__executable_start"
                            | "__ehdr_start"
                            | "__dso_handle"
                    ));
            if is_linkers {
                let what = format!("`{}`, which the linker defines", global.name);
                fates.globals.insert(id, Fate::Refused(what));
            }
        }
    }

    /// Rewrites every use.
    fn apply(&mut self, fates: &Fates) {
        let bodies = self.functions.iter_mut();
        for expr in bodies
            .filter_map(|function| function.body.as_mut())
            .flat_map(|body| body.exprs.iter_mut())
        {
            fates.rewrite(expr);
        }
        let mut refused: Option<Refusal> = None;
        for global in &mut self.globals {
            let span = global.span;
            for piece in global.init.iter_mut().flatten() {
                let StaticInit::Scalar { value, .. } = piece else {
                    continue;
                };
                let problem = match *value {
                    ConstValue::Bits(_) => None,
                    ConstValue::Function(id) => match fates.functions.get(&id) {
                        None => None,
                        Some(Fate::Is(other)) => {
                            *value = ConstValue::Function(*other);
                            None
                        }
                        Some(Fate::Refused(what)) => Some(what),
                    },
                    ConstValue::Global(id, offset) => match fates.globals.get(&id) {
                        None => None,
                        Some(Fate::Is(other)) => {
                            *value = ConstValue::Global(*other, offset);
                            None
                        }
                        Some(Fate::Refused(what)) => Some(what),
                    },
                };
                if let Some(what) = problem {
                    let what = format!("an initialiser with {what}");
                    refused.get_or_insert(Refusal { what, span });
                }
            }
        }
        self.symbols.refusals.extend(refused);
    }
}

/// The words of assembly.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    text.split(move |c: char| !is_part(c))
}

impl Fates {
    /// Whose uses the uses of a function or an object are.
    pub(super) fn owner(&self, linked: Linked) -> Linked {
        match linked {
            Linked::Function(id) => match self.functions.get(&id) {
                Some(&Fate::Is(owner)) => Linked::Function(owner),
                _ => linked,
            },
            Linked::Global(id) => match self.globals.get(&id) {
                Some(&Fate::Is(owner)) => Linked::Global(owner),
                _ => linked,
            },
        }
    }

    /// Whether it is known what becomes of the uses of a function or an object.
    pub(super) fn is_settled(&self, linked: Linked) -> bool {
        match linked {
            Linked::Function(id) => self.functions.contains_key(&id),
            Linked::Global(id) => self.globals.contains_key(&id),
        }
    }

    /// Who is another one that is a third one is the third one.
    fn settle(&mut self) {
        settle(&mut self.functions);
        settle(&mut self.globals);
    }

    fn rewrite(&self, expr: &mut Expr) {
        let refused = match &mut expr.kind {
            ExprKind::Function(id)
            | ExprKind::Call {
                callee: Callee::Function(id),
                ..
            } => match self.functions.get(id) {
                None => return,
                Some(Fate::Is(other)) => {
                    *id = *other;
                    return;
                }
                Some(Fate::Refused(what)) => what.clone(),
            },
            ExprKind::Global(id) => match self.globals.get(id) {
                None => return,
                Some(Fate::Is(other)) => {
                    *id = *other;
                    return;
                }
                Some(Fate::Refused(what)) => what.clone(),
            },
            _ => return,
        };
        expr.kind = ExprKind::Unsupported(refused);
    }
}

fn settle<T: Copy + Eq + std::hash::Hash>(fates: &mut FxHashMap<T, Fate<T>>) {
    let before = fates.clone();
    for fate in fates.values_mut() {
        // In a circle they end somewhere in it.
        for _ in 0..before.len() {
            match fate {
                Fate::Is(other) if before.contains_key(other) => *fate = before[other].clone(),
                _ => break,
            }
        }
    }
}
