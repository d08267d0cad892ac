//! One change of a plan for a person, with its preview.

use crate::cli::prelude::*;
use crate::model::{PathChange, PlanPath, Preview, REFORMED};

/// The change under a phrase, and at most `cap` rows of its preview.
pub(in crate::cli::commands) fn action(
    (action, phrase): (&Action, &'static str),
    cap: usize,
    page: &mut Page,
) {
    page.line([
        Tone::Strong.of(clean!("  {}", phrase)),
        Tone::Plain.of("  "),
        Tone::Plain.of(&action.target),
    ]);
    page.indent(4, Tone::Plain, &action.summary);
    // What happens to one file is said by the phrase.
    let counted = action.changes.filter(|_| action.change().is_none());
    if let Some(changes) = counted {
        let always = [
            (changes.modified, "overwritten"),
            (changes.added, "recreated"),
            (changes.removed, "moved aside"),
        ];
        let uncovered = action.paths.iter();
        let uncovered = uncovered.filter(|path| path.change == PathChange::NotCovered);
        let uncovered = (uncovered.count() as u64, "not covered");
        let reformed = (action.reformed(), REFORMED);
        let others = [reformed, uncovered].into_iter();
        let counts = always.into_iter().chain(others.filter(|(n, _)| *n > 0));
        let counts = counts.map(|(n, word)| format!("{n} {word}"));
        let branch = changes.branch;
        let branch = branch.map(|branch| format!("branch reset{}", branch.commits()));
        // A branch that moves alone changes no file to be counted.
        let counts = counts.filter(|_| changes.files() > 0 || branch.is_none());
        let counts: Vec<String> = counts.chain(branch.clone()).collect();
        page.indent(4, Tone::Plain, counts.join(", "));
    }
    rows(action, cap, page);
}

/// At most `cap` rows of the preview of a change.
pub(in crate::cli::commands) fn rows(action: &Action, cap: usize, page: &mut Page) {
    let rows = preview(action);
    for (tone, text) in rows.iter().take(cap) {
        page.row(4, *tone, text);
    }
    page.rest(4, rows.len(), cap);
}

fn preview(action: &Action) -> Vec<(Tone, Clean)> {
    let marked = |tone: Tone, mark: &str, rows: &[Foreign]| {
        let row = |row| (tone, clean!("{} {}", mark, row));
        rows.iter().map(row).collect()
    };
    match &action.preview {
        Preview::Tree { .. } | Preview::Kept { .. } | Preview::Appended { .. } => {
            paths(&action.paths)
        }
        Preview::Rows { removed, .. } => marked(Tone::Bad, "-", removed),
        Preview::Lines { appended, .. } => marked(Tone::Good, "+", appended),
        Preview::Content { before, after, .. } => content(before.as_deref(), after),
        Preview::Rename { to } => vec![(Tone::Plain, clean!("→ {}", to))],
    }
}

/// Paths, what is removed first and what is kept last, so that a capped list shows what matters.
fn paths(paths: &[PlanPath]) -> Vec<(Tone, Clean)> {
    let look = |change: PathChange| match change {
        PathChange::Remove => (0, "R", Tone::Bad),
        PathChange::Write => (1, "M", Tone::Warn),
        PathChange::Create => (2, "A", Tone::Good),
        PathChange::KeepNewer => (3, "=", Tone::Faint),
        PathChange::NotCovered => (4, "?", Tone::Faint),
    };
    let mut sorted: Vec<&PlanPath> = paths.iter().collect();
    sorted.sort_by_key(|path| look(path.change).0);
    let row = |path: &&PlanPath| {
        let (_, sign, tone) = look(path.change);
        // Before the path, which may be cut.
        let forms = path.forms.said().map(|forms| format!("{forms}  "));
        let forms = forms.unwrap_or_default();
        (tone, clean!("{} {}{}", sign, forms, path.path))
    };
    sorted.iter().map(row).collect()
}

/// The changed lines of a file, without the rest.
fn content(before: Option<&[u8]>, after: &[u8]) -> Vec<(Tone, Clean)> {
    let Some(before) = before else {
        return vec![(Tone::Good, clean!("+ new file, {}", size(after.len())))];
    };
    let diff = similar::TextDiff::from_lines(before, after);
    let changes = diff.iter_all_changes().filter_map(|change| {
        let line = change.value();
        let text = Foreign::from(line.strip_suffix(b"\n").unwrap_or(line));
        match change.tag() {
            similar::ChangeTag::Equal => None,
            similar::ChangeTag::Delete => Some((Tone::Bad, clean!("- {}", text))),
            similar::ChangeTag::Insert => Some((Tone::Good, clean!("+ {}", text))),
        }
    });
    changes.collect()
}
