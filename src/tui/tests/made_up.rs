//! A synthetic machine with pipelines in every state, some of them hostile to a terminal.

mod acting;
mod batch;
mod blocks;
mod comparison;
mod dossier;
mod pipelines;
mod plan;
mod replay_plan;
pub(super) mod replays;
mod tame;

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use dossier::{checkpoints, checks, events, passages, points, why};
use pipelines::{SKETCHES, id, pipeline};
use plan::plan;

use crate::model::*;
use crate::tui::data::{Launched, Made, Watch};
use crate::tui::msg::{Query, Reply};
use crate::tui::screens::diff::DiffSource;
use crate::tui::worker::{Source, Tell, counted, filter, presentable, seek_phase};

pub(super) use acting::{End, TellStage, error, recoveries};

/// Seconds since 1970 of the synthetic now: 2026-11-21 12:00:00 UTC.
pub(super) const NOW: i64 = 1_795_262_400;

/// A line of a state file, with a control character in it.
const RAW: &[u8] = br#"{"seq":8,"status":"failed","goal":"\u001b[31m","nested":{"a":[1,2]}}"#;

fn diff(of: &DiffSource, options: crate::diff::Options) -> (Foreign, crate::diff::Diff) {
    let of = match of {
        DiffSource::Plan { plan, action, path } => plan::sides(plan, *action, *path),
        DiffSource::Comparison { comparison, what } => comparison::sides(comparison, *what),
    };
    // A busy machine must not make it coarse.
    let options = crate::diff::Options {
        deadline: std::time::Duration::from_secs(3600),
        ..options
    };
    let diff = crate::diff::rows(of.before, of.after, options);
    let forms = of.forms;
    (of.title, crate::diff::Diff { forms, ..diff })
}

pub(super) fn stamp(seconds_ago: i64) -> Stamp {
    Stamp::from_unix(NOW - seconds_ago).unwrap()
}

pub(super) fn now() -> DateTime<FixedOffset> {
    stamp(0).at
}

/// The synthetic machine.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that may be wrong with a machine"
)]
pub(super) struct MadeUp {
    /// Nothing hostile or wide is there, so that a picture can be shown to anybody.
    pub(super) tame: bool,
    /// Nothing is there at all.
    pub(super) empty: bool,
    /// Looking fails.
    pub(super) broken: bool,
    /// Every guard of a plan holds.
    pub(super) ready: bool,
    /// Plans replace nothing.
    pub(super) gentle: bool,
    /// No plan writes anything.
    pub(super) bare: bool,
    /// Whether a pipeline is still running is unknown.
    pub(super) unknown: bool,
    /// A guard that only the person can answer: `branch`, or one that asks to be accepted.
    pub(super) open: &'static str,
    /// A plan comes out different each time.
    pub(super) restless: std::sync::atomic::AtomicUsize,
    /// A crash left a recovery pending.
    pub(super) pending: bool,
    /// That one was not interrupted: another relight applies it.
    pub(super) running: bool,
    /// The agent stopped at a usage limit that has not reset.
    pub(super) limited: bool,
    /// A replay never ends well.
    pub(super) unlucky: bool,
    /// No replay was ever made.
    pub(super) fresh: bool,
    /// What the person's editor makes of a text; it leaves it as it is where this is empty.
    pub(super) edit: Vec<u8>,
    /// Entries of the history that cannot be read.
    pub(super) unreadable: usize,
    /// How writing ends.
    pub(super) end: End,
    /// What was asked to be written, in order.
    pub(super) asked: Arc<std::sync::Mutex<Vec<String>>>,
}

impl MadeUp {
    /// A machine on which everything can be applied.
    pub(super) fn ready() -> Self {
        Self {
            ready: true,
            ..Self::default()
        }
    }

