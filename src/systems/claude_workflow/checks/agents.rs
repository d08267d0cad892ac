//! The agents: missing results, results only in their own files, and unfinished work.

use std::collections::HashSet;

use crate::formats::json;
use crate::formats::jsonl;
use crate::model::{Place, Subject};
use crate::systems::claude_workflow::audit::{self, Effect};
use crate::systems::claude_workflow::checks::Scene;
use crate::systems::claude_workflow::facts::{Agent, State};
use crate::systems::claude_workflow::points;
use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};
use crate::text::format::{count, count_of, list_first, plural};

/// How many agents are listed.
const LISTED: usize = 20;

/// How many effects are named.
const EFFECTS: usize = 10;

/// How many bytes at the beginning of an agent's file are searched for its prompt.
const PROMPT_HEAD: usize = 1 << 20;

/// The remedy if answers are only in the agents' files.
const EXPORT: &str =
    "Export the run: the answers are in the agents' files and are marked as not accepted.";

/// A check of the agents: without any record of them it says nothing.
pub(crate) fn known<O: From<Outcome>>(scene: &Scene<'_>, check: fn(&Scene<'_>) -> O) -> O {
    if scene.facts.lacks_agents() {
        return skipped("No record of its agents can be read.").into();
    }
    check(scene)
}

pub(crate) fn gaps(scene: &Scene<'_>) -> Vec<Outcome> {
    let lost: Vec<&Agent> = scene.facts.lost().collect();
    let named = lost.iter().take(LISTED);
    let mut found: Vec<Outcome> = named.map(|agent| gap(agent, scene)).collect();
    if let Some(more) = lost.len().checked_sub(LISTED).filter(|more| *more > 0) {
        let text = format!("{} more without a usable result.", count(more, "agent"));
        found.push(fail(text, "List them with relight timeline."));
    }
    found
}

/// A lost agent. Its remedy names a resume only if there is one.
fn gap(agent: &Agent, scene: &Scene<'_>) -> Outcome {
    let (facts, now) = (scene.facts, scene.world.clock().now());
    let resumes = points::cannot_resume(facts).is_none();
    let ending = agent.ending.as_ref();
    let until = ending.and_then(|ending| ending.until);
    let reset = until.map(|until| format!(" ({} at {})", until.resets(now), until.words()));
    let reset = reset.unwrap_or_default();
    let evidence = format!("Agent {}: {}{reset}.", agent.number, agent.cause());
    let subject = Subject::named("agent", agent.label.as_str());
    let remedy = match (agent.state, resumes) {
        (State::NotJournaled, _) if facts.odd_journal.is_some() => points::advice(facts),
        (State::NotJournaled, true) => "Export the run to get its answer; a resume runs it again.",
        (State::NotJournaled, false) => "Export the run to get its answer.",
        (State::Suspect, true) => "Read its result: a resume replays it unchanged.",
        (State::Suspect, false) => "Read its result before you use it.",
        (State::Done | State::Null | State::Failed | State::Died | State::NoFile, _) => {
            points::advice(facts)
        }
    };
    fail(evidence, remedy).about(subject)
}

pub(crate) fn files(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let agents = || facts.agents.iter();
    let missing = agents().filter(|agent| agent.file.is_none()).count();
    let mut ids = HashSet::new();
    let shared = agents().filter(|agent| !agent.id.is_empty());
    let shared = shared.filter(|agent| !ids.insert(&agent.id)).count();
    let strays = facts.strays.len();
    let unlisted = count(strays, "agent file");
    let lacking = |noun| {
        let missing = count(missing, noun);
        format!("{missing} without a file; {unlisted} without a line in the journal.")
    };
    match (missing, strays) {
        _ if shared > 0 => {
            let shared = count(shared, "agent");
            warn(
                format!("The journal has {shared} under more than one key."),
                "A result under the wrong key is not replayed. Export the run to get it.",
            )
        }
        _ if facts.agents.is_empty() => skipped("No agent was started."),
        (0, 0) => pass("Every agent has its file."),
        _ if facts.journal_loss().is_some() => warn(lacking("agent"), EXPORT),
        _ => warn(
            lacking("started agent"),
            "The directory may have been copied or cleaned up in part. Trust the journal.",
        ),
    }
}

pub(crate) fn unsaved(scene: &Scene<'_>) -> Outcome {
    let agents = scene.facts.agents.iter();
    match agents
        .filter(|agent| agent.state == State::NotJournaled)
        .count()
    {
        0 => pass("No finished agent is missing from the journal."),
        many => {
            let many = count(many, "agent");
            let text = format!("{many} finished without a result in the journal.");
            warn(text, EXPORT)
        }
    }
}

