//! C types as a person writes them, for messages.

use super::{ArrayLen, CType, FloatKind, FunctionType, IntKind, QualType, TypeId, TypeTable};
use crate::ast::Quals;
use crate::intern::Interner;

impl TypeTable {
    /// The type as C text.
    pub(crate) fn display(&self, ty: TypeId, names: &Interner) -> String {
        self.display_qualified(QualType::plain(ty), names)
    }

    /// The type with its qualifiers as C text.
    pub(crate) fn display_qualified(&self, ty: QualType, names: &Interner) -> String {
        self.declare(ty, String::new(), names, 0)
    }

    /// C text that declares `inner` with this type; declarators grow from the inside to the outside.
    fn declare(&self, ty: QualType, inner: String, names: &Interner, depth: u32) -> String {
        if depth > 32 {
            return format!("…{inner}");
        }
        match self.get(ty.ty) {
            CType::Pointer(pointee) => {
                let mut text = String::from("*");
                push_quals(&mut text, ty.quals);
                text.push_str(&inner);
                if matches!(self.get(pointee.ty), CType::Array(..) | CType::Function(_)) {
                    text = format!("({text})");
                }
                self.declare(*pointee, text, names, depth + 1)
            }
            CType::Array(element, len) => {
                let len = match len {
                    ArrayLen::Known(count) => format!("[{count}]"),
                    ArrayLen::Incomplete => "[]".to_string(),
                    ArrayLen::Variable(_) | ArrayLen::Unspecified => "[*]".to_string(),
                };
                self.declare(*element, inner + &len, names, depth + 1)
            }
            CType::Function(function) => {
                let params = self.display_params(function, names, depth);
                self.declare(
                    QualType::plain(function.result),
                    format!("{inner}({params})"),
                    names,
                    depth + 1,
                )
            }
            base => {
                let mut text = String::new();
                push_quals(&mut text, ty.quals);
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(&self.base_name(base, names));
                if !inner.is_empty() {
                    if !inner.starts_with('[') {
                        text.push(' ');
                    }
                    text.push_str(&inner);
                }
                text
            }
        }
    }

    fn display_params(&self, function: &FunctionType, names: &Interner, depth: u32) -> String {
        if function.unspecified {
            return String::new();
        }
        let mut params: Vec<String> = function
            .params
            .iter()
            .map(|&param| self.declare(QualType::plain(param), String::new(), names, depth + 1))
            .collect();
        if function.variadic {
            params.push("...".to_string());
        } else if params.is_empty() {
            params.push("void".to_string());
        }
        params.join(", ")
    }

    fn base_name(&self, ty: &CType, names: &Interner) -> String {
        let tagged = |keyword: &str, tag: Option<crate::intern::Symbol>| match tag {
            Some(tag) => format!("{keyword} {}", names.name(tag)),
            None => format!("{keyword} <anonymous>"),
        };
        match ty {
            CType::Void => "void".to_string(),
            CType::Bool => "_Bool".to_string(),
            CType::Int(kind) => kind.name(),
            CType::Float(kind) => kind.name().to_string(),
            CType::Record(id) => {
                let record = &self.records[*id];
                tagged(record.keyword(), record.tag)
            }
            CType::Enum(id) => tagged("enum", self.enums[*id].tag),
            CType::Unsupported(name) => names.name(*name).to_string(),
            CType::Error | CType::Pointer(_) | CType::Array(..) | CType::Function(_) => {
                "<error>".to_string()
            }
        }
    }
}

fn push_quals(text: &mut String, quals: Quals) {
    let words = [
        (quals.is_const, "const"),
        (quals.is_volatile, "volatile"),
        (quals.is_restrict, "restrict"),
        (quals.is_atomic, "_Atomic"),
    ];
    let mut first = true;
    for (_, word) in words.into_iter().filter(|(set, _)| *set) {
        if !first {
            text.push(' ');
        }
        first = false;
        text.push_str(word);
    }
}

impl IntKind {
    fn name(self) -> String {
        match self {
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned int",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
            IntKind::Field { width, signed } => {
                let sign = if signed { "" } else { "unsigned " };
                return format!("{sign}long long:{width}");
            }
        }
        .to_string()
    }
}

impl FloatKind {
    fn name(self) -> &'static str {
        match self {
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::LongDouble => "long double",
            FloatKind::Float128 => "__float128",
        }
    }
}
