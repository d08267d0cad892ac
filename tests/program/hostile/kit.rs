//! Makes hostile things, and bounds how long anything may take with them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::support::fake::FakeWorld;
use relight::engine::{Engine, Request};
use relight::model::{Place, PlanOptions, PointChoice};
use relight::systems::{Marker, SYSTEMS};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, mkdirat, mknodat, openat, renameat_with,
    unlinkat,
};

/// Deeper than any path can be written.
pub(crate) const DEEP: usize = 3000;

/// What must never be read.
pub(crate) const CANARY: &str = "canary-4b1d";

/// Ways out of a folder, as foreign files might spell them.
pub(crate) const WAYS_OUT: &[&str] = &[
    "..",
    "../beside",
    "../../etc/passwd",
    "sub/../../beside",
    "sub/..",
    "sub/./../..",
    "/",
    "//",
    "/etc/passwd",
    "//etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd",
    "~",
    "~/x",
    "~root/x",
    "C:x",
    "c:\\x",
    "\\\\host\\x",
    "..\\beside",
    "a\\..\\..\\beside",
    "out/secret",
    "out",
    "out/../beside",
    "up/beside",
    "up",
    "up/root/sub",
    "sub/top/etc/passwd",
    "sub/top",
    ".git/config",
    ".GIT/config",
    "sub/.git",
    "git~1/config",
    ".git./config",
    ".git /config",
    "a\0b",
    "\0",
    "sub\0/../..",
    "",
    ".",
    "./.",
    "...",
    ".. ",
    "..\u{200b}",
    "%2e%2e/beside",
    "file:///etc/passwd",
    "$HOME",
    "`id`",
    "$(id)",
    "-rf",
    "\u{202e}tap",
];

/// Names that some file system takes for `.git`.
pub(crate) const GIT_NAMES: &[&str] = &[
    ".git",
    ".GIT",
    ".Git",
    ".gIt",
    "git~1",
    "GIT~1",
    "Git~1",
    ".git.",
    ".git..",
    ".git ",
    ".git . ",
    ".git::$INDEX_ALLOCATION",
    ".git:stream",
    ".GIT::$DATA",
    ".git\u{200c}",
    ".g\u{200d}it",
    ".gi\u{200e}t",
    "\u{feff}.git",
    ".\u{202e}git",
    ".git\u{206a}",
    ".g\u{200f}i\u{202a}t",
    "git~1 ",
];

/// What may lie where a state file is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Pipe,
    Socket,
    Folder,
    LinkOut,
    LinkToItself,
    LinkNowhere,
    LinkToDevice,
    Sparse(u64),
    Empty,
    Noise,
    Nested,
}

/// One of each.
pub(crate) fn every_thing() -> Vec<Kind> {
    vec![
        Kind::Pipe,
        Kind::Socket,
        Kind::Folder,
        Kind::LinkOut,
        Kind::LinkToItself,
        Kind::LinkNowhere,
        Kind::LinkToDevice,
        Kind::Sparse(5 << 30),
        Kind::Sparse(8 << 20),
        Kind::Empty,
        Kind::Noise,
        Kind::Nested,
    ]
}

/// A folder for hostile things, and one outside of it that holds the canary.
pub(crate) struct Thing {
    dir: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl Thing {
    pub(crate) fn new() -> Self {
        let outside = crate::support::temporary::directory();
        let canary = format!("{{\"workflow_id\": \"{CANARY}\", \"stages\": []}}\n");
        fs::write(outside.path().join("secret"), canary).unwrap();
        let dir = crate::support::temporary::directory();
        Self { dir, outside }
    }

    pub(crate) fn place(&self, name: &str) -> Place {
        Place::known(self.dir.path(), name).unwrap()
    }

    /// Puts a thing where another may have been.
    pub(crate) fn make(&self, name: &str, kind: Kind) -> Place {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            fs::remove_dir_all(&path).unwrap();
        } else if path.symlink_metadata().is_ok() {
            fs::remove_file(&path).unwrap();
        }
        match kind {
            Kind::Pipe => {
                mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            }
            Kind::Socket => drop(UnixListener::bind(short(&path)).unwrap()),
            Kind::Folder => fs::create_dir(&path).unwrap(),
            Kind::LinkOut => symlink(self.outside.path().join("secret"), &path).unwrap(),
            Kind::LinkToItself => symlink(path.file_name().unwrap(), &path).unwrap(),
            Kind::LinkNowhere => symlink("/nonexistent/x", &path).unwrap(),
            Kind::LinkToDevice => symlink("/dev/zero", &path).unwrap(),
            Kind::Sparse(size) => sparse(&path, size),
            Kind::Empty => fs::write(&path, "").unwrap(),
            Kind::Noise => {
                let noise: Vec<u8> = (0..40_000_u32)
                    .map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[1])
                    .collect();
                fs::write(&path, noise).unwrap();
            }
            Kind::Nested => fs::write(&path, "[{\"a\":".repeat(50_000)).unwrap(),
        }
        self.place(name)
    }
}

