//! What is compared, how much of it differs, and how it is being looked at.

use super::view::size;
use crate::clean;
use crate::diff::fold::Layout;
use crate::diff::{Diff, Ending, Kind, Likeness, Side, Stats};
use crate::model::Clean;
use crate::text::format;
use crate::tui::screens::diff::{DiffScreen, SPLIT_WIDTH};
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;

/// The two lines of the heading.
pub(crate) fn lines(screen: &DiffScreen, title: &Clean, diff: &Diff, width: usize) -> Vec<Bits> {
    let (at, of) = screen.place;
    let place = if of > 1 {
        clean!("   {} {} of {}", screen.source.noun(), at + 1, of)
    } else {
        Clean::empty()
    };
    let room = width.saturating_sub(place.width());
    let first = Bits::of(Role::Title, title.clip_start(room)).say(Role::Dim, place);
    let [left, right] = screen.sides();
    let [old, new] = diff.sizes;
    let mut second = Bits::new();
    if diff.kind == Kind::Text {
        second = statistics(second, screen, diff.stats, diff.coarse);
    }
    for warning in warnings(screen, diff) {
        second = second.say(Role::Text, "   ").say(Role::Warn, warning);
    }
    second = second.say(
        Role::Dim,
        clean!(
            "   {} {} → {} {}",
            left,
            size(diff.old.is_present(), old),
            right,
            size(diff.new.is_present(), new)
        ),
    );
    for look in looks(screen, diff) {
        second = second.say(Role::Text, "   ").say(Role::Dim, look);
    }
    vec![first, second]
}

fn statistics(bits: Bits, screen: &DiffScreen, stats: Stats, coarse: bool) -> Bits {
    let of = screen.changes.len();
    let at = (screen.current + 1).min(of);
    // A comparison that was cut short finds more lines changed than need be.
    let about = if coarse { "~" } else { "" };
    bits.say(Role::Bad, clean!("{}-{}", about, stats.removed))
        .say(Role::Text, " ")
        .say(Role::Good, clean!("{}+{}", about, stats.added))
        .say(Role::Dim, clean!("   change {} of {}", at, of))
}

/// What must be known to read the lines rightly, worst first.
fn warnings(screen: &DiffScreen, diff: &Diff) -> Vec<Clean> {
    let mut out = Vec::new();
    let endings_alone = diff.likeness == Likeness::ButForEndings;
    let mut say = |holds: bool, text: &'static str| {
        if holds {
            out.push(Clean::new(text));
        }
    };
    say(diff.coarse, "coarse: too different for a fine comparison");
    say(diff.indented, "indented; the file is one line");
    say(endings_alone, "only line endings differ");
    let nothing_left = diff.stats == Stats::default() && !diff.is_same() && diff.kind == Kind::Text;
    say(
        screen.asked.ignore_blanks && nothing_left && !endings_alone,
        "only whitespace differs",
    );
    say(screen.asked.ignore_blanks, "whitespace ignored");
    say(screen.swapped, "sides swapped");
    if diff.kind == Kind::Text && !diff.indented && !diff.is_same() {
        out.extend(endings(screen, diff));
    }
    out
}

/// A newline that is missing at the end of one side only, or of both.
fn endings(screen: &DiffScreen, diff: &Diff) -> Option<Clean> {
    let torn = |side: &Side| {
        let last = side.len().checked_sub(1);
        last.is_some_and(|last| side.ending(last) == Ending::None)
    };
    let [left, right] = screen.sides();
    match (torn(&diff.old), torn(&diff.new)) {
        (true, false) => Some(clean!("no newline at the end of {}", left)),
        (false, true) => Some(clean!("no newline at the end of {}", right)),
        _ => None,
    }
}

/// How it is being looked at, where that is not as usual.
fn looks(screen: &DiffScreen, diff: &Diff) -> Vec<Clean> {
    let mut out = Vec::new();
    if diff.kind != Kind::Text || diff.is_same() {
        return out;
    }
    match screen.layout {
        Layout::Word => out.push(Clean::new("words")),
        Layout::Unified if screen.width >= SPLIT_WIDTH => out.push(Clean::new("unified")),
        Layout::Split | Layout::Unified => {}
    }
    if screen.wrap {
        out.push(Clean::new("wrapped"));
    } else if screen.pan > 0 {
        let cells = format::count(screen.pan, "column");
        out.push(clean!("scrolled {}", cells));
    }
    if !screen.folded {
        out.push(Clean::new("unfolded"));
    }
    out
}
