//! What property files ask: one, or all that a task names.
//!
//! A task's properties are asked together, as far as they can be: the program has the targets of all of them, so it is
//! SAFE if each of them holds, and UNSAFE if one of them doesn't. What can't be asked with the others is named, and not
//! looked at.

use std::path::Path;
use std::sync::Arc;

use rhumb_certify::Verdict;
use rhumb_cfront::{FileMessage, LoadError, PropertyKind, TargetSpec, TaskProperty, load_property};
use rhumb_program::coverage::Wanted;
use rhumb_program::{Checks, Program, TargetKind};
use rhumb_search::{Decision, Outcome};

/// What one property file says, or several together.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) specification: Option<String>,
    pub(crate) entry: Option<String>,
    pub(crate) targets: TargetSpec,
    pub(crate) checks: Checks,
    pub(crate) unsupported: Option<String>,
    /// What tests are wanted for.
    pub(crate) goals: Option<Wanted>,
    /// The properties that are asked for, where a task names several.
    pub(crate) properties: Vec<AskedProperty>,
}

/// One of several properties of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedProperty {
    /// The name of its file, without what all of them end with.
    pub name: String,
    /// Why it is not looked at, if it isn't.
    pub left_out: Option<String>,
    /// What it asks.
    kinds: Vec<PropertyKind>,
}

/// What is known about one of several properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// Whether it holds.
    pub outcome: Outcome,
    /// What is to be said about that.
    pub remark: Option<&'static str>,
}

/// Where one property is violated, the others are known of what happens before.
const BEFORE: &str = "up to a violation of another property";

impl AskedProperty {
    /// Whether something that must not be reached is a matter of this property.
    fn concerns(&self, target: &TargetKind) -> bool {
        self.kinds.iter().any(|kind| match (kind, target) {
            (PropertyKind::UnreachCall(name), TargetKind::Call(called)) => **name == **called,
            (PropertyKind::UnreachLabel(_), TargetKind::Label(_)) => true,
            _ => kind.checks().is_some_and(|checks| match target {
                TargetKind::Undefined(kind) => checks.undefined.contains(kind),
                TargetKind::Leak(leak) => checks.leaks.contains(leak),
                TargetKind::Thread(fault) => checks.threads.contains(fault),
                TargetKind::Endless(_) => checks.ending.is_some(),
                _ => false,
            }),
        })
    }

    /// What a decision says about it.
    fn report(&self, program: &Program, decision: &Decision) -> PropertyReport {
        let unknown = |reason: &str| PropertyReport {
            name: self.name.clone(),
            outcome: Outcome::Unknown(reason.to_owned()),
            remark: None,
        };
        if let Some(reason) = &self.left_out {
            return unknown(&format!("not looked at: {reason}"));
        }
        let known = program.targets.iter().zip(&decision.targets);
        let own = known.filter(|(target, _)| self.concerns(&target.kind));
        let own: Vec<&Outcome> = own.map(|(_, outcome)| outcome).collect();
        let is_violated = |outcome: &&&Outcome| matches!(outcome, Outcome::Unsafe);
        let is_open = |outcome: &&&Outcome| matches!(outcome, Outcome::Unknown(_));
        let worst = own.iter().find(is_violated).or(own.iter().find(is_open));
        let outcome = match (worst, &decision.verdict) {
            (Some(&worst), _) => worst.clone(),
            (None, Verdict::Safe(_)) => Outcome::Safe,
            (None, _) if !own.is_empty() => Outcome::Safe,
            // Nothing was proved of it: what the model can't express may be in reach.
            (None, Verdict::Unknown(reason)) => return unknown(reason),
            (None, Verdict::Unsafe(_)) => return unknown("not looked for any further"),
        };
        let remark = match (&outcome, decision.errors.is_empty()) {
            (Outcome::Safe, false) => Some(BEFORE),
            _ => None,
        };
        PropertyReport {
            name: self.name.clone(),
            outcome,
            remark,
        }
    }
}

/// What a decision says about each of several properties.
pub(crate) fn reports(
    properties: &[AskedProperty],
    program: &Program,
    decision: &Decision,
) -> Vec<PropertyReport> {
    let all = properties.iter();
    all.map(|property| property.report(program, decision))
        .collect()
}

