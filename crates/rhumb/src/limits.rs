//! Limits on time and memory, as people write them and as the work obeys them.

use std::time::Duration;

use rhumb_logic::{Budget, Cancel};

/// A length of time: `90`, `90s`, `1500ms`, `2min`, `1h`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "min" | "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time; ms, s, min and h are")),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| "a number is wanted, and a unit: 60s".to_owned())?;
    Duration::try_from_secs_f64(number * factor).map_err(|error| error.to_string())
}

/// A number of bytes: `4GB`, `500MB`, `4096` (bytes), with powers of ten.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "" | "B" => 1.0,
        "kB" | "KB" | "k" | "K" => 1e3,
        "MB" | "M" => 1e6,
        "GB" | "G" => 1e9,
        _ => return Err(format!("`{unit}` is no unit of memory; kB, MB and GB are")),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| "a number is wanted, and a unit: 4GB".to_owned())?;
    Ok((number * factor) as u64)
}

/// A budget for everything that a command does, with a watch on the memory of the process.
pub(crate) fn watched(time: Duration, memory: Option<u64>) -> Budget {
    let budget = Budget::time(time);
    if let Some(limit) = memory {
        watch_memory(limit, budget.cancel.clone());
    }
    budget
}

/// How often the memory of the process is looked at.
const PERIOD: Duration = Duration::from_millis(20);

/// Cancels the work when the process has got too large. The thread ends with the process.
fn watch_memory(limit: u64, cancel: Cancel) {
    std::thread::spawn(move || {
        while !cancel.is_cancelled() {
            if rhumb_logic::resident_bytes().is_some_and(|bytes| bytes > limit) {
                cancel.cancel_because("out of memory");
            }
            std::thread::sleep(PERIOD);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_units() {
        assert_eq!(parse_duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1.5min"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("20ms"), Ok(Duration::from_millis(20)));
        assert!(parse_duration("5 years").is_err());
        assert!(parse_duration("s").is_err());
        assert!(parse_duration("1e99s").is_err());
        assert_eq!(parse_bytes("4GB"), Ok(4_000_000_000));
        assert_eq!(parse_bytes("500MB"), Ok(500_000_000));
        assert!(parse_bytes("4GiB").is_err());
    }
}
