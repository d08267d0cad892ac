//! The checks, worst first, with evidence and remedy in full.

use crate::model::{Check, Verdict};
use crate::tui::prelude::*;
use crate::tui::state::marks::{Marks, RowMark};
use crate::tui::view::wrap;

/// Draws the checks.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, dossier: &Dossier) {
    let width = usize::from(area.width).saturating_sub(3);
    let lines = dossier.checks.iter();
    let lines: Vec<Vec<Bits>> = lines.map(|check| check_lines(check, width)).collect();
    let problem = |verdict| match verdict {
        Verdict::Fail => Some(RowMark::Error),
        Verdict::Warn => Some(RowMark::Warning),
        Verdict::Pass | Verdict::Skipped => None,
    };
    let checks = dossier.checks.iter().enumerate();
    let marks = checks.filter_map(|(row, check)| Some((row, problem(check.verdict)?)));
    let marks = Marks::of(marks);
    let list = List {
        marks: Some(&marks),
        ..list
    };
    list::laid(canvas, area, list, &lines);
}

/// A check with its evidence and remedy.
pub(crate) fn check_lines(check: &Check, width: usize) -> Vec<Bits> {
    let (sign, role) = look::verdict(check.verdict);
    let head = Bits::of(role, sign)
        .gap(1)
        .say(role, check.verdict.word())
        .gap(1)
        .accent(clean!("{} ", check.id.0))
        .text(check.subject().clean());
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
            .map(|text| Bits::new().gap(2).dim(text)),
    );
    if let Some(remedy) = &check.remedy {
        let lead = Bits::of(Role::Accent, "  → ");
        lines.extend(paragraph(&lead, Role::Text, &remedy.clean(), room + 2));
    }
    lines
}
