//! Distinguishes crucible's files from others with the same name, with as little reading as possible.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::manifest::{file_seq, status_of};
use crate::formats::{json, jsonl};
use crate::model::{DispatchStatus, Foreign, Place};
use crate::systems::crucible::NAME;
use crate::systems::crucible::facts::project::folder_names;
use crate::systems::crucible::facts::sources::{Sources, project_folder};
use crate::systems::crucible::shape;
use crate::systems::{Candidate, Found, Hit, Marker, Sniffed};
use crate::world::World;
use crate::world::files::FileKind;

/// How many bytes of a manifest are read.
const HEAD: usize = 256 << 10;

/// The place of a path that discovery found: below the place that it belongs to, else below its own folder.
pub(crate) fn place_of(world: &dyn World, path: &Path) -> Option<Place> {
    let places = world.places();
    let roots = places.claude.iter().chain(&places.temp);
    for root in roots {
        if let Ok(rest) = path.strip_prefix(root) {
            return Place::known(root, rest).ok();
        }
    }
    Place::of(path)
}

/// The session in a folder name: after `crucible-dispatch-`, `dispatch-` or `crucible-debug-`.
pub(crate) fn session_of(folder: &OsStr) -> Option<&str> {
    let name = folder.to_str()?;
    let session = ["crucible-dispatch-", "dispatch-", "crucible-debug-"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix));
    session.filter(|session| !session.is_empty())
}

/// The prefix of the folder to which `relight record RUN finish` moves a finished run's dispatches.
pub(crate) const PUT_AWAY: &str = "finished-dispatch-";

/// True for such a folder: its run has ended and is represented by its durable copy.
fn is_put_away(folder: &OsStr) -> bool {
    folder.to_string_lossy().starts_with(PUT_AWAY)
}

/// True for a dispatch folder of crucible's evaluation harness: `<user>-crucible-dispatch-<run>`.
pub(crate) fn is_eval(folder: &OsStr) -> bool {
    let name = folder.to_string_lossy();
    name.find("-crucible-dispatch-").is_some_and(|at| at > 0)
}

/// Looks at a hit.
pub(crate) fn sniff(hit: &Hit, world: &dyn World) -> Sniffed {
    let Some(place) = place_of(world, &hit.path) else {
        return Sniffed::NotOurs("the path is not one that relight opens".into());
    };
    let name = hit.path.file_name().unwrap_or_default();
    if let Found::Temp { .. } = hit.found {
        let own = world.files().stat(&place).map(|stat| stat.uid);
        if own.is_ok_and(|uid| uid != world.places().uid) {
            return Sniffed::Ours(Vec::new());
        }
    }
    match name.to_str() {
        Some("manifest.jsonl") => manifest(&hit.path, &place, world),
        Some(".pipeline-active") => marker(&hit.path, &place, world),
        Some("checkpoint-manifest.md") => checkpoints(&hit.path, &place, world),
        _ => folder(hit, &place, world),
    }
}

fn ours(native: impl Into<Foreign>, anchor: PathBuf, source: &Path) -> Sniffed {
    let sources = vec![source.to_owned()];
    Sniffed::Ours(vec![Candidate::new(NAME, native, anchor, sources)])
}

fn manifest(path: &Path, place: &Place, world: &dyn World) -> Sniffed {
    let dir = path.parent().unwrap_or(path);
    let folder = dir.file_name().unwrap_or_default();
    if is_put_away(folder) {
        return Sniffed::Ours(Vec::new());
    }
    let session = session_of(folder);
    let bytes = match world.files().read_range(place, 0, HEAD) {
        Ok(bytes) => bytes,
        Err(error) => {
            return Sniffed::NotOurs(format!("the manifest cannot be read: {error}").into());
        }
    };
    let (entries, foreign) = count(&bytes);
    let wanted = if session.is_some() { 1 } else { 2 };
    // An empty or damaged manifest in a folder with this name is an unreadable run, not a file of another tool.
    let ruined = session.is_some() && foreign == 0;
    if entries < wanted && !ruined {
        return Sniffed::NotOurs("its lines have no `seq` and `status` of a dispatch".into());
    }
    if is_eval(folder) {
        return ours(folder, dir.to_owned(), path);
    }
    match session.map(str::to_owned).or_else(|| beside(dir, world)) {
        Some(session) => ours(session, PathBuf::new(), path),
        None => ours(unnamed(dir, world).as_os_str(), dir.to_owned(), path),
    }
}

/// The key of a manifest without a known session: its project folder's name, else its own folder's.
fn unnamed(dir: &Path, world: &dyn World) -> OsString {
    let project = project_folder(world, dir);
    let named = project.as_deref().and_then(Path::file_name);
    named
        .or_else(|| dir.file_name())
        .unwrap_or_default()
        .to_owned()
}

