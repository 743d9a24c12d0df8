//! Tests for parts of a program, or proofs that there are none.

use std::borrow::Cow;
use std::fmt::Write;

use rhumb_program::Program;
use rhumb_program::coverage::{self, Goal, Unfolded, Wanted};
use rhumb_program::interp::{Machine, Outcome, RunLimits};
use rhumb_report::suite::{self, Given, GoalState, Row, SuiteAbout};
use rhumb_report::witness::About;
use rhumb_search::cover::{CoverObserver, Status, Suite, ends_well};

use crate::check::Options;
use crate::evidence::{NoEvidence, read, single_file, time_of};
use crate::input::Input;

/// What was found.
#[derive(Debug)]
pub struct Coverage<'i> {
    input: &'i Input,
    /// The program that tests are made for: as it was read, or another one with the same runs.
    program: Cow<'i, Program>,
    wanted: Wanted,
    /// What was asked for.
    pub goals: Vec<Goal>,
    /// What is known of it.
    pub suite: Suite,
    /// What was left out, and why.
    left_out: Vec<String>,
}

/// Looks for tests. The input has to be one that was read for that ([`Question::goals`](crate::Question::goals));
/// otherwise it has no goals but statements.
pub fn cover<'i>(
    input: &'i Input,
    wanted: &Wanted,
    options: &Options,
    observer: &mut dyn CoverObserver,
) -> Coverage<'i> {
    let end = u32::try_from(input.text.len()).unwrap_or(u32::MAX);
    let mut left_out = Vec::new();
    let (program, goals) = match wanted {
        Wanted::DecidingConditions => {
            let Unfolded {
                program,
                goals,
                left_out: decisions,
            } = coverage::unfold(&input.program, end);
            left_out.extend(decisions.into_iter().map(|decision| {
                let place = program.sources.position(decision);
                let (file, line) = (place.file, place.line);
                format!("{file}:{line}: there are too many ways through this decision")
            }));
            (Cow::Owned(program), goals)
        }
        _ => {
            let goals = coverage::goals(&input.program, wanted, end);
            (Cow::Borrowed(&input.program), goals)
        }
    };
    let suite = rhumb_search::cover::cover(
        &program,
        &goals,
        options.engine,
        options.preset,
        &options.budget,
        observer,
    );
    Coverage {
        input,
        program,
        wanted: wanted.clone(),
        goals,
        suite,
        left_out,
    }
}

/// What is said of a test that needs values that no function gives.
const UNINITIALISED: &str = "; depends on uninitialised values";

/// Steps that a test is run for to write its inputs down.
const STEPS: u64 = 2_000_000;

