use super::*;
use crate::diagnostic::Diagnostic;

#[track_caller]
fn check(text: &str, diagnostic: &Diagnostic, expected: &str) {
    let map = SourceMap::new("no such file.c", text.as_bytes().into());
    let rendered = MessageRenderer::new(&map, false).render(diagnostic);
    assert_eq!(rendered, expected.trim_matches('\n'), "{rendered}");
}

#[test]
fn labels_and_notes() {
    let error = Diagnostic::error(Span::new(4, 5), "`x` is declared twice")
        .with_label("here")
        .with_note(Span::new(13, 14), "and there");
    check(
        "int x;\n  int x;\n",
        &error,
        "
error: `x` is declared twice
 --> no such file.c:1:5
  |
1 | int x;
  |     ^ here
2 |   int x;
  |       - and there",
    );
    let warning = Diagnostic::warning(Span::new(0, 3), "odd");
    check(
        "int x;",
        &warning,
        "
warning: odd
 --> no such file.c:1:1
  |
1 | int x;
  | ^^^",
    );
}

#[test]
fn notes_that_are_far_away() {
    let text = format!("int x;{}int x;\n", "\n".repeat(100));
    let error =
        Diagnostic::error(Span::new(110, 111), "again").with_note(Span::new(4, 5), "before");
    check(
        &text,
        &error,
        "
error: again
   --> no such file.c:101:5
    |
101 | int x;
    |     ^
    |
note: before
   --> no such file.c:1:5
    |
  1 | int x;
    |     ^",
    );
}

#[test]
fn places_at_the_edges() {
    for (text, span) in [
        ("", Span::new(0, 0)),
        ("x", Span::new(1, 1)),
        ("x\n", Span::new(2, 2)),
        ("a\nb\n", Span::new(0, 4)),
        ("a\r\nb", Span::new(1, 3)),
        ("\n\n", Span::new(1, 1)),
    ] {
        let map = SourceMap::new("no such file.c", text.as_bytes().into());
        let rendered = MessageRenderer::new(&map, false).render(&Diagnostic::error(span, "m"));
        assert!(
            rendered.starts_with("error: m\n --> no such file.c:"),
            "{rendered}"
        );
        assert!(rendered.contains('^'), "{rendered}");
    }
}

#[test]
fn bytes_that_are_no_utf8() {
    let map = SourceMap::new(
        "no such file.c",
        b"a \xff\xfe b /* \xe9 */ c".as_slice().into(),
    );
    let error = Diagnostic::error(Span::new(5, 6), "here");
    let rendered = MessageRenderer::new(&map, false).render(&error);
    assert!(
        rendered.contains("a \u{fffd}\u{fffd} b /* \u{fffd} */ c\n  |      ^"),
        "{rendered}"
    );
}

#[test]
fn very_long_lines() {
    let mut text = "x = 1; ".repeat(3_000_000);
    text.replace_range(10_500_000..10_500_001, "@");
    let map = SourceMap::new("no such file.c", text.into_bytes().into());
    let error = Diagnostic::error(Span::new(10_500_000, 10_500_001), "odd");
    let rendered = MessageRenderer::new(&map, false).render(&error);
    assert!(
        rendered.starts_with("error: odd\n --> no such file.c:1:10500001\n"),
        "{rendered}"
    );
    assert!(
        rendered.contains('@') && rendered.len() < 2000,
        "{rendered}"
    );
}

#[test]
fn colour_only_if_asked() {
    let map = SourceMap::new("no such file.c", b"int x;".as_slice().into());
    let error = Diagnostic::error(Span::new(0, 3), "m");
    assert!(
        !MessageRenderer::new(&map, false)
            .render(&error)
            .contains('\u{1b}')
    );
    assert!(
        MessageRenderer::new(&map, true)
            .render(&error)
            .contains('\u{1b}')
    );
}

#[test]
fn tokens_are_found_again() {
    let locate = |original: &str, parsed: &str, piece: std::ops::Range<usize>| {
        let range = place::locate(original.as_bytes(), parsed.as_bytes(), piece);
        original[range].to_owned()
    };
    // The second `a`, and not the one in `bar`.
    let original = "  a = MAX(a, bar);";
    let parsed = "a = ((a) > (bar) ? (a) : (bar));";
    let range = place::locate(original.as_bytes(), parsed.as_bytes(), 6..7);
    assert_eq!(range, 10..11);
    assert_eq!(locate(original, parsed, 12..15), "bar");
    // Several tokens.
    assert_eq!(
        locate("f(x /* c */ + y)", "f(x + y)", 2..7),
        "x /* c */ + y"
    );
    // What is not there: the whole line.
    assert_eq!(locate("  MACRO(1);  ", "foo bar(1);", 0..3), "MACRO(1);");
    // Between tokens.
    let range = place::locate(b"x = 1 // c", b"x = 1", 5..5);
    assert_eq!(range, 5..5);
}
