//! The encoder against the interpreter: random programs, random inputs, the same end and the same values.

use std::sync::Arc;

use rhumb_cfront::{Options, compile_text};
use rhumb_logic::eval::evaluate;
use rhumb_logic::{Assignment, Int, Sort, Symbol, Terms, Value as Constant};
use rhumb_program::interp::{ListInputs, Machine, Observer, Outcome, RunLimits, View};
use rhumb_program::passes::inline;
use rhumb_program::{EdgeId, IndexVec, Program, Type, VarId};
use rustc_hash::FxHashMap;

use super::number::value_of;
use super::{Calls, Encoder, GoalKind, Paths, Region, SymbolicState};
use crate::proof::bits::Translation;
use crate::proof::name::Variable;

const TYPES: [(&str, &str); 9] = [
    ("_Bool", "bool"),
    ("signed char", "char"),
    ("unsigned char", "uchar"),
    ("short", "short"),
    ("unsigned short", "ushort"),
    ("int", "int"),
    ("unsigned", "uint"),
    ("long", "long"),
    ("unsigned long", "ulong"),
];

/// Writes programs: variables of all integer types, read from outside, then computations and branches, then the target.
struct Writer {
    /// The state of a linear congruential generator.
    state: u64,
    vars: usize,
}

impl Writer {
    fn below(&mut self, limit: usize) -> usize {
        (rhumb_random::next(&mut self.state) >> 33) as usize % limit
    }

    fn constant(&mut self) -> String {
        let small = self.below(9) as i64 - 4;
        let width = [7, 8, 15, 16, 31, 32, 63][self.below(7)];
        match self.below(4) {
            0 | 1 => format!("({small})"),
            2 => format!("{}", (1i128 << width) - 1),
            _ => format!("0x{:x}u", self.below(1 << 16)),
        }
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(6) == 0 {
            return match self.below(3) {
                0 => self.constant(),
                _ => format!("v{}", self.below(self.vars)),
            };
        }
        let a = self.expr(depth - 1);
        if self.below(5) == 0 {
            let ty = TYPES[self.below(TYPES.len())].0;
            return match self.below(5) {
                0 => format!("(-{a})"),
                1 => format!("(~{a})"),
                2 => format!("(!{a})"),
                _ => format!("(({ty}){a})"),
            };
        }
        let b = self.expr(depth - 1);
        let operator = self.below(24);
        match operator {
            0..=2 => format!("({a} + {b})"),
            3 | 4 => format!("({a} - {b})"),
            5 => format!("({a} * {b})"),
            6 => format!("({a} * {})", self.constant()),
            7 => format!("({a} / {b})"),
            8 => format!("({a} / {})", self.constant()),
            9 => format!("({a} % {b})"),
            10 => format!("({a} % {})", self.constant()),
            11 => format!("({a} & {b})"),
            12 => format!("({a} & {})", self.constant()),
            13 => format!("({a} | {b})"),
            14 => format!("({a} ^ {})", self.constant()),
            15 => format!("({a} << ({b} & 7))"),
            16 => format!("({a} >> ({b} & 15))"),
            17 => format!("({a} >> {})", self.below(8)),
            18 => format!("({a} < {b})"),
            19 => format!("({a} <= {b})"),
            20 => format!("({a} == {b})"),
            21 => format!("({a} && {b})"),
            22 => format!("({a} ? {b} : {})", self.expr(depth - 1)),
            _ => format!("f({a}, {b})"),
        }
    }

