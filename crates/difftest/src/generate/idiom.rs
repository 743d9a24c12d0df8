//! Pieces of C that random statements would hardly ever form: walks with pointers, lists,
//! reinterpreted bits, strings, layouts.
//!
//! Each idiom is a block of its own with objects of its own, so its statements can be plain text.

use super::Generator;
use super::effects::Context;
use super::expr::{Expr, level};
use super::types::{IntTy, Ty};
use crate::feature::Feature;
use crate::model::{FloatKind, IntKind, Interval};

/// An idiom, by what it shows.
#[derive(Clone, Copy)]
enum Idiom {
    PointerWalk,
    LinkedList,
    Bytes,
    FloatBits,
    MixedUnion,
    StringWalk,
    Matrix,
    DoublePointer,
    Layout,
    Duff,
    VoidPointer,
    Memory,
    Offsets,
    Checksum,
    Series,
    Rounding,
    LongDouble,
    Allocation,
    VariableLength,
    AnonymousMember,
}

impl Generator {
    /// One idiom that the program's features allow.
    pub(crate) fn idiom(&mut self) {
        let records = u32::from(!self.records.is_empty());
        let floats = self
            .weight(Feature::Float, 1)
            .max(self.weight(Feature::Double, 1));
        let affordable = self.work + self.repeat * 3000 < self.budget;
        let long_loops = if affordable {
            self.weight(Feature::LongLoop, 2)
        } else {
            0
        };
        let choices = [
            (
                self.weight(Feature::PointerArithmetic, 3),
                Idiom::PointerWalk,
            ),
            (self.weight(Feature::LinkedList, 2), Idiom::LinkedList),
            (self.weight(Feature::ByteAccess, 2), Idiom::Bytes),
            (self.weight(Feature::UnionPunning, 2), Idiom::FloatBits),
            (self.weight(Feature::Union, 2), Idiom::MixedUnion),
            (self.weight(Feature::StringLiteral, 2), Idiom::StringWalk),
            (self.weight(Feature::MultiArray, 2), Idiom::Matrix),
            (
                self.weight(Feature::PointerToPointer, 2),
                Idiom::DoublePointer,
            ),
            (records * self.weight(Feature::Sizeof, 2), Idiom::Layout),
            (self.weight(Feature::Switch, 1), Idiom::Duff),
            (self.weight(Feature::PointerToScalar, 1), Idiom::VoidPointer),
            (self.weight(Feature::LibraryMemory, 3), Idiom::Memory),
            (records * self.weight(Feature::Offsetof, 2), Idiom::Offsets),
            (long_loops, Idiom::Checksum),
            (long_loops * floats, Idiom::Series),
            (floats * self.weight(Feature::Rounding, 3), Idiom::Rounding),
            (
                floats * self.weight(Feature::LongDouble, 2),
                Idiom::LongDouble,
            ),
            (self.weight(Feature::Allocation, 2), Idiom::Allocation),
            (
                self.weight(Feature::VariableLengthArray, 2),
                Idiom::VariableLength,
            ),
            (
                self.weight(Feature::AnonymousMember, 2),
                Idiom::AnonymousMember,
            ),
        ];
        let Some(choice) = self.rng.weighted(&choices) else {
            return self.line(";");
        };
        self.work += self.repeat * 15;
        self.braces("", "", |generator| match choice {
            Idiom::PointerWalk => generator.pointer_walk(),
            Idiom::LinkedList => generator.linked_list(),
            Idiom::Bytes => generator.bytes(),
            Idiom::FloatBits => generator.float_bits(),
            Idiom::MixedUnion => generator.mixed_union(),
            Idiom::StringWalk => generator.string_walk(),
            Idiom::Matrix => generator.matrix(),
            Idiom::DoublePointer => generator.double_pointer(),
            Idiom::Layout => generator.layout(),
            Idiom::Duff => generator.duff(),
            Idiom::VoidPointer => generator.void_pointer(),
            Idiom::Memory => generator.memory(),
            Idiom::Offsets => generator.offsets(),
            Idiom::Checksum => generator.checksum(),
            Idiom::Series => generator.series(),
            Idiom::Rounding => generator.rounding(),
            Idiom::LongDouble => generator.long_double(),
            Idiom::Allocation => generator.allocation(),
            Idiom::VariableLength => generator.variable_length(),
            Idiom::AnonymousMember => generator.anonymous_member(),
        });
    }

    /// A pure value for an object of the idiom.
    pub(crate) fn plain_value(&mut self, ty: &IntTy) -> String {
        let value = self.int_for(ty, Context::default().pure(), 2);
        self.full(&value);
        value.at(level::ASSIGN)
    }

    /// Prints an integer object or expression of the idiom.
    pub(crate) fn show(&mut self, text: &str, kind: IntKind) {
        let value = Expr::int(text, level::COMMA, kind, kind.range(self.model));
        self.print_int(&value);
    }

