//! How a replay is run: in a lane of its own, told on its way, stopped by its switch.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use super::Source;
use super::lanes::Job;
use crate::model::ReplayProgress;
use crate::tui::data::Trouble;
use crate::tui::msg::{Effect, Msg, Reply, Ticket};

/// The job of an effect that runs a replay; `None` for one that does not.
pub(super) fn job(source: Arc<dyn Source>, effect: Effect, out: &Sender<Msg>) -> Option<Job> {
    let out = Mutex::new(out.clone());
    let broken = Reply::Replayed(Err(lost()));
    Some(match effect {
        Effect::Replay {
            ticket,
            plan,
            cancel,
        } => Job::new(ticket, broken, move || {
            let tell = |progress: &ReplayProgress| told(&out, ticket, progress);
            Reply::Replayed(source.replay(&plan, &tell, &cancel))
        }),
        Effect::ReplayContinue {
            ticket,
            id,
            session,
            cancel,
        } => Job::new(ticket, broken, move || {
            let tell = |progress: &ReplayProgress| told(&out, ticket, progress);
            let session = source.replay_continue(&id, &session, &tell, &cancel);
            Reply::Replayed(session.map(|session| vec![session]))
        }),
        _ => return None,
    })
}

fn told(out: &Mutex<Sender<Msg>>, ticket: Ticket, progress: &ReplayProgress) {
    let out = out.lock().unwrap_or_else(PoisonError::into_inner);
    // Nobody listens any more when the console is ending; the switch is set then.
    let _ended = out.send(Msg::Reply(ticket, Reply::Replaying(progress.clone())));
}

/// What is said when the lane met a mistake of relight's own: what was run is on disk, and can be continued.
fn lost() -> Trouble {
    Trouble {
        text: "relight made a mistake while the replay ran. The original was not touched.".into(),
        hints: vec!["The list of replays shows what was kept; c continues it.".into()],
    }
}
