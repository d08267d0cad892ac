//! Branches, indexes and worktrees that were put back, and git's own opinion of them.

use crate::support::case::Fixture;
use std::fs;
use std::path::{Path, PathBuf};

use relight::engine::Engine;
use relight::model::{Plan, PlanOptions, PointChoice, RecoveryId, RestoreMode};

use super::git;
use super::picture;
use super::project::{Project, carry, options};

/// Everything that no reference holds goes, whatever reflogs say.
pub(crate) fn collect_garbage(at: &Path) {
    git::run(at, &["reflog", "expire", "--expire=now", "--all"]);
    git::run(at, &["gc", "-q", "--prune=now"]);
}

/// A conference whose researchers have worktrees; B's is half done.
pub(crate) struct Conference {
    pub(crate) project: Project,
    pub(crate) worktree: PathBuf,
}

impl Conference {
    /// The worktree of B at this place.
    pub(crate) fn new(project: Project, worktree: &Path) -> Self {
        project.write(".gitignore", "/conf/\n/worktrees/\n");
        project.write("src/parser.rs", "fn main() {}\n");
        project.commit("init", "2031-03-01T07:00:00Z");
        git::run(&project.root, &["branch", "conference/best"]);
        let b = worktree.to_str().unwrap();
        for (branch, at) in [
            ("conference/researcher-A", "worktrees/A"),
            ("conference/researcher-B", b),
        ] {
            let args = ["worktree", "add", "-q", "-b", branch, at];
            git::run(&project.root, &args);
        }
        fs::write(worktree.join("src/parser.rs"), "fn main() { b() }\n").unwrap();
        git::run(worktree, &["commit", "-qam", "kept: arena"]);
        let fixture = Fixture {
            name: "worktrees".to_owned(),
            dir: Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/autoconference/worktrees"),
        };
        fs::create_dir_all(project.path("conf")).unwrap();
        for tree in fixture.trees().unwrap_or_else(|why| panic!("{}", why.0)) {
            for entry in fs::read_dir(tree.join("proj/conf")).into_iter().flatten() {
                let entry = entry.unwrap();
                let to = project.path("conf").join(entry.file_name());
                fs::copy(entry.path(), to).unwrap();
            }
        }
        Self {
            project,
            worktree: worktree.to_owned(),
        }
    }

    /// Half-made work: one version staged, another on disk, a third that git does not track.
    pub(crate) fn half_done(&self) {
        let parser = self.worktree.join("src/parser.rs");
        fs::write(&parser, "fn main() { staged() }\n").unwrap();
        git::run(&self.worktree, &["add", "src/parser.rs"]);
        fs::write(&parser, "fn main() { half\n").unwrap();
        fs::write(self.worktree.join("notes.txt"), "scratch\n").unwrap();
    }

    /// The plan of the point that is recommended.
    pub(crate) fn plan(&self, engine: &Engine) -> Plan {
        let request = relight::engine::Request {
            paths: vec![self.project.path("conf")],
            ..self.project.request()
        };
        let survey = engine.survey(&request, &|_| {}).unwrap();
        let found = survey
            .pipelines
            .iter()
            .find(|p| p.reading.system.0 == "autoconference");
        let id = &found.unwrap_or_else(|| panic!("{survey:?}")).id;
        let options = options(RestoreMode::Overlay);
        engine
            .plan(id, &PointChoice::Recommended, &options)
            .unwrap()
    }

    pub(crate) fn resume(&self) -> RecoveryId {
        let engine = self.project.engine();
        let plan = self.plan(&engine);
        let outcome = carry(&engine, &plan).unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
        outcome.recovery.unwrap().id
    }

    /// Where git keeps the worktree's index, and its bytes.
    fn index(&self) -> Vec<u8> {
        let dir = git::line(&self.worktree, &["rev-parse", "--absolute-git-dir"]);
        fs::read(Path::new(&dir).join("index")).unwrap()
    }
}

#[test]
fn a_researchers_worktree_is_clean_after_its_reset_and_as_before_after_undo() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let worktree = project.path("worktrees/B");
    let conference = Conference::new(project, &worktree);
    conference.half_done();
    let tip = git::line(&worktree, &["rev-parse", "HEAD"]);
    let (files, status) = (picture::take(&worktree), git::status(&worktree));
    let index = conference.index();
    let staged = git::run(&worktree, &["diff", "--cached"]);
    let recovery = conference.resume();
    assert_eq!(git::status(&worktree), "?? notes.txt\n");
    assert_eq!(git::line(&worktree, &["rev-parse", "HEAD"]), tip);
    let parser = fs::read_to_string(worktree.join("src/parser.rs")).unwrap();
    assert_eq!(parser, "fn main() { b() }\n");
    git::sound(&worktree);
    collect_garbage(&conference.project.root);
    conference.project.undo(Some(&recovery), false);
    let none = Vec::<String>::new();
    assert_eq!(
        picture::differences(&files, &picture::take(&worktree)),
        none
    );
    assert_eq!(git::status(&worktree), status);
    assert!(conference.index() == index, "the index has other bytes");
    git::sound(&worktree);
    assert_eq!(git::run(&worktree, &["diff", "--cached"]), staged);
}

