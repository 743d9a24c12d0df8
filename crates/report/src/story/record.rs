//! Listens to the interpreter.

use rhumb_program::interp::{KeyedInputs, Observer, View};
use rhumb_program::{
    Action, Callee, EdgeId, FuncId, InputKind, InputSiteId, LocId, Part, Program, Span, VarId,
};
use rustc_hash::FxHashMap;

use super::name::{Pointers, own_name};
use super::{Change, Decision, Input, LoopRun, Step, Story, StoryPlace, decision, place, value};

/// Makes a story of what the interpreter says.
pub(super) struct Recorder<'p> {
    program: &'p Program,
    story: Story,
    /// Where edges are, as far as they were asked for.
    places: FxHashMap<(FuncId, EdgeId), Option<StoryPlace>>,
    /// The texts of decisions, as far as edges were asked for: none for what is no decision, and for a long one no text.
    texts: FxHashMap<(FuncId, EdgeId), Option<Option<String>>>,
    /// The number of the next decision.
    next: u64,
    /// Variables that have just got a value, which is read when the run is in their activation again.
    pending: Vec<Pending>,
    /// A call that is being entered: the step it belongs to.
    entering: Option<usize>,
    /// Loops that the run is in, the innermost last.
    open: Vec<Open>,
    /// What the run reads, and how often each place with bytes was passed.
    inputs: &'p KeyedInputs,
    passed: FxHashMap<InputSiteId, u64>,
    /// Whether the next line is a new step, whatever line it is.
    is_cut: bool,
    /// What pointers point to.
    pointers: Pointers,
}

struct Pending {
    var: VarId,
    depth: usize,
    step: Option<usize>,
    input: Option<(String, StoryPlace)>,
}

struct Open {
    index: usize,
    statement: Span,
    depth: usize,
    function: FuncId,
}

