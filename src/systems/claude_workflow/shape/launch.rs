//! What the conversation that owns a run records about it: its launch, and the notification of its end.
//!
//! Until the run ends, only the launch has the arguments.

use std::path::PathBuf;

use memchr::memmem;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::formats::json::{self, At};
use crate::formats::jsonl::{Line, Parsed, lines, parse};
use crate::formats::stamp;
use crate::model::{LocalTime, Stamp};

/// The lines of a conversation about one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Owner {
    /// The newest launch or resume.
    pub(crate) launch: Option<Launch>,
    /// The newest notification of its end.
    pub(crate) notice: Option<Notice>,
}

/// A call of the Workflow tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Launch {
    pub(crate) at: Option<Stamp>,
    pub(crate) line: u64,
    pub(crate) cwd: Option<PathBuf>,
    /// The version of the client.
    pub(crate) version: Option<String>,
    pub(crate) task: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) script_path: Option<String>,
    /// Whether the call itself was found; only then is it certain that there were no arguments.
    pub(crate) called: bool,
    /// As it was written, byte for byte.
    pub(crate) args: Option<Vec<u8>>,
}

/// A notification of the end of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Notice {
    pub(crate) at: Option<Stamp>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) version: Option<String>,
    pub(crate) status: String,
    /// How many agents were started, as it counts them.
    pub(crate) agents: Option<u64>,
    pub(crate) done: Option<u64>,
    /// The label of each agent that failed, with the text of its error.
    pub(crate) failures: Vec<(String, String)>,
    /// From the call that it proposes; newer clients add the arguments, byte for byte.
    pub(crate) args: Option<Vec<u8>>,
    pub(crate) script_path: Option<String>,
}

pub(crate) fn read(bytes: &[u8], run: &str, zone: &dyn LocalTime) -> Owner {
    let mut owner = Owner::default();
    let mut call = None;
    let about_run = memmem::Finder::new(run);
    for line in lines(bytes).filter(|line| about_run.find(line.bytes).is_some()) {
        let Parsed::Object(map) = parse(&line) else {
            continue;
        };
        if let Some(result) = json::child(&map, "toolUseResult")
            && json::text(result, "runId") == Some(run)
        {
            call = blocks(&map).find_map(|block| json::owned(block, "tool_use_id"));
            owner.launch = Some(launch(&map, result, &line, zone));
        }
    }
    let task = owner.launch.as_ref().and_then(|launch| launch.task.clone());
    let seen = [call.as_deref(), task.as_deref(), Some(run)];
    let finders: Vec<_> = seen.iter().flatten().map(memmem::Finder::new).collect();
    let is_about = |line: &Line<'_>| finders.iter().any(|it| it.find(line.bytes).is_some());
    for line in lines(bytes).filter(is_about) {
        let Parsed::Object(map) = parse(&line) else {
            continue;
        };
        if let (Some(id), Some(launch)) = (&call, &mut owner.launch) {
            called(launch, &line, &map, id);
        }
        if let Some(notice) = notice(&map, zone)
            && let Some(text) = text(&map)
            && (text.contains(run)
                || task
                    .as_ref()
                    .is_some_and(|task| text.contains(task.as_str())))
        {
            owner.notice = Some(notice);
        }
    }
    // A run that was resumed after the notification of its end has not ended.
    if let (Some(launch), Some(notice)) = (&owner.launch, &owner.notice)
        && launch.at > notice.at
    {
        owner.notice = None;
    }
    owner
}

fn launch(
    map: &Map<String, Value>,
    result: &Map<String, Value>,
    line: &Line<'_>,
    zone: &dyn LocalTime,
) -> Launch {
    Launch {
        at: json::text(map, "timestamp").and_then(|text| stamp::parse(text, zone)),
        line: line.number,
        cwd: json::owned(map, "cwd").map(PathBuf::from),
        version: json::owned(map, "version"),
        task: json::owned(result, "taskId"),
        name: json::owned(result, "workflowName"),
        script_path: json::owned(result, "scriptPath"),
        ..Launch::default()
    }
}

/// Adds what only the call has: the arguments, and the script if the result does not name it.
fn called(launch: &mut Launch, line: &Line<'_>, map: &Map<String, Value>, id: &str) {
    let index = blocks(map).position(|block| json::text(block, "id") == Some(id));
    let Some(index) = index else { return };
    let input = [
        At::Key("message"),
        At::Key("content"),
        At::Index(index),
        At::Key("input"),
    ];
    launch.called = true;
    let args = [&input[..], &[At::Key("args")]].concat();
    launch.args = json::raw(line.bytes, &args).map(<[u8]>::to_vec);
    if launch.script_path.is_none() {
        let block = blocks(map).nth(index);
        let input = block.and_then(|block| json::child(block, "input"));
        launch.script_path = input.and_then(|input| json::owned(input, "scriptPath"));
    }
}

fn blocks(map: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let message = json::child(map, "message");
    let content = message.map_or(&[][..], |message| json::list(message, "content"));
    content.iter().filter_map(Value::as_object)
}

/// The text of a line: its content, or its first text block.
fn text(map: &Map<String, Value>) -> Option<&str> {
    let content = json::text(json::child(map, "message")?, "content");
    content.or_else(|| blocks(map).find_map(|block| json::text(block, "text")))
}

fn notice(map: &Map<String, Value>, zone: &dyn LocalTime) -> Option<Notice> {
    let origin = json::child(map, "origin")?;
    if json::text(origin, "kind") != Some("task-notification") {
        return None;
    }
    let text = text(map)?;
    let status = element(text, "status");
    let number = |tag| element(text, tag).and_then(|text| text.trim().parse().ok());
    Some(Notice {
        at: json::text(map, "timestamp").and_then(|text| stamp::parse(text, zone)),
        cwd: json::owned(map, "cwd").map(PathBuf::from),
        version: json::owned(map, "version"),
        status: status.unwrap_or_default().trim().to_owned(),
        agents: number("agent_count"),
        done: number("agents_done"),
        failures: failures(text),
        args: proposed(text, "args").map(String::into_bytes),
        script_path: proposed(text, "scriptPath").and_then(|text| serde_json::from_str(&text).ok()),
    })
}

/// The content of the first element with this name.
fn element<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let (content, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(content)
}

/// `[label] failed: error`, one for each agent that died. An error can span several lines.
fn failures(text: &str) -> Vec<(String, String)> {
    let text = unescaped(element(text, "failures").unwrap_or_default());
    let rows = text.lines().filter_map(|line| {
        let (label, error) = line.trim().strip_prefix('[')?.split_once("] failed: ")?;
        Some((label.to_owned(), error.to_owned()))
    });
    rows.collect()
}

/// The JSON of a member of the call `Workflow({…})` that the notification suggests.
fn proposed(text: &str, member: &str) -> Option<String> {
    let diagnostics = unescaped(element(text, "diagnostics")?);
    let (_, call) = diagnostics.split_once("Workflow({")?;
    let (_, value) = call.split_once(&format!("{member}:"))?;
    let value = value.trim_start();
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    value.get(..values.byte_offset()).map(str::to_owned)
}

/// The text of an XML element. `&amp;` is last, so that nothing is unescaped more than once.
fn unescaped(text: &str) -> String {
    let mut text = text.to_owned();
    for (escape, plain) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ] {
        text = text.replace(escape, plain);
    }
    text
}