/// A line for each property.
pub(crate) fn text(reports: &[PropertyReport], why: &dyn Fn(&str) -> String) -> String {
    let line = |report: &PropertyReport| {
        let name = &report.name;
        let outcome = match &report.outcome {
            Outcome::Safe => "SAFE".to_owned(),
            Outcome::Unsafe => "UNSAFE".to_owned(),
            // That stays so, whatever ends the work.
            Outcome::Unknown(reason) if reason.starts_with("not looked at") => {
                format!("UNKNOWN ({reason})")
            }
            Outcome::Unknown(reason) => format!("UNKNOWN ({})", why(reason)),
        };
        let remark = report.remark.map(|remark| format!(" ({remark})"));
        format!("property {name}: {outcome}{}\n", remark.unwrap_or_default())
    };
    reports.iter().map(line).collect()
}

/// What one property file asks.
pub(crate) fn read(path: &Path) -> Result<Asked, LoadError> {
    let properties = load_property(path)?;
    let mut asked = Asked {
        specification: std::fs::read_to_string(path).ok(),
        targets: TargetSpec::Nothing,
        ..Asked::default()
    };
    for property in properties {
        asked.entry.get_or_insert(property.entry);
        if !asked.add(&property.kind) {
            let name = property.kind.name().to_owned();
            asked.unsupported.get_or_insert(name);
        }
    }
    Ok(asked)
}

/// What a property file wants tests for.
pub(crate) fn read_goals(path: &Path) -> Result<Asked, LoadError> {
    let name = path.to_string_lossy();
    let mut asked = Asked {
        targets: TargetSpec::Goals,
        ..Asked::default()
    };
    for property in load_property(path)? {
        let refused = |message: &str| FileMessage::new(&*name, property.line, 0, message);
        let PropertyKind::Coverage(query) = &property.kind else {
            let message = "this asks for a verdict, not for tests: `rhumb check` takes it";
            return Err(refused(message).into());
        };
        if asked.goals.is_some() {
            return Err(refused("tests are made for one set of goals at a time").into());
        }
        asked.goals = Some(Wanted::of_query(query).map_err(|message| refused(&message))?);
        asked.entry = Some(property.entry);
    }
    Ok(asked)
}

/// What the properties of a task ask: together, as far as they can be decided. If none can, what the first one asks.
pub(crate) fn of_task(properties: &[TaskProperty]) -> Result<Option<Asked>, LoadError> {
    let (first, several) = match properties {
        [] => return Ok(None),
        [only] => return read(&only.property_file).map(Some),
        [first, ..] => (first, properties),
    };
    let mut all: Option<Asked> = None;
    let mut listed: Vec<AskedProperty> = Vec::new();
    for property in several {
        let path = &property.property_file;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut one = AskedProperty {
            name: name.into_owned(),
            left_out: None,
            kinds: Vec::new(),
        };
        match (read(path), load_property(path)) {
            (Ok(asked), Ok(kinds)) => {
                one.kinds = kinds.into_iter().map(|property| property.kind).collect();
                one.left_out = match &mut all {
                    _ if asked.unsupported.is_some() => Some("it can't be decided".to_owned()),
                    _ if asked.checks.ending.is_some() => {
                        Some("it is a question by itself (--property)".to_owned())
                    }
                    None => {
                        all = Some(asked);
                        None
                    }
                    Some(all) => all.join(asked),
                };
            }
            _ => one.left_out = Some("its file can't be read".to_owned()),
        }
        listed.push(one);
    }
    match all {
        Some(asked) => Ok(Some(Asked {
            properties: listed,
            ..asked
        })),
        None => read(&first.property_file).map(Some),
    }
}

impl Asked {
    /// Asks for one thing more. Says whether it can be.
    fn add(&mut self, kind: &PropertyKind) -> bool {
        let targets = match kind {
            PropertyKind::UnreachCall(function) => TargetSpec::Call(Arc::from(&**function)),
            PropertyKind::UnreachLabel(label) => TargetSpec::Label(Arc::from(&**label)),
            other => {
                let checks = other.checks();
                checks.iter().for_each(|checks| self.checks.add(checks));
                return checks.is_some();
            }
        };
        let is_first = self.targets == TargetSpec::Nothing;
        if is_first {
            self.targets = targets;
        }
        is_first
    }

    /// Asks for more; or says why that can't be asked together.
    fn join(&mut self, other: Asked) -> Option<String> {
        if self.entry != other.entry {
            return Some("it asks about another start of the program".to_owned());
        }
        if other.targets != TargetSpec::Nothing {
            if self.targets != TargetSpec::Nothing && self.targets != other.targets {
                return Some("another property says what must not be reached".to_owned());
            }
            self.targets = other.targets;
        }
        self.checks.add(&other.checks);
        if let Some(more) = other.specification {
            let text = self.specification.get_or_insert_default();
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&more);
        }
        None
    }
}
