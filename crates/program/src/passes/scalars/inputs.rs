//! Inputs of bytes as inputs of variables, and back.

use std::collections::BTreeMap;

use crate::ids::InputSiteId;
use crate::interp::KeyedInputs;
use crate::types::{DataModel, Type};

/// An input of the new program that is a part of the bytes that an input of the given one is. Every event of the whole
/// has one event of each of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The input of the new program.
    pub site: InputSiteId,
    /// The input of the given program.
    pub whole: InputSiteId,
    /// Where the part begins.
    pub offset: u64,
    /// Its type.
    pub ty: Type,
}

/// The inputs of the given program for inputs of the new one.
pub fn assemble(pieces: &[Piece], model: DataModel, inputs: KeyedInputs) -> KeyedInputs {
    if pieces.is_empty() {
        return inputs;
    }
    let mut result = KeyedInputs::new();
    let is_piece = |site: InputSiteId| pieces.iter().any(|piece| piece.site == site);
    for (site, runs) in inputs.value_runs() {
        if !is_piece(site) {
            runs.for_each(|run| result.push_value(site, run.value, run.count));
        }
    }
    for (site, runs) in inputs.byte_runs() {
        runs.for_each(|run| result.push_bytes(site, run.value, run.count));
    }
    let mut wholes: BTreeMap<InputSiteId, Vec<&Piece>> = BTreeMap::new();
    for piece in pieces {
        wholes.entry(piece.whole).or_default().push(piece);
    }
    for (whole, parts) in wholes {
        let size = parts.iter().map(|part| part.offset + part.ty.size(model));
        let size = size.max().unwrap_or(0) as usize;
        let mut occurrence = 0;
        // From the last change on everything is zero, which nobody has to say.
        loop {
            let ends = parts
                .iter()
                .map(|part| inputs.end_of_value_run(part.site, occurrence));
            let end = ends.min().unwrap_or(u64::MAX);
            if end == u64::MAX {
                break;
            }
            let mut bytes = vec![0; size];
            for part in &parts {
                let value = inputs.value_at(part.site, occurrence).to_le_bytes();
                let length = (part.ty.size(model) as usize).min(value.len());
                let start = part.offset as usize;
                bytes[start..start + length].copy_from_slice(&value[..length]);
            }
            result.push_bytes(whole, &bytes, end - occurrence);
            occurrence = end;
        }
    }
    result
}
