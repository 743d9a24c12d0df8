//! Idioms about memory: allocation, arrays of computed length, members without a name.

use super::Generator;
use super::effects::{Effects, WORLD};
use super::types::IntTy;
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

impl Generator {
    /// Memory from `malloc` or `calloc`, used and released.
    pub(crate) fn allocation(&mut self) {
        self.mark(Feature::Allocation);
        let size = if self.model.word_bits() == 32 {
            "unsigned"
        } else {
            "unsigned long"
        };
        self.externs.insert(format!("void *malloc({size});"));
        self.externs
            .insert(format!("void *calloc({size}, {size});"));
        self.externs.insert("void free(void *);".to_owned());
        let kind = self.narrow_kind();
        let spelling = self.kind_spelling(kind);
        let length = self.rng.between(1, 9);
        if self.rng.percent(50) {
            self.line(format!(
                "{spelling} *block = malloc({length} * sizeof *block);"
            ));
            self.line(format!("for (int i = 0; i < {length}; i++)"));
            self.line("    block[i] = i * 5 - 2;");
        } else {
            self.line(format!(
                "{spelling} *block = calloc({length}, sizeof({spelling}));"
            ));
        }
        let index = self.plain_value(&IntTy::ranged(IntKind::Int, Interval::new(0, length - 1)));
        let value = self.plain_value(&IntTy::full(kind, self.model));
        self.line(format!("block[{index}] = {value};"));
        self.show(&format!("block[{}]", length - 1), kind);
        self.show("*block", kind);
        self.line("free(block);");
        self.effects = self.effects.and(Effects::writing(WORLD));
    }

    /// An array whose length is computed.
    pub(crate) fn variable_length(&mut self) {
        self.mark(Feature::VariableLengthArray);
        let length = self.plain_value(&IntTy::ranged(IntKind::Int, Interval::new(1, 9)));
        let kind = self.narrow_kind();
        let spelling = self.kind_spelling(kind);
        self.line(format!("int length = {length};"));
        self.line(format!("{spelling} row[length];"));
        self.line("length += 3;");
        self.line("for (int i = 0; i < length - 3; i++)");
        self.line("    row[i] = i * i + 1;");
        self.show("sizeof row / sizeof row[0]", self.model.size_kind());
        self.show("row[length - 4]", kind);
    }

    /// Members of an unnamed struct or union, which belong to the one around it.
    pub(crate) fn anonymous_member(&mut self) {
        self.mark(Feature::AnonymousMember);
        self.mark(Feature::Struct);
        self.mark(Feature::Union);
        let kind = self.narrow_kind();
        let spelling = self.kind_spelling(kind);
        let value = self.plain_value(&IntTy::full(kind, self.model));
        self.line(format!(
            "struct {{ char tag; union {{ unsigned u; int s; }}; struct {{ {spelling} first; short second; }}; }} box = \
             {{1, {{.u = 0xfffffff0u}}, {{.first = {value}}}}};"
        ));
        self.line("box.second = box.tag - 3;");
        self.show("box.s", IntKind::Int);
        self.show("box.first", kind);
        self.show("box.second", IntKind::Short);
        self.show("sizeof box", self.model.size_kind());
        self.line("box.s = 7;");
        self.show("box.u", IntKind::UInt);
    }
}
