//! Functions that a program brings along to compute without overflow, in the manner in which
//! careful C is written.

use super::Generator;
use super::arith::Binary;
use crate::model::IntKind;

/// `safe_add_int` and its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Helper {
    operator: Binary,
    kind: IntKind,
}

impl Helper {
    pub(crate) fn new(operator: Binary, kind: IntKind) -> Self {
        Self { operator, kind }
    }

    pub(crate) fn name(self) -> String {
        let operator = match self.operator {
            Binary::Add => "add",
            Binary::Sub => "sub",
            Binary::Mul => "mul",
            Binary::Div => "div",
            Binary::Rem => "rem",
            other => unreachable!("no helper for {other:?}"),
        };
        let kind = match self.kind {
            IntKind::Int => "int",
            IntKind::UInt => "uint",
            IntKind::Long => "long",
            IntKind::ULong => "ulong",
            IntKind::LLong => "longlong",
            IntKind::ULLong => "ulonglong",
            other => unreachable!("no helper for {other:?}"),
        };
        format!("safe_{operator}_{kind}")
    }
}

impl Generator {
    /// The definitions of all helpers that the program calls.
    pub(crate) fn helper_definitions(&mut self) -> String {
        let helpers: Vec<Helper> = self.helpers.iter().copied().collect();
        helpers
            .into_iter()
            .map(|helper| self.helper_definition(helper))
            .collect()
    }

    fn helper_definition(&mut self, helper: Helper) -> String {
        let ty = self.kind_spelling(helper.kind);
        let (min, max) = (
            self.limit(helper.kind, false),
            self.limit(helper.kind, true),
        );
        let signed = helper.kind.signed();
        let overflows = match helper.operator {
            Binary::Add => format!("b > 0 ? a > {max} - b : a < {min} - b"),
            Binary::Sub => format!("b > 0 ? a < {min} + b : a > {max} + b"),
            Binary::Mul => format!(
                "a > 0 ? (b > 0 ? a > {max} / b : b < {min} / a) \
                 : (b > 0 ? a < {min} / b : a != 0 && b < {max} / a)"
            ),
            _ if signed => format!("b == 0 || (a == {min} && b == -1)"),
            _ => "b == 0".to_owned(),
        };
        let name = helper.name();
        let symbol = helper.operator.symbol();
        format!(
            "static {ty} {name}({ty} a, {ty} b)\n{{\n    if ({overflows})\n        return a;\n    \
             return a {symbol} b;\n}}\n"
        )
    }
}
