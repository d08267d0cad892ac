//! Git and the file system judge what relight does: the git command line makes work trees, the library applies
//! plans, and the answers of `git status`, `git fsck`, `git diff` and `lstat` are compared with those from before.
//!
//! Prints `SKIPPED` where there is no git program.

mod builds;
mod forms;
mod git;
mod kept;
mod mounts;
mod picture;
mod project;
mod reset;
mod restore;
mod strange;
mod whole;

pub(crate) use git::{is_there as git_is_there, run as run_git};
