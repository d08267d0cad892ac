//! `relight purge`: gives back the space of what recoveries keep. Never automatic, always typed.

use super::act::{Desk, done_for_good, needed};
use super::history;
use super::setup::Session;
use super::words::{plural, recoveries, size, under};
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::PurgeArgs;
use crate::cli::report::PurgedReport;
use crate::model::{Clean, Recovery};

pub(super) fn run(
    session: &Session,
    args: &PurgeArgs,
    desk: &mut Desk<'_>,
) -> Result<Answer, Failure> {
    let words = &args.recoveries;
    let meant = session.engine.purgeable(words, &session.request)?;
    let lines = question(&meant, desk.person.width());
    needed(desk.person, args.yes, &session.said, "purge", &lines)?;
    let report = session.engine.purge(&meant, desk.cancel)?;
    let count = recoveries(report.purged.len() as u64);
    let text = clean!(
        "{} given back; {} can no longer be undone.",
        plural(report.bytes, "byte"),
        count
    );
    let line = |text: &Clean| under(Span::plain(Clean::empty()), Tone::Plain, text, desk.width);
    let wire = PurgedReport::new(&report);
    if report.left.is_empty() {
        return Ok(done_for_good(wire, line(&text), text, desk.cancel));
    }
    let left = recoveries(report.left.len() as u64);
    let text = clean!("Cancelled half-way. {} {} not purged.", text, left);
    let mut answer = done_for_good(wire, line(&text), text.clone(), desk.cancel);
    answer.notes.push(text);
    Ok(answer.exit(Exit::Cancelled))
}

/// Each with what it keeps; the loss last, in bytes.
fn question(meant: &[Recovery], width: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = meant
        .iter()
        .flat_map(|r| history::entry(r, width))
        .collect();
    let total: u64 = meant.iter().map(|r| r.kept_bytes).sum();
    let exact = plural(total, "byte");
    let bytes = match size(total) {
        short if short.as_str() == exact => short,
        short => clean!("{} ({})", exact, short),
    };
    let count = recoveries(meant.len() as u64);
    let loss = clean!(
        "{} would go for good; {} could never be undone afterwards.",
        bytes,
        count
    );
    lines.push(vec![]);
    let head = Span(Tone::Bad, Clean::new("  ! "));
    lines.extend(under(head, Tone::Bad, &loss, width));
    lines
}
