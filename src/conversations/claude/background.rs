//! Background work of a conversation, and whether a notification of its end was recorded.

use super::entry::{Entry, Role};
use crate::formats::json;

/// The start of every notification.
const NOTICE: &str = "<task-notification>";
/// What the client writes about a task when it resumes a conversation without having seen the task's end. The words
/// occur in no notification of an end that it saw.
const PRESUMED: [&str; 2] = [
    "finish before the previous session ended",
    "No completion record",
];

/// Launches without a recorded end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Left {
    /// Tasks without any notification.
    pub(super) silent: usize,
    /// Tasks whose end the client only presumed when the conversation was resumed.
    pub(super) presumed: usize,
}

/// Whether a queued text is a notification instead of a typed prompt.
pub(super) fn is_notice(text: &str) -> bool {
    text.trim_start().starts_with(NOTICE)
}

/// The launches in these lines without a recorded end. `queued` has notifications that are only in the queue.
pub(super) fn left(entries: &[Entry], queued: &[String]) -> Left {
    let mut left = Left::default();
    for (at, entry) in entries.iter().enumerate() {
        if entry.result("status") != Some("async_launched") {
            continue;
        }
        let ids = ["taskId", "agentId", "runId"].map(|key| entry.result(key));
        let ids: Vec<&str> = ids.into_iter().flatten().chain(entry.answers()).collect();
        let later = || entries.iter().skip(at + 1);
        // A task that was stopped on request gets no notification.
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

/// The notifications in a line: a separate message, or a prompt in the middle of a turn.
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
