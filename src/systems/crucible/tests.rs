//! A small world with one project, and what crucible's rules make of runs in it.

use std::path::{Path, PathBuf};

use super::*;
use crate::model::{Badge, CheckpointNeed, Preference, Status, Step, Verdict};
use crate::systems::Found;
use crate::world::fake::{FakeRepo, FakeWorld};
use crate::world::git::{Commit, StatusPath};

/// A world in a folder of its own: home, temporary directory, one project with a shadow store.
pub(super) struct Kit {
    pub(super) dir: tempfile::TempDir,
    pub(super) world: FakeWorld,
}

pub(super) const SID: &str = "1775642282";
pub(super) const START: &str = "2026-04-08T09:58:02Z";
const BASE: &str = "5f0c9e2d7b1a4c3e8f6d9a0b2c4e6f8091a3b5c7";

pub(super) fn at(text: &str) -> chrono::DateTime<chrono::Utc> {
    text.parse().unwrap()
}

impl Kit {
    pub(super) fn new() -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let mut world = FakeWorld::at("2026-04-08T15:00:00Z");
        world.places.home = Some(root.join("home"));
        world.places.claude = Some(root.join("home/.claude"));
        world.places.temp = vec![root.join("tmp")];
        world.places.uid = std::fs::metadata(&root).unwrap().uid();
        std::fs::create_dir_all(root.join("proj")).unwrap();
        std::fs::create_dir_all(root.join("tmp")).unwrap();
        let mut kit = Self { dir, world };
        let repo = FakeRepo {
            branch: Some("feat/cache".to_owned()),
            ..FakeRepo::default()
        };
        kit.world.git.repos.insert(kit.proj(), repo);
        kit.commit(BASE, "2026-04-08T09:00:00Z", "init");
        kit
    }

    pub(super) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub(super) fn proj(&self) -> PathBuf {
        self.root().join("proj")
    }

    pub(super) fn project(&self) -> PathBuf {
        let name = project::claude_name(&self.proj());
        self.root().join("home/.claude/projects").join(name)
    }

    pub(super) fn memory(&self) -> PathBuf {
        self.project().join("memory")
    }

    pub(super) fn dispatch(&self) -> PathBuf {
        self.root()
            .join("tmp")
            .join(format!("crucible-dispatch-{SID}"))
    }

    pub(super) fn store(&self) -> PathBuf {
        self.project()
            .join("checkpoints")
            .join(project::dir_hash(&self.proj()))
    }

    /// Writes a file with a time of its own.
    pub(super) fn write(&self, path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(at("2026-04-08T11:00:00Z").into())
            .unwrap();
    }

    pub(super) fn marker(&self, phase: &str) {
        let text = format!(
            r#"{{"pipeline_id":"{SID}","skill":"build","phase":"{phase}","start_time":"{START}","scratch_dir":"{}/","dispatch_dir":"{}/","branch":"feat/cache","baseline_sha":"{BASE}"}}"#,
            self.memory().display(),
            self.dispatch().display()
        );
        self.write(&self.memory().join(".pipeline-active"), &text);
    }

    pub(super) fn manifest(&self, lines: &[String]) {
        self.write(
            &self.dispatch().join("manifest.jsonl"),
            &(lines.join("\n") + "\n"),
        );
    }

    /// A dispatch file, begun at this time of the day.
    pub(super) fn header(&self, seq: u64, role: &str, time: &str) {
        let text = format!(
            "# Dispatch: {role}\n**Pipeline:** build\n**Timestamp:** 2026-04-08T{time}Z\n---\nx\n"
        );
        self.write(&self.dispatch().join(format!("{seq}-{role}.md")), &text);
    }

    pub(super) fn commit(&mut self, id: &str, time: &str, subject: &str) {
        let proj = self.proj();
        add(&mut self.world, &proj, "feat/cache", id, time, subject);
    }

    /// Checkpoints of the shadow store: reason and time of the day.
    pub(super) fn checkpoints(&mut self, all: &[(&str, &str)]) {
        let store = self.store();
        let mut table = String::new();
        for (number, (reason, time)) in (1..).zip(all) {
            let id = format!("{number:040x}");
            let time = format!("2026-04-08T{time}Z");
            add(
                &mut self.world,
                &store,
                "master",
                &id,
                &time,
                &format!("{reason} | {time} | build"),
            );
            let repo = self.world.git.repos.get_mut(&store).unwrap();
            repo.blobs
                .insert((id.clone(), PathBuf::from("a.txt")), b"x".to_vec());
            table = format!("{table}| {id} | {time} | {reason} | build |\n");
        }
        let repo = self.world.git.repos.entry(store.clone()).or_default();
        repo.shadow_work_tree = Some(self.dir.path().canonicalize().unwrap().join("proj"));
        self.write(&store.join("HEAD"), "ref: refs/heads/master\n");
        std::fs::create_dir_all(store.join("objects")).unwrap();
        self.write(&store.join("checkpoint-manifest.md"), &table);
    }

    pub(super) fn hit(&self, path: &Path) -> Hit {
        let found = if path.starts_with(self.root().join("tmp")) {
            Found::Temp {
                dir: self.root().join("tmp"),
            }
        } else {
            Found::ClaudeProject {
                project: self.project(),
            }
        };
        let marker = if path.is_dir() {
            Marker::Prefix("crucible-dispatch-")
        } else {
            Marker::File("manifest.jsonl")
        };
        Hit {
            marker,
            path: path.to_owned(),
            found,
        }
    }

    pub(super) fn open(&self) -> CrucibleCase {
        let candidate = Candidate {
            system: NAME,
            native: SID.into(),
            anchor: PathBuf::new(),
            sources: vec![self.dispatch().join("manifest.jsonl")],
            work_tree: None,
        };
        CrucibleCase::open(&candidate, &self.world)
    }

    pub(super) fn boundaries(&self, case: &CrucibleCase) -> Vec<Boundary> {
        let checks = case.verify(&self.world);
        case.boundaries(&checks, &case.checkpoints(&self.world), &self.world)
    }

    /// The ids of the points and the one the rules choose.
    pub(super) fn points(&self, case: &CrucibleCase) -> (String, Vec<String>) {
        let all = self.boundaries(case);
        let mut chosen = all
            .iter()
            .filter(|b| matches!(b.preference, Preference::Chosen(_)));
        let one = chosen.next().map_or("-", |b| &b.id.0).to_owned();
        assert!(chosen.next().is_none(), "two points are chosen");
        (one, all.into_iter().map(|b| b.id.0).collect())
    }
}

