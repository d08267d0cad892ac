//! Git and the file system as the judges of what relight does: work trees made with the git command line,
//! plans carried out through the library, and the answers of `git status`, `git fsck`, `git diff` and `lstat`
//! held against what was there before (safety.md 3.6).
//!
//! Skipped aloud where there is no git program.

mod builds;
mod git;
mod kept;
mod mounts;
mod picture;
mod project;
mod reset;
mod restore;
mod strange;
