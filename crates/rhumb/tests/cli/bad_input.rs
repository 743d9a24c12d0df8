//! Bad input: exit 2, and a message with file, line and caret.

use crate::support::{Folder, check, check_without_checks, rhumb, rhumb_in};

#[test]
fn missing_file() {
    rhumb(["check", "no/such/file.c"]).expect(2, &["no/such/file.c", "error"]);
}

#[test]
fn directory() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("folder.c")).expect("a new folder");
    rhumb_in(folder.path(), ["check", "folder.c"]).expect(2, &["folder.c", "directory"]);
}

#[test]
fn empty_file() {
    check("").expect(2, &["input.c", "empty"]);
    check("  \n\n// nothing but a comment\n").expect(2, &["input.c", "empty"]);
}

#[test]
fn binary_noise() {
    let mut state = 1u64;
    let noise: Vec<u8> = (0..10_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u8
        })
        .collect();
    check(noise).expect(2, &["input.c"]);
    check([0u8; 100]).expect(2, &["input.c"]);
    check(b"\x7fELF\x02\x01\x01\0\0\0").expect(2, &["input.c"]);
}

#[test]
fn unterminated_comment() {
    check("int main(void) { return 0; }\n/* no end\n").expect(2, &["input.c:2:1", "^", "comment"]);
}

#[test]
fn unterminated_string() {
    check("int main(void) { char *s = \"abc;\n return 0; }\n").expect(2, &["input.c:1:28", "^"]);
}

#[test]
fn syntax_error() {
    check("int main(void) {\n  int x = ;\n  return x;\n}\n")
        .expect(2, &["input.c:2:11", "int x = ;", "^"]);
}

#[test]
fn several_errors_in_one_file() {
    check("int f(void) { return 1 +; }\nint g(void) { retrun 2; }\nint main(void) { return f() + h; }\n")
        .expect(2, &["input.c:1:", "input.c:2:", "input.c:3:"]);
}

#[test]
fn type_error() {
    check("struct s { int a; };\nint main(void) {\n  struct s x;\n  return x + 1;\n}\n")
        .expect(2, &["input.c:4:", "^"]);
}

#[test]
fn types_beyond_any_memory() {
    check("struct s { short a[1ul << 61], b[1ul << 61]; };\nint main(void) { return sizeof(struct s) == 0; }\n")
        .expect(2, &["input.c:1:", "too large"]);
}

#[test]
fn missing_main() {
    check("int helper(void) { return 0; }\n").expect(2, &["input.c:1:", "main", "^"]);
    check("int main(void);\n").expect(2, &["input.c:1:", "main", "^"]);
}

#[test]
fn undeclared_name() {
    check("int main(void) {\n  int count = 0;\n  return coutn;\n}\n")
        .expect(2, &["input.c:3:10", "coutn", "^", "count"]);
}

#[test]
fn hundred_thousand_nested_parentheses() {
    let depth = 100_000;
    let text = format!(
        "int main(void) {{ return {}1{}; }}\n",
        "(".repeat(depth),
        ")".repeat(depth)
    );
    check(text).expect(2, &["input.c:1:", "nested", "^"]);
}

#[test]
fn other_deep_nesting() {
    let depth = 100_000;
    for (open, middle, close) in [
        ("{", "", "}"),
        ("-", "1;", ""),
        ("!", "1;", ""),
        ("*", "p;", ""),
        ("(int)", "1;", ""),
        ("1 ? 2 : ", "3;", ""),
        ("x = ", "3;", ""),
        ("if (1) ", ";", ""),
        ("while (1) ", ";", ""),
        ("sizeof ", "1;", ""),
        ("a[", "0", "]"),
        ("f(", "0", ")"),
        ("({", "1;", "})"),
        ("int (", "y", ");"),
        ("int x[] = {", "1", "};"),
    ] {
        let text = format!(
            "int main(void) {{ {}{middle}{} return 0; }}\n",
            open.repeat(depth),
            close.repeat(depth)
        );
        check(text).expect(2, &["input.c:1:"]);
    }
}

#[test]
fn cyclic_include() {
    let folder = Folder::new();
    folder.file("a.c", "#include \"b.h\"\nint main(void) { return 0; }\n");
    folder.file("b.h", "#include \"c.h\"\n");
    folder.file("c.h", "#include \"b.h\"\n");
    rhumb_in(folder.path(), ["check", "a.c"]).expect(2, &["error", "include", ".h:1:"]);
}

#[test]
fn missing_include() {
    check("#include \"nowhere.h\"\nint main(void) { return 0; }\n")
        .expect(2, &["input.c:1:", "nowhere.h", "^"]);
}

#[test]
fn positions_survive_preprocessing() {
    let text = "#include <stdlib.h>\n#define LIMIT 10\n\nint main(void) {\n  int x = LIMIT;\n  return y;\n}\n";
    check(text).expect(2, &["input.c:6:10", "return y;"]);
}

#[test]
fn wrong_usage() {
    rhumb(["check"]).expect(1, &["Usage"]);
    rhumb(["chekc", "a.c"]).expect(1, &["chekc"]);
    rhumb(["run", "a.c", "--inputs", "1,two"]).expect(1, &["two"]);
}

#[test]
fn bad_task_and_property_files() {
    let folder = Folder::new();
    folder.file("a.c", "int main(void) { return 0; }\n");
    folder.file("bad.yml", "format_version: '2.0'\ninput_files: [a.c\n");
    folder.file(
        "lost.yml",
        "format_version: '2.0'\ninput_files: 'lost.c'\noptions: {language: C, data_model: ILP32}\n",
    );
    folder.file("bad.prp", "CHECK( init(main()), LTL(G \n");
    let call = |args: &[&str]| rhumb_in(folder.path(), args);
    call(&["check", "bad.yml"]).expect(2, &["bad.yml"]);
    call(&["check", "lost.yml"]).expect(2, &["lost.c"]);
    call(&["check", "a.c", "--property", "bad.prp"]).expect(2, &["bad.prp"]);
    call(&["check", "a.c", "--property", "lost.prp"]).expect(2, &["lost.prp"]);
}

#[test]
fn twenty_megabytes_of_valid_c() {
    let mut text = String::with_capacity(21 << 20);
    let mut index = 0;
    while text.len() < 20 << 20 {
        text.push_str(&format!(
            "static int f{index}(int a, int b) {{\n  int sum = 0;\n  for (int i = 0; i < a; i++) {{\n    \
             if (i % 3 == b) sum += i * {index};\n    else sum -= a[&sum] > 2 ? 1 : 2;\n  }}\n  return sum;\n}}\n"
        ));
        index += 1;
    }
    text.push_str("int main(void) { return f0(3, 4); }\n");
    let called = check_without_checks(text);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert_eq!(called.last_line(), "verdict: SAFE");
}
