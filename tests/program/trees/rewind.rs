//! Committed work since a checkpoint: it stays, or the branch goes back with the files.

use std::fs;
use std::path::{Path, PathBuf};

use relight::engine::{EngineError, ErrorKind};
use relight::model::{PipelineId, Plan, PlanOptions, PointChoice, PointId};

use super::kit::{Sandbox, git, tree};

struct World {
    sandbox: Sandbox,
    top: PathBuf,
    id: PipelineId,
}

impl World {
    fn build() -> Self {
        let sandbox = Sandbox::build();
        let top = sandbox.root.join("projects/shop");
        let own = |p: &relight::model::Pipeline| {
            p.reading.system.0 == "crucible" && p.reading.work_tree.as_deref() == Some(&*top)
        };
        let id = sandbox.pipeline(own).id;
        Self { sandbox, top, id }
    }

    fn try_plan(&self, point: &str, rewind_branch: bool) -> Result<Plan, EngineError> {
        let options = PlanOptions {
            assume_stopped: true,
            rewind_branch,
            ..PlanOptions::default()
        };
        let choice = PointChoice::Id(PointId(point.to_owned()));
        self.sandbox.engine.plan(&self.id, &choice, &options)
    }

    fn plan(&self, point: &str, rewind_branch: bool) -> Plan {
        self.try_plan(point, rewind_branch).unwrap()
    }

    fn git(&self, args: &[&str]) -> String {
        git(&self.top, &[], args).trim().to_owned()
    }

    fn time(&self, commit: &str) -> i64 {
        self.git(&["log", "-1", "--format=%ct", commit])
            .parse()
            .unwrap()
    }

    /// A commit with HEAD's files, made at a time.
    fn commit(&self, parents: &[&str], time: i64, subject: &str) -> String {
        let date = format!("@{time} +0000");
        let env = [
            ("GIT_COMMITTER_DATE", Path::new(&date)),
            ("GIT_AUTHOR_DATE", Path::new(&date)),
        ];
        let mut args = vec!["commit-tree", "-m", subject, "HEAD^{tree}"];
        args.extend(parents.iter().flat_map(|parent| ["-p", *parent]));
        git(&self.top, &env, &args).trim().to_owned()
    }

    fn move_branch(&self, commit: &str) {
        self.git(&["update-ref", "refs/heads/feat/price-cache", commit]);
    }
}

fn kinds(plan: &Plan) -> Vec<&'static str> {
    plan.actions
        .iter()
        .map(|action| action.kind.word())
        .collect()
}

fn told(plan: &Plan, what: &str) -> String {
    let losses = plan.losses.iter().map(|loss| loss.lossy().into_owned());
    losses.filter(|loss| loss.contains(what)).collect()
}

#[test]
fn commits_since_stay_and_are_counted_or_leave_and_stay_reachable() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    let tip = world.git(&["rev-parse", "HEAD"]);
    let then = world.git(&["rev-parse", "HEAD~2"]);
    let index = fs::read(world.top.join(".git/index")).unwrap();
    let before = tree(&world.top);

    let keeps = world.plan("wave-1", false);
    assert_eq!(kinds(&keeps), ["restore_tree"]);
    let text = told(&keeps, "2 commits of the project are newer");
    assert!(text.contains("the stock page asks"), "{:?}", keeps.losses);

    let plan = world.plan("wave-1", true);
    assert_eq!(kinds(&plan), ["restore_tree", "reset_worktree"]);
    assert_ne!(plan.fingerprint, keeps.fingerprint);
    let text = told(
        &plan,
        "2 commits are removed from the branch feat/price-cache",
    );
    assert!(text.contains("the stock page asks"), "{:?}", plan.losses);
    assert!(text.contains("refs/relight/undo/"), "{text}");
    let rewind = &plan.actions[1];
    assert!(rewind.paths.is_empty() && rewind.summary.lossy().contains(then.get(..8).unwrap()));

    let recovery = world.sandbox.carry_out(&plan);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), then);
    assert_eq!(
        world.git(&["symbolic-ref", "--short", "HEAD"]),
        "feat/price-cache"
    );
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
    let format = "--format=%(objectname)";
    assert_eq!(
        world.git(&["for-each-ref", format, "refs/relight/undo"]),
        tip
    );
    world.git(&["fsck", "--strict"]);
    world.sandbox.undo(&recovery);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), tip);
    assert_eq!(fs::read(world.top.join(".git/index")).unwrap(), index);
    assert_eq!(tree(&world.top), before);
}

#[test]
fn a_commit_that_came_in_by_a_later_merge_was_never_the_tip() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    let then = world.git(&["rev-parse", "HEAD~2"]);
    let side = world.commit(&[&then], world.time(&then) + 60, "Someone else's");
    let merge = world.commit(&["HEAD", &side], world.time("HEAD") + 60, "Merge");
    world.move_branch(&merge);
    let plan = world.plan("wave-1", true);
    let summary = plan.actions[1].summary.lossy();
    assert!(summary.contains(then.get(..8).unwrap()), "{summary}");
    assert_ne!(told(&plan, "4 commits are removed from the branch"), "");
}

