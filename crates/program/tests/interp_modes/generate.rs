//! Random programs of the model.

use rhumb_program::*;

use crate::support::*;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        rhumb_random::next(&mut self.0)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const TYPES: [Type; 9] = [
    INT,
    INT,
    I64,
    U8,
    BOOL,
    PTR,
    F64,
    Type::Int(IntType::unsigned(32)),
    Type::Int(IntType::signed(100)),
];

/// A program of random automata: well-typed, and otherwise as wild as the model allows.
struct Generator {
    b: Builder,
    random: Random,
    vars: Vec<VarId>,
    objects: Vec<ObjectId>,
    local_objects: Vec<ObjectId>,
    functions: Vec<FuncId>,
    site: InputSiteId,
    bytes_site: InputSiteId,
    what: ApproxId,
}

impl Generator {
    fn expr(&mut self, ty: Type, depth: u32) -> ExprId {
        let choice = self.random.below(if depth == 0 { 4 } else { 12 });
        if choice < 3 {
            let fitting = self.vars_of(ty);
            if !fitting.is_empty() {
                let var = self.random.pick(&fitting);
                return self.b.read(var);
            }
        }
        if choice < 4 {
            return self.constant(ty);
        }
        match ty {
            Type::Int(int) => {
                let op = self.random.pick(&[
                    BinOp::Add,
                    BinOp::Sub,
                    BinOp::Mul,
                    BinOp::And,
                    BinOp::Or,
                    BinOp::Xor,
                    BinOp::Div,
                    BinOp::Rem,
                    BinOp::Shl,
                    BinOp::Shr,
                ]);
                match choice {
                    4 => {
                        let from = self.random.pick(&[INT, I64, U8, BOOL, TYPES[8]]);
                        let arg = self.expr(from, depth - 1);
                        self.b.cast(ty, arg)
                    }
                    5 => {
                        let arg = self.expr(ty, depth - 1);
                        let op = self.random.pick(&[UnOp::Neg, UnOp::BitNot]);
                        self.b.unary(op, arg)
                    }
                    6 if int.width == 64 => {
                        let (x, y) = (self.expr(PTR, depth - 1), self.expr(PTR, depth - 1));
                        self.b.ptr_diff(x, y, DataModel::Lp64)
                    }
                    7 if int.width == 64 => {
                        let x = self.expr(PTR, depth - 1);
                        self.b.cast(ty, x)
                    }
                    _ => {
                        let (x, y) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                        self.b.binary(op, x, y)
                    }
                }
            }
            Type::Bool => match choice {
                4 => {
                    let arg = self.expr(ty, depth - 1);
                    self.b.unary(UnOp::Not, arg)
                }
                5 => {
                    let op = self
                        .random
                        .pick(&[ArithOp::Add, ArithOp::Sub, ArithOp::Mul]);
                    let of = self.random.pick(&[INT, I64, U8, TYPES[8]]);
                    let (x, y) = (self.expr(of, depth - 1), self.expr(of, depth - 1));
                    self.b.overflows(op, x, y)
                }
                6 => {
                    let (ptr, size) = (self.expr(PTR, depth - 1), self.b.size(4));
                    self.b.access_ok(ptr, size, false)
                }
                _ => {
                    let of = self.random.pick(&TYPES);
                    let op = self
                        .random
                        .pick(&[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le]);
                    let (x, y) = (self.expr(of, depth - 1), self.expr(of, depth - 1));
                    self.b.binary(op, x, y)
                }
            },
            Type::Float(_) => {
                let op = self
                    .random
                    .pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div]);
                if choice == 4 {
                    let from = self.random.pick(&[INT, I64, BOOL]);
                    let arg = self.expr(from, depth - 1);
                    return self.b.cast(ty, arg);
                }
                let (x, y) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                self.b.binary(op, x, y)
            }
            Type::Ptr => {
                let base = self.expr(PTR, depth - 1);
                let index = self.expr(INT, depth - 1);
                match choice {
                    4 | 5 => {
                        let offset = self.random.below(12) as i128;
                        self.b.at_offset(base, offset)
                    }
                    6 => {
                        let number = self.expr(I64, depth - 1);
                        self.b.cast(PTR, number)
                    }
                    _ => {
                        let scale = self.random.pick(&[1, 4, 8, 40, 100_000]);
                        self.b.element(base, index, scale)
                    }
                }
            }
        }
    }

    fn constant(&mut self, ty: Type) -> ExprId {
        match ty {
            Type::Int(int) => {
                let value = match self.random.below(4) {
                    0 => self.random.below(40) as i128 - 4,
                    1 => int.max_bits() as i128,
                    2 => int.min_bits() as i128,
                    _ => self.random.below(5) as i128,
                };
                self.b.int(int, value)
            }
            Type::Bool => {
                let value = self.random.below(2) == 0;
                self.b.bool(value)
            }
            Type::Float(_) => {
                let value = self.random.below(9) as f64 - 4.5;
                self.b.f64(value)
            }
            Type::Ptr => match self.random.below(8) {
                0 => self.b.null(),
                1 => {
                    let function = self.random.pick(&self.functions.clone());
                    self.b.func_addr(function)
                }
                2 | 3 if !self.local_objects.is_empty() => {
                    let object = self.random.pick(&self.local_objects.clone());
                    self.b.addr_of(object)
                }
                _ => {
                    let object = self.random.pick(&self.objects.clone());
                    self.b.addr_of(object)
                }
            },
        }
    }

    fn var(&mut self, ty: Type) -> VarId {
        let fitting = self.vars_of(ty);
        self.random.pick(&fitting)
    }

    fn vars_of(&self, ty: Type) -> Vec<VarId> {
        let vars = self.vars.iter().copied();
        vars.filter(|&var| self.b.program.vars[var].ty == ty)
            .collect()
    }

    /// A pointer that is often good.
    fn place(&mut self) -> ExprId {
        if self.random.below(4) == 0 {
            return self.expr(PTR, 2);
        }
        let base = self.constant(PTR);
        let index = self.expr(INT, 0);
        let seven = self.b.i32(7);
        let index = self.b.binary(BinOp::And, index, seven);
        self.b.element(base, index, 4)
    }

    fn action(&mut self) -> Action {
        let ty = self.random.pick(&TYPES);
        match self.random.below(20) {
            0..=6 => {
                let dst = self.var(ty);
                let value = self.expr(ty, 3);
                Action::Assign { dst, value }
            }
            7 | 8 => Action::Load {
                dst: self.var(ty),
                ptr: self.place(),
                access: Access::whole(ty),
            },
            9 | 10 => Action::Store {
                ptr: self.place(),
                value: self.expr(ty, 1),
                access: Access::whole(ty),
            },
            11 => Action::Input {
                dst: self.var(INT),
                site: self.site,
            },
            12 if !self.local_objects.is_empty() => {
                let object = self.random.pick(&self.local_objects.clone());
                if self.random.below(4) == 0 {
                    Action::Leave(object)
                } else {
                    Action::Enter(object)
                }
            }
            13 => Action::Alloc {
                dst: self.var(PTR),
                size: self.b.size(32),
                kind: if self.random.below(3) == 0 {
                    AllocKind::Stack
                } else {
                    AllocKind::Heap
                },
            },
            14 => Action::Copy {
                dst: self.place(),
                src: self.place(),
                size: self.b.size(8),
            },
            15 => Action::InputBytes {
                ptr: self.place(),
                size: self.b.size(3),
                site: self.bytes_site,
            },
            16 => Action::Approximate {
                dst: Some(self.var(ty)),
                what: self.what,
            },
            17 | 18 => {
                let function = self.random.pick(&self.functions.clone());
                let args = vec![self.expr(INT, 1), self.expr(PTR, 1)];
                let callee = if self.random.below(3) == 0 {
                    Callee::Pointer(self.b.func_addr(function))
                } else {
                    Callee::Function(function)
                };
                Action::Call {
                    dst: Some(self.var(I64)),
                    callee,
                    args: args.into(),
                }
            }
            _ => Action::Skip,
        }
    }

    /// Results that are named and used right after, as a front end makes them; sometimes what they came from is changed in between.
    fn temporaries(&mut self) {
        let known = self.vars.len();
        for _ in 0..2 + self.random.below(5) {
            match self.random.below(8) {
                0..=2 => {
                    let ty = self.random.pick(&[INT, PTR, PTR, I64]);
                    let value = if ty == PTR && self.random.below(2) == 0 {
                        self.place()
                    } else {
                        self.expr(ty, 2)
                    };
                    let dst = self.b.local("temporary", ty);
                    self.b.assign(dst, value);
                    // Read soon, and perhaps never again; before that, what it came from may change.
                    for _ in 0..self.random.below(3) {
                        let mut changed = Vec::new();
                        self.b.for_each_var(value, &mut |var| changed.push(var));
                        let action = if ty == PTR && self.random.below(3) == 0 {
                            let object = self.random.pick(&self.local_objects.clone());
                            let enter = self.random.below(3) > 0;
                            if enter {
                                Action::Enter(object)
                            } else {
                                Action::Leave(object)
                            }
                        } else if changed.is_empty() {
                            self.action()
                        } else {
                            let dst = self.random.pick(&changed);
                            let value = self.expr(self.b.program.vars[dst].ty, 1);
                            Action::Assign { dst, value }
                        };
                        self.b.step(action);
                    }
                    let read = self.b.read(dst);
                    self.vars.push(dst);
                    let other = self.random.pick(&self.vars.clone());
                    let other_ty = self.b.program.vars[other].ty;
                    match ty {
                        PTR if other_ty != PTR && self.random.below(2) == 0 => {
                            self.b.load_checked(other, read);
                        }
                        PTR => {
                            let value = self.expr(other_ty, 1);
                            self.b.store_checked(read, value);
                        }
                        _ if other_ty == ty => {
                            let one = self.constant(ty);
                            self.b.assign_checked(other, BinOp::Add, read, one);
                        }
                        _ => {}
                    }
                }
                3 => {
                    let cond = self.expr(BOOL, 1);
                    self.b.undefined_if(cond, UbKind::BadShift);
                }
                _ => {
                    let action = self.action();
                    self.b.step(action);
                }
            }
        }
        // Mostly no one else reads them.
        if self.random.below(4) > 0 {
            self.vars.truncate(known);
        }
    }

    fn sink(&mut self) -> LocId {
        match self.random.below(5) {
            0 => self.b.target(),
            1 => self.b.sink(LocKind::End(EndKind::AssumptionFailed)),
            2 => self.b.sink(LocKind::Ub(UbKind::BadShift)),
            _ => self.b.sink(LocKind::Ub(UbKind::SignedOverflow)),
        }
    }

    /// Adds edges at the current location; `targets` are where they may lead.
    fn edges(&mut self, targets: &[LocId], last: Action) {
        let target = self.random.pick(targets);
        match self.random.below(16) {
            0..=4 => {
                let action = self.action();
                self.b.edge_to(action, target);
            }
            5..=7 => {
                let cond = self.expr(BOOL, 2);
                let other = self.random.pick(targets);
                self.b.branch_to(cond, target, other);
            }
            8 => {
                let cond = self.expr(BOOL, 2);
                let sink = self.sink();
                if self.random.below(2) == 0 {
                    self.b.branch_to(cond, target, sink);
                } else {
                    self.b.branch_to(cond, sink, target);
                }
            }
            9..=11 => {
                let op = self.random.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul]);
                let ty = self.random.pick(&[INT, I64, U8]);
                let (x, y) = (self.expr(ty, 1), self.expr(ty, 1));
                let dst = self.var(ty);
                self.b.assign_checked(dst, op, x, y);
                self.b.jump(target);
            }
            12 => {
                self.temporaries();
                self.b.jump(target);
            }
            13 | 14 => {
                let place = self.place();
                let ty = self.random.pick(&TYPES);
                if self.random.below(2) == 0 {
                    let dst = self.var(ty);
                    self.b.load_checked(dst, place);
                } else {
                    let value = self.expr(ty, 1);
                    self.b.store_checked(place, value);
                }
                self.b.jump(target);
            }
            _ => {
                let end = match last {
                    Action::Return { .. } => self.b.cfa().exit,
                    _ => self.b.sink(LocKind::End(EndKind::Exit)),
                };
                self.b.edge_to(last, end);
            }
        }
    }

    fn body(&mut self, last: impl Fn(&mut Generator) -> Action) {
        let count = 3 + self.random.below(20);
        let targets: Vec<LocId> = (0..count).map(|_| self.b.location()).collect();
        let entry_action = self.action();
        self.b.edge_to(entry_action, targets[0]);
        for &location in &targets {
            self.b.move_to(location);
            let last = last(self);
            self.edges(&targets, last);
        }
    }
}

