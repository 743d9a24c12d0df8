//! One function: its automaton as it grows, its variables, and which of them are alive.

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_program::{
    Action, AllocKind, Cfa, Decl, ExprId, ExprKind, FuncId, Init, InputKind, LocId, LocKind,
    Object, ObjectId, Scope, Shape, Span, TargetKind, Type, UbKind, Unsupported, VarId,
};
use rustc_hash::FxHashMap;

use super::scopes::{Early, ScopeId, Scopes};
use super::{Home, UnitLowering, temporary, whole};
use crate::ctypes::{CType, TypeId};
use crate::diagnostic::Diagnostic;
use crate::hir::{self, Body, FunctionId, LabelId, LocalId};

/// Expressions are named before they get deeper than this; room is left for what one more construct adds.
const NAMED_DEPTH: u8 = 24;

/// What is alive: a list that grows at its end, shared between the places that remember it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LiveId(u32);

#[derive(Clone, Copy)]
struct LiveNode {
    local: LocalId,
    /// Whether it is a compound literal, which begins to live where it is evaluated unless it is early.
    is_literal: bool,
    parent: Option<LiveId>,
    depth: u32,
}

/// A jump whose target may not be known yet.
pub(super) struct PendingGoto {
    pub(super) from: LocId,
    pub(super) live: Option<LiveId>,
    pub(super) label: LabelId,
    pub(super) span: Span,
}

/// Where `break` or `continue` leads.
#[derive(Clone, Copy)]
pub(super) struct JumpTarget {
    pub(super) to: LocId,
    pub(super) live: Option<LiveId>,
}

/// The labels of a `switch`, as they are found in its body.
pub(super) struct SwitchCases {
    pub(super) cases: Vec<SwitchCase>,
    pub(super) default: Option<(LocId, Option<LiveId>)>,
}

pub(super) struct SwitchCase {
    pub(super) lo: u128,
    pub(super) hi: u128,
    pub(super) to: LocId,
    pub(super) live: Option<LiveId>,
    pub(super) span: Span,
}

/// A target found in this function.
pub(super) struct FoundTarget {
    pub(super) kind: TargetKind,
    pub(super) span: Span,
    pub(super) location: LocId,
}

pub(super) struct FunctionLowering<'u, 'a> {
    pub(super) unit: &'u mut UnitLowering<'a>,
    pub(super) body: &'a Body,
    pub(super) id: FunctionId,
    pub(super) func: FuncId,
    pub(super) cfa: Cfa,
    /// Where the next action starts; `None` after a jump.
    at: Option<LocId>,
    pub(super) homes: IndexVec<LocalId, Option<Home>>,
    pub(super) live: Option<LiveId>,
    live_nodes: Vec<LiveNode>,
    pub(super) scopes: Scopes,
    pub(super) breaks: Vec<JumpTarget>,
    pub(super) continues: Vec<JumpTarget>,
    pub(super) switches: Vec<SwitchCases>,
    pub(super) labels: IndexVec<LabelId, Option<(LocId, Option<LiveId>)>>,
    pub(super) gotos: Vec<PendingGoto>,
    pub(super) targets: Vec<FoundTarget>,
    /// Pointer to the caller's object for a result of record type.
    pub(super) result_ptr: Option<VarId>,
    /// Whether evaluating an expression can change anything that another expression reads.
    pub(super) effects: IndexVec<hir::ExprId, bool>,
    sinks: FxHashMap<LocKind, LocId>,
    nameless: Arc<str>,
}

impl<'u, 'a> FunctionLowering<'u, 'a> {
    pub(super) fn new(
        unit: &'u mut UnitLowering<'a>,
        body: &'a Body,
        id: FunctionId,
        func: FuncId,
    ) -> FunctionLowering<'u, 'a> {
        let cfa = Cfa::new();
        FunctionLowering {
            unit,
            body,
            id,
            func,
            at: Some(cfa.entry),
            cfa,
            homes: body.locals.iter().map(|_| None).collect(),
            live: None,
            live_nodes: Vec::new(),
            scopes: Scopes::of(body),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: body.labels.iter().map(|_| None).collect(),
            gotos: Vec::new(),
            targets: Vec::new(),
            result_ptr: None,
            effects: super::expr::effects(body),
            sinks: FxHashMap::default(),
            nameless: Arc::from(""),
        }
    }

