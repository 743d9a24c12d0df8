//! What a place in memory is called.

use rhumb_program::interp::View;
use rhumb_program::{
    Access, Enumerators, ExprId, ExprKind, ObjectId, Program, Shape, Span, Type, VarId,
};
use rustc_hash::FxHashMap;

use super::value;

/// Pointers whose objects are known, by the depth of their activation: what was assigned to them was made from the address of an object.
#[derive(Default)]
pub(super) struct Pointers {
    known: FxHashMap<(usize, VarId), (ObjectId, i128)>,
}

impl Pointers {
    /// A variable gets the value of an expression, or one that isn't known.
    pub(super) fn assign(
        &mut self,
        program: &Program,
        dst: VarId,
        value: Option<ExprId>,
        view: &View<'_>,
    ) {
        self.pass(program, dst, value, view, view.depth());
    }

    /// The same for a parameter, in the activation that a call begins.
    pub(super) fn pass(
        &mut self,
        program: &Program,
        dst: VarId,
        value: Option<ExprId>,
        view: &View<'_>,
        depth: usize,
    ) {
        if program.vars[dst].ty != Type::Ptr {
            return;
        }
        match value.and_then(|value| self.target(program, value, view)) {
            Some(target) => self.known.insert((depth, dst), target),
            None => self.known.remove(&(depth, dst)),
        };
    }

    /// The object that a pointer points into, and how far.
    fn target(&self, program: &Program, ptr: ExprId, view: &View<'_>) -> Option<(ObjectId, i128)> {
        let mut offset: i128 = 0;
        let mut expr = ptr;
        loop {
            match program.exprs[expr].kind {
                ExprKind::AddrOf(object) => return Some((object, offset)),
                ExprKind::Var(var) => {
                    let (object, from) = self.known.get(&(view.depth(), var))?;
                    return Some((*object, from.checked_add(offset)?));
                }
                ExprKind::PtrAdd(base, distance) => {
                    let bits = value::of(program, distance, view)?;
                    let int = program.exprs[distance].ty.as_int()?;
                    let bits = int.display(bits).parse::<i128>().ok()?;
                    offset = offset.checked_add(bits)?;
                    expr = base;
                }
                _ => return None,
            }
        }
    }

    /// `&job`, `&cells[3]`: where a pointer points that a variable holds, if that is known.
    pub(super) fn shown(&self, program: &Program, var: VarId, depth: usize) -> Option<String> {
        let (object, offset) = self.known.get(&(depth, var))?;
        let object = &program.objects[*object];
        let name = own_name(&object.decl.name);
        match &object.shape {
            _ if name.is_empty() => None,
            Shape::Array { element_size, .. } if *element_size > 0 => {
                let size = i128::from(*element_size);
                (offset % size == 0).then(|| format!("&{name}[{}]", offset / size))
            }
            _ => (*offset == 0).then(|| format!("&{name}")),
        }
    }

    /// The name of what a store writes, a path into an object or the text to the left of the assignment, and the names
    /// of the values that it may have.
    pub(super) fn of_store(
        &self,
        program: &Program,
        ptr: ExprId,
        access: Access,
        span: Span,
        view: &View<'_>,
    ) -> Option<Named> {
        self.path(program, ptr, access, view)
            .or_else(|| Some((left_side(program, span)?, None)))
    }

    /// `a[3].x`, for a pointer into a named object.
    fn path(
        &self,
        program: &Program,
        ptr: ExprId,
        access: Access,
        view: &View<'_>,
    ) -> Option<Named> {
        let (object, offset) = self.target(program, ptr, view)?;
        let object = &program.objects[object];
        if object.decl.name.is_empty() {
            return None;
        }
        let offset = u64::try_from(offset).ok()?;
        let mut name = own_name(&object.decl.name).to_owned();
        let (rest, words) = inside(&object.shape, offset, access)?;
        name.push_str(&rest);
        let words = words.or_else(|| match object.shape {
            Shape::Record { .. } => None,
            _ => program.words.get(&object.decl.span).cloned(),
        });
        Some((name, words))
    }
}

/// A static local is called after its function, too.
pub(super) fn own_name(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, own)| own)
}

/// A name, and the names of the values.
type Named = (String, Option<Enumerators>);

/// The way from an object to what lies at an offset.
fn inside(shape: &Shape, offset: u64, access: Access) -> Option<Named> {
    match shape {
        Shape::Scalar(_) if offset == 0 => Some((String::new(), None)),
        Shape::Array {
            element,
            element_size,
            count,
        } if *element_size > 0 && offset / element_size < *count => {
            let index = offset / element_size;
            let (rest, words) = inside(element, offset % element_size, access)?;
            Some((format!("[{index}]{rest}"), words))
        }
        Shape::Record { fields, .. } => {
            let found = fields.iter().rev().find_map(|field| {
                if field.offset > offset || field.bits != access.bits {
                    return None;
                }
                let (rest, words) = inside(&field.shape, offset - field.offset, access)?;
                Some((field, rest, words.or_else(|| field.words.clone())))
            });
            let (field, rest, words) = found?;
            let name = match field.name.is_empty() {
                true => rest,
                false => format!(".{}{rest}", field.name),
            };
            Some((name, words))
        }
        _ => None,
    }
}

/// Longer names help nobody.
const MAX_NAME: usize = 40;

/// What stands to the left of an assignment's operator.
fn left_side(program: &Program, span: Span) -> Option<String> {
    let text = std::str::from_utf8(program.sources.slice(span)).ok()?;
    let bytes = text.as_bytes();
    let mut depth = 0i32;
    for (index, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'=' if depth == 0 && index > 0 => {
                if bytes.get(index + 1) == Some(&b'=') {
                    return None;
                }
                let left = text[..index]
                    .trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '!']);
                return plain(left);
            }
            _ => {}
        }
    }
    let changed = text.strip_suffix("++").or(text.strip_suffix("--"));
    let changed = changed
        .or(text.strip_prefix("++"))
        .or(text.strip_prefix("--"));
    plain(changed?)
}

fn plain(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    (!text.is_empty() && text.len() <= MAX_NAME).then_some(text)
}