/// A socket's path may be no longer than 107 bytes: it is bound by way of the folder's descriptor.
fn short(path: &Path) -> PathBuf {
    use std::os::fd::IntoRawFd as _;
    let dir = File::open(path.parent().unwrap()).unwrap().into_raw_fd();
    Path::new("/proc/self/fd")
        .join(dir.to_string())
        .join(path.file_name().unwrap())
}

/// A file of a size that holds nothing.
pub(crate) fn sparse(path: &Path, size: u64) {
    File::create(path).unwrap().set_len(size).unwrap();
}

/// Folders of one name inside each other, deeper than a path can name.
pub(crate) fn deep(root: &Path, name: &str, depth: usize) {
    let open = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut at = openat(CWD, root, open, Mode::empty()).unwrap();
    for _ in 0..depth {
        mkdirat(&at, name, Mode::RWXU).unwrap();
        at = openat(&at, name, open, Mode::empty()).unwrap();
    }
}

/// Takes them away again: few libraries can.
pub(crate) fn remove_deep(root: &Path, name: &str, depth: usize) {
    let open = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut left = depth;
    while left > 0 {
        let mut at = openat(CWD, root, open, Mode::empty()).unwrap();
        let keep = left.saturating_sub(400);
        for _ in 0..keep {
            at = openat(&at, name, open, Mode::empty()).unwrap();
        }
        let mut line = vec![at];
        for _ in keep..left - 1 {
            let next = openat(line.last().unwrap(), name, open, Mode::empty()).unwrap();
            line.push(next);
        }
        for dir in line.iter().rev() {
            unlinkat(dir, name, AtFlags::REMOVEDIR).unwrap();
        }
        left = keep;
    }
}

/// Many empty files.
pub(crate) fn many(dir: &Path, count: usize) {
    for n in 0..count {
        File::create(dir.join(format!("{:x}", n.wrapping_mul(7_919)))).unwrap();
    }
}

/// Swaps two names in one step.
pub(crate) fn exchange(a: &Path, b: &Path) {
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
}

/// Runs something that must not wait. A hang fails the test instead of stopping the suite.
pub(crate) fn in_time<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || drop(done.send(work())));
    wait.recv_timeout(Duration::from_secs(60))
        .unwrap_or_else(|why| panic!("{what} did not end: {why}"))
}

/// Every name that some system looks for.
pub(crate) fn marker_names() -> BTreeSet<String> {
    let lists = SYSTEMS.iter().flat_map(|system| {
        [
            system.markers(),
            system.claude_markers(),
            system.temp_markers(),
        ]
    });
    lists
        .flatten()
        .filter_map(|marker| match marker {
            Marker::File(name) | Marker::Dir(name) => Some((*name).to_owned()),
            Marker::Prefix(name) => Some(format!("{name}1775430161")),
            Marker::Repository => None,
        })
        .collect()
}

/// A whole machine of hostile things: projects, Claude's folders and the temporary directory.
pub(crate) struct Scene {
    thing: Thing,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self {
            thing: Thing::new(),
        }
    }

    /// Puts a thing everywhere that systems look.
    pub(crate) fn make(&self, group: &str, name: &str, kind: Kind) {
        for place in [
            format!("projects/{group}/{name}"),
            format!("projects/{group}/.claude/{name}"),
            format!("home/.claude/projects/-p-{group}/memory/{name}"),
            format!("tmp/{group}-{name}"),
            format!("tmp/{name}-{group}"),
        ] {
            self.thing.make(&place, kind);
        }
    }

    /// Folders inside each other beyond the longest path, and links that go round.
    pub(crate) fn entangle(&self) {
        let projects = self.thing.dir.path().join("projects");
        deep(&projects, "d", DEEP);
        symlink("..", projects.join("up")).unwrap();
        symlink(".", projects.join("round")).unwrap();
    }

    /// Asks everything; gives all that was said.
    pub(crate) fn ask(self) -> String {
        in_time("the survey", move || {
            let said = self.answers();
            remove_deep(&self.thing.dir.path().join("projects"), "d", DEEP);
            said
        })
    }

    fn answers(&self) -> String {
        let root = self.thing.dir.path().canonicalize().unwrap();
        let mut world = FakeWorld::from("2026-04-08T15:00:00Z");
        world.places.home = Some(root.join("home"));
        world.places.claude = Some(root.join("home/.claude"));
        world.places.temp = vec![root.join("tmp")];
        world.places.uid = rustix::process::geteuid().as_raw();
        let engine = Engine::new(Box::new(world), Vec::new());
        let request = Request {
            paths: vec![root.clone()],
            cwd: root,
            all: true,
            ..Request::default()
        };
        let survey = engine.survey(&request, &|_| {}).unwrap();
        let mut said = format!("{survey:?}");
        for pipeline in &survey.pipelines {
            let dossier = engine.dossier(&pipeline.id).unwrap();
            for point in &dossier.points {
                let choice = PointChoice::Id(point.boundary.id.clone());
                let plan = engine.plan(&pipeline.id, &choice, &PlanOptions::default());
                write!(said, "{plan:?}").unwrap();
            }
            write!(said, "{:?}{:?}", dossier.pipeline, dossier.checks).unwrap();
        }
        said
    }
}
