//! The replays of a pipeline, interrupted ones first, and everything about the selected one.

use super::state::{Entry, ReplayRow, ReplaysScreen};
use crate::model::{ExperimentEnd, JudgedExperiment, ReplayExperiment, rejection, troubles_of};
use crate::tui::prelude::*;
use crate::tui::screens::comparison::{strip, verdict_look};

/// From this width on the explanation is beside the list.
const SIDE: u16 = 150;

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &ReplaysScreen) {
    let Some(_) = loaded(canvas, area, &screen.all, "Reading the replays …") else {
        return;
    };
    if screen.rows.is_empty() {
        return empty(canvas, area, screen);
    }
    let (table, side) = split_table(area, SIDE, 12, screen.rows.len());
    rows_of(canvas, table, screen);
    if let Some(entry) = screen.selected() {
        explain(canvas, side, &entry);
    }
}

/// Says how a first replay is made, or why there can be none.
fn empty(canvas: &mut Canvas<'_>, area: Rect, screen: &ReplaysScreen) {
    let state = canvas.state;
    let key = |cmd, what: &'static str| {
        let key = Bits::new().gap(1).key(state.key(cmd));
        key.gap(1).pad(4).text(what)
    };
    let compare = key(
        Cmd::Compare,
        "compare what exists already: rounds, stages, recoveries.",
    );
    let mut page = TextPage::of(area);
    page.blank();
    if let Some(why) = screen.unsupported() {
        page.indented(1, Role::Title, why);
    } else {
        page.indented(1, Role::Title, "This pipeline has no replay yet.");
        page.indented(
            1,
            Role::Text,
            "A replay runs the dispatches of a pipeline again with other templates, in a work tree of its own; \
             a run that changes the original's files is stopped. An experiment runs them several times with and without the \
             change, and says whether it helps.",
        );
        page.blank();
        let new = "start one: choose templates to replace; the plan is shown first.";
        page.lines
            .extend(key(Cmd::NewReplay, new).wrapped(page.width, 2));
    }
    page.lines.extend(compare.wrapped(page.width, 2));
    canvas.lines(area, &page.lines);
}

fn rows_of(canvas: &mut Canvas<'_>, area: Rect, screen: &ReplaysScreen) {
    const COLUMNS: &[Column] = &[
        Column::cells("", 1),
        Column::cells("STATE", 13),
        Column::cells("REPLAY", 14),
        Column::cells("AGE", 6),
        Column::cells("RUNS", 5).right(),
        Column::cells("FAILED", 6).right().from(100),
        Column::cells("VERDICT", 12),
        Column::cells("DISK", 9).right(),
        Column::share("REPLACEMENT", 1),
    ];
    let now = canvas.state.now;
    let (rows, selected) = (&screen.rows, screen.cursor.place(&screen.rows));
    let list = List::new(ListId::of::<ReplaysScreen>(), rows.len(), selected);
    table::each(canvas, area, (list, COLUMNS), rows, &|row| {
        cells(screen, &screen.entry(row), now)
    });
}

fn cells(screen: &ReplaysScreen, entry: &Entry<'_>, now: DateTime<FixedOffset>) -> Vec<Bits> {
    let state = entry.state();
    let mark = screen.marks.letter(&entry.row.id().0).unwrap_or("");
    let (runs, what) = match (entry.row, entry.runs.first()) {
        (ReplayRow::Experiment(_), _) => (
            clean!("{}/{}", entry.runs.len(), entry.planned()),
            swapped(entry),
        ),
        (ReplayRow::Run(_), Some(run)) => match &run.place {
            Some(place) => (
                Clean::empty(),
                clean!("block {}, {}", place.block, place.arm.word()),
            ),
            None => (Clean::empty(), swapped(entry)),
        },
        (ReplayRow::Run(_), None) => Default::default(),
    };
    let verdict = match entry.judged {
        Some(judged) => {
            let look = verdict_look(judged.verdict, &judged.text);
            Bits::signed(look, judged.text.title(judged.verdict))
        }
        None if entry.has_control() => Bits::of(Role::Dim, "…"),
        None => Bits::new(),
    };
    let failed = entry.counts().failed + entry.counts().error;
    let bytes = entry.bytes.map(format::size);
    vec![
        Bits::of(Role::Accent, mark),
        Bits::signed(state_of(state), state.title()),
        name(screen, entry),
        Bits::of(Role::Text, format::age(now, started(entry))),
        Bits::of(Role::Text, runs),
        Bits::of(
            if failed > 0 { Role::Bad } else { Role::Dim },
            failed.to_string(),
        ),
        verdict,
        Bits::of(Role::Text, bytes.unwrap_or_default()),
        Bits::of(Role::Text, what),
    ]
}

