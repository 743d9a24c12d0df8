//! The gcc runner: what programs print, how they end, and the 32-bit runtime's arithmetic.
#![allow(clippy::print_stdout)] // What was skipped is said.

mod common;

use common::gcc_or_skip;
use rhumb_difftest::gcc::{Gcc, GccSubject};
use rhumb_difftest::model::DataModel;
use rhumb_difftest::subject::{Case, End, Observation, Subject};

fn run(gcc: &Gcc, model: DataModel, source: &str, inputs: &[i128]) -> (String, End) {
    let case = Case {
        source,
        model,
        inputs,
    };
    let Observation { output, end } = GccSubject::reference(gcc).run(&case).unwrap();
    (String::from_utf8(output).unwrap(), end)
}

#[test]
fn output_and_status() {
    let Some((gcc, models)) = gcc_or_skip(1) else {
        return;
    };
    for model in models {
        let source = "int printf(const char *, ...);\n\
            int main(void) { printf(\"%d %u %ld %lld %llu %x %c %s|%5d|%-4x|%03d\\n\", -1, -1, -2L, -3LL, -4LL, 255, 'q', \"text\", \
            42, 10, 7); return 300; }";
        let text = "-1 4294967295 -2 -3 18446744073709551612 ff q text|   42|a   |007\n";
        assert_eq!(
            run(&gcc, model, source, &[]),
            (text.to_owned(), End::Exit(44)),
            "{model}"
        );
    }
}

#[test]
fn ends_of_all_kinds_keep_the_output() {
    let Some((gcc, models)) = gcc_or_skip(4) else {
        return;
    };
    for model in models {
        let program = |end: &str| {
            format!(
                "int printf(const char *, ...); void exit(int); void abort(void);\n\
                 int main(void) {{ volatile int zero = 0; printf(\"before\\n\"); {end}; printf(\"after\\n\"); return 0; }}"
            )
        };
        for (statement, end) in [
            ("exit(7)", End::Exit(7)),
            ("abort()", End::Abort),
            ("*(volatile int *)zero = 1", End::Signal(11)),
            (
                "zero = 100 / zero",
                End::UndefinedBehaviour("division".to_owned()),
            ),
        ] {
            let (output, actual) = run(&gcc, model, &program(statement), &[]);
            assert_eq!(
                (output.as_str(), actual),
                ("before\n", end),
                "{model} {statement}"
            );
        }
    }
}

#[test]
fn inputs_come_in_the_order_of_the_calls() {
    let Some((gcc, models)) = gcc_or_skip(1) else {
        return;
    };
    let source = "int printf(const char *, ...);\n\
        int __VERIFIER_nondet_int(void); unsigned char __VERIFIER_nondet_uchar(void); _Bool __VERIFIER_nondet_bool(void);\n\
        long long __VERIFIER_nondet_longlong(void); float __VERIFIER_nondet_float(void); double __VERIFIER_nondet_double(void);\n\
        int main(void) { int i = __VERIFIER_nondet_int(); int c = __VERIFIER_nondet_uchar(); int b = __VERIFIER_nondet_bool();\n\
        long long l = __VERIFIER_nondet_longlong(); int f = __VERIFIER_nondet_float() * 2; int d = __VERIFIER_nondet_double() * 4;\n\
        printf(\"%d %d %d %lld %d %d %d\\n\", i, c, b, l, f, d, __VERIFIER_nondet_int()); return 0; }";
    let inputs = [
        -5,
        300,
        256,
        -(1 << 40),
        i128::from(1.5_f32.to_bits()),
        i128::from(0.25_f64.to_bits()),
    ];
    for model in models {
        let (output, _) = run(&gcc, model, source, &inputs);
        assert_eq!(output, "-5 44 1 -1099511627776 3 1 0\n", "{model}");
    }
}

#[test]
fn an_endless_program_is_stopped() {
    let Some((gcc, models)) = gcc_or_skip(1) else {
        return;
    };
    if let Some(model) = models.first() {
        assert_eq!(
            run(&gcc, *model, "int main(void) { for (;;) ; }", &[]).1,
            End::Limit
        );
    }
}

#[test]
fn programs_in_a_batch_do_not_touch_each_other() {
    let Some((gcc, models)) = gcc_or_skip(3) else {
        return;
    };
    let program = |value: u32| {
        format!(
            "int printf(const char *, ...);\nstruct S {{ int x; }};\nenum {{ K = {value} }};\nstatic struct S g = {{K}};\n\
             int main(void) {{ printf(\"%d\\n\", g.x++); return g.x; }}\n"
        )
    };
    let sources = [
        program(1),
        program(2),
        "int main(void) { syntax error }".to_owned(),
    ];
    for model in models {
        let cases: Vec<Case<'_>> = sources
            .iter()
            .map(|source| Case {
                source,
                model,
                inputs: &[],
            })
            .collect();
        let results = GccSubject::reference(&gcc).run_all(&cases);
        assert_eq!(
            results[0],
            Ok(Observation {
                output: b"1\n".to_vec(),
                end: End::Exit(2)
            }),
            "{model}"
        );
        assert_eq!(
            results[1],
            Ok(Observation {
                output: b"2\n".to_vec(),
                end: End::Exit(3)
            }),
            "{model}"
        );
        assert!(results[2].is_err(), "{model}");
    }
}

/// The library functions for 64-bit arithmetic on i386, called by name, against the 64-bit machine.
#[test]
fn arithmetic_of_the_32_bit_runtime_is_exact() {
    let Some((gcc, models)) = gcc_or_skip(1) else {
        return;
    };
    if models.len() < 2 {
        println!("skipped 1 comparison: both data models are needed");
        return;
    }
    let [ilp32, lp64] =
        DataModel::ALL.map(|model| run(&gcc, model, include_str!("arithmetic.c"), &[]));
    assert_eq!(lp64.1, End::Exit(0));
    assert!(
        lp64.0.lines().count() > 3000,
        "only {} lines",
        lp64.0.lines().count()
    );
    let different = ilp32.0.lines().zip(lp64.0.lines()).find(|(a, b)| a != b);
    assert_eq!(different, None);
    assert_eq!(ilp32.0.len(), lp64.0.len());
}
