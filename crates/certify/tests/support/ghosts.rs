//! Programs with what the pass follows of their memory.

use rhumb_certify::proof::memory::check;
use rhumb_cfront::{Options, compile_text};
use rhumb_program::passes::inline;
use rhumb_program::passes::scalars::{self, Plan, Scalars};
use rhumb_program::{DataModel, Program};

/// A program with its calls inlined.
pub(crate) fn inlined(text: &str, data_model: DataModel) -> Program {
    let options = Options {
        data_model,
        ..Options::default()
    };
    let program = compile_text("test.c", text, &options).expect(text);
    inline::run(&program, 1_000_000).passed.program
}

/// The plan that the pass makes for a program, and what becomes of it.
pub(crate) fn followed(program: &Program) -> (Plan, Scalars) {
    let plain = scalars::run(program);
    let refused: Vec<_> = (plain.refused.iter())
        .map(|entry| (entry.0, entry.1))
        .collect();
    let plan = scalars::plan(program, &refused);
    let scalars = scalars::with_ghosts(program, &plan);
    (plan, scalars)
}

/// What became of a program is one, and the checker takes it.
#[track_caller]
pub(crate) fn assert_accepted(program: &Program, scalars: &Scalars, text: &str) {
    (scalars.passed.program.validate()).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
    check(program, scalars).unwrap_or_else(|objection| panic!("{objection}\n{text}"));
}

/// The checker takes none of these, each with a word for what is wrong in it. Says how many there are.
#[track_caller]
pub(crate) fn assert_rejected(
    program: &Program,
    wrong: Vec<(String, Scalars)>,
    text: &str,
) -> usize {
    for (what, other) in &wrong {
        assert!(
            check(program, other).is_err(),
            "{what} was accepted\n{text}"
        );
    }
    wrong.len()
}
