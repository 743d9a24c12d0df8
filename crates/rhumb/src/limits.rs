//! Limits on time and memory, as people write them.

use std::time::Duration;

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
