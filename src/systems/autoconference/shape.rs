//! The files of a conference directory, parsed leniently, with every unknown field kept. Nothing is inferred here and
//! nothing fails; unreadable files are listed.

pub(crate) mod config;
pub(crate) mod log;
pub(crate) mod rounds;
pub(crate) mod sections;
pub(crate) mod sniff;
pub(crate) mod table;
pub(crate) mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::model::{Foreign, Place};
use crate::systems::kit::odd_files::odd_file;
use crate::world::World;
use crate::world::files::{FileKind, ReadError};

use super::facts::resumed::discard;
use rounds::{Notes, Poster, Review};

pub(crate) use config::{Config, Mode};
pub(crate) use log::{Event, Log};
pub(crate) use rounds::Judgement;
pub(crate) use table::{C11, R8, Row, TableFile};

/// The configuration.
pub(crate) const CONFIG: &str = "conference.md";
/// The event log.
pub(crate) const EVENTS: &str = "conference_events.jsonl";
/// The conference's table.
pub(crate) const RESULTS: &str = "conference_results.tsv";
/// The process id of the loop script.
pub(crate) const PID: &str = ".autoconference-loop.pid";

/// A file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadFile {
    /// Its name in the directory.
    pub name: String,
    /// The problem, as a clause: `is missing`.
    pub problem: String,
    /// What helps.
    pub remedy: String,
}

impl BadFile {
    /// The problem, as a sentence.
    pub(crate) fn sentence(&self) -> String {
        format!("{} {}.", self.name, self.problem)
    }
}

/// The content of the directory.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    /// The canonical directory.
    pub dir: PathBuf,
    /// The configuration.
    pub config: Config,
    /// The log; `None` without the file.
    pub log: Option<Arc<Log>>,
    /// Researcher tables by letter.
    pub tables: BTreeMap<char, TableFile>,
    /// The conference's table.
    pub results: Option<TableFile>,
    /// Poster files by round.
    pub posters: BTreeMap<u64, Poster>,
    /// Review files by round.
    pub reviews: BTreeMap<u64, Review>,
    /// The rounds in researchers' log files.
    pub logs: BTreeMap<char, Notes>,
    /// Size of `synthesis.md`.
    pub synthesis: u64,
    /// Size of `final_report.md`.
    pub report: u64,
    /// Description of a file or header of a sibling mode.
    pub sibling: Option<&'static str>,
    /// True if the loop's process-id file exists.
    pub pid_file: bool,
    /// Every file that a run writes, for the time of the last write.
    pub writes: Vec<Place>,
    /// The newest modification of those files.
    pub newest: Option<DateTime<Utc>>,
    /// The files that could not be read.
    pub unread: Vec<BadFile>,
    /// When they were read.
    pub now: Option<DateTime<Utc>>,
}

impl Raw {
    /// Reads a directory.
    pub(crate) fn load(dir: &Path, world: &dyn World) -> Self {
        let mut raw = Self {
            dir: world.files().resolved(dir),
            ..Self::default()
        };
        let root = Place::root(&raw.dir);
        let entries = match world.files().list(&root) {
            Ok(entries) => entries,
            Err(why) => {
                raw.add_unread(".", &root, &why, world);
                return raw;
            }
        };
        for entry in entries {
            if let Some(name) = entry.name.to_str() {
                raw.take(name, world);
            }
        }
        raw.assign_rounds();
        raw.now = Some(world.clock().now().to_utc());
        raw
    }

