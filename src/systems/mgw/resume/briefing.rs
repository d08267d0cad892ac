//! The hand-off: the command in ROOT, and a briefing that says everything the orchestrator's own mapping
//! would get wrong (format note, section i).

use std::fmt::Write as _;
use std::path::Path;

use super::super::branch::usual_tree;
use super::super::facts::Facts;
use super::super::files::StateFile;
use super::super::read::{named_paths, seen_words};
use super::super::state::{Checkpoint, State};
use super::super::target::{Goal, Target};
use super::super::words::{Stage, Step};
use super::points::{Point, applying};
use crate::model::{Foreign, Handoff, Prospect, Verdict};
use crate::world::World;

pub(in super::super) fn handoff(
    world: &dyn World,
    facts: &Facts,
    target: &Target,
    prospect: &Prospect<'_>,
) -> Handoff {
    let Some(state) = facts.file().and_then(StateFile::state) else {
        return Handoff::default();
    };
    let applying = applying(state, target);
    let Some(point) = applying
        .into_iter()
        .find(|point| point.id() == *prospect.point)
    else {
        return Handoff::default();
    };
    let checks = prospect.checks;
    let prompt = prompt(facts, state, target, point);
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(format!(
        "Issue #{}: {}",
        facts.number,
        one_line(&facts.title())
    ));
    line(format!("In {}: {prompt}", facts.root.to_string_lossy()));
    line(format!("Take up at: {}", take_up(target, point)));
    if point.is_chosen(target) {
        line(format!("Why: {}", target.why));
    }
    line(format!("Then: {}", then(state, target, point)));
    line(format!(
        "Stage in the state file: {}",
        state.stage_text().unwrap_or("missing")
    ));
    checkpoint_lines(state, &mut line);
    for place in places(facts) {
        line(place);
    }
    if let Some(listed) = facts.listed() {
        line(format!("Belongs to: {}", one_line(&listed.context())));
    }
    line(format!("Evidence: {}", facts.evidence.words()));
    for named in named_paths(state) {
        let seen = facts.lookup.find(world, &named.path);
        line(format!(
            "Document: {} ({})",
            one_line(&named.path),
            seen_words(seen)
        ));
    }
    if point.is_chosen(target) {
        for warning in &target.warnings {
            line(format!("Warning: {}", one_line(warning)));
        }
    }
    for check in checks
        .iter()
        .filter(|check| check.verdict > Verdict::Skipped)
    {
        line(format!(
            "Check {} {} ({}): {}",
            check.id.0,
            check.verdict.word(),
            one_line(&check.subject.lossy()),
            one_line(&check.evidence.lossy())
        ));
    }
    Handoff {
        cwd: facts.root.clone(),
        argv: vec![facts.program.into()],
        prompt: prompt.into(),
        briefing: Foreign::from(text),
        ..Handoff::default()
    }
}

/// What to type.
fn prompt(facts: &Facts, state: &State, target: &Target, point: Point) -> String {
    let number = &facts.number;
    let run = |flag: &str| format!("/mgw:run {number}{flag}");
    match point {
        Point::Cleanup => "/mgw:sync".to_owned(),
        Point::Step(Step::Triage) if !point.is_chosen(target) => format!("/mgw:issue {number}"),
        Point::Step(step) if point.is_chosen(target) => {
            if state.reconstructed() {
                return format!("/mgw:issue {number}");
            }
            let flag = flag(state);
            let plain = flag.is_empty() && !state.stage().is_some_and(Stage::waits);
            match step {
                Step::Triage if plain => format!("/mgw:issue {number}"),
                Step::Pr if plain && !resumes_there(state, target) => format!("/mgw:pr {number}"),
                Step::Triage | Step::Plan | Step::Execute | Step::Verify | Step::Pr => run(flag),
            }
        }
        Point::Step(_) | Point::Fresh | Point::Retry => run(""),
    }
}

/// What must be said beside the command for the run not to stop at once.
fn flag(state: &State) -> &'static str {
    match state.stage() {
        Some(Stage::NeedsInfo) => " --force",
        Some(Stage::NeedsSecurityReview) => " --security-ack",
        Some(Stage::Failed) => " --retry",
        _ if state.dead_letter() => " --retry",
        _ => "",
    }
}

/// True where the orchestrator's own resume prompt appears and leads to the target.
fn resumes_there(state: &State, target: &Target) -> bool {
    state.checkpoint().is_some_and(|checkpoint| {
        checkpoint.offered_upstream()
            && !checkpoint.regressed()
            && checkpoint
                .action
                .map_or("planning", |action| action.upstream())
                == target.word()
    })
}

