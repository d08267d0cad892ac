//! Why pipelines stopped: what their own records and the conversations of agents say.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use super::{Engine, Opened, Result};
use crate::conversations::find::{self, Depth, Found, Index, Unread};
use crate::foreign;
use crate::model::{
    Aliveness, Badge, Cause, CauseKind, Continuation, Conversation, Foreign, Guard, Handoff,
    LifeSign, OwnWrites, Pipeline, PipelineId, Plan, Reading, SignVerdict, Stamp, Status, Sure,
    TreeFacts, Why, lock,
};
use crate::world::World;

impl Engine {
    /// Why a pipeline stopped, with the conversations that worked on it. `quoted` keeps their last passages.
    pub fn why(&self, id: &PipelineId, quoted: bool) -> Result<Why> {
        let opened = self.reopen(id)?;
        self.forget_conversations();
        let world = &self.cached();
        let refusals = || self.refusals(&opened, Depth::All, world);
        let why = self.why_of(&opened, Depth::All, refusals, world);
        let mut why = self.dated(&opened, why);
        let unread = self.unread_history();
        let text = "The history of relight cannot be read, so it is unknown what relight changed.";
        why.notes
            .extend(unread.map(|why| foreign!("{} {}", text, &why)));
        why.notes.extend(other_branch(&opened, &why.conversations));
        let unasked = why.conversations.iter_mut().filter(|_| !quoted);
        unasked.for_each(|conversation| conversation.quotes.clear());
        Ok(why)
    }

    /// Why a pipeline of a survey stopped, as a list says it; `None` where it has not stopped or cannot be read.
    pub fn listed_cause(&self, id: &PipelineId) -> Option<Cause> {
        self.cause_of(self.recall(id).ok()?.as_ref(), Depth::List, &self.cached())
    }

    /// The same from the conversations of all projects, as everything says it that is about one pipeline.
    pub fn cause(&self, id: &PipelineId) -> Option<Cause> {
        self.cause_of(self.recall(id).ok()?.as_ref(), Depth::All, &self.cached())
    }

    /// The same of a pipeline that is open.
    pub(super) fn cause_of(
        &self,
        opened: &Opened,
        depth: Depth,
        world: &dyn World,
    ) -> Option<Cause> {
        let status = opened.pipeline.standing.status;
        let stopped = !matches!(status, Status::Complete | Status::Unreadable);
        let refusals = || self.refusals(opened, Depth::List, world);
        let why = stopped.then(|| self.why_of(opened, depth, refusals, world))?;
        Some(self.dated(opened, why).cause)
    }

    /// Adds to a plan why the pipeline stopped, if anything is known. What to do then follows from the plan itself.
    pub(super) fn explain(&self, plan: &mut Plan, opened: &Opened, world: &dyn World) {
        let why = self.why_of(opened, Depth::All, Vec::new, world);
        let other = other_branch(opened, &why.conversations);
        plan.warnings.extend(other);
        let cause = why.cause;
        if cause.open && cause.sure > Sure::Guess && cause.kind.awaits_person() {
            // Its terminal needs an answer. To stop it would lose the question.
            let alive = opened.pipeline.standing.liveness.verdict == Aliveness::Alive;
            let guards = plan.guards.iter_mut();
            let guards = guards.filter(|guard| guard.id == "liveness" && guard.refuses());
            for guard in guards {
                // Where it is unknown what runs, the person can still say that nothing does.
                let own = guard.would_hold_if.take().filter(|_| !alive);
                let both = own.into_iter().chain(cause.next.first().cloned());
                guard.would_hold_if = both.reduce(|own, next| foreign!("{} {}", &own, &next));
            }
        }
        plan.cause = Some(cause).filter(|cause| cause.kind != CauseKind::Unknown);
    }

    /// The sentences that a briefing begins with: an agent that does not know why it stopped repeats or overlooks what
    /// was under way. `elsewhere` where it does not resume where it stopped: what was asked there may be answered by the
    /// point itself, or no longer arise.
    pub(super) fn stop_lines(cause: &Cause, elsewhere: bool) -> Vec<String> {
        if matches!(cause.kind, CauseKind::TurnEnded | CauseKind::Running) {
            return Vec::new();
        }
        let order = if cause.kind == CauseKind::WaitingAnswer && !elsewhere {
            " Put the question to the user again and wait for the answer."
        } else if cause.kind == CauseKind::WaitingApproval && !elsewhere {
            " Ask the user for the approval."
        } else if cause.kind == CauseKind::KilledInTool {
            " Look at what the call has done before you repeat it."
        } else {
            ""
        };
        vec![
            format!("Why it stopped: {}{order}", cause.sentences()),
            String::new(),
        ]
    }

