//! Taking a recovery back: the plan of it. It goes through the same door as any other plan.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Engine, EngineError, ErrorKind, Request};
use crate::apply::disk::RealDisk;
use crate::apply::history::{self, Entry};
use crate::apply::undo::{self, Undo};
use crate::model::{
    Action, ActionKind, Aliveness, Asked, Boundary, ChangeCounts, CheckpointNeed, Foreign, Guard,
    Handoff, KeptPair, Liveness, PathChange, Plan, PlanOptions, PlanPath, PointId, PointKind,
    Preference, Preview, Readiness, Recovery, RecoveryId, RecoveryState, ResumePoint, Verdict,
};
use crate::recover::fingerprint::{Basis, Parts, fingerprint};
use crate::world::git::GitState;

impl Engine {
    /// The plan that takes a recovery back; without an id the latest of the request's scope that still stands
    /// (with `redo`, the latest undo that still stands). Paths in `keep` (absolute) stay as they are.
    pub fn undo_plan(
        &self,
        id: Option<&str>,
        redo: bool,
        keep: &[PathBuf],
        request: &Request,
    ) -> Result<Plan, EngineError> {
        let found = match id {
            Some(id) => self.named_recovery(id)?,
            None => self.latest(redo, request)?,
        };
        if let Some(by) = &found.undone_by {
            let text = format!("{} has been taken back already, by {by}.", found.id);
            return Err(EngineError::new(ErrorKind::NothingToDo, text)
                .hint(format!("relight redo {by} does it again.")));
        }
        if self.recall(&found.pipeline).is_err() {
            // Undo works without its pipeline, too: then nothing can be said about who works on it.
            let word = OsStr::new(&found.pipeline.0);
            let _unknown = self.select(word, request);
        }
        self.undo_again(&found.id, keep)
    }

    /// The recovery that an undo without an id means.
    fn latest(&self, redo: bool, request: &Request) -> Result<Recovery, EngineError> {
        let all = self.recoveries(request)?;
        let depth = |recovery: &Recovery| {
            let mut depth = 0;
            let mut at = recovery.undoes.clone();
            while let Some(id) = at {
                depth += 1;
                at = all
                    .iter()
                    .find(|r| r.id == id)
                    .and_then(|r| r.undoes.clone());
            }
            depth
        };
        let stands = |r: &&Recovery| {
            r.state == RecoveryState::Committed && r.undone_by.is_none() && !r.purged
        };
        let wanted = usize::from(redo);
        let found = all.iter().filter(stands).find(|r| depth(r) % 2 == wanted);
        found.cloned().ok_or_else(|| {
            let text = if redo {
                "There is nothing to redo."
            } else {
                "There is nothing to undo."
            };
            EngineError::new(ErrorKind::NothingToDo, text)
                .hint("relight history --scope machine lists everything that was carried out.")
        })
    }

    /// What taking a recovery back would do.
    pub(super) fn undo_of(
        &self,
        disk: &RealDisk,
        state: &Path,
        id: &RecoveryId,
        keep: &[PathBuf],
    ) -> Result<(Entry<RealDisk>, Undo), EngineError> {
        let entry = self.entry(disk, state, id)?;
        let refuse = |text: String| EngineError::new(ErrorKind::Refused, text);
        if entry.recovery.state != RecoveryState::Committed {
            let text = format!("{id} was not completed, so there is nothing to take back.");
            return Err(refuse(text).hint(format!("relight recover {id} settles it.")));
        }
        if entry.recovery.purged {
            return Err(refuse(format!(
                "What {id} kept was given back, so it cannot be taken back."
            )));
        }
        let Some(Ok(journal)) = &entry.journal else {
            return Err(refuse(format!("The journal of {id} cannot be read.")));
        };
        let undo = undo::work_out(disk, journal, keep);
        let undo = undo.map_err(|error| refuse(format!("{id} cannot be taken back: {error}.")))?;
        Ok((entry, undo))
    }

