//! A replay under way: every dispatch, what is left, and what came of it. Leaving the screen does not stop it.

use super::state::{ReplayRun, Replaying, ReplayingScreen, has_ended};
use crate::tui::view::failed;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, ErrorKind, Progress, SessionProgress, StepProgress, StepState};
use crate::text::format;
use crate::tui::data::EngineError;
use crate::tui::geometry::ListId;
use crate::tui::screens::replays::state_of;
use crate::tui::theme::Role;
use crate::tui::view::list::{self, List};
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, look, paragraph, split_top};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &ReplayingScreen) {
    let Some(running) = &canvas.state.replaying else {
        let trouble = EngineError::new(
            ErrorKind::NotFound,
            "No replay was started from this console.",
        );
        failed(canvas, area, &trouble);
        return;
    };
    let width = usize::from(area.width).saturating_sub(3);
    let mut head = status(canvas, running, width);
    if running.progress.sessions.len() > 1 {
        head.push(runs(canvas, running, screen, width));
    }
    head.push(Bits::new());
    let (top, body) = split_top(area, u16::try_from(head.len()).unwrap_or(u16::MAX));
    crate::tui::view::lines(canvas, top, &head);
    match screen.shown(running) {
        Some(shown) if shown.steps.is_empty() => {
            let (done, total) = shown.tree;
            let text = clean!("   Creating its work tree: {} of {} files.", done, total);
            crate::tui::view::lines(canvas, body, &[Bits::new().add(Role::Dim, text)]);
        }
        Some(shown) => steps(canvas, body, running, screen, shown),
        None => {
            let text = "   No progress reported yet.";
            crate::tui::view::lines(canvas, body, &[Bits::new().say(Role::Dim, text)]);
        }
    }
}

/// How it stands as a whole, worst first.
fn status(canvas: &Canvas<'_>, running: &Replaying, width: usize) -> Vec<Bits> {
    let (done, total) = running.steps();
    let bar = look::bar(
        Progress {
            done: done as u64,
            total: Some(total as u64),
            unit: "dispatches",
        },
        20,
    );
    let numbers = Bits::new()
        .say(Role::Text, " ")
        .join(bar)
        .add(Role::Text, clean!(" {} of {} dispatches ", done, total))
        .join(tally(running));
    let lead = |sign: &'static str, role: Role| {
        Bits::new()
            .say(Role::Text, " ")
            .say(role, sign)
            .say(Role::Text, " ")
    };
    let mut lines = match &running.run {
        ReplayRun::Going => {
            let left = match running.left(canvas.state.now) {
                Some(left) => clean!(
                    "Running; about {} left, estimated from the original's times and the pace so far.",
                    format::duration(left)
                ),
                None => Clean::new("Running; remaining time unknown."),
            };
            let lead = lead(look::spinner(canvas.state.beat), Role::Accent);
            let mut lines = paragraph(&lead, Role::Text, &left, width);
            let text = Clean::new("It keeps running when you leave this screen; x stops it.");
            lines.extend(paragraph(&Bits::new().pad(3), Role::Dim, &text, width));
            lines
        }
        ReplayRun::Stopping => {
            let text =
                Clean::new("Stopping: finished dispatches are kept; the replay can be continued.");
            let lead = lead(look::spinner(canvas.state.beat), Role::Warn);
            paragraph(&lead, Role::Text, &text, width)
        }
        ReplayRun::Failed(trouble) => {
            let mut lines = paragraph(
                &lead("✗", Role::Bad),
                Role::Title,
                &trouble.text.clean(),
                width,
            );
            for hint in &trouble.hints {
                lines.extend(paragraph(
                    &Bits::new().pad(3),
                    Role::Text,
                    &hint.clean(),
                    width,
                ));
            }
            lines
        }
        ReplayRun::Ended(sessions) => {
            let cut = sessions
                .iter()
                .filter(|one| one.state.can_continue())
                .count();
            if cut == 0 {
                let text = Clean::new("The replay has ended; Enter compares it with the original.");
                paragraph(&lead("✓", Role::Good), Role::Title, &text, width)
            } else {
                let number = format::count_of(cut, "run was", "runs were");
                let text = clean!("{} stopped early; V lists them, c continues one.", number);
                paragraph(&lead("–", Role::Warn), Role::Title, &text, width)
            }
        }
    };
    lines.insert(
        0,
        Bits::new()
            .say(Role::Text, " ")
            .add(Role::Title, running.title.clone()),
    );
    if total > 0 {
        lines.push(numbers);
    }
    lines
}

