//! Loops that end and switches that fall through.

use super::Generator;
use super::effects::Context;
use super::types::{IntTy, Ty};
use crate::feature::Feature;
use crate::model::{IntKind, Interval};

/// What `break` and `continue` would leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    Loop,
    Switch,
}

impl Generator {
    /// How often a loop here may run.
    pub(crate) fn trip_count(&mut self) -> i128 {
        let room = self.budget.saturating_sub(self.work) / (self.repeat * 20);
        self.rng.between(1, i128::from(room.clamp(1, 9)))
    }

    /// Runs `write` for a statement that is executed `times` times as often.
    pub(crate) fn repeated(&mut self, times: i128, write: impl FnOnce(&mut Self)) {
        let outer = self.repeat;
        self.repeat *= u64::try_from(times.max(1)).unwrap_or(1);
        write(self);
        self.repeat = outer;
    }

    /// The body of a loop in which `counter` has a value in `range`.
    fn loop_body(
        &mut self,
        head: &str,
        tail: &str,
        counter: &str,
        kind: IntKind,
        range: Interval,
        nesting: u32,
    ) {
        self.loops.push(LoopKind::Loop);
        self.scopes.push(Vec::new());
        let var = self.counter_var(counter.to_owned(), Ty::Int(IntTy::ranged(kind, range)));
        self.declare(var);
        self.body(head, tail, nesting);
        self.scopes.pop();
        self.loops.pop();
    }

    fn counter_kind(&mut self) -> IntKind {
        match self.int_kind() {
            IntKind::Bool => IntKind::Int,
            kind => kind,
        }
    }

    /// `for` with a counter that goes up or down.
    pub(crate) fn for_loop(&mut self, nesting: u32) {
        self.mark(Feature::For);
        let kind = self.counter_kind();
        let times = self.trip_count();
        let counter = self.fresh("i");
        let spelling = self.kind_spelling(kind);
        let (start, test, range) = if self.rng.percent(70) {
            let relation = *self.rng.pick(&["<", "!=", "<"]);
            (
                0,
                format!("{counter} {relation} {times}"),
                Interval::new(0, times - 1),
            )
        } else {
            (times, format!("{counter} > 0"), Interval::new(1, times))
        };
        let step = if start == 0 {
            *self.rng.pick(&["{}++", "++{}", "{} += 1", "{} = {} + 1"])
        } else {
            *self.rng.pick(&["{}--", "--{}", "{} -= 1"])
        };
        let mut step = step.replace("{}", &counter);
        if self.decide(Feature::Comma, 15)
            && let Some(extra) = self.step(Context::default())
        {
            let text = self.full(&extra);
            step = format!("{step}, {text}");
        }
        let head = if self.rng.percent(70) {
            format!("for ({spelling} {counter} = {start}; {test}; {step})")
        } else {
            self.line(format!("{spelling} {counter};"));
            format!("for ({counter} = {start}; {test}; {step})")
        };
        self.repeated(times, |generator| {
            generator.loop_body(&head, "", &counter, kind, range, nesting)
        });
    }

    /// `while`, with the counter in the condition or at the head of the body.
    pub(crate) fn while_loop(&mut self, nesting: u32) {
        self.mark(Feature::While);
        let times = self.trip_count();
        let counter = self.fresh("w");
        self.line(format!("int {counter} = 0;"));
        let range = Interval::new(1, times);
        self.repeated(times, |generator| {
            let condition = if generator.rng.percent(50) {
                let condition = generator.condition();
                let text = generator.full(&condition);
                format!("{counter}++ < {times} && ({text})")
            } else {
                format!("{counter}++ < {times}")
            };
            generator.loop_body(
                &format!("while ({condition})"),
                "",
                &counter,
                IntKind::Int,
                range,
                nesting,
            );
        });
    }

    /// `do … while`, or an endless loop with a way out.
    pub(crate) fn do_loop(&mut self, nesting: u32) {
        self.mark(Feature::DoWhile);
        let times = self.trip_count();
        let counter = self.fresh("d");
        self.line(format!("unsigned {counter} = 0;"));
        let range = Interval::new(0, times - 1);
        self.repeated(times, |generator| {
            let condition = if generator.rng.percent(40) {
                let condition = generator.condition();
                let text = generator.full(&condition);
                format!("++{counter} < {times} && ({text})")
            } else {
                format!("++{counter} < {times}")
            };
            let tail = format!(" while ({condition});");
            generator.loop_body("do", &tail, &counter, IntKind::UInt, range, nesting);
        });
    }

    /// `if (…) break;` or `continue`.
    pub(crate) fn leave_loop(&mut self) {
        let condition = self.condition();
        let in_loop = self.loops.contains(&LoopKind::Loop);
        let word = if in_loop && self.decide(Feature::Continue, 50) {
            "continue"
        } else if self.decide(Feature::Break, 100) {
            "break"
        } else {
            return self.line(";");
        };
        let text = self.full(&condition);
        self.line(format!("if ({text}) {word};"));
    }

    /// A switch over distinct cases, some of them ranges, in any order, with or without breaks.
    pub(crate) fn switch(&mut self, nesting: u32) {
        self.mark(Feature::Switch);
        let wide = self.int_expr(Context::default(), 2);
        let value = if self.rng.percent(75) {
            let range = Interval::new(0, self.rng.between(3, 15));
            self.fit(
                wide,
                &IntTy::ranged(IntKind::Int, range),
                Context::default(),
            )
        } else {
            wide
        };
        let text = self.full(&value);
        // A label is converted to the promoted type of the value and must stay distinct there.
        let mut labels = self.case_labels(value.kind().promoted().signed());
        let count = labels.len();
        for last in (1..count).rev() {
            labels.swap(last, self.rng.index(last + 1));
        }
        let default_at = if self.rng.percent(80) {
            self.rng.index(count + 1)
        } else {
            count + 1
        };
        self.loops.push(LoopKind::Switch);
        self.line(format!("switch ({text}) {{"));
        for position in 0..=count {
            if position == default_at {
                self.case("default:", nesting);
            }
            if let Some(label) = labels.get(position) {
                self.case(&label.clone(), nesting);
            }
        }
        self.line("}");
        self.loops.pop();
    }

    fn case_labels(&mut self, signed: bool) -> Vec<String> {
        let mut next = if signed { self.rng.between(-3, 2) } else { 0 };
        let mut labels = Vec::new();
        for _ in 0..self.rng.between(1, 5) {
            next += self.rng.between(0, 3);
            if self.decide(Feature::CaseRange, 25) {
                let last = next + self.rng.between(0, 3);
                labels.push(format!("case {next} ... {last}:"));
                next = last + 1;
            } else {
                let text = match self.rng.below(4) {
                    _ if next < 0 => next.to_string(),
                    0 => format!("0x{next:x}"),
                    1 => format!("'\\{next:o}'"),
                    2 => format!("{next} + 0"),
                    _ => next.to_string(),
                };
                labels.push(format!("case {text}:"));
                next += 1;
            }
        }
        labels
    }

    fn case(&mut self, label: &str, nesting: u32) {
        let breaks = !self.decide(Feature::FallThrough, 35);
        self.body(label, "", nesting);
        if breaks {
            self.indent += 1;
            self.line("break;");
            self.indent -= 1;
        }
    }
}
