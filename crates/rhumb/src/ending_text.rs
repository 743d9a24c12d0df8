//! Why all runs end, in words.

use rhumb_program::{
    Ending, Endless, Measure, MeasuredPlace, Program, Span, Sum, TargetKind, Term,
};

/// A line for each loop, and each function that calls itself: what falls from round to round.
pub(crate) fn measures_text(program: &Program, ending: Option<&Ending>) -> String {
    let (measures, wraps) = match ending {
        Some(Ending::Measured(measures)) => (measures, false),
        Some(Ending::MeasuredWrapping(measures)) => (measures, true),
        Some(Ending::Counted(_)) => return "all runs were followed to their ends\n".to_owned(),
        _ => return String::new(),
    };
    let is_own = |kind: &TargetKind| *kind == TargetKind::Endless(Endless::Uncounted);
    let counted = program.targets.iter().filter(|target| is_own(&target.kind));
    let spans: Vec<Span> = counted.map(|target| target.span).collect();
    // Loops come before entries there.
    let (loops, entries): (Vec<&Measure>, Vec<&Measure>) =
        (measures.iter()).partition(|measure| measure.place != MeasuredPlace::Entry);
    let mut text = String::new();
    for (measure, span) in loops.into_iter().chain(entries).zip(spans) {
        let parts = measure.parts.iter().map(|sum| in_words(program, sum));
        let Some(parts) = parts.collect::<Option<Vec<String>>>() else {
            continue;
        };
        let place = program.sources.position(span);
        let what = match measure.place {
            MeasuredPlace::Loop(_) => "round",
            MeasuredPlace::Entry => "call",
        };
        let falls = match &*parts {
            [] => format!("there is no second {what}"),
            parts => format!("{} falls with each {what}", parts.join(", or else ")),
        };
        text.push_str(&format!(
            "measure: {}:{}: {falls}\n",
            place.file, place.line
        ));
    }
    if wraps {
        text.push_str("so it is even where signed arithmetic wraps around\n");
    }
    text
}

/// A sum as C; none if it speaks of what has no name.
fn in_words(program: &Program, sum: &Sum) -> Option<String> {
    let mut text = String::new();
    for &(factor, term) in &sum.parts {
        let (name, sign) = match term {
            Term::Var(var) => (&program.vars[var].decl.name, ""),
            Term::At(var, _) => (&program.vars[var].decl.name, "*"),
            Term::In(object, _) => (&program.objects[object].decl.name, ""),
        };
        if name.is_empty() {
            return None;
        }
        add(&mut text, factor, &format!("{sign}{name}"));
    }
    match sum.constant {
        0 if !text.is_empty() => {}
        number if text.is_empty() => text = number.to_string(),
        number => {
            let sign = if number < 0 { '-' } else { '+' };
            text.push_str(&format!(" {sign} {}", number.unsigned_abs()));
        }
    }
    Some(text)
}

fn add(text: &mut String, factor: i64, name: &str) {
    let sign = match (text.is_empty(), factor < 0) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    };
    text.push_str(sign);
    match factor.unsigned_abs() {
        1 => text.push_str(name),
        factor => text.push_str(&format!("{factor} * {name}")),
    }
}
