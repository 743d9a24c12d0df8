//! Functions that verification tools understand, by name: what the front end takes them for, and what a harness has to
//! define for a compiler.

/// What a call of such a function is for. A function with a body means what its body says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The first argument has to hold.
    Assert,
    /// Only runs in which the first argument holds count.
    Assume,
    /// The call itself is the error.
    Fail,
    /// The run ends.
    End,
    /// Nothing that matters here.
    Nothing,
}

/// The functions with their roles, tool by tool.
pub const ROLES: &[(&str, Role)] = &[
    // Used by many, and without a declaration.
    ("assert", Role::Assert),
    ("assume", Role::Assume),
    ("sassert", Role::Assert),
    ("static_assert", Role::Assert),
    ("tassert", Role::Assert),
    // SV-COMP.
    ("__VERIFIER_assert", Role::Assert),
    ("__VERIFIER_assume", Role::Assume),
    ("__VERIFIER_atomic_begin", Role::Nothing),
    ("__VERIFIER_atomic_end", Role::Nothing),
    // CBMC.
    ("__CPROVER_assert", Role::Assert),
    ("__CPROVER_assume", Role::Assume),
    ("__CPROVER_atomic_begin", Role::Nothing),
    ("__CPROVER_atomic_end", Role::Nothing),
    ("__CPROVER_cover", Role::Nothing),
    ("__CPROVER_input", Role::Nothing),
    ("__CPROVER_output", Role::Nothing),
    ("__CPROVER_postcondition", Role::Assert),
    ("__CPROVER_precondition", Role::Assert),
    // ESBMC.
    ("__ESBMC_assert", Role::Assert),
    ("__ESBMC_assume", Role::Assume),
    ("__ESBMC_atomic_begin", Role::Nothing),
    ("__ESBMC_atomic_end", Role::Nothing),
    ("__ESBMC_unreachable", Role::Fail),
    ("__ESBMC_yield", Role::Nothing),
    // KLEE.
    ("klee_abort", Role::Fail),
    ("klee_assert", Role::Assert),
    ("klee_assume", Role::Assume),
    ("klee_close_merge", Role::Nothing),
    ("klee_mark_global", Role::Nothing),
    ("klee_open_merge", Role::Nothing),
    ("klee_posix_prefer_cex", Role::Nothing),
    ("klee_prefer_cex", Role::Nothing),
    ("klee_print_expr", Role::Nothing),
    ("klee_report_error", Role::Fail),
    ("klee_set_forking", Role::Nothing),
    ("klee_silent_exit", Role::End),
    ("klee_stack_trace", Role::Nothing),
    ("klee_warning", Role::Nothing),
    ("klee_warning_once", Role::Nothing),
    // SMACK, LLBMC.
    ("__SMACK_assert", Role::Assert),
    ("__SMACK_assume", Role::Assume),
    ("__llbmc_assert", Role::Assert),
    ("__llbmc_assume", Role::Assume),
];

/// What a function without a body is for.
pub fn role(name: &str) -> Option<Role> {
    let mut roles = ROLES.iter();
    roles
        .find(|(known, _)| *known == name)
        .map(|&(_, role)| role)
}

/// What stands before the type in the names of functions that give any value.
const NONDET: &[&str] = &[
    "__VERIFIER_nondet",
    "__CPROVER_nondet",
    "__ESBMC_nondet",
    "__SMACK_nondet",
    "nondet",
];

/// For a function that gives any value: the type that its name says, which may be empty.
pub fn nondet(name: &str) -> Option<&str> {
    NONDET.iter().find_map(|prefix| {
        let rest = name.strip_prefix(prefix)?;
        rest.strip_prefix('_').or(rest.is_empty().then_some(""))
    })
}

/// Prefixes of the names of functions that only a tool can provide.
const PREFIXES: &[&str] = &[
    "__VERIFIER_",
    "__CPROVER_",
    "__ESBMC_",
    "__SMACK_",
    "__llbmc_",
    "klee_",
];

/// Whether a name looks like that of a tool's own function.
pub fn is_of_a_tool(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a name has one of the words by which assertions and assumptions are called.
pub fn speaks_of_conditions(name: &str) -> bool {
    name.split(|c: char| c == '_' || c.is_ascii_digit())
        .any(|word| {
            let word = word.to_ascii_lowercase();
            matches!(
                word.as_str(),
                "assert" | "assume" | "assertion" | "assumption" | "sassert" | "tassert"
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(role("__CPROVER_assume"), Some(Role::Assume));
        assert_eq!(role("assertion"), None);
        assert_eq!(nondet("__VERIFIER_nondet_int"), Some("int"));
        assert_eq!(nondet("nondet"), Some(""));
        assert_eq!(nondet("nondeterministic"), None);
        assert!(is_of_a_tool("klee_int") && !is_of_a_tool("kleenex"));
        assert!(speaks_of_conditions("my_assert2") && speaks_of_conditions("ASSUME"));
        assert!(!speaks_of_conditions("asserts_nothing"));
    }
}
