//! Inline assembly: a function of which nobody has the source text. It reads its inputs, gives its outputs values that
//! are not known, changes what it has pointers to, and otherwise what functions without a body change. No
//! counterexample rests on a run that has come through it: it may not come back. Some instructions are known
//! ([`x86`]); a statement that has no others does what they do, and nothing else.

mod x86;

use rhumb_program::{Span, Type};

use super::Sema;
use crate::ast::{self, AsmStmt};
use crate::ctypes::CType;
use crate::hir::{BinaryOp, Callee, CompareOp, ExprId, ExprKind, Stmt, StmtKind, Update, UpdateOp};
use x86::{Instruction, Source, Test};

/// What verdicts call it where they say what they assume. No program can have a function of this name.
const NAME: &str = "inline assembly";

/// Operands that are deeper are not looked at.
const MAX_DEPTH: u32 = 32;

impl Sema<'_> {
    /// An assembler statement. Without instructions and outputs it does nothing but evaluate its inputs. Without
    /// operands it says nothing of what it does (it may be the whole body of a function), so it is not handled.
    pub(super) fn asm(&mut self, asm: &AsmStmt, span: Span, out: &mut Vec<Stmt>) {
        if let Some(known) = self.known_asm(asm, span) {
            let kinds = known.into_iter().map(StmtKind::Expr);
            out.extend(kinds.map(|kind| Stmt { kind, span }));
            return;
        }
        let outputs: Vec<ExprId> = asm
            .outputs
            .iter()
            .map(|&output| self.expr(output))
            .collect();
        let inputs: Vec<ExprId> = asm.inputs.iter().map(|&input| self.rvalue(input)).collect();
        let does_something = !asm.empty_template || !asm.outputs.is_empty();
        let is_scalar = |&output: &ExprId| self.unit.types.scalar(self.ty(output)).is_some();
        if does_something && (!asm.has_operands || !outputs.iter().all(is_scalar)) {
            let kind = StmtKind::Unsupported("inline assembly".to_string());
            out.push(Stmt { kind, span });
            return;
        }
        let mut run = |kind: ExprId| {
            let kind = StmtKind::Expr(kind);
            out.push(Stmt { kind, span });
        };
        let is_pointer =
            |sema: &Self, id: ExprId| sema.unit.types.scalar(sema.ty(id)) == Some(Type::Ptr);
        let mut pointers = Vec::new();
        for input in inputs {
            match is_pointer(self, input) {
                true => pointers.push(input),
                false => run(self.discard(input)),
            }
        }
        for &operand in &asm.in_memory {
            let place = self.expr(operand);
            if !self.is_error(place)
                && self.is_lvalue(place)
                && self.bit_field_place(place).is_none()
            {
                pointers.push(self.address_of(place, span));
            }
        }
        if !asm.empty_template {
            let int = self.unit.types.basic.int;
            for (name, args) in [(NAME, Vec::new()), ("__rhumb_assembly", pointers)] {
                let function = self.generic_builtin(name, span);
                let callee = Callee::Function(function);
                let call = self.push(ExprKind::Call { callee, args }, int, span);
                run(self.discard(call));
            }
        }
        for output in outputs {
            if self.is_error(output) || !self.check_assignable(output, span) {
                continue;
            }
            let ty = self.ty(output);
            let function = self.function_of_type(&unknown(&format!("{ty:?}")), ty, span);
            let kind = ExprKind::Call {
                callee: Callee::Function(function),
                args: Vec::new(),
            };
            let value = self.push(kind, ty, span);
            run(self.assign_value(output, value, span));
        }
    }
}

