//! Runs what `update` asks for, away from the screen, and sends the answers back.
//!
//! Lanes keep slow questions from holding up quick ones: a small pool reads; the survey, the preview and
//! the timeline's filter have one slot each, in which a newer question takes the place of one that has not
//! begun. What writes has a lane of its own: one thing after the other, cancelled only as long as nothing has
//! changed, and the worker does not end before it has. A replay has one, too: it is stopped where the console ends.

mod acting;
mod answers;
mod engine;
mod lanes;
mod replaying;
mod source;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use super::data::Trouble;
use super::msg::{Effect, Msg, Reply, Ticket};
use crate::model::Cancel;
pub(super) use lanes::THREAD;
use lanes::{Job, Pool, Serial, Slot};
pub use source::{Source, Tell, TellReplay};
use watch::Watch;

/// Threads that read.
const READERS: usize = 2;

/// The worker: takes effects, sends messages.
pub struct Worker {
    source: Arc<dyn Source>,
    pool: Pool,
    survey: Slot,
    preview: Slot,
    filter: Slot,
    write: Serial,
    rehearse: Pool,
    replay: Serial,
    /// What ends the replay under way.
    cancel: Cancel,
    /// What stops what is being written, as long as that is possible.
    writing: Cancel,
    /// The newest filter; an older one that runs stops when it sees another number.
    newest_filter: Arc<AtomicU64>,
    watch: Watch,
    out: Sender<Msg>,
}

impl Worker {
    /// Starts the lanes.
    pub fn new(source: Arc<dyn Source>, out: Sender<Msg>) -> std::io::Result<Self> {
        Ok(Self {
            pool: Pool::new("read", READERS, &out)?,
            survey: Slot::new("survey", &out)?,
            preview: Slot::new("preview", &out)?,
            filter: Slot::new("filter", &out)?,
            write: Serial::new("write", &out)?,
            rehearse: Pool::new("rehearse", 1, &out)?,
            replay: Serial::new("replay", &out)?,
            cancel: Cancel::new(),
            writing: Cancel::new(),
            newest_filter: Arc::default(),
            watch: Watch::new(&out)?,
            source,
            out,
        })
    }

    /// Takes an effect; gives back one that is the terminal's.
    pub fn take(&mut self, effect: Effect) -> Option<Effect> {
        let source = Arc::clone(&self.source);
        match effect {
            Effect::Survey(ticket, request) => {
                let out = self.out.clone();
                let broken = Reply::Survey(Err(mistake()));
                self.survey.put(Job::new(ticket, broken, move || {
                    answers::survey(source.as_ref(), ticket, &request, &out)
                }));
            }
            Effect::Dossier {
                ticket,
                id,
                preview,
            } => {
                let broken = Reply::Dossier(id.clone(), Err(mistake()));
                let job = Job::new(ticket, broken, move || {
                    let dossier = source.dossier(&id);
                    Reply::Dossier(id, dossier)
                });
                if preview {
                    self.preview.put(job);
                } else {
                    self.pool.put(job);
                }
            }
            Effect::Filter(ticket, rows, text) => self.filter(ticket, rows, text),
            Effect::Watch(places) => self.watch.only(places),
            Effect::Copy(_)
            | Effect::CopyLines(_)
            | Effect::Open(_)
            | Effect::Edit(..)
            | Effect::Launch(..)
            | Effect::Mouse(_)
            | Effect::Suspend
            | Effect::Redraw
            | Effect::Quit => return Some(effect),
            Effect::CarryOut { ref cancel, .. }
            | Effect::Settle { ref cancel, .. }
            | Effect::Purge(_, _, ref cancel) => {
                self.writing = cancel.clone();
                if let Some(job) = acting::writing(source, effect, &self.out) {
                    self.write.put(job);
                }
            }
            Effect::Replay { ref cancel, .. } | Effect::ReplayContinue { ref cancel, .. } => {
                self.cancel = cancel.clone();
                if let Some(job) = replaying::job(source, effect, &self.out) {
                    self.replay.put(job);
                }
            }
            Effect::Rehearse(..) => {
                if let Some(job) = acting::rehearsing(source, effect, &self.out) {
                    self.rehearse.put(job);
                }
            }
            other => {
                if let Some(job) = answers::reading(source, other) {
                    self.pool.put(job);
                }
            }
        }
        None
    }

    fn filter(&self, ticket: Ticket, rows: super::msg::Rows, text: String) {
        self.newest_filter.store(ticket.0, Ordering::Relaxed);
        let newest = Arc::clone(&self.newest_filter);
        self.filter
            .put(Job::new(ticket, Reply::Hits(Vec::new()), move || {
                let stop = || newest.load(Ordering::Relaxed) != ticket.0;
                Reply::Hits(answers::filter(&rows.0, &text, &stop))
            }));
    }
}

impl Drop for Worker {
    /// A replay never outlives the console: it is stopped, what it has done is kept, and its lane is waited for.
    /// So is the lane of what writes, where the console ends because its terminal is gone.
    fn drop(&mut self) {
        self.cancel.cancel();
        self.writing.cancel();
    }
}

/// What is said when a lane met a mistake of relight's own.
fn mistake() -> Trouble {
    Trouble {
        text: "relight made a mistake while reading this; nothing was changed.".into(),
        hints: vec!["The same command on the command line may say more.".into()],
    }
}

/// Answers an effect at once, for tests; gives back one that is the terminal's.
#[cfg(test)]
#[expect(
    clippy::result_large_err,
    reason = "an effect is given back, not a failure"
)]
pub(super) fn answer_now(source: &Arc<dyn Source>, effect: Effect) -> Result<Vec<Msg>, Effect> {
    let source = Arc::clone(source);
    match effect {
        Effect::Survey(ticket, request) => {
            let (out, found) = std::sync::mpsc::channel();
            let reply = answers::survey(source.as_ref(), ticket, &request, &out);
            drop(out);
            Ok(found
                .into_iter()
                .chain([Msg::Reply(ticket, reply)])
                .collect())
        }
        Effect::Dossier { ticket, id, .. } => {
            let dossier = source.dossier(&id);
            Ok(vec![Msg::Reply(ticket, Reply::Dossier(id, dossier))])
        }
        Effect::Filter(ticket, rows, text) => {
            let hits = answers::filter(&rows.0, &text, &|| false);
            Ok(vec![Msg::Reply(ticket, Reply::Hits(hits))])
        }
        Effect::Watch(_) => Ok(Vec::new()),
        Effect::CarryOut { .. }
        | Effect::Settle { .. }
        | Effect::Purge(..)
        | Effect::Rehearse(..)
        | Effect::Replay { .. }
        | Effect::ReplayContinue { .. } => {
            let (out, told) = std::sync::mpsc::channel();
            let job = match effect {
                Effect::Rehearse(..) => acting::rehearsing(source, effect, &out),
                Effect::Replay { .. } | Effect::ReplayContinue { .. } => {
                    replaying::job(source, effect, &out)
                }
                effect => acting::writing(source, effect, &out),
            };
            let answer = job.map(lanes::Job::answer);
            drop(out);
            Ok(told.into_iter().chain(answer).collect())
        }
        effect => match answers::reading(source, effect.clone()) {
            Some(job) => Ok(vec![job.answer()]),
            None => Err(effect),
        },
    }
}