    pub(crate) fn narrow_kind(&mut self) -> IntKind {
        match self.int_kind() {
            IntKind::Bool | IntKind::Int128 | IntKind::UInt128 => IntKind::Int,
            kind => kind,
        }
    }

    fn pointer_walk(&mut self) {
        self.mark(Feature::PointerArithmetic);
        self.mark(Feature::PointerToElement);
        self.mark(Feature::Array);
        let kind = self.narrow_kind();
        let ty = IntTy::full(kind, self.model);
        let length = self.rng.between(1, 8);
        let spelling = self.kind_spelling(kind);
        let values: Vec<String> = (0..length).map(|_| self.plain_value(&ty)).collect();
        self.line(format!(
            "{spelling} a[{length}] = {{{}}};",
            values.join(", ")
        ));
        self.line("unsigned long long sum = 1;");
        match self.rng.below(4) {
            0 => {
                self.mark(Feature::PointerComparison);
                self.line(format!("for ({spelling} *p = a; p < a + {length}; p++)"));
                self.line("    sum = sum * 31 + (unsigned long long)*p;");
            }
            1 => {
                self.line(format!("{spelling} *p = a, *end = &a[{length}];"));
                self.line("while (p != end)");
                self.line("    sum = sum * 31 + (unsigned long long)*p++;");
                self.mark(Feature::PointerDifference);
                self.show("(int)(p - a)", IntKind::Int);
            }
            2 => {
                self.line(format!("{spelling} *p = a + {length};"));
                self.line("do");
                self.line("    sum = sum * 31 + (unsigned long long)*--p;");
                self.line("while (p > a);");
                self.mark(Feature::PointerComparison);
                self.mark(Feature::DoWhile);
            }
            _ => {
                let step = self.rng.between(1, 3);
                self.line(format!("{spelling} *p = a;"));
                self.line(format!(
                    "for (int i = 0; i < {length}; i += {step}, p += i < {length} ? {step} : 0)"
                ));
                self.line("    *p ^= 5, sum = sum * 31 + (unsigned long long)p[0];");
                self.mark(Feature::Comma);
            }
        }
        self.show("sum", IntKind::ULLong);
    }

    fn linked_list(&mut self) {
        self.mark(Feature::LinkedList);
        self.mark(Feature::Struct);
        let count = self.rng.between(1, 5);
        let ty = IntTy::full(IntKind::Int, self.model);
        self.line(format!(
            "struct N {{ int value; struct N *next; }} node[{count}];"
        ));
        for index in 0..count {
            let value = self.plain_value(&ty);
            self.line(format!("node[{index}].value = {value};"));
            // Every node leads to an earlier one: the list has no cycle.
            if index == 0 {
                self.mark(Feature::NullPointer);
                self.line("node[0].next = 0;");
            } else {
                let next = self.rng.between(0, index - 1);
                self.line(format!("node[{index}].next = &node[{next}];"));
            }
        }
        let last = count - 1;
        self.line(format!("for (struct N *p = node + {last}; p; p = p->next)"));
        self.indent += 1;
        self.show("p->value", IntKind::Int);
        self.indent -= 1;
    }

    fn bytes(&mut self) {
        self.mark(Feature::ByteAccess);
        let kind = self.narrow_kind();
        let ty = IntTy::full(kind, self.model);
        let spelling = self.kind_spelling(kind);
        let value = self.plain_value(&ty);
        let size = kind.bits(self.model) / 8;
        self.line(format!("{spelling} whole = {value};"));
        self.line("unsigned char *byte = (unsigned char *)&whole;");
        self.line(format!(
            "for (unsigned i = 0; i < sizeof whole; i++) {{ {}",
            ""
        ));
        self.indent += 1;
        self.show("byte[i]", IntKind::UChar);
        self.indent -= 1;
        self.line("}");
        let index = self.rng.below(u64::from(size));
        let value = self.rng.below(256);
        self.line(format!("byte[{index}] = {value};"));
        self.show("whole", kind);
        self.line(format!("((char *)&whole)[{}] = 'x';", size - 1));
        self.show("whole", kind);
    }

