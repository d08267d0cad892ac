//! The evidence outside the manifest: that a run left its phases, and the facts about a run whose manifest is missing or
//! unreadable. A restart clears /tmp, and the manifest with it; the marker, the hand-offs, the checkpoint store and git
//! still show how far the run got.

use std::collections::{BTreeMap, BTreeSet};

use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSlice as _;

use super::marks::{self, Marks};
use super::phase_order::{self, PhaseName};
use super::work::Crossings;
use super::{Lost, Rank, Run};
use crate::model::{Event, Foreign, Irreversible, Origin, Stamp};
use crate::systems::crucible::shape::manifest::Members;
use crate::systems::crucible::shape::{LedgerPhase, Manifest};
use crate::systems::irreversible::{in_text, may_tell};
use crate::text::format::short_id;
use crate::world::World;
use crate::world::git::{Commit, GitError};

/// The latest phase in a record other than the manifest and the marker, and that record.
pub(crate) fn reached(run: &Run) -> Option<(PhaseName, String)> {
    let documents = &run.documents;
    let mut all: Vec<(&str, String)> = Vec::new();
    let page = documents.status.as_ref();
    if let Some(phase) = page.and_then(|doc| doc.what.phase.as_deref()) {
        all.push((phase, format!("the status page is at phase {phase}")));
    }
    for saved in run.saved.iter().filter(|_| run.is_build()) {
        if let Some((phase, _)) = marks::boundary(&saved.reason) {
            all.push((phase, format!("checkpoint {} was taken", saved.reason)));
        }
    }
    let files = run.files.phases.iter();
    for (seq, phase) in files.filter(|(seq, _)| !run.undone.seqs.contains(seq)) {
        all.push((phase, format!("dispatch file {seq} is of phase {phase}")));
    }
    let undone = |at: Option<Stamp>| at.is_some_and(|at| run.undone.holds(at));
    for doc in documents.handoffs.iter().filter(|doc| !undone(doc.what.at)) {
        let text = format!("the hand-off {} to {} exists", doc.what.from, doc.what.to);
        all.push((&doc.what.to, text));
    }
    let ledger = documents.ledger.iter().filter(|_| !run.undone.ledger);
    for phase in ledger.flat_map(|doc| &doc.what.phases) {
        if phase.status != "NOT_STARTED" {
            let (status, number) = (&phase.status, &phase.number);
            let text = format!("the gate ledger says {status} for phase {number}");
            all.push((&phase.number, text));
        }
    }
    let ranked = all
        .into_iter()
        .filter_map(|(label, text)| Some((phase_order::understand(&run.skill, label)?, text)));
    ranked.max_by_key(|(phase, _)| phase.rank)
}

/// Whether any record other than the manifest shows that work of this run was done. Then a missing manifest is damage,
/// and no point that starts over may be recommended.
pub(crate) fn is_recorded(run: &Run, world: &dyn World) -> bool {
    let documents = &run.documents;
    let first = phase_order::all(&run.skill).first().map(|phase| phase.rank);
    let beyond = |phase: Option<PhaseName>| phase.is_some_and(|p| first.is_none_or(|f| p.rank > f));
    let marker = run.marker().and_then(|m| m.phase.as_deref());
    !run.files.places.is_empty()
        || !run.saved.is_empty()
        || !run.stranded.is_empty()
        || !documents.handoffs.is_empty()
        || !documents.receipts.is_empty()
        || documents.verdict.is_some()
        || documents
            .ledger
            .iter()
            .any(|doc| doc.what.phases.iter().any(LedgerPhase::is_passed))
        || beyond(marker.and_then(|label| phase_order::understand(&run.skill, label)))
        || beyond(reached(run).map(|(phase, _)| phase))
        || commits_of_run(run, world).next().is_some()
}

/// Whether a run was only created: its dispatch folder, or the copy of it, is empty, and no record shows any work.
pub(crate) fn is_not_started(run: &Run, world: &dyn World) -> bool {
    run.usable().is_none()
        && run.marker().is_some()
        && run.sources.debug.is_none()
        && (run.manifest.is_some() || !run.sources.dispatch.is_empty())
        && !is_recorded(run, world)
}

/// The problem with the manifest, as the start of a sentence.
pub(crate) fn manifest_problem(run: &Run) -> &'static str {
    let tried = run.sources.unreadable_manifest.is_some();
    match (&run.manifest, run.sources.dispatch.is_empty()) {
        // The session is unknown, and with it the name of its dispatch folder.
        (None, _) if run.sources.lone_store.is_some() => {
            "No manifest of the run that took these checkpoints was found"
        }
        (Some(manifest), _) if manifest.bad_count == 0 => "The manifest is empty",
        (Some(_), _) => "No line of the manifest can be read",
        (None, _) if tried => "The manifest cannot be read",
        (None, true) => match run.sources.lost_dispatch {
            Lost::Gone => {
                "The dispatch directory is gone (a restart clears /tmp) and there is no copy of the manifest"
            }
            Lost::Replaced => {
                "The dispatch directory is not a directory that you own, and there is no copy of the manifest"
            }
            Lost::Unknown => {
                "Whether the dispatch directory exists is unknown, and there is no copy of the manifest"
            }
        },
        (None, false) => "The manifest is missing from the dispatch directory",
    }
}

