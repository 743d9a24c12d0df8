//! Property files of SV-COMP (`.prp`): what is to be checked, and from which function on.

use std::path::Path;

use rhumb_program::{Checks, Ending, Leak, ThreadFault, UbKind};

use crate::source::{FileMessage, LoadError, read_file};

/// Larger files hold no property.
const MAX_SIZE: u64 = 1 << 20;

/// One `CHECK(...)` or `COVER(...)` of a property file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The function where the program starts, from `init(main())`.
    pub entry: String,
    /// What is asked.
    pub kind: PropertyKind,
    /// Line of the file, from 1.
    pub line: u32,
}

/// The questions that SV-COMP and Test-Comp ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// `G ! call(f())`: the function is never called.
    UnreachCall(String),
    /// `G ! label(ERROR)`: no label of that name is reached.
    UnreachLabel(String),
    /// `G ! overflow`: no signed arithmetic overflows.
    NoOverflow,
    /// `G valid-free`: only living heap objects are freed.
    ValidFree,
    /// `G valid-deref`: every access is to a living object.
    ValidDeref,
    /// `G valid-memtrack`: no heap object is lost.
    ValidMemtrack,
    /// `G valid-memcleanup`: at the end all heap objects are freed.
    ValidMemcleanup,
    /// `G def-behavior`: nothing undefined happens.
    DefBehavior,
    /// `F end`: every run ends.
    Termination,
    /// `G ! data-race`: no two threads race.
    NoDataRace,
    /// A test goal of Test-Comp: the text of the query.
    Coverage(String),
    /// Some other formula.
    Other(String),
}

impl PropertyKind {
    /// The name under which the property is known.
    pub fn name(&self) -> &str {
        match self {
            PropertyKind::UnreachCall(_) => "unreach-call",
            PropertyKind::UnreachLabel(_) => "unreach-label",
            PropertyKind::NoOverflow => "no-overflow",
            PropertyKind::ValidFree => "valid-free",
            PropertyKind::ValidDeref => "valid-deref",
            PropertyKind::ValidMemtrack => "valid-memtrack",
            PropertyKind::ValidMemcleanup => "valid-memcleanup",
            PropertyKind::DefBehavior => "def-behavior",
            PropertyKind::Termination => "termination",
            PropertyKind::NoDataRace => "no-data-race",
            PropertyKind::Coverage(_) => "coverage",
            PropertyKind::Other(formula) => formula,
        }
    }

    /// The checks that decide it; none if it is no matter of checks.
    pub fn checks(&self) -> Option<Checks> {
        let undefined: &[UbKind] = match self {
            PropertyKind::NoOverflow => &[UbKind::SignedOverflow],
            PropertyKind::ValidFree => &[UbKind::BadFree],
            PropertyKind::ValidDeref => &[UbKind::BadRead, UbKind::BadWrite, UbKind::BadCall],
            PropertyKind::DefBehavior => &UbKind::ALL,
            PropertyKind::ValidMemtrack
            | PropertyKind::ValidMemcleanup
            | PropertyKind::NoDataRace
            | PropertyKind::Termination => &[],
            _ => return None,
        };
        let leaks: &[Leak] = match self {
            PropertyKind::ValidMemtrack => &[Leak::Lost],
            PropertyKind::ValidMemcleanup => &[Leak::Unfreed],
            _ => &[],
        };
        let threads: &[ThreadFault] = match self {
            PropertyKind::NoDataRace => &[ThreadFault::Race],
            _ => &[],
        };
        Some(Checks {
            undefined: undefined.iter().copied().collect(),
            leaks: leaks.iter().copied().collect(),
            threads: threads.iter().copied().collect(),
            ending: matches!(self, PropertyKind::Termination).then_some(Ending::Asked),
            ..Checks::none()
        })
    }
}

/// Reads a property file: at least one property.
pub fn load_property(path: &Path) -> Result<Vec<Property>, LoadError> {
    let text = read_file(path, MAX_SIZE)?;
    parse_property(&path.to_string_lossy(), &text)
}

