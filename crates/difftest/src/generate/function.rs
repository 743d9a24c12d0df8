//! Function definitions, from callees to callers, and `main`.

use std::rc::Rc;

use super::Generator;
use super::effects::{Context, Effects};
use super::expr::{Expr, level};
use super::scope::Storage;
use super::types::{IntTy, PointerTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

/// What a caller must know of a function.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) result: Option<Ty>,
    pub(crate) parameters: Vec<Ty>,
    /// A last parameter that counts down to 0 from at most this.
    pub(crate) recursion_depth: Option<u32>,
}

/// A defined function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) signature: Signature,
    pub(crate) effects: Effects,
    /// Estimated steps of one call.
    pub(crate) cost: u64,
}

/// An array of pointers to functions of one signature.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) signature: Signature,
    pub(crate) effects: Effects,
    pub(crate) cost: u64,
    pub(crate) length: u32,
}

/// The text of a function, in the parts that can be moved.
pub(crate) struct Definition {
    pub(crate) prototype: String,
    pub(crate) text: String,
    /// A table of function pointers that needs this and earlier functions.
    pub(crate) table: String,
}

/// Steps that one call of an ordinary function may take.
const FUNCTION_BUDGET: u64 = 1_500;
/// Steps of the whole program.
const MAIN_BUDGET: u64 = 40_000;

impl Generator {
    /// All functions but `main`.
    pub(crate) fn define_functions(&mut self) -> String {
        let mut definitions = Vec::new();
        let count = if self.has(Feature::Call) {
            self.rng.between(0, i128::from(self.size) + 1)
        } else {
            0
        };
        for _ in 0..count {
            self.define_group(&mut definitions);
            if self.has(Feature::PointerReturn) && self.rng.percent(25) {
                definitions.extend(self.define_accessor());
            }
            if self.decide(Feature::Recursion, 25) {
                definitions.push(self.define_recursion());
            }
            if self.decide(Feature::PointerRecursion, 12) {
                definitions.push(self.define_pointer_recursion());
            }
            if self.decide(Feature::MutualRecursion, 12) {
                definitions.push(self.define_mutual_recursion());
            }
        }
        if definitions.is_empty() || !self.decide(Feature::ForwardDeclaration, 40) {
            return definitions
                .into_iter()
                .map(|given| given.text + &given.table)
                .collect();
        }
        // With all prototypes and tables in front, any order of the definitions will do.
        let mut text = String::new();
        definitions
            .iter()
            .for_each(|given| text += &given.prototype);
        definitions.iter().for_each(|given| text += &given.table);
        definitions
            .iter()
            .rev()
            .for_each(|given| text += &given.text);
        text
    }

    /// One function, or several of one signature with a table of pointers to them.
    fn define_group(&mut self, definitions: &mut Vec<Definition>) {
        let members = if self.decide(Feature::FunctionPointer, 25) {
            self.rng.between(2, 4)
        } else {
            1
        };
        let signature = self.signature();
        let first = self.functions.len();
        for _ in 0..members {
            let name = self.fresh("f");
            let text = self.define_function(&name, &signature);
            let prototype = self.prototype(&name, &signature);
            definitions.push(Definition {
                prototype,
                text,
                table: String::new(),
            });
        }
        if members > 1 {
            let table = self.define_table(first, &signature);
            if let Some(last) = definitions.last_mut() {
                last.table = table;
            }
        }
    }

    fn signature(&mut self) -> Signature {
        let count = self.rng.below(5);
        let parameters = (0..count).map(|_| self.parameter_ty()).collect();
        let result = match self.rng.below(10) {
            0 => None,
            1 | 3 if !self.records.is_empty() && self.has(Feature::StructReturn) => {
                Some(Ty::Record(self.rng.index(self.records.len())))
            }
            2 if self.float_kind().is_some() => self.float_kind().map(Ty::Float),
            _ => Some(Ty::Int(self.int_ty())),
        };
        Signature {
            result,
            parameters,
            recursion_depth: None,
        }
    }

