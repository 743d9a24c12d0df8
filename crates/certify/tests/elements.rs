//! Elements of large objects that are followed: what the pass makes is accepted; what is wrong in it is rejected.

#[path = "support/ghosts.rs"]
mod ghosts;

use ghosts::{assert_accepted, assert_rejected, followed};
use rhumb_certify::proof::memory::check;
use rhumb_program::passes::scalars::{
    self, Again, FoldPlan, GhostCell, GhostFold, HomeId, Scalars,
};
use rhumb_program::{Action, DataModel, ExprKind, IntType, LocKind, Program, Type, VarId};

const PRELUDE: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); \
    extern void *malloc(unsigned long); extern void free(void *); extern void *memset(void *, int, unsigned long); ";

fn inlined(text: &str, data_model: DataModel) -> Program {
    ghosts::inlined(&format!("{PRELUDE}{text}"), data_model)
}

const PROGRAMS: [&str; 12] = [
    "int a[1000]; int main(void) { for (int i = 0; i < 1000; i++) a[i] = 5; for (int i = 0; i < 1000; i++) if (a[i] != 5) reach_error(); }",
    "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 999) return 0; int a[n], b[n]; \
      for (int i = 0; i < n; i++) b[i] = a[i]; for (int i = 0; i < n; i++) if (a[i] != b[i]) reach_error(); }",
    "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 999) return 0; int *p = malloc(n * sizeof(int)); \
      for (int *q = p; q < p + n; q++) *q = 1; for (int i = 0; i < n; i++) if (p[i] != 1) reach_error(); free(p); }",
    "struct s { int x; int y; }; struct s t[500]; int main(void) { for (int i = 0; i < 500; i++) { t[i].x = i; t[i].y = -i; } \
      for (int i = 0; i < 500; i++) if (t[i].x + t[i].y != 0) reach_error(); }",
    "void fill(int *p, int n, int v) { while (n > 0) p[--n] = v; } int a[300]; \
      int main(void) { fill(a, 300, 3); int j = __VERIFIER_nondet_int(); if (j < 0 || j > 299) return 0; if (a[j] != 3) reach_error(); }",
    "char s[100]; int main(void) { memset(s, 0, 100); for (int i = 0; i < 100; i++) if (s[i]) reach_error(); }",
    "int m[40][50]; int main(void) { for (int i = 0; i < 40; i++) for (int j = 0; j < 50; j++) m[i][j] = 1; \
      for (int i = 0; i < 40; i++) for (int j = 0; j < 50; j++) if (m[i][j] != 1) reach_error(); }",
    "int a[100] = { 1, 2 }; int main(void) { a[3] = 4; short *h = (short *)a; h[8] = 1; for (int i = 0; i < 100; i++) if (a[i] > 4) reach_error(); }",
    "int a[100]; int main(void) { for (int i = 0; i < 100; i++) a[i] = i; for (int i = 0; i < 99; i++) if (a[i] > a[i + 1]) reach_error(); }",
    "int a[100]; int main(void) { int least = 0; for (int i = 0; i < 100; i++) if (a[i] < least) least = a[i]; \
      for (int i = 0; i < 100; i++) if (a[i] < least) reach_error(); }",
    "int main(void) { int n = 30, m = 40; int a[m][n]; for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] = i; \
      for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) if (a[i][j] != i) reach_error(); }",
    "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 99) return 0; short *p = malloc(n * n * sizeof *p); \
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) p[i * n + j] = 1; \
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (p[i * n + j] != 1) reach_error(); }",
];

