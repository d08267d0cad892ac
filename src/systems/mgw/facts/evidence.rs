//! The evidence: what exists in the worktree, in ROOT and on the branch, whatever the checkpoint says. Checkpoints are
//! often missing or old: the orchestrator's steps save them with paths relative to a worktree, which fails, and ignore
//! the error.

pub(crate) mod dates;
pub(crate) mod docs;
pub(crate) mod lost;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};

use crate::formats::json;
use crate::systems::mgw::facts::evidence::docs::counts;
use crate::systems::mgw::facts::{Facts, Lookup, Seen};
use crate::systems::mgw::shape::{RoadmapPhase, Route, State, Step, Verified, documents};
use crate::world::World;
use crate::world::git::Commit;

pub(crate) use crate::systems::mgw::facts::evidence::docs::{Doc, Docs};
pub(crate) use crate::systems::mgw::facts::evidence::lost::Lost;

/// The name of the roadmap.
pub(crate) const ROADMAP: &str = "ROADMAP.md";

/// A phase's folder of a roadmap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhaseDir {
    pub(crate) number: String,
    pub(crate) path: String,
    pub(crate) docs: Docs,
}

/// The result of the scan.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evidence {
    /// The folder whose documents count.
    pub(crate) dir: Option<String>,
    /// True if no record names that folder: it is new on the branch.
    pub(crate) inferred: bool,
    /// Other folders that may be the right one.
    pub(crate) also: Vec<String>,
    pub(crate) docs: Docs,
    pub(crate) verified: Option<Verified>,
    /// The phases of the roadmap, if there is one.
    pub(crate) roadmap: Option<Vec<RoadmapPhase>>,
    pub(crate) phases: Vec<PhaseDir>,
    /// Documents that are there and cannot be read, by the ends of their names.
    pub(crate) unread: Vec<String>,
    /// True if the repository, the branch or its documents cannot be read, so that there may be more of them.
    pub(crate) git_unread: bool,
    /// A commit that the state file names and that was found on no local branch.
    pub(crate) lost: Option<Lost>,
    /// The commits of the branch; `None` if it is not known how many there are.
    pub(crate) commits: Option<u64>,
    /// The times of the newest of them, newest first.
    pub(crate) commit_times: Vec<DateTime<Utc>>,
    /// True if the branch was pushed with all of its commits.
    pub(crate) pushed: bool,
    /// The time of the record that the evidence is compared with: older evidence was known when the record was written.
    /// `None` without such a record; then all evidence counts.
    pub(crate) since: Option<DateTime<Utc>>,
}

impl Evidence {
    pub(crate) fn has_plan(&self) -> bool {
        self.docs.last(Step::Plan).is_some()
    }

    /// Whether there may be work that was not found: git cannot be read, or has lost commits that the state file names.
    pub(crate) fn may_have_more(&self) -> bool {
        self.git_unread || self.lost.is_some()
    }

    /// The step whose document a step needs, and the document's name, if none was found.
    pub(crate) fn unfound(&self, step: Step) -> Option<(Step, &'static str)> {
        let needed = step
            .needs()
            .filter(|step| self.docs.last(*step).is_none())?;
        Some((needed, needed.document()?.0.strip_suffix(".md")?))
    }

    /// The same, if there is none. Where there may be more nobody knows, and no work is done again for that.
    pub(crate) fn lacks(&self, step: Step) -> Option<(Step, &'static str)> {
        self.unfound(step).filter(|_| !self.may_have_more())
    }

    /// Whether a document is there and cannot be read.
    pub(crate) fn is_unread(&self, document: &str) -> bool {
        let mut unread = self.unread.iter();
        unread.any(|unread| unread.starts_with(document))
    }

    /// What is said of a document that is not used, as a clause.
    pub(crate) fn lack(&self, document: &str) -> String {
        if self.is_unread(document) {
            format!("the {document} cannot be read")
        } else if self.git_unread {
            format!("whether there is a {document} is unknown, because git cannot be read")
        } else {
            format!("there is no {document}")
        }
    }

    /// Pushed commits that the record already knew say nothing about later work.
    fn is_pushed(&self) -> bool {
        self.pushed && (self.all_commits() == 0 || self.new_commits() > 0)
    }

    fn all_commits(&self) -> u64 {
        self.commits.unwrap_or(0)
    }

    /// The commits that are not older than the record. One of an unknown time counts.
    fn new_commits(&self) -> u64 {
        let times = self.commit_times.iter();
        let older = times.filter(|at| !counts(Some(**at), self.since)).count() as u64;
        // Older ones than those that were read are older, too.
        let all = self.all_commits();
        let unread = all.saturating_sub(self.commit_times.len() as u64);
        all - older.min(all) - if older > 0 { unread } else { 0 }
    }

    fn old_commits(&self) -> u64 {
        self.all_commits() - self.new_commits()
    }

