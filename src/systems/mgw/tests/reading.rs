use crate::model::{Badge, PhaseStatus, Status};
use crate::systems::mgw::tests::*;
use crate::world::git::{StatusKind, StatusPath};

#[test]
fn every_stage_has_its_status() {
    use Status::{Complete, Interrupted, Waiting};
    for (stage, status) in [
        ("new", Interrupted),
        ("triaged", Interrupted),
        ("needs-info", Waiting),
        ("needs-security-review", Waiting),
        ("discussing", Waiting),
        ("approved", Interrupted),
        ("planning", Interrupted),
        ("diagnosing", Interrupted),
        ("executing", Interrupted),
        ("verifying", Interrupted),
        ("pr-pending", Interrupted),
        ("pr-created", Complete),
        ("done", Complete),
        ("failed", Waiting),
        ("blocked", Waiting),
        ("unheard-of", Interrupted),
    ] {
        let sandbox = Sandbox::new();
        sandbox.state(&format!("\"pipeline_stage\": \"{stage}\""));
        let case = sandbox.open();
        assert_eq!(case.reading().claim.status, status, "{stage}");
    }
    let sandbox = Sandbox::new();
    sandbox.state("\"pipeline_stage\": \"executing\", \"dead_letter\": true");
    assert_eq!(sandbox.open().reading().claim.status, Waiting);
    let sandbox = Sandbox::new();
    sandbox.file(
        ".mgw/completed/57-x.json",
        r#"{"pipeline_stage":"executing"}"#,
    );
    assert_eq!(sandbox.open().reading().claim.status, Complete);
}

#[test]
fn damage_is_unreadable_and_has_a_finding() {
    for (text, code) in [
        (&b""[..], "cut-file"),
        (b"{\"pipeline_stage\": \"pla", "cut-file"),
        (b"{\"pipeline_stage\": planning}", "bad-json"),
        (b"\xff\xfe{}", "bad-json"),
        (b"{}{}", "bad-json"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file(FILE, text);
        let case = sandbox.open();
        let reading = case.reading();
        assert_eq!(reading.claim.status, Status::Unreadable);
        assert_eq!(reading.findings[0].code, code);
        assert_eq!(reading.badges, [Badge::Damaged]);
        assert!(sandbox.boundaries().is_empty());
        assert_eq!(worst(&sandbox.checks(), "M1"), Some(Verdict::Fail));
    }
    let sandbox = Sandbox::new();
    sandbox.file(&format!("{FILE}.tmp"), r#"{"pipeline_stage":"planning"}"#);
    let case = sandbox.open();
    assert_eq!(case.reading().claim.status, Status::Interrupted);
    assert_eq!(case.reading().findings[0].code, "leftover-tmp");
    assert_eq!(sandbox.chosen().as_deref(), Some("from-tmp"));
}

#[test]
fn an_interrupted_issue_is_read_completely() {
    let mut sandbox = Sandbox::new();
    sandbox.git(2);
    sandbox.state(&after("plan", "spawn-executor"));
    sandbox.doc("4-PLAN.md", "# Plan");
    sandbox.file(
        ".mgw/project.json",
        r#"{"current_milestone":1,"milestones":[{"name":"v1.0","issues":[{"github_number":57,
            "title":"T","phase_number":2,"phase_name":"Speed","pipeline_stage":"executing"}]}]}"#,
    );
    let case = sandbox.open();
    let reading = case.reading();
    assert_eq!(reading.title, "Cache lookups");
    assert_eq!(reading.claim.status, Status::Interrupted);
    assert_eq!(reading.stopped_where, "execute");
    assert_eq!(
        (reading.progress.done, reading.progress.total),
        (Some(2), Some(5))
    );
    assert_eq!(reading.badges, []);
    assert_eq!(reading.branch.as_ref().unwrap().actual, Some(BRANCH.into()));
    assert_eq!(reading.started_at.unwrap().unix(), 1_777_622_400);
    let statuses: Vec<PhaseStatus> = reading.phases.iter().map(|p| p.status).collect();
    assert_eq!(
        statuses,
        [
            PhaseStatus::Done,
            PhaseStatus::Done,
            PhaseStatus::Active,
            PhaseStatus::Pending,
            PhaseStatus::Pending
        ]
    );
    assert_eq!(reading.phases[1].duration_s, Some(1_800));
    assert_eq!(reading.phases[2].native_status, "executing");
    assert_eq!(reading.phases[2].detail, "milestone v1.0, phase 2, Speed");
}

