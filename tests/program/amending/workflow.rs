//! A workflow of four stages, and what `amend` does to it.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

pub(super) const WF: &str = "projects/science/polymer-ring";

/// A workflow in a sandbox.
pub(super) struct Workflow(pub(super) Sandbox);

impl Workflow {
    /// Three completed stages in a row, each with its output, and a fourth that waits.
    pub(super) fn new() -> Self {
        let this = Self(Sandbox::new());
        let stage = |number: usize, needs: &str, status: &str| {
            let times = if status == "completed" {
                "\"started_at\": \"2026-01-01T00:00:00Z\", \"completed_at\": \"2026-01-01T01:00:00Z\""
            } else {
                "\"started_at\": null, \"completed_at\": null"
            };
            format!(
                "    {{\"id\": \"stage-{number}\", \"name\": \"S{number}\", \"depends_on\": [{needs}], \"inputs\": [], \"outputs\": [\"stage-{number}/out.dat\"], \"parameters\": {{\"mesh\": 40, \"tol\": 1e-6, \"name\": \"fine\", \"deep\": {{\"on\": true}}}}, \"success_criteria\": \"it converges\", \"backend\": null, \"status\": \"{status}\", {times}, \"retry_count\": 0, \"last_error\": null, \"running_process\": null}}"
            )
        };
        let stages = [
            stage(1, "", "completed"),
            stage(2, "\"stage-1\"", "completed"),
            stage(3, "\"stage-2\"", "completed"),
            stage(4, "\"stage-3\"", "pending"),
        ];
        let text = format!(
            "{{\n  \"workflow_id\": \"w\",\n  \"version\": 1,\n  \"created\": \"2026-01-01T00:00:00Z\",\n  \"updated\": \"2026-01-01T00:00:00Z\",\n  \"experiment_design\": \"d\",\n  \"workflow_plan\": \"p\",\n  \"amendments\": [],\n  \"default_backend\": \"local\",\n  \"backend_profiles\": {{\"local\": {{\"type\": \"local\"}}, \"hpc\": {{\"type\": \"remote\"}}}},\n  \"stages\": [\n{}\n  ]\n}}\n",
            stages.join(",\n")
        );
        fs::write(this.path("workflow-state.json"), text).unwrap();
        fs::write(
            this.path("progress.log"),
            "[2026-01-01T00:00:00+00:00] Workflow created: w. 4 stages. Purpose: p\n",
        )
        .unwrap();
        fs::remove_dir_all(this.path("stage-2.v1")).unwrap();
        for number in 1..=3 {
            fs::create_dir_all(this.path(&format!("stage-{number}"))).unwrap();
            fs::write(this.path(&format!("stage-{number}/out.dat")), "1\n").unwrap();
        }
        this
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.root().join(WF).join(name)
    }

    pub(super) fn state(&self) -> Value {
        serde_json::from_str(&self.text("workflow-state.json")).unwrap()
    }

    pub(super) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn statuses(&self) -> String {
        let state = self.state();
        let stages = state["stages"].as_array().unwrap().iter();
        let words = stages.map(|s| {
            format!(
                "{}={}",
                s["id"].as_str().unwrap(),
                s["status"].as_str().unwrap()
            )
        });
        words.collect::<Vec<_>>().join(" ").replace("stage-", "")
    }

    pub(super) fn edit(&self, from: &str, to: &str) {
        let text = self.text("workflow-state.json");
        assert!(text.contains(from));
        fs::write(self.path("workflow-state.json"), text.replacen(from, to, 1)).unwrap();
    }

    /// Runs `amend` with who approves it and why.
    pub(super) fn amend(&self, args: &[&str]) -> (i32, Value) {
        let common = [
            "--reason",
            "It must.",
            "--approved-by",
            "Ada",
            "--assume-stopped",
        ];
        self.0.json(&[&["amend", WF], args, &common].concat())
    }

    /// The same with consent; it must be applied.
    pub(super) fn amended(&self, args: &[&str]) -> Value {
        let (code, answer) = self.amend(&[args, &["--yes"]].concat());
        assert_eq!(code, 0, "{args:?}: {answer}");
        self.state()["amendments"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .clone()
    }

    /// It is refused, and nothing has changed.
    pub(super) fn refused(&self, code: i32, args: &[&str]) -> String {
        let before = self.0.persons();
        let (found, answer) = self.amend(&[args, &["--yes"]].concat());
        assert_eq!(found, code, "{args:?}: {answer}");
        assert!(before == self.0.persons(), "{args:?} changed something");
        let error = &answer["error"];
        format!("{} {}", error["text"].as_str().unwrap(), error["guards"])
    }

    /// The checks of the plan that do not pass.
    pub(super) fn flagged(&self) -> Vec<String> {
        let (_, answer) = self.0.json(&["verify", WF]);
        let checks = answer["checks"].as_array().unwrap().iter();
        checks
            .filter(|check| ["warn", "fail"].contains(&check["verdict"].as_str().unwrap()))
            .map(|check| check["id"].as_str().unwrap().to_owned())
            .filter(|id| ["S2", "S3", "S4", "S5", "S7", "S12", "S14"].contains(&id.as_str()))
            .collect()
    }
}
