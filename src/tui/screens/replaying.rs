//! The running replay: every dispatch, what is left, and its outcome. It continues on every screen: leaving this one does
//! not stop it.

mod state;
mod update;

use self::state::has_ended;
use super::replays::{self, state_of};
use crate::model::{Progress, SessionProgress, StepProgress, StepState};
use crate::tui::prelude::*;
use crate::tui::view::failed;

pub(crate) use state::{ReplayRun, Replaying, ReplayingScreen};
pub(crate) use update::{asks_before_leaving, go_on, is_here, leave, show, start, stop, take};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Running replay");

commands! {
    StopReplay,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "replaying-compare", CONTEXT, ["enter"], "compare", "Compare the result with the original, once the replay has ended.", foot 1),
    row!(StopReplay => "replay-stop", CONTEXT, ["x"], "stop", "Ask whether to stop the replay. Finished dispatches are kept, and it can be continued.", foot 2),
    row!(Replays => "replaying-replays", CONTEXT, ["V"], "replays", "List the replays of the pipeline; c there continues an interrupted one.", cli "relight compare PIPELINE", foot 4),
    row!(NextPane => "replaying-next-run", CONTEXT, ["tab", "]"], "next run", "Go to the next run.", foot 3),
    row!(PrevPane => "replaying-previous-run", CONTEXT, ["shift-tab", "["], "previous run", "Go to the previous run."),
];

impl Screen for ReplayingScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("progress", CONTEXT).runs(update::run)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(running) = &canvas.state.replaying else {
            let text = "No replay was started from this console.";
            let trouble = EngineError::new(ErrorKind::NotFound, text);
            return failed(canvas, area, &trouble);
        };
        let width = usize::from(area.width).saturating_sub(3);
        let mut head = status(canvas, running, width);
        if running.progress.sessions.len() > 1 {
            head.push(runs(running, self, width));
        }
        head.push(Bits::new());
        let body = canvas.lines(area, &head);
        match self.shown(running) {
            Some(shown) if shown.steps.is_empty() => {
                let (done, total) = shown.tree;
                let text = match (&shown.waiting, shown.state, total) {
                    (Some(waiting), _, _) => clean!("   Waiting: {}.", waiting),
                    (None, None, 0) => Clean::new("   This run has not begun."),
                    _ => clean!("   Creating its work tree: {} of {} files.", done, total),
                };
                canvas.lines(body, &[Bits::of(Role::Dim, text)]);
            }
            Some(shown) => steps(canvas, body, running, self, shown),
            None => {
                let text = "   No progress reported yet.";
                canvas.lines(body, &[Bits::of(Role::Dim, text)]);
            }
        }
    }

    fn subject(&self, state: &State) -> Option<PipelineId> {
        state.replaying.as_ref().map(|one| one.id.clone())
    }

    fn offers(&self, state: &State, cmd: Cmd) -> bool {
        let running = state.replaying.as_ref();
        let going = running.is_some_and(Replaying::is_going);
        let runs = running.map_or(0, |one| one.progress.sessions.len());
        match cmd {
            Cmd::StopReplay => going,
            Cmd::Enter => !going,
            Cmd::NextPane => runs > 1,
            _ => true,
        }
    }

    fn position(&self, state: &State) -> Position {
        let running = state.replaying.as_ref();
        let shown = running.and_then(|one| self.shown(one));
        let steps = shown.map_or(0, |one| one.steps.len());
        Position::row(running.and_then(|one| self.step(one)), steps)
    }

    fn go(&mut self, to: usize, _: &mut State) {
        self.place = Some(to);
    }

    fn copyable(&self, state: &State) -> Result<Clean, &'static str> {
        let origin = self.origin(state).ok_or(NOTHING)?;
        true_text(&Foreign::from(&origin.file))
    }

    fn origin(&self, state: &State) -> Option<Origin> {
        let running = state.replaying.as_ref()?;
        let steps = &self.shown(running)?.steps;
        let step = steps.get(self.step(running)?)?;
        step.output.as_ref().map(Origin::file)
    }
}

/// The keys that list the replays and continue one there.
fn to_continue(state: &State) -> (Clean, Clean) {
    let go_on = state.keymap.name(Cmd::ContinueReplay, [replays::CONTEXT]);
    (state.key(Cmd::Replays), go_on)
}