    fn take(&mut self, name: &str, world: &dyn World) {
        let (Some(kind), Ok(place)) = (Name::of(name), Place::known(&self.dir, name)) else {
            return;
        };
        let stat = world.files().stat(&place).ok();
        let stat_kind = stat.as_ref().map(|s| s.kind);
        let is_dir = stat_kind == Some(FileKind::Dir);
        if is_dir && matches!(kind, Name::Survey | Name::Debate) {
            return;
        }
        if kind != Name::Config && !is_dir {
            self.writes.push(place.clone());
            self.newest = self.newest.max(stat.as_ref().map(|s| s.modified));
        }
        // A link is never followed, so it is no evidence of content either.
        let size = stat
            .filter(|s| s.kind == FileKind::File)
            .map_or(0, |s| s.size);
        let read = !matches!(
            kind,
            Name::Synthesis | Name::Report | Name::Survey | Name::Debate | Name::Pid
        );
        let is_odd = stat_kind.is_some_and(|kind| kind != FileKind::File);
        if is_odd && matches!(kind, Name::Synthesis | Name::Report) {
            return self.add_unread(name, &place, &ReadError::NotRegular, world);
        }
        let bytes = match read.then(|| world.files().whole(&place)).transpose() {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(why) => return self.add_unread(name, &place, &why, world),
        };
        let text = String::from_utf8_lossy(&bytes);
        match kind {
            Name::Config => self.config = Config::parse(&text),
            Name::Events => {
                let mut log = Log::parse(bytes, world.clock());
                discard(&mut log.events);
                self.log = Some(Arc::new(log));
            }
            Name::Results => self.results = Some(TableFile::parse(bytes, world.clock())),
            Name::Table(id) => {
                let table = TableFile::parse(bytes, world.clock());
                if table.dialect == Some(table::Dialect::S) {
                    self.sibling = Some("a survey conference");
                }
                self.tables.insert(id, table);
            }
            Name::Review(round) => {
                self.reviews.insert(round, Review::parse(&text));
            }
            Name::Poster(round) => {
                self.posters.insert(round, Poster::parse(&text));
            }
            Name::Log(id) => {
                self.logs.insert(id, Notes::parse(&text));
            }
            Name::Synthesis => self.synthesis = size,
            Name::Report => self.report = size,
            Name::Survey => self.sibling = Some("a survey conference"),
            Name::Debate => {
                self.sibling.get_or_insert("a debate");
            }
            Name::Pid => self.pid_file = true,
        }
    }

    fn add_unread(&mut self, name: &str, place: &Place, why: &ReadError, world: &dyn World) {
        let odd = odd_file(place, why, world);
        self.unread.extend(odd.map(|odd| BadFile {
            name: name.to_owned(),
            problem: odd.problem,
            remedy: odd.remedy,
        }));
    }

    fn assign_rounds(&mut self) {
        let mut logged: BTreeMap<char, BTreeSet<u64>> = BTreeMap::new();
        for event in self.named("researcher.iteration") {
            if let (Some(id), Some(round)) = (event.researcher, event.round) {
                logged.entry(id).or_default().insert(round);
            }
        }
        for (id, table) in &mut self.tables {
            let rounds: Vec<u64> = logged.get(id).into_iter().flatten().copied().collect();
            table.assign_rounds(&rounds);
        }
    }

    /// The path of a file of the directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// What is in the place of a file that could not be read.
    pub(crate) fn unread(&self, name: &str) -> Option<&BadFile> {
        self.unread.iter().find(|file| file.name == name)
    }

    /// The problem of a file that is not used, as a clause: what is in its place, else `absent`.
    pub(crate) fn lack<'a>(&'a self, name: &str, absent: &'a str) -> &'a str {
        self.unread(name)
            .map_or(absent, |file| file.problem.as_str())
    }

    /// The same as a sentence.
    pub(crate) fn without(&self, name: &str, absent: &str) -> String {
        self.unread(name)
            .map_or_else(|| absent.to_owned(), BadFile::sentence)
    }

    /// Size of the poster file of a round; 0 without one.
    pub(crate) fn poster_size(&self, round: u64) -> usize {
        self.posters.get(&round).map_or(0, |poster| poster.size)
    }

    /// Size of the review file of a round; 0 without one.
    pub(crate) fn review_size(&self, round: u64) -> usize {
        self.reviews.get(&round).map_or(0, |review| review.size)
    }

    /// The end documents that exist, with their sizes.
    pub(crate) fn end_documents(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let known = [
            ("synthesis.md", self.synthesis),
            ("final_report.md", self.report),
        ];
        known.into_iter().filter(|(_, size)| *size > 0)
    }

    /// The tables of the researchers and the conference's, with their file names.
    pub(crate) fn all_tables(&self) -> impl Iterator<Item = (String, &TableFile)> {
        let own = self
            .tables
            .iter()
            .map(|(id, table)| (table_name(*id), table));
        own.chain(self.results.iter().map(|table| (RESULTS.to_owned(), table)))
    }