/// The records of a run without a manifest as events, oldest first.
pub(crate) fn events(run: &Run, world: &dyn World) -> Vec<Event> {
    let mut all = Vec::new();
    let mut add = |at: Option<Stamp>, kind: &str, phase: Option<&str>, text: &str, origin| {
        all.push(Event {
            phase: phase.map(Foreign::from),
            subject: kind.into(),
            ..Event::new(kind, text, origin).at(at, None)
        });
    };
    if let Some((marker, path)) = &run.sources.marker
        && marker.start_time.is_some()
    {
        let text = format!("{} run {} began", run.skill, run.session);
        let origin = Origin::file(path);
        add(marker.start_time, "started", None, &text, origin);
    }
    for doc in &run.documents.handoffs {
        let (from, to) = (&doc.what.from, &doc.what.to);
        let text = format!("Hand-off from phase {from} to phase {to}");
        let origin = Origin::file(&doc.file);
        add(doc.what.at, "hand-off", Some(to), &text, origin);
    }
    for saved in &run.saved {
        let phase = marks::boundary(&saved.reason).map(|(phase, _)| phase);
        let origin = Origin::file(&saved.store);
        add(Some(saved.at), "checkpoint", phase, &saved.reason, origin);
    }
    for (seq, places) in &run.files.places {
        if let Some(place) = places.first() {
            let text = format!("Dispatch file {seq} was written");
            let phase = run.files.phases.get(seq).map(String::as_str);
            let at = run.files.clock.get(seq).copied();
            let origin = Origin::file(place.path());
            add(at, "dispatch file", phase, &text, origin);
        }
    }
    let project = run.work_tree().unwrap_or_else(|| std::path::Path::new(""));
    for commit in commits_of_run(run, world) {
        let at = Some(Stamp::utc(commit.time));
        let text = commit.subject.lossy();
        add(at, "commit", None, &text, Origin::file(project));
    }
    all.sort_by_key(|event| event.at);
    all
}

/// The command that lists the commits of a run.
pub(crate) fn log_command(run: &Run) -> String {
    let base = run.marker().and_then(|m| m.baseline_sha.as_deref());
    let range = base.map(|sha| format!(" {}..HEAD", short_id(sha)));
    format!("git log{}", range.unwrap_or_default())
}

/// The warning of every plan without a manifest.
pub(crate) fn unknown_work(run: &Run) -> String {
    let (problem, log) = (manifest_problem(run), log_command(run));
    format!(
        "{problem}, so which dispatches were done is unknown: compare the plan's tasks with the files and with {log}."
    )
}

/// Where a run without a manifest stopped.
pub(crate) fn status_reason(run: &Run) -> String {
    let wrong = manifest_problem(run);
    let marker = run.marker().and_then(|m| m.phase.as_deref());
    let stopped_at = marker
        .map(|phase| format!("the marker is at phase {phase}"))
        .or_else(|| reached(run).map(|(_, text)| text));
    match stopped_at {
        Some(stopped_at) => format!("{wrong}; {stopped_at}."),
        None => format!("{wrong}, and no record shows how far the run got."),
    }
}

impl Run {
    pub(super) fn crossings(&self) -> Crossings {
        let rank = |label: &str| phase_order::understand(&self.skill, label);
        let resumed = self.resumed.as_ref();
        let undone = |written: Option<Stamp>| written.is_some_and(|at| self.undone.holds(at));
        let marker = self.marker().and_then(|m| rank(m.phase.as_deref()?));
        let marker = marker.filter(|_| !self.undone.marker);
        let marker = match resumed {
            Some(own) => own.marker(marker),
            None => marker,
        };
        let handoffs = self.documents.handoffs.iter().filter_map(|doc| {
            let left = rank(&doc.what.from)?.rank;
            let text = format!("the hand-off {} to {} exists", doc.what.from, doc.what.to);
            let holds = resumed.is_none_or(|own| own.leaves(left, doc.what.at > Some(own.at)));
            let holds = holds && !undone(doc.what.at);
            holds.then_some((left, text))
        });
        let ledger = self.documents.ledger.iter().filter(|_| !self.undone.ledger);
        let ledger = ledger.flat_map(|doc| &doc.what.phases);
        // The marker says where the run is. Other records count only if it does not.
        let reached = marker.is_none().then(|| reached(self)).flatten();
        let reached = reached.filter(|_| resumed.is_none_or(|own| own.newer.any));
        let newest_file = self.files.places.keys().next_back();
        let cut = self.manifest.as_deref().is_some_and(|manifest| {
            let newest = manifest.entries.last().map(|entry| entry.seq);
            !manifest.ended || manifest.bad_count > 0 || newest_file > newest.as_ref()
        });
        Crossings {
            marker,
            reached,
            cut,
            earlier_waves: self.earlier_waves(),
            begun_after_handoff: self.begun_after_handoff(),
            handoffs: handoffs.collect(),
            ledger: ledger
                .filter(|phase| phase.is_passed())
                .filter_map(|phase| {
                    let text = format!("the gate ledger says {}", phase.status);
                    let left = rank(&phase.number)?.rank;
                    let holds = resumed.is_none_or(|own| own.leaves(left, own.newer.ledger));
                    holds.then_some((left, text))
                })
                .collect(),
            discarded: {
                let discarded = resumed.into_iter().flat_map(|own| &own.discarded);
                discarded.chain(&self.undone.sent_again).copied().collect()
            },
            undone: self.undone.seqs.clone(),
        }
    }

