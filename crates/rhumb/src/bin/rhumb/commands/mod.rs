//! One module per subcommand.

pub(crate) mod cfa;
pub(crate) mod check;
pub(crate) mod cover;
pub(crate) mod engines;
pub(crate) mod guarded;
pub(crate) mod manual;
pub(crate) mod run;
pub(crate) mod summarize;
pub(crate) mod validate;

use std::io::Write;

use crate::last_word;

/// Writes to standard output.
pub(crate) fn print(text: impl AsRef<[u8]>) {
    last_word::print(text.as_ref());
}

/// Writes a line to standard error.
pub(crate) fn say(text: impl AsRef<str>) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "{}", text.as_ref());
}
