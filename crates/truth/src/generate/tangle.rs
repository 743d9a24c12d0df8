//! Programs whose control flow is a tangle, for whoever has to follow all ways at once: jumps forward to common labels,
//! early returns, `switch` that falls through, `break` and `continue` out of nests, several errors, locals without a
//! value, assumptions, ends of the run inside of functions, and calls that nobody can inline. Conditions ask the same
//! few variables again and again, so that many of the ways contradict themselves.

use std::fmt::Write as _;

use rhumb_difftest::rng::Rng;

/// A tangled program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tangle {
    /// The program.
    pub text: String,
    /// The same program with each call that can't be inlined replaced by what it may change: the globals that are set
    /// by what it calls have any value, and so has its result.
    pub stand_in: String,
}

/// Values from 0 up to this are what conditions ask for.
const VALUES: i128 = 3;

/// The global variables and their types.
const GLOBALS: [(&str, &str); 3] = [("g0", "uchar"), ("g1", "uchar"), ("g2", "bool")];

/// A tangled program, with or without loops.
pub fn tangle(seed: u64, loops: bool) -> Tangle {
    let rng = Rng::new(seed);
    let writer = Writer {
        rng,
        text: String::new(),
        indent: 1,
        vars: GLOBALS.map(|(name, _)| name.to_owned()).to_vec(),
        kept: Vec::new(),
        label: 0,
        last_label: 0,
        inside: Vec::new(),
        room: 0,
        loops,
        counters: 0,
        in_main: true,
    };
    writer.program()
}

/// What a `break` or `continue` would leave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// A loop, or `do … while (0)`.
    Loop,
    Switch,
}

struct Writer {
    rng: Rng,
    text: String,
    indent: usize,
    vars: Vec<String>,
    /// Functions that can't be inlined.
    kept: Vec<String>,
    /// Labels up to here are behind.
    label: usize,
    last_label: usize,
    inside: Vec<Inside>,
    room: usize,
    loops: bool,
    counters: usize,
    in_main: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Assignment,
    Branch,
    Jump,
    Return,
    Switch,
    Once,
    Error,
    Kept,
    Helper,
    Assumption,
    End,
    Leave,
    Input,
    Loop,
}

