use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;
use crate::check_syntax;
use crate::render::{MessageRenderer, render_load_error};
use rhumb_program::Span;

fn write(directory: &Path, name: &str, text: &[u8]) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).expect("a writable directory");
    path
}

fn text(source: &Source) -> String {
    String::from_utf8_lossy(source.map.text()).into_owned()
}

/// The span of a piece of the parsed text.
fn span_of(source: &Source, piece: &str) -> Span {
    let start = text(source).find(piece).expect(piece) as u32;
    Span::new(start, start + piece.len() as u32)
}

fn position_of(source: &Source, piece: &str) -> (String, u32) {
    let position = source.map.position(span_of(source, piece));
    let file = Path::new(&*position.file).file_name();
    let file = file.map(|name| name.to_string_lossy().into_owned());
    (file.unwrap_or_default(), position.line)
}

/// A rendered error, with the directory taken out.
fn rendered(error: &LoadError, directory: &Path) -> String {
    let text = render_load_error(error, false);
    text.replace(&format!("{}/", directory.display()), "")
}

#[test]
fn files_without_directives_are_taken_as_they_are() {
    let options = LoadOptions::default();
    for c in [
        "int x; /*\n#include <a>\n*/ char *s = \"\\\n#if\"; // \\\n#error\n",
        "# 1 \"a.c\"\n#pragma once\nint x;\n",
        "void __VERIFIER_assert(int); const char *f(void) { return __PRETTY_FUNCTION__; }\n",
    ] {
        let source = load_text("a.c", c.into(), &options).expect(c);
        assert!(!source.preprocessed, "{c}");
        assert_eq!(text(&source), c);
    }
}

#[test]
fn directives_and_predefined_macros_need_the_preprocessor() {
    let options = LoadOptions::default();
    for c in [
        "#define A 1\n",
        "  # if 1\n",
        "int x = __LINE__;",
        "/**/ #undef A",
        "long x = __LONG_MAX__;",
        "__INT64_C(1)",
        "int x = __ATOMIC_SEQ_CST;",
        "int x = _LP64;",
        "int x = __pie__;",
    ] {
        assert!(needs_preprocessor(c.as_bytes(), &options), "{c}");
    }
    for c in [
        "int x;",
        "a__B__;",
        "__VERIFIER_error();",
        "__FUNCTION__",
        "____",
        "__a__",
        "__A_b__",
    ] {
        assert!(!needs_preprocessor(c.as_bytes(), &options), "{c}");
    }
    let defines = LoadOptions {
        arguments: vec!["-DA=1".to_owned()],
        ..options
    };
    assert!(needs_preprocessor(b"int x = A;", &defines));
}

#[test]
fn line_markers_lead_to_the_file() {
    let c = "int a;\n# 10 \"b.h\" 1\nint b;\n\nint c;\n# 3 \"a.c\" 2\nint d;\n#line 7\nint e;\n";
    let source = load_text("a.i", c.into(), &LoadOptions::default()).expect(c);
    let found: Vec<_> = ["a;", "b;", "c;", "d;", "e;"]
        .iter()
        .map(|name| position_of(&source, &format!("int {name}")))
        .collect();
    let expected = [("a.i", 1), ("b.h", 10), ("b.h", 12), ("a.c", 3), ("a.c", 7)];
    assert_eq!(found, expected.map(|(file, line)| (file.to_owned(), line)));
}

#[test]
fn preprocessing() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(directory.path().join("inc")).expect("a directory");
    write(
        &directory.path().join("inc"),
        "other.h",
        b"int from_include_dir;\n",
    );
    write(directory.path(), "beside.h", b"\nint from_header;\n");
    let path = write(
        directory.path(),
        "main.c",
        b"#include \"beside.h\"\n#include <other.h>\n#define TWICE(x) ((x) * 2)\n\nint size = sizeof(long) * 0 + TWICE(N);\nlong m = __LONG_MAX__;\n",
    );
    let mut options = LoadOptions {
        arguments: vec![
            format!("-I{}", directory.path().join("inc").display()),
            "-DN=21".to_owned(),
        ],
        ..LoadOptions::default()
    };
    for (model, max) in [
        (DataModel::Lp64, "0x7fffffffffffffffL"),
        (DataModel::Ilp32, "0x7fffffffL"),
    ] {
        options.data_model = model;
        let source = load(&path, &options).expect("a valid file");
        assert!(source.preprocessed);
        assert!(text(&source).contains("+ ((21) * 2);"));
        assert!(text(&source).contains(max), "{model}");
        assert_eq!(
            position_of(&source, "from_header"),
            ("beside.h".to_owned(), 2)
        );
        assert_eq!(
            position_of(&source, "from_include_dir"),
            ("other.h".to_owned(), 1)
        );
        assert_eq!(position_of(&source, "int size"), ("main.c".to_owned(), 5));
        assert!(!check_syntax(source.map.text()).has_errors());
    }
}

