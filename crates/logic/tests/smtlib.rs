//! Logs and exported formulas, read again by a solver that knows nothing of our terms.

mod random;

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use random::{Formula, Variables, formula};
use rhumb_logic::session::smtlib;
use rhumb_logic::term::{FunctionInfo, RelationInfo};
use rhumb_logic::{Answer, Budget, Int, Op, Rat, Session, SessionOptions, Sort, Terms};
use z3_sys::*;

/// What Z3 prints for a script.
fn run(script: &str) -> Vec<String> {
    let script = CString::new(script).expect("text without zeros");
    // SAFETY: context and configuration are made here and deleted once; the output is copied before that.
    let output = unsafe {
        let config = Z3_mk_config().expect("a configuration");
        let context = Z3_mk_context(config).expect("a context");
        Z3_set_error_handler(context, None);
        let output = Z3_eval_smtlib2_string(context, script.as_ptr());
        let output = CStr::from_ptr(output).to_string_lossy().into_owned();
        Z3_del_context(context);
        Z3_del_config(config);
        output
    };
    output.lines().map(str::to_owned).collect()
}

/// A place to write to that can be read afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic while writing").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn budget() -> Budget {
    Budget::time(Duration::from_secs(30))
}

fn name(answer: &Answer) -> String {
    match answer {
        Answer::Sat(_) => "sat".into(),
        Answer::Unsat(_) => "unsat".into(),
        Answer::Unknown(_) => "unknown".into(),
    }
}

#[derive(Clone, Debug)]
enum Step {
    Push,
    Pop,
    Assert(Formula),
    Check,
    Assume(Vec<Formula>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Push),
        2 => Just(Step::Pop),
        4 => formula().prop_map(Step::Assert),
        3 => Just(Step::Check),
        3 => proptest::collection::vec(formula(), 1..4).prop_map(Step::Assume),
    ];
    proptest::collection::vec(step, 5..30)
}

