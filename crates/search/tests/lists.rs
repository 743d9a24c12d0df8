//! Proofs about lists of any length, by one of many nodes: programs that are right are proved, and none that is wrong.

mod common;

use std::time::Duration;

use common::enumeration::{Draw, Tally, against_enumeration};
use common::{Answer, program, search};
use rhumb_certify::certify_safe;
use rhumb_certify::proof::{Checker, Proof};
use rhumb_logic::{Budget, Work};
use rhumb_summary::Preset;

const PRELUDE: &str = "extern void *malloc(unsigned); extern void *calloc(unsigned, unsigned); \
    extern void free(void *); extern void *memset(void *, int, unsigned); \
    struct node { int h; struct node *next; }; struct two { int h; struct two *next, *prev; }; ";

/// Lists of which all nodes satisfy the same.
const RIGHT: [(&str, &str); 11] = [
    (
        "in front",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "in front, zeroed",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = calloc(1, sizeof *n); n->h = 1; \
          n->next = l; l = n; } for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "behind, the pointer set a round later",
        "struct node *l = malloc(sizeof *l), *t = l; l->h = 1; while (__VERIFIER_nondet_int()) { \
          t->next = malloc(sizeof *t); t = t->next; t->h = 1; } t->next = 0; for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "all freed",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } while (l) { if (l->h != 1) reach_error(); struct node *p = l; l = l->next; free(p); \
          }",
    ),
    (
        "two lists",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } struct node *k = 0; while (__VERIFIER_nondet_int()) { \
          struct node *n = malloc(sizeof *n); n->h = 2; n->next = k; k = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error(); for (; k; k = k->next) if (k->h != 2) reach_error();",
    ),
    (
        "zeroed by hand",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          memset(n, 0, sizeof *n); n->next = l; l = n; } for (; l; l = l->next) if (l->h != 0) reach_error();",
    ),
    (
        "changed on the way",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } for (struct node *p = l; p; p = p->next) p->h = 2; for (struct node *p = l; p; \
          p = p->next) if (p->h != 1 && p->h != 2) reach_error();",
    ),
    (
        "both ways",
        "struct two *l = 0; while (__VERIFIER_nondet_int()) { struct two *n = malloc(sizeof *n); n->h = 7; \
          n->prev = 0; n->next = l; if (l) l->prev = n; l = n; } for (; l; \
          l = l->next) if (l->h != 7) reach_error();",
    ),
    (
        "a range of values",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { int x = __VERIFIER_nondet_int(); \
          if (x < 3 || x > 9) continue; struct node *n = malloc(sizeof *n); n->h = x; n->next = l; l = n; } for (; \
          l; l = l->next) { if (l->h < 3) reach_error(); if (l->h > 9) reach_error(); }",
    ),
    (
        "only the newest",
        "struct node *last = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 4; \
          n->next = last; last = n; } if (last && last->h != 4) reach_error();",
    ),
    (
        "a record in each",
        "struct out { struct node *in; struct out *next; }; struct out *l = 0; while (__VERIFIER_nondet_int()) { \
          struct node *in = malloc(sizeof *in); in->h = 4; in->next = 0; struct out *o = malloc(sizeof *o); \
          o->in = in; o->next = l; l = o; } for (; l; l = l->next) if (l->in->h != 4) reach_error();",
    ),
];