/// How the runs ended, and what comes next.
fn ended(state: &State, running: &Replaying, sessions: &[ReplaySession]) -> Clean {
    let enter = state.key(Cmd::Enter);
    let cut = sessions.iter().filter(|one| one.state.can_continue());
    match cut.count() {
        0 if running.measures => clean!("Measured again; {} compares it.", enter),
        0 if update::has_arms(sessions) => {
            let all = &running.progress.sessions;
            let begun = all.iter().filter(|one| one.state.is_some()).count();
            if begun == all.len() {
                return clean!("The experiment has ended; {} compares its arms.", enter);
            }
            // It stops once the rest cannot change the verdict.
            let runs = format::count(all.len(), "run");
            clean!(
                "The experiment has ended after {} of {}; {} shows the verdict.",
                begun,
                runs,
                enter
            )
        }
        0 => clean!(
            "The replay has ended; {} compares it with the original.",
            enter
        ),
        cut => {
            let number = format::count_of(cut, "run was", "runs were");
            let (list, go_on) = to_continue(state);
            clean!(
                "{} stopped early; {} lists them, {} continues one.",
                number,
                list,
                go_on
            )
        }
    }
}

/// The summary: its label, its state and its progress.
fn status(canvas: &Canvas<'_>, running: &Replaying, width: usize) -> Vec<Bits> {
    let spinner = look::spinner(canvas.state.beat);
    let key = |cmd| canvas.state.key(cmd);
    let mut beneath: Vec<(Role, Clean)> = Vec::new();
    let (sign, role, strong, text) = match &running.run {
        ReplayRun::Going => {
            let text = "It keeps running when you leave this screen";
            beneath.push((
                Role::Dim,
                clean!("{}; {} stops it.", text, key(Cmd::StopReplay)),
            ));
            let left = running.left(canvas.state.now).map(|left| match left {
                0..60 => "less than a minute".to_owned(),
                _ => format!("about {}", format::duration(left)),
            });
            let text = match left {
                None => Clean::new("Running; remaining time unknown."),
                Some(left) => clean!(
                    "Running; {} left, estimated from the original's times and the pace so far.",
                    left
                ),
            };
            (spinner, Role::Accent, Role::Text, text)
        }
        ReplayRun::Stopping => {
            let text = "Stopping: finished dispatches are kept; the replay can be continued.";
            (spinner, Role::Warn, Role::Text, Clean::new(text))
        }
        ReplayRun::Failed(trouble) => {
            let hints = trouble.hints.iter();
            beneath.extend(hints.map(|hint| (Role::Text, canvas.state.keyed(hint))));
            let mut sessions = running.progress.sessions.iter();
            if sessions.any(|one| one.state.is_some()) {
                let (list, go_on) = to_continue(canvas.state);
                let text = clean!(
                    "{} lists the replays, {} continues an interrupted one.",
                    list,
                    go_on
                );
                beneath.push((Role::Text, text));
            }
            ("✗", Role::Bad, Role::Title, trouble.text.clean())
        }
        ReplayRun::Ended(sessions) => {
            let left = sessions.iter().filter(|one| one.state.can_continue());
            let text = ended(canvas.state, running, sessions);
            let (sign, role) = match left.count() {
                0 => ("✓", Role::Good),
                _ => ("–", Role::Warn),
            };
            (sign, role, Role::Title, text)
        }
    };
    let mut lines = vec![Bits::new().gap(1).title(running.title.clone())];
    let lead = Bits::new().gap(1).say(role, sign).gap(1);
    lines.extend(paragraph(&lead, strong, &text, width));
    for (role, text) in beneath {
        lines.extend(paragraph(&Bits::new().gap(3), role, &text, width));
    }
    let sessions = running.progress.sessions.iter();
    let mut queued = sessions.filter_map(|one| one.waiting.as_ref());
    let number = queued.clone().count();
    if let Some(first) = queued.next().filter(|_| running.is_going()) {
        let text = match number {
            1 => clean!("1 run is waiting: {}.", first),
            _ => clean!("{} runs are waiting; the first: {}.", number, first),
        };
        lines.extend(paragraph(&Bits::new().gap(3), Role::Dim, &text, width));
    }
    let (done, total) = running.steps();
    if total > 0 {
        let progress = Progress::new(Some(done as u64), Some(total as u64), "dispatches");
        let numbers = Bits::new().gap(1).join(look::bar(progress, 20));
        let text = clean!(" {} of {} dispatches ", done, total);
        lines.push(numbers.text(text).join(tally(running)));
    }
    lines
}

