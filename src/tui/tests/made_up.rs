//! A made-up machine with pipelines in every state, some of them hostile to a terminal.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use crate::model::{
    Action, ActionKind, Aliveness, Badge, Boundary, Branch, ChangeCounts, Check, CheckId,
    Checkpoint, CheckpointKind, CheckpointNeed, Drift, DriftPath, Event, EventMark, Finding,
    Fingerprint, Foreign, Guard, Handoff, Liveness, Origin, PathChange, PathState, Phase,
    PhaseStatus, Pipeline, PipelineId, Plan, PlanOptions, PlanPath, PointId, PointKind, Preference,
    Preview, Progress, Readiness, RestoreMode, ResumePoint, Severity, Stamp, Standing, Status,
    SystemName, Verdict, WorkItem,
};
use crate::tui::data::{Dossier, Request, Scope, Sides, Skipped, Survey, Trouble};
use crate::tui::worker::Source;

/// Seconds since 1970 of the made-up now: 2026-11-21 12:00:00 UTC.
pub(super) const NOW: i64 = 1_795_262_400;

pub(super) fn stamp(seconds_ago: i64) -> Stamp {
    Stamp::from_unix(NOW - seconds_ago).unwrap()
}

pub(super) fn now() -> DateTime<FixedOffset> {
    stamp(0).at
}

/// The made-up machine.
#[derive(Default)]
pub(super) struct MadeUp {
    /// Nothing is there at all.
    pub(super) empty: bool,
    /// Looking fails.
    pub(super) broken: bool,
}

