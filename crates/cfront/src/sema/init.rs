//! Initialisers: from nested lists with designators and left-out braces to flat pieces (C11 6.7.9).

use std::collections::BTreeMap;

use rhumb_program::{Access, BitRange, Span, Type};
use rustc_hash::FxHashMap;

use super::Sema;
use super::convert::Context;
use super::expr::InitRef;
use super::literal::{string_bytes, unit_size};
use super::member::find_member;
use crate::ast::{self, Designator, Encoding, ExprKind as AstExpr, Init, InitItem, InitList};
use crate::ctypes::{ArrayLen, CType, IntKind, QualType, RecordId, TypeId};
use crate::hir::{ConstValue, ExprId, ExprKind, InitPiece, LocalInit};

/// More pieces than this (by ranges of designators) and the initialiser counts as unsupported.
const MAX_PIECES: u64 = 1 << 24;

/// A part of an object with its first value.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) offset: u64,
    /// First bit, counted from the start of the object, and one past the last.
    bits: (u64, u64),
    /// When it was set: its number among the pieces. What is left of a string keeps the string's.
    order: usize,
    pub(super) value: PieceValue,
}

#[derive(Clone, Debug)]
pub(super) enum PieceValue {
    /// A scalar; in a static initialiser it is evaluated at once.
    Scalar(Access, ExprId),
    Constant(Access, ConstValue),
    Bytes(Box<[u8]>),
    Record(ExprId),
}

/// An initialiser in the making.
#[derive(Debug, Default)]
pub(super) struct Builder {
    /// Whether the object has static storage, so that values must be constant.
    pub(super) is_static: bool,
    /// What is set; `None` for what was overridden later.
    pub(super) pieces: Vec<Option<Piece>>,
    /// End of the last piece in order of bits.
    end: u64,
    /// Pieces by their first bit: only once one was set out of order.
    by_start: Option<BTreeMap<u64, usize>>,
    /// The member that is set in each union.
    active: FxHashMap<(u64, RecordId), u64>,
    /// What happened beside the setting of pieces since the outermost range that is being read began.
    log: Vec<Event>,
    open_ranges: u32,
    /// Something that we don't handle.
    pub(super) unsupported: Option<String>,
    /// Whether an error was reported.
    pub(super) failed: bool,
}

/// Something that an initialiser for a range of elements does in each of them.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// Forgets what was set between two bits.
    Clear(u64, u64),
    /// Selects a member of the union at this offset.
    Select {
        offset: u64,
        union: RecordId,
        size: u64,
        member: u64,
    },
}

impl Event {
    fn moved(self, distance: u64) -> Event {
        match self {
            Event::Clear(start, end) => Event::Clear(start + distance * 8, end + distance * 8),
            Event::Select {
                offset,
                union,
                size,
                member,
            } => Event::Select {
                offset: offset + distance,
                union,
                size,
                member,
            },
        }
    }
}

impl Builder {
    /// For an object with static storage.
    pub(super) fn for_static() -> Builder {
        Builder {
            is_static: true,
            ..Builder::default()
        }
    }

    fn push(&mut self, offset: u64, bits: (u64, u64), value: PieceValue) {
        let (start, end) = bits;
        if start < self.end {
            self.clear(start, end);
        }
        if let Some(by_start) = &mut self.by_start {
            by_start.insert(start, self.pieces.len());
        }
        self.end = self.end.max(end);
        self.pieces.push(Some(Piece {
            offset,
            bits,
            order: self.pieces.len(),
            value,
        }));
    }

    /// Begins with a part that is initialised as a whole.
    fn begin_whole(&mut self, offset: u64, size: u64) {
        let start = offset.saturating_mul(8);
        self.happen(Event::Clear(
            start,
            start.saturating_add(size.saturating_mul(8)),
        ));
    }

    fn happen(&mut self, event: Event) {
        if self.open_ranges > 0 {
            self.log.push(event);
        }
        match event {
            Event::Clear(start, end) => self.clear(start, end),
            // Setting another member of a union forgets the one that was set before.
            Event::Select {
                offset,
                union,
                size,
                member,
            } => {
                let before = self.active.insert((offset, union), member);
                if before.is_some_and(|before| before != member) {
                    self.clear(offset * 8, (offset + size) * 8);
                }
            }
        }
    }

