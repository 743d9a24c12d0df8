//! Constrained Horn clauses: relations between states, and what derives them.
//!
//! A clause says that whenever its body holds, its head does: a relation, or nothing at all ("this must not happen").
//! [`solve`] asks Z3's engine for such clauses (Spacer) for relations of which all clauses are true. They are a guess
//! like any other: whoever uses them has them checked.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustc_hash::{FxHashMap, FxHashSet};
use z3_sys::{DeclKind, Z3_mk_and, Z3_mk_implies};

use crate::budget::Budget;
use crate::term::{Function, Node, Symbol, Term, Terms};

use super::translate::{Translator, Trouble};
use super::z3::{Ast, Context, Decl, Fixedpoint, Outcome, Shape};
use super::{Purpose, Session, SessionOptions, Unknown};

/// Clauses about some relations.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    /// The relations: functions to `Bool`, each with a symbol for each argument, in which a solution is told.
    pub relations: Vec<(Function, Vec<Symbol>)>,
    /// What they have to fulfil.
    pub clauses: Vec<Clause>,
    /// How to look for a solution.
    pub manner: Manner,
}

/// How to look for a solution. Each is good where the other is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Manner {
    /// One lemma after the other.
    #[default]
    Plain,
    /// Lemmas that look alike are made one that is more general: quick where relations between variables matter, slow
    /// where there are many cases.
    Guided,
}

/// For all values of its symbols: if the body holds, so does the head.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Applications of relations, and formulas without any.
    pub body: Vec<Term>,
    /// An application of a relation; none if the body is not to hold.
    pub head: Option<Term>,
}

/// What became of clauses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solution {
    /// A formula for each relation, over its symbols, with which all clauses are true, if Z3 is right; none where it
    /// can't be said in our terms.
    Relations(Vec<Option<Term>>),
    /// There is no such thing, if Z3 is right.
    None,
    /// Not known.
    Unknown(Unknown),
}

/// Solves clauses, on a thread of its own like every query.
pub fn solve(terms: &Arc<Terms>, clauses: Clauses, budget: &Budget) -> Solution {
    let mut session = Session::new(Arc::clone(terms), SessionOptions::default());
    session.set_purpose(Purpose("horn"));
    session.solve(Arc::new(clauses), budget)
}

/// What a solver says of clauses: formulas for the relations, that there are none, or why it doesn't know.
pub(super) enum Solved {
    Relations(Vec<Option<Term>>),
    None,
    Unknown(String),
}

/// Asks Z3. The answer is a conjunction of equivalences, one for each relation.
pub(super) fn ask(
    translator: &mut Translator<'_>,
    clauses: &Clauses,
    units: u32,
    stop: &AtomicBool,
) -> Result<Solved, Trouble> {
    let (context, terms) = (translator.context(), translator.terms());
    let engine = Fixedpoint::new(context, clauses.manner == Manner::Guided, units)?;
    let (error, query) = translator.fresh_relation()?;
    engine.declare(error)?;
    let mut places = FxHashMap::default();
    for (place, (relation, _)) in clauses.relations.iter().enumerate() {
        let declared = translator.function(*relation)?;
        engine.declare(declared)?;
        places.insert(declared, place);
    }
    for clause in &clauses.clauses {
        let all = clause.body.iter().copied().chain(clause.head);
        let symbols = terms.symbols(all);
        let constants = symbols
            .into_iter()
            .map(|symbol| translator.term(terms.var(symbol), stop));
        let constants = constants.collect::<Result<Vec<Ast<'_>>, Trouble>>()?;
        let body = clause.body.iter().map(|&part| translator.term(part, stop));
        let body = body.collect::<Result<Vec<Ast<'_>>, Trouble>>()?;
        let head = match clause.head {
            Some(head) => translator.term(head, stop)?,
            None => query,
        };
        let rule = match &body[..] {
            [] => head,
            _ => {
                let body = context.nary(Z3_mk_and, &body)?;
                context.binary(Z3_mk_implies, body, head)?
            }
        };
        engine.add(&constants, rule)?;
    }
    Ok(match engine.query(query) {
        Outcome::Sat => Solved::None,
        Outcome::Unknown(reason) => Solved::Unknown(reason),
        Outcome::Unsat => {
            let reader = Reader { context, terms };
            let told = reader.relations(engine.answer()?, clauses, &places);
            let derivable = derivable(terms, clauses);
            let relations = clauses.relations.iter().zip(told);
            let relations = relations.map(|((relation, _), told)| match told {
                Told::Formula(formula) => formula,
                // What is not mentioned has no use, or can't be.
                Told::Nothing => Some(terms.bool(derivable.contains(relation))),
            });
            Solved::Relations(relations.collect())
        }
    })
}

/// The relations that clauses may derive, as far as their form says.
fn derivable(terms: &Terms, clauses: &Clauses) -> FxHashSet<Function> {
    let relation = |term: Term| match terms.node(term) {
        Node::Apply(function, _) => Some(*function),
        _ => None,
    };
    let mut derivable = FxHashSet::default();
    loop {
        let before = derivable.len();
        for clause in &clauses.clauses {
            let mut needed = clause.body.iter().filter_map(|&part| relation(part));
            if needed.all(|function| derivable.contains(&function)) {
                derivable.extend(clause.head.and_then(relation));
            }
        }
        if derivable.len() == before {
            return derivable;
        }
    }
}

