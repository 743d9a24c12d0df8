//! Structs, unions and enumerations.

use rhumb_program::Span;
use rustc_hash::FxHashMap;

use super::Sema;
use super::attribute::Attributes;
use super::layout::{self, Member};
use super::scope::{Binding, Tag};
use super::types::MAX_TYPE_DEPTH;
use crate::ast::{EnumSpec, Enumerator, FieldDecl, MemberDecl, RecordSpec};
use crate::ctypes::{ArrayLen, CType, Enum, EnumId, IntKind, QualType, Record, RecordId, TypeId};
use crate::diagnostic::Diagnostic;
use crate::intern::Symbol;

/// Whether a tag is known.
enum Known<T> {
    Not,
    As(T),
    /// As another kind of tag, which was reported.
    AsOther,
}

impl Sema<'_> {
    /// The type of `struct tag`, `union tag`, with or without a member list. `lone`: it stands alone in its declaration, which
    /// declares the tag in this scope.
    pub(super) fn record_type(&mut self, spec: &RecordSpec, lone: bool) -> TypeId {
        let id = match self.find_record(spec, lone) {
            Known::As(id) => id,
            Known::AsOther if spec.members.is_none() => return self.unit.types.basic.error,
            Known::AsOther | Known::Not => {
                let id = self.unit.types.records.push(Record {
                    is_union: spec.is_union,
                    tag: spec.tag,
                    layout: None,
                    unsupported: None,
                    depth: 0,
                    span: spec.span,
                });
                if let Some(tag) = spec.tag {
                    let tags = &mut self.unit.scopes.tags;
                    tags.declare(tag, Tag::Record(id), spec.span);
                }
                id
            }
        };
        let ty = self.unit.types.intern(CType::Record(id));
        if let Some(members) = &spec.members {
            self.define_record(id, spec, members);
        }
        ty
    }

    /// The record that a tag already stands for.
    fn find_record(&mut self, spec: &RecordSpec, lone: bool) -> Known<RecordId> {
        let Some(tag) = spec.tag else {
            return Known::Not;
        };
        let tags = &self.unit.scopes.tags;
        let entry = if spec.members.is_some() || lone {
            tags.get_here(tag)
        } else {
            tags.get(tag)
        };
        match entry.map(|entry| (entry.value, entry.span)) {
            None => Known::Not,
            Some((Tag::Record(id), _)) if self.unit.types.records[id].is_union == spec.is_union => {
                Known::As(id)
            }
            Some((_, previous)) => {
                self.wrong_tag(tag, spec.span, previous);
                Known::AsOther
            }
        }
    }

    fn wrong_tag(&mut self, tag: Symbol, span: Span, previous: Span) {
        let message = format!("`{}` is another kind of tag", self.names.name(tag));
        self.diags.push(
            Diagnostic::error(span, message)
                .with_label("used as this kind here")
                .with_note(previous, "declared here"),
        );
    }

    fn define_record(&mut self, id: RecordId, spec: &RecordSpec, members: &[MemberDecl]) {
        if self.unit.types.records[id].layout.is_some() {
            let record = &self.unit.types.records[id];
            let name = spec.tag.map_or("", |tag| self.names.name(tag));
            let message = format!("redefinition of `{} {name}`", record.keyword());
            let previous = record.span;
            self.diags.push(
                Diagnostic::error(spec.span, message)
                    .with_note(previous, "previous definition is here"),
            );
            return;
        }
        let attributes = self.attributes(&spec.attrs);
        let mut list = Vec::with_capacity(members.len());
        for member in members {
            match member {
                MemberDecl::Field(field) => self.field(field, attributes.packed, &mut list),
                MemberDecl::StaticAssert(assertion) => self.static_assert(assertion),
            }
        }
        self.check_members(spec.is_union, &mut list);
        let types = &mut self.unit.types;
        let request = layout::Request {
            is_union: spec.is_union,
            align: attributes.align,
            packing: spec.packing,
        };
        let layout = layout::lay_out(types, &list, &request);
        let too_large = layout.size > types.model.ptrdiff_type().max_bits() as u64;
        let variable_size = self.names.intern("a member of variable size");
        let unsupported = list.iter().find_map(|member| {
            let is_variable = types.is_variable(member.ty.ty);
            let variable_size = is_variable.then_some(variable_size);
            types.unsupported(member.ty.ty).or(variable_size)
        });
        let depth = list.iter().map(|member| types.depth(member.ty.ty)).max();
        let record = &mut types.records[id];
        record.depth = depth.unwrap_or(0) + 1;
        record.layout = Some(layout);
        record.unsupported = unsupported;
        record.span = spec.span;
        if let Some(what) = attributes.unsupported {
            record.unsupported = Some(self.names.intern(what));
        }
        if attributes.transparent_union && spec.is_union {
            self.unit.transparent_unions.insert(id);
        }
        if too_large {
            self.error(spec.span, "the type is too large");
        }
        if self.unit.types.records[id].depth > MAX_TYPE_DEPTH {
            self.error(spec.span, "the type nests too deeply");
            self.unit.types.records[id].layout = None;
            self.unit.types.records[id].depth = 0;
        }
    }

    fn field(&mut self, field: &FieldDecl, packed: bool, list: &mut Vec<Member>) {
        let spec = self.specifier_type(&field.specs, field.declarators.is_empty());
        let mut shared = self.attributes(&field.specs.attrs);
        shared.align = shared.align.max(self.alignas(&field.specs.alignas));
        if field.declarators.is_empty() {
            let anonymous = self.unit.types.as_record(spec.ty.ty);
            match anonymous {
                Some(id) if self.unit.types.records[id].tag.is_none() => list.push(Member {
                    name: None,
                    ty: spec.ty,
                    width: None,
                    align: shared.align,
                    type_align: spec.align,
                    packed,
                    span: field.span,
                }),
                _ => self.warn(field.span, "this declares no member"),
            }
        }
        for declarator in &field.declarators {
            let mut attributes = shared;
            self.add_attributes(&mut attributes, &declarator.attrs);
            let inner = &declarator.declarator;
            let (ty, type_align) = self.declared_type(spec, inner, &attributes);
            let width = match declarator.width {
                Some(width) => match self.field_width(width, ty, inner.name) {
                    Some(width) => Some(width),
                    None => continue,
                },
                None => None,
            };
            if width.is_none() && inner.name.is_none() {
                self.warn(field.span, "this declares no member");
                continue;
            }
            list.push(Member {
                name: inner.name,
                ty,
                width,
                align: attributes.align,
                type_align,
                packed: packed || attributes.packed,
                span: inner.span,
            });
        }
    }

    /// The width of a bit-field, checked.
    fn field_width(
        &mut self,
        width: crate::ast::ExprId,
        ty: QualType,
        name: Option<Symbol>,
    ) -> Option<u64> {
        let span = self.ast.exprs[width].span;
        let value = self.integer_constant(width, "the width of a bit-field")?;
        if !self.unit.types.is_integer(ty.ty) {
            if !matches!(self.unit.types.get(ty.ty), CType::Error) {
                let shown = self.show(ty.ty);
                self.error(span, format!("a bit-field can't have type `{shown}`"));
            }
            return None;
        }
        let limit = match self.unit.types.get(ty.ty) {
            CType::Bool => 1,
            _ => self.unit.types.size_of(ty.ty).unwrap_or(0) * 8,
        };
        match u64::try_from(value) {
            Ok(0) if name.is_some() => {
                self.error(span, "a bit-field of width zero can't have a name");
                None
            }
            Ok(value) if value <= limit => Some(value),
            Ok(_) => {
                self.error(span, "the bit-field is wider than its type");
                None
            }
            Err(_) => {
                self.error(span, "the width of a bit-field can't be negative");
                None
            }
        }
    }

    /// Reports members that can't be, and takes them out.
    fn check_members(&mut self, is_union: bool, list: &mut Vec<Member>) {
        let last = list.len().saturating_sub(1);
        let mut index = 0;
        let mut named = list.iter().filter(|member| member.name.is_some()).count();
        named += list
            .iter()
            .filter(|member| member.name.is_none() && member.width.is_none())
            .count();
        list.retain(|member| {
            let at_end = index == last;
            index += 1;
            self.check_member(member, !is_union && at_end && named > 1)
        });
        let mut seen = FxHashMap::default();
        for member in list.iter() {
            self.check_duplicate(member.name, member.ty.ty, member.span, &mut seen);
        }
    }

    fn check_member(&mut self, member: &Member, flexible_fits: bool) -> bool {
        let types = &self.unit.types;
        let message = match types.get(member.ty.ty) {
            CType::Error => return false,
            CType::Function(_) => "a member can't be a function",
            CType::Array(_, ArrayLen::Incomplete) if flexible_fits => return true,
            CType::Array(_, ArrayLen::Incomplete) => {
                "a flexible array member must come last in a struct that has other members"
            }
            // GNU C has such members in functions; the record counts as unsupported.
            _ if types.is_variable(member.ty.ty) => return true,
            _ if types.is_complete(member.ty.ty) => return true,
            _ => {
                let shown = self.show(member.ty.ty);
                self.error(
                    member.span,
                    format!("the member has incomplete type `{shown}`"),
                );
                return false;
            }
        };
        self.error(member.span, message);
        false
    }

    fn check_duplicate(
        &mut self,
        name: Option<Symbol>,
        ty: TypeId,
        span: Span,
        seen: &mut FxHashMap<Symbol, Span>,
    ) {
        if let Some(name) = name {
            if let Some(previous) = seen.insert(name, span) {
                let message = format!("duplicate member `{}`", self.names.name(name));
                self.diags.push(
                    Diagnostic::error(span, message).with_note(previous, "first declared here"),
                );
            }
            return;
        }
        let Some(record) = self.unit.types.as_record(ty) else {
            return;
        };
        let count = self.unit.types.records[record]
            .layout
            .as_ref()
            .map_or(0, |layout| layout.fields.len());
        for index in 0..count {
            let Some(layout) = &self.unit.types.records[record].layout else {
                return;
            };
            let field = &layout.fields[index];
            let (name, ty) = (field.name, field.ty.ty);
            self.check_duplicate(name, ty, span, seen);
        }
    }

    /// The type of `enum tag`, with or without a list.
    pub(super) fn enum_type(&mut self, spec: &EnumSpec, lone: bool) -> TypeId {
        let known = spec.tag.and_then(|tag| {
            let tags = &self.unit.scopes.tags;
            let here = spec.enumerators.is_some() || lone;
            let entry = if here {
                tags.get_here(tag)
            } else {
                tags.get(tag)
            };
            entry.map(|entry| (tag, entry.value, entry.span))
        });
        let id = match known {
            Some((_, Tag::Enum(id), _)) => Some(id),
            Some((tag, _, previous)) => {
                self.wrong_tag(tag, spec.span, previous);
                if spec.enumerators.is_none() {
                    return self.unit.types.basic.error;
                }
                None
            }
            None => None,
        };
        let id = id.unwrap_or_else(|| {
            let id = self.unit.types.enums.push(Enum {
                tag: spec.tag,
                kind: None,
                members: Vec::new(),
                span: spec.span,
            });
            if let Some(tag) = spec.tag {
                self.unit.scopes.tags.declare(tag, Tag::Enum(id), spec.span);
            }
            id
        });
        let ty = self.unit.types.intern(CType::Enum(id));
        if let Some(enumerators) = &spec.enumerators {
            if self.unit.types.enums[id].kind.is_some() {
                let previous = self.unit.types.enums[id].span;
                let name = spec.tag.map_or("", |tag| self.names.name(tag));
                let message = format!("redefinition of `enum {name}`");
                self.diags.push(
                    Diagnostic::error(spec.span, message)
                        .with_note(previous, "previous definition is here"),
                );
            } else {
                let attributes = self.attributes(&spec.attrs);
                self.define_enum(id, ty, enumerators, &attributes);
                self.unit.types.enums[id].span = spec.span;
            }
        }
        ty
    }

    fn define_enum(
        &mut self,
        id: EnumId,
        ty: TypeId,
        enumerators: &[Enumerator],
        attributes: &Attributes,
    ) {
        let int = self.unit.types.basic.int;
        let mut next: i128 = 0;
        let (mut least, mut greatest) = (0, 0);
        let mut wide = Vec::new();
        for enumerator in enumerators {
            let value = match enumerator.value {
                Some(expr) => self
                    .integer_constant(expr, "an enumerator's value")
                    .unwrap_or(next),
                None => next,
            };
            if value > i128::from(u64::MAX) || value < i128::from(i64::MIN) {
                self.error(enumerator.span, "the enumerator's value is too large");
                continue;
            }
            next = value + 1;
            least = value.min(least);
            greatest = value.max(greatest);
            self.check_redeclared_enumerator(enumerator);
            let members = &mut self.unit.types.enums[id].members;
            members.push((enumerator.name, value));
            // While the list is open an enumerator has a type that holds its value; those that don't fit `int` get the
            // enumeration's at the end.
            let fits_int = i32::try_from(value).is_ok();
            let own = if fits_int {
                int
            } else {
                self.holding_type(value)
            };
            if !fits_int {
                wide.push((enumerator.name, value));
            }
            let bits = self.wrap_to(value, own);
            self.unit.scopes.ordinary.declare(
                enumerator.name,
                Binding::EnumConst(bits, own),
                enumerator.span,
            );
        }
        let mode = attributes.mode.and_then(|mode| self.mode_kind(mode));
        let kind = match mode {
            Some(kind) if least < 0 => kind,
            Some(kind) => kind.to_unsigned(),
            None => self.enum_kind(least, greatest, attributes.packed),
        };
        self.unit.types.enums[id].kind = Some(kind);
        for (name, value) in wide {
            let bits = self.wrap_to(value, ty);
            let binding = Binding::EnumConst(bits, ty);
            self.unit.scopes.ordinary.replace(name, binding);
        }
    }

    fn check_redeclared_enumerator(&mut self, enumerator: &Enumerator) {
        let here = self.unit.scopes.ordinary.get_here(enumerator.name);
        if let Some(previous) = here.map(|entry| entry.span) {
            self.redeclared(enumerator.name, enumerator.span, previous);
        }
    }

    fn holding_type(&mut self, value: i128) -> TypeId {
        let kinds = [
            IntKind::Int,
            IntKind::UInt,
            IntKind::Long,
            IntKind::ULong,
            IntKind::LongLong,
        ];
        let model = self.unit.types.model;
        let kind = kinds
            .into_iter()
            .find(|kind| kind.int_type(model).contains(value));
        self.unit.types.int(kind.unwrap_or(IntKind::ULongLong))
    }

    fn wrap_to(&self, value: i128, ty: TypeId) -> u128 {
        match self.unit.types.scalar(ty) {
            Some(rhumb_program::Type::Int(int)) => int.wrap(value as u128),
            _ => value as u128,
        }
    }

    /// The integer type that represents an enumeration.
    fn enum_kind(&self, least: i128, greatest: i128, packed: bool) -> IntKind {
        let model = self.unit.types.model;
        let fits = |kind: IntKind| {
            let int = kind.int_type(model);
            int.contains(least) && int.contains(greatest)
        };
        let all = [
            [IntKind::UChar, IntKind::SChar],
            [IntKind::UShort, IntKind::Short],
            [IntKind::UInt, IntKind::Int],
            [IntKind::ULong, IntKind::Long],
            [IntKind::ULongLong, IntKind::LongLong],
        ];
        let candidates = if packed { &all[..] } else { &all[2..] };
        let signed = usize::from(least < 0);
        let kind = candidates
            .iter()
            .map(|pair| pair[signed])
            .find(|&kind| fits(kind));
        kind.unwrap_or(IntKind::LongLong)
    }
}
