//! The command line, as contract.md has it.

mod acting;
mod pipeline;
mod replay;

pub(super) use acting::{
    ConsentArgs, HistoryArgs, PurgeArgs, RecoverArgs, RehearseArgs, RestoreArgs, ResumeArgs,
    UndoArgs,
};
pub(super) use pipeline::{OptionArgs, PlanArgs, PointArgs, Target};
pub(super) use replay::{CompareArgs, Format, ReplayArgs, RunnerArgs};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Sees every interrupted agent pipeline, verifies what it claims, takes it up again, and can take that back.
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
                | Command::Plan(PlanArgs { target, .. })
                | Command::Resume(ResumeArgs {
                    plan: PlanArgs { target, .. },
                    ..
                })
                | Command::Rehearse(RehearseArgs {
                    plan: PlanArgs { target, .. },
                    ..
                })
                | Command::Restore(RestoreArgs { target, .. }),
            ) => vec![PathBuf::from(&target.pipeline)],
            // What is offered to be typed about a recovery names its sandbox as a root.
            Some(
                Command::Replay(ReplayArgs { target, .. })
                | Command::Compare(CompareArgs { target, .. }),
            ) => [
                std::slice::from_ref(&PathBuf::from(&target.pipeline)),
                &self.globals.roots,
            ]
            .concat(),
            Some(Command::History(args)) => [&args.paths[..], &self.globals.roots].concat(),
            // A recovery is named by its id alone; a root says in whose sandbox it lies.
            Some(Command::Undo(_) | Command::Redo(_) | Command::Recover(_) | Command::Purge(_)) => {
                self.globals.roots.clone()
            }
            Some(
                Command::Demo(_)
                | Command::Completions { .. }
                | Command::StandIn { .. }
                | Command::Man,
            ) => Vec::new(),
        }
    }
}

const AFTER: &str = "\
Exit codes: 0 done; 1 the answer is no; 2 usage, not found, ambiguous; 3 refused by a guard, by drift, \
by a fingerprint that no longer fits; 4 consent needed and not given; 5 input unreadable; 6 failed, and \
everything is as it was; 7 unclear, nothing more was changed, a person must look; 70 a bug in relight; \
130 cancelled.

Environment: HOME, CLAUDE_CONFIG_DIR, TMPDIR, XDG_CONFIG_HOME, XDG_STATE_HOME, TZ, NO_COLOR, COLUMNS, EDITOR, PAGER.";

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
    /// Look beneath this directory too; may be given several times.
    #[arg(long = "root", global = true, value_name = "PATH")]
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
    /// Carries the plan out, then prints how the orchestrator goes on.
    Resume(ResumeArgs),
    /// The checkpoints of a pipeline, with how far the work tree has moved from each.
    Checkpoints(Target),
    /// Puts the files of one checkpoint back, and changes nothing else.
    Restore(RestoreArgs),
    /// Does what a plan would do in a scratch folder, and runs a check there.
    Rehearse(RehearseArgs),
    /// Takes a recovery back; without an id the latest one here that is not undone.
    Undo(UndoArgs),
    /// Takes an undo back; without an id the latest one here.
    Redo(UndoArgs),
    /// What was carried out, newest first, with what each recovery keeps.
    History(HistoryArgs),
    /// Settles what a crash left pending: finishes what was committed, rolls back what was not.
    Recover(RecoverArgs),
    /// Gives back the space of what recoveries keep; they cannot be undone afterwards.
    Purge(PurgeArgs),
    /// Runs a pipeline's dispatches again with templates swapped and nothing else changed (crucible).
    Replay(ReplayArgs),
    /// Shows two runs of a pipeline side by side: replays, rounds, versions of a stage, a recovery.
    Compare(CompareArgs),
    /// Builds a sandbox with all five systems interrupted, and opens the console on it.
    Demo(DemoArgs),
    /// Prints the completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual page.
    Man,
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
    /// Complete ones too.
    #[arg(long)]
    pub(super) all: bool,
    /// One line, silent when there is nothing: for a shell prompt or a session's start.
    #[arg(long)]
    pub(super) brief: bool,
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
