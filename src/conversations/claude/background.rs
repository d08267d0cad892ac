//! Work that a conversation launched in the background, and whether its end was ever notified.

use super::entry::{Entry, Role};
use crate::formats::json;

/// How every notification begins.
const NOTICE: &str = "<task-notification>";
/// What the client writes about a task where it resumes a conversation and knows of no end: it did not see one. The
/// same words stand in no notification of an end that it saw.
const PRESUMED: [&str; 2] = [
    "finish before the previous session ended",
    "No completion record",
];

/// Launches without a recorded end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Left {
    /// Of these nothing more was heard.
    pub(super) silent: usize,
    /// Of these the client only presumed an end when the conversation was resumed.
    pub(super) presumed: usize,
}

/// Whether a queued text is a notification, which nobody typed.
pub(super) fn is_notice(text: &str) -> bool {
    text.trim_start().starts_with(NOTICE)
}

/// The launches in these lines without a recorded end. `queued` are notifications that only the queue has.
pub(super) fn left(entries: &[Entry], queued: &[String]) -> Left {
    let mut left = Left::default();
    for (at, entry) in entries.iter().enumerate() {
        if entry.result("status") != Some("async_launched") {
            continue;
        }
        let ids = ["taskId", "agentId", "runId"].map(|key| entry.result(key));
        let ids: Vec<&str> = ids.into_iter().flatten().chain(entry.answers()).collect();
        let later = || entries.iter().skip(at + 1);
        // A task that was stopped on request is not notified.
        let mut stopped = later().filter_map(|entry| entry.result("task_id"));
        if stopped.any(|id| ids.contains(&id)) {
            continue;
        }
        let notified = later().flat_map(notices);
        let about = notified
            .chain(queued.iter().map(String::as_str))
            .filter(|text| ids.iter().any(|id| text.contains(&format!(">{id}<"))));
        let (presumed, seen): (Vec<&str>, Vec<&str>) =
            about.partition(|text| PRESUMED.iter().any(|words| text.contains(words)));
        match (seen.is_empty(), presumed.is_empty()) {
            (false, _) => {}
            (true, false) => left.presumed += 1,
            (true, true) => left.silent += 1,
        }
    }
    left
}

/// The notifications in a line: a message of their own, or a prompt that came in the middle of a turn.
fn notices(entry: &Entry) -> Vec<&str> {
    let queued = json::child(&entry.map, "attachment").and_then(|one| json::text(one, "prompt"));
    let mut texts = match entry.role {
        Role::User => entry.texts(),
        Role::Attachment => queued.into_iter().collect(),
        Role::Assistant | Role::System => Vec::new(),
    };
    texts.retain(|text| is_notice(text));
    texts
}
