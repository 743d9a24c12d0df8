//! Reading files.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use super::LoadError;

/// Reads a file of at most `limit` bytes.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, LoadError> {
    let unreadable = |reason: io::Error| match reason.kind() {
        io::ErrorKind::NotFound => LoadError::Missing(path.to_owned()),
        io::ErrorKind::IsADirectory => LoadError::Directory(path.to_owned()),
        _ => LoadError::Unreadable {
            path: path.to_owned(),
            reason,
        },
    };
    let too_large = || LoadError::TooLarge {
        path: path.to_owned(),
        limit,
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(LoadError::Directory(path.to_owned()));
    }
    // A device may have no end.
    if !metadata.is_file() && !is_pipe(&metadata) {
        return Err(LoadError::NotAFile(path.to_owned()));
    }
    if metadata.len() > limit {
        return Err(too_large());
    }
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}
