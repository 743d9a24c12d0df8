//! Verification conditions: what has to be shown of one region.

use rhumb_logic::{Symbol, Term, Terms};
use rhumb_program::{IndexVec, LocId, LocKind, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::argument::{Formula, Hint, Instance, Invariants};
use super::encode::{Encoder, Goal, GoalKind, Paths, Range, Region, State};
use super::formula::Vocabulary;
use super::name::Point;
use super::reject::{Invalid, Obligation, Rejected};
use super::subject::Subject;

/// What has to be shown of one region: that each of these, with what they have in common, is impossible.
pub(crate) struct Batch {
    /// Premises and ranges.
    pub(crate) common: Vec<Term>,
    pub(crate) conditions: Vec<Condition>,
}

/// The conditions of a region, and what is known of the sizes of its symbols.
pub(crate) type Bounded = (Batch, Vec<(Symbol, Range)>);

/// One obligation: the conjunction of all these has to be impossible.
pub(crate) struct Condition {
    pub(crate) obligation: Obligation,
    /// The formula that is to be shown, by its cut point and its place there; none for what must not be reached.
    pub(crate) goal: Option<(LocId, usize)>,
    pub(crate) formulas: Vec<Term>,
    /// What to show of a counter-model: variables and their values at the end.
    pub(crate) after: Vec<(VarId, Term)>,
}

/// Makes the conditions of a proof by invariants.
pub(super) struct Conditions<'p> {
    pub(super) subject: &'p Subject<'p>,
    pub(super) terms: &'p Terms,
    pub(super) symbols: &'p IndexVec<VarId, Symbol>,
    pub(super) vocabulary: &'p Vocabulary,
    cuts: FxHashSet<LocId>,
    formulas: FxHashMap<LocId, Vec<Formula>>,
    hints: FxHashMap<(LocId, LocId), Vec<Hint>>,
}

/// The premises of a region: formulas of the point where it begins.
struct Premises {
    /// Those that hold as they are: plain ones, and existential ones with fresh symbols for what there is.
    plain: Vec<Term>,
    /// Fresh symbols for bound ones, for each existential premise.
    witnesses: Vec<(Vec<Symbol>, Vec<Term>)>,
    /// The negated ones with bound symbols, by their place.
    universal: Vec<(usize, Formula)>,
}

