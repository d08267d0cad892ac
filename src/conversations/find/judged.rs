//! Combines the end of a conversation, the register and the pipeline's own records.

use std::path::Path;

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};

use super::SLACK;
use super::marks::Marks;
use super::unread::Unread;
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

/// The command that resumes a conversation, in its directory. Where that no longer exists there is no command, unless
/// the client finds its conversations from `anywhere`: the others look for them in the directory they are started in.
pub(super) fn resume_command(
    world: &dyn World,
    argv: &[&str],
    cwd: Option<&Path>,
    anywhere: bool,
) -> Option<ResumeCommand> {
    let there = |dir: &Path| world.files().is_dir(&Place::root(dir));
    let is_there = cwd.is_none_or(there);
    (is_there || anywhere).then(|| ResumeCommand {
        cwd: cwd.filter(|_| is_there).map(Path::to_owned),
        argv: argv.iter().copied().map(Foreign::from).collect(),
    })
}

/// Whether this version of Claude Code resumes a conversation from any directory.
pub(super) fn finds_from_anywhere(version: Option<&str>) -> bool {
    let mut numbers = version
        .unwrap_or_default()
        .split('.')
        .map(str::parse::<u32>);
    let mut next = || numbers.next().and_then(Result::ok).unwrap_or_default();
    [next(), next(), next()] >= [2, 1, 223]
}

/// How a conversation ended: the register first, then its last lines. What to do about it depends on when that is asked.
pub(super) fn cause(
    client: Client,
    (transcript, marks): (&Transcript, &Marks),
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
                open: false,
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
        }) => {
            cause.open = true;
            open(&mut cause, *pid, status, waiting_for.as_deref());
        }
        Some(Registered::Crashed) => cause.evidence.push(evidence(
            None,
            "Claude Code's register still names the session, but its process is gone: it was killed.".to_owned(),
        )),
        Some(Registered::Unknown) | None => {}
    }
    cause.next = if let Some(Registered::Open { pid, status, .. }) = known {
        let advice = there(&cause, status, marks, now);
        vec![format!("The conversation is open in pid {pid}. {advice}").into()]
    } else {
        let gone = transcript.cwd.is_some() && resume.is_none_or(|one| one.cwd.is_none());
        vec![closed(client, &cause, resume, gone, now).into()]
    };
    cause
}