    fn parameter_ty(&mut self) -> Ty {
        match self.rng.below(10) {
            0 | 4 if !self.records.is_empty() && self.has(Feature::StructParameter) => {
                Ty::Record(self.rng.index(self.records.len()))
            }
            1 => match self.float_kind() {
                Some(kind) => Ty::Float(kind),
                None => Ty::Int(self.int_ty()),
            },
            2 | 3 => self
                .pointer_parameter()
                .unwrap_or_else(|| Ty::Int(self.int_ty())),
            _ => Ty::Int(self.int_ty()),
        }
    }

    fn pointer_parameter(&mut self) -> Option<Ty> {
        let choices = [
            (self.weight(Feature::PointerToScalar, 4), 0),
            (self.weight(Feature::PointerToElement, 4), 1),
            (self.weight(Feature::PointerToArray, 1), 2),
            (
                if self.records.is_empty() {
                    0
                } else {
                    self.weight(Feature::PointerToMember, 3)
                },
                3,
            ),
        ];
        let choice = self.rng.weighted(&choices)?;
        // Types of globals are preferred: the callers then have objects to pass.
        let global: Vec<Ty> = self.scopes[0]
            .iter()
            .filter(|var| var.addressable && var.writable)
            .map(|var| var.ty.innermost().clone())
            .filter(|ty| matches!(ty, Ty::Int(_)))
            .collect();
        let scalar = if !global.is_empty() && self.rng.percent(70) {
            self.rng.pick(&global).clone()
        } else {
            Ty::Int(self.int_ty())
        };
        let (pointee, after) = match choice {
            0 => (scalar, 0),
            1 => (scalar, self.rng.between(1, 4) as u32),
            2 => {
                let length = self.rng.between(2, 3) as u32;
                (
                    Ty::Array(Rc::new(scalar), length),
                    self.rng.between(0, 1) as u32,
                )
            }
            _ => (Ty::Record(self.rng.index(self.records.len())), 0),
        };
        let read_only = !matches!(pointee, Ty::Array(..)) && self.decide(Feature::Const, 25);
        let nullable = after == 0
            && matches!(pointee, Ty::Int(_))
            && self.has(Feature::NullPointer)
            && self.rng.percent(20);
        Some(Ty::Pointer(Rc::new(PointerTy {
            pointee,
            before: 0,
            after,
            array: None,
            nullable,
            read_only,
        })))
    }

    pub(crate) fn header(&mut self, name: &str, signature: &Signature, named: &[String]) -> String {
        let mut parameters: Vec<String> = Vec::new();
        for (index, ty) in signature.parameters.iter().enumerate() {
            let name = named.get(index).map_or("", String::as_str);
            let text = match ty {
                Ty::Pointer(pointer)
                    if pointer.after > 0
                        && !matches!(pointer.pointee, Ty::Array(..))
                        && self.rng.percent(40) =>
                {
                    let text = self.declaration(
                        &pointer.pointee.clone(),
                        &format!("{name}[{}]", pointer.after + 1),
                    );
                    if pointer.read_only {
                        format!("const {text}")
                    } else {
                        text
                    }
                }
                _ => self.declaration(ty, name),
            };
            parameters.push(text);
        }
        if signature.recursion_depth.is_some() {
            parameters.push("int depth".to_owned());
        }
        let parameters = if parameters.is_empty() {
            "void".to_owned()
        } else {
            parameters.join(", ")
        };
        let declarator = format!("{name}({parameters})");
        match &signature.result {
            Some(ty) => self.declaration(&ty.clone(), &declarator),
            None => format!("void {declarator}"),
        }
    }

    pub(crate) fn prototype(&mut self, name: &str, signature: &Signature) -> String {
        format!("static {};\n", self.header(name, signature, &[]))
    }