impl Writer {
    fn program(mut self) -> Tangle {
        let mut head = String::from(
            "extern void abort(void);\nextern void exit(int);\nextern void reach_error(void);\nextern void __VERIFIER_assume(int);\n\
             extern unsigned char __VERIFIER_nondet_uchar(void);\nextern _Bool __VERIFIER_nondet_bool(void);\nextern int __VERIFIER_nondet_int(void);\n",
        );
        for (name, ty) in GLOBALS {
            let first = match self.rng.percent(30) {
                true => format!(" = {}", self.rng.between(0, 1)),
                false => String::new(),
            };
            let _ = writeln!(head, "{} {name}{first};", c_type(ty));
        }
        let (bodies, stand_ins) = self.kept_functions();
        self.helper();
        let helper = std::mem::take(&mut self.text);
        self.main();
        let rest = helper + &self.text;
        Tangle {
            text: format!("{head}{bodies}{rest}"),
            stand_in: format!("{head}{stand_ins}{rest}"),
        }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// Recursive functions and a function behind a pointer, and what stands in for them.
    fn kept_functions(&mut self) -> (String, String) {
        let (mut bodies, mut stand_ins) = (String::new(), String::new());
        for number in 0..self.rng.index(3) {
            let name = format!("r{number}");
            let sets: Vec<(&str, &str)> = GLOBALS
                .into_iter()
                .filter(|_| self.rng.percent(40))
                .collect();
            let early = match self.rng.percent(30) {
                true => "  if (n == 9) exit(0);\n",
                false => "",
            };
            let mut own = String::new();
            let mut any = String::new();
            for (name, ty) in &sets {
                let value = match self.rng.percent(50) {
                    true => format!("__VERIFIER_nondet_{ty}()"),
                    false => self.rng.between(0, 1).to_string(),
                };
                let _ = writeln!(own, "  {name} = {value};");
                let _ = writeln!(any, "  {name} = __VERIFIER_nondet_{ty}();");
            }
            let signature = format!("static unsigned char {name}(unsigned char n)");
            let _ = write!(
                bodies,
                "{signature} {{\n{early}  if (n > 0) return {name}(n - 1);\n{own}  return __VERIFIER_nondet_uchar();\n}}\n"
            );
            let _ = write!(
                stand_ins,
                "{signature} {{\n{any}  return __VERIFIER_nondet_uchar();\n}}\n"
            );
            self.kept.push(name);
        }
        // A call through a pointer is one of every function whose address is taken.
        if self.rng.percent(30) {
            let (a, b) = (self.rng.index(3), self.rng.index(3));
            let set = |number: usize| {
                let (name, _) = GLOBALS[number];
                format!("  {name} = 1;\n")
            };
            let any = |number: usize| {
                let (name, ty) = GLOBALS[number];
                format!("  {name} = __VERIFIER_nondet_{ty}();\n")
            };
            let _ = write!(
                bodies,
                "static unsigned char pa(unsigned char n) {{\n{}  return n;\n}}\n\
                 static unsigned char pb(unsigned char n) {{\n{}  return 1;\n}}\n\
                 static unsigned char (*pointer)(unsigned char);\n\
                 static unsigned char through(unsigned char n) {{\n  pointer = n == 1 ? pa : pb;\n  return pointer(n);\n}}\n",
                set(a),
                set(b)
            );
            let _ = write!(
                stand_ins,
                "static unsigned char through(unsigned char n) {{\n{}{}  return __VERIFIER_nondet_uchar();\n}}\n",
                any(a),
                any(b)
            );
            self.kept.push("through".to_owned());
        }
        (bodies, stand_ins)
    }

    /// A function that is inlined, with more than one way out.
    fn helper(&mut self) {
        self.in_main = false;
        let globals = self.vars.len();
        self.text
            .push_str("static unsigned char h(unsigned char n) {\n");
        self.vars.push("n".to_owned());
        self.room = 5;
        self.block(2);
        let value = self.value();
        self.line(format!("return {value};"));
        self.text.push_str("}\n");
        self.vars.truncate(globals);
        self.in_main = true;
    }

    fn main(&mut self) {
        self.text.push_str("int main(void) {\n");
        for name in ["a", "b", "c"] {
            let ty = *self.rng.pick(&["unsigned char", "unsigned char", "_Bool"]);
            match self.rng.index(3) {
                0 => self.line(format!("{ty} {name};")),
                1 => {
                    let first = self.rng.between(0, 2);
                    self.line(format!("{ty} {name} = {first};"));
                }
                _ => self.line(format!("{ty} {name} = __VERIFIER_nondet_uchar();")),
            }
            self.vars.push(name.to_owned());
        }
        for (name, ty) in GLOBALS {
            if self.rng.percent(60) {
                self.line(format!("{name} = __VERIFIER_nondet_{ty}();"));
            }
        }
        self.room = 10 + self.rng.index(22);
        self.last_label = 1 + self.rng.index(3);
        for label in 1..=self.last_label {
            self.block(3);
            self.label = label;
            self.text.push_str(&format!("L{label}:;\n"));
        }
        self.block(3);
        if self.rng.percent(60) {
            self.error(2);
        }
        self.line("return 0;");
        self.text.push_str("}\n");
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.index(3) {
            self.statement(depth);
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
            return self.assignment();
        };
        self.room = left;
        let kinds = [
            (24, Assignment),
            (26, Branch),
            (12, Jump),
            (3, Return),
            (7, Switch),
            (6, Once),
            (9, Error),
            (6, Kept),
            (4, Helper),
            (3, Assumption),
            (2, End),
            (8, Leave),
            (4, Input),
            (if self.loops { 14 } else { 0 }, Loop),
        ];
        match self.rng.weighted(&kinds).unwrap_or(Assignment) {
            Branch if depth > 0 => self.branch(depth - 1),
            Jump if self.in_main && self.label < self.last_label => {
                let to = self.label + 1 + self.rng.index(self.last_label - self.label);
                self.perhaps(&format!("goto L{to};"));
            }
            Return => {
                let value = self.value();
                self.perhaps(&format!("return {value};"));
            }
            Switch if depth > 0 => self.switch(depth - 1),
            Once if depth > 0 => {
                self.line("do {");
                self.inside.push(Inside::Loop);
                self.nested(depth - 1);
                self.inside.pop();
                self.line("} while (0);");
            }
            Error if self.in_main => self.error(1),
            Kept if !self.kept.is_empty() => {
                let callee = self.rng.pick(&self.kept).clone();
                self.call(&callee);
            }
            Helper if self.in_main => self.call("h"),
            Assumption => {
                let condition = self.condition();
                self.line(format!("__VERIFIER_assume({condition});"));
            }
            End => {
                let end = *self.rng.pick(&["abort();", "exit(1);"]);
                self.perhaps(end);
            }
            Leave if !self.inside.is_empty() => {
                let is_in_loop = self.inside.contains(&Inside::Loop);
                let way = match is_in_loop && self.rng.percent(40) {
                    true => "continue;",
                    false => "break;",
                };
                self.perhaps(way);
            }
            Input => {
                let var = self.var();
                self.line(format!("{var} = __VERIFIER_nondet_bool();"));
            }
            Loop if depth > 0 => self.repetition(depth - 1),
            _ => self.assignment(),
        }
    }

    /// A statement under a condition.
    fn perhaps(&mut self, statement: &str) {
        let condition = self.condition();
        self.line(format!("if ({condition}) {statement}"));
    }

    /// An error behind a few conditions.
    fn error(&mut self, least: usize) {
        let conditions: Vec<String> = (0..least + self.rng.index(3))
            .map(|_| self.condition())
            .collect();
        match self.rng.percent(50) {
            true => self.line(format!("if ({}) reach_error();", conditions.join(" && "))),
            false => {
                let nest: Vec<String> = conditions.iter().map(|c| format!("if ({c})")).collect();
                self.line(format!("{} reach_error();", nest.join(" ")));
            }
        }
    }

    fn call(&mut self, callee: &str) {
        let (var, value) = (self.var(), self.value());
        match self.rng.percent(60) {
            true => self.line(format!("{var} = {callee}({value});")),
            false => self.line(format!("{callee}({value});")),
        }
    }

    fn assignment(&mut self) {
        let (var, value) = (self.var(), self.value());
        self.line(format!("{var} = {value};"));
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        self.line(format!("if ({condition}) {{"));
        self.nested(depth);
        if self.rng.percent(55) {
            self.line("} else {");
            self.nested(depth);
        }
        self.line("}");
    }

    fn switch(&mut self, depth: usize) {
        let var = self.var();
        self.line(format!("switch ({var}) {{"));
        self.inside.push(Inside::Switch);
        for case in 0..1 + self.rng.index(3) {
            self.line(format!("case {case}:"));
            self.nested(depth);
            if self.rng.percent(60) {
                self.line("  break;");
            }
        }
        if self.rng.percent(60) {
            self.line("default:");
            self.nested(depth);
        }
        self.inside.pop();
        self.line("}");
    }

    fn repetition(&mut self, depth: usize) {
        self.counters += 1;
        let counter = format!("i{}", self.counters);
        let bound = self.rng.between(1, 4);
        let condition = self.condition();
        match self.rng.index(3) {
            0 => self.line(format!(
                "for (unsigned char {counter} = 0; {counter} < {bound}; {counter}++) {{"
            )),
            1 => self.line(format!("while ({condition}) {{")),
            _ => self.line("do {"),
        }
        let is_last = self.text.ends_with("do {\n");
        self.inside.push(Inside::Loop);
        self.nested(depth);
        self.inside.pop();
        match is_last {
            true => self.line(format!("}} while ({condition});")),
            false => self.line("}"),
        }
    }

    fn var(&mut self) -> String {
        self.rng.pick(&self.vars).clone()
    }

    fn value(&mut self) -> String {
        let (a, b) = (self.var(), self.var());
        let number = self.rng.between(0, VALUES);
        match self.rng.index(10) {
            0..=4 => number.to_string(),
            5 | 6 => a,
            7 => format!("({a} + {number}) % 4"),
            8 => format!("({a} == {number})"),
            _ => format!("({a} > {number} ? 1 : {b})"),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.var(), self.var());
        let (number, other) = (self.rng.between(0, VALUES), self.rng.between(0, VALUES));
        match self.rng.index(12) {
            0..=3 => format!("{a} == {number}"),
            4..=6 => format!("{a} != {number}"),
            7 => format!("{a} < {number}"),
            8 => format!("{a} == {b}"),
            9 => format!("({a} == {number} || {b} == {other})"),
            10 => format!("({a} != {number} && {b} != {other})"),
            _ => format!("!({a} > {number})"),
        }
    }
}

fn c_type(suffix: &str) -> &'static str {
    match suffix {
        "bool" => "_Bool",
        _ => "unsigned char",
    }
}
