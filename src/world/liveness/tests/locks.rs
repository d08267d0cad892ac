//! Process-id files and `index.lock`.

use super::*;

/// A world with a process-id file, and the query for it.
fn with_pid_file(content: &[u8]) -> (tempfile::TempDir, FakeWorld, LifeQuery) {
    let dir = crate::world::temporary::directory();
    let path = dir.path().join("loop.pid");
    std::fs::write(&path, content).unwrap();
    set_time(&path, "2026-04-08T07:12:30Z");
    let query = LifeQuery {
        pid_files: vec![PidFile {
            place: Place::known(dir.path(), "loop.pid").unwrap(),
            command_contains: "autoconference-loop",
        }],
        ..LifeQuery::default()
    };
    (dir, world(), query)
}

/// Case, content of the file, the process of that id, verdict, and words of the sentence.
type Row = (
    &'static str,
    &'static [u8],
    Option<Process>,
    SignVerdict,
    &'static str,
);

#[test]
fn a_pid_file_counts_only_with_its_true_owner() {
    let looping: &[&str] = &["bash", "scripts/autoconference-loop.sh", "DIR"];
    let young = Some(utc("2026-04-08T12:00:00Z"));
    let old = Some(utc("2026-04-08T07:12:00Z"));
    let table: Vec<Row> = vec![
        (
            "alive",
            b"7\n",
            Some(process(7, looping, "/")),
            Positive,
            "and ",
        ),
        (
            "spaces",
            b" 7 \r\n",
            Some(process(7, looping, "/")),
            Positive,
            "and ",
        ),
        ("gone", b"7\n", None, Negative, "is not running"),
        (
            "recycled",
            b"7\n",
            Some(process(7, &["sshd"], "/")),
            Negative,
            "is stale",
        ),
        (
            "recycled by another loop",
            b"7\n",
            Some(Process {
                started: young,
                ..process(7, looping, "/")
            }),
            Unreadable,
            "is unknown",
        ),
        (
            "no start time",
            b"7\n",
            Some(Process {
                started: None,
                ..process(7, looping, "/")
            }),
            Positive,
            "and ",
        ),
        (
            "a kernel thread",
            b"7\n",
            Some(Process {
                started: old,
                name: "kworker".into(),
                pid: 7,
                ..Process::default()
            }),
            Negative,
            "is stale",
        ),
        ("empty", b"", None, Unreadable, "holds no process id"),
        ("words", b"seven", None, Unreadable, "holds no process id"),
        ("zero", b"0", None, Unreadable, "holds no process id"),
        ("negative", b"-1", None, Unreadable, "holds no process id"),
        ("two", b"7 8", None, Unreadable, "holds no process id"),
        (
            "too large",
            b"99999999999999999999",
            None,
            Unreadable,
            "holds no process id",
        ),
        ("bytes", b"\xff\0", None, Unreadable, "holds no process id"),
    ];
    for (case, content, process, verdict, words) in table {
        let (_dir, mut world, query) = with_pid_file(content);
        world.processes.list = process.into_iter().collect();
        let found = said(&gather(&world, &query));
        assert_eq!(found.len(), 1, "{case}");
        assert_eq!(found[0].0, verdict, "{case}: {}", found[0].1);
        assert!(found[0].1.contains(words), "{case}: {}", found[0].1);
    }
}

#[test]
fn an_unreadable_pid_file_proves_nothing() {
    let (dir, mut world, query) = with_pid_file(b"7");
    world.processes.unreadable = Some("no /proc".into());
    assert_eq!(gather(&world, &query).signs[0].verdict, Unreadable);
    world.processes.unreadable = None;
    std::fs::remove_file(dir.path().join("loop.pid")).unwrap();
    assert_eq!(gather(&world, &query).signs[0].verdict, Negative);
    std::fs::create_dir(dir.path().join("loop.pid")).unwrap();
    assert_eq!(gather(&world, &query).signs[0].verdict, Unreadable);
}

#[test]
fn an_index_lock_is_unknown_unless_a_process_works_there() {
    let dir = crate::world::temporary::directory();
    let git_dir = dir.path().join(".git");
    std::fs::create_dir(&git_dir).unwrap();
    let mut world = world();
    let query = LifeQuery {
        git_dirs: vec![git_dir.clone()],
        ..LifeQuery::default()
    };
    assert_eq!(gather(&world, &query).signs[0].verdict, Negative);
    let lock = git_dir.join("index.lock");
    std::fs::write(&lock, "").unwrap();
    set_time(&lock, "2026-04-08T12:58:00Z");
    let text = format!(
        "{} exists since 2026-04-08 12:58 UTC; its owner is unknown.",
        lock.display()
    );
    assert_eq!(said(&gather(&world, &query)), [(Unreadable, text)]);
    world.processes.list = vec![process(9, &["git", "gc"], dir.path().to_str().unwrap())];
    assert_eq!(gather(&world, &query).signs[0].verdict, Positive);
    world.processes.list = vec![process(9, &["git", "gc"], "/elsewhere")];
    assert_eq!(gather(&world, &query).signs[0].verdict, Unreadable);
    std::fs::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink("/nowhere", &lock).unwrap();
    assert_eq!(gather(&world, &query).signs[0].verdict, Unreadable);
}
