//! Counts, lists, sizes and plain numbers.

use std::fmt::Display;

use crate::text::Clean;

/// A number, or `?` where it is unknown: a count of files that cannot be read is not zero.
pub fn or_unknown(number: Option<u64>) -> String {
    number.map_or_else(|| "?".to_owned(), |number| number.to_string())
}

/// A number with its noun: `1 file`, `3 dispatches`, `2 recoveries`. The noun is singular, and its last word takes the
/// plural; [`count_of`] is for irregular plurals.
pub fn count(number: impl Countable, noun: &str) -> String {
    if number.is_one() {
        return format!("{number} {noun}");
    }
    let stem = noun.strip_suffix('y');
    let consonant_y = stem.filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    let sibilant = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    match consonant_y {
        Some(stem) => format!("{number} {stem}ies"),
        None if sibilant => format!("{number} {noun}es"),
        None => format!("{number} {noun}s"),
    }
}

/// A number with its noun, with an explicit plural: `1 line of the log`, `2 lines of the log`.
pub fn count_of(number: impl Countable, one: &str, many: &str) -> String {
    format!("{number} {}", plural(number, one, many))
}

/// The form of a word that agrees with a number: `plural(1, "is", "are")`.
pub fn plural<'a>(number: impl Countable, one: &'a str, many: &'a str) -> &'a str {
    if number.is_one() { one } else { many }
}

/// A whole number that a noun can agree with.
pub trait Countable: Copy + Display {
    /// Whether the noun is singular.
    fn is_one(self) -> bool;
}

macro_rules! countable {
    ($($number:ty),*) => {$(
        impl Countable for $number {
            fn is_one(self) -> bool {
                self == 1
            }
        }
    )*};
}
countable!(u8, u16, u32, u64, u128, usize, i32, i64);

/// `3 overwritten`, `1 recreated`: each number with its word, without those of which there is none.
pub fn numbered<N>(kinds: impl IntoIterator<Item = (N, &'static str)>) -> Vec<String>
where
    N: Countable + Default + PartialEq,
{
    let some = kinds.into_iter();
    let some = some.filter(|(number, _)| *number != N::default());
    some.map(|(number, word)| format!("{number} {word}"))
        .collect()
}

/// `a`, `a and b`, `a, b and c`; nothing for an empty list.
pub fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    list_first(items, usize::MAX)
}

/// The alternatives of a choice: `a`, `a or b`, `a, b or c`; nothing for an empty list.
pub fn list_or<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut shown: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    let last = shown.pop();
    joined(&shown, "or", last)
}

/// The first items of a list: `a, b and 3 more`.
pub fn list_first<T: Display>(items: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut items = items.into_iter();
    let first = items.by_ref().take(most);
    let mut shown: Vec<String> = first.map(|item| item.to_string()).collect();
    let last = match items.count() {
        0 => shown.pop(),
        rest => Some(format!("{rest} more")),
    };
    joined(&shown, "and", last)
}

fn joined(first: &[String], word: &str, last: Option<String>) -> String {
    let last = last.unwrap_or_default();
    if first.is_empty() {
        return last;
    }
    format!("{} {word} {last}", first.join(", "))
}

/// The first items of a list of clean texts.
pub fn clean_list(items: &[Clean], most: usize) -> Clean {
    Clean::from_clean_parts(format_args!("{}", list_first(items, most)))
}

/// A sentence with a capital at its beginning.
pub fn capital(sentence: &str) -> String {
    let mut signs = sentence.chars();
    let first = signs.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(signs).collect()
}

/// A size: `812 B`, `4.2 KiB`, `1.3 MiB`. Truncated, not rounded, so that it never overstates.
pub fn size(bytes: impl TryInto<u64>) -> String {
    let bytes = bytes.try_into().unwrap_or(u64::MAX);
    let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, unit)| bytes >= *unit) {
        None => format!("{bytes} B"),
        Some((name, unit)) => {
            let tenths = u128::from(bytes) * 10 / u128::from(unit);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
    }
}

/// The significant digits of a number that stands alone.
const DIGITS: usize = 3;

/// A number with three decimals, or three significant digits where that is more, and no trailing zeros: `9`, `8.5`,
/// `0.123`, `0.00031`, `1e300`.
pub fn number(number: f64) -> String {
    number_to(number, DIGITS)
}

/// The significant digits by which each two different numbers of a comparison differ in their texts.
pub fn digits_for(numbers: &[f64]) -> usize {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let differ = |digits: usize| {
        let mut pairs = sorted.iter().zip(sorted.iter().skip(1));
        pairs.all(|(a, b)| a >= b || number_to(*a, digits) != number_to(*b, digits))
    };
    let mut fewer = DIGITS..EXACT;
    fewer.find(|digits| differ(*digits)).unwrap_or(EXACT)
}

/// Digits that tell any two numbers apart.
const EXACT: usize = 17;

