//! Rounds as operands of a comparison: the work of each researcher, the figures of the round, the files that belong to
//! one round alone. Tables and researcher logs cover all rounds, so they are figures here, not files.

mod figures;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::research_status::ResearchStatus;
use super::{Session, State, work};
use crate::model::{Run, RunKind, RunTree, Stamp, Status, Work, WorkStatus};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::{Event, Judgement, poster_name, review_name};
use crate::text::Shown as _;
use crate::text::format::count;
use crate::world::World;

/// The rounds with any traces, the first one first.
pub(crate) fn all(conference: &Conference, world: &dyn World) -> Vec<Run> {
    let (raw, state) = (&conference.raw, &conference.state);
    let mut rounds: BTreeSet<u64> = state.work.rounds();
    rounds.extend(&state.completed);
    rounds.extend(raw.posters.keys());
    rounds.extend(raw.reviews.keys());
    let artifacts = figures::artifacts(conference, world);
    let rounds = rounds.into_iter().filter(|number| *number > 0);
    let runs = rounds.map(|number| Round { conference, number }.run(&artifacts));
    runs.collect()
}

struct Round<'a> {
    conference: &'a Conference,
    number: u64,
}

impl Round<'_> {
    fn run(&self, artifacts: &[String]) -> Run {
        let n = self.number;
        let title = self.conference.contents.reading.title.clone();
        let ids = self.state().ids.iter();
        let researchers = ids.filter_map(|id| self.researcher(*id));
        let sessions = [self.poster(), self.review()];
        let work: Vec<Work> = researchers.chain(sessions.into_iter().flatten()).collect();
        let begun = work.iter().filter_map(|one| one.begun_at);
        let started_at = self.begun().or_else(|| begun.min());
        let ended = self.conference.contents.reading.claim.status == Status::Complete;
        let shared = "A round starts with the findings of the rounds before it, so two rounds are not two trials of the same work.";
        Run {
            name: format!("round-{n}"),
            kind: RunKind::Round,
            title: format!("Round {n}: {}", title.shown()).into(),
            started_at,
            work,
            measures: self.measures(),
            tree: RunTree::Files(self.files(artifacts)),
            confounders: (n > 1).then(|| shared.into()).into_iter().collect(),
            unfinished: !ended && !self.state().is_over(n),
            ..Run::default()
        }
    }

    fn state(&self) -> &State {
        &self.conference.state
    }

    fn events(&self, name: &str) -> impl Iterator<Item = &Event> {
        self.conference.raw.of_round(name, self.number)
    }

    /// When the round was started, if an event says so.
    fn begun(&self) -> Option<Stamp> {
        self.events("round.started").find_map(|event| event.at)
    }

    fn researcher(&self, id: char) -> Option<Work> {
        let run = self.state().work.run(self.number, id);
        let (status, why) = self.status(id, run)?;
        let runs = run.into_iter();
        let times = runs.flat_map(|run| run.values().filter_map(|one| one.at));
        let begun = self.begun();
        // The times of iterations are end times only, so they give no start.
        let breaks = work::Breaks::of(&self.conference.raw);
        let lasted = begun.and_then(|begun| {
            let after = times.clone().filter(|at| *at >= begun);
            breaks.worked(after.chain([begun]).collect())
        });
        Some(Work {
            status,
            duration_s: lasted.filter(|_| status != WorkStatus::Open),
            begun_at: begun.or_else(|| times.min()),
            summary: Some(self.summary(run, why).into()),
            ..blank(&id.to_string(), "researcher", "1")
        })
    }

    /// How a researcher's part ended, and why if not normally; `None` if it had no part.
    fn status(&self, id: char, run: Option<&work::Run>) -> Option<(WorkStatus, Option<String>)> {
        let state = self.state();
        if let Some(why) = self.stuck(id) {
            return Some(why);
        }
        let standing = state.research.get(&id);
        if let Some(standing) = standing.filter(|_| self.number == state.round) {
            let open = (WorkStatus::Open, Some(standing.word()));
            return match standing {
                ResearchStatus::Complete(_) | ResearchStatus::Probably(_) => {
                    Some((WorkStatus::Completed, None))
                }
                ResearchStatus::Incomplete(0) => (!state.is_over(self.number)).then_some(open),
                ResearchStatus::Incomplete(_) | ResearchStatus::Closed(_) => Some(open),
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
        let stuck = self.events("researcher.stuck");
        let mut own = stuck.filter(|e| e.researcher == Some(id));
        own.find_map(|event| {
            let body = event.body();
            let (status, why) = match (body.text("stuck_level"), body.int("stuck_level")) {
                (Some("timeout"), _) => (WorkStatus::Error, "it ran out of time"),
                (Some("3"), _) | (_, Some(3)) => (WorkStatus::Failed, "it was stuck at level 3"),
                _ => return None,
            };
            Some((status, Some(why.to_owned())))
        })
    }

    fn summary(&self, run: Option<&work::Run>, why: Option<String>) -> String {
        let direction = self.conference.raw.config.direction;
        let all = run.into_iter().flatten();
        let results = all.filter_map(|(index, one)| Some((one.result()?, (index, one))));
        let best = direction.best_of(results).map(|(value, (index, one))| {
            let what = match one.description().as_str() {
                "" => String::new(),
                text => format!(": {text}"),
            };
            format!("best {value} at iteration {index}{what}")
        });
        let made = count(run.map_or(0, work::Run::len), "iteration");
        let parts: Vec<String> = why.into_iter().chain(best).chain([made]).collect();
        parts.join("; ")
    }

    fn poster(&self) -> Option<Work> {
        let known = self.conference.raw.posters.contains_key(&self.number);
        let name = poster_name(self.number);
        let held = self.held("round.poster_session", &self.state().poster);
        self.session("poster session", "2", held, known.then_some(name))
    }

    fn review(&self) -> Option<Work> {
        let known = self.conference.raw.reviews.get(&self.number);
        let name = known.map(|_| review_name(self.number));
        let held = self.held("round.peer_review", &self.state().review);
        let mut one = self.session("peer review", "3", held, name)?;
        one.summary = known.map(|review| {
            let counts =
                Judgement::ALL.map(|kind| format!("{} {}", review.count(kind), kind.word()));
            counts.join(", ").into()
        });
        Some(one)
    }

    /// True if an event, or the evidence for the open round, shows that a shared phase was held.
    fn held(&self, event: &str, session: &Session) -> bool {
        let logged = self.events(event).next().is_some();
        logged || (self.number == self.state().round && session.holds())
    }

    /// A phase that all researchers share, with its file; `None` without any trace of it.
    fn session(&self, role: &str, phase: &str, held: bool, file: Option<String>) -> Option<Work> {
        if file.is_none() && !held {
            return None;
        }
        let mut one = blank(role, role, phase);
        if held || self.state().is_over(self.number) {
            one.status = WorkStatus::Completed;
        }
        one.output = file.map(|name| self.conference.raw.path(&name));
        Some(one)
    }
}

fn blank(key: &str, role: &str, phase: &str) -> Work {
    Work {
        key: key.to_owned(),
        role: role.into(),
        phase: phase.into(),
        ..Work::default()
    }
}
