//! What the interpreter says of all inputs, against gcc: code that is compiled with sanitizers tries all inputs on its
//! own and tells whether the error can be reached.

#![allow(missing_docs, clippy::print_stdout)]

use std::process::Command;

use rhumb_truth::explore::Failure;
use rhumb_truth::kinds::{Kind, sample};

/// Every run is a process of its own; the choices of its inputs are shared with the one that counts them up. Ends with
/// 1 if the error was reached, with 3 if there are too many runs.
const DRIVER: &str = r#"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct way { int length, at, value[64], last[64]; };
static struct way *way;
static int choose(int low, int high) {
  if (way->at == 64) _exit(5);
  if (way->at == way->length) { way->value[way->at] = low; way->last[way->at] = high; way->length++; }
  return way->value[way->at++];
}
int __VERIFIER_nondet_int(void) { return choose(-7, 13); }
signed char __VERIFIER_nondet_char(void) { return choose(-128, 127); }
unsigned char __VERIFIER_nondet_uchar(void) { return choose(0, 255); }
void abort(void) { _exit(6); }
void reach_error(void) { _exit(7); }
extern int tested(void);
int main(void) {
  way = mmap(0, sizeof *way, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int runs = 0; runs < 3000; runs++) {
    way->at = 0;
    int pid = fork(), status;
    if (pid == 0) { tested(); _exit(0); }
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 7) return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 5) return 3;
    way->length = way->at;
    while (way->length > 0 && way->value[way->length - 1] == way->last[way->length - 1]) way->length--;
    if (way->length == 0) return 0;
    way->value[way->length - 1]++;
  }
  return 3;
}
"#;

/// Whether gcc's program reaches the error. `None` if it has too many runs.
fn reaches(text: &str, folder: &std::path::Path) -> Option<bool> {
    let (program, driver, binary) = (
        folder.join("program.c"),
        folder.join("driver.c"),
        folder.join("program"),
    );
    std::fs::write(&program, text.replace("int main(void)", "int tested(void)")).expect("a file");
    std::fs::write(&driver, DRIVER).expect("a file");
    // A left shift of what gcc defines is no error, and overflow ends a run.
    let built = Command::new("gcc")
        .args(["-w", "-O0", "-fno-builtin"])
        .arg("-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift-exponent,bounds,null")
        .arg("-fsanitize-undefined-trap-on-error")
        .args([&program, &driver])
        .arg("-o")
        .arg(&binary)
        .status()
        .expect("gcc can be started");
    assert!(built.success(), "{text}");
    match Command::new(&binary).status().expect("it runs").code() {
        Some(0) => Some(false),
        Some(1) => Some(true),
        Some(3) => None,
        other => panic!("{other:?}\n{text}"),
    }
}

fn agrees(kind: Kind, first: u64, count: u64) -> (u32, u32) {
    let folder = std::env::temp_dir().join(format!("rhumb-oracle-{kind:?}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut compared, mut reached) = (0, 0);
    for seed in first..first + count {
        let sample = match sample(kind, seed) {
            Ok(sample) if !sample.truth.is_sampled => sample,
            Ok(_) | Err(Failure::TooLarge) => continue,
            Err(Failure::NotHere(what)) => panic!("seed {seed}: {what}"),
        };
        let Some(reaches) = reaches(&sample.text, &folder) else {
            continue;
        };
        assert_eq!(
            reaches,
            !sample.truth.is_safe(),
            "seed {seed}:\n{}",
            sample.text
        );
        compared += 1;
        reached += u32::from(reaches);
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{kind:?}: {compared} programs compared, {reached} reach the error");
    (compared, reached)
}

/// How many programs of each kind: `RHUMB_ORACLE` says it for who wants more.
fn count() -> u64 {
    let asked = std::env::var("RHUMB_ORACLE").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(12)
}

#[test]
fn gcc_agrees_about_memory() {
    let (compared, reached) = agrees(Kind::Memory, 200_000, count());
    assert!(
        compared >= 4 && reached >= 1,
        "{compared} compared, {reached} reached"
    );
}

#[test]
fn gcc_agrees_about_bits() {
    let (compared, reached) = agrees(Kind::Bits, 200_000, 2 * count());
    assert!(
        compared >= 4 && reached >= 1,
        "{compared} compared, {reached} reached"
    );
}
