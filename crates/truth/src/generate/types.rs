//! The types of variables.

/// A C type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CType {
    /// How it is written.
    pub(super) name: &'static str,
    /// What the input function of the type is called after.
    pub(super) suffix: &'static str,
    /// Whether it has values below zero.
    pub(super) signed: bool,
    /// Whether it has so few values that an input needs no bounds.
    pub(super) small: bool,
}

const fn ty(name: &'static str, suffix: &'static str, signed: bool, small: bool) -> CType {
    CType {
        name,
        suffix,
        signed,
        small,
    }
}

/// All of them.
pub(super) const TYPES: [CType; 8] = [
    ty("int", "int", true, false),
    ty("unsigned int", "uint", false, false),
    ty("signed char", "char", true, true),
    ty("unsigned char", "uchar", false, true),
    ty("short", "short", true, false),
    ty("unsigned short", "ushort", false, false),
    ty("long long", "longlong", true, false),
    ty("_Bool", "bool", false, true),
];
