//! Loops. `assume(c);?` ends runs where the condition doesn't hold, `check(c);!` is an error there.

/// Loops whose check never fails, by what it takes to see that.
pub(crate) const SAFE: &[(&str, &str)] = &[
    (
        "a sum of squares",
        "int n = __VERIFIER_nondet_int(); assume(n <= 1000);? long long y = 0, x = 0; while (y < n) { y = y + 1; x = x + y * y; } check(6 * x == 2 * y * y * y + 3 * y * y + y);!",
    ),
    (
        "factors of a common divisor",
        "long long x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); assume(x >= 1 && y >= 1);? long long a = x, b = y, p = 1, q = 0, r = 0, s = 1; \
          while (a != b) { if (a > b) { a -= b; p -= q; r -= s; } else { b -= a; q -= p; s -= r; } } check(q * x + s * y == a);!",
    ),
    (
        "a quotient by subtraction, of which the check says nothing in the loop",
        "int x = __VERIFIER_nondet_int(), d = __VERIFIER_nondet_int(); assume(x >= 0 && d >= 1);? long long q = 0, r = x; while (r >= d) { r -= d; q += 1; } check(q * d + r == x);!",
    ),
    (
        "a geometric sum",
        "long long z = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int(), x = 1, y = z; for (long long c = 1; c < k; c++) { x = x * z + 1; y = y * z; } check(x * (z - 1) == y - 1);!",
    ),
    (
        "even and positive",
        "int x = 2; while (__VERIFIER_nondet_int()) { if (x > 1000) { x = 2; } x = x + 2; } check(x % 2 == 0 && x > 0);!",
    ),
    (
        "a sum stays above its last part",
        "int x = 1, y = 0; while (y < 1000 && __VERIFIER_nondet_int()) { x = x + y; y = y + 1; } check(x >= y);!",
    ),
    (
        "counting by what comes in",
        "int i = 0, k; while (i < 1000000) { k = __VERIFIER_nondet_int(); assume(1 <= k && k < 10);? i = i + k; } check(i >= 1000000 && i < 1000010);!",
    ),
    (
        "counting by two",
        "int i = 0; while (i < 1000000) { i += 2; } check(i == 1000000);!",
    ),
    (
        "a symbolic step",
        "int k = __VERIFIER_nondet_int(); assume(0 <= k && k <= 10);? int i; for (i = 0; i < 1000000 * k; i += k) ; check(i == 1000000 * k);!",
    ),
    (
        "a step that changes once",
        "int x = 0, y = 50; while (x < 100) { if (x < 50) { x = x + 1; } else { x = x + 1; y = y + 1; } } check(y == 100);!",
    ),
    (
        "up, then down",
        "int x = 0, y = 0, up = 1; while (__VERIFIER_nondet_int()) { if (up) { x++; } else { x--; } if (x >= 10) up = 0; if (x <= 0) up = 1; } check(x >= -1 && x <= 11);!",
    ),
    (
        "two counters in step",
        "int a = 0, b = 0; while (__VERIFIER_nondet_int()) { assume(a < 1000000);? a++; b++; } check(a == b);!",
    ),
    (
        "two counters in step, on several ways",
        "int a = 0, b = 0; while (__VERIFIER_nondet_int()) { assume(a < 1000000);? if (__VERIFIER_nondet_int()) { a += 3; b += 3; } else { a++; b++; } } check(a == b);!",
    ),
    (
        "a sum that stays",
        "int n = __VERIFIER_nondet_int(); assume(n >= 0);? int x = n, y = 0; while (x > 0) { x--; y++; } check(y == n);!",
    ),
    (
        "three parts of a count",
        "unsigned n = __VERIFIER_nondet_uint(); unsigned i = 0, j = 0, k = 0, l = 0; while (l < n) { if (l % 3 == 0) i++; else if (l % 3 == 1) j++; else k++; l++; check(i + j + k == l);! }",
    ),
    (
        "a flag remembers",
        "int x = __VERIFIER_nondet_int(), seen = 0, i = 0; while (i < 100) { if (i == x) seen = 1; i++; } check(seen == 0 || x < 100);!",
    ),
    (
        "a flag remembers when",
        "int last = __VERIFIER_nondet_int(); assume(last > 0);? int st = 1, c; for (c = 0; c < 200000; c++) { if (c >= last) st = 0; } check(st == 0 || last >= 200000);!",
    ),
    (
        "nested counters",
        "int i = 0, j = 0, k = 0; while (i < 100) { j = 0; while (j < 50) { k++; j++; } i++; } check(i == 100);!",
    ),
    (
        "nested, with a total",
        "int i = 0, j = 0, t = 0; while (i < 1000) { t = 0; j = 0; while (j < i) { t++; j++; } check(t == i);! i++; }",
    ),
    (
        "nested, the inner one never beyond",
        "int n = __VERIFIER_nondet_int(); assume(0 < n && n < 1000);? int i = 0, j; while (i < n) { j = i; while (j < n) { check(i <= j);! j++; } i++; }",
    ),
    (
        "parity, on both ways",
        "unsigned x = 0, y = __VERIFIER_nondet_uint(); while (x < 99) { if (y % 2 == 0) x += 2; else x += 1; if (y % 2 == 0) x += 2; else x -= 3; } check(x % 2 == 0 || y % 2 != 0);!",
    ),
    (
        "a remainder through a wrap",
        "unsigned x = 0; while (__VERIFIER_nondet_int()) { x += 4; } check(x % 4 == 0);!",
    ),
    (
        "powers of two",
        "unsigned x = 0, y = 1; while (x < 6) { x++; y *= 2; } check(y % 3 != 0);!",
    ),
    (
        "a lock",
        "int lock = 0, old = 0, new = 1; assume(1);? while (new != old) { lock = 1; old = new; if (__VERIFIER_nondet_int()) { lock = 0; assume(new < 1000000);? new++; } } check(lock == 1);!",
    ),
    (
        "states of a machine",
        "int s = 0, n = 0; while (__VERIFIER_nondet_int()) { if (s == 0) { s = 1; n = 1; } else if (s == 1) { s = 2; n = 2; } else { s = 0; n = 0; } check(s == n);! }",
    ),
    (
        "a machine that stops in one state",
        "int s = 1, steps = 0; while (s != 5 && steps < 100) { if (s == 1) s = 3; else if (s == 3) s = 5; steps++; } check(s == 1 || s == 3 || s == 5);!",
    ),
    (
        "an index behind a bound",
        "int len = __VERIFIER_nondet_int(); assume(len >= 1);? int t = 0; len--; while (1) { if (t == len) break; if (__VERIFIER_nondet_int()) break; check(0 <= t && t <= len);! t++; } check(t <= len);!",
    ),
    (
        "two loops after each other",
        "int n = __VERIFIER_nondet_int(); assume(n > 0);? int i = 0, j = 0; while (i < n) i++; while (j < i) { check(j < n);! j++; } check(j == n);!",
    ),
    (
        "a maximum",
        "int m = 0, i = 0; while (i < 100) { int x = __VERIFIER_nondet_int(); if (x > m) m = x; i++; } check(m >= 0);!",
    ),
    (
        "twice as fast",
        "int i = 0, j = 0; while (i < 1000) { i++; j += 2; } check(j == 2000);!",
    ),
    (
        "a difference that grows",
        "int x = 0, y = 0; while (__VERIFIER_nondet_int()) { assume(x < 100000);? if (__VERIFIER_nondet_int()) { x++; } else { x += 2; y++; } } check(x >= y);!",
    ),
    (
        "several steps until it shows",
        "int a = 1, b = 0, c = 0; while (__VERIFIER_nondet_int()) { int t = a; a = b; b = c; c = t; } check(a + b + c == 1);!",
    ),
    (
        "values that move on",
        "int a = 0, b = 0, c = 0; while (__VERIFIER_nondet_int()) { c = b; b = a; a = __VERIFIER_nondet_int() ? 1 : 0; check(c != 7);! }",
    ),
    (
        "a bound by another variable",
        "int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(); assume(0 <= n && n <= m && m < 100000);? int i = 0; while (i < n) { i++; check(i <= m);! }",
    ),
    (
        "only under a flag",
        "unsigned i, j = 1, a = 0, b = 0; int flag = __VERIFIER_nondet_int(); if (flag) i = 0; else i = 1; while (__VERIFIER_nondet_int()) { a++; b += j - i; i += 2; if (i % 2 == 0) j += 2; else j++; } if (flag) { check(a == b);! }",
    ),
    (
        "a reset",
        "int x = 0, y = 0; while (__VERIFIER_nondet_int()) { x++; if (x == 10) { x = 0; y = !y; } check(x < 10 && (y == 0 || y == 1));! }",
    ),
    (
        "a pair of turns",
        "int turn = 0, x = 0; while (__VERIFIER_nondet_int()) { if (turn == 0) { x++; turn = 1; } else { x--; turn = 0; } check(x == turn);! }",
    ),
    (
        "coming down in threes",
        "int x = 300; while (x > 0) { x -= 3; } check(x == 0);!",
    ),
    (
        "the same loop twice",
        "int n = __VERIFIER_nondet_int(); assume(0 <= n && n < 10000);? int b = 0, i = 0, d = 0, j = 0; while (b < n) { b += 1; i++; } while (d < n) { d += 1; j++; } check(i == j);!",
    ),
    (
        "a multiple that wraps, beside a common divisor",
        "unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), x = a, y = b, u = b, v = a; \
          while (x != y) { check(x * u + y * v == 2 * a * b);! if (x > y) { x -= y; v += u; } else { y -= x; u += v; } } check(x * (u + v) == 2 * a * b);!",
    ),
    (
        "a quotient that is brought along with its remainder, modulo the period",
        "unsigned n = __VERIFIER_nondet_uint(), d = __VERIFIER_nondet_uint(); assume(d != 0);? unsigned q = n / d, r = n % d; \
          while (__VERIFIER_nondet_int()) { check(d * q + r == n);! r += d + 1 - q; q -= 1; d += 1; if (r > q) { r += d; q -= 1; } } check(n == r + q * d);!",
    ),
    (
        "a cube by differences that wraps",
        "unsigned n = 0, x = 0, y = 1, z = 6; \
          while (__VERIFIER_nondet_int()) { check(z == 6 * n + 6);! check(y == 3 * n * n + 3 * n + 1);! check(x == n * n * n);! n++; x += y; y += z; z += 6; } check(x == n * n * n);!",
    ),
    (
        "a geometric sum",
        "int z = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int(); assume(z >= 1 && k >= 1);? long long x = 1, y = z, c = 1; \
          while (c < k) { check(x * z - x - y + 1 == 0);! c++; x = x * z + 1; y = y * z; } check(x * z - x == y - 1);!",
    ),
];