    fn reply(&self, query: Query, tell: Tell<'_>, stop: &dyn Fn() -> bool) -> Reply {
        let staged = |progress: &StageProgress| tell(Reply::Progress(progress.clone()));
        let replayed = |progress: &ReplayProgress| tell(Reply::Replaying(progress.clone()));
        match query {
            Query::Survey(request) => {
                Reply::Survey(self.survey(&request, &|found| tell(Reply::Found(Box::new(found)))))
            }
            Query::Verify(ids) => {
                let verified = |id: PipelineId| {
                    let checks = self.dossier(&id).map(|of| CheckSummary::of(&of.checks));
                    (id, checks.unwrap_or(CheckSummary::UNREADABLE), None)
                };
                Reply::Verified(ids.into_iter().map(verified).collect())
            }
            Query::Checks(id) => self.verified(id),
            Query::ExportReport(id, into) => self.exported(id, &into),
            Query::Dossier { id, .. } => Reply::Dossier(id.clone(), self.dossier(&id)),
            Query::Drift(id, of) => {
                let drift = Ok(Self::drift(&of));
                Reply::Drift(id, of.id, drift)
            }
            Query::Plan(id, choice, options) => {
                Reply::Plan(self.plan(&id, &choice, &options).map(made))
            }
            Query::UndoPlan {
                recovery, options, ..
            } => {
                let plan = acting::undo(&recovery, &options).map(|mut plan| {
                    acting::judge_liveness(self, &mut plan, options.assume_stopped);
                    made(plan)
                });
                Reply::Plan(plan)
            }
            Query::Diff(of, options) => Reply::Diff(Ok(diff(&of, options))),
            Query::Count(of, paths) => Reply::Counted(counted(&paths, &|(action, path)| {
                Some(plan::sides(&of, action, Some(path)))
            })),
            Query::Raw(_) => Reply::Raw(Ok(presentable(RAW))),
            Query::Passages(..) => Reply::Raw(Ok(passages())),
            Query::Filter(rows, text) => Reply::Hits(filter(&rows.0, &text, stop)),
            Query::SeekPhase {
                rows,
                from,
                forward,
            } => Reply::Sought(seek_phase(&rows.0, from, forward)),
            Query::Apply(plan, typed, _) => Reply::Applied(self.apply(&plan, &typed, &staged)),
            Query::Rehearse(plan, _) => {
                acting::told(&staged);
                Reply::Rehearsed(Ok(acting::rehearsal(&plan)))
            }
            Query::Recoveries(_) => Reply::Recoveries(Ok(self.past())),
            Query::Pending(_) => {
                let mut all = recoveries(self.pending && !self.running);
                all.retain(|recovery| recovery.state == RecoveryState::NeedsAttention);
                Reply::Pending(Ok(all))
            }
            Query::Recover { id, how, keep, .. } => {
                let kept = if keep.is_empty() {
                    String::new()
                } else {
                    format!(" keep {keep:?}")
                };
                self.wrote(format!("settle {id} {how:?}{kept}"));
                Reply::Recovered(acting::recovered(self.end, &how))
            }
            Query::PurgeLoss(id) => Reply::PurgeLoss(Ok(acting::purge_loss(self.past(), &id))),
            Query::Purge(all, loss, _) => {
                self.wrote(format!("purge {}", all.len()));
                Reply::Purged(Ok((loss.after(all.iter(), 97, true), 0)))
            }
            Query::Ledger(_) => Reply::Ledger(Ok(acting::ledger())),
            Query::WatchRecords(_) => Reply::Watching(Ok(Watch::default())),
            Query::Look(_) => Reply::Looked(Ok(Resumed::No)),
            Query::Replays(id) => Reply::Replays(Ok(self.replay_list(&id))),
            Query::ReplayDetails(_) => Reply::ReplayDetails(Ok(replays::details())),
            Query::PurgeReplays(_, replay, _) => {
                self.wrote(format!("purge {replay}"));
                Reply::Purged(Ok(replays::purged(&replay)))
            }
            Query::ReplayExtend(_, experiment, blocks, cancel) => {
                self.continued(format!("extend {experiment} {blocks}"), &replayed, &cancel)
            }
            Query::CompletePath { typed, .. } => Reply::Paths(replay_plan::paths(&typed)),
            Query::ReplayPlan(id, ask) => Reply::ReplayPlan(replay_plan::answer(&id, &ask)),
            Query::Replay(plan, cancel) => Reply::Replayed(self.replay(&plan, &replayed, &cancel)),
            Query::ReplayContinue(_, session, cancel) => {
                self.continued(format!("continue {session}"), &replayed, &cancel)
            }
            Query::Operands(_) => Reply::Operands(Ok(if self.fresh {
                Vec::new()
            } else {
                replays::operands()
            })),
            Query::Compare { a, b, .. } => Reply::Compared(if self.fresh {
                Err(error("There is nothing to compare."))
            } else {
                Ok(comparison::comparison(a.as_deref(), b.as_deref()))
            }),
        }
    }

    fn continued(&self, what: String, tell: TellReplay<'_>, cancel: &Cancel) -> Reply {
        self.wrote(what);
        tell(&replays::progress(1));
        Reply::Replayed(Ok(replays::ran(1, cancel.is_cancelled())))
    }

    fn wrote(&self, what: String) {
        self.asked.lock().unwrap().push(what);
    }
}

type TellReplay<'a> = &'a dyn Fn(&ReplayProgress);

impl Source for MadeUp {
    fn now(&self) -> DateTime<FixedOffset> {
        now()
    }

    fn answer(&self, query: Query, tell: Tell<'_>, stop: &dyn Fn() -> bool) -> Reply {
        if self.tame {
            return tame::tamed(self.reply(query, &|_| {}, stop));
        }
        self.reply(query, tell, stop)
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>> {
        Ok(if self.edit.is_empty() {
            text.to_vec()
        } else {
            self.edit.clone()
        })
    }

    fn open(&self, _: &Origin) -> Result<()> {
        Ok(())
    }

    fn launch(&self, _: &PipelineId, _: &Handoff) -> Result<Launched> {
        Err(error("There is no terminal here."))
    }
}

fn made(plan: Plan) -> Made {
    let writes = !plan.actions.is_empty();
    Made {
        plan,
        kept_in: writes.then(|| "/home/ada/.local/state/relight/shop".into()),
    }
}

impl MadeUp {
    fn past(&self) -> History {
        if self.empty {
            return History::default();
        }
        let mut recoveries = recoveries(self.pending);
        for one in &mut recoveries {
            one.running = self.running && one.state == RecoveryState::NeedsAttention;
        }
        self.limit(recoveries.iter_mut().map(|one| &mut one.handoff));
        History {
            recoveries,
            unreadable: acting::unreadable(self.unreadable),
        }
    }

