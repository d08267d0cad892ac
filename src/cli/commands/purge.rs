//! `relight purge`: deletes the backups of recoveries, and replays. Never automatic.

use super::act::{Desk, done_for_good, needed};
use super::history;
use crate::cli::args::PurgeArgs;
use crate::cli::prelude::*;
use crate::engine::{KeptFile, KeptKind, PurgeReport, PurgedReplays, StoredReplay};
use crate::model::{PurgeLoss, SessionId};
use crate::text::format::numbered;

/// What running a deleted run again would mean: its second outcome is one of two that a person could choose from.
const AGAIN: &str = "If they are run again, the experiment is confounded.";

pub(super) fn run(session: &Session, args: &PurgeArgs, desk: &mut Desk<'_>) -> Result<Answer> {
    let (pipelines, words) = session.engine.purgeable_checkpoints(&args.recoveries);
    let (replays, words) = session.engine.purgeable_replays(&words)?;
    let (files, words) = session.engine.purgeable_files(&words);
    let recoveries = session.engine.purgeable(&words)?;
    let mut loss = session.engine.purge_loss(&recoveries);
    loss.handoffs += number(&files, KeptKind::Handoff);
    let meant = Meant {
        loss,
        recoveries,
        verdicts: session.engine.verdicts_without(&replays),
        replays,
        pipelines,
        files,
    };
    let lines = question(&meant, desk.person.width());
    needed(desk.person, args.yes, &session.said, "purge", &lines)?;
    // Everything is locked before the first of it is deleted.
    let held = session.engine.hold_replays(meant.replays.clone())?;
    let stores = (meant.pipelines.as_slice(), &session.request);
    let engine = &session.engine;
    let report = engine.purge(&meant.recoveries, stores, desk.cancel)?;
    let replays = session.engine.purge_replays(&held, desk.cancel)?;
    drop(held);
    let bytes = session.engine.purge_files(&meant.files)?;
    let whole = report.left.is_empty() && replays.left.is_empty();
    let text = said(&meant, &report, &replays, bytes).join(" ");
    let mut page = session.page();
    page.say(Tone::Plain, &text);
    let done = clean!("{}", text);
    let report = report::purged(&report, &replays, &meant.pipelines, &meant.files);
    let answer = done_for_good(report, page, done.clone(), desk.cancel);
    if whole {
        return Ok(answer);
    }
    Ok(answer.noted([done]).exit(Exit::Cancelled))
}

/// What was deleted and what was not, a sentence each. `bytes` are those of the rehearsals and hand-offs.
fn said(meant: &Meant, report: &PurgeReport, replays: &PurgedReplays, bytes: u64) -> Vec<String> {
    let of_each = report.checkpoints.iter();
    let of_each = of_each.map(|(id, many)| (count(*many, "checkpoint"), id));
    let of_each = of_each.map(|(many, id)| format!("Deleted {many} of {id}."));
    let mut said: Vec<String> = of_each.collect();
    if !meant.files.is_empty() {
        let kinds = kinds(&meant.files);
        said.push(format!("Deleted {kinds} ({}).", size(bytes)));
    }
    let (before, now): (Vec<&Recovery>, Vec<&Recovery>) =
        meant.recoveries.iter().partition(|one| one.purged);
    if !before.is_empty() {
        let recoveries = count(before.len(), "recovery");
        said.push(format!("The backups of {recoveries} were deleted already."));
    }
    if !now.is_empty() {
        let purged = now.into_iter();
        let purged = purged.filter(|one| report.purged.contains(&one.id));
        let all = report.left.is_empty();
        said.extend(meant.loss.after(purged, report.bytes, all));
    }
    if !replays.purged.is_empty() {
        let runs = count(replays.purged.len(), "replay");
        said.push(format!("Deleted {runs} ({}).", size(replays.bytes)));
    }
    // With --yes nothing was asked, and this is not seen elsewhere.
    said.extend(meant.verdicts.iter().map(|id| {
        format!("Experiment {id} counted some of these runs, so its verdict may change. {AGAIN}")
    }));
    if report.left.is_empty() {
        let named = number(&meant.files, KeptKind::Handoff);
        match meant.loss.handoffs - named {
            0 if named == 0 => {}
            0 => said.push("No agent can read a deleted hand-off anymore.".to_owned()),
            more => {
                let (files, them) = (count(more, "hand-off file"), plural(more, "it", "them"));
                said.push(format!(
                    "Deleted {files}; no agent can read {them} anymore."
                ));
            }
        }
    }
    if report.left.len() + replays.left.len() > 0 {
        said.insert(0, "Canceled.".to_owned());
        let kept = plural(report.left.len(), "keeps its backups", "keep their backups");
        if !report.left.is_empty() {
            said.push(format!("{} {kept}.", count(report.left.len(), "recovery")));
        }
        if !replays.left.is_empty() {
            said.push(format!("{} kept.", count(replays.left.len(), "replay")));
        }
    }
    said
}

