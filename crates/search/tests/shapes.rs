//! Accesses, frees and losses in lists of any length: programs that are right are proved, and none that is wrong.

mod common;

use common::enumeration::Draw;
use common::{Answer, program, search};
use rhumb_certify::certify_safe;
use rhumb_certify::proof::{Argument, Checker, Proof};
use rhumb_logic::Budget;
use rhumb_program::interp::{KeyedInputs, Machine, Outcome, RunLimits};
use rhumb_program::{Checks, Program};
use rhumb_summary::Preset;

const PRELUDE: &str = "extern void *malloc(unsigned); extern void *calloc(unsigned, unsigned); \
    extern void free(void *); extern void exit(int); extern void *memset(void *, int, unsigned); \
    extern void *memcpy(void *, const void *, unsigned); \
    struct node { int h; struct node *next; }; struct two { int h; struct two *next, *prev; }; ";

/// A list of any length, built in front.
const FRONT: &str = "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
    n->h = 1; n->next = l; l = n; } ";

/// The same with pointers in both directions.
const BOTH: &str = "struct two *l = 0; while (__VERIFIER_nondet_int()) { struct two *n = malloc(sizeof *n); n->h = 7; \
    n->prev = 0; n->next = l; if (l) l->prev = n; l = n; } ";

/// Frees a list.
const FREE: &str = "while (l) { void *n = l->next; free(l); l = n; } ";

/// What is right in all respects.
const RIGHT: [(&str, &str); 21] = [
    ("built and freed", "FRONT FREE"),
    (
        "walked",
        "FRONT for (struct node *p = l; p; p = p->next) p->h++; FREE",
    ),
    ("both ways", "BOTH FREE"),
    (
        "both ways, walked there and back",
        "BOTH struct two *p = l; while (p && p->next) p = p->next; while (p) { p->h = 2; p = p->prev; } FREE",
    ),
    (
        "built behind",
        "struct node *l = 0, *t = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = 0; \
          if (t) t->next = n; else l = n; t = n; } FREE",
    ),
    (
        "the pointer set a round later",
        "struct node *l = malloc(sizeof *l), *t = l; while (__VERIFIER_nondet_int()) { t->next = malloc(sizeof *t); \
          t = t->next; } t->next = 0; FREE",
    ),
    (
        "by a pointer to a pointer",
        "struct node *l = 0, **e = &l; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = 0; \
          *e = n; e = &n->next; } while (l) { struct node *n = l->next; free(l); l = n; }",
    ),
    (
        "turned round",
        "FRONT struct node *r = 0; while (l) { struct node *n = l->next; l->next = r; r = l; l = n; } l = r; r = 0; FREE",
    ),
    (
        "some taken out",
        "FRONT struct node **e = &l; while (*e) { if (__VERIFIER_nondet_int()) { struct node *d = *e; *e = d->next; \
          free(d); } else e = &(*e)->next; } FREE",
    ),
    (
        "some taken out, both ways",
        "BOTH struct two *p = l; while (p) { struct two *n = p->next; if (__VERIFIER_nondet_int()) { \
          if (p->prev) p->prev->next = n; else l = n; if (n) n->prev = p->prev; free(p); } p = n; } FREE",
    ),
    (
        "a ring",
        "struct two *l = malloc(sizeof *l); l->next = l->prev = l; while (__VERIFIER_nondet_int()) { \
          struct two *n = malloc(sizeof *n); n->next = l->next; n->prev = l; l->next->prev = n; l->next = n; } \
          struct two *p = l->next; while (p != l) { struct two *n = p->next; free(p); p = n; } free(l);",
    ),
    (
        "a ring around a local",
        "struct two l; l.next = l.prev = &l; while (__VERIFIER_nondet_int()) { struct two *n = malloc(sizeof *n); \
          n->next = &l; n->prev = l.prev; l.prev->next = n; l.prev = n; } while (l.next != &l) { \
          struct two *p = l.next; l.next = p->next; p->next->prev = &l; free(p); }",
    ),
    (
        "a queue",
        "struct node *l = 0, *t = 0; while (__VERIFIER_nondet_int()) { if (__VERIFIER_nondet_int()) { \
          struct node *n = calloc(1, sizeof *n); if (!l) l = n; else t->next = n; t = n; } else if (l) { \
          struct node *d = l; l = d->next; if (!l) t = 0; free(d); } } FREE",
    ),
    (
        "functions",
        "struct node *push(struct node *l) { struct node *n = malloc(sizeof *n); n->next = l; return n; } \
          void release(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } } \
          int main(void) { struct node *l = 0; while (__VERIFIER_nondet_int()) l = push(l); release(l); }",
    ),
    (
        "a global",
        "struct node *g; int main(void) { while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->next = g; g = n; } while (g) { struct node *n = g->next; free(g); g = n; } }",
    ),
    (
        "all share one record",
        "struct out { int *in; struct out *next; }; int *s = malloc(4); *s = 1; struct out *l = 0; \
          while (__VERIFIER_nondet_int()) { struct out *o = malloc(sizeof *o); o->in = s; o->next = l; l = o; } \
          for (struct out *p = l; p; p = p->next) (*p->in)++; FREE free(s);",
    ),
    (
        "one list behind the other",
        "FRONT struct node *k = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = k; \
          k = n; } if (k) { struct node *t = k; while (t->next) t = t->next; t->next = l; l = k; } k = 0; FREE",
    ),
    (
        "one of two lists",
        "struct node *l = 0, *k = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          if (__VERIFIER_nondet_int()) { n->next = l; l = n; } else { n->next = k; k = n; } } FREE \
          while (k) { struct node *n = k->next; free(k); k = n; }",
    ),
    (
        "a second pointer to the first",
        "FRONT struct node *q = l; if (q) { q->h = 3; l = q->next; free(q); } q = 0; FREE",
    ),
    (
        "sorted in",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = __VERIFIER_nondet_int(); struct node **e = &l; while (*e && (*e)->h < n->h) e = &(*e)->next; \
          n->next = *e; *e = n; } while (l) { struct node *n = l->next; free(l); l = n; }",
    ),
    (
        "copied as a whole",
        "FRONT struct node *k = 0; for (struct node *p = l; p; p = p->next) { struct node *n = malloc(sizeof *n); \
          memcpy(n, p, sizeof *n); n->next = k; k = n; } FREE while (k) { struct node *n = k->next; free(k); k = n; }",
    ),
];