#[test]
fn the_title_falls_back_to_the_project_and_then_to_the_name() {
    let sandbox = Sandbox::new();
    sandbox.file(FILE, r#"{"pipeline_stage":"new"}"#);
    assert_eq!(sandbox.open().reading().title, "cache lookups");
    sandbox.file(
        ".mgw/project.json",
        r#"{"milestones":[{"issues":[{"github_number":57,"title":"From the project"}]}]}"#,
    );
    assert_eq!(sandbox.open().reading().title, "From the project");
}

/// A name, the setup, and the expected badges.
type Row<'a> = (&'static str, &'a dyn Fn(&mut Sandbox), &'static [Badge]);

#[test]
fn badges_show_the_state_of_the_issue() {
    let stale = |s: &mut Sandbox| {
        s.aged(
            FILE,
            r#"{"pipeline_stage":"new","issue":{"number":57}}"#,
            90_000,
        );
    };
    let dirty = |s: &mut Sandbox| {
        s.git(1).state("\"pipeline_stage\": \"executing\"");
        s.doc("4-PLAN.md", "x");
        s.tree().status.push(StatusPath {
            path: "a".into(),
            kind: StatusKind::Changed,
            on_disk: true,
        });
    };
    let elsewhere = |s: &mut Sandbox| {
        s.git(1).state(&after("plan", "spawn-executor"));
        s.doc("4-PLAN.md", "x");
        let usual = s.root.join(".worktrees").join(BRANCH);
        let tree = s
            .repo()
            .worktrees
            .iter_mut()
            .find(|t| t.path == usual)
            .unwrap();
        tree.branch = Some("other".into());
    };
    let orphan = |s: &mut Sandbox| {
        s.git(1).state(&after("plan", "spawn-executor"));
        s.repo().branches.remove(BRANCH);
        s.repo().worktrees.clear();
        fs::remove_dir_all(s.root.join(".worktrees")).unwrap();
    };
    let created = |s: &mut Sandbox| {
        s.state("\"pipeline_stage\": \"pr-created\"");
    };
    let table: &[Row<'_>] = &[
        ("stale", &stale, &[Badge::Stale]),
        ("dirty", &dirty, &[Badge::Dirty, Badge::Inferred]),
        ("elsewhere", &elsewhere, &[Badge::BranchMismatch]),
        ("orphan", &orphan, &[Badge::Orphan]),
        ("created", &created, &[Badge::CleanupPending]),
    ];
    for (name, build, badges) in table {
        let mut sandbox = Sandbox::new();
        build(&mut sandbox);
        assert_eq!(sandbox.open().reading().badges, *badges, "{name}");
    }
}

#[test]
fn hostile_paths_are_reported_and_never_opened() {
    let sandbox = Sandbox::new();
    sandbox.file("../outside/4-PLAN.md", "secret");
    sandbox.state(
        r#""pipeline_stage": "executing", "gsd_artifacts": {"path": "../outside"}, "checkpoint": {
        "pipeline_step": "plan", "last_agent_output": "https://example.org/x",
        "resume": {"action": "spawn-executor", "context": {"quick_dir": "/etc"}},
        "artifacts": [{"path": "../outside/4-PLAN.md", "type": "plan"}, {"path": ".git/config", "type": "plan"}]}"#,
    );
    let case = sandbox.open();
    let refused = case
        .reading()
        .findings
        .iter()
        .filter(|f| f.code == "refused-path");
    assert_eq!(refused.count(), 4);
    assert_eq!(sandbox.chosen().as_deref(), Some("step-plan"));
}

