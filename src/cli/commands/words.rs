//! Words that several commands say the same way.

use std::ffi::OsString;

use chrono::{DateTime, FixedOffset};

use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::model::stamp::span_words;
use crate::model::{Clean, Foreign, Progress, Stamp, Status, Verdict, Zone, shell_word, short_id};

/// The tone of a status.
pub(super) fn status_tone(status: Status) -> Tone {
    match status {
        Status::Live | Status::Complete => Tone::Good,
        Status::Waiting => Tone::Warn,
        Status::Interrupted => Tone::Strong,
        Status::Unreadable => Tone::Bad,
    }
}

/// The tone of a verdict.
pub(super) fn verdict_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Pass => Tone::Good,
        Verdict::Skipped => Tone::Faint,
        Verdict::Warn => Tone::Warn,
        Verdict::Fail => Tone::Bad,
    }
}

/// How long ago, in one unit: `3 h ago`; `in the future` where the clock says so.
pub(super) fn age(stamp: Option<Stamp>, now: DateTime<FixedOffset>) -> Clean {
    let Some(stamp) = stamp else {
        return Clean::new("unknown");
    };
    let span = now.signed_duration_since(stamp.at);
    if span < chrono::TimeDelta::seconds(-60) {
        return Clean::new("in the future");
    }
    Clean::new(&format!(
        "{} ago",
        span_words(span.max(chrono::TimeDelta::zero()))
    ))
}

/// A moment for a person, in their own zone; one without a stated zone says so.
pub(super) fn moment(stamp: Option<Stamp>) -> Clean {
    stamp.map_or_else(|| Clean::new("unknown"), |stamp| Clean::new(&stamp.words()))
}

/// Seconds in words: `45 s`, `12 min`, `2 h 05 min`.
pub(super) fn duration(seconds: Option<u64>) -> Clean {
    match seconds {
        None => Clean::new("n/a"),
        Some(s @ 0..=119) => clean!("{} s", s),
        Some(s @ 120..=7_199) => clean!("{} min", s / 60),
        Some(s) => Clean::new(&format!("{} h {:02} min", s / 3_600, s / 60 % 60)),
    }
}

/// `2 of 4 phases`.
pub(super) fn progress(progress: Progress) -> Clean {
    match progress.total {
        Some(total) => clean!("{} of {} {}", progress.done, total, progress.unit),
        None => clean!("{} {}", progress.done, progress.unit),
    }
}

/// A heading with a blank line before it.
pub(super) fn heading(text: &str) -> [Line; 2] {
    [vec![], vec![Span(Tone::Strong, Clean::new(text))]]
}

/// `key      value`, wrapped under the value.
pub(super) fn fact(key: &str, tone: Tone, value: &Clean, width: usize) -> Vec<Line> {
    let key = Clean::new(&format!("{key:<12}"));
    under(Span(Tone::Faint, key), tone, value, width)
}

/// `key      command`, whole however long it is, because it is copied.
pub(super) fn command(key: &str, line: &Clean) -> Line {
    vec![
        Span(Tone::Faint, Clean::new(&format!("{key:<12}"))),
        Span(Tone::Strong, line.clone()),
    ]
}

/// Text beside a head, wrapped under itself.
pub(super) fn under(head: Span, tone: Tone, text: &Clean, width: usize) -> Vec<Line> {
    let indent = head.1.width();
    let mut wrapped = wrap(text.as_str(), width.saturating_sub(indent).max(20)).into_iter();
    let first = wrapped.next().unwrap_or_default();
    let mut lines = vec![vec![head, Span(tone, first)]];
    lines.extend(wrapped.map(|line| {
        vec![
            Span::plain(Clean::new(&" ".repeat(indent))),
            Span(tone, line),
        ]
    }));
    lines
}

