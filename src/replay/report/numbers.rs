//! Figures as the report writes them.

use crate::model::{Foreign, MetricValue};
use crate::text::format::number_to;

/// The text for an unknown figure.
pub(super) const UNKNOWN: &str = "n/a";

/// A figure.
pub(super) fn value(value: Option<MetricValue>) -> String {
    match value {
        None => UNKNOWN.to_owned(),
        Some(MetricValue::Count(n) | MetricValue::Number(n)) => number(n),
        Some(MetricValue::Seconds(s)) => clock(s),
        Some(MetricValue::Outcome(outcome)) => outcome.word().to_owned(),
    }
}

/// A difference, with its sign.
pub(super) fn delta(
    a: Option<MetricValue>,
    b: Option<MetricValue>,
    delta: Option<MetricValue>,
) -> String {
    match (a, b, delta) {
        (Some(MetricValue::Outcome(a)), Some(MetricValue::Outcome(b)), _) => {
            (if a == b { "=" } else { "changed" }).to_owned()
        }
        // The minutes as they are in the row, so that the row adds up.
        (Some(MetricValue::Seconds(a)), Some(MetricValue::Seconds(b)), Some(_)) => {
            format!("{}m", signed(minutes(b) - minutes(a)))
        }
        (_, _, Some(MetricValue::Count(n) | MetricValue::Number(n))) => signed(n),
        _ => UNKNOWN.to_owned(),
    }
}

/// Whole minutes.
pub(super) fn minutes(seconds: f64) -> f64 {
    (seconds / 60.0).round()
}

/// `2h 21m`.
fn clock(seconds: f64) -> String {
    let minutes = minutes(seconds);
    format!("{:.0}h {:.0}m", (minutes / 60.0).floor(), minutes % 60.0)
}

/// A number without digits that say nothing.
fn number(n: f64) -> String {
    if n != 0.0 && !(1e-3..1e15).contains(&n.abs()) {
        return number_to(n, 4);
    }
    if (n - n.round()).abs() < 1e-9 {
        return format!("{:.0}", n.round() + 0.0);
    }
    let text = format!("{n:.4}");
    text.trim_end_matches('0').to_owned()
}

fn signed(n: f64) -> String {
    if n == 0.0 {
        return "0".to_owned();
    }
    let sign = if n > 0.0 { "+" } else { "-" };
    format!("{sign}{}", number(n.abs()))
}

/// Foreign text in a cell or a heading: presentable, of one line, with neither bars nor tags of its own.
pub(super) fn cell(text: impl Into<Foreign>) -> String {
    escape(text.into().clean().as_str())
}

/// The same, of at most so many cells.
pub(super) fn short(text: &Foreign, cells: usize) -> String {
    escape(text.clean().clip(cells).as_str())
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // A backslash before a bar would escape its escape.
        if matches!(c, '|' | '\\' | '<') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_zero_is_written_as_zero() {
        let table = [
            (0.0, "0"),
            (3.0, "3"),
            (0.123_45, "0.1235"),
            (0.000_02, "0.00002"),
            (-2e-12, "-2e-12"),
            (1e300, "1e300"),
        ];
        for (n, text) in table {
            assert_eq!(number(n), text, "{n}");
        }
        assert_eq!(
            (signed(2e-12), signed(0.0)),
            ("+2e-12".to_owned(), "0".to_owned())
        );
    }
}
