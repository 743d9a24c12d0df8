//! Programs asked for some of their targets.

use super::leaks;
use crate::builtin::ThreadFault;
use crate::cfa::{EndKind, LocKind, UbKind};
use crate::ids::TargetId;
use crate::model::{Program, Target, TargetKind};

impl Program {
    /// The same program asked for these targets alone, which get their numbers in the order given. A run that gets to
    /// another one ends there, and nobody asked: what is undefined is undefined again. Memory that is lost and races
    /// end no run.
    pub fn asking(&self, asked: &[TargetId]) -> Program {
        let mut program = self.clone();
        for function in &mut program.functions {
            for at in function.cfa.locations.indices() {
                let LocKind::Target(id) = function.cfa.locations[at].kind else {
                    continue;
                };
                let number = asked.iter().position(|&target| target == id);
                function.cfa.locations[at].kind = match (number, &self.targets[id].kind) {
                    (Some(number), _) => LocKind::Target(TargetId::from_usize(number)),
                    (None, TargetKind::Undefined(kind)) => LocKind::Ub(*kind),
                    (None, TargetKind::Leak(_) | TargetKind::Thread(ThreadFault::Race)) => {
                        leaks::pass_by(&mut function.cfa, at);
                        LocKind::End(EndKind::Abort)
                    }
                    (None, _) => LocKind::End(EndKind::Abort),
                };
            }
        }
        let targets = asked.iter().map(|&id| self.targets[id].clone());
        program.targets = targets.collect();
        program
    }

    /// The same program before checks became targets: where it is undefined it only ends.
    pub fn without_checks(&self) -> Program {
        let mut program = self.clone();
        for function in &mut program.functions {
            for location in &mut function.cfa.locations {
                if let LocKind::Target(id) = location.kind
                    && let TargetKind::Undefined(kind) = self.targets[id].kind
                {
                    location.kind = LocKind::Ub(kind);
                }
            }
        }
        program
    }

    /// Whether somebody asks for undefined behaviour of one of these kinds.
    pub fn asks_for(&self, kinds: &[UbKind]) -> bool {
        let asks = |target: &Target| matches!(target.kind, TargetKind::Undefined(kind) if kinds.contains(&kind));
        self.targets.iter().any(asks)
    }

    /// The kind of undefined behaviour that a location is, whether or not somebody asks for it.
    pub fn undefined_at(&self, kind: LocKind) -> Option<UbKind> {
        match kind {
            LocKind::Ub(kind) => Some(kind),
            LocKind::Target(id) => self.undefined_target(id),
            _ => None,
        }
    }

    /// The kind of undefined behaviour that a target is.
    pub fn undefined_target(&self, id: TargetId) -> Option<UbKind> {
        match self.targets[id].kind {
            TargetKind::Undefined(kind) => Some(kind),
            _ => None,
        }
    }
}