/// Programs that add up the same elements more than once.
const SUMS: [&str; 5] = [
    "int a[1000]; int main(void) { long s = 0; for (int i = 0; i < 1000; i++) s += a[i]; for (int i = 0; i < 1000; i++) s -= a[i]; if (s) reach_error(); }",
    "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 999) return 0; short a[n]; long s = 0; a[0] = 3; \
      for (int i = 0; i < n; i++) s += a[i]; for (int i = n - 1; i >= 0; i--) s -= a[i]; a[0]++; if (s) reach_error(); }",
    "int sum(int *p, int n) { int s = 0; for (int *q = p; q < p + n; q++) s += *q; return s; } int a[300], b[300]; \
      int main(void) { for (int i = 0; i < 300; i++) b[i] = a[i] = i; int x = sum(a, 300), y = sum(a, 300); memset(b, 1, 20); \
      if (x != y || sum(b, 9) != sum(b, 9)) reach_error(); }",
    "int a[300]; int main(void) { int s = 0; for (int i = 0; i < 300; i++) { int t = a[i]; s += t; a[i] = s; } \
      for (int i = 0; i < 300; i += 1) { int t = a[i]; s -= t; } if (s) reach_error(); }",
    "int a[300]; int main(void) { int s = 0; for (int i = 0; i < 300; i++) s += a[i]; for (int i = 0; i < 300; i++) s -= a[i]; \
      for (int i = 0; i < 300; i++) if (a[i] != s) reach_error(); }",
];

#[test]
fn what_the_pass_makes_of_sums_is_accepted() {
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        for text in SUMS {
            let program = inlined(text, model);
            let (_, scalars) = followed(&program);
            assert!(scalars.ghosts.folds.len() > 1, "{text}");
            assert_accepted(&program, &scalars, text);
        }
    }
}

#[test]
fn what_the_pass_makes_is_accepted() {
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        for text in PROGRAMS {
            let program = inlined(text, model);
            let (plan, scalars) = followed(&program);
            assert!(!plan.is_empty(), "{text}");
            assert!(!scalars.ghosts.cells.is_empty(), "{text}");
            let sites = scalars.ghosts.indices.iter().map(|index| index.sites.len());
            assert!(sites.sum::<usize>() > 0, "{text}");
            assert_accepted(&program, &scalars, text);
        }
    }
}

/// Whether the last load of a function body is known to read what was read before.
fn is_read_again(body: &str) -> bool {
    let text = format!(
        "int a[100], b[100]; int f(int *p) {{ p[1] = 4; return 1; }} int main(void) {{ int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int(), \
          x, y = 0; if (i < 0 || i > 9 || j < 0 || j > 9) return 0; {body} if (x != y) reach_error(); }}"
    );
    let program = inlined(&text, DataModel::Lp64);
    let cfa = &program.functions[program.start].cfa;
    let loads = cfa.edges.indices();
    let mut loads = loads.filter(|&edge| matches!(cfa.edges[edge].action, Action::Load { .. }));
    let last = loads.next_back().expect("something is loaded");
    Again::new(&program).read_before(last).is_some()
}

#[test]
fn what_was_read_before_is_known() {
    for body in [
        "x = a[i]; y = a[i];",
        "x = a[i]; b[0] = 0; y = a[j]; x = a[j];",
        "x = a[i]; if (x < 3) y = a[i];",
        "int *p = a + i; x = *p; p = a + i; y = *p;",
        "x = a[5]; y = x + 1; y = a[5];",
        // What was stored there last.
        "x = 3; a[i] = x; y = a[i];",
        "x = 3; a[j] = 2; a[i] = x; b[5] = x; y = b[5];",
        "x = a[i]; a[j] = x; y = a[j];",
    ] {
        assert!(is_read_again(body), "{body}");
    }
}

#[test]
fn what_may_have_changed_is_not_known() {
    for body in [
        "x = a[i]; a[j] = 1; y = a[i];",
        "x = a[i]; i++; y = a[i];",
        "x = a[i]; y = a[i + 1];",
        "x = a[i]; y = b[i];",
        "x = a[i]; if (j > 5) a[i] = 3; y = a[i];",
        "x = a[i]; f(a); y = a[i];",
        "x = a[i]; y = ((short *)a)[2 * i];",
        "x = a[i]; __builtin_memset(a, 1, 8); y = a[i];",
        "int *p = a + i; x = *p; p = b + i; y = *p;",
        "x = a[i]; while (j-- > 0) i++; y = a[i];",
        "x = 3; a[i] = x; a[j] = 2; y = a[i];",
        "x = 3; a[i] = x; x = 4; y = a[i];",
        "x = 3; a[i] = x; y = a[j];",
        "x = 3; a[i] = x + 1; y = a[i];",
        "x = 3; a[i] = x; f(a + i - 1); y = a[i];",
        "x = 300; ((char *)a)[i] = x; y = ((char *)a)[i];",
        "x = 3; if (j > 4) a[i] = x; y = a[i];",
    ] {
        assert!(!is_read_again(body), "{body}");
    }
}

