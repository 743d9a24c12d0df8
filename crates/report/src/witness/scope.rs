//! Which variables a name means at a place of the source text.

use rhumb_program::{Decl, Scope, Span, VarId};

use super::place::Places;

/// The names of a program.
pub(super) struct Scopes<'a, 'p> {
    places: &'a Places<'p>,
}

impl<'a, 'p> Scopes<'a, 'p> {
    pub(super) fn new(places: &'a Places<'p>) -> Scopes<'a, 'p> {
        Scopes { places }
    }

    /// The byte whose scope is that of a loop's condition: behind the declarations of a `for`.
    pub(super) fn loop_scope(&self, statement: Span) -> u32 {
        let close = self.places.scan.for_close(statement.lo as usize);
        close.map_or(statement.lo, |close| close as u32)
    }

    /// Whether the variable's name means this variable at a byte of the text.
    pub(super) fn names(&self, var: VarId, offset: u32) -> bool {
        let program = self.places.program;
        let Some(info) = program.vars.get(var) else {
            return false;
        };
        let is_visible = |decl: &Decl| decl.visible.lo <= offset && offset < decl.visible.hi;
        if info.decl.name.is_empty() || !is_visible(&info.decl) {
            return false;
        }
        let here = self.places.function(offset);
        let may_be_here = |scope: Scope| match scope {
            Scope::Global => true,
            Scope::Local(function) => Some(function) == here,
        };
        // The innermost of several declarations is the one that begins last.
        let hides = |decl: &Decl, scope: Scope| {
            decl.name == info.decl.name
                && may_be_here(scope)
                && is_visible(decl)
                && decl.visible.lo > info.decl.visible.lo
        };
        let hidden = program.vars.iter().any(|var| hides(&var.decl, var.scope))
            || (program.objects.iter()).any(|object| hides(&object.decl, object.scope));
        may_be_here(info.scope) && !hidden
    }
}
