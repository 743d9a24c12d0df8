//! Proofs, broken on purpose.
//!
//! Whether a mutant is still a proof is decided by enumeration: all states of the variables' small types at each cut
//! point, all inputs, all steps. The checker has to agree, both ways.

use rhumb_certify::proof::{Formula, Point, Rejected};
use rhumb_logic::eval::Evaluator;
use rhumb_logic::{Int, Linear, Node, Symbol, Term, Terms};
use rhumb_program::{LocId, Type, VarId};
use rustc_hash::FxHashMap;

use crate::oracle::{End, Explicit, State};
use crate::support::Written;

/// A program with all of its steps between cut points.
struct Enumerated {
    written: Written,
    vars: Vec<VarId>,
    symbols: Vec<Symbol>,
    types: Vec<Type>,
    /// The ends of runs from the start.
    first: Vec<End>,
    /// For each cut point, the ends from each state, numbered by the variables' bits.
    steps: Vec<(LocId, Point, Vec<Vec<End>>)>,
}

fn width(ty: Type) -> u32 {
    match ty {
        Type::Bool => 1,
        Type::Int(int) => u32::from(int.width),
        _ => panic!("no integer"),
    }
}

impl Enumerated {
    /// Enumerates a program whose state at loop heads is made up of the named variables.
    fn new(written: Written, names: &[&str]) -> Enumerated {
        let symbols: Vec<Symbol> = names.iter().map(|name| written.names[*name]).collect();
        let find = |symbol: &Symbol| {
            let variable = &written.proof.variables[symbol];
            let passed = rhumb_program::passes::inline::run(&written.program, 1_000_000).passed;
            let mut copies = passed.program.vars.indices();
            let found = copies.find(|&copy| {
                rhumb_certify::proof::Variable::of(&passed.restore, copy) == *variable
            });
            found.expect("a variable of the program")
        };
        let vars: Vec<VarId> = symbols.iter().map(find).collect();
        let types: Vec<Type> = vars
            .iter()
            .map(|&var| written.inlined.vars[var].ty)
            .collect();
        let cuts: Vec<LocId> = written.heads.iter().map(|head| head.0).collect();
        let explicit = Explicit {
            program: &written.inlined,
            cuts: &cuts,
            vars: &vars,
        };
        let entry = written.inlined.functions[written.inlined.start].cfa.entry;
        let first = unique(explicit.ends(entry, State::default()));
        let bits: u32 = types.iter().map(|&ty| width(ty)).sum();
        let steps = written.heads.iter().map(|head| {
            let ends = (0..1usize << bits).map(|number| {
                let values = split(number, &types);
                let state = vars.iter().copied().zip(values).collect();
                unique(explicit.ends(head.0, state))
            });
            (head.0, head.1.clone(), ends.collect())
        });
        let steps = steps.collect();
        Enumerated {
            vars,
            symbols,
            types,
            first,
            steps,
            written,
        }
    }

    /// Whether the proof is one, by its definition.
    fn is_proof(&self) -> bool {
        let invariants = self
            .written
            .proof
            .as_invariants()
            .expect("a proof by invariants");
        let terms = &self.written.proof.terms;
        let mut holds: FxHashMap<LocId, Vec<bool>> = FxHashMap::default();
        for (at, point, steps) in &self.steps {
            let formulas = invariants
                .at
                .get(point)
                .map_or(&[][..], |formulas| formulas);
            let plain = |formula: &Formula| match formula.negated {
                true => terms.not(formula.matrix),
                false => formula.matrix,
            };
            let formula = terms.and(formulas.iter().map(plain));
            let evaluator = Evaluator::new(terms, &self.symbols, &[formula]);
            let mut frame = evaluator.frame();
            let values = (0..steps.len()).map(|number| {
                let bits = split(number, &self.types);
                let values: Vec<i128> = bits
                    .iter()
                    .zip(&self.types)
                    .map(|(&bits, &ty)| value(bits, ty))
                    .collect();
                evaluator.holds(&mut frame, &values).expect("small numbers")
            });
            holds.insert(*at, values.collect());
        }
        // A head without a formula is no cut point if the loop has another one: runs just pass through it.
        for (at, point, steps) in &self.steps {
            let loops = |ends: &Vec<End>| {
                ends.iter()
                    .any(|end| matches!(end, End::Cut(to, _) if to == at))
            };
            if !invariants.at.contains_key(point) && !steps.iter().any(loops) {
                let passes = steps
                    .iter()
                    .map(|ends| ends.iter().all(|end| self.is_right(end, &holds)));
                let passes = passes.collect();
                holds.insert(*at, passes);
            }
        }
        let is_right = |end: &End| self.is_right(end, &holds);
        self.first.iter().all(is_right)
            && self.steps.iter().all(|(at, _, steps)| {
                let from = &holds[at];
                steps
                    .iter()
                    .zip(from)
                    .all(|(ends, &from)| !from || ends.iter().all(is_right))
            })
    }

    fn is_right(&self, end: &End, holds: &FxHashMap<LocId, Vec<bool>>) -> bool {
        match end {
            End::Cut(to, bits) => holds[to][join(bits, &self.types)],
            End::Target => false,
            End::Nowhere => true,
        }
    }
}

