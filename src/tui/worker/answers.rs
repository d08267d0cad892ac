//! Answers that are computed from what the console already has.

use crate::diff::count;
use crate::model::{Event, Sides, Why, in_order};
use crate::tui::prelude::*;
use crate::tui::screens::plan::Counted;

/// The most bytes of a file that a detail view shows.
const SHOWN: usize = 256 * 1024;

/// The most lines of it.
const LINES: usize = 4_000;

/// The most passages of a conversation.
const PASSAGES: usize = 40;

/// How many events are searched for another phase.
const FAR: usize = 200_000;

/// Lines of a raw text: a JSON value laid out, anything else as it is.
pub(in crate::tui) fn presentable(bytes: &[u8]) -> Vec<Clean> {
    let shown = bytes.get(..SHOWN).unwrap_or(bytes);
    let value: Option<serde_json::Value> = serde_json::from_slice(shown).ok();
    let text = match value {
        Some(value @ (serde_json::Value::Object(_) | serde_json::Value::Array(_))) => {
            Foreign::from(serde_json::to_string_pretty(&value).unwrap_or_default())
        }
        _ => Foreign::from(shown),
    };
    let lines = text.lines().take(LINES + 1).map(|line| line.clean());
    let mut lines: Vec<Clean> = lines.collect();
    if bytes.len() > shown.len() || lines.len() > LINES {
        lines.truncate(LINES);
        lines.push(clean!("… truncated; the file has {} bytes", bytes.len()));
    }
    lines
}

/// The last passages of a conversation, oldest first.
pub(in crate::tui) fn passages(why: &Why, id: &Foreign) -> Vec<Clean> {
    let mut conversations = why.conversations.iter();
    let found = conversations.find(|one| one.id == *id);
    let quotes = found.map_or(&[][..], |one| &*one.quotes);
    if quotes.is_empty() {
        return vec![Clean::new("No passage was found at the end of its file.")];
    }
    let from = quotes.len().saturating_sub(PASSAGES);
    let quotes = quotes.iter().skip(from);
    let lines = quotes.map(|quote| clean!("{}: {}", quote.from, quote.text));
    lines.collect()
}

/// That so many replays are deleted, and the bytes that they took.
pub(in crate::tui) fn deleted(replays: usize, bytes: u64) -> String {
    let number = format::count(replays, "replay");
    format!("{number} deleted, {} freed.", format::size(bytes))
}

/// How many lines each of these paths changes: exactly, because the numbers of a plan must not depend on how busy the
/// machine is.
pub(in crate::tui) fn counted(
    paths: &[(usize, usize)],
    sides: &dyn Fn((usize, usize)) -> Option<Sides>,
) -> Counted {
    let lines = |of: Sides| count::exact(of.before, of.after);
    let count = |path: &(usize, usize)| (*path, sides(*path).and_then(lines));
    paths.iter().map(count).collect()
}

/// The events that hold every word and none of the words after `!`.
pub(in crate::tui) fn filter(
    timeline: &Timeline,
    text: &str,
    stop: &dyn Fn() -> bool,
) -> Vec<usize> {
    let text = text.to_lowercase();
    let (without, with): (Vec<&str>, Vec<&str>) = text
        .split_whitespace()
        .partition(|word| word.starts_with('!'));
    let without = without.iter().filter_map(|word| word.get(1..));
    let without: Vec<&str> = without.filter(|word| !word.is_empty()).collect();
    let mut hits = Vec::new();
    for (index, event) in in_order(Arc::clone(timeline)) {
        if index % 1_024 == 0 && stop() {
            break;
        }
        let all = haystack(&event);
        if with.iter().all(|word| all.contains(word))
            && !without.iter().any(|word| all.contains(word))
        {
            hits.push(index);
        }
    }
    hits
}

fn haystack(event: &Event) -> String {
    let nothing = Foreign::default();
    let parts = [
        &event.kind,
        event.phase.as_ref().unwrap_or(&nothing),
        &event.subject,
        event.status.as_ref().unwrap_or(&nothing),
        &event.text,
    ];
    let texts: Vec<_> = parts.iter().map(|part| part.lossy()).collect();
    texts.join(" ").to_lowercase()
}

/// The first event of the next phase, or the last one of the previous phase.
pub(in crate::tui) fn seek_phase(timeline: &Timeline, from: usize, forward: bool) -> Option<usize> {
    let phase = |index: usize| timeline.get(index).and_then(|event| event.phase);
    let here = phase(from);
    let other = |index: &usize| {
        let phase = phase(*index);
        phase.is_some() && phase != here
    };
    if forward {
        (from + 1..timeline.len()).take(FAR).find(other)
    } else {
        (0..from).rev().take(FAR).find(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_line_is_laid_out_or_left_as_it_is() {
        let table: &[(&[u8], &[&str])] = &[
            (b"{\"a\":1}", &["{", "  \"a\": 1", "}"]),
            (b"{\"a\":", &["{\"a\":"]),
            (b"plain\ntext", &["plain", "text"]),
            (b"12", &["12"]),
            (b"\x1b[2J", &["␛[2J"]),
        ];
        for (raw, shown) in table {
            let lines = presentable(raw);
            let lines: Vec<&str> = lines.iter().map(Clean::as_str).collect();
            assert_eq!(lines, *shown);
        }
    }

    #[test]
    fn a_long_text_says_that_it_is_truncated() {
        let lines = presentable("x\n".repeat(LINES + 5).as_bytes());
        assert_eq!(lines.len(), LINES + 1);
        assert!(lines[LINES].as_str().starts_with("… truncated"));
    }
}
