//! `relight checkpoint`: a saved state to return to.

use super::act::{Desk, done_for_good};
use crate::cli::args::CheckpointArgs;
use crate::cli::prelude::*;
use crate::model::{CheckpointAsk, LeftOut};

pub(super) fn run(session: &Session, args: &CheckpointArgs, desk: &Desk<'_>) -> Result<Answer> {
    let ask = CheckpointAsk {
        pipeline: args.pipeline.clone(),
        reason: args.reason.clone(),
        phase: args.phase.clone(),
        tree: args.tree,
        everything: args.include_ignored,
    };
    let taken = session
        .engine
        .checkpoint(&ask, &session.request, desk.cancel)?;
    let mut page = session.page();
    let short = short_id(&taken.id);
    if taken.repeated {
        let text = "A checkpoint was taken less than a second ago; nothing was written.";
        page.say(Tone::Plain, text);
        page.fact("checkpoint", short);
    } else {
        let what = clean!("{} ({}), by {}.", short, taken.reason, taken.source);
        page.line([Tone::Good.of("Checkpoint: "), Tone::Plain.of(what)]);
    }
    if !taken.state_files.is_empty() {
        page.fact("state", count(taken.state_files.len(), "file"));
    }
    if let Some(left_out) = taken.left_out.as_ref().and_then(LeftOut::said) {
        page.fact("left out", left_out);
    }
    let done = (!taken.repeated).then(|| clean!("checkpoint {} was taken", taken.id));
    Ok(done_for_good(
        report::taken(&taken),
        page,
        done,
        desk.cancel,
    ))
}
