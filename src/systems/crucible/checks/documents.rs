//! F10, F11, F13, F14: checkpoints, hand-offs, the mode file, the gate ledger.

use std::path::Path;

use crate::model::{Check, Subject, Verdict, short_id};
use crate::systems::crucible::facts::Run;
use crate::systems::crucible::facts::phase_order;
use crate::systems::crucible::facts::stores::{Saved, Store};
use crate::systems::crucible::points::is_boundary_reason;
use crate::systems::crucible::shape::LedgerPhase;
use crate::world::World;

/// All checks of this group.
pub(crate) fn checks(run: &Run, world: &dyn World) -> Vec<Check> {
    let mut all = checkpoints(run, world);
    all.push(handoffs(run));
    all.push(mode(run, world));
    all.extend(ledger(run));
    all
}

/// F10: what the checkpoint table names can be restored and is this run's.
fn checkpoints(run: &Run, world: &dyn World) -> Vec<Check> {
    let mut all: Vec<Check> = run
        .stores
        .iter()
        .flat_map(|store| of_store(run, store))
        .collect();
    let boundaries = run.saved.iter().filter(|s| is_boundary_reason(&s.reason));
    all.extend(boundaries.rev().take(12).map(|saved| usable(saved, world)));
    if all.is_empty() {
        all.push(
            Check::new(
                "F10",
                "checkpoints",
                Verdict::Warn,
                "There is no checkpoint of this run, so no files can be restored.",
            )
            .remedy("Resume from the current state (point disk)."),
        );
    }
    all
}

fn of_store(run: &Run, store: &Store) -> Vec<Check> {
    let shown = store.path.display();
    if let Err(error) = &store.facts {
        return vec![
            Check::new("F10", "checkpoint store", Verdict::Fail, format!("The store {shown} cannot be read: {error}."))
                .remedy("Leave it as it is; a new one is made by the next checkpoint. Resume from the current state (point disk)."),
        ];
    }
    let mut all = Vec::new();
    if let Some(project) = run.work_tree()
        && store.work_tree().is_some_and(|path| path != project)
    {
        let other = store
            .work_tree()
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        all.push(
            Check::new(
                "F10",
                "checkpoint store",
                Verdict::Fail,
                format!("The store {shown} was made for {other}."),
            )
            .remedy("If the project was moved, name its place with --work-tree PATH."),
        );
    }
    for row in &store.rows {
        let mut found = store
            .commits()
            .iter()
            .filter(|commit| commit.id.starts_with(&row.hash));
        let subject = Subject::Checkpoint {
            id: row.hash.clone(),
            name: row.reason.as_str().into(),
        };
        match (found.next(), found.next()) {
            (Some(_), None) => {}
            (Some(_), Some(_)) => all.push(
                Check::new(
                    "F10",
                    subject,
                    Verdict::Warn,
                    "Two commits of the store begin with this hash.",
                )
                .remedy("Choose the checkpoint by its full id: relight checkpoints."),
            ),
            (None, _) => all.push(
                Check::new(
                    "F10",
                    subject,
                    Verdict::Fail,
                    "The table names it, and the store has no such commit.",
                )
                .remedy("Choose another checkpoint: relight checkpoints."),
            ),
        }
    }
    all
}

fn usable(saved: &Saved, world: &dyn World) -> Check {
    let id = short_id(&saved.commit);
    let subject = Subject::Checkpoint {
        id: id.to_owned(),
        name: saved.reason.as_str().into(),
    };
    let check = |verdict, text: String| Check::new("F10", subject.clone(), verdict, text);
    match world
        .git()
        .tree_paths(&saved.store, &saved.commit, Path::new(""))
    {
        Ok(paths) if paths.is_empty() => {
            check(Verdict::Fail, "It holds no file at all.".to_owned())
                .remedy("Choose another checkpoint: relight checkpoints.")
        }
        Ok(paths) => check(
            Verdict::Pass,
            format!(
                "It is in the store, was taken in the time of this run and holds {} files.",
                paths.len()
            ),
        ),
        Err(error) => check(
            Verdict::Warn,
            format!("Its files cannot be listed: {error}."),
        )
        .remedy("Choose another checkpoint: relight checkpoints."),
    }
}

