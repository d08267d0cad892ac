//! Compiles a confirmed plan into a draft: which places hold which content afterwards. Reads the disk only to find
//! existing folders, and judges nothing.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};
use sha2::{Digest as _, Sha256};

use super::bytes::Bytes;
use super::disk::Disk;
use super::draft::{Change, Content, Draft, DraftAppend, Expect, Mode, Place, Want};
use super::error::ApplyError;
use super::exchange::{BaseKind, is_absent};
use super::journal::RefMove;
use crate::formats::json::NOW;
use crate::git::blobs::Blobs;
use crate::git::{index, refs};
use crate::model::{
    Action, ActionKind, Blob, FileForm, Foreign, LineEnds, PathChange, Plan, Preview,
};
use crate::recover::plan::{Need, needs};
use crate::text::Shown as _;
use crate::world::git::{Git, RepoFacts};

/// What compiling needs besides the plan.
pub struct Compiler<'a, D: Disk> {
    /// The disk, to find existing folders.
    pub disk: &'a D,
    /// Repositories, for their git directories and branches.
    pub git: &'a dyn Git,
    /// The clock, filled in where content asks for it.
    pub now: DateTime<FixedOffset>,
    /// The id of the recovery; it names the reference that keeps an old branch tip.
    pub id: &'a str,
    /// False for a rehearsal, which must not write objects into the repository.
    pub in_earnest: bool,
}

impl<D: Disk> Compiler<'_, D> {
    /// Compiles the changes of a plan or a record.
    pub fn compile(&self, actions: &[Action]) -> Result<Draft, ApplyError> {
        let mut draft = Draft::default();
        for action in actions {
            self.action(&mut draft, action)?;
        }
        Ok(draft)
    }

    /// Compiles only the lines for logs: an undo adds them to what its journal says.
    pub fn lines(&self, draft: &mut Draft, plan: &Plan) -> Result<(), ApplyError> {
        let of_logs = |action: &&Action| matches!(action.preview, Preview::Lines { .. });
        let mut actions = plan.actions.iter().filter(of_logs);
        actions.try_for_each(|action| self.action(draft, action))
    }

    fn action(&self, draft: &mut Draft, action: &Action) -> Result<(), ApplyError> {
        let change = match &action.preview {
            Preview::Tree { store, commit } => return self.tree(draft, action, store, commit),
            Preview::Content {
                before,
                after,
                clock,
            } => {
                let place = self.place(draft, &action.target)?;
                let bytes = match clock {
                    Some(style) => filled(after, &style.write(self.now)),
                    None => after.clone(),
                };
                file(place, bytes, expected(before.as_deref()))
            }
            Preview::Rows {
                before, keep_bytes, ..
            } => {
                let place = self.place(draft, &action.target)?;
                let kept = before.get(..*keep_bytes).unwrap_or(before).to_vec();
                file(place, kept, expected(Some(before)))
            }
            Preview::Lines { appended, clock } => {
                let place = self.place(draft, &action.target)?;
                let now = clock.write(self.now);
                let lines = appended.iter().map(Foreign::as_bytes);
                let block = lines.flat_map(|line| [filled(line, &now), b"\n".to_vec()].concat());
                let block = block.collect();
                draft.appends.push(DraftAppend { place, block });
                return Ok(());
            }
            Preview::Rename { to } => {
                let place = self.place(draft, &action.target)?;
                let to = self.place(draft, to)?;
                Change {
                    place,
                    want: Want::With(to),
                    expect: Expect::Anything,
                }
            }
            Preview::Kept { .. } | Preview::Appended { .. } => {
                let text = "Only an undo can restore the backups of a recovery.";
                return Err(ApplyError::refused(text));
            }
        };
        draft.changes.push(change);
        Ok(())
    }

    /// A place: the deepest existing folder above it, and the rest of its path.
    fn place(&self, draft: &mut Draft, path: &Path) -> Result<Place, ApplyError> {
        let shown = path.to_string_lossy();
        for above in path.ancestors().skip(1) {
            match self.disk.root(above) {
                Ok(_) => {
                    let rel = path.strip_prefix(above).unwrap_or(path).to_owned();
                    let base = draft.base(BaseKind::Files, above.to_owned());
                    return Ok(Place { base, rel });
                }
                Err(error) if is_absent(&error) => {}
                Err(error) => {
                    let text = format!("The directory of {shown} cannot be opened: {error}.");
                    return Err(ApplyError::refused(text));
                }
            }
        }
        Err(ApplyError::refused(format!(
            "There is no directory for {shown}."
        )))
    }

    /// The files of a checkpoint, and for a reset index and branch, too.
    fn tree(
        &self,
        draft: &mut Draft,
        action: &Action,
        store: &Path,
        commit: &str,
    ) -> Result<(), ApplyError> {
        let base = draft.base(BaseKind::Files, action.target.clone());
        let unread = |error: &dyn std::fmt::Display| {
            ApplyError::refused(format!("The checkpoint cannot be read: {error}."))
        };
        let blobs = Arc::new(Blobs::open(store).map_err(|e| unread(&e))?);
        let entries = blobs.entries(commit).map_err(|e| unread(&e))?;
        let links = index::keeps_links(&action.target);
        for (path, need) in needs(&action.paths) {
            let rel = PathBuf::from(OsStr::from_bytes(path));
            // The plan was computed before the disk is read for staging. A person confirmed "created" for an empty
            // place, so a file that appeared there since must not be overwritten.
            let (want, expect) = match need {
                Need::Content(row) => {
                    let at = entries.binary_search_by(|entry| entry.path.as_slice().cmp(path));
                    let entry = at.ok().and_then(|at| entries.get(at));
                    let missing = || unread(&format_args!("{} is not in it", rel.shown()));
                    let (kind, blob) = entry
                        .and_then(|entry| Some((entry.kind?, entry.id.clone())))
                        .ok_or_else(missing)?;
                    let kind = if links || kind != FileForm::Link {
                        kind
                    } else {
                        FileForm::File
                    };
                    let mut blob = Blob::as_stored(blob);
                    if let Some(planned) = &row.blob {
                        blob.line_ends = planned.line_ends;
                    }
                    let want = content(&blobs, kind, blob).map_err(|e| unread(&e))?;
                    if row.change == PathChange::Create {
                        (want, Expect::Nothing)
                    } else {
                        (want, Expect::Something)
                    }
                }
                Need::Folder => (Want::Dir, Expect::NoFolder),
                Need::Nothing => (Want::Nothing, Expect::Something),
            };
            draft.changes.push(Change {
                place: Place { base, rel },
                want,
                expect,
            });
        }
        // A work tree without a repository has no index that git could be using.
        let repo = self.git.repo(&action.target).ok();
        if let Some(repo) = &repo {
            draft.lock.push(repo.git_dir.clone());
        }
        match (action.kind, repo) {
            (ActionKind::ResetWorktree, Some(repo)) => self.head(draft, action, &repo, commit),
            (ActionKind::ResetWorktree, None) => Err(ApplyError::refused(format!(
                "{} has no repository to reset.",
                action.target.shown()
            ))),
            _ => Ok(()),
        }
    }

    /// Moves index and branch of a worktree to a commit. The old tip stays reachable.
    fn head(
        &self,
        draft: &mut Draft,
        action: &Action,
        repo: &RepoFacts,
        commit: &str,
    ) -> Result<(), ApplyError> {
        let worktree = &action.target;
        let written = needs(&action.paths).into_keys().collect();
        let refuse = |what: &str, error: &dyn std::fmt::Display| {
            ApplyError::refused(format!(
                "The {what} of {} cannot be created: {error}.",
                worktree.shown()
            ))
        };
        let bytes =
            index::of_commit(worktree, commit, &written).map_err(|e| refuse("index", &e))?;
        let base = draft.base(BaseKind::Git, repo.git_dir.clone());
        let place = Place {
            base,
            rel: "index".into(),
        };
        draft.changes.push(file(place, bytes, Expect::Anything));
        let common = Bytes::from(repo.common_dir.as_path());
        if self.in_earnest {
            let staged = index::keep_staged(worktree, self.now).map_err(|e| refuse("index", &e))?;
            keep(draft, &common, refs::staged_name(self.id), staged);
        }
        let branch = repo.branch.as_ref().and_then(Foreign::as_str);
        let (Some(branch), Some(head)) = (branch, repo.head.as_deref()) else {
            let text = format!(
                "{} is on no branch (detached HEAD), so no branch can be reset.",
                worktree.shown()
            );
            return Err(ApplyError::refused(text).hint("Check out the pipeline's branch first."));
        };
        if head == commit {
            return Ok(());
        }
        keep(
            draft,
            &common,
            refs::undo_name(self.id),
            Some(head.to_owned()),
        );
        draft.refs.push(RefMove {
            git_dir: common,
            name: refs::branch_name(branch),
            old: Some(head.to_owned()),
            new: Some(commit.to_owned()),
        });
        Ok(())
    }
}

