//! A project of crucible's: a repository and a checkpoint store made with the git command line, the records
//! beside them, and the engine that a person would stand before.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::support::fake::{FakeProcesses, FakeWorld};
use chrono::{DateTime, FixedOffset};
use relight::apply::Consent;
use relight::engine::{Engine, EngineError, Request, Scope};
use relight::git::RealGit;
use relight::model::{Outcome, Plan, PlanOptions, PointChoice, RecoveryId, RestoreMode};
use relight::world::Places;
use relight::world::clock::FixedClock;
use relight::world::real_files::RealFiles;
use sha2::{Digest as _, Sha256};

use super::git::{self, Shadow};
use super::picture::{self, Picture};

/// When it is, for the engine; every action a second later.
const NOW: &str = "2031-03-02T12:00:00+00:00";
/// The run's identity: the second it began.
const STARTED: i64 = 1_930_208_400;
/// The branch it ran on.
pub(crate) const BRANCH: &str = "feat/work";

/// The project.
pub(crate) struct Project {
    _dir: tempfile::TempDir,
    /// The canonical folder of everything.
    pub(crate) base: PathBuf,
    /// The work tree.
    pub(crate) root: PathBuf,
    /// Where relight keeps what it replaced.
    pub(crate) state: PathBuf,
    /// The checkpoint store.
    pub(crate) shadow: Shadow,
    made: AtomicI64,
}

impl Project {
    /// An empty repository on the run's branch, with an empty store.
    pub(crate) fn new() -> Self {
        let dir = crate::support::temporary::directory();
        let base = fs::canonicalize(dir.path()).unwrap();
        Self::at(dir, &base, &base.join("project"))
    }

    /// The same with the work tree somewhere else.
    pub(crate) fn at(dir: tempfile::TempDir, base: &Path, root: &Path) -> Self {
        fs::create_dir_all(root).unwrap();
        git::run(root, &["init", "-q", "-b", BRANCH]);
        let store = claude(base, root).join(format!("checkpoints/{}", directory_hash(root)));
        Self {
            _dir: dir,
            base: base.to_owned(),
            root: root.to_owned(),
            state: base.join("state"),
            shadow: Shadow::init(&store, root),
            made: AtomicI64::new(0),
        }
    }

    /// A path beneath the work tree.
    pub(crate) fn path(&self, rel: impl AsRef<Path>) -> PathBuf {
        self.root.join(rel)
    }

