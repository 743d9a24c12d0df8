//! Small programs that random ones rarely hit on, each with a trap for a careless pass. They are run before and after every pair of passes.

use rhumb_program::*;

use crate::generate::add_var;
use crate::properties::keeps_runs;
use crate::sketch::{Body, INT, Sketch};

/// Goes to a target if the variable has the value, and goes on if not.
fn fail_if(body: &mut Body<'_>, var: VarId, value: i128) {
    let (var, value) = (body.var(var), body.int(value));
    let cond = body.binary(BinOp::Eq, var, value);
    body.fails_if(cond);
}

/// Adds one to a variable.
fn increment(body: &mut Body<'_>, var: VarId) {
    let (value, one) = (body.var(var), body.int(1));
    let sum = body.binary(BinOp::Add, value, one);
    body.assign(var, sum);
}

#[test]
fn a_static_local_lives_from_call_to_call() {
    let mut sketch = Sketch::new(&[("main", 0, false), ("tick", 1, true)]);
    let n = add_var(&mut sketch.program, "n", INT, Scope::Global);
    sketch.body("main", |body| {
        let x = body.local("x");
        for round in 0..3 {
            let arg = body.int(round);
            body.call("tick", Some(x), &[arg]);
        }
        fail_if(body, x, 3);
        body.exits();
    });
    sketch.body("tick", |body| {
        // Two ways to the exit, with different values.
        let p = body.program.functions[body.id].params[0];
        let (value, one) = (body.var(p), body.int(1));
        let cond = body.binary(BinOp::Eq, value, one);
        let no = body.branch(cond);
        increment(body, n);
        let result = body.var(n);
        body.returns(Some(result));
        body.at = no;
        increment(body, n);
        let result = body.var(n);
        body.returns(Some(result));
    });
    keeps_runs(&sketch.finish());
}

#[test]
fn a_static_local_remembers_an_earlier_call() {
    let mut sketch = Sketch::new(&[("main", 0, false), ("swap", 1, true)]);
    let n = add_var(&mut sketch.program, "n", INT, Scope::Global);
    sketch.body("main", |body| {
        let x = body.local("x");
        for round in 4..6 {
            let arg = body.int(round);
            body.call("swap", Some(x), &[arg]);
        }
        fail_if(body, x, 4);
        body.exits();
    });
    sketch.body("swap", |body| {
        // old = n; if (p == 4) n = 4; else n = 9; return old: what is set is only seen in the next call.
        let old = body.local("old");
        let value = body.var(n);
        body.assign(old, value);
        let p = body.program.functions[body.id].params[0];
        let (value, four, nine) = (body.var(p), body.int(4), body.int(9));
        let result = body.var(old);
        let cond = body.binary(BinOp::Eq, value, four);
        let no = body.branch(cond);
        body.assign(n, four);
        body.returns(Some(result));
        body.at = no;
        body.assign(n, nine);
        body.returns(Some(result));
    });
    keeps_runs(&sketch.finish());
}

#[test]
fn a_call_sets_what_only_the_callee_mentions() {
    let mut sketch = Sketch::new(&[("main", 0, false), ("set", 0, false), ("get", 0, true)]);
    let n = add_var(&mut sketch.program, "n", INT, Scope::Global);
    sketch.body("main", |body| {
        let x = body.local("x");
        body.call("set", None, &[]);
        body.call("get", Some(x), &[]);
        fail_if(body, x, 5);
        body.exits();
    });
    sketch.body("set", |body| {
        let five = body.int(5);
        body.assign(n, five);
        body.returns(None);
    });
    sketch.body("get", |body| {
        let value = body.var(n);
        body.returns(Some(value));
    });
    keeps_runs(&sketch.finish());
}

