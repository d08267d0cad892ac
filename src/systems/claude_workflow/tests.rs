//! Tests of the file formats, and of whole runs.

mod runs;
mod sandbox;

use crate::systems::claude_workflow::shape::journal::{End, Journal};

fn journal(text: &str) -> Journal {
    let mut journal = Journal::default();
    journal.add(text.as_bytes());
    journal
}

#[test]
fn a_journal_is_read_whatever_its_version() {
    let read = journal(concat!(
        "{\"type\":\"launched\"}\n",
        "{\"type\":\"started\",\"key\":\"v2:a\",\"agentId\":\"a1\",\"label\":\"one\"}\n",
        "{\"type\":\"started\",\"agentId\":\"a2\"}\n",
        "{\"type\":\"started\",\"key\":\"v2:c\",\"agentId\":\"a3\"}\n",
        "{\"type\":\"result\",\"key\":\"v2:c\",\"agentId\":\"a3\",\"result\":null}\n",
        "{\"type\":\"result\",\"agentId\":\"a2\",\"result\":\"\"}\n",
        "{\"type\":\"failed\",\"key\":\"v2:a\",\"agentId\":\"\"}\n",
        "{\"type\":\"result\",\"key\":\"v2:x\",\"agentId\":\"a9\",\"result\":{}}\n",
        "{\"type\":\"news\"}\n",
        "not json\n",
        "{\"type\":\"resu",
    ));
    let ends: Vec<Option<End>> = read.started.iter().map(|one| one.end.clone()).collect();
    assert_eq!(
        ends,
        [
            Some(End::Failed),
            Some(End::Result("".into())),
            Some(End::Result(serde_json::Value::Null)),
        ]
    );
    assert_eq!(read.orphans, [8]);
    assert_eq!(read.bad, [10]);
    assert_eq!(read.torn, Some(11));
    assert_eq!(read.unknown, 1);
}

#[test]
fn the_last_start_of_a_key_counts_at_the_place_of_the_first() {
    let read = journal(concat!(
        "{\"type\":\"started\",\"key\":\"v2:a\",\"agentId\":\"a1\"}\n",
        "{\"type\":\"started\",\"key\":\"v2:b\",\"agentId\":\"a2\"}\n",
        "{\"type\":\"failed\",\"key\":\"v2:a\",\"agentId\":\"a1\"}\n",
        "{\"type\":\"started\",\"key\":\"v2:a\",\"agentId\":\"a3\"}\n",
    ));
    let first = &read.started[0];
    assert_eq!((first.agent.as_str(), first.attempts), ("a3", 2));
    assert_eq!(first.end, None);
}

#[test]
fn a_long_last_line_that_ends_early_is_truncated_too() {
    let result = "x".repeat(2 << 20);
    let line = format!("{{\"type\":\"result\",\"agentId\":\"a1\",\"result\":\"{result}");
    let start = "{\"type\":\"started\",\"agentId\":\"a1\"}\n";
    let read = journal(&format!("{start}{line}"));
    assert_eq!((read.torn, read.bad.as_slice()), (Some(2), &[][..]));
    let read = journal(&format!("{start}{line}\"}}\n"));
    assert_eq!(read.started[0].end, Some(End::Result(result.into())));
}