/// What is wrong, if lists are long enough.
const WRONG: [(&str, &str); 30] = [
    (
        "freed while walking",
        "FRONT for (struct node *p = l; p; p = p->next) free(p);",
    ),
    (
        "no next for the first",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); if (l) n->next = l; \
          l = n; } FREE",
    ),
    (
        "the last one has no next",
        "struct node *l = malloc(sizeof *l), *t = l; while (__VERIFIER_nondet_int()) { t->next = malloc(sizeof *t); \
          t = t->next; } FREE",
    ),
    ("an empty list", "FRONT l->h = 2; FREE"),
    (
        "a second that is not there",
        "FRONT if (l) l->next->h = 2; FREE",
    ),
    (
        "a third that is not there",
        "FRONT if (l && l->next) l->next->next->h = 2; FREE",
    ),
    (
        "freed twice",
        "FRONT struct node *k = l; FREE while (k) { struct node *n = k->next; free(k); k = n; }",
    ),
    (
        "the first freed twice",
        "FRONT struct node *k = l; FREE free(k);",
    ),
    (
        "the third freed twice",
        "FRONT struct node *k = 0; if (l && l->next) k = l->next->next; FREE free(k);",
    ),
    (
        "beyond the node",
        "FRONT for (struct node *p = l; p; p = p->next) (&p->h)[2] = 1; FREE",
    ),
    (
        "a small node",
        "struct two *l = 0; while (__VERIFIER_nondet_int()) { struct two *n = malloc(sizeof(struct node)); n->next = l; \
          l = n; } for (struct two *p = l; p; p = p->next) p->prev = 0; FREE",
    ),
    ("never freed", "FRONT"),
    (
        "the last one is not freed",
        "FRONT while (l && l->next) { void *n = l->next; free(l); l = n; } l = 0;",
    ),
    ("only the first is freed", "FRONT if (l) free(l);"),
    (
        "the second is lost",
        "FRONT if (l && l->next) l->next = l->next->next; FREE",
    ),
    (
        "the old list is lost",
        "FRONT l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = l; l = n; } FREE",
    ),
    (
        "used when it is freed",
        "FRONT while (l) { free(l); l = l->next; }",
    ),
    (
        "back to what was freed",
        "BOTH if (l && l->next) { struct two *d = l; l = l->next; free(d); l->prev->h = 1; } FREE",
    ),
    (
        "taken out without a look back",
        "BOTH struct two *p = l; while (p) { struct two *n = p->next; if (__VERIFIER_nondet_int()) { \
          if (p->prev) p->prev->next = n; else l = n; free(p); } p = n; } FREE",
    ),
    (
        "a ring walked to its end",
        "struct node *l = malloc(sizeof *l); l->next = l; while (__VERIFIER_nondet_int()) { \
          struct node *n = malloc(sizeof *n); n->next = l->next; l->next = n; } FREE",
    ),
    (
        "a ring freed without its last",
        "struct two *l = malloc(sizeof *l); l->next = l->prev = l; while (__VERIFIER_nondet_int()) { \
          struct two *n = malloc(sizeof *n); n->next = l->next; n->prev = l; l->next->prev = n; l->next = n; } \
          struct two *p = l->next; while (p->next != l) { struct two *n = p->next; free(p); p = n; } free(l);",
    ),
    (
        "a queue whose end stays",
        "struct node *l = 0, *t = 0; while (__VERIFIER_nondet_int()) { if (__VERIFIER_nondet_int()) { \
          struct node *n = calloc(1, sizeof *n); if (!t) l = n; else t->next = n; t = n; } else if (l) { \
          struct node *d = l; l = d->next; free(d); } } FREE",
    ),
    (
        "a local that is gone",
        "struct node *g; void f(void) { struct node a; a.next = g; g = &a; } int main(void) { \
          while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = g; g = n; } f(); g->h = 1; }",
    ),
    (
        "two lists with one end",
        "FRONT struct node *k = l; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = k; \
          k = n; } FREE while (k) { struct node *n = k->next; free(k); k = n; }",
    ),
    (
        "one of two records is freed",
        "struct out { int *in; struct out *next; }; int *s = malloc(4), *r = malloc(4); struct out *l = 0; \
          while (__VERIFIER_nondet_int()) { struct out *o = malloc(sizeof *o); o->in = __VERIFIER_nondet_int() ? s : r; \
          o->next = l; l = o; } free(s); for (struct out *p = l; p; p = p->next) *p->in = 1; FREE free(r);",
    ),
    (
        "one of two records has no owner",
        "struct out { int *in; struct out *next; }; struct out *l = 0; { int *s = malloc(4), *r = malloc(4); \
          while (__VERIFIER_nondet_int()) { struct out *o = malloc(sizeof *o); o->in = __VERIFIER_nondet_int() ? s : r; \
          o->next = l; l = o; } } while (l) { struct out *n = l->next; if (!n) free(l->in); free(l); l = n; }",
    ),
    (
        "freed in the middle",
        "FRONT for (struct node *p = l; p; p = p->next) if (__VERIFIER_nondet_int() == 5) { free(p->next); break; } FREE",
    ),
    (
        "not the start",
        "FRONT while (l) { struct node *n = l->next; free(&l->next); l = n; }",
    ),
    (
        "the fourth differs",
        "struct node *l = 0; int i = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = \
          i == 3 ? n : l; l = n; if (i < 9) i++; } FREE",
    ),
    (
        "filled with ones",
        "FRONT for (struct node *p = l; p; ) { struct node *n = p->next; memset(p, 1, sizeof *p); p = n; } FREE",
    ),
];

