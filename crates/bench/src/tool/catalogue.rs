//! The pattern files that are shipped.

use super::patterns::{PatternError, Patterns};

/// Name and text of each. The name is what `--tool` looks for.
const SHIPPED: [(&str, &str); 8] = [
    ("cbmc", include_str!("../../tools/cbmc.toml")),
    ("cpachecker", include_str!("../../tools/cpachecker.toml")),
    ("esbmc", include_str!("../../tools/esbmc.toml")),
    ("gps", include_str!("../../tools/gps.toml")),
    ("klee", include_str!("../../tools/klee.toml")),
    ("rhumb", include_str!("../../tools/rhumb.toml")),
    ("symbiotic", include_str!("../../tools/symbiotic.toml")),
    ("uautomizer", include_str!("../../tools/uautomizer.toml")),
];

/// The names of the shipped pattern files.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

/// The shipped patterns for a tool: `cbmc` serves `cbmc`, `cbmc-6` and `cbmc.old`, but not `cbmcx`.
///
/// # Errors
///
/// When a shipped file is broken, which a test excludes.
pub fn patterns_for(tool: &str) -> Option<Result<Patterns, PatternError>> {
    let serves = |name: &str| {
        tool.strip_prefix(name)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    SHIPPED
        .iter()
        .find(|(name, _)| serves(name))
        .map(|(_, text)| Patterns::parse(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::End;
    use crate::tool::{Answer, Output};
    use crate::verdict::Verdict;

    fn answer(tool: &str, status: i32, stdout: &str) -> Answer {
        let patterns = patterns_for(tool)
            .expect("a shipped file")
            .expect("valid patterns");
        patterns.answer(&Output {
            end: End::Exited(status),
            stdout: stdout.into(),
            stderr: String::new(),
        })
    }

    const SAFE: Answer = Answer::Verdict(Verdict::Safe);
    const UNSAFE: Answer = Answer::Verdict(Verdict::Unsafe);

    #[test]
    fn every_shipped_file_is_valid_and_has_a_command() {
        for name in names() {
            let patterns = patterns_for(name).expect("a shipped file").expect(name);
            assert!(patterns.command.is_some() || name == "rhumb", "{name}");
        }
        assert!(patterns_for("cbmc-6.8").is_some());
        assert!(patterns_for("cbmcx").is_none());
    }

    #[test]
    fn cbmc() {
        assert_eq!(
            answer("cbmc", 0, "** 0 of 1 failed\nVERIFICATION SUCCESSFUL\n"),
            SAFE
        );
        assert_eq!(answer("cbmc", 10, "VERIFICATION FAILED\n"), UNSAFE);
        assert_eq!(answer("cbmc", 0, "x\nTRUE\n"), SAFE);
        assert_eq!(answer("cbmc", 10, "x\nFALSE(unreach-call)\n"), UNSAFE);
        let bounded =
            "[main.unwind.0] line 3 unwinding assertion loop 0: FAILURE\nVERIFICATION FAILED\n";
        assert_eq!(
            answer("cbmc", 10, bounded),
            Answer::Unknown("unwinding bound too small".into())
        );
        assert!(matches!(
            answer("cbmc", 6, "Out of memory\n"),
            Answer::OutOfMemory(_)
        ));
        assert!(matches!(answer("cbmc", 0, "UNKNOWN\n"), Answer::Unknown(_)));
        assert!(matches!(
            answer("cbmc", 6, "VERIFICATION SUCCESSFUL\n"),
            Answer::Error(_)
        ));
    }

    #[test]
    fn esbmc() {
        assert_eq!(answer("esbmc", 0, "VERIFICATION SUCCESSFUL\n"), SAFE);
        assert_eq!(answer("esbmc", 1, "VERIFICATION FAILED\n"), UNSAFE);
        assert_eq!(answer("esbmc", 1, "FALSE_REACH\n"), UNSAFE);
        assert_eq!(answer("esbmc", 0, "TRUE\n"), SAFE);
        assert!(matches!(
            answer("esbmc", 0, "VERIFICATION UNKNOWN\n"),
            Answer::Unknown(_)
        ));
        assert!(matches!(
            answer("esbmc", 1, "ERROR: CONVERSION ERROR\n"),
            Answer::Error(_)
        ));
    }

    #[test]
    fn cpachecker() {
        assert_eq!(
            answer(
                "cpachecker",
                0,
                "Verification result: TRUE. No property violation found by chosen configuration.\n"
            ),
            SAFE
        );
        assert_eq!(
            answer(
                "cpachecker",
                0,
                "Verification result: FALSE. Property violation (unreach-call) found by chosen configuration.\n"
            ),
            UNSAFE
        );
        assert!(matches!(
            answer(
                "cpachecker",
                0,
                "Verification result: UNKNOWN, incomplete analysis.\n"
            ),
            Answer::Unknown(_)
        ));
        assert!(matches!(
            answer(
                "cpachecker",
                1,
                "java.lang.OutOfMemoryError: Java heap space\n"
            ),
            Answer::OutOfMemory(_)
        ));
        assert!(matches!(
            answer("cpachecker", 1, "Error: Parsing failed\n"),
            Answer::Error(_)
        ));
    }

    #[test]
    fn uautomizer() {
        assert_eq!(answer("uautomizer", 0, "Result:\nTRUE\n"), SAFE);
        assert_eq!(answer("uautomizer", 0, "Result:\nFALSE\n"), UNSAFE);
        assert_eq!(
            answer("uautomizer", 0, "Result:\nFALSE(unreach-call)\n"),
            UNSAFE
        );
        assert!(matches!(
            answer(
                "uautomizer",
                0,
                "Result:\nUNKNOWN: Overapproximated counterexample\n"
            ),
            Answer::Unknown(_)
        ));
        assert!(matches!(
            answer("uautomizer", 1, "Result:\nERROR: NO_JAVA\n"),
            Answer::Error(_)
        ));
    }

    #[test]
    fn symbiotic() {
        assert_eq!(answer("symbiotic", 0, "RESULT: true\n"), SAFE);
        assert_eq!(
            answer("symbiotic", 0, "RESULT: false(unreach-call)\n"),
            UNSAFE
        );
        assert!(matches!(
            answer("symbiotic", 0, "RESULT: unknown\n"),
            Answer::Unknown(_)
        ));
        assert!(matches!(
            answer("symbiotic", 0, "RESULT: timeout\n"),
            Answer::Timeout(_)
        ));
        assert!(matches!(answer("symbiotic", 1, ""), Answer::Error(_)));
    }

    #[test]
    fn klee() {
        assert_eq!(
            answer(
                "klee",
                0,
                "KLEE: ERROR: x.c:7: ASSERTION FAIL: 0\nKLEE: done: total instructions = 9\n"
            ),
            UNSAFE
        );
        assert!(matches!(
            answer("klee", 0, "KLEE: done: completed paths = 3\n"),
            Answer::Unknown(_)
        ));
        assert!(matches!(
            answer(
                "klee",
                0,
                "KLEE: HaltTimer invoked\nKLEE: done: completed paths = 3\n"
            ),
            Answer::Timeout(_)
        ));
        assert!(matches!(
            answer("klee", 1, "KLEE: ERROR: unable to load\n"),
            Answer::Error(_)
        ));
    }

    #[test]
    fn gps() {
        assert_eq!(answer("gps", 0, "------\n  proven safe\n------\n"), SAFE);
        assert_eq!(
            answer("gps", 0, "------\n  proven unsafe\n------\n"),
            UNSAFE
        );
        assert!(matches!(
            answer("gps", 2, "Fatal error: exception Not_found\n"),
            Answer::Error(_)
        ));
        assert!(matches!(
            answer("gps", 2, "Fatal error: out of memory\n"),
            Answer::OutOfMemory(_)
        ));
    }

    #[test]
    fn rhumb() {
        assert_eq!(answer("rhumb", 0, "x\nverdict: SAFE\n"), SAFE);
        assert_eq!(answer("rhumb", 10, "verdict: UNSAFE\n"), UNSAFE);
        assert_eq!(
            answer("rhumb", 5, "verdict: UNKNOWN (no engine, yet (really))\n"),
            Answer::Unknown("no engine, yet (really)".into())
        );
        assert!(matches!(
            answer("rhumb", 5, "verdict: UNKNOWN (timeout: 60 s)\n"),
            Answer::Timeout(_)
        ));
        assert!(matches!(
            answer("rhumb", 5, "verdict: UNKNOWN (out of memory)\n"),
            Answer::OutOfMemory(_)
        ));
        // A verdict that the exit status contradicts is none, and neither is one that is not the last line.
        assert!(matches!(
            answer("rhumb", 10, "verdict: SAFE\n"),
            Answer::Error(_)
        ));
        assert!(matches!(
            answer("rhumb", 0, "verdict: SAFE\nmore\n"),
            Answer::Error(_)
        ));
        assert!(matches!(
            answer("rhumb", 2, "x.c:1:1: error\n"),
            Answer::Error(_)
        ));
    }
}
