//! Rounds as sides of a comparison: the work of each researcher, the figures of the round, the files that
//! belong to one round alone. Tables and researcher logs hold all rounds, so they are figures here and no files.

mod figures;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::standing::Standing;
use super::work;
use super::{Evidence, State};
use crate::model::{Run, RunKind, RunTree, Stamp, Status, TestOutcome, Work, WorkStatus};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::rounds::Judgement;
use crate::systems::plural;
use crate::world::World;

/// The rounds that left anything, the first one first.
pub(crate) fn all(conference: &Conference, world: &dyn World) -> Vec<Run> {
    let (raw, state) = (&conference.raw, &conference.state);
    let mut rounds: BTreeSet<u64> = state.work.rounds();
    rounds.extend(&state.completed);
    rounds.extend(raw.posters.keys());
    rounds.extend(raw.reviews.keys());
    let artifacts = figures::artifacts(conference, world);
    rounds
        .into_iter()
        .filter(|number| *number > 0)
        .map(|number| Round { conference, number }.run(&artifacts))
        .collect()
}

struct Round<'a> {
    conference: &'a Conference,
    number: u64,
}

impl Round<'_> {
    fn run(&self, artifacts: &[String]) -> Run {
        let n = self.number;
        let title = self.conference.reading.title.clone();
        let mut work: Vec<Work> = self
            .state()
            .ids
            .iter()
            .filter_map(|id| self.researcher(*id))
            .collect();
        work.extend(self.poster());
        work.extend(self.review());
        let started_at = self
            .begun()
            .or_else(|| work.iter().filter_map(|one| one.begun_at).min());
        let ended = self.conference.reading.claim.status == Status::Complete;
        let shared = "A round begins with what the rounds before it shared, so two rounds are no trials of the same thing.";
        Run {
            name: format!("round-{n}"),
            kind: RunKind::Round,
            title: format!("Round {n}: {}", title.lossy()).into(),
            session: None,
            start: None,
            mutations: Vec::new(),
            started_at,
            work,
            outcome: TestOutcome::Unknown,
            measures: self.measures(),
            tree: RunTree::Files(self.files(artifacts)),
            confounders: if n > 1 {
                vec![shared.into()]
            } else {
                Vec::new()
            },
            unfinished: !ended && !self.state().is_over(n),
        }
    }

    fn state(&self) -> &State {
        &self.conference.state
    }

    /// When the round was begun, where an event says so.
    fn begun(&self) -> Option<Stamp> {
        let events = self.conference.raw.events().iter();
        let mut starts =
            events.filter(|e| e.name == "round.started" && e.round == Some(self.number));
        starts.find_map(|event| event.at)
    }

    fn researcher(&self, id: char) -> Option<Work> {
        let run = self.state().work.run(self.number, id);
        let (status, why) = self.status(id, run)?;
        let times = || {
            run.into_iter()
                .flat_map(|run| run.values().filter_map(|one| one.at))
        };
        let begun = self.begun();
        // The times of iterations alone are when they ended, so they bound nothing.
        let lasted = begun
            .zip(times().max())
            .and_then(|(from, to)| u64::try_from(to.unix() - from.unix()).ok());
        let mut one = blank(&id.to_string(), "researcher", "1");
        one.status = status;
        one.duration_s = lasted.filter(|_| status != WorkStatus::Open);
        one.begun_at = begun.or_else(|| times().min());
        one.summary = Some(self.summary(run, why).into());
        Some(one)
    }

    /// How a researcher's part ended, and why where it did not end well; `None` where it had no part.
    fn status(&self, id: char, run: Option<&work::Run>) -> Option<(WorkStatus, Option<String>)> {
        let state = self.state();
        if let Some(why) = self.stuck(id) {
            return Some(why);
        }
        let standing = state
            .standings
            .get(&id)
            .filter(|_| self.number == state.round);
        if let Some(standing) = standing {
            let open = (WorkStatus::Open, Some(standing.word()));
            return match standing {
                Standing::Complete(_) | Standing::Probably(_) => {
                    Some((WorkStatus::Completed, None))
                }
                Standing::Incomplete(_) => Some(open),
                Standing::Untouched => (!state.is_over(self.number)).then_some(open),
            };
        }
        let failed = run?.values().all(|one| one.status.contains("fail"));
        let status = if failed {
            WorkStatus::Failed
        } else {
            WorkStatus::Completed
        };
        Some((status, failed.then(|| "every iteration failed".to_owned())))
    }

    /// A timeout ends a researcher's part without an answer; level 3 ends it without success.
    fn stuck(&self, id: char) -> Option<(WorkStatus, Option<String>)> {
        let events = self.conference.raw.events().iter();
        let mut stuck = events.filter(|e| {
            e.name == "researcher.stuck" && e.researcher == Some(id) && e.round == Some(self.number)
        });
        stuck.find_map(
            |event| match (event.text("stuck_level"), event.int("stuck_level")) {
                (Some("timeout"), _) => {
                    Some((WorkStatus::Error, Some("it ran out of time".to_owned())))
                }
                (Some("3"), _) | (_, Some(3)) => Some((
                    WorkStatus::Failed,
                    Some("it was stuck at level 3".to_owned()),
                )),
                _ => None,
            },
        )
    }

    fn summary(&self, run: Option<&work::Run>, why: Option<String>) -> String {
        let direction = self.conference.raw.config.as_ref();
        let direction = direction.map(|config| config.direction).unwrap_or_default();
        let mut best: Option<(f64, i64, &work::Iteration)> = None;
        for (index, one) in run.into_iter().flatten() {
            if let Some(value) = one.result()
                && best.is_none_or(|(known, ..)| direction.better(value, known))
            {
                best = Some((value, *index, one));
            }
        }
        let mut parts: Vec<String> = why.into_iter().collect();
        if let Some((value, index, one)) = best {
            let what = if one.description.is_empty() {
                String::new()
            } else {
                format!(": {}", one.description)
            };
            parts.push(format!("best {value} at iteration {index}{what}"));
        }
        let count = run.map_or(0, std::collections::BTreeMap::len);
        parts.push(plural::of(count, "iteration", "iterations"));
        parts.join("; ")
    }

    fn poster(&self) -> Option<Work> {
        let known = self.conference.raw.posters.get(&self.number);
        let size = known.map(|(size, _)| *size);
        let name = format!("poster_session_round_{}.md", self.number);
        let held = self.held("round.poster_session", self.state().poster);
        self.session("poster session", "2", held, size, &name)
    }

    fn review(&self) -> Option<Work> {
        let known = self.conference.raw.reviews.get(&self.number);
        let name = format!("peer_review_round_{}.md", self.number);
        let size = known.map(|(size, _)| *size);
        let held = self.held("round.peer_review", self.state().review);
        let mut one = self.session("peer review", "3", held, size, &name)?;
        one.summary = known.map(|(_, review)| {
            let count = |what| review.count(what);
            let (yes, maybe, no) = (
                count(Judgement::Validated),
                count(Judgement::Challenged),
                count(Judgement::Overturned),
            );
            format!("{yes} validated, {maybe} challenged, {no} overturned").into()
        });
        Some(one)
    }

    /// True where an event, or the evidence for the open round, says that a shared phase was held.
    fn held(&self, event: &str, evidence: Evidence) -> bool {
        let mut events = self.conference.raw.events().iter();
        let told = events.any(|e| e.name == event && e.round == Some(self.number));
        told || (self.number == self.state().round && evidence.holds())
    }

    /// A phase that all researchers share; `None` where nothing of it is there.
    fn session(
        &self,
        role: &str,
        phase: &str,
        held: bool,
        size: Option<u64>,
        name: &str,
    ) -> Option<Work> {
        if size.is_none() && !held {
            return None;
        }
        let mut one = blank(role, role, phase);
        if held || self.state().is_over(self.number) {
            one.status = WorkStatus::Completed;
        }
        one.output = size.map(|_| self.conference.raw.path(name));
        Some(one)
    }
}

fn blank(key: &str, role: &str, phase: &str) -> Work {
    Work {
        key: key.to_owned(),
        new: false,
        seq: None,
        role: role.into(),
        template: None,
        phase: phase.into(),
        status: WorkStatus::Open,
        verdict: TestOutcome::Unknown,
        duration_s: None,
        begun_at: None,
        summary: None,
        dispatch: None,
        output: None,
        mutation: None,
        model: None,
    }
}
