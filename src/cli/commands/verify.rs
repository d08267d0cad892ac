//! `relight verify`: problems first for a person, in the order of the checks for a script.

use super::setup::Session;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Tone};
use crate::cli::args::Target;
use crate::cli::page::Page;
use crate::cli::report;
use crate::model::{Check, Verdict};

/// Cells of a check's verdict and id.
const HEAD: usize = 13;

pub(super) fn run(session: &Session, target: &Target, width: usize) -> Result<Answer, Failure> {
    let checks = super::readable(session, target)?.checks;
    let verdict = Verdict::overall(&checks);
    let mut page = Page::new(width);
    for wanted in [
        Verdict::Fail,
        Verdict::Warn,
        Verdict::Pass,
        Verdict::Skipped,
    ] {
        let found = checks.iter().filter(|check| check.verdict == wanted);
        found.for_each(|one| check(one, &mut page));
    }
    page.blank();
    let number = |wanted| checks.iter().filter(|one| one.verdict == wanted).count();
    page.line([Tone::from(verdict).of(clean!(
        "{}: {} fail, {} warn, {} pass, {} skipped.",
        verdict.word(),
        number(Verdict::Fail),
        number(Verdict::Warn),
        number(Verdict::Pass),
        number(Verdict::Skipped)
    ))]);
    let exit = if verdict == Verdict::Fail {
        Exit::No
    } else {
        Exit::Done
    };
    Ok(Answer::new(report::verify(&checks, verdict), page).exit(exit))
}

fn check(check: &Check, page: &mut Page) {
    let head = format!("{:<8}{:<5}", check.verdict.word(), check.id.0);
    page.under(
        Tone::from(check.verdict).of(head),
        Tone::Plain,
        clean!("{}: {}", check.subject(), check.evidence),
    );
    if let Some(remedy) = &check.remedy
        && check.verdict > Verdict::Pass
    {
        page.indent(HEAD, Tone::Faint, clean!("→ {}", remedy));
    }
}
