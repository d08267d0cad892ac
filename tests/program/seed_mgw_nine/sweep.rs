//! Every state file of every fixture lost in every way: removed, emptied, cut, padded beyond any cap, replaced by a
//! link. What branch, documents, plan and backups show is then still said, and never started over.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use relight::model::{Badge, Pipeline, PlanOptions, PointChoice, Status};

use super::site::Site;
use super::support::{Trouble, build, case};
use crate::act_systems::part::{all_is_tried, is_tried};

/// The ways to lose a file.
const WAYS: [&str; 5] = ["removed", "emptied", "cut", "padded", "linked"];

/// How many files of a system are padded: so many bytes are read slowly by a program that is not optimized.
const PADDED: usize = 1;

/// Beyond the cap of small files.
const PADDING: usize = 17 << 20;

/// What a pipeline is, and what it recommends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    status: Status,
    badges: Vec<Badge>,
    recommended: Option<String>,
    done: u64,
}

fn find(
    site: &Site<'_>,
    native: &str,
    system: &str,
    plans: bool,
) -> Result<Option<Found>, Trouble> {
    let engine = site.engine()?;
    let survey = engine.survey(&site.request, &|_| {})?;
    let ours = |p: &&Pipeline| p.reading.native == native && p.reading.system.0 == system;
    let Some(pipeline) = survey.pipelines.iter().find(ours) else {
        return Ok(None);
    };
    let dossier = engine.dossier(&pipeline.id)?;
    for point in dossier.points.iter().filter(|_| plans) {
        // Every plan can be made, whatever is lost.
        let choice = PointChoice::Id(point.boundary.id.clone());
        engine.plan(&pipeline.id, &choice, &PlanOptions::default())?;
    }
    let recommended = dossier.points.iter().find(|point| point.recommended);
    Ok(Some(Found {
        status: pipeline.standing.status,
        badges: pipeline.reading.badges.clone(),
        recommended: recommended.map(|point| point.boundary.id.0.clone()),
        done: pipeline.reading.progress.done.unwrap_or_default(),
    }))
}

fn lose(file: &Path, way: &str, elsewhere: &Path) -> Result<(), Trouble> {
    let whole = fs::read(file)?;
    match way {
        "removed" => fs::remove_file(file)?,
        "emptied" => fs::write(file, "")?,
        "cut" => fs::write(file, whole.get(..whole.len() / 2).unwrap_or_default())?,
        "padded" => fs::write(file, [whole, vec![b' '; PADDING]].concat())?,
        _ => {
            fs::rename(file, elsewhere)?;
            symlink(elsewhere, file)?;
        }
    }
    Ok(())
}

/// The points that would start over.
fn starts_over(point: &str) -> bool {
    [
        "fresh",
        "re-triage",
        "step-triage",
        "step-plan",
        "phase-1-step-1",
    ]
    .contains(&point)
}

/// Whether something but the state file shows that work was done: documents, commits, a plan, a backup.
fn shown(root: &Path, system: &str, found: &Found) -> bool {
    let there = |name: &str| root.join(name).exists();
    match system {
        "mgw" => found.done >= 3 && there(".worktrees/issue"),
        // Of a directory that git no longer lists as a worktree the state file is the only record.
        _ => found.done >= 1 && there(".worktree") && !found.badges.contains(&Badge::Orphan),
    }
}

fn sweep(system: &str) -> Result<usize, Trouble> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let (mut seen, mut padded, mut wrong) = (0, 0, Vec::new());
    for fixture in case::all(&all)? {
        if !fixture.name.starts_with(&format!("{system}::")) {
            continue;
        }
        let case = fixture.case()?;
        let built = build::build(&fixture, &case)?;
        let site = Site::of_case(built.root(), &built.words, &case);
        for (native, file) in state_files(&site, system)? {
            let Some(before) = find(&site, &native, system, false)? else {
                continue;
            };
            let whole = fs::read(&file)?;
            let modified = fs::metadata(&file)?.modified()?;
            let root = file.ancestors().find(|dir| dir.join(".git").is_dir());
            let shown = shown(root.unwrap_or_else(|| built.root()), system, &before);
            padded += 1;
            let ways = WAYS.iter().enumerate().filter(|(nth, way)| match **way {
                "padded" => padded <= PADDED,
                _ => is_tried(nth + padded, 2),
            });
            for (_, way) in ways {
                let elsewhere = built.root().join("elsewhere.json");
                lose(&file, way, &elsewhere)?;
                let after = find(&site, &native, system, *way != "padded")?;
                if let Some(why) = judge(way, &before, after.as_ref(), shown) {
                    let name = format!("{} {native} {way}", fixture.name);
                    wrong.push(format!(
                        "{name}: {why}\n    before {before:?}\n    after {after:?}"
                    ));
                }
                if fs::symlink_metadata(&file).is_ok() {
                    fs::remove_file(&file)?;
                }
                fs::write(&file, &whole)?;
                fs::File::open(&file)?.set_modified(modified)?;
                seen += 1;
            }
        }
    }
    if wrong.is_empty() {
        Ok(seen)
    } else {
        Err(Trouble(wrong.join("\n")))
    }
}

/// What is wrong with how a pipeline reads after its file was lost.
fn judge(way: &str, before: &Found, after: Option<&Found>, shown: bool) -> Option<String> {
    if way == "padded" {
        let same = after.is_some_and(|after| {
            after.recommended == before.recommended && after.status == before.status
        });
        return (!same).then(|| "padding changes what it is".to_owned());
    }
    if !shown || before.status == Status::Complete {
        return None;
    }
    let Some(after) = after else {
        return Some("it is not found though other records show it".to_owned());
    };
    if after.badges.contains(&Badge::NotStarted) {
        return Some("it is called not started".to_owned());
    }
    if after.status == Status::Unreadable {
        return Some("it is called unreadable".to_owned());
    }
    let new = after.recommended != before.recommended;
    let over = after
        .recommended
        .as_deref()
        .filter(|point| starts_over(point) && new);
    over.map(|point| format!("{point} would start over"))
}

/// The pipelines of a case with their first state file.
fn state_files(site: &Site<'_>, system: &str) -> Result<Vec<(String, PathBuf)>, Trouble> {
    let survey = site.engine()?.survey(&site.request, &|_| {})?;
    let ours = survey
        .pipelines
        .iter()
        .filter(|p| p.reading.system.0 == system);
    Ok(ours
        .filter_map(|pipeline| {
            let file = pipeline.reading.state_files.first()?;
            let regular = fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file());
            regular.then(|| (pipeline.reading.native.lossy().into_owned(), file.clone()))
        })
        .collect())
}

/// How many losses must be tried, so that a fixture that falls silent is noticed.
fn least() -> usize {
    if all_is_tried() { 100 } else { 50 }
}

#[test]
fn f11_f12_a_lost_state_file_of_mgw_never_starts_over() -> Result<(), Trouble> {
    assert!(sweep("mgw")? >= least());
    Ok(())
}

#[test]
fn f22_a_lost_state_file_of_nine_step_never_starts_over() -> Result<(), Trouble> {
    assert!(sweep("nine-step")? >= least());
    Ok(())
}