fn add(world: &mut FakeWorld, repo: &Path, branch: &str, id: &str, time: &str, subject: &str) {
    let repo = world.git.repos.entry(repo.to_owned()).or_default();
    let commits = repo.branches.entry(branch.to_owned()).or_default();
    let parents = commits.first().map(|c| c.id.clone());
    let commit = Commit {
        id: id.to_owned(),
        time: at(time),
        subject: subject.into(),
        body: Foreign::default(),
        parents: parents.into_iter().collect(),
    };
    commits.insert(0, commit);
}

/// A manifest line.
pub(super) fn line(
    seq: u64,
    role: &str,
    phase: &str,
    task: u64,
    status: &str,
    more: &str,
) -> String {
    let task = if task == 0 {
        "null".to_owned()
    } else {
        task.to_string()
    };
    let (duration, summary) = if status == "dispatched" {
        ("null", "null")
    } else {
        ("60", "\"did it\"")
    };
    format!(
        r#"{{"seq":{seq},"file":"{seq}-{role}.md","role":"{role}","phase":"{phase}","task":{task},"status":"{status}","duration_s":{duration},"summary":{summary}{more}}}"#
    )
}

/// A dispatch with both its lines.
pub(super) fn done(seq: u64, role: &str, phase: &str, task: u64) -> [String; 2] {
    [
        line(seq, role, phase, task, "dispatched", ""),
        line(seq, role, phase, task, "completed", ""),
    ]
}

