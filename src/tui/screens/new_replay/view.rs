//! The form of a new experiment, and what it will cost.

use crate::tui::screens::new_replay::{FormRow, NewReplay, runners};
use crate::tui::screens::replay_plan::cost;
use crate::tui::view::loaded;
use ratatui::layout::{Position, Rect};

use crate::clean;
use crate::model::{Clean, Foreign, ReplayPlan, RunsOn};
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::screens::diff::wrap::window;
use crate::tui::state::field::Field;
use crate::tui::theme::Role;
use crate::tui::view::facts;
use crate::tui::view::list::{self, List};
use crate::tui::view::pen::{Bits, ellipsis};
use crate::tui::view::{Canvas, capped, look, paragraph, split_left, split_top};

/// Width of the labels.
const LABEL: usize = 33;

/// From this width on the cost stands beside the form.
const SIDE: u16 = 130;

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &NewReplay) {
    let Some(plan) = loaded(
        canvas,
        area,
        Some(&screen.plan),
        "Reading the templates and resume points …",
    ) else {
        return;
    };
    let (form, side) = if area.width >= SIDE {
        split_left(area, area.width * 3 / 5)
    } else {
        let lines = summary(screen, plan, usize::from(area.width).saturating_sub(2)).len();
        let below = u16::try_from(lines + 1)
            .unwrap_or(u16::MAX)
            .min(area.height / 2);
        split_top(area, area.height - below)
    };
    rows(canvas, form, screen);
    let lines = summary(screen, plan, usize::from(side.width).saturating_sub(2));
    canvas.pen.rule(Rect::new(side.x, side.y, side.width, 1));
    let head = if screen.ticket.is_some() {
        Bits::of(Role::Accent, look::spinner(canvas.state.beat))
            .say(Role::Dim, " computing what it will cost ")
    } else {
        Bits::of(Role::Title, " What it will cost ")
    };
    let wide = u16::try_from(head.width()).unwrap_or(0).min(side.width);
    canvas
        .pen
        .line(Rect::new(side.x + 1, side.y, wide, 1), &head);
    let (_, below) = split_top(side, 1);
    crate::tui::view::lines(canvas, below, &lines);
}

/// The confounders, what it will cost, and what it can show.
fn summary(screen: &NewReplay, plan: &ReplayPlan, width: usize) -> Vec<Bits> {
    let lead = Bits::new().gap(1);
    if screen.problem.is_some() {
        let text = Clean::new("Unknown until the fields above can be read.");
        return paragraph(&lead, Role::Dim, &text, width);
    }
    let mut lines = facts::lines(&cost(plan), width);
    for note in &plan.notes {
        let lead = Bits::of(Role::Dim, " · ");
        lines.extend(paragraph(&lead, Role::Text, &note.clean(), width));
    }
    lines
}

fn rows(canvas: &mut Canvas<'_>, area: Rect, screen: &NewReplay) {
    let width = usize::from(area.width).saturating_sub(3);
    let label = LABEL.min(width / 2);
    let rows = screen.rows();
    let laid: Vec<(usize, Vec<Bits>)> = rows
        .iter()
        .map(|row| {
            let mut lines: Vec<Bits> = heading(screen, *row).into_iter().collect();
            let lead = lines.len();
            lines.push(form_row(screen, *row, label, width));
            lines.extend(beneath(screen, *row, label, width));
            (lead, lines)
        })
        .collect();
    let lead = |row: usize| laid.get(row).map_or(0, |(lead, _)| *lead);
    let height = |row: usize| laid.get(row).map_or(1, |(_, lines)| lines.len());
    let list = List {
        id: ListId::of::<NewReplay>(),
        len: rows.len(),
        selected: Some(screen.place),
        focus: true,
        height: &height,
        lead: &lead,
    };
    list::rows(canvas, area, &list, &mut |row, line| {
        let line = laid.get(row).and_then(|(_, lines)| lines.get(line));
        line.cloned().unwrap_or_default()
    });
    cursor(canvas, area, screen, (label, width), &lead, &height);
}

