//! The files that differ, with how many lines came and went.

use super::UNKNOWN;
use crate::model::{Artifact, ArtifactChange, Artifacts, Comparison};
use crate::tui::prelude::*;

/// Draws the part.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, ready: &Comparison) {
    const COLUMNS: &[Column] = &[
        Column::cells("", 11),
        Column::cells("", 6).right(),
        Column::cells("", 6).right(),
        Column::share("", 1),
    ];
    let Some(artifacts) = &ready.artifacts else {
        let text = "Files are not compared: one side has no readable work tree.";
        return nothing(canvas, area, text);
    };
    if artifacts.files.is_empty() {
        return nothing(canvas, area, "Both sides have the same files.");
    }
    let (head, body) = split_top(area, 1);
    canvas.pen.line(head, &total(artifacts));
    table::each(canvas, body, (list, COLUMNS), &artifacts.files, &cells);
}

/// How much differs in all, and between what.
pub(crate) fn total(artifacts: &Artifacts) -> Bits {
    let files = format::count(artifacts.files.len(), "file");
    let mut bits = Bits::of(Role::Text, clean!(" {} changed, ", files))
        .say(Role::Added, clean!("+{}", artifacts.insertions))
        .gap(1)
        .say(Role::Removed, clean!("-{}", artifacts.deletions))
        .text(" lines");
    if artifacts.unmeasured > 0 {
        let number = format::count(artifacts.unmeasured, "file");
        bits = bits.warn(clean!("  ! lines of {} not compared", number));
    }
    bits.dim(clean!("  {}", artifacts.between))
}

fn cells(file: &Artifact) -> Vec<Bits> {
    let (sign, word, role) = match file.change {
        ArtifactChange::Added => ("+", "only in B", Role::Good),
        ArtifactChange::Modified => ("~", "differs", Role::Warn),
        ArtifactChange::Removed => ("-", "only in A", Role::Bad),
        ArtifactChange::Renamed => (">", "renamed", Role::Warn),
    };
    let number = |sign: &'static str, number: Option<u64>| {
        number.map_or_else(
            || Clean::new(UNKNOWN),
            |number| clean!("{}{}", sign, number),
        )
    };
    vec![
        Bits::of(role, sign).gap(1).say(role, word),
        Bits::of(Role::Added, number("+", file.insertions)),
        Bits::of(Role::Removed, number("-", file.deletions)),
        Bits::of(Role::Text, file.path.clean()),
    ]
}
