//! The C text of a harness.

use std::fmt::Write;

use rhumb_program::{DataModel, FloatType, IntType, Type};
use rustc_hash::FxHashSet;

use super::record::Values;

/// What every harness begins with. Nothing is included, since the program may stand in the same file.
const PREAMBLE: &str = r#"
extern void rhumb_harness_leave(int) __asm__("_exit");
extern int rhumb_harness_flush(void *) __asm__("fflush");
extern long rhumb_harness_write(int, const void *, unsigned long) __asm__("write");

struct rhumb_harness_value { unsigned long long low, high, count; };
struct rhumb_harness_bytes { const char *bytes; unsigned long size; unsigned long long count; };
struct rhumb_harness_place { unsigned index; unsigned long long used; };

static unsigned long long rhumb_harness_given;

static void rhumb_harness_end(const char *message, int status) {
  unsigned long length = 0;
  while (message[length]) length++;
  rhumb_harness_flush(0);
  if (rhumb_harness_write(2, message, length) != (long)length) status = 13;
  rhumb_harness_leave(status);
}

/* The next entry of a list in which every entry stands for several values; null behind its end. */
static int rhumb_harness_next(struct rhumb_harness_place *place, unsigned length, unsigned long long count) {
  rhumb_harness_given++;
  if (place->index >= length) return 0;
  if (++place->used > count) { place->used = 1; place->index++; }
  return place->index < length;
}
"#;

/// Writes a harness.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) model: DataModel,
    text: String,
    /// Number of values in the lists.
    total: u64,
    /// The values for the entry function's arguments.
    arguments: Vec<u128>,
    names: usize,
    /// What is defined.
    symbols: FxHashSet<String>,
}