    /// Lowers the whole function and puts it into the program.
    pub(super) fn lower(mut self) {
        let unit: &'a hir::Unit = self.unit.unit;
        let declared = &unit.functions[self.id];
        let CType::Function(ty) = unit.types.get(declared.ty) else {
            return;
        };
        let is_record = self.unit.is_record(ty.result);
        if is_record {
            let var = self.new_var(Type::Ptr, declared.span);
            self.result_ptr = Some(var);
            self.unit.program.functions[self.func].params.push(var);
        }
        let result = unit.types.scalar(ty.result);
        let function = &mut self.unit.program.functions[self.func];
        function.result = result;
        function.variadic = ty.variadic;
        if declared.addr_taken && self.unit.is_target(self.id) {
            // A call through a pointer reaches the target, too; direct calls have targets of their own.
            let kind = TargetKind::Call(declared.name.clone());
            self.reach_target(kind, declared.span);
        }
        self.receive_params();
        let body: &'a Body = self.body;
        self.block(&body.block);
        if self.is_reachable() {
            self.fall_off_the_end(body.end, result);
        }
        self.finish();
    }

    /// Parameters that lie in memory are copied there.
    fn receive_params(&mut self) {
        let body: &'a Body = self.body;
        for index in 0..body.param_count {
            let local = LocalId::from_usize(index);
            let declared = &body.locals[local];
            let span = declared.span;
            let scalar = self.scalar(declared.ty.ty);
            let var = self.unit.add_var(
                Decl {
                    name: declared.name.clone(),
                    span,
                    visible: declared.visible,
                },
                scalar.unwrap_or(Type::Ptr),
                Scope::Local(self.func),
            );
            self.unit.program.functions[self.func].params.push(var);
            if let (Some(_), false) = (scalar, declared.addr_taken) {
                self.homes[local] = Some(Home::Var(var));
                continue;
            }
            let object = self.new_object(
                declared.ty.ty,
                declared.name.clone(),
                span,
                declared.visible,
            );
            self.homes[local] = Some(Home::Object(object));
            self.emit(Action::Enter(object), span);
            let ptr = self.node(ExprKind::AddrOf(object), Type::Ptr);
            let value = self.var(var);
            let action = match scalar {
                Some(ty) => Action::Store {
                    ptr,
                    value,
                    access: whole(ty),
                },
                None => Action::Copy {
                    dst: ptr,
                    src: value,
                    size: self.size_of(declared.ty.ty),
                },
            };
            self.emit(action, span);
        }
    }

    /// C lets `main` return 0 that way; what another function returns is not defined.
    fn fall_off_the_end(&mut self, end: Span, result: Option<Type>) {
        let is_main = *self.unit.unit.functions[self.id].name == *"main";
        let value = result.map(|ty| {
            if is_main {
                self.node(ExprKind::Const(0), ty)
            } else {
                let var = self.new_var(ty, end);
                self.input(var, InputKind::MissingReturn, end);
                self.var(var)
            }
        });
        self.leave_with(Action::Return { value }, self.cfa.exit, end);
    }

    // The automaton.

    /// Where the next action starts. After a jump that is a place that nothing leads to.
    pub(super) fn here(&mut self) -> LocId {
        match self.at {
            Some(at) => at,
            None => {
                let at = self.cfa.add_location(LocKind::Plain);
                self.at = Some(at);
                at
            }
        }
    }

    pub(super) fn is_reachable(&self) -> bool {
        self.at.is_some()
    }

    pub(super) fn new_location(&mut self) -> LocId {
        self.cfa.add_location(LocKind::Plain)
    }

    /// Goes on at a location.
    pub(super) fn continue_at(&mut self, location: LocId) {
        self.at = Some(location);
    }

