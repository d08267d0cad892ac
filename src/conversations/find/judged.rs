//! Combines the end of a conversation, the register and the pipeline's own records.

use std::path::Path;

use chrono::{DateTime, FixedOffset, Utc};

use super::SLACK;
use crate::conversations::claude::Transcript;
use crate::conversations::register::Registered;
use crate::model::{
    Aliveness, Cause, CauseEvidence, CauseKind, Client, Conversation, Foreign, Place, Reading,
    ResumeCommand, Sure,
};
use crate::text::format::capital;
use crate::world::World;

pub(super) fn aliveness(known: Option<&Registered>, fresh: bool) -> Aliveness {
    match known {
        Some(Registered::Open { .. }) => Aliveness::Alive,
        Some(Registered::Unknown) => Aliveness::Unknown,
        // Old clients, and programs that embed the client, have no entry.
        Some(Registered::Crashed) | None if fresh => Aliveness::Unknown,
        Some(Registered::Crashed) | None => Aliveness::Dead,
    }
}

/// The command that resumes a conversation, in its directory. `None` where that no longer exists: a client looks for a
/// conversation in the directory that it is started in.
pub(super) fn resume_command(
    world: &dyn World,
    argv: [&str; 3],
    cwd: Option<&Path>,
) -> Option<ResumeCommand> {
    let there = |dir: &Path| world.files().is_dir(&Place::root(dir));
    cwd.is_none_or(there).then(|| ResumeCommand {
        cwd: cwd.map(Path::to_owned),
        argv: argv.map(Foreign::from).to_vec(),
    })
}

/// How a conversation ended: the register first, then its last lines. What to do about it depends on when that is asked.
pub(super) fn cause(
    client: Client,
    transcript: &Transcript,
    file: &Path,
    known: Option<&Registered>,
    resume: Option<&ResumeCommand>,
    now: DateTime<FixedOffset>,
) -> Cause {
    let evidence = |line: Option<u64>, text: String| CauseEvidence {
        file: file.to_owned(),
        line,
        text: text.into(),
    };
    let version = match &transcript.version {
        Some(version) => format!(" {version}"),
        None if client == Client::ClaudeCode => " of an unknown version".to_owned(),
        // The others do not record the version at the end of a conversation.
        None => String::new(),
    };
    let mut cause = match &transcript.ending {
        Some(ending) => {
            let first = format!("{}{version}: {}", client.name(), ending.text);
            let facts = ending.facts.iter().map(|fact| evidence(None, fact.clone()));
            Cause {
                kind: ending.kind,
                text: ending.text.as_str().into(),
                at: ending.at,
                until: ending.until,
                sure: ending.sure,
                evidence: std::iter::once(evidence(ending.line, first))
                    .chain(facts)
                    .collect(),
                next: Vec::new(),
            }
        }
        None => Cause::unknown("No line of a conversation was found at the end of its file."),
    };
    match known {
        Some(Registered::Open {
            pid,
            status,
            waiting_for,
            ..
        }) => open(&mut cause, *pid, status, waiting_for.as_deref()),
        Some(Registered::Crashed) => cause.evidence.push(evidence(
            None,
            "Claude Code's register still names the session, but its process is gone: it was killed.".to_owned(),
        )),
        Some(Registered::Unknown) | None => {}
    }
    cause.next = next(client, &cause, known, resume, now);
    cause
}

/// The register outranks the lines: a permission prompt, for example, leaves no line.
fn open(cause: &mut Cause, pid: u32, status: &str, waiting_for: Option<&str>) {
    let (kind, text) = match (waiting_for, cause.kind) {
        // At a limit the client waits for the reset and continues by itself; a question is already known.
        (None, CauseKind::UsageLimit)
        | (_, CauseKind::WaitingAnswer | CauseKind::WaitingApproval) => return,
        (Some("permission prompt" | "sandbox request" | "worker request"), _) => (
            CauseKind::WaitingPermission,
            format!("Claude Code waits at a permission prompt (pid {pid})."),
        ),
        (Some(_), _) => (
            CauseKind::WaitingAnswer,
            format!("Claude Code waits for input (pid {pid})."),
        ),
        (None, _) if status == "idle" => return,
        (None, _) => (
            CauseKind::Running,
            format!("The conversation is open in pid {pid}."),
        ),
    };
    cause.kind = kind;
    cause.text = text.into();
    cause.sure = Sure::Certain;
    cause.until = None;
}

/// What to do now.
fn next(
    client: Client,
    cause: &Cause,
    known: Option<&Registered>,
    resume: Option<&ResumeCommand>,
    now: DateTime<FixedOffset>,
) -> Vec<Foreign> {
    use CauseKind as K;
    if let Some(Registered::Open { pid, .. }) = known {
        let waits = [K::WaitingAnswer, K::WaitingApproval, K::WaitingPermission];
        let advice = if cause.kind == K::UsageLimit && !has_reset(cause, now) {
            "Leave it open: Claude Code 2.1.234 and later continue by themselves at the reset, unless it is more than a day ahead."
        } else if waits.contains(&cause.kind) {
            "Answer it there."
        } else {
            "Leave it, or continue there."
        };
        return vec![format!("The conversation is open in pid {pid}. {advice}").into()];
    }
    let with = |verb: &str| match resume.map(ResumeCommand::line) {
        Some(Some(command)) => format!("{verb}: {command}"),
        Some(None) => format!("{verb}."),
        None => format!("{verb}. No command does that: its directory is gone."),
    };
    vec![advice(client, cause, now, with).into()]
}

