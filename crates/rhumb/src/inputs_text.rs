//! Inputs as text for people.

use rhumb_program::interp::{KeyedInputs, Repeated};
use rhumb_program::{FloatType, Program, Type};
use rhumb_report::story::Input;

/// A line for each input, or for each row of equal ones, by site.
pub fn lines(program: &Program, inputs: &KeyedInputs) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, runs) in inputs.value_runs() {
        let site = &program.inputs[id];
        let position = program.sources.position(site.span);
        let what = site.kind.describe();
        for Repeated { value, count } in runs {
            let value = display(value, site.ty);
            let times = if count > 1 {
                format!(", {count} times")
            } else {
                String::new()
            };
            let (what, value) = plainly(&what, value);
            lines.push(format!(
                "input: {what} at {}:{} = {value}{times}",
                position.file, position.line
            ));
        }
    }
    lines
}

/// A line for each input in the order of the run, or for each row of equal ones.
pub fn in_order(inputs: &[Input]) -> Vec<String> {
    let rows = inputs.chunk_by(|one, next| one == next);
    rows.filter_map(|row| {
        let Input { what, place, value } = row.first()?;
        let times = match row.len() {
            1 => String::new(),
            count => format!(", {count} times"),
        };
        let (file, line) = (&place.file, place.line);
        let (what, value) = plainly(what, value.clone());
        Some(format!("input: {what} at {file}:{line} = {value}{times}"))
    })
    .collect()
}

/// Whether a pointer is null is said as its value.
fn plainly(what: &str, value: String) -> (&str, String) {
    match what.strip_suffix(" is not null") {
        Some(pointer) if value == "0" => (pointer, "NULL".to_owned()),
        Some(pointer) => (pointer, "a pointer".to_owned()),
        None => (what, value),
    }
}

fn display(bits: u128, ty: Option<Type>) -> String {
    match ty {
        Some(Type::Int(int)) => int.display(bits),
        Some(Type::Float(FloatType::F32)) => f32::from_bits(bits as u32).to_string(),
        Some(Type::Float(FloatType::F64)) => f64::from_bits(bits as u64).to_string(),
        Some(Type::Float(_)) => format!("{bits:#x} (bits)"),
        _ => bits.to_string(),
    }
}