fn whole(text: &str) -> String {
    let text = text
        .replace("FRONT", FRONT)
        .replace("BOTH", BOTH)
        .replace("FREE", FREE);
    match text.contains("int main") {
        true => format!("{PRELUDE}{text}"),
        false => format!("{PRELUDE}int main(void) {{ {text} }}"),
    }
}

fn asked(text: &str, checks: &str) -> Program {
    let checks = Checks::parse(checks).expect("there are such checks");
    checks.apply(program(&whole(text)))
}

const ALL: &str = "bounds,free,leaks";

#[test]
fn lists_that_are_right_are_proved() {
    for (name, text) in RIGHT {
        let answer = search(&asked(text, ALL), "shapes", Preset::Full, 60).answer;
        let Answer::Safe(proof) = answer else {
            panic!("{name}: {answer:?}\n{text}");
        };
        assert!(matches!(proof.argument, Argument::Shapes { .. }));
    }
}

#[test]
fn the_default_engine_proves_them() {
    for (name, text) in RIGHT.into_iter().take(6) {
        let checks = Checks::parse(ALL).expect("there are such checks");
        let program = checks.apply(program(&whole(text)));
        let budget = Budget::time(std::time::Duration::from_secs(60));
        let engine = rhumb_search::entry("gps").expect("an engine");
        let decision = rhumb_search::decide(&program, engine, Preset::Full, &budget, &mut ());
        assert!(
            matches!(decision.verdict, rhumb_certify::Verdict::Safe(_)),
            "{name}: {:?}",
            decision.verdict
        );
    }
}

