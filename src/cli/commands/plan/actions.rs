//! One action for a person, with what stands behind it.

use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::words::under;
use crate::model::{Action, Clean, Foreign, PathChange, PlanPath, Preview};

/// How many of so many rows a list of this cap leaves out.
pub(in crate::cli::commands) fn more(count: usize, cap: usize) -> Option<Line> {
    (count > cap).then(|| vec![Span(Tone::Faint, clean!("  (+{} more)", count - cap))])
}

pub(in crate::cli::commands) fn lines(action: &Action, cap: usize, width: usize) -> Vec<Line> {
    let mut lines = vec![vec![
        Span(Tone::Strong, clean!("  {}", action.kind.word())),
        Span::plain(clean!("  {}", action.target)),
    ]];
    lines.extend(under(
        Span::plain(Clean::new("    ")),
        Tone::Plain,
        &action.summary.clean(),
        width,
    ));
    if let Some(c) = action.changes {
        let count = |change| action.paths.iter().filter(|p| p.change == change).count() as u64;
        let counts = [
            (c.modified, "modified"),
            (c.added, "put back"),
            (c.removed, "moved aside"),
            (count(PathChange::KeepNewer), "newer kept"),
            (count(PathChange::NotCovered), "not covered"),
        ];
        let said: Vec<String> = counts
            .into_iter()
            .enumerate()
            .filter(|(at, (count, _))| *at < 3 || *count > 0)
            .map(|(_, (count, word))| format!("{count} {word}"))
            .collect();
        let head = Span::plain(Clean::new("    "));
        lines.extend(under(
            head,
            Tone::Plain,
            &Clean::new(&said.join(", ")),
            width,
        ));
    }
    let mut list = |rows: Vec<(Tone, Clean)>| {
        let count = rows.len();
        for (tone, text) in rows.into_iter().take(cap) {
            lines.push(vec![
                Span::plain(Clean::new("    ")),
                Span(tone, text.clip(width.saturating_sub(4))),
            ]);
        }
        lines.extend(more(count, cap).map(|mut line| {
            line.insert(0, Span::plain(Clean::new("  ")));
            line
        }));
    };
    match &action.preview {
        Preview::Tree { .. } | Preview::Kept { .. } => list(paths(&action.paths)),
        Preview::Rows { removed, .. } => list(
            removed
                .iter()
                .map(|row| (Tone::Bad, clean!("- {}", row)))
                .collect(),
        ),
        Preview::Lines { appended, .. } => list(
            appended
                .iter()
                .map(|line| (Tone::Good, clean!("+ {}", line)))
                .collect(),
        ),
        Preview::Content { before, after, .. } => list(content(before.as_deref(), after)),
        Preview::Rename { to } => list(vec![(Tone::Plain, clean!("→ {}", to))]),
    }
    lines
}

/// Paths, what goes first and what stays last, so that a capped list shows what matters.
fn paths(paths: &[PlanPath]) -> Vec<(Tone, Clean)> {
    let rank = |change: PathChange| match change {
        PathChange::Remove => 0,
        PathChange::Write => 1,
        PathChange::Create => 2,
        PathChange::KeepNewer => 3,
        PathChange::NotCovered => 4,
    };
    let mut sorted: Vec<&PlanPath> = paths.iter().collect();
    sorted.sort_by_key(|path| rank(path.change));
    let row = |path: &&PlanPath| {
        let text = clean!("{} {}", path_sign(path.change), path.path);
        (path_tone(path.change), text)
    };
    sorted.iter().map(row).collect()
}

/// The changed lines of a file, without the rest.
fn content(before: Option<&[u8]>, after: &[u8]) -> Vec<(Tone, Clean)> {
    let Some(before) = before else {
        return vec![(Tone::Good, clean!("+ a new file of {} bytes", after.len()))];
    };
    let diff = similar::TextDiff::from_lines(before, after);
    let changes = diff.iter_all_changes().filter_map(|change| {
        let text = Foreign::from(
            change
                .value()
                .strip_suffix(b"\n")
                .unwrap_or_else(|| change.value()),
        );
        match change.tag() {
            similar::ChangeTag::Equal => None,
            similar::ChangeTag::Delete => Some((Tone::Bad, clean!("- {}", text))),
            similar::ChangeTag::Insert => Some((Tone::Good, clean!("+ {}", text))),
        }
    });
    changes.collect()
}

fn path_sign(change: PathChange) -> &'static str {
    match change {
        PathChange::Write => "M",
        PathChange::Create => "A",
        PathChange::Remove => "R",
        PathChange::KeepNewer => "=",
        PathChange::NotCovered => "?",
    }
}

fn path_tone(change: PathChange) -> Tone {
    match change {
        PathChange::Write => Tone::Warn,
        PathChange::Create => Tone::Good,
        PathChange::Remove => Tone::Bad,
        PathChange::KeepNewer | PathChange::NotCovered => Tone::Faint,
    }
}
