//! The language features that generated programs exercise, by name.
//!
//! Every program gets a random selection, so that features meet in different company; a caller
//! can leave some out (for a subject that refuses them) and a test counts how often each one
//! really occurs in a program's text.

use std::fmt;

macro_rules! features {
    ($($variant:ident $name:literal,)*) => {
        /// A construct of C that a generated program can contain.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)] // Each variant is described by its own name.
        pub enum Feature {
            $($variant,)*
        }

        impl Feature {
            /// Every feature.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name used on the command line and in reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

features! {
    // Types and conversions.
    Bool "bool",
    PlainChar "plain-char",
    Short "short",
    Long "long",
    LongLong "long-long",
    Int128 "int128",
    Cast "cast",
    Narrowing "narrowing",
    Enum "enum",
    Typedef "typedef",
    Typeof "typeof",
    Sizeof "sizeof",
    Float "float",
    Double "double",
    FloatConversion "float-conversion",
    IntFloatConversion "int-float-conversion",
    // Constants.
    SuffixedConstant "suffixed-constant",
    HexConstant "hex-constant",
    OctalConstant "octal-constant",
    BinaryConstant "binary-constant",
    CharacterConstant "character-constant",
    // Operators.
    SignedArithmetic "signed-arithmetic",
    Division "division",
    Shift "shift",
    ShiftOfNegative "shift-of-negative",
    Bitwise "bitwise",
    Comparison "comparison",
    ShortCircuit "short-circuit",
    Conditional "conditional",
    OmittedOperand "omitted-operand",
    Comma "comma",
    AssignmentExpression "assignment-expression",
    CompoundAssignment "compound-assignment",
    IncrementDecrement "increment-decrement",
    StatementExpression "statement-expression",
    // Statements.
    For "for",
    While "while",
    DoWhile "do-while",
    Break "break",
    Continue "continue",
    Switch "switch",
    FallThrough "fall-through",
    CaseRange "case-range",
    GotoForward "goto-forward",
    GotoBackward "goto-backward",
    GotoIntoBlock "goto-into-block",
    GotoOutOfBlock "goto-out-of-block",
    Shadowing "shadowing",
    DelayedInitialisation "delayed-initialisation",
    // Aggregates.
    Array "array",
    MultiArray "multi-array",
    Struct "struct",
    NestedStruct "nested-struct",
    StructAssignment "struct-assignment",
    StructParameter "struct-parameter",
    StructReturn "struct-return",
    Union "union",
    UnionPunning "union-punning",
    BitField "bit-field",
    ZeroWidthBitField "zero-width-bit-field",
    BitFieldLayout "bit-field-layout",
    DesignatedInitialiser "designated-initialiser",
    NestedDesignator "nested-designator",
    BraceElision "brace-elision",
    CompoundLiteral "compound-literal",
    StringLiteral "string-literal",
    CharArray "char-array",
    // Objects and pointers.
    Const "const",
    Volatile "volatile",
    StaticLocal "static-local",
    PointerToScalar "pointer-to-scalar",
    PointerToElement "pointer-to-element",
    PointerToMember "pointer-to-member",
    PointerToPointer "pointer-to-pointer",
    PointerToArray "pointer-to-array",
    PointerArithmetic "pointer-arithmetic",
    PointerDifference "pointer-difference",
    PointerComparison "pointer-comparison",
    NullPointer "null-pointer",
    LinkedList "linked-list",
    ByteAccess "byte-access",
    // Functions and the world outside.
    Call "call",
    Recursion "recursion",
    MutualRecursion "mutual-recursion",
    FunctionPointer "function-pointer",
    SafeMathFunction "safe-math-function",
    ForwardDeclaration "forward-declaration",
    Exit "exit",
    Abort "abort",
    Input "input",
    LibraryMemory "library-memory",
    Allocation "allocation",
    // Seldom seen together.
    Offsetof "offsetof",
    SignedShiftOverflow "signed-shift-overflow",
    PointerReturn "pointer-return",
    AnonymousMember "anonymous-member",
    VariableLengthArray "variable-length-array",
    RepeatedDeclaration "repeated-declaration",
    UnbracedBody "unbraced-body",
    BuiltinExpect "builtin-expect",
    FunctionSpecifier "function-specifier",
    EnumBitField "enum-bit-field",
    Comment "comment",
    TypedefShadowing "typedef-shadowing",
    PointerRecursion "pointer-recursion",
    LongDouble "long-double",
    Rounding "rounding",
    LongLoop "long-loop",
    // Refused by name: only for a subject that has it.
    ComputedGoto "computed-goto",
}

impl Feature {
    /// Whether programs contain the feature unless the caller says otherwise.
    pub fn on_by_default(self) -> bool {
        self != Self::ComputedGoto
    }

    /// Whether the feature is so common that it can occur even when it is left out: guards, idioms
    /// and the code that prints results are written with it.
    pub fn is_basic(self) -> bool {
        matches!(
            self,
            Self::PlainChar
                | Self::Short
                | Self::Long
                | Self::LongLong
                | Self::Cast
                | Self::Narrowing
                | Self::Float
                | Self::Double
                | Self::FloatConversion
                | Self::IntFloatConversion
                | Self::SignedArithmetic
                | Self::Division
                | Self::ShiftOfNegative
                | Self::Bitwise
                | Self::Comparison
                | Self::Comma
                | Self::AssignmentExpression
                | Self::IncrementDecrement
                | Self::For
                | Self::DoWhile
                | Self::FallThrough
                | Self::Array
                | Self::Struct
                | Self::Union
                | Self::UnionPunning
                | Self::CompoundLiteral
                | Self::StringLiteral
                | Self::CharArray
                | Self::PointerToScalar
                | Self::PointerToElement
                | Self::PointerToMember
                | Self::PointerToPointer
                | Self::PointerToArray
                | Self::PointerArithmetic
                | Self::PointerDifference
                | Self::PointerComparison
                | Self::NullPointer
        )
    }

    /// The feature called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|feature| feature.name() == name)
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FeatureSet(u128);

impl FeatureSet {
    /// The features that every caller wants unless it says otherwise.
    pub fn defaults() -> Self {
        Feature::ALL
            .iter()
            .copied()
            .filter(|feature| feature.on_by_default())
            .collect()
    }

    /// Every feature there is.
    pub fn all() -> Self {
        Feature::ALL.iter().copied().collect()
    }

    /// Whether `feature` is in the set.
    pub fn contains(self, feature: Feature) -> bool {
        self.0 & Self::bit(feature) != 0
    }

    /// Adds `feature`.
    pub fn insert(&mut self, feature: Feature) {
        self.0 |= Self::bit(feature);
    }

    /// Takes `feature` away.
    pub fn remove(&mut self, feature: Feature) {
        self.0 &= !Self::bit(feature);
    }

    /// The members, in the order of [`Feature::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL
            .iter()
            .copied()
            .filter(move |feature| self.contains(*feature))
    }

    fn bit(feature: Feature) -> u128 {
        1 << feature as u8
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        let mut set = Self::default();
        features.into_iter().for_each(|feature| set.insert(feature));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::{Feature, FeatureSet};

    #[test]
    fn names_are_distinct_and_fit_in_the_set() {
        assert!(Feature::ALL.len() <= 128);
        for feature in Feature::ALL {
            assert_eq!(Feature::from_name(feature.name()), Some(*feature));
        }
        assert_eq!(FeatureSet::all().iter().count(), Feature::ALL.len());
    }
}
