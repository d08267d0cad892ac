//! `relight replay --run-folder DIR` (hidden), which a job on a cluster executes.

use super::{sessions, watched};
use crate::cli::prelude::*;

/// Executes one run. Its result is in its folder; the exit code says only whether it is complete.
pub(super) fn run(session: &Session, target: &Target, printer: &Printer) -> Result<Answer> {
    let folder = session.request.cwd.join(Path::new(&target.pipeline));
    let (about, cancelled) = watched(printer, |_tell, cancel| {
        session.engine.replay_in_folder(&folder, cancel)
    })?;
    let complete = matches!(about.state, SessionState::Done | SessionState::HandedOver);
    let exit = if cancelled && !complete {
        Exit::Cancelled
    } else {
        Exit::of(complete)
    };
    let mut page = session.page();
    let row = vec![
        Tone::Strong.of(&about.id.0),
        sessions::state(about.state),
        Tone::Plain.of(sessions::counts(about.dispatches)),
    ];
    page.table(&[Column::fixed(""); 3], &[row]);
    let all = [about];
    sessions::troubles(&all, &mut page);
    let done = clean!("the run is kept in {}", folder);
    Ok(Answer::new(report::sessions(&all), page)
        .done(done)
        .exit(exit))
}