/// Breaks at spaces; a word longer than a line stays whole, because it may be copied.
pub(super) fn wrap(text: &str, cells: usize) -> Vec<Clean> {
    let mut lines: Vec<Clean> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let wide = unicode_width::UnicodeWidthStr::width(line.as_str())
            + 1
            + unicode_width::UnicodeWidthStr::width(word);
        if !line.is_empty() && wide > cells {
            lines.push(Clean::from_clean_parts(format_args!("{line}")));
            line.clear();
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(Clean::from_clean_parts(format_args!("{line}")));
    lines
}

/// The lines of a text of several lines.
pub(super) fn block(text: &Foreign) -> impl Iterator<Item = Line> + '_ {
    text.lines().map(|line| vec![Span::plain(&line)])
}

/// `1 file`, `3 files`.
pub(super) fn plural(count: u64, one: &str) -> String {
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{count} {one}s")
    }
}

/// An id for the eye: a commit's is shortened, any other is whole. `--json` has both whole.
pub(super) fn short(id: &str) -> Clean {
    let hex = id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit());
    Clean::new(if hex { short_id(id) } else { id })
}

/// A moment whose zone is known.
pub(super) fn stated(at: DateTime<FixedOffset>) -> Stamp {
    Stamp {
        at,
        zone: Zone::Stated,
    }
}

/// `1 recovery`, `3 recoveries`.
pub(super) fn recoveries(count: u64) -> String {
    if count == 1 {
        "1 recovery".to_owned()
    } else {
        format!("{count} recoveries")
    }
}

/// Bytes in the unit that suits them: `17 bytes`, `1.2 MiB`.
pub(super) fn size(bytes: u64) -> Clean {
    let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = units.into_iter().find(|(_, unit)| bytes >= *unit);
    Clean::new(&match unit {
        None => plural(bytes, "byte"),
        // Tenths, cut and not rounded: what is kept is never said to be more than it is.
        Some((word, unit)) => {
            let tenths = u128::from(bytes) * 10 / u128::from(unit);
            format!("{}.{} {word}", tenths / 10, tenths % 10)
        }
    })
}

/// The command line that was typed, without an option and its value, with more words at its end. `None`
/// where it holds what must not be copied.
pub(super) fn again(said: &[OsString], without: Option<&str>, more: &[&str]) -> Option<String> {
    let mut words = vec!["relight".to_owned()];
    let mut skip = false;
    for word in said.iter().skip(1) {
        let word = word.to_str()?;
        let valued = without.and_then(|option| word.strip_prefix(option));
        match valued {
            _ if skip => skip = false,
            Some("") => skip = true,
            Some(value) if value.starts_with('=') => {}
            _ => words.push(shell_word(word)?),
        }
    }
    words.extend(more.iter().map(|word| (*word).to_owned()));
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_never_said_to_be_more_than_they_are() {
        for (bytes, words) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1_023, "1023 bytes"),
            (1_024, "1.0 KiB"),
            (2_047, "1.9 KiB"),
            (5 << 20, "5.0 MiB"),
            (u64::MAX, "17179869183.9 GiB"),
        ] {
            assert_eq!(size(bytes).as_str(), words);
        }
    }

    #[test]
    fn the_command_is_offered_again_as_a_shell_reads_it() {
        let line = |words: &[&str], without| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            again(&words, without, &["--yes"])
        };
        let table: &[(&[&str], Option<&str>, Option<&str>)] = &[
            (&["r", "undo"], None, Some("relight undo --yes")),
            (
                &["r", "resume", "a b"],
                None,
                Some("relight resume 'a b' --yes"),
            ),
            (
                &["r", "resume", "$(id)"],
                None,
                Some("relight resume '$(id)' --yes"),
            ),
            (&["r", "resume", "a\u{202e}"], None, None),
            (
                &["r", "resume", "--confirm", "ff", "x", "--confirm=0"],
                Some("--confirm"),
                Some("relight resume x --yes"),
            ),
        ];
        for (words, without, expected) in table {
            assert_eq!(line(words, *without).as_deref(), *expected, "{words:?}");
        }
    }
}
