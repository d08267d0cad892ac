//! One thing that is done with each of the marked pipelines, in the background, and its results: their checks, or
//! an export of each. The worst pipeline comes first.

mod state;
mod update;

use self::state::BatchRow;
use super::pipeline::check_lines;
use crate::tui::commands::keyed;
use crate::tui::prelude::*;

pub(crate) use state::{BatchScreen, Done, Task};
pub(crate) use update::{ask, export, take, verify};

/// The verdicts, the worst first.
const VERDICTS: [Verdict; 4] = [
    Verdict::Fail,
    Verdict::Warn,
    Verdict::Pass,
    Verdict::Skipped,
];

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Marked pipelines");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "batch-open", CONTEXT, ["enter"], "open", "Open the pipeline of the selected row at its checks.", cli "relight verify PIPELINE", foot 1),
];

/// Cells of a title.
const TITLE: usize = 32;

impl Screen for BatchScreen {
    fn profile(&self) -> Profile<'_> {
        let name = match self.task {
            Task::Verify => "verification",
            Task::Export(_) => "export",
        };
        Profile::screen(name, CONTEXT)
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(update::again)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let (head, body) = split_top(area, 1);
        let so_far = so_far(self, canvas.state.beat);
        canvas.pen.line(indented(head), &so_far);
        let (_, body) = split_top(body, 1);
        let width = usize::from(body.width).saturating_sub(3);
        let rows = self.rows();
        let title = if canvas.pen.speaks() {
            usize::MAX
        } else {
            TITLE
        };
        let failed = failed(&self.task);
        let marks = rows.iter().enumerate();
        let marks = marks.filter_map(|(place, row)| Some((place, problem(row)?)));
        let marks = Marks::of(marks);
        let lead = |row: usize| {
            let row = rows.get(row);
            usize::from(row.is_some_and(|row| row.first && row.check.is_some()))
        };
        let selected = self.cursor.place(&self.keys());
        let list = List {
            lead: &lead,
            marks: Some(&marks),
            ..List::new(ListId::of::<Self>(), rows.len(), selected)
        };
        let state = canvas.state;
        list::laid(canvas, body, list, &|row| {
            let row = rows.get(row);
            row.map_or_else(Vec::new, |row| lines(state, row, (width, title), failed))
        });
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        self.selected().map(|row| row.item.id.clone())
    }

    fn names_subject(&self) -> bool {
        false
    }

    fn position(&self, _: &State) -> Position {
        self.cursor.position(&self.keys())
    }

    fn go(&mut self, to: usize, _: &mut State) {
        let keys = self.keys();
        self.chosen = true;
        self.cursor.go(&keys, to);
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        match (&self.task, self.selected()) {
            (Task::Export(dir), _) => Ok(clean!("{}", dir)),
            (Task::Verify, Some(row)) => Ok(clean!("{}", row.item.id.0)),
            (Task::Verify, None) => Err(NOTHING),
        }
    }

    fn origin(&self, state: &State) -> Option<Origin> {
        let pipeline = state.browser.pipeline(&self.selected()?.item.id)?;
        pipeline.reading.state_files.first().map(Origin::file)
    }

    fn parting(&self, _: &State) -> Option<Clean> {
        let left = self.waiting();
        let exports = matches!(self.task, Task::Export(_)) && left > 0;
        exports.then(|| clean!("Stopped: {} of {} not exported.", left, self.items.len()))
    }
}

/// The progress and the results.
fn so_far(screen: &BatchScreen, beat: usize) -> Bits {
    let (all, waiting) = (screen.items.len(), screen.waiting());
    let mut bits = Bits::new();
    if waiting > 0 {
        bits = bits.accent(look::spinner(beat)).gap(1);
    }
    let number = format::count(all, "pipeline");
    let done = match waiting {
        0 => clean!("{}", number),
        _ => clean!("{} of {}", all - waiting, number),
    };
    match &screen.task {
        Task::Verify => {
            bits = bits.text(clean!("{} verified", done));
            for verdict in VERDICTS {
                let count = screen.count(verdict);
                if count > 0 {
                    let (sign, role) = look::verdict(verdict);
                    let text = clean!("{} {}", count, verdict.word());
                    bits = bits.gap(3).say(role, sign).gap(1).text(text);
                }
            }
        }
        Task::Export(dir) => {
            let exported = screen.count(Verdict::Pass);
            let text = clean!("{} of {} exported to ", exported, number);
            let dir_text = clean!("{}", dir);
            bits = bits.text(text);
            bits = bits.file(Role::Text, dir_text, &dir.as_path().into());
        }
    }
    match screen.failed() {
        0 => bits,
        count => {
            let text = clean!("{} {}", count, failed(&screen.task));
            bits.gap(3).bad("✗ ").text(text)
        }
    }
}

