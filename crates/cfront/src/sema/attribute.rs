//! What attributes mean. Those that change nothing that a program can observe are passed over; those that gcc doesn't
//! know are, too, but not without a word.

use rhumb_program::{DataModel, Type};

use super::Sema;
use super::attribute_names::{
    OptionEffect, is_harmless, is_run_section, optimize_effect, target_effect,
};
use crate::ast::{self, Alignas, Attribute, ExprKind as AstExpr};
use crate::ctypes::{CType, FloatKind, IntKind, TypeId};
use crate::diagnostic::Diagnostic;
use crate::intern::Symbol;

/// The attributes of one declaration or type that matter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attributes {
    pub(super) packed: bool,
    /// The greatest alignment that was asked for, in bytes.
    pub(super) align: Option<u64>,
    pub(super) noreturn: bool,
    pub(super) transparent_union: bool,
    pub(super) gnu_inline: bool,
    pub(super) mode: Option<Symbol>,
    /// `vector_size`: the type is a vector.
    pub(super) vector: bool,
    /// The priority of a constructor.
    pub(super) constructor: Option<u32>,
    /// The priority of a destructor.
    pub(super) destructor: Option<u32>,
    pub(super) weak: bool,
    /// Not an attribute, but what `_Thread_local` says.
    pub(super) thread_local: bool,
    /// `pure` or `const`.
    pub(super) pure: bool,
    /// `alias`, `weakref`: the symbol that it is another name of.
    pub(super) alias: Option<Symbol>,
    /// To give back null is undefined.
    pub(super) returns_nonnull: bool,
    /// What it lies in is run by the loader.
    pub(super) is_run_by_loader: bool,
    /// An attribute that gives the declaration a meaning that we don't handle.
    pub(super) unsupported: Option<&'static str>,
}

