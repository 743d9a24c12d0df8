//! Random records: sizes, alignments, offsets and the bits of bit-fields must be those of gcc.

use std::fmt::Write;

use rhumb_program::DataModel;

use super::random::{Random, seeds};
use super::{Analysed, MODELS, analyse, bytes_of, gcc};
use crate::ctypes::{CType, RecordLayout};

const SCALARS: &[&str] = &[
    "char",
    "signed char",
    "unsigned short",
    "short",
    "int",
    "unsigned",
    "long",
    "unsigned long long",
    "long long",
    "float",
    "double",
    "long double",
    "_Bool",
    "void *",
    "enum small",
    "enum wide",
    "enum tiny",
    "__float128",
    "aligned_int",
    "loose_double",
    "aligned_again",
    "aligned_less",
    "loose_more",
    "aligned_row",
    "const char *",
];
const BIT_TYPES: &[(&str, u64, u64)] = &[
    ("char", 8, 8),
    ("unsigned char", 8, 8),
    ("short", 16, 16),
    ("unsigned short", 16, 16),
    ("int", 32, 32),
    ("unsigned", 32, 32),
    ("long", 32, 64),
    ("unsigned long", 32, 64),
    ("long long", 64, 64),
    ("unsigned long long", 64, 64),
    ("_Bool", 1, 1),
    ("enum small", 32, 32),
    ("enum tiny", 8, 8),
    ("loose_long", 64, 64),
];
const PRELUDE: &str = "enum small { A, B }; enum wide { C = 0x7fffffffffff }; enum __attribute__((packed)) tiny { T };\n\
    typedef int aligned_int __attribute__((aligned(8)));\n\
    typedef double loose_double __attribute__((aligned(2)));\n\
    typedef long long loose_long __attribute__((aligned(4)));\n\
    typedef aligned_int aligned_again;\n\
    typedef aligned_int aligned_less __attribute__((aligned(2)));\n\
    typedef loose_double loose_more __attribute__((aligned(16)));\n\
    typedef short aligned_row[4] __attribute__((aligned(8)));\n";

/// The text of a record definition; its named members are called `m0`, `m1`, …
struct Generator {
    random: Random,
    model: DataModel,
    text: String,
    members: u32,
    known: u32,
}

impl Generator {
    fn members(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(6) {
            self.member(depth);
        }
    }

    fn attributes(&mut self, odds: u64) {
        if self.random.one_in(odds) {
            let text = self.random.pick(&[
                " __attribute__((packed))",
                " __attribute__((aligned(1)))",
                " __attribute__((aligned(2)))",
                " __attribute__((aligned(4)))",
                " __attribute__((aligned(8)))",
                " __attribute__((aligned(16)))",
                " __attribute__((packed, aligned(2)))",
            ]);
            self.text.push_str(text);
        }
    }

    fn name(&mut self) -> String {
        self.members += 1;
        format!("m{}", self.members - 1)
    }

    fn member(&mut self, depth: u32) {
        match self.random.below(10) {
            0..=4 => self.bit_field(),
            5 if depth > 0 => {
                let keyword = self.random.pick(&["struct", "union"]);
                write!(self.text, "{keyword} {{ ").expect("a string grows");
                self.members(depth - 1);
                self.text.push('}');
                self.attributes(6);
                if self.random.one_in(2) {
                    let name = self.name();
                    write!(self.text, " {name}").expect("a string grows");
                }
                self.text.push_str("; ");
            }
            6 if self.known > 0 => {
                let (record, name) = (self.random.below(u64::from(self.known)), self.name());
                let by_typedef = self.random.one_in(3);
                let keyword = if by_typedef { "t" } else { "struct r" };
                write!(self.text, "{keyword}{record} {name}").expect("a string grows");
                if self.random.one_in(3) && !by_typedef {
                    self.text.push_str("[2]");
                }
                self.attributes(8);
                self.text.push_str("; ");
            }
            _ => {
                let (ty, name) = (self.random.pick(SCALARS), self.name());
                write!(self.text, "{ty} {name}").expect("a string grows");
                let aligned = ty.starts_with("aligned") || ty.starts_with("loose");
                if self.random.one_in(5) && !aligned {
                    write!(self.text, "[{}]", self.random.below(4)).expect("a string grows");
                }
                self.attributes(8);
                self.text.push_str("; ");
            }
        }
    }

    fn bit_field(&mut self) {
        let (ty, small, large) = self.random.pick(BIT_TYPES);
        let limit = match self.model {
            DataModel::Ilp32 => small,
            DataModel::Lp64 => large,
        };
        match self.random.below(8) {
            0 => write!(self.text, "{ty} :0; "),
            1 => {
                let width = 1 + self.random.below(limit);
                write!(self.text, "{ty} :{width}; ")
            }
            _ => {
                let width = if self.random.one_in(2) {
                    1 + self.random.below(limit.min(9))
                } else {
                    1 + self.random.below(limit)
                };
                let name = self.name();
                let written = write!(self.text, "{ty} {name}:{width}");
                self.attributes(12);
                self.text.push_str("; ");
                written
            }
        }
        .expect("a string grows");
    }
}

