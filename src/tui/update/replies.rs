//! Handles the worker's replies. A reply that is no longer awaited is dropped.

use crate::tui::prelude::*;
use crate::tui::screens::browser::Browser;
use crate::tui::screens::detail::{self, Detail};
use crate::tui::screens::pipeline::{self, Drifts};
use crate::tui::screens::points::Picker;
use crate::tui::screens::recoveries::RecoveriesScreen;
use crate::tui::screens::{
    amendment, batch, browser, comparison, handoff, new_replay, plan, progress as acting,
    recoveries, replay_plan, replaying, replays,
};

/// Takes an answer.
pub(super) fn take(state: &mut State, ticket: Ticket, mut reply: Reply) {
    super::found::tell(&state.found_by, &mut reply);
    if let (Some(text), Some(since)) = (ended(state, &reply), state.effects.asked_at(ticket)) {
        state.notify(since, text);
    }
    match reply {
        Reply::Found(found) if state.browser.ticket == Some(ticket) => {
            change_rows(state, |browser| browser.take(*found));
        }
        Reply::Survey(result) if state.browser.ticket == Some(ticket) => {
            surveyed(state, result);
        }
        Reply::Found(_) | Reply::Survey(_) => {}
        Reply::Verified(all) => {
            state.browser.verifying = false;
            for (id, checks, cause) in all {
                state.browser.verified(&id, (checks, cause), state.now);
            }
        }
        Reply::Batch(id, result) => batch::take(state, ticket, &id, result),
        Reply::Dossier(id, result) => dossier(state, ticket, &id, result),
        Reply::Drift(id, checkpoint, result) => {
            let mut screens = state.layers.all_mut::<PipelineScreen>();
            let awaits = |screen: &&mut PipelineScreen| screen.drifts.ticket == Some(ticket);
            if let Some(screen) = screens.find(awaits).filter(|screen| screen.id == id) {
                screen.drifts.measured(checkpoint, result.into());
            }
        }
        Reply::Plan(result) => plan::take(state, ticket, result),
        Reply::Recoveries(result) => {
            recoveries::take(state, ticket, result);
            watch(state);
        }
        Reply::Pending(found) => recoveries::found(state, ticket, found),
        Reply::PurgeLoss(found) => recoveries::ask_purge(state, ticket, found),
        reply @ (Reply::Launched(_) | Reply::Watching(_) | Reply::Looked(_)) => {
            handoff::take(state, ticket, reply);
        }
        reply @ (Reply::Progress(_)
        | Reply::Applied(_)
        | Reply::Recovered(_)
        | Reply::Purged(_)
        | Reply::Rehearsed(_)
        | Reply::Ledger(_)) => acting::take(state, ticket, reply),
        Reply::Replays(result) => replays::take(state, ticket, result),
        Reply::ReplayDetails(result) => replays::take_details(state, ticket, result),
        Reply::Operands(result) => replays::take_operands(state, ticket, result),
        Reply::Paths(found) => {
            if !amendment::take_paths(state, ticket, &found) {
                new_replay::take_paths(state, ticket, found);
            }
        }
        Reply::ReplayPlan(result) => replay_plan::take(state, ticket, result),
        Reply::Compared(result) => comparison::take(state, ticket, result),
        Reply::Edited(result) => replay_plan::edited(state, ticket, result),
        reply @ (Reply::Replaying(_) | Reply::Replayed(_)) => {
            replaying::take(state, ticket, reply);
        }
        Reply::Hits(found) => hits(state, ticket, found),
        Reply::Sought(found) => sought(state, ticket, found),
        Reply::Diff(result) => {
            let width = state.size.0;
            match state.layers.awaiting::<DiffScreen>(ticket) {
                Some(screen) => screen.take(result, width),
                None => plan::compared(state, ticket, result),
            }
        }
        Reply::Counted(found) => plan::counted(state, ticket, found),
        Reply::Raw(result) => {
            if let Some(detail) = state.layers.awaiting::<Detail>(ticket) {
                detail.ticket = None;
                detail.raw = result.into();
            }
        }
    }
}

