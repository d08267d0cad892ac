//! A project for tests: folders on disk, git as stated, and the pipeline read from both.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::model::{Foreign, Verdict};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::decision::{self, Decision};
use crate::systems::nine_step::{NineStep, checks};
use crate::systems::{Candidate, Found, Hit, Marker, Sniffed, System as _};
use crate::world::fake::{FakeRepo, FakeWorld};
use crate::world::git::{Commit, StatusPath, Worktree};

/// The complete state with which most tests start: phase 2 of 3, sent back by the code review.
pub(crate) const STATE: &str = r##"{
  "feature_name": "price-alerts",
  "current_phase": 2,
  "current_step": 4,
  "total_phases": 3,
  "worktree_path": ".worktree/price-alerts",
  "branch_name": "feature/price-alerts",
  "plan_reference": ".plan/price_alerts_plan.md",
  "related_issues": "#42",
  "phases": {"1": {"description": "Schema"}, "2": {"description": "\uc54c\ub9bc"}},
  "last_execution": {
    "phase": 2,
    "step": 4,
    "agent": "code-reviewer",
    "status": "failed",
    "timestamp": "2025-11-09T15:12:44.120933",
    "error_message": ["NEEDS_REVISION: missing input check", "\u001b[31m"]
  },
  "completed_steps": [
    {
      "phase": 1,
      "step": 9,
      "agent": "git-worktree-manager",
      "status": "completed",
      "timestamp": "2025-11-09T14:30:02.551020"
    },
    {
      "phase": 2,
      "step": 3,
      "agent": "backend-developer",
      "status": "completed",
      "timestamp": "2025-11-09T15:01:10.004411"
    }
  ],
  "x_unknown": 1.10
}"##;

/// A plan of three phases.
pub(crate) const PLAN: &str = "# Price alerts\n## Phases\n### Phase 1: Schema (1 h)\n### Phase 2: Service\n### Phase 3: Screens\n";

/// A project in a temporary folder.
pub(crate) struct Scene {
    _dir: tempfile::TempDir,
    /// Its canonical top.
    pub(crate) top: PathBuf,
    /// The world around it.
    pub(crate) world: FakeWorld,
}

impl Scene {
    /// A repository with one linked worktree, one phase commit and a plan; no state file.
    pub(crate) fn new() -> Self {
        let dir = crate::world::temporary::directory();
        let top = dir.path().canonicalize().unwrap();
        let mut world = FakeWorld::from("2025-11-09T18:00:00+00:00");
        let base = commit("b0", "init", "2025-11-09T12:00:00Z", &[]);
        let one = commit(
            "c1",
            "feat: Phase 1 - schema",
            "2025-11-09T14:30:00Z",
            &["b0"],
        );
        let repo = FakeRepo {
            branch: Some("main".into()),
            branches: [
                ("main".to_owned(), vec![base.clone()]),
                ("feature/price-alerts".to_owned(), vec![one.clone(), base]),
            ]
            .into(),
            default_branch: Some("main".into()),
            worktrees: vec![Worktree {
                path: top.join(".worktree/price-alerts"),
                branch: Some("feature/price-alerts".into()),
                head: Some(one.id),
                main: false,
                locked: false,
                prunable: false,
            }],
            status: vec![change("src/alerts.rs")],
            ..FakeRepo::default()
        };
        world.git.repos.insert(top.clone(), repo);
        let scene = Self {
            _dir: dir,
            top,
            world,
        };
        scene.write(".plan/price_alerts_plan.md", PLAN);
        scene.write(".worktree/price-alerts/src/alerts.rs", "fn x() {}\n");
        scene
    }

