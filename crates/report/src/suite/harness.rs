//! Tests as C code: a file for each that defines what the program leaves open, and a Makefile that compiles, runs and measures them.

use std::collections::BTreeMap;
use std::fmt::Write;

use rhumb_program::dialect::{ROLES, Role};
use rhumb_program::{FloatType, InputKind, Program, Type};
use rustc_hash::FxHashSet;

use super::inputs::Given;
use crate::scan::{ASSERT_FAIL, Scan};

/// What every test begins with. Whoever ends a run here lets the compiler's counters be written first, if there are any.
const PREAMBLE: &str = "\
extern void rhumb_test_leave(int) __asm__(\"_exit\");
extern int rhumb_test_flush(void *) __asm__(\"fflush\");
extern void __gcov_dump(void) __attribute__((weak));
static void rhumb_test_end(int status) {
  rhumb_test_flush(0);
  if (__gcov_dump) __gcov_dump();
  rhumb_test_leave(status);
}
";

/// The C file of a test. The text is that of the program. The run ends when the program asks for more than the test gives, with status 0.
pub fn test_harness(program: &Program, text: &[u8], inputs: &[Given]) -> String {
    let scan = Scan::new(text);
    let mut functions: BTreeMap<&str, (Option<Type>, Vec<u128>)> = BTreeMap::new();
    for site in &program.inputs {
        if let InputKind::Nondet(name) | InputKind::UndefinedFunction(name) = &site.kind {
            functions.entry(name).or_insert((site.ty, Vec::new()));
        }
    }
    for given in inputs {
        if let InputKind::Nondet(name) | InputKind::UndefinedFunction(name) =
            &program.inputs[given.site].kind
            && let Some((_, values)) = functions.get_mut(&**name)
        {
            values.push(given.bits);
        }
    }
    let mut out = PREAMBLE.to_owned();
    let mut number = 0;
    let mut defined = FxHashSet::default();
    let mut define = |out: &mut String, symbol: &str, result: &str, params: &str, body: &str| {
        if !defined.insert(symbol.to_owned()) {
            return;
        }
        number += 1;
        let head = format!("{result} rhumb_test_{number}({params})");
        let _ = writeln!(out, "{head} __asm__(\"{symbol}\");\n{head} {{\n{body}}}");
    };
    for (name, (ty, values)) in &functions {
        if !scan.defines(name) {
            let (result, body) = giver(*ty, values);
            define(&mut out, name, result, "void", &body);
        }
    }
    // Those of the library would end the run before anything is written.
    for name in ASSERT_FAIL.iter().copied().chain(["abort"]) {
        if !scan.defines(name) {
            define(&mut out, name, "void", "void", "  rhumb_test_end(134);\n");
        }
    }
    for &(name, role) in ROLES {
        if scan.mentions(name) && !scan.defines(name) {
            let (params, body) = match role {
                Role::Assert => ("int holds", "  if (!holds) rhumb_test_end(134);\n"),
                Role::Assume => ("int holds", "  if (!holds) rhumb_test_end(12);\n"),
                Role::Fail => ("void", "  rhumb_test_end(134);\n"),
                Role::End => ("void", "  rhumb_test_end(0);\n"),
                Role::Nothing => ("void", ""),
            };
            define(&mut out, name, "void", params, body);
        }
    }
    // An error is a call like any other: the run goes on.
    for name in ["reach_error", "__VERIFIER_error"] {
        if scan.mentions(name) && !scan.defines(name) {
            define(&mut out, name, "void", "void", "");
        }
    }
    for (name, at) in scan.undefined_void_functions() {
        let span = rhumb_program::Span::new(at as u32, at as u32);
        let is_system = program.sources.position(span).file.starts_with("/usr/");
        if !is_system {
            define(&mut out, name, "void", "void", "");
        }
    }
    out
}

/// The type and the body of a function that gives these values, one with each call.
fn giver(ty: Option<Type>, values: &[u128]) -> (&'static str, String) {
    // Whatever narrower type the caller expects is a part of the widest one.
    let (result, bits) = match ty {
        Some(Type::Float(FloatType::F32)) => ("float", "unsigned"),
        Some(Type::Float(FloatType::F64)) => ("double", "unsigned long long"),
        Some(Type::Ptr) => ("void *", "unsigned long"),
        _ => ("unsigned long long", "unsigned long long"),
    };
    let list: Vec<String> = values.iter().map(|&value| widened(ty, value)).collect();
    let body = format!(
        "  static const {bits} values[] = {{{}}};\n  static unsigned long next;\n  union {{ {bits} bits; {result} value; }} both;\n  \
         if (next >= {}) rhumb_test_end(0);\n  both.bits = values[next++];\n  return both.value;\n",
        match list.is_empty() {
            true => "0".to_owned(),
            false => list.join(", "),
        },
        list.len()
    );
    (result, body)
}

/// The bits of a value; integers with their sign.
fn widened(ty: Option<Type>, bits: u128) -> String {
    let low = match ty {
        Some(Type::Int(int)) if int.signed && int.width < 64 => {
            let shift = 64 - int.width;
            ((bits as i64) << shift >> shift) as u64
        }
        _ => bits as u64,
    };
    format!("{low:#x}ull")
}

/// The Makefile: `make check` runs all tests, `make coverage` tells what they cover, as the compiler sees it.
pub fn makefile(files: &[String], tests: usize, is_narrow: bool) -> String {
    let flags = if is_narrow { " -m32" } else { "" };
    let names: Vec<String> = (1..=tests).map(|test| format!("test-{test}")).collect();
    format!(
        "CC = gcc\n\
         GCOV = gcov\n\
         FLAGS = -O0 -g -w{flags} --coverage\n\
         FILES = {}\n\
         TESTS = {}\n\n\
         check: program.o\n\
         \t@for test in $(TESTS); do \\\n\
         \t  $(CC) -w{flags} -c $$test.c -o $$test.o && $(CC){flags} --coverage program.o $$test.o -o $$test || exit 1; \\\n\
         \t  ./$$test > $$test.out 2>&1; echo \"$$test: status $$?\"; \\\n\
         \tdone\n\n\
         program.o: $(FILES)\n\
         \t$(CC) $(FLAGS) -c $(FILES) -o program.o\n\n\
         coverage: check\n\
         \t$(GCOV) -b -c program.gcda\n\n\
         clean:\n\
         \trm -f *.o *.out *.gcda *.gcno *.gcov $(TESTS)\n",
        files.join(" "),
        names.join(" "),
    )
}
