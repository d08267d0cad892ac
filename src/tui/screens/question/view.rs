//! A question before anything is written. What it is about may scroll; the prompt and its keys stay.

use std::ops::Range;

use ratatui::layout::{Position, Rect};

use super::{plan as confirm, replay as trials};
use crate::clean;
use crate::model::{Clean, Recovery};
use crate::text::format;
use crate::tui::geometry::{ListId, Target};
use crate::tui::screens::question::{Answer, Ask, Question};
use crate::tui::state::State;
use crate::tui::theme::Role;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, inset, lines, list, split_top};

/// Draws the dialog.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, question: &Question) {
    let width = canvas.at_most(area, 100);
    let room = usize::from(width).saturating_sub(5);
    let most = usize::from(area.height).saturating_sub(2 + 2);
    let mut page = TextPage::new(room);
    let (mut head, mut names) = (Vec::new(), 0..0);
    if let Ask::Apply {
        plan,
        command,
        kept_in,
        ..
    } = &question.ask
    {
        head = confirm::head(canvas.state, plan, room);
        (page.lines, names) = confirm::lines(plan, command.as_ref(), kept_in.as_deref(), room);
    } else {
        explain(canvas.state, &question.ask, &mut page);
    }
    let (title, _) = words(&question.ask);
    let height = (head.len() + page.lines.len()).min(most) + 4;
    let place = canvas.centred(area, width, u16::try_from(height).unwrap_or(u16::MAX));
    canvas.pen.clear(place);
    let inside = canvas.pen.frame(place, &Bits::of(Role::Title, title), true);
    let inside = inset(inside);
    canvas
        .map
        .spot(place, Target::List(ListId::of::<Question>()));
    let (body, below) = split_top(inside, inside.height.saturating_sub(2));
    let (top, body) = split_top(body, u16::try_from(head.len()).unwrap_or(u16::MAX));
    lines(canvas, top, &head);
    said(canvas, body, question.scrolled, &page.lines, &names);
    canvas.pen.rule(Rect::new(below.x, below.y, below.width, 1));
    let (_, last) = split_top(below, 1);
    prompt(canvas, last, question);
}

/// The text. If it is too long, its end is shown first, because the worst is last, and a separate line says how much is
/// above, and how many of the `names` of replaced files.
fn said(canvas: &mut Canvas<'_>, area: Rect, scrolled: usize, all: &[Bits], names: &Range<usize>) {
    let height = usize::from(area.height);
    if all.len() <= height {
        return lines(canvas, area, all);
    }
    let (mark, body) = split_top(area, 1);
    let last = all.len().saturating_sub(usize::from(body.height));
    let first = last.saturating_sub(scrolled);
    lines(canvas, body, all.get(first..).unwrap_or_default());
    let end = first + usize::from(body.height);
    let beside = Rect::new(body.x, body.y, body.width + 1, body.height);
    list::scrollbar(canvas, beside, all.len(), first..end, &|_| None, None);
    let hidden = names.len() - names.clone().filter(|at| (first..end).contains(at)).count();
    let mut bits = Bits::of(
        Role::Key,
        clean!("↑ {} above", format::count(first, "line")),
    );
    if hidden > 0 {
        let of = format::count(names.len(), "replaced item");
        bits = bits.say(Role::Warn, clean!("   {} of {} not shown", hidden, of));
    }
    canvas
        .pen
        .line(mark, &bits.say(Role::Dim, "   Up and Down scroll"));
}

/// The title, and what a yes does.
fn words(ask: &Ask) -> (&'static str, &'static str) {
    match ask {
        Ask::Apply { plan, .. } => (confirm::title(plan), "apply"),
        Ask::Stopped { .. } => ("Is it still running?", "continue"),
        Ask::Accept { .. } => ("Continue anyway?", "continue"),
        Ask::Reason => ("Why resume at this point?", "add it"),
        Ask::Branch { .. } => ("On which branch did it run?", "continue"),
        Ask::Purge(_) => ("Delete the backups?", "delete the backups"),
        Ask::Export(_) => ("Copy the backups", "copy"),
        Ask::ExportReports(_) => ("Export the pipelines", "export"),
        Ask::Launch(..) => ("Launch the orchestrator here?", "launch"),
        Ask::Replay { .. } => ("Run the replay?", "run"),
        Ask::Continue(_) => ("Continue the replay?", "continue"),
        Ask::PurgeReplay(_) => ("Delete the replay?", "delete it"),
        Ask::StopReplay => ("Stop the replay?", "stop"),
        Ask::Leave => ("A replay is running. Stop it and quit?", "stop and quit"),
    }
}

/// What a no means.
fn no(ask: &Ask) -> &'static str {
    match ask {
        Ask::StopReplay | Ask::Leave => " no: keep running",
        _ => " no: nothing is written",
    }
}

