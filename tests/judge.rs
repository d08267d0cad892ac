//! Git and the file system as the judges of what relight does: work trees made with the git command line,
//! plans carried out through the library, and the answers of `git status`, `git fsck`, `git diff` and `lstat`
//! held against what was there before (safety.md 3.6).
//!
//! Skipped aloud where there is no git program.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "A test that cannot go on stops, and one that is skipped says so."
)]

#[path = "judge/builds.rs"]
mod builds;
#[path = "judge/git.rs"]
mod git;
#[path = "judge/kept.rs"]
mod kept;
#[path = "judge/mounts.rs"]
mod mounts;
#[path = "judge/picture.rs"]
mod picture;
#[path = "judge/project.rs"]
mod project;
#[path = "judge/reset.rs"]
mod reset;
#[path = "judge/restore.rs"]
mod restore;
#[path = "judge/strange.rs"]
mod strange;
