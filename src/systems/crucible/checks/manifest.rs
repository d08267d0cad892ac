//! F1 and F2: the manifest itself.

use crate::systems::crucible::facts::{Run, evidence};
use crate::systems::crucible::shape::Manifest;
use crate::systems::kit::checks::{Made, Outcome, fail, pass, skipped, warn};
use crate::text::format::{count, count_of, list_first};
use crate::world::World;

fn manifest(run: &Run) -> Result<&Manifest, Outcome> {
    run.manifest.as_deref().ok_or_else(|| {
        let problem = evidence::manifest_problem(run);
        let text = format!("{problem}, so nothing that it records can be verified.");
        skipped(text)
    })
}

pub(crate) fn integrity(run: &Run, world: &dyn World) -> Made {
    let manifest = manifest(run)?;
    let lines = manifest.rows.len();
    let read = count(lines, "line");
    if lines == 0 && manifest.bad_count == 0 && evidence::is_not_started(run, world) {
        return Ok(pass("The manifest is empty: nothing was dispatched yet."));
    }
    if lines == 0 {
        return Ok(fail(
            "Manifest is empty or entirely corrupted. Cannot resume.",
            "Look for another copy of manifest.jsonl and open it by its path: relight show PATH.",
        ));
    }
    if let Some(first) = run.work.cut_off.first() {
        let text = format!(
            "{read} can be read, but the manifest ends early: the outcome of dispatch {first} is missing, although later records show that the run left its phase."
        );
        let remedy = "Compare the plan's tasks with git log before you resume.";
        return Ok(warn(text, remedy));
    }
    if manifest.bad_count == 0 {
        return Ok(pass(format!("Every line can be read ({read}).")));
    }
    let what = if manifest.only_torn {
        "only the last line is truncated".to_owned()
    } else {
        let skipped = count_of(manifest.bad_count, "line is skipped", "lines are skipped");
        let numbers = list_first(manifest.bad.iter().map(|bad| bad.number), 5);
        format!("{skipped} (line {numbers})")
    };
    let unended = if manifest.ended {
        ""
    } else {
        " The file does not end in a newline, so the next entry would be appended to its last line."
    };
    let remedy = if manifest.ended {
        "Nothing to repair; look at the skipped lines of the file before you resume."
    } else {
        "Look at the last line of the file. The hand-off says to end it with a newline before the next entry."
    };
    Ok(warn(
        format!("{read} can be read; {what}.{unended}"),
        remedy,
    ))
}

pub(crate) fn order(run: &Run) -> Made {
    let manifest = manifest(run)?;
    let mut odd: Vec<String> = Vec::new();
    let (mut expected, mut gaps) = (1, 0_u64);
    for entry in &manifest.entries {
        let seq = entry.seq;
        let missing = seq != expected;
        gaps += u64::from(missing);
        if odd.len() < 5 {
            if missing {
                odd.push(format!("{expected} is missing before {seq}"));
            }
            if entry.flags.prefix_mismatch {
                odd.push(format!("the file of {seq} starts with another number"));
            }
            if entry.flags.role_changed {
                odd.push(format!("{seq} was used for two roles"));
            }
        }
        expected = seq.saturating_add(1);
    }
    odd.truncate(5);
    if odd.is_empty() {
        let dispatches = count(manifest.entries.len(), "dispatch");
        return Ok(pass(format!("{dispatches} without a gap.")));
    }
    let gaps = (gaps > 5).then(|| format!(" ({gaps} gaps in all)"));
    let gaps = gaps.unwrap_or_default();
    Ok(warn(
        format!("{}{gaps}.", odd.join("; ")),
        "New dispatches get the highest number plus one; compare the named entries in the timeline.",
    ))
}
