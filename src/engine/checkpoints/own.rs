//! `relight checkpoint`, and relight's own checkpoints: of the state files, and of the work tree on request. mgw and
//! conferences have no others.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use chrono::SubsecRound as _;
use sha2::{Digest as _, Sha256};

use crate::apply::disk::RealDisk;
use crate::apply::home::{Home, checkpoints_path};
use crate::apply::recording::Recording;
use crate::apply::session::Context;
use crate::engine::backup_folder::locked_root;
use crate::engine::recording::PATIENCE;
use crate::engine::{Engine, EngineError, Opened, Request, Result};
use crate::foreign;
use crate::git::scratch::{ScratchError, Snapshots, TreeAsk, row_time};
use crate::model::text::hex;
use crate::model::{
    Action, CHECKPOINT_SOURCE, Cancel, Checkpoint, CheckpointAsk, CheckpointKind, Finding, Foreign,
    Intent, LeftOut, Loss, Origin, PipelineId, Stamp, Step, TakenCheckpoint,
};
use crate::text::format::{count, list, short_id};
use crate::world::git::Commit;

/// The most characters of a reason.
const REASON: usize = 200;
/// What a checkpoint's subject says it holds.
const TREE: &str = "tree";

impl Engine {
    /// Takes a checkpoint. Nothing of the project is written. `cancel` stops it until the project is locked; afterwards
    /// it is finished.
    pub fn checkpoint(
        &self,
        ask: &CheckpointAsk,
        request: &Request,
        cancel: &Cancel,
    ) -> Result<TakenCheckpoint> {
        let reason = reason(&ask.reason)?;
        let id = self.meant(ask, request)?;
        let opened = self.reopen(&id)?;
        if opened.case.is_read_only() {
            return Err(opened.read_only("takes no checkpoints of"));
        }
        cancel.open();
        RealDisk::available().map_err(EngineError::refused)?;
        let place = self.write_place(self.present(locked_root(&opened.pipeline))?)?;
        let disk = RealDisk::new();
        let now = self.now().trunc_subsecs(3);
        let context = Context {
            now,
            ..place.context(self, &disk, cancel)
        };
        let recording = Recording::begin(&context, PATIENCE)?;
        // What was read before is not what there is now.
        if recording.has_finished_another() {
            return recording.after_another(|| self.checkpoint(ask, request, cancel));
        }
        let boundary = opened.case.boundary(reason, self.world.as_ref());
        let work_tree = opened.pipeline.reading.work_tree.as_deref();
        let (taken, step) = match boundary.zip(work_tree) {
            Some((kept, work_tree)) => {
                self.take_boundary(&kept, work_tree, reason, now.to_utc())?
            }
            None => (self.take_own(ask, &id, &opened, &context)?, None),
        };
        if taken.repeated {
            return Ok(taken);
        }
        let actions: Vec<Action> = step.iter().filter_map(Step::change).cloned().collect();
        let line = self.ledger_line(&taken, &now.to_rfc3339(), &place.root);
        let written = recording.write(&actions, self.world.git(), &line, (now, false));
        written?;
        Ok(taken)
    }

    /// Takes one of relight's own.
    fn take_own(
        &self,
        ask: &CheckpointAsk,
        id: &PipelineId,
        opened: &Opened,
        context: &Context<'_, RealDisk>,
    ) -> Result<TakenCheckpoint> {
        let (reason, now) = (reason(&ask.reason)?, context.now);
        let only_tree = opened.case.keeps_state_outside();
        let of_tree = ask.tree || only_tree;
        let files = if only_tree {
            Vec::new()
        } else {
            self.state_content(opened)?
        };
        let apart = |path: &Path| files.iter().any(|(file, _)| file == path) || self.is_log(path);
        let work_tree = opened.pipeline.reading.work_tree.as_deref();
        let tree = work_tree.filter(|_| of_tree).map(|work_tree| TreeAsk {
            work_tree,
            everything: ask.everything,
            apart: &apart,
        });
        if of_tree && tree.is_none() {
            let text = "The pipeline has no work tree to keep.";
            return Err(EngineError::refused(text));
        }
        let phase = ask.phase.as_deref().unwrap_or("-");
        let time = row_time(now.to_utc());
        let what = if of_tree { TREE } else { "state" };
        let subject = |left: LeftOut| {
            format!("{reason} | {time} | {CHECKPOINT_SOURCE} | {phase} | {what} | {left}")
        };
        let unmade =
            |error: std::io::Error| EngineError::failed(untaken(&error.to_string()).text, &error);
        let (name, me) = (store_name(id), context.me);
        // Only now: a refusal leaves no empty store.
        let store = Home::checkpoints(context.disk, context.state, name.as_ref(), me);
        let store = store.map_err(unmade)?;
        let snapshots = Snapshots::open(&store).map_err(|error| failed(&error))?;
        let taken = snapshots.take(&files, tree.as_ref(), &subject, now.to_utc());
        let (commit, left_out) = taken.map_err(|error| failed(&error))?;
        Ok(TakenCheckpoint {
            id: commit,
            store,
            reason: reason.to_owned(),
            source: CHECKPOINT_SOURCE.to_owned(),
            state_files: files.into_iter().map(|(path, _)| path).collect(),
            left_out: of_tree.then_some(left_out),
            repeated: false,
        })
    }

