//! Everything the console knows. Plain data: only [`super::update`] changes it, only [`super::view`] shows it.

pub mod acting;
pub mod browser;
pub mod compare;
pub mod comparison;
pub mod cursor;
pub mod field;
pub mod handoff;
pub mod layer;
pub mod new_replay;
pub mod pipeline;
pub mod plan;
pub mod question;
pub mod recoveries;
pub mod replay_plan;
pub mod replaying;
pub mod replays;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use self::browser::Browser;
use self::layer::Layer;
use super::commands::{Context, Keymap};
use super::data::{Dossier, Load, Request};
use super::geometry::{Geometry, ListId};
use super::msg::Ticket;
use super::theme::Theme;
use crate::model::{Clean, Fingerprint, PipelineId, PointId, Recovery, RecoveryId, Rehearsal};

/// Lines of the log that are kept.
const LOG: usize = 500;

/// A line of the status row: what the last key led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Whether it explains why something did not happen.
    pub refusal: bool,
    /// The sentence.
    pub text: Clean,
}

/// The console.
#[derive(Debug)]
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
    /// The list of pipelines, always at the bottom.
    pub browser: Browser,
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
    /// Pending ones that the person has seen; they are not put in the way twice.
    pub seen: BTreeSet<RecoveryId>,
    /// What was rehearsed last at a point: of which plan, and what it came to.
    pub rehearsals: BTreeMap<(PipelineId, PointId), (Fingerprint, Arc<Rehearsal>)>,
    /// The replay that was begun last, until its end was seen.
    pub replaying: Option<replaying::Replaying>,
    /// Whether every plan wants `yes` typed, not only a destructive one.
    pub always_typed: bool,
    /// Screens and dialogs on top, the topmost last.
    pub layers: Vec<Layer>,
    /// What the last key led to.
    pub word: Option<Word>,
    /// What the console has done, newest first.
    pub log: VecDeque<(DateTime<FixedOffset>, Clean)>,
    /// Where the last drawing put things.
    pub geometry: Geometry,
    /// Counts ticks while something is awaited.
    pub beat: usize,
    /// What is said on the terminal once the console has left it.
    pub last_words: Option<Clean>,
    /// The number of the last request.
    last_ticket: u64,
}

impl State {
    /// A console that has asked nothing yet.
    pub fn new(now: DateTime<FixedOffset>, request: Request, theme: Theme, keymap: Keymap) -> Self {
        Self {
            now,
            size: (80, 24),
            theme,
            keymap,
            mouse: false,
            browser: Browser {
                request,
                ..Browser::default()
            },
            dossiers: BTreeMap::new(),
            reading: BTreeMap::new(),
            preview: None,
            pending: Vec::new(),
            pending_ticket: None,
            seen: BTreeSet::new(),
            rehearsals: BTreeMap::new(),
            replaying: None,
            always_typed: false,
            layers: Vec::new(),
            word: None,
            log: VecDeque::new(),
            geometry: Geometry::default(),
            beat: 0,
            last_words: None,
            last_ticket: 0,
        }
    }

    /// The number of a new request.
    pub fn ticket(&mut self) -> Ticket {
        self.last_ticket += 1;
        Ticket(self.last_ticket)
    }

