//! Where a conference that goes on leaves its first new record: the event log. `conference.resumed` does not
//! count: it is in the log before anything resumes, and whoever writes it has done no work yet.

use super::files::log::Log;
use super::files::{EVENTS, Raw};
use crate::model::{Foreign, Place};
use crate::systems::records::{Record, Trail};

/// The event that says that somebody is about to go on.
const RESUMED: &str = "conference.resumed";

/// The files to watch.
pub(super) fn trails(raw: &Raw) -> Vec<Trail> {
    let log = Place::known(&raw.dir, EVENTS).ok();
    let log = log.map(|place| {
        Trail::log(place, |line, zone| {
            let event = Log::parse(line, zone).events.into_iter().next()?;
            if event.name == RESUMED {
                return None;
            }
            let who = event.text("researcher").map(|id| format!(" of {id}"));
            let round = event.round.map(|round| format!(", round {round}"));
            let text = format!(
                "{}{}{}",
                event.name,
                who.unwrap_or_default(),
                round.unwrap_or_default()
            );
            Some(Record::new("", Foreign::from(text), event.at))
        })
    });
    log.into_iter().collect()
}
