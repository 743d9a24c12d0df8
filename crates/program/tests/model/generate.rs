//! Random programs: several functions, each a random automaton with inputs, branches, loops of any shape, calls (some
//! recursive, some through pointers), checks of undefined behaviour and objects whose addresses escape.

use std::sync::Arc;

use rhumb_program::*;

/// A source of choices: a list of numbers, zero when it is used up, so that a shorter list makes a simpler program.
pub(crate) struct Choices<'c> {
    numbers: &'c [u32],
}

impl<'c> Choices<'c> {
    pub(crate) fn new(numbers: &'c [u32]) -> Choices<'c> {
        Choices { numbers }
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        match self.numbers.split_first() {
            Some((&first, rest)) => {
                self.numbers = rest;
                first as usize % limit.max(1)
            }
            None => 0,
        }
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }
}

const I32: IntType = IntType::INT;
const TYPES: [IntType; 4] = [
    I32,
    IntType::unsigned(8),
    IntType::unsigned(32),
    IntType::signed(8),
];

pub(crate) fn empty_program() -> Program {
    let sources = Arc::new(SourceMap::new("test.c", Arc::from(&b"int main;\n"[..])));
    Program::empty(DataModel::Lp64, sources)
}

pub(crate) fn decl(name: &str) -> Decl {
    Decl {
        name: Arc::from(name),
        span: Span::default(),
        visible: Span::default(),
    }
}

pub(crate) fn add_var(program: &mut Program, name: &str, ty: Type, scope: Scope) -> VarId {
    program.vars.push(Var {
        decl: decl(name),
        ty,
        scope,
        init: None,
    })
}

pub(crate) fn add_object(program: &mut Program, name: &str, scope: Scope) -> ObjectId {
    program.objects.push(Object {
        decl: decl(name),
        size: 4,
        align: 4,
        shape: Shape::Scalar(Type::Int(I32)),
        scope,
        read_only: false,
        init: Vec::new(),
    })
}

struct Generator<'c> {
    choices: Choices<'c>,
    program: Program,
    /// Global integers. Some are never set, and most functions mention few of them.
    globals: Vec<VarId>,
    global_pointer: VarId,
    function_pointer: VarId,
}

/// The function that is being made.
struct Here {
    id: FuncId,
    /// Locals and globals that it sets.
    vars: Vec<VarId>,
    /// Globals that it only reads.
    read: Vec<VarId>,
    object: ObjectId,
    cfa: Cfa,
    /// Where random edges lead.
    places: Vec<LocId>,
}

pub(crate) fn program(numbers: &[u32]) -> Program {
    let mut choices = Choices::new(numbers);
    let count = 1 + choices.below(5);
    let mut program = empty_program();
    let mut globals = Vec::new();
    for index in 0..7 {
        let ty = TYPES[choices.below(TYPES.len())];
        let var = add_var(
            &mut program,
            &format!("g{index}"),
            Type::Int(ty),
            Scope::Global,
        );
        let value = choices.below(5) as i128;
        program.vars[var].init = (value > 0).then(|| program.exprs.int(ty, value));
        globals.push(var);
    }
    let global_pointer = add_var(&mut program, "gp", Type::Ptr, Scope::Global);
    let function_pointer = add_var(&mut program, "fp", Type::Ptr, Scope::Global);
    for index in 0..count {
        let id = FuncId::from_usize(index);
        let params = if index == 0 { 0 } else { choices.below(3) };
        let params = (0..params)
            .map(|param| {
                let ty = TYPES[choices.below(TYPES.len())];
                add_var(
                    &mut program,
                    &format!("p{param}"),
                    Type::Int(ty),
                    Scope::Local(id),
                )
            })
            .collect();
        program.functions.push(Function {
            name: Arc::from(format!("f{index}")),
            params,
            result: (index > 0 && choices.chance(70)).then_some(Type::Int(I32)),
            variadic: false,
            cfa: Cfa::new(),
            span: Span::default(),
        });
    }
    if choices.chance(50) {
        let function = FuncId::from_usize(choices.below(count));
        if function != program.start {
            let address = program.exprs.func_addr(function);
            program.vars[function_pointer].init = Some(address);
        }
    }
    program.approximations.push(Approximation {
        what: "something".into(),
        span: Span::default(),
    });
    program.unsupported.push(Unsupported {
        what: "something".into(),
        span: Span::default(),
    });
    let mut generator = Generator {
        choices,
        program,
        globals,
        global_pointer,
        function_pointer,
    };
    for index in 0..count {
        generator.function(FuncId::from_usize(index));
    }
    generator.program
}

