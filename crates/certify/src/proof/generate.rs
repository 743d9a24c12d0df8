//! The conditions of a proof by invariants.

use rhumb_logic::{Node, Symbol, Term, Terms};
use rhumb_program::{Action, EdgeId, IndexVec, LocId, LocKind, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::argument::{Formula, Hint, Instance, Invariants};
use super::body::Body;
use super::condition::{About, Batch, Bounded, Condition};
use super::contracts::{self, Rules};
use super::encode::{Agreement, Encoder, Goal, GoalKind, Paths, Region, SymbolicState};
use super::formula::Vocabulary;
use super::instance::{Premises, Way};
use super::name::Point;
use super::reject::{Invalid, Rejected};
use super::solve::is_false;

/// Makes the conditions of a proof by invariants.
pub(super) struct Conditions<'p> {
    pub(super) body: Body<'p>,
    pub(super) terms: &'p Terms,
    pub(super) symbols: &'p IndexVec<VarId, Symbol>,
    pub(super) vocabulary: &'p Vocabulary,
    cuts: FxHashSet<LocId>,
    matters: IndexVec<LocId, bool>,
    formulas: FxHashMap<LocId, Vec<Formula>>,
    hints: FxHashMap<(LocId, LocId), Vec<Hint>>,
    /// Contracts of functions that are called.
    rules: Option<&'p Rules<'p>>,
}

