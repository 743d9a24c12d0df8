//! Values as C writes them.

use rhumb_program::interp::View;
use rhumb_program::interp::eval;
use rhumb_program::{Enumerators, ExprId, ExprKind, FloatType, Program, Type};

/// A value by its bits, as C writes it.
pub fn show(bits: u128, ty: Option<Type>) -> String {
    match ty {
        Some(Type::Int(int)) => {
            let text = int.display(bits);
            let byte = u8::try_from(bits).ok();
            match byte.filter(|byte| int.width == 8 && byte.is_ascii_graphic()) {
                Some(byte) => format!("{text} '{}'", char::from(byte).escape_default()),
                None => text,
            }
        }
        Some(Type::Bool) => u8::from(bits != 0).to_string(),
        Some(Type::Float(FloatType::F32)) => f32::from_bits(bits as u32).to_string(),
        Some(Type::Float(FloatType::F64)) => f64::from_bits(bits as u64).to_string(),
        Some(Type::Float(_)) => format!("{bits:#x} (bits)"),
        Some(Type::Ptr) if bits == 0 => "NULL".to_owned(),
        Some(Type::Ptr) => "a pointer".to_owned(),
        None => bits.to_string(),
    }
}

/// A value by its name, if the text has one for it; else by its bits.
pub(super) fn show_named(bits: u128, ty: Option<Type>, words: Option<&Enumerators>) -> String {
    let name = words.and_then(|words| words.iter().find(|(value, _)| *value == bits));
    match name {
        Some((_, name)) => name.to_string(),
        None => show(bits, ty),
    }
}

/// So many bytes are shown.
const BYTES: usize = 24;

/// Bytes in memory, without the zeros behind the last one that is none.
pub(super) fn show_bytes(bytes: &[u8]) -> String {
    let used = bytes
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last + 1);
    let shown: Vec<String> = bytes[..used.min(BYTES)]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    match used {
        0 => "zeros".to_owned(),
        _ if used > BYTES => format!("{} ... (bytes)", shown.join(" ")),
        _ => format!("{} (bytes; then zeros)", shown.join(" ")),
    }
}

/// The value of an expression in a state, if it needs no memory.
pub(super) fn of(program: &Program, expr: ExprId, view: &View<'_>) -> Option<u128> {
    let found = &program.exprs[expr];
    let ty = |id: ExprId| program.exprs[id].ty;
    match found.kind {
        ExprKind::Const(bits) => Some(bits),
        ExprKind::Var(var) => view.value(var),
        ExprKind::Unary(op, a) => eval::unary(op, ty(a), of(program, a, view)?).ok(),
        ExprKind::Binary(op, a, b) => {
            let (lhs, rhs) = (of(program, a, view)?, of(program, b, view)?);
            eval::binary(op, ty(a), lhs, ty(b), rhs).ok()
        }
        ExprKind::Cast(a) => eval::cast(ty(a), found.ty, of(program, a, view)?).ok(),
        _ => None,
    }
}
