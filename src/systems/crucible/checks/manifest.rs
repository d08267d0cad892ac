//! F1 and F2: the manifest itself.

use crate::model::{Check, Verdict};
use crate::systems::crucible::facts::Run;
use crate::systems::crucible::facts::evidence;
use crate::systems::crucible::shape::manifest::Manifest;

/// Both checks; skipped where there is no manifest.
pub(crate) fn checks(run: &Run) -> Vec<Check> {
    let Some(manifest) = &run.manifest else {
        let text = format!(
            "{}, so nothing it would record can be verified.",
            evidence::what_is_wrong(run)
        );
        let skipped = |id, subject| Check::new(id, subject, Verdict::Skipped, text.clone());
        return vec![
            skipped("F1", "manifest integrity"),
            skipped("F2", "order of dispatches"),
        ];
    };
    vec![integrity(run, manifest), order(manifest)]
}

/// F1: every line parses.
fn integrity(run: &Run, manifest: &Manifest) -> Check {
    let check =
        |verdict, evidence: String| Check::new("F1", "manifest integrity", verdict, evidence);
    if manifest.rows.is_empty() {
        return check(
            Verdict::Fail,
            "Manifest is empty or entirely corrupted. Cannot resume.".to_owned(),
        )
        .remedy(
            "Look for another copy of manifest.jsonl and open it by its path: relight show PATH.",
        );
    }
    let lines = manifest.rows.len();
    if let Some(first) = run.work.cut_off.first() {
        let text = format!(
            "{lines} lines can be read, and the manifest breaks off: the outcome of dispatch {first} is missing, though later records say that its phase was left."
        );
        return check(Verdict::Warn, text)
            .remedy("Compare the plan's tasks with git log before resuming.");
    }
    if manifest.bad_count == 0 {
        return check(Verdict::Pass, format!("All {lines} lines can be read."));
    }
    let numbers: Vec<String> = manifest
        .bad
        .iter()
        .take(5)
        .map(|bad| bad.number.to_string())
        .collect();
    let what = if manifest.only_torn {
        "only the last line is torn".to_owned()
    } else {
        let more = if manifest.bad_count > 5 { ", …" } else { "" };
        format!(
            "{} lines are skipped (line {}{more})",
            manifest.bad_count,
            numbers.join(", ")
        )
    };
    let glue = if manifest.ended {
        ""
    } else {
        " The file does not end in a newline, so the next entry would be glued to its last line."
    };
    check(
        Verdict::Warn,
        format!("{lines} lines can be read; {what}.{glue}"),
    )
    .remedy("Nothing to repair; look at the skipped lines of the file before resuming.")
}

/// F2: numbers without gaps, files named after them, one role a number.
fn order(manifest: &Manifest) -> Check {
    let mut odd: Vec<String> = Vec::new();
    let mut expected = 1;
    let mut gaps = 0_u64;
    for entry in &manifest.entries {
        if entry.seq != expected {
            gaps += 1;
            note(&mut odd, || {
                format!("{expected} is missing before {}", entry.seq)
            });
        }
        expected = entry.seq.saturating_add(1);
        if entry.flags.prefix_mismatch {
            note(&mut odd, || {
                format!("the file of {} begins with another number", entry.seq)
            });
        }
        if entry.flags.role_changed {
            note(&mut odd, || format!("{} was used for two roles", entry.seq));
        }
    }
    let count = manifest.entries.len();
    let subject = "order of dispatches";
    if odd.is_empty() {
        return Check::new(
            "F2",
            subject,
            Verdict::Pass,
            format!("{count} dispatches without a gap."),
        );
    }
    let gaps = if gaps > 5 {
        format!(" ({gaps} gaps in all)")
    } else {
        String::new()
    };
    Check::new("F2", subject, Verdict::Warn, format!("{}{gaps}.", odd.join("; ")))
        .remedy("New dispatches take the highest number plus one; compare the named entries in the timeline.")
}

/// Keeps the first few oddities.
fn note(odd: &mut Vec<String>, text: impl FnOnce() -> String) {
    if odd.len() < 5 {
        odd.push(text());
    }
}
