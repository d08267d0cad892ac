//! The documents of a run. Each is used only if it belongs to this run, because all runs of a project share the scratch
//! folder.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::project::{Project, folder_names};
use super::sources::Sources;
use super::stores::Window;
use crate::formats::{json, jsonl, stamp};
use crate::model::{Place, Stamp};
use crate::systems::crucible::shape::{self, GateVerdict, Handoff, Ledger, Receipt, StatusPage};
use crate::systems::kit::odd_files::{OddFile, closed, odd_file};
use crate::world::World;
use crate::world::files::ReadError;

/// A document and its file.
#[derive(Debug, Clone)]
pub(crate) struct Document<T> {
    pub(crate) what: T,
    pub(crate) file: PathBuf,
}

impl<T> Document<T> {
    fn new(what: T, place: &Place) -> Self {
        Self {
            what,
            file: place.path(),
        }
    }
}

/// The documents of a run.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    /// Fresh hand-offs, oldest first.
    pub(crate) handoffs: Vec<Document<Handoff>>,
    /// Hand-offs that were not written during this run, or at an unknown time.
    pub(crate) stale_handoffs: Vec<PathBuf>,
    pub(crate) status: Option<Document<StatusPage>>,
    pub(crate) ledger: Option<Document<Ledger>>,
    /// The newest gate verdict.
    pub(crate) verdict: Option<Document<GateVerdict>>,
    pub(crate) receipts: Vec<Receipt>,
    /// `/tmp/crucible-build-mode.md`, from any project.
    pub(crate) mode: Option<Document<String>>,
    pub(crate) cairn: Vec<String>,
    /// True if a session log records that the skill ended with success.
    pub(crate) ended_well: bool,
    /// The newest write of these documents.
    pub(crate) last_write: Option<DateTime<Utc>>,
    /// The newest write of a transcript of the project, possibly of another session.
    pub(crate) last_talk: Option<DateTime<Utc>>,
    /// Existing documents, and folders of them, that could not be read.
    pub(crate) unread: Vec<(PathBuf, OddFile)>,
}

struct Reader<'a> {
    world: &'a dyn World,
    window: Window,
    unread: RefCell<Vec<(PathBuf, OddFile)>>,
}

impl Documents {
    /// Reads the run's scratch folders and the other possible folders of its project.
    pub(crate) fn read(
        sources: &Sources,
        project: Option<&Project>,
        window: Window,
        world: &dyn World,
    ) -> Self {
        let reader = Reader {
            world,
            window,
            unread: RefCell::default(),
        };
        let mut all = Self::default();
        for folder in folders(sources, project, world) {
            all.read_scratch(&folder, &reader);
            all.transcripts(&folder, &reader);
        }
        if let Some(debug) = &sources.debug {
            all.handoffs_in(debug, &reader);
            all.wrote(&reader, debug.join("phase-state.md").ok());
        }
        for dir in sources.dispatch.iter().chain(&sources.copies) {
            let place = dir.join("receipt-ledger.jsonl").ok();
            let bytes = place
                .and_then(|place| reader.bytes(&place))
                .unwrap_or_default();
            all.receipts.extend(shape::receipts(&bytes));
        }
        for root in &world.places().temp {
            if let Some((place, text)) = reader.text(&Place::root(root), "crucible-build-mode.md") {
                all.mode.get_or_insert_with(|| Document::new(text, &place));
            }
        }
        all.handoffs.sort_by_key(|doc| doc.what.at);
        all.unread = reader.unread.take();
        all
    }

    /// The first existing document, or folder of documents, that could not be read and whose name begins so.
    pub(crate) fn unread(&self, name: &str) -> Option<&(PathBuf, OddFile)> {
        let is_named = |path: &PathBuf| {
            let own = path.file_name().and_then(|own| own.to_str());
            own.is_some_and(|own| own.starts_with(name))
        };
        self.unread.iter().find(|(path, _)| is_named(path))
    }