    /// Writes a function, with `body` for its statements, and makes it callable.
    pub(crate) fn write_function(
        &mut self,
        name: &str,
        signature: &Signature,
        budget: u64,
        body: impl FnOnce(&mut Self),
    ) -> (String, Effects, u64) {
        self.work = 0;
        self.repeat = 1;
        self.budget = budget;
        self.effects = Effects::default();
        self.scopes.push(Vec::new());
        let mut named = Vec::new();
        for ty in &signature.parameters {
            let name = self.fresh("p");
            let var = self.new_var(name.clone(), ty.clone(), Storage::default());
            self.declare(var);
            named.push(name);
        }
        if signature.recursion_depth.is_some() {
            let range = Interval::new(0, 9);
            let var = self.counter_var(
                "depth".to_owned(),
                Ty::Int(IntTy::ranged(IntKind::Int, range)),
            );
            self.declare(var);
        }
        let header = self.header(name, signature, &named);
        let text = self.capture(|generator| {
            let specifiers = if generator.decide(Feature::FunctionSpecifier, 15) {
                // An earlier static declaration stays in force.
                *generator.rng.pick(&[
                    "",
                    "static inline ",
                    "inline static ",
                    "static __inline__ ",
                    "static __attribute__((noinline)) ",
                    "__attribute__((unused)) static ",
                ])
            } else {
                "static "
            };
            generator.line(format!("{specifiers}{header}"));
            generator.braces("", "", body);
        });
        self.scopes.pop();
        (text, self.effects.exported(), self.work + 3)
    }

    fn define_function(&mut self, name: &str, signature: &Signature) -> String {
        let result = signature.result.clone();
        let count = self.rng.between(1, i128::from(self.size.min(6)) + 1) as u32;
        let (text, effects, cost) =
            self.write_function(name, signature, FUNCTION_BUDGET, |generator| {
                generator.return_ty = Some(result.clone());
                generator.locals();
                generator.statements(count, 2);
                generator.return_ty = None;
                if let Some(ty) = &result {
                    generator.return_statement(ty);
                }
            });
        self.functions.push(Function {
            name: name.to_owned(),
            signature: signature.clone(),
            effects,
            cost,
        });
        text
    }

    /// `return e;` with a value that keeps the promise of the result.
    pub(crate) fn return_statement(&mut self, ty: &Ty) {
        let cx = Context::default();
        let value = match ty {
            Ty::Int(int) => self.int_for(int, cx, 2),
            Ty::Float(kind) => self.float_for(*kind, cx, 2),
            Ty::Record(index) => {
                self.mark(Feature::StructReturn);
                self.record_value(*index, cx, 1)
            }
            Ty::Array(..) | Ty::Pointer(_) => unreachable!("no function returns {ty:?}"),
        };
        self.effects = self.effects.and(value.effects);
        self.line(format!("return {};", value.text));
    }

    fn define_table(&mut self, first: usize, signature: &Signature) -> String {
        let members = self.functions[first..].to_vec();
        let name = self.fresh("table");
        let length = members.len() as u32;
        let declarator = format!("(*const {name}[{length}])");
        let header = self.header(&declarator, signature, &[]);
        let names: Vec<String> = members
            .iter()
            .map(|member| {
                if self.rng.percent(30) {
                    format!("&{}", member.name)
                } else {
                    member.name.clone()
                }
            })
            .collect();
        self.tables.push(Table {
            name,
            signature: signature.clone(),
            effects: members
                .iter()
                .fold(Effects::default(), |all, member| all.and(member.effects)),
            cost: members.iter().map(|member| member.cost).max().unwrap_or(0),
            length,
        });
        format!("static {header} = {{{}}};\n", names.join(", "))
    }

