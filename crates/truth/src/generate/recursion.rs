//! Functions that call themselves, or each other.

use super::{Generator, Helper, Variable};

/// Calls nest at most so deep in each of the functions.
const DEEPEST: i64 = 6;

impl Generator {
    /// A function that calls itself, or two that call each other. The first parameter goes down to 0, from a small
    /// number however large it was given.
    pub(super) fn recursive(&mut self) {
        let names: Vec<String> = match self.rng.percent(35) {
            true => vec![self.fresh("r"), self.fresh("r")],
            false => vec![self.fresh("r")],
        };
        let result = self.pick_type();
        let other = self.pick_type();
        let head = |name: &str| {
            let (result, other) = (result.name, other.name);
            format!("static {result} {name}(int n, {other} p)")
        };
        if let [_, second] = &names[..] {
            self.line(format!("{};", head(second)));
        }
        let globals = self.vars.len();
        for (place, name) in names.iter().enumerate() {
            let callee = &names[(place + 1) % names.len()];
            self.vars.push(Variable {
                name: "n".to_owned(),
                ty: super::types::TYPES[0],
                is_free: false,
            });
            self.vars.push(Variable {
                name: "p".to_owned(),
                ty: other,
                is_free: true,
            });
            self.line(format!("{} {{", head(name)));
            self.indent += 1;
            self.line(format!("if (n > {DEEPEST}) n = {DEEPEST};"));
            self.line("if (n <= 0) {");
            self.indent += 1;
            self.room = 1;
            self.block(1);
            let value = self.value(1);
            self.line(format!("return {value};"));
            self.indent -= 1;
            self.line("}");
            self.room = 2;
            self.block(1);
            let given = self.value(1);
            self.line(format!("{} r = {callee}(n - 1, {given});", result.name));
            self.vars.push(Variable {
                name: "r".to_owned(),
                ty: result,
                is_free: true,
            });
            if self.rng.percent(15) {
                self.line(format!("r = {callee}(n - 2, r);"));
            }
            self.room = 2;
            self.block(1);
            let value = self.value(1);
            self.line(format!("return {value};"));
            self.indent -= 1;
            self.line("}");
            self.vars.truncate(globals);
        }
        // Only the first is called from outside: the other one's turn comes.
        self.helpers.push(Helper {
            name: names[0].clone(),
            params: 2,
        });
    }

    /// A main function that has little to do but to call.
    pub(super) fn calling_main(&mut self) {
        self.in_main = true;
        self.line("int main(void) {");
        self.indent += 1;
        for _ in 0..2 {
            self.local();
        }
        self.room = 3 + self.rng.index(4);
        for _ in 0..1 + self.rng.index(2) {
            let targets: Vec<String> = self.vars.iter().map(|var| var.name.clone()).collect();
            let target = self.rng.pick(&targets).clone();
            let call = self.call();
            self.line(format!("{target} = {call};"));
            if self.rng.percent(30) {
                self.repetition(1);
            } else {
                self.block(1);
            }
        }
        self.place();
        self.line("return 0;");
        self.indent -= 1;
        self.line("}");
    }
}
