//! Whether a function with a name of the library is the library's. The names of POSIX, glibc and the BSDs are not
//! reserved in C: where a program declares one in another way than the headers do, it is a function of the program's
//! own. `library/shapes.txt` says how the headers do.

use std::sync::LazyLock;

use rhumb_program::Type;
use rustc_hash::FxHashMap;

use super::UnitLowering;
use crate::ctypes::{CType, FunctionType, TypeId};
use crate::hir::FunctionId;

/// The kinds of result and parameters, by name.
static SHAPES: LazyLock<FxHashMap<&'static str, &'static str>> =
    LazyLock::new(|| read(include_str!("../../library/shapes.txt")));

fn read(text: &'static str) -> FxHashMap<&'static str, &'static str> {
    let mut shapes = FxHashMap::default();
    let mut shape = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        for word in line.split_whitespace() {
            match word.strip_suffix(':') {
                Some(next) => shape = next,
                None => {
                    shapes.insert(word, shape);
                }
            }
        }
    }
    shapes
}

impl UnitLowering<'_> {
    /// Whether a function without a body is none of the library, though it may have such a name.
    pub(super) fn is_own(&self, id: FunctionId) -> bool {
        let function = &self.unit.functions[id];
        let (Some(shape), CType::Function(ty)) = (
            SHAPES.get(&*function.name),
            self.unit.types.get(function.ty),
        ) else {
            return false;
        };
        !self.is_system(function.span) && !self.has_shape(ty, shape)
    }

    fn has_shape(&self, ty: &FunctionType, shape: &str) -> bool {
        if ty.unspecified {
            return true;
        }
        let mut declared: String = ty.params.iter().map(|&param| self.kind(param)).collect();
        if ty.variadic {
            declared.push('.');
        }
        let (result, params) = shape.split_at(1);
        // Some drop a result that nobody needs.
        let result_fits =
            matches!(self.kind(ty.result), 'v') || result.starts_with(self.kind(ty.result));
        result_fits && declared == params
    }

    fn kind(&self, ty: TypeId) -> char {
        match self.unit.types.scalar(ty) {
            Some(Type::Bool | Type::Int(_)) => 'i',
            Some(Type::Ptr) => 'p',
            Some(Type::Float(_)) => 'f',
            None if matches!(self.unit.types.get(ty), CType::Void) => 'v',
            None => 'r',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SHAPES;
    use crate::lower::functions::effect;

    #[test]
    fn shapes_are_those_of_listed_functions() {
        assert!(SHAPES.len() > 500);
        for (name, shape) in SHAPES.iter() {
            assert!(effect(name).is_some(), "{name}");
            assert!(shape.starts_with(['v', 'i', 'p', 'f', 'r']), "{name}");
        }
        assert_eq!(SHAPES.get("err"), Some(&"vip."));
        assert_eq!(SHAPES.get("printf"), None);
    }
}
