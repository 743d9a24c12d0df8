//! Programs by hand, for the tests and the benchmark of the interpreter.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "each test uses a part of it"
)]

use std::sync::Arc;

use rhumb_program::interp::{InputSource, KeyedInputs, Machine, Observer, Run, RunLimits, View};
use rhumb_program::*;

pub const INT: Type = Type::Int(IntType::INT);
pub const U8: Type = Type::Int(IntType::unsigned(8));
pub const I64: Type = Type::Int(IntType::signed(64));
pub const U64: Type = Type::Int(IntType::unsigned(64));
pub const F64: Type = Type::Float(FloatType::F64);
pub const BOOL: Type = Type::Bool;
pub const PTR: Type = Type::Ptr;

/// Builds a program; edges are added where the cursor stands.
pub struct Builder {
    pub program: Program,
    function: FuncId,
    at: LocId,
    marks: Vec<(FuncId, LocId)>,
}

impl std::ops::Deref for Builder {
    type Target = Exprs;

    fn deref(&self) -> &Exprs {
        &self.program.exprs
    }
}

impl std::ops::DerefMut for Builder {
    fn deref_mut(&mut self) -> &mut Exprs {
        &mut self.program.exprs
    }
}

impl Builder {
    pub fn new(data_model: DataModel) -> Builder {
        let sources = Arc::new(SourceMap::new("test.c", Arc::from(&b"\n"[..])));
        let mut program = Program::empty(data_model, sources);
        let start = (program.functions).push(function("start", Vec::new(), None));
        let at = program.functions[start].cfa.entry;
        Builder {
            program,
            function: start,
            at,
            marks: Vec::new(),
        }
    }

    // --- Declarations ---

    pub fn size_type(&self) -> Type {
        Type::Int(self.program.data_model.size_type())
    }

    fn decl(name: &str) -> Decl {
        Decl {
            name: name.into(),
            span: Span::default(),
            visible: Span::default(),
        }
    }

    fn add_var(&mut self, name: &str, ty: Type, scope: Scope, init: Option<ExprId>) -> VarId {
        self.program.vars.push(Var {
            decl: Builder::decl(name),
            ty,
            scope,
            init,
        })
    }

    pub fn local(&mut self, name: &str, ty: Type) -> VarId {
        self.add_var(name, ty, Scope::Local(self.function), None)
    }

    pub fn global(&mut self, name: &str, ty: Type, init: Option<ExprId>) -> VarId {
        self.add_var(name, ty, Scope::Global, init)
    }

    fn add_object(&mut self, name: &str, size: u64, scope: Scope, init: Vec<Init>) -> ObjectId {
        self.program.objects.push(Object {
            decl: Builder::decl(name),
            size,
            align: 8,
            shape: Shape::Bytes,
            scope,
            read_only: false,
            init,
        })
    }

    pub fn local_object(&mut self, name: &str, size: u64) -> ObjectId {
        self.add_object(name, size, Scope::Local(self.function), Vec::new())
    }

    pub fn global_object(&mut self, name: &str, size: u64, init: Vec<Init>) -> ObjectId {
        self.add_object(name, size, Scope::Global, init)
    }

    pub fn string(&mut self, text: &str) -> ObjectId {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let size = bytes.len() as u64;
        let init = Init::Bytes {
            offset: 0,
            bytes: bytes.into(),
        };
        let id = self.add_object("string", size, Scope::Global, vec![init]);
        self.program.objects[id].read_only = true;
        id
    }

    pub fn input_site(&mut self, ty: Option<Type>) -> InputSiteId {
        self.program.inputs.push(InputSite {
            kind: InputKind::Nondet("nondet".into()),
            ty,
            function: self.function,
            span: Span::default(),
        })
    }

    pub fn approximation(&mut self, what: &str) -> ApproxId {
        self.program.approximations.push(Approximation {
            what: what.into(),
            span: Span::default(),
        })
    }

    // --- Functions ---

    /// Begins a function; the cursor moves into it. Parameters are declared with [`Builder::param`].
    pub fn begin_function(&mut self, name: &str, result: Option<Type>) -> FuncId {
        let id = self
            .program
            .functions
            .push(function(name, Vec::new(), result));
        self.marks.push((self.function, self.at));
        self.function = id;
        self.at = self.program.functions[id].cfa.entry;
        id
    }

