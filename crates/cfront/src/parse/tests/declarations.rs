use super::{check, check_last, check_stmts, messages};
use crate::diagnostic::Severity;

#[test]
fn basic_types_in_any_order() {
    for (text, ty) in [
        ("char", "char"),
        ("signed char", "schar"),
        ("char unsigned", "uchar"),
        ("short", "short"),
        ("int short signed", "short"),
        ("unsigned short int", "ushort"),
        ("signed", "int"),
        ("unsigned", "uint"),
        ("long int", "long"),
        ("long unsigned", "ulong"),
        ("long int long", "longlong"),
        ("unsigned long long int", "ulonglong"),
        ("__int128", "int128"),
        ("unsigned __int128", "uint128"),
        ("__int128_t", "int128"),
        ("__uint128_t", "uint128"),
        ("float", "float"),
        ("double long", "longdouble"),
        ("_Float32", "float"),
        ("_Float64", "double"),
        ("_Float32x", "double"),
        ("_Float64x", "longdouble"),
        ("_Float128", "float128"),
        ("__float128", "float128"),
        ("_Bool", "bool"),
        ("__signed__ int", "int"),
        ("_Complex double", "unsupported(_Complex)"),
        ("_Complex _Float64", "unsupported(_Complex)"),
        ("_Decimal64", "unsupported(_Decimal64)"),
        ("_BitInt(7) unsigned", "unsupported(_BitInt)"),
        ("unsigned const int volatile long", "const volatile ulong"),
        ("__builtin_va_list", "__builtin_va_list"),
        ("__auto_type", "auto-type"),
    ] {
        check(&format!("{text} x;"), &[&format!("(decl x: {ty})")]);
        check(
            &format!("static {text} x;"),
            &[&format!("(decl x: static {ty})")],
        );
        check(
            &format!("extern {text} x, *y;"),
            &[&format!("(decl x: extern {ty}; y: ptr extern {ty})")],
        );
    }
}

#[test]
fn storage_and_function_specifiers() {
    check(
        "int static const x = 1;",
        &["(decl x: static const int = 1)"],
    );
    check(
        "_Thread_local int a; extern __thread int b;",
        &["(decl a: thread int)", "(decl b: extern thread int)"],
    );
    check(
        "static __inline__ _Noreturn void f(void);",
        &["(decl f: fn() static inline noreturn void)"],
    );
    check(
        "_Alignas(16) _Alignas(double) char c;",
        &["(decl c: alignas(16) alignas(double) char)"],
    );
    check(
        "__extension__ typedef long long L; L x;",
        &["(decl L: typedef longlong)", "(decl x: L)"],
    );
    check(
        "_Atomic int a; _Atomic(int *) b; int * _Atomic c;",
        &[
            "(decl a: atomic int)",
            "(decl b: atomic typeof(ptr int))",
            "(decl c: atomic ptr int)",
        ],
    );
}

#[test]
fn declarators() {
    check("int *a[3];", &["(decl a: array[3] ptr int)"]);
    check("int (*a)[3];", &["(decl a: ptr array[3] int)"]);
    check("int a[2][3];", &["(decl a: array[2] array[3] int)"]);
    check(
        "int (*(*f)(int))(char);",
        &["(decl f: ptr fn(int) ptr fn(char) int)"],
    );
    check(
        "char *(*(**a[][8])())[];",
        &["(decl a: array[] array[8] ptr ptr fn(?) ptr array[] ptr char)"],
    );
    check(
        "void (*signal(int s, void (*h)(int)))(int);",
        &["(decl signal: fn(s: int, h: ptr fn(int) void) ptr fn(int) void)"],
    );
    check(
        "const int *const *volatile restrict_me;",
        &["(decl restrict_me: volatile ptr const ptr const int)"],
    );
    check(
        "int *__restrict__ p, ((x)), (*(q));",
        &["(decl p: restrict ptr int; x: int; q: ptr int)"],
    );
}

#[test]
fn parameters() {
    check("int f();", &["(decl f: fn(?) int)"]);
    check("int f(void);", &["(decl f: fn() int)"]);
    check(
        "int f(int, char *x, ...);",
        &["(decl f: fn(int, x: ptr char, ...) int)"],
    );
    check(
        "int f(int a[static const 3], int b[*], int c[const]);",
        &["(decl f: fn(a: array[3] int, b: array[*] int, c: array[] int) int)"],
    );
    check(
        "int f(int (*)(void), int (int), int g(char), int (*[])[2]);",
        &["(decl f: fn(ptr fn() int, fn(int) int, g: fn(char) int, array[] ptr array[2] int) int)"],
    );
    check(
        "int f(register int x, int n, int a[n + 1]);",
        &["(decl f: fn(x: register int, n: int, a: array[(Add n 1)] int) int)"],
    );
    // GNU C: names for the sizes of arrays, in front.
    check(
        "int f(int n, int m; int a[n][m], int n, int m);",
        &["(decl f: fn(a: array[n] array[m] int, n: int, m: int) int)"],
    );
    // A typedef name in parentheses is a parameter, not the name of one.
    check_last(
        "typedef int T; int f(int (T), T x, T);",
        "(decl f: fn(fn(T) int, x: T, T) int)",
    );
    // After a type, it is a name.
    check_last(
        "typedef int T; int f(int T, unsigned T2[T]);",
        "(decl f: fn(T: int, T2: array[T] uint) int)",
    );
}

