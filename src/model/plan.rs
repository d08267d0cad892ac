//! The one object behind every screen, `--json` and the executor: what taking up at a point would do.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::{Foreign, PipelineId, PointId, RecoveryId, ResumePoint, WorkItem};

/// A digest of everything a plan was computed from (contract.md, fingerprint); 64 hex, never of a clock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub String);

/// The kinds of reversible change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActionKind {
    /// Files of the work tree are put back from a shadow checkpoint.
    RestoreTree,
    /// A worktree, its index and branch are put back to a commit.
    ResetWorktree,
    /// A file gets new content.
    ReplaceFile,
    /// The last rows of a table go.
    TruncateRows,
    /// Lines are appended to a log.
    AppendLines,
    /// Something is renamed out of the way.
    MoveAside,
}

impl ActionKind {
    /// The word used in JSON and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::RestoreTree => "restore_tree",
            Self::ResetWorktree => "reset_worktree",
            Self::ReplaceFile => "replace_file",
            Self::TruncateRows => "truncate_rows",
            Self::AppendLines => "append_lines",
            Self::MoveAside => "move_aside",
        }
    }

    /// True for the kinds that change a work tree and so need the recorded branch and a clean git state.
    pub fn touches_tree(self) -> bool {
        matches!(self, Self::RestoreTree | Self::ResetWorktree)
    }
}

/// Numbers of files a tree action touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeCounts {
    /// Files that get other content.
    pub modified: u64,
    /// Files that come back.
    pub added: u64,
    /// Files that go (are moved aside).
    pub removed: u64,
}

/// What happens to one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathChange {
    /// Gets other content.
    Write,
    /// Comes back.
    Create,
    /// Is moved aside.
    Remove,
    /// Came since the checkpoint and stays.
    KeepNewer,
    /// Is not covered by the checkpoint and stays as it is.
    NotCovered,
}

impl PathChange {
    /// The word used in JSON and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Create => "create",
            Self::Remove => "remove",
            Self::KeepNewer => "keep_newer",
            Self::NotCovered => "not_covered",
        }
    }
}

/// One path of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanPath {
    /// Relative to the action's target.
    pub path: Foreign,
    /// What happens to it.
    pub change: PathChange,
    /// Blob id of what it becomes, where it comes from a git object.
    pub blob: Option<String>,
    /// True where a recovery is to be taken back and this path has changed since.
    pub drifted: bool,
}

/// What stands behind an action, so that a face can show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// A list of paths; each path's diff is asked for by itself.
    Tree {
        /// The git directory the blobs come from.
        store: PathBuf,
        /// The full commit id.
        commit: String,
    },
    /// The whole content before and after.
    Content {
        /// Bytes before; `None` where the file does not exist.
        before: Option<Vec<u8>>,
        /// Bytes after.
        after: Vec<u8>,
        /// How the clock is written where `after` says `{now}`; `None` where its bytes are exact.
        clock: Option<ClockStyle>,
    },
    /// Rows that would go, in order, without their newline.
    Rows {
        /// The rows.
        removed: Vec<Foreign>,
        /// The whole content before.
        before: Vec<u8>,
        /// How many bytes of it stay.
        keep_bytes: usize,
    },
    /// Lines that would be appended, in order.
    Lines {
        /// The lines; `{now}` in them stands for the clock at writing.
        appended: Vec<Foreign>,
        /// How the clock is written.
        clock: ClockStyle,
    },
    /// A rename.
    Rename {
        /// The new path.
        to: PathBuf,
    },
    /// What a recovery kept, to be put back (or what it had put there, for the record of one).
    Kept {
        /// One for each path of the action, or one for its target.
        pairs: Vec<KeptPair>,
    },
}

/// A place in the person's files and the place where a recovery keeps what belongs there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPair {
    /// In the person's files; there may be nothing.
    pub here: PathBuf,
    /// Where its other content is kept; `None` where there is none, so that `here` would be emptied.
    pub kept: Option<PathBuf>,
}

/// How a system writes the clock into its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClockStyle {
    /// `2026-11-21T06:45:00Z` (autoconference).
    UtcSeconds,
    /// `2026-11-21T07:45:00+01:00` (superscientist).
    LocalOffset,
    /// `2026-11-21T07:45:00` (nine-step's state file).
    LocalNaive,
    /// `2026-11-21 07:45:00` (nine-step's rollback log).
    LocalSpaced,
}

/// One reversible change on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its kind.
    pub kind: ActionKind,
    /// The file or folder it changes.
    pub target: PathBuf,
    /// What it does, in a sentence.
    pub summary: Foreign,
    /// Numbers, for the tree kinds.
    pub changes: Option<ChangeCounts>,
    /// Paths, for the tree kinds.
    pub paths: Vec<PlanPath>,
    /// What stands behind it.
    pub preview: Preview,
}

