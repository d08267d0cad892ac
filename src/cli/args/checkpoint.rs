//! The arguments of `checkpoint`.

use std::ffi::OsString;

use clap::Args;

/// What to keep, and what for.
#[derive(Debug, Args)]
pub(in crate::cli) struct CheckpointArgs {
    /// The pipeline: a path, an issue number of mgw, a session of crucible, or an id.
    pub(in crate::cli) pipeline: OsString,
    /// Give the reason for the checkpoint. For crucible, the name of one of its own boundaries, such as pre-wave-2,
    /// takes crucible's own checkpoint.
    #[arg(long, value_name = "REASON")]
    pub(in crate::cli) reason: String,
    /// Name the phase that the pipeline is in.
    #[arg(long, value_name = "PHASE")]
    pub(in crate::cli) phase: Option<String>,
    /// Keep the work tree too, without what git ignores, .env files, key files and files over 10 MiB.
    #[arg(long)]
    pub(in crate::cli) tree: bool,
    /// Keep those files as well.
    #[arg(long, requires = "tree")]
    pub(in crate::cli) include_ignored: bool,
}
