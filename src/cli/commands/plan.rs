//! `relight plan`: counts exact, lists capped with the rest counted, what would be lost last.

use std::path::Component;

use super::setup::Session;
use super::words::{block, duration, heading, plural, under};
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::{PlanArgs, PointArgs};
use crate::cli::report::PlanReport;
use crate::engine::{EngineError, ErrorKind, Request};
use crate::model::{
    Action, Clean, Foreign, PathChange, Plan, PlanOptions, PointChoice, PointId, Preview,
    RestoreMode, WorkItem,
};

/// Rows of a list before the rest is only counted.
const CAP: usize = 12;

pub(super) fn run(session: &Session, args: &PlanArgs, width: usize) -> Result<Answer, Failure> {
    let request = Request {
        work_tree: args.target.work_tree.clone(),
        ..session.request.clone()
    };
    let outside = |path: &&std::path::PathBuf| {
        let inner = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        !path.components().all(inner)
    };
    if let Some(path) = args.only.iter().find(outside) {
        let text = format!("--path {} leads out of the work tree.", path.display());
        let error = EngineError::new(ErrorKind::Usage, text);
        return Err(error.hint("Name paths relative to the work tree.").into());
    }
    let id = session.engine.select(&args.target.pipeline, &request)?;
    let plan = match session
        .engine
        .plan(&id, &choice(&args.point), &options(args))
    {
        Ok(plan) => plan,
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            let line = vec![Span::plain(error.text.clean())];
            let report = PlanReport::nothing(error.text.lossy().into_owned());
            return Ok(Answer::new(report, vec![line]).exit(Exit::No));
        }
        Err(error) => return Err(error.into()),
    };
    let report = session.engine.dry_run_report(&plan)?;
    let refused = refusal(&plan);
    let exit = refused
        .as_ref()
        .map_or(Exit::Done, |error| error.kind.into());
    let lines = page(&plan, report.as_ref(), width);
    let wire = PlanReport::new(
        &plan,
        report.map(|r| r.lossy().into_owned()),
        refused.as_ref(),
    );
    Ok(Answer::new(wire, lines).exit(exit))
}

fn choice(args: &PointArgs) -> PointChoice {
    match (&args.word, &args.id, &args.from_phase, args.from_seq) {
        (Some(id), ..) | (_, Some(id), ..) => PointChoice::Id(PointId(id.clone())),
        (_, _, Some(phase), _) => PointChoice::FromPhase(phase.clone()),
        (_, _, _, Some(seq)) => PointChoice::FromSeq(seq),
        (None, None, None, None) => PointChoice::Recommended,
    }
}

fn options(args: &PlanArgs) -> PlanOptions {
    PlanOptions {
        mode: if args.exact {
            RestoreMode::Exact
        } else {
            RestoreMode::Overlay
        },
        paths: args.only.clone(),
        branch: args.branch.clone(),
        assume_stopped: args.assume_stopped,
        rewind_branch: args.rewind_branch,
    }
}

/// The error that stands beside a plan whose guards do not all hold.
fn refusal(plan: &Plan) -> Option<EngineError> {
    let guards: Vec<_> = plan.guards.iter().filter(|g| !g.holds).cloned().collect();
    if guards.is_empty() {
        return None;
    }
    let text = format!(
        "This plan is refused by {}.",
        plural(guards.len() as u64, "guard")
    );
    let mut error = EngineError::new(ErrorKind::Refused, text);
    error.hints = guards
        .iter()
        .filter_map(|g| g.would_hold_if.clone())
        .collect();
    error.guards = guards;
    Some(error)
}

