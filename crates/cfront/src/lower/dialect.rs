//! The functions of verification tools. Programs are written for one tool and given to another, and what they assert
//! must not get lost on the way.

use rhumb_program::dialect::{self, Role};
use rhumb_program::{
    BinOp, EndKind, ExprId, ExprKind, InputKind, IntType, LocKind, Span, TargetKind, Type,
};

use super::call::{OuterCall, Wanted};
use super::footprint::Summary;
use super::function::FunctionLowering;
use super::{UnitLowering, library, threads};
use crate::ctypes::CType;
use crate::diagnostic::Diagnostic;
use crate::hir::FunctionId;
use crate::options::TargetSpec;

impl UnitLowering<'_> {
    /// Whether the caller says that a function is nothing special.
    pub(super) fn is_ordinary(&self, name: &str) -> bool {
        self.options.ordinary.iter().any(|known| **known == *name)
            || self.options.undefined_functions.named(name).is_some()
    }

    /// What a function that tools understand does, as far as the order of evaluation is concerned. (Inputs don't depend on it.)
    pub(super) fn dialect_summary(&self, name: &str) -> Option<Summary> {
        if self.is_ordinary(name) {
            return None;
        }
        let nothing = Summary::default();
        if dialect::nondet(name).is_some() || name == "klee_int" {
            return Some(nothing);
        }
        let is_error = self.options.targets == TargetSpec::Default;
        Some(match dialect::role(name)? {
            Role::Assert | Role::Fail => Summary {
                ends: !is_error,
                reaches: is_error,
                ..nothing
            },
            Role::Assume | Role::End => Summary {
                ends: true,
                ..nothing
            },
            Role::Nothing => nothing,
        })
    }

    /// The error for a property that speaks of something that isn't there.
    pub(super) fn check_property(&mut self) {
        let functions = &self.unit.functions;
        let is_there = match &self.options.targets {
            TargetSpec::Default | TargetSpec::Nothing | TargetSpec::Goals => return,
            TargetSpec::Call(name) => functions.iter().any(|function| {
                let is_error = &*function.name == "__VERIFIER_error" && function.body.is_none();
                *function.name == **name || is_error
            }),
            TargetSpec::Label(name) => functions
                .iter()
                .filter_map(|function| function.body.as_ref())
                .flat_map(|body| &body.labels)
                .any(|label| *label.name == **name),
        };
        if is_there {
            return;
        }
        let message = match &self.options.targets {
            TargetSpec::Label(name) => format!("no function has a label `{name}`"),
            TargetSpec::Call(name) => format!("no function `{name}` is declared or called"),
            TargetSpec::Default | TargetSpec::Nothing | TargetSpec::Goals => return,
        };
        let at = super::last_byte(&self.program.sources);
        let label = "the file ends here; the property names it";
        let diagnostic = Diagnostic::error(Span::new(at, at + 1), message).with_label(label);
        self.diagnostics.push(diagnostic);
    }
}

