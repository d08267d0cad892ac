//! Earlier rollbacks of a feature: the log that the plugin's rollback appends to, and the folder with its copies.

use std::path::{Path, PathBuf};

use crate::formats::{markdown, stamp};
use crate::model::recovery::UNDONE;
use crate::model::{ClockStyle, Place, Recovery, Stamp, Step};
use crate::systems::nine_step::shape::BACKUP_DIRS;
use crate::text::format::count;
use crate::world::World;

/// The name of the log in a feature's backup folder.
pub(crate) const LOG: &str = "ROLLBACK_LOG.md";

/// One rollback on record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Rollback {
    /// When.
    pub(crate) at: Option<Stamp>,
    /// When, as written.
    pub(crate) at_text: String,
    /// To which phase, as written.
    pub(crate) to: String,
    /// Why.
    pub(crate) reason: String,
    /// The recovery that made it, where relight has undone that since.
    pub(crate) undone: Option<String>,
    /// Line of its heading, counted from 1.
    pub(crate) line: u64,
}

/// The rollbacks of a feature.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rollbacks {
    /// Each one, in the order of the log.
    pub(crate) list: Vec<Rollback>,
    /// The feature's backup folder, whether it exists or not; `None` if the name is not a valid folder name.
    pub(crate) folder: Option<PathBuf>,
    /// The backup folder relative to the project's top.
    pub(crate) beneath: PathBuf,
}

impl Rollbacks {
    /// Lines for the log that record the undo of a rollback; only if the recovery wrote to that log.
    pub(crate) fn undone(&self, recovery: &Recovery, keep: &[PathBuf]) -> Option<Step> {
        let path = self.folder.as_ref()?.join(LOG);
        let kept = match keep.len() {
            0 => String::new(),
            n => format!(", {} kept", count(n, "path")),
        };
        let undone = recovery.undone_words();
        let lines = vec![
            format!("- **Restored**: {undone}{kept} ({{now}})"),
            "---".to_owned(),
        ];
        let noun = recovery.when_undone().noun();
        let summary = format!("Logs the {noun}; existing lines of the log are kept.");
        let clock = ClockStyle::LocalSpaced;
        let appended = recovery.appended_to(&path);
        appended.then(|| Step::append_lines(path, lines, clock, summary))
    }

    /// How many rollbacks to a phase were not undone.
    pub(crate) fn to_phase(&self, phase: i64) -> usize {
        let wanted = phase.to_string();
        let goes_there = |rollback: &&Rollback| {
            let mut numbers = rollback.to.split(|c: char| !c.is_ascii_digit());
            numbers.any(|number| number == wanted)
        };
        let stand = self.list.iter().filter(|one| one.undone.is_none());
        stand.filter(goes_there).count()
    }
}

/// Reads the log of a feature.
pub(crate) fn read(world: &dyn World, top: &Path, feature: &str) -> Rollbacks {
    let mut folders = BACKUP_DIRS.iter();
    let there = folders.find(|dir| world.files().has_dir(top, dir));
    let beneath = Path::new(there.unwrap_or(&BACKUP_DIRS[0])).join(feature);
    let plain = !feature.contains('/') && Place::known(top, &beneath).is_ok();
    if !plain || Place::known(top, feature).is_err() {
        return Rollbacks::default();
    }
    let bytes = world.files().content(top, beneath.join(LOG));
    let bytes = bytes.unwrap_or_default();
    Rollbacks {
        list: parse(&String::from_utf8_lossy(&bytes), world),
        folder: Some(top.join(&beneath)),
        beneath,
    }
}

fn parse(text: &str, world: &dyn World) -> Vec<Rollback> {
    let mut list: Vec<Rollback> = Vec::new();
    for (line, content) in (1_u64..).zip(text.lines()) {
        if let Some(at) = content.strip_prefix("## Rollback:") {
            let at_text = at.trim().to_owned();
            let at = stamp::parse(&at_text, world.clock());
            list.push(Rollback {
                at,
                at_text,
                line,
                ..Rollback::default()
            });
        } else if let (Some(last), Some((key, value))) = (list.last_mut(), markdown::pair(content))
        {
            match key.to_lowercase().as_str() {
                "to" => value.clone_into(&mut last.to),
                "reason" => value.clone_into(&mut last.reason),
                "restored" if value.starts_with(UNDONE) => reverse(&mut list, value),
                _ => {}
            }
        }
    }
    list
}

