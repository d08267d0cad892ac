//! Arguments of `record`. What a system takes differs so much that the options are a table: the systems check which of
//! them fit a record, and `--from` gives the same names in a JSON object.

use clap::builder::ValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use serde_json::{Map, Value};

use crate::model::RecordAsk;

/// Arguments of `record`.
#[derive(Debug)]
pub(in crate::cli) struct RecordArgs {
    /// What is recorded; the object of `--from` is not in it yet.
    pub(in crate::cli) ask: RecordAsk,
    /// `--from`: a file, or `-` for stdin.
    pub(in crate::cli) from: Option<String>,
}

/// How an option is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Once, with a value.
    One,
    /// Any number of times, with a value each.
    Many,
    /// `KEY=VALUE` words.
    Pairs,
    /// A switch.
    Flag,
}

/// Name, value, kind, and help.
type Row = (&'static str, &'static str, Kind, &'static str);

/// The options of the forms, by heading.
const OPTIONS: [(&str, &[Row]); 6] = [
    (
        "Several systems",
        &[
            (
                "approved-by",
                "NAME",
                Kind::One,
                "Name the person who passed the gate",
            ),
            (
                "step",
                "STEP",
                Kind::One,
                "Set the step (mgw: triage, plan, execute, verify, pr; nine-step: 1 to 9, 2.5)",
            ),
            ("phase", "N", Kind::One, "Set the phase"),
            ("status", "STATUS", Kind::One, "Set the status"),
            ("error", "TEXT", Kind::One, "Say what failed"),
        ],
    ),
    (
        "mgw: record N|FILE --step STEP …",
        &[
            ("stage", "STAGE", Kind::One, "Move the issue to this stage"),
            (
                "action",
                "ACTION",
                Kind::One,
                "Replace the resume action (its context is empty without --context)",
            ),
            (
                "context",
                "KEY=VALUE",
                Kind::Pairs,
                "Replace the context of the resume action",
            ),
            (
                "progress",
                "KEY=VALUE",
                Kind::Pairs,
                "Merge into the progress of the step",
            ),
            (
                "artifact",
                "PATH:TYPE",
                Kind::Many,
                "Add an artifact: plan, summary, verification or commit",
            ),
            (
                "agent-output",
                "PATH",
                Kind::One,
                "Set the output of the last agent",
            ),
            (
                "history",
                "AGENT:OUTPUT",
                Kind::Many,
                "Add the step to the history",
            ),
            ("linked-pr", "N", Kind::One, "Set the pull request"),
            (
                "failure-class",
                "CLASS",
                Kind::One,
                "Name the class of the failure: transient, permanent, needs-info (retry, dead-letter)",
            ),
            ("title", "TEXT", Kind::One, "Set the title (init)"),
            (
                "url",
                "URL",
                Kind::One,
                "Set the address of the issue (init)",
            ),
            ("label", "NAME", Kind::Many, "Add a label (init)"),
            ("route", "ROUTE", Kind::One, "Set the route"),
        ],
    ),
    (
        "nine-step: record WORKTREE --phase N --step STEP --status STATUS …",
        &[
            (
                "agent",
                "AGENT",
                Kind::One,
                "Name the agent (default: that of the step)",
            ),
            (
                "result",
                "KEY=VALUE",
                Kind::Pairs,
                "Add members to the record, such as commit_sha",
            ),
            ("feature", "NAME", Kind::One, "Name the feature (init)"),
            ("plan", "FILE", Kind::One, "Name the plan document (init)"),
            ("phases", "N", Kind::One, "Set the number of phases (init)"),
        ],
    ),
    (
        "crucible: record RUN dispatch ROLE …, done SEQ …, phase P, init, finish",
        &[
            (
                "template",
                "NAME",
                Kind::One,
                "Name the template (dispatch)",
            ),
            ("task", "N", Kind::One, "Number the task (dispatch)"),
            (
                "body",
                "FILE",
                Kind::One,
                "Read the instructions from this file; `-` reads stdin (dispatch)",
            ),
            (
                "summary",
                "TEXT",
                Kind::One,
                "Say how the dispatch ended (done)",
            ),
            (
                "skill",
                "SKILL",
                Kind::One,
                "Name the skill: build (the default), debugging, spec or migrate (init)",
            ),
            (
                "duration",
                "SECONDS",
                Kind::One,
                "Set how long it took (done)",
            ),
        ],
    ),
    (
        "superscientist: record WORKFLOW STAGE STATUS …, session start|end, log TEXT, complete, init",
        &[
            (
                "note",
                "TEXT",
                Kind::One,
                "Add a note to the line of the log",
            ),
            (
                "tmux",
                "NAME",
                Kind::One,
                "Name the tmux session of the job (default: dpdisp_stage-N)",
            ),
            (
                "submission",
                "FILE",
                Kind::One,
                "Name the submission file (default: stage-N/submission.json)",
            ),
            (
                "wrapper",
                "FILE",
                Kind::One,
                "Name the wrapper script (default: stage-N/dpdisp-run.sh)",
            ),
            (
                "recovered",
                "",
                Kind::Flag,
                "The running job was launched again",
            ),
        ],
    ),
    (
        "autoconference: record DIR EVENT [KEY=VALUE…]",
        &[
            (
                "researcher",
                "LETTER",
                Kind::One,
                "Name the researcher (iteration)",
            ),
            (
                "iteration",
                "N",
                Kind::One,
                "Number the iteration; 0 is the baseline",
            ),
            (
                "value",
                "NUMBER",
                Kind::One,
                "Set the metric of the iteration, written as typed",
            ),
            ("description", "TEXT", Kind::One, "Say what was tried"),
            (
                "verified-by",
                "SOURCE",
                Kind::One,
                "Say what measured it, such as script:bench.py",
            ),
            (
                "round",
                "N",
                Kind::One,
                "Name the round (default: the open one)",
            ),
        ],
    ),
];

fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    OPTIONS
        .iter()
        .flat_map(|(heading, rows)| rows.iter().map(move |row| (*heading, row)))
}

