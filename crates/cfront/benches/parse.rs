//! How fast a file is read: lines mapped, then lexed and parsed, on a generated file of 20 MB.
//!
//! `cargo bench -p rhumb-cfront --bench parse`

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::fmt::Write;
use std::time::Instant;

use rhumb_cfront::{LoadOptions, check_syntax, load_text};

const SIZE: usize = 20 << 20;

fn main() {
    let text = generate(SIZE).into_bytes();
    let options = LoadOptions::default();
    measure("mapped", text.len(), || {
        let source = load_text("generated.i", text.clone(), &options);
        assert!(source.is_ok(), "the generated file is text");
    });
    measure("parsed", text.len(), || {
        let diagnostics = check_syntax(&text);
        assert!(!diagnostics.has_errors(), "the generated file is valid C");
    });
}

/// Runs something five times and prints the best time.
fn measure(what: &str, size: usize, mut run: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let megabytes = size as f64 / 1e6;
    println!(
        "{megabytes:.1} MB {what} in {best:.3} s: {:.1} MB/s",
        megabytes / best
    );
}

/// A file in the style of verification tasks: short functions with loops, branches, calls, arrays and structs.
fn generate(size: usize) -> String {
    let mut text = String::from(
        "typedef unsigned long size_t;\nextern int __VERIFIER_nondet_int(void);\n\
         struct node { int value; struct node *next; unsigned flags : 3; };\n",
    );
    let mut index = 0;
    while text.len() < size {
        index += 1;
        let _ = write!(
            text,
            "/* Function number {index}. */\n\
             static int function_{index}(struct node *list, const int count, unsigned char mode)\n{{\n\
             \x20   int table[16] = {{ 1, 2, 3, [5] = {index}, 0x{index:x} }};\n\
             \x20   size_t i;\n    long long sum = 0;\n\
             \x20   for (i = 0; i < (size_t) count && list != 0; i++) {{\n\
             \x20       sum += list->value * table[i % 16] - (mode << 2);\n\
             \x20       if (sum > 1000LL || (list->flags & 0x3u) == 1) {{\n\
             \x20           list = list->next; // go on\n\
             \x20       }} else if (!mode) {{\n            break;\n        }} else {{\n\
             \x20           sum = sum < 0 ? -sum : sum / 2;\n        }}\n    }}\n\
             \x20   switch (mode) {{\n    case 0: return (int) sum;\n    case 'a': sum++; break;\n\
             \x20   default: table[0] = __VERIFIER_nondet_int();\n    }}\n\
             \x20   while (table[0] > 0) {{ table[0] = table[0] - 1; sum ^= sizeof(struct node); }}\n\
             \x20   return table[0] + (int) sum;\n}}\n\n"
        );
    }
    text
}
