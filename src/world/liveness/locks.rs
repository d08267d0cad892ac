//! Evidence from files that a live process holds: process-id files and git's `index.lock`.

use chrono::TimeDelta;

use super::{LifeQuery, Listed, PidFile, resolved, shown};
use crate::model::index_lock::lock_holder;
use crate::model::{LifeSign, Place, SignKind, SignVerdict};
use crate::text::Shown as _;
use crate::text::format::time;
use crate::world::World;
use crate::world::files::{FileKind, ReadError};
use crate::world::process::Process;

/// How many bytes of a process-id file are read.
const PID_CAP: u64 = 4096;

/// How much later than its file a process may seem to have started, in seconds: the kernel measures start times with
/// another clock than file times.
const START_SLACK_S: i64 = 60;

/// One sign for each process-id file.
pub(super) fn pid_files(world: &dyn World, files: &[PidFile], listed: &Listed) -> Vec<LifeSign> {
    let one = |file| {
        let (verdict, text) = pid_file(world, file, listed);
        LifeSign::new(SignKind::Lock, verdict, text)
    };
    files.iter().map(one).collect()
}

fn pid_file(world: &dyn World, file: &PidFile, listed: &Listed) -> (SignVerdict, String) {
    use SignVerdict::{Negative, Unreadable};
    let path = shown(&file.place.path());
    let bytes = match world.files().read(&file.place, PID_CAP) {
        Ok(bytes) => bytes,
        Err(ReadError::NotFound) => return (Negative, format!("There is no {path}.")),
        Err(why) => return (Unreadable, format!("{path} cannot be read: {why}.")),
    };
    let text = bytes.trim_ascii();
    // To `kill`, pid 0 and negative numbers mean process groups; a file with one of them names no process.
    let Some(pid) = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<u32>().ok())
        .filter(|pid| *pid > 0)
    else {
        return (Unreadable, format!("{path} holds no process id."));
    };
    let all = match &listed.all {
        Ok(all) => all,
        Err(why) => {
            let text = format!(
                "{path} names pid {pid}, but the processes of this machine cannot be listed ({}).",
                why.shown()
            );
            return (Unreadable, text);
        }
    };
    match all.iter().find(|process| process.pid == pid) {
        None => (
            Negative,
            format!("{path} names pid {pid}, which is not running."),
        ),
        Some(process) => owner(world, file, process, &path),
    }
}

/// Whether the process that now has the id is the one that wrote the file.
fn owner(
    world: &dyn World,
    file: &PidFile,
    process: &Process,
    path: &str,
) -> (SignVerdict, String) {
    let name = Listed::name(world, process);
    let wanted = file.command_contains;
    let fits = |arg: &crate::model::Foreign| {
        memchr::memmem::find(arg.as_bytes(), wanted.as_bytes()).is_some()
    };
    // Pids are reused within hours on a busy machine. A process that runs something else cannot be the writer.
    if !process.argv.iter().any(fits) {
        let text =
            format!("{path} is stale: its pid now belongs to {name}, which is not `{wanted}`.");
        return (SignVerdict::Negative, text);
    }
    let written = world.files().stat(&file.place).ok().map(|s| s.modified);
    let slack = TimeDelta::seconds(START_SLACK_S);
    let later = written
        .zip(process.started)
        .is_some_and(|(written, started)| started.signed_duration_since(written) > slack);
    // The same program, started after the file was written, may belong to another run. That proves nothing.
    if later {
        let text = format!(
            "{path} names {name}, a `{wanted}` that started after the file was written; whether it is the same is unknown."
        );
        return (SignVerdict::Unreadable, text);
    }
    let text = format!("{name} runs `{wanted}`, and {path} names it.");
    (SignVerdict::Positive, text)
}

/// One sign for each git directory. A lock whose owner cannot be shown proves neither life nor death.
pub(super) fn index_locks(world: &dyn World, query: &LifeQuery, listed: &Listed) -> Vec<LifeSign> {
    let one = |git_dir: &std::path::PathBuf| {
        let (verdict, text) = index_lock(world, query, git_dir, listed);
        LifeSign::new(SignKind::IndexLock, verdict, text)
    };
    query.git_dirs.iter().map(one).collect()
}

/// Whether relight itself holds the lock. The plan's own guard handles such a lock.
fn is_ours(world: &dyn World, git_dir: &std::path::Path) -> bool {
    let text = Place::known(git_dir, "index.lock")
        .ok()
        .and_then(|place| world.files().read(&place, PID_CAP).ok());
    text.is_some_and(|text| lock_holder(&text).is_some())
}

fn index_lock(
    world: &dyn World,
    query: &LifeQuery,
    git_dir: &std::path::Path,
    listed: &Listed,
) -> (SignVerdict, String) {
    let path = shown(&git_dir.join("index.lock"));
    let stat = Place::known(git_dir, "index.lock")
        .map_err(|why| why.to_string())
        .and_then(|place| match world.files().stat(&place) {
            Ok(stat) => Ok(Some(stat)),
            Err(ReadError::NotFound) => Ok(None),
            Err(why) => Err(why.to_string()),
        });
    let stat = match stat {
        Ok(Some(stat)) => stat,
        Ok(None) => return (SignVerdict::Negative, format!("There is no {path}.")),
        Err(why) => {
            let text = format!("Whether {path} is there cannot be read: {why}.");
            return (SignVerdict::Unreadable, text);
        }
    };
    if stat.kind != FileKind::File {
        let text = format!("{path} is not a regular file.");
        return (SignVerdict::Unreadable, text);
    }
    // Evidence of life here would block the very recovery that removes this lock.
    if is_ours(world, git_dir) {
        let text =
            format!("{path} is held by relight itself, which says nothing about the pipeline.");
        return (SignVerdict::Negative, text);
    }
    // git writes no pid into the lock, so its owner is found by its working directory.
    let mut roots = query.roots.clone();
    roots.extend(git_dir.parent().map(std::path::Path::to_owned));
    let roots = resolved(world, &roots);
    let git = listed.known().iter().find(|process| {
        process.name.as_bytes() == b"git"
            && process
                .cwd
                .as_deref()
                .is_some_and(|cwd| roots.iter().any(|root| cwd.starts_with(root)))
    });
    let since = time(stat.modified.fixed_offset());
    git.map_or_else(
        || {
            let text = format!("{path} exists since {since}; its owner is unknown.");
            (SignVerdict::Unreadable, text)
        },
        |git| {
            let name = Listed::name(world, git);
            let text = format!("{name} is working while {path} is held since {since}.");
            (SignVerdict::Positive, text)
        },
    )
}
