//! What the diff view shows of a plan is what is on the disk: the one side before, the other after.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};
use relight::engine::Engine;
use relight::model::{Action, ClockStyle, ErrorKind, Foreign, PathChange, Plan, Preview, Sides};

use super::expected::filled;
use super::snapshot::{Node, Tree};
use super::support::Trouble;

/// The sides after the plan, by path. A path that several actions change is left out: each shows its own step.
pub(crate) struct After(BTreeMap<PathBuf, Option<Vec<u8>>>);

/// Asks for each difference that the console offers, and compares the sides before the plan.
pub(crate) fn before(
    engine: &Engine,
    plan: &Plan,
    tree: &Tree,
    now: DateTime<FixedOffset>,
) -> Result<After, Trouble> {
    let mut after: BTreeMap<PathBuf, Vec<Option<Vec<u8>>>> = BTreeMap::new();
    for (at, action) in plan.actions.iter().enumerate() {
        let paths: Vec<Option<usize>> = match action.paths.len() {
            0 => vec![None],
            many => (0..many).map(Some).collect(),
        };
        for nth in paths {
            let Some((here, clock)) = place(action, nth) else {
                continue;
            };
            let sides = match engine.sides(plan, at, nth) {
                // Of a directory there is nothing to compare, neither before nor after.
                Err(why) if why.kind == ErrorKind::NotFound => Sides {
                    before: None,
                    after: None,
                    title: Foreign::default(),
                    forms: relight::model::Forms::default(),
                },
                sides => sides?,
            };
            let new = after.entry(here.clone()).or_default();
            if new.is_empty() && sides.before.as_deref() != content(tree, &here) {
                return Err(differs(
                    "before",
                    &here,
                    sides.before.as_deref(),
                    content(tree, &here),
                ));
            }
            new.push(match (sides.after, clock) {
                (Some(bytes), Some(style)) => Some(filled(&bytes, style, now)),
                (bytes, _) => bytes,
            });
        }
    }
    let once = |(here, mut new): (PathBuf, Vec<Option<Vec<u8>>>)| {
        (new.len() == 1).then(|| (here, new.remove(0)))
    };
    Ok(After(after.into_iter().filter_map(once).collect()))
}

impl After {
    /// Compares the other sides with what is there now.
    pub(crate) fn hold(&self, tree: &Tree) -> Result<(), Trouble> {
        let mut wrong = self
            .0
            .iter()
            .filter(|(here, new)| new.as_deref() != content(tree, here));
        wrong.next().map_or(Ok(()), |(here, new)| {
            Err(differs("after", here, new.as_deref(), content(tree, here)))
        })
    }
}

/// The path that a difference is about, and how the clock is written in it; nothing where none is offered.
fn place(action: &Action, nth: Option<usize>) -> Option<(PathBuf, Option<ClockStyle>)> {
    match &action.preview {
        Preview::Tree { .. } => {
            let path = action.paths.get(nth?)?;
            let kept = [PathChange::KeepNewer, PathChange::NotCovered].contains(&path.change);
            let here = action.target.join(OsStr::from_bytes(path.path.as_bytes()));
            (!kept).then_some((here, None))
        }
        Preview::Content { clock, .. } => Some((action.target.clone(), *clock)),
        Preview::Rows { .. } => Some((action.target.clone(), None)),
        Preview::Lines { clock, .. } => Some((action.target.clone(), Some(*clock))),
        Preview::Kept { pairs } if !action.keeps_nothing(nth) => {
            Some((pairs.get(nth.unwrap_or_default())?.here.clone(), None))
        }
        Preview::Kept { .. } | Preview::Appended { .. } | Preview::Rename { .. } => None,
    }
}

/// The content of a file, or where a link leads.
fn content<'a>(tree: &'a Tree, path: &Path) -> Option<&'a [u8]> {
    match tree.get(path)? {
        Node::File { bytes, .. } | Node::Link(bytes) => Some(bytes),
        Node::Dir(_) | Node::Other => None,
    }
}

fn differs(side: &str, here: &Path, shown: Option<&[u8]>, found: Option<&[u8]>) -> Trouble {
    let text =
        |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (shown, found) = (text(shown), text(found));
    Trouble(format!(
        "the side {side} of {} is shown as {shown:?} and is {found:?}",
        here.display()
    ))
}
