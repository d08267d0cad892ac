//! The files that differ, with how many lines came and went.

use crate::tui::screens::comparison::{ComparisonScreen, Tab};
use ratatui::layout::Rect;

use super::figures;
use crate::clean;
use crate::model::{Artifact, ArtifactChange, Artifacts, Clean, Comparison};
use crate::text::format;
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, split_top};

/// Draws the part.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
) {
    let Some(artifacts) = &ready.artifacts else {
        let text = "Files are not compared: one side has no readable work tree.";
        return nothing(canvas, area, text);
    };
    if artifacts.files.is_empty() {
        return nothing(canvas, area, "Both sides have the same files.");
    }
    let (head, body) = split_top(area, 1);
    canvas.pen.line(head, &total(artifacts));
    let list = List {
        id: Tab::Files.list(),
        len: artifacts.files.len(),
        selected: Some(screen.place(Tab::Files)),
        focus: screen.tab == Tab::Files,
        height: &|_| 1,
        lead: &|_| 0,
    };
    list::rows(canvas, body, &list, &mut |row, _| {
        let file = artifacts.files.get(row);
        file.map_or_else(Bits::new, file_row)
    });
}

/// How much differs in all, and between what.
pub(crate) fn total(artifacts: &Artifacts) -> Bits {
    let files = format::count(artifacts.files.len(), "file");
    let mut bits = Bits::new()
        .say(Role::Text, " ")
        .add(Role::Text, clean!("{} changed, ", files))
        .add(Role::Added, clean!("+{}", artifacts.insertions))
        .say(Role::Text, " ")
        .add(Role::Removed, clean!("-{}", artifacts.deletions))
        .say(Role::Text, " lines");
    if artifacts.unmeasured > 0 {
        let number = format::count(artifacts.unmeasured, "file");
        bits = bits.add(Role::Warn, clean!("  ! lines of {} not compared", number));
    }
    bits.add(Role::Dim, clean!("  {}", artifacts.between))
}

fn file_row(file: &Artifact) -> Bits {
    let (sign, word, role) = match file.change {
        ArtifactChange::Added => ("+", "only in B", Role::Good),
        ArtifactChange::Modified => ("~", "differs", Role::Warn),
        ArtifactChange::Removed => ("-", "only in A", Role::Bad),
    };
    let number = |sign: &'static str, number: Option<u64>| {
        number.map_or_else(
            || Clean::new(figures::UNKNOWN),
            |number| clean!("{}{}", sign, number),
        )
    };
    Bits::new()
        .badge(role, sign, word, 12)
        .right(Role::Added, number("+", file.insertions), 7)
        .right(Role::Removed, number("-", file.deletions), 7)
        .say(Role::Text, "  ")
        .add(Role::Text, file.path.clean())
}
