//! Statements.

use rhumb_program::{
    Action, AllocKind, ArithOp, BinOp, ExprId, ExprKind, IntType, LocId, LocKind, Span, TargetKind,
    Type, UbKind,
};

use super::Home;
use super::function::{FunctionLowering, JumpTarget, PendingGoto, SwitchCase, SwitchCases};
use super::lifetimes::LiveId;
use super::scopes::{ScopeId, is_scope};
use crate::ctypes::TypeId;
use crate::hir::{self, Block, InitPiece, LocalId, LocalInit, Stmt, StmtKind};
use crate::options::TargetSpec;

impl FunctionLowering<'_, '_> {
    pub(super) fn block(&mut self, block: &Block) {
        let start = Span::new(block.span.lo, block.span.hi.min(block.span.lo + 1));
        let outer = self.open_scope(ScopeId::of_block(block), start);
        self.stmts(&block.stmts);
        let end = Span::new(
            block.span.hi.saturating_sub(1).max(block.span.lo),
            block.span.hi,
        );
        self.close_scope(outer, end);
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        stacker::maybe_grow(super::expr::RED_ZONE, super::expr::STACK_STEP, || {
            self.stmt_inner(stmt);
        });
    }

    fn stmt_inner(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(block) => self.block(block),
            _ if is_scope(stmt) => self.scope(stmt),
            _ => self.plain_stmt(stmt),
        }
    }

    /// A part of a statement, which is a scope of its own.
    fn substatement(&mut self, stmt: &Stmt) {
        if is_scope(stmt) {
            self.stmt(stmt);
        } else {
            self.scope(stmt);
        }
    }

    fn scope(&mut self, stmt: &Stmt) {
        let outer = self.open_scope(ScopeId::of_stmt(stmt), stmt.span);
        self.plain_stmt(stmt);
        self.close_scope(outer, stmt.span);
    }

    /// A statement, in the scope that is open.
    fn plain_stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Expr(expr) => self.effect(*expr),
            StmtKind::Declare { local, init } => self.declare(*local, init, span),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Sequence(stmts) => self.stmts(stmts),
            StmtKind::If { arms, otherwise } => self.if_chain(arms, otherwise.as_deref(), span),
            StmtKind::While { cond, body } => {
                let head = self.loop_head(span);
                let (inside, end) = (self.new_location(), self.new_location());
                self.decide(*cond, inside, end);
                self.continue_at(inside);
                self.loop_body(body, end, head);
                self.jump(head, span);
                self.continue_at(end);
            }
            StmtKind::DoWhile { body, cond } => {
                let head = self.loop_head(span);
                let (test, end) = (self.new_location(), self.new_location());
                self.loop_body(body, end, test);
                self.jump(test, span);
                self.continue_at(test);
                self.decide(*cond, head, end);
                self.continue_at(end);
            }
            StmtKind::For(each) => {
                self.stmts(&each.init);
                let head = self.loop_head(span);
                let (inside, next, end) = (
                    self.new_location(),
                    self.new_location(),
                    self.new_location(),
                );
                match each.cond {
                    Some(cond) => self.decide(cond, inside, end),
                    None => self.jump(inside, span),
                }
                self.continue_at(inside);
                self.loop_body(&each.body, end, next);
                self.jump(next, span);
                self.continue_at(next);
                if let Some(step) = each.step {
                    self.effect(step);
                }
                self.jump(head, span);
                self.continue_at(end);
            }
            StmtKind::Switch { value, body } => self.switch(*value, body, span),
            &StmtKind::Case { lo, hi } => {
                let (to, live) = self.label_here(span);
                if let Some(switch) = self.switches.last_mut() {
                    switch.cases.push(SwitchCase {
                        lo,
                        hi,
                        to,
                        live,
                        span,
                    });
                }
            }
            StmtKind::Default => {
                let label = self.label_here(span);
                if let Some(switch) = self.switches.last_mut() {
                    switch.default = Some(label);
                }
            }
            StmtKind::Label(label) => {
                let place = self.label_here(span);
                self.labels[*label] = Some(place);
                let name = &self.body.labels[*label].name;
                self.mark_label(name, span);
                if matches!(&self.unit.options.targets, TargetSpec::Label(wanted) if wanted == name)
                {
                    self.reach_target(TargetKind::Label(name.clone()), span);
                }
            }
            StmtKind::Goto(label) => {
                self.mark_jump(span);
                if self.is_reachable() {
                    let from = self.here();
                    // The edges are added when the label is known.
                    self.gotos.push(PendingGoto {
                        from,
                        live: self.live,
                        label: *label,
                        span,
                    });
                    self.forget_position();
                }
            }
            &StmtKind::GotoComputed { target, number } => self.computed_goto(target, number, span),
            StmtKind::Break => self.leave_to(self.breaks.last().copied(), span),
            StmtKind::Continue => self.leave_to(self.continues.last().copied(), span),
            StmtKind::Return(value) => self.return_stmt(*value, span),
            StmtKind::Unsupported(what) => self.unsupported(what, span),
        }
    }

    /// Compares a pointer with the addresses of the function's labels, one after the other.
    fn computed_goto(&mut self, target: hir::ExprId, number: u32, span: Span) {
        let target = self.value(target);
        let target = self.atomic(target, span);
        let labels = &self.body.labels;
        for (id, label) in labels.iter_enumerated() {
            let home = label.address.map(|global| self.unit.global_home(global));
            let Some(Home::Object(object)) = home else {
                continue;
            };
            let address = self.node(ExprKind::AddrOf(object), Type::Ptr);
            let hit = self.node(ExprKind::Binary(BinOp::Eq, target, address), Type::Bool);
            let (from, next) = (self.new_location(), self.new_location());
            self.split(hit, from, next, span);
            if label.barred.contains(&number) {
                self.continue_at(from);
                self.end_in(LocKind::Ub(UbKind::BadCall), span);
            } else {
                self.gotos.push(PendingGoto {
                    from,
                    live: self.live,
                    label: id,
                    span,
                });
            }
            self.continue_at(next);
        }
        // To no label of this function.
        self.end_in(LocKind::Ub(UbKind::BadCall), span);
    }

    /// A location of its own for a label; control falls through to it.
    fn label_here(&mut self, span: Span) -> (LocId, Option<LiveId>) {
        let location = self.new_location();
        self.jump(location, span);
        self.continue_at(location);
        (location, self.live)
    }

    fn loop_head(&mut self, span: Span) -> LocId {
        let (head, _) = self.label_here(span);
        self.cfa.locations[head].loop_statement = Some(span);
        head
    }

    fn loop_body(&mut self, body: &Stmt, on_break: LocId, on_continue: LocId) {
        let live = self.live;
        self.breaks.push(JumpTarget { to: on_break, live });
        self.continues.push(JumpTarget {
            to: on_continue,
            live,
        });
        self.substatement(body);
        self.breaks.pop();
        self.continues.pop();
    }

    /// `break` and `continue`: what was declared inside dies.
    fn leave_to(&mut self, target: Option<JumpTarget>, span: Span) {
        self.mark_jump(span);
        // Analysis reports a `break` outside a loop.
        if let (Some(target), true) = (target, self.is_reachable()) {
            self.change_live(self.live, target.live, span);
            self.jump(target.to, span);
        }
    }

    fn if_chain(&mut self, arms: &[(hir::ExprId, Stmt)], otherwise: Option<&Stmt>, span: Span) {
        let end = self.new_location();
        for (cond, then) in arms {
            let (inside, next) = (self.new_location(), self.new_location());
            self.decide(*cond, inside, next);
            self.continue_at(inside);
            self.substatement(then);
            self.jump(end, span);
            self.continue_at(next);
        }
        if let Some(otherwise) = otherwise {
            self.substatement(otherwise);
        }
        self.jump(end, span);
        self.continue_at(end);
    }

    fn switch(&mut self, value: hir::ExprId, body: &Stmt, span: Span) {
        let value_span = self.body.exprs[value].span;
        let value = self.value(value);
        let value = self.atomic(value, value_span);
        let dispatch = self.here();
        let end = self.new_location();
        let live = self.live;
        self.forget_position();
        self.switches.push(SwitchCases {
            cases: Vec::new(),
            default: None,
        });
        self.breaks.push(JumpTarget { to: end, live });
        self.substatement(body);
        self.jump(end, span);
        self.breaks.pop();
        let Some(switch) = self.switches.pop() else {
            return;
        };
        self.continue_at(dispatch);
        for case in switch.cases {
            self.dispatch_case(value, &case, live);
        }
        match switch.default {
            Some((to, at)) => {
                self.mark_default(value_span);
                self.change_live(live, at, span);
                self.jump(to, span);
            }
            None => {
                self.mark_default(value_span);
                self.jump(end, span);
            }
        }
        self.live = live;
        self.continue_at(end);
    }

    fn dispatch_case(&mut self, value: ExprId, case: &SwitchCase, live: Option<LiveId>) {
        let ty = self.ty(value);
        let span = case.span;
        let (hit, next) = (self.new_location(), self.new_location());
        let lo = self.node(ExprKind::Const(case.lo), ty);
        if case.lo == case.hi {
            let cond = self.node(ExprKind::Binary(BinOp::Eq, value, lo), Type::Bool);
            self.split(cond, hit, next, span);
            self.mark_case(hit, span);
        } else {
            let hi = self.node(ExprKind::Const(case.hi), ty);
            let above = self.node(ExprKind::Binary(BinOp::Le, lo, value), Type::Bool);
            let below = self.node(ExprKind::Binary(BinOp::Le, value, hi), Type::Bool);
            let between = self.new_location();
            self.split(above, between, next, span);
            self.continue_at(between);
            self.split(below, hit, next, span);
            self.mark_case(hit, span);
        }
        self.continue_at(hit);
        self.change_live(live, case.live, span);
        self.jump(case.to, span);
        self.continue_at(next);
    }

    fn return_stmt(&mut self, value: Option<hir::ExprId>, span: Span) {
        let exit = self.cfa.exit;
        let Some(value) = value else {
            let result = self.unit.program.functions[self.func].result;
            // `return;` where a value is due: using the result is undefined.
            let value = result.map(|ty| {
                let var = self.new_var(ty, span);
                self.input(var, rhumb_program::InputKind::MissingReturn, span);
                self.var(var)
            });
            return self.leave_with(Action::Return { value }, exit, span);
        };
        let ty = self.body.exprs[value].ty;
        if let Some(result) = self.result_ptr {
            let src = self.value(value);
            let (dst, size) = (self.var(result), self.size_of(ty));
            self.emit(Action::Copy { dst, src, size }, span);
            self.leave_with(Action::Return { value: None }, exit, span);
        } else if self.scalar(ty).is_some() {
            let mut value = self.value(value);
            if self.unit.unit.functions[self.id].returns_nonnull && self.ty(value) == Type::Ptr {
                value = self.atomic(value, span);
                let is_there = self.not_zero(value);
                self.require(is_there, true, LocKind::Ub(UbKind::Unreachable), span);
            }
            let value = Some(value);
            self.leave_with(Action::Return { value }, exit, span);
        } else {
            self.effect(value);
            self.leave_with(Action::Return { value: None }, exit, span);
        }
    }

    fn declare(&mut self, local: LocalId, init: &LocalInit, span: Span) {
        match init {
            LocalInit::Variable { size } => self.variable_length(local, *size, span),
            _ => self.initialise(local, init, false, span),
        }
    }

    /// Begins the lifetime of a local, unless its scope did so, and gives it its first contents.
    pub(super) fn initialise(
        &mut self,
        local: LocalId,
        init: &LocalInit,
        is_literal: bool,
        span: Span,
    ) {
        let is_early = self.scopes.is_early(local);
        if !is_early {
            self.push_live(local, is_literal);
            self.begin_lifetime(local, span);
        }
        let LocalInit::Pieces(pieces) = init else {
            return self.set_unknown(local, span);
        };
        let reads_itself = self.scopes.reads_itself(local);
        if reads_itself && !is_early {
            self.set_unknown(local, span);
        }
        match self.local_home(local) {
            Home::Var(var) => {
                let value = pieces.iter().find_map(|piece| match piece {
                    InitPiece::Scalar { value, .. } => Some(*value),
                    _ => None,
                });
                match value {
                    Some(value) => self.value_into(value, var),
                    None => {
                        let ty = self.unit.program.vars[var].ty;
                        let zero = self.node(ExprKind::Const(0), ty);
                        self.assign(var, zero, span);
                    }
                }
            }
            Home::Object(object) => {
                let base = self.node(ExprKind::AddrOf(object), Type::Ptr);
                let ty = self.body.locals[local].ty.ty;
                if self.scalar(ty).is_none() {
                    if reads_itself {
                        return self.initialise_apart(base, pieces, ty, span);
                    }
                    // What the initialiser doesn't mention is zero, and so are the bytes of a new object.
                    if is_early {
                        self.set_zero(base, ty, span);
                    }
                }
                self.init_pieces(base, pieces, span);
            }
            Home::Pointer(_) => {}
        }
    }

    /// Sets all pieces, whose values come in any order.
    fn init_pieces(&mut self, base: ExprId, pieces: &[InitPiece], span: Span) {
        let given: Vec<hir::ExprId> = pieces
            .iter()
            .filter_map(|piece| match piece {
                InitPiece::Scalar { value, .. } | InitPiece::Record { value, .. } => Some(*value),
                InitPiece::Effect(value) => Some(*value),
                InitPiece::Bytes { .. } => None,
            })
            .filter(|&value| !self.is_kept(value))
            .collect();
        let order = self.order_of_initialisers(&given);
        if !self.settle_order(order, span) {
            for piece in pieces {
                self.init_piece(base, piece, span);
            }
            return;
        }
        let values = self.values_in_both_orders(&given, span);
        for piece in pieces {
            match piece {
                InitPiece::Scalar { value, .. } if !self.is_kept(*value) => {
                    let index = given.iter().position(|given| given == value);
                    let value = index.map_or_else(|| self.value(*value), |index| values[index]);
                    self.set_piece(base, piece, value, span);
                }
                InitPiece::Effect(_) => {}
                _ => self.init_piece(base, piece, span),
            }
        }
    }

    /// Whether an expression is what another piece of an initialiser left for this one.
    fn is_kept(&self, value: hir::ExprId) -> bool {
        let hir::ExprKind::Load(place) = self.body.exprs[value].kind else {
            return false;
        };
        match self.body.exprs[place].kind {
            hir::ExprKind::Local(local) => self.body.locals[local].name.is_empty(),
            _ => false,
        }
    }

    /// Initialises an aggregate whose initialiser reads it: what was not set before keeps its old contents to the end,
    /// and only then becomes zero where no piece sets it.
    fn initialise_apart(&mut self, base: ExprId, pieces: &[InitPiece], ty: TypeId, span: Span) {
        let copy = self.temporary_object(ty, span);
        for piece in pieces {
            if let Some(value) = self.piece_value(piece, span) {
                self.set_piece(base, piece, value, span);
                self.set_piece(copy, piece, value, span);
            }
        }
        let size = self.size_of(ty);
        let (dst, src) = (base, copy);
        self.emit(Action::Copy { dst, src, size }, span);
    }

    fn set_zero(&mut self, dst: ExprId, ty: TypeId, span: Span) {
        let byte = self.unit.int(IntType::INT, 0);
        let size = self.size_of(ty);
        self.emit(Action::Fill { dst, byte, size }, span);
    }

    fn init_piece(&mut self, base: ExprId, piece: &InitPiece, span: Span) {
        if let Some(value) = self.piece_value(piece, span) {
            self.set_piece(base, piece, value, span);
        }
    }

    /// The value of a piece: a scalar, or the address of bytes.
    fn piece_value(&mut self, piece: &InitPiece, span: Span) -> Option<ExprId> {
        match piece {
            InitPiece::Scalar { value, .. } | InitPiece::Record { value, .. } => {
                Some(self.value(*value))
            }
            InitPiece::Bytes { bytes, .. } => Some(self.bytes_object(bytes, span)),
            InitPiece::Effect(value) => {
                self.effect(*value);
                None
            }
        }
    }

    fn set_piece(&mut self, base: ExprId, piece: &InitPiece, value: ExprId, span: Span) {
        let (offset, size) = match piece {
            InitPiece::Scalar { offset, access, .. } => {
                let ptr = self.offset(base, *offset);
                let access = *access;
                return self.emit(Action::Store { ptr, value, access }, span);
            }
            InitPiece::Bytes { offset, bytes } => (offset, self.unit.size(bytes.len() as u64)),
            InitPiece::Record { offset, value } => {
                (offset, self.size_of(self.body.exprs[*value].ty))
            }
            InitPiece::Effect(_) => return,
        };
        let (dst, src) = (self.offset(base, *offset), value);
        self.emit(Action::Copy { dst, src, size }, span);
    }

    /// No object is larger than what its size can say: a product in it that wraps round is a bad size.
    fn forbid_wrap(&mut self, size: ExprId, span: Span) {
        let mut todo = vec![size];
        while let Some(part) = todo.pop() {
            let exprs = &self.unit.program.exprs;
            todo.extend(exprs.children(part));
            if let ExprKind::Binary(BinOp::Mul, lhs, rhs) = exprs[part].kind {
                let wraps = self.node(ExprKind::Overflows(ArithOp::Mul, lhs, rhs), Type::Bool);
                self.forbid(wraps, UbKind::BadArraySize, span);
            }
        }
    }

    fn variable_length(&mut self, local: LocalId, size: hir::ExprId, span: Span) {
        let Home::Pointer(var) = self.local_home(local) else {
            return;
        };
        let exact = self.value(size);
        let size = self.atomic(exact, span);
        // A negative length is a huge size; as a signed number it is negative again. An array without elements is one, as gcc has it.
        let signed = self.unit.unit.types.model.ptrdiff_type();
        let signed_size = self.convert(size, Type::Int(signed), span);
        let zero = self.unit.int(signed, 0);
        let bad = self.node(ExprKind::Binary(BinOp::Lt, signed_size, zero), Type::Bool);
        self.forbid(bad, UbKind::BadArraySize, span);
        self.forbid_wrap(exact, span);
        let kind = AllocKind::Stack;
        self.emit(
            Action::Alloc {
                dst: var,
                size,
                kind,
            },
            span,
        );
        self.push_live(local, false);
        let ptr = self.var(var);
        let name = self.body.locals[local].name.clone();
        self.input_bytes(
            ptr,
            size,
            rhumb_program::InputKind::Uninitialised(name),
            span,
        );
    }
}
