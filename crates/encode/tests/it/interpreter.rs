//! Block formulas against the interpreter: on random programs and inputs, at every cut point that a run passes, the
//! guard of the block that was taken is true, those of all others are false, and the new values are exactly the
//! interpreter's.

use std::sync::Arc;

use rhumb_cfront::SignedOverflow;
use rhumb_encode::{BlockGraph, CutPolicy, prepare};
use rhumb_logic::Terms;
use rhumb_program::passes::{Goals, inline};
use rhumb_program::{DataModel, Program};

use crate::generate::{self, Shape};
use crate::replay::{Count, compare};
use crate::support;

fn run(seeds: std::ops::Range<u64>, shape: Shape, overflow: SignedOverflow) -> Count {
    let mut total = Count::default();
    for seed in seeds {
        let text = generate::program(seed, shape);
        let model = [DataModel::Ilp32, DataModel::Lp64][seed as usize % 2];
        let program = support::program(&text, model, overflow);
        let policy = match seed % 4 {
            0 | 1 => CutPolicy::LoopHeads,
            2 => CutPolicy::Bounded(7),
            _ => CutPolicy::Everywhere,
        };
        let whole: Arc<Program> = if seed % 3 == 0 {
            Arc::new(inline::run(&program, 100_000).passed.program)
        } else {
            prepare(&program, &Goals::all_targets(&program)).program
        };
        let graph = BlockGraph::build(&whole, &Arc::new(Terms::new()), policy);
        for inputs in 0..4 {
            total.add(compare(&graph, seed * 10 + inputs, 20_000));
        }
    }
    total
}

#[test]
fn linear_programs() {
    let shape = Shape {
        nonlinear: false,
        wild: false,
    };
    let count = run(0..300, shape, SignedOverflow::Undefined);
    assert!(count.blocks > 5000, "{count:?}");
    assert_eq!(count.exact, count.blocks, "{count:?}");
    assert!(count.refuted > 2000, "{count:?}");
}

#[test]
fn programs_with_overflow() {
    let shape = Shape {
        nonlinear: false,
        wild: true,
    };
    let count = run(1000..1150, shape, SignedOverflow::Undefined);
    assert!(count.ended > 50 && count.blocks > 2000, "{count:?}");
    assert_eq!(count.exact, count.blocks, "{count:?}");
}

#[test]
fn programs_that_wrap() {
    let shape = Shape {
        nonlinear: true,
        wild: true,
    };
    let count = run(2000..2150, shape, SignedOverflow::Wrap);
    assert!(count.blocks > 3000, "{count:?}");
    assert_eq!(count.exact, count.blocks, "{count:?}");
    assert!(count.nonlinear > 100, "{count:?}");
}

/// Programs with everything that C has: memory, floating point, records, jumps into blocks. What the formulas can't express they allow.
#[test]
fn programs_with_memory_and_floats() {
    let mut total = Count::default();
    for seed in 0..60 {
        let (model, their_model) = [
            (DataModel::Ilp32, rhumb_difftest::model::DataModel::Ilp32),
            (DataModel::Lp64, rhumb_difftest::model::DataModel::Lp64),
        ][seed as usize % 2];
        let options = rhumb_difftest::generate::Options {
            size: 2,
            ..rhumb_difftest::generate::Options::new(their_model)
        };
        let text = rhumb_difftest::generate::generate(seed, &options).source;
        let program = support::program(&text, model, SignedOverflow::Undefined);
        let inlined = inline::run(&program, 100_000);
        if !inlined.left.is_empty() {
            continue;
        }
        let whole = Arc::new(inlined.passed.program);
        let policy = [
            CutPolicy::LoopHeads,
            CutPolicy::Everywhere,
            CutPolicy::Bounded(20),
        ][seed as usize % 3];
        let graph = BlockGraph::build(&whole, &Arc::new(Terms::new()), policy);
        total.add(compare(&graph, seed, 5_000));
    }
    assert!(total.plain > 2000 && total.blocks > 3000, "{total:?}");
    assert!(total.exact * 10 >= total.plain * 9, "{total:?}");
    assert!(total.allowed * 2 >= total.blocks - total.exact, "{total:?}");
}