/// What a pipeline is that has no result.
fn failed(task: &Task) -> &'static str {
    match task {
        Task::Verify => "not read",
        Task::Export(_) => "refused",
    }
}

fn problem(row: &BatchRow<'_>) -> Option<RowMark> {
    match (row.check.map(|check| check.verdict), &row.item.result) {
        (Some(Verdict::Fail), _) | (None, Load::Failed(_)) => Some(RowMark::Error),
        (Some(Verdict::Warn), _) => Some(RowMark::Warning),
        _ => None,
    }
}

/// The lines of a row.
fn lines(
    state: &State,
    row: &BatchRow<'_>,
    (width, title): (usize, usize),
    failed: &'static str,
) -> Vec<Bits> {
    let head = |sign: (&'static str, Role), said: Clean| {
        let known = state.browser.pipeline(&row.item.id);
        let named = known.map_or_else(Clean::empty, |known| known.reading.title.clean());
        let lead = Bits::of(sign.1, sign.0).gap(1);
        let lead = lead.title(ellipsis(&named, title)).aloud(named).gap(2);
        let lead = lead.text(said).gap(2);
        // Ids of the same title differ at their ends.
        let room = width.saturating_sub(lead.width());
        lead.ending(Role::Dim, clean!("{}", row.item.id.0), room)
    };
    match (row.check, &row.item.result) {
        (Some(check), Load::Ready(done)) => {
            let mut lines = Vec::new();
            if row.first {
                let worst = look::verdict(check.verdict);
                lines.push(head(worst, sum(done)));
            }
            let shown = check_lines(check, width.saturating_sub(2), (&state.keymap, CONTEXT));
            lines.extend(shown.into_iter().map(|line| Bits::new().gap(2).join(line)));
            lines
        }
        (_, Load::Ready(done)) => {
            let mut lines = vec![head(look::verdict(Verdict::Pass), sum(done))];
            if let Done::Exported(exported) = done.as_ref() {
                for gap in &exported.gaps {
                    let lead = Bits::of(Role::Warn, "  ! ");
                    lines.extend(paragraph(&lead, Role::Text, &gap.clean(), width));
                }
            }
            lines
        }
        (_, Load::Pending) => {
            let wait = Clean::new("waiting");
            vec![head(("·", Role::Dim), wait)]
        }
        (_, Load::Failed(error)) => {
            let mut page = TextPage::new(width);
            page.line(head(("✗", Role::Bad), Clean::new(failed)));
            page.indented(2, Role::Text, &error.text);
            for hint in &error.hints {
                let hint = keyed(&state.keymap, &hint.clean(), CONTEXT);
                page.led(&Bits::of(Role::Accent, "  → "), Role::Text, hint);
            }
            page.lines
        }
    }
}

/// The result of a pipeline, in a few words.
fn sum(done: &Done) -> Clean {
    match done {
        Done::Exported(exported) => clean!("{}", format::count(exported.files.len(), "file")),
        Done::Verified(checks) => {
            let number = |of: Verdict| checks.iter().filter(|one| one.verdict == of).count();
            let parts = VERDICTS.into_iter().filter(|verdict| number(*verdict) > 0);
            let parts: Vec<String> = parts
                .map(|verdict| format!("{} {}", number(verdict), verdict.word()))
                .collect();
            if parts.is_empty() {
                Clean::new("no checks")
            } else {
                Clean::new(&parts.join(", "))
            }
        }
    }
}
