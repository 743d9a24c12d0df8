//! The function in which a run starts: inputs from outside, constructors, the entry function, the end.

use std::sync::Arc;

use rhumb_program::{
    Access, Action, AllocKind, BinOp, Callee, Cfa, Decl, EndKind, ExprId, ExprKind, Function,
    InputKind, IntType, LocKind, Object, ObjectId, Part, Scope, Shape, Span, Type, UbKind,
};

use super::call::{NO_BODY, Wanted, target_kind};
use super::function::FunctionLowering;
use super::outside::UNKNOWN;
use super::{Home, LateInit, UnitLowering, temporary};
use crate::ctypes::CType;
use crate::diagnostic::Diagnostic;
use crate::hir::{self, BinaryOp, FunctionId, GlobalId, Local, LocalId, Unit};

/// The library's function that calls what `atexit` was given.
pub(super) const EXIT_FUNCTIONS: &str = "__call_exit_functions";

/// The library's function that makes the second argument of `main`.
pub(crate) const ARGUMENTS: &str = "__arguments";

/// Whether a function is `main` as C has it with two parameters, and looks at the second.
pub(crate) fn takes_arguments(function: &hir::Function) -> bool {
    let Some(body) = &function.body else {
        return false;
    };
    let second = LocalId::from_usize(1);
    &*function.name == "main"
        && body.param_count >= 2
        && (body.exprs.iter())
            .any(|expr| matches!(expr.kind, hir::ExprKind::Local(local) if local == second))
}

impl UnitLowering<'_> {
    /// Adds the function that a run starts in.
    pub(super) fn add_start(&mut self, entry: FunctionId) {
        let start = self.program.functions.push(Function {
            name: Arc::from("<start>"),
            params: Vec::new(),
            result: None,
            variadic: false,
            cfa: Cfa::new(),
            span: self.unit.functions[entry].span,
        });
        self.program.start = start;
        FunctionLowering::new(self, &NO_BODY, entry, start).lower_start();
    }

    /// The object that tells whether the program is about to exit.
    fn exits_object(&mut self) -> ObjectId {
        if let Some(object) = self.exits {
            return object;
        }
        let object = self.program.objects.push(Object {
            decl: temporary(Span::default()),
            size: 1,
            align: 1,
            shape: Shape::Bytes,
            scope: Scope::Global,
            read_only: false,
            init: Vec::new(),
        });
        self.exits = Some(object);
        object
    }
}

