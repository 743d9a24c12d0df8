//! Proofs by invariants: from every cut point, with its formulas as premises, all ways to the next cut points lead to states in which the
//! formulas there hold, and none leads to an error.
//!
//! A quantified formula `¬∃k. φ(x, k)` is proved for a `k` of which nothing is known, and assumed for the values that hints name; `∃k.
//! φ(x, k)` is assumed with such a `k`, and proved for one of the values that hints name. Any values will do for that, so hints need not
//! be trusted.

use rustc_hash::FxHashMap;

use crate::certificate::{BadCertificate, Expression, Formula, Hint, Name, Point};
use crate::check::{Opinion, locate};
use crate::decide::{Decision, Effort, OpinionLimits, decide};
use crate::graph;
use crate::pool::Id;
use crate::solver::Solver;
use crate::unfold::{Next, Unfolded, UnfoldedPlace};
use crate::walk::{Lost, Names, Region, Rules, Stretch, Stretches, Values, instance, sort};

/// Questions with more goals than this are not taken apart when they are too hard.
const MAX_SEPARATE: usize = 64;

/// So many variables of a counter-model are shown.
const SHOWN: usize = 6;

/// A proof by invariants of an unfolded program.
pub(crate) struct Proof<'a, 'p> {
    unfolded: &'a Unfolded<'p>,
    names: &'a Names,
    formulas: FxHashMap<UnfoldedPlace, Vec<&'a Formula>>,
    hints: FxHashMap<(UnfoldedPlace, UnfoldedPlace), Vec<&'a Hint>>,
    /// The places that the proof names.
    given: Vec<UnfoldedPlace>,
    /// What calls ask for and give, if functions have contracts.
    rules: Option<&'a Rules<'a>>,
}

/// What is known where a region begins.
struct Premises<'a> {
    /// What holds there: formulas without quantifiers, and matrices with new symbols for what there is.
    plain: Vec<Id>,
    /// The new symbols, for each formula that has some.
    witnesses: Vec<(&'a [Name], Vec<Id>)>,
    /// The formulas that hold for all values of their bound names, with their places in the proof.
    universal: Vec<(usize, &'a Formula)>,
}

/// What is to be shown at the end of a way.
struct Goal {
    place: UnfoldedPlace,
    /// Which formula; none if the place must not be reached at all.
    formula: Option<usize>,
    stretch: Stretch,
}

/// A region on its way to the solver.
struct Work<'a, 'u, 'p> {
    values: Values<'u, 'p>,
    premises: Premises<'a>,
    /// Where the region begins: place and stretch.
    from: (UnfoldedPlace, Stretch),
}

impl<'a, 'p> Proof<'a, 'p> {
    pub(crate) fn new(
        unfolded: &'a Unfolded<'p>,
        names: &'a Names,
        points: &'a [(Point, Vec<Formula>)],
        hints: &'a [Hint],
    ) -> Result<Proof<'a, 'p>, BadCertificate> {
        let mut formulas: FxHashMap<UnfoldedPlace, Vec<&Formula>> = FxHashMap::default();
        for (point, given) in points {
            let place = locate(unfolded, point)?;
            formulas.entry(place).or_default().extend(given);
        }
        let mut located: FxHashMap<(UnfoldedPlace, UnfoldedPlace), Vec<&Hint>> =
            FxHashMap::default();
        for hint in hints {
            let ends = (locate(unfolded, &hint.from)?, locate(unfolded, &hint.to)?);
            located.entry(ends).or_default().push(hint);
        }
        let mut given: Vec<UnfoldedPlace> = formulas.keys().copied().collect();
        given.retain(|&place| graph::can_cut(unfolded, place));
        given.sort_unstable();
        Ok(Proof {
            unfolded,
            names,
            formulas,
            hints: located,
            given,
            rules: None,
        })
    }

