//! How the subagents of dispatches without a recorded outcome ended, according to their own files.

use std::collections::BTreeMap;

use memchr::memmem;

use crate::conversations::claude::Ending;
use crate::conversations::subagents::{self, Subagent};
use crate::formats::json;
use crate::formats::jsonl::{lines, parse};
use crate::model::{Aliveness, Cause, CauseKind, Client, Conversation, DispatchStatus, Origin};
use crate::systems::crucible::facts::causes::named;
use crate::systems::crucible::facts::{Run, UnitState};
use crate::systems::crucible::shape::{Entry, Manifest};
use crate::systems::kit::causes;
use crate::world::World;

/// How many conversations are searched for subagents, newest first.
const CONVERSATIONS: usize = 3;

/// The causes, the newest dispatch first.
pub(crate) fn all(run: &Run, conversations: &[Conversation], world: &dyn World) -> Vec<Cause> {
    let open = run
        .counted()
        .filter(|(unit, _)| unit.state == UnitState::Open);
    let open = open.map(|(_, entry)| entry);
    let open: Vec<&Entry> = open
        .filter(|entry| entry.status == DispatchStatus::Dispatched)
        .collect();
    let Some(manifest) = run.usable().filter(|_| !open.is_empty()) else {
        return Vec::new();
    };
    let folder = format!("crucible-dispatch-{}/", run.session);
    // In an open conversation, an agent may still be working.
    let ended = conversations
        .iter()
        .filter(|one| one.client == Client::ClaudeCode && one.alive != Aliveness::Alive);
    let mut found: BTreeMap<u64, Cause> = BTreeMap::new();
    for conversation in ended.take(CONVERSATIONS) {
        for agent in subagents::of(&conversation.file, world) {
            if found.len() == open.len() {
                break;
            }
            let seq = dispatched(&agent.beginning(world), &folder);
            let Some(entry) = open.iter().find(|entry| Some(entry.seq) == seq) else {
                continue;
            };
            // For a retried dispatch, its newest agent counts.
            if !found.contains_key(&entry.seq)
                && let Some(ending) = agent.ending(world)
            {
                found.insert(entry.seq, cause(manifest, entry, &agent, &ending));
            }
        }
    }
    found.into_values().rev().collect()
}

fn cause(manifest: &Manifest, entry: &Entry, agent: &Subagent, ending: &Ending) -> Cause {
    let how = if ending.kind == CauseKind::TurnEnded {
        "It finished, and its outcome was not recorded."
    } else {
        &ending.text
    };
    let text = format!("{}: {how}", named(manifest, entry));
    let origin = Origin::at(agent.file(), ending.line);
    let evidence = vec![causes::evidence(origin, text.clone())];
    Cause {
        until: ending.until,
        ..causes::cause(ending.kind, ending.sure, text, ending.at, evidence)
    }
}

/// The number of the dispatch for which an agent was started. Its prompt names the file of that dispatch, and may name
/// files of earlier ones whose work it continues or reviews.
fn dispatched(beginning: &[u8], folder: &str) -> Option<u64> {
    let is_prompt = |map| json::text(&map, "type") == Some("user");
    let prompt = lines(beginning).find(|line| parse(line).object().is_some_and(is_prompt))?;
    let places = memmem::find_iter(prompt.bytes, folder);
    let numbers = places.filter_map(|at| {
        let rest = prompt.bytes.get(at + folder.len()..)?;
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let dash = rest.get(digits) == Some(&b'-');
        let number = std::str::from_utf8(rest.get(..digits)?).ok()?;
        number.parse::<u64>().ok().filter(|_| dash)
    });
    numbers.max()
}
