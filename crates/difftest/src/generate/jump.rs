//! `goto`: over statements, back to earlier ones a bounded number of times, into and out of blocks.

use super::Generator;
use super::effects::Context;
use super::expr::level;
use super::types::{IntTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

/// The shapes of jumps.
#[derive(Clone, Copy)]
enum Shape {
    Forward,
    Backward,
    IntoBlock,
    IntoLoop,
    OutOfBlocks,
    Computed,
}

impl Generator {
    /// A statement sequence with a jump.
    pub(crate) fn jump(&mut self, nesting: u32) {
        let shapes = [
            (self.weight(Feature::GotoForward, 3), Shape::Forward),
            (self.weight(Feature::GotoBackward, 3), Shape::Backward),
            (self.weight(Feature::GotoIntoBlock, 2), Shape::IntoBlock),
            (self.weight(Feature::GotoIntoBlock, 1), Shape::IntoLoop),
            (self.weight(Feature::GotoOutOfBlock, 3), Shape::OutOfBlocks),
            (self.weight(Feature::ComputedGoto, 2), Shape::Computed),
        ];
        match self.rng.weighted(&shapes) {
            Some(Shape::Forward) => self.jump_forward(nesting),
            Some(Shape::Backward) => self.jump_backward(nesting),
            Some(Shape::IntoBlock) => self.jump_into_block(),
            Some(Shape::IntoLoop) => self.jump_into_loop(nesting),
            Some(Shape::OutOfBlocks) => self.jump_out_of_blocks(nesting),
            Some(Shape::Computed) => self.computed_jump(),
            None => self.line(";"),
        }
    }

    fn if_goto(&mut self, label: &str) {
        let condition = self.condition();
        let text = self.full(&condition);
        self.line(format!("if ({text}) goto {label};"));
    }

    fn jump_forward(&mut self, nesting: u32) {
        self.mark(Feature::GotoForward);
        let label = self.fresh("L");
        self.if_goto(&label);
        // In braces: no declaration is jumped over while its scope goes on.
        self.body("", "", nesting);
        self.line(format!("{label}:;"));
    }

    fn jump_backward(&mut self, nesting: u32) {
        self.mark(Feature::GotoBackward);
        let label = self.fresh("L");
        let counter = self.fresh("k");
        let times = self.trip_count();
        self.line(format!("int {counter} = 0;"));
        self.line(format!("{label}:;"));
        self.repeated(times, |generator| {
            generator.body("", "", nesting);
            let condition = if generator.rng.percent(50) {
                let condition = generator.condition();
                let text = generator.full(&condition);
                format!(" && ({text})")
            } else {
                String::new()
            };
            generator.line(format!(
                "if (++{counter} < {times}{condition}) goto {label};"
            ));
        });
    }

    /// Jumps past the first assignment of an object in an inner block to the second one.
    fn jump_into_block(&mut self) {
        self.mark(Feature::GotoIntoBlock);
        let label = self.fresh("L");
        self.if_goto(&label);
        let ty = self.int_ty();
        let name = self.fresh("t");
        let declaration = self.declaration(&Ty::Int(ty), &name);
        self.braces("", "", |generator| {
            generator.line(format!("{declaration};"));
            for arrives in [false, true] {
                let value = generator.int_for(&ty, Context::default(), 2);
                let text = value.at(level::ASSIGN);
                generator.full(&value);
                let label = if arrives {
                    format!("{label}: ")
                } else {
                    String::new()
                };
                generator.line(format!("{label}{name} = {text};"));
            }
            let var = generator.counter_var(name.clone(), Ty::Int(ty));
            generator.declare(var);
            generator.print_object(&name, &Ty::Int(ty), level::PRIMARY);
            generator.statements(1, 0);
        });
    }

    fn jump_into_loop(&mut self, nesting: u32) {
        self.mark(Feature::GotoIntoBlock);
        let label = self.fresh("L");
        let counter = self.fresh("i");
        let times = self.trip_count();
        let first = self.rng.between(0, times - 1);
        self.line(format!("int {counter} = {first};"));
        self.if_goto(&label);
        let head = format!("for ({counter} = 0; {counter} < {times}; {counter}++)");
        self.repeated(times, |generator| {
            generator.loops.push(super::control::LoopKind::Loop);
            generator.braces(&head, "", |generator| {
                let range = Interval::new(0, times - 1);
                let var = generator
                    .counter_var(counter.clone(), Ty::Int(IntTy::ranged(IntKind::Int, range)));
                generator.declare(var);
                generator.body("", "", nesting);
                generator.line(format!("{label}:;"));
                generator.body("", "", nesting);
            });
            generator.loops.pop();
        });
    }

    fn jump_out_of_blocks(&mut self, nesting: u32) {
        self.mark(Feature::GotoOutOfBlock);
        let label = self.fresh("L");
        let times = self.trip_count();
        let counters = [self.fresh("i"), self.fresh("i")];
        let heads = counters
            .clone()
            .map(|i| format!("for (int {i} = 0; {i} < {times}; {i}++)"));
        self.mark(Feature::For);
        self.repeated(times * times, |generator| {
            generator.braces(&heads[0], "", |generator| {
                generator.braces(&heads[1], "", |generator| {
                    let range = Interval::new(0, times - 1);
                    for counter in &counters {
                        let ty = Ty::Int(IntTy::ranged(IntKind::Int, range));
                        let var = generator.counter_var(counter.clone(), ty);
                        generator.declare(var);
                    }
                    generator.statements(1, nesting.min(1));
                    generator.if_goto(&label);
                    generator.print_something();
                });
            });
        });
        self.line(format!("{label}:;"));
    }

    /// GNU C: labels as values.
    fn computed_jump(&mut self) {
        self.mark(Feature::ComputedGoto);
        let labels = [self.fresh("L"), self.fresh("L"), self.fresh("L")];
        let end = self.fresh("L");
        let table = self.fresh("jump");
        let targets = labels.clone().map(|label| format!("&&{label}")).join(", ");
        self.line(format!("static void *const {table}[3] = {{{targets}}};"));
        let index = self.index(Interval::new(0, 2), Context::default());
        let text = self.full(&index);
        self.line(format!("goto *{table}[{text}];"));
        for label in &labels {
            self.line(format!("{label}:;"));
            self.body("", "", 0);
            if self.rng.percent(60) {
                self.line(format!("goto {end};"));
            }
        }
        self.line(format!("{end}:;"));
    }
}
