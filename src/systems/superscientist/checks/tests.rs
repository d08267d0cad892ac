//! Every check, with a good and a bad outcome.

use crate::model::Verdict;
use crate::systems::superscientist::checks::table;
use crate::systems::superscientist::tests::Site;

mod odd_files;
mod records;

const STAGES: &[(&str, &str, &[&str])] = &[
    ("stage-1", "completed", &[]),
    ("stage-2", "running", &["stage-1"]),
    ("stage-3", "pending", &["stage-2"]),
];

/// A healthy run whose second stage is alive in tmux, its files committed.
fn healthy() -> Site {
    let mut site = Site::new(STAGES);
    site.job("stage-2", false);
    let wf = site.wf.clone();
    site.session("dpdisp_stage-2", &wf);
    let (state, log) = (site.text("workflow-state.json"), site.text("progress.log"));
    site.commit(&[&[("workflow-state.json", &state), ("progress.log", &log)]]);
    site
}

#[test]
fn a_healthy_run_passes_every_check_in_order() {
    let checks = healthy().checks();
    for check in &checks {
        assert_eq!(check.verdict, Verdict::Pass, "{check:?}");
    }
    let mut ids: Vec<&str> = checks.iter().map(|c| c.id.0.as_str()).collect();
    ids.dedup();
    let expected: Vec<String> = (1..=24).map(|n| format!("S{n}")).collect();
    assert_eq!(ids, expected);
}

#[test]
fn the_page_of_the_format_lists_every_check() {
    let page = include_str!("../../../docs/formats/superscientist.md");
    for row in table() {
        let line = format!("| {} | {} |", row.id, row.proves);
        assert!(page.contains(&line), "{line}");
    }
}

