//! What a program leaves to others: functions that no file defines, and what is assumed of them.

use std::sync::Arc;

use crate::types::Type;

/// What a program leaves to others. A verdict holds under [`Outside::assumptions`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outside {
    /// What the caller says of functions without a body, in the words of the command line. It is part of every certificate, so that who
    /// checks one reads the program in the same way.
    pub undefined_functions: String,
    /// Which undefined behaviour is looked for, in the words of the command line; empty for none. It is part of
    /// certificates for the same reason.
    pub checks: String,
    /// What should have been checked and was not, a sentence each.
    pub unchecked: Vec<String>,
    /// The functions that are called (or whose address is taken) and that nobody defines, each once, in the order of
    /// first use. Those of the C library are not among them.
    pub functions: Vec<External>,
    /// Whether others can call functions of the program other than the one in which it starts: by their names, or by pointers.
    pub can_call_back: bool,
    /// Whether pointers come from others while the program has a variable that others see and that is not in memory.
    pub gives_pointers: bool,
    /// Whether pointers that come from others, arguments of the entry function aside, are taken to point to new objects.
    pub gives_objects: bool,
    /// The entry function has pointer arguments.
    pub has_pointer_arguments: bool,
    /// Functions whose definition stands in for the real one, and the file with that definition.
    pub modelled: Vec<(Arc<str>, Arc<str>)>,
}

/// A function that nobody defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    /// Its name.
    pub name: Arc<str>,
    /// The types of its parameters; none where they are not known, or not all of them are scalars.
    pub params: Option<Vec<Type>>,
    /// The type of its result, if that is a scalar.
    pub result: Option<Type>,
    /// What a call changes.
    pub effect: ExternalEffect,
}

/// What a call of a function that nobody defines changes beside giving a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExternalEffect {
    /// Nothing: the caller says so.
    AssumedPure,
    /// Nothing: its declaration says so (`__attribute__((pure))`, `((const))`).
    DeclaredPure,
    /// Whatever other files can reach.
    Memory,
}

impl Outside {
    /// What a verdict rests on, a sentence each.
    pub fn assumptions(&self) -> Vec<String> {
        let pure = |external: &&External| external.effect == ExternalEffect::AssumedPure;
        let pure = self.functions.iter().filter(pure);
        let pure = pure.map(|external| format!("{}() changes nothing", external.name));
        let modelled = self.modelled.iter();
        let modelled = modelled.map(|(name, file)| format!("{name}() does what {file} says"));
        let mut all: Vec<String> = modelled.chain(pure).collect();
        let mut effects = self.functions.iter().map(|external| external.effect);
        if self.can_call_back && effects.any(|effect| effect == ExternalEffect::Memory) {
            all.push("functions without a body call no function of the program".to_owned());
        }
        if self.has_pointer_arguments {
            let text = "pointer arguments of the entry function are null, or each points to the start of an object of its own, of 256 bytes or one element";
            all.push(text.to_owned());
        }
        if self.gives_objects {
            let text = "pointers from outside are null, or each points to the start of an object of its own, of 256 bytes (4096 where its type doesn't say) or one element";
            all.push(text.to_owned());
        }
        if self.gives_pointers {
            let text =
                "pointers from outside point to no variable whose address the program never takes";
            all.push(text.to_owned());
        }
        all.extend(self.unchecked.iter().cloned());
        all
    }
}
