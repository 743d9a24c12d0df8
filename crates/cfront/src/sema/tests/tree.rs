//! What the typed tree says about small texts.

use rhumb_program::DataModel;

use super::validate::broken_promises;
use super::{Analysed, MODELS, analyse, gcc, unsupported};
use crate::ctypes::{ArrayLen, CType};
use crate::hir::{
    Body, ConstValue, ExprKind, Function, Global, InitPiece, LocalInit, StaticInit, Stmt, StmtKind,
};

/// Analyses a text that has no mistake.
fn valid(text: &str) -> Analysed {
    let result = analyse(text.as_bytes(), DataModel::Lp64);
    assert_eq!(result.errors(), Vec::<String>::new(), "{text}");
    assert_eq!(broken_promises(&result), Vec::<String>::new(), "{text}");
    result
}

fn global<'a>(result: &'a Analysed, name: &str) -> &'a Global {
    let found = result
        .unit
        .globals
        .iter()
        .find(|global| &*global.name == name);
    found.expect("the test declares the global")
}

fn function<'a>(result: &'a Analysed, name: &str) -> &'a Function {
    let found = result
        .unit
        .functions
        .iter()
        .find(|function| &*function.name == name);
    found.expect("the test declares the function")
}

fn body<'a>(result: &'a Analysed, name: &str) -> &'a Body {
    function(result, name)
        .body
        .as_ref()
        .expect("the test defines the function")
}

/// The value of a static scalar at an offset.
fn scalar_at(global: &Global, wanted: u64) -> Option<ConstValue> {
    global.init.iter().flatten().find_map(|piece| match piece {
        StaticInit::Scalar { offset, value, .. } if *offset == wanted => Some(*value),
        _ => None,
    })
}

#[test]
fn programs_with_every_feature_are_accepted_by_us_and_by_gcc() {
    for text in [include_str!("features.c"), include_str!("oddities.c")] {
        for model in MODELS {
            let result = analyse(text.as_bytes(), model);
            assert_eq!(result.errors(), Vec::<String>::new(), "{model}");
            assert_eq!(broken_promises(&result), Vec::<String>::new(), "{model}");
            if gcc::is_available() {
                assert_eq!(gcc::check(text, model), Ok(()), "{model}");
            }
        }
    }
}

#[test]
fn equal_string_literals_are_one_read_only_object() {
    let result = valid("const char *a = \"one\", *b = \"one\", *c = \"two\";");
    let target = |name| match scalar_at(global(&result, name), 0) {
        Some(ConstValue::Global(id, 0)) => id,
        other => panic!("{name} is {other:?}"),
    };
    assert_eq!(target("a"), target("b"));
    assert_ne!(target("a"), target("c"));
    assert!(result.unit.globals[target("a")].read_only);
}

#[test]
fn addresses_are_constants() {
    let text = "struct s { int x; int list[4]; } object; int f(int);\n\
        int *a = &object.list[2], *b = object.list + 1; int (*c)(int) = f; unsigned long d = (unsigned long)&object + 4;\n\
        long e = &object.list[3] - &object.list[0]; unsigned long g = (unsigned long)&((struct s *)0)->list[1]; _Bool h = &object;";
    let result = valid(text);
    let object = result
        .unit
        .globals
        .position(|global| &*global.name == "object")
        .expect("it is declared");
    let value = |name| scalar_at(global(&result, name), 0);
    assert_eq!(value("a"), Some(ConstValue::Global(object, 12)));
    assert_eq!(value("b"), Some(ConstValue::Global(object, 8)));
    assert!(matches!(value("c"), Some(ConstValue::Function(_))));
    assert_eq!(value("d"), Some(ConstValue::Global(object, 4)));
    assert_eq!(value("e"), Some(ConstValue::Bits(3)));
    assert_eq!(value("g"), Some(ConstValue::Bits(8)));
    assert_eq!(value("h"), Some(ConstValue::Bits(1)));
}

#[test]
fn a_static_local_is_a_global_named_after_its_function() {
    let result = valid("int f(void) { static int count = 3; return count++; }");
    assert_eq!(
        scalar_at(global(&result, "f.count"), 0),
        Some(ConstValue::Bits(3))
    );
}

#[test]
fn declarations_of_one_name_are_merged() {
    let text = "extern int a[]; int a[3]; extern int a[]; int b; static int c; extern int c; int f(); int f(int, char *);\n\
        extern int only_declared; int g(void) { extern int a[3]; return a[0]; }";
    let result = valid(text);
    let a = global(&result, "a");
    assert!(matches!(
        result.unit.types.get(a.ty.ty),
        CType::Array(_, ArrayLen::Known(3))
    ));
    assert_eq!(
        result
            .unit
            .globals
            .iter()
            .filter(|global| &*global.name == "a")
            .count(),
        1
    );
    assert!(
        ["a", "b", "c"]
            .iter()
            .all(|name| global(&result, name).init.is_some())
    );
    assert!(global(&result, "only_declared").init.is_none());
    let CType::Function(f) = result.unit.types.get(function(&result, "f").ty) else {
        panic!("a function has a function type");
    };
    assert_eq!((f.params.len(), f.unspecified), (2, false));
}

