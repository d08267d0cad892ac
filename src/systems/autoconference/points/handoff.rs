//! How the original orchestrator resumes: the command, the prompt, and the briefing. Their statements about the log and
//! the researchers follow from the plan's actions.

use std::path::Path;

use crate::model::{Action, ActionKind, Check, Handoff, Prospect, Verdict};

use super::offers::{self, Move};
use super::{mend, transfer, warnings};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::{Decision, converge};
use crate::systems::autoconference::shape::{
    BadFile, CONFIG, EVENTS, RESULTS, letters, notes_name, poster_name, review_name, table_name,
};
use crate::text::Shown as _;
use crate::text::format::shell_path;

/// The actions of a plan that the orchestrator must know.
struct Done<'a> {
    /// Whether `conference.resumed` is appended.
    logged: bool,
    /// Researchers with removed rows or a reset worktree.
    reverted: Vec<char>,
    /// Researchers that are started again although their worktree was not reset, each with the reason.
    untouched: Vec<(char, String)>,
    /// Files that are moved aside.
    moved: Vec<&'a Path>,
}

impl<'a> Done<'a> {
    fn of(case: &Conference, to: Move, actions: &'a [Action]) -> Self {
        let incomplete = case.state.incomplete().into_iter();
        let incomplete = incomplete.filter(|_| to.reverts());
        let why = |id| Some((id, case.trees.untouched(id)?));
        let mut done = Self {
            logged: false,
            reverted: Vec::new(),
            untouched: incomplete.filter_map(why).collect(),
            moved: Vec::new(),
        };
        for action in actions {
            match action.kind {
                ActionKind::AppendLines => done.logged |= action.target == case.raw.path(EVENTS),
                ActionKind::MoveAside => done.moved.push(&action.target),
                ActionKind::TruncateRows | ActionKind::ResetWorktree => {
                    done.reverted.extend(case.state.ids.iter().filter(|id| {
                        case.raw.path(&table_name(**id)) == action.target
                            || case.trees.path(**id) == Some(&action.target)
                    }));
                }
                ActionKind::RestoreTree | ActionKind::ReplaceFile => {}
            }
        }
        done.reverted.sort_unstable();
        done.reverted.dedup();
        done
    }
}

/// The hand-off of a point.
pub(crate) fn of(case: &Conference, prospect: &Prospect<'_>) -> Handoff {
    let mut offers = offers::offers(case).into_iter().map(|offer| offer.to);
    let Some(to) = offers.find(|to| to.id() == *prospect.point) else {
        return Handoff::default();
    };
    let done = Done::of(case, to, prospect.actions);
    let briefing = briefing(case, to, &done, prospect.checks);
    let prompt = prompt(case, to, &done);
    Handoff::new(&case.raw.dir, vec!["claude".into()], prompt, briefing)
}

fn starting(case: &Conference) -> bool {
    matches!(case.state.decision, Decision::NotStarted { .. })
        && case.raw.log.as_ref().is_none_or(|l| l.lines == 0)
}

fn prompt(case: &Conference, to: Move, done: &Done<'_>) -> String {
    let dir = plain(case);
    if starting(case) || to == Move::Fresh {
        return format!(
            "/autoconference Start the conference configured in {dir}/{CONFIG} with round 1, phase 1."
        );
    }
    if to.is_edit() {
        return "/autoconference:resume".to_owned();
    }
    let mut prompt = format!(
        "Resume the autoconference in {dir} at {}; already confirmed; reverted: {}. {}",
        to.recovery_point(),
        list(&done.reverted),
        task(case, to, done),
    );
    for (id, why) in &done.untouched {
        prompt = format!(
            "{prompt} The worktree of researcher {id} was not reset ({why}), and the rows of its table stay: ask the user before {id} works there."
        );
    }
    for (BadFile { name, problem, .. }, _) in mend::all_lost(case) {
        prompt = format!(
            "{prompt} {name} {problem}: do not begin a new table; ask the user to restore it first."
        );
    }
    if let Some(early) = warnings::early(case).filter(|_| to != Move::Synthesis) {
        prompt = format!("{prompt} {early}: they do not end the conference.");
    }
    let discarded = warnings::discarded(case).filter(|_| to != Move::Phase(case.state.round, 1));
    if let Some(discarded) = discarded {
        prompt = format!("{prompt} {discarded}.");
    }
    if done.logged {
        prompt.push_str(
            " The conference.resumed event is already in the log: do not append another.",
        );
    }
    prompt
}

/// The researchers that are not started again, although one iteration of theirs is not on record.
fn probably(case: &Conference) -> String {
    let ids = case.state.probable();
    if ids.is_empty() {
        return String::new();
    }
    format!(
        " ({} probably: one iteration fewer than required is on record)",
        list(&ids)
    )
}

