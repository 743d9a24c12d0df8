//! Programs as text and as pictures.

use std::sync::Arc;

use rhumb_program::*;

use crate::generate::{add_object, add_var};
use crate::sketch::{INT, Sketch};

fn example() -> Program {
    let mut sketch = Sketch::new(&[("main", 0, false), ("half", 1, true)]);
    let source = "unsigned g = 3;\nint main() {\n  while (1) ;\n}\n";
    sketch.program.sources = Arc::new(SourceMap::new("loop.c", Arc::from(source.as_bytes())));
    let u32_type = Type::Int(IntType::unsigned(32));
    let g = add_var(&mut sketch.program, "g", u32_type, Scope::Global);
    sketch.program.vars[g].init = Some(sketch.program.exprs.int(IntType::unsigned(32), 3));
    let text = add_object(&mut sketch.program, "text", Scope::Global);
    sketch.program.objects[text].read_only = true;
    sketch.program.objects[text].init.push(Init::Bytes {
        offset: 0,
        bytes: (*b"a\"\n\0").into(),
    });
    sketch.body("main", |body| {
        let (x, shadow) = (body.local("x"), body.local("g"));
        body.input(x);
        let head = body.cfa.add_location(LocKind::Plain);
        body.cfa.locations[head].loop_statement = Some(Span::new(31, 42));
        body.goto(head);
        body.at = head;
        let (value, wide) = (body.var(x), body.var(g));
        let cast = body.program.exprs.cast(u32_type, value);
        let sum = body.binary(BinOp::Add, cast, wide);
        let three = body.program.exprs.int(IntType::unsigned(32), 3);
        let masked = body.binary(BinOp::And, sum, three);
        let cond = body.binary(BinOp::Le, masked, wide);
        let no = body.branch(cond);
        let overflow = body.program.exprs.overflows(ArithOp::Add, value, value);
        let ub = body.cfa.add_location(LocKind::Ub(UbKind::SignedOverflow));
        let fine = body.cfa.add_location(LocKind::Plain);
        body.assume(overflow, ub, fine);
        body.at = fine;
        body.call("half", Some(shadow), &[value]);
        body.goto(head);
        body.at = no;
        let target = body.target();
        body.goto(target);
    });
    sketch.body("half", |body| {
        let p = body.program.functions[body.id].params[0];
        let (p, two) = (body.var(p), body.int(2));
        let value = body.binary(BinOp::Div, p, two);
        body.returns(Some(value));
    });
    sketch.finish()
}

#[test]
fn a_program_as_text() {
    let expected = r#"// data model LP64
var g: u32 = 3                                            // loop.c:1
const text: 4 bytes, i32 = {0: "a\"\n\x00"}               // loop.c:1

fn main() {  // start                                     // loop.c:1
    var x: i32                                            // loop.c:1
    var g.3: i32                                          // loop.c:1
  l0:  // entry
    x = input in0 nondet_int()                   -> l2    // loop.c:1
  l1:  // exit
  l2:
    skip                                         -> l3    // loop.c:1
  l3:  // loop at loop.c:3
    [(((u32)x + g) & 3) <= g]                    -> l4    // loop.c:1
    [(((u32)x + g) & 3) > g]                     -> l5    // loop.c:1
  l4:
    [overflows(x + x)]                           -> l6    // loop.c:1
    [!overflows(x + x)]                          -> l7    // loop.c:1
  l5:
    skip                                         -> l9    // loop.c:1
  l6:  // undefined: signed overflow
  l7:
    g.3 = half(x)                                -> l8    // loop.c:1
  l8:
    skip                                         -> l3    // loop.c:1
  l9:  // target t0: assertion
}

fn half(p0: i32) -> i32 {                                 // loop.c:1
  l0:  // entry
    return p0 / 2                                -> l1    // loop.c:1
  l1:  // exit
}
"#;
    assert_eq!(example().to_text(), expected);
}

#[test]
fn a_program_as_a_picture() {
    let program = example();
    let shown = program.to_dot(DotOptions::default());
    let all = program.to_dot(DotOptions {
        undefined_behaviour: true,
    });
    assert!(!shown.contains("undefined") && all.contains("undefined: signed overflow"));
    assert!(shown.contains("subgraph cluster_0 {\n    label=\"main\";"));
    assert!(shown.contains("f0_l9 [label=\"l9\\ntarget t0: assertion\", fillcolor=red];"));
    assert!(shown.contains("f0_l3 [label=\"l3\\nloop at loop.c:3\", peripheries=2];"));
    assert_eq!(shown.matches('{').count(), shown.matches('}').count());
}

#[test]
fn labels_are_escaped() {
    let mut program = example();
    program.functions[0].name = Arc::from("a\"b\\c\nd\u{1}");
    let dot = program.to_dot(DotOptions::default());
    assert!(dot.contains("label=\"a\\\"b\\\\c\\nd\u{fffd}\""), "{dot}");
}

#[test]
fn expressions_need_few_parentheses() {
    let mut program = example();
    let x = VarId::from_raw(2);
    let exprs = &mut program.exprs;
    let x = exprs.var(x, INT);
    let one = exprs.int(IntType::INT, 1);
    let minus = exprs.int(IntType::INT, -1);
    let mut cases = Vec::new();
    let sum = exprs.binary(BinOp::Add, x, one);
    cases.push((exprs.binary(BinOp::Mul, sum, x), "(x + 1) * x"));
    let product = exprs.binary(BinOp::Mul, x, x);
    cases.push((exprs.binary(BinOp::Sub, product, sum), "x * x - (x + 1)"));
    cases.push((exprs.binary(BinOp::Sub, sum, product), "x + 1 - x * x"));
    let less = exprs.binary(BinOp::Lt, sum, x);
    let not = exprs.unary(UnOp::Not, less);
    cases.push((not, "!(x + 1 < x)"));
    let both = exprs.binary(BinOp::And, less, not);
    cases.push((
        exprs.binary(BinOp::And, both, less),
        "x + 1 < x && !(x + 1 < x) && x + 1 < x",
    ));
    cases.push((
        exprs.binary(BinOp::Or, less, both),
        "x + 1 < x || (x + 1 < x && !(x + 1 < x))",
    ));
    let shifted = exprs.binary(BinOp::Shl, sum, one);
    cases.push((shifted, "(x + 1) << 1"));
    cases.push((exprs.binary(BinOp::Add, shifted, one), "((x + 1) << 1) + 1"));
    let negative = exprs.unary(UnOp::Neg, minus);
    cases.push((negative, "-(-1)"));
    let negative = exprs.unary(UnOp::Neg, x);
    cases.push((exprs.unary(UnOp::Neg, negative), "-(-x)"));
    let byte = Type::Int(IntType::unsigned(8));
    let narrow = exprs.cast(byte, sum);
    let constant = exprs.int(IntType::unsigned(8), 200);
    cases.push((
        exprs.binary(BinOp::Eq, narrow, constant),
        "(u8)(x + 1) == 200",
    ));
    cases.push((exprs.cast(INT, constant), "(i32)200u8"));
    let half = exprs.float(FloatType::F32, 0x3F00_0000);
    let two = exprs.float(FloatType::F64, 0x4000_0000_0000_0000);
    cases.push((half, "0.5f32"));
    cases.push((two, "2.0f64"));
    let null = exprs.null();
    cases.push((null, "null"));
    let four = exprs.int(IntType::signed(64), 4);
    cases.push((exprs.ptr_add(null, four), "null + 4"));
    let printer = Printer::new(&program);
    for (expr, text) in cases {
        assert_eq!(printer.expr(expr), text);
    }
}