#[test]
fn a_value_for_a_range_of_elements_is_evaluated_once() {
    let result = valid("int g(void); void f(void) { int a[4] = { [1 ... 3] = g() }; }");
    let body = body(&result, "f");
    let Some(Stmt {
        kind:
            StmtKind::Declare {
                init: LocalInit::Pieces(pieces),
                ..
            },
        ..
    }) = body.block.stmts.first()
    else {
        panic!("the declaration has an initialiser");
    };
    let offsets: Vec<u64> = pieces
        .iter()
        .filter_map(|piece| match piece {
            InitPiece::Scalar { offset, .. }
            | InitPiece::Bytes { offset, .. }
            | InitPiece::Record { offset, .. } => Some(*offset),
            InitPiece::Effect(_) => None,
        })
        .collect();
    assert_eq!(offsets, [4, 8, 12]);
    let calls = body
        .exprs
        .iter()
        .filter(|expr| matches!(expr.kind, ExprKind::Call { .. }));
    assert_eq!(calls.count(), 1);
}

#[test]
fn a_flexible_array_lies_behind_its_struct() {
    let result = valid("struct s { int n; char text[]; } x = { 1, \"ab\" };");
    let x = global(&result, "x");
    assert_eq!(result.unit.types.size_of(x.ty.ty), Some(4));
    let found = x.init.iter().flatten().any(
        |piece| matches!(piece, StaticInit::Bytes { offset: 4, bytes } if **bytes == *b"ab\0"),
    );
    assert!(found, "{:?}", x.init);
}

#[test]
fn an_array_of_variable_length_has_its_size_as_an_expression() {
    let result = valid("int f(int n) { int a[n][n + 1]; return sizeof a; }");
    let body = body(&result, "f");
    let kinds: Vec<&StmtKind> = body.block.stmts.iter().map(|stmt| &stmt.kind).collect();
    // Two lengths, then the array.
    assert!(matches!(
        kinds[..],
        [
            StmtKind::Expr(_),
            StmtKind::Expr(_),
            StmtKind::Declare {
                init: LocalInit::Variable { .. },
                ..
            },
            StmtKind::Return(_)
        ]
    ));
}

#[test]
fn taking_an_address_is_noted() {
    let text = "int x, y, a[2]; int f(int p, int q) { int *r = &x; r = &p; int z = y + q; return *r + z; }\n\
        int called(int v) { return v; } int passed(int v) { return called(v); } int (*pointer)(int) = passed;";
    let result = valid(text);
    assert!(global(&result, "x").addr_taken && !global(&result, "y").addr_taken);
    let locals = &body(&result, "f").locals;
    let taken: Vec<&str> = locals
        .iter()
        .filter(|local| local.addr_taken)
        .map(|local| &*local.name)
        .collect();
    assert_eq!(taken, ["p"]);
    assert!(function(&result, "passed").addr_taken && !function(&result, "called").addr_taken);
}

#[test]
fn what_is_not_handled_is_named() {
    let cases = [
        (
            "typedef float v __attribute__((vector_size(16))); v x; float f(void) { return x[0]; }",
            "vector type",
        ),
        ("_Complex double z; void f(void) { z = 1; }", "_Complex"),
        ("void f(int x) { asm(\"nop\"); }", "inline assembly"),
        (
            "int f(void) { return __builtin_frobnicate(1); }",
            "`__builtin_frobnicate`",
        ),
        (
            "int f(void) { return __sync_fetch_and_nand(&(int){1}, 2); }",
            "`__sync_fetch_and_nand`",
        ),
        (
            "void g(int *); void f(void) { int x __attribute__((cleanup(g))) = 1; }",
            "attribute `cleanup`",
        ),
        (
            "int h(void) __attribute__((ifunc(\"g\"))); int f(void) { return h(); }",
            "attribute `ifunc`",
        ),
    ];
    for (text, name) in cases {
        let found = unsupported(&valid(text).unit);
        assert!(found.iter().any(|what| what == name), "{text}: {found:?}");
    }
}

#[test]
fn types_that_are_not_handled_are_no_mistake() {
    let text = "typedef int v4si __attribute__((vector_size(16))); v4si add(v4si a, v4si b); _Complex float c; struct s { v4si v; int x; };\n\
        extern struct s object; int main(void) { return 0; }";
    assert_eq!(unsupported(&valid(text).unit), Vec::<String>::new());
}

#[test]
fn long_and_deep_expressions_are_no_problem() {
    let sum = vec!["1"; 100_000].join(" + ");
    let commas = vec!["x"; 50_000].join(", ");
    let links = "->n".repeat(50_000);
    let text = format!(
        "char a[{sum}]; _Static_assert(sizeof a == 100000, \"\"); struct s {{ struct s *n; }};\n\
         int f(int x, struct s *p) {{ x = {sum}; ({commas}); return p{links} == 0; }}"
    );
    valid(&text);
}

#[test]
fn types_that_nest_too_deeply_are_refused() {
    let stars = format!("int {}p;", "*".repeat(100_000));
    let arrays = format!("int a{};", "[1]".repeat(100_000));
    let mut records = "struct s0 { int x; };\n".to_string();
    for index in 1..2_000 {
        records.push_str(&format!(
            "struct s{index} {{ struct s{} x; }};\n",
            index - 1
        ));
    }
    for text in [stars, arrays, records] {
        let errors = analyse(text.as_bytes(), DataModel::Lp64).errors();
        assert!(
            errors
                .first()
                .is_some_and(|error| error.ends_with("nests too deeply")),
            "{errors:?}"
        );
    }
}