    /// A function that returns a pointer to some global object.
    fn define_accessor(&mut self) -> Option<Definition> {
        let targets: Vec<Ty> = self.scopes[0]
            .iter()
            .filter(|var| var.addressable && var.writable)
            .map(|var| var.ty.clone())
            .filter(|ty| matches!(ty, Ty::Int(_) | Ty::Record(_)))
            .collect();
        if targets.is_empty() {
            return None;
        }
        self.mark(Feature::PointerReturn);
        let pointee = self.rng.pick(&targets).clone();
        let parameters = vec![Ty::Int(self.int_ty())];
        let result = Some(pointee.clone().pointer_to_one());
        let signature = Signature {
            result,
            parameters,
            recursion_depth: None,
        };
        let name = self.fresh("f");
        let prototype = self.prototype(&name, &signature);
        let (text, effects, cost) =
            self.write_function(&name, &signature, FUNCTION_BUDGET, |generator| {
                let (yes, no) = (
                    generator.static_address(&pointee),
                    generator.static_address(&pointee),
                );
                let condition = generator.condition();
                let condition = generator.full(&condition);
                generator.line(format!("if ({condition})"));
                generator.line(format!("    return {yes};"));
                generator.line(format!("return {no};"));
            });
        self.functions.push(Function {
            name,
            signature,
            effects,
            cost,
        });
        Some(Definition {
            prototype,
            text,
            table: String::new(),
        })
    }

    /// The entry function: statements, then everything global is printed.
    pub(crate) fn define_main(&mut self) {
        self.work = 0;
        self.repeat = 1;
        self.budget = MAIN_BUDGET;
        self.effects = Effects::default();
        let header = *self
            .rng
            .pick(&["int main(void)", "int main()", "int main(void)"]);
        self.line(header);
        let count = self.size * 3;
        self.scopes.push(Vec::new());
        self.braces("", "", |generator| {
            generator.locals();
            generator.statements(count, 3);
            generator.call_the_rest();
            generator.print_everything();
            let code = generator.int_for(
                &IntTy::ranged(IntKind::Int, Interval::new(0, 255)),
                Context::default(),
                2,
            );
            generator.line(format!("return {};", code.at(level::COMMA)));
        });
        self.scopes.pop();
    }

    /// Declares a pointer to a function: plainly, through a typedef, in a struct or in an array.
    fn declare_function_pointer(
        &mut self,
        name: &str,
        signature: &Signature,
        target: &str,
    ) -> String {
        match self.rng.below(5) {
            0 => {
                let pointer = self.header(&format!("(*{name}_type)"), signature, &[]);
                self.line(format!("typedef {pointer};"));
                self.line(format!("{name}_type {name} = {target};"));
                name.to_owned()
            }
            1 => {
                let member = self.header("(*run)", signature, &[]);
                self.line(format!(
                    "struct {{ int id; {member}; }} {name} = {{7, {target}}};"
                ));
                format!("{name}.run")
            }
            2 => {
                let element = self.header(&format!("(*{name}[2])"), signature, &[]);
                self.line(format!("{element} = {{[1] = {target}}};"));
                format!("{name}[1]")
            }
            _ => {
                let pointer = self.header(&format!("(*{name})"), signature, &[]);
                self.line(format!("{pointer} = {target};"));
                name.to_owned()
            }
        }
    }

    /// A statement that uses a local pointer to one of the functions.
    pub(crate) fn function_pointer_statement(&mut self) -> bool {
        let candidates: Vec<Function> = self
            .functions
            .iter()
            .filter(|function| matches!(function.signature.result, Some(Ty::Int(_))))
            .filter(|function| self.work + self.repeat * (function.cost + 5) <= self.budget)
            .cloned()
            .collect();
        if candidates.is_empty() || !self.has(Feature::FunctionPointer) {
            return false;
        }
        self.mark(Feature::FunctionPointer);
        let function = self.rng.pick(&candidates).clone();
        self.work += self.repeat * (function.cost + 5);
        let name = self.fresh("fp");
        let address = if self.rng.percent(50) { "&" } else { "" };
        let target = format!("{address}{}", function.name);
        let callee = self.declare_function_pointer(&name, &function.signature, &target);
        let (arguments, done) = self.arguments(
            &function.signature,
            Context::default(),
            Effects::default(),
            2,
        );
        self.effects = self.effects.and(done).and(function.effects);
        let call = if self.rng.percent(50) {
            format!("(*{callee})({arguments})")
        } else {
            format!("{callee}({arguments})")
        };
        let Some(Ty::Int(ty)) = function.signature.result else {
            return true;
        };
        let value = Expr::int(call, level::POSTFIX, ty.kind, ty.range);
        self.print_int(&value);
        true
    }
}
