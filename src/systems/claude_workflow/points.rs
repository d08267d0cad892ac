//! The two points: resume the run in its conversation, or continue with a new run. Neither writes anything.

pub(crate) mod handoff;

use crate::model::{
    Boundary, Check, CheckpointNeed, Intent, PointId, PointKind, Preference, Status, Verdict,
    WorkItem,
};
use crate::systems::claude_workflow::facts::agents::{Agent, State};
use crate::systems::claude_workflow::facts::{Facts, reading};
use crate::systems::kit::depends_on::{self, DependsOn, Scope};
use crate::world::World;

/// What a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// The same run, in the conversation that owns it.
    ResumeInSession,
    /// A new run of the missing agents alone.
    Continue,
}

impl Point {
    const ALL: [Self; 2] = [Self::ResumeInSession, Self::Continue];

    pub(crate) fn id(self) -> PointId {
        PointId(
            match self {
                Self::ResumeInSession => "resume-in-session",
                Self::Continue => "continue",
            }
            .to_owned(),
        )
    }

    pub(crate) fn of(id: &PointId) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.id() == *id)
    }
}

const DEPENDS_ON: &[DependsOn<Point>] = &[DependsOn::new(
    &[Point::ResumeInSession],
    &["W1", "W8", "W9", "W10"],
    Scope::Any,
)];

pub(crate) fn boundaries(facts: &Facts, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
    if reading::claim(world, facts).status == Status::Complete {
        return Vec::new();
    }
    let boundary = |point| boundary(facts, point, checks, world);
    Point::ALL.into_iter().map(boundary).collect()
}

fn boundary(facts: &Facts, point: Point, checks: &[Check], world: &dyn World) -> Boundary {
    let found = depends_on::verified(DEPENDS_ON, &point, checks, |_, _| false);
    let (kept, redone) = split(facts, point);
    let (label, reason) = match point {
        Point::ResumeInSession => (
            "Resume the run in its conversation",
            format!("{} A resume needs no new script.", bound(facts)),
        ),
        Point::Continue => (
            "Continue with the missing agents in a new run",
            "No finished result is computed again.".to_owned(),
        ),
    };
    let preference = if point == preferred(facts) {
        let reason = match point {
            Point::ResumeInSession => "A resume repeats no finished work.",
            Point::Continue if facts.agents.is_empty() => {
                "The run cannot be resumed in its conversation."
            }
            Point::Continue => {
                "A resume would run finished agents again, or the conversation is gone."
            }
        };
        Preference::Chosen(reason.into())
    } else {
        Preference::Rung
    };
    Boundary {
        id: point.id(),
        label: label.into(),
        phase: None,
        kind: match point {
            Point::ResumeInSession => PointKind::CurrentState,
            Point::Continue => PointKind::Fresh,
        },
        verified: found.made.unwrap_or(Verdict::Pass),
        failing: found.failing,
        checkpoint: CheckpointNeed::None,
        kept: kept.len() as u64,
        redone: redone.len() as u64,
        time_lost_s: redone
            .iter()
            .filter_map(|item| item.duration_s)
            .reduce(u64::saturating_add),
        warnings: warnings(facts, point, world)
            .into_iter()
            .map(Into::into)
            .collect(),
        reason: reason.into(),
        preference,
    }
}

/// A resume where it repeats nothing that is finished, else a new run: replay stops at the first gap, so a resume
/// runs finished agents again.
fn preferred(facts: &Facts) -> Point {
    let owned = facts
        .sessions
        .first()
        .is_some_and(|session| session.owner.is_some());
    if owned && repeated(facts) == 0 && facts.script_path().is_some() {
        Point::ResumeInSession
    } else {
        Point::Continue
    }
}

/// Finished agents after the first gap.
fn repeated(facts: &Facts) -> usize {
    let later = facts.agents.iter().skip(facts.replayed());
    later
        .filter(|agent| matches!(agent.state, State::Done | State::NotJournaled))
        .count()
}

/// What a resume replays, at most. The order of the starts can differ between runs, and then less is replayed.
pub(crate) fn bound(facts: &Facts) -> String {
    let (replayed, all) = (facts.replayed(), facts.agents.len());
    let repeated = repeated(facts);
    format!(
        "At most {replayed} of {all} results are replayed; finished agents that run again: {repeated}."
    )
}

pub(crate) fn warnings(facts: &Facts, point: Point, world: &dyn World) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(until) = facts.reset(world) {
        warnings.push(format!(
            "The usage limit resets at {}: agents that start before fail again.",
            until.words()
        ));
    }
    if point == Point::ResumeInSession {
        warnings.push(bound(facts));
        let version = facts.launch().and_then(|launch| launch.version.as_deref());
        let version = crate::systems::claude_workflow::shape::label(version.unwrap_or("unknown"));
        warnings.push(format!(
            "Client {version} ran it. Before 2.1.265 a client may silently start from zero; later ones refuse without a journal. Watch the first agents."
        ));
    }
    warnings
}

fn split(facts: &Facts, point: Point) -> (Vec<WorkItem>, Vec<WorkItem>) {
    let replayed = facts.replayed();
    let stays = |agent: &&Agent| match point {
        Point::ResumeInSession => agent.number <= replayed,
        Point::Continue => matches!(agent.state, State::Done | State::NotJournaled),
    };
    let (kept, redone): (Vec<&Agent>, Vec<&Agent>) = facts.agents.iter().partition(stays);
    let items = |agents: Vec<&Agent>| agents.into_iter().map(item).collect();
    (items(kept), items(redone))
}

fn item(agent: &Agent) -> WorkItem {
    let length = agent.first_at.zip(agent.last_at);
    WorkItem {
        id: agent.number.to_string().into(),
        label: agent.label.as_str().into(),
        detail: agent.cause().into(),
        duration_s: length.and_then(|(from, to)| u64::try_from(to.unix() - from.unix()).ok()),
    }
}

pub(crate) fn intent(facts: &Facts, point: &PointId, world: &dyn World) -> Option<Intent> {
    let point = Point::of(point)?;
    if reading::claim(world, facts).status == Status::Complete {
        return None;
    }
    let (kept, redone) = split(facts, point);
    Some(Intent {
        kept,
        redone,
        ..Intent::default()
    })
}
