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

const fn one(name: &'static str, value: &'static str, help: &'static str) -> Row {
    (name, value, Kind::One, help)
}

const fn many(name: &'static str, value: &'static str, help: &'static str) -> Row {
    (name, value, Kind::Many, help)
}

const fn pairs(name: &'static str, value: &'static str, help: &'static str) -> Row {
    (name, value, Kind::Pairs, help)
}

const fn flag(name: &'static str, help: &'static str) -> Row {
    (name, "", Kind::Flag, help)
}

/// The options of the forms, by heading.
const OPTIONS: [(&str, &[Row]); 6] = [
    (
        "Several systems",
        &[
            one("approved-by", "NAME", "Name the person who passed the gate"),
            one(
                "step",
                "STEP",
                "Set the step (mgw: triage, plan, execute, verify, pr; nine-step: 1 to 9, 2.5)",
            ),
            one("phase", "N", "Set the phase"),
            one("status", "STATUS", "Set the status"),
            one("error", "TEXT", "Say what failed"),
        ],
    ),
    (
        "mgw: record N|FILE --step STEP …",
        &[
            one("stage", "STAGE", "Move the issue to this stage"),
            one(
                "action",
                "ACTION",
                "Replace the resume action (its context is empty without --context)",
            ),
            pairs(
                "context",
                "KEY=VALUE",
                "Replace the context of the resume action",
            ),
            pairs(
                "progress",
                "KEY=VALUE",
                "Merge into the progress of the step",
            ),
            many(
                "artifact",
                "PATH:TYPE",
                "Add an artifact: plan, summary, verification or commit",
            ),
            one("agent-output", "PATH", "Set the output of the last agent"),
            many("history", "AGENT:OUTPUT", "Add the step to the history"),
            one("linked-pr", "N", "Set the pull request"),
            one(
                "failure-class",
                "CLASS",
                "Name the class of the failure: transient, permanent, needs-info (retry, dead-letter)",
            ),
            one("title", "TEXT", "Set the title (init)"),
            one("url", "URL", "Set the address of the issue (init)"),
            many("label", "NAME", "Add a label (init)"),
            one("route", "ROUTE", "Set the route"),
        ],
    ),
    (
        "nine-step: record WORKTREE --phase N --step STEP --status STATUS …",
        &[
            one(
                "agent",
                "AGENT",
                "Name the agent (default: that of the step)",
            ),
            pairs(
                "result",
                "KEY=VALUE",
                "Add members to the record, such as commit_sha",
            ),
            one("feature", "NAME", "Name the feature (init)"),
            one("plan", "FILE", "Name the plan document (init)"),
            one("phases", "N", "Set the number of phases (init)"),
        ],
    ),
    (
        "crucible: record RUN dispatch ROLE …, done SEQ …, phase P, init, finish",
        &[
            one("template", "NAME", "Name the template (dispatch)"),
            one("task", "N", "Number the task (dispatch)"),
            one(
                "body",
                "FILE",
                "Read the instructions from this file; `-` reads stdin (dispatch)",
            ),
            one("summary", "TEXT", "Say how the dispatch ended (done)"),
            one(
                "skill",
                "SKILL",
                "Name the skill: build (the default), debugging, spec or migrate (init)",
            ),
            one("duration", "SECONDS", "Set how long it took (done)"),
        ],
    ),
    (
        "superscientist: record WORKFLOW STAGE STATUS …, session start|end, log TEXT, complete, init",
        &[
            one("note", "TEXT", "Add a note to the line of the log"),
            one(
                "tmux",
                "NAME",
                "Name the tmux session of the job (default: dpdisp_stage-N)",
            ),
            one(
                "submission",
                "FILE",
                "Name the submission file (default: stage-N/submission.json)",
            ),
            one(
                "wrapper",
                "FILE",
                "Name the wrapper script (default: stage-N/dpdisp-run.sh)",
            ),
            flag("recovered", "The running job was launched again"),
        ],
    ),
    (
        "autoconference: record DIR EVENT [KEY=VALUE…]",
        &[
            one("researcher", "LETTER", "Name the researcher (iteration)"),
            one("iteration", "N", "Number the iteration; 0 is the baseline"),
            one(
                "value",
                "NUMBER",
                "Set the metric of the iteration, written as typed",
            ),
            one("description", "TEXT", "Say what was tried"),
            one(
                "verified-by",
                "SOURCE",
                "Say what measured it, such as script:bench.py",
            ),
            one("round", "N", "Name the round (default: the open one)"),
        ],
    ),
];

const FROM: &str = "Read values from a JSON object with the names of the options; `-` reads stdin; a hand-off that ends in .md (crucible's phase)";

fn option(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help)
}

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
            .arg(option("once", "Record nothing if this key was recorded before").value_name("KEY"))
            .arg(option("from", FROM).value_name("FILE"))
            .arg(option("at", "Set the time of an import (default: now)").value_name("TIME"))
            .arg(
                option("dry-run", "Show the changes and write nothing").action(ArgAction::SetTrue),
            );
        for (heading, (name, value, kind, help)) in rows() {
            let arg = option(name, help).help_heading(heading);
            let valued = arg.clone().value_name(*value).allow_hyphen_values(true);
            command = command.arg(match kind {
                Kind::One => valued,
                Kind::Many => valued.action(ArgAction::Append),
                Kind::Flag => arg.action(ArgAction::SetTrue),
                Kind::Pairs => valued
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
