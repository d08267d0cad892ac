//! The screens and dialogs of the console. Each is a file that describes and draws it; a large one has its state, its
//! commands and its parts in a folder of the same name.
//!
//! A new screen is a type that implements [`Screen`], its `mod` line here, and its keys in [`KEYS`]. The list of
//! pipelines is always at the bottom; every other screen is on the stack of [`Layers`].

pub(crate) mod amendment;
pub(crate) mod batch;
pub(crate) mod browser;
pub(crate) mod comparison;
pub(crate) mod conflict;
pub(crate) mod detail;
pub(crate) mod diff;
pub(crate) mod handoff;
pub(crate) mod log;
pub(crate) mod menu;
pub(crate) mod new_replay;
pub(crate) mod notice;
pub(crate) mod operands;
pub(crate) mod outcome;
pub(crate) mod pending;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub(crate) mod points;
mod profile;
pub(crate) mod progress;
pub(crate) mod question;
pub(crate) mod recoveries;
pub(crate) mod rehearsal;
pub(crate) mod replay_plan;
pub(crate) mod replaying;
pub(crate) mod replays;

use std::any::Any;
use std::fmt;

use crate::tui::prelude::*;

pub(crate) use profile::Profile;

/// The keys of every screen, in the order of the table. Where two commands want a key, the earlier one gets it.
pub(crate) const KEYS: &[&[Command]] = &[
    browser::KEYS,
    batch::KEYS,
    pipeline::KEYS,
    detail::KEYS,
    points::KEYS,
    amendment::KEYS,
    plan::KEYS,
    recoveries::KEYS,
    pending::KEYS,
    outcome::KEYS,
    handoff::KEYS,
    replays::KEYS,
    new_replay::KEYS,
    replay_plan::KEYS,
    conflict::KEYS,
    replaying::KEYS,
    operands::KEYS,
    comparison::KEYS,
    diff::KEYS,
    log::KEYS,
];

/// What a command does. A function of the whole console, because a command may open and close screens.
pub(crate) type Run = fn(&mut State, Cmd);

/// A change of the state that no command causes.
pub(crate) type Follow = fn(&mut State);

/// What the movement keys move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// Nothing.
    Fixed,
    /// The first line of a text.
    Text(usize),
    /// The selection in a list of this many rows.
    Row { at: usize, of: usize },
}

impl Position {
    /// The selection at a row, if there is one.
    pub(crate) fn row(at: Option<usize>, of: usize) -> Self {
        at.map_or(Self::Fixed, |at| Self::Row { at, of })
    }
}

/// One screen or dialog. The defaults are right for a dialog that only shows text.
pub(crate) trait Screen: Any + fmt::Debug {
    /// What it is.
    fn profile(&self) -> Profile<'_>;