/// A reference that keeps a commit reachable. Several worktrees of one repository each keep their own.
fn keep(draft: &mut Draft, git_dir: &Bytes, name: String, commit: Option<String>) {
    let Some(commit) = commit else {
        return;
    };
    let known = draft.refs.iter();
    let taken = known.filter(|r| r.name.starts_with(&name)).count();
    draft.refs.push(RefMove {
        git_dir: git_dir.clone(),
        name: if taken == 0 {
            name
        } else {
            format!("{name}-{taken}")
        },
        old: None,
        new: Some(commit),
    });
}

/// The content that a recorded path gets. Its bytes are verified before the first is written.
fn content(blobs: &Arc<Blobs>, kind: FileForm, blob: Blob) -> Result<Want, String> {
    if kind == FileForm::Link {
        let mut target = Vec::new();
        let copied = blobs.copy(&blob.id, LineEnds::AsStored, &mut target);
        copied.map_err(|e| e.to_string())?;
        return Ok(Want::Link { target });
    }
    let blobs = Arc::clone(blobs);
    let source = move |out: &mut dyn io::Write| {
        blobs
            .copy(&blob.id, blob.line_ends, out)
            .map(drop)
            .map_err(|e| io::Error::other(e.to_string()))
    };
    Ok(Want::File {
        content: Content::Source(Arc::new(source)),
        mode: if kind == FileForm::Executable {
            Mode::Executable
        } else {
            Mode::Plain
        },
    })
}

/// A file with these bytes.
fn file(place: Place, bytes: Vec<u8>, expect: Expect) -> Change {
    Change {
        place,
        want: Want::File {
            content: Content::Bytes(bytes),
            mode: Mode::Kept,
        },
        expect,
    }
}

/// What the plan saw at a place, for checking it again.
fn expected(before: Option<&[u8]>) -> Expect {
    before.map_or(Expect::Nothing, |bytes| {
        Expect::Digest(Sha256::digest(bytes).into())
    })
}

/// Content with the clock filled in.
fn filled(content: &[u8], now: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + now.len());
    let mut rest = content;
    while let Some(at) = memchr::memmem::find(rest, NOW.as_bytes()) {
        let (head, tail) = rest.split_at(at);
        out.extend_from_slice(head);
        out.extend_from_slice(now.as_bytes());
        rest = tail.get(NOW.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}
