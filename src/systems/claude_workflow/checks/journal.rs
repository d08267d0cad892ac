//! The journal, compared with the run's other records.

use crate::systems::claude_workflow::checks::Scene;
use crate::systems::claude_workflow::facts::{Facts, State, reading};
use crate::systems::claude_workflow::points;
use crate::systems::claude_workflow::shape::label;
use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};
use crate::text::format::count;

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
        (None, 0) => pass(format!(
            "The journal has {}.",
            count(journal.started.len(), "started agent")
        )),
        (None, bad) => warn(
            format!("{} of the journal cannot be parsed.", count(bad, "line")),
            remedy,
        ),
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
        let mut named = facts
            .agents
            .iter()
            .filter(|agent| agent.label == label(name))
            .peekable();
        named.peek().is_some() && named.all(|agent| agent.state == State::Done)
    });
    if let Some((name, _)) = stored {
        return warn(
            format!(
                "The notification says that {} failed, but the journal has its result.",
                label(name)
            ),
            "Trust the journal, and read the result before you use it.",
        );
    }
    match facts.end() {
        None => skipped("No end of the run is recorded."),
        Some(end) => pass(format!(
            "The recorded status {} agrees with the agents.",
            label(&end.status)
        )),
    }
}

/// A recorded completion that the agents contradict.
fn false_end(facts: &Facts) -> Option<String> {
    let noticed = facts.notice().map(|notice| notice.status.as_str());
    let status = facts.end().map(|end| end.status.as_str()).or(noticed);
    status.filter(|status| *status == "completed")?;
    let why = if facts.lost().next().is_some() {
        reading::losses(facts)
    } else if facts.agents.is_empty() && facts.journal_loss().is_some() {
        "no record of its agents is left".to_owned()
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
    warn(
        format!(
            "Results of agents that were never started, on line {}.",
            lines.join(", ")
        ),
        "They will not be replayed. Export the run to get them.",
    )
}
