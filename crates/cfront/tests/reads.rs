//! What is read from memory a second time, and what is not ([`reuse_reads`]); and that nothing else changes by it.

use std::fmt::Write;

use rhumb_cfront::{Options, compile_text};
use rhumb_program::interp::{ListInputs, Machine, Outcome, RunLimits};
use rhumb_program::passes::reuse::reuse_reads;
use rhumb_program::{Action, Program};

fn program(text: &str) -> Program {
    compile_text("main.c", text, &Options::default()).expect(text)
}

/// Loads of a function whose body this is, with two pointers to integers and one to a record.
fn loads(body: &str) -> usize {
    let text = format!(
        "extern void other(void);
         struct node {{ int value; unsigned low : 5; struct node *next; }};
         int main(void) {{
           struct node first = {{ 1, 2, 0 }}, *n = &first;
           int a[4] = {{ 1, 2, 3, 4 }}, *p = a, *q = a + 1, x = 0, y = 0;
           {body}
           return x + y + (p == q) + (n == 0);
         }}"
    );
    let mut program = program(&text);
    reuse_reads(&mut program);
    let main = program.functions.iter().find(|it| &*it.name == "main");
    let edges = main.expect("it is there").cfa.edges.iter();
    edges
        .filter(|edge| matches!(edge.action, Action::Load { .. }))
        .count()
}

#[test]
fn what_nobody_has_changed_is_read_once() {
    assert_eq!(loads("x = *p; y = *p;"), 1);
    assert_eq!(loads("if (*p > 0 && *p < 9) x = *p;"), 1);
    assert_eq!(loads("x = p[1]; y = p[1];"), 1);
    assert_eq!(loads("x = n->value; y = n->value;"), 1);
    // By the name of a copy.
    assert_eq!(loads("x = *p; y = *p++;"), 1);
    assert_eq!(loads("x = *p; q = p; y = *q;"), 1);
    // What was written.
    assert_eq!(loads("*p = x; y = *p;"), 0);
    assert_eq!(loads("*p = 7; y = *p;"), 0);
    // On both ways, in a loop.
    assert_eq!(loads("x = *p; if (x) y = 1; else y = 2; y += *p;"), 1);
    assert_eq!(loads("x = *p; while (y < *p) y++;"), 1);
}

#[test]
fn what_may_have_changed_is_read_again() {
    assert_eq!(loads("x = *p; p++; y = *p;"), 2);
    assert_eq!(loads("x = *p; *q = 3; y = *p;"), 2);
    assert_eq!(loads("x = *p; other(); y = *p;"), 2);
    assert_eq!(loads("x = *p; y = *q;"), 2);
    assert_eq!(loads("if (x) y = *p; y += *p;"), 2);
    assert_eq!(loads("while (y < *p) { *q = y; y++; }"), 1);
    assert_eq!(loads("x = *p; while (y < *p) { *q = y; y++; }"), 2);
    assert_eq!(loads("n = n->next; n = n->next;"), 2);
    // Not all bits of what was written are there.
    assert_eq!(loads("n->low = x; y = n->low;"), 1);
    // The variable that had it has another value.
    assert_eq!(loads("x = *p; x++; y = *p; y++; x += *p;"), 3);
    assert_eq!(loads("x = *(char *) p; y = *p;"), 2);
}

/// Functions in the program.
const FUNCTIONS: usize = 400;

const HEAD: &str = "
extern int printf(const char *, ...);
extern void *memcpy(void *, const void *, unsigned long);
struct node { int value; unsigned low : 5, high : 7; struct node *next; };
union both { int number; unsigned char bytes[4]; };
static struct node nodes[4];
static int cells[8];
static union both mixed;
static int *global;
static int bump(int *place) { *place = *place % 1000 + 3; return *place; }
static int look(const int *place) { return *place; }
static void reset(void) {
    for (int i = 0; i < 8; i++) cells[i] = i * 7 - 20;
    for (int i = 0; i < 4; i++) {
        nodes[i].value = i * 5; nodes[i].low = i; nodes[i].high = 2 * i; nodes[i].next = &nodes[(i + 1) % 4];
    }
    mixed.number = 0x01020304;
    global = cells;
}
";

/// Statements over two pointers into an array, one into a ring of records, one to bytes, and three numbers. Pointers
/// are as often copies of each other as not, so places have many names.
struct Writer {
    random: u64,
    text: String,
}

impl Writer {
    fn below(&mut self, limit: u64) -> u64 {
        (rhumb_random::next(&mut self.random) >> 33) % limit
    }

