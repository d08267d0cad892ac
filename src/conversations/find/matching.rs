//! Whether a conversation worked on a pipeline, and the reasons.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::siblings::{Meant, Siblings};
use super::{Head, LATER, SLACK};
use crate::conversations::claude::Transcript;
use crate::foreign;
use crate::model::{Cause, CauseKind, Foreign, Reading, Stamp, Sure};
use crate::text::Shown as _;
use crate::world::World;

/// The facts about the pipeline.
pub(super) struct Subject<'a> {
    reading: &'a Reading,
    world: &'a dyn World,
    /// Its root and its work tree, as named and as resolved.
    dirs: Vec<PathBuf>,
    /// How many of them, at the start, belong to the root.
    roots: usize,
    /// The folders that contain nothing but its state.
    state_dirs: Vec<&'a Path>,
    /// The git directory that the worktrees of its repository share.
    common_dir: OnceCell<Option<PathBuf>>,
    /// The pipelines that share its folder of state files.
    siblings: OnceCell<Siblings>,
}

impl<'a> Subject<'a> {
    pub(super) fn of(reading: &'a Reading, world: &'a dyn World) -> Self {
        let mut dirs = Vec::new();
        let mut roots = 0;
        for dir in std::iter::once(&reading.root).chain(&reading.work_tree) {
            for dir in [dir.clone(), world.files().resolved(dir)] {
                if !dirs.contains(&dir) {
                    dirs.push(dir);
                }
            }
            roots = if roots == 0 { dirs.len() } else { roots };
        }
        // The pipelines of a project share a folder of state files, unless its name is the key of one.
        let native = reading.native.lossy();
        let own = |dir: &&Path| {
            let name = dir.file_name().map(|name| name.to_string_lossy());
            name.is_some_and(|name| !native.is_empty() && name.contains(&*native))
        };
        let parents = reading.state_files.iter().filter_map(|file| file.parent());
        let state_dirs = parents
            .filter(own)
            .filter(|parent| !dirs.iter().any(|dir| dir.starts_with(parent)));
        Self {
            reading,
            world,
            state_dirs: state_dirs.collect(),
            dirs,
            roots,
            common_dir: OnceCell::new(),
            siblings: OnceCell::new(),
        }
    }

    pub(super) const fn reading(&self) -> &Reading {
        self.reading
    }

    pub(super) fn dirs(&self) -> impl Iterator<Item = &Path> {
        self.dirs.iter().map(PathBuf::as_path)
    }

    /// Whether the pipeline had begun at a file's last write.
    pub(super) fn began_before(&self, at: DateTime<Utc>) -> bool {
        let began = self.reading.started_at.or(self.reading.last_activity_at);
        began.is_none_or(|began| at + SLACK >= began.at)
    }

    /// Whether the pipeline was still written after a conversation began; otherwise the conversation did not stop it.
    pub(super) fn was_written_after(&self, head: &Head) -> bool {
        let times = head.at.zip(self.reading.last_activity_at);
        times.is_none_or(|(began, written)| began.at <= written.at + SLACK)
    }

    /// Whether text contains its key, one of its directories or a state file. A conversation elsewhere without any of
    /// them has no reason to match, unless it is in the same repository.
    pub(super) fn is_named_in(&self, bytes: &[u8]) -> bool {
        let files = self.reading.state_files.iter().map(PathBuf::as_path);
        let paths = self.dirs().chain(self.state_dirs.iter().copied());
        let paths = paths
            .chain(files)
            .map(|path| path.as_os_str().as_encoded_bytes());
        let names = paths.chain([self.reading.native.as_bytes()]);
        names
            .filter(|name| !name.is_empty())
            .any(|name| memchr::memmem::find(bytes, name).is_some())
    }

    /// Whether a conversation began in a worktree of the pipeline's repository.
    pub(super) fn shares_repository(&self, head: &Head) -> bool {
        self.is_of_repository(&[head.cwd.as_deref()])
    }

    /// Whether a beginning fits: its directory is the pipeline's, or is not known yet.
    pub(super) fn may_be(&self, head: &Head) -> bool {
        head.cwd.as_deref().is_none_or(|cwd| self.holds(cwd))
    }

    /// Whether a conversation began in a directory above the pipeline's.
    pub(super) fn is_below(&self, head: &Head) -> bool {
        let cwd = head.cwd.as_deref();
        cwd.is_some_and(|cwd| self.dirs().any(|dir| dir.starts_with(cwd)))
    }

    /// Where a conversation is resumed whose directory is not recorded.
    pub(super) fn home(&self) -> &Path {
        let tree = self.reading.work_tree.as_ref();
        tree.unwrap_or(&self.reading.root)
    }