    /// The files that were used.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let status = self.status.iter().map(|doc| &doc.file);
        let ledger = self.ledger.iter().map(|doc| &doc.file);
        let verdict = self.verdict.iter().map(|doc| &doc.file);
        let handoffs = self.handoffs.iter().map(|doc| &doc.file);
        handoffs.chain(status).chain(ledger).chain(verdict).cloned()
    }

    fn read_scratch(&mut self, project: &Place, reader: &Reader<'_>) {
        let Ok(memory) = project.join("memory") else {
            return;
        };
        let zone = reader.world.clock();
        self.handoffs_in(&memory, reader);
        if let Some((place, text)) = reader.text(&memory, "pipeline-status.md") {
            let page = shape::status_page(&text, zone);
            let known = self.status.as_ref();
            let newer = known.is_none_or(|known| known.what.updated < page.updated);
            if newer && reader.is_fresh(&place, page.updated) {
                self.wrote(reader, Some(place.clone()));
                self.status = Some(Document::new(page, &place));
            }
        }
        if let Some((place, text)) = reader.text(&memory, "build-gate-ledger.md")
            && let Some(ledger) = shape::ledger(&text, zone)
            && reader.is_fresh(&place, ledger.began)
        {
            self.ledger = Some(Document::new(ledger, &place));
        }
        if let Some((place, text)) = reader.text(&memory, "cairn/active-run.md")
            && reader.is_fresh(&place, None)
        {
            self.cairn = shape::cairn(&text);
        }
        self.gates(&memory, reader);
        self.session_logs(&memory, reader);
    }

    fn handoffs_in(&mut self, dir: &Place, reader: &Reader<'_>) {
        for name in reader.list(dir) {
            if let Some(name) = name.to_str()
                && shape::handoff_name(name).is_some()
                && let Some((place, text)) = reader.text(dir, name)
                && let Some(mut handoff) = shape::handoff(name, &text, reader.world.clock())
            {
                let written = || reader.modified(&place).map(Stamp::utc);
                handoff.at = handoff.at.or_else(written);
                if handoff.at.is_some_and(|at| reader.is_of_run(at)) {
                    self.handoffs.push(Document::new(handoff, &place));
                } else {
                    self.stale_handoffs.push(place.path());
                }
            }
        }
    }

    fn gates(&mut self, memory: &Place, reader: &Reader<'_>) {
        let Ok(dir) = memory.join("quality-gate") else {
            return;
        };
        for name in reader.list(&dir) {
            let name = name.to_str().unwrap_or_default();
            if name.starts_with("active-run-") {
                self.wrote(reader, dir.join(name).ok());
            } else if name.starts_with("gate-verdict-")
                && let Some((place, text)) = reader.text(&dir, name)
                && let Some(verdict) = shape::gate_verdict(&text, reader.world.clock())
                && reader.is_fresh(&place, verdict.at)
            {
                let known = self.verdict.as_ref();
                if known.is_none_or(|known| known.what.at <= verdict.at) {
                    self.verdict = Some(Document::new(verdict, &place));
                }
            }
        }
    }

    /// Optional session logs: a successful end of the skill inside the run's window.
    fn session_logs(&mut self, memory: &Place, reader: &Reader<'_>) {
        let Ok(index) = memory.join("session-index") else {
            return;
        };
        for session in reader.list(&index) {
            let place = index.join(Path::new(&session).join("events.jsonl")).ok();
            let bytes = place.and_then(|place| reader.bytes(&place));
            let bytes = bytes.unwrap_or_default();
            self.ended_well |= jsonl::objects(&bytes).any(|(_, map)| ends_well(&map, reader));
        }
    }

    fn transcripts(&mut self, project: &Place, reader: &Reader<'_>) {
        for name in reader.list(project) {
            if Path::new(&name).extension().is_some_and(|e| e == "jsonl") {
                self.last_talk = self.last_talk.max(reader.written(project.join(&name).ok()));
            }
        }
    }

    fn wrote(&mut self, reader: &Reader<'_>, place: Option<Place>) {
        self.last_write = self.last_write.max(reader.written(place));
    }
}

fn ends_well(map: &serde_json::Map<String, serde_json::Value>, reader: &Reader<'_>) -> bool {
    let text = |key| json::text(map, key).unwrap_or_default();
    let at = stamp::parse(text("ts"), reader.world.clock());
    // `unsuccessful` is another word.
    let mut told = ["summary", "detail"].into_iter().flat_map(|key| {
        let words = text(key).split(|c: char| !c.is_alphanumeric());
        words.map(str::to_lowercase)
    });
    text("type") == "skill_end"
        && at.is_some_and(|at| reader.is_of_run(at))
        && told.any(|word| word == "success")
}

/// The project folders that may have documents of the run.
fn folders(sources: &Sources, project: Option<&Project>, world: &dyn World) -> Vec<Place> {
    let Some(claude) = &world.places().claude else {
        return Vec::new();
    };
    let known = sources.projects.iter();
    let known = known.filter_map(|path| path.strip_prefix(claude).ok().map(Path::to_owned));
    let rivals = project.into_iter().flat_map(|it| folder_names(&it.path));
    let rivals = rivals.map(|name| Path::new("projects").join(name));
    let mut all: Vec<Place> = Vec::new();
    for rel in known.chain(rivals) {
        if let Ok(place) = Place::known(claude, rel)
            && !all.contains(&place)
        {
            all.push(place);
        }
    }
    all
}

impl Reader<'_> {
    fn list(&self, dir: &Place) -> Vec<std::ffi::OsString> {
        let entries = self.world.files().list(dir).unwrap_or_else(|why| {
            self.note(dir, closed(dir, &why));
            Vec::new()
        });
        entries.into_iter().map(|entry| entry.name).collect()
    }

    fn bytes(&self, place: &Place) -> Option<Vec<u8>> {
        match self.world.files().whole(place) {
            Ok(bytes) => Some(bytes),
            Err(ReadError::NotFound) => None,
            Err(error) => {
                self.note(place, odd_file(place, &error, self.world));
                None
            }
        }
    }

    fn note(&self, place: &Place, odd: Option<OddFile>) {
        let (path, mut known) = (place.path(), self.unread.borrow_mut());
        if known.iter().all(|(other, _)| *other != path) {
            known.extend(odd.map(|odd| (path, odd)));
        }
    }

    /// A document in a folder, with its place.
    fn text(&self, dir: &Place, name: &str) -> Option<(Place, String)> {
        let place = dir.join(name).ok()?;
        let bytes = self.bytes(&place)?;
        Some((place, String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn modified(&self, place: &Place) -> Option<DateTime<Utc>> {
        self.world.files().modified(place)
    }

    /// The time of the last write, if it is before the start of the folder's next run.
    fn written(&self, place: Option<Place>) -> Option<DateTime<Utc>> {
        let at = self.modified(&place?)?;
        let until = self.window.until;
        Some(at).filter(|at| until.is_none_or(|until| Stamp::utc(*at) < until))
    }

    /// True for a document of this run: its stated time or its last write is in the run's window.
    fn is_fresh(&self, place: &Place, stated: Option<Stamp>) -> bool {
        let written = self.modified(place).map(Stamp::utc);
        let mut times = stated.into_iter().chain(written);
        times.any(|at| self.is_of_run(at))
    }

    /// Whether a moment is in the time of the run; false if that is unknown.
    fn is_of_run(&self, at: Stamp) -> bool {
        self.window.from.is_some() && self.window.holds(at)
    }
}
