//! The recoveries, newest first, and everything about the selected one.

use chrono::{DateTime, FixedOffset};
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Recovery, RecoveryState};
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::screens::plan::touched;
use crate::tui::screens::recoveries::RecoveriesScreen;
use crate::tui::theme::Role;
use crate::tui::view::facts::Fact;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::Bits;
use crate::tui::view::table::{self, Column, Table};
use crate::tui::view::{Canvas, inset, lines, loaded, nothing, split_left, split_top};

/// From this width on the explanation is beside the list.
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
    let mut page = TextPage::of(area);
    page.line(Bits::of(Role::Warn, " ! ").say(Role::Text, text));
    for entry in all.iter().take(MOST) {
        let text = clean!("   {}: {}", entry.path, entry.reason);
        page.line(Bits::of(Role::Dim, text));
    }
    page.more(3, all.len(), MOST);
    let rows = u16::try_from(page.lines.len()).unwrap_or(0);
    let (above, below) = split_top(area, area.height.saturating_sub(rows));
    lines(canvas, below, &page.lines);
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

/// Its state: a sign, a word, a role.
pub(crate) fn state_of(recovery: &Recovery) -> (&'static str, &'static str, Role) {
    match recovery.state {
        RecoveryState::NeedsAttention if recovery.running => ("▸", "running", Role::Warn),
        RecoveryState::NeedsAttention => ("!", "pending", Role::Bad),
        RecoveryState::RolledBack => ("–", "rolled back", Role::Dim),
        RecoveryState::Committed if recovery.undone_by.is_some() => ("↺", "undone", Role::Warn),
        RecoveryState::Committed if recovery.purged => ("·", "purged", Role::Dim),
        RecoveryState::Committed => ("✓", "applied", Role::Good),
    }
}

fn explain(canvas: &mut Canvas<'_>, area: Rect, recovery: &Recovery) {
    let title = Bits::of(Role::Title, recovery.label.clean());
    let inside = inset(canvas.pen.frame(area, &title, false));
    let mut page = TextPage::new(usize::from(inside.width));
    for text in &recovery.trouble {
        page.signed(Role::Bad, "! ", text);
    }
    for left in &recovery.left {
        page.signed(Role::Warn, "! ", &left.text);
    }
    let (_, word, role) = state_of(recovery);
    let started = format::time_full(recovery.started_at);
    let ended = recovery.ended_at.map(format::time_full);
    let ended = ended.unwrap_or_else(|| "not ended".to_owned());
    let text = |label, text: Clean| Fact::new(label, Role::Text, text);
    let mut facts = vec![
        Fact::new("state", role, word),
        text("id", clean!("{}", recovery.id.0)),
        text("pipeline", clean!("{}", recovery.pipeline.0)),
        Fact::file("project", Role::Text, &recovery.root),
        text("when", clean!("{} to {}", started, ended)),
    ];
    if let Some(undoes) = &recovery.undoes {
        facts.push(text("undoes", clean!("{}", undoes.0)));
    }
    if let Some(undone) = &recovery.undone_by {
        facts.push(text("by", clean!("undone by {}", undone.0)));
    }
    if recovery.purged {
        facts.push(Fact::new("backups", Role::Warn, "Deleted; cannot undo."));
    }
    for folder in &recovery.kept_in {
        facts.push(Fact::file("backups in", Role::Text, folder));
    }
    for action in &recovery.actions {
        facts.push(text("action", action.summary.clean()).most(2));
    }
    page.facts(&facts);
    lines(canvas, inside, &page.lines);
}
