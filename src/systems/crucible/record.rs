//! The records of a run, which is named by its session, its dispatch folder or its manifest; and the files to which a
//! resumed run writes its first new record: a line of the manifest, or another phase in its marker.

mod copy;
mod dispatch;
mod lifecycle;

use std::path::{Path, PathBuf};

use super::NAME;
use super::facts::{Run, Sources, project, stores};
use super::shape;
use super::shape::manifest::{shown, template};
use super::shape::sniff::{is_eval, session_of};
use crate::model::{Foreign, Place, RecordOption};
use crate::systems::Candidate;
use crate::systems::kit::forms::{Ask, Form, Recorder, Site};
use crate::systems::kit::trails::{Record, Trail, object};
use crate::world::World;

/// The name of a manifest.
const MANIFEST: &str = "manifest.jsonl";

#[rustfmt::skip]
const FORMS: &[Form] = &[
    // Equal dispatches in parallel are legitimate.
    Form::new("dispatch", "RUN dispatch ROLE --phase P --template NAME [--task N] [--replay-of SEQ] --body FILE|-",
        &["phase", "template", "task", "replay-of", "body"], dispatch::begin).repeating(),
    Form::new("done", "RUN done SEQ --status completed|failed|error|skipped --summary TEXT [--duration S]",
        &["status", "summary", "duration"], dispatch::done),
    Form::new("phase", "RUN phase P [--from HANDOFF.md]", &["from"], lifecycle::phase),
    Form::new("init", "SESSION init --system crucible [--skill build|debugging|spec|migrate]",
        &["skill"], lifecycle::init),
    Form::new("finish", "RUN finish", &[], lifecycle::finish),
];

#[rustfmt::skip]
const OPTIONS: &[RecordOption] = &[
    RecordOption::one("template", "NAME", "Name the template (dispatch)"),
    RecordOption::one("task", "N", "Number the task (dispatch)"),
    RecordOption::one("replay-of", "SEQ", "Name the dispatch that it runs again (dispatch)"),
    RecordOption::one("body", "FILE", "Read the instructions from this file; `-` reads stdin (dispatch)"),
    RecordOption::one("summary", "TEXT", "Say how the dispatch ended (done)"),
    RecordOption::one("skill", "SKILL", "Name the skill: build (the default), debugging, spec or migrate (init)"),
    RecordOption::one("duration", "SECONDS", "Set how long it took (done)"),
];

/// Instructions for the prompt of its orchestrator.
const PROMPT: &str = "Never write manifest.jsonl, dispatch files or .pipeline-active yourself. Call:
relight record SESSION init --system crucible                     (at the start)
relight record SESSION dispatch ROLE --phase P --template T --body FILE   (before a dispatch; prints number and file)
relight record SESSION dispatch ROLE … --replay-of SEQ                    (after a resume, for a dispatch that runs again)
relight record SESSION done SEQ --status completed --summary TEXT         (when it returns)
relight checkpoint SESSION --reason pre-wave-N                            (at each boundary)
relight record SESSION phase P --from HANDOFF.md                          (between phases)
relight record SESSION finish                                             (at the end)";

/// How runs are recorded.
pub(crate) static RECORDER: Recorder = Recorder {
    heading: "crucible: record RUN dispatch ROLE …, done SEQ …, phase P, init, finish",
    forms: FORMS,
    options: OPTIONS,
    prompt: PROMPT,
    at: at_path,
    named: Some(named),
};

fn at_path(path: &Path, new: bool, world: &dyn World) -> Option<Site> {
    let dir = if path.file_name()? == MANIFEST {
        path.parent()?
    } else {
        path
    };
    let folder = dir.file_name()?;
    let session = session_of(folder).filter(|_| !is_eval(folder))?;
    let there = world.files().exists(&Place::root(dir));
    (there || new).then(|| site(dir.to_owned(), session, world))
}