/// What an answer says of a relation.
#[derive(Clone)]
enum Told {
    /// A formula, or one that our terms don't have.
    Formula(Option<Term>),
    Nothing,
}

/// Reads terms of Z3 back.
struct Reader<'z> {
    context: &'z Context,
    terms: &'z Terms,
}

impl<'z> Reader<'z> {
    fn relations(
        &self,
        answer: Ast<'z>,
        clauses: &Clauses,
        places: &FxHashMap<Decl<'z>, usize>,
    ) -> Vec<Told> {
        let mut told = vec![Told::Nothing; clauses.relations.len()];
        let parts = match self.context.shape(answer) {
            Shape::Application(DeclKind::And, _, parts) => parts,
            _ => vec![answer],
        };
        for part in parts {
            let inner = match self.context.shape(part) {
                Shape::ForAll(inner) => inner,
                _ => part,
            };
            let Shape::Application(DeclKind::Eq | DeclKind::Iff, _, sides) =
                self.context.shape(inner)
            else {
                continue;
            };
            let [head, body] = sides[..] else { continue };
            let Shape::Application(_, relation, args) = self.context.shape(head) else {
                continue;
            };
            let Some(&place) = places.get(&relation) else {
                continue;
            };
            let mut values: FxHashMap<u32, Term> = FxHashMap::default();
            for (&arg, &symbol) in args.iter().zip(&clauses.relations[place].1) {
                if let Shape::Bound(index) = self.context.shape(arg) {
                    values.insert(index, self.terms.var(symbol));
                }
            }
            let mut done = FxHashMap::default();
            told[place] = Told::Formula(self.term(body, &values, &mut done));
        }
        told
    }

    /// The term, with values for bound variables. As deep as the answer, which is a set of clauses.
    fn term(
        &self,
        term: Ast<'z>,
        values: &FxHashMap<u32, Term>,
        done: &mut FxHashMap<Ast<'z>, Term>,
    ) -> Option<Term> {
        if let Some(&known) = done.get(&term) {
            return Some(known);
        }
        let terms = self.terms;
        let made = match self.context.shape(term) {
            Shape::Bound(index) => values.get(&index).copied()?,
            Shape::Application(kind, _, args) => {
                if let Some(number) = self.context.int_value(term) {
                    return Some(terms.int(number));
                }
                let args = args.into_iter().map(|arg| self.term(arg, values, done));
                let args = args.collect::<Option<Vec<Term>>>()?;
                self.apply(kind, &args)?
            }
            Shape::ForAll(_) | Shape::Other => return None,
        };
        done.insert(term, made);
        Some(made)
    }

    fn apply(&self, kind: DeclKind, args: &[Term]) -> Option<Term> {
        let terms = self.terms;
        let each = || args.iter().copied();
        let pair = || match *args {
            [a, b] => Some((a, b)),
            _ => None,
        };
        Some(match kind {
            DeclKind::True => terms.bool(true),
            DeclKind::False => terms.bool(false),
            DeclKind::And => terms.and(each()),
            DeclKind::Or => terms.or(each()),
            DeclKind::Not => terms.not(*args.first()?),
            DeclKind::Implies => pair().map(|(a, b)| terms.implies(a, b))?,
            DeclKind::Eq | DeclKind::Iff => pair().map(|(a, b)| self.equal(a, b))?,
            DeclKind::Distinct | DeclKind::Xor => {
                pair().map(|(a, b)| terms.not(self.equal(a, b)))?
            }
            DeclKind::Ite => match *args {
                [condition, then, other] => terms.ite(condition, then, other),
                _ => return None,
            },
            DeclKind::Le => pair().map(|(a, b)| terms.le(a, b))?,
            DeclKind::Lt => pair().map(|(a, b)| terms.lt(a, b))?,
            DeclKind::Ge => pair().map(|(a, b)| terms.ge(a, b))?,
            DeclKind::Gt => pair().map(|(a, b)| terms.gt(a, b))?,
            DeclKind::Add => each().reduce(|a, b| terms.add(a, b))?,
            DeclKind::Mul => each().reduce(|a, b| terms.mul(a, b))?,
            DeclKind::Sub => each().reduce(|a, b| terms.sub(a, b))?,
            DeclKind::Uminus => terms.neg(*args.first()?),
            DeclKind::Idiv | DeclKind::Mod => {
                let (a, b) = pair()?;
                let divisor = terms.as_int(b)?.clone();
                if divisor < crate::num::Int::ONE {
                    return None;
                }
                match kind {
                    DeclKind::Idiv => terms.div(a, divisor),
                    _ => terms.modulo(a, divisor),
                }
            }
            _ => return None,
        })
    }

    fn equal(&self, a: Term, b: Term) -> Term {
        match self.terms.sort(a) {
            crate::term::Sort::Bool => self.terms.iff(a, b),
            _ => self.terms.eq(a, b),
        }
    }
}
