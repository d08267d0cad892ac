//! The hand-off: how to resume the orchestrator, here or elsewhere; how a launch ended, and whether work has resumed.

mod update;

use crate::model::{Continuation, Next, StepMode};
use crate::tui::data::Watch;
use crate::tui::prelude::*;
use crate::tui::screens::browser;

pub(crate) use update::{
    NONE, launch, look, look_ahead, of_recovery, offer_conversation, open, planned, take,
};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Hand-off");

commands! {
    CopyPrompt, CopyBriefing, WatchRecords, CopyContinue,
}

commands! { acting: Launch, NextStep, AllSteps }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(CopyPrompt => "copy-prompt", CONTEXT, ["p"], "copy the prompt", "Copy the prompt to type once the orchestrator runs.", foot 3),
    row!(CopyBriefing => "copy-briefing", CONTEXT, ["b"], "copy the briefing", "Copy the whole briefing.", foot 4),
    row!(Launch => "launch", CONTEXT, ["A"], "launch here", "Ask whether to run the command here. The orchestrator has the terminal until it ends.", cli "relight resume PIPELINE --launch", foot 2),
    row!(CopyContinue => "copy-continue", CONTEXT, ["c"], "copy to continue", "Copy the command that continues the conversation instead of starting a new one.", foot 6),
    row!(WatchRecords => "watch", CONTEXT, ["w"], "watch", "Watch for the orchestrator's first new record, wherever it was started.", foot 5),
    row!(NextStep => "next-step", CONTEXT, ["n"], "next step", "Run the next step, after one has ended.", foot 0),
    row!(AllSteps => "all-steps", CONTEXT, ["N"], "until phase ends", "Run step after step until the phase ends; a gate or an error always pauses.", foot 1),
];

/// Why a void hand-off is neither copied nor launched.
pub(crate) const VOID: &str = "This hand-off is void: it is neither copied nor launched.";

/// How often the pipeline is checked for a new record.
const LOOK: TimeDelta = TimeDelta::seconds(1);

/// How long it is checked before the screen reports that there is none. Later changes on disk are still noticed.
const PATIENCE: TimeDelta = TimeDelta::seconds(60);

impl Screen for HandoffScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("hand-off", CONTEXT)
            .ends_with_plan()
            .runs(update::run)
            .awaits(self.ticket)
            .about(&self.pipeline)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let inside = indented(area);
        let mut page = TextPage::of(inside);
        if let Some(why) = &self.void {
            page.signed(Role::Bad, "✗ ", why.clone());
        }
        for text in &self.before {
            let (sign, role) = if self.premature {
                ("! ", Role::Warn)
            } else {
                ("· ", Role::Accent)
            };
            page.signed(role, sign, text.clone());
        }
        launched(canvas, self, &mut page);
        if !page.lines.is_empty() {
            page.blank();
        }
        page.line(Bits::of(Role::Title, "How the orchestrator resumes"));
        page.facts(&facts(canvas.state, self));
        if let Some(limit) = self.handoff.limit(canvas.state.now) {
            page.signed(Role::Warn, "! ", limit);
        }
        if let Some(other) = &self.other {
            continuation(canvas.state, other, &mut page);
        }
        if !self.handoff.briefing.is_empty() {
            page.heading("Briefing");
            for line in self.handoff.briefing.lines() {
                page.signed(Role::Dim, "│ ", line.verbatim());
            }
        }
        page.draw(canvas, inside, ListId::of::<Self>());
    }

    fn is_waiting(&self, now: DateTime<FixedOffset>) -> bool {
        let eager = |watching: &Watching| watching.is_eager(now);
        self.ticket.is_some() || self.watching.as_ref().is_some_and(eager)
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        match cmd {
            Cmd::Copy | Cmd::CopyPrompt | Cmd::CopyBriefing | Cmd::Launch | Cmd::WatchRecords
                if self.void.is_some() =>
            {
                false
            }
            Cmd::NextStep | Cmd::AllSteps => self.next() == Some(Next::Ask),
            Cmd::Launch => !self.premature && self.handoff.command_line().is_some(),
            Cmd::WatchRecords => !self.premature,
            Cmd::CopyPrompt => !self.handoff.prompt.is_empty(),
            Cmd::CopyContinue => self.other.is_some(),
            Cmd::CopyBriefing => !self.handoff.briefing.is_empty(),
            _ => true,
        }
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        if self.void.is_some() {
            return Err(VOID);
        }
        self.handoff.command_line().ok_or(UNSAFE)
    }

    fn copies(&self) -> Option<&'static str> {
        let line = self.handoff.command_line();
        line.is_some().then_some("copy the command")
    }
}