/// The session of the marker in the same folder, if its own dispatch folder has no manifest.
fn beside(dir: &Path, world: &dyn World) -> Option<String> {
    let place = place_of(world, &dir.join(".pipeline-active"))?;
    let bytes = world.files().whole(&place).ok()?;
    let marker = shape::marker(&bytes, world.clock()).ok()?;
    let manifest = place_of(world, &dir.join("manifest.jsonl"))?;
    let written = world.files().stat(&manifest).ok()?.modified;
    // A copy that is older than the marker's run belongs to an earlier run.
    let began = marker.start_time;
    if began.is_some_and(|began| written < began.at.to_utc()) {
        return None;
    }
    let name = format!("crucible-dispatch-{}/manifest.jsonl", marker.pipeline_id);
    let roots = world.places().temp.iter().map(PathBuf::as_path);
    let mut roots = roots.chain(std::iter::once(dir));
    let elsewhere = roots.any(|root| world.files().has(root, &name));
    (!elsewhere).then_some(marker.pipeline_id)
}

/// The number of lines that are dispatches of crucible, and of JSON lines of another kind.
fn count(bytes: &[u8]) -> (usize, usize) {
    let whole = bytes.len() < HEAD;
    let mut seen = (0, 0);
    for line in jsonl::lines(bytes) {
        if !line.ended && !whole {
            break;
        }
        let jsonl::Parsed::Object(map) = jsonl::parse(&line) else {
            continue;
        };
        let status = json::text(&map, "status").map(|word| status_of(word, true));
        let status = status.is_some_and(|status| status != DispatchStatus::Unknown);
        let seq = json::int(&map, "seq").is_some_and(|seq| seq >= 1);
        let file = json::text(&map, "file").is_some_and(|name| is_dispatch_file(name.as_ref()));
        if seq && status && (file || json::text(&map, "role").is_some()) {
            seen.0 += 1;
        } else if !seq {
            seen.1 += 1;
        }
    }
    seen
}

fn marker(path: &Path, place: &Place, world: &dyn World) -> Sniffed {
    let bytes = match world.files().whole(place) {
        Ok(bytes) => bytes,
        Err(error) => {
            return Sniffed::NotOurs(format!("the marker cannot be read: {error}").into());
        }
    };
    match shape::marker(&bytes, world.clock()) {
        Ok(marker) => ours(marker.pipeline_id, PathBuf::new(), path),
        Err(not) => Sniffed::NotOurs(not.why.into()),
    }
}

/// A checkpoint table is a pipeline of its own only if its project has nothing else, so that the checkpoints can still
/// be restored by hand.
fn checkpoints(path: &Path, place: &Place, world: &dyn World) -> Sniffed {
    let store = path.parent().unwrap_or(path);
    let listing = place_of(world, store).and_then(|place| world.files().list(&place).ok());
    if !listing.is_some_and(|entries| shape::is_git_dir_listing(&entries)) {
        return Sniffed::NotOurs("there is no git directory next to the checkpoint table".into());
    }
    let text = world.files().whole(place).unwrap_or_default();
    if shape::table(&String::from_utf8_lossy(&text)).is_empty() {
        return Sniffed::NotOurs("no row of it is a checkpoint".into());
    }
    let native_folder = store.parent().and_then(Path::parent);
    let shadow = world.git().shadow(store).ok();
    let work_tree = shadow.and_then(|facts| facts.work_tree);
    let projects = native_folder.and_then(Path::parent);
    let rivals = projects.into_iter().flat_map(|projects| {
        let names = work_tree.iter().flat_map(|path| folder_names(path));
        names.map(|name| projects.join(name))
    });
    let folders = native_folder.map(Path::to_owned).into_iter().chain(rivals);
    let folders: Vec<PathBuf> = folders.collect();
    let mut memories = folders.iter().map(|project| project.join("memory"));
    let native = store.file_name().unwrap_or_default();
    if memories.any(|memory| has_run(&memory, world)) || is_of_dispatches(&folders, world) {
        Sniffed::Ours(Vec::new())
    } else {
        ours(native, store.to_owned(), path)
    }
}