/// What has ended with an answer, where it may have taken long.
fn ended(state: &State, reply: &Reply) -> Option<&'static str> {
    let measures = state.replaying.as_ref().is_some_and(|one| one.measures);
    match reply {
        Reply::Applied(_) | Reply::Recovered(_) => Some("The recovery has ended."),
        Reply::Rehearsed(_) => Some("The rehearsal has ended."),
        Reply::Replayed(Ok(_)) if measures => Some("The replay was measured again."),
        Reply::Replayed(Ok(all)) if all.iter().any(|one| one.state.can_continue()) => {
            Some("The replay has stopped.")
        }
        Reply::Replayed(_) => Some("The replay has ended."),
        _ => None,
    }
}

/// The events that a filter leaves, for the timeline that asked.
fn hits(state: &mut State, ticket: Ticket, hits: Vec<usize>) {
    let mut screens = state.layers.all_mut::<PipelineScreen>();
    let of = screens.find(|screen| screen.timeline.filtering == Some(ticket));
    if let Some(screen) = of {
        let dossier = state.dossiers.get(&screen.id).and_then(Load::ready);
        let view = &mut screen.timeline;
        view.filtering = None;
        // The selection goes to the next event that is left, else to the last.
        let next = hits.partition_point(|event| *event < view.event);
        if let Some(event) = hits.get(next).or_else(|| hits.last()) {
            view.event = *event;
        }
        view.hits = Some(hits);
        if let Some(dossier) = dossier {
            view.survey(&dossier.timeline);
        }
    }
}

/// Where a jump to another phase leads, for the timeline that asked.
fn sought(state: &mut State, ticket: Ticket, found: Option<usize>) {
    let mut missed = false;
    for screen in state.layers.all_mut::<PipelineScreen>() {
        let view = &mut screen.timeline;
        if view.seeking == Some(ticket) {
            view.seeking = None;
            view.event = found.unwrap_or(view.event);
            missed = found.is_none();
        }
    }
    if missed {
        state.refuse(clean!("There is no other phase in that direction."));
    }
}

fn surveyed(state: &mut State, result: Result<Survey>) {
    state.browser.ticket = None;
    match result {
        Err(trouble) => {
            state.note(trouble.text.clean());
            state.browser.trouble = Some(trouble);
        }
        Ok(survey) => {
            let text = clean!(
                "Found {} {}.",
                format::count(survey.pipelines.len(), "pipeline"),
                survey.scope.place()
            );
            if !state.browser.surveyed {
                state.note(text);
            }
            let gone = vanished(&state.browser, &survey);
            if let number @ 1.. = gone.len() {
                let number = format::count_of(number, "pipeline is", "pipelines are");
                let text = clean!("{} gone: {}", number, format::list_first(gone, 3));
                state.note(text.clone());
                state.refuse(text);
            }
            note_unread(state, &survey);
            let browser = &mut state.browser;
            browser.trouble = None;
            browser.surveyed = true;
            browser.scope = Some(survey.scope);
            browser.skipped = survey.skipped;
            browser.elsewhere = survey.hidden.outside();
            browser.searched = survey.roots;
            change_rows(state, |browser| browser.replace(survey.pipelines));
            let browser = &mut state.browser;
            browser.arrange();
            // From now on the selection stays where it is, whatever arrives.
            browser.chosen |= !browser.ids.is_empty();
            watch(state);
            refresh(state);
        }
    }
    if state.browser.again {
        browser::look(state);
    }
}

/// Changes the rows. A plan on the screen is computed again if its pipeline is not as it was.
fn change_rows(state: &mut State, change: impl FnOnce(&mut Browser)) {
    let plan = state.layers.top_as::<PlanScreen>();
    let planned = plan.map(|plan| plan.about.pipeline().clone());
    let row = |browser: &Browser| browser.pipeline(planned.as_ref()?).cloned();
    let before = row(&state.browser);
    change(&mut state.browser);
    if let Some(id) = planned.as_ref().filter(|_| before.is_some())
        && row(&state.browser) != before
    {
        plan::outdated(state, id);
    }
}

/// Logs each path that cannot be read, once: the list only counts them.
fn note_unread(state: &mut State, survey: &Survey) {
    for one in survey.skipped.iter().filter(|one| one.unread) {
        if !state.browser.skipped.contains(one) {
            state.note(clean!("{} cannot be read: {}", one.path, one.reason));
        }
    }
}

