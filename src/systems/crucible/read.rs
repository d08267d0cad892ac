//! From the facts of a run to its [`Reading`]: status, phases, where it stopped (format note, section c).

use super::gather::Run;
use super::locate::is_dir;
use super::manifest::{Entry, Manifest};
use super::phases;
use super::stores;
use super::work::{PhaseFacts, UnitState};
use crate::model::{
    Badge, Branch, Claim, Finding, Foreign, LifeSign, Origin, Phase, PhaseStatus, Place, Progress,
    Reading, Severity, SignKind, SignVerdict, Stamp, Status,
};
use crate::world::World;
use crate::world::git::GitError;
use crate::world::liveness::{LifeQuery, gather};

/// How long an agent may be silent while it works, in seconds: upstream's implementers may take more than
/// half an hour; beyond two hours silence counts (format note, section c).
pub(crate) const QUIET_AFTER_S: i64 = 7_200;
/// The routing hook's limit, in seconds, after which a run counts as abandoned.
pub(crate) const STALE_AFTER_S: i64 = 86_400;

/// Makes the reading of a run.
pub(crate) fn reading(run: &Run, world: &dyn World) -> Reading {
    let claim = claim(run, world);
    let actual = actual_branch(run, world);
    Reading {
        system: super::NAME,
        native: run.session.as_str().into(),
        title: title(run),
        root: root(run),
        state_files: state_files(run),
        work_tree: run.work_tree().map(ToOwned::to_owned),
        branch: branch(run, actual.as_ref()),
        started_at: run.started_at,
        last_activity_at: run.last_write.map(Stamp::utc),
        life: gather(world, &life(run)),
        stopped_where: stopped_where(run, claim.status),
        progress: progress(run, claim.status),
        badges: badges(run, &claim, actual.as_ref(), world),
        phases: phase_rows(run),
        findings: findings(run),
        claim,
    }
}

/// The goal, from the newest source that states it.
pub(crate) fn goal(run: &Run) -> Option<&str> {
    let documents = &run.documents;
    let handoffs = documents.handoffs.iter().rev();
    let mut told = handoffs.filter_map(|doc| doc.what.goal.as_deref());
    told.next()
        .or_else(|| documents.status.as_ref()?.what.goal.as_deref())
        .or_else(|| documents.ledger.as_ref()?.what.goal.as_deref())
        .filter(|goal| !goal.trim().is_empty())
}

fn title(run: &Run) -> Foreign {
    let fallback = || format!("{} {}", run.skill, run.session);
    goal(run).map_or_else(fallback, str::to_owned).into()
}

fn root(run: &Run) -> std::path::PathBuf {
    let dirs = run.sources.dispatch.iter().chain(&run.sources.copies);
    let place = dirs
        .map(Place::path)
        .next()
        .or_else(|| run.sources.lone_store.clone());
    run.work_tree()
        .map(ToOwned::to_owned)
        .or_else(|| run.sources.scratch())
        .or(place)
        .or_else(|| run.sources.debug.as_ref().map(Place::path))
        .unwrap_or_default()
}

