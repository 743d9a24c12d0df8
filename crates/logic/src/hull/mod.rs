//! Hulls of a formula: the least box, affine space, lattice or closed polyhedron around the values that some integer
//! terms have in its models.
//!
//! An [`Abstraction`] holds a formula and asks for one model after the other outside of what it has (symbolic
//! abstraction; T. Reps, M. Sagiv, G. Yorsh, VMCAI 2004), until there is none. All other symbols are existential.
//!
//! | hull | grows by | is |
//! |---|---|---|
//! | [`Abstraction::intervals`] | bounds that jump to where the model's cube ends | the least box: every bound is attained |
//! | [`Abstraction::affine`] | points | the least affine space |
//! | [`Abstraction::lattice`] | points | the least set `b + L` of integer points, `L` closed under addition and subtraction |
//! | [`Abstraction::convex`] | cubes, projected over the rationals, then cut down to the integers | the least closed polyhedron |
//!
//! Every model is kept. Further abstractions of the same formula, also under an additional assumption
//! ([`Abstraction::push`]), begin with those that fit, which evaluation finds without the solver: a loop's differences,
//! its first and its last states have most of their models in common.
//!
//! Any superset is sound. When a query is not decided, or the rounds or the limits are used up, the result is a larger
//! hull, at worst everything, and says so ([`Hull::exact`]).

mod convex;
mod extreme;
mod facts;
mod integral;
mod local;
mod names;
mod points;
mod relax;
mod settled;
mod view;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::cube::Region;
use crate::domain::DomainLimits;
use crate::eval;
use crate::session::{Answer, Purpose, Session, SessionOptions, Statistics};
use crate::term::{Symbol, Term, Terms};
use crate::value::Assignment;

pub use facts::Facts;
pub use settled::Settled;

use settled::Truth;
use view::View;

/// Queries for hulls are counted under this purpose.
pub const PURPOSE: Purpose = Purpose("hull");

/// How much one abstraction may do, beside its budget: these limits don't depend on the machine.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Queries for one hull; for intervals, for one bound.
    pub rounds: usize,
    /// Models that are kept for further abstractions.
    pub pool: usize,
    /// Bounds on the polyhedron.
    pub limits: DomainLimits,
    /// Bounds on the projection of one cube. Beyond them only a part around the model is projected, which is always cheap.
    pub projection: DomainLimits,
    /// Whether a convex hull is cut down from the rational solutions to the integer ones, at the price of a query or more for each vertex.
    pub integral: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rounds: 200,
            pool: 1_000,
            limits: DomainLimits::default(),
            projection: DomainLimits {
                rows: 1_000,
                work: 20_000_000,
                bits: 1_024,
            },
            integral: true,
        }
    }
}

/// A hull. Coordinate `i` of a point is the value of the `i`-th term.
#[derive(Clone, Debug)]
pub struct Hull<D> {
    /// The set of points.
    pub shape: D,
    /// The same as constraints and congruences; none if it is everything.
    pub facts: Facts,
    /// Whether it is what was asked for. Else it still contains every model, but something was given up: the budget or the limits were
    /// used up, the solver didn't know, or a part of the formula is not linear.
    pub exact: bool,
}

impl<D> Hull<D> {
    /// That the terms, one per dimension, have values in the hull.
    pub fn to_formula(&self, terms: &Terms, dimensions: &[Term]) -> Term {
        self.facts.to_formula(terms, dimensions)
    }
}

/// A formula, a solver session in which it is asserted, and the models found so far.
///
/// ```
/// use std::sync::Arc;
/// use rhumb_logic::{Budget, Sort, Terms, hull::{Abstraction, Options}};
/// let terms = Arc::new(Terms::new());
/// let [x, next] = ["x", "x'"].map(|name| terms.var(terms.symbol(name, Sort::Int)));
/// // x' = x + 2 or x' = x + 4, while 0 <= x < 10
/// let step = |by| terms.eq(next, terms.add(x, terms.int(by)));
/// let body = terms.and([terms.or([step(2), step(4)]), terms.within(0, x, 9)]);
/// let mut body = Abstraction::new(terms.clone(), body, Options::default());
/// let (delta, budget) = ([terms.sub(next, x)], Budget::unlimited());
/// let hull = body.convex(&delta, &budget);
/// assert!(hull.exact);
/// assert_eq!(hull.to_formula(&terms, &delta), terms.within(2, delta[0], 4));
/// let strides = body.lattice(&delta, &budget);
/// assert_eq!(strides.to_formula(&terms, &delta), terms.divides(2, delta[0]));
/// ```
pub struct Abstraction {
    terms: Arc<Terms>,
    session: Session,
    options: Options,
    /// The formula, and the assumptions on top of it.
    levels: Vec<Level>,
    models: Vec<Assignment>,
    /// Symbols that stand for the dimensions inside of cubes.
    coordinates: Vec<Symbol>,
}

struct Level {
    region: Region,
    /// Which models satisfy everything up to this level.
    live: Vec<usize>,
    /// Names that queries have for large terms, defined at this level.
    names: FxHashMap<Term, Symbol>,
}

impl Level {
    fn new(terms: &Terms, formula: Term, live: Vec<usize>) -> Level {
        Level {
            region: Region::everything(terms, formula),
            live,
            names: FxHashMap::default(),
        }
    }
}

