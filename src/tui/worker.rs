//! Runs what `update` asks for, away from the screen, and sends the answers back.
//!
//! Lanes keep slow questions from holding up quick ones: a small pool reads; the survey, the preview and
//! the timeline's filter have one lane each, in which a newer question replaces one that has not
//! started. What writes has a lane of its own: one thing after the other, cancelled only as long as nothing has
//! changed, and the worker waits for it. A replay has one, too: it is stopped when the console ends.

mod answers;
mod engine;
mod lanes;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::Duration;

use lanes::{Lane, lock};

use crate::engine::Watcher;
use crate::tui::data::Launched;
use crate::tui::msg::Msg;
use crate::tui::prelude::*;

#[cfg(test)]
pub(super) use answers::{counted, deleted, filter, presentable, seek_phase};
pub(super) use lanes::THREAD;

/// Threads that read.
const READERS: usize = 2;

/// How progress is reported.
pub type Tell<'a> = &'a (dyn Fn(Reply) + Sync);

/// Everything the console asks for.
pub trait Source: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> DateTime<FixedOffset>;

    /// Answers a question. `tell` gets progress on the way; `stop` is true once nobody wants the answer.
    fn answer(&self, query: Query, tell: Tell<'_>, stop: &dyn Fn() -> bool) -> Reply;

    /// Opens a text in the person's editor, in the foreground, and reads it back. The terminal must be free.
    fn edit(&self, text: &[u8]) -> Result<Vec<u8>>;

    /// Opens a file in the person's editor or pager, in the foreground. The terminal must be free.
    fn open(&self, origin: &Origin) -> Result<()>;

    /// Gives a text to the clipboard by a program, and names what has it; `None` where only the terminal can.
    fn copy(&self, _text: &str) -> Option<&'static str> {
        None
    }

    /// Runs the orchestrator in the foreground and waits until it ends. The terminal must be free.
    fn launch(&self, id: &PipelineId, handoff: &Handoff) -> Result<Launched>;
}

/// The worker: takes effects, sends messages.
pub struct Worker {
    source: Arc<dyn Source>,
    pool: Lane,
    survey: Lane,
    preview: Lane,
    filter: Lane,
    write: Lane,
    rehearse: Lane,
    replay: Lane,
    /// What ends the replay under way.
    cancel: Cancel,
    /// What ends the rehearsal under way.
    rehearsing: Cancel,
    /// What stops what is being written, as long as that is possible.
    writing: Cancel,
    /// The newest filter; an older one that runs stops when it sees another number.
    newest_filter: Arc<AtomicU64>,
    watch: Watcher,
    out: Sender<Msg>,
}

impl Worker {
    /// Starts the lanes.
    pub fn new(source: Arc<dyn Source>, out: Sender<Msg>) -> std::io::Result<Self> {
        Ok(Self {
            pool: Lane::pool("read", READERS)?,
            survey: Lane::newest("survey")?,
            preview: Lane::newest("preview")?,
            filter: Lane::newest("filter")?,
            write: Lane::serial("write")?,
            rehearse: Lane::serial("rehearse")?,
            replay: Lane::serial("replay")?,
            cancel: Cancel::new(),
            rehearsing: Cancel::new(),
            writing: Cancel::new(),
            newest_filter: Arc::default(),
            watch: watcher(&out)?,
            source,
            out,
        })
    }

    /// Takes an effect; returns one that belongs to the terminal.
    pub fn take(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Ask(ticket, query) => self.ask(ticket, query),
            Effect::Watch(places) => self.watch.only(places),
            other => return Some(other),
        }
        None
    }

    /// Puts a question into its lane.
    fn ask(&mut self, ticket: Ticket, query: Query) {
        let lane = match &query {
            Query::Survey(_) => &self.survey,
            Query::Dossier { preview: true, .. } => &self.preview,
            Query::Filter(..) => {
                self.newest_filter.store(ticket.0, Ordering::Relaxed);
                &self.filter
            }
            Query::Apply(_, _, cancel)
            | Query::Recover { cancel, .. }
            | Query::Purge(_, _, cancel)
            | Query::PurgeReplays(_, _, cancel) => {
                self.writing = cancel.clone();
                &self.write
            }
            Query::ExportReport(..) => &self.write,
            Query::Replay(_, cancel)
            | Query::ReplayContinue(_, _, cancel)
            | Query::ReplayExtend(_, _, _, cancel) => {
                self.cancel = cancel.clone();
                &self.replay
            }
            Query::Rehearse(_, cancel) => {
                // Nobody awaits an earlier one any more.
                self.rehearsing.cancel();
                self.rehearsing = cancel.clone();
                &self.rehearse
            }
            _ => &self.pool,
        };
        let (source, out) = (Arc::clone(&self.source), self.out.clone());
        let newest = Arc::clone(&self.newest_filter);
        let stop = move || newest.load(Ordering::Relaxed) != ticket.0;
        lane.put(Box::new(move || {
            answer(source.as_ref(), ticket, query, &out, &stop);
        }));
    }
}

