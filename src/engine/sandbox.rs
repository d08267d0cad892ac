//! Isolation of the demo's sandbox: a command run inside it, or with a path in it, uses the sandbox's places and no
//! others.

use std::path::{Path, PathBuf};

use crate::model::Place;
use crate::world::Places;
use crate::world::files::Files as _;
use crate::world::real_files::RealFiles;

/// The file at the top of a sandbox. It holds the sandbox's own path, so that a copied or cloned one means
/// nothing.
pub const SANDBOX_MARK: &str = ".relight-sandbox";

/// Starts a program that does nothing for ten minutes and that nobody ends: what a runner must not leave running,
/// for the stub runner to show what becomes of it.
pub fn leave_running() -> std::io::Result<()> {
    crate::world::runner::leave_running()
}

/// A sandbox as an engine sees it.
pub(super) struct Sandbox {
    /// Its places.
    pub(super) places: Places,
    /// Its projects: what the machine scope walks in it.
    pub(super) projects: PathBuf,
}

/// The folder of the sandbox that a path is in.
pub fn sandbox_of(path: &Path) -> Option<PathBuf> {
    let projects = around(path)?.projects;
    projects.parent().map(Path::to_owned)
}

/// The sandbox that a path is in.
pub(super) fn around(path: &Path) -> Option<Sandbox> {
    let path = RealFiles.canonical(path)?;
    let uid = rustix::process::getuid().as_raw();
    let root = path.ancestors().find(|dir| is_marked(dir, uid))?;
    let home = root.join("home");
    let projects = root.join("projects");
    let places = Places {
        claude: Some(home.join(".claude")),
        codex: Some(home.join(".codex")),
        gemini: Some(home.join(".gemini")),
        opencode: Some(home.join(".local/share/opencode")),
        state: Some(home.join(".local/state")),
        temp: vec![home.join("tmp")],
        home: Some(home),
        uid,
    };
    Some(Sandbox { places, projects })
}

fn is_marked(dir: &Path, uid: u32) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    let Ok(mark) = Place::known(dir, SANDBOX_MARK) else {
        return false;
    };
    let ours = RealFiles.stat(&mark).is_ok_and(|stat| stat.uid == uid);
    ours && RealFiles
        .read(&mark, 4096)
        .is_ok_and(|said| said.trim_ascii_end() == dir.as_os_str().as_bytes())
}
