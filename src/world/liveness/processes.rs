//! Signs from the process list: agent programs in the pipeline's folders, and named command lines.

use std::path::{Path, PathBuf};

use super::{Listed, resolved, shown, sign};
use crate::model::{LifeSign, SignKind, SignVerdict};
use crate::world::World;
use crate::world::agents::{agent_program, only_reads};
use crate::world::process::Process;

/// Agent programs with their working directory or an open file beneath a root.
pub(super) fn agents(world: &dyn World, roots: &[PathBuf], listed: &Listed) -> Vec<LifeSign> {
    if roots.is_empty() {
        return Vec::new();
    }
    let all = match &listed.all {
        Ok(all) => all,
        Err(why) => {
            let text = format!(
                "The processes of this machine cannot be listed ({}), so whether an agent works in {} is not known.",
                why.lossy(),
                places(roots)
            );
            return vec![sign(SignKind::Process, SignVerdict::Unreadable, text)];
        }
    };
    let beneath = resolved(world, roots);
    let mut signs: Vec<LifeSign> = all
        .iter()
        .filter(|process| agent_program(process).is_some())
        .filter_map(|process| agent_sign(world, &beneath, process, listed))
        .collect();
    if signs.is_empty() {
        let text = format!("No agent program works in {}.", places(roots));
        signs.push(sign(SignKind::Process, SignVerdict::Negative, text));
    }
    signs
}

/// What one agent program says; nothing where it works elsewhere.
fn agent_sign(
    world: &dyn World,
    roots: &[PathBuf],
    process: &Process,
    listed: &Listed,
) -> Option<LifeSign> {
    let within = |path: &Path| {
        roots
            .iter()
            .any(|root| world.processes().beneath(root, path))
    };
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
    let inside = listed.is_ancestor(process);
    let (verdict, text) = match does {
        Some(does) if inside => (
            SignVerdict::Note,
            format!("You are running inside it: {name} {does}."),
        ),
        Some(does) => (SignVerdict::Positive, format!("{name} {does}.")),
        None if !process.readable && !inside => (
            SignVerdict::Unreadable,
            format!("{name} is running, and where it works may not be read."),
        ),
        None => return None,
    };
    Some(sign(SignKind::Process, verdict, text))
}

/// Processes whose arguments hold every text of a set.
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
    let all = match &listed.all {
        Ok(all) => all,
        Err(why) => {
            let text = format!(
                "The processes of this machine cannot be listed ({}), so whether `{wanted}` runs is not known.",
                why.lossy()
            );
            return vec![sign(SignKind::Process, SignVerdict::Unreadable, text)];
        }
    };
    let mut signs: Vec<LifeSign> = all
        .iter()
        .filter(|process| runs(process, texts) && !only_reads(process))
        .map(|process| {
            let name = Listed::name(world, process);
            let (verdict, text) = if listed.is_ancestor(process) {
                let text = format!("You are running inside it: {name} runs `{wanted}`.");
                (SignVerdict::Note, text)
            } else {
                (SignVerdict::Positive, format!("{name} runs `{wanted}`."))
            };
            sign(SignKind::Process, verdict, text)
        })
        .collect();
    if signs.is_empty() {
        let text = format!("No process runs `{wanted}`.");
        signs.push(sign(SignKind::Process, SignVerdict::Negative, text));
    }
    signs
}

/// True where each text occurs in some argument.
fn runs(process: &Process, texts: &[String]) -> bool {
    texts.iter().all(|text| {
        process
            .argv
            .iter()
            .any(|arg| memchr::memmem::find(arg.as_bytes(), text.as_bytes()).is_some())
    })
}

/// `a`, `a or b`, `a, b or c`.
fn places(roots: &[PathBuf]) -> String {
    match roots {
        [] => String::new(),
        [only] => shown(only),
        [most @ .., last] => {
            let most: Vec<String> = most.iter().map(|root| shown(root)).collect();
            format!("{} or {}", most.join(", "), shown(last))
        }
    }
}
