//! What a plan promised, worked out from its previews alone.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, Utc};
use relight::engine::Engine;
use relight::model::{Action, ClockStyle, Foreign, PathChange, Plan, Preview};

use super::snapshot::{Node, Tree};
use super::support::Trouble;

/// The tree as the plan says it will be. Git's own files are not in a plan.
pub(crate) fn tree(
    engine: &Engine,
    plan: &Plan,
    before: &Tree,
    now: DateTime<FixedOffset>,
) -> Result<Tree, Trouble> {
    let mut tree = before.clone();
    for (at, action) in plan.actions.iter().enumerate() {
        match &action.preview {
            Preview::Content { after, clock, .. } => {
                let bytes = clock.map_or_else(|| after.clone(), |style| filled(after, style, now));
                put(&mut tree, &action.target, bytes);
            }
            Preview::Rows {
                before, keep_bytes, ..
            } => {
                let kept = before.get(..*keep_bytes).unwrap_or_default().to_vec();
                put(&mut tree, &action.target, kept);
            }
            Preview::Lines { appended, clock } => {
                let old = tree.get(&action.target).and_then(Node::bytes);
                let bytes = appending(old.unwrap_or_default(), appended, *clock, now);
                put(&mut tree, &action.target, bytes);
            }
            Preview::Rename { to } => renamed(&mut tree, &action.target, to),
            Preview::Tree { .. } => files(engine, plan, at, action, &mut tree)?,
            Preview::Kept { .. } | Preview::Appended { .. } => {
                return Err(Trouble("a new plan keeps nothing".to_owned()));
            }
        }
    }
    Ok(tree)
}

/// Logs that a plan appends to.
pub(crate) fn logs(plan: &Plan) -> BTreeSet<PathBuf> {
    let appends = plan
        .actions
        .iter()
        .filter(|a| matches!(a.preview, Preview::Lines { .. }));
    appends.map(|action| action.target.clone()).collect()
}

/// A log with lines behind it: a last line that was cut off is ended first.
fn appending(
    old: &[u8],
    lines: &[Foreign],
    style: ClockStyle,
    now: DateTime<FixedOffset>,
) -> Vec<u8> {
    let mut bytes = old.to_vec();
    if bytes.last().is_some_and(|last| *last != b'\n') {
        bytes.push(b'\n');
    }
    for line in lines {
        bytes.extend(filled(line.as_bytes(), style, now));
        bytes.push(b'\n');
    }
    bytes
}

/// Bytes with the clock where `{now}` stands.
pub(crate) fn filled(bytes: &[u8], style: ClockStyle, now: DateTime<FixedOffset>) -> Vec<u8> {
    let stamp = match style {
        ClockStyle::UtcSeconds => now.with_timezone(&Utc).format("%FT%TZ").to_string(),
        ClockStyle::UtcMillis => now.with_timezone(&Utc).format("%FT%T%.3fZ").to_string(),
        ClockStyle::LocalOffset => now.format("%FT%T%:z").to_string(),
        ClockStyle::LocalNaive => now.format("%FT%T").to_string(),
        ClockStyle::LocalSpaced => now.format("%F %T").to_string(),
    };
    let text = String::from_utf8(bytes.to_vec());
    text.map_or_else(
        |_| bytes.to_vec(),
        |text| text.replace("{now}", &stamp).into_bytes(),
    )
}

fn put(tree: &mut Tree, path: &Path, bytes: Vec<u8>) {
    let mode = match tree.get(path) {
        Some(Node::File { mode, .. }) => *mode,
        _ => 0o644,
    };
    let file = Node::File {
        mode,
        bytes,
        age: None,
    };
    insert(tree, path, file);
}

/// Something new, with the folders above it.
fn insert(tree: &mut Tree, path: &Path, node: Node) {
    for above in path.ancestors().skip(1) {
        if tree.contains_key(above) {
            break;
        }
        tree.insert(above.to_owned(), Node::Dir(0o755));
    }
    tree.insert(path.to_owned(), node);
}

fn renamed(tree: &mut Tree, from: &Path, to: &Path) {
    let moved: Vec<(PathBuf, Node)> = tree
        .iter()
        .filter(|(path, _)| path.starts_with(from))
        .map(|(path, node)| (path.clone(), node.clone()))
        .collect();
    for (path, node) in moved {
        tree.remove(&path);
        let rest = path.strip_prefix(from).unwrap_or_else(|_| Path::new(""));
        let new = if rest.as_os_str().is_empty() {
            to.to_owned()
        } else {
            to.join(rest)
        };
        tree.insert(new, node);
    }
}

/// The files of a checkpoint, as the diff view shows them.
fn files(
    engine: &Engine,
    plan: &Plan,
    at: usize,
    action: &Action,
    tree: &mut Tree,
) -> Result<(), Trouble> {
    for (nth, path) in action.paths.iter().enumerate() {
        let here = action
            .target
            .join(std::ffi::OsStr::from_bytes(path.path.as_bytes()));
        match path.change {
            PathChange::Write | PathChange::Create => {
                let sides = engine.sides(plan, at, Some(nth))?;
                put(tree, &here, sides.after.unwrap_or_default());
            }
            PathChange::Remove => tree.retain(|path, _| !path.starts_with(&here)),
            PathChange::KeepNewer | PathChange::NotCovered => {}
        }
    }
    Ok(())
}
