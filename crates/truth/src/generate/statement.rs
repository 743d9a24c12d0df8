//! Statements, one per line.

use super::{Generator, Variable};

#[derive(Clone, Copy)]
enum Kind {
    Step,
    Assignment,
    Input,
    Branch,
    Repetition,
    Assumption,
    Call,
    Leave,
    Switch,
    Skip,
    Place,
    Reset,
}

impl Generator {
    /// A few statements.
    pub(super) fn block(&mut self, depth: usize) {
        self.statement(depth);
        for _ in 0..self.rng.index(3) {
            if self.room > 0 {
                self.statement(depth);
            }
        }
    }

    fn nested(&mut self, depth: usize) {
        self.indent += 1;
        self.block(depth);
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize) {
        use Kind::*;
        let Some(left) = self.room.checked_sub(1) else {
            return self.step();
        };
        self.room = left;
        let kinds = [
            (22, Step),
            (20, Assignment),
            (6, Input),
            (14, Branch),
            (8, Repetition),
            (2, Assumption),
            (4, Call),
            (4, Leave),
            (3, Switch),
            (3, Skip),
            (2, Place),
            (5, Reset),
        ];
        match self.choose(&kinds, Step) {
            Step => self.step(),
            Assignment => self.assignment(),
            Input => match self.free() {
                Some(variable) => self.input(&variable),
                None => self.step(),
            },
            Branch if depth > 0 => self.branch(depth - 1),
            Repetition if depth > 0 => self.repetition(depth - 1),
            Assumption => {
                let condition = self.condition(1);
                self.line(format!("__VERIFIER_assume({condition});"));
            }
            Call if !self.helpers.is_empty() => {
                let call = self.call();
                self.line(format!("{call};"));
            }
            Leave if self.loops > 0 => {
                let condition = self.condition(1);
                let way = *self.rng.pick(&["break;", "continue;", "break;"]);
                self.line(format!("if ({condition}) {{"));
                self.line(format!("  {way}"));
                self.line("}");
            }
            Switch if depth > 0 => self.switch(depth - 1),
            Skip if depth > 0 => self.skip(depth - 1),
            Place if self.in_main && self.looks < 2 => self.place(),
            Reset => {
                // Keeps the number of states small.
                if let Some(variable) = self.free() {
                    let (name, bound) = (variable.name, self.rng.between(4, 30));
                    self.line(format!("if ({name} > {bound}) {{"));
                    self.line(format!("  {name} = 0;"));
                    self.line("}");
                }
            }
            _ => self.assignment(),
        }
    }

    fn step(&mut self) {
        if let Some(Variable { name, .. }) = self.free() {
            let by = self.rng.between(1, 4);
            let operator = *self.rng.pick(&["+", "+", "-"]);
            self.line(format!("{name} {operator}= {by};"));
        }
    }

    fn assignment(&mut self) {
        if let Some(Variable { name, .. }) = self.free() {
            let value = self.value(2);
            let operator = *self.rng.pick(&["=", "=", "=", "=", "+=", "-="]);
            self.line(format!("{name} {operator} {value};"));
        }
    }

    /// A value from outside, in a small range.
    pub(super) fn input(&mut self, variable: &Variable) {
        let Variable { name, ty, .. } = variable;
        self.line(format!("{name} = __VERIFIER_nondet_{}();", ty.suffix));
        if ty.name == "_Bool" || (ty.small && self.rng.percent(15)) {
            return;
        }
        let low = match ty.signed {
            true => self.rng.between(-3, 3),
            false => self.rng.between(0, 3),
        };
        let high = low + self.rng.between(0, 9);
        if self.rng.percent(50) {
            self.line(format!(
                "__VERIFIER_assume({name} >= {low} && {name} <= {high});"
            ));
        } else {
            self.line(format!("if ({name} < {low} || {name} > {high}) {{"));
            self.line("  abort();");
            self.line("}");
        }
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition(1);
        self.line(format!("if ({condition}) {{"));
        self.nested(depth);
        if self.rng.percent(50) {
            self.line("} else {");
            self.nested(depth);
        }
        self.line("}");
    }

    fn switch(&mut self, depth: usize) {
        let Some(Variable { name, .. }) = self.free() else {
            return;
        };
        self.line(format!("switch ({name}) {{"));
        // A `continue` in here would be fine, a `break` means something else.
        let loops = std::mem::take(&mut self.loops);
        for case in 0..1 + self.rng.index(3) {
            self.line(format!("case {case}:"));
            self.nested(depth);
            if self.rng.percent(70) {
                self.line("  break;");
            }
        }
        if self.rng.percent(50) {
            self.line("default:");
            self.nested(depth);
        }
        self.loops = loops;
        self.line("}");
    }

