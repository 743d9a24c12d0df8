//! The text of `benchmarks/README.md`.

use std::fmt::Write as _;

use crate::{Family, examples, lock_and_key, scaling};

const HEAD: &str = "\
# Our own benchmarks

Programs written for this project, each with its expected verdict. All files here are made by

```sh
cargo run -p rhumb-suites                                       # writes benchmarks/
cargo run -p rhumb-suites -- list                               # the families
cargo run -p rhumb-suites -- make lese 250 5000 --out elsewhere # any other size
cargo run -p rhumb-suites -- make word-machine hocuspocus --out elsewhere
```

and a test compares them with what the generator makes: change the generator, not the files.

- A task is a `.yml` file (SV-COMP task definition 2.0) beside its C file; the property is `properties/unreach-call.prp`.
- `inputs.toml` has for every unsafe task of its folder the inputs that reach the error, in the order in which the program reads them. `1*30`
  stands for thirty ones. The program reads all of them and no more.
- `family.toml` says for a family with a size knob what the knob is and how large it is in each task.
- The first comment of a program says what it does and why its verdict is what it is.
- No run of any program has undefined behaviour before its end: tools that differ on signed overflow agree on the verdicts.

## How the verdicts are known

Not from our engines. For an unsafe program, the tests compile it with gcc, with every undefined operation made a trap, give it the
inputs, and see it call `reach_error`. For a safe program, they take small instances of the same template, run them on *all* inputs of a small domain, and
see that none reaches the error; that some input does reach it when one constant or the final test is changed; and that the program itself
survives the inputs that come closest to the error. The comment in the program says why the step from small to large holds.
";

/// The folders of lock-and-key without a knob.
const OTHER_LOCKS: &str = "\
| `sequence-machine` | As figure 9: one word letter by letter, another one at once; and the machines with 23 and 60 states letter by letter. | – | parsers that wait for a keyword in a certain state |
| `jammed` | Locks like the others that no key opens, one constant away from an unsafe one. | – | guards that are just strict enough |
";

/// The whole page.
pub(crate) fn text() -> String {
    let mut text = String::from(HEAD);
    text.push_str("\n## `examples`: the running examples of the GPS paper, and variants\n\n");
    text.push_str("| programs | what they do | class |\n|---|---|---|\n");
    for (group, what, class) in examples::GROUPS {
        let _ = writeln!(text, "| `{group}*` | {what} | {class} |");
    }
    text.push_str("\n## `lock-and-key`: the families of the paper's table 1, written anew\n\n");
    families(&mut text, &lock_and_key::families());
    let _ = writeln!(
        text,
        "| `word-machine` | {} The four words of the paper (the 23-state machine among them), a shorter one and two longer ones (the last has 60 states). | letters | input validation with many independent tests in one loop body |",
        lock_and_key::WORD_MACHINE
    );
    text.push_str(OTHER_LOCKS);
    text.push_str("\n## `scaling`: families with a size knob\n\n");
    families(&mut text, &scaling::families());
    text
}

fn families(text: &mut String, families: &[Family]) {
    text.push_str("| family | what its programs do | knob | class |\n|---|---|---|---|\n");
    for Family {
        name,
        description,
        knob,
        stands_for,
        ..
    } in families
    {
        let _ = writeln!(text, "| `{name}` | {description} | {knob} | {stands_for} |");
    }
}
