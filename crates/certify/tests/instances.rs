//! Allocations of which one instance is followed: what the pass makes is accepted; what is wrong in it is rejected.

#[path = "support/ghosts.rs"]
mod ghosts;

use ghosts::{assert_accepted, assert_rejected, followed};
use rhumb_certify::proof::memory::check;
use rhumb_program::passes::scalars::{Home, Scalars};
use rhumb_program::{Action, DataModel, ExprKind, LocKind, Program, Type, VarId};

const PRELUDE: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); \
    extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void free(void *); \
    struct node { int h; struct node *next; }; ";

fn inlined(text: &str, data_model: DataModel) -> Program {
    ghosts::inlined(&format!("{PRELUDE}{text}"), data_model)
}

const PROGRAMS: [&str; 7] = [
    // In front of the others.
    "int main(void) { struct node *list = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; n->next = list; list = n; } \
      for (struct node *p = list; p; p = p->next) if (p->h != 1) reach_error(); }",
    // Behind the others, the first of which is allocated elsewhere; and all are freed.
    "int main(void) { struct node *list = calloc(1, sizeof *list); list->h = 2; struct node *t = list; while (__VERIFIER_nondet_int()) { \
      t->next = calloc(1, sizeof *t); t = t->next; t->h = 3; } t->next = 0; \
      while (list) { if (list->h < 2) reach_error(); struct node *p = list; list = list->next; free(p); } }",
    // Two lists, and one function for both.
    "struct node *make(int v) { struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = calloc(1, sizeof *n); n->h = v; n->next = l; l = n; } return l; } \
      int main(void) { struct node *a = make(1), *b = make(2); for (; a; a = a->next) if (a->h != 1) reach_error(); for (; b; b = b->next) if (b->h != 2) reach_error(); }",
    // Both ways.
    "struct two { struct two *next, *prev; int h; }; int main(void) { struct two *l = 0; while (__VERIFIER_nondet_int()) { struct two *n = malloc(sizeof *n); \
      n->prev = 0; n->next = l; n->h = 7; if (l) l->prev = n; l = n; } for (; l; l = l->next) if (l->h != 7) reach_error(); }",
    // A pointer to another allocation in each.
    "struct out { struct node *in; }; int main(void) { struct out *last = 0; while (__VERIFIER_nondet_int()) { struct node *in = malloc(sizeof *in); \
      in->h = 4; struct out *o = malloc(sizeof *o); o->in = in; last = o; } if (last && last->in->h != 4) reach_error(); }",
    // Pointers that are set a round later, and one that is read where it was just set.
    "int main(void) { struct node *list = malloc(sizeof *list), *t = list; list->h = 1; while (__VERIFIER_nondet_int()) { \
      struct node *n = malloc(sizeof *n); t->next = n; t = t->next; t->h = 1; } t->next = 0; \
      for (struct node *p = list; p; p = p->next) if (p->h != 1) reach_error(); }",
    // By a pointer to where the next one hangs.
    "int main(void) { struct node *list = 0, **end = &list; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->h = 1; n->next = 0; \
      *end = n; end = &n->next; } for (struct node *p = list; p; p = p->next) if (p->h != 1) reach_error(); }",
];

/// Those that have pointers that may be set late.
const LATE: usize = 5;

#[test]
fn what_the_pass_makes_is_accepted() {
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        for text in PROGRAMS {
            let program = inlined(text, model);
            let (plan, scalars) = followed(&program);
            assert!(!plan.is_empty() && !plan.reads.is_empty(), "{text}");
            assert!(!scalars.instances.of.is_empty(), "{text}");
            assert!(scalars.instances.met.is_some(), "{text}");
            assert!(text != PROGRAMS[LATE] || scalars.instances.late.len() == 2);
            assert_accepted(&program, &scalars, text);
        }
    }
}

