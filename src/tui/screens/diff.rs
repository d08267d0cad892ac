//! One difference: side by side, one below the other, or as words within lines. Only the lines that are visible are ever
//! made presentable.

mod rows;

use self::wrap::columns;
use crate::diff::fold::Layout;
use crate::diff::{Ending, Kind, Likeness, Side};
use crate::tui::prelude::*;

pub(crate) mod scroll;
mod search;
mod source;
mod state;
pub(crate) mod text;
mod update;
pub(crate) mod wrap;

pub(crate) use source::{DiffSource, has_sides, is_there, path_has_sides};
pub(crate) use state::{DiffScreen, SPLIT_WIDTH};
pub(crate) use update::{go, request};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Difference");

commands! {
    NextFile, PrevFile, NextFold, PrevFold, Swap, Json, Layout, FoldAll, UnfoldAll, LessContext,
    MoreContext, Wrap, Blanks,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(NextHit => "next-change-or-hit", CONTEXT, ["n"], "next", "Go to the next match of a search; without a search, to the next change.", foot 1),
    row!(PrevHit => "previous-change-or-hit", CONTEXT, ["N"], "previous", "Go to the previous match of a search; without a search, to the previous change.", foot 2),
    row!(NextChange => "next-change", CONTEXT, ["."], "next change", "Go to the next change, even during a search."),
    row!(PrevChange => "previous-change", CONTEXT, [","], "previous change", "Go to the previous change, even during a search."),
    row!(NextFile => "next-file", CONTEXT, ["]"], "next file", "Go to the next file, template, dispatch or output of the same list.", foot 4),
    row!(PrevFile => "previous-file", CONTEXT, ["["], "previous file", "Go to the previous one of the same list."),
    row!(Filter => "search", CONTEXT, ["/"], "search", "Search both sides for a text; n and N go to the matches.", foot 3),
    row!(Layout => "layout", CONTEXT, ["|"], "layout", "Switch the layout: side by side, unified, words within lines.", foot 5),
    row!(Enter => "open-fold", CONTEXT, ["enter"], "unfold", "Expand the marked fold; a click expands any fold.", foot 6),
    row!(NextFold => "next-fold", CONTEXT, ["tab"], "next fold", "Go to the next fold of unchanged lines."),
    row!(PrevFold => "previous-fold", CONTEXT, ["shift-tab"], "previous fold", "Go to the previous fold of unchanged lines."),
    row!(FoldAll => "fold", CONTEXT, ["-"], "fold", "Fold the unchanged lines.", foot 7),
    row!(UnfoldAll => "unfold", CONTEXT, ["="], "unfold all", "Show every line."),
    row!(MoreContext => "more-context", CONTEXT, ["}"], "more context", "Show more unchanged lines around each change."),
    row!(LessContext => "less-context", CONTEXT, ["{"], "less context", "Show fewer unchanged lines around each change."),
    row!(Wrap => "wrap", CONTEXT, ["W"], "wrap", "Wrap or truncate long lines; h and l scroll truncated lines."),
    row!(Blanks => "blanks", CONTEXT, ["b"], "whitespace", "Ignore whitespace, or compare it."),
    row!(Swap => "swap", CONTEXT, ["x"], "swap sides", "Swap the sides."),
    row!(Json => "json", CONTEXT, ["i"], "indent", "Show one-line JSON files indented, or as they are."),
];

/// The scrollbar beside the text, which marks where something differs.
pub(crate) const MINIMAP: ListId = ListId::named("minimap");

/// True for the lists of a difference, wherever it is drawn.
pub(crate) fn is_of(list: ListId) -> bool {
    list == ListId::of::<DiffScreen>() || list == MINIMAP
}

impl Screen for DiffScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("difference", CONTEXT)
            .ends_with_plan()
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(update::request)
    }

    fn press(&mut self, list: ListId, row: usize) -> bool {
        if list == MINIMAP {
            self.go_to(row);
        } else {
            self.open_fold(row);
        }
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(ready) = loaded(canvas, area, &self.diff, "Comparing …") else {
            return;
        };
        let (title, diff) = (&ready.0, &ready.1);
        let (head, body) = split_top(area, 3);
        let inside = inset(head);
        let lines = lines(self, &title.clean(), diff, usize::from(inside.width));
        canvas.lines(inside, &lines);
        canvas
            .pen
            .rule(Rect::new(head.x, head.y + 2, head.width, 1));
        let why = unshown(self, diff);
        if why.is_empty() {
            if self.layout == Layout::Split {
                column_heads(canvas, head, self);
            }
            rows::draw(canvas, body, self, diff);
            return;
        }
        let inside = indented(body);
        canvas.lines(inside, &why);
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        match cmd {
            Cmd::NextFile => self.place.1 > 1,
            Cmd::Enter | Cmd::FoldAll => !self.lines.is_empty() && self.folded,
            _ => true,
        }
    }

    fn travel(&mut self, motion: Motion, page: Page, state: &mut State) {
        update::go(self, motion, state.size.0, page.height);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        true_text(&self.diff.ready().ok_or(NOTHING)?.0)
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.search.field)
    }

    fn field_changed(&self) -> Follow {
        |state| {
            if let Some(screen) = state.layers.top_mut::<Self>() {
                screen.find();
            }
        }
    }

    fn filter(&self) -> Option<(&Field, Clean)> {
        let search = &self.search;
        let note = search.field.found(search.hits.len(), search.at, "line");
        Some((&search.field, note))
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        self.search.field.open.then_some(&[
            ("Enter", "keep the search"),
            ("↑ ↓", "scroll"),
            ("Esc", "end it"),
        ])
    }

    fn step_back(&mut self) -> bool {
        self.search.field.clear()
    }
}

