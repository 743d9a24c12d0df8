//! Compatible and composite types (C11 6.2.7), arithmetic kinds and their common type.

use super::{
    ArrayLen, CType, FloatKind, FunctionType, IntKind, QualType, RecordId, TypeId, TypeTable,
};
use crate::ast::Quals;

impl QualType {
    /// The type with more qualifiers.
    pub(crate) fn with_quals(self, quals: Quals) -> QualType {
        QualType {
            ty: self.ty,
            quals: self.quals.union(quals),
        }
    }
}

impl Quals {
    /// All qualifiers of both.
    pub(crate) fn union(self, other: Quals) -> Quals {
        Quals {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }

    /// Whether every qualifier of `other` is here, too. (`restrict` says nothing about the object.)
    pub(crate) fn covers(self, other: Quals) -> bool {
        (self.is_const || !other.is_const)
            && (self.is_volatile || !other.is_volatile)
            && (self.is_atomic || !other.is_atomic)
    }
}

impl IntKind {
    /// Conversion rank among types of one width: the greater wins.
    fn rank(self) -> u8 {
        match self {
            IntKind::Field { .. } => 0,
            IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 3,
            IntKind::Long | IntKind::ULong => 4,
            IntKind::LongLong | IntKind::ULongLong => 5,
            IntKind::Int128 | IntKind::UInt128 => 6,
        }
    }

    /// The unsigned kind of the same width and rank.
    pub(crate) fn to_unsigned(self) -> IntKind {
        match self {
            IntKind::Char | IntKind::SChar | IntKind::UChar => IntKind::UChar,
            IntKind::Short | IntKind::UShort => IntKind::UShort,
            IntKind::Int | IntKind::UInt => IntKind::UInt,
            IntKind::Long | IntKind::ULong => IntKind::ULong,
            IntKind::LongLong | IntKind::ULongLong => IntKind::ULongLong,
            IntKind::Int128 | IntKind::UInt128 => IntKind::UInt128,
            IntKind::Field { width, .. } => IntKind::Field {
                width,
                signed: false,
            },
        }
    }
}

impl FloatKind {
    /// The kind to which an operation on both converts.
    pub(crate) fn common(self, other: FloatKind) -> FloatKind {
        let rank = |kind| match kind {
            FloatKind::Float => 0,
            FloatKind::Double => 1,
            FloatKind::LongDouble => 2,
            FloatKind::Float128 => 3,
        };
        if rank(self) >= rank(other) {
            self
        } else {
            other
        }
    }
}

impl TypeTable {
    /// The kind to which an operation on both promoted kinds converts (C11 6.3.1.8).
    pub(crate) fn common_int(&self, a: IntKind, b: IntKind) -> IntKind {
        let (a_type, b_type) = (a.int_type(self.model), b.int_type(self.model));
        if a_type.width != b_type.width {
            return if a_type.width > b_type.width { a } else { b };
        }
        let higher = if a.rank() >= b.rank() { a } else { b };
        if a_type.signed && b_type.signed {
            higher
        } else {
            higher.to_unsigned()
        }
    }

    /// The kind after integer promotion; bit-fields are promoted by their width elsewhere.
    pub(crate) fn promoted_kind(&self, ty: TypeId) -> Option<IntKind> {
        Some(match *self.get(ty) {
            CType::Bool => IntKind::Int,
            CType::Int(kind) => self.promote(kind),
            CType::Enum(id) => self.promote(self.enums[id].kind?),
            _ => return None,
        })
    }

    fn promote(&self, kind: IntKind) -> IntKind {
        let narrow = !matches!(kind, IntKind::Field { .. }) && kind.int_type(self.model).width < 32;
        if narrow { IntKind::Int } else { kind }
    }

