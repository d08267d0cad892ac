//! The start of a run, its phases and its end.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::dispatch::{in_order, seq_of, unfinished};
use super::{MANIFEST, copy, found};
use crate::foreign;
use crate::formats::json::{self, Edit, NonAscii, edit, one_line};
use crate::formats::markdown;
use crate::model::{ClockStyle, EngineError, Foreign, NextStep, Place, Result, Step};
use crate::systems::crucible::facts::MARK;
use crate::systems::crucible::facts::phase_order::{all, title, understand};
use crate::systems::crucible::facts::project::folder_names;
use crate::systems::crucible::shape;
use crate::systems::crucible::shape::sniff::PUT_AWAY;
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::text::Shown as _;

/// The skills that write a marker.
const SKILLS: [(&str, &str); 4] = [
    ("build", "1"),
    ("debugging", "0"),
    ("spec", "1"),
    ("migrate", "0"),
];

/// Starts a run: its dispatch folder, then the marker that remains after a crash.
pub(super) fn init(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let skill = ask.text("skill")?.unwrap_or_else(|| "build".to_owned());
    let first = ask.one_of("skill", &skill, &SKILLS)?;
    let places = ask.world.places();
    let claude = places.claude.as_ref();
    let claude = claude.ok_or_else(|| refused("There is no home directory for the marker."))?;
    let project = &ask.site.root;
    if *project == ask.site.dir {
        let text = "A new run is named by its session, in the directory of its project.";
        return Err(ask.usage(text));
    }
    // A project may have folders under three names, and a marker in any of them belongs to it.
    let scratches = folder_names(project).map(|name| claude.join("projects").join(name));
    let scratches = scratches.map(|folder| folder.join("memory"));
    for scratch in &scratches {
        let path = scratch.join(".pipeline-active");
        if let Some(bytes) = ask.read(&path)? {
            return Err(taken(ask, &bytes, &path.shown().to_string()));
        }
    }
    if ask.read(&ask.site.file)?.is_some() {
        let text = format!("{} exists.", ask.site.file.shown());
        return Err(refused(text).hint("A new run needs a new session."));
    }
    let exists = |path: &&PathBuf| ask.world.files().exists(&Place::root(*path));
    let [usual, ..] = &scratches;
    let scratch = scratches.iter().find(exists).unwrap_or(usual);
    let repo = ask.world.git().repo(project).ok();
    let branch = repo.as_ref().and_then(|repo| repo.branch.as_ref());
    let marker = json!({
        "pipeline_id": ask.site.key,
        "skill": skill,
        "phase": first,
        "start_time": ClockStyle::UtcSeconds.write(ask.at),
        "scratch_dir": format!("{}/", scratch.to_string_lossy()),
        "dispatch_dir": format!("{}/", ask.site.dir.to_string_lossy()),
        "branch": branch.map(Foreign::lossy).unwrap_or_default(),
        "baseline_sha": repo.as_ref().and_then(|repo| repo.head.as_deref()),
    });
    let marker = format!("{}\n", one_line(&marker, true)).into_bytes();
    let path = scratch.join(".pipeline-active");
    let manifest = replace(&ask.site.file, None, Vec::new(), "The new manifest.");
    let mut steps = vec![manifest];
    // A restart deletes the dispatch folder: without the copy, nothing could be recorded for the run any more.
    steps.extend(copy::begin(ask, scratch));
    steps.push(replace(&path, None, marker, "The marker of the run."));
    Ok(Written {
        steps,
        next: Some(next(&skill, first)),
        file: Some(ask.site.dir.clone()),
        ..Written::default()
    })
}

/// The error if there is already a marker.
fn taken(ask: &Ask<'_>, bytes: &[u8], path: &str) -> EngineError {
    match shape::marker(bytes, ask.world.clock()) {
        Ok(marker) if marker.pipeline_id == ask.site.key => refused("The run exists already."),
        Ok(marker) => {
            let id = marker.pipeline_id;
            let hint = format!("Resume or end it first: relight points {id}");
            let text = format!("The run {id} is not finished: its marker is {path}.");
            refused(text).hint(hint)
        }
        Err(not) => refused(format!("{path} is not overwritten: {}.", not.why)),
    }
}