fn take_up(target: &Target, point: Point) -> String {
    match point {
        Point::Step(step) if point.is_chosen(target) => {
            let detail = if target.detail.is_empty() {
                String::new()
            } else {
                format!(", {}", one_line(&target.detail))
            };
            format!("{} ({}{detail})", step.word(), target.word())
        }
        Point::Step(step) => step.word().to_owned(),
        Point::Fresh => "plan, with an empty checkpoint".to_owned(),
        Point::Retry => format!("{}, with the retries reset", target.word()),
        Point::Cleanup => "cleanup: remove the worktree, set the labels, archive".to_owned(),
    }
}

/// What to do once the command runs.
fn then(state: &State, target: &Target, point: Point) -> String {
    if target.goal == Goal::Cleanup {
        return "never plan again; the pull request exists.".to_owned();
    }
    let offered = state.checkpoint().is_some_and(Checkpoint::offered_upstream);
    match point {
        Point::Fresh => "it starts with the plan; nothing is offered to resume.".to_owned(),
        Point::Step(Step::Triage) => "triage writes the checkpoint anew.".to_owned(),
        Point::Step(Step::Plan) if !point.is_chosen(target) => {
            "it starts with the plan; nothing is offered to resume.".to_owned()
        }
        Point::Step(_) if !point.is_chosen(target) => "choose Resume when asked.".to_owned(),
        Point::Retry if offered => "choose Resume when asked.".to_owned(),
        Point::Step(_) | Point::Retry | Point::Cleanup if !offered => format!(
            "say that it goes on with {}; nothing is offered to resume.",
            target.word()
        ),
        Point::Step(_) if resumes_there(state, target) => "choose Resume when asked.".to_owned(),
        Point::Step(_) | Point::Retry | Point::Cleanup => format!(
            "choose Resume when asked, and say that it goes on with {}, not with what Resume names.",
            target.word()
        ),
    }
}

fn checkpoint_lines(state: &State, line: &mut impl FnMut(String)) {
    let Some(checkpoint) = state.checkpoint() else {
        line("Checkpoint: none".to_owned());
        return;
    };
    line(format!(
        "Checkpoint: step {}, action {}",
        one_line(&checkpoint.step_text),
        one_line(checkpoint.action_text.as_deref().unwrap_or("none"))
    ));
    let context = serde_json::Value::Object(checkpoint.context.clone());
    line(format!("Context: {context}"));
    let steps: Vec<String> = checkpoint
        .history
        .iter()
        .map(|past| one_line(&past.step_text))
        .collect();
    if !steps.is_empty() {
        line(format!("Completed steps: {}", steps.join(", ")));
    }
}

/// Branch and worktree, or the exact command that makes the worktree again.
fn places(facts: &Facts) -> Vec<String> {
    let branch = &facts.branch;
    let name = &branch.name;
    let mut lines = vec![format!("Branch: {}", one_line(name))];
    match (branch.present(), &branch.tip) {
        (Some(tree), _) => lines.push(format!("Worktree: {}", one_line(&tree.to_string_lossy()))),
        (None, Some(_)) => lines.push(worktree_command(facts, name)),
        (None, None) => lines.push("Worktree: none, and no branch; the run makes both.".to_owned()),
    }
    lines
}

fn worktree_command(facts: &Facts, branch: &str) -> String {
    let path = usual_tree(&facts.root, branch);
    let path = path
        .as_deref()
        .and_then(|path| path.strip_prefix(&facts.root).ok())
        .and_then(Path::to_str);
    match path.and_then(shell_word).zip(shell_word(branch)) {
        Some((path, branch)) => {
            format!("Worktree: none; make it in ROOT with: git worktree add {path} {branch}")
        }
        None => "Worktree: none; the branch name cannot be typed safely, so let the run make it."
            .to_owned(),
    }
}

/// A word that every shell takes as itself; `None` where it holds a control character or could be taken for
/// an option.
fn shell_word(text: &str) -> Option<String> {
    if text.is_empty() || text.starts_with('-') || text.chars().any(char::is_control) {
        return None;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if text.chars().all(plain) {
        return Some(text.to_owned());
    }
    Some(format!("'{}'", text.replace('\'', "'\\''")))
}

/// Foreign text on one line of the briefing.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(out, "<U+{:04X}>", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_to_copy_is_one_word_for_every_shell() {
        for (text, word) in [
            ("issue/4-x", Some("issue/4-x")),
            ("issue/4-a;b", Some("'issue/4-a;b'")),
            ("issue/4-$(id)", Some("'issue/4-$(id)'")),
            ("it's", Some("'it'\\''s'")),
            ("a\u{1b}[201~b", None),
            ("a\nb", None),
            ("-x", None),
            ("", None),
        ] {
            assert_eq!(shell_word(text).as_deref(), word, "{text:?}");
        }
        assert_eq!(one_line("a\nb\u{1b}c"), "a b<U+001B>c");
    }
}
