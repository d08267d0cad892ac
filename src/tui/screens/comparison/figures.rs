//! Figures of a comparison as texts. What is unknown is `n/a`, never zero.

use crate::clean;
use crate::model::{Clean, Metric, MetricValue};
use crate::text::format;

/// Unknown.
pub(crate) const UNKNOWN: &str = "n/a";

/// A figure.
pub(crate) fn value(value: Option<MetricValue>) -> Clean {
    match value {
        None => Clean::new(UNKNOWN),
        Some(MetricValue::Count(number) | MetricValue::Number(number)) => {
            Clean::new(&plain(number))
        }
        Some(MetricValue::Seconds(seconds)) => time(seconds),
        Some(MetricValue::Outcome(outcome)) => Clean::new(outcome.word()),
    }
}

/// B less A, with its sign; whether an outcome changed, in a word.
pub(crate) fn delta(metric: &Metric) -> Clean {
    if let (Some(MetricValue::Outcome(a)), Some(MetricValue::Outcome(b))) = (metric.a, metric.b) {
        return Clean::new(if a == b { "=" } else { "changed" });
    }
    match metric.delta {
        None => Clean::new(UNKNOWN),
        Some(MetricValue::Count(number) | MetricValue::Number(number)) => {
            signed(number, &Clean::new(&plain(number.abs())))
        }
        Some(MetricValue::Seconds(seconds)) => signed(seconds, &time(seconds.abs())),
        Some(MetricValue::Outcome(outcome)) => Clean::new(outcome.word()),
    }
}

/// Seconds of B less those of A.
pub(crate) fn longer(a: Option<u64>, b: Option<u64>) -> Clean {
    let (Some(a), Some(b)) = (a, b) else {
        return Clean::new(UNKNOWN);
    };
    match b.cmp(&a) {
        std::cmp::Ordering::Equal => Clean::new("="),
        std::cmp::Ordering::Greater => clean!("+{}", format::brief_duration(b - a)),
        std::cmp::Ordering::Less => clean!("-{}", format::brief_duration(a - b)),
    }
}

fn signed(number: f64, text: &Clean) -> Clean {
    if number > 0.0 {
        clean!("+{}", text)
    } else if number < 0.0 {
        clean!("-{}", text)
    } else {
        Clean::new("=")
    }
}

/// A number with as many decimals as it needs, three at most.
fn plain(number: f64) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

fn time(seconds: f64) -> Clean {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float is clamped where it does not fit, and no run takes longer"
    )]
    let whole = seconds.round().max(0.0) as u64;
    format::duration(whole).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TestOutcome;

    #[test]
    fn unknown_is_never_zero_and_a_delta_has_its_sign() {
        let metric = |a, b, delta| Metric {
            name: "any".to_owned(),
            from_resume_point: false,
            a,
            b,
            delta,
        };
        let count = |number| Some(MetricValue::Count(number));
        let seconds = |number| Some(MetricValue::Seconds(number));
        let pass = Some(MetricValue::Outcome(TestOutcome::Pass));
        let fail = Some(MetricValue::Outcome(TestOutcome::Fail));
        let table = [
            (metric(None, count(2.0), None), "n/a", "2", "n/a"),
            (
                metric(count(4.0), count(2.5), count(-1.5)),
                "4",
                "2.5",
                "-1.5",
            ),
            (metric(count(0.0), count(0.0), count(0.0)), "0", "0", "="),
            (
                metric(seconds(60.0), seconds(3_900.0), seconds(3_840.0)),
                "1 min",
                "1 h 05 min",
                "+1 h 04 min",
            ),
            (metric(pass, fail, None), "PASS", "FAIL", "changed"),
            (metric(pass, pass, None), "PASS", "PASS", "="),
        ];
        for (metric, a, b, between) in table {
            let seen = [value(metric.a), value(metric.b), delta(&metric)];
            let seen: Vec<_> = seen.iter().map(Clean::as_str).collect();
            assert_eq!(seen, [a, b, between]);
        }
    }
}
