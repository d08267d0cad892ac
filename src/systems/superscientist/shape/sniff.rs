//! Distinguishes this system's `workflow-state.json` from many other files with that name, even if it is damaged.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::formats::{json, jsonl};
use crate::model::{Foreign, Place, SystemName};
use crate::systems::superscientist::shape::{INIT, LOG, STATE, stage_number};
use crate::systems::{Candidate, Found, Hit, Sniffed};
use crate::text::Shown as _;
use crate::text::format::list;
use crate::text::is_digits;
use crate::world::World;
use crate::world::files::{FileKind, ReadError};

/// Files that only a dispatched job leaves in a stage's folder.
const JOB_FILES: [&str; 2] = ["dpdisp-run.sh", "DPDISP_DONE"];
/// How often a file that ends too early is read again, because it may be being written.
const TRIES: usize = 3;

/// The result of loading a state file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Loaded {
    /// A JSON object.
    Object(Vec<u8>, Map<String, Value>),
    /// Bytes that are not a JSON object; why.
    Corrupt(Vec<u8>, json::JsonError),
    /// It could not be read at all.
    Unreadable(ReadError),
}

/// Reads the state file of a workflow directory. One that ends too early is read again.
pub(crate) fn load(wf: &Path, world: &dyn World) -> Loaded {
    let Ok(place) = Place::known(wf, STATE) else {
        return Loaded::Unreadable(ReadError::NotFound);
    };
    let mut last = Loaded::Unreadable(ReadError::NotFound);
    for _ in 0..TRIES {
        last = match world.files().whole(&place) {
            Ok(bytes) => match json::object(&bytes) {
                Ok(map) => return Loaded::Object(bytes, map),
                Err(error) => Loaded::Corrupt(bytes, error),
            },
            Err(error) => Loaded::Unreadable(error),
        };
        if !matches!(&last, Loaded::Corrupt(_, error) if error.cut) {
            break;
        }
    }
    last
}

/// Looks at a hit.
pub(crate) fn sniff(system: SystemName, hit: &Hit, world: &dyn World) -> Sniffed {
    let Some(wf) = hit.path.parent() else {
        return Sniffed::NotOurs("it has no directory".into());
    };
    if let Some(part) = kept_copy(wf, &hit.found) {
        let text = format!("it is in {}, a stage's own directory", part.shown());
        return Sniffed::NotOurs(text.into());
    }
    if hit.path.file_name() == Some(OsStr::new(LOG)) {
        return by_log(system, wf, hit, world);
    }
    if hit.path.file_name() == Some(OsStr::new(INIT)) {
        return by_remains(system, wf, hit, world);
    }
    let refusal = match load(wf, world) {
        Loaded::Unreadable(error) => {
            let ours = log_names(wf, None, world) || committed(wf, world);
            (!ours).then(|| error.to_string())
        }
        Loaded::Object(_, map) => match lacks(&map) {
            None => None,
            Some(why) => (!log_names(wf, json::text(&map, "workflow_id"), world)).then_some(why),
        },
        Loaded::Corrupt(bytes, error) => {
            let ours =
                looks_like_ours(&bytes) || log_names(wf, None, world) || committed(wf, world);
            (!ours).then_some(error.text)
        }
    };
    if let Some(why) = refusal {
        return Sniffed::NotOurs(why.into());
    }
    ours(system, wf, hit, world)
}

/// A log counts only for a workflow whose state file is missing or not a file, because a walk finds only files. Any
/// other log with that name is not ours and not worth reporting.
fn by_log(system: SystemName, wf: &Path, hit: &Hit, world: &dyn World) -> Sniffed {
    let state = Place::known(wf, STATE).ok();
    let stat = state.and_then(|place| world.files().stat(&place).ok());
    let found = stat.is_some_and(|stat| stat.kind == FileKind::File);
    let log = Place::known(wf, LOG).ok();
    let unread = log.and_then(|place| world.files().whole(&place).err());
    // What the log says is unknown, and the name alone says little.
    let beside = |name: &str| world.files().is_there(wf, name);
    let unread =
        unread.filter(|why| *why != ReadError::NotFound && (beside(STATE) || beside(INIT)));
    match unread {
        Some(why) if found || !committed(wf, world) => {
            Sniffed::NotOurs(format!("it cannot be read: {why}").into())
        }
        None if found || !log_names(wf, None, world) => Sniffed::Ours(Vec::new()),
        Some(_) | None => ours(system, wf, hit, world),
    }
}