/// Results of the pass with one thing wrong, each with a word for it.
fn wrong(given: &Program, right: &Scalars) -> Vec<(String, Scalars)> {
    let mut all: Vec<(String, Scalars)> = Vec::new();
    let program = &right.passed.program;
    let start = program.start;
    let is_old = |var: VarId| var.index() < given.vars.len();
    for (id, edge) in program.functions[start].cfa.edges.iter_enumerated() {
        let mut change = |what: &str, action: Action| {
            let mut other = right.clone();
            other.passed.program.functions[start].cfa.edges[id].action = action;
            all.push((format!("{what} at {id:?}: {:?}", edge.action), other));
        };
        match edge.action {
            // What is not known is taken for known: an index, a cell, what is read.
            Action::Approximate { dst: Some(dst), .. } => {
                change("nothing is forgotten", Action::Skip);
                let like = |cell: &&GhostCell| {
                    cell.var != dst && program.vars[cell.var].ty == program.vars[dst].ty
                };
                if let Some(cell) = right.ghosts.cells.iter().find(like) {
                    let mut other = right.clone();
                    let value = other.passed.program.exprs.var(cell.var, cell.ty);
                    other.passed.program.functions[start].cfa.edges[id].action =
                        Action::Assign { dst, value };
                    all.push((format!("a cell instead of anything at {id:?}"), other));
                }
            }
            Action::Assign { dst, .. } if !is_old(dst) => {
                let objects = &mut right.objects.values();
                if !objects.any(|object| object.alive == Some(dst)) {
                    change("nothing is set", Action::Skip);
                    let mut other = right.clone();
                    let ty = program.vars[dst].ty;
                    let bits = u128::from(ty != Type::Bool) * 77;
                    let value = other.passed.program.exprs.push(ExprKind::Const(bits), ty);
                    other.passed.program.functions[start].cfa.edges[id].action =
                        Action::Assign { dst, value };
                    all.push((format!("a constant at {id:?}"), other));
                }
            }
            _ => {}
        }
        if let Action::Assume { holds: true, .. } = edge.action
            && let &[first, second] = program.functions[start].cfa.outgoing(edge.source)
        {
            let mut other = right.clone();
            let edges = &mut other.passed.program.functions[start].cfa.edges;
            let (a, b) = (edges[first].target, edges[second].target);
            if a != b {
                (edges[first].target, edges[second].target) = (b, a);
                all.push((format!("the branch {first:?} is turned round"), other));
            }
        }
    }
    for place in 0..right.ghosts.indices.len() {
        let mut other = right.clone();
        other.ghosts.indices[place].limit /= 2;
        all.push(("a smaller limit".to_owned(), other));
        for site in 0..right.ghosts.indices[place].sites.len() {
            let mut other = right.clone();
            other.ghosts.indices[place].sites.remove(site);
            all.push(("a site that is none".to_owned(), other));
        }
        let mut other = right.clone();
        other.passed.program.vars[right.ghosts.indices[place].hit].init = None;
        all.push(("an index that doesn't count at first".to_owned(), other));
    }
    for place in 0..right.ghosts.cells.len() {
        for (by, what) in [(1, "a byte further"), (4, "an element further")] {
            let mut other = right.clone();
            other.ghosts.cells[place].offset += by;
            all.push((format!("a cell is {what}"), other));
        }
    }
    for &pointer in right.ghosts.distances.keys() {
        let mut other = right.clone();
        other.pointees[pointer].other = true;
        all.push(("a pointer to anything has a distance".to_owned(), other));
    }
    for place in 0..right.ghosts.folds.len() {
        let mut change = |what: &str, change: &dyn Fn(&mut Scalars)| {
            let mut other = right.clone();
            change(&mut other);
            all.push((what.to_owned(), other));
        };
        change("a fold with another stride", &|other| {
            other.ghosts.folds[place].stride *= 2;
        });
        change("a fold in the opposite order", &|other| {
            other.ghosts.folds[place].stride *= -1;
        });
        change("a fold of elements with another type", &|other| {
            other.ghosts.folds[place].ty = Type::Int(IntType::unsigned(32));
        });
        change("a fold at another load", &|other| {
            let next = (place + 1) % right.ghosts.folds.len();
            other.ghosts.folds[place].site = right.ghosts.folds[next].site;
        });
        change("a fold of another object", &|other| {
            let home = right.ghosts.folds[place].home;
            let another = |id: &&HomeId| **id != home;
            match right.objects.keys().find(another) {
                Some(&another) => other.ghosts.folds[place].home = another,
                None => other.ghosts.folds[place].stride = 0,
            }
        });
        change("a fold that is not empty at first", &|other| {
            let fold = right.ghosts.folds[place];
            let one = other.passed.program.exprs.int(GhostFold::SUM, 1);
            other.passed.program.vars[fold.sum].init = Some(one);
        });
        change("places that change their roles", &|other| {
            let fold = &mut other.ghosts.folds[place];
            (fold.first, fold.next) = (fold.next, fold.first);
        });
    }
    // A way around the gate into a target that counts for less.
    let cfa = &program.functions[start].cfa;
    for (id, edge) in cfa.edges.iter_enumerated() {
        if matches!(cfa.locations[edge.target].kind, LocKind::Target(_))
            && matches!(edge.action, Action::Assume { .. })
        {
            let mut other = right.clone();
            let sink = cfa.outgoing(edge.source)[1];
            let end = cfa.edges[sink].target;
            other.passed.program.functions[start].cfa.edges[id].target = end;
            all.push(("a gate that nobody passes".to_owned(), other));
        }
    }
    all
}

