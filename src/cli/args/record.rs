//! Arguments of `record`. The systems differ so much that each has its own table of options: the systems check which of
//! them fit a record, and `--from` reads the same names from a JSON object.

use std::collections::HashSet;
use std::iter;

use clap::builder::{NonEmptyStringValueParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use serde_json::{Map, Value};

use crate::engine::record_options;
use crate::model::{RecordAsk, RecordOption, RecordOptionKind};

/// Arguments of `record`.
#[derive(Debug)]
pub(in crate::cli) struct RecordArgs {
    /// The values to record, without those of `--from`.
    pub(in crate::cli) ask: RecordAsk,
    /// `--from`: a file, or `-` for stdin.
    pub(in crate::cli) from: Option<String>,
}

/// The options that several systems take.
const SHARED: &[RecordOption] = &[
    RecordOption::one("approved-by", "NAME", "Name the person who passed the gate"),
    RecordOption::one(
        "step",
        "STEP",
        "Set the step, named or numbered as the system does",
    ),
    RecordOption::one("phase", "N", "Set the phase"),
    RecordOption::one("status", "STATUS", "Set the status"),
    RecordOption::one("error", "TEXT", "Say what failed"),
];

const FROM: &str = "Read option values from a JSON object in FILE (- for stdin); for the hand-off of a phase, FILE may also be Markdown";

fn option(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help)
}

/// Every option with its heading. An option of several systems has its first heading.
fn rows() -> impl Iterator<Item = (&'static str, &'static RecordOption)> {
    let tables = iter::once(("Options of several systems", SHARED)).chain(record_options());
    let all = tables.flat_map(|(heading, rows)| rows.iter().map(move |row| (heading, row)));
    let mut known = HashSet::new();
    all.filter(move |(_, row)| known.insert(row.name))
}

impl Args for RecordArgs {
    fn augment_args(mut command: Command) -> Command {
        command = command
            .arg(
                Arg::new("pipeline")
                    .value_name("PIPELINE")
                    .required(true)
                    .value_parser(ValueParser::os_string())
                    .help("The pipeline: a path, the number or name that its system gives it, or an id"),
            )
            .arg(
                Arg::new("words")
                    .value_name("WORD")
                    .num_args(0..)
                    .help("The record, in the form of the pipeline's system (forms below), such as `dispatch ROLE`"),
            )
            .arg(
                // An unset variable of a script would make one key of all its records.
                option("once", "Record nothing if this key was recorded before")
                    .value_name("KEY")
                    .value_parser(NonEmptyStringValueParser::new()),
            )
            .arg(option("from", FROM).value_name("FILE"))
            .arg(option("at", "Record a past event with this time (default: now)").value_name("TIME"))
            .arg(
                option("dry-run", "Show the changes and write nothing").action(ArgAction::SetTrue),
            );
        for (heading, row) in rows() {
            let arg = option(row.name, row.help).help_heading(heading);
            let valued = arg.clone().value_name(row.value).allow_hyphen_values(true);
            command = command.arg(match row.kind {
                RecordOptionKind::One => valued,
                RecordOptionKind::Many => valued.action(ArgAction::Append),
                RecordOptionKind::Flag => arg.action(ArgAction::SetTrue),
                RecordOptionKind::Pairs => valued
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
            let all = matches.get_many::<String>(name);
            all.into_iter().flatten().cloned()
        };
        let mut values = Map::new();
        let given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
        for (_, row) in rows().filter(|(_, row)| given(row.name)) {
            let value = match row.kind {
                RecordOptionKind::One => text(row.name).into(),
                RecordOptionKind::Flag => true.into(),
                RecordOptionKind::Many | RecordOptionKind::Pairs => {
                    all(row.name).collect::<Value>()
                }
            };
            values.insert(row.name.to_owned(), value);
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