/// What a query brought.
enum Outcome {
    /// The number of a new model.
    Model(usize),
    /// There is none.
    Covered,
    /// Not decided, or out of rounds.
    Unknown,
}

impl Abstraction {
    /// Prepares to abstract a formula. The solver is started by the first query.
    pub fn new(terms: Arc<Terms>, formula: Term, options: Options) -> Abstraction {
        let session = Session::new(terms, SessionOptions::default());
        Abstraction::of_session(session, formula, options)
    }

    /// Prepares to abstract a formula with a session in which nothing is asserted yet, such as one of a pool.
    pub fn of_session(mut session: Session, formula: Term, options: Options) -> Abstraction {
        let terms = session.terms().clone();
        session.set_purpose(PURPOSE);
        session.assert(formula);
        let whole = Level::new(&terms, formula, Vec::new());
        Abstraction {
            terms,
            session,
            options,
            levels: vec![whole],
            models: Vec::new(),
            coordinates: Vec::new(),
        }
    }

    /// From now on only the models that satisfy the assumption count, until [`Abstraction::pop`].
    pub fn push(&mut self, assumption: Term) {
        self.session.push();
        self.session.assert(assumption);
        let fits = |&model: &usize| eval::holds(&self.terms, assumption, &self.models[model]);
        let live = self.live().iter().copied().filter(fits).collect();
        let level = Level::new(&self.terms, assumption, live);
        self.levels.push(level);
    }

    /// Takes back the last assumption. Its models stay. Without one nothing happens.
    pub fn pop(&mut self) {
        if self.levels.len() > 1 {
            self.levels.pop();
            self.session.pop();
        }
    }

    /// Puts another formula in place of the first one, which must hold for the same values of all symbols that it
    /// mentions: a simpler one, to compute with. What the solver knows stays as it is.
    pub fn simplify(&mut self, formula: Term) {
        if let Some(level) = self.levels.first_mut() {
            level.region = Region::everything(&self.terms, formula);
        }
    }

    /// Adds those models from elsewhere that can be seen to satisfy the formula and the assumptions.
    pub fn add_models<'a>(&mut self, models: impl IntoIterator<Item = &'a Assignment>) {
        let formulas = self.levels.iter().map(|level| level.region.formula());
        let mut truth = Truth::new(&self.terms, &formulas.collect::<Vec<_>>());
        for model in models {
            if (truth.in_model(model).iter()).all(|&holds| holds == Some(true)) {
                self.keep(model.clone());
            }
        }
    }

    /// Adds a model from elsewhere, if it can be seen to satisfy the formula and the assumptions; says whether it does.
    pub fn add_model(&mut self, model: Assignment) -> bool {
        let satisfies = |level: &Level| eval::holds(&self.terms, level.region.formula(), &model);
        let accepted = self.levels.iter().all(satisfies);
        if accepted {
            self.keep(model);
        }
        accepted
    }

    /// The models that satisfy the formula and the assumptions, as far as they are known.
    pub fn models(&self) -> impl Iterator<Item = &Assignment> {
        self.live().iter().map(|&model| &self.models[model])
    }

    /// The store of the terms.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// What the solver was asked.
    pub fn statistics(&self) -> &Statistics {
        self.session.statistics()
    }

    fn live(&self) -> &[usize] {
        self.levels.last().map_or(&[], |level| &level.live)
    }

    fn keep(&mut self, model: Assignment) -> usize {
        let number = self.models.len();
        self.models.push(model);
        for level in &mut self.levels {
            level.live.push(number);
        }
        number
    }

    /// Forgets the newest models if there are more than may be kept. Between abstractions only: inside, all are needed.
    fn trim(&mut self) {
        let most = self.options.pool;
        self.models.truncate(most);
        for level in &mut self.levels {
            level.live.retain(|&model| model < most);
        }
    }

    /// A model in which the formula holds, within the rounds.
    fn query(&mut self, formula: Term, rounds: &mut usize, budget: &Budget) -> Outcome {
        match rounds.checked_sub(1) {
            Some(left) => *rounds = left,
            None => return Outcome::Unknown,
        }
        let formula = self.named(formula);
        match self.session.check_assuming(&[formula], budget) {
            Answer::Sat(model) => {
                let mut model = model.into_assignment();
                for level in &self.levels {
                    // They are of no use outside of queries.
                    level.names.values().for_each(|name| {
                        model.remove(name);
                    });
                }
                Outcome::Model(self.keep(model))
            }
            Answer::Unsat(_) => Outcome::Covered,
            Answer::Unknown(_) => Outcome::Unknown,
        }
    }

    /// Makes sure that there is a model, if there is one.
    fn first_model(&mut self, rounds: &mut usize, budget: &Budget) -> Outcome {
        match self.live().first() {
            Some(&model) => Outcome::Model(model),
            None => self.query(self.terms.bool(true), rounds, budget),
        }
    }

    /// Prepares to compute with the values of some terms.
    fn view(&mut self, dimensions: &[Term]) -> View {
        while self.coordinates.len() < dimensions.len() {
            let name = format!("hull.{}", self.coordinates.len());
            let symbol = self.terms.symbol(name, crate::term::Sort::Int);
            self.coordinates.push(symbol);
        }
        View::new(&self.terms, dimensions, &self.coordinates)
    }
}

impl std::fmt::Debug for Abstraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Abstraction")
            .field("levels", &self.levels.len())
            .field("models", &self.models.len())
            .finish_non_exhaustive()
    }
}
