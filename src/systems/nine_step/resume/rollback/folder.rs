//! The rollback folder that the format wants: what it is about, the state, the commits, the changed files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::MOST_COPIES;
use crate::model::{ClockStyle, Foreign, Intent, Place, Step};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::resume::edit;
use crate::systems::nine_step::sentence;
use crate::world::World;

/// What the copied files may have together, in bytes; the transaction keeps every byte anyway.
const MOST_BYTES: usize = 4 << 20;

/// The rollback folder: what it is about, the state, the commits and the changed files.
pub(super) fn fill(
    facts: &Facts,
    phase: i64,
    from: i64,
    changed: &[(Foreign, bool)],
    world: &dyn World,
    intent: &mut Intent,
) {
    let Some(folder) = folder_name(facts, phase, world) else {
        intent.losses.push(
            "The feature's name cannot be a folder, so no rollback folder is written.".into(),
        );
        return;
    };
    let mut file = |name: &Path, content: Vec<u8>, summary: Foreign| {
        let path = folder.join(name);
        intent.steps.push(Step::ReplaceFile {
            path,
            expect: None,
            content,
            clock: Some(ClockStyle::LocalNaive),
            summary,
        });
    };
    file(
        Path::new("BACKUP_INFO.md"),
        info(facts, phase, from, changed).into_bytes(),
        sentence(format!(
            "What the rollback folder holds. {} is replaced by the time of writing.",
            edit::NOW
        )),
    );
    file(
        Path::new("commit_info.txt"),
        undone(facts, phase).into_bytes(),
        "The commits that are taken back.".into(),
    );
    if let Some(doc) = facts.doc().filter(|doc| doc.modified.is_some()) {
        file(
            Path::new(&doc.name),
            doc.bytes.clone(),
            "The state file as it is now.".into(),
        );
    }
    let mut room = MOST_BYTES;
    for (path, _) in changed.iter().take(MOST_COPIES) {
        let Ok(place) = Place::foreign(&[facts.dir()], path.as_bytes()) else {
            continue;
        };
        let Some(rel) = place.beneath().map(|rel| rel.as_path().to_owned()) else {
            continue;
        };
        // The names that the folder uses itself are not overwritten by files that bear them.
        let taken = facts.doc().is_some_and(|doc| rel == Path::new(&doc.name));
        if taken || rel == Path::new("BACKUP_INFO.md") || rel == Path::new("commit_info.txt") {
            continue;
        }
        let bytes = world.files().read(&place, room as u64).unwrap_or_default();
        // Whoever writes would fill the placeholder of the clock in; the transaction keeps such a file.
        if !bytes.is_empty() && memchr::memmem::find(&bytes, edit::NOW.as_bytes()).is_none() {
            room = room.saturating_sub(bytes.len());
            file(&rel, bytes, "The file as it is now.".into());
        }
    }
}

/// `phase<T+1>_<YYYYmmdd_HHMMSS>`: the time is that of the last write, so that the plan does not change with
/// the clock; a number follows where the folder is there already.
fn folder_name(facts: &Facts, phase: i64, world: &dyn World) -> Option<PathBuf> {
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

fn info(facts: &Facts, phase: i64, from: i64, changed: &[(Foreign, bool)]) -> String {
    let mut text = format!(
        "# Backup before rollback\n\n- **Feature**: {}\n- **Date**: {}\n- **From**: Phase {from}\n- **To**: Phase {phase}\n- **Branch**: {}\n- **HEAD**: {}\n\n## Changed files\n\n",
        facts.feature(),
        edit::NOW,
        facts.git.branch.as_deref().unwrap_or("-"),
        facts.git.tip.as_deref().unwrap_or("-"),
    );
    for (path, uncommitted) in changed {
        let mark = if *uncommitted { " (uncommitted)" } else { "" };
        let _ = writeln!(text, "- {}{mark}", path.lossy());
    }
    text
}
