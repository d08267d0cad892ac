//! The state of the console. Plain data: only [`super::update`] changes it, only [`super::view`] shows it.

pub mod cursor;
pub mod field;
pub mod marks;

use std::collections::VecDeque;

use crate::model::{Fingerprint, FoundBy};
use crate::tui::commands;
use crate::tui::geometry::Geometry;
use crate::tui::prelude::*;
use crate::tui::screens::Layers;
use crate::tui::screens::browser::{Browser, BrowserScreen};
use crate::tui::screens::progress::Progress;
use crate::tui::screens::replaying::Replaying;
use crate::tui::theme::Theme;

/// Lines of the log that are kept.
const LOG: usize = 500;

/// Requests whose time is remembered: far more than are ever under way.
const REMEMBERED: usize = 64;

/// After this time a person may have looked away from a screen.
const LONG: TimeDelta = TimeDelta::seconds(10);

/// A line of the status row: the message of the last key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Whether it explains why something did not happen.
    pub refusal: bool,
    /// The sentence.
    pub text: Clean,
}

/// What was requested of the worker and the terminal since the last message was taken, and when.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    now: DateTime<FixedOffset>,
    list: Vec<Effect>,
    last_ticket: u64,
    asked_at: VecDeque<(Ticket, DateTime<FixedOffset>)>,
}

impl Effects {
    /// The number of a new request.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket += 1;
        let ticket = Ticket(self.last_ticket);
        self.asked_at.push_back((ticket, self.now));
        if self.asked_at.len() > REMEMBERED {
            self.asked_at.pop_front();
        }
        ticket
    }

    /// Asks the worker; its reply carries the ticket.
    pub(crate) fn ask(&mut self, query: Query) -> Ticket {
        let ticket = self.ticket();
        self.push(Effect::Ask(ticket, query));
        ticket
    }

    pub(crate) fn push(&mut self, effect: Effect) {
        self.list.push(effect);
    }

    /// What was requested since this was called last.
    pub(crate) fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.list)
    }

    /// When a request was made, if that is not too many requests ago.
    pub(crate) fn asked_at(&self, ticket: Ticket) -> Option<DateTime<FixedOffset>> {
        let mut asked = self.asked_at.iter();
        asked.find_map(|(one, at)| (*one == ticket).then_some(*at))
    }
}

/// Puts something into a set, or takes it out. True if that changed the set.
pub(crate) fn switch<K: Ord>(set: &mut BTreeSet<K>, key: K, on: bool) -> bool {
    if on {
        set.insert(key)
    } else {
        set.remove(&key)
    }
}

/// The console.
#[derive(Debug, Default)]
pub struct State {
    /// The clock, as the last tick gave it.
    pub now: DateTime<FixedOffset>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// How roles look.
    pub theme: Theme,
    /// What keys mean.
    pub keymap: Keymap,
    /// Whether the console has the mouse.
    pub mouse: bool,
    /// The list whose scrollbar the mouse holds.
    pub held: Option<ListId>,
    /// The list of pipelines, always at the bottom.
    pub(crate) browser: Browser,
    /// Dossiers that were read, by pipeline.
    pub dossiers: BTreeMap<PipelineId, Load<Dossier>>,
    /// Dossiers under way.
    pub reading: BTreeMap<Ticket, PipelineId>,
    /// The preview under way: a newer one takes its place.
    pub preview: Option<(Ticket, PipelineId)>,
    /// What a crash left pending in the scope, newest first.
    pub pending: Vec<Recovery>,
    /// The look for it that is under way.
    pub pending_ticket: Option<Ticket>,
    /// Pending ones that the person has seen; their dialog opens only once.
    pub seen: BTreeSet<RecoveryId>,
    /// The last rehearsal of each point: its plan and its result.
    pub rehearsals: BTreeMap<(PipelineId, PointId), (Fingerprint, Arc<Rehearsal>)>,
    /// The replay that was begun last, until its end was seen.
    pub(crate) replaying: Option<Replaying>,
    /// Whether every plan wants `yes` typed, not only a destructive one.
    pub always_typed: bool,
    /// Whether commands that write or start something are refused.
    pub read_only: bool,
    /// Screens and dialogs on top, the topmost last.
    pub(crate) layers: Layers,
    /// The message of the last key.
    pub word: Option<Word>,
    /// What the console has done, newest first.
    pub log: VecDeque<(DateTime<FixedOffset>, Clean)>,
    /// What is requested of the worker and the terminal.
    pub(crate) effects: Effects,
    /// Where the last drawing put things.
    pub geometry: Geometry,
    /// Counts the lines that were typed in the plain console.
    pub heard: u64,
    /// Which of them completed a path, that the next one continues.
    pub completed: Option<u64>,
    /// What took longer than this announces its end. Zero where nothing is drawn.
    pub looks_away_after: TimeDelta,
    /// Counts ticks while something is awaited.
    pub beat: usize,
    /// What commands need to find what is shown from the current directory.
    pub(crate) found_by: FoundBy,
    /// How the console ends.
    pub left: Left,
}

/// How the console ended.
#[derive(Debug, Default)]
pub struct Left {
    /// The message on the terminal afterwards, if any.
    pub words: Option<Clean>,
    /// Whether a signal ended it, and not the person.
    pub interrupted: bool,
}

impl State {
    /// Takes where things are on the screen that was just drawn: what is on top has been seen.
    pub(crate) fn drawn(&mut self, geometry: Geometry) {
        self.geometry = geometry;
        if let Some(question) = self.layers.top_mut::<Question>() {
            question.seen = true;
        }
    }

