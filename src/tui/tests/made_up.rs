//! A made-up machine with pipelines in every state, some of them hostile to a terminal.

mod acting;
mod comparison;
mod dossier;
mod pipelines;
mod plan;
mod replay_plan;
pub(super) mod replays;

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use dossier::{checkpoints, checks, events, points};
use pipelines::{SKETCHES, id, pipeline};
use plan::plan;

use crate::model::*;
use crate::tui::data::{
    Dossier, Failure, Launched, Operand, PurgeReport, Request, Scope, Settle, Settled, Sides,
    Skipped, Survey, Trouble, Watch,
};
use crate::tui::worker::{Source, Tell, TellReplay};

pub(super) use acting::{End, recoveries};

/// Seconds since 1970 of the made-up now: 2026-11-21 12:00:00 UTC.
pub(super) const NOW: i64 = 1_795_262_400;

pub(super) fn stamp(seconds_ago: i64) -> Stamp {
    Stamp::from_unix(NOW - seconds_ago).unwrap()
}

pub(super) fn now() -> DateTime<FixedOffset> {
    stamp(0).at
}

/// The made-up machine.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that may be wrong with a machine"
)]
pub(super) struct MadeUp {
    /// Nothing is there at all.
    pub(super) empty: bool,
    /// Looking fails.
    pub(super) broken: bool,
    /// Every guard of a plan holds.
    pub(super) ready: bool,
    /// No plan writes anything.
    pub(super) bare: bool,
    /// Nobody knows whether a pipeline is still at work.
    pub(super) unknown: bool,
    /// A plan comes out different each time.
    pub(super) restless: std::sync::atomic::AtomicUsize,
    /// A crash left a recovery pending.
    pub(super) pending: bool,
    /// A replay never ends well.
    pub(super) unlucky: bool,
    /// No replay was ever made.
    pub(super) fresh: bool,
    /// What the person's editor makes of a text; it leaves it as it is where this is empty.
    pub(super) edit: Vec<u8>,
    /// How writing ends.
    pub(super) end: End,
    /// What was asked to be written, in order.
    pub(super) asked: Arc<std::sync::Mutex<Vec<String>>>,
}

impl MadeUp {
    /// A machine on which everything can be carried out.
    pub(super) fn ready() -> Self {
        Self {
            ready: true,
            ..Self::default()
        }
    }

    fn wrote(&self, what: String) {
        self.asked.lock().unwrap().push(what);
    }
}

impl Source for MadeUp {
    fn now(&self) -> DateTime<FixedOffset> {
        now()
    }

    fn survey(
        &self,
        request: &Request,
        found: &(dyn Fn(Pipeline) + Sync),
    ) -> Result<Survey, Trouble> {
        if self.broken {
            return Err(Trouble {
                text: "The current directory cannot be read.".into(),
                hints: vec!["Change to a directory that exists.".into()],
            });
        }
        let sketches = if self.empty { &[] } else { SKETCHES };
        let pipelines: Vec<Pipeline> = sketches.iter().map(pipeline).collect();
        pipelines.iter().cloned().for_each(found);
        Ok(Survey {
            pipelines,
            skipped: vec![Skipped {
                path: "/home/ada/other/manifest.jsonl".into(),
                reason: "no seq in any line".into(),
            }],
            elsewhere: if request.scope == Some(Scope::Machine) {
                0
            } else {
                12
            },
            scope: request.scope.unwrap_or(Scope::Repository),
            searched: vec![
                "/home/ada/src/shop".into(),
                "/home/ada/.claude/projects".into(),
            ],
            watch: Vec::new(),
        })
    }

