//! F6 to F9 and F12: traces that completed dispatches must have left, and traces that interrupted ones may have left.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::model::{DispatchStatus, Subject, Verdict};
use crate::systems::crucible::facts::roles::{Kind, kind, prescribed};
use crate::systems::crucible::facts::{Run, Unit, UnitState, templates};
use crate::systems::crucible::shape::manifest::template;
use crate::systems::crucible::shape::{Entry, Manifest};
use crate::systems::kit::checks::{Outcome, fail, found, pass, skipped, warn};
use crate::systems::kit::odd_files::lack;
use crate::text::format::{count, short_id};
use crate::world::World;
use crate::world::git::Commit;

use super::{Scene, dispatch};
use crate::text::Shown as _;

/// How many problems of one check are listed; the rest are counted in one more.
const LISTED: usize = 200;
/// How far a commit may be outside the recorded time of its dispatch: clocks and headers are written by hand.
const MARGIN: TimeDelta = TimeDelta::minutes(2);
/// The remedy if a dispatch file cannot be regenerated from its template.
const NO_TEMPLATE: &str = "Use the current templates of its role, or start over.";

/// Lists the problems of some dispatches and counts those without one, which replaces `{}` in `passed`.
fn report<'a>(
    manifest: &Manifest,
    entries: impl Iterator<Item = &'a Entry>,
    mut check: impl FnMut(&Entry) -> Option<Outcome>,
    passed: &str,
    none: &'static str,
) -> Vec<Outcome> {
    let (mut all, mut good) = (Vec::new(), 0_usize);
    let mut more: Option<(u64, usize, Verdict)> = None;
    for entry in entries {
        match check(entry) {
            None => good += 1,
            Some(problem) if all.len() < LISTED => {
                all.push(problem.about(dispatch(manifest, entry)));
            }
            Some(problem) => {
                let (_, count, worst) = more.get_or_insert((entry.seq, 0, problem.verdict));
                *count += 1;
                *worst = problem.verdict.max(*worst);
            }
        }
    }
    if let Some((seq, count, worst)) = more {
        let text = format!("{count} more of the same.");
        let more = found(worst, text, "Look at the dispatches listed above first.");
        all.push(more.about(Subject::DispatchesFrom(seq)));
    }
    if good > 0 {
        let text = passed.replace("{}", &count(good, "dispatch"));
        let about = if all.is_empty() {
            "dispatches"
        } else {
            "other dispatches"
        };
        all.push(pass(text).about(about));
    } else if all.is_empty() {
        all.push(pass(none));
    }
    all
}

/// The dispatches of one kind that count as completed.
fn completed(run: &Run, wanted: Kind) -> impl Iterator<Item = &Entry> {
    // A dispatch whose outcome was cut off counts as done because of later records, and must have left the same traces.
    let ended = |entry: &Entry| {
        matches!(
            entry.status,
            DispatchStatus::Completed | DispatchStatus::Dispatched
        )
    };
    let done = run
        .counted()
        .filter(|(unit, _)| unit.state == UnitState::Done);
    done.map(|(_, entry)| entry)
        .filter(move |entry| ended(entry))
        .filter(of_kind(run, wanted))
}

/// Whether a dispatch is of a kind. The same few roles occur again and again, so each is classified once.
fn of_kind(run: &Run, wanted: Kind) -> impl FnMut(&&Entry) -> bool {
    let mut known = HashMap::new();
    move |entry| {
        let judged = || kind(run.role(entry)) == wanted;
        *known.entry(entry.role).or_insert_with(judged)
    }
}

/// What the manifest says of a dispatch that counts as completed, to continue a sentence.
fn recorded(entry: &Entry) -> &'static str {
    if entry.status == DispatchStatus::Dispatched {
        "Its outcome is missing from the manifest"
    } else {
        "It is recorded as completed"
    }
}

fn open(run: &Run, is_open: fn(&Unit) -> bool) -> impl Iterator<Item = &Entry> {
    let open = run.counted().filter(move |(unit, _)| is_open(unit));
    open.map(|(_, entry)| entry)
}

