//! The library as other programs use it.

use rhumb::{Conclusion, Evidence, Input, InputError, Options, Question, Validity, Verdict};
use rhumb_logic::Budget;

/// Reaches the error for one input out of very many, if the bound lets it.
fn text(bound: u32) -> String {
    format!(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);\n\
         int main(void) {{ unsigned n = __VERIFIER_nondet_uint(), i = 0;\n\
         while (i < n && i < {bound}) i++;\n if (i == 3000) reach_error(); return 0; }}\n"
    )
}

fn input(text: &str) -> Input {
    Input::from_text("facade.c", text).expect("valid C")
}

#[test]
fn verdicts_have_evidence_that_is_valid_for_their_program_alone() {
    let (safe, broken) = (input(&text(2000)), input(&text(4000)));
    let options = Options::default();
    for (input, other, expected) in [
        (&safe, &broken, Conclusion::Safe),
        (&broken, &safe, Conclusion::Unsafe),
    ] {
        let report = rhumb::check(input, &options);
        assert_eq!(report.summary.conclusion, expected, "{report}");
        assert!(report.to_string().contains("verdict: "), "{report}");
        let certificate = rhumb::certificate(input, &report.verdict).expect("evidence");
        let evidence = Evidence::certificate(certificate.expect("text")).expect("a certificate");
        let checked = rhumb::validate(input, &evidence, &Budget::unlimited()).expect("checked");
        let wanted = match expected {
            Conclusion::Safe => Validity::Correct,
            _ => Validity::Violated,
        };
        assert_eq!(checked.validity, wanted);
        let elsewhere = rhumb::validate(other, &evidence, &Budget::unlimited());
        assert!(elsewhere.is_err(), "{elsewhere:?}");
        let harness = rhumb::harness(input, &report.verdict);
        assert_eq!(harness.is_some(), expected == Conclusion::Unsafe);
    }
}

#[test]
fn without_time_nothing_is_known() {
    let options = Options {
        budget: Budget::time(std::time::Duration::ZERO),
        ..Options::default()
    };
    let report = rhumb::check(&input(&text(4000)), &options);
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{report}");
}

#[test]
fn what_is_no_c_is_an_error() {
    let error = Input::from_text("bad.c", "int main(void) { return x; }").expect_err("no C");
    assert!(error.to_string().contains("`x` is not declared"), "{error}");
    let missing = std::path::Path::new("/no/such/file.c");
    let error = Input::read(
        &[missing.to_owned()],
        &Question::default(),
        &Budget::unlimited(),
    );
    assert!(matches!(error, Err(InputError::Load(_))), "{error:?}");
}

#[test]
fn the_question_is_part_of_the_input() {
    let text = "int main(void) { int x = 0; ERROR: x = 1; return x; }";
    let question = Question {
        error_label: Some("ERROR".to_owned()),
        ..Question::default()
    };
    let asked = Input::from_text_as("label.c", text, &question).expect("valid C");
    let report = rhumb::check(&asked, &Options::default());
    assert_eq!(report.summary.conclusion, Conclusion::Unsafe, "{report}");
    let report = rhumb::check(&input(text), &Options::default());
    assert_eq!(report.summary.conclusion, Conclusion::Safe, "{report}");
}