impl Drop for Worker {
    /// Replays and rehearsals never outlive the console: they are stopped, the results of a replay are kept, and the
    /// worker waits for their lanes; also for the lane that writes, if the console ends because its terminal is gone.
    fn drop(&mut self) {
        self.cancel.cancel();
        self.rehearsing.cancel();
        self.writing.cancel();
    }
}

/// How long further changes are collected after one was reported.
const QUIET: Duration = Duration::from_millis(250);

/// A watcher that reports changes to the console.
pub(super) fn watcher(out: &Sender<Msg>) -> std::io::Result<Watcher> {
    let (watcher, changes) = Watcher::new();
    let out = out.clone();
    thread::Builder::new()
        .name(format!("{THREAD}-watch"))
        .spawn(move || tell(&changes, &out))?;
    Ok(watcher)
}

/// Reports the first change at once, and those that follow closely as one.
fn tell(changes: &Receiver<()>, out: &Sender<Msg>) {
    while changes.recv().is_ok() {
        loop {
            if out.send(Msg::Changed).is_err() {
                return;
            }
            thread::sleep(QUIET);
            if changes.try_iter().count() == 0 {
                break;
            }
        }
    }
}

/// Answers a question, and sends the answer. A panic is answered too, so that nobody waits forever.
fn answer(
    source: &dyn Source,
    ticket: Ticket,
    query: Query,
    out: &Sender<Msg>,
    stop: &dyn Fn() -> bool,
) {
    let broken = query.failed(bug(&query));
    let told = Mutex::new(out.clone());
    // Sending fails only while the console is ending; then nobody listens anymore.
    let tell = |reply| drop(lock(&told).send(Msg::Reply(ticket, reply)));
    let reply = catch_unwind(AssertUnwindSafe(|| source.answer(query, &tell, stop)));
    drop(out.send(Msg::Reply(ticket, reply.unwrap_or(broken))));
}

/// What is reported when a lane hit a bug of relight itself.
fn bug(query: &Query) -> EngineError {
    let (text, hints): (_, &[&str]) = match query {
        Query::Apply(..) | Query::Recover { .. } | Query::Purge(..) | Query::PurgeReplays(..) => (
            "relight hit a bug while writing; how far it got is unknown.",
            &[
                "relight recover shows what is pending and how it would be recovered.",
                "Do not change the files of this plan before that.",
            ],
        ),
        Query::Replay(..) | Query::ReplayContinue(..) | Query::ReplayExtend(..) => (
            "relight hit a bug during the replay. The original is unchanged.",
            &["The list of replays shows the finished dispatches, and continues the replay."],
        ),
        _ => (
            "relight has hit a bug while reading this; nothing was changed.",
            &["The same command on the command line may report more."],
        ),
    };
    let error = EngineError::new(ErrorKind::Bug, text);
    hints.iter().fold(error, |error, hint| error.hint(*hint))
}

/// Answers an effect at once, for tests; returns one that belongs to the terminal.
#[cfg(test)]
#[expect(
    clippy::result_large_err,
    reason = "an effect is returned, not a failure"
)]
pub(super) fn answer_now(source: &Arc<dyn Source>, effect: Effect) -> Result<Vec<Msg>, Effect> {
    match effect {
        Effect::Ask(ticket, query) => {
            let (out, told) = std::sync::mpsc::channel();
            answer(source.as_ref(), ticket, query, &out, &|| false);
            drop(out);
            Ok(told.into_iter().collect())
        }
        Effect::Watch(_) => Ok(Vec::new()),
        effect => Err(effect),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that panics.
    struct Panics;

    impl Source for Panics {
        fn now(&self) -> chrono::DateTime<chrono::FixedOffset> {
            unreachable!()
        }

        fn answer(
            &self,
            query: Query,
            _: Tell<'_>,
            _: &dyn Fn() -> bool,
        ) -> crate::tui::msg::Reply {
            panic!("{query:?}")
        }

        fn edit(&self, _: &[u8]) -> Result<Vec<u8>> {
            unreachable!()
        }

        fn open(&self, _: &crate::model::Origin) -> Result<()> {
            unreachable!()
        }

        fn launch(
            &self,
            _: &crate::model::PipelineId,
            _: &crate::model::Handoff,
        ) -> Result<crate::tui::data::Launched> {
            unreachable!()
        }
    }

    #[test]
    fn a_panic_is_answered_too() {
        let source: Arc<dyn Source> = Arc::new(Panics);
        let query = Query::Operands(crate::model::PipelineId("x".to_owned()));
        let told = answer_now(&source, Effect::Ask(Ticket(1), query)).unwrap();
        assert!(format!("{told:?}").contains("has hit a bug"), "{told:?}");
    }
}
