//! Type definitions and global objects.

use std::rc::Rc;

use super::Generator;
use super::effects::Context;
use super::scope::Storage;
use super::types::{Enumeration, Field, IntTy, PointerTy, Record, Ty};
use crate::feature::Feature;
use crate::model::{FloatKind, IntKind};

impl Generator {
    /// Typedefs, enumerations, structs and unions.
    pub(crate) fn define_types(&mut self) {
        for _ in 0..self.rng.between(0, 3) {
            if self.has(Feature::Typedef) {
                self.mark(Feature::Typedef);
                let kind = self.int_kind();
                let spelling = self.kind_spelling(kind);
                let name = self.fresh("t_");
                self.line(format!("typedef {spelling} {name};"));
                self.typedefs.push((kind, name));
            }
        }
        for _ in 0..self.rng.between(0, 2) {
            if self.has(Feature::Enum) {
                self.define_enumeration();
            }
        }
        for _ in 0..self.rng.between(1, 1 + i128::from(self.size)) {
            if self.has(Feature::Union) && self.rng.percent(25) {
                self.define_union();
            } else if self.has(Feature::Struct) {
                self.define_struct();
            }
        }
    }

    fn define_enumeration(&mut self) {
        self.mark(Feature::Enum);
        let tag = self.fresh("E");
        let mut next = 0;
        let mut constants = Vec::new();
        let mut items = Vec::new();
        for _ in 0..self.rng.between(2, 5) {
            let name = self.fresh("K");
            if self.rng.percent(40) {
                next = self.rng.between(-20, 60);
                let value = self.literal(next);
                items.push(format!("{name} = {}", value.text));
            } else {
                items.push(name.clone());
            }
            constants.push((name, next));
            next += 1;
        }
        self.line(format!("enum {tag} {{ {} }};", items.join(", ")));
        let negative = constants.iter().any(|(_, value)| *value < 0);
        let kind = if negative {
            IntKind::Int
        } else {
            IntKind::UInt
        };
        self.enumerations.push(Enumeration {
            tag,
            constants,
            kind,
        });
    }

    fn define_struct(&mut self) {
        self.mark(Feature::Struct);
        let mut fields = Vec::new();
        for index in 0..self.rng.between(1, 6) {
            let name = field_name(index);
            if self.has(Feature::BitField) && self.rng.percent(38) {
                self.bit_fields(&name, &mut fields);
                continue;
            }
            let ty = self.field_ty();
            fields.push(Field { name, ty });
        }
        if fields.iter().all(|field| field.name.is_empty()) {
            fields.push(Field {
                name: "last".to_owned(),
                ty: Ty::Int(IntTy::full(IntKind::Int, self.model)),
            });
        }
        self.write_record(fields, false);
    }

    fn field_ty(&mut self) -> Ty {
        match self.rng.below(12) {
            0 | 1 if self.has(Feature::Array) => {
                self.mark(Feature::Array);
                let element = Ty::Int(self.int_ty());
                Ty::Array(Rc::new(element), self.rng.between(1, 5) as u32)
            }
            2 | 3 if !self.records.is_empty() && self.has(Feature::NestedStruct) => {
                self.mark(Feature::NestedStruct);
                Ty::Record(self.rng.index(self.records.len()))
            }
            4 => match self.float_kind() {
                Some(kind) => Ty::Float(kind),
                None => Ty::Int(self.int_ty()),
            },
            5 if self.has(Feature::NullPointer) => {
                // Null is a value that an initialiser always has at hand.
                let pointee = Ty::Int(self.int_ty());
                Ty::Pointer(Rc::new(PointerTy {
                    pointee,
                    before: 0,
                    after: 0,
                    array: None,
                    nullable: true,
                    read_only: false,
                }))
            }
            _ => Ty::Int(self.int_ty()),
        }
    }

    /// A bit-field, perhaps with unnamed ones before it.
    fn bit_fields(&mut self, name: &str, fields: &mut Vec<Field>) {
        self.mark(Feature::BitField);
        let kinds = [
            (10, IntKind::Int),
            (10, IntKind::UInt),
            (self.weight(Feature::Bool, 5), IntKind::Bool),
            (self.weight(Feature::PlainChar, 2), IntKind::SChar),
            (self.weight(Feature::PlainChar, 2), IntKind::UChar),
            (self.weight(Feature::Short, 2), IntKind::Short),
            (self.weight(Feature::Short, 2), IntKind::UShort),
            (self.weight(Feature::Long, 2), IntKind::Long),
            (self.weight(Feature::Long, 2), IntKind::ULong),
            (self.weight(Feature::LongLong, 2), IntKind::LLong),
            (self.weight(Feature::LongLong, 2), IntKind::ULLong),
        ];
        let kind = self.rng.weighted(&kinds).unwrap_or(IntKind::Int);
        let most = if kind == IntKind::Bool {
            1
        } else {
            i128::from(kind.bits(self.model))
        };
        let unnamed = match self.rng.below(6) {
            0 if self.has(Feature::ZeroWidthBitField) && !fields.is_empty() => {
                self.mark(Feature::ZeroWidthBitField);
                Some(0)
            }
            1 => Some(self.rng.between(1, most) as u32),
            _ => None,
        };
        if let Some(bits) = unnamed {
            fields.push(Field {
                name: String::new(),
                ty: Ty::Int(self.bit_field_ty(kind, bits)),
            });
        }
        let bits = self.rng.between(1, most) as u32;
        let mut ty = self.bit_field_ty(kind, bits);
        let unsigned: Vec<usize> = (0..self.enumerations.len())
            .filter(|index| self.enumerations[*index].kind == IntKind::UInt)
            .collect();
        if kind == IntKind::UInt && !unsigned.is_empty() && self.decide(Feature::EnumBitField, 75) {
            ty.enumeration = Some(*self.rng.pick(&unsigned));
        }
        fields.push(Field {
            name: name.to_owned(),
            ty: Ty::Int(ty),
        });
    }

