//! Proofs that are right for mathematical integers and wrong for C: each is rejected, and the part of it that C agrees with is accepted.

use crate::support::Written;

/// The formulas would be an inductive proof if no operation wrapped.
fn rejected(text: &str, line: u32, formulas: &[&str]) {
    let message = Written::new(text).at(line, formulas).fails();
    assert!(message.contains("an obligation does not hold"), "{message}");
}

#[test]
fn unsigned_sums_wrap() {
    let text = "int main() { unsigned x = 1;\n while (__VERIFIER_nondet_bool()) x = x + 2;\n \
        if (x == 0) __VERIFIER_error();\n if (x < 1) __VERIFIER_error(); }";
    rejected(text, 2, &["(>= x 1)"]);
    Written::new(text).at(2, &["(= (mod x 2) 1)"]).accepted();
}

#[test]
fn three_does_not_divide_a_power_of_two() {
    let text = "int main() { unsigned x = 0;\n while (__VERIFIER_nondet_bool()) x += 3;\n \
        if (x % 3) __VERIFIER_error(); }";
    rejected(text, 2, &["(= (mod x 3) 0)"]);
}

#[test]
fn unsigned_differences_wrap() {
    let text = "int main() { unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();\n \
        while (__VERIFIER_nondet_bool()) { unsigned t = x - y; if (t > x) __VERIFIER_error(); } }";
    rejected(text, 2, &["(>= x 0)", "(>= y 0)"]);
    Written::new(
        text.replace("unsigned t", "if (y > x) continue; unsigned t")
            .as_str(),
    )
    .at(2, &["(>= x 0)"])
    .accepted();
}

#[test]
fn unsigned_products_wrap() {
    let text = "int main() { unsigned x = 1;\n while (__VERIFIER_nondet_bool()) x = x * 3;\n \
        if (x == 4294967295u) __VERIFIER_error();\n if (x > 100 && x < 101) __VERIFIER_error(); }";
    // Powers of three are 1 or 0 modulo 3, but not modulo 2^32; they are 1 or 3 modulo 8, though.
    rejected(text, 2, &["(or (= x 1) (= (mod x 3) 0))"]);
    Written::new(text)
        .at(2, &["(or (= (mod x 8) 1) (= (mod x 8) 3))"])
        .accepted();
}

#[test]
fn narrowing_casts_lose_bits() {
    let text = "int main() { int n = __VERIFIER_nondet_int(); if (n < 0) return 0; int i = 0; unsigned char c = 0;\n \
        while (i < n) { i++; c = (unsigned char)i; }\n if (c != i) __VERIFIER_error(); }";
    rejected(text, 2, &["(= c i)", "(<= i n)", "(<= 0 i)"]);
    Written::new(text.replace("n < 0", "n < 0 || n > 255").as_str())
        .at(2, &["(= c i)", "(<= i n)", "(<= 0 i)", "(<= n 255)"])
        .accepted();
}

#[test]
fn narrowing_to_signed_changes_the_sign() {
    let text = "int main() { int i = 0; signed char c = 0;\n while (i < 200) { i++; c = (signed char)i; }\n \
        if (c < 0) __VERIFIER_error(); }";
    rejected(text, 2, &["(= c i)", "(<= 0 i)", "(<= i 200)"]);
}

#[test]
fn sums_of_characters_wrap() {
    let text = "int main() { char c = 0; unsigned n = 0;\n while (n < 1000) { c += 1; n++; }\n \
        if (c < 0) __VERIFIER_error(); }";
    rejected(text, 2, &["(<= 0 c)", "(= c n)", "(<= n 1000)"]);
    // The sum itself is one of ints: it does not wrap before it is stored.
    Written::new(
        "int main() { char c = 0; int s = 0;\n while (__VERIFIER_nondet_bool()) { c = __VERIFIER_nondet_char(); s = c + c; }\n \
         if (s < -256 || s > 254) __VERIFIER_error(); }",
    )
    .at(2, &["(<= (- 256) s)", "(<= s 254)"])
    .accepted();
}

#[test]
fn unsigned_comparisons_with_minus_one() {
    // i < -1 compares with 2^32 - 1, so the loop is entered.
    let text = "int main() { unsigned i = 0; int entered = 0;\n while (i < -1 && entered < 1) { entered++; }\n \
        if (entered) __VERIFIER_error(); }";
    rejected(text, 2, &["(= entered 0)", "(= i 0)"]);
    Written::new(text.replace("if (entered)", "if (!entered)").as_str())
        .at(2, &["(= i 0)", "(<= 0 entered)", "(<= entered 1)"])
        .accepted();
}

