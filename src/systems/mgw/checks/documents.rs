//! M10 to M12 and M15: the documents that the target needs, what they say, and what they require.

use std::collections::BTreeSet;

use super::{Scene, no_state, unknown};
use crate::model::{Subject, Verdict};
use crate::systems::kit::checks::{Made, Outcome, fail, found, or_pass, pass, skipped, warn};
use crate::systems::kit::odd_files::OddFile;
use crate::systems::mgw::facts::reading::{NamedPath, named_paths, seen_text};
use crate::systems::mgw::facts::{Seen, Where};
use crate::systems::mgw::points::{Goal, Target};
use crate::systems::mgw::shape::{PLAN, Route, Step, VERIFICATION, Verified, documents};
use crate::text::format::{capital, count};

pub(super) const SUMMARY: &str = "summary for the pull request";

/// How a document that is missing comes back. Only where there is no worktree can one bring it.
fn recreate(scene: &Scene<'_>, required: bool) -> &'static str {
    match (scene.facts.branch.present().is_some(), required) {
        (false, true) => "Recreate the worktree or the document, or resume at an earlier point.",
        (false, false) => "Recreate the worktree to restore it, or continue without it.",
        (true, true) => {
            "Look with git reflog for a commit that has it, recreate it, or resume at an earlier point."
        }
        (true, false) => "Look with git reflog for a commit that has it, or continue without it.",
    }
}

/// The documents that the target requires, and the one that the checkpoint claims: if that one is missing, the claim is
/// false. Those that are missing, each with its kind.
fn lacking(scene: &Scene<'_>) -> Vec<(&'static str, &'static str)> {
    let target = scene.target.filter(|target| target.goal.step().is_some());
    let steps = target.map(|target| [target.goal.step(), target.claimed]);
    let needed = steps.into_iter().flatten().flatten();
    let needed: BTreeSet<Step> = needed.filter_map(Step::needs).collect();
    let docs = &scene.facts.evidence.docs;
    let missing = needed.into_iter().filter(|step| docs.last(*step).is_none());
    missing.filter_map(Step::document).collect()
}

/// M10: every path that the checkpoint names, and what the target needs beyond them.
pub(super) fn paths(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    let named = named_paths(scene.state()?);
    let lacking = lacking(scene);
    let required = |named: &NamedPath| lacking.iter().any(|(_, kind)| *kind == named.kind);
    let paths = named.iter().map(|one| path(scene, one, required(one)));
    let mut all: Vec<Outcome> = paths.collect();
    // A refused path or a URL does not show that the document exists.
    let names = |kind: &str| {
        let mut of_kind = named.iter().filter(|named| named.kind == kind);
        of_kind.any(|named| scene.facts.lookup.rel(&named.path).is_ok())
    };
    let unnamed = lacking.iter().filter(|(_, kind)| !names(kind));
    let evidence = &scene.facts.evidence;
    all.extend(unnamed.map(|(end, kind)| {
        let about = Subject::Document {
            kind: (*kind).to_owned(),
            named: None,
        };
        if let Some((path, odd)) = unread(scene, end) {
            let text = format!("The step needs a {kind}, and {path} {}.", odd.problem);
            return fail(text, odd.remedy).about(about);
        }
        if evidence.git_unread {
            return skipped(format!("The step needs a {kind}, and git cannot be read."))
                .about(about);
        }
        let text = format!(
            "The step needs a {kind}, and there is none in the worktree, in ROOT or on the branch."
        );
        fail(text, recreate(scene, true)).about(about)
    }));
    let none = "The state file names no documents, and none is needed yet.";
    Ok(or_pass(all, none))
}

fn path(scene: &Scene<'_>, named: &NamedPath, required: bool) -> Outcome {
    let seen = scene.facts.lookup.find(scene.world, &named.path);
    let lacking = if required {
        Verdict::Fail
    } else {
        Verdict::Warn
    };
    let (verdict, remedy) = match seen {
        Seen::Found(_) => (Verdict::Pass, ""),
        Seen::Url => (Verdict::Skipped, "Open the URL yourself."),
        Seen::Unread => (Verdict::Skipped, "Check with git ls-tree -r."),
        Seen::Refused(_) => {
            let cure = "Check the path in the state file; relight does not open it.";
            (Verdict::Warn, cure)
        }
        Seen::Closed(_) => (lacking, "Let your user look into the directory."),
        Seen::Odd(_) if !required => (lacking, "Put a copy of the file in its place."),
        Seen::Missing | Seen::Odd(_) | Seen::Empty(_) => (lacking, recreate(scene, required)),
    };
    let (what, path) = (named.what.as_str().into(), named.path.as_str().into());
    let about = Subject::Document {
        kind: named.kind.clone(),
        named: Some(Box::new((what, path))),
    };
    found(verdict, format!("It is {}.", seen_text(seen)), remedy).about(about)
}

/// M11: what the verification says.
pub(super) fn verification(scene: &Scene<'_>) -> Made {
    let state = scene.state()?;
    let evidence = &scene.facts.evidence;
    let unread = || {
        let (path, odd) = unread(scene, VERIFICATION)?;
        Some(warn(format!("{path} {}.", odd.problem), odd.remedy))
    };
    let Some(doc) = evidence.docs.last(Step::Verify) else {
        if let Some(unread) = unread() {
            return Ok(unread);
        }
        if scene.facts.closed.is_some() {
            let text = "The state file, which names the documents, may be one that cannot be read.";
            return Err(skipped(text));
        }
        let done = scene.target.map_or(0, Target::done);
        let verifies = matches!(state.route(), Route::Full | Route::Milestone);
        if done <= Step::Verify.index() || !verifies {
            return Ok(pass("No verification is needed yet."));
        }
        if evidence.git_unread {
            return Err(unknown(evidence, "VERIFICATION"));
        }
        let text = "The route verifies, and there is no VERIFICATION document.";
        let redo = scene.redo(Step::Verify);
        let redo = redo.map(|point| format!("Resume at the point `{point}` to have one written."));
        let review = "Review the changes yourself before they are merged.";
        let remedy = redo.unwrap_or_else(|| review.to_owned());
        return Ok(warn(text, remedy));
    };
    let path = &doc.path;
    if evidence.verified.is_none() && doc.at == Where::Branch {
        return Err(skipped(format!("git cannot read {path} on the branch.")));
    }
    Ok(match &evidence.verified {
        Some(Verified::Passed) => pass(format!("{path} says passed.")),
        Some(Verified::Skipped) => pass(format!("{path} says that verification was skipped.")),
        Some(Verified::Gaps(gaps)) => warn(
            format!("{path} says {gaps}."),
            match scene.redo(Step::Execute) {
                Some(point) => format!(
                    "Read the gaps. To close them before the pull request, resume at the point `{point}`."
                ),
                None => "Read the gaps before the work is merged.".to_owned(),
            },
        ),
        Some(Verified::Unclear) | None => unread().unwrap_or_else(|| {
            warn(
                format!("{path} says neither passed nor what is missing."),
                "Read it yourself; it may be incomplete.",
            )
        }),
    })
}

/// The first document of a kind that is there and cannot be read.
fn unread(scene: &Scene<'_>, end: &str) -> Option<(String, OddFile)> {
    let (lookup, evidence) = (&scene.facts.lookup, &scene.facts.evidence);
    lookup.unread(scene.world, evidence.dir.as_ref()?, end)
}

/// M12: what the plan requires, in the worktree.
pub(super) fn must_haves(scene: &Scene<'_>) -> Outcome {
    let evidence = &scene.facts.evidence;
    if let Some((path, odd)) = unread(scene, PLAN) {
        let text = format!(
            "What the plan requires is not known: {path} {}.",
            odd.problem
        );
        return warn(text, odd.remedy);
    }
    if !evidence.has_plan() {
        return if evidence.git_unread {
            unknown(evidence, "PLAN")
        } else {
            skipped("There is no PLAN yet.")
        };
    }
    let lookup = &scene.facts.lookup;
    let plans = evidence.docs.of(Step::Plan);
    let texts = plans.map(|doc| lookup.text(scene.world, &doc.path));
    let Some(texts) = texts.collect::<Option<Vec<String>>>() else {
        return skipped("The plan cannot be read, so what it requires is unknown.");
    };
    let required = texts.iter().flat_map(|text| documents::must_have(text));
    let mut required: Vec<String> = required.collect();
    if required.is_empty() {
        return pass("The plan requires no files.");
    }
    let all = required.len();
    let mut unread = Vec::new();
    required.retain(|path| {
        let has = lookup.has_in_issue(scene.world, path);
        unread.extend(has.is_none().then(|| path.clone()));
        has == Some(false)
    });
    if required.is_empty() && !unread.is_empty() {
        let names = unread.join(", ");
        return skipped(format!(
            "git cannot be read, so these may exist or not: {names}."
        ));
    }
    if required.is_empty() {
        let files = count(all, "file");
        return pass(format!(
            "Every file that the plan requires exists ({files})."
        ));
    }
    let (missing, named) = (required.len(), required.join(", "));
    warn(
        format!("{missing} of {all} do not exist: {named}."),
        "Before execution this is expected; after it, compare plan and summary.",
    )
}

/// M15: no pull request without a summary.
pub(super) fn summary(scene: &Scene<'_>) -> Outcome {
    let Some(target) = scene.target else {
        return no_state();
    };
    let aims = target.goal == Goal::Step(Step::Pr) || target.claimed == Some(Step::Pr);
    if target.goal == Goal::Cleanup || !aims {
        let target = target.word();
        return skipped(format!("The target is {target}, not the pull request."));
    }
    let evidence = &scene.facts.evidence;
    match evidence.docs.last(Step::Execute) {
        Some(doc) => pass(format!("{} exists.", doc.path)),
        None if evidence.git_unread => unknown(evidence, "SUMMARY"),
        None => fail(
            format!(
                "{}, and the pull request step refuses without one.",
                capital(&evidence.lack("SUMMARY"))
            ),
            match scene.redo(Step::Execute) {
                Some(point) => {
                    format!("Resume at the point `{point}`, or recreate the worktree that has it.")
                }
                None => "Recreate the worktree that has it.".to_owned(),
            },
        ),
    }
}
