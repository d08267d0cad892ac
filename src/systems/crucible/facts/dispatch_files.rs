//! The dispatch files of some folders and their times: dispatches have no other clock than their headers. Only the
//! header of a file is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{Place, Stamp};
use crate::systems::crucible::shape;
use crate::systems::crucible::shape::StartTimes;
use crate::systems::crucible::shape::manifest::file_seq;
use crate::systems::kit::odd_files::{OddFile, closed, odd_file};
use crate::world::World;
use crate::world::files::Entry;

/// How many dispatch files are read; a run has a few hundred at most.
pub(crate) const CAP: usize = 20_000;
/// How many bytes of a dispatch file contain its header.
const HEADER: usize = 2 << 10;

/// The dispatch files of all folders of a run.
#[derive(Debug, Default)]
pub(crate) struct DispatchFiles {
    /// By the number in their names; if several folders have the same name, the first counts.
    pub(crate) places: BTreeMap<u64, Vec<Place>>,
    /// When dispatches started.
    pub(crate) clock: Arc<StartTimes>,
    /// The phases in their headers.
    pub(crate) phases: BTreeMap<u64, String>,
    /// What is in the place of dispatch files that cannot be read.
    odd: BTreeMap<u64, OddFile>,
    /// A folder of which the files are unknown.
    pub(crate) closed: Option<OddFile>,
    /// True if a durable copy has dispatch files, except for a copy that `relight record` keeps during the run.
    pub(crate) in_copies: bool,
}

impl DispatchFiles {
    /// Adds the files of a folder. When one was written is in its header, else it is the file's time; the file times in a
    /// durable copy are those of the copying, so only headers count there.
    pub(crate) fn read(&mut self, dir: &Place, copy: bool, world: &dyn World) {
        let entries = world.files().list(dir).unwrap_or_else(|why| {
            self.closed = self.closed.take().or_else(|| closed(dir, &why));
            Vec::new()
        });
        let of_relight = is_of_relight(&entries);
        let names = entries.into_iter().filter_map(|entry| {
            let name = entry.name.into_string().ok()?;
            let is_file = !entry.is_dir && !entry.is_link;
            name.strip_suffix(".md")?;
            Some((name, is_file))
        });
        for (name, is_file) in names.take(CAP) {
            let Some((seq, place)) = file_seq(&name).zip(dir.join(&name).ok()) else {
                continue;
            };
            // What is in the place of one is asked for its header, too, so that it is reported.
            let header = match world.files().read_range(&place, 0, HEADER) {
                Ok(head) => Some(shape::dispatch(
                    &String::from_utf8_lossy(&head),
                    world.clock(),
                )),
                Err(why) => {
                    self.odd
                        .extend(odd_file(&place, &why, world).map(|odd| (seq, odd)));
                    None
                }
            };
            if !is_file {
                continue;
            }
            self.in_copies |= copy && !of_relight;
            if let Some(header) = header {
                let modified = || world.files().modified(&place).map(Stamp::utc);
                let written = || if copy { None } else { modified() };
                if let Some(at) = header.at.or_else(written) {
                    let known = Arc::make_mut(&mut self.clock).entry(seq).or_insert(at);
                    *known = at.min(*known);
                }
                self.phases.extend(header.phase.map(|phase| (seq, phase)));
            }
            let known = self.places.entry(seq).or_default();
            if !known.iter().any(|place| is_named(place, &name)) {
                known.push(place);
            }
        }
    }

    /// Why nothing can be said of the file of a dispatch, if it is in none of the places.
    pub(crate) fn odd(&self, seq: u64) -> Option<&OddFile> {
        self.odd.get(&seq).or(self.closed.as_ref())
    }

    /// True if the folders have no dispatch file, and nothing in the place of one.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.odd.is_empty() && self.closed.is_none()
    }

    /// The file of a dispatch: the one in its line, else the one whose name starts with its number. The name is looked
    /// up among the existing files and never opened as a path.
    pub(crate) fn find(&self, seq: u64, name: Option<&str>) -> Option<&Place> {
        let named = name.and_then(|name| {
            let mut places = self.places.get(&file_seq(name)?)?.iter();
            places.find(|place| is_named(place, name))
        });
        named.or_else(|| self.places.get(&seq)?.first())
    }
}

/// The file that marks a durable copy as kept by `relight record` while the run continues. Crucible itself makes a copy
/// only when a run succeeds or escalates, so a copy with this mark shows neither.
pub(crate) const MARK: &str = ".relight-copy";

/// True for the entries of a copy with the mark.
pub(crate) fn is_of_relight(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.name == MARK)
}

/// True for a file of this name.
fn is_named(place: &Place, name: &str) -> bool {
    place.path().file_name().is_some_and(|known| known == name)
}
