//! The rollback folder of the format: its description, the state, the commits, the changed files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::formats::json::NOW;
use crate::model::{ClockStyle, DATED, Intent, Loss, Place, Step};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::record;
use crate::systems::nine_step::record::rollback::Rollback;
use crate::world::World;

/// The names of the folder's own files.
const INFO: &str = "BACKUP_INFO.md";
const COMMITS: &str = "commit_info.txt";

/// How many files are copied at most.
const MOST_COPIES: usize = 100;

/// How many bytes of files are copied in total. The transaction keeps every byte anyway.
const MOST_BYTES: usize = 4 << 20;

impl Rollback<'_> {
    /// Adds the files of the rollback folder to an intent. Returns the number of existing changed files that are not
    /// copied.
    pub(super) fn copies(&self, intent: &mut Intent) -> usize {
        let facts = self.facts;
        let Some(folder) = &self.folder else {
            let text = "The feature's name cannot be a directory name, so no rollback directory is written.";
            intent.losses.push(Loss::not_restored(text));
            return 0;
        };
        let mut file = |name: &Path, content: Vec<u8>, clock: Option<ClockStyle>, summary: &str| {
            let step = Step::replace_file(folder.join(name), None, content, clock, summary);
            intent.steps.push(step);
        };
        let summary = format!("What the rollback directory contains. {DATED}");
        let (about, clock) = (self.info().into_bytes(), ClockStyle::LocalSpaced);
        file(Path::new(INFO), about, Some(clock), &summary);
        let removed = self.removed().into_bytes();
        // A rollback to the tip of the branch removes only uncommitted work.
        if !removed.is_empty() {
            let summary = "The commits that are removed.";
            file(Path::new(COMMITS), removed, None, summary);
        }
        if let Some(doc) = facts.doc().filter(|doc| doc.modified.is_some()) {
            let name = Path::new(&doc.name);
            file(name, doc.bytes.clone(), None, "The current state file.");
        }
        let mut room = MOST_BYTES;
        let (mut taken, mut left) = (0, 0);
        for (path, _) in &self.changed {
            let place = Place::foreign(&[facts.dir()], path.as_bytes());
            if place
                .as_ref()
                .is_ok_and(|place| !self.world.files().exists(place))
            {
                continue;
            }
            let copy = place.ok().filter(|_| taken < MOST_COPIES);
            if let Some((rel, bytes)) = copy.and_then(|place| self.copy(&place, room)) {
                room = room.saturating_sub(bytes.len());
                taken += 1;
                file(&rel, bytes, None, "The current file.");
            } else {
                left += 1;
            }
        }
        left
    }

    /// A changed file and its content; `None` if it is too large, not a regular file, or has a name that the folder uses
    /// itself.
    fn copy(&self, place: &Place, room: usize) -> Option<(PathBuf, Vec<u8>)> {
        let rel = place.beneath()?.as_path().to_owned();
        let state = self.facts.doc().map(|doc| doc.name.as_str());
        let mut own = state.into_iter().chain([INFO, COMMITS]);
        let bytes = (!own.any(|own| rel == Path::new(own)))
            .then(|| self.world.files().read(place, room as u64).ok())??;
        Some((rel, bytes))
    }

    /// The commits after the target, newest first, with their whole messages.
    fn removed(&self) -> String {
        let mut text = String::new();
        for commit in &self.removed {
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

    fn info(&self) -> String {
        let (facts, phase, from) = (self.facts, self.phase, self.from);
        let shown = |text: &str| record::undated(text);
        let mut text = format!(
            "# Backup before rollback\n\n- **Feature**: {}\n- **Date**: {}\n- **From**: Phase {from}\n- **To**: Phase {phase}\n- **Branch**: {}\n- **HEAD**: {}\n\n## Changed files\n\n",
            shown(&facts.feature()),
            NOW,
            shown(facts.git.branch.as_deref().unwrap_or("-")),
            facts.git.tip.as_deref().unwrap_or("-"),
        );
        for (path, uncommitted) in &self.changed {
            let mark = if *uncommitted { " (uncommitted)" } else { "" };
            let _ = writeln!(text, "- {}{mark}", shown(&path.lossy()));
        }
        text
    }
}

/// `phase<T+1>_<YYYYmmdd_HHMMSS>`. The time is that of the last write, so that the plan does not change with the clock;
/// a number is added if the folder exists.
pub(super) fn path(facts: &Facts, phase: i64, world: &dyn World) -> Option<PathBuf> {
    facts.rollbacks.folder.as_ref()?;
    let written = facts.doc().and_then(|doc| doc.modified);
    let committed = facts.git.commits.first().map(|commit| commit.time);
    let at = written.or(committed).unwrap_or_default();
    let when = record::in_name(at, world);
    let base = format!("phase{}_{when}", phase.saturating_add(1));
    (1..100).find_map(|n| {
        let name = match n {
            1 => base.clone(),
            n => format!("{base}_{n}"),
        };
        let beneath = facts.rollbacks.beneath.join(name);
        let place = Place::known(&facts.layout.top, &beneath).ok()?;
        (!world.files().exists(&place)).then(|| place.path())
    })
}
