//! A run of six dispatches with its project, its checkpoints and its templates, all of them real repositories.

use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, TimeZone as _, Utc};

use crate::git::RealGit;
use crate::git::scratch::{Scratch, Shadow};
use crate::model::{
    Checkpoint, CheckpointKind, Dispatch, DispatchStatus, Experiment, Foreign, Mutation, Origin,
    PipelineId, PointId, ReplayAsk, ReplayPlan, ReplayStart, Result, Runner, Stamp, StepBody,
};
use crate::replay::plan::plan;
use crate::world::Places;
use crate::world::clock::FixedClock;
use crate::world::fake::{FakeProcesses, FakeWorld};
use crate::world::real_files::RealFiles;

/// Minutes after the run began.
pub(super) fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 4, 8, 10, 0, 0).unwrap() + TimeDelta::minutes(minute)
}

const DAY: i64 = 24 * 60;

/// The run.
pub(super) struct Kit {
    dir: tempfile::TempDir,
    /// Its facts.
    pub(super) experiment: Experiment,
    /// Commits of the project, oldest first.
    pub(super) commits: Vec<String>,
    /// Commits of the templates: as the run had them, and with the reviewer's changed after it.
    pub(super) template_commits: Vec<String>,
    /// The repository of the templates.
    pub(super) plugin: Scratch,
    /// The runner that was settled on.
    pub(super) runner: Option<Runner>,
}

/// A template's text.
pub(super) fn template(name: &str) -> String {
    format!("# {name}\n\nDo the work of {name}.\n\n## Context\n\n## Output\n- Be brief.\n")
}

/// A dispatch file: header, template, and a line of context in it.
pub(super) fn dispatched(seq: u64, name: &str) -> String {
    let body = template(name).replace("## Context\n", &format!("## Context\n- for {seq} alone\n"));
    format!(
        "# Dispatch: {name}\n**Pipeline:** build | **Phase:** 3 | **Task:** null\n**Timestamp:** 2026-04-08T10:22:41Z\n**Dispatch-Dir:** /tmp/dd/\n\n---\n{body}"
    )
}

/// Template, phase, task, wave, begin (minutes), seconds.
type Row = (
    &'static str,
    &'static str,
    Option<&'static str>,
    Option<u64>,
    i64,
    u64,
);

const ROWS: [Row; 6] = [
    ("plan-writer", "2", None, None, 2, 300),
    ("implementer", "3", Some("1"), Some(1), 21, 300),
    ("implementer", "3", Some("2"), Some(1), 21, 240),
    ("reviewer", "3", Some("1"), Some(1), 27, 100),
    ("implementer", "3", Some("3"), Some(2), 41, 300),
    ("red-team", "4", None, None, 61, 200),
];

fn dispatch(seq: u64, row: &Row, dir: &Path) -> Dispatch {
    let (name, phase, task, wave, begun, seconds) = *row;
    let file = format!("{seq}-{name}.md");
    std::fs::write(dir.join(&file), dispatched(seq, name)).unwrap();
    Dispatch {
        seq,
        path: Some(dir.join(&file)),
        file: file.into(),
        template: name.into(),
        role: name.into(),
        phase: phase.into(),
        task: task.map(Foreign::from),
        status: DispatchStatus::Completed,
        duration_s: Some(seconds),
        summary: None,
        input_chars: None,
        output_chars: None,
        tool_calls: None,
        model_tier: Some("opus".into()),
        model: None,
        begun_at: Some(Stamp::utc(at(begun))),
        output: None,
        wave,
        replay_of: None,
        session: None,
        mutation: None,
        origin: Origin::file(dir.join("manifest.jsonl")),
    }
}

fn start(point: &str, phase: &str, redo: &[u64], id: &str, kind: CheckpointKind) -> ReplayStart {
    ReplayStart {
        point: PointId(point.to_owned()),
        label: point.into(),
        phase: phase.into(),
        redo: redo.to_vec(),
        checkpoint: Some(Checkpoint {
            id: id.to_owned(),
            kind,
            reason: point.into(),
            taken_at: None,
            source: "build".into(),
            brings_back: "".into(),
            cannot: vec!["Nested repositories are not in the checkpoint.".into()],
            drift: None,
        }),
        unusable: None,
    }
}

/// The project's commits and the boundaries between them.
fn project(dir: &Path) -> (PathBuf, Vec<String>, Vec<ReplayStart>) {
    let project = Scratch::init(&dir.join("proj"), "main", at(-DAY)).unwrap();
    let commit = |text: &str, minute| {
        let files: &[(&str, Option<&[u8]>)] = &[("a.txt", Some(text.as_bytes()))];
        project.commit(files, text, "", at(minute)).unwrap()
    };
    let mut commits = vec![commit("zero", -DAY)];
    let shadow = Shadow::init(&dir.join("store"), project.work_tree()).unwrap();
    let store = || CheckpointKind::Shadow {
        store: shadow.store().to_owned(),
    };
    let repo = project.work_tree().to_owned();
    let mut starts = vec![start(
        "start",
        "2",
        &[1, 2, 3, 4, 5, 6],
        &commits[0],
        CheckpointKind::Commit { repo: repo.clone() },
    )];
    let boundaries: [(&str, &str, &[u64], &str); 3] = [
        ("wave-1", "3", &[2, 3, 4, 5, 6], "pre-wave-1"),
        ("wave-2", "3", &[5, 6], "pre-wave-2"),
        ("phase-4", "4", &[6], "pre-code-review"),
    ];
    for (n, (point, phase, redo, reason)) in (1..).zip(boundaries) {
        commits.push(commit(&format!("commit {n}"), n * 20 - 5));
        let id = shadow.snapshot(reason, "build", at(n * 20)).unwrap();
        starts.push(start(point, phase, redo, &id, store()));
    }
    commits.push(commit("after the run", 2 * DAY));
    (repo, commits, starts)
}

