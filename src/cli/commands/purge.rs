//! `relight purge`: deletes the backups of recoveries. Never automatic.

use super::act::{Desk, done_for_good, needed};
use super::history;
use super::setup::Session;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Tone};
use crate::cli::args::PurgeArgs;
use crate::cli::page::Page;
use crate::cli::report;
use crate::model::Recovery;
use crate::text::format::{count, plural, size};

pub(super) fn run(
    session: &Session,
    args: &PurgeArgs,
    desk: &mut Desk<'_>,
) -> Result<Answer, Failure> {
    let meant = session
        .engine
        .purgeable(&args.recoveries, &session.request)?;
    let lines = question(&meant, desk.person.width());
    needed(desk.person, args.yes, &session.said, "purge", &lines)?;
    let report = session.engine.purge(&meant, desk.cancel)?;
    let mut text = format!(
        "Deleted {} of backups; {} can no longer be undone.",
        size(report.bytes),
        count(report.purged.len(), "recovery")
    );
    let left = report.left.len();
    if left > 0 {
        let kept = plural(left, "keeps its backups", "keep their backups");
        text = format!("Canceled. {text} {} {kept}.", count(left, "recovery"));
    }
    let mut page = Page::new(desk.width);
    page.say(Tone::Plain, &text);
    let done = clean!("{}", text);
    let answer = done_for_good(report::purged(&report), page, done.clone(), desk.cancel);
    if left == 0 {
        return Ok(answer);
    }
    Ok(answer.noted([done]).exit(Exit::Cancelled))
}

/// Each with its backups; what is lost is last, next to the prompt.
fn question(meant: &[Recovery], width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    for one in meant {
        history::entry(one, &mut page);
    }
    let total: u64 = meant.iter().map(|recovery| recovery.kept_bytes).sum();
    page.blank();
    page.under(
        Tone::Bad.of("  ! "),
        Tone::Bad,
        format!(
            "{} of backups will be deleted; {} cannot be undone afterwards.",
            size(total),
            count(meant.len(), "recovery")
        ),
    );
    page.into_iter().collect()
}