    /// The same about the body of a function with a contract, or about the start function of a program that has some.
    pub(crate) fn with_rules(mut self, rules: &'a Rules<'a>) -> Proof<'a, 'p> {
        self.rules = Some(rules);
        let root = self.unfolded.root();
        if let (Some(contract), false) = (rules.contracts.get(&root), self.is_program()) {
            let start = self.unfolded.start();
            self.formulas
                .insert(start, contract.requires.iter().collect());
            for place in self.unfolded.places() {
                if let Next::Return = self.unfolded.next(place) {
                    self.formulas
                        .insert(place, contract.ensures.iter().collect());
                    self.given.push(place);
                }
            }
            self.given.sort_unstable();
            self.given.dedup();
        }
        self
    }

    /// Whether runs of the program begin where the graph does.
    fn is_program(&self) -> bool {
        self.unfolded.root() == self.unfolded.program.start
    }

    /// Says what values at the entry are, where that is known: at the entry, and of variables that nothing in the body sets.
    fn name_entries(&self, work: &mut Work<'a, '_, 'p>) {
        let Some(rules) = self.rules.filter(|_| !self.is_program()) else {
            return;
        };
        let (place, beginning) = work.from;
        for &(name, var) in rules.entry {
            let Some(var) = self.unfolded.named_var(&[], var) else {
                continue;
            };
            if place == self.unfolded.start() || !self.unfolded.may_set(var) {
                let value = work.values.get(beginning, var);
                let value = work.values.pool.value(value);
                work.values.free.insert(name, value);
            }
        }
    }

    /// The check, region by region.
    pub(crate) fn check(&self, solver: &Solver, limits: &OpinionLimits<'_>) -> Result<(), Opinion> {
        let start = self.unfolded.start();
        let mut is_cut = graph::cuts(self.unfolded, &self.given);
        is_cut[start.0 as usize] = true;
        let matters = graph::matters(self.unfolded, &self.given);
        let reachable = graph::reachable(self.unfolded);
        if self.is_program() {
            self.check_start(solver, limits)?;
        }
        for place in self.unfolded.places() {
            let at = place.0 as usize;
            let is_end = matches!(self.unfolded.next(place), Next::Return);
            if is_cut[at] && reachable[at] && (matters[at] || place == start) && !is_end {
                let region = Region {
                    unfolded: self.unfolded,
                    is_cut: &|place| is_cut[place.0 as usize],
                    matters: &matters,
                    rules: self.rules,
                };
                self.check_region(place, &region, solver, limits)?;
            }
        }
        Ok(())
    }

    fn formulas(&self, place: UnfoldedPlace) -> &[&'a Formula] {
        self.formulas.get(&place).map_or(&[], |formulas| formulas)
    }