/// A number with at least so many significant digits and no trailing zeros; with an exponent where it has more than seven
/// places before or after the point.
pub fn number_to(number: f64, digits: usize) -> String {
    let scientific = format!("{number:.*e}", digits.saturating_sub(1));
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let places: i32 = exponent.parse().unwrap_or_default();
    let trim = |text: &str| match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text.to_owned(),
    };
    if !(-7..=7).contains(&places) {
        return format!("{}e{places}", trim(mantissa));
    }
    let decimals = usize::try_from(-places).unwrap_or_default() + digits.saturating_sub(1);
    let before = usize::try_from(places).unwrap_or_default();
    let text = format!("{number:.*}", decimals.saturating_sub(before).max(3));
    let text = trim(&text);
    if text == "-0" { "0".to_owned() } else { text }
}

/// A difference, with its sign before the text of its magnitude: `+5`, `-2 min`, `0`.
pub fn signed(difference: f64, magnitude: &str) -> String {
    let sign = match difference {
        more if more > 0.0 => "+",
        less if less < 0.0 => "-",
        _ => "",
    };
    format!("{sign}{magnitude}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_with_their_words_without_zeros() {
        let parts = numbered([(2_usize, "new"), (0, "failed"), (1, "open")]);
        assert_eq!(parts, ["2 new", "1 open"]);
    }

    #[test]
    fn nouns_agree_with_their_number() {
        let table = [
            (count(1_u64, "file"), "1 file"),
            (count(0_u64, "file"), "0 files"),
            (count(3_usize, "file"), "3 files"),
            (count(2_u32, "recovery"), "2 recoveries"),
            (count(2_u32, "entry"), "2 entries"),
            (count(2_u32, "day"), "2 days"),
            (count(2_u32, "branch"), "2 branches"),
            (count(2_u32, "dispatch"), "2 dispatches"),
            (count(2_u32, "byte"), "2 bytes"),
            (count_of(2_u32, "child", "children"), "2 children"),
            (count_of(1_u32, "line of it", "lines of it"), "1 line of it"),
        ];
        for (text, expected) in table {
            assert_eq!(text, expected);
        }
        assert_eq!(
            (plural(1, "is", "are"), plural(0, "is", "are")),
            ("is", "are")
        );
    }

    #[test]
    fn lists_are_joined_and_cut() {
        let table: &[(&[&str], usize, &str)] = &[
            (&[], 3, ""),
            (&["a"], 3, "a"),
            (&["a", "b"], 3, "a and b"),
            (&["a", "b", "c"], 3, "a, b and c"),
            (&["a", "b", "c", "d", "e"], 2, "a, b and 3 more"),
            (&["a", "b"], 1, "a and 1 more"),
            (&["a", "b"], 0, "2 more"),
        ];
        for (items, most, expected) in table {
            assert_eq!(list_first(*items, *most), *expected, "{items:?} {most}");
        }
        let table: [(&[&str], &str); 3] = [
            (&["a"], "a"),
            (&["a", "b"], "a or b"),
            (&["a", "b", "c"], "a, b or c"),
        ];
        for (items, expected) in table {
            assert_eq!(list_or(items), expected);
        }
        let escaped = [Clean::new("a\u{1b}"), Clean::new("\u{202e}")];
        assert_eq!(clean_list(&escaped, 9).as_str(), "a␛ and <U+202E>");
    }

    #[test]
    fn sizes_are_cut_to_a_tenth() {
        let table = [
            (0_u64, "0 B"),
            (1_023, "1023 B"),
            (1_024, "1.0 KiB"),
            (2_047, "1.9 KiB"),
            (5 << 20, "5.0 MiB"),
            (u64::MAX, "17179869183.9 GiB"),
        ];
        for (bytes, expected) in table {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn numbers_have_no_trailing_zeros() {
        let table = [
            (9.0, "9"),
            (8.5, "8.5"),
            (0.123_456, "0.123"),
            (12_345.678_9, "12345.679"),
            (12_345_678.0, "12345678"),
            (-0.0, "0"),
            // Nothing but zero is printed as zero.
            (-0.000_01, "-0.00001"),
            (0.000_31, "0.00031"),
            (1e-12, "1e-12"),
            (1e300, "1e300"),
            (-1.25e9, "-1.25e9"),
        ];
        for (figure, expected) in table {
            assert_eq!(number(figure), expected);
        }
        let table: [(&[f64], &[&str]); 5] = [
            (&[0.000_31, 0.000_41], &["0.00031", "0.00041"]),
            (&[1.0, 1.000_000_1], &["1", "1.0000001"]),
            (
                &[123_456_789.0, 123_456_788.0],
                &["1.23456789e8", "1.23456788e8"],
            ),
            (&[0.1 + 0.2, 0.5], &["0.3", "0.5"]),
            (&[2.0, 2.0], &["2", "2"]),
        ];
        for (numbers, expected) in table {
            let digits = digits_for(numbers);
            let texts: Vec<_> = numbers.iter().map(|one| number_to(*one, digits)).collect();
            assert_eq!(texts, expected);
        }
        assert_eq!(signed(0.5, "0.5"), "+0.5");
        assert_eq!(signed(-0.5, "0.5"), "-0.5");
        assert_eq!(signed(0.0, "0"), "0");
    }
}
