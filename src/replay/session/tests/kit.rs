//! A project with a crashed crucible run, built in a folder of the test's own, and a plan to replay it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, TimeZone as _, Utc};

use super::super::{Ground, Session, group};
use crate::apply::disk::RealDisk;
use crate::git::RealGit;
use crate::git::scratch::{Content, Scratch, Shadow};
use crate::model::{
    Checkpoint, CheckpointKind, Dispatch, DispatchStatus, Experiment, Fingerprint, Mutation,
    Origin, PipelineId, PointId, ReplayAsk, ReplayPlan, ReplayStart, ReplayStep, Resolution,
    Resolved, Runner, SessionId, StepBody, TemplateSwap,
};
use crate::replay::run::Ended;
use crate::world::Places;
use crate::world::clock::FixedClock;
use crate::world::fake::{FakeProcesses, FakeWorld};
use crate::world::real_files::RealFiles;

/// The world, the project and what a replay is planned from.
pub(super) struct Kit {
    /// Removed with the kit.
    _dir: tempfile::TempDir,
    pub(super) root: PathBuf,
    pub(super) state: PathBuf,
    pub(super) world: FakeWorld<RealGit>,
    pub(super) disk: RealDisk,
    pub(super) project: Scratch,
    pub(super) shadow: Shadow,
    pub(super) commit: String,
    pub(super) checkpoint: String,
}

/// The dispatch that the original wrote under a number.
pub(super) fn dispatched(seq: u64, dir: &Path) -> String {
    format!(
        "# Dispatch: build-implementer\n**Pipeline:** build | **Phase:** 3 | **Task:** {seq}\n\
         **Timestamp:** 2026-04-08T10:22:41Z\n**Dispatch-Dir:** {}/\n\n---\nDo task {seq}. \u{1f980}\n",
        dir.display()
    )
}

/// The manifest of the original, its last line torn.
pub(super) const MANIFEST: &str = "{\"seq\":7,\"file\":\"7-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":7,\"status\":\"completed\",\"duration_s\":612,\"summary\":\"Task 7\"}\n{\"seq\":9,\"file\":\"9-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":9,\"status\":\"dispatched\"}\n{\"seq\":8,\"file\":\"8-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":8,\"status\":\"disp";

pub(super) fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-04-09T12:00:01+02:00").unwrap()
}

pub(super) fn seconds() -> String {
    now().timestamp().to_string()
}

fn at(minute: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 4, 8, 10, minute, 0).unwrap()
}

