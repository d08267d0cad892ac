//! The line below the list: how many rows there are, and what is not shown with the key that shows it.

use crate::tui::prelude::*;

/// The counts in a line; where that has no room for them, briefly and in two. None of them is ever cut.
pub(super) fn lines(canvas: &Canvas<'_>, order: Option<&Clean>, width: usize) -> Vec<Bits> {
    let line = |parts: Vec<Bits>| {
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |line, part| line.dim("   ").join(part))
    };
    let whole = counts(canvas.state, order, false);
    if canvas.pen.speaks() {
        return whole;
    }
    let whole = line(whole);
    if whole.width() <= width {
        return vec![whole];
    }
    let mut above = counts(canvas.state, order, true);
    let mut below = Vec::new();
    while above.len() > 1 && line(above.clone()).width() > width {
        below.extend(above.pop());
    }
    below.reverse();
    let lines = [above, below].map(line);
    lines.into_iter().filter(|line| line.width() > 0).collect()
}

fn counts(state: &State, order: Option<&Clean>, brief: bool) -> Vec<Bits> {
    let browser = &state.browser;
    let all = browser.rows.len();
    let bits = match browser.passing() {
        shown if shown < all => {
            let text = clean!("{} of {}", shown, all);
            let aloud = clean!("pipelines: {}", text);
            Bits::of(Role::Text, text).aloud(aloud)
        }
        _ => Bits::of(Role::Text, format::count(all, "pipeline")),
    };
    let mut out = vec![bits.dim(order.cloned().unwrap_or_default())];
    let hidden = |text: Clean, cmd| Bits::of(Role::Dim, text).gap(1).key(state.key(cmd));
    // A problem comes first.
    let unread = browser.skipped.iter().filter(|one| one.unread).count();
    if unread > 0 {
        let paths = format::count(unread, "path");
        let bits = Bits::of(Role::Warn, clean!("{} cannot be read ", paths));
        out.push(bits.key(state.key(Cmd::Log)));
    }
    let scope = browser.scope.or(browser.request.scope);
    if let Some(scope) = scope {
        out.push(Bits::of(Role::Dim, "scope ").text(scope.word()));
    }
    if browser.hidden_complete > 0 {
        let text = clean!("+{} complete", browser.hidden_complete);
        out.push(hidden(text, Cmd::Complete));
    }
    let away = browser.rows.iter().filter(|row| browser.is_put_away(row));
    if let away @ 1.. = away.count() {
        let shown = if browser.show_put_away { " shown" } else { "" };
        out.push(hidden(clean!("{} hidden{}", away, shown), Cmd::ShowHidden));
    }
    if let Some(outside) = &browser.elsewhere {
        let of = if brief {
            "outside"
        } else {
            "outside the scope"
        };
        out.push(hidden(clean!("+{} {}", outside, of), Cmd::Scope));
    }
    let skipped = browser.skipped.len() - unread;
    if skipped > 0 {
        let files = format::count(skipped, "file");
        let why = if brief { "" } else { ": not pipelines" };
        out.push(Bits::of(Role::Dim, clean!("{} skipped{}", files, why)));
    }
    if browser.ticket.is_some() {
        out.push(Bits::of(Role::Dim, "searching …"));
    }
    out
}