/// The alternative: the conversation that stopped.
fn continuation(state: &State, other: &Continuation, page: &mut TextPage) {
    let Some(line) = other.resume.line() else {
        return;
    };
    page.heading("Or continue the conversation");
    let mut facts = vec![
        Fact::new("run", Role::Accent, line),
        Fact::new(
            "",
            Role::Dim,
            state.with_key(Cmd::CopyContinue, "{} copies it."),
        ),
    ];
    let sentences = other.sentences(state.now).into_iter();
    facts.extend(sentences.map(|text| Fact::text("", text)));
    page.facts(&facts);
}

/// Where to run what, and what to type then.
fn facts(state: &State, screen: &HandoffScreen) -> Vec<Fact> {
    let handoff = &screen.handoff;
    let mut facts = vec![Fact::file("directory", Role::Text, &handoff.cwd)];
    match handoff.command_line() {
        Some(line) => {
            facts.push(Fact::new("run", Role::Accent, line));
            if screen.void.is_none() {
                let copy = state.key(Cmd::Copy);
                let keys = if screen.premature {
                    clean!("{} copies it.", copy)
                } else {
                    clean!(
                        "{} copies it; {} runs it here.",
                        copy,
                        state.key(Cmd::Launch)
                    )
                };
                facts.push(Fact::new("", Role::Dim, keys));
            }
        }
        None if handoff.argv.is_empty() => {
            let text = "No command: type the prompt where the orchestrator runs.";
            facts.push(Fact::new("run", Role::Dim, text));
        }
        None => {
            let why = "It contains control or invisible characters, so it is neither copied nor launched:";
            facts.push(Fact::new("run", Role::Warn, why));
            let words = handoff.argv.iter();
            facts.extend(words.map(|word| Fact::text("", word)));
        }
    }
    // The prompt is the last argument of the command.
    if handoff.argv.last() != Some(&handoff.prompt) && !handoff.prompt.is_empty() {
        for (place, line) in handoff.prompt.lines().enumerate() {
            let label = if place == 0 { "prompt" } else { "" };
            facts.push(Fact::text(label, line.verbatim()));
        }
    }
    facts
}

/// How a launch ended, and whether work has resumed.
fn launched(canvas: &Canvas<'_>, screen: &HandoffScreen, page: &mut TextPage) {
    if let Some(trouble) = &screen.trouble {
        page.problem(Role::Text, trouble);
    }
    if let Some(ended) = &screen.ended {
        page.signed(Role::Accent, "· ", ended.clone());
    }
    let Some(watching) = &screen.watching else {
        return;
    };
    if let Some(trouble) = &watching.trouble {
        page.problem(Role::Text, trouble);
    }
    match &watching.seen {
        Resumed::Yes { text, origin, .. } => {
            let place = match origin.line {
                Some(line) => clean!("{} ({}, line {})", text, origin.file, line),
                None => clean!("{} ({})", text, origin.file),
            };
            page.signed(Role::Good, "✓ resumed: ", place);
            next(canvas.state, screen, page);
        }
        Resumed::No if watching.is_eager(canvas.state.now) && screen.ended.is_some() => {
            let text = canvas.state.with_key(Cmd::Launch, "It left no new record: {} launches it again. Still waiting for the orchestrator's first record.");
            page.signed(Role::Warn, "! ", text);
        }
        Resumed::No if watching.is_eager(canvas.state.now) => {
            let text = " waiting for the orchestrator's first new record …";
            let spinner = look::spinner(canvas.state.beat);
            page.line(Bits::of(Role::Accent, spinner).dim(text));
        }
        Resumed::No => {
            let text = clean!(
                "No new record from the orchestrator in the last minute. The restored files are unchanged; {} in the list can undo the recovery. Still watching.",
                canvas
                    .state
                    .keymap
                    .name(Cmd::Recoveries, [browser::CONTEXT])
            );
            page.signed(Role::Warn, "! ", text);
        }
    }
}

