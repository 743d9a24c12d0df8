//! How types are written: each type has several spellings, and declarators nest inside out.

use super::Generator;
use super::types::{IntTy, Ty};
use crate::feature::Feature;
use crate::model::{FloatKind, IntKind};

impl Generator {
    /// The declaration of `declarator` with type `ty`, without initialiser: `int (*p)[3]`.
    pub(crate) fn declaration(&mut self, ty: &Ty, declarator: &str) -> String {
        match ty {
            Ty::Int(int) => join(&self.int_spelling(int), declarator),
            Ty::Float(FloatKind::Float) => {
                self.mark(Feature::Float);
                join("float", declarator)
            }
            Ty::Float(FloatKind::Double) => {
                self.mark(Feature::Double);
                join("double", declarator)
            }
            Ty::Record(index) => join(&self.record_spelling(*index), declarator),
            Ty::Array(element, length) => {
                let declarator = format!("{declarator}[{length}]");
                self.declaration(&element.clone(), &declarator)
            }
            Ty::Pointer(pointer) => {
                let pointer = pointer.clone();
                let star = match &pointer.pointee {
                    Ty::Array(..) => format!("(*{declarator})"),
                    _ => format!("*{declarator}"),
                };
                let text = self.declaration(&pointer.pointee, &star);
                // A const in front of a pointer type would qualify what that pointer points to.
                let qualifies_pointee = !matches!(pointer.pointee, Ty::Pointer(_));
                if pointer.read_only && qualifies_pointee {
                    format!("const {text}")
                } else {
                    text
                }
            }
        }
    }

    /// The name of `ty` as in a cast.
    pub(crate) fn type_name(&mut self, ty: &Ty) -> String {
        self.declaration(ty, "")
    }

    /// One of the spellings of an integer type, its enumeration or a typedef.
    pub(crate) fn int_spelling(&mut self, ty: &IntTy) -> String {
        match ty.enumeration {
            Some(index) => format!("enum {}", self.enumerations[index].tag),
            None => self.kind_spelling(ty.kind),
        }
    }

    /// One of the spellings of a basic integer type.
    pub(crate) fn kind_spelling(&mut self, kind: IntKind) -> String {
        self.mark_kind(kind);
        let named: Vec<String> = self
            .typedefs
            .iter()
            .filter(|(typedef, name)| *typedef == kind && !self.is_hidden(name))
            .map(|(_, name)| name.clone())
            .collect();
        if !named.is_empty() && self.rng.percent(40) {
            self.mark(Feature::Typedef);
            return self.rng.pick(&named).clone();
        }
        let spellings: &[&str] = match kind {
            IntKind::Bool => &["_Bool"],
            IntKind::Char => &["char"],
            IntKind::SChar => &["signed char"],
            IntKind::UChar => &["unsigned char"],
            IntKind::Short => &["short", "short int", "signed short"],
            IntKind::UShort => &["unsigned short", "unsigned short int"],
            IntKind::Int => &["int", "int", "int", "signed", "signed int"],
            IntKind::UInt => &["unsigned", "unsigned int"],
            IntKind::Long => &["long", "long int", "signed long", "int long"],
            IntKind::ULong => &["unsigned long", "unsigned long int", "long unsigned"],
            IntKind::LLong => &["long long", "long long int", "signed long long"],
            IntKind::ULLong => &[
                "unsigned long long",
                "unsigned long long int",
                "long unsigned long",
            ],
            IntKind::Int128 => &["__int128", "signed __int128"],
            IntKind::UInt128 => &["unsigned __int128"],
        };
        (*self.rng.pick(spellings)).to_owned()
    }

    fn record_spelling(&mut self, index: usize) -> String {
        let record = &self.records[index];
        if let Some(name) = &record.typedef_name
            && self.rng.percent(50)
        {
            self.used.insert(Feature::Typedef);
            return name.clone();
        }
        let keyword = if record.is_union { "union" } else { "struct" };
        format!("{keyword} {}", record.tag)
    }
}

fn join(specifiers: &str, declarator: &str) -> String {
    if declarator.is_empty() {
        specifiers.to_owned()
    } else {
        format!("{specifiers} {declarator}")
    }
}