impl Generator<'_> {
    fn function(&mut self, id: FuncId) {
        let mut vars = self.program.functions[id].params.clone();
        let fresh: Vec<VarId> = (0..2 + self.choices.below(2))
            .map(|index| {
                let ty = TYPES[self.choices.below(TYPES.len())];
                let name = format!("x{index}");
                add_var(&mut self.program, &name, Type::Int(ty), Scope::Local(id))
            })
            .collect();
        vars.extend(&fresh);
        let mut read = Vec::new();
        for index in 0..self.globals.len() {
            match self.choices.below(5) {
                0 if index + 2 < self.globals.len() => vars.push(self.globals[index]),
                1 => read.push(self.globals[index]),
                _ => {}
            }
        }
        let object = add_object(&mut self.program, "o", Scope::Local(id));
        let mut here = Here {
            id,
            vars,
            read,
            object,
            cfa: Cfa::new(),
            places: Vec::new(),
        };
        // Every local gets a value first, as a declaration gives it.
        let mut at = here.cfa.entry;
        for &var in &fresh {
            let next = here.cfa.add_location(LocKind::Plain);
            let action = if self.choices.chance(30) {
                self.input(&here, var)
            } else {
                let ty = self.int_type(var);
                let value = self.choices.below(4) as i128;
                Action::Assign {
                    dst: var,
                    value: self.program.exprs.int(ty, value),
                }
            };
            here.cfa.add_edge(at, action, next, Span::default());
            at = next;
        }
        here.places = (0..3 + self.choices.below(9))
            .map(|_| here.cfa.add_location(LocKind::Plain))
            .collect();
        here.cfa
            .add_edge(at, Action::Skip, here.places[0], Span::default());
        for index in 0..here.places.len() {
            self.location(&mut here, index);
        }
        self.program.functions[id].cfa = here.cfa;
    }

    fn int_type(&self, var: VarId) -> IntType {
        self.program.vars[var].ty.as_int().expect("an integer")
    }

    fn input(&mut self, here: &Here, dst: VarId) -> Action {
        let site = self.program.inputs.push(InputSite {
            kind: InputKind::Nondet(Arc::from("nondet")),
            ty: Some(self.program.vars[dst].ty),
            function: here.id,
            span: Span::default(),
        });
        Action::Input { dst, site }
    }

    /// A variable that may be set here.
    fn some_var(&mut self, here: &Here) -> VarId {
        here.vars[self.choices.below(here.vars.len())]
    }

    fn expr(&mut self, here: &Here, ty: IntType, depth: usize) -> ExprId {
        let choice = self.choices.below(if depth == 0 { 5 } else { 10 });
        match choice {
            0 | 1 => {
                let value = self.choices.below(9) as i128 - 3;
                self.program.exprs.int(ty, value)
            }
            2..=4 => {
                let index = self.choices.below(here.vars.len() + here.read.len());
                let var = match here.vars.get(index) {
                    Some(&var) => var,
                    None => here.read[index - here.vars.len()],
                };
                let from = Type::Int(self.int_type(var));
                let var = self.program.exprs.var(var, from);
                self.program.exprs.cast(Type::Int(ty), var)
            }
            5 => {
                let arg = self.expr(here, ty, depth - 1);
                let op = [UnOp::Neg, UnOp::BitNot][self.choices.below(2)];
                self.program.exprs.unary(op, arg)
            }
            6 => {
                let cond = self.cond(here, depth - 1);
                self.program.exprs.cast(Type::Int(ty), cond)
            }
            7 => {
                let lhs = self.expr(here, ty, depth - 1);
                let amount = self.choices.below(8) as i128;
                let rhs = self.program.exprs.int(I32, amount);
                let op = [BinOp::Shl, BinOp::Shr][self.choices.below(2)];
                self.program.exprs.binary(op, lhs, rhs)
            }
            _ => {
                let lhs = self.expr(here, ty, depth - 1);
                let rhs = self.expr(here, ty, depth - 1);
                let ops = [
                    BinOp::Add,
                    BinOp::Sub,
                    BinOp::Mul,
                    BinOp::And,
                    BinOp::Or,
                    BinOp::Xor,
                ];
                let op = ops[self.choices.below(ops.len())];
                self.program.exprs.binary(op, lhs, rhs)
            }
        }
    }

    fn cond(&mut self, here: &Here, depth: usize) -> ExprId {
        let ty = TYPES[self.choices.below(TYPES.len())];
        let lhs = self.expr(here, ty, depth);
        let rhs = self.expr(here, ty, depth);
        let ops = [BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne];
        let op = ops[self.choices.below(ops.len())];
        let compared = self.program.exprs.binary(op, lhs, rhs);
        if self.choices.chance(10) {
            self.program.exprs.unary(UnOp::Not, compared)
        } else {
            compared
        }
    }

    /// Somewhere to go on, mostly forward.
    fn next(&mut self, here: &mut Here, index: usize) -> LocId {
        if self.choices.chance(12) {
            let kind = match self.choices.below(8) {
                0..=3 => {
                    let target = self.program.targets.push(Target {
                        kind: TargetKind::Assertion,
                        span: Span::default(),
                        function: here.id,
                        location: here.cfa.locations.next_idx(),
                    });
                    LocKind::Target(target)
                }
                4 => LocKind::Ub(UbKind::Unreachable),
                5 => LocKind::End(EndKind::AssumptionFailed),
                6 => LocKind::End(EndKind::Abort),
                _ => LocKind::Unsupported(UnsupportedId::from_raw(0)),
            };
            return here.cfa.add_location(kind);
        }
        let last = here.places.len() - 1;
        let place = if self.choices.chance(25) {
            self.choices.below(index + 1)
        } else {
            (index + 1 + self.choices.below(3)).min(last)
        };
        here.places[place]
    }

    fn location(&mut self, here: &mut Here, index: usize) {
        let at = here.places[index];
        let last = index + 1 == here.places.len();
        let action = match self.choices.below(17) {
            _ if last => return self.end(here, at),
            0 => return self.end(here, at),
            1 | 2 => {
                let cond = self.cond(here, 2);
                return self.branch(here, index, cond);
            }
            3 => {
                // A check: the sum is only taken where it doesn't overflow.
                let (lhs, rhs) = (self.expr(here, I32, 1), self.expr(here, I32, 1));
                let op = [ArithOp::Add, ArithOp::Sub, ArithOp::Mul][self.choices.below(3)];
                let cond = self.program.exprs.overflows(op, lhs, rhs);
                return self.check(here, index, cond, UbKind::SignedOverflow, true);
            }
            4 => {
                let ty = self.program.vars[self.global_pointer].ty;
                let ptr = self.program.exprs.var(self.global_pointer, ty);
                let size = self
                    .program
                    .exprs
                    .int(self.program.data_model.size_type(), 4);
                let kind = ExprKind::AccessOk {
                    ptr,
                    size,
                    write: false,
                };
                let cond = self.program.exprs.push(kind, Type::Bool);
                return self.check(here, index, cond, UbKind::BadRead, false);
            }
            5 => {
                let dst = self.some_var(here);
                self.input(here, dst)
            }
            6 | 7 | 14..=16 => match self.call(here) {
                Some(action) => action,
                None => Action::Skip,
            },
            8 => Action::Enter(here.object),
            9 => Action::Leave(here.object),
            10 => {
                // The address of a local object gets out; a dead one has none.
                let value = self.program.exprs.addr_of(here.object);
                let enter = here.cfa.add_location(LocKind::Plain);
                here.cfa
                    .add_edge(at, Action::Enter(here.object), enter, Span::default());
                let action = Action::Assign {
                    dst: self.global_pointer,
                    value,
                };
                let target = self.next(here, index);
                here.cfa.add_edge(enter, action, target, Span::default());
                return;
            }
            11 => {
                let dst = self.some_var(here);
                // Two edges with one input: the same site in two places.
                match self.program.inputs.is_empty() {
                    true => Action::Skip,
                    false => {
                        let site =
                            InputSiteId::from_usize(self.choices.below(self.program.inputs.len()));
                        if self.program.inputs[site].ty == Some(self.program.vars[dst].ty) {
                            Action::Input { dst, site }
                        } else {
                            Action::Skip
                        }
                    }
                }
            }
            _ => {
                let dst = self.some_var(here);
                let ty = self.int_type(dst);
                let depth = 2 * self.choices.below(2);
                let value = self.expr(here, ty, depth);
                Action::Assign { dst, value }
            }
        };
        let target = self.next(here, index);
        here.cfa.add_edge(at, action, target, Span::default());
    }

    fn branch(&mut self, here: &mut Here, index: usize, cond: ExprId) {
        let (yes, no) = (self.next(here, index), self.next(here, index));
        let at = here.places[index];
        for (target, holds) in [(yes, true), (no, false)] {
            let action = Action::Assume { cond, holds };
            here.cfa.add_edge(at, action, target, Span::default());
        }
    }

    fn check(&mut self, here: &mut Here, index: usize, cond: ExprId, kind: UbKind, bad: bool) {
        let ub = here.cfa.add_location(LocKind::Ub(kind));
        let fine = here.places[(index + 1).min(here.places.len() - 1)];
        let at = here.places[index];
        for holds in [true, false] {
            let target = if holds == bad { ub } else { fine };
            let action = Action::Assume { cond, holds };
            here.cfa.add_edge(at, action, target, Span::default());
        }
    }

    fn call(&mut self, here: &Here) -> Option<Action> {
        let functions = self.program.functions.len();
        // Mostly a later function, so that most calls are not recursive; never the start.
        let first = if self.choices.chance(15) {
            1
        } else {
            here.id.index() + 1
        };
        if first >= functions {
            return None;
        }
        let callee = FuncId::from_usize(first + self.choices.below(functions - first));
        let params = self.program.functions[callee].params.clone();
        let args = params
            .iter()
            .map(|&param| {
                let ty = self.int_type(param);
                self.expr(here, ty, 1)
            })
            .collect();
        let result = self.program.functions[callee].result;
        let dst = match self.some_var(here) {
            var if result == Some(self.program.vars[var].ty) => Some(var),
            _ => None,
        };
        let pointed = self.program.vars[self.function_pointer].init;
        let callee = match self.choices.below(4) {
            0 => Callee::Pointer(self.program.exprs.func_addr(callee)),
            1 if pointed.is_some_and(|init| {
                self.program.exprs[init].kind == ExprKind::FuncAddr(callee)
            }) =>
            {
                let ptr = self.program.exprs.var(self.function_pointer, Type::Ptr);
                Callee::Pointer(ptr)
            }
            _ => Callee::Function(callee),
        };
        Some(Action::Call { dst, callee, args })
    }

    /// The function returns; the start function ends the run.
    fn end(&mut self, here: &mut Here, at: LocId) {
        if here.id == self.program.start {
            let end = here.cfa.add_location(LocKind::End(EndKind::Exit));
            let code = self.expr(here, I32, 1);
            here.cfa
                .add_edge(at, Action::Exit { code }, end, Span::default());
        } else {
            let result = self.program.functions[here.id].result;
            let value = result.map(|_| self.expr(here, I32, 2));
            let exit = here.cfa.exit;
            here.cfa
                .add_edge(at, Action::Return { value }, exit, Span::default());
        }
    }
}
