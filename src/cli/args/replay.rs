//! Arguments of `replay` and `compare`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Target;

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_AFTER)]
pub(in crate::cli) struct ReplayArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// Use REPLACEMENT, a file, in the place of the template ORIGINAL, a bare file name; may be given several
    /// times. Split at the first `=`.
    #[arg(long, value_name = "ORIGINAL=REPLACEMENT")]
    pub(in crate::cli) mutate: Vec<OsString>,
    /// Where the templates lie; the installed plugin without it.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) templates: Option<PathBuf>,
    /// Take every template as it is at this commit of its repository.
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) template_ref: Option<String>,
    /// Begin at the first boundary of a phase.
    #[arg(long, value_name = "N", conflicts_with = "from_seq")]
    pub(in crate::cli) from_phase: Option<String>,
    /// Begin at the boundary that encloses a dispatch.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) from_seq: Option<u64>,
    /// Settle a merge in which template and dispatch changed the same lines: take the text of the replacement,
    /// of the original, or of a file edited by hand; SEQ= names one dispatch. May be given several times.
    #[arg(long, value_name = "[SEQ=]replacement|original|FILE")]
    pub(in crate::cli) settle: Vec<OsString>,
    #[command(flatten)]
    pub(in crate::cli) runner: RunnerArgs,
    /// Dispatches of one wave that run at the same time.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) jobs: u16,
    /// Independent runs, one after the other.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) repeat: u16,
    /// Work in the project itself, not in a tree of its own: puts the boundary's files back first, like resume,
    /// and asks like it.
    #[arg(long)]
    pub(in crate::cli) in_place: bool,
    #[command(flatten)]
    pub(in crate::cli) consent: ReplayConsentArgs,
    /// Compare with the original afterwards: the report as Markdown, its record in replay-diff.jsonl.
    #[arg(long, conflicts_with = "dry_run")]
    pub(in crate::cli) diff: bool,
    /// Go on with a replay that was cut short or cancelled; without a word the newest of them.
    #[arg(long = "continue", value_name = "SESSION", num_args = 0..=1, default_missing_value = "", conflicts_with_all = PLANNED)]
    pub(in crate::cli) go_on: Option<String>,
    /// Only list the replays of this pipeline.
    #[arg(long, conflicts_with_all = PLANNED, conflicts_with_all = ["go_on", "diff"])]
    pub(in crate::cli) list: bool,
}

/// What says how a new replay is to be; one that is continued, or only listed, has it settled.
const PLANNED: [&str; 16] = [
    "mutate",
    "templates",
    "template_ref",
    "from_phase",
    "from_seq",
    "settle",
    "preset",
    "no_runner",
    "command",
    "timeout",
    "retries",
    "jobs",
    "repeat",
    "in_place",
    "dry_run",
    "confirm",
];

const REPLAY_AFTER: &str = "\
Nothing of the original is written: each run works in a tree of its own under relight's state folder, made from the \
boundary's checkpoint, with a manifest that continues a copy of the original's. --in-place alone works in the project.

Runners: claude, codex, gemini, opencode, stand-in; or a program of yours after --. {prompt} in its words stands for \
the sentence that points to the dispatch file, {file} for that file; without either the sentence comes last. It is \
never read by a shell.

Example: relight replay 17754 --mutate red-team-prompt.md=./red-team-v2.md --repeat 5 --diff";

/// Who is given the dispatches.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunnerArgs {
    /// A runner by its name; the configured one without it.
    #[arg(long = "runner", value_name = "NAME", conflicts_with_all = ["no_runner", "command"])]
    pub(in crate::cli) preset: Option<String>,
    /// Only write the dispatch files, and say how a person goes on with them.
    #[arg(long, conflicts_with = "command")]
    pub(in crate::cli) no_runner: bool,
    /// Stop a dispatch after so long, and count it as an error.
    #[arg(long, value_name = "SECONDS", conflicts_with = "no_runner", value_parser = clap::value_parser!(u64).range(1..))]
    pub(in crate::cli) timeout: Option<u64>,
    /// Try a dispatch that ended in an error again, so often.
    #[arg(long, value_name = "N", conflicts_with = "no_runner")]
    pub(in crate::cli) retries: Option<u32>,
    /// The runner's own program and arguments.
    #[arg(value_name = "CMD", last = true)]
    pub(in crate::cli) command: Vec<OsString>,
}

/// How a person agrees to a replay in place where nobody can be asked; others write nothing of theirs.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(in crate::cli) struct ReplayConsentArgs {
    /// With --in-place: agree to the plan with this fingerprint and to no other.
    #[arg(long, value_name = "FINGERPRINT", requires = "in_place")]
    pub(in crate::cli) confirm: Option<String>,
    /// With --in-place: agree to whatever the plan is now.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// Only show what would be run.
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_AFTER)]
pub(in crate::cli) struct CompareArgs {
    #[command(flatten)]
    pub(in crate::cli) target: Target,
    /// One side; alone, it is compared with what it follows.
    #[arg(value_name = "A")]
    pub(in crate::cli) a: Option<String>,
    /// The other side.
    #[arg(value_name = "B")]
    pub(in crate::cli) b: Option<String>,
    /// The form of the answer.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        conflicts_with = "json"
    )]
    pub(in crate::cli) format: Format,
    /// Only list what can be compared.
    #[arg(long, conflicts_with_all = ["a", "b", "format"])]
    pub(in crate::cli) list: bool,
}

const COMPARE_AFTER: &str = "\
A and B are `original`, a replay session or the group that repeats share, `round-N`, `stage-N` or `stage-N.vK`, or a \
recovery (before and after it); any of them may be shortened while it is unambiguous. With one word, it is compared \
with what it follows; without any, the newest replay with the original.";

/// The form of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Format {
    /// A page for a person.
    Text,
    /// The report.
    Markdown,
    /// The record, one line for each run of B.
    Jsonl,
}
