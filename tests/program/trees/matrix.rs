//! What stands where something of a checkpoint belongs: every kind of thing in the place of
//! every other, tracked, untracked and ignored. The plan lists all of it, carrying it out does that and no
//! more, and undo brings everything back. The git command line is the judge.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use relight::model::{PathChange, PipelineId, Plan, PlanOptions, PointChoice, RestoreMode};

use super::kit::{Sandbox, git, store_of, tree};

/// What is now, and what the checkpoint has.
const NOW: [&str; 4] = ["file", "dir", "link", "absent"];
const WANTED: [&str; 3] = ["file", "dir", "link"];
const STATUS: [&str; 3] = ["tracked", "untracked", "ignored"];

fn cells() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    NOW.into_iter()
        .flat_map(|now| WANTED.into_iter().map(move |wanted| (now, wanted)))
        .flat_map(|(now, wanted)| STATUS.into_iter().map(move |s| (now, wanted, s)))
}

fn name((now, wanted, status): (&str, &str, &str)) -> String {
    format!("{now}-{wanted}-{status}")
}

/// The rows of one cell. A restore cares about what git tracks no more than a checkpoint does.
fn expected(cell: (&str, &str, &str), exact: bool) -> Vec<String> {
    let (now, wanted, status) = cell;
    let ignored = status == "ignored";
    let mut rows: Vec<(&str, &str)> = match (now, wanted) {
        ("absent", "dir") => vec![("x/in", "create")],
        ("absent", _) => vec![("x", "create")],
        ("dir", "dir") if ignored => vec![("x/in", "create")],
        ("dir", "dir") if exact => vec![
            ("x/a", "remove"),
            ("x/d", "remove"),
            ("x/d/b", "remove"),
            ("x/in", "create"),
            ("x/u", "remove"),
        ],
        ("dir", "dir") => vec![
            ("x/a", "keep_newer"),
            ("x/d/b", "keep_newer"),
            ("x/in", "create"),
            ("x/u", "keep_newer"),
        ],
        ("dir", _) => {
            let beneath = if ignored {
                vec!["x/d", "x/e"]
            } else {
                vec!["x/d/b"]
            };
            let all = ["x/a", "x/i.log", "x/u"].into_iter().chain(beneath);
            let all = all.map(|path| (path, "remove"));
            std::iter::once(("x", "write")).chain(all).collect()
        }
        (_, "dir") => vec![("x", "remove"), ("x/in", "create")],
        _ => vec![("x", "write")],
    };
    rows.sort_unstable();
    rows.into_iter()
        .map(|(path, what)| format!("{path} {what}"))
        .collect()
}

fn make(dir: &Path, kind: &str, text: &str) {
    fs::create_dir_all(dir).unwrap();
    let x = dir.join("x");
    match kind {
        "file" => fs::write(x, text).unwrap(),
        "link" => symlink(text, x).unwrap(),
        "dir" if text == "wanted" => {
            fs::create_dir(&x).unwrap();
            fs::write(x.join("in"), "wanted").unwrap();
        }
        "dir" => {
            fs::create_dir_all(x.join("d")).unwrap();
            fs::create_dir_all(x.join("e")).unwrap();
            for (path, bytes) in [("a", "a"), ("d/b", "b"), ("u", "u"), ("i.log", "log")] {
                fs::write(x.join(path), bytes).unwrap();
            }
        }
        _ => {}
    }
}

fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::RWXU;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// The world of the table: a crucible project with one more checkpoint.
struct World {
    top: PathBuf,
    store: PathBuf,
    checkpoint: String,
    sandbox: Sandbox,
    id: PipelineId,
}

impl World {
    fn build() -> Self {
        let sandbox = Sandbox::build();
        let top = sandbox.root.join("projects/shop");
        let store = store_of(&sandbox.root.join("home/.claude/projects"));
        let mut rules = fs::read(top.join(".gitignore")).unwrap();
        rules.extend_from_slice(b"*-ignored/x\n");
        fs::write(top.join(".gitignore"), rules).unwrap();
        for cell in cells() {
            make(&top.join(name(cell)), cell.1, "wanted");
        }
        for special in ["blocked", "pipe", "piped"] {
            make(
                &top.join(special),
                if special == "piped" { "dir" } else { "file" },
                "wanted",
            );
        }
        let checkpoint = snapshot(&store, &top);
        for cell in cells() {
            fs::remove_dir_all(top.join(name(cell))).unwrap();
            make(&top.join(name(cell)), cell.0, "now");
            if cell.2 == "tracked" && cell.0 != "absent" {
                git(&top, &[], &["add", &format!("{}/x", name(cell))]);
            }
        }
        git(&top, &[], &["commit", "-qm", "What is now"]);
        Self::specials(&top);
        let own = |p: &relight::model::Pipeline| {
            p.reading.system.0 == "crucible" && p.reading.work_tree.as_deref() == Some(&*top)
        };
        let id = sandbox.pipeline(own).id;
        Self {
            top,
            store,
            checkpoint,
            sandbox,
            id,
        }
    }

