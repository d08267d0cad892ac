//! From a folder `.mgw` to candidates, one an issue number (format note, section c).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::NAME;
use super::files::{self, FOLDER, Name, StateFile};
use crate::model::Place;
use crate::systems::{Candidate, Hit, Sniffed};
use crate::world::World;
use crate::world::files::FileKind;

/// What was meant by a path.
struct Meant {
    /// The folder that holds `.mgw`.
    top: PathBuf,
    /// Only this issue.
    number: Option<String>,
}

pub(super) fn sniff(hit: &Hit, world: &dyn World) -> Sniffed {
    let Some(meant) = meant(world, &hit.path) else {
        return Sniffed::NotOurs(
            "It is neither a .mgw folder nor a state file or worktree of one.".into(),
        );
    };
    if !files::is_folder(world, &meant.top) {
        return Sniffed::NotOurs(
            "The folder has neither active nor completed, and no project.json or cross-refs.json."
                .into(),
        );
    }
    let root = files::main_top(world, &meant.top);
    let fits = |digits: &str| {
        meant
            .number
            .as_deref()
            .is_none_or(|number| number == digits)
    };
    let found = files::state_files(world, &meant.top, root != meant.top, fits);
    let mut foreign = 0_usize;
    let mut numbers: BTreeMap<(u64, String), Vec<PathBuf>> = BTreeMap::new();
    for file in found {
        if is_foreign(&file) {
            foreign += 1;
            continue;
        }
        // The name's digits fit in 64 bits.
        let value = file.name.number.parse().unwrap_or(u64::MAX);
        let key = (value, file.name.number.clone());
        numbers.entry(key).or_default().push(file.path);
    }
    if numbers.is_empty() && foreign > 0 {
        let reason = format!(
            "{foreign} of its files look like state files by name, and none has a pipeline_stage or checkpoint."
        );
        return Sniffed::NotOurs(reason.into());
    }
    let candidate = |((_, number), sources): ((u64, String), Vec<PathBuf>)| Candidate {
        system: NAME,
        native: number.into(),
        anchor: root.clone(),
        sources,
        work_tree: None,
    };
    Sniffed::Ours(numbers.into_iter().map(candidate).collect())
}

/// A whole JSON object that is not one of the orchestrator's. A damaged one could be anything and is kept.
fn is_foreign(file: &StateFile) -> bool {
    match &file.parsed {
        Ok(state) => !state.is_ours(),
        Err(damage) => damage.code == "bad-json" && damage.why == "not a JSON object",
    }
}

/// The folder itself, a state file, one of its folders, or a folder that holds it.
fn meant(world: &dyn World, path: &Path) -> Option<Meant> {
    let whole = |top: &Path| Meant {
        top: top.to_owned(),
        number: None,
    };
    if path.file_name()? == FOLDER {
        return Some(whole(path.parent()?));
    }
    if let Some(folder) = path.ancestors().skip(1).find(|dir| dir.ends_with(FOLDER)) {
        let number = path
            .file_name()
            .and_then(Name::parse)
            .map(|name| name.number);
        return Some(Meant {
            top: folder.parent()?.to_owned(),
            number,
        });
    }
    if files::is_folder(world, path) {
        return Some(whole(path));
    }
    worktree(world, path)
}

/// A worktree on a branch `issue/<n>-<slug>`.
fn worktree(world: &dyn World, path: &Path) -> Option<Meant> {
    let is_dir = world
        .files()
        .stat(&Place::root(path))
        .is_ok_and(|stat| stat.kind == FileKind::Dir);
    let facts = is_dir.then(|| world.git().repo(path).ok()).flatten()?;
    let branch = facts.branch?;
    let number = branch.as_str()?.strip_prefix("issue/")?.split('-').next()?;
    Some(Meant {
        top: files::main_top(world, &facts.work_tree?),
        number: Some(number.to_owned()),
    })
}
