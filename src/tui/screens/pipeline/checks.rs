//! The checks, worst first, with evidence and remedy in full.

use crate::tui::screens::pipeline::{Pane, PipelineScreen};
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Check, Verdict};
use crate::tui::data::Dossier;
use crate::tui::state::marks::{Marks, RowMark};
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, look};
use crate::tui::view::{paragraph, wrap};

/// Draws the checks.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    dossier: &Dossier,
    focus: bool,
) {
    if dossier.checks.is_empty() {
        nothing(canvas, area, "No checks for this pipeline.");
        return;
    }
    let width = usize::from(area.width).saturating_sub(3);
    let keys: Vec<_> = dossier
        .checks
        .iter()
        .map(|check| (check.id.clone(), check.about.clone()))
        .collect();
    let lines: Vec<Vec<Bits>> = dossier
        .checks
        .iter()
        .map(|check| check_lines(check, width))
        .collect();
    let height = |row: usize| lines.get(row).map_or(1, Vec::len);
    let list = List {
        id: Pane::Verification.list(),
        len: lines.len(),
        selected: screen.checks.place(&keys),
        focus,
        height: &height,
        lead: &|_| 0,
    };
    let problem = |verdict| match verdict {
        Verdict::Fail => Some(RowMark::Error),
        Verdict::Warn => Some(RowMark::Warning),
        Verdict::Pass | Verdict::Skipped => None,
    };
    let checks = dossier.checks.iter().enumerate();
    let marks = checks.filter_map(|(row, check)| Some((row, problem(check.verdict)?)));
    let marks = Marks::of(marks);
    list::marked(canvas, area, &list, &marks, &mut |row, line| {
        let found = lines.get(row).and_then(|lines| lines.get(line));
        found.cloned().unwrap_or_default()
    });
}

/// A check with its evidence and remedy.
pub(crate) fn check_lines(check: &Check, width: usize) -> Vec<Bits> {
    let (sign, role) = look::verdict(check.verdict);
    let head = Bits::of(role, sign)
        .gap(1)
        .say(role, check.verdict.word())
        .gap(1)
        .say(Role::Accent, clean!("{} ", check.id.0))
        .say(Role::Text, check.subject().clean());
    let mut lines = vec![head];
    let room = width.saturating_sub(2).max(10);
    // What passed is said in one line; what did not is said in full.
    let most = if check.verdict == Verdict::Pass {
        1
    } else {
        usize::MAX
    };
    let evidence = wrap(&check.evidence.clean(), room);
    lines.extend(
        evidence
            .into_iter()
            .take(most)
            .map(|text| Bits::new().gap(2).say(Role::Dim, text)),
    );
    if let Some(remedy) = &check.remedy {
        let lead = Bits::of(Role::Accent, "  → ");
        lines.extend(paragraph(&lead, Role::Text, &remedy.clean(), room + 2));
    }
    lines
}
