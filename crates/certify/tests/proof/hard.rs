//! What linear arithmetic can't say: products, quotients and bits of variables.

use crate::support::Written;

#[test]
fn a_product_of_variables() {
    Written::new(
        "int main() { unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar(); int s = 0; unsigned char i = 0;\n \
         while (i < a) { s += b; i++; }\n if (s != a * b) __VERIFIER_error(); }",
    )
    .at(2, &["(<= i a)", "(= s (* i b))"])
    .accepted();
}

#[test]
fn a_square_that_wraps() {
    // (n + 1)^2 = n^2 + 2n + 1 modulo 2^32 as well.
    Written::new(
        "int main() { unsigned n = 0, s = 0;\n while (__VERIFIER_nondet_bool()) { s += 2 * n + 1; n++; }\n \
         if (s != n * n) __VERIFIER_error(); }",
    )
    .at(2, &["(= s (mod (* n n) 4294967296))"])
    .accepted();
}

#[test]
fn bits_of_two_variables() {
    Written::new(
        "int main() { unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar(), x = a, y = b;\n \
         while (__VERIFIER_nondet_bool()) { unsigned char t = x ^ y; y = (x & y) << 1; x = t; }\n \
         if ((unsigned char)(x + y) != (unsigned char)(a + b)) __VERIFIER_error(); }",
    )
    .at(2, &["(= (mod (- (+ x y) (+ a b)) 256) 0)"])
    .accepted();
}

#[test]
fn shifts_by_a_variable() {
    Written::new(
        "int main() { unsigned n = 0, x = 1;\n while (n < 20) { n++; x = x << 1; }\n \
         if (x != 1u << n) __VERIFIER_error();\n if (x >> n != 1) __VERIFIER_error(); }",
    )
    .at(
        2,
        &[
            "(<= n 20)",
            "(= x (bv2nat (bvshl (_ bv1 32) ((_ int2bv 32) n))))",
        ],
    )
    .accepted();
}

#[test]
fn the_lowest_bit() {
    let written = |keeps: &str| {
        Written::new(
            "int main() { unsigned x = __VERIFIER_nondet_uint(); if (x == 0) return 0;\n \
             while (__VERIFIER_nondet_bool()) { if (x & (x - 1)) x = x & (x - 1); }\n if (x == 0) __VERIFIER_error(); }",
        )
        .at(2, &[keeps])
    };
    written("(> x 0)").accepted();
    let message = written("(> x 1)").fails();
    assert!(
        message.contains("x > 1") || message.contains("x >= 2") || message.contains("2 <= x"),
        "{message}"
    );
}

#[test]
fn quotients_of_variables() {
    Written::new(
        "int main() { unsigned short a = __VERIFIER_nondet_ushort(), b = __VERIFIER_nondet_ushort(); if (b == 0) return 0;\n \
         unsigned q = a / b, r = a % b;\n while (__VERIFIER_nondet_bool()) { if (q == 0) break; q--; r += b; }\n \
         if (q * b + r != a) __VERIFIER_error(); }",
    )
    .at(3, &["(= (+ (* q b) r) a)"])
    .accepted();
}

#[test]
fn a_wide_product() {
    Written::new(
        "int main() { unsigned a = __VERIFIER_nondet_uint(); unsigned long p = (unsigned long)a * a; unsigned i = 0;\n \
         while (i < 3) i++;\n if ((unsigned)p != a * a) __VERIFIER_error(); }",
    )
    .at(2, &["(= p (* a a))"])
    .accepted();
}
