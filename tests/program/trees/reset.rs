//! A worktree put back to a commit, with index and branch: after it git says that it is clean,
//! after undo nothing is otherwise than it was.

use std::fs;
use std::path::{Path, PathBuf};

use relight::model::{PipelineId, Plan, PlanOptions, PointChoice, PointId, RestoreMode};

use super::kit::{Sandbox, git, tree};

/// A nine-step worktree with a commit since its phase, and every kind of uncommitted work in it.
struct World {
    sandbox: Sandbox,
    top: PathBuf,
    id: PipelineId,
    /// The commit of phase 1.
    phase: String,
}

impl World {
    fn build() -> Self {
        let sandbox = Sandbox::build();
        let top = sandbox.root.join("projects/trader/.worktree/csv-export");
        let phase = git(&top, &[], &["rev-parse", "HEAD"]).trim().to_owned();
        let info = sandbox.root.join("projects/trader/.git/info");
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("exclude"), "*.log\n").unwrap();
        fs::create_dir_all(top.join("later/deep")).unwrap();
        fs::write(top.join("later/deep/mod.py"), "later").unwrap();
        fs::write(top.join("kept.py"), "base").unwrap();
        git(&top, &[], &["add", "."]);
        git(&top, &[], &["commit", "-qm", "Later work"]);
        fs::write(top.join("later/deep/mod.py"), "later, changed").unwrap();
        fs::write(top.join("app/csv.py"), "changed").unwrap();
        fs::write(top.join("app/staged.py"), "staged").unwrap();
        git(&top, &[], &["add", "app/staged.py"]);
        fs::write(top.join("notes.txt"), "untracked").unwrap();
        fs::create_dir_all(top.join("new")).unwrap();
        fs::write(top.join("new/a"), "a").unwrap();
        fs::write(top.join("x.log"), "ignored").unwrap();
        let id = sandbox
            .pipeline(|p| p.id.0.starts_with("nine-step-csv-export"))
            .id;
        Self {
            sandbox,
            top,
            id,
            phase,
        }
    }

    fn plan(&self, mode: RestoreMode) -> Plan {
        let options = PlanOptions {
            mode,
            assume_stopped: true,
            ..PlanOptions::default()
        };
        let choice = PointChoice::Id(PointId("phase-1-commit".to_owned()));
        let plan = self.sandbox.engine.plan(&self.id, &choice, &options);
        plan.unwrap()
    }

    fn git(&self, args: &[&str]) -> String {
        git(&self.top, &[], args)
    }

    fn status(&self) -> String {
        self.git(&["status", "--porcelain", "-uall"])
    }

    fn index(&self) -> Vec<u8> {
        let own = self.git(&["rev-parse", "--git-path", "index"]);
        fs::read(self.top.join(own.trim())).unwrap()
    }
}

fn rows(plan: &Plan) -> Vec<String> {
    let mut actions = plan.actions.iter();
    let reset = actions.find(|a| a.kind.word() == "reset_worktree");
    let paths = reset.unwrap().paths.iter();
    paths
        .map(|path| format!("{} {}", path.path.lossy(), path.change.word()))
        .collect()
}

const GOES: [&str; 5] = [
    "app/csv.py write",
    "kept.py remove",
    "later remove",
    "later/deep remove",
    "later/deep/mod.py remove",
];

#[test]
fn a_reset_keeps_what_git_does_not_track_and_undo_brings_index_and_branch_back() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    let before = (
        tree(&world.top),
        world.status(),
        world.git(&["rev-parse", "HEAD"]),
    );
    let staged = world.git(&["diff", "--cached", "--name-status"]);
    let untracked = ["app/staged.py", "new/a", "notes.txt"];
    for mode in [RestoreMode::Overlay, RestoreMode::Exact] {
        let exact = mode == RestoreMode::Exact;
        let plan = world.plan(mode);
        let what = if exact { "remove" } else { "keep_newer" };
        let mut want: Vec<String> = GOES.iter().map(|row| (*row).to_owned()).collect();
        want.extend(untracked.iter().map(|path| format!("{path} {what}")));
        want.extend(exact.then(|| "new remove".to_owned()));
        want.sort();
        assert_eq!(rows(&plan), want, "{mode:?}");
        assert!(plan.destructive);
        let losses = plan.losses.iter().map(|loss| loss.lossy().into_owned());
        let taken: String = losses.filter(|loss| loss.contains("Uncommitted")).collect();
        assert!(
            taken.contains("app/csv.py") && taken.contains("later/deep/mod.py"),
            "{taken}"
        );
        // Looking at a status may write the index, so it is taken last.
        let index = world.index();
        let recovery = world.sandbox.carry_out(&plan);
        let left = untracked.iter().filter(|_| !exact);
        let left: Vec<String> = left.map(|path| format!("?? {path}\n")).collect();
        let left = left.concat();
        assert_eq!(world.status(), left, "{mode:?}");
        assert_eq!(world.git(&["rev-parse", "HEAD"]).trim(), world.phase);
        let branch = world.git(&["symbolic-ref", "HEAD"]);
        assert_eq!(branch, "refs/heads/feature/csv-export\n");
        world.git(&["fsck", "--strict"]);
        assert!(
            world.top.join("x.log").exists(),
            "ignored files are never touched"
        );
        assert!(!world.top.join("later").exists());
        world.sandbox.undo(&recovery);
        assert_eq!(tree(&world.top), before.0, "{mode:?}");
        assert_eq!(world.index(), index, "{mode:?}");
        assert_eq!(world.git(&["rev-parse", "HEAD"]), before.2);
        assert_eq!(world.status(), before.1);
        assert_eq!(world.git(&["diff", "--cached", "--name-status"]), staged);
    }
}

