//! A state folder on another mount than the project: what was kept then lies in the common git directory, and
//! where no place on the mount will do nothing is done.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use relight::engine::ErrorKind;

use super::kept::{holding, survives_a_sweep};
use super::project::{Project, carry};
use super::reset::Conference;
use super::{git, picture};

/// A folder on another mount than this one, in memory or on the disk; says so where there is none.
fn elsewhere(here: &Path) -> Option<tempfile::TempDir> {
    let dev = |path: &Path| fs::metadata(path).map(|meta| meta.dev()).ok();
    let places = [PathBuf::from("/dev/shm"), std::env::temp_dir()];
    let other = places.iter().find(|place| {
        let found = dev(place);
        found.is_some() && found != dev(here)
    });
    let folder = other.and_then(|place| tempfile::tempdir_in(place).ok());
    if folder.is_none() {
        println!("SKIPPED: there is no second file system to be written at.");
    }
    folder
}

#[test]
fn with_the_state_on_another_mount_what_is_kept_lies_in_the_git_directory() {
    if !git::is_there() {
        return;
    }
    let mut project = Project::new();
    let Some(other) = elsewhere(&project.base) else {
        return;
    };
    project.state = other.path().join("state");
    let kept = project.path(".git/relight");
    survives_a_sweep(&project);
    // The sweep took the other file that was restored.
    assert_eq!(holding(&kept, b"first\n"), 1, "what the undo put aside");
    assert_eq!(holding(&project.state, b"first\n"), 0);
    git::sound(&project.root);
}

/// A mount that ends with this.
struct Mounted(PathBuf);

impl Mounted {
    fn at(path: &Path) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=16m", "judge"]);
        let done = mount.arg(path).output();
        if done.is_ok_and(|out| out.status.success()) {
            return Some(Self(path.to_owned()));
        }
        println!("SKIPPED: nothing can be mounted here.");
        None
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ended = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_worktree_that_is_a_mount_of_its_own_is_refused_and_nothing_in_it_changes() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let worktree = project.base.join("mounted");
    let Some(mount) = Mounted::at(&worktree) else {
        return;
    };
    let conference = Conference::new(project, &worktree);
    conference.half_done();
    let before = (picture::take(&worktree), git::status(&worktree));
    let engine = conference.project.engine();
    let plan = conference.plan(&engine);
    let refused = carry(&engine, &plan).unwrap_err();
    let said = refused.text.lossy().into_owned();
    assert_eq!(refused.kind, ErrorKind::Refused, "{said}");
    assert!(said.contains("There is no place for the backups"), "{said}");
    // Nothing outside the project is on its file system, so no other directory for the state would help.
    let help = refused.hints.iter().map(|hint| hint.lossy().into_owned());
    let help = help.collect::<Vec<_>>().join(" ");
    assert!(
        !help.is_empty() && !help.contains("XDG_STATE_HOME"),
        "{help}"
    );
    assert!((picture::take(&worktree), git::status(&worktree)) == before);
    git::sound(&worktree);
    // Before the directory, which could not be removed with it.
    drop(mount);
}
