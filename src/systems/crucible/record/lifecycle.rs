//! The start and the end of a run.

use serde_json::json;

use crate::formats::json::{self, one_line};
use crate::model::{ClockStyle, EngineError, Foreign, Place, Step};
use crate::systems::crucible::facts::project::folder_names;
use crate::systems::crucible::facts::{MARK, Sources};
use crate::systems::crucible::record::dispatch::{in_order, seq_of, unfinished};
use crate::systems::crucible::record::forms::{MANIFEST, candidate};
use crate::systems::crucible::record::{copy, phase};
use crate::systems::crucible::shape;
use crate::systems::crucible::shape::sniff::PUT_AWAY;
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::text::Shown as _;

/// The skills that write a marker.
const SKILLS: [(&str, &str); 4] = [
    ("build", "1"),
    ("debugging", "0"),
    ("spec", "1"),
    ("migrate", "0"),
];

/// Starts a run: its dispatch folder, then the marker that remains after a crash.
pub(super) fn init(ask: &Ask<'_>) -> Result<Written, EngineError> {
    ask.no_words()?;
    let skill = ask.text("skill")?.unwrap_or_else(|| "build".to_owned());
    let first = ask.one_of("skill", &skill, &SKILLS)?;
    let places = ask.world.places();
    let claude = places.claude.as_ref();
    let claude = claude.ok_or_else(|| refused("There is no home directory for the marker."))?;
    let project = &ask.site.root;
    if *project == ask.site.dir {
        let text = "A new run is named by its session, in the directory of its project.";
        return Err(ask.usage(text));
    }
    // A project may have folders under three names, and a marker in any of them belongs to it.
    let scratches = folder_names(project).map(|name| claude.join("projects").join(name));
    let scratches = scratches.map(|folder| folder.join("memory"));
    for scratch in &scratches {
        let path = scratch.join(".pipeline-active");
        if let Some(bytes) = ask.read(&path)? {
            return Err(taken(ask, &bytes, &path.shown().to_string()));
        }
    }
    if ask.read(&ask.site.file)?.is_some() {
        let text = format!("{} exists.", ask.site.file.shown());
        return Err(refused(text).hint("A new run needs a new session."));
    }
    let exists = |path: &&std::path::PathBuf| ask.world.files().exists(&Place::root(*path));
    let [usual, ..] = &scratches;
    let scratch = scratches.iter().find(exists).unwrap_or(usual);
    let repo = ask.world.git().repo(project).ok();
    let branch = repo.as_ref().and_then(|repo| repo.branch.as_ref());
    let marker = json!({
        "pipeline_id": ask.site.key,
        "skill": skill,
        "phase": first,
        "start_time": ClockStyle::UtcSeconds.write(ask.at),
        "scratch_dir": format!("{}/", scratch.to_string_lossy()),
        "dispatch_dir": format!("{}/", ask.site.dir.to_string_lossy()),
        "branch": branch.map(Foreign::lossy).unwrap_or_default(),
        "baseline_sha": repo.as_ref().and_then(|repo| repo.head.as_deref()),
    });
    let marker = format!("{}\n", one_line(&marker, true)).into_bytes();
    let path = scratch.join(".pipeline-active");
    let mut steps = vec![replace(
        &ask.site.file,
        None,
        Vec::new(),
        "The new manifest.",
    )];
    // A restart deletes the dispatch folder: without the copy, nothing could be recorded for the run any more.
    steps.extend(copy::begin(ask, scratch));
    steps.push(replace(&path, None, marker, "The marker of the run."));
    Ok(Written {
        steps,
        next: Some(phase::next(&skill, first)),
        file: Some(ask.site.dir.clone()),
        ..Written::default()
    })
}

