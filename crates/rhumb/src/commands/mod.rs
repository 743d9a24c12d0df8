//! One module per subcommand.

pub(crate) mod cfa;
pub(crate) mod check;
pub(crate) mod engines;
pub(crate) mod run;
pub(crate) mod summarize;
pub(crate) mod validate;

use std::io::Write;

/// Writes to standard output. A reader that went away (`rhumb cfa … | head`) is no error.
pub(crate) fn print(text: impl AsRef<[u8]>) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_ref()).and_then(|()| out.flush());
}

/// Writes a line to standard error.
pub(crate) fn say(text: impl AsRef<str>) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "{}", text.as_ref());
}
