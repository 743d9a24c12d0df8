//! The program with its calls taken apart: one graph, in which every activation that is not part of a recursion has places and variables
//! of its own.
//!
//! A proof names places and variables by the calls that lead to them, so activations form a tree along calls. What is called again before
//! it returns, or through a pointer, stays a call: it may change the global variables that something sets which it may run, and nothing
//! else that is modelled. (What the start function calls is called once, so it is taken apart even if it is recursive; the calls inside
//! stay.)

use std::rc::Rc;

use rhumb_program::{Action, Cfa, EdgeId, FuncId, LocId, LocKind, Program, Scope, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::{Called, Calls, called};
use crate::memory::{Extra, Memory};
pub(crate) use crate::steps::{Agreed, Bad, Next, Root, Step, Trouble};

/// Graphs with more places than this are not made.
const MAX_PLACES: usize = 3_000_000;

/// A call: function and edge.
pub(crate) type CallRef = (FuncId, EdgeId);

/// A place: a location in one activation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct UnfoldedPlace(pub(crate) u32);

/// A variable in one activation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Var(u32);

/// An activation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Activation(u32);

struct Frame {
    function: FuncId,
    /// The first place and the first variable of this activation.
    places: u32,
    vars: u32,
    /// Where it returns to, and the variable that gets the result; none for the start.
    back: Option<(UnfoldedPlace, Option<Var>)>,
}

/// The graph.
pub(crate) struct Unfolded<'p> {
    pub(crate) program: &'p Program,
    frames: Vec<Frame>,
    /// The activations that calls lead to.
    called: FxHashMap<(Activation, CallRef), Activation>,
    nexts: Vec<Next>,
    activations: Vec<Activation>,
    /// The variables of the model that variables are copies of.
    origins: Vec<VarId>,
    /// The place of each local variable among those of its function.
    slots: Vec<u32>,
    /// The functions with contracts.
    contracts: FxHashSet<FuncId>,
    /// The result of the function where the graph begins, if it is not the start function.
    result: Option<(Var, Type)>,
    /// Variables that the program doesn't have.
    extras: FxHashMap<Var, Extra>,
    /// What is known of memory.
    pub(crate) memory: Memory,
}