/// An `init.sh` counts only if state file and log are both missing, and git or job files in the stage folders still
/// show a workflow. Otherwise the folder is counted as skipped.
fn by_remains(system: SystemName, wf: &Path, hit: &Hit, world: &dyn World) -> Sniffed {
    let there = |name: &str| world.files().is_there(wf, name);
    let entries = world.files().list(&Place::root(wf)).unwrap_or_default();
    let names = entries.iter().filter_map(|entry| entry.name.to_str());
    let stages: Vec<&str> = names.filter(|name| stage_number(name).is_some()).collect();
    if there(STATE) || there(LOG) || stages.is_empty() {
        return Sniffed::Ours(Vec::new());
    }
    let ran = |stage: &&str| {
        let mut files = JOB_FILES.iter();
        files.any(|file| there(&format!("{stage}/{file}")))
    };
    if stages.iter().any(ran) || committed(wf, world) {
        return ours(system, wf, hit, world);
    }
    Sniffed::NotOurs("its directory has stages, but neither a state file nor a log".into())
}

fn ours(system: SystemName, wf: &Path, hit: &Hit, world: &dyn World) -> Sniffed {
    let anchor = world.files().resolved(wf);
    let native = anchor.file_name().map(Foreign::from);
    let native = native.unwrap_or_else(|| "workflow".into());
    let sources = vec![hit.path.clone()];
    Sniffed::Ours(vec![Candidate::new(system, native, anchor, sources)])
}

/// A parent folder with copies or outputs of stages. A path that a person names is accepted.
fn kept_copy(wf: &Path, found: &Found) -> Option<PathBuf> {
    let Found::Walk { root } = found else {
        return None;
    };
    let mut parts = wf.strip_prefix(root).unwrap_or(wf).iter();
    parts.find(|part| is_stage_folder(part)).map(PathBuf::from)
}

fn is_stage_folder(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let kept = name.rsplit_once(".v");
    let kept = kept.is_some_and(|(_, digits)| is_digits(digits));
    name.starts_with("stage-") || kept
}

/// Whether a member has its type.
type Fits = fn(&Value) -> bool;

/// The missing members that would make a parsed file ours; `None` if nothing is missing.
pub(crate) fn lacks(map: &Map<String, Value>) -> Option<String> {
    if !map.get("workflow_id").is_some_and(Value::is_string) {
        return Some("it has no text `workflow_id`".to_owned());
    }
    let stages = json::list(map, "stages");
    if stages.is_empty() {
        return Some("it has no list `stages` that is not empty".to_owned());
    }
    for (number, stage) in (1_usize..).zip(stages) {
        let needed: [(&str, &str, Fits); 3] = [
            ("id", "text", Value::is_string),
            ("status", "text", Value::is_string),
            ("depends_on", "list", Value::is_array),
        ];
        let needed = needed.into_iter();
        let missing = needed.filter(|(key, _, fits)| !stage.get(*key).is_some_and(*fits));
        let missing = missing.map(|(key, kind, _)| format!("{kind} `{key}`"));
        let missing: Vec<String> = missing.collect();
        if !missing.is_empty() {
            let missing = list(&missing);
            return Some(format!("element {number} of `stages` has no {missing}"));
        }
    }
    let marked = map.get("amendments").is_some_and(Value::is_array)
        || map.get("backend_profiles").is_some_and(Value::is_object)
        || map.get("session_config").is_some_and(Value::is_object);
    let lacks = "it has neither `amendments`, `backend_profiles` nor `session_config`";
    (!marked).then(|| lacks.to_owned())
}

/// Whether a folder belongs to a workflow: its state file exists in any condition, or its log starts a workflow.
pub(crate) fn is_workflow(wf: &Path, world: &dyn World) -> bool {
    let state = Place::known(wf, STATE);
    state.is_ok_and(|place| world.files().stat(&place).is_ok()) || log_names(wf, None, world)
}

/// True if the log next to the file starts a workflow with this id (or with any). A damaged file is ours only with this
/// evidence.
fn log_names(wf: &Path, id: Option<&str>, world: &dyn World) -> bool {
    let place = Place::known(wf, LOG).ok();
    let head = place.and_then(|place| world.files().read_range(&place, 0, 64 << 10).ok());
    let head = head.unwrap_or_default();
    let wanted = format!("Workflow created: {}", id.unwrap_or_default());
    let names = |line: &[u8]| memchr::memmem::find(line, wanted.as_bytes()).is_some();
    jsonl::lines(&head).any(|line| line.bytes.starts_with(b"[") && names(line.bytes))
}

/// True if the last committed version of the file is ours.
fn committed(wf: &Path, world: &dyn World) -> bool {
    let git = world.git();
    let newest = || {
        let top = world.files().canonical(&git.repo(wf).ok()?.work_tree?)?;
        let wf = world.files().canonical(wf)?;
        let rel = wf.strip_prefix(&top).ok()?.join(STATE);
        let newest = git.path_history(&top, &rel, 1).ok()?.into_iter().next()?;
        let bytes = git.blob(&top, &newest.id, &rel).ok()?;
        json::object(&bytes).ok()
    };
    newest().is_some_and(|map| lacks(&map).is_none())
}

/// True for a truncated file whose start only this system writes.
fn looks_like_ours(bytes: &[u8]) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(bytes, word).is_some();
    has(b"\"workflow_id\"")
        && (has(b"\"backend_profiles\"") || (has(b"\"amendments\"") && has(b"\"depends_on\"")))
}
