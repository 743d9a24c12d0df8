//! Functions without a body of which we know little: those of the C library without a model, and those that nobody defines.

use rhumb_program::{
    Callee, ExprId, ExprKind, ExternalEffect, Init, InputKind, ObjectId, Part, Span, Type,
};

use super::UnitLowering;
use super::call::OuterCall;
use super::function::FunctionLowering;
use super::functions::{Effect, FORMATS, effect, plain_name};
use crate::ctypes::CType;
use crate::diagnostic::Diagnostic;
use crate::hir::FunctionId;

/// Where headers lie that come with the system.
const SYSTEM_HEADERS: &[&str] = &["/usr/include/", "/usr/lib/", "/usr/local/include/"];

impl UnitLowering<'_> {
    /// Whether a declaration stands in a header of the system.
    pub(super) fn is_system(&self, span: Span) -> bool {
        let position = self.program.sources.position(span);
        let mut headers = SYSTEM_HEADERS.iter();
        headers.any(|prefix| position.file.starts_with(prefix))
    }

    /// What a function can do that belongs to the system: by its name, or because a header of the system declares it.
    pub(super) fn library_effect(&self, id: FunctionId) -> Option<Effect> {
        let function = &self.unit.functions[id];
        if self.is_own(id) {
            return None;
        }
        effect(&function.name).or_else(|| {
            let is_of_system = self.is_system(function.span);
            is_of_system.then_some(Effect::Refused("is not known"))
        })
    }
}

impl FunctionLowering<'_, '_> {
    /// A function that we know nothing about, or only that it belongs to the library.
    pub(super) fn unknown_call(&mut self, call: OuterCall<'_>) -> Option<ExprId> {
        let (id, args) = (call.id, call.args);
        let (ty, wanted, span) = (call.ty, call.wanted, call.span);
        if let Some(effect) = self.unit.library_effect(id) {
            return self.known_call(call, effect);
        }
        let declared = &self.unit.unit.functions[id];
        let name = declared.name.clone();
        if self.refuse_foreign(id, args, span) {
            return None;
        }
        if declared.noreturn {
            // As `exit` would do it, where that does more than to end the run.
            self.exit_with(None, span);
            return None;
        }
        let Some(effect) = self.unit.meaning_of(id) else {
            self.unsupported(&format!("`{name}`, which has no body"), span);
            return None;
        };
        self.announce(id, effect, span);
        if effect == ExternalEffect::Memory {
            let is_stub = self.unit.functions[id] == Some(self.func);
            if self.unit.visible.is_large && !is_stub {
                let stub = self.unit.undefined_function_stub(id);
                let callee = Callee::Function(stub);
                return self.emit_call(callee, args.to_vec(), ty, wanted, span);
            }
            self.change_outside(id, args, span);
        }
        if self.unit.is_record(ty) {
            return self.record_input(ty, InputKind::UndefinedFunction(name), span);
        }
        let scalar = self.scalar(ty)?;
        let var = self.result_var(scalar, wanted, span);
        // An input event happens whether or not the result is wanted, so that the number of events doesn't depend on that.
        let var = var.unwrap_or_else(|| self.new_var(scalar, span));
        let kind = InputKind::UndefinedFunction(name.clone());
        if scalar == Type::Ptr {
            let contents = InputKind::Outside {
                function: Some(name),
                part: Part::Result,
            };
            self.pointer_from_outside(var, ty, [kind, contents], span);
        } else {
            self.input(var, kind, span);
        }
        Some(self.var(var))
    }

    /// Whether a library function could write through one of its arguments.
    pub(super) fn may_write(&self, id: FunctionId, args: &[ExprId]) -> bool {
        let types = &self.unit.unit.types;
        let function = &self.unit.unit.functions[id];
        let CType::Function(ty) = types.get(function.ty) else {
            return true;
        };
        args.iter().enumerate().any(|(index, &arg)| {
            let to_const = ty.params.get(index).is_some_and(
                |&param| matches!(types.get(param), CType::Pointer(to) if to.quals.is_const),
            );
            self.ty(arg) == Type::Ptr && !to_const && !self.is_null(arg)
        })
    }

    /// Whether an argument is the constant null.
    pub(super) fn is_null(&self, arg: ExprId) -> bool {
        let exprs = &self.unit.program.exprs;
        let mut value = arg;
        while let ExprKind::Cast(inner) = exprs[value].kind {
            value = inner;
        }
        exprs[value].kind == ExprKind::Const(0)
    }

    /// Where a function in the manner of `printf` has its format.
    pub(super) fn format_index(&self, id: FunctionId) -> Option<usize> {
        let name = plain_name(&self.unit.unit.functions[id].name);
        let known = FORMATS.iter().find(|(known, _)| *known == name);
        known.map(|&(_, index)| index)
    }

    /// Whether a call in the manner of `printf` may write to memory: by `%n`, or by a format that we can't read. The format is the
    /// argument with this index.
    pub(super) fn format_may_write(&self, args: &[ExprId], index: usize) -> bool {
        let mut rest = args.iter().skip(index + 1);
        if !rest.any(|&arg| self.ty(arg) == Type::Ptr) {
            return false;
        }
        let exprs = &self.unit.program.exprs;
        match args.get(index).map(|&format| exprs[format].kind) {
            Some(ExprKind::AddrOf(object)) => self
                .constant_bytes(object)
                .is_none_or(has_writing_conversion),
            _ => true,
        }
    }

    /// The contents of a constant string.
    pub(super) fn constant_bytes(&self, object: ObjectId) -> Option<&[u8]> {
        let object = &self.unit.program.objects[object];
        match &object.init[..] {
            [Init::Bytes { offset: 0, bytes }] if object.read_only => Some(bytes),
            [] if object.read_only => Some(&[]),
            _ => None,
        }
    }

    /// Says once that a function without a body is an input.
    fn announce(&mut self, id: FunctionId, effect: ExternalEffect, span: Span) {
        if !self.unit.note_external(id, effect) {
            return;
        }
        let name = &self.unit.unit.functions[id].name;
        let label = match effect {
            ExternalEffect::AssumedPure | ExternalEffect::DeclaredPure => {
                "taken as an input: any result, no other effect"
            }
            ExternalEffect::Memory => {
                "taken as an input: any result, and what other files can reach may change"
            }
        };
        let warning = Diagnostic::warning(span, format!("function `{name}` has no body"));
        self.unit.diagnostics.push(warning.with_label(label));
    }
}

/// Whether a format of `printf` has a conversion `%n`.
fn has_writing_conversion(format: &[u8]) -> bool {
    let mut bytes = format.iter();
    while bytes.any(|&byte| byte == b'%') {
        let is_part = |byte: u8| b"0123456789.*$-+ #'IhlLqjztZ".contains(&byte);
        if bytes.find(|&&byte| !is_part(byte)) == Some(&b'n') {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_writing_conversion;

    #[test]
    fn conversions_that_write() {
        for format in ["%n", "a%5d%hhn", "%%%n", "%1$n", "%-3.2lln"] {
            assert!(has_writing_conversion(format.as_bytes()), "{format}");
        }
        for format in [
            "",
            "n",
            "%",
            "%%n",
            "%d%%n %sn",
            "%5",
            "%s %n".trim_end_matches("%n"),
        ] {
            assert!(!has_writing_conversion(format.as_bytes()), "{format}");
        }
    }
}