#[test]
fn a_negative_length_is_a_large_one() {
    let text = "int main() { int n = __VERIFIER_nondet_int(); unsigned i = 0; if (n > 10) return 0;\n \
        while (i < n) i++;\n if (i > 10) __VERIFIER_error(); }";
    rejected(text, 2, &["(<= i 10)", "(<= n 10)"]);
    Written::new(text.replace("n > 10", "n > 10 || n < 0").as_str())
        .at(2, &["(<= i n)", "(<= n 10)", "(<= 0 n)"])
        .accepted();
}

#[test]
fn shifts_lose_bits() {
    let text = "int main() { unsigned x = 1; unsigned n = 0;\n while (n < 40) { x = x << 1; n++; }\n \
        if (x == 0) __VERIFIER_error(); }";
    rejected(text, 2, &["(> x 0)", "(<= n 40)"]);
    Written::new(text.replace("40", "31").as_str())
        .at(
            2,
            &[
                "(= x (bv2nat (bvshl (_ bv1 32) ((_ int2bv 32) n))))",
                "(<= n 31)",
            ],
        )
        .accepted();
}

#[test]
fn shifts_of_negative_numbers_round_down() {
    // -1 >> 1 is -1, and -1 / 2 is 0.
    let text = "int main() { int x = -5;\n while (__VERIFIER_nondet_bool()) x = x >> 1;\n \
        if (x >= 0) __VERIFIER_error(); }";
    Written::new(text).at(2, &["(< x 0)"]).accepted();
    rejected(&text.replace("x >> 1", "x / 2"), 2, &["(< x 0)"]);
}

#[test]
fn remainders_of_negatives_are_negative() {
    // In mathematics x mod 4 is from 0 on.
    let text = "int main() { int x = __VERIFIER_nondet_int(), r = 0;\n \
        while (__VERIFIER_nondet_bool()) { r = x % 4; if (x > -1000000) x = x - 1; }\n if (r < 0) __VERIFIER_error(); }";
    rejected(text, 2, &["(<= 0 r)", "(< r 4)"]);
    Written::new(text.replace("r < 0", "r < -3").as_str())
        .at(2, &["(< (- 4) r)", "(< r 4)"])
        .accepted();
}

#[test]
fn masks_of_negatives() {
    // x & 7 is from 0 on even for a negative x, x % 8 is not.
    let text = "int main() { int x = __VERIFIER_nondet_int(), r = 0;\n \
        while (__VERIFIER_nondet_bool()) { r = x & 7; x = __VERIFIER_nondet_int(); }\n if (r < 0 || r > 7) __VERIFIER_error(); }";
    Written::new(text)
        .at(2, &["(<= 0 r)", "(<= r 7)"])
        .accepted();
    rejected(
        &text.replace("x & 7", "x % 8"),
        2,
        &["(<= 0 r)", "(<= r 7)"],
    );
}

#[test]
fn the_least_number_is_its_own_negative() {
    let text = "int main() { unsigned u = __VERIFIER_nondet_uint();\n \
        while (__VERIFIER_nondet_bool()) { int x = (int)u; int y = (int)(0u - u); if (x < 0 && y < 0) __VERIFIER_error(); u++; } }";
    rejected(text, 2, &["(<= 0 u)"]);
}

#[test]
fn mixed_comparisons_are_unsigned() {
    let text = "int main() { int x = __VERIFIER_nondet_int(); unsigned y = 1; if (x >= 1) return 0;\n \
        while (__VERIFIER_nondet_bool()) { if (x > y) __VERIFIER_error(); } }";
    rejected(text, 2, &["(< x 1)", "(= y 1)"]);
    Written::new(text.replace("x > y", "x > (int)y").as_str())
        .at(2, &["(< x 1)", "(= y 1)"])
        .accepted();
}

#[test]
fn signed_overflow_ends_the_run() {
    // Here mathematics is right: a run that would overflow is no run any more.
    Written::new(
        "int main() { int x = 1;\n while (__VERIFIER_nondet_bool()) x = x + 1;\n if (x < 1) __VERIFIER_error(); }",
    )
    .at(2, &["(>= x 1)"])
    .accepted();
}
