//! The reading of a run: its real status, the phases with their agents, and where it stopped.

use chrono::TimeDelta;

use crate::conversations::register::Registered;
use crate::model::{
    Badge, Claim, Finding, LifeEvidence, LifeSign, Origin, Phase, PhaseStatus, Progress, Reading,
    SignKind, SignVerdict, Stamp, Status, covered_seconds,
};
use crate::systems::claude_workflow::facts::{Agent, Facts, State};
use crate::systems::claude_workflow::shape::label;
use crate::systems::claude_workflow::{NAME, facts};
use crate::systems::kit::badges::{self, STALE_AFTER, is_stale};
use crate::text::format::{count, plural, short_id};
use crate::world::World;

pub(crate) fn read(world: &dyn World, facts: &Facts) -> Reading {
    let claim = claim(world, facts);
    let now = world.clock().now().to_utc();
    let findings = findings(facts);
    let complete = claim.status == Status::Complete;
    let stale = !complete && is_stale(facts.last_write, now, STALE_AFTER);
    let started = facts.launch().and_then(|launch| launch.at);
    let files = facts.journals.iter().chain(&facts.snapshot_file);
    let files = files.chain(&facts.script_copy);
    let done = facts.agents.iter().filter(|agent| !agent.is_lost()).count();
    let stopped_where = (!complete).then(|| stopped_where(facts));
    Reading {
        system: NAME,
        native: facts.run.as_str().into(),
        title: facts.name().map_or_else(|| facts.run.clone(), label).into(),
        root: facts.root.clone(),
        state_files: files.cloned().collect(),
        work_tree: None,
        branch: None,
        pull_request: None,
        started_at: started.or_else(|| facts.agents.iter().filter_map(|one| one.first_at).min()),
        last_activity_at: facts.last_write.map(Stamp::utc),
        life: life(world, facts),
        stopped_where: stopped_where.unwrap_or_default().into(),
        progress: Progress::new(Some(done as u64), Some(facts.agents.len() as u64), "agents"),
        badges: badges::badges([
            (stale, Badge::Stale),
            (!facts.knows_project, Badge::Orphan),
            (
                facts.journals.is_empty() && facts.journal_loss().is_some(),
                Badge::Inferred,
            ),
            (
                badges::is_damaged(&findings, &["torn-line", "bad-line", "journal-incomplete"]),
                Badge::Damaged,
            ),
        ]),
        phases: phases(facts),
        claim,
        findings,
    }
}

const UNREADABLE: &str = "No record of this run can be read.";

/// The real status. A run that is `completed` is complete only if every agent has a result.
pub(crate) fn claim(world: &dyn World, facts: &Facts) -> Claim {
    let without = facts.lost().count();
    let all = facts.agents.len();
    let died = losses(facts);
    let loss = facts.journal_loss();
    let interrupted = |reason| (Status::Interrupted, reason);
    let (recorded, complete) = match facts.end() {
        Some(_) => (
            "Recorded as completed",
            "Completed: every agent has a result.",
        ),
        None => (
            "Its end was notified",
            "Completed, according to the notification of its end.",
        ),
    };
    let (mut status, mut reason) = match facts.ended_as() {
        _ if facts.agents.is_empty() && facts.snapshot.is_none() && facts.notice().is_none() => {
            let damaged = facts.snapshot_damage.is_some();
            let (status, text) = match &facts.odd_journal {
                Some(_) => (Status::Unreadable, UNREADABLE),
                None if damaged && facts.journals.is_empty() => (Status::Unreadable, UNREADABLE),
                None if loss.is_some() => (Status::Interrupted, UNREADABLE),
                None => (Status::Interrupted, "Launched; no agent was started."),
            };
            (status, text.to_owned())
        }
        Some("killed") => interrupted(format!(
            "The run was stopped by the user or with its session: {died}."
        )),
        Some("completed") if without > 0 => interrupted(format!("{recorded}, but {died}.")),
        Some("completed") if loss.is_some() => interrupted(format!(
            "{recorded}, but no record of its agents can be read."
        )),
        Some("completed") => (Status::Complete, complete.to_owned()),
        Some(ended) => interrupted(failed(facts, ended, &died)),
        None => {
            let done = all - without;
            let have = plural(done, "has", "have");
            interrupted(format!(
                "No end of the run is recorded: {done} of {all} agents {have} a result."
            ))
        }
    };
    if let Some(loss) = loss.filter(|_| status == Status::Interrupted) {
        reason = format!("{reason} {loss}");
    }
    if let Some(until) = facts.reset(world)
        && status == Status::Interrupted
    {
        status = Status::Waiting;
        reason = format!("{reason} The usage limit resets at {}.", until.words());
    }
    Claim::new(status, reason)
}

