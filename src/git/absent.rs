//! What it means that an object was not found. It is missing only where everything that could have it was looked at:
//! a shallow or partial clone never had it, and a folder of objects that cannot be read hides it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use git2::{ErrorCode, Oid};

use crate::text::Shown as _;
use crate::world::files::{Files as _, ReadError};
use crate::world::git::GitError;
use crate::world::real_files::RealFiles;

use super::error;
use super::objects::{Objects, Repo};

/// How many bytes of a list of commits or folders are read.
const CAP: u64 = 1 << 20;

/// How large the file of packed references may be, at some eighty bytes each.
const REFS_CAP: u64 = 256 << 20;

const SHALLOW: &str = "the clone is shallow; git fetch --unshallow completes it";
const PARTIAL: &str = "the clone is partial; git itself fetches such an object when it needs it";

impl Objects {
    /// The error for an object that a branch, a commit or a tree names, and that is missing or damaged. What it holds was
    /// there, so nobody may take it for something that never was.
    pub(super) fn error(&self, kind: &str, id: Oid, error: &git2::Error) -> GitError {
        let why = if error.code() == ErrorCode::NotFound {
            match self.looked_through(&format!("{kind} {id}")) {
                Err(unknown) => return unknown,
                Ok(()) => "it is missing",
            }
        } else {
            error.message()
        };
        GitError::Hostile(format!("the {kind} object {id} cannot be read: {why}"))
    }

    /// The error for an object that was not found.
    pub(super) fn absent(&self, what: &str) -> GitError {
        self.looked_through(what).err().unwrap_or_else(|| {
            let what = what.to_owned();
            GitError::Missing(what)
        })
    }

    /// Whether this is a partial clone: git fetches content when it is needed.
    pub(super) fn is_partial(&self) -> Result<bool, GitError> {
        self.has_promisor("objects/pack")
    }

    fn has_promisor(&self, folder: &str) -> Result<bool, GitError> {
        match RealFiles.list(&error::place(&self.git_dir, folder)?) {
            Ok(entries) => {
                let mut names = entries.iter().map(|entry| entry.name.as_bytes());
                Ok(names.any(|name| name.ends_with(b".promisor")))
            }
            Err(ReadError::NotFound) => Ok(false),
            Err(why) => Err(error::file(folder, &why)),
        }
    }

    fn looked_through(&self, what: &str) -> Result<(), GitError> {
        // Without these two, what is missing may lie in what cannot be read.
        let partial = self.has_promisor("objects")? | self.is_partial()?;
        let folder = self.git_dir.join("objects");
        for borrowed in self.lines("objects/info/alternates")? {
            let borrowed = folder.join(OsStr::from_bytes(&borrowed));
            if RealFiles.canonical(&borrowed).is_none() {
                return Err(GitError::Other(format!(
                    "the objects of another repository that this one uses cannot be read: {}",
                    borrowed.shown()
                )));
            }
        }
        if !self.shallow()?.is_empty() {
            return Err(not_fetched(what, SHALLOW));
        }
        if partial {
            return Err(not_fetched(what, PARTIAL));
        }
        Ok(())
    }

    /// The commits whose parents a shallow clone does not have.
    fn shallow(&self) -> Result<HashSet<Oid>, GitError> {
        let lines = self.lines("shallow")?;
        let ids = lines.iter().map(|line| String::from_utf8_lossy(line));
        Ok(ids.filter_map(|id| Oid::from_str(&id).ok()).collect())
    }

