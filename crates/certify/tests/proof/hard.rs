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

/// A multiple of two numbers beside their greatest common divisor; everything wraps.
const MULTIPLE: &str = "int main() { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), x = a, y = b, u = b, v = 0;\n \
     while (x != y) { if (x > y) { x -= y; v += u; } else { y -= x; u += v; } }\n \
     if (u * y + v * y != a * b) __VERIFIER_error(); }";

#[test]
fn polynomials_that_wrap() {
    let fact = |product: &str, period: u64| {
        format!("(= (mod (- (+ (* x u) (* y v)) {product}) {period}) 0)")
    };
    let period = 1 << 32;
    Written::new(MULTIPLE)
        .at(2, &[&fact("(* a b)", period)])
        .accepted();
    // Too little is known of half of the period, and more than the loop keeps of the double.
    for wrong in [
        fact("(* a b)", period / 2),
        fact("(* a b)", period * 2),
        fact("(* a a)", period),
    ] {
        let proof = Written::new(MULTIPLE).at(2, &[&wrong]);
        proof.check().expect_err("another period or product");
    }
    let broken = MULTIPLE.replace("v += u", "v += u + 1");
    let proof = Written::new(&broken).at(2, &[&fact("(* a b)", period)]);
    proof.check().expect_err("the loop doesn't keep it");
}

#[test]
fn remainders_by_a_variable_in_products() {
    let text = |step: &str| {
        format!(
            "int main() {{ unsigned n = __VERIFIER_nondet_uint(), d = __VERIFIER_nondet_uint(); if (d == 0) return 0;\n \
             unsigned q = n / d, r = n % d;\n while (__VERIFIER_nondet_bool()) {{ q--; r += {step}; }}\n \
             if (d * q * q + q * r != n * q) __VERIFIER_error(); }}"
        )
    };
    let fact = ["(= (mod (- (+ (* d q) r) n) 4294967296) 0)"];
    Written::new(&text("d")).at(3, &fact).accepted();
    let proof = Written::new(&text("q")).at(3, &fact);
    proof.check().expect_err("the loop doesn't keep it");
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

/// Greatest common divisors with their factors, by subtraction.
const EUCLID: &str = "int main() { long long x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); long long a = x, b = y, p = 1, q = 0, r = 0, s = 1;\n \
     while (a != b) { if (a > b) { a -= b; p -= q; r -= s; } else { b -= a; q -= p; s -= r; } }\n \
     if (q * x + s * y != a) __VERIFIER_error(); }";

#[test]
fn equations_between_products() {
    Written::new(EUCLID)
        .at(
            2,
            &[
                "(= a (+ (* y r) (* x p)))",
                "(= b (+ (* x q) (* y s)))",
                "(= (- (* p s) (* r q)) 1)",
            ],
        )
        .accepted();
    // Not one that the branches keep.
    Written::new(EUCLID)
        .at(
            2,
            &[
                "(= a (+ (* y r) (* x p)))",
                "(= b (+ (* x q) (* y s)))",
                "(= (- (* p s) (* r q)) (* p q))",
            ],
        )
        .check()
        .expect_err("the branches don't keep it");
}

#[test]
fn an_equation_that_has_to_be_multiplied() {
    let text = |exit: &str| {
        format!(
            "int main() {{ short n = __VERIFIER_nondet_short(); long long i = 0, s = 0;\n \
             while (i < n) {{ s += n; i++; }}\n if (n > 0 && s * s != {exit}) __VERIFIER_error(); }}"
        )
    };
    let facts = ["(= s (* i n))", "(or (<= n 0) (<= i n))"];
    Written::new(&text("(long long)n * n * n * n"))
        .at(2, &facts)
        .accepted();
    Written::new(&text("(long long)n * n * n"))
        .at(2, &facts)
        .check()
        .expect_err("another power");
}