/// F11: the hand-offs are of this run and agree on the goal.
fn handoffs(run: &Run) -> Check {
    let check = |verdict, text: String| Check::new("F11", "hand-offs", verdict, text);
    let fresh = &run.documents.handoffs;
    if fresh.is_empty() {
        let text = if run.documents.stale_handoffs.is_empty() {
            "There is no hand-off between phases."
        } else {
            "The hand-offs there are older than this run."
        };
        return check(Verdict::Warn, text.to_owned())
            .remedy("Tell the orchestrator the goal, the decisions and the constraints yourself.");
    }
    let mut goals: Vec<&str> = fresh
        .iter()
        .filter_map(|doc| doc.what.goal.as_deref())
        .collect();
    goals.dedup();
    if goals.len() > 1 {
        return check(
            Verdict::Warn,
            "The hand-offs name different goals.".to_owned(),
        )
        .remedy("Read them and tell the orchestrator which goal holds.");
    }
    check(
        Verdict::Pass,
        format!("{} hand-offs are of this run and agree.", fresh.len()),
    )
}

/// F13: the mode file, one for the whole machine, which any project may have overwritten.
fn mode(run: &Run, world: &dyn World) -> Check {
    let check = |verdict, text: &str| Check::new("F13", "build mode", verdict, text);
    if !run.is_build() {
        return check(Verdict::Skipped, "Only builds have a mode.");
    }
    let Some(doc) = &run.documents.mode else {
        return check(
            Verdict::Warn,
            "The mode file is missing; upstream then takes feature mode.",
        )
        .remedy("If this was a refactoring, say so when you resume.");
    };
    let hex = |word: &&str| {
        word.len() >= 7 && word.len() <= 40 && word.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let words = doc.what.split(|c: char| !c.is_ascii_alphanumeric());
    let sha = words.clone().find(hex);
    let refactor = crate::formats::markdown::value(doc.what.lines(), "mode")
        .is_some_and(|mode| mode.to_lowercase().starts_with("refactor"));
    let baseline = run.marker().and_then(|m| m.baseline_sha.as_deref());
    let same = sha
        .zip(baseline)
        .is_some_and(|(sha, base)| base.starts_with(sha) || sha.starts_with(base));
    if same {
        return check(
            Verdict::Pass,
            "The mode file names the commit this run began at.",
        );
    }
    let known = run
        .work_tree()
        .zip(sha)
        .map(|(path, sha)| world.git().find_commit(path, sha).is_ok());
    if refactor && known == Some(false) {
        return check(Verdict::Fail, "The mode file says refactor and names a commit that is not in this repository.")
            .remedy("Another project may have overwritten it; say the mode and the baseline when you resume.");
    }
    check(Verdict::Warn, "The mode file does not name the commit this run began at; another project may have overwritten it.")
        .remedy("Say when you resume whether this is a feature or a refactoring.")
}

/// F14: the gate ledger settles the phases before the current one.
fn ledger(run: &Run) -> Vec<Check> {
    if !run.is_build() {
        return vec![Check::new(
            "F14",
            "gate ledger",
            Verdict::Skipped,
            "Only builds have a gate ledger.",
        )];
    }
    let Some(doc) = &run.documents.ledger else {
        return vec![
            Check::new(
                "F14",
                "gate ledger",
                Verdict::Warn,
                "There is no gate ledger of this run.",
            )
            .remedy("Older builds keep none; a newer one will ask about the gates again."),
        ];
    };
    let current = run.work.current().map(|facts| facts.name.rank);
    let earlier = run
        .work
        .phases
        .iter()
        .filter(|f| current.is_none_or(|c| f.name.rank < c));
    let all: Vec<Check> = earlier
        .map(|facts| {
            let base = facts.name.base.as_str();
            let rank = |p: &&LedgerPhase| {
                phase_order::understand(&run.skill, &p.number).map(|p| p.rank)
                    == Some(facts.name.rank)
            };
            of_phase(base, doc.what.phases.iter().find(rank))
        })
        .collect();
    if all.is_empty() {
        return vec![Check::new(
            "F14",
            "gate ledger",
            Verdict::Pass,
            "No phase before the current one needs a gate.",
        )];
    }
    all
}

fn of_phase(base: &str, phase: Option<&LedgerPhase>) -> Check {
    let check =
        |verdict, text: String| Check::new("F14", Subject::Phase(base.into()), verdict, text);
    let Some(phase) = phase else {
        return check(
            Verdict::Warn,
            "The gate ledger does not mention it.".to_owned(),
        )
        .remedy("A newer build will ask about its gate again.");
    };
    match (phase.status.as_str(), phase.acknowledged) {
        ("PASS" | "COMPLETE", _) | ("SKIPPED", true) => check(
            Verdict::Pass,
            format!("The gate ledger says {}.", phase.status),
        ),
        ("FAIL", _) => check(
            Verdict::Fail,
            "The gate ledger says FAIL; build refuses the next phase.".to_owned(),
        )
        .remedy("Resume at this phase so that its gate runs again."),
        (word, _) => check(Verdict::Warn, format!("The gate ledger says {word}."))
            .remedy("A newer build will ask about its gate before it continues."),
    }
}
