//! What the library's C text asks of the front end: `__rhumb_*`.

use rhumb_program::{Action, Builtin, Callee, ExprId, ExprKind, InputKind, Span, Type};

use super::call::Wanted;
use super::function::FunctionLowering;
use super::threads;
use crate::ctypes::TypeId;
use crate::models;

/// What the names of these functions start with. (Those of models, which have bodies, start like that, too.)
const PREFIX: &str = "__rhumb_";

/// What the names of those start with that give what a device, or another processor, has written.
const DEVICE: &str = "device_";

/// What is not known of a run that comes through inline assembly.
const ASSEMBLY: &str = "what inline assembly does";

impl FunctionLowering<'_, '_> {
    /// A call of one of these functions.
    pub(super) fn hook(
        &mut self,
        name: &str,
        args: &[ExprId],
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Option<ExprId> {
        match name.strip_prefix(PREFIX).unwrap_or(name) {
            "stdin" => {
                let object = self.unit.stdin_object();
                Some(self.node(ExprKind::AddrOf(object), Type::Ptr))
            }
            "reads" => {
                if let &[ptr, size] = args {
                    let ptr = self.argument(ptr, Type::Ptr, span);
                    let size = self.atomic(size, span);
                    self.check_range(ptr, size, false, span);
                }
                None
            }
            "lose_errno" => {
                self.lose_errno(span);
                None
            }
            "refuse" => {
                let exprs = &self.unit.program.exprs;
                let text = match args.first().map(|&text| exprs[text].kind) {
                    Some(ExprKind::AddrOf(object)) => self.constant_bytes(object),
                    _ => None,
                };
                let text = String::from_utf8_lossy(text.unwrap_or(b"library function"));
                let text = text.trim_end_matches('\0').to_owned();
                self.unsupported(&text, span);
                None
            }
            "assembly" => {
                let pointers = args.iter().copied();
                let pointers = pointers.filter(|&arg| self.ty(arg) == Type::Ptr).collect();
                let callee = Callee::Builtin(Builtin::Outside);
                let (dst, args) = (None, pointers);
                self.emit(Action::Call { dst, callee, args }, span);
                // It may not come back: no counterexample rests on what follows, whoever looks at its results.
                self.approximate(None, ASSEMBLY.to_owned(), span);
                None
            }
            hook if threads::is_hook(hook) => self.thread_hook(hook, args, span),
            hook => {
                let ty = self.scalar(ty)?;
                let var = match self.result_var(ty, wanted, span) {
                    Some(var) => var,
                    None => self.new_var(ty, span),
                };
                if hook.starts_with("unknown_") {
                    let what = match hook.starts_with("unknown_asm_") {
                        true => ASSEMBLY.to_owned(),
                        false => self.unknown_source(),
                    };
                    self.approximate(Some(var), what, span);
                } else if ty == Type::Ptr && hook.starts_with(DEVICE) {
                    let kind = InputKind::Read(self.input_source(hook).into());
                    self.any_pointer(var, kind, span);
                } else {
                    let kind = InputKind::Read(self.input_source(hook).into());
                    self.input(var, kind, span);
                }
                Some(self.var(var))
            }
        }
    }

    /// The library function that is being lowered, as programs call it.
    fn library_name(&self) -> Option<&str> {
        let name = &self.unit.unit.functions[self.id].name;
        let name = name.strip_prefix(models::PREFIX)?;
        (!name.starts_with("__")).then_some(name)
    }

    fn unknown_source(&self) -> String {
        match self.library_name() {
            Some(name) => format!("the result of `{name}`"),
            None => "what a file holds".to_owned(),
        }
    }

    fn input_source(&self, hook: &str) -> &'static str {
        if hook.starts_with(DEVICE) {
            return "device";
        }
        match &*self.unit.unit.functions[self.id].name {
            "__rhumb_model_getenv" => "environment",
            "__rhumb_model___input_string" => "string from outside",
            _ => "standard input",
        }
    }
}
