//! The figures of a comparison: metrics, and what repeats add up to. Unknown is `n/a`, never zero.

use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::words::{fact, heading};
use crate::cli::table::{Column, lay_out};
use crate::model::{Bucket, Clean, Effect, Metric, MetricValue, Statistics};

const METRICS: [Column; 7] = [
    Column::gives("FIGURE", [27, 14], 1),
    Column::right("A"),
    Column::right("B"),
    Column::right("B-A"),
    Column::right("A*"),
    Column::right("B*"),
    Column::right("B*-A*"),
];

/// The metrics, each whole and, beside it, from the resume point on.
pub(super) fn metrics(metrics: &[Metric], width: usize) -> Vec<Line> {
    if metrics.is_empty() {
        return Vec::new();
    }
    let behind = |metric: &Metric| {
        let same = |other: &&Metric| other.from_resume_point && other.name == metric.name;
        metrics.iter().find(same)
    };
    let whole = metrics.iter().filter(|metric| !metric.from_resume_point);
    let both = metrics.iter().any(|metric| metric.from_resume_point);
    let columns = if both {
        &METRICS[..]
    } else {
        METRICS.get(..4).unwrap_or_default()
    };
    let rows: Vec<Vec<Span>> = whole
        .map(|metric| {
            let mut row = vec![Span::plain(Clean::new(&metric.name))];
            row.extend(cells(Some(metric)));
            if both {
                row.extend(cells(behind(metric)));
            }
            row
        })
        .collect();
    let mut lines = heading("Figures").to_vec();
    lines.extend(lay_out(columns, &rows, width));
    if both {
        let text = Clean::new("  * from the resume point on");
        lines.push(vec![Span(Tone::Faint, text)]);
    }
    lines
}

/// Of A, of B, and what lies between them.
fn cells(metric: Option<&Metric>) -> [Span; 3] {
    let (a, b) = (metric.and_then(|m| m.a), metric.and_then(|m| m.b));
    let delta = match (a, b) {
        (Some(MetricValue::Outcome(a)), Some(MetricValue::Outcome(b))) => {
            Clean::new(if a == b { "=" } else { "changed" })
        }
        _ => metric.and_then(|m| m.delta).map_or_else(na, signed),
    };
    [
        Span::plain(a.map_or_else(na, value)),
        Span::plain(b.map_or_else(na, value)),
        Span(Tone::Faint, delta),
    ]
}

fn na() -> Clean {
    Clean::new("n/a")
}

/// A figure in words.
fn value(value: MetricValue) -> Clean {
    match value {
        MetricValue::Count(number) | MetricValue::Number(number) => Clean::new(&plain(number)),
        MetricValue::Seconds(seconds) => Clean::new(&span(seconds)),
        MetricValue::Outcome(outcome) => Clean::new(outcome.word()),
    }
}

/// A difference, with its sign.
fn signed(value: MetricValue) -> Clean {
    let (number, text) = match value {
        MetricValue::Count(number) | MetricValue::Number(number) => (number, plain(number.abs())),
        MetricValue::Seconds(seconds) => (seconds, span(seconds.abs())),
        MetricValue::Outcome(outcome) => return Clean::new(outcome.word()),
    };
    let sign = match number {
        more if more > 0.0 => "+",
        fewer if fewer < 0.0 => "-",
        _ => "",
    };
    Clean::new(&format!("{sign}{text}"))
}

/// At most three digits behind the point, none that says nothing.
fn plain(number: f64) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

/// Seconds in the unit that suits them: `45 s`, `12m 05s`, `2h 05m`.
fn span(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a span of a run: not negative, and far below what a double holds exactly"
    )]
    let whole = seconds.abs().round() as u64;
    let sign = if seconds < 0.0 { "-" } else { "" };
    match whole {
        0..=119 => format!("{sign}{whole} s"),
        120..=3_599 => format!("{sign}{}m {:02}s", whole / 60, whole % 60),
        _ => format!("{sign}{}h {:02}m", whole / 3_600, whole / 60 % 60),
    }
}

