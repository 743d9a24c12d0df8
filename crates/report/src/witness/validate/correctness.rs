//! Correctness witnesses: invariants are candidates.
//!
//! If they are a proof as they are, that is all. If not, the greatest inductive part of them and of simple facts is
//! looked for: then every given invariant has to be in it, and it has to exclude the targets. A program without long
//! runs may also be proved by unrolling; then the invariants still have to be shown.

use std::sync::Arc;

use rhumb_logic::{Budget, Sort, Symbol, Term, Terms, Work};
use rhumb_program::passes::{LocRef, VarOrigin};
use rhumb_program::{LocId, Program, Scope, VarId};
use rustc_hash::FxHashMap;

use super::candidates::{self, MAX_VARIABLES};
use super::loops::{WitnessPlace, hook, place_of, shortened};
use super::refute::{Claim, refute};
use super::{Against, Validity};
use crate::witness::correctness::{Loops, loops};
use crate::witness::expression;
use crate::witness::hook::{Meaning, understand};
use crate::witness::model::Invariant;
use crate::witness::place::Places;
use crate::witness::read::BadWitness;
use crate::witness::scope::Scopes;
use rhumb_certify::counterexample;
use rhumb_certify::proof::{
    self, Formula, Ground, PlaceKind, Point, Proof, Rejected, Variable, View,
};

/// More invariants are not looked at: each is a part of many questions to the solver.
const MAX_INVARIANTS: usize = 5_000;

/// The work for the attempt to accept all of them as they are.
const AT_ONCE: Work = Work::secs(10);

/// Loops are unrolled that far.
const MAX_DEPTH: u32 = 1 << 12;

/// Steps of all runs together, up to which they are followed.
const MAX_STEPS: u64 = 20_000_000;

/// An invariant that was understood.
struct Given<'a> {
    invariant: &'a Invariant,
    /// The locations where it is to hold, each with all activations.
    points: Vec<Point>,
    /// Whether these are the heads of a loop.
    is_loop: bool,
    meaning: Meaning,
}

pub(super) fn validate(
    invariants: &[Invariant],
    against: &Against<'_>,
    places: &Places<'_>,
    budget: &Budget,
    notes: &mut Vec<String>,
) -> Result<Validity, BadWitness> {
    if invariants.len() > MAX_INVARIANTS {
        let message = format!("there are more than {MAX_INVARIANTS} invariants");
        return Err(BadWitness::new(message));
    }
    let points = proof::points(against.program);
    let terms = Arc::new(Terms::new());
    let mut attempt = Attempt {
        against,
        places,
        loops: loops(against.program, &points),
        points,
        guess: Proof::invariants(terms.clone()),
        symbols: FxHashMap::default(),
        unchecked: None,
    };
    let given = attempt.read(invariants, notes)?;
    Ok(attempt.decide(&given, budget))
}

struct Attempt<'a, 'p> {
    against: &'a Against<'a>,
    places: &'a Places<'p>,
    /// All points of the program, and whether they can be reached.
    points: Vec<(Point, bool)>,
    loops: Loops,
    guess: Proof,
    symbols: FxHashMap<Variable, Symbol>,
    /// The first invariant whose meaning we can't express.
    unchecked: Option<String>,
}

