//! Operands of actions.

use super::{Owner, Validator};
use crate::builtin::{Builtin, ThreadOp};
use crate::cfa::{Action, Callee};
use crate::ids::{EdgeId, ExprId, FuncId, ObjectId, VarId};
use crate::model::Scope;
use crate::types::{IntType, Type};

/// What a call must be given, and what it gives.
struct Signature {
    params: Vec<Type>,
    variadic: bool,
    result: Option<Type>,
}

impl Validator<'_> {
    pub(super) fn check_action(&mut self, function: FuncId, edge: EdgeId, action: &Action) {
        let program = self.program;
        let name = &program.functions[function].name;
        let what = || format!("{name}: edge {edge:?}");
        let mut sound = true;
        action.for_each_expr(|expr| {
            if self.in_range(expr, program.exprs.len(), what) {
                let own = match self.owners[expr] {
                    Owner::Function(owner) => owner == function,
                    _ => true,
                };
                self.require(own, || {
                    format!("{}: mentions locals of another function", what())
                });
            } else {
                sound = false;
            }
        });
        if let Some(var) = action.defined_var() {
            if self.in_range(var, program.vars.len(), what) {
                let scope = program.vars[var].scope;
                self.require(
                    scope == Scope::Global || scope == Scope::Local(function),
                    || format!("{}: sets a local of another function", what()),
                );
            } else {
                sound = false;
            }
        }
        if sound {
            self.check_operands(function, action, &what);
        }
    }

    fn check_operands(&mut self, function: FuncId, action: &Action, what: &dyn Fn() -> String) {
        let program = self.program;
        let size_type = Type::Int(program.data_model.size_type());
        match *action {
            Action::Skip => {}
            Action::Assume { cond, .. } => self.expect(cond, Type::Bool, what),
            Action::Assign { dst, value } => self.expect(value, program.vars[dst].ty, what),
            Action::Input { dst, site } => {
                if self.in_range(site, program.inputs.len(), what) {
                    let ty = program.inputs[site].ty;
                    self.expect_var(dst, ty, what);
                }
            }
            Action::InputBytes { ptr, size, site } => {
                self.expect(ptr, Type::Ptr, what);
                self.expect(size, size_type, what);
                if self.in_range(site, program.inputs.len(), what) {
                    self.require(program.inputs[site].ty.is_none(), || {
                        format!("{}: {site:?} is the input of a scalar", what())
                    });
                }
            }
            Action::Approximate { what: step, .. } => {
                self.in_range(step, program.approximations.len(), what);
            }
            Action::Load { dst, ptr, access } => {
                self.check_access(access, what);
                self.expect(ptr, Type::Ptr, what);
                self.expect_var(dst, Some(access.ty), what);
            }
            Action::Store { ptr, value, access } => {
                self.check_access(access, what);
                self.expect(ptr, Type::Ptr, what);
                self.expect(value, access.ty, what);
            }
            Action::Copy { dst, src, size } => {
                self.expect(dst, Type::Ptr, what);
                self.expect(src, Type::Ptr, what);
                self.expect(size, size_type, what);
            }
            Action::Fill { dst, byte, size } => {
                self.expect(dst, Type::Ptr, what);
                self.require(matches!(self.ty(byte), Some(Type::Int(_))), || {
                    format!("{}: the byte is no integer", what())
                });
                self.expect(size, size_type, what);
            }
            Action::Enter(object) | Action::Leave(object) => {
                self.expect_local_object(function, object, what);
            }
            Action::Alloc { dst, size, .. } => {
                self.expect_var(dst, Some(Type::Ptr), what);
                self.expect(size, size_type, what);
            }
            Action::Free { ptr, .. } => self.expect(ptr, Type::Ptr, what),
            Action::Call {
                dst,
                callee,
                ref args,
            } => self.check_call(dst, callee, args, what),
            Action::Return { value } => {
                let result = program.functions[function].result;
                let given = value.and_then(|value| self.ty(value));
                self.require(given == result, || {
                    format!("{}: returns {given:?}, not {result:?}", what())
                });
            }
            Action::Exit { code } => self.expect(code, Type::Int(IntType::INT), what),
        }
    }

    fn check_call(
        &mut self,
        dst: Option<VarId>,
        callee: Callee,
        args: &[ExprId],
        what: &dyn Fn() -> String,
    ) {
        let program = self.program;
        let signature = match callee {
            Callee::Function(function) => {
                if !self.in_range(function, program.functions.len(), what) {
                    return;
                }
                let function = &program.functions[function];
                if function
                    .params
                    .iter()
                    .any(|p| p.index() >= program.vars.len())
                {
                    return;
                }
                Signature {
                    params: function
                        .params
                        .iter()
                        .map(|&param| program.vars[param].ty)
                        .collect(),
                    variadic: function.variadic,
                    result: function.result,
                }
            }
            Callee::Builtin(builtin) => builtin_signature(builtin),
            Callee::Pointer(ptr) => {
                // What it takes is known when the call is made.
                self.expect(ptr, Type::Ptr, what);
                return;
            }
        };
        let enough = if signature.variadic {
            args.len() >= signature.params.len()
        } else {
            args.len() == signature.params.len()
        };
        self.require(enough, || {
            format!(
                "{}: {} arguments for {} parameters",
                what(),
                args.len(),
                signature.params.len()
            )
        });
        for (&arg, &param) in args.iter().zip(&signature.params) {
            self.expect(arg, param, what);
        }
        if let Some(dst) = dst {
            self.expect_var(dst, signature.result, what);
        }
    }

    fn expect(&mut self, expr: ExprId, ty: Type, what: &dyn Fn() -> String) {
        let actual = self.ty(expr);
        self.require(actual == Some(ty), || {
            format!("{}: {expr:?} is {actual:?} and should be {ty}", what())
        });
    }

    fn expect_var(&mut self, var: VarId, ty: Option<Type>, what: &dyn Fn() -> String) {
        let actual = self.program.vars[var].ty;
        self.require(Some(actual) == ty, || {
            format!("{}: {var:?} is {actual} and gets {ty:?}", what())
        });
    }

    fn expect_local_object(
        &mut self,
        function: FuncId,
        object: ObjectId,
        what: &dyn Fn() -> String,
    ) {
        if self.in_range(object, self.program.objects.len(), what) {
            let scope = self.program.objects[object].scope;
            self.require(scope == Scope::Local(function), || {
                format!("{}: {object:?} is not an object of this function", what())
            });
        }
    }
}