    /// A region of which nothing but its beginning is there. Premises are what the proof says of it, if they may be used.
    fn begin<'u>(&'u self, place: UnfoldedPlace, with_premises: bool) -> Work<'a, 'u, 'p> {
        let mut values = Values::new(
            self.unfolded,
            self.is_program() && place == self.unfolded.start(),
        );
        let beginning = values.begin();
        let mut work = Work {
            values,
            premises: Premises {
                plain: Vec::new(),
                witnesses: Vec::new(),
                universal: Vec::new(),
            },
            from: (place, beginning),
        };
        self.name_entries(&mut work);
        for &(index, limit) in &self.unfolded.memory.indices {
            let value = work.values.get(beginning, index);
            let pool = &mut work.values.pool;
            let limit = pool.word(pool.word_type(value), limit);
            work.premises.plain.push(pool.less(true, value, limit));
        }
        let formulas = match with_premises {
            true => self.formulas(place),
            false => &[],
        };
        for (index, &formula) in formulas.iter().enumerate() {
            if formula.negated && !formula.bound.is_empty() {
                work.premises.universal.push((index, formula));
                continue;
            }
            let fresh = self.fresh(&formula.bound, &mut work);
            let given = pairs(&formula.bound, &fresh).collect();
            let matrix = self.instance(&formula.matrix, &given, &mut work, beginning);
            let holds = match formula.negated {
                true => work.values.pool.not(matrix),
                false => matrix,
            };
            work.premises.plain.push(holds);
            if !formula.bound.is_empty() {
                work.premises.witnesses.push((&formula.bound, fresh));
            }
        }
        work
    }

    /// The formulas of the start hold in the first state.
    fn check_start(&self, solver: &Solver, limits: &OpinionLimits<'_>) -> Result<(), Opinion> {
        let start = self.unfolded.start();
        let mut work = self.begin(start, false);
        let at = work.from.1;
        let mut stretches = Stretches::default();
        let here = work.values.behind(at);
        stretches.goal(here);
        let goals: Vec<Goal> = (0..self.formulas(start).len())
            .map(|formula| Goal {
                place: start,
                formula: Some(formula),
                stretch: here,
            })
            .collect();
        let bads: Vec<Id> = goals.iter().map(|goal| self.bad(goal, &mut work)).collect();
        self.decided(work, &stretches, here, &[goals], &[bads], solver, limits)
    }

    fn check_region(
        &self,
        place: UnfoldedPlace,
        region: &Region<'_, '_>,
        solver: &Solver,
        limits: &OpinionLimits<'_>,
    ) -> Result<(), Opinion> {
        if limits.is_over() {
            return Err(Opinion::Undecided("out of time".to_owned()));
        }
        let mut work = self.begin(place, true);
        let first = work.values.behind(work.from.1);
        let mut stretches = Stretches::default();
        let arrivals = region
            .walk(&mut work.values, &mut stretches, vec![(place, first)])
            .map_err(lost)?;
        let mut goals: Vec<Vec<Goal>> = Vec::new();
        let mut bads: Vec<Vec<Id>> = Vec::new();
        for (to, ways) in arrivals {
            let stretch = stretches.meet(&mut work.values, ways);
            stretches.goal(stretch);
            // A call that must not be made, where runs were cut: now it is made.
            let is_made = to == place && matches!(self.unfolded.next(to), Next::Bad(_));
            let is_point = (region.is_cut)(to) && graph::can_cut(self.unfolded, to) && !is_made;
            let formulas: Vec<Option<usize>> = match is_point {
                true => (0..self.formulas(to).len()).map(Some).collect(),
                false => vec![None],
            };
            let here: Vec<Goal> = formulas
                .into_iter()
                .map(|formula| Goal {
                    place: to,
                    formula,
                    stretch,
                })
                .collect();
            bads.push(here.iter().map(|goal| self.bad(goal, &mut work)).collect());
            goals.push(here);
        }
        self.decided(work, &stretches, first, &goals, &bads, solver, limits)
    }

    /// Asks the solver: first all goals of a region together, then, if that is too hard, each by itself.
    #[allow(clippy::too_many_arguments)]
    fn decided(
        &self,
        mut work: Work<'a, '_, 'p>,
        stretches: &Stretches,
        first: Stretch,
        goals: &[Vec<Goal>],
        bads: &[Vec<Id>],
        solver: &Solver,
        limits: &OpinionLimits<'_>,
    ) -> Result<(), Opinion> {
        let symbols: Vec<(String, Id)> = {
            let mut shown: Vec<(String, Id)> = work
                .values
                .beginning()
                .map(|(var, id)| (self.unfolded.var_name(var).to_owned(), id))
                .filter(|(name, _)| !name.is_empty())
                .collect();
            shown.sort();
            shown
        };
        let wanted: Vec<Id> = symbols.iter().map(|(_, id)| *id).collect();
        let never = work.values.pool.bool(false);
        let mut ask = |selected: Option<(usize, usize)>, effort: Effort| {
            let mut bad = vec![never; bads.len()];
            for (index, formulas) in bads.iter().enumerate() {
                let parts = formulas.iter().enumerate();
                let parts =
                    parts.filter(|(part, _)| selected.is_none_or(|one| one == (index, *part)));
                let parts: Vec<Id> = parts.map(|(_, &id)| id).collect();
                bad[index] = work.values.pool.or(parts);
            }
            let mut formulas = work.premises.plain.clone();
            formulas.extend(stretches.conditions(&mut work.values, first, &bad));
            decide(
                solver,
                &work.values.pool,
                &formulas,
                &wanted,
                limits,
                effort,
            )
        };
        let from = work.from.0;
        let all = bads.iter().map(Vec::len).sum::<usize>();
        let many = (2..=MAX_SEPARATE).contains(&all);
        let whole = match ask(None, if many { Effort::Short } else { Effort::Full }) {
            Decision::Impossible => return Ok(()),
            decision if !many => {
                return Err(self.opinion(from, goals.iter().flatten().next(), decision, &symbols));
            }
            decision => decision,
        };
        for (index, here) in goals.iter().enumerate() {
            for (part, goal) in here.iter().enumerate() {
                match ask(Some((index, part)), Effort::Full) {
                    Decision::Impossible => {}
                    decision => return Err(self.opinion(from, Some(goal), decision, &symbols)),
                }
            }
        }
        match whole {
            // Each is impossible by itself, so together they are.
            Decision::Unknown(_) | Decision::Impossible => Ok(()),
            Decision::Possible(_) => Err(Opinion::Undecided(
                "the solver contradicts itself".to_owned(),
            )),
        }
    }

    /// What is bad about a goal: its formula fails, or it is reached at all.
    fn bad(&self, goal: &Goal, work: &mut Work<'a, '_, 'p>) -> Id {
        let mut parts = Vec::new();
        let formula = goal.formula.map(|index| self.formulas(goal.place)[index]);
        match formula {
            None => {
                parts.extend(self.instances(goal, &[], work));
                for &hit in &self.unfolded.memory.hits {
                    parts.push(work.values.get(goal.stretch, hit));
                }
            }
            Some(formula) if formula.negated || formula.bound.is_empty() => {
                let fresh = self.fresh(&formula.bound, work);
                let bound: Vec<(Name, Id)> = pairs(&formula.bound, &fresh).collect();
                parts.extend(self.instances(goal, &bound, work));
                let given = bound.into_iter().collect();
                let matrix = self.instance(&formula.matrix, &given, work, goal.stretch);
                parts.push(match formula.negated {
                    true => matrix,
                    false => work.values.pool.not(matrix),
                });
            }
            Some(formula) => {
                parts.extend(self.instances(goal, &[], work));
                let witnesses = work.premises.witnesses.iter();
                let mut candidates: Vec<Vec<Id>> =
                    witnesses.map(|(_, fresh)| fresh.clone()).collect();
                candidates.extend(self.hinted(goal, None, &[], work));
                for values in candidates {
                    if self.fit(&formula.bound, &values, work) {
                        let given = pairs(&formula.bound, &values).collect();
                        let matrix = self.instance(&formula.matrix, &given, work, goal.stretch);
                        parts.push(work.values.pool.not(matrix));
                    }
                }
            }
        }
        work.values.pool.and(parts)
    }

    /// What the universal premises say of the values that hints name, and of the goal's own bound names.
    fn instances(&self, goal: &Goal, bound: &[(Name, Id)], work: &mut Work<'a, '_, 'p>) -> Vec<Id> {
        let own: Vec<Id> = bound.iter().map(|pair| pair.1).collect();
        let mut instances = Vec::new();
        for (index, formula) in work.premises.universal.clone() {
            let mut candidates = self.hinted(goal, Some(index), bound, work);
            candidates.push(own.clone());
            for values in candidates {
                if self.fit(&formula.bound, &values, work) {
                    let given = pairs(&formula.bound, &values).collect();
                    let begin = work.from.1;
                    let matrix = self.instance(&formula.matrix, &given, work, begin);
                    instances.push(work.values.pool.not(matrix));
                }
            }
        }
        instances
    }

    /// The values that hints name for the bound names of a premise, or of the goal.
    fn hinted(
        &self,
        goal: &Goal,
        premise: Option<usize>,
        bound: &[(Name, Id)],
        work: &mut Work<'a, '_, 'p>,
    ) -> Vec<Vec<Id>> {
        let (from, begin) = work.from;
        let Some(hints) = self.hints.get(&(from, goal.place)) else {
            return Vec::new();
        };
        let mut given: FxHashMap<Name, Id> = FxHashMap::default();
        for (names, fresh) in &work.premises.witnesses {
            given.extend(pairs(names, fresh));
        }
        given.extend(bound.iter().copied());
        let mut hinted = Vec::new();
        for hint in hints {
            let is_meant =
                hint.premise == premise && (hint.goal.is_none() || hint.goal == goal.formula);
            if is_meant {
                let values = hint.values.iter();
                let values = values.map(|value| self.instance(value, &given, work, begin));
                hinted.push(values.collect());
            }
        }
        hinted
    }

    fn instance(
        &self,
        expression: &Expression,
        given: &FxHashMap<Name, Id>,
        work: &mut Work<'a, '_, 'p>,
        at: Stretch,
    ) -> Id {
        instance(expression, self.names, given, &mut work.values, at)
    }

    /// New symbols for bound names.
    fn fresh(&self, bound: &[Name], work: &mut Work<'a, '_, 'p>) -> Vec<Id> {
        let pool = &mut work.values.pool;
        let symbol = |&name: &Name| pool.fresh(sort(self.names.sorts[name]));
        bound.iter().map(symbol).collect()
    }

    /// Whether there is a value of the right sort for every bound name.
    fn fit(&self, bound: &[Name], values: &[Id], work: &Work<'a, '_, 'p>) -> bool {
        let wanted = |name: Name| sort(self.names.sorts[name]);
        bound.len() == values.len()
            && bound
                .iter()
                .zip(values)
                .all(|(&name, &value)| wanted(name) == work.values.pool.sort(value))
    }

    fn opinion(
        &self,
        from: UnfoldedPlace,
        goal: Option<&Goal>,
        decision: Decision,
        symbols: &[(String, Id)],
    ) -> Opinion {
        let from = self.unfolded.describe(from);
        let what = match goal {
            None => format!("what is said of {from}"),
            Some(goal) => {
                let to = self.unfolded.describe(goal.place);
                match goal.formula {
                    None => format!("{to} is not reached from {from}"),
                    Some(index) => format!("formula {} of {to} holds after {from}", index + 1),
                }
            }
        };
        match decision {
            Decision::Possible(values) => {
                let name = |id: Id| symbols.iter().find(|symbol| symbol.1 == id);
                let values = values.into_iter();
                let values =
                    values.filter_map(|(id, value)| Some(format!("{} = {value}", name(id)?.0)));
                let values: Vec<String> = values.take(SHOWN).collect();
                match values.is_empty() {
                    true => Opinion::Rejected(format!("it is not true that {what}")),
                    false => Opinion::Rejected(format!(
                        "it is not true that {what}, with {}",
                        values.join(", ")
                    )),
                }
            }
            Decision::Unknown(why) => Opinion::Undecided(format!("whether {what} ({why})")),
            Decision::Impossible => Opinion::Undecided(format!("whether {what}")),
        }
    }
}

/// Why a region could not be walked through, as an opinion.
pub(crate) fn lost(lost: Lost) -> Opinion {
    match lost {
        Lost::Cycle => Opinion::Undecided("a cycle of the program has no cut point".to_owned()),
        Lost::TooLarge => Opinion::Undecided("the program is too large".to_owned()),
    }
}

fn pairs<'s>(names: &'s [Name], ids: &'s [Id]) -> impl Iterator<Item = (Name, Id)> + 's {
    names.iter().copied().zip(ids.iter().copied())
}
