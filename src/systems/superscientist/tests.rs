//! Builders for the tests of this system.

use std::path::{Path, PathBuf};

use crate::formats::json;
use crate::model::{
    Boundary, Check, Handoff, Intent, PlanOptions, PointId, Preference, Prospect, Verdict,
};
use crate::systems::superscientist::Superscientist;
use crate::systems::superscientist::shape::{JobRecord, Stage, State};
use crate::systems::{Candidate, Case, Found, Hit, Sniffed, System as _};
use crate::world::fake::{FakeRepo, FakeWorld};
use crate::world::git::Commit;
use crate::world::process::{Pane, TmuxSession};

/// A state file with these stages: id, status, dependencies.
pub(crate) fn document(stages: &[(&str, &str, &[&str])]) -> String {
    let stage = |(id, status, needs): &(&str, &str, &[&str])| {
        let needs: Vec<String> = needs.iter().map(|n| format!("\"{n}\"")).collect();
        let needs = needs.join(", ");
        format!(
            "    {{\n      \"id\": \"{id}\",\n      \"name\": \"Name of {id}\",\n      \"status\": \"{status}\",\n      \"depends_on\": [{needs}],\n      \"backend\": null,\n      \"inputs\": [],\n      \"outputs\": [\"{id}/out.dat\"],\n      \"parameters\": {{\"tol\": 1e-6, \"κ\": 18.0}},\n      \"success_criteria\": \"it converges\",\n      \"started_at\": null,\n      \"completed_at\": null,\n      \"retry_count\": 0,\n      \"last_error\": null,\n      \"running_process\": null\n    }}"
        )
    };
    let stages: Vec<String> = stages.iter().map(stage).collect();
    format!(
        "{{\n  \"workflow_id\": \"demo-2026-06-01\",\n  \"version\": 1,\n  \"created\": \"2026-06-01T08:00:00Z\",\n  \"updated\": \"2026-06-01T08:00:00Z\",\n  \"experiment_design\": \"docs/design.md\",\n  \"workflow_plan\": \"docs/plan.md\",\n  \"amendments\": [],\n  \"default_backend\": \"local\",\n  \"backend_profiles\": {{\n    \"local\": {{\"type\": \"local\", \"config\": {{\"batch_type\": \"Shell\", \"context_type\": \"LocalContext\"}}}}\n  }},\n  \"stages\": [\n{}\n  ]\n}}\n",
        stages.join(",\n")
    )
}

/// A parsed state file.
pub(crate) fn parsed(text: &str) -> State {
    let map = json::object(text.as_bytes()).unwrap();
    State::read(text.as_bytes().to_vec(), map).unwrap()
}

/// The same as a parsed state.
pub(crate) fn state(stages: &[(&str, &str, &[&str])]) -> State {
    parsed(&document(stages))
}

/// Only the stages.
pub(crate) fn stages(stages: &[(&str, &str, &[&str])]) -> Vec<Stage> {
    state(stages).stages
}

/// Gives a stage a job record with derived names.
pub(crate) fn with_job(state: &mut State, at: usize, recovery: bool) -> JobRecord {
    let id = state.stages[at].id.clone();
    let job = JobRecord {
        tmux_session: format!("dpdisp_{id}"),
        wrapper_script: format!("{id}/dpdisp-run.sh"),
        done_marker: format!("{id}/DPDISP_DONE"),
        exit_code_file: format!("{id}/DPDISP_EXIT_CODE"),
        recovery_attempted: recovery,
        launched_at: None,
    };
    state.stages[at].job = Some(job.clone());
    job
}

/// A workflow on disk, in a world with a fixed clock.
pub(crate) struct Site {
    dir: tempfile::TempDir,
    pub(crate) wf: PathBuf,
    pub(crate) world: FakeWorld,
}