fn state_files(run: &Run) -> Vec<std::path::PathBuf> {
    let manifest = run.manifest.iter().map(|manifest| manifest.path());
    let marker = run.sources.marker.iter().map(|(_, path)| path.clone());
    let dirs = run.sources.copies.iter().chain(&run.sources.dispatch);
    let copies = dirs.map(|dir| dir.path().join("manifest.jsonl"));
    let debug = run
        .sources
        .debug
        .iter()
        .map(|dir| dir.path().join("phase-state.md"));
    let mut all: Vec<_> = manifest.collect();
    for path in marker.chain(copies).chain(debug) {
        if !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

/// What the files claim, by the first rule of the note's table that fits.
fn claim(run: &Run, world: &dyn World) -> Claim {
    let say = |status, reason: String| Claim {
        status,
        reason: reason.into(),
    };
    let Some(manifest) = &run.manifest else {
        return without_manifest(run, world);
    };
    if manifest.rows.is_empty() {
        return say(
            Status::Unreadable,
            "Manifest is empty or entirely corrupted. Cannot resume.".to_owned(),
        );
    }
    if let Some(why) = finished(run) {
        return say(Status::Complete, why);
    }
    if let Some(why) = escalated(run) {
        return say(Status::Waiting, why);
    }
    let current = run
        .work
        .current()
        .map_or("-", |facts| facts.name.base.as_str());
    let marker = if run.marker().is_some() {
        "the marker of the run was left behind"
    } else {
        "there is no marker of the run any more"
    };
    say(
        Status::Interrupted,
        format!("Phase {current} is not finished, and {marker}."),
    )
}

fn without_manifest(run: &Run, world: &dyn World) -> Claim {
    let begun = run.sources.dispatch.iter().any(|dir| is_dir(world, dir));
    let (status, reason) = if run.marker().is_some() && begun {
        (
            Status::Interrupted,
            "The run was marked as begun and nothing was dispatched yet.",
        )
    } else if run.sources.debug.is_some() {
        (
            Status::Interrupted,
            "A debugging session left its phase state behind.",
        )
    } else {
        (Status::Unreadable, "Manifest not found. Cannot resume.")
    };
    Claim {
        status,
        reason: reason.into(),
    }
}

/// Why the run counts as finished.
pub(crate) fn finished(run: &Run) -> Option<String> {
    let all_crossed = run.manifest.is_some() && run.work.current().is_none();
    if run.marker().is_some() {
        let left = "Every phase is finished; only the marker was left to be removed.";
        return all_crossed.then(|| left.to_owned());
    }
    if run.documents.ended_well {
        return Some("The session log ends the skill with success.".to_owned());
    }
    let last = run.documents.ledger.iter().flat_map(|doc| &doc.what.phases);
    if last
        .clone()
        .any(|phase| phase.number == "4" && phase.status == "PASS")
    {
        return Some("The gate ledger passed phase 4 and the marker is gone.".to_owned());
    }
    if run.success_copy {
        return Some(
            "The scratch folder keeps this manifest as the copy of a successful run.".to_owned(),
        );
    }
    let tidy = run.sources.dispatch.is_empty() && !run.sources.copies.is_empty();
    (tidy && !run.full_copy).then(|| {
        "The marker and the dispatch folder are gone and only the manifest was kept.".to_owned()
    })
}

/// Why the run waits for a human.
fn escalated(run: &Run) -> Option<String> {
    let verdict = run.documents.verdict.as_ref();
    if let Some(doc) = verdict.filter(|doc| doc.what.verdict != "PASS") {
        return Some(format!(
            "The quality gate of {} ended with {}.",
            doc.what.phase, doc.what.verdict
        ));
    }
    let failed = run.documents.ledger.iter().flat_map(|doc| &doc.what.phases);
    let current = run.work.current().map(|facts| facts.name.base.as_str());
    if let Some(phase) = failed
        .clone()
        .find(|p| p.status == "FAIL" && Some(p.number.as_str()) == current)
    {
        return Some(format!(
            "The gate ledger says FAIL for phase {}.",
            phase.number
        ));
    }
    // A manifest that went on after the copy was made was taken up again.
    let kept = run.full_copy && !run.sources.dispatch.is_empty() && !run.copies_differ;
    kept.then(|| "The run was given up and its dispatch files were kept for a human.".to_owned())
}

fn life(run: &Run) -> LifeQuery {
    let dirs = run.sources.dispatch.iter().map(Place::path);
    let marker = run.sources.marker.iter().map(|(_, path)| LifeSign {
        kind: SignKind::Marker,
        verdict: SignVerdict::Note,
        text: format!(
            "The marker {} is there, as it is after a crash too.",
            path.display()
        )
        .into(),
    });
    LifeQuery {
        roots: run
            .work_tree()
            .map(ToOwned::to_owned)
            .into_iter()
            .chain(dirs)
            .collect(),
        git_dirs: Vec::new(),
        signs: marker.collect(),
        last_write: run.last_write,
        quiet_after_s: QUIET_AFTER_S,
        ..LifeQuery::default()
    }
}

/// What git says about the work tree's branch; `None` where git cannot be asked.
pub(crate) fn actual_branch(
    run: &Run,
    world: &dyn World,
) -> Option<Result<Option<Foreign>, GitError>> {
    let facts = world.git().repo(run.work_tree()?);
    Some(facts.map(|facts| facts.branch))
}

fn branch(run: &Run, actual: Option<&Result<Option<Foreign>, GitError>>) -> Option<Branch> {
    let actual = actual.and_then(|result| result.as_ref().ok());
    let expected = run.branch().map(Foreign::from);
    (expected.is_some() || actual.is_some()).then(|| Branch {
        expected,
        actual: actual.cloned().flatten(),
    })
}

fn badges(
    run: &Run,
    claim: &Claim,
    actual: Option<&Result<Option<Foreign>, GitError>>,
    world: &dyn World,
) -> Vec<Badge> {
    let open = matches!(claim.status, Status::Interrupted | Status::Waiting);
    let old = run
        .started_at
        .is_some_and(|at| (world.clock().now() - at.at).num_seconds() > STALE_AFTER_S);
    let mut all = Vec::new();
    if open && old {
        all.push(Badge::Stale);
    }
    if let (Some(expected), Some(Ok(actual))) = (run.branch(), actual)
        && actual.as_ref().is_none_or(|actual| *actual != expected)
    {
        all.push(Badge::BranchMismatch);
    }
    let dirty = |path| {
        world
            .git()
            .status(path)
            .is_ok_and(|paths| !paths.is_empty())
    };
    if open && run.work_tree().is_some_and(dirty) {
        all.push(Badge::Dirty);
    }
    if open && (run.marker().is_none() || ground_is_gone(run, world)) {
        all.push(Badge::Orphan);
    }
    if open && run.manifest.is_none() {
        all.push(Badge::NotStarted);
    }
    if claim.status == Status::Complete && run.marker().is_some() {
        all.push(Badge::CleanupPending);
    }
    if claim.status == Status::Complete
        && run.documents.ledger.is_none()
        && !run.documents.ended_well
    {
        all.push(Badge::Inferred);
    }
    let damaged = run
        .findings
        .iter()
        .any(|f| f.severity > Severity::Info || f.code == "torn-line");
    if damaged {
        all.push(Badge::Damaged);
    }
    all
}

/// True where the recorded branch was deleted or the recorded commit is not in the repository.
fn ground_is_gone(run: &Run, world: &dyn World) -> bool {
    let (Some(path), Some(marker)) = (run.work_tree(), run.marker()) else {
        return false;
    };
    let gone = |result: Result<(), GitError>| matches!(result, Err(GitError::Missing(_)));
    let tip = run
        .branch()
        .map(|branch| world.git().branch_tip(path, branch).map(drop));
    let base = marker.baseline_sha.as_deref();
    let base = base.map(|sha| world.git().find_commit(path, sha).map(drop));
    tip.is_some_and(gone) || base.is_some_and(gone)
}

fn progress(run: &Run, status: Status) -> Progress {
    let all = phases::all(&run.skill);
    let known =
        |facts: &&PhaseFacts| all.is_empty() || all.iter().any(|p| p.base == facts.name.base);
    let done = run
        .work
        .phases
        .iter()
        .filter(known)
        .filter(|f| f.finished())
        .count() as u64;
    let total = (!all.is_empty()).then_some(all.len() as u64);
    Progress {
        done: if status == Status::Complete {
            total.unwrap_or(done)
        } else {
            done
        },
        total,
        unit: "phases",
    }
}

/// Where it stopped: the phase, the wave, and the dispatch that is open.
pub(crate) fn stopped_where(run: &Run, status: Status) -> Foreign {
    if status == Status::Complete {
        return "finished".into();
    }
    let Some(manifest) = &run.manifest else {
        let phase = run.marker().and_then(|m| m.phase.as_deref());
        return phase
            .map_or_else(|| "not started".to_owned(), |p| format!("phase {p}"))
            .into();
    };
    let Some(current) = run.work.current() else {
        return "the final cleanup".into();
    };
    let mut text = format!("phase {}", current.name.base);
    if run.is_build()
        && current.name.base == "3"
        && let Some(wave) = run
            .saved
            .iter()
            .filter_map(|s| stores::wave(&s.reason))
            .max()
    {
        text = format!("{text}, wave {wave}");
    }
    if let Some(entry) = open_in(run, manifest, current) {
        text = format!("{text} · {}", named(manifest, entry));
    }
    text.into()
}

fn open_in<'a>(run: &Run, manifest: &'a Manifest, current: &PhaseFacts) -> Option<&'a Entry> {
    let units = run
        .work
        .units
        .iter()
        .filter(|unit| unit.state == UnitState::Open);
    let mut of_phase = units.filter(|unit| {
        run.work
            .phase_of(**unit)
            .is_some_and(|facts| facts.name == current.name)
    });
    manifest
        .entries
        .get(usize::try_from(of_phase.next()?.entry).ok()?)
}