    /// The plan of an undo, made anew.
    pub(super) fn undo_again(
        &self,
        id: &RecoveryId,
        keep: &[PathBuf],
    ) -> Result<Plan, EngineError> {
        let disk = RealDisk::new();
        let state = self.state_dir()?;
        let (entry, undo) = self.undo_of(&disk, &state, id, keep)?;
        let recovery = &entry.recovery;
        let moves_refs = !undo.draft.refs.is_empty();
        let mut losses = losses(recovery, &undo);
        let made: HashSet<&Path> = undo
            .basis
            .iter()
            .filter(|(_, _, kept)| kept.is_none())
            .map(|(path, ..)| path.as_path())
            .collect();
        let actions: Vec<Action> = recovery
            .actions
            .iter()
            .filter_map(|action| inverse(action, &undo, &made, keep, moves_refs))
            .collect();
        let liveness = self.recall(&recovery.pipeline).ok();
        let liveness = liveness.map(|opened| opened.pipeline.standing.liveness.clone());
        let mut guards = vec![alive_guard(liveness.as_ref())];
        guards.extend(self.undo_guards(&undo, &actions));
        guards.sort_by_key(|guard| guard.holds);
        if !keep.is_empty() {
            losses.push(format!("{} as chosen: left as it is now.", paths(keep.len())).into());
        }
        let asked = Asked::Undo {
            recovery: id.clone(),
            keep: keep.to_vec(),
        };
        let point = point(recovery);
        let basis: Vec<Basis> = undo
            .basis
            .iter()
            .map(|(path, now, kept)| Basis {
                path: path.clone(),
                state: format!("{now:?} {kept:?}").into_bytes(),
            })
            .collect();
        // Its verdict changes by itself, because the recovery made the files young.
        let silent = Liveness {
            verdict: Aliveness::Unknown,
            evidence: Vec::new(),
        };
        let fingerprint = fingerprint(&Parts {
            pipeline: &recovery.pipeline,
            point: &point.boundary.id,
            checkpoint: None,
            options: &PlanOptions::default(),
            actions: &actions,
            guards: &guards,
            liveness: &silent,
            tree: None,
            basis: &basis,
        });
        Ok(Plan {
            asked,
            fingerprint,
            pipeline: recovery.pipeline.clone(),
            point,
            kept: Vec::new(),
            redone: Vec::new(),
            destructive: !actions.is_empty(),
            actions,
            guards,
            losses,
            handoff: Handoff::default(),
        })
    }

    /// What must hold for an undo, beside that nothing works on the pipeline.
    fn undo_guards(&self, undo: &Undo, actions: &[Action]) -> Vec<Guard> {
        let mut guards = Vec::new();
        for path in &undo.lost {
            guards.push(Guard {
                id: "kept",
                holds: false,
                text: format!(
                    "What was kept for {} is not where it was put.",
                    path.to_string_lossy()
                )
                .into(),
                would_hold_if: Some("it were back, or that path is left out (--keep)".into()),
            });
        }
        for moved in &undo.draft.refs {
            let now = crate::git::refs::read(&moved.git_dir.path(), &moved.name);
            let holds = now.as_ref().is_ok_and(|now| *now == moved.old);
            guards.push(Guard {
                id: "branch_tip",
                holds,
                text: if holds {
                    format!("{} is where the recovery left it.", moved.name).into()
                } else {
                    format!(
                        "{} has moved since the recovery: undoing would drop what was committed.",
                        moved.name
                    )
                    .into()
                },
                would_hold_if: (!holds).then(|| {
                    let short: String =
                        moved.old.iter().flat_map(|id| id.chars().take(8)).collect();
                    format!("it were back at {short}").into()
                }),
            });
        }
        let trees = actions.iter().filter(|action| action.kind.touches_tree());
        for tree in trees {
            let Ok(repo) = self.world.git().repo(&tree.target) else {
                continue;
            };
            if let GitState::Busy(what) = repo.state {
                guards.push(Guard {
                    id: "git_state",
                    holds: false,
                    text: format!(
                        "{} is in the middle of a {what}.",
                        tree.target.to_string_lossy()
                    )
                    .into(),
                    would_hold_if: Some(format!("the {what} were finished or aborted").into()),
                });
            }
            if repo.index_locked && !self.holds_index(&repo.git_dir) {
                guards.push(Guard {
                    id: "index_lock",
                    holds: false,
                    text: "Another git program holds the index.".into(),
                    would_hold_if: Some("it had ended; index.lock goes with it".into()),
                });
            }
        }
        guards
    }

