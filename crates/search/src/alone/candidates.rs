//! What threads could promise: read off what a program does with the numbers that its threads share.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_program::passes::{constants, inline};
use rhumb_program::{
    Action, BinOp, ExprId, ExprKind, Fact, FactSide, Init, ObjectId, Program, Promise, Promises,
    Scope, SharedNumber, Type, VarId, alone,
};

/// A larger program is read without its calls inlined.
const MAX_EDGES: usize = 4000;

/// Of more shared numbers nothing is promised.
const MAX_NUMBERS: usize = 12;

/// A number is compared with, or set to, more constants than that: those beyond are left out.
const MAX_CONSTANTS: usize = 4;

/// What is known of the shared numbers of a program.
pub(super) struct Candidates {
    numbers: Vec<SharedNumber>,
    /// What each is at first.
    first: Vec<i128>,
    /// What each is set to, or compared with.
    constants: Vec<BTreeSet<i128>>,
    /// Numbers that are compared with each other.
    pairs: BTreeSet<(usize, usize)>,
}

impl Candidates {
    /// Those of a program, as one thread of it sees them; none if it is no program for that.
    pub(super) fn of(program: &Program) -> Option<Candidates> {
        let thread = alone(program, &Promises::default())
            .inspect_err(|unfit| tracing::debug!("not one thread at a time: {unfit}"))
            .ok()?;
        let inlined = inline::run(&thread, MAX_EDGES).passed.program;
        let program = constants::run(&inlined).program;
        let mut written = BTreeSet::new();
        let mut reads: BTreeMap<VarId, BTreeSet<SharedNumber>> = BTreeMap::new();
        let actions = || {
            let functions = program.functions.iter();
            functions.flat_map(|function| function.cfa.edges.iter().map(|edge| &edge.action))
        };
        for action in actions() {
            match *action {
                Action::Load { dst, ptr, access } if access.bits.is_none() => {
                    if let Some(number) = shared(&program, ptr, access.ty) {
                        reads.entry(dst).or_default().insert(number);
                    }
                }
                Action::Store { ptr, access, .. } if access.bits.is_none() => {
                    written.extend(shared(&program, ptr, access.ty));
                }
                _ => {}
            }
        }
        let numbers: Vec<SharedNumber> = written.into_iter().take(MAX_NUMBERS).collect();
        let mut known = Candidates {
            first: numbers
                .iter()
                .map(|number| first(&program, *number))
                .collect(),
            constants: vec![BTreeSet::new(); numbers.len()],
            pairs: BTreeSet::new(),
            numbers,
        };
        for action in actions() {
            match *action {
                Action::Store { ptr, value, access } => {
                    let number = shared(&program, ptr, access.ty);
                    let value = program.exprs.as_int_const(value);
                    if let (Some(number), Some((int, bits))) = (number, value) {
                        known.note(number, int.extend(bits));
                    }
                }
                Action::Assume { cond, .. } => known.note_comparisons(&program, &reads, cond),
                Action::Assign { value, .. } => known.note_comparisons(&program, &reads, value),
                _ => {}
            }
        }
        Some(known)
    }

    fn note(&mut self, number: SharedNumber, constant: i128) {
        if let Some(position) = self.position(number)
            && self.constants[position].len() < MAX_CONSTANTS
        {
            self.constants[position].insert(constant);
        }
    }

    fn position(&self, number: SharedNumber) -> Option<usize> {
        self.numbers.iter().position(|known| *known == number)
    }

    fn note_comparisons(
        &mut self,
        program: &Program,
        reads: &BTreeMap<VarId, BTreeSet<SharedNumber>>,
        expr: ExprId,
    ) {
        let exprs = &program.exprs;
        if let ExprKind::Binary(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, left, right) =
            exprs[expr].kind
        {
            let numbers = |side: ExprId| {
                let read = var_of(program, side).and_then(|var| reads.get(&var));
                read.into_iter().flatten().copied().collect::<Vec<_>>()
            };
            let (of_left, of_right) = (numbers(left), numbers(right));
            for (sides, other) in [(&of_left, right), (&of_right, left)] {
                if let Some((int, bits)) = exprs.as_int_const(other) {
                    for &number in sides {
                        self.note(number, int.extend(bits));
                    }
                }
            }
            for &one in &of_left {
                for &other in &of_right {
                    if let (Some(one), Some(other)) = (self.position(one), self.position(other))
                        && one != other
                        && self.numbers[one].int == self.numbers[other].int
                    {
                        self.pairs.insert((one.min(other), one.max(other)));
                    }
                }
            }
        }
        for child in exprs.children(expr) {
            self.note_comparisons(program, reads, child);
        }
    }