struct Sketch(
    &'static str,
    &'static str,
    &'static str,
    Status,
    &'static str,
    (u64, Option<u64>, &'static str),
    i64,
    &'static [Badge],
);

const SKETCHES: &[Sketch] = &[
    Sketch(
        "crucible",
        "1795",
        "Make the price page fast with a cache",
        Status::Interrupted,
        "phase 3, wave 2 · implementer, task 5",
        (2, Some(4), "phases"),
        3 * 3600,
        &[Badge::BranchMismatch, Badge::Dirty],
    ),
    Sketch(
        "autoconference",
        "tokenizer",
        "Make the tokenizer fast",
        Status::Interrupted,
        "round 2, phase 1 · researcher B",
        (1, Some(3), "rounds"),
        7 * 3600,
        &[Badge::Inferred],
    ),
    Sketch(
        "mgw",
        "87",
        "Dark mode",
        Status::Waiting,
        "plan · blocked by #85",
        (1, Some(5), "steps"),
        3 * 86_400,
        &[Badge::Stale],
    ),
    Sketch(
        "superscientist",
        "ring",
        "the radius of a polymer ring",
        Status::Interrupted,
        "stage-2 (Relax) · failed",
        (1, Some(3), "stages"),
        12 * 3600,
        &[],
    ),
    Sketch(
        "nine-step",
        "two-factor",
        "two-factor",
        Status::Waiting,
        "phase 1, step 2.5 (approval)",
        (0, Some(2), "phases"),
        4 * 86_400,
        &[Badge::Orphan],
    ),
    Sketch(
        "crucible",
        "1801",
        "日本語の検索を速くする、とても長い題名の例",
        Status::Live,
        "phase 2 · plan-writer",
        (1, Some(4), "phases"),
        20,
        &[],
    ),
    Sketch(
        "mgw",
        "91",
        "evil \u{1b}[31mred\u{1b}[0m \u{202e}gnp.exe\u{200b} \u{7} title",
        Status::Interrupted,
        "execute\nstep",
        (3, Some(5), "steps"),
        5 * 3600,
        &[Badge::Damaged],
    ),
    Sketch(
        "mgw",
        "92",
        "",
        Status::Unreadable,
        "unreadable",
        (0, None, "steps"),
        86_400,
        &[Badge::Damaged, Badge::Stale],
    ),
    Sketch(
        "superscientist",
        "catalyst",
        "find a catalyst",
        Status::Complete,
        "done",
        (2, Some(2), "stages"),
        9 * 86_400,
        &[],
    ),
    Sketch(
        "nine-step",
        "alerts",
        "price-alerts",
        Status::Complete,
        "merged",
        (3, Some(3), "phases"),
        20 * 86_400,
        &[Badge::CleanupPending],
    ),
];

fn id(sketch: &Sketch) -> PipelineId {
    PipelineId(format!("{}-{}~ab12", sketch.0, sketch.1))
}

fn pipeline(sketch: &Sketch) -> Pipeline {
    let Sketch(system, native, title, status, place, progress, age, badges) = sketch;
    let root = PathBuf::from(format!(
        "/home/ada/src/{}",
        if *system == "crucible" { "shop" } else { "lab" }
    ));
    let alive = *status == Status::Live;
    Pipeline {
        id: id(sketch),
        system: SystemName(system),
        native: (*native).into(),
        title: (*title).into(),
        state_files: vec![root.join(".state/manifest.jsonl")],
        work_tree: Some(root.clone()),
        root,
        branch: Some(Branch {
            expected: Some("feat/price-cache".into()),
            actual: Some(if badges.contains(&Badge::BranchMismatch) {
                "main".into()
            } else {
                "feat/price-cache".into()
            }),
        }),
        started_at: Some(stamp(age + 7200)),
        last_activity_at: Some(stamp(*age)),
        standing: Standing {
            status: *status,
            reason: match status {
                Status::Live => "An agent works in its project.".into(),
                Status::Waiting => "It waits for a person: an approval is asked for.".into(),
                Status::Interrupted => {
                    "Phase 3 is not finished, and the marker of the run was left behind.".into()
                }
                Status::Unreadable => "The state file holds no JSON.".into(),
                Status::Complete => "Every phase is finished.".into(),
            },
            liveness: Liveness {
                verdict: if alive {
                    Aliveness::Alive
                } else {
                    Aliveness::Dead
                },
                evidence: vec![if alive {
                    "pid 4711, started 11:58, works in /home/ada/src/shop.".into()
                } else {
                    "No agent program works in the project; the last write is 3 h old.".into()
                }],
            },
        },
        stopped_where: (*place).into(),
        progress: Progress {
            done: progress.0,
            total: progress.1,
            unit: progress.2,
        },
        badges: badges.to_vec(),
        phases: phases(),
        findings: if badges.contains(&Badge::Damaged) {
            vec![Finding::new(
                Severity::Warn,
                "torn-line",
                Origin::line("/home/ada/src/lab/.state/manifest.jsonl", 17),
                "The last line is cut mid-write.",
            )]
        } else {
            Vec::new()
        },
    }
}

fn phases() -> Vec<Phase> {
    let phase = |id: &str, name: &str, status, done, total, attempts, took| Phase {
        id: id.into(),
        name: name.into(),
        status,
        native_status: "x".into(),
        done,
        total,
        attempts,
        started_at: Some(stamp(9000)),
        ended_at: None,
        duration_s: took,
        detail: Foreign::default(),
    };
    vec![
        phase(
            "1",
            "Phase 1 · design",
            PhaseStatus::Done,
            2,
            Some(2),
            1,
            Some(780),
        ),
        phase(
            "2",
            "Phase 2 · plan",
            PhaseStatus::Done,
            2,
            Some(2),
            2,
            Some(960),
        ),
        phase(
            "3",
            "Phase 3 · build 日本",
            PhaseStatus::Active,
            3,
            Some(5),
            1,
            Some(1860),
        ),
        phase(
            "3.5",
            "Phase 3.5 · mend",
            PhaseStatus::Invalidated,
            1,
            Some(1),
            1,
            None,
        ),
        phase(
            "4",
            "Phase 4 · review",
            PhaseStatus::Pending,
            0,
            None,
            0,
            None,
        ),
    ]
}

/// Events of a made-up run: a failure, a retry, a silence, hostile text.
pub(super) fn events() -> Vec<Event> {
    let event = |ago: i64,
                 kind: &str,
                 phase: &str,
                 subject: &str,
                 status: Option<&str>,
                 text: &str,
                 mark| Event {
        at: Some(stamp(ago)),
        at_text: None,
        kind: kind.into(),
        phase: Some(phase.into()),
        subject: subject.into(),
        status: status.map(Foreign::from),
        text: text.into(),
        origin: Origin::line("/home/ada/src/shop/.state/manifest.jsonl", 1),
        mark,
    };
    use EventMark::{Error, Plain, Warning};
    vec![
        event(
            90_000,
            "dispatched",
            "1",
            "researcher",
            None,
            "Design: one cache a product",
            Plain,
        ),
        event(
            89_000,
            "completed",
            "1",
            "researcher",
            Some("pass"),
            "PASS after 2 rounds",
            Plain,
        ),
        event(
            80_000,
            "dispatched",
            "2",
            "plan-writer",
            None,
            "Plan: 4 tasks in 2 waves",
            Plain,
        ),
        event(
            79_900,
            "skipped",
            "2",
            "line 4",
            None,
            "not JSON: cut at byte 81 204",
            Warning,
        ),
        event(
            79_000,
            "completed",
            "2",
            "red-team",
            Some("pass"),
            "no open findings",
            Plain,
        ),
        event(
            14_000,
            "dispatched",
            "3",
            "implementer, task 4",
            None,
            "Task 4: 日本語 \u{1b}[2J\u{202e} text",
            Plain,
        ),
        event(
            13_000,
            "failed",
            "3",
            "implementer, task 4",
            Some("failed"),
            "3 tests fail in cache.rs",
            Error,
        ),
        event(
            12_900,
            "dispatched",
            "3",
            "implementer, task 4",
            Some("retry"),
            "second attempt",
            Warning,
        ),
        event(
            10_800,
            "dispatched",
            "3",
            "implementer, task 5",
            None,
            "Task 5: warm the cache",
            Plain,
        ),
    ]
}

fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "F1",
            "manifest integrity",
            Verdict::Pass,
            "16 lines can be read.",
        ),
        Check::new(
            "F4",
            "phase 3, dispatch 8",
            Verdict::Fail,
            "The dispatch says that src/cache.rs was written, but the file is not there.",
        )
        .remedy("Take up before dispatch 8: point wave-1."),
        Check::new(
            "F9",
            "branch",
            Verdict::Warn,
            "The run was on feat/price-cache; main is checked out.",
        )
        .remedy("git switch feat/price-cache"),
        Check::new(
            "F12",
            "checkpoint store",
            Verdict::Skipped,
            "The store is in a format that cannot be read here.",
        ),
        Check::new("F13", "scratch files", Verdict::Pass, "All 12 are there."),
    ]
}