    fn statements(&mut self, count: usize, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let value = self.expr(3);
            let var = self.below(self.vars);
            text += &match self.below(4) {
                0 if depth > 0 => {
                    let (then, other) =
                        (self.statements(2, depth - 1), self.statements(1, depth - 1));
                    format!("if ({value}) {{ {then} }} else {{ {other} }}\n")
                }
                1 => format!("v{var} += {value};\n"),
                _ => format!("v{var} = {value};\n"),
            };
        }
        text
    }

    fn program(&mut self) -> String {
        let mut text = String::from("extern void __VERIFIER_error(void);\n");
        for (ty, name) in TYPES {
            text += &format!("extern {ty} __VERIFIER_nondet_{name}(void);\n");
        }
        text += "unsigned f(int v0, long v1) { if (v0 > 3) return v1 - 1; return v0 ^ v1; }\nint main() {\n";
        for var in 0..self.vars {
            let (ty, name) = TYPES[self.below(TYPES.len())];
            text += &format!("{ty} v{var} = __VERIFIER_nondet_{name}();\n");
        }
        text += &self.statements(4, 2);
        text + "__VERIFIER_error(); }\n"
    }
}

fn lower(text: &str) -> Program {
    compile_text("test.c", text, &Options::default()).expect(text)
}

/// The values of a function's variables when it takes an edge, the last time.
struct Last {
    vars: Vec<VarId>,
    values: Vec<Option<u128>>,
}

impl Observer for Last {
    fn edge(&mut self, _: EdgeId, state: &View<'_>) {
        let values: Vec<Option<u128>> = self.vars.iter().map(|&var| state.value(var)).collect();
        if values.iter().all(Option::is_some) {
            self.values = values;
        }
    }
}

fn mathematical(ty: Type, bits: u128) -> Int {
    match ty {
        Type::Int(int) => value_of(int, bits),
        _ => Int::from(bits),
    }
}

/// What was compared.
#[derive(Default)]
struct Count {
    reached: usize,
    ended: usize,
    values: usize,
    bits: usize,
    unknown: usize,
}

