//! Programs as C text, and proofs with formulas as text over the names of the source.

use std::sync::Arc;
use std::time::Duration;

use rhumb_certify::file::text::{Names, read};
use rhumb_certify::proof::{
    Accepted, Formula, Hint, Instance, Point, Proof, Rejected, Variable, check,
};
use rhumb_cfront::{Options, compile_text};
use rhumb_logic::{Budget, Sort, Symbol, Term, Terms};
use rhumb_program::graph::{Graph, LoopNest};
use rhumb_program::passes::{LocRef, inline};
use rhumb_program::{DataModel, LocId, LocKind, Program, Scope};

use crate::second;

/// Declarations that every program here begins with, on one line.
pub(crate) const PRELUDE: &str = "extern void __VERIFIER_error(void); extern int __VERIFIER_nondet_int(void); \
    extern unsigned __VERIFIER_nondet_uint(void); extern unsigned char __VERIFIER_nondet_uchar(void); \
    extern char __VERIFIER_nondet_char(void); extern _Bool __VERIFIER_nondet_bool(void); \
    extern unsigned short __VERIFIER_nondet_ushort(void); extern long __VERIFIER_nondet_long(void); ";

/// The program of a text as lowered. The prelude stands on its first line.
pub(crate) fn lower(text: &str) -> Program {
    lower_for(DataModel::default(), text)
}

pub(crate) fn lower_for(data_model: DataModel, text: &str) -> Program {
    let text = format!("{PRELUDE}{text}");
    let options = Options {
        data_model,
        ..Options::default()
    };
    compile_text("test.c", &text, &options).expect(&text)
}

/// A proof about a program, written by hand.
pub(crate) struct Written {
    pub(crate) program: Program,
    pub(crate) proof: Proof,
    pub(crate) inlined: Program,
    /// Names of variables: alone if there is one of the name, else as `function.name`, else as `function.name@line` of the last call.
    pub(crate) names: Names,
    /// Loop heads with the line of their statement, and the line of the last call.
    pub(crate) heads: Vec<(LocId, Point, u32, Option<u32>)>,
    targets: Vec<Point>,
}

impl Written {
    pub(crate) fn new(text: &str) -> Written {
        let program = lower(text);
        let passed = inline::run(&program, 1_000_000).passed;
        let terms = Arc::new(Terms::new());
        let mut proof = Proof::invariants(terms.clone());
        let line = |span| program.sources.position(span).line;
        let mut names = Names::default();
        let mut declared: Vec<[String; 3]> = Vec::new();
        let mut symbols: Vec<Symbol> = Vec::new();
        for var in passed.program.vars.indices() {
            let variable = Variable::of(&passed.restore, var);
            let Some(original) = variable.var.variable().map(|var| &program.vars[var]) else {
                continue;
            };
            let name = original.decl.name.to_string();
            // Inlining keeps the variables of functions that are gone.
            let function = match original.scope {
                Scope::Global => String::new(),
                Scope::Local(function) => {
                    let is_copy = !variable.calls.is_empty();
                    if !is_copy && function != program.start {
                        continue;
                    }
                    format!("{}.", program.functions[function].name)
                }
            };
            let at = variable.calls.last().map_or(String::new(), |call| {
                let edge = &program.functions[call.function].cfa.edges[call.edge];
                format!("@{}", line(edge.span))
            });
            let symbol = terms.symbol(&*name, Sort::Int);
            declared.push([
                name.clone(),
                format!("{function}{name}"),
                format!("{function}{name}{at}"),
            ]);
            symbols.push(symbol);
            proof.declare(symbol, variable);
        }
        for kind in 0..3 {
            for (own, &symbol) in declared.iter().zip(&symbols) {
                if declared
                    .iter()
                    .filter(|other| other[kind] == own[kind])
                    .count()
                    == 1
                {
                    names.insert(own[kind].clone(), symbol);
                }
            }
        }
        let function = passed.program.start;
        let cfa = &passed.program.functions[function].cfa;
        let graph = Graph::new(
            cfa.locations.len(),
            cfa.edges.iter().map(|edge| (edge.source, edge.target)),
        );
        let point = |location| Point::of(&passed.restore, LocRef { function, location });
        let nest = LoopNest::of(&graph, cfa.entry);
        let heads = nest.heads().iter().map(|&head| {
            let point = point(head).expect("a loop head has a name");
            let at = &cfa.locations[head];
            let span = at
                .loop_statement
                .unwrap_or_else(|| cfa.edges[at.outgoing[0]].span);
            let call = point
                .calls
                .last()
                .map(|call| line(program.functions[call.function].cfa.edges[call.edge].span));
            (head, point, line(span), call)
        });
        let heads = heads.collect();
        let targets = cfa.locations.iter_enumerated();
        let targets = targets
            .filter(|(_, location)| matches!(location.kind, LocKind::Target(_)))
            .filter_map(|(at, _)| point(at));
        let targets = targets.collect();
        Written {
            inlined: passed.program.clone(),
            program,
            proof,
            names,
            heads,
            targets,
        }
    }

