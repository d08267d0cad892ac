//! What a person reads of each kind of end, loss and damage.

use std::fs;
use std::path::PathBuf;

use Status::{Complete, Interrupted, Unreadable, Waiting};
use chrono::DateTime;

use crate::model::{SignVerdict, Status};
use crate::systems::claude_workflow::tests::sandbox::{SESSION, Sandbox};
use crate::world::fake::FakeRepo;
use crate::world::git::{GitError, Worktree};
use crate::world::process::Process;

type Change = fn(&Sandbox);

/// Each kind of end: what happened, the status, the reason and where it stopped.
#[rustfmt::skip]
const ENDS: &[(Change, Status, &str)] = &[
    (|s| { s.launched(""); }, Interrupted, "Launched; no agent was started. [before the first agent]"),
    // A line that cannot be read, is of a newer client or is cut may have been the start of an agent.
    (|s| { s.launched("").journal("x"); }, Interrupted, "No record of this run can be read. The journal has 1 line that cannot be read, and no agent. [unknown]"),
    (|s| { s.launched("").journal("? t"); }, Interrupted, "No record of this run can be read. The journal has 2 lines that cannot be read, and no agent. [unknown]"),
    (|s| { s.launched("<status>completed</status>").journal("x"); }, Interrupted, "Its end was notified, but no record of its agents can be read. The journal has 1 line that cannot be read, and no agent. [unknown]"),
    (|s| { s.launched("").journal("s1 r1 s2"); }, Interrupted, "No end of the run is recorded: 1 of 2 agents has a result. [Read · 1 of 2 agents lost]"),
    (|s| { s.launched("").journal("s1 r1 s2").limited(2); }, Waiting, "No end of the run is recorded: 1 of 2 agents has a result. The usage limit resets at 2026-09-28 15:00:00 UTC. [Read · 1 of 2 agents lost]"),
    (|s| { s.launched("").journal("s1 s2").answered(1, "x").answered(2, "x"); }, Interrupted, "No end of the run is recorded: 0 of 2 agents have a result. [Read · 2 results not in the journal]"),
    // A notification is an end, as a snapshot is.
    (|s| { s.launched("<status>completed</status>").journal("s1 r1"); }, Complete, "Completed, according to the notification of its end. []"),
    (|s| { s.launched("<status>completed</status>").journal("s1 f1"); }, Interrupted, "Its end was notified, but 1 of 1 agents died (1 failed, cause not recorded). [Read · 1 of 1 agents lost]"),
    (|s| { s.launched("<status>failed</status>").journal("s1 r1"); }, Interrupted, "The script failed; every agent has a result. [after the last agent]"),
    (|s| { s.launched("<status>killed</status>").journal("s1 f1 s2"); }, Interrupted, "The run was stopped by the user or with its session: 2 of 2 agents have no answer (1 failed, cause not recorded; 1 started, no file). [Read · 2 of 2 agents lost]"),
    (|s| { s.launched("").journal("s1 r1").snapshot(r#""status":"completed""#, 60); }, Complete, "Completed: every agent has a result. []"),
    (|s| { s.launched("").journal("s1 n1").snapshot(r#""status":"completed""#, 60); }, Interrupted, "Recorded as completed, but 1 of 1 agents has no answer (1 no result (null)). [Read · 1 of 1 agents lost]"),
    (|s| { s.launched("").journal("s1 s2 f2").answered(1, "x").snapshot(r#""status":"completed""#, 60); }, Interrupted, "Recorded as completed, but 1 of 2 agents has no answer (1 failed, cause not recorded); 1 finished, its answer is only in its own file. [Read · 1 of 2 agents lost]"),
    (|s| { s.launched("").snapshot(r#""status":"completed","totalTokens":5"#, 60); }, Interrupted, "Recorded as completed, but no record of its agents can be read. The journal is missing. [unknown]"),
    (|s| { s.launched("").journal("").snapshot(r#""status":"completed","totalTokens":5"#, 60); }, Interrupted, "Recorded as completed, but no record of its agents can be read. The journal has no agent. [unknown]"),
    (|s| { s.launched("").snapshot(r#""status":"completed","agentCount":2"#, 60); }, Interrupted, "Recorded as completed, but 2 of 2 agents have no answer (2 no record left). The journal is missing. [2 of 2 agents lost]"),
    (|s| { s.launched("").snapshot(r#""status":"failed","error":"undefined is not an object (args.x)""#, 60); }, Interrupted, "The script failed before any agent: its arguments were not passed. [before the first agent]"),
    (|s| { s.launched("").journal("s1 r1").snapshot(r#""status":"failed","error":"boom\nat x""#, 60); }, Interrupted, "The script failed: boom [after the last agent]"),
    (|s| { s.launched("").journal("s1 r1").snapshot(r#""status":"paused""#, 60); }, Interrupted, "The run ended with the status paused; every agent has a result. [after the last agent]"),
    (|s| { s.launched("").journal("s1 r1").snapshot(r#""result":null"#, 60); }, Interrupted, "The run ended without a status; every agent has a result. [after the last agent]"),
    // It was resumed after that end.
    (|s| { s.launched("").journal("s1 r1 s2").snapshot(r#""status":"completed""#, 9_000); }, Interrupted, "No end of the run is recorded: 1 of 2 agents has a result. [Read · 1 of 2 agents lost]"),
    (|s| { s.launched("").snapshot(r#""status":}"#, 60); }, Unreadable, "No record of this run can be read. [unknown]"),
    (|s| { s.launched("").journal("").snapshot(r#""status":}"#, 60); }, Interrupted, "No record of this run can be read. The journal has no agent. [unknown]"),
    (|s| { fs::create_dir_all(s.launched("").run_dir().join("journal.jsonl")).unwrap(); }, Unreadable, "No record of this run can be read. [unknown]"),
];

#[test]
fn the_status_says_what_the_records_show() {
    for (change, status, reason) in ENDS {
        let sandbox = Sandbox::new();
        change(&sandbox);
        assert_eq!(sandbox.claim(), (*status, (*reason).to_owned()));
        // Nothing is said of agents of which no record can be read.
        let none = "skipped No record of its agents can be read.";
        let unknown = reason.ends_with("[unknown]");
        for id in ["W3", "W5", "W6", "W7", "W11"] {
            assert_eq!(sandbox.check(id) == none, unknown, "{reason}: {id}");
        }
        for point in sandbox.points() {
            let prompt = sandbox.handoff(&point.id.0).prompt;
            let said = format!("{} {}", point.reason.lossy(), prompt.lossy());
            assert!(!unknown || !said.contains("started"), "{reason}: {said}");
        }
    }
}

/// What is kept of each agent, and what a check advises.
#[test]
fn each_lost_agent_has_its_cause_and_advice() {
    let sandbox = Sandbox::new();
    let words = "s1 r1 s2 n2 s3 e3 s4 f4 s5 s5 ? x";
    sandbox.launched("").journal(words);
    sandbox
        .answered(1, "other")
        .answered(5, "answer")
        .answered(9, "stray");
    for (id, said) in [
        (
            "W1",
            "warn The journal is incomplete: 1 of 6 agents is only in other records. - Export the run: a result that was lost may be in the agent's own file.",
        ),
        (
            "W3",
            "fail Agent 2: no result (null). - Resume the run, or continue with the missing agents.\nfail Agent 3: result reads like an error. - Read its result: a resume replays it unchanged.\nfail Agent 4: failed, cause not recorded. - Resume the run, or continue with the missing agents.\nfail Agent 5: finished, result not in the journal. - Export the run to get its answer; a resume runs it again.\nfail Agent 6: finished, result not in the journal. - Export the run to get its answer; a resume runs it again.",
        ),
        (
            "W5",
            "warn 3 agents without a file; 1 agent file without a line in the journal. - Export the run: the answers are in the agents' files and are marked as not accepted.",
        ),
        (
            "W6",
            "warn 2 agents finished without a result in the journal. - Export the run: the answers are in the agents' files and are marked as not accepted.",
        ),
        (
            "W7",
            "warn 1 agent with more than one start. - Look for effects that happened more than once: files, commits, pull requests.",
        ),
        (
            "W12",
            "warn 300 tokens spent; 200 of them for agents that a resume runs again. - Continue with the finished results instead, if that is too much.",
        ),
        (
            "W13",
            "warn 1 result in the journal differs from the answer in the agent's own file: agent 1. - Export the run and compare both: a resume replays what the journal has.",
        ),
    ] {
        assert_eq!(sandbox.check(id), said, "{id}");
    }
}

/// What a resume needs: the script, the arguments, the conversation.
#[test]
fn what_a_resume_needs_is_checked_and_named() {
    let script = |s: &Sandbox| s.root.join("proj/review.js");
    for (change, id, said, chosen) in [
        (
            (|_, _| ()) as fn(&Sandbox, PathBuf),
            "W8",
            "pass The script is the one that ran.",
            "resume-in-session: No finished agent runs again, if the agents start in the same order.",
        ),
        (
            |_, script| fs::write(script, "other").unwrap(),
            "W8",
            "warn The script was edited after the run. - Only the agents before the edit can be replayed.",
            "continue: The script was edited after the run, so a resume may run finished agents again.",
        ),
        (
            |_, script| fs::remove_file(script).unwrap(),
            "W8",
            "fail The script cannot be read at its recorded path. - Restore it there before you resume; relight export writes a copy if one was kept.",
            "continue: The script cannot be read at its recorded path, so a resume fails.",
        ),
        (
            |s, _| fs::remove_dir_all(s.folder().join("workflows")).unwrap(),
            "W8",
            "pass The script exists; no copy from the run can be read to compare it with.",
            "resume-in-session: No finished agent runs again, if the agents start in the same order.",
        ),
        (
            |s, _| {
                fs::remove_dir_all(s.folder().join("workflows")).unwrap();
                s.conversation("", "");
            },
            "W8",
            "fail The path of the script is not recorded. - Continue with your own script.",
            "continue: The path of the script is not recorded, so which script a resume would run is not known.",
        ),
        (
            |s, _| {
                s.conversation("", "");
            },
            "W9",
            "pass The run was launched without arguments.",
            "resume-in-session: No finished agent runs again, if the agents start in the same order.",
        ),
        (
            |s, _| {
                s.snapshot(r#""status":"killed","args":[2]"#, 60);
            },
            "W9",
            "warn The arguments of the launch and of the snapshot differ. - relight uses those of the newest launch. Compare them before you resume.",
            "resume-in-session: No finished agent runs again, if the agents start in the same order.",
        ),
        (
            |s, _| {
                s.file(s.folder().with_extension("jsonl"), "{}\n", 60);
            },
            "W9",
            "warn The launch is missing, so the arguments are not known. - Add the arguments to the call yourself: a resume does not remember them.",
            "resume-in-session: No finished agent runs again, if the agents start in the same order.",
        ),
        (
            |s, _| {
                s.file(s.folder().with_extension("jsonl"), "{}\n", 60);
            },
            "W10",
            "warn The conversation exists, but its launch of the run was not found. - Check that it is the conversation that launched the run.",
            "resume-in-session: No finished agent runs again, if the agents start in the same order.",
        ),
        (
            |s, _| {
                fs::remove_file(s.folder().with_extension("jsonl")).unwrap();
            },
            "W10",
            "fail The conversation that owns the run was deleted. - A run resumes only in its conversation: continue in a new one.",
            "continue: The conversation is gone, so the run cannot be resumed.",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.launched("").journal("s1 r1 s2");
        change(&sandbox, script(&sandbox));
        assert_eq!(sandbox.check(id), said);
        assert_eq!(sandbox.chosen(), chosen, "{said}");
    }
}

#[test]
fn f8_a_conversation_that_cannot_be_read_was_not_deleted() {
    let sandbox = Sandbox::new();
    sandbox.launched("").journal("s1 r1 s2");
    let file = sandbox.folder().with_extension("jsonl");
    let kept = file.with_extension("kept");
    fs::rename(&file, &kept).unwrap();
    std::os::unix::fs::symlink(&kept, &file).unwrap();
    let said = sandbox.check("W10");
    assert!(said.contains("owns the run is a symbolic link"), "{said}");
    assert!(sandbox.chosen().contains("conversation cannot be read"));
}

/// A run lives in the conversation that owns it, which may be open for other work.
#[test]
fn a_sign_of_life_is_of_the_run_and_not_of_its_conversation() {
    for (process, more, age_s, verdict, said) in [
        (
            true,
            "",
            60,
            SignVerdict::Positive,
            "is open in pid 7, and the run was written less than 30 minutes ago.",
        ),
        (
            true,
            "",
            7_200,
            SignVerdict::Unreadable,
            "is open in pid 7, but the run was not written for 30 minutes: it may be stuck.",
        ),
        (
            false,
            "",
            60,
            SignVerdict::Negative,
            "that owns the run is gone.",
        ),
        (
            false,
            r#","pidDomain":"x""#,
            60,
            SignVerdict::Unreadable,
            "is open cannot be determined.",
        ),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.launched("").journal("s1");
        let journal = fs::read(sandbox.run_dir().join("journal.jsonl")).unwrap();
        sandbox.file(sandbox.run_dir().join("journal.jsonl"), journal, age_s);
        let entry = format!(r#"{{"sessionId":"{SESSION}","startedAt":{STARTED_MS}{more}}}"#);
        sandbox.file(sandbox.root.join("claude/sessions/7.json"), entry, 60);
        sandbox.world.processes.list.extend(process.then(claude));
        let case = sandbox.open();
        let sign = &case.reading().life.signs[0];
        assert_eq!(sign.verdict, verdict);
        assert!(sign.text.lossy().ends_with(said), "{:?}", sign.text);
        let opens = sandbox.handoff("resume-in-session").argv.is_empty();
        assert_eq!(opens, process, "an open conversation is not opened again");
    }
}

/// A new run of a run whose agents all answered only finishes the script.
#[test]
fn a_new_run_gets_the_answers_and_is_told_what_is_missing() {
    for (words, label, said) in [
        (
            "s1 r1 s2",
            "Continue with the missing agents in a new run",
            "1 of 2 agents has no answer. Ask me for the directory that relight export wrote, and read its README.md. Complete its continue.js with the prompts of the missing agents from script.js,",
        ),
        (
            "s1 r1",
            "Continue with the finished results in a new run",
            "every agent has an answer. Ask me for the directory that relight export wrote, and read its README.md. Complete its continue.js with what script.js does with the answers,",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.launched("").journal(words);
        let points = sandbox.points();
        assert_eq!(points[1].label.lossy(), label);
        let prompt = sandbox.handoff("continue").prompt;
        assert!(prompt.lossy().contains(said), "{prompt:?}");
    }
}

/// When the client of the open conversation started.
const STARTED_MS: i64 = 1_790_580_000_000;

fn claude() -> Process {
    Process {
        pid: 7,
        started: DateTime::from_timestamp_millis(STARTED_MS),
        ..Process::default()
    }
}

/// What an agent did is known only from its file and from git.
#[test]
fn an_effect_that_cannot_be_looked_up_is_not_called_none() {
    let tool = r#","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"git push"}}]}"#;
    let none = "pass No agent that runs again has a known effect outside the conversation.";
    let lost = "skipped 1 agent that runs again has no file: what it did is unknown. - Look at the files and the commits of the project before they run again.";
    let pushed = "warn Agents that run again left 1 effect: git push (no result recorded, may have happened, agent 2). - Check these first: the agents may do the same again. relight export lists all.";
    let both = "warn Agents that run again left 1 effect: git push (no result recorded, may have happened, agent 2). 2 agents that run again have no file: what they did is unknown. - Check these first: the agents may do the same again. relight export lists all.";
    for (words, change, said) in [
        (
            "s1 r1 s2",
            (|s| {
                s.limited(2);
            }) as Change,
            none,
        ),
        ("s1 r1 s2", |_| (), lost),
    ] {
        let sandbox = Sandbox::new();
        sandbox.launched("").journal(words);
        change(&sandbox);
        assert_eq!(sandbox.check("W11"), said);
    }
    for (words, said) in [("s1 r1 s2", pushed), ("s1 r1 s2 s3 s4", both)] {
        let sandbox = Sandbox::new();
        sandbox.launched("").journal(words).agent(2, tool);
        assert_eq!(sandbox.check("W11"), said);
    }
}

/// The worktree of an agent, whose changes git cannot tell.
#[test]
fn a_worktree_that_git_cannot_read_has_no_count_of_changes() {
    for (broken, said) in [
        (None, "its commits are not known, 0 uncommitted changes"),
        (
            Some(GitError::OtherOwner),
            "its commits are not known, its changes are not known",
        ),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.launched("").journal("s1 r1 s2").limited(2);
        let tree = sandbox.root.join("agent-a2");
        let project = FakeRepo {
            worktrees: vec![Worktree {
                path: tree.clone(),
                branch: Some("agent-2".into()),
                head: None,
                main: false,
                locked: false,
                prunable: false,
            }],
            ..FakeRepo::default()
        };
        let own = FakeRepo {
            broken,
            ..FakeRepo::default()
        };
        let repos = &mut sandbox.world.git.repos;
        repos.insert(sandbox.root.join("proj"), project);
        repos.insert(tree, own);
        let check = sandbox.check("W11");
        let want = format!("worktree agent-a2 on agent-2 ({said}, agent 2)");
        assert!(check.contains(&want), "{check}");
    }
}

/// The page of an agent has both answers where they differ, and its export never calls one accepted that is not.
#[test]
fn an_exported_page_has_the_answers_and_where_they_are_from() {
    let sandbox = Sandbox::new();
    sandbox.launched("").journal("s1 r1 s2 s3");
    sandbox.answered(1, "other").answered(2, "answer");
    let export = sandbox.open().export(&sandbox.world).unwrap();
    let page = |name: &str| {
        let file = export.files.iter().find(|file| file.name == name).unwrap();
        String::from_utf8(file.content.clone()).unwrap()
    };
    for (name, from, body) in [
        (
            "agent-001.md",
            "the journal",
            "answer 1\n\n## The answer in the agent's own file differs\n\nother",
        ),
        (
            "agent-002.md",
            "the agent's file; not accepted by the run",
            "answer",
        ),
        ("agent-003.md", "none", "null"),
    ] {
        let want = format!("Result from: {from}\n\n{body}\n");
        assert!(page(name).ends_with(&want), "{}", page(name));
    }
    let gaps: Vec<_> = export.gaps.iter().map(|gap| gap.lossy()).collect();
    assert_eq!(
        gaps,
        [
            "1 agent without an accepted result: finished, result not in the journal.",
            "1 agent without an accepted result: started, no file.",
        ]
    );
}