/// Enters a phase: its marker, and the hand-off with which the phase starts.
pub(super) fn phase(ask: &Ask<'_>) -> Result<Written> {
    let [phase] = ask.words else {
        return Err(ask.usage("The phase is missing."));
    };
    let found = found(ask);
    in_order(ask, &found)?;
    let Some((marker, path)) = found.marker else {
        return Err(refused("The run has no marker .pipeline-active."));
    };
    if marker.ancient {
        let text = "The marker has the format of the first versions, which is only read.";
        return Err(refused(text));
    }
    let now = marker.phase.as_deref().unwrap_or_default();
    if !follows(&marker.skill, now, phase) {
        let typed = phase.as_str();
        let error = refused(foreign!("Phase {} does not follow phase {}.", typed, now));
        return Err(match after(&marker.skill, now) {
            Some(next) => error.hint(format!("The next phase is {next}.")),
            None => error,
        });
    }
    let rank = |phase: &str| understand(&marker.skill, phase).map(|phase| phase.rank);
    if rank(phase) > rank(now) {
        all_ended(ask)?;
    }
    let mut steps = Vec::new();
    if let Some(text) = ask.text("from")? {
        let name = format!("handoff-{now}-to-{phase}.md");
        let path = path.with_file_name(name);
        let text = handoff(ask, &text, now, phase)?;
        steps.push(replace(&path, ask.read(&path)?, text, "The hand-off."));
    }
    let bytes = ask.read(&path)?.unwrap_or_default();
    let entered = Edit::member("phase", Value::from(phase.as_str()));
    let after = edit(&bytes, &[entered], NonAscii::Raw)
        .map_err(|why| refused(format!("The marker is not changed: {why}.")))?;
    steps.push(replace(&path, Some(bytes), after, "The phase."));
    Ok(Written::new(steps, Some(next(&marker.skill, phase))))
}

/// The text of a hand-off, with its time: one that is older than the run does not count.
fn handoff(ask: &Ask<'_>, text: &str, now: &str, phase: &str) -> Result<Vec<u8>> {
    let heading = format!("# Phase Handoff: {now} → {phase}");
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.trim_end() != heading {
        return Err(refused("The hand-off is not for this phase.")
            .hint(format!("Its first line must be: {heading}")));
    }
    if markdown::value(rest.lines(), "goal").is_none_or(str::is_empty) {
        return Err(refused("The hand-off has no goal.").hint("Add a line **Goal:** TEXT"));
    }
    let now = || format!("**Timestamp:** {}\n", ClockStyle::UtcSeconds.write(ask.at));
    let untimed = markdown::value(rest.lines(), "timestamp").is_none_or(str::is_empty);
    let time = untimed.then(now).unwrap_or_default();
    Ok(format!("{heading}\n{time}{rest}").into_bytes())
}

/// The next step of a run in a phase.
pub(super) fn next(skill: &str, phase: &str) -> NextStep {
    let known = understand(skill, phase);
    let base = known.map_or_else(|| phase.to_owned(), |phase| phase.base);
    NextStep::new(format!("phase-{base}"), title(skill, &base), base)
}

/// The next phase in the skill's table.
fn after(skill: &str, now: &str) -> Option<String> {
    let now = understand(skill, now)?.rank;
    let mut later = all(skill).into_iter().filter(|phase| phase.rank > now);
    later.next().map(|phase| phase.base)
}

/// A build enters every phase; others may skip some. A run that was resumed at an earlier point enters the phases from
/// there on again.
fn follows(skill: &str, now: &str, then: &str) -> bool {
    let Some(to) = understand(skill, then).filter(|phase| phase.base == then) else {
        return false;
    };
    let again = understand(skill, now).is_some_and(|now| to.rank <= now.rank);
    again || skill != "build" || after(skill, now).as_deref() == Some(then)
}

