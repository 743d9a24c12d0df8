//! Parts of the source text that tests are wanted for.
//!
//! A [`Goal`] is a set of edges of one function; a run that takes one of them covers it. The edges bear marks of the
//! front end ([`Mark`](crate::Mark)), except for statements, which are lines of the text. [`with_targets`] makes the
//! program in which some goals are targets: a run ends at the first one of them that it covers, and otherwise is the
//! same. So if no target of it can be reached, none of those goals can be covered.

mod independence;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::cfa::{Action, Choice, Edge, EndKind, LocKind};
use crate::ids::{EdgeId, FuncId};
use crate::model::{Function, InputKind, Program, Target, TargetKind};
use crate::span::Span;

pub use independence::{Unfolded, unfold};

/// What tests are wanted for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Both outcomes of every decision, and every case of a `switch`.
    Branches,
    /// Every line on which something is done.
    Statements,
    /// Both outcomes of every operand of a decision.
    Conditions,
    /// Both outcomes of every operand of a decision, each time so that it decides: see [`unfold`].
    DecidingConditions,
    /// Every call of this function.
    Calls(String),
    /// Every label.
    Labels,
}

impl Wanted {
    /// What a word of the command line asks for.
    pub fn parse(word: &str) -> Result<Wanted, String> {
        match (word, word.strip_prefix("calls:")) {
            ("branches", _) => Ok(Wanted::Branches),
            ("statements", _) => Ok(Wanted::Statements),
            ("conditions", _) => Ok(Wanted::Conditions),
            ("mcdc", _) => Ok(Wanted::DecidingConditions),
            ("labels", _) => Ok(Wanted::Labels),
            (_, Some(name)) if !name.is_empty() => Ok(Wanted::Calls(name.to_owned())),
            _ => Err(format!(
                "`{word}` is no set of goals: there are branches, statements, conditions, mcdc, calls:NAME, labels"
            )),
        }
    }
}

impl Wanted {
    /// The goals of a query of the competition on testing: `COVER EDGES(@DECISIONEDGE)`.
    pub fn of_query(query: &str) -> Result<Wanted, String> {
        let edges = query.trim().strip_prefix("COVER");
        let edges = edges.and_then(|rest| rest.trim().strip_prefix("EDGES(")?.strip_suffix(')'));
        let edges = edges.map(str::trim);
        let called = edges.and_then(|edges| edges.strip_prefix("@CALL(")?.strip_suffix(')'));
        match (edges, called) {
            (_, Some(name)) => Ok(Wanted::Calls(name.trim().to_owned())),
            (Some("@DECISIONEDGE"), _) => Ok(Wanted::Branches),
            (Some("@CONDITIONEDGE"), _) => Ok(Wanted::Conditions),
            (Some("@BASICBLOCKENTRY"), _) => Ok(Wanted::Statements),
            _ => Err(format!(
                "no tests can be made for `{query}`: @DECISIONEDGE, @CONDITIONEDGE, @BASICBLOCKENTRY and @CALL(f) are known"
            )),
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wanted::Branches => f.write_str("branches"),
            Wanted::Statements => f.write_str("statements"),
            Wanted::Conditions => f.write_str("conditions"),
            Wanted::DecidingConditions => f.write_str("deciding conditions"),
            Wanted::Calls(name) => write!(f, "calls:{name}"),
            Wanted::Labels => f.write_str("labels"),
        }
    }
}

/// Something that a test is wanted for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// What it is.
    pub kind: GoalKind,
    /// The function that it is in.
    pub function: FuncId,
    /// The text of the decision, condition, call or label, or of the first step of a line.
    pub span: Span,
    /// A run that takes one of these edges covers it.
    pub edges: Vec<EdgeId>,
}

/// Kinds of goal, in the order in which goals of one place are listed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GoalKind {
    /// A decision goes this way.
    Branch(Choice),
    /// A condition has this outcome.
    Condition(bool),
    /// A condition has this outcome, and with the other one the decision could have had another one, too.
    Decides(bool),
    /// A line is executed.
    Statement,
    /// A function is called.
    Call(Arc<str>),
    /// A label is passed.
    Label(Arc<str>),
}

