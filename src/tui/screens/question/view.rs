//! A question before anything is written. What it is about may scroll; the prompt and its keys stay.

use crate::tui::screens::question::{Answer, Ask, Question};
use crate::tui::view::inset;
use ratatui::layout::{Position, Rect};

use super::{plan as confirm, replay as trials};
use crate::clean;
use crate::model::{Clean, Handoff, PipelineId, Recovery};
use crate::text::format;
use crate::tui::geometry::{ListId, Target};
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, centred, paragraph, split_top};

/// Draws the dialog.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, question: &Question) {
    let width = area.width.min(100);
    let room = usize::from(width).saturating_sub(5);
    let most = usize::from(area.height).saturating_sub(2 + 2);
    let none = Vec::new;
    let (title, head, lines) = match &question.ask {
        Ask::CarryOut {
            plan,
            command,
            kept_in,
            ..
        } => {
            let head = confirm::head(canvas.state, plan, room);
            let left = most.saturating_sub(head.len());
            let kept_in = kept_in.as_deref();
            let lines = confirm::lines(plan, command.as_ref(), kept_in, room, left);
            (confirm::title(plan), head, lines)
        }
        Ask::Stopped { evidence } => ("Is it still running?", none(), stopped(evidence, room)),
        Ask::Accept { question, .. } => ("Continue anyway?", none(), accept(question, room)),
        Ask::Reason => ("Why resume at this point?", none(), reason(room)),
        Ask::Branch { seen } => ("On which branch did it run?", none(), branch(seen, room)),
        Ask::Purge(recoveries) => ("Delete the backups?", none(), purge(recoveries, room)),
        Ask::Export(recovery) => ("Copy the backups", none(), export(recovery, room)),
        Ask::Launch(id, handoff) => (
            "Launch the orchestrator here?",
            none(),
            launch(id, handoff, room),
        ),
        Ask::Replay { plan, command, .. } => {
            let lines = trials::run(plan, command.as_ref(), room);
            ("Run the replay?", none(), lines)
        }
        Ask::Continue(one) => ("Continue the replay?", none(), trials::go_on(one, room)),
        Ask::PurgeReplay(one) => ("Delete the replay?", none(), trials::purge(one, room)),
        Ask::StopReplay => (
            "Stop the replay?",
            none(),
            trials::stop(canvas.state, false, room),
        ),
        Ask::Leave => (
            "A replay is running. Stop it and quit?",
            none(),
            trials::stop(canvas.state, true, room),
        ),
    };
    let height = (head.len() + lines.len()).min(most) + 4;
    let place = centred(area, width, u16::try_from(height).unwrap_or(u16::MAX));
    canvas.pen.clear(place);
    let inside = canvas.pen.frame(place, &Bits::of(Role::Title, title), true);
    let inside = inset(inside);
    canvas
        .map
        .spot(place, Target::List(ListId::of::<Question>()));
    let (body, below) = split_top(inside, inside.height.saturating_sub(2));
    let (top, body) = split_top(body, u16::try_from(head.len()).unwrap_or(u16::MAX));
    crate::tui::view::lines(canvas, top, &head);
    said(canvas, body, question, &lines);
    canvas.pen.rule(Rect::new(below.x, below.y, below.width, 1));
    let (_, last) = split_top(below, 1);
    prompt(canvas, last, question);
}

