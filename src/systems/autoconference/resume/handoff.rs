//! How the original orchestrator goes on: the command, the sentence to give it, and the briefing (format
//! note, section i). `conference.resumed` is in the log by then, and the text says that it stands.

use crate::model::{Check, Foreign, Handoff, Prospect, Verdict};
use crate::world::World;

use super::super::Conference;
use super::super::files::{CONFIG, EVENTS, RESULTS, table_name};
use super::super::state::Decision;
use super::points::{self, Move};
use super::{reverted, transfer, warnings};

/// The hand-off of a point.
pub(crate) fn of(case: &Conference, prospect: &Prospect<'_>, world: &dyn World) -> Handoff {
    let offers = points::offers(case);
    let Some(to) = offers
        .iter()
        .map(|offer| offer.to)
        .find(|to| to.id() == *prospect.point)
    else {
        return Handoff::default();
    };
    let checks = prospect.checks;
    let prompt = prompt(case, to);
    let mut argv = vec![Foreign::from("claude")];
    if let Move::Mend(_) = to {
        argv.push("/autoconference:resume".into());
    }
    Handoff {
        cwd: case.raw.dir.clone(),
        argv,
        briefing: briefing(case, to, &prompt, checks, world).into(),
        prompt: prompt.into(),
        ..Handoff::default()
    }
}

fn starting(case: &Conference) -> bool {
    matches!(case.state.decision, Decision::NotStarted { .. })
        && case.raw.log.as_ref().is_none_or(|l| l.lines == 0)
}

fn prompt(case: &Conference, to: Move) -> String {
    let dir = plain(case);
    if starting(case) {
        return format!(
            "/autoconference Start the conference configured in {dir}/{CONFIG} with round 1, phase 1."
        );
    }
    if let Move::Mend(_) = to {
        return String::new();
    }
    let ids = list(&reverted(case, to));
    format!(
        "Resume the autoconference in {dir} at {}; already confirmed; reverted: {ids}. {} The conference.resumed event is already in the log and stands: do not append another.",
        to.recovery_point(),
        task(case, to),
    )
}

/// What exactly is to be done there.
fn task(case: &Conference, to: Move) -> String {
    let round = case.state.round;
    match to {
        Move::Mid(_) => format!(
            "Re-spawn only {} for round {round}, each from its last kept state; the others are done.",
            list(&case.state.unfinished())
        ),
        Move::Keep(_) => {
            let ids = if case.state.unfinished().is_empty() {
                case.state.probable()
            } else {
                case.state.unfinished()
            };
            format!(
                "Re-spawn only {} for round {round}; every row of their tables stays and counts.",
                list(&ids)
            )
        }
        Move::Phase(n, 1) if case.state.open && n == round && case.state.work.begun(round) => {
            format!(
                "Begin round {n} again with all researchers; what the open round has so far does not count."
            )
        }
        Move::Phase(n, 1) => {
            format!("Begin round {n} with all researchers and the current Shared Knowledge.")
        }
        Move::Phase(_, 2) => "Hold the poster session with the results that are there.".to_owned(),
        Move::Phase(_, 3) => "Spawn the reviewer only; the poster session stands.".to_owned(),
        Move::Phase(n, _) => {
            let lacks = transfer::lacks(case, n).join("; ");
            format!(
                "Complete the knowledge transfer, do not repeat it, and fill only verdicts that are `-`. Phase 4 still lacks: {lacks}."
            )
        }
        Move::Synthesis => {
            "Write synthesis.md and final_report.md, then log conference.completed.".to_owned()
        }
        Move::Mend(_) => String::new(),
    }
}

fn list(ids: &[char]) -> String {
    if ids.is_empty() {
        "none".to_owned()
    } else {
        ids.iter()
            .map(char::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

fn briefing(
    case: &Conference,
    to: Move,
    prompt: &str,
    checks: &[Check],
    world: &dyn World,
) -> String {
    let dir = plain(case);
    let mut lines = vec![
        format!("Conference: {dir}"),
        format!("Recovery point: {}", to.recovery_point()),
        format!("Round: {} (completed: {})", to.round(case), case.state.done),
        format!(
            "Researchers still to work: {}",
            list(&case.state.unfinished())
        ),
        format!("Reverted: {}", list(&reverted(case, to))),
    ];
    if let Move::Phase(round, 4) = to {
        let lacks = transfer::lacks(case, round);
        lines.push("Phase 4 still lacks:".to_owned());
        lines.extend(lacks.into_iter().map(|part| format!("  {part}")));
    }
    let knowledge = case.raw.config.as_ref().and_then(|c| c.knowledge.as_ref());
    lines.push(format!(
        "Shared Knowledge: {}",
        if knowledge.is_some() {
            "present"
        } else {
            "missing"
        }
    ));
    lines.push("Files to read:".to_owned());
    lines.extend(files(case).into_iter().map(|f| format!("  {f}")));
    let warned = warnings::of(case, to, world);
    let failing = checks.iter().filter(|c| c.verdict >= Verdict::Warn);
    let told: Vec<String> = warned
        .iter()
        .map(|w| w.lossy().into_owned())
        .chain(failing.map(|c| format!("{} {}: {}", c.id.0, c.verdict.word(), c.evidence.lossy())))
        .collect();
    if !told.is_empty() {
        lines.push("Warnings:".to_owned());
        // A newline inside foreign text must not forge a line of the briefing.
        lines.extend(
            told.into_iter()
                .map(|w| format!("  {}", w.replace(['\n', '\r'], " "))),
        );
    }
    lines.extend(commands(case, to, prompt));
    lines.join("\n")
}

fn files(case: &Conference) -> Vec<String> {
    let round = case.state.round;
    let mut names = vec![CONFIG.to_owned(), EVENTS.to_owned(), RESULTS.to_owned()];
    names.extend(case.state.ids.iter().map(|id| table_name(*id)));
    names.extend(
        case.raw
            .logs
            .iter()
            .map(|id| format!("researcher_{id}_log.md")),
    );
    if case.raw.posters.contains_key(&round) {
        names.push(format!("poster_session_round_{round}.md"));
    }
    if case.raw.reviews.contains_key(&round) {
        names.push(format!("peer_review_round_{round}.md"));
    }
    names
}

fn commands(case: &Conference, to: Move, prompt: &str) -> Vec<String> {
    let dir = quoted(&case.raw.dir.to_string_lossy());
    let mut lines = vec![
        "Go on, interactively:".to_owned(),
        format!("  cd {dir} && claude"),
    ];
    if !prompt.is_empty() {
        lines.push(format!("  {prompt}"));
        lines.push("Or in one shot:".to_owned());
        lines.push(format!(
            "  cd {dir} && claude -p {} --permission-mode acceptEdits",
            quoted(prompt)
        ));
    }
    if matches!(to, Move::Phase(_, 1)) && !case.state.open {
        lines.push("Or whole rounds, unattended, with the skill's loop script:".to_owned());
        lines.push(format!("  bash scripts/autoconference-loop.sh {dir}"));
    }
    if to == Move::Synthesis {
        lines.push("Do not use the loop script: it never starts a synthesis.".to_owned());
    }
    lines.push("Watch it:".to_owned());
    lines.push(format!(
        "  tail -f {}",
        quoted(&case.raw.path(EVENTS).to_string_lossy())
    ));
    lines
}

/// The directory inside a sentence: a control character in its name must not forge a line.
fn plain(case: &Conference) -> String {
    let dir = case.raw.dir.to_string_lossy();
    dir.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

/// Quoted for a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
