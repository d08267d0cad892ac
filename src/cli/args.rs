//! The command line. Help, manual pages and completions are made from these definitions.

mod acting;
mod pipeline;
mod record;
mod replay;

pub(super) use acting::{
    AmendArgs, CheckpointArgs, ConsentArgs, ExportArgs, HistoryArgs, PurgeArgs, RecoverArgs,
    RehearseArgs, RestoreArgs, ResumeArgs, UndoArgs, Until, WaitArgs,
};
pub(super) use pipeline::{OptionArgs, PlanArgs, PointArgs, Target, Targets, WhyArgs};
pub(super) use record::RecordArgs;
pub(super) use replay::{CompareArgs, Format, IsolationArgs, Repeat, ReplayArgs, RunnerArgs};

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgMatches, Args, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::model::{LIST_COLUMNS, ListKey, Scope};

/// Find interrupted agent pipelines, verify what they claim, resume them, and undo a resume.
///
/// Without a command, open the console on PATH (default: the current repository and the systems' own directories;
/// outside a repository, the current directory and every known place on this machine). If stdout is not a terminal,
/// do the same as `relight list`.
#[derive(Debug, Parser)]
#[command(name = "relight", version, args_conflicts_with_subcommands = true, after_help = AFTER)]
pub struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// Search these files or directories.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Read the screens of the console as lines of text, and take keys and choices as lines: for screen readers, dumb
    /// terminals and scripts.
    #[arg(long, conflicts_with = "json")]
    pub(super) plain: bool,
    #[command(flatten)]
    pub(super) globals: Globals,
    /// The paths in any command: they show whether it is about a sandbox. A recovery has only an id, so `--root` may
    /// show which sandbox it is in.
    #[arg(skip)]
    pub(super) near: Vec<PathBuf>,
}

impl Cli {
    /// Parses a command line with [`command`](super::command).
    pub(super) fn of(args: &[OsString], whole: clap::Command) -> Result<Self, clap::Error> {
        let matches = whole.try_get_matches_from(args)?;
        let mut cli = Self::from_arg_matches(&matches)?;
        cli.near = near(&matches);
        Ok(cli)
    }
}

/// The pipelines and paths in any command, and the values of `--root`.
pub(super) fn near(matches: &ArgMatches) -> Vec<PathBuf> {
    let of_command = matches.subcommand().map_or(matches, |(_, of)| of);
    let pipelines = of_command.try_get_many::<OsString>("pipeline");
    let pipelines = pipelines.ok().flatten().into_iter().flatten();
    let paths = ["paths", "roots"].map(|id| of_command.try_get_many::<PathBuf>(id));
    let paths = paths.into_iter().flatten().flatten().flatten();
    pipelines.map(PathBuf::from).chain(paths.cloned()).collect()
}

const AFTER: &str = "\
Global options may come before or after the command. Repeat --root and --path for several values.

Exit codes:
    0  done
    1  a check failed, or there is nothing to do
    2  usage error, not found or ambiguous
    3  refused by a guard, or because the files or the plan changed
    4  not confirmed
    5  input, or relight's own state directory, cannot be read
    6  failed and rolled back, the disk is full, the answer was not printed, or `wait` timed out
    7  state on disk unclear (see `relight history`), or done but the answer could not be printed
   70  bug in relight
  130  canceled

Environment: HOME, CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME, TMPDIR, XDG_CONFIG_HOME, XDG_DATA_HOME, \
XDG_STATE_HOME, TZ, NO_COLOR, COLUMNS, EDITOR, PAGER.";

/// The global options, below those of a command.
#[derive(Debug, Args)]
#[command(next_display_order = 900)]
pub(super) struct Globals {
    /// Print one JSON object for scripts.
    #[arg(long, global = true, overrides_with = "json")]
    pub(super) json: bool,
    /// Color the output.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        overrides_with = "color"
    )]
    pub(super) color: ColorChoice,
    /// Use only pipelines of this system.
    #[arg(long, global = true, value_name = "NAME", overrides_with = "system")]
    pub(super) system: Option<String>,
    /// Search this scope if no PATH is given.
    #[arg(long, global = true, value_name = "SCOPE", overrides_with = "scope")]
    pub(super) scope: Option<Scope>,
    /// Search this directory too (can be repeated).
    #[arg(long = "root", global = true, value_name = "PATH")]
    pub(super) roots: Vec<PathBuf>,
    /// Read this configuration file instead of the usual one.
    #[arg(long, global = true, value_name = "FILE", overrides_with = "config")]
    pub(super) config: Option<PathBuf>,
    /// Refuse to write files or start programs; dry runs still work.
    #[arg(long, global = true, overrides_with = "read_only")]
    pub(super) read_only: bool,
    /// Suppress progress and notes.
    #[arg(long, short, global = true, overrides_with = "quiet")]
    pub(super) quiet: bool,
}