#[test]
fn a_log_can_be_replayed() {
    let seen = RefCell::new([0u32; 2]);
    let mut runner = TestRunner::new(Config {
        cases: 100,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&(steps(), 0usize..5), |(steps, silent)| {
        let terms = Arc::new(Terms::new());
        let vars = Variables::new(&terms);
        let mut session = Session::new(Arc::clone(&terms), SessionOptions::default());
        session.assert(vars.range(&terms));
        let log = Shared::default();
        let mut answers = Vec::new();
        for (place, step) in steps.iter().enumerate() {
            // Switched on in the middle, it begins with what is asserted by then.
            if place == silent {
                session.log_to(log.clone());
                answers.clear();
            }
            match step {
                Step::Push => session.push(),
                Step::Pop => session.pop(),
                Step::Assert(formula) => session.assert(formula.term(&terms, &vars)),
                Step::Check => answers.push(session.check(&budget())),
                Step::Assume(formulas) => {
                    let formulas: Vec<_> = formulas.iter().map(|f| f.term(&terms, &vars)).collect();
                    answers.push(session.check_assuming(&formulas, &budget()));
                }
            }
        }
        prop_assert!(session.end_log().is_ok());
        let script = String::from_utf8(log.0.lock().expect("written").clone()).expect("ASCII");
        let again = run(&script);
        let answers: Vec<String> = answers.iter().map(name).collect();
        prop_assert_eq!(&again, &answers, "{}", script);
        let comments = script.lines().filter_map(|line| line.strip_prefix("; "));
        let comments = comments
            .filter_map(|line| line.split_once(" after "))
            .map(|(a, _)| a);
        prop_assert_eq!(comments.collect::<Vec<_>>(), answers.clone());
        let mut seen = seen.borrow_mut();
        for answer in answers {
            seen[usize::from(answer == "sat")] += 1;
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let [unsat, sat] = seen.into_inner();
    println!("{sat} sat, {unsat} unsat");
    assert!(sat >= 100 && unsat >= 100);
}

/// A term of every operation, compared with the solver's own reading of the text: both see the same constraints.
#[test]
fn every_operation_can_be_exported() {
    let t = Arc::new(Terms::new());
    let word = |name: &str| t.fresh(name, Sort::BitVec(8));
    let (a, b) = (word("a"), word("b"));
    let (x, y) = (t.fresh("x", Sort::Int), t.fresh("y", Sort::Int));
    let (u, v) = (t.fresh("u", Sort::Real), t.fresh("v", Sort::Real));
    let float = Sort::Float(5, 11);
    let (f, g) = (t.fresh("f", float), t.fresh("g", float));
    let Sort::Array(numbers) = t.array_sort(Sort::Int, Sort::BitVec(8)) else {
        panic!("an array sort")
    };
    let array = t.fresh("array", Sort::Array(numbers));
    let words = [
        Op::BvAdd,
        Op::BvSub,
        Op::BvMul,
        Op::BvUdiv,
        Op::BvUrem,
        Op::BvSdiv,
        Op::BvSrem,
        Op::BvAnd,
        Op::BvOr,
        Op::BvXor,
        Op::BvShl,
        Op::BvLshr,
        Op::BvAshr,
        Op::BvUlt,
        Op::BvUle,
        Op::BvSlt,
        Op::BvSle,
        Op::BvConcat,
    ];
    let word_to = [
        Op::BvToInt,
        Op::BvToIntSigned,
        Op::BvNeg,
        Op::BvNot,
        Op::BvExtract(5, 2),
        Op::BvZeroExtend(3),
        Op::BvSignExtend(3),
        Op::ConstArray(numbers),
        Op::FpFromBits(3, 5),
        Op::FpFromSigned(5, 11),
        Op::FpFromUnsigned(5, 11),
    ];
    let floats = [
        Op::FpAdd,
        Op::FpSub,
        Op::FpMul,
        Op::FpDiv,
        Op::FpEq,
        Op::FpLt,
        Op::FpLe,
    ];
    let float_to = [
        Op::FpNeg,
        Op::FpIsNan,
        Op::FpToFp(8, 24),
        Op::FpToSigned(8),
        Op::FpToUnsigned(8),
    ];
    let mut all = Vec::new();
    all.extend(words.map(|op| t.op(op, [a, b])));
    all.extend(word_to.map(|op| t.op(op, [a])));
    all.extend(floats.map(|op| t.op(op, [f, g])));
    all.extend(float_to.map(|op| t.op(op, [f])));
    all.extend([Op::IntDiv, Op::IntMod].map(|op| t.op(op, [x, y])));
    all.extend([Op::RealAdd, Op::RealMul, Op::RealLe].map(|op| t.op(op, [u, v])));
    all.extend([
        t.op(Op::ToReal, [x]),
        t.op(Op::Floor, [u]),
        t.op(Op::IntToBv(8), [x]),
        t.op(Op::Select, [array, x]),
        t.op(Op::Store, [array, x, a]),
        t.real(Rat::from_parts((-7).into(), 3u8.into())),
        t.int(-(Int::ONE << 200usize)),
    ]);
    let function = t.function(FunctionInfo {
        name: "a function (of two)".into(),
        params: [Sort::Int, Sort::BitVec(8)].into(),
        result: Sort::Int,
    });
    all.push(t.apply(function, [x, a]));
    let mut session = Session::new(Arc::clone(&t), SessionOptions::default());
    for term in all {
        let result = t.fresh("1st |odd\\ name", t.sort(term));
        let equal = t.eq(result, term);
        assert!(
            session.check_assuming(&[equal], &budget()).is_sat(),
            "{term:?}"
        );
        assert_eq!(
            run(&smtlib(&t, &[equal])),
            ["sat"],
            "{}",
            smtlib(&t, &[equal])
        );
        let both = [equal, t.ne(result, term)];
        assert_eq!(run(&smtlib(&t, &both)), ["unsat"]);
    }
}

#[test]
fn exported_formulas_have_the_same_answers() {
    let seen = RefCell::new([0u32; 2]);
    let mut runner = TestRunner::new(Config {
        cases: 200,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&proptest::collection::vec(formula(), 0..7), |formulas| {
        let terms = Arc::new(Terms::new());
        let vars = Variables::new(&terms);
        let mut all = vec![vars.range(&terms)];
        all.extend(formulas.iter().map(|formula| formula.term(&terms, &vars)));
        let holds = random::points().any(|point| formulas.iter().all(|f| f.eval(&point)));
        let expected = if holds { "sat" } else { "unsat" };
        prop_assert_eq!(run(&smtlib(&terms, &all)), [expected]);
        seen.borrow_mut()[usize::from(holds)] += 1;
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(seen.into_inner().into_iter().all(|count| count >= 50));
}

/// A tree of 2^60 nodes as a graph of sixty, and a relation.
#[test]
fn the_text_is_linear_in_the_graph() {
    let t = Terms::new();
    let mut sum = t.fresh("x", Sort::Int);
    for _ in 0..60 {
        sum = t.ite(
            t.lt(sum, t.int(100)),
            t.add(sum, t.int(1)),
            t.sub(sum, t.int(7)),
        );
    }
    let param = t.symbol("p", Sort::Int);
    let relation = t.relation(RelationInfo {
        name: "positive".into(),
        params: [param].into(),
        body: t.lt(t.int(0), t.var(param)),
    });
    let text = smtlib(&t, &[t.call(relation, [sum])]);
    assert!(text.len() < 60 * 200, "{}", text.len());
    assert_eq!(run(&text), ["sat"]);
}

#[test]
fn a_log_that_cannot_be_written_is_told() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let terms = Arc::new(Terms::new());
    let mut session = Session::new(Arc::clone(&terms), SessionOptions::default());
    session.log_to(Full);
    session.assert(terms.fresh("p", Sort::Bool));
    assert!(session.check(&budget()).is_sat());
    assert!(session.end_log().is_err());
    assert!(session.end_log().is_ok(), "it has ended");
}
