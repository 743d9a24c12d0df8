//! Programs from C text, for the tests.

#![allow(
    clippy::print_stdout,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "each test uses a part of it"
)]

pub mod generate;

use rhumb_cfront::{Options, compile_text};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{DataModel, InputKind, InputSiteId, Program};

/// A program from C text.
pub fn program(text: &str) -> Program {
    program_in(text, DataModel::Lp64)
}

/// A program from C text in a data model.
pub fn program_in(text: &str, data_model: DataModel) -> Program {
    let options = Options {
        data_model,
        ..Options::default()
    };
    compile_text("test.c", text, &options).expect(text)
}

/// The sites that call `__VERIFIER_nondet_*`.
pub fn sites(program: &Program) -> impl Iterator<Item = InputSiteId> {
    let sites = program.inputs.iter_enumerated();
    let nondet = sites.filter(|(_, site)| matches!(site.kind, InputKind::Nondet(_)));
    nondet.map(|(id, _)| id)
}

/// The n-th of them.
pub fn site(program: &Program, n: usize) -> InputSiteId {
    sites(program).nth(n).expect("a call of nondet")
}

/// One value for each of the first sites.
pub fn inputs(program: &Program, values: &[i128]) -> KeyedInputs {
    let mut inputs = KeyedInputs::new();
    for (n, &value) in values.iter().enumerate() {
        inputs.push_value(site(program, n), value as u128, 1);
    }
    inputs
}
