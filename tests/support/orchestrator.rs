//! What the conference's own resume protocol does with a hand-off: it reads the prompt and the files as a plan
//! leaves them, and must come to the place that the plan means. Written from the protocol, not from relight.

use std::fs;
use std::path::Path;

use relight::engine::{Engine, Request};
use relight::model::{ActionKind, Plan, PlanOptions, PointChoice, Preview, ResumePoint};
use serde_json::Value;

use super::Trouble;
use super::build::build;
use super::case::Fixture;
use super::world::world;

const EVENTS: &str = "conference_events.jsonl";

/// Where the protocol is entered.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    /// A phase of a round, with everybody.
    Phase(u64, u64),
    /// The research of a round, with these researchers.
    Mid(u64, String),
    /// The synthesis.
    Synthesis,
    /// A new conference.
    New,
    /// The resume skill decides by itself.
    Skill,
}

/// Every point of every pipeline of a fixture.
pub(crate) fn every_point(fixture: &Fixture) -> Result<(), Trouble> {
    for (at, id) in points(fixture)?.into_iter().enumerate() {
        one(fixture, at).map_err(|why| Trouble(format!("{id}: {}", why.0)))?;
    }
    Ok(())
}

fn points(fixture: &Fixture) -> Result<Vec<String>, Trouble> {
    let case = fixture.case()?;
    let built = build(fixture, &case)?;
    let engine = Engine::new(Box::new(world(&built.words, &case)?), Vec::new());
    let points = look(&engine, built.root())?.map_or_else(Vec::new, |(_, points)| points);
    Ok(points.into_iter().map(|p| p.boundary.id.0).collect())
}

type Look = (relight::model::Pipeline, Vec<ResumePoint>);

fn look(engine: &Engine, root: &Path) -> Result<Option<Look>, Trouble> {
    let request = Request {
        cwd: root.to_owned(),
        paths: vec![root.to_owned()],
        all: true,
        ..Request::default()
    };
    let survey = engine
        .survey(&request, &|_| {})
        .map_err(|why| Trouble(why.to_string()))?;
    let Some(pipeline) = survey.pipelines.into_iter().next() else {
        return Ok(None);
    };
    let dossier = engine
        .dossier(&pipeline.id)
        .map_err(|why| Trouble(why.to_string()))?;
    Ok(Some((pipeline, dossier.points)))
}

/// Builds the fixture anew, resumes at one point, and reads the result as the protocol does.
fn one(fixture: &Fixture, at: usize) -> Result<(), Trouble> {
    let case = fixture.case()?;
    let built = build(fixture, &case)?;
    let engine = Engine::new(Box::new(world(&built.words, &case)?), Vec::new());
    let Some((pipeline, points)) = look(&engine, built.root())? else {
        return Ok(());
    };
    let point = points
        .get(at)
        .ok_or_else(|| Trouble("no such point".to_owned()))?;
    let choice = PointChoice::Id(point.boundary.id.clone());
    let plan = engine
        .plan(&pipeline.id, &choice, &PlanOptions::default())
        .map_err(|why| Trouble(why.to_string()))?;
    let prompt = plan.handoff.prompt.lossy().into_owned();
    let dir = pipeline.root.clone();
    let lost = plan
        .guards
        .iter()
        .any(|g| g.id == "required_file" && g.refuses());
    if lost {
        // The protocol stops here too, and nobody may have told it of a line in the log.
        let there = |name: &str| fs::symlink_metadata(dir.join(name)).is_ok_and(|m| m.is_file());
        if there(EVENTS) && there("conference.md") {
            return Err(Trouble("both required files are there".to_owned()));
        }
        return if there(EVENTS) {
            Ok(())
        } else {
            absent(&prompt, "is already in the log")
        };
    }
    carry_out(&plan)?;
    let entry = enter(&prompt, &dir)?;
    let id = point.boundary.id.0.as_str();
    if entry != meant(id, &prompt, &pipeline.stopped_where.lossy()) {
        return Err(Trouble(format!(
            "the protocol enters at {entry:?}: {prompt}"
        )));
    }
    if id.starts_with("mend-") || entry == Entry::New {
        return Ok(());
    }
    // Looked at again, the point that was chosen is the one that is recommended.
    let engine = Engine::new(Box::new(world(&built.words, &case)?), Vec::new());
    let again = look(&engine, built.root())?.map_or_else(Vec::new, |(_, points)| points);
    let now = again.iter().find(|p| p.recommended);
    let now = now.map(|p| p.boundary.id.0.as_str());
    // Where nothing is cut, keeping every row is the same as not keeping it.
    let same =
        now == Some(id) || (id.ends_with("-keep") && now.is_some_and(|n| n.ends_with("-mid")));
    let damaged = pipeline.badges.contains(&relight::model::Badge::Damaged);
    if same || (now.is_none() && damaged) {
        return Ok(());
    }
    Err(Trouble(format!("the next look recommends {now:?}")))
}

