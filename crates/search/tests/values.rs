//! State machines whose state lies in records behind pointers: explicit states of the few variables that matter.

mod common;

use common::{Searched, program, search};
use rhumb_summary::Preset;

fn searched(text: &str) -> Searched {
    search(&program(text), "values", Preset::Full, 60)
}

/// A handshake: the record and the one that it leads to come from `malloc`, with much in them that doesn't matter. The
/// answer to a hello is kept in the inner record, and under whatever name it was looked at, it is the same later.
fn handshake(last: &str) -> String {
    format!(
        "extern void *malloc(unsigned);
        struct inner {{ int next; int cipher; int seen; int flags; }};
        struct session {{ int version; struct inner *in; int state; int hit; void *callback; int count; }};
        static int wanted(struct session *s) {{ int hit = s->hit; return hit; }}
        static int run(struct session *s) {{
          int step = 0, old;
          s->state = 100; s->hit = __VERIFIER_nondet_int(); s->in->seen = 0;
          if (s->callback == 0) return -1;
          while (1) {{
            old = s->state;
            if (s->state == 100) {{ s->in->cipher = __VERIFIER_nondet_int(); s->state = 110; if (step == 0) step = 1; }}
            else if (s->state == 110) {{
              if (__VERIFIER_nondet_int() <= 0) return 1;
              if (wanted(s)) s->in->next = 130; else s->in->next = 120;
              s->state = 200; if (step == 1) step = 2;
            }}
            else if (s->state == 120) {{ s->in->flags = s->in->flags + s->in->cipher; s->state = 130; if (step == 2) step = 3; }}
            else if (s->state == 130) {{ if (s->hit) s->in->next = 140; else s->in->next = 3; s->state = 200; {last} }}
            else if (s->state == 140) {{ if (step == 3) reach_error(); s->state = 3; }}
            else if (s->state == 200) {{ s->state = s->in->next; s->count = s->count - 1; }}
            else return 0;
            if (s->state != old && __VERIFIER_nondet_bool()) {{ int new_state = s->state; s->state = old; s->in->seen = old; s->state = new_state; }}
          }}
        }}
        int main(void) {{
          struct session *s;
          s = malloc(sizeof(struct session));
          s->in = malloc(sizeof(struct inner));
          return run(s);
        }}"
    )
}

#[test]
fn what_lies_in_records_is_followed() {
    let found = searched(&handshake("if (step == 7) step = 3;"));
    assert_eq!(found.answer.word(), "SAFE", "{:?}", found.answer);
}

#[test]
fn errors_are_reached_by_runs() {
    let found = searched(&handshake("if (step == 2) step = 3;"));
    assert_eq!(found.answer.word(), "UNSAFE", "{:?}", found.answer);
}

/// The handshake, which writes to where a pointer from outside points before anything else. No number of the inlined
/// program is such an address, so only a run that is led with memory gets over it.
fn with_a_pointer_from_outside(last: &str) -> String {
    let text = handshake(last).replace(
        "s->state = 100; s->hit",
        "int *slot = __VERIFIER_nondet_pointer(); *slot = 0; s->state = 100; s->hit",
    );
    format!("extern void *__VERIFIER_nondet_pointer(void);\n{text}")
}

#[test]
fn runs_are_led_along_ways_of_the_inlined_program() {
    let found = searched(&with_a_pointer_from_outside("if (step == 2) step = 3;"));
    assert_eq!(found.answer.word(), "UNSAFE", "{:?}", found.answer);
    let found = searched(&with_a_pointer_from_outside("if (step == 7) step = 3;"));
    assert_ne!(found.answer.word(), "UNSAFE", "{:?}", found.answer);
}

#[test]
fn ways_go_through_calls_that_are_not_inlined() {
    let text = with_a_pointer_from_outside("if (step == 2) step = 3;")
        .replace(
            "static int run(",
            "static int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1); }\n static int run(",
        )
        .replace("int *slot =", "if (depth(3) != 3) return 2; int *slot =");
    let found = searched(&text);
    assert_eq!(found.answer.word(), "UNSAFE", "{:?}", found.answer);
}
