//! What a survey looks at: the walks, the places outside projects, and the paths that were named.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::Sender;

use crate::discover::{Limits, Names, Tally, claude_projects, temp_entries, walk};
use crate::engine::Engine;
use crate::engine::search_area::SearchArea;
use crate::model::{Place, lock};
use crate::systems::{Found, Hit, System};
use crate::world::World;
use crate::world::files::{FileKind, ReadError};

/// Levels of a project folder of Claude's that are looked at.
const CLAUDE_DEPTH: usize = 6;

impl Engine {
    /// Sends every hit of the area; ends when all was looked at. Gives what was left out, and what could not be read.
    pub(super) fn look(
        &self,
        systems: &[&'static dyn System],
        area: &SearchArea,
        world: &dyn World,
        hits: Sender<Hit>,
    ) -> Tally {
        let hits = Mutex::new(hits);
        let send = |hit: Hit| {
            // The readers outlive every sender.
            drop(lock(&hits).send(hit));
        };
        let entries = &self.search.entries;
        let projects = Names::of(systems, System::markers);
        for path in &area.files {
            named(&projects, path, &send);
        }
        for path in area.roots.iter().chain(&area.files) {
            inside(&projects, path, &send);
        }
        let walked = |root: &Path| Found::Walk {
            root: root.to_owned(),
        };
        // These are copies of projects, the trees of replays and rehearsals: no pipelines of their own.
        let state = self.world.places().state.as_deref();
        let own = state.map(|state| state.join("relight"));
        let own = own.filter(|own| !area.roots.iter().any(|root| root.starts_with(own)));
        let limits = Limits {
            apart: own.as_deref(),
            ..Limits::default()
        };
        let mut tally = walk(&area.roots, &projects, limits, entries, &walked, &send);
        let claude = Names::of(systems, System::claude_markers);
        if !claude.is_empty() {
            let limits = Limits {
                depth: CLAUDE_DEPTH,
                ..Limits::default()
            };
            let place = |root: &Path| Found::ClaudeProject {
                project: root.to_owned(),
            };
            let theirs = walk(
                &claude_projects(world),
                &claude,
                limits,
                entries,
                &place,
                &send,
            );
            tally.unread.extend(theirs.unread);
        }
        temp_entries(world, &Names::of(systems, System::temp_markers), &send);
        tally
    }
}

/// Why what is at a hit is not opened; `None` for a file or directory.
pub(super) fn unopened(hit: &Hit, world: &dyn World) -> Option<&'static str> {
    match world.files().stat(&Place::of(&hit.path)?).ok()?.kind {
        FileKind::File | FileKind::Dir => None,
        FileKind::Link => Some(
            "a symbolic link, which is not followed; name the file it points to, or its directory",
        ),
        FileKind::Other => Some("a FIFO, socket or device, not a regular file"),
    }
}

/// Why what is at a hit cannot be read, where it is there and cannot.
pub(super) fn refused(hit: &Hit, world: &dyn World) -> Option<ReadError> {
    let place = Place::of(&hit.path)?;
    let read = match world.files().stat(&place) {
        Ok(stat) if stat.kind == FileKind::Dir => world.files().list(&place).map(drop),
        Ok(_) => world.files().read_range(&place, 0, 1).map(drop),
        Err(why) => Err(why),
    };
    read.err().filter(ReadError::leaves_unknown)
}

/// Whether a system asked for a hit of this kind.
pub(super) fn wants(system: &dyn System, hit: &Hit) -> bool {
    let list = match hit.found {
        Found::Walk { .. } | Found::Named => system.markers(),
        Found::ClaudeProject { .. } => system.claude_markers(),
        Found::Temp { .. } => system.temp_markers(),
    };
    list.contains(&hit.marker)
}

/// A file that was named is offered to every system whose marker it fits.
fn named(names: &Names, path: &Path, send: &dyn Fn(Hit)) {
    if let Some(name) = path.file_name() {
        offer(names, (name, false), path, send);
    }
}

/// A path inside a folder that a system claims whole, or that folder itself, is offered to that system: the
/// walk from there would not meet the folder.
fn inside(names: &Names, path: &Path, send: &dyn Fn(Hit)) {
    for name in path.ancestors().filter_map(Path::file_name) {
        offer(names, (name, true), path, send);
    }
}

fn offer(names: &Names, (name, is_dir): (&OsStr, bool), path: &Path, send: &dyn Fn(Hit)) {
    names.fitting(name.as_bytes(), is_dir, |marker| {
        send(Hit {
            marker,
            path: path.to_owned(),
            found: Found::Named,
        });
    });
}