/// When to use color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the pipelines, newest activity first.
    List(ListArgs),
    /// Show one pipeline: status, phases, findings.
    Show(Target),
    /// Show why a pipeline stopped, with the evidence and the agents' conversations.
    Why(WhyArgs),
    /// Show the events of a pipeline.
    Timeline(Target),
    /// Verify what pipelines claim (exit code 1 if a check fails).
    Verify(Targets),
    /// Show the resume points of a pipeline, in order.
    Points(Target),
    /// Show what a resume would do: changes, what is kept, what will run again, what is lost.
    Plan(PlanArgs),
    /// Apply the plan, then print the command that resumes the orchestrator.
    Resume(ResumeArgs),
    /// Show the checkpoints of a pipeline, and how many files differ from each.
    Checkpoints(Target),
    /// Restore the files of a checkpoint, and change nothing else.
    Restore(RestoreArgs),
    /// Apply a plan in a scratch directory, and run a check there.
    Rehearse(RehearseArgs),
    /// Undo a recovery (default: the latest one here that is not undone).
    Undo(UndoArgs),
    /// Redo what was undone (default: the latest undo here).
    Redo(UndoArgs),
    /// Show the recoveries, newest first, and the size of their backups.
    History(HistoryArgs),
    /// Recover from a crash: finish what was committed, roll back what was not.
    Recover(RecoverArgs),
    /// Delete backups, replays, checkpoints, rehearsals or hand-offs permanently.
    Purge(PurgeArgs),
    /// Run the dispatches of a pipeline again with templates replaced (crucible).
    Replay(ReplayArgs),
    /// Compare two runs of a pipeline: replays, rounds, stage versions, a recovery.
    Compare(CompareArgs),
    /// Record a step of an orchestrator in the pipeline's own files, validated and atomically.
    Record(RecordArgs),
    /// Wait until a stage has ended, or until anything new is recorded (exit code 1: it failed, 6: timeout).
    Wait(WaitArgs),
    /// Take a checkpoint of a pipeline's state files, or of its work tree.
    Checkpoint(CheckpointArgs),
    /// Change the plan of a workflow by an amendment that you approve (superscientist).
    Amend(AmendArgs),
    /// Export the results of a run that cannot continue (claude-workflow), or reports of any pipelines (--report).
    Export(ExportArgs),
    /// Print hooks for Claude Code, git, the shell and an orchestrator's prompt; nothing is written.
    Hooks {
        /// Print only the lines for the orchestrator's prompt of this system.
        #[arg(value_name = "SYSTEM")]
        of: Option<String>,
    },
    /// Report the searched places and their pipelines, the terminal, git, disk space and problems (exit code 1 if there
    /// are any).
    Doctor,
    /// Create a sandbox with interrupted pipelines of every system, and open the console on it.
    Demo(DemoArgs),
    /// Print the completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print a manual page.
    Man {
        /// Print the page of this command (default: the main page).
        #[arg(value_name = "COMMAND")]
        page: Option<String>,
    },
    /// Answer a dispatch of a replay without an agent (the stub runner).
    #[command(alias = "stand-in", hide = true)]
    StubRunner {
        /// The dispatch file.
        file: PathBuf,
    },
}

impl Command {
    /// Whether the command, with its options, writes or starts something. A dry run does not.
    pub(super) fn acts(&self) -> bool {
        match self {
            Self::Resume(args) => !args.consent.dry_run,
            Self::Restore(args) => !args.consent.dry_run,
            Self::Amend(args) => !args.consent.dry_run,
            Self::Undo(args) | Self::Redo(args) => !args.consent.dry_run,
            Self::Replay(args) => !args.consent.dry_run && !args.list,
            Self::Record(args) => !args.ask.dry_run,
            Self::Rehearse(_)
            | Self::Recover(_)
            | Self::Purge(_)
            | Self::Checkpoint(_)
            | Self::Demo(_)
            | Self::Export(_) => true,
            Self::List(_)
            | Self::Show(_)
            | Self::Why(_)
            | Self::Timeline(_)
            | Self::Verify(_)
            | Self::Points(_)
            | Self::Plan(_)
            | Self::Checkpoints(_)
            | Self::History(_)
            | Self::Compare(_)
            | Self::Wait(_)
            | Self::Hooks { .. }
            | Self::Doctor
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::StubRunner { .. } => false,
        }
    }
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Search these files or directories.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Include complete pipelines.
    #[arg(long)]
    pub(super) all: bool,
    /// Show only pipelines that match every term: WORD matches any column, FIELD:VALUE that field (such as
    /// status:waiting, check:fail, project:shop); a term with ! before it excludes its matches.
    #[arg(long, value_name = "TEXT")]
    pub(super) filter: Option<String>,
    /// Sort by this column (default: the newest write first).
    #[arg(long, value_name = "COLUMN", value_parser = columns())]
    pub(super) sort: Option<String>,
    /// Show these columns, separated by commas (default: those that the terminal has room for).
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', value_parser = columns())]
    pub(super) columns: Vec<String>,
    /// Filter, sort and show columns as the configuration's `[[view]]` of this name does.
    #[arg(long, value_name = "NAME")]
    pub(super) view: Option<String>,
    /// Print only one line per pipeline, for a shell prompt or the start of a session.
    #[arg(long)]
    pub(super) brief: bool,
    /// Exit with 1 if a pipeline waits for a person.
    #[arg(long, requires = "brief")]
    pub(super) fail: bool,
}

impl ListArgs {
    /// The chosen columns, if any.
    pub(super) fn chosen(&self) -> Option<Vec<ListKey>> {
        let keys = self.columns.iter().filter_map(|name| name.parse().ok());
        let keys: Vec<ListKey> = keys.collect();
        (!keys.is_empty()).then_some(keys)
    }

    /// The column to sort by, if one was chosen.
    pub(super) fn sorted(&self) -> Option<ListKey> {
        self.sort.as_deref()?.parse().ok()
    }
}

/// The names of the columns.
fn columns() -> PossibleValuesParser {
    PossibleValuesParser::new(LIST_COLUMNS.map(|column| column.key.word()))
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Create the sandbox in this directory, which must be empty or not exist (default: a temporary directory).
    pub(super) dir: Option<PathBuf>,
    /// Create the sandbox without opening the console.
    #[arg(long)]
    pub(super) no_console: bool,
    /// Read the screens of the console as lines of text.
    #[arg(long, conflicts_with_all = ["json", "no_console"])]
    pub(super) plain: bool,
}
