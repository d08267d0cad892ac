//! Evidence of life of an issue: its worktree, its commands, its writes. The orchestrator has no lock, no process file
//! and no heartbeat.

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::model::{LifeEvidence, LifeSign, Place, SignKind, SignVerdict};
use crate::systems::kit::uncommitted::written_places;
use crate::systems::mgw::facts::Facts;
use crate::text::Shown as _;
use crate::text::is_digits;
use crate::world::World;
use crate::world::agents::Agents;
use crate::world::liveness::{LifeQuery, gather};
use crate::world::process::Process;

/// A shorter silence is normal: a retry sleeps up to five minutes.
const QUIET_AFTER_S: i64 = 600;

/// The programs that run the orchestrator's commands.
const PROGRAMS: &[&str] = &["claude", "gemini", "opencode", "mgw"];

/// The commands for single issues.
const COMMANDS: &[&str] = &["run", "issue", "pr"];

/// The evidence, with the time of the pipeline's last write as it is shown.
pub(crate) fn evidence(
    world: &dyn World,
    facts: &Facts,
    last_write: Option<DateTime<Utc>>,
) -> LifeEvidence {
    // The project's own folder is no evidence: every issue of the project and the person's editor work in it.
    let own = facts.branch.present().filter(|path| *path != facts.root);
    let tree = facts.branch.tree.as_ref();
    let git_dir = tree.and_then(|tree| tree.git_dir.clone());
    let mut writes = writes(facts);
    // A missing file must not count as unreadable: most issues never write all of these.
    writes.retain(|place| world.files().stat(place).is_ok());
    let query = LifeQuery {
        roots: own.map(Path::to_owned).into_iter().collect(),
        git_dirs: git_dir.into_iter().collect(),
        signs: vec![command(world, facts)],
        writes,
        last_write,
        quiet_after_s: QUIET_AFTER_S,
        ..LifeQuery::default()
    };
    gather(world, &query)
}

/// When the pipeline last wrote: its files and its commits. git's own index and HEAD are neither: a person who looks at
/// the worktree with `git status` writes them as well.
pub(crate) fn last_activity(world: &dyn World, facts: &Facts) -> Option<DateTime<Utc>> {
    let writes = writes(facts).into_iter();
    let written = writes.filter_map(|place| world.files().modified(&place));
    let committed = facts.evidence.commit_times.first().copied();
    written.chain(committed).max()
}

/// The files that the pipeline writes: its own, and in its worktree the uncommitted ones.
fn writes(facts: &Facts) -> Vec<Place> {
    let files = facts.files.iter().chain(&facts.tmp_files);
    let mut places: Vec<Place> = files.map(|file| file.place.clone()).collect();
    if let Some(tree) = facts.branch.present().filter(|path| *path != facts.root) {
        let documents = facts.evidence.docs.all().map(|doc| doc.path.as_str());
        let all = documents.chain([".planning/STATE.md"]);
        places.extend(all.filter_map(|path| Place::foreign(&[tree], path.as_bytes()).ok()));
        let changes = facts.branch.status.iter().flatten().flatten();
        places.extend(written_places(changes, tree));
    }
    places
}

/// Whether a process runs a command of the orchestrator for this issue. The number must be a separate word: issue 4 is
/// not issue 42. An agent at ROOT may be working on any issue, so it proves nothing.
fn command(world: &dyn World, facts: &Facts) -> LifeSign {
    let sign = |verdict, text: String| LifeSign::new(SignKind::Process, verdict, text);
    let list = match world.processes().snapshot() {
        Ok(list) => list,
        Err(why) => {
            let text = format!("The processes cannot be listed ({}).", why.shown());
            return sign(SignVerdict::Unreadable, text);
        }
    };
    let inside = world.processes().ancestors();
    let others = || list.iter().filter(|process| !inside.contains(&process.pid));
    let number = facts.number.as_str();
    let ours = |process: &&Process| not_elsewhere(process, facts) && runs(process, number);
    if let Some(process) = others().find(ours) {
        let pid = process.pid;
        let text = format!("Process {pid} runs a command of the pipeline for issue {number}.");
        return sign(SignVerdict::Positive, text).of(pid);
    }
    // Unreadable, not negative: the agent in ROOT may be working on this very issue without naming it in its arguments.
    let agents = world.processes().agents();
    if let Some(process) = others().find(|process| at_root(process, &facts.root, agents)) {
        let (name, pid, root) = (process.name.shown(), process.pid, facts.root.shown());
        let text =
            format!("{name} (pid {pid}) works in {root}; it is unknown whether on issue {number}.");
        return sign(SignVerdict::Unreadable, text);
    }
    let text = format!("No process runs a command of the pipeline for issue {number}.");
    sign(SignVerdict::Negative, text)
}

