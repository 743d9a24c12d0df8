//! Inline assembly: a function of which nobody has the source text. It reads its inputs, gives its outputs values that
//! are not known, changes what it has pointers to, and otherwise what functions without a body change. No
//! counterexample rests on a run that has come through it: it may not come back.

use rhumb_program::{Span, Type};

use super::Sema;
use crate::ast::AsmStmt;
use crate::hir::{Callee, ExprId, ExprKind, Stmt, StmtKind};

/// What verdicts call it where they say what they assume. No program can have a function of this name.
const NAME: &str = "inline assembly";

impl Sema<'_> {
    /// An assembler statement. Without instructions and outputs it does nothing but evaluate its inputs. Without
    /// operands it says nothing of what it does (it may be the whole body of a function), so it is not handled.
    pub(super) fn asm(&mut self, asm: &AsmStmt, span: Span, out: &mut Vec<Stmt>) {
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

/// The name of a function of the front end's own that gives a value of some type that is not known.
fn unknown(ty: &str) -> String {
    format!("__rhumb_unknown_asm_{ty}")
}
