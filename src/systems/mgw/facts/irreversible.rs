//! Actions of an issue's run that no recovery undoes: pull requests, a pushed branch, comments and labels, each from
//! its own field, and actions that the command log reports.

use crate::formats::json;
use crate::model::{Irreversible, Origin, Timeline};
use crate::systems::irreversible::{in_timeline, pull_request, stated};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::shape::FOLDER;
use crate::systems::mgw::shape::cross_refs::linked;

/// The prefixes of the labels that the orchestrator sets itself.
const LABELS: [&str; 2] = ["mgw:", "pipeline-"];

/// All actions, those of the state file first.
pub(crate) fn all(facts: &Facts, timeline: &Timeline) -> Vec<Irreversible> {
    let mut found = Vec::new();
    let mut pulls: Vec<(i64, Origin)> = Vec::new();
    if let (Some(file), Some(state)) = (facts.file(), facts.state()) {
        let origin = || Origin::file(&file.path);
        pulls.extend(state.linked_prs().into_iter().map(|pr| (pr, origin())));
        if let Some(checkpoint) = state.checkpoint() {
            let recorded = [&checkpoint.progress, &checkpoint.context].into_iter();
            let numbers = recorded.filter_map(|map| json::int(map, "pr_number"));
            pulls.extend(numbers.map(|pr| (pr, origin())));
            if json::flag(&checkpoint.progress, "branch_pushed") == Some(true) {
                let text = format!("The branch {} was pushed.", facts.branch.name);
                found.push(stated("push", text, origin()));
            }
        }
        for comment in json::texts(state.map(), "comments_posted") {
            let text = format!("A comment was posted on issue #{}: {comment}", facts.number);
            found.push(stated("comment", text, origin()));
        }
        for label in json::texts(state.map(), "labels") {
            if LABELS.iter().any(|start| label.starts_with(start)) {
                let text = format!("Issue #{} was given the label {label}.", facts.number);
                found.push(stated("label", text, origin()));
            }
        }
    }
    let refs = facts.root.join(FOLDER).join("cross-refs.json");
    let linked = linked(&facts.links, &facts.number).into_iter();
    let linked = linked.filter_map(|(_, other)| other.strip_prefix("pr:")?.parse().ok());
    pulls.extend(linked.map(|pr| (pr, Origin::file(&refs))));
    pulls.sort_by_key(|(pr, _)| *pr);
    pulls.dedup_by_key(|(pr, _)| *pr);
    let pulls = pulls.into_iter().filter(|(pr, _)| *pr > 0);
    found.extend(pulls.map(|(pr, origin)| pull_request(pr, origin)));
    found.extend(in_timeline(timeline.as_ref()));
    found
}
