//! Where the members of a record lie, as gcc lays them out on x86 (System V ABI for i386 and x86-64).

use rhumb_program::{BitRange, DataModel, Span, Type};

use crate::ctypes::{ArrayLen, CType, Field, QualType, RecordLayout, TypeId, TypeTable};
use crate::intern::Symbol;

/// A member as declared.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: Option<Symbol>,
    pub(super) ty: QualType,
    /// Width of a bit-field.
    pub(super) width: Option<u64>,
    /// Alignment in bytes that the member itself asks for.
    pub(super) align: Option<u64>,
    /// Alignment in bytes that a typedef asks for.
    pub(super) type_align: Option<u64>,
    pub(super) packed: bool,
    pub(super) span: Span,
}

impl Member {
    /// Whether it is a field (an unnamed bit-field only takes room).
    fn is_field(&self) -> bool {
        self.width.is_none() || self.name.is_some()
    }
}

/// What a record asks for.
pub(super) struct Request {
    pub(super) is_union: bool,
    /// Alignment in bytes.
    pub(super) align: Option<u64>,
    /// The greatest alignment of a member in bytes, by `#pragma pack`.
    pub(super) packing: Option<u64>,
}

/// Lays out a record. A size or offset that is too large for its type is the greatest number there is.
pub(super) fn lay_out(types: &TypeTable, members: &[Member], request: &Request) -> RecordLayout {
    let mut layout = Layout {
        types,
        position: 0,
        end: 0,
        align: bits(request.align.unwrap_or(1)),
        packing: request.packing.map(bits),
    };
    let mut fields = Vec::with_capacity(members.len());
    for member in members {
        if request.is_union {
            layout.position = 0;
        }
        let position = layout.place(member);
        if member.is_field() {
            fields.push(Field {
                name: member.name,
                ty: member.ty,
                offset: bytes(position),
                bits: member.width.map(|width| BitRange {
                    offset: (position % 8) as u8,
                    width: width as u8,
                }),
                align: match member.width {
                    Some(_) => 1,
                    None => bytes(layout.member_align(member)),
                },
                type_align: member.type_align,
            });
        }
    }
    RecordLayout {
        fields,
        size: bytes(layout.end.next_multiple_of(layout.align)),
        align: bytes(layout.align),
        flexible: members
            .last()
            .is_some_and(|last| is_flexible(types, last.ty.ty)),
    }
}

/// That many bytes in bits. (Those of a large object can't be counted with 64 bits.)
fn bits(bytes: u64) -> u128 {
    u128::from(bytes) * 8
}

fn bytes(bits: u128) -> u64 {
    u64::try_from(bits / 8).unwrap_or(u64::MAX)
}

fn is_flexible(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        CType::Array(_, ArrayLen::Incomplete) => true,
        CType::Record(id) => types.records[*id]
            .layout
            .as_ref()
            .is_some_and(|layout| layout.flexible),
        _ => false,
    }
}

/// A layout in the making; everything is in bits.
struct Layout<'a> {
    types: &'a TypeTable,
    position: u128,
    end: u128,
    align: u128,
    packing: Option<u128>,
}

impl Layout<'_> {
    /// Places the next member and gives its position.
    fn place(&mut self, member: &Member) -> u128 {
        let size = match member.width {
            Some(width) => u128::from(width),
            None => bits(self.types.size_of(member.ty.ty).unwrap_or(0)),
        };
        match member.width {
            None => {
                let align = self.member_align(member);
                self.align = self.align.max(align);
                self.position = self.position.next_multiple_of(align);
            }
            Some(0) => {
                // Not even packing keeps a field of width zero from closing its unit.
                let asked = bits(member.align.unwrap_or(0));
                let align = self.type_align(member).max(asked);
                self.position = self.position.next_multiple_of(align);
            }
            Some(width) => self.place_bits(member, u128::from(width)),
        }
        let start = self.position;
        self.position += size;
        self.end = self.end.max(self.position);
        start
    }

    /// Goes to where a bit-field lies.
    fn place_bits(&mut self, member: &Member, width: u128) {
        let unit = self.type_align(member);
        let asked = member.align.map_or(1, bits);
        let own = self.limited(asked.max(self.mode_align(member, width)));
        self.position = self.position.next_multiple_of(own);
        if member.name.is_some() {
            // Named bit-fields align the record as their type does.
            let by_type = match self.packing {
                Some(_) => self.limited(unit),
                None if member.packed => 8,
                None => unit,
            };
            self.align = self.align.max(by_type).max(own);
        }
        let type_size = bits(self.types.size_of(member.ty.ty).unwrap_or(1));
        let crosses = (self.position % unit + width).div_ceil(unit) > type_size / unit;
        if crosses && !member.packed && self.packing.is_none() {
            self.position = self.position.next_multiple_of(unit);
        }
    }

    /// An alignment, as far as `#pragma pack` allows it.
    fn limited(&self, align: u128) -> u128 {
        self.packing.map_or(align, |limit| align.min(limit))
    }

    /// A bit-field that is as wide as a machine integer and lies where one could lie is aligned like one, even if its type asks for less.
    fn mode_align(&self, member: &Member, width: u128) -> u128 {
        let is_mode = matches!(width, 8 | 16 | 32 | 64 | 128);
        let lies_well = self.position.is_multiple_of(width);
        if !is_mode || !lies_well || (member.packed && width > 8) {
            1
        } else if self.types.model == DataModel::Ilp32 && member.align.is_none() {
            width.min(32)
        } else {
            width
        }
    }

    /// Alignment of a member that is not a bit-field.
    fn member_align(&self, member: &Member) -> u128 {
        let asked = member.align.map(bits);
        self.limited(match (member.packed, asked) {
            (true, Some(asked)) => asked,
            (true, None) => 8,
            // What asks for less than the type has of itself asks for nothing.
            (false, Some(asked)) if asked >= self.natural_align(member) => asked,
            (false, _) => self.type_align(member),
        })
    }

    /// Alignment of the member's type outside of records.
    fn natural_align(&self, member: &Member) -> u128 {
        let own = || self.types.align_of(member.ty.ty).unwrap_or(1);
        bits(member.type_align.unwrap_or_else(own))
    }

    /// Alignment of the member's type inside a record.
    fn type_align(&self, member: &Member) -> u128 {
        let own = || in_record_align(self.types, member.ty.ty).unwrap_or(1);
        bits(member.type_align.unwrap_or_else(own))
    }
}

/// Alignment in bytes of a type inside a record: on i386 numbers of 8 bytes are aligned to 4 there.
pub(super) fn in_record_align(types: &TypeTable, ty: TypeId) -> Option<u64> {
    let align = types.align_of(ty)?;
    let mut scalar = ty;
    while let CType::Array(element, _) = types.get(scalar) {
        scalar = element.ty;
    }
    let lowered = types.model == DataModel::Ilp32
        && matches!(
            types.scalar(scalar),
            Some(Type::Int(_) | Type::Float(rhumb_program::FloatType::F64))
        );
    Some(if lowered { align.min(4) } else { align })
}
