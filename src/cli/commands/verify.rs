//! `relight verify`: problems first for a person, in the order of the checks for a script.

use crate::cli::args::Targets;
use crate::cli::prelude::*;
use crate::model::{Check, CheckSummary};

/// Cells of a check's verdict and id.
const HEAD: usize = 13;

pub(super) fn run(session: &Session, args: &Targets) -> Result<Answer> {
    // A pipeline that is not found is a usage error: then nothing is verified.
    let ids = super::selected(session, args)?;
    if let [id] = ids.as_slice() {
        let mut checks = session.engine.checks(id)?;
        session.tell(checks.iter_mut().filter_map(|check| check.remedy.as_mut()));
        let verdict = Verdict::overall(&checks);
        let mut page = session.page();
        listed(&checks, &ALL, &mut page);
        page.blank();
        page.line([sum(&checks)]);
        let exit = exit(verdict);
        return Ok(Answer::new(report::verify(&checks, verdict), page).exit(exit));
    }
    Ok(several(session, ids))
}

/// Several pipelines: in their order for a script, the worst first for a person.
fn several(session: &Session, ids: Vec<PipelineId>) -> Answer {
    let verify = |id: PipelineId| {
        let checks = session.engine.checks(&id);
        (id, checks)
    };
    let mut all: Vec<(PipelineId, Result<Vec<Check>>)> = ids.into_iter().map(verify).collect();
    let verdicts = all.iter().filter_map(|(_, checks)| checks.as_ref().ok());
    let worst = verdicts.map(Verdict::overall).max();
    let worst = worst.unwrap_or(Verdict::Skipped);
    let wire = report::verify_all(&all, worst);
    let unread = all.iter().find_map(|(_, checks)| checks.as_ref().err());
    let exit = unread.map_or_else(|| exit(worst), |error| Exit::from(error.kind));
    all.sort_by_key(|(_, checks)| {
        std::cmp::Reverse(checks.as_ref().map_or(Verdict::Fail, Verdict::overall))
    });
    let mut page = session.page();
    for (id, checks) in &all {
        if !page.is_empty() {
            page.blank();
        }
        page.line([Tone::Strong.of(&id.0)]);
        match checks {
            Ok(checks) => {
                listed(checks, &[Verdict::Fail, Verdict::Warn], &mut page);
                page.line([sum(checks)]);
            }
            Err(error) => page.under(Tone::Bad.of("error   "), Tone::Plain, &error.text),
        }
    }
    Answer::new(wire, page).exit(exit)
}

/// Every verdict, the worst first.
const ALL: [Verdict; 4] = [
    Verdict::Fail,
    Verdict::Warn,
    Verdict::Pass,
    Verdict::Skipped,
];

fn listed(checks: &[Check], verdicts: &[Verdict], page: &mut Page) {
    for wanted in verdicts {
        let found = checks.iter().filter(|check| check.verdict == *wanted);
        found.for_each(|one| check(one, page));
    }
}

/// The number of checks with each verdict.
fn sum(checks: &[Check]) -> Span {
    let sum = CheckSummary::of(checks);
    Tone::from(sum.worst).of(clean!(
        "{}: {} fail, {} warn, {} pass, {} skipped.",
        sum.worst.word(),
        sum.failed,
        sum.warnings,
        sum.passed,
        sum.skipped
    ))
}

fn exit(verdict: Verdict) -> Exit {
    Exit::of(verdict != Verdict::Fail)
}

fn check(check: &Check, page: &mut Page) {
    let head = format!("{:<8}{:<5}", check.verdict.word(), check.id.0);
    let head = Tone::from(check.verdict).of(head);
    let text = clean!("{}: {}", check.subject(), check.evidence);
    match check.about.file() {
        Some(file) => page.under(head, Tone::Plain, Naming(&text, &file)),
        None => page.under(head, Tone::Plain, text),
    }
    if let Some(remedy) = &check.remedy
        && check.verdict > Verdict::Pass
    {
        page.indent(HEAD, Tone::Faint, clean!("→ {}", remedy));
    }
}