/// What a guard that does not hold means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GuardKind {
    /// The plan is refused (exit code 3).
    Must,
    /// A question that only a person answers, beside the consent: `--accept ID`, or a word typed. Unanswered, the
    /// plan is not applied (exit code 4).
    Ask,
}

impl GuardKind {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Ask => "ask",
        }
    }
}

/// A condition of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// A stable word: `branch`, `liveness`, `git_state`, `index_lock`, `schema`, `work_tree`, `required_file`; for
    /// an ask `gate:<name>`, `override:<gate>`, `repeat-failure:<step>` or `convergence`.
    pub id: Cow<'static, str>,
    /// What it means where it does not hold.
    pub kind: GuardKind,
    /// Whether it holds; for an ask, whether the person has accepted it.
    pub holds: bool,
    /// What was seen, in a sentence; for an ask, the question.
    pub text: Foreign,
    /// What would make it hold; `None` where it does.
    pub would_hold_if: Option<Foreign>,
}

impl Guard {
    /// A condition that holds.
    pub fn holds(id: impl Into<Cow<'static, str>>, text: impl Into<Foreign>) -> Self {
        Self {
            id: id.into(),
            kind: GuardKind::Must,
            holds: true,
            text: text.into(),
            would_hold_if: None,
        }
    }

    /// A condition that does not hold, and what would make it hold.
    pub fn fails(
        id: impl Into<Cow<'static, str>>,
        text: impl Into<Foreign>,
        cure: impl Into<Foreign>,
    ) -> Self {
        Self {
            holds: false,
            would_hold_if: Some(cure.into()),
            ..Self::holds(id, text)
        }
    }

    /// A condition that holds or not, said in the same words.
    pub fn either(
        id: impl Into<Cow<'static, str>>,
        holds: bool,
        text: impl Into<Foreign>,
        cure: impl Into<Foreign>,
    ) -> Self {
        if holds {
            Self::holds(id, text)
        } else {
            Self::fails(id, text, cure)
        }
    }

    /// A question that only the person answers.
    pub fn ask(id: impl Into<Cow<'static, str>>, question: impl Into<Foreign>) -> Self {
        let id = id.into();
        let cure = format!("Accept it with --accept {id}.");
        Self {
            kind: GuardKind::Ask,
            ..Self::fails(id, question, cure)
        }
    }

    /// True where this refuses the plan.
    pub fn refuses(&self) -> bool {
        !self.holds && self.kind == GuardKind::Must
    }

    /// True where this question is not answered.
    pub fn is_open(&self) -> bool {
        !self.holds && self.kind == GuardKind::Ask
    }
}

/// The briefing and the command with which the original orchestrator goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handoff {
    /// The directory to stand in.
    pub cwd: PathBuf,
    /// The command as an argument vector; never given to a shell.
    pub argv: Vec<Foreign>,
    /// What to type once it runs; empty where the command says it all.
    pub prompt: Foreign,
    /// The text to hand over, lines separated by `\n`.
    pub briefing: Foreign,
    /// The file that holds the briefing, named in the prompt; `None` where nothing was written.
    pub briefing_file: Option<PathBuf>,
}

impl Handoff {
    /// The same, its prompt naming the file that holds the briefing.
    #[must_use]
    pub fn briefed_by(self, file: &Path) -> Self {
        let named = Foreign::from(file.as_os_str()).clean().into_string();
        let file = Some(file.to_owned());
        let prompt = said(&self.prompt, &format!("Read {named} first."));
        Self {
            briefing_file: file,
            ..self.saying(prompt.into())
        }
    }

    /// The same, its prompt carrying the whole briefing: for a plan, which writes no file.
    #[must_use]
    pub fn with_briefing_inline(self) -> Self {
        if self.briefing.is_empty() || self.prompt.is_empty() {
            return self;
        }
        let prompt = [self.prompt.as_bytes(), b"\n\n", self.briefing.as_bytes()].concat();
        self.saying(prompt.into())
    }

    /// The same with another prompt, which is also the last word of the command.
    #[must_use]
    pub fn saying(self, prompt: Foreign) -> Self {
        let mut argv = self.argv;
        if argv.len() > 1 && argv.last() == Some(&self.prompt) {
            argv.pop();
        }
        if !argv.is_empty() && !prompt.is_empty() {
            argv.push(prompt.clone());
        }
        Self {
            argv,
            prompt,
            ..self
        }
    }

