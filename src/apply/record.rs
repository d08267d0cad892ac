//! The record of a recovery, which the history shows. It is written into the folder of the recovery before any change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, NaiveDateTime};
use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::exchange::BaseKind;
use super::journal::Journal;
use crate::foreign;
use crate::model::{
    Action, ActionKind, Asked, BranchMove, ChangeCounts, Foreign, Forms, GuardKind, Handoff,
    KeptContent, KeptPair, LeftPath, PathChange, PipelineId, Plan, PlanPath, PointChoice, Preview,
    Recovery, RestoredFiles, Stamp,
};

/// What was planned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Record {
    /// The pipeline.
    pub pipeline: PipelineId,
    /// Its root.
    pub root: Bytes,
    /// Its label for a person.
    pub label: Bytes,
    /// When it began (RFC 3339).
    started_at: String,
    /// The recovery that it undoes.
    pub undoes: Option<String>,
    /// Whether the recovery that it undoes was an undo; records of older versions show this only in their label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redo: Option<bool>,
    /// What it does.
    pub actions: Vec<RecordAction>,
    /// The ids of the questions that the person accepted, and `assume-stopped` if they chose that.
    #[serde(default)]
    pub accepted: Vec<String>,
    /// How the orchestrator resumes.
    pub handoff: RecordHandoff,
    /// Its number in the order of all recoveries, which does not depend on the clock; 0 in records of older versions.
    #[serde(default)]
    pub number: u64,
    /// The checkpoint whose files were restored, all of them and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    files_of: Option<FilesOf>,
    /// The paths that a restore left out, which the next reading of the pipeline reports, or that an undo kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<Bytes>,
    /// The branch that each work tree had checked out; empty in records of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    branches: Vec<(Bytes, Bytes)>,
    /// When the pipeline was last written by anyone but relight; `None` in records of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_work: Option<Stamp>,
    /// What the entries of each index said that it replaced; empty in records of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    indexes: Vec<(Bytes, String)>,
}

/// One action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordAction {
    kind: String,
    target: Bytes,
    summary: Bytes,
    changes: Option<[u64; 3]>,
    /// Commits that left the branch that moved, and that came back to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<[u64; 2]>,
    paths: Vec<(Bytes, String)>,
    /// What those paths were before and after whose bytes do not show it, by their place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    forms: BTreeMap<usize, Forms>,
}

/// The hand-off.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordHandoff {
    cwd: Bytes,
    argv: Vec<Bytes>,
    prompt: Bytes,
    briefing: Bytes,
    #[serde(default)]
    briefing_file: Option<Bytes>,
    /// When the usage limit resets at which the agent had stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit_until: Option<String>,
}

impl Record {
    /// The record of a plan that is about to be applied.
    pub fn of(
        plan: &Plan,
        root: &Path,
        label: &Foreign,
        started_at: DateTime<FixedOffset>,
        undoes: Option<&Recovery>,
    ) -> Self {
        Self {
            pipeline: plan.pipeline.clone(),
            root: Bytes::from(root),
            label: bytes(label),
            started_at: started_at.to_rfc3339(),
            undoes: undoes.map(|recovery| recovery.id.0.clone()),
            redo: undoes.map(Recovery::is_undo),
            actions: plan.actions.iter().map(RecordAction::of).collect(),
            accepted: accepted(plan),
            handoff: RecordHandoff {
                cwd: Bytes::from(plan.handoff.cwd.as_path()),
                argv: plan.handoff.argv.iter().map(bytes).collect(),
                prompt: bytes(&plan.handoff.prompt),
                briefing: bytes(&plan.handoff.briefing),
                briefing_file: plan.handoff.briefing_file.as_deref().map(Bytes::from),
                limit_until: plan.handoff.limit_until.map(|until| until.at.to_rfc3339()),
            },
            files_of: FilesOf::of(plan),
            left_out: plan.left_out.iter().map(bytes).collect(),
            ..Self::default()
        }
    }

    /// Records which branch each work tree has checked out.
    pub fn note_branches(&mut self, branches: &[(PathBuf, Foreign)]) {
        let pairs = branches.iter();
        self.branches = pairs
            .map(|(tree, branch)| (Bytes::from(tree.as_path()), bytes(branch)))
            .collect();
    }

