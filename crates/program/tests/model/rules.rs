//! Programs that break a rule are found out.

use rhumb_program::*;

use crate::generate::{self, add_object, add_var};
use crate::properties::numbers;
use crate::sketch::{INT, Sketch};

/// A program with something of everything: a global, an object, two functions, a branch, a call, a target.
fn sound() -> Program {
    let mut sketch = Sketch::new(&[("main", 0, false), ("f", 1, true)]);
    let g = add_var(&mut sketch.program, "g", INT, Scope::Global);
    sketch.program.vars[g].init = Some(sketch.program.exprs.int(IntType::INT, 3));
    let object = add_object(&mut sketch.program, "o", Scope::Local(FuncId::from_raw(0)));
    sketch.body("main", |body| {
        let x = body.local("x");
        body.input(x);
        body.step(Action::Enter(object));
        let ptr = body.program.exprs.addr_of(object);
        let access = Access::whole(INT);
        body.step(Action::Load {
            dst: x,
            ptr,
            access,
        });
        let (value, zero) = (body.var(x), body.int(0));
        let cond = body.binary(BinOp::Lt, value, zero);
        let no = body.branch(cond);
        body.call("f", Some(x), &[value]);
        body.exits();
        body.at = no;
        let target = body.target();
        body.goto(target);
    });
    sketch.body("f", |body| {
        let p = body.program.functions[body.id].params[0];
        let value = body.var(p);
        body.returns(Some(value));
    });
    sketch.finish()
}

fn edge_of(program: &Program, which: impl Fn(&Action) -> bool) -> EdgeId {
    let edges = &program.functions[0].cfa.edges;
    edges
        .position(|edge| which(&edge.action))
        .expect("the edge")
}

/// Breaks the program and expects a complaint with these words in it.
fn rejects(words: &str, break_it: impl FnOnce(&mut Program)) {
    let mut program = sound();
    break_it(&mut program);
    match program.validate() {
        Ok(()) => panic!("accepted: {words}"),
        Err(invalid) => assert!(
            invalid
                .problems
                .iter()
                .any(|problem| problem.contains(words)),
            "{words:?} not in {invalid}"
        ),
    }
}

#[test]
fn expressions() {
    rejects("doesn't come before it", |program| {
        let next = ExprId::from_usize(program.exprs.len());
        program.exprs.push(ExprKind::Cast(next), INT);
    });
    rejects("no such v99", |program| {
        program.exprs.var(VarId::from_raw(99), INT);
    });
    rejects("another type", |program| {
        program.exprs.var(VarId::from_raw(0), Type::Bool);
    });
    rejects("no such f7", |program| {
        program.exprs.func_addr(FuncId::from_raw(7));
    });
    rejects("gives no", |program| {
        let (a, b) = (program.exprs.int(IntType::INT, 1), program.exprs.bool(true));
        program.exprs.binary(BinOp::Add, a, b);
    });
    rejects("gives no", |program| {
        let a = program.exprs.int(IntType::INT, 1);
        program.exprs.push(ExprKind::Cast(a), Type::Bool);
    });
    rejects("gives no", |program| {
        let a = program.exprs.int(IntType::INT, 1);
        program.exprs.push(ExprKind::Cast(a), Type::Ptr);
    });
    rejects("gives no", |program| {
        program
            .exprs
            .push(ExprKind::Const(256), Type::Int(IntType::unsigned(8)));
    });
    rejects("gives no", |program| {
        let wide = IntType {
            width: 129,
            signed: false,
        };
        program.exprs.push(ExprKind::Const(0), Type::Int(wide));
    });
    rejects("gives no", |program| {
        let (a, b) = (program.exprs.null(), program.exprs.int(IntType::INT, 1));
        program.exprs.ptr_add(a, b);
    });
    rejects("deeper than", |program| {
        let mut expr = program.exprs.int(IntType::INT, 1);
        for _ in 0..=MAX_DEPTH {
            expr = program.exprs.unary(UnOp::Neg, expr);
        }
    });
    rejects("locals of several functions", |program| {
        let (p, x) = (program.functions[1].params[0], VarId::from_raw(2));
        let (p, x) = (program.exprs.var(p, INT), program.exprs.var(x, INT));
        program.exprs.binary(BinOp::Add, p, x);
    });
}

#[test]
fn tables() {
    rejects("a local with a first value", |program| {
        let value = program.exprs.int(IntType::INT, 1);
        program.vars[VarId::from_raw(2)].init = Some(value);
    });
    rejects("not constant", |program| {
        let value = program.exprs.var(VarId::from_raw(1), INT);
        program.vars[VarId::from_raw(1)].init = Some(value);
    });
    rejects("beyond its end", |program| {
        let object = add_object(program, "p", Scope::Global);
        program.objects[object].init.push(Init::Bytes {
            offset: 3,
            bytes: [1, 2].into(),
        });
    });
    rejects("start function has parameters", |program| {
        program.start = FuncId::from_raw(1);
    });
    rejects("doesn't stand for it", |program| {
        program.targets[0].location = program.functions[0].cfa.entry;
    });
    rejects("named twice", |program| {
        let param = program.functions[1].params[0];
        program.functions[1].params.push(param);
    });
}