fn unique(mut ends: Vec<End>) -> Vec<End> {
    let mut kept: Vec<End> = Vec::new();
    for end in ends.drain(..) {
        if !kept.contains(&end) {
            kept.push(end);
        }
    }
    kept
}

fn value(bits: u128, ty: Type) -> i128 {
    match ty {
        Type::Int(int) => int.extend(bits),
        _ => bits as i128,
    }
}

fn split(mut number: usize, types: &[Type]) -> Vec<u128> {
    let part = |&ty: &Type| {
        let bits = number & ((1 << width(ty)) - 1);
        number >>= width(ty);
        bits as u128
    };
    types.iter().map(part).collect()
}

fn join(bits: &[u128], types: &[Type]) -> usize {
    let pairs = bits.iter().zip(types).rev();
    pairs.fold(0, |number, (&bits, &ty)| {
        (number << width(ty)) | bits as usize
    })
}

/// Small changes of an atom.
fn changed_atoms(terms: &Terms, atom: Term) -> Vec<Term> {
    let mut changed = vec![terms.not(atom), terms.bool(true), terms.bool(false)];
    let mut sums = |sum: &Linear, make: &dyn Fn(&Linear) -> Term| {
        for change in [-1, 1] {
            let mut moved = sum.clone();
            moved.constant += Int::from(change);
            changed.push(make(&moved));
            for part in 0..sum.parts.len() {
                let single = terms.scale(change, sum.parts[part].0);
                changed.push(make(&sum.plus(&Int::ONE, &terms.as_linear(single))));
            }
        }
    };
    match terms.node(atom) {
        Node::AtMostZero(sum) => {
            sums(sum, &|sum| terms.at_most_zero(sum));
            changed.push(terms.zero(sum));
            // Turned round.
            changed.push(terms.at_most_zero(&sum.times(&Int::NEG_ONE)));
        }
        Node::Zero(sum) => {
            sums(sum, &|sum| terms.zero(sum));
            changed.push(terms.at_most_zero(sum));
            changed.push(terms.at_most_zero(&sum.times(&Int::NEG_ONE)));
        }
        Node::Divides(divisor, sum) => {
            sums(sum, &|sum| terms.divides_linear(divisor, sum));
            for other in [
                divisor - Int::ONE,
                divisor + Int::ONE,
                divisor * Int::from(2),
            ] {
                changed.push(terms.divides_linear(&other, sum));
            }
        }
        _ => {}
    }
    changed
}

/// The formula with one of its atoms, or one of its connectives, changed.
fn changed_formulas(terms: &Terms, formula: Term) -> Vec<Term> {
    let order = terms.postorder([formula]);
    let mut mutants = Vec::new();
    for &place in &order {
        let replacements = match terms.node(place) {
            Node::AtMostZero(_) | Node::Zero(_) | Node::Divides(..) => changed_atoms(terms, place),
            Node::And(parts) => vec![terms.or(parts.iter().copied())],
            Node::Or(parts) => vec![terms.and(parts.iter().copied())],
            _ => continue,
        };
        for replacement in replacements {
            let mut images: FxHashMap<Term, Term> = FxHashMap::default();
            for &term in &order {
                let image = match term == place {
                    true => replacement,
                    false => terms.rebuild(term, |child| images[&child]),
                };
                images.insert(term, image);
            }
            mutants.push(images[&formula]);
        }
    }
    mutants.sort_unstable();
    mutants.dedup();
    mutants.retain(|&mutant| mutant != formula);
    mutants
}

/// All mutants of the formulas at all points.
fn mutants(written: &Written) -> Vec<Vec<(Point, Vec<Formula>)>> {
    let terms = &written.proof.terms;
    let invariants = written
        .proof
        .as_invariants()
        .expect("a proof by invariants");
    let original: Vec<(Point, Vec<Formula>)> = invariants.at.clone().into_iter().collect();
    let mut mutants = Vec::new();
    for (place, (_, formulas)) in original.iter().enumerate() {
        let mut without = original.clone();
        without.remove(place);
        mutants.push(without);
        let swapped = (place + 1) % original.len();
        let mut exchanged = original.clone();
        exchanged[place].1 = original[swapped].1.clone();
        exchanged[swapped].1 = original[place].1.clone();
        mutants.push(exchanged);
        for (index, formula) in formulas.iter().enumerate() {
            let mut dropped = original.clone();
            dropped[place].1.remove(index);
            mutants.push(dropped);
            for changed in changed_formulas(terms, formula.matrix) {
                let mut mutant = original.clone();
                mutant[place].1[index] = Formula::plain(changed);
                mutants.push(mutant);
            }
        }
    }
    mutants
}