impl<'p> Conditions<'p> {
    pub(super) fn new(
        body: Body<'p>,
        terms: &'p Terms,
        symbols: &'p IndexVec<VarId, Symbol>,
        vocabulary: &'p Vocabulary,
        invariants: &Invariants,
        rules: Option<&'p Rules<'p>>,
    ) -> Result<Conditions<'p>, Invalid> {
        let locate = |point: &Point| {
            let unknown = || Invalid::UnknownPoint(body.subject.describe(point));
            body.location(point).ok_or_else(unknown)
        };
        // Other functions have conditions of their own.
        let is_elsewhere = |point: &Point| {
            let at = body.subject.located(point);
            rules.is_some() && at.is_some_and(|at| at.function != body.function)
        };
        let mut formulas: FxHashMap<LocId, Vec<Formula>> = FxHashMap::default();
        for (point, given) in &invariants.at {
            if !is_elsewhere(point) {
                formulas.insert(locate(point)?, given.clone());
            }
        }
        let mut hints: FxHashMap<(LocId, LocId), Vec<Hint>> = FxHashMap::default();
        for hint in &invariants.hints {
            if is_elsewhere(&hint.from) {
                continue;
            }
            let ends = (locate(&hint.from)?, locate(&hint.to)?);
            fits(terms, hint, &formulas, ends)?;
            hints.entry(ends).or_default().push(hint.clone());
        }
        let is_plain = |at: &LocId| body.cfa().locations[*at].kind == LocKind::Plain;
        let given: FxHashSet<LocId> = formulas.keys().copied().filter(is_plain).collect();
        let mut cuts = body.cuts(&given);
        cuts.insert(body.cfa().entry);
        // What a proof says of a point is shown even where nothing can go wrong any more; likewise of calls and returns.
        let mut asked = given;
        if let Some(rules) = rules {
            asked.extend(contracts::asked(body, rules));
            if !body.is_start() {
                let required = rules.requires(body.function).to_vec();
                formulas.insert(body.cfa().entry, required);
            }
        }
        let matters = body.matters(&asked);
        Ok(Conditions {
            body,
            terms,
            symbols,
            vocabulary,
            cuts,
            matters,
            formulas,
            hints,
            rules,
        })
    }

    /// The cut points that some run may come to, as far as the graph says; the entry first.
    pub(super) fn points(&self) -> Vec<LocId> {
        let entry = self.body.cfa().entry;
        let reachable = self.body.reachable();
        let mut points: Vec<LocId> = self.cuts.iter().copied().collect();
        points.retain(|&point| reachable[point] && self.matters[point] && point != entry);
        points.sort_unstable();
        points.insert(0, entry);
        points
    }

    fn formulas(&self, at: LocId) -> &[Formula] {
        self.formulas.get(&at).map_or(&[], |formulas| formulas)
    }

    /// The hints for a way that prove a formula of its end.
    pub(super) fn hints(&self, way: Way) -> impl Iterator<Item = &Hint> {
        let hints = self.hints.get(&(way.from, way.to)).into_iter().flatten();
        hints.filter(move |hint| hint.goal.is_none() || hint.goal == way.goal)
    }

    /// What has to be shown of the first state: that the formulas of the entry hold there. Then they may be assumed at
    /// the entry, since no run comes back to it. Nothing in a function that is called: there the entry has what is
    /// shown of every call.
    pub(super) fn start(&self) -> Option<Bounded> {
        if !self.body.is_start() {
            return None;
        }
        let entry = self.body.cfa().entry;
        let mut encoder = Encoder::at_start(self.program(), self.terms, self.symbols);
        let goal = Goal {
            kind: GoalKind::Cut(entry),
            state: SymbolicState::default(),
        };
        let mut conditions = Vec::new();
        self.holds_at(
            (entry, entry),
            &goal,
            &Premises::default(),
            &[],
            &mut encoder,
            &mut conditions,
        );
        Some(self.finish(&encoder, Vec::new(), conditions))
    }

    fn program(&self) -> &'p Program {
        &self.body.subject.program
    }

    /// The conditions of the region that begins at a point. None if the point's formulas say that it isn't reached.
    pub(super) fn region(&self, from: LocId) -> Result<Option<Bounded>, Rejected> {
        let entry = self.body.cfa().entry;
        let since = self
            .rules
            .and_then(|rules| rules.set_in(self.body.function));
        let mut encoder = match (from == entry, since) {
            (true, None) => Encoder::at_start(self.program(), self.terms, self.symbols),
            (false, Some(since)) => {
                Encoder::new(self.program(), self.terms, self.symbols).since(since)
            }
            (true, Some(_)) | (false, None) => {
                Encoder::new(self.program(), self.terms, self.symbols)
            }
        };
        let premises = self.premises(self.formulas(from), &mut encoder);
        if is_false(self.terms, &premises.plain) {
            return Ok(None);
        }
        encoder.assuming(&premises.plain);
        let region = Region {
            cfa: self.body.cfa(),
            calls: &self.body.subject.calls,
            agreed: self.rules.map(|rules| Agreement {
                callees: rules,
                returns: !self.body.is_start(),
            }),
            is_cut: &|location| self.cuts.contains(&location),
            matters: &self.matters,
        };
        let mut paths = Paths::default();
        let goals = region
            .explore(
                &mut encoder,
                &mut paths,
                vec![(from, SymbolicState::default())],
            )
            .map_err(|malformed| self.body.subject.malformed(malformed))?;
        let mut conditions = Vec::new();
        for goal in &goals {
            let reached = goal.state.reached(&paths);
            match goal.kind {
                GoalKind::Cut(to) if to == entry => {
                    let what = "an edge leads back to the start";
                    return Err(Rejected::Program(what.to_owned()));
                }
                GoalKind::Cut(to) => {
                    let ends = (from, to);
                    self.holds_at(
                        ends,
                        goal,
                        &premises,
                        &reached,
                        &mut encoder,
                        &mut conditions,
                    );
                }
                GoalKind::Call(edge) if self.is_agreed(edge) => {
                    let action = &self.body.cfa().edges[edge].action;
                    self.agreed(from, goal, &reached, &mut encoder, &mut conditions, action);
                }
                GoalKind::Return(edge) => {
                    let action = &self.body.cfa().edges[edge].action;
                    self.agreed(from, goal, &reached, &mut encoder, &mut conditions, action);
                }
                kind => {
                    let mut formulas = reached;
                    if let Some(to) = kind.location() {
                        let way = Way {
                            from,
                            to,
                            goal: None,
                        };
                        formulas.extend(self.instances(&premises, way, &[], &mut encoder));
                    }
                    conditions.push(Condition {
                        about: About {
                            function: self.body.function,
                            from,
                            to: kind,
                            formula: None,
                        },
                        formulas,
                        after: Vec::new(),
                    });
                }
            }
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

    /// That the formulas of a cut point hold when a region's executions get there. A conjunction is shown part by part.
    fn holds_at(
        &self,
        (from, to): (LocId, LocId),
        goal: &Goal,
        premises: &Premises,
        reached: &[Term],
        encoder: &mut Encoder<'_>,
        conditions: &mut Vec<Condition>,
    ) {
        for (place, formula) in self.formulas(to).iter().enumerate() {
            let way = Way {
                from,
                to,
                goal: Some(place),
            };
            for part in parts(self.terms, formula) {
                let refutation = self.refutation(premises, way, &part, &goal.state, encoder);
                let symbols = self.terms.symbols([part.matrix]);
                let vars = symbols
                    .into_iter()
                    .filter_map(|symbol| self.vocabulary.var(symbol));
                let after = vars.map(|var| (var, encoder.read_int(var, &goal.state)));
                conditions.push(Condition {
                    after: after.collect(),
                    formulas: reached.iter().copied().chain(refutation).collect(),
                    about: About {
                        function: self.body.function,
                        from,
                        to: goal.kind,
                        formula: Some(part),
                    },
                });
            }
        }
    }
}

impl Conditions<'_> {
    /// Whether an edge calls a function that has a contract.
    fn is_agreed(&self, edge: EdgeId) -> bool {
        let action = &self.body.cfa().edges[edge].action;
        let callee = self
            .rules
            .and_then(|rules| rules.callee(self.program(), action));
        callee.is_some()
    }

    /// That a call has what its callee requires, or a return what its function ensures.
    fn agreed(
        &self,
        from: LocId,
        goal: &Goal,
        reached: &[Term],
        encoder: &mut Encoder<'_>,
        conditions: &mut Vec<Condition>,
        action: &Action,
    ) {
        let Some(rules) = self.rules else { return };
        let callee = rules.callee(self.program(), action);
        let returned = match *action {
            Action::Return { value: Some(value) } => {
                Some(encoder.value(value, &goal.state).to_int(self.terms))
            }
            _ => None,
        };
        let asked = match callee {
            Some(callee) => rules.requires(callee),
            None => rules.ensures(self.body.function),
        };
        for part in asked.iter().flat_map(|formula| parts(self.terms, formula)) {
            let state = &goal.state;
            let holds = match callee {
                Some(_) => rules.required(&part, action, state, encoder),
                None => rules.returned(self.body.function, &part, returned, state, encoder),
            };
            let refuted = [self.terms.not(holds)];
            conditions.push(Condition {
                formulas: reached.iter().copied().chain(refuted).collect(),
                after: Vec::new(),
                about: About {
                    function: self.body.function,
                    from,
                    to: goal.kind,
                    formula: Some(part),
                },
            });
        }
    }
}

/// The parts of a conjunction; anything else is its own only part.
fn parts(terms: &Terms, formula: &Formula) -> Vec<Formula> {
    if formula.negated || !formula.bound.is_empty() {
        return vec![formula.clone()];
    }
    let mut parts = Vec::new();
    let mut todo = vec![formula.matrix];
    while let Some(term) = todo.pop() {
        match terms.node(term) {
            Node::And(inner) => todo.extend(inner.iter().rev()),
            _ => parts.push(Formula::plain(term)),
        }
    }
    parts
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
    let fits = formula.is_some_and(|formula| same_sorts(terms, &formula.bound, &hint.values));
    fits.then_some(()).ok_or(Invalid::Hint)
}

/// Whether there is a value of the right sort for each symbol.
pub(super) fn same_sorts(terms: &Terms, symbols: &[Symbol], values: &[Term]) -> bool {
    let same =
        |(&symbol, &value): (&Symbol, &Term)| terms.symbol_info(symbol).sort == terms.sort(value);
    symbols.len() == values.len() && symbols.iter().zip(values).all(same)
}