/// Refuses what may only come when the work of every dispatch is done. A failed one that is passed over would still
/// be open for every reader of the manifest: it runs again, or the run continues without it.
fn all_ended(ask: &Ask<'_>) -> Result<()> {
    let open = unfinished(ask);
    let Some((line, seq)) = open.first().and_then(|line| Some((line, seq_of(line)?))) else {
        return Ok(());
    };
    let session = &ask.site.key;
    let done = format!("relight record {session} done {seq}");
    let status = json::text(line, "status").unwrap_or_default();
    if status == "dispatched" {
        let hint = format!("{done} --status … --summary …");
        return Err(refused(format!("Dispatch {seq} has no outcome.")).hint(hint));
    }
    let how = if status == "error" {
        "ended with an error"
    } else {
        "failed"
    };
    let text = format!("Dispatch {seq} {how}, and no other one completed its work.");
    let again = format!("Run it again: relight record {session} dispatch … --replay-of {seq}");
    let without = format!("Or continue without it: {done} --status skipped --summary …");
    Err(refused(text).hint(again).hint(without))
}

/// Ends a run with success: only the manifest stays in the durable copy, and the marker and the dispatch folder are
/// moved away. Crucible deletes them; here nothing is lost.
pub(super) fn finish(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let session = &ask.site.key;
    let found = found(ask);
    let Some((marker, path)) = &found.marker else {
        return Err(refused("The run has no marker .pipeline-active."));
    };
    let now = marker.phase.as_deref().unwrap_or_default();
    if let Some(next) = after(&marker.skill, now) {
        let hint = format!("relight record {session} phase {next}");
        return Err(refused(foreign!("The run is in phase {}.", now)).hint(hint));
    }
    let bytes = ask.read(&ask.site.file)?.unwrap_or_default();
    in_order(ask, &found)?;
    all_ended(ask)?;
    let away = format!("{PUT_AWAY}{session}");
    let scratch = path.parent().unwrap_or(path);
    let beside = scratch.join(&away);
    let aside =
        |from: &Path, name: &str, what: &str| Step::move_aside(from, beside.join(name), what);
    let mut steps = Vec::new();
    let copy = copy::folder(&found, session);
    // After a restart the run is recorded in its copy, which stays.
    let is_copy = copy.as_ref() == Some(&ask.site.dir);
    if let Some(copy) = copy {
        let kept = copy.join(MANIFEST);
        let old = ask.read(&kept)?;
        if old.as_deref() != Some(&bytes) {
            steps.push(replace(&kept, old, bytes, "The manifest that is kept."));
        }
        let what = "A dispatch file of the copy.";
        let names = copy::dispatch_files(ask, &copy).into_iter();
        steps.extend(names.map(|name| aside(&copy.join(&name), &name, what)));
        if copy::is_marked(ask, &copy)? {
            steps.push(aside(&copy.join(MARK), MARK, "The mark of the copy."));
        }
    }
    let (dir, away) = (&ask.site.dir, ask.site.dir.with_file_name(&away));
    if !is_copy {
        steps.push(Step::move_aside(dir, &away, "The dispatch directory."));
    }
    steps.push(aside(path, "pipeline-active", "The marker of the run."));
    Ok(Written {
        steps,
        file: Some(away),
        ..Written::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_by_the_table_of_the_skill() {
        let table = [
            ("build", "1", "2", true),
            ("build", "1", "3", false),
            ("build", "3", "3", true),
            ("build", "3", "2", true),
            ("build", "4", "5", false),
            ("build", "3 — Execute", "4", true),
            ("debugging", "1", "Synthesis", true),
            ("debugging", "3", "3.5", true),
            ("debugging", "3.5", "3", true),
            ("debugging", "4", "soon", false),
            ("other", "3", "10", true),
        ];
        for (skill, now, then, right) in table {
            assert_eq!(follows(skill, now, then), right, "{skill}: {now} → {then}");
        }
    }
}
