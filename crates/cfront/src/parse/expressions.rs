//! Expressions: operators and postfix forms.

use super::{Parsed, Session};
use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::lex::{Keyword, Punct, TokenKind};

/// A binary operator whose right operand is not complete yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingOperator {
    left: ExprId,
    op: BinaryOp,
    precedence: u8,
}

impl Session<'_, '_> {
    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let mut left = self.assignment()?;
        while self.eat(Punct::Comma) {
            let right = self.assignment()?;
            let span = self.expr_span(left).to(self.expr_span(right));
            left = self.add_expr(ExprKind::Comma(left, right), span);
        }
        Ok(left)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Parsed<ExprId> {
        let left = self.conditional()?;
        let TokenKind::Punct(punct) = self.kind() else {
            return Ok(left);
        };
        let op = match punct {
            Punct::Assign => None,
            Punct::StarAssign => Some(BinaryOp::Mul),
            Punct::SlashAssign => Some(BinaryOp::Div),
            Punct::PercentAssign => Some(BinaryOp::Rem),
            Punct::PlusAssign => Some(BinaryOp::Add),
            Punct::MinusAssign => Some(BinaryOp::Sub),
            Punct::ShlAssign => Some(BinaryOp::Shl),
            Punct::ShrAssign => Some(BinaryOp::Shr),
            Punct::AmpAssign => Some(BinaryOp::BitAnd),
            Punct::CaretAssign => Some(BinaryOp::BitXor),
            Punct::PipeAssign => Some(BinaryOp::BitOr),
            _ => return Ok(left),
        };
        self.bump();
        let right = self.nested(Self::assignment)?;
        let span = self.expr_span(left).to(self.expr_span(right));
        Ok(self.add_expr(ExprKind::Assign(op, left, right), span))
    }

