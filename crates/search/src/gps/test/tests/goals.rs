//! Programs with an error that is far away: the test gets there in a few steps.

use std::fmt::Write;

use super::*;
use crate::runs::Taken;

/// The test finds the error, and executes no more than so many blocks, with and without gas.
fn finds(name: &str, text: &str, most: u64) {
    for gas in [false, true] {
        let Tested {
            end,
            statistics,
            time,
            is_confirmed,
        } = test(text, gas);
        println!("{name}, gas {gas}: {end:?} {statistics:?} in {time:?}");
        assert!(is_confirmed, "{name}, gas {gas}: {end:?}");
        assert!(
            statistics.steps <= most,
            "{name}, gas {gas}: {statistics:?}"
        );
    }
}

#[test]
fn the_length_of_a_loop_costs_nothing() {
    for bound in ["10", "10000", "1000000", "2147483647"] {
        let text = format!(
            "int main(void) {{
               int n = __VERIFIER_nondet_int();
               int i = 0, lines = 0;
               while (i < n) {{ lines = lines + 1; i = i + 1; }}
               if (lines >= {bound}) reach_error();
               return 0;
             }}"
        );
        finds(bound, &text, 12);
    }
}

#[test]
fn loops_in_loops_whose_inner_lengths_change() {
    let text = "int main(void) {
      unsigned a, b, c, d, e;
      unsigned uint32_max = 0xffffffff;
      for (a = 0; a < uint32_max - 1; ++a)
        for (b = 0; b < uint32_max - 1; ++b)
          for (c = 0; c < uint32_max - 1; ++c)
            for (d = 0; d < uint32_max - 1; ++d)
              for (e = 0; e < uint32_max - 1; ++e)
                if ((a == b) && (b == c) && (c == d) && (d == e) && (e == (uint32_max - 2)))
                  reach_error();
      return 0;
    }";
    let tested = test(text, false);
    println!("{:?} in {:?}", tested.statistics, tested.time);
    assert!(tested.is_confirmed);
    assert!(tested.statistics.steps <= 5000, "{:?}", tested.statistics);
}

#[test]
fn inputs_that_are_the_same_in_every_round() {
    finds(
        "leave at the right time",
        "int main(void) {
           int x = 0;
           while (__VERIFIER_nondet_int()) x++;
           if (x == 1000000) reach_error();
           return 0;
         }",
        12,
    );
    finds(
        "two phases",
        "int main(void) {
           int x = 0, y = 0;
           while (__VERIFIER_nondet_int()) { if (x < 1000) x++; else y++; }
           if (y == 500000) reach_error();
           return 0;
         }",
        24,
    );
    finds(
        "a step that is an input",
        "int main(void) {
           int x = 0;
           while (x < 1000000) {
             int step = __VERIFIER_nondet_int();
             if (step < 1 || step > 3) return 0;
             x += step;
           }
           if (x == 1000001) reach_error();
           return 0;
         }",
        64,
    );
}

#[test]
fn periods() {
    finds(
        "every third round is another one",
        "int main(void) {
           unsigned i = 0, odd = 0, n = __VERIFIER_nondet_uint();
           while (i < n) { if (i % 3 == 1) odd++; i++; }
           if (odd == 12345678) reach_error();
           return 0;
         }",
        40,
    );
}

#[test]
fn what_never_repeats_itself_is_executed() {
    // A generator of pseudo-random numbers: no jump, and no way to the end but to go there.
    let text = "int main(void) {
      unsigned x = 1, i;
      for (i = 0; i < 300000; i++) x = x * 1664525u + 1013904223u;
      if (x != 12345u) reach_error();
      return 0;
    }";
    let tested = test(text, false);
    println!("{:?} in {:?}", tested.statistics, tested.time);
    assert!(tested.is_confirmed);
    assert!(tested.statistics.steps > 300_000);
    assert_eq!(tested.statistics.queries, 0);
    // So a step must not cost much memory.
    assert!(size_of::<Taken>() <= 24, "{}", size_of::<Taken>());
}

#[test]
fn a_loop_without_end_ends_the_test() {
    let text = "int main(void) {
      unsigned x = __VERIFIER_nondet_uint();
      while (x != 7) x = x | 8;
      reach_error();
      return 0;
    }";
    let tested = test(text, false);
    println!(
        "{:?} {:?} in {:?}",
        tested.end, tested.statistics, tested.time
    );
    assert!(tested.statistics.steps < 1000, "{:?}", tested.statistics);
}

/// A program whose loops read inputs, and an error behind them.
fn reading(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from("int main(void) {\n  int a = 0, b = 0, c = 0;\n");
    let _ = writeln!(text, "  unsigned n = __VERIFIER_nondet_uint();");
    for _ in 0..1 + random.below(2) {
        let condition = random.pick(&[
            "__VERIFIER_nondet_int()",
            "__VERIFIER_nondet_uchar() < 200",
            "n-- > 0",
            "c < 5000",
        ]);
        let _ = writeln!(text, "  while ({condition}) {{");
        if random.chance(40) {
            text.push_str("    int d = __VERIFIER_nondet_uchar();\n    if (d > 3) return 0;\n");
        } else {
            text.push_str("    int d = 1;\n");
        }
        for _ in 0..1 + random.below(3) {
            let number = random.within(1, 4);
            let statement = match random.below(6) {
                0 => format!("if (__VERIFIER_nondet_int()) a += {number}; else b++;"),
                1 => format!(
                    "if (a < {}) a++; else b += {number};",
                    random.within(1, 500)
                ),
                2 => "b += d;".to_owned(),
                3 => format!("if (b % 2) a += {number};"),
                4 => format!("b = a + {number};"),
                _ => format!("a += {number};"),
            };
            let _ = writeln!(text, "    {statement}");
        }
        text.push_str("    c++;\n    if (c > 100000) return 0;\n  }\n");
    }
    let (first, second) = (random.within(0, 3000), random.within(0, 400));
    let goal = match random.below(4) {
        0 => format!("a == {first}"),
        1 => format!("a >= {first} && b >= {second}"),
        2 => format!("a + b == {first}"),
        _ => format!("b > {second} && c > {first}"),
    };
    let _ = writeln!(text, "  if ({goal}) reach_error();\n  return 0;\n}}");
    text
}

#[test]
fn what_is_found_is_found_by_the_interpreter() {
    const CASES: u64 = 10;
    let (mut goals, mut hopeful, mut total) = (0, 0, Statistics::default());
    for seed in 0..CASES {
        let text = reading(seed);
        for gas in [false, true] {
            let tested = test(&text, gas);
            let is_goal = matches!(tested.end, End::Goal(_));
            assert_eq!(is_goal, tested.is_confirmed, "{seed}, gas {gas}\n{text}");
            // Without a step the summary says that there is no error.
            hopeful += u64::from(tested.statistics.steps > 0);
            goals += u64::from(is_goal);
            total.steps += tested.statistics.steps;
            total.jumps += tested.statistics.jumps;
            total.queries += tested.statistics.queries;
            total.dead_ends += tested.statistics.dead_ends;
            if tested.statistics.steps > 0 {
                println!(
                    "{seed}, gas {gas}: {:?} {:?}",
                    tested.end, tested.statistics
                );
            }
        }
    }
    println!("{goals} of {hopeful} tests found an error: {total:?}");
    assert!(
        goals > CASES / 2 && goals * 2 > hopeful,
        "{goals} of {hopeful}"
    );
}
