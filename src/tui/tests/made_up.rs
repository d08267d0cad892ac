//! A made-up machine with pipelines in every state, some of them hostile to a terminal.

mod dossier;
mod pipelines;
mod plan;

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use dossier::{checkpoints, checks, events, points};
use pipelines::{SKETCHES, id, pipeline};
use plan::plan;

use crate::model::*;
use crate::tui::data::{Dossier, Request, Scope, Sides, Skipped, Survey, Trouble};
use crate::tui::worker::Source;

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
pub(super) struct MadeUp {
    /// Nothing is there at all.
    pub(super) empty: bool,
    /// Looking fails.
    pub(super) broken: bool,
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
        let pipeline = pipeline(sketch.ok_or_else(|| Trouble::new("There is no such pipeline."))?);
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
        point: Option<&PointId>,
        options: &PlanOptions,
    ) -> Result<Plan, Trouble> {
        let points = points();
        let found = points
            .iter()
            .find(|known| point.map_or(known.recommended, |point| known.boundary.id == *point));
        let found = found.ok_or_else(|| Trouble::new("There is no such point."))?;
        Ok(plan(found, options, id))
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
