//! The log of a conference removed, emptied, cut and grown: whatever is left of it, the other records count.

use std::fs;
use std::path::{Path, PathBuf};

use relight::engine::{Engine, Request};
use relight::model::{Badge, Foreign, PlanOptions, PointChoice, Status};

use super::Trouble;
use super::build::build;
use super::case::{Case, Fixture};
use super::words::Words;
use super::world::world;

const EVENTS: &str = "conference_events.jsonl";
/// At how many lines, and at how many other bytes, a log is cut.
const CUTS: usize = 4;

/// What a look finds.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    status: Status,
    begun: bool,
    points: Vec<String>,
    recommended: Option<String>,
}

/// Every state of the log, of every pipeline of a fixture.
pub(crate) fn every_log(fixture: &Fixture) -> Result<(), Trouble> {
    let case = fixture.case()?;
    let built = build(fixture, &case)?;
    let Some(log) = find(built.root())? else {
        return Ok(());
    };
    let whole = fs::read(&log)?;
    let dir = log.parent().unwrap_or_else(|| built.root()).to_owned();
    let worked = records(&dir)?;
    let usual = look(&built.words, &case, built.root())?;
    let mut states: Vec<(String, Option<Vec<u8>>)> = vec![
        ("removed".to_owned(), None),
        ("of damage".to_owned(), Some(b"\0\0\n{\"event\n".to_vec())),
    ];
    for at in cuts(&whole) {
        states.push((format!("cut at {at}"), whole.get(..at).map(<[u8]>::to_vec)));
    }
    for (name, bytes) in states {
        match bytes {
            Some(bytes) => fs::write(&log, bytes)?,
            None => fs::remove_file(&log)?,
        }
        for seen in look(&built.words, &case, built.root())? {
            let anew = seen.recommended.as_deref() == Some("round-1-phase-1");
            if worked && (!seen.begun || seen.status == Status::Waiting || anew) {
                return Err(Trouble(format!("the log {name}: {seen:?}")));
            }
        }
    }
    let begun = whole.starts_with(b"{") && whole.contains(&b'\n');
    if !begun || usual.iter().all(|seen| seen.points.is_empty()) {
        return Ok(());
    }
    fs::write(&log, grown(&whole))?;
    let now = look(&built.words, &case, built.root())?;
    if now != usual {
        return Err(Trouble(format!(
            "grown to 17 MiB: {now:?}, before {usual:?}"
        )));
    }
    Ok(())
}

fn find(dir: &Path) -> Result<Option<PathBuf>, Trouble> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_name() == EVENTS && fs::symlink_metadata(&path)?.is_file() {
            return Ok(Some(path));
        }
        if entry.file_type()?.is_dir()
            && entry.file_name() != ".git"
            && let Some(found) = find(&path)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn path_ends(name: &str, end: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|found| found == end)
}

/// Whether any other file of the directory says that work was done.
fn records(dir: &Path) -> Result<bool, Trouble> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).unwrap_or_default();
        let says = if name == "conference.md" {
            text.contains("### Round 1")
        } else if name.ends_with("_results.tsv") {
            text.lines().skip(1).any(|row| !row.contains("\tTBD\t"))
        } else {
            (name.contains("_round_") && path_ends(&name, "md"))
                || ["synthesis.md", "final_report.md"].contains(&name.as_str())
        };
        if says && !text.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Some ends of lines and some other bytes, the beginning among them.
fn cuts(whole: &[u8]) -> Vec<usize> {
    let ends: Vec<usize> = (0..whole.len())
        .filter(|at| whole.get(at - at.min(&1)) == Some(&b'\n'))
        .collect();
    let lines = ends.iter().step_by(ends.len() / CUTS + 1).copied();
    let bytes = (0..whole.len()).step_by(whole.len() / CUTS + 1);
    bytes.chain(lines).collect()
}

/// Valid events that say nothing, more than 16 MiB of them, before the log's own.
fn grown(whole: &[u8]) -> Vec<u8> {
    // Spaces inside an object are read faster than a text.
    let space = " ".repeat(1_000_000);
    let line = format!(
        "{{\"event\": \"researcher.note\",{space}\"timestamp\": \"2026-03-01T08:00:00Z\", \"payload\": {{}}}}\n"
    );
    // After the first line, whose event tells whose log it is.
    let first = whole
        .iter()
        .position(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    let (head, rest) = whole.split_at(first);
    [head, line.repeat(17).as_bytes(), rest].concat()
}

fn look(words: &Words, case: &Case, root: &Path) -> Result<Vec<Seen>, Trouble> {
    let engine = Engine::new(Box::new(world(words, case)?), Vec::new());
    let request = Request {
        cwd: root.to_owned(),
        paths: vec![root.to_owned()],
        all: true,
        ..Request::default()
    };
    let survey = engine
        .survey(&request, &|_| {})
        .map_err(|why| Trouble(why.to_string()))?;
    let mut all = Vec::new();
    for pipeline in survey.pipelines {
        let dossier = engine
            .dossier(&pipeline.id)
            .map_err(|why| Trouble(why.to_string()))?;
        for point in &dossier.points {
            let choice = PointChoice::Id(point.boundary.id.clone());
            engine
                .plan(&pipeline.id, &choice, &PlanOptions::default())
                .map_err(|why| Trouble(why.to_string()))?;
        }
        let reason: &Foreign = &pipeline.standing.reason;
        if reason.is_empty() {
            return Err(Trouble("a status without a reason".to_owned()));
        }
        let ids = dossier.points.iter().map(|p| p.boundary.id.0.clone());
        let recommended = dossier.points.iter().find(|p| p.recommended);
        all.push(Seen {
            status: pipeline.standing.status,
            begun: !pipeline.badges.contains(&Badge::NotStarted),
            points: ids.collect(),
            recommended: recommended.map(|p| p.boundary.id.0.clone()),
        });
    }
    Ok(all)
}