/// A transaction of git holds an empty lock, for as long as it likes.
#[test]
fn the_lock_of_a_branch_that_git_holds_is_left_and_refuses() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    project.write("src/lib.rs", "first\n");
    project.commit("first", "2031-03-02T09:30:00Z");
    let id = project
        .shadow
        .snapshot("pre-wave-1", "2031-03-02T10:00:00Z");
    project.records();
    project.write("src/lib.rs", "second\n");
    project.commit("second", "2031-03-02T10:30:00Z");
    let branch = git::line(&project.root, &["symbolic-ref", "HEAD"]);
    let lock = project.path(format!(".git/{branch}.lock"));
    let rewind = PlanOptions {
        rewind_branch: true,
        ..options(RestoreMode::Exact)
    };
    let (engine, before) = (project.engine(), project.now());
    let plan = project.plan(&engine, &id, &rewind);
    fs::write(&lock, "").unwrap();
    let refused = carry(&engine, &plan).unwrap_err();
    assert!(lock.exists(), "{refused:?}");
    let plan = project.plan(&engine, &id, &rewind);
    let mut guards = plan.guards.iter().filter(|guard| guard.refuses());
    let said = guards.find(|guard| guard.id == "index_lock");
    let said = said.map(|guard| guard.text.lossy().into_owned());
    assert!(
        said.as_ref()
            .is_some_and(|said| said.contains(&format!("{branch}.lock"))),
        "{said:?}"
    );
    fs::remove_file(&lock).unwrap();
    before.same(&project.now());
}

#[test]
fn a_branch_that_was_put_back_leaves_its_old_tip_to_git_and_undo_returns_to_it() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    project.write("src/lib.rs", "first\n");
    project.write("old.rs", "goes later\n");
    let then = project.commit("first", "2031-03-02T09:30:00Z");
    let id = project
        .shadow
        .snapshot("pre-wave-1", "2031-03-02T10:00:00Z");
    project.records();
    project.write("src/lib.rs", "second\n");
    project.write("committed.rs", "came since\n");
    fs::remove_file(project.path("old.rs")).unwrap();
    let tip = project.commit("second", "2031-03-02T10:30:00Z");
    project.write("src/lib.rs", "half\n");
    project.write("untracked.rs", "half\n");
    let before = project.now();
    let rewind = PlanOptions {
        rewind_branch: true,
        ..options(RestoreMode::Exact)
    };
    let (_, outcome) = project.restore(&id, &rewind);
    let recovery = outcome.recovery.unwrap().id;
    assert_eq!(git::line(&project.root, &["rev-parse", "HEAD"]), then);
    assert_eq!(git::status(&project.root), "");
    git::sound(&project.root);
    let kept = [
        "for-each-ref",
        "--format=%(objectname)",
        "refs/relight/undo",
    ];
    let kept = git::line(&project.root, &kept);
    assert!(kept.lines().any(|id| id == tip), "{kept} {tip}");
    collect_garbage(&project.root);
    git::run(&project.root, &["cat-file", "-e", &tip]);
    let undo = project.undo(Some(&recovery), false);
    before.same(&project.now());
    git::sound(&project.root);
    // There once more: what undo put aside is as safe.
    collect_garbage(&project.root);
    project.undo(Some(&undo), true);
    assert_eq!(git::line(&project.root, &["rev-parse", "HEAD"]), then);
    assert_eq!(git::status(&project.root), "");
    git::sound(&project.root);
}

#[test]
fn a_reset_leaves_what_git_converts_as_git_wrote_it() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    for (name, value) in [
        ("core.autocrlf", "true"),
        ("filter.rot.clean", "tr a-z n-za-m"),
        ("filter.rot.smudge", "tr a-z n-za-m"),
    ] {
        git::run(&project.root, &["config", name, value]);
    }
    project.write(".gitattributes", "*.key filter=rot\n");
    project.write("still.txt", "one\r\ntwo\r\n");
    project.write("still.key", "secret\n");
    let worktree = project.path("worktrees/B");
    let conference = Conference::new(project, &worktree);
    conference.half_done();
    let parser = worktree.join("src/parser.rs");
    fs::write(&parser, "fn main() {\r\n  half\r\n").unwrap();
    let status = git::status(&worktree);
    let text = |name: &str| fs::read_to_string(worktree.join(name)).unwrap();
    let still = || (text("still.txt"), text("still.key"));
    let before = still();
    let recovery = conference.resume();
    assert_eq!(git::status(&worktree), "?? notes.txt\n");
    assert_eq!(git::line(&worktree, &["diff", "--stat"]), "");
    assert_eq!(still(), before);
    assert_eq!(text("src/parser.rs"), "fn main() { b() }\r\n");
    conference.project.undo(Some(&recovery), false);
    assert_eq!(git::status(&worktree), status);
}

#[test]
fn a_file_that_is_edited_after_the_plan_is_named_in_the_refusal() {
    if !git::is_there() {
        return;
    }
    let project = Project::new();
    let worktree = project.path("worktrees/B");
    let conference = Conference::new(project, &worktree);
    conference.half_done();
    let engine = conference.project.engine();
    let plan = conference.plan(&engine);
    fs::write(worktree.join("src/parser.rs"), "fn main() { edited }\n").unwrap();
    let refused = carry(&engine, &plan).unwrap_err().text.lossy().into_owned();
    assert!(
        refused.contains("src/parser.rs has changed since the plan was made"),
        "{refused}"
    );
}
