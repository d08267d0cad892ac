//! Which part of a text is on which row, and in which columns.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::model::Clean;

/// The cells that are left for text beside so many for number and sign.
pub(crate) fn text_width(width: u16, gutter: usize) -> usize {
    usize::from(width).saturating_sub(gutter).max(1)
}

/// Columns of the left half and of the right half; a line of two cells divides them.
pub(crate) fn columns(width: u16) -> [u16; 2] {
    let half = width / 2;
    [half.saturating_sub(1), width.saturating_sub(half + 1)]
}

/// The part of a text on each row. At least one. A row ends after a blank where it has one past its middle, so that
/// words stay whole and code without blanks still fills its rows.
pub(crate) fn parts(text: &Clean, width: usize) -> Vec<Range<usize>> {
    let text = text.as_str();
    // Every sign has at least as many bytes as cells.
    if text.len() <= width {
        return std::iter::once(0..text.len()).collect();
    }
    let mut out = Vec::new();
    let (mut start, mut used) = (0, 0);
    // The place after the last blank of the row, and the cells before it.
    let mut blank = (0, 0);
    for (byte, sign) in text.grapheme_indices(true) {
        let wide = sign.width();
        if used + wide > width && byte > start {
            let (end, before) = if blank.0 > start && blank.1 * 2 >= width {
                blank
            } else {
                (byte, used)
            };
            out.push(start..end);
            (start, used) = (end, used - before);
        }
        used += wide;
        if sign == " " {
            blank = (byte + sign.len(), used);
        }
    }
    out.push(start..text.len());
    out
}

/// The part of a text that is visible when its first cells are scrolled away, and how many blanks replace a wide
/// character of which only the second half would be visible. It contains one character more than fits, so that the view
/// can mark the text as cut.
pub(crate) fn window(text: &Clean, pan: usize, width: usize) -> (usize, Range<usize>) {
    let text = text.as_str();
    let (mut gone, mut start, mut used) = (0, None, 0);
    for (byte, sign) in text.grapheme_indices(true) {
        let wide = sign.width();
        if gone < pan {
            gone += wide;
            continue;
        }
        let start = *start.get_or_insert(byte);
        if used > width {
            return (gone - pan, start..byte);
        }
        used += wide;
    }
    (
        gone.saturating_sub(pan),
        start.unwrap_or(text.len())..text.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_between_signs_and_nothing_is_lost() {
        let table: &[(&str, usize, &[&str])] = &[
            ("", 4, &[""]),
            ("abcd", 4, &["abcd"]),
            ("abcde", 4, &["abcd", "e"]),
            ("日本語", 4, &["日本", "語"]),
            ("a日本", 4, &["a日", "本"]),
            ("one two three", 8, &["one two ", "three"]),
            ("a twothree", 8, &["a twothr", "ee"]),
            (
                "a long, long sentence",
                10,
                &["a long, ", "long ", "sentence"],
            ),
            ("日", 1, &["日"]),
            ("ae\u{301}b", 2, &["ae\u{301}", "b"]),
        ];
        for (text, width, expected) in table {
            let text = Clean::new(text);
            let got: Vec<_> = parts(&text, *width)
                .into_iter()
                .map(|part| text.part(part).as_str().to_owned())
                .collect();
            assert_eq!(got, *expected);
        }
    }

    #[test]
    fn columns_stay_in_line_when_scrolled_to_the_side() {
        let table: &[(&str, usize, usize, usize, &str)] = &[
            ("abcdef", 0, 3, 0, "abcd"),
            ("abcdef", 2, 3, 0, "cdef"),
            ("abcdef", 9, 3, 0, ""),
            ("日本語", 1, 9, 1, "本語"),
            ("日本語", 2, 1, 0, "本"),
            ("e\u{301}a", 1, 4, 0, "a"),
        ];
        for (text, pan, width, blanks, expected) in table {
            let text = Clean::new(text);
            let (before, range) = window(&text, *pan, *width);
            let got = text.part(range);
            assert_eq!((before, got.as_str()), (*blanks, *expected), "{text} {pan}");
        }
    }
}
