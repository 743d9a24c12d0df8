//! What must be known about lifetimes before a function is lowered.
//!
//! In C an object lives from the entry into its block to the end of the block, however often control jumps around in
//! there (C11 6.2.4). Where control can't come back to a point before a declaration without leaving the block, it makes
//! no difference to let the object live from its declaration on; lowering does that, and the automaton is the simpler
//! for it. The other locals are *early*: they live from the beginning of their scope on, and their declaration only
//! gives them new contents.
//!
//! A compound literal belongs to the innermost scope, too (C11 6.5.2.5). For it, the condition and the step of a loop
//! count as places to which control comes back.

use rustc_hash::{FxHashMap, FxHashSet};

use super::expr::{RED_ZONE, STACK_STEP};
use crate::hir::{Block, Body, ExprId, ExprKind, LocalId, LocalInit, Stmt, StmtKind};

/// A scope, by where its block or statement lies in the typed tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ScopeId(usize);

impl ScopeId {
    pub(super) fn of_block(block: &Block) -> ScopeId {
        ScopeId(std::ptr::from_ref(block).addr())
    }

    pub(super) fn of_stmt(stmt: &Stmt) -> ScopeId {
        ScopeId(std::ptr::from_ref(stmt).addr())
    }
}

/// A local that lives from the beginning of its scope on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Early {
    pub(super) local: LocalId,
    pub(super) is_literal: bool,
    /// Whether a jump from inside the scope may pass over the declaration, so that the contents before it matter.
    pub(super) may_be_passed: bool,
}

/// What is known about the lifetimes of a function's locals.
#[derive(Default)]
pub(super) struct Scopes {
    early: FxHashMap<ScopeId, Vec<Early>>,
    early_locals: FxHashSet<LocalId>,
    /// Locals whose initialiser may read them (`int x = x;`, `int x = f(&x);`).
    read_by_themselves: FxHashSet<LocalId>,
}

impl Scopes {
    pub(super) fn of(body: &Body) -> Scopes {
        let mut scan = Scan {
            body,
            labels: 0,
            open: Vec::new(),
            initialised: Vec::new(),
            result: Scopes::default(),
        };
        scan.block(&body.block);
        scan.result
    }

    /// What lives from the beginning of the scope on.
    pub(super) fn early(&self, scope: ScopeId) -> Vec<Early> {
        self.early.get(&scope).cloned().unwrap_or_default()
    }

    pub(super) fn is_early(&self, local: LocalId) -> bool {
        self.early_locals.contains(&local)
    }

    pub(super) fn reads_itself(&self, local: LocalId) -> bool {
        self.read_by_themselves.contains(&local)
    }
}

/// Whether the statement is a scope by itself (C11 6.8.2, 6.8.4, 6.8.5).
pub(super) fn is_scope(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Block(_)
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::DoWhile { .. }
            | StmtKind::For(_)
            | StmtKind::Switch { .. }
    )
}

struct Scan<'a> {
    body: &'a Body,
    /// Number of labels so far.
    labels: u32,
    open: Vec<OpenScope>,
    /// Locals whose initialiser is being scanned.
    initialised: Vec<Initialised>,
    result: Scopes,
}

/// What is known about an initialiser so far.
struct Initialised {
    local: LocalId,
    /// Whether it mentions the address of its local.
    has_address: bool,
    /// Whether it may read memory through pointers.
    reads_memory: bool,
}

struct OpenScope {
    /// Number of labels before it.
    labels: u32,
    /// Whether what is being read may be executed again while the scope lasts.
    repeated: bool,
    /// Early locals, with the number of labels before their declaration.
    early: Vec<(Early, u32)>,
}