impl<'a> Attempt<'a, '_> {
    fn program(&self) -> &'a Program {
        self.against.program
    }

    /// Understands the invariants.
    fn read<'i>(
        &mut self,
        invariants: &'i [Invariant],
        notes: &mut Vec<String>,
    ) -> Result<Vec<Given<'i>>, BadWitness> {
        let mut found: Vec<(&Invariant, WitnessPlace)> = Vec::new();
        for invariant in invariants {
            if !matches!(&*invariant.format, "c_expression" | "ext_c_expression") {
                self.leave(invariant, "its format is not known", notes);
                continue;
            }
            if let Some(objection) = expression::objection(&invariant.value) {
                return Err(about(invariant, &objection));
            }
            let place = place_of(invariant, self.places, &self.loops, self.against.file_name)?;
            found.push((invariant, place));
        }
        let hooks: Vec<_> = found
            .iter()
            .map(|(invariant, place)| hook(&invariant.value, place, self.places))
            .collect();
        let meanings = match hooks.is_empty() {
            true => Ok(Vec::new()),
            false => understand(
                self.program(),
                self.against.text,
                self.against.options,
                &self.guess.terms,
                &hooks,
            ),
        };
        let meanings = meanings.map_err(|error| match error.hook.and_then(|i| found.get(i)) {
            Some((invariant, _)) => about(invariant, &error.message),
            None => BadWitness::new(format!(
                "the program with the invariants in it is no C: {}",
                error.message
            )),
        })?;
        let mut given = Vec::new();
        for ((invariant, place), meaning) in found.into_iter().zip(meanings) {
            let Some(meaning) = meaning else {
                continue;
            };
            if meaning.formula.is_none() {
                self.leave(invariant, "it speaks of memory", notes);
                continue;
            }
            let is_loop = matches!(place, WitnessPlace::Loop(_));
            let points = match place {
                WitnessPlace::Loop(span) => self.loops.get(&(span.lo, span.hi)).cloned(),
                WitnessPlace::Statement(_) => self.points_before(&meaning),
            };
            match points {
                Some(points) => given.push(Given {
                    invariant,
                    points,
                    is_loop,
                    meaning,
                }),
                None => self.leave(invariant, "its place was not found", notes),
            }
        }
        Ok(given)
    }

    /// Leaves out an invariant, and says so.
    fn leave(&mut self, invariant: &Invariant, why: &str, notes: &mut Vec<String>) {
        if matches!(invariant.value.trim(), "1" | "(1)") {
            return;
        }
        let note = format!("{} is not checked: {why}", described(invariant));
        self.unchecked.get_or_insert_with(|| note.clone());
        notes.push(note);
    }

    /// The locations where the text after an expression begins; none if they can't be told for certain.
    fn points_before(&self, meaning: &Meaning) -> Option<Vec<Point>> {
        let span = meaning.next?;
        let cfa = &self.program().functions[meaning.function].cfa;
        // What is done for one piece of text begins where nothing else is done for it before.
        let here = || cfa.edges.iter().filter(|edge| edge.span == span);
        let inside: Vec<LocId> = here().map(|edge| edge.target).collect();
        let first = here().map(|edge| edge.source);
        let mut sources: Vec<LocId> = first.filter(|source| !inside.contains(source)).collect();
        sources.sort_unstable();
        sources.dedup();
        let &[location] = &*sources else {
            return None;
        };
        // The head of a loop is passed more often than the place before the loop.
        let is_head = cfa.locations[location].loop_statement.is_some();
        let at = LocRef {
            function: meaning.function,
            location,
        };
        let here = self.points.iter().filter(|point| point.0.location == at);
        (!is_head).then(|| here.map(|point| point.0.clone()).collect())
    }

    fn decide(&mut self, given: &[Given<'_>], budget: &Budget) -> Validity {
        if let Some(rejected) = self.refuted(given) {
            return rejected;
        }
        let mut wanted: Vec<(usize, Point, Term)> = Vec::new();
        for (index, given) in given.iter().enumerate().filter(|given| given.1.is_loop) {
            for point in &given.points {
                let formula = self.at(&given.meaning, point);
                for conjunct in self.guess.terms.conjuncts(formula) {
                    wanted.push((index, point.clone(), conjunct));
                    self.guess.add(point.clone(), Formula::plain(conjunct));
                }
            }
        }
        if proof::check(self.program(), &self.guess, &budget.within(AT_ONCE)).is_ok() {
            return self.accept(given, budget);
        }
        self.add_facts();
        if let Err(rejected) = proof::inductive_part(self.program(), &mut self.guess, budget) {
            return Validity::Undecided(rejected.to_string());
        }
        let lost = wanted
            .iter()
            .find(|(_, point, term)| !self.has(point, *term));
        if let Some(&(index, _, _)) = lost {
            return not_shown(given[index].invariant);
        }
        if proof::check(self.program(), &self.guess, budget).is_ok() {
            return self.accept(given, budget);
        }
        self.unroll(given, budget)
    }

    /// No target is reached. What is left are invariants at other places than loops: consequences of those at loops.
    fn accept(&mut self, given: &[Given<'_>], budget: &Budget) -> Validity {
        for one in given.iter().filter(|given| !given.is_loop) {
            for point in &one.points {
                let formula = self.at(&one.meaning, point);
                match proof::holds_at(self.program(), &self.guess, point, formula, budget) {
                    Ok(true) => {}
                    _ => return not_shown(one.invariant),
                }
            }
        }
        match &self.unchecked {
            None => Validity::Correct,
            Some(note) => Validity::Undecided(note.clone()),
        }
    }

    /// A formula at a point.
    fn at(&mut self, meaning: &Meaning, point: &Point) -> Term {
        let mut map = FxHashMap::default();
        for &(symbol, var) in &meaning.variables {
            let here = self.symbol(var, point);
            map.insert(symbol, self.guess.terms.var(here));
        }
        let formula = meaning.formula.unwrap_or(self.guess.terms.bool(true));
        self.guess.terms.substitute(formula, &map)
    }

    /// The symbol of a variable in the activation of a point.
    fn symbol(&mut self, var: VarId, point: &Point) -> Symbol {
        let info = &self.program().vars[var];
        let variable = Variable {
            calls: match info.scope {
                Scope::Global => Box::default(),
                Scope::Local(_) => point.calls.clone(),
            },
            var: VarOrigin::Variable(var),
        };
        if let Some(&symbol) = self.symbols.get(&variable) {
            return symbol;
        }
        let symbol = self.guess.terms.symbol(&*info.decl.name, Sort::Int);
        self.symbols.insert(variable.clone(), symbol);
        self.guess.declare(symbol, variable);
        symbol
    }

    fn has(&self, point: &Point, term: Term) -> bool {
        let formulas = self.guess.as_invariants().and_then(|all| all.at.get(point));
        formulas.is_some_and(|formulas| formulas.iter().any(|formula| formula.matrix == term))
    }

    /// Guesses simple facts at all loops.
    fn add_facts(&mut self) {
        let program = self.program();
        let constants = candidates::constants(program);
        let scopes = Scopes::new(self.places);
        for (&(lo, hi), points) in &self.loops.clone() {
            let at = scopes.loop_scope(rhumb_program::Span::new(lo, hi));
            let vars = program.vars.iter_enumerated();
            let vars =
                vars.filter(|&(id, var)| candidates::is_integer(var.ty) && scopes.names(id, at));
            let vars: Vec<VarId> = vars.map(|(id, _)| id).take(MAX_VARIABLES).collect();
            for point in points {
                let here = vars.iter().map(|&var| self.symbol(var, point));
                let here: Vec<Symbol> = here.collect();
                let terms = self.guess.terms.clone();
                let variables: Vec<Term> = here.into_iter().map(|s| terms.var(s)).collect();
                for fact in candidates::facts(&terms, &variables, &constants) {
                    if terms.as_bool(fact).is_none() && !self.has(point, fact) {
                        self.guess.add(point.clone(), Formula::plain(fact));
                    }
                }
            }
        }
    }

    /// A run on which a given invariant doesn't hold.
    fn refuted(&self, given: &[Given<'_>]) -> Option<Validity> {
        let claims = given.iter().flat_map(|given| {
            let points = given.points.iter();
            let mut locations: Vec<LocRef> = points.map(|point| point.location).collect();
            locations.dedup();
            let claim = |at: LocRef| Claim {
                at,
                formula: given.meaning.formula.unwrap_or(self.guess.terms.bool(true)),
                variables: given.meaning.variables.clone(),
            };
            let invariant = given.invariant;
            locations.into_iter().map(move |at| (invariant, claim(at)))
        });
        let (invariants, claims): (Vec<&Invariant>, Vec<Claim>) = claims.unzip();
        let (wrong, values) = refute(self.program(), &self.guess.terms, &claims)?;
        let wrong = described(invariants.get(wrong)?);
        Some(Validity::Rejected(format!(
            "{wrong} does not hold: {values}"
        )))
    }

    /// Whether no target is reached because all runs, or all states, can be seen.
    fn is_executed(&self, budget: &Budget) -> bool {
        let ground = Ground::new(self.program());
        let everything = View {
            followed: ground.program().vars.indices().collect(),
            ..View::default()
        };
        [
            Proof::execution(MAX_STEPS),
            Proof::exploration(ground.named(&everything)),
        ]
        .iter()
        .any(|proof| proof::check(self.program(), proof, &budget.part(3)).is_ok())
    }

    /// The invariants hold, but the targets are not excluded by them: perhaps there are no long runs.
    fn unroll(&mut self, given: &[Given<'_>], budget: &Budget) -> Validity {
        let mut depth = 1;
        while depth <= MAX_DEPTH && !budget.is_spent() {
            match proof::check(self.program(), &Proof::unrolling(depth), budget) {
                Ok(_) => return self.accept(given, budget),
                Err(Rejected::Fails(failure)) if failure.obligation.to.kind == PlaceKind::Again => {
                    depth *= 4;
                }
                Err(_) => break,
            }
        }
        if self.is_executed(budget) {
            return self.accept(given, budget);
        }
        let inputs = (self.against.search)(budget);
        let limits = counterexample::Budget::within(budget);
        match inputs.map(|inputs| counterexample::replay(self.program(), &inputs, &limits)) {
            Some(Ok(_)) => Validity::Rejected("the program reaches the error".to_owned()),
            _ => Validity::Undecided(
                "the invariants hold, but they don't show that the error is not reached".to_owned(),
            ),
        }
    }
}

fn not_shown(invariant: &Invariant) -> Validity {
    let what = described(invariant);
    Validity::Undecided(format!("{what} could not be shown to hold"))
}

fn described(invariant: &Invariant) -> String {
    let line = invariant.location.line;
    format!(
        "the invariant `{}` on line {line}",
        shortened(&invariant.value)
    )
}

fn about(invariant: &Invariant, message: &str) -> BadWitness {
    BadWitness::new(format!("{}: {message}", described(invariant)))
}
