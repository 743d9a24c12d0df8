//! Objects, variables, first values, and functions that are still called.

use rhumb_program::graph::Graph;
use rhumb_program::passes::scalars::{FIRST_ADDRESS, Home, LAST_ADDRESS, Promoted, UNKNOWN_SIZE};
use rhumb_program::{Action, Builtin, Callee, ExprId, ExprKind, Init, Object, Scope, Type, VarId};
use rustc_hash::FxHashSet;

use super::edges::is_convertible;
use super::{Checked, Checker, object_to, require};

impl Checker<'_> {
    /// Objects lie apart, their variables are theirs alone, and everything else is as it was.
    pub(super) fn check_tables(&self) -> Checked {
        let (old, new) = (self.old, self.new);
        require(self.scalars.pointees.len() == new.vars.len(), || {
            "there is not one fact for each variable".to_owned()
        })?;
        let same_exprs = old.exprs.len() <= new.exprs.len()
            && (0..old.exprs.len()).all(|index| {
                let id = ExprId::from_usize(index);
                old.exprs[id] == new.exprs[id]
            });
        require(same_exprs, || "expressions are not the same".to_owned())?;
        let same_vars = old.vars.len() <= new.vars.len()
            && (old.vars.iter().zip(&new.vars)).all(|(a, b)| a.ty == b.ty && a.scope == b.scope);
        require(same_vars, || "variables are not the same".to_owned())?;
        let mut used: FxHashSet<VarId> = FxHashSet::default();
        let mut own = |var: VarId, ty: Type| {
            let is_new = var.index() >= old.vars.len() && var.index() < new.vars.len();
            require(is_new && used.insert(var) && new.vars[var].ty == ty, || {
                format!("{var:?} is no variable of its own")
            })
        };
        let mut free = FIRST_ADDRESS;
        for object in self.scalars.objects.values() {
            let room = match object.size {
                // Nobody looks at its bounds.
                UNKNOWN_SIZE => 0,
                size => size,
            };
            let end = object.base.saturating_add(room);
            require(object.base >= free && end < LAST_ADDRESS, || {
                format!("{:?} overlaps with another", object.home)
            })?;
            // A byte between, so that no pointer to the end of one is a pointer to another.
            free = end + 1;
            let mut next = 0;
            for (&offset, cell) in &object.cells {
                own(cell.var, cell.ty)?;
                require(offset >= next, || {
                    format!("pieces of {:?} overlap", object.home)
                })?;
                next = offset.saturating_add(cell.ty.size(old.data_model));
            }
            require(next <= object.size, || {
                format!("{:?} is too small", object.home)
            })?;
            if let Some(alive) = object.alive {
                own(alive, Type::Bool)?;
            }
            self.check_home(object)?;
        }
        self.check_ghosts(&mut used)?;
        self.check_instances(&mut used)
    }

    fn check_home(&self, promoted: &Promoted) -> Checked {
        let cfa = &self.old.functions[self.start()].cfa;
        let (size, is_global) = match promoted.home {
            Home::Declared(id) => {
                let object = &self.old.objects[id];
                let is_global = object.scope == Scope::Global;
                require(
                    is_global || object.scope == Scope::Local(self.start()),
                    || format!("{id:?} is of another function"),
                )?;
                (Some(object.size), is_global)
            }
            Home::Allocated(id) => {
                let Action::Alloc { size, .. } = cfa.edges[id].action else {
                    return object_to(format!("{id:?} allocates nothing"));
                };
                // Once in a run: no way leads back to it.
                let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
                let graph = Graph::new(cfa.locations.len(), edges);
                let again = graph.reachable([cfa.edges[id].target]);
                let is_followed = self.allocates_many(id).is_some();
                require(is_followed || !again[cfa.edges[id].source], || {
                    format!("{id:?} allocates any number of times")
                })?;
                (self.constant(size), false)
            }
        };
        let scope = promoted.cells.values().map(|cell| &self.new.vars[cell.var]);
        let fits = scope
            .into_iter()
            .all(|var| (var.scope == Scope::Global) == is_global);
        let is_size = match promoted.ghost {
            true => promoted.size == UNKNOWN_SIZE || size == Some(promoted.size),
            false => size == Some(promoted.size) && promoted.size != UNKNOWN_SIZE,
        };
        let is_empty = promoted.cells.is_empty() || !promoted.ghost;
        require(
            is_size && is_empty && fits && promoted.alive.is_none() == is_global,
            || format!("{:?} is not what is said", promoted.home),
        )
    }

    /// First values are what they were.
    pub(super) fn check_first_values(&self) -> Checked {
        let (old, new) = (self.old, self.new);
        for (id, var) in old.vars.iter_enumerated() {
            match (var.init, new.vars[id].init) {
                (None, None) => {}
                (Some(a), Some(b)) => {
                    self.image(a, b)?;
                    if var.ty == Type::Ptr {
                        self.flows(&self.pointees(a), id, "first value")?;
                    }
                }
                _ => return object_to(format!("{id:?} has another first value")),
            }
        }
        for (id, object) in old.objects.iter_enumerated() {
            let home = self.declared.get(&id);
            // The contents of an object of which only some elements are followed are as those of other memory.
            match home.filter(|home| !self.scalars.objects[home].ghost) {
                None => {
                    for init in &object.init {
                        if let Init::Scalar { value, .. } = init {
                            self.is_unknown(*value, "an object's first contents")?;
                        }
                    }
                }
                Some(&home) => self.check_first_contents(object, self.object(home)?)?,
            }
        }
        Ok(())
    }

    fn check_first_contents(&self, object: &Object, promoted: &Promoted) -> Checked {
        let model = self.old.data_model;
        let what = "first contents";
        for (&offset, cell) in &promoted.cells {
            let end = offset + cell.ty.size(model);
            let mut expected: Option<ExprId> = None;
            let mut bytes = [0u8; 16];
            for init in &object.init {
                match init {
                    Init::Scalar {
                        offset: at,
                        access,
                        value,
                    } if *at < end && at + access.size(model) > offset => {
                        let is_whole = *at == offset && access.bits.is_none();
                        require(is_whole && is_convertible(access.ty, cell.ty), || {
                            format!("{what} of {:?} overlap", object.decl.name)
                        })?;
                        expected = Some(*value);
                    }
                    Init::Scalar { .. } => {}
                    Init::Bytes {
                        offset: at,
                        bytes: given,
                    } => {
                        for (place, &byte) in (*at..).zip(given.iter()) {
                            if place >= offset && place < end {
                                bytes[(place - offset) as usize] = byte;
                            }
                        }
                    }
                }
            }
            let first = self.new.vars[cell.var].init;
            let bits = u128::from_le_bytes(bytes);
            let is_same = match (expected, first) {
                (None, None) => bits == 0,
                (None, Some(first)) => {
                    let kind = self.new.exprs[first].kind;
                    matches!(cell.ty, Type::Int(_) | Type::Float(_))
                        && kind == ExprKind::Const(bits)
                }
                (Some(value), Some(first)) if bits == 0 => {
                    self.converted(value, first)?;
                    if cell.ty == Type::Ptr {
                        self.flows(&self.pointees(value), cell.var, what)?;
                    }
                    true
                }
                _ => false,
            };
            require(is_same, || {
                format!("{what} of {:?} differ", object.decl.name)
            })?;
        }
        Ok(())
    }

    /// Functions that are still called are as they were and know nothing of what has become variables; and others don't, either.
    pub(super) fn check_other_functions(&self) -> Checked {
        let (old, new) = (self.old, self.new);
        for (id, function) in old.functions.iter_enumerated() {
            let calls_others = function.cfa.edges.iter().any(|edge| {
                let Action::Call { callee, .. } = edge.action else {
                    return false;
                };
                callee == Callee::Builtin(Builtin::Outside)
            });
            for object in self.scalars.objects.values().filter(|_| calls_others) {
                let Home::Declared(object) = object.home else {
                    continue;
                };
                let object = &old.objects[object];
                let is_visible = object.scope == Scope::Global && !object.read_only;
                require(!is_visible, || {
                    format!("others change {:?}", object.decl.name)
                })?;
            }
            if id == self.start() {
                continue;
            }
            let cfa = &new.functions[id].cfa;
            let same = cfa.edges.len() == function.cfa.edges.len()
                && cfa.entry == function.cfa.entry
                && (cfa.edges.iter().zip(&function.cfa.edges)).all(|(a, b)| {
                    (a.source, a.target, &a.action) == (b.source, b.target, &b.action)
                });
            require(same, || format!("{} is another function", function.name))?;
            for edge in &function.cfa.edges {
                let mut known = Ok(());
                edge.action.for_each_expr(|expr| {
                    if known.is_ok() {
                        known = self.is_unknown(expr, "a function that is called");
                    }
                });
                known?;
                if let Some(var) = edge.action.defined_var() {
                    require(!self.fact(var).is_tainted(), || {
                        format!("{} sets {var:?}", function.name)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// No pointer to what has become variables is in an expression.
    pub(super) fn is_unknown(&self, id: ExprId, what: &str) -> Checked {
        let is_known = match self.old.exprs[id].kind {
            ExprKind::Var(var) => self.fact(var).is_tainted(),
            ExprKind::AddrOf(object) => self.declared.contains_key(&object),
            _ => false,
        };
        require(!is_known, || format!("{what} mentions an object"))?;
        let mut children = self.old.exprs.children(id);
        children.try_for_each(|child| self.is_unknown(child, what))
    }
}
