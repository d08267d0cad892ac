//! Which pipeline, which resume point, and the options of a plan.

use std::path::PathBuf;

use clap::Args;

/// One pipeline.
#[derive(Debug, Args)]
pub(in crate::cli) struct Target {
    /// The pipeline: its id, a unique prefix of its id or of the system's own key, or a path (a state file, a
    /// manifest, a dispatch, scratch or conference directory, a worktree).
    pub(in crate::cli) pipeline: std::ffi::OsString,
    /// Use this project for a crucible run whose project cannot be found.
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) work_tree: Option<PathBuf>,
}

/// One pipeline or several.
#[derive(Debug, Args)]
pub(in crate::cli) struct Targets {
    /// The pipelines, each by its id, a unique prefix of its id or of the system's own key, or a path (a state file, a
    /// manifest, a dispatch, scratch or conference directory, a worktree).
    #[arg(required = true)]
    pub(in crate::cli) pipeline: Vec<std::ffi::OsString>,
    /// Use this project for a crucible run whose project cannot be found.
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) work_tree: Option<PathBuf>,
}

impl Targets {
    /// Each pipeline as other commands take it.
    pub(in crate::cli) fn each(&self) -> impl Iterator<Item = Target> + '_ {
        self.pipeline.iter().map(|pipeline| Target {
            pipeline: pipeline.clone(),
            work_tree: self.work_tree.clone(),
        })
    }
}

/// Arguments of `why`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WhyArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// Quote the last passages of the conversations, shortened and with secrets removed.
    #[arg(long)]
    pub(in crate::cli) conversation: bool,
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
    /// Give the reason, for the hand-off and (superscientist) for the log and the amendment.
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: Option<String>,
}

/// The options of a plan.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(in crate::cli) struct OptionArgs {
    /// Keep files created after the checkpoint (the default).
    #[arg(long, conflicts_with = "exact")]
    pub(in crate::cli) overlay: bool,
    /// Move aside files created after the checkpoint.
    #[arg(long)]
    pub(in crate::cli) exact: bool,
    /// Restore only this path, relative to the work tree (can be repeated).
    #[arg(long = "path", value_name = "P")]
    pub(in crate::cli) only: Vec<PathBuf>,
    /// Name the branch that the pipeline ran on, if it recorded none.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) branch: Option<String>,
    /// Treat unknown liveness as stopped.
    #[arg(long)]
    pub(in crate::cli) assume_stopped: bool,
    /// Answer yes to this question of the plan; `plan --json` lists the ids (can be repeated; `--yes` answers none).
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) accept: Vec<String>,
    /// Reset the branch to its commit at the checkpoint's time too, and keep a ref to the old tip (crucible; points of mgw).
    #[arg(long)]
    pub(in crate::cli) rewind_branch: bool,
}

/// Which resume point.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(in crate::cli) struct PointArgs {
    /// The resume point (default: the recommended one).
    #[arg(value_name = "POINT")]
    pub(in crate::cli) word: Option<String>,
    /// The resume point, as an option.
    #[arg(long = "point", value_name = "ID")]
    pub(in crate::cli) id: Option<String>,
    /// Resume at the first point of this phase, never one that skips work or starts over (name those with POINT).
    #[arg(long, value_name = "N")]
    pub(in crate::cli) from_phase: Option<String>,
    /// Resume at the boundary that contains this dispatch (crucible).
    #[arg(long, value_name = "N")]
    pub(in crate::cli) from_seq: Option<u64>,
}
