//! Sniffing, statuses, and the effects of damage on a reading.

use crate::model::{Badge, Status};
use crate::systems::Sniffed;

use crate::systems::autoconference::testdata::{CONFIG, Dir, POSTER, fresh, interrupted, log};

/// A name, files, and whether they are a conference.
type Sniff = (&'static str, &'static [(&'static str, &'static str)], bool);

const EVENTS: &str = "conference_events.jsonl";

#[test]
fn accepts_conferences_and_rejects_other_files_of_that_name() {
    let table: &[Sniff] = &[
        (
            "log",
            &[(EVENTS, "{\"event\": \"round.1.completed\"}\n")],
            true,
        ),
        (
            "second line",
            &[(EVENTS, "oops\n{\"type\": \"researcher.iteration\"}\n")],
            true,
        ),
        (
            "other log",
            &[(EVENTS, "{\"event\": \"user.login\"}\n")],
            false,
        ),
        ("empty log", &[(EVENTS, "")], false),
        ("plan", &[("conference.md", CONFIG)], true),
        (
            "plan and empty log",
            &[("conference.md", CONFIG), (EVENTS, "")],
            true,
        ),
        (
            "web page",
            &[("conference.md", "# Conference 2026\n## Venue\nOslo\n")],
            false,
        ),
        (
            "no mode",
            &[(
                "conference.md",
                "# Conference: x\n## Goal\ng\n## Mode\nhybrid\n",
            )],
            false,
        ),
        (
            "template",
            &[(
                "conference.md",
                "# Conference: {title}\n## Goal\n{goal}\n## Mode\nmetric\n",
            )],
            false,
        ),
        (
            "template with log",
            &[
                (
                    "conference.md",
                    "# Conference: {title}\n## Goal\n{goal}\n## Mode\nmetric\n",
                ),
                (EVENTS, ""),
            ],
            false,
        ),
    ];
    for (name, files, ours) in table {
        let dir = Dir::with(files);
        match dir.sniff() {
            Sniffed::Ours(found) => {
                assert!(ours, "{name}");
                assert_eq!(found[0].native.lossy(), "conf");
            }
            Sniffed::NotOurs(why) => assert!(!ours && !why.is_empty(), "{name}: {why:?}"),
        }
    }
}

#[test]
fn statuses_follow_the_contract() {
    let config = fresh();
    let gate = config.replace(
        "## Search Space",
        "## Pre-Flight Gate\n- **Final confirmation:** pending\n\n## Search Space",
    );
    let docs: &[(&str, &str)] = &[("synthesis.md", "x"), ("final_report.md", "x")];
    let done = log(&["conference.started", "round.1.completed"]);
    let ended = log(&["conference.started", "conference.completed"]);
    let with = |files: &[(&'static str, &str)], more: &[(&'static str, &'static str)]| {
        let all: Vec<(&str, &str)> = files.iter().chain(more).copied().collect();
        Dir::with(&all)
    };
    let table = [
        (
            with(&[("conference.md", &config)], &[]),
            Status::Waiting,
            Some(Badge::NotStarted),
        ),
        (
            with(&[("conference.md", &config), (EVENTS, "")], &[]),
            Status::Waiting,
            Some(Badge::NotStarted),
        ),
        (
            with(&[("conference.md", &gate), (EVENTS, "")], &[]),
            Status::Waiting,
            Some(Badge::NotStarted),
        ),
        (
            with(
                &[("conference.md", &config), (EVENTS, "{\"event\": \"con")],
                &[],
            ),
            Status::Interrupted,
            Some(Badge::Damaged),
        ),
        (with(&[(EVENTS, &ended)], &[]), Status::Complete, None),
        (
            with(&[("conference.md", CONFIG), (EVENTS, &done)], docs),
            Status::Complete,
            Some(Badge::Inferred),
        ),
        (
            with(&[("conference.md", CONFIG), (EVENTS, &done)], &docs[..1]),
            Status::Interrupted,
            None,
        ),
        (
            with(&[(EVENTS, "garbage\n"), ("conference.md", "?")], &[]),
            Status::Unreadable,
            Some(Badge::Damaged),
        ),
        (
            with(&[(EVENTS, &done), ("survey-report.md", "x")], &[]),
            Status::Interrupted,
            None,
        ),
    ];
    for (at, (dir, status, badge)) in table.iter().enumerate() {
        let case = dir.open();
        let reading = case.reading();
        assert_eq!(
            reading.claim.status, *status,
            "case {at}: {:?}",
            reading.claim
        );
        assert!(
            badge.is_none_or(|b| reading.badges.contains(&b)),
            "case {at}: {:?}",
            reading.badges
        );
    }
}

#[test]
fn a_sibling_mode_offers_nothing() {
    let dir = interrupted();
    dir.put("debate-report.md", b"x");
    assert!(dir.points().is_empty());
}

#[test]
fn a_link_is_not_followed_and_is_not_content() {
    let dir = interrupted();
    for name in ["synthesis.md", "final_report.md"] {
        std::os::unix::fs::symlink("conference.md", dir.path().join(name)).unwrap();
    }
    dir.remove("researcher_A_results.tsv");
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("researcher_A_results.tsv")).unwrap();
    let case = dir.open();
    assert_eq!(case.reading().claim.status, Status::Interrupted);
    assert!(
        case.reading()
            .findings
            .iter()
            .any(|f| f.code == "unreadable-file")
    );
    assert!(!dir.points().iter().any(|p| p == "mend-A"));
}

