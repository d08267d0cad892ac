//! Reads a crucible hand-off as its orchestrator would: the replay skill's own protocol, as small as it can be
//! told. It knows only the prompt, the briefing that the prompt names and the files on disk, and must arrive at
//! the place that the plan's point says and run again exactly what the plan says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use relight::model::{Plan, WorkItem};
use serde_json::{Map, Value};

use super::Trouble;

/// Where an orchestrator begins after it read a hand-off, and what it dispatches.
#[derive(Debug, PartialEq, Eq)]
struct Beginning {
    /// `1` to `4`; `None` where nothing is left but tidying up.
    phase: Option<String>,
    wave: Option<u64>,
    /// Dispatch numbers that run again.
    again: BTreeSet<u64>,
}

/// What a hand-off is wrong about; empty where the orchestrator does what the plan says.
pub(crate) fn wrongs(plan: &Plan) -> Result<Vec<String>, Trouble> {
    let prompt = plan.handoff.prompt.lossy().into_owned();
    let briefing = plan.handoff.briefing.lossy().into_owned();
    let id = plan.point.boundary.id.0.as_str();
    let mut wrongs = claims(plan, &briefing);
    if id == "fresh" {
        if !prompt.contains("Start fresh") || prompt.contains("/replay") {
            wrongs.push("the prompt does not say to start fresh".to_owned());
        }
        return Ok(wrongs);
    }
    let read = if prompt.starts_with("/replay ") {
        replay(&prompt)?
    } else {
        without_manifest(&prompt)
    };
    let wanted = Beginning {
        phase: plan
            .point
            .boundary
            .phase
            .as_ref()
            .map(|p| p.lossy().into_owned()),
        wave: id.strip_prefix("wave-").and_then(|n| n.parse().ok()),
        again: seqs(&plan.redone),
    };
    // Phase 1 has no boundary that `--from-phase` could name: its second step is told in words.
    let second_step = id == "phase-2" && prompt.contains("phase 1 at step 2");
    if read.phase != wanted.phase && !second_step {
        wrongs.push(format!(
            "it begins in phase {:?}, not {:?}",
            read.phase, wanted.phase
        ));
    }
    if read.wave != wanted.wave {
        wrongs.push(format!(
            "it begins at wave {:?}, not {:?}",
            read.wave, wanted.wave
        ));
    }
    if read.again != wanted.again {
        wrongs.push(format!(
            "it dispatches {:?}, not {:?}",
            read.again, wanted.again
        ));
    }
    let gate = match id {
        "phase-2-gate" => "plan gate",
        "phase-4-inquisitor" => "before the inquisitor",
        "phase-4-gate" => "before the implementation gate",
        _ => "",
    };
    if !prompt.contains(gate) {
        wrongs.push(format!("the prompt does not say: {gate}"));
    }
    if !prompt.contains("Do not restore a checkpoint") {
        wrongs.push("it would restore a checkpoint of its own choice".to_owned());
    }
    Ok(wrongs)
}

/// The replay skill: resolve the path, read the manifest, begin at the phase that is named, else at the first
/// that is not complete; what is said in words goes before what the manifest would lead to.
fn replay(prompt: &str) -> Result<Beginning, Trouble> {
    let rest = prompt.trim_start_matches("/replay ");
    let (path, rest) = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => rest.split_once(' ').unwrap_or((rest, "")),
    };
    let manifest = manifest_of(Path::new(path))
        .ok_or_else(|| Trouble(format!("/replay finds no manifest at {path}")))?;
    let entries = entries(&fs::read_to_string(&manifest).unwrap_or_else(|_| lossy(&manifest)));
    let phase = rest
        .strip_prefix(" --from-phase ")
        .or_else(|| rest.strip_prefix("--from-phase "))
        .and_then(|rest| rest.split([' ', '.']).next())
        .map(str::to_owned);
    let incomplete = |entry: &Map<String, Value>| !is_complete(entry);
    let first = entries
        .values()
        .filter(|e| incomplete(e))
        .filter_map(phase_of)
        .min();
    let found = if rest.contains("Every phase is finished") {
        None
    } else {
        phase.clone().or_else(|| first.map(|n| n.to_string()))
    };
    let from: u64 = found
        .as_deref()
        .and_then(|p| p.parse().ok())
        .unwrap_or(u64::MAX);
    let usual = entries
        .iter()
        .filter(|(_, entry)| phase_of(entry).is_some_and(|p| p >= from) || incomplete(entry))
        .map(|(seq, _)| *seq);
    let again = said_again(prompt).unwrap_or_else(|| usual.collect());
    Ok(Beginning {
        phase: found.or_else(|| said_phase(prompt)),
        wave: wave(prompt),
        again,
    })
}

/// Without a manifest there is only what is said in words.
fn without_manifest(prompt: &str) -> Beginning {
    Beginning {
        phase: said_phase(prompt),
        wave: wave(prompt),
        again: said_again(prompt).unwrap_or_default(),
    }
}

/// The number behind the first of some words.
fn behind(text: &str, words: &[&str]) -> Option<String> {
    let rest = words.iter().find_map(|word| text.split_once(word))?.1;
    let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!number.is_empty()).then_some(number)
}

fn said_phase(prompt: &str) -> Option<String> {
    let words = [
        "Start phase ",
        "Start at phase ",
        "Continue phase ",
        "Resume phase ",
        "gate of phase ",
        "of phase ",
    ];
    behind(prompt, &words)
}

fn wave(prompt: &str) -> Option<u64> {
    behind(prompt, &["Start at wave "])?.parse().ok()
}

