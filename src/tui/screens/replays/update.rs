//! The replays of a pipeline, and what else of it can be compared. Looking at them starts nothing.

use super::{Entry, Marks, ReplayRow, ReplaysScreen};
use crate::model::JudgedExperiment;
use crate::tui::prelude::*;
use crate::tui::screens::operands::OperandsScreen;
use crate::tui::screens::question::PURGE;
use crate::tui::screens::{comparison, handoff, new_replay, replaying};

/// The word of the original among the operands.
pub(crate) const ORIGINAL: &str = "original";

/// Blocks that are added at once where the verdict names no number: fewer rarely change what is known.
const MORE_BLOCKS: usize = 5;

/// The question before a replay continues.
#[derive(Debug, Clone)]
pub(crate) struct Continuation {
    pub(crate) pipeline: PipelineId,
    /// A session, or an experiment with the blocks that are added to it.
    pub(crate) id: SessionId,
    pub(crate) blocks: Option<usize>,
    /// Whether no verdict can be reached with these blocks, so that all of them are run.
    pub(crate) is_hopeless: bool,
    /// How far it is, and what is left.
    pub(crate) about: Clean,
    /// Whether everything was run, so that it is only measured again.
    pub(crate) measures: bool,
    /// Its runner; empty for none, and not known before a run has begun.
    pub(crate) runner: Option<Foreign>,
    pub(crate) in_place: bool,
}

/// What is asked before a replay is deleted.
#[derive(Debug, Clone)]
pub(crate) struct Doomed {
    pub(crate) pipeline: PipelineId,
    pub(crate) id: SessionId,
    pub(crate) title: Clean,
    /// The folders of its runs.
    pub(crate) folders: Vec<PathBuf>,
    /// What they take, where that was measured.
    pub(crate) bytes: Option<u64>,
}

/// Opens the replays of a pipeline. One list is enough: what leads back to it closes what is above.
pub(crate) fn open(state: &mut State, id: PipelineId) {
    let of_it = |screen: &ReplaysScreen| screen.id == id;
    if !state.layers.back_to(of_it) {
        state.push(ReplaysScreen {
            id,
            ..ReplaysScreen::default()
        });
    }
    request(state);
}

/// Asks for what open lists show.
pub(crate) fn request(state: &mut State) {
    if let Some(screen) = state.layers.find_mut::<ReplaysScreen>() {
        screen.ticket = Some(state.effects.ask(Query::Replays(screen.id.clone())));
    }
}

/// Takes the list, and asks for what takes longer.
pub(crate) fn take(state: &mut State, ticket: Ticket, result: Result<ReplayList>) {
    let all = state.load(result);
    let Some(screen) = state.layers.awaiting::<ReplaysScreen>(ticket) else {
        return;
    };
    screen.ticket = None;
    screen.take(all);
    if !screen.rows.is_empty() {
        let query = Query::ReplayDetails(screen.id.clone());
        screen.ticket = Some(state.effects.ask(query));
    }
}

/// Takes the verdicts and sizes.
pub(crate) fn take_details(state: &mut State, ticket: Ticket, result: Result<ReplayDetails>) {
    if let Err(trouble) = &result {
        state.note(trouble.text.clean());
    }
    if let Some(screen) = state.layers.awaiting::<ReplaysScreen>(ticket) {
        screen.ticket = None;
        screen.details = result.unwrap_or_default();
    }
}

/// A command of the list.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(screen) = state.layers.top_mut::<ReplaysScreen>() else {
        return;
    };
    let id = screen.id.clone();
    match cmd {
        Cmd::NewReplay => {
            return match screen.unsupported().map(Foreign::clean) {
                Some(why) => state.refuse(why),
                None => new_replay::open(state, id),
            };
        }
        Cmd::Compare => return operands(state, id),
        Cmd::WatchReplay => return replaying::show(state),
        Cmd::Left | Cmd::Right => {
            let fold = cmd == Cmd::Left;
            if !screen.fold(fold) {
                state.refuse("Only an experiment has runs to list.");
            }
            return;
        }
        _ => {}
    }
    let Some(row) = screen.cursor.key().cloned() else {
        return state.refuse_with(
            Cmd::NewReplay,
            "This pipeline has no replay yet; {} starts one.",
        );
    };
    if cmd == Cmd::Side {
        screen.marks.toggle(&row.id().0);
        let marks = screen.marks.clone();
        return say_marks(state, &marks);
    }
    let screen = screen.clone();
    let entry = screen.entry(&row);
    match cmd {
        Cmd::Enter => enter(state, &screen, &entry),
        Cmd::ContinueReplay => go_on(state, &entry, id),
        Cmd::AddBlocks => add_blocks(state, &entry, id),
        Cmd::Purge => purge(state, &entry, id),
        Cmd::Handoff => match entry.runs.iter().find_map(|one| one.handoff.clone()) {
            Some(handoff) => handoff::open(state, id, handoff, Vec::new()),
            None => {
                state.refuse("This replay has a runner; only one without is run by hand.");
            }
        },
        _ => {}
    }
}