/// The same, but for one node, or one moment.
const WRONG: [(&str, &str); 32] = [
    (
        "the first one differs",
        "struct node *l = 0; int i = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = i == 0 ? 5 : 1; i = 1; n->next = l; l = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "the second one differs",
        "struct node *l = 0; int i = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = i == 1 ? 5 : 1; if (i < 9) i++; n->next = l; l = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "the third one differs",
        "struct node *l = 0; int i = 0; while (__VERIFIER_nondet_int()) { struct node *n = calloc(1, sizeof *n); \
          n->h = i == 2 ? 5 : 1; if (i < 9) i++; n->next = l; l = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "any one may differ",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = __VERIFIER_nondet_int() == 77 ? 2 : 1; n->next = l; l = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "the last one is changed",
        "struct node *l = malloc(sizeof *l), *t = l; l->h = 1; while (__VERIFIER_nondet_int()) { \
          t->next = malloc(sizeof *t); t = t->next; t->h = 1; } t->next = 0; t->h = 3;for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "the newest is changed",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } if (l) l->h = 9; for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "the second is changed",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } if (l && l->next) l->next->h = 9; for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "changed by an old pointer",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } struct node *q = l; while (__VERIFIER_nondet_int()) { \
          struct node *n = malloc(sizeof *n); n->h = 1; n->next = l; l = n; } if (q) q->h = 8; \
          for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "a value that may not be set",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          if (__VERIFIER_nondet_int()) n->h = 1; n->next = l; l = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "a value that may be zero",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = calloc(1, sizeof *n); \
          if (__VERIFIER_nondet_int()) n->h = 1; n->next = l; l = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "two lists from one line",
        "struct node *a = 0, *b = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          if (__VERIFIER_nondet_int()) { n->h = 1; n->next = a; a = n; } else { n->h = 2; n->next = b; b = n; } } \
          for (; a; a = a->next) if (a->h != 1) reach_error(); for (; b; b = b->next) if (b->h != 1) reach_error();",
    ),
    (
        "moved to another list",
        "struct node *a = 0, *b = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = 1; n->next = a; a = n; } while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = 2; n->next = b; b = n; } if (a) { struct node *t = a; a = a->next; t->next = b; b = t; } for (; b; \
          b = b->next) if (b->h == 1) reach_error();",
    ),
    (
        "another one linked in",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } struct node *k = malloc(sizeof *k); k->h = 3; k->next = 0; if (l) { \
          k->next = l->next; l->next = k; } for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "a value changed behind the link",
        "struct node *l = 0; int k = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->next = l; n->h = 1; l = n; if (__VERIFIER_nondet_int() == 5) n->h = 6; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "changed by the way back",
        "struct two *l = 0; while (__VERIFIER_nondet_int()) { struct two *n = malloc(sizeof *n); n->h = 7; \
          n->prev = 0; n->next = l; if (l) { l->prev = n; if (__VERIFIER_nondet_int() == 3) l->prev->h = 5; } l = n; \
          } for (; l; l = l->next) if (l->h != 7) reach_error();",
    ),
    (
        "changed three times",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } for (int i = 0; i < 3; i++) for (struct node *p = l; p; p = p->next) p->h--; for (; \
          l; l = l->next) if (l->h == -2) reach_error();",
    ),
    (
        "a record of the second is changed",
        "struct out { struct node *in; struct out *next; }; struct out *l = 0; while (__VERIFIER_nondet_int()) { \
          struct node *in = malloc(sizeof *in); in->h = 4; struct out *o = malloc(sizeof *o); o->in = in; \
          o->next = l; l = o; } if (l && l->next) l->next->in->h = 3; for (; l; \
          l = l->next) if (l->in->h != 4) reach_error();",
    ),
    (
        "a record that all share is changed",
        "struct out { struct node *in; struct out *next; }; struct node *s = malloc(sizeof *s); s->h = 4; \
          struct out *l = 0; while (__VERIFIER_nondet_int()) { struct out *o = malloc(sizeof *o); o->in = s; \
          o->next = l; l = o; } if (l) l->in->h++; for (; l; l = l->next) if (l->in->h != 4) reach_error();",
    ),
    (
        "values exchanged",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } if (l && l->next) { int a = l->h; l->h = l->next->h + 1; l->next->h = a; } \
          for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "the last but one is changed",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = l; l = n; } for (struct node *p = l; p; p = p->next) if (p->next && !p->next->next) p->h = 2; \
          for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "what was just linked is changed",
        "struct node *l = malloc(sizeof *l), *t = l; l->h = 1; l->next = 0; while (__VERIFIER_nondet_int()) { \
          struct node *n = malloc(sizeof *n); n->h = 1; n->next = 0; t->next = n; struct node *m = t->next; \
          if (__VERIFIER_nondet_int() == 4) m->h = 2; t = m; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "linked twice",
        "struct node *l = malloc(sizeof *l), *t = l; l->h = 1; l->next = 0; while (__VERIFIER_nondet_int()) { \
          struct node *n = malloc(sizeof *n), *o = malloc(sizeof *o); n->h = 1; n->next = 0; o->h = 2; o->next = 0; \
          t->next = n; if (t->next != 0) { t->next = __VERIFIER_nondet_int() ? n : o; } t = t->next; } \
          for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "perhaps linked twice",
        "struct node *l = malloc(sizeof *l), *t = l; l->h = 1; l->next = 0; while (__VERIFIER_nondet_int()) { \
          struct node *n = malloc(sizeof *n), *o = malloc(sizeof *o); n->h = 1; n->next = 0; o->h = 2; o->next = 0; \
          t->next = n; struct node *u = __VERIFIER_nondet_int() ? t : l; u->next = o; t = t->next; } \
          for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "a node that two ways lead to",
        "struct t { int v; struct t *a, *b; }; struct t *r = 0; while (__VERIFIER_nondet_int()) { \
          struct t *n = malloc(sizeof *n); n->v = 1; n->a = r; n->b = __VERIFIER_nondet_int() ? r : 0; r = n; } \
          if (r && r->b && r->b->a) r->b->a->v = 2; while (r) { if (r->v != 1) reach_error(); \
          r = __VERIFIER_nondet_int() ? r->a : r->b; }",
    ),
    (
        "by a pointer to a pointer",
        "struct node *l = 0, **e = &l; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = __VERIFIER_nondet_int() == 6 ? 2 : 1; n->next = 0; *e = n; e = &n->next; } for (struct node *p = l; \
          p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "a ring of one",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          n->next = n; if (l) l->next = n; l = n; } if (l) { l->next->h = 2; if (l->h != 1) reach_error(); }",
    ),
    (
        "made by a function",
        "struct node *mk(int v) { struct node *n = malloc(sizeof *n); n->h = v; n->next = 0; return n; } \
          int main(void) { struct node *l = 0; while (__VERIFIER_nondet_int()) { \
          struct node *n = mk(__VERIFIER_nondet_int() ? 1 : 2); n->next = l; l = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error(); }",
    ),
    (
        "counted",
        "struct node *l = 0; int c = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = c; n->next = l; l = n; c = c < 5 ? c + 1 : 0; } for (; l; \
          l = l->next) if (l->h == 5) reach_error();",
    ),
    (
        "changed after one was freed",
        "struct node *l = 0; int v = 1; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          n->h = v; n->next = l; l = n; if (__VERIFIER_nondet_int()) { struct node *d = l; l = l->next; free(d); \
          v = 2; } } for (struct node *p = l; p; p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "the last has no pointer",
        "struct node *l = malloc(sizeof *l); l->h = 1; struct node *t = l; while (__VERIFIER_nondet_int()) { \
          t->next = malloc(sizeof *t); t = t->next; t->h = 1; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "a pointer that may not be set",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; \
          if (__VERIFIER_nondet_int()) n->next = l; l = n; } for (struct node *p = l; p; \
          p = p->next) if (p->h != 1) reach_error();",
    ),
    (
        "a pointer read too soon",
        "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); \
          struct node *g = n->next; n->h = 1; n->next = l; l = n; if (g) if (g->h == 5) reach_error(); }",
    ),
];

