//! Maps git2's errors to errors of the world.

use std::io;
use std::path::Path;

use git2::{ErrorClass, ErrorCode};
use rustix::io::Errno;

use crate::model::{PathRefusal, Place};
use crate::world::files::ReadError;
use crate::world::git::GitError;

/// The error of opening or reading a repository.
impl From<git2::Error> for GitError {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "every other code of libgit2 keeps its own message"
    )]
    fn from(error: git2::Error) -> Self {
        let text = error.message().to_owned();
        match error.code() {
            ErrorCode::Owner => Self::OtherOwner,
            ErrorCode::NotFound => Self::Missing(text),
            _ if error.class() == ErrorClass::Repository && text.starts_with("unsupported") => {
                Self::Unsupported(text)
            }
            _ => Self::Other(text),
        }
    }
}

/// The error of the file system, where libgit2 ends its message with one that says that there is no more room, or where
/// it says nothing at all: a short write of it leaves only the system's own error.
pub(super) fn full(error: &git2::Error) -> Option<io::Error> {
    let last = io::Error::last_os_error();
    let known = [Errno::NOSPC, Errno::DQUOT, Errno::FBIG].map(io::Error::from);
    let is_said = |why: &io::Error| {
        let text = why.to_string();
        let text = text.split(" (os error").next().unwrap_or_default();
        let is_last = error.message() == "no error" && last.raw_os_error() == why.raw_os_error();
        is_last || error.message().ends_with(text)
    };
    known.into_iter().find(is_said)
}

/// A file of a git directory that could not be read.
pub(super) fn file(name: &str, error: &ReadError) -> GitError {
    match error {
        ReadError::NotRegular | ReadError::Link => GitError::Hostile(format!(
            "`{name}` in the git directory is not a regular file"
        )),
        ReadError::NotFound => GitError::NotARepository,
        ReadError::TooLarge { .. } | ReadError::Denied | ReadError::Other(_) => {
            GitError::Other(format!("`{name}` in the git directory: {error}"))
        }
    }
}

/// The place of a file with a fixed name in a git directory.
pub(super) fn place(git_dir: &Path, name: impl AsRef<Path>) -> Result<Place, GitError> {
    Place::known(git_dir, name)
        .map_err(|why: PathRefusal| GitError::Hostile(format!("in the git directory, {why}")))
}