/// Design and plan done, wave 1 done, wave 2 interrupted; its checkpoints taken.
pub(super) fn interrupted() -> Kit {
    let mut kit = Kit::new();
    kit.marker("3");
    let mut lines = Vec::new();
    lines.extend(done(1, "design-writer", "1", 0));
    lines.extend(done(2, "planner", "2", 0));
    lines.extend(done(3, "implementer", "3", 1));
    lines.push(line(4, "implementer", "3", 2, "dispatched", ""));
    kit.manifest(&lines);
    kit.header(1, "design-writer", "10:00:00");
    kit.header(2, "planner", "10:10:00");
    kit.header(3, "implementer", "10:20:00");
    kit.header(4, "implementer", "10:40:00");
    kit.commit(
        "a".repeat(40).as_str(),
        "2026-04-08T10:10:30Z",
        "docs: the plan",
    );
    kit.commit(
        "b".repeat(40).as_str(),
        "2026-04-08T10:20:50Z",
        "feat: cache",
    );
    kit.checkpoints(&[
        ("pre-design-gate", "10:05:00"),
        ("pre-wave-1", "10:15:00"),
        ("pre-wave-2", "10:30:00"),
    ]);
    kit
}

fn verdicts(kit: &Kit, case: &CrucibleCase) -> Vec<(String, Verdict)> {
    let mut all: Vec<(String, Verdict)> = Vec::new();
    for check in case.verify(&kit.world) {
        assert!(
            check.verdict == Verdict::Pass
                || check.verdict == Verdict::Skipped
                || check.remedy.is_some(),
            "{check:?}"
        );
        match all.iter_mut().find(|(id, _)| *id == check.id.0) {
            Some((_, worst)) => *worst = (*worst).max(check.verdict),
            None => all.push((check.id.0, check.verdict)),
        }
    }
    all
}

fn verdict(kit: &Kit, id: &str) -> Verdict {
    let all = verdicts(kit, &kit.open());
    all.into_iter().find(|(i, _)| i == id).unwrap().1
}

mod points;

#[test]
fn an_interrupted_build_goes_on_at_its_last_clean_wave() {
    let kit = interrupted();
    let case = kit.open();
    let reading = case.reading();
    assert_eq!(reading.claim.status, Status::Interrupted);
    assert_eq!(reading.work_tree, Some(kit.proj()));
    assert_eq!(reading.root, kit.proj());
    assert_eq!(reading.progress.done, 2);
    assert_eq!(
        reading.stopped_where,
        "phase 3, wave 2 · implementer, task 2"
    );
    assert_eq!(reading.findings, []);
    assert_eq!(reading.badges, []);
    let (chosen, all) = kit.points(&case);
    assert_eq!(chosen, "wave-2");
    assert_eq!(all, ["phase-2", "wave-1", "wave-2", "disk", "fresh"]);
    let counts: Vec<(u64, u64, Option<u64>)> = kit
        .boundaries(&case)
        .iter()
        .map(|b| (b.kept, b.redone, b.time_lost_s))
        .collect();
    assert_eq!(
        counts,
        [
            (1, 3, Some(120)),
            (2, 2, Some(60)),
            (3, 1, Some(0)),
            (3, 1, Some(0)),
            (0, 4, Some(180))
        ]
    );
}

