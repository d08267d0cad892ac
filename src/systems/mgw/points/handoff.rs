//! The hand-off: the command in ROOT, and a briefing that says everything the orchestrator's own mapping
//! would get wrong (format note, section i).

use std::fmt::Write as _;
use std::path::Path;

use crate::model::{Foreign, Handoff, Preview, Prospect, Verdict};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::facts::branch::usual_tree;
use crate::systems::mgw::facts::reading::{named_paths, seen_words};
use crate::systems::mgw::points::target::{Goal, Target};
use crate::systems::mgw::points::{Point, Scene, applying};
use crate::systems::mgw::shape::state::{Checkpoint, State};
use crate::systems::mgw::shape::state_files;
use crate::systems::mgw::shape::vocabulary::{Stage, Step};
use crate::world::World;

pub(crate) fn handoff(
    world: &dyn World,
    facts: &Facts,
    target: &Target,
    prospect: &Prospect<'_>,
) -> Handoff {
    let Some(scene) = Scene::of(world, facts, target) else {
        return Handoff::default();
    };
    let scene = &scene;
    let mut points = applying(scene).into_iter();
    let Some(point) = points.find(|point| point.id() == *prospect.point) else {
        return Handoff::default();
    };
    let state = scene.state;
    let prompt = prompt(scene, point);
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
    line(format!("Command: {prompt}"));
    line(format!(
        "Project: {}",
        one_line(&facts.root.to_string_lossy())
    ));
    line(format!("Resume at: {}", place(scene, point)));
    if scene.is_chosen(point) {
        line(format!("Why: {}", target.why));
    }
    // The run finds the file as the plan leaves it, not as it was.
    let written = written(facts, prospect);
    let found = written.as_ref().unwrap_or(state);
    line(format!(
        "Stage in the state file: {}",
        found.stage_text().unwrap_or("missing")
    ));
    if let Some(gate) = scene.gate() {
        line(format!("Gate: {}", gate_line(point, gate)));
    }
    checkpoint_lines(found, &mut line);
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
    for check in prospect
        .checks
        .iter()
        .filter(|check| check.verdict > Verdict::Skipped)
    {
        line(format!(
            "Check {} {} ({}): {}",
            check.id.0,
            check.verdict.word(),
            one_line(&check.subject().lossy()),
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

/// What to tell the orchestrator: its command, and where to go on.
fn prompt(scene: &Scene<'_>, point: Point) -> String {
    let gate = scene.gate().filter(|_| point != Point::Override);
    let gate = gate.map_or_else(String::new, |gate| {
        format!(
            " The issue waits at {}: ask me, and do not override it.",
            gate.word()
        )
    });
    let then = then(scene, point);
    let space = if then.is_empty() { "" } else { " " };
    format!("{}{space}{then}{gate}", command(scene, point))
}

/// The orchestrator's command.
fn command(scene: &Scene<'_>, point: Point) -> String {
    let (state, target) = (scene.state, scene.target);
    let number = &scene.facts.number;
    let run = |flag: &str| format!("/mgw:run {number}{flag}");
    let triage = || format!("/mgw:issue {number}");
    match point {
        Point::Cleanup => "/mgw:sync".to_owned(),
        Point::ReTriage => triage(),
        Point::Override => run(match scene.gate() {
            Some(Stage::NeedsInfo) => " --force",
            Some(Stage::NeedsSecurityReview) => " --security-ack",
            _ => "",
        }),
        Point::FromTmp if scene.leads_to(point) == Goal::Step(Step::Triage) => triage(),
        Point::Step(Step::Triage) if !scene.is_chosen(point) => triage(),
        Point::Step(step) if scene.is_chosen(point) => {
            if state.reconstructed() {
                return triage();
            }
            let flag = flag(state);
            let plain = flag.is_empty() && !state.stage().is_some_and(Stage::waits);
            match step {
                Step::Triage if plain => triage(),
                Step::Pr if plain && !resumes_there(state.checkpoint(), target) => {
                    format!("/mgw:pr {number}")
                }
                Step::Triage | Step::Plan | Step::Execute | Step::Verify | Step::Pr => run(flag),
            }
        }
        Point::Step(_) | Point::Fresh | Point::Retry | Point::FromTmp => run(""),
    }
}

/// What must be said beside the command for a failed run not to stop at once. A gate is never overridden here:
/// the orchestrator stops at it and asks its person.
fn flag(state: &State) -> &'static str {
    if state.stage() == Some(Stage::Failed) || state.dead_letter() {
        " --retry"
    } else {
        ""
    }
}

/// How the gate that the issue waits at is dealt with.
fn gate_line(point: Point, gate: Stage) -> String {
    let word = gate.word();
    match point {
        Point::Override => format!("{word}, overridden by the user's explicit decision."),
        Point::Step(_)
        | Point::Fresh
        | Point::Retry
        | Point::Cleanup
        | Point::FromTmp
        | Point::ReTriage => format!(
            "{word}. It is not overridden: the run stops there until the user has decided. Do not pass --force or --security-ack unasked."
        ),
    }
}

/// True where the orchestrator's own resume prompt appears and leads to the target.
fn resumes_there(checkpoint: Option<&Checkpoint>, target: &Target) -> bool {
    checkpoint.is_some_and(|checkpoint| {
        checkpoint.offered_upstream()
            && !checkpoint.regressed()
            && checkpoint
                .action
                .map_or("planning", |action| action.upstream())
                == target.word()
    })
}

/// What to do once the command runs: where to go on, and what to answer when the orchestrator asks.
fn then(scene: &Scene<'_>, point: Point) -> String {
    let (state, target) = (scene.state, scene.target);
    let goal = scene.leads_to(point);
    let place = place(scene, point);
    if goal == Goal::Cleanup {
        return "Clean up only: the pull request exists, so do not plan again.".to_owned();
    }
    if goal == Goal::Step(Step::Triage) && scene.gate().is_some() && point != Point::ReTriage {
        return String::new();
    }
    if command(scene, point).starts_with("/mgw:pr ") {
        return "Create the pull request; the steps before it are done.".to_owned();
    }
    if goal == Goal::Step(Step::Triage) {
        return "Triage the issue; keep its branch and its documents.".to_owned();
    }
    let checkpoint = match (point, &scene.tmp) {
        (Point::FromTmp, Some(_)) => {
            let tmp = scene
                .facts
                .whole_tmp()
                .and_then(state_files::StateFile::state);
            tmp.and_then(State::checkpoint)
        }
        _ => state.checkpoint(),
    };
    let exact = match point {
        // These write the checkpoint themselves, with an action that leads exactly there.
        Point::Step(Step::Plan) if !scene.is_chosen(point) => {
            (!scene.course.finished.is_empty()).then_some(true)
        }
        Point::Step(_) if !scene.is_chosen(point) => Some(true),
        Point::Fresh => None,
        _ if checkpoint.is_some_and(Checkpoint::offered_upstream) => {
            let goal = Target {
                goal,
                ..target.clone()
            };
            Some(resumes_there(checkpoint, &goal))
        }
        Point::Step(_)
        | Point::Retry
        | Point::Cleanup
        | Point::FromTmp
        | Point::ReTriage
        | Point::Override => None,
    };
    match exact {
        None => format!("Continue with {place}; no checkpoint is offered to resume."),
        Some(true) => format!("Choose Resume when asked; it continues with {place}."),
        Some(false) => format!(
            "Choose Resume when asked, but continue with {place}, not with the step that Resume names."
        ),
    }
}

/// The stage's word for where a point leads, with the phase.
fn place(scene: &Scene<'_>, point: Point) -> String {
    let target = match (point, &scene.tmp) {
        (Point::FromTmp, Some(tmp)) => tmp,
        _ => scene.target,
    };
    let goal = scene.leads_to(point);
    let word = word(goal, target);
    let same = goal == target.goal && point != Point::Fresh;
    let detail = match (&target.phase, same) {
        (_, true) => one_line(&target.detail),
        (Some(phase), false) if point != Point::Fresh => format!("phase {}", one_line(phase)),
        _ => String::new(),
    };
    if detail.is_empty() {
        word.to_owned()
    } else {
        format!("{word} ({detail})")
    }
}

/// A goal in the stage's words.
fn word(goal: Goal, target: &Target) -> &'static str {
    Target {
        goal,
        ..target.clone()
    }
    .word()
}

/// The state file as the plan's own actions leave it; `None` where none of them writes it.
fn written(facts: &Facts, prospect: &Prospect<'_>) -> Option<State> {
    let file = facts.file()?;
    let ours = prospect
        .actions
        .iter()
        .find(|action| action.target == file.path)?;
    let Preview::Content { after, .. } = &ours.preview else {
        return None;
    };
    state_files::parse(after).ok()
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

/// A path for a command to copy; shown with its odd characters replaced where no shell takes it as itself.
pub(crate) fn shell(path: &Path) -> String {
    let text = path.to_string_lossy();
    shell_word(&text).unwrap_or_else(|| one_line(&text))
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
