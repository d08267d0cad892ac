//! The git room: the only one that names `git2`. It reads repositories, worktrees and shadow checkpoint stores,
//! and measures how far a work tree has moved from a checkpoint.
//!
//! What it may not do: change a person's repository or work tree, obey what a repository asks for (hooks,
//! filters, `core.worktree`, alternates of a store), read `GIT_*` from the environment, or search beyond the
//! `.git` it was led to. Only [`scratch`] writes, and only in folders that relight made.

pub mod scratch;
