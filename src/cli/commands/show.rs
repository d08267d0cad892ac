//! `relight show`.

use super::replay::sessions;
use crate::cli::prelude::*;
use crate::engine::{Engine, remedies};
use crate::model::{
    Badge, Branch, CauseKind, Finding, Phase, PhaseStatus, Progress, ReplayList, Severity,
};
use crate::text::format;

const PHASES: [Column; 6] = [
    Column::fixed("PHASE"),
    Column::narrowing("NAME", [20, 10], 2),
    Column::fixed("STATUS"),
    Column::right("DONE"),
    Column::right("TIME"),
    Column::narrowing("DETAIL", [20, 10], 3),
];

/// What is shown of a pipeline.
pub(super) struct Shown {
    pipeline: Pipeline,
    cause: Option<Cause>,
    replays: ReplayList,
    /// Why the replays cannot be read.
    unread: Option<EngineError>,
}

impl Shown {
    pub(super) fn of(engine: &Engine, mut pipeline: Pipeline) -> Result<Self> {
        let cause = engine.cause(&pipeline.id);
        if let Some(cause) = &cause {
            pipeline.standing.wait_for(cause);
        }
        let (replays, unread) = match engine.replay_list_as_read(&pipeline.id) {
            Ok(replays) => (replays, None),
            Err(error) if error.kind == ErrorKind::Unreadable => {
                (ReplayList::default(), Some(error))
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            pipeline,
            cause,
            replays,
            unread,
        })
    }

    /// The same as JSON.
    pub(super) fn report(&self, engine: &Engine) -> Value {
        let worst = engine.check_summary(&self.pipeline.id).worst;
        let report = report::show(
            &self.pipeline,
            (worst, self.cause.as_ref()),
            &self.replays.sessions,
        );
        match &self.unread {
            Some(error) => report::noted(report, std::slice::from_ref(&error.text)),
            None => report,
        }
    }
}

pub(super) fn run(session: &Session, target: &Target) -> Result<Answer> {
    let dossier = super::dossier(session, target)?;
    let mut shown = Shown::of(&session.engine, dossier.pipeline)?;
    session.tell(shown.cause.iter_mut().flat_map(|cause| &mut cause.next));
    let Shown {
        pipeline,
        cause,
        replays,
        unread,
    } = &shown;
    let mut page = session.page();
    identity(session, pipeline, cause.as_ref(), &mut page);
    if !pipeline.reading.phases.is_empty() {
        page.heading("Phases");
        let rows: Vec<Vec<Span>> = pipeline.reading.phases.iter().map(phase).collect();
        page.table(&PHASES, &rows);
    }
    if !replays.sessions.is_empty() {
        page.heading(format!("Replays ({})", replays.sessions.len()));
        let word = sessions::typed(session, target, &pipeline.id);
        sessions::page(replays, &word, session.engine.now(), &mut page);
    }
    if !pipeline.reading.findings.is_empty() {
        page.heading("Findings");
        let mut findings: Vec<&Finding> = pipeline.reading.findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        for one in findings {
            finding(one, &mut page);
        }
    }
    if pipeline.standing.status == Status::Unreadable {
        page.heading("What to do");
        for remedy in remedies(&dossier.checks) {
            page.line([Tone::Plain.of(&remedy)]);
        }
    }
    let note = unread.as_ref().map(|error| {
        let hints = error.hints.iter().map(Foreign::clean);
        hints.fold(clean!("no replays: {}", error.text), |text, hint| {
            clean!("{} {}", text, hint)
        })
    });
    Ok(Answer::new(shown.report(&session.engine), page).noted(note))
}

