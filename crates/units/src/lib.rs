//! Durations and sizes as people write them: one parser for all commands.
//!
//! The crates for that (`humantime`, `bytesize`) take either no fractions or a bare number of bytes, which is what nobody means.

use std::time::Duration;

const SECONDS: [(&str, f64); 5] = [
    ("ms", 0.001),
    ("s", 1.0),
    ("min", 60.0),
    ("m", 60.0),
    ("h", 3600.0),
];

const BYTES: [(&str, f64); 10] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("k", 1e3),
    ("MB", 1e6),
    ("M", 1e6),
    ("GB", 1e9),
    ("G", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// A length of time: `90` (seconds), `90s`, `1500ms`, `1.5min`, `2h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = parts(text).ok_or("a number is wanted, and a unit: 60s, 15min, 1h")?;
    let unit = if unit.is_empty() { "s" } else { unit };
    let factor = factor(unit, &SECONDS)
        .ok_or_else(|| format!("`{unit}` is no unit of time; ms, s, min and h are"))?;
    Duration::try_from_secs_f64(number * factor).map_err(|error| error.to_string())
}

/// A number of bytes: `4GB`, `500MB`, `15GiB`. A bare number is refused: some take it for bytes, others for megabytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = parts(text).ok_or("a number is wanted, and a unit: 500MB, 4GB")?;
    if unit.is_empty() {
        let number = text.trim();
        return Err(format!(
            "the unit is missing: {number}MB or {number}B, for example"
        ));
    }
    let factor = factor(unit, &BYTES).ok_or_else(|| {
        format!("`{unit}` is no unit of memory; kB, MB, GB, KiB, MiB and GiB are")
    })?;
    let bytes = number * factor;
    match (1.0..1e18).contains(&bytes) {
        true => Ok(bytes as u64),
        false => Err(format!("`{}` is no amount of memory", text.trim())),
    }
}

/// A number that is not negative, and what stands behind it.
fn parts(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(split.unwrap_or(text.len()));
    Some((number.parse().ok()?, unit.trim()))
}

fn factor(unit: &str, units: &[(&str, f64)]) -> Option<f64> {
    let mut units = units.iter();
    let found = units.find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    Some(found.1)
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
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        for text in [
            "", "s", "-1s", "1y", "5 years", "infs", "1e99s", "1e30s", "..s",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(show_seconds(725.0), "12 min");
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("4GB"), Ok(4_000_000_000));
        assert_eq!(bytes("500mb"), Ok(500_000_000));
        assert_eq!(bytes("0.5 kB"), Ok(500));
        assert_eq!(bytes("15gib"), Ok(15 << 30));
        for text in ["", "GB", "-4GB", "4TBB", "0GB", "99999999999GB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_bare_size_is_refused_with_a_hint() {
        let hint = bytes("4096").expect_err("no unit");
        assert!(hint.contains("4096MB"), "{hint}");
    }
}
