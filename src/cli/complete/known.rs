//! The candidates for a word of the command line, from the words before it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use clap::FromArgMatches as _;
use clap_complete::engine::CompletionCandidate;

use crate::clean;
use crate::cli::args::{Globals, near};
use crate::cli::commands::setup::{self, Session};
use crate::cli::typed;
use crate::engine::PRESETS;
use crate::model::{Clean, Pipeline, PipelineId, PlanOptions, PointChoice, Verdict, filter};
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
    Purgeable,
    Replay,
    Operand,
    Command,
    Filter,
    View,
    Runner,
    Question,
}

/// The words before the completed one.
pub(super) struct Typed(pub(super) Vec<OsString>);

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

    fn begins(&self, begun: &str) -> bool {
        self.word.starts_with(begun) || self.alias.starts_with(begun)
    }
}

impl Typed {
    /// The candidates that begin with the typed text.
    pub(super) fn candidates(&self, kind: Kind, begun: &OsStr) -> Vec<CompletionCandidate> {
        let Some(begun) = begun.to_str() else {
            return Vec::new();
        };
        let mut found: Vec<Known> = Vec::new();
        for known in self.known(kind, begun) {
            // Never offer what a shell would split, expand or run.
            if !known.begins(begun) || !is_plain(&known.word) || self.names(kind, &known.word) {
                continue;
            }
            // What comes again is known better.
            match found.iter_mut().find(|one| one.word == known.word) {
                Some(before) => *before = known,
                None => found.push(known),
            }
        }
        let candidate = |known: Known| {
            let about = known.about.as_str().to_owned();
            CompletionCandidate::new(known.word).help(Some(about.into()))
        };
        found.into_iter().map(candidate).collect()
    }

    /// Whether the command line has this word already: no command takes one thing twice.
    fn names(&self, kind: Kind, word: &str) -> bool {
        kind != Kind::Command && self.0.iter().any(|typed| typed == word)
    }

