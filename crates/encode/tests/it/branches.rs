//! Programs with many branches in a row: in each round of a loop a word is compared letter by letter, and the state
//! counts the letters that fit.

use std::fmt::Write;

/// The program with that many branches.
pub(crate) fn program(count: usize) -> String {
    let mut text = String::from(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
         int main(void) {\n  int state = 0;\n  while (1) {\n",
    );
    for number in 0..count {
        let letter = 97 + number % 7;
        let _ = writeln!(
            text,
            "    if (__VERIFIER_nondet_int() == {letter} && state == {number}) state++;"
        );
    }
    let _ = writeln!(text, "    if (state == {count}) reach_error();\n  }}\n}}");
    text
}
