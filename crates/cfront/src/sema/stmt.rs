//! Statements.

use rhumb_program::Span;

use super::convert::Context;
use super::jump::{Barrier, Inside};
use super::{RED_ZONE, STACK_PIECE, Sema};
use crate::ast::{self, StmtKind as AstStmt};
use crate::ctypes::CType;
use crate::hir::{Block, Callee, ExprId, ExprKind, ForLoop, Stmt, StmtKind};

impl Sema<'_> {
    /// The statements of a block, in the scope that is open.
    pub(super) fn block_items(&mut self, items: &[ast::StmtId], out: &mut Vec<Stmt>) {
        for &item in items {
            if self.diags.too_many() {
                return;
            }
            self.stmt(item, out);
        }
    }

    /// A statement where one is wanted. It is a scope of its own, braces or not (C11 6.8.4, 6.8.5).
    pub(super) fn single(&mut self, id: ast::StmtId) -> Stmt {
        let mut list = Vec::with_capacity(1);
        self.unit.scopes.open();
        self.stmt(id, &mut list);
        self.unit.scopes.close();
        match (list.pop(), list.is_empty()) {
            (Some(only), true) => only,
            (last, _) => {
                list.extend(last);
                Stmt {
                    kind: StmtKind::Sequence(list),
                    span: self.ast.stmts[id].span,
                }
            }
        }
    }

    fn stmt(&mut self, id: ast::StmtId, out: &mut Vec<Stmt>) {
        stacker::maybe_grow(RED_ZONE, STACK_PIECE, || self.stmt_inner(id, out));
    }

    fn stmt_inner(&mut self, id: ast::StmtId, out: &mut Vec<Stmt>) {
        let ast = self.ast;
        let ast::Stmt { kind, span } = &ast.stmts[id];
        let span = *span;
        let kind = match kind {
            AstStmt::Expr(None) | AstStmt::LocalLabels(_) => {
                if let AstStmt::LocalLabels(names) = kind {
                    for &name in names {
                        self.local_label(name, span);
                    }
                }
                return;
            }
            AstStmt::Expr(Some(expr)) => {
                let expr = self.expr(*expr);
                StmtKind::Expr(self.for_effect(expr))
            }
            AstStmt::Declaration(declaration) => return self.block_declaration(declaration, out),
            AstStmt::StaticAssert(assertion) if assertion.is_bare => {
                return self.bare_static_assert(assertion, out);
            }
            AstStmt::StaticAssert(assertion) => return self.static_assert(assertion),
            AstStmt::Block(items) => StmtKind::Block(self.block(items, span)),
            AstStmt::Sequence(items) => return self.block_items(items, out),
            AstStmt::If { arms, otherwise } => {
                let mut list = Vec::with_capacity(arms.len());
                for (cond, then) in arms {
                    // What a condition declares is known up to the end of its statement, to which the arms behind it belong.
                    self.unit.scopes.open();
                    let cond = self.scalar(*cond, "a condition");
                    list.push((cond, self.single(*then)));
                }
                let otherwise = otherwise.map(|otherwise| Box::new(self.single(otherwise)));
                for _ in arms {
                    self.unit.scopes.close();
                }
                StmtKind::If {
                    arms: list,
                    otherwise,
                }
            }
            AstStmt::While(cond, body) => {
                self.unit.scopes.open();
                let cond = self.scalar(*cond, "a condition");
                let body = self.loop_body(*body);
                self.unit.scopes.close();
                StmtKind::While { cond, body }
            }
            AstStmt::DoWhile(body, cond) => {
                self.unit.scopes.open();
                let body = self.loop_body(*body);
                let cond = self.scalar(*cond, "a condition");
                self.unit.scopes.close();
                StmtKind::DoWhile { body, cond }
            }
            AstStmt::For {
                init,
                cond,
                step,
                body,
            } => self.for_loop(*init, *cond, *step, *body, span),
            AstStmt::Switch(value, body) => {
                self.unit.scopes.open();
                let switch = self.switch(*value, *body);
                self.unit.scopes.close();
                switch
            }
            AstStmt::Case(lo, hi) => return self.case(*lo, *hi, span, out),
            AstStmt::Default => return self.default_label(span, out),
            AstStmt::Label(name) => StmtKind::Label(self.label_defined(*name, span)),
            AstStmt::Goto(name) => {
                let label = self.label_used(*name, span);
                self.unit.body.jumps.goto(label, span);
                StmtKind::Goto(label)
            }
            AstStmt::GotoComputed(target) => {
                let target = self.rvalue(*target);
                let pointer = self.unit.types.basic.void_ptr;
                let target = self.convert(target, pointer);
                let number = self.unit.body.jumps.computed_goto();
                StmtKind::GotoComputed { target, number }
            }
            AstStmt::Break if self.unit.body.breakable == 0 => {
                return self.error(span, "`break` stands outside of a loop or `switch`");
            }
            AstStmt::Break => StmtKind::Break,
            AstStmt::Continue if self.unit.body.loops == 0 => {
                return self.error(span, "`continue` stands outside of a loop");
            }
            AstStmt::Continue => StmtKind::Continue,
            AstStmt::Return(value) => return self.return_stmt(*value, span, out),
            AstStmt::Asm(asm) => return self.asm(asm, span, out),
            AstStmt::Unsupported(what) => StmtKind::Unsupported(what.clone()),
        };
        out.push(Stmt { kind, span });
    }

    /// An expression that is evaluated for its effect alone. A place isn't read.
    fn for_effect(&mut self, expr: ExprId) -> ExprId {
        let value = self.value(expr);
        match self.hir(value).kind {
            // Calls and assignments are what statements are made of; their value is dropped anyway.
            ExprKind::Call { .. } | ExprKind::Assign { .. } | ExprKind::Update(_) => value,
            _ => self.discard(value),
        }
    }

    fn block(&mut self, items: &[ast::StmtId], span: Span) -> Block {
        let outside = self.open_block(span);
        let mut stmts = Vec::with_capacity(items.len());
        self.block_items(items, &mut stmts);
        self.close_block(outside);
        Block { stmts, span }
    }

    /// Opens a scope that reaches to the end of the span.
    fn open_block(&mut self, span: Span) -> Inside {
        self.unit.scopes.open();
        self.unit.body.block_ends.push(span.hi);
        self.unit.body.jumps.here()
    }

    fn close_block(&mut self, outside: Inside) {
        self.unit.body.jumps.leave_to(outside);
        self.unit.body.block_ends.pop();
        self.unit.scopes.close();
    }

    fn loop_body(&mut self, body: ast::StmtId) -> Box<Stmt> {
        self.unit.body.loops += 1;
        self.unit.body.breakable += 1;
        let body = self.single(body);
        self.unit.body.breakable -= 1;
        self.unit.body.loops -= 1;
        Box::new(body)
    }

    fn for_loop(
        &mut self,
        init: Option<ast::StmtId>,
        cond: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: ast::StmtId,
        span: Span,
    ) -> StmtKind {
        let outside = self.open_block(span);
        let mut first = Vec::new();
        if let Some(init) = init {
            self.stmt(init, &mut first);
        }
        let cond = cond.map(|cond| self.scalar(cond, "a condition"));
        let step = step.map(|step| {
            let step = self.expr(step);
            self.for_effect(step)
        });
        let body = self.loop_body(body);
        self.close_block(outside);
        StmtKind::For(ForLoop {
            init: first,
            cond,
            step,
            body,
        })
    }

    fn return_stmt(&mut self, value: Option<ast::ExprId>, span: Span, out: &mut Vec<Stmt>) {
        let result = match &self.unit.body.function {
            Some(function) => function.result,
            None => self.unit.types.basic.error,
        };
        let is_void = matches!(self.unit.types.get(result), CType::Void);
        let value = value.map(|value| self.rvalue(value));
        let value = match value {
            None => {
                if !is_void && !self.is_error_type(result) {
                    self.warn(
                        span,
                        "`return` without a value in a function that returns one",
                    );
                }
                None
            }
            Some(value) if is_void => {
                if !matches!(self.ctype(value), CType::Void | CType::Error) {
                    self.warn(
                        span,
                        "`return` with a value in a function that returns none",
                    );
                }
                let value = self.discard(value);
                out.push(Stmt {
                    kind: StmtKind::Expr(value),
                    span,
                });
                None
            }
            Some(value) => {
                let value_span = self.span(value);
                Some(self.convert_assign(value, result, Context::Return, value_span))
            }
        };
        out.push(Stmt {
            kind: StmtKind::Return(value),
            span,
        });
    }

    /// `static_assert(e);` in a block, without a declaration of it: of a constant, C23's static assertion; otherwise a
    /// call, as for any function without a declaration.
    fn bare_static_assert(&mut self, assertion: &ast::StaticAssert, out: &mut Vec<Stmt>) {
        let value = self.rvalue(assertion.cond);
        if self.is_error(value) || self.fold_integer(value).is_some() {
            return self.static_assert(assertion);
        }
        let value = self.check_scalar(value, "the condition");
        let function = self.generic_builtin("static_assert", assertion.span);
        let kind = ExprKind::Call {
            callee: Callee::Function(function),
            args: vec![self.default_promote(value)],
        };
        let int = self.unit.types.basic.int;
        let call = self.push(kind, int, assertion.span);
        out.push(Stmt {
            kind: StmtKind::Expr(call),
            span: assertion.span,
        });
    }

    /// `({ … })`: its value is that of the expression statement at its end.
    pub(super) fn statement_expr(&mut self, block: ast::StmtId, span: Span) -> ExprId {
        if !self.in_function() {
            return self.fail(span, "a statement expression stands outside of a function");
        }
        let ast = self.ast;
        let ast::Stmt { kind, span: inner } = &ast.stmts[block];
        let AstStmt::Block(items) = kind else {
            return self.error_expr(span);
        };
        let last = items
            .split_last()
            .and_then(|(&last, rest)| match ast.stmts[last].kind {
                AstStmt::Expr(Some(expr)) => Some((expr, rest)),
                _ => None,
            });
        let outside = self.open_block(*inner);
        self.unit.body.jumps.enter(Barrier::StatementExpr);
        let mut stmts = Vec::new();
        let mut result = None;
        match last {
            None => self.block_items(items, &mut stmts),
            Some((expr, rest)) => {
                self.block_items(rest, &mut stmts);
                result = Some(self.rvalue(expr));
            }
        }
        self.close_block(outside);
        let ty = match result {
            Some(result) => self.ty(result),
            None => self.unit.types.basic.void,
        };
        // The value of a `void` or broken expression is its effect.
        if let Some(effect) = result
            && (self.is_error(effect) || matches!(self.ctype(effect), CType::Void))
        {
            if self.is_error(effect) {
                return effect;
            }
            let effect_span = self.span(effect);
            stmts.push(Stmt {
                kind: StmtKind::Expr(effect),
                span: effect_span,
            });
            result = None;
        }
        let block = Box::new(Block {
            stmts,
            span: *inner,
        });
        self.push(ExprKind::StmtExpr { block, result }, ty, span)
    }
}
