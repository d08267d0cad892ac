//! One line of a conversation.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::formats::{json, stamp};
use crate::model::{LocalTime, Stamp};

/// The author of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::conversations) enum Role {
    User,
    Assistant,
    System,
    Attachment,
}

/// One line of a conversation; bookkeeping lines and lines of unknown types are not entries.
pub(in crate::conversations) struct Entry {
    pub(in crate::conversations) role: Role,
    pub(super) number: Option<u64>,
    pub(in crate::conversations) at: Option<Stamp>,
    pub(super) map: Map<String, Value>,
}

/// The file that a tool call writes; `None` for a tool that writes none.
pub fn written_path<'a>(tool: &str, input: &'a Map<String, Value>) -> Option<&'a str> {
    let writes = matches!(tool, "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
    let path = json::text(input, "file_path").or_else(|| json::text(input, "notebook_path"));
    path.filter(|_| writes)
}

impl Entry {
    pub(in crate::conversations) fn of(
        map: Map<String, Value>,
        number: Option<u64>,
        zone: &dyn LocalTime,
    ) -> Option<Self> {
        let role = match json::text(&map, "type")? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            "attachment" => Role::Attachment,
            _ => return None,
        };
        let at = json::text(&map, "timestamp").and_then(|text| stamp::parse(text, zone));
        Some(Self {
            role,
            number,
            at,
            map,
        })
    }

    fn message(&self) -> Option<&Map<String, Value>> {
        json::child(&self.map, "message")
    }

    /// The blocks of its message.
    pub(in crate::conversations) fn blocks(&self) -> impl Iterator<Item = &Map<String, Value>> {
        let blocks = self.message().map(|message| json::list(message, "content"));
        blocks
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_object)
    }

    fn blocks_of(&self, kind: &'static str) -> impl Iterator<Item = &Map<String, Value>> {
        self.blocks()
            .filter(move |block| json::text(block, "type") == Some(kind))
    }

    /// The texts of its message: a typed prompt or text blocks.
    pub(in crate::conversations) fn texts(&self) -> Vec<&str> {
        let typed = self
            .message()
            .and_then(|message| json::text(message, "content"));
        let blocks = self
            .blocks_of("text")
            .filter_map(|block| json::text(block, "text"));
        typed.into_iter().chain(blocks).collect()
    }

    /// Its calls of tools: their ids and names.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&str, &str)> {
        self.blocks_of("tool_use").filter_map(|block| {
            let name = json::text(block, "name").unwrap_or("a tool");
            Some((json::text(block, "id")?, name))
        })
    }

    /// The calls that it answers.
    pub(super) fn answers(&self) -> impl Iterator<Item = &str> {
        self.blocks_of("tool_result")
            .filter_map(|block| json::text(block, "tool_use_id"))
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        json::flag(&self.map, key).unwrap_or(false)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        json::text(&self.map, key)
    }

    pub(super) fn stop_reason(&self) -> Option<&str> {
        json::text(self.message()?, "stop_reason")
    }

    pub(super) fn message_id(&self) -> Option<&str> {
        json::text(self.message()?, "id")
    }

    pub(super) fn model(&self) -> Option<&str> {
        json::text(self.message()?, "model")
    }

    /// Whether the client wrote it instead of the model.
    pub(super) fn is_synthetic(&self) -> bool {
        self.model() == Some("<synthetic>")
    }

    /// Whether the client injected it. What another agent wrote is a prompt like that of a person.
    pub(super) fn is_injected(&self) -> bool {
        let origin = json::child(&self.map, "origin").and_then(|origin| json::text(origin, "kind"));
        self.flag("isMeta") || origin == Some("task-notification")
    }

    fn usage(&self, keys: &[&str]) -> Option<u64> {
        if self.is_synthetic() {
            return None;
        }
        let usage = json::child(self.message()?, "usage")?;
        let of = |key: &&str| json::int(usage, key).and_then(|count| u64::try_from(count).ok());
        let known: Vec<u64> = keys.iter().filter_map(of).collect();
        (!known.is_empty()).then(|| {
            known
                .iter()
                .fold(0, |sum, count| u64::saturating_add(sum, *count))
        })
    }

    /// The tokens that its reply read: its input, cached or not.
    pub(super) fn context_tokens(&self) -> Option<u64> {
        self.usage(&[
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        ])
    }

    /// All tokens that its reply read and wrote.
    pub(super) fn tokens(&self) -> Option<u64> {
        self.usage(&[
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
            "output_tokens",
        ])
    }

    /// The names and the inputs of the tools that it called.
    fn inputs(&self) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
        self.blocks_of("tool_use")
            .filter_map(|block| Some((json::text(block, "name")?, json::child(block, "input")?)))
    }

    /// A text member of a tool result, which the client stores next to the message.
    pub(super) fn result(&self, key: &str) -> Option<&str> {
        json::text(json::child(&self.map, "toolUseResult")?, key)
    }

    /// The files that its tools wrote.
    pub(super) fn written(&self) -> Vec<PathBuf> {
        let called = self
            .inputs()
            .filter_map(|(name, input)| written_path(name, input));
        let written = called.chain(self.result("filePath"));
        written.map(PathBuf::from).collect()
    }

    /// The shell commands that it ran. They are compared with paths and never shown.
    pub(super) fn commands(&self) -> impl Iterator<Item = String> {
        let shells = self.inputs().filter(|(name, _)| *name == "Bash");
        shells.filter_map(|(_, input)| json::owned(input, "command"))
    }

    /// The ids and the scripts of the runs of workflows that it launched.
    pub(super) fn workflows(&self) -> impl Iterator<Item = String> {
        let run = self.result("runId");
        let script = self.result("scriptPath").filter(|_| run.is_some());
        run.into_iter().chain(script).map(str::to_owned)
    }

    /// The open and total items of its to-do list; `None` if it did not write the list.
    pub(super) fn open_items(&self) -> Option<(usize, usize)> {
        let mut lists = self.inputs().filter(|(name, _)| *name == "TodoWrite");
        let items = json::list(lists.next()?.1, "todos");
        let done = |item: &&Value| item.get("status").and_then(Value::as_str) == Some("completed");
        Some((items.len() - items.iter().filter(done).count(), items.len()))
    }

    /// The skills and plugins that it ran.
    pub(super) fn skills(&self) -> Vec<String> {
        let called = self.skill_calls();
        let called = called.filter_map(|input| json::text(input, "skill"));
        let attributed = ["attributionSkill", "attributionPlugin"];
        let attributed = attributed.iter().filter_map(|key| self.text(key));
        called
            .chain(attributed)
            .map(str::to_owned)
            .chain(self.typed().map(|(name, _)| name))
            .collect()
    }

    /// The skills that it ran with arguments.
    pub(super) fn asked(&self) -> Vec<(String, String)> {
        let called = self.skill_calls().filter_map(|input| {
            let skill = json::owned(input, "skill")?;
            Some((skill, json::owned(input, "args")?))
        });
        let typed = self.typed();
        let typed = typed.filter_map(|(name, words)| Some((name, words?)));
        called.chain(typed).collect()
    }

    fn skill_calls(&self) -> impl Iterator<Item = &Map<String, Value>> {
        let skills = self.inputs().filter(|(name, _)| *name == "Skill");
        skills.map(|(_, input)| input)
    }

    /// The commands that the person typed, with their arguments.
    pub(super) fn typed(&self) -> impl Iterator<Item = (String, Option<String>)> {
        let texts = self.texts().into_iter().filter(|_| self.role == Role::User);
        texts.filter_map(|text| {
            let name = between(text, "<command-name>/", "</command-name>")?;
            let words = between(text, "<command-args>", "</command-args>");
            Some((name.to_owned(), words.map(str::to_owned)))
        })
    }

    /// A result that it returned by the tool for structured output, with the id of the call.
    pub(super) fn handed_over(&self) -> Option<(&str, &Value)> {
        let mut calls = self.blocks_of("tool_use");
        let call = calls.find(|block| json::text(block, "name") == Some("StructuredOutput"))?;
        json::text(call, "id").zip(call.get("input"))
    }

    /// Whether it answers this call without an error.
    pub(super) fn accepts(&self, call: &str) -> bool {
        let mut results = self.blocks_of("tool_result");
        results.any(|block| {
            json::text(block, "tool_use_id") == Some(call)
                && !json::flag(block, "is_error").unwrap_or(false)
        })
    }

    /// The text of a reply that ended its turn.
    pub(super) fn final_answer(&self) -> Option<String> {
        let ends = self.role == Role::Assistant
            && self.stop_reason() == Some("end_turn")
            && !self.is_synthetic();
        let text = ends.then(|| self.texts().join("\n"))?;
        (!text.is_empty()).then_some(text)
    }
}

/// What stands between two texts.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(from)?;
    Some(rest.split_once(to)?.0)
}
