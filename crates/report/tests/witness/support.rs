//! Checking witnesses of programs that are given as text.

use std::time::{Duration, UNIX_EPOCH};

use rhumb_certify::Verdict;
use rhumb_cfront::{Options, compile_text};
use rhumb_logic::Budget;
use rhumb_program::Program;
use rhumb_report::witness::{
    About, Against, BadWitness, Note, Validation, Witness, file_hash, read, validate, write,
};

pub(crate) const FILE: &str = "test.c";

pub(crate) fn lower(text: &str) -> Program {
    compile_text(FILE, text, &Options::default()).expect(text)
}

/// The witness of a verdict.
pub(crate) fn written(program: &Program, verdict: &Verdict) -> (Witness, Vec<Note>) {
    let text = program.sources.text().clone();
    let about = About {
        file_name: FILE,
        file: &text,
        specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        version: "0",
        time: UNIX_EPOCH + Duration::from_secs(1_800_000_000),
    };
    write(program, verdict, &about).expect("there is a witness")
}

/// Checks the text of a witness.
pub(crate) fn checked(program: &Program, witness: &str) -> Result<Validation, BadWitness> {
    let text = program.sources.text().clone();
    let against = Against {
        program,
        text: &text,
        file_name: FILE,
        file: &text,
        options: &Options::default(),
        search: &|_| None,
    };
    let entries = read(witness.as_bytes())?;
    validate(
        &entries[0],
        &against,
        &Budget::time(Duration::from_secs(30)),
    )
}

/// The head of a witness as other tools write it.
pub(crate) fn head(kind: &str, program: &str) -> String {
    let hash = file_hash(program.as_bytes());
    format!(
        "# another tool\n- entry_type: '{kind}'\n  metadata:\n    format_version: 2.0\n    uuid: 6f0c3c1e-0000-4000-8000-000000000001\n    \
         creation_time: 2026-01-01T00:00:00+01:00\n    producer: {{name: Other, version: 1.5, configuration: x, colour: blue}}\n    task:\n      \
         input_files: ['./dir/{FILE}']\n      input_file_hashes: {{'./dir/{FILE}': {hash}}}\n      \
         specification: G ! call(reach_error())\n      data_model: LP64\n      language: C\n  content:\n"
    )
}

/// A correctness witness with invariants: place (`line: 3, column: 5`) and expression.
pub(crate) fn invariants(program: &str, all: &[(&str, &str)]) -> String {
    let mut text = head("invariant_set", program);
    for (place, value) in all {
        text += &format!(
            "  - invariant:\n      type: loop_invariant\n      location: {{file_name: {FILE}, {place}}}\n      \
             value: {value:?}\n      format: c_expression\n"
        );
    }
    text
}
