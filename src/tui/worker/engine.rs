//! The engine as the console's source: each question is one call.

use crate::engine::{Consent, Engine};
use crate::tui::data::{Launched, Made};
use crate::tui::prelude::*;
use crate::tui::screens::batch::Done;
use crate::tui::screens::recoveries::DELETED;
use crate::tui::worker::answers::{counted, deleted, filter, passages, presentable, seek_phase};
use crate::tui::worker::{Source, Tell};

/// The request as the engine takes it. A scope that was chosen in the console searches further than the named
/// paths; complete pipelines come too, because the list hides those itself.
fn widened(mut request: Request) -> Request {
    if !matches!(request.scope, Some(Scope::Paths) | None) {
        request.paths.clear();
    }
    request.all = true;
    request
}

fn with_replays(engine: &Engine, id: &PipelineId) -> Result<Dossier> {
    let mut dossier = engine.dossier(id)?;
    // An error is shown on the screen that lists them.
    dossier.replays = engine.replay_list_as_read(id).unwrap_or_default().sessions;
    dossier.why = engine.why(id, false).ok();
    // The list says so too.
    if let Some(why) = &dossier.why {
        dossier.pipeline.standing.wait_for(&why.cause);
    }
    Ok(dossier)
}

/// Whose backups the purge of a recovery deletes, and what is lost with them. Refuses where somebody else has deleted them.
fn doomed(engine: &Engine, id: &RecoveryId) -> Result<(Vec<Recovery>, PurgeLoss)> {
    let all = engine.purgeable(std::slice::from_ref(&id.0))?;
    if all.iter().all(|one| one.purged) {
        return Err(EngineError::refused(DELETED));
    }
    let loss = engine.purge_loss(&all);
    Ok((all, loss))
}

/// Deletes backups. Gives what was deleted, a sentence each, and how many recoveries were left.
fn purged(
    engine: &Engine,
    all: &[Recovery],
    loss: &PurgeLoss,
    cancel: &Cancel,
) -> Result<(Vec<String>, usize)> {
    all.iter()
        .try_for_each(|one| doomed(engine, &one.id).map(drop))?;
    let report = engine.purge(all, (&[], &Request::default()), cancel)?;
    let gone = all.iter().filter(|one| report.purged.contains(&one.id));
    let left = report.left.len();
    Ok((loss.after(gone, report.bytes, left == 0), left))
}

/// The same for a replay, or all runs of an experiment.
fn purged_replays(engine: &Engine, name: String, cancel: &Cancel) -> Result<(Vec<String>, usize)> {
    let (found, gone) = engine.purgeable_replays(&[name])?;
    if let Some(name) = gone.first() {
        let text = format!("Replay {name} is deleted already.");
        return Err(EngineError::refused(text));
    }
    let report = engine.purge_replays(&engine.hold_replays(found)?, cancel)?;
    let said = deleted(report.purged.len(), report.bytes);
    Ok((vec![said], report.left.len()))
}

impl Source for Engine {
    fn now(&self) -> DateTime<FixedOffset> {
        Self::now(self)
    }