    /// Leaves this point without an edge; whoever remembered it adds one later.
    pub(super) fn forget_position(&mut self) {
        self.at = None;
    }

    /// Adds an action and goes on behind it.
    pub(super) fn emit(&mut self, action: Action, span: Span) {
        let next = self.new_location();
        self.leave_with(action, next, span);
        self.at = Some(next);
    }

    /// Adds an action that leads to a location; nothing follows it.
    pub(super) fn leave_with(&mut self, action: Action, to: LocId, span: Span) {
        let from = self.here();
        self.cfa.add_edge(from, action, to, span);
        self.at = None;
    }

    /// Jumps, if this point can be reached at all.
    pub(super) fn jump(&mut self, to: LocId, span: Span) {
        if self.is_reachable() {
            self.leave_with(Action::Skip, to, span);
        }
    }

    /// Splits on a `Bool` expression.
    pub(super) fn split(&mut self, cond: ExprId, on_true: LocId, on_false: LocId, span: Span) {
        let from = self.here();
        for (holds, to) in [(true, on_true), (false, on_false)] {
            self.cfa
                .add_edge(from, Action::Assume { cond, holds }, to, span);
        }
        self.at = None;
    }

    /// Goes on only where the condition has the given outcome; otherwise to the sink.
    pub(super) fn require(&mut self, cond: ExprId, holds: bool, otherwise: LocKind, span: Span) {
        let sink = self.sink(otherwise);
        let next = self.new_location();
        let (on_true, on_false) = if holds { (next, sink) } else { (sink, next) };
        self.split(cond, on_true, on_false, span);
        self.at = Some(next);
    }

    /// A check for undefined behaviour: `bad` must not hold.
    pub(super) fn forbid(&mut self, bad: ExprId, kind: UbKind, span: Span) {
        self.require(bad, false, LocKind::Ub(kind), span);
    }

    pub(super) fn sink(&mut self, kind: LocKind) -> LocId {
        let cfa = &mut self.cfa;
        *self
            .sinks
            .entry(kind)
            .or_insert_with(|| cfa.add_location(kind))
    }

    /// The run ends here in a sink.
    pub(super) fn end_in(&mut self, kind: LocKind, span: Span) {
        let sink = self.sink(kind);
        self.leave_with(Action::Skip, sink, span);
    }

    pub(super) fn unsupported(&mut self, what: &str, span: Span) {
        let id = self.unit.program.unsupported.push(Unsupported {
            what: what.to_owned(),
            span,
        });
        let sink = self.cfa.add_location(LocKind::Unsupported(id));
        self.leave_with(Action::Skip, sink, span);
    }

    pub(super) fn reach_target(&mut self, kind: TargetKind, span: Span) {
        // The id is given when the function is finished and the location is known to stay.
        let location = self.cfa.add_location(LocKind::Plain);
        self.targets.push(FoundTarget {
            kind,
            span,
            location,
        });
        self.leave_with(Action::Skip, location, span);
    }

    // Expressions and variables.

    pub(super) fn node(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.unit.node(kind, ty)
    }

    pub(super) fn ty(&self, expr: ExprId) -> Type {
        self.unit.program.exprs.ty(expr)
    }

    pub(super) fn scalar(&self, ty: TypeId) -> Option<Type> {
        self.unit.unit.types.scalar(ty)
    }

    /// Size of a complete type, as an expression.
    pub(super) fn size_of(&mut self, ty: TypeId) -> ExprId {
        let size = self.unit.unit.types.size_of(ty).unwrap_or(0);
        self.unit.size(size)
    }

    pub(super) fn var(&mut self, var: VarId) -> ExprId {
        let ty = self.unit.program.vars[var].ty;
        self.node(ExprKind::Var(var), ty)
    }

    /// A variable of the front end's own.
    pub(super) fn new_var(&mut self, ty: Type, span: Span) -> VarId {
        let decl = Decl {
            name: self.nameless.clone(),
            ..temporary(span)
        };
        self.unit.add_var(decl, ty, Scope::Local(self.func))
    }