/// The names of the sides above their columns.
fn column_heads(canvas: &mut Canvas<'_>, head: Rect, screen: &DiffScreen) {
    let y = head.y + 2;
    let [left, right] = columns(head.width.saturating_sub(2));
    let places = [head.x + 1, head.right().saturating_sub(1 + right)];
    for ((x, name), width) in places.into_iter().zip(screen.sides()).zip([left, right]) {
        let bits = Bits::of(Role::Dim, clean!(" {} ", name.clip(usize::from(width) / 2)));
        let bits = bits.aloud(name);
        let place = Rect::new(x + 2, y, width.saturating_sub(2), 1);
        canvas.pen.line(place, &bits);
    }
}

/// Why there are no lines to show, if there are none.
fn unshown(screen: &DiffScreen, diff: &Diff) -> Vec<Bits> {
    let say = |text| Bits::of(Role::Dim, text);
    if diff.is_same() {
        let alike = diff.old.is_present() == diff.new.is_present();
        let text = match (alike, diff.old.is_present()) {
            (true, true) if diff.forms.change() => {
                "The contents are identical; only the mode or type differs."
            }
            // The owner, or a permission that git does not record.
            (true, true) if screen.source.says_it_changes() => {
                "The contents are identical; only permissions or the owner differ."
            }
            (true, true) => "The contents are identical.",
            (true, false) => "Neither side has a file.",
            (false, _) => "One side is an empty file, the other has no file.",
        };
        let forms = diff.forms.said().map(|forms| Bits::of(Role::Warn, forms));
        return forms.into_iter().chain([say(text)]).collect();
    }
    let why = match diff.kind {
        Kind::Text => return Vec::new(),
        Kind::Binary => say("Binary file: only the sizes are compared."),
        Kind::Huge => say("Too large to compare: only the sizes are shown."),
    };
    let [left, right] = screen.sides();
    let side = |name: Clean, present: bool, size: usize| {
        let size = if present {
            Clean::from(format::count(size, "byte"))
        } else {
            Clean::new("absent")
        };
        Bits::of(Role::Text, clean!("  {}: {}", name, size))
    };
    let [old, new] = diff.sizes;
    vec![
        why,
        side(left, diff.old.is_present(), old),
        side(right, diff.new.is_present(), new),
    ]
}

/// A number of bytes, or that there is no file.
pub(crate) fn size(present: bool, bytes: usize) -> Clean {
    if present {
        format::size(bytes).into()
    } else {
        Clean::new("absent")
    }
}

/// The two lines of the heading.
pub(crate) fn lines(screen: &DiffScreen, title: &Clean, diff: &Diff, width: usize) -> Vec<Bits> {
    let (at, of) = screen.place;
    let noun = screen.source.noun();
    let place = (of > 1).then(|| clean!("   {} {} of {}", noun, at + 1, of));
    let place = place.unwrap_or_default();
    let room = width.saturating_sub(place.width());
    let first = Bits::new()
        .ending(Role::Title, title.clone(), room)
        .dim(place);
    let [left, right] = screen.sides();
    let [old, new] = diff.sizes;
    let mut second = Bits::new();
    if diff.kind == Kind::Text {
        second = statistics(second, screen, diff.stats, diff.coarse);
    }
    for warning in warnings(screen, diff) {
        second = second.text("   ").warn(warning);
    }
    second = second.dim(clean!(
        "   {} {} → {} {}",
        left,
        size(diff.old.is_present(), old),
        right,
        size(diff.new.is_present(), new)
    ));
    for look in looks(screen, diff) {
        second = second.text("   ").dim(look);
    }
    vec![first, second]
}

fn statistics(bits: Bits, screen: &DiffScreen, stats: Stats, coarse: bool) -> Bits {
    let of = screen.changes.len();
    let at = (screen.current + 1).min(of);
    // A comparison that was cut short finds more lines changed than need be.
    let about = if coarse { "~" } else { "" };
    bits.bad(clean!("{}-{}", about, stats.removed))
        .text(" ")
        .good(clean!("{}+{}", about, stats.added))
        .dim(clean!("   change {} of {}", at, of))
}

/// What must be known to read the lines rightly, worst first.
fn warnings(screen: &DiffScreen, diff: &Diff) -> Vec<Clean> {
    let mut out = Vec::new();
    let endings_alone = diff.likeness == Likeness::ButForEndings;
    // The text of a link is where it points.
    let forms = diff.forms.said().filter(|_| !diff.is_same());
    out.extend(forms.map(Clean::from));
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