/// Says which sides are marked and what comes next.
pub(crate) fn say_marks(state: &mut State, marks: &Marks) {
    let (enter, mark) = (state.key(Cmd::Enter), state.key(Cmd::Side));
    let text = match (&marks.a, &marks.b) {
        (Some(a), Some(b)) => clean!("A is {}, B is {}; {} compares them.", a, b, enter),
        (Some(a), None) => clean!("A is {}; {} marks another one as B.", a, mark),
        (None, Some(b)) => clean!("B is {}; {} marks another one as A.", b, mark),
        (None, None) => Clean::new("Nothing is marked."),
    };
    state.say(text);
}

/// Compares what is marked, else the arms of the selected experiment, else the selected replay with the original.
/// One that runs here is watched instead.
fn enter(state: &mut State, screen: &ReplaysScreen, entry: &Entry<'_>) {
    let id = screen.id.clone();
    let running = |run: &SessionId| replaying::is_here(state, run);
    if let Some((a, b)) = screen.marks.pair() {
        comparison::open(state, id, Some(a), Some(b));
    } else if entry.state() == SessionState::Running
        && entry.runs.iter().any(|one| running(&one.id))
    {
        replaying::show(state);
    } else if entry.runs.is_empty() {
        state.refuse_with(
            Cmd::ContinueReplay,
            "No run of this experiment has begun: nothing to compare. {} continues it.",
        );
    } else {
        let a = (!entry.has_control()).then(|| ORIGINAL.to_owned());
        comparison::open(state, id, a, Some(entry.row.id().0.clone()));
    }
}

/// Asks whether to continue an interrupted replay.
fn go_on(state: &mut State, entry: &Entry<'_>, pipeline: PipelineId) {
    let how = entry.state();
    if state.is_replaying() {
        is_running(state, "Continue this one");
    } else if entry.can_continue() {
        ask(state, entry, pipeline, entry.experiment.map(|_| 0));
    } else {
        let id = entry.row.id();
        let keys = [Cmd::AddBlocks, Cmd::NewReplay, Cmd::Handoff].map(|cmd| state.key(cmd));
        let [add, new, handoff] = keys;
        state.refuse(match how {
            SessionState::Running => clean!("{} is running.", id.0),
            SessionState::Done if entry.has_control() => {
                clean!(
                    "{} is complete; {} adds blocks, {} starts a new one.",
                    id.0,
                    add,
                    new
                )
            }
            SessionState::HandedOver => {
                clean!(
                    "{} is waiting to be run manually: {} shows how.",
                    id.0,
                    handoff
                )
            }
            SessionState::Unreadable => {
                clean!(
                    "The manifest of {} cannot be read, so it cannot be continued.",
                    id.0
                )
            }
            SessionState::Done | SessionState::Interrupted | SessionState::Cancelled => {
                clean!("{} is complete; {} starts a new replay.", id.0, new)
            }
        });
    }
}

/// Says that one replay runs at a time.
fn is_running(state: &mut State, what: &'static str) {
    let watch = state.key(Cmd::WatchReplay);
    state.refuse(clean!(
        "A replay is running: {} shows it. {} when that has ended.",
        watch,
        what
    ));
}

/// Asks whether to run more blocks of an experiment.
fn add_blocks(state: &mut State, entry: &Entry<'_>, pipeline: PipelineId) {
    if state.is_replaying() {
        is_running(state, "Add blocks");
    } else if !entry.has_control() {
        state.refuse("Only an experiment with a control arm has blocks.");
    } else if entry.state() == SessionState::Running {
        state.refuse("This experiment is running in another process.");
    } else if entry.judged.is_some_and(JudgedExperiment::is_decided) {
        state.refuse_with(Cmd::NewReplay, "This question already has a verdict, so no blocks are added; {} starts a new experiment.");
    } else {
        let advised = entry.judged.and_then(JudgedExperiment::adds);
        let blocks = advised.map_or(MORE_BLOCKS, |blocks| blocks as usize);
        ask(state, entry, pipeline, Some(blocks));
    }
}