/// What is to be deleted.
struct Meant {
    /// What goes with the backups, and how many hand-off files go, those of the recoveries among them.
    loss: PurgeLoss,
    recoveries: Vec<Recovery>,
    replays: Vec<StoredReplay>,
    /// Experiments that stay, and whose verdicts count some of the replays.
    verdicts: Vec<SessionId>,
    pipelines: Vec<PipelineId>,
    files: Vec<KeptFile>,
}

/// `2 rehearsals and 1 hand-off`.
fn kinds(files: &[KeptFile]) -> String {
    let rehearsals = number(files, KeptKind::Rehearsal);
    let handoffs = number(files, KeptKind::Handoff);
    list(numbered([
        (rehearsals, plural(rehearsals, "rehearsal", "rehearsals")),
        (handoffs, plural(handoffs, "hand-off", "hand-offs")),
    ]))
}

fn number(files: &[KeptFile], kind: KeptKind) -> usize {
    files.iter().filter(|one| one.kind == kind).count()
}

/// Each with its backups; what is lost is last, next to the prompt.
fn question(meant: &Meant, width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    for id in &meant.pipelines {
        page.say(Tone::Plain, clean!("checkpoints of {}", id.0));
    }
    for one in &meant.recoveries {
        history::entry(one, &mut page);
    }
    for one in &meant.replays {
        let (id, pipeline, bytes) = (&one.id.0, &one.pipeline.0, size(one.bytes()));
        let text = clean!("replay {} of {}, {}", id, pipeline, bytes);
        page.say(Tone::Plain, text);
    }
    for one in &meant.files {
        let bytes = size(one.bytes());
        let text = clean!("{} {}, {}", one.kind.word(), one.name, bytes);
        page.say(Tone::Plain, text);
    }
    page.blank();
    for text in losses(meant) {
        page.under(Tone::Bad.of("  ! "), Tone::Bad, text);
    }
    page.into_iter().collect()
}

/// What is lost, a sentence each.
fn losses(meant: &Meant) -> Vec<String> {
    let mut lost = Vec::new();
    if !meant.pipelines.is_empty() {
        lost.push("All checkpoints that relight took of it will be deleted.".to_owned());
    }
    if !meant.replays.is_empty() {
        let runs = count(meant.replays.len(), "replay");
        let text = "will be deleted, with trees, outputs and records.";
        lost.push(format!("{runs} {text}"));
    }
    let text = format!("counts some of these runs, so its verdict may change. {AGAIN}");
    let verdicts = meant.verdicts.iter();
    lost.extend(verdicts.map(|id| format!("Experiment {id} {text}")));
    match number(&meant.files, KeptKind::Rehearsal) {
        0 => {}
        number => lost.push(format!("{} will be deleted.", count(number, "rehearsal"))),
    }
    lost.extend(meant.loss.before(&meant.recoveries));
    lost
}