pub(crate) fn answers(scene: &Scene<'_>) -> Outcome {
    let agents = scene.facts.agents.iter();
    let compared = agents.filter_map(|agent| Some((agent, agent.contradicts_journal()?)));
    let compared: Vec<(&Agent, bool)> = compared.collect();
    let differ = compared.iter().filter(|(_, differs)| *differs);
    let differ: Vec<usize> = differ.map(|(agent, _)| agent.number).collect();
    match (compared.len(), differ.as_slice()) {
        (0, _) => skipped("No result of the journal can be compared with an agent's own file."),
        (1, []) => pass("1 result matches the agent's own file."),
        (many, []) => pass(format!("{many} results match the agents' own files.")),
        (_, differ) => warn(
            match differ {
                [agent] => format!(
                    "1 result in the journal differs from the answer in the agent's own file: agent {agent}."
                ),
                _ => format!(
                    "{} results in the journal differ from the answers in the agents' own files: agents {}.",
                    differ.len(),
                    list_first(differ, EFFECTS)
                ),
            },
            if points::cannot_resume(scene.facts).is_none() {
                "Export the run and compare both: a resume replays what the journal has."
            } else {
                "Export the run and compare both."
            },
        ),
    }
}

pub(crate) fn restarts(scene: &Scene<'_>) -> Outcome {
    let agents = &scene.facts.agents;
    let again = agents.iter().filter(|agent| agent.attempts > 1).count();
    let same = same_prompt(scene);
    let mut found = Vec::new();
    if again > 0 {
        let again = count(again, "agent");
        found.push(format!("{again} with more than one start."));
    }
    if same > 0 {
        let same = count(same, "agent");
        found.push(format!(
            "{same} with the label and the prompt of an earlier one."
        ));
    }
    if found.is_empty() {
        return pass("No agent was started more than once.");
    }
    warn(
        found.join(" "),
        "Look for effects that happened more than once: files, commits, pull requests.",
    )
}

/// Agents that a restart within the run may have started again. The journal does not link them.
fn same_prompt(scene: &Scene<'_>) -> usize {
    let mut seen = HashSet::new();
    let prompts = scene.facts.agents.iter().filter_map(|agent| {
        let file = agent.file.as_deref()?;
        let place = Place::of(file)?;
        let head = scene.world.files().read_range(&place, 0, PROMPT_HEAD);
        Some((agent.label.as_str(), first_prompt(&head.ok()?)?))
    });
    prompts.filter(|one| !seen.insert(one.clone())).count()
}

/// The first prompt of an agent.
fn first_prompt(head: &[u8]) -> Option<String> {
    let mut maps = jsonl::objects(head).map(|(_, map)| map);
    let first = maps.find(|map| json::text(map, "type") == Some("user"))?;
    Some(json::child(&first, "message")?.get("content")?.to_string())
}

/// The effects of agents whose work will be repeated.
pub(crate) fn effects(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let all = audit::effects(scene.world, facts, points::again_at_most(facts));
    let again = points::again_at_most(facts);
    let unseen = again.filter(|agent| agent.file.is_none()).count();
    let they = plural(unseen, "it", "they");
    let have = count_of(
        unseen,
        "agent that runs again has",
        "agents that run again have",
    );
    let text = || format!("{have} no file: what {they} did is unknown.");
    let unseen = (unseen > 0).then(text);
    if all.is_empty() {
        let none = "No agent that runs again has a known effect outside the conversation.";
        let look = "Look at the files and the commits of the project before they run again.";
        return unseen.map_or_else(|| pass(none), |unseen| skipped(unseen).remedy(look));
    }
    let unseen = unseen.map_or_else(String::new, |unseen| format!(" {unseen}"));
    let named: Vec<String> = all.iter().take(EFFECTS).map(Effect::words).collect();
    let more = all.len().saturating_sub(EFFECTS);
    let more = (more > 0).then(|| format!("; {more} more"));
    let more = more.unwrap_or_default();
    let (left, named) = (count(all.len(), "effect"), named.join("; "));
    warn(
        format!("Agents that run again left {left}: {named}{more}.{unseen}"),
        "Check these first: the agents may do the same again. relight export lists all.",
    )
}

pub(crate) fn tokens(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let spent = facts.tokens();
    let resumes = points::cannot_resume(facts).is_none();
    let again = points::again_at_most(facts);
    let at_risk: u64 = again.map(|agent| agent.tokens).sum();
    if spent == 0 {
        return skipped("No tokens are recorded.");
    }
    let tokens = count(spent, "token");
    if facts.lacks_agents() {
        return warn(
            format!("{tokens} spent by agents of which no record can be read."),
            "A new run starts from the beginning and spends them again.",
        );
    }
    if at_risk == 0 {
        return pass(format!("{tokens} spent, none at risk."));
    }
    if resumes {
        warn(
            format!("{tokens} spent; {at_risk} of them for agents that a resume runs again."),
            "Continue with the finished results instead, if that is too much.",
        )
    } else {
        warn(
            format!("{tokens} spent; {at_risk} of them for agents that run again in a new run."),
            "Read what those agents wrote first: their files may have what you need.",
        )
    }
}