/// The researchers whose work of the open round stays unfinished because a later phase or the synthesis is next.
fn unfinished(case: &Conference, to: Move) -> String {
    let ids = case.state.unfinished();
    let later = matches!(to, Move::Phase(round, 2..) if round == case.state.round);
    let passes = later || to == Move::Synthesis;
    if ids.is_empty() || !passes {
        return String::new();
    }
    format!(" is started again; unfinished: {}", list(&ids))
}

/// The task, in detail.
fn task(case: &Conference, to: Move, done: &Done<'_>) -> String {
    let round = case.state.round;
    match to {
        Move::Mid(_) => format!(
            "{} for round {round}, each from its last kept state{}.",
            respawn(case, to),
            others(case, to)
        ),
        Move::Keep(_) => format!(
            "{} for round {round}; every row of their tables stays and counts.",
            respawn(case, to)
        ),
        Move::Phase(n, 1) if case.state.open && n == round => again(case, n, done),
        Move::Phase(n, 1) => next_round(case, n),
        Move::Phase(n, 2) => format!(
            "Hold the poster session of round {n} with the existing results and write {}.",
            poster_name(n)
        ),
        Move::Phase(n, 3) => {
            let poster = if case.raw.poster_size(n) > 0 {
                format!("{} is there", poster_name(n))
            } else {
                "there is no poster session".to_owned()
            };
            format!(
                "Spawn only the Reviewer for round {n}, who writes {}; {poster}.",
                review_name(n)
            )
        }
        Move::Phase(n, _) => format!(
            "Complete the knowledge transfer, do not repeat it, and fill only verdicts that are `-`. Phase 4 is still missing: {}.",
            transfer::missing(case, n).join("; ")
        ),
        Move::Synthesis => format!(
            "{}Spawn the Synthesizer with these files: {}. It writes synthesis.md and final_report.md; then log conference.completed.",
            partial(case),
            files(case, to, done).join(", ")
        ),
        // Their prompts are commands of the plugin.
        Move::Mend(_) | Move::Rebuild | Move::Fresh => String::new(),
    }
}

/// The order to start the researchers with work left.
fn respawn(case: &Conference, to: Move) -> String {
    let workers = workers(case, to);
    let all = workers.len() >= case.state.ids.len();
    format!(
        "Re-spawn {}{}",
        if all { "" } else { "only " },
        list(&workers)
    )
}

/// What is said of the researchers that are not started again, if there are any.
fn others(case: &Conference, to: Move) -> String {
    if workers(case, to).len() == case.state.ids.len() {
        return String::new();
    }
    format!("; the others are done{}", probably(case))
}

/// Why only a part of the results is there to synthesize.
fn partial(case: &Conference) -> &'static str {
    if case.state.decision == Decision::Failed {
        "Every researcher failed in one round, so this is a partial synthesis of the completed rounds. "
    } else {
        ""
    }
}

/// The researchers with work left.
pub(super) fn workers(case: &Conference, to: Move) -> Vec<char> {
    match to {
        Move::Phase(_, 1) | Move::Fresh => case.state.ids.iter().copied().collect(),
        Move::Keep(_) if case.state.unfinished().is_empty() => case.state.probable(),
        // A rebuilt file leaves the work where it was.
        Move::Mid(_) | Move::Keep(_) | Move::Mend(_) | Move::Rebuild => case.state.unfinished(),
        Move::Phase(..) | Move::Synthesis => Vec::new(),
    }
}

fn again(case: &Conference, n: u64, done: &Done<'_>) -> String {
    let begun = case.state.work.begun(n) || !done.moved.is_empty();
    let before = "; events of this round from before conference.resumed do not count";
    let before = if begun { before } else { "" };
    format!("Begin round {n} again with all researchers{before}.")
}

/// The next round starts with the orchestrator's own check whether the conference continues.
fn next_round(case: &Conference, n: u64) -> String {
    let begin = format!("egin round {n} with all researchers and the current Shared Knowledge.");
    let (Decision::Start(ending), done @ 1..) = (&case.state.decision, case.state.done) else {
        return format!("B{begin}");
    };
    let said = converge::said(&case.raw, &case.state).map(|said| format!(" {said}"));
    let by_records = || Some(format!(" By its records {}.", ending.as_ref()?.shown()));
    let seen = said.or_else(by_records).unwrap_or_default();
    format!(
        "First check convergence after round {done} (step 10 of the protocol).{seen} If the conference has ended, go to the synthesis (step 11); if not, b{begin}"
    )
}

