//! Random programs with loops.

/// A generator of pseudo-random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        rhumb_random::next(&mut self.0)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

const TYPES: [&str; 9] = [
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
];

/// Makes a program whose loops run up to a few hundred times, and that ends in an error after it has printed all its variables.
pub struct Generator {
    random: Random,
    vars: usize,
    counters: usize,
    text: String,
    indent: usize,
}

impl Generator {
    /// The text of the program with this number.
    pub fn program(seed: u64) -> String {
        let generator = Generator {
            random: Random::new(seed),
            vars: 4,
            counters: 0,
            text: String::new(),
            indent: 1,
        };
        generator.whole()
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn var(&mut self) -> String {
        format!("v{}", self.random.below(self.vars))
    }

    fn constant(&mut self) -> i64 {
        match self.random.below(6) {
            0 | 1 => self.random.below(4) as i64,
            2 | 3 => self.random.below(20) as i64 - 5,
            4 => self.random.below(400) as i64 - 100,
            _ => self
                .random
                .pick(&[127, 128, 255, 256, 32767, 65535, 65536, -1, 100_000]),
        }
    }

    fn small(&mut self) -> i64 {
        1 + self.random.below(7) as i64
    }

    fn condition(&mut self) -> String {
        let (a, b, c) = (self.var(), self.var(), self.constant());
        match self.random.below(9) {
            0 => format!("{a} < {c}"),
            1 => format!("{a} != {c}"),
            2 => format!("{a} <= {b}"),
            3 => format!("{a} == {c}"),
            4 => format!("(unsigned){a} > {c}"),
            5 => format!("{a} % {} == {}", self.small(), self.random.below(3)),
            6 => format!("{a} - {b} >= {c}"),
            7 => format!("({a} & {}) == 0", self.random.pick(&[1, 3, 7, 255])),
            _ => format!("{a} + {c} > {b} && {b} != {c}"),
        }
    }

    fn value(&mut self) -> String {
        let (a, b, c) = (self.var(), self.var(), self.constant());
        match self.random.below(16) {
            0..=3 => format!("{a} + {}", self.small()),
            4 => format!("{c}"),
            5 => a,
            6 => format!("{a} + {b}"),
            7 => format!("{a} - {c}"),
            8 => format!("{a} * {}", self.small()),
            9 => format!("{a} % {}", self.small()),
            10 => format!("{a} & {}", self.random.pick(&[1, 3, 15, 255, -2, -8, 5])),
            11 => format!("{a} / {}", self.random.pick(&[1, 2, 3, -2, 16])),
            12 => format!("{a} >> {}", self.random.below(4)),
            13 => format!("({}){a} + 1", self.random.pick(&TYPES)),
            14 => format!("-{a}"),
            _ => self
                .random
                .pick(&["step(v0, 3)", "nondet()", "twice(v1)"])
                .to_owned(),
        }
    }

    fn statement(&mut self, depth: usize) {
        let var = self.var();
        match self.random.below(12) {
            0..=4 => {
                let line = format!("{var} {}= {};", self.random.pick(&["+", "-"]), self.small());
                self.line(&line);
            }
            5..=8 => {
                let value = self.value();
                self.line(&format!("{var} = {value};"));
            }
            9 | 10 if depth > 0 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block(depth - 1);
                if self.random.chance(2) {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            _ if depth > 0 => self.repeat(depth - 1),
            _ => self.line(&format!("{var}++;")),
        }
    }

    fn block(&mut self, depth: usize) {
        self.indent += 1;
        for _ in 0..=self.random.below(3) {
            self.statement(depth);
        }
        self.indent -= 1;
    }

    fn repeat(&mut self, depth: usize) {
        let counter = format!("i{}", self.counters);
        self.counters += 1;
        let bound = match self.random.below(4) {
            0 => 2 + self.random.below(6),
            1 => 10 + self.random.below(40),
            _ => 40 + self.random.below(260),
        };
        match self.random.below(5) {
            0 => {
                let condition = self.condition();
                self.line(&format!("{counter} = 0; while ({condition}) {{"));
                self.line(&format!("  if ({counter}++ >= {bound}) break;"));
            }
            1 if self.counters > 1 => {
                let limit = format!("i{}", self.random.below(self.counters - 1));
                self.line(&format!(
                    "for ({counter} = 0; {counter} < {limit} && {counter} < {bound}; {counter}++) {{"
                ));
            }
            _ => {
                let step = self.random.pick(&[1, 1, 1, 2, 3]);
                self.line(&format!(
                    "for ({counter} = 0; {counter} < {bound}; {counter} += {step}) {{"
                ));
            }
        }
        self.block(depth);
        self.line("}");
    }

    fn whole(mut self) -> String {
        for _ in 0..=self.random.below(2) {
            self.repeat(2);
            self.statement(1);
        }
        let body = std::mem::take(&mut self.text);
        let mut text = String::from(
            "extern int printf(const char *, ...);\nextern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
             static int nondet(void) { return __VERIFIER_nondet_int(); }\n\
             static int step(int x, int y) { int z; z = x; if (z > 100) z -= y; else z += y; return z; }\n\
             static int twice(int x) { return 2 * (x % 50); }\n",
        );
        for var in 0..self.vars {
            let ty = self.random.pick(&TYPES);
            let init = self.constant();
            let place = format!("{ty} v{var} = {init};\n");
            text.push_str(&place);
        }
        text.push_str("int main(void) {\n");
        for counter in 0..self.counters {
            let ty = self
                .random
                .pick(&["int", "unsigned", "short", "unsigned long long"]);
            text.push_str(&format!("  {ty} i{counter} = 0;\n"));
        }
        text.push_str(&body);
        for var in 0..self.vars {
            text.push_str(&format!("  printf(\"%lld \", (long long)v{var});\n"));
        }
        for counter in 0..self.counters {
            text.push_str(&format!("  printf(\"%lld \", (long long)i{counter});\n"));
        }
        text.push_str("  reach_error();\n  return 0;\n}\n");
        text
    }
}
