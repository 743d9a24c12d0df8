//! Proofs in files: what is written can be read, and what is broken is said to be.

use std::time::Duration;

use rhumb_certify::file::{ProofFile, ProofFileError};
use rhumb_certify::proof::{
    Argument, Formula, Invalid, Proof, Rejected, check, obligations_smtlib,
};
use rhumb_logic::{Budget, Sort, Symbol};
use rhumb_program::Program;

use crate::support::{Written, counted_down, lower};

const TEXT: &str = "unsigned char f(unsigned char a) { unsigned char i = 0;\n while (i < a) i++;\n return i; }\n \
    int main() { unsigned n = __VERIFIER_nondet_uint(), x = 0; if (n > 1000) return 0;\n while (x < n) { x++; }\n \
    unsigned char c = f((unsigned char)x);\n if (x != n) __VERIFIER_error();\n if (c != (unsigned char)n) __VERIFIER_error(); }";

fn written() -> Written {
    Written::new(TEXT)
        .at(5, &["(<= x n)", "(<= n 1000)"])
        .in_call(
            2,
            6,
            &["(= x n)", "(<= n 1000)", "(<= i a)", "(= a (mod n 256))"],
        )
}

/// The certificate, with a text in place of another that it contains.
fn damaged(from: &str, to: &str) -> String {
    let written = written();
    let file = ProofFile::new(&written.program, &written.proof).expect("can be written");
    let json = file.to_json().expect("can be written");
    assert!(json.contains(from), "{from} in {json}");
    json.replacen(from, to, 1)
}

fn read(program: &Program, json: &str) -> Result<Proof, ProofFileError> {
    ProofFile::from_json(json)?.proof(program)
}

/// Reads and checks; gives the message of the error.
fn message(json: &str) -> String {
    let program = lower(TEXT);
    match read(&program, json) {
        Err(error) => error.to_string(),
        Ok(proof) => match check(&program, &proof, &Budget::time(Duration::from_secs(10))) {
            Err(error) => error.to_string(),
            Ok(_) => "accepted".to_owned(),
        },
    }
}

#[test]
fn what_is_written_can_be_read() {
    let original = written();
    original.accepted();
    let file = ProofFile::new(&original.program, &original.proof).expect("can be written");
    let json = file.to_json().expect("can be written");
    let again = ProofFile::from_json(&json).expect("can be read");
    assert_eq!(again, file);
    // In a fresh process the program is compiled anew.
    let program = lower(TEXT);
    let proof = again.proof(&program).expect("for this program");
    check(&program, &proof, &Budget::unlimited()).expect("still a proof");
    let third = ProofFile::new(&program, &proof).expect("can be written");
    assert_eq!(third.to_json().expect("can be written"), json);
}

#[test]
fn quantified_formulas_and_hints_survive() {
    let written = counted_down("(+ k 1)");
    let file = ProofFile::new(&written.program, &written.proof).expect("can be written");
    let json = file.to_json().expect("can be written");
    let proof = read(&written.program, &json).expect("can be read");
    check(&written.program, &proof, &Budget::unlimited()).expect("still a proof");
}

/// Whatever a variable is of, a proof says it of a number: there are no sorts to be written, and none to be got wrong.
#[test]
fn variables_are_integers_whatever_their_types() {
    let text = "int main() { _Bool b = 1; float f = 1.0f; unsigned char c = 7; long l = -1; int *p = 0; int i = 0;\n \
         while (i < 10) i++;\n if (!b || f != 1.0f || c != 7 || l != -1 || p) __VERIFIER_error(); }";
    let all = [
        "(= b 1)",
        "(= f 1065353216)",
        "(= c 7)",
        "(= l (- 1))",
        "(= p 0)",
    ];
    let written = Written::new(text).at(2, &all);
    written.accepted();
    let file = ProofFile::new(&written.program, &written.proof).expect("can be written");
    let json = file.to_json().expect("can be written");
    let proof = read(&written.program, &json).expect("can be read");
    check(&written.program, &proof, &Budget::unlimited()).expect("still a proof");
    let known = |symbol: &Symbol| proof.terms.symbol_info(*symbol).sort;
    assert!(
        proof
            .variables
            .keys()
            .all(|symbol| known(symbol) == Sort::Int)
    );
    assert_eq!(proof.variables.len(), all.len());

    // Who says another sort is not understood.
    let json = json.replacen("\"variable\":", "\"sort\": \"Bool\", \"variable\":", 1);
    assert!(matches!(
        read(&written.program, &json),
        Err(ProofFileError::Json(_))
    ));
}

