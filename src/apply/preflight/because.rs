//! Disk errors as phrases for a person.

use std::io;

use rustix::io::Errno;

/// The meaning of a disk error, as the end of a sentence: `permission is denied`.
pub fn because(why: &io::Error) -> String {
    let Some(errno) = Errno::from_io_error(why) else {
        return plain(why);
    };
    let text = match errno {
        Errno::LOOP => "a part of it is a symbolic link",
        Errno::XDEV => "it is on another mount",
        Errno::ACCESS | Errno::PERM => "permission is denied",
        Errno::ROFS => "its file system is mounted read-only",
        Errno::NOSPC => "no space is left",
        Errno::DQUOT => "the disk quota is exceeded",
        Errno::NOENT => "it does not exist",
        Errno::NOTDIR => "a part of it is not a directory",
        Errno::ISDIR => "it is a directory",
        Errno::EXIST => "it already exists",
        Errno::NOTEMPTY => "it is not empty",
        Errno::NAMETOOLONG => "its name is too long",
        Errno::MFILE | Errno::NFILE => "too many files are open",
        Errno::FBIG => "it is larger than the limit of this process",
        Errno::BUSY => "it is in use",
        Errno::IO => "the disk reports an I/O error",
        Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => "its file system does not support that",
        other => return io::Error::from(other).to_string(),
    };
    text.to_owned()
}

/// Errors without an error number: relight's own texts, and kinds.
fn plain(why: &io::Error) -> String {
    let words = [
        (io::ErrorKind::NotFound, "it does not exist"),
        (io::ErrorKind::FileTooLarge, "it is too large"),
        (
            io::ErrorKind::Unsupported,
            "its file system does not support that",
        ),
    ];
    let known = words.iter().find(|(kind, _)| *kind == why.kind());
    known.map_or_else(|| why.to_string(), |(_, words)| (*words).to_owned())
}