impl Kit {
    pub(super) fn new() -> Self {
        let dir = crate::world::temporary::directory();
        let root = dir.path().canonicalize().unwrap();
        let project = Scratch::init(&root.join("proj"), "feat/cache", at(0)).unwrap();
        let files: &[(&[u8], Content<'_>)] = &[
            (b"README.md", Content::File(b"hello\n")),
            (b"src/a.rs", Content::File(b"fn a() {}\n")),
            (b"bin/run", Content::Executable(b"#!/bin/sh\n")),
            (b"link", Content::Link(b"../../outside")),
            (b".gitignore", Content::File(b"/target\n")),
        ];
        let commit = project.commit_contents(files, "First", "", at(1)).unwrap();
        let nested = Scratch::init(&root.join("proj/vendor"), "main", at(1)).unwrap();
        nested
            .commit(&[("v.txt", Some(b"v\n"))], "Vendored", "", at(1))
            .unwrap();
        std::fs::create_dir_all(root.join("proj/.git/info")).unwrap();
        std::fs::write(root.join("proj/.git/info/exclude"), "*.tmp\n").unwrap();
        std::fs::write(root.join("proj/src/a.rs"), "fn a() { 1 }\n").unwrap();
        std::fs::write(root.join("proj/src/new.rs"), "fn new() {}\n").unwrap();
        let shadow = Shadow::init(&root.join("claude/checkpoints/x"), project.work_tree()).unwrap();
        let checkpoint = shadow.snapshot("pre-wave-2", "build", at(3)).unwrap();
        std::fs::write(root.join("proj/src/a.rs"), "fn a() { 2 }\n").unwrap();
        let dispatch = root.join("tmp/crucible-dispatch-1775430161");
        std::fs::create_dir_all(&dispatch).unwrap();
        std::fs::write(dispatch.join("manifest.jsonl"), MANIFEST).unwrap();
        for seq in 7..10 {
            let file = dispatch.join(format!("{seq}-build-implementer.md"));
            std::fs::write(file, dispatched(seq, &dispatch)).unwrap();
        }
        let world = FakeWorld {
            clock: FixedClock(now()),
            files: RealFiles,
            git: RealGit,
            processes: FakeProcesses::default(),
            places: Places {
                state: Some(root.join("state")),
                uid: rustix::process::geteuid().as_raw(),
                ..Places::default()
            },
        };
        Self {
            _dir: dir,
            state: root.join("state"),
            root,
            world,
            disk: RealDisk::new(),
            project,
            shadow,
            commit,
            checkpoint,
        }
    }

    pub(super) fn path(&self, rel: &str) -> PathBuf {
        self.root.join(rel)
    }

    pub(super) fn dispatch_dir(&self) -> PathBuf {
        self.path("tmp/crucible-dispatch-1775430161")
    }

    pub(super) fn pipeline() -> PipelineId {
        PipelineId("crucible-1775430161~ab12".to_owned())
    }

    /// A plan that runs 8 and 9 again; the template of 9 is swapped.
    pub(super) fn plan(&self) -> ReplayPlan {
        let step = |seq: u64, mutation| ReplayStep {
            control: None,
            original: self.original(seq),
            wave: 0,
            mutation,
            body: StepBody::Ready(dispatched(seq, &self.dispatch_dir()).into_bytes()),
        };
        ReplayPlan {
            fingerprint: Fingerprint("f".repeat(64)),
            pipeline: Self::pipeline(),
            ask: ReplayAsk {
                mutations: vec![self.mutation()],
                resolutions: vec![Resolution {
                    seq: Some(9),
                    how: Resolved::Edited(b"Do it. \xff\n".to_vec()),
                }],
                ..ReplayAsk::default()
            },
            experiment: self.experiment(),
            start: 0,
            commit: Some(self.commit.clone()),
            steps: vec![step(8, None), step(9, Some(0))],
            mutations: vec![TemplateSwap {
                mutation: self.mutation(),
                template: Some(b"old\n".to_vec()),
                template_from: "skills/build".into(),
                replacement: b"new \xff\n".to_vec(),
                dispatches: 1,
            }],
            confounders: vec!["No pinned ref.".into()],
            notes: Vec::new(),
            runner: Some(Runner {
                name: "stand-in".into(),
                argv: vec!["relight".into(), "{prompt}".into()],
                timeout_s: 60,
                retries: 1,
                models: std::collections::BTreeMap::new(),
            }),
            handoff: None,
            isolation: crate::model::Isolation::default(),
            unlike_original: Vec::new(),
            cost: crate::model::ReplayCost::default(),
            earlier: None,
            offered: crate::model::Offered::default(),
        }
    }

    fn mutation(&self) -> Mutation {
        Mutation {
            original: "build-implementer-prompt.md".into(),
            replacement: self.path("mine/v2.md"),
        }
    }

    fn original(&self, seq: u64) -> Dispatch {
        let dir = self.dispatch_dir();
        let file = format!("{seq}-build-implementer.md");
        Dispatch {
            seq,
            template: "build-implementer".into(),
            role: "implementer".into(),
            phase: "3".into(),
            task: Some(seq.to_string().into()),
            status: DispatchStatus::Dispatched,
            duration_s: Some(60),
            summary: None,
            input_chars: None,
            output_chars: None,
            tool_calls: None,
            model_tier: Some("opus".into()),
            model: None,
            begun_at: None,
            path: Some(dir.join(&file)),
            output: None,
            wave: None,
            replay_of: None,
            session: None,
            mutation: None,
            origin: Origin::file(dir.join("manifest.jsonl")),
            file: file.into(),
        }
    }

    fn experiment(&self) -> Experiment {
        Experiment {
            session: "1775430161".into(),
            skill: "build".into(),
            manifest: self.dispatch_dir().join("manifest.jsonl"),
            dispatch_dir: Some(self.dispatch_dir()),
            scratch_dir: None,
            started_at: None,
            work_tree: Some(self.project.work_tree().to_owned()),
            branch: Some("feat/cache".into()),
            baseline: Some(self.commit.clone()),
            end: None,
            dispatches: (7..10).map(|seq| self.original(seq)).collect(),
            starts: vec![ReplayStart {
                point: PointId("wave-2".to_owned()),
                label: "Wave 2".into(),
                phase: "3".into(),
                redo: vec![8, 9],
                checkpoint: Some(Checkpoint {
                    id: self.checkpoint.clone(),
                    kind: CheckpointKind::Shadow {
                        store: self.shadow.store().to_owned(),
                    },
                    reason: "pre-wave-2".into(),
                    taken_at: None,
                    source: "build".into(),
                    brings_back: "files".into(),
                    cannot: Vec::new(),
                    drift: None,
                }),
                unusable: None,
            }],
            plugin_templates: Vec::new(),
        }
    }

    pub(super) fn ground(&self) -> Ground<'_> {
        Ground {
            disk: self.disk.clone(),
            world: &self.world,
            state: &self.state,
            now: now(),
        }
    }

    /// Makes a session of this plan, expected to succeed.
    pub(super) fn create(&self, plan: &ReplayPlan) -> Session<'_> {
        self.try_create(plan).unwrap()
    }

    pub(super) fn try_create(&self, plan: &ReplayPlan) -> std::io::Result<Session<'_>> {
        let ground = self.ground();
        let group = group(&ground, &plan.pipeline, &[]).unwrap();
        Session::create(&ground, plan, (&group, None), &|_, _| {})
    }

    pub(super) fn reopen(&self, id: &SessionId) -> std::io::Result<(Session<'_>, ReplayPlan)> {
        Session::reopen(&self.ground(), &Self::pipeline(), id)
    }

    pub(super) fn all(&self) -> Vec<crate::model::ReplaySession> {
        super::super::all(&self.world, &self.state, &Self::pipeline()).unwrap()
    }

    /// Everything that is not relight's own, byte for byte.
    pub(super) fn others(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        for name in ["proj", "claude", "tmp"] {
            picture(&self.path(name), &mut found);
        }
        found
    }
}

/// What is under a folder.
pub(super) fn picture(dir: &Path, found: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        let bytes = if meta.is_dir() {
            picture(&path, found);
            Vec::new()
        } else if meta.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            target.into_os_string().into_encoded_bytes()
        } else {
            std::fs::read(&path).unwrap()
        };
        found.insert(path, (meta.permissions().mode(), bytes));
    }
}

/// An answer of a runner.
pub(super) fn ended(status: DispatchStatus, summary: &str) -> Ended {
    Ended {
        status,
        duration_s: 5,
        summary: summary.into(),
        output_chars: 11,
    }
}
