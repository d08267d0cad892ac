//! Numbers in words: ages, durations, counts, sizes; and commands as text that a shell takes apart again.

use chrono::{DateTime, FixedOffset};

use crate::clean;
use crate::model::{Clean, Foreign, Stamp};
use crate::text::format;

/// How long ago a moment was, in at most four letters: `now`, `5m`, `3h`, `12d`, `7w`, `2y`.
pub(crate) fn age(now: DateTime<FixedOffset>, then: Option<Stamp>) -> Clean {
    let Some(then) = then else {
        return Clean::new("–");
    };
    let seconds = now.timestamp().saturating_sub(then.unix());
    match seconds {
        // Clocks of files and agents differ by a little; what lies far ahead is worth seeing.
        i64::MIN..=-300 => Clean::new("ahead"),
        -299..60 => Clean::new("now"),
        60..3_600 => clean!("{}m", seconds / 60),
        3_600..86_400 => clean!("{}h", seconds / 3_600),
        86_400..2_592_000 => clean!("{}d", seconds / 86_400),
        2_592_000..31_536_000 => clean!("{}w", seconds / 604_800),
        _ => clean!("{}y", seconds / 31_536_000),
    }
}

/// How long ago, in words: `3h ago`.
pub(crate) fn ago(now: DateTime<FixedOffset>, then: Option<Stamp>) -> Clean {
    let age = age(now, then);
    match age.as_str() {
        "–" => Clean::new("at an unknown time"),
        "now" => Clean::new("just now"),
        "ahead" => Clean::new("in the future"),
        _ => clean!("{} ago", age),
    }
}

