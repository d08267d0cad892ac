//! The detail views: every field of one row, and the raw line or file that it was read from.

use super::{Detail, Quotable};
use crate::model::{CheckpointKind, Event, PathState, ResumeCommand};
use crate::tui::prelude::*;
use crate::tui::screens::pipeline::Pane;
use crate::tui::screens::plan::{PlanRow, guard_word, remedy};

/// Paths that a detail lists; the number of the others is said.
const LISTED: usize = 2_000;

/// Opens the detail of the selected row of the pipeline screen.
pub(crate) fn open(state: &mut State) {
    let Some(screen) = state.layers.top_as::<PipelineScreen>() else {
        return;
    };
    let Some(dossier) = state.dossier(&screen.id) else {
        return;
    };
    let detail = of_row(screen, dossier, state);
    match detail {
        Some(detail) => show(state, detail),
        None => state.refuse("Nothing to open."),
    }
}

/// Reads what is quoted again: the raw line or file, or the passages.
pub(crate) fn read_source(state: &mut State) {
    let Some(detail) = state.layers.find_mut::<Detail>() else {
        return;
    };
    let raw = detail.origin.clone().map(Query::Raw);
    let passages = detail.quotable.as_ref().filter(|one| one.asked);
    let passages = passages.map(|of| Query::Passages(of.pipeline.clone(), of.conversation.clone()));
    detail.raw = Load::Pending;
    detail.ticket = passages.or(raw).map(|query| state.effects.ask(query));
}

/// Shows the fields of the same row as they are after its pipeline was read again.
pub(crate) fn read_again(state: &mut State, id: &PipelineId) {
    let below = state.layers.below_as::<PipelineScreen>();
    let below = below.filter(|screen| screen.id == *id);
    let read = below.zip(state.dossier(id));
    let new = read.and_then(|(screen, dossier)| of_row(screen, dossier, state));
    renew(state, new);
}

/// The same after the plan below it was computed again.
pub(crate) fn plan_read_again(state: &mut State) {
    let below = state.layers.below_as::<PlanScreen>();
    let read = below.and_then(|screen| Some((screen.current()?, *screen.cursor.key()?)));
    let new = below.zip(read);
    let new = new.and_then(|(below, (plan, row))| of_plan_row(state, below, plan, row));
    renew(state, new);
}

fn renew(state: &mut State, new: Option<Detail>) {
    if let (Some(detail), Some(new)) = (state.layers.top_mut::<Detail>(), new)
        && (&detail.title, &detail.origin) == (&new.title, &new.origin)
    {
        (detail.facts, detail.list, detail.copy) = (new.facts, new.list, new.copy);
    }
}

/// A command of the dialog.
pub(crate) fn run(state: &mut State, cmd: Cmd) {
    let Some(detail) = state.layers.top_mut::<Detail>() else {
        return;
    };
    match (cmd, &mut detail.quotable) {
        (Cmd::Passages, Some(quotable)) => {
            quotable.asked = !quotable.asked;
            read_source(state);
        }
        (Cmd::Passages, None) => state.refuse("This row is not a conversation."),
        _ => {}
    }
}

/// The selected row of the pane with the focus.
fn of_row(screen: &PipelineScreen, dossier: &Dossier, state: &State) -> Option<Detail> {
    let (_, row) = screen.extent(screen.pane, dossier);
    let row = row?;
    Some(match screen.pane {
        Pane::Phases => phase(dossier.pipeline.reading.phases.get(row)?, dossier),
        Pane::Timeline => event(dossier.timeline.get(screen.timeline.event)?),
        Pane::Verification => check(dossier.checks.get(row)?, state, screen),
        Pane::Checkpoints => {
            let found = dossier.checkpoints.get(row)?;
            let drift = screen.drifts.known.get(&found.id).and_then(Load::ready);
            checkpoint(found, drift.and_then(|drift| drift.as_ref().as_ref()))
        }
        // The cause, then the conversations.
        Pane::Cause => match (row.checked_sub(1), dossier.why.as_ref()?) {
            (Some(at), why) => conversation(state, screen, why.conversations.get(at)?),
            (None, why) => cause(state, screen, &why.cause, dossier),
        },
    })
}

fn cause(state: &State, below: &PipelineScreen, cause: &Cause, dossier: &Dossier) -> Detail {
    let life = &dossier.pipeline.standing.liveness;
    let mut facts = cause.facts();
    name_keys(&mut facts, &state.keymap, below);
    let evidence = cause.evidence.iter();
    facts.extend(evidence.map(|one| ("evidence", clean!("{} ({})", one.text, one.place()))));
    // The head of the screen has no room for all of it.
    let verdict = clean!("{}:", life.verdict.word());
    let evidence = life.evidence.iter();
    let process = evidence.fold(verdict, |said, one| clean!("{} {}", said, one));
    facts.push(("process", process));
    detail(Clean::new("Why it stopped"), facts, cause.text.clean())
}