    /// The dispatches after whose wave a later one began.
    fn earlier_waves(&self) -> BTreeSet<u64> {
        let marks = Marks::of(self);
        let left = self.starts().filter(|(_, at)| marks.wave_left(*at));
        left.map(|(seq, _)| seq).collect()
    }

    /// The dispatches that began after the hand-off out of a phase was written, by phase.
    fn begun_after_handoff(&self) -> BTreeSet<(Rank, u64)> {
        let handoffs = self.documents.handoffs.iter().filter_map(|doc| {
            let from = phase_order::understand(&self.skill, &doc.what.from)?;
            Some((from.rank, doc.what.at?))
        });
        let newest: BTreeMap<Rank, Stamp> = handoffs.collect();
        let begun = newest.into_iter().flat_map(|(rank, written)| {
            let after = self.starts().filter(move |(_, at)| *at >= written);
            after.map(move |(seq, _)| (rank, seq))
        });
        begun.collect()
    }
}

/// How many commits of the branch are read.
const COMMITS: usize = 5_000;

/// The commits of the run's branch since its start commit, newest first; the error is a sentence.
pub(crate) fn commits(run: &Run, world: &dyn World) -> Result<Vec<Commit>, String> {
    let Some(path) = run.work_tree() else {
        return Err(run.without_project());
    };
    let asked = |error: GitError| format!("git cannot answer: {error}.");
    let of_branch = run
        .branch()
        .and_then(|branch| world.git().branch_tip(path, branch).ok());
    let tip = if let Some(tip) = of_branch {
        tip
    } else {
        let head = world.git().repo(path).map_err(asked)?.head;
        head.ok_or_else(|| "The repository has no commit yet.".to_owned())?
    };
    let baseline = run.marker().and_then(|m| m.baseline_sha.as_deref());
    let base = match baseline.map(|sha| world.git().find_commit(path, sha)) {
        // The commits of the run may be older than those that this clone has.
        Some(Err(error @ GitError::NotFetched(_))) => return Err(asked(error)),
        found => found.and_then(Result::ok),
    };
    let base = base.as_ref().map(|commit| commit.id.as_str());
    world.git().log(path, &tip, base, COMMITS).map_err(asked)
}

/// The commits that were made in the time of the run; none if that is unknown.
pub(crate) fn commits_of_run<'a>(
    run: &'a Run,
    world: &dyn World,
) -> impl Iterator<Item = &'a Commit> + use<'a> {
    let window = run.window;
    let all = run.commits(world).unwrap_or_default();
    all.iter()
        .filter(move |commit| window.from.is_some() && window.holds(Stamp::utc(commit.time)))
}

/// So many lines are read by one thread.
const PART: usize = 4096;

/// Actions of a run that no recovery can undo, as reported by the summaries of its manifest, which come first, and by the
/// decisions in its documents. Transcripts do not count as documents of the run.
pub(crate) fn irreversible(run: &Run, world: &dyn World) -> Vec<Irreversible> {
    let manifest = run.manifest.as_ref();
    let mut found = manifest.map_or_else(Vec::new, |manifest| of_manifest(manifest, world));
    let handoffs = run.documents.handoffs.iter();
    let handoffs = handoffs.map(|doc| (&doc.what.decisions, &doc.file));
    let page = run.documents.status.iter();
    let page = page.map(|doc| (&doc.what.decisions, &doc.file));
    for (decisions, file) in handoffs.chain(page) {
        let origin = Origin::file(file);
        found.extend(decisions.iter().flat_map(|text| in_text(text, &origin)));
    }
    found
}

/// A line is parsed only if it may report an action.
fn of_manifest(manifest: &Manifest, world: &dyn World) -> Vec<Irreversible> {
    let parts = manifest.rows.par_chunks(PART).flat_map_iter(|part| {
        let mut lines = manifest.reread(world.files());
        part.iter().flat_map(move |row| {
            let line = lines.line(*row).filter(|line| may_tell(line));
            let line = line.and_then(|line| Members::of(line, Vec::new()));
            let summary = line.as_ref().and_then(|line| line.shown("summary"));
            let origin = || Origin::line(manifest.path(), u64::from(row.number));
            summary.map_or_else(Vec::new, |text| in_text(&text, &origin()))
        })
    });
    parts.collect()
}
