//! Checks of the log and its history: S14 to S16, and the check of an unreadable state file.

use crate::formats::json;
use crate::model::{Stamp, Zone};
use crate::systems::superscientist::facts::{Facts, Scene};
use crate::systems::superscientist::shape::{LOG, Log, STATE, StageStatus, log, sniff};
use crate::text::format::count_of;
use crate::world::World;

use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};
use crate::systems::kit::odd_files::quoted;

/// S1 for an unreadable state file: what is in its place, or which version could replace it.
pub(crate) fn unreadable(facts: &Facts, why: &str, world: &dyn World) -> Outcome {
    let stuck = "No session can resume without it.";
    if let Some(odd) = &facts.odd_state {
        let text = format!("The state file {}. {stuck}", odd.problem);
        return fail(text, odd.remedy.clone());
    }
    let text = format!("The state file is missing or corrupted: {why}. {stuck}");
    if let Some(copy) = copy(facts, world) {
        let (from, to) = (quoted(&facts.wf.join(&copy)), quoted(&facts.state_path()));
        let remedy = format!(
            "{copy} beside it is complete. Compare it with the log, which may be ahead of it; then: cp {from} {to}"
        );
        return fail(text, remedy);
    }
    let remedy = match facts.saved.as_ref().zip(facts.in_repo(STATE)) {
        Some((saved, (_, rel))) => {
            let short: String = saved.commit.chars().take(12).collect();
            let (path, wf) = (quoted(&rel), quoted(&facts.wf));
            format!(
                "See the last complete version: `git show {short}:{path}`; restore it: `relight restore {wf} --checkpoint {short} --path {path}`. The log may be ahead of it."
            )
        }
        None => match facts.git_unread() {
            Some(why) => format!(
                "Restore the last complete version from a backup. Whether git has one is unknown: {why}."
            ),
            None => "Restore the last complete version from a backup; git has none.".to_owned(),
        },
    };
    fail(text, remedy)
}

/// A whole copy of the state file beside it, by any other name that begins with its name.
fn copy(facts: &Facts, world: &dyn World) -> Option<String> {
    let names = facts.names.iter().filter_map(|name| name.to_str());
    let mut copies = names.filter(|name| *name != STATE && name.starts_with(STATE));
    let whole = |name: &&str| {
        let bytes = world.files().content(&facts.wf, name);
        let map = bytes.and_then(|bytes| json::object(&bytes).ok());
        map.is_some_and(|map| sniff::lacks(&map).is_none())
    };
    copies.find(whole).map(str::to_owned)
}

/// S14: the log's last status of each stage is the state file's.
pub(crate) fn statuses(scene: &Scene<'_>) -> Vec<Outcome> {
    if let Some(why) = &scene.facts.log.missing {
        return vec![skipped(format!(
            "The state file cannot be compared with the log: {why}."
        ))];
    }
    if scene.facts.is_log_emptied() {
        let text = "The log is empty although work was done, so nothing confirms the state file.";
        let remedy = "Restore it from git or from a backup; without one, the next session begins it with a note about the loss.";
        return vec![warn(text, remedy)];
    }
    let mut found = Vec::new();
    for stage in scene.stages() {
        let logged = stage.number().and_then(|n| scene.facts.log.status(n));
        let Some((status, line)) = logged.filter(|(status, _)| *status != stage.word) else {
            continue;
        };
        let (what, remedy) = if log::is_ahead(stage.status, StageStatus::parse(status)) {
            (
                "The log is ahead of the state file",
                "Verify the results on disk before the stage is run again: the state file is older than the log.",
            )
        } else {
            (
                "The log and the state file disagree",
                "Check what the files on disk show; a line is missing in the log, and the next transition corrects both.",
            )
        };
        let word = &stage.word;
        let text = format!("{what}: the state says {word}, line {line} of the log says {status}.");
        found.push(warn(text, remedy).about(stage.subject()));
    }
    found
}

/// S15: sessions that started but did not end.
pub(crate) fn sessions(scene: &Scene<'_>) -> Vec<Outcome> {
    let seen = scene.facts.log.sessions();
    let text = match (seen.started, seen.open) {
        (0, _) => "The log has no session.".to_owned(),
        (1, 0) => "The only session ended normally.".to_owned(),
        (1, _) => "The only session has no end line: it crashed or is still running.".to_owned(),
        (started, 0) => format!("All {started} sessions ended normally."),
        (started, open) => format!(
            "{open} of {started} sessions have no end line: a crash, or a session that is still running."
        ),
    };
    vec![pass(text)]
}

/// S16: the log only ever grew.
pub(crate) fn append_only(scene: &Scene<'_>) -> Vec<Outcome> {
    let log = &scene.facts.log;
    if let Some(odd) = &scene.facts.odd_log {
        let text = format!("progress.log {}.", odd.problem);
        return vec![warn(text, odd.remedy.clone())];
    }
    if let Some(why) = &log.missing {
        let remedy = "Resume with a session: it creates a new log with a note about the loss.";
        return vec![warn(format!("There is no log: {why}."), remedy)];
    }
    let mut found = Vec::new();
    if let Some(text) = disordered(log) {
        let remedy = "Order by line, not by time: a model, or the clock of another machine, dated some lines.";
        found.push(warn(text, remedy));
    }
    match committed_log(scene) {
        Err(why) if found.is_empty() => {
            let text = format!("The times increase. Not compared with git: {why}.");
            found.push(pass(text));
        }
        Err(_) => {}
        Ok(old) if log.bytes.starts_with(&old) => {}
        Ok(old) => {
            let shorter = log.bytes.len() < old.len();
            let what = if shorter {
                "is shorter than"
            } else {
                "does not start with"
            };
            let text = format!(
                "The log {what} its last committed version: it was rewritten although it is append-only."
            );
            let remedy = "Compare: `git diff HEAD -- progress.log`; add the lost lines again.";
            found.push(warn(text, remedy));
        }
    }
    found
}

/// The lines whose times are not in order. One line that is dated in the future makes every later one, which relight may
/// have recorded with the right time, a line before an earlier one: the smaller set names what is odd.
fn disordered(log: &Log) -> Option<String> {
    let stated = log.lines.iter().filter_map(|line| {
        let at = line.at.filter(|at| at.zone == Zone::Stated)?;
        Some((line.number, at))
    });
    let (mut newest, mut oldest) = (None, None);
    let mut before: Vec<u64> = Vec::new();
    for (number, at) in stated.clone() {
        before.extend(newest.is_some_and(|newest| at < newest).then_some(number));
        newest = newest.max(Some(at));
    }
    let mut after: Vec<u64> = Vec::new();
    for (number, at) in stated.rev() {
        after.extend(oldest.is_some_and(|oldest| at > oldest).then_some(number));
        oldest = Some(oldest.map_or(at, |oldest: Stamp| oldest.min(at)));
    }
    let (all, first, what) = if before.len() < after.len() {
        (&before, before.first()?, "before an earlier one")
    } else {
        (&after, after.last()?, "after a later one")
    };
    let lines = count_of(all.len(), "line is", "lines are");
    Some(format!("{lines} dated {what}, the first is line {first}."))
}

fn committed_log(scene: &Scene<'_>) -> Result<Vec<u8>, String> {
    let (top, rel) = scene.facts.committed(LOG)?;
    let git = scene.world.git();
    let commits = git.path_history(top, &rel, 1).map_err(|e| e.to_string())?;
    let newest = commits.first().ok_or("the log was never committed")?;
    git.blob(top, &newest.id, &rel).map_err(|e| e.to_string())
}