#[test]
fn function_definitions() {
    check(
        "int f(int x) { return x; }",
        &["(fun f: fn(x: int) int {(return x)})"],
    );
    check(
        "int (*f(void))(int) { return 0; }",
        &["(fun f: fn() ptr fn(int) int {(return 0)})"],
    );
    check(
        "int f(a, b) int a; char *b, c; { return a; }",
        &["(fun f: fn(a, b, ?) int (decl a: int) (decl b: ptr char; c: char) {(return a)})"],
    );
    check(
        "static int f() {} ; ; int x;",
        &["(fun f: fn(?) static int {})", "(decl x: int)"],
    );
}

#[test]
fn implicit_int_is_a_warning() {
    let text = "const; static; int f(void) { volatile; } struct S { const; };";
    assert_eq!(messages(text, Severity::Error), [""; 0]);
    assert_eq!(messages(text, Severity::Warning).len(), 4);
    let text = "struct S { const a; } s; int x = (const *) sizeof(volatile [2]);";
    assert_eq!(messages(text, Severity::Error), [""; 0]);
    assert_eq!(messages(text, Severity::Warning).len(), 3);
    let text = "main() { static x; return x; }\nf(a) { auto y = a; return y; }";
    assert_eq!(messages(text, Severity::Error), [""; 0]);
    assert_eq!(
        messages(text, Severity::Warning),
        [
            "1:1: no type given: `int` is assumed",
            "1:10: no type given: `int` is assumed",
            "2:1: no type given: `int` is assumed",
            "2:8: no type given: `int` is assumed",
        ]
    );
}

#[test]
fn typedef_names_and_scopes() {
    // Shadowed by a variable, a parameter, an enumerator; in scope again afterwards.
    check_stmts(
        "{ int T = 1; T * T; } T * p;",
        "{(decl T: int = 1) (Mul T T)} (decl p: ptr T)",
    );
    check_last(
        "typedef int T; int f(int T) { return T * T; } T x;",
        "(decl x: T)",
    );
    check_last(
        "typedef int T; void f(void) { enum { T } e; T + 1; }",
        "(fun f: fn() void {(decl e: enum {T}) (Add T 1)})",
    );
    check_last(
        "typedef int T; void f(void) { for (int T = 0; T; ) T++; T x; }",
        "(fun f: fn() void {(for (decl T: int = 0) T - (post++ T)) (decl x: T)})",
    );
    // A typedef in a block.
    check_last(
        "int U; void f(void) { typedef int U; U * x; } int g(void) { return U * 2; }",
        "(fun g: fn() int {(return (Mul U 2))})",
    );
    // The name is in scope in its own initialiser, and members and labels are elsewhere.
    check_stmts("T T = sizeof(T);", "(decl T: T = (sizeof T))");
    check_last(
        "typedef int T; struct S { T T; int x[sizeof(T)]; }; T y;",
        "(decl y: T)",
    );
    check_stmts("T: x = 1; goto T;", "(label T) (= x 1) (goto T)");
    check_stmts("s.T = p->T;", "(= (. s T) (-> p T))");
    check_last(
        "typedef int T; struct T { int T; } x; enum E { A } T2; union T3 *u;",
        "(decl u: ptr union T3)",
    );
    // In parameters of a prototype only until its end.
    check_last("typedef int T; int f(int T, int y[T]); T z;", "(decl z: T)");
    // Older headers define these by themselves.
    check(
        "typedef float _Float32; typedef __float128 _Float128; _Float32 x;",
        &[
            "(decl _Float32: typedef float)",
            "(decl _Float128: typedef float128)",
            "(decl x: _Float32)",
        ],
    );
}

