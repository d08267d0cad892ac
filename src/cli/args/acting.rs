//! Arguments of the commands that change the disk.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::{OptionArgs, PlanArgs, PointArgs, Target, Targets};
use crate::model::AmendKind;

/// How a plan is confirmed without a terminal.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(in crate::cli) struct ConsentArgs {
    /// Apply the plan only if it has this fingerprint.
    #[arg(long, value_name = "FINGERPRINT")]
    pub(in crate::cli) confirm: Option<String>,
    /// Skip confirmation.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// Show the plan and change nothing.
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ResumeArgs {
    #[command(flatten)]
    pub(in crate::cli) plan: PlanArgs,
    #[command(flatten)]
    pub(in crate::cli) consent: ConsentArgs,
    /// Run the hand-off command in this terminal afterwards.
    #[arg(long, conflicts_with_all = ["json", "dry_run"])]
    pub(in crate::cli) launch: bool,
    /// With --launch, run steps without asking, up to here (nine-step). Stop if a step fails, does not advance, or waits for you.
    #[arg(long, value_name = "WHERE", requires = "launch")]
    pub(in crate::cli) until: Option<Until>,
}

/// How far `resume --launch` continues by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Until {
    /// One step.
    Step,
    /// The next gate: an approval, a verdict that a person must judge, the merge.
    Gate,
    /// The end of the phase, or the next gate.
    Phase,
}

/// Arguments of `restore`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RestoreArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// Restore this checkpoint: its id or a unique prefix.
    #[arg(long, value_name = "C")]
    pub(in crate::cli) checkpoint: String,
    #[command(flatten)]
    pub(in crate::cli) options: OptionArgs,
    #[command(flatten)]
    pub(in crate::cli) consent: ConsentArgs,
}

/// Arguments of `checkpoint`.
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

/// Arguments of `rehearse`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RehearseArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    #[command(flatten)]
    pub(in crate::cli) point: PointArgs,
    #[command(flatten)]
    pub(in crate::cli) options: OptionArgs,
    /// Run a check in the scratch directory: the command after `--`, else the configured one.
    #[arg(long)]
    pub(in crate::cli) check: bool,
    /// The command of the check.
    #[arg(value_name = "CMD", last = true, requires = "check")]
    pub(in crate::cli) command: Vec<OsString>,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ExportArgs {
    #[command(flatten)]
    pub(in crate::cli) targets: Targets,
    /// Create this directory, which must not exist. With --report it may exist, but must not contain these pipelines.
    pub(in crate::cli) dir: PathBuf,
    /// Write what `show`, `verify` and `points` print as JSON, too: of one pipeline or several of any system, each
    /// into a directory of its own in DIR.
    #[arg(long)]
    pub(in crate::cli) report: bool,
}

/// Arguments of `wait`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WaitArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// Wait for the end of this stage or phase (default: for any new record).
    pub(in crate::cli) stage: Option<String>,
    /// Stop waiting after this many seconds.
    #[arg(long, value_name = "S")]
    pub(in crate::cli) timeout: Option<u64>,
}

/// Arguments of `amend`.
#[derive(Debug, Args)]
pub(in crate::cli) struct AmendArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// The type of the amendment.
    #[arg(long = "type", value_name = "TYPE")]
    pub(in crate::cli) kind: AmendKind,
    /// Amend this stage.
    #[arg(long, value_name = "S")]
    pub(in crate::cli) stage: Option<String>,
    /// Set a member of the stage, for example parameters.mesh=60; the value keeps its type, and PATH:=JSON changes it
    /// (can be repeated).
    #[arg(long, value_name = "PATH=VALUE")]
    pub(in crate::cli) set: Vec<String>,
    /// Insert the new stage after this one; what depends on this one then depends on the new stage too.
    #[arg(long, value_name = "S")]
    pub(in crate::cli) after: Option<String>,
    /// Read the new stage from this file: one JSON object (`-` reads stdin).
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) from: Option<String>,
    /// Record why the plan changes.
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: String,
    /// Record who approved it (default: git's user.name).
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) approved_by: Option<String>,
    /// Treat unknown liveness as stopped.
    #[arg(long)]
    pub(in crate::cli) assume_stopped: bool,
    /// Answer yes to this question of the plan; `--dry-run --json` lists the ids (can be repeated; `--yes` answers none).
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) accept: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) consent: ConsentArgs,
}

/// Arguments of `undo` and `redo`.
#[derive(Debug, Args)]
pub(in crate::cli) struct UndoArgs {
    /// The recovery: its id or a unique prefix.
    pub(in crate::cli) recovery: Option<String>,
    /// Leave this path as it is now (can be repeated).
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) keep: Vec<PathBuf>,
    /// Treat unknown liveness as stopped.
    #[arg(long)]
    pub(in crate::cli) assume_stopped: bool,
    #[command(flatten)]
    pub(in crate::cli) consent: ConsentArgs,
}

/// Arguments of `history`.
#[derive(Debug, Args)]
pub(in crate::cli) struct HistoryArgs {
    /// Show only recoveries in these directories; or one recovery, by its id, with each file that it changed.
    #[arg(value_name = "PATH|RECOVERY")]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// Show the records that `relight record` wrote instead.
    #[arg(long)]
    pub(in crate::cli) records: bool,
}

/// Arguments of `recover`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RecoverArgs {
    /// The pending recovery: its id or a unique prefix (default: the only one here).
    pub(in crate::cli) recovery: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) how: RecoverHow,
    /// Leave this path as it is now and recover the rest (can be repeated).
    #[arg(long, value_name = "PATH", conflicts_with = "export")]
    pub(in crate::cli) keep: Vec<PathBuf>,
    /// Treat unknown liveness as stopped.
    #[arg(long)]
    pub(in crate::cli) assume_stopped: bool,
    /// Skip confirmation.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
}

/// How to recover.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(in crate::cli) struct RecoverHow {
    /// Finish the recovery (refused if it was not committed).
    #[arg(long)]
    pub(in crate::cli) finish: bool,
    /// Roll the recovery back (refused if it was committed).
    #[arg(long)]
    pub(in crate::cli) roll_back: bool,
    /// Copy all backups into this directory, and recover nothing.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) export: Option<PathBuf>,
}

/// Arguments of `purge`.
#[derive(Debug, Args)]
pub(in crate::cli) struct PurgeArgs {
    /// What to delete: a recovery (id or unique prefix), a replay or experiment (id), all of relight's checkpoints of a
    /// pipeline (whole pipeline id), a rehearsal (directory name) or a hand-off (file name).
    #[arg(value_name = "ID", required = true)]
    pub(in crate::cli) recoveries: Vec<String>,
    /// Skip confirmation.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
}