/// The error if there is already a marker.
fn taken(ask: &Ask<'_>, bytes: &[u8], path: &str) -> EngineError {
    match shape::marker(bytes, ask.world.clock()) {
        Ok(marker) if marker.pipeline_id == ask.site.key => refused("The run exists already."),
        Ok(marker) => {
            let id = marker.pipeline_id;
            let hint = format!("Resume or end it first: relight points {id}");
            let text = format!("The run {id} is not finished: its marker is {path}.");
            refused(text).hint(hint)
        }
        Err(not) => refused(format!("{path} is not overwritten: {}.", not.why)),
    }
}

/// Refuses what may only come when the work of every dispatch is done. A failed one that is passed over would still
/// be open for every reader of the manifest: it runs again, or the run continues without it.
pub(super) fn all_ended(ask: &Ask<'_>) -> Result<(), EngineError> {
    let open = unfinished(ask);
    let Some((line, seq)) = open.first().and_then(|line| Some((line, seq_of(line)?))) else {
        return Ok(());
    };
    let session = &ask.site.key;
    let done = format!("relight record {session} done {seq}");
    let status = json::text(line, "status").unwrap_or_default();
    if status == "dispatched" {
        let hint = format!("{done} --status … --summary …");
        return Err(refused(format!("Dispatch {seq} has no outcome.")).hint(hint));
    }
    let how = if status == "error" {
        "ended with an error"
    } else {
        "failed"
    };
    let text = format!("Dispatch {seq} {how}, and no other one completed its work.");
    let again = format!("Run it again: relight record {session} dispatch … --replay-of {seq}");
    let error = refused(text).hint(again);
    Err(error.hint(format!(
        "Or continue without it: {done} --status skipped --summary …"
    )))
}

/// Ends a run with success: only the manifest stays in the durable copy, and the marker and the dispatch folder are
/// moved away. Crucible deletes them; here nothing is lost.
pub(super) fn finish(ask: &Ask<'_>) -> Result<Written, EngineError> {
    ask.no_words()?;
    let session = &ask.site.key;
    let found = Sources::find(&candidate(session, &ask.site.file), ask.world);
    let Some((marker, path)) = &found.marker else {
        return Err(refused("The run has no marker .pipeline-active."));
    };
    let now = marker.phase.as_deref().unwrap_or_default();
    if let Some(next) = phase::after(&marker.skill, now) {
        let hint = format!("relight record {session} phase {next}");
        let text = [b"The run is in phase ".as_slice(), now.as_bytes(), b"."].concat();
        return Err(refused(text).hint(hint));
    }
    let bytes = ask.read(&ask.site.file)?.unwrap_or_default();
    in_order(ask, &found)?;
    all_ended(ask)?;
    let away = format!("{PUT_AWAY}{session}");
    let scratch = path.parent().unwrap_or(path);
    let beside = scratch.join(&away);
    let aside = |from: &std::path::Path, name: &str, what: &str| {
        Step::move_aside(from, beside.join(name), what)
    };
    let mut steps = Vec::new();
    let copy = copy::folder(&found, session);
    // After a restart the run is recorded in its copy, which stays.
    let is_copy = copy.as_ref() == Some(&ask.site.dir);
    if let Some(copy) = copy {
        let kept = copy.join(MANIFEST);
        let old = ask.read(&kept)?;
        if old.as_deref() != Some(&bytes) {
            steps.push(replace(&kept, old, bytes, "The manifest that is kept."));
        }
        let names = copy::dispatch_files(ask, &copy);
        for name in names {
            steps.push(aside(
                &copy.join(&name),
                &name,
                "A dispatch file of the copy.",
            ));
        }
        if copy::is_marked(ask, &copy)? {
            steps.push(aside(&copy.join(MARK), MARK, "The mark of the copy."));
        }
    }
    let (dir, away) = (&ask.site.dir, ask.site.dir.with_file_name(&away));
    if !is_copy {
        steps.push(Step::move_aside(dir, &away, "The dispatch directory."));
    }
    steps.push(aside(path, "pipeline-active", "The marker of the run."));
    Ok(Written {
        steps,
        file: Some(away),
        ..Written::default()
    })
}
