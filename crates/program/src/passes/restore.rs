//! The way back from a program that a pass made to the program that it was made from.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::ids::{EdgeId, FuncId, InputSiteId, LocId, ObjectId, VarId};
use crate::model::Program;

index_vec::define_index_type! {
    /// A call string (see [`Contexts`]).
    pub struct ContextId = u32;
    DEBUG_FORMAT = "c{}";
}

impl ContextId {
    /// No call: the activation that one is in.
    pub const ROOT: ContextId = ContextId { _raw: 0 };
}

/// A location of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LocRef {
    /// The function.
    pub function: FuncId,
    /// The location in its automaton.
    pub location: LocId,
}

/// An edge of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct EdgeRef {
    /// The function.
    pub function: FuncId,
    /// The edge of its automaton.
    pub edge: EdgeId,
}

/// Call strings, each kept once: the calls, as edges of the original program, that lead from an activation of the function in which a thing
/// is now to the activation in which the original thing was.
#[derive(Clone, Debug)]
pub struct Contexts {
    /// The rest of the string and its last call; none for the empty string.
    calls: IndexVec<ContextId, Option<(ContextId, EdgeRef)>>,
    ids: FxHashMap<(ContextId, EdgeRef), ContextId>,
}

impl Default for Contexts {
    fn default() -> Contexts {
        Contexts {
            calls: IndexVec::from_vec(vec![None]),
            ids: FxHashMap::default(),
        }
    }
}

impl Contexts {
    /// The string that goes on with one more call.
    pub fn enter(&mut self, from: ContextId, call: EdgeRef) -> ContextId {
        *self
            .ids
            .entry((from, call))
            .or_insert_with(|| self.calls.push(Some((from, call))))
    }

    /// The string without its last call, and that call; none for [`ContextId::ROOT`].
    pub fn last_call(&self, context: ContextId) -> Option<(ContextId, EdgeRef)> {
        self.calls[context]
    }

    /// The calls of a string, the outermost first.
    pub fn calls(&self, context: ContextId) -> Vec<EdgeRef> {
        let mut calls: Vec<EdgeRef> =
            std::iter::successors(self.calls[context], |&(rest, _)| self.calls[rest])
                .map(|(_, call)| call)
                .collect();
        calls.reverse();
        calls
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether there is only the empty string.
    pub fn is_empty(&self) -> bool {
        self.calls.len() == 1
    }
}

/// A thing of the original program, in one of its activations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placed<T> {
    /// The original.
    pub item: T,
    /// The activation, seen from the activation of the function that has the thing now. For a global thing the root.
    pub context: ContextId,
}

/// Where a variable comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum VarOrigin {
    /// A variable.
    Variable(VarId),
    /// A part of memory.
    Cell(Cell),
    /// A part of an input that nobody reads: the input, and where the part begins.
    Part(InputSiteId, u64),
    /// The distance of a pointer variable from the start of its object.
    Distance(VarId),
    /// A ghost of a plan: what it is, and its number.
    Ghost(GhostPart, u32),
}

/// What a variable that belongs to a ghost says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum GhostPart {
    /// The number of the element that was chosen.
    Index,
    /// Whether the last site of the index has read its cell.
    Hit,
    /// The contents of a cell.
    Cell,
    /// Where the elements begin that a fold adds up.
    FoldFirst,
    /// Where they end.
    FoldNext,
    /// Their sum.
    FoldSum,
    /// Whether the instance that an edge allocates next is the one that is followed.
    Pick,
    /// Whether one of the instances that an edge allocates is followed by now.
    Taken,
    /// Whether the last read has read an instance that is followed.
    Met,
    /// Whether a pointer in it has been set.
    Set,
}

impl VarOrigin {
    /// The variable, if it is one.
    pub fn variable(self) -> Option<VarId> {
        match self {
            VarOrigin::Variable(var) => Some(var),
            VarOrigin::Cell(_)
            | VarOrigin::Part(..)
            | VarOrigin::Distance(_)
            | VarOrigin::Ghost(..) => None,
        }
    }
}

/// A part of an object that a pass made a variable of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cell {
    /// The object.
    pub place: CellPlace,
    /// What of it.
    pub part: CellPart,
}

/// An object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CellPlace {
    /// A declared one.
    Object(ObjectId),
    /// What an edge allocates.
    Allocation(EdgeRef),
}

