//! Random initialisers: designators, left-out braces, ranges, strings, overrides. The bytes must be those of gcc.

use std::fmt::Write;

use rhumb_program::DataModel;

use super::random::{Random, seeds};
use super::{MODELS, analyse, bytes_of, gcc};

/// A type, as far as initialisers see it.
#[derive(Clone)]
enum Ty {
    Scalar(&'static str),
    /// An array of `char`, with its length.
    Text(u64),
    Array(Box<Ty>, u64),
    /// Members with their names (`None`: anonymous) and widths.
    Record {
        text: String,
        members: Vec<(Option<String>, Ty, Option<u64>)>,
    },
}

const SCALARS: &[&str] = &[
    "char",
    "unsigned char",
    "short",
    "int",
    "unsigned",
    "long",
    "long long",
    "float",
    "double",
    "_Bool",
];

struct Generator {
    random: Random,
    names: u32,
}

impl Generator {
    fn ty(&mut self, depth: u32) -> Ty {
        match self.random.below(if depth == 0 { 4 } else { 9 }) {
            0..=2 => Ty::Scalar(self.random.pick(SCALARS)),
            3 => Ty::Text(1 + self.random.below(6)),
            4 | 5 => Ty::Array(Box::new(self.ty(depth - 1)), 1 + self.random.below(4)),
            _ => self.record(depth - 1),
        }
    }

    fn record(&mut self, depth: u32) -> Ty {
        let keyword = if self.random.one_in(4) {
            "union"
        } else {
            "struct"
        };
        let mut text = format!("{keyword} {{ ");
        let mut members = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            if self.random.one_in(4) {
                let (name, width) = (self.name(), 1 + self.random.below(20));
                let ty = self.random.pick(&["int", "unsigned", "long long"]);
                write!(text, "{ty} {name}:{width}; ").expect("a string grows");
                members.push((Some(name), Ty::Scalar(ty), Some(width)));
                continue;
            }
            let ty = self.ty(depth);
            let anonymous = matches!(ty, Ty::Record { .. }) && self.random.one_in(3);
            let name = if anonymous { None } else { Some(self.name()) };
            write!(text, "{}; ", declare(&ty, name.as_deref().unwrap_or("")))
                .expect("a string grows");
            members.push((name, ty, None));
        }
        text.push('}');
        Ty::Record { text, members }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("m{}", self.names)
    }

    fn constant(&mut self) -> String {
        match self.random.below(5) {
            // Not one that a narrow bit-field could not hold: converting it would be undefined.
            0 => format!("0.{}", self.random.below(100)),
            1 => format!("'{}'", char::from(b'a' + self.random.below(26) as u8)),
            2 => format!("-{}", 1 + self.random.below(1000)),
            _ => format!("{}", 1 + self.random.below(100_000)),
        }
    }

    fn string(&mut self, len: u64) -> String {
        let letters = self.random.below(len + 1);
        let text: String = (0..letters)
            .map(|_| char::from(b'a' + self.random.below(26) as u8))
            .collect();
        format!("\"{text}\"")
    }

    /// An initialiser for an object of the type.
    fn init(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(_) => self.constant(),
            Ty::Text(len) => {
                let string = self.string(*len);
                if self.random.one_in(3) {
                    format!("{{ {string} }}")
                } else {
                    string
                }
            }
            Ty::Array(element, len) if self.random.one_in(2) => {
                let items: Vec<String> = (0..self.random.below(len + 1))
                    .map(|_| self.init(element))
                    .collect();
                format!("{{ {} }}", items.join(", "))
            }
            Ty::Array(..) | Ty::Record { .. } => self.list(ty),
        }
    }

    /// A list in braces in which anything goes.
    fn list(&mut self, ty: &Ty) -> String {
        let mut items = Vec::new();
        for _ in 0..self.random.below(6) {
            if self.random.one_in(2) {
                items.push(self.constant());
                continue;
            }
            let mut designator = String::new();
            let part = self.designate(ty, &mut designator);
            let value = self.init(&part);
            items.push(format!("{designator} = {value}"));
        }
        format!("{{ {} }}", items.join(", "))
    }

    /// A random way into an aggregate; gives the part to which it leads.
    fn designate(&mut self, ty: &Ty, out: &mut String) -> Ty {
        let part = match ty {
            Ty::Scalar(_) | Ty::Text(_) => return ty.clone(),
            Ty::Array(element, len) => {
                let first = self.random.below(*len);
                if self.random.one_in(4) {
                    let last = first + self.random.below(len - first);
                    write!(out, "[{first} ... {last}]").expect("a string grows");
                } else {
                    write!(out, "[{first}]").expect("a string grows");
                }
                (**element).clone()
            }
            Ty::Record { members, .. } => {
                let chosen = self.random.below(members.len() as u64) as usize;
                let (name, part, _) = members[chosen].clone();
                match name {
                    Some(name) => write!(out, ".{name}").expect("a string grows"),
                    None => return self.designate(&part, out),
                }
                part
            }
        };
        if self.random.one_in(2) {
            return self.designate(&part, out);
        }
        part
    }
}

/// C text that declares a name with a type.
fn declare(ty: &Ty, name: &str) -> String {
    match ty {
        Ty::Scalar(base) => format!("{base} {name}"),
        Ty::Text(len) => format!("char {name}[{len}]"),
        Ty::Array(element, len) => declare(element, &format!("{name}[{len}]")),
        Ty::Record { text, .. } => format!("{text} {name}"),
    }
}

fn check_batch(seed: u64, model: DataModel, count: usize) {
    let mut generator = Generator {
        random: Random(seed),
        names: 0,
    };
    let mut text = "struct all {\n".to_string();
    let mut values = String::new();
    for index in 0..count {
        let ty = generator.ty(3);
        writeln!(text, "{};", declare(&ty, &format!("o{index}"))).expect("a string grows");
        writeln!(values, ".o{index} = {},", generator.init(&ty)).expect("a string grows");
    }
    write!(text, "int end; }} all = {{ {values} .end = 1 }};").expect("a string grows");
    let result = analyse(text.as_bytes(), model);
    assert_eq!(result.errors(), Vec::<String>::new(), "seed {seed}\n{text}");
    let ours = bytes_of(&result.unit, "all");
    let theirs = gcc::data_section(&text, model)
        .unwrap_or_else(|message| panic!("seed {seed}, {model}: {message}"));
    if let Some(byte) = (0..ours.len().max(theirs.len())).find(|&at| ours.get(at) != theirs.get(at))
    {
        let layouts = result
            .unit
            .types
            .records
            .iter()
            .filter_map(|record| Some((record.tag?, record.layout.as_ref()?)));
        let part = layouts
            .flat_map(|(_, layout)| &layout.fields)
            .rfind(|field| field.offset <= byte as u64);
        let part = part
            .and_then(|field| field.name)
            .map_or("", |name| result.names.name(name));
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| {
                line.contains(&format!("{part} "))
                    || line.contains(&format!("{part};"))
                    || line.contains(&format!("{part}["))
            })
            .collect();
        panic!(
            "seed {seed}, {model}: byte {byte}, in {part}:\n{}\nours   {:?}\ntheirs {:?}",
            lines.join("\n"),
            &ours[byte..ours.len().min(byte + 16)],
            &theirs[byte..theirs.len().min(byte + 16)]
        );
    }
}

#[test]
fn random_initializers_set_the_bytes_that_gcc_sets() {
    if !gcc::is_available() {
        return;
    }
    for model in MODELS {
        for seed in seeds(10) {
            check_batch(seed, model, 40);
        }
    }
}
