//! Standard output, which may be closed, full, or without a reader.

use std::io::{self, BufWriter, Write};

use crate::engine::was_closed;

/// Writes to stdout. One that was closed is like a pipe whose reader has gone.
pub(super) fn stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let lock = io::stdout().lock();
    if was_closed(&lock) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    let mut out = BufWriter::new(lock);
    let written = write(&mut out).and_then(|()| out.flush());
    // Without this, dropping the writer would try once more to write the rest.
    drop(out.into_parts());
    written
}

/// An error of the terminal or file that stdout is.
pub(in crate::cli) fn io_text(error: &io::Error) -> String {
    let known = [
        (io::ErrorKind::StorageFull, "no space left"),
        (io::ErrorKind::FileTooLarge, "file size limit reached"),
        (io::ErrorKind::QuotaExceeded, "quota exceeded"),
    ];
    let found = known.iter().find(|(kind, _)| *kind == error.kind());
    found.map_or_else(|| error.to_string(), |(_, text)| (*text).to_owned())
}