fn plugin(dir: &Path) -> (Scratch, Vec<String>) {
    let plugin = Scratch::init(&dir.join("plugin"), "main", at(-9 * DAY)).unwrap();
    let names = ["plan-writer", "implementer", "reviewer", "red-team"];
    let files: Vec<(String, String)> = names
        .iter()
        .map(|name| (format!("skills/build/{name}-prompt.md"), template(name)))
        .collect();
    let files: Vec<(&str, Option<&[u8]>)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), Some(text.as_bytes())))
        .collect();
    let first = plugin.commit(&files, "Prompts", "", at(-9 * DAY)).unwrap();
    let later = template("reviewer").replace("- Be brief.", "- Be thorough.");
    let later: &[(&str, Option<&[u8]>)] =
        &[("skills/build/reviewer-prompt.md", Some(later.as_bytes()))];
    let second = plugin.commit(later, "Reviewer", "", at(DAY)).unwrap();
    (plugin, vec![first, second])
}

impl Kit {
    /// Builds it.
    pub(super) fn new() -> Self {
        let dir = crate::world::temporary::directory();
        let root = dir.path().canonicalize().unwrap();
        let (work_tree, commits, starts) = project(&root);
        let (plugin, template_commits) = plugin(&root);
        let folder = root.join("dd");
        std::fs::create_dir(&folder).unwrap();
        let dispatches = (1..)
            .zip(&ROWS)
            .map(|(seq, row)| dispatch(seq, row, &folder))
            .collect();
        let experiment = Experiment {
            session: "1775642400".into(),
            skill: "build".into(),
            manifest: folder.join("manifest.jsonl"),
            dispatch_dir: Some(folder),
            scratch_dir: None,
            started_at: Some(Stamp::utc(at(0))),
            work_tree: Some(work_tree),
            branch: Some("main".into()),
            baseline: Some(commits[0].clone()),
            end: None,
            dispatches,
            starts,
            plugin_templates: vec![plugin.work_tree().join("skills/build")],
        };
        let kit = Self {
            dir,
            experiment,
            commits,
            template_commits,
            plugin,
            runner: None,
        };
        let new =
            "# Swapped\n\nDo it otherwise.\n\n## Context\n\n## Output\n- Be brief.\n- Be exact.\n";
        kit.write("new.md", new);
        kit.write("identity.md", &template("red-team"));
        kit
    }

    /// A path beside the run.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    /// Writes a file there.
    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Edits a dispatch's facts.
    pub(super) fn change(&mut self, seq: u64, edit: impl FnOnce(&mut Dispatch)) {
        let found = self.experiment.dispatches.iter_mut();
        edit(found.into_iter().find(|one| one.seq == seq).unwrap());
    }

    /// What is asked with these mutations: original and a file beside the run.
    pub(super) fn ask(&self, mutations: &[(&str, &str)]) -> ReplayAsk {
        let mutation = |(original, file): &(&str, &str)| Mutation {
            original: (*original).into(),
            replacement: self.path(file),
        };
        ReplayAsk {
            mutations: mutations.iter().map(mutation).collect(),
            ..ReplayAsk::default()
        }
    }

    /// The plan.
    pub(super) fn plan(&self, ask: &ReplayAsk) -> Result<ReplayPlan> {
        let now = at(3 * DAY).fixed_offset();
        let world = FakeWorld {
            clock: FixedClock(now),
            files: RealFiles,
            git: RealGit,
            processes: FakeProcesses::default(),
            places: Places::default(),
        };
        plan(
            &PipelineId("crucible-1775642400~0000".to_owned()),
            self.experiment.clone(),
            ask,
            self.runner.clone(),
            &world,
        )
    }
}

/// The text of a step that is ready.
pub(super) fn ready(plan: &ReplayPlan, seq: u64) -> String {
    let step = plan.steps.iter().find(|step| step.original.seq == seq);
    match &step.unwrap().body {
        StepBody::Ready(text) => String::from_utf8(text.clone()).unwrap(),
        StepBody::Conflict(merge) => panic!("{seq} is in conflict: {merge:?}"),
    }
}

/// Whether one of some sentences holds these words.
pub(super) fn says(sentences: &[Foreign], words: &str) -> bool {
    sentences.iter().any(|one| one.lossy().contains(words))
}

/// The beginning of an id, as it is shown.
pub(super) fn short(id: &str) -> String {
    id.chars().take(8).collect()
}