impl<'p> Conditions<'p> {
    pub(super) fn new(
        subject: &'p Subject<'p>,
        terms: &'p Terms,
        symbols: &'p IndexVec<VarId, Symbol>,
        vocabulary: &'p Vocabulary,
        invariants: &Invariants,
    ) -> Result<Conditions<'p>, Invalid> {
        let locate = |point: &Point| {
            let unknown = || Invalid::UnknownPoint(subject.describe(point));
            subject.location(point).ok_or_else(unknown)
        };
        let mut formulas: FxHashMap<LocId, Vec<Formula>> = FxHashMap::default();
        for (point, given) in &invariants.at {
            let location = locate(point)?;
            formulas
                .entry(location)
                .or_default()
                .extend(given.iter().cloned());
        }
        let mut hints: FxHashMap<(LocId, LocId), Vec<Hint>> = FxHashMap::default();
        for hint in &invariants.hints {
            let ends = (locate(&hint.from)?, locate(&hint.to)?);
            fits(terms, hint, &formulas, ends)?;
            hints.entry(ends).or_default().push(hint.clone());
        }
        let is_plain = |at: &LocId| subject.cfa().locations[*at].kind == LocKind::Plain;
        let given: FxHashSet<LocId> = formulas.keys().copied().filter(is_plain).collect();
        let mut cuts = subject.cuts(&given);
        cuts.insert(subject.cfa().entry);
        Ok(Conditions {
            subject,
            terms,
            symbols,
            vocabulary,
            cuts,
            formulas,
            hints,
        })
    }

    /// The cut points that some run may come to, as far as the graph says; the entry first.
    pub(super) fn points(&self) -> Vec<LocId> {
        let entry = self.subject.cfa().entry;
        let reachable = self.subject.reachable();
        let mut points: Vec<LocId> = self.cuts.iter().copied().collect();
        points.retain(|&point| reachable[point] && point != entry);
        points.sort_unstable();
        points.insert(0, entry);
        points
    }

    fn formulas(&self, at: LocId) -> &[Formula] {
        self.formulas.get(&at).map_or(&[], |formulas| formulas)
    }

    /// What has to be shown of the first state: that the formulas of the entry hold there. Then they may be assumed at the entry, since no run comes
    /// back to it.
    pub(super) fn start(&self) -> Bounded {
        let entry = self.subject.cfa().entry;
        let mut encoder = Encoder::at_start(&self.subject.program, self.terms, self.symbols);
        let first = State::default();
        let none = Premises::none();
        let mut conditions = Vec::new();
        for (place, formula) in self.formulas(entry).iter().enumerate() {
            let ends = (entry, entry);
            let goal = self.refutation(&none, ends, place, formula, &first, &mut encoder);
            let after = self.values_after(formula, &first, &mut encoder);
            conditions.push(self.condition(
                entry,
                GoalKind::Cut(entry),
                Some((place, formula)),
                goal,
                &after,
            ));
        }
        self.finish(&encoder, Vec::new(), conditions)
    }

    /// The conditions of the region that begins at a point. None if the point's formulas say that it isn't reached.
    pub(super) fn region(&self, from: LocId) -> Result<Option<Bounded>, Rejected> {
        let mut encoder = match from == self.subject.cfa().entry {
            true => Encoder::at_start(&self.subject.program, self.terms, self.symbols),
            false => Encoder::new(&self.subject.program, self.terms, self.symbols),
        };
        let start = State::default();
        let premises = self.premises(from, &start, &mut encoder);
        if premises
            .plain
            .iter()
            .any(|&term| self.terms.as_bool(term) == Some(false))
        {
            return Ok(None);
        }
        let region = Region {
            cfa: self.subject.cfa(),
            calls: &self.subject.calls,
            is_cut: &|location| self.cuts.contains(&location),
        };
        let mut paths = Paths::default();
        let goals = region
            .explore(&mut encoder, &mut paths, vec![(from, start)])
            .map_err(|malformed| self.subject.malformed(malformed))?;
        let mut conditions = Vec::new();
        for goal in &goals {
            let reached = goal.state.reached(&paths);
            self.goal(
                from,
                goal,
                &premises,
                reached,
                &mut encoder,
                &mut conditions,
            )?;
        }
        Ok(Some(self.finish(&encoder, premises.plain, conditions)))
    }

    fn finish(
        &self,
        encoder: &Encoder<'_>,
        mut common: Vec<Term>,
        conditions: Vec<Condition>,
    ) -> Bounded {
        common.extend_from_slice(encoder.assumptions());
        (Batch { common, conditions }, encoder.ranges().to_vec())
    }

    /// What has to be shown of one end of a region.
    fn goal(
        &self,
        from: LocId,
        goal: &Goal,
        premises: &Premises,
        reached: Vec<Term>,
        encoder: &mut Encoder<'_>,
        conditions: &mut Vec<Condition>,
    ) -> Result<(), Rejected> {
        if let GoalKind::Cut(to) = goal.kind {
            if to == self.subject.cfa().entry {
                return Err(Rejected::Program(
                    "an edge leads back to the start".to_owned(),
                ));
            }
            for (place, formula) in self.formulas(to).iter().enumerate() {
                let mut formulas = reached.clone();
                formulas.extend(self.refutation(
                    premises,
                    (from, to),
                    place,
                    formula,
                    &goal.state,
                    encoder,
                ));
                let after = self.values_after(formula, &goal.state, encoder);
                conditions.push(self.condition(
                    from,
                    goal.kind,
                    Some((place, formula)),
                    formulas,
                    &after,
                ));
            }
            return Ok(());
        }
        let mut formulas = reached;
        let to = goal.kind.location();
        if let Some(to) = to {
            formulas.extend(self.instances(premises, (from, to), None, &[], encoder));
        }
        conditions.push(self.condition(from, goal.kind, None, formulas, &[]));
        Ok(())
    }

    fn condition(
        &self,
        from: LocId,
        to: GoalKind,
        formula: Option<(usize, &Formula)>,
        formulas: Vec<Term>,
        after: &[(VarId, Term)],
    ) -> Condition {
        let shown = |formula: &Formula| {
            let matrix = self.terms.display(formula.matrix).to_string();
            let names = formula
                .bound
                .iter()
                .map(|&symbol| super::subject::name(self.terms, symbol));
            let names: Vec<String> = names.collect();
            match (formula.negated, names.is_empty()) {
                (false, true) => matrix,
                (true, true) => format!("!({matrix})"),
                (false, false) => format!("exists {}: {matrix}", names.join(", ")),
                (true, false) => format!("no {}: {matrix}", names.join(", ")),
            }
        };
        Condition {
            obligation: Obligation {
                from: self.subject.place(from),
                to: self.subject.goal_place(to),
                formula: formula.map(|(_, formula)| shown(formula)),
            },
            goal: formula.and_then(|(place, _)| Some((to.location()?, place))),
            formulas,
            after: after.to_vec(),
        }
    }

    fn values_after(
        &self,
        formula: &Formula,
        state: &State,
        encoder: &mut Encoder<'_>,
    ) -> Vec<(VarId, Term)> {
        let symbols = self.terms.symbols([formula.matrix]);
        let vars = symbols
            .into_iter()
            .filter_map(|symbol| self.vocabulary.var(symbol));
        vars.map(|var| (var, encoder.read_int(var, state)))
            .collect()
    }

    fn premises(&self, at: LocId, state: &State, encoder: &mut Encoder<'_>) -> Premises {
        let mut premises = Premises::none();
        for (place, formula) in self.formulas(at).iter().enumerate() {
            if formula.negated && !formula.bound.is_empty() {
                premises.universal.push((place, formula.clone()));
                continue;
            }
            let fresh = formula
                .bound
                .iter()
                .map(|&symbol| self.terms.var(self.terms.fresh_copy(symbol)));
            let fresh: Vec<Term> = fresh.collect();
            let map = zip(&formula.bound, &fresh);
            let matrix = self.vocabulary.at(formula.matrix, &map, encoder, state);
            premises.plain.push(match formula.negated {
                true => self.terms.not(matrix),
                false => matrix,
            });
            if !formula.bound.is_empty() {
                premises.witnesses.push((formula.bound.clone(), fresh));
            }
        }
        premises
    }

    /// Formulas that hold together if the formula fails in the state, and whatever premises are of help.
    fn refutation(
        &self,
        premises: &Premises,
        ends: (LocId, LocId),
        place: usize,
        formula: &Formula,
        state: &State,
        encoder: &mut Encoder<'_>,
    ) -> Vec<Term> {
        if formula.negated || formula.bound.is_empty() {
            let fresh = formula
                .bound
                .iter()
                .map(|&symbol| (symbol, self.terms.var(self.terms.fresh_copy(symbol))));
            let bound: Vec<(Symbol, Term)> = fresh.collect();
            let matrix = self.vocabulary.at(
                formula.matrix,
                &bound.iter().copied().collect(),
                encoder,
                state,
            );
            let mut formulas = self.instances(premises, ends, Some(place), &bound, encoder);
            formulas.push(match formula.negated {
                true => matrix,
                false => self.terms.not(matrix),
            });
            return formulas;
        }
        let mut formulas = self.instances(premises, ends, Some(place), &[], encoder);
        let mut known: FxHashMap<Symbol, Term> = FxHashMap::default();
        let mut candidates: Vec<Vec<Term>> = Vec::new();
        for (bound, fresh) in &premises.witnesses {
            known.extend(zip(bound, fresh));
            candidates.push(fresh.clone());
        }
        // Values are terms over the variables where the way begins.
        let begin = State::default();
        for hint in self.hints_for(ends, Some(place)) {
            if hint.instance == Instance::Goal {
                let values = hint.values.iter();
                candidates.push(
                    values
                        .map(|&value| self.vocabulary.at(value, &known, encoder, &begin))
                        .collect(),
                );
            }
        }
        for values in candidates {
            if self.same_sorts(&formula.bound, &values) {
                let map = zip(&formula.bound, &values);
                let matrix = self.vocabulary.at(formula.matrix, &map, encoder, state);
                formulas.push(self.terms.not(matrix));
            }
        }
        formulas
    }

    /// Instances of universal premises: those that hints ask for, and those by the goal's own bound symbols.
    fn instances(
        &self,
        premises: &Premises,
        ends: (LocId, LocId),
        goal: Option<usize>,
        bound: &[(Symbol, Term)],
        encoder: &mut Encoder<'_>,
    ) -> Vec<Term> {
        let begin = State::default();
        let mut known: FxHashMap<Symbol, Term> = FxHashMap::default();
        for (names, fresh) in &premises.witnesses {
            known.extend(zip(names, fresh));
        }
        known.extend(bound.iter().copied());
        let mut instances = Vec::new();
        for (place, formula) in &premises.universal {
            let mut candidates: Vec<Vec<Term>> = Vec::new();
            if !bound.is_empty() {
                candidates.push(bound.iter().map(|pair| pair.1).collect());
            }
            for hint in self.hints_for(ends, goal) {
                if hint.instance == Instance::Premise(*place) {
                    let values = hint.values.iter();
                    candidates.push(
                        values
                            .map(|&value| self.vocabulary.at(value, &known, encoder, &begin))
                            .collect(),
                    );
                }
            }
            for values in candidates {
                if self.same_sorts(&formula.bound, &values) {
                    let map = zip(&formula.bound, &values);
                    let matrix = self.vocabulary.at(formula.matrix, &map, encoder, &begin);
                    instances.push(self.terms.not(matrix));
                }
            }
        }
        instances
    }

    fn hints_for(&self, ends: (LocId, LocId), goal: Option<usize>) -> impl Iterator<Item = &Hint> {
        let hints = self.hints.get(&ends).into_iter().flatten();
        hints.filter(move |hint| hint.goal.is_none() || hint.goal == goal)
    }

    fn same_sorts(&self, bound: &[Symbol], values: &[Term]) -> bool {
        bound.len() == values.len()
            && bound.iter().zip(values).all(|(&symbol, &value)| {
                self.terms.symbol_info(symbol).sort == self.terms.sort(value)
            })
    }
}