pub(crate) fn generate(seed: u64) -> Builder {
    let mut b = Builder::new(DataModel::Lp64);
    let site = b.input_site(Some(INT));
    let bytes_site = b.input_site(None);
    let what = b.approximation("something");
    let objects = vec![
        b.global_object("g", 40, Vec::new()),
        b.global_object("h", 64, Vec::new()),
    ];
    let globals: Vec<VarId> = TYPES
        .iter()
        .map(|&ty| b.global("global", ty, None))
        .collect();
    let mut g = Generator {
        b,
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        vars: globals.clone(),
        objects,
        local_objects: Vec::new(),
        functions: Vec::new(),
        site,
        bytes_site,
        what,
    };
    // All functions are declared before any has a body, so that they can call each other.
    let mut bodies = Vec::new();
    for name in ["f", "h"] {
        let id = g.b.begin_function(name, Some(I64));
        let params = vec![g.b.param("n", INT), g.b.param("p", PTR)];
        g.functions.push(id);
        g.b.end_function();
        bodies.push((id, params));
    }
    for (id, params) in bodies {
        g.b.reenter_function(id);
        g.vars = globals.clone();
        g.vars.extend(params);
        for ty in TYPES {
            let var = g.b.local("local", ty);
            g.vars.push(var);
        }
        g.local_objects = vec![g.b.local_object("a", 32), g.b.local_object("b", 12)];
        g.body(|g| Action::Return {
            value: Some(g.expr(I64, 2)),
        });
        g.b.end_function();
    }
    g.vars = globals;
    for ty in TYPES {
        let var = g.b.local("local", ty);
        g.vars.push(var);
    }
    g.local_objects = vec![g.b.local_object("c", 16)];
    g.body(|g| Action::Exit {
        code: g.expr(INT, 2),
    });
    g.b
}