    /// Forgets what was set between two bits.
    fn clear(&mut self, start: u64, end: u64) {
        if start >= self.end {
            return;
        }
        let pieces = &mut self.pieces;
        let by_start = self.by_start.get_or_insert_with(|| {
            let alive = pieces.iter().enumerate();
            alive
                .filter_map(|(index, piece)| Some((piece.as_ref()?.bits.0, index)))
                .collect()
        });
        // A piece that begins before the range can only be the last one there.
        let first = by_start
            .range(..start)
            .next_back()
            .map_or(start, |(&from, _)| from);
        let overlapping: Vec<(u64, usize)> = by_start
            .range(first..end.max(first))
            .map(|(&from, &index)| (from, index))
            .filter(|&(_, index)| {
                pieces[index]
                    .as_ref()
                    .is_some_and(|piece| piece.bits.1 > start)
            })
            .collect();
        for (from, index) in overlapping {
            by_start.remove(&from);
            let piece = pieces[index].take();
            // Of a string, what lies outside of the range stays.
            let rest = piece.map(|piece| outside(piece, start, end));
            for part in rest.into_iter().flatten().flatten() {
                by_start.insert(part.bits.0, pieces.len());
                pieces.push(Some(part));
            }
        }
    }

    /// Whether the pieces cover every bit of an object of that many bytes.
    fn covers(&self, size: u64) -> bool {
        let pieces = self.pieces.iter().flatten();
        pieces.map(|piece| piece.bits.1 - piece.bits.0).sum::<u64>() >= size.saturating_mul(8)
    }
}

/// The parts of a piece of bytes before and after a range of bits.
fn outside(piece: Piece, start: u64, end: u64) -> [Option<Piece>; 2] {
    let PieceValue::Bytes(bytes) = &piece.value else {
        return [None, None];
    };
    let part = |from: u64, to: u64| {
        let first = (from - piece.bits.0) as usize / 8;
        let last = (to - piece.bits.0) as usize / 8;
        (from < to).then(|| Piece {
            offset: from / 8,
            bits: (from, to),
            order: piece.order,
            value: PieceValue::Bytes(bytes[first..last].into()),
        })
    };
    let (before, after) = (
        start.clamp(piece.bits.0, piece.bits.1),
        end.clamp(piece.bits.0, piece.bits.1),
    );
    [part(piece.bits.0, before), part(after, piece.bits.1)]
}

/// An aggregate whose parts are being initialised, and the part that comes next.
#[derive(Clone, Copy, Debug)]
struct Level {
    offset: u64,
    index: u64,
    /// Number of parts; `None` for an array whose length the initialiser decides.
    count: Option<u64>,
    kind: LevelKind,
}

#[derive(Clone, Copy, Debug)]
enum LevelKind {
    Array { element: TypeId, size: u64 },
    Struct(RecordId),
    Union(RecordId),
}

impl Level {
    fn is_full(&self) -> bool {
        self.count.is_some_and(|count| self.index >= count)
    }
}

/// A part of an aggregate.
#[derive(Clone, Copy, Debug)]
struct Part {
    ty: TypeId,
    offset: u64,
    bits: Option<BitRange>,
}