impl<'p> Recorder<'p> {
    pub(super) fn new(program: &'p Program, inputs: &'p KeyedInputs) -> Recorder<'p> {
        Recorder {
            program,
            inputs,
            passed: FxHashMap::default(),
            story: Story::default(),
            places: FxHashMap::default(),
            texts: FxHashMap::default(),
            next: 0,
            pending: Vec::new(),
            entering: None,
            open: Vec::new(),
            is_cut: false,
            pointers: Pointers::default(),
        }
    }

    pub(super) fn finish(mut self) -> Story {
        let end = self.story.steps.len();
        for open in &self.open {
            self.story.loops[open.index].end = end;
        }
        self.story
    }

    fn place_of(&mut self, function: FuncId, edge: EdgeId) -> Option<StoryPlace> {
        let program = self.program;
        let find = || place(program, program.functions[function].cfa.edges[edge].span);
        self.places
            .entry((function, edge))
            .or_insert_with(find)
            .clone()
    }

    /// Reads the values of variables that were set by what came before.
    fn settle(&mut self, view: &View<'_>) {
        while let Some(last) = self.pending.last() {
            if last.depth < view.depth() {
                return;
            }
            let Some(pending) = self.pending.pop() else {
                return;
            };
            if pending.depth > view.depth() {
                continue;
            }
            let Some(bits) = view.value(pending.var) else {
                continue;
            };
            let info = &self.program.vars[pending.var];
            let words = self.program.words.get(&info.decl.span);
            let shown = match self
                .pointers
                .shown(self.program, pending.var, pending.depth)
            {
                Some(shown) if bits != 0 => shown,
                _ => value::show_named(bits, Some(info.ty), words),
            };
            let is_input = pending.input.is_some();
            if let Some((what, place)) = pending.input {
                let value = shown.clone();
                self.story.inputs.push(Input { what, place, value });
            }
            let name = own_name(&info.decl.name);
            let step = pending.step.map(|step| self.again(step));
            if let (Some(step), false) = (step, name.is_empty()) {
                let change = Change {
                    name: name.to_owned(),
                    value: shown,
                    is_input,
                };
                self.story.steps[step].changes.push(change);
            } else if let (Some(step), true) = (step, is_input) {
                // A value that is used at once.
                let change = Change {
                    name: "input".to_owned(),
                    value: shown,
                    is_input,
                };
                self.story.steps[step].changes.push(change);
            }
        }
    }

    /// The step at which something gets a value: a new one, if a call lies between.
    fn again(&mut self, step: usize) -> usize {
        if step + 1 == self.story.steps.len() {
            return step;
        }
        let before = &self.story.steps[step];
        let again = Step {
            changes: Vec::new(),
            decisions: Vec::new(),
            calls: Vec::new(),
            ..before.clone()
        };
        self.story.steps.push(again);
        self.is_cut = false;
        self.story.steps.len() - 1
    }

    /// A function is entered: the call is told with its arguments.
    fn enter(&mut self, view: &View<'_>) {
        let Some(step) = self.entering.take() else {
            return;
        };
        let function = &self.program.functions[view.function()];
        let arguments: Vec<String> = function
            .params
            .iter()
            .filter(|&&param| !self.program.vars[param].decl.name.is_empty())
            .filter_map(|&param| {
                let info = &self.program.vars[param];
                let words = self.program.words.get(&info.decl.span);
                let bits = view.value(param)?;
                let shown = match self.pointers.shown(self.program, param, view.depth()) {
                    Some(shown) if bits != 0 => shown,
                    _ => value::show_named(bits, Some(info.ty), words),
                };
                Some(format!("{} = {shown}", info.decl.name))
            })
            .collect();
        let call = format!("{}({})", function.name, arguments.join(", "));
        self.story.steps[step].calls.push(call);
    }

    /// Follows the loops that the run is in.
    fn follow_loops(&mut self, source: LocId, span: Span, view: &View<'_>) {
        let (depth, function) = (view.depth(), view.function());
        let is_inside = |open: &Open| {
            let covers = open.statement.lo <= span.lo && span.hi <= open.statement.hi;
            depth > open.depth
                || (depth == open.depth
                    && open.function == function
                    && (covers || span == Span::default()))
        };
        while self.open.last().is_some_and(|open| !is_inside(open)) {
            if let Some(open) = self.open.pop() {
                self.story.loops[open.index].end = self.story.steps.len();
                self.is_cut = true;
            }
        }
        let head = &self.program.functions[function].cfa.locations[source];
        let Some(statement) = head.loop_statement else {
            return;
        };
        let Some(place) = place(self.program, statement) else {
            return;
        };
        // `for (...; i++)` is one line to its reader: the round begins with the step.
        let function_name = &self.program.functions[function].name;
        let begins_before = self.story.steps.last().is_some_and(|last| {
            last.place == place
                && last.depth + 1 == depth
                && last.function == *function_name
                && last.decisions.is_empty()
                && last.calls.is_empty()
                && !self.is_cut
        });
        let next = self.story.steps.len() - usize::from(begins_before);
        self.is_cut = !begins_before;
        match self.open.last() {
            Some(open) if open.statement == statement && open.depth == depth => {
                self.story.loops[open.index].rounds.push(next);
            }
            _ => {
                self.open.push(Open {
                    index: self.story.loops.len(),
                    statement,
                    depth,
                    function,
                });
                let rounds = vec![next];
                let end = usize::MAX;
                self.story.loops.push(LoopRun { place, rounds, end });
            }
        }
    }

    /// The step for a line: the last one, or a new one.
    fn step(&mut self, place: &StoryPlace, view: &View<'_>) -> usize {
        let depth = view.depth().saturating_sub(1);
        let function = &self.program.functions[view.function()].name;
        if let Some(last) = self.story.steps.last()
            && !self.is_cut
            && last.place == *place
            && last.depth == depth
            && last.function == *function
        {
            return self.story.steps.len() - 1;
        }
        self.is_cut = false;
        self.story.steps.push(Step {
            place: place.clone(),
            function: function.clone(),
            depth,
            changes: Vec::new(),
            decisions: Vec::new(),
            calls: Vec::new(),
        });
        self.story.steps.len() - 1
    }

    /// The number of a decision that the user wrote, and its text if it is short.
    fn decision(&mut self, function: FuncId, edge: EdgeId) -> Option<(u64, Option<String>)> {
        let program = self.program;
        let find = || {
            let source = program.functions[function].cfa.edges[edge].source;
            decision::ways(program, function, source)
                .map(|[first, _]| decision::text(program, function, first))
        };
        let text = self.texts.entry((function, edge)).or_insert_with(find);
        let text = text.clone()?;
        let number = self.next;
        self.next += 1;
        Some((number, text))
    }
}

