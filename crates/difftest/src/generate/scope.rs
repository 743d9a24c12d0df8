//! Declared objects and which of them a name reaches.

use super::Generator;
use super::effects::Classes;
use super::types::Ty;
use crate::feature::Feature;

/// A declared object.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) classes: Classes,
    /// 0 for static storage, otherwise the number of scopes around the declaration: an address may
    /// only be stored where it is needed no longer than this.
    pub(crate) depth: usize,
    pub(crate) writable: bool,
    pub(crate) addressable: bool,
    /// Whether an inner declaration may take the same name. Counters of loops must not be hidden
    /// from the statements that step them.
    pub(crate) shadowable: bool,
    /// The identity of an array, for pointers that always point into it.
    pub(crate) array: Option<u32>,
}

/// How a new object is to be declared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Storage {
    pub(crate) is_static: bool,
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
    pub(crate) is_register: bool,
}

impl Storage {
    /// The keywords in front of the type.
    pub(crate) fn prefix(self) -> String {
        let mut text = String::new();
        for (given, word) in [
            (self.is_static, "static "),
            (self.is_register, "register "),
            (self.is_const, "const "),
            (self.is_volatile, "volatile "),
        ] {
            if given {
                text.push_str(word);
            }
        }
        text
    }
}

impl Generator {
    /// The objects that can be named here, innermost first.
    pub(crate) fn visible(&self) -> Vec<Var> {
        let mut seen: Vec<&str> = self.hidden.iter().map(String::as_str).collect();
        let mut found = Vec::new();
        for var in self
            .scopes
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev())
        {
            if !seen.contains(&var.name.as_str()) {
                seen.push(&var.name);
                found.push(var.clone());
            }
        }
        found
    }

    /// Makes an object known in the innermost scope.
    pub(crate) fn declare(&mut self, var: Var) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(var);
        }
    }

    /// The object for a declaration that is about to be written; [`Self::declare`] makes it visible.
    pub(crate) fn new_var(&mut self, name: String, ty: Ty, storage: Storage) -> Var {
        let is_file_scope = self.scopes.len() == 1;
        let is_static = is_file_scope || storage.is_static;
        let addressable = !storage.is_volatile && !storage.is_register && self.rng.percent(65);
        let classes = if addressable {
            self.classes_of(&ty)
        } else if is_static {
            self.classes.shared()
        } else {
            self.classes.local()
        };
        let array = matches!(ty, Ty::Array(..)).then(|| {
            self.next_array += 1;
            self.next_array
        });
        Var {
            name,
            ty,
            classes,
            depth: if is_static { 0 } else { self.scopes.len() },
            writable: !storage.is_const,
            addressable,
            shadowable: true,
            array,
        }
    }

    /// A counter that only the code around it writes.
    pub(crate) fn counter_var(&mut self, name: String, ty: Ty) -> Var {
        Var {
            name,
            ty,
            classes: self.classes.local(),
            depth: self.scopes.len(),
            writable: false,
            addressable: false,
            shadowable: false,
            array: None,
        }
    }

    /// Whether a typedef name stands for an object here.
    pub(crate) fn is_hidden(&self, name: &str) -> bool {
        self.hidden.as_deref() == Some(name)
            || self.scopes.iter().flatten().any(|var| var.name == name)
    }

    /// A name for a new local object: fresh, or one that hides an outer object.
    pub(crate) fn local_name(&mut self) -> String {
        if self.has(Feature::Shadowing) && self.rng.percent(20) {
            // Parameters belong to the outermost block of the body.
            let innermost = if self.scopes.len() == 3 {
                1
            } else {
                self.scopes.len() - 1
            };
            let here: Vec<String> = self.scopes[innermost..]
                .iter()
                .flatten()
                .map(|var| var.name.clone())
                .collect();
            let outer: Vec<String> = self
                .visible()
                .into_iter()
                .filter(|var| var.shadowable && !here.contains(&var.name))
                .map(|var| var.name)
                .collect();
            if !outer.is_empty() {
                self.mark(Feature::Shadowing);
                return self.rng.pick(&outer).clone();
            }
        }
        if !self.typedefs.is_empty() && self.has(Feature::TypedefShadowing) && self.rng.percent(6) {
            let names: Vec<String> = self.typedefs.iter().map(|(_, name)| name.clone()).collect();
            let name = self.rng.pick(&names).clone();
            if !self.is_hidden(&name) {
                self.mark(Feature::TypedefShadowing);
                return name;
            }
        }
        let letter = *self
            .rng
            .pick(&["a", "b", "c", "n", "s", "t", "v", "x", "y", "z"]);
        self.fresh(letter)
    }

    /// The classes that an object of type `ty` shares with everything a pointer could confuse it with.
    pub(crate) fn classes_of(&mut self, ty: &Ty) -> Classes {
        match ty {
            Ty::Array(element, _) => self.classes_of(&element.clone()),
            Ty::Record(index) => {
                let fields: Vec<Ty> = self.records[*index]
                    .fields
                    .iter()
                    .map(|field| field.ty.clone())
                    .collect();
                fields
                    .iter()
                    .fold(0, |all, field| all | self.classes_of(field))
            }
            scalar => {
                if let Some(classes) = self.type_classes.get(scalar) {
                    return *classes;
                }
                let classes = self.classes.shared();
                self.type_classes.insert(scalar.clone(), classes);
                classes
            }
        }
    }
}
