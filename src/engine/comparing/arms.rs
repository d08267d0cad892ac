//! The two arms of an experiment, with the blocks of all earlier experiments on the same question.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::PoisonError;

use super::super::Engine;
use super::anew::anew;
use super::known::Known;
use super::order;
use crate::engine::replaying::experiment_of;
use crate::model::{
    Arm, Comparison, EarlierEvidence, ExperimentEnd, ExperimentFacts, Foreign, OutsideWriter,
    OwnMetric, Party, ReplayExperiment, ReplayPlan, ReplaySession, Run, RunTree, SessionId,
    SessionState, Statistics, unswapped,
};
use crate::replay::compare::runs;
use crate::replay::session;
use crate::replay::verdict;
use crate::text::format::{count, count_of};

/// Both sides and what is known beside their runs.
pub(in crate::engine) struct Arms {
    pub(in crate::engine) gathered: Comparison,
    pub(in crate::engine) facts: ExperimentFacts,
}

impl Engine {
    /// The arms of an experiment; `None` where it has but one.
    pub(in crate::engine) fn arms(
        &self,
        known: &Known,
        ids: &[SessionId],
        skipped: &mut Vec<Foreign>,
    ) -> Option<Arms> {
        let chain = Chain::of(&known.experiments, ids)?;
        let words: Vec<&str> = ids.iter().map(|id| id.0.as_str()).collect();
        let mut disturbed = disturbed(&known.sessions);
        disturbed.retain(|(id, _)| chain.all().any(|one| one.id == *id));
        for (id, block) in &disturbed {
            let text = format!(
                "Block {block} of {id} is left out: files of the original changed while it ran."
            );
            skipped.push(text.into());
        }
        skipped.extend(chain.all().flat_map(|one| known.unreadable(&one.id)));
        let mut side = |arm: Arm| {
            let is_of_arm = |session: &ReplaySession| {
                session.place.as_ref().is_some_and(|place| {
                    session.state != SessionState::Unreadable
                        && place.arm == arm
                        && !disturbed.contains(&(place.experiment.clone(), place.block))
                        && chain.all().any(|one| one.id == place.experiment)
                })
            };
            let sessions = known.sessions.iter().enumerate();
            let own = sessions.filter(|(_, session)| is_of_arm(session));
            let runs =
                own.filter_map(|(at, session)| self.read_once(known, (at, session), skipped));
            let runs: Vec<Run> = runs.collect();
            Party {
                name: format!("{}-{}", words.join("+"), arm.word()),
                title: title(arm, &chain, (runs.len(), disturbed.len())),
                runs,
            }
        };
        let (a, b) = (side(Arm::Control), side(Arm::Mutated));
        let original = known.experiment.as_ref();
        let original = original.map(|experiment| runs::original(experiment, RunTree::None));
        let facts = chain.facts(known, original.as_ref(), &disturbed);
        let deleted = |(id, block): &(SessionId, usize)| {
            format!("Block {block} of {id} is missing: a run of it was deleted.").into()
        };
        let gathered = Comparison {
            original,
            notes: facts.deleted.iter().map(deleted).collect(),
            ..Comparison::new(known.id().clone(), a, b)
        };
        Some(Arms { gathered, facts })
    }

    /// The same for a person, who may start the experiment anew: that command needs the whole record.
    pub(super) fn arms_to_show(
        &self,
        known: &Known,
        ids: &[SessionId],
        skipped: &mut Vec<Foreign>,
    ) -> Option<Arms> {
        let mut arms = self.arms(known, ids, skipped)?;
        let id = &arms.facts.id;
        let experiment = known.experiments.iter().find(|one| one.id == *id);
        arms.facts.anew = experiment.and_then(|experiment| {
            let state = self.state_dir().ok()?;
            let plan = session::plan_of(&state, known.id(), id).ok()?;
            anew(&plan, experiment)
        });
        Some(arms)
    }

    /// What a planned experiment begins with, counted as its comparison counts it; `None` where no earlier experiment
    /// asked its question.
    pub(in crate::engine) fn earlier_evidence(&self, plan: &ReplayPlan) -> Option<EarlierEvidence> {
        let new = experiment_of(plan, &SessionId(String::new()), 0);
        if new.fresh || !new.is_judged() {
            return None;
        }
        let state = self.state_dir().ok()?;
        let same = |one: &ReplayExperiment| one.is_judged() && one.question == new.question;
        let before = session::experiments(&state, &plan.pipeline);
        if !before.iter().any(same) {
            return None;
        }
        let mut known = self.known(&plan.pipeline).ok()?;
        let id = new.id.clone();
        known.experiments.push(new);
        let arms = self.arms(&known, std::slice::from_ref(&id), &mut Vec::new())?;
        let statistics = statistics(&arms, &arms.facts);
        Some(EarlierEvidence {
            experiments: statistics.earlier as usize,
            blocks: statistics.tally.blocks() as usize,
            missing: statistics.missing.iter().sum::<u32>() as usize,
            is_decided: self.end_of(&known, &id) == Some(ExperimentEnd::Decided),
            confounders: {
                let mut found = arms.facts.confounders;
                found.retain(|one| !plan.confounders.contains(one));
                found
            },
        })
    }

