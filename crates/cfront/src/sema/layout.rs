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

/// Lays out a record. `align` is what the record itself asks for.
pub(super) fn lay_out(
    types: &TypeTable,
    is_union: bool,
    members: &[Member],
    align: Option<u64>,
) -> RecordLayout {
    let mut layout = Layout {
        types,
        position: 0,
        end: 0,
        align: align.unwrap_or(1) * 8,
    };
    let mut fields = Vec::with_capacity(members.len());
    for member in members {
        if is_union {
            layout.position = 0;
        }
        let position = layout.place(member);
        if member.is_field() {
            fields.push(Field {
                name: member.name,
                ty: member.ty,
                offset: position / 8,
                bits: member.width.map(|width| BitRange {
                    offset: (position % 8) as u8,
                    width: width as u8,
                }),
                align: match member.width {
                    Some(_) => 1,
                    None => layout.member_align(member) / 8,
                },
            });
        }
    }
    let align = layout.align / 8;
    RecordLayout {
        fields,
        size: round_up(layout.end.div_ceil(8), align),
        align,
        flexible: members
            .last()
            .is_some_and(|last| is_flexible(types, last.ty.ty)),
    }
}

/// The next multiple; a record beyond the largest number is refused as too large later.
fn round_up(value: u64, multiple: u64) -> u64 {
    value.checked_next_multiple_of(multiple).unwrap_or(u64::MAX)
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
    position: u64,
    end: u64,
    align: u64,
}

impl Layout<'_> {
    /// Places the next member and gives its position.
    fn place(&mut self, member: &Member) -> u64 {
        let size = match member.width {
            Some(width) => width,
            None => self
                .types
                .size_of(member.ty.ty)
                .unwrap_or(0)
                .saturating_mul(8),
        };
        match member.width {
            None => {
                let align = self.member_align(member);
                self.align = self.align.max(align);
                self.position = round_up(self.position, align);
            }
            Some(0) => {
                // Not even packing keeps a field of width zero from closing its unit.
                let align = self.type_align(member).max(member.align.unwrap_or(0) * 8);
                self.position = round_up(self.position, align);
            }
            Some(width) => self.place_bits(member, width),
        }
        let start = self.position;
        self.position = self.position.saturating_add(size);
        self.end = self.end.max(self.position);
        start
    }

    fn place_bits(&mut self, member: &Member, width: u64) {
        let unit = self.type_align(member);
        let asked = member.align.map(|align| align * 8);
        let own = asked.unwrap_or(1).max(self.mode_align(member, width));
        self.position = round_up(self.position, own);
        if member.name.is_some() {
            // Named bit-fields align the record as their type does.
            let by_type = if member.packed { 8 } else { unit };
            self.align = self.align.max(by_type).max(own);
        }
        let type_size = self.types.size_of(member.ty.ty).unwrap_or(1) * 8;
        let crosses = (self.position % unit + width).div_ceil(unit) > type_size / unit;
        if crosses && !member.packed {
            self.position = round_up(self.position, unit);
        }
    }

    /// A bit-field that is as wide as a machine integer and lies where one could lie is aligned like one, even if its type asks for less.
    fn mode_align(&self, member: &Member, width: u64) -> u64 {
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
    fn member_align(&self, member: &Member) -> u64 {
        let asked = member.align.map(|align| align * 8);
        match (member.packed, asked) {
            (true, Some(asked)) => asked,
            (true, None) => 8,
            // What asks for less than the type has of itself asks for nothing.
            (false, Some(asked)) if asked >= self.natural_align(member) => asked,
            (false, _) => self.type_align(member),
        }
    }

    /// Alignment of the member's type outside of records.
    fn natural_align(&self, member: &Member) -> u64 {
        let own = || self.types.align_of(member.ty.ty).unwrap_or(1);
        member.type_align.unwrap_or_else(own) * 8
    }

    /// Alignment of the member's type inside a record.
    fn type_align(&self, member: &Member) -> u64 {
        match member.type_align {
            Some(align) => align * 8,
            None => in_record_align(self.types, member.ty.ty).unwrap_or(1) * 8,
        }
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