fn builtin_signature(builtin: Builtin) -> Signature {
    let int = Some(Type::Int(IntType::INT));
    let (params, result) = match builtin {
        Builtin::Printf | Builtin::Puts => (vec![Type::Ptr], int),
        Builtin::Putchar => (vec![Type::Int(IntType::INT)], int),
        Builtin::Outside | Builtin::Unseen(_) => (Vec::new(), None),
        Builtin::Math(_, ty) => (vec![Type::Float(ty)], Some(Type::Float(ty))),
        Builtin::Math2(_, ty) => (vec![Type::Float(ty); 2], Some(Type::Float(ty))),
        Builtin::Classify(_, ty) => (vec![Type::Float(ty)], int),
        Builtin::SetRounding => (vec![Type::Int(IntType::INT)], int),
        Builtin::GetRounding => (Vec::new(), int),
        Builtin::Thread(op) => match op {
            ThreadOp::Yield | ThreadOp::AtomicBegin | ThreadOp::AtomicEnd | ThreadOp::MayWait => {
                (Vec::new(), None)
            }
            ThreadOp::Block => (Vec::new(), Some(Type::Bool)),
            ThreadOp::Races { .. } => {
                let size = Type::Int(IntType::unsigned(64));
                (vec![Type::Ptr, size], Some(Type::Bool))
            }
            ThreadOp::Spawn => (vec![Type::Ptr; 3], int),
            ThreadOp::Current => (Vec::new(), int),
            ThreadOp::End => (vec![Type::Ptr], None),
            ThreadOp::IsDone => (vec![Type::Int(IntType::INT)], int),
            ThreadOp::Result => (vec![Type::Int(IntType::INT)], Some(Type::Ptr)),
        },
        Builtin::Leaks(_) => (Vec::new(), Some(Type::Bool)),
    };
    Signature {
        params,
        variadic: matches!(
            builtin,
            Builtin::Printf | Builtin::Outside | Builtin::Unseen(_)
        ),
        result,
    }
}