/// The same kind of loops with checks that do fail.
pub(crate) const BROKEN: &[(&str, &str)] = &[
    (
        "a multiple that wraps, in one case another one",
        "unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), x = a, y = b, u = b, v = a; \
          while (x != y) { check(x * u + y * v == 2 * a * b);! if (x > y) { x -= y; v += u; } else { y -= x; u += v; if (y == 77) u++; } }",
    ),
    (
        "a product that wraps, compared with one that doesn't",
        "unsigned n = __VERIFIER_nondet_uint(), i = 0, s = 0; unsigned long long w = 0; \
          while (i != n) { check(s == i * n);! i++; s += n; w += n; } check(w == s);!",
    ),
    (
        "a cube by differences that wraps, in a wider type",
        "unsigned n = 0, x = 0, y = 1, z = 6; \
          while (__VERIFIER_nondet_int()) { check(z == 6 * n + 6);! check(y == 3 * n * n + 3 * n + 1);! n++; x += y; y += z; z += 6; } check(x == (unsigned long long)n * n * n);!",
    ),
    (
        "a sum of squares, one too late",
        "int n = __VERIFIER_nondet_int(); assume(n <= 1000);? long long y = 0, x = 0; while (y < n) { x = x + y * y; y = y + 1; } check(6 * x == 2 * y * y * y + 3 * y * y + y);!",
    ),
    (
        "factors of a common divisor, one of them not brought along",
        "long long x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); assume(x >= 1 && y >= 1);? long long a = x, b = y, p = 1, q = 0, r = 0, s = 1; \
          while (a != b) { if (a > b) { a -= b; p -= q; r -= s; } else { b -= a; q -= p; } } check(q * x + s * y == a);!",
    ),
    (
        "not always positive",
        "int x = 2; while (__VERIFIER_nondet_int()) { if (x > 1000) { x = -2; } x = x + 2; } check(x % 2 == 0 && x > 0);!",
    ),
    (
        "one way breaks the step",
        "int a = 0, b = 0; while (__VERIFIER_nondet_int()) { assume(a < 1000000);? if (a == 999) { a += 3; b += 2; } else { a++; b++; } } check(a == b);!",
    ),
    (
        "wraps round",
        "unsigned x = 0; while (__VERIFIER_nondet_int()) { x += 6; } check(x % 3 == 0);!",
    ),
    (
        "a flag that forgets",
        "int last = __VERIFIER_nondet_int(); int st = 1, c; for (c = 0; c < 200000; c++) { if (c >= last) st = 0; if (c == 199999) st = 1; } check(st == 0 || last >= 200000);!",
    ),
    (
        "late",
        "int i = 0; while (__VERIFIER_nondet_int()) { assume(i < 1000000);? i++; check(i != 70000);! }",
    ),
];