#[test]
fn what_can_not_be_followed_is_left_in_memory() {
    for body in [
        // What depends on where instances lie.
        "struct node *a = list; struct node *b = list->next; free(b); list = malloc(sizeof *list); if (list == b) reach_error();",
        "if (list < list->next) reach_error();",
        "if (list - list->next == 3) reach_error();",
        "if ((long)list == 5) reach_error();",
        // A number that nobody chose.
        "struct node *any; if (any == list) reach_error();",
        // Copies of nodes, parts of fields, addresses out of sight.
        "struct node copy = *list; *list->next = copy; if (copy.h) reach_error();",
        "*(char *)&list->next = 3; if (list->h) reach_error();",
        "struct node **far = malloc(__VERIFIER_nondet_int()); far[__VERIFIER_nondet_int()] = list; if (list->h) reach_error();",
    ] {
        let text = format!(
            "int main(void) {{ struct node *list = 0; while (__VERIFIER_nondet_int()) {{ struct node *n = malloc(sizeof *n); \
              n->h = 1; n->next = list; list = n; }} {body} }}"
        );
        let program = inlined(&text, DataModel::Lp64);
        let (_, scalars) = followed(&program);
        let mut edges = program.functions[program.start].cfa.edges.iter_enumerated();
        let first = edges.find(|(_, edge)| matches!(edge.action, Action::Alloc { .. }));
        let first = Home::Allocated(first.expect("an allocation").0);
        let mut followed = scalars.objects.values();
        assert!(followed.all(|object| object.home != first), "{body}");
        // A program of which nothing is followed is the given one.
        if !scalars.objects.is_empty() {
            check(&program, &scalars).unwrap_or_else(|objection| panic!("{objection}\n{body}"));
        }
    }
}