    pub(super) fn new_object(
        &mut self,
        ty: TypeId,
        name: Arc<str>,
        span: Span,
        visible: Span,
    ) -> ObjectId {
        let types = &self.unit.unit.types;
        let object = Object {
            decl: Decl {
                name,
                span,
                visible,
            },
            size: types.size_of(ty).unwrap_or(0),
            align: types.align_of(ty).unwrap_or(1),
            shape: types.shape(ty, self.unit.names),
            scope: Scope::Local(self.func),
            read_only: false,
            init: Vec::new(),
        };
        self.unit.program.objects.push(object)
    }

    /// Address of a read-only object with these bytes.
    pub(super) fn bytes_object(&mut self, bytes: &[u8], span: Span) -> ExprId {
        let object = self.unit.program.objects.push(Object {
            decl: Decl {
                name: self.nameless.clone(),
                ..temporary(span)
            },
            size: bytes.len() as u64,
            align: 1,
            shape: Shape::Bytes,
            scope: Scope::Global,
            read_only: true,
            init: vec![Init::Bytes {
                offset: 0,
                bytes: bytes.into(),
            }],
        });
        self.node(ExprKind::AddrOf(object), Type::Ptr)
    }

    /// An object of the front end's own, alive from here on. Gives its address.
    pub(super) fn temporary_object(&mut self, ty: TypeId, span: Span) -> ExprId {
        let object = self.new_object(ty, self.nameless.clone(), span, Span::default());
        self.emit(Action::Enter(object), span);
        self.node(ExprKind::AddrOf(object), Type::Ptr)
    }

    pub(super) fn assign(&mut self, dst: VarId, value: ExprId, span: Span) {
        self.emit(Action::Assign { dst, value }, span);
    }

    /// Keeps the value that an expression has now, whatever happens to its variables later.
    pub(super) fn capture(&mut self, value: ExprId, span: Span) -> ExprId {
        if matches!(
            self.unit.program.exprs[value].kind,
            ExprKind::Const(_) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_)
        ) {
            return value;
        }
        let var = self.new_var(self.ty(value), span);
        self.assign(var, value, span);
        self.var(var)
    }

    /// An expression that costs nothing to evaluate twice.
    pub(super) fn atomic(&mut self, value: ExprId, span: Span) -> ExprId {
        if matches!(self.unit.program.exprs[value].kind, ExprKind::Var(_)) {
            return value;
        }
        self.capture(value, span)
    }

    /// Names an expression that has become deep.
    pub(super) fn shallow(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.unit.depths[value.index()] < NAMED_DEPTH {
            return value;
        }
        self.capture(value, span)
    }

    pub(super) fn input(&mut self, dst: VarId, kind: InputKind, span: Span) {
        let ty = self.unit.program.vars[dst].ty;
        let site = self.unit.add_input(kind, Some(ty), self.func, span);
        self.emit(Action::Input { dst, site }, span);
    }

    pub(super) fn input_bytes(&mut self, ptr: ExprId, size: ExprId, kind: InputKind, span: Span) {
        let site = self.unit.add_input(kind, None, self.func, span);
        self.emit(Action::InputBytes { ptr, size, site }, span);
    }

    pub(super) fn approximate(&mut self, dst: Option<VarId>, what: String, span: Span) {
        let what = self.unit.add_approximation(what, span);
        self.emit(Action::Approximate { dst, what }, span);
    }

    // Lifetimes.

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
        let scope = Scope::Local(self.func);
        let home = if self.is_variable_length(ty) {
            Home::Pointer(self.unit.add_var(decl, Type::Ptr, scope))
        } else {
            match self.scalar(ty).filter(|_| !declared.addr_taken) {
                Some(scalar) => Home::Var(self.unit.add_var(decl, scalar, scope)),
                None => Home::Object(self.new_object(ty, decl.name, decl.span, decl.visible)),
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
            if matches!(len, crate::ctypes::ArrayLen::Variable(_)) {
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
            if may_be_passed && !is_literal {
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
