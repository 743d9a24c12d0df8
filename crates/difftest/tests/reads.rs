//! Places that are read several times while others write to them, by this name or another: the same as under gcc.
#![allow(clippy::print_stdout)] // What was skipped is said.

mod common;

use std::fmt::Write;

use common::gcc_or_skip;
use rhumb_difftest::gcc::GccSubject;
use rhumb_difftest::interpreter::Interpreter;
use rhumb_difftest::rng::Rng;
use rhumb_difftest::subject::{Case, Subject};

/// Functions in the program.
const FUNCTIONS: usize = 400;

const HEAD: &str = "
#include <stdio.h>
#include <string.h>
struct node { int value; unsigned low : 5, high : 7; struct node *next; };
union both { int number; unsigned char bytes[4]; };
static struct node nodes[4];
static int cells[8];
static union both mixed;
static int *global;
static int bump(int *place) { *place = *place % 1000 + 3; return *place; }
static int look(const int *place) { return *place; }
static void reset(void) {
    for (int i = 0; i < 8; i++) cells[i] = i * 7 - 20;
    for (int i = 0; i < 4; i++) {
        nodes[i].value = i * 5; nodes[i].low = i; nodes[i].high = 2 * i; nodes[i].next = &nodes[(i + 1) % 4];
    }
    mixed.number = 0x01020304;
    global = cells;
}
";

/// Statements over two pointers into an array, one into a ring of records, one to bytes, and three numbers. Pointers
/// are as often copies of each other as not, so places have many names.
struct Writer {
    random: Rng,
    text: String,
}

impl Writer {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    /// Something that is read; most of it from memory.
    fn read(&mut self) -> String {
        let offset = self.below(3);
        match self.below(12) {
            0 | 1 => "*p".to_owned(),
            2 | 3 => "*q".to_owned(),
            4 => format!("p[{offset}]"),
            5 => format!("cells[x & {offset}]"),
            6 => "n->value".to_owned(),
            7 => "n->next->value".to_owned(),
            8 => "(int) n->high".to_owned(),
            9 => "mixed.number % 1000".to_owned(),
            10 => "*b".to_owned(),
            _ => "*global".to_owned(),
        }
    }

    fn statement(&mut self, depth: u64) {
        let (first, second) = (self.read(), self.read());
        let number = self.below(9);
        let var = ["x", "y", "z"][self.below(3) as usize];
        let simple = match self.below(20) {
            0 => format!("*p = {var};"),
            1 => format!("*q = {number};"),
            2 => format!("*b = (unsigned char) {var};"),
            3 => format!("n->value = {var};"),
            4 => "n = n->next;".to_owned(),
            5 => format!("n->high = (unsigned) {var};"),
            6 => "p = q;".to_owned(),
            7 => format!("q = &cells[{number} % 5];"),
            8 => format!("{var} = *p++; if (p > cells + 4) p = cells;"),
            9 => "b = (unsigned char *) p;".to_owned(),
            10 => format!("b = &mixed.bytes[{number} & 3];"),
            11 => format!(
                "{var} = bump({});",
                if number < 5 { "p" } else { "&n->value" }
            ),
            12 => format!("{var} = look(q);"),
            13 => "memcpy(p, q, 4);".to_owned(),
            14 => "global = p;".to_owned(),
            15 => format!(
                "{{ int own = {var} % 50; int *o = &own; *o += {number}; {var} = own + *o; }}"
            ),
            _ => format!("{var} = {first} % 1000 + {second} % 1000;"),
        };
        if depth == 0 {
            let _ = writeln!(self.text, "{simple}");
            return;
        }
        match self.below(5) {
            0 => {
                let _ = writeln!(self.text, "if ({first} > {second}) {{");
                self.statement(depth - 1);
                self.text += "} else {\n";
                self.statement(depth - 1);
                self.text += "}\n";
            }
            1 => {
                let _ = writeln!(
                    self.text,
                    "for (int k = 0; k < 3 && {first} != {number}; k++) {{"
                );
                self.statement(depth - 1);
                self.statement(depth - 1);
                self.text += "}\n";
            }
            _ => {
                let _ = writeln!(self.text, "{simple}");
            }
        }
    }
}

#[test]
fn places_with_several_names_are_read_as_under_gcc() {
    let Some((gcc, models)) = gcc_or_skip(1) else {
        return;
    };
    let text = HEAD.to_owned();
    let mut writer = Writer {
        random: Rng::new(20),
        text,
    };
    for function in 0..FUNCTIONS {
        let _ = writeln!(writer.text, "static int f{function}(void) {{");
        writer.text += "int x = 3, y = 5, z = 7; int *p = cells + 1, *q = cells + 2;\n";
        writer.text += "struct node *n = nodes; unsigned char *b = mixed.bytes;\n";
        for _ in 0..10 {
            writer.statement(2);
        }
        writer.text += "unsigned sum = x + 3u * y + 5u * z + mixed.number + *p + *q + *b;\n";
        writer.text += "for (int i = 0; i < 8; i++) sum = 3 * sum + cells[i];\n";
        writer.text +=
            "for (int i = 0; i < 4; i++) sum = 3 * sum + nodes[i].high + nodes[i].value;\n";
        writer.text += "return (int) sum;\n}\n";
    }
    writer.text += "int main(void) {\n";
    for function in 0..FUNCTIONS {
        let _ = writeln!(
            writer.text,
            "reset(); printf(\"{function} %d\\n\", f{function}());"
        );
    }
    writer.text += "return 0;\n}\n";
    for model in models {
        let case = Case {
            source: &writer.text,
            model,
            inputs: &[],
        };
        let flags = ["-O0", "-fno-strict-aliasing", "-fwrapv"];
        let Ok(expected) = GccSubject::new(&gcc, &flags).run(&case) else {
            println!("skipped 1 comparison: there is no C library for {model} here");
            continue;
        };
        let observed = Interpreter::default().run(&case).expect("we run it");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (expected, observed) = (text(&expected.output), text(&observed.output));
        assert_eq!(expected.lines().count(), FUNCTIONS);
        let same = expected.lines().zip(observed.lines());
        for (a, b) in same {
            assert_eq!(a, b);
        }
        assert_eq!(observed.lines().count(), FUNCTIONS);
    }
}