#[test]
fn the_chosen_point_restores_the_work_tree_and_nothing_else() {
    let kit = interrupted();
    let case = kit.open();
    let checkpoints = case.checkpoints(&kit.world);
    let intent = |point: &str| {
        let point = PointId(point.to_owned());
        let intent = case.intent(
            &point,
            &PlanOptions::default(),
            &[],
            &checkpoints,
            &kit.world,
        )?;
        let report = case.dry_run_report(&point, &intent);
        Some((intent, report.unwrap().lossy().into_owned()))
    };
    let (wave, report) = intent("wave-2").unwrap();
    assert_eq!(
        wave.steps,
        [Step::RestoreTree {
            store: kit.store(),
            commit: format!("{:040x}", 3),
            work_tree: kit.proj()
        }]
    );
    assert!(wave.guards.iter().all(|guard| guard.holds));
    assert_eq!(wave.tree.unwrap().branch, Some("feat/cache".into()));
    let briefing = wave.handoff.briefing.lossy().into_owned();
    for part in [
        "===COMPRESSION_STATE===",
        "Skill: build",
        "Phase: 3",
        "- Phases 1 through 2 completed",
        "pre-wave-2",
        "git switch feat/cache",
        "Do not restore it a second time",
        "===END_COMPRESSION_STATE===",
    ] {
        assert!(briefing.contains(part), "{part}\n{briefing}");
    }
    assert_eq!(wave.handoff.argv[0], "claude");
    assert!(
        wave.handoff.argv[1]
            .lossy()
            .starts_with(&format!("/replay {} (", kit.memory().display()))
    );
    for part in [
        "# Replay Plan (dry-run)",
        "**Crashed at:** Phase 3, wave 2",
        "**Resume point:** Phase 3 boundary (pre-wave-2)",
        "**Work preserved:** 3m of active time (phases 1 through 2)",
        "| 1 | design-writer | 1 | did it |",
        "| 4 | implementer | 3 | dispatched | implementer |",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    let (first, _) = intent("wave-1").unwrap();
    assert!(first.handoff.argv[1].lossy().contains(" --from-phase 3 "));
    for point in ["disk", "fresh"] {
        assert_eq!(intent(point).unwrap().0.steps, [], "{point}");
    }
    assert_eq!(intent("fresh").unwrap().0.handoff.argv[1], "/build");
    assert!(intent("wave-7").is_none());
}

#[test]
fn a_number_leads_to_the_start_of_its_phase() {
    let kit = interrupted();
    let case = kit.open();
    let table = [
        (1, Some("fresh")),
        (2, Some("phase-2")),
        (4, Some("wave-1")),
        (9, None),
    ];
    for (seq, want) in table {
        let got = case.point_for_seq(seq, &[], &[], &kit.world);
        assert_eq!(got.map(|p| p.0), want.map(str::to_owned), "{seq}");
    }
}

#[test]
fn every_check_passes_on_a_sound_run_but_those_that_have_nothing_to_see() {
    let kit = interrupted();
    kit.write(
        &kit.root().join("tmp/crucible-build-mode.md"),
        &format!("mode: feature\nbaseline: {BASE}\n"),
    );
    kit.write(
        &kit.memory().join("handoff-2-to-3.md"),
        "# Phase Handoff: 2 → 3\n**Timestamp:** 2026-04-08T10:14:00Z\n**Goal:** Add a cache\n",
    );
    kit.write(&kit.memory().join("build-gate-ledger.md"), "# Build Gate Ledger\nGoal: Add a cache\n## Phase 1: Design\nStatus: PASS\n## Phase 2: Plan\nStatus: PASS\n");
    let case = kit.open();
    assert_eq!(case.reading().title, "Add a cache");
    let all = verdicts(&kit, &case);
    let ids: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12", "F13", "F14"
        ]
    );
    assert!(
        all.iter().all(|(_, verdict)| *verdict == Verdict::Pass),
        "{all:?}"
    );
}