    /// Where keys are looked for now.
    pub fn contexts(&self) -> &'static [Context] {
        match self.layers.last() {
            None => &[Context::Browser, Context::Everywhere],
            Some(layer) => layer.contexts(),
        }
    }

    /// The list that moving moves in.
    pub fn list(&self) -> ListId {
        self.layers.last().map_or(ListId::Browser, Layer::list)
    }

    /// Puts a layer on top; its list begins unscrolled.
    pub fn push(&mut self, layer: Layer) {
        if let Layer::Pipeline(_) = layer {
            for pane in pipeline::Pane::ALL {
                self.geometry.forget(pane.list());
            }
        }
        if let Layer::Comparison(_) = layer {
            for tab in comparison::Tab::ALL {
                self.geometry.forget(tab.list());
            }
        }
        self.geometry.forget(layer.list());
        self.layers.push(layer);
    }

    /// The pipeline that the top screen is about, or the selected one.
    pub fn subject(&self) -> Option<PipelineId> {
        let of = |layer: &Layer| match layer {
            Layer::Pipeline(screen) => Some(screen.id.clone()),
            Layer::Picker(picker) => Some(picker.id.clone()),
            Layer::Plan(screen) => Some(screen.id().clone()),
            Layer::Handoff(screen) => Some(screen.pipeline.clone()),
            Layer::Outcome(screen) => screen.pipeline.clone(),
            Layer::Recoveries(screen) => screen.selected().map(|row| row.pipeline.clone()),
            Layer::Replays(screen) => Some(screen.id.clone()),
            Layer::NewReplay(screen) => Some(screen.id.clone()),
            Layer::ReplayPlan(screen) => Some(screen.id.clone()),
            Layer::Operands(screen) => Some(screen.id.clone()),
            Layer::Comparison(screen) => Some(screen.id.clone()),
            Layer::Replaying(_) => self.replaying.as_ref().map(|one| one.id.clone()),
            Layer::Conflict(_)
            | Layer::Diff(_)
            | Layer::Rehearsal(_)
            | Layer::Pending(_)
            | Layer::Question(_)
            | Layer::Progress(_)
            | Layer::Detail(_)
            | Layer::Help(_)
            | Layer::Palette(_)
            | Layer::Log(_)
            | Layer::Notice(_) => None,
        };
        let top = self.layers.iter().rev().find_map(of);
        top.or_else(|| self.browser.selected().map(|row| row.pipeline.id.clone()))
    }

    /// A dossier, if it was read.
    pub fn dossier(&self, id: &PipelineId) -> Option<&Arc<Dossier>> {
        self.dossiers.get(id).and_then(Load::ready)
    }

    /// True while an answer is awaited, so that ticks are worth having.
    pub fn busy(&self) -> bool {
        self.browser.ticket.is_some()
            || !self.reading.is_empty()
            || self.preview.is_some()
            || self.is_replaying()
            || self.layers.iter().any(|layer| layer_waits(layer, self.now))
    }

    /// True while something is being written: it is not interrupted, and the console does not end.
    pub fn is_writing(&self) -> bool {
        self.layers
            .iter()
            .any(|layer| matches!(layer, Layer::Progress(_)))
    }

    /// True while a replay runs that was begun here: it goes on wherever the person is.
    pub fn is_replaying(&self) -> bool {
        let going = |replaying: &replaying::Replaying| replaying.is_going();
        self.replaying.as_ref().is_some_and(going)
    }

    /// Says what the last key led to.
    pub fn say(&mut self, text: Clean) {
        self.word = Some(Word {
            refusal: false,
            text,
        });
    }

    /// Says why the last key led to nothing.
    pub fn refuse(&mut self, text: Clean) {
        self.word = Some(Word {
            refusal: true,
            text,
        });
    }

    /// Writes a line into the log.
    pub fn note(&mut self, text: Clean) {
        self.log.push_front((self.now, text));
        self.log.truncate(LOG);
    }
}

fn layer_waits(layer: &Layer, now: DateTime<FixedOffset>) -> bool {
    match layer {
        Layer::Pipeline(screen) => {
            screen.drifts.ticket.is_some()
                || screen.timeline.filtering.is_some()
                || screen.timeline.seeking.is_some()
        }
        Layer::Plan(screen) => screen.ticket.is_some(),
        Layer::Diff(screen) => screen.ticket.is_some(),
        Layer::Detail(detail) => detail.ticket.is_some(),
        Layer::Recoveries(screen) => screen.ticket.is_some(),
        Layer::Rehearsal(screen) => screen.ticket.is_some(),
        Layer::Outcome(screen) => screen.ticket.is_some(),
        Layer::Handoff(screen) => {
            let eager = |watching: &handoff::Watching| watching.is_eager(now);
            screen.ticket.is_some() || screen.watching.as_ref().is_some_and(eager)
        }
        Layer::Replays(screen) => screen.ticket.is_some(),
        Layer::NewReplay(screen) => screen.ticket.is_some(),
        Layer::ReplayPlan(screen) => screen.ticket.is_some(),
        Layer::Operands(screen) => screen.ticket.is_some(),
        Layer::Comparison(screen) => screen.ticket.is_some(),
        Layer::Progress(_) => true,
        Layer::Picker(_)
        | Layer::Conflict(_)
        | Layer::Replaying(_)
        | Layer::Pending(_)
        | Layer::Question(_)
        | Layer::Help(_)
        | Layer::Palette(_)
        | Layer::Log(_)
        | Layer::Notice(_) => false,
    }
}