fn started(entry: &Entry<'_>) -> Option<DateTime<FixedOffset>> {
    let run = entry.runs.first().and_then(|run| run.started_at);
    let recorded = || entry.experiment.and_then(|one| one.started_at);
    run.or_else(recorded).map(|stamp| stamp.at)
}

/// The id of a row; the runs of an experiment are indented under it.
fn name(screen: &ReplaysScreen, entry: &Entry<'_>) -> Bits {
    let id = entry.row.id();
    let lead = match (entry.row, entry.runs.first()) {
        (ReplayRow::Experiment(_), None) => "  ",
        (ReplayRow::Experiment(_), _) if screen.unfolded.contains(id) => "▾ ",
        (ReplayRow::Experiment(_), _) => "▸ ",
        (ReplayRow::Run(_), Some(run)) if run.group != run.id => " ",
        (ReplayRow::Run(_), _) => "  ",
    };
    Bits::of(Role::Dim, lead).text(id.0.as_str())
}

/// The mutations in a line, the new text first: it tells experiments apart.
fn swapped(entry: &Entry<'_>) -> Clean {
    let Some(run) = entry.swapping() else {
        return Clean::new("no run has begun");
    };
    let turned = |mutation: &Foreign| match mutation.clean().as_str().split_once(" -> ") {
        Some((original, replacement)) => Clean::new(&format!("{replacement} for {original}")),
        None => mutation.clean(),
    };
    match run.mutations.as_slice() {
        [] => Clean::new("nothing"),
        [one] => turned(one),
        [one, more @ ..] => clean!("{} (+{} more)", turned(one), more.len()),
    }
}

/// The state of a session: its sign and its role.
pub(crate) fn state_of(state: SessionState) -> (&'static str, Role) {
    match state {
        SessionState::Running => ("►", Role::Live),
        SessionState::Done => ("✓", Role::Good),
        SessionState::Interrupted => ("■", Role::Warn),
        SessionState::Cancelled => ("–", Role::Warn),
        SessionState::HandedOver => ("?", Role::Wait),
        SessionState::Unreadable => ("✗", Role::Bad),
    }
}

/// What can be done next, in a sentence.
fn next(state: &State, entry: &Entry<'_>) -> Clean {
    let (enter, go_on) = (state.key(Cmd::Enter), state.key(Cmd::ContinueReplay));
    let dispatches = entry.counts().left;
    let dispatches = format::count_of(dispatches, "dispatch is", "dispatches are");
    match entry.state() {
        SessionState::Done if entry.lacking() > 0 => clean!(
            "{} measures {} again; everything was run.",
            go_on,
            format::count(entry.lacking(), "run")
        ),
        SessionState::Interrupted | SessionState::Cancelled if entry.runs_left() > 0 => clean!(
            "{} continues it: {} not begun. Finished runs are kept.",
            go_on,
            format::count_of(entry.runs_left(), "run has", "runs have")
        ),
        SessionState::Interrupted | SessionState::Cancelled if entry.counts().unknown > 0 => state
            .with_key(
                Cmd::Open,
                "What was run is not known: a manifest cannot be read; {} opens it.",
            ),
        SessionState::Interrupted | SessionState::Cancelled => clean!(
            "{} continues it: {} left. Finished dispatches are kept.",
            go_on,
            dispatches
        ),
        SessionState::Running => clean!("Running; {} shows the progress.", enter),
        SessionState::HandedOver => {
            state.with_key(Cmd::Handoff, "Waiting to be run manually: {} shows how.")
        }
        SessionState::Unreadable => {
            state.with_key(Cmd::Open, "Its manifest cannot be read; {} opens it.")
        }
        SessionState::Done if entry.judged.is_some_and(JudgedExperiment::is_decided) => {
            clean!("{} compares its arms block by block.", enter)
        }
        SessionState::Done if entry.has_control() => {
            let add = state.key(Cmd::AddBlocks);
            clean!(
                "{} compares its arms block by block; {} adds blocks.",
                enter,
                add
            )
        }
        SessionState::Done => match entry.row {
            ReplayRow::Experiment(_) => {
                clean!("{} compares all its runs with the original.", enter)
            }
            ReplayRow::Run(_) => clean!("{} compares it with the original.", enter),
        },
    }
}

