//! Whether a directory is a conference: a log that starts like one, or a `conference.md` with the heading and sections
//! of one. The file name alone is not enough.

use std::path::Path;

use crate::formats::{json, jsonl};
use crate::model::Place;
use crate::world::World;
use crate::world::files::FileKind;

use super::config::Config;
use super::{CONFIG, EVENTS};

/// How many bytes of a file are read.
const LOOK: usize = 512 << 10;

/// Accepts a directory, or returns the reason against it.
pub(crate) fn sniff(dir: &Path, world: &dyn World) -> Result<(), &'static str> {
    let log = start(dir, EVENTS, world);
    if log.as_deref().is_some_and(begins_like_a_conference) {
        return Ok(());
    }
    let Some(text) = start(dir, CONFIG, world) else {
        return Err(
            "the log does not begin with a conference's event, and there is no conference.md",
        );
    };
    let config = Config::parse(&String::from_utf8_lossy(&text));
    if config.template {
        Err("a template: its values are still `{…}`")
    } else if config.recognized {
        Ok(())
    } else {
        Err(
            "conference.md is not a conference's plan: no `# Conference:` heading with goal and mode",
        )
    }
}

fn start(dir: &Path, name: &str, world: &dyn World) -> Option<Vec<u8>> {
    let place = Place::known(dir, name).ok()?;
    let stat = world.files().stat(&place).ok()?;
    if stat.kind != FileKind::File {
        return None;
    }
    world.files().read_range(&place, 0, LOOK).ok()
}

/// Whether the first line that parses is an event of a conference.
fn begins_like_a_conference(bytes: &[u8]) -> bool {
    let first = jsonl::objects(bytes).next();
    first.is_some_and(|(_, body)| {
        let name = json::text(&body, "event").or_else(|| json::text(&body, "type"));
        let mut prefixes = ["conference.", "round.", "researcher."].iter();
        name.is_some_and(|name| prefixes.any(|prefix| name.starts_with(prefix)))
    })
}
