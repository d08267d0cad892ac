//! M10 to M12 and M15: the documents that the target needs, what they say, and what they promise.

use crate::model::{Check, Subject, Verdict};
use crate::systems::mgw::checks::{Case, check, fail, no_state, pass, skipped, warn};
use crate::systems::mgw::facts::lookup::{Seen, Where};
use crate::systems::mgw::facts::reading::{NamedPath, named_paths, seen_text};
use crate::systems::mgw::points::target::{Goal, Target};
use crate::systems::mgw::shape::documents::{self, Verified};
use crate::systems::mgw::shape::vocabulary::{Route, Step};

/// The kinds of document that the target cannot do without, and the one that the checkpoint claims: where
/// they differ, the claim is not true.
fn needs(target: Option<&Target>) -> Vec<&'static str> {
    let goal = target.and_then(|target| match target.goal {
        Goal::Step(step) => Some(step),
        Goal::Nothing | Goal::Cleanup => None,
    });
    let claimed = target.filter(|_| goal.is_some()).and_then(|t| t.claimed);
    let mut kinds: Vec<&'static str> = [goal, claimed]
        .into_iter()
        .flatten()
        .filter_map(|step| match step {
            Step::Execute => Some("plan"),
            Step::Verify | Step::Pr => Some("summary"),
            Step::Triage | Step::Plan => None,
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// M10: every path that the checkpoint names, and what the target needs beyond them.
pub(crate) fn paths(case: &Case<'_>) -> Vec<Check> {
    let Some(state) = case.facts.recorded() else {
        return no_state("artifacts");
    };
    let needed = needs(case.target);
    let mut checks: Vec<Check> = named_paths(state)
        .iter()
        .map(|named| path(case, named, &needed))
        .collect();
    for kind in &needed {
        checks.extend(needed_at_all(case, kind));
    }
    if checks.is_empty() {
        return pass(
            "artifacts",
            "The state file names no documents, and none is needed yet.",
        );
    }
    checks
}

/// True where the evidence has such a document.
fn has(case: &Case<'_>, kind: &str) -> bool {
    match kind {
        "plan" => case.facts.evidence.has_plan(),
        _ => case.facts.evidence.has_summary(),
    }
}

fn path(case: &Case<'_>, named: &NamedPath, needed: &[&str]) -> Check {
    let seen = case.facts.lookup.find(case.world, &named.path);
    let subject = Subject::Document {
        kind: named.kind.clone(),
        named: Some((named.what.as_str().into(), named.path.as_str().into())),
    };
    let words = format!("It is {}.", seen_text(seen));
    let wanted = needed.contains(&named.kind.as_str()) && !has(case, &named.kind);
    match seen {
        Seen::Found(_) => check(subject, Verdict::Pass, words),
        Seen::Url => check(subject, Verdict::Skipped, words).remedy("Open the address yourself."),
        Seen::Refused(_) => check(subject, Verdict::Warn, words)
            .remedy("Look at the path in the state file; it is never followed."),
        Seen::Missing | Seen::Empty(_) if wanted => check(subject, Verdict::Fail, words)
            .remedy("Recreate the worktree or the document, or take an earlier point."),
        Seen::Missing | Seen::Empty(_) => check(subject, Verdict::Warn, words)
            .remedy("Recreate the worktree to have it back, or go on without it."),
    }
}

/// The need itself, named or not.
fn needed_at_all(case: &Case<'_>, kind: &str) -> Option<Check> {
    if has(case, kind) {
        return None;
    }
    let named = case.facts.recorded().is_some_and(|state| {
        let all = named_paths(state);
        // A path that is refused or an address says nothing about the need.
        all.iter()
            .any(|named| named.kind == kind && case.facts.lookup.rel(&named.path).is_ok())
    });
    (!named).then(|| {
        check(
            Subject::Document {
                kind: kind.to_owned(),
                named: None,
            },
            Verdict::Fail,
            format!("The step needs a {kind}, and there is none in the worktree, in ROOT or on the branch."),
        )
        .remedy("Recreate the worktree or the document, or take an earlier point.")
    })
}

/// M11: what the verification says.
pub(crate) fn verification(case: &Case<'_>) -> Vec<Check> {
    let Some(state) = case.facts.recorded() else {
        return no_state("verification");
    };
    let subject = "verification";
    let evidence = &case.facts.evidence;
    let Some(doc) = evidence.docs.verifications.last() else {
        let due = case
            .target
            .is_some_and(|target| target.done() > Step::Verify.index());
        if due && matches!(state.route(), Route::Full | Route::Milestone) {
            return warn(
                subject,
                "The route verifies, and there is no VERIFICATION document.",
                "Take the point `step-verify` to have one made.",
            );
        }
        return pass(subject, "No verification is due yet.");
    };
    match &evidence.verified {
        Some(Verified::Passed) => pass(subject, format!("{} says passed.", doc.path)),
        Some(Verified::Skipped) => pass(
            subject,
            format!("{} says that verification was skipped.", doc.path),
        ),
        Some(Verified::Gaps(words)) => warn(
            subject,
            format!("{} says {words}.", doc.path),
            "Read the gaps; take the point `step-execute` to close them before the pull request.",
        ),
        Some(Verified::Unclear) | None => warn(
            subject,
            format!("{} says neither passed nor what is missing.", doc.path),
            "Read it yourself; it may be half written.",
        ),
    }
}

/// M12: what the plan says must exist, in the worktree.
pub(crate) fn must_haves(case: &Case<'_>) -> Vec<Check> {
    let subject = "must-haves";
    let evidence = &case.facts.evidence;
    if evidence.docs.plans.is_empty() {
        return skipped(
            subject,
            "There is no PLAN.",
            "Nothing to do before there is one.",
        );
    }
    let mut wanted: Vec<String> = Vec::new();
    for doc in &evidence.docs.plans {
        if let Some((_, bytes)) = case.facts.lookup.read(case.world, &doc.path) {
            wanted.extend(documents::must_have(&String::from_utf8_lossy(&bytes)));
        }
    }
    if wanted.is_empty() {
        return pass(subject, "The plan names no files that must exist.");
    }
    let there = |path: &String| {
        let seen = case.facts.lookup.find(case.world, path);
        matches!(seen, Seen::Found(Where::Worktree | Where::Branch))
    };
    let missing: Vec<&str> = wanted
        .iter()
        .filter(|path| !there(path))
        .map(String::as_str)
        .collect();
    if missing.is_empty() {
        return pass(
            subject,
            format!("All {} files that the plan names exist.", wanted.len()),
        );
    }
    warn(
        subject,
        format!(
            "{} of {} do not exist: {}.",
            missing.len(),
            wanted.len(),
            missing.join(", ")
        ),
        "Before execution this is to be expected; after it, compare plan and summary.",
    )
}

/// M15: no pull request without a summary.
pub(crate) fn summary(case: &Case<'_>) -> Vec<Check> {
    let subject = "summary for the pull request";
    let Some(target) = case.target else {
        return no_state(subject);
    };
    let aims = target.goal == Goal::Step(Step::Pr) || target.claimed == Some(Step::Pr);
    if target.goal == Goal::Cleanup || !aims {
        return skipped(
            subject,
            format!("The target is {}, not the pull request.", target.word()),
            "Nothing to do before the pull request.",
        );
    }
    match case.facts.evidence.docs.summaries.last() {
        Some(doc) => pass(subject, format!("{} is there.", doc.path)),
        None => fail(
            subject,
            "There is no SUMMARY, and the pull request step refuses without one.",
            "Take the point `step-execute`, or recreate the worktree that holds it.",
        ),
    }
}
