//! What can lie on top of the list of pipelines: screens and dialogs, one stack.

use super::acting::{OutcomeScreen, Progress, RehearsalScreen};
use super::compare::DiffScreen;
use super::comparison::ComparisonScreen;
use super::cursor::Cursor;
use super::field::Field;
use super::handoff::HandoffScreen;
use super::new_replay::NewReplay;
use super::pipeline::{Pane, PipelineScreen};
use super::plan::PlanScreen;
use super::question::Question;
use super::recoveries::{PendingScreen, RecoveriesScreen};
use super::replay_plan::{ConflictScreen, ReplayPlanScreen};
use super::replaying::ReplayingScreen;
use super::replays::{OperandsScreen, ReplaysScreen};
use crate::model::{Clean, Origin, PipelineId, PointId};
use crate::tui::commands::{Command, Context};
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::msg::Ticket;

/// One screen or dialog.
#[derive(Debug, Clone)]
pub enum Layer {
    /// A pipeline.
    Pipeline(PipelineScreen),
    /// Its resume points.
    Picker(Picker),
    /// A plan.
    Plan(PlanScreen),
    /// A comparison.
    Diff(DiffScreen),
    /// What has been carried out.
    Recoveries(RecoveriesScreen),
    /// How the orchestrator goes on.
    Handoff(HandoffScreen),
    /// A plan that is tried in a scratch folder.
    Rehearsal(RehearsalScreen),
    /// What a crash left pending.
    Pending(PendingScreen),
    /// A question before anything is written.
    Question(Question),
    /// Something that is being written.
    Progress(Progress),
    /// What came of it.
    Outcome(OutcomeScreen),
    /// Everything about one row.
    Detail(Detail),
    /// The keys of the screen beneath.
    Help(Menu),
    /// The commands of the screen beneath, to be run by name.
    Palette(Menu),
    /// What the console has done.
    Log(Scroll),
    /// Something that must be read.
    Notice(Notice),
    /// The replays of a pipeline.
    Replays(ReplaysScreen),
    /// What a new replay is to be.
    NewReplay(NewReplay),
    /// What a replay would do.
    ReplayPlan(ReplayPlanScreen),
    /// A conflict of that plan.
    Conflict(ConflictScreen),
    /// The replay that runs.
    Replaying(ReplayingScreen),
    /// What of a pipeline can be compared.
    Operands(OperandsScreen),
    /// Two runs side by side.
    Comparison(ComparisonScreen),
}

/// The resume points of a pipeline.
#[derive(Debug, Clone)]
pub struct Picker {
    /// Which pipeline.
    pub id: PipelineId,
    /// The selection; the recommended point at first.
    pub cursor: Cursor<PointId>,
}

/// Where a text is scrolled to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scroll {
    /// The first line that is seen.
    pub top: usize,
}

