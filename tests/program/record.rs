//! `relight record`: what an orchestrator writes while it works. Each system's forms, what is refused, repetition,
//! many at once, and a process that is killed in between.

mod autoconference;
mod checkpoint;
mod crucible;
mod crucible_run;
mod hooks;
mod mgw;
mod nine_step;
mod superscientist;
mod together;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

impl Sandbox {
    /// Records in the sandbox. The exit code and the answer.
    fn record(&self, args: &[&str]) -> (i32, Value) {
        self.json(&[&["record"], args].concat())
    }

    /// Records what must be possible.
    fn recorded(&self, args: &[&str]) -> Value {
        let (code, answer) = self.record(args);
        assert_eq!(code, 0, "{:.300}: {answer}", format!("{args:?}"));
        answer
    }

    /// Records what must be refused with this exit code, and changes nothing.
    fn refused(&self, code: i32, args: &[&str]) -> String {
        let before = self.persons();
        let (found, answer) = self.record(args);
        assert_eq!(found, code, "{args:?}: {answer}");
        assert!(before == self.persons(), "{args:?} changed something");
        answer["error"]["text"].as_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn value(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// The recommended resume point of a pipeline, as `points` sees it.
    fn recommended(&self, pipeline: &str) -> String {
        let (_, points) = self.json(&["points", pipeline]);
        let points = points["points"].as_array().unwrap();
        let one = points.iter().find(|point| point["recommended"] == true);
        one.unwrap()["id"].as_str().unwrap().to_owned()
    }
}
