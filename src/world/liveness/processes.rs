//! Evidence from the process list: agent programs in the pipeline's folders, and known command lines.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;

use super::{Listed, OwnFiles, resolved, shown};
use crate::model::{LifeSign, SignKind, SignVerdict};
use crate::text::format::list_or;
use crate::world::World;
use crate::world::agents::only_reads;
use crate::world::process::Process;

/// Agent programs with their working directory or an open file under a root.
pub(super) fn agents(world: &dyn World, roots: &[PathBuf], listed: &Listed) -> Vec<LifeSign> {
    if roots.is_empty() {
        return Vec::new();
    }
    let named = list_or(roots.iter().map(|root| shown(root)));
    let all = match listed.all_or_unknown(&format!("whether an agent works in {named}")) {
        Ok(all) => all,
        Err(unknown) => return vec![unknown],
    };
    let beneath = resolved(world, roots);
    let finders = beneath
        .iter()
        .map(|root| Finder::new(root.as_os_str().as_bytes()));
    let finders: Vec<Finder<'_>> = finders.collect();
    let agents = world.processes().agents();
    let mut signs: Vec<LifeSign> = all
        .iter()
        .filter(|process| agents.program(process).is_some() || is_doubtful(process, &finders))
        .filter_map(|process| agent_sign(world, &beneath, process, listed))
        .collect();
    // A negative result is stated: "no agent found" is evidence, an empty list is not.
    if signs.is_empty() {
        let text = format!("No agent program works in {named}.");
        let sign = LifeSign::new(SignKind::Process, SignVerdict::Negative, text);
        signs.push(sign);
    }
    let hidden = all.iter().filter(|process| {
        let asked = process.own && agents.program(process).is_some();
        let asked = asked || is_doubtful(process, &finders);
        // Other users' processes are never readable. They are counted, so that the person sees what the verdict leaves
        // out.
        !process.readable && !asked && !listed.is_ancestor(process)
    });
    let text = match hidden.count() {
        0 => return signs,
        1 => "1 other process cannot be inspected; it does not affect the verdict.".to_owned(),
        n => format!("{n} other processes cannot be inspected; they do not affect the verdict."),
    };
    signs.push(LifeSign::new(SignKind::Process, SignVerdict::Note, text));
    signs
}

/// A process of this user that cannot be inspected and whose command line names the pipeline.
fn is_doubtful(process: &Process, roots: &[Finder<'_>]) -> bool {
    if process.readable || !process.own || only_reads(process) {
        return false;
    }
    let names = |arg: &[u8], root: &Finder<'_>| {
        root.find_iter(arg).any(|at| {
            // `/a/shop` must not match `/a/shop-old`.
            let next = arg.get(at + root.needle().len());
            next.is_none_or(|next| matches!(next, b'/' | b' ' | b'"' | b'\'' | b':'))
        })
    };
    let mut args = process.argv.iter().map(crate::model::Foreign::as_bytes);
    args.any(|arg| roots.iter().any(|root| names(arg, root)))
}

/// Processes that hold one of these files open for writing, whatever their names.
pub(super) fn writers(
    world: &dyn World,
    files: &[PathBuf],
    own: &[OwnFiles<'_>],
    listed: &Listed,
) -> Vec<LifeSign> {
    if listed
        .known()
        .iter()
        .all(|process| process.writes.is_empty())
    {
        return Vec::new();
    }
    // The kernel reports real paths.
    let real = |one: &'_ OwnFiles<'_>| world.files().resolved(&one.dir);
    let folders: Vec<_> = own.iter().map(|one| (real(one), one)).collect();
    let is_own = |open: &Path| {
        folders.iter().any(|(dir, one)| {
            // Compares bytes first: this runs for every open file and every pipeline of the list.
            let (bytes, above) = (open.as_os_str().as_bytes(), dir.as_os_str().as_bytes());
            bytes.starts_with(above) && open.strip_prefix(dir).is_ok_and(|rel| (one.names)(rel))
        })
    };
    let files: Vec<_> = files.iter().map(|file| (file.file_name(), file)).collect();
    let one = |process: &Process| {
        let known = |open: &&PathBuf| {
            // Links are resolved only for files with the same name: this runs for every pipeline of the list.
            let name = open.file_name();
            let mut alike = files.iter().filter(|(known, _)| *known == name);
            alike.any(|(_, file)| {
                file == open || world.files().canonical(file).as_ref() == Some(*open)
            })
        };
        let mut writes = process.writes.iter();
        let file = writes.find(|open| known(open) || is_own(open))?;
        let name = Listed::name(world, process);
        let does = format!("{name} has {} open for writing", shown(file));
        Some(listed.sign_of(process, &does))
    };
    listed.known().iter().filter_map(one).collect()
}

/// The sign of one agent program; `None` if it works elsewhere.
fn agent_sign(
    world: &dyn World,
    roots: &[PathBuf],
    process: &Process,
    listed: &Listed,
) -> Option<LifeSign> {
    let within = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let name = Listed::name(world, process);
    let cwd = process.cwd.as_deref().filter(|cwd| within(cwd));
    let does = match cwd {
        Some(cwd) => Some(format!("works in {}", shown(cwd))),
        None => process
            .open_files
            .iter()
            .find(|file| within(file))
            .map(|file| format!("has {} open", shown(file))),
    };
    if let Some(does) = does {
        return Some(listed.sign_of(process, &format!("{name} {does}")));
    }
    // An agent of this user whose directory cannot be read may be the one: unknown, never "elsewhere".
    let hidden = !process.readable && process.own && !listed.is_ancestor(process);
    let text = format!("{name} is running, and its working directory cannot be read.");
    hidden.then(|| LifeSign::new(SignKind::Process, SignVerdict::Unreadable, text))
}

/// Processes whose arguments contain every text of a set.
pub(super) fn command_lines(
    world: &dyn World,
    sets: &[Vec<String>],
    listed: &Listed,
) -> Vec<LifeSign> {
    sets.iter()
        .filter(|texts| !texts.is_empty())
        .flat_map(|texts| command_line(world, texts, listed))
        .collect()
}

fn command_line(world: &dyn World, texts: &[String], listed: &Listed) -> Vec<LifeSign> {
    let wanted = texts.join(" … ");
    let all = match listed.all_or_unknown(&format!("whether `{wanted}` runs")) {
        Ok(all) => all,
        Err(unknown) => return vec![unknown],
    };
    let finders: Vec<Finder<'_>> = texts.iter().map(Finder::new).collect();
    // A `tail` or `grep` with the same words belongs to a person who reads the log, not to the run.
    let mut signs: Vec<LifeSign> = all
        .iter()
        .filter(|process| runs(process, &finders) && !only_reads(process))
        .map(|process| {
            let name = Listed::name(world, process);
            listed.sign_of(process, &format!("{name} runs `{wanted}`"))
        })
        .collect();
    if signs.is_empty() {
        let text = format!("No process runs `{wanted}`.");
        let sign = LifeSign::new(SignKind::Process, SignVerdict::Negative, text);
        signs.push(sign);
    }
    signs
}

/// True if each text occurs in some argument.
fn runs(process: &Process, texts: &[Finder<'_>]) -> bool {
    let occurs = |text: &Finder<'_>| {
        process
            .argv
            .iter()
            .any(|arg| text.find(arg.as_bytes()).is_some())
    };
    texts.iter().all(occurs)
}
