//! The system as a whole, on real files, with a fake repository and a fixed clock.

mod causes;
mod git_unread;
mod kept_work;
mod lost_commits;
mod lost_state;
mod points;
mod properties;
mod reading;
mod rewinding;
mod rewound;
mod said;
mod sniffing;
mod step_start;
mod verifying;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};

use crate::model::{
    Boundary, Check, Foreign, Handoff, Intent, PlanOptions, PointId, Preference, Prospect, Verdict,
};
use crate::systems::mgw::Mgw;
use crate::systems::{Candidate, Case, Found, Hit, Marker, Sniffed, System as _};
use crate::world::fake::{FakeRepo, FakeWorld};
use crate::world::git::{Commit, Worktree};

/// The moment of every test.
const NOW: &str = "2026-05-02T12:00:00Z";
/// The usual state file.
const FILE: &str = ".mgw/active/57-cache-lookups.json";
/// The usual branch.
const BRANCH: &str = "issue/57-cache-lookups";
/// The usual folder of documents.
const DOCS: &str = ".planning/quick/4-cache-lookups";

/// A project in its own folder.
struct Sandbox {
    _dir: tempfile::TempDir,
    root: PathBuf,
    world: FakeWorld,
}

impl Sandbox {
    fn new() -> Self {
        let dir = crate::world::temporary::directory();
        let root = dir.path().canonicalize().unwrap().join("proj");
        fs::create_dir(&root).unwrap();
        Self {
            _dir: dir,
            root,
            world: FakeWorld::from(NOW),
        }
    }

    /// Writes a file, its time two hours ago.
    fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        self.aged(path, text, 7_200)
    }

    fn aged(&self, path: &str, text: impl AsRef<[u8]>, age_s: u64) -> &Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let now: DateTime<Utc> = NOW.parse().unwrap();
        let at = SystemTime::from(now) - Duration::from_secs(age_s);
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(at).unwrap();
        self
    }

    /// The usual state file with these members.
    fn state(&self, members: &str) -> &Self {
        let text = format!(
            "{{\n  \"issue\": {{\"number\": 57, \"title\": \"Cache lookups\"}},\n  {members}\n}}"
        );
        self.file(FILE, text)
    }

    /// A document in the worktree.
    fn doc(&self, name: &str, text: &str) -> &Self {
        self.file(&format!(".worktrees/{BRANCH}/{DOCS}/{name}"), text)
    }

    /// A repository with the usual branch, `ahead` commits ahead, and its worktree.
    fn git(&mut self, ahead: usize) -> &mut Self {
        let tree = self.root.join(".worktrees").join(BRANCH);
        fs::create_dir_all(&tree).unwrap();
        let base = commit(0, None);
        let mut branch: Vec<Commit> = (1..=ahead).map(|n| commit(n, Some(n - 1))).collect();
        branch.reverse();
        branch.push(base.clone());
        let tip = branch.first().map(|c| c.id.clone());
        let mut repo = FakeRepo {
            branch: Some("main".into()),
            default_branch: Some("main".into()),
            ..FakeRepo::default()
        };
        repo.branches.insert("main".into(), vec![base]);
        repo.branches.insert(BRANCH.into(), branch);
        repo.ignored = [".mgw", ".worktrees"].map(PathBuf::from).into();
        repo.worktrees.push(Worktree {
            path: tree.clone(),
            branch: Some(BRANCH.into()),
            head: tip,
            main: false,
            locked: false,
            prunable: false,
        });
        let mut own = repo.clone();
        own.branch = Some(BRANCH.into());
        self.world.git.repos.insert(self.root.clone(), repo);
        self.world.git.repos.insert(tree, own);
        self
    }

    fn repo(&mut self) -> &mut FakeRepo {
        self.world.git.repos.get_mut(&self.root).unwrap()
    }

    fn tree(&mut self) -> &mut FakeRepo {
        let tree = self.root.join(".worktrees").join(BRANCH);
        self.world.git.repos.get_mut(&tree).unwrap()
    }

    fn sniff(&self, path: &Path) -> Sniffed {
        let hit = Hit {
            marker: Marker::Dir(".mgw"),
            path: path.to_owned(),
            found: Found::Walk {
                root: self.root.clone(),
            },
        };
        Mgw.sniff(&hit, &self.world)
    }

    fn open(&self) -> Box<dyn Case> {
        self.open_number("57")
    }

    fn open_number(&self, number: &str) -> Box<dyn Case> {
        let candidate = Candidate {
            system: Mgw.name(),
            native: number.into(),
            anchor: self.root.clone(),
            sources: vec![self.root.join(".mgw")],
            work_tree: None,
            resumes: Vec::new(),
            undone: Vec::new(),
        };
        Mgw.open(&candidate, &self.world)
    }

    fn checks(&self) -> Vec<Check> {
        self.open().verify(&self.world)
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let case = self.open();
        let checks = case.verify(&self.world);
        case.boundaries(&checks, &self.world)
    }

    /// The recommended point.
    fn chosen(&self) -> Option<String> {
        let mut chosen = self
            .boundaries()
            .into_iter()
            .filter(|b| matches!(b.preference, Preference::Chosen(_)));
        let first = chosen.next().map(|b| b.id.0);
        assert!(chosen.next().is_none(), "at most one point is chosen");
        first
    }

    fn intent(&self, point: &str) -> Option<Intent> {
        self.intent_with(point, &PlanOptions::default())
    }

    fn intent_with(&self, point: &str, options: &PlanOptions) -> Option<Intent> {
        let case = self.open();
        let id = PointId(point.to_owned());
        case.intent(&id, options, &self.world)
    }
}

