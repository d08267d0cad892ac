//! Agent programs, known command lines, and the processes that started relight.

use super::*;
use crate::world::agents::Agents;

#[test]
fn agent_programs_count_by_folder_and_open_file() {
    let blind = Process {
        readable: false,
        ..process(7, &["codex"], "")
    };
    let holds = Process {
        open_files: vec!["/dev/x".into(), "/p/proj/log".into()],
        ..process(7, &["codex"], "/elsewhere")
    };
    let table: Vec<(&str, Process, SignVerdict, &str)> = vec![
        (
            "in the root itself",
            process(7, &["claude"], "/p/proj"),
            Positive,
            "claude (pid 7, started 2026-04-08 07:12 UTC) works in /p/proj.",
        ),
        (
            "beneath it",
            process(7, &["node", "/x/codex"], "/p/proj/a/b"),
            Positive,
            "codex (pid 7, started 2026-04-08 07:12 UTC) works in /p/proj/a/b.",
        ),
        (
            "elsewhere, with a file of it open",
            holds,
            Positive,
            "codex (pid 7, started 2026-04-08 07:12 UTC) has /p/proj/log open.",
        ),
        (
            "a sibling with a common name prefix",
            process(7, &["claude"], "/p/proj-2"),
            Negative,
            "No agent program works in /p/proj.",
        ),
        (
            "above it",
            process(7, &["claude"], "/p"),
            Negative,
            "No agent program works in /p/proj.",
        ),
        (
            "a shell",
            process(7, &["bash"], "/p/proj"),
            Negative,
            "No agent program works in /p/proj.",
        ),
        (
            "an editor",
            process(7, &["nvim", "claude"], "/p/proj"),
            Negative,
            "No agent program works in /p/proj.",
        ),
        (
            "an agent that cannot be inspected",
            blind.clone(),
            Unreadable,
            "codex (pid 7, started 2026-04-08 07:12 UTC) is running, and its working directory cannot be read.",
        ),
        (
            "another program that cannot be inspected",
            Process {
                name: "sshd".into(),
                argv: vec!["sshd".into()],
                ..blind
            },
            Negative,
            "No agent program works in /p/proj.",
        ),
    ];
    for (case, process, verdict, text) in table {
        let mut world = world();
        world.processes.list = vec![process];
        let mut found = said(&gather(&world, &at_root()));
        found.retain(|(verdict, _)| *verdict != Note);
        assert_eq!(found, [(verdict, text.to_owned())], "{case}");
    }
}

#[test]
fn w7_only_own_agents_and_processes_naming_the_pipeline_make_it_unknown() {
    let hidden = |argv: &[&str], own: bool| Process {
        readable: false,
        own,
        ..process(7, argv, "")
    };
    // A process that cannot be inspected, and whether it makes the answer unknown.
    let table: &[(&[&str], bool, bool)] = &[
        (&["codex"], true, true),
        (&["codex"], false, false),
        (&["own-agent", "go"], true, true),
        (&["sshd"], true, false),
        (&["sync", "--from=/p/proj/log"], true, true),
        (&["sync", "/p/proj"], true, true),
        (&["sync", "/p/proj"], false, false),
        (&["sync", "/p/proj-2"], true, false),
        (&["less", "/p/proj/log"], true, false),
    ];
    for (argv, own, unknown) in table {
        let mut world = world();
        let words: &[crate::model::Foreign] = &["own-agent".into()];
        world.processes.agents = Agents::of([words]);
        world.processes.list = vec![hidden(argv, *own)];
        let found = said(&gather(&world, &at_root()));
        let doubts = found.iter().any(|(verdict, _)| *verdict == Unreadable);
        assert_eq!(doubts, *unknown, "{argv:?} {own}: {found:?}");
        let counted = "1 other process cannot be inspected; it does not affect the verdict.";
        let counts = found.iter().any(|(_, text)| text == counted);
        assert_eq!(counts, !*unknown, "{argv:?} {own}: {found:?}");
    }
}