impl Sema<'_> {
    /// What a statement does all of whose instructions are known.
    fn known_asm(&mut self, asm: &AsmStmt, span: Span) -> Option<Vec<ExprId>> {
        let ast::ExprKind::Str(template) = &self.ast.exprs[asm.template].kind else {
            return None;
        };
        if asm.empty_template || !asm.has_operands {
            return None;
        }
        let instructions = x86::instructions(&template.text())?;
        // An operand is read before anything is written, and may share its register with one that is written: what a
        // second instruction reads is not known.
        if instructions.len() > 1 {
            return None;
        }
        let is_tied =
            |constraint: &str| constraint.contains(|c: char| c.is_ascii_digit() || c == '[');
        let is_plain = |&(operand, ref constraint): &(ast::ExprId, String)| {
            !is_tied(constraint) && self.is_plain(operand, MAX_DEPTH)
        };
        if !asm.operands.iter().all(is_plain) {
            return None;
        }
        let mut written = Vec::new();
        // What is given in a register is evaluated, whoever reads it.
        let inputs = asm.operands[asm.output_count..].iter();
        let inputs = inputs.filter(|(_, constraint)| !is_in_memory(constraint));
        let mut effects = Vec::new();
        for &(input, _) in inputs {
            let value = self.rvalue(input);
            effects.push(self.discard(value));
        }
        for instruction in instructions {
            effects.push(self.known_instruction(asm, instruction, &mut written, span)?);
        }
        let outputs = asm.operands[..asm.output_count].iter().enumerate();
        let mut outputs = outputs.filter(|(_, (_, constraint))| !constraint.contains('+'));
        let are_written = outputs.all(|(number, _)| written.contains(&number));
        (are_written && self.lie_apart(asm, &written)).then_some(effects)
    }

    /// Whether it doesn't matter in which order outputs get their values: they are different variables, or what is written first
    /// lies in memory, and registers are written back behind it. Then none may be written back as it was.
    fn lie_apart(&self, asm: &AsmStmt, written: &[usize]) -> bool {
        let outputs = &asm.operands[..asm.output_count];
        let names = outputs
            .iter()
            .map(|(operand, _)| match &self.ast.exprs[*operand].kind {
                ast::ExprKind::Ident(name) => Some(name),
                _ => None,
            });
        let names: Vec<_> = names.collect();
        let is_one_variable = |name: &Option<_>| {
            name.is_some() && names.iter().filter(|other| *other == name).count() == 1
        };
        let is_memory_first = || {
            let first = written.first().and_then(|&first| outputs.get(first));
            first.is_some_and(|(_, constraint)| is_in_memory(constraint))
                && (0..outputs.len()).all(|number| written.contains(&number))
        };
        names.len() < 2 || names.iter().all(is_one_variable) || is_memory_first()
    }

    fn known_instruction(
        &mut self,
        asm: &AsmStmt,
        instruction: Instruction,
        written: &mut Vec<usize>,
        span: Span,
    ) -> Option<ExprId> {
        let effect = match instruction {
            Instruction::Given { to, size } => {
                let place = self.asm_place(asm, to, written)?;
                let ty = self.ty(place);
                let scalar = self.unit.types.scalar(ty)?;
                let is_whole = size.is_none_or(|size| self.unit.types.size_of(ty) == Some(size));
                if !is_whole || !matches!(scalar, Type::Int(_) | Type::Ptr) {
                    return None;
                }
                let name = format!("__rhumb_device_{ty:?}");
                let function = self.function_of_type(&name, ty, span);
                let callee = Callee::Function(function);
                let args = Vec::new();
                let value = self.push(ExprKind::Call { callee, args }, ty, span);
                self.assign_value(place, value, span)
            }
            Instruction::Move { from, to, size } => {
                let value = self.asm_value(asm, from, size, span)?;
                let place = self.asm_number(asm, to, size, written)?;
                self.assign_value(place, value, span)
            }
            Instruction::FetchAdd {
                operand,
                place,
                size,
                locked,
            } => {
                let by = self.asm_value(asm, Source::Operand(operand), size, span)?;
                self.asm_value(asm, Source::Operand(place), size, span)?;
                let place = self.asm_number(asm, place, size, written)?;
                let sum = self.asm_update(place, BinaryOp::Add, by, true, locked, span)?;
                let to = self.asm_number(asm, operand, size, written)?;
                self.assign_value(to, sum, span)
            }
            Instruction::Update {
                op,
                by,
                place,
                size,
                locked,
                test,
            } => {
                let by = self.asm_value(asm, by, size, span)?;
                self.asm_value(asm, Source::Operand(place), size, span)?;
                let place = self.asm_number(asm, place, size, written)?;
                let result = self.asm_update(place, op, by, false, locked, span)?;
                match test {
                    None => result,
                    Some((test, to)) => {
                        let to = self.asm_number(asm, to, 1, written)?;
                        let answer = self.asm_answer(test, result, size, span)?;
                        self.assign_value(to, answer, span)
                    }
                }
            }
        };
        (!self.is_error(effect)).then(|| self.discard(effect))
    }

    /// The place of an operand that is written.
    fn asm_place(
        &mut self,
        asm: &AsmStmt,
        number: usize,
        written: &mut Vec<usize>,
    ) -> Option<ExprId> {
        let (operand, constraint) = asm.operands.get(number)?;
        let is_output = number < asm.output_count;
        // What may be in a register is a copy.
        if !is_output && !is_in_memory(constraint) {
            return None;
        }
        // Where a second one lies was found out before the first one was written.
        let is_variable = matches!(self.ast.exprs[*operand].kind, ast::ExprKind::Ident(_));
        if !written.is_empty() && (!is_variable || written.contains(&number)) {
            return None;
        }
        written.push(number);
        let place = self.expr(*operand);
        if self.is_error(place) || !self.is_lvalue(place) {
            return None;
        }
        let quals = self.place_quals(place);
        // Some write to memory that is said to be read; where it is volatile nobody relies on that.
        let may_be_written = !quals.is_const && (is_output || quals.is_volatile);
        (may_be_written && self.bit_field_place(place).is_none()).then_some(place)
    }

    /// The same for an integer of this size.
    fn asm_number(
        &mut self,
        asm: &AsmStmt,
        number: usize,
        size: u64,
        written: &mut Vec<usize>,
    ) -> Option<ExprId> {
        let place = self.asm_place(asm, number, written)?;
        self.is_asm_number(place, size).then_some(place)
    }

    fn is_asm_number(&self, expr: ExprId, size: u64) -> bool {
        let ty = self.ty(expr);
        matches!(self.unit.types.get(ty), CType::Int(_))
            && self.unit.types.size_of(ty) == Some(size)
    }

    /// The value of what is read: an operand that has one, or a number.
    fn asm_value(
        &mut self,
        asm: &AsmStmt,
        source: Source,
        size: u64,
        span: Span,
    ) -> Option<ExprId> {
        let number = match source {
            Source::Number(number) => {
                let long = self.unit.types.basic.long;
                return Some(self.int_const(number.into(), long, span));
            }
            Source::Operand(number) => number,
        };
        let (operand, constraint) = asm.operands.get(number)?;
        // Of an output that is only written gcc need not store what it was before.
        let has_value = number >= asm.output_count || constraint.contains('+');
        let value = self.rvalue(*operand);
        (has_value && !self.is_error(value) && self.is_asm_number(value, size)).then_some(value)
    }

    /// Computes in a place: without overflow, and in one step if it is locked.
    fn asm_update(
        &mut self,
        place: ExprId,
        op: BinaryOp,
        by: ExprId,
        old: bool,
        atomic: bool,
        span: Span,
    ) -> Option<ExprId> {
        let ty = self.ty(place);
        let CType::Int(kind) = *self.unit.types.get(ty) else {
            return None;
        };
        let compute = self.unit.types.int(kind.to_unsigned());
        let update = Update {
            place,
            op: UpdateOp::Binary(op),
            rhs: self.convert(by, compute),
            compute,
            old,
            atomic,
        };
        Some(self.push(ExprKind::Update(update), ty, span))
    }

    /// 0 or 1: what is asked about a result.
    fn asm_answer(&mut self, test: Test, result: ExprId, size: u64, span: Span) -> Option<ExprId> {
        let basic = self.unit.types.basic;
        // The sign is that of the size that is computed with, whatever the type says.
        let signed = match size {
            4 => basic.int,
            8 if self.unit.types.size_of(basic.long) == Some(8) => basic.long,
            _ if matches!(test, Test::Zero | Test::NotZero) => basic.long,
            _ => return None,
        };
        let value = self.convert(result, signed);
        let zero = self.int_const(0, signed, span);
        let op = match test {
            Test::Zero => CompareOp::Eq,
            Test::NotZero => CompareOp::Ne,
            Test::Negative => CompareOp::Lt,
            Test::NotNegative => CompareOp::Ge,
        };
        Some(self.push(ExprKind::Compare(op, value, zero), basic.int, span))
    }

    /// Whether an expression does nothing but read, so that it doesn't matter how often it is evaluated.
    fn is_plain(&self, expr: ast::ExprId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        match &self.ast.exprs[expr].kind {
            ast::ExprKind::Ident(_) | ast::ExprKind::Int(_) | ast::ExprKind::Char(..) => true,
            ast::ExprKind::Member { base: arg, .. }
            | ast::ExprKind::Unary(_, arg)
            | ast::ExprKind::Cast(_, arg) => self.is_plain(*arg, depth),
            ast::ExprKind::Index(a, b) | ast::ExprKind::Binary(_, a, b) => {
                self.is_plain(*a, depth) && self.is_plain(*b, depth)
            }
            _ => false,
        }
    }
}

/// Whether an operand is in memory, whatever the compiler chooses.
fn is_in_memory(constraint: &str) -> bool {
    let mut classes = constraint.chars().filter(|c| !"=+&".contains(*c));
    constraint.contains('m') && classes.all(|class| class == 'm')
}

/// The name of a function of the front end's own that gives a value of some type that is not known.
fn unknown(ty: &str) -> String {
    format!("__rhumb_unknown_asm_{ty}")
}
