//! Gathers the evidence of life of a pipeline from every source that its system has. `recover::assess` judges it.
//!
//! Nothing is concluded here. Each source says in one sentence what it found. A source that cannot be read says so,
//! because its silence proves nothing.

mod locks;
mod processes;
mod tmux;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::World;
use super::files::ReadError;
use super::process::Process;
use crate::model::{Foreign, LifeEvidence, LifeSign, Place, SignKind, SignVerdict};
use crate::text::Shown as _;
use crate::text::format::time;

/// A tmux session that a system names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxQuery {
    /// The exact name.
    pub name: String,
    /// Where one of its panes must be working if the session belongs to this pipeline; `None` if the name is unique.
    pub owner: Option<PathBuf>,
}

/// A file that holds a process id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PidFile {
    /// The file.
    pub place: Place,
    /// Text that the command line of a genuine owner contains.
    pub command_contains: &'static str,
}

/// What a system wants to know. Every source listed here must be readable and negative before a pipeline counts as
/// dead.
#[derive(Debug, Clone, Default)]
pub struct LifeQuery {
    /// Positive evidence is an agent program with its working directory or an open file under one of these.
    pub roots: Vec<PathBuf>,
    /// Exact tmux sessions.
    pub tmux: Vec<TmuxQuery>,
    /// Process-id files.
    pub pid_files: Vec<PidFile>,
    /// Sets of texts; all texts of a set must occur in the arguments of one process.
    pub command_lines: Vec<Vec<String>>,
    /// Git directories whose `index.lock` is evidence.
    pub git_dirs: Vec<PathBuf>,
    /// Signs that the system read from its own files (markers).
    pub signs: Vec<LifeSign>,
    /// Files whose newest modification is the last write.
    pub writes: Vec<Place>,
    /// A last write known from another source; the newest counts.
    pub last_write: Option<DateTime<Utc>>,
    /// The newest write of a conversation of the project, where it counts.
    pub last_talk: Option<DateTime<Utc>>,
    /// How old the last write must be before silence counts, in seconds.
    pub quiet_after_s: i64,
}

/// Queries every source that the query names.
pub fn gather(world: &dyn World, query: &LifeQuery) -> LifeEvidence {
    let mut signs = Vec::new();
    let wants_processes = !(query.roots.is_empty()
        && query.pid_files.is_empty()
        && query.command_lines.is_empty()
        && query.git_dirs.is_empty());
    // Listing the processes is the expensive part. One listing serves all sources, so that they cannot disagree about a
    // process that ends meanwhile.
    if wants_processes {
        let listed = Listed::ask(world);
        signs.extend(locks::pid_files(world, &query.pid_files, &listed));
        signs.extend(processes::agents(world, &query.roots, &listed));
        signs.extend(processes::command_lines(
            world,
            &query.command_lines,
            &listed,
        ));
        signs.extend(locks::index_locks(world, query, &listed));
    }
    // tmux has its own server and is asked even without roots: a detached session lives on after its terminal closed.
    signs.extend(tmux::sessions(world, &query.tmux));
    signs.extend(query.signs.iter().cloned());
    let mut last_write = query.last_write;
    for place in &query.writes {
        match world.files().stat(place) {
            Ok(stat) => last_write = last_write.max(Some(stat.modified)),
            // A file that was never written says nothing about the time of the last write.
            Err(ReadError::NotFound) => {}
            // Not skipped: the unreadable file may be the newest, and without it the silence would look longer than it
            // is.
            Err(why) => signs.push(LifeSign::new(
                SignKind::Marker,
                SignVerdict::Unreadable,
                format!(
                    "When {} was last written cannot be read: {why}.",
                    shown(&place.path())
                ),
            )),
        }
    }
    LifeEvidence {
        signs,
        last_write,
        last_talk: query.last_talk,
        quiet_after_s: query.quiet_after_s,
        of_conversation: false,
    }
}

/// The files under a folder that a format names by their names, those that may yet be made among them.
pub struct OwnFiles<'a> {
    /// The folder.
    pub dir: PathBuf,
    /// Whether a path relative to it is one of them. Called for every file that is open for writing there.
    pub names: Box<dyn Fn(&Path) -> bool + 'a>,
}

impl<'a> OwnFiles<'a> {
    /// Those under a folder with these names.
    pub fn new(dir: impl Into<PathBuf>, names: impl Fn(&Path) -> bool + 'a) -> Self {
        Self {
            dir: dir.into(),
            names: Box::new(names),
        }
    }

    /// One file.
    pub fn file(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_owned();
        Some(Self::new(path.parent()?, move |rel| {
            rel.as_os_str() == name
        }))
    }

    /// All under a folder, but what an editor hides beside the file that it shows.
    pub fn all(dir: impl Into<PathBuf>) -> Self {
        Self::new(dir, |rel| !is_hidden(rel))
    }
}

/// Whether a path has the name of a hidden file, as the swap files of editors have.
pub fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(b".")
}

/// Processes that hold one of a pipeline's files open for writing: one of these, or one that its format names.
pub fn writers(world: &dyn World, files: &[PathBuf], own: &[OwnFiles<'_>]) -> Vec<LifeSign> {
    processes::writers(world, files, own, &Listed::ask(world))
}

/// The processes of this machine, listed once.
struct Listed {
    /// The list, or why there is none.
    all: Result<Arc<[Process]>, Foreign>,
    /// relight itself and the processes that started it.
    ancestors: Vec<u32>,
}

impl Listed {
    fn ask(world: &dyn World) -> Self {
        Self {
            all: world.processes().snapshot(),
            ancestors: world.processes().ancestors(),
        }
    }

    /// The list, empty where it could not be read.
    fn known(&self) -> &[Process] {
        self.all.as_deref().unwrap_or_default()
    }

    /// The list, or where there is none a sign that says what is unknown.
    fn all_or_unknown(&self, what: &str) -> Result<&[Process], LifeSign> {
        self.all.as_deref().map_err(|why| {
            let why = why.shown();
            let text = format!(
                "The processes of this machine cannot be listed ({why}), so {what} is unknown."
            );
            LifeSign::new(SignKind::Process, SignVerdict::Unreadable, text)
        })
    }

    fn is_ancestor(&self, process: &Process) -> bool {
        self.ancestors.contains(&process.pid)
    }

    /// The sign of a process that does something with the pipeline.
    fn sign_of(&self, process: &Process, does: &str) -> LifeSign {
        // The agent itself started relight: the person sits in that session and knows that it is alive.
        let (verdict, text) = if self.is_ancestor(process) {
            let text = format!("You are running inside it: {does}.");
            (SignVerdict::Note, text)
        } else {
            (SignVerdict::Positive, format!("{does}."))
        };
        LifeSign::new(SignKind::Process, verdict, text).of(process.pid)
    }

    /// `codex (pid 4711, started 09:12)`.
    fn name(world: &dyn World, process: &Process) -> String {
        let called = world.processes().agents().called(process);
        let since = process
            .started
            .map(|at| format!(", started {}", time(at.fixed_offset())))
            .unwrap_or_default();
        format!("{} (pid {}{since})", called.shown(), process.pid)
    }
}

/// A path inside a sentence.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The roots as processes see them: as given, and with all links resolved.
fn resolved(world: &dyn World, roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = roots.to_vec();
    // The kernel reports a working directory by its real path, while a state file may name a link to it.
    for root in roots {
        if let Some(real) = world.files().canonical(root)
            && !all.contains(&real)
        {
            all.push(real);
        }
    }
    all
}
