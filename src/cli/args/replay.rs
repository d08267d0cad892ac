//! Arguments of `replay` and `compare`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Target;
use crate::engine::PRESETS;
use crate::model::{RunsOn, SandboxAsk};
use crate::text::is_digits;

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = replay_after())]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own on the command line"
)]
pub(in crate::cli) struct ReplayArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// Replace the template ORIGINAL (a file name) by the file REPLACEMENT (can be repeated).
    #[arg(long, value_name = "ORIGINAL=REPLACEMENT")]
    pub(in crate::cli) mutate: Vec<OsString>,
    /// Read the templates from this directory (default: the installed plugin).
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) templates: Option<PathBuf>,
    /// Read every template from this commit of its repository.
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) template_ref: Option<String>,
    /// Start at the first boundary of this phase.
    #[arg(long, value_name = "N", conflicts_with = "from_seq")]
    pub(in crate::cli) from_phase: Option<String>,
    /// Start at the boundary that contains this dispatch.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) from_seq: Option<u64>,
    /// Resolve a conflict between template and dispatch with the replacement's lines, the dispatch's lines, or an
    /// edited file; SEQ= names one dispatch (can be repeated).
    #[arg(long, alias = "settle", value_name = "[SEQ=]replacement|original|FILE")]
    pub(in crate::cli) resolve: Vec<OsString>,
    #[command(flatten)]
    pub(in crate::cli) runner: RunnerArgs,
    /// Run this many dispatches of a wave at the same time.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) jobs: u16,
    /// Run N blocks, each a control run and a mutated run in random order; with 1, only the mutated run. +N adds blocks
    /// to an experiment (default: the newest).
    #[arg(long, value_name = "N|+N", default_value = "1")]
    pub(in crate::cli) repeat: Repeat,
    /// Leave out the control runs, and with them the verdict.
    #[arg(long)]
    pub(in crate::cli) no_control: bool,
    /// Run every block, even after a verdict.
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// Do not continue the evidence of earlier experiments of the same question.
    #[arg(long)]
    pub(in crate::cli) fresh: bool,
    /// Run this many runs side by side.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) parallel: u16,
    /// Run on this machine, or each run as a job of Slurm; options of sbatch are set in the configuration (`[slurm]`).
    #[arg(long, value_name = "WHERE", default_value = "local", conflicts_with_all = ["in_place", "no_runner"])]
    pub(in crate::cli) on: RunsOn,
    /// Execute the run in the directory PIPELINE: a job on a cluster calls this.
    #[arg(long, hide = true, conflicts_with_all = PLANNED, conflicts_with_all = ["list", "resumed", "diff"])]
    pub(in crate::cli) run_folder: bool,
    /// Run this command in each finished tree; the value is its last output line that is a number, otherwise its exit
    /// status. NAME alone is a metric of the configuration. The first metric decides (can be repeated).
    #[arg(long, value_name = "NAME[=CMD]")]
    pub(in crate::cli) metric: Vec<String>,
    /// Let this metric decide instead of the first; with N such metrics, each needs N times the evidence (can be
    /// repeated).
    #[arg(long, value_name = "NAME", requires = "metric")]
    pub(in crate::cli) primary: Vec<String>,
    /// Run in the project itself; first restore the files at the boundary, with the same confirmation as `resume`.
    #[arg(long)]
    pub(in crate::cli) in_place: bool,
    #[command(flatten)]
    pub(in crate::cli) isolation: IsolationArgs,
    #[command(flatten)]
    pub(in crate::cli) consent: ReplayConsentArgs,
    /// Compare afterwards: print the report as Markdown, save the record as replay-diff.jsonl.
    #[arg(long)]
    pub(in crate::cli) diff: bool,
    /// Resume an experiment or a run that was interrupted or canceled (default: the newest of them).
    #[arg(long = "continue", value_name = "EXPERIMENT", num_args = 0..=1, default_missing_value = "", conflicts_with_all = PLANNED)]
    pub(in crate::cli) resumed: Option<String>,
    /// List the replays of this pipeline.
    #[arg(long, conflicts_with_all = PLANNED, conflicts_with_all = ["resumed", "diff"])]
    pub(in crate::cli) list: bool,
}

/// The options of a new replay. A replay that is resumed or listed already has them.
const PLANNED: [&str; 23] = [
    "mutate",
    "templates",
    "template_ref",
    "from_phase",
    "from_seq",
    "resolve",
    "preset",
    "no_runner",
    "command",
    "timeout",
    "retries",
    "jobs",
    "no_control",
    "fresh",
    "parallel",
    "on",
    "metric",
    "primary",
    "in_place",
    "sandbox",
    "keep_paths",
    "setup",
    "confirm",
];

const REPLAY_AFTER: &str = "\
The original is not changed: each run has its own tree under relight's state directory, made from the checkpoint at the \
boundary, and its own manifest; paths of the original in dispatches are replaced by those of the run. Only --in-place \
works in the project.

Runners: {presets} (the stub runner, without an agent), or your own program after --. In its arguments, \
{prompt} stands for the sentence that names the dispatch file, {file} for that file and {model} for the model tier of \
the dispatch (mapped by [runner.models] of the configuration); without {prompt} and {file}, the sentence is added as \
the last argument. No shell is involved.