    /// Whether two types without their top qualifiers are compatible.
    pub(crate) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (CType::Error, _) | (_, CType::Error) => true,
            (CType::Pointer(a), CType::Pointer(b)) => self.compatible_qualified(*a, *b),
            (CType::Array(a, a_len), CType::Array(b, b_len)) => {
                let lengths_differ = matches!(
                    (a_len, b_len),
                    (ArrayLen::Known(a), ArrayLen::Known(b)) if a != b
                );
                !lengths_differ && self.compatible_qualified(*a, *b)
            }
            (CType::Function(a), CType::Function(b)) => self.compatible_functions(a, b),
            (CType::Enum(id), CType::Int(kind)) | (CType::Int(kind), CType::Enum(id)) => {
                self.enums[*id].kind == Some(*kind)
            }
            _ => false,
        }
    }

    /// Whether two types are compatible and qualified alike.
    pub(crate) fn compatible_qualified(&self, a: QualType, b: QualType) -> bool {
        a.quals.covers(b.quals) && b.quals.covers(a.quals) && self.compatible(a.ty, b.ty)
    }

    fn compatible_functions(&self, a: &FunctionType, b: &FunctionType) -> bool {
        if !self.compatible(a.result, b.result) {
            return false;
        }
        match (a.unspecified, b.unspecified) {
            (false, false) => {
                a.variadic == b.variadic
                    && a.params.len() == b.params.len()
                    && a.params
                        .iter()
                        .zip(&b.params)
                        .all(|(&a, &b)| self.compatible(a, b))
            }
            (true, true) => true,
            (true, false) => self.fits_unspecified(b),
            (false, true) => self.fits_unspecified(a),
        }
    }

    /// Whether default argument promotions leave every parameter type as it is.
    fn fits_unspecified(&self, function: &FunctionType) -> bool {
        !function.variadic
            && function.params.iter().all(|&param| match *self.get(param) {
                CType::Float(kind) => kind != FloatKind::Float,
                CType::Bool => false,
                CType::Int(kind) => self.promote(kind) == kind,
                CType::Enum(id) => self.enums[id]
                    .kind
                    .is_none_or(|kind| self.promote(kind) == kind),
                _ => true,
            })
    }

    /// What two compatible types say together.
    pub(crate) fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b {
            return a;
        }
        match (self.get(a).clone(), self.get(b).clone()) {
            (CType::Error, _) => b,
            (CType::Pointer(a), CType::Pointer(b)) => {
                let pointee = self.composite(a.ty, b.ty);
                self.intern(CType::Pointer(QualType {
                    ty: pointee,
                    quals: a.quals.union(b.quals),
                }))
            }
            (CType::Array(a, a_len), CType::Array(b, b_len)) => {
                let element = self.composite(a.ty, b.ty);
                let len = match (a_len, b_len) {
                    (ArrayLen::Known(_), _)
                    | (ArrayLen::Variable(_), ArrayLen::Unspecified)
                    | (_, ArrayLen::Incomplete) => a_len,
                    _ => b_len,
                };
                let quals = a.quals.union(b.quals);
                self.intern(CType::Array(QualType { ty: element, quals }, len))
            }
            (CType::Function(a), CType::Function(b)) => {
                let result = self.composite(a.result, b.result);
                let mut merged = match (a.unspecified, b.unspecified) {
                    (false, true) => a,
                    (true, false) => b,
                    (true, true) => {
                        if a.params.is_empty() {
                            b
                        } else {
                            a
                        }
                    }
                    (false, false) => {
                        let params = a.params.iter().zip(&b.params);
                        FunctionType {
                            params: params.map(|(&a, &b)| self.composite(a, b)).collect(),
                            ..a
                        }
                    }
                };
                merged.result = result;
                self.intern(CType::Function(merged))
            }
            _ => a,
        }
    }

    /// The record that a type is.
    pub(crate) fn as_record(&self, ty: TypeId) -> Option<RecordId> {
        match self.get(ty) {
            CType::Record(id) => Some(*id),
            _ => None,
        }
    }

    /// What a pointer type points to.
    pub(crate) fn pointee(&self, ty: TypeId) -> Option<QualType> {
        match self.get(ty) {
            CType::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    /// Whether values of the type are integers.
    pub(crate) fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), CType::Bool | CType::Int(_) | CType::Enum(_))
    }

    /// Whether values of the type are numbers.
    pub(crate) fn is_arithmetic(&self, ty: TypeId) -> bool {
        self.is_integer(ty) || matches!(self.get(ty), CType::Float(_))
    }

    /// Whether values of the type are numbers or pointers.
    pub(crate) fn is_scalar(&self, ty: TypeId) -> bool {
        self.is_arithmetic(ty) || matches!(self.get(ty), CType::Pointer(_))
    }

    /// Whether the type is, or is an array of, a variable-length array.
    pub(crate) fn is_variable(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            CType::Array(_, ArrayLen::Variable(_) | ArrayLen::Unspecified) => true,
            CType::Array(element, _) => self.is_variable(element.ty),
            _ => false,
        }
    }

    /// Whether a variable length stands anywhere in the type.
    pub(crate) fn is_variably_modified(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            CType::Array(_, ArrayLen::Variable(_) | ArrayLen::Unspecified) => true,
            CType::Array(inner, _) | CType::Pointer(inner) => self.is_variably_modified(inner.ty),
            CType::Function(function) => self.is_variably_modified(function.result),
            _ => false,
        }
    }

    /// Whether an object of the type can be made: its size is known, now or when the program runs.
    pub(crate) fn is_complete(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            CType::Void | CType::Function(_) => false,
            CType::Array(_, ArrayLen::Incomplete) => false,
            CType::Array(element, _) => self.is_complete(element.ty),
            CType::Record(id) => self.records[*id].layout.is_some(),
            CType::Enum(id) => self.enums[*id].kind.is_some(),
            _ => true,
        }
    }

    /// The name of the first type inside this one that we don't handle, where an object of the type holds an object of that one.
    pub(crate) fn unsupported(&self, ty: TypeId) -> Option<crate::intern::Symbol> {
        match self.get(ty) {
            CType::Unsupported(name) => Some(*name),
            CType::Array(element, _) => self.unsupported(element.ty),
            CType::Record(id) => self.records[*id].unsupported,
            _ => None,
        }
    }
}
