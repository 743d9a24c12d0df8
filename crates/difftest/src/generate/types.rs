//! Refined types: a C type together with what the generator promises about its values.
//!
//! Well-definedness rests on these promises. An `int` whose range is −100..=100 can be multiplied
//! with another one without a guard; a pointer that says "three more elements behind me" can be
//! indexed up to 3. Every store keeps the promise of the object it writes to, whatever path leads
//! there, so no flow analysis is needed.

use std::rc::Rc;

use crate::model::{DataModel, FloatKind, IntKind, Interval};

/// A C object type with the promise about the values it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    Int(IntTy),
    Float(FloatKind),
    Pointer(Rc<PointerTy>),
    Array(Rc<Ty>, u32),
    /// Index into the program's list of structs and unions.
    Record(usize),
}

/// An integer type, its values, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IntTy {
    pub(crate) kind: IntKind,
    pub(crate) range: Interval,
    /// The width when this is a bit-field.
    pub(crate) field_bits: Option<u32>,
    /// Index into the program's list of enumerations.
    pub(crate) enumeration: Option<usize>,
}

/// A pointer: `before` and `after` count the elements that certainly exist beside the one pointed to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PointerTy {
    pub(crate) pointee: Ty,
    pub(crate) before: u32,
    pub(crate) after: u32,
    /// The array that the pointer always points into: such pointers can be subtracted and ordered.
    pub(crate) array: Option<u32>,
    pub(crate) nullable: bool,
    pub(crate) read_only: bool,
}

/// A struct or union definition.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) tag: String,
    pub(crate) is_union: bool,
    pub(crate) typedef_name: Option<String>,
    pub(crate) fields: Vec<Field>,
}

/// A named member, or an unnamed bit-field (empty name).
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) ty: Ty,
}

impl Field {
    /// Whether it is no bit-field.
    pub(crate) fn has_address(&self) -> bool {
        !matches!(
            &self.ty,
            Ty::Int(IntTy {
                field_bits: Some(_),
                ..
            })
        )
    }
}

/// An enumeration with its constants.
#[derive(Clone, Debug)]
pub(crate) struct Enumeration {
    pub(crate) tag: String,
    pub(crate) constants: Vec<(String, i128)>,
    /// gcc's choice of the compatible type.
    pub(crate) kind: IntKind,
}

impl IntTy {
    /// All values of `kind`.
    pub(crate) fn full(kind: IntKind, model: DataModel) -> Self {
        Self {
            kind,
            range: kind.range(model),
            field_bits: None,
            enumeration: None,
        }
    }

    /// The values of `kind` in `range`.
    pub(crate) fn ranged(kind: IntKind, range: Interval) -> Self {
        Self {
            kind,
            range,
            field_bits: None,
            enumeration: None,
        }
    }

    /// Whether every value that can be stored keeps the promise.
    pub(crate) fn is_full(&self, model: DataModel) -> bool {
        self.range == self.storable(model)
    }

    /// The values that the type (or bit-field) can represent.
    pub(crate) fn storable(&self, model: DataModel) -> Interval {
        match self.field_bits {
            Some(_) if self.kind == IntKind::Bool => Interval::new(0, 1),
            Some(bits) if self.kind.signed() => Interval::signed(bits),
            Some(bits) => Interval::unsigned(bits),
            None => self.kind.range(model),
        }
    }

    /// The type of a value read from such an object, after the integer promotions.
    pub(crate) fn promoted(&self) -> IntKind {
        match self.field_bits {
            Some(bits) if self.kind.rank() <= IntKind::Int.rank() => {
                let fits_int = self.kind.signed() || bits < 32;
                if fits_int {
                    IntKind::Int
                } else {
                    IntKind::UInt
                }
            }
            _ => self.kind.promoted(),
        }
    }
}

impl Ty {
    /// The element type below all array dimensions.
    pub(crate) fn innermost(&self) -> &Ty {
        match self {
            Ty::Array(element, _) => element.innermost(),
            _ => self,
        }
    }

    /// A pointer to exactly one such object.
    pub(crate) fn pointer_to_one(self) -> Ty {
        Ty::Pointer(Rc::new(PointerTy {
            pointee: self,
            before: 0,
            after: 0,
            array: None,
            nullable: false,
            read_only: false,
        }))
    }
}

impl PointerTy {
    /// Whether a value with this promise may be stored where `want` is promised.
    pub(crate) fn serves_as(&self, want: &PointerTy) -> bool {
        self.pointee == want.pointee
            && self.before >= want.before
            && self.after >= want.after
            && (want.array.is_none() || self.array == want.array)
            && (want.nullable || !self.nullable)
            && (want.read_only || !self.read_only)
    }
}
