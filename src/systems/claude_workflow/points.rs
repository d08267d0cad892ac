//! The two points: resume the run in its conversation, or continue in a new run. Neither writes anything.

pub(crate) mod handoff;

use crate::model::{
    Boundary, Check, CheckpointNeed, Foreign, Guard, Intent, PointId, PointKind, Preference, Stamp,
    Status, Verdict, WorkItem,
};
use crate::string_enum;
use crate::systems::claude_workflow::facts::{Agent, Facts, Script, reading};
use crate::systems::claude_workflow::shape::label;
use crate::systems::kit::depends_on::{self, DependsOn, Scope};
use crate::text::format::count;
use crate::world::World;

string_enum! {
    /// A point, by its id.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Point {
        /// The same run, in the conversation that owns it.
        ResumeInSession = "resume-in-session",
        /// A new run with only the missing agents.
        Continue = "continue",
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
    offered(facts).into_iter().map(boundary).collect()
}

/// A resume is offered only if the client can do it.
fn offered(facts: &Facts) -> Vec<Point> {
    match cannot_resume(facts) {
        None => vec![Point::ResumeInSession, Point::Continue],
        Some(_) => vec![Point::Continue],
    }
}

fn boundary(facts: &Facts, point: Point, checks: &[Check], world: &dyn World) -> Boundary {
    let found = depends_on::verified(DEPENDS_ON, &point, checks, |_, _| false);
    let (kept, redone) = split(facts, point);
    let label = match point {
        Point::ResumeInSession => "Resume the run in its conversation",
        Point::Continue if facts.agents.is_empty() => "Start the workflow again in a new run",
        Point::Continue if redone.is_empty() => "Continue with the finished results in a new run",
        Point::Continue => "Continue with the missing agents in a new run",
    };
    let (kind, reason) = match point {
        Point::ResumeInSession => {
            let reason = format!("Finished agents that run again: {}.", repeated(facts));
            (PointKind::CurrentState, reason)
        }
        Point::Continue => (PointKind::Fresh, handed_over(facts)),
    };
    let preference = match preferred(facts, facts.script(world)) {
        (preferred, why) if preferred == point => Preference::Chosen(why.into()),
        _ => Preference::Rung,
    };
    Boundary {
        id: PointId(point.word().to_owned()),
        label: label.into(),
        phase: None,
        kind,
        verified: found.made.unwrap_or(Verdict::Pass),
        failing: found.failing,
        checkpoint: CheckpointNeed::None,
        edits_records: false,
        kept: Some(kept.len() as u64),
        redone: Some(redone.len() as u64),
        time_lost_s: WorkItem::recorded_time(&redone),
        warnings: warnings(facts, point, world),
        reason: reason.into(),
        preference,
    }
}

/// A resume if it repeats no finished agent, else a new run: replay stops at the first gap, so a resume runs the
/// finished agents after it again. A script that was edited may have its first gap anywhere, and one that is lost cannot
/// be called. With the reason.
fn preferred(facts: &Facts, script: Script) -> (Point, String) {
    let repeated = repeated(facts);
    let against = match (cannot_resume(facts), script) {
        (Some(why), _) => why,
        (None, Script::Lost) => {
            "The script cannot be read at its recorded path, so a resume fails."
        }
        (None, Script::Unrecorded) => {
            "The path of the script is not recorded, so which script a resume would run is not known."
        }
        (None, Script::Same | Script::NothingToCompare | Script::Edited) if repeated > 0 => {
            let text = format!("A resume runs finished agents again: {repeated}.");
            return (Point::Continue, text);
        }
        (None, Script::Edited) if facts.replayed() > 0 => {
            "The script was edited after the run, so a resume may run finished agents again."
        }
        (None, Script::Same | Script::NothingToCompare | Script::Edited) => {
            let why = if facts.replayed() == 0 {
                "No agent has finished, so no finished work is repeated."
            } else {
                // This is an upper bound: siblings of a fan-out can start in another order.
                "No finished agent runs again, if the agents start in the same order."
            };
            return (Point::ResumeInSession, why.to_owned());
        }
    };
    (Point::Continue, against.to_owned())
}

/// Why the run cannot be resumed in its conversation; `None` if it can.
pub(crate) fn cannot_resume(facts: &Facts) -> Option<&'static str> {
    match facts.sessions.first().map(|session| &session.owner) {
        Some(Ok(_)) => {}
        Some(Err(Some(_))) => {
            return Some("The conversation cannot be read, so the run cannot be resumed.");
        }
        Some(Err(None)) | None => {
            return Some("The conversation is gone, so the run cannot be resumed.");
        }
    }
    // Newer clients refuse a resume without a journal; older ones start from the beginning.
    if facts.journal.started.is_empty() && facts.journal_loss().is_some() {
        return Some(match facts.odd_journal {
            Some(_) => "The journal cannot be read, so the run cannot be resumed.",
            None => "The journal has no agent of the run, so the run cannot be resumed.",
        });
    }
    let unstarted = "No agent was started, so there is nothing to resume.";
    facts.agents.is_empty().then_some(unstarted)
}

/// What to do about agents without an answer, by the points that are offered.
pub(crate) fn advice(facts: &Facts) -> &'static str {
    match cannot_resume(facts) {
        _ if facts.odd_journal.is_some() => "Repair the journal first, as W1 says.",
        None => "Resume the run, or continue with the missing agents.",
        Some(_) => "Continue with the missing agents in a new run.",
    }
}