/// The line above the first row of a part.
fn heading(screen: &NewReplay, row: FormRow) -> Option<Bits> {
    let (title, note) = match row {
        FormRow::Template(0) => (
            "Templates",
            "  a file for each that is replaced; Tab completes it",
        ),
        FormRow::Blocks => ("Experiment", ""),
        FormRow::From => ("How it runs", ""),
        _ => return None,
    };
    let _ = screen;
    Some(Bits::of(Role::Title, title).say(Role::Dim, note))
}

/// The lines below a row: the completions of its path, or its error.
fn beneath(screen: &NewReplay, row: FormRow, label: usize, width: usize) -> Vec<Bits> {
    if screen.row() == row && screen.candidates.len() > 1 {
        let names = screen.candidates.iter().map(|path| {
            let name = path
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or(path);
            let end = if path.ends_with('/') { "/" } else { "" };
            Clean::new(&format!("{name}{end}"))
        });
        let names: Vec<Clean> = names.collect();
        let text = clean!(
            "{}: {}",
            names.len(),
            format::clean_list(&names, names.len())
        );
        return capped(&Bits::new().gap(label), Role::Dim, &text, width, 2);
    }
    let problem = screen.problem.as_ref();
    let Some(problem) = problem.filter(|one| screen.row_of(one) == row) else {
        return Vec::new();
    };
    // A path that is still being typed is not wrong yet.
    let mut form = screen.clone();
    let typing = form.selected_field().is_some_and(|field| field.open);
    if screen.row() == row && typing {
        return Vec::new();
    }
    let lead = Bits::of(Role::Bad, "  ✗ ");
    let mut lines = paragraph(&lead, Role::Text, &problem.text.clean(), width);
    let hints = problem.hints.iter().map(Foreign::clean);
    lines.extend(hints.flat_map(|hint| paragraph(&Bits::new().gap(4), Role::Dim, &hint, width)));
    lines
}

/// Puts the cursor where a person writes.
fn cursor(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &NewReplay,
    (label, width): (usize, usize),
    lead: &dyn Fn(usize) -> usize,
    height: &dyn Fn(usize) -> usize,
) {
    let mut form = screen.clone();
    let Some(field) = form.selected_field().filter(|field| field.open) else {
        return;
    };
    let first = canvas.map.page_of(ListId::of::<NewReplay>()).first;
    let lines: usize = (first..screen.place).map(height).sum();
    let y = area.y + u16::try_from(lines + lead(screen.place)).unwrap_or(u16::MAX - area.y);
    let column = field.column() - scrolled(field, width.saturating_sub(label));
    let column = u16::try_from(label + 1 + column).unwrap_or(u16::MAX);
    let x = area
        .x
        .saturating_add(column)
        .min(area.right().saturating_sub(1));
    if y < area.bottom() {
        canvas.cursor = Some(Position { x, y });
    }
}