    fn bit_field_ty(&mut self, kind: IntKind, bits: u32) -> IntTy {
        let ty = IntTy {
            field_bits: Some(bits.max(1)),
            ..IntTy::full(kind, self.model)
        };
        IntTy {
            range: ty.storable(self.model),
            field_bits: Some(bits),
            ..ty
        }
    }

    /// A union whose members all have the size of the first, so that each may be read whichever
    /// was written.
    fn define_union(&mut self) {
        self.mark(Feature::Union);
        let wide = self.has(Feature::LongLong) && self.rng.percent(40);
        let whole = if wide { IntKind::ULLong } else { IntKind::UInt };
        let bytes = if wide { 8 } else { 4 };
        let model = self.model;
        let full = |kind| Ty::Int(IntTy::full(kind, model));
        let array = |kind, length| Ty::Array(Rc::new(full(kind)), length);
        let mut choices = vec![
            array(IntKind::UChar, bytes),
            array(IntKind::SChar, bytes),
            array(IntKind::Short, bytes / 2),
            array(IntKind::UShort, bytes / 2),
            full(if wide { IntKind::LLong } else { IntKind::Int }),
        ];
        if wide {
            choices.push(array(IntKind::Int, 2));
        }
        let float = if wide {
            FloatKind::Double
        } else {
            FloatKind::Float
        };
        if self.float_kind() == Some(float) {
            choices.push(Ty::Float(float));
        }
        let mut fields = vec![Field {
            name: "whole".to_owned(),
            ty: full(whole),
        }];
        for index in 0..self.rng.between(1, 3) {
            fields.push(Field {
                name: field_name(index),
                ty: self.rng.pick(&choices).clone(),
            });
        }
        if !wide && self.has(Feature::BitField) && self.decide(Feature::BitFieldLayout, 50) {
            let packed = self.define_packed_bits();
            fields.push(Field {
                name: "bits".to_owned(),
                ty: Ty::Record(packed),
            });
        }
        self.mark(Feature::UnionPunning);
        self.write_record(fields, true);
    }

    /// A struct of bit-fields that fill exactly 32 bits.
    fn define_packed_bits(&mut self) -> usize {
        self.mark(Feature::BitField);
        let mut left = 32;
        let mut fields = Vec::new();
        while left > 0 {
            let bits = if fields.len() == 5 {
                left
            } else {
                self.rng.between(1, i128::from(left)) as u32
            };
            let kind = if self.rng.percent(50) {
                IntKind::Int
            } else {
                IntKind::UInt
            };
            let name = field_name(fields.len() as i128);
            fields.push(Field {
                name,
                ty: Ty::Int(self.bit_field_ty(kind, bits)),
            });
            left -= bits;
        }
        self.write_record(fields, false)
    }

    fn write_record(&mut self, fields: Vec<Field>, is_union: bool) -> usize {
        let tag = self.fresh(if is_union { "U" } else { "S" });
        let typedef_name = self.decide(Feature::Typedef, 25).then(|| self.fresh("T"));
        let keyword = if is_union { "union" } else { "struct" };
        let open = if typedef_name.is_some() {
            "typedef "
        } else {
            ""
        };
        self.line(format!("{open}{keyword} {tag} {{"));
        self.indent += 1;
        for field in &fields {
            let text = self.declaration(&field.ty, &field.name);
            match &field.ty {
                Ty::Int(IntTy {
                    field_bits: Some(bits),
                    ..
                }) => self.line(format!("{text} : {bits};")),
                _ => self.line(format!("{text};")),
            }
        }
        self.indent -= 1;
        let close = typedef_name
            .as_ref()
            .map_or(String::new(), |name| format!(" {name}"));
        self.line(format!("}}{close};"));
        self.records.push(Record {
            tag,
            is_union,
            typedef_name,
            fields,
        });
        self.records.len() - 1
    }