    /// One recovery by its id.
    pub(super) fn recovery(&self, id: &RecoveryId) -> Result<Recovery, EngineError> {
        let entry = self.entry(&RealDisk::new(), &self.state_dir()?, id)?;
        Ok(entry.recovery)
    }

    /// One transaction by its recovery's id.
    pub(super) fn entry(
        &self,
        disk: &RealDisk,
        state: &Path,
        id: &RecoveryId,
    ) -> Result<Entry<RealDisk>, EngineError> {
        let all = history::entries(disk, state, *self.now().offset());
        let (all, _) = all.map_err(|error| {
            EngineError::new(
                ErrorKind::Unreadable,
                format!("The history cannot be read: {error}."),
            )
        })?;
        let found = all.into_iter().find(|entry| entry.recovery.id == *id);
        found.ok_or_else(|| {
            EngineError::new(ErrorKind::NotFound, format!("There is no recovery {id}."))
                .hint("relight history --scope machine lists them.")
        })
    }
}

/// What an undo does not bring back, and what it covers up.
fn losses(recovery: &Recovery, undo: &Undo) -> Vec<Foreign> {
    let mut losses = Vec::new();
    if !undo.drifted.is_empty() {
        let mut names: Vec<_> = undo.drifted.iter().map(|p| p.to_string_lossy()).collect();
        names.sort();
        let shown = names
            .iter()
            .take(8)
            .map(AsRef::as_ref)
            .collect::<Vec<&str>>()
            .join(", ");
        let rest = names.len().saturating_sub(8);
        let more = if rest > 0 {
            format!(" (+{rest} more)")
        } else {
            String::new()
        };
        let text = format!(
            "Changed since the recovery, and kept so that redo brings them back: {shown}{more}."
        );
        losses.push(text.into());
    }
    for dir in &undo.staying {
        let text = format!(
            "{} stays: it holds something newer by now.",
            dir.to_string_lossy()
        );
        losses.push(text.into());
    }
    let logs = recovery
        .actions
        .iter()
        .filter(|a| a.kind == ActionKind::AppendLines);
    for log in logs {
        let text = format!(
            "What was appended to {} stays.",
            log.target.to_string_lossy()
        );
        losses.push(text.into());
    }
    losses
}

