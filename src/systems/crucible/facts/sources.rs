//! Finds the files of one session: both copies of its manifest, its marker, its scratch folder. A project may have
//! folders under three names, depending on the script that named it, so all of `projects/*/` is searched.

mod joined;
mod places;

use std::path::{Path, PathBuf};

use joined::{joined_project, other_runs};
use places::{folder, foreign_dir};

use super::Run;
use super::project::folder_names;
use crate::model::{Finding, Foreign, Origin, Place, Stamp};
use crate::systems::Candidate;
use crate::systems::crucible::shape::sniff::place_of;
use crate::systems::crucible::shape::{self, Marker};
use crate::systems::kit::odd_files::{OddFile, closed};
use crate::text::Shown as _;
use crate::text::format::list_first;
use crate::text::is_digits;
use crate::world::World;
use crate::world::files::ReadError;

pub(crate) use places::{Lost, is_own_dir, project_folder, project_folders};

/// The prefixes of durable copies of a dispatch folder, before the session.
const COPIES: [&str; 2] = ["crucible-dispatch-", "dispatch-"];

/// Where the files of a session are.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// `projects/<name>` folders with files of the session, the marker's first.
    pub(crate) projects: Vec<PathBuf>,
    /// The marker and its file.
    pub(crate) marker: Option<(Marker, PathBuf)>,
    /// A marker that cannot be used for anything but to find the project, and whether it is damaged or unreadable.
    pub(crate) damaged_marker: Option<(PathBuf, &'static str)>,
    /// True if the project folder was found by the times of its checkpoints alone.
    pub(crate) joined: bool,
    /// The temporary dispatch folder.
    pub(crate) dispatch: Vec<Place>,
    /// What is known of that folder, where it was not found.
    pub(crate) lost_dispatch: Lost,
    /// Why that cannot be found out.
    pub(crate) closed_dispatch: Option<OddFile>,
    /// The durable copies of it.
    pub(crate) copies: Vec<Place>,
    /// Dispatch folders where crucible keeps none, such as in a backup, until it is clear whether they are needed.
    elsewhere: Vec<Place>,
    /// Whether there are other copies, which are not used.
    pub(crate) has_others: bool,
    /// A debugging session's folder.
    pub(crate) debug: Option<Place>,
    /// A checkpoint store that was found without a run.
    pub(crate) lone_store: Option<PathBuf>,
    /// The start times of other runs in the same scratch folders.
    pub(crate) other_starts: Vec<(String, Stamp)>,
    /// A copy of the manifest that is there and cannot be read.
    pub(crate) unreadable_manifest: Option<(PathBuf, OddFile)>,
    /// The findings.
    pub(crate) findings: Vec<Finding>,
}

impl Sources {
    /// Searches for a candidate's session. Runs of one second in two projects have the same number: those of the project
    /// that the person named are meant.
    pub(crate) fn find(candidate: &Candidate, world: &dyn World) -> Self {
        let all = Self::search(candidate, world, &|_| true);
        let tree = candidate.work_tree.as_ref();
        let tree = tree.and_then(|path| world.files().canonical(path));
        let folders = tree.map(|path| folder_names(&path));
        let is_named = |project: &Path| {
            let mut folders = folders.iter().flatten();
            folders.any(|name| project.ends_with(name))
        };
        let mut known = all.projects.iter();
        if all.projects.len() > 1 && known.any(|project| is_named(project)) {
            Self::search(candidate, world, &is_named)
        } else {
            all
        }
    }

    /// Searches the folders of the projects that are meant.
    fn search(candidate: &Candidate, world: &dyn World, is_meant: &dyn Fn(&Path) -> bool) -> Self {
        let session = candidate.native.lossy().into_owned();
        let mut found = Self::default();
        for path in &candidate.sources {
            if project_folder(world, path).is_none_or(|project| is_meant(&project)) {
                found.add_source(path, world);
            }
        }
        if !candidate.anchor.as_os_str().is_empty() {
            found.settle(world);
            return found;
        }
        for (project, memory) in project_folders(world).filter(|(project, _)| is_meant(project)) {
            found.search_project(&session, &project, &memory, world);
        }
        found.search_temp(&session, world);
        if found.projects.is_empty()
            && let Some((project, memory)) = joined_project(&session, found.folders(), world)
        {
            found.joined = true;
            found.projects.push(project.clone());
            found.search_project(&session, &project, &memory, world);
        }
        found.follow_marker(world);
        found.settle(world);
        found
    }

    /// Takes the marker for unreadable where none was found and nobody may look for it in a scratch folder.
    pub(super) fn seek_marker(&mut self, closed: Option<&Path>, world: &dyn World) {
        let found = self.marker.is_some() || self.damaged_marker.is_some();
        let path = closed.map(|folder| folder.join(".pipeline-active"));
        let unknown = |path: &PathBuf| {
            let seen = Place::of(path).map(|place| world.files().stat(&place));
            seen.is_some_and(|seen| Lost::of(&seen) == Lost::Unknown)
        };
        if let Some(path) = path.filter(|path| !found && unknown(path)) {
            self.damaged_marker = Some((path, "unreadable"));
        }
    }