    /// A run of an experiment, as it was read before if it was.
    fn read_once(
        &self,
        known: &Known,
        (at, session): (usize, &ReplaySession),
        skipped: &mut Vec<Foreign>,
    ) -> Option<Run> {
        let read = || known.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = read().get(&session.id) {
            return Some(run.clone());
        }
        let run = self.replayed(known, at, skipped).ok()?;
        read().insert(session.id.clone(), run.clone());
        Some(run)
    }

    /// How many blocks must be added to an experiment at least before a verdict can be reached; zero where it can be
    /// reached without, or stands.
    pub(in crate::engine) fn lacking_blocks(&self, known: &Known, id: &SessionId) -> u32 {
        let arms = self.arms(known, std::slice::from_ref(id), &mut Vec::new());
        let lacking = arms.and_then(|arms| {
            let all = arms.facts.deciding().into_iter();
            all.map(|facts| statistics(&arms, &facts).lacking).min()
        });
        lacking.unwrap_or_default()
    }

    /// Why an experiment need not run on: a verdict is reached, or none can be reached.
    pub(in crate::engine) fn end_of(&self, known: &Known, id: &SessionId) -> Option<ExperimentEnd> {
        let arms = self.arms(known, std::slice::from_ref(id), &mut Vec::new())?;
        // Several metrics that decide are each run to an end of its own.
        let mut ends = arms.facts.deciding().into_iter().map(|facts| {
            let statistics = statistics(&arms, &facts);
            let useless = verdict::next_is_useless(&statistics, &facts);
            useless.then_some(statistics.is_decided())
        });
        let decided = ends.try_fold(false, |any, decided| Some(any | decided?))?;
        Some(if decided {
            ExperimentEnd::Decided
        } else {
            ExperimentEnd::Unreachable
        })
    }
}

/// What the blocks of two arms add up to.
fn statistics(arms: &Arms, facts: &ExperimentFacts) -> Statistics {
    let (a, b) = (&arms.gathered.a, &arms.gathered.b);
    verdict::statistics(verdict::blocks(a, b, facts), facts)
}

/// An experiment and the earlier ones whose evidence it continues.
struct Chain<'a> {
    last: &'a ReplayExperiment,
    earlier: Vec<&'a ReplayExperiment>,
    left_out: u32,
    pool: bool,
}

impl<'a> Chain<'a> {
    fn of(experiments: &'a [ReplayExperiment], ids: &[SessionId]) -> Option<Self> {
        let (id, others) = ids.split_last()?;
        if !others.is_empty() {
            let find = |id: &SessionId| experiments.iter().find(|one| one.id == *id);
            return Some(Self {
                last: find(id)?,
                earlier: others.iter().filter_map(find).collect(),
                left_out: 0,
                pool: true,
            });
        }
        let at = experiments.iter().position(|one| one.id == *id)?;
        let last = experiments.get(at).filter(|one| one.is_judged())?;
        let same = experiments.iter().take(at + 1);
        let same = same.filter(|one| one.is_judged() && one.question == last.question);
        let same: Vec<&ReplayExperiment> = same.collect();
        let begin = same.iter().rposition(|one| one.fresh).unwrap_or(0);
        Some(Self {
            last,
            earlier: same.get(begin..same.len() - 1).unwrap_or_default().to_vec(),
            left_out: u32::try_from(begin).unwrap_or(u32::MAX),
            pool: false,
        })
    }