    /// How long after the last write a conversation ended that went on to other work then: a person had prompted it
    /// again, or it wrote elsewhere. `None` where its end is that of the pipeline's work.
    pub(super) fn went_on(
        &self,
        cause: &Cause,
        ended: Option<Stamp>,
        prompted: Option<Stamp>,
        transcript: &Transcript,
    ) -> Option<TimeDelta> {
        let written = self.reading.last_activity_at?;
        let later = cause.at.or(ended)?.at - written.at;
        // What was typed after the end did not lead to it.
        let before_end = |at: Stamp| cause.at.is_none_or(|end| at.at <= end.at);
        let prompted = prompted.filter(|at| before_end(*at));
        let asked = || prompted.is_some_and(|at| at.at > written.at + SLACK);
        let places = self.world.places();
        let home = places.home.as_ref().map(|home| home.join(".claude"));
        // Plans and memories, which are of no project.
        let clients = [
            &places.claude,
            &places.codex,
            &places.gemini,
            &places.opencode,
        ];
        let clients = clients.into_iter().flatten().chain(&home);
        let outside: Vec<&PathBuf> = clients.chain(&places.temp).collect();
        let elsewhere = |file: &PathBuf| {
            let mut known = self.dirs().chain(outside.iter().map(|dir| dir.as_path()));
            !self.is_state(file) && !known.any(|dir| file.starts_with(dir))
        };
        let left = || transcript.written.last().is_some_and(elsewhere);
        let known = cause.kind != CauseKind::Unknown;
        (known && later > LATER && (asked() || left())).then_some(later)
    }

    /// The directories of its root, and those of a worktree of its own.
    fn trees(&self) -> (&[PathBuf], &[PathBuf]) {
        let own_tree = self.reading.work_tree.as_ref();
        let own_tree = own_tree.is_some_and(|tree| *tree != self.reading.root);
        let (roots, trees) = self.dirs.split_at(self.roots.min(self.dirs.len()));
        if own_tree {
            (roots, trees)
        } else {
            (&[], &self.dirs)
        }
    }

    /// Whether a directory belongs to the pipeline. If it has its own worktree, the others of the project do not.
    pub(super) fn holds(&self, dir: &Path) -> bool {
        let (roots, trees) = self.trees();
        roots.iter().any(|root| dir == root) || trees.iter().any(|tree| dir.starts_with(tree))
    }

    /// Why it matches, the strongest reason first; `None` if it does not. Branch and time are never enough, because
    /// several pipelines share them, and nothing is where it names only others of those.
    pub(super) fn reasons(
        &self,
        dirs: &[Option<&Path>],
        (first, last): (Option<Stamp>, Option<Stamp>),
        transcript: &Transcript,
    ) -> Option<Vec<Foreign>> {
        let meant = self.meant(dirs, transcript);
        if meant == Meant::Another {
            return None;
        }
        let inside = dirs.iter().flatten().any(|dir| self.holds(dir));
        let mut reasons = self.strong(inside, transcript);
        let is_sure = !reasons.is_empty();
        let meanwhile = self.overlaps(first, last);
        let branch = self.is_on_branch(transcript);
        let pull_request = self.reading.pull_request;
        let pull_request = pull_request.filter(|own| transcript.pull_requests.contains(own));
        let linked = is_sure || branch || pull_request.is_some();
        // Another worktree of the repository usually belongs to another pipeline, so it needs a further reason.
        let sibling = !inside && linked && self.is_of_repository(dirs);
        let here = inside || sibling;
        let mut commands = transcript.commands.iter();
        let named =
            (inside || meanwhile) && commands.any(|command| self.is_named_by(command, inside));
        if !(is_sure || meanwhile && (here || named)) {
            return None;
        }
        if let Some(number) = pull_request.filter(|_| here) {
            let text = format!("It is linked to the pipeline's pull request #{number}.");
            reasons.push(text.into());
        }
        let texts = [
            (named, "It ran a command on the pipeline's state files."),
            (inside, "It ran in this project's directory."),
            (sibling, "It ran in another worktree of this repository."),
            (branch, "It was on the pipeline's branch."),
            (
                meanwhile,
                "It ran while the pipeline's files were being written.",
            ),
        ];
        let texts = texts.iter().filter(|(holds, _)| *holds);
        reasons.extend(texts.map(|(_, text)| Foreign::from(*text)));
        reasons.extend(match meant {
            Meant::Any => Some(Foreign::from(
                "It names no pipeline of this project, so it may have worked on another one.",
            )),
            Meant::Next(key) => Some(foreign!("It went on to {}.", key)),
            Meant::This | Meant::Another => None,
        });
        Some(reasons)
    }

    /// How a conversation ended, as far as that is about this pipeline.
    pub(super) fn about(
        &self,
        cause: Cause,
        dirs: &[Option<&Path>],
        transcript: &Transcript,
    ) -> Cause {
        match self.meant(dirs, transcript) {
            Meant::Any => Cause {
                sure: Sure::Guess,
                ..cause
            },
            Meant::Next(key) => Cause {
                kind: CauseKind::Unknown,
                text: foreign!(
                    "It went on to {}, so its end says nothing about this pipeline.",
                    key
                ),
                until: None,
                sure: Sure::Guess,
                next: Vec::new(),
                ..cause
            },
            Meant::This | Meant::Another => cause,
        }
    }