#[test]
fn lists_that_are_wrong_are_not() {
    let mut found = 0;
    for (name, text) in WRONG {
        let program = asked(text, ALL);
        let answer = search(&program, "shapes", Preset::Full, 10).answer;
        assert!(
            !matches!(answer, Answer::Safe(_)),
            "{name} is proved\n{text}"
        );
        found += usize::from(matches!(answer, Answer::Unsafe(_)));
        // Nor does the checker believe it.
        let budget = Budget::time(std::time::Duration::from_secs(10));
        let claimed = Proof::shapes(u64::MAX);
        let checked = certify_safe(&Checker::new(&program), claimed, &budget);
        assert!(checked.is_err(), "{name} is accepted\n{text}");
    }
    assert!(found + 1 >= WRONG.len(), "only {found} are found");
}

/// A list of nodes with 0, the last of which has 1.
const MARKED: &str = "struct node *l = malloc(sizeof *l), *t = l; l->h = 0; l->next = 0; while (__VERIFIER_nondet_int()) { \
    t->next = malloc(sizeof *t); t = t->next; t->h = 0; t->next = 0; } t->h = 1; ";

/// Lists in which it matters where which numbers are; with LAST for the numbers that the last node may have.
const BY_NUMBERS: [(&str, &str); 5] = [
    (
        "walked to the mark",
        "MARKED struct node *p = l; while (p->h != 1) p = p->next; if (p->next || p->h != LAST) reach_error(); FREE",
    ),
    (
        "freed up to the mark",
        "MARKED struct node *p = l; while (p->h != LAST) { l = p; p = p->next; free(l); } free(p);",
    ),
    (
        "kinds in their order",
        "struct node *l = malloc(sizeof *l), *t = l; int k = 0; l->h = 0; l->next = 0; while (__VERIFIER_nondet_int()) { \
          t->next = malloc(sizeof *t); t = t->next; t->next = 0; if (k < LAST && __VERIFIER_nondet_int()) k++; t->h = k; } \
          for (struct node *p = l; p->next; p = p->next) if (p->h > p->next->h || p->next->h > 1) reach_error(); FREE",
    ),
    (
        "one of them is marked",
        "FRONT struct node *p = l; for (struct node *q = l; q; q = q->next) q->h = 0; while (p && __VERIFIER_nondet_int()) \
          p = p->next; if (p) p->h = LAST; int seen = 0; for (struct node *q = l; q; q = q->next) { \
          if (q->h == 1) { if (seen || q != p) reach_error(); seen = 1; } else if (q->h) reach_error(); } \
          if (p && !seen) reach_error(); FREE",
    ),
    (
        "both ways to the mark",
        "struct two *l = malloc(sizeof *l), *t = l; l->h = LAST; l->prev = 0; while (__VERIFIER_nondet_int()) { \
          t->next = malloc(sizeof *t); t->next->prev = t; t = t->next; t->h = 5; } t->next = 0; \
          while (t->h != 1) t = t->prev; if (t != l) reach_error(); FREE",
    ),
];

#[test]
fn rows_hold_the_same_numbers_where_that_matters() {
    let budget = || Budget::time(std::time::Duration::from_secs(20));
    for (name, text) in BY_NUMBERS {
        let text = text.replace("MARKED", MARKED);
        let right = asked(&text.replace("LAST", "1"), "bounds,free");
        let answer = search(&right, "shapes", Preset::Full, 60).answer;
        assert!(matches!(answer, Answer::Safe(_)), "{name}: {answer:?}");
        let wrong = asked(&text.replace("LAST", "2"), "bounds,free");
        let answer = search(&wrong, "shapes", Preset::Full, 60).answer;
        assert!(matches!(answer, Answer::Unsafe(_)), "{name}: {answer:?}");
        let claimed = Proof::shapes(u64::MAX);
        let checked = certify_safe(&Checker::new(&wrong), claimed, &budget());
        assert!(checked.is_err(), "{name} is accepted");
    }
}