/// The commits in the time of a dispatch, and whether its end is recorded. Committer times may be out of order, so
/// every commit is checked.
fn commits_of<'a>(scene: &Scene<'a>, entry: &Entry) -> Result<(Vec<&'a Commit>, bool), Outcome> {
    let run = scene.run;
    let commits = run.commits(scene.world).map_err(skipped)?;
    let span = || {
        let start: DateTime<FixedOffset> = run.start_of(entry)?.at;
        let seconds = entry.duration_s().and_then(|s| i64::try_from(s).ok());
        let known = seconds.and_then(TimeDelta::try_seconds);
        let end = match known {
            Some(duration) => start.checked_add_signed(duration)?,
            None => run.last_write.map_or(start, |at| at.fixed_offset()),
        };
        let from = start.checked_sub_signed(MARGIN)?;
        Some((from..=end.checked_add_signed(MARGIN)?, known.is_some()))
    };
    let (span, bounded) = span().ok_or_else(|| {
        let lack = lack(run.files.odd(entry.seq), "is missing");
        skipped(format!(
            "Its dispatch file {lack}, so the time it ran is unknown."
        ))
    })?;
    let own = commits.iter().filter(|commit| span.contains(&commit.time));
    Ok((own.collect(), bounded))
}

pub(crate) fn commits(scene: &Scene<'_>, manifest: &Manifest) -> Vec<Outcome> {
    report(
        manifest,
        completed(scene.run, Kind::Mutating),
        |entry| missing_commit(scene, manifest, entry),
        "The commits of {} were found.",
        "No completed dispatch changes files.",
    )
}

/// Finds a completed dispatch that should have changed files but has no commit.
fn missing_commit(scene: &Scene<'_>, manifest: &Manifest, entry: &Entry) -> Option<Outcome> {
    let (made, bounded) = match commits_of(scene, entry) {
        Ok(made) => made,
        Err(problem) => return Some(problem),
    };
    let Some(first) = made.first() else {
        // Without a duration its time has no end, so its commit may have been made later.
        let verdict = if bounded {
            Verdict::Fail
        } else {
            Verdict::Warn
        };
        let recorded = recorded(entry);
        let text = format!("{recorded}, and no commit of the branch was made in its time.");
        let remedy = "Look for its work with git log --all, or resume at an earlier boundary.";
        return Some(found(verdict, text, remedy));
    };
    let subjects = prescribed(manifest.role(entry), manifest.word(entry.task));
    let fits = |commit: &&Commit| {
        let subject = commit.subject.lossy();
        subjects
            .iter()
            .any(|prescribed| subject.starts_with(prescribed.as_str()))
    };
    if subjects.is_empty() || made.iter().any(fits) {
        return None;
    }
    let (id, subject) = (short_id(&first.id), first.subject.shown());
    let text = format!(
        "A commit was made in its time ({id} `{subject}`), but its subject is not the prescribed one."
    );
    Some(warn(text, format!("git show {id}")))
}

pub(crate) fn outputs(scene: &Scene<'_>, manifest: &Manifest) -> Vec<Outcome> {
    let run = scene.run;
    let receipts = run.documents.receipts.iter();
    let receipts = receipts.map(|r| (r.seq, r.verdict.as_str())).collect();
    report(
        manifest,
        completed(run, Kind::Output),
        |entry| missing_output(run, manifest, entry, &receipts),
        "The output of {} was found.",
        "No completed dispatch writes a report.",
    )
}

/// Finds a report without a dispatch file or receipt. No source names the report itself.
fn missing_output(
    run: &Run,
    manifest: &Manifest,
    entry: &Entry,
    receipts: &BTreeMap<u64, &str>,
) -> Option<Outcome> {
    match receipts.get(&entry.seq).copied() {
        Some("PASS") => return None,
        Some(_) => {
            return Some(fail(
                if entry.status == DispatchStatus::Dispatched {
                    "Its outcome is missing from the manifest, and its receipt does not say that it passed."
                } else {
                    "It is recorded as completed, and its receipt says otherwise."
                },
                "Read the receipt ledger beside the manifest, or resume at an earlier boundary.",
            ));
        }
        None if run.files.places.contains_key(&entry.seq) => return None,
        None => {}
    }
    // A cleanup or a restart removes all of these files. If only some are missing, they were removed separately.
    if run.files.is_empty() {
        return Some(warn(
            "Only the manifest records it: the dispatch files were removed.",
            "A cleanup after a success removes these files; nothing to do unless the review matters.",
        ));
    }
    let attempt = |other: &Entry| (other.phase, other.role, other.task);
    let repeats = |seq: &u64| {
        let other = manifest.entry(*seq);
        let done = other.filter(|other| other.status == DispatchStatus::Completed);
        done.is_some_and(|other| attempt(other) == attempt(entry))
    };
    // Only dispatches with an output are checked: comparing each with all others would be quadratic.
    let after = (Bound::Excluded(entry.seq), Bound::Unbounded);
    let files = run.files.places.range(after).map(|(seq, _)| *seq);
    let receipts = receipts.range(after);
    let passed = receipts.filter(|(_, verdict)| **verdict == "PASS");
    let outputs = files.chain(passed.map(|(seq, _)| *seq));
    let lack = lack(run.files.odd(entry.seq), "was removed");
    Some(match outputs.filter(repeats).min() {
        Some(later) => warn(
            format!(
                "Its dispatch file {lack}; dispatch {later} repeated the work and has its output."
            ),
            "Nothing to do unless the earlier review matters.",
        ),
        None => fail(
            format!("{}, and its dispatch file {lack}.", recorded(entry)),
            "Restore the file, or resume at an earlier boundary so that the review runs again.",
        ),
    })
}