fn checkpoint(reason: &str, hex: &str, ago: i64) -> Checkpoint {
    Checkpoint {
        id: hex.repeat(10),
        kind: CheckpointKind::Shadow {
            store: "/home/ada/.claude/checkpoints/shop".into(),
        },
        reason: reason.into(),
        taken_at: Some(stamp(ago)),
        source: "the shadow store".into(),
        brings_back: "214 files of the work tree".into(),
        cannot: vec!["Ignored files are not in it.".into()],
        drift: None,
    }
}

fn checkpoints() -> Vec<Checkpoint> {
    vec![
        checkpoint("pre-wave-1", "3fa2", 15_000),
        checkpoint("pre-wave-2", "9c01", 11_000),
        Checkpoint {
            kind: CheckpointKind::Record {
                path: "/home/ada/x.tsv".into(),
            },
            id: "row-12".into(),
            ..checkpoint("row 12", "aaaa", 10_900)
        },
    ]
}

fn points() -> Vec<ResumePoint> {
    let point = |id: &str,
                 label: &str,
                 kind,
                 verified,
                 kept,
                 redone,
                 lost,
                 checkpoint,
                 readiness,
                 reason: &str,
                 recommended| ResumePoint {
        boundary: Boundary {
            id: PointId(id.to_owned()),
            label: label.into(),
            phase: Some("3".into()),
            kind,
            verified,
            failing: if verified == Verdict::Fail {
                vec![CheckId("F4".to_owned())]
            } else {
                Vec::new()
            },
            checkpoint,
            kept,
            redone,
            time_lost_s: lost,
            warnings: if recommended {
                vec!["Two files came since the checkpoint.".into()]
            } else {
                Vec::new()
            },
            reason: reason.into(),
            preference: Preference::Rung,
        },
        recommended,
        reason: reason.into(),
        readiness,
    };
    vec![
        point(
            "phase-2",
            "Phase 2, from before the plan gate",
            PointKind::Boundary,
            Verdict::Pass,
            2,
            7,
            Some(2820),
            CheckpointNeed::Missing {
                wanted: "pre-phase-2".into(),
            },
            Readiness::Blocked(vec!["There is no checkpoint pre-phase-2.".into()]),
            "Its checkpoint is gone.",
            false,
        ),
        point(
            "wave-1",
            "Wave 1 of phase 3",
            PointKind::Boundary,
            Verdict::Pass,
            4,
            5,
            Some(1860),
            CheckpointNeed::Found(checkpoint("pre-wave-1", "3fa2", 15_000)),
            Readiness::NeedsRestore,
            "Everything before it is verified, and its checkpoint can be read.",
            true,
        ),
        point(
            "wave-2",
            "Wave 2 of phase 3",
            PointKind::Boundary,
            Verdict::Fail,
            6,
            3,
            Some(700),
            CheckpointNeed::Found(checkpoint("pre-wave-2", "9c01", 11_000)),
            Readiness::NeedsRestore,
            "A file that it rests on is not there.",
            false,
        ),
        point(
            "disk",
            "Current state",
            PointKind::CurrentState,
            Verdict::Warn,
            7,
            2,
            Some(0),
            CheckpointNeed::None,
            Readiness::Ready,
            "Nothing is restored.",
            false,
        ),
        point(
            "fresh",
            "Start over",
            PointKind::Fresh,
            Verdict::Pass,
            0,
            9,
            None,
            CheckpointNeed::None,
            Readiness::Ready,
            "Everything is done again.",
            false,
        ),
    ]
}

