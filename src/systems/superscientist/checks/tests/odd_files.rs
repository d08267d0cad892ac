//! What is in the place of the state file and of the log.

use crate::model::{Badge, Verdict};
use crate::systems::superscientist::tests::Site;

fn site() -> Site {
    Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "ready", &["stage-1"]),
    ])
}

fn first(site: &Site, id: &str) -> (String, String) {
    let checks = site.checks();
    let check = checks.iter().find(|check| check.id.0 == id).unwrap();
    let remedy = check.remedy.clone().unwrap_or_default();
    (
        check.evidence.lossy().into_owned(),
        remedy.lossy().into_owned(),
    )
}

#[test]
fn what_is_in_the_place_of_a_file_is_named() {
    for (name, id) in [("workflow-state.json", "S1"), ("progress.log", "S16")] {
        for (kind, problem, remedy) in [
            ("link", "is a symbolic link", "mv "),
            ("fifo", "is a FIFO, socket or device", "mv "),
            ("dir", "is a directory", "mv "),
        ] {
            let site = site();
            let path = site.wf.join(name);
            std::fs::rename(&path, site.wf.join("real")).unwrap();
            match kind {
                "link" => std::os::unix::fs::symlink("real", &path).unwrap(),
                "fifo" => {
                    let made = std::process::Command::new("mkfifo").arg(&path).status();
                    assert!(made.unwrap().success());
                }
                _ => std::fs::create_dir(&path).unwrap(),
            }
            let (evidence, said) = first(&site, id);
            assert!(evidence.contains(problem), "{name} {kind}: {evidence}");
            assert!(said.contains(remedy), "{name} {kind}: {said}");
        }
    }
}

#[test]
fn a_whole_copy_beside_a_damaged_state_file_is_named() {
    let site = site();
    let whole = site.text("workflow-state.json");
    let (torn, _) = whole.split_once("\"stages\"").unwrap();
    site.write("workflow-state.json", torn);
    site.write("workflow-state.json.tmp", torn);
    assert!(!first(&site, "S1").1.contains("beside it"));
    site.write("workflow-state.json.bak", whole);
    let (_, remedy) = first(&site, "S1");
    assert!(remedy.starts_with("workflow-state.json.bak beside it is complete"));
    assert!(remedy.contains("; then: cp /"), "{remedy}");
}

#[test]
fn an_emptied_log_is_damage() {
    let site = site();
    site.write("progress.log", "");
    assert_eq!(site.verdict("S14"), Verdict::Warn);
    let case = site.open();
    assert!(case.reading().badges.contains(&Badge::Damaged));
    let prompt = site.handoff("stage-2:rerun").prompt;
    assert!(
        prompt.lossy().contains("progress.log is empty"),
        "{prompt:?}"
    );
    // A workflow without any work has nothing to lose.
    let site = Site::new(&[("stage-1", "pending", &[])]);
    site.write("progress.log", "");
    assert_ne!(site.verdict("S14"), Verdict::Warn);
}

#[test]
fn what_is_in_the_place_of_an_output_is_named() {
    let site = Site::new(&[("stage-1", "completed", &[])]);
    let outputs = "\"stage-1/a\", \"stage-1/b\", \"stage-1/c\", \"stage-1/d.json\", \"/e\"";
    site.edit("\"stage-1/out.dat\"", outputs);
    std::fs::create_dir(site.wf.join("stage-1/a")).unwrap();
    std::os::unix::fs::symlink("out.dat", site.wf.join("stage-1/b")).unwrap();
    drop(std::os::unix::net::UnixListener::bind(site.wf.join("stage-1/c")).unwrap());
    site.write("stage-1/d.json", "{");
    let (text, _) = first(&site, "S8");
    assert_eq!(
        text,
        "4 of 5 outputs: stage-1/a is an empty directory; stage-1/b is a link, which is not followed; stage-1/c is not a regular file; /e is not opened: the path lies outside the opened roots."
    );
    let (text, remedy) = first(&site, "S9");
    assert_eq!(text, "Possible problems: stage-1/d.json is not valid JSON.");
    assert_eq!(
        remedy,
        "Read the file; if it is truncated, run the stage again."
    );
}

#[test]
fn how_the_job_of_a_stage_ended_is_said_with_a_remedy_that_fits() {
    for (code, ended) in [
        (Some("137\n"), "code 137"),
        (Some(""), "an unknown result: the exit code file is empty"),
        (None, "an unknown result: there is no exit code file"),
        (
            Some("x"),
            "an unknown result: the exit code file has no whole number",
        ),
    ] {
        let site = Site::new(&[("stage-1", "completed", &[])]);
        site.job("stage-1", false);
        site.write("stage-1/DPDISP_DONE", "");
        if let Some(code) = code {
            site.write("stage-1/DPDISP_EXIT_CODE", code);
        }
        let (text, remedy) = first(&site, "S9");
        let said = format!("Possible problems: its job ended with {ended}.");
        assert_eq!(text, said);
        let fits = "Check the job's output, then run the stage again or accept its results.";
        assert_eq!(remedy, fits);
    }
}

/// A later attempt that ran without a job of its own left the marker of the one before.
#[test]
fn a_stage_is_not_judged_by_the_job_of_an_earlier_attempt() {
    for (statuses, verdict) in [
        (&[][..], Verdict::Warn),
        (&["failed", "ready"], Verdict::Pass),
        (&["preparing", "post_processing"], Verdict::Pass),
    ] {
        let site = Site::new(&[("stage-1", "completed", &[])]);
        site.write("stage-1/DPDISP_EXIT_CODE", "137\n");
        site.write("stage-1/DPDISP_DONE", "");
        site.quiet();
        let line = |at: &str, status: &str| format!("[{at}Z] stage-1: status -> {status}\n");
        let again = |status: &&str| line("1970-01-01T01:00:00", status);
        let first = line("1969-12-31T23:00:00", "running");
        let last = line("1970-01-01T02:00:00", "completed");
        let log: String = statuses.iter().map(again).collect();
        site.write("progress.log", [first, log, last].concat());
        assert_eq!(site.verdict("S9"), verdict, "{statuses:?}");
    }
}

/// A line that another clock dated ahead is what is odd, not those that relight records after it with the right time.
#[test]
fn the_line_whose_time_is_odd_is_named() {
    let log = |times: &[&str]| -> String {
        let line = |time: &&str| format!("[2026-06-{time}T08:00:00+00:00] x\n");
        times.iter().map(line).collect()
    };
    for (times, said) in [
        (
            ["01", "05", "02", "03"],
            "1 line is dated after a later one, the first is line 2.",
        ),
        (
            ["01", "05", "05", "03"],
            "1 line is dated before an earlier one, the first is line 4.",
        ),
        (
            ["02", "03", "05", "04"],
            "1 line is dated after a later one, the first is line 3.",
        ),
        (
            ["05", "06", "03", "04"],
            "2 lines are dated after a later one, the first is line 1.",
        ),
    ] {
        let site = site();
        site.write("progress.log", log(&times));
        assert_eq!(first(&site, "S16").0, said, "{times:?}");
    }
}