fn whole(text: &str) -> String {
    match text.contains("int main") {
        true => format!("{PRELUDE}{text}"),
        false => format!("{PRELUDE}int main(void) {{ {text} }}"),
    }
}

#[test]
fn lists_that_are_right_are_proved() {
    for (name, text) in RIGHT {
        let found = search(&program(&whole(text)), "elements", Preset::Full, 300);
        assert!(
            matches!(found.answer, Answer::Safe(_)),
            "{name}: {:?}\n{text}",
            found.answer.word()
        );
    }
}

#[test]
fn lists_that_are_wrong_are_not() {
    let mut found = 0;
    for (name, text) in WRONG {
        let text = whole(text);
        // Long enough for a busy machine, too.
        let answer = search(&program(&text), "elements", Preset::Full, 10).answer;
        assert!(
            !matches!(answer, Answer::Safe(_)),
            "{name} is proved\n{text}"
        );
        found += usize::from(matches!(answer, Answer::Unsafe(_)));
    }
    assert!(2 * found >= WRONG.len(), "only {found} are found");
}

/// A proof is one of its program only, and needs all of its plan.
#[test]
fn proofs_of_other_lists_are_rejected() {
    let budget = Budget::time(Duration::from_secs(300));
    let is_accepted = |text: &str, proof: Proof| {
        let program = program(&whole(text));
        certify_safe(&Checker::new(&program), proof, &budget).is_ok()
    };
    let mut count = 0;
    for (name, text) in RIGHT
        .into_iter()
        .filter(|entry| entry.1.contains("->h = 1; "))
    {
        let found = search(&program(&whole(text)), "elements", Preset::Full, 300);
        let Answer::Safe(proof) = found.answer else {
            panic!("{name}: {:?}", found.answer.word());
        };
        assert!(is_accepted(text, proof.clone()), "{name}");
        // The same automaton, with another value somewhere.
        for (place, _) in text.match_indices("->h = 1; ") {
            let mut other = text.to_owned();
            other.replace_range(place.."->h = 1; ".len() + place, "->h = 5; ");
            assert!(!is_accepted(&other, proof.clone()), "{name}: {other}");
            count += 1;
        }
        let mut other = proof.clone();
        other.ghosts.reads.clear();
        assert!(!is_accepted(text, other), "{name}: without reads");
        let mut other = proof;
        other.ghosts.instances.clear();
        assert!(!is_accepted(text, other), "{name}: without instances");
    }
    assert!(count >= 5, "only {count} were tried");
}