    fn all(&self) -> impl Iterator<Item = &'a ReplayExperiment> {
        self.earlier.iter().copied().chain([self.last])
    }

    fn facts(
        &self,
        known: &Known,
        original: Option<&Run>,
        disturbed: &BTreeSet<(SessionId, usize)>,
    ) -> ExperimentFacts {
        let out = |of: &ReplayExperiment| {
            let blocks = disturbed.iter();
            blocks.filter(|(id, _)| *id == of.id).count()
        };
        // What a person chose for a pool is not earlier than anything.
        let earlier = self.earlier.iter().filter(|_| !self.pool);
        let first = self.earlier.first().copied().unwrap_or(self.last);
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let metrics = &self.last.metrics;
        let primaries = OwnMetric::primaries(metrics);
        let primary = primaries.first().map(|one| (*one).clone());
        let is_first = |one: &&OwnMetric| Some(&one.name) != primary.as_ref().map(|one| &one.name);
        ExperimentFacts {
            pipeline: known.id().clone(),
            id: self.last.id.clone(),
            planned: small(self.last.blocks),
            fixed: Some(small(first.fixed)),
            original: match primary {
                None => original.and_then(verdict::original_value),
                Some(_) => None,
            },
            primaries: small(primaries.len().max(1)),
            others: metrics.iter().filter(is_first).cloned().collect(),
            primary,
            earlier: earlier
                .map(|one| (one.id.clone(), small(one.blocks.saturating_sub(out(one)))))
                .collect(),
            left_out: self.left_out,
            disturbed: small(out(self.last)),
            deleted: (&self.deleted(known) - disturbed).into_iter().collect(),
            no_evidence: None,
            at_least: 0,
            unmeasured: 0,
            running: {
                let runs = known.sessions.iter();
                let running = |run: &&ReplaySession| {
                    let place = run.place.as_ref();
                    run.state == SessionState::Running
                        && place.is_some_and(|place| place.experiment == self.last.id)
                };
                small(runs.filter(running).count())
            },
            unswapped: self.last.unswapped,
            confounders: self.confounders(known),
            unjudged: self.pool.then(|| {
                "A pool is a view of experiments that were chosen afterwards, so it is not judged. \
                 Compare one of them: each experiment has a verdict of its own."
                    .to_owned()
            }),
            anew: None,
        }
    }
}

impl Chain<'_> {
    /// The blocks of which a run that had counted was deleted, and is not run again.
    fn deleted(&self, known: &Known) -> BTreeSet<(SessionId, usize)> {
        let is_there = |id: &SessionId| known.sessions.iter().any(|run| run.id == *id);
        let deleted = self.all().flat_map(|one| {
            let mut runs = one.runs();
            runs.retain(|run| one.purged.contains(&run.id) && !is_there(&run.id));
            runs
        });
        deleted
            .map(|run| (run.place.experiment, run.place.block))
            .collect()
    }

    /// What the arms differ in beside the template, or what their runs had in common and should not have.
    fn confounders(&self, known: &Known) -> Vec<Foreign> {
        let mut found: Vec<Foreign> = unswapped(self.last.unswapped).into_iter().collect();
        for one in self.all() {
            let places = known
                .sessions
                .iter()
                .filter_map(|run| Some((run, run.place.as_ref()?)));
            let own = places.filter(|(_, place)| place.experiment == one.id);
            let runs: Vec<&ReplaySession> = own.map(|(run, _)| run).collect();
            found.extend(order::confounder(one, &runs));
            let again = runs.iter().filter(|run| one.purged.contains(&run.id));
            let again = again.count();
            if again > 0 {
                let were = count_of(again, "run was", "runs were");
                found.push(format!("{were} deleted and run again.").into());
            }
            // What is not known to be a run's only leaves its block out: a person may save a file.
            let outside = runs.iter().flat_map(|run| run.outside_confounders());
            let outside = outside.filter(|(by, _)| *by == OutsideWriter::Run);
            found.extend(outside.map(|(_, text)| text));
        }
        found
    }
}

/// `5 runs with nothing replaced, 1 left out`; a block that is left out has one run of each arm.
fn title(arm: Arm, chain: &Chain<'_>, (runs, out): (usize, usize)) -> Foreign {
    let what = match arm {
        Arm::Control => "with nothing replaced",
        Arm::Mutated => "with the templates replaced",
    };
    let mut title = format!("{} {what}", count(runs, "run"));
    if out > 0 {
        let _ = write!(title, ", {out} left out");
    }
    if !chain.pool && !chain.earlier.is_empty() {
        let earlier = count(chain.earlier.len(), "earlier experiment");
        let _ = write!(title, ", with {earlier}");
    }
    title.into()
}

/// The blocks during which the original's files changed, whoever changed them.
fn disturbed(sessions: &[ReplaySession]) -> BTreeSet<(SessionId, usize)> {
    let changed = sessions.iter().filter(|one| !one.outside.is_empty());
    let places = changed.filter_map(|one| one.place.clone());
    places
        .map(|place| (place.experiment, place.block))
        .collect()
}

/// The experiments whose runs the verdict on an experiment counts, itself among them.
pub(in crate::engine) fn counted<'a>(
    experiments: &'a [ReplayExperiment],
    id: &SessionId,
) -> Vec<&'a SessionId> {
    let chain = Chain::of(experiments, std::slice::from_ref(id));
    let all = chain.iter().flat_map(Chain::all);
    all.map(|one| &one.id).collect()
}
