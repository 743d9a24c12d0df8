//! Queries that go beyond their budget: each ends soon after, and the session goes on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rhumb_logic::{
    Answer, Budget, Int, Op, Session, SessionOptions, Sort, Term, Terms, Unknown, Work,
};

/// These tests measure time and memory of the process: one after the other.
static ALONE: Mutex<()> = Mutex::new(());

/// Far less than these queries take if nobody ends them.
const BUSY: Duration = Duration::from_secs(10);

struct Fixture {
    terms: Arc<Terms>,
    session: Session,
    x: Term,
}

/// A session that has already answered, with something asserted on two levels.
fn fixture() -> Fixture {
    let terms = Arc::new(Terms::new());
    let options = SessionOptions {
        patience: Duration::from_secs(10),
        ..SessionOptions::default()
    };
    let mut session = Session::new(Arc::clone(&terms), options);
    let x = terms.fresh("x", Sort::Int);
    session.assert(terms.lt(terms.int(3), x));
    session.push();
    session.assert(terms.lt(x, terms.int(7)));
    assert!(session.check(&Budget::unlimited()).is_sat());
    Fixture { terms, session, x }
}

impl Fixture {
    /// Asks about a formula on a level of its own, and makes sure that the answer comes within twice the limit, and
    /// what a busy machine may add.
    fn ask(&mut self, formula: Term, budget: &Budget, limit: Duration) -> Unknown {
        self.session.push();
        self.session.assert(formula);
        let start = Instant::now();
        let answer = self.session.check(budget);
        let time = start.elapsed();
        assert!(
            time <= limit * 2 + BUSY,
            "{time:?} with a limit of {limit:?}"
        );
        self.session.pop();
        match answer {
            Answer::Unknown(unknown) => unknown,
            other => panic!("this was to be too hard: {other:?}"),
        }
    }

    /// Nothing was lost, nothing is left over.
    fn goes_on(&mut self) {
        let budget = Budget::time(Duration::from_secs(20));
        let terms = &self.terms;
        assert_eq!(self.session.level(), 1);
        let five = terms.eq(self.x, terms.int(5));
        assert_eq!(self.session.is_sat(&[five], &budget), Some(true));
        assert_eq!(
            self.session
                .is_sat(&[terms.eq(self.x, terms.int(7))], &budget),
            Some(false)
        );
        self.session.pop();
        assert_eq!(
            self.session
                .is_sat(&[terms.eq(self.x, terms.int(7))], &budget),
            Some(true)
        );
        assert_eq!(
            self.session
                .is_sat(&[terms.eq(self.x, terms.int(3))], &budget),
            Some(false)
        );
    }
}

/// Sums of three cubes: a search without end that listens.
fn cubes(terms: &Terms) -> Term {
    let cube = |name: &str| {
        let v = terms.fresh(name, Sort::Int);
        terms.mul(v, terms.mul(v, v))
    };
    let sum = terms.add(cube("a"), terms.add(cube("b"), cube("c")));
    terms.eq(sum, terms.int(114))
}

/// A product of wide bit-vectors: taken apart bit by bit, in one go that doesn't listen, with more and more memory.
fn wide_product(terms: &Terms, width: u32) -> Term {
    let [a, b] = ["a", "b"].map(|name| terms.fresh(name, Sort::BitVec(width)));
    terms.eq(terms.op(Op::BvMul, [a, b]), terms.op(Op::BvUdiv, [b, a]))
}

#[test]
fn time() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fixture = fixture();
    let limit = Duration::from_millis(300);
    let hard = cubes(&fixture.terms);
    assert_eq!(
        fixture.ask(hard, &Budget::time(limit), limit),
        Unknown::Timeout
    );
    assert_eq!(fixture.session.statistics().interrupted, 1);
    assert_eq!(fixture.session.statistics().abandoned, 0);
    fixture.goes_on();
}

#[test]
fn units() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fixture = fixture();
    let hard = cubes(&fixture.terms);
    let limit = Duration::from_secs(60);
    let budget = Budget::time(limit).with_units(20_000);
    assert_eq!(fixture.ask(hard, &budget, limit), Unknown::Units);
    assert_eq!(fixture.session.statistics().interrupted, 0);
    fixture.goes_on();
}

