use super::{check_expr, check_stmts};

#[test]
fn precedence_and_associativity() {
    check_expr("a + b * c - d", "(Sub (Add a (Mul b c)) d)");
    check_expr(
        "a || b && c | d ^ e & f == g < h << i + j * k",
        "(LogOr a (LogAnd b (BitOr c (BitXor d (BitAnd e (Eq f (Lt g (Shl h (Add i (Mul j k))))))))))",
    );
    check_expr(
        "a * b + c << d < e == f & g ^ h | i && j || k",
        "(LogOr (LogAnd (BitOr (BitXor (BitAnd (Eq (Lt (Shl (Add (Mul a b) c) d) e) f) g) h) i) j) k)",
    );
    check_expr("a / b % c", "(Rem (Div a b) c)");
    check_expr(
        "a != b >= c > d <= e >> f",
        "(Ne a (Le (Gt (Ge b c) d) (Shr e f)))",
    );
    check_expr("a = b += c ? d : e, f", "(, (= a (Add= b (? c d e))) f)");
    check_expr("a ? b ? c : d : e ? f : g", "(? a (? b c d) (? e f g))");
    check_expr("a ? b, c : d", "(? a (, b c) d)");
    check_expr("a ?: b", "(?: a b)");
    check_expr("(a, b), (c)", "(, (, a b) c)");
    check_expr(
        "a <<= b >>= c &= d ^= e |= f -= g *= h /= i %= j",
        "(Shl= a (Shr= b (BitAnd= c (BitXor= d (BitOr= e (Sub= f (Mul= g (Div= h (Rem= i j)))))))))",
    );
}

#[test]
fn unary_and_postfix() {
    check_expr("-a++ + ++*p", "(Add (Neg (post++ a)) (pre++ (Deref p)))");
    check_expr("!~+-&x", "(Not (BitNot (Plus (Neg (AddrOf x)))))");
    check_expr(
        "a->b.c[d](e, (f, g))--",
        "(post-- (call (index (. (-> a b) c) d) e (, f g)))",
    );
    check_expr("f()()", "(call (call f))");
    check_expr("a - -b - --c", "(Sub (Sub a (Neg b)) (pre-- c))");
    check_expr("a+++b", "(Add (post++ a) b)");
    check_expr("&&here", "(label here)");
    check_expr("a && &b", "(LogAnd a (AddrOf b))");
    check_expr("__extension__ a + b", "(Add a b)");
    check_expr("__real__ z + 1", "(Add (unsupported __real__) 1)");
}

#[test]
fn casts_and_sizes() {
    check_expr("x = (T) y + 1", "(= x (Add (cast [T] y) 1))");
    check_expr("(x) + 1", "(Add x 1)");
    check_expr("(T) (x)", "(cast [T] x)");
    check_expr(
        "(unsigned long *(*)[3]) -x",
        "(cast [ptr array[3] ptr ulong] (Neg x))",
    );
    check_expr("sizeof x", "(sizeof x)");
    check_expr("sizeof (x) + 1", "(Add (sizeof x) 1)");
    check_expr("sizeof (T) * 2", "(Mul (sizeof [T]) 2)");
    check_expr("sizeof (T *[2])", "(sizeof [array[2] ptr T])");
    check_expr("sizeof (x)->y", "(sizeof (-> x y))");
    check_expr("sizeof (T){1}.x", "(sizeof (. (literal [T] {1}) x))");
    check_expr("sizeof sizeof x++", "(sizeof (sizeof (post++ x)))");
    check_expr(
        "_Alignof(T) + __alignof__ x",
        "(Add (alignof [T]) (alignof x))",
    );
    check_expr(
        "(struct S){ .a = 1 }.a++",
        "(post++ (. (literal [struct S] {.a = 1}) a))",
    );
    check_expr("(T[]){1, 2}[0]", "(index (literal [array[] T] {1, 2}) 0)");
    check_expr("(const volatile T *) x", "(cast [ptr const volatile T] x)");
}

#[test]
fn built_in_forms() {
    check_expr(
        "__builtin_offsetof(struct S, a.b[2].c)",
        "(offsetof [struct S] .a.b[2].c)",
    );
    check_expr(
        "__builtin_offsetof(struct S, a->b)",
        "(offsetof [struct S] .a[0].b)",
    );
    check_expr(
        "__builtin_has_attribute(T, packed)",
        "(unsupported __builtin_has_attribute)",
    );
    check_expr("__builtin_va_arg(ap, T *)", "(va-arg ap [ptr T])");
    check_expr(
        "__builtin_types_compatible_p(T, int[3])",
        "(compatible [T] [array[3] int])",
    );
    check_expr("__builtin_choose_expr(1, a, b)", "(choose 1 a b)");
    check_expr(
        "_Generic(x, T: 1, char *: 2, default: 3)",
        "(generic x [T] 1 [ptr char] 2 [default] 3)",
    );
    check_expr(
        "__builtin_expect(!!(x), 0)",
        "(call __builtin_expect (Not (Not x)) 0)",
    );
    check_expr(
        "__builtin_convertvector(v, T)",
        "(unsupported __builtin_convertvector)",
    );
    check_expr(
        "__func__, __FUNCTION__, __PRETTY_FUNCTION__",
        "(, (, (function-name) (function-name)) (function-name))",
    );
}

#[test]
fn statement_expressions() {
    check_expr(
        "x = ({ int T = 1; T; })",
        "(= x (stmt-expr {(decl T: int = 1) T}))",
    );
    check_expr("({ ; }).a", "(. (stmt-expr {;}) a)");
    check_stmts("__extension__ ({ 1; }) + 2;", "(Add (stmt-expr {1}) 2)");
}