fn form_row(screen: &NewReplay, row: FormRow, label: usize, width: usize) -> Bits {
    let room = width.saturating_sub(label);
    let left = |bits: Bits| bits.pad(label);
    let say = |text: &'static str| left(Bits::of(Role::Text, text));
    let choice = |text: Clean, note: &'static str| {
        Bits::of(Role::Dim, "‹ ")
            .say(Role::Title, text)
            .say(Role::Dim, " ›  ")
            .say(Role::Dim, note)
    };
    let number = |number: usize, note: &'static str| choice(clean!("{}", number), note);
    let word = |text: &'static str, note: &'static str| choice(Clean::new(text), note);
    match row {
        FormRow::Template(place) => {
            let Some(one) = screen.templates.get(place) else {
                return Bits::new();
            };
            let name = if one.original.is_empty() {
                Bits::of(Role::Text, "another: ORIGINAL=REPLACEMENT")
            } else {
                let times = clean!("  ×{}", one.dispatches);
                let name = one.original.clean();
                let name = ellipsis(&name, label.saturating_sub(times.width() + 1));
                Bits::of(Role::Text, name).say(Role::Dim, times)
            };
            left(name).join(written(&one.field, "keep", room))
        }
        FormRow::Blocks => {
            let note = match screen.blocks {
                1 => "a single look: nothing is judged",
                2..=5 => "too few for a verdict",
                _ if !screen.control => "runs",
                _ => "each a control run and a mutated run",
            };
            say("blocks").join(number(screen.blocks, note))
        }
        FormRow::Control => say("arms").join(if screen.control {
            word("control and mutated", "")
        } else {
            word("mutated alone", "nothing is judged")
        }),
        FormRow::Metric => say("decided by").join(metric(screen, room)),
        FormRow::On => say("runs on").join(match (screen.on, screen.no_slurm()) {
            (RunsOn::Slurm, _) => word("slurm", "each run is a job of the cluster"),
            (RunsOn::Local, None) => word("local", "this machine"),
            (RunsOn::Local, Some(why)) => {
                Bits::of(Role::Title, "local").say(Role::Dim, clean!("  no cluster here: {}", why))
            }
        }),
        FormRow::Parallel => say("runs side by side").join(number(screen.parallel, "")),
        FormRow::All => say("stops").join(if screen.all {
            word("after every block", "whatever the verdict")
        } else {
            word("early", "on a verdict, or when none can be reached")
        }),
        FormRow::Fresh => say("earlier experiments").join(if screen.fresh {
            word("left out", "the evidence starts again")
        } else {
            word("counted", "if they asked the same question")
        }),
        FormRow::From => say("from").join(choice(from(screen), "")),
        FormRow::Jobs => say("dispatches side by side").join(number(screen.jobs, "within a wave")),
        FormRow::Runner => say("runner").join(choice(runner(screen), "")),
        FormRow::Folder => {
            say("templates in").join(written(&screen.folder, "the installed plugin", room))
        }
        FormRow::Pin => say("templates pinned to").join(written(&screen.pin, "no commit", room)),
        FormRow::Go => Bits::of(Role::Key, "p")
            .say(Role::Title, " shows the plan")
            .say(Role::Dim, "  nothing is written and nothing runs"),
    }
}

fn metric(screen: &NewReplay, room: usize) -> Bits {
    let (name, note) = match screen.metric() {
        None => (Clean::new("the outcome of the run"), Clean::empty()),
        Some(metric) => {
            let better = if metric.lower_is_better {
                "lower"
            } else {
                "higher"
            };
            let command = metric.command.join(" ");
            let note = clean!("{} is better: {}", better, command.as_str());
            (Clean::new(&metric.name), note)
        }
    };
    let bits = Bits::of(Role::Dim, "‹ ")
        .say(Role::Title, name)
        .say(Role::Dim, " ›  ");
    let left = room.saturating_sub(bits.width());
    bits.say(Role::Dim, ellipsis(&note, left))
}

fn from(screen: &NewReplay) -> Clean {
    let Some(start) = screen.start() else {
        return Clean::new("the point before the first affected dispatch");
    };
    let number = format::count(start.redo.len(), "dispatch");
    match &start.unusable {
        Some(why) => clean!("{}: {} (not usable: {})", start.point.0, number, why),
        None => clean!("{}: {}, {}", start.point.0, start.label, number),
    }
}

fn runner(screen: &NewReplay) -> Clean {
    match runners().get(screen.runner) {
        None | Some(&"configured") => Clean::new("the configured one"),
        Some(&"none") => Clean::new("none: write the files, run them by hand"),
        Some(&"stub") => Clean::new("stub runner: no agent, synthetic answers"),
        Some(name) => Clean::new(name),
    }
}

/// Cells of a long text that are scrolled away, so that the cursor is seen.
fn scrolled(field: &Field, room: usize) -> usize {
    (field.column() + 1).saturating_sub(room)
}

/// What was written; of a long text the part around the cursor while it is open, else its end.
fn written(field: &Field, empty: &'static str, room: usize) -> Bits {
    let text = Clean::new(field.text());
    if field.open {
        let (blanks, part) = window(&text, scrolled(field, room), room);
        return Bits::new()
            .gap(blanks)
            .say(Role::Title, text.part(part))
            .say(Role::Dim, "▏");
    }
    if field.is_empty() {
        return Bits::of(Role::Dim, empty);
    }
    Bits::of(Role::Accent, text.clip_start(room))
}