/// A formula about a truth value where the checker has a number: it is neither checked nor written.
#[test]
fn a_variable_of_another_sort_is_refused() {
    let mut written = Written::new(
        "int main() { _Bool b = 1; int i = 0;\n while (i < 10) i++;\n if (!b) __VERIFIER_error(); }",
    );
    let symbols: Vec<Symbol> = written.proof.variables.keys().copied().collect();
    let terms = written.proof.terms.clone();
    let of_truth = symbols
        .into_iter()
        .find(|symbol| &*terms.symbol_info(*symbol).name == "b");
    let variable = written
        .proof
        .variables
        .remove(&of_truth.expect("a name for it"));
    let truth = terms.symbol("truth", Sort::Bool);
    written.proof.declare(truth, variable.expect("a variable"));
    let head = written.head(2);
    written.proof.add(head, Formula::plain(terms.var(truth)));
    let checked = check(&written.program, &written.proof, &Budget::unlimited());
    assert!(matches!(checked, Err(Rejected::Invalid(Invalid::Sort(name))) if name == "truth"));
    let file = ProofFile::new(&written.program, &written.proof);
    assert!(matches!(file, Err(ProofFileError::Unwritable(_))));
}

/// Bound symbols have sorts, and files say which.
#[test]
fn bound_symbols_keep_their_sorts() {
    let mut written = Written::new(
        "int main() { int i = 0;\n while (i < 10) i++;\n if (i != 10) __VERIFIER_error(); }",
    )
    .at(2, &["(<= i 10)"]);
    let terms = written.proof.terms.clone();
    let sorts = [Sort::Int, Sort::Bool, Sort::Real, Sort::BitVec(7)];
    let bound = sorts.map(|sort| terms.symbol("some", sort));
    let formula = Formula {
        bound: bound.to_vec(),
        negated: false,
        matrix: terms.bool(true),
    };
    let head = written.head(2);
    written.proof.add(head.clone(), formula);
    let file = ProofFile::new(&written.program, &written.proof).expect("can be written");
    let json = file.to_json().expect("can be written");
    let proof = read(&written.program, &json).expect("can be read");
    let Argument::Invariants(invariants) = &proof.argument else {
        panic!("invariants");
    };
    let bound = invariants.at[&head][1].bound.iter();
    let read_again: Vec<Sort> = bound
        .map(|symbol| proof.terms.symbol_info(*symbol).sort)
        .collect();
    assert_eq!(read_again, sorts);
    for other in ["(_ BitVec 0)", "(_ BitVec 99999)", "(_ BitVec 7", "Array"] {
        let json = json.replacen("(_ BitVec 7)", other, 1);
        let error = read(&written.program, &json).map(|_| ());
        assert!(matches!(error, Err(ProofFileError::Bound(_))), "{other}");
    }
}

#[test]
fn unrolling_survives() {
    let program =
        lower("int main() { int i = 0; while (i < 3) i++; if (i != 3) __VERIFIER_error(); }");
    let file = ProofFile::new(&program, &Proof::unrolling(4)).expect("can be written");
    let json = file.to_json().expect("can be written");
    let proof = read(&program, &json).expect("can be read");
    check(&program, &proof, &Budget::unlimited()).expect("still a proof");
}

#[test]
fn a_certificate_for_another_program() {
    let json = damaged("\"version\"", "\"version\"");
    let other = lower(&TEXT.replace("1000", "1001"));
    assert!(matches!(
        read(&other, &json),
        Err(ProofFileError::OtherProgram)
    ));
    // Comments and positions make no other program.
    let moved = lower(&format!("\n/* moved */\n{TEXT}"));
    assert!(read(&moved, &json).is_ok());
}