/// Takes the line of an undo, which is of the latest rollback that stands, or of a redo of what a recovery undid.
fn reverse(list: &mut [Rollback], words: &str) {
    let recovery = words.strip_prefix(UNDONE).unwrap_or_default();
    let Some((recovery, word)) = recovery.trim_start().split_once(' ') else {
        return;
    };
    let redone = word.starts_with("redone");
    let mut latest = list.iter_mut().rev();
    let found = latest.find(|one| match one.undone.as_deref() {
        Some(known) => redone && known == recovery,
        None => !redone,
    });
    if let Some(rollback) = found {
        rollback.undone = (!redone).then(|| recovery.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_log_and_counts_by_phase() {
        let dir = crate::world::temporary::directory();
        let folder = dir.path().join(".backups/price-alerts");
        std::fs::create_dir_all(&folder).unwrap();
        let block = "## Rollback: 2025-11-09 16:00:00\n- **From**: Phase 3\n- **To**: Phase 1\n- **Reason**: design\n- **Restored**: No\n---\n";
        std::fs::write(
            folder.join(LOG),
            format!("{block}{block}## Rollback: soon\n- **To**: Phase 11\n"),
        )
        .unwrap();
        let world = crate::world::fake::FakeWorld::from("2026-01-01T00:00:00Z");
        let found = read(&world, dir.path(), "price-alerts");
        assert_eq!(
            (found.list.len(), found.to_phase(1), found.to_phase(11)),
            (3, 2, 1)
        );
        assert_eq!(found.list[1].line, 7);
        let done = crate::systems::testing::appending("20251109T160000", &folder.join(LOG));
        let undone = found.undone(&done, &[]);
        let (path, lines) = crate::systems::testing::appended(undone.as_ref().unwrap()).unwrap();
        assert_eq!(path, folder.join(LOG));
        let said = "- **Restored**: relight: recovery 20251109T160000 undone ({now})";
        assert_eq!(lines, [said, "---"]);
        let other = crate::systems::testing::recovery("20251109T160000", "phase-1-step-3");
        assert_eq!(found.undone(&other, &[]), None);
        assert!(found.list[2].at.is_none());
        // What was undone does not count, until it is redone.
        let mut log = block.repeat(2);
        for (word, stand) in [("undone", 1), ("undone", 0), ("redone", 1), ("redone", 2)] {
            log += &said.replace("undone", word);
            log += "\n---\n";
            std::fs::write(folder.join(LOG), &log).unwrap();
            let found = read(&world, dir.path(), "price-alerts");
            assert_eq!((found.list.len(), found.to_phase(1)), (2, stand), "{log}");
        }
        // A redo is of the recovery that it names, whatever was undone before.
        log = block.to_owned() + &block.replace("Phase 1", "Phase 2");
        let third = block.replace("Phase 1", "Phase 3");
        let said = |words: &str| format!("- **Restored**: relight: recovery {words} (now)\n---\n");
        for (lines, stand) in [
            (said("20251109T170000 undone"), [1, 0, 0]),
            (third, [1, 0, 1]),
            (said("20251109T180000 undone"), [1, 0, 0]),
            (said("20251109T180000 redone"), [1, 0, 1]),
        ] {
            log += &lines;
            std::fs::write(folder.join(LOG), &log).unwrap();
            let found = read(&world, dir.path(), "price-alerts");
            assert_eq!([1, 2, 3].map(|phase| found.to_phase(phase)), stand, "{log}");
        }
        for odd in ["../x", "a/b", "", ".git", "~"] {
            assert_eq!(read(&world, dir.path(), odd).folder, None, "{odd}");
        }
    }
}
