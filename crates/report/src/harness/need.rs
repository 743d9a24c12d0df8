//! Which of the values that no function gives can matter to a run.
//!
//! A local variable without an initialiser matters if it may be read before it is written: that is decided on the
//! automaton. The contents of objects, and results of functions without `return`, are tried: the run is repeated with
//! several other values in their place, and if it reaches its target each time, they don't matter.

use rhumb_program::IndexVec;
use rhumb_program::interp::{InputSource, KeyedInputs, Machine, Outcome};
use rhumb_program::{
    Action, Callee, Cfa, Exprs, InputKind, InputSiteId, LocId, Program, Type, VarId,
};
use rustc_hash::FxHashSet;

use super::record::{Record, Stream};
use rhumb_certify::counterexample::{Budget, Counterexample};

/// The sites that matter.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    sites: FxHashSet<InputSiteId>,
}

/// Bytes that take the place of those recorded.
const PATTERNS: [u8; 4] = [0, 0xff, 0x55, 0x80];

impl Needs {
    pub(super) fn new(
        machine: &Machine<'_>,
        counterexample: &Counterexample,
        record: &Record,
        budget: &Budget,
    ) -> Needs {
        let program = machine.program();
        let mut needs = Needs::default();
        let mut doubtful = FxHashSet::default();
        for (stream, values) in &record.streams {
            let Stream::Site(site) = *stream else {
                continue;
            };
            let info = &program.inputs[site];
            let is_tried = matches!(info.kind, InputKind::MissingReturn | InputKind::Order);
            let is_variable = values.ty.is_some() && !is_tried;
            if !is_variable {
                doubtful.insert(site);
            } else if is_read(program, site) {
                needs.sites.insert(site);
            }
        }
        let run_with = |changed: &FxHashSet<InputSiteId>, pattern: u8| {
            let mut inputs = Changed {
                inputs: &counterexample.inputs,
                changed,
                pattern,
            };
            machine.run(&mut inputs, &budget.limits).outcome
        };
        let matters = |changed: &FxHashSet<InputSiteId>| {
            let mut patterns = PATTERNS.iter();
            record.complete
                && patterns.any(|&pattern| {
                    run_with(changed, pattern) != Outcome::Target(counterexample.target)
                })
        };
        // All at once first: mostly nothing matters.
        if !doubtful.is_empty() && matters(&doubtful) {
            for site in doubtful {
                if matters(&FxHashSet::from_iter([site])) {
                    needs.sites.insert(site);
                }
            }
        }
        needs
    }

    /// Whether the value at the site can matter.
    pub(super) fn matter(&self, site: InputSiteId) -> bool {
        self.sites.contains(&site)
    }
}

/// Inputs of which some are replaced by a pattern.
struct Changed<'a> {
    inputs: &'a KeyedInputs,
    changed: &'a FxHashSet<InputSiteId>,
    pattern: u8,
}

impl InputSource for Changed<'_> {
    fn value(&mut self, site: InputSiteId, occurrence: u64, _: Type) -> u128 {
        if self.changed.contains(&site) {
            u128::from_le_bytes([self.pattern; 16])
        } else {
            self.inputs.value_at(site, occurrence)
        }
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        if self.changed.contains(&site) {
            out.fill(self.pattern);
            return;
        }
        for (to, &from) in out.iter_mut().zip(self.inputs.bytes_at(site, occurrence)) {
            *to = from;
        }
    }
}

/// Whether a variable that a site sets may be read before it is set again.
fn is_read(program: &Program, site: InputSiteId) -> bool {
    let info = &program.inputs[site];
    if matches!(info.kind, InputKind::EntryArgument(_)) {
        return entry_parameter(program, site)
            .is_none_or(|(cfa, var)| live_locations(&program.exprs, cfa, var)[cfa.entry]);
    }
    let cfa = &program.functions[info.function].cfa;
    cfa.edges.iter().any(|edge| match edge.action {
        Action::Input { dst, site: here } if here == site => {
            live_locations(&program.exprs, cfa, dst)[edge.target]
        }
        _ => false,
    })
}

/// The parameter that gets the value of a site, and the automaton that it belongs to.
fn entry_parameter(program: &Program, site: InputSiteId) -> Option<(&Cfa, VarId)> {
    let start = &program.functions[program.start].cfa;
    let received = start.edges.iter().find_map(|edge| match edge.action {
        Action::Input { dst, site: here } if here == site => Some(dst),
        _ => None,
    })?;
    start.edges.iter().find_map(|edge| match &edge.action {
        Action::Call {
            callee: Callee::Function(callee),
            args,
            ..
        } => {
            let index = args.iter().position(|&arg| {
                let mut is_received = false;
                (program.exprs).for_each_var(arg, &mut |var| is_received |= var == received);
                is_received
            })?;
            let function = &program.functions[*callee];
            Some((&function.cfa, *function.params.get(index)?))
        }
        _ => None,
    })
}

/// The locations at which the variable has a value that may still be read.
fn live_locations(exprs: &Exprs, cfa: &Cfa, var: VarId) -> IndexVec<LocId, bool> {
    let mut live: IndexVec<LocId, bool> = cfa.locations.iter().map(|_| false).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in cfa.edges.iter().rev() {
            let is_live = reads(exprs, &edge.action, var)
                || (live[edge.target] && edge.action.defined_var() != Some(var));
            changed |= is_live && !live[edge.source];
            live[edge.source] |= is_live;
        }
    }
    live
}

fn reads(exprs: &Exprs, action: &Action, var: VarId) -> bool {
    let mut found = false;
    action.for_each_expr(|expr| {
        exprs.for_each_var(expr, &mut |read| found |= read == var);
    });
    found
}
