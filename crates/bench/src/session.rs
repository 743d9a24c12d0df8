//! A measurement: every tool on every task, several at a time, each result written down as soon as it is there.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;

use crate::job::{self, Context};
use crate::progress::Progress;
use crate::results::{Key, Recorder, ResultsError, Row};
use crate::tasks::BenchTask;
use crate::tool::Tool;

/// What came of a measurement.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The results, by task and then by tool, in the order in which those were given.
    pub rows: Vec<Row>,
    /// How many runs are missing, because we were stopped.
    pub missing: usize,
}

/// Runs what is not done yet.
///
/// # Errors
///
/// When a result can't be written; what was running is stopped then.
pub fn run(
    context: &Context<'_>,
    tasks: &[BenchTask],
    tools: &[Tool],
    jobs: usize,
    done: Vec<Row>,
    recorder: &mut Recorder,
    progress: &mut Progress<'_>,
) -> Result<Outcome, ResultsError> {
    let mut rows: HashMap<Key, Row> = done.into_iter().map(|row| (row.key(), row)).collect();
    let plan: Vec<(&BenchTask, &Tool)> = tasks
        .iter()
        .flat_map(|task| tools.iter().map(move |tool| (task, tool)))
        .collect();
    let key = |(task, tool): &(&BenchTask, &Tool)| Key {
        task: task.id.clone(),
        engine: tool.name.clone(),
    };
    let todo: Vec<(&BenchTask, &Tool)> = plan
        .iter()
        .filter(|pair| !rows.contains_key(&key(pair)))
        .copied()
        .collect();

    progress.start(plan.len(), todo.len());
    let queue = Mutex::new(todo.into_iter());
    let written = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs.max(1) {
            let (sender, queue) = (sender.clone(), &queue);
            scope.spawn(move || {
                while !context.cancel.load(Ordering::Relaxed) {
                    // A poisoned queue means that another worker panicked; what it took is lost, the rest is as it was.
                    let next = queue
                        .lock()
                        .unwrap_or_else(|poisoned| poisoned.into_inner())
                        .next();
                    let Some((task, tool)) = next else { break };
                    if let Some(row) = job::run(context, task, tool) {
                        let _ = sender.send(row);
                    }
                }
            });
        }
        drop(sender);
        for row in receiver {
            if let Err(error) = recorder.add(&row) {
                context.cancel.store(true, Ordering::Relaxed);
                return Err(error);
            }
            progress.finished(&row);
            rows.insert(row.key(), row);
        }
        Ok(())
    });
    progress.end();
    written?;
    let ordered: Vec<Row> = plan
        .iter()
        .filter_map(|pair| rows.remove(&key(pair)))
        .collect();
    Ok(Outcome {
        missing: plan.len() - ordered.len(),
        rows: ordered,
    })
}