    /// Its name in the title bar.
    fn name(&self) -> &'static str {
        self.profile().name
    }

    /// The list that moving moves in.
    fn list(&self) -> ListId {
        ListId::of::<Self>()
    }

    /// All its lists; they start unscrolled when it opens.
    fn lists(&self) -> Vec<ListId> {
        vec![self.list()]
    }

    /// Focuses one of its lists.
    fn focus(&mut self, _list: ListId) {}

    /// Scrolls the part next to its lists, for this screen width. False if the wheel should act like the movement keys.
    fn wheel(&mut self, _list: ListId, _rows: isize, _width: u16, _page: Page) -> bool {
        false
    }

    /// Handles a click on a row. False if a click should select the row, and a second one open it.
    fn press(&mut self, _list: ListId, _row: usize) -> bool {
        false
    }

    /// Draws it.
    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect);

    /// True for a screen that hides what is below; false for a dialog.
    fn fills(&self) -> bool {
        self.profile().fills
    }

    /// The pipeline it is about.
    fn subject(&self, _state: &State) -> Option<PipelineId> {
        self.profile().subject.cloned()
    }

    /// Whether the title bar names its pipeline.
    fn names_subject(&self) -> bool {
        true
    }

    /// Whether it shows the dossier of its pipeline, which is then read again after it was dropped.
    fn shows_dossier(&self) -> bool {
        false
    }

    /// Its part of the title bar; `current` while no other screen covers it.
    fn crumb(&self, current: bool) -> Option<Bits> {
        let profile = self.profile();
        let named = profile.fills && (current || !profile.named_on_top);
        named.then(|| Bits::of(Role::Text, profile.name))
    }

    /// True while a reply is pending that changes what it shows.
    fn is_waiting(&self, _now: DateTime<FixedOffset>) -> bool {
        self.profile().awaits.is_some()
    }

    /// Whether the footer offers a command now.
    fn offers(&self, _state: &State, _cmd: Cmd) -> bool {
        true
    }

    /// What the movement keys move; by default the text of the screen.
    fn position(&self, state: &State) -> Position {
        Position::Text(state.geometry.page_of(self.list()).first)
    }

    /// Goes to a row, or to a first line. It is not on the stack meanwhile.
    fn go(&mut self, to: usize, state: &mut State) {
        state.geometry.scroll(self.list(), to);
    }

    /// Moves. It is not on the stack meanwhile.
    fn travel(&mut self, motion: Motion, page: Page, state: &mut State) {
        let to = match self.position(state) {
            Position::Fixed => return,
            // A text can be scrolled until its last line is the last on the screen.
            Position::Text(top) => {
                motion.from(top, (page.total + 1).saturating_sub(page.height), page)
            }
            Position::Row { at, of } => motion.from(at, of, page),
        };
        self.go(to, state);
    }

    /// What `y` copies, or why nothing is copied.
    fn copyable(&self, _state: &State) -> Result<Clean, &'static str> {
        Err(NOTHING)
    }

    /// What copying copies, where it matters so much that the footer says it.
    fn copies(&self) -> Option<&'static str> {
        None
    }

    /// The file that `o` opens.
    fn origin(&self, _state: &State) -> Option<Origin> {
        None
    }

    /// The text field that letters go to while it is open.
    fn field(&mut self) -> Option<&mut Field> {
        None
    }

    /// What follows when the text in the field changed.
    fn field_changed(&self) -> Follow {
        |_| {}
    }

    /// What Tab does in its open field.
    fn tab(&self) -> Follow {
        |_| {}
    }

    /// Its filter or search with a note, for the status line.
    fn filter(&self) -> Option<(&Field, Clean)> {
        None
    }

    /// The keys in the footer while letters go to a field; nothing where the screen prints its own.
    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        None
    }

    /// Undoes one thing before closing, such as a filter. False if the screen should close.
    fn step_back(&mut self) -> bool {
        false
    }

    /// What is reported when it closes before its work is done.
    fn parting(&self, _state: &State) -> Option<Clean> {
        None
    }

    /// Values for the words of a command line, such as `POINT`.
    fn command_words(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// The screens and dialogs on top of the list of pipelines, the topmost last.
#[derive(Debug, Default)]
pub(crate) struct Layers(Vec<Box<dyn Screen>>);

impl Layers {
    pub(crate) fn push(&mut self, screen: Box<dyn Screen>) {
        self.0.push(screen);
    }

    pub(crate) fn pop(&mut self) -> Option<Box<dyn Screen>> {
        self.0.pop()
    }

    /// The index of the matching screen of a type.
    fn place<S: Screen>(&self, fits: impl Fn(&S) -> bool) -> Option<usize> {
        self.iter()
            .position(|screen| seen::<S>(screen).is_some_and(&fits))
    }

    /// Removes the matching screen of a type, wherever it is.
    pub(crate) fn take<S: Screen>(&mut self, fits: impl Fn(&S) -> bool) -> Option<Box<S>> {
        let place = self.place(fits)?;
        let screen: Box<dyn Any> = self.0.remove(place);
        screen.downcast().ok()
    }

    /// Closes everything above the matching screen of a type. False if there is none.
    pub(crate) fn back_to<S: Screen>(&mut self, fits: impl Fn(&S) -> bool) -> bool {
        let place = self.place(fits);
        self.0
            .truncate(place.map_or(self.0.len(), |place| place + 1));
        place.is_some()
    }

    /// Closes everything from the first screen of a type on.
    pub(crate) fn close_from<S: Screen>(&mut self) {
        if self.back_to(|_: &S| true) {
            self.0.pop();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &dyn Screen> {
        self.0.iter().map(AsRef::as_ref)
    }

    pub(crate) fn last(&self) -> Option<&dyn Screen> {
        self.0.last().map(AsRef::as_ref)
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Box<dyn Screen>> {
        self.0.last_mut()
    }

    /// The topmost screen that hides what is below, by its place.
    pub(crate) fn base(&self) -> Option<usize> {
        self.0.iter().rposition(|screen| screen.fills())
    }

    /// The topmost screen, if it is of this type.
    pub(crate) fn top_as<S: Screen>(&self) -> Option<&S> {
        self.0.last().and_then(|screen| seen(screen.as_ref()))
    }

    /// The screen that Esc leads back to, if it is of this type.
    pub(crate) fn below_as<S: Screen>(&self) -> Option<&S> {
        seen(self.iter().rev().nth(1)?)
    }

    /// The topmost screen, to be changed.
    pub(crate) fn top_mut<S: Screen>(&mut self) -> Option<&mut S> {
        let screen: &mut dyn Any = self.0.last_mut()?.as_mut();
        screen.downcast_mut()
    }

    /// The screen that is visible, under dialogs perhaps, if it is of this type, to be changed.
    pub(crate) fn visible_mut<S: Screen>(&mut self) -> Option<&mut S> {
        let place = self.base()?;
        let screen: &mut dyn Any = self.0.get_mut(place)?.as_mut();
        screen.downcast_mut()
    }

    /// Whether the topmost screen is of this type.
    pub(crate) fn is_top<S: Screen>(&self) -> bool {
        self.top_as::<S>().is_some()
    }

    /// All screens of a type, from the bottom.
    pub(crate) fn all<S: Screen>(&self) -> impl DoubleEndedIterator<Item = &S> {
        self.iter().filter_map(seen)
    }

    /// The same, to be changed.
    pub(crate) fn all_mut<S: Screen>(&mut self) -> impl DoubleEndedIterator<Item = &mut S> {
        self.0.iter_mut().filter_map(|screen| {
            let screen: &mut dyn Any = screen.as_mut();
            screen.downcast_mut()
        })
    }

    /// The screen of a type that awaits this reply.
    pub(crate) fn awaiting<S: Screen>(&mut self, ticket: Ticket) -> Option<&mut S> {
        self.all_mut()
            .find(|screen: &&mut S| screen.profile().awaits == Some(ticket))
    }

    /// The topmost screen of a type.
    pub(crate) fn find_mut<S: Screen>(&mut self) -> Option<&mut S> {
        self.all_mut().next_back()
    }
}

fn seen<S: Screen>(screen: &dyn Screen) -> Option<&S> {
    let screen: &dyn Any = screen;
    screen.downcast_ref()
}