impl Sema<'_> {
    /// Reads attributes.
    pub(super) fn attributes(&mut self, list: &[Attribute]) -> Attributes {
        let mut result = Attributes::default();
        self.add_attributes(&mut result, list);
        result
    }

    /// Reads further attributes of the same declaration.
    pub(super) fn add_attributes(&mut self, result: &mut Attributes, list: &[Attribute]) {
        for attribute in list {
            match &*self.names.name(attribute.name).clone() {
                "packed" => result.packed = true,
                "noreturn" => result.noreturn = true,
                "transparent_union" => result.transparent_union = true,
                "gnu_inline" => result.gnu_inline = true,
                "constructor" => {
                    let priority = attribute.args.first().copied();
                    result.constructor = Some(self.priority(priority));
                }
                "destructor" => {
                    let priority = attribute.args.first().copied();
                    result.destructor = Some(self.priority(priority));
                }
                "pure" | "const" => result.pure = true,
                "weak" => result.weak = true,
                "weakref" => {
                    result.weak = true;
                    result.alias = self.symbol_argument(attribute).or(result.alias);
                }
                "alias" => result.alias = self.symbol_argument(attribute),
                "returns_nonnull" => result.returns_nonnull = true,
                "vector_size" => result.vector = true,
                "ifunc" => result.unsupported = Some("attribute `ifunc`"),
                "cleanup" => result.unsupported = Some("attribute `cleanup`"),
                "copy" => result.unsupported = Some("attribute `copy`"),
                "naked" => result.unsupported = Some("attribute `naked`"),
                "interrupt" => result.unsupported = Some("attribute `interrupt`"),
                "target_clones" => result.unsupported = Some("attribute `target_clones`"),
                "noinit" => result.unsupported = Some("attribute `noinit`"),
                "persistent" => result.unsupported = Some("attribute `persistent`"),
                "ms_struct" => result.unsupported = Some("attribute `ms_struct`"),
                "scalar_storage_order" => {
                    if self.string_argument(attribute, 0).as_deref() != Some("little-endian") {
                        result.unsupported = Some("attribute `scalar_storage_order`");
                    }
                }
                "section" => {
                    let section = self.string_argument(attribute, 0);
                    result.is_run_by_loader |=
                        section.is_none_or(|section| is_run_section(&section));
                }
                "optimize" => {
                    let effect = self.options_effect(attribute, optimize_effect);
                    if self.note_option(effect) {
                        result.unsupported = Some("attribute `optimize` with this option");
                    }
                }
                "target" => {
                    let effect = self.options_effect(attribute, target_effect);
                    if self.note_option(effect) {
                        result.unsupported = Some("attribute `target` with this option");
                    }
                }
                "mode" => {
                    let argument = attribute.args.first().map(|&arg| &self.ast.exprs[arg].kind);
                    if let Some(AstExpr::Ident(mode)) = argument {
                        result.mode = Some(*mode);
                    }
                }
                "aligned" => {
                    let align = match attribute.args.first() {
                        // Without an argument: the greatest alignment that the machine has a use for.
                        None => Some(16),
                        Some(&arg) => self.alignment(arg),
                    };
                    result.align = result.align.max(align);
                }
                name if is_harmless(name) => {}
                _ => self.unknown_attribute(attribute),
            }
        }
    }

    /// Says once that an attribute is passed over.
    fn unknown_attribute(&mut self, attribute: &Attribute) {
        if self.unit.unknown_attributes.insert(attribute.name) {
            let name = self.names.name(attribute.name);
            let message = format!("unknown attribute `{name}`");
            self.diags.push(
                Diagnostic::warning(attribute.span, message).with_label("passed over, as gcc does"),
            );
        }
    }

    /// An argument that is a string.
    fn string_argument(&self, attribute: &Attribute, index: usize) -> Option<String> {
        match &self.ast.exprs[*attribute.args.get(index)?].kind {
            AstExpr::Str(literal) => Some(literal.text()),
            _ => None,
        }
    }

    /// The name of a symbol that an attribute has as its argument.
    fn symbol_argument(&mut self, attribute: &Attribute) -> Option<Symbol> {
        let name = self.string_argument(attribute, 0)?;
        Some(self.names.intern(&name))
    }

    /// What the options of `optimize` or `target` change.
    fn options_effect(
        &mut self,
        attribute: &Attribute,
        effect: fn(&str) -> OptionEffect,
    ) -> OptionEffect {
        let mut strongest = OptionEffect::Nothing;
        for (index, &arg) in attribute.args.iter().enumerate() {
            let text = match self.string_argument(attribute, index) {
                Some(text) => text,
                // `optimize(2)`.
                None => match self.integer_constant(arg, "the level of optimisation") {
                    Some(level) => level.min(3).to_string(),
                    None => continue,
                },
            };
            strongest = strongest.max(effect(&text));
        }
        strongest
    }

    /// Takes note of what an option of the compiler changes. Gives whether it is something that we don't handle.
    pub(super) fn note_option(&mut self, effect: OptionEffect) -> bool {
        self.unit.optimises |= effect == OptionEffect::Optimises;
        effect == OptionEffect::Meaning
    }

    /// The greatest alignment that `_Alignas` asks for. Zero asks for nothing.
    pub(super) fn alignas(&mut self, list: &[Alignas]) -> Option<u64> {
        let mut result = None;
        for item in list {
            let align = match item {
                Alignas::Expr(expr) => self.alignment(*expr),
                Alignas::Type(name) => {
                    let spec = self.type_name(name);
                    spec.align.or_else(|| self.record_align(spec.ty.ty))
                }
            };
            result = result.max(align);
        }
        result
    }

    /// Without a priority a constructor runs after those that have one, and a destructor before them (65535 is the greatest).
    fn priority(&mut self, expr: Option<ast::ExprId>) -> u32 {
        expr.and_then(|expr| self.integer_constant(expr, "the priority"))
            .and_then(|value| u32::try_from(value).ok())
            .unwrap_or(u32::from(u16::MAX))
    }

    fn alignment(&mut self, expr: ast::ExprId) -> Option<u64> {
        let span = self.ast.exprs[expr].span;
        let value = self.integer_constant(expr, "the alignment")?;
        match u64::try_from(value) {
            Ok(0) => None,
            Ok(value) if value.is_power_of_two() && value <= 1 << 28 => Some(value),
            _ => {
                self.error(span, format!("the alignment {value} is not a power of two"));
                None
            }
        }
    }

    /// The type that `__attribute__((mode(...)))` makes of a type.
    pub(super) fn apply_mode(&mut self, ty: TypeId, mode: Symbol) -> TypeId {
        let unsigned = match self.unit.types.scalar(ty) {
            Some(Type::Int(int)) => !int.signed,
            Some(Type::Bool) => true,
            _ => false,
        };
        let name = self.names.name(mode).clone();
        let kind = match name.trim_matches('_') {
            "SF" => return self.unit.types.float(FloatKind::Float),
            "DF" => return self.unit.types.float(FloatKind::Double),
            "XF" => return self.unit.types.float(FloatKind::LongDouble),
            "TF" => return self.unit.types.float(FloatKind::Float128),
            other => match self.mode_kind(mode) {
                Some(kind) => kind,
                None => {
                    let name = self.names.intern(&format!("mode {other}"));
                    return self.unit.types.intern(CType::Unsupported(name));
                }
            },
        };
        let kind = if unsigned { kind.to_unsigned() } else { kind };
        self.unit.types.int(kind)
    }

    /// The signed integer type of a mode.
    pub(super) fn mode_kind(&self, mode: Symbol) -> Option<IntKind> {
        let lp64 = self.unit.types.model == DataModel::Lp64;
        Some(match self.names.name(mode).trim_matches('_') {
            "QI" | "byte" => IntKind::SChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" if lp64 => IntKind::Long,
            "DI" => IntKind::LongLong,
            "TI" => IntKind::Int128,
            "word" | "pointer" | "unwind_word" if lp64 => IntKind::Long,
            "word" | "pointer" | "unwind_word" => IntKind::Int,
            _ => return None,
        })
    }

    /// The type that `vector_size` makes of any type.
    pub(super) fn vector_type(&mut self) -> TypeId {
        let name = self.names.intern("vector type");
        self.unit.types.intern(CType::Unsupported(name))
    }
}
