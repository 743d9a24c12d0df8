//! Runs that are led along ways through the functions of a program, and ways that avoid where others got stuck.

mod common;

use common::{program, search};
use rhumb_summary::Preset;

fn answer(text: &str) -> &'static str {
    search(&program(text), "tabulate", Preset::Full, 20)
        .answer
        .word()
}

/// The first way to the error asks for what memory never holds.
fn with_debugging(last: &str) -> String {
    format!(
        "int debug;
         int *where = &debug;
         int opened;
         void log_it(void) {{}}
         void open_it(void) {{ if (debug) log_it(); opened = 1; }}
         int main(void) {{
           while (__VERIFIER_nondet_int()) {{
             switch (__VERIFIER_nondet_int()) {{
             case 0: open_it(); break;
             case 1: opened = 0; break;
             default: break;
             }}
           }}
           if ({last}) reach_error();
           return *where;
         }}"
    )
}

#[test]
fn what_can_not_be_gone_is_left_out() {
    assert_eq!(answer(&with_debugging("opened == 1")), "UNSAFE");
    assert_eq!(answer(&with_debugging("opened == 2")), "SAFE");
}

/// Of two ways to the error the shorter one leads through memory that never holds what it asks for.
fn with_a_detour(level: &str) -> String {
    format!(
        "struct state {{ int level; int other; }} it;
         struct state *shared(void) {{ return &it; }}
         int failed;
         void quick(void) {{ if (shared()->level == 7) failed = 1; }}
         void slow(int a, int b) {{ if (a == 3) {{ if (b == 4) {{ failed = {level}; }} }} }}
         int main(void) {{
           if (__VERIFIER_nondet_int()) quick();
           else slow(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
           if (failed == 1) reach_error();
           return 0;
         }}"
    )
}

#[test]
fn another_way_is_found_where_one_is_stuck() {
    assert_eq!(answer(&with_a_detour("1")), "UNSAFE");
    // Nothing shows that memory never holds that: no answer, and no proof of what is left.
    assert_eq!(answer(&with_a_detour("2")), "UNKNOWN");
}

/// The way to the error may go through assembly, of which nobody knows what it does, or around it.
fn around_assembly(around: &str) -> String {
    format!(
        "int done;
         void through(void) {{ int x; __asm__ (\"rdtsc\" : \"=r\" (x)); done = 1; }}
         void around(int a) {{ if (a > 10) if (a < 12) done = {around}; }}
         int main(void) {{
           if (__VERIFIER_nondet_int()) through(); else around(__VERIFIER_nondet_int());
           if (done) reach_error();
           return 0;
         }}"
    )
}

#[test]
fn ways_go_around_what_is_not_understood() {
    assert_eq!(answer(&around_assembly("1")), "UNSAFE");
    assert_eq!(answer(&around_assembly("0")), "UNKNOWN");
}

/// Between the inputs and the error lies a loop that never ends, on a side that nothing asks for.
const ENDLESS: &str = "
    int ready;
    void wait(int how) { if (how == 5) { while (1) { } } ready = how + 1; }
    int main(void) {
      int *p = &ready;
      wait(__VERIFIER_nondet_int());
      if (*p == 9) reach_error();
      return 0;
    }";

#[test]
fn loops_that_do_not_end_are_left() {
    assert_eq!(answer(ENDLESS), "UNSAFE");
}

/// A list that is empty: its head is compared with itself, as a number.
fn empty_list(op: &str, number: &str) -> String {
    format!(
        "struct node {{ struct node *next; }} head = {{ &head }};
         int main(void) {{
           struct node *p = head.next;
           if (({number})p {op} ({number})&head) reach_error();
           return 0;
         }}"
    )
}

#[test]
fn pointers_are_equal_if_their_numbers_are() {
    let answer = |op, number| {
        let program = program(&empty_list(op, number));
        search(&program, "execute", Preset::Full, 20).answer.word()
    };
    assert_eq!(answer("==", "unsigned long"), "UNSAFE");
    assert_eq!(answer("!=", "unsigned long"), "SAFE");
    // Of a part of the bits nothing is said.
    assert_eq!(answer("!=", "unsigned short"), "UNKNOWN");
}

/// What is null stays so as a number, and what isn't doesn't become it.
#[test]
fn null_is_zero_as_a_number() {
    let text = |op| {
        format!(
            "int x;
             int main(void) {{
               int *p = __VERIFIER_nondet_int() ? &x : (int *)0;
               if ((p == 0) {op} ((unsigned long)p == (unsigned long)(int *)0)) reach_error();
               if ((p == 0) {op} ((unsigned long)(int *)0 == (unsigned long)p)) reach_error();
               return 0;
             }}"
        )
    };
    let answer = |op| {
        let program = program(&text(op));
        search(&program, "execute", Preset::Full, 20).answer.word()
    };
    assert_eq!(answer("!="), "SAFE");
    assert_eq!(answer("=="), "UNSAFE");
}

/// A program that reads a text with a format that the text shows.
fn with_format(format: &str, wanted: i32) -> String {
    format!(
        "extern int sscanf(const char *text, const char *format, ...);
         int opened;
         int main(void) {{
           char text[4];
           double number;
           text[3] = 0;
           if (sscanf(text, \"{format}\", &number) == 1) opened = 1;
           if (opened == {wanted}) reach_error();
           return 0;
         }}"
    )
}

#[test]
fn formats_that_are_understood_are_not_refused() {
    assert_eq!(answer(&with_format("%d", 2)), "SAFE");
    assert_eq!(answer(&with_format("x%hx", 2)), "SAFE");
    assert_eq!(answer(&with_format("%d", 1)), "UNSAFE");
    assert_eq!(answer(&with_format("%lf", 2)), "UNKNOWN");
}
