//! Conferences for tests: a directory built from parts, opened through the public traits.

use std::path::PathBuf;

use super::{Autoconference, shape};
use crate::model::{
    Action, ActionKind, Boundary, Check, Handoff, Intent, PlanOptions, PointId, Preference,
    Preview, Prospect, Step, Verdict,
};
use crate::systems::{Candidate, Case, Found, Hit, Marker, Sniffed, System as _};
use crate::world::fake::FakeWorld;

/// A moment a few hours after the sample's events.
pub(crate) const NOW: &str = "2026-05-02T20:00:00Z";

pub(crate) const CONFIG: &str = "# Conference: Faster parser\n\n## Goal\nMake parsing faster\n\n## Mode\nmetric\n\n## Success Metric\n- **Metric:** score\n- **Target:** >= 80\n- **Direction:** maximize\n\n## Researchers\n- **Count:** 2\n- **Iterations per round:** 3\n- **Max rounds:** 4\n\n## Search Space\n- **Allowed changes:** prompts\n\n## Shared Knowledge\n### Round 1 Validated Findings\n1. caching helps a lot\n\n## Conference Log\n| Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n| 1 | ALL | 50 | caching | done |\n";

/// The configuration before any round was shared in it.
pub(crate) fn fresh() -> String {
    let (head, _) = CONFIG.split_once("### Round 1").unwrap();
    format!(
        "{head}\n## Conference Log\n| Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n"
    )
}

/// A complete poster file of two researchers.
pub(crate) const POSTER: &str = "# Poster Session\n\n## Researcher A: caches\n- **Status:** completed\n\n## Researcher B: threads\n- **Status:** completed\n\n## Round Summary\nCaches help.\n";

/// A complete review file.
pub(crate) const REVIEW: &str =
    "# Peer Review\n\n**Claim:** caching helps a lot\n**Verdict:** validated\n";

/// A directory under test.
pub(crate) struct Dir {
    guard: tempfile::TempDir,
    /// The world it is read in.
    pub world: FakeWorld,
}

impl Dir {
    /// With these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let dir = Self {
            guard: crate::world::temporary::directory(),
            world: FakeWorld::from(NOW),
        };
        std::fs::create_dir(dir.path()).unwrap();
        for (name, text) in files {
            dir.put(name, text.as_bytes());
        }
        dir
    }

    /// The configuration, a log of these lines and two researcher tables of these rows.
    pub(crate) fn usual(log: &str, a: &str, b: &str) -> Self {
        let table = |rows: &str| format!("{}\n{rows}", shape::table::R8);
        Self::with(&[
            (shape::CONFIG, CONFIG),
            (shape::EVENTS, log),
            ("researcher_A_results.tsv", &table(a)),
            ("researcher_B_results.tsv", &table(b)),
        ])
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.guard.path().join("conf")
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path().join(name), bytes).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.path().join(name)).unwrap();
    }

    pub(crate) fn sniff(&self) -> Sniffed {
        let hit = Hit {
            marker: Marker::File(shape::EVENTS),
            path: self.path().join(shape::EVENTS),
            found: Found::Walk { root: self.path() },
        };
        Autoconference.sniff(&hit, &self.world)
    }

    pub(crate) fn open(&self) -> Box<dyn Case> {
        let candidate = Candidate {
            system: super::NAME,
            native: "conf".into(),
            anchor: self.path(),
            sources: Vec::new(),
            work_tree: None,
            resumes: Vec::new(),
            undone: Vec::new(),
        };
        Autoconference.open(&candidate, &self.world)
    }

    pub(crate) fn checks(&self) -> Vec<Check> {
        self.open().verify(&self.world)
    }

    pub(crate) fn verdict(&self, id: &str) -> Verdict {
        let checks = self.checks();
        checks
            .iter()
            .filter(|c| c.id.0 == id)
            .map(|c| c.verdict)
            .max()
            .unwrap_or_else(|| panic!("no check {id}"))
    }

    pub(crate) fn boundaries(&self) -> Vec<Boundary> {
        let case = self.open();
        let checks = case.verify(&self.world);
        case.boundaries(&checks, &self.world)
    }

    /// The ids of the points, the recommended one marked with a star.
    pub(crate) fn points(&self) -> Vec<String> {
        let starred = |b: &Boundary| {
            let star = if matches!(b.preference, Preference::Chosen(_)) {
                "*"
            } else {
                ""
            };
            format!("{}{star}", b.id)
        };
        self.boundaries().iter().map(starred).collect()
    }

    pub(crate) fn intent(&self, point: &str) -> Intent {
        let case = self.open();
        let point = PointId(point.to_owned());
        case.intent(&point, &PlanOptions::default(), &self.world)
            .unwrap()
    }

    /// How the orchestrator resumes at a point.
    pub(crate) fn handoff(&self, point: &str) -> Handoff {
        let case = self.open();
        let checks = case.verify(&self.world);
        let id = PointId(point.to_owned());
        let actions = actions(&self.intent(point));
        let prospect = Prospect {
            actions: &actions,
            ..Prospect::new(&id, &checks)
        };
        case.handoff(&prospect, &self.world)
    }
}