/// What a new run gets.
fn handed_over(facts: &Facts) -> String {
    let unfinished = facts.unfinished().count();
    match facts.agents.len() - unfinished {
        0 if facts.lacks_agents() => {
            "No record of its agents can be read, so the new run starts from the beginning."
                .to_owned()
        }
        0 if facts.agents.is_empty() => "No agent was started, so nothing is lost.".to_owned(),
        0 => "No agent has a usable result, so the new run starts from the beginning.".to_owned(),
        kept => {
            let kept = count(kept, "finished result");
            format!("The new run gets {kept} as data; agents left to run: {unfinished}.")
        }
    }
}

/// The number of finished agents after the first gap.
fn repeated(facts: &Facts) -> usize {
    let later = facts.agents.iter().skip(facts.replayed());
    later.filter(|agent| agent.is_finished()).count()
}

/// How many agents a resume replays at most. Agents can start in another order, and then fewer are replayed.
pub(crate) fn bound(facts: &Facts) -> String {
    let (replayed, all) = (facts.replayed(), facts.agents.len());
    let (again, finished) = (all - replayed, repeated(facts));
    format!(
        "At most {replayed} of {all} agents are replayed from the journal; at least {again} run again, {finished} of which had finished."
    )
}

/// Whether the hand-off of a point is a call of the recorded script.
pub(crate) fn calls(facts: &Facts, point: Point) -> bool {
    point == Point::ResumeInSession || facts.agents.is_empty()
}

/// What is wrong with the script of a call, and what to do first; `None` where it can be called as it is.
pub(crate) fn script_problem(facts: &Facts, world: &dyn World) -> Option<String> {
    match facts.script(world) {
        Script::Same | Script::NothingToCompare => None,
        Script::Edited if facts.agents.is_empty() => {
            Some("The script was edited after the run.".to_owned())
        }
        Script::Edited => Some(
            "The script was edited after the run: only the agents before the edit can be replayed."
                .to_owned(),
        ),
        Script::Lost => Some(format!(
            "The script {} cannot be read: restore it there first. relight export {} DIR writes a copy if one was kept.",
            facts.script_path().unwrap_or_default(),
            facts.run
        )),
        Script::Unrecorded => Some("The path of the script is not recorded.".to_owned()),
    }
}

fn warnings(facts: &Facts, point: Point, world: &dyn World) -> Vec<Foreign> {
    let mut warnings = Vec::new();
    if let Some(until) = facts.reset(world) {
        warnings.push(format!(
            "The usage limit resets at {}: agents that start before that fail again.",
            until.words()
        ));
    }
    warnings.extend(script_problem(facts, world).filter(|_| calls(facts, point)));
    if point == Point::ResumeInSession {
        warnings.push(bound(facts));
        warnings.push(client(facts));
        if facts.args().is_err() {
            warnings.push("The arguments are not known: a resume without them fails.".to_owned());
        }
    }
    warnings.into_iter().map(Foreign::from).collect()
}

/// The first client version that refuses a resume without a journal.
const REFUSES: [u64; 3] = [2, 1, 265];

/// What the version of the client means for a resume. The client that resumes can be another one.
fn client(facts: &Facts) -> String {
    let Some(version) = facts.version() else {
        return "The version of Claude Code is not recorded. Versions before 2.1.265 can silently start from the beginning: check that the first agents are replayed and do not run again.".to_owned();
    };
    let parts = version.split('.').map_while(|part| part.parse().ok());
    let numbers: Vec<u64> = parts.collect();
    let said = if numbers.as_slice() < REFUSES.as_slice() {
        "versions before 2.1.265 can silently start from the beginning"
    } else {
        "versions since 2.1.265 refuse to resume without a journal"
    };
    let version = label(version);
    format!(
        "Claude Code {version} ran this; {said}. Check that the first agents are replayed and do not run again."
    )
}

fn split(facts: &Facts, point: Point) -> (Vec<WorkItem>, Vec<WorkItem>) {
    let (redone, kept): (Vec<&Agent>, Vec<&Agent>) =
        facts.agents.iter().partition(runs_again(facts, point));
    let items = |agents: Vec<&Agent>| agents.into_iter().map(item).collect();
    (items(kept), items(redone))
}

/// The agents that a point runs again.
pub(crate) fn again(facts: &Facts, point: Point) -> impl Iterator<Item = &Agent> {
    facts.agents.iter().filter(runs_again(facts, point))
}

/// The agents that the first point that is offered runs again: a resume, where there is one, repeats the most.
pub(crate) fn again_at_most(facts: &Facts) -> impl Iterator<Item = &Agent> {
    let first = match cannot_resume(facts) {
        None => Point::ResumeInSession,
        Some(_) => Point::Continue,
    };
    again(facts, first)
}

fn runs_again(facts: &Facts, point: Point) -> impl Fn(&&Agent) -> bool {
    let replayed = facts.replayed();
    move |agent| match point {
        Point::ResumeInSession => agent.number > replayed,
        Point::Continue => !agent.is_finished(),
    }
}

fn item(agent: &Agent) -> WorkItem {
    WorkItem {
        duration_s: Stamp::seconds_between(agent.first_at, agent.last_at),
        span: agent.span(),
        ..WorkItem::new(
            agent.number.to_string(),
            agent.label.as_str(),
            agent.cause(),
        )
    }
}

pub(crate) fn intent(facts: &Facts, point: &PointId, world: &dyn World) -> Option<Intent> {
    let point = point.0.parse().ok()?;
    if reading::claim(world, facts).status == Status::Complete || !offered(facts).contains(&point) {
        return None;
    }
    let (kept, redone) = split(facts, point);
    // It may have the results that this point would make again.
    let unread = facts.odd_journal.as_ref().map(|odd| {
        let text = format!("The journal {}.", odd.problem);
        Guard::fails("required_file", text, odd.remedy.as_str())
    });
    Some(Intent {
        kept,
        redone,
        guards: unread.into_iter().collect(),
        ..Intent::default()
    })
}
