//! What the tests share.

use rhumb_cfront::{Options, SignedOverflow, compile_text};
use rhumb_program::{DataModel, Program};

/// Compiles a text that is known to be valid.
pub(crate) fn program(text: &str, model: DataModel, signed_overflow: SignedOverflow) -> Program {
    let options = Options {
        data_model: model,
        signed_overflow,
        ..Options::default()
    };
    compile_text("test.i", text, &options).expect(text)
}

/// A small generator of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let x = self.0;
        (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 3
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
