//! `relight purge`: deletes the backups of recoveries, and replays. Never automatic.

use super::act::{Desk, done_for_good, needed};
use super::history;
use super::setup::Session;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Tone};
use crate::cli::args::PurgeArgs;
use crate::cli::page::Page;
use crate::cli::report;
use crate::engine::StoredReplay;
use crate::model::{PipelineId, Recovery};
use crate::text::format::{count, plural, size};

pub(super) fn run(
    session: &Session,
    args: &PurgeArgs,
    desk: &mut Desk<'_>,
) -> Result<Answer, Failure> {
    let (pipelines, words) = session.engine.purgeable_checkpoints(&args.recoveries);
    let (replays, words) = session.engine.purgeable_replays(&words)?;
    let meant = session.engine.purgeable(&words, &session.request)?;
    let lines = question(&meant, &replays, &pipelines, desk.person.width());
    needed(desk.person, args.yes, &session.said, "purge", &lines)?;
    let report = session.engine.purge(&meant, desk.cancel)?;
    let replays = session.engine.purge_replays(&replays, desk.cancel)?;
    let mut said = Vec::new();
    for id in &pipelines {
        let many = session.engine.purge_checkpoints(id, &session.request)?;
        said.push(format!("Deleted {} of {id}.", count(many, "checkpoint")));
    }
    if !meant.is_empty() {
        said.push(format!(
            "Deleted {} of backups; {} can no longer be undone.",
            size(report.bytes),
            count(report.purged.len(), "recovery")
        ));
    }
    if !replays.purged.is_empty() {
        let runs = count(replays.purged.len(), "replay");
        said.push(format!("Deleted {runs} ({}).", size(replays.bytes)));
    }
    let left = report.left.len() + replays.left.len();
    if left > 0 {
        said.insert(0, "Canceled.".to_owned());
        let kept = plural(report.left.len(), "keeps its backups", "keep their backups");
        if !report.left.is_empty() {
            said.push(format!("{} {kept}.", count(report.left.len(), "recovery")));
        }
        if !replays.left.is_empty() {
            said.push(format!("{} kept.", count(replays.left.len(), "replay")));
        }
    }
    let text = said.join(" ");
    let mut page = Page::new(desk.width);
    page.say(Tone::Plain, &text);
    let done = clean!("{}", text);
    let answer = done_for_good(
        report::purged(&report, &replays, &pipelines),
        page,
        done.clone(),
        desk.cancel,
    );
    if left == 0 {
        return Ok(answer);
    }
    Ok(answer.noted([done]).exit(Exit::Cancelled))
}

/// Each with its backups; what is lost is last, next to the prompt.
fn question(
    meant: &[Recovery],
    replays: &[StoredReplay],
    pipelines: &[PipelineId],
    width: usize,
) -> Vec<Line> {
    let mut page = Page::new(width);
    for id in pipelines {
        page.say(Tone::Plain, clean!("checkpoints of {}", id.0));
    }
    for one in meant {
        history::entry(one, &mut page);
    }
    for one in replays {
        let bytes = size(one.bytes());
        page.say(
            Tone::Plain,
            clean!("replay {} of {}, {}", one.id.0, one.pipeline.0, bytes),
        );
    }
    page.blank();
    let mut warn = |text: String| page.under(Tone::Bad.of("  ! "), Tone::Bad, text);
    if !pipelines.is_empty() {
        warn("All checkpoints that relight took of it will be deleted.".to_owned());
    }
    if !replays.is_empty() {
        let runs = count(replays.len(), "replay");
        warn(format!(
            "{runs} will be deleted, with trees, outputs and records."
        ));
    }
    if !meant.is_empty() {
        let total: u64 = meant.iter().map(|recovery| recovery.kept_bytes).sum();
        warn(format!(
            "{} of backups will be deleted; {} cannot be undone afterwards.",
            size(total),
            count(meant.len(), "recovery")
        ));
    }
    page.into_iter().collect()
}