/// The prompt, with the keys that answer it.
fn prompt(canvas: &mut Canvas<'_>, area: Rect, question: &Question) {
    let (_, verb) = words(&question.ask);
    let bits = match question.answer {
        Answer::Key => {
            let bits = Bits::of(Role::Key, "y")
                .gap(1)
                .say(Role::Text, verb)
                .gap(4)
                .say(Role::Key, "n Esc Enter")
                .say(Role::Text, no(&question.ask));
            canvas.pen.line(area, &bits);
            return;
        }
        Answer::Word(word) => Bits::of(Role::Text, "Type ")
            .say(Role::Key, word)
            .say(Role::Text, " and press Enter: "),
        Answer::Text => match &question.ask {
            Ask::Export(_) | Ask::ExportReports(_) => Bits::of(Role::Text, "Directory: "),
            Ask::Reason => Bits::of(Role::Text, "Reason: "),
            _ => Bits::of(Role::Text, "Branch: "),
        },
    };
    let start = u16::try_from(bits.width()).unwrap_or(0);
    let column = u16::try_from(question.field.column()).unwrap_or(u16::MAX);
    let typed = Bits::of(Role::Title, Clean::new(question.field.text()));
    let long = Bits::of(Role::Key, "Esc").say(Role::Dim, " or anything else: no");
    let short = Bits::of(Role::Key, "Esc").say(Role::Dim, " no");
    // What is typed needs its room.
    let needed = match question.answer {
        Answer::Key => 0,
        Answer::Word(word) => word.len() + 2,
        Answer::Text => 30,
    };
    let tight = usize::from(area.width) < usize::from(start) + long.width() + 3 + needed;
    let hint = if tight { short } else { long };
    let room = usize::from(area.width).saturating_sub(usize::from(start) + hint.width() + 3);
    let line = bits.join(typed.pad(room)).gap(3).join(hint);
    canvas.pen.line(area, &line);
    canvas.cursor = Some(Position {
        x: area
            .x
            .saturating_add(start)
            .saturating_add(column)
            .min(area.right().saturating_sub(1)),
        y: area.y,
    });
}

/// What a person should know before the answer.
fn explain(state: &State, ask: &Ask, page: &mut TextPage) {
    match ask {
        // A plan is explained by its own lines.
        Ask::Apply { .. } => {}
        Ask::Stopped { evidence } => {
            for text in evidence {
                page.signed(Role::Warn, "? ", text.clone());
            }
            page.blank();
            page.text(
                "relight cannot tell whether it is still running. Check the terminal it ran in. If it has stopped, type \
                 the words below; the answer is recorded with the plan.",
            );
        }
        Ask::Accept { question, .. } => {
            page.signed(Role::Warn, "? ", question.clone());
            page.blank();
            page.text("The answer is recorded with the recovery.");
        }
        Ask::Reason => page.text(
            "The reason is recorded in the orchestrator's own files and included in the hand-off.",
        ),
        Ask::Branch { seen } => {
            page.signed(Role::Warn, "? ", seen.clone());
            page.blank();
            page.text(
                "Type the branch it ran on. The plan continues only if the work tree is on that branch.",
            );
        }
        Ask::Purge(recoveries) => purge(recoveries, page),
        Ask::Export(recovery) => page.text(clean!(
            "Copies all backups of {} to a directory. Nothing is recovered.",
            recovery.id.0
        )),
        Ask::ExportReports(ids) => {
            let text = clean!(
                "Writes what show, verify and points report of {}, as JSON, and the results of runs that have some. Each \
                 pipeline gets a new directory of its own in the one you name; nothing is overwritten.",
                format::count(ids.len(), "pipeline")
            );
            page.text(text);
        }
        Ask::Launch(id, handoff) => {
            page.text(clean!("For {}:", id.0));
            let line = handoff.command_line().unwrap_or_default();
            page.indented(2, Role::Accent, line);
            page.blank();
            page.text("It has the terminal until it ends; then the console returns.");
        }
        Ask::Replay { plan, command, .. } => trials::run(plan, command.as_ref(), page),
        Ask::Continue(one) => trials::go_on(one, page),
        Ask::PurgeReplay(one) => trials::purge(one, page),
        Ask::StopReplay => trials::stop(state, false, page),
        Ask::Leave => trials::stop(state, true, page),
    }
}

fn purge(recoveries: &[Recovery], page: &mut TextPage) {
    for recovery in recoveries {
        let (id, pipeline) = (&recovery.id.0, &recovery.pipeline.0);
        let text = clean!("{}  {} of {}", id, recovery.label, pipeline);
        page.indented(2, Role::Text, text);
        for folder in &recovery.kept_in {
            page.indented(4, Role::Dim, clean!("{}", folder));
        }
    }
    let bytes: u64 = recoveries.iter().map(|recovery| recovery.kept_bytes).sum();
    page.blank();
    let text = clean!(
        "{} ({} bytes) will be deleted. The recovery cannot be undone afterwards.",
        format::size(bytes),
        bytes
    );
    page.signed(Role::Bad, "! ", text);
}
