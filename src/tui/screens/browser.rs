//! The list of pipelines, always at the bottom of the stack, with a preview of the selected one.

mod counts;
mod empty;
mod marks;
mod preview;
mod state;
mod update;

use crate::model::{CONSOLE_DEFAULT, Group, LIST_COLUMNS, list_widths};
use crate::tui::prelude::*;

pub(crate) use preview::branch;
pub(crate) use state::{Browser, Row, ShownRow};
pub(crate) use update::{changed, look, sort_by};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Pipelines");

commands! {
    Sort, Reverse, Group, Scope, View, Hide, ShowHidden, Checks, Complete,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "open", CONTEXT, ["enter"], "open", "Open the selected pipeline. Nothing is written.", cli "relight show PIPELINE", foot 1),
    row!(Points => "points", CONTEXT, ["r"], "resume points", "Show the points from which the selected pipeline can resume.", cli "relight points PIPELINE", foot 2),
    row!(Plan => "plan", CONTEXT, ["p"], "plan", "Show what a resume at the recommended point would do. Nothing is written.", cli "relight plan PIPELINE"),
    row!(Filter => "filter", CONTEXT, ["/"], "filter", "Filter all columns; !word excludes rows that contain the word.", foot 3),
    row!(NextHit => "next-hit", CONTEXT, ["n"], "next hit", "Go to the next row that matches the filter; wrap around at the end."),
    row!(PrevHit => "previous-hit", CONTEXT, ["N"], "previous hit", "Go to the previous row that matches the filter; wrap around at the start."),
    row!(NextWarning => "next-waiting", CONTEXT, ["w"], "next waiting", "Go to the next pipeline that waits for a person; wrap around at the end."),
    row!(PrevWarning => "previous-waiting", CONTEXT, ["W"], "previous waiting", "Go to the previous pipeline that waits for a person; wrap around at the start."),
    row!(Scope => "scope", CONTEXT, ["a"], "scope", "Change the scope: this directory, the repository, the machine.", cli "relight list --scope machine", foot 4),
    row!(Complete => "complete", CONTEXT, ["c"], "complete", "Show or hide complete pipelines.", cli "relight list --all", foot 5),
    row!(Sort => "sort", CONTEXT, ["s"], "sort", "Sort by the next column; the message names it.", foot 8),
    row!(Reverse => "reverse", CONTEXT, ["S"], "reverse", "Reverse the order."),
    row!(Recoveries => "recoveries", CONTEXT, ["R"], "history", "List the recoveries, newest first, to undo or inspect them.", cli "relight history", foot 7),
    row!(Replays => "replays", CONTEXT, ["V"], "replays", "List the replays of the selected pipeline, or start a new one.", cli "relight compare PIPELINE", foot 6),
    row!(View => "view", CONTEXT, ["v"], "view", "Show the next saved view of the configuration; after the last one, none.", cli "relight list --view NAME"),
    row!(Include => "mark-row", CONTEXT, ["space"], "mark", "Mark the row for C (verify), e (export), y (copy the ids) and X (hide), or remove the mark."),
    row!(Checks => "verify-rows", CONTEXT, ["C"], "verify", "Verify the marked pipelines, else the selected one, and list what did not pass, the worst first.", cli "relight verify PIPELINES", foot 0),
    row!(Export => "export-rows", CONTEXT, ["e"], "export", "Write the reports and results of the marked pipelines, else of the selected one, to a directory that you name.", cli "relight export --report PIPELINES DIR", foot 0),
    row!(Hide => "hide", CONTEXT, ["X"], "hide", "Hide the marked rows, else the selected one, until the console ends; for what is not a pipeline, it copies the line that makes the configuration ignore them.", foot 0),
    row!(ShowHidden => "show-hidden", CONTEXT, ["x"], "show hidden", "Show the hidden rows, or hide them again. To bring one back, hide it once more."),
    row!(Group => "group", CONTEXT, ["b"], "group", "Group by nothing, status, system or project."),
];

/// The screen of [`State::browser`].
#[derive(Debug)]
pub(crate) struct BrowserScreen;

/// The least width of the preview where it is beside the list.
const SIDE: usize = 56;

/// Cells of the path of a project in the heading of its group.
const HEADING: usize = 60;

/// Rows around those of the list: its headings and what is hidden.
const AROUND: usize = 2;

/// Columns of the frame of the list: the selection and the scrollbar.
const FRAME: usize = 2;

