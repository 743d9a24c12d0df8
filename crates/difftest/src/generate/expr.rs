//! Expressions as text with a type, a range, and effects; and the choice between their forms.

use std::rc::Rc;

use super::Generator;
use super::arith::Binary;
use super::effects::{Context, Effects, WORLD};
use super::place::{Goal, Target};
use super::types::{IntTy, PointerTy, Ty};
use crate::feature::Feature;
use crate::model::{FloatKind, IntKind, Interval};

/// Binding strength of an operator, from comma to primary expressions.
pub(crate) mod level {
    pub(crate) const COMMA: u8 = 1;
    pub(crate) const ASSIGN: u8 = 2;
    pub(crate) const CONDITIONAL: u8 = 3;
    pub(crate) const OR: u8 = 4;
    pub(crate) const AND: u8 = 5;
    pub(crate) const BIT_OR: u8 = 6;
    pub(crate) const BIT_XOR: u8 = 7;
    pub(crate) const BIT_AND: u8 = 8;
    pub(crate) const EQUAL: u8 = 9;
    pub(crate) const RELATION: u8 = 10;
    pub(crate) const SHIFT: u8 = 11;
    pub(crate) const SUM: u8 = 12;
    pub(crate) const PRODUCT: u8 = 13;
    pub(crate) const CAST: u8 = 14;
    pub(crate) const UNARY: u8 = 15;
    pub(crate) const POSTFIX: u8 = 16;
    pub(crate) const PRIMARY: u8 = 17;
}

/// The type of an expression's value and what is known about the value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// The kind is that of the expression before promotion, except that bit-fields are promoted.
    Int(IntKind, Interval),
    /// With bounds, the value is finite and between them.
    Float(FloatKind, Option<(f64, f64)>),
    /// With the depth of the scope until whose end the target lives.
    Pointer(Rc<PointerTy>, usize),
    Record(usize),
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) text: String,
    pub(crate) level: u8,
    pub(crate) value: Value,
    pub(crate) effects: Effects,
}

impl Expr {
    pub(crate) fn int(text: impl Into<String>, level: u8, kind: IntKind, range: Interval) -> Self {
        Self {
            text: text.into(),
            level,
            value: Value::Int(kind, range),
            effects: Effects::default(),
        }
    }

    pub(crate) fn with(mut self, effects: Effects) -> Self {
        self.effects = self.effects.and(effects);
        self
    }