    fn float_bits(&mut self) {
        let Some(kind) = self.float_kind() else {
            return self.line(";");
        };
        self.mark(Feature::UnionPunning);
        self.mark(Feature::Union);
        let (float, bits, bits_kind) = match kind {
            FloatKind::Float => ("float", "unsigned", IntKind::UInt),
            FloatKind::Double => ("double", "unsigned long long", IntKind::ULLong),
        };
        self.mark(if kind == FloatKind::Float {
            Feature::Float
        } else {
            Feature::Double
        });
        let value = self.float_expr(Context::default().pure(), 2);
        self.full(&value);
        self.line(format!("union {{ {float} f; {bits} u; }} q;"));
        self.line(format!("q.f = {};", value.at(level::ASSIGN)));
        // The bits of a NaN are nobody's promise.
        self.line("if (q.f == q.f)");
        self.indent += 1;
        self.show("q.u", bits_kind);
        self.indent -= 1;
        let (base, mask) = match kind {
            FloatKind::Float => (0x3f00_0000_u64, "0xffffffu"),
            FloatKind::Double => (0x3ff0_0000_0000_0000, "0xfffffffffffffull"),
        };
        let value = self.plain_value(&IntTy::full(bits_kind, self.model));
        self.line(format!("q.u = {base:#x} + (({bits})({value}) & {mask});"));
        self.print_float("q.f", kind);
    }

    fn mixed_union(&mut self) {
        self.mark(Feature::Union);
        let kinds = [IntKind::UChar, self.narrow_kind(), IntKind::LLong];
        let spellings = kinds.map(|kind| self.kind_spelling(kind));
        self.line(format!(
            "union {{ {} small; {} middle[2]; {} large; }} m;",
            spellings[0], spellings[1], spellings[2]
        ));
        for _ in 0..self.rng.between(1, 4) {
            // Only what was written last is read.
            let choice = self.rng.index(3);
            let member = ["m.small", "m.middle[1]", "m.large"][choice];
            let value = self.plain_value(&IntTy::full(kinds[choice], self.model));
            self.line(format!("{member} = {value};"));
            self.show(member, kinds[choice]);
        }
    }

    fn string_walk(&mut self) {
        let text = self.string_literal(8);
        match self.rng.below(4) {
            0 => {
                self.line(format!("const char *s = {text};"));
                self.line("int length = 0;");
                self.line("while (*s) {");
                self.indent += 1;
                self.show("*s", IntKind::Char);
                self.line("s++, length++;");
                self.indent -= 1;
                self.line("}");
                self.show("length", IntKind::Int);
            }
            1 => {
                self.mark(Feature::CharArray);
                self.line(format!("char s[] = {text};"));
                self.line("for (unsigned i = 0; i < sizeof s - 1; i++)");
                self.line("    s[i] += i % 2;");
                let tag = self.fresh("");
                self.line(format!("printf(\"{tag} %s|\\n\", s);"));
                self.show("sizeof s", self.model.size_kind());
            }
            2 => {
                self.show(&format!("{text}[0]"), IntKind::Char);
                self.show(&format!("sizeof({text})"), self.model.size_kind());
            }
            _ => {
                let other = self.string_literal(6);
                self.line(format!(
                    "const char *const list[] = {{{text}, {other}, \"end\"}};"
                ));
                self.line("for (int i = 0; i < 3; i++)");
                let tag = self.fresh("");
                self.line(format!(
                    "    printf(\"{tag} %s %d\\n\", list[i], list[i][0]);"
                ));
            }
        }
        self.effects = self
            .effects
            .and(super::effects::Effects::writing(super::effects::WORLD));
    }

    fn matrix(&mut self) {
        self.mark(Feature::MultiArray);
        self.mark(Feature::PointerToArray);
        let (rows, columns) = (self.rng.between(1, 4), self.rng.between(1, 4));
        let kind = self.narrow_kind();
        let spelling = self.kind_spelling(kind);
        self.line(format!("{spelling} m[{rows}][{columns}];"));
        self.line(format!("{spelling} (*row)[{columns}] = m;"));
        self.line(format!("for (int i = 0; i < {rows}; i++)"));
        self.line(format!("    for (int j = 0; j < {columns}; j++)"));
        self.line("        m[i][j] = i * 16 - j;");
        self.line("unsigned sum = 0;");
        self.line(format!("for (row = m; row < m + {rows}; row++)"));
        self.line(format!("    for (int j = 0; j < {columns}; j++)"));
        self.line("        sum = sum * 7 + (unsigned)(*row)[j];");
        self.show("sum", IntKind::UInt);
        self.show("sizeof m / sizeof *m", self.model.size_kind());
        let (i, j) = (
            self.rng.between(0, rows - 1),
            self.rng.between(0, columns - 1),
        );
        self.show(&format!("*(*(m + {i}) + {j})"), kind);
    }

    fn double_pointer(&mut self) {
        self.mark(Feature::PointerToPointer);
        let kind = self.narrow_kind();
        let ty = IntTy::full(kind, self.model);
        let spelling = self.kind_spelling(kind);
        let (first, second) = (self.plain_value(&ty), self.plain_value(&ty));
        self.line(format!("{spelling} one = {first}, two = {second};"));
        self.line(format!(
            "{spelling} *p = &one, **pp = &p, *array[2] = {{&two, &one}};"
        ));
        self.line("**pp ^= 21;");
        let condition = self.condition();
        let text = self.full(&condition);
        self.line(format!("if ({text}) *pp = &two;"));
        let small = self.rng.below(100);
        self.line(format!("*p = {small};"));
        self.line("pp = array + 1;");
        self.line("*pp[-1] |= 64;");
        self.show("one", kind);
        self.show("two", kind);
        self.mark(Feature::PointerComparison);
        self.show("p == *pp", IntKind::Int);
    }