impl FunctionLowering<'_, '_> {
    /// A call of a function without a body that tools understand. `None` if it is none.
    pub(super) fn dialect_call(&mut self, call: OuterCall<'_>) -> Option<Option<ExprId>> {
        let (args, ty, wanted, span) = (call.args, call.ty, call.wanted, call.span);
        let name = self.unit.unit.functions[call.id].name.clone();
        if self.unit.is_ordinary(&name) {
            return None;
        }
        if let Some(what) = dialect::nondet(&name)
            && (args.is_empty() || what == "memory")
        {
            let kind = InputKind::Nondet(name.clone());
            return Some(self.nondet(what, args, kind, ty, wanted, span));
        }
        if let Some(hook) = threads::dialect_hook(&name) {
            self.thread_hook(hook, &[], span);
            return Some(None);
        }
        match (&*name, args) {
            ("klee_make_symbolic", &[ptr, size, ..]) => {
                let kind = InputKind::Nondet(name.clone());
                return Some(self.nondet("memory", &[ptr, size], kind, ty, wanted, span));
            }
            ("klee_int", _) => {
                let kind = InputKind::Nondet(name.clone());
                return Some(self.nondet("int", &[], kind, ty, wanted, span));
            }
            ("klee_range", &[low, high, ..]) => {
                return Some(self.klee_range([low, high], &name, span));
            }
            _ => {}
        }
        let result = match (dialect::role(&name), args) {
            (Some(Role::Assume), &[cond, ..]) => {
                let cond = self.not_zero(cond);
                self.require(cond, true, LocKind::End(EndKind::AssumptionFailed), span);
                None
            }
            (Some(Role::Assert), &[cond, ..]) => {
                self.assertion(cond, span);
                None
            }
            (Some(Role::Fail), _) => {
                self.fail_assertion(span);
                None
            }
            (Some(Role::End), _) => {
                self.end_in(LocKind::End(EndKind::Abort), span);
                None
            }
            (Some(Role::Nothing), _) => None,
            _ => return None,
        };
        // Without a declaration such a function seems to give an `int`.
        let result: Option<ExprId> = result;
        Some(result.or_else(|| {
            let is_wanted = wanted != Wanted::Nothing && self.is_reachable();
            let scalar = self.scalar(ty).filter(|_| is_wanted)?;
            Some(self.node(ExprKind::Const(0), scalar))
        }))
    }

    /// A condition that has to hold.
    pub(super) fn assertion(&mut self, cond: ExprId, span: Span) {
        let cond = self.not_zero(cond);
        let (holds, fails) = (self.new_location(), self.new_location());
        self.split(cond, holds, fails, span);
        self.continue_at(fails);
        self.fail_assertion(span);
        self.continue_at(holds);
    }

    fn fail_assertion(&mut self, span: Span) {
        match self.unit.options.targets {
            TargetSpec::Default => self.reach_target(TargetKind::Assertion, span),
            TargetSpec::Call(_)
            | TargetSpec::Label(_)
            | TargetSpec::Nothing
            | TargetSpec::Goals => {
                self.end_in(LocKind::End(EndKind::Abort), span);
            }
        }
    }

    /// An `int` from `low` on and below `high`.
    fn klee_range(
        &mut self,
        bounds: [ExprId; 2],
        name: &std::sync::Arc<str>,
        span: Span,
    ) -> Option<ExprId> {
        let int = Type::Int(IntType::INT);
        let [low, high] = bounds.map(|bound| self.argument(bound, int, span));
        let var = self.new_var(int, span);
        self.input(var, InputKind::Nondet(name.clone()), span);
        let value = self.var(var);
        let not_low = self.node(ExprKind::Binary(BinOp::Le, low, value), Type::Bool);
        let not_high = self.node(ExprKind::Binary(BinOp::Lt, value, high), Type::Bool);
        for cond in [not_low, not_high] {
            self.require(cond, true, LocKind::End(EndKind::AssumptionFailed), span);
        }
        Some(value)
    }

    /// Reports a function without a body that looks like another tool's assertion or assumption: to take it for an
    /// ordinary one would lose what the program asserts.
    pub(super) fn refuse_foreign(&mut self, id: FunctionId, args: &[ExprId], span: Span) -> bool {
        let declared = &self.unit.unit.functions[id];
        let name = declared.name.clone();
        let gives_nothing = match self.unit.unit.types.get(declared.ty) {
            CType::Function(ty) => ty.unspecified || self.unit.unit.types.basic.void == ty.result,
            _ => false,
        };
        let takes_condition = gives_nothing
            && dialect::speaks_of_conditions(&name)
            && args.first().is_some_and(|&arg| self.ty(arg) != Type::Ptr);
        let is_foreign = dialect::is_of_a_tool(&name) || takes_condition;
        if !is_foreign || self.unit.is_ordinary(&name) || library::is_assert_fail(&name) {
            return false;
        }
        if self.unit.announced.insert(id) {
            let message = format!("`{name}` has no body and looks like a function of another tool");
            self.unit
                .diagnostics
                .push(Diagnostic::error(span, message).with_label(format!(
                    "define it, or say `--ordinary-function {name}` if it is nothing special"
                )));
        }
        true
    }
}
