//! Reads the content of regular files. Links are never followed, and a pipe cannot block it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::AsFd;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, retry_on_intr};
use sha2::{Digest as _, Sha256};

use super::super::{Digest, FileKind, Node};
use super::{CAREFUL, stat};

/// The most bytes that are read at once for a digest.
const PIECE: usize = 128 * 1024;

/// Reading does not change the file's access time; only its owner may request that.
#[cfg(target_os = "linux")]
const UNNOTED: OFlags = OFlags::NOATIME;
#[cfg(not(target_os = "linux"))]
const UNNOTED: OFlags = OFlags::empty();

/// Opens a regular file; `extra` are more flags. Anything else is refused. Pipes and devices are refused before they
/// are opened, too, because opening a device can already have an effect.
pub(super) fn open_regular(at: impl AsFd, name: &OsStr, extra: OFlags) -> io::Result<File> {
    let node = stat::named(&at, name)?.ok_or(io::ErrorKind::NotFound)?;
    if node.kind != FileKind::File {
        return Err(not_regular());
    }
    open_looked(at, name, extra).map(|(file, _)| file)
}

/// The error for a pipe, a folder or a device.
pub(super) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// The same for a name that was a regular file a moment ago; returns the facts of the opened file, too.
fn open_looked(at: impl AsFd, name: &OsStr, extra: OFlags) -> io::Result<(File, Node)> {
    let flags = extra | OFlags::NONBLOCK | CAREFUL;
    let open = |flags| retry_on_intr(|| openat(&at, name, flags, Mode::empty()));
    // Updating the access time would cause a write for every file that is read.
    let file = match open(flags | UNNOTED) {
        Err(Errno::PERM) => open(flags),
        opened => opened,
    };
    let file = File::from(file?);
    let node = stat::of(&file)?;
    if node.kind == FileKind::File {
        Ok((file, node))
    } else {
        Err(not_regular())
    }
}

/// All bytes of a regular file of at most `cap` bytes.
pub(super) fn read(at: impl AsFd, name: &OsStr, cap: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(at, name, OFlags::RDONLY)?;
    let size = stat::of(&file)?.size;
    let mut bytes = Vec::new();
    if size <= cap {
        bytes.reserve(usize::try_from(size).unwrap_or(0));
        file.take(cap.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if size > cap || bytes.len() as u64 > cap {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// At most `cap` bytes of a regular file from an offset on; none beyond its end.
pub(super) fn read_from(at: impl AsFd, name: &OsStr, offset: u64, cap: u64) -> io::Result<Vec<u8>> {
    let mut file = open_regular(at, name, OFlags::RDONLY)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// SHA-256 of what was a regular file a moment ago.
pub(super) fn digest(at: impl AsFd, name: &OsStr) -> io::Result<Digest> {
    let (mut file, node) = open_looked(at, name, OFlags::RDONLY)?;
    let mut hash = Sha256::new();
    let size = usize::try_from(node.size).unwrap_or(PIECE);
    let mut piece = vec![0; size.clamp(1, PIECE)];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hash.finalize().into()),
            Ok(read) => hash.update(piece.get(..read).unwrap_or_default()),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
}

/// SHA-256 of bytes at hand.
pub(super) fn digest_of(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}
