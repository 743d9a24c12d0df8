//! Functions that call themselves or each other, with a depth that counts down.

use std::rc::Rc;

use super::Generator;
use super::effects::{Context, Effects};
use super::function::{Definition, Function, Signature};
use super::scope::Storage;
use super::types::{IntTy, PointerTy, Ty};
use crate::model::IntKind;

/// Steps of one level of a recursion, without the levels below.
const RECURSIVE_BUDGET: u64 = 40;

impl Generator {
    /// A function that calls itself at most twice with a smaller depth.
    pub(crate) fn define_recursion(&mut self) -> Definition {
        let name = self.fresh("r");
        let depth = self.rng.between(2, 5) as u32;
        let calls = self.rng.between(1, 2) as u32;
        let mut signature = self.recursive_signature();
        signature.recursion_depth = Some(depth);
        let prototype = self.prototype(&name, &signature);
        let text = self.recursive_function(&name, &name, &signature, calls);
        Definition {
            prototype,
            text,
            table: String::new(),
        }
    }

    /// A recursion whose levels write to each other's local objects.
    pub(crate) fn define_pointer_recursion(&mut self) -> Definition {
        let name = self.fresh("r");
        let int = IntTy::full(IntKind::Int, self.model);
        let pointer = PointerTy {
            pointee: Ty::Int(int),
            before: 0,
            after: 0,
            array: None,
            nullable: true,
            read_only: false,
        };
        let signature = Signature {
            result: Some(Ty::Int(int)),
            parameters: vec![Ty::Pointer(Rc::new(pointer))],
            recursion_depth: Some(5),
        };
        let factor = self.rng.between(2, 9);
        let text = format!(
            "static int {name}(int *up, int depth)\n{{\n    int here[2] = {{depth * {factor}, depth}};\n    \
             int below = depth > 0 ? {name}(&here[depth % 2], depth - 1) : 0;\n    if (up)\n        \
             *up = *up / 3 - here[1];\n    return below % 1000 * 2 + here[0];\n}}\n"
        );
        let target = self.classes_of(&Ty::Int(int));
        let effects = Effects {
            reads: target,
            writes: target,
        };
        let prototype = self.prototype(&name, &signature);
        self.functions.push(Function {
            name,
            signature,
            effects,
            cost: 100,
        });
        Definition {
            prototype,
            text,
            table: String::new(),
        }
    }

    /// Two functions that call each other.
    pub(crate) fn define_mutual_recursion(&mut self) -> Definition {
        let (first, second) = (self.fresh("m"), self.fresh("m"));
        let mut signature = self.recursive_signature();
        signature.recursion_depth = Some(self.rng.between(2, 6) as u32);
        let prototypes = self.prototype(&first, &signature) + &self.prototype(&second, &signature);
        let text = self.recursive_function(&first, &second, &signature, 1);
        let outer = self.functions.pop();
        let other = self.recursive_function(&second, &first, &signature, 1);
        // Either function does what both do.
        if let (Some(outer), Some(inner)) = (outer, self.functions.last_mut()) {
            let effects = outer.effects.and(inner.effects);
            let cost = outer.cost + inner.cost;
            (inner.effects, inner.cost) = (effects, cost);
            self.functions.push(Function {
                effects,
                cost,
                ..outer
            });
        }
        Definition {
            text: format!("{prototypes}{text}{other}"),
            prototype: prototypes,
            table: String::new(),
        }
    }

    fn recursive_signature(&mut self) -> Signature {
        let count = self.rng.below(3);
        let parameters = (0..count).map(|_| Ty::Int(self.int_ty())).collect();
        Signature {
            result: Some(Ty::Int(self.int_ty())),
            parameters,
            recursion_depth: None,
        }
    }

    fn recursive_function(
        &mut self,
        name: &str,
        callee: &str,
        signature: &Signature,
        calls: u32,
    ) -> String {
        let Some(Ty::Int(result)) = signature.result.clone() else {
            unreachable!("recursion gives integers")
        };
        let parameters = Signature {
            recursion_depth: None,
            ..signature.clone()
        };
        let (text, effects, cost) =
            self.write_function(name, signature, RECURSIVE_BUDGET, |generator| {
                generator.line("if (depth <= 0)");
                generator.indent += 1;
                generator.return_statement(&Ty::Int(result));
                generator.indent -= 1;
                generator.locals();
                generator.statements(1, 0);
                for _ in 0..calls {
                    let local = generator.fresh("u");
                    // Alone in its statement: whatever the call does, nothing is unsequenced with it.
                    let cx = Context::default();
                    let (arguments, done) =
                        generator.arguments(&parameters, cx.pure(), Effects::default(), 2);
                    generator.effects = generator.effects.and(done);
                    let separator = if arguments.is_empty() { "" } else { ", " };
                    let declaration = generator.declaration(&Ty::Int(result), &local);
                    generator.line(format!(
                        "{declaration} = {callee}({arguments}{separator}depth - 1);"
                    ));
                    let var = generator.new_var(local, Ty::Int(result), Storage::default());
                    generator.declare(var);
                }
                generator.return_statement(&Ty::Int(result));
            });
        let levels = u64::from(calls)
            .pow(signature.recursion_depth.unwrap_or(0) + 1)
            .max(8);
        let signature = signature.clone();
        self.functions.push(Function {
            name: name.to_owned(),
            signature,
            effects,
            cost: cost * levels,
        });
        text
    }
}