#[test]
fn damaged_certificates_have_clear_errors() {
    let cases = [
        ("\"version\": 1", "\"version\": 2", "has version 2"),
        ("\"version\": 1", "\"version\": -1", "can't be read"),
        ("\"version\": 1,", "", "can't be read"),
        ("\"location\"", "\"place\"", "can't be read"),
        ("(<= ", "(<< ", "`<<` is not known"),
        ("(<= |", "(<= |no", "unknown variable `no"),
        (
            "(<= ",
            "(<=  true ",
            "is not known, or its arguments have other sorts",
        ),
        ("(<= ", "(+ ", "not of sort Bool"),
        ("(<= ", "((<= ", "parenthesis is not closed"),
        ("(<= ", ")(<= ", "closed that is not open"),
        (
            "\"matrix\": \"(",
            "\"matrix\": \"true (",
            "something follows",
        ),
        (
            "1000",
            "1000000000000000000000000000000000x",
            "is no number",
        ),
        ("1000", "(_ bv5 0)", "at least one bit"),
        ("1000", "(_ bv5 99999999)", "a small number is expected"),
        ("1000", "((_ extract 5 0) 3)", "arguments have other sorts"),
        ("1000", "(let ((a 5) (b)) a)", "a name and its value"),
        ("1000", "()", "an empty list"),
        ("1000", "(div 1 0)", "an obligation does not hold"),
    ];
    for (from, to, expected) in cases {
        let message = message(&damaged(from, to));
        assert!(message.contains(expected), "{to}: {message}");
    }
}

#[test]
fn points_and_variables_that_there_are_not() {
    let program = lower(TEXT);
    let json = damaged("\"version\"", "\"version\"");
    let with = |edit: &dyn Fn(&mut serde_json::Value)| {
        let mut value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        edit(&mut value);
        read(&program, &value.to_string())
            .map(|proof| check(&program, &proof, &Budget::unlimited()))
    };
    let place = |value: u64| {
        with(&|json| {
            json["argument"]["invariants"]["points"][0]["location"] = serde_json::json!([0, value])
        })
    };
    for number in [12345, u64::from(u32::MAX)] {
        let result = place(number).expect("can be read");
        assert!(
            matches!(result, Err(Rejected::Invalid(Invalid::UnknownPoint(_)))),
            "{result:?}"
        );
    }
    let result = with(&|json| json["variables"][0]["variable"] = serde_json::json!(u32::MAX))
        .expect("can be read");
    assert!(
        matches!(result, Err(Rejected::Invalid(Invalid::UnknownVariable(_)))),
        "{result:?}"
    );
    let result = with(&|json| json["variables"][0]["calls"] = serde_json::json!([[7, 8], [9, 10]]))
        .expect("can be read");
    assert!(
        matches!(result, Err(Rejected::Invalid(Invalid::UnknownVariable(_)))),
        "{result:?}"
    );
    let result = with(&|json| {
        let name = json["variables"][0]["name"].clone();
        json["variables"][1]["name"] = name;
    });
    assert!(
        matches!(result, Err(ProofFileError::Twice(_))),
        "{result:?}"
    );
    let result = with(&|json| {
        let variable = json["variables"][0]["variable"].clone();
        let calls = json["variables"][0]["calls"].clone();
        json["variables"][1]["variable"] = variable;
        json["variables"][1]["calls"] = calls;
    })
    .expect("can be read");
    assert!(
        matches!(result, Err(Rejected::Invalid(Invalid::TwoSymbols(_)))),
        "{result:?}"
    );
    let result = with(&|json| {
        json["argument"]["invariants"]["hints"] = serde_json::json!([{
            "from": {"location": [0, 0]}, "to": {"location": [0, 0]}, "premise": 3, "values": ["1"]
        }]);
    })
    .expect("can be read");
    assert!(matches!(result, Err(Rejected::Invalid(_))), "{result:?}");
}

#[test]
fn truncated_certificates() {
    let program = lower(TEXT);
    let json = damaged("\"version\"", "\"version\"");
    for end in (0..json.trim_end().len()).step_by(7) {
        assert!(read(&program, &json[..end]).is_err(), "{end}");
    }
}

