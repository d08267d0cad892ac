//! The original and its replays as runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::{Engine, EngineError, ErrorKind, Result};
use super::known::{Choice, Known, session_title};
use super::listing::Content;
use crate::foreign;
use crate::model::{
    Dispatch, DispatchStatus, Experiment, Foreign, Measure, MeasureUnit, Party, Place, Recovery,
    ReplayPlan, ReplaySession, Run, RunTree, SessionState, Stamp, TemplateSwap, TestOutcome,
    Unnumbered,
};
use crate::replay::compare::reported_outcome;
use crate::replay::compare::runs::{self, Reported};
use crate::replay::plan::conditions;
use crate::replay::session::{planned, usage};
use crate::text::Shown as _;
use crate::world::runner::is_cut;

/// Commits that are looked through for the one at which the original ended.
const COMMITS: usize = 5_000;

impl Engine {
    /// The commit at which the original ended: the recorded one, else the last of its branch before a replay
    /// began, else the one that is checked out.
    pub(super) fn original_tree(&self, experiment: &Experiment, began: Option<Stamp>) -> RunTree {
        let Some(repo) = experiment.work_tree.clone() else {
            return RunTree::None;
        };
        let git = self.world.git();
        let recorded = experiment.end.clone();
        let recorded = recorded.filter(|end| git.find_commit(&repo, end).is_ok());
        let of_branch = || {
            let branch = experiment.branch.as_ref()?.as_str()?;
            let tip = git.branch_tip(&repo, branch).ok()?;
            let began = began?.at;
            let log = git.log(&repo, &tip, None, COMMITS).ok()?;
            let found = log.into_iter().find(|commit| commit.time <= began);
            found.map(|commit| commit.id)
        };
        let head = || git.repo(&repo).ok()?.head;
        match recorded.or_else(of_branch).or_else(head) {
            Some(commit) => RunTree::Commit { repo, commit },
            None => RunTree::None,
        }
    }

    /// A replay.
    pub(super) fn replayed(
        &self,
        known: &Known,
        at: usize,
        skipped: &mut Vec<Foreign>,
    ) -> Result<Run> {
        let gone = || EngineError::new(ErrorKind::NotFound, "The replay no longer exists.");
        let experiment = known.experiment.as_ref().ok_or_else(gone)?;
        let session = known.sessions.get(at).ok_or_else(gone)?;
        let dispatches = self.dispatches_of(known, experiment, session, skipped);
        let unfinished = match session.state {
            SessionState::Done => false,
            SessionState::HandedOver => session.dispatches.open() > 0,
            SessionState::Running
            | SessionState::Interrupted
            | SessionState::Cancelled
            | SessionState::Unreadable => true,
        };
        let plan = self.planned(known, session);
        let base = plan.as_ref().and_then(base);
        let commit = plan.as_ref().and_then(|plan| plan.commit.as_deref());
        let measure = self.files_changed(session, base.as_ref(), commit);
        let (verdicts, cut) = self.verdicts(session, &dispatches);
        Ok(runs::replay(
            experiment,
            &dispatches,
            Run {
                session: Some(session.id.clone()),
                title: session_title(session),
                mutations: session.mutations.clone(),
                started_at: session.started_at,
                tree: tree(known, experiment, at),
                measures: measure.into_iter().collect(),
                conditions: plan.as_ref().map(conditions),
                base,
                unlike_original: plan.map(|plan| plan.unlike_original).unwrap_or_default(),
                confounders: {
                    let outside = session
                        .outside_confounders()
                        .into_iter()
                        .map(|(_, text)| text);
                    outside.chain(in_place(known, session)).chain(cut).collect()
                },
                unfinished,
                place: session.place.clone(),
                measured: session.measured.clone(),
                unmeasured: {
                    let named = |one: &Unnumbered| (one.metric.clone(), one.why.clone());
                    session.unmeasured().map(named).collect()
                },
                odd_status: {
                    let odd = session.unnumbered.iter();
                    let odd = odd.filter(|one| one.odd_status && !one.is_missing);
                    odd.map(|one| (one.metric.clone(), one.why.clone()))
                        .collect()
                },
                ..Run::default()
            },
            Reported {
                start: session.start.clone(),
                usage: usage(session),
                verdicts,
            },
        ))
    }

    /// How many files a run changed in its own tree.
    fn files_changed(
        &self,
        session: &ReplaySession,
        base: Option<&(PathBuf, String)>,
        commit: Option<&str>,
    ) -> Option<Measure> {
        let top = session.tree.clone().filter(|_| !session.in_place)?;
        let (repo, saved) = base?.clone();
        let base = RunTree::Commit {
            repo,
            commit: saved,
        };
        // Only what differs from the project's commit is read: a checkpoint has whole trees, too.
        let git = self.world.git();
        let head = || git.repo(&top).ok()?.head;
        let commit = commit.map(str::to_owned).or_else(head)?;
        let drift = git.drift(&top, &commit, &top).ok()?;
        let nested = self.nested_files(&top, &drift).ok()?;
        let tree = RunTree::WorkTree(top);
        let paths = drift.changed().chain(nested);
        let changed =
            paths.filter(|path| self.content_of(&base, path) != self.content_of(&tree, path));
        Some(Measure {
            name: "files changed".to_owned(),
            value: Some(f64::from(u32::try_from(changed.count()).ok()?)),
            unit: MeasureUnit::Count,
        })
    }

