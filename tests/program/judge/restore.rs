//! A checkpoint restored over a tree with everything awkward in it, undone, redone.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use relight::model::{PathChange, RestoreMode};
use rustix::fs::{XattrFlags, lsetxattr};

use super::git;
use super::picture::{ATTRIBUTE, content_differences};
use super::project::{Moment, Project, options};

/// A name that fills a directory entry.
fn longest() -> String {
    "n".repeat(255)
}

/// Names that are unusual and that relight may write to.
fn odd() -> Vec<Vec<u8>> {
    let odd: [&[u8]; 7] = [
        b"caf\xe9",
        b"line\nbreak",
        b"-rf",
        b"tab\there \"quoted\" 'too'",
        "\u{65e5}\u{672c}\u{8a9e} \u{1f389}.txt".as_bytes(),
        b"esc\x1b[31m",
        b"READme",
    ];
    let mut odd: Vec<Vec<u8>> = odd.map(<[u8]>::to_vec).into();
    odd.push(longest().into_bytes());
    odd.push(b"readME".to_vec());
    odd
}

/// Names that mean another place elsewhere: relight leaves them as they are.
const ELSEWHERE: [&str; 3] = ["~x", "a\\b", "c:x"];

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn name(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// The tree at the time of the checkpoint, and the checkpoint.
fn checkpoint(project: &Project) -> String {
    project.write(".gitignore", "/target\n.env\n");
    project.write(".gitattributes", "*.bat text eol=crlf\n");
    project.write("src/main.rs", "fn main() {}\n");
    project.write("gone.txt", "comes back\n");
    project.write("deep/er/gone too.txt", "comes back with its directories\n");
    project.write("windows.txt", "one\r\ntwo\r\n");
    project.write("run.bat", "echo one\r\necho two\r\n");
    project.write("still.bat", "echo still\r\n");
    project.write("large.psd", LFS);
    project.write("empty", "");
    project.write("became-a-folder", "a file\n");
    project.write("became-a-file/inner", "in a directory\n");
    for (path, mode) in [("private", 0o600), ("tool.sh", 0o755), ("rights", 0o4755)] {
        project.write(path, format!("{path}, first\n"));
        set_mode(&project.path(path), mode);
    }
    for odd in odd() {
        project.write(name(&odd), "odd, first\n");
    }
    for elsewhere in ELSEWHERE {
        project.write(elsewhere, "elsewhere, first\n");
    }
    fs::write(project.base.join("canary"), "outside\n").unwrap();
    for (link, target) in LINKS {
        symlink(target, project.path(link)).unwrap();
    }
    project.write("sparse", "");
    let hole = fs::File::options().write(true).open(project.path("sparse"));
    hole.unwrap().set_len(3 << 20).unwrap();
    nested(project);
    project.commit("work", "2031-03-02T09:30:00Z");
    git::run(&project.root, &["config", "core.autocrlf", "true"]);
    project
        .shadow
        .snapshot("pre-wave-1", "2031-03-02T10:00:00Z")
}

const LFS: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

const LINKS: [(&str, &str); 4] = [
    ("inside", "src/main.rs"),
    ("outside", "../canary"),
    ("dangling", "nowhere/at/all"),
    ("was-a-link", "src/main.rs"),
];

/// A repository within, and a submodule.
fn nested(project: &Project) {
    let within = project.path("vendor/within");
    fs::create_dir_all(&within).unwrap();
    git::run(&within, &["init", "-q", "-b", "main"]);
    fs::write(within.join("own.txt"), "its own\n").unwrap();
    git::run(&within, &["add", "-A"]);
    git::run(&within, &["commit", "-q", "-m", "own"]);
    let source = project.base.join("library");
    fs::create_dir_all(&source).unwrap();
    git::run(&source, &["init", "-q", "-b", "main"]);
    fs::write(source.join("lib.txt"), "library\n").unwrap();
    git::run(&source, &["add", "-A"]);
    git::run(&source, &["commit", "-q", "-m", "library"]);
    let source = source.to_str().unwrap();
    let add = ["submodule", "--quiet", "add", source, "module"];
    let allow = ["-c", "protocol.file.allow=always"];
    git::run(&project.root, &[&allow[..], &add[..]].concat());
}

/// What the agent did afterwards.
fn since(project: &Project) {
    project.write("src/main.rs", "fn main() { panic!() }\n");
    project.write("windows.txt", "one\r\ntwo\r\nthree\r\n");
    project.write("run.bat", "echo other\r\n");
    project.write("large.psd", "not a pointer any more\n");
    project.write("empty", "no longer\n");
    for path in ["private", "tool.sh", "rights"] {
        project.write(path, format!("{path}, then\n"));
    }
    set_mode(&project.path("rights"), 0o4755);
    for odd in odd() {
        project.write(name(&odd), "odd, then\n");
    }
    for elsewhere in ELSEWHERE {
        project.write(elsewhere, "elsewhere, then\n");
    }
    fs::remove_file(project.path("gone.txt")).unwrap();
    fs::remove_dir_all(project.path("deep")).unwrap();
    fs::remove_file(project.path("became-a-folder")).unwrap();
    project.write("became-a-folder/new", "new\n");
    fs::remove_dir_all(project.path("became-a-file")).unwrap();
    project.write("became-a-file", "now a file\n");
    for (link, target) in [("inside", "gone.txt"), ("outside", "/etc/passwd")] {
        fs::remove_file(project.path(link)).unwrap();
        symlink(target, project.path(link)).unwrap();
    }
    fs::remove_file(project.path("dangling")).unwrap();
    fs::remove_file(project.path("was-a-link")).unwrap();
    project.write("was-a-link", "a file now\n");
    project.write("sparse", "dense\n");
    project.write("new.txt", "came since\n");
    project.write("newer/still/new.txt", "came since\n");
    project.write(".env", "SECRET=1\n");
    project.write("target/debug/out", "product\n");
    project.write("vendor/within/own.txt", "changed within\n");
    project.write("module/lib.txt", "changed in the module\n");
    fs::create_dir_all(project.path("empty-folder")).unwrap();
    // A file with another name outside, and one with an attribute of its own.
    let (file, peer) = (project.path("tool.sh"), project.base.join("peer"));
    fs::hard_link(file, peer).unwrap();
    let _ = lsetxattr(
        project.path("private"),
        ATTRIBUTE,
        b"kept",
        XattrFlags::empty(),
    );
}

/// Paths of a plan with a change.
fn with(plan: &relight::model::Plan, change: PathChange) -> BTreeSet<String> {
    let paths = plan.actions.iter().flat_map(|action| &action.paths);
    let found = paths.filter(|path| path.change == change);
    found.map(|path| path.path.lossy().into_owned()).collect()
}

/// What holds of the tree after either kind of restore.
fn restored(project: &Project, before: &Moment, at_checkpoint: &Path) {
    let after = project.now();
    let read =
        |path: &str| fs::read(project.path(path)).unwrap_or_else(|why| panic!("{path}: {why}"));
    for same in [
        "src/main.rs",
        "gone.txt",
        "deep/er/gone too.txt",
        "windows.txt",
        "run.bat",
        "still.bat",
        "large.psd",
        "empty",
        "became-a-folder",
        "became-a-file/inner",
        "private",
        "tool.sh",
        "rights",
        "sparse",
    ] {
        let wanted = fs::read(at_checkpoint.join(same)).unwrap();
        assert!(read(same) == wanted, "{same}");
    }
    for odd in odd() {
        assert_eq!(fs::read(project.path(name(&odd))).unwrap(), b"odd, first\n");
    }
    for (link, target) in LINKS {
        assert_eq!(
            fs::read_link(project.path(link)).unwrap(),
            Path::new(target)
        );
    }
    let mode = |path: &str| fs::symlink_metadata(project.path(path)).unwrap().mode() & 0o7777;
    assert_eq!(mode("private"), 0o600);
    assert_eq!(mode("tool.sh"), 0o755);
    assert_eq!(mode("rights"), 0o755, "rights of the owner were given");
    assert_eq!(mode("gone.txt"), 0o644);
    // Untouched: what the checkpoint does not cover, what means another place, what lies outside.
    for own in [
        "~x",
        "a\\b",
        "c:x",
        ".env",
        "target/debug/out",
        "vendor/within/own.txt",
        "module/lib.txt",
    ] {
        let own = Path::new(own);
        assert_eq!(
            before.files.get(own),
            after.files.get(own),
            "{}",
            own.display()
        );
    }
    assert_eq!(fs::read(project.base.join("canary")).unwrap(), b"outside\n");
    assert_eq!(
        fs::read(project.base.join("peer")).unwrap(),
        b"tool.sh, then\n"
    );
    let attribute = |moment: &Moment| {
        moment
            .files
            .get(Path::new("private"))
            .unwrap()
            .attribute
            .clone()
    };
    assert_eq!(attribute(before), attribute(&after));
    git::sound(&project.root);
    assert!(project.shadow.run(&["fsck", "--full"], "").status.success());
}

/// There, back, there and back again, each time to the very same files.
fn round(mode: RestoreMode, check: impl Fn(&Project, &relight::model::Plan, &Path)) {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let id = checkpoint(&project);
    project.records();
    let first = project.copy("first");
    since(&project);
    let copy = project.copy("before");
    let before = project.now();
    let (plan, outcome) = project.restore(&id, &options(mode));
    let elsewhere: BTreeSet<String> = ELSEWHERE.map(str::to_owned).into();
    assert!(with(&plan, PathChange::NotCovered).is_superset(&elsewhere));
    restored(&project, &before, &first);
    check(&project, &plan, &first);
    let after = project.now();
    let recovery = outcome.recovery.unwrap().id;
    let undo = project.undo(Some(&recovery), false);
    before.same(&project.now());
    assert_eq!(git::differing(&copy, &project.root), Vec::<String>::new());
    assert_eq!(
        content_differences(&super::picture::take(&copy), &before.files),
        Vec::<String>::new()
    );
    git::sound(&project.root);
    let redo = project.undo(Some(&undo), true);
    after.same(&project.now());
    project.undo(Some(&redo), false);
    before.same(&project.now());
}

/// What differs from the tree at the checkpoint after either kind of restore: what it does not cover, and what means
/// another place.
const NOT_RESTORED: [&str; 7] = [
    "A .env",
    "A target/debug/out",
    "M \"a\\\\b",
    "M c:x",
    "M module/lib.txt",
    "M vendor/within/own.txt",
    "M ~x",
];

/// `git diff --no-index` between the tree at the checkpoint and the tree now says exactly this.
fn differs(project: &Project, first: &Path, wanted: &[&str]) {
    let (first, now) = (
        format!("{}/", first.display()),
        format!("{}/", project.root.display()),
    );
    let said = git::differing(Path::new(&first), &project.root);
    let plain = said.iter().map(|line| {
        let line = line.replace(&first, "").replace(&now, "");
        line.replace('\t', " ").trim_end_matches('"').to_owned()
    });
    let wanted: BTreeSet<String> = wanted.iter().map(|&line| line.to_owned()).collect();
    assert_eq!(plain.collect::<BTreeSet<String>>(), wanted);
}

#[test]
fn an_overlay_puts_back_what_the_checkpoint_holds_and_undo_every_inode() {
    round(RestoreMode::Overlay, |project, plan, first| {
        let mut wanted = NOT_RESTORED.to_vec();
        wanted.extend(["A new.txt", "A newer/still/new.txt"]);
        differs(project, first, &wanted);
        assert!(project.path("empty-folder").is_dir());
        let kept = with(plan, PathChange::KeepNewer);
        assert!(
            kept.contains("new.txt") && kept.contains("newer/still/new.txt"),
            "{kept:?}"
        );
    });
}

#[test]
fn an_exact_restore_leaves_nothing_that_came_since_and_undo_brings_it_back() {
    round(RestoreMode::Exact, |project, plan, first| {
        differs(project, first, &NOT_RESTORED);
        assert!(!project.path("newer").exists());
        let removed = with(plan, PathChange::Remove);
        assert!(removed.contains("new.txt"), "{removed:?}");
    });
}