#[test]
fn checks_fail_where_the_world_disagrees() {
    type Damage = fn(&mut Kit);
    let table: &[(&str, Verdict, Damage)] = &[
        ("F1", Verdict::Warn, |kit| {
            kit.manifest(&[
                line(1, "planner", "2", 0, "completed", ""),
                "{\"seq\":2,".to_owned(),
            ])
        }),
        ("F1", Verdict::Fail, |kit| {
            kit.manifest(&["nothing".to_owned()])
        }),
        ("F2", Verdict::Warn, |kit| {
            kit.manifest(&[
                line(1, "a", "2", 0, "completed", ""),
                line(3, "a", "2", 0, "completed", ""),
            ])
        }),
        ("F2", Verdict::Warn, |kit| {
            kit.manifest(&[
                line(1, "a", "2", 0, "dispatched", ""),
                line(1, "b", "2", 0, "completed", ""),
            ])
        }),
        ("F3", Verdict::Warn, |kit| kit.marker("2")),
        ("F3", Verdict::Warn, |kit| {
            std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap()
        }),
        ("F4", Verdict::Fail, |kit| {
            repo(kit).branch = Some("main".to_owned())
        }),
        ("F4", Verdict::Fail, |kit| repo(kit).branch = None),
        ("F4", Verdict::Warn, |kit| {
            std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
            let active = kit.memory().join(format!(".dispatch-active-{SID}"));
            kit.write(&active, "dispatch-dir: /tmp/x\nseq: 4\n");
        }),
        ("F4", Verdict::Skipped, |kit| {
            repo(kit).broken = Some(crate::world::git::GitError::Unsupported(
                "sha256".to_owned(),
            ))
        }),
        ("F5", Verdict::Fail, |kit| {
            drop(repo(kit).branches.get_mut("feat/cache").unwrap().pop())
        }),
        ("F6", Verdict::Fail, |kit| {
            drop(repo(kit).branches.get_mut("feat/cache").unwrap().remove(0))
        }),
        ("F6", Verdict::Skipped, |kit| {
            std::fs::remove_file(kit.dispatch().join("3-implementer.md")).unwrap()
        }),
        ("F7", Verdict::Fail, |kit| {
            kit.manifest(&done(1, "reviewer", "4", 0));
            kit.write(
                &kit.dispatch().join("receipt-ledger.jsonl"),
                "{\"dispatch_id\":\"1-reviewer\",\"verdict\":\"FAIL\"}\n",
            );
        }),
        ("F7", Verdict::Warn, |kit| {
            kit.manifest(&done(9, "reviewer", "4", 0))
        }),
        ("F9", Verdict::Warn, |kit| {
            kit.commit("c".repeat(40).as_str(), "2026-04-08T10:45:00Z", "wip")
        }),
        ("F10", Verdict::Fail, |kit| {
            kit.write(
                &kit.store().join("checkpoint-manifest.md"),
                "| deadbeef | 2026-04-08 10:00:00 | pre-wave-9 | build |\n",
            )
        }),
        ("F10", Verdict::Warn, |kit| {
            std::fs::remove_dir_all(kit.store()).unwrap()
        }),
        ("F11", Verdict::Warn, |kit| {
            kit.write(
                &kit.memory().join("handoff-2-to-3.md"),
                "**Timestamp:** 2026-04-01T10:14:00Z\n",
            )
        }),
        ("F12", Verdict::Warn, |kit| {
            std::fs::remove_file(kit.dispatch().join("4-implementer.md")).unwrap()
        }),
        ("F13", Verdict::Warn, |kit| {
            std::fs::create_dir_all(kit.memory()).unwrap()
        }),
        ("F13", Verdict::Fail, |kit| {
            kit.write(
                &kit.root().join("tmp/crucible-build-mode.md"),
                "mode: refactor\nbaseline: 1234567890\n",
            )
        }),
        ("F14", Verdict::Fail, |kit| {
            kit.write(&kit.memory().join("build-gate-ledger.md"), "# Build Gate Ledger\n## Phase 1: Design\nStatus: PASS\n## Phase 2: Plan\nStatus: FAIL\n")
        }),
        ("F14", Verdict::Warn, |kit| {
            kit.write(&kit.memory().join("build-gate-ledger.md"), "# Build Gate Ledger\n## Phase 1: Design\nStatus: PASS\n## Phase 2: Plan\nStatus: INFERRED\n")
        }),
    ];
    for (number, (id, want, damage)) in table.iter().enumerate() {
        let mut kit = interrupted();
        damage(&mut kit);
        assert_eq!(verdict(&kit, id), *want, "row {number}, {id}");
    }
}

fn repo(kit: &mut Kit) -> &mut FakeRepo {
    let proj = kit.proj();
    kit.world.git.repos.get_mut(&proj).unwrap()
}