    /// An expression without commas and assignments.
    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        let cond = self.binary()?;
        if !self.at(Punct::Question) {
            return Ok(cond);
        }
        let question = self.bump().span;
        let then = if self.at(Punct::Colon) {
            None
        } else {
            Some(self.nested(Self::expression)?)
        };
        self.expect_close(Punct::Colon, question)?;
        let otherwise = self.nested(Self::conditional)?;
        let span = self.expr_span(cond).to(self.expr_span(otherwise));
        Ok(self.add_expr(ExprKind::Cond(cond, then, otherwise), span))
    }

    /// Operands with binary operators between them. The operators that wait for their right operand are on a stack of their own, so a
    /// long chain costs no recursion.
    fn binary(&mut self) -> Parsed<ExprId> {
        let mut operand = self.unary()?;
        let base = self.operators.len();
        while let Some((op, precedence)) = binary_operator(self.kind()) {
            operand = self.reduce(base, precedence, operand);
            self.operators.push(PendingOperator {
                left: operand,
                op,
                precedence,
            });
            self.bump();
            operand = match self.unary() {
                Ok(operand) => operand,
                Err(error) => {
                    self.operators.truncate(base);
                    return Err(error);
                }
            };
        }
        Ok(self.reduce(base, 0, operand))
    }

    /// Applies the pending operators above `base` that bind at least as tightly as `precedence`.
    #[inline]
    fn reduce(&mut self, base: usize, precedence: u8, mut right: ExprId) -> ExprId {
        while self.operators.len() > base {
            let pending = self.operators[self.operators.len() - 1];
            if pending.precedence < precedence {
                break;
            }
            self.operators.pop();
            let span = self.expr_span(pending.left).to(self.expr_span(right));
            right = self.add_expr(ExprKind::Binary(pending.op, pending.left, right), span);
        }
        right
    }

    /// A unary expression or a cast.
    pub(super) fn unary(&mut self) -> Parsed<ExprId> {
        match self.kind() {
            TokenKind::Punct(punct) => match punct {
                Punct::LParen => self.open_paren(),
                Punct::Amp => self.prefix(UnaryOp::AddrOf),
                Punct::Star => self.prefix(UnaryOp::Deref),
                Punct::Plus => self.prefix(UnaryOp::Plus),
                Punct::Minus => self.prefix(UnaryOp::Neg),
                Punct::Tilde => self.prefix(UnaryOp::BitNot),
                Punct::Bang => self.prefix(UnaryOp::Not),
                Punct::PlusPlus => self.prefix_step(true),
                Punct::MinusMinus => self.prefix_step(false),
                Punct::AmpAmp => self.label_address(),
                _ => Err(self.expected("an expression")),
            },
            TokenKind::Keyword(Keyword::Sizeof) => {
                self.size_or_align(ExprKind::SizeofExpr, ExprKind::SizeofType)
            }
            TokenKind::Keyword(Keyword::Alignof) => {
                self.size_or_align(ExprKind::AlignofExpr, ExprKind::AlignofType)
            }
            TokenKind::Keyword(Keyword::GnuAlignof) => {
                self.size_or_align(ExprKind::AlignofExpr, ExprKind::PreferredAlignofType)
            }
            TokenKind::Keyword(Keyword::Extension) => {
                self.skip_extension();
                self.nested(Self::unary)
            }
            TokenKind::Keyword(keyword @ (Keyword::Real | Keyword::Imag)) => {
                let start = self.bump().span;
                self.nested(Self::unary)?;
                let kind = ExprKind::Unsupported(keyword.text().to_owned());
                let span = self.span_since(start);
                Ok(self.add_expr(kind, span))
            }
            _ => {
                let primary = self.primary()?;
                self.postfix(primary)
            }
        }
    }

    fn prefix(&mut self, op: UnaryOp) -> Parsed<ExprId> {
        let start = self.bump().span;
        let operand = self.nested(Self::unary)?;
        let span = start.to(self.expr_span(operand));
        Ok(self.add_expr(ExprKind::Unary(op, operand), span))
    }

    fn prefix_step(&mut self, increment: bool) -> Parsed<ExprId> {
        let start = self.bump().span;
        let arg = self.nested(Self::unary)?;
        let kind = ExprKind::IncDec {
            arg,
            increment,
            prefix: true,
        };
        let span = start.to(self.expr_span(arg));
        Ok(self.add_expr(kind, span))
    }

    /// `&&label`.
    fn label_address(&mut self) -> Parsed<ExprId> {
        let start = self.bump().span;
        let TokenKind::Ident(label) = self.kind() else {
            return Err(self.expected("the name of a label after `&&`"));
        };
        let span = start.to(self.bump().span);
        Ok(self.add_expr(ExprKind::LabelAddr(label), span))
    }

    /// `sizeof` and `_Alignof`, of a type or of an expression.
    fn size_or_align(
        &mut self,
        of_expr: fn(ExprId) -> ExprKind,
        of_type: fn(Box<crate::ast::TypeName>) -> ExprKind,
    ) -> Parsed<ExprId> {
        let start = self.bump().span;
        let next = if self.at(Punct::LParen) {
            self.peek()
        } else {
            TokenKind::Eof
        };
        let kind = if self.is_type_start(next) {
            let open = self.token().span;
            let ty = self.parenthesized_type()?;
            if self.at(Punct::LBrace) {
                let literal = self.compound_literal(ty, open)?;
                of_expr(self.postfix(literal)?)
            } else {
                of_type(Box::new(ty))
            }
        } else {
            of_expr(self.nested(Self::unary)?)
        };
        let span = self.span_since(start);
        Ok(self.add_expr(kind, span))
    }

    /// What starts with `(`: a cast, a compound literal, a statement expression or an expression in parentheses.
    fn open_paren(&mut self) -> Parsed<ExprId> {
        let open = self.token().span;
        let next = self.peek();
        if self.is_type_start(next) {
            let ty = self.parenthesized_type()?;
            if self.at(Punct::LBrace) {
                let literal = self.compound_literal(ty, open)?;
                return self.postfix(literal);
            }
            let operand = self.nested(Self::unary)?;
            let span = open.to(self.expr_span(operand));
            return Ok(self.add_expr(ExprKind::Cast(Box::new(ty), operand), span));
        }
        self.bump();
        let inner = if next == Punct::LBrace.into() {
            let body = self.nested(Self::block)?;
            self.add_expr(ExprKind::StmtExpr(body), open)
        } else {
            self.nested(Self::expression)?
        };
        self.expect_close(Punct::RParen, open)?;
        // What the parentheses enclose is one thing to the eye.
        self.ast.exprs[inner].span = self.span_since(open);
        self.postfix(inner)
    }

    /// `[...]`, `(...)`, `.x`, `->x`, `++` and `--` behind an expression.
    pub(super) fn postfix(&mut self, mut base: ExprId) -> Parsed<ExprId> {
        loop {
            let TokenKind::Punct(punct) = self.kind() else {
                return Ok(base);
            };
            let open = self.token().span;
            let kind = match punct {
                Punct::LBracket => {
                    self.bump();
                    let index = self.nested(Self::expression)?;
                    self.expect_close(Punct::RBracket, open)?;
                    ExprKind::Index(base, index)
                }
                Punct::LParen => {
                    self.bump();
                    let args = self.nested(Self::arguments)?;
                    self.expect_close(Punct::RParen, open)?;
                    ExprKind::Call(base, args)
                }
                Punct::Dot | Punct::Arrow => {
                    self.bump();
                    let TokenKind::Ident(name) = self.kind() else {
                        let what = format!("the name of a member after `{}`", punct.text());
                        return Err(self.expected(&what));
                    };
                    ExprKind::Member {
                        base,
                        name,
                        arrow: punct == Punct::Arrow,
                        name_span: self.bump().span,
                    }
                }
                Punct::PlusPlus | Punct::MinusMinus => {
                    self.bump();
                    ExprKind::IncDec {
                        arg: base,
                        increment: punct == Punct::PlusPlus,
                        prefix: false,
                    }
                }
                _ => return Ok(base),
            };
            let span = self.span_since(self.expr_span(base));
            base = self.add_expr(kind, span);
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        let mut args = Vec::new();
        if self.at(Punct::RParen) {
            return Ok(args);
        }
        loop {
            args.push(self.assignment()?);
            if !self.eat(Punct::Comma) {
                return Ok(args);
            }
        }
    }
}

/// The binary operator that a token is, with how tightly it binds.
#[inline]
fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    let TokenKind::Punct(punct) = kind else {
        return None;
    };
    Some(match punct {
        Punct::PipePipe => (BinaryOp::LogOr, 1),
        Punct::AmpAmp => (BinaryOp::LogAnd, 2),
        Punct::Pipe => (BinaryOp::BitOr, 3),
        Punct::Caret => (BinaryOp::BitXor, 4),
        Punct::Amp => (BinaryOp::BitAnd, 5),
        Punct::EqEq => (BinaryOp::Eq, 6),
        Punct::Ne => (BinaryOp::Ne, 6),
        Punct::Lt => (BinaryOp::Lt, 7),
        Punct::Gt => (BinaryOp::Gt, 7),
        Punct::Le => (BinaryOp::Le, 7),
        Punct::Ge => (BinaryOp::Ge, 7),
        Punct::Shl => (BinaryOp::Shl, 8),
        Punct::Shr => (BinaryOp::Shr, 8),
        Punct::Plus => (BinaryOp::Add, 9),
        Punct::Minus => (BinaryOp::Sub, 9),
        Punct::Star => (BinaryOp::Mul, 10),
        Punct::Slash => (BinaryOp::Div, 10),
        Punct::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}
