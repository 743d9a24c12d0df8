//! Functions that nobody defines, as C: their results, and what they change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rhumb_program::interp::Others;
use rhumb_program::{External, FloatType, Part, Type};

use super::record::Values;
use super::text::{Writer, byte_list};

/// The values of one part that a function changes: numbers, and bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct PartValues {
    pub(super) scalars: Option<Values>,
    pub(super) bytes: Option<Values>,
}

/// All that a function gives.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionValues {
    pub(super) result: Option<Values>,
    pub(super) parts: BTreeMap<Part, PartValues>,
}

/// Pointers that functions keep: the function, and the number of its argument.
pub(super) type KeptPointers = BTreeSet<(Arc<str>, usize)>;

fn kept_pointer(function: &str, index: usize) -> String {
    format!("rhumb_harness_kept_{function}_{index}")
}

/// What these functions begin with, once.
const HELPERS: &str = r#"
extern void *rhumb_harness_allocate(unsigned long, unsigned long) __asm__("calloc");

static void rhumb_harness_copy(void *to, const struct rhumb_harness_bytes *from) {
  for (unsigned long i = 0; i < from->size; i++) ((char *)to)[i] = from->bytes[i];
}

static void rhumb_harness_store(void *to, unsigned long size, const struct rhumb_harness_value *from) {
  for (unsigned long i = 0; i < size; i++) ((char *)to)[i] = (char)(i < 8 ? from->low >> 8 * i : from->high >> 8 * (i - 8));
}

static void *rhumb_harness_object(const struct rhumb_harness_bytes *from) {
  void *object = rhumb_harness_allocate(1, from->size);
  if (object) rhumb_harness_copy(object, from);
  return object;
}
"#;

impl Writer {
    /// The entry of a list that comes next, as a C expression.
    fn next_entry(&mut self, values: &Values) -> String {
        let number = self.fresh();
        self.list(number, values);
        format!("&rhumb_harness_list_{number}[rhumb_harness_index_{number}()]")
    }

    /// The address of an object of the program that other files can name.
    fn named_object(&mut self, symbol: &str) -> String {
        let number = self.fresh();
        let name = format!("rhumb_harness_named_{number}");
        self.line(&format!(
            "extern unsigned char {name}[] __asm__(\"{symbol}\");"
        ));
        name
    }

    /// The pointers that functions keep, and what all of these functions begin with.
    pub(super) fn begin_externals(&mut self, kept: &KeptPointers) {
        self.line(HELPERS);
        for (function, index) in kept {
            self.line(&format!("static void *{};", kept_pointer(function, *index)));
        }
    }

    /// A function that nobody defines.
    pub(super) fn external(
        &mut self,
        external: &External,
        values: &FunctionValues,
        kept: &KeptPointers,
    ) {
        let mut body = String::new();
        for (function, index) in kept.iter().filter(|(name, _)| *name == external.name) {
            let place = kept_pointer(function, *index);
            body.push_str(&format!("{place} = argument_{index}; "));
        }
        // What arguments point to first: it may be one of the objects that come next.
        let is_pointee = |part: &Part| matches!(part, Part::Pointee { .. } | Part::Kept { .. });
        let (first, then): (Vec<_>, Vec<_>) =
            values.parts.iter().partition(|(part, _)| is_pointee(part));
        for (part, values) in first.into_iter().chain(then) {
            body.push_str(&self.change(part, values));
        }
        let (result, give) = match (&values.result, external.result) {
            (None, _) => ("void", String::new()),
            (Some(flags), Some(Type::Ptr)) => {
                let flag = self.next_entry(flags);
                let contents = values.parts.get(&Part::Result);
                let bytes = contents.and_then(|contents| contents.bytes.clone());
                let bytes = self.next_entry(&bytes.unwrap_or_default());
                let give = format!("return ({flag})->low ? rhumb_harness_object({bytes}) : 0;");
                ("void *", give)
            }
            (Some(values), _) => {
                let number = self.fresh();
                self.list(number, values);
                let ty = values.ty.unwrap_or(Type::Bool);
                self.giver(number, ty)
            }
        };
        body.push_str(&give);
        let params = parameters(external.params.as_deref());
        self.define_apart(&external.name, result, &params, &body);
    }

