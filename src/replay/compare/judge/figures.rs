//! Effects in words, with what they rest on.

use crate::model::{Effect, Statistics};

/// `Success +22 points (95 %: -3 to +44), p = 0.50.`
pub(super) fn effects(statistics: &Statistics) -> String {
    let mut sentences = Vec::new();
    if let Some(one) = &statistics.success {
        sentences.push(effect("Success", "points", one));
    }
    if let Some(one) = &statistics.duration {
        sentences.push(effect("Time", "%", one));
    }
    sentences.join(" ")
}

fn effect(name: &str, unit: &str, effect: &Effect) -> String {
    let hundred = |share: f64| signed(share * 100.0);
    let (low, high) = effect.interval;
    format!(
        "{name} {} {unit} (95 %: {} to {}), {}.",
        hundred(effect.mean),
        hundred(low),
        hundred(high),
        chance(effect.p)
    )
}

/// A whole number with its sign; zero has none.
fn signed(number: f64) -> String {
    let text = format!("{number:+.0}");
    if matches!(text.as_str(), "+0" | "-0") {
        return "0".to_owned();
    }
    text
}

fn chance(p: f64) -> String {
    if p < 0.001 {
        "p < 0.001".to_owned()
    } else if p < 0.1 {
        format!("p = {p:.3}")
    } else {
        format!("p = {p:.2}")
    }
}
