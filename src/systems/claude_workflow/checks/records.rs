//! The journal and the launch, compared with the run's other records: what a resume needs of the script, the arguments
//! and the conversation.

use chrono::TimeDelta;

use crate::systems::claude_workflow::checks::Scene;
use crate::systems::claude_workflow::facts::{Facts, Script, State, reading};
use crate::systems::claude_workflow::points;
use crate::systems::claude_workflow::shape::label;
use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};
use crate::text::format::count;

/// A deletion within these days gives a warning.
const SOON_DAYS: i64 = 7;

pub(crate) fn parses(scene: &Scene<'_>) -> Outcome {
    let journal = &scene.facts.journal;
    let remedy = "Export the run: a result that was lost may be in the agent's own file.";
    if let Some(loss) = scene.facts.journal_loss() {
        let odd = scene.facts.odd_journal.as_ref();
        return warn(loss, odd.map_or(remedy, |odd| odd.remedy.as_str()));
    }
    match (journal.torn, journal.bad.len()) {
        _ if scene.facts.journals.is_empty() => {
            skipped("There is no journal, and no record of an agent.")
        }
        (Some(line), _) => warn(format!("Line {line} of the journal is truncated."), remedy),
        (None, 0) => {
            let started = count(journal.started.len(), "started agent");
            let of_unknown = match journal.unknown {
                0 => String::new(),
                unknown => format!(" and {} of an unknown type", count(unknown, "line")),
            };
            pass(format!("The journal has {started}{of_unknown}."))
        }
        (None, bad) => {
            let bad = count(bad, "line");
            warn(format!("{bad} of the journal cannot be parsed."), remedy)
        }
    }
}

pub(crate) fn status(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let notice = facts.notice();
    let done = facts.agents.iter().filter(|agent| !agent.is_lost()).count() as u64;
    let said = notice.and_then(|notice| notice.done);
    let miscount = said.filter(|said| *said != done).map(|said| {
        format!("The notification counts {said} finished agents, the journal has {done} results.")
    });
    if let Some(mut text) = false_end(facts) {
        if let Some(miscount) = miscount {
            text = format!("{text} {miscount}");
        }
        let advice = points::advice(facts);
        let remedy = format!("Do not trust the result of the run. {advice}");
        return fail(text, remedy);
    }
    if let Some(text) = miscount {
        let remedy = match facts.journal_loss() {
            Some(_) => "Export the run: the journal lost results that may be in the agents' files.",
            None => "Trust the journal: notifications are known to miscount.",
        };
        return warn(text, remedy);
    }
    let failures = notice.map_or(&[][..], |notice| notice.failures.as_slice());
    let stored = failures.iter().find(|(name, _)| {
        let agents = facts.agents.iter();
        let mut named = agents.filter(|agent| agent.label == label(name)).peekable();
        named.peek().is_some() && named.all(|agent| agent.state == State::Done)
    });
    if let Some((name, _)) = stored {
        let name = label(name);
        return warn(
            format!("The notification says that {name} failed, but the journal has its result."),
            "Trust the journal, and read the result before you use it.",
        );
    }
    match facts.ended_as().map(label) {
        None => skipped("No end of the run is recorded."),
        Some(status) if status.is_empty() => skipped("The end of the run has no status."),
        Some(status) if facts.end().is_none() => pass(format!(
            "The notified status {status} agrees with the agents."
        )),
        Some(status) => pass(format!(
            "The recorded status {status} agrees with the agents."
        )),
    }
}

/// A recorded completion that the agents contradict.
fn false_end(facts: &Facts) -> Option<String> {
    facts.ended_as().filter(|status| *status == "completed")?;
    let why = if facts.lost().next().is_some() {
        reading::losses(facts)
    } else if facts.lacks_agents() {
        "no record of its agents can be read".to_owned()
    } else {
        return None;
    };
    Some(format!("The run is recorded as completed, but {why}."))
}

pub(crate) fn orphans(scene: &Scene<'_>) -> Outcome {
    let orphans = &scene.facts.journal.orphans;
    if orphans.is_empty() {
        return pass("Every result belongs to an agent that was started.");
    }
    let lines: Vec<String> = orphans.iter().take(10).map(u64::to_string).collect();
    let lines = lines.join(", ");
    warn(
        format!("Results of agents that were never started, on line {lines}."),
        "They will not be replayed. Export the run to get them.",
    )
}

pub(crate) fn script(scene: &Scene<'_>) -> Outcome {
    match scene.facts.script(scene.world) {
        Script::Unrecorded => fail(
            "The path of the script is not recorded.",
            "Continue with your own script.",
        ),
        Script::Same => pass("The script is the one that ran."),
        Script::Edited => warn(
            "The script was edited after the run.",
            "Only the agents before the edit can be replayed.",
        ),
        Script::NothingToCompare => {
            pass("The script exists; no copy from the run can be read to compare it with.")
        }
        Script::Lost => fail(
            "The script cannot be read at its recorded path.",
            "Restore it there before you resume; relight export writes a copy if one was kept.",
        ),
    }
}

pub(crate) fn args(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let snapshot = facts.snapshot.as_ref();
    let recorded = snapshot.and_then(|snapshot| snapshot.args.as_deref());
    match facts.args() {
        Err(why) => warn(
            why,
            "Add the arguments to the call yourself: a resume does not remember them.",
        ),
        Ok(Some(args)) if recorded.is_some_and(|recorded| !same(recorded, args)) => warn(
            "The arguments of the launch and of the snapshot differ.",
            "relight uses those of the newest launch. Compare them before you resume.",
        ),
        Ok(Some(args)) => pass(format!("The arguments are known ({} bytes).", args.len())),
        Ok(None) => pass("The run was launched without arguments."),
    }
}

fn same(a: &[u8], b: &[u8]) -> bool {
    let value = |bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    value(a) == value(b)
}

pub(crate) fn owner(scene: &Scene<'_>) -> Outcome {
    let Some(session) = scene.facts.sessions.first() else {
        return skipped("No conversation is known.");
    };
    if let Err(found) = &session.owner {
        let (problem, remedy) = match found {
            Some(odd) => (odd.problem.as_str(), odd.remedy.as_str()),
            None => (
                "was deleted",
                "A run resumes only in its conversation: continue in a new one.",
            ),
        };
        let text = format!("The conversation that owns the run {problem}.");
        return fail(text, remedy);
    }
    let Some(launch) = session.launch() else {
        return warn(
            "The conversation exists, but its launch of the run was not found.",
            "Check that it is the conversation that launched the run.",
        );
    };
    let version = label(launch.version.as_deref().unwrap_or("unknown"));
    let deleted = session.deleted_at(scene.world);
    let on = deleted.map_or_else(|| "an unknown date".to_owned(), |at| at.words());
    let kept = format!(
        "The conversation exists (client {version}). Claude Code deletes it with the run on {on}."
    );
    let soon = scene.world.clock().now() + TimeDelta::days(SOON_DAYS);
    if deleted.is_some_and(|at| at.at < soon) {
        return warn(
            kept,
            "Resume or export the run before then, or raise cleanupPeriodDays in Claude Code's settings.",
        );
    }
    pass(kept)
}
