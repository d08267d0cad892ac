//! M19 to M21: the project's files compared with this issue.

use serde_json::{Map, Value};

use super::{Scene, unknown};
use crate::formats::json;
use crate::model::Subject;
use crate::systems::kit::checks::{Outcome, pass, skipped, warn};
use crate::systems::mgw::facts::evidence::ROADMAP;
use crate::systems::mgw::shape::project::{Active, active, issues, pointers_differ, slug};
use crate::systems::mgw::shape::{Listed, Shared};
use crate::text::format::count;

/// The content of a file of the project; the error is the outcome if it cannot be used.
fn usable<'a>(shared: &'a Shared, name: &str) -> Result<&'a Map<String, Value>, Outcome> {
    match shared {
        Shared::Missing => {
            let remedy = "Nothing to do, unless the project is run by milestones.";
            Err(skipped(format!("There is no {name}.")).remedy(remedy))
        }
        Shared::Damaged { why, .. } => Err(warn(
            format!("{name} cannot be read: {why}."),
            format!("Repair .mgw/{name} by hand."),
        )),
        Shared::Read { map, .. } => Ok(map),
    }
}

fn not_listed() -> Outcome {
    skipped("project.json does not list this issue.")
        .remedy("Nothing to do, unless it should belong to a milestone.")
}

/// M19: the project's stage and pointers.
pub(super) fn stage(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    let project = usable(&scene.facts.project, "project.json")?;
    let mut outcomes = vec![listed_stage(scene).about("project stage")];
    let milestone = match active(project) {
        Active::Milestone(at) => {
            let own = scene.facts.listed().is_some_and(|listed| listed.at == at);
            let belongs = if own { "belongs" } else { "does not belong" };
            let number = at + 1;
            pass(format!(
                "Milestone {number} is active; this issue {belongs} to it."
            ))
        }
        Active::AllDone => pass("All milestones are done."),
        Active::Unset => warn(
            "No milestone is active.",
            "Set it with /mgw:project, if the project is run by milestones.",
        ),
        Active::Dangling(pointer) => warn(
            format!("{pointer} names no milestone, and the orchestrator has no fallback."),
            "Correct the pointer in .mgw/project.json.",
        ),
    };
    outcomes.push(milestone.about("active milestone"));
    let differ = pointers_differ(project);
    outcomes.extend(differ.map(|(id, number)| {
        warn(format!("active_gsd_milestone is {id} and current_milestone is {number}; they name different milestones."),
            "Correct the wrong one: parts of the orchestrator read only the old one.",
        ).about("milestone pointers")
    }));
    Ok(outcomes)
}

fn listed_stage(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let Some(listed) = facts.listed() else {
        return not_listed();
    };
    let context = listed.context();
    let theirs = listed.stage().unwrap_or("missing");
    let Some(state) = facts.recorded() else {
        let text =
            format!("project.json says {theirs} ({context}), and no state file can be read.");
        return skipped(text).remedy("Repair the state file first (M1).");
    };
    let own = state.stage_text();
    let archived = facts.is_archived();
    // A milestone sets its issues to done as soon as their pull request exists.
    let ahead = theirs == "done" && (own == Some("pr-created") || archived);
    if Some(theirs) == own || ahead {
        return pass(format!("project.json agrees: {theirs} ({context})."));
    }
    warn(
        format!(
            "project.json says {theirs} ({context}), and the state file says {}; the state file counts.",
            own.unwrap_or("missing")
        ),
        "This is expected: only /mgw:milestone writes project.json. Run /mgw:sync to reconcile.",
    )
}

/// M20: the dependencies.
pub(super) fn dependencies(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    let project = usable(&scene.facts.project, "project.json")?;
    let listed = scene.facts.listed().ok_or_else(not_listed)?;
    let wanted = json::texts(listed.issue, "depends_on_slugs");
    if wanted.is_empty() {
        return Ok(vec![pass("It depends on no other issue.")]);
    }
    let all: Vec<Listed<'_>> = issues(project).collect();
    let one = |wanted: &str| {
        let is_it = |other: &&Listed<'_>| other.title().is_some_and(|title| slug(title) == wanted);
        let text = match all.iter().find(is_it).map(Listed::stage) {
            None => format!("{wanted} is not in project.json."),
            Some(Some("done")) => format!("{wanted} is done."),
            Some(stage) => {
                let stage = stage.unwrap_or("missing");
                format!("{wanted} is not done; its stage is {stage}.")
            }
        };
        pass(text).about(Subject::named("dependency", wanted.to_owned()))
    };
    Ok(wanted.into_iter().map(one).collect())
}

/// M21: links, and the roadmap's name for the milestone.
pub(super) fn links(scene: &Scene<'_>) -> Vec<Outcome> {
    let facts = scene.facts;
    let links = match usable(&facts.refs, "cross-refs.json") {
        Err(outcome) => outcome,
        Ok(_) if facts.bad_links.is_empty() => {
            pass(format!("All valid ({}).", count(facts.links.len(), "link")))
        }
        Ok(_) => {
            let bad = facts.bad_links.join("; ");
            let text = format!("Skipped by the orchestrator: {bad}.");
            warn(text, "Correct these entries of .mgw/cross-refs.json.")
        }
    };
    let id = facts.listed().and_then(|listed| {
        json::text(listed.milestone, "gsd_milestone_id").filter(|id| !id.is_empty())
    });
    let roadmap = id.map(|id| in_roadmap(scene, id).about("roadmap"));
    [links].into_iter().chain(roadmap).collect()
}

fn in_roadmap(scene: &Scene<'_>, id: &str) -> Outcome {
    let lookup = &scene.facts.lookup;
    let Some((at, bytes)) = lookup.read(scene.world, ".planning/ROADMAP.md") else {
        if let Some((path, odd)) = lookup.unread(scene.world, ".planning", ROADMAP) {
            return warn(format!("{path} {}.", odd.problem), odd.remedy);
        }
        if scene.facts.evidence.git_unread {
            return unknown(&scene.facts.evidence, ROADMAP);
        }
        let text = format!("There is no ROADMAP.md that names the milestone {id}.");
        return warn(text, "Check whether the milestone was archived.");
    };
    let at = at.word();
    if memchr::memmem::find(&bytes, id.as_bytes()).is_some() {
        return pass(format!("ROADMAP.md {at} names the milestone {id}."));
    }
    warn(
        format!("ROADMAP.md {at} does not name the milestone {id}."),
        "Correct gsd_milestone_id in .mgw/project.json, or the roadmap.",
    )
}
