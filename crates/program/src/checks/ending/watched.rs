//! What measures are made of, as variables: for those who want to see the values in runs.

use super::super::{Application, Checks};
use super::{MeasuredPlace, Term};
use crate::expr::ExprKind;
use crate::ids::{FuncId, LocId, VarId};
use crate::model::Program;

/// A place with what somebody wants to know there.
#[derive(Clone, Debug)]
pub struct WatchedPlace {
    /// The function.
    pub function: FuncId,
    /// The loop, or the entry.
    pub place: MeasuredPlace,
    /// What is to be known.
    pub terms: Vec<Term>,
}

/// Where terms have their values as those of variables.
#[derive(Clone, Debug)]
pub struct WatchPoint {
    /// The location behind which they have.
    pub at: LocId,
    /// The terms, in the order in which they were asked for.
    pub values: Vec<VarId>,
}

/// The same program, with variables for terms at some places; nothing else changes, and locations and edges keep their
/// numbers.
pub fn watched(program: Program, places: &[WatchedPlace]) -> (Program, Vec<WatchPoint>) {
    let checks = Checks::none();
    let mut work = Application {
        checks: &checks,
        program,
    };
    let places: Vec<(&WatchedPlace, LocId)> = places
        .iter()
        .map(|place| {
            let cfa = &work.program.functions[place.function].cfa;
            let at = match place.place {
                MeasuredPlace::Loop(number) => cfa.loops().heads()[number],
                MeasuredPlace::Entry => cfa.entry,
            };
            (place, at)
        })
        .collect();
    let points = places.into_iter().map(|(place, head)| {
        let function = place.function;
        let span = work.program.functions[function].span;
        let outgoing = work.cut(function, head);
        let mut last = head;
        let values = place.terms.iter().map(|&term| {
            let value = work.term(function, &mut last, term, false, span);
            match work.program.exprs[value].kind {
                ExprKind::Var(var) => var,
                _ => unreachable!("terms are variables"),
            }
        });
        let values = values.collect();
        work.join(function, outgoing, last);
        WatchPoint { at: last, values }
    });
    let points = points.collect();
    (work.program, points)
}
