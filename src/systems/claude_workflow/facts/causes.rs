//! The causes of lost agents, grouped: a usage limit ends all agents within seconds, with the same message.

use crate::model::{Cause, CauseEvidence, Reading, Status};
use crate::systems::claude_workflow::facts::{Agent, Facts};
use crate::systems::kit::causes;

/// ` (15 usage limit; 1 tool call)`, or an empty text without agents.
pub(crate) fn grouped<'a>(agents: impl Iterator<Item = &'a Agent>) -> String {
    let groups = groups(agents).into_iter();
    let words: Vec<String> = groups
        .map(|(cause, many)| format!("{many} {cause}"))
        .collect();
    if words.is_empty() {
        return String::new();
    }
    format!(" ({})", words.join("; "))
}

/// Each cause with its number of agents, the most frequent first.
pub(crate) fn groups<'a>(agents: impl Iterator<Item = &'a Agent>) -> Vec<(&'static str, usize)> {
    let mut groups: Vec<(&'static str, usize)> = Vec::new();
    for agent in agents {
        let cause = agent.cause();
        match groups.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, many)) => *many += 1,
            None => groups.push((cause, 1)),
        }
    }
    groups.sort_by_key(|(_, many)| std::cmp::Reverse(*many));
    groups
}

/// Why the run stopped: the cause that ended the most agents; if equal, the latest one.
pub(crate) fn cause(facts: &Facts, reading: &Reading) -> Option<Cause> {
    if !matches!(reading.claim.status, Status::Interrupted | Status::Waiting) {
        return None;
    }
    let ends = || {
        let lost = facts.lost();
        lost.filter_map(|agent| Some((agent, agent.known_ending()?)))
    };
    let many = |kind| ends().filter(|(_, ending)| ending.kind == kind).count();
    let (agent, ending) = ends().max_by_key(|(_, ending)| many(ending.kind))?;
    let file = agent.file.as_ref().or_else(|| reading.state_files.first());
    let evidence = vec![CauseEvidence {
        file: file.unwrap_or(&reading.root).clone(),
        line: ending.line,
        text: ending.text.as_str().into(),
    }];
    let text = reading.claim.reason.clone();
    Some(Cause {
        until: ends().filter_map(|(_, ending)| ending.until).max(),
        ..causes::cause(ending.kind, ending.sure, text, ending.at, evidence)
    })
}
