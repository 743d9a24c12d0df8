//! Output: every printed line starts with a number of its own, so that a difference leads to the
//! statement that printed it.

use super::Generator;
use super::effects::{Context, Effects, WORLD};
use super::expr::{Expr, level};
use super::scope::Var;
use super::types::Ty;
use crate::feature::Feature;
use crate::model::{FloatKind, IntKind, Interval};

/// Estimated steps of one `printf`.
const PRINT_COST: u64 = 8;

impl Generator {
    /// A number that is different for every printing statement.
    fn tag(&mut self) -> u32 {
        self.next_name += 1;
        self.effects = self.effects.and(Effects::writing(WORLD));
        self.work += self.repeat * PRINT_COST;
        self.next_name
    }

    /// Prints some value: what the program is about.
    pub(crate) fn print_something(&mut self) {
        let cx = Context::default();
        match self.rng.below(10) {
            0 | 1 if self.float_kind().is_some() => {
                let value = self.float_expr(cx, 2);
                self.effects = self.effects.and(value.effects);
                let text = value.at(level::ASSIGN);
                let kind = self.float_kind().unwrap_or(FloatKind::Double);
                self.print_float(&text, kind);
            }
            2 => self.print_several(),
            3 => self.print_character(),
            _ => {
                let depth = self.rng.between(1, 4) as u32;
                let value = self.int_expr(cx, depth);
                self.print_int(&value);
            }
        }
    }

    /// `printf` of one integer in a format of its type.
    pub(crate) fn print_int(&mut self, value: &Expr) {
        self.effects = self.effects.and(value.effects);
        let tag = self.tag();
        if value.kind().rank() >= IntKind::Int128.rank() {
            let ty = self.kind_spelling(value.kind());
            let text = value.at(level::ASSIGN);
            self.line(format!(
                "{{ {ty} w = {text}; printf(\"{tag} %llx %llx\\n\", (unsigned long long)(w >> 64), \
                 (unsigned long long)w); }}"
            ));
            return;
        }
        let (format, argument) = self.formatted(value);
        self.line(format!("printf(\"{tag} {format}\\n\", {argument});"));
    }

    /// A conversion specification and the argument for it.
    fn formatted(&mut self, value: &Expr) -> (&'static str, String) {
        let kind = value.kind().promoted();
        let choices: &[&'static str] = match kind {
            IntKind::Int => &["%d", "%d", "%i"],
            IntKind::UInt => &["%u", "%u", "%x"],
            IntKind::Long => &["%ld"],
            IntKind::ULong => &["%lu", "%lx"],
            IntKind::LLong => &["%lld"],
            _ => &["%llu", "%llx"],
        };
        (*self.rng.pick(choices), value.at(level::ASSIGN))
    }

    fn print_several(&mut self) {
        let cx = Context::default();
        let mut effects = Effects::writing(WORLD);
        let mut formats = Vec::new();
        let mut arguments = Vec::new();
        for _ in 0..self.rng.between(2, 4) {
            let value = self.int_expr(cx.beside(effects), 1);
            if value.kind().rank() >= IntKind::Int128.rank() {
                continue;
            }
            effects = effects.and(value.effects);
            let (format, argument) = self.formatted(&value);
            formats.push(format);
            arguments.push(argument);
        }
        self.effects = self.effects.and(effects);
        let tag = self.tag();
        let mut text = format!("printf(\"{tag} {}\\n\"", formats.join(" "));
        for argument in arguments {
            text += ", ";
            text += &argument;
        }
        self.line(text + ");");
    }

    fn print_character(&mut self) {
        let cx = Context::default();
        let range = Interval::new(32, 126);
        let value = self.int_for(&super::types::IntTy::ranged(IntKind::Int, range), cx, 1);
        self.effects = self.effects.and(value.effects);
        let tag = self.tag();
        // A wider argument than the format says would be undefined.
        let value = if value.kind().promoted() == IntKind::Int {
            value
        } else {
            self.cast_to(value, IntKind::Int)
        };
        self.line(format!(
            "printf(\"{tag} %c%s\\n\", {}, \"|\");",
            value.at(level::ASSIGN)
        ));
    }