#[test]
fn headers_of_the_system_in_both_models() {
    let c = "#include <assert.h>\n#include <limits.h>\n#include <math.h>\n#include <pthread.h>\n#include <stdarg.h>\n\
             #include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
             int main(void) { assert(INT_MAX > 0); return 0; }\n";
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        let options = LoadOptions {
            data_model,
            ..LoadOptions::default()
        };
        let source = load_text("a.c", c.into(), &options).expect("the headers of a C library");
        let diagnostics = check_syntax(source.map.text());
        let messages: Vec<_> = diagnostics.iter().collect();
        assert!(messages.is_empty(), "{messages:?}");
        assert_eq!(position_of(&source, "int main"), ("a.c".to_owned(), 11));
    }
}

#[test]
fn files_that_are_none() {
    let directory = tempfile::tempdir().expect("a directory");
    let options = LoadOptions::default();
    let missing = load(&directory.path().join("no.c"), &options).expect_err("missing");
    assert!(matches!(missing, LoadError::Missing(_)));
    assert_eq!(
        rendered(&missing, directory.path()),
        "error: no.c: no such file"
    );
    let error = load(directory.path(), &options).expect_err("a directory");
    assert!(matches!(error, LoadError::Directory(_)));
    if Path::new("/dev/zero").exists() {
        let error = load(Path::new("/dev/zero"), &options).expect_err("a device");
        assert!(matches!(error, LoadError::NotAFile(_)));
    }
}

#[test]
fn empty_files() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in [
        ("a.c", ""),
        ("b.c", "\n  // nothing\n"),
        ("c.c", "#define A\n"),
        ("d.i", "# 1 \"x.c\"\n"),
    ] {
        let path = write(directory.path(), name, text.as_bytes());
        let error = load(&path, &LoadOptions::default()).expect_err(name);
        let first = text.lines().next().unwrap_or_default();
        let text = rendered(&error, directory.path());
        assert!(
            text.starts_with("error: the file is empty: there is no C in it\n"),
            "{text}"
        );
        assert!(text.contains(&format!("--> {name}:1:1")), "{text}");
        assert!(text.contains(first), "{text}");
    }
}