impl<'p> Unfolded<'p> {
    /// Takes the calls of a program apart. `mentioned` has the lists of calls that the proof names, with their beginnings.
    pub(crate) fn of(
        program: &'p Program,
        mentioned: &FxHashSet<Vec<CallRef>>,
    ) -> Result<Unfolded<'p>, Trouble> {
        let root = Root {
            function: program.start,
            contracts: &FxHashSet::default(),
        };
        Unfolded::from(program, mentioned, &root)
    }

    /// The same, of any function.
    pub(crate) fn from(
        program: &'p Program,
        mentioned: &FxHashSet<Vec<CallRef>>,
        root: &Root<'_>,
    ) -> Result<Unfolded<'p>, Trouble> {
        let calls = Calls::of(program);
        let mut locals: Vec<Vec<VarId>> = vec![Vec::new(); program.functions.len()];
        let mut slots = vec![0; program.vars.len()];
        for (id, var) in program.vars.iter_enumerated() {
            if let Scope::Local(function) = var.scope {
                slots[id.index()] = locals[function.index()].len() as u32;
                locals[function.index()].push(id);
            }
        }
        let mut unfolded = Unfolded {
            program,
            frames: Vec::new(),
            called: FxHashMap::default(),
            nexts: Vec::new(),
            activations: Vec::new(),
            // Global variables come first, under their own numbers.
            origins: program.vars.indices().collect(),
            slots,
            contracts: root.contracts.clone(),
            result: None,
            extras: FxHashMap::default(),
            memory: Memory::default(),
        };
        if root.function != program.start
            && let Some(ty) = program.functions[root.function].result
            && let Some(any) = program.vars.indices().next()
        {
            // Its origin says nothing: whoever asks for a type or a name asks for this one first.
            unfolded.result = Some((Var(unfolded.origins.len() as u32), ty));
            unfolded.origins.push(any);
        }
        let mut todo = vec![(unfolded.enter(root.function, None, &locals)?, Vec::new())];
        while let Some((activation, path)) = todo.pop() {
            for (call, callee) in unfolded.fill(activation, &calls, &path, mentioned, &locals)? {
                let mut path: Vec<CallRef> = path.clone();
                path.push(call);
                todo.push((callee, path));
            }
        }
        Ok(unfolded)
    }

    /// Makes room for an activation.
    fn enter(
        &mut self,
        function: FuncId,
        back: Option<(UnfoldedPlace, Option<Var>)>,
        locals: &[Vec<VarId>],
    ) -> Result<Activation, Trouble> {
        let activation = Activation(self.frames.len() as u32);
        let locations = self.program.functions[function].cfa.locations.len();
        if self.nexts.len() + locations > MAX_PLACES {
            return Err(Trouble::TooLarge);
        }
        self.frames.push(Frame {
            function,
            places: self.nexts.len() as u32,
            vars: self.origins.len() as u32,
            back,
        });
        self.nexts.extend((0..locations).map(|_| Next::End));
        self.activations.extend((0..locations).map(|_| activation));
        self.origins.extend(&locals[function.index()]);
        Ok(activation)
    }

    /// Says what happens at the places of an activation. Gives the activations that its calls lead to.
    fn fill(
        &mut self,
        activation: Activation,
        calls: &Calls,
        path: &[CallRef],
        mentioned: &FxHashSet<Vec<CallRef>>,
        locals: &[Vec<VarId>],
    ) -> Result<Vec<(CallRef, Activation)>, Trouble> {
        let program = self.program;
        let frame = &self.frames[activation.0 as usize];
        let (function, back) = (frame.function, frame.back);
        let cfa = &program.functions[function].cfa;
        let mut entered = Vec::new();
        for (at, location) in cfa.locations.iter_enumerated() {
            let next = match location.kind {
                LocKind::Target(_) => Next::Bad(Bad::Target),
                LocKind::Unsupported(_) => Next::Bad(Bad::Unsupported),
                LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => Next::End,
                LocKind::Exit => match back {
                    Some((back, _)) => Next::Go(Step::Nothing, back),
                    None if function != program.start => Next::Return,
                    None => Next::End,
                },
                LocKind::Plain => match *cfa.outgoing(at) {
                    [] => Next::End,
                    [edge] => {
                        let call = (function, edge);
                        let (next, callee) =
                            self.single(activation, call, calls, path, mentioned, locals)?;
                        entered.extend(callee.map(|callee| (call, callee)));
                        next
                    }
                    [first, second] => self.branch(activation, cfa, first, second)?,
                    [first, ..] => return Err(Trouble::Malformed(cfa.edges[first].span)),
                },
            };
            let place = self.place(activation, at);
            self.nexts[place.0 as usize] = next;
        }
        Ok(entered)
    }

    fn branch(
        &self,
        activation: Activation,
        cfa: &Cfa,
        first: EdgeId,
        second: EdgeId,
    ) -> Result<Next, Trouble> {
        let (first, second) = (&cfa.edges[first], &cfa.edges[second]);
        match (&first.action, &second.action) {
            (
                &Action::Assume { cond, holds },
                &Action::Assume {
                    cond: again,
                    holds: other,
                },
            ) if cond == again && holds != other => {
                let (yes, no) = match holds {
                    true => (first, second),
                    false => (second, first),
                };
                Ok(Next::Branch {
                    condition: cond,
                    yes: self.place(activation, yes.target),
                    no: self.place(activation, no.target),
                })
            }
            _ => Err(Trouble::Malformed(first.span)),
        }
    }

    /// The only edge of a location, and the activation that it enters.
    fn single(
        &mut self,
        activation: Activation,
        call: CallRef,
        calls: &Calls,
        path: &[CallRef],
        mentioned: &FxHashSet<Vec<CallRef>>,
        locals: &[Vec<VarId>],
    ) -> Result<(Next, Option<Activation>), Trouble> {
        let edge = &self.program.functions[call.0].cfa.edges[call.1];
        let to = self.place(activation, edge.target);
        let var = |var: VarId| self.var(activation, var);
        let step = match &edge.action {
            Action::Assume { .. } => return Err(Trouble::Malformed(edge.span)),
            Action::Skip
            | Action::InputBytes { .. }
            | Action::Store { .. }
            | Action::Copy { .. }
            | Action::Fill { .. }
            | Action::Enter(_)
            | Action::Leave(_)
            | Action::Free { .. } => Step::Nothing,
            Action::Assign { dst, value } => Step::Assign(activation, vec![(var(*dst), *value)]),
            Action::Input { dst, .. } | Action::Load { dst, .. } => Step::Any(var(*dst)),
            Action::Approximate { dst, .. } => match dst {
                Some(dst) => Step::Any(var(*dst)),
                None => Step::Nothing,
            },
            Action::Alloc { dst, .. } => Step::Address(var(*dst)),
            Action::Exit { .. } => return Ok((Next::End, None)),
            Action::Return { value } => {
                let result = match self.frames[activation.0 as usize].back {
                    Some(back) => back.1,
                    None => self.result.map(|result| result.0),
                };
                match (result, value) {
                    (Some(result), Some(value)) => Step::Assign(activation, vec![(result, *value)]),
                    _ => Step::Nothing,
                }
            }
            Action::Call { dst, args, .. } => {
                let dst = dst.map(var);
                let Some(called) = called(self.program, &edge.action) else {
                    return Err(Trouble::Malformed(edge.span));
                };
                match called {
                    Called::Known(callee)
                        if !self.stays(called, callee, calls, path, call, mentioned) =>
                    {
                        let entered = self.enter(callee, Some((to, dst)), locals)?;
                        self.called.insert((activation, call), entered);
                        let function = &self.program.functions[callee];
                        let given = function.params.iter().zip(args.iter());
                        let given = given.map(|(&param, &arg)| (self.var(entered, param), arg));
                        let step = Step::Assign(activation, given.collect());
                        let entry = self.place(entered, function.cfa.entry);
                        return Ok((Next::Go(step, entry), Some(entered)));
                    }
                    Called::Known(callee)
                        if self.contracts.contains(&callee)
                            && !self.program.functions[callee].variadic =>
                    {
                        let broken = UnfoldedPlace(self.nexts.len() as u32);
                        self.nexts.push(Next::Bad(Bad::Call));
                        self.activations.push(activation);
                        let agreed = Agreed {
                            callee,
                            args: args.to_vec(),
                            sets: calls.sets(called),
                            dst,
                            to,
                            broken,
                        };
                        return Ok((Next::Agreed(Rc::new(agreed)), None));
                    }
                    _ if calls.is_dangerous(called) => return Ok((Next::Bad(Bad::Call), None)),
                    Called::Library => match dst {
                        Some(dst) => Step::Any(dst),
                        None => Step::Nothing,
                    },
                    Called::Known(_) | Called::Misfit(_) | Called::Some => {
                        Step::Call(calls.sets(called), dst)
                    }
                }
            }
        };
        Ok((Next::Go(step, to), None))
    }

    /// Whether a call stays. One that could be taken apart does, too, if its function has objects on its stack: that is not inlined
    /// elsewhere, either, so that a proof has nothing to say about its loops; then it is better to forget what it changes than everything.
    fn stays(
        &self,
        called: Called,
        callee: FuncId,
        calls: &Calls,
        path: &[CallRef],
        call: CallRef,
        mentioned: &FxHashSet<Vec<CallRef>>,
    ) -> bool {
        let is_named = || {
            let mut path = path.to_vec();
            path.push(call);
            mentioned.contains(&path)
        };
        if path.is_empty() && call.0 == self.program.start && callee != self.program.start {
            // A contract says what loops do in there, unless the proof says it of this very call.
            let by_contract = self.contracts.contains(&callee) && calls.has_loops(callee);
            return by_contract && !is_named();
        }
        if calls.is_recursive(callee) {
            return true;
        }
        let is_candidate = calls.has_stack_objects(callee)
            && calls.has_loops(callee)
            && !calls.is_dangerous(called);
        is_candidate && !is_named()
    }

    fn place(&self, activation: Activation, location: LocId) -> UnfoldedPlace {
        UnfoldedPlace(self.frames[activation.0 as usize].places + location.raw())
    }

    /// A variable of the model, seen from an activation.
    pub(crate) fn var(&self, activation: Activation, var: VarId) -> Var {
        match self.program.vars[var].scope {
            Scope::Global => Var(var.raw()),
            Scope::Local(_) => {
                Var(self.frames[activation.0 as usize].vars + self.slots[var.index()])
            }
        }
    }

    pub(crate) fn ty(&self, var: Var) -> Type {
        if let Some((result, ty)) = self.result
            && result == var
        {
            return ty;
        }
        if let Some(extra) = self.extras.get(&var) {
            return extra.ty;
        }
        self.program.vars[self.origins[var.0 as usize]].ty
    }

    /// A global variable of the model.
    pub(crate) fn global_var(&self, var: VarId) -> Var {
        Var(var.raw())
    }

    /// The variable of the model, if it is a global one.
    pub(crate) fn global(&self, var: Var) -> Option<VarId> {
        if self.result() == Some(var) || self.extras.contains_key(&var) {
            return None;
        }
        let origin = self.origins[var.0 as usize];
        (self.program.vars[origin].scope == Scope::Global).then_some(origin)
    }

    /// The variable for the result of the function where the graph begins.
    pub(crate) fn result(&self) -> Option<Var> {
        self.result.map(|result| result.0)
    }

    /// A variable that the program doesn't have.
    pub(crate) fn add_var(&mut self, extra: Extra) -> Var {
        let var = Var(self.origins.len() as u32);
        // Its origin says nothing: whoever asks for a type or a name asks the table first.
        self.origins.push(VarId::from_raw(0));
        self.extras.insert(var, extra);
        var
    }

    pub(crate) fn extra(&self, var: Var) -> Option<&Extra> {
        self.extras.get(&var)
    }

    fn location(&self, place: UnfoldedPlace) -> (&'p Cfa, LocId) {
        let frame = &self.frames[self.activation_of(place).0 as usize];
        let at = LocId::from_raw(place.0 - frame.places);
        (&self.program.functions[frame.function].cfa, at)
    }

    /// What is done at a place where there is only one thing to do.
    pub(crate) fn action(&self, place: UnfoldedPlace) -> Option<&'p Action> {
        let (cfa, at) = self.location(place);
        match *cfa.outgoing(at) {
            [edge] if cfa.locations[at].kind == LocKind::Plain => Some(&cfa.edges[edge].action),
            _ => None,
        }
    }

    pub(crate) fn kind(&self, place: UnfoldedPlace) -> Option<LocKind> {
        let (cfa, at) = self.location(place);
        cfa.locations.get(at).map(|location| location.kind)
    }

    /// Whether something in the graph sets a variable.
    pub(crate) fn may_set(&self, var: Var) -> bool {
        let global = self.global(var);
        let has = |sets: &[VarId]| global.is_some_and(|global| sets.contains(&global));
        self.nexts.iter().any(|next| match next {
            Next::Go(Step::Assign(_, assignments), _) => {
                assignments.iter().any(|assignment| assignment.0 == var)
            }
            Next::Go(Step::Any(set) | Step::Address(set), _) => *set == var,
            Next::Go(Step::Call(sets, dst), _) => has(sets) || *dst == Some(var),
            Next::Agreed(agreed) => has(&agreed.sets) || agreed.dst == Some(var),
            Next::Go(Step::Nothing, _)
            | Next::End
            | Next::Return
            | Next::Bad(_)
            | Next::Branch { .. } => false,
        })
    }

    /// The function where the graph begins.
    pub(crate) fn root(&self) -> FuncId {
        self.frames[0].function
    }

    /// The name of a variable in the source text.
    pub(crate) fn var_name(&self, var: Var) -> &str {
        if self.result() == Some(var) {
            return "the result";
        }
        if let Some(extra) = self.extras.get(&var) {
            return &extra.name;
        }
        &self.program.vars[self.origins[var.0 as usize]].decl.name
    }

    /// The activation that a list of calls leads to, the outermost first.
    pub(crate) fn activation(&self, path: &[CallRef]) -> Option<Activation> {
        let enter = |at: Activation, call: &CallRef| self.called.get(&(at, *call)).copied();
        path.iter().try_fold(Activation(0), enter)
    }

    /// The place that a proof names.
    pub(crate) fn named_place(
        &self,
        path: &[CallRef],
        (function, location): (FuncId, LocId),
    ) -> Option<UnfoldedPlace> {
        let activation = self.activation(path)?;
        let frame = &self.frames[activation.0 as usize];
        let locations = &self.program.functions[frame.function].cfa.locations;
        (frame.function == function && location.index() < locations.len())
            .then(|| self.place(activation, location))
    }

    /// The variable that a proof names.
    pub(crate) fn named_var(&self, path: &[CallRef], var: VarId) -> Option<Var> {
        let activation = self.activation(path)?;
        let frame = &self.frames[activation.0 as usize];
        let fits = match self.program.vars.get(var)?.scope {
            Scope::Global => path.is_empty(),
            Scope::Local(function) => function == frame.function,
        };
        fits.then(|| self.var(activation, var))
    }

    pub(crate) fn start(&self) -> UnfoldedPlace {
        let function = self.frames[0].function;
        self.place(Activation(0), self.program.functions[function].cfa.entry)
    }

    pub(crate) fn next(&self, place: UnfoldedPlace) -> &Next {
        &self.nexts[place.0 as usize]
    }

    pub(crate) fn activation_of(&self, place: UnfoldedPlace) -> Activation {
        self.activations[place.0 as usize]
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = UnfoldedPlace> + use<> {
        (0..self.nexts.len() as u32).map(UnfoldedPlace)
    }

    /// Where a run can go from a place in one step.
    pub(crate) fn successors(
        &self,
        place: UnfoldedPlace,
    ) -> impl Iterator<Item = UnfoldedPlace> + use<> {
        let (first, second) = match *self.next(place) {
            Next::End | Next::Return | Next::Bad(_) => (None, None),
            Next::Go(_, to) => (Some(to), None),
            Next::Branch { yes, no, .. } => (Some(yes), Some(no)),
            Next::Agreed(ref agreed) => (Some(agreed.to), Some(agreed.broken)),
        };
        first.into_iter().chain(second)
    }

    /// A place for people.
    pub(crate) fn describe(&self, place: UnfoldedPlace) -> String {
        let frame = &self.frames[self.activation_of(place).0 as usize];
        let function = &self.program.functions[frame.function];
        let at = LocId::from_raw(place.0 - frame.places);
        let Some(location) = function.cfa.locations.get(at) else {
            return format!("a call in {} without what it requires", function.name);
        };
        let span = match location.kind {
            LocKind::Target(target) => Some(self.program.targets[target].span),
            LocKind::Unsupported(what) => Some(self.program.unsupported[what].span),
            _ => location.loop_statement.or_else(|| {
                let edge = location.outgoing.first()?;
                Some(function.cfa.edges[*edge].span)
            }),
        };
        let what = match self.next(place) {
            _ if place == self.start() => return "the start".to_owned(),
            Next::Bad(Bad::Target) => "the target",
            Next::Bad(Bad::Unsupported) => "what is not supported",
            Next::Bad(Bad::Call) => "the call",
            Next::Return => "the return",
            _ => "the point",
        };
        match span {
            Some(span) => format!("{what} at {}", self.program.sources.position(span)),
            None => format!("{what} in {}", function.name),
        }
    }
}