    fn answer(&self, query: Query, tell: Tell<'_>, stop: &dyn Fn() -> bool) -> Reply {
        let staged = |progress: &StageProgress| tell(Reply::Progress(progress.clone()));
        let replayed = |progress: &ReplayProgress| tell(Reply::Replaying(progress.clone()));
        match query {
            Query::Survey(request) => {
                let found = |pipeline: &Pipeline| tell(Reply::Found(Box::new(pipeline.clone())));
                Reply::Survey(self.survey(&widened(request), &found))
            }
            Query::Verify(ids) => {
                Reply::Verified(ids.into_iter().map(|id| judged(self, id)).collect())
            }
            Query::Checks(id) => Reply::Batch(id.clone(), verified(self, &id)),
            Query::ExportReport(id, into) => Reply::Batch(
                id.clone(),
                self.export_report(&id, &into).map(Done::Exported),
            ),
            Query::Dossier { id, .. } => Reply::Dossier(id.clone(), with_replays(self, &id)),
            Query::Drift(id, checkpoint) => {
                let drift = self.drift(&id, &checkpoint);
                Reply::Drift(id, checkpoint.id, drift)
            }
            Query::Plan(id, choice, options) => {
                Reply::Plan(made(self, self.plan(&id, &choice, &options)))
            }
            Query::UndoPlan {
                recovery,
                redo,
                options,
                request,
            } => {
                let (id, request) = (Some(&*recovery.0), widened(*request));
                let plan = self.undo_plan(id, redo, &options, &request);
                Reply::Plan(made(self, plan))
            }
            Query::Diff(of, options) => Reply::Diff(difference(self, &of, options)),
            Query::Count(plan, paths) => Reply::Counted(counted(&paths, &|(action, path)| {
                self.sides(&plan, action, Some(path)).ok()
            })),
            Query::Raw(origin) => {
                Reply::Raw(self.raw(&origin).map(|raw| presentable(raw.as_bytes())))
            }
            Query::Passages(id, of) => Reply::Raw(passages_of(self, &id, &of)),
            Query::Filter(rows, text) => Reply::Hits(filter(&rows.0, &text, stop)),
            Query::SeekPhase {
                rows,
                from,
                forward,
            } => Reply::Sought(seek_phase(&rows.0, from, forward)),
            Query::Apply(plan, typed, cancel) => {
                Reply::Applied(apply(self, &plan, &typed, &staged, &cancel))
            }
            Query::Rehearse(plan, cancel) => {
                let check = Some(&*self.settings().check).filter(|check| !check.is_empty());
                Reply::Rehearsed(self.rehearse(&plan, check, &staged, &cancel))
            }
            Query::Recoveries(request) => Reply::Recoveries(self.history(&widened(request))),
            Query::Pending(request) => Reply::Pending(self.pending(&widened(request))),
            Query::Recover {
                id,
                how,
                keep,
                request,
                cancel,
            } => {
                let options = UndoOptions {
                    keep,
                    ..UndoOptions::default()
                };
                let (id, request) = (Some(&*id.0), widened(*request));
                Reply::Recovered(self.recover(id, &how, &options, &request, &cancel))
            }
            Query::PurgeLoss(id) => Reply::PurgeLoss(doomed(self, &id)),
            Query::Purge(all, loss, cancel) => Reply::Purged(purged(self, &all, &loss, &cancel)),
            Query::Ledger(id) => Reply::Ledger(self.ledger(&id)),
            Query::WatchRecords(id) => Reply::Watching(self.watch_start(&id)),
            Query::Look(watch) => Reply::Looked(self.watch_look(&watch)),
            Query::Replays(id) => Reply::Replays(self.replay_list(&id)),
            Query::ReplayDetails(id) => Reply::ReplayDetails(self.replay_details(&id)),
            Query::PurgeReplays(id, replay, cancel) => {
                Reply::Purged(purged_replays(self, format!("{id}/{replay}"), &cancel))
            }
            Query::CompletePath {
                typed,
                folders,
                around,
            } => Reply::Paths(self.complete_path(&typed, &folders, &around)),
            Query::ReplayPlan(id, ask) => Reply::ReplayPlan(self.replay_plan(&id, &ask)),
            Query::Replay(plan, cancel) => Reply::Replayed(self.replay(&plan, &replayed, &cancel)),
            Query::ReplayContinue(id, of, cancel) => Reply::Replayed(
                self.replay_continue(&id, &of, &replayed, &cancel)
                    .map(|session| vec![session]),
            ),
            Query::ReplayExtend(id, of, blocks, cancel) => {
                let more = (blocks, false);
                Reply::Replayed(self.replay_extend(&id, &of, more, &replayed, &cancel))
            }
            Query::Operands(id) => Reply::Operands(self.operands(&id)),
            Query::Compare { id, a, b } => {
                Reply::Compared(self.compare(&id, a.as_deref(), b.as_deref()))
            }
        }
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>> {
        self.edit_text(text)
    }

    fn open(&self, origin: &Origin) -> Result<()> {
        self.show_file(origin)
    }

    fn copy(&self, text: &str) -> Option<&'static str> {
        self.copy_text(text)
    }

    fn launch(&self, id: &PipelineId, handoff: &Handoff) -> Result<Launched> {
        self.still_fits(id, handoff)?;
        // The watch starts before the launch, so that the first record is not missed. A launch works without one, too.
        let watch = self.watch_start(id).ok();
        let end = Self::launch(self, handoff)?;
        let seen = watch.as_ref().and_then(|watch| self.watch_look(watch).ok());
        Ok(Launched {
            end,
            seen: seen.unwrap_or(Resumed::No),
            watch,
        })
    }
}

/// The checks of a pipeline, the worst first.
fn verified(engine: &Engine, id: &PipelineId) -> Result<Done> {
    let mut checks = engine.checks(id)?;
    checks.sort_by_key(|check| std::cmp::Reverse(check.verdict));
    Ok(Done::Verified(checks))
}

/// The two sides of something, with the title of both.
fn difference(
    engine: &Engine,
    of: &DiffSource,
    options: crate::diff::Options,
) -> Result<(Foreign, Diff)> {
    let sides = match of {
        DiffSource::Plan { plan, action, path } => engine.sides(plan, *action, *path),
        DiffSource::Comparison { comparison, what } => engine.compared(comparison, *what),
    }?;
    let forms = sides.forms;
    let diff = crate::diff::rows(sides.before, sides.after, options);
    Ok((sides.title, Diff { forms, ..diff }))
}

fn made(engine: &Engine, plan: Result<Plan>) -> Result<Made> {
    let plan = plan?;
    let writes = !plan.actions.is_empty();
    let kept_in = writes.then(|| engine.kept_in(&plan)).flatten();
    Ok(Made { plan, kept_in })
}

/// The last passages of a conversation that worked on a pipeline.
fn passages_of(engine: &Engine, id: &PipelineId, of: &Foreign) -> Result<Vec<Clean>> {
    let why = engine.why(id, true)?;
    Ok(passages(&why, of))
}

/// A row of the list: what its checks come to, and why it stopped.
fn judged(engine: &Engine, id: PipelineId) -> (PipelineId, CheckSummary, Option<Cause>) {
    let (checks, cause) = (engine.check_summary(&id), engine.listed_cause(&id));
    (id, checks, cause)
}

fn apply(
    engine: &Engine,
    plan: &Plan,
    typed: &str,
    tell: &(dyn Fn(&StageProgress) + Sync),
    cancel: &Cancel,
) -> Result<Outcome> {
    let consent = Consent::typed(plan, typed).ok_or_else(|| {
        let text = "The typed answer does not confirm this plan; nothing was changed.";
        EngineError::new(ErrorKind::Consent, text)
    })?;
    engine.apply(plan, &consent, tell, cancel)
}