    /// The command as a line that a POSIX shell reads back as exactly this argument vector, `cd` first.
    /// `None` where an argument holds a character that a terminal obeys or hides: such a line is never
    /// offered for copying (safety.md C5).
    pub fn command_line(&self) -> Option<String> {
        if self.argv.is_empty() {
            return None;
        }
        let words = self
            .argv
            .iter()
            .map(|word| shell_word(word.as_str()?))
            .collect::<Option<Vec<String>>>()?;
        Some(format!(
            "cd {} && {}",
            shell_word(self.cwd.to_str()?)?,
            words.join(" ")
        ))
    }
}

/// A prompt with a sentence after it. What follows a slash command stands in parentheses, so that it is not taken
/// for one of its arguments.
pub fn said(prompt: &Foreign, sentence: &str) -> String {
    let prompt = prompt.lossy();
    let prompt = prompt.trim_end();
    match prompt.strip_suffix(')') {
        _ if prompt.is_empty() || sentence.is_empty() => format!("{prompt}{sentence}"),
        Some(open) if prompt.starts_with('/') => format!("{open} {sentence})"),
        None if prompt.starts_with('/') => format!("{prompt} ({sentence})"),
        Some(_) | None => format!("{prompt} {sentence}"),
    }
}

/// A word as a POSIX shell reads it back, quoted only where needed; `None` where it holds a character that a
/// terminal obeys or hides.
pub fn shell_word(word: &str) -> Option<String> {
    let obeyed = |c: char| c.is_control() || super::text::is_hidden(c);
    if word.chars().any(obeyed) {
        return None;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "%+,-./:=@_".contains(c);
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        return Some(word.to_owned());
    }
    Some(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Which point of a pipeline (contract.md, `POINT`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PointChoice {
    /// The recommended one.
    #[default]
    Recommended,
    /// `--point ID`.
    Id(PointId),
    /// `--from-phase N`: its first point.
    FromPhase(String),
    /// `--from-seq N`: the enclosing boundary; crucible's only.
    FromSeq(u64),
    /// `restore --checkpoint C`: only the files of a checkpoint, by its full id.
    Checkpoint(String),
}

/// What a plan answers, so that it can be computed again before it is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// To take a pipeline up.
    Resume {
        /// Where.
        choice: PointChoice,
        /// What was said beside it.
        options: PlanOptions,
    },
    /// To take a recovery back. A redo is the undo of an undo.
    Undo {
        /// The recovery.
        recovery: RecoveryId,
        /// Paths that stay as they are now, absolute.
        keep: Vec<PathBuf>,
    },
}

/// What taking up at a point would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What it answers.
    pub asked: Asked,
    /// Digest of everything this was computed from.
    pub fingerprint: Fingerprint,
    /// The pipeline.
    pub pipeline: PipelineId,
    /// The point.
    pub point: ResumePoint,
    /// Work that stays done.
    pub kept: Vec<WorkItem>,
    /// Work that will be done again.
    pub redone: Vec<WorkItem>,
    /// Changes on disk, in order.
    pub actions: Vec<Action>,
    /// Conditions, the failing ones first.
    pub guards: Vec<Guard>,
    /// What a person should know about the point before choosing it, a sentence each.
    pub warnings: Vec<Foreign>,
    /// Paths that differ from the checkpoint and that the person left out: they are not restored.
    pub left_out: Vec<Foreign>,
    /// What would be lost or left behind, worst first.
    pub losses: Vec<Foreign>,
    /// True where existing bytes of a file are replaced, cut or moved.
    pub destructive: bool,
    /// How the orchestrator goes on.
    pub handoff: Handoff,
}

impl Plan {
    /// What a person must see before they agree: the point's warnings, then what is lost, a sentence each.
    pub fn concerns(&self) -> impl Iterator<Item = &Foreign> {
        self.warnings.iter().chain(&self.losses)
    }
}

/// Whether files that came since a checkpoint stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RestoreMode {
    /// They stay. The default: it loses nothing.
    #[default]
    Overlay,
    /// They are moved aside, each listed.
    Exact,
}

/// What a person may say beside the point (contract.md, Commands).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanOptions {
    /// `--overlay` or `--exact`.
    pub mode: RestoreMode,
    /// `--path`: only these, relative to the work tree; empty means all.
    pub paths: Vec<PathBuf>,
    /// `--branch`: answers an unknown branch guard, never a wrong one.
    pub branch: Option<String>,
    /// `--assume-stopped`: answers unknown liveness, never alive.
    pub assume_stopped: bool,
    /// `--accept ID`: asks that the person has answered.
    pub accept: Vec<String>,
    /// `--rewind-branch`: put the branch back to its commit at the checkpoint's time, too (crucible).
    pub rewind_branch: bool,
}
