//! Correctness witnesses: the invariants of a proof at the loops of the source text.
//!
//! A loop of a function that is called from several places has an invariant in each of these contexts; what holds at
//! the loop in the source text is their disjunction. A conjunct that speaks of what can't be named at the loop, or
//! can't be written as C, is left out: what is left is weaker and still holds.

use std::collections::BTreeMap;

use rhumb_logic::{Symbol, Term};
use rhumb_program::passes::LocRef;
use rhumb_program::{Program, Scope, Span, Type, VarId};

use super::Note;
use super::c_print::{CVariable, Printer, Unprintable, is_matter_of_types};
use super::expression;
use super::model::{Invariant, InvariantKind};
use super::place::Places;
use super::read::MAX_WRITTEN;
use super::scope::Scopes;
use rhumb_certify::proof::{self, Argument, Formula, Point, Proof};

/// Bytes around an invariant: a place, and names of fields.
const AROUND: usize = 1_024;

/// What holds in one context: all of these expressions. None if the proof says that the loop is not reached there.
type Conjuncts = Option<Vec<String>>;

/// Invariants for all loops of functions that are called, and what had to be left out.
pub(super) fn invariants(places: &Places<'_>, proof: &Proof) -> (Vec<Invariant>, Vec<Note>) {
    let (mut invariants, mut notes) = (Vec::new(), Vec::new());
    for part in parts(proof) {
        let (of_part, notes_of_part) = invariants_of(places, part);
        for invariant in of_part {
            if !invariants.contains(&invariant) {
                invariants.push(invariant);
            }
        }
        for note in notes_of_part {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    // Where one part has something to say, another one has to say nothing.
    let said: Vec<Invariant> = invariants.clone();
    invariants.retain(|invariant| {
        let mut others = said.iter();
        invariant.value != "1"
            || !others.any(|other| other.location == invariant.location && other.value != "1")
    });
    if invariants.is_empty() {
        invariants.extend(trivial(places));
    }
    (invariants, notes)
}

/// The proofs that a proof is made of and that have something to say. Those about bounds speak of numbers that the text
/// doesn't name. Tabulations speak of no place, and of large programs: to look for their loops would take longer than
/// the proof.
fn parts(proof: &Proof) -> Vec<&Proof> {
    let proofs = match &proof.argument {
        Argument::Parts(parts) => {
            let proofs = parts.iter().map(|part| &part.proof);
            let named = proofs.filter(|proof| {
                !matches!(proof.argument, Argument::Bounds(_) | Argument::Alone(..))
            });
            named.collect()
        }
        Argument::Alone(..) => Vec::new(),
        _ => vec![proof],
    };
    let speaks = |proof: &&Proof| !matches!(proof.argument, Argument::Tabulation(_));
    proofs.into_iter().filter(speaks).collect()
}

fn invariants_of(places: &Places<'_>, proof: &Proof) -> (Vec<Invariant>, Vec<Note>) {
    let mut writer = Writer {
        places,
        proof,
        scopes: Scopes::new(places),
        notes: Vec::new(),
    };
    let loops = loops(places.program, &proof::points(places.program));
    let mut invariants = Vec::new();
    let mut room = MAX_WRITTEN;
    for (&(lo, hi), contexts) in &loops {
        let Some(location) = places.location(lo) else {
            continue;
        };
        for value in writer.values(Span::new(lo, hi), contexts) {
            // The file and the function are named with it.
            let size = 4 * (value.len() + location.file_name.len()) + AROUND;
            let Some(less) = room.checked_sub(size) else {
                writer.notes.push(Note::Dropped {
                    line: Some(location.line),
                    formula: value,
                    why: Unprintable::TooLarge,
                });
                continue;
            };
            room = less;
            invariants.push(Invariant {
                kind: InvariantKind::Loop,
                location: location.clone(),
                value,
                format: "c_expression".to_owned(),
            });
        }
    }
    writer.note_formulas_elsewhere(&loops);
    (invariants, writer.notes)
}

/// The heads of loops that the text has, in all contexts, by the loop statement.
pub(super) type Loops = BTreeMap<(u32, u32), Vec<Point>>;

/// The loops of functions that are called, out of all points of the program.
pub(super) fn loops(program: &Program, points: &[(Point, bool)]) -> Loops {
    let mut loops = Loops::new();
    for (point, is_reached) in points {
        let LocRef { function, location } = point.location;
        let location = &program.functions[function].cfa.locations[location];
        if let (true, Some(span)) = (*is_reached, location.loop_statement) {
            let contexts = loops.entry((span.lo, span.hi)).or_default();
            contexts.push(point.clone());
        }
    }
    loops
}

/// A witness has at least one invariant: one that says nothing, where the entry function begins.
fn trivial(places: &Places<'_>) -> Option<Invariant> {
    let entry = crate::entry_function(places.program)?;
    let open = places.body(entry)?.lo as usize + 1;
    let first = places.scan.statement_from(open)?;
    Some(Invariant {
        kind: InvariantKind::Location,
        location: places.location(u32::try_from(first).ok()?)?,
        value: "1".to_owned(),
        format: "c_expression".to_owned(),
    })
}

struct Writer<'a, 'p> {
    places: &'a Places<'p>,
    proof: &'a Proof,
    scopes: Scopes<'a, 'p>,
    notes: Vec<Note>,
}

impl Writer<'_, '_> {
    /// The invariants at one loop.
    fn values(&mut self, statement: Span, contexts: &[Point]) -> Vec<String> {
        let all: Vec<Conjuncts> = contexts
            .iter()
            .map(|point| self.conjuncts(statement, point))
            .collect();
        let reached: Vec<Vec<String>> = all.into_iter().flatten().collect();
        let Some(first) = reached.first() else {
            return vec!["0".to_owned()];
        };
        let is_common = |text: &String| reached.iter().all(|context| context.contains(text));
        let mut values: Vec<String> = Vec::new();
        for text in first.iter().filter(|text| is_common(text)) {
            if !values.contains(text) {
                values.push(text.clone());
            }
        }
        let own = |context: &Vec<String>| -> Vec<String> {
            let own = context.iter().filter(|text| !is_common(text));
            own.map(|text| format!("({text})")).collect()
        };
        let mut choices: Vec<String> = reached.iter().map(|c| own(c).join(" && ")).collect();
        choices.dedup();
        // A context without anything of its own makes the disjunction true.
        if choices.len() > 1 && choices.iter().all(|choice| !choice.is_empty()) {
            let choices: Vec<String> = choices.iter().map(|choice| format!("({choice})")).collect();
            values.push(choices.join(" || "));
        }
        if values.is_empty() {
            values.push("1".to_owned());
        }
        values
    }

    fn conjuncts(&mut self, statement: Span, point: &Point) -> Conjuncts {
        let terms = &self.proof.terms;
        let formulas: &[Formula] = self
            .proof
            .as_invariants()
            .and_then(|invariants| invariants.at.get(point))
            .map_or(&[], |formulas| formulas);
        let mut texts = Vec::new();
        for formula in formulas {
            if !formula.bound.is_empty() {
                self.notes.push(Note::Dropped {
                    line: self.places.line(statement.lo),
                    formula: terms.display(formula.matrix).to_string(),
                    why: Unprintable::NoOperator,
                });
                continue;
            }
            let matrix = match formula.negated {
                true => terms.not(formula.matrix),
                false => formula.matrix,
            };
            for conjunct in terms.conjuncts(terms.expand(matrix)) {
                if terms.as_bool(conjunct) == Some(false) {
                    return None;
                }
                if is_matter_of_types(terms, conjunct, |symbol| self.type_of(symbol)) {
                    continue;
                }
                match self.print(statement, point, conjunct) {
                    Ok(text) => texts.push(text),
                    Err(why) => self.notes.push(Note::Dropped {
                        line: self.places.line(statement.lo),
                        formula: terms.display(conjunct).to_string(),
                        why,
                    }),
                }
            }
        }
        Some(texts)
    }

    fn type_of(&self, symbol: Symbol) -> Option<Type> {
        let variable = self.proof.variables.get(&symbol)?;
        Some(self.places.program.vars.get(variable.var.variable()?)?.ty)
    }

    fn print(&self, statement: Span, point: &Point, conjunct: Term) -> Result<String, Unprintable> {
        let program = self.places.program;
        let variable = |symbol: Symbol| {
            let name = || match super::display_name(&self.proof.terms, symbol) {
                name if name.is_empty() => "a temporary".to_owned(),
                name => name,
            };
            let variable = self.proof.variables.get(&symbol);
            let variable = variable.ok_or_else(|| Unprintable::OutOfScope(name()))?;
            let var = variable.var.variable();
            let var = var.filter(|&var| program.vars.get(var).is_some());
            let var = var.ok_or_else(|| Unprintable::OutOfScope(name()))?;
            let info = &program.vars[var];
            let is_here = match info.scope {
                Scope::Global => true,
                Scope::Local(function) => {
                    function == point.location.function && variable.calls == point.calls
                }
            };
            match is_here && self.is_visible(var, statement) {
                true => Ok(CVariable {
                    name: info.decl.name.to_string(),
                    ty: info.ty,
                }),
                false => Err(Unprintable::OutOfScope(match info.decl.name.is_empty() {
                    true => name(),
                    false => info.decl.name.to_string(),
                })),
            }
        };
        let printer = Printer {
            terms: &self.proof.terms,
            variable: &variable,
        };
        let text = printer.formula(conjunct)?;
        // What we wouldn't read is not written.
        match expression::objection(&text) {
            Some(_) => Err(Unprintable::TooLarge),
            None => Ok(text),
        }
    }

    fn is_visible(&self, var: VarId, statement: Span) -> bool {
        self.scopes.names(var, self.scopes.loop_scope(statement))
    }

    /// Formulas at other places than loops of the text have no place in a witness.
    fn note_formulas_elsewhere(&mut self, loops: &Loops) {
        let Some(invariants) = self.proof.as_invariants() else {
            return;
        };
        let is_loop = |point: &Point| loops.values().any(|points| points.contains(point));
        let elsewhere = invariants
            .at
            .iter()
            .filter(|(point, formulas)| !formulas.is_empty() && !is_loop(point));
        let count = elsewhere.count();
        if count > 0 {
            self.notes.push(Note::NoLoopStatement(count));
        }
    }
}