fn paths(mode: RestoreMode) -> Vec<PlanPath> {
    let path = |path: &[u8], change| PlanPath {
        path: path.into(),
        change,
        blob: Some("ab".repeat(20)),
    };
    let newer = if mode == RestoreMode::Exact {
        PathChange::Remove
    } else {
        PathChange::KeepNewer
    };
    vec![
        path(b"src/cache.rs", PathChange::Create),
        path(b"src/page.rs", PathChange::Write),
        path("src/日本/価格.rs".as_bytes(), PathChange::Write),
        path(b"src/\x1b[31mred\xff.rs", PathChange::Write),
        path(b"notes/today.md", newer),
        path(b"vendor/nested", PathChange::NotCovered),
    ]
}

fn plan(point: &ResumePoint, options: &PlanOptions, id: &PipelineId) -> Plan {
    let restores = matches!(point.readiness, Readiness::NeedsRestore);
    let kept_path = |path: &PlanPath| {
        let bytes = path.path.as_bytes();
        options.paths.is_empty()
            || options
                .paths
                .iter()
                .any(|wanted| std::os::unix::ffi::OsStrExt::as_bytes(wanted.as_os_str()) == bytes)
    };
    let paths: Vec<PlanPath> = paths(options.mode).into_iter().filter(kept_path).collect();
    let count = |change| paths.iter().filter(|path| path.change == change).count() as u64;
    let counts = ChangeCounts {
        modified: count(PathChange::Write),
        added: count(PathChange::Create),
        removed: count(PathChange::Remove),
    };
    let work = |id: u64, label: &str| WorkItem {
        id: id.to_string().into(),
        label: label.into(),
        detail: "PASS: no open findings".into(),
        duration_s: Some(id * 60),
    };
    let mut actions = Vec::new();
    if restores {
        actions = vec![
            Action {
                kind: ActionKind::RestoreTree,
                target: "/home/ada/src/shop".into(),
                summary: "Puts the work tree back to pre-wave-1.".into(),
                changes: Some(counts),
                paths,
                preview: Preview::Tree {
                    store: "/store".into(),
                    commit: "3fa2".repeat(10),
                },
            },
            Action {
                kind: ActionKind::ReplaceFile,
                target: "/home/ada/src/shop/.state/state.json".into(),
                summary: "Sets the current wave.".into(),
                changes: None,
                paths: Vec::new(),
                preview: Preview::Content {
                    before: Some(b"{\n  \"wave\": 2\n}\n".to_vec()),
                    after: b"{\n  \"wave\": 1\n}\n".to_vec(),
                },
            },
            Action {
                kind: ActionKind::TruncateRows,
                target: "/home/ada/src/shop/results.tsv".into(),
                summary: "Cuts the rows of the open round.".into(),
                changes: None,
                paths: Vec::new(),
                preview: Preview::Rows {
                    removed: vec!["13\tB\t0.91".into(), "14\tC\t0.92".into()],
                },
            },
            Action {
                kind: ActionKind::AppendLines,
                target: "/home/ada/src/shop/events.jsonl".into(),
                summary: "Says that it goes on.".into(),
                changes: None,
                paths: Vec::new(),
                preview: Preview::Lines {
                    appended: vec!["{\"event\":\"conference.resumed\"}".into()],
                },
            },
            Action {
                kind: ActionKind::MoveAside,
                target: "/home/ada/src/shop/out".into(),
                summary: "Makes room for new output.".into(),
                changes: None,
                paths: Vec::new(),
                preview: Preview::Rename {
                    to: "/home/ada/src/shop/out.before".into(),
                },
            },
        ];
    }
    Plan {
        fingerprint: Fingerprint(
            format!("{:x}", 0xabcd_ef01_2345_u64 + options.paths.len() as u64).repeat(4),
        ),
        pipeline: id.clone(),
        point: point.clone(),
        kept: (1..=4).map(|n| work(n, "phase 1 · researcher")).collect(),
        redone: (5..=9)
            .map(|n| work(n, "phase 3 · implementer, 日本"))
            .collect(),
        destructive: restores,
        actions,
        guards: vec![
            Guard {
                id: "branch",
                holds: !restores,
                text: "The run was on feat/price-cache; main is checked out.".into(),
                would_hold_if: restores.then(|| "git switch feat/price-cache".into()),
            },
            Guard {
                id: "liveness",
                holds: true,
                text: "Nothing works on it any more.".into(),
                would_hold_if: None,
            },
        ],
        losses: if restores {
            vec![
                "Uncommitted work in 3 files is overwritten; it is kept and can be put back."
                    .into(),
            ]
        } else {
            Vec::new()
        },
        handoff: Handoff {
            cwd: "/home/ada/src/shop".into(),
            argv: vec!["claude".into(), "/replay it's me".into()],
            prompt: Foreign::default(),
            briefing: "Project: /home/ada/src/shop\nGo on with wave 1.".into(),
        },
    }
}