    /// A jump forward.
    fn skip(&mut self, depth: usize) {
        let label = self.fresh("L");
        let condition = self.condition(1);
        self.line(format!("if ({condition}) {{"));
        self.line(format!("  goto {label};"));
        self.line("}");
        self.block(depth);
        self.line(format!("{label}:;"));
    }

    /// A loop.
    pub(super) fn repetition(&mut self, depth: usize) {
        match self.rng.index(10) {
            0..=2 => self.counted(depth),
            3 | 4 => self.guarded(depth),
            5 => self.asked(depth),
            6 => self.body_first(depth),
            7 => self.endless(depth),
            8 => self.jump_back(depth),
            _ => self.counted(depth),
        }
    }

    fn body(&mut self, depth: usize) {
        self.loops += 1;
        self.nested(depth);
        self.loops -= 1;
    }

    fn bound(&mut self) -> i128 {
        match self.rng.index(10) {
            0..=5 => self.rng.between(2, 6),
            6..=8 => self.rng.between(7, 25),
            _ => *self.rng.pick(&[50, 100, 127, 200]),
        }
    }

    /// A counter that runs to a bound.
    fn counted(&mut self, depth: usize) {
        let ty = self.pick_type();
        let ty = match ty.name {
            "_Bool" | "signed char" => "int",
            other => other,
        };
        let counter = self.fresh("i");
        let bound = match self.free() {
            Some(variable) if self.rng.percent(25) => variable.name,
            _ => self.bound().to_string(),
        };
        let by = *self.rng.pick(&[1, 1, 1, 2, 3]);
        let header = match self.rng.percent(75) {
            true => format!("for ({ty} {counter} = 0; {counter} < {bound}; {counter} += {by}) {{"),
            false => format!("for ({ty} {counter} = {bound}; {counter} > 0; {counter}--) {{"),
        };
        self.line(header);
        let outside = self.vars.len();
        self.vars.push(Variable {
            name: counter,
            ty: super::TYPES[0],
            is_free: false,
        });
        self.body(depth);
        self.vars.truncate(outside);
        self.line("}");
    }

    /// A loop that some variable has to get out of.
    fn guarded(&mut self, depth: usize) {
        let Some(Variable { name, .. }) = self.free() else {
            return self.counted(depth);
        };
        let (bound, by) = (self.bound(), self.rng.between(1, 3));
        let header = match self.rng.index(4) {
            0 => format!("while ({name} != {bound}) {{"),
            1 => {
                let condition = self.condition(0);
                format!("while ({name} < {bound} && {condition}) {{")
            }
            _ => format!("while ({name} < {bound}) {{"),
        };
        self.line(header);
        self.body(depth);
        self.line(format!("  {name} += {by};"));
        self.line("}");
    }

    /// A loop that goes on as long as somebody outside wants.
    fn asked(&mut self, depth: usize) {
        self.line("while (__VERIFIER_nondet_int()) {");
        if let Some(Variable { name, .. }) = self.free() {
            let bound = self.bound();
            self.line(format!("  if ({name} > {bound}) {{"));
            self.line("    break;");
            self.line("  }");
        }
        self.body(depth);
        self.line("}");
    }

    fn body_first(&mut self, depth: usize) {
        self.line("do {");
        self.body(depth);
        self.indent += 1;
        self.step();
        self.indent -= 1;
        let condition = self.condition(1);
        self.line(format!("}} while ({condition});"));
    }

    fn endless(&mut self, depth: usize) {
        self.line("for (;;) {");
        let condition = self.condition(1);
        self.line(format!("  if ({condition}) {{"));
        self.line("    break;");
        self.line("  }");
        self.body(depth);
        self.line("}");
    }

    fn jump_back(&mut self, depth: usize) {
        let label = self.fresh("B");
        let Some(Variable { name, .. }) = self.free() else {
            return;
        };
        let (bound, by) = (self.bound(), self.rng.between(1, 3));
        self.line(format!("{label}:;"));
        self.block(depth);
        self.line(format!("{name} += {by};"));
        self.line(format!("if ({name} < {bound}) {{"));
        self.line(format!("  goto {label};"));
        self.line("}");
    }
}