/// Checks all mutants. Gives how many were accepted and how many rejected.
fn run(written: Written, vars: &[&str]) -> (usize, usize) {
    let mut enumerated = Enumerated::new(written, vars);
    assert!(!enumerated.vars.is_empty());
    assert!(enumerated.is_proof(), "the proof is one");
    enumerated.written.accepted();
    let (mut accepted, mut rejected) = (0, 0);
    for mutant in mutants(&enumerated.written) {
        let terms = enumerated.written.proof.terms.clone();
        let variables = enumerated.written.proof.variables.clone();
        let mut proof = rhumb_certify::proof::Proof::invariants(terms.clone());
        proof.variables = variables;
        for (point, formulas) in &mutant {
            for formula in formulas {
                proof.add(point.clone(), formula.clone());
            }
        }
        enumerated.written.proof = proof;
        let shown = || {
            let formulas = mutant.iter().flat_map(|point| &point.1);
            let texts = formulas.map(|formula| terms.display(formula.matrix).to_string());
            texts.collect::<Vec<String>>().join("; ")
        };
        let is_proof = enumerated.is_proof();
        match enumerated.written.check() {
            Ok(_) => {
                assert!(is_proof, "accepted, but wrong: {}", shown());
                accepted += 1;
            }
            Err(Rejected::Fails(failure)) => {
                assert!(!is_proof, "rejected, but right: {}: {failure}", shown());
                rejected += 1;
            }
            Err(other) => panic!("{}: {other}", shown()),
        }
    }
    (accepted, rejected)
}

#[test]
fn every_wrong_mutant_is_rejected() {
    let cases: Vec<(&str, Written, Vec<&str>)> = vec![
        (
            "counter",
            Written::new(
                "int main() { unsigned char i = 0, s = 0;\n while (i < 10) { i++; s += 2; }\n if (s != 20) __VERIFIER_error(); }",
            )
            .at(2, &["(<= i 10)", "(= s (* 2 i))"]),
            vec!["i", "s"],
        ),
        (
            "wrap",
            Written::new(
                "int main() { signed char c = 0; unsigned char n = 0;\n while (n < 200) { c = c + 1; n++; }\n \
                 if (c != -56) __VERIFIER_error(); }",
            )
            .at(2, &["(<= n 200)", "(or (and (<= n 127) (= c n)) (and (>= n 128) (= c (- n 256))))"]),
            vec!["c", "n"],
        ),
        (
            "two phases",
            Written::new(
                "int main() { unsigned char x = 0, y = 50;\n while (x < 100) { x++; if (x > 50) y++; }\n \
                 if (y != 100) __VERIFIER_error(); }",
            )
            .at(2, &["(<= x 100)", "(or (and (<= x 50) (= y 50)) (and (> x 50) (= y x)))"]),
            vec!["x", "y"],
        ),
        (
            "nested",
            Written::new(
                "int main() { unsigned char i = 0, j = 0;\n while (i < 5) { j = 0;\n while (j < i) { j++; }\n \
                 if (j > 4) __VERIFIER_error(); i++; }\n if (i != 5) __VERIFIER_error(); }",
            )
            .at(2, &["(<= i 5)"])
            .at(3, &["(< i 5)", "(<= j i)"]),
            vec!["i", "j"],
        ),
        (
            "states",
            Written::new(
                "int main() { unsigned char s = 0, t = 0;\n while (__VERIFIER_nondet_bool()) { \
                 if (s == 0) { s = 1; t = 5; } else if (s == 1) { s = 2; t += 2; } else if (s == 2) { s = 0; t = 0; } \
                 else __VERIFIER_error(); if (t > 7) __VERIFIER_error(); } }",
            )
            .at(2, &["(or (and (= s 0) (= t 0)) (and (= s 1) (= t 5)) (and (= s 2) (= t 7)))"]),
            vec!["s", "t"],
        ),
        (
            "even",
            Written::new(
                "int main() { unsigned char x = 0; _Bool b = 0;\n while (__VERIFIER_nondet_bool()) { x += 3; b = !b; }\n \
                 if ((x & 1) != b) __VERIFIER_error(); }",
            )
            .at(2, &["(= (mod (- x b) 2) 0)"]),
            vec!["x", "b"],
        ),
        (
            "remainder",
            Written::new(
                "int main() { signed char x = __VERIFIER_nondet_char(), r = 0;\n while (__VERIFIER_nondet_bool()) { \
                 r = x % 4; if (x > -100) x = x - 1; }\n if (r < -3 || r > 3) __VERIFIER_error(); }",
            )
            .at(2, &["(< (- 4) r)", "(< r 4)"]),
            vec!["x", "r"],
        ),
    ];
    let (mut all_accepted, mut all_rejected) = (0, 0);
    let mut report = String::new();
    for (name, written, vars) in cases {
        let (accepted, rejected) = run(written, &vars);
        report += &format!("{name}: {rejected} rejected, {accepted} accepted and right; ");
        all_accepted += accepted;
        all_rejected += rejected;
    }
    let rate = 100 * all_rejected / (all_accepted + all_rejected);
    #[allow(clippy::print_stdout)]
    {
        println!(
            "{report}all: {rate}% of {} mutants rejected",
            all_accepted + all_rejected
        );
    }
    assert!(all_accepted + all_rejected > 200, "{report}");
    assert!((60..=95).contains(&rate), "{report}");
}
