//! The command line, as contract.md has it.

mod acting;
mod pipeline;
mod replay;

pub(super) use acting::{
    ConsentArgs, HistoryArgs, PurgeArgs, RecoverArgs, RehearseArgs, RestoreArgs, ResumeArgs,
    UndoArgs, Until,
};
pub(super) use pipeline::{OptionArgs, PlanArgs, PointArgs, Target};
pub(super) use replay::{CompareArgs, Format, ReplayArgs, RunnerArgs};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Find interrupted agent pipelines, verify what they claim, resume them, and undo that.
///
/// Without a command, open the console on PATH (default: the current repository and what the systems' own places
/// hold about it; outside a repository, the machine, with the current directory). Where stdout is not a terminal,
/// the same as `relight list`.
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
    /// The paths that were named, in whichever command: they say whether this is about a sandbox. A recovery is
    /// named by its id alone, so a root may say in whose sandbox it lies.
    pub(super) fn near(&self) -> Vec<PathBuf> {
        let mut named = match &self.command {
            None => self.paths.clone(),
            Some(Command::List(args)) => args.paths.clone(),
            Some(Command::History(args)) => args.paths.clone(),
            Some(
                Command::Show(target)
                | Command::Timeline(target)
                | Command::Verify(target)
                | Command::Points(target)
                | Command::Checkpoints(target)
                | Command::Plan(PlanArgs { target, .. })
                | Command::Resume(ResumeArgs {
                    plan: PlanArgs { target, .. },
                    ..
                })
                | Command::Rehearse(RehearseArgs {
                    plan: PlanArgs { target, .. },
                    ..
                })
                | Command::Restore(RestoreArgs { target, .. })
                | Command::Replay(ReplayArgs { target, .. })
                | Command::Compare(CompareArgs { target, .. }),
            ) => vec![PathBuf::from(&target.pipeline)],
            Some(
                Command::Undo(_)
                | Command::Redo(_)
                | Command::Recover(_)
                | Command::Purge(_)
                | Command::Demo(_)
                | Command::Completions { .. }
                | Command::StandIn { .. }
                | Command::Man { .. },
            ) => Vec::new(),
        };
        named.extend_from_slice(&self.globals.roots);
        named
    }
}

const AFTER: &str = "\
The options above may stand before a command or after it. One that takes a value takes one; --root and --path are \
repeated for several.

Exit codes: 0 done; 1 the answer is no; 2 usage, not found, ambiguous; 3 refused by a guard, by drift, \
by a fingerprint that no longer fits; 4 consent needed and not given; 5 input unreadable; 6 failed, and \
everything is as it was; 7 unclear, nothing more was changed, a person must look; 70 a bug in relight; \
130 cancelled.

Environment: HOME, CLAUDE_CONFIG_DIR, TMPDIR, XDG_CONFIG_HOME, XDG_STATE_HOME, TZ, NO_COLOR, COLUMNS, EDITOR, PAGER.";

/// What every command takes.
#[derive(Debug, Args)]
pub(super) struct Globals {
    /// Print one JSON object for scripts.
    #[arg(long, global = true, overrides_with = "json")]
    pub(super) json: bool,
    /// When to use colour.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        overrides_with = "color"
    )]
    pub(super) color: ColorChoice,
    /// Only pipelines of this system.
    #[arg(long, global = true, value_name = "NAME", overrides_with = "system")]
    pub(super) system: Option<String>,
    /// How far to look when no PATH is given.
    #[arg(long, global = true, value_name = "SCOPE", overrides_with = "scope")]
    pub(super) scope: Option<ScopeChoice>,
    /// Look beneath this directory too; repeat the option for several.
    #[arg(long = "root", global = true, value_name = "PATH")]
    pub(super) roots: Vec<PathBuf>,
    /// Read this configuration file instead of the usual one.
    #[arg(long, global = true, value_name = "FILE", overrides_with = "config")]
    pub(super) config: Option<PathBuf>,
    /// Suppress progress and notes.
    #[arg(long, short, global = true, overrides_with = "quiet")]
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
    /// The current directory, every known place on this machine and the configured roots.
    Machine,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the pipelines, newest activity first.
    List(ListArgs),
    /// Show one pipeline: identity, phases, findings.
    Show(Target),
    /// Show the events of a pipeline.
    Timeline(Target),
    /// Check what a pipeline claims; exits with 1 when a check fails.
    Verify(Target),
    /// Show the resume points of a pipeline, in order.
    Points(Target),
    /// Show what a resume would do: kept, redone, actions, guards, losses, fingerprint.
    Plan(PlanArgs),
    /// Apply the plan, then print the command that resumes the orchestrator.
    Resume(ResumeArgs),
    /// Show the checkpoints of a pipeline, and how many files differ from each.
    Checkpoints(Target),
    /// Restore the files of one checkpoint, and change nothing else.
    Restore(RestoreArgs),
    /// Apply a plan in a scratch folder, and run a check there.
    Rehearse(RehearseArgs),
    /// Undo a recovery (default: the latest one here that is not undone).
    Undo(UndoArgs),
    /// Redo what was undone (default: the latest undo here).
    Redo(UndoArgs),
    /// Show the recoveries, newest first, and the size of their backups.
    History(HistoryArgs),
    /// Recover from a crash: finish what was committed, roll back what was not.
    Recover(RecoverArgs),
    /// Delete the backups of recoveries, which cannot be undone afterwards.
    Purge(PurgeArgs),
    /// Run a pipeline's dispatches again with templates swapped and nothing else changed (crucible).
    Replay(ReplayArgs),
    /// Compare two runs of a pipeline: replays, rounds, versions of a stage, a recovery.
    Compare(CompareArgs),
    /// Build a sandbox with all five systems interrupted, and open the console on it.
    Demo(DemoArgs),
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print a manual page.
    Man {
        /// The page of this command (default: the main page).
        #[arg(value_name = "COMMAND")]
        page: Option<String>,
    },
    /// Answers a dispatch of a replay where there is no agent.
    #[command(hide = true)]
    StandIn {
        /// The dispatch file.
        file: PathBuf,
    },
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Files or folders to look beneath.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Include complete pipelines.
    #[arg(long)]
    pub(super) all: bool,
    /// Show only pipelines in which every one of these words is found, in any column; `!WORD` must not be.
    #[arg(long, value_name = "TEXT")]
    pub(super) filter: Option<String>,
    /// Print one line a pipeline and nothing else, for a shell prompt or the start of a session.
    #[arg(long)]
    pub(super) brief: bool,
    /// Exit with 1 when a pipeline waits for a person.
    #[arg(long, requires = "brief")]
    pub(super) fail: bool,
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
