//! Small values inside Markdown and table cells: numbers, durations, targets.

/// The first whole number in a text.
pub(crate) fn first_int(text: &str) -> Option<u64> {
    text.split(|c: char| !c.is_ascii_digit())
        .find(|part| !part.is_empty())?
        .parse()
        .ok()
}

/// The first number in a text, its sign and fraction included.
pub(crate) fn first_float(text: &str) -> Option<f64> {
    text.split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)))
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
        .find_map(|part| part.trim_matches(['e', 'E', '.']).parse().ok())
        .filter(|n: &f64| n.is_finite())
}

/// A number that is the whole cell, optionally with a sign or a percent mark.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('%').trim_start_matches('+');
    text.parse().ok().filter(|n: &f64| n.is_finite())
}

/// A duration such as `2h`, `30m`, `1h 30m`, `45 s`, in seconds.
pub(crate) fn seconds(text: &str) -> Option<i64> {
    let mut total: i64 = 0;
    let mut digits = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
        } else if !digits.is_empty() && c.is_ascii_alphabetic() {
            let unit = match c.to_ascii_lowercase() {
                'd' => 86_400,
                'h' => 3_600,
                'm' => 60,
                's' => 1,
                _ => return None,
            };
            let number: i64 = digits.parse().ok()?;
            total = total.checked_add(number.checked_mul(unit)?)?;
            digits.clear();
        }
    }
    (total > 0).then_some(total)
}

/// The direction in which a metric improves; to maximize is the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Direction {
    /// More is better.
    #[default]
    Maximize,
    /// Less is better.
    Minimize,
}

impl Direction {
    /// From the configured word.
    pub(crate) fn parse(text: Option<&str>) -> Self {
        let lower = text.map(str::to_lowercase).unwrap_or_default();
        if lower.contains("minimi") || lower.contains("lower") {
            Self::Minimize
        } else {
            Self::Maximize
        }
    }

    /// Whether one value is better than another.
    pub(crate) fn better(self, a: f64, b: f64) -> bool {
        match self {
            Self::Maximize => a > b,
            Self::Minimize => a < b,
        }
    }

    /// The better of two.
    pub(crate) fn best(self, a: f64, b: f64) -> f64 {
        if self.better(b, a) { b } else { a }
    }

    /// The best of several, the first one of equals.
    pub(crate) fn best_of<T>(self, all: impl Iterator<Item = (f64, T)>) -> Option<(f64, T)> {
        all.reduce(|best, other| {
            if self.better(other.0, best.0) {
                other
            } else {
                best
            }
        })
    }
}

/// A target such as `> 0.9`, `>= 80`, `< 50ms` or a bare number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    /// The comparison as written; empty if the direction decides.
    pub op: &'static str,
    /// The number.
    pub value: f64,
    /// True if it is in percent.
    pub percent: bool,
}

impl Target {
    /// From the configured text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let value = first_float(text)?;
        let folded = text.replace('≥', ">=").replace('≤', "<=");
        let op = [">=", "<=", ">", "<"]
            .into_iter()
            .find(|op| folded.contains(op));
        Some(Self {
            op: op.unwrap_or(""),
            value,
            percent: text.contains('%'),
        })
    }

    /// Whether a value reaches it.
    pub(crate) fn met(&self, value: f64, direction: Direction) -> bool {
        match (self.op, direction) {
            (">", _) => value > self.value,
            ("<", _) => value < self.value,
            (">=", _) | ("", Direction::Maximize) => value >= self.value,
            _ => value <= self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations() {
        for (text, s) in [
            ("2h", Some(7200)),
            ("90m", Some(5400)),
            ("1h30m", Some(5400)),
            ("45 s", Some(45)),
            ("none", None),
            ("", None),
            ("3 weeks", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(seconds(text), s, "{text}");
        }
    }

    #[test]
    fn judges_targets_by_their_sign_or_the_direction() {
        use Direction::{Maximize, Minimize};
        for (text, value, direction, met) in [
            ("> 0.9", 0.9, Maximize, false),
            (">= 80", 80.0, Maximize, true),
            ("≥ 80%", 81.0, Maximize, true),
            ("< 50ms", 49.0, Minimize, true),
            ("80", 79.0, Maximize, false),
            ("80", 79.0, Minimize, true),
        ] {
            assert_eq!(
                Target::parse(text).unwrap().met(value, direction),
                met,
                "{text}"
            );
        }
        assert_eq!(Target::parse("good"), None);
        assert_eq!(first_float("-1.5e-3 ms"), Some(-0.0015));
    }
}