    /// Statements that change a part.
    fn change(&mut self, part: &Part, values: &PartValues) -> String {
        let scalars = values.scalars.as_ref();
        let bytes = values.bytes.clone().unwrap_or_default();
        let Some(scalars) = scalars else {
            // The object of a result, which is made there.
            return String::new();
        };
        let first = self.next_entry(scalars);
        match part {
            Part::Variable(name) => {
                let object = self.named_object(name);
                let size = scalars.ty.map_or(0, |ty| ty.size(self.model));
                format!("rhumb_harness_store({object}, {size}, {first}); ")
            }
            Part::Pointer(name) => {
                let object = self.named_object(name);
                let bytes = self.next_entry(&bytes);
                let (kept, null) = (Part::KEPT, Part::NULL);
                format!(
                    "{{ unsigned long long how = ({first})->low; \
                     if (how != {kept}) *(void **){object} = how == {null} ? 0 : rhumb_harness_object({bytes}); }} "
                )
            }
            Part::Object { name, offset } => {
                let object = self.named_object(name);
                let bytes = self.next_entry(&bytes);
                // Where nothing changes there are no bytes.
                format!("(void)({first}); rhumb_harness_copy({object} + {offset}, {bytes}); ")
            }
            Part::Pointee { index, offset } => {
                let bytes = self.next_entry(&bytes);
                format!(
                    "if (({first})->low) rhumb_harness_copy((char *)argument_{index} + {offset}, {bytes}); "
                )
            }
            Part::Kept {
                function,
                index,
                offset,
            } => {
                let bytes = self.next_entry(&bytes);
                let place = kept_pointer(function, *index);
                format!(
                    "if (({first})->low) rhumb_harness_copy((char *){place} + {offset}, {bytes}); "
                )
            }
            Part::Result | Part::Argument(_) | Part::Other => String::new(),
        }
    }

    /// Objects that others made, at the addresses that pointers from outside have.
    pub(super) fn others(&mut self, values: &Values) {
        let others = Others::of(self.model);
        let contents = values.bytes.iter();
        let contents = contents.flat_map(|(bytes, count)| (0..*count).map(move |_| bytes));
        let mut copies = String::new();
        for (number, bytes) in contents.enumerate() {
            let Some(address) = others.address(number as u64) else {
                break;
            };
            let is_set = |byte: &u8| *byte != 0;
            let Some(first) = bytes.iter().position(is_set) else {
                continue;
            };
            let list = byte_list(&bytes[first..]);
            self.line(&format!(
                "\nstatic const unsigned char rhumb_harness_other_{number}[] = {{{list}}};"
            ));
            let start = address + first as u64;
            copies.push_str(&format!(
                "  for (unsigned long i = 0; i < sizeof rhumb_harness_other_{number}; i++) \
                 ((unsigned char *){start:#x}ul)[i] = rhumb_harness_other_{number}[i];\n"
            ));
        }
        if values.bytes.is_empty() {
            return;
        }
        let (start, room) = (others.start(), others.room());
        // Private and anonymous memory, at this address and no other.
        self.line(&format!(
            "extern void *rhumb_harness_map(void *, unsigned long, int, int, int, long) __asm__(\"mmap\");\n\
             __attribute__((constructor)) static void rhumb_harness_others(void) {{\n  \
             if (rhumb_harness_map((void *){start:#x}ul, {room}ul, 3, 0x100022, -1, 0) != (void *){start:#x}ul) __builtin_trap();\n\
             {copies}}}"
        ));
    }

    /// A pointer that the program expects elsewhere: null, or the address of an object with these bytes.
    pub(super) fn pointer(&mut self, symbol: &str, values: &PartValues) {
        let contents = values.bytes.as_ref().and_then(|bytes| bytes.bytes.first());
        let number = self.fresh();
        let value = match contents {
            Some((bytes, _)) => {
                self.line(&format!(
                    "\nstatic unsigned char rhumb_harness_pointee_{number}[{}] __attribute__((aligned(16))) = {{{}}};",
                    bytes.len(),
                    byte_list(bytes)
                ));
                format!("rhumb_harness_pointee_{number}")
            }
            None => "0".to_owned(),
        };
        let name = format!("void *rhumb_harness_pointer_{number}");
        self.line(&format!(
            "extern {name} __asm__(\"{symbol}\");\n{name} = {value};"
        ));
    }
}

/// The parameters of a function, by names that [`Writer::change`] uses.
fn parameters(types: Option<&[Type]>) -> String {
    let types = types.unwrap_or_default();
    let list: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(index, ty)| format!("{} argument_{index}", type_name(*ty)))
        .collect();
    match list.is_empty() {
        true => "void".to_owned(),
        false => list.join(", "),
    }
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "_Bool",
        Type::Ptr => "void *",
        Type::Int(int) => int.c_name(),
        Type::Float(FloatType::F32) => "float",
        Type::Float(FloatType::F64) => "double",
        Type::Float(FloatType::X87) => "long double",
        Type::Float(FloatType::F128) => "__float128",
    }
}
