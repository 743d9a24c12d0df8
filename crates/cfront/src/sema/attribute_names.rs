//! Attributes by name: those that change nothing that a program can observe, and options of the compiler that do.

/// Attributes of gcc and its like that a run of a right program can't tell: hints for the optimiser, promises about arguments and results,
/// warnings, visibility, calling conventions. (A promise that is broken is undefined behaviour, which is not looked for here.)
const HARMLESS: &[&str] = &[
    "abi_tag",
    "access",
    "acquire_capability",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "asan_globals",
    "assert_capability",
    "assume_aligned",
    "availability",
    "capability",
    "cdecl",
    "cf_check",
    "cold",
    "common",
    "const",
    "consumable",
    "deprecated",
    "designated_init",
    "disable_tail_calls",
    "dllexport",
    "dllimport",
    "error",
    "externally_visible",
    "fallthrough",
    "fastcall",
    "fd_arg",
    "fd_arg_read",
    "fd_arg_write",
    "flag_enum",
    "flatten",
    "force_align_arg_pointer",
    "format",
    "format_arg",
    "function_return",
    "gcc_struct",
    "guarded_by",
    "hot",
    "indirect_branch",
    "indirect_return",
    "internal_linkage",
    "leaf",
    "likely",
    "malloc",
    "may_alias",
    "maybe_unused",
    "minsize",
    "model",
    "ms_abi",
    "musttail",
    "no_address_safety_analysis",
    "no_builtin",
    "no_caller_saved_registers",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_coverage",
    "no_sanitize_memory",
    "no_sanitize_thread",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_limit",
    "no_stack_protector",
    "no_thread_safety_analysis",
    "nocf_check",
    "noclone",
    "nocommon",
    "nodebug",
    "nodiscard",
    "noduplicate",
    "noescape",
    "noinline",
    "noipa",
    "nonnull",
    "nonstring",
    "noplt",
    "not_tail_called",
    "nothrow",
    "null_terminated_string_arg",
    "optnone",
    "optnone_strict",
    "patchable_function_entry",
    "preserve_access_index",
    "pt_guarded_by",
    "pure",
    "regparm",
    "release_capability",
    "require_constant_initialization",
    "requires_capability",
    "retain",
    "returns_twice",
    "sentinel",
    "simd",
    "sseregparm",
    "stack_protect",
    "stdcall",
    "symver",
    "sysv_abi",
    "tainted_args",
    "thiscall",
    "tls_model",
    "type_visibility",
    "unavailable",
    "uninitialized",
    "unlikely",
    "unused",
    "used",
    "visibility",
    "warn_if_not_aligned",
    "warn_unused",
    "warn_unused_result",
    "warning",
    "zero_call_used_regs",
];

/// Whether a program can't observe the attribute.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.binary_search(&name).is_ok()
}

/// What an option of `optimize` or `target` changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum OptionEffect {
    /// Nothing that we rely on.
    Nothing,
    /// gcc knows more about values than without optimisation.
    Optimises,
    /// What the program means.
    Meaning,
}

/// What an option of `__attribute__((optimize(...)))` changes.
pub(super) fn optimize_effect(option: &str) -> OptionEffect {
    let bare = option.trim_start_matches("-f").trim_start_matches('-');
    let level = bare.strip_prefix('O').unwrap_or(bare);
    const WITHOUT_MEANING: &[&str] = &[
        "inline",
        "jump-tables",
        "loop",
        "omit-frame-pointer",
        "plt",
        "schedule",
        "split",
        "stack-protector",
        "tree-",
        "unroll",
        "unwind",
        "align-",
        "gcse",
        "ipa-",
        "if-conversion",
        "section-anchors",
        "function-sections",
        "data-sections",
        "lto",
        "rename-registers",
        "peel-loops",
        "prefetch",
        "optimize-sibling-calls",
        "crossjumping",
        "cse",
        "dce",
        "dse",
        "merge-constants",
        "stack-clash-protection",
        "vect",
    ];
    match level {
        "" | "0" | "g" => OptionEffect::Nothing,
        "1" | "2" | "3" | "s" | "z" => OptionEffect::Optimises,
        _ => {
            let positive = bare.strip_prefix("no-").unwrap_or(bare);
            let is_known = WITHOUT_MEANING
                .iter()
                .any(|known| positive.starts_with(known));
            if is_known {
                OptionEffect::Nothing
            } else {
                OptionEffect::Meaning
            }
        }
    }
}

/// What an option of `__attribute__((target(...)))` changes: instructions are gcc's affair, but not how floats are computed.
pub(super) fn target_effect(option: &str) -> OptionEffect {
    let changes_floats = |word: &str| {
        word.starts_with("fpmath")
            || word.contains("fma")
            || matches!(word.trim_start_matches("no-"), "sse" | "sse2" | "80387")
                && word.starts_with("no-")
            || word.contains("soft")
    };
    if option.split(',').map(str::trim).any(changes_floats) {
        OptionEffect::Meaning
    } else {
        OptionEffect::Nothing
    }
}

/// Whether the linker or the loader looks at what lies in a section: what is called before and after `main`.
pub(super) fn is_run_section(section: &str) -> bool {
    const SECTIONS: &[&str] = &[".init", ".fini", ".preinit_array", ".ctors", ".dtors"];
    // `.init.text` and its like are the names of Linux for code that is thrown away after the start.
    SECTIONS.iter().any(|known| {
        section.strip_prefix(known).is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with("_array")
                || rest.starts_with(".0")
                || *known != ".init" && *known != ".fini"
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(HARMLESS.is_sorted());
        assert!(is_harmless("unused") && is_harmless("cold") && !is_harmless("packed"));
    }

    #[test]
    fn options() {
        assert_eq!(optimize_effect("O0"), OptionEffect::Nothing);
        assert_eq!(optimize_effect("-O3"), OptionEffect::Optimises);
        assert_eq!(optimize_effect("no-tree-vectorize"), OptionEffect::Nothing);
        for option in [
            "wrapv",
            "-fwrapv",
            "Ofast",
            "fast-math",
            "short-enums",
            "no-such",
        ] {
            assert_eq!(optimize_effect(option), OptionEffect::Meaning, "{option}");
        }
        assert_eq!(target_effect("avx2,no-mmx"), OptionEffect::Nothing);
        for option in ["fma", "avx,fpmath=387", "no-sse2"] {
            assert_eq!(target_effect(option), OptionEffect::Meaning, "{option}");
        }
    }

    #[test]
    fn sections_that_are_run() {
        for section in [
            ".init",
            ".init_array",
            ".init_array.00100",
            ".fini_array",
            ".ctors",
            ".ctors.65",
        ] {
            assert!(is_run_section(section), "{section}");
        }
        for section in [
            ".init.text",
            ".data",
            "initcall",
            ".fini.text",
            ".text.init",
        ] {
            assert!(!is_run_section(section), "{section}");
        }
    }
}
