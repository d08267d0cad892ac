//! The candidates for a word of the command line, from the words before it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use clap::FromArgMatches as _;
use clap_complete::engine::CompletionCandidate;

use crate::clean;
use crate::cli::args::Globals;
use crate::cli::commands::setup::{self, Session};
use crate::cli::typed;
use crate::engine::Operand;
use crate::model::{
    Checkpoint, Clean, Foreign, ListRow, Phase, Pipeline, PipelineId, Recovery, ReplaySession,
    ResumePoint, Verdict, filter,
};
use crate::text::format::count;

/// How long the search may take before the candidates so far are offered.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// What kind of thing a word names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    System,
    Pipeline,
    Point,
    Phase,
    Stage,
    Word,
    Checkpoint,
    Recovery,
    Replay,
    Operand,
    Command,
    Filter,
    View,
}

/// The words before the completed one.
pub(super) struct Typed(Vec<OsString>);

/// A candidate and its description.
struct Known {
    word: String,
    /// Another name by which it is found.
    alias: String,
    about: Clean,
}

impl Known {
    fn new(word: &str, about: Clean) -> Self {
        Self {
            word: word.to_owned(),
            alias: String::new(),
            about,
        }
    }
}

impl Typed {
    pub(super) fn new(words: &[OsString]) -> Self {
        Self(words.to_vec())
    }

    /// The candidates that begin with the typed text.
    pub(super) fn candidates(&self, kind: Kind, begun: &OsStr) -> Vec<CompletionCandidate> {
        let Some(begun) = begun.to_str() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut offered = Vec::new();
        for known in self.known(kind) {
            let begins = known.word.starts_with(begun) || known.alias.starts_with(begun);
            // Never offer what a shell would split, expand or run.
            if begins && is_plain(&known.word) && !offered.contains(&known.word) {
                let about = known.about.as_str().to_owned();
                found.push(CompletionCandidate::new(&known.word).help(Some(about.into())));
                offered.push(known.word);
            }
        }
        found
    }

    fn known(&self, kind: Kind) -> Vec<Known> {
        if kind == Kind::Command {
            let whole = crate::cli::command();
            let commands = whole.get_subcommands().filter(|one| !one.is_hide_set());
            let about = |one: &clap::Command| {
                let about = one.get_about().map(ToString::to_string);
                Known::new(one.get_name(), Clean::new(&about.unwrap_or_default()))
            };
            return commands.map(about).collect();
        }
        let Some((session, pipeline)) = self.session() else {
            return Vec::new();
        };
        if kind == Kind::Pipeline {
            return soon(&pipelines(session));
        }
        let (send, receive) = channel();
        // The thread is not joined: it ends with the process, however much there is to read.
        std::thread::spawn(move || {
            for known in of_session(&session, kind, pipeline.as_deref()).unwrap_or_default() {
                drop(send.send(known));
            }
        });
        soon(&receive)
    }

    /// The session of the command as far as it is typed, and the pipeline that it names.
    fn session(&self) -> Option<(Session, Option<OsString>)> {
        let words = typed::command_first(self.0.clone(), &crate::cli::command());
        let whole = crate::cli::command().ignore_errors(true);
        let matches = whole.try_get_matches_from(words).ok()?;
        let of_command = matches.subcommand().map_or(&matches, |(_, of)| of);
        let globals = Globals::from_arg_matches(of_command).ok()?;
        let pipeline = of_command.try_get_one::<OsString>("pipeline");
        let pipeline = pipeline.ok().flatten().cloned();
        let near: Vec<PathBuf> = pipeline
            .iter()
            .map(PathBuf::from)
            .chain(globals.roots.iter().cloned())
            .collect();
        let session = setup::session(&globals, &near).ok()?;
        Some((session, pipeline))
    }
}

/// The pipelines of the scope, complete ones too, as they are found.
fn pipelines(session: Session) -> Receiver<Known> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut request = session.request;
        request.all = true;
        let offer = |pipeline: Pipeline| {
            let status = pipeline.standing.status.word();
            let known = Known {
                alias: pipeline.reading.native.lossy().into_owned(),
                ..Known::new(
                    &pipeline.id.0,
                    clean!("{} · {}", status, pipeline.reading.title),
                )
            };
            // Whoever asked may have what it wants.
            drop(send.send(known));
        };
        drop(session.engine.survey(&request, &offer));
    });
    receive
}