impl Site {
    /// A healthy workflow with these stages: outputs of completed ones, a log that agrees, documents, programs.
    pub(crate) fn new(stages: &[(&str, &str, &[&str])]) -> Self {
        let dir = crate::world::temporary::directory();
        let wf = std::fs::canonicalize(dir.path()).unwrap().join("repo/run");
        let mut world = FakeWorld::from("2026-06-03T00:00:00Z");
        world.processes.programs = ["tmux", "uvx", "claude", "python3"]
            .map(str::to_owned)
            .into();
        let site = Self { dir, wf, world };
        let mut log = "[2026-06-01T08:00:00+00:00] Workflow created: demo-2026-06-01. 2 stages. Purpose: Measure the gyration radius.\n".to_owned();
        for (id, status, _) in stages.iter().filter(|(_, status, _)| *status != "pending") {
            log += "[2026-06-01T09:00:00+00:00] ";
            let words = [id, " (Name of ", id, "): status -> ", status, "\n"];
            log += &words.concat();
            if *status == "completed" {
                site.write(&format!("{id}/out.dat"), "1 2 3\n");
            }
        }
        let mut text = document(stages);
        for (id, _, _) in stages
            .iter()
            .filter(|(_, status, _)| *status == "completed")
        {
            let at = text.find(&format!("\"id\": \"{id}\"")).unwrap();
            let (head, tail) = text.split_at(at);
            let tail = tail
                .replacen(
                    "\"started_at\": null",
                    "\"started_at\": \"2026-06-01T08:30:00Z\"",
                    1,
                )
                .replacen(
                    "\"completed_at\": null",
                    "\"completed_at\": \"2026-06-01T09:00:00Z\"",
                    1,
                );
            text = format!("{head}{tail}");
        }
        site.write("workflow-state.json", &text);
        site.write("progress.log", &log);
        site.write(
            "init.sh",
            "#!/bin/bash\nset -e\necho \"Environment ready.\"\n",
        );
        site.write("docs/design.md", "x");
        site.write("docs/plan.md", "x");
        site
    }