    pub(super) fn survey(&self, request: &Request, found: &dyn Fn(Pipeline)) -> Result<Survey> {
        if self.broken {
            return Err(error("The current directory cannot be read.")
                .hint("Change to a directory that exists."));
        }
        let sketches = if self.empty { &[] } else { SKETCHES };
        let pipelines: Vec<Pipeline> = sketches.iter().map(pipeline).collect();
        pipelines.iter().cloned().for_each(found);
        Ok(Survey {
            pipelines,
            skipped: vec![Skipped {
                path: "/home/ada/other/manifest.jsonl".into(),
                reason: "no seq in any line".into(),
                unread: false,
            }],
            hidden: Hidden {
                scope: 12 * u64::from(request.scope != Some(Scope::Machine)),
                ..Hidden::default()
            },
            scope: request.scope.unwrap_or(Scope::Repository),
            roots: ["/home/ada/src/shop", "/home/ada/.claude/projects"]
                .map(Into::into)
                .into(),
        })
    }

    fn dossier(&self, wanted: &PipelineId) -> Result<Dossier> {
        let sketch = SKETCHES.iter().find(|sketch| id(sketch) == *wanted);
        let mut pipeline = pipeline(sketch.ok_or_else(|| error("There is no such pipeline."))?);
        if self.unknown {
            pipeline.standing.liveness.verdict = Aliveness::Unknown;
        }
        if pipeline.standing.status == Status::Unreadable {
            return Err(error("The state file holds no JSON.").hint("Look at it with o."));
        }
        let complete = pipeline.standing.status == Status::Complete;
        let stopped = pipeline.standing.status == Status::Interrupted;
        Ok(Dossier {
            own_findings: 0,
            pipeline,
            timeline: Arc::new(events()),
            checks: if complete {
                checks()
                    .into_iter()
                    .filter(|check| check.verdict == Verdict::Pass)
                    .collect()
            } else {
                checks()
            },
            points: if complete { Vec::new() } else { points() },
            checkpoints: if complete { Vec::new() } else { checkpoints() },
            amendable: true,
            by_steps: false,
            replays: self.replays(wanted),
            why: stopped.then(why),
        })
    }

    fn plan(&self, id: &PipelineId, choice: &PointChoice, options: &PlanOptions) -> Result<Plan> {
        let points = points();
        let found = points.iter().find(|known| match choice {
            PointChoice::Id(point) => known.boundary.id == *point,
            PointChoice::Checkpoint(_) => known.boundary.id.0 == "wave-1",
            _ => known.recommended,
        });
        let found = found.ok_or_else(|| error("There is no such point."))?;
        let mut plan = plan(found, options, id);
        if self.bare {
            plan.actions.clear();
        }
        plan.destructive &= !(self.bare || self.gentle);
        plan.cause = self.limited.then(|| why().cause);
        acting::judge(self, &mut plan, options);
        Ok(plan)
    }

    fn apply(&self, plan: &Plan, typed: &str, tell: TellStage<'_>) -> Result<Outcome> {
        if plan.actions.is_empty() {
            return Ok(acting::nothing_written(plan));
        }
        self.wrote(format!("carry out {} {typed}", plan.point.boundary.id));
        acting::told(tell);
        let mut outcome = acting::outcome(self.end, plan)?;
        self.limit(outcome.handoff.iter_mut());
        Ok(outcome)
    }

    fn limit<'a>(&self, handoffs: impl Iterator<Item = &'a mut Handoff>) {
        handoffs.for_each(|one| one.limit_until = self.limited.then(|| stamp(-5_400)));
    }

    fn replay_list(&self, id: &PipelineId) -> ReplayList {
        if self.fresh || *id != replays::id() {
            return ReplayList::default();
        }
        replays::list()
    }

    fn replays(&self, id: &PipelineId) -> Vec<ReplaySession> {
        if self.fresh || *id != replays::id() {
            return Vec::new();
        }
        replays::sessions()
    }

    fn replay(
        &self,
        plan: &ReplayPlan,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>> {
        self.wrote(format!("replay {}", plan.ask.repeat));
        tell(&replays::progress(plan.ask.repeat));
        if self.unlucky {
            return Err(error("The runner stand-in is not installed.").hint("Name another one."));
        }
        Ok(replays::ran(plan.ask.repeat, cancel.is_cancelled()))
    }
}