/// Definitions of `struct r0`, `struct r1`, …
fn definitions(seed: u64, model: DataModel, count: u32) -> String {
    let mut generator = Generator {
        random: Random(seed),
        model,
        text: PRELUDE.to_string(),
        members: 0,
        known: 0,
    };
    for index in 0..count {
        generator.members = 0;
        let is_packed = generator.random.one_in(3);
        if is_packed {
            let limit = generator.random.pick(&["1", "2", "4", "8", "push, 2"]);
            writeln!(generator.text, "#pragma pack({limit})").expect("a string grows");
        }
        write!(generator.text, "struct r{index} {{ ").expect("a string grows");
        // A struct with only unnamed bit-fields in it has no known alignment rule worth testing: gcc warns about it.
        generator.text.push_str("char first; ");
        generator.members(2);
        generator.text.push('}');
        generator.attributes(5);
        generator.text.push_str(";\n");
        if is_packed {
            generator.text.push_str("#pragma pack()\n");
        }
        write!(generator.text, "typedef struct r{index} t{index}").expect("a string grows");
        generator.attributes(2);
        generator.text.push_str(";\n");
        generator.known += 1;
    }
    generator.text
}

/// Assertions that our layout of the record `name` is right; for bit-fields objects in which only they are set.
fn assertions(
    result: &Analysed,
    name: &str,
    layout: &RecordLayout,
    path: &str,
    out: &mut String,
    fields: &mut Vec<String>,
) {
    for field in &layout.fields {
        let types = &result.unit.types;
        let nested = types
            .as_record(field.ty.ty)
            .and_then(|id| types.records[id].layout.as_ref());
        match (field.name, nested) {
            (None, Some(inner)) => assertions(result, name, inner, path, out, fields),
            (None, None) => {}
            (Some(member), nested) => {
                let path = format!("{path}{}", result.names.name(member));
                if field.bits.is_some() {
                    fields.push(path);
                    continue;
                }
                let size = types.size_of(field.ty.ty).unwrap_or(0);
                writeln!(out, "_Static_assert(sizeof(((struct {name} *)0)->{path}) == {size}, \"{name}.{path}\");")
                    .expect("a string grows");
                if let Some(inner) = nested {
                    assertions(result, name, inner, &format!("{path}."), out, fields);
                }
            }
        }
    }
}

fn check_batch(seed: u64, model: DataModel, count: u32) {
    let text = definitions(seed, model, count);
    let result = analyse(text.as_bytes(), model);
    assert_eq!(result.errors(), Vec::<String>::new(), "seed {seed}");
    let mut asserts = text.clone();
    let mut objects = text;
    objects.push_str("struct all {\n");
    let mut values = String::new();
    for record in &result.unit.types.records {
        let (Some(tag), Some(layout)) = (record.tag, &record.layout) else {
            continue;
        };
        let name = result.names.name(tag).clone();
        writeln!(
            asserts,
            "_Static_assert(sizeof(struct {name}) == {} && _Alignof(struct {name}) == {}, \"{name}\");",
            layout.size, layout.align
        )
        .expect("a string grows");
        let mut fields = Vec::new();
        assertions(&result, &name, layout, "", &mut asserts, &mut fields);
        offsets(&result, &name, layout, 0, "", &mut asserts);
        for (index, field) in fields.iter().enumerate() {
            writeln!(objects, "struct {name} {name}_{index};").expect("a string grows");
            writeln!(values, ".{name}_{index}.{field} = -1,").expect("a string grows");
        }
    }
    if let Err(message) = gcc::check(&asserts, model) {
        panic!(
            "seed {seed}, {model}: gcc has another layout\n{}\n{message}",
            first_wrong(&asserts, &message)
        );
    }
    writeln!(objects, "char end; }} all = {{ {values} .end = 1 }};").expect("a string grows");
    let result = analyse(objects.as_bytes(), model);
    assert_eq!(result.errors(), Vec::<String>::new(), "seed {seed}");
    let ours = bytes_of(&result.unit, "all");
    let theirs = gcc::data_section(&objects, model).expect("gcc compiles what it accepts");
    let wrong = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    assert!(
        wrong.is_none() && ours.len() == theirs.len(),
        "seed {seed}, {model}: bits differ at byte {wrong:?} of {} and {}",
        ours.len(),
        theirs.len()
    );
}

/// The definition of the first record that gcc complains about, and what we assert about it.
fn first_wrong(asserts: &str, message: &str) -> String {
    let name = message
        .split('"')
        .nth(1)
        .and_then(|text| text.split('.').next())
        .unwrap_or("");
    let mentions = |line: &&str| {
        line.starts_with(&format!("struct {name} "))
            || line.ends_with(&format!("\"{name}\");"))
            || line.contains(&format!("\"{name}."))
    };
    asserts
        .lines()
        .filter(mentions)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Assertions about the offsets of all members that are no bit-fields.
fn offsets(
    result: &Analysed,
    name: &str,
    layout: &RecordLayout,
    start: u64,
    path: &str,
    out: &mut String,
) {
    let types = &result.unit.types;
    for field in &layout.fields {
        let nested = match types.get(field.ty.ty) {
            CType::Record(id) => types.records[*id].layout.as_ref(),
            _ => None,
        };
        let offset = start + field.offset;
        let path = match field.name {
            Some(member) => format!("{path}{}", result.names.name(member)),
            None => path.to_string(),
        };
        if field.name.is_some() && field.bits.is_none() {
            writeln!(out, "_Static_assert(__builtin_offsetof(struct {name}, {path}) == {offset}, \"{name}.{path}\");")
                .expect("a string grows");
        }
        if let Some(inner) = nested {
            let dot = if field.name.is_some() { "." } else { "" };
            offsets(result, name, inner, offset, &format!("{path}{dot}"), out);
        }
    }
}

#[test]
fn random_records_lie_as_gcc_lays_them_out() {
    if !gcc::is_available() {
        return;
    }
    for model in MODELS {
        for seed in seeds(12) {
            check_batch(seed, model, 50);
        }
    }
}
