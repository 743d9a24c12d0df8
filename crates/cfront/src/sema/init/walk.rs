//! The way of a list through the parts of an aggregate: what comes next, with and without designators.

use rhumb_program::Span;

use super::pieces::{Builder, Event};
use super::repeat::Range;
use super::{Part, Sema};
use crate::ast::{self, Designator, ExprKind as AstExpr, Init, InitItem, InitList};
use crate::ctypes::{ArrayLen, CType, RecordId, TypeId};
use crate::sema::expr::InitRef;
use crate::sema::member::find_member;

/// An aggregate whose parts are being initialised, and the part that comes next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
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

impl Sema<'_> {
    /// The parts of an aggregate; `None` for a scalar.
    pub(super) fn level(&mut self, builder: &mut Builder, part: Part, span: Span) -> Option<Level> {
        let types = &self.unit.types;
        let (kind, count) = match *types.get(part.ty) {
            CType::Array(element, len) => {
                let count = match len {
                    ArrayLen::Known(count) => Some(count),
                    ArrayLen::Incomplete => None,
                    ArrayLen::Variable(_) | ArrayLen::Unspecified => {
                        self.error(span, "an array of variable length can't be initialized");
                        builder.failed = true;
                        return None;
                    }
                };
                let size = types.size_of(element.ty).unwrap_or(0);
                let element = element.ty;
                (LevelKind::Array { element, size }, count)
            }
            CType::Record(id) => {
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
    pub(super) fn init_parts(
        &mut self,
        builder: &mut Builder,
        root: Level,
        list: &InitList,
    ) -> u64 {
        let mut path = vec![root];
        let mut reached = 0;
        for item in &list.items {
            let is_range = |part: &Designator| matches!(part, Designator::Range(..));
            let ranged = item.designators.iter().any(is_range);
            if ranged {
                builder.open_range();
            }
            if self.init_listed(builder, &mut path, item, list.span) {
                reached = reached.max(path[0].index.saturating_add(1));
                advance(&mut path);
            }
            if ranged {
                builder.close_range();
            }
        }
        reached
    }

    /// Initialises what one item of a list is for; `false` if that is nothing.
    fn init_listed(
        &mut self,
        builder: &mut Builder,
        path: &mut Vec<Level>,
        item: &InitItem,
        list_span: Span,
    ) -> bool {
        let (first_piece, first_event) = (builder.pieces.len(), builder.event_count());
        let mut ranges = Vec::new();
        if !item.designators.is_empty() {
            path.truncate(1);
            if !self.designate(builder, path, &item.designators, &mut ranges) {
                builder.failed = true;
                return false;
            }
        }
        if !self.init_item(builder, path, item) {
            let span = init_span(self.ast, &item.init, list_span);
            self.warn(span, "excess elements in the initializer");
            return false;
        }
        for range in ranges.iter().rev() {
            self.repeat(builder, first_piece, first_event, range);
            // What follows goes on in the last element.
            if let Some(level) = path.get_mut(range.depth) {
                level.index = range.last;
            }
            for inner in path.iter_mut().skip(range.depth + 1) {
                inner.offset += range.copies * range.stride;
            }
        }
        true
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
                // An aggregate without parts takes nothing, and in an array all elements are alike.
                path.pop();
                match path.last_mut() {
                    Some(Level {
                        index,
                        count,
                        kind: LevelKind::Array { .. },
                        ..
                    }) => match count {
                        Some(count) => *index = *count,
                        None => return false,
                    },
                    _ => advance(path),
                }
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
