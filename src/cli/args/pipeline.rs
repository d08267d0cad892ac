//! Which pipeline, where to take it up, and how.

use std::path::PathBuf;

use clap::Args;

/// One pipeline.
#[derive(Debug, Args)]
pub(in crate::cli) struct Target {
    /// An id, an unambiguous beginning of an id or native key, or a path: a state file, a manifest, a
    /// dispatch, scratch or conference directory, a worktree.
    #[arg(value_name = "PIPELINE")]
    pub(in crate::cli) pipeline: std::ffi::OsString,
    /// Where a crucible run's project is, when it cannot be found.
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) work_tree: Option<PathBuf>,
}

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub(in crate::cli) struct PlanArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    #[command(flatten)]
    pub(in crate::cli) point: PointArgs,
    #[command(flatten)]
    pub(in crate::cli) options: OptionArgs,
}

/// What may be said beside the point.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(in crate::cli) struct OptionArgs {
    /// Keep what came since the checkpoint (the default).
    #[arg(long, conflicts_with = "exact")]
    pub(in crate::cli) overlay: bool,
    /// Move aside what came since the checkpoint.
    #[arg(long)]
    pub(in crate::cli) exact: bool,
    /// Restore only this path, relative to the work tree; repeat the option for several.
    #[arg(long = "path", value_name = "P")]
    pub(in crate::cli) only: Vec<PathBuf>,
    /// The branch the pipeline ran on, where it recorded none.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) branch: Option<String>,
    /// You made sure that it has stopped, where that is unknown.
    #[arg(long)]
    pub(in crate::cli) assume_stopped: bool,
    /// Answer a question of the plan (its id as `plan` shows it); may be given several times. `--yes` never does.
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) accept: Vec<String>,
    /// Put the branch back to its commit at the checkpoint's time, too; its old tip is kept (crucible).
    #[arg(long)]
    pub(in crate::cli) rewind_branch: bool,
    /// Say why: recorded in the log and the amendment (superscientist), and told in the hand-off.
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: Option<String>,
}

/// Which resume point.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(in crate::cli) struct PointArgs {
    /// A resume point; the recommended one without it.
    #[arg(value_name = "POINT")]
    pub(in crate::cli) word: Option<String>,
    /// The same, as an option.
    #[arg(long = "point", value_name = "ID")]
    pub(in crate::cli) id: Option<String>,
    /// The first point of a phase.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) from_phase: Option<String>,
    /// The boundary that encloses a dispatch (crucible).
    #[arg(long, value_name = "N")]
    pub(in crate::cli) from_seq: Option<u64>,
}
