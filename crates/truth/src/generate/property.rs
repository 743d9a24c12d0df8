//! From a draft to a program: properties that the values at a place have, or almost have.

use std::collections::BTreeSet;

use rhumb_difftest::rng::Rng;

use super::{Calls, Draft, look};

/// The share of places, of a hundred, whose property holds.
const HOLDS: u32 = 65;

/// Puts a property in every place.
pub(crate) fn finish(draft: &Draft, calls: &Calls, rng: &mut Rng) -> String {
    let mut text = String::new();
    let nothing = BTreeSet::new();
    for line in draft.text.lines() {
        let Some(number) = (0..draft.looks).find(|&n| line.contains(&format!("{}(", look(n))))
        else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        if line.starts_with("static") {
            continue;
        }
        let values = calls.get(&look(number)).unwrap_or(&nothing);
        let indent = &line[..line.len() - line.trim_start().len()];
        let property = property(&draft.vars, values, rng);
        let test = format!("{indent}if (!({property})) {{\n{indent}  reach_error();\n{indent}}}\n");
        text.push_str(&test);
    }
    text
}

/// A sum of variables with coefficients.
struct Form {
    text: String,
    coefficients: Vec<i128>,
}

impl Form {
    fn random(vars: &[String], rng: &mut Rng) -> Form {
        let mut coefficients = vec![0; vars.len()];
        for _ in 0..1 + rng.index(2) {
            coefficients[rng.index(vars.len())] = *rng.pick(&[1, 1, 1, -1, 2]);
        }
        // In a type that has all the values, or in whatever type comes out.
        let wide = rng.percent(60);
        let terms = vars.iter().zip(&coefficients);
        let terms = terms.filter(|(_, coefficient)| **coefficient != 0);
        let terms = terms.map(|(variable, coefficient)| {
            let name = match wide {
                true => format!("(long long){variable}"),
                false => variable.clone(),
            };
            match coefficient {
                1 => name,
                -1 => format!("-{name}"),
                other => format!("{other} * {name}"),
            }
        });
        Form {
            text: terms.collect::<Vec<_>>().join(" + "),
            coefficients,
        }
    }

    fn of(&self, values: &[i128]) -> i128 {
        let terms = self.coefficients.iter().zip(values);
        terms.map(|(coefficient, value)| coefficient * value).sum()
    }
}

fn property(vars: &[String], values: &BTreeSet<Vec<i128>>, rng: &mut Rng) -> String {
    if values.is_empty() || vars.is_empty() {
        return "0".to_owned();
    }
    let form = Form::random(vars, rng);
    let holds = rng.percent(HOLDS);
    // Sometimes only where one of the variables has a certain value.
    if rng.percent(20) {
        let values: Vec<&Vec<i128>> = values.iter().collect();
        let (which, case) = (rng.index(vars.len()), *rng.pick(&values));
        let number = case[which];
        let image = values.iter().filter(|case| case[which] == number);
        let image = image.map(|case| form.of(case)).collect();
        let claim = claim(&form, &image, holds, rng);
        return format!("{} != {number} || {claim}", vars[which]);
    }
    let image = values.iter().map(|case| form.of(case)).collect();
    claim(&form, &image, holds, rng)
}

/// A claim about a sum with these values.
fn claim(form: &Form, image: &BTreeSet<i128>, holds: bool, rng: &mut Rng) -> String {
    let (low, high) = match (image.first(), image.last()) {
        (Some(&low), Some(&high)) => (low, high),
        _ => return "0".to_owned(),
    };
    let text = &form.text;
    let off = i128::from(!holds);
    match rng.index(6) {
        0 => format!("{text} <= {}", high - off),
        1 => format!("{text} >= {}", low + off),
        2 | 3 => {
            let inside = (low..=high).filter(|value| image.contains(value) != holds);
            let inside: Vec<i128> = inside.take(200).collect();
            match inside.is_empty() {
                true => format!("{text} != {}", high + 1),
                false => format!("{text} != {}", rng.pick(&inside)),
            }
        }
        4 => {
            let moduli = [2, 3, 4, 5, 6];
            let same = |modulus: &&i128| {
                let rests: BTreeSet<i128> = image.iter().map(|value| value % **modulus).collect();
                rests.len() == 1
            };
            match moduli.iter().find(same) {
                Some(modulus) if holds => format!("({text}) % {modulus} == {}", low % modulus),
                _ => format!("({text}) % 2 == {}", low % 2),
            }
        }
        _ => {
            // A gap in the values.
            let values: Vec<i128> = image.iter().copied().collect();
            let widest = values.windows(2).max_by_key(|pair| pair[1] - pair[0]);
            match widest {
                Some(&[a, b]) => format!("({text} <= {a} || {text} >= {})", b + off),
                _ => format!("{text} == {}", low + off),
            }
        }
    }
}