impl Coverage<'_> {
    /// What is known of each goal.
    pub fn rows(&self) -> Vec<Row> {
        let program = &*self.program;
        let states = self.goals.iter().zip(&self.suite.goals).enumerate();
        let rows = states.map(|(number, (goal, status))| {
            let place = program.sources.position(goal.span);
            let state = match status {
                Status::Covered => {
                    let tests = self.suite.tests.iter().enumerate();
                    let covering = tests.filter(|(_, test)| test.covers.contains(&number));
                    GoalState::Covered(covering.map(|(index, _)| index + 1).collect())
                }
                Status::Unreachable(_) => GoalState::Unreachable,
                Status::Open(reason) => GoalState::Open(reason.clone()),
            };
            Row {
                file: place.file.to_string(),
                line: place.line,
                column: place.column,
                what: goal.describe(program),
                state,
            }
        });
        rows.collect()
    }

    /// One line that says how far it goes.
    pub fn summary(&self) -> String {
        let [covered, unreachable, open] = self.suite.count();
        format!(
            "{covered} of {} {} covered by {}, {unreachable} proved unreachable, {open} open",
            self.goals.len(),
            self.wanted,
            match self.suite.tests.len() {
                1 => "1 test".to_owned(),
                tests => format!("{tests} tests"),
            }
        )
    }

    /// For people: what is not covered, and the summary as the last line.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for row in self.rows() {
            let Row {
                file, line, what, ..
            } = &row;
            let _ = match &row.state {
                GoalState::Covered(_) => Ok(()),
                GoalState::Unreachable => writeln!(text, "unreachable: {file}:{line}: {what}"),
                GoalState::Open(reason) => writeln!(text, "open: {file}:{line}: {what} ({reason})"),
            };
        }
        for left_out in &self.left_out {
            let _ = writeln!(text, "left out: {left_out}");
        }
        let _ = writeln!(text, "coverage: {}", self.summary());
        text
    }

    /// How many tests depend on values that no function gives, and that are not in the files of a suite: compiled code
    /// may do something else.
    pub fn incomplete(&self) -> usize {
        let tests = self.tests();
        let incomplete = tests.iter().filter(|(_, end)| end.ends_with(UNINITIALISED));
        incomplete.count()
    }

    /// The inputs of each test in the order in which the program asks for them, and what a test does beside or instead of coming to an end.
    fn tests(&self) -> Vec<(Vec<Given>, String)> {
        let machine = Machine::compile(&self.program);
        let limits = RunLimits {
            steps: STEPS,
            ..RunLimits::default()
        };
        let tests = self.suite.tests.iter().map(|test| {
            let most = match ends_well(test) {
                true => u64::MAX,
                false => test.needs,
            };
            let (given, is_all) = suite::in_order(&machine, &test.inputs, most, &limits);
            let mut end = match &test.outcome {
                Outcome::Undefined(fault) => {
                    format!("undefined: {}", fault.describe(&self.program))
                }
                Outcome::Exit(status) => format!("exit {status}"),
                Outcome::Abort => "abort".to_owned(),
                Outcome::AssumptionFailed => "assumption failed".to_owned(),
                _ => "no end found".to_owned(),
            };
            if !is_all {
                end.push_str(UNINITIALISED);
            }
            (given, end)
        });
        tests.collect()
    }

    /// The suite as files for the competition on testing: names and contents.
    pub fn test_comp(&self, version: &str) -> Result<Vec<(String, String)>, NoEvidence> {
        let input = self.input;
        let path = single_file(input, "a suite")?;
        let file = read(path).map_err(NoEvidence)?;
        let about = SuiteAbout {
            task: About {
                file_name: &path.to_string_lossy(),
                file: &file,
                specification: &self.specification(),
                version,
                time: time_of(path),
            },
            entry: &input.options.entry,
            data_model: input.program.data_model,
        };
        let mut files = vec![("metadata.xml".to_owned(), suite::metadata(&about))];
        for (index, (given, _)) in self.tests().iter().enumerate() {
            let text = suite::test_case(&input.program, given);
            files.push((format!("test-{}.xml", index + 1), text));
        }
        Ok(files)
    }

    /// The suite as C code, with a Makefile that compiles, runs and measures it: names and contents.
    pub fn c_files(&self) -> Result<Vec<(String, String)>, NoEvidence> {
        let input = self.input;
        let path = single_file(input, "a suite")?;
        let path = std::path::absolute(path).map_err(NoEvidence::because)?;
        let tests = self.tests();
        let is_narrow = input.program.data_model == rhumb_program::DataModel::Ilp32;
        let files = [path.display().to_string()];
        let makefile = suite::makefile(&files, tests.len(), is_narrow);
        let mut files = vec![("Makefile".to_owned(), makefile)];
        for (index, (given, _)) in tests.iter().enumerate() {
            let text = suite::test_harness(&input.program, &input.text, given);
            files.push((format!("test-{}.c", index + 1), text));
        }
        Ok(files)
    }

    /// The suite as tables: names and contents.
    pub fn tables(&self) -> Vec<(String, String)> {
        let tests = self.tests().into_iter().map(|(given, end)| {
            let values = given.iter().map(Given::value).collect();
            (values, end)
        });
        let tests: Vec<(Vec<String>, String)> = tests.collect();
        vec![
            ("goals.csv".to_owned(), suite::goals_table(&self.rows())),
            ("tests.csv".to_owned(), suite::tests_table(&tests)),
        ]
    }

    /// The source text with what is known of each line, as a page.
    pub fn page(&self) -> String {
        let files = self.input.files.iter();
        let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let title = format!("Coverage of {}", files.join(", "));
        suite::page(&title, &self.summary(), &self.rows())
    }

    /// The same for a terminal.
    pub fn source(&self, in_colour: bool) -> String {
        suite::text(&self.rows(), in_colour)
    }

    /// What the tests are for, in the words of a property file.
    fn specification(&self) -> String {
        let entry = &self.input.options.entry;
        let edges = match &self.wanted {
            Wanted::Branches => "@DECISIONEDGE".to_owned(),
            Wanted::Statements => "@BASICBLOCKENTRY".to_owned(),
            Wanted::Conditions => "@CONDITIONEDGE".to_owned(),
            Wanted::DecidingConditions => "@DECIDINGCONDITION".to_owned(),
            Wanted::Calls(name) => format!("@CALL({name})"),
            Wanted::Labels => "@LABEL".to_owned(),
        };
        format!("COVER( init({entry}()), FQL(COVER EDGES({edges})) )")
    }
}