impl Screen for BrowserScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("pipelines", CONTEXT).runs(update::run)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        if canvas.state.browser.ids.is_empty() {
            return empty::draw(canvas, area);
        }
        // The preview goes to the side only where it takes nothing from the list.
        let whole = widths(&canvas.state.browser, usize::MAX / 2);
        let shown = whole.iter().filter(|width| **width > 0);
        let whole = shown.map(|width| width + 1).sum::<usize>() + FRAME;
        if usize::from(area.width) >= whole + SIDE {
            let (left, right) = split_left(area, u16::try_from(whole).unwrap_or(area.width));
            table(canvas, left);
            return preview::draw(canvas, right, true, usize::MAX);
        }
        let least = match area.height {
            45.. => 14,
            30.. => 12,
            16.. => 8,
            // The list comes first.
            _ => 5,
        };
        // Blank rows of a short list go to the card. A filter does not change it.
        let shown = canvas.state.browser.shown.iter();
        let headings = shown.filter(|row| row.heading.is_some()).count();
        let rows = canvas.state.browser.rows.len() + headings + AROUND;
        let blank = usize::from(area.height).saturating_sub(rows).min(20);
        let card = u16::try_from(blank).unwrap_or(0).max(least);
        let (above, below) = split_top(area, area.height.saturating_sub(card));
        table(canvas, above);
        let cells = widths(&canvas.state.browser, usize::from(area.width));
        let cells = cells.get(ListKey::Project as usize).copied();
        preview::draw(canvas, below, card >= 20, cells.unwrap_or(0));
    }

    fn subject(&self, state: &State) -> Option<PipelineId> {
        state.browser.selected().map(|row| row.pipeline.id.clone())
    }

    fn offers(&self, state: &State, cmd: Cmd) -> bool {
        // What is done with several rows is offered once some are marked.
        let several = matches!(cmd, Cmd::Checks | Cmd::Export | Cmd::Hide);
        let one = matches!(cmd, Cmd::Enter | Cmd::Points | Cmd::Plan | Cmd::Replays);
        !(several && state.browser.marked.is_empty() || one && state.browser.ids.is_empty())
    }

    fn position(&self, state: &State) -> Position {
        state.browser.cursor.position(&state.browser.ids)
    }

    fn go(&mut self, to: usize, state: &mut State) {
        let browser = &mut state.browser;
        browser.chosen = true;
        browser.cursor.go(&browser.ids, to);
    }

    fn copyable(&self, state: &State) -> Result<Clean, &'static str> {
        let ids = state.browser.chosen_ids();
        let ids: Vec<&str> = ids.iter().map(|id| id.0.as_str()).collect();
        if ids.is_empty() {
            return Err(state.browser.none_chosen());
        }
        Ok(Clean::new(&ids.join(" ")))
    }

    fn origin(&self, state: &State) -> Option<Origin> {
        let row = state.browser.selected()?;
        row.pipeline.reading.state_files.first().map(Origin::file)
    }

    fn field_changed(&self) -> Follow {
        |state| {
            state.browser.filtered();
        }
    }

    fn typing_keys(&self) -> Option<&'static [(&'static str, &'static str)]> {
        Some(&[
            ("Enter", "keep the filter"),
            ("↑ ↓", "choose"),
            ("Esc", "clear it"),
        ])
    }
}

/// Cells of the progress with a bar before its numbers; 0 where nothing says any.
fn with_bar(browser: &Browser) -> usize {
    let own = browser.widest.get(ListKey::Done as usize);
    own.filter(|own| **own > 0).map_or(0, |own| own + 5)
}

/// The widths of the columns in a list of this width.
fn widths(browser: &Browser, width: usize) -> [usize; LIST_COLUMNS.len()] {
    let content = |key: ListKey| {
        let place = key as usize;
        let own = browser.widest.get(place).copied().unwrap_or(0);
        let heading = LIST_COLUMNS.get(place).map_or(0, |one| one.heading.len());
        let cell = match key {
            // A sign and a blank before the word, and a mark after it; and the mark of a person before all.
            ListKey::Status => own + 3 + usize::from(browser.has_signs()),
            ListKey::Check => "… skipped".chars().count(),
            ListKey::Age => heading,
            _ if own == 0 => return 0,
            _ => own,
        };
        // The arrow of the column that the rows are sorted by.
        cell.max(heading + 1)
    };
    let room = width.saturating_sub(FRAME);
    list_widths(CONSOLE_DEFAULT, &content, with_bar(browser), room, 1)
}