impl Source for MadeUp {
    fn now(&self) -> DateTime<FixedOffset> {
        now()
    }

    fn survey(
        &self,
        request: &Request,
        found: &(dyn Fn(Pipeline) + Sync),
    ) -> Result<Survey, Trouble> {
        if self.broken {
            return Err(Trouble {
                text: "The current directory cannot be read.".into(),
                hints: vec!["Change to a directory that exists.".into()],
            });
        }
        let sketches = if self.empty { &[] } else { SKETCHES };
        let pipelines: Vec<Pipeline> = sketches.iter().map(pipeline).collect();
        pipelines.iter().cloned().for_each(found);
        Ok(Survey {
            pipelines,
            skipped: vec![Skipped {
                path: "/home/ada/other/manifest.jsonl".into(),
                reason: "no seq in any line".into(),
            }],
            elsewhere: if request.scope == Some(Scope::Machine) {
                0
            } else {
                12
            },
            scope: request.scope.unwrap_or(Scope::Repository),
            searched: vec![
                "/home/ada/src/shop".into(),
                "/home/ada/.claude/projects".into(),
            ],
            watch: Vec::new(),
        })
    }

    fn dossier(&self, wanted: &PipelineId) -> Result<Dossier, Trouble> {
        let sketch = SKETCHES.iter().find(|sketch| id(sketch) == *wanted);
        let pipeline = pipeline(sketch.ok_or_else(|| Trouble::new("There is no such pipeline."))?);
        if pipeline.standing.status == Status::Unreadable {
            return Err(Trouble {
                text: "The state file holds no JSON.".into(),
                hints: vec!["Look at it with o.".into()],
            });
        }
        let complete = pipeline.standing.status == Status::Complete;
        Ok(Dossier {
            pipeline,
            timeline: Arc::new(events()),
            checks: if complete {
                checks()
                    .into_iter()
                    .filter(|check| check.verdict == Verdict::Pass)
                    .collect()
            } else {
                checks()
            },
            points: if complete { Vec::new() } else { points() },
            checkpoints: if complete { Vec::new() } else { checkpoints() },
        })
    }