pub(crate) fn others(scene: &Scene<'_>, manifest: &Manifest) -> Vec<Outcome> {
    let entries = completed(scene.run, Kind::Conversation);
    let (passed, none) = ("No file is expected from {}.", "No file is expected.");
    report(manifest, entries, |_| None, passed, none)
}

pub(crate) fn partial_commits(scene: &Scene<'_>, manifest: &Manifest) -> Vec<Outcome> {
    let run = scene.run;
    report(
        manifest,
        open(run, |unit| unit.state == UnitState::Open).filter(of_kind(run, Kind::Mutating)),
        |entry| {
            let made = match commits_of(scene, entry) {
                Ok((made, _)) => made.into_iter().take(10),
                Err(problem) => return Some(problem),
            };
            let ids: Vec<&str> = made.map(|commit| short_id(&commit.id)).collect();
            (!ids.is_empty()).then(|| {
                let text = format!(
                    "Commits were made in the time of this interrupted dispatch: {}. A restore overwrites files that they changed; the commits stay.",
                    ids.join(", ")
                );
                warn(text, format!("git show --stat {}", ids.join(" ")))
            })
        },
        "No commit was made in the time of {}.",
        "No dispatch that changes files was in flight.",
    )
}

/// Open dispatches have their dispatch file. A missing one can be regenerated if its template is still installed.
pub(crate) fn files(scene: &Scene<'_>, manifest: &Manifest) -> Vec<Outcome> {
    let run = scene.run;
    // The installed templates are searched once, and only if a dispatch file is missing.
    let mut folders: Option<Vec<PathBuf>> = None;
    report(
        manifest,
        open(run, |unit| unit.is_open()),
        |entry| {
            let odd = run.files.odd(entry.seq);
            // Another file of that number may be the one.
            let is_readable = || {
                let mut places = run.files.places.get(&entry.seq).into_iter().flatten();
                places.any(|place| scene.world.files().read_range(place, 0, 1).is_ok())
            };
            if let Some(odd) = odd.filter(|_| !is_readable()) {
                let text = format!("Its dispatch file {}.", odd.problem);
                return Some(warn(text, odd.remedy.as_str()));
            }
            if run.files.places.contains_key(&entry.seq) {
                return None;
            }
            let folders =
                folders.get_or_insert_with(|| templates::folders(&run.skill, scene.world));
            Some(missing_file(manifest, entry, folders, scene.world))
        },
        "The dispatch files of {} exist.",
        "Nothing is open, so no dispatch file is needed.",
    )
}

fn missing_file(
    manifest: &Manifest,
    entry: &Entry,
    folders: &[PathBuf],
    world: &dyn World,
) -> Outcome {
    if folders.is_empty() {
        return warn(
            "Its dispatch file is missing; it must be regenerated from its template, role, phase and task, but no installed templates were found here.",
            "Let /replay regenerate it; if the template is missing too, use the current templates or abort.",
        );
    }
    let mut lines = manifest.reread(world.files());
    let line = lines.members(entry).unwrap_or_default();
    let name = template(|key| line.shown(key));
    let Some(name) = name.filter(|name| !name.is_empty() && name != "unknown") else {
        let text = "Its dispatch file is missing, and its template is not recorded.";
        return fail(text, NO_TEMPLATE);
    };
    if let Some(path) = templates::find(folders, &name, world) {
        let text = format!(
            "Its dispatch file is missing; it can be regenerated from {} with its role, phase and task.",
            path.shown()
        );
        warn(text, "Let /replay regenerate it.")
    } else {
        let text =
            format!("Its dispatch file is missing, and no installed template is named {name}.");
        fail(text, NO_TEMPLATE)
    }
}