    /// How the conversation that stopped is continued in place of the hand-off of a plan or of its outcome.
    pub fn continuation(&self, plan: &Plan, handoff: &Handoff) -> Option<Continuation> {
        let opened = self.recall(&plan.pipeline).ok()?;
        let offers = plan.offers_conversation();
        let why = offers.then(|| self.why_of(&opened, Depth::All, Vec::new, &self.cached()))?;
        let why = self.dated(&opened, why);
        why.continuation(handoff, !plan.actions.is_empty())
    }

    /// Adds whether its newest conversation knows the current files.
    fn dated(&self, opened: &Opened, mut why: Why) -> Why {
        let Some(newest) = why.conversations.first() else {
            return why;
        };
        let last = newest.last_at.map(|last| last.at.to_utc());
        why.outdated = last.is_some_and(|last| self.changed_since(opened, last));
        let file = |cause: &Cause| cause.evidence.first().map(|first| first.file.clone());
        let offered = newest.resume.is_some();
        if why.outdated && offered && file(&why.cause) == file(&newest.cause) {
            // Its own command says nothing of the changed files. The rest of its advice stays: it follows the cause.
            let id = &opened.pipeline.id;
            let now = self.world.clock().now();
            let text = find::advice(newest, now, |verb| {
                format!(
                    "{verb} with the command that relight plan {id} prints: it tells the agent that files changed."
                )
            });
            why.cause.next = vec![text.into()];
        }
        why
    }

    /// The conversations of this machine, as this run saw them first.
    pub(super) fn conversations(&self) -> Arc<Index> {
        let mut index = lock(&self.index);
        let index = index.get_or_insert_with(|| Arc::new(Index::new(self.world.as_ref())));
        Arc::clone(index)
    }

    /// Looks for them anew at the next question.
    pub(super) fn forget_conversations(&self) {
        *lock(&self.index) = None;
    }

    /// Whether nothing is seen working on a pipeline but the clients of these open conversations.
    fn are_alone(&self, opened: &Opened, ids: &[&Foreign]) -> bool {
        let index = self.conversations();
        let clients = ids.iter().filter_map(|id| index.pid(&id.lossy()));
        let clients: Vec<u32> = clients.collect();
        let signs = opened.life.signs.iter();
        let mut seen = signs.filter(|sign| sign.verdict == SignVerdict::Positive);
        let is_client = |sign: &LifeSign| sign.pid.is_some_and(|pid| clients.contains(&pid));
        !opened.life.of_conversation && seen.all(is_client)
    }

    /// `refusals` is asked only where a conversation could be continued: it costs more than everything else.
    fn why_of(
        &self,
        opened: &Opened,
        depth: Depth,
        refusals: impl FnOnce() -> Vec<Guard>,
        world: &dyn World,
    ) -> Why {
        let own = self.own_writes(opened);
        // What relight wrote itself, perhaps days later, moves neither the cause nor its time.
        let reading = &*before(opened.case.reading(), own.as_ref());
        let Found {
            mut conversations,
            unread,
        } = self.conversations().of(reading, depth, world);
        let id = &opened.pipeline.id;
        if conversations.iter().any(|one| one.resume.is_some()) {
            let now = world.clock().now();
            refuse(&mut conversations, &opened.pipeline, &refusals(), now);
        }
        let dispatches = opened.case.dispatch_causes(&conversations, world);
        let recorded = opened.case.recorded_cause(own.as_ref(), world);
        let recorded = recorded.map(|cause| filled(cause, id, reading));
        // A process may be the one that waits for the person.
        let (waiting, other): (Option<Cause>, Option<Cause>) = match recorded {
            Some(cause) if cause.kind.awaits_person() => (Some(cause), None),
            other => (None, other),
        };
        let alone = |ids: &[&Foreign]| self.are_alone(opened, ids);
        let told = find::is_told_by_open(&conversations, reading, alone);
        let running = running(opened).filter(|_| !told);
        let recorded = waiting.or(running).or(other);
        let dispatches = dispatches.into_iter();
        let dispatches = dispatches.map(|cause| filled(cause, id, reading));
        let own = recorded.into_iter().chain(dispatches);
        let cause = find::cause(own, &conversations, reading);
        let mut cause = find::doubted(cause, &conversations, &unread);
        let complete = opened.pipeline.standing.status == Status::Complete;
        if complete && cause.kind == CauseKind::Running {
            // An open conversation, or an agent that has not ended yet, works on something else.
            cause = Cause::unknown("");
        }
        if complete && cause.kind == CauseKind::Unknown {
            cause.text = "The pipeline is complete.".into();
        }
        Why {
            cause,
            conversations,
            outdated: false,
            notes: Unread::sentences(&unread),
        }
    }
}

