//! The property files of SV-COMP. Collections name them by paths that do not always lead anywhere once a part of the collection was copied.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Name and text of the standard properties.
const STANDARD: [(&str, &str); 7] = [
    (
        "unreach-call",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    ),
    ("no-overflow", "CHECK( init(main()), LTL(G ! overflow) )\n"),
    (
        "valid-memsafety",
        "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack) )\n",
    ),
    (
        "valid-memcleanup",
        "CHECK( init(main()), LTL(G valid-memcleanup) )\n",
    ),
    (
        "def-behavior",
        "CHECK( init(main()), LTL(G def-behavior) )\n",
    ),
    ("termination", "CHECK( init(main()), LTL(F end) )\n"),
    (
        "no-data-race",
        "CHECK( init(main()), LTL(G ! data-race) )\n",
    ),
];

/// A property file that exists: the one named, or the standard one of that name, written to `folder`.
pub(crate) fn provide<'a>(named: &'a Path, folder: &Path) -> io::Result<Cow<'a, Path>> {
    let standard = |(name, _): &&(&str, &str)| named.file_stem().is_some_and(|stem| stem == *name);
    match STANDARD.iter().find(standard) {
        Some((name, text)) if !named.is_file() => {
            let path: PathBuf = folder.join(format!("{name}.prp"));
            fs::write(&path, text)?;
            Ok(Cow::Owned(path))
        }
        _ => Ok(Cow::Borrowed(named)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_and_standard_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = Path::new("/no/such/folder/unreach-call.prp");
        let provided = provide(missing, folder.path()).expect("a file");
        assert!(
            fs::read_to_string(&provided)
                .expect("its text")
                .contains("G ! call(reach_error())")
        );
        assert_eq!(provide(&provided, folder.path()).expect("a file"), provided);
        let special = Path::new("/no/such/folder/special.prp");
        assert_eq!(provide(special, folder.path()).expect("a path"), special);
    }
}