fn table(canvas: &mut Canvas<'_>, area: Rect) {
    let state = canvas.state;
    let browser = &state.browser;
    let widths = widths(browser, usize::from(area.width));
    let width = |key: ListKey| widths.get(key as usize).copied().unwrap_or(0);
    let keys = CONSOLE_DEFAULT.iter().filter(|key| width(**key) > 0);
    let keys: Vec<ListKey> = keys.copied().collect();
    let column = |key: &ListKey| {
        let of = LIST_COLUMNS.get(*key as usize)?;
        let column = Column::cells(of.heading, width(*key));
        let column = if of.right { column.right() } else { column };
        let column = column.sorts(*key);
        let sorted = *key == browser.sort && !browser.is_ranked();
        Some(if sorted {
            column.sorted(browser.reverse)
        } else {
            column
        })
    };
    let columns: Vec<Column> = keys.iter().filter_map(column).collect();
    let order = browser.order_words(|key| width(key) > 0);
    let said = counts::lines(
        canvas,
        order.as_ref(),
        usize::from(area.width).saturating_sub(1),
    );
    let below = u16::try_from(said.len()).unwrap_or(1);
    let (body, note) = split_top(area, area.height.saturating_sub(below));
    let (len, selected) = browser.cursor.extent(&browser.ids);
    let list = List::new(ListId::of::<BrowserScreen>(), len, selected);
    let table = Table {
        above: &|row| {
            let shown = browser.shown.get(row)?;
            let (name, number) = shown.heading.as_ref()?;
            let root = &browser.rows.get(shown.row)?.pipeline.reading.root;
            let short = match browser.group {
                Group::Project => format::shorten_path(root, HEADING),
                Group::Nothing | Group::Status | Group::System => name.clone(),
            };
            let line = Bits::of(Role::Dim, "── ").title(short).aloud(name.clone());
            Some(line.title(clean!(" ({})", number)).dim(" ──"))
        },
        ..Table::new(list, &columns)
    };
    table::draw(canvas, body, &table, &|place| {
        let shown = browser.shown.get(place);
        let row = shown.and_then(|shown| Some((browser.rows.get(shown.row)?, shown)));
        let Some((row, shown)) = row else {
            return Vec::new();
        };
        if let Some(number) = &shown.folded {
            let folded = Bits::of(Role::Dim, clean!("▸ {} folded  ", number));
            let folded = folded.aloud(clean!("{} folded  ", number));
            return vec![folded.key(state.key(Cmd::Enter))];
        }
        let bar = width(ListKey::Done) >= with_bar(browser);
        let cell = |key: &ListKey| cell(state.now, (row, shown), (*key, width(*key)), bar);
        let cells = keys.iter().map(cell);
        let mut cells: Vec<Bits> = cells.collect();
        let (sign, aloud) = if browser.marked.contains(&row.pipeline.id) {
            ("*", "marked, ")
        } else if browser.is_put_away(row) {
            ("-", "hidden, ")
        } else {
            ("", "")
        };
        if let Some(first) = cells.first_mut() {
            let sign = Bits::of(Role::Accent, sign).aloud(aloud);
            *first = sign.join(std::mem::take(first));
        }
        cells
    });
    canvas.lines(indented(note), &said);
}

fn cell(
    now: DateTime<FixedOffset>,
    (row, shown): (&Row, &ShownRow),
    (key, width): (ListKey, usize),
    bar: bool,
) -> Bits {
    let pipeline = &row.pipeline;
    let hits = shown.hits.of(key);
    let lit = |role| Bits::new().lit(role, row.cell(key, now), hits);
    match key {
        ListKey::Status => {
            let (sign, role) = look::status(pipeline.standing.status);
            let mut badges = pipeline.reading.badges.iter();
            let alarm = badges.any(|badge| badge.is_alarming());
            let status = Bits::of(role, sign).gap(1).join(lit(role));
            status.warn(if alarm { "!" } else { "" })
        }
        ListKey::Check => match row.checks {
            Some(checks) => {
                let (sign, role) = look::verdict(checks.worst);
                Bits::of(role, sign).gap(1).join(lit(role))
            }
            None => Bits::of(Role::Dim, "…"),
        },
        ListKey::Flags if hits.is_empty() => look::badges(pipeline),
        ListKey::Project => Bits::new().lit_ends(Role::Text, row.cell(key, now), hits, width),
        ListKey::Done if bar => look::bar(pipeline.reading.progress, 4)
            .gap(1)
            .join(lit(Role::Text)),
        ListKey::Age | ListKey::Stopped | ListKey::Branch | ListKey::Flags => lit(Role::Dim),
        _ => lit(Role::Text),
    }
}