/// Whether the limit that stopped it has reset since.
fn has_reset(cause: &Cause, now: DateTime<FixedOffset>) -> bool {
    cause.until.is_some_and(|until| until.at <= now)
}

/// What to do about a conversation that is closed. `with` makes a sentence of a verb and the way to continue it. Where a
/// new conversation would do as well, both are named: which is better depends on what the plan changes, so the plan
/// says it.
pub(super) fn advice(
    client: Client,
    cause: &Cause,
    now: DateTime<FixedOffset>,
    with: impl Fn(&str) -> String,
) -> String {
    use CauseKind as K;
    const NEW: &str = "resume at the recommended point in a new conversation";
    let either = |first: &str, this: &str| with(&capital(&format!("{first}{NEW}, or {this}")));
    let after = |first: &str| either(first, "continue this one");
    match cause.kind {
        K::WaitingAnswer => either("", "answer it in this one"),
        K::WaitingApproval => either("", "approve or change it in this one"),
        K::UsageLimit if has_reset(cause, now) => after(""),
        K::UsageLimit => match cause.until {
            Some(until) => after(&format!("after {}, ", until.words())),
            None => after("once the limit has reset, "),
        },
        K::Auth if client == Client::ClaudeCode => after("log in or top up with /login, then "),
        K::Auth => after("log in or top up, then "),
        K::ContextFull => "Resume at the recommended point in a new conversation: a continued one would hit its limit again. To continue anyway, run /compact first.".to_owned(),
        K::Refused => "Resume at the recommended point in a new conversation: the refused turn stays in a continued one.".to_owned(),
        K::KilledInTool => after("check what the call had done, then "),
        K::OutputLimit => either("", "continue this one and ask for parts"),
        K::Running | K::WaitingPermission | K::ApiError | K::UserInterrupted | K::ToolDenied | K::KilledBetweenTurns | K::CutWhileStreaming | K::HookStopped | K::TurnLimit | K::BudgetLimit | K::TurnEnded | K::BackgroundUnfinished | K::ScriptFailed | K::Unknown => after(""),
    }
}

/// Whether a conversation can have stopped the pipeline. It cannot if it ended long before the last write, or began
/// after it and is not open now.
fn can_have_stopped(one: &Conversation, reading: &Reading) -> bool {
    let Some(written) = reading.last_activity_at else {
        return true;
    };
    let lasted = one.last_at.is_none_or(|last| last.at + SLACK >= written.at);
    let began = one
        .started_at
        .is_none_or(|first| first.at <= written.at + SLACK);
    lasted && (began || one.alive == Aliveness::Alive)
}

/// A file last written before this time cannot belong to the cause instead of this conversation; `None` if any file
/// can.
pub(super) fn rivals_end(one: &Conversation, reading: &Reading) -> Option<DateTime<Utc>> {
    // A turn that ended normally loses against any record of a reason.
    let says_why = !matches!(one.cause.kind, CauseKind::Unknown | CauseKind::TurnEnded);
    let newest = one
        .cause
        .at
        .filter(|_| says_why && can_have_stopped(one, reading));
    let written = reading.last_activity_at;
    newest.max(written).map(|at| at.at.to_utc() - SLACK)
}

/// The cause of a stop, chosen from the pipeline's own records and its conversations: the newest, and among equally new
/// ones the surest. The others become evidence.
pub fn newest_and_surest(
    recorded: impl IntoIterator<Item = Cause>,
    conversations: &[Conversation],
    reading: &Reading,
) -> Cause {
    let known = |cause: &Cause| cause.kind != CauseKind::Unknown;
    let may = conversations
        .iter()
        .filter(|one| can_have_stopped(one, reading));
    let of_conversations: Vec<&Cause> = may.map(|one| &one.cause).collect();
    let all = of_conversations.iter().filter(|cause| known(cause));
    let mut all: Vec<Cause> = all.copied().cloned().collect();
    let recorded: Vec<Cause> = recorded.into_iter().filter(known).collect();
    // A turn that ended normally does not explain a stop that the pipeline's records explain.
    let says_why = |cause: &Cause| recorded.is_empty() || cause.kind != CauseKind::TurnEnded;
    let newest = all.iter().chain(&recorded).filter(|one| says_why(one));
    let newest = newest.filter_map(|cause| cause.at).max();
    let rank = |cause: &Cause| {
        // An open conversation says more about now than one that was closed later.
        let live = matches!(
            cause.kind,
            CauseKind::Running | CauseKind::WaitingPermission
        );
        let near = cause.at.zip(newest);
        let near = near.is_none_or(|(at, newest)| at.at + SLACK >= newest.at);
        let at = cause.at.filter(|_| !near);
        std::cmp::Reverse((live, says_why(cause), near, at, cause.sure))
    };
    all.extend_from_slice(&recorded);
    all.sort_by_key(rank);
    let mut all = all.into_iter();
    let Some(mut cause) = all.next() else {
        return of_conversations.first().map_or_else(
            || Cause::unknown("Neither a record nor an agent conversation shows why it stopped."),
            |cause| Cause::clone(cause),
        );
    };
    cause.evidence.extend(all.flat_map(|other| other.evidence));
    cause
}