    /// The dispatch folders; those elsewhere where crucible's own place has none.
    fn folders(&self) -> &[Place] {
        if self.dispatch.is_empty() {
            &self.elsewhere
        } else {
            &self.dispatch
        }
    }

    /// A copy that somebody made stands for the run only where the run itself is gone: otherwise it is named.
    fn settle(&mut self, world: &dyn World) {
        let known = |place: &Place| {
            let mut all = self.dispatch.iter().chain(&self.copies);
            all.any(|dir| dir.path() == place.path())
        };
        let mut others = std::mem::take(&mut self.elsewhere);
        others.retain(|place| !known(place));
        let own = self.manifests(world);
        if !own.iter().any(|place| world.files().has_content(place)) {
            self.dispatch.extend(others);
            return;
        }
        self.has_others = !others.is_empty();
        let Some(first) = others.first() else { return };
        let dirs = others.iter().map(|place| place.path().shown().to_string());
        let text = format!(
            "The run has other copies, which are not used: {}.",
            list_first(dirs, 3)
        );
        let origin = Origin::file(first.path());
        self.findings
            .push(Finding::info("other-copy", origin, text));
    }

    /// The marker of the session.
    pub(crate) fn marker(&self) -> Option<&Marker> {
        self.marker.as_ref().map(|(marker, _)| marker)
    }

    /// The scratch folder: the marker's, else that of the first project folder.
    pub(crate) fn scratch(&self) -> Option<PathBuf> {
        let of_marker = self.marker.as_ref().and_then(|(_, path)| path.parent());
        let of_project = || self.projects.first().map(|project| project.join("memory"));
        of_marker.map(Path::to_owned).or_else(of_project)
    }

    /// The existing manifests, durable copies first. One that is not a regular file is included, so that its reader
    /// reports why it cannot be used.
    pub(crate) fn manifests(&self, world: &dyn World) -> Vec<Place> {
        let dirs = self.copies.iter().chain(&self.dispatch);
        dirs.filter_map(|dir| dir.join("manifest.jsonl").ok())
            .filter(|place| !matches!(world.files().stat(place), Err(ReadError::NotFound)))
            .collect()
    }

    fn add_source(&mut self, path: &Path, world: &dyn World) {
        let name = path.file_name().unwrap_or_default();
        let parent = path.parent().unwrap_or(path);
        if name == "checkpoint-manifest.md" {
            self.lone_store = Some(parent.to_owned());
        }
        if name == "manifest.jsonl"
            && let Some(place) = folder(world, parent)
            && world.files().is_dir(&place)
        {
            let mut temp = world.places().temp.iter();
            let is_temp = temp.any(|root| parent.parent() == Some(root));
            if is_temp || project_folder(world, parent).is_some() {
                self.add_dir(place, world);
            } else {
                self.elsewhere.push(place);
            }
        } else if name.to_string_lossy().starts_with("crucible-debug-") {
            self.debug = place_of(world, path);
        }
        if let Some(project) = project_folder(world, path) {
            push_new(&mut self.projects, project);
        }
    }

    fn add_dir(&mut self, dir: Place, world: &dyn World) {
        let durable = project_folder(world, &dir.path()).is_some();
        let list = if durable {
            &mut self.copies
        } else {
            &mut self.dispatch
        };
        if !list.iter().any(|known| known.path() == dir.path()) {
            list.push(dir);
        }
    }

    fn search_project(&mut self, session: &str, project: &Path, memory: &Place, world: &dyn World) {
        let mut known = self.projects.iter().any(|p| p == project);
        // Most scratch folders have nothing of most sessions: one listing answers that for all sessions.
        let entries = world.files().list(memory);
        let named = |name: &str| {
            let may_be = match &entries {
                Ok(entries) => entries.iter().any(|entry| entry.name == name),
                Err(why) => *why != ReadError::NotFound,
            };
            may_be.then(|| memory.join(name).ok()).flatten()
        };
        for prefix in COPIES {
            let copy = named(&format!("{prefix}{session}"));
            if let Some(copy) = copy.filter(|copy| world.files().is_dir(copy)) {
                self.add_dir(copy, world);
                known = true;
            }
        }
        let active = named(&format!(".dispatch-active-{session}"));
        known |= active.is_some_and(|active| world.files().exists(&active));
        // A marker is replaced by each run, so one that cannot be used is that of the newest.
        let all = entries.as_deref().unwrap_or_default();
        let own = epoch(session);
        let is_newest = other_runs(session, all).all(|(_, at)| own.is_none_or(|own| at <= own));
        if let Some(place) = named(".pipeline-active") {
            let read = world.files().whole(&place);
            let unread = read.as_ref().is_err_and(|why| *why != ReadError::NotFound);
            if unread && known && is_newest {
                self.damaged_marker
                    .get_or_insert_with(|| (place.path(), "unreadable"));
            }
            let read = read.ok();
            let bytes = read.as_deref().unwrap_or_default();
            known |= shape::begins_marker(bytes, session);
            match read.map(|bytes| shape::marker(&bytes, world.clock())) {
                Some(Ok(marker)) if marker.pipeline_id == session => {
                    self.projects.retain(|p| p != project);
                    self.projects.insert(0, project.to_owned());
                    self.marker = Some((marker, place.path()));
                    known = true;
                }
                Some(Ok(other)) if known => {
                    self.other_starts
                        .extend(other.start_time.map(|at| (other.pipeline_id, at)));
                }
                Some(Err(not)) if known => {
                    let is_own = not.damaged && is_newest;
                    let damaged = is_own.then(|| (place.path(), "damaged"));
                    let code = damaged.as_ref().map_or("foreign-marker", |_| "bad-json");
                    let why = not.why;
                    let text = format!(
                        "The marker next to this run is not used and not overwritten: {why}."
                    );
                    self.findings
                        .push(Finding::warn(code, Origin::file(place.path()), text));
                    self.damaged_marker = self.damaged_marker.take().or(damaged);
                }
                Some(_) | None => {}
            }
        }
        if known {
            push_new(&mut self.projects, project.to_owned());
            // Their checkpoints do not count as this run's.
            let entries = entries.unwrap_or_default();
            let others = other_runs(session, &entries);
            self.other_starts
                .extend(others.map(|(other, at)| (other.to_owned(), at)));
        }
    }

