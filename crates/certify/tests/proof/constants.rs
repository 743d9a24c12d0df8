//! What the checker evaluates by itself: operations on floating-point constants, bits of bit-fields, addresses of
//! functions. A program without loops is proved by nothing at all exactly if that is right; what is off by one is not.

use rhumb_certify::proof::check;
use rhumb_logic::Budget;

use crate::support::Written;

/// Whether the checker accepts a proof, whatever others say.
fn is_accepted(written: &Written) -> bool {
    check(&written.program, &written.proof, &Budget::unlimited()).is_ok()
}

fn proved(text: &str) {
    Written::new(&format!("int main() {{ {text} }}")).accepted();
}

fn not_proved(text: &str) {
    let message = Written::new(&format!("int main() {{ {text} }}")).fails();
    assert!(message.contains("an obligation does not hold"), "{message}");
}

/// A condition that holds of what was declared, and one that doesn't.
fn exactly(declared: &str, holds: &str, fails: &str) {
    proved(&format!("{declared} if (!({holds})) __VERIFIER_error();"));
    not_proved(&format!("{declared} if (!({fails})) __VERIFIER_error();"));
}

#[test]
fn comparisons_of_floats() {
    exactly("double x = 1.5, y = 2.5;", "x < y", "y < x");
    exactly("double x = 1.5, y = 2.5;", "x <= y", "x == y");
    exactly("float x = 0.1f;", "x == 0.1f", "x == 0.1");
    exactly("long double x = 1.5L;", "x > 1.25L", "x > 1.5L");
    // Zeros are equal, and no NaN is equal to anything.
    exactly("double x = -0.0;", "x == 0.0", "x < 0.0");
    exactly("double x = __builtin_nan(\"\");", "x != x", "x == x");
    exactly("double x = __builtin_inf();", "x > 1e308", "x < 1e308");
}

#[test]
fn arithmetic_on_floats() {
    exactly("double x = 0.1, y = 0.2;", "x + y != 0.3", "x + y == 0.3");
    exactly(
        "double x = 1.0, y = 3.0;",
        "x / y * y == 1.0",
        "x / y > 0.34",
    );
    exactly("float x = 16777216.0f;", "x + 1.0f == x", "x + 2.0f == x");
    exactly("double x = 1.5;", "-x < 0", "-x > 0");
    exactly(
        "int n = 16777217; float x = n;",
        "x == 16777216.0f",
        "x > 16777216.0f",
    );
    exactly("double x = -2.75; int n = x;", "n == -2", "n == -3");
    exactly("_Bool b = 0.1;", "b == 1", "b == 0");
    exactly("double x = 0.1; float y = x;", "y != x", "y == x");
}

/// A NaN that is computed has some pattern, and nobody says which; who executes one run knows.
#[test]
fn patterns_of_computed_nans_are_open() {
    for pattern in ["0xfff8000000000000ul", "0x7ff8000000000000ul"] {
        let text = format!(
            "int main() {{ union {{ double d; unsigned long u; }} v; double z = 0.0; v.d = z / z; if (v.u != {pattern}) __VERIFIER_error(); }}"
        );
        assert!(!is_accepted(&Written::new(&text)), "{text}");
    }
}

/// Which way sums are rounded is not known where a program changes it.
#[test]
fn directions_of_rounding() {
    let text = |set: &str| {
        format!(
            "extern int fesetround(int); int main() {{ {set} double x = 1.0, y = 3.0, q = x / y; if (q != 1.0 / 3.0) __VERIFIER_error(); }}"
        )
    };
    Written::new(&text("")).accepted();
    Written::new(&text("fesetround(0x800);")).fails();
}

#[test]
fn floats_that_depend_on_inputs() {
    not_proved(
        "int n = __VERIFIER_nondet_int(); double x = n > 3 ? 1.5 : 2.5; if (x > 2.0) __VERIFIER_error();",
    );
}

/// What a formula says of a float at a loop is believed there, and has to be shown.
#[test]
fn floats_at_loops() {
    let text = "int main() { double x = 1.5;\n while (__VERIFIER_nondet_bool()) x = x * 1.0;\n if (x != 1.5) __VERIFIER_error(); }";
    let is_proved =
        |text: &str, formulas: &[&str]| is_accepted(&Written::new(text).at(2, formulas));
    let [right, wrong] = [1.5f64, 2.5].map(|value| format!("(= x {})", value.to_bits()));
    assert!(is_proved(text, &[&right]));
    assert!(!is_proved(text, &[]));
    assert!(!is_proved(text, &[&wrong]));
    assert!(!is_proved(text, &[&right, &wrong]));
    assert!(!is_proved(&text.replace("x * 1.0", "x * 2.0"), &[&right]));
    assert!(!is_proved(&text.replace("= 1.5;", "= 2.5;"), &[&right]));
    // One of two is no constant.
    assert!(!is_proved(text, &[&format!("(or {right} {wrong})")]));
    assert!(!is_proved(text, &[&format!("(not {wrong})")]));
}

#[test]
fn bits_of_bit_fields() {
    let declared = "struct { unsigned a : 3; int b : 4; unsigned long c : 40; } s[2], *p = &s[__VERIFIER_nondet_uint() % 2]; \
        p->a = __VERIFIER_nondet_uint(); p->b = __VERIFIER_nondet_int(); p->c = __VERIFIER_nondet_long();";
    exactly(declared, "p->a < 8", "p->a < 7");
    exactly(declared, "p->b <= 7", "p->b <= 6");
    exactly(declared, "p->b >= -8", "p->b >= -7");
    exactly(declared, "p->c < 1ul << 40", "p->c < (1ul << 40) - 1");
}

#[test]
fn addresses_of_functions() {
    let text = |condition: &str| {
        format!(
            "static int f(int x) {{ return x; }} static int g(int x) {{ return x + 1; }} \
             int main() {{ int (*p)(int) = f, (*q)(int) = __VERIFIER_nondet_bool() ? f : g; if (!({condition})) __VERIFIER_error(); }}"
        )
    };
    for holds in ["p == f", "p != g", "p", "q", "q == f || q == g"] {
        Written::new(&text(holds)).accepted();
    }
    for fails in [
        "p == g",
        "q == f",
        "q != f",
        "(unsigned long)p < (unsigned long)g",
    ] {
        Written::new(&text(fails)).fails();
    }
}
