//! `relight record`: what an orchestrator writes while it works. Each system's forms, what is refused, repetition,
//! many at once, and a process that is killed in between.

mod autoconference;
mod checkpoint;
mod clocks;
mod conference_ends;
mod conference_resumed;
mod crucible;
mod crucible_run;
mod hooks;
mod in_the_way;
mod mgw;
mod mgw_next;
mod nine_step;
mod nine_step_init;
mod page;
mod placeholder;
mod refused;
mod stage_refused;
mod stages;
mod superscientist;
mod tables;
mod together;

use std::fs::{self, File};
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

    /// The folders in which relight keeps what belongs to one project.
    fn homes(&self) -> Vec<PathBuf> {
        let state = fs::read_dir(self.path("home/.local/state/relight")).unwrap();
        let homes = state.map(|entry| entry.unwrap().path());
        homes.filter(|home| home.join("lock").exists()).collect()
    }

    /// The lists of records.
    fn ledgers(&self) -> Vec<PathBuf> {
        let homes = self.homes().into_iter();
        let ledgers = homes.map(|home| home.join("records/records.jsonl"));
        ledgers.filter(|ledger| ledger.exists()).collect()
    }

    /// Every project is locked, as by a recovery that runs, until the answer is dropped.
    pub(crate) fn locked(&self) -> Vec<File> {
        let homes = self.homes().into_iter();
        let locks = homes.map(|home| File::open(home.join("lock")).unwrap());
        locks.inspect(|lock| lock.lock().unwrap()).collect()
    }

    /// As if all records were made two seconds earlier.
    fn a_second_later(&self) {
        let earlier = |text: &str| {
            let at = chrono::DateTime::parse_from_rfc3339(text).unwrap();
            (at - chrono::TimeDelta::seconds(2)).to_rfc3339()
        };
        for path in self.ledgers() {
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().map(|line| {
                let mut line: Value = serde_json::from_str(line).unwrap();
                line["written_at"] = earlier(line["written_at"].as_str().unwrap()).into();
                format!("{line}\n")
            });
            fs::write(&path, lines.collect::<String>()).unwrap();
        }
    }

    /// The recommended resume point of a pipeline, as `points` sees it.
    fn recommended(&self, pipeline: &str) -> String {
        let (_, points) = self.json(&["points", pipeline]);
        let points = points["points"].as_array().unwrap();
        let one = points.iter().find(|point| point["recommended"] == true);
        one.unwrap()["id"].as_str().unwrap().to_owned()
    }
}
