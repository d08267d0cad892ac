//! What a failed agent may leave to lead a restore astray: links, hard links, a checkpoint store and a
//! repository that run programs when they are looked at. A canary tree outside stays
//! as it is, and nothing is executed.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::census;
use super::ground::{Ground, Ran};
use super::tally::Tally;
use super::{full, slice};

/// The project, the canary outside of it, and what would be made if something were executed.
struct Scene<'a> {
    ground: &'a Ground,
    project: PathBuf,
    outside: PathBuf,
    pwned: PathBuf,
    state: PathBuf,
}

impl<'a> Scene<'a> {
    fn new(ground: &'a Ground) -> Self {
        ground.reset();
        let outside = ground.beside("outside");
        drop(fs::remove_dir_all(&outside));
        fs::create_dir_all(outside.join("deep")).unwrap();
        for name in ["price.rs", "cache.rs", "lib.rs", "stock.rs", "deep/x"] {
            fs::write(outside.join(name), "canary").unwrap();
        }
        let state = ground.beside("state");
        drop(fs::remove_dir_all(&state));
        fs::create_dir_all(&state).unwrap();
        Self {
            ground,
            project: ground.root().join("projects/shop"),
            outside,
            pwned: ground.beside("PWNED"),
            state,
        }
    }

    /// The folder of the shop's checkpoints.
    fn store(&self) -> PathBuf {
        let claude = self.ground.root().join("home/.claude/projects");
        let dirs = fs::read_dir(claude).unwrap().flatten();
        let dirs = dirs.filter(|dir| dir.file_name().to_string_lossy().ends_with("-shop"));
        let stores = dirs.filter_map(|dir| fs::read_dir(dir.path().join("checkpoints")).ok());
        let mut stores = stores.flatten().flatten().map(|store| store.path());
        stores.find(|store| store.join("objects").is_dir()).unwrap()
    }

    fn append(path: &Path, text: &str) {
        let old = fs::read_to_string(path).unwrap_or_default();
        fs::write(path, old + text).unwrap();
    }

    fn hook(&self, dir: &Path, name: &str) {
        let hooks = dir.join("hooks");
        fs::create_dir_all(&hooks).unwrap();
        let path = hooks.join(name);
        fs::write(
            &path,
            format!("#!/bin/sh\ntouch {}\n", self.pwned.display()),
        )
        .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Configuration that runs a program whenever git looks at files.
    fn arm(&self, git: &Path) {
        let touch = format!("touch {}", self.pwned.display());
        let text = format!(
            "[core]\n\tfsmonitor = {touch}\n\tsshCommand = {touch}\n\teditor = {touch}\n\tpager = {touch}\n\
             [filter \"evil\"]\n\tclean = {touch}\n\tsmudge = {touch}\n\tprocess = {touch}\n\trequired = true\n\
             [diff \"evil\"]\n\ttextconv = {touch}\n\tcommand = {touch}\n"
        );
        Self::append(&git.join("config"), &text);
        fs::create_dir_all(git.join("info")).unwrap();
        fs::write(git.join("info/attributes"), "* filter=evil diff=evil\n").unwrap();
        for hook in [
            "post-checkout",
            "pre-commit",
            "reference-transaction",
            "post-index-change",
        ] {
            self.hook(git, hook);
        }
    }
}

/// Every hostile thing, and whether the plan is refused for it, where that is certain.
type Arm = fn(&Scene<'_>);

const THINGS: &[(&str, Arm)] = &[
    ("a directory is a link to the outside", |scene| {
        fs::rename(scene.project.join("src"), scene.project.join("old")).unwrap();
        symlink(&scene.outside, scene.project.join("src")).unwrap();
    }),
    ("a directory is a link upwards", |scene| {
        fs::rename(scene.project.join("src"), scene.project.join("old")).unwrap();
        symlink("../../../outside", scene.project.join("src")).unwrap();
    }),
    ("a file is a link to the outside", |scene| {
        let file = scene.project.join("src/price.rs");
        fs::remove_file(&file).unwrap();
        symlink(scene.outside.join("price.rs"), &file).unwrap();
    }),
    ("a file has a name outside", |scene| {
        let file = scene.project.join("src/price.rs");
        fs::remove_file(&file).unwrap();
        fs::hard_link(scene.outside.join("price.rs"), &file).unwrap();
    }),
    ("a link is where a directory will be made", |scene| {
        let docs = scene.project.join("docs");
        if docs.is_dir() {
            fs::rename(&docs, scene.project.join("old-docs")).unwrap();
        }
        symlink(&scene.outside, &docs).unwrap();
    }),
    ("the store runs programs", |scene| scene.arm(&scene.store())),
    ("the store has a work tree elsewhere", |scene| {
        let text = format!("[core]\n\tworktree = {}\n", scene.outside.display());
        Scene::append(&scene.store().join("config"), &text);
    }),
    ("the store includes configuration from outside", |scene| {
        let evil = scene.outside.join("evil.config");
        fs::write(
            &evil,
            format!("[core]\n\tworktree = {}\n", scene.outside.display()),
        )
        .unwrap();
        let text = format!("[include]\n\tpath = {}\n", evil.display());
        Scene::append(&scene.store().join("config"), &text);
    }),
    ("the store takes objects from outside", |scene| {
        let info = scene.store().join("objects/info");
        fs::create_dir_all(&info).unwrap();
        let text = format!("{}\n", scene.outside.display());
        fs::write(info.join("alternates"), text).unwrap();
    }),
    ("the repository runs programs", |scene| {
        scene.arm(&scene.project.join(".git"));
    }),
    ("attributes in the tree run programs", |scene| {
        scene.arm(&scene.project.join(".git"));
        fs::write(
            scene.project.join(".gitattributes"),
            "* filter=evil diff=evil\n",
        )
        .unwrap();
    }),
    ("the repository has a work tree elsewhere", |scene| {
        let text = format!("[core]\n\tworktree = {}\n", scene.outside.display());
        Scene::append(&scene.project.join(".git/config"), &text);
    }),
    ("the git directory is another's", |scene| {
        let git = scene.project.join(".git");
        fs::rename(&git, scene.outside.join("their.git")).unwrap();
        let text = format!("gitdir: {}\n", scene.outside.join("their.git").display());
        fs::write(&git, text).unwrap();
    }),
    ("the git directory is a link", |scene| {
        let git = scene.project.join(".git");
        fs::rename(&git, scene.outside.join("their.git")).unwrap();
        symlink(scene.outside.join("their.git"), &git).unwrap();
    }),
    ("the index is a link", |scene| {
        let index = scene.project.join(".git/index");
        fs::rename(&index, scene.outside.join("index")).unwrap();
        symlink(scene.outside.join("index"), &index).unwrap();
    }),
    ("a pipe is where a file will be", |scene| {
        let file = scene.project.join("src/stock.rs");
        fs::remove_file(&file).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &file,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
    }),
    ("a file that others may run as its owner", |scene| {
        let file = scene.project.join("src/price.rs");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o4755)).unwrap();
    }),
    ("the state directory is a link to the outside", |scene| {
        let local = scene.ground.root().join("home/.local");
        fs::create_dir_all(&local).unwrap();
        drop(fs::remove_dir_all(local.join("state")));
        symlink(&scene.state, local.join("state")).unwrap();
    }),
    (
        "relight's own directory is a link to the outside",
        |scene| {
            let state = scene.ground.root().join("home/.local/state");
            fs::create_dir_all(&state).unwrap();
            symlink(&scene.outside, state.join("relight")).unwrap();
        },
    ),
    ("a log is a link to the outside", |scene| {
        let log = scene
            .ground
            .root()
            .join("projects/science/polymer-ring/progress.log");
        drop(fs::remove_file(&log));
        symlink(scene.outside.join("price.rs"), &log).unwrap();
    }),
];