    /// Facts that one may stay with.
    fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for number in 0..self.numbers.len() {
            for constant in self.all_constants(number) {
                let (number, constant) = (FactSide::Number(number), FactSide::Constant(constant));
                facts.extend(comparisons(number, constant));
            }
        }
        facts.retain(|fact| !self.is_always(fact));
        for &(one, other) in &self.pairs {
            facts.extend(comparisons(FactSide::Number(one), FactSide::Number(other)));
        }
        facts
    }

    /// Whether a comparison with a constant says nothing, or nothing that can be.
    fn is_always(&self, fact: &Fact) -> bool {
        let int = |number: usize| self.numbers[number].int;
        match (fact.op, fact.left, fact.right) {
            (BinOp::Le, FactSide::Constant(constant), FactSide::Number(number)) => {
                constant == int(number).extend(int(number).min_bits())
            }
            (BinOp::Le, FactSide::Number(number), FactSide::Constant(constant)) => {
                constant == int(number).extend(int(number).max_bits())
            }
            _ => false,
        }
    }

    fn all_constants(&self, number: usize) -> BTreeSet<i128> {
        let mut constants = self.constants[number].clone();
        constants.insert(self.first[number]);
        constants
    }

    /// Promises without conditions.
    pub(super) fn simple(&self) -> Promises {
        let mut promises = Vec::new();
        let numbers = 0..self.numbers.len();
        for lock in numbers.clone() {
            for &held in &self.constants[lock] {
                if held == self.first[lock] {
                    continue;
                }
                let owned = |number| Promise::Owned { lock, held, number };
                promises.push(owned(lock));
                let others = numbers.clone().filter(|&number| number != lock);
                promises.extend(others.map(owned));
            }
        }
        for number in numbers {
            let unless = None;
            promises.push(Promise::Grows { number, unless });
            promises.push(Promise::Falls { number, unless });
        }
        promises.extend(
            self.facts()
                .into_iter()
                .map(|fact| Promise::Stays(vec![fact])),
        );
        Promises {
            numbers: self.numbers.clone(),
            promises,
        }
    }

    /// What can be promised besides, where one fact or another holds, given what is kept already.
    pub(super) fn conditional(&self, kept: Promises) -> Promises {
        let mut all = kept;
        let stay = all.promises.iter().filter_map(|promise| match promise {
            Promise::Stays(facts) if facts.len() == 1 => facts.first().copied(),
            _ => None,
        });
        let stay: Vec<Fact> = stay.collect();
        let mut more = Vec::new();
        for number in 0..self.numbers.len() {
            for &fact in &stay {
                if fact.left == FactSide::Number(number) || fact.right == FactSide::Number(number) {
                    continue;
                }
                let unless = Some(fact);
                more.push(Promise::Grows { number, unless });
                more.push(Promise::Falls { number, unless });
            }
        }
        let facts = self.facts();
        for (position, one) in facts.iter().enumerate() {
            for other in &facts[position + 1..] {
                if one.left != other.left {
                    more.push(Promise::Stays(vec![*one, *other]));
                }
            }
        }
        more.retain(|promise| !all.promises.contains(promise));
        all.promises.extend(more);
        all
    }
}

/// All comparisons of two sides, but for those that others say together.
fn comparisons(left: FactSide, right: FactSide) -> [Fact; 4] {
    let fact = |op, left, right| Fact { op, left, right };
    [
        fact(BinOp::Eq, left, right),
        fact(BinOp::Ne, left, right),
        fact(BinOp::Le, left, right),
        fact(BinOp::Le, right, left),
    ]
}

fn var_of(program: &Program, expr: ExprId) -> Option<VarId> {
    match program.exprs[expr].kind {
        ExprKind::Var(var) => Some(var),
        ExprKind::Cast(arg) => var_of(program, arg),
        _ => None,
    }
}

/// The shared number that an access is to.
fn shared(program: &Program, ptr: ExprId, ty: Type) -> Option<SharedNumber> {
    let Type::Int(int) = ty else { return None };
    let (object, offset) = address(program, ptr)?;
    let shape = program.objects.get(object)?;
    let is_shared = shape.scope == Scope::Global && !shape.read_only;
    let fits =
        matches!(int.width, 8 | 16 | 32 | 64) && offset + u64::from(int.width / 8) <= shape.size;
    (is_shared && fits).then_some(SharedNumber {
        object,
        offset,
        int,
    })
}

fn address(program: &Program, ptr: ExprId) -> Option<(ObjectId, u64)> {
    match program.exprs[ptr].kind {
        ExprKind::AddrOf(object) => Some((object, 0)),
        ExprKind::PtrAdd(base, bytes) => {
            let (object, offset) = address(program, base)?;
            let (int, bits) = program.exprs.as_int_const(bytes)?;
            let bytes = u64::try_from(int.extend(bits)).ok()?;
            Some((object, offset.checked_add(bytes)?))
        }
        _ => None,
    }
}

/// What a number is before anybody writes it.
fn first(program: &Program, number: SharedNumber) -> i128 {
    let mut bits: u128 = 0;
    for init in &program.objects[number.object].init {
        match init {
            Init::Bytes { offset, bytes } => {
                for byte in 0..u64::from(number.int.width / 8) {
                    let at = (number.offset + byte).checked_sub(*offset);
                    if let Some(&value) = at.and_then(|at| bytes.get(at as usize)) {
                        bits |= u128::from(value) << (8 * byte);
                    }
                }
            }
            Init::Scalar { offset, value, .. } if *offset == number.offset => {
                if let Some((_, value)) = program.exprs.as_int_const(*value) {
                    bits = value;
                }
            }
            Init::Scalar { .. } => {}
        }
    }
    number.int.extend(bits)
}