#[test]
fn what_is_wrong_is_rejected() {
    let mut count = 0;
    for text in PROGRAMS.into_iter().chain(SUMS) {
        let program = inlined(text, DataModel::Ilp32);
        let (_, scalars) = followed(&program);
        count += assert_rejected(&program, wrong(&program, &scalars), text);
    }
    assert!(count > 300, "only {count} mutants");
}

#[test]
fn plans_that_make_no_sense_do_no_harm() {
    let program = inlined(PROGRAMS[1], DataModel::Lp64);
    let (plan, _) = followed(&program);
    let mut others = Vec::new();
    for cell in 0..plan.cells.len() {
        for (offset, stride) in [
            (0, 1),
            (-4, 4),
            (3, 4),
            (0, -4),
            (i64::MAX, i64::MAX),
            (0, 12),
        ] {
            let mut other = plan.clone();
            (other.cells[cell].offset, other.cells[cell].stride) = (offset, stride);
            others.push(other);
        }
        let mut other = plan.clone();
        other.cells[cell].index = 7;
        others.push(other);
    }
    for (site, stride) in [(0, 4), (99_999, 4), (7, 0), (7, i64::MIN)] {
        let mut other = plan.clone();
        other.folds.push(FoldPlan {
            home: plan.cells[0].home,
            site: rhumb_program::EdgeId::from_usize(site),
            stride,
            ty: plan.cells[0].ty,
        });
        others.push(other);
    }
    let mut other = plan.clone();
    other.indices[0].push((rhumb_program::EdgeId::from_usize(99_999), 0));
    other.indices[0].push((rhumb_program::EdgeId::from_usize(0), 99));
    others.push(other);
    for other in others {
        let scalars = scalars::with_ghosts(&program, &other);
        scalars.passed.program.validate().expect("a program");
        check(&program, &scalars).unwrap_or_else(|objection| panic!("{objection}: {other:?}"));
    }
}
