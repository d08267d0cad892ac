//! A state folder on another mount than the project: what was kept then lies in the common git directory, and
//! where no place on the mount will do nothing is done.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use relight::engine::{Engine, ErrorKind};
use relight::model::Plan;

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

    fn becomes_read_only(&self) -> bool {
        let mut again = Command::new("mount");
        let done = again.args(["-o", "remount,ro"]).arg(&self.0).status();
        done.is_ok_and(|status| status.success())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ended = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// The hints of a plan that is refused because there is no place for the backups.
fn refused_with(engine: &Engine, plan: &Plan) -> Vec<String> {
    let refused = carry(engine, plan).unwrap_err();
    let said = refused.text.lossy().into_owned();
    assert_eq!(refused.kind, ErrorKind::Refused, "{said}");
    assert!(said.contains("There is no place for the backups"), "{said}");
    let hints = refused.hints.iter();
    hints.map(|hint| hint.lossy().into_owned()).collect()
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
    // Nothing outside the project is on its file system, so no other directory for the state would help.
    assert_eq!(
        refused_with(&engine, &plan),
        [
            "The project is a whole file system: move it into a directory of it, or make it a git repository."
        ]
    );
    if mount.becomes_read_only() {
        assert_eq!(
            refused_with(&engine, &plan),
            ["Mount the file system of the project writable, then try again."]
        );
    }
    assert!((picture::take(&worktree), git::status(&worktree)) == before);
    git::sound(&worktree);
    // Before the directory, which could not be removed with it.
    drop(mount);
}