fn identity(session: &Session, pipeline: &Pipeline, cause: Option<&Cause>, page: &mut Page) {
    let standing = &pipeline.standing;
    page.line([Tone::Strong.of(&pipeline.reading.title)]);
    page.blank();
    page.fact("id", &pipeline.id.0);
    let status = clean!("{}: {}", standing.status.word(), standing.reason);
    page.fact_in("status", standing.status.into(), status);
    let mut liveness = vec![clean!("{}.", standing.liveness.verdict.word())];
    let evidence = standing.liveness.evidence.iter();
    liveness.extend(evidence.map(|sentence| clean!(" {}", sentence)));
    page.fact("liveness", Clean::concat(&liveness));
    page.fact("stopped at", &pipeline.reading.stopped_where);
    if let Some(cause) = cause.filter(|cause| cause.kind != CauseKind::Unknown) {
        page.fact("cause", &cause.text);
    }
    page.fact("progress", progress(pipeline.reading.progress));
    let last = pipeline.reading.last_activity_at;
    let ago = format::ago(session.engine.now(), last.map(|last| last.at));
    page.fact("last write", clean!("{} ({})", time(last), ago));
    page.fact("started", time(pipeline.reading.started_at));
    if let Some(branch) = &pipeline.reading.branch {
        branch_fact(branch, &pipeline.reading.badges, page);
    }
    if !pipeline.reading.badges.is_empty() {
        page.fact_in("flags", Tone::Warn, pipeline.flags());
    }
    page.fact("root", &pipeline.reading.root);
    if let Some(tree) = &pipeline.reading.work_tree
        && *tree != pipeline.reading.root
    {
        page.fact("work tree", tree);
    }
    for file in &pipeline.reading.state_files {
        page.fact_in("state file", Tone::Faint, file);
    }
}

/// A time in full, or "unknown".
pub(super) fn time(stamp: Option<Stamp>) -> String {
    stamp.map_or_else(|| "unknown".to_owned(), |stamp| stamp.words())
}

/// `2 of 4 phases`.
fn progress(progress: Progress) -> Clean {
    let done = progress.out_of();
    clean!("{} {}", done, progress.unit)
}

fn branch_fact(branch: &Branch, badges: &[Badge], page: &mut Page) {
    let name = |name: &Option<Foreign>, none| {
        let name = name.as_ref().map(Foreign::clean);
        name.unwrap_or_else(|| Clean::new(none))
    };
    // A work tree that is on no branch is told apart from one that cannot be asked by the flag alone.
    let known = branch.expected.is_none() || badges.contains(&Badge::BranchMismatch);
    let actual = name(&branch.actual, if known { "none" } else { "unknown" });
    let expected = name(&branch.expected, "none");
    if branch.expected == branch.actual {
        page.fact("branch", actual);
    } else {
        let text = clean!("{}, expected {}", actual, expected);
        page.fact_in("branch", Tone::Warn, text);
    }
}

fn phase(phase: &Phase) -> Vec<Span> {
    let tone = match phase.status {
        PhaseStatus::Done => Tone::Good,
        PhaseStatus::Failed | PhaseStatus::Invalidated => Tone::Bad,
        PhaseStatus::Waiting => Tone::Warn,
        PhaseStatus::Active => Tone::Strong,
        PhaseStatus::Pending | PhaseStatus::Skipped => Tone::Faint,
    };
    vec![
        Tone::Plain.of(&phase.id),
        Tone::Plain.of(&phase.name),
        tone.of(phase.status.word()),
        Tone::Plain.of(phase.progress().fraction()),
        Tone::Plain.of(phase.duration_s.map(format::duration).unwrap_or_default()),
        Tone::Faint.of(&phase.detail),
    ]
}

/// A finding with its place; the place is not wrapped, because it is copied.
fn finding(finding: &Finding, page: &mut Page) {
    let tone = match finding.severity {
        Severity::Info => Tone::Faint,
        Severity::Warn => Tone::Warn,
        Severity::Error => Tone::Bad,
    };
    let inferred = if finding.inferred { " (inferred)" } else { "" };
    let head = tone.of(format!("{:<6}", finding.severity.word()));
    page.under(head, Tone::Plain, clean!("{}{}", finding.text, inferred));
    let line = finding.origin.line.map(|line| format!(":{line}"));
    let place = clean!("      {}{}", finding.origin.file, line.unwrap_or_default());
    page.line([Tone::Faint.of(Naming(&place, &finding.origin.file))]);
}
