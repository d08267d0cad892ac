//! relight killed at any moment, and gone on with: no block is lost, and none is run twice.

use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::experiment::answers;
use super::kit::{Labels, kind, text};
use crate::act_systems::part::all_is_tried;

/// Kills what `begin` starts at moments that follow from a seed, so many times. It is told whether the experiment
/// exists.
pub(super) fn at_random(
    labels: &Labels,
    (seed, times): (u64, usize),
    most: Duration,
    begin: &dyn Fn(bool) -> Child,
) {
    let mut dice = seed;
    for _ in 0..times {
        dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let pause =
            most.mul_f64(f64::from(u32::try_from(dice >> 33).unwrap()) / f64::from(u32::MAX >> 1));
        let mut child = begin(exists(labels));
        std::thread::sleep(pause);
        kill(&mut child);
    }
}

fn kill(child: &mut Child) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    let _may_have_ended = kill_process(pid, Signal::KILL);
    child.wait().unwrap();
}

/// Whether the record of an experiment was written.
pub(super) fn exists(labels: &Labels) -> bool {
    let (_, list) = labels.json(&["--list"], &[]);
    list["experiments"]
        .as_array()
        .is_some_and(|all| !all.is_empty())
}

/// Goes on until nothing is left. Runners that outlived relight are waited for.
fn finish(labels: &Labels) -> Value {
    let since = Instant::now();
    loop {
        let (code, said) = labels.json(&["--continue"], &[]);
        if code == 0 || is_complete(&said) {
            return labels.json(&["--list"], &[]).1;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "{code} {said}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Whether `--continue` found nothing that is left.
pub(super) fn is_complete(said: &Value) -> bool {
    ["nothing_to_do", "not_found"].contains(&kind(said))
}

#[test]
fn kills_at_random_moments_lose_no_block() {
    let mutation = |labels: &Labels| {
        let swap = labels.experiment("implementer-v2.md");
        format!("build-implementer-prompt.md={}", swap.display())
    };
    let blocks = if all_is_tried() { 6 } else { 3 };
    let repeat = blocks.to_string();
    let all = ["--runner", "stub", "--repeat", &repeat, "--all", "--mutate"];
    let whole = Labels::new();
    let (_, expected) = whole.json(&[&all[..], &[mutation(&whole).as_str()]].concat(), &[]);
    let expected = answers(&expected["sessions"]);
    assert_eq!(expected.len(), 2 * blocks);
    for (seed, parallel) in [(1, "1"), (2, "4")] {
        let labels = Labels::new();
        let swap = mutation(&labels);
        let first = [&all[..], &[swap.as_str(), "--parallel", parallel]].concat();
        at_random(
            &labels,
            (seed, blocks - 1),
            Duration::from_millis(900),
            &|exists| labels.begin(if exists { &["--continue"] } else { &first }, &[]),
        );
        if !exists(&labels) {
            assert_eq!(labels.json(&first, &[]).0, 0);
        }
        let list = finish(&labels);
        assert_eq!(
            answers(&list["sessions"]),
            expected,
            "--parallel {parallel}"
        );
    }
}

#[test]
fn an_experiment_killed_before_its_first_run_is_listed() {
    let labels = Labels::new();
    let swap = labels.late();
    let options = ["--mutate", &swap, "--runner", "stub", "--repeat", "2"];
    let mut child = labels.begin(&options, &[]);
    let record = || {
        let folder = labels
            .sandbox
            .root()
            .join("home/.local/state/relight/replays");
        let folders = std::fs::read_dir(folder).ok()?.flatten();
        let mut files = folders.flat_map(|one| std::fs::read_dir(one.path()).unwrap().flatten());
        files.find(|file| {
            file.file_name()
                .to_string_lossy()
                .ends_with(".experiment.json")
        })
    };
    while record().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    kill(&mut child);
    // Where this test is slow a run has begun: then that is listed.
    let (_, list) = labels.json(&["--list"], &[]);
    let id = list["experiments"][0]["id"].as_str().unwrap();
    let page = text(&labels.replay(&["--list"], &[]).stdout);
    assert!(page.contains(id) && page.contains("--continue"), "{page}");
    let list = finish(&labels);
    assert_eq!(list["sessions"].as_array().unwrap().len(), 4, "{list}");
}
