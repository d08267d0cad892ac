//! The causes of death, grouped: a usage limit ends all agents within seconds, with the same words.

use crate::systems::claude_workflow::facts::Facts;

/// `: 15 usage limit, resets …; 1 in a tool call`, or nothing without losses.
pub(crate) fn grouped(facts: &Facts) -> String {
    let groups = groups(facts);
    let words: Vec<String> = groups
        .iter()
        .map(|(cause, many)| format!("{many} {cause}"))
        .collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(" ({})", words.join("; "))
    }
}

/// Each cause with how many agents it ended, the most frequent first.
pub(crate) fn groups(facts: &Facts) -> Vec<(&'static str, usize)> {
    let mut groups: Vec<(&'static str, usize)> = Vec::new();
    for agent in facts.lost() {
        let cause = agent.cause();
        match groups.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, many)) => *many += 1,
            None => groups.push((cause, 1)),
        }
    }
    groups.sort_by_key(|(_, many)| std::cmp::Reverse(*many));
    groups
}