/// What did not go well so far.
fn tally(running: &Replaying) -> Bits {
    let steps = running.progress.sessions.iter().flat_map(|one| &one.steps);
    let count = |state: StepState| steps.clone().filter(|step| step.state == state).count();
    let (failed, error) = (count(StepState::Failed), count(StepState::Error));
    let mut bits = Bits::new();
    if failed > 0 {
        bits = bits.add(Role::Bad, clean!(" ✗ {} failed", failed));
    }
    if error > 0 {
        bits = bits.add(Role::Warn, clean!(" ! {} without a result", error));
    }
    bits
}

/// The runs, the one that is looked at lit.
fn runs(canvas: &Canvas<'_>, running: &Replaying, screen: &ReplayingScreen, width: usize) -> Bits {
    let here = screen.session(running);
    let mut tabs: Vec<Bits> = Vec::new();
    for (place, session) in running.progress.sessions.iter().enumerate() {
        let (sign, role) = match session.state {
            None => ("·", Role::Dim),
            Some(state) => {
                let (sign, _, role) = state_of(state);
                (sign, role)
            }
        };
        let focus = place == here;
        let ended = session
            .steps
            .iter()
            .filter(|step| has_ended(step.state))
            .count();
        tabs.push(
            Bits::new()
                .say(Role::Focus, if focus { "▌" } else { " " })
                .say(role, sign)
                .add(
                    if focus { Role::Title } else { Role::Dim },
                    clean!(" run {} {}/{} ", place + 1, ended, session.steps.len()),
                ),
        );
    }
    // The run that is looked at is always seen.
    let mut first = 0;
    let wide = |first: usize| {
        tabs.iter()
            .take(here + 1)
            .skip(first)
            .map(Bits::width)
            .sum::<usize>()
    };
    while first < here && wide(first) > width {
        first += 1;
    }
    let _ = canvas;
    tabs.into_iter().skip(first).fold(Bits::new(), Bits::join)
}

fn steps(
    canvas: &mut Canvas<'_>,
    area: Rect,
    running: &Replaying,
    screen: &ReplayingScreen,
    shown: &SessionProgress,
) {
    let (head, body) = split_top(area, 1);
    let word = |word: &'static str, width: usize| Bits::new().say(Role::Dim, word).pad(width);
    let heading = Bits::new()
        .say(Role::Text, " ")
        .join(word("STATE", 13))
        .join(word("SEQ", 9))
        .join(word("DISPATCH", 26))
        .join(word("TIME", 8))
        .join(word("ORIG", 8))
        .say(Role::Dim, "SUMMARY");
    canvas.pen.line(head, &heading);
    let (now, beat) = (canvas.state.now, canvas.state.beat);
    let list = List {
        id: ListId::of::<ReplayingScreen>(),
        len: shown.steps.len(),
        selected: screen.step(running),
        focus: true,
        height: &|_| 1,
        lead: &|_| 0,
    };
    list::rows(canvas, body, &list, &mut |row, _| {
        let step = shown.steps.get(row);
        step.map_or_else(Bits::new, |step| step_row(step, now, beat))
    });
}

fn step_row(step: &StepProgress, now: chrono::DateTime<chrono::FixedOffset>, beat: usize) -> Bits {
    let (sign, role) = match step.state {
        StepState::Waiting => ("·", Role::Dim),
        StepState::Running => (look::spinner(beat), Role::Live),
        StepState::Completed => ("✓", Role::Good),
        StepState::Failed => ("✗", Role::Bad),
        StepState::Error => ("!", Role::Warn),
        StepState::Cancelled => ("–", Role::Warn),
    };
    let running = step.begun_at.filter(|_| step.state == StepState::Running);
    let since = |begun: crate::model::Stamp| {
        u64::try_from(now.timestamp().saturating_sub(begun.unix())).unwrap_or(0)
    };
    let time = step.duration_s.or_else(|| running.map(since));
    let dash = || "–".to_owned();
    let seq = match step.seq {
        Some(seq) => clean!("{} → {}", step.of, seq),
        None => clean!("{}", step.of),
    };
    let bits = Bits::new()
        .badge(role, sign, step.state.word(), 13)
        .cell(Role::Dim, seq, 9)
        .cell(Role::Text, step.label.clean(), 25)
        .say(Role::Text, " ")
        .cell(
            Role::Text,
            time.map_or_else(dash, format::brief_duration),
            8,
        )
        .cell(
            Role::Dim,
            step.original_s.map_or_else(dash, format::brief_duration),
            8,
        );
    let bits = if step.attempt > 1 {
        bits.add(Role::Warn, clean!("attempt {}: ", step.attempt))
    } else {
        bits
    };
    let summary = step.summary.as_ref();
    bits.add(
        Role::Text,
        summary.map_or_else(Clean::empty, crate::model::Foreign::clean),
    )
}