#[test]
fn recursion_sets_its_own_global() {
    let mut sketch = Sketch::new(&[("main", 0, false), ("down", 1, true)]);
    let n = add_var(&mut sketch.program, "n", INT, Scope::Global);
    sketch.body("main", |body| {
        let x = body.local("x");
        let three = body.int(3);
        body.call("down", Some(x), &[three]);
        fail_if(body, x, 1);
        body.exits();
    });
    sketch.body("down", |body| {
        // n = 0; if (p != 0) { n = 7; down(p - 1) } else n = 1; return n: the inner call's value is seen outside.
        let p = body.program.functions[body.id].params[0];
        let (value, zero, one) = (body.var(p), body.int(0), body.int(1));
        let cond = body.binary(BinOp::Ne, value, zero);
        let no = body.branch(cond);
        let seven = body.int(7);
        body.assign(n, seven);
        let less = body.binary(BinOp::Sub, value, one);
        body.call("down", None, &[less]);
        let result = body.var(n);
        body.returns(Some(result));
        body.at = no;
        body.assign(n, one);
        let result = body.var(n);
        body.returns(Some(result));
    });
    keeps_runs(&sketch.finish());
}

#[test]
fn a_global_is_read_before_its_only_assignment() {
    let mut sketch = Sketch::new(&[("main", 0, false)]);
    let g = add_var(&mut sketch.program, "g", INT, Scope::Global);
    sketch.body("main", |body| {
        let (x, rounds) = (body.local("x"), body.local("rounds"));
        let zero = body.int(0);
        body.assign(rounds, zero);
        let head = body.cfa.add_location(LocKind::Plain);
        body.goto(head);
        body.at = head;
        let value = body.var(g);
        body.assign(x, value);
        fail_if(body, x, 1);
        increment(body, rounds);
        fail_if(body, rounds, 3);
        let one = body.int(1);
        body.assign(g, one);
        body.goto(head);
    });
    keeps_runs(&sketch.finish());
}

#[test]
fn calls_have_to_return_through_several_levels() {
    let mut sketch = Sketch::new(&[("main", 0, false), ("outer", 0, true), ("inner", 0, true)]);
    sketch.body("main", |body| {
        let x = body.local("x");
        body.call("outer", Some(x), &[]);
        fail_if(body, x, 2);
        body.exits();
    });
    sketch.body("outer", |body| {
        let y = body.local("y");
        body.call("inner", Some(y), &[]);
        let value = body.var(y);
        body.returns(Some(value));
    });
    sketch.body("inner", |body| {
        let two = body.int(2);
        body.returns(Some(two));
    });
    keeps_runs(&sketch.finish());
}

#[test]
fn a_call_that_never_returns_still_fails() {
    let mut sketch = Sketch::new(&[("main", 0, false), ("hang", 0, false)]);
    sketch.body("main", |body| {
        let x = body.local("x");
        body.call("hang", None, &[]);
        body.input(x);
        fail_if(body, x, 0);
        body.exits();
    });
    sketch.body("hang", |body| {
        let x = body.local("x");
        let zero = body.int(0);
        body.assign(x, zero);
        let head = body.cfa.add_location(LocKind::Plain);
        body.goto(head);
        body.at = head;
        fail_if(body, x, 4);
        increment(body, x);
        body.goto(head);
    });
    keeps_runs(&sketch.finish());
}

#[test]
fn the_address_of_a_local_outlives_it() {
    let mut sketch = Sketch::new(&[("main", 0, false), ("leak", 0, false)]);
    let leak = FuncId::from_raw(1);
    let pointer = add_var(&mut sketch.program, "pointer", Type::Ptr, Scope::Global);
    let object = crate::generate::add_object(&mut sketch.program, "o", Scope::Local(leak));
    sketch.body("main", |body| {
        body.call("leak", None, &[]);
        let ptr = body.var(pointer);
        let size = body.program.exprs.int(IntType::unsigned(64), 4);
        let kind = ExprKind::AccessOk {
            ptr,
            size,
            write: false,
        };
        let alive = body.program.exprs.push(kind, Type::Bool);
        let dead = body.branch(alive);
        body.exits();
        body.at = dead;
        let target = body.target();
        body.goto(target);
    });
    sketch.body("leak", |body| {
        body.step(Action::Enter(object));
        let value = body.program.exprs.addr_of(object);
        body.assign(pointer, value);
        body.returns(None);
    });
    keeps_runs(&sketch.finish());
}