fn explain(canvas: &mut Canvas<'_>, area: Rect, entry: &Entry<'_>) {
    let noun = match entry.row {
        ReplayRow::Experiment(_) => "Experiment",
        ReplayRow::Run(_) => "Replay",
    };
    let title = Bits::of(Role::Title, clean!("{} {}", noun, entry.row.id().0));
    let inside = inset(canvas.pen.frame(area, &title, false));
    let mut page = TextPage::new(usize::from(inside.width));
    for (ids, text) in troubles_of(entry.runs.iter().copied()) {
        let text = match entry.row {
            ReplayRow::Experiment(_) => clean!("{}: {}", format::list_first(ids, 3), text),
            ReplayRow::Run(_) => text.clean(),
        };
        page.signed(Role::Bad, "! ", text);
    }
    if let Some(why) = entry.experiment.and_then(|one| one.rejected.as_ref()) {
        page.signed(Role::Bad, "! ", &rejection(why));
    }
    page.facts(&[Fact::text("next", next(canvas.state, entry)).sign(state_of(entry.state()))]);
    if let Some(judged) = entry.judged {
        let verdict = judged.verdict;
        let title = judged.text.title(verdict);
        let text = clean!("{}. {}", title, judged.text.without_command());
        page.facts(&[Fact::text("verdict", text).sign(verdict_look(verdict, &judged.text))]);
        let strip = strip(&judged.statistics, None, page.width);
        page.lines.extend(strip);
    }
    page.facts(&about(canvas.state, entry));
    canvas.lines(inside, &page.lines);
}

fn about(state: &State, entry: &Entry<'_>) -> Vec<Fact> {
    let mut all = Vec::new();
    if let Some(run) = entry.swapping() {
        if run.mutations.is_empty() {
            let text = "nothing: the same dispatches run again";
            all.push(Fact::text("replaced", text));
        }
        let mutations = run.mutations.iter().map(Foreign::clean);
        all.extend(mutations.map(|text| Fact::new("replaced", Role::Accent, text)));
    }
    match (entry.experiment, entry.runs.first()) {
        (Some(experiment), _) => all.push(Fact::text("runs", arms(entry, experiment))),
        (None, Some(run)) if run.repeat.1 > 1 => {
            let text = clean!("{} of {}", run.repeat.0, run.repeat.1);
            all.push(Fact::text("run", text));
        }
        _ => {}
    }
    let counts = entry.counts();
    let text = clean!(
        "{} failed, {} without a result, {} left, {} done",
        counts.failed,
        counts.error,
        counts.left,
        counts.done
    );
    let unknown = (counts.unknown > 0).then(|| clean!(", {} unknown", counts.unknown));
    let text = clean!("{}{}", text, unknown.unwrap_or_default());
    all.push(Fact::text("dispatches", text));
    let Some(run) = entry.runs.first() else {
        return all;
    };
    let start = run.start.as_ref().map_or("unknown", |point| &point.0);
    let runner = if run.runner.is_empty() {
        Clean::new("none: run its files by hand")
    } else {
        crate::model::runner_title(&run.runner)
    };
    let moment =
        |at: Option<Stamp>, unknown: &str| at.map_or_else(|| unknown.to_owned(), |at| at.words());
    let began = moment(run.started_at, "unknown");
    let ended = entry.runs.iter().filter_map(|run| run.ended_at).max();
    let ended = moment(ended, "not ended");
    all.push(Fact::text("from", Clean::new(start)));
    all.push(Fact::text("runner", runner));
    all.push(Fact::text("when", clean!("{} to {}", began, ended)));
    if let Some(bytes) = entry.bytes {
        let text = clean!(
            "{}; {} deletes it",
            format::size(bytes),
            state.key(Cmd::Purge)
        );
        all.push(Fact::text("disk", text));
    }
    match (&run.tree, entry.row) {
        _ if run.in_place => {
            let text = "the pipeline's own work tree";
            all.push(Fact::new("tree", Role::Warn, text));
        }
        (Some(tree), ReplayRow::Run(_)) => all.push(Fact::text("tree", clean!("{}", tree))),
        _ => {}
    }
    all.push(Fact::text("record", clean!("{}", run.manifest)));
    all
}

/// `20 of 20: 10 blocks of a control run and a mutated run`.
fn arms(entry: &Entry<'_>, experiment: &ReplayExperiment) -> Clean {
    let blocks = format::count(experiment.blocks, "block");
    let what = match experiment.arms.as_slice() {
        [one] => clean!("{} of a {} run", blocks, one.word()),
        _ => clean!("{} of a control run and a mutated run", blocks),
    };
    let absent = entry.planned().saturating_sub(entry.runs.len());
    let stopped = match experiment.end {
        None => Clean::empty(),
        Some(_) if absent == 0 => Clean::empty(),
        Some(ExperimentEnd::Complete) => clean!("; {} deleted", absent),
        Some(_) => Clean::new("; stopped early"),
    };
    clean!(
        "{} of {}: {}{}",
        entry.runs.len(),
        entry.planned(),
        what,
        stopped
    )
}