/// `implementer, task 5`.
pub(crate) fn named(manifest: &Manifest, entry: &Entry) -> String {
    let task = manifest
        .word(entry.task)
        .map(|task| format!(", task {task}"));
    format!("{}{}", manifest.role(entry), task.unwrap_or_default())
}

fn phase_rows(run: &Run) -> Vec<Phase> {
    let current = run.work.current().map(|facts| &facts.name);
    let rows = run.work.phases.iter().map(|facts| {
        let is_current = current == Some(&facts.name);
        let begun = facts.total > 0;
        let (status, word) = match (facts.finished(), is_current, begun) {
            (true, _, _) => (PhaseStatus::Done, "finished"),
            (false, true, _) => (PhaseStatus::Active, "current"),
            (false, false, true) => (PhaseStatus::Active, "has open work"),
            (false, false, false) => (PhaseStatus::Pending, "not begun"),
        };
        let times = times(run, facts);
        Phase {
            id: facts.name.base.as_str().into(),
            name: phases::title(&run.skill, &facts.name.base).into(),
            status,
            native_status: word.into(),
            done: facts.done,
            total: begun.then_some(facts.total),
            attempts: u64::from(begun || facts.finished()),
            started_at: times.0,
            ended_at: if facts.finished() { times.1 } else { None },
            duration_s: begun.then_some(facts.duration_s),
            detail: facts.crossed.clone().unwrap_or_default().into(),
        }
    });
    rows.collect()
}

