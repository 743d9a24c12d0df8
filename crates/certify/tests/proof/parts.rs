//! Proofs for some targets each: all of them together, and nothing less.

use rhumb_certify::file::ProofFile;
use rhumb_certify::proof::{Checker, Invalid, Part, Proof, Rejected, check};
use rhumb_certify::{Asked, NotAccepted, Verdict, certify_part, certify_parts};
use rhumb_logic::Budget;
use rhumb_program::{Checks, Program, TargetId};

use crate::support::lower;

/// Three targets: an assertion that holds, an overflow that can't be, and one that depends on the bound.
fn program(bound: u32) -> Program {
    let text = format!(
        "int main() {{ int x = __VERIFIER_nondet_int();\n if (x > {bound} || x < 0) return 0;\n \
         x = x + 1;\n x = x + 2147483000;\n if (x == 0) __VERIFIER_error();\n return 0; }}"
    );
    let checks = Checks::parse("overflow").expect("there is such a check");
    checks.apply(lower(&text))
}

fn ids(numbers: &[u32]) -> Vec<TargetId> {
    numbers.iter().copied().map(TargetId::from_raw).collect()
}

fn parts(groups: &[&[u32]]) -> Proof {
    let part = |group: &&[u32]| Part {
        targets: ids(group),
        proof: Proof::unrolling(4),
    };
    Proof::parts(groups.iter().map(part).collect())
}

#[test]
fn each_target_belongs_to_a_part() {
    let program = program(600);
    assert_eq!(program.targets.len(), 3);
    let budget = Budget::unlimited();
    for groups in [
        &[&[0, 1, 2][..]][..],
        &[&[0], &[1, 2]],
        &[&[2], &[0, 1], &[1]],
    ] {
        check(&program, &parts(groups), &budget).expect("all targets");
        let file = ProofFile::new(&program, &parts(groups)).expect("a file");
        let text = file.to_json().expect("text");
        let read = ProofFile::from_json(&text).expect("the same");
        let proof = read.proof(&program).expect("a proof of the program");
        check(&program, &proof, &budget).expect("all targets, read again");
    }
    // One is missing, there is no such one, they are out of order, or nothing is there.
    for groups in [
        &[&[0, 1][..]][..],
        &[&[0], &[1, 2, 3]],
        &[&[1, 0], &[2]],
        &[],
    ] {
        let result = check(&program, &parts(groups), &budget);
        assert!(
            matches!(result, Err(Rejected::Invalid(Invalid::Parts))),
            "{groups:?}: {result:?}"
        );
    }
    // Parts have no parts.
    let nested = Proof::parts(vec![Part {
        targets: ids(&[0, 1, 2]),
        proof: parts(&[&[0, 1, 2]]),
    }]);
    assert!(check(&program, &nested, &budget).is_err());
}

#[test]
fn a_part_that_does_not_hold_is_rejected() {
    let program = program(700);
    let budget = Budget::unlimited();
    for groups in [&[&[0, 1, 2][..]][..], &[&[0, 1], &[2]], &[&[2], &[0, 1]]] {
        let result = check(&program, &parts(groups), &budget);
        assert!(matches!(result, Err(Rejected::Fails(_))), "{result:?}");
    }
    // What is left out ends runs: behind the overflow nothing is reached.
    let asked = Asked::of(&program, ids(&[0, 1]));
    let checker = Checker::new(asked.program());
    certify_part(&asked, &checker, Proof::unrolling(4), &budget).expect("those two hold");
}

#[test]
fn the_door_takes_parts_of_this_program_only() {
    let (program, other) = (program(600), program(600));
    let budget = Budget::unlimited();
    let part = |program: &'static Program, group: &[u32]| {
        let asked = Asked::of(program, ids(group));
        let checker = Checker::new(asked.program());
        certify_part(&asked, &checker, Proof::unrolling(4), &budget).expect("a part")
    };
    let [program, other]: [&'static Program; 2] =
        [program, other].map(|it| &*Box::leak(Box::new(it)));
    let all = vec![part(program, &[0]), part(program, &[1, 2])];
    assert!(matches!(certify_parts(program, all), Ok(Verdict::Safe(_))));
    assert!(certify_parts(program, vec![part(program, &[0, 1])]).is_err());
    let mixed = vec![part(program, &[0]), part(other, &[1, 2])];
    assert!(certify_parts(program, mixed).is_err());
    // A checker for another program says nothing about this one.
    let asked = Asked::of(program, ids(&[0]));
    let stranger = Checker::new(program);
    let result = certify_part(&asked, &stranger, Proof::unrolling(4), &budget);
    assert!(matches!(
        result,
        Err(NotAccepted::Proof(Rejected::Invalid(_)))
    ));
}
