//! What a line of the log says, read out of its bytes when it is asked for.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::formats::{json, jsonl};
use crate::systems::autoconference::shape::values;

/// A line of the log as it was read, which is in memory once for all events.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    log: Arc<Vec<u8>>,
    span: jsonl::Span,
}

impl Source {
    /// Of a line of these bytes.
    pub(super) fn new(log: &Arc<Vec<u8>>, line: &jsonl::Line<'_>) -> Self {
        Self {
            log: Arc::clone(log),
            span: line.span(),
        }
    }

    /// Whether another line is of the same bytes in memory.
    #[cfg(test)]
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.log, &other.log)
    }

    /// The object of the line.
    pub(crate) fn body(&self) -> Body {
        let bytes = self.span.of(&self.log);
        let line = jsonl::lines(bytes).next();
        let object = line.and_then(|line| jsonl::parse(&line).object());
        Body(object.unwrap_or_default())
    }
}

/// An object of the log, unknown keys included.
pub(crate) struct Body(pub Map<String, Value>);

impl Body {
    /// A member of the payload, else of the event itself.
    pub(crate) fn field(&self, key: &str) -> Option<&Value> {
        let payload = json::child(&self.0, "payload");
        let own = payload.and_then(|payload| payload.get(key));
        own.or_else(|| self.0.get(key))
    }

    /// A text member.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.field(key).and_then(Value::as_str)
    }

    /// A whole number.
    pub(crate) fn int(&self, key: &str) -> Option<i64> {
        self.field(key).and_then(json::as_int)
    }

    /// The time as written.
    pub(crate) fn at_text(&self) -> Option<String> {
        ["timestamp", "ts", "time"].iter().find_map(|key| {
            let value = self.0.get(*key)?;
            let number = || value.as_i64().map(|n| n.to_string());
            value.as_str().map(str::to_owned).or_else(number)
        })
    }

    /// A number or text in the form of a table cell; `-` if it is missing.
    pub(crate) fn cell(&self, key: &str) -> String {
        let raw = match self.field(key) {
            Some(Value::String(s)) => s.clone(),
            Some(Value::Number(n)) => n.to_string(),
            _ => String::new(),
        };
        cell(&raw)
    }

    /// The metric; one written as text is accepted.
    pub(super) fn metric(&self) -> Option<f64> {
        match self.field("metric_value")? {
            Value::Number(n) => n.as_f64(),
            Value::String(s) => values::number(s),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// A text in the form of a table cell; `-` if it is blank.
pub(crate) fn cell(text: &str) -> String {
    let flat = text.replace(['\t', '\n', '\r'], " ");
    Some(flat)
        .filter(|flat| !flat.trim().is_empty())
        .unwrap_or_else(|| "-".to_owned())
}