impl Observer for Recorder<'_> {
    fn edge(&mut self, edge: EdgeId, view: &View<'_>) {
        self.settle(view);
        self.enter(view);
        let program = self.program;
        let function = view.function();
        let taken = &program.functions[function].cfa.edges[edge];
        self.follow_loops(taken.source, taken.span, view);
        let is_start = function == program.start;
        let place = self.place_of(function, edge).filter(|_| !is_start);
        let depth = view.depth();
        let wait = |recorder: &mut Self, var: VarId, input: Option<(String, StoryPlace)>| {
            let step = place.as_ref().map(|place| recorder.step(place, view));
            recorder.pending.push(Pending {
                var,
                depth,
                step,
                input,
            });
        };
        match &taken.action {
            Action::Assign { dst, value } => {
                self.pointers.assign(program, *dst, Some(*value), view);
            }
            Action::Call {
                dst,
                callee: Callee::Function(called),
                args,
            } => {
                if let Some(dst) = dst {
                    self.pointers.assign(program, *dst, None, view);
                }
                let params = &program.functions[*called].params;
                for (&param, &arg) in params.iter().zip(args) {
                    self.pointers
                        .pass(program, param, Some(arg), view, depth + 1);
                }
            }
            other => {
                if let Some(dst) = other.defined_var() {
                    self.pointers.assign(program, dst, None, view);
                }
            }
        }
        match &taken.action {
            Action::Assign { dst, .. } | Action::Load { dst, .. } | Action::Alloc { dst, .. } => {
                if !program.vars[*dst].decl.name.is_empty() {
                    wait(self, *dst, None);
                } else if let Some(place) = &place {
                    self.step(place, view);
                }
            }
            Action::Input { dst, site } => {
                let site = &program.inputs[*site];
                // What the library reads is read where it was called.
                let last = self.story.steps.last().map(|step| step.place.clone());
                let at = super::place(program, site.span).or(last);
                wait(self, *dst, at.map(|place| (site.kind.describe(), place)));
            }
            Action::InputBytes { site, .. } => {
                let occurrence = self.passed.entry(*site).or_insert(0);
                let bytes = self.inputs.bytes_at(*site, *occurrence);
                *occurrence += 1;
                let site = &program.inputs[*site];
                let is_told = match &site.kind {
                    InputKind::Outside { part, .. } => matches!(part, Part::Argument(_)),
                    // Most of what is never set is never read, either.
                    InputKind::Uninitialised(_) => bytes.iter().any(|byte| *byte != 0),
                    _ => false,
                };
                if let (true, Some(place)) = (is_told, super::place(program, site.span)) {
                    let what = match &site.kind {
                        InputKind::Outside { part, .. } => format!("what {part} points to"),
                        kind => kind.describe(),
                    };
                    let value = value::show_bytes(bytes);
                    self.story.inputs.push(Input { what, place, value });
                }
            }
            Action::Call { dst, callee, .. } => {
                if let Some(dst) = dst {
                    wait(self, *dst, None);
                }
                if let Some(place) = &place {
                    let step = self.step(place, view);
                    let is_own = match callee {
                        Callee::Function(called) => {
                            super::place(program, program.functions[*called].span).is_some()
                        }
                        Callee::Pointer(_) => true,
                        Callee::Builtin(_) => false,
                    };
                    self.entering = is_own.then_some(step);
                }
            }
            Action::Store { ptr, value, access } => {
                let Some(place) = &place else {
                    return;
                };
                let step = self.step(place, view);
                let bits = value::of(program, *value, view);
                let name = self
                    .pointers
                    .of_store(program, *ptr, *access, taken.span, view);
                if let (Some(bits), Some((name, words))) = (bits, name) {
                    let value = value::show_named(bits, Some(access.ty), words.as_ref());
                    let is_input = false;
                    self.story.steps[step].changes.push(Change {
                        name,
                        value,
                        is_input,
                    });
                }
            }
            Action::Return { value: result } => {
                let Some(place) = &place else {
                    return;
                };
                let step = self.step(place, view);
                if let Some(result) = result
                    && let Some(bits) = value::of(program, *result, view)
                {
                    let shown = value::show(bits, Some(program.exprs[*result].ty));
                    self.story.steps[step]
                        .calls
                        .push(format!("returns {shown}"));
                }
                self.is_cut = true;
            }
            Action::Assume { holds, .. } => {
                if let Some((number, Some(text))) = self.decision(function, edge)
                    && let Some(place) = &place
                {
                    let step = self.step(place, view);
                    self.story.steps[step].decisions.push(Decision {
                        text,
                        holds: *holds,
                        number,
                        mattered: None,
                    });
                }
            }
            _ => {
                if let Some(place) = &place {
                    self.step(place, view);
                }
            }
        }
    }
}