impl Goal {
    /// What it is, in words, with the text that it is about.
    pub fn describe(&self, program: &Program) -> String {
        let text = program.sources.slice(self.span);
        let text = String::from_utf8_lossy(text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match &self.kind {
            GoalKind::Branch(Choice::True) => format!("`{text}` is true"),
            GoalKind::Branch(Choice::False) => format!("`{text}` is false"),
            GoalKind::Branch(Choice::Case) => format!("`{text}` is taken"),
            GoalKind::Branch(Choice::Default) => format!("`{text}` is no case"),
            GoalKind::Condition(holds) => format!("condition `{text}` is {holds}"),
            GoalKind::Decides(holds) => format!("condition `{text}` is {holds} and decides"),
            GoalKind::Statement => "line is executed".to_owned(),
            GoalKind::Call(name) => format!("call of {name}"),
            GoalKind::Label(name) => format!("label {name}"),
        }
    }
}

/// The goals of a program whose edges are marked, in the order of the text. The text of the user ends at the given
/// byte; what follows is ours.
pub fn goals(program: &Program, wanted: &Wanted, end_of_text: u32) -> Vec<Goal> {
    let mut found = Vec::new();
    for (id, function) in program.functions.iter_enumerated() {
        if id == program.start {
            continue;
        }
        let mut here: BTreeMap<(GoalPlace, GoalKind), Goal> = BTreeMap::new();
        for (edge, step) in function.cfa.edges.iter_enumerated() {
            if step.span.lo >= end_of_text {
                continue;
            }
            let Some((kind, span)) = goal_of(program, function, step, wanted) else {
                continue;
            };
            let place = match kind {
                GoalKind::Statement => {
                    let position = program.sources.position(step.span);
                    GoalPlace::Line(position.file, position.line)
                }
                _ => GoalPlace::Text(span),
            };
            let goal = here.entry((place, kind.clone())).or_insert(Goal {
                kind,
                function: id,
                span,
                edges: Vec::new(),
            });
            goal.span = goal.span.min(span);
            goal.edges.push(edge);
        }
        found.extend(here.into_values());
    }
    found.sort_by_key(|goal| (goal.span, goal.kind.clone()));
    found
}

/// What goals of one function and kind are told apart by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum GoalPlace {
    Text(Span),
    Line(Arc<str>, u32),
}

/// The goal that an edge is a part of, and its text.
fn goal_of(
    program: &Program,
    function: &Function,
    edge: &Edge,
    wanted: &Wanted,
) -> Option<(GoalKind, Span)> {
    let mark = edge.mark.as_deref();
    match wanted {
        Wanted::Branches => {
            let (span, choice) = mark?.decision?;
            Some((GoalKind::Branch(choice), span))
        }
        Wanted::Conditions => match edge.action {
            Action::Assume { holds, .. } if mark?.condition_of.is_some() => {
                Some((GoalKind::Condition(holds), edge.span))
            }
            _ => None,
        },
        // These are about ways, not about single edges.
        Wanted::DecidingConditions => None,
        Wanted::Calls(name) => {
            let call = mark?.call.as_ref().filter(|call| ***call == **name)?;
            Some((GoalKind::Call(call.clone()), edge.span))
        }
        Wanted::Labels => Some((GoalKind::Label(mark?.label.clone()?), edge.span)),
        Wanted::Statements => {
            is_statement(program, function, edge).then_some((GoalKind::Statement, edge.span))
        }
    }
}

/// Whether an edge does something that the text on its line says.
fn is_statement(program: &Program, function: &Function, edge: &Edge) -> bool {
    let ends = matches!(
        function.cfa.locations[edge.target].kind,
        LocKind::Ub(_) | LocKind::Unsupported(_) | LocKind::End(EndKind::AssumptionFailed)
    );
    let does = match &edge.action {
        Action::Skip => edge
            .mark
            .as_ref()
            .is_some_and(|mark| mark.is_jump || mark.call.is_some()),
        Action::Enter(_) | Action::Leave(_) => false,
        // Which `case` it is, and checks, are said nowhere.
        Action::Assume { .. } => {
            (edge.mark.as_ref()).is_some_and(|mark| mark.condition_of.is_some())
        }
        // A declaration alone does nothing.
        Action::Input { site, .. } | Action::InputBytes { site, .. } => !matches!(
            program.inputs[*site].kind,
            InputKind::Uninitialised(_) | InputKind::MissingReturn
        ),
        _ => true,
    };
    does && !ends && program.sources.slice(edge.span) != b"}"
}

/// The program in which these goals are targets, with their numbers in the order given. An edge that covers several of
/// them leads to the last one: so what it says of one of them alone may be less than is true, of all together it isn't.
pub fn with_targets<'g>(program: &Program, goals: impl IntoIterator<Item = &'g Goal>) -> Program {
    let mut result = program.asking(&[]);
    for goal in goals {
        let cfa = &mut result.functions[goal.function].cfa;
        let location = cfa.add_location(LocKind::Plain);
        let id = result.targets.push(Target {
            kind: TargetKind::Goal(goal.describe(program).into()),
            span: goal.span,
            function: goal.function,
            location,
        });
        cfa.locations[location].kind = LocKind::Target(id);
        for &edge in &goal.edges {
            let edge = &mut cfa.edges[edge];
            edge.target = location;
            // To begin a step covers the goal, whether or not it comes to an end: a call may not.
            if !matches!(edge.action, Action::Assume { .. }) {
                edge.action = Action::Skip;
            }
        }
    }
    result
}