    /// The pipeline of a checkpoint: as every command understands it, else as a record does.
    fn meant(&self, ask: &CheckpointAsk, request: &Request) -> Result<PipelineId> {
        let selected = self.select(&ask.pipeline, request);
        selected.or_else(|error| {
            let Ok((_, site)) = self.site(&ask.pipeline, &[], request) else {
                return Err(error);
            };
            // The first answer is about what was typed.
            self.select(site.file.as_os_str(), request).or(Err(error))
        })
    }

    /// The state files that can be read, by their real paths.
    fn state_content(&self, opened: &Opened) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut all = Vec::new();
        for file in &opened.pipeline.reading.state_files {
            let file = self.real_path(file);
            if let Some(bytes) = self.current_content(&file)? {
                all.push((file, bytes));
            }
        }
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// Whether a saved file is restored; the others are kept only for reading.
    fn is_restored(&self, file: &Path) -> bool {
        let end = file.extension().and_then(OsStr::to_str);
        matches!(end, Some("json" | "tsv")) && !self.is_log(file)
    }

    fn is_log(&self, file: &Path) -> bool {
        let mut systems = self.systems.iter();
        systems.any(|system| system.is_append_only(file, self.world.as_ref()))
    }

    /// Its line in the list of records.
    fn ledger_line(&self, taken: &TakenCheckpoint, at: &str, root: &Path) -> Vec<u8> {
        let line = serde_json::json!({
            "form": "checkpoint",
            "at": at,
            "written_at": at,
            "caller": self.caller(),
            "file": root.to_string_lossy(),
            "files": [],
            "checkpoint": taken.id,
            "reason": taken.reason,
        });
        format!("{line}\n").into_bytes()
    }

    /// relight's own checkpoints of a pipeline, oldest first, and what says that they cannot all be read.
    pub(in crate::engine) fn own_checkpoints(
        &self,
        id: &PipelineId,
    ) -> (Vec<Checkpoint>, Option<Finding>) {
        let Ok(state) = self.state_dir() else {
            return (Vec::new(), None);
        };
        let store = checkpoints_path(&state, store_name(id).as_ref());
        if self.world.files().canonical(&store).is_none() {
            return (Vec::new(), None);
        }
        let (commits, why) = match self.world.git().shadow(&store) {
            // It is made for a first checkpoint.
            Ok(facts) if facts.commits.is_empty() => (Vec::new(), Some("it names none".to_owned())),
            Ok(facts) => (facts.commits, None),
            Err(why) => (Vec::new(), Some(why.to_string())),
        };
        let oldest = commits.iter().rev();
        let own = oldest.filter_map(|commit| self.own(&store, commit));
        let unread = why.map(|why| {
            let text = foreign!(
                "The store of relight's own checkpoints, {}, is damaged: {}. Put it back from a backup, or delete it: relight purge {}",
                &store,
                why,
                id.0.as_str()
            );
            Finding::warn("unread-history", Origin::file(&store), text)
        });
        (own.collect(), unread)
    }

    fn own(&self, store: &Path, commit: &Commit) -> Option<Checkpoint> {
        let subject = commit.subject.lossy();
        let mut cells = subject.split(" | ");
        let reason = cells.next()?;
        if cells.nth(1)? != CHECKPOINT_SOURCE {
            return None;
        }
        let (phase, what) = (cells.next()?, cells.next()?);
        let left_out = cells.next();
        let of_tree = what == TREE;
        let paths = self.saved_paths(store, commit);
        let names = paths.iter().filter(|path| self.is_restored(path));
        let names = names.filter_map(|path| path.file_name());
        let names = list(names.map(|name| name.to_string_lossy()));
        let mut cannot = Vec::new();
        let logs = paths.iter().filter(|path| self.is_log(path)).count();
        if logs > 0 {
            cannot.push(format!("{} kept as it is: logs only grow.", count(logs, "log")).into());
        }
        if let Some(left_out) = left_out.filter(|_| of_tree) {
            let unknown = Some("what its subject does not say".to_owned());
            let said = LeftOut::read(left_out).map_or(unknown, |known| known.said());
            cannot.extend(said.map(|said| format!("Not in the checkpoint: {said}.").into()));
        }
        let brings_back = match (of_tree, names.is_empty()) {
            (true, true) => "The files of the work tree.".to_owned(),
            (true, false) => format!("The files of the work tree, and {names}."),
            (false, _) => format!("The state as it was: {names}."),
        };
        let store = store.to_owned();
        Some(Checkpoint {
            id: commit.id.clone(),
            kind: if of_tree {
                CheckpointKind::Shadow { store }
            } else {
                CheckpointKind::Folder { path: store }
            },
            reason: match phase {
                "-" => reason.into(),
                phase => format!("{reason} (phase {phase})").into(),
            },
            taken_at: Some(Stamp::utc(commit.time)),
            source: CHECKPOINT_SOURCE.into(),
            brings_back: brings_back.into(),
            cannot,
            drift: None,
        })
    }

