//! What the history says of a recovery that has not ended.

use std::path::{Path, PathBuf};

use crate::apply::crash::{Standing, State};
use crate::apply::journal::{Damage, Journal};
use crate::model::{Foreign, PendingPath, PendingState, shell_word};
use crate::text::Shown as _;
use crate::text::format::{count, count_of, list_first};

/// How many paths get a sentence each; the rest are counted.
const NAMED: usize = 20;

/// What is known of one.
pub(super) struct About<'a> {
    pub(super) standing: &'a Standing,
    /// The first of its directories that is missing or another one, in a sentence, and what helps.
    pub(super) lost: Option<(String, &'static str)>,
    pub(super) state: &'a State,
    pub(super) journal: Option<&'a Result<Journal, Damage>>,
    pub(super) name: &'a str,
    pub(super) root: &'a Path,
    /// Whether that is the root of its project: where nothing says which it is, it is the folder of its recoveries.
    pub(super) is_rooted: bool,
    pub(super) kept_in: &'a [PathBuf],
}

/// What needs attention, and what to do, a sentence each.
pub(super) fn trouble(about: &About<'_>) -> Vec<Foreign> {
    let About {
        standing,
        state,
        journal,
        name,
        root,
        kept_in,
        ..
    } = *about;
    let hint = format!("To recover: relight recover {name}");
    let export: Foreign =
        format!("relight recover {name} --export ./kept-{name} copies its backups.").into();
    let stuck = |text: String| {
        let root = root.to_str().filter(|_| about.is_rooted);
        let root = root.and_then(shell_word).unwrap_or_else(|| "/".to_owned());
        let keep = format!("relight recover {name} --keep {root}");
        let keep = format!("{keep} keeps everything unchanged and unlocks git.");
        let damage = journal.and_then(|journal| journal.as_ref().err());
        let cure = damage.and_then(Damage::cure).map(Foreign::from);
        let first = [Foreign::from(text)].into_iter().chain(cure);
        first.chain([export.clone(), keep.into()]).collect()
    };
    let text = match (state, journal) {
        (State::Done | State::RolledBack, _) => return Vec::new(),
        (State::HalfApplied, _) => {
            let text = "It was interrupted and is left half-applied: some files may be as planned, others as before.";
            return vec![text.into(), kept_at(kept_in).into(), export];
        }
        (State::Untouched, _) => {
            "It was interrupted before it changed anything; its prepared files will be deleted."
        }
        (State::Lost, _) | (State::Committed, None) => {
            let kept = kept_at(kept_in);
            let what = match journal {
                None => "It was interrupted, and its journal is missing",
                Some(_) => "The files that mark how far it came are missing",
            };
            return stuck(format!(
                "{what}, so relight cannot recover it by itself. {kept}"
            ));
        }
        (State::Prepared | State::Committed, Some(Err(damage))) => {
            return stuck(format!(
                "It was interrupted, and {damage}, so relight cannot recover it by itself."
            ));
        }
        (State::Prepared, _) if standing.unseen > 0 => {
            let why = about
                .lost
                .as_ref()
                .map(|(why, cure)| format!("{why} {cure}"));
            let why = why.unwrap_or_else(|| {
                let root = root.shown();
                format!("A directory in {root} was moved or replaced. Move it back.")
            });
            return stuck(format!(
                "It was interrupted halfway, and {} cannot be examined. {why} {}",
                count(standing.unseen, "path"),
                kept_at(kept_in)
            ));
        }
        (State::Prepared, _) => return will_roll_back(standing, root, hint),
        (State::Committed, _) if standing.logged => {
            "Its files are as planned; only its record is not completed."
        }
        (State::Committed, _) => {
            "Its files are as planned, but lines must still be appended to a log."
        }
    };
    let changed = paths_that(PendingState::Changed, &standing.paths, root);
    let said = std::iter::once(text.into()).chain(changed);
    said.chain(std::iter::once(hint.into())).collect()
}

/// Where the backups are.
fn kept_at(kept_in: &[PathBuf]) -> String {
    let kept = kept_in.iter().map(|path| path.to_string_lossy());
    let kept = kept.collect::<Vec<_>>().join(", ");
    format!("Its backups are in {kept}.")
}

/// The sentences about a recovery that will be rolled back.
fn will_roll_back(standing: &Standing, root: &Path, hint: String) -> Vec<Foreign> {
    let (paths, left) = (&standing.paths, &standing.left);
    let except = if left.is_empty() {
        String::new()
    } else {
        format!(", except {}", count(left.len(), "path"))
    };
    let text = format!(
        "It was interrupted halfway: every file will be restored as it was before{except}."
    );
    let named = left.iter().take(NAMED).map(|one| one.text.clone());
    let more = left.len().saturating_sub(NAMED);
    let kept = count_of(more, "more path is", "more paths are");
    let more = (more > 0).then(|| format!("{kept} kept unchanged.").into());
    let said = std::iter::once(text.into()).chain(named).chain(more);
    said.chain(paths_that(PendingState::Planned, paths, root))
        .chain(paths_that(PendingState::Before, paths, root))
        .chain(std::iter::once(hint.into()))
        .collect()
}

/// The paths in one state, in a sentence; `None` without any.
fn paths_that(state: PendingState, paths: &[PendingPath], root: &Path) -> Option<Foreign> {
    let of_it = paths.iter().filter(|one| one.state == state);
    let names = of_it.map(|one| one.path.strip_prefix(root).unwrap_or(&one.path).shown());
    let many = names.clone().count();
    let are = count_of(many, "path is", "paths are");
    let what = match state {
        PendingState::Planned => "already as planned",
        PendingState::Before => "still as before",
        PendingState::Changed => "changed since by another program",
    };
    (many > 0).then(|| format!("{are} {what}: {}.", list_first(names, NAMED)).into())
}
