//! M19 to M21: the project's files against this issue.

use crate::formats::json;
use crate::model::{Check, Subject, Verdict};
use crate::systems::mgw::checks::{Case, check, pass, skipped, warn};
use crate::systems::mgw::shape::project::{
    Active, Listed, Shared, active, issues, pointers_differ, slug,
};
use crate::systems::mgw::shape::state_files::Home;

/// Where `project.json` cannot serve: why.
fn unusable(shared: &Shared, name: &str, subject: &'static str) -> Option<Vec<Check>> {
    match shared {
        Shared::Missing => Some(skipped(
            subject,
            format!("There is no {name}."),
            "Nothing to do, unless the project is run by milestones.",
        )),
        Shared::Damaged { why, .. } => Some(warn(
            subject,
            format!("{name} cannot be read: {why}."),
            format!("Mend .mgw/{name} by hand."),
        )),
        Shared::Read { .. } => None,
    }
}

/// M19: the project's stage and pointers.
pub(crate) fn stage(case: &Case<'_>) -> Vec<Check> {
    if let Some(checks) = unusable(&case.facts.project, "project.json", "project") {
        return checks;
    }
    let mut checks = vec![listed_stage(case)];
    let Some(project) = case.facts.project.map() else {
        return checks;
    };
    checks.push(match active(project) {
        Active::Milestone(at) => {
            let listed = case.facts.listed();
            let own = listed.is_some_and(|listed| listed.at == at);
            let whose = if own {
                "this issue's"
            } else {
                "another than this issue's"
            };
            check(
                "active milestone",
                Verdict::Pass,
                format!("Milestone {} is active, {whose}.", at + 1),
            )
        }
        Active::AllDone => check(
            "active milestone",
            Verdict::Pass,
            "All milestones are done.",
        ),
        Active::Unset => check("active milestone", Verdict::Warn, "No milestone is active.")
            .remedy("Set it with /mgw:project, if the project is run by milestones."),
        Active::Dangling(pointer) => check(
            "active milestone",
            Verdict::Warn,
            format!("{pointer} names no milestone, and there is no falling back."),
        )
        .remedy("Correct the pointer in .mgw/project.json."),
    });
    if let Some((id, number)) = pointers_differ(project) {
        checks.push(
            check(
                "milestone pointers",
                Verdict::Warn,
                format!("active_gsd_milestone says {id} and current_milestone says {number}; they name different milestones."),
            )
            .remedy("Correct the one that is wrong: parts of the orchestrator read only the old one."),
        );
    }
    checks
}

fn listed_stage(case: &Case<'_>) -> Check {
    let Some(listed) = case.facts.listed() else {
        return check(
            "project stage",
            Verdict::Skipped,
            "project.json does not list this issue.",
        )
        .remedy("Nothing to do, unless it should belong to a milestone.");
    };
    let own = case.facts.recorded().and_then(|state| state.stage_text());
    let archived = case
        .facts
        .file()
        .is_some_and(|file| file.home == Home::Completed);
    let context = listed.context();
    let theirs = listed.stage().unwrap_or("missing");
    let ahead = theirs == "done" && (own == Some("pr-created") || archived);
    if Some(theirs) == own || ahead {
        let text = format!("project.json says {theirs} too ({context}).");
        return check("project stage", Verdict::Pass, text);
    }
    check(
        "project stage",
        Verdict::Warn,
        format!(
            "project.json says {theirs} ({context}), and the state file says {}; the state file counts.",
            own.unwrap_or("nothing")
        ),
    )
    .remedy("Expect it: only /mgw:milestone writes project.json. Run /mgw:sync to reconcile.")
}

/// M20: what it depends on.
pub(crate) fn dependencies(case: &Case<'_>) -> Vec<Check> {
    if let Some(checks) = unusable(&case.facts.project, "project.json", "dependencies") {
        return checks;
    }
    let (Some(project), Some(listed)) = (case.facts.project.map(), case.facts.listed()) else {
        return skipped(
            "dependencies",
            "project.json does not list this issue.",
            "Nothing to do, unless it should belong to a milestone.",
        );
    };
    let wanted = json::texts(listed.issue, "depends_on_slugs");
    if wanted.is_empty() {
        return pass("dependencies", "It depends on no other issue.");
    }
    let all: Vec<Listed<'_>> = issues(project).collect();
    let one = |wanted: &str| {
        let found = all
            .iter()
            .find(|other| other.title().is_some_and(|title| slug(title) == wanted));
        let text = match found {
            None => format!("{wanted} is not in project.json."),
            Some(other) => {
                let stage = other.stage().unwrap_or("missing");
                let done = if stage == "done" {
                    "is"
                } else {
                    "is not done; its stage is"
                };
                format!("{wanted} {done} {stage}.")
            }
        };
        check(
            Subject::named("dependency", wanted.to_string()),
            Verdict::Pass,
            text,
        )
    };
    wanted.into_iter().map(one).collect()
}

/// M21: links, and the roadmap's name for the milestone.
pub(crate) fn links(case: &Case<'_>) -> Vec<Check> {
    let mut checks = unusable(&case.facts.refs, "cross-refs.json", "links").unwrap_or_else(|| {
        if case.facts.bad_links.is_empty() {
            return pass(
                "links",
                format!("{} links are valid.", case.facts.links.len()),
            );
        }
        warn(
            "links",
            format!(
                "Skipped by the orchestrator: {}.",
                case.facts.bad_links.join("; ")
            ),
            "Correct these entries of .mgw/cross-refs.json.",
        )
    });
    let id = case.facts.listed().and_then(|listed| {
        json::text(listed.milestone, "gsd_milestone_id").filter(|id| !id.is_empty())
    });
    if let Some(id) = id {
        checks.push(in_roadmap(case, id));
    }
    checks
}

fn in_roadmap(case: &Case<'_>, id: &str) -> Check {
    let subject = "roadmap";
    let read = case.facts.lookup.read(case.world, ".planning/ROADMAP.md");
    match read {
        None => check(
            subject,
            Verdict::Warn,
            format!("There is no ROADMAP.md to name the milestone {id}."),
        )
        .remedy("Look whether the milestone was archived."),
        Some((at, bytes)) if memchr::memmem::find(&bytes, id.as_bytes()).is_some() => check(
            subject,
            Verdict::Pass,
            format!("ROADMAP.md {} names the milestone {id}.", at.text()),
        ),
        Some((at, _)) => check(
            subject,
            Verdict::Warn,
            format!("ROADMAP.md {} does not name the milestone {id}.", at.text()),
        )
        .remedy("Correct gsd_milestone_id in .mgw/project.json, or the roadmap."),
    }
}
