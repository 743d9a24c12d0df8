//! Random loops, with jumps and without: the same run, block by block.

use std::fmt::Write;

use rhumb_encode::BlockEdgeId;
use rhumb_logic::{Int, Value};
use rhumb_program::interp::{Machine, Outcome, RunLimits};

use super::*;
use crate::runs::Taken;

const CASES: u64 = 700;

/// Runs that are longer are not compared.
const MAX_BLOCKS: usize = 200_000;

/// Writes loops that inputs at the start decide on.
struct Writer {
    random: Random,
    loops: usize,
}

const VARS: [&str; 4] = ["a", "b", "c", "d"];

impl Writer {
    fn program(mut self) -> String {
        let mut text = String::from("int main(void) {\n");
        for (place, var) in VARS.iter().enumerate() {
            let ty = self
                .random
                .pick(&["int", "int", "unsigned", "unsigned char", "long"]);
            let value = match place {
                0 => "__VERIFIER_nondet_int()".to_owned(),
                1 => "__VERIFIER_nondet_uchar()".to_owned(),
                _ => self.random.below(10).to_string(),
            };
            let _ = writeln!(text, "  {ty} {var} = {value};");
        }
        let body = self.statements(3, 3);
        text.push_str(&body);
        // Everything is live to the end.
        text.push_str(
            "  if ((unsigned)a + (unsigned)b + (unsigned)c + (unsigned)d != 77) reach_error();\n",
        );
        text.push_str("  return 0;\n}\n");
        text
    }