impl Draw {
    /// What a node gets.
    fn given(&mut self) -> &'static str {
        self.pick(&["1", "1", "2", "i", "i == j ? 2 : 1", "i < 2 ? 1 : 2", "k"])
    }

    fn memory(&mut self) -> &'static str {
        self.pick(&[
            "malloc(sizeof(struct two))",
            "calloc(1, sizeof(struct two))",
        ])
    }

    /// A loop that makes nodes: in front of the others or behind them.
    fn nodes(&mut self) -> String {
        let (memory, value) = (self.memory(), self.given());
        match self.below(3) {
            0 => format!(
                "for (int i = 0; i < n; i++) {{ struct two *x = {memory}; x->next = l; x->prev = 0; x->h = {value}; \
                  if (l) l->prev = x; l = x; if (!t) t = x; }} "
            ),
            1 => format!(
                "for (int i = 0; i < n; i++) {{ struct two *x = {memory}; x->h = {value}; x->prev = t; \
                  if (t) t->next = x; else l = x; t = x; }} if (t) t->next = 0; "
            ),
            _ => format!(
                "for (int i = 0; i < n; i++) {{ if (!t) {{ t = {memory}; l = t; t->prev = 0; }} else {{ t->next = {memory}; \
                  t->next->prev = t; t = t->next; }} t->h = {value}; t->next = 0; }} "
            ),
        }
    }

    /// What is done to them then.
    fn change(&mut self) -> String {
        let value = self.below(3);
        let test = self.pick(&[
            "p->h == 1",
            "p->next",
            "!p->next",
            "p->prev",
            "k == j",
            "p == t",
        ]);
        let node = self.pick(&["l", "t", "l->next", "t->prev", "p"]);
        match self.below(6) {
            0 => format!(
                "k = 0; for (p = l; p; p = p->next) {{ if ({test}) p->h = {value}; k++; }} "
            ),
            1 => "for (p = l; p; p = p->next) if (p->h < 2) p->h++; ".to_owned(),
            2 => {
                "k = 0; for (p = l; p && k < j; p = p->next) k++; ".to_owned()
                    + &format!("if (p) p->h = {value}; ")
            }
            3 => format!("if (l && t && {node}) {node}->h = {value}; "),
            4 => {
                "if (l && l->next) { p = l; l = l->next; l->prev = 0; free(p); p = 0; } ".to_owned()
            }
            _ => String::new(),
        }
    }

    fn list(&mut self) -> String {
        let mut text = String::from(
            "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0; \
              int j = __VERIFIER_nondet_int(); if (j < 0 || j > 19) return 0; int k = 0; struct two *l = 0, *t = 0, *p = 0; ",
        );
        text.push_str(&self.nodes());
        for _ in 0..self.below(3) {
            text.push_str(&self.change());
        }
        if self.below(4) == 0 {
            text.push_str(&self.nodes());
        }
        let op = self.pick(&["==", "<=", ">=", "!="]);
        let (value, way) = (self.below(3), self.below(4));
        text.push_str(&match way {
            0 => format!("for (p = t; p; p = p->prev) if (!(p->h {op} {value})) reach_error(); }}"),
            1 => format!("if (l && !(l->h {op} {value})) reach_error(); }}"),
            _ => format!("for (p = l; p; p = p->next) if (!(p->h {op} {value})) reach_error(); }}"),
        });
        whole(&text)
    }
}

#[test]
fn random_lists_are_not_proved_against_enumeration() {
    let mut draw = Draw(0x2545_f491_4f6c_dd1d);
    let texts = std::iter::repeat_with(|| draw.list()).take(16);
    let Tally {
        right,
        proved,
        wrong,
    } = against_enumeration(texts, 4, Work::secs(8));
    assert!(wrong >= 3 && right >= 3, "{wrong} wrong, {right} right");
    assert!(proved >= 1, "none of {right} is proved");
}
