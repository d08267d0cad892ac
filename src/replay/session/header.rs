//! The header of a dispatch file: its time and its path are replaced, and every other byte stays.

use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use chrono::{DateTime, FixedOffset, Utc};

const TIMESTAMP: &[u8] = b"**Timestamp:**";
const FOLDER: &[u8] = b"**Dispatch-Dir:**";

/// The dispatch as it is written now, into this folder. A text without such lines comes back as it is.
pub(super) fn rewrite(text: &[u8], now: DateTime<FixedOffset>, folder: &Path) -> Vec<u8> {
    let stamp = now.with_timezone(&Utc).format("%Y-%m-%dT%H:%M:%SZ");
    let mut folder = folder.as_os_str().as_bytes().to_vec();
    let head = head(text);
    let mut spans: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    if let Some(at) = value(head, TIMESTAMP) {
        spans.push((at, stamp.to_string().into_bytes()));
    }
    if let Some(at) = value(head, FOLDER) {
        // As it was written: with its slash at the end or without.
        if head.get(at.clone()).is_some_and(|old| old.ends_with(b"/")) {
            folder.push(b'/');
        }
        spans.push((at, folder));
    }
    spans.sort_by_key(|(at, _)| at.start);
    let mut out = Vec::with_capacity(text.len() + 256);
    let mut from = 0;
    for (at, new) in spans {
        out.extend_from_slice(text.get(from..at.start).unwrap_or_default());
        out.extend_from_slice(&new);
        from = at.end;
    }
    out.extend_from_slice(text.get(from..).unwrap_or_default());
    out
}

/// The header: title, blank and bold lines from the beginning on. What follows is the agent's to read, and may
/// well mention timestamps.
fn head(text: &[u8]) -> &[u8] {
    let mut end = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let body = line.trim_ascii();
        let title = end == 0 && body.starts_with(b"# ");
        if !(title || body.is_empty() || body.starts_with(b"**")) {
            break;
        }
        end += line.len();
    }
    text.get(..end).unwrap_or_default()
}

/// Where the value of a key stands, without the blanks around it. Several keys may share a line, parted by `|`.
fn value(head: &[u8], key: &[u8]) -> Option<Range<usize>> {
    let after = memchr::memmem::find(head, key)? + key.len();
    let rest = head.get(after..)?;
    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let rest = rest.get(..line)?;
    let end = memchr::memmem::find(rest, b" | **").unwrap_or(rest.len());
    let rest = rest.get(..end)?;
    let lead = rest.len() - rest.trim_ascii_start().len();
    let start = after + lead;
    Some(start..start + rest.trim_ascii().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> String {
        let now = DateTime::parse_from_rfc3339("2026-04-09T12:00:01+02:00").unwrap();
        String::from_utf8(rewrite(text.as_bytes(), now, Path::new("/s/dispatch"))).unwrap()
    }

    #[test]
    fn timestamp_and_folder_are_set_and_every_other_byte_stays() {
        let table: &[(&str, &str)] = &[
            (
                "# Dispatch: x\n**Pipeline:** build | **Phase:** 3\n**Timestamp:** 2026-04-08T10:22:41Z\n**Dispatch-Dir:** /tmp/crucible-dispatch-1/\n\n---\n**Timestamp:** mine\n",
                "# Dispatch: x\n**Pipeline:** build | **Phase:** 3\n**Timestamp:** 2026-04-09T10:00:01Z\n**Dispatch-Dir:** /s/dispatch/\n\n---\n**Timestamp:** mine\n",
            ),
            // Another order, one line for both, line ends of another system, no slash.
            (
                "# D\r\n**Dispatch-Dir:** /tmp/d | **Timestamp:**  then \r\n\r\n---\r\n",
                "# D\r\n**Dispatch-Dir:** /s/dispatch | **Timestamp:**  2026-04-09T10:00:01Z \r\n\r\n---\r\n",
            ),
            ("Do it.\n**Timestamp:** t\n", "Do it.\n**Timestamp:** t\n"),
            (
                "# D\n\n---\n# E\n**Timestamp:** t",
                "# D\n\n---\n# E\n**Timestamp:** t",
            ),
            ("**Timestamp:**", "**Timestamp:**2026-04-09T10:00:01Z"),
            ("", ""),
        ];
        for (before, after) in table {
            assert_eq!(set(before), *after);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_text_keeps_all_but_two_values(
            body in "[ -~\\n*|#]{0,80}", stamp in "[0-9TZ:-]{1,20}", slash in proptest::bool::ANY
        ) {
            let slash = if slash { "/" } else { "" };
            let text = |stamp: &str, folder: &str| {
                format!("# Dispatch: x\n**Timestamp:** {stamp}\n**Dispatch-Dir:** {folder}{slash}\n\n---\n{body}")
            };
            proptest::prop_assert_eq!(
                set(&text(&stamp, "/tmp/d")),
                text("2026-04-09T10:00:01Z", "/s/dispatch")
            );
        }
    }
}
