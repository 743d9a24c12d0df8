//! Statements and local declarations.

use super::Generator;
use super::effects::{Context, Effects};
use super::expr::{Expr, has_plain_type, level};
use super::scope::Storage;
use super::types::{IntTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

/// The kinds of statements.
#[derive(Clone, Copy)]
enum Form {
    Assign,
    AssignFloat,
    AssignRecord,
    AssignPointer,
    Step,
    Call,
    CallPointer,
    Declare,
    Print,
    If,
    Block,
    For,
    While,
    DoWhile,
    Switch,
    Jump,
    Idiom,
    Leave,
    Return,
    End,
}

impl Generator {
    /// Notes what evaluating the expression does, and gives its text as a full expression.
    pub(crate) fn full(&mut self, expression: &Expr) -> String {
        self.effects = self.effects.and(expression.effects);
        self.work += self.repeat;
        expression.text.clone()
    }

    /// Declarations at the head of a block.
    pub(crate) fn locals(&mut self) {
        for _ in 0..self.rng.between(0, 1 + i128::from(self.size / 2)) {
            self.declare_local();
        }
    }

    /// `count` statements; `nesting` bounds how deep compound statements nest.
    pub(crate) fn statements(&mut self, count: u32, nesting: u32) {
        for _ in 0..count {
            self.statement(nesting);
        }
    }

    /// A brace-enclosed body of one to three statements.
    pub(crate) fn body(&mut self, head: &str, tail: &str, nesting: u32) {
        self.braces(head, tail, |generator| {
            if generator.rng.percent(30) {
                generator.declare_local();
            }
            let count = generator.rng.between(1, 3) as u32;
            generator.statements(count, nesting);
        });
    }

    fn statement(&mut self, nesting: u32) {
        self.work += self.repeat;
        let affordable = u32::from(self.work + self.repeat * 40 < self.budget);
        let nested = u32::from(nesting > 0) * affordable;
        let jumps = [
            Feature::GotoForward,
            Feature::GotoBackward,
            Feature::GotoIntoBlock,
            Feature::GotoOutOfBlock,
            Feature::ComputedGoto,
        ];
        let jump = u32::from(jumps.iter().any(|feature| self.has(*feature)));
        let floats = self
            .weight(Feature::Float, 1)
            .max(self.weight(Feature::Double, 1));
        let forms = [
            (16, Form::Assign),
            (5 * floats, Form::AssignFloat),
            (
                self.weight(Feature::StructAssignment, 4),
                Form::AssignRecord,
            ),
            (4, Form::AssignPointer),
            (self.weight(Feature::IncrementDecrement, 4), Form::Step),
            (self.weight(Feature::Call, 4), Form::Call),
            (self.weight(Feature::FunctionPointer, 2), Form::CallPointer),
            (8, Form::Declare),
            (10 * affordable, Form::Print),
            (8 * nested, Form::If),
            (2 * nested, Form::Block),
            (self.weight(Feature::For, 5) * nested, Form::For),
            (self.weight(Feature::While, 3) * nested, Form::While),
            (self.weight(Feature::DoWhile, 3) * nested, Form::DoWhile),
            (self.weight(Feature::Switch, 4) * nested, Form::Switch),
            (4 * jump * nested, Form::Jump),
            (6 * affordable, Form::Idiom),
            (if self.loops.is_empty() { 0 } else { 4 }, Form::Leave),
            (if self.return_ty.is_some() { 2 } else { 0 }, Form::Return),
            (
                self.weight(Feature::Exit, 1)
                    .max(self.weight(Feature::Abort, 1)),
                Form::End,
            ),
        ];
        let cx = Context::default();
        let depth = self.rng.between(1, 4) as u32;
        let expression = match self.rng.weighted(&forms).unwrap_or(Form::Assign) {
            Form::Assign => self.assignment(cx, depth),
            Form::AssignFloat => self.float_assignment(cx, depth),
            Form::AssignRecord => self.record_assignment(cx),
            Form::AssignPointer => self.pointer_assignment(cx),
            Form::Step => self.step(cx),
            Form::Call => {
                if let Some(call) = self.call_statement() {
                    self.line(call);
                }
                return;
            }
            Form::CallPointer => {
                self.function_pointer_statement();
                return;
            }
            Form::Declare => return self.declare_local(),
            Form::Print => return self.print_something(),
            Form::If => return self.if_statement(nesting - 1),
            Form::Block => return self.body("", "", nesting - 1),
            Form::For => return self.for_loop(nesting - 1),
            Form::While => return self.while_loop(nesting - 1),
            Form::DoWhile => return self.do_loop(nesting - 1),
            Form::Switch => return self.switch(nesting - 1),
            Form::Jump => return self.jump(nesting - 1),
            Form::Idiom => return self.idiom(),
            Form::Leave => return self.leave_loop(),
            Form::Return => return self.early_return(),
            Form::End => return self.end_program(),
        };
        match expression {
            Some(expression) => {
                let text = self.full(&expression);
                self.line(format!("{text};"));
            }
            None => self.line(";"),
        }
    }

    /// Declares a local object and initialises it, at once or by the next statement.
    pub(crate) fn declare_local(&mut self) {
        self.work += self.repeat * 3;
        let cx = Context::default();
        match self.rng.below(10) {
            0 | 1 => self.declare_pointer(),
            2 if self.has(Feature::Typeof) => self.declare_typeof(),
            3 if self.has(Feature::StaticLocal) => self.declare_static(),
            _ => {
                let ty = self.object_ty();
                let name = self.local_name();
                if self.has(Feature::DelayedInitialisation) && self.rng.percent(25) {
                    return self.declare_delayed(ty, name);
                }
                let scalar = matches!(ty, Ty::Int(_) | Ty::Float(_));
                let storage = Storage {
                    is_const: self.decide(Feature::Const, 8),
                    is_volatile: scalar && self.decide(Feature::Volatile, 5),
                    is_register: scalar && self.rng.percent(3),
                    is_static: false,
                };
                let declaration = self.declaration(&ty, &name);
                self.hidden = Some(name.clone());
                let (value, effects) = self.initialiser(&ty, self.scopes.len(), cx);
                self.hidden = None;
                self.effects = self.effects.and(effects);
                self.line(format!("{}{declaration} = {value};", storage.prefix()));
                let var = self.new_var(name, ty, storage);
                self.declare(var);
            }
        }
    }

    fn declare_pointer(&mut self) {
        let name = self.local_name();
        self.hidden = Some(name.clone());
        let made = self.new_pointer(Context::default());
        self.hidden = None;
        let Some((pointer, value)) = made else { return };
        let ty = Ty::Pointer(std::rc::Rc::new(pointer));
        let declaration = self.declaration(&ty, &name);
        self.effects = self.effects.and(value.effects);
        self.line(format!("{declaration} = {};", value.at(level::ASSIGN)));
        let var = self.new_var(name, ty, Storage::default());
        self.declare(var);
    }

    /// `typeof(e) x = …;` where the type of `e` is known.
    fn declare_typeof(&mut self) {
        let pattern = self.int_expr(Context::default(), 2);
        if !has_plain_type(&pattern) {
            return;
        }
        self.mark(Feature::Typeof);
        let word = *self.rng.pick(&["typeof", "__typeof__"]);
        let ty = IntTy::full(pattern.kind(), self.model);
        let name = self.local_name();
        self.hidden = Some(name.clone());
        let value = self.int_for(&ty, Context::default(), 2);
        self.hidden = None;
        self.effects = self.effects.and(value.effects);
        self.line(format!(
            "{word}({}) {name} = {};",
            pattern.text,
            value.at(level::ASSIGN)
        ));
        // The pattern may be a const or volatile object, whose type comes with its qualifiers.
        let qualified = Storage {
            is_const: true,
            is_volatile: true,
            ..Storage::default()
        };
        let var = self.new_var(name, Ty::Int(ty), qualified);
        self.declare(var);
    }

    fn declare_static(&mut self) {
        self.mark(Feature::StaticLocal);
        let ty = self.object_ty();
        let name = self.local_name();
        let declaration = self.declaration(&ty, &name);
        self.hidden = Some(name.clone());
        let (value, _) = self.initialiser(&ty, 0, Context::constant());
        self.hidden = None;
        self.line(format!("static {declaration} = {value};"));
        let storage = Storage {
            is_static: true,
            ..Storage::default()
        };
        let var = self.new_var(name, ty, storage);
        self.declare(var);
    }

    /// `T x; x = e;`, for arrays by a loop.
    fn declare_delayed(&mut self, ty: Ty, name: String) {
        self.mark(Feature::DelayedInitialisation);
        let declaration = self.declaration(&ty, &name);
        self.line(format!("{declaration};"));
        self.hidden = Some(name.clone());
        match &ty {
            Ty::Array(element, length) if matches!(**element, Ty::Int(_) | Ty::Float(_)) => {
                let counter = self.fresh("i");
                self.line(format!(
                    "for (int {counter} = 0; {counter} < {length}; {counter}++)"
                ));
                self.scopes.push(Vec::new());
                let range = Interval::new(0, i128::from(*length) - 1);
                let var =
                    self.counter_var(counter.clone(), Ty::Int(IntTy::ranged(IntKind::Int, range)));
                self.declare(var);
                let cx = Context::default().pure();
                let (value, effects) = self.initialiser(element, self.scopes.len(), cx);
                self.scopes.pop();
                self.effects = self.effects.and(effects);
                self.line(format!("    {name}[{counter}] = {value};"));
            }
            Ty::Array(..) => {
                let literal = self.filled_by_literal(&ty, &name);
                self.line(literal);
            }
            Ty::Record(index) => {
                let value = self.record_value(*index, Context::default(), 1);
                self.effects = self.effects.and(value.effects);
                self.line(format!("{name} = {};", value.at(level::ASSIGN)));
            }
            _ => {
                let (value, effects) = self.initialiser(&ty, self.scopes.len(), Context::default());
                self.effects = self.effects.and(effects);
                self.line(format!("{name} = {value};"));
            }
        }
        self.hidden = None;
        let var = self.new_var(name, ty, Storage::default());
        self.declare(var);
    }

    /// Statements that fill an array of aggregates element by element.
    fn filled_by_literal(&mut self, ty: &Ty, name: &str) -> String {
        let mut leaves = vec![(name.to_owned(), ty.clone())];
        let mut text = Vec::new();
        while let Some((place, ty)) = leaves.pop() {
            match &ty {
                Ty::Array(element, length) => {
                    leaves.extend(
                        (0..*length)
                            .map(|index| (format!("{place}[{index}]"), (**element).clone())),
                    );
                }
                Ty::Record(index) => {
                    let value = self.record_value(*index, Context::default(), 0);
                    self.effects = self.effects.and(value.effects);
                    text.push(format!("{place} = {};", value.at(level::ASSIGN)));
                }
                _ => {
                    let (value, effects) =
                        self.initialiser(&ty, self.scopes.len(), Context::default());
                    self.effects = self.effects.and(effects);
                    text.push(format!("{place} = {value};"));
                }
            }
        }
        text.join(" ")
    }

    /// A simple statement without declarations, for bodies without braces.
    fn simple_statement(&mut self) -> String {
        let cx = Context::default();
        let expression = match self.rng.below(4) {
            0 => self.step(cx),
            1 => self.float_assignment(cx, 2),
            _ => self.assignment(cx, 2),
        };
        expression.map_or(";".to_owned(), |expression| {
            format!("{};", self.full(&expression))
        })
    }

    /// `if (a) x; else if (b) y; else z;`, where each `else` belongs to the nearest `if`.
    fn unbraced_if(&mut self) {
        self.mark(Feature::UnbracedBody);
        let links = self.rng.between(1, 3);
        for link in 0..links {
            let condition = self.condition();
            let text = self.full(&condition);
            let word = if link == 0 { "if" } else { "else if" };
            let body = self.simple_statement();
            // A nested `if` without `else` would take the next one.
            let inner = link + 1 == links && self.rng.percent(30);
            if inner {
                let condition = self.condition();
                let inner = self.full(&condition);
                self.line(format!("{word} ({text}) if ({inner}) {body}"));
            } else {
                self.line(format!("{word} ({text}) {body}"));
            }
        }
        if self.rng.percent(50) {
            let body = self.simple_statement();
            self.line(format!("else {body}"));
        }
    }

    /// `c ? (void)e : (void)f;`
    fn void_conditional(&mut self) {
        self.mark(Feature::Conditional);
        let condition = self.condition();
        let condition = Expr {
            text: self.full(&condition),
            ..condition
        };
        let cx = Context::default();
        let (yes, no) = (self.side_effect(cx, 2), self.side_effect(cx, 2));
        self.effects = self.effects.and(yes.effects).and(no.effects);
        let (yes, no) = (yes.at(level::CAST), no.at(level::CAST));
        self.line(format!(
            "{} ? (void){yes} : (void){no};",
            condition.at(level::OR)
        ));
    }

    fn if_statement(&mut self, nesting: u32) {
        match self.rng.below(5) {
            0 if self.has(Feature::UnbracedBody) => return self.unbraced_if(),
            1 if self.has(Feature::Conditional) => return self.void_conditional(),
            _ => {}
        }
        let condition = self.condition();
        let mut text = self.full(&condition);
        if self.decide(Feature::BuiltinExpect, 8) {
            let likely = self.rng.below(2);
            text = format!("__builtin_expect(!!({text}), {likely})");
        }
        self.body(&format!("if ({text})"), "", nesting);
        while self.rng.percent(25) {
            let condition = self.condition();
            let text = self.full(&condition);
            self.body(&format!("else if ({text})"), "", nesting);
        }
        if self.rng.percent(40) {
            self.body("else", "", nesting);
        }
    }

    fn early_return(&mut self) {
        let Some(result) = self.return_ty.clone() else {
            return;
        };
        let condition = self.condition();
        let text = self.full(&condition);
        self.line(format!("if ({text})"));
        self.indent += 1;
        match result {
            Some(ty) => self.return_statement(&ty),
            None => self.line("return;"),
        }
        self.indent -= 1;
    }

    /// Ends the program early, under a condition that seldom holds.
    fn end_program(&mut self) {
        if self.rng.percent(70) {
            return;
        }
        let wanted = self.rng.between(100, 160);
        let value = self.int_expr(Context::default(), 1);
        let wanted = self.literal(wanted);
        let text = self.full(&value);
        let value = Expr { text, ..value };
        let test = format!("if ({} == {})", value.at(level::EQUAL), wanted.text);
        let is_abort = self.has(Feature::Abort) && self.rng.percent(45);
        if is_abort {
            self.mark(Feature::Abort);
            self.externs.insert("void abort(void);".to_owned());
            self.line(format!("{test} abort();"));
        } else if self.has(Feature::Exit) {
            self.mark(Feature::Exit);
            self.externs.insert("void exit(int);".to_owned());
            let code = self.rng.between(0, 255);
            self.line(format!("{test} exit({code});"));
        }
        self.effects = self.effects.and(Effects::writing(super::effects::WORLD));
    }
}