#[test]
fn work_that_is_only_staged_is_a_reset_too() {
    if !crate::judge::git_is_there() {
        return;
    }
    let sandbox = Sandbox::build();
    let top = sandbox.root.join("projects/trader/.worktree/csv-export");
    git(&top, &[], &["rm", "-q", "--cached", "app/csv.py"]);
    let staged = git(&top, &[], &["status", "--porcelain"]);
    let id = sandbox.pipeline(|p| p.id.0.starts_with("nine-step-csv-export"));
    let options = PlanOptions {
        assume_stopped: true,
        ..PlanOptions::default()
    };
    let choice = PointChoice::Id(PointId("phase-1-commit".to_owned()));
    let plan = sandbox.engine.plan(&id.id, &choice, &options).unwrap();
    assert_eq!(rows(&plan), [""; 0]);
    let recovery = sandbox.carry_out(&plan);
    assert_eq!(git(&top, &[], &["status", "--porcelain"]), "");
    sandbox.undo(&recovery);
    assert_eq!(git(&top, &[], &["status", "--porcelain"]), staged);
}

/// Something about a worktree that a reset would not survive.
type Trouble = fn(&Path);

#[test]
fn a_reset_is_refused_where_more_than_the_commit_would_be_lost() {
    if !crate::judge::git_is_there() {
        return;
    }
    let table: &[(&str, &str, Trouble)] = &[
        ("index", "sparse", |top| {
            git(top, &[], &["sparse-checkout", "set", "app"]);
        }),
        ("index", "split", |top| {
            git(top, &[], &["update-index", "--split-index"]);
        }),
        ("worktrees", "another", |top| {
            let other = top.join("../another");
            let other = other.to_str().unwrap();
            let add = [
                "worktree",
                "add",
                "-q",
                "--force",
                other,
                "feature/csv-export",
            ];
            git(top, &[], &add);
        }),
        ("index_lock", "index.lock", |top| {
            let own = git(top, &[], &["rev-parse", "--git-dir"]);
            fs::write(Path::new(own.trim()).join("index.lock"), "").unwrap();
        }),
        ("git_state", "merge", |top| {
            let own = git(top, &[], &["rev-parse", "--git-dir"]);
            let head = git(top, &[], &["rev-parse", "HEAD"]);
            fs::write(Path::new(own.trim()).join("MERGE_HEAD"), head).unwrap();
        }),
        ("git_state", "1 path has unresolved conflicts", |top| {
            git(top, &[], &["stash", "-q"]);
            fs::write(top.join("app/csv.py"), "other").unwrap();
            git(top, &[], &["commit", "-qam", "Other"]);
            let mut pop = std::process::Command::new("git");
            let pop = pop.args(["stash", "pop"]).current_dir(top).output();
            assert!(!pop.unwrap().status.success());
        }),
    ];
    for (id, word, trouble) in table {
        let world = World::build();
        trouble(&world.top);
        let plan = world.plan(RestoreMode::Overlay);
        let mut guards = plan.guards.iter();
        let guard = guards.find(|guard| guard.id == *id && !guard.holds);
        let guard = guard.unwrap_or_else(|| panic!("{id}: {:?}", plan.guards));
        assert!(guard.text.lossy().contains(word), "{id}: {guard:?}");
        let before = tree(&world.top);
        let consent = relight::apply::Consent::yes(&plan);
        let tried =
            world
                .sandbox
                .engine
                .apply(&plan, &consent, &|_| {}, &relight::model::Cancel::new());
        assert!(tried.is_err(), "{id}");
        assert_eq!(tree(&world.top), before, "{id}");
    }
}

#[test]
fn an_index_that_git_wrote_anew_with_the_same_entries_is_not_called_changed() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    let recovery = world.sandbox.carry_out(&world.plan(RestoreMode::Overlay));
    let losses = |recovery: &str| {
        let options = relight::model::UndoOptions {
            assume_stopped: true,
            ..relight::model::UndoOptions::default()
        };
        let (engine, request) = (&world.sandbox.engine, &world.sandbox.request);
        let undo = engine.undo_plan(Some(recovery), false, &options, request);
        let losses = undo.unwrap().losses;
        losses
            .iter()
            .map(|loss| loss.lossy().into_owned())
            .collect::<String>()
    };
    let index = world.index();
    world.git(&["update-index", "-q", "--refresh"]);
    assert_ne!(world.index(), index, "git wrote it anew");
    let said = losses(&recovery);
    assert!(!said.contains("Changed after"), "{said}");
    // The index that an undo puts back is that of no commit.
    let undo = world.sandbox.undo(&recovery);
    let index = world.index();
    let readme = fs::File::open(world.top.join("README.md"));
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    readme.unwrap().set_modified(long_ago).unwrap();
    world.git(&["update-index", "-q", "--refresh"]);
    assert_ne!(world.index(), index, "git wrote it anew");
    let said = losses(&undo);
    assert!(!said.contains("Changed after"), "{said}");
    world.git(&["add", "notes.txt"]);
    let said = losses(&undo);
    assert!(said.contains("/index"), "{said}");
}