/// `15 of 22 agents died (…)`. An agent that finished without a result in the journal did not die, and one without
/// any record may have finished.
pub(crate) fn losses(facts: &Facts) -> String {
    let (missing, all) = (facts.unfinished().count(), facts.agents.len());
    let unsaved = facts.lost().count() - missing;
    let causes = facts::causes::grouped(facts.unfinished());
    // A script gets null for an agent that was skipped, too.
    let unsure = |agent: &Agent| match agent.state {
        State::NoFile | State::Suspect => true,
        State::Null => agent.known_ending().is_none(),
        State::Done | State::Failed | State::NotJournaled | State::Died => false,
    };
    let have = plural(missing, "has", "have");
    let only = match unsaved {
        1 => "1 finished, its answer is only in its own file".to_owned(),
        _ => format!("{unsaved} finished, their answers are only in their own files"),
    };
    let died = if facts.unfinished().any(unsure) || unsaved > 0 {
        format!("{missing} of {all} agents {have} no answer{causes}")
    } else {
        format!("{missing} of {all} agents died{causes}")
    };
    match (missing, unsaved) {
        (0, 0) if all == 0 => "no agent was started".to_owned(),
        (0, 0) => "every agent has a result".to_owned(),
        (0, _) => only,
        (_, 0) => died,
        (_, _) => format!("{died}; {only}"),
    }
}

/// An end with the status `failed`, or with one of a newer client.
fn failed(facts: &Facts, ended: &str, died: &str) -> String {
    let end = facts.end();
    let error = end.and_then(|end| end.error.as_deref()).unwrap_or_default();
    if facts.lacked_args() {
        return "The script failed before any agent: its arguments were not passed.".to_owned();
    }
    match error.lines().next().filter(|line| !line.trim().is_empty()) {
        Some(line) => format!("The script failed: {}", label(line)),
        None if ended == "failed" => format!("The script failed; {died}."),
        None if ended.is_empty() => format!("The run ended without a status; {died}."),
        None => format!("The run ended with the status {}; {died}.", label(ended)),
    }
}

fn stopped_where(facts: &Facts) -> String {
    let first = facts.unfinished().next().or_else(|| facts.lost().next());
    let phase = first.and_then(|agent| agent.phase.as_deref());
    let phase = phase.map_or_else(String::new, |phase| format!("{phase} · "));
    let missing = facts.unfinished().count();
    match facts.lost().count() {
        0 if facts.lacks_agents() => "unknown".to_owned(),
        0 if facts.agents.is_empty() => "before the first agent".to_owned(),
        0 => "after the last agent".to_owned(),
        lost if missing == 0 => format!("{phase}{} not in the journal", count(lost, "result")),
        _ => format!("{phase}{missing} of {} agents lost", facts.agents.len()),
    }
}