#[test]
fn automata() {
    rejects("no such l99", |program| {
        program.functions[0].cfa.edges[0].target = LocId::from_raw(99);
    });
    rejects("is listed 2 times", |program| {
        let entry = program.functions[0].cfa.entry;
        let cfa = &mut program.functions[0].cfa;
        let edge = cfa.locations[entry].outgoing[0];
        cfa.locations[entry].outgoing.push(edge);
    });
    rejects("back to the entry", |program| {
        let entry = program.functions[0].cfa.entry;
        let edge = edge_of(program, |a| matches!(a, Action::Enter(_)));
        program.functions[0].cfa.edges[edge].target = entry;
    });
    rejects("doesn't lead to the exit", |program| {
        let at = program.functions[1].cfa.add_location(LocKind::Plain);
        program.functions[1].cfa.edges[0].target = at;
    });
    rejects("leads to the exit and doesn't return", |program| {
        program.functions[1].cfa.edges[0].action = Action::Skip;
    });
    rejects("doesn't lead to its end", |program| {
        let edge = edge_of(program, |a| matches!(a, Action::Exit { .. }));
        let target = program.targets[0].location;
        program.functions[0].cfa.edges[edge].target = target;
    });
    rejects("is no sink", |program| {
        let target = program.targets[0].location;
        let cfa = &mut program.functions[0].cfa;
        let next = cfa.add_location(LocKind::Plain);
        cfa.add_edge(target, Action::Skip, next, Span::default());
    });
    rejects("neither a sink", |program| {
        let edge = edge_of(program, |a| matches!(a, Action::Assume { .. }));
        let cfa = &mut program.functions[0].cfa;
        let source = cfa.edges[edge].source;
        cfa.locations[source].outgoing.swap(0, 1);
    });
    rejects("neither a sink", |program| {
        let edge = edge_of(program, |a| matches!(a, Action::Assume { .. }));
        let cond = program.exprs.bool(true);
        program.functions[0].cfa.edges[edge].action = Action::Assume { cond, holds: true };
    });
    rejects("neither a sink", |program| {
        let cfa = &mut program.functions[0].cfa;
        let nowhere = cfa.add_location(LocKind::Plain);
        cfa.edges[0].target = nowhere;
    });
    rejects("the exit is", |program| {
        program.functions[0].cfa.add_location(LocKind::Exit);
    });
}

#[test]
fn actions() {
    rejects("should be bool", |program| {
        let edge = edge_of(program, |a| matches!(a, Action::Assume { .. }));
        let zero = program.exprs.int(IntType::INT, 0);
        let cfa = &mut program.functions[0].cfa;
        for edge in cfa.locations[cfa.edges[edge].source].outgoing.clone() {
            if let Action::Assume { cond, .. } = &mut cfa.edges[edge].action {
                *cond = zero;
            }
        }
    });
    rejects("arguments for 1 parameters", |program| {
        let edge = edge_of(program, |a| matches!(a, Action::Call { .. }));
        if let Action::Call { args, .. } = &mut program.functions[0].cfa.edges[edge].action {
            *args = [].into();
        }
    });
    rejects("sets a local of another function", |program| {
        let param = program.functions[1].params[0];
        let edge = edge_of(program, |a| matches!(a, Action::Load { .. }));
        if let Action::Load { dst, .. } = &mut program.functions[0].cfa.edges[edge].action {
            *dst = param;
        }
    });
    rejects("mentions locals of another function", |program| {
        let param = program.functions[1].params[0];
        let value = program.exprs.var(param, INT);
        let edge = edge_of(program, |a| matches!(a, Action::Call { .. }));
        if let Action::Call { args, .. } = &mut program.functions[0].cfa.edges[edge].action {
            args[0] = value;
        }
    });
    rejects("returns None", |program| {
        program.functions[1].cfa.edges[0].action = Action::Return { value: None };
    });
    rejects("not an object of this function", |program| {
        program.objects[ObjectId::from_raw(0)].scope = Scope::Global;
    });
    rejects("BitRange", |program| {
        let edge = edge_of(program, |a| matches!(a, Action::Load { .. }));
        if let Action::Load { access, .. } = &mut program.functions[0].cfa.edges[edge].action {
            access.bits = Some(BitRange {
                offset: 8,
                width: 1,
            });
        }
    });
    rejects("no such in9", |program| {
        let edge = edge_of(program, |a| matches!(a, Action::Input { .. }));
        if let Action::Input { site, .. } = &mut program.functions[0].cfa.edges[edge].action {
            *site = InputSiteId::from_raw(9);
        }
    });
}

#[test]
fn many_problems_are_cut_short() {
    let mut program = sound();
    for _ in 0..1_000 {
        program.exprs.var(VarId::from_raw(99), INT);
    }
    let invalid = program.validate().expect_err("broken");
    assert_eq!(invalid.problems.len(), Invalid::MAX_PROBLEMS);
}

/// Whatever is done to a program's ids, checking it never panics.
#[test]
fn checking_never_panics() {
    let mut rejected = 0;
    for seed in 0..400u32 {
        let mut program = generate::program(&numbers(u64::from(seed), 300));
        let function = seed as usize % program.functions.len();
        let cfa = &mut program.functions[function].cfa;
        let wild = seed.wrapping_mul(2_654_435_761) % 40;
        let edge = EdgeId::from_usize(seed as usize % cfa.edges.len());
        match seed % 5 {
            0 => cfa.edges[edge].target = LocId::from_raw(wild),
            1 => cfa.edges[edge].source = LocId::from_raw(wild),
            2 => cfa.entry = LocId::from_raw(wild),
            3 => cfa.edges[edge]
                .action
                .for_each_expr_mut(|expr| *expr = ExprId::from_raw(wild * 10)),
            _ => cfa.locations[0].outgoing.push(EdgeId::from_raw(wild)),
        }
        rejected += usize::from(program.validate().is_err());
    }
    assert!(rejected > 250, "{rejected}");
}