    fn known(&self, kind: Kind, begun: &str) -> Vec<Known> {
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
            let mut found = soon(&pipelines(session, begun.to_owned()));
            // They arrive as the threads find them, and the shell keeps this order.
            found.sort_by(|a, b| a.word.cmp(&b.word));
            return found;
        }
        let (send, receive) = channel();
        let typed = self.0.clone();
        // The thread is not joined: it ends with the process, however much there is to read.
        std::thread::spawn(move || {
            let found = of_session(&session, kind, pipeline.as_deref(), &typed);
            for known in found.unwrap_or_default() {
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
        let session = setup::session(&globals, &near(&matches)).ok()?;
        Some((session, pipeline))
    }
}

/// The pipelines of the scope, complete ones too, as they are found.
fn pipelines(session: Session, begun: String) -> Receiver<Known> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut request = session.request;
        request.all = true;
        let known = |pipeline: &Pipeline| {
            let status = pipeline.standing.status.word();
            let about = clean!("{} · {}", status, pipeline.reading.title);
            Known {
                alias: pipeline.reading.native.lossy().into_owned(),
                ..Known::new(&pipeline.id.0, about)
            }
        };
        // Whoever asked may have what it wants.
        let offer = |pipeline: &Pipeline| drop(send.send(known(pipeline)));
        let survey = session.engine.survey(&request, &offer);
        let found = survey.into_iter().flat_map(|survey| survey.pipelines);
        // Those that wait for an answer are known as such once their conversations are read, which takes as long as all
        // the rest: only of those that are offered.
        for mut pipeline in found.filter(|pipeline| known(pipeline).begins(&begun)) {
            if let Some(cause) = session.engine.listed_cause(&pipeline.id) {
                pipeline.standing.wait_for(&cause);
                offer(&pipeline);
            }
        }
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

fn of_session(
    session: &Session,
    kind: Kind,
    pipeline: Option<&OsStr>,
    typed: &[OsString],
) -> Option<Vec<Known>> {
    let engine = &session.engine;
    let chosen = || -> Option<PipelineId> { engine.select(pipeline?, &session.request).ok() };
    let named = |word: &str| Known::new(word, Clean::empty());
    Some(match kind {
        Kind::System => engine.systems().map(named).collect(),
        Kind::Recovery | Kind::Purgeable => {
            let all = engine.recoveries(&session.request).ok()?;
            let mut all = each(&all, |one| {
                Known::new(&one.id.0, clean!("{} of {}", one.label, one.pipeline.0))
            });
            if kind == Kind::Purgeable {
                all.extend(stored(session)?);
            }
            all
        }
        Kind::Point => {
            let points = engine.dossier(&chosen()?).ok()?.points;
            let points = points.iter().map(|point| &point.boundary);
            each(points, |one| Known::new(&one.id.0, one.label.clean()))
        }
        Kind::Phase => {
            let points = engine.dossier(&chosen()?).ok()?.points;
            let phases = points.iter().filter_map(|one| one.boundary.phase.as_ref());
            each(phases, |phase| named(&phase.lossy()))
        }
        Kind::Stage => stages(session, &chosen()?)?,
        Kind::Word => {
            let words = engine.record_words(pipeline?, &session.request);
            let words: Vec<Known> = words.map(named).collect();
            let stages = chosen().and_then(|id| stages(session, &id));
            let stages = stages.unwrap_or_default();
            let is_typed = |one: &Known| typed.iter().any(|word| *word == *one.word);
            // One verb or stage says what is recorded; a verb may take a stage.
            if stages.iter().any(is_typed) {
                Vec::new()
            } else if words.iter().any(is_typed) {
                stages
            } else {
                words.into_iter().chain(stages).collect()
            }
        }
        Kind::Checkpoint => {
            let all = engine.dossier(&chosen()?).ok()?.checkpoints;
            each(&all, |one| Known::new(&one.id, one.reason.clean()))
        }
        Kind::Replay => {
            let all = engine.replays(&chosen()?).ok()?;
            each(&all, |one| {
                Known::new(&one.id.0, Clean::new(one.state.word()))
            })
        }
        Kind::Operand => {
            let all = engine.operands(&chosen()?).ok()?;
            each(&all, |one| Known::new(&one.name, one.title.clean()))
        }
        Kind::Filter => filters(session)?,
        Kind::Runner => PRESETS.iter().copied().map(named).collect(),
        Kind::Question => {
            let id = chosen()?;
            let points = engine.dossier(&id).ok()?.points.into_iter();
            let mut points = points.map(|point| point.boundary.id);
            let point = points.find(|point| typed.iter().any(|word| *word == *point.0));
            let choice = point.map_or(PointChoice::Recommended, PointChoice::Id);
            let plan = engine.plan(&id, &choice, &PlanOptions::default()).ok()?;
            let asked = plan.guards.iter().filter(|guard| guard.is_open());
            each(asked, |guard| Known::new(&guard.id, guard.text.clean()))
        }
        Kind::View => each(&session.config.view, |view| {
            Known::new(&view.name, Clean::new(&view.filter))
        }),
        Kind::Pipeline | Kind::Command => Vec::new(),
    })
}

/// What is stored of the pipelines of the scope: the checkpoints of one together, and each experiment.
fn stored(session: &Session) -> Option<Vec<Known>> {
    let engine = &session.engine;
    let mut request = session.request.clone();
    request.all = true;
    let found = engine.survey(&request, &|_| ()).ok()?.pipelines;
    let ids: Vec<String> = found.iter().map(|pipeline| pipeline.id.0.clone()).collect();
    let (with_checkpoints, _) = engine.purgeable_checkpoints(&ids);
    let mut all = each(&with_checkpoints, |id| {
        Known::new(&id.0, Clean::new("its checkpoints by relight"))
    });
    for pipeline in &found {
        let replays = engine.replay_list_as_read(&pipeline.id);
        let replays = replays.unwrap_or_default().sessions;
        // Whole experiments: without one of its runs the verdict of an experiment is another.
        let groups: BTreeSet<&str> = replays.iter().map(|one| one.group.0.as_str()).collect();
        all.extend(each(groups, |group| {
            Known::new(group, clean!("replay of {}", pipeline.id.0))
        }));
    }
    all.extend(each(engine.kept_files(), |one| {
        Known::new(&one.name, one.kind.word().into())
    }));
    Some(all)
}

/// Each as a candidate.
fn each<T>(all: impl IntoIterator<Item = T>, known: impl Fn(T) -> Known) -> Vec<Known> {
    all.into_iter().map(known).collect()
}

/// The stages or phases of a pipeline.
fn stages(session: &Session, id: &PipelineId) -> Option<Vec<Known>> {
    let phases = session.engine.dossier(id).ok()?.pipeline.reading.phases;
    Some(each(&phases, |phase| {
        Known::new(&phase.id.lossy(), phase.name.clean())
    }))
}

/// The fields of a filter with their existing values, each with its number of pipelines.
fn filters(session: &Session) -> Option<Vec<Known>> {
    // Verifying every pipeline would take longer than a person waits for a completion.
    let (rows, _) = session.engine.rows(&session.request, false).ok()?;
    let mut known = Vec::new();
    for column in filter::fields() {
        let field = column.key.word();
        let mut values: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            let value = row.texts.get(column.key as usize).map_or("", Clean::as_str);
            *values.entry(value).or_default() += 1;
        }
        if column.of_checks {
            values = Verdict::ALL.map(|verdict| (verdict.word(), 0)).into();
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
