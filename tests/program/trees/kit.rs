//! A sandbox, the git command line as judge, and trees as they are.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use relight::apply::Consent;
use relight::engine::{Engine, Request, Scope};
use relight::model::{Pipeline, Plan};

/// A sandbox in a folder of its own, and an engine that stands in it.
pub(crate) struct Sandbox {
    pub(crate) root: PathBuf,
    pub(crate) engine: Engine,
    pub(crate) request: Request,
    _dir: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn build() -> Self {
        let dir = crate::support::temporary::directory();
        let root = fs::canonicalize(dir.path()).unwrap().join("sandbox");
        relight::demo::build(&root, chrono::Utc::now()).unwrap();
        let engine = Engine::of_this_machine(Vec::new(), &[&root]).with_quiet(Duration::ZERO);
        let request = Request {
            cwd: root.clone(),
            scope: Some(Scope::Machine),
            all: true,
            ..Request::default()
        };
        Self {
            root,
            engine,
            request,
            _dir: dir,
        }
    }

    /// The pipeline that something is true of, read now.
    pub(crate) fn pipeline(&self, is_it: impl Fn(&Pipeline) -> bool) -> Pipeline {
        let survey = self.engine.survey(&self.request, &|_| {}).unwrap();
        let found = survey.pipelines.into_iter().find(is_it);
        found.unwrap()
    }

    /// Carries a plan out whose guards hold. Gives the recovery's id.
    pub(crate) fn carry_out(&self, plan: &Plan) -> String {
        let refused: Vec<_> = plan.guards.iter().filter(|guard| !guard.holds).collect();
        assert!(refused.is_empty(), "{refused:?}");
        let consent = Consent::yes(plan);
        let outcome = self
            .engine
            .apply(plan, &consent, &|_| {}, &relight::model::Cancel::new());
        let outcome = outcome.unwrap_or_else(|e| panic!("{e} {:?} {:?}", e.hints, e.guards));
        outcome.recovery.unwrap().id.0
    }

    pub(crate) fn undo(&self, recovery: &str) -> String {
        let undo = self.engine.undo_plan(
            Some(recovery),
            false,
            &relight::model::UndoOptions::default(),
            &self.request,
        );
        self.carry_out(&undo.unwrap())
    }
}

/// The git command line with nobody's configuration, expected to succeed.
pub(crate) fn git(dir: &Path, env: &[(&str, &Path)], args: &[&str]) -> String {
    let out = Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@x"])
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .envs(env.iter().copied())
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// The checkpoint store of the sandbox's shop.
pub(crate) fn store_of(projects: &Path) -> PathBuf {
    let beneath = |dir: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let is_shop = |project: &PathBuf| project.to_string_lossy().ends_with("-shop");
    let stores = beneath(projects)
        .into_iter()
        .filter(is_shop)
        .flat_map(|p| beneath(&p.join("checkpoints")));
    let mut stores = stores.filter(|store| store.join("HEAD").exists());
    stores.next().unwrap()
}

/// Every path beneath a folder with what it is; the project's own git directory left out.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path == root.join(".git") {
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            let what = if meta.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if meta.is_dir() {
                folders.push(path.clone());
                "dir".to_owned()
            } else if meta.file_type().is_fifo() {
                "pipe".to_owned()
            } else {
                format!("{:?}", String::from_utf8_lossy(&fs::read(&path).unwrap()))
            };
            let rel = path.strip_prefix(root).unwrap().to_owned();
            all.insert(rel, format!("{what} {:o} {}", meta.mode(), meta.ino()));
        }
    }
    all
}
