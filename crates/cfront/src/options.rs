//! What the caller decides about a program's meaning.

use std::sync::Arc;

use rhumb_program::DataModel;

/// What signed overflow means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SignedOverflow {
    /// Undefined, as C says: the run ends.
    #[default]
    Undefined,
    /// Two's complement, as with `gcc -fwrapv`.
    Wrap,
}

/// Which locations are targets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum TargetSpec {
    /// Calls of `reach_error` and `__VERIFIER_error`, and every failing assertion.
    #[default]
    Default,
    /// Calls of this function and nothing else.
    Call(Arc<str>),
}

/// What the caller decides about a program's meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Sizes of the basic types.
    pub data_model: DataModel,
    /// The function in which a run starts.
    pub entry: Arc<str>,
    /// What must not be reached.
    pub targets: TargetSpec,
    /// What signed overflow means.
    pub signed_overflow: SignedOverflow,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            data_model: DataModel::default(),
            entry: Arc::from("main"),
            targets: TargetSpec::default(),
            signed_overflow: SignedOverflow::default(),
        }
    }
}