impl Args for RecordArgs {
    fn augment_args(mut command: Command) -> Command {
        command = command
            .arg(
                Arg::new("pipeline")
                    .value_name("PIPELINE")
                    .required(true)
                    .value_parser(ValueParser::os_string())
                    .help("The pipeline: a path, an issue number of mgw, or an id"),
            )
            .arg(
                Arg::new("words")
                    .value_name("WORD")
                    .num_args(0..)
                    .help("What is recorded, as the system's form wants it"),
            )
            .arg(
                Arg::new("once")
                    .long("once")
                    .value_name("KEY")
                    .help("Record nothing if this key was recorded before"),
            )
            .arg(Arg::new("from").long("from").value_name("FILE").help(
                "Read values from a JSON object with the names of the options; `-` reads stdin; a hand-off that ends in .md (crucible's phase)",
            ))
            .arg(
                Arg::new("at")
                    .long("at")
                    .value_name("TIME")
                    .help("Set the time of an import (default: now)"),
            )
            .arg(
                Arg::new("dry-run")
                    .long("dry-run")
                    .action(ArgAction::SetTrue)
                    .help("Show the changes and write nothing"),
            );
        for (heading, (name, value, kind, help)) in rows() {
            let arg = Arg::new(*name)
                .long(*name)
                .value_name(*value)
                .help(*help)
                .help_heading(heading)
                .allow_hyphen_values(true);
            command = command.arg(match kind {
                Kind::One => arg,
                Kind::Many => arg.action(ArgAction::Append),
                Kind::Flag => Arg::new(*name)
                    .long(*name)
                    .help(*help)
                    .help_heading(heading)
                    .action(ArgAction::SetTrue),
                Kind::Pairs => arg
                    .action(ArgAction::Append)
                    .num_args(1..)
                    .allow_hyphen_values(false),
            });
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RecordArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let all = |name: &str| {
            matches
                .get_many::<String>(name)
                .into_iter()
                .flatten()
                .cloned()
        };
        let mut values = Map::new();
        let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        for (_, (name, _, kind, _)) in rows().filter(|(_, row)| given(row.0)) {
            let value = match kind {
                Kind::One => text(name).into(),
                Kind::Flag => true.into(),
                Kind::Many | Kind::Pairs => all(name).collect::<Value>(),
            };
            values.insert((*name).to_owned(), value);
        }
        let pipeline = matches.get_one::<std::ffi::OsString>("pipeline");
        Ok(Self {
            ask: RecordAsk {
                pipeline: pipeline.cloned().unwrap_or_default(),
                words: all("words").collect(),
                values,
                at: text("at"),
                once: text("once"),
                dry_run: matches.get_flag("dry-run"),
            },
            from: text("from"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