fn named(session: &str, cwd: &Path, new: bool, world: &dyn World) -> Option<Site> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if session.is_empty() || !session.chars().all(plain) {
        return None;
    }
    let name = format!("crucible-dispatch-{session}");
    let mut temp = world.places().temp.iter();
    let known = temp.find_map(|temp| world.files().canonical(&temp.join(&name)));
    let there = known.map(|dir| site(dir, session, world));
    // A new run belongs to the project in which it is started, even if its start was interrupted: its folder alone
    // does not name the project.
    if !new || there.as_ref().is_some_and(|site| site.root != site.dir) {
        return there;
    }
    let temp = world.places().temp.first()?;
    let dir = world.files().canonical(temp)?.join(name);
    let repo = world.git().repo(cwd).ok();
    let root = repo.and_then(|repo| repo.work_tree);
    let root = root.or_else(|| world.files().canonical(cwd))?;
    Some(at(there.map_or(dir, |site| site.dir), session, root))
}

/// The site of an existing run: its project is locked, else its scratch folder, else its own folder.
fn site(dir: PathBuf, session: &str, world: &dyn World) -> Site {
    let found = sources(session, &dir.join(MANIFEST), world);
    let baseline = found
        .marker()
        .and_then(|marker| marker.baseline_sha.as_deref());
    let proven = stores::proven(&found.projects, world);
    let project = project::find(&found.projects, proven, baseline, world);
    let root = project.map(|project| project.path);
    let root = root.or_else(|| found.scratch());
    let root = root.unwrap_or_else(|| dir.clone());
    at(dir, session, root)
}

fn at(dir: PathBuf, session: &str, root: PathBuf) -> Site {
    Site {
        system: NAME,
        root,
        file: dir.join(MANIFEST),
        dir,
        key: session.to_owned(),
    }
}

/// The files of the run of a session.
fn sources(session: &str, file: &Path, world: &dyn World) -> Sources {
    let sources = vec![file.to_owned()];
    let candidate = Candidate::new(NAME, session, PathBuf::new(), sources);
    Sources::find(&candidate, world)
}

/// The files of the run that a record is of.
fn found(ask: &Ask<'_>) -> Sources {
    sources(&ask.site.key, &ask.site.file, ask.world)
}

/// The files to watch. It is unknown to which copy `/replay` appends, so all are watched, and the temporary one even
/// before it exists.
pub(crate) fn trails(run: &Run, world: &dyn World) -> Vec<Trail> {
    let dirs = run.sources.dispatch.iter().chain(&run.sources.copies);
    let known = dirs.filter_map(|dir| dir.join(MANIFEST).ok());
    let own = run.manifest.iter().map(|manifest| manifest.place.clone());
    let folder = format!("crucible-dispatch-{}", run.session);
    let usual = world.places().temp.iter().filter_map(|temp| {
        let temp = world.files().canonical(temp)?;
        Place::known(temp, Path::new(&folder).join(MANIFEST)).ok()
    });
    let mut places: Vec<Place> = Vec::new();
    for place in own.chain(known).chain(usual) {
        if !places.iter().any(|seen| seen.path() == place.path()) {
            places.push(place);
        }
    }
    let marker = run.sources.marker.as_ref().and_then(|(marker, path)| {
        let place = Place::of(path)?;
        let id = marker.pipeline_id.clone();
        Some(Trail::state(place, move |bytes, zone| {
            let marker = shape::marker(bytes, zone).ok();
            // A later run overwrites the marker with its own.
            let own = marker.filter(|marker| marker.pipeline_id == id);
            own.and_then(|marker| {
                let phase = marker.phase?;
                let text = format!("the marker is at phase {phase}");
                Some(Record::new(text.clone(), text, None))
            })
            .into_iter()
            .collect()
        }))
    });
    let logs = places.into_iter().map(|place| {
        Trail::log(place, |line, _| {
            let map = object(line)?;
            // A line without a status is not a record of a dispatch.
            let status = shown(&map, "status")?;
            let seq = shown(&map, "seq").unwrap_or_default();
            let role = shown(&map, "role").or_else(|| template(|key| shown(&map, key)));
            let role = role.as_deref().unwrap_or("-");
            let summary = shown(&map, "summary").map(|text| format!(" — {text}"));
            let summary = summary.unwrap_or_default();
            let text = format!("dispatch {seq} {role}: {status}{summary}");
            Some(Record::new("", Foreign::from(text), None))
        })
    });
    logs.chain(marker).collect()
}
