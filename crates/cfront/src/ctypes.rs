//! C types, interned: equal types have equal ids (records and enums are equal only to themselves).

mod compat;
mod display;

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_program::{
    BitRange, DataModel, Enumerators, Field as ShapeField, FloatType, IntType, Shape, Span, Type,
};
use rustc_hash::FxHashMap;

use crate::ast::Quals;
use crate::hir::LocalId;
use crate::intern::Symbol;

index_vec::define_index_type! {
    /// A C type in the [`TypeTable`].
    pub(crate) struct TypeId = u32;
}
index_vec::define_index_type! {
    /// A struct or union.
    pub(crate) struct RecordId = u32;
}
index_vec::define_index_type! {
    /// An enumeration.
    pub(crate) struct EnumId = u32;
}

/// A type with qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct QualType {
    pub(crate) ty: TypeId,
    pub(crate) quals: Quals,
}

impl QualType {
    /// The type without qualifiers.
    pub(crate) fn plain(ty: TypeId) -> QualType {
        QualType {
            ty,
            quals: Quals::default(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CType {
    Void,
    Bool,
    Int(IntKind),
    Float(FloatKind),
    Pointer(QualType),
    Array(QualType, ArrayLen),
    Function(FunctionType),
    Record(RecordId),
    Enum(EnumId),
    /// A type that we know by name and don't handle. No expression has it: using such an object is `hir::ExprKind::Unsupported`.
    Unsupported(Symbol),
    /// The type of an expression that had an error: fits everywhere, so that one mistake is reported once.
    Error,
}

/// C's integer types other than `_Bool` and enumerations. The order is not the rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    /// The type in which gcc computes with a bit-field that is wider than `int` and narrower than its declared type. No
    /// declared object has it.
    Field {
        width: u8,
        signed: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum FloatKind {
    Float,
    Double,
    LongDouble,
    Float128,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ArrayLen {
    Known(u64),
    Incomplete,
    /// A variable-length array: the number of elements is in this local (of type `size_t`), set where the type is declared.
    Variable(LocalId),
    /// A variable length in a prototype, where it has no value: `[*]`, or `[n]` with another parameter.
    Unspecified,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FunctionType {
    pub(crate) result: TypeId,
    /// Parameter types after adjustment (arrays and functions are pointers), without qualifiers.
    pub(crate) params: Vec<TypeId>,
    pub(crate) variadic: bool,
    /// Declared with `()`: any arguments go, with default promotions.
    pub(crate) unspecified: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) is_union: bool,
    pub(crate) tag: Option<Symbol>,
    /// `None` until the member list is complete.
    pub(crate) layout: Option<RecordLayout>,
    /// The type of a member that we don't handle; then the layout is of no use.
    pub(crate) unsupported: Option<Symbol>,
    /// As for [`TypeTable::depth`]; 0 until the member list is complete.
    pub(crate) depth: u32,
    pub(crate) span: Span,
}

impl Record {
    /// The keyword before the tag.
    pub(crate) fn keyword(&self) -> &'static str {
        if self.is_union { "union" } else { "struct" }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct RecordLayout {
    pub(crate) fields: Vec<Field>,
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// Ends in an array without a length.
    pub(crate) flexible: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// `None` for an anonymous struct or union. (Unnamed bit-fields take room and are no fields.)
    pub(crate) name: Option<Symbol>,
    pub(crate) ty: QualType,
    /// Byte offset; for a bit-field the offset of the byte that holds its first bit.
    pub(crate) offset: u64,
    pub(crate) bits: Option<BitRange>,
    /// Alignment in bytes that the layout gives it; 1 for a bit-field.
    pub(crate) align: u64,
    /// Alignment in bytes where a typedef in its type asks for one.
    pub(crate) type_align: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub(crate) tag: Option<Symbol>,
    /// The integer type that represents it; `None` while incomplete. (gcc: `unsigned int` if no enumerator is negative, wider if needed.)
    pub(crate) kind: Option<IntKind>,
    /// The enumerators with their values.
    pub(crate) members: Vec<(Symbol, i128)>,
    pub(crate) span: Span,
}

/// The types that every translation unit has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BasicTypes {
    pub(crate) void: TypeId,
    pub(crate) bool: TypeId,
    pub(crate) char: TypeId,
    pub(crate) int: TypeId,
    pub(crate) uint: TypeId,
    pub(crate) long: TypeId,
    pub(crate) double: TypeId,
    pub(crate) error: TypeId,
    /// `__builtin_va_list`: a pointer under ILP32, an array of one record under LP64.
    pub(crate) va_list: TypeId,
    pub(crate) void_ptr: TypeId,
    /// `size_t`.
    pub(crate) size: TypeId,
    /// `ptrdiff_t`.
    pub(crate) ptrdiff: TypeId,
}

/// All types of a translation unit.
#[derive(Debug)]
pub(crate) struct TypeTable {
    pub(crate) model: DataModel,
    pub(crate) basic: BasicTypes,
    types: IndexVec<TypeId, CType>,
    /// For each type how deep it nests, records aside.
    depths: IndexVec<TypeId, u32>,
    ids: FxHashMap<CType, TypeId>,
    pub(crate) records: IndexVec<RecordId, Record>,
    pub(crate) enums: IndexVec<EnumId, Enum>,
}

impl TypeTable {
    pub(crate) fn new(model: DataModel) -> TypeTable {
        let mut types: IndexVec<TypeId, CType> = IndexVec::new();
        let mut add = |ty| types.push(ty);
        let void = add(CType::Void);
        let (uint, ulong) = (IntKind::UInt, IntKind::ULong);
        let [int, long] = [IntKind::Int, IntKind::Long].map(|kind| add(CType::Int(kind)));
        let [unsigned, unsigned_long] = [uint, ulong].map(|kind| add(CType::Int(kind)));
        let (size, ptrdiff) = match model {
            DataModel::Ilp32 => (unsigned, int),
            DataModel::Lp64 => (unsigned_long, long),
        };
        let char = add(CType::Int(IntKind::Char));
        let void_ptr = add(CType::Pointer(QualType::plain(void)));
        let mut records = IndexVec::new();
        let va_list = match model {
            DataModel::Ilp32 => CType::Pointer(QualType::plain(char)),
            DataModel::Lp64 => {
                let record = records.push(va_list_record(unsigned, void_ptr));
                let record = add(CType::Record(record));
                CType::Array(QualType::plain(record), ArrayLen::Known(1))
            }
        };
        let basic = BasicTypes {
            void,
            bool: add(CType::Bool),
            char,
            int,
            uint: unsigned,
            long,
            double: add(CType::Float(FloatKind::Double)),
            error: add(CType::Error),
            va_list: add(va_list),
            void_ptr,
            size,
            ptrdiff,
        };
        let ids = types.iter_enumerated();
        TypeTable {
            model,
            basic,
            ids: ids.map(|(id, ty)| (ty.clone(), id)).collect(),
            depths: types.iter().map(|_| 1).collect(),
            types,
            records,
            enums: IndexVec::new(),
        }
    }

    /// The id of an integer type.
    pub(crate) fn int(&mut self, kind: IntKind) -> TypeId {
        self.intern(CType::Int(kind))
    }

    /// The id of a floating-point type.
    pub(crate) fn float(&mut self, kind: FloatKind) -> TypeId {
        self.intern(CType::Float(kind))
    }

    /// The id of a pointer type.
    pub(crate) fn pointer_to(&mut self, pointee: QualType) -> TypeId {
        self.intern(CType::Pointer(pointee))
    }

    /// The type with more qualifiers. Those of an array are those of its elements.
    pub(crate) fn qualify(&mut self, ty: QualType, quals: Quals) -> QualType {
        if quals == Quals::default() {
            return ty;
        }
        match self.get(ty.ty) {
            &CType::Array(element, len) => {
                let element = self.qualify(element, quals);
                QualType::plain(self.intern(CType::Array(element, len)))
            }
            CType::Function(_) => ty,
            _ => ty.with_quals(quals),
        }
    }

    /// The type with the elements of an array unqualified.
    pub(crate) fn without_element_quals(&mut self, ty: TypeId) -> TypeId {
        match *self.get(ty) {
            CType::Array(element, len) => {
                let element = self.without_element_quals(element.ty);
                self.intern(CType::Array(QualType::plain(element), len))
            }
            _ => ty,
        }
    }

    pub(crate) fn intern(&mut self, ty: CType) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let inner = match &ty {
            CType::Array(element, _) => self.depth(element.ty),
            // A pointer ends the nesting of objects in objects.
            CType::Pointer(pointee) => self.depths[pointee.ty],
            CType::Function(function) => {
                let params = function.params.iter().map(|&param| self.depths[param]);
                params.max().unwrap_or(0).max(self.depths[function.result])
            }
            _ => 0,
        };
        self.depths.push(inner + 1);
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// How deep the type nests: walking it recursively takes that many steps.
    pub(crate) fn depth(&self, id: TypeId) -> u32 {
        match self.get(id) {
            CType::Record(record) => self.records[*record].depth,
            _ => self.depths[id],
        }
    }

    pub(crate) fn get(&self, id: TypeId) -> &CType {
        &self.types[id]
    }

    /// The model's type of a scalar C type.
    pub(crate) fn scalar(&self, id: TypeId) -> Option<Type> {
        Some(match self.get(id) {
            CType::Bool => Type::Bool,
            CType::Int(kind) => Type::Int(kind.int_type(self.model)),
            CType::Enum(id) => Type::Int(self.enums[*id].kind?.int_type(self.model)),
            CType::Float(kind) => Type::Float(kind.float_type()),
            CType::Pointer(_) => Type::Ptr,
            _ => return None,
        })
    }

    /// Size in bytes; `None` for incomplete, variable-length and function types. (`void` has size 1, as in GNU C.)
    pub(crate) fn size_of(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            CType::Void => Some(1),
            CType::Array(element, ArrayLen::Known(count)) => {
                self.size_of(element.ty)?.checked_mul(*count)
            }
            CType::Record(id) => self.records[*id].layout.as_ref().map(|layout| layout.size),
            CType::Int(IntKind::Field { width, .. }) => {
                Some(u64::from(*width).div_ceil(8).next_power_of_two())
            }
            _ => self.scalar(id).map(|scalar| scalar.size(self.model)),
        }
    }

    /// Alignment in bytes, as gcc gives it on x86 (inside a record under ILP32 the layout lowers that of 8-byte scalars to 4).
    pub(crate) fn align_of(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            CType::Void => Some(1),
            CType::Array(element, _) => self.align_of(element.ty),
            CType::Record(id) => self.records[*id].layout.as_ref().map(|layout| layout.align),
            _ => {
                let scalar = self.scalar(id)?;
                Some(match (scalar, self.model) {
                    (Type::Float(FloatType::X87), DataModel::Ilp32) => 4,
                    _ => scalar.size(self.model),
                })
            }
        }
    }

    /// The names that the text has for values of this type, or of its elements.
    pub(crate) fn words(&self, id: TypeId, names: &crate::intern::Interner) -> Option<Enumerators> {
        match self.get(id) {
            CType::Array(element, _) => self.words(element.ty, names),
            CType::Enum(id) => {
                let found = &self.enums[*id];
                let width = found.kind?.int_type(self.model).width;
                let mask = u128::MAX >> (128 - width.clamp(1, 128));
                let members = found.members.iter();
                Some(
                    members
                        .map(|&(name, value)| (value as u128 & mask, names.name(name).clone()))
                        .collect(),
                )
            }
            _ => None,
        }
    }

    /// What lies where in an object of this type.
    pub(crate) fn shape(&self, id: TypeId, names: &crate::intern::Interner) -> Shape {
        match self.get(id) {
            CType::Array(element, ArrayLen::Known(count)) => Shape::Array {
                element: Arc::new(self.shape(element.ty, names)),
                element_size: self.size_of(element.ty).unwrap_or(0),
                count: *count,
            },
            CType::Record(id) => {
                let record = &self.records[*id];
                let name = |symbol: Option<Symbol>| {
                    symbol.map_or_else(|| Arc::from(""), |symbol| names.name(symbol).clone())
                };
                let fields = record.layout.iter().flat_map(|layout| &layout.fields);
                Shape::Record {
                    tag: name(record.tag),
                    fields: fields
                        .map(|field| ShapeField {
                            name: name(field.name),
                            offset: field.offset,
                            bits: field.bits,
                            shape: self.shape(field.ty.ty, names),
                            words: self.words(field.ty.ty, names),
                        })
                        .collect(),
                }
            }
            _ => self.scalar(id).map_or(Shape::Bytes, Shape::Scalar),
        }
    }
}

/// What a `va_list` is made of on x86-64. Programs have no business with its members, so they have no names.
fn va_list_record(unsigned: TypeId, pointer: TypeId) -> Record {
    let field = |ty, offset, align| Field {
        name: None,
        ty: QualType::plain(ty),
        offset,
        bits: None,
        align,
        type_align: None,
    };
    Record {
        is_union: false,
        tag: None,
        layout: Some(RecordLayout {
            fields: vec![
                field(unsigned, 0, 4),
                field(unsigned, 4, 4),
                field(pointer, 8, 8),
                field(pointer, 16, 8),
            ],
            size: 24,
            align: 8,
            flexible: false,
        }),
        unsupported: None,
        depth: 1,
        span: Span::default(),
    }
}

impl IntKind {
    /// Width and signedness.
    pub(crate) fn int_type(self, model: DataModel) -> IntType {
        let long = model.pointer_width();
        match self {
            IntKind::Char | IntKind::SChar => IntType::signed(8),
            IntKind::UChar => IntType::unsigned(8),
            IntKind::Short => IntType::signed(16),
            IntKind::UShort => IntType::unsigned(16),
            IntKind::Int => IntType::signed(32),
            IntKind::UInt => IntType::unsigned(32),
            IntKind::Long => IntType::signed(long),
            IntKind::ULong => IntType::unsigned(long),
            IntKind::LongLong => IntType::signed(64),
            IntKind::ULongLong => IntType::unsigned(64),
            IntKind::Int128 => IntType::signed(128),
            IntKind::UInt128 => IntType::unsigned(128),
            IntKind::Field { width, signed } => IntType {
                width: u16::from(width),
                signed,
            },
        }
    }
}

impl FloatKind {
    /// The format.
    pub(crate) fn float_type(self) -> FloatType {
        match self {
            FloatKind::Float => FloatType::F32,
            FloatKind::Double => FloatType::F64,
            FloatKind::LongDouble => FloatType::X87,
            FloatKind::Float128 => FloatType::F128,
        }
    }
}
