//! Proofs written by hand.

use crate::support::Written;

#[test]
fn a_counter() {
    Written::new(
        "int main() { int i = 0;\n while (i < 10)\n i++;\n if (i != 10) __VERIFIER_error(); }",
    )
    .at(2, &["(<= 0 i)", "(<= i 10)"])
    .accepted();
}

#[test]
fn a_counter_needs_its_bound() {
    let message = Written::new(
        "int main() { int i = 0;\n while (i < 10)\n i++;\n if (i != 10) __VERIFIER_error(); }",
    )
    .at(2, &["(<= 0 i)"])
    .fails();
    assert!(message.contains("the target at test.c:4"), "{message}");
    assert!(message.contains("before: i = "), "{message}");
}