impl Sandbox {
    /// How the orchestrator resumes after a point.
    fn handoff(&self, point: &str) -> Handoff {
        let case = self.open();
        let checks = case.verify(&self.world);
        let id = PointId(point.to_owned());
        case.handoff(&Prospect::new(&id, &checks), &self.world)
    }
}

fn commit(n: usize, parent: Option<usize>) -> Commit {
    let at = 1_777_000_000 + 60 * i64::try_from(n).unwrap();
    let at = DateTime::from_timestamp(at, 0).unwrap();
    Commit {
        id: format!("{n:040x}"),
        time: at,
        authored: at,
        subject: format!("commit {n}").into(),
        body: Foreign::default(),
        parents: parent.map(|p| format!("{p:040x}")).into_iter().collect(),
        cut: false,
    }
}

/// The worst verdict of an id.
fn worst(checks: &[Check], id: &str) -> Option<Verdict> {
    let own = checks.iter().filter(|check| check.id.0 == id);
    own.map(|check| check.verdict).max()
}

/// A checkpoint member after the plan step of the quick route.
fn after(step: &str, action: &str) -> String {
    format!(
        "\"gsd_route\": \"quick --full\",\n  \"pipeline_stage\": \"executing\",\n  \"checkpoint\": {{\n    \"schema_version\": 1,\n    \"pipeline_step\": \"{step}\",\n    \"step_progress\": {{\"plan_path\": \"{DOCS}/4-PLAN.md\"}},\n    \"last_agent_output\": \"{DOCS}/4-PLAN.md\",\n    \"artifacts\": [{{\"path\": \"{DOCS}/4-PLAN.md\", \"type\": \"plan\", \"created_at\": \"2026-05-01T09:00:00.000Z\"}}],\n    \"resume\": {{\"action\": \"{action}\", \"context\": {{\"quick_dir\": \"{DOCS}\", \"plan_num\": 4}}}},\n    \"started_at\": \"2026-05-01T08:00:00.000Z\",\n    \"updated_at\": \"2026-05-02T09:00:00.000Z\",\n    \"step_history\": [{{\"step\": \"triage\", \"completed_at\": \"2026-05-01T08:30:00.000Z\", \"agent_type\": \"triage\", \"output_path\": null}}, {{\"step\": \"{step}\", \"completed_at\": \"2026-05-01T09:00:00.000Z\", \"agent_type\": \"gsd\", \"output_path\": \"{DOCS}/4-PLAN.md\"}}]\n  }}"
    )
}
