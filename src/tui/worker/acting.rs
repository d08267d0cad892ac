//! How each request to write is met: one after the other, told on its way, stopped only as long as nothing has
//! changed.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use super::Source;
use super::lanes::Job;
use crate::model::StageProgress;
use crate::tui::data::{Failure, Fate, Trouble};
use crate::tui::msg::{Effect, Msg, Reply, Ticket};

/// The job of an effect that writes; `None` for one that does not.
pub(super) fn writing(source: Arc<dyn Source>, effect: Effect, out: &Sender<Msg>) -> Option<Job> {
    let out = Mutex::new(out.clone());
    Some(match effect {
        Effect::CarryOut {
            ticket,
            plan,
            typed,
            cancel,
        } => Job::new(ticket, Reply::Carried(Err(lost())), move || {
            let tell = |progress: &StageProgress| told(&out, ticket, progress);
            Reply::Carried(source.carry_out(&plan, &typed, &tell, &cancel))
        }),
        Effect::Settle {
            ticket,
            id,
            how,
            request,
            cancel,
        } => Job::new(ticket, Reply::Settled(Err(lost())), move || {
            Reply::Settled(source.settle(&id, &how, &request, &cancel))
        }),
        Effect::Purge(ticket, recoveries, cancel) => {
            Job::new(ticket, Reply::Purged(Err(lost())), move || {
                Reply::Purged(source.purge(&recoveries, &cancel))
            })
        }
        _ => return None,
    })
}

/// The job of a rehearsal, which writes into a scratch folder only.
pub(super) fn rehearsing(
    source: Arc<dyn Source>,
    effect: Effect,
    out: &Sender<Msg>,
) -> Option<Job> {
    let out = Mutex::new(out.clone());
    let Effect::Rehearse(ticket, plan) = effect else {
        return None;
    };
    let broken = Reply::Rehearsed(Err(super::mistake()));
    Some(Job::new(ticket, broken, move || {
        let tell = |progress: &StageProgress| told(&out, ticket, progress);
        Reply::Rehearsed(source.rehearse(&plan, &tell))
    }))
}

fn told(out: &Mutex<Sender<Msg>>, ticket: Ticket, progress: &StageProgress) {
    let out = out.lock().unwrap_or_else(PoisonError::into_inner);
    // Nobody listens any more when the console is ending; the work goes on.
    let _ended = out.send(Msg::Reply(ticket, Reply::Progress(progress.clone())));
}

/// What is said when the lane met a mistake of relight's own: nobody knows how far it came.
fn lost() -> Failure {
    Failure {
        fate: Fate::Unclear,
        trouble: Trouble {
            text: "relight made a mistake while it was writing, and cannot say how far it came."
                .into(),
            hints: vec![
                "relight recover looks at what was left, and says what it would do.".into(),
                "Until then, change nothing in the files it was about.".into(),
            ],
        },
        guards: Vec::new(),
    }
}