fn absent(text: &str, words: &str) -> Result<(), Trouble> {
    if text.contains(words) {
        return Err(Trouble(format!("it says `{words}`: {text}")));
    }
    Ok(())
}

/// What a point's id means.
fn meant(id: &str, prompt: &str, _stopped: &str) -> Entry {
    if prompt.starts_with("/autoconference Start") {
        return Entry::New;
    }
    if id.starts_with("mend-") {
        return Entry::Skill;
    }
    if id == "synthesis" {
        return Entry::Synthesis;
    }
    let mut parts = id.split('-').skip(1);
    let round = parts.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    match (parts.next(), parts.next()) {
        (Some("phase"), Some(phase)) => Entry::Phase(round, phase.parse().unwrap_or(0)),
        _ => Entry::Mid(
            round,
            between(prompt, "Re-spawn only ", " for round").to_owned(),
        ),
    }
}

/// Does to the files what the plan would do; worktrees are another test's.
fn carry_out(plan: &Plan) -> Result<(), Trouble> {
    for action in &plan.actions {
        let path = &action.target;
        match &action.preview {
            Preview::Rows {
                before, keep_bytes, ..
            } => fs::write(path, before.get(..*keep_bytes).unwrap_or_default())?,
            Preview::Rename { to } => fs::rename(path, to)?,
            Preview::Content { after, .. } => fs::write(path, after)?,
            Preview::Lines { appended, .. } => {
                let mut bytes = fs::read(path)?;
                if bytes.last().is_some_and(|last| *last != b'\n') {
                    bytes.push(b'\n');
                }
                for line in appended {
                    let line = line.lossy().replace("{now}", "2026-05-02T19:59:00Z");
                    bytes.extend_from_slice(line.as_bytes());
                    bytes.push(b'\n');
                }
                fs::write(path, bytes)?;
            }
            Preview::Tree { .. } if action.kind == ActionKind::ResetWorktree => {}
            Preview::Tree { .. } | Preview::Kept { .. } => {
                return Err(Trouble(format!("{:?} in a conference", action.kind)));
            }
        }
    }
    Ok(())
}

/// Steps 1 to 6 of the protocol, with the answers that the prompt gives.
fn enter(prompt: &str, dir: &Path) -> Result<Entry, Trouble> {
    let wrong = |why: String| Err(Trouble(why));
    if prompt.starts_with("/autoconference Start") {
        let begun = fs::read(dir.join(EVENTS)).is_ok_and(|bytes| !bytes.is_empty());
        return if begun {
            wrong("a log is there, and the conference is started anew".to_owned())
        } else {
            Ok(Entry::New)
        };
    }
    if prompt.starts_with("/autoconference:resume") {
        return Ok(Entry::Skill);
    }
    // Step 1: locate.
    if between(prompt, "Resume the autoconference in ", " at ") != dir.to_string_lossy() {
        return wrong(format!("another directory: {prompt}"));
    }
    for name in ["conference.md", EVENTS] {
        if !fs::symlink_metadata(dir.join(name)).is_ok_and(|m| m.is_file()) {
            return wrong(format!("Cannot resume: {name} is missing"));
        }
    }
    // Step 2: the event log.
    let events = events(dir)?;
    if events.iter().any(|e| e["event"] == "conference.completed") {
        return wrong("This conference is already complete".to_owned());
    }
    // Step 3: the recovery point is confirmed by the prompt.
    let point = between(prompt, " at ", ";");
    let entry = entry(point, prompt)?;
    // Step 4 and 5: the files are consistent with it.
    consistent(&entry, prompt, dir, &events)?;
    // Step 6: the event must be in the log before any research resumes, and once.
    if !prompt.contains("conference.resumed event is already in the log") {
        return wrong(format!("nothing tells whether to log the resume: {prompt}"));
    }
    let last = events.last().cloned().unwrap_or_default();
    let payload = &last["payload"];
    let round = match entry {
        Entry::Phase(round, _) | Entry::Mid(round, _) => Some(round),
        Entry::Synthesis | Entry::New | Entry::Skill => payload["round"].as_u64(),
    };
    let ids = payload["reverted_researchers"].as_array();
    let ids: Vec<&str> = ids
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let said = between(prompt, "reverted: ", ".").replace("none", "");
    let agrees = last["event"] == "conference.resumed"
        && payload["recovery_point"] == point
        && payload["round"].as_u64() == round
        && ids.join(", ") == said;
    if !agrees {
        return wrong(format!(
            "the log ends with {last}, the prompt says {prompt}"
        ));
    }
    Ok(entry)
}