#[test]
fn work() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fixture = fixture();
    let hard = cubes(&fixture.terms);
    let limit = Duration::from_secs(60);
    let before = Work::so_far();
    let budget = Budget::time(limit).within(Work::millis(20));
    assert_eq!(fixture.ask(hard, &budget, limit), Unknown::Units);
    assert!(budget.is_spent());
    assert!(!budget.is_over(), "the clock has nothing to do with it");
    let done = Work::since(before);
    assert!(
        done >= Work::millis(20) && done < Work::millis(60),
        "{done:?}"
    );
    assert_eq!(fixture.session.statistics().interrupted, 0);
    assert_eq!(rhumb_logic::session::ended_by_clock(), 0);
    fixture.goes_on();
}

#[test]
fn the_same_work_every_time() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        let before = Work::so_far();
        let mut fixture = fixture();
        let hard = cubes(&fixture.terms);
        let budget = Budget::unlimited().within(Work::millis(20));
        let limit = Duration::from_secs(60);
        assert_eq!(fixture.ask(hard, &budget, limit), Unknown::Units);
        fixture.goes_on();
        Work::since(before)
    };
    assert_eq!(work(), work());
}

#[test]
fn parts_of_a_run_are_parts_of_its_work() {
    let whole = Budget::time(Duration::from_secs(80));
    assert_eq!(whole.left(), Some(Work::secs(80)));
    assert_eq!(whole.part(4).left(), Some(Work::secs(20)));
    let part = whole.within(Work::secs(30));
    Work::secs(20).count();
    assert_eq!(part.left(), Some(Work::secs(10)));
    assert_eq!(whole.part(2).left(), Some(Work::secs(30)));
    assert_eq!(part.part(2).left(), Some(Work::secs(5)));
    Work::secs(1000).count();
    assert!(part.is_spent());
    assert!(!whole.is_spent(), "only the clock ends a run");
    assert_eq!(whole.left(), Some(Work::secs(10)), "some is always left");
    assert_eq!(Budget::unlimited().part(2).left(), None);
}

#[test]
fn a_query_that_ignores_interrupts() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fixture = fixture();
    // Z3 reads long numbers digit by digit, in quadratic time.
    let long = Int::from(10).pow(500_000) + Int::ONE;
    let y = fixture.terms.fresh("y", Sort::Int);
    let hard = fixture.terms.eq(fixture.terms.scale(long, fixture.x), y);
    let limit = Duration::from_millis(300);
    assert_eq!(
        fixture.ask(hard, &Budget::time(limit), limit),
        Unknown::Abandoned
    );
    assert_eq!(fixture.session.statistics().abandoned, 1);
    fixture.goes_on();
    assert_eq!(fixture.session.statistics().rebuilt, 1);
}

#[test]
fn a_memory_hog() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fixture = fixture();
    let hard = wide_product(&fixture.terms, 4096);
    let limit = Duration::from_secs(20);
    let mut budget = Budget::time(limit);
    budget.memory = Some(64 << 20);
    assert_eq!(fixture.ask(hard, &budget, limit), Unknown::Memory);
    assert_eq!(
        fixture.session.statistics().abandoned,
        0,
        "it was stopped for good"
    );
    fixture.goes_on();
    assert_eq!(fixture.session.statistics().rebuilt, 1);
}

#[test]
fn cancellation() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fixture = fixture();
    let hard = cubes(&fixture.terms);
    let wait = Duration::from_millis(150);
    let budget = Budget::unlimited();
    let flag = budget.cancel.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(wait);
        flag.cancel();
    });
    assert_eq!(fixture.ask(hard, &budget, wait), Unknown::Cancelled);
    canceller.join().expect("it only sleeps");
    fixture.goes_on();
}

#[test]
fn interrupted_while_translating() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fixture = fixture();
    let terms = Arc::clone(&fixture.terms);
    let mut sum = fixture.x;
    for _ in 0..100_000 {
        let other = terms.fresh("y", Sort::Int);
        sum = terms.ite(terms.lt(sum, other), terms.add(sum, terms.int(1)), other);
    }
    let hard = terms.lt(sum, terms.int(0));
    let limit = Duration::from_millis(100);
    assert_eq!(
        fixture.ask(hard, &Budget::time(limit), limit),
        Unknown::Timeout
    );
    assert_eq!(fixture.session.statistics().rebuilt, 0);
    fixture.goes_on();
}
