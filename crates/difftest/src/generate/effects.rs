//! What evaluating an expression reads and writes, so that unsequenced operands never interfere.
//!
//! Memory is split into at most 127 classes. A variable whose address is never taken has a class
//! of its own; all others share a class per type, because a pointer can lead to any of them. Two
//! classes may fall on the same bit: that only forbids more than necessary.

/// Sets of memory classes.
pub(crate) type Classes = u128;

/// The class of everything that the outside world can observe or decide: output and inputs.
pub(crate) const WORLD: Classes = 1;

/// Classes that only exist during one call are kept in the upper half, so that a function's
/// effects on its callers are the lower half of what its body does.
const LOCAL_BASE: u32 = 64;

/// What an evaluation may do to memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    pub(crate) reads: Classes,
    pub(crate) writes: Classes,
}

impl Effects {
    pub(crate) fn reading(classes: Classes) -> Self {
        Self {
            reads: classes,
            writes: 0,
        }
    }

    pub(crate) fn writing(classes: Classes) -> Self {
        Self {
            reads: 0,
            writes: classes,
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
        }
    }

    /// Whether evaluating twice is the same as evaluating once.
    pub(crate) fn is_pure(self) -> bool {
        self.writes == 0
    }

    /// The part that outlives the function in which it happens.
    pub(crate) fn exported(self) -> Self {
        let shared = (1 << LOCAL_BASE) - 1;
        Self {
            reads: self.reads & shared,
            writes: self.writes & shared,
        }
    }
}

/// The surroundings of an expression.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    /// Classes written by an unsequenced neighbour: must not be touched.
    no_access: Classes,
    /// Classes read by an unsequenced neighbour: must not be written.
    no_write: Classes,
    /// Only constant expressions are allowed (initialisers of static objects).
    pub(crate) constant: bool,
}

impl Context {
    /// For an initialiser with static storage duration.
    pub(crate) fn constant() -> Self {
        Self {
            constant: true,
            ..Self::default()
        }
    }

    /// The context of an operand whose evaluation is unsequenced with one that does `effects`.
    pub(crate) fn beside(self, effects: Effects) -> Self {
        Self {
            no_access: self.no_access | effects.writes,
            no_write: self.no_write | effects.reads | effects.writes,
            ..self
        }
    }

    /// The same context, but without any side effect.
    pub(crate) fn pure(self) -> Self {
        Self {
            no_write: Classes::MAX,
            ..self
        }
    }

    pub(crate) fn may_read(self, classes: Classes) -> bool {
        self.no_access & classes == 0
    }

    pub(crate) fn may_write(self, classes: Classes) -> bool {
        !self.constant && (self.no_access | self.no_write) & classes == 0
    }

    pub(crate) fn allows(self, effects: Effects) -> bool {
        self.may_read(effects.reads) && (effects.writes == 0 || self.may_write(effects.writes))
    }
}

/// Hands out memory classes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassAllocator {
    shared: u32,
    local: u32,
}

impl ClassAllocator {
    /// A class for an object (or type) that outlives a call.
    pub(crate) fn shared(&mut self) -> Classes {
        self.shared += 1;
        1 << (1 + self.shared % (LOCAL_BASE - 1))
    }

    /// A class for an object of the current call.
    pub(crate) fn local(&mut self) -> Classes {
        self.local += 1;
        1 << (LOCAL_BASE + self.local % (128 - LOCAL_BASE))
    }
}
