//! Formats that the text shows.
//!
//! Right for calls of `sscanf` with a string literal as their format, as nearly all are: if the library's text
//! understands all of its conversions, nothing has to be refused in the call, whatever is known of memory later on.

use rhumb_program::{ExprId, ExprKind, Init, Program};

use super::function::FunctionLowering;
use crate::hir::FunctionId;

impl FunctionLowering<'_, '_> {
    /// The library's C text for a function of that name that is called with these arguments.
    pub(super) fn library_model(&self, name: &str, args: &[ExprId]) -> Option<FunctionId> {
        let models = &self.unit.models;
        let plain = match (name, args) {
            ("sscanf", &[_, format, ..]) => literal(&self.unit.program, format)
                .filter(|format| is_plain(format))
                .and_then(|_| models.get("__sscanf_plain")),
            _ => None,
        };
        plain.or_else(|| models.get(name)).copied()
    }
}

/// The bytes of the string literal that an expression points to, up to its first zero.
fn literal(program: &Program, expr: ExprId) -> Option<&[u8]> {
    let ExprKind::AddrOf(object) = program.exprs[expr].kind else {
        return None;
    };
    let object = &program.objects[object];
    match &*object.init {
        [Init::Bytes { offset: 0, bytes }] if object.read_only => {
            let end = bytes.iter().position(|&byte| byte == 0)?;
            Some(&bytes[..end])
        }
        _ => None,
    }
}

/// Whether the model of `sscanf` understands all conversions of a format. It goes over it in the same way.
fn is_plain(format: &[u8]) -> bool {
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        rest.next_if_eq(&b'*');
        while rest.next_if(u8::is_ascii_digit).is_some() {}
        let mut last = None;
        while let Some(size) = rest.next_if(|byte| b"hlqjLzt".contains(byte)) {
            last = Some(size);
        }
        match rest.next() {
            Some(b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'n' | b'%') => {}
            Some(b'c' | b's') if last != Some(b'l') => {}
            Some(b'[') => {
                rest.next_if_eq(&b'^');
                // The first one belongs to the set, whatever it is.
                if rest.next().is_none() || !rest.any(|byte| byte == b']') {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn what_the_model_understands_is_plain() {
        for format in [
            "",
            "x",
            "%d",
            "%u:%u",
            "0x%X 0x%08lx",
            "%*s %10s%n",
            "%[^]]]%%",
            "%hhi %llu %zd",
        ] {
            assert!(is_plain(format.as_bytes()), "{format}");
        }
        for format in [
            "%", "%f", "%d %lf", "%ls", "%lc", "%ms", "%p", "%[^]", "%[abc", "%l", "%d%",
        ] {
            assert!(!is_plain(format.as_bytes()), "{format}");
        }
    }
}