/// Results of the pass with one thing wrong, each with a word for it.
fn wrong(given: &Program, right: &Scalars) -> Vec<(String, Scalars)> {
    let mut all: Vec<(String, Scalars)> = Vec::new();
    let program = &right.passed.program;
    let start = program.start;
    let cfa = &program.functions[start].cfa;
    let is_new = |var: VarId| var.index() >= given.vars.len();
    for (id, edge) in cfa.edges.iter_enumerated() {
        let mut change = |what: &str, action: Action| {
            let mut other = right.clone();
            other.passed.program.functions[start].cfa.edges[id].action = action;
            all.push((format!("{what} at {id:?}: {:?}", edge.action), other));
        };
        let is_alive =
            |var: VarId| (right.objects.values()).any(|object| object.alive == Some(var));
        match edge.action {
            Action::Approximate { dst: Some(_), .. } => {
                change("nothing is forgotten", Action::Skip)
            }
            Action::Alloc { .. } => change("nothing is allocated", Action::Skip),
            // That a pointer is set need not be said.
            Action::Assign { dst, value }
                if right.instances.late.values().any(|&is_set| is_set == dst)
                    && program.exprs[value].kind == ExprKind::Const(1) => {}
            Action::Assign { dst, value } if is_new(dst) && !is_alive(dst) => {
                change("nothing is set", Action::Skip);
                let ty = program.vars[dst].ty;
                let bits = u128::from(ty != Type::Bool) * 77;
                if program.exprs[value].kind != ExprKind::Const(bits) {
                    let mut other = right.clone();
                    let value = other.passed.program.exprs.push(ExprKind::Const(bits), ty);
                    other.passed.program.functions[start].cfa.edges[id].action =
                        Action::Assign { dst, value };
                    all.push((format!("a constant at {id:?}"), other));
                }
            }
            _ => {}
        }
        if let Action::Assume { holds: true, .. } = edge.action
            && let &[first, second] = cfa.outgoing(edge.source)
        {
            let mut other = right.clone();
            let edges = &mut other.passed.program.functions[start].cfa.edges;
            let (a, b) = (edges[first].target, edges[second].target);
            if a != b {
                (edges[first].target, edges[second].target) = (b, a);
                all.push((format!("the branch {first:?} is turned round"), other));
            }
        }
        if matches!(cfa.locations[edge.target].kind, LocKind::Target(_))
            && matches!(edge.action, Action::Assume { .. })
        {
            let mut other = right.clone();
            let end = cfa.edges[cfa.outgoing(edge.source)[1]].target;
            other.passed.program.functions[start].cfa.edges[id].target = end;
            all.push(("a gate that nobody passes".to_owned(), other));
        }
    }
    for (home, one) in &right.instances.of {
        let mut other = right.clone();
        other.instances.of.remove(home);
        all.push(("one of many is the only one".to_owned(), other));
        let mut other = right.clone();
        let first = other.passed.program.exprs.bool(true);
        other.passed.program.vars[one.taken].init = Some(first);
        all.push(("it is taken at first".to_owned(), other));
        let mut other = right.clone();
        other
            .instances
            .of
            .entry(*home)
            .and_modify(|one| one.pick = one.taken);
        all.push(("one variable for two things".to_owned(), other));
        for cell in right.objects[home].cells.values() {
            if cell.ty == Type::Ptr {
                let mut other = right.clone();
                other.pointees[cell.var].objects.clear();
                if other.pointees[cell.var] != right.pointees[cell.var] {
                    all.push(("a piece that points to nothing".to_owned(), other));
                }
            }
        }
    }
    for (&cell, &is_set) in &right.instances.late {
        let mut other = right.clone();
        other.instances.late.remove(&cell);
        all.push(("nobody asks whether it is set".to_owned(), other));
        let mut other = right.clone();
        other.instances.late.insert(cell, cell);
        all.push(("a pointer says whether it is set".to_owned(), other));
        let says = |action: &Action| action.defined_var() == Some(is_set);
        for (id, edge) in cfa
            .edges
            .iter_enumerated()
            .filter(|entry| says(&entry.1.action))
        {
            let Action::Assign { dst, value } = edge.action else {
                continue;
            };
            // That it is not set any more has to be said; that it is need not.
            if program.exprs[value].kind == ExprKind::Const(0) {
                let mut other = right.clone();
                let value = other.passed.program.exprs.bool(true);
                other.passed.program.functions[start].cfa.edges[id].action =
                    Action::Assign { dst, value };
                all.push((format!("set without contents at {id:?}"), other));
            }
        }
        // Other steps don't say so.
        for (id, edge) in cfa.edges.iter_enumerated() {
            let is_load =
                matches!(edge.action, Action::Approximate { dst: Some(dst), .. } if !is_new(dst));
            if is_load {
                let mut other = right.clone();
                let value = other.passed.program.exprs.bool(true);
                other.passed.program.functions[start].cfa.edges[id].action =
                    Action::Assign { dst: is_set, value };
                all.push((format!("set by a load at {id:?}"), other));
            }
        }
    }
    for (id, edge) in cfa.edges.iter_enumerated() {
        if matches!(edge.action, Action::Approximate { dst: None, .. }) {
            // What is not set leads elsewhere, or is forgotten.
            let mut other = right.clone();
            let exit = cfa.exit;
            other.passed.program.functions[start].cfa.edges[id].target = exit;
            all.push((format!("what is not set ends at {id:?}"), other));
        }
    }
    for place in 0..right.instances.reads.len() {
        let mut other = right.clone();
        other.instances.reads.remove(place);
        all.push(("a read that is none".to_owned(), other));
    }
    if let Some(met) = right.instances.met {
        let mut other = right.clone();
        other.passed.program.vars[met].init = None;
        all.push(("nothing is met at first".to_owned(), other));
    }
    all
}

#[test]
fn what_is_wrong_is_rejected() {
    let mut count = 0;
    for text in PROGRAMS {
        let program = inlined(text, DataModel::Ilp32);
        let (_, scalars) = followed(&program);
        count += assert_rejected(&program, wrong(&program, &scalars), text);
    }
    assert!(count > 150, "only {count} mutants");
}