/// What is said; where it is too long, its end is seen first, for the worst stands there.
fn said(canvas: &mut Canvas<'_>, area: Rect, question: &Question, lines: &[Bits]) {
    let height = usize::from(area.height);
    let above = lines.len().saturating_sub(height);
    let first = above.saturating_sub(question.scroll.top);
    let shown: Vec<Bits> = lines.iter().skip(first).take(height).cloned().collect();
    crate::tui::view::lines(canvas, area, &shown);
    if first > 0 {
        let text = clean!(" ↑ {} above ", format::count(first, "line"));
        let wide = u16::try_from(text.width()).unwrap_or(0).min(area.width);
        let corner = Rect::new(area.right() - wide, area.y, wide, 1);
        canvas.pen.line(corner, &Bits::of(Role::Key, text));
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
    let verb = match &question.ask {
        Ask::CarryOut { .. } => "apply",
        Ask::Launch(..) => "launch",
        Ask::Replay { .. } => "run",
        Ask::StopReplay => "stop",
        Ask::Leave => "stop and quit",
        Ask::Continue(_) | Ask::Stopped { .. } | Ask::Branch { .. } | Ask::Accept { .. } => {
            "continue"
        }
        Ask::Reason => "add it",
        Ask::Purge(_) => "delete the backups",
        Ask::PurgeReplay(_) => "delete it",
        Ask::Export(_) => "copy",
    };
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
            Ask::Export(_) => Bits::of(Role::Text, "Directory: "),
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

fn stopped(evidence: &[Clean], room: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    for text in evidence {
        let lead = Bits::of(Role::Warn, "? ");
        lines.extend(paragraph(&lead, Role::Text, text, room));
    }
    lines.push(Bits::new());
    let text = "relight cannot tell whether it is still running. Check the terminal it ran in. If it has stopped, type \
                the words below; the answer is recorded with the plan.";
    lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    lines
}

fn accept(question: &Clean, room: usize) -> Vec<Bits> {
    let lead = Bits::of(Role::Warn, "? ");
    let mut lines = paragraph(&lead, Role::Text, question, room);
    lines.push(Bits::new());
    let text = "The answer is recorded with the recovery.";
    lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    lines
}

fn reason(room: usize) -> Vec<Bits> {
    let text =
        "The reason is recorded where the orchestrator keeps reasons, and told in the hand-off.";
    paragraph(&Bits::new(), Role::Text, &Clean::new(text), room)
}

fn branch(seen: &Clean, room: usize) -> Vec<Bits> {
    let lead = Bits::of(Role::Warn, "? ");
    let mut lines = paragraph(&lead, Role::Text, seen, room);
    lines.push(Bits::new());
    let text =
        "Type the branch it ran on. The plan continues only if the work tree is on that branch.";
    lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    lines
}

fn purge(recoveries: &[Recovery], room: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    let bytes: u64 = recoveries.iter().map(|recovery| recovery.kept_bytes).sum();
    for recovery in recoveries {
        let text = clean!(
            "{}  {} of {}",
            recovery.id.0,
            recovery.label,
            recovery.pipeline.0
        );
        lines.extend(paragraph(&Bits::new().pad(2), Role::Text, &text, room));
        for folder in &recovery.kept_in {
            lines.extend(paragraph(
                &Bits::new().pad(4),
                Role::Dim,
                &clean!("{}", folder),
                room,
            ));
        }
    }
    let size = format::size(bytes);
    lines.push(Bits::new());
    let lead = Bits::of(Role::Bad, "! ");
    let text = clean!(
        "{} ({} bytes) will be deleted. The recovery cannot be undone afterwards.",
        size,
        bytes
    );
    lines.extend(paragraph(&lead, Role::Text, &text, room));
    lines
}

fn export(recovery: &Recovery, room: usize) -> Vec<Bits> {
    let text = clean!(
        "Copies all backups of {} to a directory. Nothing is recovered.",
        recovery.id.0
    );
    paragraph(&Bits::new(), Role::Text, &text, room)
}

fn launch(id: &PipelineId, handoff: &Handoff, room: usize) -> Vec<Bits> {
    let mut lines = paragraph(&Bits::new(), Role::Text, &clean!("For {}:", id.0), room);
    let line = handoff.command_line().unwrap_or_default();
    let lead = Bits::new().pad(2);
    lines.extend(paragraph(&lead, Role::Accent, &Clean::new(&line), room));
    lines.push(Bits::new());
    let text = "It has the terminal until it ends; then the console returns.";
    lines.extend(paragraph(&Bits::new(), Role::Text, &Clean::new(text), room));
    lines
}
