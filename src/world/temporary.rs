//! Where tests keep their files.
//!
//! Both the unit tests and those in `tests` compile this file.

use tempfile::{Builder, TempDir};

/// A file system in memory that most systems have.
const MEMORY: &str = "/dev/shm";

/// How much must be free in it. Containers often have 64 MB, and a test may need twice as much.
const ROOM: u64 = 1 << 30;

/// A new directory that is gone when dropped. It is in `TMPDIR` where that is set, else in memory where there is room:
/// much of the time of many tests would be spent waiting until a disk has flushed.
///
/// What is never dropped (a `static`) belongs on disk: use [`tempfile::tempdir`].
pub(crate) fn directory() -> TempDir {
    named(&Builder::new())
}

/// The same with a name of the builder's.
pub(crate) fn named(builder: &Builder<'_, '_>) -> TempDir {
    let free = rustix::fs::statvfs(MEMORY).map_or(0, |found| found.f_bavail * found.f_frsize);
    let made = if free >= ROOM && std::env::var_os("TMPDIR").is_none() {
        builder.tempdir_in(MEMORY).ok()
    } else {
        None
    };
    made.unwrap_or_else(|| builder.tempdir().unwrap())
}
