use super::*;

#[test]
fn squeue_lines_are_read_whatever_they_say() {
    let table: &[(&str, &str, JobState, Option<&str>)] = &[
        (
            "12_3|PENDING|Resources|2026-11-22T10:00:00|",
            "12_3",
            JobState::Waiting,
            Some("job 12_3 is pending (Resources)"),
        ),
        (
            "12|PENDING|None|N/A|",
            "12",
            JobState::Waiting,
            Some("job 12 is pending"),
        ),
        (
            "7|RUNNING|None|2026-11-22T10:00:00|n1",
            "7",
            JobState::Running,
            None,
        ),
        ("7|COMPLETING|None||n1", "7", JobState::Running, None),
        ("7|A_NEW_WORD|None||n1", "7", JobState::Running, None),
        ("7_0|COMPLETED|None||n1", "7_0", JobState::Ended, None),
        ("7_0|NODE_FAIL|NodeDown||n1", "7_0", JobState::Ended, None),
        ("7|OUT_OF_MEMORY|None||n1", "7", JobState::Ended, None),
    ];
    for (line, id, state, waiting) in table {
        let task = Task::parse(line).unwrap();
        assert_eq!(
            (task.id.to_string().as_str(), task.state),
            (*id, *state),
            "{line}"
        );
        assert_eq!(task.waiting().as_deref(), *waiting, "{line}");
    }
    for line in [
        "",
        "nothing",
        "12_[0-3]|PENDING|None||",
        "-1|PENDING|||",
        "x_1|RUNNING|||",
    ] {
        assert_eq!(Task::parse(line), None, "{line}");
    }
    let now = DateTimeAt::parse_from_rfc3339("2026-11-22T10:02:05+09:00").unwrap();
    let task = Task::parse("1|PENDING|None|2026-11-22T10:00:00|").unwrap();
    assert_eq!(task.waited_s(now), Some(125));
}

type DateTimeAt = chrono::DateTime<chrono::FixedOffset>;

#[test]
fn the_end_of_a_job_is_a_sentence() {
    let task = Task::parse("12_3|FAILED|||").unwrap().id;
    let of = |state: &str| {
        let line = format!(
            "JobId=17 ArrayJobId=12 JobState={state} Reason=None ExitCode=127:0 TimeLimit=01:00:00 NodeList=n1 x"
        );
        JobEnd::of_scontrol(&line)
    };
    let table = [
        (
            "FAILED",
            "Slurm job 12_3 failed on node n1 with exit code 127.",
        ),
        (
            "COMPLETED",
            "Slurm job 12_3 ended on node n1 before its run was complete.",
        ),
        (
            "TIMEOUT",
            "Slurm job 12_3 reached its time limit of 01:00:00 on node n1.",
        ),
        (
            "NODE_FAIL",
            "Slurm job 12_3 was interrupted: node n1 failed.",
        ),
        ("PREEMPTED", "Slurm job 12_3 was preempted on node n1."),
        ("CANCELLED", "Slurm job 12_3 was canceled on node n1."),
        (
            "OUT_OF_MEMORY",
            "Slurm job 12_3 ran out of memory on node n1.",
        ),
        (
            "BOOT_FAIL",
            "Slurm job 12_3 could not start on node n1: the node did not boot.",
        ),
        ("DEADLINE", "Slurm job 12_3 missed its deadline on node n1."),
    ];
    for (state, sentence) in table {
        assert_eq!(of(state).unwrap().sentence(&task), sentence);
    }
    assert_eq!(of("RUNNING"), None);
    assert_eq!(JobEnd::of_scontrol(""), None);
    let accounted = JobEnd::of_sacct("CANCELLED by 1000|0:15|n2|UNLIMITED\n12_3.batch|").unwrap();
    assert_eq!(
        accounted.sentence(&task),
        "Slurm job 12_3 was canceled on node n2."
    );
    assert!(!accounted.is_own() && of("FAILED").unwrap().is_own());
    assert_eq!(JobEnd::of_sacct(""), None);
    let forgotten = JobEnd::default().sentence(&task);
    assert_eq!(forgotten, "Slurm job 12_3 is no longer known to Slurm.");
}

#[test]
fn a_script_holds_quoted_paths_and_refuses_what_cannot_be_quoted() {
    let program = Path::new("/opt/it's $HOME/relight");
    let home = Path::new("/srv/a b/replays/p");
    let sessions = ["17-2".to_owned(), "17-1".to_owned()];
    let text = script::runs(program, home, &sessions).unwrap();
    assert!(text.contains("set -- 17-2 17-1\n"), "{text}");
    let last = "exec '/opt/it'\\''s $HOME/relight' replay --quiet --run-folder '/srv/a b/replays/p'/\"$1\"\n";
    assert!(text.ends_with(last), "{text}");
    assert!(script::runs(program, Path::new("/srv/a\nb"), &sessions).is_err());
    let text = script::check(&[Path::new("/a b"), Path::new("/c")], home).unwrap();
    assert!(text.contains("for path in '/a b' /c; do\n    if"), "{text}");
    assert!(
        text.ends_with("exec cp '/srv/a b/replays/p/check' '/srv/a b/replays/p/check.seen'\n"),
        "{text}"
    );
}
