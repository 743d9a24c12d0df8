//! Programs by hand.

use std::sync::Arc;

use rhumb_program::*;

use crate::generate::{add_var, empty_program};

pub(crate) const INT: Type = Type::Int(IntType::INT);

/// A program that grows function by function. The first function is the start.
pub(crate) struct Sketch {
    pub(crate) program: Program,
}

/// A function that grows step by step.
pub(crate) struct Body<'s> {
    pub(crate) program: &'s mut Program,
    pub(crate) id: FuncId,
    pub(crate) cfa: Cfa,
    /// Where the next step starts.
    pub(crate) at: LocId,
}

impl Sketch {
    /// A program whose functions have these names, numbers of parameters, and results (all `int`).
    pub(crate) fn new(functions: &[(&str, usize, bool)]) -> Sketch {
        let mut program = empty_program();
        for &(name, params, result) in functions {
            let id = program.functions.next_idx();
            let params = (0..params)
                .map(|index| add_var(&mut program, &format!("p{index}"), INT, Scope::Local(id)))
                .collect();
            program.functions.push(Function {
                name: Arc::from(name),
                params,
                result: result.then_some(INT),
                variadic: false,
                cfa: Cfa::new(),
                span: Span::default(),
            });
        }
        Sketch { program }
    }

    /// The start function calls `main`, and that is all.
    pub(crate) fn starts_with_main(&mut self) {
        self.body("start", |body| {
            body.call("main", None, &[]);
            body.exits();
        });
    }

    /// Fills in a function.
    pub(crate) fn body(&mut self, name: &str, fill: impl FnOnce(&mut Body<'_>)) {
        let id = self.program.function_named(name).expect("the function");
        let cfa = Cfa::new();
        let mut body = Body {
            at: cfa.entry,
            program: &mut self.program,
            id,
            cfa,
        };
        fill(&mut body);
        let cfa = body.cfa;
        self.program.functions[id].cfa = cfa;
    }

    /// The program, which keeps the rules.
    pub(crate) fn finish(self) -> Program {
        self.program
            .validate()
            .unwrap_or_else(|invalid| panic!("{invalid}"));
        self.program
    }
}

impl Body<'_> {
    pub(crate) fn local(&mut self, name: &str) -> VarId {
        add_var(self.program, name, INT, Scope::Local(self.id))
    }

    pub(crate) fn int(&mut self, value: i128) -> ExprId {
        self.program.exprs.int(IntType::INT, value)
    }

    pub(crate) fn var(&mut self, var: VarId) -> ExprId {
        let ty = self.program.vars[var].ty;
        self.program.exprs.var(var, ty)
    }

    pub(crate) fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.program.exprs.binary(op, lhs, rhs)
    }

    /// Adds a step and goes on behind it.
    pub(crate) fn step(&mut self, action: Action) -> EdgeId {
        let next = self.cfa.add_location(LocKind::Plain);
        let edge = self.cfa.add_edge(self.at, action, next, Span::default());
        self.at = next;
        edge
    }

    pub(crate) fn assign(&mut self, dst: VarId, value: ExprId) -> EdgeId {
        self.step(Action::Assign { dst, value })
    }

    pub(crate) fn new_site(&mut self) -> InputSiteId {
        self.program.inputs.push(InputSite {
            kind: InputKind::Nondet(Arc::from("nondet_int")),
            ty: Some(INT),
            function: self.id,
            span: Span::default(),
        })
    }

    pub(crate) fn input(&mut self, dst: VarId) -> InputSiteId {
        let site = self.new_site();
        self.step(Action::Input { dst, site });
        site
    }

    pub(crate) fn call(&mut self, name: &str, dst: Option<VarId>, args: &[ExprId]) -> EdgeId {
        let callee = self.program.function_named(name).expect("the function");
        self.step(Action::Call {
            dst,
            callee: Callee::Function(callee),
            args: args.into(),
        })
    }

    /// Branches: goes on at a new location where the condition holds; gives the location where it doesn't.
    pub(crate) fn branch(&mut self, cond: ExprId) -> LocId {
        let (yes, no) = (
            self.cfa.add_location(LocKind::Plain),
            self.cfa.add_location(LocKind::Plain),
        );
        self.assume(cond, yes, no);
        self.at = yes;
        no
    }

    pub(crate) fn assume(&mut self, cond: ExprId, yes: LocId, no: LocId) {
        for (target, holds) in [(yes, true), (no, false)] {
            let action = Action::Assume { cond, holds };
            self.cfa.add_edge(self.at, action, target, Span::default());
        }
    }

    pub(crate) fn goto(&mut self, target: LocId) {
        self.cfa
            .add_edge(self.at, Action::Skip, target, Span::default());
    }

    pub(crate) fn returns(&mut self, value: Option<ExprId>) {
        let exit = self.cfa.exit;
        self.cfa
            .add_edge(self.at, Action::Return { value }, exit, Span::default());
    }

    pub(crate) fn exits(&mut self) {
        let code = self.int(0);
        let end = self.cfa.add_location(LocKind::End(EndKind::Exit));
        self.cfa
            .add_edge(self.at, Action::Exit { code }, end, Span::default());
    }

    /// An error if the condition holds.
    pub(crate) fn fails_if(&mut self, cond: ExprId) {
        let target = self.target();
        let on = self.cfa.add_location(LocKind::Plain);
        self.assume(cond, target, on);
        self.at = on;
    }

    pub(crate) fn target(&mut self) -> LocId {
        let target = self.program.targets.push(Target {
            kind: TargetKind::Assertion,
            span: Span::default(),
            function: self.id,
            location: self.cfa.locations.next_idx(),
        });
        self.cfa.add_location(LocKind::Target(target))
    }
}