/// An action, taken back; `None` where nothing of it is.
fn inverse(
    action: &Action,
    undo: &Undo,
    made: &HashSet<&Path>,
    keep: &[PathBuf],
    moves_refs: bool,
) -> Option<Action> {
    let kept_as_is = |path: &Path| keep.iter().any(|kept| path.starts_with(kept));
    let Preview::Kept { pairs } = &action.preview else {
        return None;
    };
    if action.kind == ActionKind::AppendLines {
        return None;
    }
    if action.kind == ActionKind::MoveAside {
        let pair = pairs.first()?;
        let from = pair.kept.clone()?;
        return (!kept_as_is(&pair.here)).then(|| Action {
            kind: ActionKind::MoveAside,
            target: from,
            summary: "Moves it back to where it was.".into(),
            changes: None,
            paths: Vec::new(),
            preview: Preview::Rename {
                to: pair.here.clone(),
            },
        });
    }
    let back = |pair: &KeptPair| KeptPair {
        here: pair.here.clone(),
        kept: pair
            .kept
            .clone()
            .filter(|_| !made.contains(pair.here.as_path())),
    };
    if !action.kind.touches_tree() {
        let pair = back(pairs.first()?);
        if kept_as_is(&pair.here) {
            return None;
        }
        let summary = match &pair.kept {
            Some(_) => "Puts back its content of before the recovery.",
            None => "Takes away the file, which the recovery had made.",
        };
        return Some(Action {
            kind: ActionKind::ReplaceFile,
            target: action.target.clone(),
            summary: summary.into(),
            changes: None,
            paths: Vec::new(),
            preview: Preview::Kept { pairs: vec![pair] },
        });
    }
    let mut changes = ChangeCounts::default();
    let (mut shown, mut put) = (Vec::new(), Vec::new());
    for (path, pair) in action.paths.iter().zip(pairs) {
        let change = match path.change {
            PathChange::Write => PathChange::Write,
            PathChange::Create => PathChange::Remove,
            PathChange::Remove => PathChange::Create,
            PathChange::KeepNewer | PathChange::NotCovered => continue,
        };
        let here = action.target.join(OsStr::from_bytes(path.path.as_bytes()));
        if kept_as_is(&here) || undo.staying.contains(&here) {
            continue;
        }
        match change {
            PathChange::Create => changes.added += 1,
            PathChange::Remove => changes.removed += 1,
            _ => changes.modified += 1,
        }
        shown.push(PlanPath {
            path: path.path.clone(),
            change,
            blob: None,
            drifted: undo.drifted.contains(&here),
        });
        put.push(back(pair));
    }
    let moves = moves_refs && action.kind == ActionKind::ResetWorktree;
    if shown.is_empty() && !moves {
        return None;
    }
    let branch = if moves {
        ", and the branch with them"
    } else {
        ""
    };
    let files = match shown.len() {
        1 => "1 file".to_owned(),
        n => format!("{n} files"),
    };
    Some(Action {
        kind: action.kind,
        target: action.target.clone(),
        summary: format!("Puts {files} back as before the recovery{branch}.").into(),
        changes: Some(changes),
        paths: shown,
        preview: Preview::Kept { pairs: put },
    })
}

/// The point that stands for an undo.
fn point(recovery: &Recovery) -> ResumePoint {
    let reason = Foreign::from(format!(
        "Takes back the recovery of {}.",
        recovery.started_at.format("%Y-%m-%d %H:%M")
    ));
    ResumePoint {
        boundary: Boundary {
            id: PointId(format!("undo-{}", recovery.id)),
            label: format!("Undo of {}", recovery.label.lossy()).into(),
            phase: None,
            kind: PointKind::StateEdit,
            verified: Verdict::Pass,
            failing: Vec::new(),
            checkpoint: CheckpointNeed::None,
            kept: 0,
            redone: 0,
            time_lost_s: None,
            warnings: Vec::new(),
            reason: reason.clone(),
            preference: Preference::ByHand,
        },
        recommended: false,
        reason,
        readiness: Readiness::Ready,
    }
}

/// Only positive evidence of life stands in the way of an undo: the files are young because of the recovery
/// itself.
fn alive_guard(liveness: Option<&Liveness>) -> Guard {
    let alive = liveness.filter(|liveness| liveness.verdict == Aliveness::Alive);
    Guard {
        id: "liveness",
        holds: alive.is_none(),
        text: match (alive, liveness) {
            (Some(_), _) => "Something is working on the pipeline.".into(),
            (None, Some(_)) => "Nothing shows that something is working on the pipeline.".into(),
            (None, None) => {
                "The pipeline cannot be read any more, so nothing says who works on it.".into()
            }
        },
        would_hold_if: alive.map(|_| "it had been stopped".into()),
    }
}

fn paths(count: usize) -> String {
    if count == 1 {
        "1 path".to_owned()
    } else {
        format!("{count} paths")
    }
}
