//! The functions that a C file declares, as gcc understood them.
//!
//! `gcc -aux-info` writes a line per function: a comment with the place, then a prototype. So the
//! types of input functions need not be guessed from their names.

use std::collections::BTreeMap;

/// The result type and first parameter type of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub(super) result: String,
    /// `None` for a declaration without parameter types.
    pub(super) first_parameter: Option<String>,
}

impl Declaration {
    /// Whether the result is an integer type that is spelled out.
    pub(super) fn is_integer(&self) -> bool {
        const WORDS: [&str; 8] = [
            "char", "short", "int", "long", "signed", "unsigned", "__int128", "const",
        ];
        self.result.split(' ').all(|word| WORDS.contains(&word))
    }
}

/// All declared functions by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations(BTreeMap<String, Declaration>);

impl Declarations {
    pub(super) fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(parse_line).collect())
    }

    pub(super) fn of(&self, name: &str) -> Option<&Declaration> {
        self.0.get(name)
    }
}

/// `/* file:line:NC */ extern unsigned int f (void);`
fn parse_line(line: &str) -> Option<(String, Declaration)> {
    let (_, prototype) = line.split_once("*/ ")?;
    let prototype = prototype
        .strip_prefix("extern ")
        .or_else(|| prototype.strip_prefix("static "))?;
    let (head, parameters) = prototype.split_once('(')?;
    let head = head.trim();
    let name_start = head.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))? + 1;
    let (result, name) = head.split_at(name_start);
    let first = parameters
        .split([',', ')'])
        .next()
        .unwrap_or_default()
        .trim();
    let first_parameter = (!first.starts_with("/*") && first != "void").then(|| first.to_owned());
    Some((
        name.to_owned(),
        Declaration {
            result: result.trim().to_owned(),
            first_parameter,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::Declarations;

    #[test]
    fn prototypes_of_all_kinds() {
        let declarations = Declarations::parse(
            "/* compiled from: . */\n\
             /* a.c:1:NC */ extern unsigned int __VERIFIER_nondet_uint (void);\n\
             /* a.c:2:NC */ extern void __VERIFIER_assume (_Bool);\n\
             /* a.c:3:OC */ extern char *name (/* ??? */);\n\
             /* a.c:4:NF */ static int f (int x, char y); /* (x, y) int x; char y; */\n",
        );
        let of = |name: &str| declarations.of(name).unwrap();
        assert_eq!(of("__VERIFIER_nondet_uint").result, "unsigned int");
        assert!(of("__VERIFIER_nondet_uint").is_integer());
        assert_eq!(
            of("__VERIFIER_assume").first_parameter.as_deref(),
            Some("_Bool")
        );
        assert_eq!(of("name").result, "char *");
        assert_eq!(of("name").first_parameter, None);
        assert_eq!(of("f").result, "int");
    }
}