    /// The text as an operand of an operator that binds with strength `at_least`.
    pub(crate) fn at(&self, at_least: u8) -> String {
        if self.level >= at_least {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    /// A binary operator between this operand and another.
    pub(crate) fn operated(&self, operator: &str, strength: u8, right: &Expr) -> String {
        format!(
            "{} {operator} {}",
            self.at(strength),
            right.at(strength + 1)
        )
    }

    /// One of two operands, as this condition says, and the effects of all three.
    pub(crate) fn choice(&self, yes: &Expr, no: &Expr) -> (String, Effects) {
        let text = format!(
            "{} ? {} : {}",
            self.at(level::OR),
            yes.at(level::COMMA),
            no.at(level::CONDITIONAL)
        );
        let effects = self.effects.and(yes.effects).and(no.effects);
        (text, effects)
    }

    /// The text behind a prefix operator, such that `-` and `-1` do not become `--1`.
    pub(crate) fn prefixed(&self, operator: &str) -> String {
        let operand = self.at(level::CAST);
        let clash = matches!(operator, "-" | "+" | "&") && operand.starts_with(operator);
        if clash {
            format!("{operator}({operand})")
        } else {
            format!("{operator}{operand}")
        }
    }

    /// Kind and range of an integer expression.
    ///
    /// # Panics
    /// When this is not an integer expression: a mistake in the generator.
    pub(crate) fn as_int(&self) -> (IntKind, Interval) {
        match &self.value {
            Value::Int(kind, range) => (*kind, *range),
            other => unreachable!("not an integer: {other:?}"),
        }
    }

    pub(crate) fn kind(&self) -> IntKind {
        self.as_int().0
    }

    pub(crate) fn range(&self) -> Interval {
        self.as_int().1
    }

    /// Whether repeating the text is cheap and changes nothing.
    pub(crate) fn repeatable(&self) -> bool {
        self.effects.is_pure() && self.text.len() <= 40
    }
}

/// The ways to build an integer expression.
#[derive(Clone, Copy)]
enum Form {
    Leaf,
    Arithmetic,
    Compare,
    Logic,
    Not,
    Unary,
    Cast,
    Conditional,
    OmittedOperand,
    Comma,
    Assign,
    Step,
    Call,
    Block,
    Size,
    FromFloat,
    CompareFloats,
    FromPointers,
    Input,
    Literal,
}

impl Generator {
    /// Some integer expression; `depth` bounds its nesting.
    pub(crate) fn int_expr(&mut self, cx: Context, depth: u32) -> Expr {
        self.nested(depth, |generator, depth| {
            if depth == 0 {
                generator.int_leaf(cx)
            } else {
                generator.compound_int(cx, depth)
            }
        })
    }

    fn compound_int(&mut self, cx: Context, depth: u32) -> Expr {
        let runtime = u32::from(!cx.constant);
        let floats = self
            .weight(Feature::Float, 1)
            .max(self.weight(Feature::Double, 1));
        let forms = [
            (14, Form::Leaf),
            (30, Form::Arithmetic),
            (self.weight(Feature::Comparison, 7), Form::Compare),
            (self.weight(Feature::ShortCircuit, 6), Form::Logic),
            (2, Form::Not),
            (6, Form::Unary),
            (self.weight(Feature::Cast, 8), Form::Cast),
            (self.weight(Feature::Conditional, 6), Form::Conditional),
            (
                runtime * self.weight(Feature::OmittedOperand, 3),
                Form::OmittedOperand,
            ),
            (runtime * self.weight(Feature::Comma, 3), Form::Comma),
            (
                runtime * self.weight(Feature::AssignmentExpression, 5),
                Form::Assign,
            ),
            (
                runtime * self.weight(Feature::IncrementDecrement, 6),
                Form::Step,
            ),
            (runtime * self.weight(Feature::Call, 6), Form::Call),
            (
                runtime * self.weight(Feature::StatementExpression, 3),
                Form::Block,
            ),
            (self.weight(Feature::Sizeof, 3), Form::Size),
            (
                runtime * floats * self.weight(Feature::IntFloatConversion, 4),
                Form::FromFloat,
            ),
            (runtime * floats * 3, Form::CompareFloats),
            (runtime * 4, Form::FromPointers),
            (runtime * self.weight(Feature::Input, 4), Form::Input),
            (
                runtime * self.weight(Feature::CompoundLiteral, 2),
                Form::Literal,
            ),
        ];
        let built = match self.rng.weighted(&forms).unwrap_or(Form::Leaf) {
            Form::Leaf => None,
            Form::Arithmetic => Some(self.arithmetic(cx, depth)),
            Form::Compare => Some(self.comparison(cx, depth)),
            Form::Logic => Some(self.short_circuit(cx, depth)),
            Form::Not => Some(self.logical_not(cx, depth)),
            Form::Unary => Some(self.unary_arithmetic(cx, depth)),
            Form::Cast => Some(self.cast(cx, depth)),
            Form::Conditional => Some(self.conditional(cx, depth)),
            Form::OmittedOperand => Some(self.omitted_operand(cx, depth)),
            Form::Comma => Some(self.comma(cx, depth)),
            Form::Assign => self.assignment(cx, depth),
            Form::Step => self.step(cx),
            Form::Call => self.int_call(cx, depth),
            Form::Block => Some(self.statement_expression(cx, depth)),
            Form::Size => self.size_of(cx),
            Form::FromFloat => self.int_from_float(cx, depth),
            Form::CompareFloats => self.float_comparison(cx, depth),
            Form::FromPointers => self.int_from_pointers(cx),
            Form::Input => self.input(cx),
            Form::Literal => self.element_of_literal(cx, depth),
        };
        built.unwrap_or_else(|| self.int_leaf(cx))
    }

    /// An integer expression that may be stored into an object of type `want` as it is.
    pub(crate) fn int_for(&mut self, want: &IntTy, cx: Context, depth: u32) -> Expr {
        let value = self.int_expr(cx, depth);
        self.fit(value, want, cx)
    }

    /// A constant or the value of an object.
    pub(crate) fn int_leaf(&mut self, cx: Context) -> Expr {
        if !cx.constant
            && !self.is_deep()
            && self.rng.percent(75)
            && let Some(place) = self.find_place(cx, &Goal::AnyInt, false)
        {
            return self.read_int(place);
        }
        self.constant()
    }

    /// The value of an integer object.
    pub(crate) fn read_int(&mut self, place: Target) -> Expr {
        let Ty::Int(ty) = &place.ty else {
            unreachable!("not an integer object: {:?}", place.ty)
        };
        let effects = place.effects.and(Effects::reading(place.classes));
        let wide_field = ty.field_bits.is_some() && ty.kind.rank() > IntKind::Int.rank();
        if wide_field {
            // gcc computes with bit-fields wider than int in exactly their own width; with the cast
            // all compilers agree.
            let text = format!("({}){}", self.kind_spelling(ty.kind), place.at(level::CAST));
            return Expr::int(text, level::CAST, ty.kind, ty.range).with(effects);
        }
        let kind = if ty.field_bits.is_some() {
            ty.promoted()
        } else {
            ty.kind
        };
        Expr::int(place.text, place.level, kind, ty.range).with(effects)
    }

    fn arithmetic(&mut self, cx: Context, depth: u32) -> Expr {
        let operators = [
            (8, Binary::Add),
            (8, Binary::Sub),
            (6, Binary::Mul),
            (self.weight(Feature::Division, 4), Binary::Div),
            (self.weight(Feature::Division, 4), Binary::Rem),
            (self.weight(Feature::Shift, 4), Binary::Shl),
            (self.weight(Feature::Shift, 4), Binary::Shr),
            (self.weight(Feature::Bitwise, 3), Binary::And),
            (self.weight(Feature::Bitwise, 3), Binary::Or),
            (self.weight(Feature::Bitwise, 3), Binary::Xor),
        ];
        let operator = self.rng.weighted(&operators).unwrap_or(Binary::Add);
        let left = self.int_expr(cx, depth - 1);
        let right = self.int_expr(cx.beside(left.effects), depth - 1);
        self.binary(operator, left, right, cx)
    }

    fn comparison(&mut self, cx: Context, depth: u32) -> Expr {
        self.mark(Feature::Comparison);
        let left = self.int_expr(cx, depth - 1);
        let right = self.int_expr(cx.beside(left.effects), depth - 1);
        self.compare(&left, &right)
    }

    /// `left < right` or another relation, of integers or floating values.
    pub(crate) fn compare(&mut self, left: &Expr, right: &Expr) -> Expr {
        let (operator, strength) = *self.rng.pick(&[
            ("<", level::RELATION),
            (">", level::RELATION),
            ("<=", level::RELATION),
            (">=", level::RELATION),
            ("==", level::EQUAL),
            ("!=", level::EQUAL),
        ]);
        truth(left, operator, strength, right)
    }

    fn short_circuit(&mut self, cx: Context, depth: u32) -> Expr {
        self.mark(Feature::ShortCircuit);
        let (operator, strength) = *self.rng.pick(&[("&&", level::AND), ("||", level::OR)]);
        let left = self.int_expr(cx, depth - 1);
        // A sequence point: the right operand may undo what the left one did.
        let right = self.int_expr(cx, depth - 1);
        truth(&left, operator, strength, &right)
    }

    fn logical_not(&mut self, cx: Context, depth: u32) -> Expr {
        let operand = self.int_expr(cx, depth - 1);
        Expr::int(
            operand.prefixed("!"),
            level::UNARY,
            IntKind::Int,
            Interval::new(0, 1),
        )
        .with(operand.effects)
    }

    fn cast(&mut self, cx: Context, depth: u32) -> Expr {
        let operand = self.int_expr(cx, depth - 1);
        let kind = self.int_kind();
        self.cast_to(operand, kind)
    }

    /// `(kind)operand`.
    pub(crate) fn cast_to(&mut self, operand: Expr, kind: IntKind) -> Expr {
        self.mark(Feature::Cast);
        let range = operand.kind().converted(operand.range(), kind, self.model);
        if !range.covers(&operand.range()) {
            self.mark(Feature::Narrowing);
        }
        let text = format!("({}){}", self.kind_spelling(kind), operand.at(level::CAST));
        Expr::int(text, level::CAST, kind, range).with(operand.effects)
    }

    fn conditional(&mut self, cx: Context, depth: u32) -> Expr {
        self.mark(Feature::Conditional);
        let condition = self.int_expr(cx, depth - 1);
        let yes = self.int_expr(cx, depth - 1);
        let no = self.int_expr(cx, depth - 1);
        self.choose(&condition, &yes, &no)
    }

    /// `condition ? yes : no` for integers.
    pub(crate) fn choose(&self, condition: &Expr, yes: &Expr, no: &Expr) -> Expr {
        let kind = yes.kind().common(no.kind(), self.model);
        let of = |side: &Expr| side.kind().converted(side.range(), kind, self.model);
        let text = format!(
            "{} ? {} : {}",
            condition.at(level::OR),
            yes.at(level::COMMA),
            no.at(level::CONDITIONAL)
        );
        Expr::int(text, level::CONDITIONAL, kind, of(yes).join(of(no)))
            .with(condition.effects.and(yes.effects).and(no.effects))
    }

    fn omitted_operand(&mut self, cx: Context, depth: u32) -> Expr {
        self.mark(Feature::OmittedOperand);
        let first = self.int_expr(cx, depth - 1);
        let second = self.int_expr(cx, depth - 1);
        let kind = first.kind().common(second.kind(), self.model);
        let of = |side: &Expr| side.kind().converted(side.range(), kind, self.model);
        let text = format!(
            "{} ?: {}",
            first.at(level::OR),
            second.at(level::CONDITIONAL)
        );
        Expr::int(text, level::CONDITIONAL, kind, of(&first).join(of(&second)))
            .with(first.effects.and(second.effects))
    }

    fn comma(&mut self, cx: Context, depth: u32) -> Expr {
        self.mark(Feature::Comma);
        let first = self.side_effect(cx, depth - 1);
        let second = self.int_expr(cx, depth - 1);
        let second = self.promote_bit_field(second);
        let text = format!("{}, {}", first.at(level::COMMA), second.at(level::ASSIGN));
        Expr {
            text,
            level: level::COMMA,
            effects: first.effects.and(second.effects),
            ..second
        }
    }

    /// An expression worth evaluating for what it does.
    pub(crate) fn side_effect(&mut self, cx: Context, depth: u32) -> Expr {
        let done = match self.rng.below(3) {
            0 => self.assignment(cx, depth),
            1 => self.step(cx),
            _ => self.int_call(cx, depth),
        };
        done.unwrap_or_else(|| self.int_expr(cx, depth))
    }

    /// `({ T t = e; …; t; })`.
    fn statement_expression(&mut self, cx: Context, depth: u32) -> Expr {
        self.mark(Feature::StatementExpression);
        self.scopes.push(Vec::new());
        let ty = self.int_ty();
        let name = self.fresh("q");
        let first = self.int_for(&ty, cx, depth - 1);
        let declaration = self.declaration(&Ty::Int(ty), &name);
        let mut text = format!("({{ {declaration} = {}; ", first.at(level::ASSIGN));
        let mut effects = first.effects;
        let var = self.counter_var(name.clone(), Ty::Int(ty));
        let own = Effects::reading(var.classes);
        self.declare(var);
        if self.rng.percent(50) {
            let middle = self.side_effect(cx, depth - 1);
            text += &format!("{}; ", middle.text);
            effects = effects.and(middle.effects);
        }
        let last = if self.rng.percent(50) {
            let last = self.int_expr(cx, depth - 1);
            self.promote_bit_field(last)
        } else {
            Expr::int(name, level::PRIMARY, ty.kind, ty.range).with(own)
        };
        self.scopes.pop();
        effects = effects.and(last.effects);
        text += &format!("{}; }})", last.text);
        Expr {
            text,
            level: level::PRIMARY,
            value: last.value,
            effects,
        }
    }

    /// `sizeof` of a type or of an expression that is not evaluated.
    fn size_of(&mut self, cx: Context) -> Option<Expr> {
        let kind = self.model.size_kind();
        let (text, strength) = if cx.constant || self.rng.percent(50) {
            let ty = self.some_type();
            (format!("sizeof({})", self.type_name(&ty)), level::UNARY)
        } else {
            let used = self.used;
            // Unevaluated: neither its effects nor its neighbours' matter.
            let operand = self.int_expr(Context::default(), 1);
            self.used = used;
            if !has_plain_type(&operand) {
                return None;
            }
            (format!("sizeof({})", operand.text), level::UNARY)
        };
        self.mark(Feature::Sizeof);
        Some(Expr::int(text, strength, kind, Interval::new(1, 1 << 16)))
    }

    /// Makes the promotion of a bit-field visible where compilers disagree about its type.
    fn promote_bit_field(&mut self, operand: Expr) -> Expr {
        if operand.level < level::POSTFIX || has_plain_type(&operand) {
            return operand;
        }
        let kind = operand.kind().promoted();
        Expr::int(operand.prefixed("+"), level::UNARY, kind, operand.range()).with(operand.effects)
    }

    fn some_type(&mut self) -> Ty {
        if !self.records.is_empty() && self.rng.percent(40) {
            let index = self.rng.index(self.records.len());
            return Ty::Record(index);
        }
        let ty = Ty::Int(self.int_ty());
        match self.rng.below(4) {
            0 => Ty::Array(Rc::new(ty), self.rng.between(1, 9) as u32),
            1 => ty.pointer_to_one(),
            _ => ty,
        }
    }

    /// A call of one of the input functions.
    fn input(&mut self, cx: Context) -> Option<Expr> {
        if !cx.may_write(WORLD) {
            return None;
        }
        self.mark(Feature::Input);
        let (name, spelling, kind) = *self.rng.pick(&[
            ("int", "int", IntKind::Int),
            ("uint", "unsigned int", IntKind::UInt),
            ("char", "char", IntKind::Char),
            ("uchar", "unsigned char", IntKind::UChar),
            ("short", "short", IntKind::Short),
            ("ushort", "unsigned short", IntKind::UShort),
            ("long", "long", IntKind::Long),
            ("ulong", "unsigned long", IntKind::ULong),
            ("longlong", "long long", IntKind::LLong),
            ("ulonglong", "unsigned long long", IntKind::ULLong),
            ("bool", "_Bool", IntKind::Bool),
        ]);
        self.externs
            .insert(format!("extern {spelling} __VERIFIER_nondet_{name}(void);"));
        Some(
            Expr::int(
                format!("__VERIFIER_nondet_{name}()"),
                level::POSTFIX,
                kind,
                kind.range(self.model),
            )
            .with(Effects::writing(WORLD)),
        )
    }

    /// A condition for `if`, loops and so on.
    pub(crate) fn condition(&mut self) -> Expr {
        let depth = self.rng.between(1, 3) as u32;
        self.int_expr(Context::default(), depth)
    }
}

/// Whether `sizeof` and `typeof` may be applied: not to a bit-field, nor to anything whose type
/// might be that of a bit-field, nor to a block with declarations.
pub(crate) fn has_plain_type(operand: &Expr) -> bool {
    !["({", ".", "->"]
        .iter()
        .any(|part| operand.text.contains(part))
}

/// What a comparison or a connective gives.
fn truth(left: &Expr, operator: &str, strength: u8, right: &Expr) -> Expr {
    let text = left.operated(operator, strength, right);
    Expr::int(text, strength, IntKind::Int, Interval::new(0, 1))
        .with(left.effects.and(right.effects))
}
