//! Engines that grow a reachability tree: what they have in common. What they differ in is a [`Policy`].

use rhumb_certify::proof::Proof;
use rhumb_logic::Budget;

use crate::art::{Art, Explained, TreeId};
use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Figures, Progress, Step};
use crate::proof::{Draft, inductive};
use crate::runs::stumble;
use crate::task::Task;
use crate::view::TreeView;

/// The part of the work that invariants and summaries get.
const SHARE: u32 = 3;

/// What an engine makes of a tree. The least it has to know is how to settle a leaf.
pub(crate) trait Policy<'t> {
    /// Settles a leaf whose turn it is: covers it, prunes it, or expands it; or says that a run along its path ends in
    /// a goal. What it opens waits for its turn.
    fn settle(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Claim>;

    /// What is done beside that, each time before a leaf gets its turn. A proof, if it comes to one.
    fn aside(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Proof> {
        let _ = (art, budget);
        None
    }

    /// What is left to try when all leaves are settled and some can't be. A proof, if it comes to one.
    fn at_last(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Proof> {
        let _ = (art, budget);
        None
    }

    /// Sees to it that the space knows what the proof is to be made of.
    fn prepare_proof(&mut self, art: &mut Art<'t>, budget: &Budget) {
        let _ = (art, budget);
    }

    /// Another reason why a leaf is a dead end than its path.
    fn explain(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Explained> {
        let _ = (art, leaf, budget);
        None
    }

    /// What it did beside the tree, in a few words.
    fn so_far(&self) -> Option<String> {
        None
    }

    /// The same in figures; those with the name of one of the tree's add to it.
    fn figures(&self) -> Figures {
        Figures::new()
    }
}

/// How a policy and its tree begin.
type Begin<'t, P> = Box<dyn FnOnce(&'t Task<'t>, &Budget) -> (Art<'t>, P) + 't>;

/// The engine: a tree and a policy.
pub(crate) struct Explorer<'t, P> {
    task: &'t Task<'t>,
    /// Whether random inputs are to be tried before everything else.
    stumbles: bool,
    begin: Option<Begin<'t, P>>,
    search: Option<(Art<'t>, P)>,
    safe: Safe,
}

/// How far a claim that the program is safe has got.
enum Safe {
    /// There is none.
    No,
    /// It was made with this proof.
    Claimed(Proof),
    /// The proof was not accepted; its inductive part may be.
    Rejected(Proof),
    /// It was made again, with the inductive part.
    Mended,
}

impl<'t, P: Policy<'t>> Explorer<'t, P> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(
        task: &'t Task<'t>,
        begin: impl FnOnce(&'t Task<'t>, &Budget) -> (Art<'t>, P) + 't,
    ) -> Explorer<'t, P> {
        Explorer {
            task,
            stumbles: false,
            begin: Some(Box::new(begin)),
            search: None,
            safe: Safe::No,
        }
    }

    /// The same with some runs on random inputs, before everything else.
    pub(crate) fn with_blind_runs(self, stumbles: bool) -> Explorer<'t, P> {
        Explorer { stumbles, ..self }
    }

    /// Before there is a tree.
    fn prepare(&mut self, budget: &Budget) -> Step {
        if self.task.graph.goals().next().is_none() {
            let proof = Draft::without_goals(self.task, budget);
            return Step::Done(Claim::Safe(proof));
        }
        if std::mem::take(&mut self.stumbles)
            && let Some(claim) = stumble(self.task)
        {
            return Step::Done(claim);
        }
        let begin = self.begin.take();
        self.search = begin.map(|begin| begin(self.task, &budget.part(SHARE)));
        Step::Working
    }

    /// Goes on for a while.
    fn proceed(&mut self, budget: &Budget) -> Step {
        let Some((art, policy)) = &mut self.search else {
            return self.prepare(budget);
        };
        if budget.is_spent() {
            return Step::Done(Claim::Unknown(stopped(art, policy)));
        }
        if let Safe::Rejected(proof) = &self.safe {
            let mended = inductive(self.task, proof.clone(), &budget.part(SHARE));
            self.safe = Safe::Mended;
            return match mended {
                Some(proof) => Step::Done(Claim::Safe(proof)),
                None if art.is_open(budget) => Step::Working,
                None => Step::Done(Claim::Unknown(stopped(art, policy))),
            };
        }
        if !art.frontier.is_empty()
            && let Some(proof) = policy.aside(art, budget)
        {
            return Step::Done(Claim::Safe(proof));
        }
        let Some(leaf) = art.frontier.pop() else {
            return match art.obstacle.clone() {
                Some(reason) => Step::Done(match policy.at_last(art, budget) {
                    Some(proof) => Claim::Safe(proof),
                    None => Claim::Unknown(reason),
                }),
                None => match art.conclude(policy, budget) {
                    Some(proof) => Step::Done(Claim::Safe(proof)),
                    None => Step::Working,
                },
            };
        };
        if art.begin_turn(leaf)
            && let Some(claim) = policy.settle(art, leaf, budget)
        {
            return Step::Done(claim);
        }
        Step::Working
    }
}

