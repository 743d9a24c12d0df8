//! One function: its automaton as it grows, its variables, and which of them are alive.

use std::rc::Rc;
use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_program::{
    Action, Cfa, Decl, ExprId, ExprKind, FuncId, Init, InputKind, LocId, LocKind, Object, ObjectId,
    Scope, Shape, Span, TargetKind, Type, UbKind, Unsupported, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::{self, Effects};
use super::footprint::{Footprint, Thing};
use super::lifetimes::{LiveId, LiveNode};
use super::scopes::Scopes;
use super::{Home, UnitLowering, temporary, whole};
use crate::ctypes::{CType, QualType, TypeId};
use crate::hir::{self, Body, FunctionId, LabelId, LocalId};

/// Expressions are named before they get deeper than this; room is left for what one more construct adds.
const NAMED_DEPTH: u8 = 24;

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
    pub(super) live_nodes: Vec<LiveNode>,
    pub(super) scopes: Scopes,
    pub(super) breaks: Vec<JumpTarget>,
    pub(super) continues: Vec<JumpTarget>,
    pub(super) switches: Vec<SwitchCases>,
    pub(super) labels: IndexVec<LabelId, Option<(LocId, Option<LiveId>)>>,
    pub(super) gotos: Vec<PendingGoto>,
    pub(super) targets: Vec<FoundTarget>,
    /// Pointer to the caller's object for a result of record type.
    pub(super) result_ptr: Option<VarId>,
    /// Pointer to the further arguments of a variadic function.
    pub(super) block_ptr: Option<VarId>,
    pub(super) effects: IndexVec<hir::ExprId, Effects>,
    /// What evaluating an expression reads and writes, as far as somebody asked.
    pub(super) footprints: FxHashMap<hir::ExprId, Rc<Footprint>>,
    /// Locals and globals to which pointers may lead, if somebody asked.
    pub(super) escaped: Option<FxHashSet<Thing>>,
    /// The decision that is evaluated.
    pub(super) decision: Option<Span>,
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
            block_ptr: None,
            effects: effects::effects(body),
            footprints: FxHashMap::default(),
            escaped: None,
            decision: None,
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
        // A call without a prototype may pass more than the function takes, and gcc's code doesn't mind.
        function.variadic = ty.variadic || (ty.unspecified && declared.addr_taken);
        if declared.addr_taken && self.unit.is_target(self.id) {
            // A call through a pointer reaches the target, too; direct calls have targets of their own.
            let kind = TargetKind::Call(declared.name.clone());
            self.reach_target(kind, declared.span);
        }
        if self.is_atomic() {
            self.begin_atomic(declared.span);
        }
        self.receive_params();
        if self.unit.takes_block[self.id] {
            self.receive_block(declared.span);
        }
        let body: &'a Body = self.body;
        self.block(&body.block);
        if self.is_reachable() {
            self.fall_off_the_end(body.end, result);
        }
        self.finish();
    }

    /// Gives every parameter its home: the variable that the call sets, where that will do.
    fn receive_params(&mut self) {
        let body: &'a Body = self.body;
        for index in 0..body.param_count {
            let local = LocalId::from_usize(index);
            let declared = &body.locals[local];
            let span = declared.span;
            let decl = Decl {
                name: declared.name.clone(),
                span,
                visible: declared.visible,
            };
            self.unit.note_words(span, declared.ty.ty);
            let passed = self.unit.param_type(self.id, index).unwrap_or(Type::Ptr);
            let var = self
                .unit
                .add_var(decl.clone(), passed, Scope::Local(self.func));
            self.unit.program.functions[self.func].params.push(var);
            let scalar = self.scalar(declared.ty.ty);
            if let (Some(ty), false) = (scalar, declared.addr_taken) {
                let home = if ty == passed {
                    var
                } else {
                    let home = self.unit.add_var(decl, ty, Scope::Local(self.func));
                    let value = self.var(var);
                    let value = self.convert(value, ty, span);
                    self.assign(home, value, span);
                    home
                };
                self.homes[local] = Some(Home::Var(home));
                continue;
            }
            let object = self.new_object(declared, span);
            self.homes[local] = Some(Home::Object(object));
            self.emit(Action::Enter(object), span);
            let ptr = self.node(ExprKind::AddrOf(object), Type::Ptr);
            let value = self.var(var);
            let action = match scalar {
                Some(ty) => Action::Store {
                    ptr,
                    value: self.convert(value, ty, span),
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
        if self.unit.has_threads {
            self.let_others_go_on(&action, span);
        }
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
        if let Some(&sink) = self.sinks.get(&kind) {
            return sink;
        }
        let mut sink = self.cfa.add_location(kind);
        if self.unit.has_threads {
            sink = self.before_end(sink);
        }
        self.sinks.insert(kind, sink);
        sink
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
        self.unit.add_temporary(decl, ty, self.func)
    }

    /// An object for a local.
    pub(super) fn new_object(&mut self, local: &hir::Local, span: Span) -> ObjectId {
        let types = &self.unit.unit.types;
        let ty = local.ty.ty;
        let object = Object {
            decl: Decl {
                name: local.name.clone(),
                span,
                visible: local.visible,
            },
            size: types.size_of(ty).unwrap_or(0),
            align: local
                .align
                .max(local.type_align)
                .max(types.align_of(ty))
                .unwrap_or(1),
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
        let local = hir::Local {
            name: self.nameless.clone(),
            ty: QualType::plain(ty),
            addr_taken: true,
            align: None,
            type_align: None,
            span,
            visible: Span::default(),
        };
        let object = self.new_object(&local, span);
        self.emit(Action::Enter(object), span);
        self.node(ExprKind::AddrOf(object), Type::Ptr)
    }

    pub(super) fn assign(&mut self, dst: VarId, value: ExprId, span: Span) {
        self.emit(Action::Assign { dst, value }, span);
    }

    /// A variable of its own for a value.
    pub(super) fn name(&mut self, value: ExprId, span: Span) -> ExprId {
        let var = self.new_var(self.ty(value), span);
        self.assign(var, value, span);
        self.var(var)
    }

    /// Keeps the value that an expression has now, whatever happens to the program's variables later.
    pub(super) fn capture(&mut self, value: ExprId, span: Span) -> ExprId {
        let mut is_stable = true;
        let (exprs, temporaries) = (&self.unit.program.exprs, &self.unit.temporaries);
        exprs.for_each_var(value, &mut |var| is_stable &= temporaries[var]);
        if is_stable {
            value
        } else {
            self.name(value, span)
        }
    }

    /// An expression that costs next to nothing to evaluate twice.
    pub(super) fn atomic(&mut self, value: ExprId, span: Span) -> ExprId {
        let exprs = &self.unit.program.exprs;
        let is_leaf = |expr: ExprId| exprs.children(expr).next().is_none();
        let is_cheap = match exprs[value].kind {
            ExprKind::Cast(arg) => is_leaf(arg),
            ExprKind::PtrAdd(base, bytes) => is_leaf(base) && exprs.as_int_const(bytes).is_some(),
            _ => is_leaf(value),
        };
        if is_cheap {
            value
        } else {
            self.name(value, span)
        }
    }

    /// Names an expression that has become deep.
    pub(super) fn shallow(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.unit.depths[value.index()] < NAMED_DEPTH {
            value
        } else {
            self.name(value, span)
        }
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
}
