//! The state before the first step.

use super::place::{AccessPlace, Base};
use super::{FunctionCompiler, Mode, Source};
use crate::expr::ExprKind;
use crate::ids::{ExprId, ObjectId};
use crate::interp::code::{Code, Entry};
use crate::interp::instr::{Cell, Instr, Slot};
use crate::interp::layout::Home;
use crate::interp::memory::Provenance;
use crate::interp::pool::Pool;
use crate::model::{Init, Scope};
use crate::types::{Access, DataModel, FloatType, IntType, Type};

/// What a run begins with.
#[derive(Debug, Default)]
pub(in crate::interp) struct Image {
    /// First bytes of global objects, by address.
    pub(in crate::interp) contents: Vec<(u64, Vec<u8>)>,
    /// Computes what is not a plain number: addresses, bit-fields, values of global variables.
    pub(in crate::interp) code: Code,
    /// The objects that may not be written from the first step on.
    pub(in crate::interp) read_only: Vec<Provenance>,
}

impl Image {
    pub(in crate::interp) fn new(source: &Source<'_>, pool: &mut Pool) -> Image {
        let Source {
            program, layout, ..
        } = source;
        let mut image = Image::default();
        let mut code = Code::default();
        let mut compiler =
            FunctionCompiler::new(source, pool, Mode::Fast, &mut code, program.start);
        for (id, var) in program.vars.iter_enumerated() {
            if let (Scope::Global, Some(init)) = (var.scope, var.init) {
                compiler.value_into(init, layout.vars[id]);
                compiler.forget();
            }
        }
        for (id, object) in program.objects.iter_enumerated() {
            let Home::Global(pointer) = layout.objects[id] else {
                continue;
            };
            for (offset, bytes) in compiler.initialise(id) {
                image.contents.push((pointer.address + offset, bytes));
            }
            if object.read_only {
                image.read_only.push(pointer.provenance);
            }
        }
        compiler.emit(Instr::Begin);
        let words = compiler.words_needed;
        code.functions.push(Entry {
            pc: 0,
            words,
            param_words: 0,
            scope: false,
        });
        image.code = code;
        image
    }
}

impl FunctionCompiler<'_> {
    /// Gives the plain bytes of an object and emits code for the rest.
    fn initialise(&mut self, id: ObjectId) -> Vec<(u64, Vec<u8>)> {
        let program = self.program;
        let object = &program.objects[id];
        let mut contents = Vec::new();
        // Up to here something is written by code. What comes later and overlaps it must be written by code too.
        let mut computed_end = 0;
        for init in &object.init {
            match *init {
                Init::Bytes { offset, ref bytes } => {
                    if offset >= computed_end {
                        write_at(&mut contents, offset, bytes, object.size);
                    } else {
                        self.store_bytes(id, offset, bytes);
                    }
                }
                Init::Scalar {
                    offset,
                    access,
                    value,
                } => {
                    let plain = self.plain_bytes(access, value);
                    if let (Some(bytes), true) = (plain, offset >= computed_end) {
                        write_at(&mut contents, offset, &bytes, object.size);
                    } else {
                        self.store_scalar(id, offset, access, value);
                        let end = offset.saturating_add(access.size(program.data_model));
                        computed_end = computed_end.max(end);
                    }
                }
            }
        }
        contents
    }

    /// The bytes of a whole scalar that is a constant.
    fn plain_bytes(&self, access: Access, value: ExprId) -> Option<Vec<u8>> {
        let ExprKind::Const(bits) = self.kind(value) else {
            return None;
        };
        access.bits.is_none().then(|| {
            let size = value_size(access.ty, self.program.data_model);
            bits.to_le_bytes()[..size].to_vec()
        })
    }

    fn place_in(&mut self, id: ObjectId, offset: u64) -> AccessPlace {
        let object = match self.layout.objects[id] {
            Home::Global(pointer) => self.constant(pointer.provenance.raw()),
            Home::Local { slot, .. } => slot,
        };
        AccessPlace {
            base: Base::Object(object),
            index: self.constant(offset),
            scale: 1,
        }
    }

    fn store_scalar(&mut self, id: ObjectId, offset: u64, access: Access, value: ExprId) {
        let value = self.value(value);
        let mut place = self.place_in(id, offset);
        if Cell::of(access).is_none()
            && let Home::Global(pointer) = self.layout.objects[id]
        {
            let address = pointer.address.wrapping_add(offset);
            let ptr = self.constant_pair(address, pointer.provenance.raw());
            place = AccessPlace {
                base: Base::Pointer(ptr),
                index: Slot::NOWHERE,
                scale: 0,
            };
        }
        self.store(place, value, access);
        self.forget();
    }

    fn store_bytes(&mut self, id: ObjectId, offset: u64, bytes: &[u8]) {
        let access = Access::whole(Type::Int(IntType::unsigned(8)));
        for (at, &byte) in (offset..).zip(bytes) {
            let value = self.constant(byte.into());
            let place = self.place_in(id, at);
            self.store(place, value, access);
        }
    }
}

/// Number of bytes of a scalar that carry its value.
pub(in crate::interp) fn value_size(ty: Type, model: DataModel) -> usize {
    match ty {
        Type::Float(FloatType::X87) => 10,
        _ => ty.size(model) as usize,
    }
}

/// Adds bytes to the contents of an object of `size` bytes, as far as they lie in it. Contents are pieces with their offsets.
fn write_at(contents: &mut Vec<(u64, Vec<u8>)>, offset: u64, bytes: &[u8], size: u64) {
    let room = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX);
    let bytes = &bytes[..bytes.len().min(room)];
    if bytes.is_empty() {
        return;
    }
    match contents.last_mut() {
        // A gap is not filled: an earlier piece may lie in it.
        Some((start, piece)) if offset >= *start && offset - *start <= piece.len() as u64 => {
            let at = (offset - *start) as usize;
            if piece.len() < at + bytes.len() {
                piece.resize(at + bytes.len(), 0);
            }
            piece[at..at + bytes.len()].copy_from_slice(bytes);
        }
        _ => contents.push((offset, bytes.to_vec())),
    }
}