/// Adds the keys of the screen below to what can be done next.
fn name_keys(facts: &mut [(&'static str, Clean)], keymap: &Keymap, below: &PipelineScreen) {
    let next = facts.iter_mut().filter(|(label, _)| *label == "next");
    next.for_each(|(_, text)| *text = keyed_below(keymap, text, below));
}

fn conversation(state: &State, below: &PipelineScreen, one: &Conversation) -> Detail {
    let command = one.resume.as_ref().and_then(ResumeCommand::line);
    let command = command.unwrap_or_default();
    let mut facts = one.facts(state.now);
    name_keys(&mut facts, &state.keymap, below);
    let evidence = one.cause.evidence.iter();
    facts.extend(evidence.map(|one| ("evidence", one.text.clean())));
    facts.push(("file", clean!("{}", one.file)));
    facts.push(("continue", command.clone()));
    Detail {
        quotable: Some(Quotable {
            pipeline: below.id.clone(),
            conversation: one.id.clone(),
            asked: false,
        }),
        ..detail(clean!("Conversation {}", one.name()), facts, command)
    }
}

/// Puts a detail on top and asks for its source.
fn show(state: &mut State, detail: Detail) {
    state.push(detail);
    read_source(state);
}

fn detail(title: Clean, facts: Vec<(&'static str, Clean)>, copy: Clean) -> Detail {
    let said = |fact: &(_, Clean)| !fact.1.as_str().is_empty();
    Detail {
        title,
        facts: facts.into_iter().filter(said).collect(),
        copy,
        ..Detail::default()
    }
}

fn optional(text: Option<&Foreign>) -> Clean {
    text.map(Foreign::clean).unwrap_or_default()
}

fn place(origin: &Origin) -> Clean {
    match origin.line {
        Some(line) => clean!("{}, line {}", origin.file, line),
        None => clean!("{}", origin.file),
    }
}

fn event(event: Event) -> Detail {
    let at = event.at.as_ref().map(|at| at.words().into());
    let at_text = event.at_text.as_ref().map(Foreign::clean);
    let duration = event.duration_s.map(format::duration);
    let time = at.or(at_text).unwrap_or_else(|| Clean::new("not recorded"));
    let facts = vec![
        ("time", time),
        ("kind", event.kind.clean()),
        ("phase", optional(event.phase.as_ref())),
        ("subject", event.subject.clean()),
        ("status", optional(event.status.as_ref())),
        ("text", event.text.clean()),
        ("duration", duration.map(Clean::from).unwrap_or_default()),
        ("source", place(&event.origin)),
    ];
    let copy = place(&event.origin);
    Detail {
        origin: Some(event.origin),
        ..detail(clean!("Event: {}", event.kind), facts, copy)
    }
}

fn check(check: &Check, state: &State, below: &PipelineScreen) -> Detail {
    let remedy = check.remedy.as_ref().map(Foreign::clean);
    let named = |remedy: &Clean| keyed_below(&state.keymap, remedy, below);
    let facts = vec![
        ("check", clean!("{}", check.id.0)),
        ("subject", check.subject().clean()),
        ("verdict", Clean::new(check.verdict.word())),
        ("evidence", check.evidence.clean()),
        ("remedy", remedy.as_ref().map(named).unwrap_or_default()),
    ];
    let copy = remedy.unwrap_or_else(|| check.evidence.clean());
    let title = clean!("Check {}: {}", check.id.0, check.subject());
    detail(title, facts, copy)
}

fn phase(phase: &Phase, dossier: &Dossier) -> Detail {
    let moment = |at: Option<Stamp>| Clean::from(at.map(|at| at.words()).unwrap_or_default());
    let took = phase.duration_s.map(format::duration).unwrap_or_default();
    let facts = vec![
        ("phase", phase.id.clean()),
        ("name", phase.name.clean()),
        ("status", Clean::new(phase.status.word())),
        ("native", phase.native_status.clean()),
        ("done", phase.progress().out_of().into()),
        ("attempts", clean!("{}", phase.attempts)),
        ("started", moment(phase.started_at)),
        ("ended", moment(phase.ended_at)),
        ("took", took.into()),
        ("detail", phase.detail.clean()),
    ];
    let files = &dossier.pipeline.reading.state_files;
    Detail {
        origin: files.first().map(Origin::file),
        ..detail(phase.name.clean(), facts, phase.id.clean())
    }
}

fn checkpoint(checkpoint: &Checkpoint, drift: Option<&Drift>) -> Detail {
    let (kind, origin) = match &checkpoint.kind {
        CheckpointKind::Shadow { store } => (clean!("a commit in {}", store), None),
        CheckpointKind::Commit { repo } => (clean!("a commit of {}", repo), None),
        CheckpointKind::File { path } => (clean!("the file {}", path), Some(Origin::file(path))),
        CheckpointKind::Folder { path } => (clean!("the directory {}", path), None),
        CheckpointKind::Record { path } => {
            (clean!("a record in {}", path), Some(Origin::file(path)))
        }
    };
    let taken = checkpoint.taken_at.map(|at| at.words()).unwrap_or_default();
    let mut facts = vec![
        ("checkpoint", clean!("{}", checkpoint.id)),
        ("taken for", checkpoint.reason.clean()),
        ("taken", taken.into()),
        ("source", checkpoint.source.clean()),
        ("kind", kind),
        ("restores", checkpoint.brings_back.clean()),
    ];
    let cannot = checkpoint.cannot.iter();
    facts.extend(cannot.map(|cannot| ("cannot", cannot.clean())));
    let title = clean!("Checkpoint {}", checkpoint.reason);
    Detail {
        origin,
        list: drift.map(drift_lines).unwrap_or_default(),
        ..detail(title, facts, clean!("{}", checkpoint.id))
    }
}

fn drift_lines(drift: &Drift) -> Vec<Clean> {
    let mut lines = vec![clean!(
        "Since the checkpoint: {} modified, {} deleted, {} created, {} not covered",
        drift.modified,
        drift.missing,
        drift.created,
        drift.not_covered
    )];
    lines.extend(drift.paths.iter().take(LISTED).map(|path| {
        let word = match path.state {
            PathState::Modified => "modified   ",
            PathState::Missing => "missing    ",
            PathState::Created => "created    ",
            PathState::NotCovered | PathState::Hidden | PathState::Ignored => "not covered",
            PathState::InTheWay => "in the way ",
        };
        clean!("  {}  {}", word, path.path)
    }));
    if let Some(more @ 1..) = drift.paths.len().checked_sub(LISTED) {
        lines.push(clean!("  (+{} more)", more));
    }
    lines
}

/// Opens the whole text of a plan row that a line cannot hold.
pub(crate) fn open_plan_row(state: &mut State, plan: &Plan, row: PlanRow) {
    match of_plan_row(state, state.top(), plan, row) {
        Some(opened) => state.push(opened),
        None => state.refuse("There is nothing more to show of this row."),
    }
}

fn of_plan_row(state: &State, below: &dyn Screen, plan: &Plan, row: PlanRow) -> Option<Detail> {
    let work = |items: &[crate::model::WorkItem], place: usize| {
        let item = items.get(place)?;
        let took = item.duration_s.map(format::duration).unwrap_or_default();
        let facts = vec![
            ("id", item.id.clean()),
            ("what", item.label.clean()),
            ("detail", item.detail.clean()),
            ("took", took.into()),
        ];
        Some(detail(item.label.clean(), facts, item.id.clean()))
    };
    let keymap = &state.keymap;
    let named = |remedy: &Clean| keyed_below(keymap, remedy, below);
    match row {
        PlanRow::Guard(place) => plan.guards.get(place).map(|guard| {
            let facts = vec![
                ("guard", Clean::new(&guard.id)),
                ("state", Clean::new(guard_word(guard))),
                ("seen", guard.text.clean()),
                ("fix", remedy(guard, keymap, &named).unwrap_or_default()),
            ];
            detail(clean!("Guard: {}", guard.id), facts, guard.text.clean())
        }),
        PlanRow::Sentence(section, place) => {
            let found = section.sentences(plan).into_iter().nth(place);
            found.map(|text| {
                let facts = vec![("what", text.clean())];
                detail(section.word().into(), facts, text.clean())
            })
        }
        PlanRow::Redone(place) => work(&plan.redone, place),
        PlanRow::Kept(place) => work(&plan.kept, place),
        PlanRow::Cwd | PlanRow::Command | PlanRow::Prompt | PlanRow::Briefing(_) => {
            Some(handoff(plan))
        }
        PlanRow::Action(place) => plan.actions.get(place).map(|action| {
            let path = clean!("{}", action.target);
            let mut facts = vec![("path", path.clone()), ("what", action.summary.clean())];
            if let Preview::Rename { to } = &action.preview {
                facts.insert(1, ("to", clean!("{}", to)));
            }
            detail(action.phrase().into(), facts, path)
        }),
        PlanRow::Head(_)
        | PlanRow::Passing
        | PlanRow::Folder(..)
        | PlanRow::Path(..)
        | PlanRow::Line(..) => None,
    }
}

fn handoff(plan: &Plan) -> Detail {
    let handoff = &plan.handoff;
    let command = format::shell_line(&handoff.argv);
    let shown = command.clone().unwrap_or_else(|| {
        let words: Vec<Clean> = handoff.argv.iter().map(Foreign::clean).collect();
        Clean::new(&format!("{words:?}"))
    });
    let facts = vec![
        ("directory", clean!("{}", handoff.cwd)),
        ("run", shown.clone()),
        ("prompt", handoff.prompt.verbatim()),
    ];
    let lines = handoff.briefing.lines();
    Detail {
        list: lines.map(|line| line.verbatim()).collect(),
        ..detail(Clean::new("Hand-off"), facts, command.unwrap_or(shown))
    }
}