#[test]
fn records() {
    check(
        "struct S { int a, *b; unsigned c : 3, : 0; struct { int d; }; union U u; };",
        &[
            "(decl struct S {a: int, b: ptr int; c: uint : 3, uint : 0; struct {d: int}; u: union U})",
        ],
    );
    check(
        "struct E {}; struct F; union { int a; } x;",
        &[
            "(decl struct E {})",
            "(decl struct F)",
            "(decl x: union {a: int})",
        ],
    );
    check(
        "struct S { ; __extension__ int a;; _Static_assert(1, \"m\"); int f[]; } const s, *p;",
        &[
            "(decl s: const struct S {a: int; (static-assert 1 \"m\"); f: array[] int}; p: ptr const struct S {a: int; (static-assert 1 \"m\"); f: array[] int})",
        ],
    );
    check(
        "enum E { A, B = 3, C = B + 1, } e; enum E f; enum { D };",
        &[
            "(decl e: enum E {A, B = 3, C = (Add B 1)})",
            "(decl f: enum E)",
            "(decl enum {D})",
        ],
    );
}

#[test]
fn attributes_everywhere() {
    check(
        "__attribute__((noreturn)) void f(void) __attribute__((__nothrow__, __format__(printf, 1, 2)));",
        &["(decl f: fn() void @noreturn @nothrow @format(printf 1 2))"],
    );
    check(
        "struct __attribute__((packed)) S { int a __attribute__((aligned(8))); } __attribute__((aligned(sizeof(int) * 2))) x;",
        &["(decl x: struct S @packed @aligned((Mul (sizeof [int]) 2)) {a: int @aligned(8)})"],
    );
    check(
        "int __attribute__((mode(__DI__))) x __attribute__((unused)) = 1, __attribute__((used)) y;",
        &["(decl x: int @mode(__DI__) @unused = 1; y: int @mode(__DI__) @used)"],
    );
    check(
        "int (__attribute__((cdecl)) *p)(void), * __attribute__((aligned(4))) const q;",
        &["(decl p: ptr fn() int @cdecl; q: const ptr int @aligned(4))"],
    );
    check(
        "void f(int x __attribute__((unused)), __attribute__((nonnull)) int *);",
        &["(decl f: fn(x: int @unused, ptr int @nonnull) void)"],
    );
    check(
        "enum __attribute__((packed)) E { A __attribute__((deprecated)) = 1 } __attribute__((unused));",
        &["(decl enum E @packed @unused {A = 1})"],
    );
    check(
        "[[noreturn]] void f(void); [[gnu::packed, deprecated(\"x\")]] int y [[maybe_unused]];",
        &[
            "(decl f: fn() void @noreturn)",
            "(decl y: int @packed @deprecated(\"x\") @maybe_unused)",
        ],
    );
    // Arguments that are no expressions, names that are keywords, empty lists.
    check(
        "int x __attribute__((const, , vendor(int *, =), availability(macos, introduced=10.4.1)));",
        &["(decl x: int @const @vendor @availability)"],
    );
    check(
        "int f(void) __asm__(\"_f\" \"2\") __attribute__(()); int g(void) __attribute__((cold)) { return 0; }",
        &["(decl f: fn() int)", "(fun g: fn() int @cold {(return 0)})"],
    );
    check(
        "void f(int (__attribute__((mode(SI))) int x), int (__attribute__((cdecl)) *)(void));",
        &["(decl f: fn(fn(x: int @mode(SI)) int, ptr fn() int @cdecl) void)"],
    );
    check_last(
        "typedef int byte; int x __attribute__((mode(byte)));",
        "(decl x: int @mode(byte))",
    );
}

#[test]
fn typeof_specifiers() {
    check(
        "typeof(int *) a; __typeof__(a + 1) b; __typeof(int[3]) *c;",
        &[
            "(decl a: typeof(ptr int))",
            "(decl b: typeof((Add a 1)))",
            "(decl c: ptr typeof(array[3] int))",
        ],
    );
}

#[test]
fn initializers() {
    check("int a[] = { 1, 2, };", &["(decl a: array[] int = {1, 2})"]);
    check(
        "struct S s = { .a = 1, .b[2].c = { 3 }, d: 4, 5 };",
        &["(decl s: struct S = {.a = 1, .b[2].c = {3}, .d = 4, 5})"],
    );
    check(
        "int a[9] = { [1] = 1, [2 ... 4] = 2, [5] 3, [6][1] = 4 }, b[1] = {};",
        &[
            "(decl a: array[9] int = {[1] = 1, [2 ... 4] = 2, [5] = 3, [6][1] = 4}; b: array[1] int = {})",
        ],
    );
    check(
        "int a[2][2] = {{1}, {2, 3}};",
        &["(decl a: array[2] array[2] int = {{1}, {2, 3}})"],
    );
}

#[test]
fn other_external_declarations() {
    check(
        "asm(\"nop\"); __asm__ volatile (\"\"); _Static_assert(sizeof(int) == 4, \"int\" \"4\"); static_assert(1);",
        &[
            "(asm)",
            "(asm)",
            "(static-assert (Eq (sizeof [int]) 4) \"int4\")",
            "(static-assert 1)",
        ],
    );
    check(";;; int x;;", &["(decl x: int)"]);
    check("", &[]);
}
