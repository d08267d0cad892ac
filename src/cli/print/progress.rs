//! Progress on stderr: one line for each stage, redrawn in place.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex};

use super::cells;
use crate::engine::{Searched, TellSearch};
use crate::model::{Reach, Stage, StageProgress, lock};
use crate::text::format::count;

/// The lines of the stages. Silent with `--quiet` and where stderr is not a terminal.
pub(in crate::cli) struct Progress {
    on: bool,
    quiet: bool,
    at: Arc<Mutex<At>>,
}

/// The drawn line: its stage and its text.
type At = Option<(Stage, String)>;

impl Progress {
    pub(in crate::cli) fn new(quiet: bool) -> Self {
        Self {
            on: !quiet && io::stderr().is_terminal(),
            quiet,
            at: Arc::default(),
        }
    }

    /// Draws what was reported.
    pub(in crate::cli) fn show(&self, report: &StageProgress) {
        if !self.on {
            return;
        }
        let mut at = lock(&self.at);
        let text = text(report);
        let drawn = match at.as_ref() {
            Some((stage, before)) if *stage == report.stage => {
                if *before == text {
                    return;
                }
                // Overwrites the rest of a longer line.
                let rest = " ".repeat(before.len().saturating_sub(text.len()));
                format!("\r{text}{rest}")
            }
            Some(_) => format!("\n{text}"),
            None => text.clone(),
        };
        // If stderr is closed, progress is not shown.
        drop(io::stderr().write_all(drawn.as_bytes()));
        *at = Some((report.stage, text));
    }

    /// Reports what a signal will do, below the drawn line.
    pub(in crate::cli) fn interrupted(&self) -> impl FnMut(Reach) + Send + 'static {
        let (quiet, at) = (self.quiet, Arc::clone(&self.at));
        let mut again = false;
        move |reach| {
            let text = signal_text(reach, again);
            again = true;
            if !quiet {
                let mut at = lock(&at);
                let end = if at.take().is_some() { "\n" } else { "" };
                drop(io::stderr().write_all(format!("{end}{text}\n").as_bytes()));
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if lock(&self.at).take().is_some() {
            drop(io::stderr().write_all(b"\n"));
        }
    }
}

/// Draws a search that takes long, and removes the line when it has ended. `None` where nobody sees it.
pub(in crate::cli) fn search_line(quiet: bool) -> Option<TellSearch> {
    let seen = !quiet && io::stderr().is_terminal();
    let drawn = Mutex::new(0);
    let draw = move |searched: Option<Searched>| {
        let mut drawn = lock(&drawn);
        let mut text = searched.map(search_text).unwrap_or_default();
        // Only one row can be drawn over.
        text.truncate(cells(true).saturating_sub(1));
        let (blank, before) = (" ".repeat(*drawn), *drawn);
        *drawn = text.len();
        if before > 0 || !text.is_empty() {
            drop(io::stderr().write_all(format!("\r{blank}\r{text}").as_bytes()));
        }
    };
    seen.then(|| Box::new(draw) as TellSearch)
}

/// `Searching: 120000 entries, 15 pipelines`.
fn search_text(Searched { entries, pipelines }: Searched) -> String {
    let (entries, pipelines) = (count(entries, "entry"), count(pipelines, "pipeline"));
    format!("Searching: {entries}, {pipelines}")
}

/// What a signal does, depending on the progress of the work.
fn signal_text(reach: Reach, again: bool) -> &'static str {
    match (reach, again) {
        (Reach::Late, false) => {
            "Too late to cancel: relight is finishing, so that no file is left half-written. Please wait."
        }
        (Reach::Late, true) => "Still finishing. Please wait.",
        (Reach::Idle | Reach::Open, false) => "Canceling: removing what was prepared.",
        (Reach::Idle | Reach::Open, true) => "Still canceling. Please wait.",
    }
}

/// `Exchange           12 of 30`. For many units only whole percents are drawn, to save time; the last count is exact.
fn text(report: &StageProgress) -> String {
    let StageProgress { stage, done, total } = report;
    let label = stage.word();
    match total {
        0 => format!("{label:<18} nothing to do"),
        1..=100 => format!("{label:<18} {done} of {total}"),
        _ if done >= total => format!("{label:<18} {done} of {total}"),
        _ => {
            let percent = done.saturating_mul(100) / total;
            format!("{label:<18} {percent} % of {total}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_never_says_more_than_was_reported() {
        let said = |done, total| {
            text(&StageProgress {
                stage: Stage::Exchange,
                done,
                total,
            })
        };
        for (done, total, words) in [
            (0, 0, "nothing to do"),
            (0, 7, "0 of 7"),
            (7, 7, "7 of 7"),
            (999, 1_000, "99 % of 1000"),
            (1_000, 1_000, "1000 of 1000"),
        ] {
            let line = said(done, total);
            assert!(
                line.starts_with("Exchange ") && line.ends_with(words),
                "{line}"
            );
        }
    }
}
