//! One line of the manifest: the keys in their order, compact, shorter than a page so that one write holds it.

use serde_json::Value;

use crate::model::{Dispatch, DispatchStatus, Foreign, SessionId};

/// A line, its newline counted, has fewer bytes than this.
const LIMIT: usize = 4096;

/// What a cut text ends in.
const CUT: char = '…';

/// What a line says.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    pub(super) seq: u64,
    pub(super) file: &'a str,
    /// The dispatch that it re-executes.
    pub(super) original: &'a Dispatch,
    pub(super) status: DispatchStatus,
    pub(super) duration_s: Option<u64>,
    pub(super) summary: Option<&'a Foreign>,
    pub(super) input_chars: u64,
    pub(super) output_chars: Option<u64>,
    pub(super) session: &'a SessionId,
    pub(super) mutation: Option<&'a Foreign>,
}

impl Entry<'_> {
    /// The line with its newline. Where it would be too long the summary is cut, and where that is not enough
    /// the role; `None` where even that is not.
    pub(super) fn line(&self) -> Option<Vec<u8>> {
        let summary = self.summary.map(one_line);
        let role = shown(&self.original.role);
        let whole = self.with(role.as_deref(), summary.as_deref());
        if whole.len() < LIMIT {
            return Some(whole);
        }
        if let Some(summary) = summary {
            let fits = |cut: &str| self.with(role.as_deref(), Some(cut)).len() < LIMIT;
            if let Some(cut) = longest(&summary, fits) {
                return Some(self.with(role.as_deref(), Some(&cut)));
            }
        }
        let cut = longest(&role?, |cut| self.with(Some(cut), None).len() < LIMIT)?;
        Some(self.with(Some(&cut), None))
    }

    fn with(&self, role: Option<&str>, summary: Option<&str>) -> Vec<u8> {
        let text = |text: &Foreign| Value::from(text.lossy().into_owned());
        let task = self.original.task.as_ref().map(|task| {
            let number = task.as_str().and_then(|text| text.parse::<u64>().ok());
            number.map_or_else(|| text(task), Value::from)
        });
        let fields = [
            ("seq", Value::from(self.seq)),
            ("file", Value::from(self.file)),
            ("role", Value::from(role)),
            ("phase", Value::from(shown(&self.original.phase))),
            ("task", task.unwrap_or(Value::Null)),
            ("status", Value::from(self.status.word())),
            ("duration_s", Value::from(self.duration_s)),
            ("summary", Value::from(summary)),
            ("input_chars", Value::from(self.input_chars)),
            ("output_chars", Value::from(self.output_chars)),
            // The runner chooses the model, and nothing says which.
            ("model_tier", Value::Null),
            ("tool_calls", Value::Null),
            ("replay_of", Value::from(self.original.seq)),
            ("replay_session", Value::from(self.session.0.as_str())),
            ("mutation", self.mutation.map_or(Value::Null, text)),
        ];
        let fields = fields
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        let mut line = Value::Object(fields.collect()).to_string().into_bytes();
        line.push(b'\n');
        line
    }
}

/// A text of the original; `-` means none.
fn shown(text: &Foreign) -> Option<String> {
    let text = text.lossy();
    (text != "-" && !text.is_empty()).then(|| text.into_owned())
}

/// One line, whatever was printed.
fn one_line(text: &Foreign) -> String {
    let text = text.lossy();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The longest beginning, cut between characters and marked as cut, that fits.
fn longest(text: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let cut = |end: usize| {
        let mut cut = text.get(..end).unwrap_or_default().to_owned();
        cut.push(CUT);
        cut
    };
    // What is longer fits no better, so the last that fits is found by halving.
    let count = ends.partition_point(|end| fits(&cut(*end)));
    let end = count.checked_sub(1).and_then(|last| ends.get(last))?;
    Some(cut(*end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Origin;

    fn original(role: &str) -> Dispatch {
        Dispatch {
            seq: 8,
            file: "8-x.md".into(),
            template: "x".into(),
            role: role.into(),
            phase: "3".into(),
            task: None,
            status: DispatchStatus::Completed,
            duration_s: None,
            summary: None,
            input_chars: None,
            output_chars: None,
            tool_calls: None,
            model_tier: None,
            model: None,
            begun_at: None,
            path: None,
            output: None,
            wave: None,
            replay_of: None,
            session: None,
            mutation: None,
            origin: Origin::file("/m"),
        }
    }

    fn line(role: &str, summary: &str) -> Option<Vec<u8>> {
        let summary = Foreign::from(summary);
        Entry {
            seq: 10,
            file: "10-x.md",
            original: &original(role),
            status: DispatchStatus::Completed,
            duration_s: Some(1),
            summary: Some(&summary),
            input_chars: 1,
            output_chars: Some(1),
            session: &SessionId("1".to_owned()),
            mutation: None,
        }
        .line()
    }

    fn summary(line: &[u8]) -> Option<String> {
        let value: Value = serde_json::from_slice(line).unwrap();
        value["summary"].as_str().map(str::to_owned)
    }

    #[test]
    fn a_line_stays_shorter_than_a_page_whatever_the_summary_is_made_of() {
        // One byte, two, three, four; escaped by JSON as six.
        for sign in ["x", "ü", "語", "🦀", "\u{1}"] {
            for length in [0, 1, 600, 1000, 3850, 3860, 3870, 4096, 9000] {
                let text = sign.repeat(length);
                let line = line("implementer", &text).unwrap();
                assert!(line.len() < LIMIT, "{sign:?} {length}: {}", line.len());
                let said = summary(&line).unwrap();
                match said.strip_suffix(CUT) {
                    None => assert_eq!(said, text),
                    Some(kept) => {
                        assert!(text.starts_with(kept));
                        assert!(line.len() + 6 >= LIMIT, "{sign:?} {length}: {}", line.len());
                    }
                }
            }
        }
    }

    #[test]
    fn the_role_is_cut_only_where_there_is_no_room_for_a_summary() {
        let cut = line(&"r".repeat(5000), "said").unwrap();
        assert!(cut.len() < LIMIT);
        assert_eq!(summary(&cut), None);
        assert_eq!(
            summary(&line("-", "a\r\n b\tc ").unwrap()).unwrap(),
            "a b c"
        );
    }
}