    /// The events with a name that count.
    pub(crate) fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = &Event> {
        let counted = self.events().iter().filter(|e| !e.discarded);
        counted.filter(move |e| *e.name == *name)
    }

    /// Whether the log has an event of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.named(name).next().is_some()
    }

    /// The iterations of a researcher in the log.
    pub(crate) fn iterations(&self, id: char) -> impl Iterator<Item = &Event> {
        let all = self.named("researcher.iteration");
        all.filter(move |e| e.researcher == Some(id))
    }

    /// The events with a name and a round that count.
    pub(crate) fn of_round(&self, name: &str, round: u64) -> impl Iterator<Item = &Event> {
        self.named(name).filter(move |e| e.round == Some(round))
    }

    /// Whether the log has no spaces between members; a new one has them.
    pub(crate) fn is_compact(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.compact)
    }

    /// The events; none without a log.
    pub(crate) fn events(&self) -> &[Event] {
        self.log.as_ref().map_or(&[], |l| l.events.as_slice())
    }
}

/// The file name of a round's poster session.
pub(crate) fn poster_name(round: u64) -> String {
    format!("poster_session_round_{round}.md")
}

/// The file name of a round's peer review.
pub(crate) fn review_name(round: u64) -> String {
    format!("peer_review_round_{round}.md")
}

/// The file name of a researcher's log.
pub(crate) fn notes_name(id: char) -> String {
    format!("researcher_{id}_log.md")
}

/// The file name of a researcher's table.
pub(crate) fn table_name(id: char) -> String {
    format!("researcher_{id}_results.tsv")
}

/// The folder that a path names: itself, unless it is the log or the configuration.
pub(crate) fn folder(path: &Path) -> &Path {
    let name = path.file_name();
    let marker = name.is_some_and(|name| name == EVENTS || name == CONFIG);
    path.parent().filter(|_| marker).unwrap_or(path)
}

/// The key of a conference: the name of its folder.
pub(crate) fn native(dir: &Path) -> Foreign {
    let name = dir.file_name();
    name.map_or_else(|| "conference".into(), Foreign::from)
}

/// `A, C`.
pub(crate) fn letters<'a>(ids: impl IntoIterator<Item = &'a char>) -> String {
    let ids: Vec<String> = ids.into_iter().map(char::to_string).collect();
    ids.join(", ")
}

/// Whether a file of this name belongs to a conference.
pub(crate) fn is_named(name: &str) -> bool {
    Name::of(name).is_some()
}

/// What a name in the directory means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Config,
    Events,
    Results,
    Table(char),
    Log(char),
    Poster(u64),
    Review(u64),
    Synthesis,
    Report,
    Survey,
    Debate,
    Pid,
}

impl Name {
    /// `None` for a name that means nothing.
    fn of(name: &str) -> Option<Self> {
        let exact = [
            (CONFIG, Self::Config),
            (EVENTS, Self::Events),
            (RESULTS, Self::Results),
            ("synthesis.md", Self::Synthesis),
            ("final_report.md", Self::Report),
            ("survey-report.md", Self::Survey),
            ("debate-report.md", Self::Debate),
            (PID, Self::Pid),
        ];
        if let Some((_, kind)) = exact.iter().find(|(known, _)| *known == name) {
            return Some(*kind);
        }
        let between = |start: &str, end: &str| name.strip_prefix(start)?.strip_suffix(end);
        let id = |end: &str| {
            let mut chars = between("researcher_", end)?.chars();
            let first = chars.next().filter(char::is_ascii_uppercase)?;
            chars.next().is_none().then_some(first)
        };
        let round = |start: &str| between(start, ".md")?.parse::<u64>().ok();
        let table = id("_results.tsv").map(Self::Table);
        table
            .or_else(|| id("_log.md").map(Self::Log))
            .or_else(|| round("poster_session_round_").map(Self::Poster))
            .or_else(|| round("peer_review_round_").map(Self::Review))
            .or_else(|| round("peer-review-round-").map(|_| Self::Survey))
    }
}