/// The failures so far.
fn tally(running: &Replaying) -> Bits {
    let steps = running.progress.sessions.iter().flat_map(|one| &one.steps);
    let count = |state: StepState| steps.clone().filter(|step| step.state == state).count();
    let (failed, error) = (count(StepState::Failed), count(StepState::Error));
    let mut bits = Bits::new();
    if failed > 0 {
        bits = bits.bad(clean!(" ✗ {} failed", failed));
    }
    if error > 0 {
        bits = bits.warn(clean!(" ! {} without a result", error));
    }
    bits
}

/// The runs, with the shown one highlighted.
fn runs(running: &Replaying, screen: &ReplayingScreen, width: usize) -> Bits {
    let here = screen.session(running);
    let mut tabs: Vec<Bits> = Vec::new();
    for (place, session) in running.progress.sessions.iter().enumerate() {
        let (sign, role) = session.state.map_or(("·", Role::Dim), state_of);
        let focus = place == here;
        let ended = session.steps.iter();
        let ended = ended.filter(|step| has_ended(step.state)).count();
        // A run that had ended before runs no dispatch now.
        let of_all = match session.steps.len() {
            0 => Clean::empty(),
            all => clean!("{}/{} ", ended, all),
        };
        tabs.push(
            Bits::of(Role::Focus, if focus { "▌" } else { " " })
                .say(role, sign)
                .say(
                    if focus { Role::Title } else { Role::Dim },
                    clean!(" run {} {}", place + 1, of_all),
                ),
        );
    }
    // The shown run is always in view.
    let mut first = 0;
    let shown = |first: usize| tabs.iter().take(here + 1).skip(first);
    while first < here && shown(first).map(Bits::width).sum::<usize>() > width {
        first += 1;
    }
    tabs.into_iter().skip(first).fold(Bits::new(), Bits::join)
}

fn steps(
    canvas: &mut Canvas<'_>,
    area: Rect,
    running: &Replaying,
    screen: &ReplayingScreen,
    shown: &SessionProgress,
) {
    const COLUMNS: &[Column] = &[
        Column::cells("STATE", 12),
        Column::cells("SEQ", 8),
        Column::cells("DISPATCH", 25),
        Column::cells("TIME", 7),
        Column::cells("ORIG", 7),
        Column::share("SUMMARY", 1),
    ];
    let (now, beat) = (canvas.state.now, canvas.state.beat);
    let (steps, selected) = (&shown.steps, screen.step(running));
    let list = List::new(ListId::of::<ReplayingScreen>(), steps.len(), selected);
    table::each(canvas, area, (list, COLUMNS), steps, &|step| {
        cells(step, now, beat)
    });
}

fn cells(step: &StepProgress, now: DateTime<FixedOffset>, beat: usize) -> Vec<Bits> {
    let look = match step.state {
        StepState::Waiting => ("·", Role::Dim),
        StepState::Running => (look::spinner(beat), Role::Live),
        StepState::Completed => ("✓", Role::Good),
        StepState::Failed => ("✗", Role::Bad),
        StepState::Error => ("!", Role::Warn),
        StepState::Cancelled => ("–", Role::Warn),
    };
    let running = step.begun_at.filter(|_| step.state == StepState::Running);
    let since =
        |begun: Stamp| u64::try_from(now.timestamp().saturating_sub(begun.unix())).unwrap_or(0);
    let time =
        |seconds: Option<u64>| seconds.map_or_else(|| "–".to_owned(), format::brief_duration);
    let seq = match step.seq {
        Some(seq) => clean!("{} → {}", step.of, seq),
        None => clean!("{}", step.of),
    };
    let attempt = (step.attempt > 1).then(|| clean!("attempt {}: ", step.attempt));
    let summary = step.summary.as_ref().map(Foreign::clean);
    let took = step.duration_s.or_else(|| running.map(since));
    vec![
        Bits::signed(look, step.state.title()),
        Bits::of(Role::Dim, seq),
        Bits::of(Role::Text, step.label.clean()),
        Bits::of(Role::Text, time(took)),
        Bits::of(Role::Dim, time(step.original_s)),
        Bits::of(Role::Warn, attempt.unwrap_or_default()).text(summary.unwrap_or_default()),
    ]
}
