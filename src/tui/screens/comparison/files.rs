//! The files that differ, with how many lines came and went.

use crate::tui::screens::comparison::{ComparisonScreen, Tab};
use ratatui::layout::Rect;

use super::UNKNOWN;
use crate::clean;
use crate::model::{Artifact, ArtifactChange, Artifacts, Clean, Comparison};
use crate::text::format;
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::table::{self, Column, Table};
use crate::tui::view::{Canvas, nothing, split_top};

/// Draws the part.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
) {
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
    let table = Table {
        id: Tab::Files.list(),
        columns: COLUMNS,
        len: artifacts.files.len(),
        selected: Some(screen.place(Tab::Files)),
        focus: screen.tab == Tab::Files,
        above: &|_| None,
    };
    table::draw(canvas, body, &table, &|row| {
        artifacts.files.get(row).map(cells).unwrap_or_default()
    });
}

/// How much differs in all, and between what.
pub(crate) fn total(artifacts: &Artifacts) -> Bits {
    let files = format::count(artifacts.files.len(), "file");
    let mut bits = Bits::of(Role::Text, clean!(" {} changed, ", files))
        .say(Role::Added, clean!("+{}", artifacts.insertions))
        .gap(1)
        .say(Role::Removed, clean!("-{}", artifacts.deletions))
        .say(Role::Text, " lines");
    if artifacts.unmeasured > 0 {
        let number = format::count(artifacts.unmeasured, "file");
        bits = bits.say(Role::Warn, clean!("  ! lines of {} not compared", number));
    }
    bits.say(Role::Dim, clean!("  {}", artifacts.between))
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