/// What may follow after a step.
fn next(state: &State, screen: &HandoffScreen, page: &mut TextPage) {
    match screen.next() {
        Some(Next::Ask) => {
            let keys = [Cmd::NextStep, Cmd::AllSteps, Cmd::Back].map(|cmd| state.key(cmd));
            let [one, all, back] = keys;
            let text = clean!(
                "A step has ended. {} runs the next, {} runs until the phase ends, {} pauses here.",
                one,
                all,
                back
            );
            page.signed(Role::Accent, "? ", text);
        }
        Some(Next::Pause) => {
            let text = "Paused: a gate or an error needs a person.";
            page.signed(Role::Warn, "! ", text);
        }
        Some(Next::GoOn) | None => {}
    }
}

/// The card.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandoffScreen {
    /// The pipeline.
    pub(crate) pipeline: PipelineId,
    /// What is handed over.
    pub(crate) handoff: Handoff,
    /// What the person should know before.
    pub(crate) before: Vec<Clean>,
    /// Whether its plan was not applied: then it is only shown.
    pub(crate) premature: bool,
    /// Why it must not be followed any more: then it is only shown.
    pub(crate) void: Option<Clean>,
    /// The conversation that can be continued in its place.
    pub(crate) other: Option<Continuation>,
    /// The running launch, or the request for the hand-off of the next step.
    pub(crate) ticket: Option<Ticket>,
    /// How the last launch ended, in a sentence.
    pub(crate) ended: Option<Clean>,
    /// Why something could not be done.
    pub(crate) trouble: Option<EngineError>,
    /// Watching for the orchestrator's first new record.
    pub(crate) watching: Option<Watching>,
    /// How far a system that runs step by step may continue without asking.
    pub(crate) mode: StepMode,
}

/// Watching for the orchestrator's first new record.
#[derive(Debug, Clone)]
pub(crate) struct Watching {
    /// Where its records stood.
    pub(crate) watch: Watch,
    /// When watching began.
    pub(crate) since: DateTime<FixedOffset>,
    /// When it was looked last.
    pub(crate) looked: DateTime<FixedOffset>,
    /// The look under way.
    pub(crate) ticket: Option<Ticket>,
    /// What was seen.
    pub(crate) seen: Resumed,
    /// Why the last look failed.
    pub(crate) trouble: Option<EngineError>,
}

impl Watching {
    /// A watch that has seen this so far.
    pub(crate) fn new(watch: Watch, now: DateTime<FixedOffset>, seen: Resumed) -> Self {
        Self {
            watch,
            since: now,
            looked: now,
            ticket: None,
            seen,
            trouble: None,
        }
    }

    /// True while it is looked every second.
    pub(crate) fn is_eager(&self, now: DateTime<FixedOffset>) -> bool {
        self.seen == Resumed::No && now.signed_duration_since(self.since) < PATIENCE
    }

    /// True when it is time to look again; with `changed`, because something on disk did.
    pub(crate) fn is_due(&self, now: DateTime<FixedOffset>, changed: bool) -> bool {
        let rested = now.signed_duration_since(self.looked) >= LOOK;
        let wanted = changed || (rested && self.is_eager(now));
        self.seen == Resumed::No && self.ticket.is_none() && wanted
    }
}

impl HandoffScreen {
    /// The next action after this record of a step that was launched here; none for a system that does not run step
    /// by step.
    pub(crate) fn next(&self) -> Option<Next> {
        self.ended.as_ref()?;
        let seen = &self.watching.as_ref()?.seen;
        let Resumed::Yes { step, .. } = seen else {
            return None;
        };
        let stepwise = step.done || step.gate || step.error;
        stepwise.then(|| crate::model::after_step(self.mode, seen))
    }
}