With --repeat 2 or more, both arms run: the control sends every dispatch as it was, the mutated arm swaps the \
templates. The experiment stops on a verdict, or when none can be reached. A verdict needs 6 blocks or more.

Example: relight replay 17754 --mutate red-team-prompt.md=./red-team-v2.md --repeat 10 --diff";

/// The help after the options, with the available presets.
fn replay_after() -> String {
    REPLAY_AFTER.replace("{presets}", &PRESETS.join(", "))
}

/// The value of `--repeat`: a number of blocks, or of additional blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Repeat {
    /// Blocks of a new experiment.
    Blocks(u16),
    /// Blocks that are added to one.
    More(u16),
}

impl std::str::FromStr for Repeat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let more = text.strip_prefix('+');
        let digits = more.unwrap_or(text);
        let blocks = digits.parse().ok();
        match blocks.filter(|blocks| is_digits(digits) && *blocks > 0) {
            Some(blocks) if more.is_some() => Ok(Self::More(blocks)),
            Some(blocks) => Ok(Self::Blocks(blocks)),
            None => Err("not a number of blocks such as 10 or +5".to_owned()),
        }
    }
}

/// The runner of the dispatches.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunnerArgs {
    /// Use the runner of this name (default: the configured one).
    #[arg(long = "runner", value_name = "NAME", conflicts_with_all = ["no_runner", "command"])]
    pub(in crate::cli) preset: Option<String>,
    /// Write the dispatch files, and print how to run them yourself.
    #[arg(long, conflicts_with = "command")]
    pub(in crate::cli) no_runner: bool,
    /// Stop a dispatch after this time, and count it as an error.
    #[arg(long, value_name = "SECONDS", conflicts_with = "no_runner", value_parser = clap::value_parser!(u64).range(1..))]
    pub(in crate::cli) timeout: Option<u64>,
    /// Retry a dispatch that ended in an error, this many times.
    #[arg(long, value_name = "N", conflicts_with = "no_runner")]
    pub(in crate::cli) retries: Option<u32>,
    /// Your own runner: program and arguments.
    #[arg(value_name = "CMD", last = true)]
    pub(in crate::cli) command: Vec<OsString>,
}

/// How runs are kept apart from the original.
#[derive(Debug, Args)]
pub(in crate::cli) struct IsolationArgs {
    /// Make the original read-only for runners with bubblewrap: if available, always, or never.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        conflicts_with = "in_place"
    )]
    pub(in crate::cli) sandbox: SandboxAsk,
    /// Leave absolute paths of the original in dispatches as they are.
    #[arg(long, conflicts_with = "in_place")]
    pub(in crate::cli) keep_paths: bool,
    /// Run this program in each tree before the first dispatch; its words are split as a shell does, with nothing
    /// expanded.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["in_place", "no_runner"])]
    pub(in crate::cli) setup: Option<String>,
}

/// How a replay in place is confirmed without a terminal; other replays need no confirmation.
#[derive(Debug, Args)]
pub(in crate::cli) struct ReplayConsentArgs {
    /// With --in-place: run only if the plan has this fingerprint.
    #[arg(long, value_name = "FINGERPRINT", requires = "in_place")]
    pub(in crate::cli) confirm: Option<String>,
    /// With --in-place: skip confirmation.
    #[arg(long, conflicts_with_all = ["confirm", "dry_run"])]
    pub(in crate::cli) yes: bool,
    /// With --in-place: name the branch that the pipeline ran on, if it recorded none.
    #[arg(long, value_name = "NAME", requires = "in_place")]
    pub(in crate::cli) branch: Option<String>,
    /// With --in-place: treat unknown liveness as stopped.
    #[arg(long, requires = "in_place")]
    pub(in crate::cli) assume_stopped: bool,
    /// With --in-place: answer yes to this question of the plan (can be repeated).
    #[arg(long, value_name = "ID", requires = "in_place")]
    pub(in crate::cli) accept: Vec<String>,
    /// Show what would run and change nothing.
    #[arg(long, conflicts_with = "confirm")]
    pub(in crate::cli) dry_run: bool,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_AFTER)]
pub(in crate::cli) struct CompareArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// The first side; without B, it is compared with its predecessor (a replay with its original, round 2 with round 1).
    pub(in crate::cli) a: Option<String>,
    /// The second side.
    pub(in crate::cli) b: Option<String>,
    /// Print the comparison in this format.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        conflicts_with = "json"
    )]
    pub(in crate::cli) format: Format,
    /// Compare the arms of an experiment by this metric. There is a verdict only for a metric that was declared to
    /// decide.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) metric: Option<String>,
    /// List what can be compared.
    #[arg(long, conflicts_with_all = ["a", "b", "format", "metric"])]
    pub(in crate::cli) list: bool,
}

const COMPARE_AFTER: &str = "\
A and B are `original`, a replay or an experiment, `round-N`, `stage-N` or `stage-N.vK`, or a recovery (the files \
before and after it). Unique prefixes are enough. Without B, A is compared with its predecessor; without operands, the \
newest replay is compared with the original. An experiment is its mutated arm against its control; \
E1+E2 shows the runs of several experiments, and is not judged.";

/// The format of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Format {
    /// A page for a person.
    Text,
    /// The report.
    Markdown,
    /// The record, one line for each run of B.
    Jsonl,
}