/// The results that arrive before the deadline.
fn soon(inbox: &Receiver<Known>) -> Vec<Known> {
    let until = Instant::now() + PATIENCE;
    let mut found = Vec::new();
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        match inbox.recv_timeout(left) {
            Ok(known) => found.push(known),
            Err(_) => break,
        }
    }
    found
}

fn of_session(session: &Session, kind: Kind, pipeline: Option<&OsStr>) -> Option<Vec<Known>> {
    let engine = &session.engine;
    let chosen = || -> Option<PipelineId> { engine.select(pipeline?, &session.request).ok() };
    let known = match kind {
        Kind::System => {
            let known = |name| Known::new(name, Clean::empty());
            engine.systems().map(known).collect()
        }
        Kind::Recovery => {
            let all = engine.recoveries(&session.request).ok()?;
            let about =
                |r: &Recovery| Known::new(&r.id.0, clean!("{} of {}", r.label, r.pipeline.0));
            all.iter().map(about).collect()
        }
        Kind::Point => {
            let points = engine.dossier(&chosen()?).ok()?.points;
            let about = |point: &ResumePoint| {
                Known::new(&point.boundary.id.0, point.boundary.label.clean())
            };
            points.iter().map(about).collect()
        }
        Kind::Phase => {
            let points = engine.dossier(&chosen()?).ok()?.points;
            let phases = points
                .iter()
                .filter_map(|point| point.boundary.phase.as_ref());
            let known = |phase: &Foreign| Known::new(&phase.lossy(), Clean::empty());
            phases.map(known).collect()
        }
        Kind::Stage => stages(session, &chosen()?)?,
        Kind::Word => {
            let words = engine.record_words(pipeline?, &session.request);
            let words = words.map(|word| Known::new(word, Clean::empty()));
            let stages = chosen().and_then(|id| stages(session, &id));
            words.chain(stages.unwrap_or_default()).collect()
        }
        Kind::Checkpoint => {
            let all = engine.dossier(&chosen()?).ok()?.checkpoints;
            let about = |one: &Checkpoint| Known::new(&one.id, one.reason.clean());
            all.iter().map(about).collect()
        }
        Kind::Replay => {
            let all = engine.replays(&chosen()?).ok()?;
            let about = |one: &ReplaySession| Known::new(&one.id.0, Clean::new(one.state.word()));
            all.iter().map(about).collect()
        }
        Kind::Operand => {
            let all = engine.operands(&chosen()?).ok()?;
            let about = |one: &Operand| Known::new(&one.name, one.title.clean());
            all.iter().map(about).collect()
        }
        Kind::Filter => filters(session)?,
        Kind::View => {
            let all = session.config.view.iter();
            all.map(|view| Known::new(&view.name, Clean::new(&view.filter)))
                .collect()
        }
        Kind::Pipeline | Kind::Command => Vec::new(),
    };
    Some(known)
}

/// The stages or phases of a pipeline.
fn stages(session: &Session, id: &PipelineId) -> Option<Vec<Known>> {
    let phases = session.engine.dossier(id).ok()?.pipeline.reading.phases;
    let about = |phase: &Phase| Known::new(&phase.id.lossy(), phase.name.clean());
    Some(phases.iter().map(about).collect())
}

/// The fields of a filter with their existing values, each with its number of pipelines.
fn filters(session: &Session) -> Option<Vec<Known>> {
    let survey = session.engine.survey(&session.request, &|_| {}).ok()?;
    let rows: Vec<ListRow> = survey.pipelines.into_iter().map(ListRow::new).collect();
    let mut known = Vec::new();
    for column in filter::fields() {
        let field = column.key.word();
        let mut values: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            let value = row.texts.get(column.key as usize).map_or("", Clean::as_str);
            *values.entry(value).or_default() += 1;
        }
        // Verifying every pipeline would take longer than a person waits for a completion.
        if column.of_checks {
            let verdicts = [
                Verdict::Pass,
                Verdict::Skipped,
                Verdict::Warn,
                Verdict::Fail,
            ];
            values = verdicts.map(|verdict| (verdict.word(), 0)).into();
        }
        let values = values.into_iter().filter(|(value, _)| !value.is_empty());
        known.extend(values.map(|(value, number)| {
            let about = match number {
                0 => Clean::empty(),
                _ => Clean::from(count(number, "pipeline")),
            };
            Known::new(&format!("{field}:{value}"), about)
        }));
    }
    Some(known)
}

/// Letters, digits and signs that no shell gives a meaning to in the middle of a word.
fn is_plain(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:~/@+,".contains(c);
    let first = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '/';
    word.starts_with(first) && word.chars().all(plain)
}
