//! Machines whose key is a word.

use crate::source::{character, fill, lines, program};
use crate::{Inputs, SuiteTask};

/// The words that stand in the repository. The first one is the example of Godefroid et al., "Automated Whitebox Fuzz Testing"; the four
/// with `cadabra` are those of the paper's table; the last two are longer than the paper's longest.
const WORDS: [(&str, &str); 7] = [
    ("godefroid-ndss08", "bad!"),
    ("cadabra", "cadabra"),
    ("abracadabra", "abracadabra"),
    ("abracadabraabra", "abracadabraabra"),
    ("abracadabraabracadabra", "abracadabraabracadabra"),
    (
        "abracadabra-4",
        "abracadabraabracadabraabracadabraabracadabra",
    ),
    ("abracadabra-5-abra", SIXTY_STATES),
];

/// Fifty-nine letters.
const SIXTY_STATES: &str = "abracadabraabracadabraabracadabraabracadabraabracadabraabra";

/// What the machines do that take a whole word in one round.
pub(crate) const WORD_MACHINE: &str = "An endless loop moves a machine on by one state for each letter in its place; the error is the last state.";

/// A word that can't be the key of a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// No letters.
    #[error("a word needs at least one letter")]
    Empty,
    /// Characters that would need an escape, or more than a byte.
    #[error("`{0}` has characters that are not printable ASCII")]
    NotPrintable(String),
    /// Two words are asked for, as in `DOG/CAT`.
    #[error("`{0}` is not of the form SEQUENCE/WORD")]
    NotAPair(String),
}

/// The machines of [`WORDS`], with the number of letters.
pub(super) fn words() -> Vec<(SuiteTask, u64)> {
    WORDS
        .map(|(name, word)| (at_once(name, word.as_bytes()), word.len() as u64))
        .into()
}

/// The machine of Majumdar and Sen, "Hybrid Concolic Testing", that of the paper's figure 9, and the two largest words
/// of the paper and of ours, letter by letter.
pub(super) fn sequences() -> Vec<SuiteTask> {
    vec![
        in_sequence("majumdar-icse07", b"[({~ax})]", b"reset\0"),
        in_sequence("refcomplete-ex", b"DOG", b"CAT"),
        in_sequence(
            "abracadabraabracadabra-slowly",
            b"abracadabraabracadabra",
            b"",
        ),
        in_sequence("abracadabra-5-abra-slowly", SIXTY_STATES.as_bytes(), b""),
    ]
}

/// The machine that takes all letters of a word in one round.
pub(crate) fn word_machine(word: &str) -> Result<SuiteTask, ParameterError> {
    check(word)?;
    Ok(at_once(&file_name(word), word.as_bytes()))
}

/// The machine that takes the first word letter by letter and the second one at once; the two are separated by a slash.
pub(crate) fn sequence_machine(words: &str) -> Result<SuiteTask, ParameterError> {
    let (sequence, word) = words
        .split_once('/')
        .ok_or_else(|| ParameterError::NotAPair(words.to_owned()))?;
    check(sequence)?;
    check(word)?;
    Ok(in_sequence(
        &file_name(words),
        sequence.as_bytes(),
        word.as_bytes(),
    ))
}

fn check(word: &str) -> Result<(), ParameterError> {
    if word.is_empty() {
        Err(ParameterError::Empty)
    } else if word.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        Ok(())
    } else {
        Err(ParameterError::NotPrintable(word.to_owned()))
    }
}

fn file_name(word: &str) -> String {
    word.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

/// The positions of a word.
fn positions(word: &[u8]) -> std::ops::Range<u64> {
    0..word.len() as u64
}

/// Reads of the letters of one round, each into a variable of its own.
pub(super) fn reads(word: &[u8]) -> String {
    lines(positions(word), |k| {
        format!("    int s{k} = __VERIFIER_nondet_int();")
    })
}

/// The test that takes the letter at position `k` and moves on.
pub(super) fn advance(k: u64, variable: &str, letter: u8) -> String {
    format!(
        "    if (state == {k} && {variable} == {letter})\n      state = {next};",
        letter = character(letter),
        next = k + 1
    )
}

/// The letters as inputs.
pub(super) fn letters(word: &[u8]) -> Inputs {
    word.iter().copied().map(i64::from).collect()
}

fn at_once(name: &str, word: &[u8]) -> SuiteTask {
    let body = fill(
        "
int main(void) {
  int state = 0;
  for (;;) {
$reads
$tests
    if (state == $last)
      reach_error();
  }
}
",
        &[
            ("reads", &reads(word)),
            (
                "tests",
                &lines(positions(word), |k| {
                    advance(k, &format!("s{k}"), word[k as usize])
                }),
            ),
            ("last", &word.len()),
        ],
    );
    let what = format!(
        "A machine with {} states that takes the letters of one word, each from a place of its own.",
        word.len() + 1
    );
    let why =
        "UNSAFE: with all letters in their places, one round is enough; otherwise it never ends.";
    SuiteTask::broken(name, program(name, &what, why, &body), letters(word))
}

fn in_sequence(name: &str, sequence: &[u8], word: &[u8]) -> SuiteTask {
    let fits = lines(positions(word), |k| {
        format!(" && s{k} == {letter}", letter = character(word[k as usize]))
    });
    let more = match word.is_empty() {
        true => String::new(),
        false => format!("\n{}", reads(word)),
    };
    let body = fill(
        "
int main(void) {
  int state = 0;
  for (;;) {
    int c = __VERIFIER_nondet_int();$reads
$tests
    if (state == $last$fits)
      reach_error();
  }
}
",
        &[
            ("reads", &more),
            (
                "tests",
                &lines(positions(sequence), |k| {
                    advance(k, "c", sequence[k as usize])
                }),
            ),
            ("last", &sequence.len()),
            ("fits", &fits.replace('\n', "")),
        ],
    );
    let states = sequence.len() + 1;
    let (what, why) = match word.is_empty() {
        true => (
            format!("A machine with {states} states that takes one word letter by letter."),
            "UNSAFE: the letters round by round.",
        ),
        false => (
            format!(
                "A machine with {states} states that takes one word letter by letter and then another one at once."
            ),
            "UNSAFE: the letters of the first word round by round, and the second word in the last round.",
        ),
    };
    // The tests of one round follow each other, so a letter that stands twice in a row is taken twice in one round.
    let mut rounds = sequence.to_vec();
    rounds.dedup();
    let mut key = Inputs::new();
    for (position, &letter) in rounds.iter().enumerate() {
        key = key.then(i64::from(letter));
        key = if position + 1 == rounds.len() {
            word.iter()
                .fold(key, |key, &letter| key.then(i64::from(letter)))
        } else {
            key.repeat(0, word.len() as u64)
        };
    }
    SuiteTask::broken(name, program(name, &what, why, &body), key)
}
