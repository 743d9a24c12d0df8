//! Where locals live, and from when to when.

use rhumb_program::{Action, AllocKind, Decl, ExprKind, InputKind, Scope, Span, Type};

use super::Home;
use super::function::FunctionLowering;
use super::scopes::{Early, ScopeId};
use crate::ctypes::{ArrayLen, CType, TypeId};
use crate::diagnostic::Diagnostic;
use crate::hir::{Body, LocalId};

/// What is alive: a list that grows at its end, shared between the places that remember it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LiveId(u32);

#[derive(Clone, Copy)]
pub(super) struct LiveNode {
    local: LocalId,
    /// Whether it is a compound literal, which begins to live where it is evaluated unless it is early.
    is_literal: bool,
    parent: Option<LiveId>,
    depth: u32,
}

impl<'a> FunctionLowering<'_, 'a> {
    /// Where a local lives; decided when it is first mentioned.
    pub(super) fn local_home(&mut self, local: LocalId) -> Home {
        if let Some(home) = self.homes[local] {
            return home;
        }
        let body: &'a Body = self.body;
        let declared = &body.locals[local];
        let ty = declared.ty.ty;
        let decl = Decl {
            name: declared.name.clone(),
            span: declared.span,
            visible: declared.visible,
        };
        self.unit.note_words(declared.span, ty);
        let scope = Scope::Local(self.func);
        let home = if self.is_variable_length(ty) {
            Home::Pointer(self.unit.add_var(decl, Type::Ptr, scope))
        } else {
            match self.scalar(ty).filter(|_| !declared.addr_taken) {
                Some(scalar) => Home::Var(self.unit.add_var(decl, scalar, scope)),
                None => Home::Object(self.new_object(declared, declared.span)),
            }
        };
        self.homes[local] = Some(home);
        home
    }

    /// Where a local lives that an expression mentions. One without a declaration is a temporary of the analysis: it is written where it
    /// is first mentioned, and its lifetime begins there.
    pub(super) fn mentioned_home(&mut self, local: LocalId, span: Span) -> Home {
        let is_new = self.homes[local].is_none();
        let home = self.local_home(local);
        if let (Home::Object(object), true) = (home, is_new) {
            self.emit(Action::Enter(object), span);
        }
        home
    }

    fn is_variable_length(&self, ty: TypeId) -> bool {
        let types = &self.unit.unit.types;
        let mut ty = ty;
        while let CType::Array(element, len) = types.get(ty) {
            if matches!(len, ArrayLen::Variable(_)) {
                return true;
            }
            ty = element.ty;
        }
        false
    }

    /// Opens a scope: what lives from its beginning on begins. Gives what [`FunctionLowering::close_scope`] needs.
    pub(super) fn open_scope(&mut self, id: ScopeId, span: Span) -> Option<LiveId> {
        let outer = self.live;
        for Early {
            local,
            is_literal,
            may_be_passed,
        } in self.scopes.early(id)
        {
            self.push_live(local, is_literal);
            if !self.is_reachable() {
                continue;
            }
            if !is_literal && (may_be_passed || self.scopes.reads_itself(local)) {
                self.begin_uninitialised(local, span);
            } else {
                self.begin_lifetime(local, span);
            }
        }
        outer
    }

    /// Closes a scope: what was declared in it dies.
    pub(super) fn close_scope(&mut self, outer: Option<LiveId>, span: Span) {
        if self.is_reachable() {
            self.change_live(self.live, outer, span);
        }
        self.live = outer;
    }

    /// A local is declared: it is alive from here on.
    pub(super) fn push_live(&mut self, local: LocalId, is_literal: bool) {
        let depth = self.live.map_or(0, |live| self.live_node(live).depth + 1);
        let id = LiveId(self.live_nodes.len() as u32);
        self.live_nodes.push(LiveNode {
            local,
            is_literal,
            parent: self.live,
            depth,
        });
        self.live = Some(id);
    }

    fn live_node(&self, id: LiveId) -> LiveNode {
        self.live_nodes[id.0 as usize]
    }

    /// Emits what a jump does to lifetimes: what is only alive at its source dies, what is only alive at its target begins, uninitialised.
    pub(super) fn change_live(&mut self, from: Option<LiveId>, to: Option<LiveId>, span: Span) {
        let depth =
            |this: &Self, id: Option<LiveId>| id.map_or(0, |id| this.live_node(id).depth + 1);
        let (mut from, mut to) = (from, to);
        let mut begins = Vec::new();
        while from != to {
            if depth(self, from) >= depth(self, to) {
                let Some(id) = from else { break };
                let node = self.live_node(id);
                self.end_lifetime(node.local, span);
                from = node.parent;
            } else {
                let Some(id) = to else { break };
                let node = self.live_node(id);
                begins.push(node);
                to = node.parent;
            }
        }
        for node in begins.into_iter().rev() {
            if !node.is_literal {
                self.begin_uninitialised(node.local, span);
            } else if self.scopes.is_early(node.local) {
                self.begin_lifetime(node.local, span);
            }
        }
    }

    fn end_lifetime(&mut self, local: LocalId, span: Span) {
        match self.local_home(local) {
            Home::Var(_) => {}
            Home::Object(object) => self.emit(Action::Leave(object), span),
            Home::Pointer(var) => {
                let ptr = self.var(var);
                let kind = AllocKind::Stack;
                self.emit(Action::Free { ptr, kind }, span);
            }
        }
    }

    /// The lifetime of a local begins. An object in memory has zero bytes then, a variable what it had.
    pub(super) fn begin_lifetime(&mut self, local: LocalId, span: Span) {
        match self.local_home(local) {
            Home::Var(_) => {}
            Home::Object(object) => self.emit(Action::Enter(object), span),
            Home::Pointer(_) => self.jump_over_variable_length(local, span),
        }
    }

    /// The lifetime of a local begins, with contents from outside.
    pub(super) fn begin_uninitialised(&mut self, local: LocalId, span: Span) {
        self.begin_lifetime(local, span);
        self.set_unknown(local, span);
    }

    /// The contents of a local come from outside.
    pub(super) fn set_unknown(&mut self, local: LocalId, span: Span) {
        let declared = &self.body.locals[local];
        let kind = InputKind::Uninitialised(declared.name.clone());
        let ty = declared.ty.ty;
        match self.local_home(local) {
            Home::Var(var) => self.input(var, kind, span),
            Home::Object(object) => {
                let ptr = self.node(ExprKind::AddrOf(object), Type::Ptr);
                let size = self.size_of(ty);
                self.input_bytes(ptr, size, kind, span);
            }
            Home::Pointer(_) => {}
        }
    }

    /// C forbids to jump into the scope of a variable-length array (C11 6.8.6.1, 6.8.4.2).
    fn jump_over_variable_length(&mut self, local: LocalId, span: Span) {
        let declared = &self.body.locals[local];
        let message = format!(
            "jump into the scope of `{}`, whose length is variable",
            declared.name
        );
        self.unit
            .diagnostics
            .push(Diagnostic::error(span, message).with_note(declared.span, "declared here"));
    }
}
