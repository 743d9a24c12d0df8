//! Lets the tests find the Z3 library when they are not started by cargo.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Said by the build script of `rhumb-logic`, which provides the library.
    let runpath = std::env::var("DEP_RHUMB_Z3_RUNPATH").expect("rhumb-logic says where Z3 is");
    for argument in ["-Xlinker", "-rpath", "-Xlinker", &runpath] {
        println!("cargo::rustc-link-arg={argument}");
    }
}
