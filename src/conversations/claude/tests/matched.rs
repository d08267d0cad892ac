//! The lines by which a conversation is matched with a pipeline, and those of background work.

use super::*;

fn used(name: &str, input: Value) -> String {
    reply(
        json!("tool_use"),
        json!([{"type": "tool_use", "id": "t1", "name": name, "input": input}]),
    )
}

fn launched() -> String {
    result(
        json!({"toolUseResult": {"status": "async_launched", "taskId": "w7k2p", "runId": "wf_1-2",
        "scriptPath": "/work/shop/review.js"}}),
    )
}

fn notice(status: &str, summary: &str) -> String {
    format!(
        "<task-notification>\n<task-id>w7k2p</task-id><status>{status}</status><summary>{summary}</summary>\n</task-notification>"
    )
}

fn bookkeeping(fields: Value) -> String {
    format!("{fields}\n")
}

fn queued(text: &str) -> String {
    bookkeeping(json!({"type": "queue-operation", "operation": "enqueue", "content": text}))
}

/// One line of each kind.
pub(super) fn lines() -> Vec<String> {
    vec![
        used("MultiEdit", json!({"file_path": "/work/shop/a"})),
        used("Bash", json!({"command": "CANARY .mgw/active"})),
        used(
            "TodoWrite",
            json!({"todos": [{"content": "CANARY", "status": "completed"}, {"content": "CANARY", "status": "pending"}]}),
        ),
        result(
            json!({"toolUseResult": {"worktreePath": "/work/shop/.worktrees/a", "worktreeBranch": "a"}}),
        ),
        bookkeeping(
            json!({"type": "worktree-state", "worktreeSession": {"worktreePath": "/work/shop/.worktrees/b"}}),
        ),
        bookkeeping(json!({"type": "pr-link", "prNumber": 12, "prUrl": "CANARY"})),
        launched(),
        user(
            json!(notice("completed", "CANARY")),
            json!({"origin": {"kind": "task-notification"}}),
        ),
        queued(&notice("completed", "CANARY")),
        result(json!({"toolUseResult": {"task_id": "w7k2p", "message": "CANARY"}})),
        bookkeeping(json!({"type": "queue-operation", "operation": "dequeue"})),
    ]
}

fn whole(lines: &str) -> Transcript {
    read(lines.as_bytes(), true, Chain::Main, &zone())
}

#[test]
fn what_it_wrote_ran_and_entered_is_kept() {
    let found = whole(&lines().concat());
    let paths = |names: [&str; 2]| names.map(PathBuf::from);
    assert_eq!(found.written, [PathBuf::from("/work/shop/a")]);
    assert_eq!(found.commands, ["CANARY .mgw/active"]);
    assert_eq!(
        found.worktrees,
        paths(["/work/shop/.worktrees/b", "/work/shop/.worktrees/a"])
    );
    assert_eq!(found.workflows, ["wf_1-2", "/work/shop/review.js"]);
    assert_eq!(found.pull_requests, [12]);
}

#[test]
fn only_a_later_line_answers_a_call() {
    let again = result(json!({})) + &call("Bash");
    let found = ending(&(call("Read").replace("msg_1", "msg_0") + &again));
    assert_eq!(
        (found.kind, found.open_tools),
        (K::KilledInTool, vec!["Bash".to_owned()])
    );
}

#[test]
fn background_work_without_a_recorded_end_is_unfinished() {
    let origin = || json!({"origin": {"kind": "task-notification"}});
    let done = reply(json!("end_turn"), text("CANARY")).replace("msg_1", "msg_2");
    let left = used("Workflow", json!({})) + &launched();
    let seen = || user(json!(notice("completed", "CANARY finished")), origin());
    let presumed = || {
        let words =
            "Background agent \"CANARY\" didn\u{2019}t finish before the previous session ended";
        user(json!(notice("failed", words)), origin())
    };
    let other = || seen().replace("w7k2p", "w7k2");
    let absorbed = line(
        "attachment",
        json!({"attachment": {"type": "queued_command", "prompt": notice("failed", "exit code 3")}}),
    );
    let by_call = seen().replace("<task-id>w7k2p</task-id>", "<tool-use-id>t1</tool-use-id>");
    let counted = line(
        "system",
        json!({"subtype": "turn_duration", "pendingWorkflowCount": 0}),
    );
    let unfinished = |sure| (K::BackgroundUnfinished, sure);
    let ended = (K::TurnEnded, Sure::Certain);
    for (name, lines, expected) in [
        ("launched", left.clone() + &done, unfinished(Sure::Likely)),
        ("notified", left.clone() + &seen() + &done, ended),
        (
            "notified by its call",
            left.clone() + &by_call + &done,
            ended,
        ),
        (
            "in the middle of a turn",
            left.clone() + &absorbed + &done,
            ended,
        ),
        (
            "in the queue alone",
            left.clone() + &done + &queued(&notice("completed", "x")),
            ended,
        ),
        (
            "stopped on request",
            left.clone() + &result(json!({"toolUseResult": {"task_id": "w7k2p"}})) + &done,
            ended,
        ),
        (
            "another task",
            left.clone() + &other() + &done,
            unfinished(Sure::Likely),
        ),
        (
            "notified before",
            seen() + &left + &done,
            unfinished(Sure::Likely),
        ),
        (
            "presumed",
            left.clone() + &presumed() + &done,
            unfinished(Sure::Guess),
        ),
        (
            "presumed and seen",
            left.clone() + &seen() + &presumed() + &done,
            ended,
        ),
        ("counted", left.clone() + &done + &counted, ended),
    ] {
        let found = ending(&lines);
        assert_eq!((found.kind, found.sure), expected, "{name}: {found:?}");
        assert!(
            !format!("{found:?}").contains("CANARY"),
            "{name}: {found:?}"
        );
        let few = read_end(lines.as_bytes(), true, &zone());
        assert_eq!(few.ending, Some(found), "{name}");
    }
}

#[test]
fn open_items_and_unread_prompts_are_facts() {
    let items = |states: &[&str]| {
        let items: Vec<Value> = states
            .iter()
            .map(|state| json!({"content": "CANARY", "status": state}))
            .collect();
        used("TodoWrite", json!({"todos": items})) + &result(json!({}))
    };
    let open = items(&["completed", "in_progress", "pending"]);
    let done = reply(json!("end_turn"), text("x")).replace("msg_1", "msg_2");
    let facts = |lines: String| ending(&lines).facts;
    assert_eq!(
        facts(open.clone() + &done),
        ["2 of 3 to-do items are open."]
    );
    assert_eq!(facts(open + &items(&["completed"]) + &done), [""; 0]);
    let waiting = queued(&notice("completed", "CANARY"));
    assert_eq!(facts(done.clone() + &waiting), [""; 0]);
    let dequeued = bookkeeping(json!({"type": "queue-operation", "operation": "dequeue"}));
    assert_eq!(
        facts(done + &waiting + &queued("CANARY") + &dequeued),
        ["1 typed prompt in the queue was never read."]
    );
}