    /// What is never moved, what no one may open, and folders that came since.
    fn specials(top: &Path) {
        fs::remove_file(top.join("blocked/x")).unwrap();
        fs::create_dir_all(top.join("blocked/x/sub/.git")).unwrap();
        fs::write(top.join("blocked/x/sub/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
        fs::write(top.join("blocked/x/own"), "own").unwrap();
        fs::remove_file(top.join("pipe/x")).unwrap();
        pipe(&top.join("pipe/x"));
        fs::remove_dir_all(top.join("piped/x")).unwrap();
        pipe(&top.join("piped/x"));
        fs::create_dir_all(top.join("since/deep/empty")).unwrap();
        fs::write(top.join("since/a"), "a").unwrap();
        fs::write(top.join("since/deep/b"), "b").unwrap();
        fs::create_dir_all(top.join("half")).unwrap();
        fs::write(top.join("half/new"), "n").unwrap();
        fs::write(top.join("half/kept.log"), "l").unwrap();
    }

    fn plan(&self, mode: RestoreMode, paths: &[&str]) -> Plan {
        let options = PlanOptions {
            mode,
            paths: paths.iter().map(PathBuf::from).collect(),
            assume_stopped: true,
            ..PlanOptions::default()
        };
        let choice = PointChoice::Checkpoint(self.checkpoint.clone());
        self.sandbox
            .engine
            .plan(&self.id, &choice, &options)
            .unwrap()
    }

    /// What git sees between the checkpoint and the work tree, from an index of its own.
    fn judged(&self) -> Vec<String> {
        let dir = crate::support::temporary::directory();
        let index = dir.path().join("index");
        let env = [
            ("GIT_DIR", &*self.store),
            ("GIT_WORK_TREE", &*self.top),
            ("GIT_INDEX_FILE", &*index),
        ];
        git(&self.top, &env, &["read-tree", &self.checkpoint]);
        let differ = git(
            &self.top,
            &env,
            &["diff", "--name-only", "--ignore-submodules"],
        );
        differ.lines().map(str::to_owned).collect()
    }
}

/// One more checkpoint, as crucible takes them; ignored files go in by force.
fn snapshot(store: &Path, top: &Path) -> String {
    let env = [("GIT_DIR", store), ("GIT_WORK_TREE", top)];
    let last: i64 = git(top, &env, &["log", "-1", "--format=%ct"])
        .trim()
        .parse()
        .unwrap();
    let date = format!("{} +0000", last + 60);
    let dated = [
        env[0],
        env[1],
        ("GIT_COMMITTER_DATE", Path::new(&date)),
        ("GIT_AUTHOR_DATE", Path::new(&date)),
    ];
    git(top, &env, &["add", "-A", "-f", "."]);
    let subject = "pre-cleanup-task-1 | 2026-04-08 10:00:00 | build";
    git(top, &dated, &["commit", "-qm", subject]);
    git(top, &env, &["rev-parse", "HEAD"]).trim().to_owned()
}

fn rows(plan: &Plan, folder: &str) -> Vec<String> {
    let paths = plan.actions.iter().flat_map(|action| &action.paths);
    let of_it = paths.filter_map(|path| {
        let rel = path.path.as_str().unwrap().strip_prefix(folder)?;
        let rel = rel.strip_prefix('/')?;
        Some(format!("{rel} {}", path.change.word()))
    });
    of_it.collect()
}

/// The top-most folders and files of a plan but one.
fn others<'a>(plan: &'a Plan, but: &str) -> Vec<&'a str> {
    let paths = plan.actions.iter().flat_map(|action| &action.paths);
    let tops = paths.filter_map(|path| path.path.as_str()?.split('/').next());
    let tops: std::collections::BTreeSet<&str> = tops.filter(|top| *top != but).collect();
    tops.into_iter().collect()
}

/// A path that changed or went must be listed, or lie beneath a row that takes it along.
fn unlisted(
    plan: &Plan,
    before: &BTreeMap<PathBuf, String>,
    after: &BTreeMap<PathBuf, String>,
) -> Vec<PathBuf> {
    let changes = |path: &Path| {
        let paths = plan.actions.iter().flat_map(|action| &action.paths);
        let of_it = paths.filter(|listed| {
            matches!(
                listed.change,
                PathChange::Write | PathChange::Create | PathChange::Remove
            )
        });
        let mut of_it = of_it.map(|listed| Path::new(listed.path.as_str().unwrap()));
        of_it.any(|listed| path.starts_with(listed))
    };
    let gone = before
        .iter()
        .filter(|(path, what)| after.get(*path) != Some(what));
    gone.map(|(path, _)| path.clone())
        .filter(|path| !changes(path))
        .collect()
}