/// The first start and the last known end of a phase's dispatches.
fn times(run: &Run, facts: &PhaseFacts) -> (Option<Stamp>, Option<Stamp>) {
    let Some(manifest) = &run.manifest else {
        return (None, None);
    };
    let mut seen: (Option<Stamp>, Option<Stamp>) = (None, None);
    for (seq, start) in run.clock.iter() {
        let at = manifest.entries.binary_search_by_key(seq, |e| e.seq).ok();
        let Some((unit, entry)) =
            at.and_then(|at| Some((run.work.units.get(at)?, manifest.entries.get(at)?)))
        else {
            continue;
        };
        if run
            .work
            .phase_of(*unit)
            .is_some_and(|f| f.name == facts.name)
        {
            let seconds = i64::try_from(entry.duration_s().unwrap_or(0)).unwrap_or(0);
            let end = chrono::TimeDelta::try_seconds(seconds)
                .and_then(|d| start.at.checked_add_signed(d));
            let end = end.map(|at| Stamp { at, ..*start });
            seen.0 = Some(seen.0.map_or(*start, |known| known.min(*start)));
            seen.1 = seen.1.max(end);
        }
    }
    seen
}

/// What the reading noticed, in order of reading.
fn findings(run: &Run) -> Vec<Finding> {
    let mut all = run.findings.clone();
    let file = state_files(run).into_iter().next().unwrap_or_default();
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
            .filter(|e| e.status == super::manifest::LineStatus::Unknown);
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
    if run.eval {
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
