//! Breaking text into lines.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::Clean;

/// What happens to a word that is longer than a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongWords {
    /// Break it so that every line fits: for a screen.
    Break,
    /// Keep it whole, because it may be a path or a command to copy: for printed output.
    Keep,
}

/// Breaks text at spaces into lines of at most `width` cells. There is always at least one line.
pub fn wrap(text: &Clean, width: usize, long: LongWords) -> Vec<Clean> {
    if width == 0 || text.width() <= width {
        return vec![text.clone()];
    }
    let mut lines = Vec::new();
    let (mut start, mut used, mut blank) = (0, 0, None);
    let mut at = 0;
    for sign in text.as_str().graphemes(true) {
        let wide = sign.width();
        if sign == " " && !parts_unit(text.as_str(), at) {
            blank = Some(at);
        }
        while used + wide > width && at > start {
            let broken = match (blank.filter(|blank| *blank > start), long) {
                (Some(blank), _) => blank,
                (None, LongWords::Break) => at,
                (None, LongWords::Keep) => break,
            };
            lines.push(text.part(start..broken));
            start = broken;
            // The space at the line break is dropped.
            if text.as_str().as_bytes().get(start) == Some(&b' ') {
                start += 1;
            }
            used = text.part(start.min(at)..at).width();
            blank = None;
        }
        used += wide;
        at += sign.len();
    }
    if start < at {
        lines.push(text.part(start..at));
    }
    lines
}

/// Whether the space at this byte parts a number from its unit.
fn parts_unit(text: &str, space: usize) -> bool {
    let (before, after) = text.split_at(space);
    let unit = after.trim_start().split(|sign: char| !sign.is_alphabetic());
    let unit = unit.into_iter().next().unwrap_or_default();
    before.ends_with(|sign: char| sign.is_ascii_digit()) && matches!(unit, "s" | "min" | "h" | "d")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize, long: LongWords) -> Vec<String> {
        let lines = wrap(&Clean::new(text), width, long);
        lines.into_iter().map(Clean::into_string).collect()
    }

    #[test]
    fn broken_lines_fit_and_lose_only_spaces() {
        let text = "one two threefourfivesix 日本語日本語 end";
        for width in 2..30 {
            let lines = lines(text, width, LongWords::Break);
            assert!(
                lines.iter().all(|line| line.width() <= width),
                "{width} {lines:?}"
            );
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }

    #[test]
    fn long_words_stay_whole_in_printed_output() {
        let table: &[(&str, usize, &[&str])] = &[
            ("", 5, &[""]),
            ("one two", 7, &["one two"]),
            ("one two", 6, &["one", "two"]),
            ("one two", 3, &["one", "two"]),
            ("again (14 h)", 10, &["again", "(14 h)"]),
            ("again 14 hours", 10, &["again 14", "hours"]),
            ("see /a/long/path now", 6, &["see", "/a/long/path", "now"]),
            ("/a/long/path now", 6, &["/a/long/path", "now"]),
        ];
        for (text, width, expected) in table {
            assert_eq!(lines(text, *width, LongWords::Keep), *expected, "{text:?}");
        }
    }
}