    /// What the whole outputs of a session's dispatches say, and which were cut. What cannot be read leaves the summary to
    /// say it, and what a dispatch printed before it was stopped is no answer.
    fn verdicts(
        &self,
        session: &ReplaySession,
        dispatches: &[Dispatch],
    ) -> (HashMap<u64, TestOutcome>, Vec<Foreign>) {
        let (mut said, mut cut) = (HashMap::new(), Vec::new());
        let mine = dispatches.iter();
        for one in mine.filter(|one| one.session.as_ref() == Some(&session.id)) {
            let ended = [DispatchStatus::Completed, DispatchStatus::Failed];
            let path = one
                .output
                .as_deref()
                .filter(|_| ended.contains(&one.status));
            let Some(Ok(Content::Bytes(bytes))) = path.map(|path| self.content_of_file(path))
            else {
                continue;
            };
            if is_cut(&bytes) {
                let (seq, id) = (one.seq, &session.id);
                let text = format!(
                    "The output of dispatch {seq} of {id} was cut: only its beginning and its end are compared."
                );
                cut.push(text.into());
            }
            said.insert(one.seq, reported_outcome::of_output(&bytes));
        }
        (said, cut)
    }

    /// The dispatches of a session's manifest, with what their runners printed.
    fn dispatches_of(
        &self,
        known: &Known,
        experiment: &Experiment,
        session: &ReplaySession,
        skipped: &mut Vec<Foreign>,
    ) -> Vec<Dispatch> {
        let own = session.folder.as_ref().filter(|_| !session.in_place);
        let mut dispatches = match own {
            None => experiment.dispatches.clone(),
            Some(folder) => {
                let continued = self.continued(known, session, folder);
                continued.unwrap_or_else(|why| {
                    let text = format!("The manifest of {}: {}", session.id, why.shown());
                    skipped.push(text.into());
                    Vec::new()
                })
            }
        };
        for one in &mut dispatches {
            let mine = one.session.as_ref() == Some(&session.id);
            if let (None, true, Some(folder)) = (&one.output, mine, &session.folder) {
                let path = folder.join("outputs").join(format!("{}.txt", one.seq));
                one.output = self.form_at(&path).map(|_| path);
            }
        }
        dispatches
    }

    /// The dispatches of a session's own copy. The error is a sentence.
    fn continued(
        &self,
        known: &Known,
        session: &ReplaySession,
        folder: &Path,
    ) -> Result<Vec<Dispatch>, Foreign> {
        let name = session.manifest.file_name().unwrap_or_default();
        let place = Place::known(folder, name).map_err(|why| Foreign::from(why.to_string()))?;
        match known.opened.case.replayable() {
            Some(case) => case.continued(&place, &folder.join("dispatch"), self.world.as_ref()),
            None => Ok(Vec::new()),
        }
    }

    /// The plan that a session recorded; `None` for one without a folder of its own.
    fn planned(&self, known: &Known, session: &ReplaySession) -> Option<ReplayPlan> {
        session.folder.as_ref()?;
        let state = self.state_dir().ok()?;
        planned(&state, known.id(), &session.id).ok()
    }

    /// The templates that B swapped, else those that A did, with both texts as their first run has them.
    pub(super) fn templates(&self, known: &Known, a: &Party, b: &Party) -> Vec<TemplateSwap> {
        let swapped = |party: &Party| {
            let id = party.runs.first()?.session.as_ref()?;
            let session = known.sessions.iter().find(|one| one.id == *id)?;
            let swaps = self.planned(known, session)?.mutations;
            (!swaps.is_empty()).then_some(swaps)
        };
        swapped(b).or_else(|| swapped(a)).unwrap_or_default()
    }
}

/// The checkpoint that the tree of a plan is made from.
fn base(plan: &ReplayPlan) -> Option<(PathBuf, String)> {
    let checkpoint = plan.begin()?.checkpoint.as_ref()?;
    Some((checkpoint.kind.repository()?.clone(), checkpoint.id.clone()))
}

/// When the replay on a side began.
pub(super) fn began(known: &Known, choice: &Choice) -> Option<Stamp> {
    let first = match choice {
        Choice::Session(at) => at,
        Choice::Group(_, members) => members.first()?,
        Choice::Arm(..)
        | Choice::Original
        | Choice::Run(_)
        | Choice::After(_)
        | Choice::Before(_) => return None,
    };
    known.sessions.get(*first)?.started_at
}

/// The files of a replay. One that worked in the user's own tree has them there until the next one does.
fn tree(known: &Known, experiment: &Experiment, at: usize) -> RunTree {
    let own = |session: &ReplaySession| session.folder.is_some() && !session.in_place;
    let found = known.sessions.get(at).and_then(|session| {
        if own(session) {
            return session.tree.clone();
        }
        let mut later = known.sessions.iter().skip(at + 1);
        let overtaken = later.any(|one| !own(one)) || restored_since(known, session).is_some();
        let here = session.tree.as_ref().or(experiment.work_tree.as_ref());
        here.filter(|_| !overtaken).cloned()
    });
    found.map_or(RunTree::None, RunTree::WorkTree)
}

/// The latest recovery that changed the work tree after a replay in it began, an undo among them.
fn restored_since<'a>(known: &'a Known, session: &ReplaySession) -> Option<&'a Recovery> {
    let began = session.started_at?.at;
    let mut latest = known.recoveries.iter().rev();
    latest.find(|one| one.started_at > began)
}

/// What a person must know of the files of a replay in the user's own tree: nothing keeps them as they were.
fn in_place(known: &Known, session: &ReplaySession) -> Option<Foreign> {
    let id = &session.id;
    match restored_since(known, session) {
        _ if !session.in_place => None,
        // It is a record of whoever ran it, and says nothing of the files.
        None if session.folder.is_none() => None,
        Some(recovery) => Some(foreign!(
            "Recovery {} changed the work tree after {id}, so the files of {id} are not compared.",
            recovery.id.0.as_str()
        )),
        None => Some(foreign!(
            "{id} ran in place: its files are compared as the work tree has them now, which may have changed since."
        )),
    }
}