fn ask(state: &mut State, entry: &Entry<'_>, pipeline: PipelineId, blocks: Option<usize>) {
    let cut = entry.runs.iter().find(|one| one.can_continue());
    let session = cut.or_else(|| entry.runs.first());
    let counts = entry.counts();
    let id = entry.row.id().clone();
    let about = match (entry.experiment, blocks) {
        (Some(experiment), Some(more)) => {
            let done = |run: &&&ReplaySession| run.state == SessionState::Done;
            let ended = entry.runs.iter().filter(done).count();
            let all = entry.planned() + more * experiment.arms.len();
            let added = match more {
                0 => Clean::empty(),
                more => clean!(" With {} more:", format::count(more, "block")),
            };
            clean!(
                "Experiment {} of {}: {} of {} have ended.{} {}.",
                id.0,
                pipeline.0,
                ended,
                format::count(entry.planned(), "run"),
                added,
                match (all.saturating_sub(ended), entry.lacking()) {
                    (0, lacking @ 1..) => clean!(
                        "{} to measure again",
                        format::count_of(lacking, "run is", "runs are")
                    ),
                    (left, _) => clean!("{} to run", format::count_of(left, "run is", "runs are")),
                },
            )
        }
        _ if counts.unknown > 0 => clean!(
            "Replay {} of {}: what was run is not known, because its manifest cannot be read.",
            id.0,
            pipeline.0
        ),
        _ => clean!(
            "Replay {} of {}: {} done, {} failed, {} without a result; {} left.",
            id.0,
            pipeline.0,
            counts.done,
            counts.failed,
            counts.error,
            counts.left
        ),
    };
    let continuation = Continuation {
        pipeline,
        id: match (blocks, session) {
            (None, Some(session)) => session.id.clone(),
            _ => id,
        },
        blocks,
        is_hopeless: entry
            .judged
            .is_some_and(|one| one.lacking() as usize > blocks.unwrap_or_default()),
        about,
        measures: blocks.is_none_or(|more| more == 0)
            && entry.state() == SessionState::Done
            && entry.lacking() > 0,
        runner: session.map(|one| one.runner.clone()),
        in_place: session.is_some_and(|one| one.in_place),
    };
    state.push(Question::new(Ask::Continue(continuation), Answer::Key));
}

/// Asks whether to delete the selected replay.
fn purge(state: &mut State, entry: &Entry<'_>, pipeline: PipelineId) {
    let folders = entry.runs.iter().filter_map(|one| one.folder.clone());
    let folders: Vec<PathBuf> = folders.collect();
    let running = |run: &&ReplaySession| run.state == SessionState::Running;
    if entry.runs.iter().any(running) {
        return state.refuse("This replay is running; wait for it to end, or stop it.");
    }
    if folders.is_empty() && entry.experiment.is_none() {
        return state
            .refuse("Only the manifest of the pipeline records this replay: nothing to delete.");
    }
    let id = entry.row.id().clone();
    let title = match entry.row {
        ReplayRow::Experiment(_) => {
            let runs = format::count(entry.runs.len(), "run");
            clean!("experiment {} of {} ({})", id.0, pipeline.0, runs)
        }
        ReplayRow::Run(_) => clean!("replay {} of {}", id.0, pipeline.0),
    };
    let doomed = Doomed {
        pipeline,
        id,
        title,
        folders,
        bytes: entry.bytes,
    };
    state.push(Question::new(Ask::PurgeReplay(doomed), Answer::Word(PURGE)));
}

/// Opens what of a pipeline can be compared.
pub(crate) fn operands(state: &mut State, id: PipelineId) {
    state.push(OperandsScreen {
        id,
        ..OperandsScreen::default()
    });
    request_operands(state);
}

/// Asks for what can be compared.
pub(crate) fn request_operands(state: &mut State) {
    if let Some(screen) = state.layers.find_mut::<OperandsScreen>() {
        let query = Query::Operands(screen.id.clone());
        screen.ticket = Some(state.effects.ask(query));
    }
}

/// Takes what can be compared.
pub(crate) fn take_operands(state: &mut State, ticket: Ticket, result: Result<Vec<Operand>>) {
    if let Some(screen) = state.layers.awaiting::<OperandsScreen>(ticket) {
        screen.ticket = None;
        screen.take(result);
    }
}
