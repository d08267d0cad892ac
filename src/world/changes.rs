//! Notifications of changes on disk. A place that cannot be watched is polled instead.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, SystemTime};

use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher as _};

/// How many places are watched; a machine has a limited number of watches.
const MOST: usize = 1024;

/// How often a place that cannot be watched is polled.
const LOOK: Duration = Duration::from_secs(3);

/// What tells a place from another one that took its path: its device and inode, and when it was made, because inodes are
/// used again.
type Identity = (u64, u64, Option<SystemTime>);

/// The places that are watched.
pub struct Watcher {
    events: Sender<()>,
    system: Option<RecommendedWatcher>,
    polling: Option<PollWatcher>,
    /// The places that are wanted, and those that were wanted and are missing: they may come back.
    places: Vec<PathBuf>,
    /// What is watched for them: themselves, or the nearest directory above that is there.
    watched: BTreeMap<PathBuf, Identity>,
}

impl Watcher {
    /// A watcher without places, and the receiver of its notifications.
    pub fn new() -> (Self, Receiver<()>) {
        let (events, changes) = channel();
        let watcher = Self {
            events,
            system: None,
            polling: None,
            places: Vec::new(),
            watched: BTreeMap::new(),
        };
        (watcher, changes)
    }

    /// Watches exactly these places, and for those that went until they are there again.
    pub fn only(&mut self, mut places: Vec<PathBuf>) {
        let before = std::mem::take(&mut self.places);
        places.extend(before.into_iter().filter(|place| !place.exists()));
        places.sort();
        places.dedup();
        places.truncate(MOST);
        let watched: BTreeMap<PathBuf, Identity> =
            places.iter().filter_map(|place| nearest(place)).collect();
        self.places = places;
        let before = std::mem::replace(&mut self.watched, watched.clone());
        for (gone, _) in before
            .iter()
            .filter(|(place, id)| watched.get(*place) != Some(*id))
        {
            // Unwatching a place that was never watched, or that was deleted, fails, which is harmless.
            if let Some(watcher) = &mut self.system {
                let _unwatched = watcher.unwatch(gone);
            }
            if let Some(watcher) = &mut self.polling {
                let _unwatched = watcher.unwatch(gone);
            }
        }
        let new = watched.iter();
        for (place, _) in new.filter(|(place, id)| before.get(*place) != Some(*id)) {
            if !self.watch(place) {
                self.poll(place);
            }
        }
    }

    fn watch(&mut self, place: &Path) -> bool {
        if self.system.is_none() {
            self.system = notify::recommended_watcher(handler(&self.events)).ok();
        }
        let watcher = self.system.as_mut();
        watcher.is_some_and(|watcher| watcher.watch(place, RecursiveMode::NonRecursive).is_ok())
    }

    fn poll(&mut self, place: &Path) {
        if self.polling.is_none() {
            let config = Config::default().with_poll_interval(LOOK);
            self.polling = PollWatcher::new(handler(&self.events), config).ok();
        }
        if let Some(watcher) = &mut self.polling {
            // A place that was deleted meanwhile is looked for by the next survey.
            let _unwatched = watcher.watch(place, RecursiveMode::NonRecursive);
        }
    }
}

/// A place, or where it is missing the nearest directory above it in which it would appear again. `None` where that is
/// one in which something always changes.
fn nearest(place: &Path) -> Option<(PathBuf, Identity)> {
    let busy = [PathBuf::from("/"), std::env::temp_dir()];
    let mut found = place.ancestors().filter_map(|at| {
        let about = std::fs::metadata(at).ok()?;
        let id = (about.dev(), about.ino(), about.created().ok());
        Some((at.to_owned(), id))
    });
    found
        .next()
        .filter(|(at, _)| at == place || !busy.contains(at))
}

fn handler(events: &Sender<()>) -> impl FnMut(notify::Result<Event>) + Send + 'static {
    let events = events.clone();
    move |event| {
        // Our own reads are access events too; only modifications count.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ended = events.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long a notification may take before a test fails.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn a_directory_that_goes_and_comes_back_is_watched_again() {
        let home = crate::world::temporary::directory();
        let project = home.path().join("above/project");
        let (mut watcher, changes) = Watcher::new();
        let of = |watcher: &Watcher| watcher.watched.keys().cloned().collect::<Vec<_>>();
        let tells = |what: &str| {
            while changes.try_recv().is_ok() {}
            std::fs::write(project.join(what), "x").unwrap();
            changes.recv_timeout(PATIENCE).unwrap();
        };
        std::fs::create_dir_all(&project).unwrap();
        watcher.only(vec![project.clone()]);
        assert_eq!(of(&watcher), [project.as_path()]);
        tells("a");
        // Whoever asks for places names only those that there are.
        std::fs::remove_dir_all(home.path().join("above")).unwrap();
        watcher.only(Vec::new());
        assert_eq!(of(&watcher), [home.path()]);
        while changes.try_recv().is_ok() {}
        std::fs::create_dir_all(&project).unwrap();
        changes.recv_timeout(PATIENCE).unwrap();
        watcher.only(vec![project.clone()]);
        assert_eq!(of(&watcher), [project.as_path()]);
        tells("b");
        // Between two looks another directory took its place.
        std::fs::rename(&project, home.path().join("old")).unwrap();
        std::fs::create_dir(&project).unwrap();
        watcher.only(vec![project.clone()]);
        tells("c");
        watcher.only(Vec::new());
        assert!(of(&watcher).is_empty());
    }
}
