//! The rollback folder that the format wants: what it is about, the state, the commits, the changed files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::model::{ClockStyle, Foreign, Intent, Place, Step};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::{record, sentence};
use crate::world::World;

/// The names of the folder's own files.
const INFO: &str = "BACKUP_INFO.md";
const COMMITS: &str = "commit_info.txt";

/// Files that are copied at most.
const MOST_COPIES: usize = 100;

/// What the copied files may have together, in bytes; the transaction keeps every byte anyway.
const MOST_BYTES: usize = 4 << 20;

/// What a rollback is about.
pub(crate) struct Copies<'a> {
    /// The phase that is gone back to.
    pub(crate) phase: i64,
    /// The phase that is left.
    pub(crate) from: i64,
    /// Paths that change, relative to the worktree; the flag marks uncommitted ones.
    pub(crate) changed: &'a [(Foreign, bool)],
}

/// The rollback folder: what it is about, the state, the commits and the changed files. Gives the number of
/// changed files that are there and not copied into it.
pub(crate) fn fill(
    facts: &Facts,
    folder: Option<&Path>,
    copies: &Copies<'_>,
    world: &dyn World,
    intent: &mut Intent,
) -> usize {
    let Some(folder) = folder else {
        intent.losses.push(
            "The feature's name cannot be a folder, so no rollback folder is written.".into(),
        );
        return 0;
    };
    let mut file = |name: &Path, content: Vec<u8>, clock: Option<ClockStyle>, summary: Foreign| {
        intent.steps.push(Step::ReplaceFile {
            path: folder.join(name),
            expect: None,
            content,
            clock,
            summary,
        });
    };
    file(
        Path::new(INFO),
        info(facts, copies).into_bytes(),
        Some(ClockStyle::LocalSpaced),
        sentence(format!(
            "What the rollback folder holds. {} is replaced by the time of writing.",
            record::NOW
        )),
    );
    file(
        Path::new(COMMITS),
        undone(facts, copies.phase).into_bytes(),
        None,
        "The commits that are taken back.".into(),
    );
    if let Some(doc) = facts.doc().filter(|doc| doc.modified.is_some()) {
        file(
            Path::new(&doc.name),
            doc.bytes.clone(),
            None,
            "The state file as it is now.".into(),
        );
    }
    let mut room = MOST_BYTES;
    let (mut taken, mut left) = (0, 0);
    for (path, _) in copies.changed {
        match copy(facts, path, room, world) {
            Copy::Gone => {}
            Copy::File(rel, bytes) if taken < MOST_COPIES => {
                room = room.saturating_sub(bytes.len());
                taken += 1;
                file(&rel, bytes, None, "The file as it is now.".into());
            }
            Copy::File(..) | Copy::Left => left += 1,
        }
    }
    left
}

/// What becomes of a changed file.
enum Copy {
    /// It is copied under this name.
    File(PathBuf, Vec<u8>),
    /// It is not there any more, so there is nothing to copy.
    Gone,
    /// It is too large, no regular file, or has a name that the folder uses itself.
    Left,
}

fn copy(facts: &Facts, path: &Foreign, room: usize, world: &dyn World) -> Copy {
    let Ok(place) = Place::foreign(&[facts.dir()], path.as_bytes()) else {
        return Copy::Left;
    };
    let Some(rel) = place.beneath().map(|rel| rel.as_path().to_owned()) else {
        return Copy::Left;
    };
    if !world.files().exists(&place) {
        return Copy::Gone;
    }
    let own = facts.doc().is_some_and(|doc| rel == Path::new(&doc.name));
    if own || [INFO, COMMITS].iter().any(|name| rel == Path::new(name)) {
        return Copy::Left;
    }
    match world.files().read(&place, room as u64) {
        Ok(bytes) => Copy::File(rel, bytes),
        Err(_) => Copy::Left,
    }
}

/// `phase<T+1>_<YYYYmmdd_HHMMSS>`: the time is that of the last write, so that the plan does not change with
/// the clock; a number follows where the folder is there already.
pub(crate) fn path(facts: &Facts, phase: i64, world: &dyn World) -> Option<PathBuf> {
    facts.rollbacks.folder.as_ref()?;
    let written = facts.doc().and_then(|doc| doc.modified);
    let committed = facts.git.commits.first().map(|commit| commit.time);
    let at = written.or(committed).unwrap_or_default();
    let local = world.clock().now().timezone();
    let when = at.with_timezone(&local).format("%Y%m%d_%H%M%S");
    let base = format!("phase{}_{when}", phase.saturating_add(1));
    (1..100).find_map(|n| {
        let name = if n == 1 {
            base.clone()
        } else {
            format!("{base}_{n}")
        };
        let beneath = facts.rollbacks.beneath.join(name);
        let place = Place::known(&facts.layout.top, &beneath).ok()?;
        (!world.files().exists(&place)).then(|| facts.layout.top.join(&beneath))
    })
}

/// The commits after the target, newest first, with their whole messages.
fn undone(facts: &Facts, phase: i64) -> String {
    let target = facts
        .git
        .phases
        .get(&phase)
        .map(|found| found.commit.id.as_str());
    let mut text = String::new();
    for commit in facts
        .git
        .commits
        .iter()
        .take_while(|commit| Some(commit.id.as_str()) != target)
    {
        let _ = write!(
            text,
            "commit {}\nDate: {}\n\n    {}\n",
            commit.id,
            commit.time.format("%Y-%m-%d %H:%M:%S +0000"),
            commit.subject.lossy()
        );
        for line in commit.body.lossy().lines() {
            let _ = writeln!(text, "    {line}");
        }
        text.push('\n');
    }
    text
}

fn info(facts: &Facts, copies: &Copies<'_>) -> String {
    let (phase, from) = (copies.phase, copies.from);
    let shown = |text: &str| record::undated(text);
    let mut text = format!(
        "# Backup before rollback\n\n- **Feature**: {}\n- **Date**: {}\n- **From**: Phase {from}\n- **To**: Phase {phase}\n- **Branch**: {}\n- **HEAD**: {}\n\n## Changed files\n\n",
        shown(&facts.feature()),
        record::NOW,
        shown(facts.git.branch.as_deref().unwrap_or("-")),
        facts.git.tip.as_deref().unwrap_or("-"),
    );
    for (path, uncommitted) in copies.changed {
        let mark = if *uncommitted { " (uncommitted)" } else { "" };
        let _ = writeln!(text, "- {}{mark}", shown(&path.lossy()));
    }
    text
}
