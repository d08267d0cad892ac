//! `relight wait`: blocks until a stage has ended, or until anything new is recorded.

use std::time::Duration;

use crate::cli::args::WaitArgs;
use crate::cli::prelude::*;
use crate::model::WaitOutcome;

pub(super) fn run(session: &Session, args: &WaitArgs) -> Result<Answer> {
    let id = super::plan::select(session, &args.target)?;
    let timeout = args.timeout.map(Duration::from_secs);
    let waited = session.engine.wait(&id, args.stage.as_deref(), timeout)?;
    let (exit, tone, error) = match waited.outcome {
        WaitOutcome::Ended | WaitOutcome::Changed => (Exit::Done, Tone::Good, None),
        WaitOutcome::Failed | WaitOutcome::Waiting => (Exit::No, Tone::Warn, None),
        WaitOutcome::TimedOut => {
            let error = EngineError::new(ErrorKind::TimedOut, waited.text.clone());
            (error.kind.into(), Tone::Warn, Some(error))
        }
    };
    let mut page = session.page();
    page.say(tone, waited.text.clone());
    let report = report::beside(report::waited(&waited), error.as_ref());
    Ok(Answer::new(report, page).exit(exit))
}
