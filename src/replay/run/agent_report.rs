//! What an agent reports of itself: the object that `claude -p --output-format json` prints as its last line. Its answer
//! is in it, beside the tokens and the money that it took.

use serde_json::Value;

use crate::model::Usage;
use crate::world::runner::{End, Outcome};

/// Lines at the end of an output among which the report is looked for: warnings may follow it.
const LAST: usize = 50;

/// The report of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentReport {
    /// The output with the answer in place of the object.
    pub text: String,
    /// What it used.
    pub usage: Usage,
    /// Whether it says that it did not get to an answer.
    failed: bool,
}

impl AgentReport {
    /// The report in an output, if there is one.
    pub fn of(output: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(output);
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.len().saturating_sub(LAST);
        let mut last = lines.iter().enumerate().skip(first).rev();
        let (at, report) = last.find_map(|(at, line)| {
            // Only an object has a type.
            let value: Value = serde_json::from_str(line.trim()).ok()?;
            (value.get("type")?.as_str()? == "result").then_some((at, value))
        })?;
        let usage = report.get("usage");
        let tokens = |key: &str| {
            usage
                .and_then(|usage| usage.get(key)?.as_u64())
                .unwrap_or(0)
        };
        let cost_usd = report.get("total_cost_usd").and_then(Value::as_f64);
        if usage.is_none() && cost_usd.is_none() {
            return None;
        }
        let is_error = report.get("is_error").and_then(Value::as_bool);
        let subtype = report.get("subtype").and_then(Value::as_str);
        let mut text = String::new();
        for (other, line) in lines.iter().enumerate() {
            if other != at {
                text.push_str(line);
                text.push('\n');
            }
        }
        if let Some(answer) = report.get("result").and_then(Value::as_str) {
            text.push_str(answer.trim_end());
            text.push('\n');
        }
        Some(Self {
            text,
            usage: Usage {
                // What is read from or written to a cache went in, too.
                input: tokens("input_tokens")
                    + tokens("cache_creation_input_tokens")
                    + tokens("cache_read_input_tokens"),
                output: tokens("output_tokens"),
                cost_usd,
            },
            failed: is_error == Some(true) || subtype.is_some_and(|word| word != "success"),
        })
    }

    /// The outcome as if only the answer had been printed.
    pub(super) fn outcome(&self, outcome: &Outcome) -> Outcome {
        let last = self.text.lines().rev().find(|line| !line.trim().is_empty());
        Outcome {
            end: if self.failed && outcome.end == End::Exited(0) {
                End::Exited(1)
            } else {
                outcome.end.clone()
            },
            last_line: last.unwrap_or_default().as_bytes().to_vec(),
            chars: self.text.chars().count() as u64,
            ..outcome.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_and_what_it_took_are_read_from_the_last_object() {
        let line = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.\nPASS: all","usage":{"input_tokens":4,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":30},"total_cost_usd":0.25}"#;
        let report = AgentReport::of(format!("warning: old\n{line}\n(node) note\n").as_bytes());
        let report = report.unwrap();
        assert_eq!(report.text, "warning: old\n(node) note\nDone.\nPASS: all\n");
        let usage = report.usage;
        assert_eq!(
            (usage.input, usage.output, usage.cost_usd),
            (1_104, 30, Some(0.25))
        );
        assert!(!report.failed);
        assert_eq!(usage.text(), "1134 tokens (1104 in, 30 out), $0.25");
    }

    #[test]
    fn an_agent_that_gave_up_failed_whatever_its_exit_status() {
        for line in [
            r#"{"type":"result","subtype":"error_max_turns","is_error":false,"usage":{"output_tokens":1}}"#,
            r#"{"type":"result","is_error":true,"result":"API error","total_cost_usd":0}"#,
        ] {
            assert!(AgentReport::of(line.as_bytes()).unwrap().failed, "{line}");
        }
    }

    #[test]
    fn other_output_is_no_report() {
        for output in [
            "",
            "PASS",
            "{not json",
            r#"{"type":"assistant","usage":{}}"#,
            r#"{"type":"result","result":"no figures"}"#,
        ] {
            assert_eq!(AgentReport::of(output.as_bytes()), None, "{output}");
        }
    }
}