/// Reads the text of a property file of that name: at least one property.
pub fn parse_property(name: &str, text: &[u8]) -> Result<Vec<Property>, LoadError> {
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            let before = &text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            let message = "a property file is UTF-8 text";
            return Err(FileMessage::new(name, line as u32, 0, message).into());
        }
    };
    let mut cursor = Cursor { name, text, pos: 0 };
    let mut properties = Vec::new();
    while !cursor.at_end() {
        properties.push(cursor.property()?);
    }
    if properties.is_empty() {
        return Err(FileMessage::new(name, 1, 1, "the file holds no property")
            .with_label("expected `CHECK(...)`")
            .into());
    }
    Ok(properties)
}

struct Cursor<'t> {
    name: &'t str,
    text: &'t str,
    pos: usize,
}

impl<'t> Cursor<'t> {
    fn skip_blanks(&mut self) {
        let rest = &self.text[self.pos..];
        self.pos += rest.len() - rest.trim_start().len();
    }

    fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.pos == self.text.len()
    }

    fn line(&self, pos: usize) -> usize {
        1 + self.text[..pos].matches('\n').count()
    }

    fn expected(&self, what: &str) -> LoadError {
        let line_start = self.text[..self.pos].rfind('\n').map_or(0, |at| at + 1);
        FileMessage::new(
            self.name,
            self.line(self.pos) as u32,
            (self.pos - line_start + 1) as u32,
            format!("not a property: expected {what}"),
        )
        .with_label(format!("expected {what}"))
        .into()
    }

    fn eat(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let found = self.text[self.pos..].starts_with(word);
        if found {
            self.pos += word.len();
        }
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), LoadError> {
        if self.eat(word) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{word}`")))
        }
    }

    /// `CHECK( init(main()), LTL(formula) )` or `COVER( init(main()), FQL(query) )`.
    fn property(&mut self) -> Result<Property, LoadError> {
        self.skip_blanks();
        let line = self.line(self.pos) as u32;
        let is_check = self.eat("CHECK");
        if !is_check && !self.eat("COVER") {
            return Err(self.expected("`CHECK`"));
        }
        self.expect("(")?;
        self.expect("init")?;
        self.expect("(")?;
        let entry = self.function()?;
        self.expect(")")?;
        self.expect(",")?;
        self.expect(if is_check { "LTL" } else { "FQL" })?;
        self.expect("(")?;
        let content = self.balanced()?;
        self.expect(")")?;
        self.expect(")")?;
        let kind = if is_check {
            formula(content)
        } else {
            PropertyKind::Coverage(content.trim().to_owned())
        };
        Ok(Property { entry, kind, line })
    }

    /// `name()`.
    fn function(&mut self) -> Result<String, LoadError> {
        self.skip_blanks();
        let name = leading_name(&self.text[self.pos..]);
        if name.is_empty() {
            return Err(self.expected("the name of a function"));
        }
        self.pos += name.len();
        self.expect("(")?;
        self.expect(")")?;
        Ok(name.to_owned())
    }

    /// Everything up to the parenthesis that closes one before.
    fn balanced(&mut self) -> Result<&'t str, LoadError> {
        let start = self.pos;
        let mut depth = 0usize;
        for (offset, byte) in self.text[start..].bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 0 => {
                    self.pos = start + offset;
                    return Ok(&self.text[start..self.pos]);
                }
                b')' => depth -= 1,
                _ => {}
            }
        }
        self.pos = self.text.len();
        Err(self.expected("`)`"))
    }
}

/// The name that a text starts with; may be empty.
fn leading_name(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')
        .unwrap_or(text.len());
    &text[..end]
}

/// What an LTL formula asks.
fn formula(text: &str) -> PropertyKind {
    let compact: String = text.split_whitespace().collect();
    match compact.as_str() {
        "G!overflow" => PropertyKind::NoOverflow,
        "Gvalid-free" => PropertyKind::ValidFree,
        "Gvalid-deref" => PropertyKind::ValidDeref,
        "Gvalid-memtrack" => PropertyKind::ValidMemtrack,
        "Gvalid-memcleanup" => PropertyKind::ValidMemcleanup,
        "Gdef-behavior" => PropertyKind::DefBehavior,
        "Fend" => PropertyKind::Termination,
        "G!data-race" => PropertyKind::NoDataRace,
        _ => {
            let named = |before: &str, behind: &str| {
                compact
                    .strip_prefix(before)
                    .and_then(|rest| rest.strip_suffix(behind))
                    .filter(|name| !name.is_empty() && leading_name(name) == *name)
                    .map(str::to_owned)
            };
            let label = || named("G!label(", ")").map(PropertyKind::UnreachLabel);
            let called = named("G!call(", "())").map(PropertyKind::UnreachCall);
            match called.or_else(label) {
                Some(kind) => kind,
                None => PropertyKind::Other(text.split_whitespace().collect::<Vec<_>>().join(" ")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Vec<Property> {
        parse_property("p.prp", text.as_bytes()).expect(text)
    }

    fn error(text: &str) -> String {
        parse_property("p.prp", text.as_bytes())
            .expect_err(text)
            .to_string()
    }

    fn kind(formula: &str) -> PropertyKind {
        parse(&format!("CHECK( init(main()), LTL({formula}) )"))
            .remove(0)
            .kind
    }

    #[test]
    fn known_properties() {
        assert_eq!(
            parse("CHECK( init(start_here()), LTL(G ! call(reach_error())) )\n"),
            [Property {
                entry: "start_here".to_owned(),
                kind: PropertyKind::UnreachCall("reach_error".to_owned()),
                line: 1,
            }]
        );
        assert_eq!(kind("G ! overflow"), PropertyKind::NoOverflow);
        assert_eq!(kind("G valid-memcleanup"), PropertyKind::ValidMemcleanup);
        assert_eq!(kind(" F  end "), PropertyKind::Termination);
        assert_eq!(kind("G ! data-race"), PropertyKind::NoDataRace);
        assert_eq!(kind("G def-behavior"), PropertyKind::DefBehavior);
        assert_eq!(
            kind("G !call( __VERIFIER_error ( ) )"),
            PropertyKind::UnreachCall("__VERIFIER_error".to_owned())
        );
        assert_eq!(
            kind("G ! label( ERROR )"),
            PropertyKind::UnreachLabel("ERROR".to_owned())
        );
        assert_eq!(
            kind("G (x -> F (y))"),
            PropertyKind::Other("G (x -> F (y))".to_owned())
        );
        assert_eq!(kind("G valid-free").name(), "valid-free");
    }

    #[test]
    fn several_lines() {
        let text = "CHECK( init(main()), LTL(G valid-free) )\n\
                    CHECK( init(main()), LTL(G valid-deref) )\n\n\
                    CHECK( init(main()), LTL(G valid-memtrack) )\n";
        let lines: Vec<_> = parse(text)
            .iter()
            .map(|property| (property.kind.name().to_owned(), property.line))
            .collect();
        assert_eq!(
            lines,
            [
                ("valid-free".to_owned(), 1),
                ("valid-deref".to_owned(), 2),
                ("valid-memtrack".to_owned(), 4)
            ]
        );
        assert_eq!(
            parse("COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )")[0].kind,
            PropertyKind::Coverage("COVER EDGES(@CALL(reach_error))".to_owned())
        );
    }

    #[test]
    fn garbage() {
        assert_eq!(error(""), "p.prp:1:1: the file holds no property");
        assert_eq!(
            error("int main() {}"),
            "p.prp:1:1: not a property: expected `CHECK`"
        );
        assert_eq!(
            error("CHECK( init(main()), LTL(G ! call(f()))\n"),
            "p.prp:2:1: not a property: expected `)`"
        );
        assert_eq!(
            error("CHECK( init(()), LTL(F end) )"),
            "p.prp:1:13: not a property: expected the name of a function"
        );
        assert!(error(&"(".repeat(100_000)).contains("expected `CHECK`"));
        assert!(
            error(&format!("CHECK( init(main()), LTL({}", "(".repeat(100_000))).contains("`)`")
        );
        assert!(parse_property("p.prp", b"CHECK\xff").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text(text in "(CHECK|COVER|init|LTL|FQL|main|[(),!G \n]|.){0,40}") {
            let _ = parse_property("p.prp", text.as_bytes());
        }
    }
}