impl Writer {
    pub(super) fn new(model: DataModel) -> Writer {
        Writer {
            model,
            text: String::new(),
            total: 0,
            arguments: Vec::new(),
            names: 0,
            symbols: FxHashSet::default(),
        }
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn fresh(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    /// The list of values with this number, and a function that gives the index of the next one (or -1).
    pub(super) fn list(&mut self, number: usize, values: &Values) {
        let is_bytes = values.ty.is_none();
        let _ = writeln!(
            self.text,
            "\nstatic const struct {} rhumb_harness_list_{number}[] = {{",
            if is_bytes {
                "rhumb_harness_bytes"
            } else {
                "rhumb_harness_value"
            }
        );
        for &(value, count) in &values.scalars {
            self.total = self.total.saturating_add(count);
            let (low, high) = (value as u64, (value >> 64) as u64);
            self.line(&format!("  {{{low:#x}ull, {high:#x}ull, {count}ull}},"));
        }
        for (bytes, count) in &values.bytes {
            self.total = self.total.saturating_add(*count);
            let escaped: String = bytes.iter().map(|byte| format!("\\{byte:03o}")).collect();
            let size = bytes.len();
            self.line(&format!("  {{\"{escaped}\", {size}ul, {count}ull}},"));
        }
        let last = if is_bytes {
            "{\"\", 0, 0}"
        } else {
            "{0, 0, 0}"
        };
        self.line(&format!("  {last}\n}};"));
        let length = values.scalars.len() + values.bytes.len();
        self.line(&format!(
            "static int rhumb_harness_index_{number}(void) {{\n  static struct rhumb_harness_place place;\n  \
             return rhumb_harness_next(&place, {length}, rhumb_harness_list_{number}[place.index].count) ? (int)place.index : {length};\n}}"
        ));
    }

    /// The C type by which a value is handed over, and the statements of a function that gives the value of the list's next entry.
    pub(super) fn giver(&self, number: usize, ty: Type) -> (&'static str, String) {
        let entry = format!("rhumb_harness_list_{number}[rhumb_harness_index_{number}()]");
        match ty {
            // Whatever narrower type the caller expects is a part of this.
            Type::Bool => ("unsigned long long", format!("return {entry}.low & 1;")),
            Type::Ptr => (
                "void *",
                format!("return (void *)(unsigned long){entry}.low;"),
            ),
            Type::Int(IntType { width, signed }) if width <= 64 => {
                let shift = 64 - width;
                let extended = match (shift, signed) {
                    (0, _) => format!("{entry}.low"),
                    (_, true) => format!(
                        "(unsigned long long)((long long)({entry}.low << {shift}) >> {shift})"
                    ),
                    (_, false) => format!("{entry}.low << {shift} >> {shift}"),
                };
                ("unsigned long long", format!("return {extended};"))
            }
            Type::Int(_) => {
                let pair = format!(
                    "const struct rhumb_harness_value *value = &{entry}; \
                     return (unsigned __int128)value->high << 64 | value->low;"
                );
                ("unsigned __int128", pair)
            }
            Type::Float(float) => {
                let (name, words) = match float {
                    FloatType::F32 => ("float", "unsigned bits"),
                    FloatType::F64 => ("double", "unsigned long long bits"),
                    FloatType::X87 => ("long double", "unsigned long long bits"),
                    FloatType::F128 => ("__float128", "unsigned long long bits"),
                };
                let rest = match float {
                    FloatType::F32 | FloatType::F64 => "",
                    FloatType::X87 | FloatType::F128 => " both.words[1] = value->high;",
                };
                let text = format!(
                    "const struct rhumb_harness_value *value = &{entry}; \
                     union {{ {words}; unsigned long long words[2]; {name} number; }} both = {{0}}; \
                     both.bits = value->low;{rest} return both.number;"
                );
                (name, text)
            }
        }
    }

    /// An input function.
    pub(super) fn function(&mut self, symbol: &str, values: &Values) {
        let number = self.fresh();
        self.list(number, values);
        match values.ty {
            Some(ty) => {
                let (result, body) = self.giver(number, ty);
                self.define(symbol, result, "void", &body);
            }
            // `__VERIFIER_nondet_memory`.
            None => {
                let body = fill(number);
                self.define(symbol, "int", "void *to, unsigned long size", &body);
            }
        }
    }

    /// A function of ours under another symbol, unless that has one already.
    fn define(&mut self, symbol: &str, result: &str, params: &str, body: &str) {
        if !self.symbols.insert(symbol.to_owned()) {
            return;
        }
        let number = self.fresh();
        let head = format!("{result} rhumb_harness_symbol_{number}({params})");
        self.line(&format!("{head} __asm__(\"{symbol}\");"));
        self.line(&format!("{head} {{ {body} }}"));
    }

    /// The same for one that changes objects of the program. The compiler must not find out, since it takes them for
    /// others than the program's.
    pub(super) fn define_apart(&mut self, symbol: &str, result: &str, params: &str, body: &str) {
        let number = self.fresh();
        let head = format!("{result} rhumb_harness_symbol_{number}({params})");
        self.line(&format!(
            "__attribute__((noinline, noipa)) {head} __asm__(\"{symbol}\");"
        ));
        self.line(&format!("{head} {{ {body} }}"));
    }

    /// A function that gives the values of a site, under a name of ours, with the type of its result.
    pub(super) fn input(
        &mut self,
        site: usize,
        ty: Type,
        values: &Values,
    ) -> (String, &'static str) {
        let number = self.fresh();
        self.list(number, values);
        let (result, body) = self.giver(number, ty);
        let name = format!("rhumb_harness_input_{site}");
        self.line(&format!("{result} {name}(void) {{ {body} }}"));
        (name, result)
    }

    /// A function that fills an object with the bytes of a site.
    pub(super) fn bytes(&mut self, site: usize, values: &Values) -> String {
        let number = self.fresh();
        self.list(number, values);
        let name = format!("rhumb_harness_input_{site}");
        let body = fill(number);
        self.line(&format!(
            "int {name}(void *to, unsigned long size) {{ {body} }}"
        ));
        name
    }

    /// An object that the program expects elsewhere.
    pub(super) fn object(&mut self, symbol: &str, ty: Option<Type>, values: &Values) {
        let bytes = match (ty, values.scalars.first(), values.bytes.first()) {
            (Some(ty), Some((value, _)), _) => {
                let size = ty.size(self.model) as usize;
                value.to_le_bytes()[..size.min(16)].to_vec()
            }
            (_, _, Some((bytes, _))) => bytes.clone(),
            _ => return,
        };
        let number = self.fresh();
        let head = format!(
            "unsigned char rhumb_harness_object_{number}[{}]",
            bytes.len()
        );
        self.line(&format!(
            "\nextern {head} __asm__(\"{symbol}\");\n{head} __attribute__((aligned(16))) = {{{}}};",
            byte_list(&bytes)
        ));
    }

    /// The next argument of the entry function.
    pub(super) fn argument(&mut self, values: &Values) {
        let value = values.scalars.first().map_or(0, |&(value, _)| value);
        self.arguments.push(value);
    }

    /// A `main` that calls the entry function.
    pub(super) fn main(&mut self, entry: &str, params: &[Type]) {
        let mut given = std::mem::take(&mut self.arguments).into_iter();
        let mut types = Vec::new();
        let mut args = Vec::new();
        for &ty in params {
            let (name, arg) = match ty {
                Type::Ptr => ("void *", "0".to_owned()),
                Type::Bool => ("_Bool", given.next().unwrap_or(0).to_string()),
                Type::Int(int) => (int.c_name(), {
                    let value = given.next().unwrap_or(0);
                    format!("{:#x}ull", value as u64)
                }),
                Type::Float(FloatType::F32) => ("float", float_argument(given.next(), 32)),
                Type::Float(_) => ("double", float_argument(given.next(), 64)),
            };
            types.push(name);
            args.push(arg);
        }
        let types = if types.is_empty() {
            "void".to_owned()
        } else {
            types.join(", ")
        };
        self.line(&format!(
            "\nextern int rhumb_harness_entry({types}) __asm__(\"{entry}\");\n\
             int main(void) {{ rhumb_harness_entry({}); return 0; }}",
            args.join(", ")
        ));
    }

    /// A function whose call is the error.
    pub(super) fn reaches(&mut self, symbol: &str) {
        self.define(symbol, "void", "void", "rhumb_harness_reached();");
    }

    /// A function that asserts its argument.
    pub(super) fn asserts(&mut self, symbol: &str) {
        let body = "if (!condition) rhumb_harness_reached();";
        self.define(symbol, "void", "int condition", body);
    }

    /// A function that assumes its argument.
    pub(super) fn assumes(&mut self, symbol: &str) {
        let body = "if (!condition) rhumb_harness_end(\"rhumb: an assumption failed\\n\", 12);";
        self.define(symbol, "void", "int condition", body);
    }

    /// A function that ends the program.
    pub(super) fn ends(&mut self, symbol: &str) {
        let body = "rhumb_harness_end(\"rhumb: the program ended\\n\", 1);";
        self.define(symbol, "void", "void", body);
    }

    /// A function that does nothing.
    pub(super) fn nothing(&mut self, symbol: &str) {
        self.define(symbol, "void", "void", "");
    }

    /// The whole text. Complete: that all values are used up is part of reaching the error.
    pub(super) fn finish(self, place: &str, complete: bool) -> String {
        let Writer { text, total, .. } = self;
        let place: String = place
            .chars()
            .map(|c| {
                if c == '"' || c == '\\' || c == '\n' {
                    '?'
                } else {
                    c
                }
            })
            .collect();
        let check = if complete {
            format!(
                "  if (rhumb_harness_given != {total}ull) rhumb_harness_end(\"rhumb: an error was reached, with other inputs\\n\", 11);\n"
            )
        } else {
            String::new()
        };
        format!(
            "/* Leads to the error at {comment}: compile it together with the program; exit status 10 means that the error was reached. */\n\
             {PREAMBLE}\n\
             void rhumb_harness_reached(void) {{\n{check}  rhumb_harness_end(\"rhumb: error reached at {place}\\n\", 10);\n}}\n\
             __attribute__((destructor)) static void rhumb_harness_not_reached(void) {{\n  \
             rhumb_harness_end(\"rhumb: the error was not reached\\n\", 1);\n}}\n{text}",
            comment = place.replace("*/", "* /"),
        )
    }
}

/// The initialiser of an array of bytes; what is not mentioned is zero.
pub(super) fn byte_list(bytes: &[u8]) -> String {
    let used = bytes.iter().rposition(|&byte| byte != 0);
    let used = &bytes[..used.map_or(0, |last| last + 1)];
    let list: Vec<String> = used.iter().map(u8::to_string).collect();
    match list.is_empty() {
        true => "0".to_owned(),
        false => list.join(", "),
    }
}

/// The statements of a function that copies the next bytes of a list.
fn fill(number: usize) -> String {
    format!(
        "const struct rhumb_harness_bytes *next = &rhumb_harness_list_{number}[rhumb_harness_index_{number}()]; \
         for (unsigned long i = 0; i < size; i++) ((char *)to)[i] = i < next->size ? next->bytes[i] : 0; return 0;"
    )
}

/// A floating-point constant by its bits.
fn float_argument(bits: Option<u128>, width: u32) -> String {
    let bits = bits.unwrap_or(0);
    let (word, number) = match width {
        32 => ("unsigned", "float"),
        _ => ("unsigned long long", "double"),
    };
    format!(
        "((union {{ {word} bits; {number} number; }}){{{:#x}}}).number",
        bits as u64
    )
}