/// The re-entry points of step 6.
fn entry(point: &str, prompt: &str) -> Result<Entry, Trouble> {
    let number = |word: &str| {
        let (_, rest) = point.split_once(word)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    };
    let (round, phase) = (number("Round "), number("Phase "));
    match (round, phase) {
        _ if point.starts_with("Synthesis") => Ok(Entry::Synthesis),
        (Some(round), _) if point.starts_with("Mid-Phase 1") => Ok(Entry::Mid(
            round,
            between(prompt, "Re-spawn only ", " for round").to_owned(),
        )),
        (Some(round), Some(phase)) => Ok(Entry::Phase(round, phase)),
        _ => Err(Trouble(format!("no re-entry for `{point}`"))),
    }
}

fn consistent(entry: &Entry, prompt: &str, dir: &Path, events: &[Value]) -> Result<(), Trouble> {
    let file = |name: String| fs::read_to_string(dir.join(name)).unwrap_or_default();
    let poster = |n: &u64| file(format!("poster_session_round_{n}.md"));
    let review = |n: &u64| file(format!("peer_review_round_{n}.md"));
    let completed = |n: &u64| {
        events
            .iter()
            .any(|e| e["event"] == "round.completed" && e["payload"]["round"].as_u64() == Some(*n))
    };
    let fits = match entry {
        Entry::Phase(n, _) | Entry::Mid(n, _) if completed(n) => false,
        // Nothing of an attempt that does not count is left to be taken for the new one.
        Entry::Phase(n, 1) => poster(n).is_empty() && review(n).is_empty(),
        Entry::Phase(n, 2) => review(n).is_empty() || !review(n).to_lowercase().contains("verdict"),
        Entry::Phase(n, 3) => {
            !poster(n).is_empty() || prompt.contains("there is no poster session")
        }
        Entry::Phase(n, 4) => review(n).to_lowercase().contains("verdict"),
        Entry::Phase(..) => false,
        Entry::Mid(_, ids) => !ids.is_empty() && (reverted_end_kept(prompt, dir)),
        Entry::Synthesis => between(prompt, "with these files: ", ". It writes")
            .split(", ")
            .all(|name| dir.join(name).is_file()),
        Entry::New | Entry::Skill => true,
    };
    if fits {
        return Ok(());
    }
    Err(Trouble(format!("the files do not fit {entry:?}")))
}

/// A researcher that was put back ends with a kept row, or with the first row of the round.
fn reverted_end_kept(prompt: &str, dir: &Path) -> bool {
    let ids = between(prompt, "reverted: ", ".");
    ids.split(", ").filter(|id| *id != "none").all(|id| {
        let table = fs::read_to_string(dir.join(format!("researcher_{id}_results.tsv")));
        let table = table.unwrap_or_default();
        let last = table.lines().last().unwrap_or_default();
        table.ends_with('\n') && (last.contains("\tkept\t") || last.contains("\tbaseline\t"))
    })
}

fn events(dir: &Path) -> Result<Vec<Value>, Trouble> {
    let text = fs::read(dir.join(EVENTS))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

/// What stands between two texts, the first of each; the rest without the second.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).map_or("", |(_, rest)| rest);
    rest.split_once(to).map_or(rest, |(inside, _)| inside)
}
