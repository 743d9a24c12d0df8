//! Answers as text.

use std::fmt::Write;

use crate::machine::{MachineState, Run};
use crate::syntax::Program;

/// A run as a table with a column for each process, and what has changed.
pub fn run_text(program: &Program, run: &Run, states: &[MachineState]) -> String {
    let names = program.variables.iter().map(|variable| &variable.name);
    let start = states.first().into_iter().flatten();
    let start = names
        .zip(start)
        .map(|(name, value)| format!("{name} = {value}"));
    let mut text = format!("start: {}\n", start.collect::<Vec<_>>().join(", "));
    let widths: Vec<usize> = (0..program.processes.len())
        .map(|process| {
            let own = program.transitions.iter();
            let own = own.filter(|transition| transition.process == process);
            let names = own.map(|transition| transition.name.chars().count());
            let name = program.processes[process].chars().count();
            names.chain([name]).max().unwrap_or(0)
        })
        .collect();
    let row = |text: &mut String, cell: &dyn Fn(usize) -> String, changed: &str| {
        let cells = widths.iter().enumerate();
        let cells = cells.map(|(process, &width)| format!("{:width$}", cell(process)));
        let line = format!("{} | {changed}", cells.collect::<Vec<_>>().join(" | "));
        let _ = writeln!(text, "{}", line.trim_end());
    };
    row(&mut text, &|process| program.processes[process].clone(), "");
    for (step, (number, _)) in run.steps.iter().enumerate() {
        let transition = &program.transitions[*number];
        let changed = program.variables.iter().enumerate();
        let changed = changed.filter_map(|(variable, of)| {
            let (before, after) = (states.get(step)?, states.get(step + 1)?);
            let is_new = before[variable] != after[variable];
            is_new.then(|| format!("{} = {}", of.name, after[variable]))
        });
        let changed = changed.collect::<Vec<_>>().join(", ");
        let cell = |process: usize| match process == transition.process {
            true => transition.name.clone(),
            false => String::new(),
        };
        row(&mut text, &cell, &changed);
    }
    text
}