    fn drift(&self, _: &PipelineId, checkpoint: &Checkpoint) -> Result<Option<Drift>, Trouble> {
        match checkpoint.reason.as_str() {
            Some("pre-wave-1") => Ok(Some(Drift {
                modified: 3,
                missing: 1,
                created: 2,
                not_covered: 1,
                paths: vec![DriftPath {
                    path: "src/cache.rs".into(),
                    state: PathState::Missing,
                    blob: None,
                }],
            })),
            Some("pre-wave-2") => Ok(Some(Drift::default())),
            _ => Ok(None),
        }
    }

    fn plan(
        &self,
        id: &PipelineId,
        point: Option<&PointId>,
        options: &PlanOptions,
    ) -> Result<Plan, Trouble> {
        let points = points();
        let found = points
            .iter()
            .find(|known| point.map_or(known.recommended, |point| known.boundary.id == *point));
        let found = found.ok_or_else(|| Trouble::new("There is no such point."))?;
        Ok(plan(found, options, id))
    }

    fn sides(&self, plan: &Plan, action: usize, path: Option<usize>) -> Result<Sides, Trouble> {
        let action = &plan.actions[action];
        if let Preview::Content { before, after } = &action.preview {
            return Ok(Sides {
                before: before.clone(),
                after: Some(after.clone()),
                title: Foreign::from(&action.target),
            });
        }
        let before: String = (1..=60)
            .map(|line| format!("line {line} of the page, as it is\n"))
            .collect();
        let after = before
            .replace(
                "line 7 of the page, as it is\n",
                "line 7 of the page, as it was\n",
            )
            .replace(
                "line 30 of the page, as it is\n",
                "line 30 日本語 \u{1b}[2J\nand a new line\n",
            )
            .replace("line 50 of the page, as it is\n", "");
        Ok(Sides {
            before: Some(before.into_bytes()),
            after: Some(after.into_bytes()),
            title: path.map_or_else(
                || Foreign::from(&action.target),
                |path| action.paths[path].path.clone(),
            ),
        })
    }

    fn raw(&self, _: &Origin) -> Result<Vec<u8>, Trouble> {
        Ok(
            b"{\"seq\":8,\"status\":\"failed\",\"goal\":\"\\u001b[31m\",\"nested\":{\"a\":[1,2]}}"
                .to_vec(),
        )
    }

    fn open(&self, _: &Origin) -> Result<(), Trouble> {
        Ok(())
    }
}
