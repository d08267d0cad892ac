//! The files that differ, with how many lines came and went.

use ratatui::layout::Rect;

use super::super::list::{self, List};
use super::super::pen::Bits;
use super::super::pipeline::nothing;
use super::super::{Canvas, split_top};
use super::figures;
use crate::clean;
use crate::model::{Artifact, ArtifactChange, Artifacts, Clean, Comparison};
use crate::tui::geometry::ListId;
use crate::tui::state::comparison::{ComparisonScreen, Tab};
use crate::tui::theme::Role;
use crate::tui::words;

/// Draws the part.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
) {
    let Some(artifacts) = &ready.artifacts else {
        let text = "A side has no tree that could be read, so its files are not compared: n/a.";
        return nothing(canvas, area, text);
    };
    if artifacts.files.is_empty() {
        return nothing(canvas, area, "Both sides hold the same files.");
    }
    let (head, body) = split_top(area, 1);
    canvas.pen.line(head, &total(artifacts));
    let list = List {
        id: ListId::Artifacts,
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
pub(super) fn total(artifacts: &Artifacts) -> Bits {
    let files = words::count(artifacts.files.len() as u64, "file");
    let mut bits = Bits::new()
        .say(Role::Text, " ")
        .add(Role::Text, clean!("{} changed, ", files))
        .add(Role::Added, clean!("+{}", artifacts.insertions))
        .say(Role::Text, " ")
        .add(Role::Removed, clean!("-{}", artifacts.deletions))
        .say(Role::Text, " lines");
    if artifacts.unmeasured > 0 {
        let number = words::count(artifacts.unmeasured, "file");
        bits = bits.add(
            Role::Warn,
            clean!("  ! the lines of {} were not compared", number),
        );
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
    let right = |text: Clean, role: Role| {
        let lead = 7_usize.saturating_sub(text.width());
        Bits::new().pad(lead).add(role, text)
    };
    Bits::new()
        .join(
            Bits::new()
                .say(role, sign)
                .say(Role::Text, " ")
                .say(role, word)
                .pad(12),
        )
        .join(right(number("+", file.insertions), Role::Added))
        .join(right(number("-", file.deletions), Role::Removed))
        .say(Role::Text, "  ")
        .add(Role::Text, file.path.clean())
}
