//! Inline assembly whose instructions are known does exactly what they do; of any other nothing is said.

mod common;

use common::{program, search};
use rhumb_summary::Preset;

/// What is said of a program with a counter that has any value, a statement, and an error behind a condition.
fn answer(statement: &str, condition: &str) -> &'static str {
    let text = format!(
        "int counter, before;
         unsigned given, result;
         unsigned char flag;
         short narrow;
         int main(void) {{
           counter = before = __VERIFIER_nondet_int();
           given = __VERIFIER_nondet_uint();
           __asm__ volatile ({statement});
           if ({condition}) reach_error();
           return 0;
         }}"
    );
    search(&program(&text), "execute", Preset::Full, 20)
        .answer
        .word()
}

const LOCK: &str =
    r#"".section .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.previous\n671:\n\tlock; ""#;

/// Of each statement what holds after it, and what doesn't always.
#[test]
fn counters_and_moves() {
    let dec_and_test =
        format!(r#"{LOCK} "decl %0; sete %1" : "+m" (counter), "=qm" (flag) :: "memory""#);
    let add_negative =
        format!(r#"{LOCK} "addl %2,%0; sets %1" : "+m" (counter), "=qm" (flag) : "ir" (given)"#);
    let fetch_add = format!(r#"{LOCK} "xaddl %0, %1" : "=r" (given), "+m" (counter) : : "memory""#);
    let fetch_add = fetch_add.replace("\"=r\" (given)", "\"+r\" (given)");
    let load = r#""movl %1,%0" : "=r" (result) : "m" (*(volatile unsigned *)&counter) : "memory""#;
    let store = r#""movl %0,%1" : : "r" (given), "m" (*(volatile unsigned *)&counter) : "memory""#;
    for (statement, always, sometimes) in [
        (&*dec_and_test, "flag == (before == 1)", "flag == 0"),
        (
            &dec_and_test,
            "(unsigned)counter == before - 1U",
            "counter < before",
        ),
        (
            &add_negative,
            "flag == ((int)(before + given) < 0)",
            "flag == (before < 0)",
        ),
        (&fetch_add, "given == (unsigned)before", "counter == before"),
        (load, "result == (unsigned)before", "result == 0"),
        (store, "(unsigned)counter == given", "counter == before"),
        (
            r#""incl %0" : "+m" (counter)"#,
            "(unsigned)counter == before + 1U",
            "counter > before",
        ),
        (
            r#""andl $12, %0" : "+m" (counter)"#,
            "counter == (before & 12)",
            "counter == 12",
        ),
        (
            r#""rep; nop" ::: "memory""#,
            "counter == before",
            "counter == 0",
        ),
        (
            r#""sfence" ::: "memory""#,
            "counter == before",
            "counter == 0",
        ),
        (
            r#""outb %b0, %w1" : : "a" (given), "Nd" (narrow)"#,
            "counter == before",
            "counter == 0",
        ),
    ] {
        assert_eq!(
            answer(statement, &format!("!({always})")),
            "SAFE",
            "{statement}: {always}"
        );
        let not = answer(statement, &format!("!({sometimes})"));
        assert_eq!(not, "UNSAFE", "{statement}: {sometimes}");
    }
}

#[test]
fn what_comes_from_outside_is_anything() {
    for statement in [
        r#""inl %w1, %0" : "=a" (result) : "Nd" (narrow)"#,
        r#""movl %%gs:%P1,%0" : "=r" (result) : "p" (&counter)"#,
    ] {
        assert_eq!(answer(statement, "result == 77"), "UNSAFE", "{statement}");
        assert_eq!(
            answer(statement, "counter != before"),
            "SAFE",
            "{statement}"
        );
    }
}

/// Nothing rests on these: sizes that differ, operands that are not set, others that are read twice, unknown texts.
#[test]
fn what_is_not_known_is_left_open() {
    for statement in [
        r#""decw %0" : "+m" (counter)"#,
        r#""decl %0" : "+m" (narrow)"#,
        r#""decl %0" : "=r" (result)"#,
        r#""movl %1,%0" : "=r" (narrow) : "m" (counter)"#,
        r#""sfence" : "=r" (counter)"#,
        r#""movl %1,%0" : "=r" (counter) : "0" (given)"#,
        r#""movl %1,%0" : "=r" (counter) : "r" (given++)"#,
        r#""movl %0,%1" : : "r" (given), "r" (counter)"#,
        r#""hlt" : "+m" (counter)"#,
        r#""movl %0,%1" : : "r" (given), "m" (counter)"#,
        // What is only written need not have been stored before.
        r#""incl %0" : "=m" (counter)"#,
        r#""addl %1,%0" : "=rm" (counter) : "r" (given)"#,
        // Tied by name; a number in octal; a register that is written back; a copy.
        r#""addl %2,%0" : [o] "=rm" (counter) : "[o]" (before), "r" (given)"#,
        r#""addl $010,%0" : "+r" (counter)"#,
        r#""incl %0" : "+m" (*&counter), "+r" (counter)"#,
        r#""incl %0" : "+r" (counter), "+r" (counter)"#,
        r#""incl %0" : : "rm" (*(volatile int *)&counter)"#,
        // The second instruction may read what the first one has written, or not: they may share a register.
        r#""movl $1,%0; addl %1,%0" : "=r" (result) : "r" (given)"#,
        r#""movl $1,%0; addl %1,%0" : "=&r" (counter) : "r" (counter)"#,
        // Comments, and alternatives for dialects: the assembler doesn't see all of this.
        r#""outb %b1,%w2 # to the port; incl %0" : "+m" (counter) : "a" (given), "Nd" (narrow)"#,
        r#""outb %b1,%w2 /*; incl %0; outb */" : "+m" (counter) : "a" (given), "Nd" (narrow)"#,
        r#""outb %b1,%w2 {|; incl %0; outb }" : "+m" (counter) : "a" (given), "Nd" (narrow)"#,
    ] {
        assert_eq!(
            answer(statement, "counter != before"),
            "UNKNOWN",
            "{statement}"
        );
        assert_eq!(answer(statement, "before == 1"), "UNKNOWN", "{statement}");
    }
}