/// The register outranks the lines: a permission prompt, for example, leaves no line.
fn open(cause: &mut Cause, pid: u32, status: &str, waiting_for: Option<&str>) {
    let (kind, text) = match (waiting_for, cause.kind) {
        // At a limit the client waits for the reset, perhaps in a dialog that offers ways around it; a question is
        // already known.
        (None | Some("dialog open"), CauseKind::UsageLimit)
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
        (None, _) if status == "waiting" => (
            CauseKind::WaitingAnswer,
            format!("Claude Code waits for input (pid {pid})."),
        ),
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

/// What to do about a conversation that is open. It continues by itself only while its client is busy, or waits for the
/// reset of a limit and says so.
fn there(cause: &Cause, status: &str, marks: &Marks, now: DateTime<FixedOffset>) -> &'static str {
    let is_ahead = cause.kind == CauseKind::UsageLimit && !has_reset(cause, now);
    let is_far = cause
        .until
        .is_some_and(|until| until.at > now + TimeDelta::days(1));
    match marks.continues {
        _ if cause.kind.awaits_person() => "Answer it there.",
        _ if cause.kind == CauseKind::Running && status == "busy" => {
            "Leave it: it continues by itself."
        }
        _ if cause.kind == CauseKind::Running => "Leave it, or continue it there.",
        Some(true) if is_ahead && !is_far => {
            "Leave it open: it waits for the reset and continues by itself."
        }
        None if is_ahead && !is_far => {
            "Leave it open until the reset. If it does not continue by itself then, as Claude Code 2.1.234 and later do, continue it there."
        }
        Some(_) | None if is_ahead => {
            "Continue it there after the reset: it does not do so by itself."
        }
        Some(_) | None => "Continue it there.",
    }
}

/// What to do about a conversation that is closed, and the command for it. `gone` where its directory no longer exists.
fn closed(
    client: Client,
    cause: &Cause,
    resume: Option<&ResumeCommand>,
    gone: bool,
    now: DateTime<FixedOffset>,
) -> String {
    advice(client, cause, now, |verb| {
        match resume.map(ResumeCommand::line) {
            Some(Some(command)) if gone => {
                format!(
                    "{verb}. Its directory is gone, so run this in that of the project: {command}"
                )
            }
            Some(Some(command)) => format!("{verb}: {command}"),
            Some(None) => format!("{verb}."),
            None => format!("{verb}. No command does that: its directory is gone."),
        }
    })
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
        .filter(|_| says_why && !one.went_on && can_have_stopped(one, reading));
    let written = reading.last_activity_at;
    newest.max(written).map(|at| at.at.to_utc() - SLACK)
}

/// Whether an open conversation says more about a pipeline than that some process works on it: more than a guess. Where
/// others than the clients of such conversations do as well, only what it waits for counts. `alone` says of their ids
/// that none do.
pub fn is_told_by_open(
    conversations: &[Conversation],
    reading: &Reading,
    alone: impl FnOnce(&[&Foreign]) -> bool,
) -> bool {
    let tells = |one: &&Conversation| {
        let cause = &one.cause;
        let told = cause.open && cause.sure > Sure::Guess && cause.kind != CauseKind::Unknown;
        told && !one.went_on && can_have_stopped(one, reading)
    };
    let all: Vec<_> = conversations.iter().filter(tells).collect();
    let waits = |one: &&Conversation| {
        one.cause.kind.awaits_person() || one.cause.kind == CauseKind::UsageLimit
    };
    let ids: Vec<&Foreign> = all.iter().map(|one| &one.id).collect();
    all.iter().any(waits) || !all.is_empty() && alone(&ids)
}

/// The cause of a stop, chosen from the pipeline's own records and its conversations: the newest, and among equally new
/// ones the surest. The others become evidence.
pub fn newest_and_surest(
    recorded: impl IntoIterator<Item = Cause>,
    conversations: &[Conversation],
    reading: &Reading,
) -> Cause {
    let known = |cause: &Cause| cause.kind != CauseKind::Unknown;
    let may = conversations.iter();
    let may: Vec<_> = may.filter(|one| can_have_stopped(one, reading)).collect();
    let first = may.first().map(|one| one.cause.clone());
    let recorded: Vec<Cause> = recorded.into_iter().filter(known).collect();
    // A turn that ended normally, or went on to other work, does not explain a stop that the pipeline's records explain.
    let explains = |one: &Conversation| {
        recorded.is_empty() || one.cause.kind != CauseKind::TurnEnded && !one.went_on
    };
    let ends = may.into_iter().filter(|one| known(&one.cause));
    let ends = ends.map(|one| (explains(one), one.cause.clone()));
    let mut all: Vec<(bool, Cause)> = ends.collect();
    all.extend(recorded.iter().map(|cause| (true, cause.clone())));
    let newest = all.iter().filter(|(says_why, _)| *says_why);
    let newest = newest.filter_map(|(_, cause)| cause.at).max();
    let rank = |(says_why, cause): &(bool, Cause)| {
        // An open conversation says more about now than one that was closed later.
        let live = matches!(
            cause.kind,
            CauseKind::Running | CauseKind::WaitingPermission
        );
        let live = live || cause.open;
        let near = cause.at.zip(newest);
        let near = near.is_none_or(|(at, newest)| at.at + SLACK >= newest.at);
        let at = cause.at.filter(|_| !near);
        std::cmp::Reverse((live && *says_why, *says_why, near, at, cause.sure))
    };
    all.sort_by_key(rank);
    let mut all = all.into_iter().map(|(_, cause)| cause);
    let Some(mut cause) = all.next() else {
        return first.unwrap_or_else(|| {
            Cause::unknown("Neither a record nor an agent conversation shows why it stopped.")
        });
    };
    cause.evidence.extend(all.flat_map(|other| other.evidence));
    cause
}

/// A cause as far as it is known where a newer conversation was not read. What the pipeline itself recorded stays.
pub fn doubted(mut cause: Cause, conversations: &[Conversation], unread: &[Unread]) -> Cause {
    let told = |one: &Conversation| one.cause.at == cause.at && one.cause.text == cause.text;
    if !conversations.iter().any(told) {
        return cause;
    }
    let newer = |one: &&Unread| {
        cause
            .at
            .is_none_or(|at| one.modified.is_none_or(|own| own > at.at))
    };
    let seen_now = cause.open || cause.kind == CauseKind::Running;
    let newer = unread.iter().find(newer).filter(|_| !seen_now);
    if let Some(newer) = newer.filter(|_| cause.kind != CauseKind::Unknown) {
        cause.sure = Sure::Guess;
        cause.evidence.push(CauseEvidence {
            file: newer.path.clone(),
            line: None,
            text: "It may be newer, and was not read.".into(),
        });
    }
    cause
}
