//! Names of pieces of objects: `a[2]`, `s.next`.

use crate::types::Shape;

/// The piece at that distance, after the name of the object. A union's first member that has it is the one.
pub(super) fn path(shape: &Shape, offset: u64) -> String {
    let mut text = String::new();
    write(shape, offset, &mut text);
    text
}

fn write(shape: &Shape, offset: u64, text: &mut String) {
    match shape {
        Shape::Scalar(_) if offset == 0 => {}
        Shape::Array {
            element,
            element_size,
            ..
        } if *element_size > 0 => {
            text.push_str(&format!("[{}]", offset / element_size));
            write(element, offset % element_size, text);
        }
        Shape::Record { fields, .. } => {
            let field = fields.iter().rev().find(|field| field.offset <= offset);
            match field {
                Some(field) => {
                    if !field.name.is_empty() {
                        text.push('.');
                        text.push_str(&field.name);
                    }
                    write(&field.shape, offset - field.offset, text);
                }
                None => text.push_str(&format!("+{offset}")),
            }
        }
        Shape::Scalar(_) | Shape::Array { .. } | Shape::Bytes => {
            text.push_str(&format!("+{offset}"));
        }
    }
}