#[test]
fn whatever_stands_in_the_place_of_something_else_is_listed_moved_and_brought_back() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    let before = tree(&world.top);
    for mode in [RestoreMode::Overlay, RestoreMode::Exact] {
        let exact = mode == RestoreMode::Exact;
        let plan = world.plan(mode, &[]);
        for cell in cells() {
            let name = name(cell);
            assert_eq!(rows(&plan, &name), expected(cell, exact), "{name} {mode:?}");
        }
        assert_eq!(rows(&plan, "pipe"), ["x write"]);
        assert_eq!(rows(&plan, "piped"), ["x remove", "x/in create"]);
        let blocked = rows(&plan, "blocked");
        let own = if exact {
            "x/own remove"
        } else {
            "x/own keep_newer"
        };
        assert_eq!(blocked, ["x not_covered", own, "x/sub not_covered"]);
        let since = if exact {
            vec!["a remove", "deep remove", "deep/b remove"]
        } else {
            vec!["a keep_newer", "deep/b keep_newer"]
        };
        assert_eq!(rows(&plan, "since"), since);
        let half = if exact {
            "new remove"
        } else {
            "new keep_newer"
        };
        assert_eq!(
            rows(&plan, "half"),
            [half],
            "an ignored file keeps its directory"
        );
        let first = plan.losses.iter().map(|loss| loss.lossy().into_owned());
        let first: Vec<String> = first.take(4).collect();
        assert!(first[0].contains("blocked/x"), "{first:?}");
        assert!(
            first[3].contains("has something else in its place"),
            "{first:?}"
        );

        // W5: what a nested repository hides refuses the plan for everything; the rest can be chosen.
        let failing = plan.guards.iter().filter(|guard| !guard.holds);
        let failing: Vec<&str> = failing.map(|guard| &*guard.id).collect();
        assert_eq!(failing, ["nested"], "{mode:?}");
        let plan = world.plan(mode, &others(&plan, "blocked"));
        let recovery = world.sandbox.carry_out(&plan);
        assert_eq!(world.judged(), ["blocked/x"], "{mode:?}");
        let after = tree(&world.top);
        assert_eq!(unlisted(&plan, &before, &after), Vec::<PathBuf>::new());
        assert_eq!(after.contains_key(Path::new("since")), !exact);
        assert!(after.contains_key(Path::new("half/kept.log")));
        world.sandbox.undo(&recovery);
        assert_eq!(tree(&world.top), before, "{mode:?} undone");
    }
}

#[test]
fn chosen_paths_take_what_is_in_their_way_and_nothing_else() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    let table: &[(&[&str], &[&str])] = &[
        (
            &["file-dir-untracked/x/in"],
            &[
                "file-dir-untracked/x remove",
                "file-dir-untracked/x/in create",
            ],
        ),
        (
            &["dir-file-untracked/x/a"],
            &["dir-file-untracked/x/a remove"],
        ),
        (
            &["./file-file-tracked/", "absent-dir-ignored/x"],
            &[
                "absent-dir-ignored/x/in create",
                "file-file-tracked/x write",
            ],
        ),
    ];
    for (paths, want) in table {
        let plan = world.plan(RestoreMode::Exact, paths);
        let listed = plan.actions.iter().flat_map(|action| &action.paths);
        let listed = listed.map(|path| format!("{} {}", path.path.lossy(), path.change.word()));
        assert_eq!(listed.collect::<Vec<String>>(), *want, "{paths:?}");
        assert!(plan.guards.iter().all(|guard| guard.holds), "{paths:?}");
    }
    let absolute = world.top.join("file-file-tracked/x");
    let plan = world.plan(RestoreMode::Overlay, &[absolute.to_str().unwrap()]);
    assert_eq!(rows(&plan, "file-file-tracked"), ["x write"]);
    for slip in ["nowhere", "file-file-tracked/y", "/elsewhere"] {
        let plan = world.plan(RestoreMode::Overlay, &["file-file-tracked", slip]);
        let guard = plan
            .guards
            .iter()
            .find(|guard| guard.id == "paths")
            .unwrap();
        assert!(!guard.holds);
        let text = guard.text.lossy();
        assert_eq!(text, format!("The checkpoint has no path under {slip}."));
    }
    let same = world.plan(RestoreMode::Overlay, &["src/lib.rs"]);
    assert!(same.actions.is_empty() && same.guards.iter().all(|guard| guard.holds));
}