/// A proof says how many steps it takes, and nothing else: fewer are not enough.
#[test]
fn a_proof_needs_its_steps() {
    let budget = Budget::time(std::time::Duration::from_secs(60));
    let program = asked(RIGHT[0].1, ALL);
    let Answer::Safe(proof) = search(&program, "shapes", Preset::Full, 60).answer else {
        panic!("not proved");
    };
    let Argument::Shapes { steps } = proof.argument else {
        panic!("another proof");
    };
    let is_accepted =
        |steps: u64| certify_safe(&Checker::new(&program), Proof::shapes(steps), &budget).is_ok();
    assert!(is_accepted(steps) && is_accepted(2 * steps));
    assert!(!is_accepted(steps - 1) && !is_accepted(0));
}

impl Draw {
    fn pointer(&mut self) -> &'static str {
        self.pick(&["l", "t", "p", "q"])
    }

    /// A statement; sometimes without the look whether there is a node.
    fn statement(&mut self, depth: u32) -> String {
        let (a, b, c) = (self.pointer(), self.pointer(), self.pointer());
        let link = self.pick(&["next", "next", "prev"]);
        let guard = |draw: &mut Draw, what: &str| match draw.below(25) {
            0 => String::new(),
            _ => format!("if ({what}) "),
        };
        if self.below(6) == 0 {
            let number = self.below(3);
            return match self.below(3) {
                0 => format!("if ({a}) {a}->h = {number}; "),
                1 => format!("p = {a}; while (p && p->h != {number}) p = p->{link}; "),
                _ => format!("if ({a} && {b} && {a}->h == {number}) {a} = {b}->{link}; "),
            };
        }
        match self.below(if depth > 0 { 16 } else { 11 }) {
            0 => format!("{a} = {b}; "),
            1 | 2 => guard(self, b) + &format!("{a} = {b}->{link}; "),
            3 | 4 => guard(self, a) + &format!("{a}->{link} = {b}; "),
            5 => format!("if ({a} == {b}) {a} = 0; "),
            6 => format!("free({a}); {a} = 0; if ({b} == {c}) {b} = 0; "),
            7 => format!(
                "{a} = {}; {a}->next = {b}; {a}->prev = {}; ",
                self.pick(&["malloc(sizeof(struct two))", "calloc(1, sizeof(struct two))"]),
                self.pick(&["0", "l", "t", "p"])
            ),
            8 => "{ struct two *n = malloc(sizeof *n); n->h = 1; n->prev = 0; n->next = l; if (l) l->prev = n; l = n; } "
                .to_owned(),
            9 => "{ struct two *n = malloc(sizeof *n); n->next = 0; n->prev = t; if (t) t->next = n; else l = n; t = n; } "
                .to_owned(),
            10 => guard(self, a) + &format!("{a}->{link} = 0; "),
            11 | 12 => {
                let body = self.statements(depth - 1);
                format!("while (__VERIFIER_nondet_bool()) {{ {body}}} ")
            }
            13 => {
                let body = self.statement(0);
                format!("for (p = {a}; p && __VERIFIER_nondet_bool(); p = p->{link}) {{ if (__VERIFIER_nondet_bool()) {{ {body}}} if (!p) break; }} ")
            }
            14 => format!("while ({a}) {{ q = {a}->{link}; free({a}); {a} = q; }} q = 0; p = 0; {} ",
                self.pick(&["t = 0;", "t = 0; l = 0;", ""])),
            _ => {
                let (one, two) = (self.statements(depth - 1), self.statements(depth - 1));
                format!("if (__VERIFIER_nondet_bool()) {{ {one}}} else {{ {two}}} ")
            }
        }
    }

    /// A statement about a list `o` of lists, a node `c` of it, and lists `l` and `p`.
    fn nested(&mut self, depth: u32) -> String {
        let list = self.pick(&["l", "p"]);
        let outer = self.pick(&["o", "c"]);
        let guard = |draw: &mut Draw, what: &str| match draw.below(25) {
            0 => String::new(),
            _ => format!("if ({what}) "),
        };
        match self.below(if depth > 0 { 16 } else { 11 }) {
            0 => format!("{list} = {}; ", self.pick(&["0", "l", "p"])),
            1 => guard(self, outer) + &format!("{list} = {outer}->in; "),
            2 => guard(self, outer) + &format!("{outer}->in = {}; ", self.pick(&["0", "l", "p"])),
            3 => format!("if ({outer}) {{ free({outer}->in); {outer}->in = 0; }} "),
            4 => guard(self, list) + &format!("{list} = {list}->next; "),
            5 => format!(
                "{{ struct two *n = malloc(sizeof *n); n->h = {}; n->prev = 0; n->next = l; if (l) l->prev = n; l = n; }} ",
                self.below(3)
            ),
            6 | 7 => format!(
                "{{ struct out *n = calloc(1, sizeof *n); n->h = {}; n->in = {}; n->back = {}; n->next = o; o = n; }} {} ",
                self.below(3),
                self.pick(&["0", "l", "l", "malloc(sizeof(struct two))"]),
                self.pick(&["0", "n", "o"]),
                self.pick(&["l = 0;", "l = 0;", ""])
            ),
            8 => guard(self, "c") + "c = c->next; ",
            9 => "c = o; ".to_owned(),
            10 => format!("if ({outer} && {list}) {{ {list}->next = {outer}->in; {outer}->in = {list}; {list} = 0; }} "),
            11 | 12 => {
                let count = 1 + self.below(3);
                let body: String = (0..count).map(|_| self.nested(depth - 1)).collect();
                format!("while (__VERIFIER_nondet_bool()) {{ {body}}} ")
            }
            13 => {
                let body = self.nested(0);
                format!("for (c = o; c; c = c->next) {{ {body}if (!c) break; }} ")
            }
            14 => "while (o) { p = o->in; while (p) { struct two *n = p->next; free(p); p = n; } c = o->next; free(o); o = c; } "
                .to_owned(),
            _ => {
                let (one, two) = (self.nested(depth - 1), self.nested(depth - 1));
                format!("if (__VERIFIER_nondet_bool()) {{ {one}}} else {{ {two}}} ")
            }
        }
    }

    fn statements(&mut self, depth: u32) -> String {
        let count = 1 + self.below(4);
        (0..count).map(|_| self.statement(depth)).collect()
    }
}

