//! `relight verify`: worst first for a person, in the note's order for a script.

use super::setup::Session;
use super::words::{under, verdict_tone};
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::Target;
use crate::cli::report::VerifyReport;
use crate::model::{Check, Clean, Verdict};

pub(super) fn run(session: &Session, target: &Target, width: usize) -> Result<Answer, Failure> {
    let dossier = super::readable(session, target)?;
    let verdict = Verdict::overall(&dossier.checks);
    let mut worst_first: Vec<&Check> = dossier.checks.iter().collect();
    worst_first.sort_by_key(|check| std::cmp::Reverse(check.verdict));
    let mut lines: Vec<Line> = worst_first
        .into_iter()
        .flat_map(|check| check_lines(check, width))
        .collect();
    lines.push(vec![]);
    lines.push(closing(&dossier.checks, verdict));
    let exit = if verdict == Verdict::Fail {
        Exit::No
    } else {
        Exit::Done
    };
    Ok(Answer::new(VerifyReport::new(&dossier.checks, verdict), lines).exit(exit))
}

fn check_lines(check: &Check, width: usize) -> Vec<Line> {
    let tone = verdict_tone(check.verdict);
    let head = Clean::new(&format!("{:<8}{:<5}", check.verdict.word(), check.id.0));
    let mut lines = under(
        Span(tone, head),
        Tone::Plain,
        &clean!("{}: {}", check.subject(), check.evidence),
        width,
    );
    if let Some(remedy) = check
        .remedy
        .as_ref()
        .filter(|_| check.verdict > Verdict::Pass)
    {
        let indent = Span::plain(Clean::new("             "));
        lines.extend(under(indent, Tone::Faint, &clean!("→ {}", remedy), width));
    }
    lines
}

fn closing(checks: &[Check], verdict: Verdict) -> Line {
    let count = |verdict: Verdict| checks.iter().filter(|c| c.verdict == verdict).count();
    let text = clean!(
        "{}: {} fail, {} warn, {} pass, {} skipped.",
        verdict.word(),
        count(Verdict::Fail),
        count(Verdict::Warn),
        count(Verdict::Pass),
        count(Verdict::Skipped)
    );
    vec![Span(verdict_tone(verdict), text)]
}