#[test]
fn w7_whoever_has_a_file_open_for_writing_is_a_sign_of_life() {
    let dir = crate::world::temporary::directory();
    let real = dir.path().canonicalize().unwrap();
    let log = real.join("progress.log");
    std::fs::write(&log, "").unwrap();
    std::os::unix::fs::symlink(&real, dir.path().join("way")).unwrap();
    let holds = |pid: u32, writes: &[&Path]| Process {
        open_files: vec![log.clone()],
        writes: writes.iter().map(|path| path.to_path_buf()).collect(),
        ..process(pid, &["tee", "x"], "/elsewhere")
    };
    let other = real.join("other/progress.log");
    let says = |name: &str| {
        format!(
            "{name} (pid 7, started 2026-04-08 07:12 UTC) has {} open for writing.",
            log.display()
        )
    };
    let table = [
        (holds(7, &[log.as_path()]), vec![(Positive, says("tee"))]),
        (holds(7, &[other.as_path()]), vec![]),
        (holds(7, &[]), vec![]),
        (
            holds(1, &[log.as_path()]),
            vec![(
                Note,
                format!(
                    "You are running inside it: {}",
                    says("tee").replace("pid 7", "pid 1")
                ),
            )],
        ),
    ];
    for (process, expected) in table {
        let mut world = world();
        world.processes.ancestors = vec![1];
        world.processes.list = vec![process.clone()];
        for file in [log.clone(), dir.path().join("way/progress.log")] {
            let found = writers(&world, &[file, real.join("state.json")], &[]);
            let found: Vec<_> = found
                .into_iter()
                .map(|sign| (sign.verdict, sign.text.lossy().into_owned()))
                .collect();
            assert_eq!(found, expected, "{process:?}");
        }
    }
}

#[test]
fn an_ancestor_of_relight_is_a_note_and_another_agent_is_not() {
    let mut world = world();
    world.processes.ancestors = vec![20, 7];
    world.processes.list = vec![process(7, &["claude"], "/p/proj")];
    let note =
        "You are running inside it: claude (pid 7, started 2026-04-08 07:12 UTC) works in /p/proj.";
    let found = said(&gather(&world, &at_root()));
    assert_eq!(found, [(Note, note.to_owned())]);
    world
        .processes
        .list
        .push(process(8, &["claude"], "/p/proj"));
    let verdicts: Vec<_> = said(&gather(&world, &at_root()))
        .into_iter()
        .map(|s| s.0)
        .collect();
    assert_eq!(verdicts, [Note, Positive]);
}

#[test]
fn a_list_that_cannot_be_read_proves_nothing() {
    let mut world = world();
    world.processes.unreadable = Some("no /proc".into());
    let query = LifeQuery {
        roots: vec!["/a".into(), "/b".into(), "/c".into()],
        command_lines: vec![vec!["run.sh".into()]],
        ..LifeQuery::default()
    };
    let found = said(&gather(&world, &query));
    let text = "The processes of this machine cannot be listed (no /proc), so whether an agent works in /a, /b or /c is unknown.";
    assert_eq!(found[0], (Unreadable, text.to_owned()));
    assert_eq!(found[1].0, Unreadable);
}

#[test]
fn links_to_a_root_are_resolved() {
    let dir = crate::world::temporary::directory();
    let real = dir.path().canonicalize().unwrap().join("real");
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, dir.path().join("link")).unwrap();
    let mut world = world();
    world.processes.list = vec![process(7, &["claude"], real.to_str().unwrap())];
    let query = LifeQuery {
        roots: vec![dir.path().join("link")],
        ..LifeQuery::default()
    };
    assert_eq!(gather(&world, &query).signs[0].verdict, Positive);
}

#[test]
fn a_start_has_its_date_and_its_zone() {
    let mut world = world();
    world.processes.list = vec![Process {
        started: Some(utc("2026-04-07T23:30:00Z")),
        ..process(7, &["claude"], "/p/proj")
    }];
    let today = "claude (pid 7, started 2026-04-07 23:30 UTC) works in /p/proj.";
    assert_eq!(said(&gather(&world, &at_root()))[0].1, today);
    world.processes.list[0].started = Some(utc("2026-04-07T10:30:00Z"));
    let before = "claude (pid 7, started 2026-04-07 10:30 UTC) works in /p/proj.";
    assert_eq!(said(&gather(&world, &at_root()))[0].1, before);
}

#[test]
fn a_command_line_counts_when_every_text_occurs() {
    let table: &[(&[&str], u32, SignVerdict)] = &[
        (
            &["bash", "/plugin/run-workflow.sh", "/p/wf", "20"],
            7,
            Positive,
        ),
        (
            &["bash", "/plugin/run-workflow.sh", "/p/other"],
            7,
            Negative,
        ),
        (&["less", "run-workflow.sh", "/p/wf"], 7, Negative),
        (&["bash", "run-workflow.sh", "/p/wf"], 1, Note),
    ];
    for (argv, pid, verdict) in table {
        let mut world = world();
        world.processes.ancestors = vec![1];
        world.processes.list = vec![process(*pid, argv, "/")];
        let query = LifeQuery {
            command_lines: vec![vec!["run-workflow.sh".into(), "/p/wf".into()], vec![]],
            ..LifeQuery::default()
        };
        let found = gather(&world, &query).signs;
        assert_eq!(found.len(), 1, "an empty set asks nothing: {argv:?}");
        assert_eq!(found[0].verdict, *verdict, "{argv:?}");
    }
}