    fn statements(&mut self, depth: u32, most: u64) -> String {
        let count = 1 + self.random.below(most);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> String {
        let var = self.random.pick(&VARS);
        let other = self.random.pick(&VARS);
        if depth > 0 && self.random.chance(45) {
            let body = self.statements(depth - 1, 3);
            let counter = format!("i{}", self.loops);
            self.loops += 1;
            let step = self.random.pick(&[1, 1, 1, 2, 3, 5]);
            let length = self.random.pick(&[3, 7, 12, 30, 60]) * step;
            let bound = match self.random.below(4) {
                0 => format!("({other} & 31)"),
                _ => length.to_string(),
            };
            return match self.random.below(3) {
                0 => format!(
                    "for (unsigned {counter} = 0; {counter} < {bound}; {counter} += {step}) {{\n{body}}}\n"
                ),
                1 => format!(
                    "for (int {counter} = {length}; {counter} > 0; {counter} -= {step}) {{\n{body}}}\n"
                ),
                _ => format!(
                    "for (int {counter} = 0; {counter} != {length}; {counter} += {step}) {{\n{body}}}\n"
                ),
            };
        }
        if depth > 0 && self.random.chance(30) {
            let condition = self.condition();
            let (then, other) = (self.statement(depth - 1), self.statement(depth - 1));
            return format!("if ({condition}) {{\n{then}}} else {{\n{other}}}\n");
        }
        let number = self.random.within(-7, 7);
        match self.random.below(12) {
            0 => format!("{var} = {number};\n"),
            1 => format!("{var} = {other};\n"),
            2 => format!("{var} = {other} + {number};\n"),
            3 => format!("{var} = {other} / 3;\n"),
            4 => format!("{var} = ({var} & 255) + {other} % 4;\n"),
            5 => format!("{var}--;\n"),
            _ => format!("{var} += {number};\n"),
        }
    }

    fn condition(&mut self) -> String {
        let (var, other) = (self.random.pick(&VARS), self.random.pick(&VARS));
        let number = self.random.within(-3, 40);
        match self.random.below(6) {
            0 => format!("{var} % 2 == 0"),
            1 => format!("{var} % 3 == 1"),
            2 => format!("{var} == {number}"),
            3 => format!("{var} != {other}"),
            4 => format!("{var} < {other}"),
            _ => format!("{var} < {number}"),
        }
    }
}

/// The blocks of a run, with jumps written out.
fn written_out(steps: &[Taken], iterations: &mut Vec<Int>, blocks: &mut Vec<BlockEdgeId>) {
    for step in steps {
        match step {
            Taken::Block { edge, .. } => blocks.push(*edge),
            Taken::Jump(jump) => {
                let times = u64::try_from(&jump.times.at(iterations)).expect("not too many");
                for iteration in 0..times {
                    if blocks.len() > 2 * MAX_BLOCKS {
                        return;
                    }
                    iterations.push(Int::from(iteration));
                    written_out(&jump.cycle, iterations, blocks);
                    iterations.pop();
                }
            }
        }
    }
}

#[test]
fn a_run_with_jumps_is_the_run_without() {
    let (mut compared, mut long, mut jumped, mut executed, mut skipped) = (0, 0, 0, 0, 0);
    let mut times = [Duration::ZERO; 2];
    for seed in 0..CASES {
        let writer = Writer {
            random: Random::new(seed),
            loops: 0,
        };
        let text = writer.program();
        let lowered = program(&text);
        let task = Task::new(&lowered);
        // The runs are decided by the state: neither invariants nor summaries are needed.
        let options = OracleOptions {
            summaries: false,
            gas: false,
            preset: Preset::Full,
        };
        let mut oracle = Oracle::new(&task.graph, options, &Budget::time(Duration::ZERO));
        let mut random = Random::new(seed + CASES);
        let (first, second) = (random.within(-20, 40), random.within(0, 60));
        let mut plan = Assignment::default();
        for edge in &task.graph.edges {
            for (symbol, site) in edge.input_sites() {
                let value = if site.index() == 0 { first } else { second };
                plan.insert(symbol, Value::Int(Int::from(value)));
            }
        }
        let runs = [true, false].map(|jumps| {
            let mut tester = Tester::new(&task, jumps);
            let start = Start {
                node: task.graph.entry,
                state: Assignment::default(),
                plan: plan.clone(),
            };
            let begun = Instant::now();
            let trace = tester.run(&mut oracle, start, &Budget::time(Duration::from_secs(20)));
            times[usize::from(!jumps)] += begun.elapsed();
            (trace, tester.statistics())
        });
        let [(with, flew), (without, walked)] = runs;
        if matches!(without.end, End::Effort(_)) || without.steps.len() > MAX_BLOCKS {
            continue;
        }
        // The solver is free to answer the same question differently.
        if flew.queries + walked.queries > 0 {
            continue;
        }
        assert_eq!(with.end, without.end, "{seed}\n{text}");
        let mut blocks = Vec::new();
        written_out(&with.steps, &mut Vec::new(), &mut blocks);
        let expected: Vec<BlockEdgeId> = without
            .steps
            .iter()
            .filter_map(|step| match step {
                Taken::Block { edge, .. } => Some(*edge),
                Taken::Jump(_) => None,
            })
            .collect();
        assert_eq!(blocks, expected, "{seed}\n{text}");
        compared += 1;
        if walked.steps > 24 {
            long += 1;
            jumped += u32::from(flew.jumps > 0);
            executed += flew.steps;
            skipped += walked.steps - flew.steps;
        }
        // Both lead to the same state, by the same inputs, and the interpreter agrees.
        let decoded = [&with, &without].map(|trace| {
            let mut decoder = Decoder::new(&task, Assignment::default()).expect("a start");
            decoder.follow(&trace.steps).expect("inputs");
            (decoder.state(), decoder.finish())
        });
        let [one, two] = decoded;
        assert_eq!(one, two, "{seed}\n{text}");
        let machine = Machine::compile(&lowered);
        let outcome = machine
            .run(&mut one.1.clone(), &RunLimits::default())
            .outcome;
        assert_eq!(
            matches!(outcome, Outcome::Target(_)),
            matches!(with.end, End::Goal(_)),
            "{seed}: {outcome:?}\n{text}"
        );
    }
    println!(
        "{compared} runs compared, {long} of them long, {jumped} with jumps: {executed} blocks executed, {skipped} jumped over; {times:?}"
    );
    assert!(compared > CASES * 9 / 10, "{compared}");
    assert!(jumped * 10 > long * 7, "{jumped} of {long}");
}
