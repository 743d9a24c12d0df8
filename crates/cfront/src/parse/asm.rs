//! Assembler statements and labels.

use super::{Parsed, Session};
use crate::ast::{AsmStmt, ExprId, ExprKind, StmtKind};
use crate::intern::Symbol;
use crate::lex::{Keyword, Punct, TokenKind};

impl Session<'_, '_> {
    /// `asm("name")` after a declarator: the name for the linker.
    pub(super) fn asm_label(&mut self) -> Parsed<Symbol> {
        self.bump();
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`asm`")?;
        let name = self.asm_string()?;
        self.expect_close(Punct::RParen, open)?;
        let text: String = match &self.ast.exprs[name].kind {
            ExprKind::Str(literal) => literal.text(),
            _ => String::new(),
        };
        Ok(self.interner.intern(&text))
    }

    /// `asm volatile ("..." : outputs : inputs : clobbers);`.
    pub(super) fn asm_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let mut jumps = false;
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::Volatile | Keyword::Inline | Keyword::Const) => {}
                TokenKind::Keyword(Keyword::Goto) => jumps = true,
                _ => break,
            }
            self.bump();
        }
        let open = self.token().span;
        self.expect_after(Punct::LParen, "`asm`")?;
        let template = self.asm_string()?;
        let mut asm = AsmStmt {
            template,
            empty_template: self.is_blank_string(template),
            has_operands: self.at(Punct::Colon),
            outputs: Vec::new(),
            inputs: Vec::new(),
            in_memory: Vec::new(),
            operands: Vec::new(),
            output_count: 0,
        };
        if self.eat(Punct::Colon) {
            self.asm_operands(
                |asm, operand, read_too| {
                    asm.outputs.push(operand);
                    if read_too {
                        asm.inputs.push(operand);
                    }
                },
                &mut asm,
            )?;
        }
        asm.output_count = asm.operands.len();
        if self.eat(Punct::Colon) {
            self.asm_operands(|asm, operand, _| asm.inputs.push(operand), &mut asm)?;
        }
        // Clobbered registers and labels.
        while self.eat(Punct::Colon) {
            while !self.at(Punct::Colon) && !self.at(Punct::RParen) {
                match self.kind() {
                    TokenKind::Str => {
                        self.asm_string()?;
                    }
                    TokenKind::Ident(_) => {
                        self.bump();
                    }
                    _ => return Err(self.expected("a string literal")),
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect_close(Punct::RParen, open)?;
        self.expect_semi("this assembler statement")?;
        Ok(if jumps {
            StmtKind::Unsupported("asm goto".to_owned())
        } else {
            StmtKind::Asm(asm)
        })
    }

    fn asm_string(&mut self) -> Parsed<ExprId> {
        if self.at(TokenKind::Str) {
            self.string_literal()
        } else {
            Err(self.expected("a string literal"))
        }
    }

    fn is_blank_string(&self, string: ExprId) -> bool {
        match &self.ast.exprs[string].kind {
            ExprKind::Str(literal) => literal
                .units
                .iter()
                .all(|&unit| u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_whitespace())),
            _ => false,
        }
    }

    /// `[name] "constraint" (expression), ...`. `add` is told whether the constraint says that the operand is also read.
    fn asm_operands(
        &mut self,
        add: impl Fn(&mut AsmStmt, ExprId, bool),
        asm: &mut AsmStmt,
    ) -> Parsed<()> {
        while !self.at(Punct::Colon) && !self.at(Punct::RParen) {
            if self.at(Punct::LBracket) {
                let open = self.bump().span;
                if !matches!(self.kind(), TokenKind::Ident(_)) {
                    return Err(self.expected("the name of an operand"));
                }
                self.bump();
                self.expect_close(Punct::RBracket, open)?;
            }
            let constraint = self.asm_string()?;
            let says = |letters: &[u8]| match &self.ast.exprs[constraint].kind {
                ExprKind::Str(literal) => {
                    let mut letters = letters.iter();
                    letters.any(|&letter| literal.units.contains(&u32::from(letter)))
                }
                _ => false,
            };
            let (read_too, is_in_memory) = (says(b"+"), says(b"moVgX<>"));
            let constraint = match &self.ast.exprs[constraint].kind {
                ExprKind::Str(literal) => literal.text(),
                _ => String::new(),
            };
            let open = self.token().span;
            self.expect_after(Punct::LParen, "the constraint of an operand")?;
            let operand = self.nested(Self::expression)?;
            self.expect_close(Punct::RParen, open)?;
            add(asm, operand, read_too);
            asm.in_memory.extend(is_in_memory.then_some(operand));
            asm.operands.push((operand, constraint));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Ok(())
    }
}
