//! A console's source whose clock breaks: a panic in the middle of everything.

use std::sync::atomic::{AtomicUsize, Ordering};

use relight::model::{EngineError, ErrorKind, Handoff, Origin, PipelineId, Stamp};
use relight::tui::data::Launched;
use relight::tui::msg::{Query, Reply};
use relight::tui::worker::{Source, Tell};

/// A source whose clock panics as soon as the console has drawn itself and time goes on.
#[derive(Default)]
pub(crate) struct Broken(AtomicUsize);

fn refused() -> EngineError {
    EngineError::new(ErrorKind::Refused, "nothing")
}

impl Source for Broken {
    fn now(&self) -> chrono::DateTime<chrono::FixedOffset> {
        assert!(
            self.0.fetch_add(1, Ordering::SeqCst) == 0,
            "the clock broke"
        );
        Stamp::from_unix(0).unwrap().at
    }

    fn answer(&self, query: Query, _: Tell<'_>, _: &dyn Fn() -> bool) -> Reply {
        // A survey never ends, so that the console ticks.
        if matches!(query, Query::Survey(_)) {
            loop {
                std::thread::park();
            }
        }
        query.failed(refused())
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>, EngineError> {
        Ok(text.to_vec())
    }

    fn open(&self, _: &Origin) -> Result<(), EngineError> {
        Ok(())
    }

    fn launch(&self, _: &PipelineId, _: &Handoff) -> Result<Launched, EngineError> {
        Err(refused())
    }
}