impl Sema<'_> {
    /// The initialiser of a local. An array without a length gets one.
    pub(super) fn local_initializer(&mut self, ty: &mut QualType, init: InitRef<'_>) -> LocalInit {
        let mut builder = Builder::default();
        self.initialize(&mut builder, ty, init);
        let size = self.unit.types.size_of(ty.ty).unwrap_or(0);
        let zero = !builder.covers(size);
        let pieces = builder.pieces.into_iter().flatten().filter_map(|piece| {
            let offset = piece.offset;
            Some(match piece.value {
                PieceValue::Scalar(access, value) => InitPiece::Scalar {
                    offset,
                    access,
                    value,
                },
                PieceValue::Bytes(bytes) => InitPiece::Bytes { offset, bytes },
                PieceValue::Record(value) => InitPiece::Record { offset, value },
                PieceValue::Constant(..) => return None,
            })
        });
        let mut pieces: Vec<InitPiece> = pieces.collect();
        if let Some(what) = builder.unsupported {
            let value = self.unsupported(what, Span::default());
            let access = Access::whole(Type::Bool);
            pieces = vec![InitPiece::Scalar {
                offset: 0,
                access,
                value,
            }];
        }
        LocalInit::Pieces { zero, pieces }
    }

    /// Initialises a whole object; completes the type of an array without a length.
    pub(super) fn initialize(
        &mut self,
        builder: &mut Builder,
        ty: &mut QualType,
        init: InitRef<'_>,
    ) {
        let part = Part {
            ty: ty.ty,
            offset: 0,
            bits: None,
        };
        let count = self.init_part(builder, part, init);
        if let &CType::Array(element, ArrayLen::Incomplete) = self.unit.types.get(ty.ty) {
            let array = CType::Array(element, ArrayLen::Known(count));
            ty.ty = self.unit.types.intern(array);
        }
    }

    /// Initialises a part from an initialiser of its own. Gives the number of elements that an array has at least.
    fn init_part(&mut self, builder: &mut Builder, part: Part, init: InitRef<'_>) -> u64 {
        if let Some(name) = self.unit.types.unsupported(part.ty) {
            builder.unsupported = Some(self.names.name(name).to_string());
            return 0;
        }
        match init {
            InitRef::List(list) => self.init_braced(builder, part, list),
            InitRef::Expr(expr) => self.init_from_expr(builder, part, expr),
        }
    }

    fn init_from_expr(&mut self, builder: &mut Builder, part: Part, expr: ast::ExprId) -> u64 {
        let ast = self.ast;
        let ast::Expr { kind, span } = &ast.exprs[expr];
        match (self.unit.types.get(part.ty), kind) {
            (&CType::Array(element, len), AstExpr::Str(literal))
                if self.takes_string(element.ty, literal.encoding) =>
            {
                return self.init_string(builder, part, len, literal, *span);
            }
            (CType::Array(..), AstExpr::CompoundLiteral(name, list)) => {
                let ty = self.type_name(name).ty.ty;
                if self.unit.types.compatible(ty, part.ty) {
                    return self.init_braced(builder, part, list);
                }
            }
            (CType::Record(_), AstExpr::CompoundLiteral(name, list)) if builder.is_static => {
                let ty = self.type_name(name).ty.ty;
                if ty == part.ty {
                    return self.init_braced(builder, part, list);
                }
            }
            _ => {}
        }
        let value = self.rvalue(expr);
        match self.unit.types.get(part.ty) {
            CType::Array(..) => {
                if !self.is_error(value) {
                    self.error(
                        *span,
                        "an array needs a list in braces or a string as initializer",
                    );
                }
                builder.failed = true;
            }
            CType::Record(_) => self.init_record_value(builder, part, value),
            _ => self.init_scalar(builder, part, value),
        }
        0
    }

    /// Whether an array of such elements can be initialised by a string literal.
    fn takes_string(&self, element: TypeId, encoding: Encoding) -> bool {
        let CType::Int(kind) = self.unit.types.get(element) else {
            return false;
        };
        match encoding {
            Encoding::Plain => matches!(kind, IntKind::Char | IntKind::SChar | IntKind::UChar),
            Encoding::Utf16 => *kind == IntKind::UShort,
            Encoding::Utf32 => *kind == IntKind::UInt,
            Encoding::Wide => {
                matches!(kind, IntKind::Int | IntKind::Long)
                    && self.unit.types.size_of(element) == Some(4)
            }
        }
    }

    fn init_string(
        &mut self,
        builder: &mut Builder,
        part: Part,
        len: ArrayLen,
        literal: &ast::StringLiteral,
        span: Span,
    ) -> u64 {
        let width = unit_size(literal.encoding);
        let mut bytes = string_bytes(literal);
        let count = literal.units.len() as u64 + 1;
        bytes.resize(bytes.len() + width, 0);
        let room = match len {
            ArrayLen::Known(room) => room,
            ArrayLen::Incomplete | ArrayLen::Variable(_) => count,
        };
        if room + 1 < count {
            self.warn(span, "the string is too long for the array");
        }
        let kept = room.min(count).saturating_mul(width as u64) as usize;
        bytes.truncate(kept);
        let start = part.offset * 8;
        builder.begin_whole(part.offset, room.saturating_mul(width as u64));
        if !bytes.is_empty() {
            let bits = (start, start + bytes.len() as u64 * 8);
            builder.push(
                part.offset,
                bits,
                PieceValue::Bytes(bytes.into_boxed_slice()),
            );
        }
        count
    }

    fn init_record_value(&mut self, builder: &mut Builder, part: Part, value: ExprId) {
        let span = self.span(value);
        let value = self.convert_assign(value, part.ty, Context::Initializer, span);
        if self.is_error(value) {
            self.keep_unsupported(builder, value);
            return;
        }
        if builder.is_static {
            self.error(span, "the initializer is not constant");
            builder.failed = true;
            return;
        }
        let size = self.unit.types.size_of(part.ty).unwrap_or(0);
        if size == 0 {
            return;
        }
        builder.begin_whole(part.offset, size);
        let bits = (part.offset * 8, (part.offset + size) * 8);
        builder.push(part.offset, bits, PieceValue::Record(value));
    }

    /// Notes why a value can't be used.
    fn keep_unsupported(&mut self, builder: &mut Builder, value: ExprId) {
        match &self.hir(value).kind {
            ExprKind::Unsupported(what) => builder.unsupported = Some(what.clone()),
            _ => builder.failed = true,
        }
    }

    fn init_scalar(&mut self, builder: &mut Builder, part: Part, value: ExprId) {
        let span = self.span(value);
        let value = self.convert_assign(value, part.ty, Context::Initializer, span);
        if self.is_error(value) {
            self.keep_unsupported(builder, value);
            return;
        }
        let Some(ty) = self.unit.types.scalar(part.ty) else {
            let shown = self.show(part.ty);
            self.error(
                span,
                format!("an object of type `{shown}` can't be initialized"),
            );
            builder.failed = true;
            return;
        };
        let access = Access {
            ty,
            bits: part.bits,
        };
        let value = if builder.is_static {
            match self.static_value(builder, access, value) {
                Some(value) => PieceValue::Constant(access, value),
                None => return,
            }
        } else {
            PieceValue::Scalar(access, value)
        };
        let start = part.offset * 8 + part.bits.map_or(0, |bits| u64::from(bits.offset));
        let width = match part.bits {
            Some(bits) => u64::from(bits.width),
            None => ty.size(self.unit.types.model) * 8,
        };
        builder.push(part.offset, (start, start + width), value);
    }

    fn init_braced(&mut self, builder: &mut Builder, part: Part, list: &InitList) -> u64 {
        if let Some(size) = self.unit.types.size_of(part.ty) {
            builder.begin_whole(part.offset, size);
        }
        // A string may stand in braces.
        if let (CType::Array(element, len), [item]) =
            (self.unit.types.get(part.ty), &list.items[..])
            && item.designators.is_empty()
            && let Init::Expr(expr) = item.init
            && let AstExpr::Str(literal) = &self.ast.exprs[expr].kind
            && self.takes_string(element.ty, literal.encoding)
        {
            let (len, span) = (*len, self.ast.exprs[expr].span);
            return self.init_string(builder, part, len, literal, span);
        }
        match self.level(builder, part, list.span) {
            Some(level) => self.init_parts(builder, level, list),
            None => {
                self.init_braced_scalar(builder, part, list);
                0
            }
        }
    }

    fn init_braced_scalar(&mut self, builder: &mut Builder, part: Part, list: &InitList) {
        if builder.failed {
            return;
        }
        match list.items.first() {
            None => {
                self.error(list.span, "the initializer of a scalar is empty");
                builder.failed = true;
            }
            Some(item) => {
                if !item.designators.is_empty() {
                    self.error(list.span, "a designator in the initializer of a scalar");
                    builder.failed = true;
                    return;
                }
                self.init_part(builder, part, (&item.init).into());
                if list.items.len() > 1 {
                    self.warn(list.span, "excess elements in the initializer of a scalar");
                }
            }
        }
    }

    /// The parts of an aggregate; `None` for a scalar.
    fn level(&mut self, builder: &mut Builder, part: Part, span: Span) -> Option<Level> {
        let types = &self.unit.types;
        let (kind, count) = match types.get(part.ty) {
            &CType::Array(element, len) => {
                let count = match len {
                    ArrayLen::Known(count) => Some(count),
                    ArrayLen::Incomplete => None,
                    ArrayLen::Variable(_) => {
                        self.error(span, "an array of variable length can't be initialized");
                        builder.failed = true;
                        return None;
                    }
                };
                let size = types.size_of(element.ty).unwrap_or(0);
                let element = element.ty;
                (LevelKind::Array { element, size }, count)
            }
            &CType::Record(id) => {
                let record = &types.records[id];
                let Some(layout) = &record.layout else {
                    let shown = self.show(part.ty);
                    self.error(
                        span,
                        format!("the incomplete type `{shown}` can't be initialized"),
                    );
                    builder.failed = true;
                    return None;
                };
                let fields = layout.fields.len() as u64;
                if record.is_union {
                    (LevelKind::Union(id), Some(fields.min(1)))
                } else {
                    (LevelKind::Struct(id), Some(fields))
                }
            }
            _ => return None,
        };
        Some(Level {
            offset: part.offset,
            index: 0,
            count,
            kind,
        })
    }

    /// The part that is next at a level.
    fn next_part(&mut self, builder: &mut Builder, level: &Level) -> Option<Part> {
        let (id, index) = match level.kind {
            LevelKind::Array { element, size } => {
                let offset = size.checked_mul(level.index)?.checked_add(level.offset)?;
                return Some(Part {
                    ty: element,
                    offset,
                    bits: None,
                });
            }
            LevelKind::Struct(id) => (id, level.index),
            LevelKind::Union(id) => {
                self.select_union_member(builder, level, id);
                (id, level.index)
            }
        };
        let layout = self.unit.types.records[id].layout.as_ref()?;
        let field = layout.fields.get(index as usize)?;
        Some(Part {
            ty: field.ty.ty,
            offset: level.offset + field.offset,
            bits: field.bits,
        })
    }

    fn select_union_member(&mut self, builder: &mut Builder, level: &Level, id: RecordId) {
        let layout = self.unit.types.records[id].layout.as_ref();
        builder.happen(Event::Select {
            offset: level.offset,
            union: id,
            size: layout.map_or(0, |layout| layout.size),
            member: level.index,
        });
    }

    /// Initialises the parts of an aggregate from a list in braces. Gives the number of elements that are reached.
    fn init_parts(&mut self, builder: &mut Builder, root: Level, list: &InitList) -> u64 {
        let mut path = vec![root];
        let mut reached = 0;
        for item in &list.items {
            let first_piece = builder.pieces.len();
            let mut ranges = Vec::new();
            let log_start = builder.log.len();
            if !item.designators.is_empty() {
                path.truncate(1);
                let ranged = item
                    .designators
                    .iter()
                    .any(|part| matches!(part, Designator::Range(..)));
                builder.open_ranges += u32::from(ranged);
                if !self.designate(builder, &mut path, &item.designators, &mut ranges) {
                    builder.failed = true;
                    continue;
                }
            }
            if !self.init_item(builder, &mut path, item) {
                let span = init_span(self.ast, &item.init, list.span);
                self.warn(span, "excess elements in the initializer");
                continue;
            }
            for range in ranges.iter().rev() {
                self.repeat(builder, first_piece, log_start, range);
                path[range.depth].index = range.last;
                // What follows goes on in the last element.
                for inner in &mut path[range.depth + 1..] {
                    inner.offset += range.copies * range.stride;
                }
            }
            if !ranges.is_empty() {
                builder.open_ranges -= 1;
                if builder.open_ranges == 0 {
                    builder.log.clear();
                }
            }
            reached = reached.max(path[0].index.saturating_add(1));
            advance(&mut path);
        }
        reached
    }

    /// Goes to the part that designators name.
    fn designate(
        &mut self,
        builder: &mut Builder,
        path: &mut Vec<Level>,
        designators: &[Designator],
        ranges: &mut Vec<Range>,
    ) -> bool {
        for (number, designator) in designators.iter().enumerate() {
            if number > 0 && !self.descend(builder, path, designator_span(designator)) {
                return false;
            }
            let depth = path.len() - 1;
            let level = &mut path[depth];
            match designator {
                Designator::Field(name, span) => {
                    let (LevelKind::Struct(id) | LevelKind::Union(id)) = level.kind else {
                        self.error(*span, "a member is named in the initializer of an array");
                        return false;
                    };
                    let Some(fields) = find_member(&self.unit.types, id, *name) else {
                        let ty = self.unit.types.intern(CType::Record(id));
                        let shown = self.show(ty);
                        let text = self.names.name(*name);
                        let message = format!("`{shown}` has no member `{text}`");
                        self.error(*span, message);
                        return false;
                    };
                    for (number, field) in fields.into_iter().enumerate() {
                        if number > 0 && !self.descend(builder, path, *span) {
                            return false;
                        }
                        self.select(path, u64::from(field));
                    }
                }
                Designator::Index(index, span) => {
                    let Some(index) = self.element_index(level, *index, *span) else {
                        return false;
                    };
                    level.index = index;
                }
                Designator::Range(first, last, span) => {
                    let (first_index, last_index) = (
                        self.element_index(level, *first, *span),
                        self.element_index(level, *last, *span),
                    );
                    let (Some(first), Some(last)) = (first_index, last_index) else {
                        return false;
                    };
                    if first > last {
                        self.error(*span, "the range of indices is empty");
                        return false;
                    }
                    level.index = first;
                    let LevelKind::Array { size, .. } = level.kind else {
                        return false;
                    };
                    ranges.push(Range {
                        depth,
                        last,
                        copies: last - first,
                        stride: size,
                    });
                }
            }
        }
        true
    }

    fn select(&self, path: &mut [Level], index: u64) {
        if let Some(level) = path.last_mut() {
            level.index = index;
            if let LevelKind::Union(_) = level.kind {
                level.count = Some(index + 1);
            }
        }
    }

    fn element_index(&mut self, level: &Level, expr: ast::ExprId, span: Span) -> Option<u64> {
        let LevelKind::Array { size, .. } = level.kind else {
            self.error(
                span,
                "an index in the initializer of something that is not an array",
            );
            return None;
        };
        let index = self.integer_constant(expr, "an index in an initializer")?;
        let limit = level.count.unwrap_or_else(|| {
            let most = self.unit.types.model.ptrdiff_type().max_bits() as u64;
            most / size.max(1)
        });
        match u64::try_from(index) {
            Ok(index) if index < limit => Some(index),
            _ => {
                self.error(span, "the index is outside the array");
                None
            }
        }
    }

    /// Opens the part that is next at the innermost level.
    fn descend(&mut self, builder: &mut Builder, path: &mut Vec<Level>, span: Span) -> bool {
        let Some(&top) = path.last() else {
            return false;
        };
        let part = self.next_part(builder, &top);
        match part.and_then(|part| self.level(builder, part, span)) {
            Some(level) => {
                path.push(level);
                true
            }
            None => {
                if !builder.failed {
                    self.error(span, "the designator goes into something that has no parts");
                }
                false
            }
        }
    }

    /// Initialises what comes next from one item; `false` if there is nothing left to initialise.
    fn init_item(&mut self, builder: &mut Builder, path: &mut Vec<Level>, item: &InitItem) -> bool {
        let mut analysed = None;
        loop {
            let Some(&top) = path.last() else {
                return false;
            };
            if top.is_full() {
                if path.len() == 1 {
                    return false;
                }
                // An aggregate without parts takes nothing.
                path.pop();
                advance(path);
                continue;
            }
            let Some(part) = self.next_part(builder, &top) else {
                return false;
            };
            if self.is_flexible(&top, part.ty) && !builder.is_static {
                let span = init_span(self.ast, &item.init, Span::default());
                self.error(
                    span,
                    "a flexible array member can only be initialized in a static object",
                );
                builder.failed = true;
                return true;
            }
            let expr = match &item.init {
                Init::List(list) => {
                    self.init_part(builder, part, InitRef::List(list));
                    return true;
                }
                Init::Expr(expr) => *expr,
            };
            if self.unit.types.unsupported(part.ty).is_some() {
                self.init_part(builder, part, InitRef::Expr(expr));
                return true;
            }
            match self.unit.types.get(part.ty) {
                CType::Array(element, _) => {
                    if let AstExpr::Str(literal) = &self.ast.exprs[expr].kind
                        && self.takes_string(element.ty, literal.encoding)
                    {
                        self.init_part(builder, part, InitRef::Expr(expr));
                        return true;
                    }
                }
                CType::Record(_) => {
                    if builder.is_static
                        && matches!(self.ast.exprs[expr].kind, AstExpr::CompoundLiteral(..))
                    {
                        self.init_part(builder, part, InitRef::Expr(expr));
                        return true;
                    }
                    let value = match analysed {
                        Some(value) => value,
                        None => self.rvalue(expr),
                    };
                    analysed = Some(value);
                    if self.is_error(value) || self.unit.types.compatible(self.ty(value), part.ty) {
                        self.init_record_value(builder, part, value);
                        return true;
                    }
                }
                _ => {
                    let value = match analysed {
                        Some(value) => value,
                        None => self.rvalue(expr),
                    };
                    self.init_scalar(builder, part, value);
                    return true;
                }
            }
            let span = self.ast.exprs[expr].span;
            if !self.descend(builder, path, span) {
                return true;
            }
        }
    }

    /// Whether the part is the flexible array at the end of a struct.
    fn is_flexible(&self, level: &Level, ty: TypeId) -> bool {
        matches!(level.kind, LevelKind::Struct(_))
            && matches!(
                self.unit.types.get(ty),
                CType::Array(_, ArrayLen::Incomplete)
            )
    }

    /// Repeats what an item set for the other indices of a range. A value with side effects is evaluated once.
    fn repeat(
        &mut self,
        builder: &mut Builder,
        first_piece: usize,
        log_start: usize,
        range: &Range,
    ) {
        let originals: Vec<usize> = (first_piece..builder.pieces.len())
            .filter(|&index| {
                let piece = builder.pieces[index].as_ref();
                piece.is_some_and(|piece| piece.order >= first_piece)
            })
            .collect();
        if range.copies.saturating_mul(originals.len() as u64) > MAX_PIECES {
            builder.unsupported = Some("initializer with that many elements".to_string());
            return;
        }
        let mut kept = Vec::with_capacity(originals.len());
        for &index in &originals {
            let Some(piece) = &mut builder.pieces[index] else {
                continue;
            };
            let (offset, bits) = (piece.offset, piece.bits);
            let value = self.repeatable(&mut piece.value);
            kept.push((offset, bits, value));
        }
        let events = builder.log[log_start..].to_vec();
        for copy in 1..=range.copies {
            let distance = copy * range.stride;
            for event in &events {
                builder.happen(event.moved(distance));
            }
            for (offset, bits, value) in &kept {
                let value = match value {
                    Repeated::Same(value) => value.clone(),
                    Repeated::Kept(local, like) => {
                        let span = Span::default();
                        let value = self.kept(*local, span);
                        match like {
                            Some(access) => PieceValue::Scalar(*access, value),
                            None => PieceValue::Record(value),
                        }
                    }
                };
                let bits = (bits.0 + distance * 8, bits.1 + distance * 8);
                builder.push(offset + distance, bits, value);
            }
        }
    }

    /// Makes a value fit for use more than once.
    fn repeatable(&mut self, value: &mut PieceValue) -> Repeated {
        match value {
            PieceValue::Scalar(_, expr) if matches!(self.hir(*expr).kind, ExprKind::Const(_)) => {
                Repeated::Same(value.clone())
            }
            PieceValue::Scalar(access, expr) => {
                let access = *access;
                let (assignment, local) = self.keep(*expr);
                *expr = assignment;
                Repeated::Kept(local, Some(access))
            }
            PieceValue::Record(expr) => {
                let (assignment, local) = self.keep(*expr);
                *expr = assignment;
                Repeated::Kept(local, None)
            }
            PieceValue::Constant(..) | PieceValue::Bytes(_) => Repeated::Same(value.clone()),
        }
    }
}

