//! `relight show`.

use super::replay::sessions;
use super::setup::Session;
use super::words::{age, duration, fact, heading, moment, progress, status_tone, under};
use crate::clean;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::Target;
use crate::cli::report::ShowReport;
use crate::cli::table::{Column, lay_out};
use crate::model::{Clean, Finding, Phase, PhaseStatus, Pipeline, Severity};

const PHASES: [Column; 6] = [
    Column::fixed("PHASE"),
    Column::gives("NAME", [20, 10], 2),
    Column::fixed("STATUS"),
    Column::right("DONE"),
    Column::right("TIME"),
    Column::gives("DETAIL", [20, 10], 3),
];

pub(super) fn run(session: &Session, target: &Target, width: usize) -> Result<Answer, Failure> {
    let pipeline = super::dossier(session, target)?.pipeline;
    let replays = session.engine.replays_as_read(&pipeline.id)?;
    let mut lines = identity(session, &pipeline, width);
    if !pipeline.phases.is_empty() {
        lines.extend(heading("Phases"));
        let rows: Vec<Vec<Span>> = pipeline.phases.iter().map(phase).collect();
        lines.extend(lay_out(&PHASES, &rows, width));
    }
    if !replays.is_empty() {
        lines.extend(heading(&format!("Replays ({})", replays.len())));
        let word = sessions::typed(target, &pipeline.id);
        lines.extend(sessions::page(&replays, &word, session.engine.now(), width));
    }
    if !pipeline.findings.is_empty() {
        lines.extend(heading("Findings"));
        let mut findings: Vec<&Finding> = pipeline.findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        lines.extend(findings.into_iter().flat_map(|f| finding(f, width)));
    }
    Ok(Answer::new(ShowReport::new(&pipeline, &replays), lines))
}

fn identity(session: &Session, pipeline: &Pipeline, width: usize) -> Vec<Line> {
    let standing = &pipeline.standing;
    let mut lines = vec![vec![Span(Tone::Strong, pipeline.title.clean())], vec![]];
    let mut say =
        |key: &str, tone: Tone, value: Clean| lines.extend(fact(key, tone, &value, width));
    say("id", Tone::Plain, Clean::new(&pipeline.id.0));
    say(
        "status",
        status_tone(standing.status),
        clean!("{}: {}", standing.status.word(), standing.reason),
    );
    let evidence: Vec<String> = standing
        .liveness
        .evidence
        .iter()
        .map(|e| e.clean().into_string())
        .collect();
    say(
        "liveness",
        Tone::Plain,
        clean!(
            "{}. {}",
            standing.liveness.verdict.word(),
            Clean::new(&evidence.join(" "))
        ),
    );
    say("stopped", Tone::Plain, pipeline.stopped_where.clean());
    say("progress", Tone::Plain, progress(pipeline.progress));
    let activity = clean!(
        "{} ({})",
        moment(pipeline.last_activity_at),
        age(pipeline.last_activity_at, session.engine.now())
    );
    say("last write", Tone::Plain, activity);
    say("started", Tone::Plain, moment(pipeline.started_at));
    if let Some(branch) = &pipeline.branch {
        let name = |b: &Option<crate::model::Foreign>| {
            b.as_ref()
                .map_or_else(|| Clean::new("none"), crate::model::Foreign::clean)
        };
        let agree = branch.expected == branch.actual;
        let tone = if agree { Tone::Plain } else { Tone::Warn };
        let text = if agree {
            name(&branch.actual)
        } else {
            clean!(
                "expected {}, now {}",
                name(&branch.expected),
                name(&branch.actual)
            )
        };
        say("branch", tone, text);
    }
    if !pipeline.badges.is_empty() {
        let badges: Vec<&str> = pipeline.badges.iter().map(|b| b.word()).collect();
        say("badges", Tone::Warn, Clean::new(&badges.join(", ")));
    }
    say("root", Tone::Plain, clean!("{}", pipeline.root));
    if let Some(tree) = pipeline
        .work_tree
        .as_ref()
        .filter(|tree| **tree != pipeline.root)
    {
        say("work tree", Tone::Plain, clean!("{}", tree));
    }
    for file in &pipeline.state_files {
        say("state", Tone::Faint, clean!("{}", file));
    }
    lines
}

fn phase(phase: &Phase) -> Vec<Span> {
    let tone = match phase.status {
        PhaseStatus::Done => Tone::Good,
        PhaseStatus::Failed | PhaseStatus::Invalidated => Tone::Bad,
        PhaseStatus::Waiting => Tone::Warn,
        PhaseStatus::Active => Tone::Strong,
        PhaseStatus::Pending | PhaseStatus::Skipped => Tone::Faint,
    };
    let done = match phase.total {
        Some(total) => clean!("{}/{}", phase.done, total),
        None => clean!("{}", phase.done),
    };
    let time = if phase.duration_s.is_some() {
        duration(phase.duration_s)
    } else {
        Clean::empty()
    };
    vec![
        Span::plain(&phase.id),
        Span::plain(&phase.name),
        Span(tone, Clean::new(phase.status.word())),
        Span::plain(done),
        Span::plain(time),
        Span(Tone::Faint, phase.detail.clean()),
    ]
}

/// A finding with its place; the place is whole, because it is copied.
fn finding(finding: &Finding, width: usize) -> Vec<Line> {
    let tone = match finding.severity {
        Severity::Info => Tone::Faint,
        Severity::Warn => Tone::Warn,
        Severity::Error => Tone::Bad,
    };
    let head = Clean::new(&format!("{:<6}", finding.severity.word()));
    let text = if finding.inferred {
        clean!("{} (inferred)", finding.text)
    } else {
        finding.text.clean()
    };
    let mut lines = under(Span(tone, head), Tone::Plain, &text, width);
    let place = match finding.origin.line {
        Some(line) => clean!("      {}:{}", finding.origin.file, line),
        None => clean!("      {}", finding.origin.file),
    };
    lines.push(vec![Span(Tone::Faint, place)]);
    lines
}