fn page(plan: &Plan, report: Option<&Foreign>, width: usize) -> Vec<Line> {
    let boundary = &plan.point.boundary;
    let mut lines = vec![vec![Span(
        Tone::Strong,
        clean!("Plan: take up {} at {}", plan.pipeline.0, boundary.id.0),
    )]];
    lines.extend(under(
        Span::plain(Clean::empty()),
        Tone::Plain,
        &clean!("{}. {}", boundary.label, plan.point.reason),
        width,
    ));
    lines.push(vec![Span(
        Tone::Faint,
        Clean::new("A dry run: nothing has been written."),
    )]);
    lines.extend(items("Kept", &plan.kept, width));
    lines.extend(items("Redone", &plan.redone, width));
    lines.extend(heading(&format!("Actions ({})", plan.actions.len())));
    if plan.actions.is_empty() {
        lines.push(vec![Span::plain(Clean::new(
            "  None: nothing on disk would change; the hand-off follows.",
        ))]);
    }
    lines.extend(
        plan.actions
            .iter()
            .flat_map(|action| action_lines(action, width)),
    );
    lines.extend(handoff(plan, width));
    if let Some(report) = report {
        lines.push(vec![]);
        lines.extend(block(report));
    }
    lines.extend(heading("Guards"));
    for guard in plan.guards.iter().rev() {
        let (sign, tone) = if guard.holds {
            ("  ✓ ", Tone::Good)
        } else {
            ("  ✗ ", Tone::Bad)
        };
        lines.extend(under(
            Span(tone, Clean::new(sign)),
            Tone::Plain,
            &guard.text.clean(),
            width,
        ));
        if let Some(cure) = &guard.would_hold_if {
            lines.extend(under(
                Span::plain(Clean::new("    ")),
                Tone::Faint,
                &clean!("→ {}", cure),
                width,
            ));
        }
    }
    if !plan.losses.is_empty() {
        lines.extend(heading("Losses"));
        lines.extend(plan.losses.iter().flat_map(|loss| {
            under(
                Span(Tone::Warn, Clean::new("  ! ")),
                Tone::Plain,
                &loss.clean(),
                width,
            )
        }));
    }
    lines.push(vec![]);
    let kind = if plan.destructive {
        "destructive"
    } else {
        "not destructive"
    };
    lines.push(vec![
        Span(Tone::Faint, Clean::new("fingerprint ")),
        Span::plain(Clean::new(&plan.fingerprint.0)),
        Span(Tone::Faint, clean!("  {}", kind)),
    ]);
    lines
}

fn items(title: &str, items: &[WorkItem], width: usize) -> Vec<Line> {
    if items.is_empty() {
        return Vec::new();
    }
    let known: u64 = items.iter().filter_map(|i| i.duration_s).sum();
    let time = if known > 0 {
        format!(", {}", duration(Some(known)))
    } else {
        String::new()
    };
    let mut lines = heading(&format!("{title} ({}{time})", items.len())).to_vec();
    for item in items.iter().take(CAP) {
        let text = clean!("{}  {}  {}", item.id, item.label, item.detail);
        lines.push(vec![
            Span::plain(Clean::new("  ")),
            Span::plain(text.clip(width.saturating_sub(2))),
        ]);
    }
    lines.extend(more(items.len()));
    lines
}

fn more(count: usize) -> Option<Line> {
    (count > CAP).then(|| vec![Span(Tone::Faint, clean!("  (+{} more)", count - CAP))])
}

