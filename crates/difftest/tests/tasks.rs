//! Outcomes of verification tasks under gcc.
#![allow(clippy::print_stdout)] // What was skipped is said.

mod common;

use std::path::Path;

use common::gcc_or_skip;
use rhumb_difftest::gcc::{Gcc, GccTasks, SignedOverflow};
use rhumb_difftest::model::DataModel;
use rhumb_difftest::outcome::{GccTask, Outcome, TaskSubject, UbClass};

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n\
    void abort(void);\nvoid reach_error(void);\n";

/// Runs a task on one input vector per element.
fn outcomes(
    gcc: &Gcc,
    model: DataModel,
    overflow: SignedOverflow,
    file: (&str, &str),
    vectors: &[&[i128]],
) -> Vec<Outcome> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file.0);
    std::fs::write(&path, file.1).unwrap();
    let task = GccTask {
        name: file.0.to_owned(),
        file: path,
        model,
        targets: vec!["reach_error".to_owned()],
    };
    let subject = GccTasks::reference(gcc, overflow);
    let open = subject.open(&task).unwrap();
    let vectors: Vec<Vec<i128>> = vectors.iter().map(|vector| vector.to_vec()).collect();
    open.run(&vectors, 100_000)
        .unwrap()
        .into_iter()
        .map(|run| run.outcome)
        .collect()
}

#[test]
fn all_outcomes() {
    let Some((gcc, models)) = gcc_or_skip(8) else {
        return;
    };
    let source = format!(
        "{DECLARATIONS}void reach_error(void) {{ abort(); }}\n\
         int main(void) {{\n\
           int unset;\n\
           switch (__VERIFIER_nondet_int()) {{\n\
             case 1: reach_error();\n\
             case 2: return 3;\n\
             case 3: abort();\n\
             case 4: __VERIFIER_assume(__VERIFIER_nondet_int() > 5); return 1;\n\
             case 5: for (;;) ;\n\
             case 6: return 2147483647 + __VERIFIER_nondet_int() > 0;\n\
             case 7: return unset;\n\
           }}\n\
         }}\n"
    );
    let vectors: [&[i128]; 9] = [&[], &[1], &[2], &[3], &[4, 6], &[4, 5], &[5], &[6, 1], &[7]];
    let expected = [
        Outcome::Exit(0),
        Outcome::TargetReached,
        Outcome::Exit(3),
        Outcome::Abort,
        Outcome::Exit(1),
        Outcome::AssumptionFailed,
        Outcome::StepLimit,
        Outcome::UndefinedBehaviour(UbClass::Unknown),
        Outcome::Exit(0),
    ];
    for model in models {
        let found = outcomes(
            &gcc,
            model,
            SignedOverflow::Undefined,
            ("all.c", &source),
            &vectors,
        );
        assert_eq!(found, expected, "{model}");
        let wrapped = outcomes(
            &gcc,
            model,
            SignedOverflow::Wraps,
            ("all.c", &source),
            &[&[6, 1]],
        );
        assert_eq!(wrapped, [Outcome::Exit(0)], "{model}");
    }
}

#[test]
fn the_target_is_noticed_wherever_it_is_defined() {
    let Some((gcc, models)) = gcc_or_skip(5) else {
        return;
    };
    for model in models {
        for (name, source) in [
            (
                "defined.c",
                "void reach_error() { }\nint main() { reach_error(); }\n",
            ),
            (
                "static.c",
                "static void reach_error(void) { }\nint main() { reach_error(); }\n",
            ),
            (
                "declared.c",
                "extern void reach_error(void);\nint main() { reach_error(); }\n",
            ),
            ("implicit.c", "int main() { reach_error(); }\n"),
            (
                "pointer.i",
                "# 1 \"x.c\"\nvoid reach_error() { }\nint main() { void (*f)() = reach_error; f(); }\n",
            ),
        ] {
            let found = outcomes(
                &gcc,
                model,
                SignedOverflow::Undefined,
                (name, source),
                &[&[]],
            );
            assert_eq!(found, [Outcome::TargetReached], "{model} {name}");
        }
        let unused = "static void reach_error(void) { }\nint main() { return 4; }\n";
        let found = outcomes(
            &gcc,
            model,
            SignedOverflow::Undefined,
            ("unused.c", unused),
            &[&[]],
        );
        assert_eq!(found, [Outcome::Exit(4)], "{model}");
    }
}

#[test]
fn headers_and_undefined_functions() {
    let Some((gcc, models)) = gcc_or_skip(2) else {
        return;
    };
    let source = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n\
        extern unsigned char __VERIFIER_nondet_uchar(void); extern _Bool __VERIFIER_nondet_bool();\n\
        extern short somebody_elses(char *, int); extern int elsewhere; extern void nothing(int);\n\
        int main(int argc, char *argv[]) {\n\
          char *text = malloc(4); strcpy(text, \"abc\"); nothing(1);\n\
          assert(__VERIFIER_nondet_uchar() < 10);\n\
          if (__VERIFIER_nondet_bool()) return somebody_elses(text, 1) + elsewhere + argc;\n\
          return (int)strlen(text); }\n";
    let vectors: [&[i128]; 3] = [&[10], &[256 + 9, 0], &[9, 512, 77]];
    for model in models {
        let found = outcomes(
            &gcc,
            model,
            SignedOverflow::Undefined,
            ("headers.c", source),
            &vectors,
        );
        assert_eq!(
            found,
            [Outcome::Abort, Outcome::Exit(3), Outcome::Exit(77)],
            "{model}"
        );
    }
}

#[test]
fn task_definitions_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.yml");
    std::fs::write(
        &path,
        "format_version: '2.0'\n# a comment\ninput_files: 't.i'\nproperties:\n  - property_file: ../p.prp\n    expected_verdict: false\n\
         options:\n  language: C\n  data_model: ILP32\n",
    )
    .unwrap();
    let task = GccTask::read(&path).unwrap();
    assert_eq!(task.file, folder.path().join("t.i"));
    assert_eq!(task.model, DataModel::Ilp32);
    std::fs::write(&path, "input_files: [a.c, b.c]\n").unwrap();
    assert!(GccTask::read(&path).is_err());
    assert!(GccTask::read(Path::new("/nowhere/t.yml")).is_err());
}
