//! Programs that are no C, each with the message that it gets.

/// Texts with one mistake each, and the message with its line and column. gcc refuses them, too.
pub(super) const MISTAKES: &[(&str, &str)] = &[
    ("int f(void) { return x; }", "1:22: `x` is not declared"),
    (
        "int counter; int f(void) { return conter; }",
        "1:35: `conter` is not declared",
    ),
    (
        "int f(void) { int x = 1; int x = 2; return x; }",
        "1:30: `x` is declared again",
    ),
    (
        "int f(int a) { int a; return a; }",
        "1:20: `a` is declared again",
    ),
    ("int x; char *x;", "1:14: conflicting types for `x`"),
    (
        "int f(int); int f(char *);",
        "1:17: conflicting types for `f`",
    ),
    (
        "int f(void) { return 1; } int f(void) { return 2; }",
        "1:31: `f` is defined twice",
    ),
    ("int x = 1; int x = 2;", "1:16: `x` is defined twice"),
    (
        "static int f(void); int g(void) { return f(1); }",
        "1:42: too many arguments to `f`",
    ),
    (
        "int f(int a, int b); int g(void) { return f(1); }",
        "1:43: too few arguments to `f`",
    ),
    (
        "int f(int a, ...); int g(void) { return f(); }",
        "1:41: too few arguments to `f`",
    ),
    (
        "struct s { int a; } v; int f(void) { return v.b; }",
        "1:47: `struct s` has no member `b`",
    ),
    (
        "struct s { int alpha; } v; int f(void) { return v.alhpa; }",
        "1:51: `struct s` has no member `alhpa`",
    ),
    (
        "struct s *p; int f(void) { return p->a; }",
        "1:38: use of incomplete type `struct s`",
    ),
    (
        "struct s { int a; } *p; int f(void) { return p.a; }",
        "1:48: `struct s *` has no members",
    ),
    (
        "struct s { int a; } v; int f(void) { return v->a; }",
        "1:48: `->` needs a pointer to a struct or union, not `struct s`",
    ),
    (
        "int x; int f(void) { return x.a; }",
        "1:31: `int` has no members",
    ),
    (
        "int x; int f(void) { return *x; }",
        "1:29: `*` needs a pointer, not `int`",
    ),
    (
        "int x; int f(void) { return x[0]; }",
        "1:29: `[]` needs an array or a pointer, not `int`",
    ),
    (
        "int x; int f(void) { return x(); }",
        "1:29: `int` is not a function",
    ),
    (
        "int a[3]; int f(void) { return a[1.5]; }",
        "1:34: an array index can't have type `double`",
    ),
    (
        "struct s; struct s v;",
        "1:20: the type of `v` is never completed",
    ),
    (
        "int f(void) { struct s v; return 0; }",
        "1:24: the variable has incomplete type `struct s`",
    ),
    (
        "int f(void) { void v; return 0; }",
        "1:20: a variable can't have type `void`",
    ),
    (
        "int f(void) { 1 = 2; return 0; }",
        "1:15: this is not something that can be assigned to",
    ),
    (
        "int f(void) { const int x = 1; x = 2; return x; }",
        "1:32: `x` is `const` and can't be assigned to",
    ),
    (
        "int f(const int *p) { *p = 2; return 0; }",
        "1:23: a `const` object can't be assigned to",
    ),
    (
        "int f(const int *p) { (*p)++; return 0; }",
        "1:23: a `const` object can't be assigned to",
    ),
    (
        "struct s { const int a; } v, w; int f(void) { v = w; return 0; }",
        "1:47: `v` is `const` and can't be assigned to",
    ),
    (
        "int a[3], b[3]; int f(void) { a = b; return 0; }",
        "1:31: an array can't be assigned to",
    ),
    (
        "int f(void) { return &1; }",
        "1:22: `&` needs something that has an address",
    ),
    (
        "int f(void) { register int x; return *&x; }",
        "1:39: the address of register variable `x` is asked for",
    ),
    (
        "struct s { int a:3; } v; int *f(void) { return &v.a; }",
        "1:48: `&` can't be applied to a bit-field",
    ),
    (
        "struct s { int a:3; } v; int f(void) { return sizeof v.a; }",
        "1:47: `sizeof` of a bit-field",
    ),
    (
        "struct s { int a:33; };",
        "1:18: the bit-field is wider than its type",
    ),
    (
        "struct s { int a:-1; };",
        "1:18: the width of a bit-field can't be negative",
    ),
    (
        "struct s { int a:0; };",
        "1:18: a bit-field of width zero can't have a name",
    ),
    (
        "struct s { float a:3; };",
        "1:20: a bit-field can't have type `float`",
    ),
    ("struct s { int a; int a; };", "1:23: duplicate member `a`"),
    (
        "struct s { int a; }; struct s { int b; };",
        "1:22: redefinition of `struct s`",
    ),
    (
        "enum e { A }; enum e { B };",
        "1:15: redefinition of `enum e`",
    ),
    ("enum e { A, A };", "1:13: `A` is declared again"),
    (
        "struct s { int a; }; union s v;",
        "1:22: `s` is another kind of tag",
    ),
    (
        "struct s { struct s inner; };",
        "1:21: the member has incomplete type `struct s`",
    ),
    (
        "struct s { int a[]; int b; };",
        "1:16: a flexible array member must come last in a struct that has other members",
    ),
    (
        "struct s { int f(void); };",
        "1:16: a member can't be a function",
    ),
    (
        "int a[-1];",
        "1:7: the length of the array is negative or too large",
    ),
    (
        "int n; int a[n];",
        "1:14: the length of an array at file level must be constant",
    ),
    (
        "int a[1.5];",
        "1:7: the length of an array can't have type `double`",
    ),
    (
        "int f(void) { static int n; static int a[n]; return 0; }",
        "1:40: a static object can't have variable size",
    ),
    (
        "struct s { int x; } v; int f(void) { return v + 1; }",
        "1:45: `+` can't be applied to `struct s` and `int`",
    ),
    (
        "struct s { int x; } v; int f(void) { return -v; }",
        "1:45: `-` can't be applied to `struct s`",
    ),
    (
        "struct s { int x; } v; int f(void) { return !v; }",
        "1:46: the operand of `!` must be a number or a pointer, not `struct s`",
    ),
    (
        "struct s { int x; } v; int f(void) { if (v) return 1; return 0; }",
        "1:42: a condition must be a number or a pointer, not `struct s`",
    ),
    (
        "double d; int f(void) { return ~d; }",
        "1:32: `~` can't be applied to `double`",
    ),
    (
        "double d; int f(void) { return d % 2; }",
        "1:32: `%` can't be applied to `double` and `int`",
    ),
    (
        "double d; int f(void) { return d << 2; }",
        "1:32: `<<` can't be applied to `double` and `int`",
    ),
    (
        "int *p, *q; int f(void) { return p + q; }",
        "1:34: `+` can't be applied to `int *` and `int *`",
    ),
    (
        "int *p; char *q; int f(void) { return p - q; }",
        "1:39: `-` can't be applied to `int *` and `char *`",
    ),
    (
        "int *p; int f(void) { return p * 2; }",
        "1:30: `*` can't be applied to `int *` and `int`",
    ),
    (
        "struct s { int x; } v; int f(void) { return v; }",
        "1:45: incompatible types in return: `int` from `struct s`",
    ),
    (
        "struct s { int x; } v; int f(void) { v = 1; return 0; }",
        "1:42: incompatible types in assignment: `struct s` from `int`",
    ),
    (
        "struct s { int x; } v; struct t { int x; } w; int f(void) { v = w; return 0; }",
        "1:65: incompatible types in assignment: `struct s` from `struct t`",
    ),
    (
        "void g(void); int f(void) { return g(); }",
        "1:36: a `void` expression has no value to use",
    ),
    (
        "void g(void); int f(void) { int x = g(); return x; }",
        "1:37: a `void` expression has no value to use",
    ),
    (
        "void g(void); int h(int); int f(void) { return h(g()); }",
        "1:50: a `void` expression has no value to use",
    ),
    (
        "struct s { int x; } v; int f(void) { return (int)v; }",
        "1:45: `struct s` can't be cast to `int`",
    ),
    (
        "double d; int f(void) { return (int)(char *)d; }",
        "1:37: `double` can't be cast to `char *`",
    ),
    (
        "int f(void) { return 1 ? (struct s { int x; }){1} : 2; }",
        "1:22: the branches have types `struct s` and `int`",
    ),
    (
        "int f(int x) { switch (x) { case 1: case 1: return 0; } return 1; }",
        "1:37: duplicate case value",
    ),
    (
        "int f(int x) { switch (x) { case 1 ... 5: case 3: return 0; } return 1; }",
        "1:43: duplicate case value",
    ),
    (
        "int f(int x) { switch (x) { case x: return 0; } return 1; }",
        "1:34: a case label must be constant",
    ),
    (
        "int f(int x) { switch (x) { default: default: return 0; } return 1; }",
        "1:38: `switch` has two defaults",
    ),
    (
        "int f(double x) { switch (x) { case 1: return 0; } return 1; }",
        "1:27: `switch` needs an integer, not `double`",
    ),
    (
        "int f(void) { case 1: return 0; }",
        "1:15: `case` stands outside of a `switch`",
    ),
    (
        "int f(void) { default: return 0; }",
        "1:15: `default` stands outside of a `switch`",
    ),
    (
        "int f(void) { break; }",
        "1:15: `break` stands outside of a loop or `switch`",
    ),
    (
        "int f(void) { continue; }",
        "1:15: `continue` stands outside of a loop",
    ),
    (
        "int f(int x) { switch (x) { continue; } }",
        "1:29: `continue` stands outside of a loop",
    ),
    (
        "int f(void) { goto out; return 0; }",
        "1:15: label `out` is used but not defined",
    ),
    (
        "int f(void) { l: l: return 0; }",
        "1:18: label `l` is defined twice",
    ),
    (
        "int x = 1 / 0;",
        "1:9: division by zero in a constant expression",
    ),
    (
        "int g(void); int x = g();",
        "1:22: the initializer is not constant",
    ),
    ("int y; int x = y;", "1:16: the initializer is not constant"),
    ("int x = {};", "1:9: the initializer of a scalar is empty"),
    (
        "int a[2] = { [5] = 1 };",
        "1:14: the index is outside the array",
    ),
    (
        "int a[2] = { [-1] = 1 };",
        "1:14: the index is outside the array",
    ),
    (
        "int a[2] = 5;",
        "1:12: an array needs a list in braces or a string as initializer",
    ),
    (
        "struct s { int x; } v = { .y = 1 };",
        "1:28: `struct s` has no member `y`",
    ),
    (
        "struct s { int x; } v = 5;",
        "1:25: incompatible types in initialization: `struct s` from `int`",
    ),
    (
        "int a[3] = { .x = 1 };",
        "1:15: a member is named in the initializer of an array",
    ),
    (
        "struct s { int x; } v = { [0] = 1 };",
        "1:27: an index in the initializer of something that is not an array",
    ),
    (
        "int f(int n) { int a[n] = { 1 }; return 0; }",
        "1:20: an array of variable length can't be initialized",
    ),
    (
        "char s[] = 5;",
        "1:12: an array needs a list in braces or a string as initializer",
    ),
    (
        r#"int a[] = "abc";"#,
        "1:11: an array needs a list in braces or a string as initializer",
    ),
    (
        "int f(void) { goto l; return ({ l: 1; }); }",
        "1:15: `goto` jumps into a statement expression",
    ),
    (
        "int f(int n) { goto l; { int a[n]; l: return 1; } }",
        "1:16: `goto` jumps past the declaration of a type of variable size",
    ),
    (
        "int f(int n) { switch (n) { int a[n]; case 3: return 1; } return 0; }",
        "1:39: `switch` jumps past the declaration of a type of variable size",
    ),
    (
        "int f(int n) { switch (n) { default: return ({ case 2: 3; }); } }",
        "1:48: `switch` jumps into a statement expression",
    ),
    (
        r#"_Static_assert(0, "never");"#,
        "1:1: static assertion failed: never",
    ),
    (
        r#"_Static_assert(sizeof(int) == 3, "int is odd");"#,
        "1:1: static assertion failed: int is odd",
    ),
    (
        r#"int x; _Static_assert(x, "");"#,
        "1:23: the condition of a static assertion must be constant",
    ),
    (
        "enum e { A = 1.5 };",
        "1:14: an enumerator's value must be an integer, not `double`",
    ),
    (
        "int n; enum e { A = n };",
        "1:21: an enumerator's value must be constant",
    ),
    ("int f(void)[3];", "1:5: a function can't return an array"),
    (
        "int f(void)(void);",
        "1:5: a function can't return a function",
    ),
    (
        "int a[3](void);",
        "1:5: this declares an array of functions",
    ),
    ("void a[3];", "1:6: this declares an array of `void`"),
    (
        "struct s a[3];",
        "1:10: this declares an array whose elements have an incomplete type",
    ),
    (
        "int f(void) { return sizeof(struct nothing); }",
        "1:22: `sizeof` of the incomplete type `struct nothing`",
    ),
    (
        "int f(void) { return sizeof(int[]); }",
        "1:22: `sizeof` of the incomplete type `int[]`",
    ),
    (
        "typedef int T; typedef char T;",
        "1:29: `T` is declared again",
    ),
    (
        "typedef int T = 5;",
        "1:13: a typedef can't have an initializer",
    ),
    (
        "int f(void) { int x = 1; return _Generic(x, char: 1, float: 2); }",
        "1:33: `_Generic` has no association for `int`",
    ),
    (
        "int f(int x) { return _Generic(x, int: 1, int: 2); }",
        "1:43: `_Generic` has two fitting associations",
    ),
    (
        "int x = __builtin_offsetof(struct { int a; }, b);",
        "1:47: `struct <anonymous>` has no member `b`",
    ),
    (
        "struct s { int a; }; int f(void) { return __builtin_offsetof(struct s, b); }",
        "1:72: `struct s` has no member `b`",
    ),
    (
        "extern int x; static int x;",
        "1:26: `x` is `static` here and was not before",
    ),
    (
        "static int x; int x;",
        "1:19: `x` was `static` before and is not here",
    ),
    (
        "int f(void); static int f(void);",
        "1:25: `f` is `static` here and was not before",
    ),
    (
        "int f(void) { __auto_type x; return 0; }",
        "1:27: `__auto_type` needs a plain name and an initializer",
    ),
    (
        "int x = ({ 1; });",
        "1:9: a statement expression stands outside of a function",
    ),
    (
        "int f(a) int b; { return 0; }",
        "1:14: `b` is not a parameter",
    ),
    (
        "int f(void) { extern int x = 5; return x; }",
        "1:26: a block-scope `extern` can't have an initializer",
    ),
    (
        "register int x;",
        "1:14: `auto` and `register` can't stand at file level",
    ),
    (
        "int f(void) { int x[2] = { 1, 2 }; return x++; }",
        "1:43: `++` can't be applied to `int[2]`",
    ),
    (
        "int f(void v) { return 0; }",
        "1:7: a parameter can't have type `void`",
    ),
    (
        "struct s; int f(struct s v) { return 0; }",
        "1:26: the parameter has incomplete type `struct s`",
    ),
    (
        "struct s; struct s f(void) { }",
        "1:20: the function returns the incomplete type `struct s`",
    ),
    (
        "int f(void) { return __builtin_add_overflow(1, 2, 3); }",
        "1:22: the third argument of `__builtin_add_overflow` must be a pointer to an integer",
    ),
    (
        "int f(void) { struct s { int x; } v = { 1 }; switch (v) { } return 0; }",
        "1:54: `switch` needs an integer, not `struct s`",
    ),
    (
        "int f(void) { while ((struct s { int x; }){1}) ; return 0; }",
        "1:22: a condition must be a number or a pointer, not `struct s`",
    ),
    (
        "int f(int x) { for (; x; ) { int x = x; struct q y; } return 0; }",
        "1:50: the variable has incomplete type `struct q`",
    ),
    (
        "int f(void) { int (*p)(void) = f; return p(1); }",
        "1:42: too many arguments to this function",
    ),
    ("int a[2]; int *p = &a[f];", "1:23: `f` is not declared"),
    (
        "_Alignas(3) int x;",
        "1:10: the alignment 3 is not a power of two",
    ),
    (
        "int f(int *p) { return *p->x; }",
        "1:28: `int` has no members",
    ),
    (
        "int f(void) { int x; x.y = 1; return x; }",
        "1:24: `int` has no members",
    ),
    (
        r#"int f(void) { "abc" = 0; return 0; }"#,
        "1:15: an array can't be assigned to",
    ),
    (
        "int g(void); int f(void) { g() = 1; return 0; }",
        "1:28: this is not something that can be assigned to",
    ),
    (
        "int f(void) { int x; return x = (void)0; }",
        "1:39: a `void` expression has no value to use",
    ),
    (
        "void f(void) { int x[(char)300 - 45 - 1]; }",
        "1:22: the length of the array is negative or too large",
    ),
];