    /// Sizes of types and distances between members.
    fn layout(&mut self) {
        self.mark(Feature::Sizeof);
        let index = self.rng.index(self.records.len());
        let name = self.type_name(&Ty::Record(index));
        self.show(&format!("sizeof({name})"), self.model.size_kind());
        let record = self.records[index].clone();
        let (literal, effects) =
            self.compound_literal(&Ty::Record(index), Context::default().pure());
        self.effects = self.effects.and(effects);
        self.line(format!("{name} object = {literal};"));
        self.line("char *base = (char *)&object;");
        self.mark(Feature::PointerDifference);
        for field in &record.fields {
            if field.has_address() && !field.name.is_empty() {
                self.show(
                    &format!("(int)((char *)&object.{} - base)", field.name),
                    IntKind::Int,
                );
            }
        }
        self.line(format!("{name} list[2];"));
        self.show("(int)((char *)&list[1] - (char *)list)", IntKind::Int);
    }

    /// Entering a loop in its middle through a switch.
    fn duff(&mut self) {
        self.mark(Feature::Switch);
        self.mark(Feature::DoWhile);
        self.mark(Feature::FallThrough);
        let times = self.plain_value(&IntTy::ranged(IntKind::Int, Interval::new(1, 9)));
        self.line(format!("int left = {times}, seen = 0;"));
        self.line("switch (left % 4) {");
        self.line("case 0: do { seen = seen * 3 + 1;");
        self.line("case 3:      seen = seen * 3 + 2;");
        self.line("case 2:      seen = seen * 3;");
        self.line("case 1:      seen = seen * 3 + 1;");
        self.line("        } while ((left -= 4) > 0);");
        self.line("}");
        self.show("seen", IntKind::Int);
    }

    fn void_pointer(&mut self) {
        self.mark(Feature::PointerToScalar);
        let kind = self.narrow_kind();
        let spelling = self.kind_spelling(kind);
        let value = self.plain_value(&IntTy::full(kind, self.model));
        self.line(format!("{spelling} x = {value};"));
        self.line("void *v = &x;");
        self.line(format!("{spelling} *p = v;"));
        self.line(format!("*p = *({spelling} *)v / 3;"));
        self.show("x", kind);
        self.mark(Feature::NullPointer);
        self.show("v != 0", IntKind::Int);
        self.line("_Bool set = v;");
        self.show("set", IntKind::Bool);
    }

    fn memory(&mut self) {
        self.mark(Feature::LibraryMemory);
        // In front of all typedefs: only plain words.
        let size = if self.model.word_bits() == 32 {
            "unsigned"
        } else {
            "unsigned long"
        };
        for declaration in [
            format!("void *memcpy(void *, const void *, {size});"),
            format!("void *memset(void *, int, {size});"),
            format!("int memcmp(const void *, const void *, {size});"),
            format!("{size} strlen(const char *);"),
            "int strcmp(const char *, const char *);".to_owned(),
        ] {
            let name = declaration.split('(').next().unwrap_or_default().to_owned();
            if !self
                .externs
                .iter()
                .any(|given| given.split('(').next() == Some(name.as_str()))
            {
                self.externs.insert(declaration);
            }
        }
        let values: Vec<String> = (0..3)
            .map(|_| self.plain_value(&IntTy::full(IntKind::Int, self.model)))
            .collect();
        self.line(format!("int from[3] = {{{}}}, to[3];", values.join(", ")));
        self.line("memset(to, 0x5a, sizeof to);");
        self.show("to[1]", IntKind::Int);
        self.line("memcpy(to, from, sizeof(int) * 2);");
        self.show("to[1]", IntKind::Int);
        self.show("to[2]", IntKind::Int);
        self.show("memcmp(to, from, sizeof(int)) == 0", IntKind::Int);
        let (first, second) = (self.string_literal(4), self.string_literal(4));
        self.show(&format!("(int)strlen({first})"), IntKind::Int);
        self.show(&format!("strcmp({first}, {second}) < 0"), IntKind::Int);
    }

    fn offsets(&mut self) {
        self.mark(Feature::Offsetof);
        let index = self.rng.index(self.records.len());
        let name = self.type_name(&Ty::Record(index));
        let record = self.records[index].clone();
        for field in &record.fields {
            if field.has_address() && !field.name.is_empty() {
                let text = format!("__builtin_offsetof({name}, {})", field.name);
                self.show(&text, self.model.size_kind());
            }
        }
    }
}