    /// The last step that the evidence shows as done beyond a record at `recorded`. Commits without any document show
    /// that a plan was executed.
    pub(crate) fn finished(&self, recorded: Option<Step>) -> Option<Step> {
        let begun = (self.new_commits() > 0).then_some(Step::Plan);
        self.docs.finished(self.since, recorded).max(begun)
    }

    /// The next step by the evidence alone; `None` without evidence.
    pub(crate) fn next(&self, route: Route, recorded: Option<Step>) -> Option<Step> {
        let finished = self.finished(recorded)?;
        Some(match finished {
            // After execution and a push, only the pull request can be next.
            Step::Execute if self.is_pushed() || !route.verifies() => Step::Pr,
            Step::Triage | Step::Plan | Step::Execute | Step::Verify | Step::Pr => finished.next(),
        })
    }

    /// Evidence of steps after a record at `recorded` that does not count because it is older than the record; `None` if
    /// all counts. `later` is how many commits are of those steps, if that is known.
    pub(crate) fn outdated(&self, recorded: Option<Step>, later: Option<u64>) -> Option<String> {
        let all = Self {
            since: None,
            ..self.clone()
        };
        let known = self.finished(recorded).max(recorded);
        let more = all.finished(recorded) > known;
        let older = self.old_commits();
        // A plan that was made has commits too: only before it all are of later steps.
        let most = if recorded < Some(Step::Plan) {
            older
        } else {
            0
        };
        let commits = later.unwrap_or(most).min(older);
        let words = self.words(false, recorded, commits).join(", ");
        (more && !words.is_empty()).then_some(words)
    }
}

/// Scans all places, for this state.
pub(crate) fn scan(
    world: &dyn World,
    facts: &Facts,
    state: &State,
    since: Option<DateTime<Utc>>,
) -> Evidence {
    let (lookup, branch) = (&facts.lookup, &facts.branch);
    let look = Look::of(world, lookup, state, branch.base.as_deref());
    let mut evidence = Evidence {
        commits: branch.tip.as_ref().map_or(Some(0), |_| branch.ahead),
        commit_times: look.times(),
        pushed: branch.unpushed == Some(0),
        lost: look.lost(facts),
        since,
        ..Evidence::default()
    };
    look.roadmap(&mut evidence);
    let named = look.named_dir();
    let phase_dir = || {
        let phase = documents::phase_number(&facts.listed()?.phase_number()?);
        let dirs = look.phase_dirs().into_iter();
        let mut fitting = dirs.filter(|(number, _)| *number == phase);
        fitting.next().map(|(_, path)| path)
    };
    evidence.dir = named.or_else(phase_dir);
    if evidence.dir.is_none() && state.route() != Route::Milestone {
        let mut fresh = look.new_dirs(branch.base.as_deref());
        evidence.dir = fresh.pop();
        evidence.inferred = evidence.dir.is_some();
        evidence.also = fresh;
    }
    if let Some(dir) = &evidence.dir {
        evidence.docs = look.docs(dir);
        for step in [Step::Plan, Step::Execute, Step::Verify] {
            if let (None, Some((end, _))) = (evidence.docs.last(step), step.document()) {
                evidence.unread.extend(look.unread(dir, end));
            }
        }
    }
    look.listed_docs(&mut evidence);
    let phases = evidence.phases.iter().map(|phase| phase.path.as_str());
    let mut dirs = phases.chain(evidence.dir.as_deref());
    // Other files show no step.
    let is_document = |path: &str| docs::step(path).is_some();
    let hidden = dirs.any(|dir| lookup.hides(world, dir, is_document))
        || lookup.hides(world, ".planning", |path| path.ends_with(ROADMAP));
    evidence.git_unread = hidden || lookup.unread;
    evidence.verified = evidence.docs.last(Step::Verify).and_then(|doc| {
        let text = lookup.text(world, &doc.path)?;
        Some(documents::verified(&text))
    });
    evidence
}

/// The input of the scan.
struct Look<'a> {
    world: &'a dyn World,
    lookup: &'a Lookup,
    state: &'a State,
    /// The branch's own commits, newest first.
    commits: Vec<Commit>,
    /// The commit where the branch started, and its time.
    base: Option<(String, DateTime<Utc>)>,
}