fn phases(facts: &Facts) -> Vec<Phase> {
    let listed = facts.snapshot.iter().flat_map(|snapshot| &snapshot.phases);
    let mut names: Vec<String> = listed.map(|title| label(title)).collect();
    for agent in &facts.agents {
        let name = agent.phase.as_deref().unwrap_or("agents");
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let rows = names.into_iter().enumerate();
    rows.map(|(index, name)| phase(facts, index + 1, name))
        .collect()
}

fn phase(facts: &Facts, number: usize, name: String) -> Phase {
    let agents = facts.agents.iter();
    let all = agents.filter(|agent| agent.phase.as_deref().unwrap_or("agents") == name);
    let all: Vec<&Agent> = all.collect();
    let done = all.iter().filter(|agent| !agent.is_lost()).count();
    let status = match (done, all.len()) {
        (_, 0) => PhaseStatus::Pending,
        (done, all) if done == all => PhaseStatus::Done,
        _ if facts.ended_as().is_some() => PhaseStatus::Failed,
        _ => PhaseStatus::Active,
    };
    let started_at = all.iter().filter_map(|agent| agent.first_at).min();
    let ended_at = all.iter().filter_map(|agent| agent.last_at).max();
    let lost = all.iter().filter(|agent| agent.is_lost()).take(3);
    let words = lost.map(|agent| format!("{}: {}", agent.label, agent.cause()));
    let words: Vec<String> = words.collect();
    let spans = all.iter().filter_map(|agent| agent.span());
    Phase {
        id: number.to_string().into(),
        name: name.into(),
        status,
        native_status: status.word().into(),
        done: Some(done as u64),
        total: Some(all.len() as u64),
        at_least: false,
        attempts: all.iter().map(|agent| agent.attempts).max().unwrap_or(0),
        started_at,
        ended_at: ended_at.filter(|_| status == PhaseStatus::Done),
        duration_s: started_at.and(ended_at).map(|_| covered_seconds(spans)),
        detail: words.join("; ").into(),
    }
}

fn findings(facts: &Facts) -> Vec<Finding> {
    let journal = facts.journals.first().cloned().unwrap_or_default();
    let mut found = Vec::new();
    if let Some(loss) = facts.journal_loss() {
        let text = format!(
            "{loss} What it had is inferred from the agents' files, the snapshot and the notification."
        );
        let (code, at) = if let Some(journal) = facts.journals.first() {
            ("journal-incomplete", Origin::file(journal))
        } else {
            let session = facts.sessions.first();
            let folder = session.map(|session| facts::run_dir(session, &facts.run));
            ("journal-missing", Origin::file(folder.unwrap_or_default()))
        };
        found.push(Finding {
            inferred: true,
            ..Finding::warn(code, at, text)
        });
    }
    if let Some(line) = facts.journal.torn {
        let text = "The last line of the journal is truncated: its result may be only in the agent's file.";
        let origin = Origin::line(&journal, line);
        found.push(Finding::warn("torn-line", origin, text));
    }
    for line in facts.journal.bad.iter().take(20) {
        let text = "A line of the journal is not a JSON object.";
        let origin = Origin::line(&journal, *line);
        found.push(Finding::warn("bad-line", origin, text));
    }
    if let (Some(why), Some(file)) = (&facts.snapshot_damage, &facts.snapshot_file) {
        let text = format!("The snapshot {why}");
        found.push(Finding::error("snapshot", Origin::file(file), text));
    }
    if facts.resumed
        && let Some(file) = &facts.snapshot_file
    {
        let text = "The run was resumed after this snapshot, which is of an earlier end.";
        found.push(Finding::info("snapshot-stale", Origin::file(file), text));
    }
    let agents = facts.agents.iter();
    for agent in agents.filter(|agent| agent.state == State::NotJournaled) {
        let number = agent.number;
        let text = format!("Agent {number} finished, but its result is not in the journal.");
        let file = agent.file.clone().unwrap_or_else(|| journal.clone());
        found.push(Finding::warn("not-journaled", Origin::file(file), text));
    }
    found
}

/// A run whose files are older than this may be stuck.
const QUIET_AFTER_S: i64 = 1800;

/// Evidence of life of the run, not of the conversation that owns it: a conversation can stay open for days after its
/// run died.
fn life(world: &dyn World, facts: &Facts) -> LifeEvidence {
    let owner = facts.sessions.first().map_or("", |session| &session.id);
    let owner = short_id(owner);
    let now = world.clock().now().to_utc();
    let young = facts
        .last_write
        .is_some_and(|at| now - at < TimeDelta::seconds(QUIET_AFTER_S));
    let (verdict, text) = match &facts.open {
        // A recorded end outweighs an open conversation, which may be doing other work.
        _ if facts.ended_as().is_some() => (
            SignVerdict::Negative,
            "The end of the run is recorded.".to_owned(),
        ),
        Some(Registered::Open { pid, .. }) if young => (
            SignVerdict::Positive,
            format!(
                "The conversation {owner} that owns the run is open in pid {pid}, and the run was written less than 30 minutes ago."
            ),
        ),
        // The process lives, but a stuck run writes nothing either, so neither alive nor dead is proven.
        Some(Registered::Open { pid, .. }) => (
            SignVerdict::Unreadable,
            format!(
                "The conversation {owner} that owns the run is open in pid {pid}, but the run was not written for 30 minutes: it may be stuck."
            ),
        ),
        Some(Registered::Unknown) => (
            SignVerdict::Unreadable,
            format!(
                "Whether the conversation {owner} that owns the run is open cannot be determined."
            ),
        ),
        Some(Registered::Crashed) => (
            SignVerdict::Negative,
            format!("The process of the conversation {owner} that owns the run is gone."),
        ),
        None => (
            SignVerdict::Negative,
            format!("The conversation {owner} that owns the run is not open."),
        ),
    };
    LifeEvidence {
        signs: vec![LifeSign::new(SignKind::Process, verdict, text)],
        last_write: facts.last_write,
        last_talk: None,
        // With a recorded end no waiting time is needed.
        quiet_after_s: if facts.ended_as().is_some() {
            0
        } else {
            QUIET_AFTER_S
        },
        of_conversation: true,
    }
}
