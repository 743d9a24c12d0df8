//! Which names are types: all that the grammar of C needs to know of the meaning of a program.

use crate::ast::{BasicType, TypeSpec};
use crate::ctypes::{FloatKind, IntKind};
use crate::intern::{Interner, Symbol};

/// What a name means at some place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum NameKind {
    /// Not declared.
    #[default]
    Unknown,
    /// A variable, function, parameter or enumerator.
    Ordinary,
    /// A typedef.
    Typedef,
    /// A type that gcc knows without a declaration: an index of [`BUILTIN_TYPES`]. A typedef may give it another meaning, as
    /// headers written for older compilers do.
    Builtin(u8),
}

impl NameKind {
    /// Whether it names a type.
    pub(super) fn is_type(self) -> bool {
        matches!(self, NameKind::Typedef | NameKind::Builtin(_))
    }
}

/// Types with a name of their own, as gcc has them on x86; `None` for those that we don't handle.
const BUILTIN_TYPES: &[(&str, Option<BasicType>)] = &[
    ("__int128_t", Some(BasicType::Int(IntKind::Int128))),
    ("__uint128_t", Some(BasicType::Int(IntKind::UInt128))),
    ("_Float32", Some(BasicType::Float(FloatKind::Float))),
    ("_Float64", Some(BasicType::Float(FloatKind::Double))),
    ("_Float32x", Some(BasicType::Float(FloatKind::Double))),
    ("_Float64x", Some(BasicType::Float(FloatKind::LongDouble))),
    ("__float80", Some(BasicType::Float(FloatKind::LongDouble))),
    ("_Float128", Some(BasicType::Float(FloatKind::Float128))),
    ("__float128", Some(BasicType::Float(FloatKind::Float128))),
    ("__CPROVER_bool", Some(BasicType::Bool)),
    ("__CPROVER_size_t", Some(BasicType::Int(IntKind::ULong))),
    ("_Float16", None),
    ("__bf16", None),
];

/// The type that a [`NameKind::Builtin`] stands for.
pub(super) fn builtin_type(index: u8) -> TypeSpec {
    match BUILTIN_TYPES[index as usize] {
        (_, Some(basic)) => TypeSpec::Basic(basic),
        (name, None) => TypeSpec::Unsupported(name.to_owned()),
    }
}

/// The names in scope. Inner declarations hide outer ones until their scope ends.
#[derive(Debug)]
pub(super) struct Scopes {
    kinds: Vec<NameKind>,
    /// What to restore at the end of a scope.
    undo: Vec<(Symbol, NameKind)>,
    /// Length of `undo` at the start of each open scope.
    open: Vec<usize>,
}

impl Scopes {
    /// The scope of the file, with the names that are declared from the start: the built-in types and `__builtin_va_list`.
    pub(super) fn new(interner: &mut Interner) -> Scopes {
        let mut scopes = Scopes {
            kinds: Vec::new(),
            undo: Vec::new(),
            open: Vec::new(),
        };
        for (index, (name, _)) in BUILTIN_TYPES.iter().enumerate() {
            scopes.declare(interner.intern(name), NameKind::Builtin(index as u8));
        }
        scopes.declare(interner.intern("__builtin_va_list"), NameKind::Typedef);
        scopes
    }

    /// What a name means now.
    #[inline]
    pub(super) fn kind(&self, name: Symbol) -> NameKind {
        self.kinds.get(name.index()).copied().unwrap_or_default()
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: Symbol, kind: NameKind) {
        let index = name.index();
        if self.kinds.len() <= index {
            self.kinds.resize(index + 1, NameKind::Unknown);
        }
        let known = std::mem::replace(&mut self.kinds[index], kind);
        if known != kind && !self.open.is_empty() {
            self.undo.push((name, known));
        }
    }

    /// Opens a scope.
    pub(super) fn push(&mut self) {
        self.open.push(self.undo.len());
    }

    /// Closes the innermost scope.
    pub(super) fn pop(&mut self) {
        let start = self.open.pop().unwrap_or(0);
        while self.undo.len() > start {
            if let Some((name, kind)) = self.undo.pop() {
                self.kinds[name.index()] = kind;
            }
        }
    }
}