    /// Which of the pipelines of its folder a conversation is about.
    fn meant(&self, dirs: &[Option<&Path>], transcript: &Transcript) -> Meant {
        let siblings = || Siblings::of(self.reading, self.world);
        let siblings = self.siblings.get_or_init(siblings);
        let (roots, trees) = self.trees();
        let mut inside = dirs.iter().flatten();
        let in_tree =
            !roots.is_empty() && inside.any(|dir| trees.iter().any(|tree| dir.starts_with(tree)));
        let meant = siblings.meant(dirs, transcript);
        // Its own worktree, whatever its name, and its files are its own.
        if meant == Meant::Any && (in_tree || !self.own_work(transcript).is_empty()) {
            return Meant::This;
        }
        meant
    }

    /// The reasons of which one is enough.
    fn strong(&self, inside: bool, transcript: &Transcript) -> Vec<Foreign> {
        let mut reasons = self.own_work(transcript);
        let system = self.reading.system.0;
        let skill = |name: &String| name.to_ascii_lowercase().contains(system);
        if inside && transcript.skills.iter().any(skill) {
            reasons.push(format!("It ran {system} in this project.").into());
        }
        reasons
    }

    /// Those of them that are about no other pipeline.
    fn own_work(&self, transcript: &Transcript) -> Vec<Foreign> {
        let mut reasons: Vec<Foreign> = Vec::new();
        if let Some(file) = transcript.written.iter().find(|file| self.is_state(file)) {
            let shown = self.dirs().find_map(|dir| file.strip_prefix(dir).ok());
            let shown = shown.unwrap_or(file).shown();
            reasons.push(format!("It wrote {shown}, which belongs to this pipeline.").into());
        }
        let launched =
            |name: &String| self.reading.native == **name || self.is_state(Path::new(name));
        if transcript.workflows.iter().any(launched) {
            reasons.push("It launched this run.".into());
        }
        // A pipeline without its own worktree shares its tree.
        let (roots, trees) = self.trees();
        let entered = |path: &PathBuf| !roots.is_empty() && trees.contains(path);
        if transcript.worktrees.iter().any(entered) {
            reasons.push("It worked in the pipeline's own worktree.".into());
        }
        reasons
    }

    fn is_on_branch(&self, transcript: &Transcript) -> bool {
        let branch = self.reading.branch.as_ref();
        let branch = branch.and_then(|branch| branch.expected.as_ref());
        branch.is_some() && branch == transcript.branch.as_ref()
    }

    /// Whether one of these directories is in another worktree of the pipeline's repository.
    fn is_of_repository(&self, dirs: &[Option<&Path>]) -> bool {
        let git = self.world.git();
        let common = |dir: &Path| git.repo(dir).ok().map(|facts| facts.common_dir);
        let own = self
            .common_dir
            .get_or_init(|| common(&self.reading.root))
            .clone();
        let mut dirs = dirs.iter().flatten();
        own.is_some() && dirs.any(|dir| common(dir) == own)
    }

    fn is_state(&self, file: &Path) -> bool {
        self.reading.state_files.iter().any(|state| state == file)
            || self.state_dirs.iter().any(|dir| file.starts_with(dir))
    }

    /// Whether a command names a file or folder of the state: by its full path from anywhere, from inside also by its
    /// relative path.
    fn is_named_by(&self, command: &str, inside: bool) -> bool {
        let files = self.reading.state_files.iter().map(PathBuf::as_path);
        let mut paths = self.state_dirs.iter().copied().chain(files);
        paths.any(|path| {
            let relative = self.dirs().find_map(|dir| path.strip_prefix(dir).ok());
            let relative = relative.filter(|_| inside);
            let mut names = [Some(path), relative].into_iter().flatten();
            names.any(|name| name.to_str().is_some_and(|name| mentions(command, name)))
        })
    }

    fn overlaps(&self, first: Option<Stamp>, last: Option<Stamp>) -> bool {
        let Some(written) = self.reading.last_activity_at else {
            return false;
        };
        let began = self.reading.started_at.unwrap_or(written);
        first.is_some_and(|first| first.at <= written.at + SLACK)
            && last.is_some_and(|last| last.at + SLACK >= began.at)
    }
}

/// Whether a command contains a path as a whole word or as the start of a longer path.
fn mentions(command: &str, path: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    command.match_indices(path).any(|(at, _)| {
        let before = command.get(..at).unwrap_or_default();
        let before = before.strip_suffix("./").unwrap_or(before);
        let after = command.get(at + path.len()..).unwrap_or_default();
        !path.is_empty()
            && !before.ends_with(|c| goes_on(c) || c == '/')
            && !after.starts_with(goes_on)
    })
}