    /// The branch that a work tree had checked out, if recorded.
    pub fn branch(&self, tree: &Path) -> Option<Foreign> {
        let found = self.branches.iter().find(|(at, _)| at.path() == tree);
        found.map(|(_, branch)| foreign(branch))
    }

    /// Records what the entries of each index say that the plan replaces.
    pub fn note_indexes(&mut self, indexes: Vec<(PathBuf, String)>) {
        let pairs = indexes.into_iter();
        self.indexes = pairs
            .map(|(tree, digest)| (Bytes::from(tree.as_path()), digest))
            .collect();
    }

    /// What the entries of a work tree's index said before, if recorded.
    pub fn index(&self, tree: &Path) -> Option<&str> {
        let found = self.indexes.iter().find(|(at, _)| at.path() == tree);
        found.map(|(_, digest)| digest.as_str())
    }

    /// A replacement for a record that is missing, or is there and cannot be read, with what the journal contains.
    pub fn lost(id: &str, home: &Path, journal: Option<&Journal>, is_there: bool) -> Self {
        let root = journal.and_then(Journal::root);
        let label = if is_there {
            "(record cannot be read)"
        } else {
            "(record is missing)"
        };
        // An id begins with the time in UTC.
        let began = id
            .get(..15)
            .and_then(|time| NaiveDateTime::parse_from_str(time, "%Y%m%dT%H%M%S").ok());
        Self {
            root: Bytes::from(root.as_deref().unwrap_or(home)),
            label: Bytes::from(label.as_bytes()),
            started_at: began.map_or_else(String::new, |at| at.and_utc().to_rfc3339()),
            actions: journal.map(actions_of).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// When it began.
    pub fn started_at(&self) -> DateTime<FixedOffset> {
        DateTime::parse_from_rfc3339(&self.started_at).unwrap_or_default()
    }

    /// The hand-off.
    pub fn handoff(&self) -> Handoff {
        Handoff {
            cwd: self.handoff.cwd.path(),
            argv: self.handoff.argv.iter().map(foreign).collect(),
            prompt: foreign(&self.handoff.prompt),
            briefing: foreign(&self.handoff.briefing),
            briefing_file: self.handoff.briefing_file.as_ref().map(Bytes::path),
            limit_until: self.limit_until(),
            ..Handoff::default()
        }
    }

    fn limit_until(&self) -> Option<Stamp> {
        let until = self.handoff.limit_until.as_deref()?;
        DateTime::parse_from_rfc3339(until).ok().map(Stamp::stated)
    }

    /// Whether it undoes an undo.
    pub fn is_redo(&self) -> bool {
        self.redo.unwrap_or_else(|| {
            let label = self.label();
            self.undoes.is_some() && label.as_bytes().starts_with(b"redo of ")
        })
    }

    /// The paths that an undo left as they are.
    pub(super) fn kept(&self) -> impl Iterator<Item = LeftPath> {
        let kept = self.left_out.iter().filter(|_| self.undoes.is_some());
        kept.map(|path| LeftPath {
            path: path.path(),
            before: None,
            planned: None,
            text: foreign!("Left as it is (--keep): {}.", &path.path()),
        })
    }

    /// Its label for a person.
    pub fn label(&self) -> Foreign {
        foreign(&self.label)
    }
}

/// A checkpoint whose files were restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FilesOf {
    checkpoint: String,
    taken_at: Option<String>,
    /// Whether all of its files were restored. Older versions recorded nothing else.
    #[serde(default = "yes")]
    whole: bool,
}

const fn yes() -> bool {
    true
}

impl FilesOf {
    /// The checkpoint of a plan that restores its files and resumes nothing.
    fn of(plan: &Plan) -> Option<Self> {
        let Asked::Resume { choice, options } = &plan.asked else {
            return None;
        };
        let found = plan.point.boundary.checkpoint.found()?;
        let alone = matches!(choice, PointChoice::Checkpoint(_));
        alone.then(|| Self {
            whole: options.paths.is_empty() && plan.left_out.is_empty(),
            checkpoint: found.id.clone(),
            taken_at: found.taken_at.map(|at| at.at.to_rfc3339()),
        })
    }