#[test]
fn nothing_hostile_reaches_outside_or_is_executed() {
    let ground = Ground::new();
    let mut codes = std::collections::BTreeMap::new();
    let cases: Vec<_> = THINGS
        .iter()
        .flat_map(|thing| [(thing, true), (thing, false)])
        .collect();
    let cases = slice(cases, 9);
    let count = cases.len();
    for ((name, arm), exact) in cases {
        let scene = Scene::new(&ground);
        arm(&scene);
        let canary = census::take(&scene.outside, &canary_only);
        let before = ground.everything();
        let id = ground.crucible();
        let mut args = vec![
            "resume",
            &id,
            "phase-2",
            "--yes",
            "--json",
            "--assume-stopped",
        ];
        if exact {
            args.push("--exact");
        }
        let mut ran: Vec<Ran> = vec![ground.run("shop", &args)];
        let skip = [
            "resume",
            "superscientist-polymer",
            "stage-2:skip",
            "--yes",
            "--json",
        ];
        ran.push(ground.run("science/polymer-ring", &skip));
        *codes.entry(ran[0].code).or_insert(0) += 1;
        if full() {
            ran.push(ground.run("shop", &["undo", "--yes", "--json"]));
        }
        ran.push(ground.run("shop", &["recover", "--assume-stopped", "--yes", "--json"]));
        let case = format!("{name}, exact {exact}: {ran:#?}");
        for one in &ran {
            assert!(matches!(one.code, 0..=7), "{case}");
        }
        assert!(!scene.pwned.exists(), "{case}: something was executed");
        let now = census::take(&scene.outside, &canary_only);
        assert_eq!(canary, now, "{case}: the canary changed");
        let all = ground.everything();
        let all = all
            .into_iter()
            .chain(census::take(&scene.outside, &|_| true));
        let all = all.chain(census::take(&scene.state, &|_| true));
        let gone = census::lost(&before, &all.collect());
        assert!(gone.is_empty(), "{case}: lost {gone:?}");
        let setuid = all_modes(&ground).into_iter().find(|(path, mode)| {
            mode & 0o6000 != 0 && !path.ends_with("price.rs") && !path.starts_with(kept(&ground))
        });
        assert_eq!(setuid, None, "{case}");
    }
    println!("hostile: Figures {count} scenes, exit codes {codes:?}");
    Tally::new("hostile scenes").add(count);
}

/// What git may change in a directory that it was told to use is not the canary's.
fn canary_only(path: &Path) -> bool {
    !path.to_string_lossy().contains("their.git")
}

fn kept(ground: &Ground) -> PathBuf {
    ground.root().join("home/.local")
}

fn all_modes(ground: &Ground) -> Vec<(PathBuf, u32)> {
    let tree = ground.everything();
    let mode = |path: &PathBuf| fs::symlink_metadata(path).map(|meta| (path.clone(), meta.mode()));
    tree.keys().filter_map(|path| mode(path).ok()).collect()
}