/// The steps of an intent as the actions of a plan, as far as a hand-off needs them.
pub(crate) fn actions(intent: &Intent) -> Vec<Action> {
    let one = |step: &Step| match step {
        Step::Change(action) => action.clone(),
        Step::ResetWorktree { worktree, .. } => Action {
            kind: ActionKind::ResetWorktree,
            target: worktree.clone(),
            summary: "".into(),
            changes: None,
            paths: Vec::new(),
            preview: Preview::Kept { pairs: Vec::new() },
        },
        Step::RestoreTree { .. } => panic!("{step:?}"),
    };
    intent.steps.iter().map(one).collect()
}

/// `name round researcher iteration metric status`, missing ones left out, one event per line.
pub(crate) fn log(lines: &[&str]) -> String {
    let mut text = String::new();
    for (minute, line) in lines.iter().enumerate() {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let keys = ["round", "researcher", "iteration", "metric_value", "status"];
        let payload: Vec<String> = keys
            .iter()
            .zip(words)
            .filter(|(_, word)| *word != "_")
            .map(|(key, word)| match word.parse::<f64>() {
                Ok(_) => format!("\"{key}\": {word}"),
                Err(_) => format!("\"{key}\": \"{word}\""),
            })
            .collect();
        let event = format!(
            "{{\"event\": \"{name}\", \"timestamp\": \"2026-05-02T{:02}:{:02}:00Z\", \"payload\": {{{}}}}}\n",
            8 + minute / 60,
            minute % 60,
            payload.join(", ")
        );
        text.push_str(&event);
    }
    text
}

/// `iteration metric status [description]`, one row per line.
pub(crate) fn rows(lines: &[&str]) -> String {
    let row = |line: &&str| {
        let mut words = line.splitn(4, ' ');
        let (i, m, s) = (
            words.next().unwrap(),
            words.next().unwrap(),
            words.next().unwrap(),
        );
        let text = words.next().unwrap_or("x");
        format!("{i}\t{m}\t-\t-\t{s}\t{text}\tmanual\t2026-05-02T08:00:00Z\n")
    };
    lines.iter().map(row).collect()
}

/// Round 1 completed, as a log with events of phases.
pub(crate) const ROUND_1: &[&str] = &[
    "conference.started",
    "round.started 1",
    "researcher.iteration 1 A 1 42 kept",
    "researcher.iteration 1 A 2 41 reverted",
    "researcher.iteration 1 A 3 50 kept",
    "researcher.iteration 1 B 1 40 reverted",
    "researcher.iteration 1 B 2 44 kept",
    "researcher.iteration 1 B 3 45 kept",
    "round.poster_session 1",
    "round.peer_review 1",
    "round.completed 1",
];

pub(crate) const A_1: &[&str] = &["0 TBD baseline", "1 42 kept", "2 41 reverted", "3 50 kept"];
pub(crate) const B_1: &[&str] = &["0 TBD baseline", "1 40 reverted", "2 44 kept", "3 45 kept"];

/// Round 2, interrupted in its research: A finished, B stopped after a reverted iteration.
pub(crate) fn interrupted() -> Dir {
    let events = [
        ROUND_1,
        &[
            "round.started 2",
            "researcher.iteration 2 A 1 51 kept",
            "researcher.iteration 2 A 2 52 kept",
            "researcher.iteration 2 A 3 53 kept",
            "researcher.iteration 2 A 4 53 reverted",
            "researcher.iteration 2 B 1 46 kept",
            "researcher.iteration 2 B 2 43 reverted",
        ],
    ]
    .concat();
    let a = [
        A_1,
        &[
            "0 50 baseline",
            "1 51 kept",
            "2 52 kept",
            "3 53 kept",
            "4 53 reverted",
        ],
    ]
    .concat();
    let b = [B_1, &["0 45 baseline", "1 46 kept", "2 43 reverted"]].concat();
    let dir = Dir::usual(&log(&events), &rows(&a), &rows(&b));
    let config = CONFIG.replace("round:** 3", "round:** 4");
    dir.put(shape::CONFIG, config.as_bytes());
    dir.put("poster_session_round_1.md", b"# Poster Session\n");
    dir.put(
        "peer_review_round_1.md",
        b"**Claim:** caching helps a lot\n**Verdict:** validated\n",
    );
    dir
}
