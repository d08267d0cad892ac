//! The findings of reading, in order.

use std::collections::HashSet;
use std::path::Path;

use crate::model::{Finding, Origin, Severity};
use crate::systems::nine_step::facts::{Facts, Home, Source};
use crate::systems::nine_step::shape::{Doc, PlanFound};
use crate::text::format::short_id;
use crate::world::git::Commit;

/// All findings of a pipeline.
pub(crate) fn of(facts: &Facts) -> Vec<Finding> {
    let top = facts.layout.top.as_path();
    let mut found: Vec<Finding> = facts.docs.iter().flat_map(of_doc).collect();
    found.extend(of_source(facts));
    let file = facts.doc().map_or_else(|| top.to_owned(), Doc::path);
    let warn = |at: &Path, code, text| Finding::warn(code, Origin::file(at), text);
    for (code, text) in facts.ledger.iter().flat_map(|ledger| &ledger.notes) {
        found.push(warn(&file, code, text.clone()));
    }
    if let PlanFound::Refused(why) = &facts.plan.found {
        let text = format!("The path of the plan was not opened: {why}.");
        found.push(warn(&file, "refused-path", text));
    }
    if matches!(facts.home, Home::Orphan(_)) && facts.git.error.is_none() {
        let text = "git no longer lists this directory as a worktree.".to_owned();
        found.push(warn(&file, "orphan", text));
    }
    found.extend(revert(facts));
    if let Some(error) = &facts.git.error {
        let text = format!("The repository cannot be read: {error}.");
        found.push(warn(top, "no-git", text));
    }
    if let Some(why) = &facts.git.unread_commits {
        let what = if facts.git.fork.is_none() && facts.git.commits.is_empty() {
            "Which commits are the branch's own is"
        } else {
            "Older commits of the branch are"
        };
        let text = format!("{what} unknown: {why}.");
        found.push(warn(top, "unread-commits", text));
    }
    found
}

/// How many commits one command names.
const NAMED: usize = 20;

/// Merged work is never reset: its commits must be reverted, the newest first. relight does not do that itself, so it
/// shows the command.
fn revert(facts: &Facts) -> Option<Finding> {
    let commits = &facts.git.commits;
    let base = facts.git.base.as_deref()?;
    if !facts.git.is_merged() || commits.is_empty() {
        return None;
    }
    let newest = children_first(commits).into_iter().take(NAMED);
    let ids: Vec<&str> = newest.map(|commit| short_id(&commit.id)).collect();
    // What follows the colon is a command to copy, so it does not end in words.
    let some = match commits.len() {
        ..=NAMED => "its commits".to_owned(),
        all => format!("its latest {NAMED} of {all} commits"),
    };
    let text = format!(
        "Merged work is not rolled back. To undo it, revert {some} on {base}, the newest first: git revert {}.",
        ids.join(" ")
    );
    let origin = Origin::file(&facts.layout.top);
    Some(Finding::info("merged", origin, text))
}

/// The commits, each before its parents: a log is in the order of times, and a rebase makes them equal.
fn children_first(commits: &[Commit]) -> Vec<&Commit> {
    let mut left: Vec<&Commit> = commits.iter().collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let parents: HashSet<&String> = left.iter().flat_map(|commit| &commit.parents).collect();
        let is_last = |commit: &&Commit| !parents.contains(&commit.id);
        let at = left.iter().position(is_last).unwrap_or(0);
        order.push(left.remove(at));
    }
    order
}

fn of_doc(doc: &Doc) -> Vec<Finding> {
    let file = &doc.path();
    let state = match &doc.content {
        Ok(state) => state,
        Err(damage) => {
            let what = damage
                .cure
                .as_ref()
                .map_or("corrupted", |_| "cannot be read");
            let text = format!("Workflow state file {what}: {}.", damage.why);
            return vec![damage.finding(file.clone(), text)];
        }
    };
    let duplicates = state.duplicates.iter().map(|pair| {
        let text = format!(
            "The key `{}` is duplicated: {} and {}. The last one counts, and the file is not written.",
            pair.key, pair.first, pair.second
        );
        Finding::warn("duplicate-key", Origin::file(file), text)
    });
    let odd = state.odd.iter().map(|odd| {
        let severity = if odd.coercible {
            Severity::Info
        } else {
            Severity::Warn
        };
        let text = format!("{}.", odd.text);
        Finding::new(severity, "odd-value", Origin::file(file), text)
    });
    let records = [&state.last].into_iter().chain(&state.completed);
    let times = records.filter_map(|record| {
        let text = record.at_text.as_ref().filter(|_| record.at.is_none())?;
        let origin = Origin::at(file.clone(), record.line);
        let text = format!("`{text}` cannot be read as a time.");
        Some(Finding::warn("bad-time", origin, text))
    });
    duplicates.chain(odd).chain(times).collect()
}

/// The source of the state, if it is not the state file.
fn of_source(facts: &Facts) -> Option<Finding> {
    let top = Origin::file(&facts.layout.top);
    let text = match (facts.source, facts.docs.is_empty()) {
        (Source::State, _) => return None,
        (Source::Backup, _) => {
            let backup = facts.backup.as_ref();
            let origin = backup.map_or(top, |backup| Origin::file(backup.path()));
            let text = "The backup was read instead: it may be one save older.";
            return Some(Finding {
                inferred: true,
                ..Finding::warn("from-backup", origin, text)
            });
        }
        (Source::Inferred, true) => "There is no state file",
        (Source::Inferred, false) => "There is no usable backup either",
    };
    let read = if facts.unknown_phases().is_some() {
        "worktree and plan were read instead, and no commit of a phase was"
    } else {
        "worktree, plan and commits were read instead"
    };
    let text = format!("{text}; {read}.");
    Some(Finding::inferred("inferred-state", top, text))
}