    /// Something that is read; most of it from memory.
    fn read(&mut self) -> String {
        let offset = self.below(3);
        match self.below(12) {
            0 | 1 => "*p".to_owned(),
            2 | 3 => "*q".to_owned(),
            4 => format!("p[{offset}]"),
            5 => format!("cells[x & {offset}]"),
            6 => "n->value".to_owned(),
            7 => "n->next->value".to_owned(),
            8 => "(int) n->high".to_owned(),
            9 => "mixed.number % 1000".to_owned(),
            10 => "*b".to_owned(),
            _ => "*global".to_owned(),
        }
    }

    fn statement(&mut self, depth: u64) {
        let (first, second) = (self.read(), self.read());
        let number = self.below(9);
        let var = ["x", "y", "z"][self.below(3) as usize];
        let simple = match self.below(20) {
            0 => format!("*p = {var};"),
            1 => format!("*q = {number};"),
            2 => format!("*b = (unsigned char) {var};"),
            3 => format!("n->value = {var};"),
            4 => "n = n->next;".to_owned(),
            5 => format!("n->high = (unsigned) {var};"),
            6 => "p = q;".to_owned(),
            7 => format!("q = &cells[{number} % 5];"),
            8 => format!("{var} = *p++; if (p > cells + 4) p = cells;"),
            9 => "b = (unsigned char *) p;".to_owned(),
            10 => format!("b = &mixed.bytes[{number} & 3];"),
            11 => format!(
                "{var} = bump({});",
                if number < 5 { "p" } else { "&n->value" }
            ),
            12 => format!("{var} = look(q);"),
            13 => "memcpy(p, q, 4);".to_owned(),
            14 => "global = p;".to_owned(),
            15 => format!(
                "{{ int own = {var} % 50; int *o = &own; *o += {number}; {var} = own + *o; }}"
            ),
            _ => format!("{var} = {first} % 1000 + {second} % 1000;"),
        };
        if depth == 0 {
            let _ = writeln!(self.text, "{simple}");
            return;
        }
        match self.below(5) {
            0 => {
                let _ = writeln!(self.text, "if ({first} > {second}) {{");
                self.statement(depth - 1);
                self.text += "} else {\n";
                self.statement(depth - 1);
                self.text += "}\n";
            }
            1 => {
                let _ = writeln!(
                    self.text,
                    "for (int k = 0; k < 3 && {first} != {number}; k++) {{"
                );
                self.statement(depth - 1);
                self.statement(depth - 1);
                self.text += "}\n";
            }
            _ => {
                let _ = writeln!(self.text, "{simple}");
            }
        }
    }
}

/// Places with several names, read and written at random: what was written last is read, by whatever name.
#[test]
fn runs_are_the_same() {
    let mut writer = Writer {
        random: 20,
        text: HEAD.to_owned(),
    };
    for function in 0..FUNCTIONS {
        let _ = writeln!(writer.text, "static int f{function}(void) {{");
        writer.text += "int x = 3, y = 5, z = 7; int *p = cells + 1, *q = cells + 2;\n";
        writer.text += "struct node *n = nodes; unsigned char *b = mixed.bytes;\n";
        for _ in 0..10 {
            writer.statement(2);
        }
        writer.text += "unsigned sum = x + 3u * y + 5u * z + mixed.number + *p + *q + *b;\n";
        writer.text += "for (int i = 0; i < 8; i++) sum = 3 * sum + cells[i];\n";
        writer.text +=
            "for (int i = 0; i < 4; i++) sum = 3 * sum + nodes[i].high + nodes[i].value;\n";
        writer.text += "return (int) sum;\n}\n";
    }
    writer.text += "int main(void) {\n";
    for function in 0..FUNCTIONS {
        let _ = writeln!(
            writer.text,
            "reset(); printf(\"{function} %d\\n\", f{function}());"
        );
    }
    writer.text += "return 0;\n}\n";
    let before = program(&writer.text);
    let mut after = before.clone();
    reuse_reads(&mut after);
    let loads = |program: &Program| {
        let edges = (program.functions.iter()).flat_map(|function| &function.cfa.edges);
        edges
            .filter(|edge| matches!(edge.action, Action::Load { .. }))
            .count()
    };
    let [all, left] = [&before, &after].map(loads);
    assert!(left < all - all / 10, "{left} of {all} are left");
    let [expected, observed] = [&before, &after].map(|program| {
        let machine = Machine::compile(program);
        let run = machine.run(&mut ListInputs::new(program, []), &RunLimits::default());
        assert_eq!(run.outcome, Outcome::Exit(0));
        String::from_utf8_lossy(&run.output).into_owned()
    });
    assert_eq!(expected.lines().count(), FUNCTIONS);
    for (a, b) in expected.lines().zip(observed.lines()) {
        assert_eq!(a, b);
    }
    assert_eq!(expected, observed);
}