    /// Prints the bits of a floating value, through a helper function that names NaNs only.
    pub(crate) fn print_float(&mut self, text: &str, kind: FloatKind) {
        let tag = self.tag();
        let printer = self.float_printer(kind);
        self.line(format!("{printer}({tag}, {text});"));
    }

    fn float_printer(&mut self, kind: FloatKind) -> &'static str {
        match kind {
            FloatKind::Float => {
                self.mark(Feature::Float);
                self.mark(Feature::UnionPunning);
                self.prints_float = true;
                "print_float"
            }
            FloatKind::Double => {
                self.mark(Feature::Double);
                self.prints_double = true;
                "print_double"
            }
        }
    }

    /// The functions behind [`Self::print_float`]. The sign and payload of a NaN are nobody's promise.
    pub(crate) fn printer_definitions(&self) -> String {
        let mut text = String::new();
        for (needed, name, float, bits, format) in [
            (self.prints_float, "print_float", "float", "unsigned", "%x"),
            (
                self.prints_double,
                "print_double",
                "double",
                "unsigned long long",
                "%llx",
            ),
        ] {
            if needed {
                text += &format!(
                    "static void {name}(int tag, {float} value)\n{{\n    union {{ {float} f; {bits} u; }} both;\n    \
                     both.f = value;\n    if (value != value)\n        printf(\"%d nan\\n\", tag);\n    else\n        \
                     printf(\"%d {format}\\n\", tag, both.u);\n}}\n"
                );
            }
        }
        text
    }

    /// Prints every scalar in every global object.
    pub(crate) fn print_everything(&mut self) {
        let shown: Vec<Var> = self
            .visible()
            .into_iter()
            .filter(|var| var.depth == 0)
            .collect();
        for var in shown {
            self.print_object(&var.name.clone(), &var.ty.clone(), level::PRIMARY);
        }
    }

    /// Prints what an object consists of.
    pub(crate) fn print_object(&mut self, text: &str, ty: &Ty, strength: u8) {
        match ty {
            Ty::Int(int) => {
                let kind = if int.field_bits.is_some() {
                    int.promoted()
                } else {
                    int.kind
                };
                let value = if kind.rank() > IntKind::Int.rank() && int.field_bits.is_some() {
                    let spelling = self.kind_spelling(kind);
                    Expr::int(format!("({spelling}){text}"), level::CAST, kind, int.range)
                } else {
                    Expr::int(text, strength, kind, int.range)
                };
                self.print_int(&value);
            }
            Ty::Float(kind) => self.print_float(text, *kind),
            Ty::Array(element, length) => self.print_array(text, &element.clone(), *length),
            Ty::Record(index) => {
                let record = self.records[*index].clone();
                for field in &record.fields {
                    // A floating member of a union may hold any bits.
                    let hidden = record.is_union && matches!(field.ty, Ty::Float(_));
                    if !hidden && !field.name.is_empty() {
                        let member = format!("{text}.{}", field.name);
                        self.print_object(&member, &field.ty, level::POSTFIX);
                    }
                }
            }
            Ty::Pointer(pointer) => {
                if let Ty::Int(int) = &pointer.pointee {
                    let read = Expr::int(format!("*{text}"), level::UNARY, int.kind, int.range);
                    let value = if pointer.nullable {
                        let test = Expr::int(text, strength, IntKind::Int, Interval::new(0, 1));
                        let otherwise = self.literal(-1);
                        self.choose(&test, &read, &otherwise)
                    } else {
                        read
                    };
                    self.print_int(&value);
                }
            }
        }
    }

    fn print_array(&mut self, text: &str, element: &Ty, length: u32) {
        if length <= 2 {
            for index in 0..length {
                self.print_object(&format!("{text}[{index}]"), element, level::POSTFIX);
            }
            return;
        }
        let counter = self.fresh("i");
        self.mark(Feature::For);
        let head = format!("for (int {counter} = 0; {counter} < {length}; {counter}++)");
        let outer = self.repeat;
        self.repeat *= u64::from(length);
        self.braces(&head, "", |generator| {
            generator.print_object(&format!("{text}[{counter}]"), element, level::POSTFIX);
        });
        self.repeat = outer;
    }
}