impl Look<'_> {
    /// Documents that the checkpoint lists in other places.
    fn listed_docs(&self, evidence: &mut Evidence) {
        let Some(checkpoint) = self.state.checkpoint() else {
            return;
        };
        let plan = json::text(&checkpoint.progress, "plan_path");
        let listed = checkpoint.artifacts.iter().map(|a| a.path.as_str());
        for path in listed.chain(plan) {
            let parent = Path::new(path).parent();
            let beside = |dir: &String| parent == Some(Path::new(dir));
            let beside = evidence.dir.as_ref().is_some_and(beside);
            // In a milestone the list names every phase; only the current folder counts.
            if beside || (evidence.dir.is_some() && self.state.route() == Route::Milestone) {
                continue;
            }
            if let Seen::Found(at) = self.lookup.find(self.world, path) {
                let written = self.written(path, at);
                evidence.docs.add(path.to_owned(), at, written);
            }
        }
    }

    /// The first existing folder that the records name.
    fn named_dir(&self) -> Option<String> {
        let checkpoint = self.state.checkpoint();
        let context = |key: &str| checkpoint.and_then(|c| c.context_text(key));
        let folders = ["phase_dir", "quick_dir"].into_iter().filter_map(context);
        let artifacts = self.state.artifacts_path();
        let files = checkpoint.into_iter().flat_map(|c| {
            let listed = c.artifacts.iter().rev().map(|a| a.path.as_str());
            let plan = json::text(&c.progress, "plan_path").into_iter();
            plan.chain(c.last_output.as_deref()).chain(listed)
        });
        let parents = files.filter_map(|file| Path::new(file).parent()?.to_str());
        let all = folders.chain(artifacts).chain(parents);
        let all = all.map(|dir| dir.trim_end_matches('/'));
        let mut all = all.filter(|dir| !dir.is_empty() && !dir.contains("://"));
        all.find_map(|dir| self.existing_dir(dir))
    }

    /// The folder itself, or the parent of a document that is named instead of a folder.
    fn existing_dir(&self, dir: &str) -> Option<String> {
        let path = Path::new(dir);
        let folder = match path.extension() {
            Some(end) if end == "md" => path.parent()?.to_str()?,
            _ => dir,
        };
        let seen = self.lookup.find(self.world, folder);
        matches!(seen, Seen::Found(_) | Seen::Closed(_)).then(|| folder.to_owned())
    }

    /// The documents of a folder.
    fn docs(&self, dir: &str) -> Docs {
        let mut docs = Docs::default();
        let mut names = self.lookup.list(self.world, dir, false);
        names.retain(|name, _| docs::step(name).is_some());
        for (name, at) in names {
            let path = format!("{dir}/{name}");
            let written = self.written(&path, at);
            docs.add(path, at, written);
        }
        docs
    }

    /// The folders of phases by number, in order.
    fn phase_dirs(&self) -> Vec<(String, String)> {
        let base = ".planning/phases";
        let names = self.lookup.list(self.world, base, true);
        names
            .into_keys()
            .filter_map(|name| Some((documents::folder_number(&name)?, format!("{base}/{name}"))))
            .collect()
    }

    /// The name that was asked for, if a file of it is there and cannot be read.
    fn unread(&self, dir: &str, end: &str) -> Option<String> {
        let unread = self.lookup.unread(self.world, dir, end);
        unread.map(|_| end.to_owned())
    }

    /// The roadmap and its folders, if this issue works by phases.
    fn roadmap(&self, evidence: &mut Evidence) {
        let checkpoint = self.state.checkpoint();
        let has = |key: &str| checkpoint.is_some_and(|one| one.context.contains_key(key));
        let by_phases = self.state.route() == Route::Milestone;
        if !by_phases && !has("phase_dir") && !has("phase_number") {
            return;
        }
        let roadmap = self.lookup.text(self.world, ".planning/ROADMAP.md");
        evidence.roadmap = roadmap.map(|text| documents::roadmap(&text));
        if evidence.roadmap.is_none() {
            evidence.unread.extend(self.unread(".planning", ROADMAP));
        }
        let dirs = self
            .phase_dirs()
            .into_iter()
            .map(|(number, path)| PhaseDir {
                number,
                docs: self.docs(&path),
                path,
            });
        evidence.phases = dirs.collect();
    }

    /// Folders of documents in the worktree or on the branch that did not exist at the start of the branch, lowest
    /// number first. The number of a folder is not unique, so folders are compared by their whole name.
    fn new_dirs(&self, base: Option<&str>) -> Vec<String> {
        // Without a worktree or a branch, documents in ROOT may belong to any issue.
        let mut own = self.lookup.clone();
        own.root = own.worktree.clone().unwrap_or(own.root);
        if own.worktree.is_none() && own.tip.is_none() {
            return Vec::new();
        }
        let mut dirs: BTreeMap<(u64, String), String> = BTreeMap::new();
        for parent in [".planning/quick", ".planning/phases"] {
            let old = own.in_tree(self.world, base, Path::new(parent), true);
            let there = if own.worktree.is_some() {
                own.list(self.world, parent, true).into_keys().collect()
            } else {
                own.in_tree(self.world, own.tip.as_deref(), Path::new(parent), true)
            };
            for name in there.into_iter().filter(|name| !old.contains(name)) {
                let number = name.split('-').next().and_then(|n| n.parse().ok());
                let path = format!("{parent}/{name}");
                dirs.insert((number.unwrap_or(0), name), path);
            }
        }
        dirs.into_values().collect()
    }
}