    /// Writes a file of the work tree, in place if it is there.
    pub(crate) fn write(&self, rel: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(rel);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Commits everything that is not ignored. Gives the id.
    pub(crate) fn commit(&self, subject: &str, at: &str) -> String {
        git::run(&self.root, &["add", "-A"]);
        let out = git::command(&self.root)
            .args(["commit", "-q", "--allow-empty", "-m", subject])
            .env("GIT_AUTHOR_DATE", at)
            .env("GIT_COMMITTER_DATE", at)
            .output()
            .unwrap();
        assert!(out.status.success(), "{out:?}");
        git::line(&self.root, &["rev-parse", "HEAD"])
    }

    /// The records of a run that died in phase 3, wave 1.
    pub(crate) fn records(&self) {
        let memory = claude(&self.base, &self.root).join("memory");
        let dispatch = self.base.join(format!("tmp/crucible-dispatch-{STARTED}"));
        fs::create_dir_all(&memory).unwrap();
        fs::create_dir_all(&dispatch).unwrap();
        let baseline = git::line(&self.root, &["rev-parse", "HEAD"]);
        let marker = format!(
            "{{\"pipeline_id\":\"{STARTED}\",\"skill\":\"build\",\"phase\":\"3\",\"start_time\":\"2031-03-02T09:00:00Z\",\"scratch_dir\":\"{}/\",\"dispatch_dir\":\"{}/\",\"branch\":\"{BRANCH}\",\"baseline_sha\":\"{baseline}\"}}",
            memory.display(),
            dispatch.display()
        );
        fs::write(memory.join(".pipeline-active"), marker).unwrap();
        let line = "{\"seq\":1,\"file\":\"1-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":1,\"status\":\"dispatched\",\"duration_s\":null,\"summary\":null}\n";
        fs::write(dispatch.join("manifest.jsonl"), line).unwrap();
        fs::write(dispatch.join("1-build-implementer.md"), "# Dispatch\n").unwrap();
    }

    /// A new engine: nothing is remembered, and no process is there.
    pub(crate) fn engine(&self) -> Engine {
        let later = chrono::TimeDelta::seconds(self.made.fetch_add(1, Ordering::Relaxed));
        let now: DateTime<FixedOffset> = DateTime::parse_from_rfc3339(NOW).unwrap();
        let world = FakeWorld {
            clock: FixedClock(now + later),
            files: RealFiles,
            git: RealGit,
            processes: FakeProcesses::default(),
            places: Places {
                claude: Some(self.base.join("claude")),
                state: Some(self.state.clone()),
                temp: vec![self.base.join("tmp")],
                home: Some(self.base.join("home")),
                uid: fs::metadata(&self.base).unwrap().uid(),
                ..Places::default()
            },
        };
        Engine::new(Box::new(world), Vec::new()).with_quiet(Duration::ZERO)
    }

    /// The request that finds the project and everything that was done to it.
    pub(crate) fn request(&self) -> Request {
        Request {
            cwd: self.root.clone(),
            scope: Some(Scope::Machine),
            all: true,
            ..Request::default()
        }
    }

    /// The plan that restores a checkpoint.
    pub(crate) fn plan(&self, engine: &Engine, checkpoint: &str, options: &PlanOptions) -> Plan {
        let survey = engine.survey(&self.request(), &|_| {}).unwrap();
        let found = survey
            .pipelines
            .iter()
            .find(|p| p.reading.system.0 == "crucible");
        let id = &found.unwrap_or_else(|| panic!("{survey:?}")).id;
        let choice = PointChoice::Checkpoint(checkpoint.to_owned());
        engine.plan(id, &choice, options).unwrap()
    }

    /// Restores a checkpoint, as its rehearsal did in a copy.
    pub(crate) fn restore(&self, checkpoint: &str, options: &PlanOptions) -> (Plan, Outcome) {
        let engine = self.engine();
        let plan = self.plan(&engine, checkpoint, options);
        let rehearsal = engine
            .rehearse(&plan, Some(&[]), &|_| {}, &relight::model::Cancel::new())
            .unwrap();
        let rehearsed = picture::take(&rehearsal.folder);
        fs::remove_dir_all(rehearsal.folder).unwrap();
        let outcome = carry(&engine, &plan).unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
        let differences = picture::rehearsal_differences(&rehearsed, &picture::take(&self.root));
        assert!(differences.is_empty(), "{}", differences.join("\n"));
        (plan, outcome)
    }

    /// Takes a recovery back. Gives the recovery that it is itself.
    pub(crate) fn undo(&self, id: Option<&RecoveryId>, redo: bool) -> RecoveryId {
        let engine = self.engine();
        let id = id.map(|id| id.0.as_str());
        let plan = engine.undo_plan(
            id,
            redo,
            &relight::model::UndoOptions::default(),
            &self.request(),
        );
        let plan = plan.unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
        let outcome = carry(&engine, &plan).unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
        outcome.recovery.unwrap().id
    }

    /// What is there now.
    pub(crate) fn now(&self) -> Moment {
        Moment {
            files: picture::take(&self.root),
            status: git::status(&self.root),
            index: fs::read(self.root.join(".git/index")).ok(),
            tips: git::line(&self.root, &["for-each-ref", "refs/heads"]),
        }
    }

    /// An untouched copy, made by the system's own program.
    pub(crate) fn copy(&self, name: &str) -> PathBuf {
        let to = self.base.join(name);
        let done = std::process::Command::new("cp")
            .arg("-a")
            .args([&self.root, &to])
            .status();
        assert!(done.unwrap().success());
        to
    }
}

/// A work tree at a moment, and what git says of it.
pub(crate) struct Moment {
    pub(crate) files: Picture,
    pub(crate) status: String,
    index: Option<Vec<u8>>,
    tips: String,
}

impl Moment {
    /// Every path is the very one it was, and git says what it said.
    pub(crate) fn same(&self, other: &Self) {
        let none = Vec::<String>::new();
        assert_eq!(picture::differences(&self.files, &other.files), none);
        assert_eq!(self.status, other.status);
        assert_eq!(self.tips, other.tips);
        assert!(self.index == other.index, "the index has other bytes");
    }
}

/// Confirms a plan and applies it.
pub(crate) fn carry(engine: &Engine, plan: &Plan) -> Result<Outcome, EngineError> {
    engine.apply(
        plan,
        &Consent::yes(plan),
        &|_| {},
        &relight::model::Cancel::new(),
    )
}

/// Options with nothing known of who still works.
pub(crate) fn options(mode: RestoreMode) -> PlanOptions {
    PlanOptions {
        mode,
        assume_stopped: true,
        ..PlanOptions::default()
    }
}

/// Claude's folder of a project.
fn claude(base: &Path, root: &Path) -> PathBuf {
    let name: String = root.to_string_lossy().chars().map(plain).collect();
    base.join("claude/projects").join(name)
}

fn plain(c: char) -> char {
    if c.is_ascii_alphanumeric() { c } else { '-' }
}

/// Crucible's name for a project's checkpoint store.
fn directory_hash(root: &Path) -> String {
    let sum = Sha256::digest(root.to_string_lossy().as_bytes());
    relight::model::text::hex(&sum).chars().take(16).collect()
}
