//! Typed indices. An id is `Copy`, four bytes, and means nothing without the [`Program`](crate::Program) it came from.

index_vec::define_index_type! {
    /// A scalar variable (a register of the model; its address is never taken).
    pub struct VarId = u32;
    DEBUG_FORMAT = "v{}";
}
index_vec::define_index_type! {
    /// A declared memory object (an array, a record, a string literal, or a scalar whose address is taken).
    pub struct ObjectId = u32;
    DEBUG_FORMAT = "o{}";
}
index_vec::define_index_type! {
    /// An expression in the program's arena.
    pub struct ExprId = u32;
    DEBUG_FORMAT = "e{}";
}
index_vec::define_index_type! {
    /// A function.
    pub struct FuncId = u32;
    DEBUG_FORMAT = "f{}";
}
index_vec::define_index_type! {
    /// A location of one function's automaton.
    pub struct LocId = u32;
    DEBUG_FORMAT = "l{}";
}
index_vec::define_index_type! {
    /// An edge of one function's automaton.
    pub struct EdgeId = u32;
    DEBUG_FORMAT = "#{}";
}
index_vec::define_index_type! {
    /// A place in the program where a value comes in from outside.
    pub struct InputSiteId = u32;
    DEBUG_FORMAT = "in{}";
}
index_vec::define_index_type! {
    /// A thing that must not be reached.
    pub struct TargetId = u32;
    DEBUG_FORMAT = "t{}";
}
index_vec::define_index_type! {
    /// A place that the model can't express (see [`Unsupported`](crate::Unsupported)).
    pub struct UnsupportedId = u32;
    DEBUG_FORMAT = "u{}";
}
index_vec::define_index_type! {
    /// A step whose effect is over-approximated (see [`Approximation`](crate::Approximation)).
    pub struct ApproxId = u32;
    DEBUG_FORMAT = "a{}";
}