    /// The absolute paths of the state files in a checkpoint.
    fn saved_paths(&self, store: &Path, commit: &Commit) -> Vec<PathBuf> {
        let Some(state) = commit.parents.last() else {
            return Vec::new();
        };
        let paths = self.world.git().tree_paths(store, state, Path::new(""));
        let paths = paths.unwrap_or_default().into_iter();
        let whole = |path: Foreign| Path::new("/").join(path.as_path());
        paths.map(whole).collect()
    }

    /// Leaves of an intent only the restore of one of relight's own checkpoints: JSON and TSV files, and the work
    /// tree if it holds one. Every log stays. `None` where it is not one of them.
    pub(in crate::engine) fn own_files(
        &self,
        intent: &mut Intent,
        checkpoint: &Checkpoint,
        opened: &Opened,
    ) -> Result<Option<Vec<PathBuf>>> {
        if !checkpoint.is_own() {
            return Ok(None);
        }
        let (store, only) = match &checkpoint.kind {
            CheckpointKind::Shadow { store } => {
                (store, self.only_files(intent, checkpoint, opened)?)
            }
            CheckpointKind::Folder { path } => {
                intent.tree = None;
                intent.guards.retain(|guard| guard.holds);
                intent.steps.clear();
                let cannot = checkpoint.cannot.iter().cloned();
                intent.losses = cannot.map(Loss::not_restored).collect();
                (path, Vec::new())
            }
            CheckpointKind::Commit { .. }
            | CheckpointKind::File { .. }
            | CheckpointKind::Record { .. } => return Ok(None),
        };
        let git = self.world.git();
        let unread = |why: &dyn std::fmt::Display| {
            let text = format!("The checkpoint cannot be read: {why}.");
            EngineError::unreadable(text)
        };
        let facts = git.shadow(store).map_err(|why| unread(&why))?;
        let mut commits = facts.commits.iter();
        let Some(commit) = commits.find(|commit| commit.id == checkpoint.id) else {
            return Ok(None);
        };
        let state = commit.parents.last().map_or("", String::as_str);
        for path in self.saved_paths(store, commit) {
            if !self.is_restored(&path) {
                continue;
            }
            let rel = path.strip_prefix("/").unwrap_or(&path);
            let saved = git.blob(store, state, rel).map_err(|why| unread(&why))?;
            let now = self.current_content(&path)?;
            let kept = now.as_deref();
            let kept = kept.and_then(|now| opened.case.restored_state(&path, &saved, now));
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let short = short_id(&checkpoint.id);
            let content = kept.unwrap_or(saved);
            let summary = format!("Restores {name} to {short}.");
            let restore = Step::replace_file(path, now, content, None, summary);
            intent.steps.push(restore);
        }
        Ok(Some(only))
    }
}

/// The folder of a pipeline's checkpoints.
pub(super) fn store_name(id: &PipelineId) -> String {
    let mut name = hex(&Sha256::digest(id.0.as_bytes()));
    name.truncate(16);
    name
}

/// A reason that fits into one cell of a line.
fn reason(text: &str) -> Result<&str> {
    let text = text.trim();
    let plain = |c: char| !c.is_control() && c != '|';
    if text.is_empty() || text.chars().count() > REASON || !text.chars().all(plain) {
        let text = format!("--reason must be one line of at most {REASON} characters without `|`.");
        return Err(EngineError::usage(text));
    }
    Ok(text)
}

pub(super) fn failed(error: &ScratchError) -> EngineError {
    let full = |why| EngineError::full(untaken(&error.to_string()).text, why);
    let full = error.io().and_then(full);
    full.unwrap_or_else(|| untaken(&error.to_string()))
}

pub(super) fn untaken(why: &str) -> EngineError {
    let text: Foreign = format!("No checkpoint was taken: {why}.").into();
    EngineError::refused(text)
}