/// Whether some run of many reaches a target.
fn fails(program: &Program, draw: &mut Draw) -> bool {
    let machine = Machine::compile(program);
    let sites: Vec<_> = program.inputs.iter_enumerated().collect();
    let limits = RunLimits {
        steps: 4000,
        ..RunLimits::default()
    };
    (0..400).any(|_| {
        let mut inputs = KeyedInputs::new();
        let bias = 1 + draw.below(4);
        for &(site, input) in &sites {
            for _ in 0..12 {
                match input.ty {
                    Some(_) => inputs.push_value(site, u128::from(draw.below(4) < bias), 1),
                    None => inputs.push_bytes(site, &[1; 12], 1),
                }
            }
        }
        let run = machine.run(&mut inputs, &limits);
        matches!(run.outcome, Outcome::Target { .. })
    })
}

#[test]
fn random_lists_are_held_against_runs() {
    held_against_runs(200, |draw| {
        let body = draw.statements(2);
        format!("struct two *l = 0, *t = 0, *p = 0, *q = 0; {body}")
    });
}

#[test]
fn random_lists_of_lists_are_held_against_runs() {
    held_against_runs(60, |draw| {
        let count = 3 + draw.below(6);
        let body: String = (0..count).map(|_| draw.nested(2)).collect();
        format!(
            "struct out {{ int h; struct two *in; struct out *next, *back; }}; struct two *l = 0, *p = 0; \
              struct out *o = 0, *c = 0; {body}"
        )
    });
}

/// Proves none of many programs that fails in a run, and some of the others.
fn held_against_runs(count: u32, make: impl Fn(&mut Draw) -> String) {
    let count =
        std::env::var("RHUMB_SHAPES").map_or(count, |count| count.parse().expect("a number"));
    let seed = std::env::var("RHUMB_SEED").map_or(0x2545_f491_4f6c_dd1d, |seed| {
        seed.parse().expect("a number")
    });
    let mut draw = Draw(seed);
    let (mut proved, mut wrong) = (0, 0);
    for _ in 0..count {
        let text = make(&mut draw);
        for checks in ["bounds,free", ALL] {
            let program = asked(&text, checks);
            let is_wrong = fails(&program, &mut draw);
            let answer = search(&program, "shapes", Preset::Full, 3).answer;
            if let Answer::Safe(_) = answer {
                assert!(!is_wrong, "proved, and wrong ({checks})\n{text}");
                proved += 1;
            }
            wrong += u32::from(is_wrong);
        }
    }
    assert!(
        proved >= count / 8 && wrong >= count / 4,
        "{proved} proved, {wrong} wrong"
    );
}