    /// The head of the loop whose statement is on a line.
    pub(crate) fn head(&self, line: u32) -> Point {
        let found: Vec<&Point> = self
            .heads
            .iter()
            .filter(|head| head.2 == line)
            .map(|head| &head.1)
            .collect();
        assert_eq!(found.len(), 1, "loops on line {line}: {:?}", self.heads);
        found[0].clone()
    }

    /// The same in the copy of the function that is called on a line.
    pub(crate) fn head_in_call(&self, line: u32, call: u32) -> Point {
        let here =
            |head: &&(LocId, Point, u32, Option<u32>)| head.2 == line && head.3 == Some(call);
        let found: Vec<&Point> = self.heads.iter().filter(here).map(|head| &head.1).collect();
        assert_eq!(found.len(), 1, "{:?}", self.heads);
        found[0].clone()
    }

    /// The one target.
    pub(crate) fn target(&self) -> Point {
        assert_eq!(self.targets.len(), 1);
        self.targets[0].clone()
    }

    pub(crate) fn term(&self, text: &str) -> Term {
        read(&self.proof.terms, text, &self.names).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// Adds formulas at the loop on a line.
    pub(crate) fn at(mut self, line: u32, formulas: &[&str]) -> Written {
        let point = self.head(line);
        for text in formulas {
            let formula = Formula::plain(self.term(text));
            self.proof.add(point.clone(), formula);
        }
        self
    }

    /// Adds formulas at the loop on a line, in the copy of the function called on another.
    pub(crate) fn in_call(mut self, line: u32, call: u32, formulas: &[&str]) -> Written {
        let point = self.head_in_call(line, call);
        for text in formulas {
            let formula = Formula::plain(self.term(text));
            self.proof.add(point.clone(), formula);
        }
        self
    }

    /// A symbol to be bound.
    pub(crate) fn counter(&mut self, name: &str) -> Symbol {
        let symbol = self.proof.terms.symbol(name, Sort::Int);
        self.names.insert(name.to_owned(), symbol);
        symbol
    }

    /// A hint for the only premise and the only goal.
    pub(crate) fn hint(
        &mut self,
        from: Point,
        to: Point,
        goal: Option<usize>,
        instance: Instance,
        values: &[&str],
    ) {
        let values = values.iter().map(|text| self.term(text)).collect();
        self.proof.hint(Hint {
            from,
            to,
            goal,
            instance,
            values,
        });
    }

    pub(crate) fn check(&self) -> Result<Accepted, Rejected> {
        let checked = check(
            &self.program,
            &self.proof,
            &Budget::time(Duration::from_secs(20)),
        );
        second::agrees(&self.program, &self.proof, &checked);
        checked
    }

    pub(crate) fn accepted(&self) {
        if let Err(error) = self.check() {
            panic!("{error}");
        }
    }

    /// The message with which it is rejected, since an obligation doesn't hold.
    pub(crate) fn fails(&self) -> String {
        match self.check() {
            Err(Rejected::Fails(failure)) => failure.to_string(),
            other => panic!("{other:?}"),
        }
    }
}

/// `no k: k >= 0 and x - 3k = 1`: the bound symbol counts the rounds that are still to come. The value is what a round makes of it.
pub(crate) fn counted_down(value: &str) -> Written {
    let text = "int main() { long x = __VERIFIER_nondet_int(); if (x % 3 == 1 || x < 0) return 0;\n \
        while (x > 3) x -= 3;\n if (x == 1) __VERIFIER_error(); }";
    let mut written = Written::new(text);
    let k = written.counter("k");
    let head = written.head(2);
    let matrix = written.term("(and (>= k 0) (= (- x (* 3 k)) 1))");
    written
        .proof
        .add(head.clone(), Formula::none(vec![k], matrix));
    let plain = Formula::plain(written.term("(>= x 0)"));
    written.proof.add(head.clone(), plain);
    // A state from which k rounds lead to the error comes from one from which k + 1 do.
    written.hint(
        head.clone(),
        head.clone(),
        Some(0),
        Instance::Premise(0),
        &[value],
    );
    let target = written.target();
    written.hint(head, target, None, Instance::Premise(0), &["0"]);
    written
}
