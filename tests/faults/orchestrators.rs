//! Orchestrators that record each of their steps, killed with everything they started: before a record, at a call
//! within it, or after it. Whatever the moment, the list, the checks and the recommended point are right, and resuming
//! there leads to the end.

mod systems;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::calls::strace;
use super::ground::Ran;
use super::judge::git_is_there;
use super::slice;
use super::tally::Tally;
use super::temporary;

/// An orchestrator of the demo, and what is true after each time that it called relight.
struct Orchestrator {
    /// Its script.
    script: &'static str,
    /// What makes the project that it works in.
    setup: &'static str,
    /// The folder it is given.
    folder: &'static str,
    /// What a person types for its pipeline.
    pipeline: &'static str,
    /// The recommended point after so many calls and the work that follows; none where nothing is begun, and where
    /// all is done.
    points: &'static [Option<&'static str>],
    /// Other points that are as right after so many calls.
    also: &'static [(usize, &'static str)],
    /// The checks that may fail meanwhile: what they find is true.
    fails: &'static [&'static str],
}

/// A moment of a run.
#[derive(Debug, Clone)]
struct Moment {
    /// How many calls of relight came to their end.
    calls: usize,
    /// The system call within the next one, by its name and number; none where it never starts.
    within: Option<(&'static str, usize)>,
}

/// Where a record may die: at the calls that change something.
const WITHIN: [(&str, usize); 9] = [
    ("renameat2", 1),
    ("renameat2", 2),
    ("fsync", 1),
    ("fsync", 3),
    ("unlinkat", 1),
    ("write", 1),
    ("write", 3),
    ("mkdirat", 1),
    ("close", 40),
];

/// Ends the whole group at one call of relight.
const WRAPPER: &str = r#"#!/bin/sh
count=$(($(cat "$COUNT") + 1))
echo $count > "$COUNT"
[ "$count" -gt "$CALLS" ] || exec "$RELIGHT" "$@"
[ -z "$CALL" ] || strace -e "trace=$CALL" -e "inject=$CALL:signal=KILL:when=$AT" -o /dev/null "$RELIGHT" "$@" > /dev/null
kill -9 0
"#;

const GIT: &str = "git init -q -b main . && git commit -q --allow-empty -m first";

impl Orchestrator {
    /// Every moment: before each call of relight, and within it.
    fn moments(&self) -> Vec<Moment> {
        let calls = 0..self.points.len() - 1;
        let within = WITHIN.iter().copied().map(Some);
        let all = std::iter::once(None).chain(within);
        calls
            .flat_map(|calls| all.clone().map(move |within| Moment { calls, within }))
            .collect()
    }

    fn killed_anywhere(&self) {
        let needs_git = self.setup.starts_with("git ");
        if !strace() || needs_git && !git_is_there() {
            return;
        }
        let mut tally = Tally::new("kills of orchestrators");
        for moment in slice(self.moments(), 4) {
            self.survives(&moment);
            tally.add(1);
        }
    }

    fn survives(&self, moment: &Moment) {
        let place = Place::new();
        place.sh(self.setup);
        let case = format!("{} {moment:?}", self.script);
        let ran = place.orchestrate(self, None, Some(moment));
        assert!(ran.killed(), "{case}: {ran:?}");

        let done = self.points[moment.calls];
        let then = self.points[moment.calls + 1];
        let found = place.relight(&["points", self.pipeline, "--json"]).json();
        let found = recommended(&found);
        let found = found.as_deref();
        let job = |point: Option<&str>| place.as_the_job_is(self, point);
        let mut right = vec![job(done)];
        if moment.within.is_some() {
            right.push(job(then));
        }
        let calls = moment.calls..=moment.calls + usize::from(moment.within.is_some());
        let also = self.also.iter().filter(|(after, _)| calls.contains(after));
        right.extend(also.map(|(_, point)| Some((*point).to_owned())));
        assert!(
            right.iter().any(|right| right.as_deref() == found),
            "{case}: {found:?}, not one of {right:?}"
        );
        self.checks_hold(&place, &case);
        let status = place.status();
        let fits = match (status.as_deref(), found) {
            (None, point) => point.is_none(),
            (Some(status), None | Some("cleanup")) => status == "complete",
            (Some(status), Some(_)) => ["interrupted", "waiting"].contains(&status),
        };
        assert!(fits, "{case}: {status:?} at {found:?}");
        let mut from = found.map(str::to_owned);
        if found.is_some() && !place.resume(self.pipeline, &case) {
            // It completed a cut record first, whose step the plan would have repeated.
            let points = place.relight(&["points", self.pipeline, "--json"]).json();
            from = recommended(&points);
            assert_ne!(from.as_deref(), found, "{case}");
            assert!(
                from.is_none() || place.resume(self.pipeline, &case),
                "{case}"
            );
        }
        if from.is_some() || status.is_none() {
            let ran = place.orchestrate(self, from.as_deref(), None);
            assert_eq!(ran.code, 0, "{case} from {from:?}: {ran:?}");
        }
        assert_eq!(place.status().as_deref(), Some("complete"), "{case}");
        self.checks_hold(&place, &case);
    }

