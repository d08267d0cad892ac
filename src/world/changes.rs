//! Notifications of changes on disk. A place that cannot be watched is polled instead.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher as _};

/// How many places are watched; a machine has a limited number of watches.
const MOST: usize = 1024;

/// How often a place that cannot be watched is polled.
const LOOK: Duration = Duration::from_secs(3);

/// The places that are watched.
pub struct Watcher {
    events: Sender<()>,
    system: Option<RecommendedWatcher>,
    polling: Option<PollWatcher>,
    places: Vec<PathBuf>,
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
        };
        (watcher, changes)
    }

    /// Watches exactly these places.
    pub fn only(&mut self, mut places: Vec<PathBuf>) {
        places.sort();
        places.dedup();
        places.truncate(MOST);
        if places == self.places {
            return;
        }
        let before = std::mem::replace(&mut self.places, places);
        for gone in before.iter().filter(|place| !self.places.contains(place)) {
            // Unwatching a place that was never watched fails, which is harmless.
            if let Some(watcher) = &mut self.system {
                let _unwatched = watcher.unwatch(gone);
            }
            if let Some(watcher) = &mut self.polling {
                let _unwatched = watcher.unwatch(gone);
            }
        }
        let new: Vec<PathBuf> = self
            .places
            .iter()
            .filter(|place| !before.contains(place))
            .cloned()
            .collect();
        for place in new {
            if !self.watch(&place) {
                self.poll(&place);
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
            // A deleted place is found again by the next survey.
            let _unwatched = watcher.watch(place, RecursiveMode::NonRecursive);
        }
    }
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