    fn search_temp(&mut self, session: &str, world: &dyn World) {
        for root in &world.places().temp {
            let beneath = |prefix: &str| Place::known(root, format!("{prefix}{session}")).ok();
            if let Some(dir) = beneath("crucible-dispatch-") {
                if is_own_dir(world, &dir) {
                    self.add_dir(dir, world);
                } else {
                    self.lose(&dir, world);
                }
            }
            if let Some(dir) = beneath("crucible-debug-").filter(|dir| is_own_dir(world, dir)) {
                self.debug.get_or_insert(dir);
            }
        }
    }

    /// Notes a dispatch folder that is none of this run; what is known least of counts.
    fn lose(&mut self, dir: &Place, world: &dyn World) -> Lost {
        let seen = world.files().stat(dir);
        let lost = Lost::of(&seen);
        if let (Lost::Unknown, Err(why)) = (lost, seen) {
            self.closed_dispatch = closed(dir, &why);
            let text = format!("Whether it exists cannot be found out: {why}.");
            let origin = Origin::file(dir.path());
            push_new(
                &mut self.findings,
                Finding::warn("unreadable-file", origin, text),
            );
        }
        self.lost_dispatch = self.lost_dispatch.max(lost);
        lost
    }

    /// Opens the dispatch folder in the marker; a path that leads elsewhere is reported and not opened.
    fn follow_marker(&mut self, world: &dyn World) {
        let Some((marker, file)) = self.marker.clone() else {
            return;
        };
        let scratch = marker.scratch_dir.as_deref();
        let scratch = scratch.and_then(|text| foreign_dir(world, text).ok());
        for prefix in COPIES {
            let name = format!("{prefix}{}", marker.pipeline_id);
            let copy = scratch.as_ref().and_then(|dir| dir.join(name).ok());
            if let Some(copy) = copy.filter(|copy| is_own_dir(world, copy)) {
                self.add_dir(copy, world);
            }
        }
        let Some(named) = marker.dispatch_dir else {
            return;
        };
        let path = Path::new(named.trim_end_matches('/'));
        if let Some(dir) = self.elsewhere.iter().find(|dir| dir.path() == path) {
            return self.dispatch.push(dir.clone());
        }
        let (code, text) = match foreign_dir(world, &named) {
            Ok(dir) if is_own_dir(world, &dir) => return self.add_dir(dir, world),
            Ok(dir) => {
                let lack = match self.lose(&dir, world) {
                    Lost::Replaced => "is not a directory that you own",
                    Lost::Gone => "is missing",
                    // The directory itself is named.
                    Lost::Unknown => return,
                };
                let dir = dir.path();
                let shown = dir.shown();
                (
                    "missing-file",
                    format!(
                        "The dispatch directory in the marker {lack} ({shown}); dispatch files must be regenerated."
                    ),
                )
            }
            Err(why) => (
                "refused-path",
                format!("The marker's dispatch directory `{named}` is not opened: {why}."),
            ),
        };
        self.findings
            .push(Finding::warn(code, Origin::file(file), text));
    }
}

/// A session that is a Unix time of ten digits.
pub(crate) fn epoch(session: &str) -> Option<Stamp> {
    let plain = session.len() == 10 && is_digits(session);
    let seconds = plain.then(|| session.parse().ok()).flatten()?;
    Stamp::from_unix(seconds)
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, one: T) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// The warning of every point of a run whose marker is damaged, or whose project no record names.
pub(crate) fn unmarked(run: &Run) -> Option<Foreign> {
    if let Some((_, how)) = run.sources.damaged_marker {
        let text = format!("The marker of the run is {how}: on which branch it was is not known.");
        return Some(text.into());
    }
    let project = run.work_tree().filter(|_| run.sources.joined)?;
    let shown = project.shown();
    let text = "is inferred from the times of its checkpoints";
    Some(format!("No marker names the project: {shown} {text}.").into())
}