#[test]
fn flipped_bytes_do_no_harm() {
    let program = lower(TEXT);
    let json = damaged("\"version\"", "\"version\"").into_bytes();
    let (mut readable, mut accepted) = (0, 0);
    let mut state = 7u64;
    for _ in 0..1500 {
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let mut bytes = json.clone();
        let place = random(bytes.len());
        let alphabet = b"()|0123456789abcx <=+-*,:[]{}\"?_.";
        bytes[place] = alphabet[random(alphabet.len())];
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        if let Ok(proof) = read(&program, &text) {
            readable += 1;
            if readable <= 100 {
                let result = check(&program, &proof, &Budget::time(Duration::from_secs(5)));
                accepted += usize::from(result.is_ok());
            }
        }
    }
    // Most readable ones differ in a blank or in a name that is used nowhere else.
    assert!(readable > 30 && accepted > 10, "{readable} {accepted}");
}

#[test]
fn deep_and_large_formulas() {
    let deep = |count: usize| {
        let text = format!("{}1000{}", "(+ 0 ".repeat(count), ")".repeat(count));
        damaged("1000", &text)
    };
    assert_eq!(message(&deep(100_000)), "accepted");
    assert!(message(&deep(300_000)).contains("nested too deeply"));
    let brackets = "[".repeat(100_000);
    assert!(message(&brackets).contains("can't be read"));
    // Ten megabytes of one formula, of noise, and of a number.
    let sum = format!("(- {} {})", "1000", " 0".repeat(5_000_000));
    assert_eq!(message(&damaged("1000", &sum)), "accepted");
    assert!(message(&"x".repeat(10 << 20)).contains("can't be read"));
    assert!(message(&damaged("1000", &"9".repeat(10 << 20))).contains("the number is too large"));
    // Numbers that double with each line.
    let mut bomb = String::from("(let ((a 3)) ");
    for _ in 0..60 {
        bomb += "(let ((a (* a a))) ";
    }
    bomb += "a";
    bomb += &")".repeat(61);
    assert!(message(&damaged("1000", &bomb)).contains("a number is too large"));
    // Shared parts that would be exponentially many if they were copied.
    let mut shared = String::from("(let ((a (div |NAME| 7))) ");
    for _ in 0..200 {
        shared += "(let ((a (div (+ a (* 2 a)) 2))) ";
    }
    shared += "(ite (= a a) 1000 a)";
    shared += &")".repeat(201);
    let name = damaged("1000", "1000");
    let name = name
        .split("(<= |")
        .nth(1)
        .and_then(|rest| rest.split('|').next());
    let shared = shared.replace("NAME", name.expect("a name"));
    assert_eq!(message(&damaged("1000", &shared)), "accepted");
}

#[test]
fn obligations_for_another_solver() {
    let written = written();
    let scripts = obligations_smtlib(&written.program, &written.proof).expect("can be written");
    assert!(scripts.len() >= 8, "{}", scripts.len());
    for (obligation, script) in &scripts {
        assert!(script.starts_with(&format!("; {obligation}")), "{script}");
        let open = script
            .lines()
            .skip(1)
            .flat_map(str::chars)
            .filter(|&c| c == '(')
            .count();
        let closed = script
            .lines()
            .skip(1)
            .flat_map(str::chars)
            .filter(|&c| c == ')')
            .count();
        assert_eq!(open, closed, "{script}");
        assert!(script.ends_with("(check-sat)\n"), "{script}");
    }
    let unrolled = lower(
        "int main() { unsigned char n = __VERIFIER_nondet_uchar() & 3, m = n ^ 5; while (n) n--; if (m == n) __VERIFIER_error(); }",
    );
    let more = obligations_smtlib(&unrolled, &Proof::unrolling(4)).expect("can be written");
    assert!(more.len() >= 5, "{}", more.len());
    // A solver that happens to be here is asked.
    for solver in ["z3", "cvc5"] {
        let folder = tempfile::tempdir().expect("a folder");
        for (number, (obligation, script)) in scripts.iter().chain(&more).enumerate() {
            let path = folder.path().join(format!("{number}.smt2"));
            std::fs::write(&path, script).expect("written");
            match std::process::Command::new(solver).arg(&path).output() {
                Ok(output) => {
                    let answer = String::from_utf8_lossy(&output.stdout);
                    assert_eq!(answer.trim(), "unsat", "{solver}: {obligation}\n{script}");
                }
                Err(_) => break,
            }
        }
    }
}
