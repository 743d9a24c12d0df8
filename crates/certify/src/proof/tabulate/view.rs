//! What a tabulation looks at.

use rhumb_program::VarId;

/// What a tabulation looks at. Whatever it is, nothing is missed: what is not followed may be anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Following {
    /// The variables whose values are followed.
    pub vars: Vec<VarId>,
    /// Variables among them, each with a number: values that are further from zero than that are not told apart. Right
    /// for counters that may grow without end, where it matters only whether they are 0, or more than another one.
    pub coarse: Vec<(VarId, u32)>,
}

impl Following {
    /// These variables, with all of their values.
    pub fn exactly(vars: Vec<VarId>) -> Following {
        let coarse = Vec::new();
        Following { vars, coarse }
    }

    /// The same and some more.
    pub(super) fn and(&self, more: &[VarId]) -> Following {
        Following {
            vars: [&self.vars, more].concat(),
            coarse: self.coarse.clone(),
        }
    }
}
