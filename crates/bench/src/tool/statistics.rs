//! What a tool may tell about a run besides its answer.
//!
//! Lines on standard output that begin with `stat:` are read from any tool; others and unknown ones are passed over.
//!
//! | line | meaning |
//! |---|---|
//! | `stat: phase NAME` | this phase begins now; a run that is stopped was in the last one named |
//! | `stat: time.NAME SECONDS` | CPU time of a phase; times under one name add up |
//! | `stat: certificate checked` | the certificate was accepted by the tool's own checker (or `rejected`) |

use std::fmt;

/// What the `stat:` lines of a run say.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics {
    /// The phase that began last.
    pub phase: Option<String>,
    /// Seconds by phase, in the order in which the phases were first named.
    pub times: Vec<(String, f64)>,
    /// What was said about the certificate.
    pub certificate: Option<String>,
}

impl Statistics {
    /// Reads the lines.
    pub fn read(stdout: &str) -> Statistics {
        let mut statistics = Statistics::default();
        for line in stdout.lines() {
            let Some(rest) = line.strip_prefix("stat:") else {
                continue;
            };
            let Some((key, value)) = rest.trim().split_once(char::is_whitespace) else {
                continue;
            };
            statistics.add(key, value.trim());
        }
        statistics
    }

    fn add(&mut self, key: &str, value: &str) {
        match key {
            "phase" => self.phase = Some(value.to_owned()),
            "certificate" => self.certificate = Some(value.to_owned()),
            _ => {
                let Some(name) = key.strip_prefix("time.") else {
                    return;
                };
                let Some(seconds) = value
                    .parse::<f64>()
                    .ok()
                    .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
                else {
                    return;
                };
                match self.times.iter_mut().find(|(known, _)| known == name) {
                    Some((_, sum)) => *sum += seconds,
                    None => self.times.push((name.to_owned(), seconds)),
                }
            }
        }
    }

    /// The times in one field of a table: `parse=0.010 search=1.200`.
    pub fn times_field(&self) -> impl fmt::Display + '_ {
        struct Field<'a>(&'a [(String, f64)]);
        impl fmt::Display for Field<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                for (index, (name, seconds)) in self.0.iter().enumerate() {
                    let blank = if index > 0 { " " } else { "" };
                    write!(f, "{blank}{name}={seconds:.3}")?;
                }
                Ok(())
            }
        }
        Field(&self.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_lines_are_read_and_others_passed_over() {
        let text = "stat: phase parse\nstat: time.parse 0.01\nhello\nstat: time.search 1\nstat: time.search 0.2\nstat: time.x -1\nstat: depth 7\n\
                    stat: phase search\nstat: certificate checked\nverdict: SAFE\n";
        let statistics = Statistics::read(text);
        assert_eq!(
            statistics.times_field().to_string(),
            "parse=0.010 search=1.200"
        );
        assert_eq!(statistics.phase.as_deref(), Some("search"));
        assert_eq!(statistics.certificate.as_deref(), Some("checked"));
        assert_eq!(Statistics::read("verdict: SAFE"), Statistics::default());
    }
}
