//! Who made a witness, when, and for which task.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rhumb_program::Program;
use sha2::{Digest, Sha256};

use super::model::{Content, Metadata, Producer, WitnessTask};

/// What a witness says about its task, beside the program.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The C file, as the user named it.
    pub file_name: &'a str,
    /// The bytes of that file.
    pub file: &'a [u8],
    /// The property, in the words of a property file.
    pub specification: &'a str,
    /// Version of the tool.
    pub version: &'a str,
    /// The time that the witness bears.
    pub time: SystemTime,
}

/// The SHA-256 of a file, in hexadecimal digits.
pub fn file_hash(file: &[u8]) -> String {
    hex(&Sha256::digest(file))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Metadata {
    /// For a witness of ours. Its name is made from what it says, so that it can be made again.
    pub(super) fn new(program: &Program, about: &About<'_>, content: &Content) -> Metadata {
        let task = WitnessTask {
            input_files: vec![about.file_name.to_owned()],
            input_file_hashes: [(about.file_name.to_owned(), file_hash(about.file))].into(),
            specification: about.specification.to_owned(),
            data_model: program.data_model.to_string(),
            language: "C".to_owned(),
        };
        let creation_time = utc(about.time);
        let named = format!("{task:?} {content:?}");
        Metadata {
            format_version: "2.0".to_owned(),
            uuid: uuid(named.as_bytes()),
            creation_time,
            producer: Producer {
                name: "Rhumb".to_owned(),
                version: about.version.to_owned(),
            },
            task,
        }
    }
}

/// A UUID from the bits of a hash, in the form of a random one.
fn uuid(named: &[u8]) -> String {
    let mut bytes: Vec<u8> = Sha256::digest(named).into_iter().take(16).collect();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex(&bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    parts.join("-")
}

/// The time in ISO 8601, to the second.
pub(crate) fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = seconds.as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let clock = seconds % 86_400;
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day, counted from the first of January 1970. Years begin in March here, so that leap days come last.
fn date(day: u64) -> (u64, u64, u64) {
    // Days since the first of March of the year 0.
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = match month {
        0..10 => (month + 3, 0),
        _ => (month - 9, 1),
    };
    (era * 400 + year + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |seconds: u64| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_000_000_000), "2001-09-09T01:46:40Z");
        assert_eq!(at(4_102_444_799), "2099-12-31T23:59:59Z");
    }

    #[test]
    fn names_and_hashes_have_their_form() {
        assert_eq!(
            file_hash(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        let name = uuid(b"abc");
        assert_eq!(name.len(), 36);
        assert_eq!(&name[14..15], "4");
        assert_ne!(name, uuid(b"abd"));
    }
}
