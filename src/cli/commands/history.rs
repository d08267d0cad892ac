//! `relight history`: what was carried out, newest first, with what each recovery keeps.

use super::deeds::done_words;
use super::setup::Session;
use super::words::{moment, recoveries, size, stated, under};
use crate::clean;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::HistoryArgs;
use crate::cli::report::HistoryReport;
use crate::engine::Request;
use crate::model::{Clean, Recovery, RecoveryState};

pub(super) fn run(session: &Session, args: &HistoryArgs, width: usize) -> Result<Answer, Failure> {
    let request = Request {
        paths: args.paths.clone(),
        ..session.request.clone()
    };
    let past = session.engine.past(&request)?;
    let mut answer = Answer::new(HistoryReport::new(&past), page(&past.recoveries, width));
    for odd in &past.unreadable {
        answer.notes.push(clean!("{}: {}.", odd.path, odd.reason));
    }
    Ok(answer)
}

fn page(all: &[Recovery], width: usize) -> Vec<Line> {
    if all.is_empty() {
        let text = Clean::new("Nothing was carried out here yet.");
        return vec![vec![Span::plain(text)]];
    }
    let mut lines: Vec<Line> = all.iter().flat_map(|r| entry(r, width)).collect();
    let kept: u64 = all.iter().map(|r| r.kept_bytes).sum();
    let verb = if all.len() == 1 { "keeps" } else { "keep" };
    let count = recoveries(all.len() as u64);
    lines.push(vec![]);
    let text = clean!("{} here {} {} in all.", count, verb, size(kept));
    lines.push(vec![Span(Tone::Faint, text)]);
    lines
}

/// One recovery: its id and state, then what it did.
pub(super) fn entry(recovery: &Recovery, width: usize) -> Vec<Line> {
    let (state, tone) = match recovery.state {
        RecoveryState::Committed => ("committed", Tone::Good),
        RecoveryState::RolledBack => ("rolled back", Tone::Faint),
        RecoveryState::NeedsAttention => ("needs attention", Tone::Bad),
    };
    let at = moment(Some(stated(recovery.started_at)));
    let mut lines = vec![vec![
        Span(Tone::Strong, Clean::new(&recovery.id.0)),
        Span(tone, clean!("  {}", state)),
        Span(Tone::Faint, clean!("  {}", at)),
    ]];
    let mut say = |tone: Tone, text: &Clean| {
        let head = Span::plain(Clean::new("    "));
        lines.extend(under(head, tone, text, width));
    };
    let of = if recovery.pipeline.0.is_empty() {
        recovery.label.clean()
    } else {
        clean!("{} of {}", recovery.label, recovery.pipeline.0)
    };
    say(Tone::Plain, &of);
    say(Tone::Plain, &done_words(&recovery.actions));
    if recovery.purged {
        say(
            Tone::Faint,
            &Clean::new("purged: it can no longer be undone"),
        );
    } else if recovery.kept_bytes > 0 {
        say(Tone::Faint, &clean!("keeps {}", size(recovery.kept_bytes)));
    }
    if let Some(undone) = &recovery.undoes {
        say(Tone::Plain, &clean!("undoes {}", undone.0));
    }
    if let Some(by) = &recovery.undone_by {
        say(Tone::Warn, &clean!("undone by {}", by.0));
    }
    for left in &recovery.left {
        say(Tone::Warn, &left.text.clean());
    }
    for trouble in &recovery.trouble {
        say(Tone::Bad, &trouble.clean());
    }
    if recovery.state == RecoveryState::NeedsAttention {
        say(Tone::Plain, &clean!("→ relight recover {}", recovery.id.0));
    }
    lines
}
