//! What is told of a search that takes long: a person at a terminal should not wait without a word.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Engine;

/// A search that is shorter is not told of.
const FIRST: Duration = Duration::from_secs(1);
/// How often it is told how far a search is.
const EACH: Duration = Duration::from_millis(200);

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Searched {
    /// Files and directories that were looked at.
    pub entries: u64,
    /// Pipelines that were read.
    pub pipelines: usize,
}

/// Takes how far a search is, and `None` when it has ended.
pub type TellSearch = Box<dyn Fn(Option<Searched>) + Send + Sync>;

/// The counts of the running search, and who is told of them.
#[derive(Default)]
pub(super) struct Search {
    pub(super) entries: AtomicU64,
    pub(super) pipelines: AtomicUsize,
    tell: Option<TellSearch>,
    first: Duration,
}

impl Engine {
    /// From now on, searches that take long are told of.
    pub fn tell_searches(&mut self, tell: TellSearch) {
        self.search.tell = Some(tell);
        self.search.first = FIRST;
    }

    /// Does work of a search, and tells how far it is. Nothing is told any more when this returns: the next line on the
    /// terminal is another's.
    pub(super) fn telling<T>(&self, work: impl FnOnce() -> T) -> T {
        let search = &self.search;
        let Some(tell) = &search.tell else {
            return work();
        };
        let (end, ended) = channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut wait = search.first;
                while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    tell(Some(Searched {
                        entries: search.entries.load(Ordering::Relaxed),
                        pipelines: search.pipelines.load(Ordering::Relaxed),
                    }));
                    wait = EACH;
                }
                tell(None);
            });
            let done = work();
            drop(end);
            done
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Request;
    use crate::engine::testing::Scene;

    #[test]
    fn a_long_search_is_told_of_until_it_ends() {
        let mut scene = Scene::new();
        let (tell, told) = channel();
        let tell: TellSearch = Box::new(move |searched| tell.send(searched).unwrap());
        scene.engine.tell_searches(tell);
        let request = Request {
            paths: vec![scene.path("projects")],
            all: true,
            ..Request::default()
        };
        scene.engine.survey(&request, &|_| {}).unwrap();
        assert_eq!(told.try_iter().last(), Some(None));
        scene.engine.search.first = Duration::ZERO;
        let searched = scene.engine.telling(|| told.recv().unwrap()).unwrap();
        assert!(searched.pipelines >= scene.ids.len(), "{searched:?}");
        assert!(searched.entries > 100, "{searched:?}");
        assert_eq!(told.try_iter().last(), Some(None));
    }
}