#[test]
fn a_commit_of_1970_is_newer_than_what_it_follows_and_proves_nothing() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    let tip = world.commit(&["HEAD"], 60, "Before the clock was set");
    world.move_branch(&tip);
    let keeps = world.plan("wave-1", false);
    assert_ne!(told(&keeps, "3 commits of the project are newer"), "");
    let plan = world.plan("wave-1", true);
    let guard = plan.guards.iter().find(|guard| guard.id == "rewind");
    let said = guard.unwrap().text.lossy().into_owned();
    assert!(said.contains("“Before the clock was set” proves"), "{said}");
    let ahead = world.commit(&["HEAD~1"], world.time("HEAD~1") + 9_999_999, "Ahead");
    world.move_branch(&ahead);
    let keeps = world.plan("wave-1", false);
    assert_ne!(told(&keeps, "the newest “Ahead”"), "");
}

#[test]
fn nothing_is_rewound_where_nothing_came_since_and_refused_where_nothing_was_before() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    assert_eq!(kinds(&world.plan("wave-2", true)), ["restore_tree"]);
    let root = world.commit(&[], world.time("HEAD") + 60, "A new beginning");
    world.move_branch(&root);
    let plan = world.plan("wave-1", true);
    let mut guards = plan.guards.iter();
    assert!(!guards.find(|guard| guard.id == "rewind").unwrap().holds);
    assert_eq!(kinds(&plan), ["restore_tree"]);
    let keeps = world.plan("wave-1", false);
    assert_ne!(told(&keeps, "1 commit of the project is newer"), "");
}

#[test]
fn words_that_mean_nothing_here_are_a_mistake_and_not_ignored() {
    let world = World::build();
    let error = world.try_plan("disk", true).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    let with_branch = |branch: &str| {
        let options = PlanOptions {
            branch: Some(branch.to_owned()),
            ..PlanOptions::default()
        };
        let choice = PointChoice::Recommended;
        world.sandbox.engine.plan(&world.id, &choice, &options)
    };
    let error = with_branch("main").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert!(error.text.lossy().contains("feat/price-cache"), "{error}");
    assert!(with_branch("feat/price-cache").is_ok());
}

#[test]
fn every_checkpoint_of_files_can_be_restored_by_itself() {
    if !crate::judge::git_is_there() {
        return;
    }
    let sandbox = Sandbox::build();
    let survey = sandbox.engine.survey(&sandbox.request, &|_| {}).unwrap();
    let mut restored = 0;
    for pipeline in &survey.pipelines {
        let Ok(dossier) = sandbox.engine.dossier(&pipeline.id) else {
            continue;
        };
        for checkpoint in &dossier.checkpoints {
            let options = PlanOptions {
                assume_stopped: true,
                ..PlanOptions::default()
            };
            let choice = PointChoice::Checkpoint(checkpoint.id.clone());
            let plan = match sandbox.engine.plan(&pipeline.id, &choice, &options) {
                Ok(plan) => plan,
                Err(e) if e.kind == ErrorKind::NothingToDo => continue,
                Err(e) => {
                    let known = matches!(e.kind, ErrorKind::Usage | ErrorKind::Refused);
                    assert!(known && !e.hints.is_empty(), "{} {e}", pipeline.id);
                    continue;
                }
            };
            let only_files = kinds(&plan).iter().all(|kind| *kind == "restore_tree");
            assert!(only_files, "{} {:?}", pipeline.id, checkpoint.reason);
            if plan.actions.is_empty() || plan.guards.iter().any(|guard| !guard.holds) {
                continue;
            }
            let target = plan.actions[0].target.clone();
            let before = tree(&target);
            let head = git(&target, &[], &["rev-parse", "HEAD"]);
            let recovery = sandbox.carry_out(&plan);
            assert_ne!(tree(&target), before);
            assert_eq!(git(&target, &[], &["rev-parse", "HEAD"]), head);
            sandbox.undo(&recovery);
            assert_eq!(tree(&target), before);
            restored += 1;
        }
    }
    assert!(restored >= 4, "{restored}");
}

#[test]
fn only_commits_that_the_upstream_has_were_pushed() {
    if !crate::judge::git_is_there() {
        return;
    }
    let world = World::build();
    let [tip, middle, then] = ["HEAD", "HEAD~1", "HEAD~2"].map(|at| world.git(&["rev-parse", at]));
    let side = world.commit(&[&then], world.time(&then) + 60, "Someone else's");
    world.git(&["remote", "add", "origin", "."]);
    world.git(&["config", "branch.feat/price-cache.remote", "origin"]);
    let merge = "branch.feat/price-cache.merge";
    world.git(&["config", merge, "refs/heads/feat/price-cache"]);
    for (theirs, expected) in [
        (then, ""),
        (side, ""),
        (middle, "1 of them was pushed: "),
        (tip, "They were pushed: "),
    ] {
        let remote = "refs/remotes/origin/feat/price-cache";
        world.git(&["update-ref", remote, &theirs]);
        let said = told(&world.plan("wave-1", true), "published history");
        assert_eq!(said.is_empty(), expected.is_empty(), "{said}");
        assert!(said.starts_with(expected), "{said}");
    }
}