/// What a variable that belongs to an object says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CellPart {
    /// The scalar at this distance from its start.
    At(u64),
    /// Whether the object is alive.
    Alive,
}

/// What an edge has to do with the edge that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// It is the same step of a run (it may do less: what a pass found useless).
    Step,
    /// It begins the inlined call that the original makes.
    Call,
    /// It belongs to the original and is no step of its own: further parameters of an inlined call, the end of its objects, two branches
    /// that became one.
    Silent,
}

/// Where an edge comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EdgeOrigin {
    /// The original edge; for what an inlined call adds, the call.
    pub edge: Placed<EdgeRef>,
    /// Whether it stands for the original.
    pub role: Role,
}

/// Origins of the locations and edges of one function.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionRestore {
    pub(crate) locations: IndexVec<LocId, Option<Placed<LocRef>>>,
    pub(crate) edges: IndexVec<EdgeId, EdgeOrigin>,
}

impl FunctionRestore {
    /// Of a function that is as it was.
    pub(crate) fn identity(program: &Program, function: FuncId) -> FunctionRestore {
        let cfa = &program.functions[function].cfa;
        let locations = cfa.locations.indices();
        let edges = cfa.edges.indices();
        FunctionRestore {
            locations: locations
                .map(|location| Some(root(LocRef { function, location })))
                .collect(),
            edges: edges
                .map(|edge| EdgeOrigin {
                    edge: root(EdgeRef { function, edge }),
                    role: Role::Step,
                })
                .collect(),
        }
    }
}

/// The map from a program that a pass made back to the program that it was given.
///
/// Functions, input sites, targets and the other tables keep their ids through every pass, so inputs and verdicts need no translation.
/// (An input event is named by its site and how often the site was passed before, in the whole run. Copies of a site in several contexts
/// count together, in the order of execution, which no pass changes.)
#[derive(Clone, Debug)]
pub struct Restore {
    pub(crate) contexts: Contexts,
    pub(crate) functions: IndexVec<FuncId, FunctionRestore>,
    pub(crate) vars: IndexVec<VarId, Placed<VarOrigin>>,
    pub(crate) objects: IndexVec<ObjectId, Placed<ObjectId>>,
}

impl Restore {
    /// The map of a pass that changes nothing.
    pub fn identity(program: &Program) -> Restore {
        Restore {
            functions: (program.functions.indices())
                .map(|function| FunctionRestore::identity(program, function))
                .collect(),
            ..Restore::without_functions(program)
        }
    }

    /// The map of a pass that keeps variables and objects; automata are still to be added.
    pub(crate) fn without_functions(program: &Program) -> Restore {
        Restore {
            contexts: Contexts::default(),
            functions: IndexVec::new(),
            vars: (program.vars.indices())
                .map(|var| root(VarOrigin::Variable(var)))
                .collect(),
            objects: program.objects.indices().map(root).collect(),
        }
    }

    /// The call strings that origins refer to.
    pub fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// Where a location comes from; none for one that the original doesn't have (between two parameters of an inlined call, or where a pass
    /// cut something off).
    pub fn location(&self, at: LocRef) -> Option<Placed<LocRef>> {
        self.functions[at.function].locations[at.location]
    }

    /// Where an edge comes from.
    pub fn edge(&self, edge: EdgeRef) -> EdgeOrigin {
        self.functions[edge.function].edges[edge.edge]
    }

    /// Where a variable comes from.
    pub fn var(&self, var: VarId) -> Placed<VarOrigin> {
        self.vars[var]
    }

    /// Where an object comes from.
    pub fn object(&self, object: ObjectId) -> Placed<ObjectId> {
        self.objects[object]
    }

