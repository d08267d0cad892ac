//! What is asked of the oracle about an issue: its worktree, its commands, its writes. There is no lock, no
//! process file and no heartbeat (format note, section c).

use std::path::{Path, PathBuf};

use super::facts::Facts;
use crate::model::{LifeEvidence, LifeSign, Place, SignKind, SignVerdict};
use crate::world::World;
use crate::world::liveness::{LifeQuery, gather};
use crate::world::process::Process;

/// Silence shorter than this is normal: a retry sleeps up to five minutes.
const QUIET_AFTER_S: i64 = 600;

/// The programs that run the orchestrator's commands.
const PROGRAMS: &[&str] = &["claude", "gemini", "opencode", "mgw"];

pub(super) fn evidence(world: &dyn World, facts: &Facts) -> LifeEvidence {
    let writes = writes(world, facts);
    let last_write = writes
        .iter()
        .filter_map(|place| world.files().stat(place).ok())
        .map(|stat| stat.modified)
        .max();
    let own = facts.branch.present().filter(|path| *path != facts.root);
    let git_dir = facts
        .branch
        .tree
        .as_ref()
        .and_then(|tree| tree.git_dir.clone());
    let query = LifeQuery {
        roots: own.map(Path::to_owned).into_iter().collect(),
        git_dirs: git_dir.into_iter().collect(),
        signs: vec![command(world, facts)],
        last_write,
        writes,
        quiet_after_s: QUIET_AFTER_S,
        ..LifeQuery::default()
    };
    gather(world, &query)
}

/// The files whose newest modification is the last write.
fn writes(world: &dyn World, facts: &Facts) -> Vec<Place> {
    let mut places: Vec<Place> = facts
        .files
        .iter()
        .chain(&facts.leftovers)
        .map(|file| file.place.clone())
        .collect();
    if let Some(git_dir) = facts
        .branch
        .tree
        .as_ref()
        .and_then(|tree| tree.git_dir.as_ref())
    {
        let names = ["HEAD", "index"];
        places.extend(
            names
                .iter()
                .filter_map(|name| Place::known(git_dir, name).ok()),
        );
    }
    if let Some(tree) = facts.branch.present().filter(|path| *path != facts.root) {
        let docs = &facts.evidence.docs;
        let documents = docs
            .plans
            .iter()
            .chain(&docs.summaries)
            .chain(&docs.verifications);
        let documents = documents.map(|doc| doc.path.as_str());
        let all = documents.chain([".planning/STATE.md"]);
        places.extend(all.filter_map(|path| Place::foreign(&[tree], path.as_bytes()).ok()));
    }
    places.retain(|place| world.files().stat(place).is_ok());
    places
}

/// Whether some process runs a command of the orchestrator for this issue. The number must stand by itself:
/// issue 4 is not issue 42. An agent at ROOT could be at work on any issue, so it proves nothing either way.
fn command(world: &dyn World, facts: &Facts) -> LifeSign {
    let sign = |verdict, text: String| LifeSign {
        kind: SignKind::Process,
        verdict,
        text: text.into(),
    };
    let list = match world.processes().list() {
        Ok(list) => list,
        Err(why) => {
            let text = format!("The processes cannot be listed ({}).", why.lossy());
            return sign(SignVerdict::Unreadable, text);
        }
    };
    let inside = world.processes().ancestors();
    let others = || list.iter().filter(|process| !inside.contains(&process.pid));
    let number = facts.number.as_str();
    if let Some(process) =
        others().find(|process| runs(process, number) && not_elsewhere(process, facts))
    {
        let text = format!(
            "Process {} runs a command of the pipeline for issue {number}.",
            process.pid
        );
        return sign(SignVerdict::Positive, text);
    }
    if let Some(process) = others().find(|process| at_root(process, &facts.root)) {
        let text = format!(
            "{} (pid {}) works in {}, and whether on issue {number} cannot be told.",
            process.name.lossy(),
            process.pid,
            facts.root.to_string_lossy()
        );
        return sign(SignVerdict::Unreadable, text);
    }
    let text = format!("No process runs a command of the pipeline for issue {number}.");
    sign(SignVerdict::Negative, text)
}

/// True where the arguments name one of the orchestrator's commands and this number.
fn runs(process: &Process, number: &str) -> bool {
    let args: Vec<_> = process.argv.iter().map(|arg| arg.lossy()).collect();
    let mut words = args
        .iter()
        .flat_map(|arg| arg.split(|c: char| c.is_whitespace() || c == '"'));
    let started = args
        .iter()
        .take(2)
        .any(|arg| arg.ends_with("/mgw") || arg == "mgw");
    let mentions = started
        || args
            .iter()
            .any(|arg| arg.contains("/mgw:") || arg.contains("commands/run.md"));
    mentions && words.any(|word| word.strip_prefix('#').unwrap_or(word) == number)
}

/// A process whose folder is known and lies in another project works on another project's issue.
fn not_elsewhere(process: &Process, facts: &Facts) -> bool {
    let roots: Vec<PathBuf> = [Some(facts.root.as_path()), facts.branch.present()]
        .into_iter()
        .flatten()
        .map(Path::to_owned)
        .collect();
    process
        .cwd
        .as_ref()
        .is_none_or(|cwd| roots.iter().any(|root| cwd.starts_with(root)))
}

fn at_root(process: &Process, root: &Path) -> bool {
    let named = |text: &str| {
        let name = text.rsplit('/').next().unwrap_or(text);
        PROGRAMS.contains(&name)
    };
    let program =
        named(&process.name.lossy()) || process.argv.iter().take(2).any(|arg| named(&arg.lossy()));
    program && process.cwd.as_deref() == Some(root)
}