/// Compares one program on some inputs.
fn compare(text: &str, inputs: &[Vec<i128>], count: &mut Count) {
    let program = lower(text);
    let passed = inline::run(&program, 100_000).passed;
    let terms = Arc::new(Terms::new());
    let symbol = |var: &rhumb_program::Var| terms.symbol(&*var.decl.name, Sort::Int);
    let symbols: IndexVec<VarId, Symbol> = passed.program.vars.iter().map(symbol).collect();
    let mut encoder = Encoder::at_start(&passed.program, &terms, &symbols);
    let mut paths = Paths::default();
    let calls = Calls::of(&passed.program);
    let cfa = &passed.program.functions[passed.program.start].cfa;
    let region = Region {
        cfa,
        calls: &calls,
        agreed: None,
        is_cut: &|_| false,
        matters: &cfa.locations.iter().map(|_| true).collect(),
    };
    let start = vec![(cfa.entry, SymbolicState::default())];
    let goals = region
        .explore(&mut encoder, &mut paths, start)
        .expect("well-formed");
    let goal = goals
        .iter()
        .find(|goal| matches!(goal.kind, GoalKind::Target(..)));

    // The variables of `main`, and the values that the encoder gives them at the target.
    let main = program.function_named("main").expect("main");
    let of_main = passed.program.vars.indices().filter_map(|var| {
        let name = Variable::of(&passed.restore, var);
        let own = name.var.variable()?;
        let declared = &program.vars[own];
        let is_here = declared.scope == rhumb_program::Scope::Local(main)
            && name.calls.len() == 1
            && declared.decl.name.starts_with('v');
        is_here.then_some((own, var))
    });
    let of_main: Vec<(VarId, VarId)> = of_main.collect();
    let encoded = goal.map(|goal| {
        let reached = terms.and(goal.state.reached(&paths));
        let values = of_main
            .iter()
            .map(|&(_, copy)| encoder.read_int(copy, &goal.state));
        (reached, values.collect::<Vec<_>>())
    });
    let mut translation = Translation::new(&terms);
    translation.extend(encoder.ranges());

    let machine = Machine::compile(&program);
    for inputs in inputs {
        let mut last = Last {
            vars: of_main.iter().map(|pair| pair.0).collect(),
            values: Vec::new(),
        };
        let mut list = ListInputs::new(&program, inputs.iter().copied());
        let run = machine.trace(&mut list, &RunLimits::default(), &mut last);
        let is_reached = matches!(run.outcome, Outcome::Target(_));
        assert!(
            is_reached || matches!(run.outcome, Outcome::Undefined(_)),
            "{:?}",
            run.outcome
        );
        let Some((reached, values)) = &encoded else {
            assert!(!is_reached, "{text}");
            continue;
        };
        // An input's symbol has the name of the variable that it goes to.
        let mut by_name: FxHashMap<String, Int> = FxHashMap::default();
        for (index, &value) in inputs.iter().enumerate() {
            let name = format!("v{index}");
            let var = of_main
                .iter()
                .find(|pair| *program.vars[pair.0].decl.name == *name);
            let ty = program.vars[var.expect("declared").0].ty;
            let value = match ty {
                Type::Int(int) => value_of(int, int.wrap(value as u128)),
                _ => Int::from(u8::from(value != 0)),
            };
            by_name.insert(name, value);
        }
        let mut assignment = Assignment::default();
        let used = terms.symbols([*reached].into_iter().chain(values.iter().copied()));
        for symbol in used {
            let info = terms.symbol_info(symbol);
            let value = by_name[&*info.name].clone();
            let value = match info.sort {
                Sort::Bool => Constant::Bool(!value.is_zero()),
                _ => Constant::Int(value),
            };
            assignment.insert(symbol, value);
        }
        match evaluate(&terms, *reached, &assignment) {
            Some(Constant::Bool(value)) => assert_eq!(value, is_reached, "{inputs:?}\n{text}"),
            _ => {
                count.unknown += 1;
                continue;
            }
        }
        match is_reached {
            true => count.reached += 1,
            false => count.ended += 1,
        }
        if let Some(image) = translation.formula(*reached) {
            let bits = translation.represent(&assignment);
            if let Some(Constant::Bool(value)) = evaluate(&terms, image, &bits) {
                assert_eq!(value, is_reached, "as bits: {inputs:?}\n{text}");
                count.bits += 1;
            }
        }
        if !is_reached {
            continue;
        }
        for ((term, (var, _)), expected) in values.iter().zip(&of_main).zip(&last.values) {
            let declared = &program.vars[*var];
            let expected = mathematical(declared.ty, expected.expect("a local of main"));
            let value = evaluate(&terms, *term, &assignment);
            let name = &declared.decl.name;
            assert_eq!(
                value,
                Some(Constant::Int(expected)),
                "{name} for {inputs:?}\n{text}"
            );
            count.values += 1;
        }
    }
}

#[test]
fn random_programs_mean_what_the_interpreter_does() {
    let mut count = Count::default();
    for seed in 0..150 {
        let mut writer = Writer {
            state: seed,
            vars: 4,
        };
        let text = writer.program();
        let interesting = [
            0,
            1,
            -1,
            2,
            7,
            127,
            128,
            255,
            -128,
            32767,
            65535,
            i128::from(i32::MAX),
        ];
        let interesting: Vec<i128> = interesting
            .into_iter()
            .chain([
                i128::from(i32::MIN),
                i128::from(u32::MAX),
                i128::from(i64::MIN),
            ])
            .collect();
        let inputs: Vec<Vec<i128>> = (0..12)
            .map(|_| {
                let value = |writer: &mut Writer| match writer.below(3) {
                    0 => interesting[writer.below(interesting.len())],
                    1 => writer.below(200) as i128 - 100,
                    _ => (writer.below(1 << 31) as i128) << writer.below(32),
                };
                (0..4).map(|_| value(&mut writer)).collect()
            })
            .collect();
        compare(&text, &inputs, &mut count);
    }
    let Count {
        reached,
        ended,
        values,
        bits,
        unknown,
    } = count;
    // Most runs have an end that both know; the rest divides by zero where nobody looks.
    assert!(
        reached > 600 && ended > 100 && values > 2000 && bits > 800 && unknown < 50,
        "{reached} {ended} {values} {bits} {unknown}"
    );
}
