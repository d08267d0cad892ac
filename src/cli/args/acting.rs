//! Arguments of the commands that change the disk.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::{OptionArgs, PlanArgs, Target};

/// How a person agrees where nobody can be asked (contract.md, Consent).
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(in crate::cli) struct ConsentArgs {
    /// Agree to the plan with this fingerprint and to no other.
    #[arg(long, value_name = "FINGERPRINT")]
    pub(in crate::cli) confirm: Option<String>,
    /// Agree to whatever the plan is now.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// Only show the plan.
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
    /// Run the hand-off's command here afterwards.
    #[arg(long, conflicts_with_all = ["json", "dry_run"])]
    pub(in crate::cli) launch: bool,
    /// Run step after step, each without asking, up to here (nine-step): one step, the next gate, the phase's end.
    /// It stops where a step fails, does not move on or waits for you.
    #[arg(long, value_name = "WHERE", requires = "launch")]
    pub(in crate::cli) until: Option<Until>,
}

/// How far `resume --launch` goes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Until {
    /// One step.
    Step,
    /// The next gate: an approval, a verdict that a person must weigh, the merge.
    Gate,
    /// The end of the phase, or the next gate.
    Phase,
}

/// Arguments of `restore`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RestoreArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// The checkpoint: its id or an unambiguous beginning of it.
    #[arg(long, value_name = "C")]
    pub(in crate::cli) checkpoint: String,
    #[command(flatten)]
    pub(in crate::cli) options: OptionArgs,
    #[command(flatten)]
    pub(in crate::cli) consent: ConsentArgs,
}

/// Arguments of `rehearse`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RehearseArgs {
    #[command(flatten)]
    pub(in crate::cli) plan: PlanArgs,
    /// Run a check in the scratch folder: the command after `--`, else the one of the configuration.
    #[arg(long)]
    pub(in crate::cli) check: bool,
    /// The check.
    #[arg(value_name = "CMD", last = true, requires = "check")]
    pub(in crate::cli) command: Vec<OsString>,
}

/// Arguments of `undo` and `redo`.
#[derive(Debug, Args)]
pub(in crate::cli) struct UndoArgs {
    /// A recovery: its id or an unambiguous beginning of it.
    #[arg(value_name = "RECOVERY")]
    pub(in crate::cli) recovery: Option<String>,
    /// Leave this path as it is now; repeat the option for several.
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
    /// Only what was done beneath these.
    #[arg(value_name = "PATH")]
    pub(in crate::cli) paths: Vec<PathBuf>,
}

/// Arguments of `recover`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RecoverArgs {
    /// A pending recovery: its id or an unambiguous beginning of it; the only one here without it.
    #[arg(value_name = "RECOVERY")]
    pub(in crate::cli) recovery: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) how: SettleArgs,
    /// Leave this path as it is now and settle the rest; repeat the option for several.
    #[arg(long, value_name = "PATH", conflicts_with = "export")]
    pub(in crate::cli) keep: Vec<PathBuf>,
    /// Treat unknown liveness as stopped.
    #[arg(long)]
    pub(in crate::cli) assume_stopped: bool,
    /// Agree without being asked.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
}

/// How a pending recovery is settled.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(in crate::cli) struct SettleArgs {
    /// Finish it; refused where it was not committed.
    #[arg(long)]
    pub(in crate::cli) finish: bool,
    /// Put everything back; refused where it was committed.
    #[arg(long)]
    pub(in crate::cli) roll_back: bool,
    /// Settle nothing; copy all that it keeps into this folder.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) export: Option<PathBuf>,
}

/// Arguments of `purge`.
#[derive(Debug, Args)]
pub(in crate::cli) struct PurgeArgs {
    /// Recoveries: their ids or unambiguous beginnings of them.
    #[arg(value_name = "RECOVERY", required = true)]
    pub(in crate::cli) recoveries: Vec<String>,
    /// Agree without being asked.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
}