/// `Run again: dispatches 3, 5-7.`
fn said_again(prompt: &str) -> Option<BTreeSet<u64>> {
    let (_, rest) = prompt.split_once("Run again: ")?;
    let (numbers, _) = rest.split_once('.')?;
    let mut all = BTreeSet::new();
    for part in numbers.split([' ', ',']) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>()) {
            all.extend(first..=last);
        }
    }
    Some(all)
}

/// The path rules of the skill.
fn manifest_of(path: &Path) -> Option<PathBuf> {
    if path.ends_with("manifest.jsonl") {
        return path.is_file().then(|| path.to_owned());
    }
    let marker = fs::read_to_string(path.join(".pipeline-active")).ok();
    let marker: Option<Value> = marker.and_then(|text| serde_json::from_str(&text).ok());
    let told = |key: &str| marker.as_ref()?.get(key)?.as_str().map(str::to_owned);
    let session = told("pipeline_id").unwrap_or_else(|| "none".to_owned());
    let dirs = [
        Some(path.join(format!("crucible-dispatch-{session}"))),
        Some(path.join(format!("dispatch-{session}"))),
        told("dispatch_dir").map(PathBuf::from),
        Some(path.to_owned()),
    ];
    let files = dirs
        .into_iter()
        .flatten()
        .map(|dir| dir.join("manifest.jsonl"));
    files.into_iter().find(|file| file.is_file())
}

fn lossy(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last line of each number, those that another entry replayed left out.
fn entries(text: &str) -> BTreeMap<u64, Map<String, Value>> {
    let mut all: BTreeMap<u64, Map<String, Value>> = BTreeMap::new();
    for line in text.lines() {
        let line = line.trim_start_matches('\u{feff}');
        let Ok(Value::Object(map)) = serde_json::from_str(line) else {
            continue;
        };
        if let Some(seq) = map.get("seq").and_then(Value::as_u64) {
            let mut merged = all.remove(&seq).unwrap_or_default();
            merged.extend(map);
            all.insert(seq, merged);
        }
    }
    let replayed: Vec<u64> = all
        .values()
        .filter_map(|entry| entry.get("replay_of")?.as_u64())
        .collect();
    all.retain(|seq, _| !replayed.contains(seq));
    all
}

fn is_complete(entry: &Map<String, Value>) -> bool {
    let status = entry.get("status").and_then(Value::as_str);
    matches!(status, Some("completed" | "skipped"))
}

fn phase_of(entry: &Map<String, Value>) -> Option<u64> {
    let phase = entry.get("phase")?;
    let text = phase.as_str().and_then(|text| text.parse().ok());
    text.or_else(|| phase.as_u64())
}

fn seqs(items: &[WorkItem]) -> BTreeSet<u64> {
    let numbers = items.iter().map(|item| item.id.lossy().parse());
    numbers.filter_map(Result::ok).collect()
}

/// What a briefing says is done must stay done: nothing that runs again is counted, no phase is called complete
/// that has work to run again, and both lists are the plan's.
fn claims(plan: &Plan, briefing: &str) -> Vec<String> {
    let mut wrongs = Vec::new();
    let redone = phases(&plan.redone);
    let kept = phases(&plan.kept);
    for line in briefing.lines() {
        if let Some(rest) = line
            .strip_prefix("- Phases ")
            .and_then(|l| l.strip_suffix(" completed in prior session"))
        {
            let numbers: Vec<u64> = rest
                .split(' ')
                .filter_map(|word| word.parse().ok())
                .collect();
            let (first, last) = (numbers.first().copied(), numbers.last().copied());
            let called = first.unwrap_or(0)..=last.unwrap_or(0);
            if redone.keys().any(|phase| called.contains(phase)) {
                wrongs.push(format!(
                    "the briefing says \"{line}\", and work of it runs again"
                ));
            }
        }
        let counted = line
            .strip_prefix("- Phase ")
            .and_then(|rest| rest.split_once(": "))
            .and_then(|(phase, rest)| {
                Some((phase.parse::<u64>().ok()?, rest.split_once(" of ")?.0))
            });
        if let Some((phase, done)) = counted {
            let stays = kept.get(&phase).copied().unwrap_or(0).to_string();
            if done != stays {
                wrongs.push(format!(
                    "the briefing says \"{line}\", and {stays} stay done"
                ));
            }
        }
    }
    for (title, items) in [("Kept:", &plan.kept), ("Will run again:", &plan.redone)] {
        let listed: BTreeSet<u64> = section(briefing, title)
            .filter_map(|line| line.split(' ').next()?.parse().ok())
            .collect();
        if listed != seqs(items) {
            wrongs.push(format!(
                "\"{title}\" lists {listed:?}, not {:?}",
                seqs(items)
            ));
        }
    }
    wrongs
}

/// The items below the last line of this title.
fn section<'a>(briefing: &'a str, title: &'a str) -> impl Iterator<Item = &'a str> {
    let lines: Vec<&str> = briefing.lines().collect();
    let at = lines.iter().rposition(|line| *line == title);
    let below = at.map_or(Vec::new(), |at| lines[at + 1..].to_vec());
    below.into_iter().map_while(|line| line.strip_prefix("- "))
}

/// How many items each phase has.
fn phases(items: &[WorkItem]) -> BTreeMap<u64, u64> {
    let mut all = BTreeMap::new();
    for item in items {
        let label = item.label.lossy().into_owned();
        if let Some(phase) = behind(&label, &["phase "]).and_then(|p| p.parse().ok()) {
            *all.entry(phase).or_insert(0) += 1;
        }
    }
    all
}