#[test]
fn hostile_numbers_and_names_do_no_harm() {
    let dir = Dir::with(&[
        (
            "conference.md",
            &CONFIG.replace("rounds:** 4", "rounds:** 18446744073709551615"),
        ),
        (
            EVENTS,
            "{\"event\": \"conference.started\"}\n{\"event\": \"round.18446744073709551615.completed\"}\n{\"event\": \"researcher.iteration\", \"payload\": {\"researcher\": \"../../x\", \"round\": -1, \"iteration\": 9223372036854775807}}\n{\"event\": \"researcher.iteration\", \"payload\": {\"researcher\": \"A\", \"round\": 18446744073709551614, \"iteration\": 9223372036854775807, \"metric_value\": 1e308}}\n",
        ),
        ("poster_session_round_99999999999999999999.md", "x"),
        (
            "researcher_A_results.tsv",
            "iteration\tmetric_value\tstatus\n\u{1b}[2J\t\t\n",
        ),
    ]);
    let case = dir.open();
    assert_eq!(case.reading().claim.status, Status::Interrupted);
    assert!(case.reading().phases.len() < 70);
    assert!(!dir.boundaries().is_empty());
}

/// The progress in a reading: completed rounds, then finished iterations.
fn far(dir: &Dir) -> (u64, u64) {
    let case = dir.open();
    let reading = case.reading();
    (
        reading.progress.done.unwrap(),
        reading.phases.iter().map(|p| p.done.unwrap()).sum(),
    )
}

#[test]
fn any_truncation_still_reads_and_claims_no_more_than_its_whole_lines() {
    let whole = interrupted();
    for name in [
        EVENTS,
        "researcher_B_results.tsv",
        "conference.md",
        "peer_review_round_1.md",
    ] {
        let bytes = std::fs::read(whole.path().join(name)).unwrap();
        let dir = interrupted();
        let mut at_line = (0, 0);
        for cut in 0..bytes.len() {
            let fresh = cut == 0 || bytes[cut - 1] == b'\n';
            let last_of_line = bytes[cut] == b'\n';
            if !fresh && cut % 7 != 0 {
                continue;
            }
            dir.put(name, &bytes[..cut]);
            let now = far(&dir);
            if fresh {
                at_line = now;
            } else if !last_of_line && (name == EVENTS || name.ends_with("tsv")) {
                assert!(
                    now <= at_line,
                    "{name} cut at {cut}: {now:?} after {at_line:?}"
                );
            }
            if cut % 97 == 0 {
                drop(dir.checks());
                drop(dir.boundaries());
            }
        }
    }
}

#[test]
fn the_order_of_researchers_lines_does_not_matter() {
    let whole = interrupted();
    let text = std::fs::read_to_string(whole.path().join(EVENTS)).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let last = lines.len();
    lines[last - 6..].reverse();
    let dir = interrupted();
    dir.put(EVENTS, (lines.join("\n") + "\n").as_bytes());
    assert_eq!(dir.points(), whole.points());
    assert_eq!(far(&dir), far(&whole));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    #[test]
    fn any_bytes_in_any_file_are_read_without_panic(at in 0_usize..5, bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let dir = interrupted();
        let name = [EVENTS, "researcher_B_results.tsv", "conference.md", "peer_review_round_1.md", "conference_results.tsv"][at];
        dir.put(name, &bytes);
        drop(dir.checks());
        drop(dir.boundaries());
    }
}

#[test]
fn without_a_log_the_other_files_show_the_last_write_and_the_log_is_said_to_be_missing() {
    let poster = ("poster_session_round_1.md", POSTER);
    for (files, written, said) in [
        (&[("conference.md", CONFIG)][..], false, false),
        (&[("conference.md", CONFIG), poster], true, true),
        (
            &[("conference.md", CONFIG), poster, (EVENTS, "")],
            true,
            false,
        ),
    ] {
        let dir = Dir::with(files);
        let case = dir.open();
        let reading = case.reading();
        let last = reading.last_activity_at.map(|at| at.at.to_utc());
        assert_eq!(last, reading.life.last_write, "{files:?}");
        assert_eq!(last.is_some(), written, "{files:?}");
        let mut signs = reading.life.signs.iter();
        let missing = signs.any(|sign| sign.text.lossy().contains("is missing, so the time"));
        assert_eq!(missing, said, "{files:?}");
    }
}

#[test]
fn a_file_full_of_damage_does_not_hide_the_rest() {
    let dir = interrupted();
    let damage = "oops\n".repeat(5000);
    let text = std::fs::read_to_string(dir.path().join(EVENTS)).unwrap();
    dir.put(EVENTS, format!("{damage}{text}").as_bytes());
    dir.put("conference.md", "# a\n".repeat(200_000).as_bytes());
    let case = dir.open();
    let findings = &case.reading().findings;
    assert!(findings.len() < 70, "{}", findings.len());
    assert!(findings.iter().any(|f| f.text.lossy().contains("950 more")));
    // A plan without its goal is not resumed.
    assert!(dir.points().contains(&"round-2-mid".to_owned()));
}
