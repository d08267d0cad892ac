//! The command line, as contract.md has it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Sees every interrupted agent pipeline, verifies what it claims, and shows how to take it up again.
///
/// Without a command, opens the console on PATH (or on the current repository and what the systems' own
/// places hold about it). Where stdout is not a terminal, the same as `relight list`.
#[derive(Debug, Parser)]
#[command(name = "relight", version, args_conflicts_with_subcommands = true, after_help = AFTER)]
pub struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// Files or folders to look beneath.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) globals: Globals,
}

impl Cli {
    /// The paths that were named, in whichever command: they say whether this is about a sandbox.
    pub(super) fn near(&self) -> Vec<PathBuf> {
        match &self.command {
            None => self.paths.clone(),
            Some(Command::List(args)) => args.paths.clone(),
            Some(
                Command::Show(target)
                | Command::Timeline(target)
                | Command::Verify(target)
                | Command::Points(target)
                | Command::Checkpoints(target)
                | Command::Plan(PlanArgs { target, .. }),
            ) => vec![PathBuf::from(&target.pipeline)],
            Some(Command::Demo(_) | Command::Completions { .. } | Command::Man) => Vec::new(),
        }
    }
}

const AFTER: &str = "\
Exit codes: 0 done; 1 the answer is no; 2 usage, not found, ambiguous; 3 refused by a guard; \
5 input unreadable; 70 a bug in relight; 130 cancelled.

Environment: HOME, CLAUDE_CONFIG_DIR, TMPDIR, XDG_CONFIG_HOME, TZ, NO_COLOR, COLUMNS, EDITOR, PAGER.";

/// What every command takes.
#[derive(Debug, Args)]
pub(super) struct Globals {
    /// Print one JSON object for scripts.
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorChoice,
    /// Only pipelines of this system.
    #[arg(long, global = true, value_name = "NAME")]
    pub(super) system: Option<String>,
    /// How far to look when no PATH is given.
    #[arg(long, global = true, value_name = "SCOPE")]
    pub(super) scope: Option<ScopeChoice>,
    /// Look beneath this directory too.
    #[arg(long = "root", global = true, value_name = "PATH", num_args = 1..)]
    pub(super) roots: Vec<PathBuf>,
    /// Read this configuration file instead of the usual one.
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Say nothing beside the answer.
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ScopeChoice {
    /// This work tree.
    Here,
    /// The repository with all its worktrees.
    Repository,
    /// Every known place on this machine and the configured roots.
    Machine,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// The pipelines, newest activity first.
    List(ListArgs),
    /// What one pipeline is: identity, phases, findings.
    Show(Target),
    /// The events of a pipeline.
    Timeline(Target),
    /// The checks of what a pipeline claims; exits with 1 when one fails.
    Verify(Target),
    /// The resume points of a pipeline, in order.
    Points(Target),
    /// The dry run of taking a pipeline up: kept, redone, actions, guards, losses, fingerprint.
    Plan(PlanArgs),
    /// The checkpoints of a pipeline, with how far the work tree has moved from each.
    Checkpoints(Target),
    /// Builds a sandbox with all five systems interrupted, and opens the console on it.
    Demo(DemoArgs),
    /// Prints the completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual page.
    Man,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Files or folders to look beneath.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Complete ones too.
    #[arg(long)]
    pub(super) all: bool,
    /// One line, silent when there is nothing: for a shell prompt or a session's start.
    #[arg(long)]
    pub(super) brief: bool,
}

/// One pipeline.
#[derive(Debug, Args)]
pub(super) struct Target {
    /// An id, an unambiguous beginning of an id or native key, or a path: a state file, a manifest, a
    /// dispatch, scratch or conference directory, a worktree.
    #[arg(value_name = "PIPELINE")]
    pub(super) pipeline: std::ffi::OsString,
    /// Where a crucible run's project is, when it cannot be found.
    #[arg(long, value_name = "PATH")]
    pub(super) work_tree: Option<PathBuf>,
}

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    pub(super) target: Target,
    #[command(flatten)]
    pub(super) point: PointArgs,
    /// Keep what came since the checkpoint (the default).
    #[arg(long, conflicts_with = "exact")]
    pub(super) overlay: bool,
    /// Move aside what came since the checkpoint.
    #[arg(long)]
    pub(super) exact: bool,
    /// Only these paths, relative to the work tree.
    #[arg(long = "path", value_name = "P", num_args = 1..)]
    pub(super) only: Vec<PathBuf>,
    /// The branch the pipeline ran on, where it recorded none.
    #[arg(long, value_name = "NAME")]
    pub(super) branch: Option<String>,
    /// You made sure that it has stopped, where that is unknown.
    #[arg(long)]
    pub(super) assume_stopped: bool,
    /// Put the branch back to its commit at the checkpoint's time, too; its old tip is kept (crucible).
    #[arg(long)]
    pub(super) rewind_branch: bool,
}

/// Which resume point.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(super) struct PointArgs {
    /// A resume point; the recommended one without it.
    #[arg(value_name = "POINT")]
    pub(super) word: Option<String>,
    /// The same, as an option.
    #[arg(long = "point", value_name = "ID")]
    pub(super) id: Option<String>,
    /// The first point of a phase.
    #[arg(long, value_name = "N")]
    pub(super) from_phase: Option<String>,
    /// The boundary that encloses a dispatch (crucible).
    #[arg(long, value_name = "N")]
    pub(super) from_seq: Option<u64>,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// A folder to make; it must not exist or be empty. A fresh one in the temporary directory without it.
    #[arg(value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
    /// Only build it.
    #[arg(long)]
    pub(super) no_console: bool,
}