fn list(ids: &[char]) -> String {
    if ids.is_empty() {
        "none".to_owned()
    } else {
        letters(ids)
    }
}

fn briefing(case: &Conference, to: Move, done: &Done<'_>, checks: &[Check]) -> String {
    let knowledge = case.raw.config.knowledge.as_ref();
    // Starting over empties it, and leaves no record of a completed round.
    let (left, completed) = if to == Move::Fresh {
        ("empty", 0)
    } else {
        ("present", case.state.done)
    };
    let knowledge = knowledge.map_or("missing", |_| left);
    let round = if to.is_edit() && case.state.open {
        case.state.round
    } else {
        to.round(case)
    };
    let mut lines = vec![
        format!("Conference: {}", plain(case)),
        format!("Recovery point: {}", to.recovery_point()),
        format!("Round: {round} (completed: {completed})"),
        format!(
            "Researchers with work left: {}{}",
            list(&workers(case, to)),
            unfinished(case, to)
        ),
        format!("Reverted: {}", list(&done.reverted)),
    ];
    let mut section = |title: &str, items: Vec<String>| {
        lines.push(title.to_owned());
        lines.extend(items.into_iter().map(|item| format!("  {item}")));
    };
    let untouched = done.untouched.iter();
    let untouched = untouched.map(|(id, why)| format!("{id}: {why}"));
    if !done.untouched.is_empty() {
        section("Not reset, and not reverted:", untouched.collect());
    }
    if let Move::Phase(round, 4) = to {
        section("Phase 4 is still missing:", transfer::missing(case, round));
    }
    section(&format!("Shared Knowledge: {knowledge}"), Vec::new());
    section("Files to read:", files(case, to, done));
    let failing = checks.iter().filter(|c| c.verdict >= Verdict::Warn);
    // A newline inside foreign text must not forge a line of the briefing.
    let line = |c: &Check| format!("{} {}: {}", c.id.0, c.verdict.word(), c.evidence.shown());
    let failing: Vec<String> = failing.map(line).collect();
    if !failing.is_empty() {
        section("Checks that failed before these changes:", failing);
    }
    lines.extend(commands(case, to));
    lines.join("\n")
}

/// The files that the next agent needs: only those that exist after the plan is applied.
fn files(case: &Conference, to: Move, done: &Done<'_>) -> Vec<String> {
    let raw = &case.raw;
    let own = [
        (raw.config.exists, CONFIG),
        (raw.log.is_some(), EVENTS),
        (raw.results.is_some(), RESULTS),
    ];
    let own = own.into_iter().filter(|(there, _)| *there);
    let mut names: Vec<String> = own.map(|(_, name)| name.to_owned()).collect();
    names.extend(raw.tables.keys().map(|id| table_name(*id)));
    names.extend(raw.logs.keys().map(|id| notes_name(*id)));
    let wanted = |round: u64, size: usize| {
        size > 0
            && match to {
                Move::Synthesis => true,
                // The check before a new round reads how the last one ended.
                Move::Phase(n, 1) => round == n || round + 1 == n,
                Move::Phase(n, _) | Move::Mid(n) | Move::Keep(n) => round == n,
                Move::Mend(_) | Move::Rebuild | Move::Fresh => false,
            }
    };
    let posters = raw
        .posters
        .keys()
        .filter(|n| wanted(**n, raw.poster_size(**n)));
    let reviews = raw
        .reviews
        .keys()
        .filter(|n| wanted(**n, raw.review_size(**n)));
    names.extend(posters.map(|n| poster_name(*n)));
    names.extend(reviews.map(|n| review_name(*n)));
    names.retain(|name| !done.moved.contains(&raw.path(name).as_path()));
    names
}

/// Commands in addition to the hand-off's.
fn commands(case: &Conference, to: Move) -> Vec<String> {
    let shown = |path: &Path| shell_path(path).unwrap_or_else(|| path.shown().to_string());
    let mut lines = Vec::new();
    if matches!(to, Move::Phase(_, 1)) && !case.state.open {
        lines.push("Whole rounds, unattended, with the skill's loop script:".to_owned());
        let dir = shown(&case.raw.dir);
        lines.push(format!("  bash scripts/autoconference-loop.sh {dir}"));
    }
    if to == Move::Synthesis {
        lines.push("Do not use the loop script: it never starts a synthesis.".to_owned());
    }
    lines.push("Watch it:".to_owned());
    lines.push(format!("  tail -f {}", shown(&case.raw.path(EVENTS))));
    lines
}

/// The directory for a sentence: a control character in its name must not forge a line.
fn plain(case: &Conference) -> String {
    case.raw.dir.shown().to_string()
}
