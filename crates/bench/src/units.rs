//! Durations and sizes as people write them.

use std::time::Duration;

/// `90`, `90s`, `1.5min`, `2h`.
///
/// # Errors
///
/// When it is none of these.
pub fn duration(text: &str) -> Result<Duration, String> {
    let units = [
        ("ms", 0.001),
        ("s", 1.0),
        ("min", 60.0),
        ("m", 60.0),
        ("h", 3600.0),
    ];
    let seconds = quantity(text, &units, 1.0).ok_or("expected a time like 60s, 15min or 1h")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// `500MB`, `4GB`, `15GiB`; a bare number is megabytes. The result is in bytes.
///
/// # Errors
///
/// When it is none of these.
pub fn bytes(text: &str) -> Result<u64, String> {
    let units = [
        ("MiB", 1024.0 * 1024.0),
        ("GiB", 1024.0 * 1024.0 * 1024.0),
        ("MB", 1e6),
        ("GB", 1e9),
        ("kB", 1e3),
        ("B", 1.0),
    ];
    quantity(text, &units, 1e6)
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "expected a size like 500MB or 4GB".to_owned())
}

/// A positive number and a unit, case apart.
fn quantity(text: &str, units: &[(&str, f64)], bare: f64) -> Option<f64> {
    let text = text.trim();
    let split = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "" => bare,
        unit => {
            units
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(unit))?
                .1
        }
    };
    let value = number.trim().parse::<f64>().ok()? * factor;
    (value.is_finite() && value > 0.0 && value < 1e18).then_some(value)
}

/// A time for people: `0.12 s`, `75 s`, `12 min`, `3.4 h`.
pub fn show_seconds(seconds: f64) -> String {
    if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else if seconds < 7200.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5min"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("200 ms"), Ok(Duration::from_millis(200)));
        assert!(
            ["", "s", "-1s", "0", "1y", "infs", "1e30s"]
                .iter()
                .all(|text| duration(text).is_err())
        );
        assert_eq!(show_seconds(725.0), "12 min");
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("4GB"), Ok(4_000_000_000));
        assert_eq!(bytes("15gib"), Ok(15 << 30));
        assert_eq!(bytes("500"), Ok(500_000_000));
        assert!(
            ["", "GB", "-4GB", "4TBB"]
                .iter()
                .all(|text| bytes(text).is_err())
        );
    }
}