    /// Writes a file under the workflow directory.
    pub(crate) fn write(&self, rel: &str, text: impl AsRef<[u8]>) {
        let path = self.wf.join(rel);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Dates every file long before the world's clock: nothing was written for days.
    pub(crate) fn quiet(&self) {
        let then = std::time::SystemTime::UNIX_EPOCH;
        for place in ignore::WalkBuilder::new(&self.wf)
            .standard_filters(false)
            .build()
        {
            let path = place.unwrap().into_path();
            let file = std::fs::File::open(path).unwrap();
            file.set_modified(then).unwrap();
        }
    }

    /// A file's text.
    pub(crate) fn text(&self, rel: &str) -> String {
        std::fs::read_to_string(self.wf.join(rel)).unwrap()
    }

    /// Replaces the first occurrence of a text in the state file.
    pub(crate) fn edit(&self, from: &str, to: &str) {
        let text = self.text("workflow-state.json");
        assert!(text.contains(from), "{from}");
        self.write("workflow-state.json", text.replacen(from, to, 1));
    }

    /// Gives the first stage without one a job record.
    pub(crate) fn job(&self, id: &str, recovery: bool) {
        let record = format!(
            "\"running_process\": {{\"tmux_session\": \"dpdisp_{id}\", \"wrapper_script\": \"{id}/dpdisp-run.sh\", \"done_marker\": \"{id}/DPDISP_DONE\", \"exit_code_file\": \"{id}/DPDISP_EXIT_CODE\", \"recovery_attempted\": {recovery}, \"launched_at\": \"2026-06-01T10:00:00Z\"}}"
        );
        let text = self.text("workflow-state.json");
        let (head, tail) = text.split_at(text.find(&format!("\"id\": \"{id}\"")).unwrap());
        self.write(
            "workflow-state.json",
            format!(
                "{head}{}",
                tail.replacen("\"running_process\": null", &record, 1)
            ),
        );
    }

    /// Commits versions of files of the workflow, oldest first, in the fake git.
    pub(crate) fn commit(&mut self, versions: &[&[(&str, &str)]]) {
        let mut repo = FakeRepo {
            branch: Some("main".to_owned()),
            ..FakeRepo::default()
        };
        let mut commits = Vec::new();
        for (n, files) in (1_i64..).zip(versions) {
            let id = format!("{n:040x}");
            for (path, text) in *files {
                repo.blobs.insert(
                    (id.clone(), Path::new("run").join(path)),
                    text.as_bytes().to_vec(),
                );
            }
            commits.push(Commit {
                id,
                time: chrono::DateTime::from_timestamp(1_780_000_000 + n, 0).unwrap(),
                authored: chrono::DateTime::from_timestamp(1_780_000_000 + n, 0).unwrap(),
                subject: "plan".into(),
                body: "".into(),
                parents: Vec::new(),
                cut: false,
            });
        }
        commits.reverse();
        repo.branches.insert("main".to_owned(), commits);
        self.world
            .git
            .repos
            .insert(self.wf.parent().unwrap().to_owned(), repo);
    }

    /// A tmux session with this name that works in a folder below the site.
    pub(crate) fn session(&mut self, name: &str, cwd: &Path) {
        self.world.processes.tmux.push(TmuxSession {
            name: name.into(),
            created: None,
            panes: vec![Pane {
                pid: 1,
                cwd: cwd.to_owned(),
                command: "bash".into(),
            }],
        });
    }

    /// The hit with which discovery finds the state file.
    pub(crate) fn hit(&self) -> Hit {
        let marker = Superscientist.markers()[0];
        Hit {
            marker,
            path: self.wf.join("workflow-state.json"),
            found: Found::Walk {
                root: self.dir.path().canonicalize().unwrap(),
            },
        }
    }

    /// The workflow, opened like in the product; its files are passed even if they are not recognized.
    pub(crate) fn open(&self) -> Box<dyn Case> {
        let candidate = match Superscientist.sniff(&self.hit(), &self.world) {
            Sniffed::Ours(mut all) => all.remove(0),
            Sniffed::NotOurs(_) => Candidate {
                system: Superscientist.name(),
                native: "run".into(),
                anchor: self.wf.clone(),
                sources: Vec::new(),
                work_tree: None,
                resumes: Vec::new(),
                undone: Vec::new(),
            },
        };
        Superscientist.open(&candidate, &self.world)
    }

    /// The checks.
    pub(crate) fn checks(&self) -> Vec<Check> {
        self.open().verify(&self.world)
    }

    /// The worst verdict of a check over all its subjects, skipped ones counting least.
    pub(crate) fn verdict(&self, id: &str) -> Verdict {
        let checks = self.checks();
        let of: Vec<&Check> = checks.iter().filter(|c| c.id.0 == id).collect();
        assert!(!of.is_empty(), "{id}");
        of.iter().map(|c| c.verdict).max().unwrap()
    }

    /// The boundaries.
    pub(crate) fn boundaries(&self) -> Vec<Boundary> {
        let case = self.open();
        case.boundaries(&case.verify(&self.world), &self.world)
    }

    /// The recommended point.
    pub(crate) fn chosen(&self) -> Option<String> {
        let chosen = |b: &Boundary| matches!(b.preference, Preference::Chosen(_));
        let all = self.boundaries();
        assert!(all.iter().filter(|b| chosen(b)).count() <= 1);
        all.into_iter().find(chosen).map(|b| b.id.0)
    }

    /// The intent of a point.
    pub(crate) fn intent(&self, point: &str) -> Intent {
        let case = self.open();
        let intent = case.intent(
            &PointId(point.to_owned()),
            &PlanOptions::default(),
            &self.world,
        );
        intent.unwrap_or_else(|| panic!("{point}"))
    }

    /// How the orchestrator resumes after a point, with nothing written.
    pub(crate) fn handoff(&self, point: &str) -> Handoff {
        let id = PointId(point.to_owned());
        let prospect = Prospect::new(&id, &[]);
        self.open().handoff(&prospect, &self.world)
    }
}