    /// The cursor moves to the entry of a function that was begun before.
    pub fn reenter_function(&mut self, id: FuncId) {
        self.marks.push((self.function, self.at));
        self.function = id;
        self.at = self.program.functions[id].cfa.entry;
    }

    pub fn param(&mut self, name: &str, ty: Type) -> VarId {
        let var = self.local(name, ty);
        self.program.functions[self.function].params.push(var);
        var
    }

    /// The cursor moves back to where the function was begun.
    pub fn end_function(&mut self) {
        if let Some((function, at)) = self.marks.pop() {
            self.function = function;
            self.at = at;
        }
    }

    // --- Expressions ---

    pub fn read(&mut self, var: VarId) -> ExprId {
        let ty = self.program.vars[var].ty;
        self.program.exprs.var(var, ty)
    }

    pub fn constant(&mut self, ty: Type, bits: u128) -> ExprId {
        self.push(ExprKind::Const(bits), ty)
    }

    pub fn i32(&mut self, value: i32) -> ExprId {
        self.int(IntType::INT, value.into())
    }

    pub fn size(&mut self, value: i128) -> ExprId {
        let ty = self.program.data_model.size_type();
        self.int(ty, value)
    }

    pub fn f64(&mut self, value: f64) -> ExprId {
        self.float(FloatType::F64, value.to_bits().into())
    }

    /// `base + index * scale`, with an `int` index.
    pub fn element(&mut self, base: ExprId, index: ExprId, scale: i128) -> ExprId {
        let wide = self.program.data_model.ptrdiff_type();
        let index = self.cast(Type::Int(wide), index);
        let scale = self.int(wide, scale);
        let bytes = self.binary(BinOp::Mul, index, scale);
        self.ptr_add(base, bytes)
    }

    pub fn at_offset(&mut self, base: ExprId, offset: i128) -> ExprId {
        let bytes = self.size(offset);
        self.ptr_add(base, bytes)
    }

    pub fn access_ok(&mut self, ptr: ExprId, size: ExprId, write: bool) -> ExprId {
        self.push(ExprKind::AccessOk { ptr, size, write }, Type::Bool)
    }

    // --- Control ---

    pub fn cfa(&mut self) -> &mut Cfa {
        &mut self.program.functions[self.function].cfa
    }

    pub fn here(&self) -> LocId {
        self.at
    }

    pub fn location(&mut self) -> LocId {
        self.cfa().add_location(LocKind::Plain)
    }

    pub fn sink(&mut self, kind: LocKind) -> LocId {
        self.cfa().add_location(kind)
    }

    pub fn target(&mut self) -> LocId {
        let id = self.program.targets.next_idx();
        let location = self.sink(LocKind::Target(id));
        self.program.targets.push(Target {
            kind: TargetKind::Assertion,
            span: Span::default(),
            function: self.function,
            location,
        });
        location
    }

    pub fn move_to(&mut self, location: LocId) {
        self.at = location;
    }

    pub fn edge_to(&mut self, action: Action, target: LocId) -> EdgeId {
        let at = self.at;
        self.cfa().add_edge(at, action, target, Span::default())
    }

    pub fn step(&mut self, action: Action) -> EdgeId {
        let next = self.location();
        let edge = self.edge_to(action, next);
        self.at = next;
        edge
    }

    pub fn jump(&mut self, target: LocId) {
        self.edge_to(Action::Skip, target);
    }

    pub fn branch_to(&mut self, cond: ExprId, yes: LocId, no: LocId) {
        self.edge_to(Action::Assume { cond, holds: true }, yes);
        self.edge_to(Action::Assume { cond, holds: false }, no);
    }

    /// A branch; the cursor goes to where the condition holds, the result is where it doesn't.
    pub fn branch(&mut self, cond: ExprId) -> LocId {
        let (yes, no) = (self.location(), self.location());
        self.branch_to(cond, yes, no);
        self.at = yes;
        no
    }

    /// Undefined behaviour if the condition holds; else on.
    pub fn undefined_if(&mut self, cond: ExprId, kind: UbKind) {
        let sink = self.sink(LocKind::Ub(kind));
        let on = self.location();
        self.branch_to(cond, sink, on);
        self.at = on;
    }