    /// The same scene with a state file in the worktree.
    pub(crate) fn with_state(text: &str) -> Self {
        let scene = Self::new();
        scene.write(".worktree/price-alerts/workflow-state.json", text);
        scene
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.top.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The repository, for changes.
    pub(crate) fn repo(&mut self) -> &mut FakeRepo {
        self.world.git.repos.get_mut(&self.top).unwrap()
    }

    /// Puts a commit with these parents on top of the main branch.
    pub(crate) fn merge(&mut self, subject: &str, parents: &[&str]) {
        let merge = commit("m1", subject, "2025-11-09T17:00:00Z", parents);
        let main = self.repo().branches.get_mut("main").unwrap();
        main.insert(0, merge);
    }

    /// The candidates that a walk finds at the project's top.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        match self.sniff(Marker::Repository, &self.top.clone()) {
            Sniffed::Ours(list) => list,
            Sniffed::NotOurs(why) => panic!("{why:?}"),
        }
    }

    /// Sniffs a hit of a walk from the top.
    pub(crate) fn sniff(&self, marker: Marker, path: &Path) -> Sniffed {
        let found = Found::Walk {
            root: self.top.clone(),
        };
        NineStep.sniff(
            &Hit {
                marker,
                path: path.to_owned(),
                found,
            },
            &self.world,
        )
    }

    /// The facts of the only pipeline.
    pub(crate) fn facts(&self) -> Facts {
        let candidates = self.candidates();
        assert_eq!(candidates.len(), 1, "{candidates:?}");
        Facts::gather(&self.world, &candidates[0])
    }

    /// Its decision.
    pub(crate) fn decision(&self) -> Decision {
        decision::decide(&self.facts())
    }

    /// The input of points and checks.
    pub(crate) fn of<'a>(
        &'a self,
        facts: &'a Facts,
        decision: &'a Decision,
    ) -> crate::systems::nine_step::Scene<'a> {
        let world = &self.world;
        crate::systems::nine_step::Scene {
            facts,
            decision,
            world,
        }
    }

    /// The worst verdict of a check.
    pub(crate) fn verdict(&self, id: &str) -> Verdict {
        let facts = self.facts();
        let decision = decision::decide(&facts);
        let checks = checks::checks(self.of(&facts, &decision));
        checks
            .iter()
            .filter(|c| c.id.0 == id)
            .map(|c| c.verdict)
            .max()
            .unwrap()
    }

    /// The state with one piece of text replaced.
    pub(crate) fn state_but(from: &str, to: &str) -> Self {
        assert!(STATE.contains(from), "{from}");
        Self::with_state(&STATE.replace(from, to))
    }
}

/// The first bytes of the whole state.
pub(crate) fn head(bytes: usize) -> &'static str {
    STATE.get(..bytes).unwrap()
}

/// The complete state, stopped at another step with another status and no agent.
pub(crate) fn at(step: &str, status: &str) -> String {
    let from = "\"step\": 4,\n    \"agent\": \"code-reviewer\",\n    \"status\": \"failed\"";
    assert!(STATE.contains(from));
    let to = format!("\"step\": {step},\n    \"agent\": \"\",\n    \"status\": \"{status}\"");
    STATE.replace(from, &to)
}

/// A commit.
pub(crate) fn commit(id: &str, subject: &str, at: &str, parents: &[&str]) -> Commit {
    let at = DateTime::parse_from_rfc3339(at).unwrap();
    let at = at.with_timezone(&Utc);
    Commit {
        id: full(id),
        time: at,
        authored: at,
        subject: subject.into(),
        body: Foreign::default(),
        parents: parents.iter().map(|parent| full(parent)).collect(),
        cut: false,
    }
}

/// A full object id from a short word.
pub(crate) fn full(id: &str) -> String {
    format!("{id:0<40}")
}

/// An uncommitted, tracked file.
pub(crate) fn change(path: &str) -> StatusPath {
    StatusPath {
        path: path.into(),
        kind: crate::world::git::StatusKind::Changed,
        on_disk: true,
    }
}

/// A state with these records; `total` is the number of phases.
pub(crate) fn state(total: &str, last: &str, completed: &str) -> String {
    format!(
        r#"{{"feature_name": "price-alerts", "current_phase": 1, "current_step": 1, {total} "branch_name": "feature/price-alerts", "last_execution": {last}, "completed_steps": [{completed}]}}"#
    )
}

/// A record `phase step status [minute]` as JSON.
pub(crate) fn record(words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    let time = words.get(3).map_or(String::new(), |minute| {
        format!(r#", "timestamp": "2025-11-09T10:{minute:0>2}:00""#)
    });
    format!(
        r#"{{"phase": {}, "step": {}, "agent": "", "status": "{}"{time}}}"#,
        words[0], words[1], words[2]
    )
}

/// Several records, separated by `;`.
pub(crate) fn records(list: &str) -> String {
    let each = list.split(';').filter(|r| !r.trim().is_empty()).map(record);
    each.collect::<Vec<_>>().join(", ")
}