/// True if a scratch folder has a marker or a manifest that represents a run. A damaged one does not, and must not hide
/// the checkpoints.
fn has_run(memory: &Path, world: &dyn World) -> bool {
    let listing = place_of(world, memory).and_then(|place| world.files().list(&place).ok());
    let is_run = |name: &Path| {
        let path = memory.join(name);
        let Some(place) = place_of(world, &path).filter(|place| world.files().exists(place)) else {
            return false;
        };
        let sniffed = if name.ends_with(".pipeline-active") {
            marker(&path, &place, world)
        } else {
            manifest(&path, &place, world)
        };
        matches!(sniffed, Sniffed::Ours(_))
    };
    listing.unwrap_or_default().iter().any(|entry| {
        let name = Path::new(&entry.name);
        let text = entry.name.to_string_lossy();
        if let Some(session) = text.strip_prefix(".dispatch-active-") {
            let folder = format!("crucible-dispatch-{session}");
            let mut temp = world.places().temp.iter();
            temp.any(|root| {
                let place = Place::known(root, &folder).ok();
                place.is_some_and(|place| holds_dispatches(&place, world))
            })
        } else if entry.is_dir {
            session_of(&entry.name).is_some() && is_run(&name.join("manifest.jsonl"))
        } else {
            (name.ends_with(".pipeline-active") || name.ends_with("manifest.jsonl")) && is_run(name)
        }
    })
}

/// True if the run of a dispatch folder belongs to one of these projects although no whole marker says so.
fn is_of_dispatches(projects: &[PathBuf], world: &dyn World) -> bool {
    world.places().temp.iter().any(|root| {
        let entries = world.files().list(&Place::root(root)).unwrap_or_default();
        let mut names = entries.iter().filter(|entry| entry.is_dir);
        names.any(|entry| {
            let name = entry.name.to_str();
            let Some(session) = name.and_then(|name| name.strip_prefix("crucible-dispatch-"))
            else {
                return false;
            };
            let candidate = Candidate::new(NAME, session, PathBuf::new(), Vec::new());
            let found = Sources::find(&candidate, world);
            let mut own = found.dispatch.iter();
            own.any(|dir| holds_dispatches(dir, world))
                && found.projects.iter().any(|known| projects.contains(known))
        })
    })
}

/// A dispatch folder without a manifest that can be opened. It is not a run, unless the manifest is a link, FIFO or
/// device, which is never followed or opened but always reported.
fn odd(place: &Place, world: &dyn World) -> Sniffed {
    let manifest = place.join("manifest.jsonl").ok();
    let kind = manifest.and_then(|place| world.files().stat(&place).ok());
    match kind.map(|stat| stat.kind) {
        Some(FileKind::Link) => Sniffed::NotOurs(
            "its manifest.jsonl is a symbolic link, which is not followed; name the file it points to".into(),
        ),
        Some(FileKind::Other) => Sniffed::NotOurs(
            "its manifest.jsonl is a FIFO, socket or device, not a regular file".into(),
        ),
        Some(FileKind::File | FileKind::Dir) | None => Sniffed::Ours(Vec::new()),
    }
}

/// A dispatch or debugging folder, or any folder that the person named.
fn folder(hit: &Hit, place: &Place, world: &dyn World) -> Sniffed {
    let name = hit.path.file_name().unwrap_or_default();
    let inside = |file: &str| {
        let place = place.join(file).ok();
        let place = place.filter(|place| world.files().exists(place))?;
        Some((hit.path.join(file), place))
    };
    if let Some((path, place)) = inside(".pipeline-active")
        && let found @ Sniffed::Ours(_) = marker(&path, &place, world)
    {
        return found;
    }
    if let Some((path, place)) = inside("manifest.jsonl") {
        return manifest(&path, &place, world);
    }
    if inside("phase-state.md").is_some()
        && let Some(session) = session_of(name)
    {
        return ours(session, PathBuf::new(), &hit.path);
    }
    let listing = world.files().list(place).unwrap_or_default();
    if let Some(session) = session_of(name)
        && listing.iter().any(|entry| is_dispatch_file(&entry.name))
    {
        // The manifest is missing, but dispatches are still recorded.
        return ours(session, PathBuf::new(), &hit.path.join("manifest.jsonl"));
    }
    if matches!(hit.marker, Marker::Prefix(_)) {
        return odd(place, world);
    }
    let candidates = listing
        .iter()
        .filter(|entry| entry.is_dir && session_of(&entry.name).is_some())
        .filter_map(|entry| {
            let path = hit.path.join(&entry.name).join("manifest.jsonl");
            match manifest(&path, &place_of(world, &path)?, world) {
                Sniffed::Ours(candidates) => Some(candidates),
                Sniffed::NotOurs(_) => None,
            }
        })
        .flatten()
        .collect();
    Sniffed::Ours(candidates)
}

/// True for a folder with a manifest or a dispatch file.
fn holds_dispatches(folder: &Place, world: &dyn World) -> bool {
    let listing = world.files().list(folder).unwrap_or_default();
    listing
        .iter()
        .any(|entry| entry.name == "manifest.jsonl" || is_dispatch_file(&entry.name))
}

/// True for a file `<seq>-<template>.md`.
fn is_dispatch_file(name: &OsStr) -> bool {
    let name = name.to_str();
    name.is_some_and(|name| name.strip_suffix(".md").is_some() && file_seq(name).is_some())
}

#[cfg(test)]
mod tests;
