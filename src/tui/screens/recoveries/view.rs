//! What has been carried out, newest first, and everything about the selected one.

use crate::tui::screens::plan::touched;
use crate::tui::screens::recoveries::RecoveriesScreen;
use crate::tui::view::inset;
use crate::tui::view::loaded;
use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Recovery, RecoveryState};
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::facts::{self, Fact};
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::table::{self, Column, Table};
use crate::tui::view::{Canvas, paragraph, split_left, split_top};

/// From this width on the explanation stands beside the list.
const SIDE: u16 = 130;

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &RecoveriesScreen) {
    let Some(all) = loaded(canvas, area, Some(&screen.all), "Reading the history …") else {
        return;
    };
    if all.recoveries.is_empty() && all.unreadable.is_empty() {
        return nothing(canvas, area, "No recovery in this scope yet.");
    }
    let area = unreadable(canvas, area, screen);
    let rows = u16::try_from(screen.rows().len() + 2).unwrap_or(u16::MAX);
    let (table, side) = if area.width >= SIDE {
        split_left(area, area.width * 11 / 20)
    } else {
        split_top(area, rows.min(area.height / 2))
    };
    rows_of(canvas, table, screen);
    if let Some(recovery) = screen.selected() {
        explain(canvas, side, recovery);
    }
}

/// Entries of the history that cannot be read, in the last rows; returns the area above.
fn unreadable(canvas: &mut Canvas<'_>, area: Rect, screen: &RecoveriesScreen) -> Rect {
    const MOST: usize = 3;
    let all = screen.unreadable();
    if all.is_empty() {
        return area;
    }
    let number = format::count(all.len(), "entry");
    let text = clean!("{} skipped: not a readable recovery", number);
    let mut lines = vec![Bits::of(Role::Warn, " ! ").say(Role::Text, text)];
    for entry in all.iter().take(MOST) {
        let text = clean!("   {}: {}", entry.path, entry.reason);
        lines.push(Bits::of(Role::Dim, text));
    }
    if let Some(more @ 1..) = all.len().checked_sub(MOST) {
        lines.push(Bits::of(Role::Dim, clean!("   (+{} more)", more)));
    }
    let rows = u16::try_from(lines.len()).unwrap_or(0);
    let (above, below) = split_top(area, area.height.saturating_sub(rows));
    crate::tui::view::lines(canvas, below, &lines);
    above
}

fn rows_of(canvas: &mut Canvas<'_>, area: Rect, screen: &RecoveriesScreen) {
    const COLUMNS: &[Column] = &[
        Column::cells("STATE", 15),
        Column::cells("AGE", 7),
        Column::share("WHAT", 1),
        Column::cells("FILES", 6).right(),
        Column::cells("BACKUPS", 9).right(),
    ];
    let now = canvas.state.now;
    let table = Table {
        id: ListId::of::<RecoveriesScreen>(),
        columns: COLUMNS,
        len: screen.rows().len(),
        selected: screen.cursor.place(&screen.keys()),
        focus: true,
        above: &|_| None,
    };
    table::draw(canvas, area, &table, &|row| {
        let recovery = screen.rows().get(row);
        recovery.map(|one| cells(one, now)).unwrap_or_default()
    });
}

fn cells(recovery: &Recovery, now: DateTime<FixedOffset>) -> Vec<Bits> {
    let (sign, word, role) = state_of(recovery);
    let kept = if recovery.purged {
        "–".to_owned()
    } else {
        format::size(recovery.kept_bytes)
    };
    vec![
        Bits::of(role, sign).gap(1).say(role, word),
        Bits::of(Role::Text, format::age(now, Some(recovery.started_at))),
        Bits::of(Role::Text, recovery.label.clean())
            .gap(2)
            .say(Role::Dim, recovery.pipeline.0.as_str()),
        Bits::of(Role::Text, files(recovery).to_string()),
        Bits::of(Role::Text, kept),
    ]
}

/// Paths that it changed, or would have.
fn files(recovery: &Recovery) -> usize {
    let of_action = |action: &crate::model::Action| {
        let paths = action.paths.iter().filter(|path| touched(path.change));
        paths.count() + usize::from(action.paths.is_empty())
    };
    recovery.actions.iter().map(of_action).sum()
}

/// How it stands: a sign, a word, a role.
pub(crate) fn state_of(recovery: &Recovery) -> (&'static str, &'static str, Role) {
    match recovery.state {
        RecoveryState::NeedsAttention => ("!", "pending", Role::Bad),
        RecoveryState::RolledBack => ("–", "rolled back", Role::Dim),
        RecoveryState::Committed if recovery.undone_by.is_some() => ("↺", "undone", Role::Warn),
        RecoveryState::Committed if recovery.purged => ("·", "purged", Role::Dim),
        RecoveryState::Committed => ("✓", "applied", Role::Good),
    }
}

fn explain(canvas: &mut Canvas<'_>, area: Rect, recovery: &Recovery) {
    let inside = canvas
        .pen
        .frame(area, &Bits::of(Role::Title, recovery.label.clean()), false);
    let inside = inset(inside);
    let width = usize::from(inside.width);
    let mut lines = Vec::new();
    for text in &recovery.trouble {
        let lead = Bits::of(Role::Bad, "! ");
        lines.extend(paragraph(&lead, Role::Text, &text.clean(), width));
    }
    for left in &recovery.left {
        let lead = Bits::of(Role::Warn, "! ");
        lines.extend(paragraph(&lead, Role::Text, &left.text.clean(), width));
    }
    let moment = |at: chrono::DateTime<chrono::FixedOffset>| Clean::new(&format::time_full(at));
    let (_, word, role) = state_of(recovery);
    let ended = recovery
        .ended_at
        .map_or_else(|| Clean::new("not ended"), moment);
    let mut facts = vec![
        Fact::new("state", role, Clean::new(word)),
        Fact::new("id", Role::Text, clean!("{}", recovery.id.0)),
        Fact::new("pipeline", Role::Text, clean!("{}", recovery.pipeline.0)),
        Fact::new("project", Role::Text, clean!("{}", recovery.root)),
        Fact::new(
            "when",
            Role::Text,
            clean!("{} to {}", moment(recovery.started_at), ended),
        ),
    ];
    if let Some(undoes) = &recovery.undoes {
        facts.push(Fact::new("undoes", Role::Text, clean!("{}", undoes.0)));
    }
    if let Some(undone) = &recovery.undone_by {
        facts.push(Fact::new(
            "by",
            Role::Text,
            clean!("undone by {}", undone.0),
        ));
    }
    if recovery.purged {
        let text = "Deleted; cannot undo.";
        facts.push(Fact::new("backups", Role::Warn, Clean::new(text)));
    }
    for folder in &recovery.kept_in {
        facts.push(Fact::new("backups in", Role::Text, clean!("{}", folder)));
    }
    for action in &recovery.actions {
        facts.push(Fact::new("action", Role::Text, action.summary.clean()).most(2));
    }
    lines.extend(facts::lines(&facts, width));
    crate::tui::view::lines(canvas, inside, &lines);
}