/// `[first ... last]`, at a depth of the path.
struct Range {
    depth: usize,
    last: u64,
    /// Number of indices beside the first.
    copies: u64,
    stride: u64,
}

enum Repeated {
    Same(PieceValue),
    Kept(crate::hir::LocalId, Option<Access>),
}

/// Goes to the part after the one that was initialised.
fn advance(path: &mut Vec<Level>) {
    while let Some(top) = path.last_mut() {
        match top.kind {
            LevelKind::Union(_) => top.index = top.count.unwrap_or(1).max(top.index + 1),
            _ => top.index = top.index.saturating_add(1),
        }
        if path.len() == 1 || !path[path.len() - 1].is_full() {
            return;
        }
        path.pop();
    }
}

fn designator_span(designator: &Designator) -> Span {
    match designator {
        Designator::Index(_, span) | Designator::Range(_, _, span) | Designator::Field(_, span) => {
            *span
        }
    }
}

fn init_span(ast: &ast::Ast, init: &Init, fallback: Span) -> Span {
    match init {
        Init::Expr(expr) => ast.exprs[*expr].span,
        Init::List(list) if list.span != Span::default() => list.span,
        Init::List(_) => fallback,
    }
}

impl<'a> From<&'a Init> for InitRef<'a> {
    fn from(init: &'a Init) -> InitRef<'a> {
        match init {
            Init::Expr(expr) => InitRef::Expr(*expr),
            Init::List(list) => InitRef::List(list),
        }
    }
}