/// What repeats add up to.
pub(super) fn statistics(statistics: Option<&Statistics>, width: usize) -> Vec<Line> {
    let Some(statistics) = statistics else {
        return Vec::new();
    };
    let (a, b) = statistics.runs;
    let mut lines = heading(&format!("Repeats: {a} of A, {b} of B")).to_vec();
    let mut say = |key: &str, text: &Clean| lines.extend(fact(key, Tone::Plain, text, width));
    say("pairs", &buckets(&statistics.buckets));
    if let Some(success) = &statistics.success {
        say("success", &effect(success, "points"));
    }
    if let Some(duration) = &statistics.duration {
        say("time", &effect(duration, "%"));
    }
    let [a, b] = statistics.passed;
    if a.1 + b.1 > 0 {
        let text = clean!(
            "acceptance tests passed in {} of {} runs of A and {} of {} of B",
            a.0,
            a.1,
            b.0,
            b.1
        );
        say("tests", &text);
    }
    lines
}

fn buckets(buckets: &[(Bucket, u64)]) -> Clean {
    let said: Vec<String> = buckets
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(bucket, count)| format!("{count} {}", bucket.word()))
        .collect();
    if said.is_empty() {
        return Clean::new("none");
    }
    Clean::new(&said.join(", "))
}

/// `+22 points (95 %: -3 to +44), p = 0.500, from 9 pairs; about 9 runs would be needed to see it`.
fn effect(effect: &Effect, unit: &str) -> Clean {
    let part = |share: f64| format!("{:+.0}", share * 100.0);
    let needed = match effect.runs_needed {
        Some(1) => "; about 1 run would be needed to see it".to_owned(),
        Some(runs) => format!("; about {runs} runs would be needed to see it"),
        None => String::new(),
    };
    let pairs = crate::cli::commands::words::plural(effect.pairs as u64, "pair");
    Clean::new(&format!(
        "{} {unit} (95 %: {} to {}), p {}, from {pairs}{needed}",
        part(effect.mean),
        part(effect.interval.0),
        part(effect.interval.1),
        chance(effect.p),
    ))
}

/// `= 0.250`, or `< 0.001`: never zero, because chance is never excluded.
fn chance(p: f64) -> String {
    if p < 0.001 {
        return "< 0.001".to_owned();
    }
    format!("= {p:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TestOutcome;

    fn metric(
        a: Option<MetricValue>,
        b: Option<MetricValue>,
        delta: Option<MetricValue>,
    ) -> Metric {
        Metric {
            name: "wall clock".to_owned(),
            from_resume_point: false,
            a,
            b,
            delta,
        }
    }

    #[test]
    fn what_is_unknown_is_never_zero() {
        use MetricValue::{Count, Number, Outcome, Seconds};
        let table = [
            (None, None, None, ["n/a", "n/a", "n/a"]),
            (Some(Count(0.0)), None, None, ["0", "n/a", "n/a"]),
            (
                Some(Count(9.0)),
                Some(Count(8.5)),
                Some(Count(-0.5)),
                ["9", "8.5", "-0.5"],
            ),
            (
                Some(Seconds(61.0)),
                Some(Seconds(8_460.0)),
                Some(Seconds(8_399.0)),
                ["61 s", "2h 21m", "+2h 19m"],
            ),
            (
                Some(Seconds(725.0)),
                Some(Seconds(725.0)),
                Some(Seconds(0.0)),
                ["12m 05s", "12m 05s", "0 s"],
            ),
            (
                Some(Number(0.123_456)),
                Some(Number(-0.000_01)),
                Some(Number(-0.123_466)),
                ["0.123", "0", "-0.123"],
            ),
            (
                Some(Outcome(TestOutcome::Pass)),
                Some(Outcome(TestOutcome::Fail)),
                None,
                ["PASS", "FAIL", "changed"],
            ),
            (
                Some(Outcome(TestOutcome::Unknown)),
                Some(Outcome(TestOutcome::Unknown)),
                None,
                ["UNKNOWN", "UNKNOWN", "="],
            ),
        ];
        for (a, b, delta, words) in table {
            let cells = cells(Some(&metric(a, b, delta)));
            let found: Vec<&str> = cells.iter().map(|span| span.1.as_str()).collect();
            assert_eq!(found, words, "{a:?} {b:?}");
        }
    }

    #[test]
    fn an_effect_is_said_with_its_interval_and_what_it_would_take() {
        let found = effect(
            &Effect {
                pairs: 9,
                mean: 0.22,
                interval: (-0.03, 0.44),
                p: 0.5,
                runs_needed: Some(9),
            },
            "points",
        );
        assert_eq!(
            found.as_str(),
            "+22 points (95 %: -3 to +44), p = 0.500, from 9 pairs; about 9 runs would be needed to see it"
        );
    }
}