impl Premises {
    fn none() -> Premises {
        Premises {
            plain: Vec::new(),
            witnesses: Vec::new(),
            universal: Vec::new(),
        }
    }
}

fn zip(symbols: &[Symbol], terms: &[Term]) -> FxHashMap<Symbol, Term> {
    symbols.iter().copied().zip(terms.iter().copied()).collect()
}

/// Whether a hint speaks of a formula that there is, with values of the right sorts.
fn fits(
    terms: &Terms,
    hint: &Hint,
    formulas: &FxHashMap<LocId, Vec<Formula>>,
    (from, to): (LocId, LocId),
) -> Result<(), Invalid> {
    let at = |location: LocId, place: usize| formulas.get(&location)?.get(place);
    let formula = match (hint.instance, hint.goal) {
        (Instance::Premise(place), _) => at(from, place),
        (Instance::Goal, Some(place)) => at(to, place),
        (Instance::Goal, None) => None,
    };
    let formula = formula.ok_or(Invalid::Hint)?;
    let same_sort =
        |(&symbol, &value): (&Symbol, &Term)| terms.symbol_info(symbol).sort == terms.sort(value);
    let fits = formula.bound.len() == hint.values.len()
        && formula.bound.iter().zip(&hint.values).all(same_sort);
    match fits {
        true => Ok(()),
        false => Err(Invalid::Hint),
    }
}