#[test]
fn a_completed_dispatch_without_its_commit_fails_the_boundaries_behind_it() {
    let mut kit = interrupted();
    drop(
        repo(&mut kit)
            .branches
            .get_mut("feat/cache")
            .unwrap()
            .remove(0),
    );
    let verified: Vec<(String, Verdict)> = kit
        .boundaries(&kit.open())
        .into_iter()
        .map(|b| (b.id.0, b.verified))
        .collect();
    assert_eq!(verified[1], ("wave-1".to_owned(), Verdict::Pass));
    assert_eq!(verified[2], ("wave-2".to_owned(), Verdict::Fail));
    assert_eq!(verified[3], ("disk".to_owned(), Verdict::Warn));
}

#[test]
fn the_status_follows_the_notes_table() {
    type Change = fn(&mut Kit);
    let table: &[(&str, Status, &[Badge], Change)] = &[
        ("interrupted", Status::Interrupted, &[], |_| {}),
        ("orphan", Status::Interrupted, &[Badge::Orphan], |kit| {
            std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap()
        }),
        ("abandoned", Status::Interrupted, &[Badge::Stale], |kit| {
            kit.world.clock.0 = "2026-04-10T15:00:00Z".parse().unwrap()
        }),
        (
            "branch deleted",
            Status::Interrupted,
            &[Badge::BranchMismatch, Badge::Orphan],
            |kit| {
                let repo = repo(kit);
                let commits = repo.branches.remove("feat/cache").unwrap();
                repo.branches.insert("main".to_owned(), commits);
                repo.branch = Some("main".to_owned());
            },
        ),
        ("dirty", Status::Interrupted, &[Badge::Dirty], |kit| {
            repo(kit).status = vec![StatusPath {
                path: "a".into(),
                untracked: false,
            }]
        }),
        ("tidied up", Status::Complete, &[Badge::Inferred], |kit| {
            std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
            let copy = kit
                .memory()
                .join(format!("crucible-dispatch-{SID}/manifest.jsonl"));
            kit.write(
                &copy,
                &std::fs::read_to_string(kit.dispatch().join("manifest.jsonl")).unwrap(),
            );
            std::fs::remove_dir_all(kit.dispatch()).unwrap();
        }),
        ("given up", Status::Waiting, &[], |kit| {
            for name in ["manifest.jsonl", "4-implementer.md"] {
                let text = std::fs::read_to_string(kit.dispatch().join(name)).unwrap();
                kit.write(
                    &kit.memory()
                        .join(format!("crucible-dispatch-{SID}"))
                        .join(name),
                    &text,
                );
            }
        }),
        ("gate verdict", Status::Waiting, &[], |kit| {
            kit.write(
                &kit.memory().join("quality-gate/gate-verdict-1.md"),
                "Verdict: ESCALATED\nPhase: code\nTimestamp: 2026-04-08T10:50:00Z\n",
            );
        }),
        (
            "only the marker left",
            Status::Complete,
            &[Badge::CleanupPending],
            |kit| {
                kit.manifest(&done(1, "implementer", "4", 0));
                kit.write(
                    &kit.memory().join("build-gate-ledger.md"),
                    "# Build Gate Ledger\n## Phase 4: Completion\nStatus: PASS\n",
                );
            },
        ),
        ("ruined", Status::Unreadable, &[Badge::Damaged], |kit| {
            kit.manifest(&["{".to_owned()])
        }),
        (
            "not begun",
            Status::Interrupted,
            &[Badge::NotStarted],
            |kit| std::fs::remove_file(kit.dispatch().join("manifest.jsonl")).unwrap(),
        ),
        ("lost", Status::Unreadable, &[Badge::Damaged], |kit| {
            std::fs::remove_dir_all(kit.dispatch()).unwrap()
        }),
    ];
    for (name, status, badges, change) in table {
        let mut kit = interrupted();
        change(&mut kit);
        let case = kit.open();
        assert_eq!(
            case.reading().claim.status,
            *status,
            "{name}: {:?}",
            case.reading().claim
        );
        assert_eq!(case.reading().badges, *badges, "{name}");
    }
}