/// Everything about one row.
#[derive(Debug, Clone)]
pub struct Detail {
    /// What it is about.
    pub title: Clean,
    /// Its fields.
    pub facts: Vec<(&'static str, Clean)>,
    /// More lines, such as paths.
    pub list: Vec<Clean>,
    /// Where it was read.
    pub origin: Option<Origin>,
    /// The raw line or file, once it is there.
    pub raw: Load<Vec<Clean>>,
    /// The request under way.
    pub ticket: Option<Ticket>,
    /// Where it is scrolled to.
    pub scroll: Scroll,
    /// What `y` copies.
    pub copy: Clean,
}

/// A list of commands that a written text narrows.
#[derive(Debug, Clone)]
pub struct Menu {
    /// What was written.
    pub field: Field,
    /// Where the commands are heard.
    pub contexts: Vec<Context>,
    /// The commands that fit.
    pub rows: Vec<&'static Command>,
    /// The selected one.
    pub place: usize,
}

/// Something that must be read.
#[derive(Debug, Clone)]
pub struct Notice {
    /// The heading.
    pub title: Clean,
    /// What it says, a paragraph each.
    pub lines: Vec<Clean>,
    /// A command to copy.
    pub command: Option<Clean>,
}

impl Layer {
    /// Where its keys are looked for.
    pub fn contexts(&self) -> &'static [Context] {
        match self {
            Self::Pipeline(screen) if screen.pane == Pane::Timeline => {
                &[Context::Timeline, Context::Pipeline, Context::Everywhere]
            }
            Self::Pipeline(_) => &[Context::Pipeline, Context::Everywhere],
            Self::Picker(_) => &[Context::Picker, Context::Everywhere],
            Self::Plan(screen) if screen.is_record() => &[Context::Record, Context::Everywhere],
            Self::Plan(_) => &[Context::Plan, Context::Everywhere],
            Self::Diff(_) => &[Context::Diff, Context::Everywhere],
            Self::Recoveries(_) => &[Context::Recoveries, Context::Everywhere],
            Self::Handoff(_) => &[Context::Handoff, Context::Everywhere],
            Self::Pending(_) => &[Context::Pending, Context::Everywhere],
            Self::Outcome(_) => &[Context::Outcome, Context::Everywhere],
            Self::Replays(_) => &[Context::Replays, Context::Everywhere],
            Self::NewReplay(_) => &[Context::NewReplay, Context::Everywhere],
            Self::ReplayPlan(_) => &[Context::ReplayPlan, Context::Everywhere],
            Self::Conflict(_) => &[Context::Conflict, Context::Everywhere],
            Self::Replaying(_) => &[Context::Replaying, Context::Everywhere],
            Self::Operands(_) => &[Context::Operands, Context::Everywhere],
            Self::Comparison(_) => &[Context::Comparison, Context::Everywhere],
            Self::Detail(_)
            | Self::Help(_)
            | Self::Palette(_)
            | Self::Log(_)
            | Self::Notice(_)
            | Self::Rehearsal(_)
            | Self::Question(_)
            | Self::Progress(_) => &[Context::Everywhere],
        }
    }

    /// True for a screen that hides what lies beneath; false for a dialog.
    pub fn fills(&self) -> bool {
        match self {
            Self::Pipeline(_)
            | Self::Picker(_)
            | Self::Plan(_)
            | Self::Diff(_)
            | Self::Recoveries(_)
            | Self::Handoff(_)
            | Self::Rehearsal(_)
            | Self::Outcome(_)
            | Self::Replays(_)
            | Self::NewReplay(_)
            | Self::ReplayPlan(_)
            | Self::Conflict(_)
            | Self::Replaying(_)
            | Self::Operands(_)
            | Self::Comparison(_) => true,
            Self::Detail(_)
            | Self::Help(_)
            | Self::Palette(_)
            | Self::Log(_)
            | Self::Notice(_)
            | Self::Pending(_)
            | Self::Question(_)
            | Self::Progress(_) => false,
        }
    }

    /// The list that moving moves in.
    pub fn list(&self) -> ListId {
        match self {
            Self::Pipeline(screen) => screen.pane.list(),
            Self::Picker(_) => ListId::Points,
            Self::Plan(_) => ListId::Plan,
            Self::Diff(_) => ListId::Diff,
            Self::Recoveries(_) => ListId::Recoveries,
            Self::Handoff(_) => ListId::Handoff,
            Self::Rehearsal(_) => ListId::Rehearsal,
            Self::Pending(_) => ListId::Pending,
            Self::Question(_) => ListId::Question,
            Self::Progress(_) => ListId::Progress,
            Self::Outcome(_) => ListId::Outcome,
            Self::Detail(_) => ListId::Detail,
            Self::Help(_) => ListId::Help,
            Self::Palette(_) => ListId::Palette,
            Self::Log(_) => ListId::Log,
            Self::Notice(_) => ListId::Notice,
            Self::Replays(_) => ListId::Replays,
            Self::NewReplay(_) => ListId::NewReplay,
            Self::ReplayPlan(_) => ListId::ReplayPlan,
            Self::Conflict(_) => ListId::Conflict,
            Self::Replaying(_) => ListId::Replaying,
            Self::Operands(_) => ListId::Operands,
            Self::Comparison(screen) => screen.tab.list(),
        }
    }
}