    fn checks_hold(&self, place: &Place, case: &str) {
        let checks = place.relight(&["verify", self.pipeline, "--json"]).json();
        let checks = checks["checks"].as_array().cloned().unwrap_or_default();
        for check in checks {
            let failed = check["verdict"] == "fail";
            let known = self.fails.iter().any(|id| check["id"] == *id);
            assert!(!failed || known, "{case}: {check}");
        }
    }
}

fn recommended(points: &Value) -> Option<String> {
    let points = points["points"].as_array()?;
    let point = points.iter().find(|point| point["recommended"] == true)?;
    Some(point["id"].as_str()?.to_owned())
}

/// A sandbox with one project.
struct Place {
    root: PathBuf,
    _own: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let own = temporary::directory();
        let root = fs::canonicalize(own.path()).unwrap();
        for dir in ["home/tmp", "projects/p", "bin"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        // The places of the sandbox, also /tmp, are its own.
        fs::write(root.join(".relight-sandbox"), root.to_str().unwrap()).unwrap();
        let wrapper = root.join("bin/relight");
        fs::write(&wrapper, WRAPPER).unwrap();
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
        Self { root, _own: own }
    }

    fn project(&self) -> PathBuf {
        self.root.join("projects/p")
    }

    fn command(&self, program: &str) -> Command {
        let path = format!("{}:/usr/bin:/bin", self.root.join("bin").display());
        let mut command = Command::new(program);
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.root.join("home"))
            .env("TMPDIR", self.root.join("home").join("tmp"))
            .env("TZ", "UTC")
            .env("RELIGHT", env!("CARGO_BIN_EXE_relight"))
            .env("COUNT", self.root.join("count"))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Ann")))
            .envs(
                ["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "ann@example.org")),
            );
        command
    }

    fn sh(&self, text: &str) {
        let status = self.command("/bin/sh").args(["-ec", text]).status();
        assert!(status.unwrap().success(), "{text}");
    }

    fn relight(&self, args: &[&str]) -> Ran {
        let relight = self
            .command(env!("CARGO_BIN_EXE_relight"))
            .args(args)
            .output();
        Ran::of(&relight.unwrap())
    }

    /// Runs the orchestrator from a point on; to a moment, or to its end.
    fn orchestrate(&self, one: &Orchestrator, from: Option<&str>, moment: Option<&Moment>) -> Ran {
        fs::write(self.root.join("count"), "0").unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/orchestrators");
        let (call, at) = moment.and_then(|m| m.within).unwrap_or_default();
        let calls = moment.map_or(usize::MAX >> 1, |moment| moment.calls);
        let mut command = self.command("/bin/sh");
        command
            .arg(script.join(one.script))
            .arg(one.folder)
            .args(from)
            .env("CALLS", calls.to_string())
            .env("CALL", call)
            .env("AT", at.to_string())
            .process_group(0);
        Ran::of(&command.output().unwrap())
    }

    /// The status of the only pipeline.
    fn status(&self) -> Option<String> {
        let list = self.relight(&["list", "--all", "--json"]).json();
        let pipelines = list["pipelines"].as_array().unwrap();
        assert!(pipelines.len() < 2, "{list}");
        Some(pipelines.first()?["status"].as_str()?.to_owned())
    }

    /// Resumes as recommended; a person accepts what is asked. False where a record that was cut short was completed
    /// first and there is now another plan.
    fn resume(&self, pipeline: &str, case: &str) -> bool {
        let mut args = vec!["resume", pipeline, "--yes", "--assume-stopped", "--json"];
        let ran = self.relight(&args);
        let asked = ran.json()["error"]["guards"].as_array().cloned();
        let asked = asked.unwrap_or_default();
        let asked = asked.iter().filter_map(|guard| guard["id"].as_str());
        let accepted: Vec<&str> = asked.flat_map(|id| ["--accept", id]).collect();
        if ran.code == 4 && !accepted.is_empty() {
            args.extend(accepted);
            let ran = self.relight(&args);
            assert_eq!(ran.code, 0, "{case}: {ran:?}");
            return true;
        }
        let completed = ran.code == 3 && ran.out.contains("What a crash left was completed first");
        assert!(completed || ran.code == 0, "{case}: {ran:?}");
        !completed
    }

    /// A job that was killed before its end is launched again, and has nothing to verify.
    fn as_the_job_is(&self, one: &Orchestrator, point: Option<&str>) -> Option<String> {
        let point = point?;
        let stage = point.strip_suffix(":verify");
        let lost = stage.is_some_and(|stage| {
            let folder = self.project().join(one.folder).join(stage);
            !folder.join("DPDISP_DONE").exists()
        });
        Some(match stage {
            Some(stage) if lost => format!("{stage}:monitor"),
            _ => point.to_owned(),
        })
    }
}