#[test]
fn the_timeline_orders_dated_events_and_keeps_the_others() {
    let mut sandbox = Sandbox::new();
    sandbox.git(2);
    sandbox.state(&after("plan", "spawn-executor"));
    sandbox.file(
        ".mgw/logs/2026-05-01.jsonl",
        "{\"timestamp\":\"2026-05-01T08:45:00Z\",\"command\":\"run\",\"issue\":57,\"status\":\"error\",\"error\":\"boom\",\"duration_ms\":5}\n{\"issue\":5,\"command\":\"x\"}\nnot json 57\n{\"issue\":57,\"comm",
    );
    let case = sandbox.open();
    let timeline = case.timeline();
    let kinds: Vec<String> = (0..timeline.len())
        .map(|n| timeline.get(n).unwrap().kind.lossy().into_owned())
        .collect();
    assert_eq!(
        kinds,
        [
            "commit",
            "commit",
            "started",
            "step",
            "command",
            "step",
            "artifact",
            "checkpoint"
        ]
    );
    let codes: Vec<&str> = case.reading().findings.iter().map(|f| f.code).collect();
    assert!(codes.contains(&"bad-line") && codes.contains(&"torn-line"));
}

#[test]
fn documents_are_found_in_the_worktree_then_in_root_then_on_the_branch() {
    use crate::systems::mgw::facts::lookup::{Lookup, Seen, Where};
    let mut sandbox = Sandbox::new();
    sandbox.git(1);
    let path = format!("{DOCS}/4-PLAN.md");
    let tip = format!("{:040x}", 1);
    sandbox
        .repo()
        .blobs
        .insert((tip.clone(), path.clone().into()), b"branch".to_vec());
    let lookup = Lookup {
        worktree: Some(sandbox.root.join(".worktrees").join(BRANCH)),
        root: sandbox.root.clone(),
        tip: Some(tip),
        ..Lookup::default()
    };
    assert_eq!(
        lookup.find(&sandbox.world, &path),
        Seen::Found(Where::Branch)
    );
    assert_eq!(
        lookup.find(&sandbox.world, DOCS),
        Seen::Found(Where::Branch)
    );
    sandbox.file(&path, "root");
    assert_eq!(lookup.find(&sandbox.world, &path), Seen::Found(Where::Root));
    sandbox.doc("4-PLAN.md", "");
    assert_eq!(lookup.find(&sandbox.world, &path), Seen::Found(Where::Root));
    sandbox.doc("4-PLAN.md", "tree");
    assert_eq!(
        lookup.find(&sandbox.world, &path),
        Seen::Found(Where::Worktree)
    );
    assert_eq!(lookup.find(&sandbox.world, "none.md"), Seen::Missing);
}

/// Work in the worktree is a write, and what git writes when a person looks is none: one time, wherever it is said.
#[test]
fn what_git_writes_when_a_person_looks_is_no_write() {
    for (file, is_work) in [
        (".git/HEAD", false),
        (".git/index", false),
        ("src/a.rs", true),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.git(1);
        sandbox.state("\"pipeline_stage\": \"executing\"");
        sandbox.tree().status.push(StatusPath {
            path: "src/a.rs".into(),
            kind: StatusKind::Changed,
            on_disk: true,
        });
        let before = sandbox.open().reading().last_activity_at;
        sandbox.aged(&format!(".worktrees/{BRANCH}/{file}"), "", 60);
        let case = sandbox.open();
        let reading = case.reading();
        assert_eq!(reading.last_activity_at > before, is_work, "{file}");
        let last = reading.last_activity_at.map(|at| at.at.to_utc());
        assert_eq!(reading.life.last_write, last, "{file}");
        fs::remove_file(sandbox.root.join(FILE)).unwrap();
        let case = sandbox.open();
        let last = case.reading().last_activity_at.map(|at| at.at.to_utc());
        assert_eq!(
            case.reading().life.last_write,
            last,
            "{file} without a state file"
        );
    }
}