impl<'t, P: Policy<'t>> Engine for Explorer<'t, P> {
    fn step(&mut self, budget: &Budget) -> Step {
        let step = self.proceed(budget);
        if let Step::Done(Claim::Safe(proof)) = &step
            && !matches!(self.safe, Safe::Mended)
        {
            self.safe = Safe::Claimed(proof.clone());
        }
        step
    }

    fn go_on(&mut self) -> bool {
        let Some((art, _)) = &mut self.search else {
            // An error that was stumbled upon was not accepted; or there was no goal, and there is nothing else to say.
            return self.task.graph.goals().next().is_some();
        };
        if art.reject() {
            return true;
        }
        match std::mem::replace(&mut self.safe, Safe::No) {
            Safe::Claimed(proof) if proof.as_invariants().is_some() => {
                self.safe = Safe::Rejected(proof);
                true
            }
            Safe::No | Safe::Claimed(_) | Safe::Mended | Safe::Rejected(_) => {
                art.is_open(&Budget::unlimited())
            }
        }
    }

    fn progress(&self) -> Progress {
        let Some((art, policy)) = &self.search else {
            return Progress {
                summary: "summaries".to_owned(),
                figures: Figures::new(),
            };
        };
        let mut figures = policy.figures();
        for (name, figure) in art.figures() {
            match figures.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known += figure,
                None => figures.push((name, figure)),
            }
        }
        Progress {
            summary: so_far(art, policy),
            figures,
        }
    }

    fn tree(&self) -> Option<TreeView> {
        let (art, _) = self.search.as_ref()?;
        Some(art.view())
    }
}

/// What was done, in a few words.
fn so_far<'t>(art: &Art<'t>, policy: &impl Policy<'t>) -> String {
    let both = policy.so_far().into_iter().chain([art.so_far()]);
    both.collect::<Vec<_>>().join(", ")
}

/// How far a search got before it was stopped, and where it was busy.
fn stopped<'t>(art: &Art<'t>, policy: &impl Policy<'t>) -> Reason {
    let (so_far, mostly) = (so_far(art, policy), art.mostly());
    Reason::Stopped(format!("in the search: {so_far}{mostly}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rhumb_certify::Verdict;
    use rhumb_cfront::{Options, compile_text};
    use rhumb_summary::Preset;
    use rhumb_summary::forward;

    use super::*;
    use crate::art::Grounds;
    use crate::catalog::Entry;
    use crate::decide::decide;
    use crate::frontier::FirstCome;

    /// A policy that takes every leaf before a goal for a dead end, without a reason.
    struct Careless;

    impl<'t> Policy<'t> for Careless {
        fn settle(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Claim> {
            match art.is_at_goal(leaf) {
                true => _ = art.prune(leaf, None, Grounds::Label, budget),
                false => art.grow(leaf),
            }
            None
        }
    }

    /// What comes of its claims.
    fn verdict(text: &str) -> Verdict {
        let text = format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); {text}"
        );
        let program = compile_text("test.c", &text, &Options::default()).expect("valid C");
        let careless = Entry {
            name: "careless",
            about: "takes everything for a dead end",
            start: |task| {
                Box::new(Explorer::new(task, |task, budget| {
                    let known = forward::at_nodes(&task.graph, budget);
                    (Art::new(task, known, FirstCome), Careless)
                }))
            },
        };
        let budget = Budget::time(Duration::from_secs(10));
        decide(&program, &careless, Preset::Full, &budget, &mut ()).verdict
    }

    #[test]
    fn no_policy_has_to_be_trusted() {
        let broken = verdict(
            "int main(void) {
               int x = __VERIFIER_nondet_int();
               if (x > 3) { x = x - 1; if (x == 7) reach_error(); }
               return 0;
             }",
        );
        assert!(matches!(broken, Verdict::Unknown(_)), "{broken:?}");
        // A dead end that really is one does no harm: the proof is looked for all the same.
        let whole = verdict(
            "int main(void) {
               int x = __VERIFIER_nondet_int(), y = x;
               if (x > 3) { if (y == 2) reach_error(); }
               return 0;
             }",
        );
        assert!(matches!(whole, Verdict::Safe(_)), "{whole:?}");
    }
}
