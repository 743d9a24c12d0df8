//! Programs with an error that is far away: the test gets there in a few steps.

use super::*;

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