/// A duration: `45s`, `12m`, `1h 05m`, `3d 4h`.
pub(crate) fn duration(seconds: u64) -> Clean {
    match seconds {
        0..60 => clean!("{}s", seconds),
        60..3_600 => clean!("{}m", seconds / 60),
        3_600..86_400 => Clean::new(&format!(
            "{}h {:02}m",
            seconds / 3_600,
            seconds % 3_600 / 60
        )),
        _ => clean!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// A number with its noun: `1 file`, `3 files`.
pub(crate) fn count(number: u64, noun: &'static str) -> Clean {
    Clean::new(&format::count(number, noun))
}

/// A number with its noun, where the plural is a word of its own: `1 recovery`, `2 recoveries`.
pub(crate) fn count_of(number: usize, one: &'static str, many: &'static str) -> Clean {
    Clean::new(&format::count_of(number, one, many))
}

/// What would make a guard hold: a sentence stands by itself, a condition gets its beginning.
pub(crate) fn cure(would: &Foreign) -> Clean {
    if would.lossy().starts_with(char::is_uppercase) {
        would.clean()
    } else {
        clean!("ok if {}", would)
    }
}

/// A size: `812 B`, `4.2 KiB`, `1.3 MiB`.
pub(crate) fn size(bytes: usize) -> Clean {
    let tenths = |unit: usize| {
        let tenths = bytes.saturating_mul(10) / unit;
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    match bytes {
        0..1_024 => clean!("{} B", bytes),
        1_024..1_048_576 => clean!("{} KiB", tenths(1_024)),
        _ => clean!("{} MiB", tenths(1_048_576)),
    }
}

/// A moment as a person reads it.
pub(crate) fn moment(stamp: &Stamp) -> Clean {
    Clean::new(&stamp.words())
}

/// The time of day alone.
pub(crate) fn clock(stamp: &Stamp) -> Clean {
    Clean::new(&format::clock(stamp.at))
}

/// An argument vector as one line for a shell. `None` where an argument holds what must not be pasted: a
/// control character, something invisible, or bytes that are no text (safety.md C5).
pub(crate) fn shell_line(argv: &[Foreign]) -> Option<Clean> {
    let quoted: Option<Vec<String>> = argv.iter().map(shell_word).collect();
    quoted.map(|words| Clean::new(&words.join(" ")))
}

fn shell_word(word: &Foreign) -> Option<String> {
    let text = word.as_str()?;
    if Clean::new(text).as_str() != text {
        return None;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,~".contains(c);
    // A shell gives some signs a meaning at the beginning of a word.
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with(['=', '~']) {
        return Some(text.to_owned());
    }
    Some(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Where text of this width is broken so that each line fits: at blanks where there are any.
pub(crate) fn wrap(text: &Clean, width: usize) -> Vec<Clean> {
    use unicode_segmentation::UnicodeSegmentation as _;
    use unicode_width::UnicodeWidthStr as _;
    if width == 0 || text.width() <= width {
        return vec![text.clone()];
    }
    let mut lines = Vec::new();
    let (mut start, mut used, mut blank) = (0, 0, None);
    let mut at = 0;
    for sign in text.as_str().graphemes(true) {
        let wide = sign.width();
        if used + wide > width && at > start {
            let end = blank.filter(|blank| *blank > start).unwrap_or(at);
            lines.push(text.part(start..end));
            start = end;
            if text.as_str().as_bytes().get(start) == Some(&b' ') {
                start += 1;
            }
            used = text.part(start.min(at)..at).width();
            blank = None;
        }
        if sign == " " {
            blank = Some(at);
        }
        used += wide;
        at += sign.len();
    }
    if start < at {
        lines.push(text.part(start..at));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Stamp {
        Stamp::from_unix(seconds).unwrap()
    }

    #[test]
    fn ages_are_short() {
        let now = at(1_000_000_000).at;
        let table = [
            (0, "now"),
            (59, "now"),
            (60, "1m"),
            (3_599, "59m"),
            (7_200, "2h"),
            (86_400 * 3, "3d"),
            (86_400 * 40, "5w"),
            (86_400 * 800, "2y"),
            (-60, "now"),
            (-4_000, "ahead"),
        ];
        for (seconds, shown) in table {
            assert_eq!(age(now, Some(at(1_000_000_000 - seconds))).as_str(), shown);
        }
        assert_eq!(age(now, None).as_str(), "–");
    }

    #[test]
    fn durations_counts_and_sizes() {
        assert_eq!(duration(3_900).as_str(), "1h 05m");
        assert_eq!(duration(90_000).as_str(), "1d 1h");
        assert_eq!(count(1, "file").as_str(), "1 file");
        assert_eq!(count(0, "file").as_str(), "0 files");
        assert_eq!(size(1_536).as_str(), "1.5 KiB");
    }

    #[test]
    fn commands_can_be_pasted_or_are_not_offered() {
        let words = |words: &[&str]| words.iter().map(|w| Foreign::from(*w)).collect::<Vec<_>>();
        let table = [
            (&["relight", "plan"][..], Some("relight plan")),
            (&["git", "switch", "a;b"], Some("git switch 'a;b'")),
            (&["x", "$(id)"], Some("x '$(id)'")),
            (&["x", "it's"], Some(r"x 'it'\''s'")),
            (&["x", ""], Some("x ''")),
            (&["x~1", "~x"], Some("x~1 '~x'")),
            (&["x", "a\nb"], None),
            (&["x", "\u{202e}b"], None),
            (&["x", "\u{1b}[201~"], None),
        ];
        for (argv, shown) in table {
            let line = shell_line(&words(argv));
            assert_eq!(line.as_ref().map(Clean::as_str), shown);
        }
    }

    #[test]
    fn wrapped_lines_fit_and_lose_nothing_but_blanks() {
        let text = Clean::new("one two threefourfivesix 日本語日本語 end");
        for width in 2..30 {
            let lines = wrap(&text, width);
            assert!(
                lines.iter().all(|line| line.width() <= width),
                "{width} {lines:?}"
            );
            let joined: String = lines.iter().map(Clean::as_str).collect();
            let squeeze = |s: &str| s.replace(' ', "");
            assert_eq!(squeeze(&joined), squeeze(text.as_str()));
        }
    }
}