    fn dossier(&self, wanted: &PipelineId) -> Result<Dossier, Trouble> {
        let sketch = SKETCHES.iter().find(|sketch| id(sketch) == *wanted);
        let mut pipeline =
            pipeline(sketch.ok_or_else(|| Trouble::new("There is no such pipeline."))?);
        if self.unknown {
            pipeline.standing.liveness.verdict = Aliveness::Unknown;
        }
        if pipeline.standing.status == Status::Unreadable {
            return Err(Trouble {
                text: "The state file holds no JSON.".into(),
                hints: vec!["Look at it with o.".into()],
            });
        }
        let complete = pipeline.standing.status == Status::Complete;
        Ok(Dossier {
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
            replays: self.replays(wanted)?,
        })
    }

    fn drift(&self, _: &PipelineId, checkpoint: &Checkpoint) -> Result<Option<Drift>, Trouble> {
        match checkpoint.reason.as_str() {
            Some("pre-wave-1") => Ok(Some(Drift {
                modified: 3,
                missing: 1,
                created: 2,
                not_covered: 1,
                paths: vec![DriftPath {
                    path: "src/cache.rs".into(),
                    state: PathState::Missing,
                    blob: None,
                }],
            })),
            Some("pre-wave-2") => Ok(Some(Drift::default())),
            _ => Ok(None),
        }
    }

    fn plan(
        &self,
        id: &PipelineId,
        choice: &PointChoice,
        options: &PlanOptions,
    ) -> Result<Plan, Trouble> {
        let points = points();
        let found = points.iter().find(|known| match choice {
            PointChoice::Id(point) => known.boundary.id == *point,
            PointChoice::Checkpoint(_) => known.boundary.id.0 == "wave-1",
            _ => known.recommended,
        });
        let found = found.ok_or_else(|| Trouble::new("There is no such point."))?;
        let mut plan = plan(found, options, id);
        if self.bare {
            plan.actions.clear();
            plan.destructive = false;
        }
        acting::judge(self, &mut plan, options);
        Ok(plan)
    }

    fn undo_plan(
        &self,
        recovery: &RecoveryId,
        _: bool,
        options: &crate::model::UndoOptions,
        _: &Request,
    ) -> Result<Plan, Trouble> {
        acting::undo(recovery, options)
    }

    fn kept_in(&self, _: &Plan) -> Option<std::path::PathBuf> {
        Some("/home/ada/.local/state/relight/shop".into())
    }

    fn recoveries(&self, _: &Request) -> Result<Vec<Recovery>, Trouble> {
        Ok(if self.empty {
            Vec::new()
        } else {
            recoveries(self.pending)
        })
    }

    fn pending(&self, _: &Request) -> Result<Vec<Recovery>, Trouble> {
        let mut all = recoveries(self.pending);
        all.retain(|recovery| recovery.state == RecoveryState::NeedsAttention);
        Ok(all)
    }

    fn ledger(&self, _: &PipelineId) -> Result<Vec<Irreversible>, Trouble> {
        Ok(acting::ledger())
    }

    fn rehearse(&self, plan: &Plan, tell: Tell<'_>) -> Result<Rehearsal, Trouble> {
        acting::told(tell);
        Ok(acting::rehearsal(plan))
    }

    fn carry_out(
        &self,
        plan: &Plan,
        typed: &str,
        tell: Tell<'_>,
        _: &Cancel,
    ) -> Result<Outcome, Failure> {
        if plan.actions.is_empty() {
            return Ok(acting::nothing_written(plan));
        }
        self.wrote(format!("carry out {} {typed}", plan.point.boundary.id));
        acting::told(tell);
        acting::outcome(self.end, plan)
    }

    fn settle(
        &self,
        id: &RecoveryId,
        how: &Settle,
        _: &Request,
        _: &Cancel,
    ) -> Result<Settled, Failure> {
        self.wrote(format!("settle {id} {how:?}"));
        acting::settled(self.end, how)
    }

    fn purge(&self, recoveries: &[Recovery], _: &Cancel) -> Result<PurgeReport, Failure> {
        self.wrote(format!("purge {}", recoveries.len()));
        Ok(acting::purged(recoveries))
    }

    fn launch(&self, _: &PipelineId, _: &Handoff) -> Result<Launched, Trouble> {
        Err(Trouble::new("There is no terminal here."))
    }