    /// Global objects.
    pub(crate) fn define_globals(&mut self) {
        for _ in 0..self.rng.between(2, 2 + i128::from(self.size) * 2) {
            if self.has(Feature::StringLiteral) && self.rng.percent(6) {
                self.define_string();
                continue;
            }
            let ty = if self.rng.percent(10) {
                self.global_pointer()
            } else {
                None
            };
            let ty = match ty {
                Some(ty) => ty,
                None => self.object_ty(),
            };
            self.define_global(ty);
        }
        if self.has(Feature::Sizeof) && self.rng.percent(15) {
            let size = self.model.word_bits() / 8;
            self.line(format!(
                "_Static_assert(sizeof(long) == {size}, \"data model\");"
            ));
        }
    }

    fn define_global(&mut self, ty: Ty) {
        let is_scalar = matches!(ty, Ty::Int(_) | Ty::Float(_));
        let storage = Storage {
            is_static: self.rng.percent(50),
            is_const: !matches!(ty, Ty::Pointer(_)) && self.decide(Feature::Const, 8),
            is_volatile: is_scalar && self.decide(Feature::Volatile, 6),
            is_register: false,
        };
        let name = self.fresh("g");
        let declaration = self.declaration(&ty, &name);
        let prefix = storage.prefix();
        if self.decide(Feature::RepeatedDeclaration, 8) {
            // A tentative definition, or one that says extern.
            let word = if !storage.is_static && self.rng.percent(50) {
                "extern "
            } else {
                ""
            };
            self.line(format!("{word}{prefix}{declaration};"));
        }
        let (value, _) = self.initialiser(&ty, 0, Context::constant());
        if self.zero_is_fine(&ty) && self.rng.percent(12) {
            self.line(format!("{prefix}{declaration};"));
        } else {
            self.line(format!("{prefix}{declaration} = {value};"));
        }
        let var = self.new_var(name, ty, storage);
        self.declare(var);
    }

    /// The type of a pointer to an earlier global object, if there is one to point to.
    fn global_pointer(&mut self) -> Option<Ty> {
        let targets: Vec<Ty> = self.scopes[0]
            .iter()
            .filter(|var| var.addressable && var.writable && var.depth == 0)
            .map(|var| var.ty.clone())
            .filter(|ty| matches!(ty, Ty::Int(_) | Ty::Record(_)))
            .collect();
        if targets.is_empty() || !self.has(Feature::PointerToScalar) {
            return None;
        }
        self.mark(Feature::PointerToScalar);
        let pointee = self.rng.pick(&targets).clone();
        Some(pointee.pointer_to_one())
    }

    fn define_string(&mut self) {
        let text = self.string_literal(9);
        let name = self.fresh("g");
        self.line(format!("static const char *{name} = {text};"));
        let pointee = Ty::Int(IntTy::full(IntKind::Char, self.model));
        // Only the first character (or the terminator) is promised.
        let pointer = PointerTy {
            pointee,
            before: 0,
            after: 0,
            array: None,
            nullable: false,
            read_only: true,
        };
        let var = self.new_var(name, Ty::Pointer(Rc::new(pointer)), Storage::default());
        self.declare(var);
    }

    /// The type of an object that is not a pointer.
    pub(crate) fn object_ty(&mut self) -> Ty {
        match self.rng.below(12) {
            0 | 1 if self.has(Feature::Array) => {
                self.mark(Feature::Array);
                let element = self.element_ty();
                Ty::Array(Rc::new(element), self.rng.between(1, 9) as u32)
            }
            2 if self.has(Feature::MultiArray) => {
                self.mark(Feature::MultiArray);
                let inner = Ty::Array(
                    Rc::new(Ty::Int(self.int_ty())),
                    self.rng.between(1, 4) as u32,
                );
                let outer = Ty::Array(Rc::new(inner), self.rng.between(1, 3) as u32);
                if self.rng.percent(20) {
                    Ty::Array(Rc::new(outer), 2)
                } else {
                    outer
                }
            }
            3 if self.has(Feature::CharArray) => {
                self.mark(Feature::CharArray);
                let element = Ty::Int(IntTy::full(IntKind::Char, self.model));
                Ty::Array(Rc::new(element), self.rng.between(1, 12) as u32)
            }
            4..=6 if !self.records.is_empty() => Ty::Record(self.rng.index(self.records.len())),
            7 => match self.float_kind() {
                Some(kind) => Ty::Float(kind),
                None => Ty::Int(self.int_ty()),
            },
            _ => Ty::Int(self.int_ty()),
        }
    }

    fn element_ty(&mut self) -> Ty {
        match self.rng.below(8) {
            0 if !self.records.is_empty() => Ty::Record(self.rng.index(self.records.len())),
            1 => match self.float_kind() {
                Some(kind) => Ty::Float(kind),
                None => Ty::Int(self.int_ty()),
            },
            _ => Ty::Int(self.int_ty()),
        }
    }
}

fn field_name(index: i128) -> String {
    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "x", "y", "n"];
    usize::try_from(index)
        .ok()
        .and_then(|index| NAMES.get(index))
        .map_or(format!("m{index}"), ToString::to_string)
}