fn action_lines(action: &Action, width: usize) -> Vec<Line> {
    let mut lines = vec![vec![
        Span(Tone::Strong, clean!("  {}", action.kind.word())),
        Span::plain(clean!("  {}", action.target)),
    ]];
    lines.extend(under(
        Span::plain(Clean::new("    ")),
        Tone::Plain,
        &action.summary.clean(),
        width,
    ));
    if let Some(c) = action.changes {
        let kept = action
            .paths
            .iter()
            .filter(|p| p.change == PathChange::KeepNewer)
            .count();
        let text = clean!(
            "{} modified, {} come back, {} moved aside, {} newer kept",
            c.modified,
            c.added,
            c.removed,
            kept
        );
        lines.push(vec![Span::plain(Clean::new("    ")), Span::plain(text)]);
    }
    let mut list = |rows: Vec<(Tone, Clean)>| {
        let count = rows.len();
        for (tone, text) in rows.into_iter().take(CAP) {
            lines.push(vec![
                Span::plain(Clean::new("    ")),
                Span(tone, text.clip(width.saturating_sub(4))),
            ]);
        }
        lines.extend(more(count).map(|mut line| {
            line.insert(0, Span::plain(Clean::new("  ")));
            line
        }));
    };
    match &action.preview {
        Preview::Tree { .. } | Preview::Kept { .. } => list(
            action
                .paths
                .iter()
                .map(|p| {
                    (
                        path_tone(p.change),
                        clean!("{} {}", path_sign(p.change), p.path),
                    )
                })
                .collect(),
        ),
        Preview::Rows { removed, .. } => list(
            removed
                .iter()
                .map(|row| (Tone::Bad, clean!("- {}", row)))
                .collect(),
        ),
        Preview::Lines { appended, .. } => list(
            appended
                .iter()
                .map(|line| (Tone::Good, clean!("+ {}", line)))
                .collect(),
        ),
        Preview::Content { before, after, .. } => list(content(before.as_deref(), after)),
        Preview::Rename { to } => list(vec![(Tone::Plain, clean!("→ {}", to))]),
    }
    lines
}

/// The changed lines of a file, without the rest.
fn content(before: Option<&[u8]>, after: &[u8]) -> Vec<(Tone, Clean)> {
    let Some(before) = before else {
        return vec![(Tone::Good, clean!("+ a new file of {} bytes", after.len()))];
    };
    let diff = similar::TextDiff::from_lines(before, after);
    let changes = diff.iter_all_changes().filter_map(|change| {
        let text = Foreign::from(
            change
                .value()
                .strip_suffix(b"\n")
                .unwrap_or_else(|| change.value()),
        );
        match change.tag() {
            similar::ChangeTag::Equal => None,
            similar::ChangeTag::Delete => Some((Tone::Bad, clean!("- {}", text))),
            similar::ChangeTag::Insert => Some((Tone::Good, clean!("+ {}", text))),
        }
    });
    changes.collect()
}

fn path_sign(change: PathChange) -> &'static str {
    match change {
        PathChange::Write => "M",
        PathChange::Create => "A",
        PathChange::Remove => "R",
        PathChange::KeepNewer => "=",
        PathChange::NotCovered => "?",
    }
}

fn path_tone(change: PathChange) -> Tone {
    match change {
        PathChange::Write => Tone::Warn,
        PathChange::Create => Tone::Good,
        PathChange::Remove => Tone::Bad,
        PathChange::KeepNewer | PathChange::NotCovered => Tone::Faint,
    }
}

fn handoff(plan: &Plan, width: usize) -> Vec<Line> {
    let mut lines = heading("Hand-off").to_vec();
    match plan.handoff.command_line() {
        Some(command) => lines.push(vec![
            Span::plain(Clean::new("  ")),
            Span::plain(Clean::new(&command)),
        ]),
        None if plan.handoff.argv.is_empty() => {}
        None => lines.push(vec![Span(
            Tone::Warn,
            Clean::new("  The command holds characters that must not be copied; see --json."),
        )]),
    }
    if !plan.handoff.prompt.is_empty() {
        lines.push(vec![Span(Tone::Faint, Clean::new("  then type:"))]);
        lines.extend(
            plan.handoff
                .prompt
                .lines()
                .map(|l| vec![Span::plain(Clean::new("  ")), Span::plain(&l)]),
        );
    }
    if !plan.handoff.briefing.is_empty() {
        let count = plan.handoff.briefing.lines().count();
        let text = clean!(
            "  A briefing of {} lines goes with it; --json has it whole.",
            count
        );
        lines.extend(under(
            Span::plain(Clean::empty()),
            Tone::Faint,
            &text,
            width,
        ));
    }
    lines
}
