//! What attributes mean. Those that change nothing that a program can observe are passed over.

use rhumb_program::{DataModel, Type};

use super::Sema;
use crate::ast::{Alignas, Attribute, ExprKind as AstExpr};
use crate::ctypes::{CType, FloatKind, IntKind, TypeId};
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
    /// `pure` or `const`.
    pub(super) pure: bool,
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
            match &**self.names.name(attribute.name) {
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
                "weak" | "weakref" => result.weak = true,
                "pure" | "const" => result.pure = true,
                "vector_size" => result.vector = true,
                "alias" => result.unsupported = Some("attribute `alias`"),
                "ifunc" => result.unsupported = Some("attribute `ifunc`"),
                "cleanup" => result.unsupported = Some("attribute `cleanup`"),
                "ms_struct" => result.unsupported = Some("attribute `ms_struct`"),
                "scalar_storage_order" => {
                    result.unsupported = Some("attribute `scalar_storage_order`");
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
                _ => {}
            }
        }
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
    fn priority(&mut self, expr: Option<crate::ast::ExprId>) -> u32 {
        expr.and_then(|expr| self.integer_constant(expr, "the priority"))
            .and_then(|value| u32::try_from(value).ok())
            .unwrap_or(u32::from(u16::MAX))
    }

    fn alignment(&mut self, expr: crate::ast::ExprId) -> Option<u64> {
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
        let lp64 = self.unit.types.model == DataModel::Lp64;
        let word = if lp64 { IntKind::Long } else { IntKind::Int };
        let name = self.names.name(mode).clone();
        let kind = match name.trim_matches('_') {
            "QI" | "byte" => IntKind::SChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" if lp64 => IntKind::Long,
            "DI" => IntKind::LongLong,
            "TI" => IntKind::Int128,
            "word" | "pointer" | "unwind_word" => word,
            "SF" => return self.unit.types.float(FloatKind::Float),
            "DF" => return self.unit.types.float(FloatKind::Double),
            "XF" => return self.unit.types.float(FloatKind::LongDouble),
            "TF" => return self.unit.types.float(FloatKind::Float128),
            other => {
                let name = self.names.intern(&format!("mode {other}"));
                return self.unit.types.intern(CType::Unsupported(name));
            }
        };
        let kind = if unsigned { kind.to_unsigned() } else { kind };
        self.unit.types.int(kind)
    }

    /// The type that `vector_size` makes of any type.
    pub(super) fn vector_type(&mut self) -> TypeId {
        let name = self.names.intern("vector type");
        self.unit.types.intern(CType::Unsupported(name))
    }
}
