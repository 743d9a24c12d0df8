//! Memory that is lost where objects of lists lead to more of them.

mod common;

use common::{Answer, program, search};
use rhumb_program::Checks;
use rhumb_summary::Preset;

const PRELUDE: &str =
    "extern void *malloc(unsigned); extern void free(void *); extern void exit(int); ";

/// What belongs to the objects of a row is lost if these lead to a part of it only.
#[test]
fn what_nobody_leads_to_is_lost() {
    // Of each inner list the last one is left.
    let last = "struct in { struct in *next; }; struct out { struct out *next; struct in *tail; };
        struct out first; struct { struct in *a, *b; } heads;
        static struct in *in_front(struct in *old) { struct in *n = malloc(sizeof *n); n->next = old; return n; }
        static struct out *with(struct in *tail) { struct out *n = malloc(sizeof *n); n->next = 0; n->tail = tail; return n; }
        int main(void) {
          heads.a = in_front(0); heads.b = in_front(0);
          struct out *one = with(heads.a), *two = with(heads.b);
          for (int i = 0; i < 2; i++) { heads.a = in_front(heads.a); heads.b = in_front(heads.b); }
          while (__VERIFIER_nondet_int()) { heads.a = in_front(heads.a); heads.b = in_front(heads.b); }
          heads.a = 0; heads.b = 0; one->next = two; first.next = one; one = 0; two = 0;
          while (__VERIFIER_nondet_int()) { }
          return 0;
        }";
    // The object that alone had a pointer to another one is taken out of an inner list.
    let taken = "struct any { int v; }; struct in { struct in *next; struct any *own; };
        struct out { struct out *next; struct in *list; }; struct out first;
        static struct in *in_front(struct in *old, struct any *own) {
          struct in *n = malloc(sizeof *n); n->own = own; n->next = old; return n; }
        static struct any *other(void) { struct any *n = malloc(sizeof *n); n->v = 0; return n; }
        static struct out *with(struct any *own) { struct out *n = malloc(sizeof *n); n->next = 0;
          n->list = in_front(in_front(in_front(0, 0), 0), own); return n; }
        int main(void) {
          struct any *a = other(), *b = other();
          struct out *one = with(a), *two = with(b); struct in *n = 0;
          one->next = two;
          while (__VERIFIER_nondet_int()) { }
          n = one->list; if (n->own != a || !n->next) exit(0); one->list = n->next; free(n);
          n = two->list; if (n->own != b || !n->next) exit(0); two->list = n->next; free(n);
          n = 0; a = 0; b = 0; first.next = one; one = 0; two = 0;
          while (__VERIFIER_nondet_int()) { }
          return 0;
        }";
    for text in [last, taken] {
        let text = format!("{PRELUDE}{text}");
        let checks = Checks::parse("leaks").expect("there are such checks");
        let program = checks.apply(program(&text));
        for engine in ["shapes", "gps"] {
            let answer = search(&program, engine, Preset::Full, 10).answer;
            assert!(!matches!(answer, Answer::Safe(_)), "{engine}\n{text}");
        }
    }
}
