//! What the reader noticed, in order of reading.

use crate::model::{Finding, Origin, Severity};
use crate::systems::nine_step::facts::{Facts, Home, Source};
use crate::systems::nine_step::sentence;
use crate::systems::nine_step::shape::plan_document::PlanFound;
use crate::systems::nine_step::shape::{Doc, State};

/// All findings of a pipeline.
pub(crate) fn of(facts: &Facts) -> Vec<Finding> {
    let mut found: Vec<Finding> = facts.docs.iter().flat_map(of_doc).collect();
    found.extend(of_source(facts));
    let file = facts
        .doc()
        .map_or_else(|| facts.layout.top.clone(), Doc::path);
    if let Some(ledger) = &facts.ledger {
        found.extend(ledger.notes.iter().map(|note| {
            Finding::new(
                note.severity,
                note.code,
                Origin::file(&file),
                note.text.clone(),
            )
        }));
    }
    if let PlanFound::Refused(why) = &facts.plan.found {
        let text = format!("The plan's path was not opened: {why}.");
        found.push(Finding::new(
            Severity::Warn,
            "refused-path",
            Origin::file(&file),
            text,
        ));
    }
    if matches!(facts.home, Home::Orphan(_)) {
        let text = "git no longer lists this directory as a worktree.";
        found.push(Finding::new(
            Severity::Warn,
            "orphan",
            Origin::file(&file),
            text,
        ));
    }
    found.extend(take_back(facts));
    if let Some(error) = &facts.git.error {
        let text = format!("The repository cannot be asked: {error}.");
        let origin = Origin::file(&facts.layout.top);
        found.push(Finding::new(Severity::Warn, "no-git", origin, text));
    }
    found
}

/// The most commits that one command names.
const NAMED: usize = 20;

/// What is merged is never reset: its commits are reverted, the newest first (format note, section g.2). relight
/// does not do that itself, so the command is offered.
fn take_back(facts: &Facts) -> Option<Finding> {
    let commits = &facts.git.commits;
    let base = facts.git.base.as_deref()?;
    if !facts.git.is_merged() || commits.is_empty() {
        return None;
    }
    let newest = commits.iter().take(NAMED);
    let ids: Vec<String> = newest.map(|c| c.id.chars().take(12).collect()).collect();
    let more = match commits.len().saturating_sub(NAMED) {
        0 => String::new(),
        rest => format!(", and so on for {rest} more"),
    };
    let text = format!(
        "What is merged is not rolled back. To take it back, revert its commits on {base}, the newest first: git revert {}{more}.",
        ids.join(" ")
    );
    let origin = Origin::file(&facts.layout.top);
    Some(Finding::new(
        Severity::Info,
        "merged",
        origin,
        sentence(text),
    ))
}

fn of_doc(doc: &Doc) -> Vec<Finding> {
    let file = doc.path();
    match &doc.content {
        Err(damage) => {
            let origin = Origin {
                file: file.clone(),
                line: damage.line,
            };
            let text = format!(
                "Workflow state file corrupted: {}.",
                damage.text.trim_end_matches('.')
            );
            vec![Finding::new(Severity::Error, damage.code, origin, text)]
        }
        Ok(state) => of_state(doc, state),
    }
}

fn of_state(doc: &Doc, state: &State) -> Vec<Finding> {
    let file = doc.path();
    let twice = state.twice.iter().map(|twice| {
        let text = format!(
            "The key `{}` occurs twice: {} and {}; the last one counts, and the file is not written.",
            twice.key, twice.first, twice.second
        );
        Finding::new(Severity::Warn, "duplicate-key", Origin::file(&file), text)
    });
    let odd = state.odd.iter().map(|odd| {
        let severity = if odd.coercible {
            Severity::Info
        } else {
            Severity::Warn
        };
        Finding::new(
            severity,
            "odd-value",
            Origin::file(&file),
            format!("{}.", odd.text),
        )
    });
    let records = [&state.last].into_iter().chain(&state.completed);
    let times = records.filter_map(|record| {
        let text = record.at_text.as_ref().filter(|_| record.at.is_none())?;
        let origin = Origin {
            file: file.clone(),
            line: record.line,
        };
        let text = format!("`{text}` cannot be read as a time.");
        Some(Finding::new(
            Severity::Warn,
            "bad-time",
            origin,
            sentence(text),
        ))
    });
    twice.chain(odd).chain(times).collect()
}

/// Where the state came from, if not from the state file.
fn of_source(facts: &Facts) -> Option<Finding> {
    let top = Origin::file(&facts.layout.top);
    match (facts.source, facts.docs.is_empty()) {
        (Source::State, _) => None,
        (Source::Backup, _) => {
            let origin = facts
                .backup
                .as_ref()
                .map_or(top, |backup| Origin::file(backup.path()));
            let text = "The backup was read instead: it is one save behind.";
            Some(Finding {
                inferred: true,
                ..Finding::new(Severity::Warn, "from-backup", origin, text)
            })
        }
        (Source::Inferred, true) => {
            let text = "There is no state file; worktree, plan and commits were read instead.";
            Some(Finding::inferred("inferred-state", top, text))
        }
        (Source::Inferred, false) => {
            let text =
                "No backup can be used either; worktree, plan and commits were read instead.";
            Some(Finding::inferred("inferred-state", top, text))
        }
    }
}