    /// Undefined behaviour unless the condition holds.
    pub fn undefined_unless(&mut self, cond: ExprId, kind: UbKind) {
        let sink = self.sink(LocKind::Ub(kind));
        let on = self.location();
        self.branch_to(cond, on, sink);
        self.at = on;
    }

    /// The target is reached if the condition holds; else on.
    pub fn target_if(&mut self, cond: ExprId) {
        let target = self.target();
        let on = self.location();
        self.branch_to(cond, target, on);
        self.at = on;
    }

    // --- Actions ---

    pub fn assign(&mut self, dst: VarId, value: ExprId) {
        self.step(Action::Assign { dst, value });
    }

    /// `dst = lhs op rhs` with the check that C asks for.
    pub fn assign_checked(&mut self, dst: VarId, op: BinOp, lhs: ExprId, rhs: ExprId) {
        let arith = match op {
            BinOp::Add => ArithOp::Add,
            BinOp::Sub => ArithOp::Sub,
            BinOp::Mul => ArithOp::Mul,
            _ => panic!("no such check"),
        };
        let overflow = self.overflows(arith, lhs, rhs);
        self.undefined_if(overflow, UbKind::SignedOverflow);
        let value = self.binary(op, lhs, rhs);
        self.assign(dst, value);
    }

    pub fn load(&mut self, dst: VarId, ptr: ExprId) {
        let access = Access::whole(self.program.vars[dst].ty);
        self.step(Action::Load { dst, ptr, access });
    }

    pub fn load_checked(&mut self, dst: VarId, ptr: ExprId) {
        let access = Access::whole(self.program.vars[dst].ty);
        let size = access.size(self.program.data_model);
        let size = self.size(size.into());
        let ok = self.access_ok(ptr, size, false);
        self.undefined_unless(ok, UbKind::BadRead);
        self.step(Action::Load { dst, ptr, access });
    }

    pub fn store(&mut self, ptr: ExprId, value: ExprId) {
        let access = Access::whole(self.ty(value));
        self.step(Action::Store { ptr, value, access });
    }

    pub fn store_checked(&mut self, ptr: ExprId, value: ExprId) {
        let access = Access::whole(self.ty(value));
        let size = access.size(self.program.data_model);
        let size = self.size(size.into());
        let ok = self.access_ok(ptr, size, true);
        self.undefined_unless(ok, UbKind::BadWrite);
        self.step(Action::Store { ptr, value, access });
    }

    pub fn call(&mut self, dst: Option<VarId>, callee: Callee, args: &[ExprId]) -> EdgeId {
        self.step(Action::Call {
            dst,
            callee,
            args: args.into(),
        })
    }

    pub fn ret(&mut self, value: Option<ExprId>) {
        let exit = self.cfa().exit;
        self.edge_to(Action::Return { value }, exit);
    }

    pub fn exit(&mut self, code: ExprId) {
        let end = self.sink(LocKind::End(EndKind::Exit));
        self.edge_to(Action::Exit { code }, end);
    }

    pub fn exit_with(&mut self, status: i32) {
        let code = self.i32(status);
        self.exit(code);
    }

    // --- Running ---

    pub fn run(&self) -> Run {
        self.run_with(&mut KeyedInputs::new(), &RunLimits::default())
    }

    /// Runs in both ways and compares them.
    pub fn run_with(&self, inputs: &mut (impl InputSource + Clone), limits: &RunLimits) -> Run {
        let machine = Machine::compile(&self.program);
        let fast = machine.run(&mut inputs.clone(), limits);
        let mut counter = Counter(0);
        let traced = machine.trace(&mut inputs.clone(), limits, &mut counter);
        assert_eq!(fast, traced, "fast and traced code agree");
        assert_eq!(counter.0, fast.steps, "every step is observed");
        fast
    }
}

pub struct Counter(pub u64);

impl Observer for Counter {
    fn edge(&mut self, _: EdgeId, _: &View<'_>) {
        self.0 += 1;
    }
}

fn function(name: &str, params: Vec<VarId>, result: Option<Type>) -> Function {
    Function {
        name: name.into(),
        params,
        result,
        variadic: false,
        cfa: Cfa::new(),
        span: Span::default(),
    }
}