    /// The map back over two passes: `self` of the first, `later` of the one that was given its result.
    pub fn then(&self, later: &Restore) -> Restore {
        let mut composer = Composer {
            earlier: self,
            later,
            contexts: self.contexts.clone(),
            translated: IndexVec::from_vec(vec![None; later.contexts.len()]),
            appended: FxHashMap::default(),
        };
        composer.translated[ContextId::ROOT] = Some(ContextId::ROOT);
        let functions = later
            .functions
            .iter()
            .map(|function| FunctionRestore {
                locations: function
                    .locations
                    .iter()
                    .map(|at| {
                        let at = (*at)?;
                        let origin = self.location(at.item)?;
                        Some(composer.place(at.context, origin))
                    })
                    .collect(),
                edges: function
                    .edges
                    .iter()
                    .map(|&EdgeOrigin { edge, role }| {
                        let origin = self.edge(edge.item);
                        EdgeOrigin {
                            edge: composer.place(edge.context, origin.edge),
                            role: match (origin.role, role) {
                                (Role::Silent, _) | (_, Role::Silent) => Role::Silent,
                                (Role::Step, Role::Step) => Role::Step,
                                (Role::Call, _) | (_, Role::Call) => Role::Call,
                            },
                        }
                    })
                    .collect(),
            })
            .collect();
        let vars = later.vars.iter().map(|&var| composer.var(var)).collect();
        let objects = later
            .objects
            .iter()
            .map(|object| composer.place(object.context, self.object(object.item)))
            .collect();
        Restore {
            contexts: composer.contexts,
            functions,
            vars,
            objects,
        }
    }
}

/// The thing itself.
fn root<T>(item: T) -> Placed<T> {
    Placed {
        item,
        context: ContextId::ROOT,
    }
}

/// Translates the call strings of a later pass to those of an earlier one.
struct Composer<'r> {
    earlier: &'r Restore,
    later: &'r Restore,
    contexts: Contexts,
    /// The strings of the later pass that are translated already.
    translated: IndexVec<ContextId, Option<ContextId>>,
    /// What was appended already, by the two strings.
    appended: FxHashMap<(ContextId, ContextId), ContextId>,
}

impl Composer<'_> {
    /// The origin of a variable of the later pass.
    fn var(&mut self, Placed { item, context }: Placed<VarOrigin>) -> Placed<VarOrigin> {
        let Cell { place, part } = match item {
            VarOrigin::Variable(var) => return self.place(context, self.earlier.var(var)),
            VarOrigin::Part(..) | VarOrigin::Ghost(..) => return Placed { item, context },
            VarOrigin::Distance(var) => {
                let Placed { item, context } = self.place(context, self.earlier.var(var));
                let item = item.variable().map_or(item, VarOrigin::Distance);
                return Placed { item, context };
            }
            VarOrigin::Cell(cell) => cell,
        };
        let (place, context) = match place {
            CellPlace::Object(object) => {
                let origin = self.place(context, self.earlier.object(object));
                (CellPlace::Object(origin.item), origin.context)
            }
            CellPlace::Allocation(edge) => {
                let origin = self.place(context, self.earlier.edge(edge).edge);
                (CellPlace::Allocation(origin.item), origin.context)
            }
        };
        Placed {
            item: VarOrigin::Cell(Cell { place, part }),
            context,
        }
    }

    /// The origin of a thing that the later pass put into `context`.
    fn place<T>(&mut self, context: ContextId, origin: Placed<T>) -> Placed<T> {
        let outer = self.translate(context);
        Placed {
            item: origin.item,
            context: self.append(outer, origin.context),
        }
    }

    /// A call string of the program between the passes as one of the first program: each call stands for the calls that were inlined around
    /// it and its own origin.
    fn translate(&mut self, context: ContextId) -> ContextId {
        let mut pending = Vec::new();
        let mut at = context;
        let mut result = loop {
            if let Some(known) = self.translated[at] {
                break known;
            }
            let Some((rest, call)) = self.later.contexts.last_call(at) else {
                break ContextId::ROOT;
            };
            pending.push((at, call));
            at = rest;
        };
        while let Some((at, call)) = pending.pop() {
            let origin = self.earlier.edge(call).edge;
            result = self.append(result, origin.context);
            result = self.contexts.enter(result, origin.item);
            self.translated[at] = Some(result);
        }
        result
    }

    /// One string after another; the second is one of the earlier pass.
    fn append(&mut self, first: ContextId, second: ContextId) -> ContextId {
        if first == ContextId::ROOT {
            // The earlier pass's strings keep their ids in the common table.
            return second;
        }
        if let Some(&known) = self.appended.get(&(first, second)) {
            return known;
        }
        let calls = self.earlier.contexts.calls(second);
        let whole = calls
            .into_iter()
            .fold(first, |context, call| self.contexts.enter(context, call));
        self.appended.insert((first, second), whole);
        whole
    }
}