/// The issues that a process passes to one of the orchestrator's commands for single issues; `None` if it runs no such
/// command. The number of a milestone is not an issue's.
fn issues(process: &Process) -> Option<Vec<String>> {
    // A shell passes a whole command as one argument, so arguments are split at blanks and quotes once more.
    let args: Vec<_> = process.argv.iter().map(|arg| arg.lossy()).collect();
    let words = args.iter();
    let words = words.flat_map(|arg| arg.split(|c: char| c.is_whitespace() || c == '"'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // The program is the first word, or the second after an interpreter. Anywhere else, `mgw` may be part of a prompt.
    let mut programs = words.iter().take(2);
    let program = programs.position(|word| word.rsplit('/').next() == Some("mgw"));
    let command = program.map(|at| at + 1);
    let command = command.filter(|at| words.get(*at).is_some_and(|word| COMMANDS.contains(word)));
    let slash = |word: &&str| {
        let slash = word.strip_prefix("/mgw:");
        slash.is_some_and(|word| COMMANDS.contains(&word)) || word.ends_with("commands/run.md")
    };
    let command = command.or_else(|| words.iter().position(slash))?;
    let operands = words.get(command + 1..).unwrap_or_default();
    let number = |word: &&str| {
        let digits = word.strip_prefix('#').unwrap_or(word);
        is_digits(digits).then(|| digits.to_owned())
    };
    Some(operands.iter().filter_map(number).collect())
}

fn runs(process: &Process, number: &str) -> bool {
    issues(process).is_some_and(|issues| issues.iter().any(|issue| issue == number))
}

/// A process in another project's folder works on that project's issue.
fn not_elsewhere(process: &Process, facts: &Facts) -> bool {
    let roots = [Some(facts.root.as_path()), facts.branch.present()];
    let mut roots = roots.into_iter().flatten();
    // A process whose directory cannot be read may be here, so it counts.
    let cwd = process.cwd.as_ref();
    cwd.is_none_or(|cwd| roots.any(|root| cwd.starts_with(root)))
}

/// An agent at ROOT whose command names no issue.
fn at_root(process: &Process, root: &Path, agents: &Agents) -> bool {
    if process.cwd.as_deref() != Some(root) {
        return false;
    }
    let named = |text: &str| {
        let name = text.rsplit('/').next().unwrap_or(text);
        PROGRAMS.contains(&name)
    };
    let program = named(&process.name.lossy())
        || process.argv.iter().take(2).any(|arg| named(&arg.lossy()))
        || agents.program(process).is_some();
    program && issues(process).is_none_or(|issues| issues.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_for_this_very_issue_counts() {
        for (line, named) in [
            (
                "node /usr/lib/node_modules/mgw/bin/mgw run 42",
                Some(&["42"][..]),
            ),
            ("mgw run 42 --dry-run", Some(&["42"][..])),
            ("mgw status 42", None),
            ("claude /mgw:run #42", Some(&["42"][..])),
            ("claude /mgw:milestone 4", None),
            (
                "claude -p --system-prompt-file /x/commands/run.md \"42\"",
                Some(&["42"][..]),
            ),
            ("claude /mgw:run", Some(&[][..])),
            ("vim .mgw/active/42-x.json", None),
            ("grep 42 /x/mgw", None),
            ("", None),
        ] {
            let process = Process {
                argv: line.split(' ').map(Into::into).collect(),
                ..Process::default()
            };
            let expected = named.map(|all| all.iter().map(|n| (*n).to_owned()).collect());
            assert_eq!(issues(&process), expected, "{line}");
            assert!(!runs(&process, "4"), "{line}");
        }
    }
}