impl Scan<'_> {
    fn open(&mut self) {
        self.open.push(OpenScope {
            labels: self.labels,
            repeated: false,
            early: Vec::new(),
        });
    }

    fn close(&mut self, id: ScopeId) {
        let Some(scope) = self.open.pop() else {
            return;
        };
        let labels = self.labels;
        let early: Vec<Early> = scope
            .early
            .into_iter()
            .map(|(early, before)| Early {
                may_be_passed: labels > before,
                ..early
            })
            .collect();
        if !early.is_empty() {
            self.result.early.insert(id, early);
        }
    }

    fn block(&mut self, block: &Block) {
        self.open();
        self.stmts(&block.stmts);
        self.close(ScopeId::of_block(block));
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.stmt_inner(stmt));
    }

    fn stmt_inner(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(block) => return self.block(block),
            StmtKind::Sequence(stmts) => return self.stmts(stmts),
            StmtKind::Expr(expr)
            | StmtKind::Return(Some(expr))
            | StmtKind::GotoComputed { target: expr, .. } => return self.expr(*expr),
            StmtKind::Declare { local, init } => return self.declare(*local, init),
            StmtKind::Label(_) => self.labels += 1,
            _ => {}
        }
        if !is_scope(stmt) {
            return;
        }
        self.open();
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                for (cond, then) in arms {
                    self.expr(*cond);
                    self.substatement(then);
                }
                if let Some(otherwise) = otherwise {
                    self.substatement(otherwise);
                }
            }
            StmtKind::While { cond, body } => {
                self.repeated([*cond]);
                self.substatement(body);
            }
            StmtKind::DoWhile { body, cond } => {
                self.substatement(body);
                self.repeated([*cond]);
            }
            StmtKind::For(each) => {
                self.stmts(&each.init);
                self.repeated(each.cond.into_iter().chain(each.step));
                self.substatement(&each.body);
            }
            StmtKind::Switch { value, body } => {
                self.expr(*value);
                self.substatement(body);
            }
            _ => {}
        }
        self.close(ScopeId::of_stmt(stmt));
    }

    /// A part of a statement is a scope of its own.
    fn substatement(&mut self, stmt: &Stmt) {
        if is_scope(stmt) {
            return self.stmt(stmt);
        }
        self.open();
        self.stmt(stmt);
        self.close(ScopeId::of_stmt(stmt));
    }

    /// Expressions that a loop evaluates each time.
    fn repeated(&mut self, exprs: impl IntoIterator<Item = ExprId>) {
        self.set_repeated(true);
        for expr in exprs {
            self.expr(expr);
        }
        self.set_repeated(false);
    }

    fn set_repeated(&mut self, repeated: bool) {
        if let Some(scope) = self.open.last_mut() {
            scope.repeated = repeated;
        }
    }

    fn declare(&mut self, local: LocalId, init: &LocalInit) {
        // A variable-length array lives from its declaration on (C11 6.2.4).
        if !matches!(init, LocalInit::Variable { .. }) {
            self.begin(local, false);
        }
        self.initialised.push(Initialised {
            local,
            has_address: false,
            reads_memory: false,
        });
        init.for_each_expr(&mut |expr| self.expr(expr));
        if let Some(scanned) = self.initialised.pop()
            && scanned.has_address
            && scanned.reads_memory
        {
            self.result.read_by_themselves.insert(local);
        }
    }

    fn begin(&mut self, local: LocalId, is_literal: bool) {
        let labels = self.labels;
        let Some(scope) = self.open.last_mut() else {
            return;
        };
        if scope.repeated || labels > scope.labels {
            let early = Early {
                local,
                is_literal,
                may_be_passed: false,
            };
            scope.early.push((early, labels));
            self.result.early_locals.insert(local);
        }
    }

    fn expr(&mut self, id: ExprId) {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.expr_inner(id));
    }

    fn expr_inner(&mut self, id: ExprId) {
        let expr = &self.body.exprs[id];
        match &expr.kind {
            ExprKind::CompoundLiteral { local, .. } => self.begin(*local, true),
            ExprKind::Load(place) => self.read(*place),
            ExprKind::Update(update) => self.read(update.place),
            ExprKind::AddrOf(place) | ExprKind::Decay(place) => {
                if let Some(local) = self.local_of(*place) {
                    let mut scanned = self.initialised.iter_mut();
                    if let Some(scanned) = scanned.find(|scanned| scanned.local == local) {
                        scanned.has_address = true;
                    }
                }
            }
            ExprKind::Call { .. } | ExprKind::Intrinsic(..) => self.read_memory(),
            ExprKind::StmtExpr { block, result } => {
                self.open();
                self.stmts(&block.stmts);
                if let Some(result) = result {
                    self.expr(*result);
                }
                return self.close(ScopeId::of_block(block));
            }
            _ => {}
        }
        expr.for_each_operand(&mut |operand| self.expr(operand));
    }

    /// Notes that a place is read, for the case that the initialiser of the local that it is part of does so.
    fn read(&mut self, place: ExprId) {
        match self.local_of(place) {
            Some(local) => {
                if self
                    .initialised
                    .iter()
                    .any(|scanned| scanned.local == local)
                {
                    self.result.read_by_themselves.insert(local);
                }
            }
            None => self.read_memory(),
        }
    }

    fn read_memory(&mut self) {
        for scanned in &mut self.initialised {
            scanned.reads_memory = true;
        }
    }

    /// The local that a place is part of by its name, members and elements included.
    fn local_of(&self, place: ExprId) -> Option<LocalId> {
        let mut expr = place;
        loop {
            expr = match self.body.exprs[expr].kind {
                ExprKind::Local(local) => return Some(local),
                ExprKind::Member { base: inner, .. }
                | ExprKind::Deref(inner)
                | ExprKind::Decay(inner)
                | ExprKind::AddrOf(inner)
                | ExprKind::Convert(inner)
                | ExprKind::PtrAdd { ptr: inner, .. } => inner,
                _ => return None,
            };
        }
    }
}