    fn watch(&self, _: &PipelineId) -> Result<Watch, Trouble> {
        Ok(Watch::default())
    }

    fn look(&self, _: &Watch) -> Result<Resumed, Trouble> {
        Ok(Resumed::No)
    }

    fn compared(&self, comparison: &Comparison, what: Compared) -> Result<Sides, Trouble> {
        Ok(comparison::sides(comparison, what))
    }

    fn replays(&self, id: &PipelineId) -> Result<Vec<ReplaySession>, Trouble> {
        if self.fresh || *id != replays::id() {
            return Ok(Vec::new());
        }
        Ok(replays::sessions())
    }

    fn replay_plan(&self, id: &PipelineId, ask: &ReplayAsk) -> Result<ReplayPlan, Trouble> {
        if *id != replays::id() {
            return Err(Trouble {
                text: "Replays of this system are not supported.".into(),
                hints: vec!["relight compare works.".into()],
            });
        }
        Ok(replay_plan::plan(ask))
    }

    fn replay(
        &self,
        plan: &ReplayPlan,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>, Trouble> {
        self.wrote(format!("replay {}", plan.ask.repeat));
        tell(&replays::progress(plan.ask.repeat));
        if self.unlucky {
            return Err(Trouble {
                text: "The runner stand-in is not installed.".into(),
                hints: vec!["Name another one.".into()],
            });
        }
        Ok(replays::ran(plan.ask.repeat, cancel.is_cancelled()))
    }

    fn replay_continue(
        &self,
        _: &PipelineId,
        session: &SessionId,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<ReplaySession, Trouble> {
        self.wrote(format!("continue {session}"));
        tell(&replays::progress(1));
        let mut sessions = replays::ran(1, cancel.is_cancelled()).into_iter();
        sessions.next().ok_or_else(|| Trouble::new("nothing"))
    }

    fn operands(&self, _: &PipelineId) -> Result<Vec<Operand>, Trouble> {
        Ok(if self.fresh {
            Vec::new()
        } else {
            replays::operands()
        })
    }

    fn compare(
        &self,
        _: &PipelineId,
        a: Option<&str>,
        b: Option<&str>,
    ) -> Result<Comparison, Trouble> {
        if self.fresh {
            return Err(Trouble::new("There is nothing to compare."));
        }
        Ok(comparison::comparison(a, b))
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>, Trouble> {
        Ok(if self.edit.is_empty() {
            text.to_vec()
        } else {
            self.edit.clone()
        })
    }

    fn sides(&self, plan: &Plan, action: usize, path: Option<usize>) -> Result<Sides, Trouble> {
        let action = &plan.actions[action];
        if let Preview::Content { before, after, .. } = &action.preview {
            return Ok(Sides {
                before: before.clone(),
                after: Some(after.clone()),
                title: Foreign::from(&action.target),
            });
        }
        let before: String = (1..=60).fold(String::new(), |text, line| {
            text + &format!(
                "line {line} of the page, as it is
"
            )
        });
        let after = before
            .replace(
                "line 7 of the page, as it is\n",
                "line 7 of the page, as it was\n",
            )
            .replace(
                "line 30 of the page, as it is\n",
                "line 30 日本語 \u{1b}[2J\nand a new line\n",
            )
            .replace("line 50 of the page, as it is\n", "");
        Ok(Sides {
            before: Some(before.into_bytes()),
            after: Some(after.into_bytes()),
            title: path.map_or_else(
                || Foreign::from(&action.target),
                |path| action.paths[path].path.clone(),
            ),
        })
    }

    fn raw(&self, _: &Origin) -> Result<Vec<u8>, Trouble> {
        Ok(
            b"{\"seq\":8,\"status\":\"failed\",\"goal\":\"\\u001b[31m\",\"nested\":{\"a\":[1,2]}}"
                .to_vec(),
        )
    }

    fn open(&self, _: &Origin) -> Result<(), Trouble> {
        Ok(())
    }
}
