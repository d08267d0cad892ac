//! What is lost of a workflow's own files never makes it look as if nothing had happened: the state file and the log
//! of every superscientist case removed, emptied, cut, made huge, replaced by a link.

use std::fs;
use std::path::{Path, PathBuf};

use relight::engine::{Dossier, Engine};
use relight::model::{Badge, Status};

use super::Trouble;
use super::build::{Built, build};
use super::case::{Case, Fixture};
use super::runner::request;
use super::world::world;

const STATE: &str = "workflow-state.json";
const LOG: &str = "progress.log";
/// More than any cap that a reader once had.
const HUGE: usize = 17 << 20;

type Harm = (&'static str, fn(&Path) -> Result<(), Trouble>);

const HARMS: [Harm; 5] = [
    ("removed", |file| Ok(fs::remove_file(file)?)),
    ("emptied", |file| Ok(fs::write(file, "")?)),
    ("cut", |file| {
        let bytes = fs::read(file)?;
        Ok(fs::write(
            file,
            bytes.get(..bytes.len() / 2).unwrap_or_default(),
        )?)
    }),
    ("a link", |file| {
        let to = file.with_extension("elsewhere");
        fs::rename(file, &to)?;
        Ok(std::os::unix::fs::symlink(&to, file)?)
    }),
    ("huge", |file| {
        let mut bytes = fs::read(file)?;
        let pad = vec![b' '; HUGE];
        // White space after a document, or within a line, changes nothing of what it says.
        let at = if file.ends_with(LOG) {
            bytes.iter().position(|b| *b == b']').map_or(0, |at| at + 1)
        } else {
            bytes.len()
        };
        bytes.splice(at..at, pad);
        Ok(fs::write(file, bytes)?)
    }),
];

/// Every harm to every file of a case.
pub(crate) fn lost(fixture: &Fixture) -> Result<(), Trouble> {
    let case = fixture.case()?;
    let built = build(fixture, &case)?;
    let whole = dossiers(&built, &case)?;
    for dossier in whole.iter().filter(|d| !d.points.is_empty()) {
        let root = &dossier.pipeline.root;
        let rel = root
            .strip_prefix(fs::canonicalize(built.root())?)?
            .to_owned();
        for name in [STATE, LOG] {
            for (what, harm) in HARMS {
                // Reading 17 MB again and again is slow in a debug build: some cases stand for all.
                if what == "huge" && !fixture.name.len().is_multiple_of(4) {
                    continue;
                }
                let built = build(fixture, &case)?;
                let file: PathBuf = fs::canonicalize(built.root())?.join(&rel).join(name);
                if !fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file()) {
                    continue;
                }
                harm(&file)?;
                let wf = file.parent().unwrap_or(&file);
                let found = dossiers(&built, &case)?;
                let found = found.into_iter().find(|d| d.pipeline.root == wf);
                wrongs(dossier, found.as_ref(), name, what)
                    .map_err(|why| Trouble(format!("{name} {what}: {}", why.0)))?;
            }
        }
    }
    Ok(())
}

fn dossiers(built: &Built, case: &Case) -> Result<Vec<Dossier>, Trouble> {
    let engine = Engine::new(Box::new(world(&built.words, case)?), Vec::new());
    let survey = engine
        .survey(&request(built, case)?, &|_| {})
        .map_err(|why| Trouble(why.to_string()))?;
    let ours = survey.pipelines.iter();
    let ours = ours.filter(|p| p.system.0 == "superscientist");
    ours.map(|p| {
        engine
            .dossier(&p.id)
            .map_err(|why| Trouble(why.to_string()))
    })
    .collect()
}

fn wrongs(whole: &Dossier, found: Option<&Dossier>, name: &str, what: &str) -> Result<(), Trouble> {
    let fresh = |d: &Dossier| d.pipeline.badges.contains(&Badge::NotStarted);
    let Some(found) = found else {
        // Without its log nothing is left that says what the folder is.
        let unlogged = !whole.pipeline.root.join(LOG).exists();
        return if unlogged && name == STATE {
            Ok(())
        } else {
            Err(Trouble("it is found no more".to_owned()))
        };
    };
    if fresh(found) && !fresh(whole) {
        return Err(Trouble("it looks as if it had never begun".to_owned()));
    }
    let recommended = |d: &Dossier| {
        let point = d.points.iter().find(|p| p.recommended);
        point.map(|p| p.boundary.id.0.clone())
    };
    if name == LOG || what == "huge" {
        let (was, is) = (recommended(whole), recommended(found));
        // Without the log nothing says that a marker is stale or that work has ended.
        let softer = is.as_ref().is_some_and(|id| !id.ends_with(":rerun"));
        return if was == is || (what != "huge" && softer) {
            Ok(())
        } else {
            Err(Trouble(format!("{was:?} became {is:?}")))
        };
    }
    if let Some(id) = recommended(found) {
        return Err(Trouble(format!("{id} is recommended without a state file")));
    }
    let status = found.pipeline.standing.status;
    let told = matches!(
        status,
        Status::Interrupted | Status::Complete | Status::Live
    );
    if !told || !found.pipeline.badges.contains(&Badge::Damaged) {
        return Err(Trouble(format!(
            "it is {}, {:?}",
            status.word(),
            found.pipeline.badges
        )));
    }
    // Without its log only the folders are left, which do not count stages.
    let logged = whole.pipeline.root.join(LOG).exists();
    if logged && found.pipeline.progress.done < whole.pipeline.progress.done.min(1) {
        return Err(Trouble("its progress is forgotten".to_owned()));
    }
    Ok(())
}
