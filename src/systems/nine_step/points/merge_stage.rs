//! The merge stage: the merge, or where it was made, the cleanup. The cleanup deletes the worktree, so what is
//! uncommitted in it is named before.

use crate::model::Foreign;
use crate::systems::nine_step::facts::{Facts, Merged, merging};
use crate::systems::nine_step::points::handoff::plain;
use crate::systems::nine_step::points::{Decision, Target, lost};
use crate::text::Shown as _;
use crate::text::format::list_first;

/// What has to be done with what a merge left over.
pub(crate) const REMEDY: &str =
    "Commit and merge what is uncommitted, or discard it, before the cleanup.";

/// How many paths a sentence names.
const NAMED: usize = 10;

/// The label of its point.
pub(crate) fn label(facts: &Facts) -> &'static str {
    if facts.git.is_merged() {
        "Clean up the merged work, once nothing is uncommitted"
    } else {
        "Merge and clean up, after your approval"
    }
}

/// What is waiting there.
pub(crate) fn waiting(facts: &Facts) -> String {
    let why = facts.git.merged.left_over().unwrap_or_else(|| {
        let done = lost::every_phase(facts);
        format!("Every phase is {done}; the merge is waiting for your approval.")
    });
    let lost = lost::passed(facts, Target::Merge);
    [vec![why], lost].concat().join(" ")
}

/// What the person does about it.
pub(crate) fn advice(facts: &Facts) -> &'static str {
    if facts.git.is_merged() {
        REMEDY
    } else {
        "Approve the merge, or say what must change first."
    }
}

/// Says that it is merged where a decision leads to the merge.
pub(crate) fn say(facts: &Facts, decision: &mut Decision) {
    if decision.chosen == Target::Merge && facts.git.is_merged() {
        decision.reason = format!("{} {REMEDY}", waiting(facts));
    }
}

/// The question before it.
pub(crate) fn question(facts: &Facts) -> String {
    let (feature, done) = (facts.feature(), lost::every_phase(facts));
    match facts.git.merged.left_over() {
        Some(left) => format!(
            "{feature}: {left} {REMEDY} The agent will ask for it. Continue to the cleanup?"
        ),
        None => format!(
            "Every phase of {feature} is {done}, and the merge needs your approval. Continue to the merge?"
        ),
    }
}

/// Where the agent continues, and what it does first.
pub(crate) fn prompt(facts: &Facts) -> (String, String) {
    if let Some(left) = facts.git.merged.left_over() {
        let place = "at its cleanup: it is merged, so do not merge it again".to_owned();
        let rule = format!(
            " {}{} Ask me whether to commit and merge what is uncommitted, or whether I discard it, and clean up only once nothing is uncommitted.",
            plain(&left),
            uncommitted(facts)
        );
        return (place, rule);
    }
    let place = format!(
        "at its merge stage: every phase is {}. Ask me for approval before merging",
        lost::every_phase(facts)
    );
    (place, before_it(facts, "me"))
}

/// What comes before the merge, as sentences after a space: `whom` the agent asks.
fn before_it(facts: &Facts, whom: &str) -> String {
    let first = match &facts.git.merged {
        Merged::Unknown(why) => format!(
            " It is unknown whether the work is merged: {}. Find that out first.",
            plain(why)
        ),
        Merged::No | Merged::NothingYet | Merged::Yes(_) | Merged::Partly { .. } => String::new(),
    };
    let paths = uncommitted(facts);
    if paths.is_empty() {
        first
    } else {
        format!("{first}{paths} Ask {whom} what to do with that before the cleanup.")
    }
}

/// The stage in the briefing.
pub(crate) fn stage(facts: &Facts) -> String {
    if facts.git.is_merged() {
        return "merged; cleanup".to_owned();
    }
    format!("all phases are {}; merge stage", lost::every_phase(facts))
}

/// The task of the agent.
pub(crate) fn scope(facts: &Facts) -> String {
    match facts.git.merged.left_over() {
        Some(left) => format!(
            "{} Ask the user whether to commit and merge what is uncommitted or to let them discard it, and clean up only once nothing is uncommitted.",
            plain(&left)
        ),
        None => format!(
            "Ask for approval, then merge with --no-ff and clean up.{}",
            before_it(facts, "the user")
        ),
    }
}

/// The uncommitted paths of the work, or why they are unknown, as a sentence after a space.
fn uncommitted(facts: &Facts) -> String {
    let paths = match merging::uncommitted(facts, &facts.git) {
        Ok(paths) if paths.is_empty() => return String::new(),
        Ok(paths) => paths,
        Err(why) => return format!(" What is uncommitted is unknown: {}.", plain(&why)),
    };
    let quoted = |path: &Foreign| format!("'{}'", path.shown());
    let names: Vec<String> = paths.iter().map(quoted).collect();
    let names = Foreign::from(list_first(&names, NAMED))
        .clean()
        .into_string();
    format!(" Uncommitted: {names}.")
}
