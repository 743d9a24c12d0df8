//! All runs side by side: programs with more paths than anybody can follow, each right and with a planted bug.

#![allow(missing_docs)]

mod common;

use common::{Answer, program, search};
use rhumb_certify::proof::{Argument, Proof, Together, check};
use rhumb_logic::{Budget, Work};
use rhumb_summary::Preset;

fn answer(text: &str) -> Answer {
    search(&program(text), "together", Preset::Full, 60).answer
}

/// The program is proved with the right text in place of `HERE`, and refuted with the wrong one.
fn told_apart(text: &str, right: &str, wrong: &str) {
    for (here, word) in [(right, "SAFE"), (wrong, "UNSAFE")] {
        let answer = answer(&text.replace("HERE", here));
        assert_eq!(answer.word(), word, "{here}: {answer:?}");
    }
}

/// An adder of bytes: each of its rounds depends on inputs in four ways.
const ADDER: &str = "
    unsigned add(unsigned a, unsigned b) {
      unsigned char digits[4]; unsigned carry = 0, i, sum = 0;
      for (i = 0; i < 4; i++) {
        unsigned part = carry;
        if ((a >> 8 * i & 255) != 0) part += a >> 8 * i & 255;
        if ((b >> 8 * i & 255) != 0) part += b >> 8 * i & 255;
        carry = 0;
        if (part > HERE) { part = part & 255; carry = 1; }
        digits[i] = part;
      }
      for (i = 0; i < 4; i++) sum |= (unsigned)digits[i] << 8 * i;
      return sum;
    }
    int main(void) {
      unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
      if (add(a, b) != a + b) reach_error();
    }";

#[test]
fn bits_of_numbers_that_inputs_decide_step_after_step() {
    told_apart(ADDER, "255", "256");
}

#[test]
fn counting_bits_in_two_ways() {
    let text = "int main(void) {
      unsigned x = __VERIFIER_nondet_uint(), y = x, slow = 0, fast = x, i;
      for (i = 0; i < 32; i++) if (y >> i & 1) slow = slow + 1;
      fast = fast - (fast >> 1 & 0x55555555u);
      fast = (fast & 0x33333333u) + (fast >> 2 & 0x33333333u);
      fast = (fast + (fast >> 4)) & HERE;
      if (slow % 2 != (fast + (fast >> 8) + (fast >> 16) + (fast >> 24)) % 2) reach_error();
    }";
    told_apart(text, "0x0f0f0f0fu", "0x0f0f0f0eu");
}

/// What is called depends on inputs, and so does where its arguments lie.
#[test]
fn pointers_to_several_objects_and_functions() {
    let text = "
    struct port { int (*send)(int *); int *cell; };
    int one(int *p) { *p = *p + 1; return *p; }
    int two(int *p) { *p = *p + 2; return *p; }
    int main(void) {
      int left = 0, right = 0, i, total = 0;
      struct port port;
      for (i = 0; i < 12; i++) {
        port.send = __VERIFIER_nondet_bool() ? one : two;
        port.cell = __VERIFIER_nondet_bool() ? &left : &right;
        int before = *port.cell;
        int now = port.send(port.cell);
        total = total + now - before;
      }
      if (left + right != total || total > HERE) reach_error();
    }";
    told_apart(text, "24", "23");
}

/// Some runs have allocated an object, others have freed one, and a call with memory of its own was made by some.
#[test]
fn objects_that_only_some_runs_have() {
    let text = "
    extern void *malloc(unsigned long); extern void free(void *);
    struct cell { int value; struct cell *next; };
    int spare(int n) { int own[3]; own[n] = n; return own[n]; }
    int main(void) {
      struct cell *list = 0; int i, count = 0;
      for (i = 0; i < 4; i++) {
        if (__VERIFIER_nondet_bool()) {
          struct cell *new = malloc(sizeof *new);
          if (new == 0) return 0;
          new->value = 7; new->next = list; list = new; count = count + 1;
        } else if (list != 0) {
          struct cell *old = list;
          list = old->next; free(old); count = count - 1;
        } else spare(i % 3);
      }
      while (list != 0) { if (list->value != 7) reach_error(); list = list->next; count = count - 1; }
      if (count != HERE) reach_error();
    }";
    told_apart(text, "0", "1");
}

/// Places of a table that inputs decide, read and written; some of it was never set.
#[test]
fn places_in_tables() {
    let text = "int main(void) {
      unsigned char seen[20]; unsigned i, last = 0;
      for (i = 0; i < 20; i++) seen[i] = 0;
      for (i = 0; i < 6; i++) {
        unsigned at = __VERIFIER_nondet_uint();
        if (at >= 20) continue;
        seen[at] = seen[at] + 1;
        last = at;
      }
      if (seen[last] > HERE) reach_error();
    }";
    told_apart(text, "6", "5");
    let text = "int main(void) {
      int cells[4]; int i;
      if (__VERIFIER_nondet_bool()) cells[2] = 5; else if (__VERIFIER_nondet_bool()) { char other[9]; i = other[3]; }
      int kept = cells[2];
      for (i = 0; i < 4; i++) if (__VERIFIER_nondet_bool()) cells[i] = i;
      if (cells[2] != kept && cells[2] != HERE) reach_error();
    }";
    told_apart(text, "2", "3");
}

/// Floats by a choice of two, and a loop whose number of rounds an input decides.
#[test]
fn floats_and_loops_that_end_at_different_times() {
    let text = "int main(void) {
      float x = 1.0f; unsigned n = __VERIFIER_nondet_uint() % 9, i;
      for (i = 0; i < n; i++) { if (__VERIFIER_nondet_bool()) x = x * 0.5f; else x = x + 0.25f; }
      if (!(x > 0.0f && x < HERE)) reach_error();
    }";
    told_apart(text, "3.25f", "3.0f");
}

/// Runs that go on without a bound don't keep those that are behind the loop from being looked at.
#[test]
fn errors_behind_loops_without_a_bound() {
    let text = "int main(void) {
      unsigned x = 1;
      while (__VERIFIER_nondet_bool()) { x = x * 5 ^ x >> 3; }
      if (x == 5u * 5u) reach_error();
    }";
    assert_eq!(answer(text).word(), "UNSAFE");
}

/// The proof says how many steps there are; the checker makes them itself, and of a program with an error there is none.
#[test]
fn the_checker_follows_all_runs_itself() {
    let right = program(&ADDER.replace("HERE", "255"));
    let Answer::Safe(proof) = search(&right, "together", Preset::Full, 60).answer else {
        panic!("no proof");
    };
    let Argument::Together { steps } = proof.argument else {
        panic!("another proof");
    };
    assert!(check(&right, &Proof::together(steps), &Budget::unlimited()).is_ok());
    assert!(check(&right, &Proof::together(20), &Budget::unlimited()).is_err());
    let wrong = program(&ADDER.replace("HERE", "256"));
    let budget = Budget::unlimited().within(Work::secs(100));
    assert!(check(&wrong, &Proof::together(steps), &budget).is_err());
    let mut runs = Together::new(&right);
    assert_eq!(runs.open(), 1);
    runs.go_on(&budget, Work::millis(1));
    assert!(runs.extent().steps > 0);
}
