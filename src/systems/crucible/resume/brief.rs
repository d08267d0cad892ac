//! The hand-off: the command with which crucible goes on, and the state block that it would emit itself
//! (format note, section l), from its sources in their order.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::Stop;
use crate::model::{Handoff, PointId, Prospect};
use crate::systems::crucible::gather::Run;
use crate::systems::crucible::manifest::LineStatus;
use crate::systems::crucible::phases;
use crate::systems::crucible::read;
use crate::systems::crucible::stores::Saved;
use crate::world::World;

/// Decisions that are handed on; upstream takes no more.
const DECISIONS: usize = 10;
/// Milestones that are named from the manifest.
const MILESTONES: usize = 8;

/// Makes the hand-off of a point.
pub(crate) fn handoff(run: &Run, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
    let point = prospect.point;
    let Some((_, stop)) = super::redo_of(run, point, world) else {
        return Handoff::default();
    };
    let stop = stop.as_ref();
    let saved = stop.and_then(|stop| stop.saved.as_ref());
    let saved = saved.filter(|saved| prospect.checkpoints.iter().any(|c| c.id == saved.commit));
    let command = command(run, point, stop, saved);
    let cwd = run
        .work_tree()
        .map_or_else(|| fallback_cwd(run), ToOwned::to_owned);
    Handoff {
        briefing: briefing(run, point, stop, saved, &command, &cwd).into(),
        argv: vec!["claude".into()],
        prompt: command.into(),
        cwd,
        ..Handoff::default()
    }
}

fn fallback_cwd(run: &Run) -> PathBuf {
    run.manifest
        .as_ref()
        .and_then(|manifest| manifest.path().parent().map(ToOwned::to_owned))
        .or_else(|| run.sources.scratch())
        .unwrap_or_default()
}

/// What to type: `/replay` with the scratch folder while its marker leads to the run, else with the manifest.
fn command(run: &Run, point: &PointId, stop: Option<&Stop>, saved: Option<&Saved>) -> String {
    if point.0 == "fresh" {
        return format!("/{}", run.skill);
    }
    let scratch = run.marker().and_then(|_| run.sources.scratch());
    let manifest = run.manifest.as_ref().map(|manifest| manifest.path());
    let path = scratch
        .or(manifest)
        .unwrap_or_default()
        .display()
        .to_string();
    let path = if path.contains(char::is_whitespace) {
        format!("\"{path}\"")
    } else {
        path
    };
    let phase = stop
        .filter(|stop| first_of_phase(run, stop))
        .map(|stop| stop.phase);
    let phase = phase.map(|phase| format!(" --from-phase {phase}"));
    let restored = match (saved, stop) {
        (Some(saved), _) => format!(
            " (files are already restored to {}: restore nothing again)",
            saved.reason
        ),
        (None, Some(_)) => {
            " (no checkpoint was restored: go on with the files as they are)".to_owned()
        }
        (None, None) => " (resume with current disk state: restore nothing)".to_owned(),
    };
    format!("/replay {path}{}{restored}", phase.unwrap_or_default())
}

/// True where `--from-phase` means this boundary. Phase 1 has none.
fn first_of_phase(run: &Run, stop: &Stop) -> bool {
    let begun = run
        .work
        .current()
        .is_none_or(|facts| facts.name.rank >= stop.rank);
    begun && ["phase-2", "wave-1", "phase-4"].contains(&stop.id.as_str())
}

fn briefing(
    run: &Run,
    point: &PointId,
    stop: Option<&Stop>,
    saved: Option<&Saved>,
    command: &str,
    cwd: &std::path::Path,
) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "Project: {}", cwd.display());
    if let Some(branch) = run.branch() {
        let _ = writeln!(
            out,
            "Branch: {branch} (if another is checked out: git switch {branch})"
        );
    }
    let _ = writeln!(out, "Type: {command}");
    if point.0 == "fresh" {
        let _ = writeln!(
            out,
            "The run {} is left as it is; starting fresh removes its marker.",
            run.session
        );
        if let Some(goal) = read::goal(run) {
            let _ = writeln!(out, "Goal: {goal}");
        }
        return out;
    }
    let _ = writeln!(
        out,
        "Installed as a plugin, the command is /crucible:replay."
    );
    if run.marker().is_some() {
        let _ = writeln!(
            out,
            "/build in the project offers the same while the run's marker is there."
        );
    }
    if let Some(saved) = saved {
        let _ = writeln!(
            out,
            "The work tree was already restored to {} ({}). Do not restore it a second time.",
            saved.reason,
            saved.at.at.to_rfc3339()
        );
    }
    let _ = writeln!(
        out,
        "New entries go to {}; take the highest seq plus one.",
        manifest_path(run)
    );
    out.push('\n');
    out.push_str(&state_block(run, stop, saved));
    out
}

fn manifest_path(run: &Run) -> String {
    run.manifest.as_ref().map_or_else(
        || "the manifest".to_owned(),
        |m| m.path().display().to_string(),
    )
}