impl<'a> FunctionLowering<'_, 'a> {
    fn lower_start(mut self) {
        let unit: &'a Unit = self.unit.unit;
        for refusal in &unit.refusals {
            self.unsupported(&refusal.what, refusal.span);
        }
        // Using a global may bring another one into use, through an initialiser.
        let mut index = 0;
        while let Some(&global) = self.unit.undefined_globals.get(index) {
            self.receive_global(global);
            index += 1;
        }
        for late in std::mem::take(&mut self.unit.late_inits) {
            self.initialise_late(&late);
        }
        if let Some(function) = self.unit.absent_in_initialiser {
            self.refuse_absent(function, unit.functions[function].span);
        }
        for &constructor in &unit.constructors {
            self.call_without_arguments(constructor, "constructor");
        }
        self.call_entry();
        self.finish();
    }

    /// A global that no file defines: its first contents come from outside. Pointers in memory are numbers then.
    fn receive_global(&mut self, id: GlobalId) {
        let global = &self.unit.unit.globals[id];
        let (span, ty) = (global.span, global.ty.ty);
        let name = global.name.clone();
        if let Some(what) = self.unit.refused_global(id) {
            // Some initialiser has its address.
            return self.unsupported(&what, span);
        }
        if !self.unit.is_system(span) {
            self.unit.diagnostics.push(
                Diagnostic::warning(span, format!("`{name}` is not defined in this file"))
                    .with_label("taken as an input: any contents"),
            );
        }
        let kind = InputKind::Uninitialised(name.clone());
        match self.unit.global_home(id) {
            Home::Var(var) if self.unit.program.vars[var].ty == Type::Ptr => {
                let function = None;
                let part = Part::Pointer(name);
                let kind = InputKind::Outside { function, part };
                self.pointer_from_outside(var, ty, [kind.clone(), kind], span);
            }
            Home::Var(var) => self.input(var, kind, span),
            Home::Object(object) => {
                let ptr = self.node(ExprKind::AddrOf(object), Type::Ptr);
                let size = self.size_of(ty);
                self.input_bytes(ptr, size, kind, span);
                self.assume_truths(ptr, ty, 1, span);
            }
            Home::Pointer(dst) => {
                // Any size, and a useful one where nobody chooses.
                let function = None;
                let part = Part::Object { name, offset: 0 };
                let kind = InputKind::Outside { function, part };
                let size_type = self.unit.unit.types.model.size_type();
                let more = self.new_var(Type::Int(size_type), span);
                self.input(more, kind.clone(), span);
                let (more, least) = (self.var(more), self.unit.size(UNKNOWN));
                let size = self.wrapping(BinaryOp::Add, more, least);
                let allocation = Action::Alloc {
                    dst,
                    size,
                    kind: AllocKind::Stack,
                };
                self.emit(allocation, span);
                let ptr = self.var(dst);
                self.input_bytes(ptr, size, kind, span);
            }
        }
    }

    /// A first value that had to wait for the object whose address it is.
    fn initialise_late(&mut self, late: &LateInit) {
        let (id, distance) = late.address;
        let span = self.unit.unit.globals[id].span;
        let Home::Pointer(var) = self.unit.global_home(id) else {
            return;
        };
        let base = self.var(var);
        let distance_type = self.unit.unit.types.model.ptrdiff_type();
        let distance = self.unit.int(distance_type, i128::from(distance));
        let address = self.ptr_add(base, distance);
        let value = self.convert(address, late.access.ty, span);
        match late.home {
            Home::Var(var) => self.assign(var, value, span),
            Home::Object(object) => {
                let base = self.node(ExprKind::AddrOf(object), Type::Ptr);
                let ptr = self.offset(base, late.offset);
                let access = late.access;
                self.emit(Action::Store { ptr, value, access }, span);
            }
            Home::Pointer(_) => {}
        }
    }

    /// Calls a function that runs by itself.
    fn call_without_arguments(&mut self, id: FunctionId, what: &str) {
        let declared = &self.unit.unit.functions[id];
        let span = declared.span;
        let (Some(func), Some(body)) = (self.unit.functions[id], &declared.body) else {
            return;
        };
        if self.unit.is_target(id) {
            return self.reach_target(target_kind(&declared.name), span);
        }
        if body.param_count > 0 || self.unit.takes_block[id] {
            return self.unsupported(&format!("{what} with parameters"), span);
        }
        let callee = Callee::Function(func);
        let args = Box::new([]);
        let dst = None;
        self.emit(Action::Call { dst, callee, args }, span);
    }

    /// Calls the entry function with arguments from outside, and ends the run.
    fn call_entry(&mut self) {
        let declared = &self.unit.unit.functions[self.id];
        let span = declared.span;
        let (CType::Function(ty), Some(body), Some(func)) = (
            self.unit.unit.types.get(declared.ty),
            &declared.body,
            self.unit.functions[self.id],
        ) else {
            return;
        };
        let mut args = Vec::new();
        if self.unit.is_record(ty.result) {
            args.push(self.temporary_object(ty.result, span));
        }
        for index in 0..body.param_count {
            let param = &body.locals[LocalId::from_usize(index)];
            let vector = match (index, &args[..]) {
                (1, &[count]) if takes_arguments(declared) => self.receive_vector(count, param),
                _ => None,
            };
            let mut arg = match vector {
                Some(vector) => vector,
                None => self.receive_argument(param),
            };
            if let Some(passed) = self.unit.param_type(self.id, index) {
                arg = self.convert(arg, passed, param.span);
            }
            args.push(arg);
            if index == 0 && *declared.name == *"main" {
                self.assume_count(arg, param);
            }
        }
        if self.unit.takes_block[self.id] {
            args.extend(self.empty_block().args);
        }
        let result = self.unit.unit.types.scalar(ty.result);
        let dst = result.map(|ty| self.new_var(ty, span));
        let callee = Callee::Function(func);
        let args = args.into();
        self.emit(Action::Call { dst, callee, args }, span);
        let code = match (dst, result) {
            (Some(var), Some(Type::Int(_) | Type::Bool)) => {
                let value = self.var(var);
                self.convert(value, Type::Int(IntType::INT), span)
            }
            _ => self.unit.int(IntType::INT, 0),
        };
        self.exit(code, span);
    }

    /// Ends the run as `exit` does: functions given to `atexit`, then destructors run first. To exit again from one of
    /// them is undefined (C11 7.22.4.4).
    pub(super) fn exit(&mut self, code: ExprId, span: Span) {
        let unit: &'a Unit = self.unit.unit;
        let mut code = code;
        let registered = self.unit.models.get(EXIT_FUNCTIONS).copied();
        if self.unit.has_exit_functions() {
            code = self.capture(code, span);
            // In memory: where there are threads, others see who is first.
            let flag = self.unit.exits_object();
            let ptr = self.node(ExprKind::AddrOf(flag), Type::Ptr);
            let access = Access::whole(Type::Bool);
            let dst = self.new_var(Type::Bool, span);
            self.begin_atomic(span);
            self.emit(Action::Load { dst, ptr, access }, span);
            let value = self.node(ExprKind::Const(1), Type::Bool);
            self.emit(Action::Store { ptr, value, access }, span);
            self.end_atomic(span);
            let is_set = self.var(dst);
            self.forbid(is_set, UbKind::BadCall, span);
        }
        for &function in registered.iter().chain(&unit.destructors) {
            self.call_without_arguments(function, "destructor");
        }
        let end = self.sink(LocKind::End(EndKind::Exit));
        self.leave_with(Action::Exit { code }, end, span);
    }

    /// The second argument of `main`: as many strings as the first one says.
    fn receive_vector(&mut self, count: ExprId, param: &Local) -> Option<ExprId> {
        let &model = self.unit.models.get(ARGUMENTS)?;
        if self.scalar(param.ty.ty) != Some(Type::Ptr) || self.ty(count) != Type::Int(IntType::INT)
        {
            return None;
        }
        self.defined_call(model, vec![count], param.ty.ty, Wanted::Value, param.span)
    }

    /// An argument of the entry function; of a record its address.
    fn receive_argument(&mut self, param: &Local) -> ExprId {
        let span = param.span;
        let ty = param.ty.ty;
        let what = format!("argument `{}` of the entry function", param.name);
        let kind = InputKind::EntryArgument(param.name.clone());
        let Some(scalar) = self.scalar(ty) else {
            let ptr = self.temporary_object(ty, span);
            let size = self.size_of(ty);
            self.input_bytes(ptr, size, kind, span);
            self.assume_truths(ptr, ty, 1, span);
            return ptr;
        };
        let decl = Decl {
            name: param.name.clone(),
            span,
            visible: param.visible,
        };
        self.unit.note_words(span, ty);
        let var = self.unit.add_var(decl, scalar, Scope::Local(self.func));
        if scalar == Type::Ptr && *self.unit.unit.functions[self.id].name == *"main" {
            self.approximate(Some(var), what, span);
        } else if scalar == Type::Ptr {
            self.unit.program.outside.has_pointer_arguments = true;
            let (function, part) = (None, Part::Argument(param.name.clone()));
            let kind = InputKind::Outside { function, part };
            self.pointer_from_outside(var, ty, [kind.clone(), kind], span);
        } else {
            self.input(var, kind, span);
        }
        self.var(var)
    }

    /// The first argument of `main` is not negative (C11 5.1.2.2.1).
    fn assume_count(&mut self, count: ExprId, param: &Local) {
        let Type::Int(int) = self.ty(count) else {
            return;
        };
        let zero = self.unit.int(int, 0);
        let ok = self.node(ExprKind::Binary(BinOp::Le, zero, count), Type::Bool);
        let otherwise = LocKind::End(EndKind::AssumptionFailed);
        self.require(ok, true, otherwise, param.span);
    }
}
