//! What the reading of a run noticed beyond the lines that were skipped.

use crate::model::{Finding, Origin, Severity};
use crate::systems::crucible::facts::{Run, RunKind};
use crate::systems::crucible::shape::manifest::LineStatus;
use crate::systems::plural;

/// What the reading noticed, in order of reading.
pub(crate) fn findings(run: &Run) -> Vec<Finding> {
    let mut all = run.findings.clone();
    let file = super::state_files(run)
        .into_iter()
        .next()
        .unwrap_or_default();
    let mut warn = |code, text: String| {
        all.push(Finding::new(
            Severity::Warn,
            code,
            Origin::file(&file),
            text,
        ));
    };
    for seq in run.work.cycles.iter().take(20) {
        warn(
            "replay-cycle",
            format!("The `replay_of` of dispatch {seq} leads back to itself and is not followed."),
        );
    }
    for label in run.work.strange_labels.iter().take(20) {
        warn(
            "unknown-phase",
            format!(
                "The phase `{label}` is in no table of {}; it is placed where it was first seen.",
                run.skill
            ),
        );
    }
    for facts in run.work.holes() {
        let base = &facts.name.base;
        warn(
            "open-work-behind",
            format!(
                "Phase {base} has open work although the run went on: {}.",
                facts.crossed.as_deref().unwrap_or_default()
            ),
        );
    }
    if let Some(manifest) = &run.manifest {
        let unknown = manifest
            .entries
            .iter()
            .filter(|e| e.status == LineStatus::Unknown);
        for entry in unknown.take(20) {
            let origin = Origin {
                file: manifest.path(),
                line: manifest.line_of(entry),
            };
            all.push(Finding::new(
                Severity::Warn,
                "unknown-status",
                origin,
                format!(
                    "The status of dispatch {} is a word nobody knows; it counts as not done.",
                    entry.seq
                ),
            ));
        }
    }
    if let (Some(first), Some(last)) = (run.work.cut_off.first(), run.work.cut_off.last()) {
        let count = run.work.cut_off.len();
        let text = format!(
            "The manifest breaks off: {} ({first} to {last}) {} no recorded outcome, though later records say that the phase was left.",
            plural::of(count, "dispatch", "dispatches"),
            plural::agree(count, "has", "have"),
        );
        all.push(Finding::new(
            Severity::Warn,
            "manifest-cut",
            Origin::file(&file),
            text,
        ));
    }
    if run.work.experiments > 0 {
        let text = format!(
            "{} entries belong to a replay with template mutations and say nothing about the run itself.",
            run.work.experiments
        );
        all.push(Finding::inferred(
            "replay-experiment",
            Origin::file(&file),
            text,
        ));
    }
    if run.kind == RunKind::Eval {
        all.push(Finding::inferred(
            "eval-run",
            Origin::file(&file),
            "This is a run of upstream's evaluation harness and is not resumed.",
        ));
    }
    for path in &run.documents.stale_handoffs {
        all.push(Finding::new(
            Severity::Info,
            "stale-handoff",
            Origin::file(path),
            "This hand-off is older than the run, or its age cannot be told; it is not used.",
        ));
    }
    all
}