/// Takes the command that continues a conversation, and the advice to use it, where a plan would be refused as well.
fn refuse(
    conversations: &mut [Conversation],
    pipeline: &Pipeline,
    refusals: &[Guard],
    now: DateTime<FixedOffset>,
) {
    let id = &pipeline.id;
    let unknown = pipeline.standing.liveness.verdict == Aliveness::Unknown;
    let next = |one: &Conversation, guard: &Guard| match &guard.would_hold_if {
        // Only a person can know that it has stopped. The rest of the advice follows the cause.
        Some(_) if unknown && guard.id == "liveness" => {
            let first = "Make sure that it has stopped. Then:";
            let then = find::advice(one, now, |verb| {
                format!("{verb} with the command that relight plan {id} --assume-stopped prints.")
            });
            foreign!("{} {} {}", &guard.text, first, then)
        }
        Some(cure) => foreign!("{} First: {}", &guard.text, cure),
        None => guard.text.clone(),
    };
    for one in conversations.iter_mut().filter(|_| !refusals.is_empty()) {
        // One that is open is answered where it is open.
        if one.resume.take().is_some() {
            one.cause.next = refusals.iter().map(|guard| next(one, guard)).collect();
        }
    }
}

/// Without a state file no branch is recorded: then only the conversation that worked in the work tree knows it.
fn other_branch(opened: &Opened, conversations: &[Conversation]) -> Option<Foreign> {
    let reading = &opened.pipeline.reading;
    let recorded = !reading.badges.contains(&Badge::NoStateFile);
    let actual = reading.branch.as_ref()?.actual.as_ref()?;
    let tree = reading.work_tree.as_ref().filter(|_| !recorded)?;
    let inside = |one: &&Conversation| one.cwd.as_ref().is_some_and(|cwd| cwd.starts_with(tree));
    let newest = conversations.iter().find(inside)?;
    let other = |was: &&Foreign| **was != *actual && **was != "HEAD";
    let was = newest.branch.as_ref().filter(other)?;
    Some(foreign!(
        "The work tree is on {}, and the newest conversation in it was on {}. If the work is there, switch first: {}",
        actual,
        was,
        Guard::switch(tree, Some(was), &TreeFacts::default())
    ))
}

/// A reading as it was before relight's own writes.
fn before<'a>(reading: &'a Reading, own: Option<&OwnWrites>) -> Cow<'a, Reading> {
    let Some(own) = own else {
        return Cow::Borrowed(reading);
    };
    // The first line of an empty log, for example, may be relight's.
    let theirs = |at: &Stamp| !own.may_have_made(at.at.to_utc());
    Cow::Owned(Reading {
        last_activity_at: Some(own.last_work),
        started_at: reading.started_at.filter(theirs),
        ..reading.clone()
    })
}

/// A recorded cause with what every one has: a time, and where to resume.
fn filled(cause: Cause, id: &PipelineId, reading: &Reading) -> Cause {
    let mut next = cause.next;
    next.push(format!("To choose a resume point: relight points {id}").into());
    Cause {
        at: cause.at.or(reading.last_activity_at),
        next,
        ..cause
    }
}

/// A pipeline that is alive has not stopped. Since when is not known, and no file says it: what works on it was seen
/// among the processes.
fn running(opened: &Opened) -> Option<Cause> {
    let standing = &opened.pipeline.standing;
    let alive = standing.liveness.verdict == Aliveness::Alive;
    // A complete one stays complete while its agent still runs.
    (alive && standing.status != Status::Complete).then(|| {
        let seen = standing.liveness.evidence.first();
        let text = "A process is working on it.";
        Cause {
            kind: CauseKind::Running,
            text: seen.map_or_else(|| text.into(), |seen| foreign!("{} {}", text, seen)),
            sure: Sure::Certain,
            next: vec!["Leave it while that process works on it.".into()],
            ..Cause::unknown("")
        }
    })
}