/// The block between `===COMPRESSION_STATE===` and its end.
fn state_block(run: &Run, stop: Option<&Stop>, saved: Option<&Saved>) -> String {
    let current = run
        .work
        .current()
        .map_or("4", |facts| facts.name.base.as_str());
    let phase = stop.map_or(current, |stop| stop.phase);
    let rank = phases::understand(&run.skill, phase).map(|p| p.rank);
    let before: Vec<&str> = run
        .work
        .phases
        .iter()
        .filter(|facts| rank.is_some_and(|rank| facts.name.rank < rank))
        .map(|facts| facts.name.base.as_str())
        .collect();
    let mut out = String::from("===COMPRESSION_STATE===\n");
    let _ = writeln!(
        out,
        "Goal: {}",
        read::goal(run).unwrap_or("not recorded; ask")
    );
    let _ = writeln!(out, "Skill: {}", run.skill);
    let _ = writeln!(out, "Phase: {phase}");
    let _ = writeln!(out, "Health: GREEN (reset on resume)");
    out.push_str("Progress:\n");
    if let Some(last) = before.last() {
        let _ = writeln!(
            out,
            "- Phases {} through {last} completed in prior session",
            before.first().unwrap_or(last)
        );
    }
    let from = saved.map_or_else(
        || "current disk state".to_owned(),
        |saved| saved.reason.clone(),
    );
    let _ = writeln!(out, "- Resuming from {from} via replay");
    items(&mut out, milestones(run));
    out.push_str("Key Decisions (prior session):\n");
    items(&mut out, decisions(run));
    out.push_str("Active Constraints:\n");
    items(&mut out, constraints(run));
    if let Some(last) = before.last() {
        let _ = writeln!(
            out,
            "- Replay session -- prior work verified through Phase {last}"
        );
    }
    out.push_str("Files Modified:\n");
    let baseline = run.marker().and_then(|m| m.baseline_sha.as_deref());
    let _ = match baseline {
        Some(sha) => writeln!(out, "- see git log {sha}..HEAD"),
        None => writeln!(out, "- see git log"),
    };
    out.push_str("Scratch State:\n");
    let scratch = run
        .sources
        .scratch()
        .map_or_else(|| manifest_path(run), |path| path.display().to_string());
    let _ = writeln!(out, "- Location: {scratch}");
    out.push_str(
        "- Recovery: pipeline-status.md, handoff manifests, manifest.jsonl\nNext Steps:\n",
    );
    for (number, step) in (1..).zip(next_steps(run, phase, stop)) {
        let _ = writeln!(out, "{number}. {step}");
    }
    out.push_str("===END_COMPRESSION_STATE===\n");
    out
}

fn items(out: &mut String, items: impl IntoIterator<Item = String>) {
    for item in items {
        let _ = writeln!(out, "- {item}");
    }
}

/// What the manifest says was done, by phase.
fn milestones(run: &Run) -> Vec<String> {
    let phases = run.work.phases.iter().filter(|facts| facts.total > 0);
    let mut all: Vec<String> = phases
        .map(|facts| {
            format!(
                "Phase {}: {} of {} dispatches done",
                facts.name.base, facts.done, facts.total
            )
        })
        .collect();
    all.truncate(MILESTONES);
    all
}

fn decisions(run: &Run) -> Vec<String> {
    let handoffs = run
        .documents
        .handoffs
        .iter()
        .rev()
        .flat_map(|doc| doc.what.decisions.iter());
    let status = run
        .documents
        .status
        .iter()
        .flat_map(|doc| doc.what.decisions.iter());
    let mut all = distinct(handoffs.chain(status));
    all.truncate(DECISIONS);
    if all.is_empty() {
        all.push("none recorded".to_owned());
    }
    all
}

fn constraints(run: &Run) -> Vec<String> {
    let handoffs = run
        .documents
        .handoffs
        .iter()
        .rev()
        .flat_map(|doc| doc.what.constraints.iter());
    let status = run
        .documents
        .status
        .iter()
        .flat_map(|doc| doc.what.constraints.iter());
    let mode = mode(run);
    distinct(
        handoffs
            .chain(status)
            .chain(&run.documents.cairn)
            .chain(mode.iter()),
    )
}

/// Feature or refactoring: from the newest hand-off, else from the mode file, which any project may have
/// overwritten.
fn mode(run: &Run) -> Option<String> {
    let told = run
        .documents
        .handoffs
        .iter()
        .rev()
        .find_map(|doc| doc.what.mode.clone());
    let file = || {
        let text = &run.documents.mode.as_ref()?.what;
        crate::formats::markdown::value(text.lines(), "mode")
            .map(|m| format!("{m} (from the shared mode file; confirm)"))
    };
    told.or_else(file).map(|mode| format!("Mode: {mode}"))
}

fn distinct<'a>(items: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for item in items {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    all
}

/// What comes next: the boundary itself, what the phase needs to begin, the open dispatches, what was planned.
fn next_steps(run: &Run, phase: &str, stop: Option<&Stop>) -> Vec<String> {
    let mut all = Vec::new();
    all.push(stop.map_or_else(
        || format!("Go on with phase {phase} on the files as they are"),
        |stop| format!("Go on at: {}", stop.label),
    ));
    let into = run
        .documents
        .handoffs
        .iter()
        .rev()
        .find(|doc| doc.what.to == phase);
    all.extend(
        into.into_iter()
            .flat_map(|doc| &doc.what.inputs)
            .map(|(name, value)| format!("Input {name}: {value}")),
    );
    if let Some(manifest) = run.manifest.as_deref() {
        let open = run
            .work
            .standing(manifest)
            .filter(|(_, entry)| entry.status == LineStatus::Dispatched);
        all.extend(open.take(DECISIONS).map(|(_, entry)| {
            format!(
                "Dispatch again: {} (was seq {}; replay_of {})",
                read::named(manifest, entry),
                entry.seq,
                entry.seq
            )
        }));
    }
    all.extend(
        run.documents
            .status
            .iter()
            .flat_map(|doc| doc.what.next_steps.iter().cloned()),
    );
    all
}
