//! The agents: what is missing, what is saved only in their own files, and what they left half done.

use crate::model::{Place, Subject};
use crate::systems::claude_workflow::checks::Scene;
use crate::systems::claude_workflow::facts::agents::{Agent, State};
use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};
use crate::text::format::count;

/// The most agents that are listed one by one.
const LISTED: usize = 20;

pub(crate) fn gaps(scene: &Scene<'_>) -> Vec<Outcome> {
    let lost: Vec<&Agent> = scene.facts.lost().collect();
    let mut found: Vec<Outcome> = lost.iter().take(LISTED).map(|agent| gap(agent)).collect();
    if let Some(more) = lost.len().checked_sub(LISTED).filter(|more| *more > 0) {
        let text = format!("{} more without a usable result.", count(more, "agent"));
        found.push(fail(text, "List them with relight timeline."));
    }
    found
}

fn gap(agent: &Agent) -> Outcome {
    let ending = agent.ending.as_ref();
    let until = ending.and_then(|ending| ending.until);
    let reset = until.map_or_else(String::new, |until| {
        format!(" (resets at {})", until.words())
    });
    let evidence = format!("Agent {}: {}{reset}.", agent.number, agent.cause());
    let subject = Subject::named("agent", agent.label.as_str());
    let remedy = match agent.state {
        State::NotJournaled => "Export the run to get its answer; a resume runs it again.",
        State::Suspect => "Read its result: a resume replays it as it is.",
        State::Done | State::Null | State::Failed | State::Died | State::NoFile => {
            "Resume the run, or continue with the missing agents."
        }
    };
    fail(evidence, remedy).about(subject)
}

pub(crate) fn files(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let missing = facts
        .agents
        .iter()
        .filter(|agent| agent.file.is_none())
        .count();
    match (missing, facts.strays.len()) {
        _ if facts.agents.is_empty() => skipped("No agent was started."),
        (0, 0) => pass("Every agent has its file."),
        (missing, strays) => warn(
            format!(
                "{} without a file; {} without a line in the journal.",
                count(missing, "started agent"),
                count(strays, "agent file")
            ),
            "The folder may have been copied or cleaned up in part. Go by the journal.",
        ),
    }
}

pub(crate) fn unsaved(scene: &Scene<'_>) -> Outcome {
    let agents = scene.facts.agents.iter();
    match agents
        .filter(|agent| agent.state == State::NotJournaled)
        .count()
    {
        0 => pass("No finished agent is missing in the journal."),
        many => warn(
            format!(
                "{} finished without a result in the journal.",
                count(many, "agent")
            ),
            "Export the run: the answers are in the agents' files and are marked as not accepted.",
        ),
    }
}

pub(crate) fn restarts(scene: &Scene<'_>) -> Outcome {
    let again = scene
        .facts
        .agents
        .iter()
        .filter(|agent| agent.attempts > 1)
        .count();
    if again == 0 {
        return pass("No agent was started more than once.");
    }
    warn(
        format!("{} started more than once.", count(again, "agent was")),
        "Look for effects that happened more than once: files, commits, pull requests.",
    )
}

/// Files written by agents whose work will be repeated.
pub(crate) fn effects(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let again = facts.agents.iter().skip(facts.replayed());
    let mut seen: Vec<String> = Vec::new();
    let mut left = 0_usize;
    for agent in again {
        let root = facts.root.as_path();
        for path in &agent.written {
            let Ok(rel) = path.strip_prefix(root) else {
                left += 1;
                continue;
            };
            let place = Place::known(root, rel);
            let is_there = place.is_ok_and(|place| scene.world.files().exists(&place));
            let state = if is_there { "exists" } else { "missing" };
            let name = crate::systems::claude_workflow::shape::label(&rel.to_string_lossy());
            seen.push(format!("{name} ({state}, agent {})", agent.number));
        }
    }
    seen.dedup();
    let trees = facts.lost().filter(|agent| agent.worktree).count();
    if seen.is_empty() && left == 0 && trees == 0 {
        return pass("No agent that will run again is known to have written files.");
    }
    let named: Vec<&str> = seen.iter().take(10).map(String::as_str).collect();
    let mut text = format!(
        "Agents that will run again wrote {}: {}.",
        count(seen.len() + left, "file"),
        named.join(", ")
    );
    if trees > 0 {
        text += " ";
        text += &count(trees, "agent");
        text += " with a worktree of its own.";
    }
    warn(
        text,
        "Look at these before you resume: the agents will do the same again.",
    )
}

pub(crate) fn tokens(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let spent = facts.tokens();
    let at_risk: u64 = facts
        .agents
        .iter()
        .skip(facts.replayed())
        .map(|agent| agent.tokens)
        .sum();
    if spent == 0 {
        return skipped("No tokens are recorded.");
    }
    if at_risk == 0 {
        return pass(format!("{} spent, none at risk.", count(spent, "token")));
    }
    warn(
        format!(
            "{} spent; {at_risk} of them for agents that a resume runs again.",
            count(spent, "token")
        ),
        "Continue with the finished results instead, if that is too much.",
    )
}
