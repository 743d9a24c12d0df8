//! What pointers may point to, whatever a program does, without regard to order or calls.
//!
//! Variables, contents of objects and results of functions and threads have sets of objects and functions; all edges
//! are looked at until no set grows. Numbers have such sets, too: what is computed from a pointer has all that the
//! pointer has. So the object of every pointer that [`super`] follows is in the set of what it came from: it comes from
//! the address of an object by copies and arithmetic. A pointer that comes from elsewhere is not followed at all.

use index_vec::IndexVec;
use rhumb_program::{
    Action, Builtin, Callee, ExprId, ExprKind, FuncId, Init, Program, ThreadOp, VarId,
};

use super::things::{Pointee, Pointees};

/// What everything may point to.
pub(super) struct Aliases<'p> {
    program: &'p Program,
    variables: IndexVec<VarId, Pointees>,
    /// Contents, by the number of the object.
    contents: Vec<Pointees>,
    results: IndexVec<FuncId, Pointees>,
    /// With what threads end.
    ends: Pointees,
}

impl<'p> Aliases<'p> {
    pub(super) fn new(program: &'p Program) -> Aliases<'p> {
        let mut aliases = Aliases {
            program,
            variables: program.vars.iter().map(|_| Pointees::default()).collect(),
            contents: vec![Pointees::default(); 1 + program.objects.len()],
            results: (program.functions.iter())
                .map(|_| Pointees::default())
                .collect(),
            ends: Pointees::default(),
        };
        for (id, object) in program.objects.iter_enumerated() {
            for init in &object.init {
                if let Init::Scalar { value, .. } = init {
                    let value = aliases.of(*value);
                    aliases.contents[Pointee::Object(id).number(program)].add(&value);
                }
            }
        }
        for (id, var) in program.vars.iter_enumerated() {
            if let Some(init) = var.init {
                let value = aliases.of(init);
                aliases.variables[id].add(&value);
            }
        }
        let mut grows = true;
        while grows {
            grows = false;
            for (function, body) in program.functions.iter_enumerated() {
                for edge in &body.cfa.edges {
                    grows |= aliases.look_at(function, &edge.action);
                }
            }
        }
        aliases
    }

    /// What the value of an expression may point to.
    pub(super) fn of(&self, expr: ExprId) -> Pointees {
        let mut found = Pointees::default();
        self.collect(expr, &mut found);
        found
    }

    fn collect(&self, expr: ExprId, into: &mut Pointees) {
        match self.program.exprs[expr].kind {
            ExprKind::Var(var) => {
                into.add(&self.variables[var]);
            }
            ExprKind::AddrOf(object) => {
                into.insert(Pointee::Object(object).number(self.program));
            }
            ExprKind::FuncAddr(function) => {
                into.insert(Pointee::Function(function).number(self.program));
            }
            _ => {}
        }
        for child in self.program.exprs.children(expr) {
            self.collect(child, into);
        }
    }

    /// The functions that an expression may point to.
    pub(super) fn functions(&self, expr: ExprId) -> Vec<FuncId> {
        let found = self.of(expr);
        let found = found.iter().map(|number| Pointee::of(number, self.program));
        let functions = found.filter_map(|pointee| match pointee {
            Pointee::Function(function) => Some(function),
            _ => None,
        });
        functions.collect()
    }

    /// The functions that a call may call.
    pub(super) fn callees(&self, callee: Callee) -> Vec<FuncId> {
        match callee {
            Callee::Function(function) => vec![function],
            Callee::Pointer(ptr) => self.functions(ptr),
            Callee::Builtin(_) => Vec::new(),
        }
    }

    /// The contents that a pointer may lead to.
    fn places(&self, ptr: ExprId) -> Vec<usize> {
        let found = self.of(ptr);
        found.iter().filter(|&n| n < self.contents.len()).collect()
    }

    fn loaded(&self, ptr: ExprId) -> Pointees {
        let mut found = Pointees::default();
        for place in self.places(ptr) {
            found.add(&self.contents[place]);
        }
        found
    }

    fn stored(&mut self, ptr: ExprId, value: &Pointees) -> bool {
        let places = self.places(ptr);
        let mut grows = false;
        for place in places {
            grows |= self.contents[place].add(value);
        }
        grows
    }

    fn passed(&mut self, function: FuncId, args: &[ExprId]) -> bool {
        let program = self.program;
        let mut grows = false;
        for (&param, &arg) in program.functions[function].params.iter().zip(args) {
            let value = self.of(arg);
            grows |= self.variables[param].add(&value);
        }
        grows
    }

    /// What an action adds; gives whether that was new.
    fn look_at(&mut self, function: FuncId, action: &Action) -> bool {
        match action {
            Action::Assign { dst, value } => {
                let value = self.of(*value);
                self.variables[*dst].add(&value)
            }
            Action::Load { dst, ptr, .. } => {
                let value = self.loaded(*ptr);
                self.variables[*dst].add(&value)
            }
            Action::Store { ptr, value, .. } => {
                let value = self.of(*value);
                self.stored(*ptr, &value)
            }
            Action::Copy { dst, src, .. } => {
                let value = self.loaded(*src);
                self.stored(*dst, &value)
            }
            Action::Alloc { dst, .. } => {
                let number = Pointee::Allocated.number(self.program);
                self.variables[*dst].insert(number)
            }
            Action::Return { value: Some(value) } => {
                let value = self.of(*value);
                self.results[function].add(&value)
            }
            Action::Call { dst, callee, args } => self.call(*dst, *callee, args),
            Action::Skip
            | Action::Assume { .. }
            | Action::Input { .. }
            | Action::InputBytes { .. }
            | Action::Approximate { .. }
            | Action::Fill { .. }
            | Action::Enter(_)
            | Action::Leave(_)
            | Action::Free { .. }
            | Action::Return { value: None }
            | Action::Exit { .. } => false,
        }
    }

    fn call(&mut self, dst: Option<VarId>, callee: Callee, args: &[ExprId]) -> bool {
        let mut grows = false;
        let mut result = Pointees::default();
        match callee {
            Callee::Builtin(Builtin::Thread(ThreadOp::Spawn)) => {
                if let Some((&body, args)) = args.split_first() {
                    for function in self.functions(body) {
                        grows |= self.passed(function, args);
                    }
                }
            }
            Callee::Builtin(Builtin::Thread(ThreadOp::End)) => {
                for &arg in args {
                    let value = self.of(arg);
                    grows |= self.ends.add(&value);
                }
            }
            Callee::Builtin(Builtin::Thread(ThreadOp::Result)) => result = self.ends.clone(),
            // Its result is a number that is not known, or has nothing to do with pointers.
            Callee::Builtin(_) => {}
            Callee::Function(_) | Callee::Pointer(_) => {
                for function in self.callees(callee) {
                    grows |= self.passed(function, args);
                    result.add(&self.results[function]);
                }
            }
        }
        if let Some(dst) = dst {
            grows |= self.variables[dst].add(&result);
        }
        grows
    }
}
