//! Certified results, kept in a folder: a second run only searches where something has changed.
//!
//! An entry is evidence, never a verdict. What is found is checked again like the claim of an engine: a proof by the
//! checker, a run by the interpreter. So nothing has to be believed of the folder, which may come from another machine,
//! be damaged, or be somebody else's: a wrong entry costs the time of its check, and the search is made after all. To
//! bind an entry by a hash would save that check and would make everybody who can write to the folder one who can say
//! SAFE.
//!
//! The key only has to find the right entry. It is made of the program as lowered, with its entry function (comments
//! and the numbers of lines don't count), of what is assumed of the rest, of the engine and its means, and of the
//! version.

use std::path::{Path, PathBuf};

use rhumb_certify::file::{Certificate, fingerprint};
use rhumb_certify::proof::Checker;
use rhumb_certify::{Verdict, certify_safe, certify_unsafe, counterexample};
use rhumb_logic::Budget;
use rhumb_program::interp::Machine;
use rhumb_search::{Decision, Outcome};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::check::Options;
use crate::input::Input;

/// The form of entries. Another one is not read.
const FORM: u32 = 1;

/// A folder with results.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What is kept of a result: the evidence, as certificates.
#[derive(Serialize, Deserialize)]
struct Kept {
    form: u32,
    certificates: Vec<String>,
}

impl Cache {
    /// The cache in a folder, which is made if it is not there.
    pub fn open(folder: &Path) -> Result<Cache, String> {
        let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(problem)?;
        let tag = folder.join("CACHEDIR.TAG");
        if !tag.exists() {
            // What programs for backups look for, letter by letter.
            let text = "Signature: 8a477f597d28d172789f06886806bc55\n# Results of rhumb, which can be deleted at any time.\n";
            std::fs::write(&tag, text).map_err(problem)?;
        }
        Ok(Cache {
            folder: folder.to_owned(),
        })
    }

    /// What is known of a program, after its evidence was checked again.
    pub(crate) fn find(&self, input: &Input, options: &Options) -> Option<Decision> {
        let text = std::fs::read(self.place(input, options)).ok()?;
        let kept: Kept = serde_json::from_slice(&text).ok()?;
        if kept.form != FORM {
            return None;
        }
        let program = &input.program;
        let mut decision = Decision::unknown("nothing is kept".to_owned());
        decision.targets.resize(
            program.targets.len(),
            Outcome::Unknown("nothing is kept".to_owned()),
        );
        for certificate in &kept.certificates {
            match check_again(input, certificate, &options.budget)? {
                verdict @ Verdict::Safe(_) => {
                    decision
                        .targets
                        .iter_mut()
                        .for_each(|target| *target = Outcome::Safe);
                    decision.verdict = verdict;
                }
                Verdict::Unsafe(certified) => {
                    decision.targets[certified.evidence().target] = Outcome::Unsafe;
                    decision.errors.push(Verdict::Unsafe(certified));
                }
                Verdict::Unknown(_) => return None,
            }
        }
        if let Some(first) = decision.errors.first() {
            decision.verdict = first.clone();
        }
        is_complete(&decision).then_some(decision)
    }

    /// Keeps the evidence for what is known of a program, if it is all that there is to know. What can't be written is
    /// not kept; that costs time, and nothing else.
    pub(crate) fn keep(&self, input: &Input, options: &Options, decision: &Decision) {
        if !is_complete(decision) {
            return;
        }
        let verdicts = match &decision.verdict {
            Verdict::Unsafe(_) => decision.errors.iter().collect(),
            verdict => vec![verdict],
        };
        let certificates = verdicts.into_iter().map(|verdict| {
            let certificate = Certificate::of(&input.program, verdict)?.ok()?;
            certificate.to_json().ok()
        });
        let Some(certificates) = certificates.collect::<Option<Vec<String>>>() else {
            return;
        };
        let kept = Kept {
            form: FORM,
            certificates,
        };
        let place = self.place(input, options);
        // Whoever reads at the same time sees all of it or nothing.
        let beside = place.with_extension(format!("new-{}", std::process::id()));
        let Ok(text) = serde_json::to_vec(&kept) else {
            return;
        };
        if std::fs::write(&beside, text).is_err() || std::fs::rename(&beside, &place).is_err() {
            let _ = std::fs::remove_file(&beside);
        }
    }

    fn place(&self, input: &Input, options: &Options) -> PathBuf {
        let mut hash = Sha256::new();
        let Options {
            engine,
            preset,
            metric,
            budget: _,
            seed,
        } = options;
        for part in [
            env!("CARGO_PKG_VERSION"),
            &fingerprint(&input.program),
            &input.program.outside.assumptions().join("\n"),
            input.specification.as_deref().unwrap_or(""),
            engine.name,
            &format!("{preset:?} {metric:?} {seed}"),
        ] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let hash = hash.finalize();
        let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name + ".json")
    }
}

/// Whether there is evidence for all that is said: SAFE has one proof for all targets, and each target that is reached
/// has its run; that others are not reached, beside those, nobody could check again.
fn is_complete(decision: &Decision) -> bool {
    match &decision.verdict {
        Verdict::Safe(_) => true,
        Verdict::Unsafe(_) => {
            let mut targets = decision.targets.iter();
            targets.all(|outcome| *outcome == Outcome::Unsafe)
        }
        Verdict::Unknown(_) => false,
    }
}

/// The verdict that the evidence in a certificate is good for.
fn check_again(input: &Input, certificate: &str, budget: &Budget) -> Option<Verdict> {
    let program = &input.program;
    match Certificate::from_json(certificate.as_bytes()).ok()? {
        Certificate::Proof(file) => {
            let proof = file.proof(program).ok()?;
            certify_safe(&Checker::new(program), proof, budget).ok()
        }
        Certificate::Counterexample(file) => {
            let run = file.counterexample(program).ok()?;
            let machine = Machine::compile(program);
            let budget = counterexample::Budget::within(budget);
            certify_unsafe(&machine, &run.inputs, &budget).ok()
        }
    }
}