    /// Refuses a file of packed references that a crash cut off: a reference that was not found may have been in it.
    /// libgit2 says so once and then takes the file for an empty one (libgit2 1.9.7, `packed_reload`). An empty file
    /// is whole for git, and `JGit` writes one without references, but a branch whose log is left was in it, and so was
    /// one that a remote's HEAD names.
    pub(super) fn packed_refs_are_whole(&self) -> Result<(), GitError> {
        let name = "packed-refs";
        let bytes = match RealFiles.read(&error::place(&self.git_dir, name)?, REFS_CAP) {
            Ok(bytes) => bytes,
            Err(ReadError::NotFound) => return Ok(()),
            Err(why) => return Err(error::file(name, &why)),
        };
        let is_id = |id: &[u8]| id.len() == 40 && id.iter().all(u8::is_ascii_hexdigit);
        let is_line = |line: &[u8]| match line {
            [b'#', ..] => true,
            [b'^', id @ ..] => is_id(id.trim_ascii_end()),
            _ => line.get(..40).is_some_and(is_id) && line.get(40) == Some(&b' '),
        };
        let text = bytes.strip_suffix(b"\n");
        let mut lines = text.unwrap_or(&bytes).split(|byte| *byte == b'\n');
        let is_whole = if bytes.is_empty() {
            !(self.has_log_alone()? || self.has_name_alone()?)
        } else {
            text.is_some() && lines.all(is_line)
        };
        if is_whole {
            return Ok(());
        }
        Err(GitError::Hostile(format!(
            "`{name}` in the git directory is damaged"
        )))
    }

    /// Whether a branch has a log and no file: git deletes both together.
    fn has_log_alone(&self) -> Result<bool, GitError> {
        for of in ["refs/heads", "refs/remotes"] {
            let logs = self.loose_refs(&format!("logs/{of}"))?;
            let mut names = logs.iter().filter_map(|log| log.strip_prefix("logs").ok());
            if names.any(|name| self.git_dir.join(name).symlink_metadata().is_err()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a remote's HEAD, as a clone makes it, names a branch that has no file.
    fn has_name_alone(&self) -> Result<bool, GitError> {
        for name in self.loose_refs("refs/remotes")? {
            if name.ends_with("HEAD") {
                let lines = self.lines(&name)?;
                let mut named = lines.iter().filter_map(|line| line.strip_prefix(b"ref:"));
                let path = |name: &[u8]| self.git_dir.join(OsStr::from_bytes(name.trim_ascii()));
                if named.any(|name| path(name).symlink_metadata().is_err()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The references below a folder of the git directory, by the names of their files.
    pub(super) fn loose_refs(&self, below: &str) -> Result<Vec<PathBuf>, GitError> {
        let (mut names, mut folders) = (Vec::new(), vec![PathBuf::from(below)]);
        while let Some(folder) = folders.pop() {
            let entries = match RealFiles.list(&error::place(&self.git_dir, &folder)?) {
                Ok(entries) => entries,
                Err(ReadError::NotFound) => Vec::new(),
                Err(why) => return Err(error::file(&folder.shown().to_string(), &why)),
            };
            for entry in entries {
                let into = if entry.is_dir {
                    &mut folders
                } else {
                    &mut names
                };
                into.push(folder.join(entry.name));
            }
        }
        Ok(names)
    }

    /// The lines of a small file of the git directory that may be missing.
    fn lines(&self, name: impl AsRef<Path>) -> Result<Vec<Vec<u8>>, GitError> {
        let name = name.as_ref();
        let bytes = match RealFiles.read(&error::place(&self.git_dir, name)?, CAP) {
            Ok(bytes) => bytes,
            Err(ReadError::NotFound) => Vec::new(),
            Err(why) => return Err(error::file(&name.shown().to_string(), &why)),
        };
        let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        Ok(lines.map(<[u8]>::to_vec).collect())
    }
}

impl Repo {
    /// Refuses a history that goes on where a shallow clone ends: what was not found in it may be there.
    pub(super) fn whole_history(&self, tips: &[Oid]) -> Result<(), GitError> {
        let ends = self.objects.shallow()?;
        if ends.is_empty() {
            return Ok(());
        }
        let mut walk = self.revwalk()?;
        for tip in tips {
            walk.push(*tip)?;
        }
        for id in walk {
            if ends.contains(&id?) {
                return Err(not_fetched("the older history", SHALLOW));
            }
        }
        Ok(())
    }
}

fn not_fetched(what: &str, why: &str) -> GitError {
    GitError::NotFetched(format!("{what} ({why})"))
}