#[test]
fn each_check_has_its_verdicts() {
    use Verdict::{Fail, Pass, Skipped, Warn};
    type Spoil = fn(&mut Site);
    let table: &[(&str, Verdict, &str, Spoil)] = &[
        ("S1", Fail, "cut off", |s| {
            let text = s.text("workflow-state.json");
            s.write("workflow-state.json", &text.as_bytes()[..text.len() / 2]);
        }),
        ("S1", Fail, "a stage without status", |s| {
            s.edit("\"status\": \"pending\",", "");
        }),
        ("S2", Skipped, "nothing to check in a cut file", |s| {
            s.write("workflow-state.json", "{\"workflow_id\"");
        }),
        ("S2", Fail, "outputs are a text", |s| {
            s.edit("[\"stage-3/out.dat\"]", "\"stage-3/out.dat\"");
        }),
        ("S2", Warn, "a missing plan", |s| {
            s.edit("\"workflow_plan\"", "\"plan\"");
        }),
        ("S3", Fail, "an id twice", |s| {
            s.edit("\"id\": \"stage-3\"", "\"id\": \"stage-1\"");
        }),
        ("S3", Warn, "a gap", |s| {
            s.edit("\"id\": \"stage-3\"", "\"id\": \"stage-5\"");
        }),
        ("S3", Warn, "an odd id", |s| {
            s.edit("\"id\": \"stage-3\"", "\"id\": \"fit\"");
        }),
        ("S4", Fail, "an unknown word", |s| {
            s.edit("\"pending\"", "\"done\"");
        }),
        ("S5", Fail, "an unknown dependency", |s| {
            s.edit("[\"stage-2\"]", "[\"stage-9\"]");
        }),
        ("S5", Fail, "a cycle", |s| {
            s.edit("\"depends_on\": []", "\"depends_on\": [\"stage-3\"]");
        }),
        ("S6", Warn, "no end", |s| {
            s.edit("\"2026-06-01T09:00:00Z\"", "null");
        }),
        ("S6", Warn, "an end before the start", |s| {
            s.edit("T09:00:00Z", "T07:00:00Z");
        }),
        ("S6", Warn, "no time", |s| {
            s.edit("\"2026-06-01T09:00:00Z\"", "\"later\"");
        }),
        ("S7", Warn, "done before its need", |s| {
            s.edit("\"depends_on\": []", "\"depends_on\": [\"stage-2\"]");
        }),
        ("S8", Fail, "a missing output", |s| {
            std::fs::remove_file(s.wf.join("stage-1/out.dat")).unwrap();
        }),
        ("S8", Fail, "an empty output", |s| {
            s.write("stage-1/out.dat", "");
        }),
        ("S8", Fail, "a way out", |s| {
            s.edit("\"stage-1/out.dat\"", "\"../../../etc/hostname\"");
        }),
        ("S8", Warn, "a pattern", |s| {
            s.edit("\"stage-1/out.dat\"", "\"stage-1/*.dat\"");
        }),
        ("S9", Warn, "a torn output", |s| {
            s.write("stage-1/out.dat", "1 2\0\0");
        }),
        ("S9", Warn, "a completed stage whose job was killed", |s| {
            s.job("stage-1", false);
            s.write("stage-1/DPDISP_EXIT_CODE", "137\n");
            s.write("stage-1/DPDISP_DONE", "");
        }),
        ("S9", Warn, "an error word in err", |s| {
            s.write("stage-1/err", "x\nERROR: diverged\n");
        }),
        ("S10", Warn, "its session is gone", |s| {
            s.world.processes.tmux.clear();
        }),
        ("S10", Fail, "gone twice", |s| {
            s.world.processes.tmux.clear();
            s.edit(
                "\"recovery_attempted\": false",
                "\"recovery_attempted\": true",
            );
        }),
        ("S10", Warn, "tmux cannot be asked", |s| {
            s.world.processes.tmux_unreadable = Some("no tmux".into());
        }),
        ("S11", Warn, "older than its launch", |s| {
            s.edit("\"pending\"", "\"ready\"");
            s.write("stage-3/DPDISP_DONE", "");
        }),
        ("S12", Warn, "a version without amendments", |s| {
            s.edit("\"version\": 1", "\"version\": 3");
        }),
        ("S13", Warn, "a silent change", |s| {
            s.edit("\"it converges\"", "\"it ends\"");
        }),
        ("S13", Skipped, "no repository", |s| {
            s.world.git.repos.clear();
        }),
        ("S14", Warn, "the log says otherwise", |s| {
            s.edit("\"running\"", "\"post_processing\"");
        }),
        ("S15", Pass, "a crash is only reported", |s| {
            s.write(
                "progress.log",
                "[2026-06-01T09:00:00Z] Session 1 started.\n",
            );
        }),
        ("S16", Warn, "shorter than committed", |s| {
            s.write("progress.log", "[2026-06-01T08:00:00+00:00] x\n");
        }),
        ("S16", Warn, "backwards", |s| {
            let log = s.text("progress.log");
            s.write(
                "progress.log",
                format!("{log}[2026-05-01T08:00:00+00:00] x\n"),
            );
        }),
        ("S16", Warn, "gone", |s| {
            std::fs::remove_file(s.wf.join("progress.log")).unwrap();
        }),
        ("S17", Fail, "gone", |s| {
            std::fs::remove_file(s.wf.join("init.sh")).unwrap();
        }),
        ("S17", Fail, "empty", |s| s.write("init.sh", "")),
        ("S17", Warn, "no shell named", |s| {
            s.write("init.sh", "echo x\n");
        }),
        ("S18", Fail, "an undescribed backend", |s| {
            s.edit(
                "\"default_backend\": \"local\"",
                "\"default_backend\": \"hpc\"",
            );
        }),
        ("S18", Warn, "credentials gone", |s| {
            s.edit(
                "\"type\": \"local\"",
                "\"config_path\": \"~/.dpdisp/x.json\", \"type\": \"local\"",
            );
        }),
        ("S19", Warn, "no reason for a failure", |s| {
            s.edit("\"pending\"", "\"failed\"");
        }),
        ("S19", Warn, "beyond the limit", |s| {
            s.edit("\"retry_count\": 0", "\"retry_count\": 4");
        }),
        ("S20", Warn, "no design", |s| {
            s.edit("docs/design.md", "docs/none.md");
        }),
        ("S20", Warn, "a way out", |s| {
            s.edit("docs/design.md", "/etc/hostname");
        }),
        ("S21", Pass, "an old file", |s| {
            s.edit(
                "\"stages\"",
                "\"session_config\": {\"session_cost\": 99}, \"stages\"",
            );
        }),
        ("S22", Warn, "no tmux", |s| {
            s.world.processes.programs.remove("tmux");
        }),
        ("S22", Warn, "autonomous without runner", |s| {
            s.edit(
                "\"stages\"",
                "\"session_config\": {\"autonomous\": true}, \"stages\"",
            );
        }),
        ("S23", Warn, "another's session", |s| {
            let elsewhere = s.wf.parent().unwrap().to_owned();
            s.session("dpdisp_stage-3", &elsewhere);
        }),
        ("S23", Skipped, "tmux cannot be asked", |s| {
            s.world.processes.tmux_unreadable = Some("no tmux".into());
        }),
        ("S2", Pass, "a version with a fraction of zero", |s| {
            s.edit("\"version\": 1", "\"version\": 1.0");
        }),
        ("S2", Fail, "a version that is no whole number", |s| {
            s.edit("\"version\": 1", "\"version\": 1.5");
        }),
        ("S24", Pass, "paused", |s| s.write("PAUSE", "")),
    ];
    for (id, verdict, name, spoil) in table {
        let mut site = healthy();
        spoil(&mut site);
        assert_eq!(site.verdict(id), *verdict, "{id}: {name}");
    }
}

#[test]
fn every_verdict_worse_than_pass_has_a_remedy() {
    let site = healthy();
    site.edit("\"running\"", "\"failed\"");
    site.edit("\"version\": 1", "\"version\": 9");
    site.write("stage-1/out.dat", "");
    let checks = site.checks();
    assert!(checks.iter().any(|c| c.verdict > Verdict::Pass));
    for check in checks.iter().filter(|c| c.verdict > Verdict::Pass) {
        assert!(
            check.remedy.as_ref().is_some_and(|r| !r.is_empty()),
            "{check:?}"
        );
        assert!(!check.evidence.is_empty());
    }
}

#[test]
fn secrets_are_never_opened() {
    let site = healthy();
    site.write("stage-1/submission.json", "{\"password\": \"hunter2");
    site.write("secret.json", "{\"password\": \"hunter2");
    site.edit(
        "\"stage-1/out.dat\"",
        "\"stage-1/out.dat\", \"stage-1/submission.json\"",
    );
    site.edit(
        "\"type\": \"local\"",
        "\"config_path\": \"secret.json\", \"type\": \"local\"",
    );
    let checks = site.checks();
    assert!(!format!("{checks:?}").contains("hunter2"));
    // A broken JSON output would be reported; this one was not opened.
    assert_eq!(site.verdict("S9"), Verdict::Pass);
    assert_eq!(site.verdict("S18"), Verdict::Pass);
}
