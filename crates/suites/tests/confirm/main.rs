//! Every expected verdict of the suites, confirmed by compiled code.

mod gcc;

use gcc::{Ending, Enumeration, Gcc};
use rhumb_suites::{
    DataModel, Domain, Domains, Evidence, Inputs, SmallInstance, SuiteTask, Verdict,
};

/// All tasks of the repository with this verdict.
fn tasks(safe: bool) -> Vec<SuiteTask> {
    let all = rhumb_suites::shelf()
        .into_iter()
        .flat_map(|folder| folder.tasks);
    all.filter(|task| task.is_safe() == safe).collect()
}

/// Checks that the key of an unsafe task reaches the error.
fn confirm_key(gcc: &Gcc, task: &SuiteTask, key: &Inputs) {
    let replayer = gcc.replayer(&task.program, task.data_model);
    let ending = replayer.and_then(|replayer| replayer.run(key));
    assert_eq!(ending, Ok(Ending::Error), "{}: the key is {key}", task.name);
}

/// Checks that the near misses of a safe task are misses.
fn confirm_near_misses(gcc: &Gcc, task: &SuiteTask, evidence: &Evidence) {
    let replayer = gcc.replayer(&task.program, task.data_model);
    let replayer = replayer.unwrap_or_else(|error| panic!("{}: {error}", task.name));
    for inputs in &evidence.near_misses {
        let ending = replayer.run(inputs);
        assert!(
            matches!(ending, Ok(Ending::Returned | Ending::InputsUsedUp)),
            "{}: {ending:?} with {inputs}",
            task.name
        );
    }
}

#[test]
fn keys_open_the_locks() {
    let tasks = tasks(false);
    let Some(gcc) = Gcc::find() else {
        println!("skipped {} unsafe tasks: no gcc", tasks.len());
        return;
    };
    for task in &tasks {
        if let Verdict::Unsafe(key) = &task.verdict {
            confirm_key(&gcc, task, key);
        }
    }
    let bits = if gcc.has_32_bits() { 32 } else { 64 };
    println!(
        "{} keys confirmed, ILP32 programs as {bits}-bit code",
        tasks.len()
    );
}

#[test]
fn near_misses_miss() {
    let mut tasks = tasks(true);
    let Some(gcc) = Gcc::find() else {
        println!("skipped {} safe tasks: no gcc", tasks.len());
        return;
    };
    let all = tasks.len();
    tasks.retain(|task| gcc.can_replay(task));
    for task in &tasks {
        if let Verdict::Safe(evidence) = &task.verdict {
            confirm_near_misses(&gcc, task, evidence);
        }
    }
    let skipped = all - tasks.len();
    println!(
        "near misses of {} safe tasks tried, {skipped} skipped for want of 32-bit code",
        tasks.len()
    );
}

#[test]
fn small_instances_are_safe_on_all_inputs() {
    let tasks = tasks(true);
    let Some(gcc) = Gcc::find() else {
        println!(
            "skipped the small instances of {} safe tasks: no gcc",
            tasks.len()
        );
        return;
    };
    // All tasks of a family share their small instances.
    let mut seen: Vec<SmallInstance> = Vec::new();
    let mut runs = 0;
    for task in &tasks {
        let Verdict::Safe(evidence) = &task.verdict else {
            continue;
        };
        for instance in &evidence.small {
            if seen.contains(instance) {
                continue;
            }
            seen.push(instance.clone());
            match gcc.enumerate(&instance.safe, &evidence.domains) {
                Ok(Enumeration::NoError { returned, cut }) => runs += returned + cut,
                other => panic!("{}: a small instance gives {other:?}", task.name),
            }
            match gcc.enumerate(&instance.flipped, &evidence.domains) {
                Ok(Enumeration::Error(_)) => {}
                other => panic!("{}: a flipped instance gives {other:?}", task.name),
            }
        }
    }
    println!("{} small instances, {runs} runs", seen.len());
}

#[test]
fn other_sizes_keep_the_verdict() {
    let mut made: Vec<SuiteTask> = Vec::new();
    for family in rhumb_suites::families() {
        let (low, high) = (*family.sizes.start(), *family.sizes.end());
        for size in [low, (low + 16).min(high)] {
            made.push(family.instance(size).expect("the size is in range"));
        }
    }
    for (family, parameter) in [
        ("word-machine", "hocus pocus!"),
        ("sequence-machine", "XYYZ/o'k"),
        ("word-machine", "\\"),
    ] {
        made.push(rhumb_suites::make(family, parameter).expect("the word is printable"));
    }
    let Some(gcc) = Gcc::find() else {
        println!("skipped {} programs of other sizes: no gcc", made.len());
        return;
    };
    for task in &made {
        match &task.verdict {
            Verdict::Unsafe(key) => confirm_key(&gcc, task, key),
            Verdict::Safe(evidence) => confirm_near_misses(&gcc, task, evidence),
        }
    }
}

#[test]
fn the_harness_tells_endings_apart() {
    let Some(gcc) = Gcc::find() else {
        println!("skipped the harness: no gcc");
        return;
    };
    let program = "
extern void __assert_fail(const char *, const char *, unsigned int, const char *);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 1)
    __assert_fail(\"0\", \"\", 0, \"\");
  if (x == 2)
    x = __VERIFIER_nondet_int();
  x = x + 2147483640;
  return x;
}
";
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let replayer = gcc.replayer(program, model).expect("the program compiles");
        let replay = |inputs: Inputs| replayer.run(&inputs);
        assert_eq!(replay([1].into()), Ok(Ending::Error));
        assert_eq!(replay([1, 2].into()), Ok(Ending::ErrorEarly));
        assert_eq!(replay([2].into()), Ok(Ending::InputsUsedUp));
        assert_eq!(replay([0].into()), Ok(Ending::Returned));
        assert!(replay([100].into()).is_err(), "signed overflow traps");
    }
    let enumerate = |domain| {
        let domains = Domains {
            first: Vec::new(),
            then: vec![domain],
            reads: 1,
        };
        gcc.enumerate(program, &domains)
    };
    assert!(matches!(
        enumerate(Domain::Range(2, 5)),
        Ok(Enumeration::NoError {
            returned: 3,
            cut: 1
        })
    ));
    let found = enumerate(Domain::Values(vec![5, 1]));
    assert!(matches!(found, Ok(Enumeration::Error(inputs)) if inputs == [1].into()));
    assert!(
        enumerate(Domain::Values(vec![0, 2_000_000_000])).is_err(),
        "signed overflow traps"
    );
}