/// The pipelines that an earlier survey of the same scope found and this one does not: their files are gone.
fn vanished(browser: &Browser, survey: &Survey) -> Vec<String> {
    let same = browser.surveyed && browser.scope == Some(survey.scope);
    let rows = browser.rows.iter().filter(|_| same);
    let ids = rows.map(|row| &row.pipeline.id);
    let found: BTreeSet<_> = survey.pipelines.iter().map(|one| &one.id).collect();
    ids.filter(|id| !found.contains(id))
        .map(|id| id.0.clone())
        .collect()
}

/// Watches the directories in which a change may change what is shown: those of the state files, the projects, which may
/// go while their records stay, and the backups that an open history lists, which another relight may delete.
fn watch(state: &mut State) {
    let places = state.browser.rows.iter().flat_map(|row| {
        let read = &row.pipeline.reading;
        let files = read.state_files.iter().filter_map(|file| file.parent());
        let projects = [Some(read.root.as_path()), read.work_tree.as_deref()];
        files.chain(projects.into_iter().flatten())
    });
    let backups = state.layers.all::<RecoveriesScreen>();
    let backups = backups.flat_map(RecoveriesScreen::backups);
    let places: BTreeSet<&Path> = places.chain(backups).collect();
    let places = places.into_iter().map(Path::to_owned).collect();
    state.effects.push(Effect::Watch(places));
}

/// Forgets dossiers that no longer fit their pipeline, and reads again those that are on the screen. What was measured in
/// a work tree that went, or was found, is measured again.
fn refresh(state: &mut State) {
    let browser = &state.browser;
    let outdated = state.dossiers.iter().filter(|(id, load)| {
        let known = load.ready().map(|dossier| dossier.listed());
        known.as_deref() != browser.pipeline(id).map(Arc::as_ref)
    });
    let outdated: Vec<PipelineId> = outdated.map(|(id, _)| id.clone()).collect();
    for id in outdated {
        let tree = |pipeline: &Pipeline| pipeline.reading.work_tree.clone();
        let known = state.dossiers.get(&id).and_then(Load::ready);
        let known = known.and_then(|dossier| tree(&dossier.pipeline));
        if known != state.browser.pipeline(&id).and_then(|one| tree(one)) {
            let screens = state.layers.all_mut::<PipelineScreen>();
            screens
                .filter(|screen| screen.id == id)
                .for_each(|screen| screen.drifts = Drifts::default());
        }
        read_again(state, id);
    }
}

/// Reads a dossier again where a screen shows it, and forgets it otherwise.
pub(super) fn read_again(state: &mut State, id: PipelineId) {
    let is_open =
        |screen: &dyn Screen| screen.shows_dossier() && screen.subject(state).as_ref() == Some(&id);
    if state.layers.iter().any(is_open) {
        pipeline::read(state, id);
    } else {
        state.dossiers.remove(&id);
    }
}

fn dossier(state: &mut State, ticket: Ticket, id: &PipelineId, result: Result<Dossier>) {
    let awaited = state.reading.remove(&ticket).is_some();
    let preview = state.preview.take_if(|(wanted, _)| *wanted == ticket);
    if !awaited && preview.is_none() {
        return;
    }
    // Rows are shown while the survey still runs, before their pipelines can be asked for.
    let early = !state.browser.surveyed && !awaited;
    if early && matches!(&result, Err(why) if why.kind == ErrorKind::NotFound) {
        return;
    }
    let result = result.map(|mut dossier| {
        // Worst first; within a verdict the order of the note stays.
        let worst = |check: &Check| std::cmp::Reverse(check.verdict);
        dossier.checks.sort_by_key(worst);
        dossier
    });
    let load = state.load(result);
    if let Some(dossier) = load.ready() {
        let checks = CheckSummary::of(&dossier.checks);
        let cause = dossier.why.as_ref().map(|why| why.cause.clone());
        state.browser.verified(id, (checks, cause), state.now);
        for screen in state.layers.all_mut::<PipelineScreen>() {
            if screen.id == *id {
                screen.reselect(dossier);
            }
        }
        for picker in state.layers.all_mut::<Picker>() {
            if picker.id == *id {
                picker.reselect(dossier);
            }
        }
    }
    state.dossiers.insert(id.clone(), load);
    detail::read_again(state, id);
}
