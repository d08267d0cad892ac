//! The findings of a run's reading, except skipped lines.

use crate::model::{DispatchStatus, Finding, Origin};
use crate::systems::crucible::facts::{Run, RunKind};
use crate::text::format::{count, count_of, plural};

/// The findings, in order of reading.
pub(crate) fn findings(run: &Run) -> Vec<Finding> {
    let mut all = run.findings.clone();
    let file = super::state_files(run).into_iter().next();
    let origin = Origin::file(file.unwrap_or_default());
    let mut warn = |code, text: String| {
        all.push(Finding::warn(code, origin.clone(), text));
    };
    for seq in run.work.cycles.iter().take(20) {
        let text =
            format!("The `replay_of` of dispatch {seq} leads back to itself and is not followed.");
        warn("replay-cycle", text);
    }
    for label in run.work.strange_labels.iter().take(20) {
        let skill = &run.skill;
        let text = format!(
            "The phase `{label}` is not a known phase of {skill}; it is placed where it was first seen."
        );
        warn("unknown-phase", text);
    }
    for facts in run.work.with_open_work() {
        let base = &facts.name.base;
        let crossed = facts.crossed.as_deref().unwrap_or_default();
        let text = format!("Phase {base} has open work although the run continued: {crossed}.");
        warn("open-work-behind", text);
    }
    if let (Some(first), Some(last)) = (run.work.cut_off.first(), run.work.cut_off.last()) {
        let missing = run.work.cut_off.len();
        let text = format!(
            "The manifest ends early: {} ({first} to {last}) {} no recorded outcome, though later records show that the run continued.",
            count(missing, "dispatch"),
            plural(missing, "has", "have"),
        );
        warn("manifest-cut", text);
    }
    if let Some(manifest) = &run.manifest {
        let entries = manifest.entries.iter();
        let unknown = entries.filter(|entry| entry.status == DispatchStatus::Unknown);
        for entry in unknown.take(20) {
            let origin = Origin::at(manifest.path(), manifest.line_of(entry));
            let seq = entry.seq;
            let text = format!("The status of dispatch {seq} is unknown; it counts as not done.");
            all.push(Finding::warn("unknown-status", origin, text));
        }
    }
    if run.work.experiments > 0 {
        let of_it = count_of(
            run.work.experiments,
            "entry belongs to a replay with template mutations and does",
            "entries belong to a replay with template mutations and do",
        );
        let text = format!("{of_it} not count for the run itself.");
        all.push(Finding::inferred("replay-experiment", origin.clone(), text));
    }
    if run.kind == RunKind::Eval {
        let text = "This is a run of crucible's evaluation harness and is not resumed.";
        all.push(Finding::inferred("eval-run", origin.clone(), text));
    }
    if let Some(text) = run.not_restored.clone() {
        all.push(Finding::warn("not-restored", origin, text));
    }
    for path in &run.documents.stale_handoffs {
        let text = "This hand-off is older than the run, or its age is unknown; it is not used.";
        all.push(Finding::info("stale-handoff", Origin::file(path), text));
    }
    all
}