    pub(super) fn restored(self) -> RestoredFiles {
        let taken_at = self.taken_at.as_deref();
        RestoredFiles {
            taken_at: taken_at.and_then(|at| DateTime::parse_from_rfc3339(at).ok()),
            checkpoint: self.checkpoint,
            whole: self.whole,
        }
    }
}

/// The answers that the person gave besides the consent.
fn accepted(plan: &Plan) -> Vec<String> {
    let Asked::Resume { options, .. } = &plan.asked else {
        return Vec::new();
    };
    let asks = plan
        .guards
        .iter()
        .filter(|guard| guard.kind == GuardKind::Ask && guard.holds);
    let stopped = options.assume_stopped.then(|| "assume-stopped".to_owned());
    asks.map(|guard| guard.id.to_string())
        .chain(stopped)
        .collect()
}

impl RecordAction {
    fn of(action: &Action) -> Self {
        let path = |path: &PlanPath| (bytes(&path.path), path.change.word().to_owned());
        // Once it is applied, the backups no longer show whether the file was there.
        let one = action.change().map(|change| ChangeCounts::of([change]));
        let changes = action.changes.or(one);
        let paths = action.paths.iter().enumerate();
        let forms = paths.filter_map(|(at, path)| Some((at, path.forms.notable()?)));
        Self {
            kind: action.kind.word().to_owned(),
            target: Bytes::from(action.target.as_path()),
            summary: bytes(&action.summary),
            changes: changes.map(|c| [c.modified, c.added, c.removed]),
            branch: action.branch().map(|moved| [moved.removed, moved.restored]),
            paths: action.paths.iter().map(path).collect(),
            forms: forms.collect(),
        }
    }

    /// The action, with the places of its backups. `kept` returns the slot that belongs to a path.
    pub fn action(&self, kept: &dyn Fn(&Path) -> Option<PathBuf>) -> Action {
        let target = self.target.path();
        let paths: Vec<PlanPath> = self
            .paths
            .iter()
            .enumerate()
            .map(|(at, (path, word))| PlanPath {
                path: foreign(path),
                change: word.parse().unwrap_or(PathChange::NotCovered),
                blob: None,
                forms: self.forms.get(&at).copied().unwrap_or_default(),
                drifted: false,
            })
            .collect();
        let pair = |here: PathBuf| KeptPair {
            kept: kept(&here),
            content: KeptContent::Backup,
            here,
        };
        let pairs = if self.paths.is_empty() {
            vec![pair(target.clone())]
        } else {
            let of = self.paths.iter();
            of.map(|(path, _)| pair(target.join(path.path()))).collect()
        };
        Action {
            kind: self.kind.parse().unwrap_or(ActionKind::ReplaceFile),
            target,
            summary: foreign(&self.summary),
            changes: self.changes.map(|[modified, added, removed]| ChangeCounts {
                modified,
                added,
                removed,
                branch: self
                    .branch
                    .map(|[removed, restored]| BranchMove { removed, restored }),
            }),
            paths,
            preview: Preview::Kept { pairs },
        }
    }
}

/// The actions that follow from a journal's exchanges: one for each folder of a person's files.
fn actions_of(journal: &Journal) -> Vec<RecordAction> {
    let mut actions = Vec::new();
    for (at, base) in journal.bases.iter().enumerate() {
        let mut changes = [0; 3];
        let mut paths = Vec::new();
        let exchanges = journal
            .exchanges
            .iter()
            .filter(|exchange| exchange.here.base == at);
        for exchange in exchanges.filter(|_| base.kind == BaseKind::Files) {
            let (nth, change) = match (exchange.here_had, exchange.there_had) {
                (Some(_), Some(_)) => (0, PathChange::Write),
                (None, _) => (1, PathChange::Create),
                (Some(_), None) => (2, PathChange::Remove),
            };
            if let Some(count) = changes.get_mut(nth) {
                *count += 1;
            }
            let path = Bytes::from(exchange.here.rel().as_path());
            paths.push((path, change.word().to_owned()));
        }
        if !paths.is_empty() {
            actions.push(RecordAction {
                kind: ActionKind::RestoreTree.word().to_owned(),
                target: base.path.clone(),
                summary: Bytes::from(b"Changes listed in its journal".as_slice()),
                changes: Some(changes),
                branch: None,
                paths,
                forms: BTreeMap::new(),
            });
        }
    }
    actions
}

fn bytes(text: &Foreign) -> Bytes {
    Bytes::from(text.as_bytes())
}

fn foreign(bytes: &Bytes) -> Foreign {
    Foreign::from(bytes.0.clone())
}

#[cfg(test)]
mod tests;
