//! Where a conference that goes on leaves its first new record: the event log. `conference.resumed` does not
//! count, nor the event that it was undone: whoever writes them has done no work yet.

use super::facts::resumed::{RESUMED, UNDONE};
use super::shape::log::Log;
use super::shape::{EVENTS, Raw};
use crate::model::{Foreign, Place};
use crate::systems::kit::trails::{Record, Trail};

/// The files to watch.
pub(crate) fn trails(raw: &Raw) -> Vec<Trail> {
    let log = Place::known(&raw.dir, EVENTS).ok();
    let log = log.map(|place| {
        Trail::log(place, |line, zone| {
            let event = Log::parse(line, zone).events.into_iter().next()?;
            if event.name == RESUMED || event.name == UNDONE {
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