    /// A console that has asked nothing yet.
    pub fn new(now: DateTime<FixedOffset>, request: Request, theme: Theme, keymap: Keymap) -> Self {
        Self {
            now,
            found_by: FoundBy::of(&request),
            looks_away_after: LONG,
            size: (80, 24),
            theme,
            keymap,
            browser: Browser {
                request,
                ..Browser::default()
            },
            effects: Effects {
                now,
                ..Effects::default()
            },
            ..Self::default()
        }
    }

    /// Sets the clock.
    pub(crate) fn set_clock(&mut self, now: DateTime<FixedOffset>) {
        self.now = now;
        self.effects.now = now;
    }

    /// Notifies the person of the end of something that took long.
    pub(crate) fn notify(&mut self, since: DateTime<FixedOffset>, text: &'static str) {
        if self.now - since >= self.looks_away_after {
            self.effects.push(Effect::Notify(text));
        }
    }

    /// The options with which a command without an id means what is listed here.
    pub(crate) fn scope(&self) -> String {
        self.found_by.scope(self.browser.request.scope)
    }

    /// The topmost screen; the list of pipelines is below all others.
    pub(crate) fn top(&self) -> &dyn Screen {
        self.layers.last().unwrap_or(&BrowserScreen)
    }

    /// The screen that Esc leads back to.
    pub(crate) fn below(&self) -> &dyn Screen {
        self.layers.iter().rev().nth(1).unwrap_or(&BrowserScreen)
    }

    /// A sentence with the keys of this screen, or else of the one that Esc leads back to.
    pub(crate) fn keyed(&self, text: &Foreign) -> Clean {
        let text = commands::keyed_on(&self.keymap, &text.clean(), self.top());
        commands::keyed_below(&self.keymap, &text, self.below())
    }

    /// What a person presses for an operation here, else on the nearest screen below that has it.
    pub(crate) fn key(&self, cmd: Cmd) -> Clean {
        let layers = self.layers.iter().rev();
        let screens = layers.chain([&BrowserScreen as &dyn Screen]);
        let contexts = screens.flat_map(|screen| screen.profile().context.chain());
        self.keymap.name(cmd, contexts)
    }

    /// A sentence with the key of an operation in the place of `{}`.
    pub(crate) fn with_key(&self, cmd: Cmd, sentence: &'static str) -> Clean {
        Clean::new(sentence).replace("{}", &self.key(cmd))
    }

    /// The contexts in which keys are looked up now.
    pub(crate) fn contexts(&self) -> Vec<Context> {
        self.top().profile().context.chain()
    }

    /// Puts a screen on top; its lists start unscrolled.
    pub(crate) fn push(&mut self, screen: impl Screen) {
        for list in screen.lists() {
            self.geometry.forget(list);
        }
        self.layers.push(Box::new(screen));
    }

    /// Shows a difference as the engine's answer would, in the place of one that is open. For what measures the screen.
    pub fn show_difference(
        &mut self,
        comparison: Arc<Comparison>,
        what: Compared,
        answer: (Foreign, Diff),
    ) {
        let mut screen = DiffScreen::new(DiffSource::Comparison { comparison, what });
        screen.take(Ok(answer), self.size.0);
        drop(self.layers.take::<DiffScreen>(|_| true));
        self.push(screen);
    }

    /// The pipeline that the topmost screen is about, or the selected one.
    pub(crate) fn subject(&self) -> Option<PipelineId> {
        let mut layers = self.layers.iter().rev();
        let top = layers.find_map(|screen| screen.subject(self));
        top.or_else(|| BrowserScreen.subject(self))
    }

    /// A dossier, if it was read.
    pub fn dossier(&self, id: &PipelineId) -> Option<&Arc<Dossier>> {
        self.dossiers.get(id).and_then(Load::ready)
    }

    /// True while an answer is awaited, so that ticks are worth having.
    pub fn busy(&self) -> bool {
        self.awaits_answers() || self.is_replaying()
    }

    /// True while an answer is awaited that belongs to what is shown.
    pub(crate) fn awaits_answers(&self) -> bool {
        self.browser.ticket.is_some()
            || !self.reading.is_empty()
            || self.preview.is_some()
            // Whom a pipeline waits for is known only when it is verified.
            || (self.layers.is_empty() && self.browser.verifying)
            || self.layers.iter().any(|screen| screen.is_waiting(self.now))
    }

    /// True while something is being written: it is not interrupted, and the console does not end.
    pub fn is_writing(&self) -> bool {
        self.layers.all::<Progress>().next().is_some()
    }

    /// True while a replay runs that was started here: it continues on every screen.
    pub fn is_replaying(&self) -> bool {
        let going = |replaying: &Replaying| replaying.is_going();
        self.replaying.as_ref().is_some_and(going)
    }

    /// Shows a message of the last key.
    pub fn say(&mut self, text: impl Into<Clean>) {
        self.word = Some(Word {
            refusal: false,
            text: text.into(),
        });
    }

    /// Shows why the last key did nothing.
    pub fn refuse(&mut self, text: impl Into<Clean>) {
        self.word = Some(Word {
            refusal: true,
            text: text.into(),
        });
    }

    /// Shows why the last key did nothing, and the key that does something: `{}` in the sentence.
    pub(crate) fn refuse_with(&mut self, cmd: Cmd, sentence: &'static str) {
        self.refuse(self.with_key(cmd, sentence));
    }

    /// What was asked for; a failure is written into the log.
    pub(crate) fn load<T>(&mut self, result: Result<T>) -> Load<T> {
        if let Err(trouble) = &result {
            self.note(trouble.text.clean());
        }
        result.into()
    }

    /// Writes a line into the log.
    pub fn note(&mut self, text: impl Into<Clean>) {
        self.log.push_front((self.now, text.into()));
        self.log.truncate(LOG);
    }
}
