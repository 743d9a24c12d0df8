//! Small random programs with structures, arrays and pointers.

/// A sequence of numbers that depends on its seed only.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// The program of a seed: a few objects, some statements in a loop, and questions about them.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.below(2);
    }
    let mut body = String::new();
    let count = 4 + random.below(8);
    for _ in 0..count {
        body.push_str(&statement(&mut random, 2));
    }
    format!(
        "struct s {{ int x; char c; int *p; }}; int g[3] = {{ 5, 6 }}; struct s gs = {{ 1, 2, &g[2] }};
        void put(int *to, int v) {{ if (to) *to = v; }}
        struct s make(int v) {{ struct s r; r.x = v; r.c = 1; r.p = &g[0]; return r; }}
        int main(void) {{
            int a[4] = {{ 1, 2 }}; struct s s = {{ 3, 4, &a[1] }}, t = s; int y = 0; int n = 0; int i = 0;
            int *p = &y; int *h = malloc(sizeof(int)); *h = 1; struct s *q = &s;
            while (n < 3) {{
                n = n + 1; i = __VERIFIER_nondet_int();
{body}
            }}
            if (a[0] + s.x + y + *p + t.c > 40 && q->x < 9) reach_error();
        }}"
    )
}

fn value(random: &mut Random) -> String {
    let place = place(random);
    match random.below(4) {
        0 => format!("{}", random.below(9)),
        1 => "i % 16".to_owned(),
        2 => format!("({place} & 15) + 1"),
        _ => place,
    }
}

fn place(random: &mut Random) -> String {
    random
        .pick(&[
            "a[0]",
            "a[1]",
            "a[i & 3]",
            "a[n]",
            "s.x",
            "t.x",
            "q->x",
            "*p",
            "*s.p",
            "y",
            "*h",
            "g[1]",
            "gs.x",
            "*gs.p",
            "p[0]",
            "*(a + (i & 1))",
            "q->c",
            "t.c",
        ])
        .to_owned()
}

fn pointer(random: &mut Random) -> &'static str {
    random.pick(&[
        "&a[0]",
        "&a[i & 3]",
        "&y",
        "&s.x",
        "&q->x",
        "h",
        "s.p",
        "t.p",
        "p",
        "&g[1]",
        "&a[n]",
        "gs.p",
        "&t.x",
    ])
}

fn statement(random: &mut Random, depth: u32) -> String {
    match random.below(10) {
        0 => format!("{} = {};\n", pointers(random), pointer(random)),
        1 => "t = s;\n".to_owned(),
        2 => "s = *q;\n".to_owned(),
        3 => format!("q = {};\n", random.pick(&["&s", "&t", "&gs"])),
        4 => format!("put({}, {});\n", pointer(random), value(random)),
        5 => format!("t = make({});\n", value(random)),
        6 if depth > 0 => {
            let condition = format!("{} < {}", value(random), value(random));
            let inner = statement(random, depth - 1);
            format!("if ({condition}) {{ {inner} }}\n")
        }
        7 => format!(
            "{{ int b[2]; b[0] = {}; b[1] = b[0] & 7; y = b[1]; }}\n",
            value(random)
        ),
        8 => format!(
            "if ({} == {}) y = {};\n",
            pointer(random),
            pointer(random),
            value(random)
        ),
        _ => format!("{} = {};\n", place(random), value(random)),
    }
}

fn pointers(random: &mut Random) -> &'static str {
    random.pick(&["p", "s.p", "t.p", "q->p", "gs.p"])
}
