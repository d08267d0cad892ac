//! Errors of the disk, in words for a person.

use std::io;

use rustix::io::Errno;

/// What an error of the disk means, as the end of a sentence: `permission is denied`.
pub fn because(why: &io::Error) -> String {
    let Some(errno) = Errno::from_io_error(why) else {
        return plain(why);
    };
    let text = match errno {
        Errno::LOOP => "a part of it is a symbolic link",
        Errno::XDEV => "it lies on another mount",
        Errno::ACCESS | Errno::PERM => "permission is denied",
        Errno::ROFS => "its file system is mounted read-only",
        Errno::NOSPC => "no space is left",
        Errno::DQUOT => "the quota is used up",
        Errno::NOENT => "it is not there",
        Errno::NOTDIR => "a part of it is not a directory",
        Errno::ISDIR => "it is a directory",
        Errno::EXIST => "it is there already",
        Errno::NOTEMPTY => "it is not empty",
        Errno::NAMETOOLONG => "its name is too long",
        Errno::MFILE | Errno::NFILE => "too many files are open",
        Errno::FBIG => "it is larger than this process may write",
        Errno::BUSY => "it is in use",
        Errno::IO => "the drive reports an error",
        Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => "its file system cannot do that",
        other => return io::Error::from(other).to_string(),
    };
    text.to_owned()
}

/// Errors that carry no number: relight's own words, and kinds.
fn plain(why: &io::Error) -> String {
    let words = [
        (io::ErrorKind::NotFound, "it is not there"),
        (io::ErrorKind::FileTooLarge, "it is too large"),
        (io::ErrorKind::Unsupported, "its file system cannot do that"),
    ];
    let known = words.iter().find(|(kind, _)| *kind == why.kind());
    known.map_or_else(|| why.to_string(), |(_, words)| (*words).to_owned())
}