#[test]
fn binary_noise() {
    let directory = tempfile::tempdir().expect("a directory");
    let noise: Vec<u8> = (0..2000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let path = write(directory.path(), "noise.c", &noise);
    let error = load(&path, &LoadOptions::default()).expect_err("noise");
    let text = rendered(&error, directory.path());
    assert!(
        text.starts_with("error: the file is not text\n --> noise.c:1:1\n"),
        "{text}"
    );
    let path = write(directory.path(), "wide.c", b"\xff\xfei\0n\0t\0");
    let error = load(&path, &LoadOptions::default()).expect_err("UTF-16");
    assert!(rendered(&error, directory.path()).starts_with("error: the file is UTF-16 text"));
    // A few odd bytes make no noise: Latin-1 in comments.
    let latin = write(
        directory.path(),
        "latin.c",
        b"/* \xe4\xf6\xfc\xdf */ int x; // \xe9\n",
    );
    assert!(load(&latin, &LoadOptions::default()).is_ok());
}

#[test]
fn what_the_preprocessor_refuses() {
    let directory = tempfile::tempdir().expect("a directory");
    let check = |text: &str, expected: &str| {
        let path = write(directory.path(), "a.c", text.as_bytes());
        let error = load(&path, &LoadOptions::default()).expect_err(text);
        assert_eq!(
            rendered(&error, directory.path()),
            expected.trim_matches('\n')
        );
    };
    check(
        "int x;\n#error no way\n",
        "
error: #error no way
 --> a.c:2:2
  |
2 | #error no way
  |  ^^^^^",
    );
    check(
        "#include \"missing.h\"\n",
        "
error: missing.h: No such file or directory
 --> a.c:1:10
  |
1 | #include \"missing.h\"
  |          ^ not found: say with -I in which folder it is",
    );
    check(
        "int x;\n#if 1\nint y;\n",
        "
error: unterminated #if
 --> a.c:2:1
  |
2 | #if 1
  | ^^^^^",
    );
    check(
        "#include \"a.c\"\nint x;\n",
        "
error: `#include` nested too deeply
 --> a.c:1:1
  |
1 | #include \"a.c\"
  | ^^^^^^^^^^^^^^ does this file include itself?",
    );
}

#[test]
fn a_file_that_includes_itself_twice() {
    // Without a limit, this runs for longer than anybody waits.
    let directory = tempfile::tempdir().expect("a directory");
    let path = write(
        directory.path(),
        "a.c",
        b"#include \"a.c\"\n#include \"a.c\"\n",
    );
    let start = std::time::Instant::now();
    let error = load(&path, &LoadOptions::default()).expect_err("a cycle");
    assert!(matches!(error, LoadError::Located(_)), "{error}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn too_much_text_and_too_much_time() {
    // Doubles with each line: 2^28 names.
    let mut bomb = String::from("#define A0 x\n");
    for level in 1..29 {
        bomb.push_str(&format!("#define A{level} A{0} A{0}\n", level - 1));
    }
    bomb.push_str("A28\n");
    let small = LoadOptions {
        preprocess_size: 1 << 20,
        ..LoadOptions::default()
    };
    let short = LoadOptions {
        preprocess_time: Duration::from_millis(300),
        ..LoadOptions::default()
    };
    for (options, reason) in [
        (small, "more than 1048576 bytes of text"),
        (short, "no end after 300ms"),
    ] {
        let start = std::time::Instant::now();
        let error = load_text("bomb.c", bomb.clone().into_bytes(), &options).expect_err("a bomb");
        assert_eq!(
            error.to_string(),
            format!("bomb.c: preprocessing failed: {reason}")
        );
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn messages_show_the_line_of_the_user() {
    let directory = tempfile::tempdir().expect("a directory");
    let c = "#define LIMIT 10\n#define BAD )\nint f(int x) { return x + (LIMIT; }\nint g = LIMIT BAD;\n";
    let path = write(directory.path(), "a.c", c.as_bytes());
    let source = load(&path, &LoadOptions::default()).expect("a valid file");
    let diagnostics = check_syntax(source.map.text());
    let text = MessageRenderer::new(&source.map, false).render_all(&diagnostics);
    let text = text.replace(&format!("{}/", directory.path().display()), "");
    let expected = "
error: expected `)`, found `;`
 --> a.c:3:33
  |
3 | int f(int x) { return x + (LIMIT; }
  |                           -     ^ expected `)`
  |                           |
  |                           to match this `(`

error: expected `;` after this declaration, found `)`
 --> a.c:4:1
  |
4 | int g = LIMIT BAD;
  | ^^^^^^^^^^^^^^^^^^ expected `;` here";
    assert_eq!(text.trim_end(), expected.trim_start(), "{text}");
}

#[test]
fn without_a_compiler() {
    let options = LoadOptions {
        compiler: Some("no-such-compiler -O2".to_owned()),
        ..LoadOptions::default()
    };
    let error =
        load_text("a.c", b"#define A\nint x;\n".to_vec(), &options).expect_err("no compiler");
    assert_eq!(
        render_load_error(&error, false),
        "error: a.c: has preprocessor directives, and no C compiler was found (tried no-such-compiler); \
         install one, set CC, or give a preprocessed file"
    );
    // A file that needs none is read all the same.
    assert!(load_text("a.c", b"int x;\n".to_vec(), &options).is_ok());
}

#[test]
fn a_compiler_that_fails_without_a_place() {
    let options = LoadOptions {
        compiler: Some("cc --no-such-option".to_owned()),
        ..LoadOptions::default()
    };
    let error = load_text("a.c", b"#define A\nint x;\n".to_vec(), &options).expect_err("a failure");
    let text = error.to_string();
    assert!(text.starts_with("a.c: preprocessing failed: "), "{text}");
    assert!(text.contains("no-such-option"), "{text}");
}
